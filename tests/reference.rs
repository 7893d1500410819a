//! Holds the project against the reference implementation: 829 programs with the values, printed
//! form, layers and heads it gives, and 156 programs it rejects.

use crate::common::shown::shown_value;
use rasp::graph::Sharing;
use rasp::session::Session;
use rasp::value::Value;
use serde_json::Value as Json;

fn lines(text: &str) -> Vec<Json> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn tokens(input: &Json) -> Vec<Value> {
    match input {
        Json::String(text) => Value::characters(text),
        Json::Array(items) => items.iter().map(atom).collect(),
        _ => panic!("an input is a string or a list"),
    }
}

fn atom(json: &Json) -> Value {
    match json {
        Json::Bool(bool) => Value::Bool(*bool),
        Json::String(text) => Value::str(text),
        Json::Number(number) => match number.as_i64() {
            Some(int) => Value::Int(int),
            None => Value::Float(number.as_f64().unwrap()),
        },
        _ => panic!("not an atom: {json}"),
    }
}

fn session(sharing: Sharing, program: &str) -> Session {
    let mut session = Session::new(sharing);
    session.load_text("program.rasp", program);
    let diagnostics = session.take_diagnostics();
    let errors: Vec<_> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == rasp::base::Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{program}\n{errors:?}");
    session
}

/// The same value, but for the last digit of a float: our means are the exact sum rounded once, the
/// reference adds from left to right.
fn alike(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Float(a), Value::Float(b)) => (a - b).abs() <= 2.0 * f64::EPSILON * b.abs(),
        _ => ours == theirs,
    }
}

#[test]
fn values_and_printed_forms_of_all_vectors() {
    for vector in lines(include_str!("reference/vectors.jsonl")) {
        let program = vector["program"].as_str().unwrap();
        let mut session = session(Sharing::Equal, program);
        let sop = session.sop(vector["sop"].as_str().unwrap()).unwrap();
        let result = session
            .evaluate(sop, &tokens(&vector["input"]))
            .unwrap_or_else(|error| panic!("{program}\n{error}"));
        let expected: Vec<Value> = vector["output"]
            .as_array()
            .unwrap()
            .iter()
            .map(atom)
            .collect();
        let mut pairs = result.values.iter().zip(&expected);
        assert!(
            result.values.len() == expected.len()
                && pairs.all(|(ours, theirs)| alike(ours, theirs)),
            "{program} on {}: {:?}, not {expected:?}",
            vector["input"],
            result.values
        );
        assert_eq!(
            result.sequence_type.name(),
            vector["type"].as_str().unwrap(),
            "{program}"
        );
        assert_eq!(
            result.to_string(),
            vector["printed"].as_str().unwrap(),
            "{program}"
        );
    }
}

#[test]
fn layers_and_heads_of_all_vectors() {
    for vector in lines(include_str!("reference/vectors.jsonl")) {
        let program = vector["program"].as_str().unwrap();
        let mut session = session(Sharing::None, program);
        let sop = session.sop(vector["sop"].as_str().unwrap()).unwrap();
        let schedule = session.schedule(sop);
        assert!(schedule.respects_dependencies(session.graph()), "{program}");
        let heads: Vec<usize> = serde_json::from_value(vector["heads"].clone()).unwrap();
        assert_eq!(schedule.heads(), heads, "{program}");
    }
}

/// What an erroneous program does: the code of its first error with its place, or else what its
/// last statement gives.
fn outcome(case: &Json) -> Result<String, String> {
    let program = case["program"].as_str().unwrap();
    let mut session = Session::new(Sharing::Equal);
    let input = case
        .get("example")
        .map_or_else(|| Value::characters("hello"), tokens);
    let events = session.load_text("program.rasp", program);
    let mut values = Vec::new();
    let mut errors = session.take_diagnostics();
    for event in &events {
        match shown_value(&session, event, &input) {
            Ok(Some(value)) => values.push(value),
            Ok(None) => {}
            Err(error) => errors.push(*error),
        }
    }
    errors.retain(|error| error.severity == rasp::base::Severity::Error);
    match errors.first() {
        None => Ok(values.last().cloned().unwrap_or_default()),
        Some(error) => {
            let span = error
                .span()
                .unwrap_or_else(|| panic!("no span: {program} {error}"));
            let (line, column) = session.sources().position(span);
            Err(format!("{}:{line}:{column}", error.code))
        }
    }
}

/// Programs that the reference rejects and that run here, with what they give: reviewed one by
/// one, each for a reason that docs/LANGUAGE.md gives under "What is mended".
#[test]
fn rejected_programs_are_rejected_or_mended() {
    let mut mended = String::new();
    let mut rejected = 0;
    for case in lines(include_str!("reference/errors.jsonl")) {
        match outcome(&case) {
            Err(_) => rejected += 1,
            Ok(value) => mended.push_str(&format!("{}  gives  {value}\n", case["program"])),
        }
    }
    insta::assert_snapshot!("mended", mended);
    assert_eq!(rejected + mended.lines().count(), 156);
}
