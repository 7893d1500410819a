//! A solver for propositional logic, as far as scheduling needs one. The only file that names
//! batsat: another solver is another implementation of `Solver`.

use crate::base::Control;
use batsat::callbacks::Callbacks;
use batsat::clause::Kind;
use batsat::{Lit, SolverInterface, SolverOpts, Var, lbool};
use std::cell::Cell;
use std::ops::Not;

/// A variable or its opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Literal(u32);

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// What a solver finds out about its clauses under assumptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Satisfiable,
    Unsatisfiable,
    /// The conflicts allowed did not suffice.
    Unknown,
}

pub(super) trait Solver {
    /// A new variable.
    fn variable(&mut self) -> Literal;

    /// From now on, one of these holds.
    fn clause(&mut self, literals: &[Literal]);

    /// Whether all clauses can hold together with the assumptions, found out with at most so many
    /// conflicts. How long a conflict takes depends on the machine, how many there are does not.
    fn solve(&mut self, assumptions: &[Literal], conflicts: u64) -> Answer;

    /// Whether a literal holds in the last assignment found.
    fn holds(&self, literal: Literal) -> bool;
}

pub(super) struct Batsat(batsat::Solver<Budget>);

/// Ends the search when the conflicts are used up, or when a person asks for its end.
struct Budget {
    left: Cell<u64>,
    control: Control,
}

impl Callbacks for Budget {
    fn on_new_clause(&mut self, _: &[Lit], kind: Kind) {
        if kind == Kind::Learnt {
            self.left.set(self.left.get().saturating_sub(1));
        }
    }

    fn stop(&self) -> bool {
        self.left.get() == 0 || self.control.is_stopped()
    }
}

impl Batsat {
    pub fn new(control: &Control) -> Batsat {
        let budget = Budget {
            left: Cell::default(),
            control: control.clone(),
        };
        Batsat(batsat::Solver::new(SolverOpts::default(), budget))
    }
}

fn literals(literals: &[Literal]) -> Vec<Lit> {
    literals.iter().map(|it| literal(*it)).collect()
}

/// Every literal has been made by the solver that it is given to.
fn literal(Literal(number): Literal) -> Lit {
    Lit::new(Var::unsafe_from_idx(number / 2), number % 2 == 0)
}

impl Solver for Batsat {
    fn variable(&mut self) -> Literal {
        Literal(self.0.new_var_default().idx() * 2)
    }

    fn clause(&mut self, literals: &[Literal]) {
        let mut literals = self::literals(literals);
        self.0.add_clause_reuse(&mut literals);
    }

    fn solve(&mut self, assumptions: &[Literal], conflicts: u64) -> Answer {
        let assumptions = self::literals(assumptions);
        self.0.cb().left.set(conflicts);
        let answer = self.0.solve_limited(&assumptions);
        match (answer == lbool::TRUE, answer == lbool::FALSE) {
            (true, _) => Answer::Satisfiable,
            (_, true) => Answer::Unsatisfiable,
            (false, false) => Answer::Unknown,
        }
    }

    fn holds(&self, literal: Literal) -> bool {
        self.0.value_lit(self::literal(literal)) == lbool::TRUE
    }
}
