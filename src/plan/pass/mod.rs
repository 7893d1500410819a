//! Passes: what makes a plan as it is built into one that can be lowered, and smaller. Each is a
//! function from plan to plan in a file of its own, and all but the schedule can be left out. They
//! know plans, and `schedule` for the layers.

mod bos;
mod combine;
mod dead;
mod guard;
mod length;
mod overlay;
mod rename;
mod schedule;
mod share;
mod sign;
mod units;

use super::Plan;
use crate::base::Control;
use crate::schedule::exact::Options;
use crate::schedule::report::Searched;

/// One pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name in `--passes`.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    run: Run,
}

#[derive(Clone, Copy, Debug)]
enum Run {
    Rewrite(fn(&mut Plan)),
    /// With a search, if one is asked for.
    Schedule(Option<Options>),
}

/// All passes in the order in which they run: those before the schedule work on operations without
/// layers, those after it need layers.
pub const PASSES: [Pass; 10] = [
    Pass {
        name: "length",
        about: "the length rides on a head that averages over all tokens",
        run: Run::Rewrite(length::length),
    },
    Pass {
        name: "share",
        about: "heads that attend alike are one, and so are variables that hold the same",
        run: Run::Rewrite(share::share),
    },
    Pass {
        name: "units",
        about: "hidden units of one argument are computed once",
        run: Run::Rewrite(units::units),
    },
    COMBINE,
    SIGN,
    Pass {
        name: "dead",
        about: "what nobody reads goes, and hidden units that are never active",
        run: Run::Rewrite(dead::dead),
    },
    SCHEDULE,
    Pass {
        name: "guard",
        about: "BOS attends to itself alone where later layers read what stands there",
        run: Run::Rewrite(guard::guard),
    },
    Pass {
        name: "bos",
        about: "what the BOS flag adds to keys and values stands in the embeddings, if all of it can",
        run: Run::Rewrite(bos::bos),
    },
    Pass {
        name: "overlay",
        about: "what is written last stands in the direction of what nobody reads any more",
        run: Run::Rewrite(overlay::overlay),
    },
];

/// What is not proved of a sum may be of its parts, so that a plan may have to do without.
const COMBINE: Pass = Pass {
    name: "combine",
    about: "what is only read in one proportion is added up as it is written",
    run: Run::Rewrite(combine::combine),
};

/// Large numbers have fewer digits than bits.
const SIGN: Pass = Pass {
    name: "sign",
    about: "bits of which only is asked whether any is set take one hidden unit instead of two",
    run: Run::Rewrite(sign::sign),
};

/// No plan can be lowered without it.
const SCHEDULE: Pass = Pass {
    name: "schedule",
    about: "every operation is laid out as early as it can be, or where the widest layer is narrower",
    run: Run::Schedule(None),
};

impl Pass {
    /// Gives what a search for a schedule proved, if this is one. The search ends when it is asked to.
    pub fn run(&self, plan: &mut Plan, control: &Control) -> Option<Searched> {
        match self.run {
            Run::Rewrite(rewrite) => {
                rewrite(plan);
                None
            }
            Run::Schedule(search) => {
                plan.schedule(search.as_ref().map(|options| (options, control)))
            }
        }
    }
}

/// Which passes run.
#[derive(Clone, Debug)]
pub struct Passes(Vec<Pass>);

impl Default for Passes {
    /// All of them.
    fn default() -> Passes {
        Passes(PASSES.to_vec())
    }
}

impl Passes {
    /// Those that are named, between commas: `share,dead`; `all`; `none`; all but some where each
    /// name has a minus before it, `-share,-dead`. The schedule always runs.
    ///
    /// # Errors
    /// A name that no pass has, or names with and without a minus, in words.
    pub fn parse(text: &str) -> Result<Passes, String> {
        let given: Vec<&str> = text.split(',').map(str::trim).collect();
        let names: Vec<&str> = match *given {
            ["all"] => return Ok(Passes::default()),
            ["none"] => Vec::new(),
            _ => given
                .iter()
                .map(|name| name.trim_start_matches('-'))
                .collect(),
        };
        for name in &names {
            if PASSES.iter().all(|pass| pass.name != *name) {
                let known = PASSES.map(|pass| pass.name).join(", ");
                return Err(format!("no pass is called `{name}`; there are {known}"));
            }
        }
        let left_out = given.iter().filter(|name| name.starts_with('-')).count();
        if left_out != 0 && left_out != given.len() {
            return Err("either all names have a minus before them or none".to_string());
        }
        let runs = |pass: &&Pass| {
            pass.name == SCHEDULE.name || names.contains(&pass.name) == (left_out == 0)
        };
        Ok(Passes(PASSES.iter().filter(runs).copied().collect()))
    }

    /// These without those after which less may be proved, if any is among them.
    #[must_use]
    pub fn apart(&self) -> Option<Passes> {
        let costs = |pass: &&Pass| ![COMBINE.name, SIGN.name].contains(&pass.name);
        let others = self.iter().filter(costs);
        let others: Vec<Pass> = others.copied().collect();
        (others.len() < self.0.len()).then_some(Passes(others))
    }

    /// The passes in the order in which they run.
    pub fn iter(&self) -> impl Iterator<Item = &Pass> {
        self.0.iter()
    }

    /// The same with a search for the best schedule.
    #[must_use]
    pub fn searching(mut self, options: Options) -> Passes {
        for pass in &mut self.0 {
            if let Run::Schedule(search) = &mut pass.run {
                *search = Some(options);
                pass.about = "every operation is laid out where a search put it";
            }
        }
        self
    }

    /// Gives what a search for a schedule proved, if there was one.
    pub fn run(&self, plan: &mut Plan, control: &Control) -> Option<Searched> {
        self.iter()
            .fold(None, |searched, pass| pass.run(plan, control).or(searched))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<String, String> {
        let passes = Passes::parse(text)?;
        Ok(Vec::from_iter(passes.iter().map(|pass| pass.name)).join(" "))
    }

    #[test]
    fn passes_are_chosen_by_name() {
        insta::assert_debug_snapshot!(
            [
                "all",
                "none",
                "dead,share",
                "-guard, -units",
                "dead,-guard",
                "fast"
            ]
            .map(names)
        );
    }
}
