//! A forward pass with everything seen on the way: the residual stream and the decoded variables
//! after the embedding and after each half layer, and the attention pattern of each head.

use super::activations::Activations;
use super::forward::Prepared;
use super::readout::PreparedReadout;
use super::scalar::{Precision, Scalar};
use crate::base::Fallible;
use crate::model::json::value_to_json;
use crate::model::{HostOrder, Model, Selected, half_layer};
use crate::value::Value;
use ndarray::Array2;
use serde_json::{Value as Json, json};

/// One forward pass. Positions start with BOS, if the model has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Whether the first position is that of BOS.
    pub bos: bool,
    /// The input, without BOS.
    pub tokens: Vec<Value>,
    /// The embedding, then the attention and the feed-forward block of each layer.
    pub steps: Vec<TraceStep>,
    /// What each output gives, in the model's order.
    pub outputs: Vec<Given>,
}

/// What one output gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The name of the output.
    pub name: String,
    /// One value for each token.
    pub values: Vec<Value>,
}

/// What there is after the embedding or a half layer.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceStep {
    /// Which half layer it is, as [`half_layer`] counts.
    pub half: usize,
    /// The round of its loop, from 0; 0 for a layer that runs once.
    pub round: usize,
    /// `[positions, d_model]`
    pub stream: Array2<f64>,
    /// The heads that just ran; none after the embedding and feed-forward blocks.
    pub heads: Vec<Pattern>,
    /// Every variable that can be read by now, in the model's order.
    pub variables: Vec<Decoded>,
}

/// Where one head looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// What of the program the head attends by.
    pub label: String,
    /// `[queries, keys]`; each row sums to 1, or to 0 where the query sees no key.
    pub weights: Array2<f64>,
    /// What the head selects, if somebody has said it.
    pub selected: Option<Selected>,
}

/// The share of a row's largest weight below which a weight is shown as a dot: what softmax leaves to
/// keys that are not selected. How much that is at most is said beside it.
const FAINT: f64 = 1e-9;

/// What stands for a faint weight; nothing stands for 0.
pub const FAINT_MARK: &str = "·";

/// What stands for position 0 where a query looks at it as at a sink.
pub const SINK_MARK: &str = "○";
/// What that is, in words.
pub const SINK_WORDS: &str = "position 0 as the sink, not selected";

impl Pattern {
    /// Whether a query looks at position 0 as at a sink.
    pub fn has_sink(&self) -> bool {
        let selected = self.selected.as_ref();
        selected.is_some_and(|selected| !selected.sink.is_empty())
    }

    /// Whether a weight is shown as a dot in a row, if it is not 0.
    pub fn is_faint<'a>(row: impl IntoIterator<Item = &'a f64>, weight: f64) -> bool {
        let largest = row.into_iter().copied().fold(0.0, f64::max);
        weight < FAINT * largest
    }

    /// The largest weight that is shown as a dot.
    pub fn largest_faint(&self) -> f64 {
        let rows = self.weights.rows().into_iter();
        let faint = rows.flat_map(|row| {
            let faint = row.into_iter().copied();
            faint.filter(move |weight| Pattern::is_faint(row, *weight))
        });
        faint.fold(0.0, f64::max)
    }
}

/// A variable as it is read from the residual stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// Its name in the program, or else its expression.
    pub name: String,
    /// As [`crate::model::Variable::ready`].
    pub ready: usize,
    /// One value for each position; the one at BOS need not mean anything.
    pub values: Vec<Value>,
}

/// Runs a model on one input and keeps everything.
///
/// # Errors
/// As [`super::run`].
pub fn trace(model: &Model, tokens: &[Value], precision: Precision) -> Fallible<Trace> {
    trace_in_order(model, tokens, precision, HostOrder::default())
}

/// The same, dividing by √d_head in another order.
///
/// # Errors
/// As [`super::run`].
pub fn trace_in_order(
    model: &Model,
    tokens: &[Value],
    precision: Precision,
    order: HostOrder,
) -> Fallible<Trace> {
    match precision {
        Precision::F32 => Tracer::<f32>::new(model, order)?.run(tokens),
        Precision::F64 => Tracer::<f64>::new(model, order)?.run(tokens),
    }
}

struct Tracer<'m, T> {
    model: &'m Model,
    prepared: Prepared<T>,
    variables: Vec<PreparedReadout<T>>,
}

