//! The meaning of RASP: the values of s-ops on an input. Every other backend is held against this
//! one. Each s-op needed becomes one column of atoms of one type (`column`, and in it `elementwise`,
//! `vector`); selectors stay symbolic (`selector`). `plan` alone decides how one is answered: as
//! signed conjunctions (`formula`, `count`), whose orders are axes (`axis`, `dominance`, `three`,
//! `maximum`), or in rows of bits (`rows`, `bits`); no matrix is ever stored. Predicates and scores of
//! keys and queries (`scorer`) are functions of one number (`linear`, `pieces`, `distance`) or looked at
//! pair by pair; `exact` divides sums. `generation` adds rows to what is already computed; `many`
//! evaluates short inputs together; `application` evaluates what is shown pair by pair.
//! Depends on `base`, `value` and `graph`.

mod aggregate;
mod application;
mod column;
mod cost;
mod exact;
pub mod fault;
mod generation;
mod many;
mod plan;
mod scorer;
mod seen;
mod selector;

use crate::graph::{Graph, SOp, SOpId, SelectorId};
use crate::value::sequence::display_sequence;
use crate::value::{SequenceType, Value};
pub use application::{Applicable, Application, evaluate_scorer, evaluate_selector};
use column::Column;
use column::elementwise;
use column::fuse::{self, Chains};
use column::segments::{Columns, Segments};
pub use cost::{Explanation, explain};
use fault::{Cause, Fault, check};
pub use fault::{Evaluated, Failed};
pub use generation::Generation;
pub use many::evaluate_many;
use rustc_hash::FxHashMap;
use scorer::weights::Weights;
use selector::Pattern;
use std::fmt;
use std::sync::Arc;

/// Goes on with a recursion, on more stack where little is left.
fn deeper<T>(go: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, go)
}

/// The values of one s-op on one input.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    pub values: Vec<Value>,
    pub sequence_type: SequenceType,
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&display_sequence(&self.values, self.sequence_type))
    }
}

/// The values of an s-op on an input.
///
/// # Errors
/// An empty input; an operation that fails at a position whose value is needed; values of
/// different types in one s-op; the mean of several values that are not numbers.
pub fn evaluate(graph: &Graph, root: SOpId, input: &[Value]) -> Evaluated<Sequence> {
    let mut evaluation = Evaluation::new(graph, input)?;
    evaluation.run(&[root])?;
    evaluation.sequence(root)
}

/// The values of several s-ops on an input, or why one has none. What they share is computed once.
///
/// # Errors
/// An empty input; an interruption.
pub fn evaluate_each(
    graph: &Graph,
    sops: &[SOpId],
    input: &[Value],
) -> Evaluated<Vec<Evaluated<Sequence>>> {
    let mut evaluation = Evaluation::new(graph, input)?;
    evaluation.run(sops)?;
    Ok(sops.iter().map(|id| evaluation.sequence(*id)).collect())
}

/// The columns computed so far for one input.
struct Evaluation<'a> {
    graph: &'a Graph,
    input: &'a [Value],
    /// The inputs that the input is made of, where it is several.
    segments: Option<Arc<Segments>>,
    /// Whether one of several inputs may have felt another.
    crossed: bool,
    columns: FxHashMap<SOpId, Arc<Column>>,
}

