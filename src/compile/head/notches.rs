//! Equalities of whole numbers with numbers that may be fractions, on either side: the position that is
//! a mean, if one is. Such a number is read as it is, and hidden units say how far it is from all whole
//! ones: a zigzag, with a notch at each. The construction is ours. Depends on `literal`.

use super::literal::{ProductPlan, is_equality};
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::{Compiler, Want, range_of};
use crate::infer::cube::Literal;
use crate::infer::{Analysis, Stopped};
use crate::plan::pass::Choice;

/// What float32 rounds of all notches stays below the gap of 1 between keys up to here: their slope, times
/// the largest number, times how many there are.
const LARGEST_FOR_NOTCHES: f64 = 32_768.0;

/// Fewer whole numbers are told apart one by one.
const FEWEST_FOUND: usize = 3;

/// What floats make of the distance between two fractions is less off, by their inverse.
const NEAR: f64 = 1e-6;

/// Whole numbers, one after the other, on one side, and numbers that may be one of them on the other;
/// centred.
pub(super) struct AmongWhole {
    whole: Vec<f64>,
    others: Vec<f64>,
    /// Where the others are read.
    read: LinearRead,
    /// Whether the others are the keys.
    are_keys: bool,
    /// What is not whole is at least the inverse of this whole number from the nearest.
    steep: f64,
}

impl Compiler<'_> {
    /// Whether a literal is an equality of all whole numbers of a range with numbers that may be no whole
    /// ones, where hidden units can read these right after attention.
    pub(super) fn among_whole(&self, literal: &Literal) -> Option<AmongWhole> {
        if !self.chooses(Choice::Factor) || self.host.is_bfloat16() || !self.care.is_plain() {
            return None;
        }
        let numbers = |id| self.analysis.numbers(id);
        let (keys, queries) = (numbers(literal.keys)?, numbers(literal.queries)?);
        let is_whole = |numbers: &[f64]| numbers.iter().all(|number| number.fract() == 0.0);
        if is_whole(&keys) == is_whole(&queries) || !is_equality(&literal.relation, &keys, &queries)
        {
            return None;
        }
        let are_keys = is_whole(&queries);
        let (whole, others, of) = match are_keys {
            true => (queries, keys, literal.keys),
            false => (keys, queries, literal.queries),
        };
        // What embeddings give needs no hidden units, and a width that is an inverse takes some already.
        let vars = &self.analysis.node(of).ok()?.column.space.vars;
        if vars.iter().all(|var| *var <= Analysis::INDICES)
            || vars.iter().any(|var| self.inverted(*var).is_some())
        {
            return None;
        }
        let (lowest, highest) = range_of(whole.iter().copied());
        let distance = |other: &f64| (other - other.round().clamp(lowest, highest)).abs();
        let distances = || others.iter().map(distance);
        let found = distances().filter(|apart| *apart == 0.0).count();
        let apart = distances().filter(|apart| *apart > 0.0);
        let steep = (1.0 / apart.fold(1.0, f64::min) - NEAR).ceil();
        let centre = ((lowest + highest) / 2.0).floor();
        let size = |number: &f64| (number - centre).abs();
        let largest = whole.iter().chain(&others).map(size).fold(0.0, f64::max);
        let is_dense = highest - lowest + 1.0 == whole.len() as f64;
        let is_small = steep * largest * whole.len() as f64 <= LARGEST_FOR_NOTCHES;
        if !is_dense || !is_small || found < FEWEST_FOUND {
            return None;
        }
        let centred = |numbers: Vec<f64>| numbers.into_iter().map(|x| x - centre).collect();
        let (whole, others): (_, Vec<f64>) = (centred(whole), centred(others));
        let read = self.read(of, &others)?;
        let is_attended = |scalar: &Scalar| matches!(scalar, Scalar::Attention(_));
        read.scalars.keys().all(is_attended).then_some(AmongWhole {
            whole,
            others,
            read,
            are_keys,
            steep,
        })
    }

    /// As the parabola, but what is taken from `2xy - x²` is no square of `y`: it is as large where `y`
    /// is a whole number `x`, and from there rises above the largest of them by 1 on the way to the next
    /// number that `y` can be. That is two lines for each `x`, where a square of all fractions has one for
    /// each of them, and tells them apart by no more than the square of their distance.
    pub(super) fn notches(
        &mut self,
        literal: &Literal,
        AmongWhole {
            whole,
            others,
            read,
            are_keys,
            steep,
        }: AmongWhole,
        want: Want,
    ) -> Result<Vec<ProductPlan>, Stopped> {
        let (of_whole, of_others) = match are_keys {
            true => (literal.queries, literal.keys),
            false => (literal.keys, literal.queries),
        };
        let (name, other) = (self.name(of_whole), self.name(of_others));
        let (lowest, highest) = (whole[0], whole[whole.len() - 1]);
        let notched = |y: f64| {
            let nearest = y.round().clamp(lowest, highest);
            2.0 * nearest * y - nearest * nearest + steep * (y - nearest).abs()
        };
        let squares: Vec<f64> = whole.iter().map(|x| x * x).collect();
        let x = self.demanded(of_whole, &whole, want, &name)?;
        let square = self.demanded(of_whole, &squares, want, &format!("{name}²"))?;
        self.demand(&read, &other)?;
        let label = format!("{other} between the {name}");
        // Consecutive halves, by their doubles: whole numbers, and middles between them.
        let halves = std::iter::successors(Some(2.0 * lowest - 1.0), |double| Some(double + 1.0));
        let halves = halves.take(2 * whole.len() + 1);
        let points: Vec<(f64, f64)> = halves
            .map(|double| (double, notched(double / 2.0)))
            .collect();
        let doubles = others.iter().map(|y| 2.0 * y).collect();
        let notch = self.interpolate(read.scaled(2.0), &points, doubles, &label)?;
        self.demand(&notch, &label)?;
        let product =
            |(x, of_x): (LinearRead, &[f64]), (y, of_y): (LinearRead, Vec<f64>), by: f64| {
                let (query, key, queries, keys) = match are_keys {
                    true => (x, y, of_x.to_vec(), of_y),
                    false => (y, x, of_y, of_x.to_vec()),
                };
                ProductPlan {
                    query: query.scaled(by),
                    key,
                    queries: queries.iter().map(|number| by * number).collect(),
                    keys: keys.into(),
                }
            };
        let one = || LinearRead::constant(1.0);
        let notches: Vec<f64> = others.iter().map(|y| notched(*y)).collect();
        let ones = (vec![1.0; whole.len()], vec![1.0; others.len()]);
        Ok(vec![
            product((x, &whole), (read, others), 2.0),
            product((square, &squares), (one(), ones.1), -1.0),
            product((one(), &ones.0), (notch, notches), -1.0),
        ])
    }
}
