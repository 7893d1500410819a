//! Calls with arguments that do not fit, of functions of the program and of the language: the call
//! that was probably meant.

use super::mend::{Needed, is_single};
use super::name::usage;
use super::quote::{elements, letters, operand};
use super::scene::{Scene, Side};
use super::wrong::nearest_parameter;
use crate::base::suggest::nearest;
use crate::base::{Span, Suggestion};
use crate::builtin::Builtin;
use crate::eval::Meta;
use crate::eval::fault::Argument;
use crate::syntax::ast::{BinaryOperator, ExprId, ExprKind};
use crate::value::{Comparison, TypeSet, Value};

impl Scene<'_> {
    /// Several s-ops in a `select`, which only a function compares.
    pub(super) fn compared_by_function(&self, (meta, at): &Side) -> Option<Suggestion> {
        let &[keys, queries, comparison] = self.arguments().as_slice() else {
            return None;
        };
        let site = self.site?;
        let ExprKind::Operator(operator) = site.ast.get(comparison).kind else {
            return None;
        };
        let Meta::List(items) = meta else { return None };
        if items.iter().all(|item| item.as_atom().is_some()) {
            return None;
        }
        let count = |id: ExprId| match self.span(id) == *at {
            true => items.len(),
            false => elements(&self.text(id).unwrap_or_default()).len().max(1),
        };
        let (keys, queries) = (count(keys), count(queries));
        let names = letters(keys + queries);
        let (listed, symbol) = (names.join(", "), operator.symbol());
        let query = names.get(keys)?;
        let function = format!("lambda {listed}: a {symbol} {query}");
        let what = "say with a function how they compare";
        self.put(what, self.span(comparison), function)
    }

    /// What a call of something that is no function was meant to be.
    pub(super) fn called(&self, meta: &Meta) -> Option<Suggestion> {
        let (object, index) = match self.arguments().as_slice() {
            [argument] => (self.text(self.function()?)?, self.text(*argument)?),
            _ => return None,
        };
        let (what, fixed) = match meta {
            Meta::List(items)
                if items
                    .first()
                    .is_some_and(|item| !matches!(item, Meta::Atom(_)))
                    && index.parse::<i64>().is_err() =>
            {
                ("for the first of them", format!("{object}[0]({index})"))
            }
            Meta::List(_) | Meta::Dict(_) => ("for an element", format!("{object}[{index}]")),
            Meta::Atom(value) if value.is_number() => {
                ("to multiply", format!("{object} * {index}"))
            }
            Meta::Atom(_) => ("for a character", format!("{object}[0]")),
            _ => return None,
        };
        self.becomes(what, fixed)
    }

    /// `max(x)` and `min(x)` of the library, which take two: the largest over all positions.
    pub(super) fn over_positions(&self, called: &str) -> Option<Suggestion> {
        let (what, sign) = match called {
            "max" => ("for the largest over all positions", ""),
            "min" => ("for the smallest over all positions", "-"),
            _ => return None,
        };
        let &[values] = self.arguments().as_slice() else {
            return None;
        };
        if matches!(self.site?.ast.get(values).kind, ExprKind::Spread(_)) {
            return None;
        }
        let x = self.text(values)?;
        let best = format!("select_best(full_s, score({x}, {x}, lambda key, query: {sign}key))");
        self.becomes(what, format!("aggregate({best}, {x})"))
    }

    /// A call of a built-in function with other arguments than it takes.
    pub(super) fn builtin_call(&self, builtin: Builtin, wrong: &Argument) -> Option<Suggestion> {
        if let (Builtin::Select, Some(help)) = (builtin, self.whole_select()) {
            return Some(help);
        }
        if let Argument::Unknown(ident) = wrong
            && let Some(nearest) = nearest_parameter(builtin, &ident.name)
        {
            return self.put("write", ident.span, nearest.to_string());
        }
        Some(format!("use it as {}", usage(builtin)).into())
    }

    /// `select(a, b)` and `select(a == b)`: with three arguments.
    pub(super) fn whole_select(&self) -> Option<Suggestion> {
        let site = self.site?;
        let compared = |id: ExprId| match site.ast.get(id).kind {
            ExprKind::Binary {
                operator: BinaryOperator::Compare(comparison),
                left,
                right,
            } => Some((self.span(left), self.span(right), comparison)),
            _ => None,
        };
        let (keys, queries, comparison) = match self.arguments().as_slice() {
            [condition] => compared(*condition)?,
            [keys, queries] => {
                let keys = self.span(*keys);
                let same = |left: Span| self.written(left) == self.written(keys);
                match compared(*queries).filter(|(left, ..)| same(*left)) {
                    Some((_, right, comparison)) => (keys, right, comparison),
                    None => (keys, self.span(*queries), Comparison::Equal),
                }
            }
            _ => return None,
        };
        let (keys, queries) = (self.written(keys)?, self.written(queries)?);
        let fixed = format!("select({keys}, {queries}, {})", comparison.symbol());
        self.becomes("keys, queries and a comparison", fixed)
    }

    /// What applying an s-op to something that is no input was meant to be.
    pub(super) fn input(&self, applied: Option<&Meta>, (input, at): &Side) -> Option<Suggestion> {
        let given = self.written(*at)?;
        let Some(function) = self.function().filter(|_| applied.is_some()) else {
            return Some(match input {
                // `set example hello`
                Meta::SOp(_) | Meta::Function(_) if given.chars().all(char::is_alphanumeric) => {
                    let quoted = Value::str(&given).source();
                    format!("a string stands in quotes: `{quoted}`").into()
                }
                _ => "write an input, like `\"hello\"` or `[1, 2, 3]`".into(),
            });
        };
        let sop = self.text(function)?;
        let single = format!("{sop}([{given}])");
        let is_sop = matches!(applied, Some(Meta::SOp(_)));
        let (what, fixed) = match input {
            Meta::Atom(Value::Int(_)) if is_sop => {
                let element = format!("for the value at position {given}: `{sop}[{given}]`");
                return Some(format!("{element}; for this single token: `{single}`").into());
            }
            Meta::Atom(Value::Str(_)) | Meta::List(_) | Meta::Dict(_) => {
                ("write an input", format!("{sop}(\"hello\")"))
            }
            Meta::Atom(_) => ("for this single token", single),
            Meta::SOp(_) if is_sop => {
                return Some(
                    format!("an s-op is not a function of others: write `{sop}` alone").into(),
                );
            }
            Meta::SOp(_) => (
                "to read values through a selector",
                format!("aggregate({sop}, {given})"),
            ),
            _ => ("write an input", format!("{sop}(\"hello\")")),
        };
        self.becomes(what, fixed)
    }

    /// `select(a, b, "<")` without the quotes.
    pub(super) fn comparison(&self, id: ExprId) -> Option<Suggestion> {
        let ast = &self.site?.ast;
        let arguments = self.arguments();
        let operator = arguments.iter().find_map(|id| match ast.get(*id).kind {
            ExprKind::Operator(comparison) => Some((*id, comparison)),
            _ => None,
        });
        if let Some((operator, comparison)) = operator {
            // The comparison is there, in another place.
            let others = arguments.iter().filter(|id| **id != operator);
            let texts = others.map(|id| self.text(*id));
            let texts = texts.collect::<Option<Vec<_>>>()?.join(", ");
            let fixed = format!("select({texts}, {})", comparison.symbol());
            return self.becomes("the comparison comes last", fixed);
        }
        let symbol = match &ast.get(id).kind {
            ExprKind::Literal(Value::Str(text))
                if ["==", "!=", "<", "<=", ">", ">="].contains(&&**text) =>
            {
                text.to_string()
            }
            _ => "==".to_string(),
        };
        self.put("write", self.span(id), symbol)
    }

    /// Whether the values of an `aggregate` are a selector: then the arguments are swapped.
    pub(super) fn swapped(&self) -> Option<Span> {
        let values = self.span(*self.arguments().get(1)?);
        self.static_selector(values).then_some(values)
    }

    /// Whether a part is certainly a selector, by its name or by what it calls.
    pub(super) fn static_selector(&self, at: Span) -> bool {
        let Some(site) = self.site else { return false };
        let mut parts = site.ast.ids().filter(|id| site.ast.get(*id).span == at);
        parts.any(|id| match &site.ast.get(id).kind {
            ExprKind::Name(name) => {
                matches!(
                    self.evaluator.lookup(site.scope, name),
                    Some(Meta::Selector(_))
                )
            }
            ExprKind::Call { function, .. } => {
                let called = self.text(*function);
                matches!(called.as_deref(), Some("select" | "select_best"))
            }
            _ => false,
        })
    }

    pub(super) fn selector(&self, (meta, at): &Side) -> Option<Suggestion> {
        if let Some(values) = self.swapped() {
            let (first, second) = (self.written(*at)?, self.written(values)?);
            return self.mend("write", vec![(*at, second), (values, first)]);
        }
        match meta {
            Meta::SOp(_) if self.types(meta) == TypeSet::BOOL => {
                let what = "to aggregate over the keys where it is true";
                self.mend_part(what, *at, |text| format!("select({text}, True, ==)"))
            }
            _ => self.put("to aggregate over all keys", *at, "full_s"),
        }
    }

    /// A default that is no atom: for an s-op the choice between the aggregate and it, for a list
    /// one for each of the values.
    pub(super) fn default(&self, values: &Meta, given: &Side) -> Option<Suggestion> {
        let &[attention, over, _] = self.arguments().as_slice() else {
            return None;
        };
        let (selector, text) = (self.text(attention)?, self.text(over)?);
        let fitting = if self.is_string(values) { "\"\"" } else { "0" };
        match (values, &given.0) {
            (Meta::List(items), Meta::List(_)) => {
                let texts = elements(&text);
                let parts = texts.iter().zip(items.iter()).map(|(text, item)| {
                    let default = if self.is_string(item) { "\"\"" } else { "0" };
                    format!("aggregate({selector}, {text}, {default})")
                });
                let parts = parts.collect::<Vec<_>>().join(", ");
                self.becomes("each with a default of its own", format!("({parts})"))
            }
            (Meta::SOp(_), other @ Meta::SOp(_))
                if self.is_string(values) == self.is_string(other) =>
            {
                let default = operand(&self.written(given.1)?);
                let aggregate = format!("aggregate({selector}, {text}, {fitting})");
                let fixed = format!("{aggregate} if has_focus({selector}) else {default}");
                self.becomes("choose where nothing is selected", fixed)
            }
            (_, Meta::List(items)) if is_single(items) => self.need(given, Needed::SOp),
            _ => self.put("write one atom", given.1, fitting.to_string()),
        }
    }

    /// The call with a function of as many keys and queries as there are.
    pub(super) fn with_parameters(
        &self,
        [keys, queries]: [usize; 2],
        at: Span,
    ) -> Option<Suggestion> {
        let names = letters(keys + queries);
        let (key, query) = (names.first()?, names.get(keys)?);
        let listed = names.join(", ");
        let function = match self.written(self.whole)?.starts_with("score") {
            true => format!("lambda {listed}: indicator({key} == {query})"),
            false => format!("lambda {listed}: {key} == {query}"),
        };
        let fixed = self.replaced(&[(at, function)])?;
        Some(format!("for example `{fixed}`").into())
    }

    /// A list where `len` or `zip` needs one.
    pub(super) fn listed(&self, builtin: Builtin, found: &Side) -> Option<Suggestion> {
        if let Some((at, call)) = self.argument(found.1).filter(|_| self.in_library()) {
            let list = format!("[{}]", self.written(at)?);
            return self.mend_in(call, "with a list", vec![(at, list)]);
        }
        if let (Meta::Atom(value @ Value::Str(_)), Builtin::Len) = (&found.0, builtin) {
            let what = "its length as an input";
            return Some(format!("{what}: `length({})`", value.source()).into());
        }
        let mut edits = Vec::new();
        for id in self.arguments() {
            let (at, site) = (self.span(id), self.site?);
            let literal = match &site.ast.get(id).kind {
                _ if at == found.1 => Some(found.0.clone()),
                ExprKind::Literal(value) => Some(Meta::Atom(value.clone())),
                _ => None,
            };
            if let Some(meta) = literal {
                let (_, list) = self.as_needed(&meta, &self.written(at)?, Needed::List)?;
                edits.push((at, list));
            }
        }
        self.mend("write a list", edits)
    }

    /// The module of the library that a path was probably meant to name.
    pub(super) fn module(&self, path: &str) -> Option<Suggestion> {
        let modules = self.evaluator.texts.modules();
        // Or only the beginning of a name.
        let length = path.chars().count();
        let beginning = |module: &&str| {
            let beginning: String = module.chars().take(length).collect();
            length > 2 && nearest(path, [beginning.as_str()]).is_some()
        };
        let whole = nearest(path, modules.iter().copied());
        let Some(module) = whole.or_else(|| modules.iter().copied().find(beginning)) else {
            return Some(format!("the library has {}", modules.join(", ")).into());
        };
        let message = format!("did you mean `load \"{module}\";`?");
        Some(Suggestion::edit(
            message,
            self.whole,
            format!("\"{module}\""),
        ))
    }
}
