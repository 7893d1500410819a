//! What must not give way: streams that cannot be written, damaged and endless files, names that
//! would move the cursor, signals in the middle of a write.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::place;

use place::Place;
use rasp::base::Code;
use rasp::model::{Digest, Model, from_bytes, from_bytes_with, load, to_bytes};
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const HIST: &str = "same = select(tokens, tokens, ==);\nhist = selector_width(same);\n";

/// A program that warns: on the input `ab` it fails.
const WARNS: &str = "x = 1 / (indices - 1);\n";

const COMPILE: &str = "rasp compile hist.rasp -e hist --vocab abc --max-len 4 -o model";

fn hist() -> Place {
    Place::with(&[("hist.rasp", HIST), ("warns.rasp", WARNS)])
}

/// A place with the model of `hist`.
fn compiled() -> (Place, Vec<u8>) {
    let place = hist();
    assert_eq!(place.shell(COMPILE).status, 0);
    let bytes = std::fs::read(place.path("model")).unwrap();
    (place, bytes)
}

// ---- Streams ----

#[test]
fn a_warning_that_cannot_be_written_takes_nothing_with_it() {
    let place = hist();
    let ran = place.shell(
        "rasp compile warns.rasp -e x --vocab ab --max-len 2 -o kept --uncertified 2>/dev/full",
    );
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert!(ran.out.contains("written to kept"), "{}", ran.shown());
    assert!(load(&place.path("kept")).is_ok());
    // It does warn.
    let ran =
        place.shell("rasp compile warns.rasp -e x --vocab ab --max-len 2 -o again --uncertified");
    assert!(ran.err.contains("Warning"), "{}", ran.shown());
}

#[test]
fn an_error_that_cannot_be_written_is_still_the_status() {
    let place = hist();
    for (lines, status) in [
        ("rasp run hist.rasp -e nothing -i a 2>/dev/full", 1),
        ("rasp run hist.rasp 2>/dev/full", 0),
        ("rasp rnu 2>/dev/full", 2),
        ("rasp equiv hist.rasp -e hist 2>/dev/full", 2),
        ("echo 'x = nothing; 1 + 1;' | rasp 2>/dev/full", 1),
        // Whoever reads is gone after a line.
        (
            "{ rasp run hist.rasp -e nothing -e again -e oncemore; echo $? >status; } \
             2>&1 >/dev/null | head -1 >/dev/null; exit $(cat status)",
            1,
        ),
    ] {
        let ran = place.shell(lines);
        assert_eq!(ran.status, status, "{lines}\n{}", ran.shown());
    }
    let ran = place.shell("echo 'x = nothing; 1 + 1;' | rasp 2>/dev/full");
    assert!(ran.out.contains("out =  2"), "{}", ran.shown());
}

#[test]
fn answers_that_cannot_be_written_are_a_failure() {
    let place = hist();
    for lines in [
        "rasp --help >/dev/full",
        "rasp run --help >/dev/full",
        "rasp --version >/dev/full",
        "rasp man >/dev/full",
        "rasp completions bash >/dev/full",
        "rasp run hist.rasp -e hist -i aab >/dev/full",
        "echo '1 + 1;' | rasp >/dev/full",
    ] {
        let ran = place.shell(lines);
        assert_eq!(ran.status, 1, "{lines}\n{}", ran.shown());
    }
    assert_eq!(place.shell("rasp --help >/dev/null").status, 0);
}

#[test]
fn a_pipe_that_fails_says_so() {
    let place = Place::with(&[("bad.rasp", "x = 1;\ny = nothing;\nx;\n")]);
    let ran = place.shell("rasp < bad.rasp");
    assert_eq!(ran.status, 1);
    assert!(
        ran.out.contains("x =  1\n    value: x =  1"),
        "{}",
        ran.shown()
    );
    assert_eq!(place.shell("echo 'x = 1;' | rasp").status, 0);
    assert_eq!(place.shell("echo ':nonsense' | rasp").status, 1);
}

// ---- Inputs ----

