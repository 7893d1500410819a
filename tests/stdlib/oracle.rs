//! What the library's functions mean, in Rust that shares nothing with them: no attention, no
//! counting by fractions, just loops over the input.

use rasp::value::Value;
use std::cmp::Reverse;

/// The values that an input must give; none if nothing is said about it.
pub type Oracle = fn(&[char]) -> Vec<Value>;

/// Module, expression, alphabet, longest input, meaning.
pub type Case = (&'static str, &'static str, &'static str, u32, Oracle);

pub const CASES: &[Case] = &[
    (
        "rasplib",
        "aggregate(full_s, indicator(tokens == 'a'))",
        "ab",
        5,
        |x| everywhere(x, Value::Float(tally(x, 'a') as f64 / x.len() as f64)),
    ),
    ("rasplib", "length", "a", 40, |x| {
        everywhere(x, int(x.len()))
    }),
    (
        "rasplib",
        "selector_width(select(tokens, 'a', ==))",
        "abc",
        6,
        |x| everywhere(x, int(tally(x, 'a'))),
    ),
    (
        "rasplib",
        "has_focus(select(tokens, 'a', ==))",
        "ab",
        6,
        |x| everywhere(x, Value::Bool(x.contains(&'a'))),
    ),
    ("rasplib", "count(tokens, 'a')", "abc", 6, |x| {
        everywhere(x, int(tally(x, 'a')))
    }),
    ("rasplib", "contains(tokens, 'a')", "abc", 6, |x| {
        everywhere(x, Value::Bool(x.contains(&'a')))
    }),
    ("rasplib", "max(indices, 3)", "a", 9, |x| {
        each(x, |i| int(i.max(3)))
    }),
    ("rasplib", "min(indices, 3)", "a", 9, |x| {
        each(x, |i| int(i.min(3)))
    }),
    ("rasplib", "average(indices)", "a", 9, |x| {
        everywhere(x, Value::Float((x.len() - 1) as f64 / 2.0))
    }),
    (
        "rasplib",
        "load_from_location(indices, length - 1)",
        "a",
        9,
        |x| everywhere(x, int(x.len() - 1)),
    ),
    ("rasplib", "shift(tokens, 2, '-')", "abc", 5, |x| {
        each(x, |i| letter(if i < 2 { '-' } else { x[i - 2] }))
    }),
    ("rasplib", "shift(tokens, -1, '-')", "abc", 5, |x| {
        each(x, |i| letter(*x.get(i + 1).unwrap_or(&'-')))
    }),
    ("rasplib", "mark_last_instance(tokens, 'a')", "ab", 6, |x| {
        each(x, |i| {
            Value::Bool(x.iter().rposition(|t| *t == 'a') == Some(i))
        })
    }),
    (
        "rasplib",
        "mark_first_instance(tokens, 'a')",
        "ab",
        6,
        |x| {
            each(x, |i| {
                Value::Bool(x.iter().position(|t| *t == 'a') == Some(i))
            })
        },
    ),
    (
        "rasplib",
        "aggregate(select_from_last(tokens, 'a'), indices, -1)",
        "ab",
        6,
        |x| everywhere(x, place(x.iter().rposition(|t| *t == 'a'))),
    ),
    (
        "rasplib",
        "aggregate(select_from_first(tokens, 'a'), indices, -1)",
        "ab",
        6,
        |x| everywhere(x, place(x.iter().position(|t| *t == 'a'))),
    ),
    ("rasplib", "sort(tokens, tokens)", "abc", 6, |x| {
        sorted(x, |i| x[i])
    }),
    ("rasplib", "sort(indices, tokens)", "abc", 6, |x| {
        ordered(x, |i| x[i])
    }),
    (
        "rasplib",
        "aggregate(select_next_identical(tokens), indices, -1)",
        "abc",
        6,
        |x| each(x, |i| place((i + 1..x.len()).find(|j| x[*j] == x[i]))),
    ),
    ("fractions", "frac_prevs(tokens, 'a')", "abc", 6, |x| {
        each(x, |i| {
            Value::Float(tally(&x[..=i], 'a') as f64 / (i + 1) as f64)
        })
    }),
    ("fractions", "num_prevs(tokens == 'a')", "abc", 6, |x| {
        each(x, |i| int(tally(&x[..=i], 'a')))
    }),
    ("fractions", "has_prev(tokens)", "abc", 6, |x| {
        each(x, |i| Value::Bool(x[..i].contains(&x[i])))
    }),
    ("fractions", "frac_all(tokens, 'a')", "abc", 6, |x| {
        everywhere(x, Value::Float(tally(x, 'a') as f64 / x.len() as f64))
    }),
    ("hist", "hist(tokens)", "abc", 6, |x| {
        each(x, |i| int(tally(x, x[i])))
    }),
    ("hist", "double_hist(tokens)", "abcd", 6, |x| {
        let alike = |i: usize| {
            let same = |t: &&char| tally(x, **t) == tally(x, x[i]);
            distinct(x).iter().filter(same).count()
        };
        each(x, |i| int(alike(i)))
    }),
    ("hist", "num_distinct(tokens)", "abcd", 5, |x| {
        everywhere(x, int(distinct(x).len()))
    }),
    ("sorting", "reverse(tokens)", "abc", 6, |x| {
        x.iter().rev().map(|t| letter(*t)).collect()
    }),
    ("sorting", "rank(tokens)", "abc", 6, |x| {
        each(x, |i| {
            int((0..x.len()).filter(|j| (x[*j], *j) < (x[i], i)).count())
        })
    }),
    (
        "sorting",
        "sort_descending(tokens, tokens)",
        "abc",
        6,
        |x| sorted(x, |i| Reverse(x[i])),
    ),
    (
        "sorting",
        "sort_descending(indices, tokens)",
        "abc",
        6,
        |x| ordered(x, |i| Reverse(x[i])),
    ),
    ("sorting", "bubble_sort(tokens, 3)", "abc", 6, |x| {
        sorted(x, |i| x[i])
    }),
    ("sorting", "sort_unique(tokens, -indices)", "abc", 6, |x| {
        sorted(x, Reverse)
    }),
    ("sorting", "sort_by_frequency(tokens)", "abc", 6, |x| {
        sorted(x, |i| Reverse(tally(x, x[i])))
    }),
    ("sorting", "most_frequent(tokens, '-')", "abcd", 6, |x| {
        let mut found = distinct(x);
        found.sort_by_key(|t| Reverse(tally(x, *t)));
        found.resize(x.len(), '-');
        found.into_iter().map(letter).collect()
    }),
    ("sorting", "smallest(tokens)", "abc", 6, |x| {
        everywhere(x, letter(*x.iter().min().unwrap()))
    }),
    ("sorting", "largest(tokens)", "abc", 6, |x| {
        everywhere(x, letter(*x.iter().max().unwrap()))
    }),
    ("dyck", "pair_balance(tokens, '(', ')')", "()a", 6, |x| {
        let balance = |x: &[char]| tally(x, '(') as f64 - tally(x, ')') as f64;
        each(x, |i| Value::Float(balance(&x[..=i]) / (i + 1) as f64))
    }),
    ("dyck", "depth(tokens, ['()', '{}'])", "(){", 6, |x| {
        let open = |x: &[char]| (tally(x, '(') + tally(x, '{')) as i64 - tally(x, ')') as i64;
        each(x, |i| Value::Int(open(&x[..=i])))
    }),
    ("dyck", "dyck1_ptf(tokens, '(', ')')", "()a", 8, |x| {
        prefixes(x, |x| nested(x, &["()"]))
    }),
    ("dyck", "balanced(tokens, '(', ')')", "()a", 8, |x| {
        everywhere(x, Value::Bool(nested(x, &["()"]) == 'T'))
    }),
    ("dyck", "dyckk_ptf(tokens, ['()', '{}'])", "(){}", 7, |x| {
        prefixes(x, |x| nested(x, &["()", "{}"]))
    }),
    ("dyck", "dyckk_ptf(tokens, ['()', '{}'])", "(){}a", 5, |x| {
        prefixes(x, |x| nested(x, &["()", "{}"]))
    }),
    (
        "dyck",
        "dyckk_ptf(tokens, ['()', '{}', '[]'])",
        "(){}[]",
        5,
        |x| prefixes(x, |x| nested(x, &["()", "{}", "[]"])),
    ),
    ("dyck", "dyckk_ptf(tokens, ['()'])", "()", 8, |x| {
        prefixes(x, |x| nested(x, &["()"]))
    }),
    (
        "dyck",
        "dyckk_ptf_best(tokens, ['()', '{}'])",
        "(){}",
        6,
        |x| prefixes(x, |x| nested(x, &["()", "{}"])),
    ),
    (
        "dyck",
        "dyckk_ptf_best(tokens, ['()', '{}'])",
        "(){}a",
        5,
        |x| prefixes(x, |x| nested(x, &["()", "{}"])),
    ),
    (
        "dyck",
        "bounded_dyck_ptf(tokens, ['()', '{}'], 2)",
        "(){}",
        6,
        |x| prefixes(x, |x| nested_to(2, x, &["()", "{}"])),
    ),
    (
        "dyck",
        "bounded_dyck_ptf(tokens, ['()', '{}'], 3)",
        "(){}a",
        5,
        |x| prefixes(x, |x| nested_to(3, x, &["()", "{}"])),
    ),
    (
        "dyck",
        "bounded_dyck(tokens, ['()', '{}'], 2)",
        "(){}",
        6,
        |x| everywhere(x, Value::Bool(nested_to(2, x, &["()", "{}"]) == 'T')),
    ),
    (
        "dyck",
        "bounded_dyck(tokens, ['()', '{}'], 1)",
        "(){}a",
        5,
        |x| everywhere(x, Value::Bool(nested_to(1, x, &["()", "{}"]) == 'T')),
    ),
    (
        "dyck",
        "bounded_dyck_next(tokens, ['()', '{}'], 2)",
        "(){}",
        6,
        |x| next(x, 2),
    ),
    (
        "dyck",
        "bounded_dyck_next(tokens, ['()', '{}'], 3)",
        "(){}a",
        5,
        |x| next(x, 3),
    ),
    (
        "dyck",
        "bounded_dyck_rounds(tokens, ['()', '{}'], 2)",
        "(){}",
        6,
        |x| everywhere(x, Value::Bool(nested_to(2, x, &["()", "{}"]) == 'T')),
    ),
    (
        "dyck",
        "bounded_dyck_rounds(tokens, ['()', '{}'], 3)",
        "(){}a",
        5,
        |x| everywhere(x, Value::Bool(nested_to(3, x, &["()", "{}"]) == 'T')),
    ),
    (
        "dyck",
        "shuffle_dyck_ptf(tokens, ['()', '{}'])",
        "(){}",
        6,
        |x| prefixes(x, |x| shuffled(x, &["()", "{}"])),
    ),
    (
        "dyck",
        "shuffle_dyck(tokens, ['()', '{}'])",
        "(){}",
        6,
        |x| everywhere(x, Value::Bool(shuffled(x, &["()", "{}"]) == 'T')),
    ),
    ("induction", "occurrence(tokens)", "abc", 6, |x| {
        each(x, |i| int(tally(&x[..=i], x[i])))
    }),
    ("induction", "last_occurrence(tokens)", "abc", 6, |x| {
        each(x, |i| place(x[..i].iter().rposition(|t| *t == x[i])))
    }),
    ("induction", "induction_head(tokens)", "abc", 7, |x| {
        let before = |i: usize| x[..i].iter().rposition(|t| *t == x[i]);
        each(x, |i| letter(before(i).map_or('?', |j| x[j + 1])))
    }),
    ("arithmetic", "total(tokens_int)", "019", 6, |x| {
        everywhere(x, Value::Int(digits(x).iter().sum()))
    }),
    ("arithmetic", "running_total(tokens_int)", "019", 6, |x| {
        each(x, |i| Value::Int(digits(&x[..=i]).iter().sum()))
    }),
    ("arithmetic", "parity(tokens, '1')", "01", 8, |x| {
        everywhere(x, int(tally(x, '1') % 2))
    }),
    ("arithmetic", "running_parity(tokens, '1')", "01", 8, |x| {
        each(x, |i| int(tally(&x[..=i], '1') % 2))
    }),
    (
        "arithmetic",
        "running_parity_by_doubling(tokens, '1', 3)",
        "01",
        8,
        |x| each(x, |i| int(tally(&x[..=i], '1') % 2)),
    ),
    ("arithmetic", "digit_value(tokens)", "0123456789+", 2, |x| {
        each(x, |i| Value::Int(x[i].to_digit(10).map_or(-1, i64::from)))
    }),
    ("arithmetic", "add(tokens)", "059+", 6, addition),
    ("arithmetic", "add_rippling(tokens, 4)", "059+", 6, addition),
    ("tracr", "sort_freq(tokens)", "abc", 6, |x| {
        sorted(x, |i| Reverse(tally(x, x[i])))
    }),
    ("tracr", "shift_by(2, tokens, '-')", "abc", 5, |x| {
        each(x, |i| letter(if i < 2 { '-' } else { x[i - 2] }))
    }),
    (
        "tracr",
        "detect_pattern(tokens, ['a', 'b', 'a'])",
        "ab",
        8,
        |x| each(x, |i| Value::Bool(x[..=i].ends_with(&['a', 'b', 'a']))),
    ),
    ("tracr", "count_less_freq(tokens, 2)", "abc", 6, |x| {
        everywhere(x, int(x.iter().filter(|t| tally(x, **t) <= 2).count()))
    }),
];

pub fn int(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap())
}

