//! Which directions a categorical variable gets. Its readers demand functions of it; a basis of
//! those is enough. Where they want nearly everything, each value has its own direction.

use crate::graph::Encoding;

/// The directions of one variable, as functions on its domain.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    pub columns: Vec<BasisColumn>,
    /// The value at which every function is 0.
    reference: usize,
    /// Demands in echelon form: a pivot value, the reduced function, and its coordinates.
    echelon: Vec<(usize, Vec<f64>, Vec<f64>)>,
    one_hot: bool,
}

/// One direction.
#[derive(Clone, Debug, PartialEq)]
pub struct BasisColumn {
    pub label: String,
    pub function: Vec<f64>,
}

/// Fewest values of a variable that is held one-hot.
const FEWEST_ONE_HOT: usize = 4;

impl Basis {
    /// A basis for the demanded functions, modulo constants. `reference` is the value that shall
    /// be held as 0; without one, every value of a one-hot variable has a direction. `wish` is
    /// how the program asks for the variable to be held.
    pub fn new(
        size: usize,
        reference: Option<usize>,
        wish: Option<Encoding>,
        demands: &[(Vec<f64>, String)],
        value_label: impl Fn(usize) -> String,
    ) -> Basis {
        let mut basis = Basis {
            columns: Vec::new(),
            reference: reference.unwrap_or(0),
            echelon: Vec::new(),
            one_hot: false,
        };
        for (function, label) in demands {
            basis.extend(function, label);
        }
        let one_hot = match wish {
            Some(Encoding::Categorical) => !basis.columns.is_empty(),
            Some(Encoding::Numerical) => false,
            None => size >= FEWEST_ONE_HOT && basis.columns.len() + 1 >= size,
        };
        if one_hot {
            basis.one_hot = true;
            basis.echelon.clear();
            basis.columns = (0..size)
                .filter(|value| Some(*value) != reference)
                .map(|value| BasisColumn {
                    label: value_label(value),
                    function: (0..size).map(|v| f64::from(u8::from(v == value))).collect(),
                })
                .collect();
        }
        basis
    }

    fn shifted(&self, function: &[f64]) -> Vec<f64> {
        let zero = function.get(self.reference).copied().unwrap_or(0.0);
        function.iter().map(|value| value - zero).collect()
    }

    fn extend(&mut self, function: &[f64], label: &str) {
        let shifted = self.shifted(function);
        let (rest, mut coordinates) = self.reduce(shifted.clone());
        let Some(pivot) = largest(&rest) else {
            return;
        };
        // The new direction is the function itself; the echelon row is what is new in it.
        for coordinate in &mut coordinates {
            *coordinate = -*coordinate;
        }
        coordinates.push(1.0);
        self.echelon.push((pivot, rest, coordinates));
        self.columns.push(BasisColumn {
            label: label.to_string(),
            function: shifted,
        });
    }

    /// What is left of a function after the echelon rows, and the columns taken out of it.
    fn reduce(&self, mut function: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
        let mut coordinates = vec![0.0; self.columns.len()];
        for (pivot, row, row_coordinates) in &self.echelon {
            let factor = function[*pivot] / row[*pivot];
            if factor == 0.0 {
                continue;
            }
            for (entry, other) in function.iter_mut().zip(row) {
                *entry -= factor * other;
            }
            for (sum, coordinate) in coordinates.iter_mut().zip(row_coordinates) {
                *sum += factor * coordinate;
            }
        }
        (function, coordinates)
    }

    /// A function as a constant and a combination of the directions; `None` if it is not one.
    pub fn coordinates(&self, function: &[f64]) -> Option<(f64, Vec<f64>)> {
        if self.one_hot {
            return Some(self.one_hot_coordinates(function));
        }
        let constant = function.get(self.reference).copied().unwrap_or(0.0);
        let shifted = self.shifted(function);
        if let Some(at) = self.columns.iter().position(|c| c.function == shifted) {
            let unit = (0..self.columns.len()).map(|column| f64::from(u8::from(column == at)));
            return Some((constant, unit.collect()));
        }
        let (rest, coordinates) = self.reduce(shifted);
        largest(&rest).is_none().then_some((constant, coordinates))
    }

    fn one_hot_coordinates(&self, function: &[f64]) -> (f64, Vec<f64>) {
        if self.columns.len() == function.len() {
            return (0.0, function.to_vec());
        }
        let constant = function[self.reference];
        let others = function.iter().enumerate();
        let others = others.filter(|(value, _)| *value != self.reference);
        (constant, others.map(|(_, f)| f - constant).collect())
    }
}

/// Where a function is largest, unless it is zero.
fn largest(function: &[f64]) -> Option<usize> {
    let scale = function.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    (scale > 1e-9).then(|| {
        (0..function.len())
            .max_by(|a, b| function[*a].abs().total_cmp(&function[*b].abs()))
            .unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_are_combinations_of_the_basis() {
        let demands = [
            (vec![0.0, 1.0, 2.0, 3.0, 4.0], "x".to_string()),
            (vec![5.0, 3.0, 1.0, -1.0, -3.0], "5-2x".to_string()),
            (vec![0.0, 1.0, 4.0, 9.0, 16.0], "x²".to_string()),
        ];
        let basis = Basis::new(5, None, None, &demands, |value| value.to_string());
        assert_eq!(basis.columns.len(), 2);
        let (constant, coordinates) = basis.coordinates(&[1.0, 3.0, 7.0, 13.0, 21.0]).unwrap();
        assert_eq!((constant, coordinates), (1.0, vec![1.0, 1.0]));
        assert!(basis.coordinates(&[0.0, 1.0, 0.0, 0.0, 0.0]).is_none());
    }

    #[test]
    fn readers_that_want_everything_get_a_direction_for_each_value() {
        let demands: Vec<(Vec<f64>, String)> = (0..3)
            .map(|value| {
                let f = (0..4).map(|v| f64::from(u8::from(v == value)));
                (f.collect(), String::new())
            })
            .collect();
        let basis = Basis::new(4, Some(1), None, &demands, |value| format!("v{value}"));
        let labels: Vec<&str> = basis.columns.iter().map(|c| c.label.as_str()).collect();
        assert_eq!(labels, ["v0", "v2", "v3"]);
        let (constant, coordinates) = basis.coordinates(&[7.0, 5.0, 5.0, 6.0]).unwrap();
        assert_eq!((constant, coordinates), (5.0, vec![2.0, 0.0, 1.0]));
    }
}
