//! Layers that repeat: where each round of a `repeat` takes as many layers as the one before it, the
//! schedule is so many times those of one round, and rounds that look the same are shown once.

use super::{Layer, Schedule};
use crate::base::counted;
use crate::graph::{Graph, Rounds};
use serde_json::{Value, json};
use std::ops::Range;

/// Rounds of as many layers each.
pub(super) struct Repeat {
    /// The index of the first layer of the first round.
    first: usize,
    /// How many layers a round takes.
    layers: usize,
    times: usize,
}

/// Layers that look like those of the round before them, by their indices.
pub(super) struct Alike {
    pub layers: Range<usize>,
    /// How many layers a round takes.
    period: usize,
}

impl Schedule {
    /// The repeats that take layers, in their order; of nested ones the outer.
    pub(super) fn repeats(&self, graph: &Graph) -> Vec<Repeat> {
        let mut found: Vec<Repeat> = graph.rounds().filter_map(|it| self.even(it)).collect();
        found.sort_by_key(|repeat| (repeat.first, std::cmp::Reverse(repeat.end())));
        let mut end = 0;
        found.retain(|repeat| {
            let apart = repeat.first >= end;
            end = if apart { repeat.end() } else { end };
            apart
        });
        found
    }

    /// A `repeat` whose rounds take as many layers each, if the schedule holds it and it takes any.
    fn even(&self, rounds: &Rounds) -> Option<Repeat> {
        let depth = |carried: &Vec<_>| {
            let known = carried.iter().filter_map(|id| self.depths.get(id));
            known.copied().max()
        };
        let ends = rounds.carried.iter().skip(1).map(depth);
        let ends = ends.collect::<Option<Vec<usize>>>()?;
        let begins = depth(rounds.carried.first()?).unwrap_or(0);
        // What the first round takes beyond others is computed once.
        let [one, two, ..] = *ends else { return None };
        let layers = two.checked_sub(one)?;
        let first = one.checked_sub(layers)?;
        let even = ends.windows(2).all(|pair| pair[1] == pair[0] + layers);
        (even && layers > 0 && first >= begins).then_some(Repeat {
            first,
            layers,
            times: ends.len(),
        })
    }

    /// The layers of repeats that look like those of the round before.
    pub(super) fn alike(&self, graph: &Graph, repeats: &[Repeat]) -> Vec<Alike> {
        let looks = |layer: &Layer| {
            let heads = layer.heads.iter().map(|head| head.outputs.len());
            let heads: Vec<usize> = heads.collect();
            (heads, self.named(graph, &layer.feed_forward).len())
        };
        let mut found: Vec<Alike> = Vec::new();
        for repeat in repeats {
            let period = repeat.layers;
            for layer in repeat.first + period..repeat.end() {
                if looks(&self.layers[layer]) != looks(&self.layers[layer - period]) {
                    continue;
                }
                match found.last_mut() {
                    Some(last) if last.layers.end == layer && last.period == period => {
                        last.layers.end += 1;
                    }
                    _ => found.push(Alike {
                        layers: layer..layer + 1,
                        period,
                    }),
                }
            }
        }
        found
    }
}

impl Repeat {
    fn end(&self) -> usize {
        self.first + self.layers * self.times
    }

    /// `layers 2-7 are 3 × 2 layers`
    pub fn describe(&self) -> String {
        let numbers = numbers(&(self.first..self.end()));
        let round = counted(self.layers, "layer");
        format!("layers {numbers} are {} × {round}", self.times)
    }

    /// `{"first", "layers", "times"}`, the first layer being 1.
    pub fn to_json(&self) -> Value {
        json!({"first": self.first + 1, "layers": self.layers, "times": self.times})
    }
}

impl Alike {
    /// `layers 3-6 as 1-2`
    pub fn describe(&self) -> String {
        let before = self.layers.start - self.period;
        let twins = before..self.layers.start.min(before + self.layers.len());
        let word = if self.layers.len() == 1 {
            "layer"
        } else {
            "layers"
        };
        format!("{word} {} as {}", numbers(&self.layers), numbers(&twins))
    }
}

/// `3` or `3-6`, counted from 1.
fn numbers(layers: &Range<usize>) -> String {
    match layers.len() {
        1 => format!("{}", layers.end),
        _ => format!("{}-{}", layers.start + 1, layers.end),
    }
}
