//! Programs as exact transformer weights. The idea is Tracr's (Lindner et al. 2023), the program
//! is RASP's (Weiss et al. 2021); the constructions differ: everything linear is read and never
//! computed, one head serves a conjunction, defaults and counts ride on BOS, and elementwise chains
//! become one hidden layer over a joint table. What cannot be made exact is refused.
//!
//! Readers demand linear reads (`linear`), of what embeddings and attention give, and of features that
//! hidden units compute (`feature`); selectors become logits of heads (`head`). The variables behind the
//! reads are placed from the last to the first; then all is written down as a [`Plan`] (`emit`), laid out
//! in layers, certified and lowered to weights.
//!
//! Encodings follow from what readers need. Wishes of the program (`categorical(x)`,
//! `numerical(x)`) are honoured where there is a choice: an aggregate that picks one value gets a
//! direction for each value but the default, or none beyond the functions that are read; a
//! computed elementwise s-op gets a direction for each value but the first; and the readout numbers
//! the values or reads the number. What is read from the embeddings, a width or a mean is held as
//! it is. No wish changes a value.

mod attempt;
mod care;
mod causal;
mod compiled;
mod digits;
mod effect;
mod emit;
pub mod feature;
mod head;
pub mod linear;
mod lower;
mod made;
mod nearest;
pub mod part_plan;
mod size;
mod stored;
pub mod verify;
mod way;

pub use care::Care;
pub use compiled::Compiled;
pub use effect::explain;
pub use lower::lower;
pub use stored::{Proof, certified, open, prove, prove_by, proved_plan};
pub use verify::{Agreement, Options, Verification, WrongOutput, verify_all, verify_surveyed};

use crate::base::{Code, Fallible, Limits};
use crate::graph::{Graph, SOpId, SelectorId};
use crate::infer::facts::check_setting;
use crate::infer::space::VarId;
use crate::infer::{Analysis, Operand, Setting, Stopped};
use crate::model::{Dtype, Host};
use crate::plan::pass::{Choice, Passes};
use crate::plan::{Style, Unit};
use attempt::Task;
use feature::{axis, search};
use head::sink;
use indexmap::IndexMap;
use linear::{LinearRead, ReadKey, Scalar, basis};
use made::{made_in, or_with_all_passes, smallest, with_even_rows};
pub(crate) use nearest::or_nearest;
use rustc_hash::{FxBuildHasher, FxHashMap};
use size::ANY;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How a model is to be made.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub style: Style,
    pub passes: Passes,
    pub host: Host,
    /// Whether inputs stand alone: without a BOS token before them. Heads of both styles are the faithful
    /// ones then, as a sum through a sink needs one that is nothing else.
    pub without_bos: bool,
}

impl From<Style> for Request {
    fn from(style: Style) -> Request {
        Request {
            style,
            ..Request::default()
        }
    }
}

/// Compiles s-ops, at least one, into one model. A model that is not certified for the hosts that are
/// asked for was held against the interpreter on some inputs. In the compact style the faithful model
/// is taken where it is as small, or certified where the other is not.
///
/// # Errors
/// The s-op, or one it needs, has too many values (E0601), no transformer form (E0602), attends to
/// later positions in a causal model (E0603), or the weights fail a check against the interpreter
/// (E0604).
pub fn compile_in(
    request: &Request,
    graph: &Graph,
    roots: &[SOpId],
    setting: &Setting,
    limits: &Limits,
) -> Fallible<Compiled> {
    check_setting(setting, limits)?;
    let make = |setting: &Setting| {
        let task = Task {
            graph,
            roots,
            setting,
            limits,
        };
        let made = match request.style {
            Style::Faithful => {
                made_in(request, task, ANY).and_then(|made| with_even_rows(made, request, task))
            }
            Style::Compact => smallest(request, task),
        };
        made.map_err(|error| or_with_all_passes(error, request, task))
    };
    or_nearest(setting, graph.control(), make, Compiled::is_certified)
}

