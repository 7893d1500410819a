//! Transformers that compute, built by hand: machines as data, for the same executor as compiled
//! programs. What lives here writes weights and says what they compute. Depends on `base`, `value`,
//! `model` and `execute`; knows nothing of RASP.

pub mod dyck;
