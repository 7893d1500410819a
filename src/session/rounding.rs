//! Comparisons that hang on rounding: of numbers that differ by no more than floats lose, so that
//! it is chance how they compare. Inputs are tried as for what fails (`hazard`), and each such
//! comparison is a warning with the shortest input found.

use super::hazard::{PASSED, held, shortened, tried};
use super::{Session, show};
use crate::base::{Code, Diagnostic, Span};
use crate::graph::{Graph, SOp, SOpId, Scorer, ScorerFunction, ScorerId, Selector, SelectorId};
use crate::infer::Setting;
use crate::interpret::Evaluated;
use crate::value::{Comparison, Op, ROUNDING, TypeSet, Value};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::iter::once;

/// S-ops evaluated, over all inputs.
const BUDGET: usize = 500_000;

/// The most inputs tried.
const TRIED: usize = 1_000;

/// A comparison of a program.
struct Compared {
    comparison: Comparison,
    span: Span,
    left: Side,
    right: Side,
    /// Whether each key is compared with each query, instead of two values at each position.
    attends: bool,
}

/// One side of a comparison.
struct Side {
    value: Source,
    /// What it is the sum or difference of: a small difference of large numbers is as uncertain as
    /// these are.
    terms: Vec<Source>,
}

/// What is read at a key and at a query.
enum Source {
    Key(SOpId),
    Query(SOpId),
    Part(ScorerId, ScorerFunction),
}

/// What s-ops hold on an input; those that fail are not there.
type Columns = FxHashMap<SOpId, Vec<Value>>;

impl Session {
    /// Warnings about comparisons that the s-ops need and that hang on rounding on some input of a
    /// setting.
    pub fn hanging_on_rounding(&self, roots: &[SOpId], setting: &Setting) -> Vec<Diagnostic> {
        let graph = self.graph();
        let mut open = comparisons(graph, roots);
        let read: BTreeSet<SOpId> = open.iter().flat_map(Compared::reads).collect();
        let work = read
            .iter()
            .map(|id| graph.reachable(&[*id]).len() + graph.len() / PASSED);
        let budget = (BUDGET / work.sum::<usize>().max(1)).min(TRIED);
        let mut found: Vec<(Span, Diagnostic)> = Vec::new();
        let read: Vec<SOpId> = read.into_iter().collect();
        for (input, values) in held(graph, &read, tried(setting, budget)) {
            if open.is_empty() {
                break;
            }
            let columns = columns(&read, values);
            open.retain(|compared| {
                if compared.hangs(&columns, input.len()).is_none() {
                    return true;
                }
                if found.iter().all(|(span, _)| *span != compared.span) {
                    found.extend(self.warning(compared, input.clone()));
                }
                false
            });
        }
        found.sort_by_key(|(span, _)| (span.source, span.start, span.end));
        found.into_iter().map(|(_, warning)| warning).collect()
    }

    fn warning(&self, compared: &Compared, input: Vec<Value>) -> Option<(Span, Diagnostic)> {
        let read: Vec<SOpId> = compared.reads().collect();
        let on = |input: &[Value]| {
            let (input, values) = held(self.graph(), &read, once(input.to_vec())).next()?;
            compared.hangs(&columns(&read, values), input.len())
        };
        let input = shortened(input, |shorter| on(shorter).is_some());
        let (left, right) = on(&input)?;
        let holds = compared.comparison.holds(&left, &right).ok()?;
        let symbol = compared.comparison.symbol();
        let what = format!(
            "{} {symbol} {} is {}",
            left.source(),
            right.source(),
            Value::Bool(holds)
        );
        let message = format!(
            "on the input {}: this comparison hangs on rounding",
            show::example(&input)
        );
        let named = |side: &Side, other: &str| match side.value {
            Source::Key(id) | Source::Query(id) => {
                let name = self.graph().name(id);
                name.unwrap_or(other).to_string()
            }
            Source::Part(..) => other.to_string(),
        };
        let (x, y) = (named(&compared.left, "x"), named(&compared.right, "y"));
        let instead = match compared.attends {
            true => format!(
                "`select({x}, {y}, lambda k, q: {})`",
                within_a_tolerance(compared.comparison, "k", "q")
            ),
            false => format!("`{}`", within_a_tolerance(compared.comparison, &x, &y)),
        };
        let warning = Diagnostic::warning(Code::HangsOnRounding, message)
            .at(compared.span, what)
            .note("the two differ by no more than floats lose when fractions are computed")
            .help(format!(
                "compare counts, which are whole numbers, or within a tolerance: {instead}"
            ));
        Some((compared.span, warning))
    }
}

