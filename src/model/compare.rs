//! Where the weights of two models differ, to the bit.

use super::file::unembedding;
use super::matrix::Matrix;
use super::transformer::{FeedForward, Head, Model, Readout};

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
    Comparison { expected, found }.weights()
}

/// What the rows or columns of a matrix are.
#[derive(Clone, Copy)]
enum Axis {
    Direction,
    Token,
    Position,
    /// Numbered things of this name.
    Numbered(&'static str),
}

struct Comparison<'m> {
    expected: &'m Model,
    found: &'m Model,
}

impl Comparison<'_> {
    fn weights(&self) -> Option<String> {
        let (expected, found) = (self.expected, self.found);
        let tokens = (&expected.token_embedding, &found.token_embedding);
        let positions = (&expected.position_embedding, &found.position_embedding);
        self.matrix("embed.W_E", tokens, [Axis::Token, Axis::Direction])
            .or_else(|| {
                self.matrix(
                    "pos_embed.W_pos",
                    positions,
                    [Axis::Position, Axis::Direction],
                )
            })
            .or_else(|| {
                let layers = expected.layers.iter().zip(&found.layers).enumerate();
                let mut layers = layers.map(|(at, (ours, theirs))| {
                    let name = format!("blocks.{at}");
                    self.heads(&name, &ours.heads, &theirs.heads)
                        .or_else(|| self.hidden(&format!("{name}.mlp"), &ours.mlp, &theirs.mlp))
                });
                layers.find_map(|difference| difference)
            })
            .or_else(|| self.readouts())
    }

    fn heads(&self, layer: &str, expected: &[Head], found: &[Head]) -> Option<String> {
        let differ = count(&format!("heads in {layer}"), expected.len(), found.len());
        let pairs = expected.iter().zip(found).enumerate();
        let mut heads = pairs.map(|(at, (ours, theirs))| {
            let of = format!("of the head \"{}\"", ours.label);
            let name = |tensor: &str| format!("{layer}.attn.{at}.{tensor} {of}");
            let dimension = Axis::Numbered("dimension");
            let value = Axis::Numbered("value");
            if (ours.mask, ours.attention) != (theirs.mask, theirs.attention) {
                return Some(name("the mask or the kind of attention"));
            }
            self.matrix(
                &name("W_Q"),
                (&ours.query, &theirs.query),
                [Axis::Direction, dimension],
            )
            .or_else(|| {
                bias(
                    &name("b_Q"),
                    "dimension",
                    &ours.query_bias,
                    &theirs.query_bias,
                )
            })
            .or_else(|| {
                let keys = (&ours.key, &theirs.key);
                self.matrix(&name("W_K"), keys, [Axis::Direction, dimension])
            })
            .or_else(|| bias(&name("b_K"), "dimension", &ours.key_bias, &theirs.key_bias))
            .or_else(|| {
                let values = (&ours.value, &theirs.value);
                self.matrix(&name("W_V"), values, [Axis::Direction, value])
            })
            .or_else(|| {
                let outputs = (&ours.output, &theirs.output);
                self.matrix(&name("W_O"), outputs, [value, Axis::Direction])
            })
        });
        differ.or_else(|| heads.find_map(|difference| difference))
    }

    fn hidden(&self, name: &str, ours: &FeedForward, theirs: &FeedForward) -> Option<String> {
        if ours.layer_norm != theirs.layer_norm {
            return Some(format!("{name}: whether hidden units are normalised"));
        }
        let unit = Axis::Numbered("unit");
        let input = (&ours.input, &theirs.input);
        let output = (&ours.output, &theirs.output);
        self.matrix(&format!("{name}.W_in"), input, [Axis::Direction, unit])
            .or_else(|| {
                bias(
                    &format!("{name}.b_in"),
                    "unit",
                    &ours.input_bias,
                    &theirs.input_bias,
                )
            })
            .or_else(|| self.matrix(&format!("{name}.W_out"), output, [unit, Axis::Direction]))
            .or_else(|| {
                let (ours, theirs) = (&ours.output_bias, &theirs.output_bias);
                bias(&format!("{name}.b_out"), "direction", ours, theirs)
            })
    }

    fn readouts(&self) -> Option<String> {
        let outputs = self.expected.outputs.iter().zip(&self.found.outputs);
        let mut outputs = outputs.enumerate().map(|(at, (ours, theirs))| {
            let of = format!("of the output \"{}\"", ours.name);
            self.readout(&unembedding(at), &of, &ours.readout, &theirs.readout)
        });
        let variables = self.expected.variables.iter().zip(&self.found.variables);
        let mut variables = variables.enumerate().map(|(at, (ours, theirs))| {
            let of = format!("of the variable \"{}\"", ours.name);
            count(
                &format!("half layers before {of}"),
                ours.ready,
                theirs.ready,
            )
            .or_else(|| {
                self.readout(
                    &format!("variables.{at}"),
                    &of,
                    &ours.readout,
                    &theirs.readout,
                )
            })
        });
        outputs
            .find_map(|difference| difference)
            .or_else(|| variables.find_map(|difference| difference))
    }

    fn readout(&self, name: &str, of: &str, ours: &Readout, theirs: &Readout) -> Option<String> {
        let weights = (&ours.weights, &theirs.weights);
        let axes = [Axis::Direction, Axis::Numbered("class")];
        self.matrix(&format!("{name}.W_U {of}"), weights, axes)
            .or_else(|| {
                bias(
                    &format!("{name}.b_U {of}"),
                    "class",
                    &ours.bias,
                    &theirs.bias,
                )
            })
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

fn bias(name: &str, what: &str, expected: &[f64], found: &[f64]) -> Option<String> {
    if expected.len() != found.len() {
        return count(&format!("entries of {name}"), expected.len(), found.len());
    }
    let mut pairs = expected.iter().zip(found).enumerate();
    let differ = |(_, (ours, theirs)): &(usize, (&f64, &f64))| ours.to_bits() != theirs.to_bits();
    let (at, (ours, theirs)) = pairs.find(differ)?;
    Some(format!(
        "{name} at {what} {at}: {theirs:?} where {ours:?} is expected"
    ))
}
