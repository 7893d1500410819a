//! Every function of the library in use, with inputs that tell what it does: an ordinary one first,
//! from whose tokens a model's vocabulary is made, then the odd ones (one token, nothing found, the
//! same token repeated).

/// A library function in use, with inputs that tell what it does.
pub struct Use {
    pub expression: &'static str,
    pub inputs: &'static [&'static str],
}

const fn on(expression: &'static str, inputs: &'static [&'static str]) -> Use {
    Use { expression, inputs }
}

/// A selector is shown through an s-op that aggregates with it.
const LIBRARY: &[Use] = &[
    on("aggregate(full_s, indices)", &["'abc'"]),
    on("length", &["'hello'", "'a'"]),
    on(
        "selector_width(select(tokens, tokens, ==))",
        &["'hello'", "'aaa'", "'a'"],
    ),
    on("has_focus(select(indices, indices, <))", &["'abc'", "'a'"]),
    on("count(tokens, 'l')", &["'hello'", "'abc'", "'l'"]),
    on("contains(tokens, 'l')", &["'hello'", "'abc'", "'l'"]),
    on("max(indices, 2)", &["'abcde'", "'a'"]),
    on("min(indices, 2)", &["'abcde'", "'a'"]),
    on("average(indices)", &["'abcd'", "'a'"]),
    on("load_from_location(tokens, 1)", &["'hello'", "'ab'"]),
    on("shift(tokens, 1, '-')", &["'hello'", "'a'"]),
    on("shift(tokens, -2, '-')", &["'hello'", "'ab'"]),
    on(
        "mark_last_instance(tokens, 'l')",
        &["'hello'", "'abc'", "'lll'"],
    ),
    on(
        "mark_first_instance(tokens, 'l')",
        &["'hello'", "'abc'", "'lll'"],
    ),
    on(
        "aggregate(select_from_last(tokens, 'l'), indices)",
        &["'hello'"],
    ),
    on(
        "aggregate(select_from_first(tokens, 'l'), indices)",
        &["'hello'"],
    ),
    on("sort(tokens, tokens)", &["'hello'", "'aaa'", "'a'"]),
    on("sort(tokens, -indices)", &["'hello'", "'a'"]),
    on(
        "aggregate(select_next_identical(tokens), indices, -1)",
        &["'abacab'", "'abc'", "'aaa'"],
    ),
];

const FRACTIONS: &[Use] = &[
    on("frac_prevs(tokens, 'l')", &["'hello'", "'abc'", "'l'"]),
    on("frac_prevs(tokens == 'l')", &["'hello'"]),
    on("num_prevs(tokens, 'l')", &["'hello'", "'lll'", "'a'"]),
    on("has_prev(tokens)", &["'hello'", "'abab'", "'aaa'", "'a'"]),
    on("frac_all(tokens, 'l')", &["'hello'", "'abc'", "'l'"]),
];

const HIST: &[Use] = &[
    on("hist(tokens)", &["'hello'", "'aab'", "'aaa'", "'a'"]),
    on("double_hist(tokens)", &["'aabbc'", "'abc'", "'aaa'", "'a'"]),
    on("num_distinct(tokens)", &["'hello'", "'aaa'", "'a'"]),
];

const SORTING: &[Use] = &[
    on("reverse(tokens)", &["'hello'", "'aab'", "'a'"]),
    on("rank(tokens)", &["'hello'", "'aaa'", "'a'"]),
    on(
        "sort_descending(tokens, tokens)",
        &["'hello'", "'aaa'", "'a'"],
    ),
    on("bubble_sort(tokens, 2)", &["'dcba'", "'aaa'", "'a'"]),
    on("sort_unique(tokens, tokens)", &["'world'", "'a'"]),
    on("sort_by_frequency(tokens)", &["'hello'", "'abcbbc'", "'a'"]),
    on(
        "most_frequent(tokens)",
        &["'hello'", "'abbccddd'", "'aaa'", "'a'"],
    ),
    on("most_frequent(tokens_int, -1)", &["[1, 2, 2, 0]"]),
    on("smallest(tokens)", &["'hello'", "'a'"]),
    on("largest(tokens)", &["'hello'", "'a'"]),
];

const DYCK: &[Use] = &[
    on(
        "pair_balance(tokens, '(', ')')",
        &["'(())'", "'(a))'", "')'"],
    ),
    on("depth(tokens, ['()', '{}'])", &["'({})'", "'}('", "'a'"]),
    on(
        "dyck1_ptf(tokens, '(', ')')",
        &["'(())'", "'())('", "'a'", "')('"],
    ),
    on(
        "balanced(tokens, '(', ')')",
        &["'(())'", "'(()'", "'a'", "')('"],
    ),
    on(
        "dyckk_ptf(tokens, ['()', '{}'])",
        &["'({})()'", "'({)}'", "'(a{b})'"],
    ),
    on("dyckk_ptf(tokens, ['()', '{}', '[]'])", &["'([{}])'"]),
    on(
        "dyckk_ptf_best(tokens, ['()', '{}'])",
        &["'({})()'", "'({)}'", "'(a{b})'"],
    ),
    on(
        "bounded_dyck_ptf(tokens, ['()', '{}'], 2)",
        &["'({})()'", "'({)}'", "'(({}))'", "'(a{b})'"],
    ),
    on(
        "bounded_dyck(tokens, ['()', '{}'], 2)",
        &["'({})()'", "'({)}'", "'(({}))'", "')('"],
    ),
    on(
        "bounded_dyck_next(tokens, ['()', '{}'], 2)",
        &["'({})()'", "'{{'", "'(a{b})'"],
    ),
    on(
        "bounded_dyck_rounds(tokens, ['()', '{}'], 2)",
        &["'({})()'", "'({)}'", "'(({}))'", "')('"],
    ),
    on(
        "shuffle_dyck(tokens, ['()', '{}'])",
        &["'({)}'", "'(){)}'", "'a'", "')('"],
    ),
    on(
        "shuffle_dyck_ptf(tokens, ['()', '{}'])",
        &["'({)}'", "'(){)}'", "'a'"],
    ),
];

const INDUCTION: &[Use] = &[
    on("occurrence(tokens)", &["'a1b2b2a'", "'aaa'", "'a'"]),
    on("last_occurrence(tokens)", &["'a1b2b2a'", "'aaa'", "'a'"]),
    on(
        "induction_head(tokens)",
        &["'a1b2b2a'", "'aaa'", "'abc'", "'a'"],
    ),
];

const ARITHMETIC: &[Use] = &[
    on("total(tokens_int)", &["'123'", "'0'"]),
    on("running_total(tokens_int)", &["'123'", "'0'"]),
    on("parity(tokens, '1')", &["'1101'", "'11'", "'0'"]),
    on("running_parity(tokens, '1')", &["'1101'", "'0'"]),
    on(
        "running_parity_by_doubling(tokens, '1', 3)",
        &["'1101'", "'0'", "'11111111'"],
    ),
    on("digit_value(tokens)", &["'40+2'"]),
    on("add_rippling(tokens, 3)", &["'12+34'", "'999+1'", "'0+0'"]),
    on(
        "add(tokens)",
        &["'123+456'", "'999+1'", "'7+95'", "'5+5'", "'0+0'"],
    ),
];

const LOGIC: &[Use] = &[
    on("provable(tokens, 1)", &["'a;a>b;?b'", "'a;ab>c;?c'", "'a'"]),
    on("proves(tokens, 2)", &["'a;a>b;b>c;?c'", "'a>b;?b'", "'a'"]),
    on(
        "inference(tokens, ['a'], ['A', 'B'], 1)",
        &[
            "'a<A,x<A:x<B,a<B?'",
            "'a#B,x<A:x<B,a<A?'",
            "'a<B,x<A:x<B,a<A?'",
            "'a'",
        ],
    ),
];

const PREPRINT: &[Use] = &[
    on(
        "selector_width(select_where([indices], [indices], lambda q, k: k > q))",
        &["'abc'", "'a'"],
    ),
    on(
        "aggregate(select1(indices, lambda i: i + 1), tokens, '-')",
        &["'abc'", "'a'"],
    ),
    on("aggregate(flip_s, tokens)", &["'abc'", "'a'"]),
    on("aggregate(shift_select(1), tokens, '-')", &["'abc'", "'a'"]),
    on("aggregate(index_select(-1), tokens)", &["'abc'", "'a'"]),
    on(
        "aggregate(item_select(tokens, 'b'), indices, -1)",
        &["'abc'", "'a'"],
    ),
    on(
        "count_conditioned([tokens], [tokens], lambda q, k: q == k)",
        &["'hello'", "'aaa'", "'a'"],
    ),
    on(
        "conditioned_contains([indices], [indices], lambda q, k: k > q)",
        &["'abc'", "'a'"],
    ),
    on(
        "frac_condition(tokens, lambda t: t == 'l')",
        &["'hello'", "'abc'", "'l'"],
    ),
    on("frac(tokens, 'l')", &["'hello'", "'abc'", "'l'"]),
    on(
        "count_quality((tokens, indices), lambda t, i: t == 'l' and i < 3)",
        &["'hello'", "'abc'"],
    ),
    on(
        "contains_quality(tokens, lambda t: t in ['l', 'x'])",
        &["'hello'", "'abc'"],
    ),
    on("load_from_target_index(-2, tokens, '-')", &["'abc'", "'a'"]),
    on(
        "load_from_target_indices(2 * indices, tokens, '-')",
        &["'abc'", "'a'"],
    ),
    on("get_shifted(tokens, 1, '-')", &["'abc'", "'a'"]),
    on(
        "mark_last_condition(tokens, lambda t: t != 'o')",
        &["'hello'", "'o'", "'aaa'"],
    ),
    on(
        "mark_first_condition(tokens, lambda t: t != 'h')",
        &["'hello'", "'h'", "'aaa'"],
    ),
    on(
        "aggregate(select_from_last_condition(tokens, lambda t: t != 'o'), indices, -1)",
        &["'hello'", "'o'"],
    ),
    on(
        "aggregate(select_from_first_condition(tokens, lambda t: t != 'h'), indices, -1)",
        &["'hello'", "'h'"],
    ),
    on(
        "aggregate(select_next_equal(tokens), indices, -1)",
        &["'abacab'", "'aaa'", "'a'"],
    ),
];

const TRACR: &[Use] = &[
    on("sort_freq(tokens)", &["'abcbbc'", "'aaa'", "'a'"]),
    on("shift_by(1, tokens, '-')", &["'abcd'", "'a'"]),
    on(
        "detect_pattern(tokens, ['a', 'b', 'c'])",
        &["'abcabc'", "'ab'"],
    ),
    on(
        "count_less_freq(tokens, 2)",
        &["'aaabbc'", "'aacbbc'", "'aaa'", "'a'"],
    ),
];

pub fn uses(module: &str) -> &'static [Use] {
    match module {
        "rasplib" => LIBRARY,
        "fractions" => FRACTIONS,
        "hist" => HIST,
        "sorting" => SORTING,
        "dyck" => DYCK,
        "induction" => INDUCTION,
        "arithmetic" => ARITHMETIC,
        "logic" => LOGIC,
        "preprint" => PREPRINT,
        "tracr" => TRACR,
        _ => panic!("`{module}` needs its uses here"),
    }
}
