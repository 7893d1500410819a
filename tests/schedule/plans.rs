//! Plans in layers: all programs of the library and the examples, laid out as models are and with a
//! search, beside layouts that this file finds by itself.

use super::{Cost, Options, Problem, Solution, cost, every, key, options};
use crate::common::programs;
use rasp::base::{Control, Limits};
use rasp::inside::compile::{compile_in, lower};
use rasp::inside::plan::run;
use rasp::plan::{Plan, Style, VariableId, Written};
use rasp::schedule::report::Searched;
use rasp::session::{Compiled, Setting};

/// A program that takes minutes to compile without optimisation.
const LONG: &str = "rover";

/// Schedules of a problem that are all looked at.
const MOST_VALUES: usize = 7;

/// Every model with what it was made from.
fn compiled(style: Style) -> impl Iterator<Item = (String, Compiled)> {
    let programs = programs::programs().into_iter();
    let programs = programs.filter(|program| !program.name.contains(LONG));
    programs.filter_map(move |program| {
        let opened = program.open(3);
        let setting = Setting {
            vocabulary: opened.vocabulary.clone(),
            max_length: 4,
            causal: false,
        };
        let graph = opened.session.graph();
        let limits = Limits::default();
        let compiled = compile_in(&style.into(), graph, &[opened.sop], &setting, &limits);
        Some((program.name, compiled.ok()?))
    })
}

fn searched(compiled: &Compiled, options: Options) -> (Plan, Searched) {
    let mut plan = compiled.draft().clone();
    let passes = compiled.passes().clone().searching(options);
    let control = Control::default();
    let searched = passes.iter().fold(None, |searched, pass| {
        run(pass, &mut plan, &control).or(searched)
    });
    (plan, searched.unwrap())
}

/// The plan with every operation as early as what it reads lets it.
fn earliest(compiled: &Compiled) -> Plan {
    let mut plan = compiled.draft().clone();
    for pass in compiled.passes().iter() {
        match pass.name {
            "schedule" => lay_out_early(&mut plan),
            _ => drop(run(pass, &mut plan, &Control::default())),
        }
    }
    plan
}

/// By trying again until nothing moves.
fn lay_out_early(plan: &mut Plan) {
    plan.attends.iter_mut().for_each(|op| op.layer = 1);
    plan.feed_forwards.iter_mut().for_each(|op| op.layer = 1);
    loop {
        let ready = plan.readiness();
        let latest = |reads: Vec<VariableId>| {
            let reads = reads.iter().map(|id| ready[id.0 as usize]);
            reads.max().unwrap_or(0)
        };
        let before = plan.clone();
        for op in &mut plan.attends {
            op.layer = latest(op.reads().collect()).div_ceil(2) + 1;
        }
        for op in &mut plan.feed_forwards {
            op.layer = latest(op.argument.reads().collect()) / 2 + 1;
        }
        if *plan == before {
            return;
        }
    }
}

/// The most heads and the most hidden units of a layer of a model.
fn widest(plan: &Plan) -> (usize, usize) {
    let model = lower(plan);
    let most = |sizes: Vec<usize>| sizes.into_iter().max().unwrap_or(0);
    let heads = model.layers.iter().map(|layer| layer.heads.len());
    let units = model.layers.iter().map(|layer| layer.mlp.d_mlp());
    (most(heads.collect()), most(units.collect()))
}

fn hold(style: Style) {
    let mut smaller = 0;
    let mut tried = 0;
    for (name, compiled) in compiled(style) {
        let plan = compiled.plan();
        let early = earliest(&compiled);
        early.check().unwrap();
        assert_eq!(plan.layers(), early.layers(), "{name}");
        let sizes = [&early, plan].map(|plan| lower(plan).padded_parameters());
        assert!(sizes[1] <= sizes[0], "{name}: {sizes:?}");
        smaller += usize::from(sizes[1] < sizes[0]);
        assert_eq!(sizes[1], compiled.model.padded_parameters());

        for options in [options(false), options(true)] {
            let (exact, found) = searched(&compiled, options);
            exact
                .check()
                .unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
            let Searched {
                problem, solution, ..
            } = &found;
            problem.check(&solution.slots).unwrap();
            assert!(solution.is_optimal(), "{name}: {:?}", solution.outcomes);
            is_the_models(&name, &exact, solution);
            assert!(widest(&exact).0 <= widest(plan).0, "{name}");
            tried += usize::from(is_best_of_all(&name, problem, solution, &options));
        }
        let runs = [0, 1].map(|_| searched(&compiled, options(false)).0);
        assert_eq!(runs[0], runs[1], "{name}");
    }
    assert!(smaller >= 5, "{smaller}");
    assert!(tried >= 50, "{tried}");
}

/// What a search says of its schedule is what the weights take.
fn is_the_models(name: &str, plan: &Plan, solution: &Solution) {
    let Cost {
        layers,
        widest: heads,
        units,
        ..
    } = solution.cost;
    assert_eq!(plan.layers(), layers, "{name}");
    let (most_heads, most_units) = widest(plan);
    assert_eq!(most_heads, heads, "{name}");
    // What stands where something else was takes that away with one unit.
    let is_computed = |id: VariableId| plan.variable(id).written == Written::FeedForward;
    let added = plan.shared.iter().filter(|(late, _)| is_computed(*late));
    let units = units..=units + added.count();
    assert!(units.contains(&most_units), "{name}");
    assert_eq!(plan.heads().iter().sum::<usize>(), solution.cost.heads);
}

/// Whether all schedules of a small problem were tried, of which none is better.
fn is_best_of_all(name: &str, problem: &Problem, solution: &Solution, options: &Options) -> bool {
    if problem.values.len() > MOST_VALUES {
        return false;
    }
    let schedules = every(problem, solution.cost.layers);
    let costs = schedules
        .iter()
        .map(|slots| key(&cost(problem, slots), options));
    assert_eq!(costs.min(), Some(key(&solution.cost, options)), "{name}");
    true
}

#[test]
fn faithful_plans_are_laid_out_as_narrow_as_can_be() {
    hold(Style::Faithful);
}

#[test]
fn compact_plans_are_laid_out_as_narrow_as_can_be() {
    hold(Style::Compact);
}
