//! Whether a column of a joint table is additive: a constant, plus a function of each categorical
//! variable, plus a multiple of each numerical one. Such a column is a linear read of the residual
//! stream. Solved by elimination over the rationals, on as few rows as determine it, then checked on
//! all, as integers over a common denominator.

use crate::algebra::{Echelon, FAINT, Rational, Reading, Sparse, largest};
use crate::infer::space::{Space, VarId};
use num_integer::Integer;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// How a variable may enter.
#[derive(Clone, Debug)]
pub enum Entering {
    /// By any function of its value; the domain has this many.
    Function(usize),
    /// By a multiple of these numbers.
    Scalar(Vec<f64>),
}

/// The parts of an additive column, one for each variable of the space.
#[derive(Clone, Debug, PartialEq)]
pub struct Additive {
    pub constant: f64,
    pub parts: Vec<(VarId, AdditivePart)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AdditivePart {
    Function(Vec<f64>),
    Scalar(f64),
}

impl Entering {
    /// How many values the variable has.
    fn size(&self) -> usize {
        match self {
            Entering::Function(size) => *size,
            Entering::Scalar(numbers) => numbers.len(),
        }
    }
}

/// What rows farther from a corner than this, in units of its distance from the first, are told by it is
/// not held against them: its rounding counts so often.
const FARTHEST: f64 = 10_000.0;

/// What differs by this share of the largest number differs by more than rounding.
const SURE: f64 = 1e-3;

/// More unknowns than this are not solved for.
const MOST_UNKNOWNS: usize = 700;

/// The column `target` (one number a row, NaN where it may be anything) as an additive function of
/// the space's variables; `None` if it is not one.
pub fn additive(space: &Space, parts: &[Entering], target: &[f64]) -> Option<Additive> {
    let unknowns = Unknowns::new(parts);
    if unknowns.count > MOST_UNKNOWNS {
        return None;
    }
    let corners = corners(space, parts);
    if is_refuted(space, parts, target, &corners) {
        return None;
    }
    let numbers = Numbers::of(parts)?;
    let mut targets = Targets::new(largest(target));
    let mut system = Echelon::new(unknowns.count);
    if !numbers.exact {
        system.mark_inexact();
    }
    for row in corners {
        if !target[row].is_nan() {
            unknowns.insert(
                &mut system,
                &numbers,
                space.row(row),
                targets.reading(target[row])?,
            );
        }
    }
    let mut solution = system.solution();
    let mut guess = unknowns.guess(&numbers, &solution, system.is_exact());
    // Rows are checked in a circle. One that disagrees becomes an equation and the count starts again;
    // all agree once a full round did.
    let (mut row, mut agreeing) = (0, 0);
    while agreeing < space.rows() {
        let (cells, wanted) = (space.row(row), target[row]);
        if wanted.is_nan() || targets.agree(&guess, cells, wanted)? {
            agreeing += 1;
        } else {
            if !unknowns.insert(&mut system, &numbers, cells, targets.reading(wanted)?) {
                return None;
            }
            solution = system.solution();
            guess = unknowns.guess(&numbers, &solution, system.is_exact());
            targets.numerators.clear();
            agreeing = 0;
        }
        row = (row + 1) % space.rows();
    }
    Some(unknowns.solved(space, parts, &solution))
}

/// Rows that mostly determine a column: the first, and those that differ from it in one place, once
/// for each unknown.
fn corners(space: &Space, parts: &[Entering]) -> Vec<usize> {
    let mut known = vec![false; parts.len()];
    let is_corner = |row: &usize| {
        let mut cells = space.row(*row).iter().zip(space.row(0));
        let Some(place) = cells.position(|(cell, first)| cell != first) else {
            return true;
        };
        let is_known = std::mem::replace(&mut known[place], true);
        !is_known || matches!(parts[place], Entering::Function(_))
    };
    let beside = space.beside_first().iter().copied();
    beside.filter(is_corner).collect()
}

/// Whether floats tell already that the column is not additive: what its corners say of another row is
/// far from what is there, however much was rounded.
fn is_refuted(space: &Space, parts: &[Entering], target: &[f64], corners: &[usize]) -> bool {
    let Some((&first, corners)) = corners.split_first() else {
        return false;
    };
    let cells = space.row(first);
    let unknown = |(part, first): (&Entering, &u32)| {
        let mut term = vec![f64::NAN; part.size()];
        term[*first as usize] = 0.0;
        term
    };
    let mut terms: Vec<Vec<f64>> = parts.iter().zip(cells).map(unknown).collect();
    for corner in corners {
        let change = target[*corner] - target[first];
        let pairs = space.row(*corner).iter().zip(cells).enumerate();
        for (place, (cell, first)) in pairs.filter(|(_, (cell, first))| cell != first) {
            let (cell, first) = (*cell as usize, *first as usize);
            match &parts[place] {
                Entering::Function(_) => terms[place][cell] = change,
                Entering::Scalar(numbers) => {
                    let share = |number: &f64| {
                        let share = (number - numbers[first]) / (numbers[cell] - numbers[first]);
                        let is_near = share.abs() <= FARTHEST;
                        if is_near { change * share } else { f64::NAN }
                    };
                    terms[place] = numbers.iter().map(share).collect();
                }
            }
        }
    }
    let far = SURE * largest(target);
    (0..space.rows()).any(|row| {
        let each = terms.iter().zip(space.row(row));
        let told = each.fold(target[first], |sum, (term, cell)| {
            sum + term[*cell as usize]
        });
        // Nothing is told by what is NaN.
        (told - target[row]).abs() > far
    })
}

/// What each value of each variable multiplies its unknown by: its number, or 1.
struct Numbers {
    scalars: Vec<Option<Vec<Rational>>>,
    exact: bool,
}

impl Numbers {
    /// `None` if a number is infinite.
    fn of(parts: &[Entering]) -> Option<Numbers> {
        let mut numbers = Numbers {
            scalars: Vec::with_capacity(parts.len()),
            exact: true,
        };
        for part in parts {
            numbers.scalars.push(match part {
                Entering::Function(_) => None,
                Entering::Scalar(floats) => {
                    let readings = Reading::of_all(floats)?;
                    numbers.exact &= readings.iter().all(|reading| reading.is_fraction);
                    Some(readings.into_iter().map(|reading| reading.number).collect())
                }
            });
        }
        Some(numbers)
    }
}

/// Where the unknowns of each part stand; unknown 0 is the constant, and the first value of a
/// function is 0.
struct Unknowns {
    starts: Vec<usize>,
    /// How many values each part's variable has.
    sizes: Vec<usize>,
    count: usize,
}

impl Unknowns {
    fn new(parts: &[Entering]) -> Unknowns {
        let mut count = 1;
        let (mut starts, mut sizes) = (Vec::new(), Vec::new());
        for part in parts {
            starts.push(count);
            let own = match part {
                Entering::Function(size) => size.saturating_sub(1),
                Entering::Scalar(_) => 1,
            };
            sizes.push(part.size());
            count += own;
        }
        Unknowns {
            starts,
            sizes,
            count,
        }
    }