/// What s-ops hold on one input, of those that have values there.
fn columns(read: &[SOpId], values: Vec<Evaluated<Vec<Value>>>) -> Columns {
    let held = read.iter().zip(values);
    held.filter_map(|(id, values)| Some((*id, values.ok()?)))
        .collect()
}

/// A comparison of numbers that comes out as it would if close ones were equal.
fn within_a_tolerance(comparison: Comparison, x: &str, y: &str) -> String {
    match comparison {
        Comparison::Equal => format!("{x} - {y} < 0.001 and {y} - {x} < 0.001"),
        Comparison::NotEqual => format!("{x} - {y} > 0.001 or {y} - {x} > 0.001"),
        Comparison::Less | Comparison::GreaterEqual => {
            format!("{x} {} {y} - 0.001", comparison.symbol())
        }
        Comparison::LessEqual | Comparison::Greater => {
            format!("{x} {} {y} + 0.001", comparison.symbol())
        }
    }
}

/// The comparisons that some s-ops need in which there can be fractions.
fn comparisons(graph: &Graph, roots: &[SOpId]) -> Vec<Compared> {
    let mut found = Vec::new();
    let mut selectors: BTreeSet<SelectorId> = BTreeSet::new();
    let mut scorers: BTreeSet<ScorerId> = BTreeSet::new();
    for id in graph.reachable(roots) {
        match graph.get(id) {
            SOp::Map {
                op: Op::Compare(comparison),
                operands,
            } => {
                if let [left, right] = operands[..]
                    && can_be_close(graph.types(left), graph.types(right))
                {
                    found.push(Compared {
                        comparison: *comparison,
                        span: graph.span(id),
                        left: Side::new(graph, Source::Key(left)),
                        right: Side::new(graph, Source::Query(right)),
                        attends: false,
                    });
                }
            }
            SOp::Aggregate { selector, .. } | SOp::Width { selector } => {
                selectors.insert(*selector);
            }
            SOp::WeightedMean { scorer, .. } => {
                scorers.insert(*scorer);
            }
            SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_) | SOp::Map { .. } => {}
        }
    }
    // Operands have smaller ids.
    while let Some(id) = selectors.pop_last() {
        match graph.get_selector(id) {
            Selector::Compare {
                keys,
                queries,
                comparison,
            } => {
                if can_be_close(graph.types(*keys), graph.types(*queries)) {
                    found.push(Compared {
                        comparison: *comparison,
                        span: graph.selector_span(id),
                        left: Side::new(graph, Source::Key(*keys)),
                        right: Side::new(graph, Source::Query(*queries)),
                        attends: true,
                    });
                }
            }
            Selector::And(a, b) | Selector::Or(a, b) => selectors.extend([*a, *b]),
            Selector::Not(a) => drop(selectors.insert(*a)),
            Selector::Predicate(scorer) => drop(scorers.insert(*scorer)),
            Selector::Best { selector, scorer } => {
                selectors.insert(*selector);
                scorers.insert(*scorer);
            }
        }
    }
    while let Some(id) = scorers.pop_last() {
        let Scorer::Map { op, operands } = graph.get_scorer(id) else {
            continue;
        };
        scorers.extend(operands);
        if let (Op::Compare(comparison), [left, right]) = (op, &operands[..])
            && can_be_close(graph.scorer_types(*left), graph.scorer_types(*right))
        {
            found.push(Compared {
                comparison: *comparison,
                span: graph.scorer_span(id),
                left: Side::new(graph, Source::part(graph, *left)),
                right: Side::new(graph, Source::part(graph, *right)),
                attends: true,
            });
        }
    }
    found
}

