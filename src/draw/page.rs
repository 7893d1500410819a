//! A model and its program as one HTML page, which fetches nothing and runs both in JavaScript. All
//! that comes from programs and inputs is in one block of JSON, in which no tag can begin.

use super::Subject;
use super::residual::groups;
use super::selecting::selecting;
use super::svg::escaped;
use super::transformer::{finite, named_selectors};
use crate::base::{Code, Diagnostic, Fallible};
use crate::graph::{Graph, SOp, SOpId, Scorer, ScorerId, Selector, SelectorId};
use crate::model::json::value_to_json;
use crate::model::{Attention, Decoder, FeedForward, Head, Layer, Mask, Matrix, Model, Readout};
use crate::plan::Plan;
use crate::value::sequence::as_text;
use crate::value::{Op, Table, Value};
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

const HTML: &str = include_str!("page/page.html");
const CSS: &str = include_str!("page/page.css");
/// One after the other: the model, the program, what heads select, and the page itself.
const SCRIPTS: [&str; 4] = [
    include_str!("page/model.js"),
    include_str!("page/program.js"),
    include_str!("page/select.js"),
    include_str!("page/page.js"),
];

/// Nodes of a program that a page interprets, at most.
const NODES: usize = 5_000;

/// A page for a model of some s-ops of a program, showing the input of the subject first.
///
/// # Errors
/// An input or a model that is too large (E0801).
pub fn page(subject: &Subject, roots: &[SOpId], model: &Model) -> Fallible<String> {
    let apart = subject.graph.told_apart(roots, &[]);
    let subject = &subject.of(&apart);
    let entries = model.nonzero();
    let positions = subject.input.len().max(1);
    let width = model.d_model.saturating_mul(positions);
    if entries.max(width) > subject.limits.drawn_cells {
        let message = format!(
            "the limit `drawn_cells` of {} is reached: the model has {entries} weights",
            subject.limits.drawn_cells
        );
        let error = Diagnostic::error(Code::LimitReached, message);
        return Err(error
            .help("compile for fewer tokens, or a shorter input")
            .into());
    }
    let (program, known) = program(subject.graph, roots);
    let data = json!({
        "model": model_json(model, subject.graph, roots, &known),
        "program": program,
        "input": input(subject.input),
    });
    // In a script element `<` could end it.
    let data = data.to_string().replace('<', "\\u003c");
    let title = escaped(&model.name);
    let script = SCRIPTS.concat();
    let mut page = String::with_capacity(data.len() + HTML.len() + CSS.len() + script.len());
    for (at, piece) in HTML.split("{{").enumerate() {
        match piece.split_once("}}") {
            Some((name, rest)) if at > 0 => {
                page.push_str(match name {
                    "title" => &title,
                    "css" => CSS,
                    "data" => &data,
                    _ => &script,
                });
                page.push_str(rest);
            }
            _ => page.push_str(piece),
        }
    }
    Ok(page)
}

/// An input as the page's field takes it: characters, or a list.
fn input(tokens: &[Value]) -> String {
    let text = as_text(tokens).filter(|text| !text.contains('['));
    text.unwrap_or_else(|| {
        tokens
            .iter()
            .map(value_to_json)
            .collect::<Json>()
            .to_string()
    })
}

fn values(values: &[Value]) -> Json {
    values.iter().map(value_to_json).collect()
}

fn matrix(matrix: &Matrix) -> Json {
    let entries = matrix.entries();
    let entries = entries
        .flat_map(|(row, column, number)| [json!(row), json!(column), json!(finite(number))]);
    json!({
        "rows": matrix.rows(),
        "columns": matrix.columns(),
        "entries": entries.collect::<Json>(),
    })
}

fn readout(readout: &Readout) -> Json {
    let (kind, known) = match &readout.decoder {
        Decoder::Categorical(known) => ("categorical", known),
        Decoder::Numerical(known) => ("numerical", known),
    };
    json!({
        "weights": matrix(&readout.weights),
        "bias": readout.bias,
        "kind": kind,
        "values": values(known),
    })
}

