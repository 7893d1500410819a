//! What all constructions embed: the position, the type of a bracket as bits, and whether it opens or
//! closes. The BOS token takes the part of the paper's start token. Depends on `network` and `model`.

use super::Dyck;
use super::network::Rows;
use crate::model::{Exactness, Layer, Matrix, Model, Output, Readout, Variable};
use std::ops::Range;

/// Where the input stands in the residual stream.
pub(super) struct Brackets {
    pub rows: Rows,
    /// The index, from 1; 0 at BOS.
    pub position: usize,
    /// The type of a bracket as bits, the lowest first; 0 at BOS.
    pub kind: Range<usize>,
    /// 1 at opening brackets.
    pub opens: usize,
    /// 1 at closing brackets.
    pub closes: usize,
    /// 1 at BOS.
    pub bos: usize,
}

impl Brackets {
    /// Rows for the input behind others.
    pub fn behind(mut rows: Rows, dyck: &Dyck) -> Brackets {
        Brackets {
            position: rows.row("position"),
            kind: rows.block("type bit", dyck.bits()),
            opens: rows.row("opens"),
            closes: rows.row("closes"),
            bos: rows.row("BOS"),
            rows,
        }
    }
}

/// What a construction makes of the dyck.
pub(super) struct Parts {
    pub brackets: Brackets,
    pub causal: bool,
    pub layers: Vec<Layer>,
    pub variables: Vec<Variable>,
    pub readout: Readout,
}

impl Parts {
    pub fn model(self, dyck: &Dyck, name: &str) -> Model {
        let Brackets {
            rows,
            position,
            kind,
            opens,
            closes,
            bos,
        } = self.brackets;
        let d_model = rows.labels.len();
        let brackets = 2 * dyck.types();
        let mut embedded = vec![(brackets, bos, 1.0)];
        for token in 0..brackets {
            let bits = kind.clone().enumerate();
            let set = bits.filter(|(bit, _)| ((token / 2) >> bit) & 1 == 1);
            embedded.extend(set.map(|(_, row)| (token, row, 1.0)));
            let side = [opens, closes][token % 2];
            embedded.push((token, side, 1.0));
        }
        let positions = dyck.max_length + 1;
        let places = (1..positions).map(|index| (index, position, index as f64));
        Model {
            name: name.to_string(),
            bos: true,
            vocabulary: dyck.tokens.clone(),
            max_length: dyck.max_length,
            causal: self.causal,
            d_model,
            token_embedding: Matrix::from_triplets(brackets + 1, d_model, embedded),
            position_embedding: Matrix::from_triplets(positions, d_model, places.collect()),
            loops: Vec::new(),
            layers: self.layers,
            outputs: vec![Output {
                name: name.to_string(),
                readout: self.readout,
            }],
            directions: rows.labels,
            variables: self.variables,
            plan: None,
            machine: None,
            certified: Exactness::new(),
            any_order: Exactness::new(),
            largest_activation: None,
        }
    }
}
