//! The options that say how a model is made, for each command that makes one.

use super::host::Hosts;
use crate::compile::Request;
use crate::plan::Style;
use crate::plan::pass::{PASSES, Passes};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

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
    #[command(flatten)]
    hosts: Hosts,
}

impl Making {
    pub fn request(&self) -> Request {
        Request {
            style: self.style,
            passes: self.passes.clone(),
            host: self.hosts.host(),
        }
    }
}

fn passes_help() -> String {
    let names = PASSES.map(|pass| pass.name).join(", ");
    format!("The passes over the plan that run, of {names}; all but some: `-share,-dead`")
}

impl ValueEnum for Style {
    fn value_variants<'a>() -> &'a [Style] {
        &[Style::Faithful, Style::Compact]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Style::Faithful => "A head's attention pattern is its selector",
            Style::Compact => "Sizes before patterns",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}
