//! The words and signs of other languages, in tables: what is said of each, and what to write here.

use crate::base::{Code, Diagnostic, Span, Suggestion};

/// Words of other languages, what to say of them (`{}` is the word), what to write here, and, where
/// that stands in the word's place, its text.
pub(super) type Words = [(&'static [Text], Text, Text, Option<Text>)];

type Text = &'static str;

/// Words that stand between values in other languages.
pub(super) const OPERATOR_WORDS: &Words = table! {
    &["is"], NONE, "compare with `==`", None;
    &["mod"], NONE, "the remainder is `a % b`", Some("%");
    &["then", "elif"], NONE, CHOICE, None;
    &["xor"], NONE, "compare two truth values with `!=`", Some("!=");
};

/// Words that begin statements in other languages.
pub(super) const STATEMENT_WORDS: &Words = table! {
    &["while", "until"], NONE, "loop over a list: `for i in range(10) { … }`", None;
    &["function", "fn", "func", "fun", "class", "struct"], NONE,
        "define functions with `def name(parameters) { return value; }`", None;
    &["let", "var", "const"], NONE, ASSIGNMENT, None;
    &["int", "float", "str", "string", "bool", "auto", "list"], "names have no types", ASSIGNMENT,
        None;
    &["import", "from", "include", "use"], NONE, "read another file with `load \"path\";`", None;
    &["print"], "there is no `print` statement",
        "a value is shown by writing it as a statement: `value;`", None;
    &["del"], NONE, "names stay: leave the statement out", None;
    &["try", "with", "switch", "match", "do", "elif"], NONE, CHOICE, None;
    &["global", "nonlocal"], NONE,
        "a function sets names of its own only: let it return the value, `x = f();`", None;
    &["show"], "this is not something to show",
        "write `show example`, `show s-op example` or `show selector example`", None;
    &["examples"], "examples are on or off", "write `examples on` or `examples off`", None;
    &["example"], "this command is not complete",
        "write `examples off`, or `set example \"abc\"`", None;
    &["full"], "this command is not complete",
        "write `full seq display on` or `full seq display off`", None;
};

const NONE: &str = "there is no `{}`";

const CHOICE: &str = "choose between values: `a if condition else b`";

const ASSIGNMENT: &str = "assign with `name = value;`";

/// What is no token of the language.
pub(super) fn unknown(text: &str, span: Span) -> Diagnostic {
    let hidden = text.chars().find(|character| is_hidden(*character));
    let written = match hidden.filter(|hidden| text.starts_with(*hidden)) {
        Some(hidden) => format!("the character U+{:04X}", u32::from(hidden)),
        None => format!("`{text}`"),
    };
    let named = "names consist of a-z, A-Z, 0-9 and _; other characters may stand in strings";
    let help = match (hidden, text.chars().any(char::is_alphabetic)) {
        (Some(_), _) => "it cannot be seen: remove it",
        (None, true) => named,
        (None, false) => "remove it, or put it in quotes if it is a token",
    };
    told!(
        error!(UnknownCharacter, "{written} is not part of the language"),
        at span, "not part of the language",
        mend sign(text, span).or_else(|| Some(help.into())),
    )
}

/// What to write for a sign of another language, or for several of which the table has one.
pub(super) fn sign(text: &str, span: Span) -> Option<Suggestion> {
    let within = |sign: &&str| *sign == text || (!sign.is_ascii() && text.contains(*sign));
    let mut rows = SIGNS.iter();
    let (signs, help, fixed) = rows.find(|(signs, ..)| signs.iter().any(within))?;
    Some(match fixed.filter(|_| signs.contains(&text)) {
        Some(fixed) => Suggestion::edit(*help, span, fixed),
        None => (*help).into(),
    })
}

/// Signs of other languages, and characters beyond ASCII: what to say of them, and what to put there,
/// if that is certain.
const SIGNS: &[(&[&str], &str, Option<&str>)] = table! {
    &["&&", "&", "∧", "⋀"], "write `and`", Some("and");
    &["||", "|", "∨", "⋁"], "write `or`", Some("or");
    &["!", "~", "¬"], "write `not`", Some("not ");
    &["**"], "a power is written `a ^ b`", Some("^");
    &["//"], "`/` is the only division; rounded down it is `round((a - a % b) / b)`", None;
    &["=<", "≤"], "write `<=`", Some("<=");
    &["≥"], "write `>=`", Some(">=");
    &["=>"], "to compare write `>=`; a function is written `lambda x: value`", None;
    &["<>", "≠"], "write `!=`", Some("!=");
    &[":="], "assign with `=`", Some("=");
    &["?"], "choose between values: `b if condition else c`", None;
    &["."], "functions are called as `f(x)`: nothing has methods or fields", None;
    &["@"], "keys are combined with queries by `select`: `select(keys, queries, ==)`", None;
    &["$"], "names are written without a mark before them", Some("");
    &["`"], "strings stand in `\"…\"` or `'…'`", None;
    &["\\"], "lines go on without a mark; a function is written `lambda x: value`", Some("");
    &["“", "”", "„", "‘", "’"], "strings stand in straight quotes: `\"…\"` or `'…'`", None;
    &["−", "–", "—"], "write `-`", Some("-");
    &["×", "·", "∙"], "write `*`", Some("*");
    &["÷"], "write `/`", Some("/");
    &["∈"], "write `in`", Some("in");
    &["->", "→", "⇒", "λ"], "functions without a name are written `lambda x: value`", None;
    &["；"], "write `;`", Some(";");
    &["，"], "write `,`", Some(",");
    &["："], "write `:`", Some(":");
    &["＝"], "write `=`", Some("=");
    &["（"], "write `(`", Some("(");
    &["）"], "write `)`", Some(")");
    &["\u{a0}"], "this is a non-breaking space: replace it by a plain one", Some(" ");
};

/// Whether a character leaves no mark of its own.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || character.is_whitespace()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}')
}
