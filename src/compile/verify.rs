//! Runs a model against the interpreter. Exhaustive on short inputs, random on longer ones; an
//! input that the interpreter rejects says nothing about the model and is skipped. The same check
//! guards `compile`: a model that disagrees is never handed out. Values are compared exactly, but for
//! what floats lose, except those of a model that reads out a real number (a mean that can have too many
//! values to list): these are compared within a tolerance.

use crate::base::{Code, Diagnostic, Fallible, Random, parallel};
use crate::certify::{TOLERANCE_F32, TOLERANCE_F64};
use crate::execute::{Executor, Noted, Outputs, Precision, Survey, Surveyed};
use crate::graph::{Graph, SOpId};
use crate::infer::inputs;
use crate::interpret;
use crate::model::{Decoder, Dtype, Host, Model};
use crate::value::Value;

/// How much is checked. Whether values are compared exactly is not an option: it follows from the
/// model's readout, and the tolerance for real numbers from `precision` ([`TOLERANCE_F32`],
/// [`TOLERANCE_F64`]).
#[derive(Clone, Debug)]
pub struct Options {
    /// The longest input; at most the model's.
    pub max_length: usize,
    /// All inputs of length 1, 2, … are checked as long as they are at most this many.
    pub exhaustive: usize,
    /// Random inputs beyond those.
    pub samples: usize,
    pub seed: u64,
    pub precision: Precision,
}

