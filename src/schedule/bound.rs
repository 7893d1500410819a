//! Why a schedule cannot be better: the longest chain of values, counting arguments over the layers that
//! each value is confined to, and the cuts of `cut`. They hold for every schedule with the fewest layers.

use super::cut::narrowest;
use super::instance::Instance;
use super::problem::{Cost, Kind, Problem};

/// What every schedule with the fewest layers takes at least.
pub fn lower_bound(problem: &Problem) -> Cost {
    of_instance(&Instance::new(problem))
}

/// The values of one longest chain, each of which reads the one before: the reason why there are no
/// fewer layers.
pub fn critical_path(problem: &Problem) -> Vec<usize> {
    let instance = Instance::new(problem);
    let birth = |value: &usize| instance.kind(*value).birth(instance.earliest[*value]);
    let Some(mut value) = instance.placed().rev().max_by_key(birth) else {
        return Vec::new();
    };
    let mut path = vec![value];
    while let Some(operand) = binding_operand(&instance, value) {
        path.push(operand);
        value = operand;
    }
    path.reverse();
    path
}

/// The first operand, not an input, on account of which the value is no earlier.
fn binding_operand(instance: &Instance, value: usize) -> Option<usize> {
    let kind = instance.kind(value);
    let mut operands = instance.operands[value].iter().copied();
    operands.find(|operand| {
        let lag = instance.kind(*operand).lag(kind);
        instance.kind(*operand) != Kind::Input
            && instance.earliest[*operand] + lag == instance.earliest[value]
    })
}

pub(super) fn of_instance(instance: &Instance) -> Cost {
    let largest_form = instance.placed().map(|value| instance.units(value)).max();
    Cost {
        layers: instance.layers,
        widest: energetic(instance, |first, last| heads(instance, first, last)),
        heads: heads(instance, 1, instance.layers),
        units: energetic(instance, |first, last| units(instance, first, last))
            .max(largest_form.unwrap_or(0)),
        dims: dims(instance),
    }
}

/// The energetic bound: what must happen within some layers, shared out evenly among them.
fn energetic(instance: &Instance, work: impl Fn(usize, usize) -> usize) -> usize {
    let mut bound = 0;
    for first in 1..=instance.layers {
        for last in first..=instance.layers {
            bound = bound.max(work(first, last).div_ceil(last - first + 1));
        }
    }
    bound
}

/// Whether a value cannot be outside these layers.
fn confined(instance: &Instance, value: usize, first: usize, last: usize) -> bool {
    first <= instance.earliest[value] && instance.latest[value] <= last
}

/// The fewest heads for the values confined to these layers.
fn heads(instance: &Instance, first: usize, last: usize) -> usize {
    let groups = instance.groups.iter();
    groups
        .map(|group| {
            let group = group.iter().copied();
            stabs(
                instance,
                group.filter(|value| confined(instance, *value, first, last)),
            )
        })
        .sum()
}

/// The fewest layers that meet the windows of all these values: each next layer is as late as the
/// windows that no layer has met yet allow.
fn stabs(instance: &Instance, values: impl Iterator<Item = usize>) -> usize {
    let mut windows: Vec<(usize, usize)> = values
        .map(|value| (instance.latest[value], instance.earliest[value]))
        .collect();
    windows.sort_unstable();
    let (mut stabs, mut layer) = (0, 0);
    for (latest, earliest) in windows {
        if earliest > layer {
            layer = latest;
            stabs += 1;
        }
    }
    stabs
}

/// The hidden units of the forms confined to these layers.
fn units(instance: &Instance, first: usize, last: usize) -> usize {
    let confined = instance
        .placed()
        .filter(|value| confined(instance, *value, first, last));
    confined.map(|value| instance.units(value)).sum()
}

/// The residual directions that are alive at the fullest state however values are placed. What nothing reads is
/// alive at its birth, wherever that is if it can be in one layer only.
fn dims(instance: &Instance) -> usize {
    let states = 0..=2 * instance.layers;
    let mut alive: Vec<usize> = states.map(|state| narrowest(instance, state)).collect();
    for (index, value) in instance.problem.values.iter().enumerate() {
        let is_read = instance.is_output[index] || !instance.readers[index].is_empty();
        if !is_read && instance.earliest[index] == instance.latest[index] {
            alive[value.kind.birth(instance.latest[index])] += value.dims;
        }
    }
    alive.into_iter().max().unwrap_or(0)
}
