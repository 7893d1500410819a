//! Text to tree and back. Each `.rasp` file in `tests/syntax` holds cases separated by lines of
//! `=====`; beside it stands what they give, by the name of the file: trees, diagnostics, warnings
//! about precedence or formatted programs. Below them, properties of all programs.

use crate::common::mistakes::mistakes;
use crate::common::property;
pub mod recipe;
pub mod sketch;

use proptest::prelude::*;
use rasp::base::render::{Style, render};
use rasp::base::{Diagnostic, Limits, SourceId, Sources, Span};
use rasp::inside::diagnose::{lint, read as read_program, read_expression, surprising};
use rasp::inside::format::print;
use rasp::inside::syntax::ast::*;
use rasp::inside::syntax::{Completeness, Typed, completeness};
use recipe::{program, recipe};
use sketch::{Sketch, bare, sketch};
use std::fmt::Write;
use std::path::Path;

// ---- Snapshots ----

/// Runs the cases of one file and compares what they give with the snapshot beside it.
fn cases(file: &str, give: fn(&str) -> String) {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax");
    let text = std::fs::read_to_string(directory.join(format!("{file}.rasp"))).expect("readable");
    let mut output = String::new();
    for case in text.split("=====\n") {
        writeln!(
            output,
            "{}\n----\n{}\n",
            case.trim_end(),
            give(case).trim_end()
        )
        .expect("strings take everything");
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&directory);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(file, output));
}

#[test]
fn trees() {
    cases("expressions", tree);
    cases("statements", tree);
    cases("commands", tree);
}

#[test]
fn errors() {
    cases("tokens", diagnostics);
    cases("mistakes", diagnostics);
    cases("habits", diagnostics);
    cases("slips", diagnostics);
    cases("unfinished", diagnostics);
}

#[test]
fn recovery() {
    cases("recovery", |text| {
        format!("{}{}", tree(text), diagnostics(text))
    });
}

#[test]
fn precedence() {
    cases("precedence", |text| {
        let ast = parse_ok(text);
        let warnings = surprising(&ast, text);
        // What a help line gives to type is read as it looks.
        for help in warnings
            .iter()
            .filter_map(|warning| warning.help.as_ref())
            .map(|help| &help.message)
        {
            for written in help.split('`').skip(1).step_by(2) {
                let written = format!("{written};");
                assert!(
                    surprising(&parse_ok(&written), &written).is_empty(),
                    "{help}"
                );
            }
        }
        shown(text, &warnings)
    });
}

#[test]
fn format() {
    cases("format", |text| {
        let ast = parse_ok(text);
        let printed = print(&ast, text);
        let again = parse_ok(&printed);
        assert_eq!(sketch(&again), sketch(&ast), "{printed}");
        assert_eq!(print(&again, &printed), printed);
        printed
    });
}

// ---- The programs of the repository ----

/// Every program of a folder and below: files, cases of files, and blocks of pages.
fn programs(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            programs(&path, found);
            continue;
        }
        let name = path.display().to_string();
        let text = || std::fs::read_to_string(&path).expect("readable");
        if name.ends_with(".rasp") {
            found.extend(
                text()
                    .split("=====\n")
                    .map(|case| (name.clone(), case.to_string())),
            );
        } else if name.ends_with(".md") {
            for block in text().split("```rasp\n").skip(1) {
                let program = block.split("```").next().unwrap_or("");
                found.push((name.clone(), program.to_string()));
            }
        }
    }
}

#[test]
fn every_program_of_the_repository_reads_back() {
    let mistakes = mistakes().into_iter();
    let mistakes = mistakes.map(|mistake| (mistake.name, mistake.text));
    let mut found: Vec<(String, String)> = mistakes.collect();
    for folder in ["stdlib", "examples", "puzzles", "tests", "docs"] {
        programs(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
            &mut found,
        );
    }
    let mut without_errors = 0;
    for (name, text) in found {
        let (ast, diagnostics) = read(&text);
        if !diagnostics.is_empty() {
            continue;
        }
        without_errors += 1;
        let printed = print(&ast, &text);
        let again = parse_ok(&printed);
        assert_eq!(sketch(&again), sketch(&ast), "{name}\n{printed}");
        assert_eq!(print(&again, &printed), printed, "{name}");
        assert_eq!(
            comments(&again, &printed),
            comments(&ast, &text),
            "{name}\n{printed}"
        );
    }
    assert!(without_errors > 300, "{without_errors} programs");
}

fn comments<'t>(ast: &Ast, text: &'t str) -> Vec<&'t str> {
    let comments = ast.comments.iter();
    comments
        .map(|comment| &text[comment.span.range()])
        .collect()
}

// ---- Helpers ----

fn read(text: &str) -> (Ast, Vec<Diagnostic>) {
    let parsed = read_program(SourceId(0), text, &Limits::default());
    (parsed.ast, parsed.diagnostics)
}

fn parse_ok(text: &str) -> Ast {
    let (ast, diagnostics) = read(text);
    assert!(
        diagnostics.is_empty(),
        "{text}\n{}",
        shown(text, &diagnostics)
    );
    ast
}

