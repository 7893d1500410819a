//! The parser's entry points. A text becomes tokens, contextual words are recognised, the grammar
//! builds the tree, and what went wrong is kept beside it.

use super::ast::{Ast, Comment, ExprId, Statement, StatementKind};
use super::build::{Builder, Failed};
use super::mistake::{Mistake, MistakeKind};
use super::token::{Lexed, Lexeme, Token, lex, open_brackets};
use super::{command, repair};
use crate::base::{Limits, SourceId, Span};
use lalrpop_util::{ParseError, lalrpop_mod};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, clippy::restriction, unused)]
    rasp
);

/// Rounds of repairing missing `;` before the rest is taken as it is.
const REPAIRS: usize = 8;

/// A tree, whole or with error nodes, and everything that is wrong with the text.
#[derive(Clone, Debug, Default)]
pub struct Parsed<'s> {
    pub ast: Ast,
    /// In the order in which they were found.
    pub mistakes: Vec<Mistake>,
    /// What the tree was made of: the tokens as they were meant.
    pub lexemes: Vec<Lexeme<'s>>,
}

/// Reads a text as a program. Never fails: without mistakes the tree has no error nodes; a text
/// beyond the limits gives an empty tree.
pub fn parse<'s>(source: SourceId, text: &'s str, limits: &Limits) -> Parsed<'s> {
    if text.len() > limits.source_bytes.min(u32::MAX as usize) {
        let first = text.chars().next().map_or(0, char::len_utf8);
        let span = Span::new(source, 0, first);
        return without_tree(Vec::new(), MistakeKind::SourceBytes.at(span));
    }
    let lexed = lex(source, text, limits.open_brackets);
    if let Some(span) = lexed.too_deep {
        return without_tree(lexed.comments, MistakeKind::OpenBrackets.at(span));
    }
    let mut parsed = parse_lexed(source, text, lexed);
    if let Some(deep) = too_deep(&parsed.ast, limits) {
        // Nothing that a later pass could stumble over is left.
        parsed.ast = comments_only(parsed.ast.comments);
        parsed.mistakes.push(deep);
    }
    parsed
}

/// Reads a text typed at the prompt, where the last `;` may be missing.
pub fn parse_entry<'s>(source: SourceId, text: &'s str, limits: &Limits) -> Parsed<'s> {
    let mut parsed = parse(source, text, limits);
    let end = parsed.lexemes.last().map(|last| last.end as u32);
    parsed.mistakes.retain(|mistake| {
        mistake.kind != MistakeKind::NoSemicolon || Some(mistake.span.end) != end
    });
    parsed
}

/// Reads a text as a single expression, with or without a `;` after it.
pub fn parse_expression<'s>(
    source: SourceId,
    text: &'s str,
    limits: &Limits,
) -> (Parsed<'s>, Option<ExprId>) {
    let mut parsed = parse(source, text, limits);
    let Parsed { ast, mistakes, .. } = &mut parsed;
    // One statement can miss only the `;` at its end.
    if ast.statements.len() == 1 {
        mistakes.retain(|mistake| mistake.kind != MistakeKind::NoSemicolon);
    }
    let expression = match ast.statements.as_slice() {
        [
            Statement {
                kind: StatementKind::Expression(value),
                ..
            },
        ] => Some(*value),
        _ => None,
    };
    if expression.is_none() && mistakes.is_empty() {
        let end = ast.statements.first().map_or(0, |first| first.span.end);
        let span = Span::new(source, 0, end as usize);
        mistakes.push(MistakeKind::NoExpression.at(span));
    }
    (parsed, expression)
}

/// How far a text typed at the prompt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// It can be run as it is. Blanks and comments alone are complete.
    Complete,
    /// It can be run with a `;` after it.
    CompleteWithSemicolon,
    /// It could become a program by typing more.
    Incomplete,
    /// Nothing typed after it would make it right.
    Erroneous,
}

