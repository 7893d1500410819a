//! Errors that show only on an input: the calls that led to their place, and the expression there,
//! mended.

use super::meant::quoted;
use super::quote::{one_line, operand};
use super::scene::Scene;
use super::{at_the_call, with_path};
use crate::base::{Code, Diagnostic, Span, Suggestion};
use crate::eval::Evaluator;
use crate::graph::{SOp, SOpId, Selector};
use crate::syntax::ast::{BinaryOperator, ExprId, ExprKind};
use crate::value::{Comparison, Op, Table, TypeSet, Value};

/// An error of an evaluation with the calls that led to its place, where they are the same for all
/// s-ops made there that the roots need; and with what to type instead.
pub fn explain(evaluator: &Evaluator, error: Diagnostic, roots: &[SOpId]) -> Diagnostic {
    let numbers = (error.code == Code::BadToken).then_some(NUMBERS);
    let help = error.help.clone().or(numbers.map(Suggestion::from));
    let Some(main) = error.span() else {
        return error.maybe_help(help);
    };
    let graph = &evaluator.graph;
    let candidates = graph.reachable(roots).into_iter();
    let here: Vec<SOpId> = candidates.filter(|id| graph.span(*id) == main).collect();
    let mut paths = here.iter().map(|id| evaluator.origins.path(*id));
    let path = paths.next().unwrap_or_default();
    let spans = |path: &[(_, Span)]| path.iter().map(|(_, span)| *span).collect::<Vec<_>>();
    let unique = paths.all(|other| spans(&other) == spans(&path));
    let error = with_path(error, if unique { &path } else { &[] });
    // Nobody can type in the library: the call is mended.
    let mut places = [main].into_iter().chain(path.iter().map(|(_, span)| *span));
    let place = places.find(|span| !evaluator.is_library(*span));
    let help = help.or_else(|| {
        let site = evaluator.site_at(place?);
        Scene::new(evaluator, &site, &[]).meant_on_input(error.code, &here)
    });
    at_the_call(evaluator, error.maybe_help(help))
}

