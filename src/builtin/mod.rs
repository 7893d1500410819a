//! Every name the language itself gives, one row each: what it takes, what it means, an example.
//! Help, completion and the reserved names are read off this table; the meanings of the functions
//! are in `eval`. Depends on nothing else in the crate.

/// What kind of thing a built-in name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A base s-op.
    SOp,
    /// An atom.
    Atom,
    Function(Builtin),
}

/// A built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    Select,
    Aggregate,
    Range,
    Zip,
    Len,
    Round,
    Indicator,
    Zipmap,
    Int,
    Float,
    Str,
    Exp,
    Score,
    SelectBest,
    Categorical,
    Numerical,
}

/// A built-in name.
#[derive(Clone, Copy, Debug)]
pub struct BuiltinName {
    pub name: &'static str,
    pub kind: Kind,
    /// Parameter names; a `?` at the end marks one that may be left out, `…` any number more.
    pub parameters: &'static [&'static str],
    pub documentation: &'static str,
    pub example: &'static str,
}

const fn sop(
    name: &'static str,
    documentation: &'static str,
    example: &'static str,
) -> BuiltinName {
    BuiltinName {
        name,
        kind: Kind::SOp,
        parameters: &[],
        documentation,
        example,
    }
}

/// All built-in names.
pub const TABLE: &[BuiltinName] = &[
    sop(
        "indices",
        "The position of each token, from 0.",
        "indices(\"abc\")",
    ),
    sop(
        "tokens_asis",
        "The input tokens, unchanged.",
        "tokens_asis([1, 2.5])",
    ),
    sop(
        "tokens_str",
        "The input tokens as strings; `tokens` is this to begin with.",
        "tokens(\"abc\")",
    ),
    sop(
        "tokens_int",
        "The input tokens as ints.",
        "tokens_int(\"123\")",
    ),
    sop(
        "tokens_float",
        "The input tokens as floats.",
        "tokens_float([\"0.5\", \"1e3\"])",
    ),
    sop(
        "tokens_bool",
        "The truth values of the input tokens.",
        "tokens_bool([0, 1])",
    ),
    BuiltinName {
        name: "True",
        kind: Kind::Atom,
        parameters: &[],
        documentation: "The true atom; as a number it is 1.",
        example: "True + True",
    },
    BuiltinName {
        name: "False",
        kind: Kind::Atom,
        parameters: &[],
        documentation: "The false atom; as a number it is 0.",
        example: "not False",
    },
    BuiltinName {
        name: "select",
        kind: Kind::Function(Builtin::Select),
        parameters: &["keys", "queries", "comparison"],
        documentation: "The selector in which each query position selects the key positions where \
                        `key comparison query` holds: attention scores. A function of key and \
                        query may stand for the comparison, `lambda key, query: key < query`, and \
                        tuples of s-ops for keys and queries: `(tokens, indices)`.",
        example: "select(indices, indices, <)(\"abc\")",
    },
    BuiltinName {
        name: "aggregate",
        kind: Kind::Function(Builtin::Aggregate),
        parameters: &["selector", "values", "default?", "…"],
        documentation: "At each position the selected value, the mean of several selected values, \
                        or the default (0) if none is selected: attention output. A function before \
                        the default is applied to the values first.",
        example: "aggregate(select(indices, 0, ==), tokens)",
    },
    BuiltinName {
        name: "range",
        kind: Kind::Function(Builtin::Range),
        parameters: &["start_or_stop", "stop?", "step?"],
        documentation: "The list of ints from start (0) up to but not including stop.",
        example: "range(3)",
    },
    BuiltinName {
        name: "zip",
        kind: Kind::Function(Builtin::Zip),
        parameters: &["list", "…"],
        documentation: "The list of lists of the first elements, the second elements, and so on.",
        example: "zip([1, 2], [3, 4])",
    },
    BuiltinName {
        name: "len",
        kind: Kind::Function(Builtin::Len),
        parameters: &["list"],
        documentation: "How many elements a list has. For the length of the input, use `length`.",
        example: "len([1, 2])",
    },
    BuiltinName {
        name: "round",
        kind: Kind::Function(Builtin::Round),
        parameters: &["number"],
        documentation: "The nearest int, halves to the even one.",
        example: "round(2.5)",
    },
    BuiltinName {
        name: "indicator",
        kind: Kind::Function(Builtin::Indicator),
        parameters: &["condition"],
        documentation: "1 where the s-op is true, 0 elsewhere.",
        example: "indicator(tokens == \"l\")",
    },
    BuiltinName {
        name: "zipmap",
        kind: Kind::Function(Builtin::Zipmap),
        parameters: &["sops", "function?"],
        documentation: "A function applied to one s-op or to several, position by position; a function \
                        that returns several values gives several s-ops. Without a function: the list \
                        of the s-ops.",
        example: "zipmap((tokens, indices), lambda t, i: t == \"l\" and i > 2)",
    },
    BuiltinName {
        name: "int",
        kind: Kind::Function(Builtin::Int),
        parameters: &["value"],
        documentation: "The value as an int, as `tokens_int` reads tokens; fractions are cut off.",
        example: "int(indices / 2)",
    },
    BuiltinName {
        name: "float",
        kind: Kind::Function(Builtin::Float),
        parameters: &["value"],
        documentation: "The value as a float, as `tokens_float` reads tokens.",
        example: "float(indices)",
    },
    BuiltinName {
        name: "str",
        kind: Kind::Function(Builtin::Str),
        parameters: &["value"],
        documentation: "The value as a string, as `tokens_str` reads tokens.",
        example: "str(indices) + tokens",
    },
    BuiltinName {
        name: "exp",
        kind: Kind::Function(Builtin::Exp),
        parameters: &["number"],
        documentation: "e = 2.718… to the power of the number.",
        example: "exp(indices)",
    },
    BuiltinName {
        name: "score",
        kind: Kind::Function(Builtin::Score),
        parameters: &["keys", "queries", "function"],
        documentation: "A number for each key and query: attention scores before they are hardened. \
                        `aggregate` takes the mean weighted by them, `select_best` the highest.",
        example: "aggregate(score(indices, indices, lambda k, q: 1 if k <= q else 0), indices)",
    },
    BuiltinName {
        name: "select_best",
        kind: Kind::Function(Builtin::SelectBest),
        parameters: &["selector", "scorer"],
        documentation: "Of the keys that the selector selects, the one with the highest score; of \
                        equal scores the last.",
        example: "aggregate(select_best(full_s, score(tokens, indices, lambda k, q: k == \"l\")), indices)",
    },
    BuiltinName {
        name: "categorical",
        kind: Kind::Function(Builtin::Categorical),
        parameters: &["sop"],
        documentation: "The same s-op, which a compiled model is asked to hold as one direction for \
                        each value.",
        example: "categorical(indices)",
    },
    BuiltinName {
        name: "numerical",
        kind: Kind::Function(Builtin::Numerical),
        parameters: &["sop"],
        documentation: "The same s-op, which a compiled model is asked to hold as a number in one \
                        direction.",
        example: "numerical(indices)",
    },
];

