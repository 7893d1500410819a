//! A model that was made: with what it was lowered from and what is proved of it, which of two is better, and
//! why nobody is to have one that is not proved. Depends on plans and certificates.

use super::care::Care;
use super::stored::open;
use crate::base::Diagnostic;
use crate::certify::Certificate;
use crate::graph::SOpId;
use crate::infer::Setting;
use crate::model::{Dtype, Host, Model};
use crate::plan::Plan;
use crate::plan::pass::Passes;
use crate::schedule::report::Searched;

/// A model, the plan it was lowered from, and what is proved of it.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub model: Model,
    /// The plan as it was built, before any pass.
    pub(crate) draft: Plan,
    /// The care with which it was built.
    pub(crate) care: Care,
    /// The passes that made this plan of it.
    pub(crate) passes: Passes,
    pub(crate) plan: Plan,
    /// What is proved of the schedule, if one was searched for.
    pub(crate) searched: Option<Searched>,
    /// In float32 and in float64, for the order of scaling that was asked for.
    pub(crate) certificates: [Certificate; 2],
    /// The hosts that were asked for.
    pub(crate) host: Host,
    /// The s-ops of its outputs.
    pub(crate) sops: Vec<SOpId>,
    /// The inputs that it is for.
    pub(crate) setting: Setting,
}

impl Compiled {
    /// The plan that the model was lowered from.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The same as it was built, before any pass.
    pub fn draft(&self) -> &Plan {
        &self.draft
    }

    /// The passes that made the one of the other.
    pub fn passes(&self) -> &Passes {
        &self.passes
    }

    /// What is proved of it in float32 and in float64, for the order of scaling that was asked for.
    pub fn certificates(&self) -> &[Certificate; 2] {
        &self.certificates
    }

    /// Whether every output is proved to decode exactly on the hosts that were asked for.
    pub fn is_certified(&self) -> bool {
        self.host.is_among(&self.model.certified)
    }

    /// The floats in which every output is proved to decode exactly, in the order that was asked for.
    pub(super) fn exact_in(&self) -> impl Iterator<Item = Dtype> {
        let dtypes = [Dtype::Float32, Dtype::Float64].into_iter();
        dtypes.filter(|dtype| {
            let dtype = Some(*dtype);
            Host { dtype, ..self.host }.is_among(&self.model.certified)
        })
    }

    /// Why nobody is to have the model without asking for it, if it is not proved to be exact on the
    /// hosts that were asked for, and on which hosts it is.
    pub fn refusal(&self) -> Option<Diagnostic> {
        if self.is_certified() {
            return None;
        }
        let error = open(self.host, &self.certificates, &self.model);
        Some(match self.exact_in().next() {
            Some(dtype) => error.help(exact_there(dtype)),
            None => error.help("smaller numbers, shorter inputs or fewer tokens help"),
        })
    }
}

/// Help where a model of these floats alone would be exact.
pub(super) fn exact_there(dtype: Dtype) -> String {
    format!("`--dtype {}` makes one that is exact there", dtype.name())
}
