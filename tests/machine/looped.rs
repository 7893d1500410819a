//! Looped computers: what they compute is what an ordinary interpreter of the same program says, step by
//! step, in both floats, with both engines; and the command line that makes and runs them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::programs::{SUBLEQ, model, random, stored_beside_the_interpreter};
use crate::common::place::Place;
use rasp::base::render::{Style, render};
use rasp::base::{Random, Sources};
use rasp::execute::Precision;
use rasp::machine::looped::asm::assemble;
use rasp::machine::looped::description::Machine;
use rasp::machine::looped::fleq;
use rasp::machine::looped::run::{Engines, Run};
use rasp::machine::looped::subleq::program::Program;
use rasp::machine::looped::subleq::text;
use serde_json::{Value as Json, json};
use std::path::Path;

const BOTH: [Precision; 2] = [Precision::F32, Precision::F64];

/// Runs some random programs, and holds the state against the interpreter's after each step, and the
/// engines against each other.
fn holds(machine: Machine, programs: usize, seed: u64) {
    let mut numbers = Random::new(seed);
    for number in 0..programs {
        let is_small = machine == Machine::R1s;
        let program = random(&mut numbers, [8, 12, 16, 18][number % 4], is_small);
        let model = model(machine, &program);
        assert_eq!(model.check(), Ok(()));
        let end = 1i64 << (program.bits - 1);
        for precision in BOTH {
            let mut run = Run::new(&model, Engines::Delta, precision, Some(1)).unwrap();
            let mut state = program.start();
            for step in 0..48 {
                let found = run.description.state(run.engine());
                assert_eq!(found, state, "{machine:?} {precision:?} {number} {step}");
                program.step(&mut state);
                // Words that are numbers do not wrap.
                if is_small && state.words.iter().any(|word| 2 * word.abs() > end) {
                    break;
                }
                run.step().unwrap();
            }
        }
    }
}

#[test]
fn machines_run_random_programs() {
    for (machine, programs) in [(Machine::R1, 6), (Machine::R2, 6), (Machine::R1s, 10)] {
        holds(machine, programs, 1);
    }
    holds(Machine::P10, 2, 1);
}

#[test]
fn stored_programs_change_themselves_as_the_interpreter_says() {
    for precision in BOTH {
        let (steps, wrong) = stored_beside_the_interpreter(60, 48, precision, Some(1));
        assert_eq!(wrong, 0, "{precision:?}: of {steps} steps");
        // Many programs run into nothing soon.
        assert!(steps > 600, "{steps}");
    }
}

/// The sizes that the construction says: L bits of a pointer, N of a word.
#[test]
fn machines_have_the_sizes_of_their_formulas() {
    for (l, n) in [(4, 8), (5, 12), (7, 10)] {
        let program = Program {
            bits: n,
            words: vec![0; (1 << l) - 8],
            code: vec![[0, 0, 0]; 4],
            ..Program::default()
        };
        let sizes = |machine| {
            let model = model(machine, &program);
            let heads: Vec<usize> = model.layers.iter().map(|layer| layer.heads.len()).collect();
            (model.d_model, heads)
        };
        assert_eq!(sizes(Machine::R2), (6 * l + 4 * n + 3, vec![1, 2]));
        assert_eq!(sizes(Machine::R1), (14 * l + 3 * n + 3, vec![4]));
        assert_eq!(sizes(Machine::R1s), (14 * l + 6, vec![4]));
        let paper = 8 * l + 3 * n + 2 + (3 * l).max(2 * n);
        assert_eq!(
            sizes(Machine::P10),
            (paper, vec![1, 2, 0, 0, 0, 1, 0, 0, 0, 0])
        );
        let stored = text::assemble(
            Sources::new().add("", ""),
            &format!(".bits {n}\n.code\n0 0 -1"),
        );
        let Ok(text::Assembled::Stored(stored, _)) = stored else {
            panic!("it is a program");
        };
        let built = rasp::machine::looped::subleq::stored::build(&stored);
        assert_eq!(built.rows.labels.len(), 13 * n + 5);
    }
}

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/machine");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// The model of an example, run until it halts.
fn ran(name: &str, machine: Option<Machine>, precision: Precision) -> Json {
    let mut sources = Sources::new();
    let text = example(name);
    let source = sources.add(name, text.clone());
    let model = match assemble(source, &text, machine, Precision::F64) {
        Ok(model) => model,
        Err(found) => panic!("{}", render(&found[0], &sources, Style::Plain)),
    };
    let mut run = Run::new(&model, Engines::Delta, precision, Some(10)).unwrap();
    run.run(None).unwrap();
    run.to_json()
}

