//! The parser's entry points. A text becomes tokens, contextual words are recognised, the grammar
//! builds the tree, and what went wrong becomes diagnostics in the order of the text.

use super::ast::{Ast, Comment, ExprId, Statement, StatementKind};
use super::build::{Builder, Failed};
use super::habit::RETURNS_NOTHING;
use super::token::{Lexed, Lexeme, Token, lex};
use super::{command, explain, repair};
use crate::base::{Code, Diagnostic, Limits, SourceId, Span};
use lalrpop_util::{ParseError, lalrpop_mod};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, clippy::unwrap_used, unused)]
    rasp
);

/// Rounds of repairing missing `;` before the rest is taken as it is.
const REPAIRS: usize = 8;

/// Syntax errors that are explained in one text; nobody reads more at once.
const SHOWN: usize = 100;

/// A tree, whole or with error nodes, and everything there is to say about the text.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    pub ast: Ast,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a text as a program. Never fails: without diagnostics the tree has no error nodes; a text
/// beyond the limits gives an empty tree.
pub fn parse(source: SourceId, text: &str, limits: &Limits) -> Parsed {
    if text.len() > limits.source_bytes.min(u32::MAX as usize) {
        return too_long(source, text, limits);
    }
    let lexed = lex(source, text, limits.open_brackets);
    if let Some(span) = lexed.too_deep {
        return too_many_brackets(span, lexed.comments, limits);
    }
    let mut parsed = parse_lexed(source, text, lexed);
    if let Some(diagnostic) = too_deep(&parsed.ast, limits) {
        // Nothing that a later pass could stumble over is left.
        parsed.ast = comments_only(parsed.ast.comments);
        parsed.diagnostics.push(diagnostic);
    }
    parsed
        .diagnostics
        .sort_by_key(|diagnostic| diagnostic.span().map(|span| (span.start, span.end)));
    parsed
}

/// Reads a text as a single expression, with or without a `;` after it.
pub fn parse_expression(
    source: SourceId,
    text: &str,
    limits: &Limits,
) -> (Ast, Option<ExprId>, Vec<Diagnostic>) {
    let Parsed {
        ast,
        mut diagnostics,
    } = parse(source, text, limits);
    // One statement can miss only the `;` at its end.
    if ast.statements.len() == 1 {
        diagnostics.retain(|diagnostic| diagnostic.message != repair::NO_SEMICOLON);
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
    if expression.is_none() && diagnostics.is_empty() {
        let end = ast.statements.first().map_or(0, |first| first.span.end);
        diagnostics.push(
            Diagnostic::error(
                Code::UnexpectedToken,
                "a single expression is expected here",
            )
            .at(Span::new(source, 0, end as usize), "not an expression"),
        );
    }
    (ast, expression, diagnostics)
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
        || !repair::respell(source, text, &mut lexed.lexemes).is_empty()
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

fn open_brackets(lexemes: &[Lexeme]) -> usize {
    lexemes.iter().fold(0, |open: usize, lexeme| {
        (open + usize::from(lexeme.token.opens())).saturating_sub(lexeme.token.closes().into())
    })
}

fn too_long(source: SourceId, text: &str, limits: &Limits) -> Parsed {
    let first = Span::new(source, 0, text.chars().next().map_or(0, char::len_utf8));
    let diagnostic = Diagnostic::error(Code::LimitReached, "this text is too long")
        .at(first, format!("it has {} bytes", text.len()))
        .note(format!(
            "the limit `source_bytes` is {} bytes",
            limits.source_bytes
        ));
    Parsed {
        ast: Ast::default(),
        diagnostics: vec![diagnostic],
    }
}

fn too_many_brackets(span: Span, comments: Vec<Comment>, limits: &Limits) -> Parsed {
    let diagnostic = Diagnostic::error(Code::LimitReached, "too many brackets are open")
        .at(span, "this one is one too many")
        .note(format!(
            "the limit `open_brackets` is {}",
            limits.open_brackets
        ))
        .help("name the inner parts in statements of their own");
    Parsed {
        ast: comments_only(comments),
        diagnostics: vec![diagnostic],
    }
}

fn comments_only(comments: Vec<Comment>) -> Ast {
    let mut ast = Ast::default();
    ast.comments = comments;
    ast
}

/// The first expression deeper than the limit.
fn too_deep(ast: &Ast, limits: &Limits) -> Option<Diagnostic> {
    let deep = ast
        .ids()
        .map(|id| ast.get(id))
        .find(|expr| expr.depth as usize > limits.expression_depth)?;
    Some(
        Diagnostic::error(Code::LimitReached, "this expression is nested too deeply")
            .at(deep.span, "too deep")
            .note(format!(
                "the limit `expression_depth` is {}",
                limits.expression_depth
            ))
            .help("name parts of it in statements of their own"),
    )
}

fn parse_lexed<'s>(source: SourceId, text: &'s str, mut lexed: Lexed<'s>) -> Parsed {
    let mut diagnostics = repair::comments(source, text, &mut lexed.lexemes);
    diagnostics.extend(repair::join(source, text, &mut lexed.lexemes));
    diagnostics.extend(repair::respell(source, text, &mut lexed.lexemes));
    let documentation = documentation(text, &lexed);
    let mut lexemes = command::recognize(text, &lexed.lexemes);
    // An open string has swallowed its `;`: that is not a second mistake.
    let mut repaired: BTreeSet<usize> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.code == Code::UnclosedString)
        .filter_map(|diagnostic| Some(diagnostic.span()?.end as usize))
        .collect();
    for round in 0.. {
        let mut builder = Builder::new(source, documentation.clone());
        builder.ast.statements = run(&mut builder, &lexemes);
        let missing = missing_semicolons(&builder.failed, text, &lexemes);
        if round < REPAIRS && !missing.is_empty() {
            for place in &missing {
                if repaired.insert(place.end) {
                    diagnostics.push(repair::explain(place, source, text));
                }
            }
            lexemes = with_semicolons(&lexemes, &missing);
            lexemes = command::recognize(text, &lexemes);
            continue;
        }
        let context = explain::Context {
            source,
            text,
            lexemes: &lexemes,
        };
        let mut foreign = repair::foreign_blocks(&builder.failed, text, &lexemes);
        foreign.truncate(SHOWN.saturating_sub(diagnostics.len()));
        if round < REPAIRS && !foreign.is_empty() {
            let explained = foreign.iter().map(|block| context.foreign(block.start));
            diagnostics.extend(explained);
            lexemes = without(&lexemes, &foreign);
            continue;
        }
        report(&context, &builder.failed, &mut diagnostics);
        diagnostics.append(&mut builder.diagnostics);
        builder.ast.comments = lexed.comments;
        return Parsed {
            ast: builder.ast,
            diagnostics,
        };
    }
    unreachable!("the last round returns")
}

