//! What runs a model: the floats that it holds weights and computes in, and where it divides by
//! √d_head. In exact arithmetic all are the same; in floats a model is exact on some of them.

use super::matrix::Matrix;
use super::transformer::{Model, Readout};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The floats of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// Weights and all that is computed in float32.
    Float32,
    /// Weights and all that is computed in float64.
    Float64,
    /// Weights in bfloat16, which has 8 bits of float32's 24; float32 for all that is computed.
    Bfloat16,
}

impl Dtype {
    /// Its name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::Float32 => "float32",
            Dtype::Float64 => "float64",
            Dtype::Bfloat16 => "bfloat16",
        }
    }
}

/// What a host divides by √d_head.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum HostOrder {
    /// The scores: `(q·k) / √d_head`.
    #[default]
    Scores,
    /// The query: `(q / √d_head)·k`.
    Query,
    /// The query and the key, each by its root: `(q / ⁴√d_head)·(k / ⁴√d_head)`.
    Both,
}

impl HostOrder {
    /// Every order.
    pub const ALL: [HostOrder; 3] = [HostOrder::Scores, HostOrder::Query, HostOrder::Both];

    /// Its name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            HostOrder::Scores => "scores",
            HostOrder::Query => "query",
            HostOrder::Both => "both",
        }
    }

    /// Whether no query and no key is rounded by what divides it, where heads are so wide.
    pub fn is_exact(self, d_head: usize) -> bool {
        self.exact_d_head(d_head) == d_head
    }

    /// The least `d_head` that is not less and by whose root queries and keys are divided without
    /// rounding: a power of 4 or of 16.
    pub fn exact_d_head(self, d_head: usize) -> usize {
        let power = |base: usize| {
            let mut powers = std::iter::successors(Some(1), |power| base.checked_mul(*power));
            powers.find(|power| *power >= d_head).unwrap_or(d_head)
        };
        match self {
            _ if d_head == 0 => 0,
            HostOrder::Scores => d_head,
            HostOrder::Query => power(4),
            HostOrder::Both => power(16),
        }
    }
}

/// The hosts that a model is to be exact on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Without one, both float32 and float64. With bfloat16 constructions are chosen whose weights
    /// are bfloat16, where there are any.
    pub dtype: Option<Dtype>,
    /// Heads are padded for hosts that do not divide scores.
    pub order: HostOrder,
}

impl Host {
    /// Whether a model that is exact on these hosts is so on this one.
    pub fn is_among(self, certified: &Exactness) -> bool {
        let holds = |dtype: Dtype| {
            let orders = certified.get(&dtype);
            orders.is_some_and(|orders| orders.contains(&self.order))
        };
        match self.dtype {
            Some(dtype) => holds(dtype),
            None => holds(Dtype::Float32) && holds(Dtype::Float64),
        }
    }

    /// Whether weights are to be bfloat16.
    pub fn is_bfloat16(self) -> bool {
        self.dtype == Some(Dtype::Bfloat16)
    }
}

/// For which floats and which orders of a host a model is exact.
pub type Exactness = BTreeMap<Dtype, BTreeSet<HostOrder>>;

/// In which order those of these hosts may add sums on which a model is exact, in one line; `None` if there are none.
pub fn describe_any_order(any_order: &Exactness, certified: &Exactness) -> Option<String> {
    let in_turn = "in turn, as `rasp exec` adds them";
    (!certified.is_empty()).then(|| match any_order {
        none if none.is_empty() => in_turn.to_string(),
        all if all == certified => "in any order".to_string(),
        some => format!(
            "in any order: {}; others {in_turn}",
            describe_exactness(some)
        ),
    })
}

/// The hosts in one line: `float32 (scores query), float64 (scores)`.
pub fn describe_exactness(certified: &Exactness) -> String {
    let dtypes = certified.iter().map(|(dtype, orders)| {
        let orders: Vec<&str> = orders.iter().copied().map(HostOrder::name).collect();
        format!("{} ({})", dtype.name(), orders.join(" "))
    });
    match certified.is_empty() {
        true => "no".to_string(),
        false => dtypes.collect::<Vec<_>>().join(", "),
    }
}

/// Whether float32 holds a number.
pub fn is_float32(number: f64) -> bool {
    f64::from(number as f32) == number
}

/// The bfloat16 next to the float32 of a number.
pub fn bfloat16(number: f64) -> f64 {
    let bits = (number as f32).to_bits();
    let even = (bits >> 16) & 1;
    f64::from(f32::from_bits(
        bits.wrapping_add(0x7fff + even) & 0xffff_0000,
    ))
}

/// Whether the float32 of a number is a bfloat16, so that hosts in either compute with the same.
pub fn is_bfloat16(number: f64) -> bool {
    let held = f64::from(number as f32);
    held.is_finite() && bfloat16(number) == held
}

impl Model {
    /// The model with the weights of its outputs rounded to bfloat16. Readouts of variables, which
    /// no output passes through, stay as they are.
    #[must_use]
    pub fn in_bfloat16(&self) -> Model {
        let all = |numbers: &mut Vec<f64>| numbers.iter_mut().for_each(|n| *n = bfloat16(*n));
        let matrix = |matrix: &mut Matrix| *matrix = matrix.map(bfloat16);
        let both = |matrices: [&mut Matrix; 2]| matrices.into_iter().for_each(matrix);
        let mut model = self.clone();
        matrix(&mut model.token_embedding);
        matrix(&mut model.position_embedding);
        for layer in &mut model.layers {
            for head in &mut layer.heads {
                all(&mut head.query_bias);
                all(&mut head.key_bias);
                both([&mut head.query, &mut head.key]);
                both([&mut head.value, &mut head.output]);
            }
            all(&mut layer.mlp.input_bias);
            all(&mut layer.mlp.output_bias);
            both([&mut layer.mlp.input, &mut layer.mlp.output]);
        }
        for output in &mut model.outputs {
            let Readout { weights, bias, .. } = &mut output.readout;
            matrix(weights);
            all(bias);
        }
        model
    }

    /// The first weight that is no bfloat16, and what bfloat16 makes of it, in words; `None` if all
    /// are.
    pub fn not_bfloat16(&self) -> Option<String> {
        match self.weights().all(is_bfloat16) {
            true => None,
            false => super::difference(self, &self.in_bfloat16()),
        }
    }
}
