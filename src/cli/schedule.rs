//! `rasp schedule`: the layers and heads an s-op takes.

use super::arguments::Schedule;
use super::input::open;
use super::output::{Output, Stop};
use crate::graph::Sharing;

pub fn schedule(output: &mut Output, arguments: &Schedule) -> Result<(), Stop> {
    let sharing = if arguments.reference {
        Sharing::None
    } else {
        Sharing::Equal
    };
    let (mut session, _) = open(output, &arguments.program, sharing)?;
    let sop = session.sop(&arguments.expr);
    let sop = output.expect(sop, session.sources())?;
    let schedule = session.schedule(sop);
    match arguments.json {
        true => output.json(&schedule.to_json(session.graph())),
        false => output.text(&schedule.table(session.graph())),
    }
}