#[test]
fn examples_have_their_results() {
    for (name, word, result) in [
        ("addition.subleq", "y", 42),
        ("multiplication.subleq", "product", 132),
        ("gcd.subleq", "x", 12),
        ("fibonacci.subleq", "a", 6765),
        ("minsky_product.subleq", "z", 42),
    ] {
        for machine in SUBLEQ {
            let found = ran(name, Some(machine), Precision::F32);
            assert_eq!(found["labels"][word], json!(result), "{name} {machine:?}");
            assert_eq!(found["halted"], json!(true));
        }
    }
}

#[test]
fn a_program_that_changes_itself_says_hello() {
    for precision in BOTH {
        let found = ran("hello.subleq", None, precision);
        assert_eq!(found["output"], json!("Hello, world!\n"));
        assert_eq!(
            (&found["steps"], &found["halted"]),
            (&json!(71), &json!(true))
        );
        // It has counted both of its words on by the text's length.
        assert_eq!(found["memory"][1], json!(17 + 14));
    }
}

/// A program of matrices, and how far the machine may be from the ordinary interpreter of it.
fn near(name: &str, steps: usize, most: f64) {
    let text = example(name);
    let source = Sources::new().add(name, text.clone());
    let Ok(program) = fleq::text::assemble(source, &text) else {
        panic!("{name} is a program");
    };
    let model = assemble(source, &text, Some(Machine::Fleq), Precision::F64).unwrap();
    let mut run = Run::new(&model, Engines::Delta, Precision::F32, None).unwrap();
    let mut state = program.start();
    for step in 0..steps {
        program.step(&mut state);
        run.step().unwrap();
        let (counter, _) = run.description.counter(run.engine());
        assert_eq!(counter as usize, state.counter, "{name} after {step} steps");
    }
    let (memory, _) = run.description.memory(run.engine());
    for (variable, value) in run.description.names.iter().zip(&state.values) {
        for (row, entries) in value.iter().enumerate() {
            for (column, exact) in entries.iter().enumerate() {
                let found = memory[variable.first + column][row].as_f64().unwrap();
                let name = format!("{name}: {}", variable.name);
                assert!((found - exact).abs() <= most, "{name}: {found} and {exact}");
            }
        }
    }
}

#[test]
fn programs_of_matrices_are_near_to_exact_arithmetic() {
    near("calculator.fleq", 23, 1e-9);
    near("inversion.fleq", 85, 1e-10);
    near("power_iteration.fleq", 100, 1e-9);
    near("xor.fleq", 160, 1e-9);
}

#[test]
fn programs_of_matrices_have_their_results() {
    let found = ran("calculator.fleq", Some(Machine::Fleq), Precision::F64);
    let exact = 0.01 / ((3.5 + 1.25 - 2.0) * 0.75f64).sqrt();
    let result = found["labels"]["result"].as_f64().unwrap();
    assert!((result / exact - 1.0).abs() < 1e-8, "{result} and {exact}");
    let found = ran("inversion.fleq", Some(Machine::Fleq), Precision::F64);
    let matrix = |name: &str| -> Vec<Vec<f64>> {
        serde_json::from_value(found["labels"][name].clone()).unwrap()
    };
    let (a, x) = (matrix("A"), matrix("X"));
    for (row, entries) in a.iter().enumerate() {
        for column in 0..4 {
            let products = entries
                .iter()
                .zip(&x)
                .map(|(entry, other)| entry * other[column]);
            let entry: f64 = products.sum();
            let identity = if row == column { 1.0 } else { 0.0 };
            assert!(
                (entry - identity).abs() < 1e-9,
                "{entry} at {row}, {column}"
            );
        }
    }
}

/// The inverse of a matrix with so many rows, by Newton's method, where nothing is far from the identity.
fn inversion(side: usize) -> String {
    let matrix = |entry: &dyn Fn(usize, usize) -> f64| {
        let row = |row: usize| {
            let entries: Vec<String> = (0..side).map(|at| entry(row, at).to_string()).collect();
            format!("[{}]", entries.join(", "))
        };
        let rows: Vec<String> = (0..side).map(row).collect();
        format!("[{}]", rows.join(", "))
    };
    let scaled =
        |factor: f64| move |row: usize, column: usize| if row == column { factor } else { 0.0 };
    let a = matrix(&|row, column| match row == column {
        true => 1.0 + row as f64 / 16.0,
        false => ((3 * row + 5 * column) % 7) as f64 / 64.0 - 0.046_875,
    });
    let names = ["At", "X", "Xt", "Y"].map(|name| format!("var {name} = {}", matrix(&scaled(0.0))));
    format!(
        "var A = {a}\n{}\nvar start = {}\nvar two = {}\nvar count = 12\nAt = tr A\nX = matmul A start
loop: Y = matmul At X\nY = sub two Y\nXt = tr X\nX = matmul Xt Y
count = sub count _one; if count <= 0 goto done\ngoto loop\ndone: halt",
        names.join("\n"),
        matrix(&scaled(0.5)),
        matrix(&scaled(2.0)),
    )
}

