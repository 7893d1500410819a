//! Attempts at a model: a plan is built with some care, goes through the passes, becomes weights and
//! is proved; where the proof stays open, another is built with more care.

use super::emit::{self, readout};
use super::size::{IsWorth, Size, is_left, too_large};
use super::stored::{Proof, prove};
use super::{Compiler, Request, Searches, causal, lower, verify};
use crate::base::{Code, Diagnostic, Fallible, Limits, parallel};
use crate::certify::{Certificate, Certifier};
use crate::graph::{Graph, SOpId, WithFirst};
use crate::infer::space::VarId;
use crate::infer::{Analysis, Setting, Several, Stopped, Var};
use crate::model::{Dtype, Host, Model};
use crate::plan::pass::{Choice, Passes};
use crate::plan::{Plan, Style};
use crate::schedule::report::Searched;
use crate::schedule::schedule;
use std::collections::BTreeSet;

/// Bits that number more values than this are more hidden units than a model is worth.
const MOST_NUMBERED: usize = 1_024;

/// A model of more parameters, counted with padding, is held against one that is made with more care.
const MANY_PARAMETERS: usize = 1_000_000;

/// A hidden layer of so many units for each position and token has one for each pair of values of something.
const FEW_UNITS: usize = 8;

/// A model of so few parameters, counted with padding, is held against no other.
const FEW_PARAMETERS: usize = 4_096;

/// The same where no hidden layer of it is wide; and one without fused chains is made with more care beside larger
/// ones only.
const SOME_PARAMETERS: usize = 262_144;

/// How many times larger a model may be whose rows of attention are proved to be uniform.
const MOST_LARGER: usize = 2;

/// Means of more values are real numbers where lists of values become too long.
const MOST_LISTED: usize = 1_024;

/// A model in the style that is asked for, of a size that is worth it; where functions of means have too
/// many values to list, with these means as real numbers.
///
/// # Errors
/// As [`super::compile_in`].
pub(super) fn made_in(
    request: &Request,
    of: (&Graph, &[SOpId]),
    setting: &Setting,
    limits: &Limits,
    is_worth: IsWorth,
) -> Fallible<Compiled> {
    let made = |limits: &Limits| {
        analysed(request, of, setting, limits, |analysis| {
            causal::check(analysis)?;
            fused_or_apart(request, of, analysis, is_worth)
        })
    };
    made(limits).or_else(|error| {
        if error.code != Code::DomainTooLarge || limits.domain_values <= MOST_LISTED {
            return Err(error);
        }
        let fewer = Limits {
            domain_values: MOST_LISTED,
            ..limits.clone()
        };
        made(&fewer).map_err(|other| match other.code == Code::Interrupted {
            true => other,
            // What is in the way of real numbers does not say what was in the way.
            false => error,
        })
    })
}

/// What is made of what s-ops can be on the inputs that are asked for.
pub(super) fn analysed<T>(
    request: &Request,
    (graph, roots): (&Graph, &[SOpId]),
    setting: &Setting,
    limits: &Limits,
    make: impl FnOnce(&Analysis) -> Fallible<T>,
) -> Fallible<T> {
    let several = match request.style {
        Style::Faithful => Several::Means,
        Style::Compact => Several::Sums,
    };
    let control = graph.control();
    control.at("inferring values");
    let first = request.without_bos.then(|| WithFirst::new(graph, roots));
    let seen = first.as_ref().map_or(graph, |first| &first.graph);
    let analysis = Analysis::holding(several, (seen, first.as_ref()), roots, setting, limits);
    control.check()?;
    make(&analysis)
}

