//! The standard library. Every public function has its values and its layers and heads in
//! `tests/stdlib/`, one snapshot a module; and its values agree with the plain definitions in
//! `tests/stdlib/oracle.rs` on every input over a small alphabet.

use crate::common;
mod oracle;
mod oracle_logic;
mod oracle_preprint;
mod uses;

use common::{session, shape};
use oracle::{Case, Oracle};
use rasp::base::{Limits, SourceId};
use rasp::graph::Sharing;
use rasp::inside::stdlib::{MODULES, Module, RASPLIB};
use rasp::inside::syntax::ast::StatementKind;
use rasp::inside::syntax::parse;
use rasp::session::{Meta, Session};
use rasp::value::Value;
use uses::{Use, uses};

fn modules() -> impl Iterator<Item = &'static Module> {
    [&RASPLIB].into_iter().chain(MODULES)
}

/// A session with a module loaded.
fn loaded(module: &str) -> Session {
    let program = match module {
        "rasplib" => String::new(),
        _ => format!("load \"{module}\";"),
    };
    session(module, &program)
}

/// What a module itself defines for others.
fn public(module: &Module) -> Vec<&'static str> {
    let name = |line: &'static str| {
        let definition = line.strip_prefix("def ").unwrap_or(line);
        let end = definition.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
        let defines = line.starts_with("def ") || definition[end..].starts_with(" = ");
        let name = &definition[..end];
        (defines && !name.is_empty() && !name.starts_with('_')).then_some(name)
    };
    module.text.lines().filter_map(name).collect()
}

/// The values of an expression on an input.
fn values(session: &mut Session, expression: &str, input: &[Value]) -> Vec<Value> {
    let sop = session
        .sop(expression)
        .unwrap_or_else(|error| panic!("{expression}: {error}"));
    session
        .evaluate(sop, input)
        .unwrap_or_else(|error| panic!("{expression} on {input:?}: {error}"))
        .values
}

/// An expression on inputs, which are expressions too, as they would be typed: `e(input) = …`.
fn shown(session: &mut Session, expression: &str, inputs: &[&str]) -> String {
    let mut text = String::new();
    for input in inputs {
        let tokens = session
            .expression(input)
            .ok()
            .and_then(|meta| meta.as_tokens())
            .unwrap_or_else(|| panic!("{input} is no input"));
        let sop = session
            .sop(expression)
            .unwrap_or_else(|error| panic!("{expression}: {error}"));
        let result = session
            .evaluate(sop, &tokens)
            .unwrap_or_else(|error| panic!("{expression} on {input}: {error}"));
        text.push_str(&format!("{expression}({input}) = {result}\n"));
    }
    text
}

/// The longest input that models in snapshots are compiled for.
const COMPILED_LENGTH: usize = 4;

/// The tokens of an input, each once: the vocabulary that its snapshot's model is compiled for.
fn distinct_tokens(session: &mut Session, input: &str) -> Vec<Value> {
    let input = session.expression(input).unwrap();
    let mut distinct = Vec::new();
    for token in input.as_tokens().unwrap() {
        if !distinct.contains(&token) {
            distinct.push(token);
        }
    }
    distinct
}

