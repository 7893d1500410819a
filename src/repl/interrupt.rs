//! Ctrl-C, for front ends at a terminal: it stops what a session does, and not the process. The only
//! file that names ctrlc.

use crate::base::{Control, write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What Ctrl-C is about now.
static CURRENT: Mutex<Option<Work>> = Mutex::new(None);

/// Whether the process has its handler.
static HANDLED: AtomicBool = AtomicBool::new(false);

/// What a request to stop comes to.
struct Work {
    control: Control,
    /// Whether the process ends where the work does not.
    must_end: bool,
}

/// How long work may take to end before the process does.
const GRACE: Duration = Duration::from_secs(2);

/// The exit status of a process that Ctrl-C has ended, as shells tell it.
pub const STATUS: i32 = 130;

/// Makes Ctrl-C a request to stop from now on.
///
/// # Errors
/// The reason why it will end the process instead.
pub fn on_ctrl_c(control: &Control) -> Result<(), String> {
    handle(control, false)
}

/// The same, until what is given back is dropped. Work that does not end soon ends with the process,
/// and so does whatever comes after it: no file is left that is not whole.
///
/// # Errors
/// As [`on_ctrl_c`].
pub fn while_working(control: &Control) -> Result<Working, String> {
    handle(control, true)?;
    Ok(Working)
}

/// Work that Ctrl-C stops.
pub struct Working;

impl Drop for Working {
    fn drop(&mut self) {
        *current() = None;
    }
}

fn current() -> MutexGuard<'static, Option<Work>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn handle(control: &Control, must_end: bool) -> Result<(), String> {
    let control = control.clone();
    *current() = Some(Work { control, must_end });
    if HANDLED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    ctrlc::set_handler(stop).map_err(|error| error.to_string())
}

fn stop() {
    let asked = match &*current() {
        Some(work) => {
            work.control.stop();
            work.must_end
        }
        None => end(),
    };
    let since = Instant::now();
    while asked && current().is_some() {
        if since.elapsed() > GRACE {
            end();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn end() -> ! {
    let _no_file_is_half_written = write::pause();
    std::process::exit(STATUS)
}
