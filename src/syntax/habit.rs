//! The habits of other languages, Python and C above all: what was written, and what to write here.

use super::explain::{LAST_STATEMENT, Place};
use super::token::Token;
use crate::base::suggest::nearest;

/// A message and help that say more than what was expected.
pub(super) struct Hint {
    pub(super) message: String,
    pub(super) help: String,
    /// The number of the lexeme to show, if it is not the one that does not fit, and what to say
    /// there.
    pub(super) at: Option<usize>,
    pub(super) label: &'static str,
}

pub(super) fn hint(message: impl Into<String>, help: impl Into<String>) -> Option<Hint> {
    Some(Hint {
        message: message.into(),
        help: help.into(),
        at: None,
        label: "not here",
    })
}

/// A hint about another lexeme.
pub(super) fn hint_at(at: usize, label: &'static str, hint: Option<Hint>) -> Option<Hint> {
    hint.map(|hint| Hint {
        at: Some(at),
        label,
        ..hint
    })
}

impl Place<'_, '_> {
    pub(super) fn hint(&self) -> Option<Hint> {
        self.statement_hint()
            .or_else(|| self.word_hint())
            .or_else(|| self.head_slip())
            .or_else(|| self.assignment_hint())
            .or_else(|| self.bracket_hint())
            .or_else(|| self.body_hint())
            .or_else(|| self.slip())
    }

    /// Statements that do not exist, at the start of one.
    fn statement_hint(&self) -> Option<Hint> {
        let token = self.token()?;
        if self.statement != self.at {
            return None;
        }
        if token.is_keyword() && self.next() == Some(Token::Assign) {
            return self.keyword_as_name();
        }
        match token {
            Token::If => hint_at(
                self.at,
                NO_STATEMENT,
                hint(IF_STATEMENT, self.choice(self.at)),
            ),
            Token::Else => hint(
                "`else` belongs to an `if` in the same expression",
                "choose between values: `x = a if condition else b;`",
            ),
            Token::Return if matches!(self.block, Some((_, Token::Def))) => hint(
                LAST_STATEMENT,
                "end the body with one `return`, and `}` after it",
            ),
            Token::Return if self.block.is_some() => hint(
                "a loop returns nothing",
                "keep the value in a name, and write `return name;` at the end of the function",
            ),
            Token::Return => hint(
                "`return` stands at the end of a `def` only",
                "to show a value, write it as a statement: `value;`",
            ),
            Token::Colon => hint(
                "commands with `:` belong to the prompt",
                "start `rasp`, and type the command there",
            ),
            Token::Semicolon => hint(
                "there is no statement before this `;`",
                "remove it: one `;` ends a statement, and `}` ends a block by itself",
            ),
            _ if token.is_command() => hint(
                "commands do not stand in the body of a function or loop",
                "move it to a line of its own outside the braces",
            ),
            _ => None,
        }
    }

    /// Words of other languages, and commands that are not quite right.
    fn word_hint(&self) -> Option<Hint> {
        if let Some(Token::Name(word)) = self.token() {
            match word {
                "is" => return hint("there is no `is`", "compare with `==`"),
                "mod" => return hint("there is no `mod`", "the remainder is `a % b`"),
                "then" | "elif" => {
                    return hint(
                        format!("there is no `{word}`"),
                        "choose between values: `a if condition else b`",
                    );
                }
                "xor" => return hint("there is no `xor`", "compare two truth values with `!=`"),
                _ => {}
            }
        }
        let Some(Token::Name(word)) = self.first() else {
            return None;
        };
        let block = matches!(self.token(), Some(Token::LeftBrace | Token::Colon));
        let with_block = matches!(word, "while" | "until" | "switch" | "match");
        if self.at != self.statement + 1 && !(block && with_block) {
            return None;
        }
        if word == "set" {
            return self.setting();
        }
        hint_at(self.statement, NO_STATEMENT, statement_word(word))
    }

