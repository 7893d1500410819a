//! Alternatives: a relation that holds where one of others does, each between fewer s-ops. Their logits are
//! 0 where they hold and at most -1 elsewhere, and so is minus the product of two of those, which is 0 where
//! either is: the products of both, each with each, are its products. A table of all that is read has
//! a dimension for nearly each value of it.

use super::literal::{ByClasses, FEWEST_FOR_PARABOLA, Factors, Needs, ProductPlan, parabola};
use crate::compile::Compiler;
use crate::infer::Stopped;
use crate::infer::cube::Literal;
use crate::model::is_bfloat16;

impl Factors {
    /// Numbers of two sides, for each value of larger ones.
    fn at(&self, keys: &[usize], queries: &[usize]) -> Factors {
        let of = |numbers: &[f64], held: &[usize]| held.iter().map(|at| numbers[*at]).collect();
        Factors {
            queries: of(&self.queries, queries),
            keys: of(&self.keys, keys),
        }
    }

    /// Minus the product.
    fn against(&self, other: &Factors) -> Factors {
        let times = |a: &[f64], b: &[f64], sign: f64| {
            a.iter().zip(b).map(|(a, b)| sign * a * b + 0.0).collect()
        };
        Factors {
            queries: times(&self.queries, &other.queries, -1.0),
            keys: times(&self.keys, &other.keys, 1.0),
        }
    }
}

impl Compiler<'_> {
    /// The products of a relation that is alternatives; `None` if it is not, or a table takes no more.
    pub(super) fn alternatives(
        &mut self,
        literal: &Literal,
        needs: Needs,
    ) -> Result<Option<Vec<ProductPlan>>, Stopped> {
        let Some(parts) = self
            .analysis
            .in_parts(literal)
            .filter(|parts| parts.all.is_empty())
        else {
            return Ok(None);
        };
        let mut all: Vec<Factors> = Vec::new();
        for part in &parts.any {
            let held = |side, part| self.analysis.held(side, part);
            let (Some(keys), Some(queries)) = (
                held(literal.keys, part.keys),
                held(literal.queries, part.queries),
            ) else {
                return Ok(None);
            };
            let factors = self.below(part).into_iter();
            let factors: Vec<Factors> = factors.map(|of| of.at(&keys, &queries)).collect();
            all = match all.is_empty() {
                true => factors,
                false => all
                    .iter()
                    .flat_map(|a| factors.iter().map(|b| a.against(b)))
                    .collect(),
            };
        }
        let mut numbers = all.iter().flat_map(|of| of.queries.iter().chain(&of.keys));
        if self.host.is_bfloat16() && !numbers.all(|number| is_bfloat16(*number)) {
            return Ok(None);
        }
        let (key_name, query_name) = (self.name(literal.keys), self.name(literal.queries));
        let mut products = Vec::with_capacity(all.len());
        for Factors { queries, keys } in all {
            products.push(ProductPlan {
                query: self.demanded(literal.queries, &queries, needs.want, &query_name)?,
                key: self.demanded(literal.keys, &keys, needs.want, &key_name)?,
                queries,
                keys,
            });
        }
        Ok(Some(products))
    }

    /// What is 0 where a relation holds and at most -1 elsewhere, as a sum of products.
    fn below(&self, literal: &Literal) -> Vec<Factors> {
        let table = ByClasses::new(&literal.relation).factors;
        if let Some((relation, factors)) = self.window_factors(literal, false, table.len())
            && relation == *literal.relation
        {
            return factors.into_iter().map(|(factors, _)| factors).collect();
        }
        let is_long = table.len() >= FEWEST_FOR_PARABOLA;
        match self.matching(literal).filter(|_| is_long) {
            Some((keys, queries)) => parabola(&keys, &queries).into(),
            None => table,
        }
    }
}
