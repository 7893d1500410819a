//! Where a function of one whole number rises, falls or stays: found from its parts and by binary
//! search, so that the numbers may be many. A predicate is then true on a few intervals, and the
//! best key for a score is the first or the last one of a piece. Depends on `linear`.

use super::linear::{Linear, LinearPart};
use crate::value::{Comparison, Op, Value};

/// More pieces than this are not worth it.
const MOST: usize = 24;
/// Up to this size two whole numbers have different quotients by the same number.
const DIVISIBLE: f64 = (1_i64 << 50) as f64;

/// How a function goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Constant,
    Up,
    Down,
}

/// Numbers from one to another, both included, where a function goes one way.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub from: i64,
    pub to: i64,
    pub way: Way,
    /// Whether different numbers have different values.
    pub strict: bool,
}

impl Way {
    fn turned(self) -> Way {
        match self {
            Way::Constant => Way::Constant,
            Way::Up => Way::Down,
            Way::Down => Way::Up,
        }
    }

    fn turned_if(self, turn: bool) -> Way {
        if turn { self.turned() } else { self }
    }

    /// Of a sum of two functions.
    fn with(self, other: Way) -> Option<Way> {
        match (self, other) {
            (way, Way::Constant) | (Way::Constant, way) => Some(way),
            (a, b) => (a == b).then_some(a),
        }
    }
}

/// Adds an interval behind others; both ends belong to each.
pub fn join(intervals: &mut Vec<(i64, i64)>, (from, to): (i64, i64)) {
    match intervals.last_mut() {
        Some(last) if last.1 + 1 == from => last.1 = to,
        _ => intervals.push((from, to)),
    }
}

impl Linear {
    /// The numbers for which the function is true, as intervals with both ends; `None` if they are
    /// not found. It fails nowhere then.
    pub fn true_intervals(&self) -> Option<Vec<(i64, i64)>> {
        let pieces = self.pieces()?;
        let mut intervals: Vec<(i64, i64)> = Vec::new();
        for piece in pieces {
            if piece.way != Way::Constant {
                return None;
            }
            if self.at(piece.from)?.truthy() {
                join(&mut intervals, (piece.from, piece.to));
            }
        }
        Some(intervals)
    }

    /// How the function goes over its range; `None` if that is not found. It fails nowhere then.
    pub fn pieces(&self) -> Option<Vec<Piece>> {
        let mut known: Vec<Option<Vec<Piece>>> = Vec::with_capacity(self.parts.len());
        for part in 0..self.parts.len() {
            let pieces = self.pieces_of(part, &known).filter(|pieces| {
                // What is monotone fails at an end if it fails anywhere.
                let ends = pieces.iter().flat_map(|piece| [piece.from, piece.to]);
                pieces.len() <= MOST && ends.into_iter().all(|at| self.is_number(part, at))
            });
            known.push(pieces);
        }
        known.pop().flatten()
    }

    fn is_number(&self, part: usize, at: i64) -> bool {
        let value = self.part_at(part, at).and_then(|value| value.as_float());
        value.is_some_and(f64::is_finite)
    }

    fn float(&self, part: usize, at: i64) -> Option<f64> {
        self.part_at(part, at)?.as_float()
    }

    fn whole(&self, way: Way) -> Vec<Piece> {
        let (from, to) = self.range;
        let strict = true;
        vec![Piece {
            from,
            to,
            way,
            strict,
        }]
    }