    /// What is wrong behind `set`.
    fn setting(&self) -> Option<Hint> {
        let switch = hint(
            "`causal` is on or off",
            "write `set causal on` or `set causal off`",
        );
        match self.token() {
            Some(Token::Name("causal")) => hint_at(self.at + 1, "neither on nor off", switch),
            Some(Token::Name(word)) => {
                let settings = ["example", "vocab", "max_length", "causal"];
                let help =
                    nearest(word, settings).map(|meant| format!("did you mean `set {meant}`?"));
                hint(
                    format!("`{word}` is no setting"),
                    help.unwrap_or(SETTINGS.to_string()),
                )
            }
            _ => hint("this is not a setting", SETTINGS),
        }
    }

    /// A choice between values with the condition of the `if` that has this number.
    pub(super) fn choice(&self, asked: usize) -> String {
        let lexemes = self.context.lexemes;
        let ends = |token: Token| {
            matches!(
                token,
                Token::LeftBrace | Token::Colon | Token::Semicolon | Token::Else
            )
        };
        let head = lexemes.iter().skip(asked + 1);
        let last = head.take_while(|lexeme| !ends(lexeme.token)).last();
        let start = lexemes.get(asked).map(|lexeme| lexeme.end);
        let condition = start.zip(last).and_then(|(start, last)| {
            let text = self.context.text.get(start..last.end)?.trim();
            (text.len() <= 40 && !text.contains('\n')).then_some(text)
        });
        let condition = condition.unwrap_or("condition");
        format!("choose between values: `x = a if {condition} else b;`")
    }

    fn assignment_hint(&self) -> Option<Hint> {
        if self.token() != Some(Token::Assign) {
            return None;
        }
        if self.previous() == Some(Token::Equal) {
            return hint("there is no `===`", "to compare write `==`");
        }
        let statement = &self.context.lexemes[self.statement..self.at];
        let asked = statement
            .iter()
            .skip(1)
            .any(|lexeme| lexeme.token == Token::If);
        if self.bracket.is_some() || asked {
            return hint("`=` does not compare", "to compare write `==`");
        }
        if self.first() == Some(Token::For) {
            return hint(
                "a loop goes through a list",
                "write `for i in range(10) { … }`",
            );
        }
        if statement.len() == 1 && statement[0].token.is_keyword() {
            return self.keyword_as_name();
        }
        let names_index = matches!(
            statement,
            [first, second, ..] if matches!(first.token, Token::Name(_))
                && second.token == Token::LeftBracket
        );
        if names_index {
            return hint(
                "elements cannot be assigned",
                "lists, dicts and s-ops never change: build a new one",
            );
        }
        if statement.iter().any(|lexeme| lexeme.token == Token::Assign) {
            return hint(
                "there is already a `=` in this statement",
                "to compare write `==`; to assign twice write two statements",
            );
        }
        hint(
            "only names can be assigned",
            "write `name = value;`, or `==` to compare",
        )
    }

    fn keyword_as_name(&self) -> Option<Hint> {
        let first = self.context.lexemes.get(self.statement)?;
        let written = self.context.written(*first);
        hint(
            format!("{written} is a keyword and cannot be a name"),
            format!(
                "choose another name, like `my_{}`",
                written.trim_matches('`')
            ),
        )
    }

