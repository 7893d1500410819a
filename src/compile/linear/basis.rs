//! Which directions a categorical variable gets. Its readers demand functions of it; a basis of
//! those is enough, found by elimination over the rationals. Where they want nearly everything, each
//! value has its own direction.

use crate::algebra::{Echelon, Rational, Reading, Sparse, least_rank};
use crate::compile::ones_where;
use crate::graph::Encoding;
use num_integer::Integer;

/// The directions of one variable, as functions on its domain.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    pub columns: Vec<BasisColumn>,
    /// The value at which every function is 0.
    reference: usize,
    /// How many values the variable has.
    size: usize,
    /// The directions as rows of an echelon form, each with which one it is.
    echelon: Echelon,
    one_hot: bool,
}

/// One direction.
#[derive(Clone, Debug, PartialEq)]
pub struct BasisColumn {
    pub label: String,
    pub function: Vec<f64>,
    /// What it is at the reference.
    offset: f64,
}

/// Finer fractions are left as they are.
const MOST_PARTS: i64 = 256;

/// Among more directions none is sought that others are read from without odd fractions.
const MOST_CHOSEN: usize = 16;

/// Fewest values of a variable that is held one-hot.
const FEWEST_ONE_HOT: usize = 4;

impl Basis {
    /// A basis for the demanded functions, modulo constants. `reference` is the value that shall
    /// be held as 0. `wish` is how the program asks for the variable to be held.
    pub fn new(
        size: usize,
        reference: usize,
        wish: Option<Encoding>,
        demands: &[(Vec<f64>, String)],
        value_label: impl Fn(usize) -> String,
    ) -> Basis {
        let mut basis = Basis {
            columns: Vec::new(),
            reference,
            size,
            echelon: Echelon::new(size),
            one_hot: false,
        };
        if wish.is_none() && size >= FEWEST_ONE_HOT && basis.is_whole(demands) {
            basis.hold_each(value_label);
            return basis;
        }
        basis.hold_some(demands);
        // Directions that tell one value each from the others are as good as those of all but one.
        let is_alone = |column: &BasisColumn| {
            let mut numbers = column.function.clone();
            numbers.sort_by(f64::total_cmp);
            numbers.chunk_by(|a, b| a == b).any(|same| same.len() == 1)
        };
        let is_plain = basis.columns.len() == demands.len() && basis.columns.iter().all(is_alone);
        let one_hot = match wish {
            Some(Encoding::Categorical) => !basis.columns.is_empty(),
            Some(Encoding::Numerical) => false,
            // Each value is read by its own number there, and a few by the others' fractions.
            None if basis.columns.len() + 1 >= size && !is_plain => {
                size >= FEWEST_ONE_HOT || !basis.is_read_by(demands, is_binary)
            }
            None => false,
        };
        if one_hot {
            basis.hold_each(value_label);
        }
        basis
    }

    /// Holds as many of the demands as it takes, the first ones; but a demand for one of them where that leaves
    /// smaller odd denominators in what others are read by, as floats have no thirds.
    fn hold_some(&mut self, demands: &[(Vec<f64>, String)]) {
        let mut order: Vec<usize> = (0..demands.len()).collect();
        loop {
            *self = Basis {
                columns: Vec::new(),
                echelon: Echelon::new(self.size),
                ..*self
            };
            let mut held = Vec::new();
            for at in &order {
                let (function, label) = &demands[*at];
                if self.extend(function, label) {
                    held.push(*at);
                }
            }
            if held.len() > MOST_CHOSEN || !self.echelon.is_exact() {
                return;
            }
            let mut others = order.iter().filter(|at| !held.contains(at));
            let swap = others.find_map(|at| Some((*at, held[self.worse(&demands[*at].0)?])));
            let Some((better, worse)) = swap else {
                return;
            };
            // What spans the same without it comes first.
            order.retain(|at| *at != worse && *at != better);
            order.retain(|at| !held.contains(at));
            let kept = held
                .iter()
                .map(|at| if *at == worse { better } else { *at });
            order = kept.chain(order).chain([worse]).collect();
        }
    }

    /// A direction that is read from a demand of whole numbers, and others, by smaller odd denominators than the
    /// demand is read by.
    fn worse(&self, function: &[f64]) -> Option<usize> {
        let numbers = without_common_factor(self.shifted(function)?.numbers);
        let is_whole = |number: &Rational| number.denominator() == Some(1);
        if !numbers.iter().all(is_whole) {
            return None;
        }
        let odd = |number: i128| number.checked_shr(number.trailing_zeros()).unwrap_or(0);
        let gain = |entry: &Rational| {
            let denominator = i128::from(entry.denominator()?);
            let numerator = odd(entry.numerator_over(denominator)?).abs();
            (numerator < odd(denominator)).then_some((odd(denominator), numerator))
        };
        let entries = self.echelon.reduce(&sparse(&numbers)).into_iter();
        let gains = entries.filter_map(|(column, entry)| {
            let (denominator, numerator) = gain(&entry)?;
            Some((column.checked_sub(self.size)?, denominator, numerator))
        });
        let best = gains.max_by(|a, b| (a.1 * b.2).cmp(&(b.1 * a.2)).then(b.0.cmp(&a.0)));
        best.map(|(column, ..)| column)
    }