/// The errors of matrices of more than four rows are those of smaller ones.
#[test]
fn sides_of_matrices_grow() {
    for (side, most) in [(1, 1e-10), (5, 2.5e-10), (6, 2.5e-10), (8, 2.5e-10)] {
        let text = inversion(side);
        let source = Sources::new().add("inversion.fleq", text.as_str());
        let model = assemble(source, &text, Some(Machine::Fleq), Precision::F64).unwrap();
        let mut run = Run::new(&model, Engines::Delta, Precision::F64, Some(1)).unwrap();
        run.run(None).unwrap();
        let found = run.to_json();
        let matrix = |name: &str| -> Vec<Vec<f64>> {
            let found = found["labels"][name].clone();
            serde_json::from_value(found.clone())
                .unwrap_or_else(|_| vec![vec![found.as_f64().unwrap()]])
        };
        let (a, x) = (matrix("A"), matrix("X"));
        for (row, entries) in a.iter().enumerate() {
            for column in 0..side {
                let products = entries.iter().zip(&x).map(|(a, x)| a * x[column]);
                let identity = f64::from(u8::from(row == column));
                let off = (products.sum::<f64>() - identity).abs();
                assert!(off < most, "{side}: {off:e} at {row}, {column}");
            }
        }
    }
}

/// Functions that a text defines, of which the engines and both floats agree with what they mean.
#[test]
fn functions_of_ones_own_are_blocks_like_others() {
    let text = "
function bump = 0.5 + sigmoids [[2, 1, 0.5], [-1, 3, -1]]
function third = scale 0.25
var x = [-2, 0.5, 3]
var y = [0, 0, 0]
var z = [0, 0, 0]
y = bump x
z = third y
halt";
    let source = Sources::new().add("own.fleq", text);
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    for (precision, most) in [(Precision::F64, 1e-14), (Precision::F32, 1e-6)] {
        let model = assemble(source, text, Some(Machine::Fleq), precision).unwrap();
        let mut run = Run::new(&model, Engines::Delta, precision, Some(1)).unwrap();
        run.run(None).unwrap();
        for (index, x) in [-2.0, 0.5, 3.0].into_iter().enumerate() {
            let exact = 0.5 + 2.0 * sigmoid(x + 0.5) - sigmoid(3.0 * x - 1.0);
            let found = run.to_json()["labels"]["z"][0][index].as_f64().unwrap();
            assert!((found - exact / 4.0).abs() < most, "{found} and {exact}");
        }
    }
}

#[test]
fn the_command_line_makes_runs_traces_and_reads_machines() {
    let place = Place::with(&[("gcd.subleq", &example("gcd.subleq"))]);
    let mut text = String::new();
    let mut shown = |arguments: &[&str]| {
        let ran = place.rasp(arguments);
        text.push_str(&format!(
            "$ rasp {}\n{}\n",
            arguments.join(" "),
            ran.shown()
        ));
    };
    shown(&["machine", "asm", "gcd.subleq", "-o", "gcd.model"]);
    shown(&["machine", "asm", "gcd.subleq", "-o", "gcd.model"]);
    shown(&["machine", "run", "gcd.model", "--check-every", "1"]);
    shown(&[
        "machine",
        "run",
        "gcd.model",
        "--input",
        "y=18,x=12",
        "--f64",
        "--json",
    ]);
    shown(&[
        "machine",
        "run",
        "gcd.model",
        "--input",
        "35,21",
        "--engine",
        "dense",
    ]);
    shown(&["machine", "run", "gcd.model", "--input", "35,z=21"]);
    shown(&["machine", "run", "gcd.model", "--input", "40000"]);
    shown(&["machine", "run", "gcd.model", "--steps", "3"]);
    shown(&["machine", "trace", "gcd.model", "--input", "2,4"]);
    shown(&["machine", "disasm", "gcd.model"]);
    insta::assert_snapshot!("machine_commands", text);
}

#[test]
fn what_is_disassembled_is_the_same_program() {
    for name in [
        "gcd.subleq",
        "minsky_product.subleq",
        "hello.subleq",
        "inversion.fleq",
        "calculator.fleq",
    ] {
        let text = name.split_once('.').unwrap().1;
        let place = Place::with(&[(name, &example(name))]);
        let ran = place.shell(&format!(
            "rasp machine asm {name} -o a && rasp machine disasm a > b.{text} && \
             rasp machine asm b.{text} -o b && rasp machine disasm b | cmp - b.{text} && \
             rasp machine run a --json > a.json && rasp machine run b --json | cmp - a.json"
        ));
        assert_eq!(ran.status, 0, "{name} {}", ran.shown());
    }
}