    fn bracket_hint(&self) -> Option<Hint> {
        let token = self.token()?;
        let previous = self.previous();
        if token.closes() && previous == Some(Token::Comma) {
            return hint(
                "there is nothing after this comma",
                "remove the comma before the closing bracket",
            );
        }
        if token == Token::RightParenthesis && previous == Some(Token::LeftParenthesis) {
            return hint(
                "there is no empty tuple",
                "write an expression between the parentheses",
            );
        }
        if token == Token::For
            && self.bracket.map(|bracket| bracket.token) == Some(Token::LeftBrace)
            && self.expects(":")
        {
            return hint(
                "in braces stand keys and values",
                "for a list write `[x for x in list]`, for a dict `{x: x for x in list}`",
            );
        }
        if token == Token::LeftParenthesis && self.previous() == Some(Token::For) {
            return hint(
                "the name of a loop stands without parentheses",
                "write `for x in list { … }`",
            );
        }
        let in_list = self.bracket.map(|bracket| bracket.token) == Some(Token::LeftBracket);
        if token == Token::Colon && in_list {
            return hint(
                "there are no slices",
                "take one element with `x[i]`, or build a list: `[x[i] for i in range(2)]`",
            );
        }
        if self.expects("else") {
            let filter = match in_list && token == Token::RightBracket {
                true => "; comprehensions have no filter",
                false => "",
            };
            return self.lines_begin_with_if().or_else(|| {
                let help = format!("a choice needs both values: `a if condition else b`{filter}");
                let without = hint("this `if` has no `else`", help);
                let ends = token.closes() || token == Token::Semicolon;
                let before = self.at.checked_sub(1).filter(|_| ends)?;
                hint_at(before, "`else …` is missing after this", without)
            });
        }
        if token == Token::Semicolon && previous == Some(Token::Load) {
            return hint("`load` needs a path", "write `load \"path\";`");
        }
        if token == Token::Not && self.next() == Some(Token::In) {
            return hint("there is no `not in`", "write `not (x in xs)`");
        }
        None
    }

    /// An `if` at the start of a line, behind a statement without its `;`.
    fn lines_begin_with_if(&self) -> Option<Hint> {
        let lexemes = self.context.lexemes;
        let block = matches!(self.token(), Some(Token::Colon | Token::LeftBrace));
        let asked = (self.statement + 1..self.at).rev().find(|at| {
            let begins = |before: usize, this: usize| {
                let between = self
                    .context
                    .text
                    .get(lexemes[before].end..lexemes[this].start);
                between.is_some_and(|between| between.contains('\n'))
            };
            lexemes[*at].token == Token::If && begins(at - 1, *at)
        })?;
        if !block || self.bracket.is_some() {
            return None;
        }
        let help = format!("end the line before with `;`, and {}", self.choice(asked));
        hint_at(
            asked,
            "a line does not begin with `if`",
            hint(IF_STATEMENT, help),
        )
    }

    fn body_hint(&self) -> Option<Hint> {
        let token = self.token()?;
        let previous = self.previous();
        if token == Token::RightBrace && self.expects("return") {
            let nothing = hint(RETURNS_NOTHING, "end its body with `return value;`");
            return hint_at(self.at, "`return …;` belongs before this", nothing);
        }
        if token == Token::RightBrace && previous == Some(Token::LeftBrace) && self.expects("def") {
            let empty = hint(
                "the body of this loop is empty",
                "write at least one statement in it, like `x = 1;`",
            );
            return hint_at(self.at, "a statement belongs before this", empty);
        }
        if self.expected.len() == 1 && self.expects("}") && previous == Some(Token::Semicolon) {
            return hint(LAST_STATEMENT, "close the body with `}` after it");
        }
        if self.expects("{") && !self.expects("int") && matches!(self.first(), Some(Token::Def)) {
            return hint(
                "the body of a function stands in braces",
                "write `def name(parameters) { return value; }`",
            );
        }
        if self.expects("{") && token == Token::Colon && self.first() == Some(Token::For) {
            return hint(
                "the body of a loop stands in braces",
                "write `for x in list { … }`",
            );
        }
        None
    }
}

const NO_STATEMENT: &str = "no statement begins with this";

const IF_STATEMENT: &str = "`if` is not a statement";

/// The message of a body without `return`.
pub(super) const RETURNS_NOTHING: &str = "this function returns nothing";

const SETTINGS: &str = "the settings are `set example E`, `set s-op example E`, \
                        `set selector example E`, `set vocab E`, `set max_length E` and \
                        `set causal on` or `off`";

