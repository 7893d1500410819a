//! `rasp puzzle`, through the program itself: every puzzle takes its solution and the other right
//! attempts that its file lists, and refuses the wrong ones with an input that shows why.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::place::Place;
use rasp::graph::Sharing;
use rasp::session::Session;
use std::path::PathBuf;
use std::process::Command;

struct Ran {
    status: i32,
    out: String,
    err: String,
}

fn rasp(arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_rasp"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    Ran {
        status: output.status.code().expect("ended by itself"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The puzzles' files in order: the name, and the text.
fn puzzles() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        (name, std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}

/// The attempts that a puzzle's file lists, as programs.
fn attempts(text: &str, key: &str) -> Vec<String> {
    let key = format!("# {key}: ");
    let found = text.lines().filter_map(|line| line.strip_prefix(&key));
    found
        .map(|attempt| match attempt.contains("answer = ") {
            true => attempt.to_string(),
            false => format!("answer = {attempt};"),
        })
        .collect()
}

fn check(puzzle: &str, program: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.rasp");
    std::fs::write(&path, program).unwrap();
    rasp(&["puzzle", puzzle, "--check", path.to_str().unwrap()])
}

/// How many lines of a puzzle's file say something.
fn said(text: &str, key: &str) -> usize {
    let key = format!("# {key}:");
    text.lines().filter(|line| line.starts_with(&key)).count()
}

#[test]
fn every_file_is_a_whole_puzzle() {
    let files = puzzles();
    assert_ne!(rasp(&["puzzle", &(files.len() + 1).to_string()]).status, 0);
    for (at, (stem, text)) in files.iter().enumerate() {
        assert!(stem.starts_with(&format!("{:02}-", at + 1)), "{stem}");
        let [title, task, example, hint] =
            ["title", "task", "example", "hint"].map(|key| said(text, key));
        assert_eq!((title, task, example), (1, 1, 2), "{stem}");
        assert!(hint >= 2, "{stem}");
        let mut session = Session::new(Sharing::Equal);
        session.load_text(stem, text);
        let told = session.take_diagnostics();
        assert!(told.is_empty(), "{stem}: {told:?}");
        let settings = &session.settings;
        let vocabulary = settings.vocabulary.as_ref().unwrap();
        assert!(!vocabulary.is_empty() && settings.max_length > Some(0));
    }
}

#[test]
fn puzzles_go_by_number_and_name() {
    let third = rasp(&["puzzle", "3"]);
    assert_eq!(third.status, 0, "{}", third.err);
    for wanted in ["03", "shift-right", "Shift-Right", "03-shift-right.rasp"] {
        let ran = rasp(&["puzzle", wanted]);
        assert_eq!((ran.status, &ran.out), (0, &third.out), "{wanted}");
    }
    let last = rasp(&["puzzle", "10"]);
    assert_eq!(rasp(&["puzzle", "10-balanced-brackets"]).out, last.out);
    assert_ne!(last.out, third.out);
    for wanted in ["", "0", "11", "shift", "-3"] {
        let ran = rasp(&["puzzle", "--", wanted]);
        let refused = ran.status == 2 && ran.err.contains("no such puzzle");
        assert!(refused, "{wanted}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn right_attempts_are_taken() {
    for (name, text) in puzzles() {
        let solution = rasp(&["puzzle", &name, "--solution"]);
        assert_eq!(solution.status, 0, "{}", solution.err);
        let ran = check(&name, &solution.out);
        assert_eq!((ran.status, &*ran.err), (0, ""), "{name}: {}", ran.out);
        assert!(ran.out.starts_with("Solved: "), "{name}: {}", ran.out);
        let others = attempts(&text, "right");
        let mut tried = 0;
        for attempt in &others {
            let ran = check(&name, attempt);
            assert_eq!((ran.status, &*ran.err), (0, ""), "{attempt}: {}", ran.out);
            tried += usize::from(!ran.out.starts_with("Solved: the same program"));
        }
        // Else the comparison itself has not been tested.
        assert!(tried > 0, "{name}: all right attempts are the solution");
    }
}

#[test]
fn wrong_attempts_are_shown_an_input() {
    let mut shown = String::new();
    for (name, text) in puzzles() {
        let wrong = attempts(&text, "wrong");
        assert!(wrong.len() >= 2, "{name}");
        for attempt in &wrong {
            let ran = check(&name, attempt);
            assert_eq!(ran.status, 1, "{name}: {attempt}\n{}", ran.out);
            assert!(ran.out.contains("expected"), "{attempt}\n{}", ran.out);
            shown.push_str(&format!("{name}: {attempt}\n{}{}\n", ran.out, ran.err));
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn the_list_and_a_task() {
    let mut shown = rasp(&["puzzle"]).out;
    for arguments in [
        &["puzzle", "3"][..],
        &["puzzle", "shift-right", "--hint"],
        &["puzzle", "9", "--hint", "7"],
        &["puzzle", "10-balanced-brackets"],
    ] {
        let ran = rasp(arguments);
        assert_eq!((ran.status, &*ran.err), (0, ""));
        shown.push_str(&format!("\n$ rasp {}\n{}", arguments.join(" "), ran.out));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn verdicts_for_tools() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.rasp");
    let verdict = |program: &str| {
        std::fs::write(&path, program).unwrap();
        let ran = rasp(&["puzzle", "1", "--check", path.to_str().unwrap(), "--json"]);
        serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()
    };
    let wrong = verdict("answer = indices;");
    assert_eq!(wrong["solved"], false);
    assert_eq!(wrong["got"], serde_json::json!([0, 1]));
    let right = verdict("answer = length - 1 - indices;");
    assert_eq!(right["solved"], true, "{right}");
    assert!(right["solution"]["layers"].is_u64(), "{right}");
}

/// The tail of a wrong answer of a million characters tells nothing.
#[test]
fn long_results_are_cut() {
    let long = "def f(x) { return x + x; } s = \"a\"; for i in range(20) { s = f(s); } answer = s;";
    let ran = check("3", long);
    assert_eq!(ran.status, 1);
    assert!(ran.out.len() < 2000 && ran.out.contains('…'), "{}", ran.out);
}

#[test]
fn programs_that_cannot_be_graded() {
    for (program, reason) in [
        ("x = tokens;", "the program does not define `answer`"),
        ("answer = full_s;", "an s-op is needed, not a selector"),
        ("anwser = tokens;", "did you mean it by `anwser`?"),
        ("answer = tokens +;", "[E0104]"),
        // The solution's names are not the program's, nor the other way round.
        ("answer = left;", "[E0201]"),
        ("def f(a) { return f(a); } answer = f(1);", "[E08"),
    ] {
        let ran = check("3", program);
        assert_eq!((ran.status, &*ran.out), (1, ""), "{program}");
        assert!(ran.err.contains(reason), "{program}: {}", ran.err);
    }
    let ran = check("3", "left = tokens; answer = 1/indices;");
    assert!(ran.out.contains("an error: [E0407]"), "{}", ran.out);
    assert_eq!(check("3", "answer = 1;").status, 1);
    let own = "left = 3; set vocab \"-\"\nset max_length 1\nanswer = shift(tokens, 1, \"-\");";
    assert_eq!(check("3", own).status, 0);
    for wrong in [
        &["puzzle", "11"][..],
        &["puzzle", "--hint"],
        &["puzzle", "1", "--hint", "0"],
        &["puzzle", "1", "--hint", "--solution"],
    ] {
        assert_eq!(rasp(wrong).status, 2, "{wrong:?}");
    }
}

/// A teacher's own puzzle is a file like ours.
#[test]
fn puzzles_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let front =
        "# title: Two to the right\n# task:\n#   The token two to the left.\n# example: abc\n";
    let solution = "set vocab \"ab\"\nset max_length 4\nanswer = shift(tokens, 2, \"-\");\n";
    let own = file("own.rasp", &format!("{front}\n{solution}"));
    let shown = rasp(&["puzzle", &own]);
    assert!(
        shown.out.contains("answer(\"abc\") = [-, -, a] (strings)"),
        "{}",
        shown.out
    );
    assert!(
        shown
            .out
            .contains(&format!("rasp puzzle {own} --check FILE")),
        "{}",
        shown.out
    );
    assert_eq!(rasp(&["puzzle", &own, "--solution"]).out, solution);
    assert_eq!(check(&own, "answer = tokens;").status, 1);
    let right = check(&own, "answer = shift(shift(tokens, 1, \"-\"), 1, \"-\");");
    assert_eq!(right.status, 0, "{}", right.out);
    // Without a blank line, and with tokens that are words.
    let words = "set vocab [\"the\", \"cat\"]\nset max_length 4\nanswer = tokens;\n";
    let glued = file(
        "glued.rasp",
        &format!(
            "# title: A\n# task: Say it.\n# example: [\"the\", \"cat\"]\n# hint: Look.\n{words}"
        ),
    );
    let shown = rasp(&["puzzle", &glued]).out;
    assert!(
        shown.contains("answer(['the', 'cat']) = [the, cat] (strings)"),
        "{shown}"
    );
    assert_eq!(rasp(&["puzzle", &glued, "--solution"]).out, words);
    let hint = rasp(&["puzzle", &glued, "--hint"]).out;
    assert!(hint.starts_with("Hint 1\n\n    Look.\n\n"), "{hint}");
    for (text, reason) in [
        (solution.to_string(), "has no title"),
        (
            format!("# exmaple: ab\n{front}\n{solution}"),
            "did you mean `# example: …`?",
        ),
        (
            format!("{front}# example: [indices]\n{solution}"),
            "no list of tokens",
        ),
        ("# title: A\n\nanswer = tokens;".to_string(), "has no task"),
        (format!("{front}\nanswer = tokens;"), "sets no vocabulary"),
        (
            format!("{front}\nset vocab \"a\"\nanswer = tokens;"),
            "sets no length",
        ),
        (
            format!("{front}\nset vocab \"a\"\nset max_length 2\nx = 1;"),
            "does not define",
        ),
        (
            format!("{front}\nset vocab \"a\"\nset max_length 2\nanswer = full_s;"),
            "is a selector, where an s-op is needed",
        ),
        (format!("{front}\nanswer = tokns;"), "[E0201]"),
    ] {
        let ran = rasp(&["puzzle", &file("wrong.rasp", &text)]);
        assert_eq!((ran.status, &*ran.out), (1, ""), "{text}");
        assert!(ran.err.contains(reason), "{text}: {}", ran.err);
    }
}

/// Any other that fails would be as good.
#[test]
fn a_solution_that_always_fails_solves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let head = "# title: A\n# task: B\n\nset vocab \"ab\"\nset max_length 3\n";
    let puzzle = write("always.rasp", &format!("{head}answer = 1 / indices;"));
    let mine = write("mine.rasp", "answer = 2 / indices;");
    let ran = rasp(&["puzzle", &puzzle, "--check", &mine]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("fails on all inputs"), "{}", ran.err);
}

/// A class's answers: a line for each, and the errors of those that do not run.
#[test]
fn the_answers_of_a_class() {
    let folder = tempfile::tempdir().unwrap();
    for (name, answer) in [
        ("ann", "answer = shift(tokens, 1, \"-\");"),
        ("bob", "answer = shift(tokens, -1, \"-\");"),
        ("cleo", "answer = shfit(tokens, 1, \"-\");"),
        ("dan", "anwser = tokens;"),
    ] {
        std::fs::write(folder.path().join(format!("{name}.rasp")), answer).unwrap();
    }
    let class = folder.path().to_str().unwrap();
    let plain = |text: &str| text.replace(&format!("{class}/"), "");
    let ran = rasp(&["puzzle", "3", "--check", class]);
    assert_eq!(ran.status, 1);
    let (_, rows) = ran.out.split_once('\n').unwrap();
    insta::assert_snapshot!(plain(rows));
    let ran = rasp(&["puzzle", "3", "--check", class, "--json"]);
    insta::assert_snapshot!(plain(&ran.out));
    let [ann, bob] = ["ann", "bob"].map(|name| format!("{class}/{name}.rasp"));
    let ran = rasp(&["puzzle", "3", "--check", &ann, &bob]);
    assert!(ran.out.ends_with("\n1 of 2 solved\n"), "{}", ran.out);
    let ran = rasp(&["puzzle", "3", "--check", &ann, &ann]);
    assert_eq!(ran.status, 0);
}

/// What is wrong with the puzzle is told once, before any answer is graded; hidden files are no answers, and
/// floats that look alike are shown with all digits.
#[test]
fn puzzles_are_looked_at_before_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
    let head = "\u{feff}# title: t\n# task: t\n\nset vocab \"ab\"\nset max_length 4\n";
    std::fs::create_dir(path("class")).unwrap();
    write("class/ann.rasp", "answer = indices / 10;");
    write("class/._ann.rasp", "?");
    write("none.rasp", head);
    let ran = rasp(&["puzzle", &path("none.rasp"), "--check", &path("class")]);
    assert_eq!((ran.status, &*ran.out), (1, ""));
    assert!(
        ran.err.contains("does not define the s-op `answer`"),
        "{}",
        ran.err
    );
    write("tenths.rasp", &format!("{head}answer = indices * 0.1;"));
    let ran = rasp(&["puzzle", &path("tenths.rasp"), "--check", &path("class")]);
    assert!(ran.out.ends_with("0 of 1 solved\n"), "{}", ran.out);
    assert!(ran.out.contains("0.30000000000000004"), "{}", ran.out);
}

/// What is shown to people is given to programs, too.
#[test]
fn puzzles_are_given_as_json() {
    let place = Place::new();
    let of = |command: &str| -> Vec<serde_json::Value> {
        let ran = place.shell(command);
        assert_eq!(ran.status, 0, "{}", ran.shown());
        let lines = ran.out.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let listed = of("rasp puzzle --json");
    assert_eq!(listed.len(), 10);
    assert_eq!(listed[8]["name"], "sort");
    for (options, what) in [
        ("", "task"),
        ("--hint", "hints"),
        ("--solution", "solution"),
    ] {
        let one = of(&format!("rasp puzzle 9 {options} --json"));
        assert_eq!((one.len(), &one[0]["puzzle"]), (1, &serde_json::json!(9)));
        let text = place.shell(&format!("rasp puzzle 9 {options}")).out;
        let shown = one[0][what].as_str().unwrap();
        assert!(!text.is_empty());
        assert_eq!(shown.trim_end(), text.trim_end());
    }
}
