//! Help for lists, dicts and strings that are indexed, looped over or taken apart in a way that they
//! do not allow: the user's own code, mended.

use super::expression::Context;
use super::meta::{List, Meta};
use super::quoted::{one_line, operand};
use super::{Evaluator, Stop};
use crate::base::Span;
use crate::syntax::ast::{ExprId, ExprKind, Name};
use crate::value::Value;
use std::rc::Rc;

/// Names that are written out for values to be taken apart.
const MOST_NAMES: usize = 6;

impl Evaluator {
    /// An index that is out of range: the element at the end that it misses.
    pub(crate) fn in_range(
        &self,
        index: i64,
        length: usize,
        (span, at): (Span, Span),
    ) -> Option<String> {
        if length == 0 {
            return Some("put an element in first, like `[1][0]`".to_string());
        }
        let (which, nearest) = match index {
            0.. => ("last", "-1"),
            _ => ("first", "0"),
        };
        let fixed = self.rewritten(span, at, |_| nearest.to_string())?;
        Some(format!("for the {which} element: `{fixed}`"))
    }

    /// An index of the wrong kind: one that the collection has.
    pub(crate) fn an_index_of(&self, container: &Meta, (span, at): (Span, Span)) -> Option<String> {
        let (what, index) = match container {
            Meta::Dict(dict) => ("key", dict.iter().next()?.0.source()),
            _ => ("place", "0".to_string()),
        };
        let fixed = self.rewritten(span, at, |_| index)?;
        Some(format!("write a {what}: `{fixed}`"))
    }

    /// A loop over an s-op: what its body says, said of the s-op itself.
    pub(crate) fn without_loop(&self, cx: &Context, iterable: ExprId) -> Option<String> {
        let written = self.written(cx.ast.get(iterable).span)?;
        let sop = match cx.ast.get(iterable).kind {
            ExprKind::Name(_) => written.to_string(),
            _ => format!("({written})"),
        };
        let comprehension = cx.ast.ids().find_map(|id| match &cx.ast.get(id).kind {
            ExprKind::ListComprehension {
                element,
                names,
                iterable: over,
            } if *over == iterable => Some((*element, names.as_slice())),
            _ => None,
        });
        let Some((element, [name])) = comprehension else {
            return Some(format!(
                "write `{sop}` itself where the loop has its name, without the loop"
            ));
        };
        let fixed = self.renamed(cx, element, &name.name, &sop)?;
        Some(format!("say it of all positions at once: `{fixed}`"))
    }

    /// The text of an expression with another text for a name.
    fn renamed(&self, cx: &Context, id: ExprId, name: &Name, other: &str) -> Option<String> {
        let (mut places, mut pending) = (Vec::new(), vec![id]);
        while let Some(id) = pending.pop() {
            let expr = cx.ast.get(id);
            if matches!(&expr.kind, ExprKind::Name(found) if found == name) {
                places.push((expr.span, other.to_string()));
            }
            pending.extend(expr.kind.children());
        }
        places.sort_by_key(|(place, _)| place.start);
        self.replaced(cx.ast.get(id).span, &places)
    }

    /// An element of a loop that does not have a value for each name, as those before it do: the
    /// same with as many.
    pub(crate) fn uneven_element(
        &self,
        stop: Stop,
        (number, item): (usize, &Meta),
        count: usize,
        (at, iterable): (Span, Span),
    ) -> Stop {
        let Stop::Error(mut error) = stop else {
            return stop;
        };
        if at == iterable
            && let Some(label) = error.labels.first_mut()
        {
            label.text = label.text.replacen("this", "an element of this", 1);
        }
        if number == 0 {
            return error.into();
        }
        let parts = match item {
            Meta::List(items) => items,
            single => std::slice::from_ref(single),
        };
        let sources: Option<Vec<String>> = parts
            .iter()
            .map(|part| part.as_atom().map(Value::source))
            .collect();
        let fixed = sources.and_then(|mut sources| {
            sources.resize(count, "0".to_string());
            one_line(&format!("[{}]", sources.join(", ")))
        });
        let help = fixed.map(|fixed| format!("give every element {count} values: `{fixed}`"));
        error.maybe_help(help).into()
    }

    /// `zip` of what are no lists: the same with a list of each.
    pub(crate) fn all_lists(&mut self, cx: &Context, ids: &[ExprId], span: Span) -> Option<String> {
        let mut fixed = Vec::new();
        for id in ids {
            // Looked at only to say more.
            let (meta, at) = (self.expression(cx, *id).ok()?, cx.ast.get(*id).span);
            if !matches!(meta, Meta::List(_)) {
                fixed.push((at, self.list_of(&meta, at)?));
            }
        }
        let fixed = self.replaced(span, &fixed)?;
        Some(format!("write a list: `{fixed}`"))
    }

    /// `zip` of lists of several lengths: as many of each as all have.
    pub(crate) fn of_one_length(
        &self,
        cx: &Context,
        (ids, lists): (&[ExprId], &[Rc<List>]),
        span: Span,
    ) -> Option<String> {
        let length = lists.iter().map(|list| list.len()).min()?;
        let longer = ids
            .iter()
            .zip(lists)
            .filter(|(_, list)| list.len() > length);
        let cut = longer.map(|(id, _)| {
            let at = cx.ast.get(*id).span;
            let list = operand(&self.written(at)?);
            Some((at, format!("[{list}[i] for i in range({length})]")))
        });
        let fixed = self.replaced(span, &cut.collect::<Option<Vec<_>>>()?)?;
        Some(format!("for the elements that all have: `{fixed}`"))
    }

    /// Operators on lists: the same for each element.
    pub(crate) fn each_element(&self, meta: &Meta, (whole, at): (Span, Span)) -> Option<String> {
        let Meta::List(_) = meta else { return None };
        let list = self.written(at)?;
        let applied = self.rewritten(whole, at, |_| "x".to_string())?;
        Some(format!("for each element: `[{applied} for x in {list}]`"))
    }
}

/// As many names as there are values.
pub(crate) fn names_for(count: usize) -> Option<String> {
    let names: Vec<String> = ('a'..='z').take(count).map(String::from).collect();
    match count {
        0 => None,
        1 => Some("write one name, like `a`".to_string()),
        2..=MOST_NAMES => Some(format!("write {count} names, like `{}`", names.join(", "))),
        _ => Some(format!("write {count} names")),
    }
}

/// A sign before something that has none.
pub(crate) fn without_sign(meta: &Meta, written: Option<&str>) -> Option<String> {
    match meta {
        Meta::Atom(Value::Str(text)) if text.parse::<f64>().is_ok() => {
            Some(format!("for a number: `{text}`"))
        }
        Meta::Atom(Value::Str(_)) => Some(format!("leave out the sign: `{}`", written?)),
        _ => None,
    }
}
