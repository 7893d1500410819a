//! `rasp schedule`: the layers and heads that s-ops take.

use super::arguments::Schedule;
use super::input::{asked, open_file, open_read, vocabulary};
use super::limits::session;
use super::model::not_proved;
use super::output::{Output, Stop};
use super::progress;
use crate::base::Fallible;
use crate::graph::{SOpId, Sharing};
use crate::schedule::exact::Options;
use crate::schedule::program::optimise;
use crate::schedule::schedule as alone;
use crate::session::{Loaded, Session};
use serde_json::Value as Json;

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
    let known = session.settings.vocabulary.is_some() && session.settings.max_length.is_some();
    let given = arguments.setting.is_given();
    let is_alone = arguments.reference || !(known || given);
    let search = arguments.making.search();
    let alone = |output: &mut Output| {
        let alone = || Shown::of_graph(&session, &sops, search);
        progress::shown(output, session.control(), "scheduling", alone)
    };
    let (mut shown, below) = match is_alone {
        true if arguments.reference => (alone(output)?, String::new()),
        true => (alone(output)?, ALONE.to_string()),
        false => of_model(output, arguments, &session, &outputs)?,
    };
    let mut compared = Vec::new();
    if arguments.compare {
        if !is_alone {
            compared.push(("graph", GRAPH, alone(output)?));
        }
        compared.push(("reference", COUNTED, counted(&loaded, expressions)?));
    }
    if arguments.json {
        for (key, _, other) in compared {
            shown.json[key] = other.json;
        }
        return output.json(&shown.json);
    }
    output.folded(&shown.text, arguments.all)?;
    output.text(&below)?;
    for (_, title, other) in compared {
        output.line(title)?;
        output.folded(&other.text, arguments.all)?;
    }
    Ok(())
}

/// A schedule as people are shown it, and as tools are.
struct Shown {
    text: String,
    json: Json,
}

/// The schedule of the model that is asked for, and what people are told below it.
fn of_model(
    output: &mut Output,
    arguments: &Schedule,
    session: &Session,
    outputs: &[(SOpId, &str)],
) -> Result<(Shown, String), Stop> {
    let vocabulary = output.expect(vocabulary(&arguments.setting), session.sources())?;
    let asked = asked(&arguments.setting, vocabulary, Some(&arguments.making));
    let compile = || session.compile_sops(outputs, &asked);
    let compiled = progress::shown(output, session.control(), "compiling", compile)?;
    let compiled = output.expect(compiled, session.sources())?;
    let (text, mut json) = (compiled.plan.table(), compiled.plan.schedule_json());
    let mut below = String::new();
    if let Some(searched) = &compiled.searched {
        below.push_str(&searched.text());
        searched.add_to(&mut json);
    }
    if !compiled.is_certified() {
        let in_floats = not_proved(&compiled);
        below.push_str(&format!("{in_floats}\n"));
        if let Json::Array(remarks) = &mut json["remarks"] {
            remarks.push(in_floats.into());
        }
    }
    Ok((Shown { text, json }, below))
}

/// The schedule as the reference counts it. What there is to say of the program has been said.
fn counted(loaded: &Loaded, expressions: &[String]) -> Result<Shown, Stop> {
    let mut session = session(Sharing::None);
    session.load(loaded);
    let sops: Fallible<Vec<SOpId>> = expressions.iter().map(|text| session.sop(text)).collect();
    let sops = sops.map_err(|_| Stop::Reported)?;
    Ok(Shown::of_graph(&session, &sops, None))
}

impl Shown {
    /// The schedule of a program's graph.
    fn of_graph(session: &Session, sops: &[SOpId], search: Option<Options>) -> Shown {
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
        Shown { text, json }
    }
}

/// What stands above the schedule of the graph, where a model's comes first.
const GRAPH: &str = "\nthe program's graph alone";

/// What stands above the schedule that the reference counts.
const COUNTED: &str = "\ncounted as the reference does: a head for each selector written";

/// What a schedule of the graph does not say.
const ALONE: &str = "the program's graph alone: a model may need more; `--vocab` and `--max-len` show its schedule\n";
