//! Syntax errors in words: what was expected, what stands there instead, and, for the habits of
//! other languages, what to write here.

use super::build::Failed;
use super::token::{Lexeme, Token};
use crate::base::{Code, Diagnostic, SourceId, Span};
use lalrpop_util::ParseError;

/// The message of a statement after `return`.
pub const LAST_STATEMENT: &str = "`return` is the last statement of a function";

/// The text a failure is explained in.
pub struct Context<'a, 's> {
    pub source: SourceId,
    pub text: &'s str,
    pub lexemes: &'a [Lexeme<'s>],
}

/// A failure at one lexeme, or at the end of the text.
struct Place<'a, 's> {
    context: &'a Context<'a, 's>,
    /// The number of the lexeme that does not fit; the number of lexemes at the end of the text.
    at: usize,
    /// The number of the first lexeme of the statement.
    statement: usize,
    /// The innermost bracket still open, if it was opened in this statement.
    bracket: Option<Lexeme<'s>>,
    expected: &'a [String],
}

/// A message and help that say more than what was expected.
struct Hint {
    message: String,
    help: String,
}

fn hint(message: impl Into<String>, help: impl Into<String>) -> Option<Hint> {
    Some(Hint {
        message: message.into(),
        help: help.into(),
    })
}

impl<'s> Context<'_, 's> {
    /// What to say about one failure.
    pub fn explain(&self, failed: &Failed<'s>) -> Diagnostic {
        let (start, expected): (usize, &[String]) = match failed {
            ParseError::UnrecognizedToken {
                token: (start, ..),
                expected,
            } => (*start, expected),
            ParseError::UnrecognizedEof { expected, .. } => (self.text.len(), expected),
            ParseError::ExtraToken { token } => (token.0, &[]),
            ParseError::InvalidToken { location } => (*location, &[]),
            ParseError::User { .. } => (0, &[]),
        };
        // An inserted `;` may stand at the start of the lexeme after it; it is never what fails.
        let at = self.lexemes.partition_point(|lexeme| {
            lexeme.start < start || (lexeme.start == start && lexeme.end == start)
        });
        self.place(at, expected).diagnostic()
    }

    fn place<'a>(&'a self, at: usize, expected: &'a [String]) -> Place<'a, 's> {
        let mut brackets: Vec<(Lexeme, bool)> = Vec::new();
        let mut statement = 0;
        for (index, lexeme) in self.lexemes[..at].iter().enumerate() {
            let starts = statement == index;
            match lexeme.token {
                Token::Semicolon => statement = index + 1,
                Token::LeftBrace if self.opens_block(statement, index) => {
                    brackets.push((*lexeme, true));
                    statement = index + 1;
                }
                token if token.opens() => brackets.push((*lexeme, false)),
                token if token.closes() => {
                    let block = brackets.pop().is_some_and(|(_, block)| block);
                    if block || (starts && token == Token::RightBrace) {
                        statement = index + 1;
                    }
                }
                _ => {}
            }
        }
        let bracket = brackets
            .last()
            .filter(|(lexeme, block)| !block && lexeme.start >= self.start_of(statement))
            .map(|(lexeme, _)| *lexeme);
        Place {
            context: self,
            at,
            statement,
            bracket,
            expected,
        }
    }

    /// Whether the brace with this number opens the body of the statement that starts there.
    fn opens_block(&self, statement: usize, brace: usize) -> bool {
        let first = self.lexemes[statement].token;
        let before = self.lexemes[brace.saturating_sub(1)].token;
        brace > statement
            && matches!(first, Token::Def | Token::For)
            && (before.ends_expression() || first == Token::Def)
    }

    fn start_of(&self, index: usize) -> usize {
        self.lexemes
            .get(index)
            .map_or(self.text.len(), |lexeme| lexeme.start)
    }

    fn written(&self, lexeme: Lexeme) -> String {
        let text = &self.text[lexeme.start..lexeme.end];
        let line = text.lines().next().unwrap_or("");
        if line.chars().count() <= 24 && line.len() == text.len() {
            return format!("`{text}`");
        }
        format!("`{}…`", line.chars().take(20).collect::<String>())
    }
}