#[test]
fn an_int_beyond_64_bits_is_no_float() {
    let place = hist();
    let run = |array: &str| {
        let ran = place.rasp(&[
            "run",
            "hist.rasp",
            "-e",
            "tokens_asis",
            "--input-json",
            array,
        ]);
        (ran.status, ran.out + &ran.err)
    };
    for int in [
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
    ] {
        let (status, said) = run(&format!("[{int}]"));
        assert_eq!(status, 1, "{said}");
        assert!(
            said.contains(&format!("{int} does not fit in 64 bits")),
            "{said}"
        );
    }
    for (array, shown) in [
        (
            "[9223372036854775807, -9223372036854775808]",
            "9223372036854775807, -9223372036854775808",
        ),
        ("[1e19, 9223372036854775808.0, -0.5]", "1e+19"),
        ("[true, \"a\\u0062\"]", "(\"True\", \"ab\")"),
    ] {
        let (status, said) = run(array);
        let shown = shown.trim_matches(['(', ')']);
        assert!(status == 0 || said.contains("E0401"), "{said}");
        assert!(status != 0 || said.contains(shown), "{said}");
    }
    for wrong in ["[1e999]", "[null]", "[[1]]", "[1", "7", "\"abc\"", "[nul]"] {
        assert_eq!(run(wrong).0, 1, "{wrong}");
    }
    let vocab = [
        "compile",
        "hist.rasp",
        "-e",
        "hist",
        "--vocab-json",
        "[18446744073709551616]",
    ];
    let ran = place.rasp(&[&vocab[..], &["--max-len", "2", "-o", "m"]].concat());
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("does not fit in 64 bits"), "{}", ran.err);
}

#[test]
fn a_line_that_is_no_input_is_that_lines_error() {
    let place = hist();
    let lines = b"\"aab\"\n[18446744073709551616]\n\"\xff\"\n[1, 1]\n";
    std::fs::write(place.path("inputs"), lines).unwrap();
    let ran = place.shell("rasp run hist.rasp -e hist --json --batch inputs");
    assert_eq!(ran.status, 1);
    let lines = ran.lines();
    assert_eq!(lines[0]["output"], serde_json::json!([2, 2, 1]));
    let message = |at: usize| lines[at]["error"]["message"].as_str().unwrap();
    assert_eq!(message(1), "18446744073709551616 does not fit in 64 bits");
    assert_eq!(message(2), "the line is not UTF-8");
    assert_eq!(lines[3]["output"], serde_json::json!([2, 2]));
}

#[test]
fn standard_input_that_is_closed_is_no_empty_program() {
    let place = hist();
    for lines in [
        "rasp run - <&-",
        "rasp fmt - <&-",
        "rasp run hist.rasp -e hist --batch - <&-",
    ] {
        let ran = place.shell(lines);
        assert_eq!(ran.status, 1, "{lines}\n{}", ran.shown());
        assert!(ran.err.contains("it is closed"), "{}", ran.shown());
    }
    assert_eq!(place.shell("rasp run - </dev/null").status, 0);
    assert_eq!(place.shell("rasp fmt - </dev/null").status, 0);
}

#[test]
fn no_file_is_called_dash() {
    let place = hist();
    for lines in [
        "rasp compile hist.rasp -e hist --vocab ab --max-len 2 -o -",
        "rasp doc -o -",
    ] {
        let ran = place.shell(lines);
        assert_eq!(ran.status, 1, "{lines}\n{}", ran.shown());
        assert!(ran.err.contains("`./-`"), "{}", ran.shown());
        assert!(!place.path("-").exists());
    }
    let ran = place.shell("rasp doc -o ./-");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert!(place.path("-").exists());
}