impl Scene<'_> {
    /// What to type in a place that fails on an input.
    pub(super) fn meant_on_input(&self, code: Code, here: &[SOpId]) -> Option<Suggestion> {
        self.site.expr?;
        let [f, a, b, c] = &self.parts();
        let called = self.function().map_or("", |_| f.as_str());
        let default = other_default(c);
        let graph = &self.evaluator.graph;
        let any = |so: &dyn Fn(&SOp) -> bool| here.iter().any(|id| so(graph.get(*id)));
        let moves = |so: &dyn Fn(SOpId) -> bool| any(&|sop| sop.moved().is_some_and(so));
        // Of keys that are more or less than something there may be several.
        let ordered = |sop: &SOp| {
            matches!(sop, SOp::Aggregate { selector, .. } if matches!(graph.get_selector(*selector),
                Selector::Compare { comparison, .. } if *comparison != Comparison::Equal))
        };
        let (share, asked) = match moves(&|value| graph.types(value) == TypeSet::BOOL) {
            true => ("for the share of True", ""),
            false => (
                "to copy a value select one position only; for the share of one value",
                " == \"a\"",
            ),
        };
        let atom = moves(&|value| matches!(graph.get(value), SOp::Constant(_)));
        mends! { self, (code, called);
            (Code::MixedTypes, "aggregate") if default == "\"\"" && any(&ordered) =>
                say "select one position only: strings have no mean, and no default helps there";
            (Code::MixedTypes, "aggregate" | "shift") => "give a default of the type of the values",
                "{f}({a}, {b}, {default})";
            (Code::MixedTypes, "load_from_location") => "say what stands beyond the input",
                "aggregate(select(indices, {b}, ==), {a}, {default})";
            (Code::MixedTypes, _) => else self.branches().or_else(|| self.table_of_strings());
            (Code::MeanOfNonNumbers, "aggregate") if atom =>
                say "an atom is the same at every position: write it without `aggregate`";
            (Code::MeanOfNonNumbers, "aggregate") if asked.is_empty() =>
                "{share}", "aggregate({a}, indicator({b}))";
            (Code::MeanOfNonNumbers, "aggregate") =>
                say "{share}: `aggregate({a}, indicator({b}{asked}))`";
            (Code::MeanOfNonNumbers, "average") if asked.is_empty() => "{share}", "average(indicator({a}))";
            (Code::MeanOfNonNumbers, "average") => say "{share}: `average(indicator({a}{asked}))`";
            (Code::MeanOfNonNumbers, _) => say "{share} aggregate `indicator(…{asked})`";
            (Code::ArithmeticFailed, "aggregate") => "to read from the key with the highest score",
                "aggregate(select_best(full_s, {a}), {b})";
            // In a function of keys and queries both branches of a choice are computed.
            (Code::ArithmeticFailed, _) if !here.is_empty() => else self.guard();
            (Code::Overflow, _) => else self.float();
            (Code::OperandTypes, _) => else self.appended();
            (Code::BadIndex, _) => else here.iter().find_map(|id| mends! { self, graph.get(*id);
                SOp::Map { op: Op::Lookup(table), .. } => else self.lookup(table);
            });
        }
    }

    /// A choice between a number and a string, one of them written out: the same with one type.
    pub(super) fn branches(&self) -> Option<Suggestion> {
        let ExprKind::Ternary {
            then, otherwise, ..
        } = self.kind()?
        else {
            return None;
        };
        let literals = [*then, *otherwise].into_iter();
        // With two literals the number becomes a string: that is always possible.
        let literals = literals.filter_map(|id| Some((id, self.value(id)?)));
        let (id, value) = literals.min_by_key(|(_, value)| !value.is_number())?;
        let (kind, other) = match value.is_number() {
            true => ("strings", quoted(&value)),
            false => ("numbers", "-1".to_string()),
        };
        self.put(&format!("for {kind} in both"), self.span(id), other)
    }

    /// A list or dict of numbers and strings indexed by an s-op: the same with strings only.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other is a table")]
    fn table_of_strings(&self) -> Option<Suggestion> {
        let ExprKind::Index { object, .. } = self.kind()? else {
            return None;
        };
        let values: Vec<ExprId> = match self.kind_of(*object) {
            ExprKind::List(items) | ExprKind::Tuple(items) => items.clone(),
            ExprKind::Dict(entries) => entries.iter().map(|(_, value)| *value).collect(),
            _ => return None,
        };
        let numbers = values.into_iter().filter(|id| self.is_literal_number(*id));
        let places = numbers.map(|id| self.span(id));
        self.mend_each("for strings only", places, |text| Value::str(text).source())
    }

    fn is_literal_number(&self, id: ExprId) -> bool {
        self.value(id).is_some_and(|value| value.is_number())
    }

    /// A division, made where the divisor is not zero; a power, where its base allows it. What is
    /// written out is for its writer to mend.
    pub(super) fn guard(&self) -> Option<Suggestion> {
        let (left, operator, right) = self.operation()?;
        let (asked, comparison) = match (operator, self.value(right), self.kind_of(right)) {
            (BinaryOperator::Divide | BinaryOperator::Remainder, ..) => (right, "!= 0"),
            (BinaryOperator::Power, _, ExprKind::Unary { .. }) => (left, "!= 0"),
            (BinaryOperator::Power, Some(Value::Float(_)), _) => (left, ">= 0"),
            _ => return None,
        };
        let (whole, base) = (self.say(self.whole), self.text(asked));
        let fixed = format!("{whole} if {base} {comparison} else 0");
        // Which value that is only its writer knows.
        self.put("choose another value there", self.whole, fixed)
            .filter(|_| self.value(asked).is_none())
            .map(Suggestion::plain)
    }

    /// A number added to strings, as a string.
    fn appended(&self) -> Option<Suggestion> {
        let (left, _, right) = self.operation().filter(|it| it.1 == BinaryOperator::Add)?;
        let number = [left, right]
            .into_iter()
            .find(|id| self.is_literal_number(*id))?;
        let text = |text: &str| Value::str(text).source();
        self.mend_each("to append it as text", [self.span(number)], text)
    }

    /// A list, string or dict indexed by an s-op that goes beyond it.
    fn lookup(&self, table: &Table) -> Option<Suggestion> {
        let [object, index, ..] = &self.parts();
        mends! { self, table;
            Table::List(items) | Table::Str(items) if !items.is_empty() =>
                "keep the index in range", ("{object}[{} % {}]", operand(index), items.len());
            Table::Dict(entries) =>
                where keys = entries.iter().map(|(key, _)| key.source());
                where keys = keys.collect::<Vec<String>>();
                where (first, all) = (keys.first()?, one_line(&keys.join(", "))?);
                say "look up a key that is there: `{object}[{index} if {index} in [{all}] else {first}]`";
        }
    }

    /// A calculation with a literal int, with a float instead.
    pub(super) fn float(&self) -> Option<Suggestion> {
        let int = |id: &ExprId| {
            self.whole.contains(self.span(*id)) && matches!(self.value(*id), Some(Value::Int(_)))
        };
        let int = self.span(self.site.ast.ids().find(int)?);
        self.mend_each("floats reach further", [int], |text| format!("{text}.0"))
    }
}

/// A default of the other type than one that does not fit.
pub(super) fn other_default(written: &str) -> &'static str {
    match written.starts_with('"') {
        true => "0",
        false => "\"\"",
    }
}

/// How tokens are given that are read as numbers.
const NUMBERS: &str = "numbers come as a list or as single digits: `tokens_int([10, 20])`, \
                       `tokens_int(\"123\")`; floats as a list: `tokens_float([0.5, 2.0])`";