impl Default for Options {
    /// All inputs while they are 20,000, and 2,000 longer ones, in float32.
    fn default() -> Options {
        Options {
            max_length: usize::MAX,
            exhaustive: 20_000,
            samples: 2_000,
            seed: 0,
            precision: Precision::F32,
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// Inputs that were compared.
    pub checked: usize,
    /// Inputs on which the program fails, which were not.
    pub rejected: usize,
    /// Inputs on which the model's values differ; for a readout of real numbers, by more than the
    /// tolerance.
    pub wrong: usize,
    /// Every input up to this length was tried.
    pub exhaustive_to_length: usize,
    /// The longest inputs that were tried.
    pub max_length: usize,
    /// How far real numbers may be from the interpreter's, as a share of the largest of an input,
    /// or of `least`; `None` where all values are one of a list.
    pub tolerance: Option<f64>,
    /// 1, or the largest number that was found, where that is less.
    pub least: f64,
    pub first_wrong: Option<WrongOutput>,
}

impl Verification {
    /// Whether every input there is was compared, and none is wrong.
    pub fn is_proof(&self) -> bool {
        self.wrong == 0 && self.checked > 0 && self.exhaustive_to_length == self.max_length
    }
}

/// An input on which a model is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongOutput {
    /// Which of the model's outputs, from 0.
    pub output: usize,
    pub input: Vec<Value>,
    pub expected: Vec<Value>,
    pub got: Vec<Value>,
}

/// Inputs that are compared together, by one processor.
const TOGETHER: usize = 64;
/// How many of these are worked on by all processors before something else may happen.
const AT_ONCE: usize = 128;
/// How many of the first tell how large real numbers are.
const SCALED: usize = 512;

/// Compares the outputs of a model with the s-ops they were compiled from.
///
/// # Errors
/// The model cannot take an input from its own vocabulary: it is malformed.
pub fn verify_all(
    graph: &Graph,
    roots: &[SOpId],
    model: &Model,
    options: &Options,
) -> Fallible<Verification> {
    let executor = Executor::new(model, options.precision)?;
    let run = |inputs: &[Vec<Value>]| Ok((executor.run_all_outputs(inputs)?, ()));
    verify_run(graph, roots, (model, &run), options, &mut |()| {})
}

/// The same, and which values the model's variables took on the inputs.
///
/// # Errors
/// As [`verify_all`].
pub fn verify_surveyed(
    graph: &Graph,
    roots: &[SOpId],
    model: &Model,
    options: &Options,
) -> Fallible<(Verification, Vec<Surveyed>)> {
    let survey = Survey::new(model, options.precision)?;
    let mut all = Noted::default();
    let run = |inputs: &[Vec<Value>]| survey.run(inputs);
    let note = &mut |noted: Noted| all.add(&noted);
    let verification = verify_run(graph, roots, (model, &run), options, note)?;
    Ok((verification, survey.found(&all)))
}

/// Compares a model that is run by a function, which also notes something of the inputs; `note` is
/// given that.
fn verify_run<N: Send>(
    graph: &Graph,
    roots: &[SOpId],
    (model, run): (
        &Model,
        &(impl Fn(&[Vec<Value>]) -> Fallible<(Outputs, N)> + Sync),
    ),
    options: &Options,
    note: &mut dyn FnMut(N),
) -> Fallible<Verification> {
    let max_length = options.max_length.min(model.max_length);
    let exhaustive_to_length =
        inputs::exhaustive_length(model.vocabulary.len(), max_length, options.exhaustive);
    let outputs = model.outputs.iter();
    let agreements =
        outputs.map(|output| Agreement::of(&output.readout.decoder, options.precision));
    let mut agreements: Vec<Agreement> = agreements.collect();
    let mut verification = Verification {
        checked: 0,
        rejected: 0,
        wrong: 0,
        exhaustive_to_length,
        max_length,
        tolerance: agreements.iter().find_map(|agreement| match agreement {
            Agreement::Within { share, .. } => Some(*share),
            Agreement::Equal(_) => None,
        }),
        least: 1.0,
        first_wrong: None,
    };
    let all = (1..=exhaustive_to_length).flat_map(|length| inputs::all(&model.vocabulary, length));
    let mut random = Random::new(options.seed);
    let samples = if exhaustive_to_length == max_length {
        0
    } else {
        options.samples
    };
    let sampled = (0..samples).map(|_| {
        inputs::sample(
            &mut random,
            &model.vocabulary,
            exhaustive_to_length,
            max_length,
        )
    });
    let mut tried = all.chain(sampled);
    let mut next = || -> Vec<Vec<Value>> { tried.by_ref().take(TOGETHER * AT_ONCE).collect() };
    let mut inputs = next();
    if verification.tolerance.is_some() {
        scale((graph, roots), &mut agreements, &inputs);
        let least = agreements.iter().map(|agreement| agreement.least());
        verification.least = least.fold(1.0, f64::min);
    }
    while !inputs.is_empty() {
        let parts: Vec<&[Vec<Value>]> = inputs.chunks(TOGETHER).collect();
        let compare = |_: &mut (), at: usize| {
            let mut found = Found::default();
            let noted = found.compare((graph, roots), &agreements, parts[at], run)?;
            Ok((found, noted))
        };
        let compared = || parallel::map((parts.len(), 1), || (), compare);
        let (compared, others) = parallel::both(compared, &mut next);
        for (found, noted) in compared.into_iter().collect::<Fallible<Vec<_>>>()? {
            verification.checked += found.checked;
            verification.rejected += found.rejected;
            verification.wrong += found.wrong;
            verification.first_wrong = verification.first_wrong.or(found.first_wrong);
            note(noted);
        }
        inputs = others;
    }
    Ok(verification)
}

/// What comparing some inputs found.
#[derive(Default)]
struct Found {
    checked: usize,
    rejected: usize,
    wrong: usize,
    first_wrong: Option<WrongOutput>,
}

impl Found {
    /// Compares some inputs; what `run` says about them.
    fn compare<N>(
        &mut self,
        (graph, roots): (&Graph, &[SOpId]),
        agreements: &[Agreement],
        inputs: &[Vec<Value>],
        run: &impl Fn(&[Vec<Value>]) -> Fallible<(Outputs, N)>,
    ) -> Fallible<N> {
        let expected = interpret::evaluate_many(graph, roots, inputs);
        let expected = expected.map_err(|failed| failed.in_graph(graph))?;
        // Where one of several fails the others still have values.
        let pairs = inputs.iter().zip(expected);
        let (accepted, rejected): (Vec<_>, Vec<_>) =
            pairs.partition(|(_, values)| values.iter().any(Result::is_ok));
        self.rejected = rejected.len();
        self.checked = accepted.len();
        let (outputs, noted) = match rejected.is_empty() {
            true => run(inputs)?,
            false => {
                let accepted = accepted.iter().map(|(input, _)| (*input).clone());
                run(&accepted.collect::<Vec<_>>())?
            }
        };
        for ((input, expected), got) in accepted.into_iter().zip(outputs) {
            let outputs = expected.into_iter().zip(got).zip(agreements).enumerate();
            let mut wrong = outputs.filter_map(|(output, ((expected, got), agreement))| {
                let expected = expected.ok()?;
                (!agreement.holds(&expected, &got)).then_some((output, expected, got))
            });
            if let Some((output, expected, got)) = wrong.next() {
                self.wrong += 1;
                self.first_wrong.get_or_insert_with(|| WrongOutput {
                    output,
                    input: input.clone(),
                    expected,
                    got,
                });
            }
        }
        Ok(noted)
    }
}

/// When an output is what is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Agreement {
    /// Values are equal, but for the rounding of numbers up to this; see
    /// [`Value::equals_but_for_rounding`].
    Equal(f64),
    /// Real numbers differ by no more than this share of the largest of an input, or of a number.
    Within { share: f64, least: f64 },
}

