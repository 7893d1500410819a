//! The length rides on a head that is there. On its own it is a mean over the tokens and BOS; where a
//! head averages over all tokens, it is a mean over these, of other numbers.

use crate::plan::{Attend, Kind, Linear, Meaning, Plan, Variable, VariableId, Written, ascending};

pub(super) fn length(plan: &mut Plan) {
    let averages = |op: &&Attend| op.kind == Kind::MeanOfSome && is_of_all(op);
    let is_embedded = |id: VariableId| {
        matches!(
            plan.variable(id).written,
            Written::Embed { .. } | Written::Flag
        )
    };
    let is_early = |op: &&Attend| op.value.reads().all(is_embedded);
    let Some(mean) = plan.attends.iter().filter(averages).find(is_early) else {
        return;
    };
    let (terms, most) = (mean.terms.clone(), mean.most);
    for at in 0..plan.attends.len() {
        let op = &plan.attends[at];
        if op.kind != Kind::Length {
            continue;
        }
        let Some(numbers) = over_tokens(plan, &op.value) else {
            continue;
        };
        let of = plan.variable(op.into);
        // What the length may be rounded to says nothing of what is embedded.
        let variable = Variable {
            label: format!("indices for {}", of.label),
            source: of.source.clone(),
            bos: 0.0,
            values: ascending(numbers.clone()),
            rounding: None,
            asked_for: false,
            written: Written::Embed {
                tokens: Vec::new(),
                indices: numbers,
            },
        };
        let value = Linear::of(plan.add(variable));
        plan.attends[at] = Attend {
            kind: Kind::MeanOfSome,
            terms: terms.clone(),
            value,
            most,
            ..plan.attends[at].clone()
        };
    }
}

/// Whether a head selects all tokens: its logits say only where BOS is.
fn is_of_all(op: &Attend) -> bool {
    let mut terms = op.terms.iter();
    terms.all(|term| matches!(term.meaning, Meaning::Bos { .. }))
}

/// For each index a number, so that their mean over the tokens is that of the value over the tokens
/// and BOS, at every length; `None` if the value reads other than indices and BOS.
fn over_tokens(plan: &Plan, value: &Linear) -> Option<Vec<f64>> {
    let is_of_indices = |id: VariableId| {
        let is_flag = plan.variable(id).written == Written::Flag;
        is_flag || matches!(plan.embedding(id), Some([[], _]))
    };
    if !value.reads().all(is_of_indices) {
        return None;
    }
    let at = |index: usize| value.at(|id| plan.held_at(id, [0, index]).unwrap_or(0.0));
    let mut sums = vec![plan.at_bos(value)];
    for index in 0..plan.max_length {
        sums.push(sums[index] + at(index));
    }
    let mean = |length: usize| sums[length] / (length as f64 + 1.0);
    let number = |index: usize| (index as f64 + 1.0) * mean(index + 1) - index as f64 * mean(index);
    let numbers: Vec<f64> = (0..plan.max_length).map(number).collect();
    let is_whole = numbers.iter().all(|number| number.fract() == 0.0);
    is_whole.then_some(numbers)
}
