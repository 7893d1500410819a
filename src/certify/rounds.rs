//! The certificate of a looped model. What goes from part to part is 0 or 1, or off by very little where
//! the sums behind it are rounded: a round is certified with what it is given off by the most that
//! anything hands on, so that it holds for every round. Depends on the certificates of plans.

use super::bound::{Bounds, Floats, fits};
use super::facts::Facts;
use super::{Certificate, certify_in};
use crate::model::HostOrder;
use crate::plan::{Linear, Plan, ReadOut, Written};

/// A plan that is a part of a model.
pub struct Part<'p> {
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
    pub parts: [Part<'p>; 3],
    /// Where what the parts are given begins, for each s-op, among all of it.
    pub starts: Vec<usize>,
    /// How many layers come before each part.
    pub layers: [usize; 3],
}

/// How often what rounds hand on may turn out to be off by more.
const MOST: usize = 8;

impl<'p> Part<'p> {
    /// A part whose variables stand in these directions of the model.
    pub fn new(plan: &'p Plan, directions: &[usize], closings: Vec<Closing>) -> Part<'p> {
        let mut facts = Facts::new(plan);
        for direction in &mut facts.directions {
            *direction = directions[*direction];
        }
        Part {
            plan,
            facts,
            closings,
        }
    }

    /// The certificate, and how far what is handed on may be off, where what is given is off by this.
    fn certify(
        &self,
        (order, floats): (HostOrder, Floats),
        given: impl Fn(u32, u32) -> f64,
        old: &[f64],
    ) -> (Certificate, Vec<f64>) {
        let (mut certificate, bounds) = certify_in(self.plan, &self.facts, (order, floats), given);
        let outputs = self.plan.outputs.iter().zip(&self.closings);
        let mut errors = Vec::with_capacity(self.closings.len());
        for (at, (output, closing)) in outputs.enumerate() {
            let is_off = old.get(at).is_some_and(|error| *error > 0.0);
            let error = bounds.handed_on(output, *closing, is_off);
            if error >= NEAR {
                let open = format!("{}: the next round may not see what it is", output.name);
                certificate.open.push(open);
            }
            errors.push(error);
        }
        (certificate, errors)
    }
}

/// What is given is never further from 0 or 1 than this.
const NEAR: f64 = 1e-3;

impl Rounds<'_> {
    /// The certificates in float32 and in float64, for hosts that divide in this order.
    pub fn certify(&self, order: HostOrder) -> [Certificate; 2] {
        [Floats::F32, Floats::F64].map(|floats| self.certify_in((order, floats)))
    }

    /// As [`super::Certifier::is_as_scores`].
    pub fn is_as_scores(&self, order: HostOrder) -> bool {
        self.parts.iter().all(|part| part.facts.is_as_scores(order))
    }

    fn certify_in(&self, host: (HostOrder, Floats)) -> Certificate {
        let [before, round, after] = &self.parts;
        let at = |errors: &[f64], sop: u32, value: u32| {
            let place = self
                .starts
                .get(sop as usize)
                .map(|start| start + value as usize);
            place.and_then(|place| errors.get(place).copied())
        };
        let (mut certificate, mut errors) = before.certify(host, |_, _| f64::INFINITY, &[]);
        let mut tries = 0;
        let of_round = loop {
            let given = |sop, value| at(&errors, sop, value).unwrap_or(f64::INFINITY);
            let (mut of_round, next) = round.certify(host, given, &errors);
            let mut grown = false;
            for (error, next) in errors.iter_mut().zip(next) {
                grown |= next > *error;
                *error = error.max(next);
            }
            tries += 1;
            if !grown {
                break of_round;
            }
            if tries == MOST {
                let open = "what a round hands on is off by more than what it is given";
                of_round.open.push(open.to_string());
                break of_round;
            }
        };
        let given = |sop, value| at(&errors, sop, value).unwrap_or(f64::INFINITY);
        let (of_after, _) = after.certify(host, given, &[]);
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
        certificate
    }
}

impl Bounds<'_> {
    /// How far what an output of 0 or 1 becomes may be from it at tokens, and whether what stood there was
    /// off. At BOS it is 0.
    fn handed_on(&self, output: &ReadOut, closing: Closing, is_off: bool) -> f64 {
        let Some(score) = output.scores.first() else {
            return f64::INFINITY;
        };
        let unit = self.floats.unit;
        let size = self.size(score);
        // What is handed on, what stood there, and what is taken away are added up in some order.
        let rounding = 8.0 * unit * (score.terms.len() + 4) as f64 * (2.0 * size + 4.0);
        if !(size < 2f64.powi(20)) {
            return f64::INFINITY;
        }
        let of_old = if is_off { rounding } else { 0.0 };
        match closing {
            Closing::Handed => {
                let read = self.read(score);
                let is_exact = read.error == 0.0
                    && read
                        .grain
                        .is_some_and(|grain| fits(size + 4.0, grain, self.floats));
                match is_exact {
                    true => of_old,
                    false => read.error + rounding,
                }
            }
            Closing::Step => {
                let reads = [-0.5, -1.5].map(|offset| {
                    let mut argument = score.scaled(2.0);
                    argument.constant += offset;
                    self.read(&argument)
                });
                if reads.iter().all(|read| read.error == 0.0) {
                    return of_old;
                }
                match reads.iter().all(|read| read.error < 0.5) {
                    true => rounding,
                    false => f64::INFINITY,
                }
            }
        }
    }

    /// How large what a read adds up is together at most, down to single hidden units.
    fn size(&self, score: &Linear) -> f64 {
        let of = |(variable, factor): (&crate::plan::VariableId, &f64)| {
            let bound = self.of(*variable);
            let mut size = bound.largest + bound.error;
            if self.plan.variable(*variable).written == Written::FeedForward {
                let operations = self.plan.feed_forwards.iter();
                for operation in operations.filter(|operation| operation.into == *variable) {
                    let at_most = |unit: &crate::plan::Unit| {
                        let reached = operation.points.iter();
                        let reached =
                            reached.map(|z| (unit.slope * z + unit.offset).max(0.0) + 1.0);
                        unit.weight.abs() * reached.fold(1.0, f64::max)
                    };
                    size += operation.units.iter().map(at_most).sum::<f64>();
                }
            }
            factor.abs() * size
        };
        score.constant.abs() + score.terms.iter().map(of).sum::<f64>()
    }
}
