//! The graph of a program: what each named s-op and each head is computed from. Depends on `graph`
//! and `schedule`.

use super::drawing::{Block, Drawing, Graph, Link, Node, Panel, Role, Section};
use super::feed::sides;
use super::flow::{NUMBERED, attention};
use super::{Budget, Subject};
use crate::base::Fallible;
use crate::base::table::form;
use crate::graph::{self, SOp, SOpId, without_number};
use crate::schedule::{Attention, schedule};
use crate::value::Op;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// S-ops with a name, beyond which only heads are drawn.
const MOST_NAMED: usize = 60;

/// Boxes beyond which heads that are alike are one.
const MOST_BOXES: usize = 60;

/// Heads that are alike, from which on they are one box then.
const ALIKE: usize = 3;

/// The graph that an s-op is the end of. S-ops without a name are drawn within their readers, unless
/// a head computes them.
///
/// # Errors
/// A limit is reached.
pub fn program(subject: &Subject, root: SOpId, name: &str) -> Fallible<Drawing> {
    let apart = subject.graph.told_apart(&[root], &[]);
    let subject = &subject.of(&apart);
    let numbered = matches!(apart, Cow::Owned(_));
    let graph = subject.graph;
    let mut budget = Budget::new(subject.limits);
    let layers = schedule(graph, &[root]);
    let mut builder = Builder {
        subject,
        graph: Graph::default(),
        selectors: FxHashMap::default(),
        sources: FxHashMap::default(),
    };
    let needed = graph.reachable(&[root]);
    let is_named = |id: &&SOpId| graph.name(**id).is_some();
    let heads_only = needed.iter().filter(is_named).count() > MOST_NAMED;
    for id in needed.iter().copied() {
        graph.control().check()?;
        let kept = match graph.get(id) {
            // The tokens as strings stand for them.
            SOp::Tokens => needed.iter().any(|reader| {
                !is_tokens(graph, *reader) && graph.dependencies(*reader).contains(&id)
            }),
            SOp::Indices | SOp::Given(_) => true,
            SOp::Constant(_) => false,
            SOp::Map { .. } if is_tokens(graph, id) => true,
            SOp::Map { .. } => id == root || (graph.name(id).is_some() && !heads_only),
            SOp::Aggregate { .. } | SOp::Width { .. } | SOp::WeightedMean { .. } => true,
        };
        if !kept {
            let through = builder.of(&graph.dependencies(id));
            builder.sources.insert(id, through);
            continue;
        }
        builder.add(id, layers.depth(id), (id == root).then_some(name));
        budget.boxes(builder.graph.nodes.len().saturating_sub(budget.boxes))?;
    }
    let boxes = builder.graph.nodes.len();
    let graph = match boxes > MOST_BOXES {
        true => folded(builder.graph),
        false => builder.graph,
    };
    let mut notes = Vec::new();
    if heads_only {
        notes.push("the heads alone: there are too many s-ops between them");
    }
    if graph.nodes.len() < boxes {
        notes.push("heads of a layer that differ in numbers and strings only are one box");
    }
    if numbered
        && graph
            .nodes
            .iter()
            .any(|node| without_number(&node.name) != node.name)
    {
        notes.push(NUMBERED);
    }
    let panel = Panel {
        id: "program".to_string(),
        blocks: vec![Block::Graph(graph)],
        ..Panel::default()
    };
    Ok(Drawing {
        title: format!("what {name} is computed from"),
        note: notes.join("; "),
        sections: vec![Section {
            title: String::new(),
            panels: vec![panel],
        }],
        ..Drawing::default()
    })
}

/// A graph in which heads of a layer that are alike are one box. None of these reads another: in a
/// layer come its selectors, then its heads, then what is computed from these.
fn folded(graph: Graph) -> Graph {
    let is_head = |node: &Node| matches!(node.role, Role::Value | Role::Selector);
    let kind = |node: &Node| (node.layer, node.role, form(&node.name), form(&node.text));
    let mut alike: FxHashMap<_, Vec<String>> = FxHashMap::default();
    for node in graph.nodes.iter().filter(|node| is_head(node)) {
        alike.entry(kind(node)).or_default().push(node.id.clone());
    }
    let mut stands_for: FxHashMap<String, String> = FxHashMap::default();
    let mut short = Graph::default();
    for mut node in graph.nodes {
        let same = alike.get(&kind(&node)).filter(|_| is_head(&node));
        if let Some(same) = same.filter(|same| same.len() >= ALIKE) {
            stands_for.insert(node.id.clone(), same[0].clone());
            if node.id != same[0] {
                continue;
            }
            if node.text.is_empty() {
                std::mem::swap(&mut node.name, &mut node.text);
            }
            let what = if node.role == Role::Selector {
                "selectors"
            } else {
                "heads"
            };
            node.name = format!("{} {what} like", same.len());
        }
        short.nodes.push(node);
    }
    let called = |id: &String| stands_for.get(id).unwrap_or(id).clone();
    for edge in graph.edges {
        let edge = Link {
            from: called(&edge.from),
            to: called(&edge.to),
            ..edge
        };
        if !short.edges.contains(&edge) {
            short.edges.push(edge);
        }
    }
    short.nodes.sort_by_key(|node| {
        let place = match node.role {
            Role::Selector => 0,
            Role::Value => 1,
            Role::Token | Role::Query | Role::Key | Role::Result | Role::FeedForward => 2,
        };
        (node.layer, place)
    });
    short
}

