//! Schedules that are proved to take the least: against every schedule there is of small problems,
//! against the greedy ones on larger ones, and on programs.

mod made;
use crate::common::place;
mod plans;

use made::{Shape, random, read};
use place::Place;
use rasp::base::{Control, Random};
use rasp::graph::Sharing;
use rasp::schedule::bound::{critical_path, lower_bound};
use rasp::schedule::exact::{Options, Solution, solve};
use rasp::schedule::greedy;
use rasp::schedule::problem::{Cost, Kind, Problem, Slots, Stage};
use rasp::schedule::program::optimise;
use rasp::session::Session;

/// With and without merging heads.
const OPTIONS: [Options; 2] = [options(false), options(true)];

const fn options(merge_heads: bool) -> Options {
    Options {
        merge_heads,
        conflicts: Options::CONFLICTS,
    }
}

/// What is compared first to last.
fn key(cost: &Cost, options: &Options) -> Vec<usize> {
    options.stages().map(|stage| cost.get(stage)).collect()
}

/// A solution that is what it says.
fn solved(problem: &Problem, options: &Options) -> Solution {
    let solution = solve(problem, options, &Control::default());
    problem.check(&solution.slots).unwrap();
    assert_eq!(solution.cost, problem.cost(&solution.slots));
    assert_eq!(solution.cost.layers, lower_bound(problem).layers);
    for outcome in &solution.outcomes {
        assert_eq!(outcome.value, solution.cost.get(outcome.stage));
        assert!(outcome.at_least <= outcome.value, "{outcome:?}");
    }
    solution
}

// ---- the exact schedule ----

/// A few values, little to choose from: so that heads share selectors and layers run full.
fn small(seed: u64) -> Problem {
    let mut source = Random::new(seed);
    let placed = 3 + source.below(5);
    let heads = source.below(placed + 1);
    let shape = Shape {
        inputs: 1 + source.below(2),
        heads,
        forms: placed - heads,
        selectors: 3,
        operands: 3,
        units: 4,
        dims: 3,
        outputs: 1 + source.below(2),
    };
    random(&mut source, &shape)
}

#[test]
fn equals_the_best_of_all_schedules() {
    for seed in 0..1_000 {
        let problem = small(seed);
        let layers = lower_bound(&problem).layers;
        assert!(every(&problem, layers - 1).is_empty(), "{problem:#?}");
        let schedules = every(&problem, layers);
        for options in &OPTIONS {
            let solution = solved(&problem, options);
            let costs = schedules.iter().map(|slots| {
                let cost = cost(&problem, slots);
                key(&cost, options)
            });
            let best = costs.min().unwrap();
            assert_eq!(key(&solution.cost, options), best, "seed {seed}");
            assert!(solution.is_optimal(), "seed {seed}");
            let bound = key(&lower_bound(&problem), options);
            assert!(
                bound.iter().zip(&best).all(|(bound, best)| bound <= best),
                "seed {seed}: {bound:?} {best:?}"
            );
        }
    }
}

/// All schedules of at most so many layers.
fn every(problem: &Problem, layers: usize) -> Vec<Slots> {
    let mut schedules = vec![Vec::new()];
    for value in &problem.values {
        let candidates = match value.kind {
            Kind::Input => 0..=0,
            Kind::Head { .. } | Kind::Form { .. } => 1..=layers,
        };
        let mut longer = Vec::new();
        for schedule in &schedules {
            for layer in candidates.clone() {
                let in_time = value.operands.iter().all(|operand| {
                    problem.values[*operand].kind.birth(schedule[*operand])
                        <= value.kind.reads(layer)
                });
                if in_time {
                    longer.push([schedule.as_slice(), &[layer]].concat());
                }
            }
        }
        schedules = longer;
    }
    schedules.into_iter().map(Slots).collect()
}

