//! Attention outputs without noise. What a head writes is off by the leak of its softmax and by the
//! rounding of its values; where keys are counted by it, equal numbers must be equal to the bit. A
//! large number under the variable makes float32 round what is added to it.

use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::{Care, Compiler};
use crate::graph::{SOp, SOpId};
use crate::infer::space::VarId;
use crate::infer::{Analysis, VarKind};
use crate::plan::{Rounding, Style};

/// The largest whole number that is rounded as one.
const LARGEST_WHOLE: f64 = 4_096.0;

/// The binary digits behind the point that whole numbers are rounded to: more would leave too little
/// room for noise of what heads read, fewer would make the number under them large.
const DIGITS_OF_WHOLE: (i32, i32) = (4, 16);

/// The share of a sum that it may be off by: its sink stands far above what is selected, by a number
/// that floats do not hold.
const NOISE_OF_SUM: f64 = 1.0 / 8_192.0;

/// What the noise of a variable is made of that heads write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// The leak of the softmax alone: one key is selected, or all have the same value.
    Leak,
    /// The rounding of weights that add up to 1, too.
    Mean,
    /// The sink's.
    Sum,
}

/// How a variable with these values may be rounded, which heads write for inputs of this length. Whole
/// numbers are rounded to as many digits as leave half of the last for twice the noise: the number
/// under them is small then.
pub fn rounding(values: &[f64], max_length: usize, noise: Noise) -> Option<Rounding> {
    let largest = values
        .iter()
        .fold(1.0f64, |most, value| most.max(value.abs()));
    let finest = Rounding::finest(largest)?;
    let whole = values.iter().all(|value| value.fract() == 0.0);
    if !whole || largest > LARGEST_WHOLE {
        return Some(finest);
    }
    let noise = match noise {
        Noise::Leak => return Rounding::finest_of_one(largest),
        Noise::Mean => (max_length + 8) as f64 * largest * 2f64.powi(-24),
        Noise::Sum => largest * NOISE_OF_SUM,
    };
    let digits = -(4.0 * noise).log2().ceil() as i32;
    let (fewest, most) = DIGITS_OF_WHOLE;
    Some(Rounding {
        digits: digits.clamp(fewest, most.min(finest.digits)),
    })
}

impl Compiler<'_> {
    /// What the noise of an attention output is made of.
    pub(crate) fn noise(&self, var: VarId) -> Noise {
        let is_faithful = self.style == Style::Faithful;
        match self.analysis.kind(var) {
            VarKind::Sum(_) | VarKind::Width(_) if !is_faithful => Noise::Sum,
            VarKind::Pick(id) if is_faithful && self.is_crisp(id) => Noise::Leak,
            VarKind::Sum(_)
            | VarKind::Width(_)
            | VarKind::Pick(_)
            | VarKind::Tokens
            | VarKind::Indices
            | VarKind::Given(_)
            | VarKind::Mean(_)
            | VarKind::Materialised(_)
            | VarKind::Weighted(_)
            | VarKind::Total { .. } => Noise::Mean,
        }
    }

    /// Whether an aggregate says no more than whether a key is selected, or reads what stands in the
    /// embedding at one.
    fn is_crisp(&self, id: SOpId) -> bool {
        let SOp::Aggregate {
            selector, value, ..
        } = self.analysis.graph.get(id)
        else {
            return false;
        };
        let Ok(value) = self.analysis.node(*value) else {
            return false;
        };
        let is_embedded = match *value.column.space.vars {
            [var] => var <= Analysis::INDICES,
            _ => false,
        };
        let selected = self.analysis.selector(*selector);
        value.column.values.domain.len() <= 1
            || is_embedded && selected.is_some_and(|selected| selected.at_most_one)
    }

    /// Whether what is to be exact may be what float32 rounds: float64 does not.
    pub(super) fn may_round(&self) -> bool {
        self.care != Care::Exact
    }

    /// Whether a linear read is exact to the bit, once the attention outputs that it reads are rounded,
    /// which this asks for: it has whole values only.
    pub(crate) fn rounds(&mut self, read: &LinearRead) -> bool {
        let Some(vars) = self.roundable(read) else {
            return false;
        };
        let whole = |numbers: &[f64]| numbers.iter().all(|number| number.fract() == 0.0);
        let functions = read.functions.iter();
        let mut functions = functions.filter(|(var, _)| vars.contains(var));
        if !functions.all(|(_, function)| whole(function)) {
            return false;
        }
        for scalar in read.scalars.keys() {
            if let Scalar::Attention(var) = scalar {
                let numbers = self.analysis.values(*var).numbers();
                if !numbers.is_some_and(|numbers| whole(&numbers)) {
                    return false;
                }
            }
        }
        self.rounded.extend(vars);
        true
    }

    /// Has the attention outputs that an argument reads rounded, if they all can be.
    pub(super) fn round_argument(&mut self, read: &LinearRead) {
        if let Some(vars) = self.roundable(read) {
            self.rounded.extend(vars);
        }
    }

    /// The attention outputs that a linear read reads, if these and the embeddings are all that it reads.
    pub(super) fn roundable(&self, read: &LinearRead) -> Option<Vec<VarId>> {
        let mut vars = Vec::new();
        for var in read.functions.keys() {
            match self.analysis.kind(*var) {
                VarKind::Tokens | VarKind::Indices | VarKind::Given(_) => {}
                VarKind::Pick(_) => vars.push(*var),
                VarKind::Width(_)
                | VarKind::Sum(_)
                | VarKind::Mean(_)
                | VarKind::Materialised(_)
                | VarKind::Weighted(_)
                | VarKind::Total { .. } => return None,
            }
        }
        for scalar in read.scalars.keys() {
            match scalar {
                Scalar::Attention(var) => vars.push(*var),
                Scalar::Given(var, _) => vars.push(*var),
                Scalar::First => {}
                Scalar::Inverse(..) | Scalar::Count(_) | Scalar::Computed(_) | Scalar::Share(_) => {
                    return None;
                }
            }
        }
        Some(vars)
    }
}
