//! Text to tokens with byte spans. Nothing fails here: what is no token of the language becomes
//! [`Token::Unknown`] or [`Token::OpenString`], and the parser says what is wrong with it. Comments
//! are kept aside, in the order of the text.

use super::ast::{Comment, ExampleKind};
use crate::base::{SourceId, Span};
use logos::Logos;
use std::fmt;

/// One token. Words that are names in one place and commands in another are lexed as
/// [`Token::Name`]; `command` turns them into the tokens of the second half.
#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip(r"[ \t\r\n\f\u{feff}]+"))]
pub enum Token<'s> {
    #[regex("[a-zA-Z_][a-zA-Z_0-9]*")]
    Name(&'s str),
    #[regex("[0-9]+")]
    Int(&'s str),
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")]
    Float(&'s str),
    /// A string with its quotes and escapes.
    #[regex(r#""([^"\\\r\n]|\\[^\r\n])*""#)]
    #[regex(r"'([^'\\\r\n]|\\[^\r\n])*'")]
    Str(&'s str),
    /// A string whose line ends before its quote.
    #[regex(r#""([^"\\\r\n]|\\[^\r\n])*\\?"#)]
    #[regex(r"'([^'\\\r\n]|\\[^\r\n])*\\?")]
    OpenString(&'s str),
    #[regex(r"#[^\n]*", allow_greedy = true)]
    Comment,

    #[token("for")]
    For,
    #[token("in")]
    In,
    #[token("not")]
    Not,
    #[token("and")]
    And,
    #[token("or")]
    Or,
    #[token("if")]
    If,
    #[token("else")]
    Else,
    #[token("def")]
    Def,
    #[token("return")]
    Return,
    #[token("load")]
    Load,
    #[token("draw")]
    Draw,

    #[token(";")]
    Semicolon,
    #[token("=")]
    Assign,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("(")]
    LeftParenthesis,
    #[token(")")]
    RightParenthesis,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("^")]
    Caret,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,

    /// Spellings of other languages, which get an explanation of their own.
    #[regex(r"&&|\|\||//|\*\*|=<|=>|<>|:=|->|[-+*/%^]=|//=|\*\*=|[0-9]+\.|\.[0-9]+")]
    Foreign(&'s str),
    /// Anything else; neighbouring characters outside ASCII make one token.
    #[regex(r"[^\x00-\x7f\u{feff}]+")]
    #[regex(r"[\x00-\x7f]", priority = 0)]
    Unknown(&'s str),

    Lambda,
    Assert,
    Repeat,
    SetExample(ExampleKind),
    ShowExample(ExampleKind),
    Examples((ExampleKind, bool)),
    FullDisplay(bool),
    SetVocabulary,
    SetMaxLength,
    SetCausal(bool),
    Exit,
}

/// The words of the language that are no names.
pub const KEYWORDS: &[&str] = &[
    "and", "assert", "def", "draw", "else", "for", "if", "in", "lambda", "load", "not", "or",
    "repeat", "return",
];

impl Token<'_> {
    /// One of [`KEYWORDS`].
    pub fn is_keyword(self) -> bool {
        matches!(
            self,
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
                | Token::Lambda
                | Token::Assert
                | Token::Repeat
        )
    }

    /// The words of a command, which are one token.
    pub fn is_command(self) -> bool {
        self.takes_value() || self.is_whole_command()
    }

    /// The beginning of a command that an expression ends.
    pub fn takes_value(self) -> bool {
        matches!(
            self,
            Token::SetExample(_) | Token::SetVocabulary | Token::SetMaxLength
        )
    }

    /// A command that takes no expression.
    pub fn is_whole_command(self) -> bool {
        matches!(
            self,
            Token::ShowExample(_)
                | Token::Examples(_)
                | Token::FullDisplay(_)
                | Token::SetCausal(_)
                | Token::Exit
        )
    }

    /// Whether an expression can begin with this token.
    pub fn starts_expression(self) -> bool {
        matches!(
            self,
            Token::Name(_)
                | Token::Int(_)
                | Token::Float(_)
                | Token::Str(_)
                | Token::OpenString(_)
                | Token::Not
                | Token::Minus
                | Token::Plus
                | Token::LeftParenthesis
                | Token::LeftBracket
                | Token::LeftBrace
                | Token::Lambda
        )
    }

    /// Whether an expression can end with this token.
    pub fn ends_expression(self) -> bool {
        matches!(
            self,
            Token::Name(_)
                | Token::Int(_)
                | Token::Float(_)
                | Token::Str(_)
                | Token::OpenString(_)
                | Token::RightParenthesis
                | Token::RightBracket
                | Token::RightBrace
        )
    }

    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Token::Equal
                | Token::NotEqual
                | Token::Less
                | Token::LessEqual
                | Token::Greater
                | Token::GreaterEqual
        )
    }

    /// Whether it stands between two operands.
    pub fn is_infix(self) -> bool {
        self.is_comparison()
            || matches!(
                self,
                Token::And
                    | Token::Or
                    | Token::Plus
                    | Token::Minus
                    | Token::Star
                    | Token::Slash
                    | Token::Percent
                    | Token::Caret
                    | Token::In
            )
    }

    pub fn opens(self) -> bool {
        matches!(
            self,
            Token::LeftParenthesis | Token::LeftBracket | Token::LeftBrace
        )
    }

    pub fn closes(self) -> bool {
        matches!(
            self,
            Token::RightParenthesis | Token::RightBracket | Token::RightBrace
        )
    }

    /// How many more brackets are open behind it.
    pub fn nesting(self) -> isize {
        isize::from(self.opens()) - isize::from(self.closes())
    }
}

/// What the parser generator needs; people are shown the source text instead.
impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A token with its bytes `start..end` of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lexeme<'s> {
    pub token: Token<'s>,
    pub start: usize,
    pub end: usize,
}

/// A text as tokens and comments.
pub struct Lexed<'s> {
    pub lexemes: Vec<Lexeme<'s>>,
    pub comments: Vec<Comment>,
    /// The bracket that goes beyond the limit on open brackets; nothing after it was read.
    pub too_deep: Option<Span>,
}

/// Splits a text into tokens; stops where more than `open_brackets` brackets are open.
pub fn lex(source: SourceId, text: &str, open_brackets: usize) -> Lexed<'_> {
    let mut lexed = Lexed {
        lexemes: Vec::new(),
        comments: Vec::new(),
        too_deep: None,
    };
    let mut open = 0_usize;
    for (result, range) in Token::lexer(text).spanned() {
        let token = result.unwrap_or_else(|()| Token::Unknown(&text[range.clone()]));
        let span = Span::new(source, range.start, range.end);
        if token == Token::Comment {
            lexed.comments.push(comment(text, span));
            continue;
        }
        open = open.saturating_add_signed(token.nesting());
        if open > open_brackets {
            lexed.too_deep = Some(span);
            return lexed;
        }
        lexed.lexemes.push(Lexeme {
            token,
            start: range.start,
            end: range.end,
        });
    }
    lexed
}

/// The comment without the blanks (and the carriage return) at its end.
fn comment(text: &str, span: Span) -> Comment {
    let end = span.start as usize + text[span.range()].trim_end().len();
    let before = &text[..span.start as usize];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Comment {
        span: Span::new(span.source, span.start as usize, end),
        own_line: before[line_start..].trim().is_empty(),
    }
}

/// How many brackets are open behind some lexemes.
pub fn open_brackets(lexemes: &[Lexeme]) -> usize {
    let nesting = lexemes.iter().map(|lexeme| lexeme.token.nesting());
    nesting.fold(0, usize::saturating_add_signed)
}