/// A model in which a chain of elementwise s-ops is one hidden layer; or a layer for each, where that one is
/// refused, or has a hidden unit for each of the many numbers that what a chain reads may be together.
fn fused_or_apart(
    request: &Request,
    of: (&Graph, &[SOpId]),
    analysis: &Analysis,
    is_worth: IsWorth,
) -> Fallible<Compiled> {
    let fused = certified_or_tried((request, is_worth), of, analysis);
    let is_fine = |fused: &Compiled| {
        let most = FEW_UNITS * (analysis.setting.max_length + analysis.setting.vocabulary.len());
        let is_narrow = fused.model.widest_hidden_layer() <= most && fused.care == Care::Plain;
        let enough = if is_narrow {
            SOME_PARAMETERS
        } else {
            FEW_PARAMETERS
        };
        fused.is_certified() && fused.model.padded_parameters() <= enough
    };
    if !request.passes.choose(Choice::Fuse) || fused.as_ref().is_ok_and(is_fine) {
        return fused;
    }
    of.0.control().check()?;
    let apart = Request {
        passes: request.passes.without_choice(Choice::Fuse),
        ..request.clone()
    };
    let is_worth_more = |size: Size| match &fused {
        Ok(fused) if fused.is_certified() => size.is_worth_more(fused.size()),
        Ok(_) | Err(_) => true,
    };
    let is_worth = |size: Size| is_worth(size) && is_worth_more(size);
    let is_small =
        |made: &Compiled| made.is_certified() && made.size().parameters <= SOME_PARAMETERS;
    let apart = match fused.as_ref().is_ok_and(is_small) {
        true => {
            let how = (&apart, Care::Plain, &is_worth as IsWorth);
            attempt(analysis, &Searches::default(), of.1, how)
        }
        false => certified_or_tried((&apart, &is_worth), of, analysis),
    };
    of.0.control().check()?;
    match apart {
        Ok(apart) if apart.is_certified() => Ok(apart),
        Ok(_) | Err(_) => fused,
    }
}

/// The same model, or one that is not much larger whose rows of attention are proved to be uniform, where those of
/// the first are not: what keys are compared by may be a count that no step has snapped, or shared by factors that
/// float32 rounds.
///
/// # Errors
/// Interrupted.
pub(super) fn with_even_rows(
    made: Compiled,
    request: &Request,
    of: (&Graph, &[SOpId]),
    setting: &Setting,
    limits: &Limits,
) -> Fallible<Compiled> {
    let is_even = |made: &Compiled| made.certificates[0].is_even();
    if !made.is_certified() || is_even(&made) {
        return Ok(made);
    }
    let apart = Request {
        passes: request.passes.without_choice(Choice::Fuse),
        ..request.clone()
    };
    let most = MOST_LARGER * made.model.padded_parameters();
    let is_worth: IsWorth = &|size| size.parameters <= most;
    let is_better = |other: &Compiled| other.is_certified() && is_even(other);
    let better = analysed(request, of, setting, limits, |analysis| {
        let found = [request, &apart].into_iter().find_map(|request| {
            let searches = Searches::default();
            let cares = [Care::Plain, Care::Careful, Care::Bits, Care::Exact].into_iter();
            let mut attempts = cares.filter_map(|care| {
                attempt_until(
                    analysis,
                    &searches,
                    of.1,
                    (request, care, is_worth),
                    is_better,
                )
                .ok()
            });
            attempts.find(is_better)
        });
        Ok(found)
    });
    of.0.control().check()?;
    Ok(better.ok().flatten().unwrap_or(made))
}

/// The first model that is certified, with ever more care; without one, one that was tried.
fn certified_or_tried(
    (request, is_worth): (&Request, IsWorth),
    (graph, roots): (&Graph, &[SOpId]),
    analysis: &Analysis,
) -> Fallible<Compiled> {
    let control = graph.control();
    let searches = Searches::default();
    let attempt = |care, is_worth| attempt(analysis, &searches, roots, (request, care, is_worth));
    let first = attempt(Care::Plain, is_worth);
    let is_final = |first: &Fallible<Compiled>| match first {
        Ok(compiled) => compiled.is_certified(),
        // What is computed a layer later may have fewer values.
        Err(error) => error.code != Code::DomainTooLarge,
    };
    if is_final(&first) {
        let is_fine = |first: &Compiled| first.size().parameters <= MANY_PARAMETERS;
        if first.as_ref().is_ok_and(is_fine) || first.as_ref().is_err_and(|error| !is_left(error)) {
            return first;
        }
        // What is computed a layer later may take less.
        let is_smaller = |size: Size| match &first {
            Ok(first) => size.parameters < first.size().parameters,
            Err(_) => is_worth(size),
        };
        let careful = attempt(Care::Careful, &is_smaller).ok();
        control.check()?;
        return match careful.filter(Compiled::is_certified) {
            Some(careful) => Ok(careful),
            None => first,
        };
    }
    // More care can take more than there is; the model is there without it.
    let few = |var: &Var| var.values.domain.len() <= MOST_NUMBERED;
    let cares: &[Care] = match read_on_the_way(analysis, roots).all(few) {
        true => &[Care::Careful, Care::Bits, Care::Exact],
        false => &[Care::Careful, Care::Bits],
    };
    let mut exact_in: BTreeSet<Dtype> = first.iter().flat_map(Compiled::exact_in).collect();
    // What is proved for some floats only is better than what is wrong: best for those that are tried.
    let mut partly: Option<Compiled> = None;
    let in_float32 = |compiled: &Compiled| compiled.exact_in().any(|dtype| dtype == Dtype::Float32);
    for care in cares.iter().copied() {
        control.check()?;
        if let Ok(careful) = attempt(care, is_worth) {
            if careful.is_certified() {
                return Ok(careful);
            }
            exact_in.extend(careful.exact_in());
            let is_better = match &partly {
                None => careful.exact_in().next().is_some(),
                Some(known) => in_float32(&careful) && !in_float32(known),
            };
            if is_better {
                partly = Some(careful);
            }
        }
    }
    let mut real = None;
    if roots.iter().any(|root| readout::is_dense(analysis, *root)) {
        control.check()?;
        real = attempt(Care::Real, is_worth).ok();
    }
    if let Some(real) = real.take_if(|real| real.is_certified()) {
        return Ok(real);
    }
    control.at("trying inputs");
    let mut tried = first.and_then(|compiled| verified(graph, roots, compiled));
    for other in real.into_iter().chain(partly) {
        tried = tried.or_else(|_| verified(graph, roots, other));
    }
    tried.map_err(|error| match exact_in.first() {
        Some(dtype) => Box::new(error.help(exact_there(*dtype))),
        None => error,
    })
}

