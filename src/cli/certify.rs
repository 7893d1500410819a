//! `rasp certify`: whether the weights of a model are what its plan gives, and what is proved of
//! them.

use super::host::Hosts;
use super::output::{Output, Stop};
use crate::base::{Code, Diagnostic, Sources};
use crate::certify::Certificate;
use crate::compile;
use crate::model::{self, Dtype, Host, HostOrder, Model};
use clap::Args;
use serde_json::{Map, Value as Json, json};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Certify {
    /// A compiled model
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub hosts: Hosts,
    /// The certificates as one JSON object; errors too
    #[arg(long)]
    pub json: bool,
}

pub fn certify(output: &mut Output, arguments: &Certify) -> Result<(), Stop> {
    let sources = Sources::new();
    let mut model = output.expect(model::load(&arguments.model), &sources)?;
    let plan = output.expect(compile::proved_plan(&model), &sources)?;
    let host = arguments.hosts.host();
    let compile::Proof {
        certificates,
        exact,
    } = compile::prove(&plan, &model, host.order);
    model.certified = exact;
    match arguments.json {
        true => output.json(&certificates_json(&model, &certificates))?,
        false => {
            for certificate in &certificates {
                output.text(&certificate.to_string())?;
            }
            output.line(&match model.not_bfloat16() {
                None => "bfloat16: every weight is one".to_string(),
                Some(weight) => format!("bfloat16: {weight}"),
            })?;
            let hosts = model::describe_exactness(&model.certified);
            output.line(&format!("certified: {hosts}"))?;
        }
    }
    if !host.is_among(&model.certified) {
        output.report(&open(host, &certificates, &model), &sources);
    }
    Ok(())
}

/// What is not proved of a model on some hosts.
pub fn open(host: Host, certificates: &[Certificate; 2], model: &Model) -> Diagnostic {
    let wanted = |certificate: &&Certificate| match host.dtype {
        None => true,
        Some(Dtype::Bfloat16) => certificate.dtype() == Dtype::Float32,
        Some(dtype) => certificate.dtype() == dtype,
    };
    let open = certificates.iter().filter(wanted).flat_map(|certificate| {
        let name = certificate.dtype().name();
        let open = certificate.open.iter();
        open.map(move |open| format!("{name}: {open}"))
    });
    let weight = match host.dtype {
        Some(Dtype::Bfloat16) => model.not_bfloat16(),
        _ => None,
    };
    let weight = weight.map(|weight| format!("bfloat16: {weight}"));
    let message = match host.order {
        HostOrder::Scores => "this model is not proved to be exact".to_string(),
        order => {
            let order = order.name();
            format!("this model is not proved to be exact with the host order `{order}`")
        }
    };
    let error = Diagnostic::error(Code::NotExact, message);
    weight
        .into_iter()
        .chain(open)
        .take(3)
        .fold(error, Diagnostic::note)
}

fn certificates_json(model: &Model, certificates: &[Certificate; 2]) -> Json {
    let entry = |certificate: &Certificate| {
        let proved = json!({
            "holds": certificate.holds(),
            "outputs": certificate.outputs,
            "heads": certificate.heads,
            "variables": certificate.variables,
            "open": certificate.open,
        });
        (certificate.dtype().name().to_string(), proved)
    };
    let mut all: Map<String, Json> = certificates.iter().map(entry).collect();
    let weight = model.not_bfloat16();
    let holds = weight.is_none() && certificates[0].holds();
    all.insert(
        Dtype::Bfloat16.name().to_string(),
        json!({"holds": holds, "weight": weight}),
    );
    all.insert("certified".to_string(), json!(model.certified));
    Json::Object(all)
}
