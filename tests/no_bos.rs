//! Models without a BOS token of every program of the library and the examples: right in float32 and
//! float64, certified, and with heads that look where the program's selectors say; or refused, and why.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::budget;
use crate::common::place;
use crate::common::programs;
use crate::common::verify;

use budget::{Budget, of_each};
use place::Place;
use programs::{Opened, Program, programs};
use rasp::base::{Limits, Random};
use rasp::execute::Precision;
use rasp::execute::trace::trace;
use rasp::graph::{SelectorId, Sharing, WithFirst};
use rasp::inside::certify::certify;
use rasp::inside::compile::{certified, compile_in};
use rasp::inside::infer::inputs;
use rasp::inside::interpret::{evaluate, evaluate_selector};
use rasp::model::{HostOrder, from_bytes, to_bytes};
use rasp::plan::{
    Attend, Kind, Meaning, PatternSource, Plan, Source, Style, Term, Variable, VariableId, Written,
};
use rasp::session::{Certificate, Compiled, Request, Session, Setting, VerifyOptions};
use rasp::value::Value;
use std::collections::BTreeMap;

/// How far from a uniform row one may be.
const UNIFORM: f64 = 1e-6;

/// On fewer inputs attention is looked at here.
const QUICK: Budget = Budget {
    seen: 8,
    ..budget::QUICK
};
const THOROUGH: Budget = Budget {
    seen: 100,
    ..budget::THOROUGH
};
const LONG: Budget = Budget {
    seen: 20,
    ..budget::LONG
};

/// What became of a program.
#[derive(Debug)]
enum Outcome {
    Refused(String),
    Made(Vec<String>),
}

fn outcome(program: &Program, budget: Budget) -> Outcome {
    let opened = program.open(budget.tokens);
    let setting = Setting {
        vocabulary: opened.vocabulary.clone(),
        max_length: budget.length,
        causal: budget.causal,
    };
    let request = Request {
        without_bos: true,
        ..Request::default()
    };
    let graph = opened.session.graph();
    match compile_in(&request, graph, &[opened.sop], &setting, &Limits::default()) {
        Err(refusal) => {
            let label = refusal.labels.first().map(|label| label.text.clone());
            Outcome::Refused(format!(
                "{} {}",
                refusal.code,
                label.unwrap_or(refusal.message)
            ))
        }
        // `rasp compile` writes none of these.
        Ok(compiled) if !compiled.is_certified() => {
            Outcome::Refused("E0604 not proved".to_string())
        }
        Ok(compiled) => Outcome::Made(problems(&opened, &setting, &compiled, budget)),
    }
}

fn problems(
    opened: &Opened,
    setting: &Setting,
    compiled: &Compiled,
    budget: Budget,
) -> Vec<String> {
    let mut problems = Vec::new();
    if compiled.model.bos {
        problems.push("it has a BOS token".to_string());
    }
    for precision in [Precision::F32, Precision::F64] {
        let options = VerifyOptions {
            max_length: budget.length,
            exhaustive: budget.exhaustive,
            samples: budget.samples,
            seed: 1,
            precision,
        };
        let found = verify(
            opened.session.graph(),
            opened.sop,
            &compiled.model,
            &options,
        )
        .unwrap();
        if found.wrong > 0 {
            let first = found.first_wrong.unwrap();
            let (wrong, of) = (found.wrong, found.checked);
            problems.push(format!("{precision:?}: {wrong} of {of} wrong: {first:?}"));
        }
    }
    problems.extend(pattern_problems(opened, setting, compiled, budget));
    problems
}

