//! A comparison of a column of keys with one of queries: which relations their values have. Depends on
//! columns and their ranks.

use crate::graph::SOpId;
use crate::interpret::column::rank::{NONE, Ranked, rank};
use crate::interpret::column::{Column, Values};
use crate::value::{Comparison, Value};
use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

/// How a key stands to a query: a set of the four possible relations.
pub type Relations = u8;
pub const LESS: Relations = 1;
pub const EQUAL: Relations = 2;
pub const GREATER: Relations = 4;
/// Neither: a NaN takes part, or a number meets a string.
pub const UNORDERED: Relations = 8;

/// A column of keys and one of queries that are compared.
pub struct Pair {
    pub key_sop: SOpId,
    pub query_sop: SOpId,
    pub keys: Arc<Column>,
    pub queries: Arc<Column>,
    /// The relations that some key has to some query, perhaps with some that none has.
    pub possible: Relations,
    ranked: OnceLock<Ranked>,
}

/// Which sides of a pair vary with the position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// A condition on keys alone.
    Keys,
    /// A condition on queries alone.
    Queries,
    Both,
    Neither,
}

impl Pair {
    pub fn new(sops: (SOpId, SOpId), keys: Arc<Column>, queries: Arc<Column>) -> Pair {
        let mut pair = Pair {
            key_sop: sops.0,
            query_sop: sops.1,
            keys,
            queries,
            possible: 0,
            ranked: OnceLock::new(),
        };
        pair.possible = pair.find_possible();
        pair
    }

    /// The ranks of both columns, worked out when first asked for.
    pub fn ranked(&self) -> &Ranked {
        self.ranked.get_or_init(|| rank(&self.keys, &self.queries))
    }

    pub fn sides(&self) -> Sides {
        let constant = |column: &Column| matches!(column.values(), Values::Constant(_));
        match (constant(&self.keys), constant(&self.queries)) {
            (false, false) => Sides::Both,
            (false, true) => Sides::Keys,
            (true, false) => Sides::Queries,
            (true, true) => Sides::Neither,
        }
    }

    /// The s-op that varies and the value of the one that does not, if just one of them varies.
    pub fn filter(&self) -> Option<(SOpId, Value)> {
        match self.sides() {
            Sides::Keys => Some((self.key_sop, self.queries.get(0))),
            Sides::Queries => Some((self.query_sop, self.keys.get(0))),
            Sides::Both | Sides::Neither => None,
        }
    }

    fn find_possible(&self) -> Relations {
        if self.keys.is_text() != self.queries.is_text() {
            return UNORDERED;
        }
        if let (Values::Constant(key), Values::Constant(query)) =
            (self.keys.values(), self.queries.values())
        {
            return key.order(query).map_or(UNORDERED, |order| match order {
                Ordering::Less => LESS,
                Ordering::Equal => EQUAL,
                Ordering::Greater => GREATER,
            });
        }
        if nans(&self.keys) || nans(&self.queries) {
            LESS | EQUAL | GREATER | UNORDERED
        } else {
            LESS | EQUAL | GREATER
        }
    }
}

fn nans(column: &Column) -> bool {
    match column.values() {
        Values::Constant(value) => value.is_nan(),
        Values::Floats(floats) => floats.iter().any(|float| float.is_nan()),
        Values::Mixed(values) => values.iter().any(Value::is_nan),
        Values::Ints(_) | Values::Bools(_) | Values::Strings(..) => false,
    }
}

/// The relation of a key to a query.
pub fn relation(key: u32, query: u32) -> Relations {
    match key.cmp(&query) {
        _ if key == NONE || query == NONE => UNORDERED,
        Ordering::Less => LESS,
        Ordering::Equal => EQUAL,
        Ordering::Greater => GREATER,
    }
}

pub fn relations(comparison: Comparison) -> Relations {
    match comparison {
        Comparison::Equal => EQUAL,
        Comparison::NotEqual => LESS | GREATER | UNORDERED,
        Comparison::Less => LESS,
        Comparison::LessEqual => LESS | EQUAL,
        Comparison::Greater => GREATER,
        Comparison::GreaterEqual => GREATER | EQUAL,
    }
}