#[test]
fn a_pipe_is_read_where_somebody_writes_to_it() {
    let place = hist();
    let since = Instant::now();
    for lines in [
        "mkfifo pipe; rasp run pipe",
        "rasp exec pipe -i a",
        "rasp info pipe",
        "rasp certify pipe",
        "rasp generate pipe -i a --steps 1",
        "rasp run hist.rasp -e hist --batch pipe",
        "rasp fmt pipe",
        "rasp check pipe",
        "rasp doc -o pipe",
        "rasp puzzle 1 --check pipe",
        "echo 'load \"pipe\";' | rasp",
        "mkfifo pipe.rasp; echo 'load \"pipe\";' | rasp",
        "rasp pipe.rasp </dev/null",
    ] {
        let ran = place.shell(lines);
        assert_eq!(ran.status, 1, "{lines}\n{}", ran.shown());
    }
    assert!(since.elapsed() < Duration::from_secs(30));
    let model = format!("{COMPILE} >/dev/null && cat model | rasp exec /dev/stdin -i aab");
    for (lines, out) in [
        ("echo '1 + 1;' | rasp run /dev/stdin", "1 + 1 = 2"),
        ("rasp run /dev/fd/3 3<hist.rasp -e hist -i aab", "[2, 2, 1]"),
        (
            "echo '\"aab\"' | rasp run hist.rasp -e hist --batch /dev/stdin",
            "[2, 2, 1]",
        ),
        (&model, "[2, 2, 1]"),
    ] {
        let ran = place.shell(lines);
        assert!(ran.out.contains(out), "{lines}\n{}", ran.shown());
    }
    // What bash makes of `<(…)`, where there is one.
    let bash = "bash -c 'rasp run <(sleep 0.3; echo \"1 + 1;\")'";
    let ran = place.shell(&format!(
        "if command -v bash >/dev/null; then {bash}; else echo '= 2'; fi"
    ));
    assert!(ran.out.contains("= 2"), "{}", ran.shown());
}

// ---- Models ----

#[test]
fn a_single_bit_that_is_wrong_is_found() {
    let (_, bytes) = compiled();
    assert!(from_bytes(&bytes).is_ok());
    let bits = bytes.len() * 8;
    // All of them take a while; these are spread over all of the file.
    for bit in (0..bits).step_by(bits / 4_000 * 2 + 1) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let error = from_bytes(&damaged).expect_err("a bit is wrong");
        assert_eq!(error.code, Code::BadModel, "bit {bit}");
    }
}

/// The file of a model in which a weight is another.
fn with_another_weight(place: &Place) -> Model {
    let mut bytes = std::fs::read(place.path("model")).unwrap();
    // The digest and the plan are the last tensors.
    let plan = from_bytes(&bytes).unwrap().plan.unwrap();
    let at = bytes.len() - plan.len() - 32 - 8;
    bytes[at..at + 8].copy_from_slice(&0.25_f64.to_le_bytes());
    std::fs::write(place.path("model"), &bytes).unwrap();
    from_bytes_with(&bytes, Digest::Ignored).unwrap()
}

#[test]
fn a_model_changed_by_hand_is_read_where_that_is_asked_for() {
    let (place, bytes) = compiled();
    let changed = with_another_weight(&place);
    assert_ne!(changed, from_bytes(&bytes).unwrap());
    for command in [
        "info model",
        "exec model -i ab",
        "generate model -i ab --steps 1",
    ] {
        let ran = place.shell(&format!("rasp {command}"));
        assert_eq!(ran.status, 1);
        assert!(ran.err.contains("E0701"), "{}", ran.err);
        assert!(
            ran.err.contains("its digest is not that of its contents"),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("--ignore-digest"), "{}", ran.err);
        let ran = place.shell(&format!("rasp {command} --ignore-digest"));
        assert_eq!(ran.status, 0, "{}", ran.shown());
    }
    let ran = place.shell("rasp certify model --ignore-digest");
    assert!(ran.err.contains("E0604"), "{}", ran.err);
    assert!(from_bytes(&to_bytes(&changed).unwrap()).is_ok());
}

/// The bytes of a model with another plan.
fn with_plan(bytes: &[u8], change: impl Fn(&mut serde_json::Value)) -> Vec<u8> {
    let mut model = from_bytes(bytes).unwrap();
    let mut plan = serde_json::from_str(&model.plan.unwrap()).unwrap();
    change(&mut plan);
    model.plan = Some(plan.to_string());
    to_bytes(&model).unwrap()
}

