//! Lines of assembler texts as tokens with places, and what is said where they do not fit. Depends on
//! `base`.

use crate::base::{Code, Diagnostic, SourceId, Span};
use std::iter::Peekable;
use std::vec::IntoIter;

/// What a line is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name, or a directive with its dot.
    Name(String),
    /// A number as it is written, sign included.
    Number(String),
    /// The characters of a string, or the one between single quotes.
    Text(String),
    /// Anything else: `,`, `:`, `[`, `<=`.
    Symbol(&'static str),
}

const SYMBOLS: [&str; 10] = ["<=", ",", ":", "[", "]", "=", ";", "+", "(", ")"];

/// A token and where it stands.
pub type Placed = (Token, Span);

/// The tokens of one line, to be taken one by one.
pub struct Line {
    tokens: Peekable<IntoIter<Placed>>,
    /// The whole line, without its comment.
    pub span: Span,
}

/// What is wrong with a line.
pub type Parsed<T> = Result<T, Box<Diagnostic>>;

/// An error at a place.
pub fn wrong(code: Code, message: impl Into<String>, span: Span, label: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message).at(span, label))
}

/// How many brackets are open: a line goes on until they are closed.
#[expect(clippy::wildcard_enum_match_arm, reason = "others do not nest")]
fn depth(tokens: &[Placed]) -> i64 {
    let depth = |(token, _): &Placed| match token {
        Token::Symbol("[") => 1,
        Token::Symbol("]") => -1,
        _ => 0,
    };
    tokens.iter().map(depth).sum()
}

/// The lines of a text that have tokens; comments begin with `comment`. Lines that cannot be read are
/// told in `found`.
pub fn lines(
    source: SourceId,
    text: &str,
    comment: char,
    found: &mut Vec<Diagnostic>,
) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut open = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        match tokens(source, line, start, comment) {
            Ok(tokens) => {
                // Only numbers stand in brackets: what begins with a name is another line.
                if !open.is_empty() && matches!(tokens.first(), Some((Token::Name(_), _))) {
                    lines.push(Line::new(std::mem::take(&mut open)));
                }
                open.extend(tokens);
            }
            Err(error) => found.push(*error),
        }
        start += line.len();
        if depth(&open) <= 0 && !open.is_empty() {
            lines.push(Line::new(std::mem::take(&mut open)));
        }
    }
    if !open.is_empty() {
        lines.push(Line::new(open));
    }
    lines
}

fn tokens(source: SourceId, line: &str, start: usize, comment: char) -> Parsed<Vec<Placed>> {
    let mut tokens = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next().filter(|first| *first != comment) else {
            return Ok(tokens);
        };
        let at = start + line.len() - rest.len();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = |from: usize, inside: &dyn Fn(char) -> bool| {
            let rest = &rest[from..];
            from + rest.find(|c| !inside(c)).unwrap_or(rest.len())
        };
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let (token, length) = if is_word(first) && !first.is_ascii_digit() || first == '.' {
            let length = end(first.len_utf8(), &is_word);
            (Token::Name(rest[..length].to_string()), length)
        } else if first.is_ascii_digit() || first == '-' && digit(rest.chars().nth(1)) {
            let length = number_length(rest);
            (Token::Number(rest[..length].to_string()), length)
        } else if first == '\'' || first == '"' {
            let span = Span::new(source, at, at + 1);
            let (text, length) = quoted(rest, first).ok_or_else(|| {
                wrong(
                    Code::BadLine,
                    "a text that does not end",
                    span,
                    "begins here",
                )
            })?;
            (Token::Text(text), length)
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            (Token::Symbol(symbol), symbol.len())
        } else {
            let span = Span::new(source, at, at + first.len_utf8());
            let message = format!("`{}` means nothing here", first.escape_debug());
            return Err(wrong(Code::BadLine, message, span, "this character"));
        };
        tokens.push((token, Span::new(source, at, at + length)));
        rest = &rest[length..];
    }
}

