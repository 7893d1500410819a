//! The rank of a table modulo a prime: machine arithmetic, and never more than the rank over the
//! rationals, which for tables of fractions takes numbers of many digits to find.

use super::Rational;

/// A Mersenne prime, so large that a table has a smaller rank modulo it by accident only.
const PRIME: u64 = (1 << 61) - 1;

/// Rows of so many numbers are of at least this rank; what is returned is too small where a
/// denominator is a multiple of the prime.
pub fn least_rank(rows: impl IntoIterator<Item = Vec<Rational>>) -> usize {
    let mut echelon: Vec<(usize, Vec<u64>)> = Vec::new();
    for row in rows {
        let remainders = row.iter().map(|number| number.modulo(PRIME));
        let Some(mut rest) = remainders.collect::<Option<Vec<u64>>>() else {
            continue;
        };
        for (pivot, known) in &echelon {
            let factor = PRIME - rest[*pivot];
            for (entry, known) in rest.iter_mut().zip(known) {
                *entry = plus(*entry, times(factor, *known));
            }
        }
        let Some(pivot) = rest.iter().position(|entry| *entry != 0) else {
            continue;
        };
        let inverse = power(rest[pivot], PRIME - 2);
        for entry in &mut rest {
            *entry = times(*entry, inverse);
        }
        echelon.push((pivot, rest));
    }
    echelon.len()
}

fn plus(a: u64, b: u64) -> u64 {
    (a + b) % PRIME
}

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent /= 2;
    }
    result
}

impl Rational {
    /// The remainder modulo a prime; `None` if the denominator is a multiple of it.
    fn modulo(&self, prime: u64) -> Option<u64> {
        let (numerator, denominator) = self.remainders(prime);
        let inverse = (denominator != 0).then(|| power(denominator, prime - 2))?;
        Some(times(numerator, inverse))
    }
}
