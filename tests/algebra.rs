//! The algebra against its definitions, on small matrices of integers and fractions.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::{Strategy, any, prop, proptest};
use rasp::inside::algebra::{Echelon, Rational, Reading, Sparse, factor, least_rank};

fn of(float: f64) -> Rational {
    Reading::of(float, 0.0).unwrap().number
}

fn fraction(numerator: i64, denominator: i64) -> Rational {
    &Rational::from(numerator) / &Rational::from(denominator)
}

fn sparse(row: &[Rational]) -> Sparse {
    let entries = row.iter().cloned().enumerate();
    entries.filter(|(_, entry)| !entry.is_zero()).collect()
}

fn dot(row: &[Rational], other: &[Rational]) -> Rational {
    let terms = row.iter().zip(other);
    terms.fold(Rational::zero(), |sum, (a, b)| &sum + &(a * b))
}

#[test]
fn floats_that_rounding_moved_are_one_number() {
    assert_eq!(of(1.0 / 3.0), fraction(1, 3));
    assert_eq!(of(1.0 - 2.0 / 3.0), fraction(1, 3));
    assert_eq!(of(0.1 + 0.2), fraction(3, 10));
    assert_eq!(of(-22.0 / 7.0), fraction(-22, 7));
    assert_eq!(
        Reading::of(0.1 + 0.2 - 0.3, 1.0).unwrap().number,
        Rational::zero()
    );
    assert_eq!(of(1e-300).to_f64(), 1e-300);
    assert!(Reading::of(f64::NAN, 1.0).is_none());
    assert!(Reading::of(f64::INFINITY, 1.0).is_none());
}

#[test]
fn irrational_numbers_are_no_fractions() {
    for float in [2f64.sqrt(), 3f64.ln(), 1e-9] {
        let reading = Reading::of(float, 0.0).unwrap();
        assert!(!reading.is_fraction, "{float}");
        assert_eq!(reading.number.to_f64(), float);
    }
}

#[test]
fn what_overflows_machine_integers_is_long_and_comes_back() {
    let large = Rational::from(i64::MAX);
    let square = &large * &large;
    assert_eq!(square.denominator(), None);
    assert_eq!(&square / &large, large);
    assert_eq!(&(&square - &square) + &large, large);
    let least = Rational::from(i64::MIN);
    assert_eq!(-&-&least, least);
    assert_eq!(&(&least + &Rational::one()) - &Rational::one(), least);
    assert!(square.compare_sizes(&least).is_gt());
}

/// Small fractions, most of them 0 or 1.
fn entry() -> impl Strategy<Value = Rational> {
    let small = (-3i64..=3, 1i64..=7).prop_map(|(n, d)| fraction(n, d));
    prop::sample::select(vec![0, 1])
        .prop_map(Rational::from)
        .boxed()
        .prop_union(small.boxed())
}

fn matrix() -> impl Strategy<Value = Vec<Vec<Rational>>> {
    (1usize..6, 1usize..6).prop_flat_map(|(rows, columns)| {
        prop::collection::vec(prop::collection::vec(entry(), columns), rows)
    })
}

proptest! {
    #[test]
    fn fractions_survive_floats(numerator in -1000i64..1000, denominator in 1i64..10_000) {
        let exact = fraction(numerator, denominator);
        let float = numerator as f64 / denominator as f64;
        assert_eq!(exact.to_f64(), float);
        assert_eq!(of(float), exact);
        assert_eq!(of(f64::from_bits((float + 0.0).to_bits() + 1)).to_f64().abs() > 1e-9, numerator != 0);
    }

    #[test]
    fn any_float_is_read_within_rounding(float in any::<f64>()) {
        let Some(reading) = Reading::of(float, 0.0) else {
            return Ok(());
        };
        let back = reading.number.to_f64();
        assert!((back - float).abs() <= float.abs() * 4e-15, "{float} {back}");
        assert!(reading.is_fraction || back == float);
    }

    #[test]
    fn solutions_satisfy_their_equations(rows in matrix()) {
        let width = rows[0].len() - 1;
        let mut system = Echelon::new(width);
        let inserted: Vec<_> = rows.iter().filter(|row| system.insert(&sparse(row))).collect();
        let solution = system.solution();
        for row in inserted {
            assert_eq!(dot(&row[..width], &solution), row[width]);
        }
    }

    #[test]
    fn coordinates_reproduce_every_row(rows in matrix()) {
        let width = rows[0].len();
        let mut echelon = Echelon::new(width);
        let mut basis: Vec<&[Rational]> = Vec::new();
        for row in &rows {
            let mut labelled = sparse(row);
            labelled.push((width + basis.len(), Rational::one()));
            if echelon.insert(&labelled) {
                basis.push(row);
            }
        }
        for row in &rows {
            let mut sum = vec![Rational::zero(); width];
            for (column, coordinate) in echelon.reduce(&sparse(row)) {
                for (sum, entry) in sum.iter_mut().zip(basis[column - width]) {
                    *sum = sum.minus_product(&coordinate, entry);
                }
            }
            assert_eq!(&sum, row);
        }
    }

    #[test]
    fn products_reproduce_the_matrix_and_are_as_many_as_its_rank(rows in matrix()) {
        let columns = rows[0].len();
        let products = factor(rows.concat(), columns, &Rational::zero(), 9).unwrap();
        let mut echelon = Echelon::new(columns);
        let rank = rows.iter().filter(|row| echelon.insert(&sparse(row))).count();
        assert_eq!(products.len(), rank);
        for (at, row) in rows.iter().enumerate() {
            for (column, entry) in row.iter().enumerate() {
                let terms = products.iter().map(|(left, right)| &left[at] * &right[column]);
                assert_eq!(&terms.fold(Rational::zero(), |sum, term| &sum + &term), entry);
            }
        }
        for (_, right) in &products {
            assert!(right.iter().all(|entry| entry.compare_sizes(&Rational::one()).is_le()));
        }
    }
}

#[test]
fn a_rank_modulo_a_prime_is_the_rank() {
    let row = |numbers: &[(i64, i64)]| {
        let numbers = numbers.iter();
        Vec::from_iter(numbers.map(|(above, below)| fraction(*above, *below)))
    };
    let thirds = row(&[(1, 3), (-2, 3), (1, 7)]);
    let others = row(&[(0, 1), (5, 1), (1, 9)]);
    let sum: Vec<Rational> = thirds.iter().zip(&others).map(|(a, b)| a + b).collect();
    assert_eq!(least_rank([thirds.clone(), others.clone(), sum]), 2);
    assert_eq!(
        least_rank([thirds, others, row(&[(1, 1), (0, 1), (0, 1)])]),
        3
    );
    // Longer than machine integers.
    let long = |factor: i64| &Rational::from(i64::MAX) * &Rational::from(factor);
    assert_eq!(
        least_rank([vec![long(2), long(4)], vec![long(3), long(6)]]),
        1
    );
    assert_eq!(
        least_rank([vec![long(2), long(4)], vec![long(3), long(5)]]),
        2
    );
}
