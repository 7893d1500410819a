//! How much care is taken with a model. Depends on nothing.

/// What is tried to make a model exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    Plain,
    /// As `Plain`; and a mean over a disjunction is one head, however many dimensions that takes.
    OneHead,
    /// Functions that need precise arguments are computed from their operands, a layer later.
    Careful,
    /// As `Careful`; and heads compare classes by their bits, which are 0 or 1 to the last digit, where
    /// squares have digits that float32 lacks.
    Bits,
    /// Nothing is left to float32's digits: what many steps add up is bits, or whole numbers of them,
    /// and fractions that are compared are numbered first, each a layer earlier.
    Exact,
    /// A result whose numbers are fractions, or close to each other, is read as a real number; neither plain nor
    /// careful.
    Real,
}

impl Care {
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Care::Plain | Care::OneHead)
    }

    pub(super) fn is_careful(self) -> bool {
        matches!(self, Care::Careful | Care::Bits | Care::Exact)
    }

    /// Whether numbers may be ratios: where these cannot be proved, bits or a table may do.
    pub(super) fn takes_ratios(self) -> bool {
        self.is_plain() || self == Care::Careful
    }

    /// What is done with so much care, for people who wait.
    pub(super) fn doing(self) -> &'static str {
        match self {
            Care::Plain => "finding weights",
            Care::OneHead => "finding weights of one head for a disjunction",
            Care::Careful => "finding more precise weights",
            Care::Bits => "finding weights that compare bits",
            Care::Exact => "finding exact weights",
            Care::Real => "finding weights for a real number",
        }
    }
}