fn model_json(
    model: &Model,
    graph: &Graph,
    roots: &[SOpId],
    known: &FxHashMap<SelectorId, usize>,
) -> Json {
    let mut selectors = FxHashMap::default();
    for root in roots {
        selectors.extend(named_selectors(graph, *root));
    }
    let plan = Plan::of(model);
    let head = |(head, selects, shared): (&Head, Json, bool)| {
        let selector = selectors.get(&head.label).filter(|_| !shared);
        let meaning = selectors
            .get(&head.label)
            .and_then(|id| meaning(graph, *id));
        json!({
            "source": match meaning {
                Some(meaning) if meaning != head.label => format!("{} = {meaning}", head.label),
                _ => head.label.clone(),
            },
            // What of the program it computes alone, and what it selects by the plan of the model.
            "selector": selector.and_then(|id| known.get(id)),
            "selects": selects,
            "mask": match head.mask {
                Mask::All => "all",
                Mask::Earlier => "earlier",
                Mask::Later => "later",
            },
            "hard": head.attention == Attention::Hard,
            "query": matrix(&head.query),
            "query_bias": head.query_bias,
            "key": matrix(&head.key),
            "key_bias": head.key_bias,
            "value": matrix(&head.value),
            "output": matrix(&head.output),
        })
    };
    let mlp = |mlp: &FeedForward| {
        json!({
            "layer_norm": mlp.layer_norm,
            "input": matrix(&mlp.input),
            "input_bias": mlp.input_bias,
            "output": matrix(&mlp.output),
            "output_bias": mlp.output_bias,
        })
    };
    let layer = |(index, layer): (usize, &Layer)| {
        let selects = plan.as_ref().map(|plan| selecting(plan, index + 1));
        let selects = selects.unwrap_or_default().into_iter();
        let selects = selects.chain(std::iter::repeat(Json::Null));
        let is_shared = |head: &Head| {
            let same = layer.heads.iter().filter(|other| other.label == head.label);
            same.count() > 1
        };
        let heads = layer.heads.iter().zip(selects);
        let heads = heads.map(|(found, selects)| head((found, selects, is_shared(found))));
        json!({
            "heads": heads.collect::<Json>(),
            "mlp": mlp(&layer.mlp),
        })
    };
    let variables = model.variables.iter().map(|variable| {
        json!({
            "name": variable.name,
            "ready": variable.ready,
            "readout": readout(&variable.readout),
        })
    });
    let outputs = model.outputs.iter();
    let outputs =
        outputs.map(|output| json!({"name": output.name, "readout": readout(&output.readout)}));
    let groups = groups(model).into_iter();
    let groups = groups.map(|(name, directions)| json!({"name": name, "directions": directions}));
    json!({
        "bos": model.bos,
        "vocabulary": values(&model.vocabulary),
        "max_length": model.max_length,
        "causal": model.causal,
        "d_model": model.d_model,
        "token_embedding": matrix(&model.token_embedding),
        "position_embedding": matrix(&model.position_embedding),
        "layers": model.layers.iter().enumerate().map(layer).collect::<Json>(),
        "runs": model.runs().map(|(layer, round)| json!([layer, round])).collect::<Json>(),
        "outputs": outputs.collect::<Json>(),
        "variables": variables.collect::<Json>(),
        "directions": model.directions,
        "groups": groups.collect::<Json>(),
    })
}

/// A selector by what it compares, whatever its name.
fn meaning(graph: &Graph, id: SelectorId) -> Option<String> {
    let of = |id: &SelectorId| graph.describe_selector(*id);
    Some(match graph.get_selector(id) {
        Selector::Compare {
            keys,
            queries,
            comparison,
        } => format!(
            "select({}, {}, {})",
            graph.describe(*keys),
            graph.describe(*queries),
            comparison.symbol()
        ),
        Selector::And(a, b) => format!("{} and {}", of(a), of(b)),
        Selector::Or(a, b) => format!("{} or {}", of(a), of(b)),
        Selector::Not(a) => format!("not {}", of(a)),
        Selector::Predicate(_) | Selector::Best { .. } => return None,
    })
}

/// The graph of a program, for the page's interpreter, and the places of its selectors there; nothing
/// if it is too large.
fn program(graph: &Graph, roots: &[SOpId]) -> (Json, FxHashMap<SelectorId, usize>) {
    let needed = graph.reachable(roots);
    if needed.len() > NODES {
        return (Json::Null, FxHashMap::default());
    }
    let mut writer = Writer {
        graph,
        places: needed
            .iter()
            .enumerate()
            .map(|(at, id)| (*id, at))
            .collect(),
        selectors: Vec::new(),
        scorers: Vec::new(),
        known: FxHashMap::default(),
        scored: FxHashMap::default(),
    };
    let sops: Vec<Json> = needed.iter().map(|id| writer.sop(*id)).collect();
    let program = json!({
        "sops": sops,
        "selectors": writer.selectors,
        "scorers": writer.scorers,
        "roots": roots.iter().map(|root| writer.places[root]).collect::<Json>(),
    });
    (program, writer.known)
}

