//! What has a value for each input, an s-op, a selector or a scorer, applied to one, to be shown.

use super::{Evaluated, Sequence, evaluate, evaluate_scorer, evaluate_selector};
use crate::base::Limits;
use crate::graph::{Graph, SOpId, ScorerId, SelectorId};
use crate::value::Value;

/// What has a value for each input.
#[derive(Clone, Copy, Debug)]
pub enum Applicable {
    SOp(SOpId),
    Selector(SelectorId),
    Scorer(ScorerId),
}

/// The result of an s-op, selector or scorer applied to an input.
#[derive(Clone, Debug)]
pub enum Application {
    Sequence {
        input: Vec<Value>,
        output: Sequence,
    },
    Matrix {
        input: Vec<Value>,
        rows: Vec<Vec<bool>>,
    },
    /// The scores of the keys, a row for each query.
    Scores {
        input: Vec<Value>,
        rows: Vec<Vec<Value>>,
    },
}

impl Applicable {
    /// # Errors
    /// As [`evaluate`], [`evaluate_selector`] and [`evaluate_scorer`].
    pub fn on(self, graph: &Graph, input: Vec<Value>, limits: &Limits) -> Evaluated<Application> {
        match self {
            Applicable::SOp(id) => {
                evaluate(graph, id, &input).map(|output| Application::Sequence { input, output })
            }
            Applicable::Selector(id) => evaluate_selector(graph, id, &input, limits)
                .map(|rows| Application::Matrix { input, rows }),
            Applicable::Scorer(id) => evaluate_scorer(graph, id, &input, limits)
                .map(|rows| Application::Scores { input, rows }),
        }
    }
}

impl Application {
    /// What kind of thing it is, as tools are told it.
    pub fn kind(&self) -> &'static str {
        match self {
            Application::Sequence { output, .. } => output.sequence_type.name(),
            Application::Matrix { .. } => "selector",
            Application::Scores { .. } => "scorer",
        }
    }
}
