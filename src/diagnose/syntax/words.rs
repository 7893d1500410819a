//! The words of other languages, in two tables: what is said of each, and what to write here.

use crate::base::{Code, Diagnostic, Span, Suggestion};

/// A message and help that say more than what was expected.
pub(super) struct Hint {
    pub message: String,
    pub help: Suggestion,
    /// The number of the lexeme to show, if it is not the one that does not fit, and what to say
    /// there.
    pub at: Option<usize>,
    pub label: &'static str,
}

pub(super) fn hint(message: impl Into<String>, help: impl Into<Suggestion>) -> Option<Hint> {
    Some(Hint {
        message: message.into(),
        help: help.into(),
        at: None,
        label: "not here",
    })
}

/// A hint that is shown at another lexeme, or with another label.
pub(super) fn hint_at(at: usize, label: &'static str, hint: Option<Hint>) -> Option<Hint> {
    hint.map(|hint| Hint {
        at: Some(at),
        label,
        ..hint
    })
}

/// Words of other languages, what to say of them (`{}` is the word), and what to write here.
pub(super) type Words = [(&'static [&'static str], &'static str, &'static str)];

/// Words that stand between values in other languages.
pub(super) const OPERATOR_WORDS: &Words = table! {
    &["is"], NONE, "compare with `==`";
    &["mod"], NONE, "the remainder is `a % b`";
    &["then", "elif"], NONE, CHOICE;
    &["xor"], NONE, "compare two truth values with `!=`";
};

/// Words that begin statements in other languages.
pub(super) const STATEMENT_WORDS: &Words = table! {
    &["while", "until"], NONE, "loop over a list: `for i in range(10) { … }`";
    &["function", "fn", "func", "fun"], NONE, DEFINITION;
    &["class", "struct"], NONE, DEFINITION;
    &["let", "var", "const"], NONE, ASSIGNMENT;
    &["int", "float", "str", "string", "bool", "auto", "list"], "names have no types", ASSIGNMENT;
    &["import", "from", "include", "use"], NONE, "read another file with `load \"path\";`";
    &["print"], "there is no `print` statement",
        "a value is shown by writing it as a statement: `value;`";
    &["del"], NONE, "names stay: leave the statement out";
    &["try", "with", "switch", "match", "do"], NONE, CHOICE;
    &["show"], "this is not something to show",
        "write `show example`, `show s-op example` or `show selector example`";
    &["examples"], "examples are on or off", "write `examples on` or `examples off`";
    &["full"], "this command is not complete",
        "write `full seq display on` or `full seq display off`";
};

const NONE: &str = "there is no `{}`";

const CHOICE: &str = "choose between values: `a if condition else b`";

const DEFINITION: &str = "define functions with `def name(parameters) { return value; }`";

const ASSIGNMENT: &str = "assign with `name = value;`";

/// The hint of the row that a word is in.
pub(super) fn row(words: &Words, word: &str) -> Option<Hint> {
    let (_, message, help) = words.iter().find(|(words, ..)| words.contains(&word))?;
    hint(message.replace("{}", word), *help)
}

/// What is no token of the language.
pub(super) fn unknown(text: &str, span: Span) -> Diagnostic {
    let message = match text.chars().next() {
        Some(character) if is_hidden(character) => {
            let code = u32::from(character);
            format!("the character U+{code:04X} is not part of the language")
        }
        _ => format!("`{text}` is not part of the language"),
    };
    Diagnostic::error(Code::UnknownCharacter, message)
        .at(span, "not part of the language")
        .help(unknown_help(text, span))
}

fn unknown_help(text: &str, span: Span) -> Suggestion {
    let found = CHARACTERS
        .iter()
        .find(|(written, ..)| match written.is_ascii() {
            true => *written == text,
            false => text.contains(|character| written.contains(character)),
        });
    match found {
        Some((_, help, Some(fixed))) if text.chars().count() == 1 => {
            Suggestion::edit(*help, span, *fixed)
        }
        Some((_, help, _)) => (*help).into(),
        None if text.chars().any(is_hidden) => "it cannot be seen: remove it".into(),
        None if text.chars().any(char::is_alphabetic) => {
            "names consist of a-z, A-Z, 0-9 and _; other characters may stand in strings".into()
        }
        None => "remove it, or put it in quotes if it is a token".into(),
    }
}

/// Marks of other languages, and characters beyond ASCII of which a text has one: what to say of
/// them, and what a single one is here.
const CHARACTERS: &[(&str, &str, Option<&str>)] = table! {
    "?", "choose between values: `b if condition else c`", None;
    ".", "functions are called as `f(x)`: nothing has methods or fields", None;
    "->", LAMBDA, None;
    "~", "write `not`", Some("not ");
    "@", "keys are combined with queries by `select`: `select(keys, queries, ==)`", None;
    "$", "names are written without a mark before them", Some("");
    "`", STRINGS, None;
    "\\", "statements may go on over several lines without a mark", Some("");
    "“”„‘’", "strings stand in straight quotes: `\"…\"` or `'…'`", None;
    "≤", "write `<=`", Some("<=");
    "≥", "write `>=`", Some(">=");
    "≠", "write `!=`", Some("!=");
    "−–—", "write `-`", Some("-");
    "×·∙", "write `*`", Some("*");
    "÷", "write `/`", Some("/");
    "¬", "write `not`", Some("not ");
    "∧⋀", "write `and`", Some("and");
    "∨⋁", "write `or`", Some("or");
    "∈", "write `in`", Some("in");
    "→⇒λ", LAMBDA, None;
    "\u{a0}", "this is a non-breaking space: replace it by a plain one", Some(" ");
};

const LAMBDA: &str = "functions without a name are written `lambda x: value`";

const STRINGS: &str = "strings stand in `\"…\"` or `'…'`";

/// Whether a character leaves no mark of its own.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || character.is_whitespace()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}')
}
