//! A transformer as plain data: sparse weights, a tokenizer, readouts and the labels that say what
//! lives where in the residual stream. It knows nothing of RASP; anything can build one and
//! anything can run one. Depends on `base` and `value`.

pub(crate) mod cell;
mod check;
mod compare;
pub mod describe;
mod digest;
pub mod file;
mod header;
mod host;
pub mod json;
pub(crate) mod label;
pub mod matrix;
mod selected;
mod size;
mod tensors;
pub mod transformer;
mod weights;

pub use compare::difference;
pub use describe::{Summary, half_layer, summary};
pub use digest::Digest;
pub use file::{from_bytes, from_bytes_with, load, load_with, save, to_bytes};
pub use host::{
    Dtype, Exactness, Host, HostOrder, bfloat16, describe_any_order, describe_exactness,
    is_bfloat16, is_float32,
};
pub use matrix::Matrix;
pub use selected::Selected;
pub use size::Shape;
pub use transformer::{
    Attention, Decoder, FeedForward, Head, Layer, Loop, Mask, Model, Output, Readout, Variable,
};