/// Bytes of a number with a sign, a fraction and an exponent.
fn number_length(text: &str) -> usize {
    let mut before = ' ';
    let inside = |(at, c): &(usize, char)| {
        let exponent = matches!(before, 'e' | 'E') && matches!(c, '+' | '-');
        let part = c.is_ascii_alphanumeric() || *c == '.' || exponent || *at == 0;
        before = *c;
        part
    };
    text.char_indices()
        .take_while(inside)
        .map(|(_, c)| c.len_utf8())
        .sum()
}

/// The text in quotes, with `\n` and quoted quotes, and its bytes with them.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => match characters.next()?.1 {
                'n' => inside.push('\n'),
                't' => inside.push('\t'),
                other => inside.push(other),
            },
            '\n' => return None,
            _ if c == quote => return Some((inside, at + 1)),
            _ => inside.push(c),
        }
    }
    None
}

impl Line {
    fn new(tokens: Vec<Placed>) -> Line {
        let span = match (tokens.first(), tokens.last()) {
            (Some((_, first)), Some((_, last))) => first.to(*last),
            _ => Span::BUILT_IN,
        };
        Line {
            tokens: tokens.into_iter().peekable(),
            span,
        }
    }

    /// The next token, if there is one.
    pub fn take(&mut self) -> Option<Placed> {
        self.tokens.next()
    }

    /// The next token, which stays.
    pub fn peek(&mut self) -> Option<&Token> {
        self.tokens.peek().map(|(token, _)| token)
    }

    /// Whether the next token is this symbol, which is taken then.
    pub fn takes(&mut self, symbol: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Symbol(found)) if *found == symbol);
        if is_next {
            self.take();
        }
        is_next
    }

    /// Takes a symbol.
    pub fn expect(&mut self, symbol: &str) -> Parsed<()> {
        match self.takes(symbol) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{symbol}`"))),
        }
    }

    /// Takes a name.
    pub fn name(&mut self, what: &str) -> Parsed<(String, Span)> {
        match self
            .tokens
            .next_if(|(token, _)| matches!(token, Token::Name(_)))
        {
            Some((Token::Name(name), span)) => Ok((name, span)),
            _ => Err(self.unexpected(what)),
        }
    }

    /// Takes an integer.
    pub fn integer(&mut self, what: &str) -> Parsed<(i64, Span)> {
        match self
            .tokens
            .next_if(|(token, _)| matches!(token, Token::Number(_)))
        {
            Some((Token::Number(text), span)) => match text.parse() {
                Ok(number) => Ok((number, span)),
                Err(_) => {
                    let message = format!("`{text}` is not an integer of 64 bits");
                    Err(wrong(Code::BadLine, message, span, "this number"))
                }
            },
            _ => Err(self.unexpected(what)),
        }
    }

    /// Takes a number that is finite.
    pub fn real(&mut self, what: &str) -> Parsed<f64> {
        match self
            .tokens
            .next_if(|(token, _)| matches!(token, Token::Number(_)))
        {
            Some((Token::Number(text), span)) => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(number),
                _ => {
                    let message = format!("`{text}` is not a finite number");
                    Err(wrong(Code::BadLine, message, span, "this number"))
                }
            },
            _ => Err(self.unexpected(what)),
        }
    }

    /// Nothing may follow.
    pub fn end(&mut self) -> Parsed<()> {
        match self.tokens.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the line")),
        }
    }

    /// The error that something else stands where `what` is expected.
    pub fn unexpected(&mut self, what: &str) -> Box<Diagnostic> {
        match self.tokens.peek() {
            Some((_, span)) => {
                let message = format!("{what} is expected here");
                wrong(Code::BadLine, message, *span, "something else")
            }
            None => {
                let message = format!("the line ends where {what} is expected");
                wrong(Code::BadLine, message, self.span, "this line")
            }
        }
    }
}
