//! Hidden units: steps, bits and interpolations of one linear read. Units of one argument are shared
//! by all that it is an argument of.

use super::LITTLE_PRECISION;
use super::search::Found;
use super::steps::{Staircase, Step, slope, staircase};
use crate::base::Code;
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::{Argument, Care, Compiler, Feature, Want, bits};
use crate::infer::{Operand, Stopped};
use crate::model::is_bfloat16;
use crate::plan::pass::Choice;
use crate::plan::{Style, Unit, ascending, outputs};

/// What float32 may round of the sum of steps where nothing is to be left to its digits.
pub(super) const QUIET: f64 = 1e-6;

/// A function is lines where these are so many times fewer than its steps.
const FEWER_HINGES: usize = 4;

/// The steepest of these lines over the flattest that is not level.
const STEEPEST: f64 = 4.0;

/// The change of a slope, beside both slopes, that floats make of none.
const STRAIGHT: f64 = 1e-12;

/// By how many roundings a mean is off.
const ROUNDINGS: f64 = 8.0;

/// What a step gives at a point differs by less, as a share of its height, where it is the same.
const SAME: f64 = 1e-9;

/// `relu(z)`
pub(crate) const RAMP: Unit = Unit {
    slope: 1.0,
    offset: 0.0,
    weight: 1.0,
};

/// So many steps that add up exactly at tokens need not do so where all of their mirror images are active.
const MANY_MIRRORED: usize = 1_024;

