//! Programs that would take all memory or time: each ends soon with the limit that it reaches.

#![cfg(unix)]

use crate::common::mistakes::mistakes;
use crate::common::place;

use place::{Place, Ran};
use rasp::base::{Memory, Random};
use std::path::Path;

/// A program run within 1.5 GB: `rasp run` and what follows.
fn run(program: &str, more: &str) -> Ran {
    let place = Place::new();
    place.file("hostile.rasp", program);
    place.shell(&format!("ulimit -v 1500000; rasp run hostile.rasp {more}"))
}

/// The program reaches the limit on steps; a tenth of what there is shows it ten times as soon.
fn reaches_steps(program: &str) {
    let ran = run(program, "-i a --limit steps=2000000");
    let told = "the limit `steps` of 2000000";
    assert!(ran.err.contains(told), "{program}: {}", ran.shown());
    assert_eq!(ran.status, 1);
}

#[test]
fn bulk_work_is_charged_by_its_size() {
    reaches_steps("x = [range(1000000) for i in range(100)];");
    reaches_steps("s = range(1000000); x = [s + [] for i in range(1000)];");
    reaches_steps("x = [\"a\" * 1000000 for i in range(100000)];");
    reaches_steps("x = range(100000); for i in range(10000) { y = zip(x, x); }");
    reaches_steps(
        "x = \"a\" * 1000000; y = \"a\" * 1000000; for i in range(1000000) { z = x == y; }",
    );
    reaches_steps("x = \"a\" * 1000000; for i in range(1000000) { z = x[0]; }");
    reaches_steps("l = range(1000000); for i in range(1000000) { z = l[indices]; }");
    let nested = (0..30).fold("1".to_string(), |inner, depth| {
        format!("[{inner} for x{depth} in [1, 2]]")
    });
    reaches_steps(&format!("x = {nested};"));
}

