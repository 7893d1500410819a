//! The prompt, held against transcripts: `tests/repl/*.txt` are lines as they are typed, each
//! snapshot beside them what the screen then shows.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::property;

use proptest::prelude::*;
use rasp::base::render::Style;
use rasp::repl::{Assistant, Completions, Patience, Repl, Said, highlight, run_transcript};

fn type_lines(repl: &mut Repl, lines: &str) -> String {
    let mut screen = String::new();
    for line in lines.lines() {
        let prompt = if repl.is_pending() { "" } else { ">> " };
        screen.push_str(&format!("{prompt}{line}\n"));
        for part in repl.push(line) {
            screen.push_str(part.text());
        }
    }
    for part in repl.end() {
        screen.push_str(part.text());
    }
    screen
}

/// A session that reads a pipe.
fn piped() -> Repl {
    Repl::new(Style::Plain, Patience::NextLine)
}

/// What the lines print, prompts left out.
fn printed(lines: &str) -> String {
    let mut repl = Repl::new(Style::Plain, Patience::None);
    let parts: Vec<Said> = lines.lines().flat_map(|line| repl.push(line)).collect();
    parts.iter().map(Said::text).collect()
}

#[test]
fn transcripts() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/repl");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut inputs: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    inputs.sort();
    assert!(!inputs.is_empty());
    for input in inputs {
        let mut repl = Repl::new(Style::Plain, Patience::None);
        let screen = type_lines(&mut repl, &std::fs::read_to_string(&input).unwrap());
        let name = input.file_stem().unwrap().to_str().unwrap();
        settings.bind(|| insta::assert_snapshot!(name, screen));
    }
}

