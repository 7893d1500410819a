//! The conditions of one conjunction by what they do: filters, groups, orders along axes; and about
//! what that costs.

use super::Pattern;
use super::formula::{Condition, Term};
use super::pair::{EQUAL, Sides};
use std::sync::Arc;

/// The conditions of one conjunction by what they do.
#[derive(Default)]
pub struct Shape {
    pub key_filters: Vec<Condition>,
    pub query_filters: Vec<Condition>,
    pub equalities: Vec<Condition>,
    /// Orders by the columns of their keys.
    pub orders: Vec<Vec<Condition>>,
}

impl Shape {
    pub fn of(pattern: &Pattern, term: &Term) -> Shape {
        let mut shape = Shape::default();
        for condition in &term.conditions {
            let kind = match pattern.pairs[condition.0].sides() {
                Sides::Keys => &mut shape.key_filters,
                Sides::Queries => &mut shape.query_filters,
                Sides::Both if condition.1 == EQUAL => &mut shape.equalities,
                Sides::Both | Sides::Neither => shape.axis_of(pattern, condition.0),
            };
            kind.push(*condition);
        }
        shape
    }

    /// The orders of the same keys.
    fn axis_of(&mut self, pattern: &Pattern, pair: usize) -> &mut Vec<Condition> {
        let keys = |pair: usize| Arc::as_ptr(&pattern.pairs[pair].keys);
        let same = |axis: &Vec<Condition>| keys(axis[0].0) == keys(pair);
        let at = self.orders.iter().position(same).unwrap_or_else(|| {
            self.orders.push(Vec::new());
            self.orders.len() - 1
        });
        &mut self.orders[at]
    }

    /// Whether [`Conjunction`] can answer for it.
    pub fn is_easy(&self) -> bool {
        self.orders.len() <= 3
    }

    /// About how many times as long as looking at each position once it takes.
    pub fn cost(&self) -> usize {
        let corners = self
            .orders
            .iter()
            .map(|axis| axis.len().min(2))
            .product::<usize>();
        match self.orders.len() {
            0 | 1 => 1,
            2 => 2 * corners,
            _ => 40 * corners,
        }
    }
}
