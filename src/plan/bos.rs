//! What the query of BOS sees. What stands at BOS is a known number as long as BOS sees itself alone.

use super::{Attend, Kind, Linear, Meaning, Plan, Term, VariableId, Written};

/// The share of a gap that may be missing, as these sums are of floats.
const NEAR: f64 = 1e-9;

impl Plan {
    /// Whether the query of BOS sees BOS alone, if anybody reads what it sees.
    pub fn keeps_to_itself(&self, attend: &Attend) -> bool {
        let last = self.attends.iter().map(|op| op.layer).max();
        if self.causal || Some(attend.layer) == last {
            return true;
        }
        let scale = self.scale(attend);
        let gap = scale.gap / scale.root;
        let mut above = 0.0;
        for term in &attend.terms {
            let unit = match term.meaning {
                Meaning::Score { .. } | Meaning::Bos { nats: true } => 1.0,
                Meaning::Relation(_) | Meaning::Bos { nats: false } | Meaning::Guard => gap,
            };
            let Some(most) = self.most_of_tokens(term, attend.kind) else {
                return false;
            };
            let products = term.products.iter();
            let bos = products.map(|p| self.at_bos(&p.query) * self.at_bos(&p.key));
            above += unit * (bos.sum::<f64>() - most);
        }
        above >= gap * self.gaps_below_bos(attend) * (1.0 - NEAR)
    }

    /// How many gaps below BOS its own query must see tokens. At BOS no large constant rounds what is
    /// written, so that it must be nothing at all there: weights that a float cannot hold.
    fn gaps_below_bos(&self, attend: &Attend) -> f64 {
        let head = self.attends.iter();
        let mut head = head.filter(|op| (op.layer, op.pattern) == (attend.layer, attend.pattern));
        match head.any(|op| self.variable(op.into).rounding.is_some()) {
            true => 4.0,
            false => 1.0,
        }
    }

    /// The most that a term gives a token for the query at BOS.
    fn most_of_tokens(&self, term: &Term, kind: Kind) -> Option<f64> {
        let queries: Vec<f64> = term
            .products
            .iter()
            .map(|p| self.at_bos(&p.query))
            .collect();
        if queries.iter().all(|query| *query == 0.0) {
            return Some(0.0);
        }
        if let Meaning::Bos { .. } | Meaning::Guard = term.meaning {
            let pairs = term.products.iter().zip(queries);
            let tokens = pairs.map(|(p, query)| Some(query * self.at_token(&p.key)?));
            return tokens.sum();
        }
        let keys = term
            .products
            .first()
            .map_or(0, |product| product.keys.len());
        // BOS itself may be the last key.
        let keys = keys.saturating_sub(usize::from(kind == Kind::MeanOrBos));
        let level = |key: usize| -> f64 {
            let pairs = term.products.iter().zip(&queries);
            pairs
                .map(|(p, query)| query * p.keys.get(key).unwrap_or(&0.0))
                .sum()
        };
        (0..keys).map(level).reduce(f64::max)
    }

    /// What a linear read of constants gives at every token.
    pub fn at_token(&self, linear: &Linear) -> Option<f64> {
        let mut constants = linear.reads().map(|id| self.constant(id));
        let known = constants.all(|constant| constant.is_some());
        known.then(|| linear.at(|id| self.constant(id).unwrap_or(0.0)))
    }

    fn constant(&self, id: VariableId) -> Option<f64> {
        match self.variable(id).written {
            Written::Flag => Some(0.0),
            Written::One => Some(1.0),
            Written::Embed { .. } | Written::Attend | Written::FeedForward => None,
        }
    }
}
