//! The weights. Every matrix is written as triplets from resolved forms; √d_head is folded into
//! W_Q, and temperatures follow from the longest input, so that attention leaks less than a fixed
//! small share (Tracr's fixed temperature is why its longer models drift).

use super::Compiler;
use super::form::Form;
use super::head::{HeadKind, HeadPlan};
use super::layout::Layout;
use super::readout::Output;
use super::steps::Step;
use crate::base::{Code, Diagnostic, Fallible};
use crate::graph::SOpId;
use crate::infer::Analysis;
use crate::infer::space::VarId;
use crate::model::{self, FeedForward, Head, Layer, Matrix, Model, Readout};

/// The share of attention that may leak to what is not selected.
const LEAK: f64 = 1e-9;

/// How much a count may be off because of keys that are not selected, if it is rounded anyway.
const COUNT_LEAK: f64 = 1e-4;

type Places = Vec<(usize, f64)>;
type Triplets = Vec<(usize, usize, f64)>;

/// The model for a compiler whose variables are placed.
///
/// # Errors
/// A model beyond the limits.
pub fn assemble(compiler: &Compiler, root: SOpId, output: Output) -> Fallible<Model> {
    let analysis = compiler.analysis;
    let span = analysis.graph.span(root);
    let layout = Layout::new(compiler);
    if layout.directions.len() > analysis.limits.model_width {
        let stopped = compiler.too_wide("directions", layout.directions.len());
        return Err(stopped.diagnostic(analysis.graph, root));
    }
    let missing = || {
        let message = "a value that the model reads has no place in its residual stream";
        Box::new(Diagnostic::error(Code::NotExact, message).at(span, "while compiling this"))
    };
    let assembly = Assembly {
        compiler,
        layout: &layout,
        level: level(analysis.setting.max_length),
    };
    let layers = assembly.layers().ok_or_else(missing)?;
    let readout = layout
        .readout(compiler, &output.form, output.decoder)
        .ok_or_else(missing)?;
    let model = assembly.model(root, layers, readout);
    if model.nonzero() > analysis.limits.model_parameters {
        let message = format!("the model would have {} parameters", model.nonzero());
        return Err(Diagnostic::error(Code::LimitReached, message)
            .at(span, "compiled from this")
            .into());
    }
    Ok(model)
}

/// The logit that outweighs all other keys of the longest input: a power of two that is at least
/// `ln(length / leak)`.
pub(super) fn level(max_length: usize) -> f64 {
    2f64.powf((max_length as f64 / LEAK).ln().log2().ceil())
}

struct Assembly<'c> {
    compiler: &'c Compiler<'c>,
    layout: &'c Layout,
    level: f64,
}

