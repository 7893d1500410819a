//! Whether a column of a joint table is additive: a constant, plus a function of each categorical
//! variable, plus a multiple of each numerical one. Such a column is a linear read of the residual
//! stream. Solved exactly by elimination over as few rows as determine it, then checked on all.

use crate::infer::space::{Space, VarId};

/// How a variable may enter.
#[derive(Clone, Debug)]
pub enum Part {
    /// By any function of its value; the domain has this many.
    Function(usize),
    /// By a multiple of these numbers.
    Scalar(Vec<f64>),
}

/// The parts of an additive column, one for each variable of the space.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    pub constant: f64,
    pub parts: Vec<(VarId, FitPart)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FitPart {
    Function(Vec<f64>),
    Scalar(f64),
}

/// More unknowns than this are not solved for.
const MOST_UNKNOWNS: usize = 700;

/// The column `target` (one number a row, NaN where it may be anything) as an additive function of
/// the space's variables; `None` if it is not one.
pub fn additive(space: &Space, parts: &[Part], target: &[f64]) -> Option<Fit> {
    let layout = Layout::new(parts);
    if layout.unknowns > MOST_UNKNOWNS {
        return None;
    }
    let largest = target
        .iter()
        .filter(|t| !t.is_nan())
        .fold(0.0f64, |m, t| m.max(t.abs()));
    let tolerance = 1e-9 * (1.0 + largest);
    let mut system = System::new(layout.unknowns);
    let mut solution = vec![0.0; layout.unknowns];
    let (mut row, mut agreeing) = (0, 0);
    while agreeing < space.rows() {
        let cells = space.row(row);
        let wanted = target[row];
        if wanted.is_nan() || (layout.value(parts, &solution, cells) - wanted).abs() <= tolerance {
            agreeing += 1;
        } else {
            if !system.insert(layout.equation(parts, cells), wanted) {
                return None;
            }
            solution = system.solution();
            agreeing = 0;
        }
        row = (row + 1) % space.rows();
    }
    Some(layout.fit(space, parts, &solution))
}

/// Where the unknowns of each part stand; unknown 0 is the constant, and the first value of a
/// function is 0.
struct Layout {
    starts: Vec<usize>,
    unknowns: usize,
}

impl Layout {
    fn new(parts: &[Part]) -> Layout {
        let mut unknowns = 1;
        let starts = parts
            .iter()
            .map(|part| {
                let start = unknowns;
                unknowns += match part {
                    Part::Function(size) => size.saturating_sub(1),
                    Part::Scalar(_) => 1,
                };
                start
            })
            .collect();
        Layout { starts, unknowns }
    }

    /// The unknowns that a row has, with their coefficients.
    fn terms<'a>(
        &'a self,
        parts: &'a [Part],
        cells: &'a [u32],
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        let each = self.starts.iter().zip(parts).zip(cells);
        let varying = each.filter_map(|((start, part), cell)| match part {
            Part::Function(_) => (*cell > 0).then(|| (start + *cell as usize - 1, 1.0)),
            Part::Scalar(numbers) => Some((*start, numbers[*cell as usize])),
        });
        std::iter::once((0, 1.0)).chain(varying)
    }

    fn value(&self, parts: &[Part], solution: &[f64], cells: &[u32]) -> f64 {
        let terms = self.terms(parts, cells);
        terms.map(|(at, factor)| factor * solution[at]).sum()
    }

    fn equation(&self, parts: &[Part], cells: &[u32]) -> Vec<f64> {
        let mut equation = vec![0.0; self.unknowns];
        for (at, factor) in self.terms(parts, cells) {
            equation[at] += factor;
        }
        equation
    }

    fn fit(&self, space: &Space, parts: &[Part], solution: &[f64]) -> Fit {
        let clean = |number: f64| {
            let rounded = number.round();
            if (number - rounded).abs() < 1e-9 {
                rounded
            } else {
                number
            }
        };
        let part = |(start, part): (&usize, &Part)| match part {
            Part::Function(size) => {
                let rest = (1..*size).map(|value| clean(solution[start + value - 1]));
                FitPart::Function(std::iter::once(0.0).chain(rest).collect())
            }
            Part::Scalar(_) => FitPart::Scalar(clean(solution[*start])),
        };
        let fitted = self.starts.iter().zip(parts).map(part);
        Fit {
            constant: clean(solution[0]),
            parts: space.vars.iter().copied().zip(fitted).collect(),
        }
    }
}

/// Linear equations in reduced echelon form.
struct System {
    unknowns: usize,
    /// The pivot of an equation, and the equation with its right side last.
    equations: Vec<(usize, Vec<f64>)>,
}

impl System {
    fn new(unknowns: usize) -> System {
        System {
            unknowns,
            equations: Vec::new(),
        }
    }

    /// Adds an equation; `false` if it contradicts the others.
    fn insert(&mut self, mut equation: Vec<f64>, right: f64) -> bool {
        equation.push(right);
        for (pivot, known) in &self.equations {
            let factor = equation[*pivot];
            if factor != 0.0 {
                subtract(&mut equation, factor, known);
            }
        }
        // The latest unknown is the pivot, so that the constant and free values stay 0.
        let Some(pivot) = (0..self.unknowns)
            .rev()
            .max_by(|a, b| equation[*a].abs().total_cmp(&equation[*b].abs()))
            .filter(|pivot| equation[*pivot].abs() > 1e-9)
        else {
            return false;
        };
        let lead = equation[pivot];
        for entry in &mut equation {
            *entry /= lead;
        }
        for (_, known) in &mut self.equations {
            let factor = known[pivot];
            if factor != 0.0 {
                subtract(known, factor, &equation);
            }
        }
        self.equations.push((pivot, equation));
        true
    }

    /// The solution whose free unknowns are 0.
    fn solution(&self) -> Vec<f64> {
        let mut solution = vec![0.0; self.unknowns];
        for (pivot, equation) in &self.equations {
            solution[*pivot] = equation[self.unknowns];
        }
        solution
    }
}

fn subtract(from: &mut [f64], factor: f64, what: &[f64]) {
    for (entry, other) in from.iter_mut().zip(what) {
        *entry -= factor * other;
    }
}
