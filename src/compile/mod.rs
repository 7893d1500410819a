//! Programs as exact transformer weights. The idea is Tracr's (Lindner et al. 2023), the program
//! is RASP's (Weiss et al. 2021); the constructions differ: everything linear is read and never
//! computed, defaults and counts ride on a BOS that is zero, one head serves a conjunction, and
//! elementwise chains become one hidden layer of steps over a joint table. What cannot be made
//! exact is refused.
//!
//! Encodings follow from what readers need. Wishes of the program (`categorical(x)`,
//! `numerical(x)`) are honoured where there is a choice: an aggregate that picks one value gets a
//! direction for each value but the default, or none beyond the functions that are read; a
//! computed elementwise s-op gets a direction for each value but the first; and the readout numbers
//! the values or reads the number. What is read from the embeddings, a width or a mean is held as
//! it is. No wish changes a value.

mod algebra;
mod assemble;
mod axis;
mod basis;
mod feature;
mod fit;
mod form;
mod head;
mod layout;
mod linear;
mod literal;
mod readout;
mod real;
mod score;
mod search;
mod steps;
pub mod verify;

pub use verify::{Options, Verification, WrongOutput, verify};

use crate::base::{Code, Diagnostic, Fallible, Limits, Span, interrupt};
use crate::graph::{Graph, SOp, SOpId, Selector};
use crate::infer::facts::check_setting;
use crate::infer::space::VarId;
use crate::infer::{Analysis, Setting, Stopped};
use crate::model::Model;
use form::{Form, Scalar};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Compiles one s-op to a transformer that computes it exactly, for inputs of up to
/// `setting.max_length` tokens of the vocabulary.
///
/// # Errors
/// The s-op, or one it needs, has too many values (E0601), no transformer form (E0602), attends to
/// later positions in a causal model (E0603), or the weights fail a check against the interpreter
/// (E0604).
pub fn compile(graph: &Graph, root: SOpId, setting: &Setting, limits: &Limits) -> Fallible<Model> {
    check_setting(setting, limits)?;
    let analysis = Analysis::new(graph, &[root], setting, limits);
    interrupt::check()?;
    check_causal(&analysis, root)?;
    let mut model = attempt(&analysis, root, Robustness::Compact)?;
    let mut verdict = verify::guard(graph, root, &model);
    for robustness in [Robustness::Robust, Robustness::Real] {
        if verdict.is_ok()
            || (robustness == Robustness::Real && !readout::is_dense(&analysis, root))
        {
            break;
        }
        interrupt::check()?;
        model = attempt(&analysis, root, robustness)?;
        verdict = verify::guard(graph, root, &model);
    }
    verdict.map(|()| model)
}

/// What to do where the compact construction passes rounding errors on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Robustness {
    Compact,
    /// Equality of computed integers by a direction for each instead of by squares.
    Robust,
    /// The same, and a result whose numbers are close to each other is read as a real number.
    Real,
}

fn attempt(analysis: &Analysis, root: SOpId, robustness: Robustness) -> Fallible<Model> {
    let diagnose = |stopped: Stopped| stopped.diagnostic(analysis.graph, root);
    let mut compiler = Compiler::new(analysis, robustness);
    let output = compiler.root(root).map_err(diagnose)?;
    compiler.place_variables().map_err(diagnose)?;
    assemble::assemble(&compiler, root, output)
}

/// A causal model may only attend to positions that its selectors cannot reach beyond.
fn check_causal(analysis: &Analysis, root: SOpId) -> Fallible<()> {
    if !analysis.setting.causal {
        return Ok(());
    }
    let graph = analysis.graph;
    for id in graph.reachable(&[root]) {
        let weighted = analysis.weighted(id);
        if let Some((query, key)) = weighted.and_then(|facts| analysis.weighs_beyond(facts)) {
            return Err(not_causal(graph.span(id), query, key)
                .help("let the weight be 0 where the key is later, or compile without the mask")
                .into());
        }
        let (SOp::Aggregate { selector, .. } | SOp::Width { selector }) = graph.get(id) else {
            continue;
        };
        let Some(facts) = analysis.selector(*selector) else {
            continue;
        };
        let beyond = analysis
            .environments
            .iter()
            .zip(&facts.rows)
            .find_map(|(query, row)| {
                let later = row.iter().find(|key| key.position > query.position)?;
                Some((query.position, later.position))
            });
        if let Some((query, key)) = beyond {
            let place = match graph.get_selector(*selector) {
                Selector::Best { .. } => " to the first argument of `select_best`",
                _ => "",
            };
            return Err(not_causal(graph.selector_span(*selector), query, key)
                .help(format!(
                    "add `and select(indices, indices, <=)`{place}, or compile without the causal mask"
                ))
                .into());
        }
    }
    Ok(())
}