/// `tests/reference/transcripts` are sessions with the reference implementation: the lines typed,
/// each after `>> `, then what it prints, or `error:` and its message. Ours prints the same bytes, and
/// an error in its own words where there is one, but where `≠` says why not.
#[test]
fn transcripts_of_the_reference() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/transcripts");
    let (mut differences, mut wrong) = (String::new(), String::new());
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut repl = Repl::new(Style::Plain, Patience::NextLine);
        let mut lines = text.lines().peekable();
        while lines.peek().is_some() {
            let mut typed = String::new();
            let mut parts = Vec::new();
            while let Some(line) = lines.next_if(|line| line.starts_with(">> ")) {
                typed.push_str(&format!("{line}\n"));
                parts.extend(repl.push(&line[3..]));
            }
            let (mut expected, mut fails, mut reason) = (String::new(), false, None);
            while let Some(line) = lines.next_if(|line| !line.starts_with(">> ")) {
                fails |= line.starts_with("error: ");
                match line.strip_prefix("≠ ") {
                    Some(why) => reason = Some(why),
                    None if line.starts_with("error: ") => {}
                    None => expected.push_str(&format!("{line}\n")),
                }
            }
            let error =
                |part: &Said| matches!(part, Said::Diagnostic(text) if text.contains("Error:"));
            let failed = parts.iter().any(error);
            let outputs = parts.iter().filter_map(|part| match part {
                Said::Output(text) => Some(text.as_str()),
                Said::Diagnostic(_) => None,
            });
            let found: String = outputs.collect();
            let same = found == expected && failed == fails;
            let shown: String = parts.iter().map(Said::text).collect();
            match reason {
                None if same => {}
                None => wrong.push_str(&format!(
                    "{}\n{typed}{shown}expected:\n{expected}",
                    file.display()
                )),
                Some(why) => {
                    assert!(!same, "no difference any more: {typed}{why}");
                    differences.push_str(&format!("{typed}≠ {why}\n{shown}\n"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    insta::assert_snapshot!(differences);
}

/// Bytes that the reference implementation prints.
#[test]
fn entries_are_the_references() {
    let cases = [
        (
            "indices;",
            "     s-op: indices\n \t Example: indices(\"hello\") = [0, 1, 2, 3, 4] (ints)\n",
        ),
        (
            "x = length;",
            "     s-op: x\n \t Example: x(\"hello\") = [5]*5 (ints)\n",
        ),
        ("x = 1/3;", "    value: x =  0.3333333333333333\n"),
        ("x = \"a\";", "    value: x =  \"a\"\n"),
        ("x = 10.0^26;", "    value: x =  1e+26\n"),
        ("l = [1, \"a\", True];", "     list: l = [1, 'a', True]\n"),
        ("d = {\"a\": 1};", "     dict: d = {'a': 1}\n"),
        ("l = [];", "     list: l = []\n"),
        (
            "x, y = 1, \"b\";",
            "    value: x =  1\n    value: y =  \"b\"\n",
        ),
        (
            "def f(a, b) { return a + b; }",
            "     console function: f(a, b)\n",
        ),
        (
            "def f(x) { def inner(y) { return y; } return inner; } f(1);",
            "     console function: f(x)\n     console' function: inner(y)\n",
        ),
        ("indices(\"abc\");", "\t =  [0, 1, 2] (ints)\n"),
        (
            "(indices/3)(\"abc\");",
            "\t =  [0.0, 0.333, 0.667] (floats)\n",
        ),
        ("(indices > 0)(\"ab\");", "\t =  [F, T] (bools)\n"),
        (
            "s = select(indices, indices, <);",
            "     selector: s\n \t Example:\n \t\t\t     h e l l o\n \t\t\t h |          \n \
             \t\t\t e | 1        \n \t\t\t l | 1 1      \n \t\t\t l | 1 1 1    \n \
             \t\t\t o | 1 1 1 1  \n",
        ),
        (
            "select(indices, indices, ==)(\"ab\");",
            "\t = \n \t\t\t     a b\n \t\t\t a | 1  \n \t\t\t b |   1\n",
        ),
        (
            "examples off\nl = [1, [2], indices, full_s];",
            "     list: l =  [\n\t\t    value:  1\n\t\t     list: [2]\n\t\t     s-op: indices\n\
             \t\t     selector: full_s\n               ]\n",
        ),
        (
            "d = {\"k\": [1], 2: \"v\"};",
            "     dict: d =  {\n\t\t\t \"k\" :     list: [1]\n\t\t\t    value:  \"v\"\n\
             \x20              }\n",
        ),
        (
            "full seq display on\nx = indices/2;",
            "     s-op: x\n \t Example:\n \t\tinput:     h   e   l   l   o \t (strings)\n \
             \t\toutput:  0.0 0.5 1.0 1.5 2.0 \t (floats)\n",
        ),
        (
            "full seq display on\nlength;",
            "     s-op: length\n \t Example: length(\"hello\") = [5]*5 (ints) [skipped full display: \
             identical values]\n",
        ),
        (
            "full seq display on\nlength(\"ab\");",
            "\t =   [2]*2 (ints) [skipped full display: identical values]\n",
        ),
        (
            "full seq display on\n(indices > 0)(\"abc\");",
            "\t = \n \t\tinput:   a b c \t (strings)\n \t\toutput:  F     \t (bools)\n",
        ),
        (
            "show example\nset s-op example \"abc\"\nset selector example [1, \"b\"]\nshow example",
            "\ts-op example: \"hello\"\n\tselector example: \"hello\"\n\ts-op example: \"abc\"\n\
             \tselector example: [1, 'b']\n",
        ),
        (
            "s-op examples off\nindices;\nshow s-op example",
            "     s-op: indices\n\ts-op example: \"hello\"\n",
        ),
        ("for i in [1, 2] { x = i; }", ""),
    ];
    for (lines, expected) in cases {
        assert_eq!(printed(lines), expected, "{lines}");
    }
}

#[test]
fn errors_leave_names_as_they_were() {
    let lines = "x = 1;\nfor x in [2, 3, 0] { y = 1/(x - 3); }\nx;\ny;\nx = 1 +* 2;\nx;";
    let screen = printed(lines);
    assert_eq!(screen.matches("value: x =  1\n").count(), 3, "{screen}");
    assert!(screen.contains("`y` is not defined"), "{screen}");
}

#[test]
fn a_program_on_a_pipe() {
    let program = b"a = indices\n  + 1;\nb = 2\nc = 3;\n\ndef f(x) {\n\n  y = x\n  return y;\n}\n\
                    \xff;\ntokens_int;\nset example [1,\n2]\ntokens_int;\nlast = 1\n:type last\n\
                    x = {\"a\"\n: 1};\nunfinished = [1,";
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = run_transcript(piped(), None, &program[..], &mut out, &mut err);
    assert_eq!(status, 1, "some entries fail");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("repl");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let (out, err) = (String::from_utf8(out), String::from_utf8(err));
    let both = format!("{}--- standard error\n{}", out.unwrap(), err.unwrap());
    settings.bind(|| insta::assert_snapshot!("pipe", both));
}

#[test]
fn a_session_can_be_saved_and_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.rasp");
    let path = file.with_extension("");
    let path = path.to_str().unwrap();
    let mut repl = Repl::new(Style::Plain, Patience::None);
    let typed = format!(
        "## One more.\ndef next(x) {{ return x + 1; }}\na = next(1)\nb = 1/0;\n:save {path}\n"
    );
    type_lines(&mut repl, &typed);
    let saved = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        saved,
        "## One more.\ndef next(x) { return x + 1; }\na = next(1);\n"
    );
    let again = type_lines(&mut repl, &format!(":save {path}"));
    assert!(again.contains("exists"), "{again}");
    type_lines(&mut repl, &format!("c = 1;\n:save! {path}"));
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .ends_with("c = 1;\n")
    );

    let mut other = Repl::new(Style::Plain, Patience::None);
    let loaded = type_lines(&mut other, &format!(":load {path}\nhelp next\na;"));
    assert!(loaded.contains("One more."), "{loaded}");
    assert!(loaded.contains(">> a;\n    value: a =  2"), "{loaded}");
    std::fs::write(&file, "a = 7;\n").unwrap();
    let reloaded = type_lines(&mut other, ":reload\na;");
    assert!(reloaded.contains("value: a =  7"), "{reloaded}");
    assert!(printed(":save /nowhere/at/all").contains("nothing to save"));
    assert!(printed("a = 1\n:save /nowhere/at/all").contains("could not be written"));
}

#[test]
fn files_are_saved_where_they_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let told = |command: &str| printed(&format!("examples off\na = 1\n{command}"));
    for place in [format!("{path}/"), path.to_string(), format!("{path}/sub/")] {
        for command in [":save", ":save!"] {
            let told = told(&format!("{command} {place}"));
            assert!(told.contains("is a folder"), "{told}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let nowhere = told(":save /nowhere/at/all");
    assert!(
        nowhere.contains("/nowhere/at/all.rasp could not be written"),
        "{nowhere}"
    );
    assert!(!nowhere.contains(".rasp-"), "{nowhere}");
    #[cfg(unix)]
    {
        let (file, link) = (
            folder.path().join("file.rasp"),
            folder.path().join("link.rasp"),
        );
        std::fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        told(&format!(":save! {}", link.display()));
        assert!(link.is_symlink());
        assert_eq!(
            std::fs::read_to_string(file).unwrap(),
            "examples off\na = 1;\n"
        );
    }
}

/// Tokens cannot move the cursor of the terminal or break the lines of a table.
#[test]
fn control_characters_are_shown_escaped() {
    let screen = printed(
        "set example \"a\\u{1b}\\nb\"\ntokens;\nselect(tokens, tokens, ==);\nfull seq display on\n\
         tokens;\ntokens(\"\\u{7f}\");",
    );
    assert!(
        screen.contains("[a, \\u{1b}, \\n, b] (strings)"),
        "{screen}"
    );
    assert!(screen.contains("\n \t\t\t \\u{1b} |   1"), "{screen}");
    let strange = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!screen.contains(strange), "{screen:?}");
}

#[test]
fn pages_of_codes_are_printed() {
    for (asked, page) in [
        ("e0201", include_str!("../docs/errors/E0201.md")),
        ("201", include_str!("../docs/errors/E0201.md")),
        ("W0101", include_str!("../docs/errors/W0101.md")),
    ] {
        assert_eq!(printed(&format!(":explain {asked}")), page);
    }
    assert!(printed(":explain E0201;").starts_with("# E0201"));
    let list = printed(":explain");
    assert!(
        list.contains("E0201  a name that nothing defines\n"),
        "{list}"
    );
    assert_eq!(list.lines().count(), rasp::base::Code::ALL.len());
}

/// Whatever the program, 80 columns are enough.
#[test]
fn drawings_fit_a_terminal() {
    use unicode_width::UnicodeWidthStr;
    let mut drawn = 0;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let lines = format!("load \"{}\";\n:draw {name}", path.display());
        let drawing = printed(&lines);
        let drawing = drawing.lines().skip_while(|line| *line != "embedding");
        for line in drawing {
            drawn += 1;
            assert!(line.width() <= 80, "{name}: {line}");
        }
    }
    assert!(drawn > 100, "{drawn} lines");
    let wide =
        printed(":draw tokens == \"漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\"");
    assert!(wide.lines().all(|line| line.width() <= 80), "{wide}");
}

#[test]
fn the_interactive_prompt_helps() {
    let mut repl = Repl::new(Style::Plain, Patience::None);
    type_lines(
        &mut repl,
        "## Long.\n## Really.\ndef longish(alpha, beta) { return alpha; }",
    );
    let assistant = Assistant::new(&mut repl);
    let words = |line: &str| match assistant.complete(line, line.len()) {
        Completions::Words { start, candidates } => (start, candidates),
        Completions::Path { start, .. } => (start, vec!["a path".to_string()]),
    };
    assert_eq!(words("x = long"), (4, vec!["longish".to_string()]));
    assert_eq!(words("x = é+selector_w").1, ["selector_width"]);
    assert_eq!(words(":sc"), (0, vec![":schedule".to_string()]));
    assert_eq!(words("x = \"long"), (5, Vec::new()));
    assert_eq!(words("x = 1; # long"), (9, Vec::new()));
    assert_eq!(words("load \"exam"), (6, vec!["a path".to_string()]));
    assert_eq!(words(":load exam"), (6, vec!["a path".to_string()]));
    let hint = |line: &str| assistant.hint(line, line.len());
    assert_eq!(hint("longish(1, [2, "), Some("longish(alpha, beta): Long."));
    assert_eq!(
        hint("round(tokens_float,"),
        Some("round(number): The nearest int, halves to the even one.")
    );
    assert!(hint("length(").is_some_and(|hint| hint.starts_with("length(input): ")));
    assert_eq!(hint("longish(1)"), None);
}

#[test]
fn completion_knows_what_may_stand_where() {
    let mut repl = Repl::new(Style::Plain, Patience::None);
    let assistant = Assistant::new(&mut repl);
    let words = |text: &str| match assistant.complete(text, text.len()) {
        Completions::Words { candidates, .. } => candidates,
        Completions::Path { start, .. } => vec![format!("a path from {start}")],
    };
    for (text, expected) in [
        (":\u{a0}lo", &[][..]),
        (": lo", &[]),
        ("full", &["full seq display", "full_s"]),
        ("full ", &["seq display"]),
        ("full seq display o", &["off", "on"]),
        ("x = 1;\nexamples o", &["off", "on"]),
        ("set ma", &["max_length"]),
        ("set causal ", &["off", "on"]),
        ("x = set_", &[]),
        (":explain E0201", &["E0201"]),
        (":help :sc", &[":schedule"]),
        ("help :sc", &[":schedule"]),
        (":type selector_w", &["selector_width"]),
        (":l al", &["a path from 3"]),
        (":save! with blank", &["a path from 7"]),
        ("load \"with blank", &["a path from 6"]),
        ("def f(alpha) {\n  beta = al", &["alpha"]),
        ("def f(alpha) {\n  beta = alpha;\n  return be", &["beta"]),
    ] {
        assert_eq!(words(text), expected, "{text}");
    }
}

#[test]
fn the_enter_key_goes_on_where_more_is_needed() {
    let inserted = |text: &str| Assistant::line_break(text, text.len());
    for complete in [
        "x = 1",
        "",
        "a b",
        ":type [",
        "## doc\n",
        "f(1,\n\n",
        "x = 1;\ny = 2",
    ] {
        assert_eq!(inserted(complete), None, "{complete}");
    }
    for (text, blanks) in [
        ("def f(x) {", 2),
        ("def f(x) {\n  y = [1,", 4),
        ("def f(x) {\n  y = 1;\n", 2),
        ("def f(x) {\n\n  y = 1;\n\n\n  z = 1;", 2),
        (
            "def f(x) {\n  for i in x {\n    y = 1;\n  }\n  return x;",
            0,
        ),
        ("x = 1 +", 0),
        ("## doc", 0),
        (":type 1\ndef f(x) {", 2),
    ] {
        assert_eq!(
            inserted(text),
            Some(format!("\n{}", " ".repeat(blanks))),
            "{text}"
        );
    }
}

/// What is pasted is read like a program: statements may be spread over lines, and commands of the
/// prompt stand on lines of their own.
#[test]
fn pastes_are_read_line_by_line() {
    let pasted = |text: &str| {
        let mut repl = Repl::new(Style::Plain, Patience::None);
        let parts = repl.push(text);
        assert!(!repl.is_pending(), "{text}");
        parts.iter().map(Said::text).collect::<String>()
    };
    for (text, expected) in [
        (
            "x = 1;\n:type x\ny = 2;",
            "    value: x =  1\nint\n    value: y =  2\n",
        ),
        (":type 1\r\n:type \"a\"", "int\nstring\n"),
        ("x = 1\ny = 2", "    value: x =  1\n    value: y =  2\n"),
        ("x = 1\n  + 2", "    value: x =  3\n"),
        (
            "def f(x) {\n\n\n  return x;\n}\n",
            "     console function: f(x)\n",
        ),
    ] {
        assert_eq!(pasted(text), expected, "{text}");
    }
    let wrong = pasted("x = 1;\n\ny =\n  qq;");
    assert!(wrong.contains("[ console:4:3 ]"), "{wrong}");
}

#[test]
fn empty_lines_end_a_stuck_entry_and_say_so() {
    let screen = printed("def f(x) {\n\n  y = x;\n\n\n1;");
    assert!(screen.contains("[E0105]"), "{screen}");
    let told = "two empty lines have ended this entry; the up arrow brings it back\n";
    assert!(
        screen.ends_with(&format!("{told}    value: out =  1\n")),
        "{screen}"
    );
    assert!(!printed("def f(x) {\n\n  return x;\n}").contains("ended"));
}

/// A command that lacks its value ends with its line all the same.
#[test]
fn commands_end_with_their_line() {
    for lines in ["set vocab\n:type 1", "set example\n:type 1"] {
        for patience in [Patience::None, Patience::NextLine] {
            let mut repl = Repl::new(Style::Plain, patience);
            let screen = type_lines(&mut repl, lines);
            assert_eq!(screen.matches("Error:").count(), 1, "{screen}");
            assert!(screen.ends_with("\nint\n"), "{screen}");
        }
    }
}

/// However other languages ask for it, and whether a person or a program does.
#[test]
fn help_is_given_as_it_is_asked_for_elsewhere() {
    for (asked, command) in [
        ("select?;", "help select"),
        ("select?", "help select"),
        ("==?", "help =="),
        ("lenght?;", "help lenght"),
        ("?", ":help"),
        ("help();", ":help"),
        ("help()", ":help"),
        ("help ();", ":help"),
        ("help(select);", "help select"),
        ("help( select )", "help select"),
    ] {
        for patience in [Patience::None, Patience::NextLine] {
            let answer = |lines: &str| {
                let mut repl = Repl::new(Style::Plain, patience);
                let parts: Vec<Said> = lines.lines().flat_map(|line| repl.push(line)).collect();
                (parts, repl.has_failed())
            };
            // A pipe ends an entry at the line that cannot continue it.
            let (told, failed) = answer(&format!("{asked}\n:quit"));
            assert!(!told.is_empty(), "{asked}");
            assert_eq!((told, failed), answer(command), "{asked}");
        }
    }
    let own = printed("def help() { return 7; }\nhelp();\nhelp()");
    assert_eq!(own.matches("out =  7").count(), 2, "{own}");
    // Where more is on the line it is a mistake, which names the command.
    let screen = printed("1; select?;");
    assert!(screen.contains("at the prompt `help select`"), "{screen}");
}

#[test]
fn places_on_a_pipe_are_those_of_the_input() {
    let program = b"x = 1;\ny = 2;\n\nz = qq;\n:reload\ndef f(a) {\n  return b;\n}\nf(1)\n";
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = run_transcript(piped(), None, &program[..], &mut out, &mut err);
    assert_eq!(status, 1);
    let err = String::from_utf8(err).unwrap();
    assert!(err.contains("console:4:5"), "{err}");
    assert!(err.contains(" 4 | z = qq;"), "{err}");
    assert!(
        err.contains("console:7:10") && err.contains("console:9:1"),
        "{err}"
    );
}

const FRAGMENTS: &[&str] = &[
    "a",
    "b",
    "=",
    ";",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "+",
    "-",
    "==",
    "<",
    "1",
    "0",
    "2.5",
    "\"ab\"",
    "'",
    "\"",
    "#",
    "##",
    "def f(x)",
    "return x;",
    "for i in [1, 2]",
    "if",
    "else",
    "not",
    "in",
    "lambda x: x",
    "indices",
    "tokens_int",
    "select(indices, indices, <)",
    "aggregate(full_s, indices)",
    "length",
    "f(1)",
    "draw(length)",
    "load \"nowhere\"",
    "set example",
    "set selector example \"xyz\"",
    "show example",
    "examples off",
    "full seq display on",
    "selector examples on",
    ":help",
    ":type",
    ":schedule length",
    ":names",
    ":reload",
    ":explain E0201",
    ":facts length",
    ":draw",
    ":draw indices + 1",
    ":compile indices",
    ":trace tokens",
    ":x",
    ":",
    "help",
    "help f",
    "assert",
    "out",
    "é",
    "\t",
    "\u{0}",
    "set vocab",
    "set causal on",
    "9223372036854775807",
    "[indices, {1: full_s}]",
];

fn line() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(FRAGMENTS);
    prop::collection::vec(fragment, 0..7).prop_map(|parts| parts.join(" "))
}

proptest! {
    #![proptest_config(property::property(120))]

    #[test]
    fn any_lines_leave_the_session_alive(
        lines in prop::collection::vec(line(), 0..10),
        patient: bool,
    ) {
        let patience = if patient { Patience::NextLine } else { Patience::None };
        let mut repl = Repl::new(Style::Plain, patience);
        type_lines(&mut repl, &lines.join("\n"));
        let answer = type_lines(&mut repl, "examples on\n40 + 2;");
        prop_assert!(answer.ends_with("    value: out =  42\n"), "{}", answer);
    }

    #[test]
    fn colours_change_nothing_but_the_colour(line in line(), cursor in 0_usize..80) {
        let cursor = Some(cursor).filter(|cursor| line.is_char_boundary(*cursor));
        let mut plain = String::new();
        let highlighted = highlight(&line, cursor);
        let mut rest = highlighted.as_str();
        while let Some((before, escape)) = rest.split_once('\u{1b}') {
            plain.push_str(before);
            rest = escape.split_once('m').map_or("", |(_, rest)| rest);
        }
        plain.push_str(rest);
        prop_assert_eq!(plain, line);
    }
}