impl<'s> Place<'_, 's> {
    fn diagnostic(&self) -> Diagnostic {
        let Some(lexeme) = self.lexeme() else {
            return self.at_end_of_text();
        };
        let span = self.span(lexeme);
        if let Token::Unknown(text) | Token::Foreign(text) = lexeme.token {
            return unknown(text, span);
        }
        let label = match self.wanted() {
            wanted if wanted.is_empty() => "not expected here".to_string(),
            wanted => format!("expected {wanted}"),
        };
        let diagnostic = match self.hint() {
            Some(Hint { message, help }) => Diagnostic::error(Code::UnexpectedToken, message)
                .at(span, "not here")
                .help(help),
            None => {
                let written = self.context.written(lexeme);
                Diagnostic::error(
                    Code::UnexpectedToken,
                    format!("{written} does not fit here"),
                )
                .at(span, label)
            }
        };
        self.with_open_bracket(diagnostic)
    }

    fn at_end_of_text(&self) -> Diagnostic {
        let wanted = self.wanted();
        let message = "the text ends in the middle of a statement";
        let diagnostic = match self.before(1) {
            None => Diagnostic::error(Code::UnexpectedEnd, message),
            Some(last) => Diagnostic::error(Code::UnexpectedEnd, message).at(
                self.span(last),
                format!("after this, {wanted} is still to come"),
            ),
        };
        self.with_open_bracket(diagnostic)
    }

    /// Shows the bracket that would have to be closed first, where that is the likely mistake.
    fn with_open_bracket(&self, diagnostic: Diagnostic) -> Diagnostic {
        let ends = match self.token() {
            None => true,
            Some(token) => matches!(
                token,
                Token::Semicolon
                    | Token::RightBrace
                    | Token::RightBracket
                    | Token::RightParenthesis
            ),
        };
        match self.bracket {
            Some(bracket) if ends && self.span(bracket).start < self.start() => {
                diagnostic.at(self.span(bracket), "this bracket is still open")
            }
            _ => diagnostic,
        }
    }

    fn start(&self) -> u32 {
        self.context.start_of(self.at) as u32
    }

    fn lexeme(&self) -> Option<Lexeme<'s>> {
        self.context.lexemes.get(self.at).copied()
    }

    fn token(&self) -> Option<Token<'s>> {
        self.lexeme().map(|lexeme| lexeme.token)
    }

    /// The lexeme `count` places before the failure, if it belongs to the text at all.
    fn before(&self, count: usize) -> Option<Lexeme<'s>> {
        let index = self.at.checked_sub(count)?;
        self.context.lexemes.get(index).copied()
    }

    fn previous(&self) -> Option<Token<'s>> {
        self.before(1).map(|lexeme| lexeme.token)
    }

    fn next(&self) -> Option<Token<'s>> {
        self.context
            .lexemes
            .get(self.at + 1)
            .map(|lexeme| lexeme.token)
    }

    fn first(&self) -> Option<Token<'s>> {
        self.context
            .lexemes
            .get(self.statement)
            .map(|lexeme| lexeme.token)
    }

    fn span(&self, lexeme: Lexeme) -> Span {
        Span::new(self.context.source, lexeme.start, lexeme.end)
    }

    fn expects(&self, terminal: &str) -> bool {
        self.expected
            .iter()
            .any(|expected| expected.trim_matches('"') == terminal)
    }

    /// What could stand here, in words.
    fn wanted(&self) -> String {
        let mut wanted: Vec<String> = Vec::new();
        let expression = self.expects("int");
        let operator = self.expects("^");
        if self.expects("def") {
            wanted.push("a statement".to_string());
        } else if expression {
            wanted.push("an expression".to_string());
        } else if self.expects("name") {
            wanted.push("a name".to_string());
        }
        if operator {
            wanted.push("an operator".to_string());
        } else if self.expects("string") && !expression {
            wanted.push("a string".to_string());
        }
        for symbol in [",", ")", "]", "}", ":", ";", "=", "else", "return"] {
            if self.expects(symbol) {
                wanted.push(format!("`{symbol}`"));
            }
        }
        for symbol in ["(", "[", "{", "in"] {
            if self.expects(symbol) && !expression && !operator {
                wanted.push(format!("`{symbol}`"));
            }
        }
        match wanted.split_last() {
            None => String::new(),
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }

    fn hint(&self) -> Option<Hint> {
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
        let Some(Token::Name(word)) = self.previous() else {
            return None;
        };
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
            _ => None,
        }
    }

    fn assignment_hint(&self) -> Option<Hint> {
        if self.token() != Some(Token::Assign) {
            return None;
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
            "choose another name",
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

fn unknown(text: &str, span: Span) -> Diagnostic {
    let message = match text.chars().next() {
        Some(character) if character.is_control() || character.is_whitespace() => {
            format!(
                "the character U+{:04X} is not part of the language",
                u32::from(character)
            )
        }
        _ => format!("`{text}` is not part of the language"),
    };
    let diagnostic =
        Diagnostic::error(Code::UnknownCharacter, message).at(span, "not part of the language");
    match unknown_help(text) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

fn unknown_help(text: &str) -> Option<&'static str> {
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
