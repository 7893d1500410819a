//! From the residual stream back to values. Numbers are read as the nearest of the numbers the
//! s-op can have. Other values are numbered, and the scores `2jy - j²` of a linear map are largest
//! for the nearest number: one direction and no hidden units, whatever the value. A program may ask
//! for the other way: `categorical(x)` numbers the values of numbers too, and `numerical(x)` reads
//! bools as numbers. Numbers too close to be told apart are read as they are, as real numbers.

use crate::base::Diagnostic;
use crate::certify::TOLERANCE_F32;
use crate::compile::feature::Wanted;
use crate::compile::feature::ratio::Ratio;
use crate::compile::linear::LinearRead;
use crate::compile::way::tried;
use crate::compile::{Care, Compiler, Want};
use crate::graph::{Encoding, SOpId};
use crate::infer::{Analysis, Stopped};
use crate::interpret;
use crate::model::{Decoder, is_bfloat16};
use crate::plan::pass::Choice;
use crate::plan::score;
use crate::value::Value;

/// What is read and the values that it stands for.
#[derive(Clone, Debug)]
pub struct Output {
    pub read: OutputRead,
    pub decoder: Decoder,
}

/// How a result is read.
#[derive(Clone, Debug)]
pub enum OutputRead {
    /// A number that stands for itself.
    Number(LinearRead),
    /// The number of a value, of so many.
    Classes(LinearRead, usize),
    /// One number over another, which is one of these.
    Ratio([LinearRead; 2], Vec<f64>),
}

impl Output {
    pub fn new(read: LinearRead, decoder: Decoder) -> Output {
        let read = match &decoder {
            Decoder::Numerical(_) => OutputRead::Number(read),
            Decoder::Categorical(classes) => OutputRead::Classes(read, classes.len()),
        };
        Output { read, decoder }
    }
}

/// Neighbouring numbers must differ by more than this share of the largest to be told apart.
const RESOLUTION: f64 = 2e-6;

/// Means are off by less than this share.
const SURE: f64 = 1e-5;

/// More classes than this have scores that float32 cannot tell apart.
const MOST_CLASSES: usize = 1_000;

/// The same of numbers that a ratio is near to: how many can be told apart depends on what they are divided by.
const MOST_NEAREST: usize = 4_000;

/// The values of an s-op as its readers tell them apart.
#[derive(Clone)]
struct Readings {
    /// Those that differ by more than rounding, ascending.
    list: Vec<Value>,
    /// For each value of the domain, which of them it is read as, and whether it is equal to that.
    classes: Vec<usize>,
    is_exact: bool,
    /// Whether they are numbers that float32 can tell apart, and that no program wants otherwise.
    is_numbers: bool,
}

impl Readings {
    fn new(domain: &[Value], wish: Option<Encoding>) -> Readings {
        let plain = |value: &Value| match wish {
            None => matches!(value, Value::Int(_) | Value::Float(_)),
            Some(Encoding::Numerical) => value.is_number(),
            Some(Encoding::Categorical) => false,
        };
        let largest = Value::largest(domain);
        let mut list: Vec<Value> = Vec::with_capacity(domain.len());
        let mut classes = Vec::with_capacity(domain.len());
        let mut first = None;
        for value in domain {
            let is_same = |first: &Value| first.equals_but_for_rounding(value, largest);
            match list.last_mut().filter(|_| first.is_some_and(is_same)) {
                Some(last) if is_simpler(value, last) => *last = value.clone(),
                Some(_) => {}
                None => {
                    first = Some(value);
                    list.push(value.clone());
                }
            }
            classes.push(list.len() - 1);
        }
        let mut pairs = domain.iter().zip(&classes);
        Readings {
            is_exact: pairs.all(|(value, class)| value.equals(&list[*class])),
            is_numbers: domain.iter().all(plain) && are_apart(&list, RESOLUTION),
            list,
            classes,
        }
    }

    /// A number for each value of the domain, and the decoder. Numbers stand for themselves, unless some
    /// are so close that float32 cannot tell them apart, such as a third and one minus two thirds; those
    /// are numbered like values of other types.
    fn coding(self) -> (Vec<f64>, Decoder) {
        if self.is_numbers && self.is_exact {
            return self.numerical();
        }
        let classes = self.classes.iter().map(|class| *class as f64);
        (classes.collect(), Decoder::Categorical(self.list))
    }

    /// As [`Readings::coding`], of numbers that all stand for themselves; those that are equal but for
    /// rounding, for one of them.
    fn numerical(self) -> (Vec<f64>, Decoder) {
        let numbers = self.list.iter().filter_map(Value::as_float);
        let numbers: Vec<f64> = numbers.collect();
        let of_class = |class: &usize| numbers[*class];
        let numbers = self.classes.iter().map(of_class).collect();
        (numbers, Decoder::Numerical(self.list))
    }
}

