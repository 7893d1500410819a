//! Best keys by a width, as the most frequent token is: the inverse of a width, which attention gives, orders
//! the keys as the width does, so that no hidden unit computes the score. Depends on what scores are in `score`.

use super::literal::ProductPlan;
use super::score::LARGEST_RANGE;
use crate::compile::Compiler;
use crate::compile::linear::{LinearRead, Scalar};
use crate::infer::score_table::ScoreTable;
use crate::plan::Style;

/// Counted in units, these scores may be so many times larger than others: whether float32's digits are enough
/// is left to the proof, and hidden units are there where they are not.
const LARGER: f64 = 8.0;

impl Compiler<'_> {
    /// The product that orders keys by a width, of which each step is a `unit` at least, with the largest
    /// score; `None` where they are ordered by anything else.
    pub(super) fn by_width(&self, table: &ScoreTable, unit: f64) -> Option<(ProductPlan, f64)> {
        let is_held = self.style == Style::Faithful && self.bos() && self.care.is_plain();
        let (keys, _) = table.sides.filter(|_| is_held)?;
        let scores: Vec<f64> = table.column(0).collect::<Option<_>>()?;
        let same = |query| table.column(query).eq(table.column(0));
        if !(1..table.queries).all(same) {
            return None;
        }
        let column = &self.analysis.node(keys).ok()?.column;
        let [var] = *column.space.vars else {
            return None;
        };
        let selector = self.inverse(var)?;
        let widths = self.analysis.values(var).numbers()?;
        // The widths with their values, from the least, each of another score.
        let rows = 0..column.space.rows();
        let rows = rows.map(|row| (widths[column.space.row(row)[0] as usize], column.cells[row]));
        let mut rows: Vec<(f64, usize)> =
            rows.map(|(width, cell)| (width, cell as usize)).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let scores: Vec<f64> = rows
            .iter()
            .map(|(_, cell)| scores.get(*cell).copied())
            .collect::<Option<_>>()?;
        let rises = scores.windows(2).all(|pair| pair[0] < pair[1]);
        let falls = scores.windows(2).all(|pair| pair[0] > pair[1]);
        let [.., (before, _), (most, _)] = *rows else {
            return None;
        };
        if !rises && !falls {
            return None;
        }
        // The last step of the inverse is the smallest.
        let inverse = |width: f64| 1.0 / (1.0 + width);
        let factor = unit / (inverse(before) - inverse(most));
        // The worst key has no score.
        let (worst, sign) = match rises {
            true => (inverse(rows[0].0), -1.0),
            false => (inverse(most), 1.0),
        };
        let mut numbers = vec![0.0; table.keys];
        for (width, cell) in &rows {
            numbers[*cell] = sign * (inverse(*width) - worst);
        }
        let read = LinearRead::scalar(Scalar::Inverse(selector, 0));
        let product = ProductPlan {
            query: LinearRead::constant(factor),
            key: LinearRead::constant(-sign * worst).plus(sign, &read),
            queries: vec![factor; table.queries].into(),
            keys: numbers.into(),
        };
        let fits = factor <= LARGER * LARGEST_RANGE * unit;
        fits.then_some((product, factor))
    }
}