fn tree(text: &str) -> String {
    sketch(&read(text).0)
}

fn diagnostics(text: &str) -> String {
    shown(text, &read(text).1)
}

fn shown(text: &str, diagnostics: &[Diagnostic]) -> String {
    let mut sources = Sources::new();
    sources.add("case", text);
    diagnostics
        .iter()
        .map(|diagnostic| render(diagnostic, &sources, Style::Plain))
        .collect()
}

// ---- Completeness, single expressions, limits ----

#[test]
fn prompts() {
    use Completeness::*;
    for (text, expected) in [
        ("", Complete),
        ("# only a comment", Complete),
        ("x;", Complete),
        ("x", CompleteWithSemicolon),
        ("x = 1", CompleteWithSemicolon),
        ("x = 1; y", CompleteWithSemicolon),
        ("x # note", CompleteWithSemicolon),
        ("x =", Incomplete),
        ("x = [1,", Incomplete),
        ("x = f(", Incomplete),
        ("1 +", Incomplete),
        ("a if b", Incomplete),
        ("def f(x) {", Incomplete),
        ("def f(x) { return x", Incomplete),
        ("def f(x) { return x;", Incomplete),
        ("def f(x) { return x; }", Complete),
        ("for i in [1]", Incomplete),
        ("load", Incomplete),
        ("set example", Erroneous),
        ("set example \"a\" +", Incomplete),
        ("set example \"abc\"", Complete),
        ("set example [1,", Incomplete),
        ("show example", Complete),
        ("examples on", Complete),
        ("exit()", Complete),
        ("quit", Complete),
        ("x = \"abc", Erroneous),
        ("x = 3 y = 4;", Erroneous),
        ("a += 1;", Erroneous),
        ("tokens[0:2];", Erroneous),
        ("tokens[];", Erroneous),
        ("a ? b : c;", Erroneous),
        ("};", Erroneous),
        (")", Erroneous),
    ] {
        assert_eq!(completeness(text), expected, "{text:?}");
    }
}

#[test]
fn single_expressions() {
    let give = |text: &str| {
        let (read, expr) = read_expression(SourceId(0), text, &Limits::default());
        let sketch = Sketch {
            ast: &read.ast,
            parentheses: true,
        };
        (expr.map(|expr| sketch.expr(expr)), read.diagnostics.len())
    };
    assert_eq!(give("a + 1"), (Some("(+ a 1)".to_string()), 0));
    assert_eq!(give("a + 1;"), (Some("(+ a 1)".to_string()), 0));
    assert_eq!(give("a = 1"), (None, 1));
    assert_eq!(give("a; b"), (None, 1));
    assert_eq!(give(""), (None, 1));
    assert_eq!(give("a +"), (None, 1));
}

fn codes(text: &str, limits: &Limits) -> Vec<&'static str> {
    let parsed = read_program(SourceId(0), text, limits);
    parsed
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code.number())
        .collect()
}

#[test]
fn limits() {
    let limits = Limits::default();
    let many = 100_000;
    let nested = format!("{}1{};", "(".repeat(many), ")".repeat(many));
    assert_eq!(codes(&nested, &limits), ["E0801"]);
    assert_eq!(codes(&"(".repeat(many), &limits), ["E0801"]);
    let deep = Limits {
        expression_depth: 100,
        ..Limits::default()
    };
    assert_eq!(codes(&format!("1{};", "+1".repeat(100)), &deep), ["E0801"]);
    let short = Limits {
        source_bytes: 10,
        ..Limits::default()
    };
    assert_eq!(codes("x = 1 + 2 + 3;", &short), ["E0801"]);
}

#[test]
fn long_chains_are_printed_without_overflow() {
    for text in [
        format!("1{};", " + 1".repeat(20_000)),
        format!("{}1;", "- ".repeat(20_000)),
        format!("{}1;", "lambda x: ".repeat(20_000)),
        format!("x{};", "[0]".repeat(20_000)),
        format!("1{};", " if 1 else 1".repeat(10_000)),
    ] {
        let ast = parse_ok(&text);
        surprising(&ast, &text);
        let printed = print(&ast, &text);
        assert_eq!(print(&parse_ok(&printed), &printed), printed);
    }
}

/// A tree or a diagnostic, but no overflow of the stack.
#[test]
fn nesting_a_hundred_thousand_deep() {
    let many = 100_000;
    let around = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(many), close.repeat(many))
    };
    let bracketed = [
        around("(", "1", ");"),
        around("[", "", "]"),
        around("{1: ", "1", "}"),
        around("f(", "1", ")"),
        around("def f(x) { ", "return 1;", "return 1; }"),
        around("for i in x { ", "i;", " }"),
        around("def f(x = lambda: [", "", ""),
        around("(", "", ""),
        around("}", "", ""),
    ];
    let chains = [
        around("not ", "1", ""),
        around("lambda x: ", "1", ""),
        around("1 if ", "1", " else 1"),
        around("", "1", " + 1"),
        around("", "x", "[0]"),
        around("", "1", " if 1 else 1"),
        around("a, ", "b = 1", ", 1"),
    ];
    let strings = [
        format!("x = {:?};", "[".repeat(many)),
        format!("x = \"{}", "[".repeat(many)),
        around("'(' + ", "1", ";"),
        around("#[\n", "", ""),
    ];
    for text in bracketed.iter().chain(&chains).chain(&strings) {
        let (ast, diagnostics) = read(text);
        shown(text, &diagnostics);
        surprising(&ast, text);
        lint(&ast, text);
        print(&ast, text);
        completeness(text);
    }
}

