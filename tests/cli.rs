//! The command line as scripts use it: spellings, JSON, exit statuses, and that no mistake panics
//! or overwrites anything.

use crate::common::place;

use place::{Place, Ran};
use serde_json::{Value as Json, json};

const HIST: &str = "same = select(tokens, tokens, ==);\nhist = selector_width(same);\n";

fn hist() -> Place {
    let place = Place::new();
    place.file("hist.rasp", HIST);
    place
}

#[test]
fn run_gives_one_line_of_json_for_each_expression_and_input() {
    let ran = hist().rasp(&[
        "run",
        "hist.rasp",
        "-e",
        "hist",
        "-e",
        "tokens_asis",
        "-i",
        "aab",
        "--input-json",
        r#"[1, 2.5, true]"#,
        "--json",
    ]);
    assert_eq!(
        ran.lines(),
        [
            json!({"expr": "hist", "input": "aab", "output": [2, 2, 1], "type": "ints"}),
            json!({"expr": "hist", "input": [1, 2.5, true], "output": [1, 1, 1], "type": "ints"}),
            json!({"expr": "tokens_asis", "input": "aab", "output": ["a", "a", "b"],
                "type": "strings"}),
            json!({"expr": "tokens_asis", "input": [1, 2.5, true], "output": [1, 2.5, true],
                "type": "floats"}),
        ]
    );
    assert_eq!(ran.status, 0);
}

#[test]
fn an_error_on_one_input_is_that_line_and_the_exit_status() {
    let ran = hist().rasp(&[
        "run",
        "hist.rasp",
        "-e",
        "hist",
        "-e",
        "1/indices",
        "-e",
        "hst",
        "-i",
        "ab",
        "--json",
    ]);
    let lines = ran.lines();
    assert_eq!(lines[0]["output"], json!([1, 1]));
    assert_eq!(lines[1]["error"]["code"], "E0407");
    assert_eq!(
        lines[1]["error"]["labels"][0],
        json!({"file": "expression", "line": 1, "column": 1, "end_line": 1, "end_column": 10,
            "message": "this fails at position 0, where the token is \"a\"", "primary": true})
    );
    assert_eq!(lines[2]["error"]["code"], "E0201");
    assert_eq!(ran.status, 1);
}

