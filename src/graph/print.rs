//! S-ops and selectors as RASP expressions, for tables, labels and diagnostics. Named nodes print
//! as their names below the top, and long expressions are cut: this is for reading, not parsing.

use super::build::Graph;
use super::node::{SOp, SOpId, Scorer, ScorerId, Selector, SelectorId};
use super::shape::selects_all;
use crate::value::{Op, Table, Value};

/// Nesting below which an expression is abbreviated to `…`.
const DEPTH: usize = 4;

impl Graph {
    /// Its name, or else its expression.
    pub fn describe(&self, id: SOpId) -> String {
        self.name(id)
            .map_or_else(|| self.expression(id), str::to_string)
    }

    /// Its expression, one level deep at least, whatever its name.
    pub fn expression(&self, id: SOpId) -> String {
        self.sop_text(id, DEPTH, true)
    }

    /// Its name, or else its expression.
    pub fn describe_selector(&self, id: SelectorId) -> String {
        self.selector_text(id, DEPTH)
    }

    fn sop_text(&self, id: SOpId, depth: usize, top: bool) -> String {
        if !top && let Some(name) = self.name(id) {
            return name.to_string();
        }
        if depth == 0
            && !matches!(
                self.get(id),
                SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_)
            )
        {
            return "…".to_string();
        }
        let inner = |id: &SOpId| self.sop_text(*id, depth - 1, false);
        match self.get(id) {
            SOp::Tokens => "tokens_asis".to_string(),
            SOp::Indices => "indices".to_string(),
            SOp::Given(number) => format!("given {number}"),
            SOp::Constant(value) => value.source(),
            SOp::Map { op, operands } => {
                let operands: Vec<String> = operands.iter().map(inner).collect();
                map_text(op, &operands)
            }
            SOp::Aggregate {
                selector,
                value,
                default,
            } => {
                let selector = self.selector_text(*selector, depth - 1);
                aggregate_text(argument(&selector), &inner(value), default)
            }
            SOp::Width { selector } => {
                if selects_all(self, *selector) {
                    return "length".to_string();
                }
                format!(
                    "selector_width({})",
                    argument(&self.selector_text(*selector, depth - 1))
                )
            }
            SOp::WeightedMean {
                scorer,
                value,
                default,
            } => {
                let scorer = self.scorer_call(*scorer, depth - 1);
                aggregate_text(&scorer, &inner(value), default)
            }
        }
    }

    fn selector_text(&self, id: SelectorId, depth: usize) -> String {
        if let Some(name) = self.selector_name(id) {
            return name.to_string();
        }
        if depth == 0 {
            return "…".to_string();
        }
        match self.get_selector(id) {
            Selector::Compare {
                keys,
                queries,
                comparison,
            } => format!(
                "select({}, {}, {})",
                argument(&self.sop_text(*keys, depth - 1, false)),
                argument(&self.sop_text(*queries, depth - 1, false)),
                comparison.symbol()
            ),
            Selector::And(a, b) => format!(
                "({} and {})",
                self.selector_text(*a, depth - 1),
                self.selector_text(*b, depth - 1)
            ),
            Selector::Or(a, b) => format!(
                "({} or {})",
                self.selector_text(*a, depth - 1),
                self.selector_text(*b, depth - 1)
            ),
            Selector::Not(a) => format!("(not {})", self.selector_text(*a, depth - 1)),
            Selector::Predicate(scorer) => {
                format!("select{}", self.scorer_text(*scorer, depth - 1))
            }
            Selector::Best { selector, scorer } => format!(
                "select_best({}, {})",
                argument(&self.selector_text(*selector, depth - 1)),
                self.scorer_call(*scorer, depth - 1)
            ),
        }
    }

    /// A scorer as a call of `score`.
    pub fn describe_scorer(&self, id: ScorerId) -> String {
        self.scorer_call(id, DEPTH)
    }

    fn scorer_call(&self, id: ScorerId, depth: usize) -> String {
        format!("score{}", self.scorer_text(id, depth))
    }

    /// The function of a scorer, with `key(x)` and `query(x)` for what it reads.
    fn scorer_text(&self, id: ScorerId, depth: usize) -> String {
        match self.get_scorer(id) {
            Scorer::Key(sop) => {
                format!("(key({}))", argument(&self.sop_text(*sop, depth, false)))
            }
            Scorer::Query(sop) => {
                format!("(query({}))", argument(&self.sop_text(*sop, depth, false)))
            }
            Scorer::Constant(value) => format!("({})", value.source()),
            Scorer::Map { .. } if depth == 0 => "(…)".to_string(),
            Scorer::Map { op, operands } => {
                let operands: Vec<String> = operands
                    .iter()
                    .map(|operand| {
                        let text = self.scorer_text(*operand, depth - 1);
                        match self.get_scorer(*operand) {
                            Scorer::Map { .. } => text,
                            Scorer::Key(_) | Scorer::Query(_) | Scorer::Constant(_) => {
                                argument(&text).to_string()
                            }
                        }
                    })
                    .collect();
                let text = map_text(op, &operands);
                if text.starts_with('(') {
                    text
                } else {
                    format!("({text})")
                }
            }
        }
    }
}

/// A text between brackets of its own, without those that it comes with: an operator's text stands in
/// brackets as a whole, and nothing else begins with one.
fn argument(text: &str) -> &str {
    let within = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    within.unwrap_or(text)
}

fn aggregate_text(by: &str, value: &str, default: &Value) -> String {
    let value = argument(value);
    if *default == Value::Int(0) {
        format!("aggregate({by}, {value})")
    } else {
        format!("aggregate({by}, {value}, {})", default.source())
    }
}

fn map_text(op: &Op, operands: &[String]) -> String {
    match (op, operands) {
        (Op::If, [condition, then, otherwise]) => {
            format!("({then} if {condition} else {otherwise})")
        }
        (Op::ToStr | Op::ToInt | Op::ToFloat | Op::ToBool, [tokens]) if tokens == "tokens_asis" => {
            op.symbol().to_string()
        }
        (Op::Lookup(table), [index]) => {
            format!("{}[{}]", table_text(table), argument(index))
        }
        (Op::In(items), [operand]) => format!("({operand} in {})", list_text(items)),
        (Op::Not, [operand]) => format!("(not {operand})"),
        (Op::Negate | Op::Plus, [operand]) => format!("{op}{operand}"),
        (_, [operand]) => format!("{op}({})", argument(operand)),
        (_, [left, right]) => format!("({left} {op} {right})"),
        _ => {
            let operands: Vec<String> =
                operands.iter().map(|it| argument(it).to_string()).collect();
            format!("{op}({})", operands.join(", "))
        }
    }
}

fn table_text(table: &Table) -> String {
    match table {
        Table::List(items) => list_text(items),
        Table::Str(items) => {
            crate::value::atom::quote(&items.iter().map(Value::to_string).collect::<String>())
        }
        Table::Dict(entries) => {
            let shown: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", key.source(), value.source()))
                .collect();
            format!("{{{}}}", shown.join(", "))
        }
    }
}

fn list_text(items: &[Value]) -> String {
    let shown: Vec<String> = items.iter().map(Value::source).collect();
    format!("[{}]", shown.join(", "))
}