/// Explains the failures that do not follow from others.
fn report<'s>(
    context: &explain::Context<'_, 's>,
    failures: &[Failed<'s>],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut after_return = false;
    let mut unsaid = 0;
    for (at, failed) in failures.iter().enumerate() {
        let hidden = at > 0 && is_stray_brace(failed);
        // What follows a `return` is reported once.
        let repeated = after_return && expects_return(failed);
        if hidden || repeated {
            continue;
        }
        if diagnostics.len() >= SHOWN {
            unsaid += 1;
            continue;
        }
        let explained = context.explain(failed);
        // A body with a mistake in it may not have said yet what it returns.
        let unread = explained.message == RETURNS_NOTHING
            && context.body(failed).is_some_and(|body| {
                let mut places = diagnostics.iter().filter_map(Diagnostic::span);
                places.any(|place| body.contains(place))
            });
        if !unread {
            after_return = explained.message == explain::LAST_STATEMENT;
            diagnostics.push(explained);
        }
    }
    let more = match unsaid {
        0 => return,
        1 => "there is another syntax error".to_string(),
        _ => format!("there are {unsaid} more syntax errors"),
    };
    if let Some(last) = diagnostics.last_mut() {
        last.notes.push(more);
    }
}

/// Whether a `}` closes nothing. After a mistake in the head of a block that is no second mistake.
fn is_stray_brace(failed: &Failed) -> bool {
    match failed {
        ParseError::UnrecognizedToken {
            token: (_, Token::RightBrace, _),
            expected,
        } => {
            let expects = |wanted: &str| expected.iter().any(|terminal| terminal == wanted);
            expects("\"def\"") && !expects("\"return\"")
        }
        _ => false,
    }
}

/// Whether the body of a function has no `return` yet.
fn expects_return(failed: &Failed) -> bool {
    let (ParseError::UnrecognizedToken { expected, .. }
    | ParseError::UnrecognizedEof { expected, .. }) = failed
    else {
        return false;
    };
    expected.iter().any(|terminal| terminal == "\"return\"")
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

fn missing_semicolons(
    failed: &[Failed],
    text: &str,
    lexemes: &[Lexeme],
) -> Vec<repair::MissingSemicolon> {
    failed
        .iter()
        .filter_map(|failed| repair::missing_semicolon(failed, text, lexemes))
        .collect()
}

fn run<'s>(builder: &mut Builder<'s>, lexemes: &[Lexeme<'s>]) -> Vec<Statement> {
    let tokens = lexemes
        .iter()
        .map(|lexeme| (lexeme.start, lexeme.token, lexeme.end));
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