impl Compiler<'_> {
    /// The argument of hidden units, made if it is not there.
    pub(crate) fn argument(
        &mut self,
        read: LinearRead,
        points: Vec<f64>,
        label: &str,
    ) -> Result<usize, Stopped> {
        let key = read.key();
        let points = ascending(points);
        if let Some(known) = self.arguments.get_index_of(&key) {
            let there = &mut self.arguments[known].points;
            if *there != points {
                *there = ascending([&there[..], &points[..]].concat());
            }
            return Ok(known);
        }
        self.demand(&read, label)?;
        let argument = Argument {
            is_real: self.reads_real(&read),
            read,
            points,
        };
        self.arguments.insert(key, argument);
        Ok(self.arguments.len() - 1)
    }

    /// What some hidden units write, in a variable of its own.
    pub(crate) fn units(
        &mut self,
        argument: usize,
        units: Vec<Unit>,
        label: &str,
        of: Option<Operand>,
    ) -> LinearRead {
        let key = units
            .iter()
            .flat_map(|unit| [unit.slope, unit.offset, unit.weight]);
        let entry = self.features.entry((argument, bits(&Vec::from_iter(key))));
        let index = entry.index();
        entry.or_insert_with(|| Feature {
            label: label.to_string(),
            of,
            argument,
            units,
            asked_for: false,
        });
        LinearRead::scalar(Scalar::Computed(index))
    }

    /// What a staircase of an argument is, as precise as its reader wants it.
    pub(crate) fn computed(
        &mut self,
        found: Found,
        of: Option<Operand>,
        want: Want,
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let Found { argument, stairs } = found;
        if stairs.steps.is_empty() {
            return Ok(LinearRead::constant(stairs.first));
        }
        let is_consecutive = is_consecutive(&stairs.points);
        let is_interpolated = match want {
            Want::Snapped => false,
            Want::Close => is_consecutive && self.is_drawn_as_lines(&stairs),
            Want::Tolerant => is_consecutive && self.style == Style::Faithful,
            Want::Real => is_quieter_as_lines(&stairs),
        };
        if is_interpolated {
            self.draws_real |= want == Want::Real;
            let values = stairs.points.iter().map(|(z, _)| *z).collect();
            return self.interpolate(argument, &stairs.points, values, label);
        }
        let (argument, stairs) = match want {
            Want::Snapped => without_fractions(argument, stairs),
            Want::Close | Want::Tolerant | Want::Real => (argument, stairs),
        };
        let points = stairs.points.iter().map(|(z, _)| *z).collect();
        let precise = self.care.is_careful() && stairs.precision > LITTLE_PRECISION;
        let noisy = self.care == Care::Exact && stairs.noise() > QUIET;
        if want == Want::Snapped || precise || noisy {
            self.round_argument(&argument);
        }
        // Whole numbers add up exactly, unless a large number rounds what they are counted by.
        let is_free = argument.is_whole() && self.roundable(&argument).is_none();
        let adds_up = stairs.is_whole() && is_free;
        let at = self.argument(argument, points, label)?;
        let is_near = matches!(want, Want::Close | Want::Real);
        if self.holds_bits() && (!is_near || noisy && !adds_up) {
            return Ok(self.bits_of(at, &stairs, of, label));
        }
        let ends = (stairs.points.first(), stairs.points.last());
        let centre = match ends {
            (Some((low, _)), Some((high, _))) => f64::midpoint(*low, *high),
            _ => 0.0,
        };
        // At BOS there is no large number that rounds the argument, which is far below all steps there.
        let rises = precise && stairs.steps.len() > MANY_MIRRORED;
        let centre = if rises { f64::NEG_INFINITY } else { centre };
        let mut units = Vec::with_capacity(2 * stairs.steps.len());
        for step in &stairs.steps {
            // A step below the centre is one minus its mirror image, silent on the centre's side.
            let sign = if step.middle < centre { -1.0 } else { 1.0 };
            for (half, weight) in [(0.5, sign), (-0.5, -sign)] {
                units.push(Unit {
                    slope: sign * step.slope,
                    offset: half - sign * step.slope * self.middle(step),
                    weight: weight * step.change,
                });
            }
        }
        let below = stairs.steps.iter().filter(|step| step.middle < centre);
        let constant = stairs.first + below.map(|step| step.change).sum::<f64>();
        Ok(LinearRead::constant(constant).plus(1.0, &self.units(at, units, label, of)))
    }

    /// A bit of a linear read, given where that is what and whether the bit is set there.
    ///
    /// # Errors
    /// Floats do not tell apart where it is set and where not.
    pub(crate) fn bit(
        &mut self,
        argument: LinearRead,
        points: impl Iterator<Item = (f64, bool)>,
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let points = points.map(|(number, is_set)| (number, f64::from(u8::from(is_set))));
        let stairs = staircase(points.collect()).ok_or_else(|| {
            let message = format!("no float tells where it holds: {label}");
            Stopped::new(Code::NotExact, message)
        })?;
        let found = Found { argument, stairs };
        self.computed(found, None, Want::Snapped, label)
    }

    /// Whether a function that need not be exact is lines, not steps.
    fn is_drawn_as_lines(&self, stairs: &Staircase) -> bool {
        self.care.is_plain() && self.chooses(Choice::Linear) && is_nearly_linear(stairs)
    }

    /// Where a step is. Where nothing is left to float32's digits, where its units have biases of few digits:
    /// within an eighth of the gap, of which the ramp takes half at most.
    fn middle(&self, step: &Step) -> f64 {
        match self.care == Care::Exact {
            true => (2.0 * step.slope * step.middle).round() / (2.0 * step.slope),
            false => step.middle,
        }
    }

    /// A staircase as a combination of bits, one for each step, which float32 holds exactly.
    fn bits_of(
        &mut self,
        argument: usize,
        stairs: &Staircase,
        of: Option<Operand>,
        label: &str,
    ) -> LinearRead {
        let mut read = LinearRead::constant(stairs.first);
        for step in &stairs.steps {
            let bit = self.units(
                argument,
                step_units(step.slope, self.middle(step)),
                label,
                of,
            );
            read = read.plus(step.change, &bit);
        }
        read
    }

    /// The function through some points, straight between and beyond them, of an argument with some values: a
    /// view of it around the middle, and a hinge wherever the slope changes, away from the middle.
    pub(crate) fn interpolate(
        &mut self,
        argument: LinearRead,
        points: &[(f64, f64)],
        values: Vec<f64>,
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let Some(lines) = Lines::through(points) else {
            return Ok(LinearRead::constant(
                points.first().map_or(0.0, |point| point.1),
            ));
        };
        self.drawn(lines, argument, values, label)
    }

    /// What lines give of an argument with some values: a view of it, and hinges if there are any.
    pub(super) fn drawn(
        &mut self,
        lines: Lines,
        argument: LinearRead,
        values: Vec<f64>,
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let view = LinearRead::constant(lines.constant).plus(lines.slope, &argument);
        if lines.hinges.is_empty() {
            return Ok(view);
        }
        let at = self.argument(argument, values, label)?;
        Ok(view.plus(1.0, &self.units(at, lines.hinges, label, None)))
    }

    /// The same as one variable: a unit that is active everywhere gives the view, and another the constant.
    pub(crate) fn interpolate_in_one(
        &mut self,
        argument: LinearRead,
        points: &[(f64, f64)],
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let (Some(lines), Some((first, _))) = (Lines::through(points), points.first()) else {
            return self.interpolate(argument, points, Vec::new(), label);
        };
        let view = Unit {
            slope: 1.0,
            offset: -first,
            weight: lines.slope,
        };
        let constant = Unit {
            slope: 0.0,
            offset: 1.0,
            weight: lines.constant + lines.slope * first,
        };
        let values = points.iter().map(|(z, _)| *z).collect();
        let at = self.argument(argument, values, label)?;
        let mut units = [vec![constant, view], lines.hinges].concat();
        units.retain(|unit| unit.weight != 0.0);
        Ok(self.units(at, units, label, None))
    }

    /// Whether what is to be exact is held as bits, one variable for each step.
    pub(super) fn holds_bits(&self) -> bool {
        self.style == Style::Faithful || self.care.is_careful()
    }
}

/// A function that is straight between some points: `constant + slope · z`, and hinges.
pub struct Lines {
    pub constant: f64,
    pub slope: f64,
    pub hinges: Vec<Unit>,
}