/// A plan may name what there is not.
#[test]
fn a_plan_that_reads_no_variable_is_an_error() {
    let (place, bytes) = compiled();
    let changed = with_plan(&bytes, |plan| {
        plan["views"][0]["scores"][0]["terms"] = serde_json::json!({"9999": 1.0});
    });
    std::fs::write(place.path("model"), changed).unwrap();
    let ran = place.shell("rasp certify model");
    let told = ran.err.contains("reads a variable that there is not");
    assert!(ran.err.contains("E0701") && told, "{}", ran.shown());
    let ran = place.shell("rasp exec model -i ab --trace");
    assert_eq!(ran.status, 0, "{}", ran.shown());
}

/// Without BOS the level of the sink has a table, of which each product has as many rows.
#[test]
fn a_plan_with_a_level_in_tables_of_several_sizes_is_an_error() {
    let program = "found = aggregate(select(tokens, \"a\", ==), indices, 0);\n";
    let place = Place::with(&[("found.rasp", program)]);
    let compile = "rasp compile found.rasp -e found --vocab ab --max-len 4 --no-bos -o model";
    assert_eq!(place.shell(compile).status, 0);
    let bytes = std::fs::read(place.path("model")).unwrap();
    let changed = with_plan(&bytes, |plan| {
        let attends = plan["attends"].as_array_mut().unwrap().iter_mut();
        let mut terms = attends.flat_map(|attend| attend["terms"].as_array_mut().unwrap());
        let level = terms.find(|term| term["meaning"].get("Bos").is_some());
        let products = level.unwrap()["products"].as_array_mut().unwrap();
        let mut empty = products[0].clone();
        empty["queries"] = serde_json::json!([]);
        empty["keys"] = serde_json::json!([]);
        products.push(empty);
    });
    std::fs::write(place.path("model"), changed).unwrap();
    let ran = place.shell("rasp certify model");
    let told = ran.err.contains("of several sizes");
    assert!(ran.err.contains("E0701") && told, "{}", ran.shown());
}

/// A model file with another header.
fn with_header(bytes: &[u8], change: impl Fn(String) -> String) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header = String::from_utf8(bytes[8..8 + length].to_vec()).unwrap();
    let header = change(header);
    let mut changed = (header.len() as u64).to_le_bytes().to_vec();
    changed.extend(header.as_bytes());
    changed.extend(&bytes[8 + length..]);
    changed
}

#[test]
fn what_a_header_says_twice_is_refused() {
    let (_, bytes) = compiled();
    let twice = |name: &str| {
        with_header(&bytes, |header| {
            let start = header.find(&format!("\"{name}\":{{")).unwrap();
            let end = start + header[start..].find('}').unwrap();
            let entry = &header[start..=end];
            header.replacen(entry, &format!("{entry},{entry}"), 1)
        })
    };
    for name in ["embed.W_E", "blocks.0.mlp.W_in", "digest"] {
        let error = from_bytes_with(&twice(name), Digest::Ignored).expect_err("twice");
        assert!(
            error.message.contains(&format!("`{name}` is there twice")),
            "{error}"
        );
    }
    let metadata = with_header(&bytes, |header| {
        header.replacen("{\"rasp\":", "{\"rasp\":\"\",\"rasp\":", 1)
    });
    let error = from_bytes_with(&metadata, Digest::Ignored).expect_err("twice");
    assert!(error.message.contains("`rasp` is there twice"), "{error}");
}

#[test]
fn weights_beyond_float32_are_refused() {
    let (_, bytes) = compiled();
    let mut model = from_bytes(&bytes).unwrap();
    for (weight, fits) in [
        (3.4028234663852886e38, true),
        (3.5e38, false),
        (-1e300, false),
    ] {
        model.layers[0].mlp.output_bias[0] = weight;
        let written = to_bytes(&model);
        assert_eq!(written.is_ok(), fits, "{weight}");
        if let Err(error) = written {
            assert!(error.message.contains("beyond float32"), "{error}");
        }
    }
}