/// Whether both sides can be numbers, and one of them a fraction.
fn can_be_close(left: TypeSet, right: TypeSet) -> bool {
    left.meets(TypeSet::NUMBER)
        && right.meets(TypeSet::NUMBER)
        && left.union(right).meets(TypeSet::FLOAT)
}

impl Side {
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are no sums")]
    fn new(graph: &Graph, value: Source) -> Side {
        let is_sum = |op: &Op| matches!(op, Op::Add | Op::Subtract);
        let sops = |id: SOpId| match graph.get(id) {
            SOp::Map { op, operands } if is_sum(op) => &operands[..],
            _ => &[],
        };
        let terms = match &value {
            Source::Key(id) => sops(*id).iter().copied().map(Source::Key).collect(),
            Source::Query(id) => sops(*id).iter().copied().map(Source::Query).collect(),
            Source::Part(id, _) => match graph.get_scorer(*id) {
                Scorer::Map { op, operands } if is_sum(op) => {
                    let operands = operands.iter();
                    operands.map(|id| Source::part(graph, *id)).collect()
                }
                _ => Vec::new(),
            },
        };
        Side { value, terms }
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.value).chain(&self.terms)
    }

    /// The largest number that went into it.
    fn scale(&self, columns: &Columns, place: (usize, usize)) -> f64 {
        let values = self
            .sources()
            .filter_map(|source| source.at(columns, place));
        let sizes = values.filter_map(|value| Some(value.as_float()?.abs()));
        sizes.fold(0.0, f64::max)
    }
}

impl Source {
    fn part(graph: &Graph, id: ScorerId) -> Source {
        Source::Part(id, ScorerFunction::new(graph, id))
    }

    fn reads(&self) -> Vec<SOpId> {
        match self {
            Source::Key(id) | Source::Query(id) => vec![*id],
            Source::Part(_, function) => [&function.keys[..], &function.queries[..]].concat(),
        }
    }

    /// The value at a key and a query, if there is one.
    fn at(&self, columns: &Columns, (key, query): (usize, usize)) -> Option<Value> {
        let held = |id: &SOpId, at: usize| columns.get(id)?.get(at);
        match self {
            Source::Key(id) => held(id, key).cloned(),
            Source::Query(id) => held(id, query).cloned(),
            Source::Part(_, function) => {
                let side = |ids: &[SOpId], at| ids.iter().map(|id| held(id, at)).collect();
                let keys: Option<Vec<&Value>> = side(&function.keys, key);
                let queries: Option<Vec<&Value>> = side(&function.queries, query);
                function.apply(&keys?, &queries?).ok()
            }
        }
    }
}

impl Compared {
    fn reads(&self) -> impl Iterator<Item = SOpId> {
        let sources = self.left.sources().chain(self.right.sources());
        sources.flat_map(Source::reads)
    }

    /// Two values on an input that compare otherwise than if they were equal, though only rounding
    /// tells them apart.
    fn hangs(&self, columns: &Columns, length: usize) -> Option<(Value, Value)> {
        let all = (0..length).flat_map(|query| (0..length).map(move |key| (key, query)));
        let mut places = all.filter(|(key, query)| self.attends || key == query);
        places.find_map(|place| {
            let left = self.left.value.at(columns, place)?;
            let right = self.right.value.at(columns, place)?;
            let (x, y) = (left.as_float()?, right.as_float()?);
            let order = x.partial_cmp(&y)?;
            let is_whole = x.fract() == 0.0 && y.fract() == 0.0;
            if is_whole
                || self.comparison.holds_for(order) == self.comparison.holds_for(Ordering::Equal)
            {
                return None;
            }
            let scale = self
                .left
                .scale(columns, place)
                .max(self.right.scale(columns, place));
            ((x - y).abs() <= ROUNDING * scale).then_some((left, right))
        })
    }
}