#[test]
fn places_in_long_lines_are_told_in_words() {
    let text = format!("x = 1;\ny = 1{}; z = 1 1;", " + 1".repeat(1_000));
    let told = diagnostics(&text);
    assert!(told.contains("\n  case:2:4014: "), "{told}");
    assert!(told.len() < 200, "{told}");
}

// ---- Properties ----

/// Texts near the language: its tokens and others in any order.
fn soup() -> impl Strategy<Value = String> {
    let words: Vec<&str> =
        "for in not and or if else def return load draw assert lambda repeat set show \
        example examples s - op on off exit quit full seq display vocab causal ; ; ; = , : ( ) ( ) \
        [ ] { } + * / % ^ == != < <= > >= a tokens select 1 2.5 1e9 99999999999999999999 \"s\" 't' \
        \"open 'open \\ ? & && || | // ** =< <> := += . é ≤ “ \u{0} \u{a0} ## # 1. .5"
            .split(' ')
            .collect();
    let word = proptest::sample::select(words);
    let gap = proptest::sample::select(vec!["", " ", " ", "\n", "\r\n", "\t"]);
    proptest::collection::vec((word, gap), 0..60)
        .prop_map(|pairs| pairs.iter().flat_map(|(word, gap)| [*word, *gap]).collect())
}

fn check_span(text: &str, span: Span) {
    assert!(text.get(span.range()).is_some(), "{span:?} in {text:?}");
}

fn check_statements(text: &str, statements: &[Statement]) {
    for statement in statements {
        check_span(text, statement.span);
        match &statement.kind {
            StatementKind::For { body, .. } => check_statements(text, body),
            StatementKind::Repeat(repeat) => check_statements(text, &repeat.body),
            StatementKind::Define(function) => check_statements(text, &function.body),
            _ => {}
        }
    }
}

/// Lines that begin, go on with and end statements and bodies, in any order.
fn lines() -> impl Strategy<Value = Vec<&'static str>> {
    let usual = proptest::sample::select(vec![
        "a = 1;",
        "def f(x) {",
        "for i in {1: 2} {",
        "}",
        "return x;",
        "",
        "# note",
    ]);
    let any = proptest::sample::select(vec![
        "x = {1: 2}",
        "+ 3;",
        "def g(a={}, b=[c for c in d]) { d = 1;",
        "for i, j in [",
        "2] {",
        "return",
        "return {",
        "1: 2}, 3;",
        "}; }",
        "x = \"open",
        "exit",
        "load \"x\";",
        "y = (",
        ");",
        "c = 1; return c; }",
        "lambda x: x;",
        "1 +",
        "repeat 3 (k = l) {",
        "repeat (n) (k = l) { k = 1;",
        "repeat (1);",
        "for k in l { k; }",
        "for k in l { k; return",
    ]);
    proptest::collection::vec(prop_oneof![3 => usual, 1 => any], 0..16)
}

proptest! {
    #![proptest_config(property::property(400))]

    #[test]
    fn typed_lines_are_as_far_as_the_text(lines in lines()) {
        let mut typed = Typed::default();
        let mut text = String::new();
        for line in lines {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(line);
            prop_assert_eq!(typed.push(line), completeness(&text), "{}", text);
        }
    }
}

proptest! {
    #![proptest_config(property::property(4_000))]

    #[test]
    fn printed_trees_read_back(recipes in proptest::collection::vec(recipe(), 1..8)) {
        let ast = program(&recipes);
        let printed = print(&ast, "");
        let again = parse_ok(&printed);
        prop_assert_eq!(bare(&again), bare(&ast), "{}", printed);
        prop_assert_eq!(print(&again, &printed), printed);
    }

}

proptest! {
    #![proptest_config(property::property(400))]

    #[test]
    fn any_text_gives_a_tree_and_places_inside_it(text in soup()) {
        let (ast, diagnostics) = read(&text);
        for label in diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
            check_span(&text, label.span);
        }
        for id in ast.ids() {
            check_span(&text, ast.get(id).span);
        }
        check_statements(&text, &ast.statements);
        shown(&text, &diagnostics);
        surprising(&ast, &text);
        completeness(&text);
        let printed = print(&ast, &text);
        if diagnostics.is_empty() {
            prop_assert_eq!(sketch(&parse_ok(&printed)), sketch(&ast), "{}", printed);
        }
    }
}
