//! `rasp schedule`: the layers and heads an s-op takes.

use super::arguments::Schedule;
use super::input::open;
use super::output::{Output, Stop};
use crate::graph::Sharing;
use crate::schedule::exact;
use crate::schedule::program::optimise;
use clap::Args;

/// Whether to search for the best schedule, and how long.
#[derive(Debug, Args)]
pub struct Search {
    /// Put heads where the widest layer has the fewest, then the residual stream the fewest values,
    /// and say what is proved
    #[arg(long)]
    pub exact: bool,
    /// Have the fewest heads in all, too, before the fewest values: what is attended to alike waits
    /// to be one head
    #[arg(long, requires = "exact")]
    pub merge_heads: bool,
    /// How many conflicts the solver may run into for each question
    #[arg(
        long,
        value_name = "N",
        requires = "exact",
        default_value_t = exact::Options::CONFLICTS
    )]
    pub budget: u64,
}

impl Search {
    /// How to search, if that is asked for.
    pub fn options(&self) -> Option<exact::Options> {
        self.exact.then_some(exact::Options {
            merge_heads: self.merge_heads,
            conflicts: self.budget,
        })
    }
}

pub fn schedule(output: &mut Output, arguments: &Schedule) -> Result<(), Stop> {
    let sharing = if arguments.reference {
        Sharing::None
    } else {
        Sharing::Equal
    };
    let (mut session, _) = open(output, &arguments.program, sharing)?;
    let sop = session.sop(&arguments.expr);
    let sop = output.expect(sop, session.sources())?;
    if let Some(options) = arguments.search.options() {
        let optimised = optimise(session.graph(), sop, options);
        return match arguments.json {
            true => output.json(&optimised.to_json(session.graph())),
            false => output.text(&optimised.table(session.graph())),
        };
    }
    let schedule = session.schedule(sop);
    match arguments.json {
        true => output.json(&schedule.to_json(session.graph())),
        false => output.text(&schedule.table(session.graph())),
    }
}
