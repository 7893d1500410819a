//! The recogniser: Yao et al. 2021, Theorem 4.1, mended. D layers match brackets, each those whose
//! content is matched already; one more looks for a bracket that is left. Depends on `network` and
//! `stream`.
//!
//! As printed it rejects words of the language: the tests of the type are exchanged, a matched token
//! still raises errors, and the outermost pair is not counted. Here an error is a bracket that stays
//! unmatched. The paper's end token is not needed: what the right head moves from nowhere is 0, and a
//! neighbour counts only where it says that it is an unmatched bracket of the other side.

use super::Dyck;
use super::network::{Draft, Rows, largest};
use super::stream::{Brackets, Parts};
use crate::machine::form::Form;
use crate::model::{Mask, Variable};
use crate::value::Value;

pub(super) fn recogniser(dyck: &Dyck) -> Parts {
    let mut brackets = Brackets::behind(Rows::default(), dyck);
    let rows = &mut brackets.rows;
    let matched = rows.row("matched");
    let left_type = rows.block("left type bit", dyck.bits());
    let left_opens = rows.row("left opens");
    let right_type = rows.block("right type bit", dyck.bits());
    let right_closes = rows.row("right closes");
    let unmatched = rows.row("unmatched");
    let d_model = rows.labels.len();
    let row = Form::row;

    // An unmatched opening bracket has 1, a matched closing one -1, all others 0; and so for closing.
    let opens = || row(brackets.opens) - row(matched);
    let closes = || row(brackets.closes) - row(matched);
    // Any position is nearer than what is matched.
    let beyond = dyck.power_above_length();
    let nearest = |sign: f64| {
        let nearness = row(brackets.position) * sign - row(matched) * beyond;
        vec![(Form::constant(1.0), nearness)]
    };
    let moved = |bits: std::ops::Range<usize>| brackets.kind.clone().map(row).zip(bits);
    let round = || {
        let mut round = Draft::new(d_model, dyck.attention);
        let mut moves: Vec<_> = moved(left_type.clone()).collect();
        moves.push((opens(), left_opens));
        round.head(
            "the unmatched bracket before",
            Mask::Earlier,
            nearest(1.0),
            moves,
        );
        let mut moves: Vec<_> = moved(right_type.clone()).collect();
        moves.push((closes(), right_closes));
        round.head(
            "the unmatched bracket behind",
            Mask::Later,
            nearest(-1.0),
            moves,
        );
        let not = |form: Form| Form::constant(1.0) - form;
        let sides = [
            (brackets.opens, right_closes, &right_type),
            (brackets.closes, left_opens, &left_type),
        ];
        for (side, other, kind) in sides {
            let difference = Form::number(brackets.kind.clone()) - Form::number(kind.clone());
            let gate = not(row(side)) + not(row(other)) + row(matched);
            round.if_zero(difference, (gate, dyck.above_types()), 1.0, matched);
        }
        round.clear(left_type.clone().chain(right_type.clone()));
        for copied in [left_opens, right_closes] {
            round.clear([copied]);
            round.unit(row(copied) * -1.0, &[(copied, 1.0)]);
        }
        round.layer()
    };
    let mut layers: Vec<_> = (0..dyck.most_depth()).map(|_| round()).collect();

    let mut last = Draft::new(d_model, dyck.attention);
    let left = || row(brackets.opens) + row(brackets.closes) - row(matched);
    let score = vec![(Form::constant(1.0), left())];
    last.head(
        "an unmatched bracket",
        Mask::All,
        score,
        vec![(left(), unmatched)],
    );
    layers.push(last.layer());

    let either = |no: Value, yes: Value, form: Form| {
        largest(d_model, [(no, Form::constant(0.5)), (yes, form)])
    };
    let is_matched = either(Value::Bool(false), Value::Bool(true), row(matched));
    let readout = either(Value::Bool(true), Value::Bool(false), row(unmatched));
    let rounds = layers.len() - 1;
    Parts {
        variables: vec![Variable {
            name: "matched".to_string(),
            ready: 2 * rounds,
            readout: is_matched,
        }],
        brackets,
        causal: false,
        layers,
        readout,
    }
}
