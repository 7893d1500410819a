//! Lists, dicts and strings that are indexed, searched or looped over in a way that they do not allow,
//! and assertions of what they hold: the program, mended.

use super::mend::{Needed, is_single};
use super::quote::{elements, one_line, operand};
use super::scene::{Scene, Side};
use crate::base::{Code, Diagnostic, Span, Suggestion};
use crate::diagnose::precedence::python_reading;
use crate::eval::{Application, Meta};
use crate::syntax::ast::{BinaryOperator, ExprId, ExprKind};
use crate::value::{Comparison, Value};

impl Scene<'_> {
    /// What indexing something that has no elements was meant to be.
    pub(super) fn unindexed(&self, meta: &Meta) -> Option<Suggestion> {
        let (object, index) = self.indexed()?;
        let (what, fixed) = match meta {
            Meta::Selector(_) => (
                format!("for whether each position selects position {index}"),
                format!("aggregate({object}, indicator(indices == {index})) > 0"),
            ),
            Meta::Function(_) => ("call it".to_string(), format!("{object}({index})")),
            _ => return None,
        };
        self.becomes(&what, fixed)
    }

    /// An index of the wrong kind.
    pub(super) fn index(&self, container: &Meta, (index, at): &Side) -> Option<Suggestion> {
        let (object, position) = self.indexed()?;
        match (container, index) {
            (Meta::SOp(_), Meta::SOp(_)) => {
                let default = if self.is_string(container) {
                    ", \"\""
                } else {
                    ""
                };
                let fixed =
                    format!("aggregate(select(indices, {position}, ==), {object}{default})");
                self.becomes("to fetch from a computed position", fixed)
            }
            (Meta::SOp(_), Meta::Atom(Value::Str(_))) => {
                let fixed = format!("{object} == {position}");
                self.becomes("to ask where it is", fixed)
            }
            (Meta::Dict(dict), _) => {
                let (key, _) = dict.iter().next()?;
                self.put("write a key", *at, key.source())
            }
            (_, Meta::List(items)) if !is_single(items) => None,
            (_, Meta::Atom(Value::Str(_))) => None,
            (_, Meta::Atom(_)) => {
                let help = self.need(&(index.clone(), *at), Needed::Int);
                help.map(Suggestion::plain)
            }
            _ => self.need(&(index.clone(), *at), Needed::Int),
        }
    }

    pub(super) fn membership(&self, [left, right]: &[Side; 2]) -> Option<Suggestion> {
        match (&left.0, &right.0) {
            (Meta::SOp(_), Meta::List(_)) => {
                let member = operand(&self.written(left.1)?);
                let compared = elements(&self.written(right.1)?).into_iter();
                let compared = compared.map(|element| format!("{member} == {}", operand(&element)));
                let fixed = compared.collect::<Vec<String>>().join(" or ");
                let edits = (!fixed.is_empty()).then_some(vec![(self.whole, fixed)])?;
                let help = self.mend("for s-ops compare one by one", edits);
                help.map(Suggestion::plain)
            }
            (Meta::SOp(_) | Meta::Atom(_), Meta::Selector(_)) => {
                let fixed = format!("has_focus({})", self.written(right.1)?);
                self.becomes("for whether each position selects a key", fixed)
            }
            (Meta::SOp(_) | Meta::Atom(_), _) => self.need(right, Needed::List),
            _ => Some("ask it of an s-op or an atom, like `tokens in [\"a\", \"b\"]`".into()),
        }
    }

    /// A loop over something that has no elements.
    pub(super) fn iterated(&self, side: &Side) -> Option<Suggestion> {
        let (meta, at) = side;
        let written = self.written(*at)?;
        match meta {
            Meta::Atom(Value::Int(_)) => {
                self.mend_over("to count from 0", *at, format!("range({written})"))
            }
            Meta::SOp(_) => {
                let sop = operand(&written);
                let Some(ExprKind::ListComprehension { element, names, .. }) = self.kind() else {
                    let help = format!(
                        "write `{sop}` itself where the loop has its name, without the loop"
                    );
                    return Some(help.into());
                };
                let [name] = names.as_slice() else {
                    return None;
                };
                let (site, element) = (self.site?, self.span(*element));
                let places = site
                    .ast
                    .ids()
                    .filter_map(|id| match &site.ast.get(id).kind {
                        ExprKind::Name(found) if *found == name.name => Some(self.span(id)),
                        _ => None,
                    });
                let places = places.filter(|place| element.contains(*place));
                let edits: Vec<_> = places.map(|place| (place, sop.clone())).collect();
                let fixed = super::quote::replaced(&self.evaluator.sources, element, &edits)?;
                self.becomes("say it of all positions at once", fixed)
            }
            _ => {
                let (why, fixed) = self.as_needed(meta, &written, Needed::List)?;
                self.mend_over(&why, *at, fixed)
            }
        }
    }

    /// A part that reads alone.
    pub(super) fn mend_over(&self, what: &str, at: Span, fixed: String) -> Option<Suggestion> {
        self.mend_in(at, what, vec![(at, fixed)])
    }

    /// An assertion with what was found on its right side.
    pub(super) fn right_value(&self, values: &[Side]) -> Option<Suggestion> {
        let listed = |values: &[Value]| {
            let sources: Vec<String> = values.iter().map(Value::source).collect();
            format!("[{}]", sources.join(", "))
        };
        let (found, at) = values.first()?;
        let what = match found {
            Meta::Atom(value) => format!("if {} is right", value.source()),
            _ => "if what it gives is right".to_string(),
        };
        let value = match found {
            Meta::Atom(value) if values.len() > 1 && self.compares_equal() => value.source(),
            Meta::Application(application) => match &**application {
                Application::Sequence { output, .. } => one_line(&listed(&output.values))?,
                Application::Matrix { rows, .. } => {
                    let row = |row: &Vec<bool>| {
                        listed(&row.iter().copied().map(Value::Bool).collect::<Vec<_>>())
                    };
                    one_line(&format!(
                        "[{}]",
                        rows.iter().map(row).collect::<Vec<_>>().join(", ")
                    ))?
                }
                Application::Scores { rows, .. } => {
                    let rows: Vec<String> = rows.iter().map(|row| listed(row)).collect();
                    one_line(&format!("[{}]", rows.join(", ")))?
                }
            },
            _ => return None,
        };
        let fixed = format!("{} == {value}", self.written(*at)?);
        let message = format!("{what}: `assert {fixed};`");
        Some(Suggestion::edit(message, self.whole, fixed))
    }

    pub(super) fn compares_equal(&self) -> bool {
        match self.kind() {
            Some(ExprKind::Binary { operator, left, .. }) => {
                let literal = self
                    .site
                    .is_some_and(|site| matches!(site.ast.get(*left).kind, ExprKind::Literal(_)));
                *operator == BinaryOperator::Compare(Comparison::Equal) && !literal
            }
            _ => false,
        }
    }

    /// `a in b and c`, which is `a in (b and c)`: what it would be in Python.
    pub(super) fn regrouped(&self, error: Diagnostic) -> Diagnostic {
        let types = matches!(error.code, Code::BadMembership | Code::OperandTypes);
        let (Some(site), Some(main), true) = (self.site, error.span(), types) else {
            return error;
        };
        let Some(expr) = site.expr else { return error };
        // Mistakes deeper inside have nothing to do with how `in` binds.
        let around = (expr.0..site.ast.len() as u32).map(ExprId);
        let mut around = around.filter(|id| site.ast.get(*id).span.contains(self.whole));
        let membership = around.find(|id| match site.ast.get(*id).kind {
            ExprKind::Binary {
                operator: BinaryOperator::In,
                right,
                ..
            } => {
                let right = site.ast.get(right).span;
                right.contains(main) && main.start == right.start
            }
            _ => false,
        });
        let text = &self.evaluator.sources.get(self.whole.source).text;
        let Some((id, python)) =
            membership.and_then(|id| Some((id, python_reading(&site.ast, text, id)?)))
        else {
            return error;
        };
        let message = format!("write `{python}`");
        error
            .note("`in` binds loosest of all operators: `a in b and c` is `a in (b and c)`")
            .help(Suggestion::edit(message, self.span(id), python))
    }
}
