//! What can be asked for on an input: an s-op, a selector or a scorer; and the answer, as text and as
//! JSON. Depends on `interpret` and `session`.

use super::json::Values;
use crate::base::{Diagnostic, Fallible, Limits};
use crate::eval::Meta;
use crate::graph::{Graph, SOpId, ScorerId, SelectorId};
use crate::interpret::{self, Sequence};
use crate::session::{Session, show};
use crate::value::Value;
use serde::{Serialize, Serializer};

/// What has a value for each input.
#[derive(Clone, Copy)]
pub enum Asked {
    SOp(SOpId),
    Selector(SelectorId),
    Scorer(ScorerId),
}

/// What it is on an input.
pub enum Answer {
    Sequence(Sequence),
    Rows(Vec<Vec<bool>>),
    Scores(Vec<Vec<Value>>),
}

impl Asked {
    /// `None` if it is the same for every input.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are constant")]
    pub fn of(meta: &Meta) -> Option<Asked> {
        match meta {
            Meta::SOp(id) => Some(Asked::SOp(*id)),
            Meta::Selector(id) => Some(Asked::Selector(*id)),
            Meta::Scorer(id) => Some(Asked::Scorer(*id)),
            _ => None,
        }
    }

    /// # Errors
    /// As [`interpret::evaluate`].
    pub fn answer(self, graph: &Graph, tokens: &[Value], limits: &Limits) -> Fallible<Answer> {
        let answer = match self {
            Asked::SOp(id) => interpret::evaluate(graph, id, tokens).map(Answer::Sequence),
            Asked::Selector(id) => {
                interpret::evaluate_selector(graph, id, tokens, limits).map(Answer::Rows)
            }
            Asked::Scorer(id) => {
                interpret::evaluate_scorer(graph, id, tokens, limits).map(Answer::Scores)
            }
        };
        answer.map_err(|failed| failed.in_graph(graph).into())
    }

    /// Why there is no answer, with what the program says about it.
    pub fn explained(self, session: &Session, error: Box<Diagnostic>) -> Box<Diagnostic> {
        match self {
            Asked::SOp(id) => session.explained(*error, &[id]),
            Asked::Selector(_) | Asked::Scorer(_) => error,
        }
    }
}

impl Answer {
    /// What kind of thing it is, as tools are told it.
    pub fn kind(&self) -> &'static str {
        match self {
            Answer::Sequence(sequence) => sequence.sequence_type.name(),
            Answer::Rows(_) => "selector",
            Answer::Scores(_) => "scorer",
        }
    }

    /// What was asked, applied to an input of these tokens, and what it is.
    pub fn told(&self, applied: &str, tokens: &[Value]) -> String {
        match self {
            Answer::Sequence(sequence) => format!("{applied} = {sequence}"),
            Answer::Rows(rows) => format!("{applied} = \n{}", show::matrix(tokens, rows)),
            Answer::Scores(rows) => format!("{applied} = \n{}", show::scores(tokens, rows)),
        }
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Answer::Sequence(sequence) => Values(&sequence.values).serialize(serializer),
            Answer::Rows(rows) => rows.serialize(serializer),
            Answer::Scores(rows) => serializer.collect_seq(rows.iter().map(|row| Values(row))),
        }
    }
}
