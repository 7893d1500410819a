//! Literals as low-rank logits: a sum of products of a query feature and a key feature that is 0
//! where the relation holds and at most -1 where it does not. Attention logits are bilinear, so a
//! conjunction is the sum of its literals in one head; a relation costs as many dimensions of the
//! head as it has distinct rows or columns, and an equality of integers three, by
//! -(x - y)² = 2xy - x² - y².

use super::form::Form;
use super::{Compiler, Robustness};
use crate::graph::SOpId;
use crate::infer::cube::{Literal, Relation};
use crate::infer::{Analysis, Stopped};

/// One product of the logit.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    pub query: Form,
    pub key: Form,
}

/// How an equality of integers may be a parabola.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Squares {
    /// Every query selects something: what is the same for all its keys is left out.
    Relative,
    Absolute,
    /// Not at all: scores depend on selected keys having exactly the logit 0.
    Never,
}

/// The parabola is used from this many classes on.
const FEWEST_FOR_PARABOLA: usize = 4;

/// Integers beyond this lose their gap of 1 when squared in float32.
const LARGEST_FOR_PARABOLA: f64 = 1_000.0;

/// Keys or queries that a relation treats alike: their common row or column, and which they are.
struct Class {
    /// Where the relation does not hold, on the other side.
    fails: Vec<f64>,
    members: Vec<f64>,
}

impl Compiler<'_> {
    /// The terms of a literal.
    pub(super) fn literal(
        &mut self,
        literal: &Literal,
        squares: Squares,
    ) -> Result<Vec<Term>, Stopped> {
        let relative = squares == Squares::Relative;
        let relation = &literal.relation;
        let by_key = classes(relation.keys, |key| relation.row(key).to_vec());
        let by_query = classes(relation.queries, |query| relation.column(query));
        if squares != Squares::Never
            && by_key.len().min(by_query.len()) >= FEWEST_FOR_PARABOLA
            && let Some((keys, queries)) = self.integer_equality(literal)
            && (relative || self.robustness == Robustness::Compact || self.is_local(literal))
        {
            return self.parabola(literal, &keys, &queries, relative);
        }
        let mut terms = Vec::new();
        if by_key.len() <= by_query.len() {
            for class in by_key {
                let label = format!("one of the {}", self.name(literal.keys));
                let (query, key) = (class.fails, class.members);
                terms.push(Term {
                    query: self.indicator(literal.queries, &query)?.scaled(-1.0),
                    key: self.labelled_indicator(literal.keys, &key, &label)?,
                });
            }
        } else {
            for class in by_query {
                let label = format!("one of the {}", self.name(literal.queries));
                terms.push(Term {
                    query: self
                        .labelled_indicator(literal.queries, &class.members, &label)?
                        .scaled(-1.0),
                    key: self.indicator(literal.keys, &class.fails)?,
                });
            }
        }
        Ok(terms)
    }

    /// Whether both sides are functions of the token and the index, so that squares are exact.
    fn is_local(&self, literal: &Literal) -> bool {
        [literal.keys, literal.queries].into_iter().all(|id| {
            let node = self.analysis.node(id);
            node.is_ok_and(|node| {
                node.column
                    .space
                    .vars
                    .iter()
                    .all(|v| *v <= Analysis::INDICES)
            })
        })
    }

    fn indicator(&mut self, id: SOpId, function: &[f64]) -> Result<Form, Stopped> {
        let label = format!("{} predicate", self.name(id));
        self.labelled_indicator(id, function, &label)
    }

    fn labelled_indicator(
        &mut self,
        id: SOpId,
        function: &[f64],
        label: &str,
    ) -> Result<Form, Stopped> {
        let domain = &self.analysis.node(id)?.column.values.domain;
        let mut members = function
            .iter()
            .zip(domain.iter())
            .filter(|(f, _)| **f != 0.0);
        let label = match (members.next(), members.next()) {
            (Some((_, only)), None) => format!("{} = {}", self.name(id), only.source()),
            _ => label.to_string(),
        };
        self.feature(id, function, true, &label)
    }

    pub(super) fn name(&self, id: SOpId) -> String {
        self.analysis.describe(id)
    }

    /// The numbers on both sides, centred, if the literal is the equality of small integers.
    fn integer_equality(&self, literal: &Literal) -> Option<(Vec<f64>, Vec<f64>)> {
        let numbers = |id| self.analysis.node(id).ok()?.column.values.numbers();
        let (keys, queries) = (numbers(literal.keys)?, numbers(literal.queries)?);
        let all = || keys.iter().chain(&queries);
        let lowest = all().copied().fold(f64::INFINITY, f64::min);
        let highest = all().copied().fold(f64::NEG_INFINITY, f64::max);
        let small = all().all(|number| number.fract() == 0.0)
            && highest - lowest <= 2.0 * LARGEST_FOR_PARABOLA;
        let relation: &Relation = &literal.relation;
        let equality = || {
            keys.iter().enumerate().all(|(k, key)| {
                let row = queries.iter().enumerate();
                row.into_iter()
                    .all(|(q, query)| relation.holds(k, q) == (key == query))
            })
        };
        if !small || !equality() {
            return None;
        }
        let centre = ((lowest + highest) / 2.0).floor();
        let centred = |numbers: &[f64]| numbers.iter().map(|number| number - centre).collect();
        Some((centred(&keys), centred(&queries)))
    }

    fn parabola(
        &mut self,
        literal: &Literal,
        keys: &[f64],
        queries: &[f64],
        relative: bool,
    ) -> Result<Vec<Term>, Stopped> {
        let squares = |numbers: &[f64]| -> Vec<f64> { numbers.iter().map(|x| x * x).collect() };
        let (key_name, query_name) = (self.name(literal.keys), self.name(literal.queries));
        let squared = |name: &str| format!("{name}²");
        let key = self.feature(literal.keys, keys, true, &key_name)?;
        let key_square = self.feature(literal.keys, &squares(keys), true, &squared(&key_name))?;
        let query = self.feature(literal.queries, queries, !relative, &query_name)?;
        let mut terms = vec![
            Term {
                query: query.scaled(2.0),
                key,
            },
            Term {
                query: Form::constant(-1.0),
                key: key_square,
            },
        ];
        if !relative {
            let square = self.feature(
                literal.queries,
                &squares(queries),
                true,
                &squared(&query_name),
            )?;
            terms.push(Term {
                query: square.scaled(-1.0),
                key: Form::constant(1.0),
            });
        }
        Ok(terms)
    }
}

/// Groups one side of a relation by what holds for it, in order of first members; those for whom
/// everything holds need no term.
fn classes(size: usize, row: impl Fn(usize) -> Vec<bool>) -> Vec<Class> {
    let mut patterns: Vec<Vec<bool>> = Vec::new();
    let mut classes: Vec<Class> = Vec::new();
    let mut known = rustc_hash::FxHashMap::default();
    for member in 0..size {
        let pattern = row(member);
        if pattern.iter().all(|holds| *holds) {
            continue;
        }
        let at = *known.entry(pattern.clone()).or_insert(patterns.len());
        if at == patterns.len() {
            classes.push(Class {
                fails: pattern
                    .iter()
                    .map(|holds| f64::from(u8::from(!holds)))
                    .collect(),
                members: vec![0.0; size],
            });
            patterns.push(pattern);
        }
        classes[at].members[member] = 1.0;
    }
    classes
}
