//! Whether readouts give the right value: the error of what is read against half the distance to
//! the next value.

use super::bound::Bounds;
use super::{OutputBound, TOLERANCE_F32, TOLERANCE_F64};
use crate::plan::{Read, ReadOut};

impl Bounds<'_> {
    pub fn output(&self, output: &ReadOut) -> OutputBound {
        let real = matches!(&output.read, Read::Nearest(values) if values.is_empty());
        let tolerance = real.then_some(match self.floats.bits {
            24 => TOLERANCE_F32,
            _ => TOLERANCE_F64,
        });
        let (error, proved) = match &output.read {
            Read::Nearest(values) if values.is_empty() => self.share(
                self.number(output).error,
                tolerance.unwrap_or(TOLERANCE_F64),
            ),
            Read::Nearest(values) => {
                let gaps = values.windows(2).map(|pair| pair[1] - pair[0]);
                let gap = gaps.fold(f64::INFINITY, f64::min);
                self.share(self.number(output).error, gap / 2.0)
            }
            Read::Classes(number, count) => {
                let bound = self.read(number);
                let count = *count as f64;
                let rounding =
                    8.0 * self.floats.unit * (2.0 * count * (bound.largest + 1.0) + count * count);
                self.share(bound.error + rounding / 2.0, 0.5)
            }
            Read::Widths(x, _) => {
                let bound = self.of(*x);
                let counts = bound.by_value.iter().map(|(x, error)| {
                    let e = 1.0 / x;
                    error * e * e + 6.0 * self.floats.unit * e * e
                });
                let worst = counts.fold(0.0f64, f64::max);
                match bound.by_value.is_empty() {
                    true => (f64::INFINITY, false),
                    false => self.share(worst, 0.5),
                }
            }
        };
        OutputBound {
            output: output.name.clone(),
            error,
            tolerance,
            proved,
        }
    }

    fn number(&self, output: &ReadOut) -> super::bound::Bound {
        match output.scores.first() {
            Some(score) => self.read(score),
            None => super::bound::Bound::inexact(0.0, 0.0),
        }
    }

    fn share(&self, error: f64, margin: f64) -> (f64, bool) {
        let share = error / margin;
        (share, share < 1.0)
    }
}
