//! Attempts at a model: a plan is built with some care, goes through the passes, becomes weights and
//! is proved; where the proof stays open, another is built with more care.

use super::care::Care;
use super::compiled::{Compiled, exact_there};
use super::emit::{self, readout};
use super::size::{ANY, IsWorth, Size, check_size, is_left, too_large};
use super::stored::{Proof, prove};
use super::{Compiler, Request, Searches, causal, digits, lower, verify};
use crate::base::{Code, Diagnostic, Fallible, Limits, parallel};
use crate::certify::{Certificate, Certifier};
use crate::graph::{Graph, SOpId, WithFirst};
use crate::infer::space::VarId;
use crate::infer::{Analysis, Setting, Several, Stopped, Var};
use crate::model::{Dtype, Model};
use crate::plan::pass::{Choice, FUSE, Passes};
use crate::plan::{Plan, Style};
use crate::schedule::report::Searched;
use crate::schedule::schedule;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Bits that number more values than this are more hidden units than a model is worth.
const MOST_NUMBERED: usize = 1_024;

/// A model of more parameters, counted with padding, is held against one that is made with more care.
const MANY_PARAMETERS: usize = 1_000_000;

/// A model of so many parameters, counted with padding, may be smaller without some passes; of larger ones it
/// takes long to see that.
const MANY_FOR_PASSES: RangeInclusive<usize> = 16_384..=SOME_PARAMETERS;

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

/// What is compiled, for which inputs, and within which limits.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub graph: &'a Graph,
    pub roots: &'a [SOpId],
    pub setting: &'a Setting,
    pub limits: &'a Limits,
}

impl Request {
    pub(super) fn in_style(&self, style: Style) -> Request {
        Request {
            style,
            ..self.clone()
        }
    }

    /// The same with a hidden layer for each elementwise s-op.
    fn unfused(&self) -> Request {
        Request {
            passes: self.passes.without(&FUSE),
            ..self.clone()
        }
    }
}

/// The smallest model, of the program as it is written or by earliest keys.
///
/// # Errors
/// As [`super::compile_in`].
pub(super) fn smallest(request: &Request, task: Task) -> Fallible<Compiled> {
    let in_both = |task, is_worth: IsWorth| {
        let faithful = made_in(&request.in_style(Style::Faithful), task, is_worth);
        if request.without_bos {
            return faithful;
        }
        let is_smaller = |size: Size| match &faithful {
            Ok(faithful) if faithful.is_certified() => size.parameters < faithful.size().parameters,
            Ok(_) | Err(_) => true,
        };
        let is_worth = |size: Size| is_worth(size) && is_smaller(size);
        let compact = made_in(&request.in_style(Style::Compact), task, &is_worth);
        match (compact, faithful) {
            (Ok(compact), Ok(faithful)) if compact.is_better(&faithful) => Ok(compact),
            (_, Ok(faithful)) => Ok(faithful),
            (compact, Err(_)) => compact,
        }
    };
    let by_earliest = task.graph.by_earliest(task.roots, task.setting.max_length);
    let written = in_both(task, ANY);
    let Some((graph, roots)) = &by_earliest else {
        return written;
    };
    let by_earliest = Task {
        graph,
        roots,
        ..task
    };
    let is_worth = |size: Size| match &written {
        Ok(written) if written.is_certified() => size.is_worth_more(written.size()),
        Ok(_) | Err(_) => true,
    };
    let by_earliest = in_both(by_earliest, &is_worth);
    match (written, by_earliest) {
        (Ok(written), Ok(other)) if !other.is_worth_more(&written) => Ok(written),
        (_, Ok(other)) => Ok(Compiled {
            sops: task.roots.to_vec(),
            ..other
        }),
        (written, Err(_)) => written,
    }
}

