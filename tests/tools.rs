//! `rasp test`, `fmt`, `doc`, `equiv`, `generate` and `explain` as people use them, through the
//! program itself.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::place;

use place::{Place, Ran};
use rasp::base::Code;
use std::path::{Path, PathBuf};

fn snapshot(name: &str, text: String) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("tools");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// A program with one of everything, badly spaced.
const SAMPLE: &str = include_str!("tools/sample.rasp");

// ---- rasp test ----

#[test]
fn every_assertion_is_run_and_counted() {
    let place = Place::with(&[("sample.rasp", SAMPLE)]);
    snapshot("test", place.rasp(&["test", "sample.rasp"]).shown());
    snapshot(
        "test_json",
        place.rasp(&["test", "sample.rasp", "--json"]).out,
    );
}

#[test]
fn a_failed_assertion_fails_the_run() {
    let place = Place::with(&[("a.rasp", "assert 1 == 2;\nassert 2 == 2;\nx = 3;\nx;\n")]);
    let ran = place.rasp(&["run", "a.rasp"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("[E0408]"), "{}", ran.err);
    assert_eq!(place.rasp(&["test", "a.rasp"]).status, 1);
}

#[test]
fn passing_assertions_pass() {
    let good = "assert 1 == 1;\nassert indices(\"ab\") == [0, 1];\n";
    let place = Place::with(&[
        ("a.rasp", good),
        ("b.rasp", good),
        ("none.rasp", "x = 1;\n"),
    ]);
    let ran = place.rasp(&["test", "a.rasp", "b.rasp", "none.rasp"]);
    assert_eq!(ran.status, 0);
    assert!(ran.out.ends_with("4 passed, 0 failed\n"), "{}", ran.out);
}

/// The library's own files among them, of which every program has run one already.
#[test]
fn the_assertions_of_the_project_pass() {
    let root = env!("CARGO_MANIFEST_DIR");
    for folder in ["stdlib", "examples"] {
        let ran = Place::new().rasp(&["test", &format!("{root}/{folder}")]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{folder}");
        assert!(ran.out.ends_with(" passed, 0 failed\n"), "{}", ran.out);
    }
}

#[test]
fn assertions_of_loaded_files_are_theirs() {
    let place = Place::with(&[
        ("a.rasp", "load \"good\";\nassert x == 1;\n"),
        ("good.rasp", "x = 1;\nassert x == 1;\n"),
        ("b.rasp", "load \"bad\";\nassert 1 == 1;\n"),
        ("bad.rasp", "x = 1;\nassert x == 2;\n"),
    ]);
    let ran = place.rasp(&["test", "a.rasp"]);
    assert_eq!(ran.out.lines().last(), Some("1 passed, 0 failed"));
    // The library asks functions of it for one or two s-ops.
    let program = "load \"preprint\";\nselect_where([tokens], [tokens], lambda q, k: q == k);\n";
    let library = Place::with(&[("c.rasp", program)]);
    assert_eq!(
        library.rasp(&["test", "c.rasp"]).out,
        "0 passed, 0 failed\n"
    );
    let ran = place.rasp(&["test", "b.rasp"]);
    assert_eq!(ran.status, 1);
    assert_eq!(
        ran.out.lines().last(),
        Some("1 passed, 0 failed, 1 other error")
    );
}

#[test]
fn assertions_in_functions_and_of_selectors_are_counted() {
    let program = "\
def positive(x) { assert x > 0; return x; }
positive(1);
positive(0);
earlier = select(indices, indices, <);
assert earlier(\"ab\") == [[False, False], [1, 0]];
assert earlier(\"ab\") == earlier(\"xy\");
assert earlier(\"ab\") == (not earlier)(\"ab\");
assert earlier(\"ab\") == [[False, False]];
assert indices == indices;
assert tokens_int(\"ab\") == [0];
assert \"a\" < 1;
assert \"b\" < \"a\";
";
    let place = Place::with(&[("a.rasp", program)]);
    snapshot("test_selectors", place.rasp(&["test", "a.rasp"]).shown());
}

#[test]
fn a_folder_stands_for_its_programs() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("d/below")).unwrap();
    std::fs::create_dir_all(place.path("none")).unwrap();
    for (name, text) in [
        ("d/b.rasp", "assert 1 == 1;\n"),
        ("d/below/c.rasp", "x=1;\n"),
        ("d/a.rasp", "assert 2 == 2;\n"),
        ("d/notes.txt", "none\n"),
    ] {
        std::fs::write(place.path(name), text).unwrap();
    }
    let ran = place.rasp(&["test", "d"]);
    let shown = "passed  d/a.rasp:1:8  2 == 2\npassed  d/b.rasp:1:8  1 == 1\n2 passed, 0 failed\n";
    assert_eq!(ran.out, shown);
    assert_eq!(place.rasp(&["fmt", "--check", "d"]).out, "d/below/c.rasp\n");
    assert!(place.rasp(&["doc", "d"]).out.contains("# d/below/c.rasp"));
    for arguments in [["test", "none"], ["run", "d"]] {
        let ran = place.rasp(&arguments);
        assert_eq!(ran.status, 1);
        assert!(ran.err.contains("folder"), "{}", ran.shown());
    }
}

#[test]
fn what_cannot_be_read_is_no_success() {
    let place = Place::with(&[("broken.rasp", "x = ;\n")]);
    for arguments in [&["test", "missing.rasp"], &["test", "broken.rasp"]] {
        let ran = place.rasp(arguments);
        assert_eq!(ran.status, 1, "{}", ran.shown());
        assert!(ran.err.contains("[E0"), "{}", ran.err);
    }
    assert_eq!(place.rasp(&["test"]).status, 2);
}

// ---- rasp fmt ----

#[test]
fn the_programs_of_the_project_are_formatted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["stdlib", "examples", "examples/papers", "puzzles"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            files.extend(
                path.extension()
                    .is_some_and(|end| end == "rasp")
                    .then_some(path),
            );
        }
    }
    assert!(files.len() > 60, "{}", files.len());
    let mut arguments = vec!["fmt", "--check"];
    arguments.extend(files.iter().map(|path| path.to_str().unwrap()));
    let ran = Place::new().rasp(&arguments);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
}

#[test]
#[cfg(unix)]
fn a_device_without_end_is_no_program() {
    let ran = Place::new().rasp(&["check", "/dev/zero"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("too large"), "{}", ran.err);
}

#[test]
fn formatting_keeps_comments_and_is_idempotent() {
    let place = Place::with(&[("a.rasp", SAMPLE)]);
    assert_eq!(place.rasp(&["fmt", "a.rasp", "--check"]).shown(), {
        "exit status 1\n--- out\na.rasp\n--- err\n"
    });
    assert_eq!(place.text("a.rasp"), SAMPLE, "--check writes nothing");
    let ran = place.rasp(&["fmt", "a.rasp"]);
    assert_eq!(
        ran.shown(),
        "exit status 0\n--- out\nformatted a.rasp\n--- err\n"
    );
    let formatted = place.text("a.rasp");
    snapshot("fmt", formatted.clone());
    assert_eq!(
        SAMPLE.matches("# ").count(),
        formatted.matches("# ").count()
    );
    let before = std::fs::metadata(place.path("a.rasp")).unwrap();
    assert_eq!(
        place.rasp(&["fmt", "a.rasp"]).shown(),
        "exit status 0\n--- out\n--- err\n"
    );
    assert_eq!(place.rasp(&["fmt", "a.rasp", "--check"]).status, 0);
    let after = std::fs::metadata(place.path("a.rasp")).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
}

#[test]
fn formatting_reads_standard_input() {
    let ran = Place::new().reading("x=1;", &["fmt", "-"]);
    assert_eq!(ran.shown(), "exit status 0\n--- out\nx = 1;\n--- err\n");
    let ran = Place::new().reading("x=1;", &["fmt", "-", "--check"]);
    assert_eq!(ran.status, 1);
    let ran = Place::new().reading("x=;", &["fmt", "-"]);
    assert_eq!((ran.status, &*ran.out), (1, ""));
}

#[test]
fn parentheses_make_precedence_plain_and_change_no_value() {
    let text = "x = not indices == 0;\ny = 7 % 2 * 3;\nz = \"a\" in tokens and True;\n";
    let place = Place::with(&[("a.rasp", text)]);
    let values = |place: &Place| {
        place
            .rasp(&[
                "run", "a.rasp", "-e", "x", "-e", "y", "-e", "z", "-i", "abc",
            ])
            .out
    };
    let before = values(&place);
    assert_eq!(place.rasp(&["fmt", "a.rasp", "--parentheses"]).status, 0);
    snapshot("fmt_parentheses", place.text("a.rasp"));
    assert_eq!(values(&place), before);
    assert_eq!(place.rasp(&["check", "a.rasp"]).err, "");
    assert_eq!(
        place
            .rasp(&["fmt", "a.rasp", "--parentheses", "--check"])
            .status,
        0
    );
    // Nor does plain formatting take them away.
    assert_eq!(place.rasp(&["fmt", "a.rasp", "--check"]).status, 0);
}

#[test]
fn nothing_is_written_where_something_is_wrong() {
    let place = Place::with(&[("broken.rasp", "x = ;\ny=2;\n"), ("good.rasp", "y=2;\n")]);
    let ran = place.rasp(&["fmt", "broken.rasp", "missing.rasp", "good.rasp"]);
    assert_eq!(ran.status, 1);
    assert_eq!(place.text("broken.rasp"), "x = ;\ny=2;\n");
    assert_eq!(
        place.text("good.rasp"),
        "y = 2;\n",
        "the others are formatted"
    );
    assert_eq!(std::fs::read_dir(place.path("")).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn formatting_keeps_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::with(&[("a.rasp", "x=1;\n")]);
    std::fs::set_permissions(place.path("a.rasp"), PermissionsExt::from_mode(0o640)).unwrap();
    symlink("a.rasp", place.path("link.rasp")).unwrap();
    assert_eq!(place.rasp(&["fmt", "link.rasp"]).status, 0);
    assert!(place.path("link.rasp").is_symlink());
    assert_eq!(place.text("a.rasp"), "x = 1;\n");
    let mode = std::fs::metadata(place.path("a.rasp"))
        .unwrap()
        .permissions();
    assert_eq!(mode.mode() & 0o777, 0o640);
}

// ---- rasp doc ----

#[test]
fn the_reference_of_a_program() {
    let place = Place::with(&[("sample.rasp", SAMPLE)]);
    snapshot("doc", place.rasp(&["doc", "sample.rasp"]).shown());
}

#[test]
fn where_nothing_is_documented_the_reference_says_how() {
    let place = Place::with(&[("a.rasp", "x = 1;\n# Not this.\ndef f() { return 1; }\n")]);
    let ran = place.rasp(&["doc", "a.rasp"]);
    assert!(
        ran.err.contains("lines that begin with `##`"),
        "{}",
        ran.err
    );
    assert!(!ran.out.contains("Not this"), "{}", ran.out);
}

/// An introduction keeps its indentation, two names share their examples, a last definition holds.
#[test]
fn the_reference_says_each_name_once_and_reads_as_markdown() {
    let program = "\
#! /usr/bin/env rasp
# Intro.
#
# - a
#   - b
#
#     code

## Two.
a, b = [indices, tokens];
assert b(\"ab\") == \"ab\";
assert a(\"ab\") == [0, 1];
## First.
def f(x, y=\"`\") { return x; }
## Second.
def f(x, y=\"``\") { return y; }
assert f(1) == \"``\";
";
    let place = Place::with(&[
        ("a.rasp", program),
        ("b.rasp", "## F.\ndef f() { return 1; }\n"),
    ]);
    snapshot(
        "doc_names",
        place.rasp(&["doc", "a.rasp", "b.rasp"]).shown(),
    );
}

#[test]
fn the_reference_of_the_library_has_every_name() {
    let ran = Place::new().rasp(&["doc"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    for row in rasp::inside::builtin::TABLE {
        let heading = format!("### `{}", row.name);
        assert!(ran.out.contains(&heading), "no {heading}");
        assert!(ran.out.contains(row.example), "no {}", row.example);
    }
    for module in
        std::iter::once(&rasp::inside::stdlib::RASPLIB).chain(rasp::inside::stdlib::MODULES)
    {
        for line in module.text.lines() {
            if let Some(rest) = line.strip_prefix("def ")
                && !rest.starts_with('_')
            {
                let name = rest.split('(').next().unwrap();
                assert!(ran.out.contains(&format!("### `{name}(")), "no {name}");
            }
        }
    }
}

#[test]
fn a_reference_replaces_only_a_reference() {
    let place = Place::with(&[("mine.md", "# Mine\n"), ("a.rasp", "## One.\nx = 1;\n")]);
    let mine = ["doc", "a.rasp", "-o", "mine.md"];
    let ran = place.rasp(&mine);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("[E0503]"), "{}", ran.err);
    assert_eq!(place.text("mine.md"), "# Mine\n");
    assert_eq!(place.rasp(&["doc", "a.rasp", "-o", "new.md"]).status, 0);
    assert_eq!(place.rasp(&["doc", "-o", "new.md"]).status, 0);
    assert!(
        place
            .text("new.md")
            .contains("select(keys, queries, comparison)")
    );
    assert_eq!(place.rasp(&[&mine[..], &["--force"]].concat()).status, 0);
    let changed = place
        .text("mine.md")
        .replace("One.", "One, and a note of mine.");
    assert!(changed.contains("a note of mine"));
    place.file("mine.md", &changed);
    assert_eq!(place.rasp(&mine).status, 1);
    assert_eq!(place.text("mine.md"), changed);
}

// ---- rasp equiv ----

fn equiv(a: &str, b: &str, more: &[&str]) -> Ran {
    let program = "reverse = aggregate(select(indices, length - 1 - indices, ==), tokens);\n";
    let place = Place::with(&[("p.rasp", program)]);
    place.rasp(&[&["equiv", "p.rasp", "-e", a, "-e", b], more].concat())
}

const SMALL: &[&str] = &["--vocab", "abc", "--max-len", "4"];

#[test]
fn equal_and_different_s_ops() {
    let pairs = [
        ("length", "selector_width(select(1, 1, ==))"),
        ("indices * 2", "indices + indices"),
        ("sort(tokens, tokens)", "sort(reverse, reverse)"),
        ("sort(tokens, tokens)", "tokens"),
        ("reverse", "tokens"),
        ("1 / indices", "2 / indices"),
        ("1 / (length - 1)", "1"),
        ("length > 0", "True"),
        ("select(indices, 0, ==)", "select(indices, 1, <)"),
        ("select(indices, 0, ==)", "select(indices, length - 1, ==)"),
        ("select(1 / indices, 0, ==)", "select(indices, 0, ==)"),
        ("full_s", "full_s"),
        ("full_s", "tokens"),
    ];
    let mut shown = String::new();
    for (a, b) in pairs {
        let ran = equiv(a, b, SMALL);
        let json = equiv(a, b, &[SMALL, &["--json"]].concat());
        assert_eq!(ran.status, json.status);
        shown.push_str(&format!("{a} ~ {b}\n{}{}\n", ran.shown(), json.out));
    }
    snapshot("equiv", shown);
}

#[test]
fn what_was_only_sampled_is_not_called_equal() {
    let long: &[&str] = &[
        "--vocab",
        "abcdefgh",
        "--max-len",
        "12",
        "--samples",
        "20",
        "--json",
    ];
    let ran = equiv("sort(tokens, tokens)", "sort(reverse, reverse)", long);
    assert_eq!(ran.status, 3);
    let json = ran.last_line();
    assert_eq!(json["verdict"], "unknown");
    assert_eq!(json["method"], "samples");
    assert_eq!(json["exhaustive_to_length"], 5);
}

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

/// Where tokens are not read, or only moved or compared, few inputs decide for all.
#[test]
fn what_tells_few_tokens_apart_takes_few_inputs() {
    let setting: &[&str] = &["--vocab", LETTERS, "--max-len", "30", "--json"];
    let pairs = [
        ("aggregate(full_s, indices)", "(length - 1) / 2"),
        (
            "shift(shift(tokens, 1, \"-\"), 1, \"-\")",
            "shift(tokens, 2, \"-\")",
        ),
        ("has_focus(select(tokens, tokens, ==))", "True"),
        ("tokens_int", "tokens_int + 0"),
        ("indices % 2 == 0", "not (indices % 2 == 1)"),
    ];
    let known = pairs.map(|(a, b)| {
        let json = equiv(a, b, setting).last_line();
        format!(
            "{} {} {} {}",
            json["verdict"], json["method"], json["checked"], json["failed"]
        )
    });
    snapshot("equiv_few", known.join("\n"));
}

#[test]
fn very_long_inputs_are_few_and_told_in_brief() {
    let setting: &[&str] = &["--vocab", LETTERS, "--max-len", "100000"];
    let ran = equiv("indices % 2 == 0", "not (indices % 2 == 1)", setting);
    assert!(ran.out.starts_with("equal"), "{}", ran.shown());
    let ran = equiv("indices", "indices if indices < 60 else 0", setting);
    snapshot("equiv_brief", ran.shown());
}

/// The tables of inference hold every value, but know neither laziness nor mixed types.
#[test]
fn no_proof_overlooks_a_failure() {
    let pairs = [
        // A mixture of types below an s-op without one.
        ("(tokens if indices == 0 else 1) == 1", "indices > 0"),
        // A failure in a branch that only one of them takes.
        ("indices * 0", "(1 / indices) * 0"),
        (
            "0 if indices == 0 else 1",
            "(1 if 1 / indices > 0 else 1) if indices > 0 else 0",
        ),
    ];
    let verdicts: Vec<String> = pairs
        .iter()
        .map(|(a, b)| {
            let ran = equiv(a, b, &[SMALL, &["--json"]].concat());
            let json = ran.last_line();
            format!("{} {}", json["verdict"], json["method"])
        })
        .collect();
    snapshot("equiv_failures", verdicts.join("\n"));
}

#[test]
fn equiv_needs_two_s_ops_and_a_setting() {
    for (b, help) in [
        (
            "full_s",
            "for how many keys each position selects: `selector_width(full_s)`",
        ),
        ("[tokens, 1]", "for its first element: `[tokens, 1][0]`"),
        ("{\"a\": 1}", "to look up each token: `{\"a\": 1}[tokens]`"),
        ("str", "call it: `str(tokens)`"),
    ] {
        let ran = equiv("tokens", b, SMALL);
        assert!(
            ran.err.contains("[E0308]") && ran.err.contains(help),
            "{}",
            ran.shown()
        );
        let (_, typed) = help.split_once('`').unwrap();
        let typed = equiv("tokens", typed.trim_end_matches('`'), SMALL);
        assert!(typed.err.is_empty(), "{}", typed.shown());
    }
    assert_eq!(equiv("tokens", "tokens", &["--vocab", "ab"]).status, 1);
    assert_eq!(equiv("tokens", "tokens", &["--max-len", "3"]).status, 1);
    let both = [SMALL, &["-e", "tokens"]].concat();
    let ran = equiv("tokens", "tokens", &both);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("Usage: rasp equiv"), "{}", ran.shown());
    let place = Place::with(&[("p.rasp", "set vocab \"ab\"\nset max_length 3\n")]);
    let ran = place.rasp(&["equiv", "p.rasp", "-e", "tokens", "-e", "indices"]);
    assert_eq!(ran.status, 1);
    assert!(ran.out.starts_with("different"), "{}", ran.shown());
}

// ---- rasp generate ----

const NEXT: &str = "next = \"b\" if tokens == \"a\" else \"a\";\ncounted = tokens_asis + 1;\n";

#[test]
fn the_last_value_is_the_next_token() {
    let place = Place::with(&[("p.rasp", NEXT)]);
    let generate = |more: &[&str]| place.rasp(&[&["generate", "p.rasp"], more].concat());
    let mut shown = String::new();
    for more in [
        &["-e", "next", "-i", "ba", "--steps", "4"][..],
        &["-e", "next", "-i", "ba", "--steps", "4", "--stop", "a"],
        &[
            "-e", "next", "-i", "ba", "--steps", "4", "--stop", "a", "--json",
        ],
        &["-e", "counted", "--input-json", "[1]", "--steps", "3"],
        &[
            "-e",
            "counted",
            "--input-json",
            "[1]",
            "--steps",
            "0",
            "--json",
        ],
        &["-e", "indices", "-i", "ab", "--steps", "2"],
        &["-e", "tokens_int", "-i", "1x", "--steps", "2", "--json"],
        &["-e", "next", "-i", "", "--steps", "2"],
    ] {
        shown.push_str(&format!("{}\n{}\n", more.join(" "), generate(more).shown()));
    }
    snapshot("generate", shown);
    assert_eq!(generate(&["-e", "next", "--steps", "2"]).status, 2);
    let ran = generate(&["-i", "ba", "--steps", "2"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("-e EXPR"), "{}", ran.err);
}

#[test]
fn a_model_generates_what_its_program_does() {
    let place = Place::with(&[("p.rasp", NEXT)]);
    let compiled = place.rasp(&[
        "compile",
        "p.rasp",
        "-e",
        "next",
        "--vocab",
        "ab",
        "--max-len",
        "5",
        "-o",
        "m",
    ]);
    assert_eq!(compiled.status, 0, "{}", compiled.shown());
    let ran = place.rasp(&["generate", "m", "-i", "ba", "--steps", "3"]);
    assert_eq!(ran.shown(), "exit status 0\n--- out\nbabab\n--- err\n");
    let ran = place.rasp(&["generate", "m", "-i", "ba", "--steps", "9"]);
    assert_eq!(ran.out, "bababa\n", "as far as the model goes");
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("[E0703]"), "{}", ran.err);
    place.rasp(&[
        "compile",
        "p.rasp",
        "-e",
        "length",
        "--vocab",
        "ab",
        "--max-len",
        "5",
        "-o",
        "n",
    ]);
    let ran = place.rasp(&["generate", "n", "-i", "ba", "--steps", "3"]);
    assert!(
        ran.err.contains("what `length` gives is no token"),
        "{}",
        ran.err
    );
}

// ---- rasp explain ----

#[test]
fn codes_are_listed_and_explained() {
    let place = Place::new();
    let list = place.rasp(&["explain"]);
    assert_eq!(list.status, 0);
    for code in Code::ALL {
        assert!(list.out.contains(code.title()), "{code}");
    }
    for code in Code::ALL {
        let page = place.rasp(&["explain", code.number()]).out;
        assert!(page.starts_with(&format!("# {code}: {}\n", code.title())));
        assert!(
            page.lines().all(|line| line.chars().count() <= 100),
            "{code}"
        );
    }
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/errors");
    assert_eq!(std::fs::read_dir(pages).unwrap().count(), Code::ALL.len());
    for name in ["w0101", "surprising-precedence", "SurprisingPrecedence"] {
        assert_eq!(
            place.rasp(&["explain", name]).out,
            include_str!("../docs/errors/W0101.md")
        );
    }
    assert_eq!(place.rasp(&["explain", "E9999"]).status, 2);
}

/// Runs the blocks of one section of a page: files first, then commands, or else the program.
fn run_section(section: &str) -> Ran {
    let place = Place::new();
    let mut commands = "rasp run program.rasp".to_string();
    for block in section.split("```").skip(1).step_by(2) {
        let (kind, text) = block.split_once('\n').unwrap();
        match kind.split_once(' ').unwrap_or((kind, "program.rasp")) {
            ("rasp" | "subleq" | "fleq" | "jsonl", name) => {
                std::fs::write(place.path(name), text).unwrap()
            }
            ("sh", _) => commands = text.to_string(),
            _ => panic!("a block of kind {kind}"),
        }
    }
    place.shell(&commands)
}

#[test]
fn examples_give_their_code_and_mends_give_none() {
    let mut wrong = Vec::new();
    for code in Code::ALL {
        let path = format!("{}/docs/errors/{code}.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(path).unwrap();
        // No program asks for its own end.
        if *code == Code::Interrupted {
            continue;
        }
        let (_, examples) = page.split_once("## Example\n").unwrap();
        let (example, mended) = examples.split_once("## Mended\n").unwrap();
        let ran = run_section(example);
        let given: Vec<&str> = ran.err.split('[').skip(1).map(|rest| &rest[..5]).collect();
        if given.first() != Some(&code.number()) {
            wrong.push(format!("{code}, example: {}", ran.shown()));
        }
        let ran = run_section(mended);
        // Diagnostics open with a code in brackets; a remark of the command itself may stand there.
        if ran.status != 0 || ran.err.contains('[') {
            wrong.push(format!("{code}, mended: {}", ran.shown()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
