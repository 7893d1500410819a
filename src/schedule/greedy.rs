//! Schedules that take no search to speak of: several ways to fill the layers, each then improved
//! value by value, and the best of them. All have the fewest layers.

use super::bound;
use super::instance::Instance;
use super::load::{Key, Load};
use super::problem::{Kind, Problem, Slots};

/// Each value as early as it can be, as [`schedule`](super::schedule) does.
pub fn as_soon_as_possible(problem: &Problem) -> Slots {
    Slots(Instance::new(problem).earliest)
}

/// The best of the portfolio; all heads count only if they are to be merged.
pub fn schedule(problem: &Problem, merge_heads: bool) -> Slots {
    best(&Instance::new(problem), merge_heads)
}

pub(super) fn best(instance: &Instance, merge_heads: bool) -> Slots {
    let narrowest = bound::of_instance(instance).widest;
    let portfolio = [
        as_late_as_possible(instance),
        levelled(instance),
        narrow(instance, narrowest),
    ];
    let polished = portfolio.map(|slots| polished(instance, &slots, merge_heads));
    let cost = |slots: &Slots| Load::new(instance, slots).cost(merge_heads);
    let best = polished.into_iter().min_by_key(cost);
    best.expect("a portfolio is not empty")
}

/// A schedule that no move of a single value makes better.
pub(super) fn polished(instance: &Instance, slots: &Slots, merge_heads: bool) -> Slots {
    descend(instance, slots, |load| load.cost(merge_heads))
}

/// As soon as possible, then with heads and units spread evenly by moves of single values.
fn levelled(instance: &Instance) -> Slots {
    let slots = Slots(instance.earliest.clone());
    descend(instance, &slots, |load| load.spread())
}

/// Moves single values while that makes the key smaller, forwards and backwards by turns.
fn descend(instance: &Instance, slots: &Slots, key: impl Fn(&Load) -> Key) -> Slots {
    let mut load = Load::new(instance, slots);
    let mut best = key(&load);
    let mut order: Vec<usize> = instance.placed().collect();
    // A sweep in either direction without a change ends it.
    let mut idle = 0;
    while idle < 2 {
        let before = best;
        for value in &order {
            best = settle(&mut load, *value, best, &key);
        }
        order.reverse();
        idle = match best == before {
            true => idle + 1,
            false => 0,
        };
    }
    load.slots()
}

/// Moves a value to the first layer in which the key is smallest, and gives that key.
fn settle(load: &mut Load, value: usize, current: Key, key: &impl Fn(&Load) -> Key) -> Key {
    let (mut best, mut home) = (current, load.layer(value));
    for layer in load.window(value) {
        load.shift(value, layer);
        let found = key(load);
        if found < best {
            (best, home) = (found, layer);
        }
    }
    load.shift(value, home);
    best
}

/// From the last value to the first, each into the layer of its window with the fewest heads or
/// units, the latest of several.
fn as_late_as_possible(instance: &Instance) -> Slots {
    let layers = instance.layers + 1;
    let mut slots = instance.latest.clone();
    let mut units = vec![0; layers];
    let mut heads = Heads::new(instance);
    for value in instance.placed().rev() {
        let window = instance.earliest[value]..=instance.last_layer(value, &slots);
        let load = |layer: &usize| match instance.group[value] {
            Some(group) => heads.with(*layer, group),
            None => units[*layer],
        };
        let layer = window
            .rev()
            .min_by_key(load)
            .expect("a window is not empty");
        slots[value] = layer;
        units[layer] += instance.units(value);
        if let Some(group) = instance.group[value] {
            heads.add(layer, group);
        }
    }
    Slots(slots)
}

/// List scheduling with as few heads a layer as it manages, from a bound up.
fn narrow(instance: &Instance, bound: usize) -> Slots {
    (bound..)
        .find_map(|width| listed(instance, width))
        .expect("with a head for each value it succeeds")
}

/// List scheduling: layer by layer, of the values that can be computed those whose time is up
/// first, at most so many heads. None if a value comes too late.
fn listed(instance: &Instance, width: usize) -> Option<Slots> {
    let mut slots = vec![0; instance.problem.values.len()];
    let mut heads = Heads::new(instance);
    let mut waiting: Vec<usize> = instance.placed().collect();
    waiting.sort_by_key(|value| instance.latest[*value]);
    for layer in 1..=instance.layers {
        for value in &waiting {
            let Some(group) = instance.group[*value] else {
                continue;
            };
            if is_ready(instance, *value, layer, &slots) && heads.with(layer, group) <= width {
                heads.add(layer, group);
                slots[*value] = layer;
            }
        }
        for value in &waiting {
            let is_form = matches!(instance.kind(*value), Kind::Form { .. });
            if is_form && is_ready(instance, *value, layer, &slots) {
                slots[*value] = layer;
            }
        }
        waiting.retain(|value| slots[*value] == 0);
        if waiting.iter().any(|value| instance.latest[*value] <= layer) {
            return None;
        }
    }
    Some(Slots(slots))
}

/// Whether all that a value reads is there in that layer.
fn is_ready(instance: &Instance, value: usize, layer: usize, slots: &[usize]) -> bool {
    let mut operands = instance.operands[value].iter();
    let there = |operand: usize| instance.kind(operand) == Kind::Input || slots[operand] > 0;
    operands.all(|operand| there(*operand)) && instance.first_layer(value, slots) <= layer
}

/// The selectors of each layer so far.
struct Heads {
    present: Vec<Vec<bool>>,
    counts: Vec<usize>,
}

impl Heads {
    fn new(instance: &Instance) -> Heads {
        Heads {
            present: vec![vec![false; instance.groups.len()]; instance.layers + 1],
            counts: vec![0; instance.layers + 1],
        }
    }

    /// How many heads the layer has with that selector.
    fn with(&self, layer: usize, group: usize) -> usize {
        self.counts[layer] + usize::from(!self.present[layer][group])
    }

    fn add(&mut self, layer: usize, group: usize) {
        self.counts[layer] = self.with(layer, group);
        self.present[layer][group] = true;
    }
}
