//! What is proved of a model that was stored: its plan is lowered again, its weights are compared
//! with that bit for bit, and the certificate is derived anew. The word of the file counts for
//! nothing.

use super::lower;
use crate::base::{Code, Diagnostic, Fallible};
use crate::certify::{Certificate, certify};
use crate::model::{self, Model};
use crate::plan::Plan;

/// The certificates of a model, in float32 and in float64, which hold for exactly its weights.
///
/// # Errors
/// A model without a plan (E0604), with one that does not hold together (E0701), or whose weights
/// are not what the plan gives (E0604).
pub fn certified(model: &Model) -> Fallible<[Certificate; 2]> {
    let Some(text) = &model.plan else {
        let error = Diagnostic::error(Code::NotExact, "nothing is proved of this model");
        return Err(error
            .note("it has no plan that says where its weights come from")
            .help("`rasp compile` makes models that have one")
            .into());
    };
    let plan = Plan::restore(text, model).map_err(|problem| {
        let message = format!("the plan of this model does not hold together: {problem}");
        Box::new(Diagnostic::error(Code::BadModel, message))
    })?;
    if let Some(difference) = model::difference(&lower(&plan), model) {
        let message = "the weights of this model are not what its plan gives";
        let error = Diagnostic::error(Code::NotExact, message);
        return Err(error.note(difference).into());
    }
    Ok(certify(&plan))
}
