//! Ranks among equals: the width of "equal to this position, and not after it" numbers the
//! positions that have one value, as the occurrences of a token or the brackets of one level
//! (`induction_head` and `dyckk_ptf` of the library); that of "marked, and after it" numbers what is
//! marked from the right, as the columns that decide a carry. A selector that asks for equal values
//! and a lower rank never selects a later key, and one that asks for what is numbered, and for one
//! rank, selects one key at most; value sets alone cannot tell.

use super::candidate::Candidate;
use super::compare::Ranks;
use super::{Analysis, Stopped};
use crate::graph::{SOp, SOpId, Selector, SelectorId};
use crate::value::Comparison;
use rustc_hash::FxHashSet;

/// More pairs of a rank and what it is compared with are not looked at.
const MOST_PAIRS: usize = 1 << 20;

/// `select(keys, queries, comparison)`
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Compared {
    pub keys: SOpId,
    pub queries: SOpId,
    pub comparison: Comparison,
}

/// A width that grows, or falls, along the positions that are equal in some s-ops.
#[derive(Default)]
struct Rank {
    equal_in: Vec<Compared>,
    /// What is numbered: no two positions have the same rank of those that these select.
    marked: Vec<Compared>,
    /// Whether it falls: what comes after a position is counted.
    from_right: bool,
}

/// What ranks say of a selector.
#[derive(Clone, Copy, Default)]
pub(super) struct RankFacts {
    /// No key after the query is selected.
    pub never_later: bool,
    /// At most one key is selected, the first position aside.
    pub one_rank: bool,
    /// Whether the first position counts too.
    pub from_first: bool,
}

impl RankFacts {
    /// Whether no query selects two keys, given which it may select.
    pub fn is_unique(self, rows: &[Vec<Candidate>]) -> bool {
        let has_first = |row: &Vec<Candidate>| row.iter().any(|key| key.position == 0);
        self.one_rank && (self.from_first || !rows.iter().any(has_first))
    }
}

impl Analysis<'_> {
    /// What follows for a conjunction from the ranks that it compares, read at the key or at the
    /// position before it.
    pub(super) fn by_rank(&mut self, id: SelectorId) -> Result<RankFacts, Stopped> {
        let mut facts = RankFacts::default();
        // Whatever else it asks for, it selects less.
        let (literals, _) = self.conjunction(id);
        for literal in &literals {
            for shifted in [false, true] {
                let ranked = self
                    .read_at(literal.keys, shifted)
                    .and_then(|read| Some((read, self.rank(read)?)));
                let Some((read, rank)) = ranked else {
                    continue;
                };
                let is_asked = |wanted: &Compared| self.ask_for(&literals, shifted, *wanted);
                if !rank.equal_in.iter().all(is_asked) {
                    continue;
                }
                let is_numbered = rank.marked.iter().all(is_asked);
                facts.never_later |= !rank.from_right && self.is_lower(read, literal)?;
                if is_numbered && literal.comparison == Comparison::Equal {
                    facts.one_rank = true;
                    facts.from_first |= !shifted;
                }
            }
        }
        Ok(facts)
    }

    /// What keys are: as they are, or, `shifted`, as they are read at the position before.
    fn read_at(&self, keys: SOpId, shifted: bool) -> Option<SOpId> {
        match shifted {
            true => self.one_before(keys),
            false => Some(keys),
        }
    }

    /// Whether one of some comparisons, with its keys so, is this one.
    fn ask_for(&self, literals: &[Compared], shifted: bool, wanted: Compared) -> bool {
        literals.iter().any(|other| {
            let keys = self.read_at(other.keys, shifted);
            keys.is_some_and(|keys| Compared { keys, ..*other } == wanted)
        })
    }

    /// The comparisons that a selector is a conjunction of, and whether these are all that it asks
    /// for.
    pub(super) fn conjunction(&self, id: SelectorId) -> (Vec<Compared>, bool) {
        let (mut literals, mut left, mut all) = (Vec::new(), vec![id], true);
        let mut seen = FxHashSet::default();
        while let Some(id) = left.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.graph.get_selector(id) {
                Selector::And(a, b) => left.extend([*a, *b]),
                Selector::Compare {
                    keys,
                    queries,
                    comparison,
                } => literals.push(Compared {
                    keys: *keys,
                    queries: *queries,
                    comparison: *comparison,
                }),
                Selector::Or(..)
                | Selector::Not(_)
                | Selector::Predicate(_)
                | Selector::Best { .. } => all = false,
            }
        }
        (literals, all)
    }

    /// The s-op as a rank, if it is one.
    fn rank(&self, id: SOpId) -> Option<Rank> {
        let SOp::Width { selector } = self.graph.get(id) else {
            return None;
        };
        let mut rank = Rank::default();
        let (literals, all) = self.conjunction(*selector);
        let mut ordered = None;
        for literal in literals {
            let is_own = literal.keys == literal.queries;
            let is_indices = is_own && self.is_indices(literal.keys);
            match literal.comparison {
                Comparison::Less | Comparison::LessEqual if is_indices && ordered.is_none() => {
                    ordered = Some(false);
                }
                Comparison::Greater | Comparison::GreaterEqual
                    if is_indices && ordered.is_none() =>
                {
                    ordered = Some(true);
                }
                Comparison::Equal if is_own => rank.equal_in.push(literal),
                // It depends on the key alone: fewer are counted, but not fewer further on.
                _ if matches!(self.graph.get(literal.queries), SOp::Constant(_)) => {
                    rank.marked.push(literal);
                }
                Comparison::Equal
                | Comparison::NotEqual
                | Comparison::Less
                | Comparison::LessEqual
                | Comparison::Greater
                | Comparison::GreaterEqual => return None,
            }
        }
        rank.from_right = ordered?;
        all.then_some(rank)
    }

    /// The s-op whose value at the position before this one is, wherever there is one.
    fn one_before(&self, id: SOpId) -> Option<SOpId> {
        let SOp::Aggregate {
            selector, value, ..
        } = self.graph.get(id)
        else {
            return None;
        };
        let rows = &self.selector(*selector)?.rows;
        let mut rows = self.environments.iter().zip(rows.iter());
        let reads_it = rows.all(|(query, row)| {
            query.position == 0
                || matches!(row.as_slice(), [key] if key.is_certain() && key.position as usize + 1 == query.position)
        });
        reads_it.then_some(*value)
    }

    /// Whether a rank that is selected is lower than that of the query.
    fn is_lower(&mut self, rank: SOpId, literal: &Compared) -> Result<bool, Stopped> {
        let column = |id: SOpId| Ok(self.node(id)?.column.clone());
        let mut both = [column(rank)?, column(literal.queries)?];
        self.relate_to_sums(&mut both);
        let Ok(space) = self.space_of(&both) else {
            return Ok(false);
        };
        let [ranks, queries] = &both;
        let (Some(left), Some(right)) = (ranks.cells_in(&space), queries.cells_in(&space)) else {
            return Ok(false);
        };
        let mut pairs: Vec<(u32, u32)> = left
            .into_iter()
            .zip(right)
            .filter(|(_, query)| (*query as usize) < queries.values.domain.len())
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let domain = &ranks.values.domain;
        if pairs.len().saturating_mul(domain.len()) > MOST_PAIRS {
            return Ok(false);
        }
        // Widths are in ascending order.
        let compared = Ranks::new(literal.comparison, domain, &queries.values.domain);
        Ok(pairs.iter().all(|(own, query)| {
            (*own as usize..domain.len()).all(|key| !compared.holds(key, *query as usize))
        }))
    }
}
