//! Which model is made, of those that are proved: one in each style, with hidden layers fused or not, without sums
//! that are read as they are, or with even rows of attention. Depends on attempts, which make and prove each.

use super::attempt::{
    Attempts, FEW_PARAMETERS, MANY_FOR_PASSES, MANY_PARAMETERS, SOME_PARAMETERS, Task, analysed,
};
use super::care::Care;
use super::compiled::Compiled;
use super::emit::readout::may_be_real;
use super::size::{ANY, IsWorth, MUCH_SMALLER, Size};
use super::{Request, causal, digits};
use crate::base::{Code, Diagnostic, Fallible, Limits};
use crate::infer::Analysis;
use crate::plan::pass::{Choice, FUSE, LINEAR, Pass, Passes};
use crate::plan::{Style, Written};
use std::ops::RangeInclusive;

/// How many times larger a model may be whose rows of attention are proved to be uniform.
const MOST_LARGER: usize = 2;

/// Models of so many parameters, counted with padding, are made with real numbers, too; larger ones take long.
const MANY_FOR_REAL: RangeInclusive<usize> = 16_384..=4_000_000;

/// Means of more values are real numbers where lists of values become too long.
const MOST_LISTED: usize = 1_024;

/// Means of no more values are listed.
const FEW_LISTED: usize = 16;

impl Request {
    pub(super) fn in_style(&self, style: Style) -> Request {
        Request {
            style,
            ..self.clone()
        }
    }

    /// The same with all passes, if some are left out.
    pub(super) fn with_all_passes(&self) -> Option<Request> {
        (!self.passes.are_all()).then(|| Request {
            passes: Passes::default(),
            ..self.clone()
        })
    }

    fn without(&self, pass: &Pass) -> Request {
        Request {
            passes: self.passes.without(pass),
            ..self.clone()
        }
    }
}

/// A refusal; where passes are left out, and there is a model with all of them, that says so.
pub(super) fn or_with_all_passes(
    error: Box<Diagnostic>,
    request: &Request,
    task: Task,
) -> Box<Diagnostic> {
    let is_made = |all: &Request| made_in(all, task, ANY).is_ok_and(|made| made.is_certified());
    let all = request.with_all_passes().filter(|_| error.help.is_none());
    match all.is_some_and(|all| is_made(&all)) {
        true => error
            .help("with all passes it compiles: leave out `--passes`")
            .into(),
        false => error,
    }
}

