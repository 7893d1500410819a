//! `repeat`: rounds of one body, whose carried names go from round to round. The rounds are run one
//! after another, so that the graph holds all of them; it keeps which s-ops went from one to the next.

use super::context::Context;
use super::fault::Cause;
use super::meta::Meta;
use super::statement::{Event, defined};
use super::{Evaluator, Outcome};
use crate::base::Span;
use crate::graph::{Rounds, SOpId};
use crate::syntax::ast::{ExprId, Ident, Name, Repeat};
use crate::value::{TypeSet, Value};

impl Evaluator {
    pub(super) fn repeat(
        &mut self,
        cx: &Context,
        repeat: &Repeat,
        span: Span,
        events: &mut Vec<Event>,
    ) -> Outcome<()> {
        let times = self.times(cx, repeat.times)?;
        self.check_carried(cx, repeat)?;
        let mut carried = Vec::with_capacity(repeat.names.len());
        for start in &repeat.starts {
            let (start, at) = self.side(cx, *start)?;
            carried.push((self.broadcast(&start, at)?, at));
        }
        let ids = |carried: &[(SOpId, Span)]| -> Vec<SOpId> {
            carried.iter().map(|(id, _)| *id).collect()
        };
        let mut rounds: Vec<Vec<SOpId>> = vec![ids(&carried)];
        let mut failed = None;
        for _ in 0..times {
            self.charge(1)?;
            let round = cx.within(self.inner_scope(cx.scope)?);
            for (name, (id, at)) in repeat.names.iter().zip(&carried) {
                self.assign(&round, name, (Meta::SOp(*id), *at))?;
            }
            for statement in &repeat.body {
                let run = self.looped(&round, statement, &mut failed);
                run.map_err(|stop| {
                    stop.changed(self.changed(repeat, [&rounds[0], &ids(&carried)]))
                })?;
            }
            for (name, next) in repeat.names.iter().zip(&mut carried) {
                *next = self.next(&round, name)?;
            }
            rounds.push(ids(&carried));
        }
        for (name, (id, at)) in repeat.names.iter().zip(carried) {
            self.assign(cx, name, (Meta::SOp(id), at))?;
            events.push(Event::Assigned {
                name: name.name.clone(),
                meta: Meta::SOp(id),
            });
        }
        self.graph.repeated(Rounds {
            span,
            carried: rounds,
        });
        failed.map_or(Ok(()), Err)
    }

    /// How often the body runs.
    fn times(&mut self, cx: &Context, times: ExprId) -> Outcome<usize> {
        let found = self.side(cx, times)?;
        if let Meta::Atom(Value::Int(int)) = found.0
            && let Ok(times) = usize::try_from(int)
        {
            return Ok(times);
        }
        Err(Cause::NoTimes(found).into())
    }

    /// Every carried name is one that may be set, once, and that the body sets.
    fn check_carried(&mut self, cx: &Context, repeat: &Repeat) -> Outcome<()> {
        let set: Vec<&Ident> = repeat.body.iter().flat_map(defined).collect();
        for (at, name) in repeat.names.iter().enumerate() {
            self.check_assignable(cx, name)?;
            let mut before = repeat.names[..at].iter();
            if before.any(|other| other.name == name.name) {
                return Err(Cause::CarriedTwice(name.clone()).into());
            }
            if !set.iter().any(|ident| ident.name == name.name) {
                return Err(Cause::NotCarried(name.clone()).into());
            }
        }
        Ok(())
    }

    /// The first name that had other types before the first round than it has now, with both.
    fn changed(
        &self,
        repeat: &Repeat,
        [first, now]: [&[SOpId]; 2],
    ) -> Option<(Name, [TypeSet; 2])> {
        let types = first.iter().zip(now);
        let types = types.map(|(first, now)| [first, now].map(|id| self.graph.types(*id)));
        let mut names = repeat.names.iter().zip(types);
        let (name, types) = names.find(|(_, [first, now])| first != now)?;
        Some((name.name.clone(), types))
    }

    /// What a carried name means at the end of a round, and where that was made.
    fn next(&mut self, round: &Context, name: &Ident) -> Outcome<(SOpId, Span)> {
        let meta = self.lookup(round.scope, &name.name).cloned();
        let at = self.scopes.made(round.scope, &name.name);
        let (meta, at) = (meta.unwrap_or(Meta::Broken), at.unwrap_or(name.span));
        Ok((self.broadcast(&meta, at)?, at))
    }
}