#[test]
fn what_lives_at_the_same_time_is_bounded() {
    // Within the steps of each entry, but kept.
    let place = Place::new();
    let limit = ["--limit", "memory_bytes=100000000"];
    let entry = |n: usize| format!("x{n} = [range(100000) for i in range(9)];\n");
    let typed: String = (0..8).map(entry).collect();
    let ran = place.reading(&typed, &limit);
    let told = "the limit `memory_bytes` of 100000000 bytes of lists, dicts and strings is reached";
    assert!(ran.err.contains(told), "{}", ran.err);
    // What nothing holds any more does not count.
    let again = typed.replace("x1 =", "x0 =").replace("x2 =", "x0 =");
    let again: String = again
        .lines()
        .take(3)
        .map(|line| format!("{line}\n"))
        .collect();
    let ran = place.reading(&again.repeat(2), &limit);
    assert!(ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn strings_count_for_the_names_and_lists_that_hold_them() {
    let place = Place::new();
    let few = ["--limit", "memory_bytes=10000000"];
    let told = "the limit `memory_bytes` of 10000000 bytes of lists, dicts and strings is reached";
    let named = |names: usize| -> String {
        let line = |n: usize| format!("s{} = \"a\" * 1000000;\n", n % names);
        (0..20).map(line).collect()
    };
    let listed = "x = [\"a\" * 1000000 for i in range(20)];\n";
    for typed in [&named(20), listed] {
        let ran = place.reading(typed, &few);
        assert!(ran.err.contains(told), "{}", ran.err);
    }
    // What nothing holds any more does not count; what a list holds often counts once.
    let shared = "s = \"a\" * 1000000;\nx = [s for i in range(5000)];\nlen(x);\n";
    for typed in [&named(5), shared] {
        let ran = place.reading(typed, &few);
        assert!(ran.err.is_empty(), "{}", ran.err);
    }
}

#[test]
fn lists_that_hold_each_other_are_cut_before_they_are_written() {
    let doubled = format!("x = [1];{} x;", "x = [x, x];".repeat(40));
    let ran = run(&doubled, "");
    assert!(ran.out.len() < 200_000, "{}", ran.out.len());
    assert_eq!(ran.status, 0);
    let ran = run(&doubled, "--json");
    let told = "written out, this has 1099511627776";
    assert!(ran.out.contains(told), "{}", ran.shown());
    let place = Place::new();
    let ran = place.reading(&doubled.replace(';', ";\n"), &[]);
    assert!(ran.out.len() < 10_000_000, "{}", ran.out.len());
}

#[test]
fn a_selector_is_shown_as_far_as_memory_goes() {
    let ran = run(
        "s = select(indices, indices, <);",
        "-e s -i \"$(printf '%020000d' 0)\"",
    );
    let told =
        "the limit `memory_bytes` of 1073741824 bytes is reached: a selector on 20000 tokens";
    assert!(ran.err.contains(told), "{}", ran.shown());
    let program = format!(
        "s = select(indices, indices, <); s(\"{}\");",
        "a".repeat(20_000)
    );
    let ran = run(&program, "");
    assert!(ran.err.contains(told), "{}", ran.shown());
    let ran = run(
        "s = select(indices, indices, <);",
        "-e s -i \"$(printf '%02000d' 0)\" --json",
    );
    assert_eq!(ran.status, 0);
    assert_eq!(ran.out.matches("true").count(), 2000 * 1999 / 2);
}

#[test]
fn what_formatting_makes_too_long_is_left_as_it_is() {
    let place = Place::new();
    place.file("dense.rasp", "x=1;y=2;z=3;");
    let ran = place.rasp(&["fmt", "dense.rasp", "--limit", "source_bytes=15"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("it would be too long"), "{}", ran.err);
    assert!(ran.err.contains("it would have 21 bytes"), "{}", ran.err);
    assert_eq!(place.text("dense.rasp"), "x=1;y=2;z=3;");
}

/// Each once took more than this where it is ten times as fast, or ten times the memory.
#[test]
fn what_is_long_takes_time_and_memory_in_proportion() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = Place::new();
    let lines =
        |count: usize, line: &dyn Fn(usize) -> String| -> String { (0..count).map(line).collect() };
    place.file(
        "undefined.rasp",
        &lines(40_000, &|n| format!("x{n} = nothing{n};\n")),
    );
    place.file("prompt.txt", &lines(40_000, &|_| "x = ;\n".to_string()));
    let indexed = |n| format!("y{n} = tokens[{}];\n", n % 7);
    place.file("indexed.rasp", &lines(5_000, &indexed));
    let tokens = lines(100_000, &|n| format!("\"t{n}\", "));
    let vocabulary =
        format!("set vocab [{tokens}\"a\"]\nset max_length 8\nx = tokens == \"t7\";\n");
    place.file("vocabulary.rasp", &vocabulary);
    let rover = root.join("examples/papers/weiss2021_rover.rasp");
    let rover = rover.display();
    for (command, told) in [
        (
            "rasp check undefined.rasp 2>&1 | tail -1",
            "… and 39900 more",
        ),
        ("rasp <prompt.txt 2>&1 | tail -1", "like `x = indices`"),
        (
            "rasp verify indexed.rasp -e y0 --vocab ab --max-len 4",
            "all 30 inputs",
        ),
        ("rasp compile vocabulary.rasp -e x -o x.model", "written to"),
        (&format!("rasp check {rover}"), "res"),
    ] {
        let ran = place.shell(&format!("ulimit -t 20; ulimit -v 700000; {command}"));
        assert!(ran.out.contains(told), "{command}: {}", ran.shown());
    }
}

#[test]
fn loads_have_a_budget() {
    let place = Place::new();
    for depth in 0..30 {
        let next = depth + 1;
        place.file(
            &format!("f{depth}.rasp"),
            &format!("load \"f{next}\"; load \"f{next}\";"),
        );
    }
    place.file("f30.rasp", "x = 1;");
    let ran = place.rasp(&["run", "f0.rasp"]);
    assert!(
        ran.err
            .contains("the limit `loads` of 10000 loads of a program"),
        "{}",
        ran.shown()
    );
    assert_eq!(ran.status, 1);
}

#[test]
fn looking_at_each_pair_has_a_limit() {
    let place = Place::new();
    let tokens: Vec<usize> = (0..40_000).collect();
    place.file("long.jsonl", &format!("{tokens:?}\n"));
    place.file("short.jsonl", &format!("{:?}\n", &tokens[..2_000]));
    place.file(
        "pairs.rasp",
        "weighed = aggregate(score(indices, indices, lambda k, q: k * q % 1013), indices);
         seen = selector_width(select(indices, indices, lambda k, q: k * q % 1013 < 3));
         a = tokens_int * 7919 % 10007; b = tokens_int * 7907 % 10009; c = tokens_int * 31 % 10037;
         four = selector_width(select(indices, indices, <) and select(a, a, <)
                               and select(b, b, <) and select(c, c, <));",
    );
    let run = |sop: &str, lines: &str, limit: &str| {
        let limit = format!("pairs={limit}");
        place.rasp(&[
            "run",
            "pairs.rasp",
            "-e",
            sop,
            "--batch",
            lines,
            "--limit",
            &limit,
        ])
    };
    for sop in ["weighed", "seen"] {
        // Within seconds, however slow the machine: nothing is begun.
        let ran = run(sop, "long.jsonl", "1000000000");
        let told = "the limit `pairs` of 1000000000 is reached";
        assert!(ran.err.contains(told), "{sop}: {}", ran.shown());
        assert_eq!(ran.status, 1);
    }
    for sop in ["weighed", "seen", "four"] {
        let ran = run(sop, "short.jsonl", "100000");
        assert!(
            ran.err.contains("the limit `pairs` of 100000"),
            "{sop}: {}",
            ran.shown()
        );
        let ran = run(sop, "short.jsonl", "4000000");
        assert_eq!(ran.status, 0, "{sop}: {}", ran.shown());
    }
}

#[test]
fn a_limit_can_be_set() {
    let place = Place::new();
    place.file("many.rasp", "x = [i for i in range(100)]; len(x);");
    let run = |limit: &str| place.rasp(&["run", "many.rasp", "--limit", limit]);
    assert_eq!(run("steps=1000").status, 0);
    let ran = run("steps=100");
    assert!(
        ran.err.contains("the limit `steps` of 100"),
        "{}",
        ran.shown()
    );
    assert_eq!(ran.status, 1);
    let told = [
        ("stops=9", "did you mean `steps`?"),
        ("steps=many", "`many` is not a whole number"),
        ("steps", "a limit is set like `steps=1000`"),
        ("nesting=5000000000", "`nesting` cannot be as large"),
        (
            "source_bytes=99999999",
            "no text may have more than 4194304 bytes",
        ),
    ];
    for (limit, reason) in told {
        let ran = run(limit);
        assert!(ran.err.contains(reason), "{}", ran.shown());
        assert_eq!(ran.status, 2);
    }
    // At the prompt each entry has them.
    let typed = "x = [i for i in range(20)];\n".repeat(5) + "x = [i for i in range(100)];\n";
    let ran = place.reading(&typed, &["--limit", "steps=100"]);
    assert_eq!(
        ran.err.matches("the limit `steps`").count(),
        1,
        "{}",
        ran.err
    );
    assert_eq!(ran.out.matches("list: x").count(), 5, "{}", ran.out);
}

/// What a mutation puts in: what programs are made of, and what was once too much.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    "=",
    "==",
    "1",
    "0",
    "-1",
    "1000000",
    "2 ^ 62",
    "1 / 0",
    "\"",
    "\"a\" * 1000000",
    "tokens",
    "indices",
    "length",
    "full_s",
    "range(1000000)",
    "lambda x: x",
    "for i in range(1000) { ",
    "def f(x) { return f(x); } f(1)",
    "load \"hist\";",
    "select(",
    "aggregate(",
    "zip(",
    "[x for x in ",
    " and ",
    " or ",
    " not ",
    " in ",
    " if ",
    " else ",
    "\n",
    "#",
    "##",
    "é",
    "\u{0}",
    "score(",
    "select_best(",
    "selector_width(",
    "set max_length 1000000\n",
    "set vocab \"abcdefghij\"\n",
    "x = [x, x];",
    "assert ",
];

/// A program with a few changes.
fn mutated(random: &mut Random, programs: &[String]) -> String {
    let mut program: Vec<char> = programs[random.below(programs.len())].chars().collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(program.len() + 1);
        let end = (at + random.below(40)).min(program.len());
        let piece: Vec<char> = match random.below(4) {
            0 => Vec::new(),
            1 => program[at..end].repeat(1 + random.below(30)),
            2 => {
                let other: Vec<char> = programs[random.below(programs.len())].chars().collect();
                let start = random.below(other.len() + 1);
                other[start..(start + random.below(60)).min(other.len())].to_vec()
            }
            _ => PIECES[random.below(PIECES.len())].chars().collect(),
        };
        program.splice(at..end, piece);
    }
    program.into_iter().collect()
}