pub fn letter(letter: char) -> Value {
    Value::str(&letter.to_string())
}

/// A position, or -1.
pub fn place(position: Option<usize>) -> Value {
    position.map_or(Value::Int(-1), int)
}

pub fn everywhere(x: &[char], value: Value) -> Vec<Value> {
    vec![value; x.len()]
}

pub fn each(x: &[char], value: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..x.len()).map(value).collect()
}

pub fn tally(x: &[char], wanted: char) -> usize {
    x.iter().filter(|token| **token == wanted).count()
}

/// The tokens once each, in the order of their first occurrences.
fn distinct(x: &[char]) -> Vec<char> {
    let mut found = Vec::new();
    for token in x {
        if !found.contains(token) {
            found.push(*token);
        }
    }
    found
}

/// The positions in the order of a key.
fn order<K: Ord>(x: &[char], key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..x.len()).collect();
    positions.sort_by_key(|at| key(*at));
    positions
}

fn ordered<K: Ord>(x: &[char], key: impl Fn(usize) -> K) -> Vec<Value> {
    order(x, key).into_iter().map(int).collect()
}

fn sorted<K: Ord>(x: &[char], key: impl Fn(usize) -> K) -> Vec<Value> {
    order(x, key).into_iter().map(|at| letter(x[at])).collect()
}

