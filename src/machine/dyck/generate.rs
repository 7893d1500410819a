//! Generators, in two layers of one head: what may follow each prefix of a word. Layer 1 tells the
//! level, layer 2 finds the top of the stack, and the unembedding says what follows from both. Yao et
//! al. 2021, Theorem 4.2 has the level as an angle, by a layer norm over four hidden units, and
//! Theorem B.3 that for any depth; without a layer norm it is an integer here. Depends on `level`.

use super::Dyck;
use super::language::Follow;
use super::level::{Exact, Levels};
use super::network::{Draft, largest};
use super::stream::Parts;
use crate::machine::form::Form;
use crate::model::Variable;

/// The generator that counts levels.
pub(super) fn counting(dyck: &Dyck) -> Parts {
    let exact = Exact::new(dyck);
    let d_model = exact.levels.brackets.rows.labels.len();
    let depth = dyck.most_depth();
    let mut first = Draft::new(d_model, dyck.attention);
    exact.levels.mean(&mut first);
    let steps = |count| exact.steps(count);
    exact.levels.count(dyck, depth + 1, &mut first, steps);
    let mut second = Draft::new(d_model, dyck.attention);
    exact.find(
        dyck,
        "the top of the stack",
        &mut second,
        Form::row(exact.level),
    );
    let room = Form::constant(depth as f64 + 0.5) - Form::row(exact.level);
    finish(dyck, exact.levels, [first, second], Some(room))
}

/// The generator that tells levels by angles.
pub(super) fn by_angle(dyck: &Dyck) -> Parts {
    let mut levels = Levels::new(dyck);
    let rows = &mut levels.brackets.rows;
    let code = [rows.row("√2 sine of level"), rows.row("√2 cosine of level")];
    let d_model = rows.labels.len();
    let mut first = Draft::new(d_model, dyck.attention);
    levels.mean(&mut first);
    let angles = Angles::of(dyck);
    levels.angle(angles.highest, &mut first, code);
    let mut second = Draft::new(d_model, dyck.attention);
    let agree = code.map(|row| (Form::row(row) * angles.sharpness, Form::row(row)));
    levels.find(dyck, "the top of the stack", &mut second, agree.into());
    let room = dyck.depth.map(|depth| {
        // Half way between the sines of the highest level but one, and of the highest.
        let [below, highest] = [depth, depth + 1].map(|level| angles.code(level)[0]);
        (Form::constant((below + highest) / 2.0) - Form::row(code[0])) * (1.0 / (highest - below))
    });
    finish(dyck, levels, [first, second], room)
}

/// How far apart the angles of levels are.
pub(super) struct Angles {
    /// The level whose angle would be 90 degrees: one more than any.
    highest: usize,
    /// What the product of two codes is multiplied by. A power of two.
    pub sharpness: f64,
}

impl Angles {
    pub fn of(dyck: &Dyck) -> Angles {
        let highest = dyck.most_depth() + 2;
        let mut angles = Angles {
            highest,
            sharpness: 0.0,
        };
        // The product of two codes is 2 cos of the difference of their angles, which is least where
        // the angles are nearest: at both ends.
        let [(a, b), (c, d)] = [1, 2].map(|level| {
            let [sine, cosine] = angles.code(level);
            (sine, cosine)
        });
        let apart = 2.0 - (a * c + b * d);
        let enough = 2.0 * dyck.power_above_length() / apart;
        angles.sharpness = enough.log2().ceil().exp2();
        angles
    }

    /// `√2 (sin θ, cos θ)` of a level.
    fn code(&self, level: usize) -> [f64; 2] {
        let [level, rest] = [level, self.highest - level].map(|side| side as f64);
        let length = ((level * level + rest * rest) / 2.0).sqrt();
        [level / length, rest / length]
    }
}

/// The unembedding: `room` is positive where another bracket may be opened, by at least 1/2; without it,
/// one always may.
fn finish(dyck: &Dyck, levels: Levels, layers: [Draft; 2], room: Option<Form>) -> Parts {
    let d_model = levels.brackets.rows.labels.len();
    let bits = dyck.bits() as f64;
    let language = dyck.language();
    let empty = Form::row(levels.empty);
    // As many bits of the top as are right; the type on top has all.
    let closes = |kind: usize| {
        let agree = levels
            .top
            .clone()
            .enumerate()
            .map(|(bit, row)| match kind >> bit & 1 {
                1 => Form::row(row),
                _ => Form::constant(1.0) - Form::row(row),
            });
        agree.fold(Form::default(), |sum, bit| sum + bit) - empty.clone() * bits
    };
    let classes = language.follows().map(|follow: Follow| {
        let top = match follow.top {
            Some(kind) => closes(kind),
            None => empty.clone() * bits,
        };
        let form = match (&room, follow.opens) {
            (Some(room), true) => top + room.clone(),
            _ => top,
        };
        (follow.spelled(&dyck.tokens), form)
    });
    let readout = largest(d_model, classes);
    Parts {
        causal: true,
        layers: layers.map(Draft::layer).into(),
        variables: vec![Variable {
            name: super::NEXT.to_string(),
            ready: 4,
            readout: readout.clone(),
        }],
        brackets: levels.brackets,
        readout,
    }
}
