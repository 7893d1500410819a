//! Attention: `select`, `aggregate`, `score` and `select_best` leave selectors, scorers and
//! aggregates in the graph.

use super::advice::other_default;
use super::expression::Context;
use super::made::element_spans;
use super::meta::{Callable, Meta};
use super::mismatch::Part;
use super::operator::{Side, never_equal};
use super::scorer::kinds;
use super::{Evaluator, Outcome, is_library};
use crate::base::{Code, Diagnostic, Span};
use crate::graph::{SOp, SOpId, ScorerId, Selector, SelectorId};
use crate::syntax::ast::{ExprId, ExprKind};
use crate::value::{Comparison, Op, TypeSet, Value};
use std::rc::Rc;

/// What an aggregate attends by.
enum Attention {
    Selector(SelectorId),
    Scorer(ScorerId),
}

impl Evaluator {
    pub(super) fn select(&mut self, cx: &Context, parts: [ExprId; 3], span: Span) -> Outcome<Meta> {
        let [keys, queries, comparison] = parts;
        let ExprKind::Operator(comparison) = cx.ast.get(comparison).kind else {
            if let Some(function) = self.predicate(cx, comparison)? {
                let (keys, queries) = (
                    self.several(cx, keys, span)?,
                    self.several(cx, queries, span)?,
                );
                let at = cx.ast.get(comparison).span;
                let predicate = self.trace(&function, &keys, &queries, (at, span))?;
                return Ok(Meta::Selector(self.selector_of(predicate, span)?));
            }
            return Err(Diagnostic::error(
                Code::WrongArguments,
                "the third argument of `select` is a comparison",
            )
            .at(cx.ast.get(comparison).span, "not a comparison operator")
            .note("the comparisons are ==, !=, <, <=, > and >=, without quotes")
            .maybe_help(self.bare_comparison(cx, [keys, queries], comparison, span))
            .into());
        };
        let at = cx.ast.get(parts[2]).span;
        let sides = [
            (self.expression(cx, keys)?, cx.ast.get(keys).span),
            (self.expression(cx, queries)?, cx.ast.get(queries).span),
        ];
        self.compare(sides, (comparison, at), span)
    }

    /// The selector of the keys that a comparison with the query holds for.
    fn compare(
        &mut self,
        sides: [Side; 2],
        (comparison, at): (Comparison, Span),
        span: Span,
    ) -> Outcome<Meta> {
        let mut sops = [SOpId(0); 2];
        for (sop, side) in sops.iter_mut().zip(&sides) {
            let found = self.broadcast(&side.0, side.1);
            *sop = found.map_err(|stop| {
                self.compared_by_function(stop, (side, &sides), (comparison, at), span)
            })?;
        }
        let [keys, queries] = sops;
        let (key_types, query_types) = (self.graph.types(keys), self.graph.types(queries));
        let ordered = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let shared = |types| key_types.meets(types) && query_types.meets(types);
        if ordered && !shared(TypeSet::NUMBER) && !shared(TypeSet::STR) {
            return Err(Diagnostic::error(
                Code::OperandTypes,
                format!(
                    "`{}` does not compare keys and queries of these types: {} and {}",
                    comparison.symbol(),
                    self.describe(&sides[0].0),
                    self.describe(&sides[1].0)
                ),
            )
            .at(
                sides[0].1,
                format!("the keys are {}", self.describe(&sides[0].0)),
            )
            .at(
                sides[1].1,
                format!("the queries are {}", self.describe(&sides[1].0)),
            )
            .maybe_help(
                self.on_one_type(&Op::Compare(comparison), &sides, span)
                    .or_else(|| {
                        let keys = self.written(sides[0].1)?;
                        let fixed = self.rewritten(span, sides[1].1, |_| keys)?;
                        Some(format!("compare what has one type: `{fixed}`"))
                    }),
            )
            .into());
        }
        if !ordered && never_equal(key_types, query_types) {
            self.warn_constant_selector(comparison, &sides, span);
        }
        let selector = Selector::Compare {
            keys,
            queries,
            comparison,
        };
        Ok(Meta::Selector(self.add_selector(selector, span)?))
    }

