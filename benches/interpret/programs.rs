//! The programs that are timed.

use super::inputs::Input;
use super::kinds::KINDS;

/// How the cost of a program may grow.
pub enum Bound {
    /// Little more than linearly.
    Growth,
    /// As said.
    Stated(&'static str),
}

pub struct Program {
    pub name: &'static str,
    /// Defines `answer`.
    pub text: String,
    pub input: Input,
    pub bound: Bound,
}

const PROGRAMS: [(&str, &str, Input); 14] = [
    (
        "hist",
        r#"load "hist"; answer = hist(tokens_str);"#,
        Input::Letters,
    ),
    (
        "double hist",
        r#"load "hist"; answer = double_hist(tokens_str);"#,
        Input::Letters,
    ),
    (
        "reverse",
        r#"load "sorting"; answer = reverse(tokens_str);"#,
        Input::Letters,
    ),
    (
        "sort",
        "answer = sort(tokens_int, tokens_int);",
        Input::Wide,
    ),
    (
        "sort by frequency",
        r#"load "sorting"; answer = sort_by_frequency(tokens_int);"#,
        Input::Few,
    ),
    (
        "most frequent",
        r#"load "sorting"; answer = most_frequent(tokens_str, "-");"#,
        Input::Letters,
    ),
    (
        "Dyck-1 PTF",
        r#"load "dyck"; answer = dyck1_ptf(tokens_str, "(", ")");"#,
        Input::Parentheses,
    ),
    (
        "Dyck-3 PTF",
        r#"load "dyck"; answer = dyckk_ptf(tokens_str, ["()", "[]", "{}"]);"#,
        Input::Brackets,
    ),
    (
        "two orders",
        "answer = selector_width(select(tokens_int, tokens_int, <)
                                 and select(indices, indices, <));",
        Input::Wide,
    ),
    (
        "two orders in groups",
        "group = tokens_int % 100;
         answer = selector_width(select(group, group, ==)
                                 and select(tokens_int, tokens_int, <)
                                 and select(indices, indices, <));",
        Input::Wide,
    ),
    (
        "mean before",
        "answer = aggregate(select(indices, indices, <=), tokens_int / 7);",
        Input::Wide,
    ),
    (
        "last equal before",
        "before = select(tokens_int, tokens_int, ==) and select(indices, indices, <);
         last = select_best(before, score(indices, indices, lambda k, q: k));
         answer = aggregate(last, indices, -1);",
        Input::Wide,
    ),
    (
        "elementwise, 30 steps",
        "answer = tokens_int; for step in range(10) { answer = (answer * 3 + step) % 1009; }",
        Input::Wide,
    ),
    (
        "long addition",
        r#"load "arithmetic"; answer = add(tokens);"#,
        Input::Sum,
    ),
];

pub fn all() -> Vec<Program> {
    let mut programs: Vec<Program> = PROGRAMS.into_iter().map(bounded).collect();
    programs.push(Program {
        name: "logical inference",
        text: include_str!("../../examples/papers/preprint_inference.rasp").to_string(),
        input: Input::Rules,
        bound: Bound::Stated("O(n) for each of 4 rounds"),
    });
    programs.push(Program {
        name: "general, 64 values",
        text: general(),
        input: Input::Few,
        bound: Bound::Stated("O(n + 64²)"),
    });
    programs
}

/// The kinds of programs that users write, [`KINDS`].
pub fn kinds() -> Vec<Program> {
    let program = |(name, text, input, bound): (&'static str, &'static str, _, _)| Program {
        name,
        text: text.to_string(),
        input,
        bound,
    };
    KINDS.into_iter().map(program).collect()
}

/// Programs whose last value is a next token.
pub fn generators() -> Vec<Program> {
    let programs = [
        (
            "induction, causal",
            r#"before = select(indices, indices, <);
               previous = aggregate(select(indices, indices - 1, ==), tokens_int, -1);
               same = select(previous, tokens_int, ==) and before;
               answer = round(aggregate(same, tokens_int, 0)) % 64;"#,
            Input::Few,
        ),
        (
            "counts, causal",
            "up_to = select(indices, indices, <=);
             seen = selector_width(select(tokens_int, tokens_int, ==) and up_to);
             lower = selector_width(select(tokens_int, tokens_int, <) and up_to);
             answer = (7 * seen + 3 * lower + indices) % 64;",
            Input::Few,
        ),
        (
            "counts of all",
            "seen = selector_width(select(tokens_int, tokens_int, ==));
             lower = selector_width(select(tokens_int, tokens_int, <));
             answer = (7 * seen + 3 * lower + indices) % 64;",
            Input::Few,
        ),
    ];
    programs.into_iter().map(bounded).collect()
}

fn bounded((name, text, input): (&'static str, &str, Input)) -> Program {
    Program {
        name,
        text: text.to_string(),
        input,
        bound: Bound::Growth,
    }
}

/// A selector that says for each of 64 keys which query it goes with.
fn general() -> String {
    let any: Vec<String> = (0..64)
        .map(|value| {
            format!(
                "(select(tokens_int, {value}, ==) and select({}, tokens_int, ==))",
                (value * 37 + 11) % 64
            )
        })
        .collect();
    format!("answer = selector_width({});", any.join(" or "))
}
