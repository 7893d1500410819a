//! `rasp schedule`: the layers and heads an s-op takes.

use super::arguments::{Schedule, Setting};
use super::input::{open, setting, vocabulary};
use super::making::Making;
use super::output::{Output, Stop};
use crate::compile::compile_in;
use crate::graph::Sharing;
use crate::schedule::exact;
use crate::schedule::program::optimise;
use clap::Args;

/// Whether to search for the best schedule, and how long.
#[derive(Debug, Args)]
pub struct Search {
    /// Put heads where the widest layer has the fewest, then the residual stream the fewest values,
    /// and say what is proved
    #[arg(long, conflicts_with_all = ["vocab", "vocab_json", "max_len", "causal", "style", "passes", "compare"])]
    pub exact: bool,
    /// Have the fewest heads in all, too, before the fewest values: what is attended to alike waits
    /// to be one head
    #[arg(long, requires = "exact")]
    pub merge_heads: bool,
    /// How many conflicts the solver may run into for each question
    #[arg(
        long,
        value_name = "N",
        requires = "exact",
        default_value_t = exact::Options::CONFLICTS
    )]
    pub budget: u64,
}

/// The inputs that a model is scheduled for.
#[derive(Debug, Args)]
pub struct Planned {
    #[command(flatten)]
    pub setting: Setting,
    #[command(flatten)]
    pub making: Making,
    /// Show the schedule of the program's graph alone, too
    #[arg(long)]
    pub compare: bool,
}

impl Search {
    /// How to search, if that is asked for.
    pub fn options(&self) -> Option<exact::Options> {
        self.exact.then_some(exact::Options {
            merge_heads: self.merge_heads,
            conflicts: self.budget,
        })
    }
}

pub fn schedule(output: &mut Output, arguments: &Schedule) -> Result<(), Stop> {
    let sharing = if arguments.reference {
        Sharing::None
    } else {
        Sharing::Equal
    };
    let (mut session, _) = open(output, &arguments.program, sharing)?;
    let sop = session.sop(&arguments.expr);
    let sop = output.expect(sop, session.sources())?;
    if let Some(options) = arguments.search.options() {
        let optimised = optimise(session.graph(), sop, options);
        return match arguments.json {
            true => output.json(&optimised.to_json(session.graph())),
            false => output.text(&optimised.table(session.graph())),
        };
    }
    let graph = session.schedule(sop);
    let planned = &arguments.planned;
    let known = session.settings.vocabulary.is_some() && session.settings.max_length.is_some();
    let given = planned.setting.is_given();
    if arguments.reference || !(known || given) {
        let alone = graph.table(session.graph());
        return match arguments.json {
            true => output.json(&graph.to_json(session.graph())),
            false if arguments.reference => output.text(&alone),
            false => output.text(&format!("{alone}{ALONE}\n")),
        };
    }
    let vocabulary = output.expect(vocabulary(&planned.setting), session.sources())?;
    let setting = setting(&planned.setting, vocabulary, &session);
    let setting = output.expect(setting, session.sources())?;
    let compiled = compile_in(
        &planned.making.request(),
        session.graph(),
        &[sop],
        &setting,
        session.limits(),
    );
    let plan = output.expect(compiled, session.sources())?.plan;
    if arguments.json {
        let mut json = plan.schedule_json();
        if planned.compare {
            json["graph"] = graph.to_json(session.graph());
        }
        return output.json(&json);
    }
    output.text(&plan.table())?;
    if planned.compare {
        output.line("\nthe program's graph alone")?;
        output.text(&graph.table(session.graph()))?;
    }
    Ok(())
}

/// What a schedule of the graph does not say.
const ALONE: &str =
    "the program's graph alone: a model may need more; `--vocab` and `--max-len` show its schedule";
