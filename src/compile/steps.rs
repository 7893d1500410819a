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

/// The staircase through some points, each an argument and its value; `None` if two arguments
/// that are as good as equal have different values.
pub fn staircase(mut points: Vec<(f64, f64)>) -> Option<Staircase> {
    points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (Some(lowest), Some(highest)) = (points.first().copied(), points.last().copied()) else {
        return Some(Staircase {
            first: 0.0,
            steps: Vec::new(),
            precision: 1.0,
            points,
        });
    };
    let range = highest.0 - lowest.0;
    let same = 1e-9 * (1.0 + lowest.0.abs().max(highest.0.abs()));
    let (mut steps, mut smallest) = (Vec::new(), range.max(same));
    let first = lowest.1;
    for pair in points.windows(2) {
        let ((a, before), (b, after)) = (pair[0], pair[1]);
        if before == after {
            continue;
        }
        let gap = b - a;
        if gap <= same {
            return None;
        }
        smallest = smallest.min(gap);
        steps.push(Step {
            middle: nice(a, b),
            slope: 2f64.powf((2.0 / gap).log2().ceil()),
            change: after - before,
        });
    }
    Some(Staircase {
        first,
        steps,
        precision: range / smallest,
        points,
    })
}

/// The middle of a gap; of the possible middles one that floats hold exactly.
fn nice(a: f64, b: f64) -> f64 {
    let middle = (a + b) / 2.0;
    let grid = 2f64.powf(((b - a) / 64.0).log2().floor());
    (middle / grid).round() * grid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(stairs: &Staircase, z: f64) -> f64 {
        let step = |step: &Step| {
            let ramp = step.slope * (z - step.middle);
            step.change * ((ramp + 0.5).max(0.0) - (ramp - 0.5).max(0.0))
        };
        stairs.first + stairs.steps.iter().map(step).sum::<f64>()
    }

    #[test]
    fn steps_pass_through_every_point_and_absorb_noise() {
        let points = vec![(3.0, 9.0), (0.0, 0.0), (1.0, 1.0), (2.0, 1.0)];
        let stairs = staircase(points.clone()).unwrap();
        assert_eq!(stairs.steps.len(), 2);
        for (z, value) in points {
            for noise in [-0.2, 0.0, 0.2] {
                assert_eq!(evaluate(&stairs, z + noise), value);
            }
        }
    }

    #[test]
    fn one_argument_with_two_values_is_no_function() {
        assert!(staircase(vec![(1.0, 0.0), (1.0, 1.0)]).is_none());
    }
}