/// The cost, state by state as it is defined.
fn cost(problem: &Problem, slots: &Slots) -> Cost {
    let layers = slots.layers();
    let at = |value: usize| (problem.values[value].kind, slots.0[value]);
    let all = 0..problem.values.len();
    let heads = |layer: usize| {
        let mut selectors: Vec<usize> = Vec::new();
        for value in all.clone() {
            match at(value) {
                (Kind::Head { selector }, slot) if slot == layer => selectors.push(selector),
                _ => {}
            }
        }
        selectors.sort_unstable();
        selectors.dedup();
        selectors.len()
    };
    let units = |layer: usize| {
        let units = all.clone().map(|value| match at(value) {
            (Kind::Form { units }, slot) if slot == layer => units,
            _ => 0,
        });
        units.sum::<usize>()
    };
    let alive = |value: usize, state: usize| {
        let birth = at(value).0.birth(at(value).1);
        let read_later = all.clone().any(|reader| {
            let reads = at(reader).0.reads(at(reader).1);
            problem.values[reader].operands.contains(&value) && reads >= state
        });
        birth == state || birth < state && (read_later || problem.outputs.contains(&value))
    };
    let dims = |state: usize| {
        let alive = all.clone().filter(|value| alive(*value, state));
        alive.map(|value| problem.values[value].dims).sum::<usize>()
    };
    Cost {
        layers,
        widest: (1..=layers).map(heads).max().unwrap_or(0),
        heads: (1..=layers).map(heads).sum(),
        units: (1..=layers).map(units).max().unwrap_or(0),
        dims: (0..=2 * layers).map(dims).max().unwrap_or(0),
    }
}

#[test]
fn is_never_worse_than_the_greedy_schedule() {
    for seed in 0..40 {
        let problem = medium(seed);
        for options in &OPTIONS {
            let greedy = greedy::schedule(&problem, options.merge_heads);
            problem.check(&greedy).unwrap();
            let greedy = key(&problem.cost(&greedy), options);
            let exact = key(&solved(&problem, options).cost, options);
            assert!(exact <= greedy, "seed {seed}: {exact:?} {greedy:?}");
            let asap = greedy::as_soon_as_possible(&problem);
            problem.check(&asap).unwrap();
            let asap = key(&problem.cost(&asap), options);
            assert!(greedy <= asap, "seed {seed}: {greedy:?} {asap:?}");
        }
    }
}

fn medium(seed: u64) -> Problem {
    let shape = Shape {
        inputs: 2,
        heads: 10,
        forms: 10,
        selectors: 6,
        operands: 3,
        units: 6,
        dims: 3,
        outputs: 2,
    };
    random(&mut Random::new(seed), &shape)
}

#[test]
fn two_runs_give_one_schedule() {
    for seed in 0..20 {
        for options in &OPTIONS {
            let runs = [0, 1].map(|_| solve(&medium(seed), options, &Control::default()));
            assert_eq!(runs[0].slots, runs[1].slots, "seed {seed}");
            assert_eq!(runs[0].outcomes, runs[1].outcomes, "seed {seed}");
        }
    }
}

#[test]
fn without_conflicts_it_is_the_greedy_schedule_and_says_what_is_open() {
    let open = (0..20).filter(|seed| {
        let problem = medium(*seed);
        let options = Options {
            merge_heads: false,
            conflicts: 0,
        };
        let solution = solved(&problem, &options);
        let greedy = problem.cost(&greedy::schedule(&problem, false));
        assert_eq!(key(&solution.cost, &options), key(&greedy, &options));
        !solution.is_optimal()
    });
    assert!(open.count() > 0);
}

/// Of a chain that has time, either the input or what a head made of it is alive, whichever that is.
#[test]
fn what_is_alive_wherever_it_is_computed_needs_no_search() {
    let problem = read(
        "input 3\nhead 0 3 0\nhead 1 1 1\n\
        input 1\nhead 2 5 3\nhead 3 5 4\nhead 4 5 5\nhead 5 1 6\noutputs 2 7",
    );
    let options = Options {
        merge_heads: false,
        conflicts: 0,
    };
    let solution = solved(&problem, &options);
    assert!(solution.is_optimal(), "{:?}", solution.outcomes);
    assert_eq!(solution.cost.dims, 5 + 3);
}

#[test]
fn a_sum_too_long_to_write_down_is_left_open() {
    let mut problem = read("input 1\nhead 0 1 0\nhead 0 1 1\noutputs 2");
    for number in 0..40 {
        let mut form = problem.values[1].clone();
        form.kind = Kind::Form {
            units: 100_003 + number * number * 3_701,
        };
        problem.values.push(form);
    }
    let solution = solved(&problem, &options(false));
    // The widest layer needs no question, but what comes after it must keep to its units.
    let open = solution.outcomes.iter().filter(|it| !it.is_optimal());
    let open: Vec<Stage> = open.map(|outcome| outcome.stage).collect();
    assert_eq!(open, [Stage::Dims]);
}

