//! `rasp certify`: whether the weights of a model are what its plan gives, and what is proved of
//! them.

use super::arguments::Integrity;
use super::host::Hosts;
use super::model::load;
use super::output::{Output, Stop};
use super::progress;
use crate::base::Sources;
use crate::certify::Certificate;
use crate::compile;
use crate::model::{self, Dtype, Host, Model};
use crate::plan::Plan;
use crate::session::{Proof, Session};
use clap::Args;
use serde_json::{Map, Value as Json, json};
use std::path::PathBuf;

/// What the lines mean.
const LINES: &str = "\
For each kind of floats: whether every output decodes exactly, for every input, and how much of the margin,
half the way to another value, its error takes. Then the heads: how far
the logits of others stand below those of the selected keys, the share of attention that leaks to them,
and how much the logits of the selected ones may differ. Then the variables: the largest number that each can be, how far it
may be off, and its margin, half the least distance of two of its values. At last the largest number
that the stream, queries, keys, values and hidden units can be.";

#[derive(Debug, Args)]
#[command(after_help = LINES)]
pub struct Certify {
    /// A compiled model
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub digest: Integrity,
    #[command(flatten)]
    pub hosts: Hosts,
    /// The certificates as one JSON object; errors too
    #[arg(long)]
    pub json: bool,
}

pub fn certify(output: &mut Output, arguments: &Certify) -> Result<(), Stop> {
    let sources = Sources::new();
    let mut model = load(output, &arguments.model, arguments.digest.asked())?;
    let host = asked(arguments.hosts.host(), &model);
    let proof = progress::alone("certifying", || Session::certify(&model, host.order));
    let Proof {
        certificates,
        exact,
        any_order,
    } = output.expect(proof, &sources)?;
    (model.certified, model.any_order) = (exact, any_order);
    match arguments.json {
        true => output.json(&certificates_json(&model, &certificates))?,
        false => {
            for certificate in &certificates {
                output.text(&certificate.to_string())?;
            }
            output.line(&match model.not_bfloat16() {
                None => "bfloat16: every weight is a bfloat16 number".to_string(),
                Some(weight) => format!("bfloat16: {weight}"),
            })?;
            let hosts = model::describe_exactness(&model.certified);
            output.line(&format!("certified: {hosts}"))?;
            if let Some(sums) = model::describe_any_order(&model.any_order, &model.certified) {
                output.line(&format!("sums: {sums}"))?;
            }
        }
    }
    if !host.is_among(&model.certified) {
        output.report(&compile::open(host, &certificates, &model), &sources);
    }
    Ok(())
}

/// The host for which there has to be a proof: unless others are asked for, the floats that the model was made
/// for.
fn asked(host: Host, model: &Model) -> Host {
    let made_for = || Plan::host_of(model.plan.as_deref()?)?.dtype;
    Host {
        dtype: host.dtype.or_else(made_for),
        ..host
    }
}

fn certificates_json(model: &Model, certificates: &[Certificate; 2]) -> Json {
    let entry = |certificate: &Certificate| {
        let proved = json!({
            "holds": certificate.holds(),
            "any_order": certificate.holds() && certificate.any_order,
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
    all.insert("any_order".to_string(), json!(model.any_order));
    Json::Object(all)
}
