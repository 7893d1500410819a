//! The inputs that models of all programs are tried on, and the threads that try them. May depend on
//! the programs only.

use super::programs::Program;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The inputs that a program is compiled for, and how many of them it is tried on.
#[derive(Clone, Copy)]
pub struct Budget {
    /// The largest vocabulary.
    pub tokens: usize,
    /// The longest input.
    pub length: usize,
    pub causal: bool,
    pub exhaustive: usize,
    pub samples: usize,
    /// Inputs on which attention is looked at.
    pub seen: usize,
}

pub const QUICK: Budget = Budget {
    tokens: 4,
    length: 5,
    causal: false,
    exhaustive: 90,
    samples: 30,
    seen: 24,
};

pub const THOROUGH: Budget = Budget {
    exhaustive: 2_000,
    samples: 0,
    seen: 2_000,
    ..QUICK
};

/// Random inputs of larger models.
pub const LONG: Budget = Budget {
    tokens: 8,
    length: 16,
    causal: false,
    exhaustive: 0,
    samples: 500,
    seen: 500,
};

impl Budget {
    /// The same with a model whose positions attend only to themselves and earlier ones.
    pub const fn causal(self) -> Budget {
        Budget {
            causal: true,
            ..self
        }
    }
}

/// What is found out about each of the programs, which are shared among threads, by name.
pub fn of_each<T: Debug + Send>(
    programs: &[Program],
    find: impl Fn(&Program) -> T + Sync,
) -> BTreeMap<String, T> {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let started = Instant::now();
                    let found = find(program);
                    println!("{}: {:.1?} {found:?}", program.name, started.elapsed());
                    all.lock().unwrap().insert(program.name.clone(), found);
                }
            });
        }
    });
    all.into_inner().unwrap()
}
