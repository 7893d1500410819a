//! Where everything stands: the direction of each variable and feature in the residual stream, and
//! the layer of each head and hidden unit. A head comes right after the last thing it reads, a
//! feed-forward step in the same layer as the attention it reads, so that no layer is without
//! work.

use super::Compiler;
use super::form::{Form, Scalar};
use super::head::HeadPlan;
use super::linear::STACK;
use crate::infer::VarKind;
use crate::infer::space::VarId;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The directions of the residual stream.
pub struct Layout {
    pub directions: Vec<String>,
    /// 1 at every token, 0 at BOS.
    pub one: usize,
    /// 1 at BOS, 0 at every token; only if some head must keep BOS to itself.
    pub bos: Option<usize>,
    /// The first direction of each variable that has some.
    pub starts: BTreeMap<VarId, usize>,
    /// The direction of each feature.
    pub features: Vec<usize>,
    pub times: Times,
}

impl Layout {
    pub fn new(compiler: &Compiler) -> Layout {
        let times = Times::default();
        let mut layout = Layout {
            directions: vec!["one".to_string()],
            one: 0,
            bos: None,
            starts: BTreeMap::new(),
            features: Vec::new(),
            times,
        };
        if layout.needs_bos(compiler) {
            layout.bos = Some(layout.directions.len());
            layout.directions.push("BOS".to_string());
        }
        for at in 0..compiler.analysis.vars.len() as u32 {
            let var = VarId(at);
            let start = layout.directions.len();
            if let Some(basis) = compiler.bases.get(&var) {
                if !matches!(compiler.analysis.vars[at as usize].kind, VarKind::Cut(_)) {
                    let labels = basis.columns.iter().map(|column| column.label.clone());
                    layout.directions.extend(labels);
                    layout.starts.insert(var, start);
                }
            } else if compiler.wanted.contains(&var) {
                layout.directions.push(compiler.analysis.var_name(var));
                layout.starts.insert(var, start);
            }
        }
        for feature in compiler.features.values() {
            layout.features.push(layout.directions.len());
            layout.directions.push(feature.label.clone());
        }
        layout
    }

    /// BOS must see only itself where a later head reads it; under a causal mask it does anyway.
    fn needs_bos(&self, compiler: &Compiler) -> bool {
        if compiler.analysis.setting.causal {
            return false;
        }
        let layers: Vec<usize> = compiler
            .heads
            .iter()
            .flat_map(|head| self.times.head_layers(compiler, head))
            .collect();
        layers.iter().min() != layers.iter().max()
    }

    /// The form as directions with factors; `None` if something it reads has no place.
    pub fn resolve(&self, compiler: &Compiler, form: &Form) -> Option<Vec<(usize, f64)>> {
        let mut places: BTreeMap<usize, f64> = BTreeMap::new();
        self.add(compiler, form, 1.0, &mut places)?;
        Some(
            places
                .into_iter()
                .filter(|(_, factor)| *factor != 0.0)
                .collect(),
        )
    }

    fn add(
        &self,
        compiler: &Compiler,
        form: &Form,
        factor: f64,
        places: &mut BTreeMap<usize, f64>,
    ) -> Option<()> {
        *places.entry(self.one).or_insert(0.0) += factor * form.constant;
        for (var, function) in &form.functions {
            let (constant, coordinates) = compiler.bases.get(var)?.coordinates(function)?;
            *places.entry(self.one).or_insert(0.0) += factor * constant;
            let used = coordinates.iter().enumerate().filter(|(_, c)| **c != 0.0);
            for (at, coordinate) in used {
                if let Some(forms) = compiler.cuts.get(var) {
                    self.add(compiler, &forms[at], factor * coordinate, places)?;
                } else {
                    let start = self.starts.get(var)?;
                    *places.entry(start + at).or_insert(0.0) += factor * coordinate;
                }
            }
        }
        for (scalar, coefficient) in &form.scalars {
            let column = match scalar {
                Scalar::Attention(var) => {
                    let default = compiler.default_number(*var);
                    *places.entry(self.one).or_insert(0.0) += factor * coefficient * default;
                    *self.starts.get(var)?
                }
                Scalar::Computed(feature) => *self.features.get(*feature)?,
            };
            *places.entry(column).or_insert(0.0) += factor * coefficient;
        }
        Some(())
    }
}

/// When things can be read: 0 after the embedding, `2l - 1` after the attention of layer `l`, `2l`
/// after its feed-forward block.
#[derive(Default)]
pub struct Times {
    vars: RefCell<BTreeMap<VarId, usize>>,
    features: RefCell<BTreeMap<usize, usize>>,
}

impl Times {
    pub fn form(&self, compiler: &Compiler, form: &Form) -> usize {
        stacker::maybe_grow(STACK, 16 * STACK, || self.form_below(compiler, form))
    }

    fn form_below(&self, compiler: &Compiler, form: &Form) -> usize {
        let functions = form.functions.keys().map(|var| self.var(compiler, *var));
        let scalars = form.scalars.keys().map(|scalar| match scalar {
            Scalar::Attention(var) => self.var(compiler, *var),
            Scalar::Computed(feature) => 2 * self.feature_layer(compiler, *feature),
        });
        functions.chain(scalars).max().unwrap_or(0)
    }

    /// The layer of the feed-forward block that computes a feature.
    pub fn feature_layer(&self, compiler: &Compiler, feature: usize) -> usize {
        if let Some(known) = self.features.borrow().get(&feature) {
            return *known;
        }
        let (argument, _) = &compiler.arguments[compiler.features[feature].argument];
        let layer = self.form(compiler, argument) / 2 + 1;
        self.features.borrow_mut().insert(feature, layer);
        layer
    }

    /// The layer in which a head writes one of its values.
    pub fn head_layer(&self, compiler: &Compiler, head: &HeadPlan, value: &Form) -> usize {
        let scores = head.scores.iter().flat_map(|scores| &scores.terms);
        let terms = head
            .terms
            .iter()
            .chain(scores)
            .flat_map(|term| [&term.query, &term.key]);
        let latest = terms
            .chain([value])
            .map(|form| self.form(compiler, form))
            .max()
            .unwrap_or(0);
        latest.div_ceil(2) + 1
    }

    /// The layers in which a head is needed, one for each of its values.
    pub fn head_layers(&self, compiler: &Compiler, head: &HeadPlan) -> Vec<usize> {
        let values = head.values.iter();
        values
            .map(|(value, _, _)| self.head_layer(compiler, head, value))
            .collect()
    }

    fn var(&self, compiler: &Compiler, var: VarId) -> usize {
        if let Some(known) = self.vars.borrow().get(&var) {
            return *known;
        }
        let time = if let Some(forms) = compiler.cuts.get(&var) {
            forms
                .iter()
                .map(|form| self.form(compiler, form))
                .max()
                .unwrap_or(0)
        } else {
            let writes = compiler.heads.iter().flat_map(|head| {
                let values = head.values.iter().filter(|(_, written, _)| *written == var);
                values.map(move |(value, _, _)| self.head_layer(compiler, head, value))
            });
            writes.max().map_or(0, |layer| 2 * layer - 1)
        };
        self.vars.borrow_mut().insert(var, time);
        time
    }
}
