//! BOS without a flag. What the flag adds to keys and values is what these are to be at BOS; where all
//! of it can stand in the rows of BOS of what they read, the flag takes no direction.

use crate::model::is_float32;
use crate::plan::{Attend, Linear, Plan, VariableId, Written};
use std::collections::BTreeMap;

pub(super) fn bos(plan: &mut Plan) {
    let Some(flag) = plan.holding(&Written::Flag, 1.0) else {
        return;
    };
    let Some(numbers) = numbers(plan, flag) else {
        return;
    };
    let mut without = plan.clone();
    for (id, number) in numbers {
        without.variable_mut(id).bos = number;
    }
    for op in &mut without.attends {
        op.value.terms.remove(&flag);
        for product in op.terms.iter_mut().flat_map(|term| &mut term.products) {
            product.key.terms.remove(&flag);
        }
    }
    without.keep(|id| id != flag);
    if without.attends.iter().all(|op| without.keeps_to_itself(op)) {
        *plan = without;
    }
}

/// What stands at BOS for each function of tokens or of indices, so that all keys and values are there
/// what they are with the flag; `None` if there are no such numbers, or others read the flag, too.
fn numbers(plan: &Plan, flag: VariableId) -> Option<BTreeMap<VariableId, f64>> {
    let products = || plan.attends.iter().flat_map(Attend::products);
    let arguments = plan.feed_forwards.iter().map(|op| &op.argument);
    let queries = products().map(|product| &product.query);
    let mut others = queries.chain(arguments).chain(plan.scores());
    if others.any(|linear| linear.has(flag)) {
        return None;
    }
    let keys = products().map(|product| &product.key);
    let mut pending: Vec<&Linear> = keys
        .chain(plan.attends.iter().map(|op| &op.value))
        .collect();
    let is_embedded = |id: &VariableId| matches!(plan.variable(*id).written, Written::Embed { .. });
    let mut numbers: BTreeMap<VariableId, f64> = BTreeMap::new();
    while !pending.is_empty() {
        let before = (pending.len(), numbers.len());
        let mut left = Vec::new();
        for linear in pending {
            let embedded = linear.terms.iter().filter(|(id, _)| is_embedded(id));
            let mut missing = linear.factor(flag);
            let mut unknown = Vec::new();
            for (id, factor) in embedded {
                match numbers.get(id) {
                    Some(number) => missing -= factor * number,
                    None => unknown.push((*id, *factor)),
                }
            }
            match *unknown {
                [] if missing == 0.0 => {}
                [] => return None,
                [(id, factor)] => {
                    numbers.insert(id, missing / factor);
                }
                _ => left.push(linear),
            }
        }
        pending = left;
        if before == (pending.len(), numbers.len()) {
            return None;
        }
    }
    let mut held = numbers.values();
    held.all(|number| is_float32(*number)).then_some(numbers)
}
