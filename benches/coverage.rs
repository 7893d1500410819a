//! How many of the reference implementation's programs compile: each is compiled for up to three
//! tokens of its input and up to four of them at a time, and held against the interpreter on every
//! such input. Prints counts; run with `cargo bench --bench coverage`.

use rasp::base::Limits;
use rasp::execute::Precision;
use rasp::graph::Sharing;
use rasp::inside::compile::{compile_in, verify_all};
use rasp::session::{Request, Session, Setting, VerifyOptions};
use rasp::value::Value;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

const TOKENS: usize = 3;
const LENGTH: usize = 4;

fn main() {
    let mut programs = BTreeSet::new();
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    let mut inputs = 0;
    for line in include_str!("../tests/reference/vectors.jsonl").lines() {
        let vector: Json = serde_json::from_str(line).expect("a vector a line");
        let program = vector["program"].as_str().expect("a program");
        if !programs.insert(program.to_string()) {
            continue;
        }
        let outcome = match outcome(&vector, program) {
            Ok(checked) => {
                inputs += checked;
                "exact".to_string()
            }
            Err(reason) => reason,
        };
        *outcomes.entry(outcome).or_default() += 1;
    }
    println!("{} programs, {inputs} inputs", programs.len());
    for (outcome, count) in outcomes {
        println!("{count:5}  {outcome}");
    }
}

/// How many inputs agree, or why there is no model or no agreement.
fn outcome(vector: &Json, program: &str) -> Result<usize, String> {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("program.rasp", program);
    let sop = session.sop(vector["sop"].as_str().unwrap_or_default());
    let sop = sop.map_err(|error| format!("not read: {}", error.code))?;
    let setting = Setting {
        vocabulary: vocabulary(&vector["input"]),
        max_length: LENGTH,
        causal: false,
    };
    let (request, limits) = (Request::default(), Limits::default());
    let model = compile_in(&request, session.graph(), &[sop], &setting, &limits)
        .map(|compiled| compiled.model)
        .map_err(|error| format!("refused: {} {}", error.code, error.code.title()))?;
    let options = VerifyOptions {
        max_length: LENGTH,
        exhaustive: usize::MAX,
        samples: 0,
        seed: 0,
        precision: Precision::F32,
    };
    let found = verify_all(session.graph(), &[sop], &model, &options)
        .map_err(|error| format!("not run: {}", error.code))?;
    match found.wrong {
        0 => Ok(found.checked),
        _ => Err("WRONG".to_string()),
    }
}

/// The first few distinct tokens of an input.
fn vocabulary(input: &Json) -> Vec<Value> {
    let tokens = match input {
        Json::String(text) => Value::characters(text),
        other => other.as_array().into_iter().flatten().map(token).collect(),
    };
    let mut distinct: Vec<Value> = Vec::new();
    for token in tokens {
        if !distinct.contains(&token) && distinct.len() < TOKENS {
            distinct.push(token);
        }
    }
    distinct
}

fn token(json: &Json) -> Value {
    match (json.as_bool(), json.as_i64(), json.as_f64(), json.as_str()) {
        (Some(bool), ..) => Value::Bool(bool),
        (_, Some(int), ..) => Value::Int(int),
        (_, _, Some(float), _) => Value::Float(float),
        (.., text) => Value::str(text.unwrap_or_default()),
    }
}
