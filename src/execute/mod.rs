//! Running a model: tokens in, values out, with the residual stream and the attention patterns
//! for whoever wants to see them. Every sum has one fixed order and no step uses a library or an
//! instruction that differs between machines, so results are bit-identical everywhere. Depends on
//! `base`, `value` and `model`.

mod activations;
mod attention;
mod delta;
pub mod engine;
mod feed_forward;
pub mod forward;
mod input;
mod lanes;
mod largest;
mod print;
mod readout;
mod scalar;
mod sparse;
mod survey;
pub mod trace;
mod wide;

pub use delta::delta;
pub use engine::{Engine, dense};
pub use forward::{Executor, Outputs, Prepared, run};
pub use largest::largest_activation;
pub use scalar::{Precision, Scalar};
pub use survey::{Noted, Reached, Survey, Surveyed};
pub use trace::{
    Decoded, FAINT_MARK, Given, Pattern, SINK_MARK, SINK_WORDS, Trace, TraceStep, trace,
};
