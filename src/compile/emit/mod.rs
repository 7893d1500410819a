//! The plan: every variable that is placed becomes residual variables, every head and feature an
//! operation on them. What a head moves loses its constant, since each row of attention sums to 1;
//! its readers add it again.

mod attend;
pub(crate) mod readout;
mod view;

use crate::base::{Code, Span};
use crate::compile::feature::inverse::inverse;
use crate::compile::feature::rounded::rounding;
use crate::compile::feature::units::in_bfloat16;
use crate::compile::head::Target;
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::{Care, Compiler};
use crate::graph::{Encoding, SOpId, SelectorId};
use crate::infer::space::VarId;
use crate::infer::{Analysis, Operand, Stopped, VarKind};
use crate::model::is_bfloat16;
use crate::plan::{
    FeedForward, Kind, Linear, Plan, Rounding, Source, Style, Variable, VariableId, Written,
    ascending, outputs,
};
use crate::value::Value;
use readout::Output;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use view::called;

/// The plan for a compiler whose variables are placed.
///
/// # Errors
/// The analysis was interrupted, or hidden units would read too many values.
pub fn plan(compiler: &Compiler, roots: &[SOpId], outputs: Vec<Output>) -> Result<Plan, Stopped> {
    check_values(compiler)?;
    let setting = compiler.analysis.setting;
    let plan = Plan {
        name: compiler.name(roots[0]),
        style: compiler.style,
        host: compiler.host,
        bos: compiler.bos(),
        vocabulary: setting.vocabulary.clone(),
        max_length: setting.max_length,
        causal: setting.causal,
        variables: Vec::new(),
        attends: Vec::new(),
        feed_forwards: Vec::new(),
        outputs: Vec::new(),
        views: Vec::new(),
        shared: Vec::new(),
        remarks: Vec::new(),
    };
    let mut emitter = Emitter {
        compiler,
        plan,
        places: BTreeMap::new(),
        offsets: BTreeMap::new(),
        features: Vec::new(),
        sink: None,
    };
    emitter.sink = (!compiler.bos()).then(|| emitter.plan.sink());
    emitter.variables();
    emitter.shares();
    emitter.offsets();
    compiler.analysis.if_interrupted()?;
    emitter.feed_forwards();
    for head in &compiler.heads {
        compiler.analysis.if_interrupted()?;
        emitter.attends(head);
    }
    if !emitter.plan.hold_never_written() {
        let reason = "a mean of nothing is read beside other numbers".to_string();
        return Err(Stopped::new(Code::NotExact, reason));
    }
    for (root, output) in roots.iter().zip(&outputs) {
        if emitter.lacks_digits(output) {
            emitter.plan.add_one_of_biases();
        }
        let output = emitter.read_out(compiler.name(*root), Some(*root), output.clone());
        emitter.plan.outputs.push(output);
    }
    emitter.views(roots, &outputs);
    Ok(emitter.plan)
}

/// # Errors
/// Hidden units that would read more values than the limit, each as often as something is a function
/// of it.
fn check_values(compiler: &Compiler) -> Result<(), Stopped> {
    let most = compiler.analysis.limits.hidden_values;
    let features = compiler.features.values();
    let values = features.map(|feature| compiler.arguments[feature.argument].points.len());
    if values.fold(0, usize::saturating_add) <= most {
        return Ok(());
    }
    let reason = format!("its hidden units would read more than {most} values in all");
    Err(Stopped::new(Code::DomainTooLarge, reason))
}

pub(super) struct Emitter<'c, 'a> {
    pub(super) compiler: &'c Compiler<'a>,
    pub(super) plan: Plan,
    /// The residual variables of directions, and of what else heads write.
    pub(super) places: BTreeMap<Target, VariableId>,
    /// What is to be added to what heads write.
    offsets: BTreeMap<VariableId, f64>,
    pub(super) features: Vec<VariableId>,
    /// The variable that is 1 at position 0, where that is the sink.
    sink: Option<VariableId>,
}

