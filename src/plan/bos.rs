//! What stands at the sink. The query of BOS sees BOS alone, so that what stands there is a known
//! number. Where there is no BOS, what is read of position 0 is bounded, whatever token stands there.

use super::{Attend, Kind, Linear, Meaning, Plan, Product, Term, VariableId, Written};

/// The share of a gap that may be missing, as these sums are of floats.
const NEAR: f64 = 1e-9;

/// How many gaps below BOS its own query sees tokens, where a gap is as small as can be: 24 nats.
const GAPS_BELOW_BOS: f64 = 5.0;

/// The exponential of less is 0 in float32.
const NATS_BELOW_BOS: f64 = 24.0 * GAPS_BELOW_BOS;

impl Plan {
    /// Whether the query of BOS may see tokens, and later layers read what it sees.
    pub fn is_read_at_bos(&self, attend: &Attend) -> bool {
        let last = self.attends.iter().map(|op| op.layer).max();
        self.bos && !self.causal && Some(attend.layer) != last
    }

    /// Whether the query of BOS sees BOS alone, if anybody reads what it sees.
    pub fn keeps_to_itself(&self, attend: &Attend) -> bool {
        let scale = self.scale(attend);
        let needed = self.gaps_below_bos(attend) * scale.gap / scale.root;
        let is_enough = |above| above >= needed * (1.0 - NEAR);
        !self.is_read_at_bos(attend) || self.above_tokens_at_bos(attend).is_some_and(is_enough)
    }

    /// How many nats above all tokens BOS stands for its own query.
    pub fn above_tokens_at_bos(&self, attend: &Attend) -> Option<f64> {
        let scale = self.scale(attend);
        let mut above = 0.0;
        for term in &attend.terms {
            let unit = match term.meaning {
                Meaning::Score { .. } | Meaning::Exponent { .. } | Meaning::Bos { nats: true } => {
                    scale.nats()
                }
                Meaning::Relation(_) | Meaning::Bos { nats: false } | Meaning::Guard => {
                    scale.gap / scale.root
                }
            };
            let most = self.most_of_tokens(term, attend.kind)?;
            let products = term.products.iter();
            let bos = products.map(|p| self.at_bos(&p.query) * self.at_bos(&p.key));
            above += unit * (bos.sum::<f64>() - most);
        }
        Some(above)
    }

    /// How many gaps below BOS its own query must see tokens. At BOS no large constant rounds what is
    /// written, so that it must be nothing at all there: weights that a float cannot hold.
    fn gaps_below_bos(&self, attend: &Attend) -> f64 {
        let mut head = self.head_of(attend);
        match head.any(|op| self.variable(op.into).rounding.is_some()) {
            true => self.gaps_of_nothing(attend),
            false => 1.0,
        }
    }

    /// How many gaps below BOS a token has no weight at all. One will do where scores made it large.
    pub(super) fn gaps_of_nothing(&self, attend: &Attend) -> f64 {
        let scale = self.scale(attend);
        match scale.gap / scale.root >= NATS_BELOW_BOS {
            true => 1.0,
            false => GAPS_BELOW_BOS,
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
        if let Meaning::Exponent { .. } = term.meaning {
            let most = |(p, query): (&Product, f64)| {
                let scores = p.keys.iter().map(|key| query * key);
                scores.reduce(f64::max)
            };
            return term.products.iter().zip(queries).map(most).sum();
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

    /// What W_E holds of a variable at BOS. What is written there is taken back before it is written.
    pub fn embedded_at_bos(&self, id: VariableId) -> f64 {
        let variable = self.variable(id);
        match variable.written {
            Written::Flag => 1.0,
            Written::One | Written::Given(..) => 0.0,
            Written::Embed { .. } => variable.bos,
            Written::Attend | Written::FeedForward if self.below(id).is_some() => 0.0,
            Written::Attend | Written::FeedForward => variable.bos - self.written_at_bos(id),
        }
    }

    /// What operations add to a variable at BOS, which sees only itself.
    fn written_at_bos(&self, variable: VariableId) -> f64 {
        let attends = self.attends_into(variable);
        let attended: f64 = attends.map(|attend| self.at_bos(&attend.value)).sum();
        let has_one = self.holding(&Written::One, 0.0).is_some();
        let units = self.forwards_into(variable);
        let units = units.flat_map(|forward| forward.units.iter().map(move |unit| (forward, unit)));
        let computed = units.map(|(forward, unit)| {
            let read = self.unit(forward, unit);
            // The variable that carries thresholds is 0 at BOS.
            let threshold = if has_one { read.constant } else { 0.0 };
            let z = self.at_bos(&read) - threshold;
            self.balance_of_unit(forward, unit) * unit.weight * z.max(0.0)
        });
        attended + computed.sum::<f64>()
    }

    /// The least and the greatest number that a linear read gives at position 0.
    pub fn at_first(&self, linear: &Linear) -> (f64, f64) {
        self.range_at_first(linear, &|id| match self.variable(id).written {
            Written::FeedForward => self.computed_at_first(id),
            Written::Embed { .. }
            | Written::Flag
            | Written::One
            | Written::Given(..)
            | Written::Attend => self.range(id),
        })
    }

    fn range_at_first(
        &self,
        linear: &Linear,
        range: &dyn Fn(VariableId) -> (f64, f64),
    ) -> (f64, f64) {
        let (mut low, mut high) = (linear.constant, linear.constant);
        let mut by_token = vec![0.0; self.vocabulary.len()];
        for (id, factor) in &linear.terms {
            if let Some([tokens, indices]) = self.embedding(*id) {
                let first = factor * indices.first().unwrap_or(&0.0);
                (low, high) = (low + first, high + first);
                let numbers = by_token.iter_mut().zip(tokens);
                numbers.for_each(|(sum, number)| *sum += factor * number);
            } else {
                let (least, most) = range(*id);
                let ends = (factor * least, factor * most);
                (low, high) = (low + ends.0.min(ends.1), high + ends.0.max(ends.1));
            }
        }
        let least = by_token.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let most = by_token.iter().copied().reduce(f64::max).unwrap_or(0.0);
        (low + least, high + most)
    }

    /// What hidden units write at position 0, from what their arguments can be there.
    fn computed_at_first(&self, id: VariableId) -> (f64, f64) {
        let (mut low, mut high) = (0.0, 0.0);
        for forward in self.forwards_into(id) {
            let argument = self.range_at_first(&forward.argument, &|id| self.range(id));
            for unit in &forward.units {
                let at = |z: f64| unit.weight * (unit.slope * z + unit.offset).max(0.0);
                let ends = (at(argument.0), at(argument.1));
                (low, high) = (low + ends.0.min(ends.1), high + ends.0.max(ends.1));
            }
        }
        (low, high)
    }

    /// The least and the greatest value of a variable at any token.
    fn range(&self, id: VariableId) -> (f64, f64) {
        let values = || self.variable(id).values.iter().copied();
        let least = values().reduce(f64::min).unwrap_or(f64::NEG_INFINITY);
        (least, values().reduce(f64::max).unwrap_or(f64::INFINITY))
    }

    /// What a linear read of constants gives at every token.
    pub fn at_token(&self, linear: &Linear) -> Option<f64> {
        let mut constants = linear.reads().map(|id| self.constant(id));
        let known = constants.all(|constant| constant.is_some());
        known.then(|| linear.at(|id| self.constant(id).unwrap_or(0.0)))
    }
}
