//! The meanings of the built-in functions, and of the other built-in names.

use super::access::counted;
use super::call::plural;
use super::expression::Context;
use super::meta::{Body, Callable, Meta};
use super::operator::{atom_result, never_equal};
use super::scope::ScopeId;
use super::{Evaluator, Outcome, Stop};
use crate::base::{Code, Diagnostic, Span};
use crate::builtin::{Builtin, Kind, TABLE};
use crate::graph::{SOp, Selector};
use crate::syntax::ast::{Argument, ExprId, ExprKind};
use crate::value::{Comparison, Op, TypeSet, Value};
use std::rc::Rc;

impl Evaluator {
    pub(crate) fn define_builtins(&mut self, scope: ScopeId) {
        let span = Span::BUILT_IN;
        let tokens = self.graph.sop(SOp::Tokens, span);
        for row in TABLE {
            let meta = match (row.kind, row.name) {
                (Kind::Atom, name) => Meta::Atom(Value::Bool(name == "True")),
                (Kind::Function(builtin), _) => Meta::Function(Rc::new(builtin_callable(builtin))),
                (Kind::SOp, "indices") => Meta::SOp(self.graph.sop(SOp::Indices, span)),
                (Kind::SOp, "tokens_asis") => Meta::SOp(tokens),
                (Kind::SOp, name) => {
                    let op = match name {
                        "tokens_int" => Op::ToInt,
                        "tokens_float" => Op::ToFloat,
                        "tokens_bool" => Op::ToBool,
                        _ => Op::ToStr,
                    };
                    Meta::SOp(self.graph.map(op, vec![tokens], span))
                }
            };
            self.scopes.set(scope, row.name.into(), meta);
        }
        let base = self.base;
        if let Some(tokens_str) = self.scopes.lookup(scope, "tokens_str").cloned() {
            if let Meta::SOp(id) = tokens_str {
                self.graph.set_name(id, &"tokens".into(), false);
            }
            self.scopes.set(base, "tokens".into(), tokens_str);
        }
    }

    pub(crate) fn builtin(
        &mut self,
        cx: &Context,
        builtin: Builtin,
        arguments: &[Argument],
        span: Span,
    ) -> Outcome<Meta> {
        let given = arguments;
        let arguments =
            place_arguments(cx, builtin, arguments, span).map_err(|stop| match stop {
                Stop::Error(error) if builtin == Builtin::Select => {
                    let help = self.whole_select(cx, given, span);
                    help.map_or(error.clone(), |help| Box::new(error.help(help)))
                        .into()
                }
                other => other,
            })?;
        match (builtin, arguments.as_slice()) {
            (Builtin::Select, [keys, queries, comparison]) => {
                self.select(cx, [*keys, *queries, *comparison], span)
            }
            (Builtin::Aggregate, [selector, values, default @ ..]) => {
                self.aggregate(cx, *selector, *values, default.first().copied(), span)
            }
            (Builtin::Range, bounds) => self.range(cx, bounds, span),
            (Builtin::Zip, lists) => self.zip(cx, lists, span),
            (Builtin::Len, [list]) => self.len(cx, *list),
            (Builtin::Round, [number]) => self.round(cx, *number, span),
            (Builtin::Indicator, [condition]) => self.indicator(cx, *condition, span),
            _ => unreachable!("place_arguments has checked the count"),
        }
    }

    fn len(&mut self, cx: &Context, list: ExprId) -> Outcome<Meta> {
        match self.expression(cx, list)? {
            Meta::List(items) => Ok(Meta::Atom(Value::Int(items.len() as i64))),
            other => {
                let at = cx.ast.get(list).span;
                let error = list_expected("len", &self.describe(&other), at);
                Err(match other {
                    Meta::SOp(_) => error.help("the length of the input is the s-op `length`"),
                    Meta::Atom(Value::Str(text)) => error.help(format!(
                        "its length as an input: `length({})`",
                        Value::Str(text).source()
                    )),
                    _ => error,
                }
                .into())
            }
        }
    }

    fn round(&mut self, cx: &Context, number: ExprId, span: Span) -> Outcome<Meta> {
        let at = cx.ast.get(number).span;
        match self.expression(cx, number)? {
            Meta::SOp(id) => match self.add_map(Op::Round, vec![id], span) {
                Err(Stop::Error(error)) if error.code == Code::OperandTypes => {
                    let help = self.with_numeric_tokens(span, &[(id, at)]);
                    Err(error.maybe_help(help).into())
                }
                result => Ok(Meta::SOp(result?)),
            },
            Meta::Atom(value) if value.is_number() => atom_result(Op::Round.apply(&[&value]), at),
            other => Err(self.operand_error("round", &[(&other, at)], span).into()),
        }
    }