    /// The function that stands where a comparison could, if it is one.
    fn predicate(&mut self, cx: &Context, id: ExprId) -> Outcome<Option<Rc<Callable>>> {
        let meta = match &cx.ast.get(id).kind {
            ExprKind::Name(name) => match self.scopes.lookup(cx.scope, name) {
                Some(meta) => meta.clone(),
                None => return Ok(None),
            },
            ExprKind::Lambda(_)
            | ExprKind::Call { .. }
            | ExprKind::Index { .. }
            | ExprKind::Parenthesized(_)
            | ExprKind::Ternary { .. } => self.expression(cx, id)?,
            _ => return Ok(None),
        };
        Ok(match meta {
            Meta::Function(function) => Some(function),
            _ => None,
        })
    }

    pub(super) fn aggregate(
        &mut self,
        cx: &Context,
        attention: ExprId,
        values: ExprId,
        default: Option<ExprId>,
        span: Span,
    ) -> Outcome<Meta> {
        let attends = match self.expression(cx, attention)? {
            Meta::Selector(id) => Attention::Selector(id),
            Meta::Scorer(id) => Attention::Scorer(id),
            other => {
                return Err(self
                    .not_a_selector(cx, &other, (attention, values), span)
                    .into());
            }
        };
        let value = self.expression(cx, values)?;
        let values_span = cx.ast.get(values).span;
        let given = default;
        let default = match default {
            None => Value::Int(0),
            Some(id) => self.default(cx, [attention, values, id], &value, span)?,
        };
        let Meta::List(items) = &value else {
            let value = self.broadcast_in(&value, values_span, span)?;
            self.check_default(cx, given, &default, (value, values_span), span, None);
            return self.pool(&attends, value, default, span);
        };
        // Several s-ops are pooled alike.
        let mut pooled = Vec::with_capacity(items.len());
        let apart = self.pooled_apart(cx, [attention, values], items);
        for (item, at) in items
            .iter()
            .zip(element_spans(&cx.ast, values, items.len()))
        {
            let value = self.broadcast_in(item, at, span)?;
            self.check_default(cx, given, &default, (value, at), span, apart.clone());
            pooled.push(self.pool(&attends, value, default.clone(), span)?);
        }
        Ok(Meta::list(pooled))
    }

    /// Warns of a default that is written and certainly has another type than the values. Several
    /// s-ops that no single default fits may be aggregated apart.
    fn check_default(
        &mut self,
        cx: &Context,
        given: Option<ExprId>,
        default: &Value,
        (value, values): (SOpId, Span),
        span: Span,
        apart: Option<String>,
    ) {
        let Some(id) = given else { return };
        let given = cx.ast.get(id);
        let literal = matches!(given.kind, ExprKind::Literal(_)).then_some(default);
        let default = Part {
            types: TypeSet::of(default),
            at: given.span,
            called: ["the default is a number", "the default is a string"],
        };
        let values = Part {
            types: self.graph.types(value),
            at: values,
            called: ["the values are numbers", "the values are strings"],
        };
        let what = "the default and the values";
        let apart = apart.or_else(|| self.default_in_call(cx, id, span));
        self.warn_mixed((span, what), [default, values], literal, apart);
    }

    /// A default that a function was called with: that call with one of the other type.
    fn default_in_call(&self, cx: &Context, id: ExprId, span: Span) -> Option<String> {
        if is_library(&self.sources, span) {
            return None;
        }
        let made = self.made(cx, id);
        let calls = self.origins.open_calls();
        let (_, call) = calls.iter().find(|(_, call)| call.contains(made))?;
        let fixed = self.rewritten(*call, made, |text| other_default(text).to_string())?;
        Some(format!(
            "give a default of the type of the values: `{fixed}`"
        ))
    }

