//! Requests to stop, which the prompt makes of Ctrl-C: they end what their session does, and leave
//! other sessions alone.

use rasp::base::render::Style;
use rasp::repl::{Patience, Repl, Said};
use std::time::Duration;

fn answer(repl: &mut Repl, line: &str) -> String {
    repl.push(line).iter().map(Said::text).collect()
}

/// What a line answers that someone stops after a moment.
fn stopped(repl: &mut Repl, line: &str) -> String {
    let control = repl.control().clone();
    let person = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        control.stop();
    });
    let answer = answer(repl, line);
    person.join().expect("it only waits");
    answer
}

#[test]
fn what_runs_is_stopped_and_the_session_goes_on() {
    let mut repl = Repl::new(Style::Plain, Patience::None);
    answer(&mut repl, "x = 1;");
    // Each alone would take a minute, or run into a limit.
    for line in [
        "for i in range(100000) { for j in range(100000) { x = x + 1; } }",
        "def f(n) { for i in range(100000) { n = n + i; } return f(n); } f(1);",
        "set example range(100000);
         s = score(indices, tokens_int, lambda k, q: k * q % 1009);
         aggregate(select_best(full_s, s), indices);",
        "set example range(100000);
         aggregate(select(indices, tokens_int, lambda k, q: k * q % 1009 == 3), indices);",
        "set example range(200000);
         many = select(indices * 7 % 1009, indices, <) and select(tokens_int, indices, !=);
         aggregate(many or select(3 * indices % 89, indices * indices, >), indices / 3);",
    ] {
        let told = stopped(&mut repl, line);
        assert!(told.ends_with("interrupted\n"), "{line}\n{told}");
    }
    answer(&mut repl, "set example \"abc\"");
    assert_eq!(answer(&mut repl, "x;"), "    value: x =  1\n");
    assert_eq!(
        answer(&mut repl, "indices;"),
        "     s-op: indices\n \t Example: indices(\"abc\") = [0, 1, 2] (ints)\n"
    );
}

#[test]
fn a_request_is_that_of_one_session() {
    let mut one = Repl::new(Style::Plain, Patience::None);
    let mut other = Repl::new(Style::Plain, Patience::None);
    let control = one.control().clone();
    // Stopped in the middle of the entry of another.
    let person = std::thread::spawn(move || {
        for _ in 0..50 {
            std::thread::sleep(Duration::from_millis(2));
            control.stop();
        }
    });
    let line = "x = 0; for i in range(40000) { x = x + 1; } x;";
    assert_eq!(
        answer(&mut other, line),
        "    value: x =  0\n    value: x =  40000\n"
    );
    person.join().expect("it only waits");
    assert_eq!(answer(&mut one, "1;"), "    value: out =  1\n");
}