impl Lines {
    /// The straight part is that around the middle, and hinges are where the slope changes, away from there;
    /// `None` of one point.
    fn through(points: &[(f64, f64)]) -> Option<Lines> {
        let middle = points.len() / 2;
        let slope = |at: usize| slope(points[at], points[at + 1]);
        let central = (middle > 0).then(|| slope(middle - 1))?;
        let (z, y) = points[middle];
        let mut hinges = Vec::new();
        let inner = points.iter().enumerate().take(points.len() - 1).skip(1);
        for (at, point) in inner {
            let change = slope(at) - slope(at - 1);
            // Of fractions, what lies on one line may seem to turn by their roundings.
            if change.abs() <= STRAIGHT * (slope(at).abs() + slope(at - 1).abs()) {
                continue;
            }
            let side = if at < middle { -1.0 } else { 1.0 };
            hinges.push(Unit {
                slope: side,
                offset: -side * point.0,
                weight: change,
            });
        }
        // What is less is added first, so that little is rounded.
        let turn = hinges.partition_point(|unit: &Unit| unit.slope < 0.0);
        hinges[turn..].reverse();
        Some(Lines {
            constant: y - central * z,
            slope: central,
            hinges,
        })
    }
}

/// Whether each argument is the one before and 1.
fn is_consecutive(points: &[(f64, f64)]) -> bool {
    points.windows(2).all(|pair| pair[1].0 - pair[0].0 == 1.0)
}

/// Whether float32 rounds less of lines between points than of steps at them, which hold what their argument is off
/// by off: a mean, by a few roundings.
fn is_quieter_as_lines(stairs: &Staircase) -> bool {
    let slopes = stairs.slopes();
    let turns = slopes.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let sizes = slopes.iter().map(|slope| slope.abs());
    let steepest = sizes.fold(0.0, f64::max);
    let size = stairs.reach() * (turns.sum::<f64>() + ROUNDINGS * steepest);
    size * f64::from(f32::EPSILON) < stairs.noise()
}

/// Whether a function of consecutive arguments changes its slope so seldom that lines are far fewer units
/// than steps, and is nowhere so steep that they make more of noise than there is between its values.
fn is_nearly_linear(stairs: &Staircase) -> bool {
    let slopes = stairs.slopes();
    let hinges = slopes.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let sizes = || slopes.iter().map(|slope| slope.abs());
    let steepest = sizes().fold(0.0, f64::max);
    let flattest = sizes().filter(|size| *size > 0.0).fold(steepest, f64::min);
    FEWER_HINGES * hinges <= stairs.steps.len() && steepest <= STEEPEST * flattest
}

/// A staircase of what reads the embeddings alone, times the least number that leaves no fractions
/// which floats do not hold, so that nothing of it is rounded.
fn without_fractions(argument: LinearRead, stairs: Staircase) -> (LinearRead, Staircase) {
    let scaled = argument.without_fractions();
    let scaled = scaled.filter(|_| argument.is_embedded());
    let stairs_of = |factor: f64| {
        let points = stairs.points.iter();
        staircase(points.map(|(z, y)| (factor * z, *y)).collect())
    };
    match scaled.and_then(|(read, factor)| Some((read, stairs_of(factor)?))) {
        Some(found) => found,
        None => (argument, stairs),
    }
}

/// A number near one, at which the biases of a step's two units are bfloat16: half of a whole number, or where
/// these have too many digits the middle between two.
fn few_digits(at: f64) -> f64 {
    let half = (2.0 * at).round() / 2.0;
    match is_bfloat16(half + 0.5) && is_bfloat16(half - 0.5) {
        true => half,
        false => at.floor() + 0.5,
    }
}

/// The units of steps where their biases are bfloat16, beside a constant of their argument. Others stay, and so do
/// those that would give something else at one of the points.
pub(crate) fn in_bfloat16(units: &[Unit], constant: f64, points: &[f64]) -> Vec<Unit> {
    let mut units = units.to_vec();
    let mut at = 0;
    while let [one, other, ..] = &mut units[at..] {
        let is_step = one.is_step_with(other) && one.offset - other.offset == 1.0;
        if is_step {
            let beside = one.slope * constant;
            let middle = f64::midpoint(one.offset, other.offset) + beside;
            let moved_to = |at: f64| {
                let by = |half: f64, unit: Unit| Unit {
                    offset: at - beside + half,
                    ..unit
                };
                [by(0.5, *one), by(-0.5, *other)]
            };
            let known = outputs(&[*one, *other], points);
            let is_same = |step: &[Unit; 2]| {
                let mut given = outputs(step, points).into_iter().zip(&known);
                given.all(|(given, known)| (given - known).abs() <= SAME * one.weight.abs())
            };
            // On either side, as a number may stand on one; or less far, as two numbers of bfloat16 hold quarters.
            let below = (middle - 0.5).floor() + 0.5;
            let places = [few_digits(middle), below, (4.0 * middle).round() / 4.0];
            if let Some(step) = places.map(moved_to).into_iter().find(is_same) {
                [*one, *other] = step;
            }
        }
        at += if is_step { 2 } else { 1 };
    }
    units
}

/// The two units of a bit that is 1 above the middle of a step and 0 below it.
pub fn step_units(slope: f64, middle: f64) -> Vec<Unit> {
    let unit = |half, weight| Unit {
        slope,
        offset: half - slope * middle,
        weight,
    };
    vec![unit(0.5, 1.0), unit(-0.5, -1.0)]
}
