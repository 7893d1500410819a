//! Whether the tables of a plan are of what it reads: the values of a head's queries and keys, for
//! which a relation holds or not, and the points of hidden units, must be what the linear reads can
//! give. That is computed where they read embeddings, which any token may have at any index, or one
//! variable.

use super::{FeedForward, Kind, Linear, Meaning, Plan, Term, VariableId, Written};

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
            if relations.any(|term| !self.is_of_its_reads(term, attend.kind)) {
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

    /// Whether every query and every key of a table is read somewhere. What is read may be more, as a
    /// program may have no value there.
    fn is_of_its_reads(&self, term: &Term, kind: Kind) -> bool {
        let products = &term.products;
        let queries: Vec<&Linear> = products.iter().map(|product| &product.query).collect();
        let keys: Vec<&Linear> = products.iter().map(|product| &product.key).collect();
        let size = products.first().map_or((0, 0), |product| {
            // BOS itself may be the last key.
            let of_bos = usize::from(kind == Kind::MeanOrBos);
            (
                product.queries.len(),
                product.keys.len().saturating_sub(of_bos),
            )
        });
        let of_queries = self.readings(&queries);
        let of_keys = self.readings(&keys);
        (0..size.0).all(|at| is_read(&of_queries, products.iter().map(|p| p.queries[at])))
            && (0..size.1).all(|at| is_read(&of_keys, products.iter().map(|p| p.keys[at])))
    }

    fn has_points(&self, forward: &FeedForward) -> bool {
        let readings = self.readings(&[&forward.argument]);
        let mut points = forward.points.iter();
        points.all(|point| is_read(&readings, [*point].into_iter()))
    }

    /// What some linear reads give at tokens, together, where that follows.
    fn readings(&self, linears: &[&Linear]) -> Option<Vec<Reading>> {
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
                    return None;
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
                Some(rows.map(|row| reading(linears, at(row))).collect())
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
                Some(values.map(|value| reading(linears, at(*value))).collect())
            }
            _ => None,
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

/// Whether some numbers are read together somewhere, as far as that is known.
fn is_read(readings: &Option<Vec<Reading>>, numbers: impl Iterator<Item = f64> + Clone) -> bool {
    readings.as_ref().is_none_or(|readings| {
        readings.iter().any(|reading| {
            let mut pairs = reading.numbers.iter().zip(numbers.clone());
            pairs.all(|(read, number)| (read - number).abs() <= reading.near)
        })
    })
}
