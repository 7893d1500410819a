//! The keys that a query may select, query environment by query environment. How many are held at
//! once is limited, as there is one for each pair of positions.

use super::{Analysis, Stopped};
use crate::base::Code;

/// A key that a query may select.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The number of the environment of the key.
    pub environment: u32,
    pub position: u32,
    /// Whether every input has it in which the query stands: later keys are there where the input is long
    /// enough.
    pub is_there: bool,
    /// Whether it is selected in every input that has both.
    pub always: bool,
}

impl Candidate {
    /// A key as [`Environments::keys`] has it.
    ///
    /// [`Environments::keys`]: super::environment::Environments::keys
    pub fn new((environment, position, is_there): (usize, usize, bool), always: bool) -> Candidate {
        Candidate {
            environment: environment as u32,
            position: position as u32,
            is_there,
            always,
        }
    }

    /// Whether it is selected in every input in which the query stands.
    pub fn is_certain(&self) -> bool {
        self.is_there && self.always
    }
}

/// The candidates of each query environment, as they are found.
pub struct Rows {
    rows: Vec<Vec<Candidate>>,
    /// How many more may be held.
    left: usize,
    most: usize,
}

impl Rows {
    /// The next row, in order of position.
    ///
    /// # Errors
    /// More than the limit are held.
    pub fn push(&mut self, keys: impl Iterator<Item = Candidate>) -> Result<(), Stopped> {
        let mut row: Vec<Candidate> = keys.take(self.left + 1).collect();
        let Some(left) = self.left.checked_sub(row.len()) else {
            let reason = format!(
                "its selectors may select more than {} keys, all queries taken together (the limit \
                 `candidates`)",
                self.most
            );
            return Err(Stopped::new(Code::DomainTooLarge, reason));
        };
        self.left = left;
        row.shrink_to_fit();
        self.rows.push(row);
        Ok(())
    }
}

impl Analysis<'_> {
    pub(super) fn new_rows(&self) -> Rows {
        let most = self.limits.candidates;
        Rows {
            rows: Vec::with_capacity(self.environments.count()),
            left: most.saturating_sub(self.candidates),
            most,
        }
    }

    /// What is held counts against the limit of what is found next.
    pub(super) fn hold(&mut self, rows: Rows) -> Vec<Vec<Candidate>> {
        self.candidates = rows.most.saturating_sub(rows.left);
        rows.rows
    }
}
