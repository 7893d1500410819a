//! Whether the tables of a plan are of what it reads: the values of a head's queries and keys, for
//! which a relation holds or not, and the points of hidden units. They are computed again from the
//! linear reads where these read embeddings, which any token may have at any index, or one variable.

use super::{FeedForward, Linear, Meaning, Plan, Term, VariableId, Written};

/// How far a number of a table may be from what is read, as a share of the largest number that is
/// added up for it.
const NEAR: f64 = 1e-9;

/// Combinations of tokens and indices beyond which tables are not computed again.
const MOST_ROWS: usize = 1 << 16;

/// Numbers that are read at one position, with how precise they are.
struct Reading {
    numbers: Vec<f64>,
    near: f64,
}

impl Plan {
    /// # Errors
    /// A table that lacks what is read, in words.
    pub(super) fn check_tables(&self) -> Result<(), String> {
        for attend in &self.attends {
            let relations = attend.terms.iter();
            let mut relations =
                relations.filter(|term| matches!(term.meaning, Meaning::Relation(_)));
            if relations.any(|term| !self.is_of_its_reads(term)) {
                let name = &attend.source.name;
                return Err(format!("{name}: a relation of other values than are read"));
            }
        }
        let wrong = self.feed_forwards.iter().find(|op| !self.has_points(op));
        match wrong {
            Some(forward) => {
                let label = &self.variable(forward.into).label;
                Err(format!("{label}: reads other values than its points"))
            }
            None => Ok(()),
        }
    }

    fn is_of_its_reads(&self, term: &Term) -> bool {
        let products = &term.products;
        let queries: Vec<&Linear> = products.iter().map(|product| &product.query).collect();
        let keys: Vec<&Linear> = products.iter().map(|product| &product.key).collect();
        self.readings(&queries).iter().all(|reading| {
            let columns = products.first().map_or(0, |product| product.queries.len());
            (0..columns).any(|at| reading.is(products.iter().map(|p| p.queries[at])))
        }) && self.readings(&keys).iter().all(|reading| {
            let columns = products.first().map_or(0, |product| product.keys.len());
            (0..columns).any(|at| reading.is(products.iter().map(|p| p.keys[at])))
        })
    }

    fn has_points(&self, forward: &FeedForward) -> bool {
        let readings = self.readings(&[&forward.argument]);
        let mut readings = readings.iter();
        readings.all(|reading| forward.points.iter().any(|point| reading.is([*point])))
    }

    /// What some linear reads give at tokens, together; nothing where that does not follow.
    fn readings(&self, linears: &[&Linear]) -> Vec<Reading> {
        let mut reads: Vec<VariableId> = linears.iter().flat_map(|l| l.reads()).collect();
        reads.sort();
        reads.dedup();
        let written = |id: &VariableId| &self.variable(*id).written;
        let (embedded, others): (Vec<VariableId>, Vec<VariableId>) = reads
            .into_iter()
            .filter(|id| !matches!(written(id), Written::Flag | Written::One))
            .partition(|id| matches!(written(id), Written::Embed { .. }));
        match (embedded.as_slice(), others.as_slice()) {
            (_, []) => {
                let reads_tokens = embedded.iter().any(
                    |id| matches!(written(id), Written::Embed { tokens, .. } if !tokens.is_empty()),
                );
                let reads_indices = embedded.iter().any(|id| {
                    matches!(written(id), Written::Embed { indices, .. } if !indices.is_empty())
                });
                let tokens = if reads_tokens {
                    self.vocabulary.len()
                } else {
                    1
                };
                let indices = if reads_indices { self.max_length } else { 1 };
                if tokens.saturating_mul(indices) > MOST_ROWS {
                    return Vec::new();
                }
                let rows = (0..tokens).flat_map(|token| (0..indices).map(move |at| (token, at)));
                let at = |(token, index)| {
                    move |id: VariableId| match &self.variable(id).written {
                        Written::Embed { tokens, indices } => {
                            let of = |numbers: &[f64], at: usize| numbers.get(at).copied();
                            of(tokens, token).or(of(indices, index)).unwrap_or(0.0)
                        }
                        Written::One => 1.0,
                        Written::Flag | Written::Attend | Written::FeedForward => 0.0,
                    }
                };
                rows.map(|row| reading(linears, at(row))).collect()
            }
            ([], [one]) => {
                let values = self.variable(*one).values.iter();
                let at = |value: f64| {
                    move |id: VariableId| match &self.variable(id).written {
                        Written::One => 1.0,
                        Written::Flag => 0.0,
                        _ => value,
                    }
                };
                values.map(|value| reading(linears, at(*value))).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn reading(linears: &[&Linear], value: impl Fn(VariableId) -> f64) -> Reading {
    let size = |linear: &&Linear| {
        let terms = linear.terms.iter();
        let terms = terms.map(|(id, factor)| (factor * value(*id)).abs());
        terms.fold(linear.constant.abs(), f64::max)
    };
    Reading {
        numbers: linears.iter().map(|linear| linear.at(&value)).collect(),
        near: NEAR * linears.iter().map(size).fold(1.0, f64::max),
    }
}

impl Reading {
    fn is(&self, numbers: impl IntoIterator<Item = f64>) -> bool {
        let pairs = self.numbers.iter().zip(numbers);
        pairs.fold(true, |near, (read, number)| {
            near && (read - number).abs() <= self.near
        })
    }
}
