//! Whether the tables of a plan are of what it reads: the values of a head's queries and keys, for
//! which a relation holds or not, and the points of hidden units, must be what the linear reads can
//! give. That is computed where they read embeddings, which any token may have at any index, or one
//! variable.

use super::{
    FeedForward, Kind, Linear, Meaning, Plan, Product, Term, VariableId, ascending, outputs,
};
use std::collections::BTreeSet;

/// How far a number of a table may be from what is read, as a share of the largest number that is
/// added up for it.
const NEAR: f64 = 1e-9;

/// Combinations of tokens and indices beyond which tables are not computed again.
const MOST_ROWS: usize = 1 << 16;

/// The weights of the sums by which rows of numbers are found: `MIX`, `MIX²`, …. No power of it is a
/// fraction, so that few rows have a sum in common.
const MIX: f64 = 0.618_033_988_749_894_9;

/// Numbers that are read at one position, each with how precise it is.
struct Reading {
    numbers: Vec<(f64, f64)>,
    /// The largest of those.
    near: f64,
}

/// All that some linear reads give together, by their sums.
struct Readings {
    rows: Vec<(f64, Reading)>,
    /// How far the sum of a row may be from that of what is found in it.
    near: f64,
}

impl Readings {
    fn new(rows: impl Iterator<Item = Reading>) -> Readings {
        let rows = rows.map(|row| (sum(row.numbers.iter().map(|(number, _)| *number)), row));
        let mut rows: Vec<(f64, Reading)> = rows.collect();
        rows.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        // The weights add up to less than 2.
        let near = rows
            .iter()
            .map(|(_, row)| 2.0 * row.near)
            .fold(0.0, f64::max);
        Readings { rows, near }
    }

    /// Whether some numbers are read together somewhere.
    fn have(&self, numbers: impl Iterator<Item = f64> + Clone) -> bool {
        let sum = sum(numbers.clone());
        let first = self
            .rows
            .partition_point(|(known, _)| *known < sum - self.near);
        let near = self.rows[first..]
            .iter()
            .take_while(|(known, _)| *known <= sum + self.near);
        near.into_iter().any(|(_, row)| {
            let mut pairs = row.numbers.iter().zip(numbers.clone());
            pairs.all(|((read, near), number)| (read - number).abs() <= *near)
        })
    }
}

fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let weights = std::iter::successors(Some(MIX), |weight| Some(weight * MIX));
    numbers
        .zip(weights)
        .map(|(number, weight)| number * weight)
        .sum()
}

impl Plan {
    /// # Errors
    /// A table that lacks what is read, in words.
    pub(super) fn check_tables(&self) -> Result<(), String> {
        let mut heads = BTreeSet::new();
        for attend in &self.attends {
            if !heads.insert((attend.layer, attend.pattern, self.has_sink_row(attend.kind))) {
                continue;
            }
            let relations = attend.terms.iter();
            let relations = relations.filter(|term| match term.meaning {
                Meaning::Relation(_) => true,
                Meaning::Bos { .. } => !self.bos,
                Meaning::Score { .. } | Meaning::Exponent { .. } | Meaning::Guard => false,
            });
            let rows = relations.map(|term| self.read_rows(term, attend.kind));
            if rows.flatten().flatten().any(|is_read| !is_read) {
                let name = &attend.source.name;
                return Err(format!("{name}: a relation of other values than are read"));
            }
        }
        match self.feed_forwards.iter().find(|op| !self.has_points(op)) {
            Some(forward) => {
                let label = &self.variable(forward.into).label;
                Err(format!("{label}: reads other values than its points"))
            }
            None => self.check_units(),
        }
    }

