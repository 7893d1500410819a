//! Words that are keywords in some places only. The REPL's commands, `assert`, `lambda` and `repeat`
//! are ordinary names to the lexer; here, where the tokens around them leave no other reading, they
//! become tokens of their own.

use super::ast::ExampleKind;
use super::token::{Lexeme, Token};

/// Replaces contextual words by their tokens, and ends every command that its line completes with
/// a `;`, so that to the grammar commands are statements like all others.
pub fn recognize<'s>(text: &str, lexemes: &[Lexeme<'s>]) -> Vec<Lexeme<'s>> {
    let mut recognizer = Recognizer {
        text,
        lexemes,
        output: Vec::with_capacity(lexemes.len() + 1),
        brackets: Vec::new(),
        command: None,
    };
    let mut at = 0;
    while at < lexemes.len() {
        recognizer.end_command(lexemes[at].start, lexemes[at].token);
        at += recognizer.step(at);
    }
    recognizer.end_command(text.len(), Token::RightBrace);
    recognizer.output
}

struct Recognizer<'a, 's> {
    text: &'a str,
    lexemes: &'a [Lexeme<'s>],
    output: Vec<Lexeme<'s>>,
    brackets: Vec<Token<'s>>,
    /// The number of open brackets around the command being read.
    command: Option<usize>,
}

