//! What does not fit, in words: what was expected, what stands there instead, and, where that is
//! known, what was meant.

use super::words::unknown;
use crate::base::{Code, Diagnostic, SourceId, Span, Suggestion};
use crate::syntax::token::{Lexeme, Token};

/// Longer pieces of a program are not repeated in a message.
const LONGEST: usize = 72;

/// The text a failure is explained in.
pub struct Context<'a, 's> {
    pub source: SourceId,
    pub text: &'s str,
    pub lexemes: &'a [Lexeme<'s>],
}

/// A failure at one lexeme, or at the end of the text.
pub struct Place<'a, 's> {
    pub(super) context: &'a Context<'a, 's>,
    /// The number of the lexeme that does not fit; the number of lexemes at the end of the text.
    pub(super) at: usize,
    /// The number of the first lexeme of the statement.
    pub(super) statement: usize,
    /// The innermost bracket still open, if it was opened in this statement.
    pub(super) bracket: Option<Lexeme<'s>>,
    /// The brace of the innermost body that is open, and `def` or `for` before it.
    pub(super) block: Option<(Lexeme<'s>, Token<'s>)>,
    pub(super) expected: &'a [String],
}

impl<'s> Context<'_, 's> {
    /// What to say about a statement of another language that starts at a place: a keyword of ours
    /// does not fit there, and behind any other word the next does not.
    pub fn foreign(&self, start: u32) -> Diagnostic {
        let start = self.number(start);
        let word = self.lexemes.get(start).map(|lexeme| lexeme.token);
        let at = start + usize::from(matches!(word, Some(Token::Name(_))));
        let place = Place {
            statement: start,
            bracket: None,
            ..self.place(at, &[])
        };
        place.diagnostic()
    }

    /// The place of a failure.
    pub fn failure<'a>(&'a self, start: u32, expected: &'a [String]) -> Place<'a, 's> {
        self.place(self.number(start), expected)
    }

    /// The text of the lexeme before a place.
    pub fn before(&self, start: u32) -> Option<&str> {
        let last = self.lexemes.get(self.number(start).checked_sub(1)?)?;
        self.text.get(last.start..last.end)
    }

    /// The number of the lexeme that begins at a place. An inserted `;` may stand there before it.
    fn number(&self, start: u32) -> usize {
        let start = start as usize;
        let before = |lexeme: &Lexeme| {
            lexeme.start < start || (lexeme.start == start && lexeme.end == start)
        };
        self.lexemes.partition_point(before)
    }

    fn place<'a>(&'a self, at: usize, expected: &'a [String]) -> Place<'a, 's> {
        let mut brackets: Vec<(Lexeme, Option<Token>)> = Vec::new();
        let mut statement = 0;
        for (index, lexeme) in self.lexemes[..at].iter().enumerate() {
            let starts = statement == index;
            match lexeme.token {
                Token::Semicolon => statement = index + 1,
                Token::LeftBrace if self.opens_block(statement, index) => {
                    let head = self.lexemes.get(statement).map(|head| head.token);
                    brackets.push((*lexeme, head));
                    statement = index + 1;
                }
                token if token.opens() => brackets.push((*lexeme, None)),
                token if token.closes() => {
                    let block = brackets.pop().is_some_and(|(_, head)| head.is_some());
                    if block || (starts && token == Token::RightBrace) {
                        statement = index + 1;
                    }
                }
                _ => {}
            }
        }
        let bracket = brackets
            .last()
            .filter(|(lexeme, head)| head.is_none() && lexeme.start >= self.start_of(statement))
            .map(|(lexeme, _)| *lexeme);
        let mut blocks = brackets.iter().rev();
        Place {
            context: self,
            at,
            statement,
            bracket,
            block: blocks.find_map(|(lexeme, head)| Some((*lexeme, (*head)?))),
            expected,
        }
    }

    /// Whether the brace with this number opens the body of the statement that starts there.
    fn opens_block(&self, statement: usize, brace: usize) -> bool {
        let first = self.lexemes[statement].token;
        let before = self.lexemes[brace.saturating_sub(1)].token;
        brace > statement
            && matches!(first, Token::Def | Token::For | Token::Repeat)
            && (before.ends_expression() || first == Token::Def)
    }

    fn start_of(&self, index: usize) -> usize {
        self.lexemes
            .get(index)
            .map_or(self.text.len(), |lexeme| lexeme.start)
    }

    pub(super) fn written(&self, lexeme: Lexeme) -> String {
        let text = &self.text[lexeme.start..lexeme.end];
        let line = text.lines().next().unwrap_or("");
        if line.chars().count() <= 24 && line.len() == text.len() {
            return format!("`{text}`");
        }
        format!("`{}…`", line.chars().take(20).collect::<String>())
    }
}

