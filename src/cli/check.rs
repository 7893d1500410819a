//! `rasp check`: the types and value domains of what a program defines.

use super::arguments::Check;
use super::input::{asked, open, vocabulary};
use super::json::Values;
use super::model::HAZARDS;
use super::output::{Output, Stop, table};
use super::progress;
use crate::base::Sources;
use crate::eval::{Event, Meta};
use crate::graph::{SOpId, Sharing};
use crate::infer::facts::NodeFacts;
use crate::infer::{Domain, Facts};
use crate::session::Session;
use indexmap::IndexMap;
use serde_json::{Value as Json, json};

pub fn check(output: &mut Output, arguments: &Check) -> Result<(), Stop> {
    let given = output.expect(vocabulary(&arguments.setting), &Sources::new())?;
    let (session, events) = open(output, &arguments.program, Sharing::Equal)?;
    let definitions = definitions(&session, &events);
    let wanted = given.is_some() || session.settings.vocabulary.is_some();
    let facts = match wanted {
        true => {
            let setting = session.setting(&asked(&arguments.setting, given, None));
            let setting = output.expect(setting, session.sources())?;
            let roots: Vec<SOpId> = definitions.values().filter_map(Meta::as_sop).collect();
            let control = session.control();
            let facts = || session.facts(&roots, &setting);
            let facts = progress::shown(output, control, "inferring values", facts)?;
            let facts = output.expect(facts, session.sources())?;
            let hazards = || session.hazards(&roots, &setting);
            let hazards = progress::shown(output, control, HAZARDS, hazards)?;
            output.report_all(&hazards, session.sources())?;
            Some(facts)
        }
        false => None,
    };
    if arguments.json {
        let rows: Vec<Json> = definitions
            .iter()
            .map(|(name, meta)| row_json(&session, facts.as_ref(), name, meta))
            .collect();
        return output.json(&json!({ "definitions": rows }));
    }
    let rows: Vec<Vec<String>> = definitions
        .iter()
        .map(|(name, meta)| row(&session, facts.as_ref(), name, meta))
        .collect();
    let mut titles = vec!["name", "kind", "type"];
    if facts.is_some() {
        titles.extend(["depth", "encoding", "values"]);
    }
    output.text(&table(&titles, &rows))
}

/// What the program defines, with what its expression statements say, in order.
#[expect(clippy::wildcard_enum_match_arm, reason = "others define nothing")]
fn definitions(session: &Session, events: &[Event]) -> IndexMap<String, Meta> {
    let mut definitions = IndexMap::new();
    for event in events {
        match event {
            Event::Assigned { name, meta } => {
                definitions.insert(name.to_string(), meta.clone());
            }
            Event::Expression { meta, span, .. } => {
                let text = session.sources().text(*span).to_string();
                definitions.entry(text).or_insert_with(|| meta.clone());
            }
            _ => {}
        }
    }
    definitions
}

/// The kind of a definition and the types of its values; of what has none, what it is.
fn kind(
    session: &Session,
    node: Option<&NodeFacts>,
    name: &str,
    meta: &Meta,
) -> (&'static str, String) {
    let graph = session.graph();
    match meta {
        Meta::SOp(id) => {
            let types = node.map_or_else(|| graph.types(*id), |node| node.types(graph));
            ("s-op", types.to_string())
        }
        Meta::Selector(id) => {
            let described = session.graph().describe_selector(*id);
            // Its own name says nothing new.
            let described = if described == name {
                String::new()
            } else {
                described
            };
            ("selector", described)
        }
        Meta::Scorer(id) => ("scorer", session.graph().describe_scorer(*id)),
        Meta::Function(callable) => ("function", callable.signature()),
        Meta::List(_) => ("list", meta.repr()),
        Meta::Dict(_) => ("dict", meta.repr()),
        Meta::Application(_) => ("application", meta.repr()),
        Meta::Atom(value) => (value.type_name(), value.source()),
        Meta::Broken => ("broken", String::new()),
    }
}

fn row(session: &Session, facts: Option<&Facts>, name: &str, meta: &Meta) -> Vec<String> {
    let node = facts.and_then(|facts| find(facts, meta));
    let (kind, types) = kind(session, node, name, meta);
    let mut cells = vec![name.to_string(), kind.to_string(), types];
    cells.extend(node.into_iter().flat_map(NodeFacts::cells));
    cells
}

fn row_json(session: &Session, facts: Option<&Facts>, name: &str, meta: &Meta) -> Json {
    let node = facts.and_then(|facts| find(facts, meta));
    let (kind, types) = kind(session, node, name, meta);
    let mut row = json!({"name": name, "kind": kind, "type": types});
    if let Some(node) = node {
        row["depth"] = node.depth.into();
        row["encoding"] = node.encoding.to_string().into();
        match &node.domain {
            Domain::Finite(values) => row["domain"] = json!(Values(values)),
            Domain::Unknown { code, reason, .. } => {
                row["domain"] = Json::Null;
                row["unknown"] = json!({"code": code.number(), "reason": reason});
            }
        }
    }
    row
}

fn find<'f>(facts: &'f Facts, meta: &Meta) -> Option<&'f NodeFacts> {
    facts.get(meta.as_sop()?)
}
