//! Variables that all their readers read in one proportion are one variable, which holds what they
//! add up to. What queries and keys compare is left as it is, as a sum may not be exact, and so is what
//! the program asks to be categorical, or what is read to show an s-op by its name.

use crate::plan::{Attend, Linear, Plan, Read, Style, Unit, VariableId, Written};
use std::collections::{BTreeMap, BTreeSet};

/// How far a share, or what is computed back from a sum, may be off.
const NEAR: f64 = 1e-9;

/// Sums that a variable may be one of.
const MOST_VALUES: usize = 1 << 14;

pub(super) fn combine(plan: &mut Plan) {
    combine_those(plan, |_, _| true);
}

/// The same, but for steps: a bit of its own may be exact to the last digit, a sum of them not.
pub(super) fn combine_but_bits(plan: &mut Plan) {
    combine_those(plan, |plan, id| {
        let mut writes = plan.forwards_into(id);
        !writes.any(|op| is_step(&op.units))
    });
}

/// Whether hidden units are one step.
pub(super) fn is_step(units: &[Unit]) -> bool {
    matches!(units, [first, second] if first.is_step_with(second))
}

fn combine_those(plan: &mut Plan, is_among: fn(&Plan, VariableId) -> bool) {
    for group in groups(plan, is_among) {
        if let Some(values) = values(plan, &group) {
            add_up(plan, &group, values);
        }
    }
    // What one head writes to one variable is one value, and so are units of one argument.
    let attends = std::mem::take(&mut plan.attends);
    plan.attends = joined(
        attends,
        |op| (op.pattern, op.into),
        |op, other| op.value = op.value.add(&other.value),
    );
    let forwards = std::mem::take(&mut plan.feed_forwards);
    plan.feed_forwards = joined(
        forwards,
        |op| (op.bank, op.into),
        |op, other| op.units.extend(other.units),
    );
    let attended = plan.attends.iter().map(|op| op.into);
    let written = attended.chain(plan.feed_forwards.iter().map(|op| op.into));
    let written: BTreeSet<VariableId> = written.collect();
    let is_left = |id| !plan.variable(id).written.is_computed() || written.contains(&id);
    let left: Vec<bool> = plan.ids().map(is_left).collect();
    plan.keep(|id| left[id.0 as usize]);
}

/// A variable with the factor that it is read with, where the first has the factor 1.
type Group = Vec<(VariableId, f64)>;

/// Variables that are read together only, in one proportion.
fn groups(plan: &Plan, is_among: fn(&Plan, VariableId) -> bool) -> Vec<Group> {
    let mut reads: Vec<Vec<(usize, f64)>> = vec![Vec::new(); plan.variables.len()];
    for (number, linear) in linears(plan).enumerate() {
        for (id, factor) in &linear.terms {
            reads[id.0 as usize].push((number, *factor));
        }
    }
    let mut groups: BTreeMap<(bool, Vec<(usize, u64)>), Group> = BTreeMap::new();
    for (id, reads) in plan.ids().zip(&reads) {
        let Some((_, first)) = reads.first() else {
            continue;
        };
        if is_among(plan, id) && may_be_added(plan, id) {
            let shares = reads
                .iter()
                .map(|(reader, f)| (*reader, (f / first).to_bits()));
            let attended = plan.variable(id).written == Written::Attend;
            let group = groups.entry((attended, shares.collect())).or_default();
            group.push((id, *first));
        }
    }
    let groups = groups.into_values().filter(|group| group.len() > 1);
    let groups = groups.map(|group| {
        let first = group[0].1;
        group
            .into_iter()
            .map(|(id, factor)| (id, factor / first))
            .collect()
    });
    let mut groups: Vec<Group> = groups.collect();
    groups.sort_by_key(|group| group[0].0);
    groups
}

/// What is read as a number: everything but what heads compare.
fn linears(plan: &Plan) -> impl Iterator<Item = &Linear> {
    let values = plan.attends.iter().map(|op| &op.value);
    let arguments = plan.feed_forwards.iter().map(|op| &op.argument);
    let scores = plan.outputs.iter().flat_map(|output| &output.scores);
    // Where sizes come first, nothing is kept for show.
    let views = plan.views.iter().filter(|_| plan.style == Style::Faithful);
    let shown = views.flat_map(|view| &view.scores);
    values.chain(arguments).chain(scores).chain(shown)
}

/// Whether sums of a variable with others can stand for it.
fn may_be_added(plan: &Plan, id: VariableId) -> bool {
    let variable = plan.variable(id);
    let mut products = plan.attends.iter().flat_map(Attend::products);
    let is_compared = products.any(|p| p.query.reads().chain(p.key.reads()).any(|read| read == id));
    let is_mean = plan.attends_into(id).all(|op| op.kind.is_mean());
    variable.written.is_computed()
        && variable.rounding.is_none()
        && !variable.asked_for
        && is_mean
        && !is_compared
}