impl<'s> Place<'_, 's> {
    pub fn diagnostic(&self) -> Diagnostic {
        let Some(lexeme) = self.lexeme() else {
            return self.at_end_of_text();
        };
        let span = self.span(lexeme);
        let hint = self.hint();
        if let (Token::Unknown(text) | Token::Foreign(text), None) = (lexeme.token, &hint) {
            return unknown(text, span);
        }
        let label = match self.wanted() {
            wanted if wanted.is_empty() => "not expected here".to_string(),
            wanted => format!("expected {wanted}"),
        };
        let diagnostic = match hint {
            Some(hint) => {
                let shown = hint.at.and_then(|at| self.context.lexemes.get(at));
                let span = shown.map_or(span, |shown| self.span(*shown));
                Diagnostic::error(Code::UnexpectedToken, hint.message)
                    .at(span, hint.label)
                    .help(hint.help)
            }
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

    /// What has been read of the body that is open here.
    pub fn body_so_far(&self) -> Option<Span> {
        let (brace, _) = self.block?;
        let end = self.start() as usize;
        Some(Span::new(self.context.source, brace.start, end))
    }

    fn at_end_of_text(&self) -> Diagnostic {
        if let Some(command) = self.before(1).filter(|last| last.token.takes_value()) {
            let written = self.context.written(command);
            return Diagnostic::error(Code::UnexpectedEnd, "this command is not complete")
                .at(
                    self.span(command),
                    format!("{written} needs a value behind it, on the same line"),
                )
                .maybe_help(self.missing().map(|missing| missing.help));
        }
        let wanted = self.wanted();
        let message = "the text ends in the middle of a statement";
        let diagnostic = match self.before(1) {
            None => Diagnostic::error(Code::UnexpectedEnd, message),
            Some(last) => Diagnostic::error(Code::UnexpectedEnd, message).at(
                self.span(last),
                format!("after this, {wanted} is still to come"),
            ),
        };
        let diagnostic = match self.block.filter(|_| self.bracket.is_none()) {
            Some((brace, _)) => diagnostic
                .at(self.span(brace), "this body is still open")
                .help(match self.expects("return") {
                    true => "end it with `return value; }`",
                    false => "close it with `}`",
                }),
            None => diagnostic.maybe_help(self.missing().map(|missing| missing.help)),
        };
        self.with_open_bracket(diagnostic)
    }

    /// Shows the bracket that would have to be closed first, where that is the likely mistake.
    fn with_open_bracket(&self, diagnostic: Diagnostic) -> Diagnostic {
        let token = self.token();
        let ends = token.is_none_or(|token| token.closes() || token == Token::Semicolon);
        // What closes the bracket itself is not in its place for another reason.
        let closes = match self.bracket.map(|bracket| bracket.token) {
            Some(Token::LeftParenthesis) => token == Some(Token::RightParenthesis),
            Some(Token::LeftBracket) => token == Some(Token::RightBracket),
            open => open == Some(Token::LeftBrace) && token == Some(Token::RightBrace),
        };
        let ends = ends && !closes;
        // On another line the mistake may be as far back as the bracket.
        let later = self.bracket.is_some_and(|bracket| {
            let end = self.start() as usize;
            let between = self.context.text.get(bracket.start..end);
            between.is_some_and(|between| between.contains('\n'))
        });
        match self.bracket {
            Some(bracket) if (ends || later) && self.span(bracket).start < self.start() => {
                let help = diagnostic.help.clone().or_else(|| {
                    // Behind something else a `;` may be missing, too.
                    let help = self.closed(bracket)?;
                    Some(if ends { help } else { help.plain() })
                });
                let shown = diagnostic.at(self.span(bracket), "this bracket is still open");
                shown.maybe_help(help)
            }
            _ => diagnostic,
        }
    }

    /// What an open bracket holds, closed, if it is complete.
    fn closed(&self, bracket: Lexeme) -> Option<Suggestion> {
        let last = self.before(1)?;
        // The last argument of `select` is an operator.
        let operator = ["==", "!=", "<", "<=", ">", ">="];
        let argument = self.before(2).map(|lexeme| lexeme.token) == Some(Token::Comma)
            && operator.contains(&self.context.text.get(last.start..last.end)?);
        if !last.token.ends_expression() && !argument {
            return None;
        }
        let held = self.context.text.get(bracket.start..last.end)?;
        let close = match bracket.token {
            Token::LeftParenthesis => ')',
            Token::LeftBracket => ']',
            _ => '}',
        };
        let message = match held.len() > LONGEST || held.contains('\n') {
            true => format!("close it with `{close}`"),
            false => format!("close it: `{held}{close}`"),
        };
        let end = self.span(last).end as usize;
        let place = Span::new(self.context.source, end, end);
        Some(Suggestion::edit(message, place, close))
    }

    fn start(&self) -> u32 {
        self.context.start_of(self.at) as u32
    }

    pub(super) fn lexeme(&self) -> Option<Lexeme<'s>> {
        self.context.lexemes.get(self.at).copied()
    }

    pub(super) fn token(&self) -> Option<Token<'s>> {
        self.lexeme().map(|lexeme| lexeme.token)
    }

    /// The lexeme `count` places before the failure, if it belongs to the text at all.
    pub(super) fn before(&self, count: usize) -> Option<Lexeme<'s>> {
        let index = self.at.checked_sub(count)?;
        self.context.lexemes.get(index).copied()
    }

    pub(super) fn previous(&self) -> Option<Token<'s>> {
        self.before(1).map(|lexeme| lexeme.token)
    }

    pub(super) fn next(&self) -> Option<Token<'s>> {
        self.context
            .lexemes
            .get(self.at + 1)
            .map(|lexeme| lexeme.token)
    }

    pub(super) fn first(&self) -> Option<Token<'s>> {
        self.context
            .lexemes
            .get(self.statement)
            .map(|lexeme| lexeme.token)
    }

    pub(super) fn span(&self, lexeme: Lexeme) -> Span {
        Span::new(self.context.source, lexeme.start, lexeme.end)
    }

    pub(super) fn expects(&self, terminal: &str) -> bool {
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
}