/// Where heads look at other keys than the program's selectors say.
fn pattern_problems(
    opened: &Opened,
    setting: &Setting,
    compiled: &Compiled,
    budget: Budget,
) -> Vec<String> {
    let first = WithFirst::new(opened.session.graph(), &[opened.sop]);
    let mut random = Random::new(5);
    let mut problems = Vec::new();
    for _ in 0..budget.seen {
        let input = inputs::sample(&mut random, &setting.vocabulary, 0, setting.max_length);
        // Where the program fails no pattern is asked for.
        if evaluate(opened.session.graph(), opened.sop, &input).is_err() {
            continue;
        }
        let trace = trace(&compiled.model, &input, Precision::F32).unwrap();
        let mut groups: BTreeMap<_, BTreeMap<usize, &Attend>> = BTreeMap::new();
        for attend in &compiled.plan().attends {
            let PatternSource::Selector(selector) = attend.row else {
                continue;
            };
            let group = groups.entry((selector, attend.kind == Kind::Width));
            group.or_default().insert(attend.pattern, attend);
        }
        for ((selector, is_width), heads) in groups {
            // Keys that a program fails to compare are not compared here either.
            let selector = SelectorId(selector);
            let Ok(rows) = evaluate_selector(&first.graph, selector, &input, &Limits::default())
            else {
                continue;
            };
            for (query, mut row) in rows.into_iter().enumerate() {
                if is_width {
                    assert!(!row[0], "position 0 is counted apart");
                }
                row[0] |= !is_width && row.iter().all(|selected| !selected);
                let patterns = heads.values().map(|attend| {
                    let places = compiled.plan().attends.iter();
                    let places = places.filter(|other| other.layer == attend.layer);
                    let places: std::collections::BTreeSet<usize> =
                        places.map(|other| other.pattern).collect();
                    let place = places.range(..attend.pattern).count();
                    trace.steps[2 * attend.layer - 1].heads[place]
                        .weights
                        .row(query)
                        .to_vec()
                });
                let patterns: Vec<Vec<f64>> = patterns.collect();
                if !patterns
                    .iter()
                    .all(|weights| is_fine(weights, &row, is_width, heads.len()))
                    && problems.len() < 3
                {
                    let name = &heads.values().next().unwrap().source.name;
                    let on = format!("{name} on {input:?} at {query}");
                    problems.push(format!("{on}: {patterns:?} for {row:?}"));
                }
            }
        }
    }
    problems
}

/// Whether a row is uniform over what is selected, or a part of that where several heads count, and
/// position 0 where a width is counted.
fn is_fine(weights: &[f64], selected: &[bool], is_width: bool, heads: usize) -> bool {
    let held = weights.iter().zip(selected).enumerate();
    let held: Vec<bool> = held
        .map(|(key, (weight, selected))| match heads {
            1 => *selected || (is_width && key == 0),
            _ => *weight > UNIFORM && (*selected || (is_width && key == 0)),
        })
        .collect();
    let count = held.iter().filter(|held| **held).count() as f64;
    let mut pairs = weights.iter().zip(held);
    pairs.all(|(weight, held)| {
        let expected = if held { 1.0 / count } else { 0.0 };
        (weight - expected).abs() <= UNIFORM
    })
}

fn report(budget: Budget) -> (Vec<String>, Vec<String>) {
    let (mut refused, mut problems) = (Vec::new(), Vec::new());
    for (name, outcome) in of_each(&programs(), |program| outcome(program, budget)) {
        match outcome {
            Outcome::Refused(why) => refused.push(format!("{name}: {why}")),
            Outcome::Made(found) => {
                problems.extend(
                    found
                        .into_iter()
                        .map(|problem| format!("{name}: {problem}")),
                );
            }
        }
    }
    (refused, problems)
}

#[test]
fn models_without_bos_are_right_or_refused() {
    let (refused, problems) = report(QUICK);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    snapshot("refused", &refused.join("\n"));
}