#[test]
fn what_is_no_model_is_not_read_to_its_end() {
    let place = hist();
    // A header of 4 KiB, and no end.
    let endless = "{ printf '\\000\\020\\000\\000\\000\\000\\000\\000'; cat /dev/zero; }";
    let since = Instant::now();
    for lines in [
        "rasp info /dev/zero".to_string(),
        "rasp exec /dev/zero -i a".to_string(),
        "head -c 200M /dev/zero | rasp info /dev/stdin".to_string(),
        format!("{endless} 2>/dev/null | rasp info /dev/stdin"),
    ] {
        // Kilobytes of address space, of which threads take some.
        let ran = place.shell(&format!("ulimit -v 600000; {lines}"));
        assert_eq!(ran.status, 1, "{lines}\n{}", ran.shown());
        assert!(ran.err.contains("E0701"), "{lines}\n{}", ran.shown());
    }
    assert!(since.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_command_line_may_hold_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    for arguments in [
        &["\u{ff}"][..],
        &["run", "\u{ff}\u{1b}[2J"],
        &["\u{1b}[2J\u{ff}.rasp"],
        &["x.rasp", "-\u{1b}"],
    ] {
        let bytes = |word: &&str| word.chars().map(|c| c as u8).collect::<Vec<u8>>();
        let words: Vec<Vec<u8>> = arguments.iter().map(bytes).collect();
        let words = words.iter().map(|word| std::ffi::OsStr::from_bytes(word));
        let ran = Command::new(env!("CARGO_BIN_EXE_rasp"))
            .args(words)
            .output()
            .unwrap();
        assert!(
            matches!(ran.status.code(), Some(1 | 2)),
            "{arguments:?}: {ran:?}"
        );
        assert!(!ran.stderr.contains(&0x1b), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn a_long_source_takes_little_memory() {
    let place = Place::new();
    place.file("semicolons.rasp", &";".repeat(1 << 20));
    place.file("short.rasp", &"x=1;".repeat(1 << 15));
    place.file("long.rasp", &"#".repeat((4 << 20) + 1));
    // Kilobytes of address space.
    let check = |name: &str| place.shell(&format!("ulimit -v 400000; rasp check {name} | tail -1"));
    let ran = check("semicolons.rasp");
    assert!(ran.err.contains("more syntax errors"), "{}", ran.shown());
    let ran = check("short.rasp");
    assert!(ran.out.starts_with("x "), "{}", ran.shown());
    let ran = check("long.rasp");
    assert!(
        ran.err
            .contains("the limit `source_bytes` is 4194304 bytes"),
        "{}",
        ran.err
    );
}

// ---- Names ----

#[test]
fn names_do_not_move_the_cursor() {
    let place = hist();
    let evil = "e\u{1b}[2Jv\u{202e}i\nl";
    place.file(&format!("{evil}.rasp"), "x=nothing;");
    place.file(&format!("{evil}-2.rasp"), "x=tokens;");
    let quoted = format!("\"{evil}.rasp\"");
    let other = format!("\"{evil}-2.rasp\"");
    let mut said = String::new();
    for lines in [
        format!("rasp run {quoted}"),
        format!("rasp --color always run {quoted} -e x"),
        format!("rasp check {quoted}"),
        format!("rasp {quoted} </dev/null"),
        format!("rasp run \"{evil}\""),
        format!("rasp info {quoted}"),
        format!("rasp info \"{evil}\""),
        format!("rasp fmt --check {other}"),
        format!("rasp fmt {other}"),
        format!("rasp test {quoted}"),
        format!("rasp run hist.rasp -e hist --batch \"{evil}\""),
        format!("rasp compile hist.rasp -e 'hist # {evil}' --vocab ab --max-len 3 -o \"{evil}\""),
        format!("rasp compile hist.rasp -e hist --vocab ab --max-len 3 -o \"{evil}\""),
        format!("rasp exec \"{evil}\" -i ab --trace"),
        format!("rasp doc {other} -o \"{evil}.md\""),
        format!("echo ':save {}' | rasp", evil.replace('\n', "")),
        format!("echo '.data' >\"{evil}.subleq\"; rasp machine asm \"{evil}.subleq\" -o m"),
        format!("echo '.code 0 0 -1' >\"{evil}.subleq\"; rasp machine asm \"{evil}.subleq\" -o m"),
        format!("printf '.code\\n0 0 -1' >h.subleq; rasp machine asm h.subleq -o \"{evil}.m\""),
        format!("rasp machine run \"{evil}.m\"; rasp machine run \"{evil}.rasp\""),
        format!("rasp machine dyck --kind label --types 1 --depth 1 --max-len 4 -o \"{evil}.d\""),
        format!("rasp machine verify \"{evil}.d\""),
        format!("rasp draw {other} -e x -i ab -o \"{evil}.svg\""),
        format!("rasp learn --data {other} -o \"{evil}.learnt\""),
        format!("rasp puzzle {other}"),
    ] {
        let ran = place.shell(&lines);
        said = said + &ran.out + &ran.err;
    }
    assert!(said.matches("\\u{1b}").count() > 10, "{said}");
    // Colours are escapes, too; those of the names are none.
    assert!(!said.contains("\u{1b}[2J"), "{said}");
    assert!(!said.contains('\u{202e}'), "{said}");
    assert!(!said.contains("vi\nl"), "{said}");
    // A model may have any name.
    let (place, bytes) = compiled();
    let mut model = from_bytes(&bytes).unwrap();
    model.name = evil.to_string();
    model.outputs[0].name = evil.to_string();
    std::fs::write(place.path("model"), to_bytes(&model).unwrap()).unwrap();
    for lines in [
        "info model",
        "exec model -i ab",
        "exec model -i ab --trace",
        "certify model",
    ] {
        let ran = place.shell(&format!("rasp {lines}"));
        let said = ran.out + &ran.err;
        assert!(
            !said.contains('\u{1b}') && !said.contains('\u{202e}'),
            "{lines}: {said}"
        );
    }
}

// ---- Files that are there ----

#[test]
fn a_file_of_several_names_is_not_parted() {
    let place = Place::with(&[("a.rasp", "x=1;\n")]);
    let ran = place.shell("ln a.rasp b.rasp; rasp fmt a.rasp");
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("hard links"), "{}", ran.err);
    let inode = |name: &str| std::fs::metadata(place.path(name)).unwrap().ino();
    assert_eq!(inode("a.rasp"), inode("b.rasp"));
    assert_eq!(place.text("a.rasp"), "x=1;\n");
    // What the help says parts them.
    let help = ran
        .err
        .split('`')
        .find(|text| text.starts_with("cp -p"))
        .unwrap();
    let ran = place.shell(&format!("{help}; rasp fmt a.rasp"));
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert_eq!(place.text("a.rasp"), "x = 1;\n");
    assert_eq!(place.text("b.rasp"), "x=1;\n");
}

#[test]
fn a_file_keeps_its_owner_and_its_permissions() {
    let place = Place::with(&[("a.rasp", "x=1;\n")]);
    // Only root may give files away.
    let given = place
        .shell("chmod 640 a.rasp; chown 12345:12346 a.rasp")
        .status
        == 0;
    let ran = place.shell("rasp fmt a.rasp");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    let found = std::fs::metadata(place.path("a.rasp")).unwrap();
    assert_eq!(found.mode() & 0o777, 0o640);
    if given {
        assert_eq!((found.uid(), found.gid()), (12345, 12346));
    }
}

// ---- Signals ----

/// How the name ends that a file has before it replaces another.
const REPLACING: &str = ".replacing";

#[cfg(target_os = "linux")]
#[test]
fn the_next_write_removes_what_a_killed_one_left() {
    let place = Place::with(&[("a.rasp", "x=1;\n"), (".rasp-mine", "kept")]);
    let [left, at_work] = [1, 2].map(|at| format!(".rasp-{at}{REPLACING}"));
    place.file(&left, "x = 1;\n");
    place.file(&at_work, "x = 1;\n");
    // Another process has not renamed its file yet.
    let other = std::fs::File::open(place.path(&at_work)).unwrap();
    other.lock().unwrap();
    assert_eq!(place.rasp(&["fmt", "a.rasp"]).status, 0);
    assert!(!place.path(&left).exists());
    assert!(place.path(&at_work).exists() && place.path(".rasp-mine").exists());
    drop(other);
    // What another test is about to start has the lock, too, until it runs.
    let is_removed = (0..50).any(|_| {
        place.file("a.rasp", "x=2;\n");
        assert_eq!(place.rasp(&["fmt", "a.rasp"]).status, 0);
        assert_eq!(place.text("a.rasp"), "x = 2;\n");
        let is_there = place.path(&at_work).exists();
        if is_there {
            std::thread::sleep(Duration::from_millis(100));
        }
        !is_there
    });
    assert!(is_removed);
}

/// Runs commands again and again, each of which is killed after a while; what is left over beside
/// what was there, and what should be.
fn killed(rounds: u64) {
    let place = Place::with(&[("hist.rasp", HIST)]);
    // It takes a while to format, and to write.
    let unformatted = "x=[1,2,3]  ;\n".repeat(2_000);
    let formatted = "x = [1, 2, 3];\n".repeat(2_000);
    let compile = [
        "compile",
        "hist.rasp",
        "-e",
        "hist",
        "--vocab",
        "abcdefgh",
        "--max-len",
        "200",
    ];
    let whole = place.rasp(&[&compile[..], &["-o", "whole"]].concat());
    assert_eq!(whole.status, 0, "{}", whole.shown());
    let whole = std::fs::read(place.path("whole")).unwrap();
    place.file("long.rasp", &unformatted);
    let since = Instant::now();
    assert_eq!(place.rasp(&["fmt", "long.rasp"]).status, 0);
    let takes = since.elapsed();
    let (mut written, mut between) = (0, 0);
    for round in 0..rounds {
        let arguments = match round % 3 {
            0 => vec!["fmt", "long.rasp"],
            1 => [&compile[..], &["-o", "model"]].concat(),
            _ => [&compile[..], &["-o", "whole", "--force"]].concat(),
        };
        place.file("long.rasp", &unformatted);
        let _ = std::fs::remove_file(place.path("model"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_rasp"))
            .args(&arguments)
            .current_dir(place.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(takes.mul_f64(round as f64 * 1.2 / rounds as f64));
        // However busy the machine has become, the last of each kind come to their end.
        if round + 3 >= rounds {
            child.wait().unwrap();
        }
        if round % 2 == 0 {
            child.kill().unwrap();
        } else {
            let pid = rustix::process::Pid::from_child(&child);
            // It may have ended.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        child.wait().unwrap();
        let mut names: Vec<String> = std::fs::read_dir(place.path(""))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names.retain(|name| !["hist.rasp", "long.rasp", "whole"].contains(&&**name));
        let read = |name: &str| std::fs::read(place.path(name)).unwrap();
        if names == ["model"] {
            assert!(read("model") == whole, "half a model");
            written += 1;
            names.clear();
        }
        // No system call replaces a file by one without a name: what a signal leaves between the two
        // that are needed is the whole new file, and the next write in this folder removes it.
        if let ([name], true) = (&*names, round % 3 != 1) {
            let new = [formatted.as_bytes(), &whole][usize::from(round % 3 == 2)];
            assert!(name.ends_with(REPLACING) && read(name) == new, "{name}");
            assert!(place.rasp(&[&compile[..], &["-o", "next"]].concat()).status == 0);
            std::fs::remove_file(place.path("next")).unwrap();
            names.retain(|name| place.path(name).exists());
            between += 1;
        }
        assert!(names.is_empty(), "round {round}: {names:?}");
        let long = place.text("long.rasp");
        assert!(long == unformatted || long == formatted, "half a program");
        written += u64::from(long == formatted);
        assert!(read("whole") == whole);
    }
    eprintln!("{between} of {rounds} were killed between two system calls");
    // Some are killed before, and some after.
    assert!(written > 0 && written < rounds, "{written} of {rounds}");
}

#[test]
fn a_signal_leaves_no_file_behind() {
    killed(60);
}

#[test]
#[ignore = "takes a minute"]
fn three_hundred_signals_leave_no_file_behind() {
    killed(300);
}
