//! Heads. In the faithful style a head's pattern is its selector: BOS is one more selected key
//! where a width is counted, half way down where nothing may be selected, and out of reach
//! otherwise. In the compact style a width is a sum through a sink: selected keys far below BOS,
//! whose value is 0, add up once W_O undoes the factor.

mod alternatives;
mod by_position;
mod by_width;
mod exponent;
pub(crate) mod literal;
mod notches;
mod placed;
mod score;
pub(crate) mod sink;
mod stand_in;
mod union;
mod window;

use crate::base::Span;
use crate::compile::linear::LinearRead;
use crate::compile::linear::basis::{Basis, reference_of_indices, without_direction};
use crate::compile::linear::by_shape::affine;
use crate::compile::{Bits, Care, Compiler, Want};
use crate::graph::{Encoding, SOp, SOpId, SelectorId};
use crate::infer::cube::Cube;
use crate::infer::selector::SelectorFacts;
use crate::infer::space::VarId;
use crate::infer::{Analysis, Operand, Stopped, VarKind};
use crate::model::is_bfloat16;
use crate::plan::pass::Choice;
use crate::plan::{Kind, Style, level};
use crate::value::Value;
use literal::{Needs, TermPlan};
use std::sync::Arc;

/// What a head writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A direction of a variable.
    Direction(VarId, usize),
    /// `1/(1+w)` for the width `w` of one cube of a selector.
    Inverse(SelectorId, usize),
    /// The attention that position 0 gets from the queries of a selector.
    Share(SelectorId),
}

/// A head before it has a place: its logits, and what it writes where.
#[derive(Clone, Debug)]
pub struct HeadPlan {
    pub kind: Kind,
    pub cube: Cube,
    pub label: String,
    pub span: Option<Span>,
    pub terms: Vec<TermPlan>,
    /// The most keys that a query selects.
    pub most: usize,
    /// A value and what it is written to.
    pub values: Vec<(LinearRead, Target)>,
}

/// What heads select, and what people call it.
pub struct Selected {
    pub facts: Arc<SelectorFacts>,
    pub label: String,
    pub span: Option<Span>,
    /// Whether the program fails where a query selects several keys: those have no mean.
    pub one_or_fails: bool,
    /// Whether position 0 is selected, where there is no BOS and a head can know it.
    pub selects_first: Option<SOpId>,
}

