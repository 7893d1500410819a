//! How large models are, and which of two is taken. Weights and a proof cost much more than a plan, whose
//! size is that of its model: a plan that would be too large beside what is made already is left there.
//! Depends on `plan`.

use super::compiled::Compiled;
use crate::base::{Code, Diagnostic, Limits};
use crate::model::Model;
use crate::plan::{Plan, Style};

/// How many times smaller a model must be that takes more layers, as each elementwise s-op has its own, or that has
/// real numbers where another has exact ones.
pub const MUCH_SMALLER: usize = 4;

/// What is counted of a model, or of the plan that it is made from.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub layers: usize,
    /// Counted with padding: see [`crate::model::Shape::padded_parameters`].
    pub parameters: usize,
}

/// Which sizes are worth weights and a proof.
pub type IsWorth<'a> = &'a dyn Fn(Size) -> bool;

/// Where there is nothing else yet.
pub const ANY: IsWorth<'static> = &|_| true;

impl From<&Plan> for Size {
    fn from(plan: &Plan) -> Size {
        Size {
            layers: plan.layers(),
            parameters: plan.padded_parameters(),
        }
    }
}

impl From<&Model> for Size {
    fn from(model: &Model) -> Size {
        Size {
            layers: model.layers.len(),
            parameters: model.padded_parameters(),
        }
    }
}

impl Size {
    /// Whether it is smaller, and much smaller where it takes more layers.
    pub fn is_worth_more(self, than: Size) -> bool {
        let takes_more = self.layers > than.layers;
        let times = if takes_more { MUCH_SMALLER } else { 1 };
        than.parameters / times > self.parameters
    }

    /// The same in a style: a compact model is as small as there is, however many layers it takes.
    pub fn is_worth_more_in(self, style: Style, than: Size) -> bool {
        match style {
            Style::Faithful => self.is_worth_more(than),
            Style::Compact => self.parameters < than.parameters,
        }
    }
}

impl Compiled {
    pub(super) fn size(&self) -> Size {
        Size::from(&self.model)
    }

    /// Whether it is proved where the other is not, or as well proved and smaller.
    pub(super) fn is_better(&self, other: &Compiled) -> bool {
        let key = |compiled: &Compiled| (!compiled.is_certified(), compiled.size().parameters);
        key(self) < key(other)
    }

    /// The same, but much smaller where it takes more layers.
    pub(super) fn is_worth_more(&self, other: &Compiled) -> bool {
        match self.is_certified() == other.is_certified() {
            true => self.size().is_worth_more(other.size()),
            false => self.is_certified(),
        }
    }
}

/// Why there is no model of a plan that is not worth one. Nobody sees it: another model is there.
pub fn too_large() -> Box<Diagnostic> {
    let message = "a model that is made already is smaller";
    Box::new(Diagnostic::error(Code::LimitReached, message))
}

/// Whether a plan was left as its model is too large, beside another or for the limits.
pub fn is_left(error: &Diagnostic) -> bool {
    error.code == Code::LimitReached
}

/// # Errors
/// What a model has too much of, in words.
pub fn check_size(limits: &Limits, model: &Model) -> Result<(), String> {
    if model.d_model > limits.model_width {
        return Err(format!(
            "the model would need {} directions; the limit is {}",
            model.d_model, limits.model_width
        ));
    }
    let parameters = model.nonzero();
    match parameters > limits.model_parameters {
        true => Err(format!("the model would have {parameters} parameters")),
        false => Ok(()),
    }
}