fn not_causal(span: Span, query: usize, key: usize) -> Diagnostic {
    Diagnostic::error(
        Code::NotCausal,
        "a causal model cannot attend to later positions",
    )
    .at(
        span,
        format!("position {query} may select position {key} here"),
    )
}

/// A map in the order in which its entries came.
type Ordered<K, V> = IndexMap<K, V, FxBuildHasher>;

/// Numbers as a key of a map.
type Bits = Vec<u64>;

fn bits<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Bits {
    // Adding 0 makes -0 the same as 0.
    numbers.into_iter().map(|n| (n + 0.0).to_bits()).collect()
}

/// A computed number: an output of the feed-forward block of some layer.
#[derive(Clone, Debug)]
struct Feature {
    label: String,
    /// What its steps are steps of: an index into the arguments.
    argument: usize,
    stairs: steps::Staircase,
}

/// The state of one compilation. Readers demand forms; the variables behind them are placed from
/// the last to the first, when all demands on them are known.
struct Compiler<'a> {
    analysis: &'a Analysis<'a>,
    robustness: Robustness,
    /// Functions that readers want of categorical variables, with labels.
    demands: BTreeMap<VarId, Ordered<Bits, String>>,
    /// Numerical variables that readers want.
    wanted: BTreeSet<VarId>,
    /// The arguments of feed-forward steps, each with the value around which it is most precise.
    arguments: Ordered<Bits, (Form, f64)>,
    features: Ordered<(usize, Bits), Feature>,
    /// Features by s-op and function, so that each is computed once.
    known: FxHashMap<(SOpId, Bits, bool), Form>,
    /// What is linear by its shape, so that shared s-ops are looked at once.
    linear: RefCell<FxHashMap<SOpId, Option<Form>>>,
    /// The same for functions of weighted means.
    reals: FxHashMap<SOpId, Option<Form>>,
    heads: Vec<head::HeadPlan>,
    bases: BTreeMap<VarId, basis::Basis>,
    /// The directions of a cut, which are forms of their own.
    cuts: BTreeMap<VarId, Vec<Form>>,
}

impl<'a> Compiler<'a> {
    fn new(analysis: &'a Analysis<'a>, robustness: Robustness) -> Compiler<'a> {
        Compiler {
            analysis,
            robustness,
            demands: BTreeMap::new(),
            wanted: BTreeSet::new(),
            arguments: Ordered::default(),
            features: Ordered::default(),
            known: FxHashMap::default(),
            linear: RefCell::default(),
            reals: FxHashMap::default(),
            heads: Vec::new(),
            bases: BTreeMap::new(),
            cuts: BTreeMap::new(),
        }
    }

    /// Records that a form is read, so that what it reads gets a place.
    fn demand(&mut self, form: &Form, label: &str) {
        for (var, values) in &form.functions {
            let demands = self.demands.entry(*var).or_default();
            let label = || label.to_string();
            demands.entry(bits(values)).or_insert_with(label);
        }
        for scalar in form.scalars.keys() {
            if let Scalar::Attention(var) = scalar {
                self.wanted.insert(*var);
            }
        }
    }

    fn too_wide(&self, what: &str, count: usize) -> Stopped {
        Stopped::new(
            Code::LimitReached,
            format!(
                "the model would need {count} {what}; the limit is {}",
                self.analysis.limits.model_width
            ),
        )
    }
}
