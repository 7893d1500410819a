//! What a command is busy with, on a terminal where it takes long. Depends on `base`.

use crate::base::Control;
use indicatif::ProgressBar;
use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Nothing is shown before this time.
const PATIENCE: Duration = Duration::from_millis(500);

const TICK: Duration = Duration::from_millis(100);

/// Does some work of a session, and shows on standard error what it is at, if that is a terminal and it takes
/// long.
pub fn shown<T>(control: &Control, work: impl FnOnce() -> T) -> T {
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