#[test]
fn a_program_from_standard_input_runs_its_expression_statements() {
    let place = Place::new();
    let ran = place.reading("x = indices + 1;\nx;\nx(\"abc\");\n1 + 1;", &["run", "-"]);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn several_errors_of_a_program_are_reported_in_one_go() {
    let place = Place::new();
    place.file(
        "bad.rasp",
        "a = tokens + 1;\nb = a * 2;\nc = lenght;\nd = select(c, c, ==);\n",
    );
    insta::assert_snapshot!(place.rasp(&["run", "bad.rasp"]).shown());
    let lines = place
        .rasp(&["run", "bad.rasp", "-e", "b", "-i", "x", "--json"])
        .lines();
    assert_eq!(lines[0]["error"]["code"], "E0301");
    assert_eq!(
        lines[0]["error"]["help"],
        json!(["for the tokens as numbers: `tokens_int + 1`"])
    );
}

#[test]
fn of_many_errors_the_first_are_shown_and_the_rest_counted() {
    let place = Place::new();
    let many = |line: &str| line.repeat(150);
    place.file("names.rasp", &many("tokens + 1;\n"));
    let ran = place.rasp(&["run", "names.rasp"]);
    assert_eq!(ran.err.matches("[E0301]").count(), 100);
    assert!(ran.err.contains("names.rasp:100:1"), "{}", ran.err);
    assert!(ran.err.ends_with("… and 50 more\n"), "{}", ran.err);
    let all = place.rasp(&["run", "names.rasp", "--json"]).err;
    assert_eq!(all.matches("E0301").count(), 150);
    for line in ["x = ;\n", "if x > 1 { y = 2; }\n"] {
        place.file("syntax.rasp", &many(line));
        let ran = place.rasp(&["run", "syntax.rasp"]);
        assert_eq!(ran.err.matches("[E0104]").count(), 100, "{line}");
        assert!(ran.err.contains("Note: there"), "{line}");
    }
}

#[test]
fn schedules() {
    let place = hist();
    let ran = place.rasp(&["schedule", "hist.rasp", "-e", "sort(tokens, -hist)"]);
    insta::assert_snapshot!(ran.shown());
    let json = |arguments: &[&str]| place.rasp(arguments).lines().remove(0);
    let ours = json(&[
        "schedule",
        "hist.rasp",
        "-e",
        "sort(tokens, -hist)",
        "--json",
    ]);
    assert_eq!(
        (&ours["layers"], &ours["heads"]),
        (&json!(3), &json!([1, 1, 1]))
    );
    let theirs = json(&[
        "schedule",
        "hist.rasp",
        "-e",
        "sort(tokens, -hist)",
        "--reference",
        "--json",
    ]);
    assert_eq!(
        (&theirs["layers"], &theirs["heads"]),
        (&json!(3), &json!([2, 2, 1]))
    );
    // Another name for the index is not its name.
    place.file("named.rasp", "i = indices;\neven = i % 2;\n");
    let named = place.rasp(&["schedule", "named.rasp", "-e", "even"]);
    assert!(named.out.contains("even = (indices % 2)"), "{}", named.out);
}

#[test]
fn check_shows_types_and_with_a_vocabulary_values() {
    let place = hist();
    insta::assert_snapshot!(place.rasp(&["check", "hist.rasp"]).shown());
    let ran = place.rasp(&[
        "check",
        "hist.rasp",
        "--vocab",
        "ab",
        "--max-len",
        "3",
        "--json",
    ]);
    let rows = &ran.lines()[0]["definitions"];
    assert_eq!(rows[1]["name"], "hist");
    assert_eq!(rows[1]["domain"], json!([1, 2, 3]));
    place.file(
        "int.rasp",
        "set vocab \"ab\"\nset max_length 3\nx = tokens_int + 0;\n",
    );
    let ran = place.rasp(&["check", "int.rasp"]);
    let told = "none: it fails on every input of these tokens";
    assert!(ran.out.contains(told), "{}", ran.shown());
}

#[test]
fn compile_info_exec_and_verify() {
    let place = hist();
    let ran = place.rasp(&[
        "compile",
        "hist.rasp",
        "-e",
        "hist",
        "--vocab",
        "abc",
        "--max-len",
        "4",
        "-o",
        "hist.model",
    ]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let info = place
        .rasp(&["info", "hist.model", "--json"])
        .lines()
        .remove(0);
    assert_eq!((&info["layers"], &info["heads"]), (&json!(1), &json!([1])));
    for key in ["d_model", "d_head", "d_mlp", "parameters", "nonzero"] {
        assert!(!info[key].is_null(), "{key}");
    }
    for precision in [&[][..], &["--f64"][..]] {
        let arguments = [&["exec", "hist.model", "-i", "abca", "--json"], precision].concat();
        let line = place.rasp(&arguments).lines().remove(0);
        assert_eq!(
            line,
            json!({"input": "abca", "output": [2, 1, 1, 2], "type": "ints"})
        );
        let arguments = [
            &[
                "verify",
                "hist.rasp",
                "-e",
                "hist",
                "--vocab",
                "abc",
                "--max-len",
                "4",
                "--json",
            ],
            precision,
        ]
        .concat();
        let found = place.rasp(&arguments).lines().remove(0);
        assert_eq!(
            (&found["checked"], &found["wrong"]),
            (&json!(3 + 9 + 27 + 81), &json!(0))
        );
        assert_eq!(found["exhaustive_to_length"], 4);
        assert!(found["first_wrong"].is_null());
    }
}

#[test]
fn a_model_of_several_outputs_gives_all_of_them() {
    let place = hist();
    let setting = ["--vocab", "abc", "--max-len", "4", "-o", "hist.model"];
    let compile = ["compile", "hist.rasp", "-e", "hist", "-e", "tokens"];
    assert_eq!(place.rasp(&[&compile[..], &setting].concat()).status, 0);
    let ran = place.rasp(&["exec", "hist.model", "-i", "abca"]);
    assert_eq!(
        ran.out,
        "hist(\"abca\") = [2, 1, 1, 2] (ints)\ntokens(\"abca\") = [a, b, c, a] (strings)\n"
    );
    let ran = place.rasp(&["exec", "hist.model", "-i", "ba", "--json"]);
    assert_eq!(
        ran.out.trim_end(),
        r#"{"input":"ba","outputs":{"hist":[1,1],"tokens":["b","a"]},"types":{"hist":"ints","tokens":"strings"}}"#
    );
    let ran = place.rasp(&["exec", "hist.model", "-i", "ba", "--json", "--trace"]);
    let trace = &ran.lines()[0]["trace"];
    assert_eq!(trace["outputs"]["tokens"], json!(["b", "a"]));
    assert_eq!(
        trace["steps"][1]["heads"][0]["weights"][0]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let info = place.rasp(&["info", "hist.model"]).out;
    assert!(info.contains("\noutputs\n"), "{info}");
    let twice = ["compile", "hist.rasp", "-e", "hist", "-e", "hist"];
    let ran = place.rasp(&[&twice[..], &setting, &["--force"]].concat());
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("twice"), "{}", ran.err);
}

/// The schedule that is printed is the model's.
#[test]
fn the_schedule_of_a_model_is_the_one_that_is_shown() {
    let place = hist();
    let setting = ["--vocab", "abcd", "--max-len", "5"];
    for style in ["faithful", "compact"] {
        for expression in ["hist", "sort(tokens, tokens)", "contains(tokens, \"b\")"] {
            let of = ["hist.rasp", "-e", expression, "--style", style, "--json"];
            let asked = [&["schedule"][..], &of, &setting].concat();
            let shown = place.rasp(&asked).lines().remove(0);
            let written = ["-o", "m.model", "--force", "--uncertified"];
            let compiled = place.rasp(&[&["compile"][..], &of, &setting, &written].concat());
            let model = compiled.lines().remove(0);
            assert_eq!(shown["layers"], model["layers"], "{expression} {style}");
            assert_eq!(shown["heads"], model["heads"], "{expression} {style}");
        }
    }
}

#[test]
fn a_certificate_is_of_exactly_these_weights() {
    let place = hist();
    let setting = ["--vocab", "abc", "--max-len", "4", "-o", "hist.model"];
    let ran = place.rasp(&[&["compile", "hist.rasp", "-e", "hist"], &setting[..]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let info = place.rasp(&["info", "hist.model"]).out;
    let hosts =
        "float32 (scores query both), float64 (scores query both), bfloat16 (scores query both)";
    assert!(info.contains(&format!("certified    {hosts}\n")), "{info}");
    let info = place
        .rasp(&["info", "hist.model", "--json"])
        .lines()
        .remove(0);
    let orders = json!(["scores", "query", "both"]);
    let certified = json!({"float32": orders, "float64": orders, "bfloat16": orders});
    assert_eq!(info["certified"], certified);
    let ran = place.rasp(&["certify", "hist.model"]);
    insta::assert_snapshot!(ran.shown());
    let proved = place
        .rasp(&["certify", "hist.model", "--json"])
        .lines()
        .remove(0);
    for floats in ["float32", "float64"] {
        assert_eq!(proved[floats]["holds"], true);
        assert_eq!(proved[floats]["outputs"][0]["output"], "hist");
        assert_eq!(proved[floats]["heads"].as_array().unwrap().len(), 1);
        assert_eq!(proved[floats]["open"], json!([]));
        assert!(proved[floats]["variables"][0]["error"].is_number());
    }
    assert_eq!(proved["bfloat16"], json!({"holds": true, "weight": null}));
    assert_eq!(proved["certified"], certified);
    // Another weight, and nothing is proved.
    let path = place.path("hist.model");
    let mut model = rasp::model::load(&path).unwrap();
    model.outputs[0].readout.bias[1] *= 1.2;
    rasp::model::save(&model, &path, rasp::base::Existing::Replace).unwrap();
    let ran = place.rasp(&["certify", "hist.model"]);
    insta::assert_snapshot!(ran.shown());
    model.plan = None;
    model.certified.clear();
    rasp::model::save(&model, &path, rasp::base::Existing::Replace).unwrap();
    let ran = place.rasp(&["certify", "hist.model", "--json"]);
    assert_eq!((ran.status, &*ran.out), (1, ""));
    assert_eq!(diagnostics(&ran)[0]["code"], "E0604");
    let info = place.rasp(&["info", "hist.model"]).out;
    assert!(info.contains("certified    no\n"), "{info}");
    mistake(&place, &["certify", "nowhere"], 1, "E0501");
    mistake(&place, &["certify", "hist.rasp"], 1, "E0701");
}

/// A model is written for the hosts that are asked for, or what is not exact on them is named.
#[test]
fn models_are_made_for_hosts() {
    let place = hist();
    place.file(
        "frequent.rasp",
        "load \"sorting\";\nx = most_frequent(tokens);\n",
    );
    let hist = [
        "compile",
        "hist.rasp",
        "-e",
        "hist",
        "--vocab",
        "abcdefgh",
        "--max-len",
        "24",
    ];
    let written = ["-o", "m.model", "--force"];
    let mut text = String::new();
    for asked in [
        &[][..],
        &["--host-order", "query"],
        &["--host-order", "both"],
        &["--dtype", "bfloat16"],
        &["--dtype", "bfloat16", "--host-order", "both"],
    ] {
        let ran = place.rasp(&[&hist[..], &written, asked].concat());
        assert_eq!(ran.status, 0, "{asked:?}: {}", ran.err);
        let info = place.rasp(&["info", "m.model"]).out;
        let lines = info.lines().filter(|line| {
            let first = line.split_whitespace().next();
            matches!(first, Some("d_head" | "d_mlp" | "certified"))
        });
        text += &format!("{asked:?}\n{}\n", lines.collect::<Vec<_>>().join("\n"));
        let certified = place.rasp(&[&["certify", "m.model"][..], asked].concat());
        assert_eq!(certified.status, 0, "{asked:?}: {}", certified.err);
        let exec: Vec<&str> = match asked {
            [.., "--host-order", order] => vec!["--host-order", order],
            _ => Vec::new(),
        };
        let ran = place.rasp(&[&["exec", "m.model", "-i", "aab"][..], &exec].concat());
        assert_eq!(ran.status, 0, "{asked:?}: {}", ran.err);
    }
    insta::assert_snapshot!(text);
    // What the default model is not exact on.
    place.rasp(&[&hist[..], &written].concat());
    let refused = [
        place.rasp(&["certify", "m.model", "--host-order", "query"]),
        place.rasp(&["certify", "m.model", "--dtype", "bfloat16"]),
        place.rasp(&[
            "compile",
            "frequent.rasp",
            "-e",
            "x",
            "--vocab",
            "ab",
            "--max-len",
            "64",
            "--dtype",
            "bfloat16",
            "-o",
            "other.model",
        ]),
    ];
    let refused = refused.map(|ran| {
        assert_eq!(ran.status, 1, "{}", ran.out);
        ran.err
    });
    insta::assert_snapshot!(refused.join("\n"));
}

#[test]
fn what_is_not_proved_is_said() {
    let place = Place::new();
    // Numbers up to 24², counted by squares, leave float32 too few digits for what they are divided by.
    place.file(
        "share.rasp",
        "share = indices * selector_width(select(tokens, tokens, ==)) / length;",
    );
    let compile = [
        "compile",
        "share.rasp",
        "-e",
        "share",
        "--vocab",
        "abcd",
        "--max-len",
        "24",
        "-o",
        "share.model",
    ];
    assert_eq!(place.rasp(&compile).status, 1);
    let ran = place.rasp(&[&compile[..], &["--uncertified"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = place.rasp(&["certify", "share.model"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("not proved to be exact"), "{}", ran.err);
    let ran = place.rasp(&["certify", "share.model", "--json"]);
    assert_eq!(ran.lines()[0]["float32"]["holds"], false);
    assert_eq!(ran.lines()[0]["float64"]["holds"], true);
    assert_eq!(diagnostics(&ran)[0]["code"], "E0604");
}

#[test]
fn a_refusal_names_what_is_proved_instead() {
    let place = Place::new();
    place.file(
        "program.rasp",
        "sum = round(length * aggregate(full_s, 3 if tokens == \"a\" else 0));
         left = aggregate(score(sum, indices - indices, lambda k, q: k * k), indices % 2);
         count = selector_width(select(tokens, tokens, ==));
         load \"sorting\";
         frequent = most_frequent(tokens);
         twice = selector_width(select(count, count, ==));",
    );
    let compile = |options: &str| {
        place.shell(&format!(
            "rasp compile program.rasp -o model --force {options}"
        ))
    };
    for (options, way, other) in [
        (
            "-e left --vocab ab --max-len 20",
            "`--style compact`",
            "--style compact",
        ),
        (
            "-e frequent --vocab ab --max-len 64 --dtype bfloat16",
            "without `--dtype bfloat16`",
            "--dtype float32",
        ),
        (
            "-e twice --vocab ab --max-len 6 --passes=-guard",
            "with all passes it compiles: leave out `--passes`",
            "",
        ),
    ] {
        let refused = compile(options);
        assert_eq!(refused.status, 1, "{}", refused.err);
        let help = format!("Help: {way}");
        let flat = refused.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(&help), "{}", refused.err);
        let options = options.replace("--dtype bfloat16", "");
        let options = options.replace("--passes=-guard", "");
        let made = compile(&format!("{options} {other}"));
        assert_eq!(made.status, 0, "{}", made.err);
    }
}

#[test]
fn the_same_program_gives_the_same_bytes() {
    let place = hist();
    for out in ["one", "two"] {
        place.rasp(&[
            "compile",
            "hist.rasp",
            "-e",
            "sort(tokens, hist)",
            "--vocab",
            "abc",
            "--max-len",
            "4",
            "-o",
            out,
        ]);
    }
    let bytes = |name: &str| std::fs::read(place.path(name)).unwrap();
    assert_eq!(bytes("one"), bytes("two"));
}

#[test]
fn nothing_is_overwritten_unless_asked() {
    let place = hist();
    place.file("precious", "my thesis");
    let compile = [
        "compile",
        "hist.rasp",
        "-e",
        "hist",
        "--vocab",
        "ab",
        "--max-len",
        "2",
        "-o",
    ];
    let ran = place.rasp(&[&compile[..], &["precious"]].concat());
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("E0503"), "{}", ran.err);
    assert_eq!(
        std::fs::read_to_string(place.path("precious")).unwrap(),
        "my thesis"
    );
    let ran = place.rasp(&[&compile[..], &["precious", "--force"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
}

/// Nobody wants a model, a picture or a reference where the program was.
#[test]
fn a_program_is_not_replaced_by_what_is_made_of_it() {
    let place = hist();
    for command in [
        "compile hist.rasp -e hist --vocab ab --max-len 2 -o hist.rasp --force",
        "draw hist.rasp -e hist --as svg -o hist.rasp --force",
        "doc hist.rasp -o hist.rasp --force",
    ] {
        let before = std::fs::read_to_string(place.path("hist.rasp")).unwrap();
        mistake(&place, &command.split(' ').collect::<Vec<_>>(), 1, "E0503");
        let after = std::fs::read_to_string(place.path("hist.rasp")).unwrap();
        assert_eq!(before, after, "{command}");
    }
}

/// A comma or a blank that comes again stands between tokens, and is none.
#[test]
fn a_vocabulary_is_no_list() {
    let place = hist();
    let check = |vocabulary| {
        let setting = ["--vocab", vocabulary, "--max-len", "2"];
        place.rasp(&[&["check", "hist.rasp"][..], &setting].concat())
    };
    for listed in ["a,b,c", "a b c", "[\"a\", \"b\", \"c\"]"] {
        let ran = check(listed);
        assert_eq!(ran.status, 1, "{}", ran.shown());
        assert!(ran.err.contains("`--vocab abc`"), "{}", ran.err);
    }
    for words in ["[\"a\", \"b\"]", "[\"the\", \"cat\"]"] {
        let ran = check(words);
        assert!(ran.err.contains("`--vocab-json '["), "{}", ran.err);
    }
    for plain in ["hello", "ab ,", "a,b", "( )", "[]"] {
        assert_eq!(check(plain).status, 0, "{plain}");
    }
}

#[test]
fn a_word_too_many_has_its_option() {
    let place = hist();
    let told = |command: &str| {
        let ran = place.shell(&format!("rasp {command}"));
        assert_eq!(ran.status, 2, "{}", ran.shown());
        ran.err.lines().last().unwrap_or_default().to_string()
    };
    let input = "An input is given as `-i hello`";
    assert_eq!(
        told("run hist.rasp hello"),
        format!("{input}, an s-op as `-e hello`")
    );
    assert_eq!(told("exec model hello"), input);
    assert_eq!(
        told("schedule hist.rasp hist"),
        "An s-op is given as `-e hist`"
    );
}

/// Text cannot be an input of a model whose tokens are words.
#[test]
fn words_are_given_as_a_list() {
    let place = hist();
    let compile = "rasp compile hist.rasp -e hist --max-len 4 -o words --vocab-json";
    let made = place.shell(&format!("{compile} '[\"the\", \"cat\"]'"));
    assert_eq!(made.status, 0, "{}", made.err);
    let ran = place.shell("rasp exec words -i the");
    let help = "as `--input-json '[\"the\", \"cat\"]'` does";
    assert!(ran.err.contains(help), "{}", ran.err);
}

#[test]
fn the_ending_of_a_picture_is_that_of_its_form() {
    let place = hist();
    let draw = |rest: &str| {
        let command = format!("draw hist.rasp -e hist -i ab --as {rest}");
        place.rasp(&command.split(' ').collect::<Vec<_>>())
    };
    let ran = draw("pdf -o it.png");
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(!place.path("it.png").exists());
    assert!(draw("pdf").err.contains("`-o NAME.pdf`"));
    assert_eq!(draw("svg -o it.svg").status, 0);
    assert_eq!(draw("svg -o it").status, 0);
}

/// A mistake with the status it must end with and the code it must name.
fn mistake(place: &Place, arguments: &[&str], status: i32, code: &str) {
    let ran = place.rasp(arguments);
    assert_eq!(ran.status, status, "{arguments:?}\n{}", ran.shown());
    assert!(ran.err.contains(code), "{arguments:?}\n{}", ran.shown());
}

#[test]
fn bad_input_is_a_diagnostic_and_an_exit_status() {
    let place = hist();
    let compile = |out: &str| {
        place.rasp(&[
            "compile",
            "hist.rasp",
            "-e",
            "hist",
            "--vocab",
            "ab",
            "--max-len",
            "3",
            "-o",
            out,
        ])
    };
    assert_eq!(compile("model").status, 0);
    let bytes = std::fs::read(place.path("model")).unwrap();
    std::fs::write(place.path("half"), &bytes[..bytes.len() / 2]).unwrap();
    let long = "a".repeat(4);
    mistake(&place, &["exec", "model", "-i", "abz"], 1, "E0702");
    mistake(&place, &["exec", "model", "-i", &long], 1, "E0703");
    mistake(&place, &["exec", "model", "-i", ""], 1, "E0405");
    mistake(&place, &["exec", "half", "-i", "a"], 1, "E0701");
    mistake(&place, &["exec", "hist.rasp", "-i", "a"], 1, "E0701");
    mistake(&place, &["info", "nowhere"], 1, "E0501");
    mistake(&place, &["run", "nowhere.rasp"], 1, "E0501");
    mistake(&place, &["run", "hist"], 1, "did you mean `hist.rasp`?");
    mistake(
        &place,
        &["run", "hits.rasp"],
        1,
        "did you mean `hist.rasp`?",
    );
    mistake(&place, &["run", "model"], 1, "a model is run with");
    mistake(&place, &["exec", "half", "-i", "a"], 1, "rasp compile FILE");
    mistake(
        &place,
        &["schedule", "hist.rasp", "-e", "[hist]"],
        1,
        "`[hist][0]`",
    );
    mistake(
        &place,
        &["schedule", "hist.rasp", "-e", "average"],
        1,
        "`average(",
    );
    mistake(
        &place,
        &[
            "compile",
            "hist.rasp",
            "-e",
            "tokens_int + 1",
            "--vocab",
            "ab",
            "--max-len",
            "3",
            "-o",
            "other",
        ],
        1,
        "is not an int",
    );
    mistake(
        &place,
        &["run", "hist.rasp", "-e", "hist", "-i", ""],
        1,
        "E0405",
    );
    mistake(
        &place,
        &["run", "hist.rasp", "-e", "hist", "--input-json", "[1,"],
        1,
        "E0405",
    );
    mistake(&place, &["run", "hist.rasp", "-e", "(hist"], 1, "E0105");
    mistake(&place, &["schedule", "hist.rasp", "-e", "same"], 1, "E0308");
    let causal = ["schedule", "hist.rasp", "-e", "hist", "--causal"];
    mistake(&place, &causal, 1, "--vocab abc --max-len 8");
    let made = ["draw", "--model", "model", "--causal"];
    mistake(
        &place,
        &made,
        1,
        "leave out `--vocab`, `--max-len` and `--causal`",
    );
    mistake(&place, &["check", "hist.rasp", "--vocab", ""], 1, "E0803");
    mistake(
        &place,
        &["verify", "hist.rasp", "-e", "hist", "--vocab", "ab"],
        1,
        "E0803",
    );
    mistake(&place, &["frobnicate"], 2, "no such command");
    mistake(&place, &["rnu", "hist.rasp"], 2, "did you mean `run`?");
    mistake(&place, &["run"], 2, "required");
    let ran = compile("no/such/directory/model");
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("E0503"), "{}", ran.err);
}

/// What clap would have to say of it is no way out, and for tools it is JSON like all else.
#[test]
fn a_wrong_command_line_is_told() {
    let place = hist();
    let negative = ["check", "hist.rasp", "--max-len", "-1"];
    mistake(
        &place,
        &negative,
        2,
        "invalid value '-1' for '--max-len <N>'",
    );
    let unknown = place.rasp(&["check", "hist.rasp", "--nope"]);
    assert!(!unknown.err.contains("tip:"), "{}", unknown.err);
    let ran = place.rasp(&["check", "hist.rasp", "--nope", "--json"]);
    let told: Json = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(ran.status, 2);
    assert_eq!(told["message"], "unexpected argument '--nope' found");
    assert_eq!(told["severity"], "error");
}

#[test]
fn loads_look_beside_the_file_then_in_the_library_and_notice_cycles() {
    let place = Place::new();
    std::fs::create_dir(place.path("lib")).unwrap();
    place.file(
        "lib/a.rasp",
        "load \"b\";\n_secret = 1;\nthree = two + _secret;\n",
    );
    place.file("lib/b.rasp", "two = 2;\n");
    place.file("main.rasp", "load \"lib/a\";\n");
    let run = |expr: &str| place.rasp(&["run", "main.rasp", "-e", expr, "--json"]);
    assert_eq!(run("three").lines()[0]["output"], 3);
    assert_eq!(run("_secret").status, 1);
    place.file("lib/b.rasp", "load \"a\";\n");
    let ran = run("three");
    assert!(ran.err.contains("E0502"), "{}", ran.err);
}

#[test]
fn programs_of_the_reference_start_up_fast_enough_to_script() {
    // Not a timing: a thousand-line program must simply come through.
    let place = Place::new();
    let lines: String = (0..1_000)
        .map(|at| format!("def f{at}(x) {{ return x + {at}; }} v{at} = f{at}(indices);\n"))
        .collect();
    place.file("long.rasp", &lines);
    let ran = place.rasp(&["run", "long.rasp", "-e", "v999", "-i", "ab", "--json"]);
    assert_eq!(ran.lines()[0]["output"], json!([999, 1000]));
}

#[test]
fn a_batch_keeps_the_order_and_goes_on_after_errors() {
    let place = hist();
    let lines: String = (0..2_500)
        .map(|at| match at % 100 {
            7 => "nonsense\n".to_string(),
            8 => "[\"a\", 1]\n".to_string(),
            _ => format!("[{at}, {}, {at}]\n", at + 1),
        })
        .collect();
    place.file("inputs.jsonl", &lines);
    let arguments = [
        "run",
        "hist.rasp",
        "-e",
        "hist",
        "-e",
        "tokens_int",
        "--json",
        "--batch",
    ];
    let from_file = place.rasp(&[&arguments[..], &["inputs.jsonl"]].concat());
    let from_pipe = place.reading(&lines, &[&arguments[..], &["-"]].concat());
    assert_eq!(from_file.out, from_pipe.out);
    assert_eq!(from_file.status, 1);
    let results = from_file.lines();
    assert_eq!(results.len(), 5_000);
    for (at, pair) in results.chunks(2).enumerate() {
        match at % 100 {
            7 => assert_eq!(pair[0]["error"]["code"], "E0405"),
            8 => assert_eq!(pair[0]["error"]["code"], "E0401"),
            _ => {
                assert_eq!(pair[0]["output"], json!([2, 1, 2]));
                assert_eq!(pair[1]["output"], json!([at, at + 1, at]));
            }
        }
    }
    let unasked = place.rasp(&["run", "hist.rasp", "--batch", "inputs.jsonl"]);
    assert_eq!(unasked.status, 1);
    assert!(unasked.err.contains("E0803"), "{}", unasked.err);
}

#[test]
fn a_batch_asks_for_selectors_as_one_input_does() {
    let place = hist();
    place.file("inputs.jsonl", "\"aba\"\n[\"x\", \"b\"]\n");
    let batch = ["run", "hist.rasp", "--batch", "inputs.jsonl", "-e"];
    let selector = "select(tokens, tokens, ==)";
    let rows = place.rasp(&[&batch[..], &[selector, "--json"]].concat());
    let outputs: Vec<_> = rows
        .lines()
        .iter()
        .map(|line| line["output"].clone())
        .collect();
    let same = [
        [true, false, true],
        [false, true, false],
        [true, false, true],
    ];
    assert_eq!(
        outputs,
        [json!(same), json!([[true, false], [false, true]])]
    );
    assert_eq!(rows.lines()[0]["type"], "selector");
    for expression in [selector, "hist + 1"] {
        let drawn = place.rasp(&[&batch[..], &[expression]].concat());
        let alone = place.rasp(&["run", "hist.rasp", "-e", expression, "-i", "aba"]);
        assert!(drawn.out.starts_with(&alone.out), "{}", drawn.shown());
    }
    let list = place.rasp(&[&batch[..], &["[1, 2]"]].concat());
    assert!(list.err.contains("E0308"), "{}", list.err);
}

#[test]
fn a_model_answers_a_batch_in_order_on_any_number_of_threads() {
    let place = hist();
    let compiled = place.rasp(&[
        "compile",
        "hist.rasp",
        "-e",
        "hist",
        "--vocab",
        "abc",
        "--max-len",
        "9",
        "-o",
        "hist",
    ]);
    assert_eq!(compiled.status, 0, "{}", compiled.shown());
    let lines: String = (0..3_000)
        .map(|at| match at % 500 {
            7 => "nonsense\n".to_string(),
            8 => "[\"a\", \"z\"]\n".to_string(),
            _ => format!("\"{}b{}\"\n", "a".repeat(at % 5), "c".repeat(at % 3)),
        })
        .collect();
    place.file("inputs.jsonl", &lines);
    let one = place.shell("RAYON_NUM_THREADS=1 rasp exec hist --batch inputs.jsonl --json");
    let many = place.shell("RAYON_NUM_THREADS=5 rasp exec hist --batch inputs.jsonl --json");
    assert_eq!(one.out, many.out);
    assert_eq!(
        one.out,
        place
            .reading(&lines, &["exec", "hist", "--batch", "-", "--json"])
            .out
    );
    assert_eq!(one.status, 1);
    let results = one.lines();
    assert_eq!(results.len(), 3_000);
    for (at, result) in results.iter().enumerate() {
        match at % 500 {
            7 => assert_eq!(result["error"]["code"], "E0405"),
            8 => assert_eq!(result["error"]["code"], "E0702"),
            _ => {
                let (a, c) = (at % 5, at % 3);
                let counts = std::iter::repeat_n(a, a)
                    .chain([1])
                    .chain(std::iter::repeat_n(c, c));
                assert_eq!(result["output"], counts.collect::<Json>(), "line {at}");
            }
        }
    }
    place.file("good.jsonl", "\"abca\"\n\n\"c\"\n");
    let text = place.rasp(&["exec", "hist", "--batch", "good.jsonl"]);
    assert_eq!(
        text.out,
        "hist(\"abca\") = [2, 1, 1, 2] (ints)\nhist(\"c\") = [1] (ints)\n"
    );
    let alone = place.rasp(&["exec", "hist", "-i", "abca", "-i", "c"]);
    assert_eq!(text.out, alone.out);
}

#[test]
fn explain_cost_tells_each_algorithm() {
    let place = hist();
    let expression = "aggregate(same and select(indices, indices, <), indices)";
    let ran = place.rasp(&[
        "run",
        "hist.rasp",
        "-e",
        expression,
        "-i",
        "abca",
        "--explain-cost",
    ]);
    insta::assert_snapshot!(ran.shown());
}

const README: &str = include_str!("../README.md");

/// The block of the README that opens like this, without its fence.
fn readme_block(opening: &str) -> Vec<&'static str> {
    let blocks = README.split("```").skip(1).step_by(2);
    let block = blocks
        .map(|block| block.split_once('\n').map_or("", |(_, text)| text))
        .find(|block| block.starts_with(opening));
    block.unwrap().lines().collect()
}

/// A line without its tabs, which go on to the next column that 8 divides.
fn on_a_terminal(line: &str) -> String {
    let mut text = String::new();
    for character in line.trim_end().chars() {
        match character {
            '\t' => text.push_str(&" ".repeat(8 - text.chars().count() % 8)),
            character => text.push(character),
        }
    }
    text
}

#[test]
fn the_readme_shows_what_is_printed() {
    let place = Place::new();
    let trimmed = |text: &str| -> Vec<String> {
        let lines = text.trim_end().lines();
        lines.map(|line| line.trim().to_string()).collect()
    };

    let program = readme_block("# How often");
    place.file("hist.rasp", &program.join("\n"));
    let shown = readme_block("$ rasp run");
    let arguments: Vec<&str> = shown[0].split(' ').skip(2).collect();
    let ran = place.rasp(&arguments);
    let lines = ran.out.trim_end().lines();
    let lines: Vec<String> = lines.map(on_a_terminal).collect();
    assert_eq!(lines, shown[1..]);

    place.file("bad.rasp", "a = tokens + 1;\n");
    let ran = place.rasp(&["run", "bad.rasp"]);
    assert_eq!(
        trimmed(&ran.err),
        trimmed(&readme_block("[E0301]").join("\n"))
    );

    // The tour is shown without its middle.
    let ran = place.rasp(&["tour"]);
    let shown = readme_block("# The program").join("\n");
    for part in shown.split("…\n") {
        assert!(ran.out.contains(part.trim_end()), "{part}\n{}", ran.out);
    }
}

#[test]
fn the_readme_lists_every_command() {
    let help = Place::new().rasp(&["--help"]).out;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    for name in commands.filter_map(|line| line.split_whitespace().next()) {
        let row = README
            .lines()
            .any(|line| line.starts_with(&format!("| `rasp {name} ")));
        assert!(row || name == "help", "README.md has no row for `{name}`");
    }
}

#[test]
fn nothing_to_do_is_said() {
    let place = Place::new();
    place.file(
        "hist.rasp",
        "hist = selector_width(select(tokens, tokens, ==));\n",
    );
    let ran = place.rasp(&["run", "hist.rasp"]);
    assert_eq!((ran.status, &*ran.out), (0, ""));
    assert!(ran.err.contains("nothing to show"), "{}", ran.err);
    let compile = [
        "compile",
        "hist.rasp",
        "-e",
        "hist",
        "--vocab",
        "ab",
        "--max-len",
        "3",
        "-o",
    ];
    let ran = place.rasp(&[&compile[..], &["hist.safetensors"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = place.rasp(&["exec", "hist.safetensors"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("no input"), "{}", ran.err);
    // Neither names the temporary file that the model would have been written to first.
    let ran = place.rasp(&[&compile[..], &["none/hist.safetensors"]].concat());
    assert!(
        ran.err
            .contains("none/hist.safetensors could not be written"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains(".rasp-"), "{}", ran.err);
    let ran = place.rasp(&[&compile[..], &["hist.safetensors"]].concat());
    assert!(ran.err.contains("--force"), "{}", ran.err);
}

#[test]
fn a_length_beyond_all_limits_is_an_error() {
    let place = hist();
    for command in ["verify", "check", "equiv"] {
        let mut arguments = vec![command, "hist.rasp", "--vocab", "ab"];
        arguments.extend(["--max-len", "100000000000"]);
        arguments.extend(match command {
            "verify" => vec!["-e", "hist"],
            "equiv" => vec!["-e", "hist", "-e", "indices"],
            _ => Vec::new(),
        });
        let ran = place.rasp(&arguments);
        assert_eq!(ran.status, 1, "{}", ran.shown());
        assert!(ran.err.contains("E0801"), "{}", ran.shown());
    }
}

/// The diagnostics that a command gives as JSON, one a line.
fn diagnostics(ran: &Ran) -> Vec<Json> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{}", ran.err));
    ran.err.lines().map(read).collect()
}

#[test]
fn diagnostics_for_tools_say_all_that_people_read() {
    let place = Place::new();
    place.file(
        "bad.rasp",
        "def scale(x) {\n    return x + 1;\n}\na = scale(tokens);\nb = lenght;\n",
    );
    let found = diagnostics(&place.rasp(&["run", "bad.rasp", "-e", "a", "--json"]));
    insta::assert_snapshot!(serde_json::to_string_pretty(&found).unwrap());
}

#[test]
fn every_command_gives_diagnostics_as_json() {
    let place = Place::new();
    place.file("bad.rasp", "x = lenght;\n");
    place.file("torn.rasp", "x = (1;\n");
    place.file(
        "warned.rasp",
        "set vocab \"ab\"\nset max_length 3\nx = tokens == 1;\n",
    );
    let setting = ["--vocab", "ab", "--max-len", "3"];
    let commands: [&[&str]; 12] = [
        &["run", "bad.rasp"],
        &["check", "bad.rasp"],
        &["schedule", "bad.rasp", "-e", "x"],
        &["compile", "bad.rasp", "-e", "x", "-o", "model"],
        &["verify", "bad.rasp", "-e", "x"],
        &["equiv", "bad.rasp", "-e", "x", "-e", "x"],
        &["generate", "bad.rasp", "-e", "x", "-i", "a", "--steps", "1"],
        &["test", "bad.rasp"],
        &["tour", "bad.rasp"],
        &["doc", "torn.rasp"],
        &["fmt", "--check", "torn.rasp"],
        &["puzzle", "1", "--check", "bad.rasp"],
    ];
    for command in commands {
        let mut arguments = command.to_vec();
        arguments.push("--json");
        if ["compile", "verify", "equiv"].contains(&command[0]) {
            arguments.extend(setting);
        }
        let ran = place.rasp(&arguments);
        assert_eq!(ran.status, 1, "{}", ran.shown());
        let found = diagnostics(&ran);
        assert!(!found.is_empty(), "{}", ran.shown());
        for diagnostic in &found {
            assert_eq!(diagnostic["severity"], "error", "{diagnostic}");
            assert_eq!(diagnostic["labels"][0]["primary"], true, "{diagnostic}");
            assert_eq!(diagnostic["labels"][0]["line"], 1, "{diagnostic}");
        }
    }
    // Warnings go the same way, and the results stay what they are.
    let ran = place.rasp(&["check", "warned.rasp", "--json"]);
    assert_eq!(diagnostics(&ran)[0]["code"], "W0203");
    assert_eq!(ran.lines()[0]["definitions"][0]["name"], "x");
}

#[test]
fn a_check_names_the_shortest_input_on_which_the_program_fails() {
    let place = Place::new();
    place.file(
        "program.rasp",
        "previous = aggregate(select(indices + 1, indices, ==), tokens);\n\
         which = aggregate(select(tokens, \"b\", ==), tokens, \"\");\n",
    );
    let setting = ["--vocab", "ab", "--max-len", "5"];
    let ran = place.rasp(&[&["check", "program.rasp"], &setting[..]].concat());
    insta::assert_snapshot!(ran.shown());
    // A model has some value on such inputs: whoever compiles it is told.
    let compile = [
        "compile",
        "program.rasp",
        "-e",
        "which",
        "-o",
        "model",
        "--json",
    ];
    let found = diagnostics(&place.rasp(&[&compile[..], &setting[..]].concat()));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["code"], "W0302");
}

/// A model is drawn and explained with the s-op that it was made of, and no other.
#[test]
fn the_model_of_another_program_is_refused() {
    let place = hist();
    place.file("double.rasp", "twice = indices * 2;\n");
    let compile = ["compile", "hist.rasp", "-e", "hist", "--vocab", "ab"];
    let made = place.rasp(&[&compile[..], &["--max-len", "3", "-o", "hist.st"]].concat());
    assert_eq!(made.status, 0, "{}", made.err);
    let explain = |file: &str, sop: &str| {
        let told = ["explain-run", file, "-e", sop, "-i", "ab", "--at", "0"];
        place.rasp(&[&told[..], &["--model", "hist.st"]].concat())
    };
    assert_eq!(explain("hist.rasp", "hist").status, 0);
    let refused = explain("double.rasp", "twice");
    assert_eq!(refused.status, 1);
    assert!(
        refused
            .err
            .contains("the model computes `hist`, not `twice`")
    );
    let draw = ["draw", "double.rasp", "-e", "twice", "-i", "ab"];
    let refused = place.rasp(&[&draw[..], &["--model", "hist.st"]].concat());
    assert_eq!(refused.status, 1);
}

#[test]
fn an_order_that_is_not_proved_is_told() {
    let place = Place::with(&[("s.rasp", "s = sort(tokens, tokens);")]);
    let compile = ["compile", "s.rasp", "-e", "s", "--vocab", "abcdefgh"];
    let made = place.rasp(&[&compile[..], &["--max-len", "10", "-o", "s.st"]].concat());
    assert_eq!(made.status, 0, "{}", made.err);
    let run = |more: &[&str]| place.rasp(&[&["exec", "s.st", "-i", "ba"], more].concat());
    assert_eq!(run(&[]).err, "");
    let told = run(&["--host-order", "query"]);
    assert!(
        told.err
            .contains("not proved to be exact in float32 with --host-order query")
    );
    assert_eq!(told.status, 0);
}

/// Which s-ops there are is told where none is named, and that each has its own option where several are.
#[test]
fn s_ops_are_named_one_by_one() {
    let place = Place::with(&[(
        "two.rasp",
        "first = tokens == \"a\"; n = 3; second = indices + n;",
    )]);
    let ran = place.rasp(&["schedule", "two.rasp"]);
    assert_eq!(ran.status, 2);
    let told = "Its s-ops: `-e first`, `-e second`";
    assert!(ran.err.contains(told), "{}", ran.err);
    // A model has its own option.
    let sizes = ["--vocab", "ab", "--max-len", "3", "-o", "m"];
    let compiled = place.rasp(&[&["compile", "two.rasp", "-e", "second"], &sizes[..]].concat());
    assert_eq!(compiled.status, 0, "{}", compiled.err);
    let ran = place.rasp(&["draw", "m", "--show", "weights"]);
    let told = "drawn with `rasp draw --model MODEL";
    assert!(ran.status == 2 && ran.err.contains(told), "{}", ran.err);
    assert!(!ran.err.contains("Usage"), "{}", ran.err);
    let ran = place.rasp(&["run", "two.rasp", "-e", "first,second"]);
    assert_eq!(ran.status, 1);
    let told = "ask for one at a time, on the command line as `-e first` `-e second`";
    assert!(ran.err.contains(told), "{}", ran.err);
}

/// A line of a batch that is no input says nothing of what was to be evaluated.
#[test]
fn lines_that_are_no_inputs_have_no_place_in_the_expression() {
    let place = Place::with(&[("p.rasp", "x = indices;"), ("lines", "\"ab\"\nab\n")]);
    let ran = place.rasp(&["run", "p.rasp", "-e", "x", "--batch", "lines"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("line 2 of the batch"), "{}", ran.err);
    assert!(!ran.err.contains("evaluated here"), "{}", ran.err);
}

/// The schedule of several s-ops is that of the one model that computes them.
#[test]
fn several_s_ops_have_one_schedule() {
    let text = "hist = selector_width(select(tokens, tokens, ==));";
    let place = Place::with(&[("p.rasp", text)]);
    let several = "p.rasp -e hist -e hist/length -e length --vocab ab --max-len 4 --json";
    let json = |command: &str| -> serde_json::Value {
        let words = command.split_whitespace();
        let ran = place.rasp(&words.chain(several.split_whitespace()).collect::<Vec<_>>());
        serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err))
    };
    let (schedule, model) = (json("schedule"), json("compile -o m.json"));
    assert_eq!(schedule["layers"], model["layers"]);
    assert_eq!(schedule["heads"], model["heads"]);
    let alone = place.rasp(&["schedule", "p.rasp", "-e", "hist", "-e", "length"]);
    assert!(
        alone.out.starts_with("1 layer, heads per layer [2]"),
        "{}",
        alone.out
    );
}

/// A file beside the program hides the library's module of its name, which the help for what is missing then
/// does not send people back to.
#[test]
fn a_file_of_a_modules_name_is_told() {
    let place = Place::with(&[
        ("hist.rasp", "x = 3;"),
        ("p.rasp", "load \"hist\";\ny = hist(tokens);\n"),
    ]);
    let told = "`load \"hist\";` reads your own hist.rasp here, not the library's module";
    let is_told = || {
        let ran = place.rasp(&["run", "p.rasp"]);
        assert_eq!(ran.status, 1);
        assert!(ran.err.contains(told), "{}", ran.err);
    };
    is_told();
    // An s-op of the function's name is called like that.
    place.file("hist.rasp", "hist = indices;");
    is_told();
}

/// All that must be known of a model's inputs is asked for at once.
#[test]
fn what_a_model_is_for_is_asked_for_at_once() {
    let place = Place::with(&[("p.rasp", "x = indices;")]);
    let told = |more: &[&str]| {
        let words = ["verify", "p.rasp", "-e", "x"];
        place.rasp(&[&words[..], more].concat()).err
    };
    let both = told(&[]);
    let help =
        "give `--vocab abc --max-len 8`, or write `set vocab \"abc\"` and `set max_length 8`";
    assert!(both.contains(help), "{both}");
    let one = told(&["--vocab", "ab"]);
    assert!(
        one.contains("give `--max-len 8`, or write `set max_length 8`"),
        "{one}"
    );
}

/// A variable may be read by one that comes before it: it is placed in another round, then.
#[test]
fn variables_that_are_read_late_are_placed() {
    let program = "none = not has_focus(select(tokens, tokens, >=));
        few = select((tokens, round(length * aggregate(full_s, indices % 2))),
            (tokens, selector_width(select(tokens, \"a\", ==) or select(indicator(tokens == \"b\"), 1, ==))),
            lambda tk, k, tq, q: tk != tq or k % 2 == q % 2);
        x = aggregate(few, indices, 2) > 0.5;";
    let place = Place::with(&[("p.rasp", program)]);
    let command = "verify p.rasp -e x --vocab ab --max-len 3 --no-bos --passes=nearest,combine \
        --host-order both";
    let ran = place.rasp(&command.split_whitespace().collect::<Vec<_>>());
    assert!(
        ran.out.starts_with("proved: right on all 14 inputs"),
        "{} {}",
        ran.out,
        ran.err
    );
}
