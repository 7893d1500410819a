//! Faults that evaluation met. A fault stays where it happened until a value there is needed, so
//! that the branch of a ternary that is not taken may fail.

use crate::base::{Code, Diagnostic, Span};
use crate::graph::{Graph, SOp, SOpId, ScorerId};
use crate::value::Value;
use crate::value::op::{Failure, FailureKind};
use std::cmp::Ordering;
use std::sync::Arc;

/// The code of a failure of a primitive.
pub fn code_of(kind: FailureKind) -> Code {
    match kind {
        FailureKind::Types => Code::OperandTypes,
        FailureKind::Overflow => Code::Overflow,
        FailureKind::Arithmetic => Code::ArithmeticFailed,
        FailureKind::Token => Code::BadToken,
        FailureKind::Index => Code::BadIndex,
        FailureKind::Limit => Code::LimitReached,
    }
}

/// Why there is no value at a position.
#[derive(Debug)]
pub struct Fault {
    pub code: Code,
    pub message: String,
    /// The s-op that failed.
    pub sop: SOpId,
    /// Where in the input it failed, if at one place.
    pub position: Option<usize>,
    /// Of an overflow: on which side of all 64-bit ints the value lies.
    pub beyond: Option<Ordering>,
    /// Of a score: which one it is.
    pub score: Option<Score>,
}

/// A part of a scorer, of a key for a query.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    pub scorer: ScorerId,
    pub key: usize,
    pub query: usize,
}

impl Fault {
    /// A fault of an s-op as a whole.
    pub fn new(code: Code, message: String, sop: SOpId) -> Fault {
        Fault {
            code,
            message,
            sop,
            position: None,
            beyond: None,
            score: None,
        }
    }

    pub fn of_failure(failure: Failure, sop: SOpId, position: usize) -> Fault {
        let code = code_of(failure.kind);
        Fault {
            position: Some(position),
            beyond: failure.beyond,
            ..Fault::new(code, failure.message, sop)
        }
    }

    /// What to say of it, at its place in the program. What the language gives has none: then it is
    /// where an s-op that the roots need reads it.
    pub fn diagnostic(&self, graph: &Graph, input: &[Value], roots: &[SOpId]) -> Diagnostic {
        let token = |position: usize| {
            let token = input.get(position);
            token.map_or(String::new(), |token| {
                format!(", where the token is {}", token.source())
            })
        };
        if let Some(score) = self.score {
            let (key, query) = (score.key, score.query);
            let shown = |position: usize| {
                let token = input.get(position).map_or(String::new(), Value::source);
                format!("at position {position}, {token},")
            };
            let pair = format!("for the key {} and the query {}", shown(key), shown(query));
            let error = Diagnostic::error(self.code, self.message.clone());
            let error = if matches!(graph.get(self.sop), SOp::WeightedMean { .. }) {
                error.at(graph.span(self.sop), "this fails")
            } else {
                error
            };
            let part = graph.scorer_span(score.scorer);
            return error.at(part, pair.trim_end_matches(','));
        }
        let place = match self.position {
            Some(position) => format!("this fails at position {position}{}", token(position)),
            None if matches!(graph.get(self.sop), SOp::Tokens) => {
                "the input itself mixes them".to_string()
            }
            None if self.code == Code::MixedTypes => "here they meet".to_string(),
            None => "this fails".to_string(),
        };
        let mut diagnostic = Diagnostic::error(self.code, self.message.clone());
        if let (Code::MixedTypes, SOp::Aggregate { default, .. }) = (self.code, graph.get(self.sop))
        {
            diagnostic = diagnostic.note(format!(
                "a position that selects nothing gets the default, here {}",
                default.source()
            ));
        }
        if matches!(graph.get(self.sop), SOp::Tokens) {
            let help = "use `tokens`, the tokens as strings, or give an input like `[1, 2]`";
            diagnostic = diagnostic.help(help);
        }
        let span = graph.span(self.sop);
        if span == Span::BUILT_IN && matches!(graph.get(self.sop), SOp::Tokens) {
            return diagnostic.note(place);
        }
        if span == Span::BUILT_IN {
            let read_at = graph.reachable(roots).into_iter().find_map(|id| {
                let reads = graph.dependencies(id).contains(&self.sop);
                Some(graph.span(id)).filter(|span| reads && *span != Span::BUILT_IN)
            });
            let name = graph.describe(self.sop);
            let text = place.replacen("this", &format!("`{name}`"), 1);
            return match read_at {
                Some(at) => diagnostic.at(at, text),
                None => diagnostic.note(place),
            };
        }
        self.made(graph, diagnostic.at(span, place))
    }

    /// Shows where operands were made that are only named where it failed.
    fn made(&self, graph: &Graph, mut diagnostic: Diagnostic) -> Diagnostic {
        let SOp::Map { operands, .. } = graph.get(self.sop) else {
            return diagnostic;
        };
        let span = graph.span(self.sop);
        for operand in operands {
            let made = graph.span(*operand);
            let constant = matches!(graph.get(*operand), SOp::Constant(_));
            if !constant && made.source == span.source && !span.contains(made) {
                let text = match graph.name(*operand) {
                    Some(name) => format!("`{name}` is made here"),
                    None => "an operand is made here".to_string(),
                };
                diagnostic = diagnostic.at(made, text);
            }
        }
        diagnostic
    }
}

/// The faults of a column.
#[derive(Clone, Debug)]
pub enum Faults {
    None,
    Everywhere(Arc<Fault>),
    /// By ascending position; never empty.
    Some(Vec<(usize, Arc<Fault>)>),
}

impl Faults {
    pub fn first(&self) -> Option<&Arc<Fault>> {
        match self {
            Faults::None => None,
            Faults::Everywhere(fault) => Some(fault),
            Faults::Some(faults) => faults.first().map(|(_, fault)| fault),
        }
    }

    pub fn at(&self, position: usize) -> Option<&Arc<Fault>> {
        match self {
            Faults::None => None,
            Faults::Everywhere(fault) => Some(fault),
            Faults::Some(faults) => faults
                .binary_search_by_key(&position, |(position, _)| *position)
                .ok()
                .map(|at| &faults[at].1),
        }
    }
}
