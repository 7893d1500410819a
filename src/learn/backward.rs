//! The gradients of a Transformer Program's layers, last layer first. Depends on what `network` does.

use super::attend::{CopyBack, CountBack, Sharpness};
use super::forward::{mlp_reads, query_of};
use super::kernels::{ChoiceBack, Gradient, Product, Rows, Start, Sums, Then, Weights};
use super::lanes::Lanes;
use super::layout::{HIDDEN, Shape};
use super::network::{FIXED, FIXED_NUMBERS, Network, slab};

/// Gates, what they read, and the gradient of what they gave.
struct Gated<'a, L: Lanes> {
    lanes: L,
    weights: &'a [L::Scalar],
    of_weights: &'a mut [L::Scalar],
    inputs: &'a [L::Wide],
    from: Rows,
    of_outputs: &'a [L::Wide],
    to: Rows,
    columns: usize,
    /// How many of the inputs need no gradient.
    fixed: usize,
}

impl<L: Lanes> Gated<'_, L> {
    /// Adds to the gradients of the gates, and of what they read.
    fn back(self, of_inputs: &mut [L::Wide]) {
        let row = self.from.rows.len();
        self.lanes.launch(Gradient {
            a: self.of_outputs,
            of_a: &self.to,
            b: self.inputs,
            of_b: &self.from,
            columns: self.columns,
            gradient: self.of_weights,
            steps: (row, 1),
            weights: Some(self.weights),
        });
        self.lanes.launch(Product {
            weights: Weights {
                numbers: self.weights,
                row: 1,
                column: row,
            },
            inputs: self.of_outputs,
            from: &self.to,
            outputs: of_inputs,
            to: &self.from.after(self.fixed),
            columns: self.columns,
            start: Start::Present,
            then: Then::Kept,
            sparse: true,
        });
    }
}

impl<L: Lanes> Network<L> {
    /// From the gradients that the classifier left to those of all parameters.
    pub(super) fn backward(&mut self, sharpness: Sharpness) {
        for layer in (0..self.shape.layers).rev() {
            self.mlps_back(layer, sharpness.temperature);
            self.heads_back(layer, sharpness);
        }
    }

    fn mlps_back(&mut self, layer: usize, temperature: f64) {
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
        let (layer, slabs) = (&self.layout.layers[layer], &self.slabs[layer]);
        let known = layer.categorical + copies;
        let (of_known, of_made) = self.of_categorical.split_at_mut(known * slab);
        for (i, mlp) in layer.mlps.iter().enumerate() {
            let from = mlp_reads(&self.shape, columns, i);
            let inputs = from.rows.len();
            let (hidden, units) = (&slabs.hidden, &slabs.alive[i]);
            let outputs = Rows::new(d, 0, 1, d);
            let gradient = &mut of_made[i * slab..(i + 1) * slab];
            lanes.launch(ChoiceBack {
                chosen: &self.categorical[(known + i) * slab..(known + i + 1) * slab],
                gradient,
                width: d,
                temperature,
            });
            lanes.launch(Gradient {
                a: gradient,
                of_a: &outputs,
                b: hidden,
                of_b: units,
                columns,
                gradient: &mut self.of_sampled[mlp.weights_out..],
                steps: (HIDDEN, 1),
                weights: None,
            });
            lanes.launch(Sums {
                slab: gradient,
                of: &outputs,
                columns,
                sums: &mut self.of_sampled[mlp.bias_out..],
            });
            lanes.launch(Product {
                weights: Weights {
                    numbers: &weights[mlp.weights_out..],
                    row: 1,
                    column: HIDDEN,
                },
                inputs: gradient,
                from: &outputs,
                outputs: &mut self.of_hidden,
                to: units,
                columns,
                start: Start::Zero,
                then: Then::Where(hidden),
                sparse: false,
            });
            lanes.launch(Gradient {
                a: &self.of_hidden,
                of_a: units,
                b: &slabs.mlp_reads,
                of_b: &from,
                columns,
                gradient: &mut self.of_sampled[mlp.weights_in..],
                steps: (inputs, 1),
                weights: None,
            });
            lanes.launch(Sums {
                slab: &self.of_hidden,
                of: units,
                columns,
                sums: &mut self.of_sampled[mlp.bias_in..],
            });
            lanes.launch(Product {
                weights: Weights {
                    numbers: &weights[mlp.weights_in..],
                    row: 1,
                    column: inputs,
                },
                inputs: &self.of_hidden,
                from: units,
                outputs: &mut self.of_mlp_reads,
                to: &from,
                columns,
                start: Start::Zero,
                then: Then::Kept,
                sparse: false,
            });
        }
        let gates = Gated {
            lanes,
            weights: &weights[layer.table_reads..],
            of_weights: &mut self.of_sampled[layer.table_reads..],
            inputs: &self.categorical,
            from: Rows::new(known, 0, slab, 1),
            of_outputs: &self.of_mlp_reads,
            to: Rows::new(2 * tables, 0, slab, 1),
            columns: slab,
            fixed: FIXED,
        };
        gates.back(of_known);
        let gates = Gated {
            lanes,
            weights: &weights[layer.counter_reads..],
            of_weights: &mut self.of_sampled[layer.counter_reads..],
            inputs: &self.numerical,
            from: Rows::new(layer.numerical + counts, 0, columns, 1),
            of_outputs: &self.of_mlp_reads,
            to: Rows::new(2 * counters, 2 * tables * slab, columns, 1),
            columns,
            fixed: FIXED_NUMBERS,
        };
        gates.back(&mut self.of_numerical);
    }

