//! What the mistakes of users get to read. Each file in `tests/error` has the mistakes of a topic
//! (`common/mistakes.rs` says how); the `.snap` beside it is everything that loading their programs and
//! evaluating their expression statements reports. The first line of a program may say
//! `#: input "abc"` or `#: limit call_depth 50`.

use crate::common::mistakes::{Mistake, directory, mistakes, topic, topics};
use crate::common::shown::shown_value;
use rasp::base::render::{Style, render};
use rasp::base::{Code, Diagnostic, Limits, Sources, Span};
use rasp::graph::{SOpId, Sharing};
use rasp::session::{Asked, Event, Loaded, Meta, Session, files};
use std::collections::BTreeSet;
use std::path::Path;

/// The word after `#:` on the first line, with the rest of the line.
fn directive(text: &str) -> Option<(&str, &str)> {
    text.lines()
        .next()?
        .strip_prefix("#:")?
        .trim()
        .split_once(' ')
}

fn limits(text: &str) -> Limits {
    let mut limits = Limits::default();
    if let Some(("limit", limit)) = directive(text) {
        let (name, bound) = limit
            .split_once(' ')
            .expect("a limit has a name and a bound");
        let bound = bound.parse().expect("a bound is a number");
        assert!(limits.set(name, bound), "no limit `{name}`");
    }
    limits
}

/// A program of a mistake, as if it were a file of its own.
fn program(mistake: &Mistake) -> Loaded {
    let name = format!("{}.rasp", mistake.name);
    Loaded {
        identity: directory().join(&name).display().to_string(),
        name,
        text: mistake.text.clone(),
    }
}

/// Everything that a program reports, with the texts it is about.
fn report(program: &Loaded) -> (Vec<Diagnostic>, Sources) {
    let mut session = Session::new(Sharing::Equal).with_limits(limits(&program.text));
    if let Some(("input", input)) = directive(&program.text) {
        session.load_text("input", &format!("set example {input}"));
    }
    let events = session.load(program);
    let mut diagnostics = session.take_diagnostics();
    let input = session.settings.example.clone();
    for event in &events {
        if let Err(error) = shown_value(&session, event, &input) {
            diagnostics.push(*error);
        }
    }
    diagnostics.extend(hazards(&session, &events));
    (diagnostics, session.sources().clone())
}

/// What is tried of the inputs of a good program finds nothing.
#[test]
fn examples_fail_on_no_input() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut tried = 0;
    for entry in std::fs::read_dir(examples).expect("readable") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|extension| extension != "rasp") {
            continue;
        }
        let mut session = Session::new(Sharing::Equal);
        let events = session.load(&files::read(&path).expect("readable"));
        let settings = &mut session.settings;
        settings
            .vocabulary
            .get_or_insert_with(|| settings.example.clone());
        settings.max_length = Some(5);
        let found = hazards(&session, &events);
        assert!(found.is_empty(), "{}: {found:?}", path.display());
        tried += 1;
    }
    assert!(tried > 10, "examples were not found");
}

/// What `rasp check` says about the inputs that a program allows, if it says which.
fn hazards(session: &Session, events: &[Event]) -> Vec<Diagnostic> {
    let Ok(setting) = session.setting(&Asked::default()) else {
        return Vec::new();
    };
    let roots: Vec<SOpId> = events
        .iter()
        .filter_map(|event| match event {
            Event::Assigned {
                meta: Meta::SOp(id),
                ..
            } => Some(*id),
            _ => None,
        })
        .collect();
    session.hazards(&roots, &setting)
}

/// What a mistake reports is what its section expects, and reads as it did when it was last reviewed.
#[test]
fn mistakes_are_told() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(directory());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _bound = settings.bind_to_scope();
    for path in topics() {
        let shown: Vec<String> = topic(&path).iter().map(shown).collect();
        let name = path.file_stem().expect("a name").to_string_lossy();
        insta::assert_snapshot!(&*name, shown.join("\n"));
    }
}

/// A section and what is reported of its program.
fn shown(mistake: &Mistake) -> String {
    let program = program(mistake);
    let (diagnostics, sources) = report(&program);
    assert!(!diagnostics.is_empty(), "{}: no mistake", mistake.name);
    let mut codes = Vec::new();
    let mut shown = mistake.section.clone();
    for diagnostic in &diagnostics {
        check(diagnostic, &sources);
        let span = diagnostic.labels[0].span;
        let is_here = sources.get(span.source).name == program.name;
        codes.push((is_here.then(|| sources.position(span).0), diagnostic.code));
        shown += &format!("---\n{}", render(diagnostic, &sources, Style::Plain));
    }
    assert_eq!(mistake.section, mistake.with_codes(&codes));
    shown
}

