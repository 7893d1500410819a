//! Functions of one number as steps of a feed-forward block. A step at `m` is the difference of
//! two rectified units, `relu(K(z-m)+½) - relu(K(z-m)-½)`, flat except in the middle of the gap
//! between two neighbouring values, so that it absorbs the leakage of attention (the units of
//! Tracr, Lindner et al. 2023, with the slope derived from the gap instead of fixed).

/// A change of a function's value between two neighbouring arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Halfway between the two arguments.
    pub middle: f64,
    /// The slope `K`, a power of two: the ramp takes at most half of the gap.
    pub slope: f64,
    /// How much the value changes.
    pub change: f64,
}

/// A function of one number that is constant but for its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Staircase {
    /// The value below the first step.
    pub first: f64,
    pub steps: Vec<Step>,
    /// The range of the arguments over the smallest gap at a step: how precise they must be.
    pub precision: f64,
    /// What it passes through, by ascending arguments.
    pub points: Vec<(f64, f64)>,
}

impl Staircase {
    /// What float32 may round of the sum of all steps.
    pub fn noise(&self) -> f64 {
        let reach = self.reach();
        let steps = self.steps.iter();
        let size: f64 = steps.map(|s| (s.change * s.slope).abs() * reach).sum();
        size * f64::from(f32::EPSILON)
    }

    /// How large its arguments are at most.
    pub fn reach(&self) -> f64 {
        let largest = |most: f64, (z, _): &(f64, f64)| most.max(z.abs());
        self.points.iter().fold(0.0, largest)
    }

    /// The slopes of the lines from each of its points to the next.
    pub fn slopes(&self) -> Vec<f64> {
        let pairs = self.points.windows(2);
        pairs.map(|pair| slope(pair[0], pair[1])).collect()
    }

    /// Whether all its steps change the value by whole numbers.
    pub fn is_whole(&self) -> bool {
        self.steps.iter().all(|step| step.change.fract() == 0.0)
    }
}

/// The slope of the line from a point to another.
pub fn slope((before, from): (f64, f64), (after, to): (f64, f64)) -> f64 {
    (to - from) / (after - before)
}

/// The staircase through some points, each an argument and its value; `None` if two arguments
/// that are as good as equal have different values.
pub fn staircase(mut points: Vec<(f64, f64)>) -> Option<Staircase> {
    let (_, precision) = cost(&mut points)?;
    let step = |((a, before), (b, after)): ((f64, f64), (f64, f64))| Step {
        middle: nice(a, b),
        slope: 2f64.powf((2.0 / (b - a)).log2().ceil()),
        change: after - before,
    };
    Some(Staircase {
        first: points.first().map_or(0.0, |point| point.1),
        steps: changes(&points).map(step).collect(),
        precision,
        points,
    })
}

/// How many steps the staircase through some points has, and its precision; sorts the points.
/// Further points make neither less.
pub fn cost(points: &mut [(f64, f64)]) -> Option<(usize, f64)> {
    points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(lowest), Some(highest)) = (points.first(), points.last()) else {
        return Some((0, 1.0));
    };
    let range = highest.0 - lowest.0;
    let same = 1e-9 * (1.0 + lowest.0.abs().max(highest.0.abs()));
    let (mut count, mut smallest) = (0, range.max(same));
    for ((a, _), (b, _)) in changes(points) {
        if b - a <= same {
            return None;
        }
        count += 1;
        smallest = smallest.min(b - a);
    }
    Some((count, range / smallest))
}

/// The arguments with the smallest gap of all neighbours with different values; the points are
/// sorted.
pub fn narrowest(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let gaps = changes(points).map(|(a, b)| (a.0, b.0));
    gaps.min_by(|x, y| (x.1 - x.0).total_cmp(&(y.1 - y.0)))
}

/// The neighbouring points with different values.
fn changes(points: &[(f64, f64)]) -> impl Iterator<Item = ((f64, f64), (f64, f64))> + '_ {
    let pairs = points.windows(2).map(|pair| (pair[0], pair[1]));
    pairs.filter(|((_, before), (_, after))| before != after)
}

/// The middle of a gap; of the possible middles one that floats hold exactly.
fn nice(a: f64, b: f64) -> f64 {
    let middle = (a + b) / 2.0;
    let grid = 2f64.powf(((b - a) / 64.0).log2().floor());
    (middle / grid).round() * grid
}