/// The digits of a sum; nothing is said about what is not written with one `+` between two numbers.
fn addition(x: &[char]) -> Vec<Value> {
    let text: String = x.iter().collect();
    let numbers: Vec<&str> = text.split('+').collect();
    let numbers: Vec<u64> = numbers.iter().filter_map(|n| n.parse().ok()).collect();
    match numbers.as_slice() {
        [a, b] if tally(x, '+') == 1 => {
            let sum = format!("{:0width$}", a + b, width = x.len());
            sum.chars()
                .map(|d| Value::Int(d.to_digit(10).unwrap().into()))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn digits(x: &[char]) -> Vec<i64> {
    x.iter()
        .map(|digit| digit.to_digit(10).unwrap().into())
        .collect()
}

fn prefixes(x: &[char], verdict: impl Fn(&[char]) -> char) -> Vec<Value> {
    each(x, |i| letter(verdict(&x[..=i])))
}

/// Balanced, unfinished or broken, with a stack.
fn nested(x: &[char], pairs: &[&str]) -> char {
    let mut open = Vec::new();
    for token in x {
        for pair in pairs {
            if pair.starts_with(*token) {
                open.push(pair);
            } else if pair.ends_with(*token) && open.pop() != Some(pair) {
                return 'F';
            }
        }
    }
    if open.is_empty() { 'T' } else { 'P' }
}

/// The same with at most so many brackets open at a time.
fn nested_to(most: usize, x: &[char], pairs: &[&str]) -> char {
    let is_in = |side: usize| move |token: char| pairs.iter().any(|p| p.find(token) == Some(side));
    let count = |x: &[char], side: usize| x.iter().filter(|t| is_in(side)(**t)).count();
    let too_deep = |end: usize| count(&x[..end], 0) > most + count(&x[..end], 1);
    match (1..=x.len()).any(too_deep) {
        true => 'F',
        false => nested(x, pairs),
    }
}

/// What may follow each prefix: what does not break it. Nothing is asked of inputs that are broken.
fn next(x: &[char], most: usize) -> Vec<Value> {
    const PAIRS: &[&str] = &["()", "{}"];
    if nested_to(most, x, PAIRS) == 'F' {
        return Vec::new();
    }
    each(x, |i| {
        let with = |token: char| [&x[..=i], &[token]].concat();
        let fits = |token: &char| nested_to(most, &with(*token), PAIRS) != 'F';
        let mut text: String = "(){}".chars().filter(fits).collect();
        if nested_to(most, &x[..=i], PAIRS) == 'T' {
            text.push('$');
        }
        Value::str(&text)
    })
}

/// The same where each kind of brackets goes by itself.
fn shuffled(x: &[char], pairs: &[&str]) -> char {
    let verdicts: Vec<char> = pairs.iter().map(|pair| nested(x, &[pair])).collect();
    if verdicts.contains(&'F') {
        'F'
    } else if verdicts.contains(&'P') {
        'P'
    } else {
        'T'
    }
}