impl<'m, T: Scalar> Tracer<'m, T> {
    fn new(model: &'m Model, order: HostOrder) -> Fallible<Tracer<'m, T>> {
        Ok(Tracer {
            model,
            prepared: Prepared::new(model)?.in_order(order),
            variables: PreparedReadout::of_variables(model),
        })
    }

    fn run(&self, tokens: &[Value]) -> Fallible<Trace> {
        let batch = self.prepared.batch(tokens)?;
        let mut x = self.prepared.embed(&batch);
        let positions = batch.columns();
        let mut steps = vec![self.step((0, 0), (&x, positions), Vec::new())];
        for (index, round, layer) in self.prepared.runs() {
            let named = &self.model.layers[index];
            let mut patterns = Vec::with_capacity(named.heads.len());
            let mut observe = |pattern: Array2<f64>| {
                patterns.push(Pattern {
                    label: named.heads[patterns.len()].label.clone(),
                    weights: pattern,
                    selected: None,
                });
            };
            let observe = Some(&mut observe as _);
            self.prepared.attend(layer, &mut x, &batch, observe);
            steps.push(self.step((2 * index + 1, round), (&x, positions), patterns));
            layer.feed_forward(&mut x);
            steps.push(self.step((2 * index + 2, round), (&x, positions), Vec::new()));
        }
        Ok(Trace {
            bos: self.model.bos,
            tokens: tokens.to_vec(),
            steps,
            outputs: self.outputs(&x, positions),
        })
    }

    fn outputs(&self, x: &Activations<T>, positions: usize) -> Vec<Given> {
        let named = self.model.outputs.iter().zip(&self.prepared.outputs);
        let given = named.map(|(output, readout)| Given {
            name: output.name.clone(),
            values: readout.read(x)[self.model.before_tokens()..positions].to_vec(),
        });
        given.collect()
    }

    /// What there is of a stream in its first columns, those of the positions.
    fn step(
        &self,
        (half, round): (usize, usize),
        (x, positions): (&Activations<T>, usize),
        heads: Vec<Pattern>,
    ) -> TraceStep {
        // What a later layer of the loop has made is there from its second round on.
        let looped = self
            .model
            .loops
            .iter()
            .find(|each| (2 * each.layers.start + 1..=2 * each.layers.end).contains(&half));
        let made = match looped {
            Some(each) if round > 0 => 2 * each.layers.end,
            _ => half,
        };
        let readable = self.model.variables.iter().zip(&self.variables);
        let decoded =
            readable
                .filter(|(variable, _)| variable.ready <= made)
                .map(|(variable, readout)| Decoded {
                    name: variable.name.clone(),
                    ready: variable.ready,
                    values: readout.read(x)[..positions].to_vec(),
                });
        TraceStep {
            half,
            round,
            stream: turned(x, positions),
            heads,
            variables: decoded.collect(),
        }
    }
}

/// The transpose `[columns, features]` of the first columns.
fn turned<T: Scalar>(x: &Activations<T>, columns: usize) -> Array2<f64> {
    let at = |(column, feature)| x.at(feature, column).widen();
    Array2::from_shape_fn((columns, x.features()), at)
}

impl TraceStep {
    /// The half layer in words, and from the second round of a loop on, the round.
    pub(super) fn after(&self) -> String {
        let half = half_layer(self.half);
        match self.round {
            0 => half,
            round => format!("{half}, round {}", round + 1),
        }
    }
}

impl Trace {
    /// Sets beside each pattern what its head selects, as somebody knows it from the number of a layer,
    /// from 1, and the stream before it.
    pub fn beside<S>(&mut self, selected: impl Fn(usize, &Array2<f64>) -> S)
    where
        S: IntoIterator<Item = Option<Selected>>,
    {
        for at in 1..self.steps.len() {
            let (before, step) = self.steps.split_at_mut(at);
            let (Some(before), Some(step)) = (before.last(), step.first_mut()) else {
                continue;
            };
            let known = selected(step.half.div_ceil(2), &before.stream);
            for (head, known) in step.heads.iter_mut().zip(known) {
                head.selected = known;
            }
        }
    }

    /// The trace for other programs; `outputs` is an object where there are several. No variable has a
    /// value at BOS. Numbers that are not finite become `null`.
    pub fn to_json(&self) -> Json {
        let values = |values: &[Value]| values.iter().map(value_to_json).collect::<Json>();
        let pattern = |pattern: &Pattern| {
            let mut head = json!({ "label": pattern.label, "weights": rows(&pattern.weights) });
            if let Some(selected) = &pattern.selected {
                head["selected"] = json!(selected.keys);
                if !selected.sink.is_empty() {
                    head["sink"] = json!(selected.sink);
                }
            }
            head
        };
        let variable = |variable: &Decoded| {
            let mut at = values(&variable.values);
            if let (true, Some(bos)) = (self.bos, at.get_mut(0)) {
                *bos = Json::Null;
            }
            json!({"name": variable.name, "ready": variable.ready, "values": at})
        };
        let step = |step: &TraceStep| {
            json!({
                "after": step.after(),
                "stream": rows(&step.stream),
                "heads": step.heads.iter().map(pattern).collect::<Json>(),
                "variables": step.variables.iter().map(variable).collect::<Json>(),
            })
        };
        let given = |given: &Given| (given.name.clone(), values(&given.values));
        json!({
            "bos": self.bos,
            "tokens": values(&self.tokens),
            "steps": self.steps.iter().map(step).collect::<Json>(),
            "outputs": match &self.outputs[..] {
                [one] => values(&one.values),
                several => Json::Object(several.iter().map(given).collect()),
            },
        })
    }
}

fn rows(array: &Array2<f64>) -> Json {
    array
        .rows()
        .into_iter()
        .map(|row| row.iter().copied().collect::<Json>())
        .collect()
}
