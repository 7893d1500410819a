//! `rasp certify`: whether the weights of a model are what its plan gives, and what is proved of
//! them.

use super::output::{Output, Stop};
use crate::base::{Code, Diagnostic, Sources};
use crate::certify::Certificate;
use crate::{compile, model};
use clap::Args;
use serde_json::{Map, Value as Json, json};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Certify {
    /// A compiled model
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The certificates as one JSON object; errors too
    #[arg(long)]
    pub json: bool,
}

pub fn certify(output: &mut Output, arguments: &Certify) -> Result<(), Stop> {
    let sources = Sources::new();
    let model = output.expect(model::load(&arguments.model), &sources)?;
    let certificates = output.expect(compile::certified(&model), &sources)?;
    match arguments.json {
        true => output.json(&certificates_json(&certificates))?,
        false => {
            for certificate in &certificates {
                output.text(&certificate.to_string())?;
            }
        }
    }
    if !certificates.iter().all(Certificate::holds) {
        output.report(&open(&certificates), &sources);
    }
    Ok(())
}

/// What is not proved.
pub fn open(certificates: &[Certificate; 2]) -> Diagnostic {
    let open = certificates.iter().flat_map(|certificate| {
        let name = certificate.name();
        certificate
            .open
            .iter()
            .map(move |open| format!("{name}: {open}"))
    });
    let error = Diagnostic::error(Code::NotExact, "this model is not proved to be exact");
    open.take(3).fold(error, Diagnostic::note)
}

fn certificates_json(certificates: &[Certificate; 2]) -> Json {
    let entry = |certificate: &Certificate| {
        let proved = json!({
            "holds": certificate.holds(),
            "outputs": certificate.outputs,
            "heads": certificate.heads,
            "variables": certificate.variables,
            "open": certificate.open,
        });
        (certificate.name().to_string(), proved)
    };
    Json::Object(certificates.iter().map(entry).collect::<Map<_, _>>())
}
