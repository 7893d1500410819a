//! Where the parameters of a Transformer Program are, and how they begin. Depends on `base` for random
//! numbers only.

use crate::base::Random;

/// Hidden units of an MLP.
pub const HIDDEN: usize = 64;

/// The sizes of a Transformer Program (Friedman, Wettig & Chen 2023).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Tokens, and one for padding, which is 0.
    pub tokens: usize,
    /// Labels, and one for what is not scored, which is 0.
    pub labels: usize,
    /// Positions: the longest input.
    pub n: usize,
    /// Values of a categorical variable; at least `tokens` and `n`.
    pub d: usize,
    /// How often heads and then MLPs follow each other.
    pub layers: usize,
    /// Heads of a layer that copy.
    pub copies: usize,
    /// Heads of a layer that count.
    pub counts: usize,
    /// MLPs of a layer that read two categorical variables.
    pub tables: usize,
    /// MLPs of a layer that read two numerical variables.
    pub counters: usize,
    /// Whether queries see earlier keys only.
    pub causal: bool,
    /// Whether a predicate may match several keys for a query, and every other head sees earlier keys
    /// only: more than the paper's family has.
    pub rich: bool,
}

impl Shape {
    /// Gates that choose what heads of a layer read: the keys, queries and values of the heads that
    /// copy, then the keys and queries of those that count.
    pub fn reads(&self) -> usize {
        3 * self.copies + 2 * self.counts
    }

    /// Whether a head sees earlier keys only, by its number among those that copy, or that count.
    pub fn is_left(&self, head: usize) -> bool {
        self.causal || self.rich && head % 2 == 1
    }
}

/// An MLP: `W_in [HIDDEN, inputs]`, `b_in`, `W_out [d, HIDDEN]`, `b_out`.
#[derive(Clone, Copy, Debug)]
pub struct Mlp {
    /// Where `W_in` begins.
    pub weights_in: usize,
    /// Where `b_in` begins.
    pub bias_in: usize,
    /// Where `W_out` begins.
    pub weights_out: usize,
    /// Where `b_out` begins.
    pub bias_out: usize,
}

/// The parameters of a layer.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Categorical variables before it.
    pub categorical: usize,
    /// Numerical variables before it.
    pub numerical: usize,
    /// Gates `[Shape::reads, categorical]`.
    pub reads: usize,
    /// Predicates `[copies + counts, d, d]`, a key for each query.
    pub predicates: usize,
    /// Gates `[counts, numerical]`: what is summed.
    pub summed: usize,
    /// Gates `[2 tables, categorical + copies]`.
    pub table_reads: usize,
    /// Gates `[2 counters, numerical + counts]`.
    pub counter_reads: usize,
    /// The MLPs, those that read categorical variables first.
    pub mlps: Vec<Mlp>,
}

/// Choices: rows of a matrix of which each is sampled.
#[derive(Clone, Copy, Debug)]
pub struct Gates {
    /// Where it begins.
    pub start: usize,
    /// How many choices.
    pub rows: usize,
    /// Of how many.
    pub columns: usize,
}

/// Where each parameter is.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The layers.
    pub layers: Vec<Layer>,
    /// The classifier `[d categorical + numerical, labels]`, at the end.
    pub classifier: usize,
    /// How many parameters there are.
    pub size: usize,
    /// Categorical variables after the last layer.
    pub categorical: usize,
    /// Numerical variables after the last layer.
    pub numerical: usize,
    /// All that is sampled: one of each row.
    pub gates: Vec<Gates>,
    /// The predicates whose rows are sets: each entry is sampled for itself.
    pub sets: Vec<Gates>,
    normal: Vec<(usize, f64)>,
}

impl Layout {
    /// The parameters of a shape.
    pub fn new(shape: &Shape) -> Layout {
        let d = shape.d;
        let mut layout = Layout {
            layers: Vec::new(),
            classifier: 0,
            size: 0,
            categorical: 2,
            numerical: 1,
            gates: Vec::new(),
            sets: Vec::new(),
            normal: Vec::new(),
        };
        for _ in 0..shape.layers {
            let (categorical, numerical) = (layout.categorical, layout.numerical);
            let heads = shape.copies + shape.counts;
            let reads = layout.gates(shape.reads(), categorical);
            let predicates = layout.gates(heads * d, d);
            if shape.rich {
                layout.sets.extend(layout.gates.pop());
            }
            let summed = layout.gates(shape.counts, numerical);
            let table_reads = layout.gates(2 * shape.tables, categorical + shape.copies);
            let counter_reads = layout.gates(2 * shape.counters, numerical + shape.counts);
            let inputs = |mlp| if mlp < shape.tables { 2 * d } else { 2 };
            let all = 0..shape.tables + shape.counters;
            let mlps = all.map(|mlp| layout.mlp(inputs(mlp), d)).collect();
            layout.layers.push(Layer {
                categorical,
                numerical,
                reads,
                predicates,
                summed,
                table_reads,
                counter_reads,
                mlps,
            });
            layout.categorical += shape.copies + shape.tables + shape.counters;
            layout.numerical += shape.counts;
        }
        let features = d * layout.categorical + layout.numerical;
        let labels = shape.labels;
        layout.classifier = layout.dense(features * labels, (labels as f64).sqrt().recip());
        layout
    }

    fn gates(&mut self, rows: usize, columns: usize) -> usize {
        let start = self.dense(rows * columns, (columns as f64).sqrt().recip());
        let gates = Gates {
            start,
            rows,
            columns,
        };
        self.gates.push(gates);
        start
    }

    fn dense(&mut self, count: usize, deviation: f64) -> usize {
        let start = self.size;
        self.normal.push((count, deviation));
        self.size += count;
        start
    }

    fn mlp(&mut self, inputs: usize, d: usize) -> Mlp {
        let deviation = (HIDDEN as f64).sqrt().recip();
        Mlp {
            weights_in: self.dense(HIDDEN * inputs, deviation),
            bias_in: self.dense(HIDDEN, 0.0),
            weights_out: self.dense(d * HIDDEN, (d as f64).sqrt().recip()),
            bias_out: self.dense(d, 0.0),
        }
    }

    /// Parameters as training begins with them.
    pub fn parameters(&self, random: &mut Random) -> Vec<f64> {
        let mut parameters = Vec::with_capacity(self.size);
        for &(count, deviation) in &self.normal {
            parameters.extend((0..count).map(|_| deviation * normal(random)));
        }
        parameters
    }
}

/// A number above 0 and below 1.
pub fn uniform(random: &mut Random) -> f64 {
    ((random.bits() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}

/// A number of the standard normal distribution (Box & Muller 1958).
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * uniform(random).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(random)).cos()
}

/// A number of the standard Gumbel distribution.
pub fn gumbel(random: &mut Random) -> f64 {
    -(-uniform(random).ln()).ln()
}
