//! Sparse rows in reduced echelon form, inserted one by one. Pivots lie among the first columns of
//! a row; what stands right of them goes along: the right side of an equation, or which of the
//! inserted rows a row is made of.

use super::{FAINT, Rational};
use std::cmp::Ordering;

/// The entries of a row that are not 0, with their columns, ascending.
pub type Sparse = Vec<(usize, Rational)>;

/// Independent rows in reduced echelon form: every pivot is 1, and 0 in all other rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Echelon {
    /// Pivots lie in columns below this.
    width: usize,
    rows: Vec<EchelonRow>,
    /// For each column the row whose pivot it is.
    row_of: Vec<Option<usize>>,
    /// Whether all numbers are fractions; else remainders within rounding are nothing.
    exact: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct EchelonRow {
    pivot: usize,
    entries: Sparse,
}

impl Echelon {
    pub fn new(width: usize) -> Echelon {
        Echelon {
            width,
            rows: Vec::new(),
            row_of: vec![None; width],
            exact: true,
        }
    }

    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// From here on some numbers are no fractions.
    pub fn mark_inexact(&mut self) {
        self.exact = false;
    }

    /// Adds a row; `false` if it depends on the others. The pivot is the first of its largest
    /// entries, so that no factor is large without need.
    pub fn insert(&mut self, row: &[(usize, Rational)]) -> bool {
        let mut rest = self.reduce(row);
        let left = rest.iter().filter(|(column, _)| *column < self.width);
        let larger = |a: &&(usize, Rational), b: &&(usize, Rational)| {
            a.1.compare_sizes(&b.1).then(b.0.cmp(&a.0))
        };
        let Some((pivot, lead)) = left.max_by(larger).cloned() else {
            return false;
        };
        for (_, entry) in &mut rest {
            *entry = &*entry / &lead;
        }
        for known in &mut self.rows {
            if let Ok(at) = known
                .entries
                .binary_search_by_key(&pivot, |(column, _)| *column)
            {
                let factor = known.entries[at].1.clone();
                known.entries = minus(&known.entries, &factor, &rest);
            }
        }
        self.row_of[pivot] = Some(self.rows.len());
        self.rows.push(EchelonRow {
            pivot,
            entries: rest,
        });
        true
    }

    /// What is left of a row after those it depends on. It has no entry below the width exactly if
    /// it is a combination of the rows; what is right of it then is minus what goes along with
    /// that combination.
    pub fn reduce(&self, row: &[(usize, Rational)]) -> Sparse {
        let mut rest = row.to_vec();
        for (column, factor) in row {
            if let Some(Some(known)) = self.row_of.get(*column) {
                // The rows have no other pivots, so that the factors do not change on the way.
                rest = minus(&rest, factor, &self.rows[*known].entries);
            }
        }
        if !self.exact {
            let entries = row.iter().filter(|(column, _)| *column < self.width);
            let sizes = entries.map(|(_, entry)| entry.to_f64().abs());
            let faint = FAINT * sizes.fold(0.0, f64::max);
            rest.retain(|(column, entry)| *column >= self.width || entry.to_f64().abs() > faint);
        }
        rest
    }

    /// The solution of the rows as equations with their right side in the column `width`, with 0
    /// for every unknown that they leave free.
    pub fn solution(&self) -> Vec<Rational> {
        let mut solution = vec![Rational::zero(); self.width];
        for row in &self.rows {
            if let Some((column, right)) = row.entries.last()
                && *column == self.width
            {
                solution[row.pivot] = right.clone();
            }
        }
        solution
    }
}

/// `row - factor · other`
fn minus(row: &[(usize, Rational)], factor: &Rational, other: &[(usize, Rational)]) -> Sparse {
    let mut difference = Vec::with_capacity(row.len() + other.len());
    let (mut ours, mut theirs) = (row.iter().peekable(), other.iter().peekable());
    loop {
        let order = match (ours.peek(), theirs.peek()) {
            (None, None) => return difference,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.cmp(b),
        };
        let own = ours.next_if(|_| order.is_le());
        let other = theirs.next_if(|_| order.is_ge());
        let zero = Rational::zero();
        match (own, other) {
            (Some((column, entry)), Some((_, other))) => {
                let entry = entry.minus_product(factor, other);
                if !entry.is_zero() {
                    difference.push((*column, entry));
                }
            }
            (Some(entry), None) => difference.push(entry.clone()),
            (None, Some((column, other))) => {
                difference.push((*column, zero.minus_product(factor, other)));
            }
            (None, None) => return difference,
        }
    }
}
