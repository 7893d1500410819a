//! Calls with arguments that do not fit, of functions of the program and of the language: the call
//! that was probably meant.

use super::mend::{Needed, is_single};
use super::name::usage;
use super::quote::{elements, letters, operand};
use super::scene::{Scene, Side};
use crate::base::suggest::nearest;
use crate::base::{Span, Suggestion};
use crate::builtin::Builtin;
use crate::eval::Meta;
use crate::eval::fault::Argument;
use crate::eval::meta::Callable;
use crate::syntax::ast::{BinaryOperator, ExprId, ExprKind};
use crate::value::{Comparison, TypeSet, Value};

impl Scene<'_> {
    /// Several s-ops in a `select`, which only a function compares.
    pub(super) fn compared_by_function(&self, (meta, at): &Side) -> Option<Suggestion> {
        let (&[keys, queries, comparison], Meta::List(items)) = (self.arguments().as_slice(), meta)
        else {
            return None;
        };
        let ExprKind::Operator(operator) = self.site?.ast.get(comparison).kind else {
            return None;
        };
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
        let &[argument] = self.arguments().as_slice() else {
            return None;
        };
        let (object, index) = (self.text(self.function()?)?, self.text(argument)?);
        let is_atom = |item: &Meta| matches!(item, Meta::Atom(_));
        let named = index.parse::<i64>().is_err();
        mends! { self, meta;
            Meta::List(items) if named && items.first().is_some_and(|first| !is_atom(first)) =>
                "for the first of them", "{object}[0]({index})";
            Meta::List(_) | Meta::Dict(_) => "for an element", "{object}[{index}]";
            Meta::Atom(value) if value.is_number() => "to multiply", "{object} * {index}";
            Meta::Atom(_) => "for a character", "{object}[0]";
        }
    }

    /// How a function is called that got other arguments than it takes; `max(x)` and `min(x)` of the
    /// library, which take two, are meant over all positions.
    pub(super) fn usage_of(&self, called: &str, callable: &Callable) -> Option<Suggestion> {
        let arguments = self.arguments();
        let spread = |id| {
            matches!(
                self.site.map(|it| &it.ast.get(id).kind),
                Some(ExprKind::Spread(_))
            )
        };
        let x = match arguments.as_slice() {
            &[x] if !spread(x) => self.text(x).unwrap_or_default(),
            _ => String::new(),
        };
        let usage = callable.usage(called);
        mends! { self, called;
            "max" if !x.is_empty() => "for the largest over all positions",
                "aggregate(select_best(full_s, score({x}, {x}, lambda key, query: key)), {x})";
            "min" if !x.is_empty() => "for the smallest over all positions",
                "aggregate(select_best(full_s, score({x}, {x}, lambda key, query: -key)), {x})";
            _ => say "call it as `{usage}`";
        }
    }

    /// A function that is handed over, with as many parameters as it is called with arguments.
    pub(super) fn taking(&self, given: usize, at: Span) -> Option<Suggestion> {
        let names = letters(given);
        let first = names.first().map_or("indices", String::as_str);
        let function = format!("lambda {}: {first}", names.join(", "));
        let fixed = self.replaced(&[(at, function)])?;
        Some(format!("with as many parameters: `{fixed}`").into())
    }

    /// A call of a built-in function with other arguments than it takes.
    pub(super) fn builtin_call(&self, builtin: Builtin, wrong: &Argument) -> Option<Suggestion> {
        let select = self.whole_select().filter(|_| builtin == Builtin::Select);
        select
            .or_else(|| match wrong {
                Argument::Unknown(ident) => {
                    let meant = nearest(&ident.name, builtin.parameters());
                    meant.and_then(|nearest| self.put("write", ident.span, nearest))
                }
                _ => None,
            })
            .or_else(|| Some(format!("use it as {}", usage(builtin)).into()))
    }

    /// `select(a, b)` and `select(a == b)`: with three arguments.
    fn whole_select(&self) -> Option<Suggestion> {
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
        let sop = self.function().and_then(|function| self.text(function));
        let sop = sop.unwrap_or_default();
        let quoted = Value::str(&given).source();
        let is_word = given.chars().all(char::is_alphanumeric);
        mends! { self, (applied, input);
            // `set example hello`
            (None, Meta::SOp(_) | Meta::Function(_)) if is_word =>
                say "a string stands in quotes: `{quoted}`";
            (None, _) => say "write an input, like `\"hello\"` or `[1, 2, 3]`";
            (Some(Meta::SOp(_)), Meta::Atom(Value::Int(_))) =>
                say "for the value at position {given}: `{sop}[{given}]`; for this single token: \
                     `{sop}([{given}])`";
            (_, Meta::Atom(Value::Str(_)) | Meta::List(_) | Meta::Dict(_)) =>
                "write an input", "{sop}(\"hello\")";
            (_, Meta::Atom(_)) => "for this single token", "{sop}([{given}])";
            (Some(Meta::SOp(_)), Meta::SOp(_)) =>
                say "an s-op is not a function of others: write `{sop}` alone";
            (_, Meta::SOp(_)) =>
                "to read values through a selector", "aggregate({sop}, {given})";
            _ => "write an input", "{sop}(\"hello\")";
        }
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
        let signs = ["==", "!=", "<", "<=", ">", ">="];
        let symbol = match &ast.get(id).kind {
            ExprKind::Literal(Value::Str(text)) if signs.contains(&&**text) => text.to_string(),
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
                let meta = self.evaluator.lookup(site.scope, name);
                matches!(meta, Some(Meta::Selector(_)))
            }
            ExprKind::Call { function, .. } => {
                let called = self.text(*function);
                matches!(called.as_deref(), Some("select" | "select_best"))
            }
            _ => false,
        })
    }

    pub(super) fn selector(&self, (meta, at): &Side) -> Option<Suggestion> {
        let text = self.written(*at)?;
        if let Some(values) = self.swapped() {
            let second = self.written(values)?;
            return self.mend("write", vec![(*at, second), (values, text)]);
        }
        let is_bool = self.types(meta) == TypeSet::BOOL;
        mends! { self, meta;
            Meta::SOp(_) if is_bool => "to aggregate over the keys where it is true",
                "select({text}, True, ==)", at (*at);
            _ => "to aggregate over all keys", "full_s", at (*at);
        }
    }

    /// A default that fits values.
    fn default_of(&self, values: &Meta) -> &'static str {
        if self.is_string(values) { "\"\"" } else { "0" }
    }

    /// Several s-ops that no single default fits, aggregated one by one.
    pub(super) fn aggregated_apart(&self, values: &Meta) -> Option<Suggestion> {
        let (&[attention, over, _], Meta::List(items)) = (self.arguments().as_slice(), values)
        else {
            return None;
        };
        let (selector, texts) = (self.text(attention)?, elements(&self.text(over)?));
        let parts = texts.iter().zip(items.iter()).map(|(text, item)| {
            format!("aggregate({selector}, {text}, {})", self.default_of(item))
        });
        let parts = parts.collect::<Vec<_>>().join(", ");
        self.becomes("each with a default of its own", format!("({parts})"))
    }

    /// A default that is no atom: for an s-op the choice between the aggregate and it, for a list
    /// one for each of the values.
    pub(super) fn default(&self, values: &Meta, given: &Side) -> Option<Suggestion> {
        let &[attention, over, _] = self.arguments().as_slice() else {
            return None;
        };
        let (selector, text) = (self.text(attention)?, self.text(over)?);
        let fitting = self.default_of(values);
        mends! { self, (values, &given.0);
            (Meta::List(_), Meta::List(_)) => else self.aggregated_apart(values);
            (Meta::SOp(_), other @ Meta::SOp(_)) if self.is_string(values) == self.is_string(other) =>
                where default = operand(&self.written(given.1)?);
                "choose where nothing is selected",
                "aggregate({selector}, {text}, {fitting}) if has_focus({selector}) else {default}";
            (_, Meta::List(items)) if is_single(items) => else self.need(given, Needed::SOp);
            _ => "write one atom", "{fitting}", at (given.1);
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
        let handed_over = self.argument(found.1).filter(|_| self.in_library());
        match (&found.0, builtin, handed_over) {
            (Meta::SOp(_), Builtin::Len, _) => {
                return Some("the length of the input is the s-op `length`".into());
            }
            (_, _, Some((at, call))) => {
                let list = format!("[{}]", self.written(at)?);
                return self.mend_in(call, "with a list", vec![(at, list)]);
            }
            (Meta::Atom(value @ Value::Str(_)), Builtin::Len, _) => {
                let text = value.source();
                return Some(format!("its length as an input: `length({text})`").into());
            }
            _ => {}
        }
        let mut edits = Vec::new();
        for id in self.arguments() {
            let at = self.span(id);
            let literal = match &self.site?.ast.get(id).kind {
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
        let fixed = format!("\"{module}\"");
        Some(Suggestion::edit(message, self.whole, fixed))
    }
}
