//! What the functions with the preprint's spellings mean; see `oracle.rs`.

use super::oracle::{Case, each, everywhere, int, letter, place, tally};
use rasp::value::Value;

pub const CASES: &[Case] = &[
    (
        "preprint",
        "selector_width(select_where([indices], [tokens, indices], lambda q, t, k: t == 'a' and k < q))",
        "ab",
        6,
        |x| each(x, |i| int(tally(&x[..i], 'a'))),
    ),
    (
        "preprint",
        "aggregate(select1((tokens, indices), lambda t, i: i + 1 if t == 'a' else 0), tokens, '-')",
        "ab",
        6,
        |x| {
            let wanted = |i: usize| if x[i] == 'a' { i + 1 } else { 0 };
            each(x, |i| letter(*x.get(wanted(i)).unwrap_or(&'-')))
        },
    ),
    ("preprint", "aggregate(flip_s, tokens)", "abc", 6, |x| {
        x.iter().rev().map(|t| letter(*t)).collect()
    }),
    (
        "preprint",
        "aggregate(shift_select(2), tokens, '-')",
        "abc",
        5,
        |x| each(x, |i| letter(*x.get(i + 2).unwrap_or(&'-'))),
    ),
    (
        "preprint",
        "aggregate(index_select(-1), tokens)",
        "abc",
        5,
        |x| everywhere(x, letter(x[x.len() - 1])),
    ),
    (
        "preprint",
        "has_focus(item_select(tokens, 'b'))",
        "abc",
        5,
        |x| everywhere(x, Value::Bool(x.contains(&'b'))),
    ),
    (
        "preprint",
        "count_conditioned([tokens], [tokens], lambda q, k: q > k)",
        "abc",
        6,
        |x| each(x, |i| int(x.iter().filter(|t| **t < x[i]).count())),
    ),
    (
        "preprint",
        "conditioned_contains([tokens, indices], [tokens, indices], lambda t, i, u, j: t == u and j < i)",
        "abc",
        6,
        |x| each(x, |i| Value::Bool(x[..i].contains(&x[i]))),
    ),
    (
        "preprint",
        "frac_condition(tokens, lambda t: t == 'a')",
        "ab",
        6,
        |x| everywhere(x, Value::Float(tally(x, 'a') as f64 / x.len() as f64)),
    ),
    ("preprint", "frac(tokens, 'a')", "ab", 6, |x| {
        everywhere(x, Value::Float(tally(x, 'a') as f64 / x.len() as f64))
    }),
    (
        "preprint",
        "count_quality((tokens, indices), lambda t, i: t == 'a' and i < 3)",
        "ab",
        6,
        |x| everywhere(x, int(tally(&x[..x.len().min(3)], 'a'))),
    ),
    (
        "preprint",
        "contains_quality(tokens, lambda t: t != 'b')",
        "abc",
        5,
        |x| everywhere(x, Value::Bool(x.iter().any(|t| *t != 'b'))),
    ),
    (
        "preprint",
        "load_from_target_index(-2, tokens, '-')",
        "abc",
        5,
        |x| {
            let at = x.len().checked_sub(2);
            everywhere(x, letter(at.map_or('-', |at| x[at])))
        },
    ),
    (
        "preprint",
        "load_from_target_indices(2 * indices, tokens, '-')",
        "abc",
        5,
        |x| each(x, |i| letter(*x.get(2 * i).unwrap_or(&'-'))),
    ),
    ("preprint", "get_shifted(tokens, -1, '-')", "abc", 5, |x| {
        each(x, |i| letter(if i == 0 { '-' } else { x[i - 1] }))
    }),
    (
        "preprint",
        "mark_last_condition(tokens, lambda t: t != 'b')",
        "abc",
        5,
        |x| {
            each(x, |i| {
                Value::Bool(x.iter().rposition(|t| *t != 'b') == Some(i))
            })
        },
    ),
    (
        "preprint",
        "mark_first_condition(tokens, lambda t: t != 'b')",
        "abc",
        5,
        |x| {
            each(x, |i| {
                Value::Bool(x.iter().position(|t| *t != 'b') == Some(i))
            })
        },
    ),
    (
        "preprint",
        "aggregate(select_from_last_condition(tokens, lambda t: t != 'b'), indices, -1)",
        "abc",
        5,
        |x| everywhere(x, place(x.iter().rposition(|t| *t != 'b'))),
    ),
    (
        "preprint",
        "aggregate(select_from_first_condition(tokens, lambda t: t != 'b'), indices, -1)",
        "abc",
        5,
        |x| everywhere(x, place(x.iter().position(|t| *t != 'b'))),
    ),
    (
        "preprint",
        "aggregate(select_next_equal(tokens), indices, -1)",
        "abc",
        6,
        |x| each(x, |i| place((i + 1..x.len()).find(|j| x[*j] == x[i]))),
    ),
];