#[test]
fn values_and_schedules() {
    for module in modules() {
        let mut session = loaded(module.name);
        let mut text = String::new();
        for Use { expression, inputs } in uses(module.name) {
            text.push_str(&shown(&mut session, expression, inputs));
            // A session of its own, so that the names in the schedule are those of this use.
            let mut own = loaded(module.name);
            own.settings.vocabulary = Some(distinct_tokens(&mut own, inputs[0]));
            own.settings.max_length = Some(COMPILED_LENGTH);
            text.push_str(&shape(&mut own, expression));
            text.push('\n');
        }
        insta::with_settings!({
            snapshot_path => "stdlib",
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, { insta::assert_snapshot!(module.name, text) });
    }
}

#[test]
fn every_public_name_is_used_and_documented() {
    for module in modules() {
        let session = loaded(module.name);
        for name in public(module) {
            let used = uses(module.name).iter().any(|used| {
                let mut words = used
                    .expression
                    .split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                words.any(|word| word == name)
            });
            assert!(used, "{}: `{name}` is in no snapshot", module.name);
            if let Some(Meta::Function(function)) = session.lookup(name) {
                let documentation = &function.documentation;
                let (has_example, has_source) = (
                    documentation.contains("Example: "),
                    documentation.contains("Source: "),
                );
                let complete = has_example && (has_source || module.name == "rasplib");
                assert!(complete, "{}: document `{name}`", module.name);
            }
        }
    }
}

/// The examples in the documentation, like "`hist(tokens)("aab")` is `[2, 2, 1]`".
#[test]
fn documented_examples_hold() {
    for module in modules() {
        let mut examples = 0;
        let mut session = loaded(module.name);
        for line in module.text.lines() {
            let Some(example) = line.strip_prefix("## Example: ") else {
                continue;
            };
            let parts: Vec<&str> = example.split('`').collect();
            assert!(parts[2].starts_with(" is "), "{example}");
            let claim = format!("{} == {}", parts[1], parts[3]);
            match session.expression(&claim) {
                Ok(meta) => assert!(meta.truthy(), "{}: {example}", module.name),
                Err(error) => panic!("{}: {example}\n{error}", module.name),
            }
            examples += 1;
        }
        assert_eq!(examples, public(module).len(), "{}", module.name);
    }
}

/// Names that two modules define must be one thing, as programs may load both.
#[test]
fn modules_do_not_clash() {
    let mut names: Vec<&str> = modules().flat_map(public).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn all_modules_load_together() {
    let all: String = MODULES
        .iter()
        .map(|module| format!("load \"{}\";\n", module.name))
        .collect();
    let session = session("all", &all);
    for name in modules().flat_map(public) {
        assert!(session.lookup(name).is_some(), "{name}");
    }
}

/// Loading a module runs its definitions; what follows them are assertions and nothing else, and
/// they hold.
#[test]
fn assertions_end_the_modules_and_hold() {
    for module in MODULES {
        let definitions = module.definitions();
        let assertions = &module.text[definitions.len()..];
        assert!(!assertions.is_empty(), "{}", module.name);
        let parsed = parse(SourceId(0), assertions, &Limits::default());
        for statement in &parsed.ast.statements {
            let text = &assertions[statement.span.range()];
            let asserts = matches!(statement.kind, StatementKind::Assert { .. });
            assert!(asserts, "{}: {text}", module.name);
        }
        session(&format!("stdlib/{}.rasp", module.name), module.text);
    }
}

/// Every list of at least one and at most `longest` tokens.
fn inputs(alphabet: &str, longest: u32) -> impl Iterator<Item = Vec<char>> {
    let alphabet: Vec<char> = alphabet.chars().collect();
    (1..=longest).flat_map(move |length| {
        let alphabet = alphabet.clone();
        (0..alphabet.len().pow(length)).map(move |number| {
            let mut rest = number;
            let next = |_| {
                let letter = alphabet[rest % alphabet.len()];
                rest /= alphabet.len();
                letter
            };
            (0..length).map(next).collect()
        })
    })
}

fn agree(module: &str, expression: &str, inputs: impl Iterator<Item = Vec<char>>, oracle: Oracle) {
    let mut session = loaded(module);
    let sop = session.sop(expression).unwrap();
    let said = inputs.map(|input| (oracle(&input), input));
    let said: Vec<_> = said.filter(|(expected, _)| !expected.is_empty()).collect();
    let tokens = |letter: &char| Value::str(&letter.to_string());
    let inputs = said.iter().map(|(_, input)| input.iter().map(tokens));
    let inputs: Vec<Vec<Value>> = inputs.map(Iterator::collect).collect();
    let found = session.evaluate_many(sop, &inputs).unwrap();
    for ((expected, input), found) in said.iter().zip(found) {
        let found = found.unwrap();
        let equal = expected.len() == found.len()
            && expected.iter().zip(&found).all(|(a, b)| match (a, b) {
                (Value::Float(a), b) => (a - b.as_float().unwrap_or(f64::NAN)).abs() < 1e-12,
                (a, b) => a == b,
            });
        assert!(equal, "{expression} on {input:?}\n{found:?}\n{expected:?}");
    }
}

fn cases() -> impl Iterator<Item = &'static Case> {
    let of_others = oracle_logic::CASES.iter().chain(oracle_preprint::CASES);
    oracle::CASES.iter().chain(of_others)
}

fn agree_on_all(module: &str) {
    for (of, expression, alphabet, longest, oracle) in cases() {
        if *of == module {
            agree(module, expression, inputs(alphabet, *longest), *oracle);
        }
    }
}

#[test]
fn rasplib_agrees_with_plain_definitions() {
    agree_on_all("rasplib");
}

#[test]
fn brackets_agree_with_plain_definitions() {
    agree_on_all("dyck");
}

#[test]
fn other_modules_agree_with_plain_definitions() {
    for module in MODULES.iter().filter(|module| module.name != "dyck") {
        agree_on_all(module.name);
    }
}

/// Every function has a plain definition to agree with.
#[test]
fn every_function_has_an_oracle() {
    for module in modules() {
        for name in public(module) {
            let covered = cases().any(|(_, expression, ..)| expression.contains(name));
            assert!(covered, "{}: `{name}`", module.name);
        }
    }
}

#[test]
fn addition_of_all_small_numbers() {
    let mut session = loaded("arithmetic");
    let numbers = (0..120).flat_map(|left| (0..120).map(move |right| (left, right)));
    let inputs = numbers
        .clone()
        .map(|(a, b)| Value::characters(&format!("{a}+{b}")));
    let inputs: Vec<Vec<Value>> = inputs.collect();
    for addition in ["add(tokens)", "add_rippling(tokens, 3)"] {
        let sop = session.sop(addition).unwrap();
        let found = session.evaluate_many(sop, &inputs).unwrap();
        for ((left, right), result) in numbers.clone().zip(found) {
            let digits = result.as_ref().unwrap().iter();
            let sum = digits.fold(0, |sum, digit| sum * 10 + digit.as_int().unwrap());
            assert_eq!(sum, left + right, "{addition}: {left}+{right}");
        }
    }
}

/// All facts, one or two rules and all questions about two elements and two sets.
#[test]
fn inference_agrees_with_forward_chaining() {
    let mut session = loaded("logic");
    for depth in 0..3 {
        let expression = format!("inference(tokens, ['a', 'b'], ['A', 'B'], {depth})");
        let sop = session.sop(&expression).unwrap();
        // Each is asked at one of the depths.
        for question in oracle_logic::questions().iter().skip(depth).step_by(3) {
            let input: Vec<char> = question.chars().collect();
            let expected = oracle_logic::answer(&input, depth).unwrap();
            let found = session.evaluate(sop, &Value::characters(question)).unwrap();
            let expected = vec![Value::str(expected); input.len()];
            assert_eq!(found.values, expected, "{question} at depth {depth}");
        }
    }
}

#[test]
fn addition_carries_far() {
    let mut session = loaded("arithmetic");
    for (input, sum) in [
        ("99999999999999999999+1", "0100000000000000000000"),
        ("1+99999999999999999999", "0100000000000000000000"),
        ("45454545+54545455", "00000000100000000"),
        ("09990999+00010001", "00000000010001000"),
    ] {
        let shown: String = values(&mut session, "add(tokens)", &Value::characters(input))
            .iter()
            .map(Value::to_string)
            .collect();
        assert_eq!(shown, sum, "{input}");
    }
}

/// The schedule as the reference counts it has the layers and heads that its authors give.
#[test]
fn schedules_of_the_paper() {
    let heads = |module: &str, expression: &str| {
        let mut session = Session::new(Sharing::None);
        session.load_text("program", &format!("load \"{module}\";"));
        let sop = session.sop(expression).unwrap();
        session.schedule(sop).heads()
    };
    assert_eq!(heads("sorting", "reverse(tokens)"), [1, 1]);
    assert_eq!(heads("dyck", "dyck1_ptf(tokens, '(', ')')"), [1, 1]);
    assert_eq!(
        heads("dyck", "dyckk_ptf(tokens, ['()', '{}'])"),
        [1, 2, 1, 1]
    );
    let pairs = "tokens, ['()', '{}']";
    for (function, expected) in [
        ("dyckk_ptf_best", &[1, 1, 1][..]),
        ("bounded_dyck_ptf", &[1, 1, 1]),
        ("bounded_dyck", &[1, 1, 1]),
        ("bounded_dyck_next", &[1, 1]),
        ("bounded_dyck_rounds", &[2, 2, 2, 2, 1]),
    ] {
        let depth = match function {
            "dyckk_ptf_best" => "",
            _ => ", 4",
        };
        assert_eq!(
            heads("dyck", &format!("{function}({pairs}{depth})")),
            expected
        );
    }
}

/// What the documentation of the additions says of their layers.
#[test]
fn carries_that_look_ahead_need_no_further_layers() {
    let mut session = loaded("arithmetic");
    let mut layers = |expression: &str| {
        let sop = session.sop(expression).unwrap();
        session.schedule(sop).heads().len()
    };
    assert_eq!(layers("add(tokens)"), 3);
    for digits in 1..6 {
        let rippling = format!("add_rippling(tokens, {digits})");
        assert_eq!(layers(&rippling), digits + 2);
    }
}

#[test]
fn a_module_is_found_although_a_file_has_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("main.rasp");
    std::fs::write(directory.path().join("hist.rasp"), "broken = ;").unwrap();
    std::fs::write(&program, "load \"tracr\"; h = hist(tokens);").unwrap();
    let loaded = rasp::session::files::read(&program).unwrap();
    let mut session = Session::new(Sharing::Equal);
    session.load(&loaded);
    assert_eq!(session.take_diagnostics(), []);
    let result = values(&mut session, "h", &Value::characters("aa"));
    assert_eq!(result, [Value::Int(2), Value::Int(2)]);
}
