//! Lists, dicts and strings that are indexed, searched or looped over in a way that they do not allow,
//! and assertions of what they hold: the program, mended.

use super::mend::{Needed, is_single};
use super::quote::{elements, one_line, operand};
use super::scene::{Scene, Side};
use crate::base::{Code, Diagnostic, Suggestion};
use crate::diagnose::precedence::python_reading;
use crate::eval::Meta;
use crate::syntax::ast::{BinaryOperator, ExprId, ExprKind};
use crate::value::{Comparison, Value};

impl Scene<'_> {
    /// What indexing something that has no elements was meant to be.
    pub(super) fn unindexed(&self, meta: &Meta) -> Option<Suggestion> {
        let (object, index) = self.indexed()?;
        mends! { self, meta;
            Meta::Selector(_) => "for whether each position selects position {index}",
                "aggregate({object}, indicator(indices == {index})) > 0";
            Meta::Function(_) => "call it", "{object}({index})";
        }
    }

    /// An index of the wrong kind.
    pub(super) fn index(&self, container: &Meta, index: &Side) -> Option<Suggestion> {
        let (object, position) = self.indexed()?;
        mends! { self, (container, &index.0);
            (Meta::SOp(_), Meta::SOp(_)) =>
                where default = if self.is_string(container) { ", \"\"" } else { "" };
                "to fetch from a computed position",
                "aggregate(select(indices, {position}, ==), {object}{default})";
            (Meta::SOp(_), Meta::Atom(Value::Str(_))) =>
                "to ask where it is", "{object} == {position}";
            (Meta::Dict(dict), _) =>
                where key = dict.iter().next()?.0.source();
                "write a key", "{key}", at (index.1);
            (_, Meta::List(items)) if !is_single(items) => else None;
            (_, Meta::Atom(Value::Str(_))) => else None;
            (_, Meta::Atom(_)) => else self.need(index, Needed::Int).map(Suggestion::plain);
            _ => else self.need(index, Needed::Int);
        }
    }

    pub(super) fn membership(&self, [left, right]: &[Side; 2]) -> Option<Suggestion> {
        mends! { self, (&left.0, &right.0);
            (Meta::SOp(_), Meta::List(_)) =>
                where member = operand(&self.written(left.1)?);
                where elements = elements(&self.written(right.1)?);
                where one = |element: &String| format!("{member} == {}", operand(element));
                where each = elements.iter().map(one).collect::<Vec<_>>().join(" or ");
                else elements.first()
                    .and_then(|_| self.becomes("for s-ops compare one by one", each))
                    .map(Suggestion::plain);
            (Meta::SOp(_) | Meta::Atom(_), Meta::Selector(_)) =>
                where selector = self.written(right.1)?;
                "for whether each position selects a key", "has_focus({selector})";
            (Meta::SOp(_) | Meta::Atom(_), _) => else self.need(right, Needed::List);
            _ => say "ask it of an s-op or an atom, like `tokens in [\"a\", \"b\"]`";
        }
    }

    /// A loop over something that has no elements.
    pub(super) fn iterated(&self, (meta, at): &Side) -> Option<Suggestion> {
        let written = self.written(*at)?;
        match (meta, self.kind()) {
            (Meta::Atom(Value::Int(_)), _) => {
                let fixed = format!("range({written})");
                self.mend_in(*at, "to count from 0", vec![(*at, fixed)])
            }
            (Meta::SOp(_), Some(ExprKind::ListComprehension { element, names, .. })) => {
                let ([name], site) = (names.as_slice(), self.site?) else {
                    return None;
                };
                let (sop, element) = (operand(&written), self.span(*element));
                let is_it = |id: &ExprId| matches!(&site.ast.get(*id).kind, ExprKind::Name(it) if *it == name.name);
                let places = site.ast.ids().filter(is_it).map(|id| self.span(id));
                let places = places.filter(|place| element.contains(*place));
                let edits: Vec<_> = places.map(|place| (place, sop.clone())).collect();
                let fixed = super::quote::replaced(&self.evaluator.sources, element, &edits)?;
                self.becomes("say it of all positions at once", fixed)
            }
            (Meta::SOp(_), _) => {
                let sop = operand(&written);
                let help =
                    format!("write `{sop}` itself where the loop has its name, without the loop");
                Some(help.into())
            }
            _ => {
                let (why, fixed) = self.as_needed(meta, &written, Needed::List)?;
                self.mend_in(*at, &why, vec![(*at, fixed)])
            }
        }
    }

    /// An assertion with what was found on its right side.
    pub(super) fn right_value(&self, values: &[Side]) -> Option<Suggestion> {
        let (found, at) = values.first()?;
        let (what, value) = match found {
            Meta::Atom(value) if values.len() > 1 && self.compares_equal() => {
                (format!("if {} is right", value.source()), value.source())
            }
            Meta::Application(found) => {
                let what = "if what it gives is right".to_string();
                (what, one_line(&source(&found.as_list()))?)
            }
            _ => return None,
        };
        let fixed = format!("{} == {value}", self.written(*at)?);
        let message = format!("{what}: `assert {fixed};`");
        Some(Suggestion::edit(message, self.whole, fixed))
    }

    fn compares_equal(&self) -> bool {
        match (self.kind(), self.site) {
            (Some(ExprKind::Binary { operator, left, .. }), Some(site)) => {
                *operator == BinaryOperator::Compare(Comparison::Equal)
                    && !matches!(site.ast.get(*left).kind, ExprKind::Literal(_))
            }
            _ => false,
        }
    }

    /// `a in b and c`, which is `a in (b and c)`: what it would be in Python.
    pub(super) fn regrouped(&self, error: Diagnostic) -> Diagnostic {
        let types = matches!(error.code, Code::BadMembership | Code::OperandTypes);
        let expr = self.site.and_then(|site| Some((site, site.expr?)));
        let (Some((site, expr)), Some(main), true) = (expr, error.span(), types) else {
            return error;
        };
        // Mistakes deeper inside have nothing to do with how `in` binds.
        let around = (expr.0..site.ast.len() as u32).map(ExprId);
        let mut around = around.filter(|id| self.span(*id).contains(self.whole));
        let membership = around.find(|id| match site.ast.get(*id).kind {
            ExprKind::Binary {
                operator: BinaryOperator::In,
                right,
                ..
            } => {
                let right = self.span(right);
                right.contains(main) && main.start == right.start
            }
            _ => false,
        });
        let text = &self.evaluator.sources.get(self.whole.source).text;
        let read = membership.and_then(|id| Some((id, python_reading(&site.ast, text, id)?)));
        let Some((id, python)) = read else {
            return error;
        };
        let message = format!("write `{python}`");
        error
            .note("`in` binds loosest of all operators: `a in b and c` is `a in (b and c)`")
            .help(Suggestion::edit(message, self.span(id), python))
    }
}

/// A list of atoms and lists as it is written.
fn source(meta: &Meta) -> String {
    match meta {
        Meta::List(items) => {
            let items: Vec<String> = items.iter().map(source).collect();
            format!("[{}]", items.join(", "))
        }
        Meta::Atom(value) => value.source(),
        other => other.repr(),
    }
}