/// The variables that anything but the results themselves depends on.
fn read_on_the_way<'a>(
    analysis: &'a Analysis,
    roots: &[SOpId],
) -> impl Iterator<Item = &'a Var> + use<'a> {
    let reached = analysis.graph.reachable(roots).into_iter();
    let on_the_way = reached.filter(|id| !roots.contains(id));
    let vars = on_the_way.filter_map(|id| Some(&analysis.node(id).ok()?.column.space.vars));
    let read: BTreeSet<VarId> = vars.flatten().copied().collect();
    let vars = &analysis.vars;
    read.into_iter().map(|var| &vars[var.0 as usize])
}

/// # Errors
/// A model that is wrong on one of some inputs.
fn verified(graph: &Graph, roots: &[SOpId], compiled: Compiled) -> Fallible<Compiled> {
    verify::guard(graph, roots, &compiled.model).map(|()| compiled)
}

/// Help where a model of these floats alone would be exact.
pub(super) fn exact_there(dtype: Dtype) -> String {
    format!("`--dtype {}` makes one that is exact there", dtype.name())
}

/// A model, the plan it was lowered from, and what is proved of it.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub model: Model,
    /// The plan as it was built, before any pass.
    pub draft: Plan,
    /// The care with which it was built.
    pub care: Care,
    /// The passes that made this plan of it.
    pub passes: Passes,
    pub plan: Plan,
    /// What is proved of the schedule, if one was searched for.
    pub searched: Option<Searched>,
    /// In float32 and in float64, for the order of scaling that was asked for.
    pub certificates: [Certificate; 2],
    /// The hosts that were asked for.
    pub host: Host,
    /// The s-ops of its outputs.
    pub sops: Vec<SOpId>,
    /// The inputs that it is for.
    pub setting: Setting,
}

impl Compiled {
    /// Whether every output is proved to decode exactly on the hosts that were asked for.
    pub fn is_certified(&self) -> bool {
        self.host.is_among(&self.model.certified)
    }

    /// The floats in which every output is proved to decode exactly, in the order that was asked for.
    pub(super) fn exact_in(&self) -> impl Iterator<Item = Dtype> {
        let dtypes = [Dtype::Float32, Dtype::Float64].into_iter();
        dtypes.filter(|dtype| {
            let dtype = Some(*dtype);
            Host { dtype, ..self.host }.is_among(&self.model.certified)
        })
    }
}

/// What is tried to make a model exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    Plain,
    /// Functions that need precise arguments are computed from their operands, a layer later.
    Careful,
    /// As `Careful`; and heads compare classes by their bits, which are 0 or 1 to the last digit, where
    /// squares have digits that float32 lacks.
    Bits,
    /// Nothing is left to float32's digits: what many steps add up is bits, or whole numbers of them,
    /// and fractions that are compared are numbered first, each a layer earlier.
    Exact,
    /// A result whose numbers are close to each other is read as a real number.
    Real,
}

fn attempt(
    analysis: &Analysis,
    searches: &Searches,
    roots: &[SOpId],
    how: (&Request, Care, IsWorth),
) -> Fallible<Compiled> {
    attempt_until(analysis, searches, roots, how, Compiled::is_certified)
}

