//! Elements of what has none, assertions of what does not hold, and `in` beside other operators: the
//! program, mended.

use super::meant::Needed;
use super::quote::{one_line, operand, replaced};
use super::scene::{Scene, Side};
use crate::base::{Code, Diagnostic, Suggestion};
use crate::diagnose::precedence::python_reading;
use crate::eval::Meta;
use crate::syntax::ast::{BinaryOperator, ExprId, ExprKind};
use crate::value::{Comparison, Value};

impl Scene<'_> {
    /// A loop over something that has no elements.
    pub(super) fn iterated(&self, found: &Side) -> Option<Suggestion> {
        let (meta, at) = found;
        let alone = Scene {
            whole: *at,
            ..*self
        };
        mends! { self, (meta, self.kind());
            (Meta::Atom(Value::Int(_)), _) =>
                else alone.put("to count from 0", *at, format!("range({})", self.say(*at)));
            (Meta::SOp(_), Some(ExprKind::ListComprehension { element, names, .. })) => else {
                let [name] = names.as_slice() else { return None };
                let (sop, element) = (operand(&self.say(*at)), self.span(*element));
                let is_it = |id: &ExprId| matches!(self.kind_of(*id), ExprKind::Name(it) if *it == name.name);
                let places = self.site.ast.ids().filter(is_it).map(|id| self.span(id));
                let places = places.filter(|place| element.contains(*place));
                let edits: Vec<_> = places.map(|place| (place, sop.clone())).collect();
                let fixed = replaced(&self.evaluator.sources, element, &edits)?;
                self.put("say it of all positions at once", self.whole, fixed)
            };
            (Meta::SOp(_), _) =>
                say ("write `{}` itself where the loop has its name, without the loop",
                    operand(&self.say(*at)));
            _ => else alone.need(found, Needed::List);
        }
    }

    /// An assertion with what was found on its right side.
    pub(super) fn right_value(&self, values: &[Side]) -> Option<Suggestion> {
        let (found, at) = values.first()?;
        let says = |what: &str, value: String| {
            let fixed = format!("{} == {value}", self.written(*at)?);
            let message = format!("if {what} is right: `assert {fixed};`");
            Some(Suggestion::edit(message, self.whole, fixed))
        };
        mends! { self, found;
            Meta::Atom(value) if values.len() > 1 && self.compares_equal() =>
                else says(&value.source(), value.source());
            Meta::Application(found) => else says("what it gives", one_line(&found.as_list().repr())?);
        }
    }

    fn compares_equal(&self) -> bool {
        self.whole_comparison()
            .is_some_and(|(left, comparison, _)| {
                comparison == Comparison::Equal && self.value(left).is_none()
            })
    }

    /// `a in b and c`, which is `a in (b and c)`: what it would be in Python.
    pub(super) fn regrouped(&self, error: Diagnostic) -> Diagnostic {
        let types = matches!(error.code, Code::BadMembership | Code::OperandTypes);
        let meant = error.span().filter(|_| types).and_then(|main| {
            let ast = &self.site.ast;
            // Mistakes deeper inside have nothing to do with how `in` binds.
            let around = (self.site.expr?.0..ast.len() as u32).map(ExprId);
            let mut around = around.filter(|id| self.span(*id).contains(self.whole));
            let id = around.find(|id| match ast.binary(*id) {
                Some((_, BinaryOperator::In, right)) => {
                    let right = self.span(right);
                    right.contains(main) && main.start == right.start
                }
                _ => false,
            })?;
            let text = &self.evaluator.sources.get(self.whole.source).text;
            let python = python_reading(ast, text, id)?;
            let message = format!("write `{python}`");
            Some(Suggestion::edit(message, self.span(id), python))
        });
        let why = "`in` binds loosest of all operators: `a in b and c` is `a in (b and c)`";
        match meant {
            Some(help) => error.note(why).help(help),
            None => error,
        }
    }
}
