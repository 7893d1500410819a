//! From the plan to weights. W_Q holds the inverse temperature, the least power of two that makes
//! the row of every query what the selector says to float32's last bits: a factor that is no power
//! of two would be rounded where large terms cancel. Hosts divide by √d_head, once, an exact number.

use crate::model::{self, FeedForward, Head, Layer, Matrix, Model, Readout, Variable};
use crate::plan::{self, Attend, Kind, Linear, Meaning, Plan, ReadOut, Style, VariableId, Written};
use std::collections::BTreeMap;

type Triplets = Vec<(usize, usize, f64)>;

/// How many nats below a selected key what is not selected must stand, for one key: half a unit in
/// the last place of a sum in float32.
const LEAST_GAP: f64 = 17.4;

/// The model of a plan whose operations have layers.
pub fn lower(plan: &Plan) -> Model {
    let lowering = Lowering {
        plan,
        one: constant(plan, &Written::One),
        flag: constant(plan, &Written::Flag),
    };
    let width = plan.variables.len();
    let layers: Vec<Layer> = (1..=plan.layers()).map(|layer| lowering.layer(layer)).collect();
    let mut variables: Vec<Variable> = plan
        .views
        .iter()
        .map(|view| Variable {
            name: view.name.clone(),
            ready: ready(plan, view),
            readout: lowering.readout(view),
        })
        .collect();
    let outputs = plan.outputs.iter().map(|output| model::Output {
        name: output.name.clone(),
        readout: lowering.readout(output),
    });
    let outputs = outputs.collect();
    variables.sort_by_key(|variable| variable.ready);
    Model {
        name: plan.name.clone(),
        vocabulary: plan.vocabulary.clone(),
        max_length: plan.max_length,
        causal: plan.causal,
        d_model: width,
        token_embedding: lowering.token_embedding(),
        position_embedding: lowering.position_embedding(),
        layers,
        outputs,
        directions: plan.variables.iter().map(|v| v.label.clone()).collect(),
        variables,
    }
}

fn constant(plan: &Plan, written: &Written) -> Option<usize> {
    plan.variables.iter().position(|variable| variable.written == *written)
}

fn ready(plan: &Plan, view: &ReadOut) -> usize {
    let reads = view.scores.iter().flat_map(|score| score.reads());
    reads.map(|variable| plan.ready(variable)).max().unwrap_or(0)
}

struct Lowering<'p> {
    plan: &'p Plan,
    one: Option<usize>,
    flag: Option<usize>,
}

