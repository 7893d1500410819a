//! Transformers for bracket languages, held against a definition of these languages that shares
//! nothing with the project's: what is left of a word once all `()` and `[]` are crossed out.

use crate::common::place::{Place, Ran};
use rasp::base::{Code, Random};
use rasp::execute::{Executor, Precision};
use rasp::machine::dyck::{Dyck, Kind, Options, sample, verify};
use rasp::model::{Attention, Dtype, FeedForward, Matrix, Model};
use rasp::value::Value;
use serde_json::{Value as Json, json};

const BOTH: [Precision; 2] = [Precision::F32, Precision::F64];

fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("dyck");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// The open brackets of a prefix of a word, if it is one.
fn open(prefix: &str, depth: usize) -> Option<String> {
    let balance = |text: &str| {
        let side = |c: char| if "([".contains(c) { 1i64 } else { -1 };
        text.chars().map(side).sum::<i64>()
    };
    let deepest = (0..=prefix.len()).map(|end| balance(&prefix[..end])).max();
    let mut left = prefix.to_string();
    while let Some(at) = left.find("()").or_else(|| left.find("[]")) {
        left.replace_range(at..at + 2, "");
    }
    let is_prefix = !left.contains([')', ']']) && deepest <= Some(depth as i64);
    is_prefix.then_some(left)
}

/// What a model is to say of each prefix; nothing where it is asked nothing.
fn expected(kind: Kind, word: &str, depth: usize) -> Vec<Option<Value>> {
    let prefixes = (1..=word.len()).map(|end| open(&word[..end], depth));
    let label = |open: Option<String>| match open.as_deref() {
        None => "F",
        Some("") => "T",
        Some(_) => "P",
    };
    let follow = |open: String| {
        let mut text = String::new();
        for (brackets, top) in [("()", '('), ("[]", '[')] {
            let may = [open.len() < depth, open.ends_with(top)];
            text.extend(
                brackets
                    .chars()
                    .zip(may)
                    .filter_map(|(c, may)| may.then_some(c)),
            );
        }
        if open.is_empty() {
            text.push('$');
        }
        Value::str(&text)
    };
    match kind {
        Kind::Recognise => {
            let is_word = open(word, depth).as_deref() == Some("");
            vec![Some(Value::Bool(is_word)); word.len()]
        }
        Kind::Label => prefixes.map(|open| Some(Value::str(label(open)))).collect(),
        _ => prefixes.map(|open| open.map(follow)).collect(),
    }
}

fn brackets(kind: Kind, depth: usize, max_length: usize) -> Dyck {
    Dyck {
        kind,
        depth: (kind != Kind::GenerateUnbounded).then_some(depth),
        tokens: Value::characters("()[]"),
        max_length,
        attention: Attention::Soft,
        looped: false,
    }
}

/// Every string of four brackets.
fn strings(lengths: std::ops::RangeInclusive<usize>) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut found = Vec::new();
    for length in 1..=*lengths.end() {
        let longer = all.iter().flat_map(|word| {
            let longer = move |c: char| format!("{word}{c}");
            "()[]".chars().map(longer)
        });
        all = longer.collect();
        if lengths.contains(&length) {
            found.extend(all.iter().cloned());
        }
    }
    found
}

/// The first string on which a model is wrong.
fn wrong(dyck: &Dyck, model: &Model, precision: Precision, words: &[String]) -> Option<String> {
    let inputs: Vec<_> = words.iter().map(|word| Value::characters(word)).collect();
    let outputs = Executor::new(model, precision)
        .unwrap()
        .run_all(&inputs)
        .unwrap();
    let depth = dyck.depth.unwrap_or(usize::MAX >> 1);
    let is_wrong = |(word, got): &(&String, Vec<Value>)| {
        let expected = expected(dyck.kind, word, depth);
        assert_eq!(expected.len(), got.len());
        let mut pairs = expected.iter().zip(got);
        pairs.any(|(expected, got)| expected.as_ref().is_some_and(|value| value != got))
    };
    let found = words.iter().zip(outputs).find(is_wrong);
    found.map(|(word, _)| word.clone())
}

