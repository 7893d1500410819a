//! What a command is busy with, on a terminal where it takes long; and Ctrl-C, which stops it. Depends
//! on `base`, and on the prompt for Ctrl-C.

use super::output::{Output, Stop};
use crate::base::{Control, Sources, tell};
use crate::repl::interrupt;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Nothing is shown before this time.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often what is shown moves.
pub const TICK: Duration = Duration::from_millis(100);

/// Does some work of a session, called so until it calls itself something else, and shows on standard
/// error what it is at, if that is a terminal and it takes long.
///
/// # Errors
/// Ctrl-C has stopped it (E0802), which has been shown.
pub fn shown<T>(
    output: &mut Output,
    control: &Control,
    stage: &'static str,
    work: impl FnOnce() -> T,
) -> Result<T, Stop> {
    let result = to_a_part(control, stage, work);
    output.expect(control.check(), &Sources::new())?;
    Ok(result)
}

/// The same of work whose result, when it is stopped, is worth showing.
pub fn to_a_part<T>(control: &Control, stage: &'static str, work: impl FnOnce() -> T) -> T {
    control.at(stage);
    let _working = working(control);
    watched(control, work)
}

/// Does some work that is shown in another way. Ctrl-C stops it.
///
/// # Errors
/// As [`shown`].
pub fn stoppable<T>(
    output: &mut Output,
    control: &Control,
    work: impl FnOnce() -> T,
) -> Result<T, Stop> {
    let result = {
        let _working = working(control);
        work()
    };
    output.expect(control.check(), &Sources::new())?;
    Ok(result)
}

fn working(control: &Control) -> Option<interrupt::Working> {
    let working = interrupt::while_working(control);
    let untold = |reason| tell(&format!("rasp: Ctrl-C will show no result: {reason}\n"));
    working.map_err(untold).ok()
}

/// The same of work that no session does: Ctrl-C ends the process.
pub fn alone<T>(stage: &'static str, work: impl FnOnce() -> T) -> T {
    let control = Control::default();
    control.at(stage);
    watched(&control, work)
}

/// A bar over so many things, or a spinner where nobody knows how many; hidden where nobody looks.
pub fn bar(length: Option<u64>, template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = length.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn watched<T>(control: &Control, work: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let (working, ended) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || spin(control, &ended));
        let result = work();
        drop(working);
        result
    })
}

fn spin(control: &Control, ended: &Receiver<()>) {
    let goes_on = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    if !goes_on(PATIENCE) {
        return;
    }
    let spinner = ProgressBar::new_spinner();
    while goes_on(TICK) {
        spinner.set_message(control.stage());
        spinner.tick();
    }
    spinner.finish_and_clear();
}