/// Another way to make the model, one that is proved, where the one that was asked for is not: for
/// people, in the words of the command line.
pub fn another_way(
    request: &Request,
    refused: &Compiled,
    graph: &Graph,
    limits: &Limits,
) -> Option<&'static str> {
    let proved = |request: &Request| {
        let task = Task {
            graph,
            roots: &refused.sops,
            setting: &refused.setting,
            limits,
        };
        made_in(request, task, ANY).is_ok_and(|made| made.is_certified())
    };
    let in_floats = |dtype| Request {
        host: Host {
            dtype,
            ..request.host
        },
        ..request.clone()
    };
    if request.host.dtype == Some(Dtype::Bfloat16) && proved(&in_floats(None)) {
        return Some("without `--dtype bfloat16` it is proved to be exact");
    }
    let all = request.with_all_passes();
    if all.is_some_and(|all| proved(&all)) {
        return Some("without `--passes` it is proved to be exact");
    }
    let other = request.style == Style::Faithful && !request.without_bos;
    if other && proved(&request.in_style(Style::Compact)) {
        return Some("`--style compact` makes one that is proved to be exact");
    }
    let is_any = request.host.dtype.is_none();
    (is_any && proved(&in_floats(Some(Dtype::Float64))))
        .then_some("`--dtype float64` makes one that is proved to be exact there")
}

/// A map in the order in which its entries came.
type Ordered<K, V> = IndexMap<K, V, FxBuildHasher>;

/// The least and the greatest number of some.
type Range = (f64, f64);

/// That of these numbers; of none, 0.
fn range_of(numbers: impl Iterator<Item = f64>) -> Range {
    let both = numbers.map(|number| (number, number));
    let range = both.reduce(|(low, high), (number, _)| (low.min(number), high.max(number)));
    range.unwrap_or((0.0, 0.0))
}

/// Numbers as a key of a map.
type Bits = Vec<u64>;

fn bits<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Bits {
    numbers.into_iter().map(|number| key(*number)).collect()
}

/// One of them: 0 and -0 are one.
fn key(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

/// 1 at each of so many places that is one of some, 0 at the others.
fn ones_where(count: usize, is: impl Fn(usize) -> bool) -> Vec<f64> {
    (0..count).map(|at| f64::from(u8::from(is(at)))).collect()
}

/// A computed number: an output of the feed-forward block of some layer.
#[derive(Clone, Debug)]
struct Feature {
    label: String,
    /// The s-op that it is of, if it is of one.
    of: Option<Operand>,
    /// What its units are functions of: an index into the arguments.
    argument: usize,
    units: Vec<Unit>,
    /// Whether the program asks for it with `categorical(…)`.
    asked_for: bool,
}

/// What the units of some features are functions of.
#[derive(Clone, Debug)]
struct Argument {
    read: LinearRead,
    /// Its values at tokens, ascending; the ends of where it is, if it is a real number.
    points: Arc<[f64]>,
    is_real: bool,
}

/// How precise a reader needs a feature to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Want {
    /// To a part of the gap between two values.
    Close,
    /// A small part of a unit; hidden units may interpolate.
    Tolerant,
    /// To what a real number may be off by; hidden units may interpolate, where that is nearer.
    Real,
    /// Exact: it reads the embeddings or bits.
    Snapped,
}

/// The staircases that functions of s-ops are, where one was found: what every attempt at a program
/// asks again.
type Searches = RefCell<FxHashMap<(Operand, Bits), Option<search::Found>>>;

/// An s-op, and the axes that s-ops on the way to it are.
type LastAxes = (Option<Operand>, FxHashMap<Operand, Option<axis::Axis>>);