    fn indicator(&mut self, cx: &Context, condition: ExprId, span: Span) -> Outcome<Meta> {
        match self.expression(cx, condition)? {
            Meta::SOp(id) => Ok(Meta::SOp(self.add_map(Op::Indicator, vec![id], span)?)),
            other => Err(Diagnostic::error(
                Code::OperandTypes,
                format!("`indicator` takes an s-op, not {}", other.kind()),
            )
            .at(
                cx.ast.get(condition).span,
                format!("this is {}", other.kind()),
            )
            .maybe_help(self.indicated(&other, cx.ast.get(condition).span))
            .into()),
        }
    }

    fn select(&mut self, cx: &Context, parts: [ExprId; 3], span: Span) -> Outcome<Meta> {
        let [keys, queries, comparison] = parts;
        let ExprKind::Operator(comparison) = cx.ast.get(comparison).kind else {
            return Err(Diagnostic::error(
                Code::WrongArguments,
                "the third argument of `select` is a comparison",
            )
            .at(cx.ast.get(comparison).span, "not a comparison operator")
            .note("the comparisons are ==, !=, <, <=, > and >=, without quotes")
            .maybe_help(self.bare_comparison(cx, comparison, span))
            .into());
        };
        let (keys_span, queries_span) = (cx.ast.get(keys).span, cx.ast.get(queries).span);
        let keys = self.expression(cx, keys)?;
        let (key_meta, keys) = (keys.clone(), self.broadcast_in(&keys, keys_span, span)?);
        let queries = self.expression(cx, queries)?;
        let (query_meta, queries) = (
            queries.clone(),
            self.broadcast_in(&queries, queries_span, span)?,
        );
        let (key_types, query_types) = (self.graph.types(keys), self.graph.types(queries));
        let ordered = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let shared = |types| key_types.meets(types) && query_types.meets(types);
        if ordered && !shared(TypeSet::NUMBER) && !shared(TypeSet::STR) {
            return Err(Diagnostic::error(
                Code::OperandTypes,
                format!(
                    "`{}` does not compare keys and queries of these types: {} and {}",
                    comparison.symbol(),
                    self.describe(&key_meta),
                    self.describe(&query_meta)
                ),
            )
            .at(
                keys_span,
                format!("the keys are {}", self.describe(&key_meta)),
            )
            .at(
                queries_span,
                format!("the queries are {}", self.describe(&query_meta)),
            )
            .maybe_help(
                self.with_numeric_tokens(span, &[(keys, keys_span), (queries, queries_span)]),
            )
            .into());
        }
        if !ordered && never_equal(key_types, query_types) {
            let sides = [(key_meta, keys_span), (query_meta, queries_span)];
            self.warn_constant_selector(comparison, &sides, span);
        }
        let selector = Selector::Compare {
            keys,
            queries,
            comparison,
        };
        Ok(Meta::Selector(self.add_selector(selector, span)?))
    }

    fn aggregate(
        &mut self,
        cx: &Context,
        selector: ExprId,
        values: ExprId,
        default: Option<ExprId>,
        span: Span,
    ) -> Outcome<Meta> {
        let selector = match self.expression(cx, selector)? {
            Meta::Selector(id) => id,
            other => {
                return Err(self
                    .not_a_selector(cx, &other, (selector, values), span)
                    .into());
            }
        };
        let value = self.expression(cx, values)?;
        let value = self.broadcast_in(&value, cx.ast.get(values).span, span)?;
        let default = match default {
            None => Value::Int(0),
            Some(id) => match self.expression(cx, id)? {
                Meta::Atom(value) => value,
                other => {
                    return Err(Diagnostic::error(
                        Code::AtomExpected,
                        format!(
                            "the default of `aggregate` is an atom, not {}",
                            other.kind()
                        ),
                    )
                    .at(cx.ast.get(id).span, format!("this is {}", other.kind()))
                    .maybe_help(self.varying_default(&other, cx.ast.get(id).span, span))
                    .into());
                }
            },
        };
        Ok(Meta::SOp(self.add_sop(
            SOp::Aggregate {
                selector,
                value,
                default,
            },
            span,
        )?))
    }

    fn range(&mut self, cx: &Context, bounds: &[ExprId], span: Span) -> Outcome<Meta> {
        let mut ints = Vec::with_capacity(bounds.len());
        for bound in bounds {
            let meta = self.expression(cx, *bound)?;
            let Some(int) = meta.as_atom().and_then(Value::as_int) else {
                return Err(Diagnostic::error(
                    Code::OperandTypes,
                    format!("`range` takes ints, not {}", meta.kind()),
                )
                .at(cx.ast.get(*bound).span, format!("this is {}", meta.kind()))
                .maybe_help(self.int_bound(&meta, cx.ast.get(*bound).span, span))
                .into());
            };
            ints.push(int);
        }
        let (start, stop, step) = match ints.as_slice() {
            [stop] => (0, *stop, 1),
            [start, stop] => (*start, *stop, 1),
            [start, stop, step, ..] => (*start, *stop, *step),
            [] => unreachable!("place_arguments has checked the count"),
        };
        if step == 0 {
            return Err(
                Diagnostic::error(Code::ArithmeticFailed, "the step of `range` is 0")
                    .at(span, "this would never end")
                    .help("count up with a positive step, down with a negative one: `range(5, 0, -1)`")
                    .into(),
            );
        }
        let mut items = Vec::new();
        let mut at = i128::from(start);
        while if step > 0 {
            at < i128::from(stop)
        } else {
            at > i128::from(stop)
        } {
            if items.len() >= self.limits.collection_length {
                let bound = self.limits.collection_length;
                let all = (i128::from(stop) - i128::from(start)) / i128::from(step);
                return Err(self
                    .limit(span, "elements in a list", bound)
                    .note(format!("this `range` has about {all} elements"))
                    .into());
            }
            items.push(Meta::Atom(Value::Int(at as i64)));
            at += i128::from(step);
        }
        Ok(Meta::list(items))
    }

