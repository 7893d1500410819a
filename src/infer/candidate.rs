//! The keys that a query may select, query environment by query environment. Bounds are three-valued: a
//! comparison of two value sets holds for all pairs, for none, or for some. How many keys are held at once is
//! limited, as there is one for each pair of positions.

use super::compare::{Outcome, SetComparison};
use super::selector::place;
use super::{Analysis, Stopped};
use crate::base::Code;
use crate::graph::{Selector, SelectorId};

/// A key that a query may select.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The number of the environment of the key.
    pub environment: u32,
    pub position: u32,
    /// Whether every input has it in which the query stands: later keys are there where the input is long
    /// enough.
    pub is_there: bool,
    /// Whether it is selected in every input that has both.
    pub always: bool,
}

impl Candidate {
    /// A key as [`Environments::keys`] has it.
    ///
    /// [`Environments::keys`]: super::environment::Environments::keys
    pub fn new((environment, position, is_there): (usize, usize, bool), always: bool) -> Candidate {
        Candidate {
            environment: environment as u32,
            position: position as u32,
            is_there,
            always,
        }
    }

    /// Whether it is selected in every input in which the query stands.
    pub fn is_certain(&self) -> bool {
        self.is_there && self.always
    }
}

/// The candidates of each query environment, as they are found.
pub struct Rows {
    rows: Vec<Vec<Candidate>>,
    /// How many more may be held.
    left: usize,
    most: usize,
}

impl Rows {
    /// The next row, in order of position.
    ///
    /// # Errors
    /// More than the limit are held.
    pub fn push(&mut self, keys: impl Iterator<Item = Candidate>) -> Result<(), Stopped> {
        let mut row: Vec<Candidate> = keys.take(self.left + 1).collect();
        let Some(left) = self.left.checked_sub(row.len()) else {
            let reason = format!(
                "its selectors may select more than {} keys, all queries taken together (the limit \
                 `candidates`)",
                self.most
            );
            return Err(Stopped::new(Code::DomainTooLarge, reason));
        };
        self.left = left;
        row.shrink_to_fit();
        self.rows.push(row);
        Ok(())
    }
}

impl Analysis<'_> {
    pub(super) fn new_rows(&self) -> Rows {
        let most = self.limits.candidates;
        Rows {
            rows: Vec::with_capacity(self.environments.count()),
            left: most.saturating_sub(self.candidates),
            most,
        }
    }

    /// What is held counts against the limit of what is found next.
    pub(super) fn hold(&mut self, rows: Rows) -> Vec<Vec<Candidate>> {
        self.candidates = rows.most.saturating_sub(rows.left);
        rows.rows
    }

    /// For each query environment the keys that it may select.
    pub(super) fn rows(&self, parts: &[SelectorId]) -> Result<Rows, Stopped> {
        let mut bounds = Vec::with_capacity(parts.len());
        for id in parts {
            bounds.push(self.bounds(parts, *id)?);
        }
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(parts.len());
        let mut rows = self.new_rows();
        for (query, environment) in self.environments.iter().enumerate() {
            self.if_interrupted()?;
            let keys = self.environments.keys(environment);
            rows.push(keys.filter_map(|key| {
                outcomes.clear();
                for bound in &mut bounds {
                    let outcome = bound.outcome(&outcomes, key.0, query);
                    outcomes.push(outcome);
                }
                let outcome = outcomes.last().copied().unwrap_or(Outcome::Sometimes);
                let candidate = Candidate::new(key, outcome == Outcome::Always);
                (outcome != Outcome::Never).then_some(candidate)
            }))?;
        }
        Ok(rows)
    }

    fn bounds(&self, parts: &[SelectorId], id: SelectorId) -> Result<Bounds<'_>, Stopped> {
        let part = |id: &SelectorId| place(parts, *id);
        Ok(match self.graph.get_selector(id) {
            Selector::And(a, b) => Bounds::And(part(a), part(b)),
            Selector::Or(a, b) => Bounds::Or(part(a), part(b)),
            Selector::Not(a) => Bounds::Not(part(a)),
            Selector::Compare {
                keys,
                queries,
                comparison,
            } => {
                let sides = (self.node(*keys)?, self.node(*queries)?);
                let (left, right) = (&sides.0.column.values, &sides.1.column.values);
                Bounds::Sets(SetComparison::new(
                    *comparison,
                    left,
                    right,
                    keys == queries,
                ))
            }
            Selector::Predicate(_) => Bounds::Unknown,
            Selector::Best { selector, .. } => Bounds::Best(part(selector)),
        })
    }
}

/// How the bounds of one part of a selector follow from the parts before it.
enum Bounds<'v> {
    And(usize, usize),
    Or(usize, usize),
    Not(usize),
    Sets(SetComparison<'v>),
    /// Which keys a predicate may select is not looked into: any key, perhaps.
    Unknown,
    Best(usize),
}

impl Bounds<'_> {
    /// The outcome for a key and a query, given by their environments.
    fn outcome(&mut self, parts: &[Outcome], key: usize, query: usize) -> Outcome {
        match self {
            Bounds::And(a, b) => parts[*a].and(parts[*b]),
            Bounds::Or(a, b) => parts[*a].or(parts[*b]),
            Bounds::Not(a) => parts[*a].not(),
            Bounds::Sets(sets) => sets.outcome(key, query),
            Bounds::Unknown => Outcome::Sometimes,
            Bounds::Best(a) => match parts[*a] {
                Outcome::Never => Outcome::Never,
                Outcome::Always | Outcome::Sometimes => Outcome::Sometimes,
            },
        }
    }
}