// ---- the problem ----

#[test]
fn a_chain_of_values_says_why_there_are_no_fewer_layers() {
    for seed in 0..100 {
        let problem = medium(seed);
        let path = critical_path(&problem);
        let mut layer = 1;
        for pair in path.windows(2) {
            let [first, second] = [pair[0], pair[1]];
            assert!(problem.values[second].operands.contains(&first));
            layer += problem.values[first].kind.lag(problem.values[second].kind);
        }
        assert_eq!(layer, lower_bound(&problem).layers);
    }
}

#[test]
fn slots_out_of_order_are_found() {
    let problem = read("input 1\nhead 0 1 0\nhead 1 1 0 1\noutputs 2");
    let check = |slots: &[usize]| problem.check(&Slots(slots.to_vec()));
    assert_eq!(check(&[0, 1, 2]), Ok(()));
    assert_eq!(
        check(&[0, 1, 1]).unwrap_err(),
        "value 2 reads state 0, value 1 is born at state 1"
    );
    assert_eq!(check(&[0, 0, 1]).unwrap_err(), "value 1 is in layer 0");
    assert_eq!(check(&[1, 1, 2]).unwrap_err(), "value 0 is in layer 1");
    assert_eq!(check(&[0, 1]).unwrap_err(), "2 slots for 3 values");
}

/// Two heads of one selector are one head in one layer, and two in two.
#[test]
fn a_cost_is_counted_by_hand() {
    let problem = read("input 2\nhead 0 1 0\nhead 0 3 0\nhead 1 1 1\nhead 2 1 2 3\noutputs 4 1");
    let cost = |slots: &[usize]| problem.cost(&Slots(slots.to_vec()));
    let expected = |heads, widest, dims| Cost {
        layers: 3,
        widest,
        heads,
        units: 0,
        dims,
    };
    // After layer 1: the input is gone, the two of selector 0 are there: 4. After layer 2 value 3
    // is, too, and value 1 stays as an output: 5. After layer 3 only the outputs stay.
    assert_eq!(cost(&[0, 1, 1, 2, 3]), expected(3, 1, 5));
    // Value 2 a layer later: the input stays for it, so that state 2 holds 3 and state 3 holds 5.
    assert_eq!(cost(&[0, 1, 2, 2, 3]), expected(4, 2, 5));
}

#[test]
fn nothing_to_place_takes_nothing() {
    let solution = solved(&read("input 3\noutputs 0"), &options(true));
    assert_eq!((solution.cost.layers, solution.cost.dims), (0, 3));
    let nothing = solved(&Problem::default(), &options(true));
    assert_eq!((nothing.cost.layers, nothing.cost.dims), (0, 0));
}

// ---- programs ----

/// The program `rover` in the repository of Weiss et al. 2021, as what its heads read: as early as
/// possible it is 10 heads wide, and 4 are enough.
#[test]
fn the_rover_program_needs_four_heads_a_layer() {
    let rover = read(include_str!("schedule/rover.txt"));
    let asap = rover.cost(&greedy::as_soon_as_possible(&rover));
    assert_eq!((asap.layers, asap.widest, asap.heads), (16, 10, 48));
    let solution = solved(&rover, &options(false));
    assert!(solution.is_optimal());
    assert_eq!((solution.cost.layers, solution.cost.widest), (16, 4));
    let merged = solved(&rover, &options(true));
    assert!(merged.is_optimal());
    assert_eq!(
        merged.cost,
        Cost {
            layers: 16,
            widest: 4,
            heads: 46,
            units: 0,
            dims: 76
        }
    );
}

/// A program's schedule keeps to its graph, and is no deeper and no wider than the early one.
#[test]
fn programs_keep_their_order() {
    for sharing in [Sharing::Equal, Sharing::None] {
        let mut session = Session::new(sharing);
        session.load_text(
            "program",
            "load \"dyck\"; load \"sorting\"; load \"hist\"; load \"logic\";",
        );
        for expression in [
            "dyckk_ptf(tokens, ['()', '{}'])",
            "sort(tokens, hist(tokens))",
            "proves(tokens, 2)",
            "indices + 1",
        ] {
            let sop = session.sop(expression).unwrap();
            let early = session.schedule(sop);
            let (schedule, searched) = optimise(session.graph(), &[sop], options(false));
            assert!(schedule.respects_dependencies(session.graph()));
            assert_eq!(schedule.layers.len(), early.layers.len(), "{expression}");
            assert!(schedule.heads().iter().max() <= early.heads().iter().max());
            assert_eq!(
                schedule.heads().iter().max().copied().unwrap_or(0),
                searched.solution.cost.widest
            );
            assert!(searched.solution.is_optimal(), "{expression}");
        }
    }
}