#[test]
fn every_construction_is_right_on_all_strings_of_up_to_six_brackets() {
    let words = strings(1..=6);
    assert_eq!(words.len(), 5460);
    for kind in Kind::ALL {
        for depth in 1..=4 {
            if kind == Kind::GenerateUnbounded && depth > 1 {
                continue;
            }
            // Nor does it matter how long an input could have been.
            let dyck = brackets(kind, depth, 6 + depth);
            let model = dyck.build(None).unwrap();
            for precision in BOTH {
                let found = wrong(&dyck, &model, precision, &words);
                assert_eq!(found, None, "{kind:?} {depth} {precision:?}");
            }
            let hard = Dyck {
                attention: Attention::Hard,
                ..dyck
            };
            let model = hard.build(None).unwrap();
            let found = wrong(&hard, &model, Precision::F32, &words[..340]);
            assert_eq!(found, None, "{kind:?} {depth} hard");
        }
    }
}

/// The rounds of the recogniser are one layer that runs again and again.
#[test]
fn a_looped_recogniser_is_the_same() {
    let words: Vec<String> = strings(1..=6);
    for depth in 1..=4 {
        let unrolled = brackets(Kind::Recognise, depth, 8);
        let looped = Dyck {
            looped: true,
            ..unrolled.clone()
        };
        let model = looped.build(None).unwrap();
        assert_eq!(model.layers.len(), 2);
        assert_eq!(model.loops[0].times, depth);
        assert_eq!(Dyck::of(&model).unwrap(), looped);
        for precision in BOTH {
            let found = wrong(&looped, &model, precision, &words);
            assert_eq!(found, None, "{depth} {precision:?}");
        }
    }
    let labels = Dyck {
        looped: true,
        ..brackets(Kind::Label, 2, 8)
    };
    assert_eq!(labels.build(None).unwrap_err().code, Code::BadRequest);
}

#[test]
fn what_the_project_holds_models_against_is_the_language() {
    for kind in Kind::ALL {
        for depth in 1..=3 {
            let dyck = brackets(kind, depth, 5);
            for word in strings(1..=5) {
                let index = |c: char| "()[]".find(c).unwrap();
                let tokens: Vec<usize> = word.chars().map(index).collect();
                let depth = dyck.depth.unwrap_or(9);
                assert_eq!(
                    dyck.expected(&tokens),
                    expected(kind, &word, depth),
                    "{word}"
                );
            }
        }
    }
}

/// Each part of a construction is needed, and `verify` sees that it is missing.
#[test]
fn verify_finds_a_model_without_any_one_of_its_parts() {
    for kind in Kind::ALL {
        let model = brackets(kind, 2, 6).build(None).unwrap();
        let options = Options::default();
        assert!(verify(&model, &options).unwrap().is_proof(), "{kind:?}");
        let d_model = model.d_model;
        for layer in 0..model.layers.len() {
            let mut without = Vec::new();
            for head in 0..model.layers[layer].heads.len() {
                let mut blind = model.clone();
                let head = &mut blind.layers[layer].heads[head];
                head.key = Matrix::zeros(d_model, head.d_head());
                let is_uniform = head.d_head() == 0;
                without.extend((!is_uniform).then_some(blind.clone()));
                blind.layers[layer].heads.clear();
                without.push(blind);
            }
            if model.layers[layer].mlp.d_mlp() > 0 {
                let mut idle = model.clone();
                idle.layers[layer].mlp = FeedForward::empty(d_model);
                without.push(idle);
            }
            for (at, broken) in without.iter().enumerate() {
                let found = verify(broken, &options).unwrap();
                assert!(found.wrong > 0, "{kind:?} layer {layer}: {at}");
                assert!(found.first_wrong.is_some());
            }
        }
    }
}

#[test]
fn long_words_and_near_misses() {
    let options = |precision| Options {
        exhaustive: 0,
        samples: 20,
        seed: 3,
        precision,
    };
    let types = |count: usize| -> Vec<Value> {
        let both = |kind: usize| [format!("<{kind}>"), format!("</{kind}>")];
        (0..count)
            .flat_map(both)
            .map(|token| Value::str(&token))
            .collect()
    };
    for (kind, count, depth, max_length) in [
        (Kind::Recognise, 8, Some(5), 120),
        (Kind::Label, 128, Some(15), 400),
        (Kind::Generate, 5, Some(10), 400),
        (Kind::GenerateLn, 128, Some(15), 400),
        (Kind::GenerateUnbounded, 3, None, 80),
    ] {
        let dyck = Dyck {
            kind,
            depth,
            tokens: types(count),
            max_length,
            attention: Attention::Soft,
            looped: false,
        };
        let model = dyck.build(None).unwrap();
        for precision in BOTH {
            let found = verify(&model, &options(precision)).unwrap();
            assert_eq!(
                (found.checked, found.wrong),
                (20, 0),
                "{kind:?} {precision:?}"
            );
        }
    }
}

