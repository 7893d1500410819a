//! What programs that build on the library stand on: a session that can be moved to a thread and
//! stopped from another, texts from anywhere, and one place that says what a model is made for.

use rasp::base::{Code, Limits};
use rasp::execute::Executor;
use rasp::graph::Sharing;
use rasp::model::{HostOrder, Model};
use rasp::session::{Asked, Loaded, Loader, Memory, Missing, Session, VerifyOptions};
use rasp::value::Value;
use std::time::Duration;

fn session(text: &str) -> Session {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("main.rasp", text);
    let found = session.take_diagnostics();
    assert!(found.is_empty(), "{found:?}");
    session
}

fn assert_send<T: Send>() {}

#[test]
fn a_session_goes_to_another_thread() {
    assert_send::<Session>();
    assert_send::<Model>();
    assert_send::<Executor>();
    let mut session = session("x = indices + 1;");
    let elsewhere = std::thread::spawn(move || {
        let x = session.sop("x").expect("an s-op");
        let values = session.evaluate(x, &Value::characters("abc"));
        values.expect("values").to_string()
    });
    assert_eq!(elsewhere.join().expect("it ends"), "[1, 2, 3] (ints)");
}

/// Every stage of the work asks whether it is to end.
#[test]
fn a_session_is_stopped_at_any_stage() {
    let mut session = session(
        "set vocab \"abcdefgh\"\nset max_length 8
        x = selector_width(select(tokens, tokens, ==));",
    );
    let x = session.sop("x").expect("an s-op");
    let asked = Asked::default();
    let compiled = session.compile(&["x"], &asked).expect("a model");
    let setting = session.setting(&asked).expect("it is set");
    session.control().stop();
    let input = Value::characters("abc");
    for stopped in [
        session.evaluate(x, &input).map(drop),
        session.facts(&[x], &setting).map(drop),
        session.compile_sops(&[(x, "x")], &asked).map(drop),
        session
            .verify(&compiled, &VerifyOptions::default())
            .map(drop),
    ] {
        assert_eq!(stopped.expect_err("it is stopped").code, Code::Interrupted);
    }
    let other = self::session("y = tokens;").compile(&["y"], &small());
    assert!(other.is_ok(), "another session goes on");
    session.control().resume();
    assert!(session.evaluate(x, &input).is_ok());
}

#[test]
fn a_program_is_stopped_while_it_runs() {
    let mut session = Session::new(Sharing::Equal);
    let control = session.control().clone();
    let person = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        control.stop();
    });
    session.load_text(
        "endless.rasp",
        "x = 1; for i in range(900000) { for j in range(900000) { x = x + 1; } }",
    );
    person.join().expect("it only waits");
    let found = session.take_diagnostics();
    let codes: Vec<Code> = found.iter().map(|found| found.code).collect();
    assert_eq!(codes, [Code::Interrupted]);
}

fn small() -> Asked {
    Asked {
        vocabulary: Some(Value::characters("ab")),
        max_length: Some(3),
        ..Asked::default()
    }
}

/// What is defined in the texts that `main.rasp` loads.
fn values(texts: Memory, main: &str) -> Result<String, String> {
    let mut session = Session::new(Sharing::Equal).with_loader(texts);
    session.load_text("main.rasp", main);
    match session.take_diagnostics().first() {
        Some(error) => Err(format!("{error} {:?}", error.notes)),
        None => {
            let x = session.sop("x").expect("an s-op");
            let found = session.evaluate(x, &Value::characters("aab"));
            Ok(found.expect("values").to_string())
        }
    }
}

#[test]
fn texts_in_memory_load_each_other_as_files_do() {
    let texts = || {
        Memory::new([
            ("one.rasp", "load \"lib/two\"; one = two;"),
            ("./lib/two.rasp", "load \"../three\"; two = three;"),
            ("three.rasp", "three = 3;"),
            ("round.rasp", "load \"round\";"),
        ])
    };
    let x = |main| values(texts(), main);
    let threes = Ok("[3]*3 (ints)".to_string());
    assert_eq!(x("load \"one\"; x = one + 0 * indices;"), threes);
    assert_eq!(x("load \"lib/two.rasp\"; x = two + 0 * indices;"), threes);
    let missing = x("load \"lib/four\";").expect_err("no such text");
    assert!(missing.starts_with("[E0501]"), "{missing}");
    let circle = x("load \"round\";").expect_err("it loads itself");
    assert!(circle.starts_with("[E0502]"), "{circle}");
}