impl Assembly<'_> {
    fn width(&self) -> usize {
        self.layout.directions.len()
    }

    fn resolve(&self, form: &Form) -> Option<Places> {
        self.layout.resolve(self.compiler, form)
    }

    fn layers(&self) -> Option<Vec<Layer>> {
        let times = &self.layout.times;
        let compiler = self.compiler;
        let heads = compiler
            .heads
            .iter()
            .flat_map(|head| times.head_layers(compiler, head));
        let features =
            (0..compiler.features.len()).map(|feature| times.feature_layer(compiler, feature));
        let last_head = heads.max().unwrap_or(0);
        let count = features.max().unwrap_or(0).max(last_head);
        (1..=count)
            .map(|layer| {
                Some(Layer {
                    heads: self.heads(layer, layer == last_head)?,
                    mlp: self.mlp(layer)?,
                })
            })
            .collect()
    }

    fn heads(&self, layer: usize, last: bool) -> Option<Vec<Head>> {
        let mut heads = Vec::new();
        for plan in &self.compiler.heads {
            let values: Vec<&(Form, VarId, usize)> = plan
                .values
                .iter()
                .filter(|(value, _, _)| {
                    self.layout.times.head_layer(self.compiler, plan, value) == layer
                })
                .collect();
            if !values.is_empty() {
                heads.extend(self.head(plan, &values, last)?);
            }
        }
        Some(heads)
    }

    /// One head; nothing if all it would write is zero.
    fn head(
        &self,
        plan: &HeadPlan,
        values: &[&(Form, VarId, usize)],
        last: bool,
    ) -> Option<Option<Head>> {
        let (value, output) = self.values(plan, values)?;
        if value.is_empty() {
            return Some(None);
        }
        let logits = self.logits(plan, last)?;
        let d_head = logits.len();
        let scale = (d_head as f64).sqrt();
        let (mut queries, mut keys) = (Triplets::new(), Triplets::new());
        for (column, (query, key)) in logits.into_iter().enumerate() {
            queries.extend(query.into_iter().map(|(at, f)| (at, column, f * scale)));
            keys.extend(key.into_iter().map(|(at, f)| (at, column, f)));
        }
        let d_value = 1 + value
            .iter()
            .map(|(_, column, _)| *column)
            .max()
            .unwrap_or(0);
        Some(Some(Head {
            label: plan.label.clone(),
            query: Matrix::from_triplets(self.width(), d_head, queries),
            query_bias: vec![0.0; d_head],
            key: Matrix::from_triplets(self.width(), d_head, keys),
            key_bias: vec![0.0; d_head],
            value: Matrix::from_triplets(self.width(), d_value, value),
            output: Matrix::from_triplets(d_value, self.width(), output),
        }))
    }

    /// W_V and W_O: equal values share a column.
    fn values(
        &self,
        plan: &HeadPlan,
        values: &[&(Form, VarId, usize)],
    ) -> Option<(Triplets, Triplets)> {
        let factor = match plan.kind {
            HeadKind::Mean => 1.0,
            HeadKind::Sum => self.level.exp(),
        };
        let mut columns: Vec<Places> = Vec::new();
        let (mut value, mut output) = (Triplets::new(), Triplets::new());
        for (form, var, direction) in values {
            let places = self.resolve(form)?;
            if places.is_empty() {
                continue;
            }
            let column = columns.iter().position(|known| *known == places);
            let column = column.unwrap_or_else(|| {
                let column = columns.len();
                value.extend(places.iter().map(|(at, f)| (*at, column, *f)));
                columns.push(places);
                column
            });
            output.push((column, self.layout.starts.get(var)? + direction, factor));
        }
        Some((value, output))
    }

    /// The logit as products of a query and a key functional, equal ones merged.
    fn logits(&self, plan: &HeadPlan, last: bool) -> Option<Vec<(Places, Places)>> {
        // Selected keys stand one level above BOS in a mean and one below it in a sum; keys that
        // are not selected stand two levels lower. Scores only raise selected keys; those that are
        // not selected stand lower by the greatest score.
        let base = match plan.kind {
            HeadKind::Mean => self.level,
            HeadKind::Sum => -self.level,
        };
        let mut query = vec![(self.layout.one, base)];
        if let (Some(bos), false) = (self.layout.bos, last) {
            query.push((bos, -4.0 * self.level));
        }
        let mut products = vec![(query, vec![(self.layout.one, 1.0)])];
        let gap = self.gap(plan);
        let literals = plan.terms.iter().map(|term| (term, gap));
        let scores = plan.scores.iter().flat_map(|scores| &scores.terms);
        let scores = scores.map(|term| (term, 1.0));
        for (term, factor) in literals.chain(scores) {
            let query = self.resolve(&term.query.scaled(factor))?;
            let key = self.resolve(&term.key)?;
            if !query.is_empty() && !key.is_empty() {
                products.push((query, key));
            }
        }
        let by_key = merge(products.into_iter().map(|(query, key)| (key, query)));
        Some(merge(by_key.into_iter().map(|(key, query)| (query, key))))
    }

    /// How far keys that are not selected stand below those that are. In a sum over computed
    /// values it is no more than counting needs, since it multiplies their rounding errors.
    fn gap(&self, plan: &HeadPlan) -> f64 {
        let mut forms = plan.terms.iter().flat_map(|term| [&term.query, &term.key]);
        if plan.kind == HeadKind::Mean || forms.all(|form| form.is_embedded()) {
            let above = plan.scores.as_ref().map_or(0.0, |scores| scores.above);
            return 2.0 * self.level + above;
        }
        let analysis = self.compiler.analysis;
        let largest = plan
            .values
            .iter()
            .flat_map(|(_, var, _)| match self.compiler.bases.get(var) {
                Some(basis) => basis
                    .columns
                    .iter()
                    .flat_map(|c| c.function.clone())
                    .collect(),
                None => analysis.values(*var).numbers().unwrap_or_default(),
            })
            .fold(1.0f64, |largest, number| largest.max(number.abs()));
        (analysis.setting.max_length as f64 * largest / COUNT_LEAK)
            .ln()
            .ceil()
    }

    fn mlp(&self, layer: usize) -> Option<FeedForward> {
        let compiler = self.compiler;
        let mut units: Vec<(usize, Step)> = Vec::new();
        let (mut input, mut output) = (Triplets::new(), Triplets::new());
        for (at, feature) in compiler.features.values().enumerate() {
            if self.layout.times.feature_layer(compiler, at) != layer {
                continue;
            }
            for step in &feature.stairs.steps {
                let same = |(argument, known): &(usize, Step)| {
                    *argument == feature.argument
                        && (known.middle, known.slope) == (step.middle, step.slope)
                };
                let unit = match units.iter().position(same) {
                    Some(known) => known,
                    None => {
                        self.unit(units.len(), feature.argument, step, &mut input)?;
                        units.push((feature.argument, *step));
                        units.len() - 1
                    }
                };
                let column = self.layout.features[at];
                // A step below the anchor is one minus its mirror image.
                let (_, anchor) = compiler.arguments[feature.argument];
                let change = if step.middle < anchor {
                    -step.change
                } else {
                    step.change
                };
                output.push((2 * unit, column, change));
                output.push((2 * unit + 1, column, -change));
            }
        }
        let count = 2 * units.len();
        Some(FeedForward {
            input: Matrix::from_triplets(self.width(), count, input),
            input_bias: vec![0.0; count],
            output: Matrix::from_triplets(count, self.width(), output),
            output_bias: vec![0.0; self.width()],
        })
    }

    /// The two units of a step. Their thresholds are weights from `one`, not biases, so that they
    /// are silent at BOS.
    fn unit(
        &self,
        number: usize,
        argument: usize,
        step: &Step,
        input: &mut Triplets,
    ) -> Option<()> {
        let (argument, anchor) = &self.compiler.arguments[argument];
        let slope = if step.middle < *anchor {
            -step.slope
        } else {
            step.slope
        };
        let ramp = Form::constant(-step.middle)
            .plus(1.0, argument)
            .scaled(slope);
        for (which, half) in [(0, 0.5), (1, -0.5)] {
            let form = Form::constant(half).plus(1.0, &ramp);
            let places = self.resolve(&form)?;
            input.extend(
                places
                    .into_iter()
                    .map(|(at, f)| (at, 2 * number + which, f)),
            );
        }
        Some(())
    }

    fn model(&self, root: SOpId, layers: Vec<Layer>, readout: Readout) -> Model {
        let setting = self.compiler.analysis.setting;
        let (tokens, positions) = (setting.vocabulary.len(), setting.max_length);
        let one = |row| (row, self.layout.one, 1.0);
        let mut token_embedding: Triplets = (0..tokens).map(one).collect();
        token_embedding.extend(self.layout.bos.map(|bos| (tokens, bos, 1.0)));
        // The domain of tokens is sorted; the vocabulary is as it was given.
        let domain = &self.compiler.analysis.values(Analysis::TOKENS).domain;
        let places: Vec<usize> = setting
            .vocabulary
            .iter()
            .map(|token| domain.iter().position(|known| known == token).unwrap_or(0))
            .collect();
        self.embed(Analysis::TOKENS, &places, 0, &mut token_embedding);
        let mut position_embedding = Triplets::new();
        let places: Vec<usize> = (0..positions).collect();
        self.embed(Analysis::INDICES, &places, 1, &mut position_embedding);
        let width = self.width();
        let name = self.compiler.name(root);
        Model {
            name: name.clone(),
            vocabulary: setting.vocabulary.clone(),
            max_length: setting.max_length,
            causal: setting.causal,
            d_model: width,
            token_embedding: Matrix::from_triplets(tokens + 1, width, token_embedding),
            position_embedding: Matrix::from_triplets(positions + 1, width, position_embedding),
            layers,
            outputs: vec![model::Output { name, readout }],
            directions: self.layout.directions.clone(),
            variables: self.compiler.variables(self.layout, root),
        }
    }

    /// The rows of an embedding; `places` are the rows' values.
    fn embed(&self, var: VarId, places: &[usize], first: usize, triplets: &mut Triplets) {
        let (Some(basis), Some(start)) =
            (self.compiler.bases.get(&var), self.layout.starts.get(&var))
        else {
            return;
        };
        for (at, column) in basis.columns.iter().enumerate() {
            let rows = places.iter().enumerate();
            triplets.extend(
                rows.map(|(row, value)| (first + row, start + at, column.function[*value])),
            );
        }
    }
}

/// Adds up what belongs to equal functionals, in order of first appearance.
fn merge(products: impl Iterator<Item = (Places, Places)>) -> Vec<(Places, Places)> {
    let mut merged: Vec<(Places, std::collections::BTreeMap<usize, f64>)> = Vec::new();
    for (same, added) in products {
        let at = match merged.iter().position(|(known, _)| *known == same) {
            Some(at) => at,
            None => {
                merged.push((same, Default::default()));
                merged.len() - 1
            }
        };
        for (place, factor) in added {
            *merged[at].1.entry(place).or_insert(0.0) += factor;
        }
    }
    let sums = merged.into_iter().map(|(same, sum)| {
        let sum: Places = sum
            .into_iter()
            .filter(|(_, factor)| *factor != 0.0)
            .collect();
        (same, sum)
    });
    sums.filter(|(_, sum)| !sum.is_empty()).collect()
}
