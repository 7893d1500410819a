//! `repeat`: its rounds are what a loop would give, whose names are handed on by hand; what goes from
//! round to round, what stays inside, and what the schedule says of it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::session;
use rasp::graph::Sharing;
use rasp::session::Session;

/// What an expression is after a program, on an input if it is an s-op.
fn shown(program: &str, expression: &str) -> String {
    let mut session = session("rounds.rasp", program);
    let value = session.expression(expression).unwrap();
    value.repr()
}

/// The same s-ops as of a loop over a list.
#[test]
fn rounds_are_those_of_a_loop() {
    let body = "
        before = aggregate(select(indices, indices - stride, ==), sum, 0);
        sum = sum + before;
        stride = stride * 2;";
    for times in 0..5 {
        let program = format!(
            "repeat {times} (sum = indices, stride = zero + 1) {{ {body} }}
            by_rounds = sum;
            sum, stride = indices, zero + 1;
            for _ in range({times}) {{ {body} }}
            by_hand = sum;"
        );
        let mut session = session("rounds.rasp", &format!("zero = indices * 0; {program}"));
        let both = ["by_rounds", "by_hand"].map(|name| session.sop(name).unwrap());
        assert_eq!(both[0], both[1], "{times}");
    }
}

#[test]
fn names_are_carried_together() {
    let swapped = |times: usize| {
        let program = format!("x = indices; repeat {times} (x = tokens, y = x) {{ x, y = y, x; }}");
        (shown(&program, "x(\"ab\")"), shown(&program, "y(\"ab\")"))
    };
    let (tokens, indices) = ("[a, b] (strings)".to_string(), "[0, 1] (ints)".to_string());
    assert_eq!(swapped(0), (tokens.clone(), indices.clone()));
    assert_eq!(swapped(1), (indices.clone(), tokens.clone()));
    assert_eq!(swapped(2), (tokens, indices));
}

#[test]
fn rounds_nest_and_stand_in_functions() {
    let program = "
        def grown(seq, times) {
            repeat times (x = seq) {
                repeat (times + 1) (y = x) { y = y + 1; }
                for _ in range(2) { x = x + y; }
            }
            return x;
        }";
    // In each round x becomes x + 2 (x + 3).
    assert_eq!(
        shown(program, "grown(indices, 2)(\"ab\")"),
        "[24, 33] (ints)"
    );
}

#[test]
fn what_a_round_sets_stays_inside() {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(
        "rounds.rasp",
        "inner = 7; repeat 2 (x = indices) { inner = x + 1; other = inner; x = other; }",
    );
    assert!(session.take_diagnostics().is_empty());
    assert_eq!(session.expression("inner").unwrap().repr(), "7");
    assert!(session.expression("other").is_err());
    assert_eq!(
        session.expression("x(\"ab\")").unwrap().repr(),
        "[2, 3] (ints)"
    );
}

/// An assertion inside is counted in every round, and one that does not hold ends no round.
#[test]
fn assertions_run_in_every_round() {
    let mut session = Session::new(Sharing::Equal);
    let program = "repeat 3 (x = indices) { assert x(\"ab\") != [1, 2]; x = x + 1; }";
    let events = session.load_text("rounds.rasp", program);
    let asserted = events.iter();
    let asserted = asserted.filter(|event| matches!(event, rasp::session::Event::Asserted(_)));
    assert_eq!(asserted.count(), 3);
    assert_eq!(session.take_diagnostics().len(), 1);
    assert_eq!(
        session.expression("x(\"ab\")").unwrap().repr(),
        "[3, 4] (ints)"
    );
}

#[test]
fn schedules_say_which_layers_repeat() {
    let program = "load \"sorting\"; load \"dyck\"; load \"arithmetic\";
        flat = indices;
        repeat 3 (flat = flat) { flat = flat + 1; }
        uneven = tokens;
        def last(seq) { return aggregate(select(indices, length - 1, ==), seq); }
        repeat 2 (once = indices, twice = indices) { once, twice = twice, last(last(once)); }";
    let mut session = session("rounds.rasp", program);
    let mut table = |expression: &str| {
        let sop = session.sop(expression).unwrap();
        let schedule = session.schedule(sop);
        let json = schedule.to_json(session.graph());
        let repeats = json
            .get("repeats")
            .map_or("none".to_string(), |it| it.to_string());
        format!(
            "{expression}\n{repeats}\n{}",
            schedule.table(session.graph())
        )
    };
    let tables = [
        "bounded_dyck_rounds(tokens, [\"()\", \"{}\"], 4)",
        "bubble_sort(tokens, 3)",
        "running_parity_by_doubling(tokens, \"1\", 1)",
        "flat",
        "once",
    ]
    .map(&mut table);
    insta::assert_snapshot!(tables.join("\n"));
}
