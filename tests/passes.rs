//! Passes over the plan: each can be left out, the model still answers rightly, and `--explain` says
//! what each does. And that a plan whose tables are not of what it reads is noticed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;
use crate::common::place;

use place::Place;
use rasp::base::{Code, Control, Limits};
use rasp::inside::compile::compile_in;
use rasp::inside::plan::run;
use rasp::plan::pass::{PASSES, Passes};
use rasp::plan::{Plan, Style, VariableId, Written};
use rasp::session::{Compiled, Request, Setting};
use rasp::value::Value;

/// Programs in which every pass has something to do.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "twice",
        "same = select(tokens, tokens, ==);
         x = selector_width(same) + 2 * selector_width(not select(tokens, tokens, !=));",
    ),
    (
        "sorted",
        "before = select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <));
         place = selector_width(before);
         x = aggregate(select(place, indices, ==), tokens);",
    ),
    (
        "frequent",
        "hist = selector_width(select(tokens, tokens, ==));
         x = selector_width(select(hist, hist, ==));",
    ),
    (
        "moments",
        "hist = selector_width(select(tokens, tokens, ==));
         all = select(1, 1, ==);
         x = aggregate(all, hist) > 2 or aggregate(all, hist * hist) > 6;",
    ),
    (
        "means",
        "earlier = select(indices, indices, <=);
         x = (aggregate(earlier, indicator(tokens == \"a\")) > 0.5) and tokens != \"b\";",
    ),
];

fn compiled(program: &str, style: Style, passes: &str) -> Option<Compiled> {
    let mut session = common::session("program", program);
    let sop = session.sop("x").unwrap();
    let setting = Setting {
        // As many tokens as indices, so that neither may be taken for the other.
        vocabulary: Value::characters("abcd"),
        max_length: 4,
        causal: false,
    };
    let request = Request {
        passes: Passes::parse(passes).unwrap(),
        ..Request::from(style)
    };
    let graph = session.graph();
    let compiled = compile_in(&request, graph, &[sop], &setting, &Limits::default());
    // Without the guard what stands at BOS may be anything, and no wrong model is made.
    let compiled = match compiled {
        Err(error) if passes == "-guard" => {
            assert_eq!(error.code, Code::NotExact);
            return None;
        }
        compiled => compiled.unwrap(),
    };
    common::assert_right(&session, &compiled);
    Some(compiled)
}

/// Its heads are the model's, in whatever order operations stand.
#[test]
fn a_printed_plan_numbers_heads_as_the_model_does() {
    for (name, program) in PROGRAMS {
        let mut plan = compiled(program, Style::Faithful, "all")
            .unwrap()
            .plan()
            .clone();
        plan.attends.reverse();
        let text = plan.to_string();
        for layer in 1..=plan.layers() {
            for (number, head) in (1..).zip(plan.patterns(layer)) {
                for operation in head {
                    let (id, into) = (operation.into.0, plan.variable(operation.into));
                    let line = format!("v{id} \"{}\" += head {number}: ", into.label);
                    assert!(text.contains(&line), "{name}: {line} in\n{text}");
                }
            }
        }
    }
}

#[test]
fn each_can_be_left_out_and_is_worth_running() {
    for (name, program) in PROGRAMS {
        for style in [Style::Faithful, Style::Compact] {
            let all = compiled(program, style, "all").unwrap();
            assert!(all.is_certified() || style == Style::Compact, "{name}");
            for pass in PASSES {
                if let Some(without) = compiled(program, style, &format!("-{}", pass.name)) {
                    let sizes = [&all, &without].map(|c| match pass.name {
                        // One layer may take more than two do.
                        "fuse" => c.plan().layers(),
                        _ => c.model.padded_parameters(),
                    });
                    assert!(
                        sizes[0] <= sizes[1] || pass.name == "guard",
                        "{name}: {}",
                        pass.name
                    );
                }
            }
        }
    }
}

#[test]
fn each_makes_some_model_smaller() {
    for pass in [
        "linear", "fuse", "factor", "encode", "nearest", "share", "units", "pair", "overlay",
    ] {
        let smaller = |(_, program): &&(&str, &str)| {
            let [all, without] = ["all", &format!("-{pass}")]
                .map(|passes| compiled(program, Style::Faithful, passes).unwrap());
            all.model.parameters() < without.model.parameters()
                || all.plan().layers() < without.plan().layers()
        };
        assert!(PROGRAMS.iter().any(|program| smaller(&program)), "{pass}");
    }
}

#[test]
fn what_nobody_reads_goes() {
    let compiled = compiled(PROGRAMS[1].1, Style::Faithful, "all").unwrap();
    let mut plan = compiled.draft().clone();
    let unread = plan.variables[0].clone();
    plan.variables.push(unread);
    for pass in Passes::parse("dead").unwrap().iter() {
        run(pass, &mut plan, &Control::default());
    }
    assert_eq!(plan.variables.len(), compiled.draft().variables.len());
    assert_eq!(plan.check(), Ok(()));
}

/// Whether a head compares what a variable holds.
fn is_compared(plan: &Plan, id: VariableId) -> bool {
    let products = plan.attends.iter().flat_map(|op| &op.terms);
    let mut products = products.flat_map(|term| &term.products);
    products.any(|p| p.query.reads().chain(p.key.reads()).any(|read| read == id))
}

#[test]
fn tables_that_are_not_of_what_is_read_are_noticed() {
    let mut noticed = 0;
    for (name, program) in PROGRAMS {
        let plan = compiled(program, Style::Faithful, "all")
            .unwrap()
            .plan()
            .clone();
        assert_eq!(plan.check(), Ok(()));
        for at in 0..plan.variables.len() {
            let mut wrong = plan.clone();
            let Written::Embed { tokens, indices } = &mut wrong.variables[at].written else {
                continue;
            };
            for number in tokens.iter_mut().chain(indices).skip(1).take(1) {
                *number += 0.25;
            }
            if is_compared(&plan, VariableId(at as u32)) {
                assert!(wrong.check().is_err(), "{name}: v{at}");
                noticed += 1;
            }
        }
    }
    assert!(noticed > 5, "{noticed}");
}

#[test]
fn each_is_explained() {
    let place = Place::new();
    place.file("twice.rasp", PROGRAMS[0].1);
    let ran = place.rasp(&[
        "compile",
        "twice.rasp",
        "-e",
        "x",
        "--vocab",
        "ab",
        "--max-len",
        "3",
        "-o",
        "x.model",
        "--explain",
    ]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    insta::assert_snapshot!(ran.out);
}

#[test]
fn unknown_ones_are_refused() {
    let place = Place::new();
    place.file("twice.rasp", PROGRAMS[0].1);
    for passes in ["fast", "share,-dead", ""] {
        let ran = place.rasp(&[
            "schedule",
            "twice.rasp",
            "-e",
            "x",
            "--vocab",
            "ab",
            "--max-len",
            "3",
            "--passes",
            passes,
        ]);
        assert_eq!(ran.status, 2, "{passes}: {}", ran.out);
        assert!(ran.err.contains("pass"), "{}", ran.err);
    }
}

fn names(text: &str) -> Result<String, String> {
    let passes = Passes::parse(text)?;
    Ok(Vec::from_iter(passes.iter().map(|pass| pass.name)).join(" "))
}

#[test]
fn passes_are_chosen_by_name() {
    insta::assert_debug_snapshot!(
        [
            "all",
            "none",
            "dead,share",
            "-guard, -units",
            "dead,-guard",
            "fast"
        ]
        .map(names)
    );
}