/// The values of a group's sum: what its only reader has points for, or all sums; none of a real number.
fn values(plan: &Plan, group: &Group) -> Option<Vec<f64>> {
    let ids: Vec<VariableId> = group.iter().map(|(id, _)| *id).collect();
    if ids.iter().any(|id| plan.is_real(*id)) {
        return Some(Vec::new());
    }
    let forwards = plan.feed_forwards.iter();
    let by_units = forwards.map(|forward| (&forward.argument, &*forward.points));
    let by_readout =
        plan.read_outs()
            .filter_map(|read_out| match (&*read_out.scores, &read_out.read) {
                ([score], Read::Nearest(numbers)) => Some((score, numbers.as_slice())),
                _ => None,
            });
    let mut known: Option<Vec<f64>> = None;
    for (read, points) in by_units.chain(by_readout) {
        let Some(factor) = read.terms.get(&ids[0]) else {
            continue;
        };
        if read.terms.len() == ids.len() && !points.is_empty() {
            let points = points.iter().map(|point| (point - read.constant) / factor);
            let mut values: Vec<f64> = points.collect();
            sort(&mut values);
            // Readers that know of different values know too little each.
            if known.as_ref().is_some_and(|known| !is_near(known, &values)) {
                return None;
            }
            known = Some(values);
        }
    }
    if known.is_some() {
        return known;
    }
    let mut sums = vec![0.0];
    for (id, factor) in group {
        let values = &plan.variable(*id).values;
        if sums.len() * values.len() > MOST_VALUES {
            return None;
        }
        sums = values
            .iter()
            .flat_map(|value| sums.iter().map(move |sum| sum + factor * value))
            .collect();
        sort(&mut sums);
    }
    Some(sums)
}

/// Some numbers, ascending, those that differ by rounding once.
fn sort(numbers: &mut Vec<f64>) {
    numbers.sort_by(f64::total_cmp);
    numbers.dedup_by(|next, last| (*next - *last).abs() <= NEAR * (1.0 + last.abs()));
}

fn is_near(one: &[f64], other: &[f64]) -> bool {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= NEAR * (1.0 + a.abs());
    one.len() == other.len() && one.iter().zip(other).all(near)
}

/// Has the operations of a group write its first variable.
fn add_up(plan: &mut Plan, group: &Group, values: Vec<f64>) {
    let first = group[0].0;
    let is_sum = |score: &Linear| {
        let of_first = score.factor(first);
        let off = |(id, factor): &(VariableId, f64)| (score.factor(*id) - factor * of_first).abs();
        group
            .iter()
            .all(|member| off(member) <= NEAR * of_first.abs())
    };
    plan.views.retain(|view| view.scores.iter().all(is_sum));
    let factor = |id: VariableId| {
        group
            .iter()
            .find(|(known, _)| *known == id)
            .map(|(_, f)| *f)
    };
    let bos = group
        .iter()
        .map(|(id, factor)| factor * plan.variable(*id).bos)
        .sum();
    plan.change_reads(|linear| {
        for (id, _) in &group[1..] {
            linear.terms.remove(id);
        }
    });
    for op in &mut plan.attends {
        if let Some(factor) = factor(op.into) {
            op.value = op.value.scaled(factor);
            op.into = first;
        }
    }
    for op in &mut plan.feed_forwards {
        if let Some(factor) = factor(op.into) {
            for unit in &mut op.units {
                unit.weight *= factor;
            }
            op.into = first;
        }
    }
    let label = label(plan, group);
    let variable = plan.variable_mut(first);
    variable.bos = bos;
    variable.values = values.into();
    variable.label = label;
}

/// What the variables of a group are called, together.
fn label(plan: &Plan, group: &Group) -> String {
    let mut labels: Vec<&str> = Vec::new();
    for (id, _) in group {
        let label = plan.variable(*id).label.as_str();
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels.join(" and ")
}

/// Operations of which those with one key are one.
fn joined<T>(
    operations: Vec<T>,
    key: impl Fn(&T) -> (usize, VariableId),
    add: impl Fn(&mut T, T),
) -> Vec<T> {
    let mut known: BTreeMap<(usize, VariableId), usize> = BTreeMap::new();
    let mut joined: Vec<T> = Vec::new();
    for op in operations {
        match known.get(&key(&op)) {
            Some(at) => add(&mut joined[*at], op),
            None => {
                known.insert(key(&op), joined.len());
                joined.push(op);
            }
        }
    }
    joined
}