    fn pieces_of(&self, part: usize, known: &[Option<Vec<Piece>>]) -> Option<Vec<Piece>> {
        let (op, operands) = match &self.parts[part] {
            LinearPart::Number { negative, .. } => {
                return Some(self.whole(Way::Up.turned_if(*negative)));
            }
            LinearPart::Constant(_) => return Some(self.whole(Way::Constant)),
            LinearPart::Map { op, operands } => (op, operands.as_slice()),
        };
        let pieces = |at: usize| known[operands[at]].as_deref();
        let constant = |at: usize| {
            if let LinearPart::Constant(value) = &self.parts[operands[at]] {
                value.as_float()
            } else {
                None
            }
        };
        match (op, operands.len()) {
            (Op::Plus, 1) => pieces(0).map(<[Piece]>::to_vec),
            (Op::Negate, 1) => Some(map(pieces(0)?, |piece| (piece.way.turned(), piece.strict))),
            (Op::Round | Op::ToFloat, 1) => Some(map(pieces(0)?, |piece| (piece.way, false))),
            (Op::Not | Op::ToBool | Op::Indicator, 1) => {
                let pieces = pieces(0)?;
                pieces.iter().all(is_constant).then(|| pieces.to_vec())
            }
            (Op::And | Op::Or, 2) => {
                let both = joined(pieces(0)?, pieces(1)?);
                let constant = |(a, b): &(Piece, Piece)| is_constant(a) && is_constant(b);
                both.iter()
                    .all(constant)
                    .then(|| both.iter().map(|(a, _)| *a).collect())
            }
            (Op::Add | Op::Subtract, 2) => {
                let turn = *op == Op::Subtract;
                let both = joined(pieces(0)?, pieces(1)?);
                let whole = self.holds_ints(part);
                let sum = |(a, b): &(Piece, Piece)| {
                    let way = a.way.with(b.way.turned_if(turn))?;
                    Some(Piece {
                        way,
                        strict: whole,
                        ..*a
                    })
                };
                both.iter().map(sum).collect()
            }
            (Op::Multiply, 2) if operands[0] == operands[1] => {
                self.square(operands[0], pieces(0)?, self.holds_ints(part))
            }
            (Op::Power, 2) if constant(1) == Some(2.0) => {
                self.square(operands[0], pieces(0)?, self.holds_ints(part))
            }
            (Op::Multiply, 2) => {
                let (factor, pieces) = match (constant(0), constant(1)) {
                    (Some(factor), _) => (factor, pieces(1)?),
                    (_, Some(factor)) => (factor, pieces(0)?),
                    _ => return None,
                };
                let whole = self.holds_ints(part) && factor != 0.0;
                let scaled =
                    |piece: &Piece| (piece.way.turned_if(factor < 0.0), whole && piece.strict);
                (factor.is_finite() && factor != 0.0).then(|| map(pieces, scaled))
            }
            (Op::Divide, 2) => {
                let divisor = constant(1).filter(|by| by.is_finite() && *by != 0.0)?;
                let quotient = |piece: &Piece| {
                    let small = |at| {
                        self.float(operands[0], at)
                            .is_some_and(|x| x.abs() <= DIVISIBLE)
                    };
                    let strict = piece.strict && self.holds_ints(operands[0]);
                    let strict = strict && small(piece.from) && small(piece.to);
                    (piece.way.turned_if(divisor < 0.0), strict)
                };
                Some(map(pieces(0)?, quotient))
            }
            (Op::Power, 2) => {
                let base = constant(0).filter(|base| *base > 0.0)?;
                let power = |piece: &Piece| (piece.way.turned_if(base < 1.0), false);
                Some(map(pieces(1)?, power))
            }
            (Op::Compare(_), 2) => self.compared(operands, pieces(0)?, pieces(1)?),
            (Op::If, 3) => {
                let mut all = Vec::new();
                for (condition, _) in joined(pieces(0)?, pieces(0)?) {
                    if !is_constant(&condition) {
                        return None;
                    }
                    let taken = match self.part_at(operands[0], condition.from)?.truthy() {
                        true => 1,
                        false => 2,
                    };
                    let within = joined(std::slice::from_ref(&condition), pieces(taken)?);
                    all.extend(within.into_iter().map(|(within, piece)| Piece {
                        from: within.from,
                        to: within.to,
                        ..piece
                    }));
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// Whether a part is a whole number wherever it is looked at: ints make ints.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "of another primitive it is not known"
    )]
    fn holds_ints(&self, part: usize) -> bool {
        match &self.parts[part] {
            LinearPart::Number { .. } => true,
            LinearPart::Constant(value) => matches!(value, Value::Int(_)),
            LinearPart::Map { op, operands } => match op {
                Op::Add | Op::Subtract | Op::Multiply | Op::Negate | Op::Plus => {
                    operands.iter().all(|operand| self.holds_ints(*operand))
                }
                Op::Power => {
                    let power = &self.parts[operands[1]];
                    let is_square = matches!(power, LinearPart::Constant(Value::Int(2)));
                    is_square && self.holds_ints(operands[0])
                }
                Op::If => operands[1..]
                    .iter()
                    .all(|operand| self.holds_ints(*operand)),
                _ => false,
            },
        }
    }

    /// A square falls below 0 and rises above.
    fn square(&self, of: usize, pieces: &[Piece], whole: bool) -> Option<Vec<Piece>> {
        let mut all = Vec::new();
        for piece in pieces {
            let is_positive = |at| self.float(of, at).map(|value| value >= 0.0);
            let (first, rest) = self.split(piece, &is_positive)?;
            for part in first.into_iter().chain(rest) {
                let turn = !is_positive(part.from)?;
                let way = part.way.turned_if(turn);
                let strict = whole && part.strict;
                all.push(Piece {
                    way,
                    strict,
                    ..part
                });
            }
        }
        Some(all)
    }

    /// A comparison of two parts of which the difference is monotone: less, then equal, then greater,
    /// or the other way round.
    fn compared(&self, operands: &[usize], a: &[Piece], b: &[Piece]) -> Option<Vec<Piece>> {
        let holds = |comparison: Comparison, at: i64| {
            let (a, b) = (
                self.part_at(operands[0], at)?,
                self.part_at(operands[1], at)?,
            );
            comparison.holds(&a, &b).ok()
        };
        let mut all = Vec::new();
        for (a, b) in joined(a, b) {
            a.way.with(b.way.turned())?;
            let way = Way::Constant;
            let piece = Piece { way, ..a };
            let (first, rest) = self.split(&piece, &|at| holds(Comparison::Less, at))?;
            for piece in first.into_iter().chain(rest) {
                let (first, rest) = self.split(&piece, &|at| holds(Comparison::LessEqual, at))?;
                all.extend(first.into_iter().chain(rest));
            }
        }
        Some(all)
    }

    /// A piece in two where a condition changes, which it does once at most.
    fn split(
        &self,
        piece: &Piece,
        holds: &dyn Fn(i64) -> Option<bool>,
    ) -> Option<(Option<Piece>, Option<Piece>)> {
        let first = holds(piece.from)?;
        if holds(piece.to)? == first {
            return Some((Some(*piece), None));
        }
        let (mut low, mut high) = (piece.from, piece.to);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if holds(middle)? == first {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some((
            Some(Piece { to: low, ..*piece }),
            Some(Piece {
                from: high,
                ..*piece
            }),
        ))
    }
}

fn is_constant(piece: &Piece) -> bool {
    piece.way == Way::Constant
}

fn map(pieces: &[Piece], f: impl Fn(&Piece) -> (Way, bool)) -> Vec<Piece> {
    let mapped = pieces.iter().map(|piece| {
        let (way, strict) = f(piece);
        Piece {
            way,
            strict,
            ..*piece
        }
    });
    mapped.collect()
}

/// Both lists of pieces, cut where either is, as far as both reach.
fn joined(a: &[Piece], b: &[Piece]) -> Vec<(Piece, Piece)> {
    let mut joined = Vec::new();
    for left in a {
        for right in b {
            let (from, to) = (left.from.max(right.from), left.to.min(right.to));
            if from <= to {
                joined.push((Piece { from, to, ..*left }, Piece { from, to, ..*right }));
            }
        }
    }
    joined
}