/// What a statement that begins with this word should have been.
fn statement_word(word: &str) -> Option<Hint> {
    match word {
        "while" | "until" => hint(
            format!("there is no `{word}`"),
            "loop over a list: `for i in range(10) { … }`",
        ),
        "function" | "fn" | "func" | "fun" => hint(
            format!("there is no `{word}`"),
            "define functions with `def name(parameters) { return value; }`",
        ),
        "let" | "var" | "const" => hint(
            format!("there is no `{word}`"),
            "assign with `name = value;`",
        ),
        "import" | "from" | "include" | "use" => hint(
            format!("there is no `{word}`"),
            "read another file with `load \"path\";`",
        ),
        "print" => hint(
            "there is no `print` statement",
            "a value is shown by writing it as a statement: `value;`",
        ),
        "del" => hint("there is no `del`", "names stay: leave the statement out"),
        "class" | "struct" => hint(
            format!("there is no `{word}`"),
            "define functions: `def name(parameters) { return value; }`",
        ),
        "int" | "float" | "str" | "string" | "bool" | "auto" | "list" => {
            hint("names have no types", "assign with `name = value;`")
        }
        "try" | "with" | "switch" | "match" | "do" => hint(
            format!("there is no `{word}`"),
            "choose between values: `a if condition else b`",
        ),
        "show" => hint(
            "this is not something to show",
            "write `show example`, `show s-op example` or `show selector example`",
        ),
        "examples" => hint(
            "examples are on or off",
            "write `examples on` or `examples off`",
        ),
        "full" => hint(
            "this command is not complete",
            "write `full seq display on` or `full seq display off`",
        ),
        _ => {
            let meant = nearest(word, ["return", "assert", "load", "draw", "def", "for"])?;
            hint(
                format!("no statement begins with `{word}`"),
                format!("did you mean `{meant}`?"),
            )
        }
    }
}

pub(super) fn unknown_help(text: &str) -> &'static str {
    match text {
        "?" => "choose between values: `b if condition else c`",
        "." => "functions are called as `f(x)`: nothing has methods or fields",
        "->" => "functions without a name are written `lambda x: value`",
        "~" => "write `not`",
        "@" => "keys are combined with queries by `select`: `select(keys, queries, ==)`",
        "$" => "names are written without a mark before them",
        "`" => "strings stand in `\"…\"` or `'…'`",
        "\\" => "statements may go on over several lines without a mark",
        _ if text.contains(['“', '”', '„', '‘', '’']) => {
            "strings stand in straight quotes: `\"…\"` or `'…'`"
        }
        _ if text.contains('≤') => "write `<=`",
        _ if text.contains('≥') => "write `>=`",
        _ if text.contains('≠') => "write `!=`",
        _ if text.contains(['−', '–', '—']) => "write `-`",
        _ if text.contains(['×', '·', '∙']) => "write `*`",
        _ if text.contains('÷') => "write `/`",
        _ if text.contains('¬') => "write `not`",
        _ if text.contains(['∧', '⋀']) => "write `and`",
        _ if text.contains(['∨', '⋁']) => "write `or`",
        _ if text.contains('∈') => "write `in`",
        _ if text.contains(['→', '⇒', 'λ']) => {
            "functions without a name are written `lambda x: value`"
        }
        _ if text.contains('\u{a0}') => "this is a non-breaking space: replace it by a plain one",
        _ if text.chars().any(is_hidden) => "it cannot be seen: remove it",
        _ if text.chars().any(char::is_alphabetic) => {
            "names consist of a-z, A-Z, 0-9 and _; other characters may stand in strings"
        }
        _ => "remove it, or put it in quotes if it is a token",
    }
}

/// Whether a character leaves no mark of its own.
pub(super) fn is_hidden(character: char) -> bool {
    character.is_control()
        || character.is_whitespace()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}')
}
