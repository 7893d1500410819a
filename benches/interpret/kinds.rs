//! One program of each kind that users write and nobody has tuned for: windows, residues, nearest
//! keys, several orders, predicates and scores of keys and queries together.

use super::inputs::Input;
use super::programs::Bound;

/// Name, what defines `answer`, the input, and how the cost may grow.
type Kind = (&'static str, &'static str, Input, Bound);

/// Where each pair of key and query is looked at.
const PAIRS: Bound = Bound::Stated("each pair is looked at");

#[rustfmt::skip]
pub const KINDS: [Kind; 36] = [
    ("window mean", "answer = aggregate(select(indices, indices - 5, >=)
        and select(indices, indices + 5, <=), tokens_int);", Input::Wide, Bound::Growth),
    ("window mean, fractions", "answer = aggregate(select(indices, indices - 5, >=)
        and select(indices, indices + 5, <=), tokens_int / 7);", Input::Wide, Bound::Growth),
    ("value window, earlier", "answer = selector_width(select(tokens_int, tokens_int - 1000, >=)
        and select(tokens_int, tokens_int + 1000, <=) and select(indices, indices, <=));",
        Input::Wide, Bound::Growth),
    ("value and index windows", "answer = selector_width(
        select(tokens_int, tokens_int - 90000, >=) and select(tokens_int, tokens_int + 90000, <=)
        and select(indices, indices - 100, >=) and select(indices, indices + 100, <=));",
        Input::Wide, Bound::Growth),
    ("modular positions", "answer = selector_width(
        select(indices, indices, lambda k, q: (k + q) % 3 == 0));", Input::Wide, Bound::Growth),
    ("residues of distances", "answer = aggregate(
        select(indices, indices, lambda k, q: (q - k) % 5 < 2 and k <= q), tokens_int);",
        Input::Wide, Bound::Growth),
    ("median", "lower = selector_width(select(tokens_int, tokens_int, <));
        answer = aggregate(select(lower, round((length - 1) / 2), ==), tokens_int, -1);",
        Input::Wide, Bound::Growth),
    ("running rank", "answer = selector_width(select(tokens_int, tokens_int, <)
        and select(indices, indices, <)) / (indices + 1);", Input::Wide, Bound::Growth),
    ("mode", "seen = selector_width(select(tokens_int, tokens_int, ==));
        answer = aggregate(select_best(full_s, score(seen, seen, lambda k, q: k)), tokens_int);",
        Input::Few, Bound::Growth),
    ("previous equal", "answer = aggregate(select_best(select(tokens_int, tokens_int, ==)
        and select(indices, indices, <), score(indices, indices, lambda k, q: k)), indices, -1);",
        Input::Few, Bound::Growth),
    ("next equal", "answer = aggregate(select_best(select(tokens_int, tokens_int, ==)
        and select(indices, indices, >), score(indices, indices, lambda k, q: -k)), indices, -1);",
        Input::Few, Bound::Growth),
    ("previous greater", "answer = aggregate(select_best(select(tokens_int, tokens_int, >)
        and select(indices, indices, <), score(indices, indices, lambda k, q: k)), indices, -1);",
        Input::Wide, Bound::Growth),
    ("next greater", "answer = aggregate(select_best(select(tokens_int, tokens_int, >)
        and select(indices, indices, >), score(indices, indices, lambda k, q: -k)), indices, -1);",
        Input::Wide, Bound::Growth),
    ("nearest value", "others = select(indices, indices, !=);
        near = score(tokens_int, tokens_int, lambda k, q: k - q if k < q else q - k);
        answer = aggregate(select_best(others, near), tokens_int);", Input::Wide, Bound::Growth),
    ("nearest value, earlier", "near = score(tokens_int, tokens_int, lambda k, q: -(k - q if k > q else q - k));
        answer = aggregate(select_best(select(indices, indices, <), near), tokens_int, -1);",
        Input::Wide, Bound::Growth),
    ("nearest equal", "same = select(tokens_int, tokens_int, ==) and select(indices, indices, !=);
        near = score(indices, indices, lambda k, q: -(k - q) ^ 2);
        answer = aggregate(select_best(same, near), indices, -1);", Input::Few, Bound::Growth),
    ("bracket distance", r#"step = 1 if tokens_str == "(" else -1;
        upto = select(indices, indices, <=);
        depth = round(aggregate(upto, step) * (indices + 1)) + (1 if tokens_str == ")" else 0);
        open = select(tokens_str, "(", ==) and select(depth, depth, ==)
            and select(indices, indices, <);
        mate = select_best(open, score(indices, indices, lambda k, q: k));
        answer = indices - aggregate(mate, indices, -1);"#, Input::Parentheses, Bound::Growth),
    ("longest run", "before = aggregate(select(indices, indices - 1, ==), tokens_int, -1);
        starts = select(before == tokens_int, False, ==) and select(indices, indices, <=);
        start = aggregate(select_best(starts, score(indices, indices, lambda k, q: k)), indices, 0);
        run = indices - start + 1;
        answer = aggregate(select_best(full_s, score(run, run, lambda k, q: k)), run);",
        Input::Few, Bound::Growth),
    ("prefix maximum", "answer = aggregate(select_best(select(indices, indices, <=),
        score(tokens_int, tokens_int, lambda k, q: k)), tokens_int);", Input::Wide, Bound::Growth),
    ("window maximum", "answer = aggregate(select_best(select(indices, indices - 50, >=)
        and select(indices, indices, <=), score(tokens_int, tokens_int, lambda k, q: k)), tokens_int);",
        Input::Wide, Bound::Growth),
    ("group sums", "same = select(tokens_int, tokens_int, ==);
        answer = round(aggregate(same, indices) * selector_width(same));", Input::Few, Bound::Growth),
    ("negated window", "answer = aggregate(not (select(indices, indices - 5, >=)
        and select(indices, indices + 5, <=)), tokens_int);", Input::Wide, Bound::Growth),
    ("disjunction", "answer = selector_width((select(tokens_int, tokens_int - 1000, >=)
        and select(tokens_int, tokens_int, <)) or (select(indices, indices - 10, >=)
        and select(indices, indices, <)) or select(indices, indices + 20, ==));",
        Input::Wide, Bound::Growth),
    ("mean of means", "means = aggregate(select(indices, indices, <=), tokens_int);
        answer = aggregate(select(tokens_int, tokens_int, <) and select(indices, indices, <=), means);",
        Input::Wide, Bound::Growth),
    ("string comparisons", "answer = selector_width(select(tokens_str, tokens_str, <)
        and select(indices, indices, <));", Input::Letters, Bound::Growth),
    ("two orders, fractions", "answer = aggregate(select(tokens_int, tokens_int, <)
        and select(indices, indices, <), tokens_int / 7);", Input::Wide, Bound::Growth),
    ("three orders", "other = tokens_int * 7919 % 1000003;
        answer = selector_width(select(tokens_int, tokens_int, <) and select(indices, indices, <)
        and select(other, other, <));", Input::Wide, Bound::Growth),
    ("four orders", "other = tokens_int * 7919 % 1000003; another = tokens_int * 104729 % 1000033;
        answer = selector_width(select(tokens_int, tokens_int, <) and select(indices, indices, <)
        and select(other, other, <) and select(another, another, <));", Input::Wide, PAIRS),
    ("lambda of sums", "answer = selector_width(
        select(indices, indices, lambda k, q: k + 2 * q < 5000));", Input::Wide, Bound::Growth),
    ("lambda of differences", "answer = selector_width(
        select(tokens_int, tokens_int, lambda k, q: k - q > 1000));", Input::Wide, Bound::Growth),
    ("distance at most", "answer = aggregate(select(indices, indices,
        lambda k, q: (k - q) * (k - q) <= 100), tokens_int / 7);", Input::Wide, Bound::Growth),
    ("decaying score", "recent = score(indices, indices, lambda k, q: 2 ^ (k - q) if k <= q else 0);
        answer = aggregate(recent, tokens_int);", Input::Wide, Bound::Growth),
    ("decaying score, exp", "recent = score(indices, indices,
        lambda k, q: exp((k - q) / 4) if k <= q else 0);
        answer = aggregate(recent, tokens_int);", Input::Wide, Bound::Growth),
    ("weights of earlier keys", "weights = score((indices, tokens_int), indices,
        lambda k, t, q: exp(t / 10) if k <= q else 0);
        answer = aggregate(weights, tokens_int);", Input::Few, Bound::Growth),
    ("opaque predicate", "answer = selector_width(
        select(indices, indices, lambda k, q: (k * q + k) % 7919 < 100));", Input::Wide, PAIRS),
    ("opaque score", "answer = aggregate(score(indices, indices,
        lambda k, q: k * q % 1013), tokens_int);", Input::Wide, PAIRS),
];