    /// Holds what tells the reference from all others as 0 at the others.
    pub fn hold_others_as_0(&mut self) {
        for column in &mut self.columns {
            if let [first, second, rest @ ..] = &mut column.function[..]
                && (*first, self.reference, self.one_hot) == (0.0, 0, false)
                && rest.iter().all(|number| number == second)
            {
                column.offset = -*second;
                *first = column.offset;
                *second = 0.0;
                rest.fill(0.0);
            }
        }
    }

    /// Whether each value but one has its direction.
    pub fn is_one_hot(&self) -> bool {
        self.one_hot
    }

    /// Holds a direction as 0 where its function is a number; those of values stay.
    pub fn hold_as_0(&mut self, column: usize, number: f64) {
        if self.one_hot {
            return;
        }
        let column = &mut self.columns[column];
        column.offset -= number;
        for held in &mut column.function {
            *held -= number;
        }
    }

    /// Holds what is as far above 0 as below it, so that float32 rounds means least.
    pub fn centre(&mut self) {
        for column in 0..self.columns.len() {
            let numbers = self.columns[column].function.iter().copied();
            let least = numbers.clone().fold(f64::INFINITY, f64::min);
            let most = numbers.fold(f64::NEG_INFINITY, f64::max);
            self.hold_as_0(column, f64::midpoint(least, most));
        }
    }

    /// A direction for each value but the reference.
    fn hold_each(&mut self, value_label: impl Fn(usize) -> String) {
        let values = (0..self.size).filter(|value| *value != self.reference);
        let column = |value| BasisColumn {
            label: value_label(value),
            function: ones_where(self.size, |other| other == value),
            offset: 0.0,
        };
        self.columns = values.map(column).collect();
        self.one_hot = true;
    }

    /// Whether there are more demands than directions of values, and they need all of those; known
    /// without long fractions.
    fn is_whole(&self, demands: &[(Vec<f64>, String)]) -> bool {
        if demands.len() < self.size {
            return false;
        }
        let rows = demands.iter().map(|(function, _)| {
            let shifted = self.shifted(function)?;
            shifted.is_exact.then_some(shifted.numbers)
        });
        let rows: Option<Vec<Vec<Rational>>> = rows.collect();
        rows.is_some_and(|rows| least_rank(rows) + 1 >= self.size)
    }

    /// A function less what it is at the reference; `None` if a number is infinite.
    fn shifted(&self, function: &[f64]) -> Option<Shifted> {
        let readings = Reading::of_all(function)?;
        let is_exact = readings.iter().all(|reading| reading.is_fraction);
        let zero = match readings.get(self.reference) {
            Some(reading) => reading.number.clone(),
            None => Rational::zero(),
        };
        let numbers = readings.iter().map(|reading| &reading.number - &zero);
        Some(Shifted {
            constant: zero.to_f64(),
            numbers: numbers.collect(),
            is_exact,
        })
    }

    /// Adds a direction for a function; `false` if those that there are give it.
    fn extend(&mut self, function: &[f64], label: &str) -> bool {
        let Some(shifted) = self.shifted(function) else {
            return false;
        };
        if !shifted.is_exact {
            self.echelon.mark_inexact();
        }
        let numbers = without_common_factor(shifted.numbers);
        // Along with a function goes which direction it is.
        let mut row = sparse(&numbers);
        row.push((self.size + self.columns.len(), Rational::one()));
        let is_new = self.echelon.insert(&row);
        if is_new {
            self.columns.push(BasisColumn {
                label: label.to_string(),
                function: numbers.iter().map(Rational::to_f64).collect(),
                offset: 0.0,
            });
        }
        is_new
    }

    /// Whether all numbers are of some kind: of the directions, and of how the demands are read from them.
    pub fn is_all(&self, demands: &[(Vec<f64>, String)], is: impl Fn(f64) -> bool) -> bool {
        let mut directions = self.columns.iter().flat_map(|column| &column.function);
        directions.all(|number| is(*number)) && self.is_read_by(demands, is)
    }

    /// Whether all numbers by which the demands are read are of some kind.
    fn is_read_by(&self, demands: &[(Vec<f64>, String)], is: impl Fn(f64) -> bool) -> bool {
        let mut reads = demands
            .iter()
            .filter_map(|(function, _)| self.coordinates(function));
        reads.all(|(_, coordinates)| coordinates.into_iter().all(&is))
    }