/// Whether a value, of two that are one but for rounding, is written with fewer digits.
fn is_simpler(value: &Value, other: &Value) -> bool {
    value.to_string().len() < other.to_string().len()
}

/// Whether a result that is proved in no other way may be read as a real number: it is numbers, not all whole, or
/// some too close.
pub(crate) fn may_be_real(analysis: &Analysis, root: SOpId) -> bool {
    let is_whole = |value: &Value| value.as_float().is_some_and(|number| number.fract() == 0.0);
    let are_whole = |domain: &[Value]| domain.iter().all(is_whole);
    numbers_of(analysis, root).is_some_and(|domain| !are_whole(domain)) || is_dense(analysis, root)
}

/// Whether some numbers of the result are so close that it takes a proof to tell them apart.
fn is_dense(analysis: &Analysis, root: SOpId) -> bool {
    let are_close = |domain: &[Value]| {
        let readings = Readings::new(domain, analysis.graph.encoding(root));
        let few = readings.list.len() <= MOST_CLASSES;
        !(readings.is_numbers && readings.is_exact) || !few && !are_apart(&readings.list, SURE)
    };
    numbers_of(analysis, root).is_some_and(are_close)
}

/// The values of a result, if they are numbers that real ones are near to.
fn numbers_of<'a>(analysis: &'a Analysis, root: SOpId) -> Option<&'a [Value]> {
    let domain = &analysis.node(root).ok()?.column.values.domain;
    let is_number = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_));
    let are_numbers = analysis.graph.encoding(root) != Some(Encoding::Categorical)
        && domain.iter().all(is_number)
        && differ_enough(domain);
    are_numbers.then_some(domain)
}

/// Whether numbers read to float32's digits are right to some digits of what they differ by: 10⁷ and
/// 10⁷ + ½ are not.
fn differ_enough(domain: &[Value]) -> bool {
    let numbers = || domain.iter().filter_map(Value::as_float);
    let (least, most) = numbers().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), n| {
        (least.min(n), most.max(n))
    });
    RESOLUTION * least.abs().max(most.abs()) <= TOLERANCE_F32 * (most - least)
}

/// Whether neighbouring numbers differ by so large a share of the largest.
fn are_apart(list: &[Value], share: f64) -> bool {
    let numbers: Vec<f64> = list.iter().filter_map(Value::as_float).collect();
    let largest = numbers
        .iter()
        .fold(1.0f64, |largest, n| largest.max(n.abs()));
    numbers
        .windows(2)
        .all(|pair| pair[1] - pair[0] >= share * largest)
}

