//! The meanings of the built-in functions, and of the other built-in names.

use super::context::Context;
use super::fault::{Argument as Wrong, Cause, Limit, limited};
use super::meta::{Body, Callable, Meta, ScopeId};
use super::{Evaluator, Outcome};
use crate::base::Span;
use crate::builtin::{Builtin, Kind, TABLE};
use crate::graph::{Encoding, SOp, SOpId};
use crate::syntax::ast::{Argument, BinaryOperator, ExprId, ExprKind};
use crate::value::{Op, TypeSet, Value};
use std::sync::Arc;

impl Evaluator {
    pub(crate) fn define_builtins(&mut self, scope: ScopeId) {
        let span = Span::BUILT_IN;
        let tokens = self.graph.sop(SOp::Tokens, span);
        for row in TABLE {
            let meta = match (row.kind, row.name) {
                (Kind::Atom, name) => Meta::Atom(Value::Bool(name == "True")),
                (Kind::Function(builtin), _) => Meta::Function(Arc::new(builtin_callable(builtin))),
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
        if let Some(Meta::SOp(id)) = self.scopes.lookup(scope, "tokens_str").cloned() {
            self.graph.set_name(id, &"tokens".into(), false);
            let made = (Meta::SOp(id), span);
            self.scopes.set(self.base, "tokens".into(), made);
        }
    }

    pub(crate) fn builtin(
        &mut self,
        cx: &Context,
        builtin: Builtin,
        arguments: &[Argument],
        span: Span,
    ) -> Outcome<Meta> {
        let arguments = self.place_arguments(cx, builtin, arguments, span)?;
        match (builtin, arguments.as_slice()) {
            (Builtin::Select, [keys, queries, comparison]) => {
                self.select(cx, [*keys, *queries, *comparison], span)
            }
            (Builtin::Aggregate, [selector, values, more @ ..]) => {
                self.aggregate(cx, (*selector, *values), more, span)
            }
            (Builtin::Range, bounds) => self.range(cx, bounds),
            (Builtin::Zip, lists) => self.zip(cx, lists),
            (Builtin::Len, [list]) => self.len(cx, *list),
            (Builtin::Round, [number]) => self.convert(cx, Op::Round, *number, span),
            (Builtin::Indicator, [condition]) => self.indicator(cx, *condition, span),
            (Builtin::Zipmap, [sops]) => {
                let sops = self.several(cx, *sops)?.into_iter();
                self.keep(Meta::list(sops.map(|(sop, _)| Meta::SOp(sop)).collect()))
            }
            (Builtin::Zipmap, [sops, function]) => self.zipmap(cx, *sops, *function, span),
            (Builtin::Int, [value]) => self.convert(cx, Op::ToInt, *value, span),
            (Builtin::Float, [value]) => self.convert(cx, Op::ToFloat, *value, span),
            (Builtin::Str, [value]) => self.convert(cx, Op::ToStr, *value, span),
            (Builtin::Exp, [number]) => {
                let e = (Meta::Atom(Value::Float(std::f64::consts::E)), span);
                let sides = [e, self.side(cx, *number)?];
                self.binary(BinaryOperator::Power, sides, span)
            }
            (Builtin::Score, [keys, queries, function]) => {
                self.score(cx, [*keys, *queries, *function], span)
            }
            (Builtin::SelectBest, [selector, scorer]) => {
                self.select_best(cx, *selector, *scorer, span)
            }
            (Builtin::Categorical, [sop]) => self.encode(cx, *sop, Encoding::Categorical),
            (Builtin::Numerical, [sop]) => self.encode(cx, *sop, Encoding::Numerical),
            _ => unreachable!("place_arguments has checked the count"),
        }
    }

    fn len(&mut self, cx: &Context, list: ExprId) -> Outcome<Meta> {
        match self.side(cx, list)? {
            (Meta::List(items), _) => Ok(Meta::Atom(Value::Int(items.len() as i64))),
            other => Err(Cause::NoList(Builtin::Len, other).into()),
        }
    }

    /// Something of one value, or of every value of an s-op.
    fn convert(&mut self, cx: &Context, op: Op, value: ExprId, span: Span) -> Outcome<Meta> {
        let side = self.side(cx, value)?;
        let at = side.1;
        self.one(op, side, at, span)
    }

    fn indicator(&mut self, cx: &Context, condition: ExprId, span: Span) -> Outcome<Meta> {
        match self.side(cx, condition)? {
            side @ (Meta::SOp(_) | Meta::Scorer(_), at) => self.one(Op::Indicator, side, at, span),
            other => Err(Cause::NoIndicator(other).into()),
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
        let sops = self.several(cx, sops)?;
        match self.side(cx, function)? {
            (Meta::Function(callable), at) => self.mapped(sops, (&callable, at), span),
            other => Err(Cause::NoFunction(other).into()),
        }
    }

    /// A function applied to s-ops.
    pub(super) fn mapped(
        &mut self,
        sops: Vec<(SOpId, Span)>,
        (function, at): (&Arc<Callable>, Span),
        span: Span,
    ) -> Outcome<Meta> {
        let arguments = sops.into_iter().map(|(sop, at)| (Meta::SOp(sop), at));
        let result = self.invoke_any(function, arguments.collect(), (at, span))?;
        self.at_each_position(result, span)
    }

    /// The results of an elementwise function: where it gives an atom, the same at each position.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others stay as they are")]
    fn at_each_position(&mut self, result: Meta, span: Span) -> Outcome<Meta> {
        match result {
            Meta::Atom(_) => Ok(Meta::SOp(self.broadcast(&result, span)?)),
            Meta::List(results) => {
                let results = results.iter().cloned();
                let results = results.map(|result| self.at_each_position(result, span));
                let results = results.collect::<Outcome<Vec<Meta>>>()?;
                self.keep(Meta::list(results))
            }
            other => Ok(other),
        }
    }

    /// Notes how an s-op is to be encoded; its value is the same.
    fn encode(&mut self, cx: &Context, sop: ExprId, encoding: Encoding) -> Outcome<Meta> {
        let side = self.side(cx, sop)?;
        let id = self.broadcast(&side.0, side.1)?;
        if encoding == Encoding::Numerical && !self.graph.types(id).meets(TypeSet::NUMBER) {
            return Err(Cause::NoNumbers(side).into());
        }
        self.graph.set_encoding(id, encoding);
        Ok(Meta::SOp(id))
    }

    fn range(&mut self, cx: &Context, bounds: &[ExprId]) -> Outcome<Meta> {
        let mut ints = Vec::with_capacity(bounds.len());
        for bound in bounds {
            let side = self.side(cx, *bound)?;
            let Some(int) = side.0.as_atom().and_then(Value::as_int) else {
                return Err(Cause::NoBound(side).into());
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
            return Err(Cause::StepZero.into());
        }
        let [start, stop, step] = [start, stop, step].map(i128::from);
        let count = ((stop - start + step - step.signum()) / step).max(0);
        let bound = self.limits.collection_length;
        limited(count > bound as i128, Limit::Elements(bound, Some(count)))?;
        let int = |at: i128| Meta::Atom(Value::Int((start + at * step) as i64));
        self.keep(Meta::list((0..count).map(int).collect()))
    }

    fn zip(&mut self, cx: &Context, lists: &[ExprId]) -> Outcome<Meta> {
        let mut columns = Vec::with_capacity(lists.len());
        for id in lists {
            match self.side(cx, *id)? {
                (Meta::List(items), _) => columns.push(items),
                other => return Err(Cause::NoList(Builtin::Zip, other).into()),
            }
        }
        let length = columns.first().map_or(0, |items| items.len());
        if columns.iter().any(|items| items.len() != length) {
            let places = lists.iter().map(|id| cx.span(*id));
            let lengths = columns.iter().map(|items| items.len()).zip(places);
            return Err(Cause::Lengths(lengths.collect()).into());
        }
        let row = |at: usize| {
            let items = columns.iter().map(|items| items[at].clone());
            self.keep(Meta::list(items.collect()))
        };
        let rows = (0..length).map(row).collect::<Outcome<Vec<Meta>>>()?;
        self.keep(Meta::list(rows))
    }

    /// The argument expressions in the order of the builtin's parameters.
    fn place_arguments(
        &self,
        cx: &Context,
        builtin: Builtin,
        arguments: &[Argument],
        span: Span,
    ) -> Outcome<Vec<ExprId>> {
        let (least, most) = builtin.row().takes();
        let wrong = |wrong| Cause::BuiltinArguments(builtin, wrong);
        let mut values = arguments.iter().map(|argument| cx.ast.get(argument.value));
        if let Some(spread) = values.find(|value| matches!(value.kind, ExprKind::Spread(_))) {
            return Err(Cause::StraySpread(spread.span).into());
        }
        let given = arguments.len();
        if given < least || most.is_some_and(|most| given > most) {
            let at = span;
            return Err(wrong(Wrong::Count { given, at }).into());
        }
        let mut placed: Vec<Option<ExprId>> = vec![None; arguments.len()];
        for (index, argument) in arguments.iter().enumerate() {
            let slot = match &argument.name {
                None => index,
                Some(ident) => {
                    let mut names = builtin.parameters();
                    let found = names.position(|name| name == &*ident.name);
                    let found = found.filter(|slot| *slot < placed.len());
                    found.ok_or_else(|| wrong(Wrong::Unknown(ident.clone())))?
                }
            };
            if placed[slot].replace(argument.value).is_some() {
                let parameter = builtin.parameters().nth(slot).unwrap_or_default().into();
                let at = cx.span(argument.value);
                return Err(wrong(Wrong::Twice { parameter, at }).into());
            }
        }
        Ok(placed.into_iter().flatten().collect())
    }
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
        rest: false,
        documentation: row.documentation.to_string(),
        body: Body::Builtin(builtin),
    }
}