    /// The last of the arguments of an aggregate over `values`.
    fn default(
        &mut self,
        cx: &Context,
        arguments: [ExprId; 3],
        values: &Meta,
        span: Span,
    ) -> Outcome<Value> {
        match self.expression(cx, arguments[2])? {
            Meta::Atom(value) => Ok(value),
            other => {
                let places = arguments.map(|id| cx.ast.get(id).span);
                let at = places[2];
                let message = format!(
                    "the default of `aggregate` is an atom, not {}",
                    other.kind()
                );
                Err(Diagnostic::error(Code::AtomExpected, message)
                    .at(at, format!("this is {}", other.kind()))
                    .maybe_help(match (values, &other) {
                        (Meta::List(items), Meta::List(_)) => {
                            self.pooled_apart(cx, [arguments[0], arguments[1]], items)
                        }
                        _ => self.other_default((values, &other), places, span),
                    })
                    .into())
            }
        }
    }

    fn pool(
        &mut self,
        attention: &Attention,
        value: SOpId,
        default: Value,
        span: Span,
    ) -> Outcome<Meta> {
        let sop = match attention {
            Attention::Selector(selector) => SOp::Aggregate {
                selector: *selector,
                value,
                default,
            },
            Attention::Scorer(scorer) => SOp::WeightedMean {
                scorer: *scorer,
                value,
                default,
            },
        };
        Ok(Meta::SOp(self.add_sop(sop, span)?))
    }

    /// `score(keys, queries, function)`
    pub(super) fn score(&mut self, cx: &Context, parts: [ExprId; 3], span: Span) -> Outcome<Meta> {
        let [keys, queries, function] = parts;
        let at = cx.ast.get(function).span;
        let Some(callable) = self.predicate(cx, function)? else {
            return Err(Diagnostic::error(
                Code::WrongArguments,
                "the third argument of `score` is a function of a key and a query",
            )
            .at(at, "not a function")
            .help("for example `score(indices, indices, lambda key, query: key)`")
            .into());
        };
        let (keys, queries) = (
            self.several(cx, keys, span)?,
            self.several(cx, queries, span)?,
        );
        let scorer = self.trace(&callable, &keys, &queries, (at, span))?;
        let types = self.graph.scorer_types(scorer);
        if !types.meets(TypeSet::NUMBER) {
            let message = format!("a score is a number, but this gives {}", kinds(types));
            let help = self.with_parameters([keys.len(), queries.len()], (at, span));
            return Err(Diagnostic::error(Code::OperandTypes, message)
                .at(at, format!("this gives {}", kinds(types)))
                .maybe_help(help)
                .into());
        }
        Ok(Meta::Scorer(scorer))
    }

    /// `select_best(selector, scorer)`
    pub(super) fn select_best(
        &mut self,
        cx: &Context,
        selector: ExprId,
        scorer: ExprId,
        span: Span,
    ) -> Outcome<Meta> {
        let found = (self.expression(cx, selector)?, self.expression(cx, scorer)?);
        let (Meta::Selector(selector), Meta::Scorer(scorer)) = found else {
            let wrong = match &found.0 {
                Meta::Selector(_) => (
                    &found.1,
                    scorer,
                    "a scorer",
                    "score(indices, indices, lambda key, query: key)",
                ),
                _ => (
                    &found.0,
                    selector,
                    "a selector",
                    "select(indices, indices, <=)",
                ),
            };
            let (meta, id, expected, example) = wrong;
            let message = format!(
                "`select_best` takes {expected} here, not {}",
                self.describe(meta)
            );
            return Err(Diagnostic::error(Code::SelectorExpected, message)
                .at(cx.ast.get(id).span, format!("this is {}", meta.kind()))
                .help(format!("make one with `{example}`"))
                .into());
        };
        Ok(Meta::Selector(
            self.add_selector(Selector::Best { selector, scorer }, span)?,
        ))
    }
}