    fn heads_back(&mut self, layer: usize, sharpness: Sharpness) {
        let Shape {
            n,
            d,
            copies,
            counts,
            ..
        } = self.shape;
        let columns = self.groups * n;
        let slab = slab(columns, d);
        let (lanes, weights) = (self.lanes, &self.sampled);
        let (layer, slabs) = (&self.layout.layers[layer], &mut self.slabs[layer]);
        let (of_known, of_made) = self.of_categorical.split_at_mut(layer.categorical * slab);
        for at in 0..copies * self.groups {
            let (head, group) = (at / self.groups, at % self.groups);
            let vectors = head * slab + group * n * d;
            let square = (head * columns + group * n) * n;
            let row = head * columns + group * n;
            let (of_keys, of_values) = self.of_reads.split_at_mut(2 * copies * slab);
            lanes.launch(CopyBack {
                keys: &slabs.reads[vectors..][..n * d],
                queries: &slabs.queries[vectors..][..n * d],
                values: &slabs.reads[2 * copies * slab + vectors..][..n * d],
                mask: &self.mask[group * n..][..n],
                sharpness: Sharpness {
                    causal: self.shape.is_left(head),
                    ..sharpness
                },
                pattern: &slabs.pattern[square..][..n * n],
                scores: &slabs.scores[square..][..n * n],
                matches: &slabs.matches[row..][..n],
                outputs: &of_made[vectors..][..n * d],
                scratch: &mut self.scratch[..n * n],
                of_keys: &mut of_keys[vectors..][..n * d],
                of_queries: &mut self.of_queries[vectors..][..n * d],
                of_values: &mut of_values[vectors..][..n * d],
            });
        }
        let (of_earlier, of_sums) = self.of_numerical.split_at_mut(layer.numerical * columns);
        for at in 0..counts * self.groups {
            let (head, group) = (at / self.groups, at % self.groups);
            let vectors = head * slab + group * n * d;
            let row = head * columns + group * n;
            lanes.launch(CountBack {
                keys: &slabs.reads[3 * copies * slab + vectors..][..n * d],
                queries: &slabs.queries[copies * slab + vectors..][..n * d],
                values: &slabs.summed[row..][..n],
                mask: &self.mask[group * n..][..n],
                causal: self.shape.is_left(head),
                outputs: &of_sums[row..][..n],
                scratch: &mut self.scratch[..d],
                of_keys: &mut self.of_reads[3 * copies * slab + vectors..][..n * d],
                of_queries: &mut self.of_queries[copies * slab + vectors..][..n * d],
                of_values: &mut self.of_summed[row..][..n],
            });
        }
        let gates = Gated {
            lanes,
            weights: &weights[layer.summed..],
            of_weights: &mut self.of_sampled[layer.summed..],
            inputs: &self.numerical,
            from: Rows::new(layer.numerical, 0, columns, 1),
            of_outputs: &self.of_summed,
            to: Rows::new(counts, 0, columns, 1),
            columns,
            fixed: FIXED_NUMBERS,
        };
        gates.back(of_earlier);
        for head in 0..copies + counts {
            let start = layer.predicates + head * d * d;
            let reads = Rows::new(d, query_of(&self.shape, head) * slab, 1, d);
            let queries = Rows::new(d, head * slab, 1, d);
            lanes.launch(Gradient {
                a: &slabs.reads,
                of_a: &reads,
                b: &self.of_queries,
                of_b: &queries,
                columns,
                gradient: &mut self.of_sampled[start..],
                steps: (d, 1),
                weights: Some(&weights[start..]),
            });
            lanes.launch(Product {
                weights: Weights {
                    numbers: &weights[start..],
                    row: d,
                    column: 1,
                },
                inputs: &self.of_queries,
                from: &queries,
                outputs: &mut self.of_reads,
                to: &reads,
                columns,
                start: Start::Zero,
                then: Then::Kept,
                sparse: true,
            });
        }
        let gates = Gated {
            lanes,
            weights: &weights[layer.reads..],
            of_weights: &mut self.of_sampled[layer.reads..],
            inputs: &self.categorical,
            from: Rows::new(layer.categorical, 0, slab, 1),
            of_outputs: &self.of_reads,
            to: Rows::new(self.shape.reads(), 0, slab, 1),
            columns: slab,
            fixed: FIXED,
        };
        gates.back(of_known);
    }
}
