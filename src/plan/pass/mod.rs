//! Passes: what makes a plan as it is built into one that can be lowered, and smaller. Each is a
//! function from plan to plan in a file of its own, and all but the schedule can be left out. They
//! know plans, and `schedule` for the layers. Some choices stand before them in the list: a plan is
//! built from its readers on, so that what they ask for decides which variables there are.

mod bos;
mod columns;
mod combine;
mod dead;
mod guard;
mod length;
mod lift;
mod overlay;
mod pair;
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

/// What is decided while a plan is built. No pass could decide it later: what a variable is read for
/// says which directions it has, and these say what is read of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Linear functions of what the stream holds are read; without it each s-op is computed.
    Linear,
    /// One hidden layer serves a chain of elementwise s-ops; without it each has its own.
    Fuse,
    /// What heads compare has the rank of its table; without it a product for each class of keys.
    Factor,
    /// A variable has the directions that are read; without it one for each value.
    Encode,
    /// A function of a width is read off the inverse width; without it hidden units compute it.
    Nearest,
}

#[derive(Clone, Copy, Debug)]
enum Run {
    /// Made while the plan is built.
    Choose(Choice),
    Rewrite(fn(&mut Plan)),
    /// The same, only where too little is proved without it.
    Spare(fn(&mut Plan)),
    /// With a search, if one is asked for.
    Schedule(Option<Options>),
}

/// All passes in the order in which they run, after the choices: those before the schedule work on
/// operations without layers, those after it need layers.
pub const PASSES: [Pass; 17] = [
    LINEAR,
    FUSE,
    Pass {
        name: "factor",
        about: "predicates and scores are products of as few numbers as their tables have ranks",
        run: Run::Choose(Choice::Factor),
    },
    Pass {
        name: "encode",
        about: "a variable has the directions that its readers need, not one for each value",
        run: Run::Choose(Choice::Encode),
    },
    Pass {
        name: "nearest",
        about: "a function of a width is read off its inverse by the nearest row of W_U",
        run: Run::Choose(Choice::Nearest),
    },
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
        name: "lift",
        about: "a mean that floats would round is positive before a step, and around 0 as a result",
        run: Run::Spare(lift::lift),
    },
    UNITS,
    COMBINE,
    SIGN,
    Pass {
        name: "dead",
        about: "what nobody reads goes, and hidden units that are never active",
        run: Run::Rewrite(dead::dead),
    },
    SCHEDULE,
    PAIR,
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

/// Sums that are read as they are may have too few digits, so that all takes more care.
pub const LINEAR: Pass = Pass {
    name: "linear",
    about: "functions of a token stand in W_E, those of an index in W_pos, and sums are read",
    run: Run::Choose(Choice::Linear),
};

/// Reading several numbers at once may take a hidden unit for each combination.
pub const FUSE: Pass = Pass {
    name: "fuse",
    about: "a chain of elementwise s-ops is one hidden layer",
    run: Run::Choose(Choice::Fuse),
};

/// Directions of what is computed once may be kept for longer.
const UNITS: Pass = Pass {
    name: "units",
    about: "hidden units of one argument are computed once",
    run: Run::Rewrite(units::units),
};

/// What is not proved of a sum may be of its parts, so that a plan may have to do without.
const COMBINE: Pass = Pass {
    name: "combine",
    about: "what is only read in one proportion is added up as it is written",
    run: Run::Rewrite(combine::combine),
};

