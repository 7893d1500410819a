//! `rasp schedule`: the layers and heads that s-ops take.

use super::arguments::{Schedule, Setting};
use super::input::{asked, open_file, open_read, vocabulary};
use super::limits::session;
use super::making::Making;
use super::model::not_proved;
use super::output::{Output, Stop};
use super::progress;
use crate::base::Fallible;
use crate::graph::{SOpId, Sharing};
use crate::schedule::exact::Options;
use crate::schedule::program::optimise;
use crate::schedule::schedule as alone;
use crate::session::{Compiled, Loaded, Session};
use clap::Args;
use serde_json::Value as Json;

/// The inputs that a model is scheduled for.
#[derive(Debug, Args)]
pub struct Planned {
    #[command(flatten)]
    pub setting: Setting,
    #[command(flatten)]
    pub making: Making,
    /// Show the schedule of the program's graph alone, too, and that which the reference counts
    #[arg(long)]
    pub compare: bool,
    /// Show every line of a long schedule, also those that are like others
    #[arg(long)]
    pub all: bool,
}

pub fn schedule(output: &mut Output, arguments: &Schedule) -> Result<(), Stop> {
    let sharing = if arguments.reference {
        Sharing::None
    } else {
        Sharing::Equal
    };
    let loaded = open_file(output, &arguments.program)?;
    let (mut session, _) = open_read(output, &loaded, sharing)?;
    let expressions = &*arguments.sops.expr;
    let outputs = session.outputs(expressions);
    let (outputs, _) = output.expect(outputs, session.sources())?;
    let sops: Vec<SOpId> = outputs.iter().map(|(sop, _)| *sop).collect();
    let planned = &arguments.planned;
    let alone = |output: &mut Output| {
        let alone = || Alone::new(&session, &sops, planned.making.search());
        progress::shown(output, session.control(), "scheduling", alone)
    };
    let known = session.settings.vocabulary.is_some() && session.settings.max_length.is_some();
    let given = planned.setting.is_given();
    if arguments.reference || !(known || given) {
        let Alone { text, mut json } = alone(output)?;
        let compared = planned.compare && !arguments.reference;
        if arguments.json {
            if compared {
                json["reference"] = counted(&loaded, expressions)?.json;
            }
            return output.json(&json);
        }
        output.folded(&text, planned.all)?;
        if !arguments.reference {
            output.line(ALONE)?;
        }
        if compared {
            output.line(COUNTED)?;
            let counted = counted(&loaded, expressions)?;
            output.folded(&counted.text, planned.all)?;
        }
        return Ok(());
    }
    let vocabulary = output.expect(vocabulary(&planned.setting), session.sources())?;
    let asked = asked(&planned.setting, vocabulary, Some(&planned.making));
    let compile = || session.compile_sops(&outputs, &asked);
    let compiled = progress::shown(output, session.control(), "compiling", compile)?;
    let compiled = output.expect(compiled, session.sources())?;
    let in_floats = (!compiled.is_certified()).then(|| not_proved(&compiled));
    let Compiled { plan, searched, .. } = compiled;
    if arguments.json {
        let mut json = plan.schedule_json();
        if let (Some(in_floats), Json::Array(remarks)) = (in_floats, &mut json["remarks"]) {
            remarks.push(in_floats.into());
        }
        if let Some(searched) = searched {
            searched.add_to(&mut json);
        }
        if planned.compare {
            json["graph"] = alone(output)?.json;
            json["reference"] = counted(&loaded, expressions)?.json;
        }
        return output.json(&json);
    }
    output.folded(&plan.table(), planned.all)?;
    if let Some(searched) = searched {
        output.text(&searched.text())?;
    }
    if let Some(in_floats) = in_floats {
        output.line(&in_floats)?;
    }
    if planned.compare {
        output.line("\nthe program's graph alone")?;
        let alone = alone(output)?;
        output.folded(&alone.text, planned.all)?;
        output.line(COUNTED)?;
        let counted = counted(&loaded, expressions)?;
        output.folded(&counted.text, planned.all)?;
    }
    Ok(())
}

/// The schedule as the reference counts it. What there is to say of the program has been said.
fn counted(loaded: &Loaded, expressions: &[String]) -> Result<Alone, Stop> {
    let mut session = session(Sharing::None);
    session.load(loaded);
    let sops: Fallible<Vec<SOpId>> = expressions.iter().map(|text| session.sop(text)).collect();
    let sops = sops.map_err(|_| Stop::Reported)?;
    Ok(Alone::new(&session, &sops, None))
}

/// The schedule of a program's graph.
struct Alone {
    text: String,
    json: Json,
}

impl Alone {
    fn new(session: &Session, sops: &[SOpId], search: Option<Options>) -> Alone {
        let graph = session.graph();
        let (schedule, searched) = match search {
            Some(options) => {
                let (schedule, searched) = optimise(graph, sops, options);
                (schedule, Some(searched))
            }
            None => (alone(graph, sops), None),
        };
        let (mut text, mut json) = (schedule.table(graph), schedule.to_json(graph));
        if let Some(searched) = searched {
            text.push_str(&searched.text());
            searched.add_to(&mut json);
        }
        Alone { text, json }
    }
}

/// What stands above the schedule that the reference counts.
const COUNTED: &str = "\ncounted as the reference does: a head for each selector written";

/// What a schedule of the graph does not say.
const ALONE: &str =
    "the program's graph alone: a model may need more; `--vocab` and `--max-len` show its schedule";
