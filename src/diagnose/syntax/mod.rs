//! Mistakes of the parser in words.

mod mended;
mod missing;
mod place;
mod slip;
mod words;

use crate::base::{Diagnostic, Limits, SourceId};
use crate::syntax::mistake::MistakeKind;
use crate::syntax::parse::Parsed;
use crate::syntax::recognize;
use crate::syntax::token::lex;
use place::{Context, Place};
use std::cell::OnceCell;

/// Mistakes that are explained in one text; nobody reads more at once.
const SHOWN: usize = 100;

/// What there is to say about a text that has been read, in the order of the text. What follows from
/// another mistake is not told.
#[expect(clippy::wildcard_enum_match_arm, reason = "others expect nothing")]
pub(super) fn diagnostics(
    source: SourceId,
    text: &str,
    parsed: &Parsed,
    limits: &Limits,
) -> Vec<Diagnostic> {
    let lexemes = &parsed.lexemes;
    let context = Context {
        source,
        text,
        lexemes,
    };
    let written = OnceCell::new();
    let mut told: Vec<Diagnostic> = Vec::new();
    let mut unsaid = 0;
    let mut before = Before {
        only_follows: true,
        after_return: false,
        failed: None,
    };
    for mistake in &parsed.mistakes {
        if told.len() >= SHOWN {
            unsaid += 1;
            continue;
        }
        let span = mistake.span;
        let place = match &mistake.kind {
            MistakeKind::Unexpected(expected) => Some(context.failure(span.start, expected)),
            _ => None,
        };
        if let Some(place) = &place {
            let follows = before.implies(place, text.get(span.range()));
            // A body with a mistake in it may not have said yet what it returns.
            let body = place.body_so_far().filter(|_| place.returns_nothing());
            let mut places = told.iter().filter_map(Diagnostic::span);
            let unsure = body.is_some_and(|body| places.any(|place| body.contains(place)));
            // What is no operator, and stands where none could: it is told once, without another.
            // Of `+=` there is more to say.
            let sign = text.get(span.range()).filter(|sign| !sign.ends_with('='));
            let mut known = told.iter_mut();
            let known = known.find(|it| sign.is_some() && it.span() == Some(span));
            let again = known.map(|known| known.help = None).is_some();
            if follows || unsure || again {
                continue;
            }
        }
        told.push(match (&place, &mistake.kind) {
            (Some(place), _) => place.diagnostic(),
            (None, MistakeKind::Block) => {
                let lexemes = written.get_or_init(|| {
                    recognize(text, &lex(source, text, limits.open_brackets).lexemes)
                });
                let context = Context { lexemes, ..context };
                context.foreign(span.start)
            }
            (None, _) => mended::diagnostic(&context, mistake, limits),
        });
        before.after_return = place.is_some_and(|place| place.is_after_return());
    }
    if let (Some(last), 1..) = (told.last_mut(), unsaid) {
        last.notes.push(match unsaid {
            1 => "there is another syntax error".to_string(),
            _ => format!("there are {unsaid} more syntax errors"),
        });
    }
    told.sort_by_key(|diagnostic| diagnostic.span().map(|span| (span.start, span.end)));
    told
}

/// The mistakes before one, of which it may be a consequence.
struct Before {
    /// Whether each of them was one, as far as it could be.
    only_follows: bool,
    /// Whether the last that was told is what stands behind a `return`.
    after_return: bool,
    /// The statement of the last.
    failed: Option<usize>,
}

impl Before {
    /// Whether a failure at what is written there only follows from them.
    fn implies(&mut self, place: &Place, written: Option<&str>) -> bool {
        // A `}` that closes nothing, after a mistake in the head of its block, is no second one.
        let closes = written == Some("}");
        let stray = closes && place.expects("def") && !place.expects("return");
        // What follows a `return` is told once.
        let repeated = self.after_return && place.expects("return");
        // A statement that has failed is read on from somewhere.
        let again = self.failed.replace(place.statement) == Some(place.statement);
        let follows = (stray && !self.only_follows) || repeated || again;
        self.only_follows &= follows;
        follows
    }
}
