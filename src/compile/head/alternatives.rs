//! Alternatives: a relation that holds where one of others does, each between fewer s-ops. Their logits are
//! 0 where they hold and at most -1 elsewhere, and so is minus the product of two of those, which is 0 where
//! either is: the products of both, each with each, are its products. A table of all that is read has
//! a dimension for nearly each value of it.

use super::literal::{ByClasses, FEWEST_FOR_PARABOLA, Factors, Needs, ProductPlan, parabola};
use crate::compile::Compiler;
use crate::compile::way::{NotThis, Way};
use crate::infer::cube::Literal;

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
    /// The products of a relation that is alternatives, unless a table takes no more.
    pub(super) fn alternatives(
        &mut self,
        literal: &Literal,
        needs: Needs,
    ) -> Way<Vec<ProductPlan>> {
        let parts = self.analysis.in_parts(literal);
        let parts = parts.filter(|parts| parts.all.is_empty()).ok_or(NotThis)?;
        let mut all: Vec<Factors> = Vec::new();
        for part in &parts.any {
            let held = |side, part| self.analysis.held(side, part);
            let keys = held(literal.keys, part.keys).ok_or(NotThis)?;
            let queries = held(literal.queries, part.queries).ok_or(NotThis)?;
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
        let names = [self.name(literal.queries), self.name(literal.keys)];
        let factors = all.into_iter().map(|of| (of, names.clone()));
        self.products_of(literal, needs.want, factors.collect())
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