struct Writer<'g> {
    graph: &'g Graph,
    places: FxHashMap<SOpId, usize>,
    selectors: Vec<Json>,
    scorers: Vec<Json>,
    known: FxHashMap<SelectorId, usize>,
    scored: FxHashMap<ScorerId, usize>,
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other primitives hold nothing but their operands"
)]
fn map(op: &Op, operands: &[usize]) -> Json {
    let mut node = json!({"kind": "map", "op": op.symbol(), "of": operands});
    match op {
        Op::In(items) => node["items"] = values(items),
        Op::Lookup(table) => {
            let numbered = |items: &[Value]| -> Json {
                let items = items.iter().enumerate();
                items
                    .map(|(at, item)| json!([at, value_to_json(item)]))
                    .collect()
            };
            node["entries"] = match &**table {
                Table::List(items) | Table::Str(items) => numbered(items),
                Table::Dict(entries) => entries
                    .iter()
                    .map(|(key, value)| json!([value_to_json(key), value_to_json(value)]))
                    .collect(),
            };
        }
        _ => {}
    }
    node
}

impl Writer<'_> {
    fn sop(&mut self, id: SOpId) -> Json {
        match self.graph.get(id) {
            SOp::Tokens => json!({"kind": "tokens"}),
            SOp::Indices => json!({"kind": "indices"}),
            SOp::Given(number) => json!({"kind": "given", "number": number}),
            SOp::Constant(value) => json!({"kind": "constant", "value": value_to_json(value)}),
            SOp::Map { op, operands } => {
                let operands: Vec<usize> = operands.iter().map(|id| self.places[id]).collect();
                map(op, &operands)
            }
            SOp::Width { selector } => {
                json!({"kind": "width", "selector": self.selector(*selector)})
            }
            SOp::Aggregate {
                selector,
                value,
                default,
            } => json!({
                "kind": "aggregate",
                "selector": self.selector(*selector),
                "value": self.places[value],
                "default": value_to_json(default),
            }),
            SOp::WeightedMean {
                scorer,
                value,
                default,
            } => json!({
                "kind": "weighted",
                "scorer": self.scorer(*scorer),
                "value": self.places[value],
                "default": value_to_json(default),
            }),
        }
    }

    /// Ids are topological, so that what a selector is made of is written before it.
    fn selector(&mut self, id: SelectorId) -> usize {
        let mut pending = vec![id];
        while let Some(next) = pending.last().copied() {
            if self.known.contains_key(&next) {
                pending.pop();
                continue;
            }
            let inner: Vec<SelectorId> = match self.graph.get_selector(next) {
                Selector::And(a, b) | Selector::Or(a, b) => vec![*a, *b],
                Selector::Not(a) => vec![*a],
                Selector::Best { selector, .. } => vec![*selector],
                Selector::Compare { .. } | Selector::Predicate(_) => Vec::new(),
            };
            let missing = inner.iter().filter(|id| !self.known.contains_key(id));
            let missing: Vec<SelectorId> = missing.copied().collect();
            if !missing.is_empty() {
                pending.extend(missing);
                continue;
            }
            let of: Vec<usize> = inner.iter().map(|id| self.known[id]).collect();
            let node = match self.graph.get_selector(next) {
                Selector::Compare {
                    keys,
                    queries,
                    comparison,
                } => json!({
                    "kind": "compare",
                    "op": comparison.symbol(),
                    "keys": self.places[keys],
                    "queries": self.places[queries],
                }),
                Selector::And(..) => json!({"kind": "and", "of": of}),
                Selector::Or(..) => json!({"kind": "or", "of": of}),
                Selector::Not(_) => json!({"kind": "not", "of": of}),
                Selector::Predicate(scorer) => {
                    json!({"kind": "predicate", "scorer": self.scorer(*scorer)})
                }
                Selector::Best { scorer, .. } => {
                    json!({"kind": "best", "of": of, "scorer": self.scorer(*scorer)})
                }
            };
            self.selectors.push(node);
            self.known.insert(next, self.selectors.len() - 1);
            pending.pop();
        }
        self.known[&id]
    }

    fn scorer(&mut self, id: ScorerId) -> usize {
        let mut pending = vec![id];
        while let Some(next) = pending.last().copied() {
            if self.scored.contains_key(&next) {
                pending.pop();
                continue;
            }
            let node = match self.graph.get_scorer(next) {
                Scorer::Key(sop) => json!({"kind": "key", "of": self.places[sop]}),
                Scorer::Query(sop) => json!({"kind": "query", "of": self.places[sop]}),
                Scorer::Constant(value) => {
                    json!({"kind": "constant", "value": value_to_json(value)})
                }
                Scorer::Map { op, operands } => {
                    let missing = operands.iter().filter(|id| !self.scored.contains_key(id));
                    let missing: Vec<ScorerId> = missing.copied().collect();
                    if !missing.is_empty() {
                        pending.extend(missing);
                        continue;
                    }
                    let operands: Vec<usize> = operands.iter().map(|id| self.scored[id]).collect();
                    map(op, &operands)
                }
            };
            self.scorers.push(node);
            self.scored.insert(next, self.scorers.len() - 1);
            pending.pop();
        }
        self.scored[&id]
    }
}