/// Mutated programs with so many characters go through the commands: each ends by itself within a
/// gigabyte and ten seconds of processor time.
fn mutated_programs(characters: usize, seed: u64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mistakes = mistakes().into_iter().map(|mistake| mistake.text);
    let mut programs: Vec<String> = mistakes.collect();
    for folder in ["examples", "examples/papers", "stdlib"] {
        let mut files: Vec<_> = std::fs::read_dir(root.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "rasp"))
            .collect();
        files.sort();
        programs.extend(
            files
                .iter()
                .map(|file| std::fs::read_to_string(file).unwrap()),
        );
    }
    let mut random = Random::new(seed);
    let (place, mut done) = (Place::new(), 0);
    while done < characters {
        let program = mutated(&mut random, &programs);
        done += program.chars().count();
        place.file("p.rasp", &program);
        for command in [
            "run p.rasp -i abca",
            "check p.rasp",
            "fmt --check p.rasp",
            "compile p.rasp -e out -o p.model --force --vocab abc --max-len 4",
        ] {
            // Of processor time, so that others on the machine make no difference.
            let limits = "ulimit -v 1048576 -t 10";
            let line = format!("{limits}; timeout 100 rasp {command} >/dev/null 2>err.txt");
            let ran = place.shell(&line);
            let err = std::fs::read(place.path("err.txt")).unwrap();
            let err = String::from_utf8_lossy(&err);
            let fine = [0, 1, 2].contains(&ran.status) && !err.contains("bug in rasp");
            assert!(fine, "{command}: status {}\n{err}\n{program}", ran.status);
        }
    }
}

#[test]
fn some_mutated_programs_end_by_themselves() {
    mutated_programs(20_000, 1);
}

/// As many as `CHARACTERS` says, from `SEED` on.
#[test]
#[ignore = "takes as long as it is asked to"]
fn many_mutated_programs_end_by_themselves() {
    let number = |name: &str, otherwise: u64| {
        let set = std::env::var(name).ok();
        set.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    mutated_programs(number("CHARACTERS", 2_000_000) as usize, number("SEED", 7));
}

#[test]
fn what_is_dropped_is_held_no_more() {
    let memory = Memory::default();
    let first = memory.hold(5);
    let second = memory.hold(7);
    assert_eq!(memory.held(), 12);
    drop(first);
    assert_eq!(memory.held(), 7);
    drop(second);
    assert_eq!(memory.held(), 0);
}