fn snapshot(name: &str, text: String) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("schedule");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Three heads that need not all be in the first layer.
const WIDE: &str = "\
load \"hist\";
by_count = sort(tokens, hist(tokens));
left = [shift(tokens, by, \"-\") for by in [1, 2, 3]];
answer = by_count == left[0] and left[1] == left[2];
";

/// One selector for an early value and for a late one.
const APART: &str = "\
load \"hist\";
left = select(indices, indices - 1, ==);
twice = tokens == aggregate(left, tokens, \"-\");
by_count = sort(tokens, hist(tokens) if twice else 0);
answer = aggregate(left, by_count, \"-\") == aggregate(left, twice, False);
";

#[test]
fn schedules_on_the_command_line() {
    let place = Place::with(&[
        ("sort.rasp", include_str!("../examples/sort.rasp")),
        ("wide.rasp", WIDE),
        ("apart.rasp", APART),
    ]);
    let exact = |arguments: &[&str]| {
        let arguments = [&["schedule"], arguments, &["--exact"]].concat();
        place.rasp(&arguments).shown()
    };
    snapshot("sort", exact(&["sort.rasp", "-e", "sorted"]));
    snapshot("wide", exact(&["wide.rasp", "-e", "answer", "--reference"]));
    snapshot("apart", exact(&["apart.rasp", "-e", "answer"]));
    snapshot(
        "merged",
        exact(&["apart.rasp", "-e", "answer", "--merge-heads"]),
    );
    snapshot("wide_json", exact(&["wide.rasp", "-e", "answer", "--json"]));
    snapshot(
        "wide_open",
        exact(&["wide.rasp", "-e", "answer", "--reference", "--budget", "0"]),
    );
    // With a vocabulary it is the model's.
    let setting = ["--vocab", "ab", "--max-len", "4"];
    let planned = |arguments: &[&str]| {
        let arguments = [&["induction.rasp", "-e", "induction"], arguments, &setting].concat();
        exact(&arguments)
    };
    place.file("induction.rasp", include_str!("../examples/induction.rasp"));
    snapshot("planned", planned(&[]));
    snapshot("planned_json", planned(&["--json"]));
    let compiled = |arguments: &[&str]| {
        let given = ["compile", "induction.rasp", "-e", "induction", "--exact"];
        let arguments = [&given, &setting[..], &["-o", "m", "--force"], arguments].concat();
        place.rasp(&arguments)
    };
    let told = compiled(&[]).out;
    snapshot(
        "compiled",
        told[told.find("layers 3 (").unwrap()..].to_string(),
    );
    let model = compiled(&["--json"]).lines().remove(0);
    let schedule = [
        &["schedule", "induction.rasp", "-e", "induction"],
        &setting[..],
    ]
    .concat();
    let schedule = [&schedule[..], &["--exact", "--json"]].concat();
    let schedule = place.rasp(&schedule).lines().remove(0);
    for field in ["layers", "heads", "stages", "critical_path"] {
        assert_eq!(model[field], schedule[field], "{field}");
        assert!(!model[field].is_null(), "{field}");
    }
    // The options of the search say nothing without a search.
    let ran = place.rasp(&["schedule", "sort.rasp", "-e", "sorted", "--budget", "3"]);
    assert_eq!(ran.status, 2);
}

/// A model that `rasp compile` refuses has a schedule all the same.
#[test]
fn what_is_not_proved_of_a_model_is_said() {
    let program = "x = indices * selector_width(select(tokens, tokens, ==)) / length;";
    let place = Place::with(&[("share.rasp", program)]);
    let of_length = |length: &str| {
        let arguments = ["schedule", "share.rasp", "-e", "x", "--vocab", "abcd"];
        let ran = place.rasp(&[&arguments[..], &["--max-len", length]].concat());
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.out
    };
    let said = "the model is proved to be exact in float64 (scores query both) only";
    assert!(of_length("24").contains(said));
    assert!(!of_length("5").contains("proved to be exact"));
}
