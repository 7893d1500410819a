//! The certificate: a sound bound, from the plan alone, on how far every variable of a model may be
//! from what it stands for, in float32 and float64, for every input up to the longest; and whether
//! the readout decodes exactly. It holds for weights that are what the plan lowers to, on hosts that
//! divide by √d_head in one of three places. Depends on `plan`, and on `model` for the names of these.

mod added;
mod addends;
mod at_bos;
mod bos;
mod bound;
mod cases;
mod facts;
mod first;
mod head;
mod hidden;
pub mod host;
mod host_sum;
mod others;
mod paired;
mod points;
mod print;
mod products;
mod readout;
mod rounds;
mod sensitivity;
mod sided;
mod sizes;
mod sums;

use crate::base::parallel;
use crate::model::{Dtype, HostOrder};
use crate::plan::{Attend, FeedForward, Plan, UNIFORM_ROW, Variable, VariableId, Written, apart};
use bound::{Bound, Bounds};
use facts::Facts;
use head::Logit;
use host::{Adding, Arithmetic, Floats};
use others::Parts;
pub use rounds::{Closing, PlanPart, Rounds};
use serde::{Deserialize, Serialize};
use sided::OneSided;
use std::collections::BTreeMap;

/// What is proved of a model in one precision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Bits of the floats' significand: 24 or 53.
    pub bits: i32,
    /// What the host divides by √d_head.
    pub order: HostOrder,
    /// Whether what is said holds in whatever order hosts add up, and not just where they add as `execute` does.
    pub any_order: bool,
    pub heads: Vec<HeadBound>,
    pub variables: Vec<VariableBound>,
    pub outputs: Vec<OutputBound>,
    /// What the residual stream, queries, keys, values and hidden units hold at most, where that is
    /// bounded.
    pub largest_activation: Option<f64>,
    /// What could not be proved, in words; empty if every output decodes exactly.
    pub open: Vec<String>,
}

/// The pattern of one head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadBound {
    pub layer: usize,
    pub selector: String,
    /// How far below selected keys others stand at least, in nats.
    pub gap: f64,
    /// The share of attention that others get at most, of what one selected key gets.
    pub leak: f64,
    /// Half of how far the levels of selected keys may be from each other, BOS among them where it counts, in nats.
    pub level_error: f64,
    /// How far the share of a selected key may be from one over their number, but for what leaks; `None` where
    /// keys have weights, or there is one only. Where BOS stands for the keys of other parts, how far the
    /// shares of tokens may be from each other.
    pub row_error: Option<f64>,
}

/// One residual variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariableBound {
    pub variable: String,
    pub largest: f64,
    /// How far it may be from what it stands for; 0 if it is exact.
    pub error: f64,
    /// Half the least distance of two of its values at tokens: what errors below it do not confuse.
    /// `None` where there are no two, or it is a real number.
    pub margin: Option<f64>,
}

/// One output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputBound {
    pub output: String,
    /// The error as a share of the margin, half the way to another value, or of the tolerance.
    pub error: f64,
    /// How far a real number may be from the interpreter's; `None` where values are exact.
    pub tolerance: Option<f64>,
    /// Whether the output is right for every input: exactly, or within the tolerance.
    pub proved: bool,
}

/// How far a real number in float32 may be from the interpreter's, as a share of the largest value
/// expected for that input, or of the largest for any input, or 1 if that is less.
pub const TOLERANCE_F32: f64 = 1e-4;

/// The same in float64.
pub const TOLERANCE_F64: f64 = 1e-9;

impl Certificate {
    /// The floats that it is about.
    pub fn dtype(&self) -> Dtype {
        match self.bits {
            24 => Dtype::Float32,
            _ => Dtype::Float64,
        }
    }

    /// Whether every output is proved to decode exactly.
    pub fn holds(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether the rows of all heads that are to be uniform are.
    pub fn is_even(&self) -> bool {
        let errors = self.heads.iter().filter_map(|head| head.row_error);
        errors.fold(0.0, f64::max) <= UNIFORM_ROW
    }
}

/// The certificates of a plan whose operations have layers, in float32 and in float64, for hosts that
/// divide in this order.
pub fn certify(plan: &Plan, order: HostOrder) -> [Certificate; 2] {
    Certifier::new(plan).certify(order)
}

/// A plan with what its certificates have in common.
pub struct Certifier<'p> {
    plan: &'p Plan,
    facts: Facts,
}