    fn zip(&mut self, cx: &Context, lists: &[ExprId], span: Span) -> Outcome<Meta> {
        let mut columns = Vec::with_capacity(lists.len());
        for id in lists {
            match self.expression(cx, *id)? {
                Meta::List(items) => columns.push(items),
                other => {
                    let at = cx.ast.get(*id).span;
                    let error = list_expected("zip", &self.describe(&other), at);
                    return Err(error.maybe_help(self.as_list(&other, at, span)).into());
                }
            }
        }
        let length = columns.first().map_or(0, |items| items.len());
        if let Some(at) = columns.iter().position(|items| items.len() != length) {
            return Err(
                Diagnostic::error(Code::WrongCount, "`zip` takes lists of one length")
                    .at(
                        cx.ast.get(lists[at]).span,
                        format!("this has {}", counted(columns[at].len(), "element")),
                    )
                    .at(cx.ast.get(lists[0]).span, format!("this has {length}"))
                    .into(),
            );
        }
        let row = |at: usize| Meta::list(columns.iter().map(|items| items[at].clone()).collect());
        self.nested(Meta::list((0..length).map(row).collect()), span)
    }
}

/// How a built-in function is called.
fn usage(builtin: Builtin) -> String {
    if builtin == Builtin::Range {
        return "`range(stop)`, `range(start, stop)` or `range(start, stop, step)`".to_string();
    }
    let names: Vec<String> = builtin
        .row()
        .parameters
        .iter()
        .map(|name| name.trim_end_matches('?').to_string())
        .collect();
    format!("`{}({})`", builtin.name(), names.join(", "))
}

/// The argument expressions in the order of the builtin's parameters.
fn place_arguments(
    cx: &Context,
    builtin: Builtin,
    arguments: &[Argument],
    span: Span,
) -> Outcome<Vec<ExprId>> {
    let parameters = builtin.row().parameters;
    let variadic = parameters.last() == Some(&"…");
    let bare = |name: &str| name.trim_end_matches('?').to_string();
    let wrong = |message: String, at: Span| -> Stop {
        Diagnostic::error(Code::WrongArguments, message)
            .at(at, "called here")
            .help(format!("use it as {}", usage(builtin)))
            .into()
    };
    let required = parameters
        .iter()
        .filter(|name| !name.ends_with('?') && **name != "…")
        .count();
    let most = if variadic {
        usize::MAX
    } else {
        parameters.len()
    };
    if arguments.len() < required || arguments.len() > most {
        let takes = match (required, most) {
            (required, usize::MAX) => format!("at least {}", plural(required)),
            (required, most) if required == most => plural(required),
            (required, most) => format!("{required} to {most} arguments"),
        };
        let message = format!(
            "`{}` takes {takes}, not {}",
            builtin.name(),
            arguments.len()
        );
        return Err(wrong(message, span));
    }
    let mut placed: Vec<Option<ExprId>> = vec![None; arguments.len()];
    for (index, argument) in arguments.iter().enumerate() {
        let slot = match &argument.name {
            None => index,
            Some(ident) => {
                let found = parameters.iter().position(|name| bare(name) == *ident.name);
                found.filter(|slot| *slot < placed.len()).ok_or_else(|| {
                    let message = format!(
                        "`{}` has no parameter `{}` here",
                        builtin.name(),
                        ident.name
                    );
                    wrong(message, ident.span)
                })?
            }
        };
        if placed[slot].replace(argument.value).is_some() {
            let message = format!("an argument of `{}` is given twice", builtin.name());
            return Err(wrong(message, cx.ast.get(argument.value).span));
        }
    }
    Ok(placed.into_iter().flatten().collect())
}

fn list_expected(function: &str, kind: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::OperandTypes,
        format!("`{function}` takes a list, not {kind}"),
    )
    .at(span, format!("this is {kind}"))
}

fn builtin_callable(builtin: Builtin) -> Callable {
    let row = builtin.row();
    Callable {
        name: row.name.into(),
        origin: "built-in".into(),
        parameters: row
            .parameters
            .iter()
            .map(|name| ((*name).into(), None))
            .collect(),
        documentation: row.documentation.to_string(),
        body: Body::Builtin(builtin),
    }
}
