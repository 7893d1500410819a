//! Options about the hosts of a model: the floats that it must be exact in, and what they divide by
//! √d_head.

use crate::execute::Precision;
use crate::machine::needs_float64;
use crate::model::{Dtype, Host, HostOrder, Model};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub struct Hosts {
    /// The floats that the model must be proved exact in; without it, float32 and float64, or those that a
    /// model in a file was made for
    #[arg(long, value_enum, value_name = "DTYPE")]
    dtype: Option<Dtype>,
    #[command(flatten)]
    order: Order,
}

impl Hosts {
    pub fn host(&self) -> Host {
        Host {
            dtype: self.dtype,
            order: self.order.host_order,
        }
    }
}

#[derive(Debug, Args)]
pub struct Order {
    /// What the host divides by √d_head
    #[arg(long, value_enum, value_name = "ORDER", default_value_t)]
    pub host_order: HostOrder,
}

#[derive(Debug, Args)]
pub struct Floats {
    /// Compute in 64-bit floats instead of 32-bit ones, as models that are right in those alone do anyway
    #[arg(long)]
    pub f64: bool,
}

impl Floats {
    /// What a model is run in.
    pub fn precision(&self, model: &Model) -> Precision {
        let mut proved = model.certified.keys();
        let is_wide = !model.certified.is_empty() && proved.all(|dtype| *dtype == Dtype::Float64);
        match self.f64 || is_wide || needs_float64(model) {
            true => Precision::F64,
            false => Precision::F32,
        }
    }
}

choices! {
    Dtype {
        Float32: "weights and all that is computed in float32",
        Float64: "weights and all that is computed in float64",
        Bfloat16: "weights in bfloat16, the rest in float32",
    }
    HostOrder {
        Scores: "scores: (q·k) / √d_head",
        Query: "queries: (q / √d_head)·k",
        Both: "queries and keys, each by ⁴√d_head",
    }
}

impl ValueEnum for Precision {
    fn value_variants<'a>() -> &'a [Precision] {
        &[Precision::F32, Precision::F64]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        self.dtype().to_possible_value()
    }
}
