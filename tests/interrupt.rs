//! A request to stop, which the prompt makes of Ctrl-C, in a process of its own: requests belong to
//! the process.

use rasp::base::interrupt;
use rasp::base::render::Style;
use rasp::repl::{Part, Patience, Repl};
use std::time::Duration;

fn answer(repl: &mut Repl, line: &str) -> String {
    repl.push(line).iter().map(Part::text).collect()
}

/// What a line answers that someone stops after a moment.
fn stopped(repl: &mut Repl, line: &str) -> String {
    let person = std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(200));
        interrupt::request();
    });
    let answer = answer(repl, line);
    person.join().expect("it only waits");
    answer
}

#[test]
fn what_runs_is_stopped_and_the_session_goes_on() {
    let mut repl = Repl::new(Style::Plain, Patience::None);
    answer(&mut repl, "x = 1;");
    // Each alone would take seconds or minutes, or run into a limit.
    for line in [
        "for i in range(100000) { for j in range(100000) { x = x + 1; } }",
        "def f(n) { for i in range(100000) { n = n + i; } return f(n); } f(1);",
        "set example range(4000);
         aggregate(select_best(full_s, score(indices, tokens_int, lambda k, q: k * q)), indices);",
        "set example range(200000);
         many = select(indices * 7 % 1009, indices, <) and select(tokens_int, indices, !=);
         aggregate(many or select(3 * indices % 89, indices * indices, >), indices / 3);",
    ] {
        let told = stopped(&mut repl, line);
        assert!(told.ends_with("interrupted\n"), "{line}\n{told}");
    }
    answer(&mut repl, "set example \"abc\"");
    assert_eq!(answer(&mut repl, "x;"), "    value: out =  1\n");
    assert_eq!(
        answer(&mut repl, "indices;"),
        "     s-op: out\n \t Example: out(\"abc\") = [0, 1, 2] (ints)\n"
    );
}