    /// What a row says of the unknowns, with its right side after the last of them.
    fn equation(&self, numbers: &Numbers, cells: &[u32], wanted: &Rational) -> Sparse {
        let mut equation = vec![(0, Rational::one())];
        for ((start, scalars), cell) in self.starts.iter().zip(&numbers.scalars).zip(cells) {
            let cell = *cell as usize;
            equation.extend(match scalars {
                None => (cell > 0).then(|| (start + cell - 1, Rational::one())),
                Some(numbers) => Some((*start, numbers[cell].clone())),
            });
        }
        equation.push((self.count, wanted.clone()));
        equation.retain(|(_, entry)| !entry.is_zero());
        equation
    }

    /// Adds what a row says; `false` if it is known, or contradicts what is.
    fn insert(
        &self,
        system: &mut Echelon,
        numbers: &Numbers,
        cells: &[u32],
        wanted: &Reading,
    ) -> bool {
        if !wanted.is_fraction {
            system.mark_inexact();
        }
        system.insert(&self.equation(numbers, cells, &wanted.number))
    }

    fn guess(&self, numbers: &Numbers, solution: &[Rational], exact: bool) -> Guess {
        let mut terms = Vec::with_capacity(self.starts.len());
        for ((start, size), scalars) in self.starts.iter().zip(&self.sizes).zip(&numbers.scalars) {
            terms.push(match scalars {
                None => {
                    let others = solution[*start..].iter().take(size.saturating_sub(1));
                    let first = std::iter::once(Rational::zero());
                    first.chain(others.cloned()).collect()
                }
                Some(numbers) => numbers.iter().map(|n| n * &solution[*start]).collect(),
            });
        }
        let whole = || Guess::whole(&solution[0], &terms);
        exact
            .then(whole)
            .flatten()
            .unwrap_or_else(|| Guess::rounded(&solution[0], &terms))
    }

