//! Where the weights of two models differ, to the bit.

use super::matrix::Matrix;
use super::transformer::{Head, Model};
use super::weights::{Axis, Numbers, Owner, Tensor};

/// The first entry in which a model differs from what it should be, in words; `None` if all weights
/// are the same.
pub fn difference(expected: &Model, found: &Model) -> Option<String> {
    let counts = [
        ("directions", expected.d_model, found.d_model),
        ("tokens", expected.vocabulary.len(), found.vocabulary.len()),
        (
            "tokens of the longest input",
            expected.max_length,
            found.max_length,
        ),
        ("layers", expected.layers.len(), found.layers.len()),
        ("outputs", expected.outputs.len(), found.outputs.len()),
        ("variables", expected.variables.len(), found.variables.len()),
    ];
    let differ = |(what, expected, found): &(&str, usize, usize)| count(what, *expected, *found);
    if let Some(difference) = counts.iter().find_map(differ) {
        return Some(difference);
    }
    if expected.bos != found.bos {
        return Some("whether BOS stands before the tokens".to_string());
    }
    if expected.causal != found.causal {
        return Some("the causal mask".to_string());
    }
    if expected.loops != found.loops {
        return Some("which layers run again and again".to_string());
    }
    let comparison = Comparison { expected, found };
    comparison.parts().or_else(|| {
        let mut pairs = expected.tensors().into_iter().zip(found.tensors());
        pairs.find_map(|(ours, theirs)| comparison.tensor(&ours, &theirs))
    })
}

struct Comparison<'m> {
    expected: &'m Model,
    found: &'m Model,
}

impl Comparison<'_> {
    /// In what else than weights layers and variables differ.
    fn parts(&self) -> Option<String> {
        let layers = self.expected.layers.iter().zip(&self.found.layers);
        for (at, (ours, theirs)) in layers.enumerate() {
            let heads = [ours.heads.len(), theirs.heads.len()];
            if heads[0] != heads[1] {
                return count(&format!("heads in blocks.{at}"), heads[0], heads[1]);
            }
            let attends = |head: &Head| (head.mask, head.attention);
            let mut pairs = ours.heads.iter().zip(&theirs.heads);
            if let Some(number) = pairs.position(|(one, other)| attends(one) != attends(other)) {
                let head = Owner::Head(at, number);
                let of = self.of(head);
                return Some(format!("{head}.the mask or the kind of attention{of}"));
            }
            if ours.mlp.layer_norm != theirs.mlp.layer_norm {
                let block = Owner::Hidden(at);
                return Some(format!("{block}: whether hidden units are normalised"));
            }
        }
        let variables = self.expected.variables.iter().zip(&self.found.variables);
        let mut variables = variables.enumerate().map(|(at, (ours, theirs))| {
            let of = self.of(Owner::Variable(at));
            count(&format!("half layers before{of}"), ours.ready, theirs.ready)
        });
        variables.find_map(|difference| difference)
    }

    fn tensor(&self, ours: &Tensor, theirs: &Tensor) -> Option<String> {
        let name = format!("{ours}{}", self.of(ours.owner));
        match (ours.numbers, theirs.numbers) {
            (Numbers::Matrix(ours, sides), Numbers::Matrix(theirs, _)) => {
                self.matrix(&name, (ours, theirs), sides.map(|(axis, _)| axis))
            }
            (Numbers::Bias(ours, (axis, _)), Numbers::Bias(theirs, _)) => {
                self.bias(&name, axis, ours, theirs)
            }
            (Numbers::Matrix(..), Numbers::Bias(..)) | (Numbers::Bias(..), Numbers::Matrix(..)) => {
                None
            }
        }
    }

    /// What people call what has weights, if it has a name.
    fn of(&self, owner: Owner) -> String {
        let model = self.expected;
        match owner {
            Owner::Tokens | Owner::Positions | Owner::Hidden(_) => String::new(),
            Owner::Head(layer, head) => {
                format!(" of the head \"{}\"", model.layers[layer].heads[head].label)
            }
            Owner::Output(at) => format!(" of the output \"{}\"", model.outputs[at].name),
            Owner::Variable(at) => format!(" of the variable \"{}\"", model.variables[at].name),
        }
    }

    fn matrix(
        &self,
        name: &str,
        (expected, found): (&Matrix, &Matrix),
        axes: [Axis; 2],
    ) -> Option<String> {
        let shape = |matrix: &Matrix| (matrix.rows(), matrix.columns());
        if shape(expected) != shape(found) {
            let (expected, found) = (shape(expected), shape(found));
            return Some(format!(
                "{name}: shape {found:?} where {expected:?} is expected"
            ));
        }
        let (mut ours, mut theirs) = (expected.entries(), found.entries());
        loop {
            let at =
                |entry: Option<(usize, usize, f64)>| entry.map(|(row, column, _)| (row, column));
            let bits =
                |entry: Option<(usize, usize, f64)>| entry.map(|(_, _, value)| value.to_bits());
            let (expected, found) = (ours.next(), theirs.next());
            if at(expected) == at(found) && bits(expected) == bits(found) {
                expected?;
                continue;
            }
            // What is not stored is 0.
            let places = [expected, found].into_iter().flatten();
            let (row, column) = places.map(|(row, column, _)| (row, column)).min()?;
            let value = |entry: Option<(usize, usize, f64)>| match entry {
                Some((r, c, value)) if (r, c) == (row, column) => value,
                _ => 0.0,
            };
            return Some(format!(
                "{name} at {}, {}: {:?} where {:?} is expected",
                self.place(axes[0], row),
                self.place(axes[1], column),
                value(found),
                value(expected)
            ));
        }
    }

    fn bias(&self, name: &str, axis: Axis, expected: &[f64], found: &[f64]) -> Option<String> {
        if expected.len() != found.len() {
            return count(&format!("entries of {name}"), expected.len(), found.len());
        }
        let mut pairs = expected.iter().zip(found);
        let at = pairs.position(|(ours, theirs)| ours.to_bits() != theirs.to_bits())?;
        let (place, ours, theirs) = (self.place(axis, at), expected[at], found[at]);
        Some(format!(
            "{name} at {place}: {theirs:?} where {ours:?} is expected"
        ))
    }

    fn place(&self, axis: Axis, at: usize) -> String {
        let model = self.expected;
        match axis {
            Axis::Direction => match model.directions.get(at) {
                Some(label) => format!("direction \"{label}\""),
                None => format!("direction {at}"),
            },
            Axis::Token => match model.vocabulary.get(at) {
                Some(token) => format!("token {}", token.source()),
                None => "token BOS".to_string(),
            },
            Axis::Position => format!("position {at}"),
            Axis::Numbered(name) => format!("{name} {at}"),
        }
    }
}

fn count(what: &str, expected: usize, found: usize) -> Option<String> {
    (expected != found).then(|| format!("{found} {what} where {expected} are expected"))
}