    /// A function as a constant and a combination of the directions; `None` if it is not one.
    pub fn coordinates(&self, function: &[f64]) -> Option<(f64, Vec<f64>)> {
        if self.one_hot {
            return Some(self.one_hot_coordinates(function));
        }
        let shifted = self.shifted(function)?;
        let mut coordinates = vec![0.0; self.columns.len()];
        let floats = shifted.numbers.iter().map(Rational::to_f64);
        if let Some(at) = self.column(&Vec::from_iter(floats)) {
            coordinates[at] = 1.0;
            return Some((shifted.constant - self.columns[at].offset, coordinates));
        }
        for (column, entry) in self.echelon.reduce(&sparse(&shifted.numbers)) {
            *coordinates.get_mut(column.checked_sub(self.size)?)? = (-&entry).to_f64();
        }
        let pairs = coordinates.iter().zip(&self.columns);
        let offsets = pairs.map(|(coordinate, column)| coordinate * column.offset);
        Some((shifted.constant - offsets.sum::<f64>(), coordinates))
    }

    fn column(&self, function: &[f64]) -> Option<usize> {
        self.columns.iter().position(|column| {
            let mut pairs = column.function.iter().zip(function);
            pairs.all(|(held, number)| held - column.offset == *number)
        })
    }

    fn one_hot_coordinates(&self, function: &[f64]) -> (f64, Vec<f64>) {
        let constant = function[self.reference];
        let others = function.iter().enumerate();
        let others = others.filter(|(value, _)| *value != self.reference);
        (constant, others.map(|(_, f)| f - constant).collect())
    }
}

/// The index that is held as 0. A constant that is taken back costs digits: where one demand has fractions, it
/// is that for which this is closest to 0.
pub fn reference_of_indices(demands: &[(Vec<f64>, String)]) -> usize {
    let is_fraction = |function: &&Vec<f64>| function.iter().any(|number| number.fract() != 0.0);
    let mut fractions = demands
        .iter()
        .map(|(function, _)| function)
        .filter(is_fraction);
    let (Some(function), None) = (fractions.next(), fractions.next()) else {
        return 0;
    };
    let sizes = || function.iter().map(|number| number.abs());
    let least = sizes().fold(f64::INFINITY, f64::min);
    sizes().position(|size| size == least).unwrap_or(0)
}

/// The first value that no demand tells from all others, or the last, if one tells the first: to read what has no
/// direction is to take all others from 1, of which floats leave few digits.
pub fn without_direction(demands: &[(Vec<f64>, String)]) -> Option<usize> {
    let is_told = |at: usize| {
        demands.iter().any(|(function, _)| {
            let others = || function.iter().take(at).chain(function.iter().skip(at + 1));
            let other = others().next();
            others().all(|number| Some(number) == other) && function.get(at) != other
        })
    };
    let last = demands.first()?.0.len().checked_sub(1)?;
    is_told(0).then(|| (1..last).find(|at| !is_told(*at)).unwrap_or(last))
}

/// Whether floats hold a number without rounding, as its fraction is a binary one of few digits.
fn is_binary(number: f64) -> bool {
    (number * MOST_PARTS as f64).fract() == 0.0
}

/// A function that is 0 at the reference.
struct Shifted {
    /// What it was there.
    constant: f64,
    numbers: Vec<Rational>,
    is_exact: bool,
}

/// Binary fractions as whole numbers without a common divisor: what reads a multiple of them multiplies by a
/// whole number, which floats do without rounding.
fn without_common_factor(numbers: Vec<Rational>) -> Vec<Rational> {
    let is_plain = |d: &i64| *d <= MOST_PARTS && d.count_ones() == 1;
    let of_two = |number: &Rational| number.denominator().filter(is_plain);
    let divisors = numbers.iter().map(of_two);
    let Some(divisors) = divisors.collect::<Option<Vec<i64>>>() else {
        return numbers;
    };
    let common = divisors.into_iter().max().unwrap_or(1);
    let whole = numbers
        .iter()
        .map(|number| i64::try_from(number.numerator_over(i128::from(common))?).ok());
    let Some(whole) = whole.collect::<Option<Vec<i64>>>() else {
        return numbers;
    };
    // The least number of all has no absolute value.
    if whole.contains(&i64::MIN) {
        return numbers;
    }
    match whole.iter().fold(0, |known, number| number.gcd(&known)) {
        0 => numbers,
        factor => whole.iter().map(|n| Rational::from(n / factor)).collect(),
    }
}

fn sparse(numbers: &[Rational]) -> Sparse {
    let entries = numbers.iter().cloned().enumerate();
    entries.filter(|(_, number)| !number.is_zero()).collect()
}