/// What is said of an operation on one line is said of it on several, with the code on one line.
#[test]
fn line_breaks_change_no_help() {
    let help = |program: &str| -> Vec<Option<String>> {
        let mut session = Session::new(Sharing::Equal);
        session.load_text("program.rasp", program);
        let diagnostics = session.take_diagnostics();
        let helps = diagnostics.into_iter().map(|found| found.help);
        helps.map(|help| help.map(|help| help.message)).collect()
    };
    for (whole, broken) in [
        ("x = tokens + 1;", "x = tokens\n    + 1;"),
        ("s = full_s; x = s + 1;", "s = full_s; x = s\n\n  + 1;"),
        ("(1 / (2 - 2))(\"a\");", "(1 /\n (2 - 2))(\"a\");"),
        (
            "x = (1 / (indices - indices))(\"a\");",
            "x = (1 /\r\n (indices - indices))(\"a\");",
        ),
        (
            "aggregate(tokens, full_s);",
            "aggregate(\n    tokens,\n    full_s\n);",
        ),
    ] {
        let said = help(whole);
        assert!(said.iter().any(Option::is_some), "{whole}");
        assert_eq!(said, help(broken), "{broken}");
    }
    // A comment would take the rest of the line with it.
    assert_eq!(help("x = tokens # here\n + 1;"), [None]);
}

/// What holds of every diagnostic: it shows a place, its places exist, and it says the same in
/// colour.
fn check(diagnostic: &Diagnostic, sources: &Sources) {
    assert!(!diagnostic.labels.is_empty(), "no place: {diagnostic}");
    for label in &diagnostic.labels {
        let text = &sources.get(label.span.source).text;
        assert!(
            text.get(label.span.range()).is_some(),
            "{diagnostic}: {:?} is no place in the text",
            label.span
        );
    }
    let coloured = plain(&render(diagnostic, sources, Style::Terminal));
    assert!(coloured.contains(&diagnostic.message), "{coloured}");
    let help = diagnostic.help.iter().map(|help| &help.message);
    for said in diagnostic.notes.iter().chain(help) {
        let first = said.lines().next().unwrap_or_default();
        assert!(coloured.contains(first), "{coloured}");
    }
}

/// A text without the sequences that set colours.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}

/// What the reference rejects, the first program of each kind of error: what it prints, and what is
/// said here. Whatever is said of any of the programs has its places.
#[test]
fn programs_that_the_reference_rejects() {
    let mut kinds = BTreeSet::new();
    let mut shown = String::new();
    for case in include_str!("reference/errors.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(case).expect("JSON");
        let program = case["program"].as_str().expect("a program");
        let printed = case["printed"].as_str().expect("a text");
        let mut session = Session::new(Sharing::Equal);
        let events = session.load_text("program.rasp", program);
        let mut diagnostics = session.take_diagnostics();
        let input = session.settings.example.clone();
        for event in &events {
            diagnostics.extend(
                shown_value(&session, event, &input)
                    .err()
                    .map(|error| *error),
            );
        }
        let new = kinds.insert(kind_of_error(case["error"].as_str().expect("a text")));
        if new {
            shown.push_str(&format!(
                "==== {program}\n---- the reference\n{printed}\n---- rasp\n"
            ));
        }
        if new && diagnostics.is_empty() {
            shown.push_str("(accepted)\n");
        }
        for diagnostic in &diagnostics {
            check(diagnostic, session.sources());
            if new {
                shown.push_str(&render(diagnostic, session.sources(), Style::Plain));
            }
        }
    }
    insta::assert_snapshot!("beside_the_reference", shown);
}

/// A message of the reference without what it quotes and counts.
fn kind_of_error(message: &str) -> String {
    let unquoted: Vec<&str> = message.split(['\'', '"', '{', '[']).step_by(2).collect();
    unquoted
        .concat()
        .replace(|character: char| character.is_ascii_digit(), "")
}

/// Codes that need a model, a file that cannot be written or a person, and are tested with those.
const ELSEWHERE: &[Code] = &[
    Code::FileNotWritten,
    Code::DomainTooLarge,
    Code::NotCompilable,
    Code::NotCausal,
    Code::NotExact,
    Code::BadModel,
    Code::UnknownToken,
    Code::InputTooLong,
    Code::Interrupted,
    Code::BadRequest,
    Code::BadLine,
    Code::UnknownLabel,
    Code::OutOfRange,
    Code::NotLearnt,
    Code::BadTask,
    Code::WrongMachine,
    Code::WrongShape,
];