impl Compiler<'_> {
    fn place_numerical(&mut self, var: VarId) -> Result<(), Stopped> {
        let graph = self.analysis.graph;
        let target = Target::Direction(var, 0);
        match self.analysis.kind(var) {
            VarKind::Width(selector) => {
                let selected = self.selected(selector);
                let one = LinearRead::constant(1.0);
                match (self.style, &selected.facts.best) {
                    // The best key is one, if there is any.
                    (_, Some(_)) => self.write(&selected, Kind::Mean, &one, target),
                    (Style::Compact, None) => {
                        self.write(&selected, self.kind_of_sum(), &one, target)
                    }
                    (Style::Faithful, None) => {
                        // BOS counts: it is one more key, whose value is 0.
                        let (kind, first) = match self.bos() {
                            true => (Kind::Length, 2),
                            false => (Kind::Mean, 1),
                        };
                        let positions = 0..self.analysis.setting.max_length;
                        let values = positions.map(|index| (2 * index + first) as f64);
                        let value = LinearRead::function(Analysis::INDICES, values.collect());
                        self.write(&selected, kind, &value, target)
                    }
                }
            }
            kind @ (VarKind::Sum(id) | VarKind::Mean(id)) => {
                let SOp::Aggregate {
                    selector, value, ..
                } = graph.get(id)
                else {
                    return Ok(());
                };
                if kind == VarKind::Sum(id) {
                    let read = self.number(*value, 0.0)?;
                    return self.write(
                        &self.selected(*selector),
                        self.kind_of_sum(),
                        &read,
                        target,
                    );
                }
                let read = self.real_number(*value, self.default_number(var))?;
                let mut selected = self.selected(*selector);
                if self.bos() && selected.facts.cubes.len() > 1 {
                    let may_be_wide = self.care == Care::OneHead;
                    let Some(one) = selected.facts.in_one_cube(may_be_wide) else {
                        return self.write_union(*selector, &selected, &read, target);
                    };
                    selected.facts = one.into();
                }
                self.write(&selected, Kind::Mean, &read, target)?;
                self.gate_mean(id, &selected, (&read, *value), var)
            }
            VarKind::Weighted(id) => self.place_weighted(id, var),
            VarKind::Tokens
            | VarKind::Indices
            | VarKind::Given(_)
            | VarKind::Pick(_)
            | VarKind::Materialised(_)
            | VarKind::Total { .. } => Ok(()),
        }
    }

    /// What stands in the stream for a numerical variable is its value minus this.
    pub(super) fn default_number(&self, var: VarId) -> f64 {
        let kind = self.analysis.kind(var);
        let (VarKind::Mean(id) | VarKind::Weighted(id)) = kind else {
            return 0.0;
        };
        let sop = self.analysis.graph.get(id);
        if let SOp::Aggregate { selector, .. } = sop
            && self
                .analysis
                .selector(*selector)
                .is_some_and(|facts| facts.non_empty)
        {
            // It is nowhere the value.
            return 0.0;
        }
        sop.default().and_then(Value::as_float).unwrap_or(0.0)
    }

    /// The s-op's number minus another.
    pub(super) fn number(
        &mut self,
        id: impl Into<Operand>,
        minus: f64,
    ) -> Result<LinearRead, Stopped> {
        self.wanted_number(id.into(), minus, Want::Close)
    }

    /// The same, as precise as its reader wants it.
    pub(super) fn wanted_number(
        &mut self,
        id: Operand,
        minus: f64,
        want: Want,
    ) -> Result<LinearRead, Stopped> {
        let node = self.analysis.node(id)?;
        let numbers = node.column.values.numbers().unwrap_or_default();
        let function: Vec<f64> = numbers.iter().map(|number| number - minus).collect();
        let label = self.name(id);
        self.feature(id, &function, want, &label)
    }

    fn place_categorical(&mut self, var: VarId) -> Result<(), Stopped> {
        let Some(demands) = self.demands.get(&var) else {
            return Ok(());
        };
        let function = |bits: &Bits| bits.iter().copied().map(f64::from_bits).collect();
        let demands = demands.iter();
        let demands: Vec<(Vec<f64>, String)> = demands
            .map(|(bits, l)| (function(bits), l.clone()))
            .collect();
        let kind = self.analysis.kind(var);
        let domain = self.analysis.values(var).domain.clone();
        let reference = if let VarKind::Pick(id) = kind {
            let default = self.analysis.graph.get(id).default();
            let place = domain.iter().position(|value| Some(value) == default);
            place.unwrap_or(0)
        } else if kind == VarKind::Indices {
            reference_of_indices(&demands)
        } else {
            0
        };
        let wish = match self.chooses(Choice::Encode) {
            true => self.wish(kind, domain.len()),
            false => Some(Encoding::Categorical),
        };
        let name = self.analysis.var_name(var);
        let of = |reference, wish| {
            let label = |value: usize| format!("{name} = {}", domain[value].source());
            Basis::new(domain.len(), reference, wish, &demands, label)
        };
        let mut basis = of(reference, wish);
        if wish.is_none() && self.host.is_bfloat16() && !basis.is_all(&demands, is_bfloat16) {
            basis = of(reference, Some(Encoding::Categorical));
        }
        if kind == VarKind::Indices && basis.is_one_hot() && !self.shares.is_empty() {
            // What divides by the attention to position 0 takes all its digits.
            if let Some(other) = without_direction(&demands) {
                basis = of(other, Some(Encoding::Categorical));
            }
        } else if kind == VarKind::Indices {
            basis.hold_others_as_0();
        } else if kind == VarKind::Tokens {
            self.hold_near_steps(var, &mut basis);
            if self.draws_real {
                basis.centre();
            }
        }
        let functions: Vec<(Vec<f64>, String)> = basis
            .columns
            .iter()
            .map(|column| (column.function.clone(), column.label.clone()))
            .collect();
        self.bases.insert(var, basis);
        match kind {
            VarKind::Pick(id) => self.pick(id, var, &functions),
            VarKind::Materialised(id) => {
                // What position 0 holds may have to be compared to the bit.
                let want = match !self.bos() && self.care.is_careful() {
                    true => Want::Snapped,
                    false => Want::Close,
                };
                let mut reads = Vec::with_capacity(functions.len());
                for (function, label) in &functions {
                    let function = self.carried(id, var, function)?;
                    let read = self.feature(id, &function, want, label)?;
                    self.demand(&read, label)?;
                    reads.push(read);
                }
                self.materialised.insert(var, reads);
                Ok(())
            }
            VarKind::Tokens
            | VarKind::Indices
            | VarKind::Given(_)
            | VarKind::Width(_)
            | VarKind::Sum(_)
            | VarKind::Mean(_)
            | VarKind::Weighted(_)
            | VarKind::Total { .. } => Ok(()),
        }
    }

    /// A function of a variable's values as one of the values of an s-op.
    fn carried(&self, id: SOpId, var: VarId, function: &[f64]) -> Result<Vec<f64>, Stopped> {
        let domain = &self.analysis.values(var).domain;
        let node = self.analysis.node(id)?;
        let values = &node.column.values;
        let numbers = values.numbers();
        let line = affine(&self.analysis.values(var).numbers(), function);
        let mut carried = Vec::with_capacity(values.domain.len());
        for (number, value) in values.domain.iter().enumerate() {
            let at = domain.binary_search_by(|known| known.canonical_order(value));
            carried.push(match at {
                Ok(at) => function[at],
                // A value that the variable never has is never selected.
                Err(next) => match (&numbers, line) {
                    (Some(numbers), Some((slope, offset))) => slope * numbers[number] + offset,
                    (Some(_), None) if next == domain.len() => continued(&carried),
                    (Some(_), None) => carried.last().copied().unwrap_or(function[next]),
                    (None, _) => 0.0,
                },
            });
        }
        Ok(carried)
    }

    fn pick(
        &mut self,
        id: SOpId,
        var: VarId,
        functions: &[(Vec<f64>, String)],
    ) -> Result<(), Stopped> {
        let (value, mut selected) = match self.analysis.graph.get(id) {
            SOp::Aggregate {
                selector, value, ..
            } => (*value, self.selected(*selector)),
            SOp::WeightedMean { value, .. } => {
                let Some(selected) = self.weighing(id) else {
                    return Ok(());
                };
                (*value, selected)
            }
            SOp::Tokens
            | SOp::Indices
            | SOp::Constant(_)
            | SOp::Given(_)
            | SOp::Map { .. }
            | SOp::Width { .. } => return Ok(()),
        };
        let domain = &self.analysis.node(value)?.column.values.domain;
        let has_mean = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_));
        selected.one_or_fails = !domain.iter().any(has_mean);
        let kind = match (self.style, selected.facts.cubes.len()) {
            (Style::Faithful, _) | (Style::Compact, 1) => Kind::Mean,
            (Style::Compact, _) => self.kind_of_sum(),
        };
        for (at, (function, label)) in functions.iter().enumerate() {
            let function = self.carried(value, var, function)?;
            // What is rounded may not be far from what it stands for.
            let want = match self.care.is_careful() && self.rounded.contains(&var) {
                true => Want::Snapped,
                false => Want::Close,
            };
            let read = self.feature(value, &function, want, label)?;
            self.write(&selected, kind, &read, Target::Direction(var, at))?;
            self.gate(id, &selected, (&read, &function), (var, at))?;
        }
        Ok(())
    }

    /// That of a head through a sink.
    fn kind_of_sum(&self) -> Kind {
        Kind::Sum {
            level: level(self.analysis.setting.max_length),
        }
    }

    /// What the heads of an analysed selector select.
    pub(super) fn selected(&self, selector: SelectorId) -> Selected {
        let facts = self.analysis.selector(selector).cloned();
        let first = self.analysis.first;
        Selected {
            facts: facts.unwrap_or_else(|| unreachable!("what is placed was analysed")),
            label: self.analysis.graph.describe_selector(selector),
            span: Some(self.analysis.graph.selector_span(selector)),
            one_or_fails: false,
            selects_first: first.and_then(|first| first.selects.get(&selector).copied()),
        }
    }

    /// Has the heads of a selector write a value, one head for each cube.
    fn write(
        &mut self,
        selected: &Selected,
        kind: Kind,
        value: &LinearRead,
        target: Target,
    ) -> Result<(), Stopped> {
        let cubes = if kind == Kind::Mean && !self.bos() {
            Vec::from_iter(self.cube_of_mean(selected)?)
        } else {
            Vec::from_iter(0..selected.facts.cubes.len())
        };
        for cube in cubes {
            self.write_cube(selected, cube, kind, value, target)?;
        }
        Ok(())
    }

    /// Has the head of one cube write a value.
    pub(super) fn write_cube(
        &mut self,
        selected: &Selected,
        cube: usize,
        kind: Kind,
        value: &LinearRead,
        target: Target,
    ) -> Result<(), Stopped> {
        let facts = &selected.facts;
        let mut terms = Vec::new();
        if let Some(table) = &facts.best {
            let culprit = self.culprit(target);
            let best = self.best_plan(table);
            terms.extend(best.map_err(|stopped| at(stopped, culprit))?);
        }
        // A cube of several may be empty though their union is not.
        let non_empty = facts.non_empty && facts.cubes.len() == 1;
        let kind = if kind != Kind::Mean {
            kind
        } else if !self.bos() {
            self.kind_of_mean(selected, &mut terms)?
        } else if non_empty && terms.is_empty() {
            Kind::MeanOfSome
        } else if self.style == Style::Faithful && facts.best.is_none() && self.stands_in(facts) {
            Kind::MeanOrBos
        } else {
            kind
        };
        let widths = (0..self.analysis.environments.count()).map(|at| facts.width(at).1);
        let most = match facts.best.is_some() || selected.one_or_fails {
            true => 1,
            false => widths.max().unwrap_or(0),
        };
        self.write_head(
            HeadPlan {
                kind,
                cube: facts.cubes[cube].clone(),
                label: selected.label.clone(),
                span: selected.span,
                terms,
                most,
                values: Vec::new(),
            },
            value,
            target,
        )
    }

    pub(super) fn write_head(
        &mut self,
        head: HeadPlan,
        value: &LinearRead,
        target: Target,
    ) -> Result<(), Stopped> {
        let label = self.target_name(target);
        self.demand(value, &label)?;
        let head = self.head(head)?;
        self.heads[head].values.push((value.clone(), target));
        Ok(())
    }

    /// The head with this pattern, made if there is none yet; its terms may have scores.
    fn head(&mut self, mut plan: HeadPlan) -> Result<usize, Stopped> {
        let scores = plan.terms.clone();
        let same = |head: &HeadPlan| {
            head.kind == plan.kind
                && (head.most <= 1) == (plan.most <= 1)
                && head.cube == plan.cube
                && head.terms.len() == scores.len() + plan.cube.literals.len()
                && head.terms.ends_with(&scores)
        };
        if let Some(known) = self.heads.iter().position(same) {
            return Ok(known);
        }
        let is_scored = |term: &TermPlan| term.meaning.above().is_some();
        let needs = Needs {
            // The level of one key does not matter much; where several are averaged, theirs must be
            // the same.
            want: match (self.style, plan.most) {
                (Style::Faithful, 1) if !scores.iter().any(is_scored) => Want::Tolerant,
                _ => Want::Snapped,
            },
            kind: plan.kind,
        };
        let mut terms = Vec::new();
        for literal in &plan.cube.literals {
            let term = self.literal(literal, needs)?;
            let sees_sink = matches!(plan.kind, Kind::Width | Kind::Mean);
            terms.push(match sees_sink && !self.bos() {
                true => self.silenced(literal, term)?,
                false => term,
            });
        }
        terms.extend(scores);
        for product in terms.iter().flat_map(|term| &term.products) {
            self.demand(&product.query, &plan.label)?;
            self.demand(&product.key, &plan.label)?;
        }
        plan.terms = terms;
        self.heads.push(plan);
        Ok(self.heads.len() - 1)
    }
}

/// What a function may be where nobody reads it: it goes on as before, which takes no hidden unit.
fn continued(before: &[f64]) -> f64 {
    match before {
        [first, .., a, b] if a != b && first != b && first != a => 2.0 * b - a,
        [.., last] => *last,
        [] => 0.0,
    }
}

/// A reason with the s-op where it lies, if that is known.
pub(super) fn at(stopped: Stopped, culprit: impl Into<Option<SOpId>>) -> Stopped {
    Stopped {
        culprit: stopped.culprit.or(culprit.into()),
        ..stopped
    }
}