/// A loader knows nothing of the library, and its texts come before that.
#[test]
fn the_library_stands_behind_every_loader() {
    let counts = Ok("[2, 2, 1] (ints)".to_string());
    let main = "load \"hist\"; x = hist(tokens);";
    assert_eq!(values(Memory::default(), main), counts);
    let own = Memory::new([("hist.rasp", "x = indices;")]);
    assert_eq!(
        values(own, "load \"hist\";"),
        Ok("[0, 1, 2] (ints)".to_string())
    );
}

#[test]
fn what_a_loader_cannot_read_is_told() {
    struct Broken;
    impl Loader for Broken {
        fn load(&self, path: &str, _: Option<&str>) -> Result<Loaded, Missing> {
            Err(Missing::Unreadable(format!(
                "the disk of {path} is on fire"
            )))
        }
    }
    let mut session = Session::new(Sharing::Equal).with_loader(Broken);
    session.load_text("main.rasp", "load \"hist\";");
    let found = session.take_diagnostics();
    assert_eq!(found[0].code, Code::FileNotFound);
    let told = format!("{:?}", found[0]);
    assert!(told.contains("the disk of hist is on fire"), "{told}");
}

#[test]
fn the_caller_is_before_the_program_and_that_before_an_example() {
    let plain = session("x = tokens;");
    let error = plain
        .setting(&Asked::default())
        .expect_err("nothing is said");
    assert_eq!(error.code, Code::BadRequest);
    let like = Asked {
        otherwise: Some(Value::characters("hello")),
        ..Asked::default()
    };
    let of = |session: &Session, asked: &Asked| {
        let setting = session.setting(asked).expect("all is said");
        let tokens = setting.vocabulary.iter().map(ToString::to_string);
        (
            tokens.collect::<String>(),
            setting.max_length,
            setting.causal,
        )
    };
    assert_eq!(of(&plain, &like), ("helo".to_string(), 5, false));
    let set = session("set vocab \"aab\"\nset max_length 7\nset causal on\nx = tokens;");
    assert_eq!(of(&set, &like), ("ab".to_string(), 7, true));
    let asked = Asked {
        vocabulary: Some(Value::characters("xyx")),
        causal: Some(false),
        ..like
    };
    assert_eq!(of(&set, &asked), ("xy".to_string(), 7, false));
}

#[test]
fn models_are_made_verified_and_certified_by_the_session() {
    let mut session = session("x = selector_width(select(tokens, tokens, ==)); y = indices;");
    let compiled = session.compile(&["x", "y"], &small()).expect("a model");
    let names: Vec<&str> = compiled
        .model
        .outputs
        .iter()
        .map(|output| &*output.name)
        .collect();
    assert_eq!(names, ["x", "y"]);
    let found = session
        .verify(&compiled, &VerifyOptions::default())
        .expect("inputs");
    assert!(found.is_proof());
    let proof = Session::certify(&compiled.model, HostOrder::Scores).expect("a plan");
    assert_eq!(proof.exact, compiled.model.certified);
    let mut spoilt = compiled.model.clone();
    spoilt.plan = None;
    let refused = Session::certify(&spoilt, HostOrder::Scores).expect_err("nothing to go by");
    assert_eq!(refused.code, Code::NotExact);
    let twice = session.compile(&["x", "x"], &small()).expect_err("twice");
    assert_eq!(twice.code, Code::BadRequest);
    let none = session.compile::<&str>(&[], &small()).expect_err("nothing");
    assert_eq!(none.code, Code::BadRequest);
}

/// The library is read whatever the limits of programs are.
#[test]
fn limits_are_those_of_programs() {
    let limits = Limits {
        steps: 10,
        ..Limits::default()
    };
    let mut session = Session::new(Sharing::Equal).with_limits(limits);
    session.load_text("main.rasp", "x = 0; for i in range(20) { x = x + i; }");
    assert_eq!(session.take_diagnostics()[0].code, Code::LimitReached);
    assert!(session.sop("length").is_ok());
}
