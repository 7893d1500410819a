//! `rasp learn`: programs from examples, by the command line.

use crate::common::place::{Place, Ran};
use serde_json::Value as Json;

fn learnt(place: &Place, arguments: &str) -> Ran {
    place.shell(&format!("rasp learn {arguments}"))
}

/// Examples of how often each token occurs.
fn counts() -> String {
    let words = [
        "aab", "abc", "bbb", "ca", "cabb", "a", "bc", "ccab", "bab", "cc", "acca", "bcb",
    ];
    let line = |word: &&str| {
        let input: Vec<String> = word.chars().map(String::from).collect();
        let output: Vec<usize> = word
            .chars()
            .map(|c| word.chars().filter(|other| *other == c).count())
            .collect();
        format!(
            "{}\n",
            serde_json::json!({"input": input, "output": output})
        )
    };
    words.iter().map(line).collect()
}

fn report(place: &Place, directory: &str) -> Json {
    let text = std::fs::read_to_string(place.path(&format!("{directory}/report.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_task_becomes_a_program_a_model_and_a_report() {
    let place = Place::new();
    let ran = learnt(&place, "--task hist -o hist");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    let program = std::fs::read_to_string(place.path("hist/program.rasp")).unwrap();
    let statement = "output = selector_width(select(tokens, tokens, ==));";
    assert!(program.contains(statement), "{program}");
    assert!(program.contains("\nassert output("), "{program}");
    let proof =
        "# On all 335922 inputs this is what was learnt; of 335922 inputs 335922 are right.\n";
    assert!(program.ends_with(proof), "{program}");
    let report = report(&place, "hist");
    let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
    let wanted = [
        "task",
        "seed",
        "seconds",
        "token_accuracy",
        "sequence_accuracy",
        "inputs",
        "inputs_right",
        "exhaustive",
    ];
    assert_eq!(keys, wanted);
    assert_eq!(report["inputs"], 335_922);
    assert_eq!(report["inputs_right"], 335_922);
    assert_eq!(report["exhaustive"], true);
    let input = r#"'["<s>","3","1","3"]'"#;
    let run = place.shell(&format!(
        "rasp run hist/program.rasp -e output --input-json {input} --json"
    ));
    let exec = place.shell(&format!(
        "rasp exec hist/model.safetensors --input-json {input} --json"
    ));
    for ran in [run, exec] {
        assert!(ran.out.contains("[1,2,1,2]"), "{}", ran.shown());
    }
}

#[test]
fn a_file_of_examples_is_learnt_from() {
    let place = Place::new();
    std::fs::write(place.path("counts.jsonl"), counts()).unwrap();
    let ran = learnt(&place, "--data counts.jsonl --grow -o counts --json");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    let report: Json = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["exhaustive"], false);
    assert_eq!(report["token_accuracy"], 1.0);
    let again = learnt(&place, "--data counts.jsonl --grow -o counts");
    assert_eq!(again.status, 1);
    assert!(
        again.err.contains("has a program.rasp already"),
        "{}",
        again.err
    );
    assert!(!again.err.contains("--resume"), "{}", again.err);
    let both = learnt(&place, "--task sort --causal -o other");
    assert_eq!(both.status, 2, "{}", both.shown());
    let none = learnt(&place, "-o other");
    assert!(none.err.contains("--data <FILE.jsonl>"), "{}", none.err);
    let forced = learnt(
        &place,
        "--data counts.jsonl --grow -o counts --force --seed 1",
    );
    assert_eq!(forced.status, 0, "{}", forced.shown());
}

#[test]
fn a_transformer_is_trained_and_made_discrete() {
    let place = Place::new();
    std::fs::write(place.path("counts.jsonl"), counts()).unwrap();
    let small = "--data counts.jsonl --layers 1 --heads 1 --mlps 0 --epochs 60 --seeds 4";
    let ran = learnt(&place, &format!("{small} -o whole"));
    assert_eq!(ran.status, 0, "{}", ran.shown());
    let log = std::fs::read_to_string(place.path("whole/log.jsonl")).unwrap();
    assert!(log.lines().count() >= 60, "{log}");
    assert!(!place.path("whole/checkpoint.json").exists());
}

#[test]
fn training_that_is_resumed_gives_the_same_bytes() {
    let place = Place::new();
    std::fs::write(place.path("counts.jsonl"), counts()).unwrap();
    let small = "--data counts.jsonl --layers 1 --heads 2 --mlps 1 --epochs 30 --seeds 2";
    assert_eq!(learnt(&place, &format!("{small} -o whole")).status, 0);
    // A file in the way of the log lets the training end, and nothing after it.
    std::fs::create_dir_all(place.path("part/program.rasp")).unwrap();
    let stopped = learnt(&place, &format!("{small} -o part --force"));
    assert_eq!(stopped.status, 1, "{}", stopped.shown());
    assert!(place.path("part/checkpoint.json").exists());
    let log = std::fs::read_to_string(place.path("part/log.jsonl")).unwrap();
    assert!(log.lines().count() >= 30, "{log}");
    std::fs::remove_dir(place.path("part/program.rasp")).unwrap();
    let other = learnt(&place, "--data counts.jsonl --epochs 31 -o part --resume");
    assert!(other.err.contains("with other settings"), "{}", other.err);
    std::fs::write(place.path("counts.jsonl"), counts().replace("[1]", "[2]")).unwrap();
    let other = learnt(&place, &format!("{small} -o part --resume"));
    assert!(other.err.contains("with other settings"), "{}", other.err);
    std::fs::write(place.path("counts.jsonl"), counts()).unwrap();
    let resumed = learnt(&place, &format!("{small} -o part --resume"));
    assert_eq!(resumed.status, 0, "{}", resumed.shown());
    let read = |name: &str| std::fs::read(place.path(name)).unwrap();
    // What was noted before the stop is still there.
    for file in ["program.rasp", "model.safetensors", "log.jsonl"] {
        assert!(
            read(&format!("whole/{file}")) == read(&format!("part/{file}")),
            "{file}"
        );
    }
}

#[test]
fn a_kill_loses_at_most_an_epoch_and_a_full_disk_none() {
    let place = Place::new();
    std::fs::write(place.path("counts.jsonl"), counts()).unwrap();
    let small = "--data counts.jsonl --layers 1 --heads 2 --mlps 1 --epochs 400 --seeds 2";
    assert_eq!(learnt(&place, &format!("{small} -o whole")).status, 0);
    let read = |name: &str| std::fs::read(place.path(name)).unwrap();
    let same = |directory: &str| {
        for file in ["program.rasp", "model.safetensors"] {
            let file_of = |directory: &str| read(&format!("{directory}/{file}"));
            assert!(file_of("whole") == file_of(directory), "{directory}/{file}");
        }
    };
    for (at, later) in ["0", "0.05", "0.2"].into_iter().enumerate() {
        let killed = format!("killed{at}");
        place.shell(&format!(
            "rasp learn {small} -o {killed} & pid=$!
             until test -e {killed}/checkpoint.json; do sleep 0.01; done
             sleep {later}; kill -KILL $pid; wait $pid"
        ));
        let left = || -> Vec<_> {
            let names = std::fs::read_dir(place.path(&killed)).unwrap();
            names
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect()
        };
        if place.path(&format!("{killed}/report.json")).exists() {
            // The machine was faster than the kill.
            continue;
        }
        // A kill between the two system calls that replace a checkpoint leaves the new one beside it,
        // until the next write.
        let between = |name: &String| name.starts_with(".rasp-") && name.ends_with(".replacing");
        let mut found = left();
        found.retain(|name| !between(name));
        found.retain(|name| name != "log.jsonl");
        assert_eq!(found, ["checkpoint.json"], "{:?}", left());
        let resumed = learnt(&place, &format!("{small} -o {killed} --resume"));
        assert_eq!(resumed.status, 0, "{}", resumed.shown());
        same(&killed);
        assert!(!left().iter().any(between), "{:?}", left());
    }
    // Files may have no more bytes: as a full disk, but for the message.
    let half =
        "--data counts.jsonl --layers 1 --heads 2 --mlps 1 --epochs 400 --seeds 2 --minutes 0";
    assert_eq!(learnt(&place, &format!("{half} -o full")).status, 0);
    let full = place.shell(&format!(
        "trap '' XFSZ; ulimit -f 1; rasp learn {small} -o full --force"
    ));
    assert_eq!(full.status, 1, "{}", full.shown());
    assert!(full.err.contains("could not be written"), "{}", full.err);
    assert!(
        place.path("full/program.rasp").exists(),
        "what was there stays"
    );
}

#[test]
fn a_mistake_in_the_examples_has_its_line() {
    let place = Place::new();
    let long = format!(
        r#"{{"input": [{}"a"], "output": [{}1]}}"#,
        r#""a","#.repeat(64),
        "1,".repeat(64)
    );
    let many: String = (0..70)
        .map(|token| format!("{{\"input\": [\"{token}\"], \"output\": [1]}}\n"))
        .collect();
    let rare: String = (0..40)
        .map(|k| {
            format!(
                "{{\"input\": [\"a\", \"{}\", \"{}\"], \"output\": [{k}, 0, 0]}}\n",
                k % 7,
                k / 7
            )
        })
        .collect();
    for (text, wanted) in [
        (
            "{\"input\": [\"a\"], \"output\": [1]}\n[1]\n",
            "line 2: it is not a JSON object",
        ),
        ("nonsense\n", "line 1: expected"),
        ("{\"input\": [\"a\"]}\n", "line 1: `output` is missing"),
        (
            "{\"input\": [\"a\"], \"output\": [1, 2]}\n",
            "line 1: 1 tokens, but 2 values",
        ),
        (
            "{\"input\": [3], \"output\": [1]}\n",
            "line 1: the token 3 is not a string",
        ),
        (
            "{\"input\": [\"a\"], \"output\": [1.5]}\n",
            "line 1: the output 1.5 is neither",
        ),
        (
            "{\"input\": [\"a\"], \"output\": [1]}\n{\"input\": [\"a\"], \"output\": [2]}\n",
            "line 2: line 1 asks for another output",
        ),
        (
            "{\"input\": [\"a\"], \"output\": [1]}\n{\"input\": [\"b\"], \"output\": [\"x\"]}\n",
            "line 2: the outputs mix strings and numbers",
        ),
        (&long, "line 1: 65 tokens, where 1 to 64"),
        (&many, "line 64: more than 63 different tokens"),
        (&rare, "no example that is learnt from has the label"),
        ("", "0 different examples: too few"),
    ] {
        std::fs::write(place.path("wrong.jsonl"), text).unwrap();
        let ran = learnt(&place, "--data wrong.jsonl --grow -o wrong");
        assert_eq!(ran.status, 1, "{wanted}");
        assert!(ran.err.contains(wanted), "{wanted}\n{}", ran.err);
        assert!(!place.path("wrong").exists(), "{wanted}");
    }
}

/// Brackets of two kinds are told in the paper's family, by a text that is proved exact in float32.
#[test]
fn brackets_are_learnt_in_the_family() {
    let place = Place::new();
    let sizes = "--layers 1 --heads 1 --mlps 0 --epochs 1 --seeds 1";
    let ran = learnt(&place, &format!("--task dyck2 {sizes} -o brackets"));
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert_eq!(report(&place, "brackets")["inputs_right"], 2000);
    let program = std::fs::read_to_string(place.path("brackets/program.rasp")).unwrap();
    assert!(
        program.contains("height = opening_so_far - closing_so_far;"),
        "{program}"
    );
    let ran = place.shell("rasp certify brackets/model.safetensors");
    assert!(ran.out.contains("float32"), "{}", ran.shown());
}