impl Lowering<'_> {
    fn width(&self) -> usize {
        self.plan.variables.len()
    }

    fn token_embedding(&self) -> Matrix {
        let tokens = self.plan.vocabulary.len();
        let mut triplets = Triplets::new();
        for (at, variable) in self.plan.variables.iter().enumerate() {
            match &variable.written {
                Written::Embed { tokens, .. } => {
                    triplets.extend(tokens.iter().enumerate().map(|(row, v)| (row, at, *v)));
                }
                Written::One => triplets.extend((0..tokens).map(|row| (row, at, 1.0))),
                Written::Flag => triplets.push((tokens, at, 1.0)),
                Written::Attend | Written::FeedForward => {
                    // What is written at BOS is taken back before it is written.
                    let written = self.written_at_bos(VariableId(at as u32));
                    triplets.push((tokens, at, variable.bos - written));
                }
            }
        }
        Matrix::from_triplets(tokens + 1, self.width(), triplets)
    }

    /// What operations add to a variable at BOS, which sees only itself.
    fn written_at_bos(&self, variable: VariableId) -> f64 {
        let plan = self.plan;
        let attends = plan.attends.iter().filter(|attend| attend.into == variable);
        let attended: f64 = attends.map(|attend| plan.at_bos(&attend.value)).sum();
        let forwards = plan.feed_forwards.iter();
        let computed = forwards
            .filter(|forward| forward.into == variable)
            .map(|forward| {
                let z = plan.at_bos(&forward.argument);
                let offset = |unit: &plan::Unit| if self.one.is_some() { 0.0 } else { unit.offset };
                let units = forward.units.iter();
                let units = units.map(|u| u.weight * (u.slope * z + offset(u)).max(0.0));
                units.sum::<f64>()
            });
        attended + computed.sum::<f64>()
    }

    fn position_embedding(&self) -> Matrix {
        let mut triplets = Triplets::new();
        for (at, variable) in self.plan.variables.iter().enumerate() {
            if let Written::Embed { indices, .. } = &variable.written {
                triplets.extend(indices.iter().enumerate().map(|(row, v)| (row + 1, at, *v)));
            }
        }
        Matrix::from_triplets(self.plan.max_length + 1, self.width(), triplets)
    }

    fn layer(&self, layer: usize) -> Layer {
        let mut patterns: BTreeMap<usize, Vec<&Attend>> = BTreeMap::new();
        for attend in self.plan.attends.iter().filter(|attend| attend.layer == layer) {
            patterns.entry(attend.pattern).or_default().push(attend);
        }
        Layer {
            heads: patterns.values().map(|attends| self.head(attends)).collect(),
            mlp: self.feed_forward(layer),
        }
    }

    /// One head for operations with one pattern.
    fn head(&self, attends: &[&Attend]) -> Head {
        let first = attends[0];
        let products = products(first);
        let d_head = products.len();
        let scale = Scale::new(self.plan.max_length, first, d_head);
        let (mut queries, mut keys) = (Triplets::new(), Triplets::new());
        let (mut query_bias, mut key_bias) = (vec![0.0; d_head], vec![0.0; d_head]);
        for (column, (query, key)) in products.iter().enumerate() {
            let mut sum = Linear::default();
            for (part, nats) in query {
                sum = sum.add(&part.scaled(scale.of(*nats)));
            }
            // Powers of two move freely between the two sides.
            let balance = balance(self.plan, &sum, key);
            put(&sum.scaled(1.0 / balance), column, &mut queries, &mut query_bias);
            put(&key.scaled(balance), column, &mut keys, &mut key_bias);
        }
        let (value, output, d_value) = self.values(attends);
        let width = self.width();
        Head {
            label: first.source.name.clone(),
            query: Matrix::from_triplets(width, d_head, queries),
            query_bias,
            key: Matrix::from_triplets(width, d_head, keys),
            key_bias,
            value: Matrix::from_triplets(width, d_value, value),
            output: Matrix::from_triplets(d_value, width, output),
        }
    }

    /// W_V and W_O: equal values share a column.
    fn values(&self, attends: &[&Attend]) -> (Triplets, Triplets, usize) {
        let mut columns: Vec<&Linear> = Vec::new();
        let (mut value, mut output) = (Triplets::new(), Triplets::new());
        for attend in attends {
            if attend.value.is_zero() {
                continue;
            }
            let known = columns.iter().position(|known| **known == attend.value);
            let column = known.unwrap_or_else(|| {
                let terms = attend.value.terms.iter();
                let column = columns.len();
                value.extend(terms.map(|(variable, f)| (variable.0 as usize, column, *f)));
                columns.push(&attend.value);
                column
            });
            let factor = match attend.kind {
                Kind::Sum { level } => level.exp(),
                _ => 1.0,
            };
            output.push((column, attend.into.0 as usize, factor));
        }
        (value, output, columns.len())
    }

    fn feed_forward(&self, layer: usize) -> FeedForward {
        let mut units: Vec<(&Linear, u64, u64)> = Vec::new();
        let mut known: BTreeMap<(usize, u64, u64), usize> = BTreeMap::new();
        let mut arguments: Vec<&Linear> = Vec::new();
        let (mut input, mut output, mut bias) = (Triplets::new(), Triplets::new(), Vec::new());
        for forward in self.plan.feed_forwards.iter().filter(|op| op.layer == layer) {
            let argument = arguments.iter().position(|known| **known == forward.argument);
            let argument = argument.unwrap_or_else(|| {
                arguments.push(&forward.argument);
                arguments.len() - 1
            });
            for unit in &forward.units {
                let key = (argument, unit.slope.to_bits(), unit.offset.to_bits());
                let at = *known.entry(key).or_insert_with(|| {
                    let at = units.len();
                    units.push((&forward.argument, key.1, key.2));
                    let mut read = forward.argument.scaled(unit.slope);
                    read.constant += unit.offset;
                    bias.push(self.threshold(read.constant, at, &mut input));
                    let terms = read.terms.iter();
                    input.extend(terms.map(|(variable, f)| (variable.0 as usize, at, *f)));
                    at
                });
                output.push((at, forward.into.0 as usize, unit.weight));
            }
        }
        FeedForward {
            input: Matrix::from_triplets(self.width(), units.len(), input),
            output: Matrix::from_triplets(units.len(), self.width(), output),
            input_bias: bias,
            output_bias: vec![0.0; self.width()],
        }
    }

    /// The bias of a unit; with sums through a sink BOS must stay exactly 0, so that there the
    /// variable that is 1 at tokens carries it.
    fn threshold(&self, offset: f64, unit: usize, input: &mut Triplets) -> f64 {
        match (self.plan.style, self.one) {
            (Style::Compact, Some(one)) => {
                input.push((one, unit, offset));
                0.0
            }
            _ => offset,
        }
    }

    fn readout(&self, read_out: &ReadOut) -> Readout {
        let mut triplets = Triplets::new();
        let mut bias = Vec::with_capacity(read_out.scores.len());
        for (output, score) in read_out.scores.iter().enumerate() {
            let mut constant = score.constant;
            for (variable, factor) in &score.terms {
                let at = variable.0 as usize;
                match Some(at) == self.one {
                    true => constant += factor,
                    false => triplets.push((at, output, *factor)),
                }
            }
            bias.push(constant);
        }
        debug_assert!(self.flag.is_none_or(|flag| flag < self.width()));
        Readout {
            weights: Matrix::from_triplets(self.width(), read_out.scores.len(), triplets),
            bias,
            decoder: read_out.decoder.clone(),
        }
    }
}