/// The first model that is good enough of those that are worth making, with all passes or some left out;
/// without one, the first of these.
fn attempt_until(
    analysis: &Analysis,
    searches: &Searches,
    roots: &[SOpId],
    (request, care, is_worth): (&Request, Care, IsWorth),
    is_enough: impl Fn(&Compiled) -> bool,
) -> Fallible<Compiled> {
    analysis.graph.control().at(match care {
        Care::Plain => "finding weights",
        Care::Careful => "finding more precise weights",
        Care::Bits => "finding weights that compare bits",
        Care::Exact => "finding exact weights",
        Care::Real => "finding weights for a real number",
    });
    let draft = draft(analysis, searches, roots, request, care)?;
    let mut tried: Vec<Compiled> = Vec::new();
    for passes in std::iter::once(request.passes.clone()).chain(request.passes.apart()) {
        let mut plan = draft.clone();
        let searched = passes.run(&mut plan, analysis.graph.control());
        plan.remark(depth(analysis.graph, roots));
        if !is_worth(Size::from(&plan)) || tried.iter().any(|known| known.plan == plan) {
            continue;
        }
        let (model, certificates) = match finish(analysis, roots, &plan) {
            Ok(made) => made,
            Err(error) if tried.is_empty() => return Err(error),
            Err(_) => continue,
        };
        let compiled = Compiled {
            model,
            draft: draft.clone(),
            care,
            passes,
            host: plan.host,
            sops: roots.to_vec(),
            setting: analysis.setting.clone(),
            plan,
            searched,
            certificates,
        };
        if is_enough(&compiled) {
            return Ok(compiled);
        }
        tried.push(compiled);
    }
    match tried.is_empty() {
        true => Err(too_large()),
        false => Ok(tried.swap_remove(0)),
    }
}

pub(super) fn draft(
    analysis: &Analysis,
    searches: &Searches,
    roots: &[SOpId],
    request: &Request,
    care: Care,
) -> Fallible<Plan> {
    let diagnose = |stopped: Stopped| stopped.diagnostic(analysis.graph, roots[0]);
    let mut compiler = Compiler::new(analysis, searches, request, care);
    let mut outputs = Vec::with_capacity(roots.len());
    for root in roots {
        let output = compiler.root(*root);
        outputs.push(output.map_err(|stopped| stopped.diagnostic(analysis.graph, *root))?);
    }
    compiler.place_variables().map_err(diagnose)?;
    emit::plan(&compiler, roots, outputs).map_err(diagnose)
}

/// The model of a plan after passes, with what is proved of it.
fn finish(
    analysis: &Analysis,
    roots: &[SOpId],
    plan: &Plan,
) -> Fallible<(Model, [Certificate; 2])> {
    plan.check().map_err(|problem| {
        let error = Diagnostic::error(Code::NotExact, "nothing can be proved of this model");
        let error = error.at(analysis.graph.span(roots[0]), "compiled from this");
        error.note(format!("its plan does not hold together: {problem}"))
    })?;
    analysis.graph.control().at("certifying");
    let limits = analysis.limits;
    let lowered = || {
        let model = lower(plan);
        check_size(limits, &model)?;
        Ok((model, plan.to_json()))
    };
    let (lowered, certifier) = parallel::both(lowered, || Certifier::new(plan));
    let (mut model, json) = lowered.map_err(|message: String| {
        let span = analysis.graph.span(roots[0]);
        Diagnostic::error(Code::LimitReached, message).at(span, "compiled from this")
    })?;
    model.plan = Some(json);
    let Proof {
        certificates,
        exact,
    } = prove(&certifier, &model, plan.host.order);
    model.certified = exact;
    model.largest_activation = certificates[0].largest_activation;
    Ok((model, certificates))
}

/// The layers that the graph alone takes.
fn depth(graph: &Graph, roots: &[SOpId]) -> usize {
    schedule(graph, roots).layers.len()
}

/// # Errors
/// What a model has too much of, in words.
fn check_size(limits: &Limits, model: &Model) -> Result<(), String> {
    if model.d_model > limits.model_width {
        return Err(format!(
            "the model would need {} directions; the limit is {}",
            model.d_model, limits.model_width
        ));
    }
    let parameters = model.nonzero();
    match parameters > limits.model_parameters {
        true => Err(format!("the model would have {parameters} parameters")),
        false => Ok(()),
    }
}

impl Care {
    pub(super) fn is_careful(self) -> bool {
        matches!(self, Care::Careful | Care::Bits | Care::Exact)
    }
}
