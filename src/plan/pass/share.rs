//! Equal operations are one. Heads with equal logits have one pattern, so that in one layer they are
//! one head with several values; variables that equal operations write are one variable. Selectors
//! that mean the same have equal logits, as logits are made of truth tables.

use super::numbered;
use crate::plan::{Attend, Kind, Plan, VariableId, Written};
use std::collections::BTreeMap;

pub(super) fn share(plan: &mut Plan) {
    let variables = plan.variables.len();
    loop {
        patterns(plan);
        let places = equal_variables(plan);
        let own = (0..).map(|at| Some(VariableId(at)));
        if places.iter().copied().eq(own.take(places.len())) {
            break;
        }
        plan.rename(&places);
    }
    if plan.variables.len() < variables {
        plan.drop_what_is_not_read();
    }
}

fn patterns(plan: &mut Plan) {
    let numbers = numbered(&plan.attends, is_alike);
    for (attend, number) in plan.attends.iter_mut().zip(numbers) {
        attend.pattern = number;
    }
}

fn is_alike(one: &Attend, other: &Attend) -> bool {
    one.kind == other.kind && one.most == other.most && one.terms == other.terms
}

/// What a variable holds: the kind of what writes it, what it is rounded to, what it is at BOS, and every write.
type Content = (u8, Option<i32>, u64, Vec<Vec<u64>>);

/// For each variable the first that holds the same.
fn equal_variables(plan: &Plan) -> Vec<Option<VariableId>> {
    let mut writes: Vec<Vec<Vec<u64>>> = vec![Vec::new(); plan.variables.len()];
    for attend in &plan.attends {
        let mut write = vec![attend.pattern as u64];
        if let Kind::Sum { level } = attend.kind {
            write.push(level.to_bits());
        }
        write.extend(attend.value.key());
        writes[attend.into.0 as usize].push(write);
    }
    for forward in &plan.feed_forwards {
        let units = forward.units.iter();
        let numbers = units.flat_map(|unit| [unit.slope, unit.offset, unit.weight]);
        let mut write: Vec<u64> = numbers.map(f64::to_bits).collect();
        write.extend(forward.argument.key());
        writes[forward.into.0 as usize].push(write);
    }
    let mut known: BTreeMap<Content, VariableId> = BTreeMap::new();
    let places = plan.ids().zip(&plan.variables).zip(writes);
    places
        .map(|((id, variable), mut writes)| {
            let kind = match &variable.written {
                Written::Flag | Written::One | Written::Given(..) => return Some(id),
                Written::Attend => 0,
                Written::FeedForward => 1,
                Written::Embed { tokens, indices } => {
                    let bits = |numbers: &[f64]| numbers.iter().map(|n| n.to_bits()).collect();
                    writes = vec![bits(tokens), bits(indices)];
                    2
                }
            };
            if kind < 2 {
                writes.sort();
            }
            let rounding = variable.rounding.map(|rounding| rounding.digits);
            let content = (kind, rounding, variable.bos.to_bits(), writes);
            Some(*known.entry(content).or_insert(id))
        })
        .collect()
}