impl Emitter<'_, '_> {
    fn variables(&mut self) {
        let compiler = self.compiler;
        for at in 0..compiler.analysis.vars.len() as u32 {
            let var = VarId(at);
            if compiler.bases.contains_key(&var) {
                self.categorical(var);
            } else if compiler.wanted.contains(&var) {
                let target = Target::Direction(var, 0);
                let numbers = compiler.analysis.values(var).numbers().unwrap_or_default();
                let default = compiler.default_number(var);
                let values = numbers.iter().map(|number| number - default).collect();
                let label = compiler.target_name(target);
                let (label, values) = self.given((var, 0), label, values);
                let id = self.add(label, self.source_of(var), Written::Attend, values, 0.0);
                self.round(id, var);
                self.places.insert(target, id);
            }
        }
        for (selector, cube) in &compiler.inverses {
            let target = Target::Inverse(*selector, *cube);
            let widths = compiler.cube_widths(*selector);
            let values = widths.iter().map(|width| inverse(*width)).collect();
            let label = compiler.target_name(target);
            let source = self.selector_source(*selector);
            let bos = f64::from(u8::from(self.plan.bos));
            let id = self.add(label, source, Written::Attend, values, bos);
            self.places.insert(target, id);
        }
        for feature in compiler.features.values() {
            let argument = &compiler.arguments[feature.argument];
            let values = match argument.is_real {
                true => Vec::new(),
                false => outputs(&feature.units, &argument.points),
            };
            let source = feature.of.map(|id| self.sop_source(id));
            let source = source.unwrap_or_else(|| self.source(feature.label.clone(), None));
            let label = match feature.of.is_some_and(|id| compiler.is_added(id)) {
                true => feature.label.clone(),
                false => called(&source, &feature.label),
            };
            let id = self.add(label, source, Written::FeedForward, values, 0.0);
            self.plan.variables[id.0 as usize].asked_for = feature.asked_for;
            self.features.push(id);
        }
    }

    /// What a head may give for a direction, and what that is called, where it is not what the
    /// direction is.
    fn given(&self, place: (VarId, usize), label: String, values: Vec<f64>) -> (String, Vec<f64>) {
        match self.compiler.gates.get(&place) {
            Some(gate) => (format!("{label}, or of position 0"), gate.values.clone()),
            None => (label, values),
        }
    }

    /// The attention to position 0. These come last, so that hidden units that take away what is exact
    /// add them last.
    fn shares(&mut self) {
        let compiler = self.compiler;
        let shares = compiler
            .shares
            .iter()
            .map(|selector| (selector, false, None));
        let empties = compiler.empties.iter();
        let empties = empties.map(|(selector, nothing)| (selector, nothing.rounds, Some(0.0)));
        for (selector, rounds, nothing) in shares.chain(empties) {
            let target = Target::Share(*selector);
            let keys = 0..compiler.analysis.setting.max_length;
            let values = keys.map(inverse).chain(nothing).collect();
            let label = compiler.target_name(target);
            let span = compiler.analysis.graph.selector_span(*selector);
            let source = self.source(label.clone(), Some(span));
            let id = self.add(label, source, Written::Attend, values, 0.0);
            if rounds {
                self.hold(id, Rounding::finest(1.0));
            }
            self.places.insert(target, id);
        }
    }

    fn categorical(&mut self, var: VarId) {
        let compiler = self.compiler;
        let kind = compiler.analysis.kind(var);
        if matches!(kind, VarKind::Materialised(_)) {
            return;
        }
        let basis = &compiler.bases[&var];
        for (direction, column) in basis.columns.iter().enumerate() {
            let written = match kind {
                VarKind::Tokens => Written::Embed {
                    tokens: self.by_token(&column.function),
                    indices: Vec::new(),
                },
                VarKind::Indices => Written::Embed {
                    tokens: Vec::new(),
                    indices: column.function.clone(),
                },
                VarKind::Given(sop) => {
                    let value = u32::try_from(direction).unwrap_or(u32::MAX);
                    Written::Given(sop.0, value)
                }
                VarKind::Width(_)
                | VarKind::Sum(_)
                | VarKind::Mean(_)
                | VarKind::Pick(_)
                | VarKind::Materialised(_)
                | VarKind::Weighted(_)
                | VarKind::Total { .. } => Written::Attend,
            };
            let source = self.source_of(var);
            let label = called(&source, &column.label);
            let (label, values) = self.given((var, direction), label, column.function.clone());
            let id = self.add(label, source, written, values, 0.0);
            if !matches!(kind, VarKind::Tokens | VarKind::Indices | VarKind::Given(_)) {
                self.round(id, var);
                self.plan.variables[id.0 as usize].asked_for = if let VarKind::Pick(sop) = kind {
                    compiler.analysis.graph.encoding(sop) == Some(Encoding::Categorical)
                } else {
                    false
                };
            }
            self.places.insert(Target::Direction(var, direction), id);
        }
    }

