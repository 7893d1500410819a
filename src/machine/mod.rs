//! Transformers that compute, built by hand: machines as data, for the same executor as compiled
//! programs. What lives here writes weights, says what they compute, and reads residual streams. Depends
//! on `base`, `value`, `model` and `execute`; knows nothing of RASP.

pub mod dyck;
pub mod looped;