/// No mistake lies beside the topics, where it would never be told, nor a snapshot without its topic.
#[test]
fn mistakes_are_in_topics() {
    for entry in std::fs::read_dir(directory()).expect("readable") {
        let path = entry.expect("readable").path();
        let has_topic = path.with_extension("mistakes").is_file();
        assert!(has_topic || path.is_dir(), "{}", path.display());
    }
}

/// Each mistake has a name of its own, too.
#[test]
fn every_code_has_a_mistake() {
    let (mut met, mut names) = (BTreeSet::new(), BTreeSet::new());
    for mistake in mistakes() {
        assert!(names.insert(mistake.name.clone()), "{}", mistake.name);
        let (diagnostics, _) = report(&program(&mistake));
        met.extend(diagnostics.iter().map(|diagnostic| diagnostic.code));
    }
    let missing: Vec<&Code> = Code::ALL
        .iter()
        .filter(|code| !met.contains(code) && !ELSEWHERE.contains(code))
        .collect();
    assert!(missing.is_empty(), "no mistake in tests/error: {missing:?}");
}

/// Warnings `W02xx` and `W03xx` about programs that are known to be good: the reference's and the library's.
/// Whatever appears here has been reviewed.
#[test]
fn warnings_on_good_programs() {
    let mut warned = String::new();
    let mut check = |name: &str, program: &str| {
        let mut session = Session::new(Sharing::Equal);
        session.load_text(name, program);
        for diagnostic in session.take_diagnostics() {
            let number = diagnostic.code.number();
            if number.starts_with("W02") || number.starts_with("W03") {
                let written = diagnostic.span().map(|span| session.sources().text(span));
                warned.push_str(&format!("{program}\n    {diagnostic} at {written:?}\n"));
            }
        }
    };
    for vector in include_str!("reference/vectors.jsonl").lines() {
        let vector: serde_json::Value = serde_json::from_str(vector).expect("JSON");
        check(
            "program.rasp",
            vector["program"].as_str().expect("a program"),
        );
    }
    for entry in
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("stdlib")).expect("readable")
    {
        let path = entry.expect("readable").path();
        // The library itself defines the names it reserves.
        if path
            .extension()
            .is_some_and(|extension| extension == "rasp")
            && !path.ends_with("rasplib.rasp")
        {
            check(
                "module.rasp",
                &std::fs::read_to_string(path).expect("readable"),
            );
        }
    }
    insta::assert_snapshot!("warned", warned);
}

/// Every suggestion with edits, made, removes what it is a suggestion for and adds nothing.
#[test]
fn suggestions_mend_their_mistakes() {
    let mut wrong = String::new();
    let mut made = 0;
    for mistake in mistakes() {
        let program = program(&mistake);
        let (diagnostics, sources) = report(&program);
        let keys = |found: &[Diagnostic]| -> Vec<String> {
            found.iter().map(ToString::to_string).collect()
        };
        for (number, diagnostic) in diagnostics.iter().enumerate() {
            let Some(help) = &diagnostic.help else {
                continue;
            };
            let edits = &help.edits;
            // What another file says is mended there.
            let inside = |(span, _): &(Span, String)| sources.get(span.source).name == program.name;
            if edits.is_empty() || !edits.iter().all(inside) {
                continue;
            }
            let (after, _) = report(&Loaded {
                text: help.applied(&program.text),
                ..program.clone()
            });
            let mut before = keys(&diagnostics);
            before.remove(number);
            let mut left = keys(&after);
            left.retain(|key| match before.iter().position(|other| other == key) {
                Some(at) => {
                    before.remove(at);
                    false
                }
                None => true,
            });
            made += 1;
            if !left.is_empty() {
                let help = &help.message;
                wrong += &format!(
                    "{}: {diagnostic}\n  {help}\n  gives {left:?}\n",
                    program.name
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(made > 100, "{made} suggestions");
}

/// A user's file may lie where the library's texts seem to: its mistakes are mended there.
#[test]
fn the_library_is_known_by_its_texts() {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("stdlib/x.rasp", "def f(x) { return x + 1; } y = f(tokens);");
    let diagnostics = session.take_diagnostics();
    let error = diagnostics.first().expect("a mistake");
    assert_eq!(session.sources().text(error.labels[0].span), "x");
    assert!(error.help.is_some(), "{error}");
}
