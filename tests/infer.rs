//! What inference rests on: the sums that selectors can give, selectors as disjoint cubes, and tables that
//! do not depend on what was asked before.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rasp::base::Limits;
use rasp::graph::Sharing;
use rasp::inside::infer::{
    Cube, Domain, Literal, Operand, Relation, Term, and, counts_and_sums, not, or, scaled,
};
use rasp::session::{Session, Setting};
use rasp::value::Value;
use std::collections::BTreeSet;

#[test]
fn counts_and_sums_are_those_of_all_selections() {
    let bit = [0, 1];
    let terms = [
        Term {
            values: &bit,
            always: true,
        },
        Term {
            values: &[5],
            always: false,
        },
    ];
    let pairs = counts_and_sums((&terms, 2), (0, 2), 100).unwrap();
    assert_eq!(pairs, [(1, 0), (1, 1), (2, 5), (2, 6)]);
    assert!(counts_and_sums((&terms, 2), (0, 2), 3).is_none());
}

/// Sums that are close are found as bits, others are listed: both are those of every selection from every
/// input that ends behind the keys that are always there.
#[test]
fn sums_are_those_of_every_selection() {
    const KEYS: usize = 8;
    let sums = |terms: &[Term]| {
        let mut selections = BTreeSet::from([(0, 0)]);
        for term in terms {
            let before = selections.clone();
            if term.always {
                selections.clear();
            }
            for (count, sum) in before {
                selections.extend(term.values.iter().map(|value| (count + 1, sum + value)));
            }
        }
        selections
    };
    for values in [[1, 1, 2, 2], [-3, 0, 7, 61], [-3, 0, 7, 1 << 40]] {
        let terms: Vec<Term> = (0..KEYS)
            .map(|at| Term {
                values: &values[at % 3..2 + at % 3],
                always: at % 3 != 1,
            })
            .collect();
        for there in 0..=KEYS {
            let lengths = there..=KEYS;
            let all = lengths.flat_map(|length| sums(&terms[..length]));
            let all: Vec<(u32, i64)> = BTreeSet::from_iter(all).into_iter().collect();
            let found = counts_and_sums((&terms, there), (0, KEYS), 10_000);
            assert_eq!(found, Some(all), "{values:?}, {there} of {KEYS}");
        }
    }
}

#[test]
fn fractions_scale_to_integers_if_they_are_binary() {
    assert_eq!(scaled(&[0.5, 1.75]).unwrap().numbers, [2, 7]);
    assert!(scaled(&[0.1]).is_none());
}

fn literal(pair: u32, holds: impl FnMut(usize, usize) -> bool) -> Vec<Cube> {
    vec![Cube::of(Literal {
        keys: Operand::Joint(pair),
        queries: Operand::Joint(pair),
        relation: Relation::tabulate(3, 3, holds).into(),
    })]
}

fn selected(cubes: &[Cube], keys: [usize; 2], queries: [usize; 2]) -> usize {
    let holds = |cube: &&Cube| {
        cube.literals.iter().all(|literal| {
            let Operand::Joint(at) = literal.keys else {
                unreachable!("these are made so")
            };
            let at = at as usize;
            literal.relation.holds(keys[at], queries[at])
        })
    };
    cubes.iter().filter(holds).count()
}

#[test]
fn a_lexicographic_order_is_two_disjoint_cubes() {
    let less = literal(0, |k, q| k < q);
    let equal = literal(0, |k, q| k == q);
    let earlier = literal(1, |k, q| k < q);
    let ties = and(&equal, &earlier).unwrap();
    let cubes = or(&less, &ties, Some).unwrap();
    assert_eq!(cubes.len(), 2);
    for code in 0..81 {
        let digit = |place: usize| code / 3usize.pow(place as u32) % 3;
        let (keys, queries) = ([digit(0), digit(1)], [digit(2), digit(3)]);
        let expected = keys < queries;
        assert_eq!(selected(&cubes, keys, queries), usize::from(expected));
    }
}

#[test]
fn cubes_of_any_formula_are_disjoint_and_cover_it() {
    let a = literal(0, |k, q| k <= q);
    let b = literal(1, |k, q| k != q);
    let formula = not(&or(&and(&a, &b).unwrap(), &not(&a).unwrap(), Some).unwrap()).unwrap();
    for code in 0..81 {
        let digit = |place: usize| code / 3usize.pow(place as u32) % 3;
        let (keys, queries) = ([digit(0), digit(1)], [digit(2), digit(3)]);
        let expected = keys[0] <= queries[0] && keys[1] == queries[1];
        assert_eq!(selected(&formula, keys, queries), usize::from(expected));
    }
}

/// The table of a comparison may be larger than others, for itself and for what is made of it alone.
#[test]
fn what_was_compared_before_says_nothing_of_other_tables() {
    let limits = Limits {
        table_rows: 100,
        ..Limits::default()
    };
    let setting = Setting {
        vocabulary: Value::characters("ab"),
        max_length: 6,
        causal: false,
    };
    let (less, product) = ("less = a < b;", "product = a * b;");
    for statements in [[less, product], [product, less]] {
        let mut session = Session::new(Sharing::Equal).with_limits(limits.clone());
        let text = format!(
            "a = aggregate(select(tokens, \"a\", ==), indices, -1);
            b = aggregate(select(tokens, \"b\", ==), indices, -1);
            {} most = b if less else a;",
            statements.concat()
        );
        session.load_text("tables", &text);
        assert!(session.take_diagnostics().is_empty());
        let ids = ["less", "product", "most"].map(|name| session.sop(name).unwrap());
        let facts = session.facts(&ids, &setting).unwrap();
        let is_known = ids.map(|id| matches!(facts.get(id).unwrap().domain, Domain::Finite(_)));
        assert_eq!(is_known, [true, false, true], "{statements:?}");
    }
}
