//! Parts of a program as plans: what some s-ops need beyond others, which the part is given, each as a
//! direction for each of its values but the first.

use super::emit::readout::Output;
use super::{Care, Compiler, Request, Searches, Want, causal, emit};
use crate::base::{Code, Diagnostic, Fallible, Limits, Span};
use crate::graph::{Graph, Possible, SOpId};
use crate::infer::{Analysis, Setting, Several, Stopped};
use crate::model::Decoder;
use crate::plan::pass::Passes;
use crate::plan::{Plan, Style, Written};
use crate::value::Value;

/// The passes that parts take: no direction of a round may be another's, which a later round reads.
const PASSES: &str = "-overlay";

/// What is read of a part.
#[derive(Clone, Copy)]
pub enum Wanted<'v> {
    /// Of each root, for each of these values but the first, whether it is that.
    Values(&'v [Possible]),
    /// The root as the result of the model.
    Result,
}

/// How a part is to be made.
pub struct Asked<'a> {
    pub request: &'a Request,
    pub setting: &'a Setting,
    pub limits: &'a Limits,
    pub care: Care,
}

/// An error for an s-op that has no layers that repeat.
pub fn refused(span: Span, reason: &str) -> Diagnostic {
    let message = "this cannot be compiled to layers that repeat";
    Diagnostic::error(Code::NotCompilable, message).at(span, reason)
}

/// What roots need beyond what they are given, as a graph with what stands in it for the roots and for
/// what is given.
pub fn beyond(
    graph: &Graph,
    roots: &[SOpId],
    (given, possible): (&[SOpId], &[Possible]),
) -> (Graph, Vec<SOpId>, Vec<SOpId>) {
    let mut inner = graph.part();
    let mut leaves = Vec::with_capacity(given.len());
    for (id, possible) in given.iter().zip(possible) {
        let leaf = inner.give(possible.clone(), graph.span(*id));
        inner.set_name(leaf, &graph.describe(*id).into(), true);
        leaves.push(leaf);
    }
    let known = given.iter().copied().zip(leaves.iter().copied());
    let roots = graph.copy(&mut inner, roots, known.collect());
    (inner, roots, leaves)
}

/// The plan of what roots need beyond what they are given; the outputs are what is wanted of them.
///
/// # Errors
/// As [`super::compile_in`].
pub fn part(
    graph: &Graph,
    roots: &[SOpId],
    given: (&[SOpId], &[Possible]),
    wanted: Wanted,
    asked: &Asked,
) -> Fallible<Plan> {
    let (inner, roots, leaves) = beyond(graph, roots, given);
    let (setting, limits) = (asked.setting, asked.limits);
    let analysis = Analysis::holding(Several::Means, (&inner, None), &roots, setting, limits);
    causal::check(&analysis)?;
    let diagnose = |stopped: Stopped| stopped.diagnostic(&inner, roots[0]);
    let searches = Searches::default();
    let request = asked.request.in_style(Style::Faithful);
    let mut compiler = Compiler::new(&analysis, &searches, &request, asked.care);
    let outputs = outputs(&mut compiler, &roots, wanted).map_err(diagnose)?;
    compiler.place_variables().map_err(diagnose)?;
    let (of, outputs): (Vec<SOpId>, Vec<Output>) = outputs.into_iter().unzip();
    if of.is_empty() {
        return Err(refused(inner.span(roots[0]), "it is the same on every input").into());
    }
    let mut plan = emit::plan(&compiler, &of, outputs).map_err(diagnose)?;
    plan.views.clear();
    if let Wanted::Values(values) = wanted {
        let all = roots.iter().zip(values);
        let names = all.flat_map(|(root, possible)| {
            let name = inner.describe(*root);
            let values = possible.values.iter().skip(1);
            values.map(move |value| format!("{name} = {}", value.source()))
        });
        for (output, name) in plan.outputs.iter_mut().zip(names) {
            output.name = name;
        }
    }
    let passes = Passes::parse(PASSES).unwrap_or_default();
    passes.run(&mut plan, inner.control());
    // Whoever has the plan knows what is given by its place among that.
    for variable in &mut plan.variables {
        if let Written::Given(sop, _) = &mut variable.written
            && let Some(number) = leaves.iter().position(|leaf| leaf.0 == *sop)
        {
            *sop = number as u32;
        }
    }
    plan.check()
        .map_err(|problem| refused(inner.span(roots[0]), &problem))?;
    Ok(plan)
}

/// What is read, with the root that each is of.
fn outputs(
    compiler: &mut Compiler,
    roots: &[SOpId],
    wanted: Wanted,
) -> Result<Vec<(SOpId, Output)>, Stopped> {
    let mut outputs = Vec::new();
    match wanted {
        Wanted::Result => {
            for root in roots {
                outputs.push((*root, compiler.root(*root)?));
            }
        }
        Wanted::Values(values) => {
            for (root, possible) in roots.iter().zip(values) {
                let domain = compiler.analysis.node(*root)?.column.values.domain.clone();
                for value in possible.values.iter().skip(1) {
                    let is = |known: &Value| match possible.of_any_kind {
                        true => f64::from(u8::from(known.equals(value))),
                        false => f64::from(u8::from(known == value)),
                    };
                    let function: Vec<f64> = domain.iter().map(is).collect();
                    let label = format!("{} = {}", compiler.name(*root), value.source());
                    let read = compiler.feature(*root, &function, Want::Close, &label)?;
                    compiler.demand(&read, &label)?;
                    let bits = Decoder::Numerical(vec![Value::Int(0), Value::Int(1)]);
                    outputs.push((*root, Output::new(read, bits)));
                }
            }
        }
    }
    Ok(outputs)
}
