//! Programs with a `repeat` as looped models: the body is compiled once, and its layers run in every
//! round on the same weights. What goes from round to round stands in directions of its own, one for
//! each value but the first; the last feed-forward block of a round writes the next values there and
//! gives every other direction of the round what it began with. What comes before the rounds, a round,
//! and what comes after them are compiled as parts; `plan.rs` keeps their plans, and `stitch.rs` makes one
//! model of their weights. Depends on `compile` and `certify`.

mod plan;
mod stitch;

pub use plan::{LoopedPlan, proved_plan};

use crate::base::{Fallible, Limits};
use crate::compile::part_plan::{Asked, Wanted, beyond, part, refused};
use crate::compile::{Care, Request, or_nearest, verify};
use crate::graph::{Graph, Possible, Rounds, SOp, SOpId};
use crate::infer::{Analysis, Setting, Several};
use crate::model::Model;
use crate::value::Value;
use plan::Given;
use rustc_hash::FxHashSet;

/// Compiles an s-op to a model that runs the layers of a round again and again. One that is not certified
/// for the host that is asked for was held against the interpreter on some inputs.
///
/// # Errors
/// As [`crate::compile::compile_in`]; and where the s-op has no `repeat`, or the rounds of it are not one body
/// (E0602).
pub fn compile_looped(
    request: &Request,
    graph: &Graph,
    root: SOpId,
    setting: &Setting,
    limits: &Limits,
) -> Fallible<Model> {
    crate::infer::facts::check_setting(setting, limits)?;
    if request.without_bos {
        let span = graph.span(root);
        return Err(refused(span, "a looped model has a BOS token").into());
    }
    let cut = Cut::new(graph, root)?;
    let make = |setting: &Setting| cut.certified_or_tried(graph, request, setting, limits);
    let is_made = |model: &Model| request.host.is_among(&model.certified);
    or_nearest(setting, graph.control(), make, is_made)
}

/// Whether an s-op is there without being computed.
fn is_input(graph: &Graph, id: SOpId) -> bool {
    matches!(
        graph.get(id),
        SOp::Tokens | SOp::Indices | SOp::Constant(_) | SOp::Given(_)
    )
}

/// A program in three parts.
struct Cut<'g> {
    root: SOpId,
    rounds: &'g Rounds,
    /// What the body reads beside what it carries, and is computed once, before the rounds.
    captured: Vec<SOpId>,
}

