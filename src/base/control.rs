//! What whoever waits holds of work that goes on: a handle that asks for its end and sees what it is
//! at. A session gives its own, which goes with its graph, so that whatever is made of that ends
//! when it is asked to; work of other sessions in the process goes on. Depends on `diagnostic` and `limits`.

use super::diagnostic::{Code, Diagnostic, Fallible};
use super::limits::Limits;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A handle of work that goes on. Clones are handles of the same work.
///
/// ```
/// use rasp::base::{Code, Control};
///
/// let control = Control::default();
/// let elsewhere = control.clone();
/// std::thread::spawn(move || elsewhere.stop()).join().expect("it only asks");
/// let stopped = control.check().expect_err("work ends here");
/// assert_eq!(stopped.code, Code::Interrupted);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<State>);

#[derive(Debug)]
struct State {
    stopped: AtomicBool,
    stage: Mutex<&'static str>,
    most_pairs: AtomicU64,
    pairs: AtomicU64,
}

impl Default for State {
    fn default() -> State {
        State {
            stopped: AtomicBool::default(),
            stage: Mutex::default(),
            most_pairs: AtomicU64::new(Limits::default().pairs),
            pairs: AtomicU64::default(),
        }
    }
}

impl Control {
    /// Asks the work to end.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }

    /// Takes the request back, before other work begins.
    pub fn resume(&self) {
        self.0.stopped.store(false, Ordering::Relaxed);
    }

    /// Whether the work is to end. What can take long asks where it also looks at its limits.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// # Errors
    /// The work is to end (E0802).
    pub fn check(&self) -> Fallible<()> {
        match self.is_stopped() {
            true => Err(Diagnostic::error(Code::Interrupted, INTERRUPTED).into()),
            false => Ok(()),
        }
    }

    /// Puts the limit on pairs in force, [`Limits::pairs`].
    pub fn allow_pairs(&self, most: u64) {
        self.0.most_pairs.store(most, Ordering::Relaxed);
    }

    /// Whether work on so many pairs is within the limit.
    ///
    /// # Errors
    /// The limit.
    pub fn allows(&self, pairs: u64) -> Result<(), u64> {
        let most = self.0.most_pairs.load(Ordering::Relaxed);
        if pairs > most { Err(most) } else { Ok(()) }
    }

    /// Notes that so many pairs are looked at.
    pub fn count_pairs(&self, pairs: u64) {
        self.0.pairs.fetch_add(pairs, Ordering::Relaxed);
    }

    /// How many pairs have been looked at so far.
    pub fn pairs(&self) -> u64 {
        self.0.pairs.load(Ordering::Relaxed)
    }

    /// Says what is done from now on, like `inferring values`.
    pub fn at(&self, stage: &'static str) {
        *self.0.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }

    /// What is done now.
    pub fn stage(&self) -> &'static str {
        *self.0.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is said of work that was asked to end.
pub const INTERRUPTED: &str = "interrupted";
