//! What inference says to people and tools: one row for each s-op, without the tables behind it.

use super::{Analysis, Setting, VarKind};
use crate::base::{Code, Diagnostic, Fallible, Limits};
use crate::graph::{self, Graph, SOpId};
use crate::value::{TypeSet, Value};
use std::fmt;
use std::sync::Arc;

/// The values an s-op can have.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// These and no others, sorted.
    Finite(Arc<[Value]>),
    /// Too many to list, or not determined.
    Unknown {
        code: Code,
        reason: String,
        /// The s-op at which it became unknown.
        culprit: SOpId,
    },
}

/// How an s-op is best held in a residual stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// As a function of the embeddings; it needs no direction of its own.
    Embedded,
    /// As one number.
    Numerical,
    /// As a direction for each value, or fewer if its readers want less.
    Categorical,
    /// As the output of a feed-forward block, or a linear read.
    Computed,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// Values of a domain that are shown to people.
const SHOWN_VALUES: usize = 12;

/// One row of the facts.
#[derive(Clone, Debug)]
pub struct NodeFacts {
    pub id: SOpId,
    pub domain: Domain,
    pub encoding: Encoding,
    /// The longest chain of attention heads that it needs.
    pub depth: usize,
    /// The variables it is a function of, as people call them.
    pub variables: Vec<String>,
}

impl NodeFacts {
    /// The types of its values: of those that the s-op may have as it is written, without strings, or
    /// without all else, where no value is one. Numbers that are equal are listed once, of whatever type.
    pub fn types(&self, graph: &Graph) -> TypeSet {
        let written = graph.types(self.id);
        let Domain::Finite(values) = &self.domain else {
            return written;
        };
        let found = values.iter().map(|value| match TypeSet::of(value) {
            TypeSet::STR => TypeSet::STR,
            _ => TypeSet::NUMBER,
        });
        match found.reduce(TypeSet::union) {
            Some(found) => written.intersection(found),
            None => written,
        }
    }

    /// What people are shown of it under `depth`, `encoding` and `values`.
    pub fn cells(&self) -> [String; 3] {
        let values = match &self.domain {
            Domain::Finite(values) if values.is_empty() => {
                "none: it fails on every input of these tokens".to_string()
            }
            Domain::Finite(values) => {
                let shown = values.iter().take(SHOWN_VALUES).map(Value::source);
                let mut text = shown.collect::<Vec<_>>().join(" ");
                if values.len() > SHOWN_VALUES {
                    text.push_str(&format!(" … ({} values)", values.len()));
                }
                text
            }
            Domain::Unknown { reason, .. } => reason.clone(),
        };
        [self.depth.to_string(), self.encoding.to_string(), values]
    }
}

/// What is inferred of all s-ops that some roots need, in order of id.
#[derive(Clone, Debug)]
pub struct Facts {
    pub nodes: Vec<NodeFacts>,
}

impl Facts {
    pub fn get(&self, id: SOpId) -> Option<&NodeFacts> {
        let at = self.nodes.binary_search_by_key(&id, |node| node.id).ok()?;
        self.nodes.get(at)
    }
}

/// Infers what the roots and all they need can be.
///
/// # Errors
/// An empty vocabulary or a length of 0.
pub fn infer(
    graph: &Graph,
    roots: &[SOpId],
    setting: &Setting,
    limits: &Limits,
) -> Fallible<Facts> {
    check_setting(setting, limits)?;
    let analysis = Analysis::new(graph, roots, setting, limits);
    graph.control().check()?;
    let mut depths = vec![0; roots.iter().map(|id| id.0 as usize + 1).max().unwrap_or(0)];
    let nodes = graph
        .reachable(roots)
        .into_iter()
        .map(|id| {
            let below = graph.dependencies(id);
            let deepest = below
                .iter()
                .map(|id| depths[id.0 as usize])
                .max()
                .unwrap_or(0);
            let needs_head = graph.get(id).attends() && analysis.needs_attention(id);
            depths[id.0 as usize] = deepest + usize::from(needs_head);
            analysis.facts_of(id, depths[id.0 as usize])
        })
        .collect();
    Ok(Facts { nodes })
}

/// # Errors
/// A setting without tokens or without length, with a token no weight can hold, or with inputs so
/// long that the table of the index alone would have too many rows.
pub fn check_setting(setting: &Setting, limits: &Limits) -> Fallible<()> {
    if setting.max_length > limits.table_rows {
        let (limit, asked) = (limits.table_rows, setting.max_length);
        let message = format!("the limit of {limit} tokens in an input is reached");
        let error = Diagnostic::error(Code::LimitReached, message)
            .note(format!("asked for are inputs of up to {asked}"))
            .help("give a smaller `--max-len`");
        return Err(error.into());
    }
    let problem = if setting.vocabulary.is_empty() {
        "the vocabulary is empty"
    } else if setting.max_length == 0 {
        "the greatest length is 0"
    } else if setting
        .vocabulary
        .iter()
        .any(|token| matches!(token, Value::Float(float) if !float.is_finite()))
    {
        "a token is not a finite number"
    } else if Value::distinct(&setting.vocabulary).len() < setting.vocabulary.len() {
        "a token is in the vocabulary twice"
    } else {
        return Ok(());
    };
    let error = Diagnostic::error(Code::BadRequest, problem);
    Err(match setting.max_length {
        0 => error.help("the longest input has one token at least, like `--max-len 8`"),
        _ => error,
    }
    .into())
}

impl Analysis<'_> {
    /// Whether an s-op that attends depends on more than the embeddings, as far as is known.
    fn needs_attention(&self, id: SOpId) -> bool {
        self.node(id).map_or(true, |node| {
            node.column
                .space
                .vars
                .iter()
                .any(|var| *var > Self::INDICES)
        })
    }

    fn facts_of(&self, id: SOpId, depth: usize) -> NodeFacts {
        let (domain, encoding, variables) = match self.node(id) {
            Ok(node) => {
                let vars = &node.column.space.vars;
                let names = vars.iter().map(|var| self.var_name(*var)).collect();
                let own = node.own.map(|var| self.kind(var));
                let encoding = match (own, self.graph.encoding(id)) {
                    _ if vars.iter().all(|var| *var <= Self::INDICES) => Encoding::Embedded,
                    (_, Some(graph::Encoding::Categorical)) => Encoding::Categorical,
                    (_, Some(graph::Encoding::Numerical)) => Encoding::Numerical,
                    (Some(VarKind::Pick(_) | VarKind::Given(_)), None) => Encoding::Categorical,
                    (
                        Some(
                            VarKind::Width(_)
                            | VarKind::Mean(_)
                            | VarKind::Sum(_)
                            | VarKind::Weighted(_),
                        ),
                        None,
                    ) => Encoding::Numerical,
                    _ => Encoding::Computed,
                };
                (
                    Domain::Finite(node.column.values.domain.clone()),
                    encoding,
                    names,
                )
            }
            Err(stopped) => {
                let unknown = Domain::Unknown {
                    code: stopped.code,
                    reason: stopped.reason,
                    culprit: stopped.culprit.unwrap_or(id),
                };
                let encoding = match self.real(id) {
                    Some(_) => Encoding::Numerical,
                    None => Encoding::Computed,
                };
                (unknown, encoding, Vec::new())
            }
        };
        NodeFacts {
            id,
            domain,
            encoding,
            depth,
            variables,
        }
    }
}
