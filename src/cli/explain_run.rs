//! `rasp explain-run`: in words, why an s-op has its value at a position.

use super::arguments::{Diagnostics, Integrity, Program, SOp};
use super::input::{OneInput, open};
use super::model::load_of;
use super::output::{Output, Stop};
use super::progress;
use crate::draw::{self, Subject};
use crate::graph::Sharing;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ExplainRun {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub sop: SOp,
    #[command(flatten)]
    pub input: OneInput,
    /// The position of the output, counted from 0
    #[arg(long, value_name = "POSITION")]
    pub at: usize,
    /// A model that `rasp compile` has made of the s-op: how sure it is of each value
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    #[command(flatten)]
    pub digest: Integrity,
    #[command(flatten)]
    pub diagnostics: Diagnostics,
}

pub fn explain_run(output: &mut Output, arguments: &ExplainRun) -> Result<(), Stop> {
    let (mut session, _) = open(output, &arguments.program, Sharing::Equal)?;
    let given = output.expect(arguments.input.given(), session.sources())?;
    let input = given.map_or_else(|| session.settings.example.clone(), |input| input.tokens);
    let sop = session.sop(&arguments.sop.expr);
    let sop = output.expect(sop, session.sources())?;
    let model = match &arguments.model {
        Some(path) => {
            let digest = arguments.digest.asked();
            Some(load_of(output, path, digest, &arguments.sop.expr)?)
        }
        None => None,
    };
    let subject = Subject {
        graph: session.graph(),
        input: &input,
        at: Some(arguments.at),
        limits: session.limits(),
    };
    output.expect(subject.check(), session.sources())?;
    let explain = || {
        draw::explain(
            &subject,
            sop,
            &arguments.sop.expr,
            arguments.at,
            model.as_ref(),
        )
    };
    let told = progress::shown(output, session.control(), "explaining", explain)?;
    let told = output.expect(told, session.sources())?;
    output.text(&told)
}