/// What the parts of a logit are multiplied by.
struct Scale {
    /// The nats, times √d_head, of one gap.
    gap: f64,
    root: f64,
}

impl Scale {
    fn new(max_length: usize, attend: &Attend, d_head: usize) -> Scale {
        let root = (d_head.max(1) as f64).sqrt();
        let mut needed = (max_length as f64).ln() + LEAST_GAP;
        let above: f64 = attend
            .terms
            .iter()
            .map(|term| match term.meaning {
                Meaning::Score { above } => above,
                _ => 0.0,
            })
            .sum();
        // BOS stands between what is selected and what is not.
        if attend.kind == Kind::Mean || matches!(attend.kind, Kind::Sum { .. }) {
            needed *= 2.0;
        }
        if above > 0.0 || attend.terms.iter().any(in_nats) {
            needed = needed.max(2.0 * crate::compile::score::level(max_length)) + above;
        }
        Scale {
            gap: 2f64.powf((needed * root).log2().ceil()),
            root,
        }
    }

    fn of(&self, nats: bool) -> f64 {
        if nats { self.root } else { self.gap }
    }
}

fn in_nats(term: &plan::Term) -> bool {
    matches!(term.meaning, Meaning::Score { .. } | Meaning::Bos { nats: true })
}

/// The dimensions of a head: the parts of each query functional, whether they are in nats, and the
/// key functional. Products with equal keys, or with equal queries, are one.
fn products(attend: &Attend) -> Vec<(Vec<(Linear, bool)>, Linear)> {
    let mut merged: Vec<(Vec<(Linear, bool)>, Linear)> = Vec::new();
    for term in &attend.terms {
        for product in &term.products {
            if product.query.is_zero() || product.key.is_zero() {
                continue;
            }
            let part = (product.query.clone(), in_nats(term));
            match merged.iter_mut().find(|(_, key)| *key == product.key) {
                Some((parts, _)) => parts.push(part),
                None => merged.push((vec![part], product.key.clone())),
            }
        }
    }
    let mut by_query: Vec<(Vec<(Linear, bool)>, Linear)> = Vec::new();
    for (parts, key) in merged {
        match by_query.iter_mut().find(|(known, _)| *known == parts) {
            Some((_, sum)) => *sum = sum.add(&key),
            None => by_query.push((parts, key)),
        }
    }
    by_query
}

/// Activations of queries beyond this are shared with their keys.
const LARGEST_ACTIVATION: f64 = 16_384.0;

/// The power of two that a query gives to its key, so that neither is much larger than the other.
fn balance(plan: &Plan, query: &Linear, key: &Linear) -> f64 {
    let (query, key) = (largest(plan, query), largest(plan, key));
    if query <= LARGEST_ACTIVATION || key <= 0.0 {
        return 1.0;
    }
    2f64.powf(((query / key).log2() / 2.0).floor())
}

/// A bound on a linear read.
fn largest(plan: &Plan, linear: &Linear) -> f64 {
    let terms = linear.terms.iter().map(|(variable, factor)| {
        let variable = plan.variable(*variable);
        let values = variable.values.iter().chain([&variable.bos]);
        values.fold(0.0f64, |most, value| most.max((factor * value).abs()))
    });
    linear.constant.abs() + terms.sum::<f64>()
}

fn put(linear: &Linear, column: usize, triplets: &mut Triplets, bias: &mut [f64]) {
    let terms = linear.terms.iter();
    triplets.extend(terms.map(|(variable, factor)| (variable.0 as usize, column, *factor)));
    bias[column] += linear.constant;
}
