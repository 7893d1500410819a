//! Machines at their bounds: behind the halt, beyond their bits, their words and their floats, all
//! through the command line.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::place::Place;
use rasp::base::Sources;
use rasp::execute::Precision;
use rasp::machine::looped::asm::assemble;
use rasp::machine::looped::description::{Description, Machine};
use serde_json::{Value as Json, json};

fn hello() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/machine/hello.subleq");
    std::fs::read_to_string(path).unwrap()
}

/// What a command ends with, as JSON.
fn told(place: &Place, command: &str) -> Json {
    let ran = place.shell(command);
    assert_eq!(ran.status, 0, "{}", ran.shown());
    ran.last_line()
}

#[test]
fn a_halted_machine_takes_no_further_step() {
    let hello = hello();
    let sum = ".data\nx: .word 3\ny: .word 5\n.text\nadd x, y\nhalt\n";
    let place = Place::with(&[("hello.subleq", &hello), ("sum.subleq", sum)]);
    for (name, machine) in [
        ("hello", "stored"),
        ("sum", "r1"),
        ("sum", "r2"),
        ("sum", "r1s"),
        ("sum", "p10"),
    ] {
        place.shell(&format!(
            "rasp machine asm {name}.subleq --machine {machine} -o m --force"
        ));
        let ended = told(&place, "rasp machine run m --json");
        let more = told(&place, "rasp machine run m --steps 100 --json");
        assert_eq!(ended["halted"], json!(true));
        assert_eq!(ended, more, "{name} {machine}");
    }
}

#[test]
fn a_stored_program_is_traced_as_it_stands_in_memory() {
    let place = Place::with(&[("hello.subleq", &hello())]);
    let ran = place.shell("rasp machine asm hello.subleq -o m && rasp machine trace m --steps 8");
    insta::assert_snapshot!("trace_of_stored", ran.out);
}

/// Words and jumps that other inputs lead to, which nobody could know when the program was assembled.
#[test]
fn what_leaves_a_machine_is_told() {
    let jump = ".bits 10\n.code\nstart: z, n, skip\nz, z, 100\nskip: z z -1\nz: 0\nn: 0\n";
    let read = ".bits 10\n.code\nstart: w, n, 3\nz z -1\nw: 2\nz: 0\nn: 0\n";
    let grow = ".bits 8\n.data\nx: .word 100\ny: .word -100\n.text\nsub x, y\nsub x, y\nhalt\n";
    let back = ".bits 10\n.code\n0 0 300\n; a comment\n100 1 2\n";
    let place = Place::with(&[
        ("jump.subleq", jump),
        ("read.subleq", read),
        ("grow.subleq", grow),
        ("back.subleq", back),
    ]);
    let mut text = String::new();
    for command in [
        "rasp machine asm jump.subleq -o m && rasp machine run m --input n=5",
        "rasp machine asm read.subleq -o n && rasp machine run n --input start=25",
        "rasp machine asm grow.subleq --machine r1s -o o && rasp machine run o",
        "rasp machine asm back.subleq -o p",
        "rasp machine asm grow.subleq --machine r2 -o q && rasp exec q -i '···'",
        "printf '\"···\"\\n' > few && rasp exec q --batch few",
    ] {
        let ran = place.shell(command);
        assert_eq!(ran.status, 1, "{command}: {}", ran.shown());
        text.push_str(&format!("$ {command}\n{}\n", ran.err));
    }
    insta::assert_snapshot!("left", text);
}

/// Without being asked for float64.
#[test]
fn a_model_for_float64_is_run_in_it() {
    let long =
        ".bits 40\n.data\nx: .word 123456789012\ny: .word 100000000001\n.text\nsub x, y\nhalt\n";
    let place = Place::with(&[("long.subleq", long)]);
    let built =
        "rasp machine dyck --kind generate-unbounded --types 2 --max-len 300 --dtype float64";
    let given = told(
        &place,
        &format!("{built} -o d >/dev/null && rasp exec d -i '()[' --json"),
    );
    assert_eq!(given["output"], json!(["()[", "([$", "([]"]));
    let tried = told(&place, "rasp machine verify d --json");
    assert_eq!(tried["wrong"], json!(0));
    let summary = told(&place, "rasp machine asm long.subleq -o m --json");
    let columns = summary["max_length"].as_u64().unwrap() as usize;
    let given = told(
        &place,
        &format!("rasp exec m -i '{}' --json", "·".repeat(columns)),
    );
    assert_eq!(given["output"][3], json!(-23_456_789_011.0));
}

#[test]
fn brackets_that_would_read_like_others_are_refused() {
    let place = Place::with(&[]);
    let built = "rasp machine dyck --kind generate --depth 2 --max-len 4 -o m";
    for (tokens, why) in [
        (
            "--tokens '$€'",
            "different tokens that may follow read alike",
        ),
        (
            r#"--tokens-json '["", "b"]'"#,
            "a bracket has at least one character",
        ),
    ] {
        let ran = place.shell(&format!("{built} {tokens}"));
        assert_eq!(ran.status, 1, "{}", ran.shown());
        assert!(ran.err.contains(why), "{}", ran.shown());
    }
}

/// The size that docs/MACHINES.md gives for a machine of matrices.
#[test]
fn machines_of_matrices_have_the_size_of_their_formula() {
    let scaled = "var A = [[1, 2, 3]]\nfunction half = scale 0.5\nA = half A\nhalt\n";
    let curved = "var a = 1\nfunction s = 1 + sigmoids [[2, 1, 0], [1, 3, 0]]\na = s a\nhalt\n";
    for (text, sums) in [(scaled, 0), (curved, 1)] {
        let source = Sources::new().add("f.fleq", text);
        let model = assemble(source, text, Some(Machine::Fleq), Precision::F64).unwrap();
        let description = Description::of(&model).unwrap();
        let (d, l) = (description.word.len(), description.counter.len());
        assert_eq!(
            l,
            model.max_length.next_power_of_two().trailing_zeros().max(4) as usize
        );
        let m = description.functions.len();
        let without = usize::from(sums == 0);
        assert_eq!(
            model.d_model,
            12 * d + d * d + 11 * l + 2 * m + 12 + sums - without
        );
        let definitions = description.definitions.iter();
        assert_eq!(
            definitions.filter(|line| line.contains("sigmoids")).count(),
            sums
        );
    }
}

#[test]
fn a_machine_is_drawn_like_other_models() {
    let place = Place::with(&[]);
    place.shell("rasp machine dyck --kind generate --types 2 --depth 2 --max-len 4 -o m");
    let mut text = String::new();
    for command in [
        "rasp draw --model m -i '([])' --width 100",
        "rasp draw --model m -i '([])' --show weights --width 100",
        "rasp draw --model m -i '([])' --show graph",
        "rasp draw -i '([])'",
        "rasp draw --model m -e x",
    ] {
        let ran = place.shell(command);
        text.push_str(&format!("$ {command}\n{}\n", ran.shown()));
    }
    insta::assert_snapshot!("drawn", text);
}
