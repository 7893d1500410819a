//! The meanings of the built-in functions, and of the other built-in names.

use super::access::counted;
use super::call::plural;
use super::collection::without_sign;
use super::expression::Context;
use super::meta::{Body, Callable, Meta};
use super::operator::{Side, atom_result};
use super::scope::ScopeId;
use super::{ELEMENTS, Evaluator, Outcome, Stop};
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Span};
use crate::builtin::{Builtin, Kind, TABLE};
use crate::graph::{Encoding, SOp};
use crate::syntax::ast::{Argument, ExprId, Ident};
use crate::value::{Op, TypeSet, Value};
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
            self.scopes.set(scope, row.name.into(), (meta, span));
        }
        let base = self.base;
        if let Some(tokens_str) = self.scopes.lookup(scope, "tokens_str").cloned() {
            if let Meta::SOp(id) = tokens_str {
                self.graph.set_name(id, &"tokens".into(), false);
            }
            self.scopes.set(base, "tokens".into(), (tokens_str, span));
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
        let arguments = self
            .place_arguments(cx, builtin, arguments, span)
            .map_err(|stop| match stop {
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
            (Builtin::Len, [list]) => self.len(cx, *list, span),
            (Builtin::Round, [number]) => self.round(cx, *number, span),
            (Builtin::Indicator, [condition]) => self.indicator(cx, *condition, span),
            (Builtin::Zipmap, [sops, function]) => self.zipmap(cx, *sops, *function, span),
            (Builtin::Score, [keys, queries, function]) => {
                self.score(cx, [*keys, *queries, *function], span)
            }
            (Builtin::SelectBest, [selector, scorer]) => {
                self.select_best(cx, *selector, *scorer, span)
            }
            (Builtin::Categorical, [sop]) => self.encode(cx, *sop, Encoding::Categorical, span),
            (Builtin::Numerical, [sop]) => self.encode(cx, *sop, Encoding::Numerical, span),
            _ => unreachable!("place_arguments has checked the count"),
        }
    }

    fn len(&mut self, cx: &Context, list: ExprId, span: Span) -> Outcome<Meta> {
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
                    other => {
                        let whole = self.as_list(&other, at, span);
                        error.maybe_help(whole)
                    }
                }
                .into())
            }
        }
    }

    fn round(&mut self, cx: &Context, number: ExprId, span: Span) -> Outcome<Meta> {
        let at = cx.ast.get(number).span;
        match self.expression(cx, number)? {
            meta @ Meta::Scorer(_) => self.map_scorers(Op::Round, &[&meta], span),
            Meta::SOp(id) => self.map_one(Op::Round, (id, at), span),
            Meta::Atom(value) if value.is_number() => atom_result(Op::Round.apply(&[&value]), at)
                .map_err(|stop| match stop {
                    Stop::Error(error) => error.maybe_help(self.unrounded(at)).into(),
                    Stop::Broken => stop,
                }),
            other => {
                let error = self.operand_error("round", &[(&other, at)], span);
                let help = without_sign(&other, None)
                    .or_else(|| self.each_element(&other, (span, at)))
                    .or_else(|| self.as_sop(&other, at, span))
                    .or_else(|| Some("write a number: `round(0.5)`".to_string()));
                Err(error.maybe_help(help).into())
            }
        }
    }

    /// What no int can hold, as the float that it is.
    fn unrounded(&self, at: Span) -> Option<String> {
        let float = self.written(at)?;
        Some(format!("a float this large has no fraction: `{float}`"))
    }

    fn indicator(&mut self, cx: &Context, condition: ExprId, span: Span) -> Outcome<Meta> {
        match self.expression(cx, condition)? {
            Meta::SOp(id) => Ok(Meta::SOp(self.add_map(Op::Indicator, vec![id], span)?)),
            meta @ Meta::Scorer(_) => self.map_scorers(Op::Indicator, &[&meta], span),
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

    /// A function applied to s-ops, position by position.
    fn zipmap(
        &mut self,
        cx: &Context,
        sops: ExprId,
        function: ExprId,
        span: Span,
    ) -> Outcome<Meta> {
        let sops = self.several(cx, sops, span)?.into_iter();
        let arguments: Vec<Side> = sops.map(|(sop, at)| (Meta::SOp(sop), at)).collect();
        let at = cx.ast.get(function).span;
        match self.expression(cx, function)? {
            Meta::Function(callable) => {
                let result = self
                    .invoke_any(&callable, arguments.clone(), (at, span))
                    .map_err(|stop| self.with_fitting_argument(stop, &arguments, &arguments, span));
                self.at_each_position(result?, span)
            }
            other => Err(Diagnostic::error(
                Code::NotCallable,
                format!(
                    "the second argument of `zipmap` is a function, not {}",
                    other.kind()
                ),
            )
            .at(
                cx.ast.get(function).span,
                format!("this is {}", other.kind()),
            )
            .help("for example `zipmap((tokens, indices), lambda t, i: t == \"a\" and i > 0)`")
            .into()),
        }
    }

    /// The results of an elementwise function: where it gives an atom, the same at each position.
    fn at_each_position(&mut self, result: Meta, span: Span) -> Outcome<Meta> {
        match result {
            Meta::Atom(_) => Ok(Meta::SOp(self.broadcast(&result, span)?)),
            Meta::List(results) => {
                let results = results.iter().cloned();
                let results = results.map(|result| self.at_each_position(result, span));
                Ok(Meta::list(results.collect::<Outcome<Vec<Meta>>>()?))
            }
            other => Ok(other),
        }
    }

    /// Notes how an s-op is to be encoded; its value is the same.
    fn encode(
        &mut self,
        cx: &Context,
        sop: ExprId,
        encoding: Encoding,
        span: Span,
    ) -> Outcome<Meta> {
        let at = cx.ast.get(sop).span;
        let meta = self.expression(cx, sop)?;
        let id = self.broadcast_in(&meta, at, span)?;
        if encoding == Encoding::Numerical && !self.graph.types(id).meets(TypeSet::NUMBER) {
            let message = format!("{} cannot be encoded as numbers", self.describe(&meta));
            let side = [(meta, at)];
            return Err(Diagnostic::error(Code::OperandTypes, message)
                .at(at, "no number")
                .maybe_help(self.with_numeric_tokens(span, &side).or_else(|| {
                    let sop = self.written(at)?;
                    Some(format!("each value for itself: `categorical({sop})`"))
                }))
                .into());
        }
        self.graph.set_encoding(id, encoding);
        Ok(Meta::SOp(id))
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
                    .limit(span, ELEMENTS, bound)
                    .note(format!("this `range` has about {all} elements"))
                    .help(format!("the longest one is `range({bound})`"))
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
                    return Err(error.maybe_help(self.all_lists(cx, lists, span)).into());
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
                    .maybe_help(self.of_one_length(cx, (lists, &columns), span))
                    .into(),
            );
        }
        let row = |at: usize| Meta::list(columns.iter().map(|items| items[at].clone()).collect());
        self.nested(Meta::list((0..length).map(row).collect()), span)
    }

    /// The argument expressions in the order of the builtin's parameters.
    fn place_arguments(
        &self,
        cx: &Context,
        builtin: Builtin,
        arguments: &[Argument],
        span: Span,
    ) -> Outcome<Vec<ExprId>> {
        let parameters = builtin.row().parameters;
        let variadic = parameters.last() == Some(&"…");
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
                    let found = parameters
                        .iter()
                        .position(|name| bare(name) == &*ident.name);
                    found.filter(|slot| *slot < placed.len()).ok_or_else(|| {
                        let message = format!(
                            "`{}` has no parameter `{}` here",
                            builtin.name(),
                            ident.name
                        );
                        let error = wrong(message, ident.span);
                        self.nearest_parameter(error, (builtin, ident), span)
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

    /// A named argument that a built-in function does not have: the call with the nearest one.
    fn nearest_parameter(
        &self,
        stop: Stop,
        (builtin, ident): (Builtin, &Ident),
        span: Span,
    ) -> Stop {
        let Stop::Error(mut error) = stop else {
            return stop;
        };
        let names = builtin.row().parameters.iter().map(|name| bare(name));
        let Some(nearest) = nearest(&ident.name, names) else {
            return error.into();
        };
        if let Some(label) = error.labels.first_mut() {
            label.text = format!("did you mean `{nearest}`?");
        }
        let fixed = self.rewritten(span, ident.span, |_| nearest.to_string());
        let help = fixed.map(|fixed| format!("write `{fixed}`"));
        error.maybe_help(help).into()
    }
}

/// The name of a parameter without its mark.
fn bare(name: &str) -> &str {
    name.trim_end_matches('?')
}

/// How a built-in function is called.
fn usage(builtin: Builtin) -> String {
    if builtin == Builtin::Range {
        return "`range(stop)`, `range(start, stop)` or `range(start, stop, step)`".to_string();
    }
    let names: Vec<&str> = builtin
        .row()
        .parameters
        .iter()
        .map(|name| bare(name))
        .collect();
    let example = match builtin {
        Builtin::Select => "select(indices, indices, <=)",
        Builtin::Aggregate => "aggregate(full_s, indices, 0)",
        Builtin::Range => "range(1, 10, 2)",
        Builtin::Zip => "zip([1, 2], [\"a\", \"b\"])",
        Builtin::Len => "len([1, 2])",
        Builtin::Round => "round(0.5)",
        Builtin::Indicator => "indicator(indices > 0)",
        Builtin::Zipmap => "zipmap(indices, lambda i: i + 1)",
        Builtin::Score => "score(indices, indices, lambda key, query: key)",
        Builtin::SelectBest => {
            "select_best(full_s, score(indices, indices, lambda key, query: key))"
        }
        Builtin::Categorical => "categorical(indices)",
        Builtin::Numerical => "numerical(indices)",
    };
    format!(
        "`{}({})`, like `{example}`",
        builtin.name(),
        names.join(", ")
    )
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