impl Agreement {
    /// What can be asked of an output in these floats.
    pub fn of(decoder: &Decoder, precision: Precision) -> Agreement {
        match decoder {
            Decoder::Numerical(values) if values.is_empty() => Agreement::Within {
                share: match precision {
                    Precision::F32 => TOLERANCE_F32,
                    Precision::F64 => TOLERANCE_F64,
                },
                least: 1.0,
            },
            Decoder::Categorical(values) | Decoder::Numerical(values) => {
                Agreement::Equal(Value::largest(values))
            }
        }
    }

    /// What a share of it is allowed of at least.
    fn least(self) -> f64 {
        match self {
            Agreement::Within { least, .. } => least,
            Agreement::Equal(_) => 1.0,
        }
    }

    /// Whether this was to be expected.
    pub fn holds(self, expected: &[Value], got: &[Value]) -> bool {
        match self {
            Agreement::Within { share, least } => are_close(expected, got, (share, least)),
            Agreement::Equal(largest) => {
                let mut pairs = expected.iter().zip(got);
                expected.len() == got.len()
                    && pairs.all(|(a, b)| a.equals_but_for_rounding(b, largest))
            }
        }
    }
}

/// Real numbers that are all small may be off by a share of the largest of them: for as many inputs as it takes to
/// tell how large they are.
fn scale((graph, roots): (&Graph, &[SOpId]), agreements: &mut [Agreement], inputs: &[Vec<Value>]) {
    let step = inputs.len().div_ceil(SCALED).max(1);
    let some: Vec<Vec<Value>> = inputs.iter().step_by(step).cloned().collect();
    // What fails says so where all are compared.
    let Ok(expected) = interpret::evaluate_many(graph, roots, &some) else {
        return;
    };
    for (output, agreement) in agreements.iter_mut().enumerate() {
        let values = expected
            .iter()
            .filter_map(|outputs| outputs.get(output)?.as_ref().ok());
        let largest = values
            .map(|values| Value::largest(values))
            .fold(0.0, f64::max);
        if let Agreement::Within { least, .. } = agreement
            && largest > 0.0
        {
            *least = least.min(largest);
        }
    }
}

fn are_close(expected: &[Value], got: &[Value], (share, least): (f64, f64)) -> bool {
    let floats = |values: &[Value]| {
        values
            .iter()
            .map(Value::as_float)
            .collect::<Option<Vec<f64>>>()
    };
    let (Some(expected), Some(got)) = (floats(expected), floats(got)) else {
        return false;
    };
    let largest = expected
        .iter()
        .fold(least, |largest, number| largest.max(number.abs()));
    let close = |(expected, got): (&f64, &f64)| (expected - got).abs() <= share * largest;
    expected.len() == got.len() && expected.iter().zip(&got).all(close)
}

/// The check inside `compile`: about a fifth of a second, always the same inputs, in float32 unless float64 is
/// what the model is for.
///
/// # Errors
/// The model is wrong on an input.
pub fn guard(graph: &Graph, roots: &[SOpId], model: &Model, host: Host) -> Fallible<()> {
    let precision = match host.dtype {
        Some(Dtype::Float64) => Precision::F64,
        Some(Dtype::Float32 | Dtype::Bfloat16) | None => Precision::F32,
    };
    let work = (model.max_length * model.max_length * 50 + model.nonzero()).max(1);
    let samples = (4_000_000 / work).clamp(8, 200);
    let options = Options {
        max_length: model.max_length,
        exhaustive: 2 * samples,
        samples,
        seed: 1,
        precision,
    };
    let verification = verify_all(graph, roots, model, &options)?;
    let Some(wrong) = verification.first_wrong else {
        return Ok(());
    };
    let show = |values: &[Value]| {
        let shown: Vec<String> = values.iter().map(Value::source).collect();
        format!("[{}]", shown.join(", "))
    };
    let message = format!(
        "the compiled model would not be exact in {}",
        precision.dtype().name()
    );
    let note = format!(
        "on {} it gives {} instead of {}",
        show(&wrong.input),
        show(&wrong.got),
        show(&wrong.expected)
    );
    Err(Diagnostic::error(Code::NotExact, message)
        .at(graph.span(roots[0]), "compiled from this")
        .note(note)
        .into())
}