/// Beyond the limit that the builder knows, a model does go wrong.
#[test]
fn what_is_refused_in_float32_is_wrong_there() {
    let dyck = Dyck {
        depth: None,
        ..brackets(Kind::GenerateUnbounded, 1, 192)
    };
    assert_eq!(dyck.build(None).unwrap_err().code, Code::NotExact);
    assert_eq!(
        dyck.build(Some(Dtype::Float32)).unwrap_err().code,
        Code::NotExact
    );
    let model = dyck.build(Some(Dtype::Float64)).unwrap();
    let found = |precision| {
        let options = Options {
            exhaustive: 0,
            samples: 10,
            precision,
            ..Options::default()
        };
        verify(&model, &options).unwrap().wrong
    };
    assert!(found(Precision::F32) > 0);
    assert_eq!(found(Precision::F64), 0);
}

#[test]
fn generated_words_are_words_and_a_seed_gives_them_again() {
    for kind in [Kind::Generate, Kind::GenerateLn, Kind::GenerateUnbounded] {
        let dyck = brackets(kind, 3, 30);
        let model = dyck.build(None).unwrap();
        let words = |seed| {
            let mut random = Random::new(seed);
            let mut word = || sample(&model, Precision::F32, &mut random).unwrap();
            (0..60).map(|_| word()).collect::<Vec<_>>()
        };
        let found = words(1);
        assert_eq!(found, words(1));
        assert_ne!(found, words(2));
        let depth = dyck.depth.unwrap_or(99);
        for word in &found {
            let text: String = word.tokens.iter().map(Value::to_string).collect();
            let left = open(&text, depth).unwrap_or_else(|| panic!("{text}"));
            assert!(word.ended || text.len() == 30, "{text}");
            assert!(!word.ended || left.is_empty(), "{text}");
        }
        // The empty word, deep ones, and both types.
        let texts: Vec<String> = found
            .iter()
            .map(|word| word.tokens.iter().map(Value::to_string).collect())
            .collect();
        for part in ["(((", "[[[", "]]]", "([]"] {
            assert!(texts.iter().any(|text| text.contains(part)), "{part}");
        }
        assert!(texts.iter().any(String::is_empty));
    }
    let recogniser = brackets(Kind::Recognise, 2, 6).build(None).unwrap();
    let error = sample(&recogniser, Precision::F32, &mut Random::new(0)).unwrap_err();
    assert_eq!(error.code, Code::BadRequest);
}

// ---- the command line ----

fn built(place: &Place, kind: &str, more: &[&str]) -> Ran {
    let mut arguments = vec!["machine", "dyck", "--kind", kind, "-o", kind];
    arguments.extend(more);
    place.rasp(&arguments)
}

