//! What a Transformer Program computes, layer by layer, while its choices are soft. Depends on what
//! `network` does.

use super::attend::{Copy, Count, Sharpness};
use super::kernels::{Alive, Choice, Product, Rows, Start, Then, Weights};
use super::lanes::Lanes;
use super::layout::{HIDDEN, Shape};
use super::network::{Network, slab};

impl<L: Lanes> Network<L> {
    /// All variables of the chunk.
    pub(super) fn forward(&mut self, sharpness: Sharpness, mut noise: Option<&mut L::Noise>) {
        let Shape {
            n,
            d,
            copies,
            counts,
            tables,
            counters,
            ..
        } = self.shape;
        let columns = self.groups * n;
        let slab = slab(columns, d);
        let (lanes, weights) = (self.lanes, &self.sampled);
        for (layer, slabs) in self.layout.layers.iter().zip(&mut self.slabs) {
            let (before, after) = self.categorical.split_at_mut(layer.categorical * slab);
            lanes.launch(gated(
                &weights[layer.reads..],
                (before, &Rows::new(layer.categorical, 0, slab, 1)),
                (&mut slabs.reads, &Rows::new(self.shape.reads(), 0, slab, 1)),
                slab,
            ));
            for head in 0..copies + counts {
                lanes.launch(Product {
                    weights: Weights {
                        numbers: &weights[layer.predicates + head * d * d..],
                        row: 1,
                        column: d,
                    },
                    inputs: &slabs.reads,
                    from: &Rows::new(d, query_of(&self.shape, head) * slab, 1, d),
                    outputs: &mut slabs.queries,
                    to: &Rows::new(d, head * slab, 1, d),
                    columns,
                    start: Start::Zero,
                    then: Then::Kept,
                    sparse: true,
                });
            }
            for at in 0..copies * self.groups {
                let (head, group) = (at / self.groups, at % self.groups);
                let vectors = head * slab + group * n * d;
                let square = (head * columns + group * n) * n;
                let row = head * columns + group * n;
                lanes.launch(Copy {
                    keys: &slabs.reads[vectors..][..n * d],
                    queries: &slabs.queries[vectors..][..n * d],
                    values: &slabs.reads[2 * copies * slab + vectors..][..n * d],
                    mask: &self.mask[group * n..][..n],
                    nearness: &self.nearness,
                    sharpness: Sharpness {
                        causal: self.shape.is_left(head),
                        ..sharpness
                    },
                    noise: noise.as_deref_mut(),
                    pattern: &mut slabs.pattern[square..][..n * n],
                    scores: &mut slabs.scores[square..][..n * n],
                    matches: &mut slabs.matches[row..][..n],
                    outputs: &mut after[vectors..][..n * d],
                });
            }
            let (earlier, sums) = self.numerical.split_at_mut(layer.numerical * columns);
            lanes.launch(gated(
                &weights[layer.summed..],
                (earlier, &Rows::new(layer.numerical, 0, columns, 1)),
                (&mut slabs.summed, &Rows::new(counts, 0, columns, 1)),
                columns,
            ));
            for at in 0..counts * self.groups {
                let (head, group) = (at / self.groups, at % self.groups);
                let vectors = head * slab + group * n * d;
                let row = head * columns + group * n;
                lanes.launch(Count {
                    keys: &slabs.reads[3 * copies * slab + vectors..][..n * d],
                    queries: &slabs.queries[copies * slab + vectors..][..n * d],
                    values: &slabs.summed[row..][..n],
                    mask: &self.mask[group * n..][..n],
                    causal: self.shape.is_left(head),
                    scratch: &mut self.scratch[..d],
                    outputs: &mut sums[row..][..n],
                });
            }
            let known = layer.categorical + copies;
            let (before, after) = self.categorical.split_at_mut(known * slab);
            lanes.launch(gated(
                &weights[layer.table_reads..],
                (before, &Rows::new(known, 0, slab, 1)),
                (&mut slabs.mlp_reads, &Rows::new(2 * tables, 0, slab, 1)),
                slab,
            ));
            let known = layer.numerical + counts;
            lanes.launch(gated(
                &weights[layer.counter_reads..],
                (&self.numerical, &Rows::new(known, 0, columns, 1)),
                (
                    &mut slabs.mlp_reads,
                    &Rows::new(2 * counters, 2 * tables * slab, columns, 1),
                ),
                columns,
            ));
            for (i, mlp) in layer.mlps.iter().enumerate() {
                let from = mlp_reads(&self.shape, columns, i);
                let units = Rows::new(HIDDEN, i * columns * HIDDEN, columns, 1);
                lanes.launch(Product {
                    weights: Weights {
                        numbers: &weights[mlp.weights_in..],
                        row: from.rows.len(),
                        column: 1,
                    },
                    inputs: &slabs.mlp_reads,
                    from: &from,
                    outputs: &mut slabs.hidden,
                    to: &units,
                    columns,
                    start: Start::Bias(&weights[mlp.bias_in..]),
                    then: Then::Relu,
                    sparse: false,
                });
                lanes.launch(Alive {
                    slab: &slabs.hidden,
                    of: &units,
                    columns,
                    alive: &mut slabs.alive[i],
                });
                let output = &mut after[i * slab..(i + 1) * slab];
                lanes.launch(Product {
                    weights: Weights {
                        numbers: &weights[mlp.weights_out..],
                        row: HIDDEN,
                        column: 1,
                    },
                    inputs: &slabs.hidden,
                    from: &slabs.alive[i],
                    outputs: output,
                    to: &Rows::new(d, 0, 1, d),
                    columns,
                    start: Start::Bias(&weights[mlp.bias_out..]),
                    then: Then::Kept,
                    sparse: false,
                });
                lanes.launch(Choice {
                    slab: output,
                    width: d,
                    temperature: sharpness.temperature,
                    noise: noise.as_deref_mut(),
                });
            }
        }
    }
}

/// Where the queries of a head are among the reads of a layer.
pub(super) fn query_of(shape: &Shape, head: usize) -> usize {
    match head < shape.copies {
        true => shape.copies + head,
        false => 2 * shape.copies + shape.counts + head,
    }
}

/// What an MLP reads, among the MLP reads of a layer.
pub(super) fn mlp_reads(shape: &Shape, columns: usize, mlp: usize) -> Rows {
    let (d, slab) = (shape.d, slab(columns, shape.d));
    match mlp.checked_sub(shape.tables) {
        None => Rows::of(
            (0..2 * d).map(|row| (2 * mlp + row / d) * slab + row % d),
            d,
        ),
        Some(counter) => {
            let start = 2 * shape.tables * slab + 2 * counter * columns;
            Rows::new(2, start, columns, 1)
        }
    }
}

/// A read: sums of variables with sampled weights.
fn gated<'a, L: Lanes>(
    numbers: &'a [L::Scalar],
    (inputs, from): (&'a [L::Wide], &'a Rows),
    (outputs, to): (&'a mut [L::Wide], &'a Rows),
    columns: usize,
) -> Product<'a, L> {
    Product {
        weights: Weights {
            numbers,
            row: from.rows.len(),
            column: 1,
        },
        inputs,
        from,
        outputs,
        to,
        columns,
        start: Start::Zero,
        then: Then::Kept,
        sparse: true,
    }
}