/// Whether a text typed at the prompt can be run or needs another line.
pub fn completeness(text: &str) -> Completeness {
    let limits = Limits::default();
    if text.len() > limits.source_bytes {
        return Completeness::Erroneous;
    }
    let source = SourceId(0);
    let mut lexed = lex(source, text, limits.open_brackets);
    if lexed.too_deep.is_some()
        || !repair::join(source, text, &mut lexed.lexemes).is_empty()
        || !repair::respell(source, &mut lexed.lexemes).is_empty()
    {
        return Completeness::Erroneous;
    }
    let mut lexemes = command::recognize(text, &lexed.lexemes);
    let mut builder = Builder::new(source, BTreeMap::new());
    run(&mut builder, &lexemes);
    let last = lexemes.last().map(|last| last.token);
    match builder.failed.first() {
        None => Completeness::Complete,
        // Commands end with their line.
        Some(_) if last.is_some_and(Token::takes_value) => Completeness::Erroneous,
        // No `;` closes a bracket.
        Some(ParseError::UnrecognizedEof { .. }) if open_brackets(&lexemes) > 0 => {
            Completeness::Incomplete
        }
        Some(ParseError::UnrecognizedEof { .. }) => {
            lexemes.push(semicolon(text.len()));
            let mut again = Builder::new(source, BTreeMap::new());
            run(&mut again, &lexemes);
            if again.failed.is_empty() {
                Completeness::CompleteWithSemicolon
            } else {
                Completeness::Incomplete
            }
        }
        Some(_) => Completeness::Erroneous,
    }
}

fn without_tree<'s>(comments: Vec<Comment>, mistake: Mistake) -> Parsed<'s> {
    Parsed {
        ast: comments_only(comments),
        mistakes: vec![mistake],
        lexemes: Vec::new(),
    }
}

fn comments_only(comments: Vec<Comment>) -> Ast {
    let mut ast = Ast::default();
    ast.comments = comments;
    ast
}

/// The first expression deeper than the limit.
fn too_deep(ast: &Ast, limits: &Limits) -> Option<Mistake> {
    let mut exprs = ast.ids().map(|id| ast.get(id));
    let deep = exprs.find(|expr| expr.depth as usize > limits.expression_depth)?;
    Some(MistakeKind::ExpressionDepth.at(deep.span))
}

fn parse_lexed<'s>(source: SourceId, text: &'s str, mut lexed: Lexed<'s>) -> Parsed<'s> {
    let mut mistakes = repair::comments(source, text, &mut lexed.lexemes);
    mistakes.extend(repair::join(source, text, &mut lexed.lexemes));
    mistakes.extend(repair::respell(source, &mut lexed.lexemes));
    let documentation = documentation(text, &lexed);
    // A long text has as many tokens as a tree has nodes: one copy of them is enough.
    let written = std::mem::take(&mut lexed.lexemes);
    let mut lexemes = command::recognize(text, &written);
    drop(written);
    // An open string has swallowed its `;`: that is not a second mistake.
    let mut repaired: BTreeSet<usize> = mistakes
        .iter()
        .filter(|mistake| mistake.kind == MistakeKind::OpenString)
        .map(|mistake| mistake.span.end as usize)
        .collect();
    for round in 0.. {
        let mut builder = Builder::new(source, documentation.clone());
        builder.ast.statements = run(&mut builder, &lexemes);
        let failed = builder.failed.iter();
        let missing = failed.filter_map(|failed| repair::missing_semicolon(failed, text, &lexemes));
        let missing: Vec<_> = missing.collect();
        if round < REPAIRS && !missing.is_empty() {
            for place in &missing {
                if repaired.insert(place.end) {
                    // The last character of the statement is marked: an empty span is hard to see.
                    let last = text[..place.end].chars().next_back();
                    let start = place.end - last.map_or(0, char::len_utf8);
                    let span = Span::new(source, start, place.end);
                    mistakes.push(MistakeKind::NoSemicolon.at(span));
                }
            }
            lexemes = with_semicolons(&lexemes, &missing);
            lexemes = command::recognize(text, &lexemes);
            continue;
        }
        let foreign = repair::foreign_blocks(&builder.failed, text, &lexemes);
        if round < REPAIRS && !foreign.is_empty() {
            mistakes.extend(foreign.iter().map(|block| {
                let (first, last) = (lexemes[block.start], lexemes[block.end - 1]);
                MistakeKind::Block.at(Span::new(source, first.start, last.end))
            }));
            lexemes = without(&lexemes, &foreign);
            continue;
        }
        let failed = builder.failed.into_iter();
        mistakes.extend(failed.map(|failed| unexpected(source, text, failed)));
        mistakes.append(&mut builder.mistakes);
        builder.ast.comments = lexed.comments;
        return Parsed {
            ast: builder.ast,
            mistakes,
            lexemes,
        };
    }
    unreachable!("the last round returns")
}