/// Most of that all the same.
const COMBINE_BUT_BITS: Pass = Pass {
    name: "combine",
    about: "what is only read in one proportion is added up as it is written, bits excepted",
    run: Run::Rewrite(combine::combine_but_bits),
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

/// Rows of attention that are only nearly uniform may be too far from it for what reads them.
const PAIR: Pass = Pass {
    name: "pair",
    about: "heads that compare by order take a dimension for two thresholds",
    run: Run::Rewrite(pair::pair),
};

/// Where size is all that counts.
const PAIR_FOR_SIZE: Pass = Pass {
    run: Run::Rewrite(pair::pair_for_size),
    ..PAIR
};

impl Pass {
    /// What is chosen, if this is made while the plan is built.
    pub fn choice(&self) -> Option<Choice> {
        match self.run {
            Run::Choose(choice) => Some(choice),
            Run::Rewrite(_) | Run::Spare(_) | Run::Schedule(_) => None,
        }
    }

    /// Gives what a search for a schedule proved, if this is one. The search ends when it is asked to.
    pub(crate) fn run(&self, plan: &mut Plan, control: &Control) -> Option<Searched> {
        match self.run {
            Run::Choose(_) | Run::Spare(_) => None,
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

    /// What to run instead where these prove too little: these with what was spared; and without those
    /// after which less may be proved, first with some of what the one of them does, if any is among them.
    pub fn fallbacks(&self) -> Vec<Passes> {
        let has = |other: &Pass| self.iter().any(|pass| pass.name == other.name);
        let single = self.without(&PAIR);
        let mut fallbacks = Vec::from_iter(has(&PAIR).then(|| single.clone()));
        let (mut all, mut is_new) = (single, false);
        for pass in &mut all.0 {
            if let Run::Spare(rewrite) = pass.run {
                (pass.run, is_new) = (Run::Rewrite(rewrite), true);
            }
        }
        fallbacks.extend(is_new.then(|| all.clone()));
        let without = all.without(&SIGN);
        if has(&COMBINE) {
            fallbacks.push(without.clone().with(&COMBINE_BUT_BITS));
        }
        if has(&COMBINE) || has(&SIGN) {
            fallbacks.push(without.without(&COMBINE));
        }
        fallbacks
    }

    /// These without one of those that may make a model larger, for each of them.
    pub fn without_doubtful(&self) -> impl Iterator<Item = Passes> {
        let has = |other: &&Pass| self.iter().any(|pass| pass.name == other.name);
        let doubtful = [&UNITS, &COMBINE].into_iter().filter(has);
        doubtful.map(|pass| self.without(pass))
    }

    /// These where size is all that counts.
    #[must_use]
    pub fn for_size(self) -> Passes {
        self.with(&PAIR_FOR_SIZE)
    }

    /// These with another pass in place of the one of its name, if that is among them.
    fn with(mut self, other: &Pass) -> Passes {
        let same = self.0.iter_mut().filter(|pass| pass.name == other.name);
        same.for_each(|pass| *pass = *other);
        self
    }

    /// Whether none is left out.
    pub fn are_all(&self) -> bool {
        self.0.len() == PASSES.len()
    }

    /// Whether a choice is made.
    pub fn choose(&self, choice: Choice) -> bool {
        self.iter().any(|pass| pass.choice() == Some(choice))
    }

    /// These without one.
    #[must_use]
    pub fn without(&self, left_out: &Pass) -> Passes {
        let others = self.iter().filter(|pass| pass.name != left_out.name);
        Passes(others.copied().collect())
    }

    /// The passes in the order in which they run.
    pub fn iter(&self) -> impl Iterator<Item = &Pass> {
        self.0.iter()
    }

    /// The same with a search for the best schedule.
    #[must_use]
    pub fn searching(self, options: Options) -> Passes {
        self.with(&Pass {
            about: "every operation is laid out where a search put it",
            run: Run::Schedule(Some(options)),
            ..SCHEDULE
        })
    }

    /// Gives what a search for a schedule proved, if there was one.
    pub(crate) fn run(&self, plan: &mut Plan, control: &Control) -> Option<Searched> {
        self.iter()
            .fold(None, |searched, pass| pass.run(plan, control).or(searched))
    }
}

/// Numbers from 0 on for some things, the same for those that are alike.
fn numbered<T>(things: &[T], alike: impl Fn(&T, &T) -> bool) -> Vec<usize> {
    let mut known: Vec<&T> = Vec::new();
    let number = |thing| {
        let same = known.iter().position(|other| alike(other, thing));
        same.unwrap_or_else(|| {
            known.push(thing);
            known.len() - 1
        })
    };
    things.iter().map(number).collect()
}