/// Names that nothing may redefine, besides those of the library: the base s-ops, constants and
/// functions, and words the reference keeps.
pub const RESERVED: &[&str] = &[
    "if",
    "else",
    "not",
    "and",
    "or",
    "out",
    "def",
    "return",
    "range",
    "for",
    "in",
    "zip",
    "len",
    "get",
    "round",
    "indicator",
    "lambda",
    "tokens_asis",
    "tokens_str",
    "tokens_int",
    "tokens_bool",
    "tokens_float",
    "indices",
    "True",
    "False",
];

/// Names of the library that nothing may redefine outside it, as in the reference.
pub const RESERVED_LIBRARY: &[&str] = &[
    "full_s",
    "length",
    "selector_width",
    "has_focus",
    "count",
    "contains",
    "max",
    "min",
    "average",
    "load_from_location",
    "shift",
    "mark_last_instance",
    "mark_first_instance",
    "select_from_last",
    "select_from_first",
    "sort",
    "select_next_identical",
];

/// The row of a name.
pub fn find(name: &str) -> Option<&'static BuiltinName> {
    TABLE.iter().find(|row| row.name == name)
}

/// `select` and `aggregate` are the built-in functions when called, even where a variable has the
/// same name.
pub fn called(name: &str) -> Option<Builtin> {
    match find(name)?.kind {
        Kind::Function(builtin @ (Builtin::Select | Builtin::Aggregate)) => Some(builtin),
        Kind::Function(_) | Kind::SOp | Kind::Atom => None,
    }
}

impl Builtin {
    pub fn row(self) -> &'static BuiltinName {
        TABLE
            .iter()
            .find(|row| row.kind == Kind::Function(self))
            .expect("every built-in function has a row")
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The names of its parameters, without the marks of those that may be left out.
    pub fn parameters(self) -> impl Iterator<Item = &'static str> {
        let names = self.row().parameters.iter();
        names.map(|name| name.trim_end_matches('?'))
    }
}

impl BuiltinName {
    /// How many arguments it takes at least, and at most, if there is a limit.
    pub fn takes(&self) -> (usize, Option<usize>) {
        let needed = |name: &&&str| !name.ends_with('?') && **name != "…";
        let least = self.parameters.iter().filter(needed).count();
        let is_open = self.parameters.last() == Some(&"…");
        (least, (!is_open).then_some(self.parameters.len()))
    }
}
