//! The habits of other languages, Python and C above all: what was written, and what to write here.

use super::explain::{LAST_STATEMENT, Place};
use super::token::Token;
use crate::base::suggest::nearest;

/// A message and help that say more than what was expected.
pub(super) struct Hint {
    pub(super) message: String,
    pub(super) help: String,
}

fn hint(message: impl Into<String>, help: impl Into<String>) -> Option<Hint> {
    Some(Hint {
        message: message.into(),
        help: help.into(),
    })
}

impl Place<'_, '_> {
    pub(super) fn hint(&self) -> Option<Hint> {
        self.statement_hint()
            .or_else(|| self.word_hint())
            .or_else(|| self.assignment_hint())
            .or_else(|| self.bracket_hint())
            .or_else(|| self.body_hint())
    }

    /// Statements that do not exist, at the start of one.
    fn statement_hint(&self) -> Option<Hint> {
        let token = self.token()?;
        if self.statement != self.at {
            return None;
        }
        if keyword(token) && self.next() == Some(Token::Assign) {
            return self.keyword_as_name();
        }
        match token {
            Token::If => hint(
                "`if` is not a statement",
                "choose between values: `x = a if condition else b;`",
            ),
            Token::Else => hint(
                "`else` belongs to an `if` in the same expression",
                "choose between values: `x = a if condition else b;`",
            ),
            Token::Return => hint(
                "`return` stands at the end of a `def` only",
                "to show a value, write it as a statement: `value;`",
            ),
            Token::Semicolon => hint(
                "there is no statement before this `;`",
                "remove it: one `;` ends a statement, and `}` ends a block by itself",
            ),
            _ if command(token) => hint(
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
        if self.statement + 1 != self.at {
            return None;
        }
        match self.previous() {
            Some(Token::Name(word)) => statement_word(word),
            _ => None,
        }
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
        if statement.len() == 1 && keyword(statement[0].token) {
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
        if token.closes() && self.expects("else") {
            return hint(
                "this `if` has no `else`",
                "a choice needs both values: `a if condition else b`; comprehensions have no filter",
            );
        }
        if token == Token::Semicolon && self.expects("else") {
            return hint(
                "this `if` has no `else`",
                "a choice needs both values: `a if condition else b`",
            );
        }
        if token == Token::Semicolon && previous == Some(Token::Load) {
            return hint("`load` needs a path", "write `load \"path\";`");
        }
        if token == Token::Not && self.next() == Some(Token::In) {
            return hint("there is no `not in`", "write `not (x in xs)`");
        }
        None
    }

    fn body_hint(&self) -> Option<Hint> {
        let token = self.token()?;
        let previous = self.previous();
        if token == Token::RightBrace && self.expects("return") {
            return hint(
                "this function returns nothing",
                "end its body with `return value;`",
            );
        }
        if token == Token::RightBrace && previous == Some(Token::LeftBrace) && self.expects("def") {
            return hint(
                "the body of this loop is empty",
                "write at least one statement in it",
            );
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

/// What a statement that begins with this word should have been.
fn statement_word(word: &str) -> Option<Hint> {
    match word {
        "while" => hint(
            "there is no `while`",
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
        "set" => hint(
            "this is not a setting",
            "the settings are `set example E`, `set s-op example E`, `set selector example E`, \
                 `set vocab E`, `set max_length E` and `set causal on` or `off`",
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

fn command(token: Token) -> bool {
    matches!(
        token,
        Token::SetExample(_)
            | Token::ShowExample(_)
            | Token::Examples(_)
            | Token::FullDisplay(_)
            | Token::SetVocabulary
            | Token::SetMaxLength
            | Token::SetCausal(_)
            | Token::Exit
    )
}

fn keyword(token: Token) -> bool {
    matches!(
        token,
        Token::For
            | Token::In
            | Token::Not
            | Token::And
            | Token::Or
            | Token::If
            | Token::Else
            | Token::Def
            | Token::Return
            | Token::Load
            | Token::Draw
    )
}

pub(super) fn unknown_help(text: &str) -> Option<&'static str> {
    Some(match text {
        "?" => "choose between values: `b if condition else c`",
        "." => "functions are called as `f(x)`: nothing has methods or fields",
        "->" => "functions without a name are written `lambda x: value`",
        "`" => "strings stand in `\"…\"` or `'…'`",
        "\\" => "statements may go on over several lines without a mark",
        _ if text.contains(['“', '”', '„', '‘', '’']) => {
            "strings stand in straight quotes: `\"…\"` or `'…'`"
        }
        _ if text.contains('≤') => "write `<=`",
        _ if text.contains('≥') => "write `>=`",
        _ if text.contains('≠') => "write `!=`",
        _ if text.contains('\u{a0}') => "this is a non-breaking space: replace it by a plain one",
        _ if text.chars().any(char::is_alphabetic) => {
            "names consist of a-z, A-Z, 0-9 and _; other characters may stand in strings"
        }
        _ => return None,
    })
}