#[test]
fn models_say_of_each_prefix_what_their_kind_says() {
    let place = Place::new();
    let size = ["--types", "2", "--depth", "2", "--max-len", "8"];
    let exec = |kind: &str, input: &str| -> Json {
        let ran = place.rasp(&["exec", kind, "-i", input, "--json"]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.lines()[0]["output"].clone()
    };
    for kind in ["recognise", "label", "generate", "generate-ln"] {
        assert_eq!(built(&place, kind, &size).status, 0);
    }
    let size = ["--types", "2", "--max-len", "8"];
    assert_eq!(built(&place, "generate-unbounded", &size).status, 0);
    assert_eq!(exec("recognise", "([])()"), json!(vec![true; 6]));
    assert_eq!(exec("recognise", "([)]"), json!(vec![false; 4]));
    assert_eq!(exec("recognise", "([()])"), json!(vec![false; 6]));
    assert_eq!(
        exec("label", "([])(()"),
        json!(["P", "P", "P", "T", "P", "P", "P"])
    );
    assert_eq!(exec("label", "(])()"), json!(["P", "F", "F", "F", "F"]));
    for kind in ["generate", "generate-ln"] {
        assert_eq!(
            exec(kind, "([])"),
            json!(["()[", "]", "()[", "([$"]),
            "{kind}"
        );
    }
    assert_eq!(exec("generate-unbounded", "(["), json!(["()[", "([]"]));
    snapshot("info", &place.rasp(&["info", "recognise"]).shown());
    snapshot("info_ln", &place.rasp(&["info", "generate-ln"]).shown());
    snapshot(
        "trace",
        &place
            .rasp(&["exec", "recognise", "-i", "[()]", "--trace"])
            .shown(),
    );
    let verified = place.rasp(&["machine", "verify", "label"]);
    assert_eq!(verified.status, 0);
    let json = place
        .rasp(&["machine", "verify", "label", "--samples", "9", "--json"])
        .lines();
    assert_eq!(
        (&json[0]["checked"], &json[0]["wrong"], &json[0]["proved"]),
        (&json!(5460 + 9), &json!(0), &json!(false))
    );
    let words = [
        "machine", "generate", "generate", "--count", "4", "--seed", "5",
    ];
    let mut text = place.rasp(&words).shown();
    let json: Vec<&str> = words.into_iter().chain(["--json"]).collect();
    text += &place.rasp(&json).shown();
    snapshot("generate", &text);
    // Nobody has proved what no program says.
    snapshot("certify", &place.rasp(&["certify", "label"]).shown());
}

#[test]
fn brackets_are_given_or_made_up() {
    let place = Place::new();
    let with = |more: &[&str]| {
        let name = [
            "machine", "dyck", "--kind", "generate", "-o", "m", "--force",
        ];
        let size = ["--depth", "1", "--max-len", "4"];
        let all: Vec<&str> = name
            .into_iter()
            .chain(size)
            .chain(more.iter().copied())
            .collect();
        place.rasp(&all)
    };
    assert_eq!(with(&["--tokens", "abcd"]).status, 0);
    let ran = place.rasp(&["exec", "m", "-i", "abcd", "--json"]);
    assert_eq!(ran.lines()[0]["output"], json!(["b", "ac$", "d", "ac$"]));
    assert_eq!(with(&["--types", "5"]).status, 0);
    let input = r#"["(5", ")5"]"#;
    let ran = place.rasp(&["exec", "m", "--input-json", input, "--json"]);
    assert_eq!(ran.lines()[0]["output"], json!([")5", "(1(2(3(4(5$"]));
    assert_eq!(
        with(&["--tokens-json", r#"["<p>", "</p>"]"#, "--hard"]).status,
        0
    );
    let input = r#"["<p>"]"#;
    let ran = place.rasp(&["exec", "m", "--input-json", input, "--json"]);
    assert_eq!(ran.lines()[0]["output"], json!(["</p>"]));
}

#[test]
fn what_cannot_be_built_or_tried() {
    let place = Place::with(&[("x.rasp", "x = indices;\n")]);
    let compile = [
        "compile",
        "x.rasp",
        "-e",
        "x",
        "--vocab",
        "ab",
        "--max-len",
        "2",
        "-o",
        "x",
    ];
    assert_eq!(place.rasp(&compile).status, 0);
    place.file("taken", "something");
    let mut text = String::new();
    for line in [
        "dyck --kind label --types 2 --depth 3 --max-len 8 -o taken",
        "dyck --kind label --types 2 --max-len 8 -o m",
        "dyck --kind label --types 2 --depth 0 --max-len 8 -o m",
        "dyck --kind label --types 0 --depth 1 --max-len 8 -o m",
        "dyck --kind label --types 2 --depth 1 --max-len 0 -o m",
        "dyck --kind label --types 99999999999 --depth 1 --max-len 8 -o m",
        "dyck --kind recognise --types 2 --depth 99999 --max-len 8 -o m",
        "dyck --kind recognise --types 2 --depth 1 --max-len 99999999 -o m",
        "dyck --kind generate-unbounded --types 2 --depth 3 --max-len 8 -o m",
        "dyck --kind label --tokens ()( --depth 3 --max-len 8 -o m",
        "dyck --kind label --tokens ()() --depth 3 --max-len 8 -o m",
        "dyck --kind label --tokens () --types 2 --depth 3 --max-len 8 -o m",
        "dyck --kind generate --tokens-json [\"a\",\"xy\",\"x\",\"yx\"] --depth 3 --max-len 8 -o m",
        "dyck --kind label --tokens-json () --depth 3 --max-len 8 -o m",
        "dyck --kind generate-ln --types 8 --depth 60 --max-len 400 -o m",
        "dyck --kind label --types 8 --depth 1000 --max-len 200000 --dtype float64 -o m",
        "dyck --kind label --types 8 --depth 100 --max-len 800 --dtype float32 -o m",
        "dyck --kind generate-unbounded --types 2 --max-len 6000 -o m",
        "dyck --kind label --types 2 --depth 2 --max-len 8 --dtype bfloat16 -o m",
        "verify x",
        "generate x",
        "verify taken",
        "verify none",
    ] {
        let arguments: Vec<&str> = ["machine"].into_iter().chain(line.split(' ')).collect();
        let ran = place.rasp(&arguments);
        assert_ne!(ran.status, 0, "{line}");
        text += &format!("$ rasp machine {line}\n{}\n", ran.shown());
    }
    snapshot("refused", &text);
    let float64 = "machine dyck --kind generate-unbounded --types 2 --max-len 6000 -o m \
                   --dtype float64";
    let arguments: Vec<&str> = float64.split_whitespace().collect();
    assert_eq!(place.rasp(&arguments).status, 0);
}

/// A model that lies about what it is: an error, or wrong answers that are found.
#[test]
fn descriptions_that_lie_do_no_harm() {
    let model = brackets(Kind::Generate, 2, 6).build(None).unwrap();
    for machine in [
        "",
        "{}",
        "[]",
        r#"{"kind":"subleq","construction":"label","depth":2,"attention":"soft"}"#,
        r#"{"kind":"dyck","construction":"label","depth":2}"#,
        r#"{"kind":"dyck","construction":"label","depth":0,"attention":"soft"}"#,
        r#"{"kind":"dyck","construction":"label","depth":null,"attention":"soft"}"#,
        r#"{"kind":"dyck","construction":"generate","depth":-1,"attention":"soft"}"#,
        r#"{"kind":"dyck","construction":"generate","depth":18446744073709551615,"attention":"soft"}"#,
    ] {
        let lying = Model {
            machine: Some(machine.to_string()),
            ..model.clone()
        };
        assert!(verify(&lying, &Options::default()).is_err(), "{machine}");
        assert!(
            sample(&lying, Precision::F32, &mut Random::new(0)).is_err(),
            "{machine}"
        );
    }
    for construction in ["label", "recognise", "generate"] {
        let machine = format!(
            r#"{{"kind":"dyck","construction":"{construction}","depth":3,"attention":"soft"}}"#
        );
        let lying = Model {
            machine: Some(machine),
            ..model.clone()
        };
        assert!(verify(&lying, &Options::default()).unwrap().wrong > 0);
    }
    let mut odd = model.clone();
    odd.vocabulary[3] = Value::Int(7);
    odd.outputs[0].readout.bias[0] = 1e3;
    odd.variables.clear();
    assert!(verify(&odd, &Options::default()).unwrap().wrong > 0);
    assert!(sample(&odd, Precision::F32, &mut Random::new(0)).is_err());
}

/// Each command says of a machine of the other kind that it is one.
#[test]
fn machines_of_another_kind_are_told() {
    let place = Place::with(&[("halt.subleq", ".data\nx: .word 1\n.text\nclr x\nhalt\n")]);
    let made = place.shell(
        "rasp machine dyck --kind label --types 1 --depth 1 --max-len 4 -o d.model &&
         rasp machine asm halt.subleq -o l.model",
    );
    assert_eq!(made.status, 0, "{}", made.shown());
    for (command, model, kind) in [("run", "d.model", "dyck"), ("verify", "l.model", "looped")] {
        let ran = place.rasp(&["machine", command, model]);
        let told = format!("a machine of another kind: {kind}");
        assert!(ran.err.contains(&told), "{}", ran.shown());
        assert_eq!(ran.status, 1);
    }
}
