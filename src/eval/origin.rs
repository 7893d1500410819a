//! Which calls each s-op was made in, so that an error on an input can show the way from the
//! program to the place that failed.

use super::Evaluator;
use crate::base::Span;
use crate::graph::SOpId;
use crate::syntax::ast::Name;
use rustc_hash::FxHashMap;

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

    /// The calls in progress, innermost first.
    pub fn open_calls(&self) -> Vec<(Name, Span)> {
        let inner_first = self.open.iter().rev();
        inner_first
            .map(|call| (call.name.clone(), call.span))
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
    fn path(&self, id: SOpId) -> Vec<(Name, Span)> {
        let mut path = Vec::new();
        let mut next = self.made_in.get(&id).copied();
        while let Some(call) = next.and_then(|number| self.calls.get(number as usize)) {
            path.push((call.name.clone(), call.span));
            next = call.caller;
        }
        path
    }
}

impl Evaluator {
    /// The calls that an s-op was made in, innermost first.
    pub(crate) fn calls_of(&self, id: SOpId) -> Vec<(Name, Span)> {
        self.origins.path(id)
    }
}