    /// A function of the token, in the order of the vocabulary; the domain is sorted.
    fn by_token(&self, function: &[f64]) -> Vec<f64> {
        let domain = &self.compiler.analysis.values(Analysis::TOKENS).domain;
        let of: FxHashMap<&Value, f64> = domain.iter().zip(function.iter().copied()).collect();
        let vocabulary = &self.compiler.analysis.setting.vocabulary;
        vocabulary.iter().map(|token| of[token]).collect()
    }

    fn add(
        &mut self,
        label: String,
        source: Source,
        written: Written,
        values: Vec<f64>,
        bos: f64,
    ) -> VariableId {
        self.plan.add(Variable {
            label,
            source,
            written,
            bos,
            values: ascending(values),
            rounding: None,
            asked_for: false,
        })
    }

    /// Has a variable round what is written to it, if its readers want that and it can.
    fn round(&mut self, id: VariableId, var: VarId) {
        if !self.compiler.rounded.contains(&var) {
            return;
        }
        let values = &self.plan.variable(id).values;
        let rounding = rounding(values, self.plan.max_length, self.compiler.noise(var));
        self.hold(id, rounding);
    }

    fn hold(&mut self, id: VariableId, rounding: Option<Rounding>) {
        let variable = &mut self.plan.variables[id.0 as usize];
        variable.rounding = rounding;
        if let Some(rounding) = variable.rounding {
            let offset = rounding.offset();
            variable.values = variable.values.iter().map(|value| value + offset).collect();
            self.offsets.insert(id, -offset);
        }
    }

    pub(super) fn source(&self, name: String, span: Option<Span>) -> Source {
        let span = span.map(|span| (span.source.0, span.start, span.end));
        Source { name, span }
    }

    pub(super) fn sop_source(&self, id: impl Into<Operand>) -> Source {
        let id = id.into();
        let analysis = self.compiler.analysis;
        let span = id.sop().map(|id| analysis.graph.span(id));
        self.source(analysis.describe(id), span)
    }

    fn source_of(&self, var: VarId) -> Source {
        let analysis = self.compiler.analysis;
        let kind = analysis.kind(var);
        if let VarKind::Width(selector) = kind {
            return self.selector_source(selector);
        }
        match kind.sop() {
            Some(id) => self.sop_source(id),
            None => self.source(analysis.var_name(var), None),
        }
    }

    fn selector_source(&self, selector: SelectorId) -> Source {
        let graph = self.compiler.analysis.graph;
        let span = Some(graph.selector_span(selector));
        self.source(graph.describe_selector(selector), span)
    }

    /// What each head drops of what it moves, from the first variable on: values read earlier ones
    /// only.
    fn offsets(&mut self) {
        if self.plan.style == Style::Compact {
            return;
        }
        let compiler = self.compiler;
        let mut writes: Vec<(Target, &LinearRead)> = compiler
            .heads
            .iter()
            .filter(|head| head.kind != Kind::Width)
            .flat_map(|head| head.values.iter().map(|(read, target)| (*target, read)))
            .collect();
        writes.sort_by_key(|(target, _)| *target);
        for (target, read) in writes {
            let (_, dropped) = self.moved(read);
            let into = self.places[&target];
            *self.offsets.entry(into).or_insert(0.0) += dropped;
            if dropped != 0.0 {
                let values = &mut self.plan.variables[into.0 as usize].values;
                *values = values.iter().map(|value| value - dropped).collect();
            }
        }
    }

