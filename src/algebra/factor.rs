//! A table as a sum of products of a column and a row, as many as its rank. Each step takes out the
//! column and the row of the largest entry that is left, so that no entry of a row exceeds 1 and no
//! factor grows; in floats this is adaptive cross approximation (Bebendorf 2000).

use super::Rational;
use std::cmp::Ordering;

/// A column, with a number for each row of the table, and a row.
pub type Product<T> = (Vec<T>, Vec<T>);

/// The numbers a table may have.
pub trait Entry: Clone {
    fn minus_product(&self, a: &Self, b: &Self) -> Self;
    fn over(&self, other: &Self) -> Self;
    fn compare_sizes(&self, other: &Self) -> Ordering;
    fn is_zero(&self) -> bool;
}

/// The products that a table with this many columns is the sum of, but for what is not larger than
/// `residue`; `None` if they are more than `most`.
pub fn factor<T: Entry>(
    mut rest: Vec<T>,
    columns: usize,
    residue: &T,
    most: usize,
) -> Option<Vec<Product<T>>> {
    let mut products = Vec::new();
    loop {
        let pivot = (0..rest.len()).max_by(|a, b| rest[*a].compare_sizes(&rest[*b]));
        let Some(pivot) = pivot.filter(|at| rest[*at].compare_sizes(residue).is_gt()) else {
            return Some(products);
        };
        if products.len() == most {
            return None;
        }
        let (row, column) = (pivot / columns, pivot % columns);
        let taken: Vec<T> = rest
            .chunks_exact(columns)
            .map(|row| row[column].clone())
            .collect();
        let pivots = &rest[row * columns..(row + 1) * columns];
        let scaled: Vec<T> = pivots
            .iter()
            .map(|entry| entry.over(&pivots[column]))
            .collect();
        for (row, factor) in rest.chunks_exact_mut(columns).zip(&taken) {
            if factor.is_zero() {
                continue;
            }
            for (entry, other) in row.iter_mut().zip(&scaled) {
                *entry = entry.minus_product(factor, other);
            }
        }
        products.push((taken, scaled));
    }
}

impl Entry for Rational {
    fn minus_product(&self, a: &Rational, b: &Rational) -> Rational {
        Rational::minus_product(self, a, b)
    }

    fn over(&self, other: &Rational) -> Rational {
        self / other
    }

    fn compare_sizes(&self, other: &Rational) -> Ordering {
        Rational::compare_sizes(self, other)
    }

    fn is_zero(&self) -> bool {
        Rational::is_zero(self)
    }
}

impl Entry for f64 {
    fn minus_product(&self, a: &f64, b: &f64) -> f64 {
        self - a * b
    }

    fn over(&self, other: &f64) -> f64 {
        self / other
    }

    fn compare_sizes(&self, other: &f64) -> Ordering {
        self.abs().total_cmp(&other.abs())
    }

    fn is_zero(&self) -> bool {
        *self == 0.0
    }
}
