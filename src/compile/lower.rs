//! From the plan to weights: every linear read becomes a column of a matrix. Depends on `plan` and
//! `model` alone, so that a model can be lowered again from a plan that was stored with it.

use crate::model::{
    self, Attention, FeedForward, Head, Layer, Mask, Matrix, Model, Readout, Variable,
};
use crate::plan::{Attend, Dimension, Kind, Linear, Plan, ReadOut, VariableId, Written, columns};
use std::collections::BTreeMap;

type Triplets = Vec<(usize, usize, f64)>;

/// The model of a plan whose operations have layers.
pub fn lower(plan: &Plan) -> Model {
    let (directions, width) = plan.directions();
    let mut lowering = Lowering {
        plan,
        directions,
        width,
        one: None,
    };
    lowering.one = plan.holding(&Written::One, 0.0).map(|one| lowering.at(one));
    let layers: Vec<Layer> = (1..=plan.layers())
        .map(|layer| lowering.layer(layer))
        .collect();
    let ready = plan.readiness();
    let mut variables: Vec<Variable> = plan
        .views
        .iter()
        .map(|view| Variable {
            name: view.name.clone(),
            ready: view.ready(&ready),
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
        bos: plan.bos,
        vocabulary: plan.vocabulary.clone(),
        max_length: plan.max_length,
        causal: plan.causal,
        d_model: width,
        token_embedding: lowering.token_embedding(),
        position_embedding: lowering.position_embedding(),
        layers,
        loops: Vec::new(),
        outputs,
        directions: lowering.labels(),
        variables,
        plan: None,
        machine: None,
        certified: model::Exactness::new(),
        any_order: model::Exactness::new(),
        largest_activation: None,
    }
}

struct Lowering<'p> {
    plan: &'p Plan,
    /// The direction of each variable.
    directions: Vec<usize>,
    width: usize,
    one: Option<usize>,
}

