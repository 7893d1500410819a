//! The certificate of a looped model. What goes from part to part is 0 or 1, or off by very little where
//! the sums behind it are rounded: each round is certified with what it is given off by the most that
//! anything before it hands on, up to one that hands on nothing worse. Depends on the certificates of plans.

use super::bound::Bounds;
use super::facts::Facts;
use super::host::{Adding, Arithmetic, Floats};
use super::{Certificate, certify_in, in_any_order};
use crate::model::HostOrder;
use crate::plan::{FeedForward, Plan, ReadOut, Source, Unit, VariableId};

/// A plan that is a part of a model.
pub struct PlanPart<'p> {
    plan: &'p Plan,
    facts: Facts,
    closings: Vec<Closing>,
}

/// How an output of a part comes to be what the next part is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// A step half way between 0 and 1: two hidden units.
    Step,
    /// The hidden units that it is made of write it, or the embeddings hold it.
    Handed,
}

/// What comes before the rounds of a loop, a round, and what comes after them.
pub struct Rounds<'p> {
    /// The parts.
    pub parts: [PlanPart<'p>; 3],
    /// Where what the parts are given begins, for each s-op, among all of it.
    pub starts: Vec<usize>,
    /// How many layers come before each part.
    pub layers: [usize; 3],
    /// How many rounds there are.
    pub times: usize,
}

/// Rounds that are looked at one by one, as long as each hands on what is off by more.
const MOST: usize = 1_000;

impl<'p> PlanPart<'p> {
    /// A part whose variables stand in these directions of the model.
    pub fn new(plan: &'p Plan, directions: &[usize], closings: Vec<Closing>) -> PlanPart<'p> {
        let (own, _) = plan.directions();
        let of_model = own.into_iter().map(|direction| directions[direction]);
        PlanPart {
            plan,
            facts: Facts::in_directions(plan, of_model.collect()),
            closings,
        }
    }

    /// The certificate, and how far what is handed on may be off, where what is given is off by this.
    fn certify(
        &self,
        host: Arithmetic,
        given: impl Fn(u32, u32) -> f64,
    ) -> (Certificate, Vec<f64>) {
        let (mut certificate, bounds) = certify_in(self.plan, &self.facts, host, given);
        if host.adding == Adding::AnyOrder && !certificate.holds() {
            return (certificate, vec![f64::INFINITY; self.closings.len()]);
        }
        let outputs = self.plan.outputs.iter().zip(&self.closings);
        let mut errors = Vec::with_capacity(self.closings.len());
        for (output, closing) in outputs {
            let error = bounds.handed_on(output, *closing);
            if error >= NEAR {
                let open = format!("{}: the next round may not see what it is", output.name);
                certificate.open.push(open);
            }
            errors.push(error);
        }
        (certificate, errors)
    }
}

/// What is summed up for an output is no larger than this.
const LARGEST: f64 = 1e6;

/// What is given is never further from 0 or 1 than this.
const NEAR: f64 = 1.0 / 16.0;

impl Rounds<'_> {
    /// The certificates in float32 and in float64, for hosts that divide in this order.
    pub fn certify(&self, order: HostOrder) -> [Certificate; 2] {
        let in_floats = |floats| in_any_order(order, floats, |host| self.certify_in(host));
        [Floats::F32, Floats::F64].map(in_floats)
    }

    /// As [`super::Certifier::are_alike`].
    pub fn are_alike(&self, one: HostOrder, other: HostOrder) -> bool {
        let mut parts = self.parts.iter();
        parts.all(|part| part.facts.are_alike(one, other))
    }

    fn certify_in(&self, host: Arithmetic) -> Certificate {
        let [before, round, after] = &self.parts;
        let at = |errors: &[f64], sop: u32, value: u32| {
            let place = self
                .starts
                .get(sop as usize)
                .map(|start| start + value as usize);
            place.and_then(|place| errors.get(place).copied())
        };
        let (mut certificate, mut errors) = before.certify(host, |_, _| f64::INFINITY);
        let mut tries = 0;
        let of_round = loop {
            let given = |sop, value| at(&errors, sop, value).unwrap_or(f64::INFINITY);
            let (mut of_round, next) = round.certify(host, given);
            let mut grown = false;
            for (error, next) in errors.iter_mut().zip(next) {
                grown |= next > *error;
                *error = error.max(next);
            }
            tries += 1;
            if !grown || tries == self.times {
                break of_round;
            }
            if tries == MOST {
                let open = "what a round hands on is off by more than what it is given";
                of_round.open.push(open.to_string());
                break of_round;
            }
        };
        let given = |sop, value| at(&errors, sop, value).unwrap_or(f64::INFINITY);
        let (of_after, _) = after.certify(host, given);
        let [_, to_round, to_after] = self.layers;
        for (part, layers) in [(of_round, to_round), (of_after, to_after)] {
            let heads = part.heads.into_iter().map(|mut head| {
                head.layer += layers;
                head
            });
            certificate.heads.extend(heads);
            certificate.variables.extend(part.variables);
            certificate.outputs = part.outputs;
            certificate.open.extend(part.open);
        }
        // What keeps the directions of a round apart is in no part.
        certificate.largest_activation = None;
        certificate
    }
}

impl Bounds<'_> {
    /// How far what an output of 0 or 1 becomes may be from it at tokens. At BOS it is 0. What stood there
    /// before is taken away first, to the bit.
    fn handed_on(&self, output: &ReadOut, closing: Closing) -> f64 {
        let Some(score) = output.scores.first() else {
            return f64::INFINITY;
        };
        let unit = self.floats.unit;
        let terms = score.terms.iter();
        let sizes = terms.map(|(variable, factor)| {
            let bound = self.of(*variable);
            factor.abs() * (bound.largest + bound.error)
        });
        let size = score.constant.abs() + sizes.sum::<f64>();
        if size.is_nan() || size >= LARGEST {
            return f64::INFINITY;
        }
        let read = self.read(score);
        let rounding = (2 * score.terms.len() + 6) as f64 * unit * (2.0 * size + 2.0);
        match closing {
            Closing::Handed if read.error == 0.0 => 0.0,
            // What is handed on beside the units is added in the end.
            Closing::Handed => read.error + rounding,
            Closing::Step => {
                let offsets = [-0.5, -1.5];
                let reads = offsets.map(|offset| {
                    let mut argument = score.scaled(2.0);
                    argument.constant += offset;
                    self.read(&argument)
                });
                let step = FeedForward {
                    source: Source::default(),
                    argument: score.clone(),
                    points: [0.0, 1.0].into(),
                    units: offsets
                        .into_iter()
                        .zip([1.0, -1.0])
                        .map(|(offset, weight)| Unit {
                            slope: 2.0,
                            offset,
                            weight,
                        })
                        .collect(),
                    bank: 0,
                    into: VariableId(0),
                    layer: 0,
                };
                let argument = self.facts.host_sum(self.plan, score);
                let is_flat = reads.iter().all(|read| read.error < 0.5);
                let is_exact = reads.iter().all(|read| read.error == 0.0)
                    || self.is_exact_step(&step, &argument, &read);
                match (is_flat, is_exact) {
                    (true, true) => 0.0,
                    (true, false) => rounding,
                    (false, _) => f64::INFINITY,
                }
            }
        }
    }
}
