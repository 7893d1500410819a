//! Which keys the heads of a plan select on an input: those for which all relations of the head hold,
//! and of these the ones of the best score. What stands at a position is read from the residual
//! stream as the head itself reads it. Depends on the plan and on `model`.

use super::{Attend, Kind, Linear, Meaning, PatternSource, Plan, Product, Term};
use crate::model::{Model, Selected};
use ndarray::Array2;

/// Scores that are as good as each other differ by less, in nats; others by a gap, which is far more.
const AS_GOOD: f64 = 1.0;

/// A level below this is not that of what is selected.
const DOWN: f64 = -0.25;

impl Plan {
    /// The plan that a model keeps, if it keeps one that holds together.
    pub fn of(model: &Model) -> Option<Plan> {
        Plan::restore(model.plan.as_deref()?, model).ok()
    }

    /// An operation of each head of a layer, in the order of the model's heads.
    pub fn heads_of(&self, layer: usize) -> Vec<&Attend> {
        let heads = self.patterns(layer).into_iter();
        heads.map(|operations| operations[0]).collect()
    }

    /// What each head of a layer selects, in the order of the model's heads, where the stream
    /// `[positions, d_model]` is that before the layer; nothing for a head that pays weights instead.
    pub fn selected(&self, layer: usize, stream: &Array2<f64>) -> Vec<Option<Selected>> {
        let directions = self.directions().0;
        let read = |linear: &Linear, position: usize| {
            linear.at(|id| {
                let at = (position, directions[id.0 as usize]);
                stream.get(at).copied().unwrap_or(0.0)
            })
        };
        let heads = self.heads_of(layer).into_iter();
        let selected = heads.map(|head| match head.row {
            PatternSource::Selector(_) => {
                let keys = self.selected_by(head, stream.nrows(), &read);
                Some(self.without_sink(head.kind, keys))
            }
            PatternSource::Weights(_) => None,
        });
        selected.collect()
    }

    /// Keys at the level of what is selected, of which position 0 may be the sink: where there is no BOS
    /// it is one more key for every query of a width, and all that a query of a mean sees that selects
    /// nothing.
    fn without_sink(&self, kind: Kind, mut keys: Vec<Vec<bool>>) -> Selected {
        let sink: Vec<bool> = match kind {
            Kind::Width if !self.bos => {
                let first = keys.iter_mut().filter_map(|row| row.first_mut());
                first.map(std::mem::take).collect()
            }
            Kind::Mean if !self.bos => keys.iter().map(|row| !row.contains(&true)).collect(),
            Kind::Width
            | Kind::Length
            | Kind::Mean
            | Kind::MeanOfSome
            | Kind::MeanOrBos
            | Kind::MeanOfPart
            | Kind::Sum { .. } => Vec::new(),
        };
        let is_seen = sink.contains(&true);
        Selected {
            keys,
            sink: if is_seen { sink } else { Vec::new() },
        }
    }

    fn selected_by(
        &self,
        head: &Attend,
        positions: usize,
        read: &impl Fn(&Linear, usize) -> f64,
    ) -> Vec<Vec<bool>> {
        let first = usize::from(self.bos);
        let mut scores = vec![vec![0.0; positions - first]; positions - first];
        for term in &head.terms {
            let sum = |query, key| sum(term, read, (first + query, first + key));
            let level: Box<dyn Fn(usize, usize) -> f64> = match &term.meaning {
                Meaning::Relation(holds) => {
                    let queries = Vec::from_iter((first..positions).map(|at| {
                        let values = |product: &Product| read(&product.query, at);
                        nearest(term, values, |product| &product.queries, 0)
                    }));
                    let keys = Vec::from_iter((first..positions).map(|at| {
                        let values = |product: &Product| read(&product.key, at);
                        let is_token = self.bos || at > 0;
                        let sinks = usize::from(is_token && self.has_sink_row(head.kind));
                        nearest(term, values, |product| &product.keys, sinks)
                    }));
                    let count = term.products.first().map_or(0, |known| known.queries.len());
                    Box::new(move |query, key| {
                        match holds.get(keys[key] * count + queries[query]) {
                            Some(true) => 0.0,
                            _ => f64::NEG_INFINITY,
                        }
                    })
                }
                Meaning::Score { .. } => Box::new(sum),
                // Through a sink all tokens stand below BOS, the selected ones, too.
                Meaning::Bos { .. } if matches!(head.kind, Kind::Sum { .. }) => continue,
                // A token that takes the place of BOS, and is not selected.
                Meaning::Bos { .. } => Box::new(move |query, key| match sum(query, key) < DOWN {
                    true => f64::NEG_INFINITY,
                    false => 0.0,
                }),
                Meaning::Exponent { .. } | Meaning::Guard => continue,
            };
            for (query, row) in scores.iter_mut().enumerate() {
                for (key, score) in row.iter_mut().enumerate() {
                    *score += level(query, key);
                }
            }
        }
        let row = |(query, row): (usize, Vec<f64>)| {
            let seen = if self.causal { query + 1 } else { row.len() };
            let best = row[..seen].iter().copied();
            let best = best.fold(f64::NEG_INFINITY, f64::max);
            let is_best = |score: &f64| *score > best - AS_GOOD;
            let keys = row.iter().enumerate();
            keys.map(|(key, score)| key < seen && is_best(score))
                .collect()
        };
        scores.into_iter().enumerate().map(row).collect()
    }
}

/// What the products of a term add up to for a query and a key.
fn sum(term: &Term, read: &impl Fn(&Linear, usize) -> f64, (query, key): (usize, usize)) -> f64 {
    let products = term.products.iter();
    products
        .map(|product| read(&product.query, query) * read(&product.key, key))
        .sum()
}

/// The place in the tables of a term of what its products read at a position, without the last rows.
fn nearest<'t>(
    term: &'t Term,
    read: impl Fn(&Product) -> f64,
    table: impl Fn(&'t Product) -> &'t [f64],
    without: usize,
) -> usize {
    let read: Vec<f64> = term.products.iter().map(read).collect();
    let count = term.products.first().map_or(0, |known| table(known).len());
    let apart = |at: usize| {
        let pairs = term.products.iter().zip(&read);
        let pairs = pairs.map(|(known, read)| (table(known)[at] - read).abs());
        pairs.fold(0.0, f64::max)
    };
    let places = 0..count.saturating_sub(without);
    let places = places.map(|at| (apart(at), at));
    let nearest = places.min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map_or(0, |(_, at)| at)
}