/// A failure of the grammar, as the place where it was noticed and what would have fitted.
fn unexpected(source: SourceId, text: &str, failed: Failed) -> Mistake {
    let (start, end, expected) = match failed {
        ParseError::UnrecognizedToken {
            token: (start, _, end),
            expected,
        } => (start, end, expected),
        ParseError::UnrecognizedEof { expected, .. } => (text.len(), text.len(), expected),
        ParseError::ExtraToken { token } => (token.0, token.2, Vec::new()),
        ParseError::InvalidToken { location } => (location, location, Vec::new()),
        ParseError::User { .. } => (0, 0, Vec::new()),
    };
    MistakeKind::Unexpected(expected).at(Span::new(source, start, end))
}

fn with_semicolons<'s>(
    lexemes: &[Lexeme<'s>],
    missing: &[repair::MissingSemicolon],
) -> Vec<Lexeme<'s>> {
    let mut places = missing.iter().peekable();
    let mut whole = Vec::with_capacity(lexemes.len() + missing.len());
    for at in 0..=lexemes.len() {
        while places.next_if(|place| place.before <= at).is_some() {
            let end = whole.last().map_or(0, |previous: &Lexeme| previous.end);
            whole.push(semicolon(end));
        }
        whole.extend(lexemes.get(at));
    }
    whole
}

/// The lexemes outside some of their ranges.
fn without<'s>(lexemes: &[Lexeme<'s>], ranges: &[Range<usize>]) -> Vec<Lexeme<'s>> {
    let mut kept = Vec::with_capacity(lexemes.len());
    let mut from = 0;
    for range in ranges {
        kept.extend_from_slice(&lexemes[from..range.start]);
        from = range.end;
    }
    kept.extend_from_slice(&lexemes[from..]);
    kept
}

fn semicolon<'s>(at: usize) -> Lexeme<'s> {
    Lexeme {
        token: Token::Semicolon,
        start: at,
        end: at,
    }
}

fn run<'s>(builder: &mut Builder<'s>, lexemes: &[Lexeme<'s>]) -> Vec<Statement> {
    let tokens = lexemes
        .iter()
        .map(|lexeme| (lexeme.start, lexeme.token, lexeme.end));
    let patience = Rc::clone(&builder.patience);
    let tokens = tokens.take_while(|_| patience.get() > 0);
    match rasp::ProgramParser::new().parse(builder, tokens) {
        Ok(statements) => statements,
        Err(failed) => {
            builder.failed.push(failed);
            Vec::new()
        }
    }
}

/// The text of each run of `##` lines by the start of the token on the line below.
fn documentation(text: &str, lexed: &Lexed) -> BTreeMap<usize, String> {
    let mut documentation = BTreeMap::new();
    let mut lines: Vec<&str> = Vec::new();
    for (at, comment) in lexed.comments.iter().enumerate() {
        let written = &text[comment.span.range()];
        let Some(line) = written.strip_prefix("##").filter(|_| comment.own_line) else {
            lines.clear();
            continue;
        };
        lines.push(line.strip_prefix(' ').unwrap_or(line));
        let end = comment.span.end as usize;
        let next_token = lexed
            .lexemes
            .get(lexed.lexemes.partition_point(|lexeme| lexeme.start < end))
            .map(|lexeme| lexeme.start);
        let next_comment = lexed
            .comments
            .get(at + 1)
            .map(|next| next.span.start as usize);
        if next_comment.is_some_and(|comment| follows(text, end, comment)) {
            continue;
        }
        if let Some(token) = next_token.filter(|token| follows(text, end, *token)) {
            documentation.insert(token, lines.join("\n"));
        }
        lines.clear();
    }
    documentation
}

/// Whether `next` stands on the line below `end` with only blanks between them.
fn follows(text: &str, end: usize, next: usize) -> bool {
    let between = &text[end..next];
    between.trim().is_empty() && between.matches('\n').count() == 1
}