impl<'p> Certifier<'p> {
    pub fn new(plan: &'p Plan) -> Certifier<'p> {
        let facts = Facts::new(plan);
        Certifier { plan, facts }
    }

    /// As [`certify`].
    pub fn certify(&self, order: HostOrder) -> [Certificate; 2] {
        let certify = |floats| {
            in_any_order(order, floats, |host| {
                let given = |_, _| f64::INFINITY;
                let (certificate, _) = certify_in(self.plan, &self.facts, host, given);
                certificate
            })
        };
        parallel::both(|| certify(Floats::F32), || certify(Floats::F64)).into()
    }

    /// Whether what divides is rounded in the same heads where hosts divide in either order, so that the
    /// certificates are the same.
    pub fn are_alike(&self, one: HostOrder, other: HostOrder) -> bool {
        self.facts.are_alike(one, other)
    }
}

/// The certificate for hosts that add in any order, or where that does not hold, for those that add in turn.
fn in_any_order(
    order: HostOrder,
    floats: Floats,
    certify: impl Fn(Arithmetic) -> Certificate,
) -> Certificate {
    let adding = |adding| {
        certify(Arithmetic {
            order,
            floats,
            adding,
        })
    };
    let any_order = adding(Adding::AnyOrder);
    match any_order.holds() && any_order.is_even() {
        true => any_order,
        false => adding(Adding::InTurn),
    }
}

/// The certificate, and what is known behind the last layer, where `given` is how far what the plan is
/// given may be off, by the number of the s-op and of its value.
fn certify_in<'p>(
    plan: &'p Plan,
    facts: &'p Facts,
    host: Arithmetic,
    given: impl Fn(u32, u32) -> f64,
) -> (Certificate, Bounds<'p>) {
    let Arithmetic {
        order,
        floats,
        adding,
    } = host;
    let mut certificate = Certificate {
        bits: floats.bits,
        order,
        any_order: adding == Adding::AnyOrder,
        heads: Vec::new(),
        variables: Vec::new(),
        outputs: Vec::new(),
        largest_activation: None,
        open: Vec::new(),
    };
    let mut bounds = Bounds {
        plan,
        floats,
        order,
        adding,
        known: embedded(plan, floats, given),
        facts,
    };
    certificate.open.extend(listed(plan));
    for layer in 1..=plan.layers() {
        attention(&mut bounds, layer, &mut certificate);
        // What is not proved in any order is asked again in turn: there it is said why.
        if adding == Adding::AnyOrder && !certificate.open.is_empty() {
            return (certificate, bounds);
        }
        feed_forward(&mut bounds, layer);
    }
    for (variable, known) in plan.variables.iter().zip(&bounds.known) {
        if let Some(bound) = known {
            certificate.variables.push(VariableBound {
                variable: variable.label.clone(),
                largest: bound.largest,
                error: bound.error,
                margin: margin(&apart(&variable.values)),
            });
            // Where a head is not bounded that is said already.
            if !(bound.error + bound.largest).is_finite() && certificate.open.is_empty() {
                certificate
                    .open
                    .push(format!("{}: it is not bounded", variable.label));
            }
        }
    }
    certificate.largest_activation = bounds.largest_activation();
    for output in &plan.outputs {
        let bound = bounds.output(output);
        if !bound.proved {
            let of = match bound.tolerance {
                Some(_) => "the tolerance",
                None => "the margin",
            };
            let name = &bound.output;
            let open = match bound.error.is_finite() {
                true => format!("{name}: its error is {:.2} of {of}", bound.error),
                false => format!("{name}: its error has no bound"),
            };
            certificate.open.push(open);
        }
        certificate.outputs.push(bound);
    }
    (certificate, bounds)
}

/// Half the least distance of two of some numbers, ascending.
fn margin(values: &[f64]) -> Option<f64> {
    let distances = values.windows(2).map(|pair| pair[1] - pair[0]);
    distances.reduce(f64::min).map(|least| least / 2.0)
}

/// What has a list of values, though it is made of real numbers.
fn listed(plan: &Plan) -> impl Iterator<Item = String> + '_ {
    let attends = plan.attends.iter().map(|op| (op.into, &op.value));
    let forwards = plan.feed_forwards.iter().map(|op| (op.into, &op.argument));
    let writes = attends.chain(forwards);
    let listed = writes.filter(|(into, read)| plan.reads_real(read) && !plan.is_real(*into));
    listed.map(|(into, _)| format!("{}: a list of real numbers", plan.variable(into).label))
}

