//! Programs that would take all memory or time: each ends soon with the limit that it reaches.

#![cfg(unix)]

use crate::common::place;

use place::{Place, Ran};

/// A program run within 1.5 GB: `rasp run` and what follows.
fn run(program: &str, more: &str) -> Ran {
    let place = Place::new();
    place.file("hostile.rasp", program);
    place.shell(&format!("ulimit -v 1500000; rasp run hostile.rasp {more}"))
}

/// The program reaches this limit.
fn reaches(limit: &str, program: &str) {
    let ran = run(program, "-i a");
    let told = format!("the limit `{limit}` of");
    assert!(ran.err.contains(&told), "{program}: {}", ran.shown());
    assert_eq!(ran.status, 1);
}

#[test]
fn bulk_work_is_charged_by_its_size() {
    reaches("steps", "x = [range(1000000) for i in range(100)];");
    reaches(
        "steps",
        "s = range(1000000); x = [s + [] for i in range(1000)];",
    );
    reaches("steps", "x = [\"a\" * 1000000 for i in range(100000)];");
    reaches(
        "steps",
        "x = range(100000); for i in range(10000) { y = zip(x, x); }",
    );
    reaches(
        "steps",
        "x = \"a\" * 1000000; y = \"a\" * 1000000; for i in range(1000000) { z = x == y; }",
    );
    reaches(
        "steps",
        "x = \"a\" * 1000000; for i in range(1000000) { z = x[0]; }",
    );
    reaches(
        "steps",
        "l = range(1000000); for i in range(1000000) { z = l[indices]; }",
    );
    let nested = (0..30).fold("1".to_string(), |inner, depth| {
        format!("[{inner} for x{depth} in [1, 2]]")
    });
    reaches("steps", &format!("x = {nested};"));
}

#[test]
fn what_lives_at_the_same_time_is_bounded() {
    // Within the steps of each entry, but kept.
    let place = Place::new();
    let entry = |n: usize| format!("x{n} = [range(1000000) for i in range(9)];\n");
    let typed: String = (0..8).map(entry).collect();
    let ran = place.reading(&typed, &[]);
    let told = "the limit `memory_bytes` of 1073741824 bytes of lists and dicts is reached";
    assert!(ran.err.contains(told), "{}", ran.err);
    // What nothing holds any more does not count.
    let again = typed.replace("x1 =", "x0 =").replace("x2 =", "x0 =");
    let again: String = again
        .lines()
        .take(3)
        .map(|line| format!("{line}\n"))
        .collect();
    let ran = place.reading(&again.repeat(2), &[]);
    assert!(ran.err.is_empty(), "{}", ran.err);
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
            "no text may have more than 16777216 bytes",
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
