//! Heads. BOS is zero but for its flag, so that every query gives it logit 0 and value 0, and a
//! head computes `Σ e^l v / (1 + Σ e^l)`. Selected keys far above 0 make it a mean whose default
//! is 0; selected keys far below make it a sum, once W_O undoes the factor: counting is then
//! linear in the selector, and widths of disjoint cubes add in the residual stream.

use super::form::Form;
use super::literal::{Squares, Term};
use super::score::ScorePlan;
use super::{Bits, Compiler};
use crate::graph::{SOp, SOpId, SelectorId};
use crate::infer::cube::Cube;
use crate::infer::selector::SelectorFacts;
use crate::infer::space::VarId;
use crate::infer::{Stopped, VarKind};
use std::sync::Arc;

/// What a head makes of the values it selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadKind {
    Mean,
    Sum,
}

/// A head before it has a place: its logits, and what it writes where.
#[derive(Clone, Debug)]
pub struct HeadPlan {
    pub kind: HeadKind,
    /// Whether the logits only order the keys of a query, since one is always selected.
    pub relative: bool,
    pub cube: Cube,
    pub label: String,
    pub terms: Vec<Term>,
    /// What orders or weighs the selected keys, if there is such a score.
    pub scores: Option<ScorePlan>,
    /// A value, the variable it is part of, and the direction of that variable.
    pub values: Vec<(Form, VarId, usize)>,
}

/// What heads select, and what people call it.
struct Selected {
    facts: Arc<SelectorFacts>,
    label: String,
}