impl Lowering<'_> {
    /// How many positions stand before the tokens.
    fn before_tokens(&self) -> usize {
        usize::from(self.plan.bos)
    }

    fn at(&self, variable: VariableId) -> usize {
        self.directions[variable.0 as usize]
    }

    /// Whether a variable stands in the direction of another.
    fn is_shared(&self, number: usize) -> bool {
        self.plan.below(VariableId(number as u32)).is_some()
    }

    /// What stands in each direction, in the order of time.
    fn labels(&self) -> Vec<String> {
        let mut labels = vec![String::new(); self.width];
        let ids = (0..self.plan.variables.len() as u32).map(VariableId);
        for first in ids.filter(|id| self.plan.below(*id).is_none()) {
            let label = &mut labels[self.at(first)];
            let mut id = first;
            label.clone_from(&self.plan.variable(id).label);
            let above = |id| self.plan.shared.iter().find(|(_, early)| *early == id);
            while let Some((late, _)) = above(id) {
                *label = format!("{label}, then {}", self.plan.variable(*late).label);
                id = *late;
            }
        }
        labels
    }

    fn put(&self, linear: &Linear, column: usize, triplets: &mut Triplets, bias: &mut [f64]) {
        let terms = linear.terms.iter();
        triplets.extend(terms.map(|(variable, factor)| (self.at(*variable), column, *factor)));
        bias[column] += linear.constant;
    }

    fn token_embedding(&self) -> Matrix {
        let tokens = self.plan.vocabulary.len();
        let mut triplets = Triplets::new();
        for (number, variable) in self.plan.variables.iter().enumerate() {
            let at = self.directions[number];
            if self.plan.bos {
                let id = VariableId(number as u32);
                triplets.push((tokens, at, self.plan.embedded_at_bos(id)));
            }
            match &variable.written {
                Written::Embed { tokens, .. } => {
                    triplets.extend(tokens.iter().enumerate().map(|(row, v)| (row, at, *v)));
                }
                Written::One => triplets.extend((0..tokens).map(|row| (row, at, 1.0))),
                // What comes before this part writes the second.
                Written::Flag | Written::Given(..) => {}
                // Another stands there until heads have read it.
                Written::Attend | Written::FeedForward if self.is_shared(number) => {}
                Written::Attend | Written::FeedForward => {
                    if let Some(rounding) = variable.rounding {
                        let offset = rounding.offset();
                        triplets.extend((0..tokens).map(|row| (row, at, offset)));
                    }
                }
            }
        }
        Matrix::from_triplets(tokens + self.before_tokens(), self.width, triplets)
    }

    fn position_embedding(&self) -> Matrix {
        let mut triplets = Triplets::new();
        for (number, variable) in self.plan.variables.iter().enumerate() {
            let at = self.directions[number];
            if let Written::Embed { indices, .. } = &variable.written {
                let first = self.before_tokens();
                let rows = indices.iter().enumerate();
                triplets.extend(rows.map(|(row, v)| (row + first, at, *v)));
            }
        }
        let rows = self.plan.max_length + self.before_tokens();
        Matrix::from_triplets(rows, self.width, triplets)
    }

    fn layer(&self, layer: usize) -> Layer {
        let heads = self.plan.patterns(layer).into_iter();
        Layer {
            heads: heads.map(|attends| self.head(&attends)).collect(),
            mlp: self.feed_forward(layer),
        }
    }

    /// One head for operations with one pattern.
    fn head(&self, attends: &[&Attend]) -> Head {
        let first = attends[0];
        let dimensions = self.plan.dimensions(first);
        let d_head = dimensions.len();
        let (mut queries, mut keys) = (Triplets::new(), Triplets::new());
        let (mut query_bias, mut key_bias) = (vec![0.0; d_head], vec![0.0; d_head]);
        for (column, Dimension { query, key }) in dimensions.iter().enumerate() {
            self.put(query, column, &mut queries, &mut query_bias);
            self.put(key, column, &mut keys, &mut key_bias);
        }
        let (value, output, d_value) = self.values(attends);
        let width = self.width;
        Head {
            label: first.source.name.clone(),
            mask: Mask::All,
            attention: Attention::Soft,
            query: Matrix::from_triplets(width, d_head, queries),
            query_bias,
            key: Matrix::from_triplets(width, d_head, keys),
            key_bias,
            value: Matrix::from_triplets(width, d_value, value),
            output: Matrix::from_triplets(d_value, width, output),
        }
    }

    /// W_V and W_O.
    fn values(&self, attends: &[&Attend]) -> (Triplets, Triplets, usize) {
        let columns = columns(attends);
        let (mut value, mut output) = (Triplets::new(), Triplets::new());
        for (column, linear) in columns.iter().enumerate() {
            let terms = linear.terms.iter();
            value.extend(terms.map(|(variable, f)| (self.at(*variable), column, *f)));
        }
        for attend in attends {
            let known = columns.iter().position(|known| **known == attend.value);
            let Some(column) = known else {
                continue;
            };
            let factor = match attend.kind {
                Kind::Sum { level } => (level * self.plan.scale(attend).nats()).exp(),
                Kind::Width
                | Kind::Length
                | Kind::Mean
                | Kind::MeanOfSome
                | Kind::MeanOrBos
                | Kind::MeanOfPart => 1.0,
            };
            output.push((column, self.at(attend.into), factor));
        }
        (value, output, columns.len())
    }

    fn feed_forward(&self, layer: usize) -> FeedForward {
        let mut known: BTreeMap<(usize, (u64, u64)), usize> = BTreeMap::new();
        let (mut input, mut output, mut bias) = (Triplets::new(), Triplets::new(), Vec::new());
        for forward in self
            .plan
            .feed_forwards
            .iter()
            .filter(|op| op.layer == layer)
        {
            for unit in &forward.units {
                let key = (forward.bank, unit.key());
                let at = *known.entry(key).or_insert_with(|| {
                    let at = bias.len();
                    let read = self.plan.unit(forward, unit);
                    bias.push(self.threshold(read.constant, at, &mut input));
                    let terms = read.terms.iter();
                    input.extend(terms.map(|(variable, f)| (self.at(*variable), at, *f)));
                    at
                });
                let weight = unit.weight * self.plan.balance_of_unit(forward, unit);
                output.push((at, self.at(forward.into), weight));
            }
        }
        FeedForward {
            layer_norm: false,
            input: Matrix::from_triplets(self.width, bias.len(), input),
            output: Matrix::from_triplets(bias.len(), self.width, output),
            input_bias: bias,
            output_bias: vec![0.0; self.width],
        }
    }

    /// The bias of a unit; with sums through a sink BOS must stay exactly 0, so that there the
    /// variable that is 1 at tokens carries it.
    fn threshold(&self, offset: f64, unit: usize, input: &mut Triplets) -> f64 {
        match self.one {
            Some(one) => {
                input.push((one, unit, offset));
                0.0
            }
            None => offset,
        }
    }

    fn readout(&self, read_out: &ReadOut) -> Readout {
        let mut triplets = Triplets::new();
        let mut bias = Vec::with_capacity(read_out.scores.len());
        for (output, score) in read_out.scores.iter().enumerate() {
            let mut constant = score.constant;
            for (variable, factor) in &score.terms {
                let at = self.at(*variable);
                match Some(at) == self.one {
                    true => constant += factor,
                    false => triplets.push((at, output, *factor)),
                }
            }
            bias.push(constant);
        }
        Readout {
            weights: Matrix::from_triplets(self.width, read_out.scores.len(), triplets),
            bias,
            decoder: read_out.decoder.clone(),
        }
    }
}
