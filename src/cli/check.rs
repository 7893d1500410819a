//! `rasp check`: the types and value domains of what a program defines.

use super::arguments::Check;
use super::input::open;
use super::output::{Output, Stop};
use crate::graph::Sharing;

pub fn check(output: &mut Output, arguments: &Check) -> Result<(), Stop> {
    let (_session, _) =
        open(output, &arguments.program, Sharing::Equal).map_err(|(stop, _)| stop)?;
    Ok(())
}
