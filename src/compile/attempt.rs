//! Attempts at a model: a plan is built with some care, goes through the passes, becomes weights and
//! is proved; where the proof stays open, another is built with more care.

use super::care::Care;
use super::compiled::{Compiled, exact_there};
use super::emit::{self, readout};
use super::size::{IsWorth, Size, check_size, is_left, too_large};
use super::stored::{Proof, prove};
use super::{Compiler, Request, Searches, lower, verify};
use crate::base::{Code, Diagnostic, Fallible, Limits, parallel};
use crate::certify::{Certificate, Certifier};
use crate::graph::{Graph, SOpId, WithFirst};
use crate::infer::space::VarId;
use crate::infer::{Analysis, Setting, Several, Stopped, Var};
use crate::model::{Dtype, Model};
use crate::plan::pass::Passes;
use crate::plan::{Plan, Style};
use crate::schedule::report::Searched;
use crate::schedule::schedule;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Bits that number more values than this are more hidden units than a model is worth.
const MOST_NUMBERED: usize = 1_024;

/// A model of so few parameters, counted with padding, is held against no other.
pub(super) const FEW_PARAMETERS: usize = 4_096;

/// The same where no hidden layer of it is wide; and one without fused chains is made with more care beside larger
/// ones only.
pub(super) const SOME_PARAMETERS: usize = 262_144;

/// So many hidden units for each position and token are one for each pair of values of something, unless they are
/// few.
const FEW_FOR_EACH: usize = 2;
const FEW_UNITS: usize = 48;

/// It takes long to make other models of so many parameters, counted with padding.
pub(super) const MANY_PARAMETERS: usize = 1_000_000;

/// A model of so many parameters, counted with padding, may be smaller without some passes; of larger ones it
/// takes long to see that.
pub(super) const MANY_FOR_PASSES: RangeInclusive<usize> = 16_384..=SOME_PARAMETERS;

/// What is compiled, for which inputs, and within which limits.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub graph: &'a Graph,
    pub roots: &'a [SOpId],
    pub setting: &'a Setting,
    pub limits: &'a Limits,
}

impl Task<'_> {
    /// The other model if it is certified, else the first.
    ///
    /// # Errors
    /// Interrupted, or those of the first.
    pub fn other_or(
        self,
        first: Fallible<Compiled>,
        other: Fallible<Compiled>,
    ) -> Fallible<Compiled> {
        self.graph.control().check()?;
        match other {
            Ok(other) if other.is_certified() => Ok(other),
            Ok(_) | Err(_) => first,
        }
    }

    /// Whether no hidden layer has a unit for each of the pairs of values that something may be.
    pub fn is_narrow(self, made: &Compiled) -> bool {
        let Setting {
            vocabulary,
            max_length,
            ..
        } = self.setting;
        let few = FEW_FOR_EACH * (max_length + vocabulary.len());
        made.model.widest_hidden_layer() <= few.max(FEW_UNITS)
    }
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
    pub fn certified_or_tried(&self, is_worth: IsWorth) -> Fallible<Compiled> {
        let (analysis, roots) = (self.analysis, self.task.roots);
        let control = self.task.graph.control();
        let first = self.attempt(Care::Plain, is_worth);
        let may_be_real = || {
            roots
                .iter()
                .any(|root| readout::may_be_real(analysis, *root))
        };
        // Where size is all that counts, a real number will do for one that takes more.
        let for_size = |error: &Diagnostic| self.request.style == Style::Compact && is_left(error);
        if let Err(error) = &first
            && (error.code == Code::NotExact || for_size(error))
            && may_be_real()
            && let Ok(real) = self.attempt(Care::Real, is_worth)
            && real.is_certified()
        {
            return Ok(real);
        }
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
        // One head is mostly larger than several, and soon tried.
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
                    return match one_head.filter(|it| *it != care) {
                        Some(one_head) => self.or_smaller(careful, one_head),
                        None => Ok(careful),
                    };
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
        if may_be_real() {
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
            Ok(first) if self.task.is_narrow(first) => first.size().parameters <= MANY_PARAMETERS,
            Ok(first) => first.size().parameters <= FEW_PARAMETERS,
            Err(error) => !is_left(error) || self.request.style == Style::Faithful,
        };
        if is_fine {
            return first;
        }
        let is_worth_more = |size: Size| match &first {
            Ok(first) => size.is_worth_more_in(self.request.style, first.size()),
            Err(_) => true,
        };
        let is_worth = |size: Size| is_worth(size) && is_worth_more(size);
        let careful = self.attempt(Care::Careful, &is_worth);
        self.task.other_or(first, careful)
    }

    /// A certified model, or one with other care if that is smaller.
    fn or_smaller(&self, first: Compiled, care: Care) -> Fallible<Compiled> {
        let is_smaller = |size: Size| size.parameters < first.size().parameters;
        let other = self.attempt(care, &is_smaller);
        self.task.other_or(Ok(first), other)
    }

    /// # Errors
    /// A model that is wrong on one of some inputs.
    fn verified(&self, compiled: Compiled) -> Fallible<Compiled> {
        let Task { graph, roots, .. } = self.task;
        verify::guard(graph, roots, &compiled.model, self.request.host).map(|()| compiled)
    }

    pub fn attempt(&self, care: Care, is_worth: IsWorth) -> Fallible<Compiled> {
        self.attempt_until(care, is_worth, Compiled::is_certified)
    }

    /// The first model that is good enough of those that are worth making, with all passes or some left
    /// out; without one, the first of these.
    pub fn attempt_until(
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
            if !is_worth(Size::from(&plan)) {
                // What proves more is larger.
                break;
            }
            if tried.iter().any(|known| known.plan == plan) {
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
        let plan = emit::plan(&compiler, roots, outputs).map_err(diagnose)?;
        plan.check_units()
            .map_err(|problem| self.unsound(&problem))?;
        Ok(plan)
    }

    /// What is said of a plan that does not hold together.
    fn unsound(&self, problem: &str) -> Diagnostic {
        let error = Diagnostic::error(Code::NotExact, "nothing can be proved of this model");
        let span = self.analysis.graph.span(self.task.roots[0]);
        let error = error.at(span, "compiled from this");
        error.note(format!("its plan does not hold together: {problem}"))
    }

    /// The model of a plan after passes, with what is proved of it.
    fn finish(&self, plan: &Plan) -> Fallible<(Model, [Certificate; 2])> {
        let graph = self.analysis.graph;
        plan.check().map_err(|problem| self.unsound(&problem))?;
        graph.control().at("certifying");
        let lowered = || {
            let model = lower(plan);
            check_size(self.task.limits, &model)?;
            Ok((model, plan.to_json()))
        };
        let (lowered, certifier) = parallel::both(lowered, || Certifier::new(plan));
        let (mut model, json) = lowered.map_err(|message: String| {
            let error = Diagnostic::error(Code::LimitReached, message);
            error.at(graph.span(self.task.roots[0]), "compiled from this")
        })?;
        model.plan = Some(json);
        let Proof {
            certificates,
            exact,
            any_order,
        } = prove(&certifier, &model, plan.host.order);
        model.certified = exact;
        model.any_order = any_order;
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