impl Compiler<'_> {
    /// How an s-op fails on the first token.
    fn first_failure(&self, root: SOpId) -> String {
        let tokens = self.analysis.setting.vocabulary.iter().take(1).cloned();
        let tokens: Vec<Value> = tokens.collect();
        match interpret::evaluate(self.analysis.graph, root, &tokens) {
            Err(failed) => format!(": {}", Diagnostic::from(&failed.fault.cause).message),
            Ok(_) => String::new(),
        }
    }

    /// The linear read of the program's result.
    pub(crate) fn root(&mut self, root: SOpId) -> Result<Output, Stopped> {
        let domain = match self.analysis.node(root) {
            Ok(node) => node.column.values.domain.clone(),
            Err(stopped) => return self.real_root(root, stopped),
        };
        if domain.is_empty() {
            return Err(Stopped::new(
                crate::base::Code::NotCompilable,
                format!(
                    "this fails on every input of these tokens{}",
                    self.first_failure(root)
                ),
            )
            .help("mend what fails, or take a vocabulary on which it does not"));
        }
        let label = self.name(root);
        if domain.len() == 2
            && self.care.is_plain()
            && self.sum_ratio(root.into()).is_some()
            && let Some((numbers, decoder)) = self.coding_of(root)
            && let Some(read) = tried(self.side(root, &numbers))?
        {
            // One threshold needs fewer classes than a sum has values.
            self.demand(&read, &label)?;
            return Ok(Output::new(read, decoder));
        }
        if let Some(output) = self.root_off_ratio(root)?
            && let OutputRead::Ratio([numerator, denominator], _) = &output.read
        {
            self.demand(numerator, &label)?;
            self.demand(denominator, &label)?;
            return Ok(output);
        }
        let readings = Readings::new(&domain, self.analysis.graph.encoding(root));
        if readings.is_numbers && !readings.is_exact && self.care != Care::Real {
            // Where hidden units are needed, whole numbers of classes add up more exactly than fractions.
            let (numbers, decoder) = readings.clone().numerical();
            let mut read = self.read(root.into(), &numbers);
            if read.is_none() && self.care.is_plain() {
                let wanted = Wanted {
                    id: root.into(),
                    function: &numbers,
                    want: Want::Close,
                    label: &label,
                };
                read = tried(self.choice_of_two(wanted, usize::MAX))?;
            }
            if let Some(read) = read {
                self.demand(&read, &label)?;
                return Ok(Output::new(read, decoder));
            }
        }
        let (mut numbers, mut decoder) = readings.coding();
        let many =
            matches!(&decoder, Decoder::Categorical(classes) if classes.len() > MOST_CLASSES);
        let is_real = match self.care == Care::Real {
            true => may_be_real(self.analysis, root),
            false => many && is_dense(self.analysis, root),
        };
        if is_real {
            numbers = domain.iter().filter_map(Value::as_float).collect();
            decoder = Decoder::Numerical(Vec::new());
        }
        if let Decoder::Categorical(classes) = &decoder
            && classes.len() > MOST_CLASSES
        {
            return Err(Stopped::new(
                crate::base::Code::NotExact,
                format!(
                    "it has {} values, some too close for float32 to tell apart",
                    classes.len()
                ),
            ));
        }
        let read = match self.care.is_plain() {
            true => tried(self.side(root, &numbers))?,
            false => None,
        };
        let read = match read {
            Some(read) => read,
            None => {
                let want = if is_real { Want::Real } else { Want::Close };
                self.feature(root, &numbers, want, &label)?
            }
        };
        self.demand(&read, &label)?;
        Ok(Output::new(read, decoder))
    }

    /// A function of a width, or of a sum, is read from what that is the ratio of: the scores
    /// `2ay - a²x` are largest for the nearest `a` to `y/x`, and each `a` has its value. No hidden unit
    /// is needed. The squares of larger numbers have too many digits for bfloat16.
    pub(super) fn off_ratio(&self, id: SOpId) -> Option<Output> {
        let ratio = self.may_be_off_ratio(id).then(|| self.ratio(id))?;
        self.nearest_to(id, ratio?)
    }

    /// The same of the program's result, which may take a hidden unit where a width has two parts.
    fn root_off_ratio(&mut self, root: SOpId) -> Result<Option<Output>, Stopped> {
        if let Some(output) = self.off_ratio(root) {
            return Ok(Some(output));
        }
        let beyond = match self.may_be_off_ratio(root) {
            true => tried(self.width_beyond(root))?,
            false => None,
        };
        Ok(beyond.and_then(|ratio| self.nearest_to(root, ratio)))
    }

    /// Whether a result may be read off a ratio: neither the program nor the passes want it otherwise.
    fn may_be_off_ratio(&self, id: SOpId) -> bool {
        self.analysis.graph.encoding(id).is_none() && self.chooses(Choice::Nearest)
    }

    /// The values of an s-op as the nearest number to a ratio, unless these are too many or too close.
    fn nearest_to(&self, id: SOpId, ratio: Ratio) -> Option<Output> {
        let column = &self.analysis.node(id).ok()?.column;
        // Values that differ by rounding are one.
        let Readings { list, classes, .. } = Readings::new(&column.values.domain, None);
        let rows = ratio.of_rows.iter().zip(column.cells.iter());
        let read = rows.filter_map(|(number, cell)| Some((*number, *classes.get(*cell as usize)?)));
        let mut read: Vec<(f64, usize)> = read.collect();
        read.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        read.dedup();
        let largest = read.iter().fold(1.0f64, |most, (a, _)| most.max(a.abs()));
        let mut pairs = read.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let is_function = pairs.all(|gap| gap >= RESOLUTION * largest);
        let (numbers, classes): (Vec<f64>, Vec<usize>) = read.into_iter().unzip();
        let few = numbers.len() <= MOST_NEAREST && largest <= MOST_NEAREST as f64;
        let scores = |a: &f64| score(*a, &numbers).into_iter().all(is_bfloat16);
        let held = !self.host.is_bfloat16() || numbers.iter().all(scores);
        let values = classes.into_iter().map(|class| list[class].clone());
        (is_function && few && held).then(|| Output {
            read: OutputRead::Ratio([ratio.numerator, ratio.denominator], numbers),
            decoder: Decoder::Categorical(values.collect()),
        })
    }

    /// A number for each value of an s-op, and how they are read.
    pub(super) fn coding_of(&self, id: SOpId) -> Option<(Vec<f64>, Decoder)> {
        let domain = &self.analysis.node(id).ok()?.column.values.domain;
        Some(Readings::new(domain, self.analysis.graph.encoding(id)).coding())
    }
}