impl Compiler<'_> {
    /// Places the variables that are read, the last first: their directions, the heads that write
    /// them and, through these, demands on earlier variables.
    pub(super) fn place_variables(&mut self) -> Result<(), Stopped> {
        for at in (0..self.analysis.vars.len() as u32).rev() {
            let var = VarId(at);
            if self.is_categorical(var) {
                self.place_categorical(var)?;
            } else if self.wanted.contains(&var) {
                self.place_numerical(var)?;
            }
        }
        Ok(())
    }

    fn place_numerical(&mut self, var: VarId) -> Result<(), Stopped> {
        let graph = self.analysis.graph;
        match self.analysis.vars[var.0 as usize].kind {
            VarKind::Width(selector) => {
                let one = Form::constant(1.0);
                // The best key is one, if there is any.
                let best = self
                    .analysis
                    .selector(selector)
                    .is_some_and(|facts| facts.best.is_some());
                let kind = if best { HeadKind::Mean } else { HeadKind::Sum };
                self.write(&self.selected(selector), kind, &one, var, 0)
            }
            VarKind::Sum(id) => {
                let SOp::Aggregate {
                    selector, value, ..
                } = graph.get(id)
                else {
                    return Ok(());
                };
                let form = self.number(*value, 0.0)?;
                self.write(&self.selected(*selector), HeadKind::Sum, &form, var, 0)
            }
            VarKind::Mean(id) => {
                let SOp::Aggregate {
                    selector, value, ..
                } = graph.get(id)
                else {
                    return Ok(());
                };
                let form = self.real_number(*value, self.default_number(var))?;
                self.write(&self.selected(*selector), HeadKind::Mean, &form, var, 0)
            }
            VarKind::Weighted(id) => self.place_weighted(id, var),
            _ => Ok(()),
        }
    }

    fn place_weighted(&mut self, id: SOpId, var: VarId) -> Result<(), Stopped> {
        let (SOp::WeightedMean { value, .. }, Some(facts)) =
            (self.analysis.graph.get(id), self.analysis.weighted(id))
        else {
            return Ok(());
        };
        let facts = facts.clone();
        let Some((cube, scores)) = self
            .weight_plan(&facts)
            .map_err(|stopped| at(stopped, id))?
        else {
            return Ok(());
        };
        let form = self.real_number(*value, self.default_number(var))?;
        let label = self.analysis.var_name(var);
        self.demand(&form, &label);
        let head = self.head(&cube, HeadKind::Mean, false, Some(scores), label)?;
        self.heads[head].values.push((form, var, 0));
        Ok(())
    }

    /// What stands in the stream for a numerical variable is its value minus this.
    pub(super) fn default_number(&self, var: VarId) -> f64 {
        match self.analysis.vars[var.0 as usize].kind {
            VarKind::Mean(id) => match self.analysis.graph.get(id) {
                SOp::Aggregate { default, .. } => default.as_float().unwrap_or(0.0),
                _ => 0.0,
            },
            VarKind::Weighted(id) => match self.analysis.graph.get(id) {
                SOp::WeightedMean { default, .. } => default.as_float().unwrap_or(0.0),
                _ => 0.0,
            },
            _ => 0.0,
        }
    }

    /// The s-op's number minus another.
    pub(super) fn number(&mut self, id: SOpId, minus: f64) -> Result<Form, Stopped> {
        let node = self.analysis.node(id)?;
        let numbers = node.column.values.numbers().unwrap_or_default();
        let function: Vec<f64> = numbers.iter().map(|number| number - minus).collect();
        let label = self.name(id);
        self.feature(id, &function, false, &label)
    }

    fn place_categorical(&mut self, var: VarId) -> Result<(), Stopped> {
        let Some(demands) = self.demands.get(&var) else {
            return Ok(());
        };
        let function = |bits: &Bits| bits.iter().copied().map(f64::from_bits).collect();
        let demands = demands.iter();
        let demands: Vec<_> = demands
            .map(|(bits, l)| (function(bits), l.clone()))
            .collect();
        let kind = self.analysis.vars[var.0 as usize].kind;
        let domain = self.analysis.values(var).domain.clone();
        let reference = match kind {
            VarKind::Pick(id) => match self.analysis.graph.get(id) {
                SOp::Aggregate { default, .. } | SOp::WeightedMean { default, .. } => Some(
                    domain
                        .iter()
                        .position(|value| value == default)
                        .unwrap_or(0),
                ),
                _ => None,
            },
            VarKind::Cut(_) => Some(0),
            _ => None,
        };
        let wish = match kind {
            VarKind::Pick(id) => self.analysis.graph.encoding(id),
            _ => None,
        };
        let name = self.analysis.var_name(var);
        let basis = super::basis::Basis::new(domain.len(), reference, wish, &demands, |value| {
            format!("{name} = {}", domain[value].source())
        });
        let functions: Vec<(Vec<f64>, String)> = basis
            .columns
            .iter()
            .map(|column| (column.function.clone(), column.label.clone()))
            .collect();
        self.bases.insert(var, basis);
        match kind {
            VarKind::Pick(id) => self.pick(id, var, &functions),
            VarKind::Cut(id) => {
                let mut forms = Vec::with_capacity(functions.len());
                for (function, label) in &functions {
                    let function = self.carried(id, var, function)?;
                    let form = self.feature(id, &function, false, label)?;
                    self.demand(&form, label);
                    forms.push(form);
                }
                self.cuts.insert(var, forms);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A function of a variable's values as one of the values of an s-op.
    fn carried(&self, id: SOpId, var: VarId, function: &[f64]) -> Result<Vec<f64>, Stopped> {
        let domain = &self.analysis.values(var).domain;
        let node = self.analysis.node(id)?;
        let values = node.column.values.domain.iter();
        Ok(values
            .map(|value| {
                // A value that the variable never has is never selected.
                let at = domain.binary_search_by(|known| known.canonical_order(value));
                at.map_or(0.0, |at| function[at])
            })
            .collect())
    }

    fn pick(
        &mut self,
        id: SOpId,
        var: VarId,
        functions: &[(Vec<f64>, String)],
    ) -> Result<(), Stopped> {
        let (value, selected) = match self.analysis.graph.get(id) {
            SOp::Aggregate {
                selector, value, ..
            } => (*value, self.selected(*selector)),
            SOp::WeightedMean { value, .. } => {
                let facts = self.analysis.weighted(id);
                let support = facts.and_then(|facts| facts.support.clone());
                let label = self.analysis.var_name(var);
                (*value, support.map(|facts| Selected { facts, label }))
            }
            _ => return Ok(()),
        };
        let kind = match &selected {
            Some(selected) if selected.facts.cubes.len() == 1 => HeadKind::Mean,
            _ => HeadKind::Sum,
        };
        for (at, (function, label)) in functions.iter().enumerate() {
            let function = self.carried(value, var, function)?;
            let form = self.feature(value, &function, false, label)?;
            self.write(&selected, kind, &form, var, at)?;
        }
        Ok(())
    }

    fn selected(&self, selector: SelectorId) -> Option<Selected> {
        let facts = self.analysis.selector(selector)?.clone();
        let label = self.analysis.graph.describe_selector(selector);
        Some(Selected { facts, label })
    }

    /// Has the heads of a selector write a value.
    fn write(
        &mut self,
        selected: &Option<Selected>,
        kind: HeadKind,
        value: &Form,
        var: VarId,
        direction: usize,
    ) -> Result<(), Stopped> {
        let Some(Selected { facts, label: name }) = selected else {
            return Ok(());
        };
        let culprit = self.culprit(var);
        let scores = match &facts.best {
            Some(table) => Some(
                self.best_plan(table)
                    .map_err(|stopped| at(stopped, culprit))?,
            ),
            None => None,
        };
        let relative = kind == HeadKind::Mean && facts.non_empty && scores.is_none();
        let label = self.analysis.var_name(var);
        self.demand(value, &label);
        for cube in facts.cubes.iter() {
            let head = self.head(cube, kind, relative, scores.clone(), name.clone())?;
            self.heads[head]
                .values
                .push((value.clone(), var, direction));
        }
        Ok(())
    }

    /// The s-op that a variable stands for, if it is one.
    fn culprit(&self, var: VarId) -> Option<SOpId> {
        match self.analysis.vars[var.0 as usize].kind {
            VarKind::Pick(id) | VarKind::Mean(id) | VarKind::Sum(id) | VarKind::Weighted(id) => {
                Some(id)
            }
            VarKind::Tokens | VarKind::Indices | VarKind::Width(_) | VarKind::Cut(_) => None,
        }
    }

    /// The head for a cube, made if there is none yet.
    fn head(
        &mut self,
        cube: &Cube,
        kind: HeadKind,
        relative: bool,
        scores: Option<ScorePlan>,
        label: String,
    ) -> Result<usize, Stopped> {
        let same = |head: &HeadPlan| {
            (head.kind, head.relative) == (kind, relative)
                && head.cube == *cube
                && head.scores == scores
        };
        if let Some(known) = self.heads.iter().position(same) {
            return Ok(known);
        }
        let squares = match (&scores, relative) {
            (Some(_), _) => Squares::Never,
            (None, true) => Squares::Relative,
            (None, false) => Squares::Absolute,
        };
        let mut terms = Vec::new();
        for literal in &cube.literals {
            terms.extend(self.literal(literal, squares)?);
        }
        let scored = scores.iter().flat_map(|scores| &scores.terms);
        for term in terms.iter().chain(scored) {
            self.demand(&term.query, &label);
            self.demand(&term.key, &label);
        }
        self.heads.push(HeadPlan {
            kind,
            relative,
            cube: cube.clone(),
            label,
            terms,
            scores,
            values: Vec::new(),
        });
        Ok(self.heads.len() - 1)
    }
}

/// A reason with the s-op where it lies, if that is known.
fn at(stopped: Stopped, culprit: impl Into<Option<SOpId>>) -> Stopped {
    Stopped {
        culprit: stopped.culprit.or(culprit.into()),
        ..stopped
    }
}
