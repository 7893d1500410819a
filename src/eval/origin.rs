//! Which calls each s-op was made in, so that an error on an input can show the way from the
//! program to the place that failed.

use super::advice::lookup;
use super::{Evaluator, advise};
use crate::base::{Code, Diagnostic, Span};
use crate::graph::{SOp, SOpId};
use crate::syntax::ast::Name;
use crate::value::Op;
use rustc_hash::FxHashMap;

/// Calls shown on the way to an error.
const SHOWN_CALLS: usize = 3;

/// A call in progress; it gets a number once an s-op is made in it.
#[derive(Debug)]
struct Open {
    name: Name,
    span: Span,
    number: Option<u32>,
}

/// A call in which an s-op was made.
#[derive(Debug)]
struct Call {
    name: Name,
    span: Span,
    caller: Option<u32>,
}

/// The calls behind the s-ops.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    open: Vec<Open>,
    calls: Vec<Call>,
    made_in: FxHashMap<SOpId, u32>,
}

impl Origins {
    pub fn enter(&mut self, name: &Name, span: Span) {
        self.open.push(Open {
            name: name.clone(),
            span,
            number: None,
        });
    }

    pub fn leave(&mut self) {
        self.open.pop();
    }

    /// The calls in progress, innermost first, as far as an error shows them.
    pub fn open_calls(&self) -> Vec<(Name, Span)> {
        let last = self.open.len().saturating_sub(1);
        let inner_first = self.open.iter().rev().enumerate();
        inner_first
            .filter(|(at, _)| *at < SHOWN_CALLS || *at == last)
            .map(|(_, call)| (call.name.clone(), call.span))
            .collect()
    }

    /// Notes that an s-op has just been made.
    pub fn made(&mut self, id: SOpId) {
        // Calls are numbered from the outermost on; those with a number come first.
        let from = self.open.partition_point(|call| call.number.is_some());
        for at in from..self.open.len() {
            let caller = at
                .checked_sub(1)
                .and_then(|caller| self.open[caller].number);
            let Ok(number) = u32::try_from(self.calls.len()) else {
                return;
            };
            let open = &mut self.open[at];
            open.number = Some(number);
            self.calls.push(Call {
                name: open.name.clone(),
                span: open.span,
                caller,
            });
        }
        if let Some(number) = self.open.last().and_then(|call| call.number) {
            self.made_in.insert(id, number);
        }
    }

    /// The calls that an s-op was made in, innermost first.
    fn path(&self, id: SOpId) -> Vec<&Call> {
        let mut path = Vec::new();
        let mut next = self.made_in.get(&id).copied();
        while let Some(call) = next.and_then(|number| self.calls.get(number as usize)) {
            path.push(call);
            next = call.caller;
        }
        path
    }
}

impl Evaluator {
    /// An error of an evaluation with the calls that led to its place, where they are the same for
    /// all s-ops made there that the roots need; and with what to type instead.
    pub fn explain(&self, error: Diagnostic, roots: &[SOpId]) -> Diagnostic {
        let Some(main) = error.span() else {
            return advise(error, &self.sources);
        };
        let candidates = self.graph.reachable(roots).into_iter();
        let here: Vec<SOpId> = candidates
            .filter(|id| self.graph.span(*id) == main)
            .collect();
        let mut error = error;
        if error.code == Code::BadIndex && error.help.is_none() {
            let tables = here.iter().filter_map(|id| match self.graph.get(*id) {
                SOp::Map {
                    op: Op::Lookup(table),
                    ..
                } => Some(table),
                _ => None,
            });
            let mut helps = tables.filter_map(|table| lookup(&self.sources, main, table));
            error = error.maybe_help(helps.next());
        }
        let mut paths = here.iter().map(|id| self.origins.path(*id));
        let path = paths.next().unwrap_or_default();
        let spans = |path: &[&Call]| path.iter().map(|call| call.span).collect::<Vec<_>>();
        let unique = paths.all(|other| spans(&other) == spans(&path));
        if unique {
            let last = path.len().saturating_sub(1);
            for (at, call) in path.iter().enumerate() {
                // The innermost calls and the one in the program itself.
                if at < SHOWN_CALLS || at == last {
                    let text = format!("in this call of `{}`", call.name);
                    error = error.within(call.span, text);
                }
            }
        }
        advise(error, &self.sources)
    }
}