/// A model in the style that is asked for, of a size that is worth it; where functions of means have too
/// many values to list, with these means as real numbers.
///
/// # Errors
/// As [`super::compile_in`].
pub(super) fn made_in(request: &Request, task: Task, is_worth: IsWorth) -> Fallible<Compiled> {
    let made = |limits: &Limits| {
        let task = Task { limits, ..task };
        analysed(request, task, |analysis| {
            causal::check(analysis)?;
            digits::check(analysis)?;
            fused_or_unfused((request, is_worth), task, analysis)
        })
    };
    made(task.limits).or_else(|error| {
        if error.code != Code::DomainTooLarge || task.limits.domain_values <= MOST_LISTED {
            return Err(error);
        }
        let fewer = Limits {
            domain_values: MOST_LISTED,
            ..task.limits.clone()
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
    task: Task,
    make: impl FnOnce(&Analysis) -> Fallible<T>,
) -> Fallible<T> {
    let Task {
        graph,
        roots,
        setting,
        limits,
    } = task;
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
fn fused_or_unfused(
    (request, is_worth): (&Request, IsWorth),
    task: Task,
    analysis: &Analysis,
) -> Fallible<Compiled> {
    let control = task.graph.control();
    let fused = Attempts::new(request, task, analysis).certified_or_tried(is_worth);
    let is_fine = |fused: &Compiled| {
        let most = FEW_UNITS * (task.setting.max_length + task.setting.vocabulary.len());
        let is_narrow = fused.model.widest_hidden_layer() <= most && fused.care.is_plain();
        let enough = if is_narrow && request.style == Style::Faithful {
            SOME_PARAMETERS
        } else {
            FEW_PARAMETERS
        };
        let is_small = fused.model.padded_parameters() <= enough;
        fused.is_certified() && (is_small || fused.care == Care::OneHead)
    };
    if !request.passes.choose(Choice::Fuse) || fused.as_ref().is_ok_and(is_fine) {
        return fused;
    }
    control.check()?;
    let is_worth_more = |size: Size| match (&fused, request.style) {
        (Ok(fused), _) if !fused.is_certified() => true,
        (Ok(fused), Style::Faithful) => size.is_worth_more(fused.size()),
        // However many layers it takes.
        (Ok(fused), Style::Compact) => size.parameters < fused.size().parameters,
        (Err(_), _) => true,
    };
    let is_worth = |size: Size| is_worth(size) && is_worth_more(size);
    let is_enough =
        |made: &Compiled| made.is_certified() && made.size().parameters <= SOME_PARAMETERS;
    let request = request.unfused();
    let attempts = Attempts::new(&request, task, analysis);
    let unfused = match fused.as_ref().is_ok_and(is_enough) {
        true => attempts.attempt(Care::Plain, &is_worth),
        false => attempts.certified_or_tried(&is_worth),
    };
    control.check()?;
    match unfused {
        Ok(unfused) if unfused.is_certified() => Ok(unfused),
        Ok(_) | Err(_) => fused,
    }
}

/// The same model, or one that is not much larger whose rows of attention are proved to be uniform, where those of
/// the first are not: what keys are compared by may be a count that no step has snapped, or shared by factors that
/// float32 rounds.
///
/// # Errors
/// Interrupted.
pub(super) fn with_even_rows(made: Compiled, request: &Request, task: Task) -> Fallible<Compiled> {
    let is_even = |made: &Compiled| made.certificates[0].is_even();
    if !made.is_certified() || is_even(&made) {
        return Ok(made);
    }
    let most = MOST_LARGER * made.model.padded_parameters();
    let is_worth: IsWorth = &|size| size.parameters <= most;
    let is_better = |other: &Compiled| other.is_certified() && is_even(other);
    let better = analysed(request, task, |analysis| {
        let unfused = request.unfused();
        let mut found = [request, &unfused].into_iter().filter_map(|request| {
            let attempts = Attempts::new(request, task, analysis);
            let cares = [Care::Plain, Care::Careful, Care::Bits, Care::Exact].into_iter();
            let made = |care| attempts.attempt_until(care, is_worth, is_better).ok();
            let mut made = cares.filter_map(made);
            made.find(is_better)
        });
        Ok(found.next())
    });
    task.graph.control().check()?;
    Ok(better.ok().flatten().unwrap_or(made))
}

/// What attempts at a model have in common, however much care they take.
pub(super) struct Attempts<'a> {
    request: &'a Request,
    task: Task<'a>,
    analysis: &'a Analysis<'a>,
    searches: Searches,
}

impl<'a> Attempts<'a> {
    pub fn new(request: &'a Request, task: Task<'a>, analysis: &'a Analysis<'a>) -> Attempts<'a> {
        Attempts {
            request,
            task,
            analysis,
            searches: Searches::default(),
        }
    }

    /// The first model that is certified, with ever more care; without one, one that was tried.
    fn certified_or_tried(&self, is_worth: IsWorth) -> Fallible<Compiled> {
        let (analysis, roots) = (self.analysis, self.task.roots);
        let control = self.task.graph.control();
        let first = self.attempt(Care::Plain, is_worth);
        let is_final = |first: &Fallible<Compiled>| match first {
            Ok(compiled) => compiled.is_certified(),
            // What is computed a layer later may have fewer values.
            Err(error) => error.code != Code::DomainTooLarge,
        };
        if is_final(&first) {
            return self.or_careful(first, is_worth);
        }
        // More care can take more than there is; the model is there without it.
        let few = |var: &Var| var.values.domain.len() <= MOST_NUMBERED;
        let is_short = read_on_the_way(analysis, roots).all(few);
        let last = [Care::Bits]
            .into_iter()
            .chain(is_short.then_some(Care::Exact));
        // One head is larger than several, and soon tried.
        let one_head = analysis.has_wide_unions().then_some(Care::OneHead);
        let cares = [Care::Careful].into_iter().chain(one_head).chain(last);
        let mut exact_in: BTreeSet<Dtype> = first.iter().flat_map(Compiled::exact_in).collect();
        // What is proved for some floats only is better than what is wrong: best for those that are tried.
        let mut partly: Option<Compiled> = None;
        let in_float32 =
            |compiled: &Compiled| compiled.exact_in().any(|dtype| dtype == Dtype::Float32);
        for care in cares {
            control.check()?;
            if let Ok(careful) = self.attempt(care, is_worth) {
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
            real = self.attempt(Care::Real, is_worth).ok();
        }
        if let Some(real) = real.take_if(|real| real.is_certified()) {
            return Ok(real);
        }
        control.at("trying inputs");
        let mut tried = first.and_then(|compiled| self.verified(compiled));
        for other in real.into_iter().chain(partly) {
            tried = tried.or_else(|_| self.verified(other));
        }
        tried.map_err(|error| match exact_in.first() {
            Some(dtype) => Box::new(error.help(exact_there(*dtype))),
            None => error,
        })
    }

    /// The same model, or one with more care in place of one that is large, or too large to be worth it
    /// where size is all that counts: what is computed a layer later may take less.
    fn or_careful(&self, first: Fallible<Compiled>, is_worth: IsWorth) -> Fallible<Compiled> {
        let is_fine = match &first {
            Ok(first) => first.size().parameters <= MANY_PARAMETERS,
            Err(error) => !is_left(error) || self.request.style == Style::Faithful,
        };
        if is_fine {
            return first;
        }
        let is_smaller = |size: Size| match &first {
            Ok(first) => size.parameters < first.size().parameters,
            Err(_) => is_worth(size),
        };
        let careful = self.attempt(Care::Careful, &is_smaller).ok();
        self.task.graph.control().check()?;
        match careful.filter(Compiled::is_certified) {
            Some(careful) => Ok(careful),
            None => first,
        }
    }

    /// # Errors
    /// A model that is wrong on one of some inputs.
    fn verified(&self, compiled: Compiled) -> Fallible<Compiled> {
        let Task { graph, roots, .. } = self.task;
        verify::guard(graph, roots, &compiled.model).map(|()| compiled)
    }

    fn attempt(&self, care: Care, is_worth: IsWorth) -> Fallible<Compiled> {
        self.attempt_until(care, is_worth, Compiled::is_certified)
    }

    /// The first model that is good enough of those that are worth making, with all passes or some left
    /// out; without one, the first of these.
    fn attempt_until(
        &self,
        care: Care,
        is_worth: IsWorth,
        is_enough: impl Fn(&Compiled) -> bool,
    ) -> Fallible<Compiled> {
        let (graph, roots) = (self.analysis.graph, self.task.roots);
        graph.control().at(care.doing());
        let draft = self.draft(care)?;
        let asked = &self.request.passes;
        let mut tried: Vec<Compiled> = Vec::new();
        for passes in std::iter::once(asked.clone()).chain(asked.fallbacks()) {
            let (passes, mut plan, searched) = self.passed(&draft, passes);
            // The layers that the graph alone takes.
            plan.remark(schedule(graph, roots).layers.len());
            if !is_worth(Size::from(&plan)) || tried.iter().any(|known| known.plan == plan) {
                continue;
            }
            let (model, certificates) = match self.finish(&plan) {
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
                setting: self.task.setting.clone(),
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

    /// What passes make of a plan; of a large one without one of those that may make it larger, if that is so.
    fn passed(&self, draft: &Plan, passes: Passes) -> (Passes, Plan, Option<Searched>) {
        let run = |passes: &Passes| {
            let mut plan = draft.clone();
            let searched = passes.run(&mut plan, self.analysis.graph.control());
            (plan, searched)
        };
        let (plan, searched) = run(&passes);
        let size = Size::from(&plan);
        let mut best = (passes, plan, searched);
        let is_worth_trying = MANY_FOR_PASSES.contains(&size.parameters) && best.2.is_none();
        if !is_worth_trying {
            return best;
        }
        for others in best.0.clone().without_doubtful() {
            let (plan, searched) = run(&others);
            let (other, known) = (Size::from(&plan), Size::from(&best.1));
            if other.layers <= known.layers && other.parameters < known.parameters {
                best = (others, plan, searched);
            }
        }
        best
    }

    /// The plan before any pass.
    pub fn draft(&self, care: Care) -> Fallible<Plan> {
        let (analysis, roots) = (self.analysis, self.task.roots);
        let mut compiler = Compiler::new(analysis, &self.searches, self.request, care);
        let mut outputs = Vec::with_capacity(roots.len());
        for root in roots {
            let output = compiler.root(*root);
            outputs.push(output.map_err(|stopped| stopped.diagnostic(analysis.graph, *root))?);
        }
        let diagnose = |stopped: Stopped| stopped.diagnostic(analysis.graph, roots[0]);
        compiler.place_variables().map_err(diagnose)?;
        emit::plan(&compiler, roots, outputs).map_err(diagnose)
    }

    /// The model of a plan after passes, with what is proved of it.
    fn finish(&self, plan: &Plan) -> Fallible<(Model, [Certificate; 2])> {
        let graph = self.analysis.graph;
        let compiled_from =
            |error: Diagnostic| error.at(graph.span(self.task.roots[0]), "compiled from this");
        plan.check().map_err(|problem| {
            let error = Diagnostic::error(Code::NotExact, "nothing can be proved of this model");
            let note = format!("its plan does not hold together: {problem}");
            compiled_from(error).note(note)
        })?;
        graph.control().at("certifying");
        let lowered = || {
            let model = lower(plan);
            check_size(self.task.limits, &model)?;
            Ok((model, plan.to_json()))
        };
        let (lowered, certifier) = parallel::both(lowered, || Certifier::new(plan));
        let (mut model, json) = lowered.map_err(|message: String| {
            compiled_from(Diagnostic::error(Code::LimitReached, message))
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
    read.into_iter().map(|var| &analysis.vars[var.0 as usize])
}