impl<'a> Evaluation<'a> {
    fn new(graph: &'a Graph, input: &'a [Value]) -> Evaluated<Evaluation<'a>> {
        if input.is_empty() {
            return Err(Cause::NoTokens.into());
        }
        Ok(Evaluation {
            graph,
            input,
            segments: None,
            crossed: false,
            columns: FxHashMap::default(),
        })
    }

    fn run(&mut self, roots: &[SOpId]) -> Evaluated<()> {
        self.run_with(roots, &mut |_, _| {})
    }

    /// Computes the roots and what they need, forgetting each column after its last reader.
    /// `watch` is called before each s-op is computed.
    ///
    /// # Errors
    /// It is interrupted. A column that was being computed then may hold anything: loops inside
    /// leave early.
    fn run_with(
        &mut self,
        roots: &[SOpId],
        watch: &mut dyn FnMut(&Evaluation<'_>, SOpId),
    ) -> Evaluated<()> {
        let order = self.graph.reachable(roots);
        let mut readers: FxHashMap<SOpId, usize> = FxHashMap::default();
        for id in order
            .iter()
            .flat_map(|id| self.graph.dependencies(*id))
            .chain(roots.to_vec())
        {
            *readers.entry(id).or_default() += 1;
        }
        let chains = Chains::new(self.graph, &order, roots);
        for id in order {
            let Some(chain) = chains.ending_in(id) else {
                continue;
            };
            watch(self, id);
            match fuse::column(self.graph, chain, |id| self.column(id), self.input.len()) {
                Some(column) => drop(self.columns.insert(id, Arc::new(column))),
                None => self.run_all(chain)?,
            }
            check(self.graph)?;
            for operand in chain.iter().flat_map(|id| self.graph.dependencies(*id)) {
                if let Some(count) = readers.get_mut(&operand) {
                    *count -= 1;
                    if *count == 0 {
                        self.columns.remove(&operand);
                    }
                }
            }
        }
        Ok(())
    }

    /// Computes s-ops, operands first, and keeps them all.
    ///
    /// # Errors
    /// It is interrupted.
    fn run_all(&mut self, order: &[SOpId]) -> Evaluated<()> {
        for id in order {
            let column = self.compute(*id);
            check(self.graph)?;
            self.crossed |= self.crosses_inputs(*id, &column);
            self.columns.insert(*id, Arc::new(column));
        }
        Ok(())
    }

    fn compute(&self, id: SOpId) -> Column {
        let length = self.input.len();
        let column = match self.graph.get(id) {
            SOp::Tokens => self.input.iter().cloned().collect(),
            SOp::Indices => Column::ints(match &self.segments {
                Some(segments) => segments.indices.clone(),
                None => (0..length as i64).collect(),
            }),
            SOp::Given(_) => Column::failed(length, Arc::new(Fault::new(Cause::NotGiven, id))),
            SOp::Constant(value) => Column::constant(value.clone(), length),
            SOp::Map { op, operands } => {
                let columns: Vec<Arc<Column>> =
                    operands.iter().map(|id| self.column(*id)).collect();
                elementwise::map_of(id, op, (operands, &columns), length)
            }
            SOp::Aggregate {
                selector,
                value,
                default,
            } => match self.pattern(*selector) {
                Ok(pattern) => aggregate::aggregate(id, &pattern, &self.column(*value), default),
                Err(fault) => Column::failed(length, fault),
            },
            SOp::WeightedMean {
                scorer,
                value,
                default,
            } => match Weights::new(*scorer, self.columns()) {
                Ok(weights) => {
                    let value = self.column(*value);
                    weights.mean(id, &value, default, self.graph.control())
                }
                Err(fault) => Column::failed(length, fault),
            },
            SOp::Width { selector } => match self.pattern(*selector) {
                Ok(pattern) => aggregate::width(&pattern),
                Err(fault) => Column::failed(length, fault),
            },
        };
        column.checked(id)
    }

    /// Whether a column of several inputs may be another for one of them than that has alone: what is
    /// pooled fails everywhere where one fails, and bools among the numbers of others have a mean.
    fn crosses_inputs(&self, id: SOpId, column: &Column) -> bool {
        let pools = !matches!(self.graph.get(id), SOp::Map { .. });
        self.segments.is_some() && (column.mixes_bools() || pools && column.first_fault().is_some())
    }

    fn column(&self, id: SOpId) -> Arc<Column> {
        self.columns().key(id)
    }

    fn pattern(&self, selector: SelectorId) -> Result<Pattern, Arc<Fault>> {
        Pattern::new(selector, self.columns())
    }

    fn columns(&self) -> Columns<'_> {
        Columns {
            graph: self.graph,
            known: &self.columns,
            keys: self.input.len(),
            only: None,
            segments: self.segments.as_deref(),
        }
    }

    /// The finished column of a root, or its first fault.
    fn sequence(&self, id: SOpId) -> Evaluated<Sequence> {
        self.asked(id, &[id])
    }

    /// The same of one of several roots that were asked for together.
    fn asked(&self, id: SOpId, roots: &[SOpId]) -> Evaluated<Sequence> {
        let column = self.column(id);
        match column.first_fault() {
            None => Ok(Sequence {
                values: column.to_values(),
                sequence_type: column.sequence_type(),
            }),
            Some(fault) => Err(Failed::new(fault.clone(), self.input, roots)),
        }
    }
}
