//! The plans of a looped model's parts, as the model keeps them: they are stitched together again, the
//! weights compared bit for bit, and the certificate is derived anew.

use super::stitch::{Stitched, stitch};
use crate::base::{Code, Diagnostic, Fallible};
use crate::certify::{PlanPart, Rounds};
use crate::compile::{Proof, prove_by};
use crate::model::{self, Decoder, HostOrder, Model};
use crate::plan::{Plan, Written};
use crate::value::Value;
use serde::{Deserialize, Serialize};

/// What a looped model is lowered from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopedPlan {
    /// What comes before the rounds, a round, and what comes after them.
    pub(super) looped: [Plan; 3],
    /// What the parts are given.
    pub(super) given: Vec<Given>,
    /// How many of these go from round to round; the others are computed once.
    pub(super) carried: usize,
    /// How many rounds there are.
    pub(super) times: usize,
}

/// An s-op that goes from part to part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    pub name: String,
    /// Its values but the first, which have a direction each.
    pub values: Vec<String>,
}

/// Directions that go from part to part, at most.
const MOST_GIVEN: usize = 1 << 16;

impl Given {
    pub fn new(name: String, values: &[Value]) -> Given {
        let others = values.iter().skip(1);
        Given {
            name,
            values: others.map(Value::source).collect(),
        }
    }
}

impl LoopedPlan {
    /// Where the directions of each s-op begin among those that go from part to part, and where they end.
    pub(super) fn starts(&self) -> Vec<usize> {
        let ends = self.given.iter().scan(0, |end, given| {
            *end += given.values.len();
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    }

    /// The model, with this plan and what is proved of it; `values` are those of what is carried.
    pub(super) fn proved(
        &self,
        name: String,
        values: &[Vec<Value>],
        order: HostOrder,
    ) -> Result<Model, String> {
        let stitched = stitch(self, values);
        let mut model = stitched.model.clone();
        model.name = name;
        model.check()?;
        let stored = LoopedPlan {
            looped: self.looped.each_ref().map(Plan::stored),
            ..self.clone()
        };
        model.plan = serde_json::to_string(&stored).ok();
        let Proof {
            exact, any_order, ..
        } = self.prove(&stitched, order);
        (model.certified, model.any_order) = (exact, any_order);
        Ok(model)
    }

    fn prove(&self, stitched: &Stitched, asked: HostOrder) -> Proof {
        let Stitched {
            model,
            maps,
            closings,
        } = stitched;
        let part = |at: usize| PlanPart::new(&self.looped[at], &maps[at], closings[at].clone());
        let body = model.loops.first().map(|body| body.layers.clone());
        let body = body.unwrap_or_default();
        let rounds = Rounds {
            parts: [part(0), part(1), part(2)],
            starts: self.starts(),
            layers: [0, body.start, body.end],
            times: self.times,
        };
        let are_alike = |one, other| rounds.are_alike(one, other);
        prove_by(|order| rounds.certify(order), are_alike, model, asked)
    }

    fn restore(text: &str, model: &Model) -> Result<(LoopedPlan, Vec<Vec<Value>>), String> {
        let mut plan: LoopedPlan = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let bits = |plan: &mut Plan, _: &Model| {
            let bits = Decoder::Numerical(vec![Value::Int(0), Value::Int(1)]);
            for output in &mut plan.outputs {
                output.decoder = bits.clone();
            }
            let one = plan.outputs.iter().all(|output| output.scores.len() == 1);
            one.then_some(())
                .ok_or("what is handed on has one score each".to_string())
        };
        let [before, round, after] = plan.looped;
        plan.looped = [
            before.restored(model, bits)?,
            round.restored(model, bits)?,
            after.restored(model, Plan::restore_outputs)?,
        ];
        plan.check()?;
        let known = model.variables.iter().zip(&plan.given[..plan.carried]);
        let values = known.map(|(variable, given)| match &variable.readout.decoder {
            Decoder::Categorical(values) if values.len() == given.values.len() + 1 => {
                Ok(values.clone())
            }
            Decoder::Categorical(_) | Decoder::Numerical(_) => {
                Err(format!("{}: other values than in the plan", given.name))
            }
        });
        let values: Vec<Vec<Value>> = values.collect::<Result<_, String>>()?;
        match values.len() == plan.carried {
            true => Ok((plan, values)),
            false => Err("other variables than in the plan".to_string()),
        }
    }

    /// # Errors
    /// Parts that do not fit each other, in words.
    fn check(&self) -> Result<(), String> {
        let starts = self.starts();
        let all = starts.last().copied().unwrap_or(0);
        let Some(carried) = starts.get(self.carried).copied() else {
            return Err("more is carried than there is".to_string());
        };
        if all > MOST_GIVEN {
            return Err("it is too large".to_string());
        }
        let [before, round, _] = &self.looped;
        if (before.outputs.len(), round.outputs.len()) != (all, carried) {
            return Err("parts that do not hand on what the next one is given".to_string());
        }
        for (at, part) in self.looped.iter().enumerate() {
            if !part.bos {
                return Err("a looped model has a BOS token".to_string());
            }
            if !part.shared.is_empty() {
                return Err("a direction of a part is that of two variables".to_string());
            }
            for variable in &part.variables {
                if let Written::Given(sop, value) = variable.written {
                    let given = self.given.get(sop as usize);
                    let known = given.is_some_and(|given| (value as usize) < given.values.len());
                    if at == 0 || !known || variable.bos != 0.0 {
                        return Err(format!("{}: nobody gives it", variable.label));
                    }
                }
            }
        }
        Ok(())
    }
}

/// What is proved of a looped model with plans, whose weights are exactly what these give; `None` of any
/// other.
///
/// # Errors
/// Plans that do not hold together (E0701), or weights that are not what they give (E0604).
pub fn proved_plan(model: &Model, asked: HostOrder) -> Fallible<Option<Proof>> {
    let Some(text) = model.plan.as_ref().filter(|_| !model.loops.is_empty()) else {
        return Ok(None);
    };
    let (plan, values) = LoopedPlan::restore(text, model).map_err(|problem| {
        let message = format!("the plan of this model does not hold together: {problem}");
        Box::new(Diagnostic::error(Code::BadModel, message))
    })?;
    let stitched = stitch(&plan, &values);
    if let Some(difference) = model::difference(&stitched.model, model) {
        let message = "the weights of this model are not what its plan gives";
        let error = Diagnostic::error(Code::NotExact, message);
        return Err(error.note(difference).into());
    }
    Ok(Some(plan.prove(&stitched, asked)))
}