    /// Before passes each variable is written by one operation, and all hidden units are held to this.
    ///
    /// # Errors
    /// Hidden units that alone write a variable and give what is none of its values, in words.
    pub(crate) fn check_units(&self) -> Result<(), String> {
        let mut writers = vec![0_u32; self.variables.len()];
        for forward in &self.feed_forwards {
            writers[forward.into.0 as usize] += 1;
        }
        let is_alone =
            |into: VariableId| writers[into.0 as usize] == 1 && self.below(into).is_none();
        let mut alone = self.feed_forwards.iter().filter(|op| is_alone(op.into));
        match alone.find(|op| !self.gives_values(op)) {
            Some(forward) => {
                let label = &self.variable(forward.into).label;
                Err(format!(
                    "{label}: its units give what is none of its values"
                ))
            }
            None => Ok(()),
        }
    }

    /// Whether hidden units give values of the variable that they alone write, at all points of their argument.
    fn gives_values(&self, forward: &FeedForward) -> bool {
        let values = &self.variable(forward.into).values;
        let (Some(least), Some(most)) = (values.first(), values.last()) else {
            return true;
        };
        let near = NEAR * least.abs().max(most.abs()).max(1.0);
        let is_value = |number: f64| {
            let next = values.partition_point(|value| *value < number - near);
            values
                .get(next)
                .is_some_and(|value| *value <= number + near)
        };
        let mut given = outputs(&forward.units, &forward.points).into_iter();
        given.all(is_value)
    }

    /// Whether the last key of a relation is the sink's.
    pub fn has_sink_row(&self, kind: Kind) -> bool {
        match kind {
            Kind::MeanOrBos => true,
            Kind::Width | Kind::Mean => !self.bos,
            Kind::Length | Kind::MeanOfSome | Kind::MeanOfPart | Kind::Sum { .. } => false,
        }
    }

    /// Which queries and which keys of a term's tables are read somewhere, as far as that is known; the key of the sink
    /// is there in any case. What is read may be more, as a program may have no value there.
    fn read_rows(&self, term: &Term, kind: Kind) -> [Vec<bool>; 2] {
        let products = &term.products;
        let (queries, keys) = products.first().map_or((0, 0), |product| {
            (product.queries.len(), product.keys.len())
        });
        let of_queries = self.readings(&Vec::from_iter(products.iter().map(|p| &p.query)));
        let of_keys = self.readings(&Vec::from_iter(products.iter().map(|p| &p.key)));
        let has_sink = matches!(term.meaning, Meaning::Relation(_)) && self.has_sink_row(kind);
        let is_query = |at| is_read(&of_queries, products.iter().map(|p| p.queries[at]));
        let is_key = |at| {
            let is_sink = has_sink && at + 1 == keys;
            is_sink || is_read(&of_keys, products.iter().map(|p| p.keys[at]))
        };
        [
            (0..queries).map(is_query).collect(),
            (0..keys).map(is_key).collect(),
        ]
    }

    /// Lists all that hidden units can read whose points were the ends of a real number, which they read no more;
    /// whether that is known.
    pub(super) fn list_points(&mut self, at: usize) -> bool {
        let readings = self.readings(&[&self.feed_forwards[at].argument]);
        let Some(readings) = readings else {
            return false;
        };
        let rows = readings.rows.iter().flat_map(|(_, row)| &row.numbers);
        self.feed_forwards[at].points = ascending(rows.map(|(number, _)| *number).collect());
        true
    }

    /// Drops from tables what cannot be read any more, where variables turned out to be one, or 0.
    pub(crate) fn drop_what_is_not_read(&mut self) {
        for at in 0..self.feed_forwards.len() {
            let forward = &self.feed_forwards[at];
            let readings = self.readings(&[&forward.argument]);
            let is_read = |point: &&f64| is_read(&readings, [**point].into_iter());
            let points: Vec<f64> = forward.points.iter().filter(is_read).copied().collect();
            if points.len() < forward.points.len() {
                self.feed_forwards[at].points = points.into();
            }
        }
        for at in 0..self.attends.len() {
            let attend = &self.attends[at];
            let terms = attend.terms.iter();
            let terms = terms.map(|term| {
                // Of one that holds for all nothing is read.
                if let Meaning::Relation(holds) = &term.meaning
                    && !term.products.is_empty()
                {
                    self.of_its_reads(term, holds, attend.kind)
                } else {
                    term.clone()
                }
            });
            self.attends[at].terms = terms.collect();
        }
    }