impl<'s> Recognizer<'_, 's> {
    /// Handles the tokens from `at` on that belong together; gives their number.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are no brackets")]
    fn step(&mut self, at: usize) -> usize {
        let (token, count) = self.reading(at);
        match token {
            Token::Semicolon => self.command = None,
            open if open.opens() => self.brackets.push(open),
            close if close.closes() => {
                self.brackets.pop();
            }
            _ => {}
        }
        if token.is_command() {
            self.command = Some(self.brackets.len());
        }
        self.output.push(Lexeme {
            token,
            start: self.lexemes[at].start,
            end: self.lexemes[at + count - 1].end,
        });
        count
    }

    fn reading(&self, at: usize) -> (Token<'s>, usize) {
        let token = self.lexemes[at].token;
        let Token::Name(word) = token else {
            return (token, 1);
        };
        if word == "lambda" && self.lambda_at(at) {
            return (Token::Lambda, 1);
        }
        if self.statement_starts() {
            if word == "assert" && self.token(at + 1).is_some_and(Token::starts_expression) {
                return (Token::Assert, 1);
            }
            if word == "repeat" && self.repeat_at(at) {
                return (Token::Repeat, 1);
            }
            if let Some(command) = self.command_at(at) {
                return command;
            }
        }
        (token, 1)
    }

    fn statement_starts(&self) -> bool {
        match self.output.as_slice() {
            [] => true,
            // A brace behind an expression or `)` opens a block, any other a dict.
            [.., before, brace] if brace.token == Token::LeftBrace => {
                before.token.ends_expression()
            }
            [.., previous] => matches!(previous.token, Token::Semicolon | Token::RightBrace),
        }
    }

    /// `lambda` before a name is never a name; before `:` or `*rest:` it is one inside an operation or
    /// as the key of a dict.
    fn lambda_at(&self, at: usize) -> bool {
        let previous = self.output.last().map(|previous| previous.token);
        let following = [1, 2, 3].map(|count| self.token(at + count));
        match following {
            [Some(Token::Name(_)), ..] => true,
            [Some(Token::Colon), ..]
            | [Some(Token::Star), Some(Token::Name(_)), Some(Token::Colon)] => match previous {
                None => true,
                Some(Token::Comma) => self.brackets.last() != Some(&Token::LeftBrace),
                Some(previous) => matches!(
                    previous,
                    Token::Semicolon
                        | Token::LeftParenthesis
                        | Token::LeftBracket
                        | Token::Colon
                        | Token::Assign
                        | Token::Return
                ),
            },
            _ => false,
        }
    }

    /// `repeat` before a name or a literal is never a name; before a `(` it is one, unless its brackets,
    /// or the next ones, stand before a body.
    fn repeat_at(&self, at: usize) -> bool {
        match self.token(at + 1) {
            Some(Token::Name(_) | Token::Int(_) | Token::Float(_) | Token::Str(_)) => true,
            // No int from 0 on, and nothing else either.
            Some(Token::Minus) => {
                let body = self.behind_brackets(at + 3);
                body.and_then(|body| self.token(body)) == Some(Token::LeftBrace)
            }
            Some(Token::LeftParenthesis) => {
                let first = self.behind_brackets(at + 1);
                let second = first.and_then(|carried| self.behind_brackets(carried));
                let mut behind = first.into_iter().chain(second);
                behind.any(|behind| self.token(behind) == Some(Token::LeftBrace))
            }
            _ => false,
        }
    }

    /// The number of the token behind the parentheses that open at a token.
    fn behind_brackets(&self, at: usize) -> Option<usize> {
        let mut open = 0_usize;
        let inside = self.lexemes.get(at..)?.iter();
        let inside = inside.take_while(|lexeme| lexeme.token != Token::Semicolon);
        for (count, lexeme) in inside.enumerate() {
            open += usize::from(lexeme.token.opens());
            open = open.checked_sub(usize::from(lexeme.token.closes()))?;
            if open == 0 {
                let parenthesis = lexeme.token == Token::RightParenthesis;
                return parenthesis.then_some(at + count + 1);
            }
        }
        None
    }

    fn command_at(&self, at: usize) -> Option<(Token<'s>, usize)> {
        let (kind, kind_length) = self.example_kind(at);
        if self.word(at + kind_length) == Some("examples") {
            let on = self.switch(at + kind_length + 1)?;
            return Some((Token::Examples((kind, on)), kind_length + 2));
        }
        match self.word(at)? {
            "set" => self.setting(at),
            "show" => {
                let (kind, length) = self.example_kind(at + 1);
                let found = self.word(at + 1 + length)? == "example";
                found.then_some((Token::ShowExample(kind), length + 2))
            }
            "full" => {
                let words = (self.word(at + 1)?, self.word(at + 2)?);
                let on = self.switch(at + 3)?;
                (words == ("seq", "display")).then_some((Token::FullDisplay(on), 4))
            }
            "exit" | "quit" => self.exit(at),
            _ => None,
        }
    }

    fn setting(&self, at: usize) -> Option<(Token<'s>, usize)> {
        let (kind, length) = self.example_kind(at + 1);
        if self.word(at + 1 + length) == Some("example") {
            return Some((Token::SetExample(kind), length + 2));
        }
        match self.word(at + 1)? {
            "vocab" => Some((Token::SetVocabulary, 2)),
            "max_length" => Some((Token::SetMaxLength, 2)),
            "causal" => Some((Token::SetCausal(self.switch(at + 2)?), 3)),
            _ => None,
        }
    }

    /// `exit` and `exit()` are commands where nothing follows on the line.
    fn exit(&self, at: usize) -> Option<(Token<'s>, usize)> {
        let call = self.token(at + 1) == Some(Token::LeftParenthesis)
            && self.token(at + 2) == Some(Token::RightParenthesis);
        let length = if call { 3 } else { 1 };
        let ends = match self.lexemes.get(at + length) {
            None => true,
            Some(next) => {
                next.token == Token::Semicolon
                    || self.text[self.lexemes[at + length - 1].end..next.start].contains('\n')
            }
        };
        ends.then_some((Token::Exit, length))
    }

    /// `s-op` and `selector` before the word a command is about, with their number of tokens.
    fn example_kind(&self, at: usize) -> (ExampleKind, usize) {
        if self.word(at) == Some("selector") {
            return (ExampleKind::Selector, 1);
        }
        let parts = (self.word(at), self.token(at + 1), self.word(at + 2));
        if parts == (Some("s"), Some(Token::Minus), Some("op")) {
            let (start, end) = (self.lexemes[at].start, self.lexemes[at + 2].end);
            if &self.text[start..end] == "s-op" {
                return (ExampleKind::SOp, 3);
            }
        }
        (ExampleKind::Both, 0)
    }

    fn switch(&self, at: usize) -> Option<bool> {
        match self.word(at)? {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        }
    }

    fn token(&self, at: usize) -> Option<Token<'s>> {
        self.lexemes.get(at).map(|lexeme| lexeme.token)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "no other token is a word")]
    fn word(&self, at: usize) -> Option<&'s str> {
        match self.token(at)? {
            Token::Name(word) => Some(word),
            _ => None,
        }
    }

    /// Writes the `;` of a command whose line ends before `start`, where `next` stands.
    fn end_command(&mut self, start: usize, next: Token) {
        let (Some(depth), Some(previous)) = (self.command, self.output.last()) else {
            return;
        };
        let complete = previous.token.ends_expression() || previous.token.is_whole_command();
        let at_end = start == self.text.len() || self.text[previous.end..start].contains('\n');
        if self.brackets.len() == depth && complete && at_end && next != Token::Semicolon {
            self.command = None;
            self.output.push(Lexeme {
                token: Token::Semicolon,
                start: previous.end,
                end: previous.end,
            });
        }
    }
}