    /// What a head moves, and the constant that it drops. What a variable that rounds holds is averaged
    /// without its large number where that would cost digits.
    pub(super) fn moved(&mut self, read: &LinearRead) -> (Linear, f64) {
        let mut value = self.resolve(read);
        let constant = std::mem::take(&mut value.constant);
        if self.compiler.care != Care::Exact {
            return (value, constant);
        }
        let rounding = |id| self.plan.variable(id).rounding;
        let large = value.at(|id| rounding(id).map_or(0.0, Rounding::offset));
        if large == 0.0 {
            return (value, constant);
        }
        (
            value.plus(self.plan.one_at_tokens(), -large),
            constant + large,
        )
    }

    /// The linear read over residual variables.
    pub(super) fn resolve(&mut self, read: &LinearRead) -> Linear {
        let mut linear = Linear::default();
        self.add_form(read, 1.0, &mut linear);
        if self.plan.style == Style::Compact && linear.constant != 0.0 {
            let constant = std::mem::take(&mut linear.constant);
            linear = linear.plus(self.plan.one(), constant);
        }
        linear
    }

    pub(super) fn add_form(&self, read: &LinearRead, factor: f64, linear: &mut Linear) {
        let compiler = self.compiler;
        linear.constant += factor * read.constant;
        for (var, function) in &read.functions {
            let coordinates = compiler
                .bases
                .get(var)
                .and_then(|b| b.coordinates(function));
            let Some((constant, coordinates)) = coordinates else {
                unreachable!("what is read was demanded, and a basis spans its demands");
            };
            linear.constant += factor * constant;
            for (at, coordinate) in coordinates.iter().enumerate() {
                if *coordinate == 0.0 {
                    continue;
                }
                match compiler.materialised.get(var) {
                    Some(reads) => self.add_form(&reads[at], factor * coordinate, linear),
                    None => match compiler.gates.get(&(*var, at)) {
                        Some(gate) => self.add_form(&gate.read, factor * coordinate, linear),
                        None => self.read(
                            self.places[&Target::Direction(*var, at)],
                            factor * coordinate,
                            linear,
                        ),
                    },
                }
            }
        }
        for (scalar, coefficient) in &read.scalars {
            let factor = factor * coefficient;
            let target = match *scalar {
                Scalar::Attention(var) => {
                    linear.constant += factor * compiler.default_number(var);
                    if let Some(gate) = compiler.gates.get(&(var, 0)) {
                        self.add_form(&gate.read, factor, linear);
                        continue;
                    }
                    Target::Direction(var, 0)
                }
                Scalar::Count(selector) => {
                    self.add_form(&compiler.counts[&selector], factor, linear);
                    continue;
                }
                Scalar::Computed(feature) => {
                    self.read(self.features[feature], factor, linear);
                    continue;
                }
                Scalar::First => {
                    if let Some(sink) = self.sink {
                        self.read(sink, factor, linear);
                    }
                    continue;
                }
                Scalar::Inverse(selector, cube) => Target::Inverse(selector, cube),
                Scalar::Given(var, direction) => Target::Direction(var, direction),
                Scalar::Share(selector) => Target::Share(selector),
            };
            self.read(self.places[&target], factor, linear);
        }
    }

    fn read(&self, variable: VariableId, factor: f64, linear: &mut Linear) {
        let offset = self.offsets.get(&variable).copied().unwrap_or(0.0);
        linear.constant += factor * offset;
        *linear = std::mem::take(linear).plus(variable, factor);
    }

    fn feed_forwards(&mut self) {
        let compiler = self.compiler;
        for (at, feature) in compiler.features.values().enumerate() {
            let into = self.features[at];
            let argument = &compiler.arguments[feature.argument];
            let linear = self.resolve(&argument.read);
            let units = match compiler.host.is_bfloat16() {
                true => in_bfloat16(&feature.units, linear.constant, &argument.points),
                false => feature.units.clone(),
            };
            if compiler.host.is_bfloat16() {
                let mut biases = units
                    .iter()
                    .map(|unit| unit.slope * linear.constant + unit.offset);
                if !biases.all(is_bfloat16) {
                    self.plan.add_one_of_biases();
                }
            }
            self.plan.feed_forwards.push(FeedForward {
                source: self.plan.variable(into).source.clone(),
                argument: linear,
                points: argument.points.clone(),
                units,
                bank: at,
                into,
                layer: 0,
            });
        }
    }
}
