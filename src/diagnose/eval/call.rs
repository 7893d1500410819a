//! Calls with arguments that do not fit, and loads of what is not there, where the rule has to look
//! around: what was probably meant.

use super::meant::Needed;
use super::quote::{elements, letters, operand, said};
use super::scene::{Scene, Side};
use crate::base::suggest::nearest;
use crate::base::{Span, Suggestion};
use crate::builtin::Builtin;
use crate::eval::Meta;
use crate::syntax::ast::{BinaryOperator, ExprId, ExprKind};
use crate::value::{Comparison, TypeSet, Value};

impl Scene<'_> {
    /// Several s-ops in a `select`, which only a function compares.
    pub(super) fn compared_by_function(&self, found: usize, at: Span) -> Option<Suggestion> {
        let &[keys, queries, comparison] = self.arguments().as_slice() else {
            return None;
        };
        let ExprKind::Operator(operator) = self.kind_of(comparison) else {
            return None;
        };
        let count = |id: ExprId| match self.span(id) == at {
            true => found,
            false => elements(&self.text(id)).len().max(1),
        };
        let (keys, queries) = (count(keys), count(queries));
        let names = letters(keys + queries);
        let (listed, symbol, query) = (names.join(", "), operator.symbol(), names.get(keys)?);
        let function = format!("lambda {listed}: a {symbol} {query}");
        let what = "say with a function how they compare";
        self.put(what, self.span(comparison), function)
    }

    /// `select(a, b)` and `select(a == b)`: with three arguments.
    pub(super) fn whole_select(&self) -> Option<Suggestion> {
        let (keys, comparison, queries) = match self.arguments().as_slice() {
            [condition] => self.comparison(*condition)?,
            [keys, queries] => match self.comparison(*queries) {
                Some((left, comparison, right)) if self.text(left) == self.text(*keys) => {
                    (*keys, comparison, right)
                }
                _ => (*keys, Comparison::Equal, *queries),
            },
            _ => return None,
        };
        let [keys, queries] = [keys, queries].map(|id| self.text(id));
        let fixed = format!("select({keys}, {queries}, {})", comparison.symbol());
        self.put("keys, queries and a comparison", self.whole, fixed)
    }

    /// A list that a `select` compares with: the other side holds one of its elements.
    pub(super) fn selects_in(&self, list: Span) -> Option<Suggestion> {
        let arguments = self.arguments();
        let at = arguments.iter().position(|id| self.span(*id) == list)?;
        let &[keys, queries, comparison] = arguments.as_slice() else {
            return None;
        };
        if self.static_list(keys) && self.static_list(queries) {
            return said("write s-ops or atoms, like `select(tokens, \"a\", ==)`".to_string());
        }
        let [keys, queries, comparison] = [keys, queries, comparison].map(|id| self.text(id));
        let fixed = match at {
            0 => format!("select(True, {} in {keys}, ==)", operand(&queries)),
            1 => format!("select({} in {queries}, True, ==)", operand(&keys)),
            _ => return None,
        };
        let is_select = self
            .function()
            .is_some_and(|function| self.text(function) == "select");
        let what = "to ask whether it is one of them";
        self.put(what, self.whole, fixed)
            .filter(|_| is_select && comparison == "==")
    }

    /// The values of an `aggregate` if they are a selector: then the arguments are swapped.
    pub(super) fn swapped(&self) -> Option<Span> {
        let values = *self.arguments().get(1)?;
        self.static_selector(values).then(|| self.span(values))
    }

    /// Whether a part is certainly a selector, by its name or by what it calls.
    pub(super) fn static_selector(&self, id: ExprId) -> bool {
        let calls = matches!(self.kind_of(id), ExprKind::Call { function, .. }
            if matches!(&*self.text(*function), "select" | "select_best"));
        calls || matches!(self.known(id), Some(Meta::Selector(_)))
    }

    /// Whether a part is certainly a function, by its name or by how it is written.
    pub(super) fn static_function(&self, id: ExprId) -> bool {
        matches!(self.kind_of(id), ExprKind::Lambda(_))
            || matches!(self.known(id), Some(Meta::Function(_)))
    }

    /// Whether a part is certainly a list, by its name, by how it is written or by what it calls.
    pub(super) fn static_list(&self, id: ExprId) -> bool {
        use ExprKind::{Call, List, ListComprehension, Tuple};
        let written = self.kind_of(id);
        let calls = matches!(written, Call { function, .. }
            if matches!(&*self.text(*function), "range" | "zip"));
        calls
            || matches!(written, List(_) | Tuple(_) | ListComprehension { .. })
            || matches!(self.known(id), Some(Meta::List(_)))
    }

    /// Whether a part is certainly bools.
    pub(super) fn static_bool(&self, id: ExprId) -> bool {
        use BinaryOperator::{And, Compare, In, Or};
        let operator = self.site.ast.binary(id);
        matches!(operator, Some((_, Compare(_) | And | Or | In, _)))
            || matches!(self.known(id), Some(meta) if self.types(meta) == TypeSet::BOOL)
    }

    /// Whether a call has one argument that may be numbers, which scores are.
    pub(super) fn takes_scores(&self) -> bool {
        let spread = |id| matches!(self.kind_of(id), ExprKind::Spread(_));
        matches!(*self.arguments(), [id] if !spread(id) && !self.static_selector(id) && !self.certainly_no_number(id))
    }

    /// Whether a part is certainly a string, a list or a dict.
    pub(super) fn certainly_no_number(&self, id: ExprId) -> bool {
        let is_string = matches!(self.value(id), Some(Value::Str(_)));
        let is_dict = matches!(self.kind_of(id), ExprKind::Dict(_));
        is_string || is_dict || self.names_strings(id) || self.static_list(id)
    }

    /// Whether the only argument is the name of something of strings.
    pub(super) fn takes_letters(&self) -> bool {
        matches!(*self.arguments(), [id] if self.names_strings(id))
    }

    fn names_strings(&self, id: ExprId) -> bool {
        self.known(id).is_some_and(|meta| self.is_string(meta))
    }

    /// Several s-ops that no single default fits, aggregated one by one.
    pub(super) fn aggregated_apart(&self, values: &Meta) -> Option<Suggestion> {
        let ([_, selector, over, _], Meta::List(items)) = (self.parts(), values) else {
            return None;
        };
        let with_default = |(over, values): (String, &Meta)| {
            format!("aggregate({selector}, {over}, {})", self.default_of(values))
        };
        let parts = elements(&over).into_iter().zip(items.iter());
        let parts = parts.map(with_default).collect::<Vec<_>>().join(", ");
        let what = "each with a default of its own";
        self.put(what, self.whole, format!("({parts})"))
    }

    /// A list where `len` or `zip` needs one.
    pub(super) fn listed(&self, builtin: Builtin, found: &Side) -> Option<Suggestion> {
        let (at, whole) = self.place_of(found.1);
        mends! { self, (&found.0, builtin);
            (Meta::SOp(_), Builtin::Len) => say "the length of the input is the s-op `length`";
            (Meta::SOp(_), Builtin::Zip) =>
                say "s-ops are paired as they are: operators work at each position";
            _ if whole != self.whole =>
                else self.put("with a list", found.1, format!("[{}]", self.say(at)));
            (Meta::Atom(value @ Value::Str(_)), Builtin::Len) =>
                say ("its length as an input: `length({})`", value.source());
            _ => else {
                let lists = self.arguments().into_iter().filter_map(|id| {
                    let known = || self.known(id).cloned().or_else(|| self.value(id).map(Meta::Atom));
                    let is_it = self.span(id) == found.1;
                    let given = is_it.then(|| found.0.clone()).or_else(known)?;
                    self.need(&(given, self.span(id)), Needed::List)
                });
                self.mend("write a list", lists.flat_map(|list| list.edits))
            };
        }
    }

    /// The module of the library that a path was probably meant to name.
    pub(super) fn module(&self, path: &str) -> Option<Suggestion> {
        if path.contains("rasplib") {
            return Some("what `rasplib` defines is always there: leave this out".into());
        }
        let modules = self.evaluator.texts.modules();
        // Or only the beginning of a name.
        let length = path.chars().count();
        let begins = |module: &&&str| {
            let beginning: String = module.chars().take(length).collect();
            length > 2 && nearest(path, [beginning.as_str()]).is_some()
        };
        let whole = nearest(path, modules.iter().copied());
        let Some(module) = whole.or_else(|| modules.iter().find(begins).copied()) else {
            return Some(format!("the library has {}", modules.join(", ")).into());
        };
        let path = format!("\"{module}\"");
        let message = format!("did you mean `load {path};`?");
        Some(Suggestion::edit(message, self.whole, path))
    }
}