/// As [`models_without_bos_are_right_or_refused`], on all inputs.
#[test]
#[ignore = "takes minutes"]
fn models_without_bos_are_right_on_all_inputs() {
    let (_, problems) = report(THOROUGH);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// As [`models_without_bos_are_right_or_refused`], for more tokens and longer inputs.
#[test]
#[ignore = "takes minutes"]
fn long_models_without_bos_are_right_or_refused() {
    let (_, problems) = report(LONG);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// As [`models_without_bos_are_right_or_refused`], for models that look back only.
#[test]
#[ignore = "takes minutes"]
fn causal_models_without_bos_are_right_or_refused() {
    let (_, problems) = report(THOROUGH.causal());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn made(expression: &str, request: &Request) -> Compiled {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("p.rasp", PROGRAMS);
    let sop = session.sop(expression).unwrap();
    let setting = Setting {
        vocabulary: Value::characters("abc"),
        max_length: 4,
        causal: false,
    };
    let graph = session.graph();
    compile_in(request, graph, &[sop], &setting, &Limits::default()).unwrap()
}

fn without_bos() -> Request {
    Request {
        without_bos: true,
        ..Request::default()
    }
}

/// What may select nothing, in every kind of head, on every input.
#[test]
fn defaults_are_taken_where_nothing_is_selected() {
    let setting = Setting {
        vocabulary: Value::characters("abc"),
        max_length: 4,
        causal: false,
    };
    let budget = Budget {
        exhaustive: 200,
        samples: 0,
        seen: 60,
        ..QUICK
    };
    for expression in ["best", "fetched", "halved", "left", "recent", "either"] {
        let compiled = made(expression, &without_bos());
        assert!(compiled.is_certified(), "{expression}");
        let mut session = Session::new(Sharing::Equal);
        session.load_text("p.rasp", PROGRAMS);
        let opened = Opened {
            sop: session.sop(expression).unwrap(),
            session,
            vocabulary: setting.vocabulary.clone(),
        };
        let budget = Budget {
            length: setting.max_length,
            ..budget
        };
        let problems = problems(&opened, &setting, &compiled, budget);
        assert!(problems.is_empty(), "{expression}: {problems:?}");
    }
    // What always has a weight needs no sink.
    let recent = made("recent", &without_bos()).plan().clone();
    assert!(recent.attends.iter().all(|op| op.kind == Kind::MeanOfSome));
}

/// Whether any key of a disjunction is selected, however that is written. As one relation of pairs this
/// took from 24,003 parameters to 451,119.
#[test]
fn disjunctions_are_asked_about_part_by_part() {
    const ASKED: &str = "
        h = selector_width(select(tokens, tokens, ==));
        earlier = select(indices, indices, <);
        either = has_focus(select(h, h, >) or earlier);
        both = has_focus((select(h, 1, ==) or select(tokens, \"b\", ==)) and earlier);
        neither = has_focus(not (select(h, h, <=) and select(indices, indices, >=)));
        numbers = aggregate(select(h, indices, ==) or select(tokens, \"c\", ==), 0.5, 2.5);
        share = aggregate(select(indices, indices, <=), indicator(tokens == \"a\"));
        fractions = has_focus(select(tokens, \"b\", ==) or select(share, 0, !=));
        always = selector_width(
            select(2 * h, 2 * h, >) or select(2 * h, 1, <) or select(h, share, >=));";
    let setting = Setting {
        vocabulary: Value::characters("abc"),
        max_length: 8,
        causal: false,
    };
    let budget = Budget {
        length: setting.max_length,
        exhaustive: 400,
        samples: 200,
        seen: 20,
        ..QUICK
    };
    for expression in [
        "either",
        "both",
        "neither",
        "numbers",
        "fractions",
        "always",
    ] {
        let mut session = Session::new(Sharing::Equal);
        session.load_text("p.rasp", ASKED);
        let sop = session.sop(expression).unwrap();
        let (graph, limits) = (session.graph(), Limits::default());
        let compiled = compile_in(&without_bos(), graph, &[sop], &setting, &limits).unwrap();
        assert!(compiled.is_certified(), "{expression}");
        let size = compiled.model.padded_parameters();
        assert!(size < 16_000, "{expression}: {size}");
        let opened = Opened {
            sop,
            session,
            vocabulary: setting.vocabulary.clone(),
        };
        let problems = problems(&opened, &setting, &compiled, budget);
        assert!(problems.is_empty(), "{expression}: {problems:?}");
    }
}

#[test]
fn the_compact_style_is_the_faithful_one() {
    let request = Request {
        style: Style::Compact,
        ..without_bos()
    };
    assert_eq!(
        made("seen", &request).model,
        made("seen", &without_bos()).model
    );
}

#[test]
fn a_model_from_its_bytes_is_proved() {
    let compiled = made("seen", &without_bos());
    let model = from_bytes(&to_bytes(&compiled.model).unwrap()).unwrap();
    assert_eq!(model, compiled.model);
    assert!(certified(&model).unwrap().iter().all(Certificate::holds));
    // The plan of a model without BOS is of no other.
    let mut other = model.clone();
    other.bos = true;
    assert!(certified(&other).is_err());
}

/// Whether anything is proved of a plan in which something was changed.
fn holds_after(expression: &str, change: impl FnOnce(&mut Plan)) -> bool {
    let mut plan = made(expression, &without_bos()).plan().clone();
    change(&mut plan);
    plan.check().is_ok()
        && certify(&plan, HostOrder::Scores)
            .iter()
            .any(Certificate::holds)
}

fn head(plan: &mut Plan, kind: Kind) -> &mut Attend {
    let found = plan.attends.iter_mut().find(|attend| attend.kind == kind);
    found.unwrap()
}

/// Changes every operation of a head in the same way.
fn in_head(plan: &mut Plan, kind: Kind, change: impl Fn(&mut Attend)) {
    let heads = plan.attends.iter_mut().filter(|attend| attend.kind == kind);
    heads.for_each(change);
}

#[test]
fn nothing_is_proved_where_position_0_stands_elsewhere() {
    for expression in ["same", "seen", "before", "best"] {
        assert!(holds_after(expression, |_| ()), "{expression}");
    }
    // Its key is not silenced.
    let loud = |plan: &mut Plan| {
        let first = plan.variables.iter().position(|v| v.label == "position 0");
        let first = VariableId(first.unwrap() as u32);
        for forward in &mut plan.feed_forwards {
            forward.argument.terms.remove(&first);
        }
    };
    assert!(!holds_after("same", loud));
    assert!(!holds_after("seen", loud));
    // Another key counts.
    assert!(!holds_after("same", |plan| {
        let value = &mut head(plan, Kind::Width).value;
        *value = value.scaled(0.5);
    }));
    // It stands where it is no key of what selects nothing, or as high as what is selected.
    for level in [-1.0, -0.25] {
        assert!(!holds_after("before", |plan| in_head(
            plan,
            Kind::Mean,
            |attend| {
                let is_level = |term: &&mut Term| matches!(term.meaning, Meaning::Bos { .. });
                let term = attend.terms.iter_mut().find(is_level).unwrap();
                let product = &mut term.products[0];
                let levels = product.queries.iter().map(|known| known * -2.0 * level);
                product.queries = levels.collect();
                product.query = product.query.scaled(-2.0 * level);
            }
        )));
    }
    // Its own score may lift it above what is selected.
    assert!(!holds_after("best", |plan| in_head(
        plan,
        Kind::Mean,
        |attend| {
            let is_level = |term: &&mut Term| matches!(term.meaning, Meaning::Bos { .. });
            let term = attend.terms.iter_mut().find(is_level).unwrap();
            let product = &mut term.products[0];
            product.queries = product.queries.iter().map(|level| 0.5 * level).collect();
            product.query = product.query.scaled(0.5);
        }
    )));
    // Nothing says where it stands.
    for expression in ["before", "best"] {
        assert!(!holds_after(expression, |plan| in_head(
            plan,
            Kind::Mean,
            |attend| {
                let is_level = |term: &Term| matches!(term.meaning, Meaning::Bos { .. });
                attend.terms.retain(|term| !is_level(term));
            }
        )));
    }
    // A BOS token that there is not.
    assert!(!holds_after("before", |plan| {
        plan.variables.push(Variable {
            label: "BOS".to_string(),
            source: Source::default(),
            written: Written::Flag,
            bos: 1.0,
            values: [0.0].into(),
            rounding: None,
            asked_for: false,
        });
    }));
}

fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("no_bos");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Programs whose plans are looked at: a width, a default by the index, one by the tokens, and what
/// needs no sink.
const PROGRAMS: &str = "
same = selector_width(select(tokens, tokens, ==));
before = aggregate(select(indices + 1, indices, ==), tokens, \"?\");
seen = aggregate(select(tokens, tokens, ==) and select(indices, indices, <), 1, 0);
mirror = aggregate(select(length - 1 - indices, indices, ==), tokens);
best = aggregate(select_best(select(tokens, \"a\", ==), score(indices, indices, lambda k, q: k)), indices, -1);
earlier = select((tokens, indices), (tokens, indices), lambda tk, ik, tq, iq: tk == tq and ik < iq);
first = select_best(earlier, score(indices, indices, lambda k, q: -k));
fetched = aggregate(first, tokens, \"?\");
halved = aggregate(score(indices, indices, lambda k, q: 2 ^ (k - q) if k < q else 0), indicator(tokens == \"a\"), 7);
left = aggregate(score(indices, indices, lambda k, q: 2 if k == q - 1 else 0), tokens, \"?\");
recent = aggregate(score(indices, indices, lambda k, q: 2 ^ (k - q) if k <= q else 0), indicator(tokens == \"a\"));
either = aggregate(select(tokens, \"a\", ==) or select(indices, indices, <), indices, -2);
";

#[test]
fn plans_say_what_position_0_does() {
    let place = Place::with(&[("p.rasp", PROGRAMS)]);
    let mut text = String::new();
    for expression in ["same", "before", "seen", "mirror"] {
        let setting = ["--vocab", "abc", "--max-len", "4", "--no-bos"];
        let schedule = ["schedule", "p.rasp", "-e", expression];
        let ran = place.rasp(&[&schedule[..], &setting].concat());
        text += &ran.shown();
    }
    snapshot("plans", &text);
}

/// What is fetched from position 0 is fetched by the selector that the programs have, too.
#[test]
fn what_position_0_holds_may_be_asked_for() {
    let program = "
        a = tokens[0];
        b = load_from_location(tokens, 0);
        c = aggregate(select(indices, 0, ==), indices + 1, -1);
        d = selector_width(select(indices, 0, ==));
        e = tokens[0] == tokens[1];
        f = aggregate(select(indices, 0, ==) or select(tokens, tokens, ==), indices);
        g = aggregate(select(indices, 0, ==) and select(tokens, \"a\", ==), tokens, \"-\");";
    let place = Place::with(&[("p.rasp", program)]);
    for expression in ["a", "b", "c", "d", "e", "f", "g"] {
        let verify = ["verify", "p.rasp", "-e", expression, "--no-bos"];
        for longest in ["1", "4"] {
            let setting = ["--vocab", "ab", "--max-len", longest];
            let ran = place.rasp(&[&verify[..], &setting].concat());
            assert!(
                ran.out.starts_with("proved: right on all"),
                "{}",
                ran.shown()
            );
        }
    }
}

#[test]
fn a_file_says_that_there_is_no_bos() {
    let place = Place::with(&[("p.rasp", PROGRAMS)]);
    let setting = ["--vocab", "ab", "--max-len", "3", "--no-bos"];
    let program = ["p.rasp", "-e", "before"];
    let mut text = String::new();
    let compile = [
        &["compile"],
        &program[..],
        &setting,
        &["-o", "before.model"],
    ]
    .concat();
    let verify = [&["verify"], &program[..], &setting].concat();
    let other = ["compile", "p.rasp", "-e", "best"];
    let compact = ["--style", "compact", "-o", "best.model"];
    let other = [&other[..], &setting, &compact].concat();
    for command in [
        &compile[..],
        &["info", "before.model"],
        &["certify", "before.model"],
        &["exec", "before.model", "-i", "bab", "--trace"],
        &["exec", "before.model", "-i", ""],
        &verify,
        &other,
    ] {
        text += &place.rasp(command).shown();
    }
    snapshot("file", &text);
}

/// What looks ahead in long inputs only says how long inputs may be.
#[test]
fn what_looks_ahead_in_long_inputs_says_how_long_inputs_may_be() {
    let place = Place::with(&[(
        "head.rasp",
        "x = aggregate(select(indices, 5, ==), tokens, \"-\");",
    )]);
    let compile = "rasp compile head.rasp -e x --vocab abcd --max-len 16 --no-bos --causal -o m";
    let ran = place.shell(compile);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(ran.err.contains("[E0603]"), "{}", ran.err);
    assert!(
        ran.err.contains("inputs of up to 5 tokens compile"),
        "{}",
        ran.err
    );
    let ran = place.shell(&compile.replace("16", "5"));
    assert_eq!(ran.status, 0, "{}", ran.shown());
}

/// A rank that is a sum of its own where a model has no BOS is still known to be the rank.
#[test]
fn an_induction_head_looks_back_in_long_inputs_too() {
    let place = Place::with(&[(
        "head.rasp",
        "load \"induction\"; x = induction_head(tokens);",
    )]);
    let verify =
        "rasp verify head.rasp -e x --vocab abcd --max-len 33 --no-bos --causal --samples 60";
    let ran = place.shell(verify);
    assert_eq!(ran.status, 0, "{}", ran.shown());
}
