//! The sums and counts that a selector can produce from the values it may select. Values are
//! scaled to integers, so that every sum is exact and equal sums are one sum.

use rustc_hash::FxHashSet;

/// A key that may be selected: the scaled values it can have, and whether it always is.
pub struct Term<'v> {
    pub values: &'v [i64],
    pub certain: bool,
}

/// Numbers as integers times a power of two.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    pub numbers: Vec<i64>,
    /// What a number is multiplied by.
    pub scale: f64,
}

/// The numbers as integers over a common power of two; `None` if there is no small one, since
/// float sums would then depend on their order.
pub fn scaled(numbers: &[f64]) -> Option<Scaled> {
    let mut scale = 1.0;
    for _ in 0..=20 {
        let fits = |number: &f64| {
            let scaled = number * scale;
            scaled.fract() == 0.0 && scaled.abs() < 2f64.powi(40)
        };
        if numbers.iter().all(fits) {
            let numbers = numbers.iter().map(|number| (number * scale) as i64);
            return Some(Scaled {
                numbers: numbers.collect(),
                scale,
            });
        }
        scale *= 2.0;
    }
    None
}

/// All pairs of how many keys are selected and what their values sum to, ascending; `None` if
/// there are more than `limit`.
pub fn counts_and_sums(
    terms: &[Term],
    counts: (usize, usize),
    limit: usize,
) -> Option<Vec<(u32, i64)>> {
    let mut reached: FxHashSet<(u32, i64)> = FxHashSet::default();
    reached.insert((0, 0));
    for term in terms {
        let mut next = if term.certain {
            FxHashSet::default()
        } else {
            reached.clone()
        };
        let mut sorted: Vec<(u32, i64)> = reached.drain().collect();
        sorted.sort_unstable();
        for (count, sum) in sorted {
            next.extend(term.values.iter().map(|value| (count + 1, sum + value)));
        }
        if next.len() > limit {
            return None;
        }
        reached = next;
    }
    let mut pairs: Vec<(u32, i64)> = reached
        .drain()
        .filter(|(count, _)| (counts.0..=counts.1).contains(&(*count as usize)))
        .collect();
    pairs.sort_unstable();
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_sums_are_those_of_all_selections() {
        let bit = [0, 1];
        let terms = [
            Term {
                values: &bit,
                certain: true,
            },
            Term {
                values: &[5],
                certain: false,
            },
        ];
        let pairs = counts_and_sums(&terms, (0, 2), 100).unwrap();
        assert_eq!(pairs, [(1, 0), (1, 1), (2, 5), (2, 6)]);
        assert!(counts_and_sums(&terms, (0, 2), 3).is_none());
    }

    #[test]
    fn fractions_scale_to_integers_if_they_are_binary() {
        assert_eq!(scaled(&[0.5, 1.75]).unwrap().numbers, [2, 7]);
        assert!(scaled(&[0.1]).is_none());
    }
}