    fn solved(&self, space: &Space, parts: &[Entering], solution: &[Rational]) -> Additive {
        let solution: Vec<f64> = solution.iter().map(Rational::to_f64).collect();
        let scale = largest(&solution);
        // What is no fraction may still be the rounding of one.
        let clean = |float: f64| Reading::of(float, scale).map_or(float, |r| r.number.to_f64());
        let part = |(start, part): (&usize, &Entering)| match part {
            Entering::Function(size) => {
                let rest = (1..*size).map(|value| clean(solution[start + value - 1]));
                AdditivePart::Function(std::iter::once(0.0).chain(rest).collect())
            }
            Entering::Scalar(_) => AdditivePart::Scalar(clean(solution[*start])),
        };
        let fitted = self.starts.iter().zip(parts).map(part);
        Additive {
            constant: clean(solution[0]),
            parts: space.vars.iter().copied().zip(fitted).collect(),
        }
    }
}

/// A solution, as what each value of each variable adds to the column.
enum Guess {
    /// As numerators over a common denominator.
    Whole {
        denominator: i128,
        constant: i128,
        terms: Vec<Vec<i128>>,
    },
    /// In floats, where some numbers are no fractions or have no common denominator of that size.
    Rounded { constant: f64, terms: Vec<Vec<f64>> },
}

/// Numerators are below this, so that their sums do not overflow.
const LARGEST_NUMERATOR: u128 = 1 << 100;

impl Guess {
    fn whole(constant: &Rational, terms: &[Vec<Rational>]) -> Option<Guess> {
        let mut denominator = 1;
        for number in terms.iter().flatten().chain([constant]) {
            denominator = common_multiple(denominator, i128::from(number.denominator()?))?;
        }
        let over = |number: &Rational| numerator(number, denominator);
        let over_all = |numbers: &Vec<Rational>| numbers.iter().map(over).collect();
        Some(Guess::Whole {
            denominator,
            constant: over(constant)?,
            terms: terms.iter().map(over_all).collect::<Option<_>>()?,
        })
    }

    fn rounded(constant: &Rational, terms: &[Vec<Rational>]) -> Guess {
        let floats = |numbers: &Vec<Rational>| numbers.iter().map(Rational::to_f64).collect();
        Guess::Rounded {
            constant: constant.to_f64(),
            terms: terms.iter().map(floats).collect(),
        }
    }
}

fn numerator(number: &Rational, denominator: i128) -> Option<i128> {
    let numerator = number.numerator_over(denominator)?;
    (numerator.unsigned_abs() < LARGEST_NUMERATOR).then_some(numerator)
}

fn common_multiple(a: i128, b: i128) -> Option<i128> {
    if b == 1 || a % b == 0 {
        return Some(a);
    }
    let multiple = (a / a.gcd(&b)).checked_mul(b)?;
    (multiple.unsigned_abs() < LARGEST_NUMERATOR).then_some(multiple)
}

/// The numbers of the column, each read once.
struct Targets {
    scale: f64,
    readings: FxHashMap<u64, Reading>,
    /// As numerators over the denominator of the guess; `None` if a number is no multiple of it.
    numerators: FxHashMap<u64, Numerator>,
}

#[derive(Clone, Copy)]
enum Numerator {
    Fraction(Option<i128>),
    /// The number is only known up to rounding.
    Unknown,
}

impl Targets {
    fn new(scale: f64) -> Targets {
        Targets {
            scale,
            readings: FxHashMap::default(),
            numerators: FxHashMap::default(),
        }
    }

    /// `None` if the number is infinite.
    fn reading(&mut self, float: f64) -> Option<&Reading> {
        match self.readings.entry(float.to_bits()) {
            Entry::Occupied(known) => Some(known.into_mut()),
            Entry::Vacant(new) => Some(new.insert(Reading::of(float, self.scale)?)),
        }
    }

    /// Whether the guess gives this number in a row; `None` if the number is infinite.
    fn agree(&mut self, guess: &Guess, cells: &[u32], wanted: f64) -> Option<bool> {
        let float = match guess {
            Guess::Whole {
                denominator,
                constant,
                terms,
            } => {
                let each = terms.iter().zip(cells);
                let sum = each.fold(*constant, |sum, (term, cell)| sum + term[*cell as usize]);
                match self.numerator(wanted, *denominator)? {
                    Numerator::Fraction(numerator) => return Some(numerator == Some(sum)),
                    Numerator::Unknown => sum as f64 / *denominator as f64,
                }
            }
            Guess::Rounded { constant, terms } => {
                let each = terms.iter().zip(cells);
                each.fold(*constant, |sum, (term, cell)| sum + term[*cell as usize])
            }
        };
        Some((float - wanted).abs() <= FAINT * self.scale)
    }

    fn numerator(&mut self, float: f64, denominator: i128) -> Option<Numerator> {
        if let Some(known) = self.numerators.get(&float.to_bits()) {
            return Some(*known);
        }
        let reading = self.reading(float)?;
        let found = match reading.is_fraction {
            true => Numerator::Fraction(numerator(&reading.number, denominator)),
            false => Numerator::Unknown,
        };
        self.numerators.insert(float.to_bits(), found);
        Some(found)
    }
}