/// A model of a machine is a model like others: its loop gives the result to whoever runs it.
#[test]
fn a_machine_is_a_model_like_others() {
    let place = Place::with(&[("gcd.subleq", &example("gcd.subleq"))]);
    let ran = place.rasp(&["machine", "asm", "gcd.subleq", "-o", "m", "--json"]);
    let columns = ran.last_line()["max_length"].as_u64().unwrap() as usize;
    let ran = place.rasp(&["exec", "m", "-i", &"·".repeat(columns), "--json"]);
    // The first word is at column 2.
    assert_eq!(ran.last_line()["output"][2], json!(12.0), "{}", ran.shown());
}

#[test]
fn an_endless_program_meets_a_limit() {
    let place = Place::with(&[(
        "endless.subleq",
        ".data\nx: .word 1\n.text\nagain: jmp again\n",
    )]);
    let ran =
        place.shell("rasp machine asm endless.subleq --machine r1s -o m && rasp machine run m");
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(
        ran.err
            .contains("[E0801] Error: the program has not halted after 1000000 steps")
    );
    let place_of =
        |ran: &str| ran.contains("it stands at instruction 0, `again`, line 4 of its text");
    assert!(place_of(&ran.err), "{}", ran.shown());
}

/// Where a program stands is told by its text's line, also behind macros of several instructions, of
/// raw words and of matrices.
#[test]
fn a_program_stands_at_a_line_of_its_text() {
    let macros = ".data\nx: .word 1\n; a comment\n.text\nmov x, x\nneg x\n\nagain: jmp again\n";
    let raw = ".code\n0 0 3\n; a comment\n0 0 3\n";
    let matrices = "var A = [[1, 0],\n  [0, 1]]\nA = matmul A A\nagain: goto again\n";
    for (name, text, shown) in [
        (
            "macros.subleq",
            macros,
            "at instruction 6, `again`, line 8 of its text",
        ),
        ("raw.subleq", raw, "at instruction 3, line 4 of its text"),
        (
            "matrices.fleq",
            matrices,
            "at instruction 1, `again`, line 4 of its text",
        ),
    ] {
        let place = Place::with(&[(name, text)]);
        let ran = place.shell(&format!(
            "rasp machine asm {name} -o m && rasp machine run m --steps 20"
        ));
        assert!(ran.out.contains(shown), "{name}: {}", ran.shown());
    }
}

/// A file that says of itself what is not so is refused.
#[test]
fn descriptions_are_not_believed() {
    let text = example("gcd.subleq");
    let source = Sources::new().add("gcd.subleq", text.clone());
    let whole = assemble(source, &text, None, Precision::F64).unwrap();
    let good = whole.machine.clone().unwrap();
    let refused = |description: Option<String>| {
        let mut model = whole.clone();
        model.machine = description;
        let run = Run::new(&model, Engines::Delta, Precision::F32, None);
        run.err().expect("refused").to_string()
    };
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from), "{from} in {good}");
        refused(Some(good.replacen(from, to, 1)))
    };
    let text = [
        refused(None),
        refused(Some("{}".to_string())),
        changed("looped", "other"),
        changed("\"word_bits\":16", "\"word_bits\":15"),
        changed("\"memory\":{\"start\":2", "\"memory\":{\"start\":99"),
        changed("\"end\":6}", "\"end\":600}"),
        changed("\"first\":2", "\"first\":18446744073709551615"),
        changed("\"r2\"", "\"r3\""),
    ];
    insta::assert_snapshot!("machine_refused", text.join("\n"));
}

#[test]
fn mistakes_are_told_at_their_places() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machine/mistakes");
    let entries = std::fs::read_dir(&folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with("leq")).collect();
    names.sort();
    for name in &names {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let mut sources = Sources::new();
        let source = sources.add(name, text.clone());
        let machine = name.ends_with(".fleq").then_some(Machine::Fleq);
        let found = assemble(source, &text, machine, Precision::F64).expect_err("a mistake");
        let shown: Vec<String> = found
            .iter()
            .map(|error| render(error, &sources, Style::Plain))
            .collect();
        insta::with_settings!({
            snapshot_path => &folder,
            prepend_module_to_snapshot => false,
            snapshot_suffix => name,
            input_file => format!("tests/machine/mistakes/{name}"),
        }, {
            insta::assert_snapshot!(shown.join("\n"));
        });
    }
}
