//! A plan as JSON, as a model keeps it. What heads of one layer share is written once; vocabulary,
//! names of outputs and decoders are the model's and come from there.

use super::{Attend, Plan, Term, Variable, Written};
use crate::model::{Host, Model};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Matrix entries and numbers of a plan that is lowered at all.
const LARGEST: usize = 1 << 25;

impl Plan {
    /// The plan as JSON, from which [`Plan::restore`] makes the same plan.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.stored()).expect("a plan has names and numbers only")
    }

    /// The plan as it is written.
    #[must_use]
    pub fn stored(&self) -> Plan {
        let mut stored = self.clone();
        let mut known: BTreeMap<(usize, usize), &[Term]> = BTreeMap::new();
        for (attend, stored) in self.attends.iter().zip(&mut stored.attends) {
            match known.get(&attend.head()) {
                Some(terms) if **terms == *attend.terms => stored.terms.clear(),
                Some(_) => {}
                None => drop(known.insert(attend.head(), &attend.terms)),
            }
        }
        stored
    }

    /// The plan of a model, from its JSON; it can be lowered and certified, whatever is in it.
    ///
    /// # Errors
    /// A plan that does not hold together, is of another model, or is too large.
    pub fn restore(json: &str, model: &Model) -> Result<Plan, String> {
        let plan: Plan = serde_json::from_str(json).map_err(|error| error.to_string())?;
        if plan.directions().1 != model.d_model {
            return Err("it is the plan of another model".to_string());
        }
        plan.restored(model, Plan::restore_outputs)
    }

    /// The hosts that a plan is for, from its JSON; `None` if it does not say so.
    pub fn host_of(json: &str) -> Option<Host> {
        #[derive(Deserialize)]
        struct OfHost {
            host: Host,
        }
        let read: OfHost = serde_json::from_str(json).ok()?;
        Some(read.host)
    }

    /// The plan of a model, or of a part of it, as it was written; what outputs are is found by a function.
    ///
    /// # Errors
    /// As [`Plan::restore`], and those of the function.
    pub(crate) fn restored(
        mut self,
        model: &Model,
        outputs: impl Fn(&mut Plan, &Model) -> Result<(), String>,
    ) -> Result<Plan, String> {
        let plan = &mut self;
        let setting = (plan.max_length, plan.causal, plan.bos);
        if setting != (model.max_length, model.causal, model.bos) {
            return Err("it is the plan of another model".to_string());
        }
        plan.vocabulary.clone_from(&model.vocabulary);
        plan.name.clone_from(&model.name);
        plan.share_terms()?;
        outputs(plan, model)?;
        plan.check_layers()?;
        plan.restore_views(model)?;
        plan.check()?;
        match plan.size() > LARGEST {
            true => Err("it is too large".to_string()),
            false => Ok(self),
        }
    }

    /// Gives heads of several operations their terms again.
    fn share_terms(&mut self) -> Result<(), String> {
        let mut known: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
        let mut size = 0usize;
        for at in 0..self.attends.len() {
            let attend = &self.attends[at];
            let (first, count) = *known
                .entry(attend.head())
                .or_insert_with(|| (at, attend.size()));
            size = size.saturating_add(count);
            if size > LARGEST {
                return Err("it is too large".to_string());
            }
            if self.attends[at].terms.is_empty() {
                self.attends[at].terms = self.attends[first].terms.clone();
            }
        }
        Ok(())
    }

    /// Takes what outputs are from the model.
    ///
    /// # Errors
    /// Another number of them.
    pub(crate) fn restore_outputs(&mut self, model: &Model) -> Result<(), String> {
        if self.outputs.len() != model.outputs.len() {
            let (ours, theirs) = (self.outputs.len(), model.outputs.len());
            return Err(format!("{ours} outputs where the model has {theirs}"));
        }
        for (output, stored) in self.outputs.iter_mut().zip(&model.outputs) {
            output.name.clone_from(&stored.name);
            output.decoder.clone_from(&stored.readout.decoder);
        }
        Ok(())
    }

    /// The model has its variables in order of readiness.
    fn restore_views(&mut self, model: &Model) -> Result<(), String> {
        // A part has none.
        if self.views.is_empty() && !model.loops.is_empty() {
            return Ok(());
        }
        if self.views.len() != model.variables.len() {
            let (ours, theirs) = (self.views.len(), model.variables.len());
            return Err(format!("{ours} variables where the model has {theirs}"));
        }
        let mut order: Vec<usize> = (0..self.views.len()).collect();
        let ready = self.readiness();
        order.sort_by_key(|at| self.views[*at].ready(&ready));
        for (at, stored) in order.into_iter().zip(&model.variables) {
            self.views[at].decoder.clone_from(&stored.readout.decoder);
        }
        Ok(())
    }

    /// The entries of all matrices that it is lowered to, some counted more than once.
    fn size(&self) -> usize {
        let dense =
            |variable: &&Variable| variable.rounding.is_some() || variable.written == Written::One;
        let dense = self.variables.iter().filter(dense).count();
        let variables = dense.saturating_mul(self.vocabulary.len());
        let forwards = self.feed_forwards.iter().map(|forward| {
            let each = forward.argument.terms.len() + 2;
            forward.units.len().saturating_mul(each)
        });
        forwards.fold(variables, usize::saturating_add)
    }
}

impl Attend {
    fn size(&self) -> usize {
        let sizes = self
            .products()
            .map(|p| p.query.terms.len() + p.key.terms.len() + p.queries.len() + p.keys.len());
        sizes.sum::<usize>() + self.terms.len()
    }
}

/// Truth values as a text of digits.
pub(super) mod digits {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::sync::Arc;

    pub fn serialize<S: Serializer>(holds: &Arc<[bool]>, serializer: S) -> Result<S::Ok, S::Error> {
        let digit = |holds: &bool| if *holds { '1' } else { '0' };
        serializer.serialize_str(&holds.iter().map(digit).collect::<String>())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<[bool]>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let holds = text.bytes().map(|digit| match digit {
            b'0' => Ok(false),
            b'1' => Ok(true),
            _ => Err(D::Error::custom("a relation that is not of digits")),
        });
        holds.collect()
    }
}
