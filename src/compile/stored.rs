//! What is proved of a model that was stored: its plan is lowered again, its weights are compared
//! with that bit for bit, and the certificate is derived anew. The word of the file counts for
//! nothing.

use super::lower;
use crate::base::{Code, Diagnostic, Fallible};
use crate::certify::{Certificate, Certifier, certify};
use crate::model::{self, Dtype, Exactness, Host, HostOrder, Model, is_bfloat16};
use crate::plan::Plan;
use indexmap::IndexSet;

/// The certificates of a model, in float32 and in float64 on hosts that divide scores, which hold for
/// exactly its weights.
///
/// # Errors
/// As [`proved_plan`].
pub fn certified(model: &Model) -> Fallible<[Certificate; 2]> {
    Ok(certify(&proved_plan(model)?, HostOrder::Scores))
}

/// What is proved of a plan and of its model.
#[derive(Clone, Debug)]
pub struct Proof {
    /// In float32 and in float64, for the order of scaling that was asked for.
    pub certificates: [Certificate; 2],
    /// The hosts on which the model is exact. A certificate in float32 is one in bfloat16, too,
    /// where the weights are bfloat16 already.
    pub exact: Exactness,
    /// Those of them that may add sums in any order.
    pub any_order: Exactness,
}

/// Proves what can be proved of a plan and of its model.
pub fn prove(certifier: &Certifier, model: &Model, asked: HostOrder) -> Proof {
    let are_alike = |one, other| certifier.are_alike(one, other);
    prove_by(|order| certifier.certify(order), are_alike, model, asked)
}

/// The same by certificates for each order, which are the same where orders are alike.
pub fn prove_by(
    certify: impl Fn(HostOrder) -> [Certificate; 2],
    are_alike: impl Fn(HostOrder, HostOrder) -> bool,
    model: &Model,
    asked: HostOrder,
) -> Proof {
    let of_scores = certify(HostOrder::Scores);
    // No order has fewer roundings than that of scores.
    let provable = of_scores.iter().any(Certificate::holds);
    let mut proof = Proof {
        certificates: of_scores.clone(),
        exact: Exactness::new(),
        any_order: Exactness::new(),
    };
    let mut known = vec![(HostOrder::Scores, of_scores)];
    for order in HostOrder::ALL {
        let is_asked = order == asked;
        if !(is_asked || provable) {
            continue;
        }
        let alike = known.iter().find(|(other, _)| are_alike(order, *other));
        let certificates = match alike {
            Some((_, alike)) => alike.clone().map(|alike| Certificate { order, ..alike }),
            None => {
                let certificates = certify(order);
                known.push((order, certificates.clone()));
                certificates
            }
        };
        for certificate in certificates.iter().filter(|known| known.holds()) {
            let holds_in = |hosts: &mut Exactness| {
                hosts.entry(certificate.dtype()).or_default().insert(order);
            };
            holds_in(&mut proof.exact);
            if certificate.any_order {
                holds_in(&mut proof.any_order);
            }
        }
        if is_asked {
            proof.certificates = certificates;
        }
    }
    if model.weights().all(is_bfloat16) {
        for hosts in [&mut proof.exact, &mut proof.any_order] {
            if let Some(orders) = hosts.get(&Dtype::Float32).cloned() {
                hosts.insert(Dtype::Bfloat16, orders);
            }
        }
    }
    proof
}

/// The plan of a model, whose weights are exactly what it gives.
///
/// # Errors
/// A model without a plan (E0604), with one that does not hold together (E0701), or whose weights
/// are not what the plan gives (E0604).
pub fn proved_plan(model: &Model) -> Fallible<Plan> {
    let Some(text) = &model.plan else {
        let error = Diagnostic::error(Code::NotExact, "nothing is proved of this model");
        let help = match model.machine {
            Some(_) => "it was built as a machine: `rasp machine verify` tries those for brackets",
            None => "`rasp compile` makes models that have one",
        };
        return Err(error
            .note("it has no plan that says where its weights come from")
            .help(help)
            .into());
    };
    let plan = Plan::restore(text, model).map_err(|problem| {
        let message = format!("the plan of this model does not hold together: {problem}");
        Box::new(Diagnostic::error(Code::BadModel, message))
    })?;
    if let Some(difference) = model::difference(&lower(&plan), model) {
        let message = "the weights of this model are not what its plan gives";
        let error = Diagnostic::error(Code::NotExact, message);
        let help = "what an earlier `rasp` has compiled may have other weights: compile it again";
        return Err(error.note(difference).help(help).into());
    }
    Ok(plan)
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
        order @ (HostOrder::Query | HostOrder::Both) => {
            let order = order.name();
            format!("this model is not proved to be exact with the host order `{order}`")
        }
    };
    let error = Diagnostic::error(Code::NotExact, message);
    // Heads of one selector say the same.
    let notes: IndexSet<String> = weight.into_iter().chain(open).collect();
    notes.into_iter().take(3).fold(error, Diagnostic::note)
}