impl<'g> Cut<'g> {
    /// The outermost `repeat` that the s-op needs, if all of its rounds are one body.
    fn new(graph: &'g Graph, root: SOpId) -> Fallible<Cut<'g>> {
        let needed: FxHashSet<SOpId> = graph.reachable(&[root]).into_iter().collect();
        let computes = |rounds: &&Rounds| {
            let mut last = rounds.carried.last().into_iter().flatten();
            last.any(|id| needed.contains(id) && !is_input(graph, *id))
        };
        // The last one; of several that end with the same s-op the outermost, which comes later.
        let end = |rounds: &&Rounds| {
            rounds
                .carried
                .last()
                .and_then(|last| last.iter().max())
                .copied()
        };
        let Some(rounds) = graph.rounds().filter(computes).max_by_key(end) else {
            let refused = refused(graph.span(root), "no `repeat` leads to this");
            let help = "leave `--looped` out, or write the rounds with `repeat`";
            return Err(refused.help(help).into());
        };
        let mut cut = Cut {
            root,
            rounds,
            captured: Vec::new(),
        };
        cut.check(graph)?;
        cut.captured = cut.captures(graph);
        Ok(cut)
    }

    /// The first model that is certified, with ever more care; without one, one that was tried.
    fn certified_or_tried(
        &self,
        graph: &Graph,
        request: &Request,
        setting: &Setting,
        limits: &Limits,
    ) -> Fallible<Model> {
        let values = self.values(graph, setting, limits)?;
        let (mut right, mut wrong) = (None, None);
        for care in [Care::Plain, Care::Careful, Care::Exact] {
            graph.control().check()?;
            let asked = Asked {
                request,
                setting,
                limits,
                care,
            };
            let made = self.model(graph, &values, &asked);
            let model = match (made, &right) {
                (Ok(model), _) => model,
                // More care can take more than there is; the model is there without it.
                (Err(_), Some(_)) => break,
                (Err(error), None) => return Err(error),
            };
            if request.host.is_among(&model.certified) {
                return Ok(model);
            }
            match verify::guard(graph, &[self.root], &model, request.host) {
                Ok(()) => right = right.or(Some(model)),
                Err(error) => wrong = wrong.or(Some(error)),
            }
        }
        let none = || refused(graph.span(self.root), "no model of it is exact").into();
        right.ok_or_else(|| wrong.unwrap_or_else(none))
    }

    /// The carried s-ops before the first round, before the last one and after it.
    fn ends(&self) -> [&'g [SOpId]; 3] {
        let carried = &self.rounds.carried;
        let last = carried.len() - 1;
        [
            &carried[0],
            &carried[last.saturating_sub(1)],
            &carried[last],
        ]
    }

    /// Whether the last round, put behind what any other one begins with, is that one.
    fn check(&self, graph: &Graph) -> Fallible<()> {
        let [_, inner, last] = self.ends();
        let refuse =
            |reason: &str| -> Fallible<()> { Err(refused(self.rounds.span, reason).into()) };
        if self.rounds.carried.len() < 3 {
            return refuse("a single round repeats nothing");
        }
        for (at, id) in inner.iter().enumerate() {
            if inner[..at].contains(id) {
                return refuse("two of its names are the same from some round on");
            }
        }
        let mut copy = graph.clone();
        for round in self.rounds.carried.windows(2) {
            graph.control().check()?;
            let known = inner.iter().copied().zip(round[0].iter().copied());
            if graph.copy(&mut copy, last, known.collect()) != round[1] {
                return refuse("its rounds do not all compute the same");
            }
        }
        Ok(())
    }

    /// The s-ops that attend, depend on nothing that is carried, and are read by what does.
    fn captures(&self, graph: &Graph) -> Vec<SOpId> {
        let [_, inner, last] = self.ends();
        let body = graph.reachable_beyond(last, |id| inner.contains(&id));
        let mut depends: FxHashSet<SOpId> = inner.iter().copied().collect();
        let mut attends: FxHashSet<SOpId> = FxHashSet::default();
        let mut captured = Vec::new();
        for id in body {
            if depends.contains(&id) {
                continue;
            }
            let operands = graph.dependencies(id);
            if operands.iter().any(|id| depends.contains(id)) {
                depends.insert(id);
                captured.extend(operands.into_iter().filter(|id| attends.contains(id)));
                continue;
            }
            let is_head = !is_input(graph, id) && !matches!(graph.get(id), SOp::Map { .. });
            if is_head || operands.iter().any(|id| attends.contains(id)) {
                attends.insert(id);
            }
        }
        captured.sort_unstable();
        captured.dedup();
        captured
    }

    /// What each carried s-op can be in any round, and then each captured one. Each round is looked at with
    /// what the one before gives, up to one that begins with nothing new.
    fn values(&self, graph: &Graph, setting: &Setting, limits: &Limits) -> Fallible<Vec<Possible>> {
        let [first, inner, last] = self.ends();
        let captured = domains(graph, &self.captured, setting, limits)?;
        let given: Vec<SOpId> = inner.iter().chain(&self.captured).copied().collect();
        let mut seen = vec![domains(graph, first, setting, limits)?];
        for round in 1..self.rounds.carried.len() {
            graph.control().check()?;
            let values: Vec<_> = seen[round - 1].iter().chain(&captured).cloned().collect();
            let (body, roots, _) = beyond(graph, last, (&given, &values));
            let next = domains(&body, &roots, setting, limits)?;
            let within = |known: &Vec<Possible>| {
                let mut names = next.iter().zip(known);
                names.all(|(next, known)| {
                    let mut values = next.values.iter();
                    (known.may_fail || !next.may_fail)
                        && (known.of_any_kind || !next.of_any_kind)
                        && values.all(|value| known.values.contains(value))
                })
            };
            let nothing_new = seen.iter().any(within);
            seen.push(next);
            if nothing_new {
                break;
            }
        }
        let all = (0..first.len()).map(|name| {
            let rounds = || seen.iter().map(|round| &round[name]);
            let mut values: Vec<Value> = rounds().flat_map(|known| known.values.clone()).collect();
            values.sort_by(Value::canonical_order);
            let of_any_kind = rounds().any(|known| known.of_any_kind);
            // Equal numbers of several kinds are one value where nothing tells them apart.
            values.dedup_by(|one, other| one == other || of_any_kind && one.equals(other));
            Possible {
                values,
                may_fail: rounds().any(|known| known.may_fail),
                of_any_kind,
            }
        });
        Ok(all.chain(captured.iter().cloned()).collect())
    }

    fn model(&self, graph: &Graph, values: &[Possible], asked: &Asked) -> Fallible<Model> {
        let [first, inner, last] = self.ends();
        let of =
            |sops: &[SOpId]| -> Vec<SOpId> { sops.iter().chain(&self.captured).copied().collect() };
        let carried = first.len();
        let before = part(graph, &of(first), (&[], &[]), Wanted::Values(values), asked)?;
        let round = Wanted::Values(&values[..carried]);
        let round = part(graph, last, (&of(inner), values), round, asked)?;
        let given = (&*of(last), values);
        let after = part(graph, &[self.root], given, Wanted::Result, asked)?;
        let names = of(last).into_iter().map(|id| graph.describe(id));
        let plan = LoopedPlan {
            looped: [before, round, after],
            given: names
                .zip(values)
                .map(|(name, possible)| Given::new(name, &possible.values))
                .collect(),
            carried,
            times: self.rounds.carried.len() - 1,
        };
        let name = graph.describe(self.root);
        let carried = values[..carried].iter();
        let carried: Vec<_> = carried.map(|known| known.values.clone()).collect();
        let model = plan.proved(name, &carried, asked.request.host.order);
        model.map_err(|problem| refused(graph.span(self.root), &problem).into())
    }
}

/// What s-ops can be.
fn domains(
    graph: &Graph,
    roots: &[SOpId],
    setting: &Setting,
    limits: &Limits,
) -> Fallible<Vec<Possible>> {
    let analysis = Analysis::holding(Several::Means, (graph, None), roots, setting, limits);
    let domain = |id: &SOpId| match analysis.node(*id) {
        Ok(node) => Ok(Possible {
            values: node.column.values.domain.to_vec(),
            may_fail: analysis.may_fail(&node.column),
            of_any_kind: analysis.is_of_any_kind(*id),
        }),
        Err(stopped) => Err(stopped.diagnostic(graph, *id)),
    };
    roots.iter().map(domain).collect()
}
