//! Layer 1 of labels and generators: how deep each prefix is, and heads that look for the opening
//! bracket of a level. A level is a depth and 1 for BOS, which thus opens a level of its own. Depends
//! on `network` and `stream`.

use super::Dyck;
use super::network::{Draft, Rows};
use super::stream::Brackets;
use crate::machine::form::Form;
use crate::model::Mask;
use std::ops::Range;

/// A number so large that float32 rounds what is added to it to quarters: 1.5 · 2^21.
const ROUNDS_TO_QUARTERS: f64 = 3_145_728.0;

/// Rows of constructions that know the level.
pub(super) struct Levels {
    pub brackets: Brackets,
    /// The level over the number of positions.
    share: usize,
    /// 1 over the number of positions.
    inverse: usize,
    /// The type of the bracket on top of the stack, once it is found.
    pub top: Range<usize>,
    /// 1 where BOS is on top.
    pub empty: usize,
}

impl Levels {
    pub fn new(dyck: &Dyck) -> Levels {
        let mut rows = Rows::default();
        // These come first: hidden units add the terms of rows in order, see `count`.
        let share = rows.row("level / positions");
        let inverse = rows.row("1 / positions");
        let mut brackets = Brackets::behind(rows, dyck);
        Levels {
            share,
            inverse,
            top: brackets.rows.block("top type bit", dyck.bits()),
            empty: brackets.rows.row("top is BOS"),
            brackets,
        }
    }

    /// 1 at opening brackets and at BOS.
    pub fn opens(&self) -> Form {
        Form::row(self.brackets.opens) + Form::row(self.brackets.bos)
    }

    /// The head that takes the means.
    pub fn mean(&self, draft: &mut Draft) {
        let balance = self.opens() - Form::row(self.brackets.closes);
        let moves = vec![
            (balance, self.share),
            (Form::row(self.brackets.bos), self.inverse),
        ];
        draft.head("up to here", Mask::All, Vec::new(), moves);
    }

    /// Adds weights to rows for each `count` from 1 to a limit that the level is not below: exactly, for
    /// levels that are at most the limit.
    ///
    /// `share - (count - 3/4) inverse` has the sign of `level - count + 3/4`; times twice the number
    /// of positions it is at least 3/2 or at most -1/2. It is rounded to a quarter, so that what the
    /// two units of a step add has no digits that a sum could lose: a large constant is added first,
    /// and taken away last.
    pub fn count(
        &self,
        dyck: &Dyck,
        limit: usize,
        draft: &mut Draft,
        writes: impl Fn(f64) -> Vec<(usize, f64)>,
    ) {
        let slope = 2.0 * dyck.power_above_length();
        let everywhere = self.opens() + Form::row(self.brackets.closes);
        for count in (1..=limit).map(|count| count as f64) {
            let above = Form::row(self.share) - Form::row(self.inverse) * (count - 0.75);
            let rounded = above * slope + ROUNDS_TO_QUARTERS;
            let rounded = rounded - everywhere.clone() * ROUNDS_TO_QUARTERS;
            let written = writes(count);
            let negative = |(row, weight): &(usize, f64)| (*row, -weight);
            draft.unit(rounded.clone(), &written);
            let back: Vec<_> = written.iter().map(negative).collect();
            draft.unit(rounded + -1.0, &back);
        }
    }

    /// The head that finds the last opening bracket of a level: its type becomes the top. The pairs'
    /// products are to have the largest sum where the levels agree, larger by `2 · power` than
    /// elsewhere.
    pub fn find(&self, dyck: &Dyck, label: &str, draft: &mut Draft, agree: Vec<(Form, Form)>) {
        let preferred = self.opens() * dyck.power_above_length();
        let mut score = agree;
        let nearness = Form::row(self.brackets.position) + preferred;
        score.push((Form::constant(1.0), nearness));
        let kind = self.brackets.kind.clone().map(Form::row);
        let mut moves: Vec<_> = kind.zip(self.top.clone()).collect();
        moves.push((Form::row(self.brackets.bos), self.empty));
        draft.head(label, Mask::All, score, moves);
    }

    /// The angle code of the level: hidden units that are normalised together leave
    /// `√2 (sin θ, cos θ)` in two rows, `tan θ = level / (top - level)` (Theorem 4.2).
    pub fn angle(&self, highest: usize, draft: &mut Draft, [sine, cosine]: [usize; 2]) {
        let level = Form::row(self.share);
        let rest = Form::row(self.inverse) * (highest as f64) - Form::row(self.share);
        draft.layer_norm();
        for (form, row) in [(level, sine), (rest, cosine)] {
            // The two stand side by side, so that their mean is exactly 0.
            draft.unit(form.clone(), &[(row, 1.0)]);
            draft.unit(form * -1.0, &[(row, -1.0)]);
        }
    }
}

/// The level and its square, as integers.
pub(super) struct Exact {
    pub levels: Levels,
    pub level: usize,
    square: usize,
}

impl Exact {
    pub fn new(dyck: &Dyck) -> Exact {
        let mut levels = Levels::new(dyck);
        Exact {
            level: levels.brackets.rows.row("level"),
            square: levels.brackets.rows.row("level squared"),
            levels,
        }
    }

    /// What a step of the level adds to its rows.
    pub fn steps(&self, count: f64) -> Vec<(usize, f64)> {
        vec![(self.level, 1.0), (self.square, 2.0 * count - 1.0)]
    }

    /// The head that finds the last opening bracket of the level that a form gives: the score falls by
    /// `2 · power` times the square of the difference of levels.
    pub fn find(&self, dyck: &Dyck, label: &str, draft: &mut Draft, level: Form) {
        let unit = 2.0 * dyck.power_above_length();
        let square = Form::row(self.square);
        let agree = vec![
            (level * (2.0 * unit), Form::row(self.level)),
            (Form::constant(-unit), square),
        ];
        self.levels.find(dyck, label, draft, agree);
    }
}