/// Whether an s-op is the tokens as strings.
fn is_tokens(graph: &graph::Graph, id: SOpId) -> bool {
    let SOp::Map { op, operands } = graph.get(id) else {
        return false;
    };
    *op == Op::ToStr
        && operands
            .iter()
            .all(|operand| *graph.get(*operand) == SOp::Tokens)
}

struct Builder<'a> {
    subject: &'a Subject<'a>,
    graph: Graph,
    selectors: FxHashMap<Attention, String>,
    /// The nodes that stand for each s-op.
    sources: FxHashMap<SOpId, Vec<String>>,
}

impl Builder<'_> {
    fn of(&self, sops: &[SOpId]) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for node in sops
            .iter()
            .flat_map(|id| self.sources.get(id).into_iter().flatten())
        {
            if !all.contains(node) {
                all.push(node.clone());
            }
        }
        all
    }

    fn link(&mut self, from: &[SOpId], to: &str, role: Role) {
        for from in self.of(from) {
            self.edge(&from, to, role);
        }
    }

    fn edge(&mut self, from: &str, to: &str, role: Role) {
        let link = Link {
            from: from.to_string(),
            to: to.to_string(),
            role,
        };
        if !self.graph.edges.contains(&link) {
            self.graph.edges.push(link);
        }
    }

    fn add(&mut self, id: SOpId, layer: usize, root: Option<&str>) {
        let graph = self.subject.graph;
        let node = format!("s{}", id.0);
        let attends = attention(graph.get(id));
        let selector = attends.map(|attention| self.selector(attention, layer));
        let role = match graph.get(id) {
            _ if root.is_some() => Role::Result,
            SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) => Role::Token,
            SOp::Map { .. } if is_tokens(graph, id) => Role::Token,
            SOp::Map { .. } => Role::FeedForward,
            SOp::Aggregate { .. } | SOp::Width { .. } | SOp::WeightedMean { .. } => Role::Value,
        };
        let name = root.or(graph.name(id)).unwrap_or_default().to_string();
        let text = graph.expression(id);
        self.graph.nodes.push(Node {
            id: node.clone(),
            text: match name == text || is_tokens(graph, id) {
                true => String::new(),
                false => text,
            },
            name,
            role,
            layer,
        });
        match graph.get(id) {
            SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) => {}
            SOp::Map { operands, .. } => self.link(operands, &node, Role::FeedForward),
            SOp::Aggregate { .. } | SOp::Width { .. } | SOp::WeightedMean { .. } => {
                let value: Vec<SOpId> = graph.get(id).moved().into_iter().collect();
                self.link(&value, &node, Role::Value);
                if let Some(selector) = selector {
                    self.edge(&selector, &node, Role::Selector);
                }
            }
        }
        self.sources.insert(id, vec![node]);
    }

    fn selector(&mut self, attention: Attention, layer: usize) -> String {
        if let Some(known) = self.selectors.get(&attention) {
            return known.clone();
        }
        let graph = self.subject.graph;
        let (id, name) = match attention {
            Attention::Selector(id) => (format!("select{}", id.0), graph.selector_name(id)),
            Attention::Scorer(id) => (format!("score{}", id.0), None),
        };
        self.graph.nodes.push(Node {
            id: id.clone(),
            name: name.unwrap_or_default().to_string(),
            text: match name {
                Some(_) => String::new(),
                None => attention.describe(graph),
            },
            role: Role::Selector,
            layer,
        });
        let sides = sides(graph, attention);
        self.link(&sides.queries, &id, Role::Query);
        self.link(&sides.keys, &id, Role::Key);
        self.selectors.insert(attention, id.clone());
        id
    }
}
