//! Bytes that values hold, counted for as long as they are held, so that a program's memory can have
//! a limit. Depends on nothing else in the crate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bytes are held.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<AtomicU64>);

/// Bytes that are held until this is dropped.
#[derive(Debug)]
pub struct Held {
    memory: Memory,
    bytes: u64,
}

impl Memory {
    /// Bytes held now.
    pub fn held(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Holds some more.
    pub fn hold(&self, bytes: u64) -> Held {
        self.0.fetch_add(bytes, Ordering::Relaxed);
        Held {
            memory: self.clone(),
            bytes,
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.memory.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