/// The smallest model, of the program as it is written or by earliest keys.
///
/// # Errors
/// As [`super::compile_in`].
pub(super) fn smallest(request: &Request, task: Task) -> Fallible<Compiled> {
    let request = &Request {
        passes: request.passes.clone().for_size(),
        ..request.clone()
    };
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

/// A model in the style that is asked for, of a size that is worth it. Means with too many values to list functions
/// of are real numbers, and so is that of most values if it makes the model much smaller: floats lose a little of it.
///
/// # Errors
/// As [`super::compile_in`].
pub(super) fn made_in(request: &Request, task: Task, is_worth: IsWorth) -> Fallible<Compiled> {
    let made = |most_values: usize, is_worth: IsWorth| {
        let limits = &Limits {
            domain_values: task.limits.domain_values.min(most_values),
            ..task.limits.clone()
        };
        let task = Task { limits, ..task };
        analysed(request, task, |analysis| {
            causal::check(analysis)?;
            digits::check(analysis)?;
            let made = fused_or_unfused((request, is_worth), task, analysis)?;
            as_real((request, is_worth), task, analysis, made)
        })
    };
    match made(usize::MAX, is_worth) {
        Ok(of_listed) if MANY_FOR_REAL.contains(&of_listed.size().parameters) => {
            let Some(fewer) = most_attended(&of_listed).checked_sub(1) else {
                return Ok(of_listed);
            };
            let most = of_listed.size().parameters / MUCH_SMALLER;
            let is_worth: IsWorth = &|size| is_worth(size) && size.parameters < most;
            let of_real = made(fewer, is_worth);
            task.other_or(Ok(of_listed), of_real)
        }
        Err(error)
            if error.code == Code::DomainTooLarge && task.limits.domain_values > MOST_LISTED =>
        {
            made(MOST_LISTED, is_worth).map_err(|other| match other.code == Code::Interrupted {
                true => other,
                // What is in the way of real numbers does not say what was in the way.
                false => error,
            })
        }
        made => made,
    }
}

/// How many values what a head writes has at most, if these are many.
fn most_attended(made: &Compiled) -> usize {
    let attended = made.plan.variables.iter();
    let attended = attended.filter(|variable| variable.written == Written::Attend);
    let values = attended.map(|variable| variable.values.len());
    values
        .filter(|count| *count > FEW_LISTED)
        .max()
        .unwrap_or(0)
}

/// A model in which a chain of elementwise s-ops is one hidden layer; or a layer for each, where that one is
/// refused, or large beside what it makes: it may have a hidden unit for each of the many numbers that what a chain
/// reads may be together.
fn fused_or_unfused(
    (request, is_worth): (&Request, IsWorth),
    task: Task,
    analysis: &Analysis,
) -> Fallible<Compiled> {
    let control = task.graph.control();
    let fused = Attempts::new(request, task, analysis).certified_or_tried(is_worth);
    let is_fine = |fused: &Compiled| {
        let is_plain = request.style == Style::Faithful && fused.care.is_plain();
        let enough = match is_plain && task.is_narrow(fused) {
            true => SOME_PARAMETERS,
            false => FEW_PARAMETERS,
        };
        let is_small = fused.size().parameters <= enough;
        fused.is_certified() && (is_small || fused.care == Care::OneHead)
    };
    if !request.passes.choose(Choice::Fuse) || fused.as_ref().is_ok_and(is_fine) {
        return fused;
    }
    control.check()?;
    let is_worth_more = |size: Size| match &fused {
        Ok(fused) if fused.is_certified() => size.is_worth_more_in(request.style, fused.size()),
        Ok(_) | Err(_) => true,
    };
    let is_worth = |size: Size| is_worth(size) && is_worth_more(size);
    let is_enough =
        |made: &Compiled| made.is_certified() && made.size().parameters <= SOME_PARAMETERS;
    let unfused = request.without(&FUSE);
    let attempts = Attempts::new(&unfused, task, analysis);
    let unfused = match fused.as_ref().is_ok_and(is_enough) {
        true => attempts.attempt(Care::Plain, &is_worth),
        false => attempts.certified_or_tried(&is_worth),
    };
    let made = task.other_or(fused, unfused)?;
    without_sums(request, task, analysis, made)
}

/// The same model, or a much smaller one whose result is read as a real number.
fn as_real(
    (request, is_worth): (&Request, IsWorth),
    task: Task,
    analysis: &Analysis,
    made: Compiled,
) -> Fallible<Compiled> {
    let parameters = made.size().parameters;
    let mut roots = task.roots.iter();
    if !(MANY_FOR_REAL.contains(&parameters)
        && made.is_certified()
        && made.care != Care::Real
        && roots.any(|root| may_be_real(analysis, *root)))
    {
        return Ok(made);
    }
    let is_worth = |size: Size| is_worth(size) && size.parameters < parameters / MUCH_SMALLER;
    let real = Attempts::new(request, task, analysis).attempt(Care::Real, &is_worth);
    task.other_or(Ok(made), real)
}

/// The same model, or a smaller one that is proved with less care as it does not read sums as they are.
fn without_sums(
    request: &Request,
    task: Task,
    analysis: &Analysis,
    made: Compiled,
) -> Fallible<Compiled> {
    let parameters = made.size().parameters;
    let is_large = (*MANY_FOR_PASSES.start()..=MANY_PARAMETERS).contains(&parameters);
    if !(is_large && made.care.is_careful() && made.is_certified()) {
        return Ok(made);
    }
    let is_worth = |size: Size| size.is_worth_more(made.size());
    let request = request.without(&LINEAR);
    let other = Attempts::new(&request, task, analysis).attempt(Care::Plain, &is_worth);
    task.other_or(Ok(made), other)
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
        let unfused = request.without(&FUSE);
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
