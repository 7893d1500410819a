//! The options that say how a model is made, for each command that makes one.

use super::host::Hosts;
use crate::compile::Request;
use crate::plan::Style;
use crate::plan::pass::{PASSES, Passes};
use crate::schedule::exact::Options;
use clap::Args;

#[derive(Debug, Args)]
pub struct Making {
    /// How the model is made
    #[arg(long, value_enum, value_name = "STYLE", default_value_t)]
    style: Style,
    #[arg(
        long,
        value_name = "NAMES",
        value_parser = Passes::parse,
        default_value = "all",
        allow_hyphen_values = true,
        help = passes_help()
    )]
    passes: Passes,
    /// Without a BOS token before the tokens: position 0 stands for it. `--style compact` then only asks the
    /// first of all keys whether there is an earlier one
    #[arg(long)]
    no_bos: bool,
    #[command(flatten)]
    hosts: Hosts,
    /// Search for the schedule whose widest layer has the fewest heads, then the fewest hidden units,
    /// and the residual stream the fewest values; say what is proved
    #[arg(long)]
    exact: bool,
    /// Have the fewest heads in all, too, before the hidden units: what is attended to alike waits to
    /// be one head
    #[arg(long, requires = "exact")]
    merge_heads: bool,
    /// How many conflicts the solver may run into for each question
    #[arg(
        long,
        value_name = "N",
        requires = "exact",
        default_value_t = Options::CONFLICTS
    )]
    budget: u64,
}

impl Making {
    pub fn request(&self) -> Request {
        let passes = self.passes.clone();
        Request {
            style: self.style,
            passes: match self.search() {
                Some(options) => passes.searching(options),
                None => passes,
            },
            host: self.hosts.host(),
            without_bos: self.no_bos,
        }
    }

    /// How to search for a schedule, if that is asked for.
    pub fn search(&self) -> Option<Options> {
        self.exact.then_some(Options {
            merge_heads: self.merge_heads,
            conflicts: self.budget,
        })
    }
}

fn passes_help() -> String {
    let names = PASSES.map(|pass| pass.name).join(", ");
    format!("The passes over the plan that run, of {names}; all but some: `-share,-dead`")
}

choices! {
    Style {
        Faithful: "A head's attention pattern is its selector",
        Compact: "Sizes before patterns",
    }
}