    /// A relation between those queries and keys that are read somewhere.
    fn of_its_reads(&self, term: &Term, holds: &[bool], kind: Kind) -> Term {
        let products = &term.products;
        let rows = self.read_rows(term, kind);
        let queries = rows[0].len();
        let [kept_queries, kept_keys] = rows.map(|rows| {
            let kept = (0..rows.len()).filter(|at| rows[*at]);
            kept.collect::<Vec<usize>>()
        });
        let row = |key: &usize| {
            let start = key * queries;
            kept_queries.iter().map(move |query| holds[start + query])
        };
        let product = |product: &Product| Product {
            queries: kept_queries.iter().map(|at| product.queries[*at]).collect(),
            keys: kept_keys.iter().map(|at| product.keys[*at]).collect(),
            ..product.clone()
        };
        Term {
            meaning: Meaning::Relation(kept_keys.iter().flat_map(row).collect()),
            products: products.iter().map(product).collect(),
        }
    }

    fn has_points(&self, forward: &FeedForward) -> bool {
        let readings = self.readings(&[&forward.argument]);
        let mut points = forward.points.iter();
        points.all(|point| is_read(&readings, [*point].into_iter()))
    }

    /// What some linear reads give at tokens, together, where that follows.
    fn readings(&self, linears: &[&Linear]) -> Option<Readings> {
        let mut reads: Vec<VariableId> = linears.iter().flat_map(|l| l.reads()).collect();
        reads.sort();
        reads.dedup();
        let (embedded, others): (Vec<VariableId>, Vec<VariableId>) = reads
            .into_iter()
            .filter(|id| self.constant(*id).is_none())
            .partition(|id| self.embedding(*id).is_some());
        match (embedded.as_slice(), others.as_slice()) {
            (_, []) => {
                let rows_of = |side: usize, rows: usize| {
                    let mut held = embedded.iter().filter_map(|id| self.embedding(*id));
                    let is_read = held.any(|sides| !sides[side].is_empty());
                    if is_read { rows } else { 1 }
                };
                let tokens = rows_of(0, self.vocabulary.len());
                let indices = rows_of(1, self.max_length);
                if tokens.saturating_mul(indices) > MOST_ROWS {
                    return None;
                }
                let rows = (0..tokens).flat_map(|token| (0..indices).map(move |at| [token, at]));
                let at = |row| move |id: VariableId| self.held_at(id, row).unwrap_or(0.0);
                Some(Readings::new(rows.map(|row| reading(linears, at(row)))))
            }
            ([], [one]) if !self.variable(*one).values.is_empty() => {
                let values = self.variable(*one).values.iter();
                let at = |value: f64| move |id: VariableId| self.constant(id).unwrap_or(value);
                let rows = values.map(|value| reading(linears, at(*value)));
                Some(Readings::new(rows))
            }
            _ => None,
        }
    }
}

fn reading(linears: &[&Linear], value: impl Fn(VariableId) -> f64) -> Reading {
    let number = |linear: &&Linear| {
        let terms = linear.terms.iter();
        let terms = terms.map(|(id, factor)| (factor * value(*id)).abs());
        let size = terms.fold(linear.constant.abs(), f64::max);
        (linear.at(&value), NEAR * size)
    };
    let numbers: Vec<(f64, f64)> = linears.iter().map(number).collect();
    Reading {
        near: numbers.iter().map(|(_, near)| *near).fold(NEAR, f64::max),
        numbers,
    }
}

/// Whether some numbers are read together somewhere, as far as that is known.
fn is_read(readings: &Option<Readings>, numbers: impl Iterator<Item = f64> + Clone) -> bool {
    readings
        .as_ref()
        .is_none_or(|readings| readings.have(numbers))
}