/// The state of one compilation. Readers demand linear reads; the variables behind them are placed from
/// the last to the first, when all demands on them are known.
struct Compiler<'a> {
    analysis: &'a Analysis<'a>,
    searches: &'a Searches,
    host: Host,
    style: Style,
    passes: &'a Passes,
    care: Care,
    /// Functions that readers want of categorical variables, with labels.
    demands: BTreeMap<VarId, Ordered<Bits, String>>,
    /// Numerical variables that readers want.
    wanted: BTreeSet<VarId>,
    /// Attention outputs that readers want without noise.
    rounded: BTreeSet<VarId>,
    /// Inverse widths that readers want.
    inverses: BTreeSet<(SelectorId, usize)>,
    /// Widths as linear reads over inverses and hidden units.
    counts: FxHashMap<SelectorId, LinearRead>,
    /// The arguments of feed-forward units.
    arguments: Ordered<ReadKey, Argument>,
    features: Ordered<(usize, Bits), Feature>,
    /// Features by s-op and function, so that each is computed once.
    known: FxHashMap<(Operand, Bits, Want), LinearRead>,
    /// What is linear by its shape, so that shared s-ops are looked at once.
    linear: RefCell<FxHashMap<Operand, Option<LinearRead>>>,
    /// The same for what is linear by its values.
    summed: RefCell<FxHashMap<Operand, Option<LinearRead>>>,
    /// The axes that s-ops on the way are for functions of the s-op that was asked for last.
    axes: RefCell<LastAxes>,
    /// Real numbers as linear reads, so that shared s-ops are looked at once.
    reals: FxHashMap<SOpId, Option<LinearRead>>,
    /// Where real numbers are: the least and the greatest that they can be.
    ranges: FxHashMap<VarId, Range>,
    /// Whether a real number is a function of another, as lines.
    draws_real: bool,
    heads: Vec<head::HeadPlan>,
    bases: BTreeMap<VarId, basis::Basis>,
    /// The directions of a materialised s-op, which are linear reads of their own.
    materialised: BTreeMap<VarId, Vec<LinearRead>>,
    /// The directions that are not what their heads give.
    gates: BTreeMap<(VarId, usize), sink::Gate>,
    /// Selectors of which the attention to position 0 is read, if there is a BOS.
    shares: BTreeSet<SelectorId>,
    /// Where selectors select nothing, if there is no BOS.
    empties: BTreeMap<SelectorId, sink::Nothing>,
}

impl<'a> Compiler<'a> {
    fn new(
        analysis: &'a Analysis<'a>,
        searches: &'a Searches,
        request: &'a Request,
        care: Care,
    ) -> Compiler<'a> {
        Compiler {
            analysis,
            searches,
            host: request.host,
            style: request.style,
            passes: &request.passes,
            care,
            demands: BTreeMap::new(),
            wanted: BTreeSet::new(),
            rounded: BTreeSet::new(),
            inverses: BTreeSet::new(),
            counts: FxHashMap::default(),
            arguments: Ordered::default(),
            features: Ordered::default(),
            known: FxHashMap::default(),
            linear: RefCell::default(),
            axes: RefCell::default(),
            summed: RefCell::default(),
            reals: FxHashMap::default(),
            ranges: FxHashMap::default(),
            draws_real: false,
            heads: Vec::new(),
            bases: BTreeMap::new(),
            materialised: BTreeMap::new(),
            gates: BTreeMap::new(),
            shares: BTreeSet::new(),
            empties: BTreeMap::new(),
        }
    }

    fn chooses(&self, choice: Choice) -> bool {
        self.passes.choose(choice)
    }

    /// Records that a linear read is wanted, so that what it reads gets a place.
    ///
    /// # Errors
    /// What is read cannot be placed. A sum of which only what it is made of stands in the stream is none of it.
    fn demand(&mut self, read: &LinearRead, label: &str) -> Result<(), Stopped> {
        for (var, values) in &read.functions {
            let demands = self.demands.entry(*var).or_default();
            let label = || label.to_string();
            demands.entry(bits(values)).or_insert_with(label);
        }
        for scalar in read.scalars.keys() {
            match scalar {
                Scalar::Attention(var) if self.is_total(*var) => {
                    let reason = "a sum is read that no head writes".to_string();
                    return Err(Stopped::new(Code::NotExact, reason));
                }
                Scalar::Attention(var) => drop(self.wanted.insert(*var)),
                Scalar::Inverse(selector, cube) => self.place_inverse(*selector, *cube)?,
                Scalar::Count(selector) => self.place_count(*selector)?,
                Scalar::Computed(_) | Scalar::First => {}
                Scalar::Share(selector) if self.bos() || self.counts_all(*selector) => {
                    self.place_share(*selector)?;
                }
                // The gate that reads it has placed it.
                Scalar::Given(..) | Scalar::Share(_) => {}
            }
        }
        Ok(())
    }
}