fn embedded(plan: &Plan, floats: Floats, given: impl Fn(u32, u32) -> f64) -> Vec<Option<Bound>> {
    let bound = |variable: &Variable| match &variable.written {
        Written::Embed { tokens, indices } => {
            let numbers = tokens.iter().chain(indices).copied();
            let numbers = numbers.chain([variable.bos]);
            let bound = Bound {
                one_sided: one_sided(tokens, indices, floats),
                ..Bound::stored(numbers, floats)
            };
            // What is one number at all tokens is near it.
            Some(match (tokens.first(), indices.is_empty()) {
                (Some(first), true) if tokens.iter().all(|number| number == first) => Bound {
                    centre: *first,
                    radius: 0.0,
                    ..bound
                },
                _ => bound,
            })
        }
        Written::Flag => Some(Bound {
            radius: 0.0,
            ..Bound::exact(1.0, Some(0))
        }),
        Written::One => Some(Bound {
            centre: 1.0,
            radius: 0.0,
            ..Bound::exact(1.0, Some(0))
        }),
        Written::Given(sop, value) => Some(match given(*sop, *value) {
            0.0 => Bound::exact(1.0, Some(0)),
            error => Bound::inexact(1.0, error),
        }),
        Written::Attend | Written::FeedForward => None,
    };
    let variables = plan.variables.iter();
    variables.map(bound).collect()
}

/// A function of the token or of the index alone, where it is on one side of 0.
fn one_sided(tokens: &[f64], indices: &[f64], floats: Floats) -> Option<OneSided> {
    let is_zero = |numbers: &[f64]| numbers.iter().all(|number| *number == 0.0);
    let numbers = match (is_zero(tokens), is_zero(indices)) {
        (true, false) => indices,
        (false, true) => tokens,
        (true, true) | (false, false) => return None,
    };
    let stored = |number: &f64| match floats.holds(*number) {
        true => (*number, 0.0),
        false => (*number, number.abs() * floats.unit),
    };
    let numbers: Vec<(f64, f64)> = numbers.iter().map(stored).collect();
    OneSided::of(&numbers)
}

fn attention(bounds: &mut Bounds, layer: usize, certificate: &mut Certificate) {
    let plan = bounds.plan;
    let mut patterns: Vec<usize> = Vec::new();
    let mut writes: Vec<(VariableId, Vec<(Bound, usize)>)> = Vec::new();
    let mut logits: BTreeMap<usize, Logit> = BTreeMap::new();
    let mut parts = Parts::new();
    let in_layer = |(_, attend): &(usize, &Attend)| attend.layer == layer;
    for (at, attend) in plan.attends.iter().enumerate().filter(in_layer) {
        let logit = logits
            .entry(attend.pattern)
            .or_insert_with(|| bounds.logit(bounds.facts.head(attend)));
        let checked = bounds.facts.check(at);
        let checked = checked.and_then(|()| bounds.fault_of_exponents(attend).map_or(Ok(()), Err));
        let head = match checked.and_then(|()| bounds.head(attend, logit)) {
            Ok(head) => head,
            Err(problem) => {
                certificate.open.push(problem);
                continue;
            }
        };
        let written = bounds.attended(at, attend, &head);
        let written = bounds.less_than_parts((at, attend), &head, written, &mut parts);
        match writes.iter_mut().find(|(into, _)| *into == attend.into) {
            Some((_, sums)) => sums.push((written, 1)),
            None => writes.push((attend.into, vec![(written, 1)])),
        }
        if !patterns.contains(&attend.pattern) {
            patterns.push(attend.pattern);
            certificate.open.extend(bounds.uneven(attend, logit));
            certificate.heads.push(head);
        }
    }
    for (into, mut sums) in writes {
        sums.extend(bounds.there(into).map(|there| (there, 1)));
        let sum = bounds.added(sums, f64::INFINITY);
        bounds.known[into.0 as usize] = sum.map(|sum| bounds.rounded(into, sum));
    }
    // What could not be bounded is bounded by nothing.
    for attend in plan.attends.iter().filter(|attend| attend.layer == layer) {
        let known = &mut bounds.known[attend.into.0 as usize];
        known.get_or_insert_with(|| Bound::inexact(f64::INFINITY, f64::INFINITY));
    }
}

fn feed_forward(bounds: &mut Bounds, layer: usize) {
    let plan = bounds.plan;
    let in_layer = |(_, op): &(usize, &FeedForward)| op.layer == layer;
    let mut writes: BTreeMap<VariableId, Vec<(Bound, usize)>> = BTreeMap::new();
    for (at, forward) in plan.feed_forwards.iter().enumerate().filter(in_layer) {
        let bound = bounds.computed(at, forward);
        let sums = writes.entry(forward.into).or_default();
        sums.push((bound, forward.units.len()));
    }
    for (into, sums) in writes {
        let there = bounds.there(into);
        let most = match there {
            None => bounds.most_of(into, sums.iter().map(|(bound, _)| bound)),
            Some(_) => f64::INFINITY,
        };
        let all = there.map(|there| (there, 0)).into_iter().chain(sums);
        bounds.known[into.0 as usize] = bounds.added(all.collect(), most);
    }
}
