//! What is different at a terminal: the program on one side of a pseudo-terminal, the keys on the
//! other.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::place;

use place::Place;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A pseudo-terminal: our side, and that of the program.
fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let path = std::ffi::OsStr::from_bytes(name.as_bytes());
    let theirs = OpenOptions::new().read(true).write(true).open(path);
    (File::from(ours), theirs.unwrap())
}

/// What the terminal shows when some keys are typed before the prompt is there, some after it.
fn shown(ahead: &str, keys: &str) -> String {
    shown_after(&[], &Place::new(), ahead, keys)
}

/// The same of a program with arguments.
fn shown_after(arguments: &[&str], place: &Place, ahead: &str, keys: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let (mut terminal, theirs) = terminal();
    let mut program = Command::new(env!("CARGO_BIN_EXE_rasp"))
        .args(arguments)
        .current_dir(place.path(""))
        .env("HOME", home.path())
        .env_remove("XDG_DATA_HOME")
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .stdin(Stdio::from(theirs.try_clone().unwrap()))
        .stdout(Stdio::from(theirs))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    terminal.write_all(ahead.as_bytes()).unwrap();
    let mut screen = Vec::new();
    while !screen.ends_with(b">> ") {
        let mut byte = [0];
        terminal.read_exact(&mut byte).unwrap();
        screen.extend(byte);
    }
    terminal.write_all(keys.as_bytes()).unwrap();
    // Reading fails once the program has ended.
    let _ = terminal.read_to_end(&mut screen);
    assert!(program.wait().unwrap().success());
    String::from_utf8_lossy(&screen).into_owned()
}

#[test]
fn what_is_typed_ahead_is_kept() {
    let screen = shown(
        "a = 1;\nb = 2;\nfor i in range(3) {\nc = i;\n}\nc;\n",
        "exit\n",
    );
    for entry in ["a =  1", "b =  2", "c =  2"] {
        assert!(screen.contains(entry), "{entry}: {screen}");
    }
}

#[test]
fn help_is_given_as_it_is_asked_for_elsewhere() {
    let screen = shown("", "select?;\rhelp();\rexit\r");
    for answer in ["select(keys, queries, comparison)", ":explain [code]"] {
        assert!(screen.contains(answer), "{answer}: {screen}");
    }
    assert!(!screen.contains("Error"), "{screen}");
    let place = Place::new();
    let piped = place.shell("printf 'select?;\\nhelp();\\n' | rasp");
    let named = place.shell("printf 'help select\\n:help\\n' | rasp");
    assert_eq!(
        (piped.status, &piped.out),
        (0, &named.out),
        "{}",
        piped.shown()
    );
}

#[test]
fn an_entry_of_several_lines_is_edited_as_one() {
    let typed = "def f(x) {\ry = 1;\rreturn y;\r}";
    // Two lines up, to the end of the line, and over its last two characters.
    let mended = "\x1b[A\x1b[A\x05\x7f\x7f7;\r";
    let screen = shown("", &format!("{typed}{mended}f(0);\rexit\r"));
    assert!(screen.contains("function: f(x)"), "{screen}");
    assert!(screen.contains("out =  7"), "{screen}");
}

/// A program that counts to the limit of steps, and an s-op that no algorithm is fast for.
const LONG: &str = "x = 0;
for i in range(100000) { for j in range(100) { x = x + 1; } }
";
const HEAVY: &str = "
set example range(40000)
many = score(indices, indices * indices, lambda key, query: 1 + (key * query + key) % 11);
heavy = aggregate(many, indices / 3);
sums = aggregate(many, indices / 5);
";

/// Runs a command whose standard error is a terminal, and presses Ctrl-C when that shows some words;
/// what it showed, and the exit status.
fn interrupted(place: &Place, words: &str, arguments: &[&str]) -> (String, Option<i32>) {
    let (mut terminal, theirs) = terminal();
    let mut program = Command::new(env!("CARGO_BIN_EXE_rasp"))
        .args(arguments)
        .current_dir(place.path(""))
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::from(theirs))
        .spawn()
        .unwrap();
    let (mut screen, mut next, mut pressed) = (String::new(), [0; 256], None);
    // Reading fails once the program has ended.
    while let Ok(count @ 1..) = terminal.read(&mut next) {
        screen += &String::from_utf8_lossy(&next[..count]);
        if pressed.is_none() && screen.contains(words) {
            kill_process(Pid::from_child(&program), Signal::INT).unwrap();
            pressed = Some(Instant::now());
        }
    }
    let status = program.wait().unwrap().code();
    if let Some(pressed) = pressed {
        assert!(pressed.elapsed() < Duration::from_secs(10), "{arguments:?}");
    }
    (screen, status)
}

#[test]
fn long_work_shows_what_it_is_at_and_stops_at_ctrl_c() {
    let tokens: Vec<String> = (0..25_000).map(|at| (at % 1_000).to_string()).collect();
    let input = format!("[{}]", tokens.join(","));
    let sums = include_str!("common/shuffle_dyck2_in_sums.rasp");
    let place = Place::with(&[
        ("long.rasp", LONG),
        ("heavy.rasp", HEAVY),
        ("sums.rasp", sums),
        (
            "hist.rasp",
            "hist = selector_width(select(tokens, tokens, ==));
 once = sort(tokens, tokens);
 often = once;
 for i in range(400) { often = sort(often, often); }",
        ),
        ("inputs", &format!("{input}\n").repeat(9)),
    ]);
    let setting = ["--vocab", "(){}", "--max-len", "256"];
    let of_hist = [
        "hist.rasp",
        "-e",
        "hist",
        "--vocab",
        "abcdefgh",
        "--max-len",
        "30",
    ];
    let one_by_one = ["--exhaustive", "100000000", "--samples", "100000000"];
    for (words, command, rest) in [
        ("running the program", &["run", "long.rasp"][..], &[][..]),
        (
            "running the program",
            &["compile", "long.rasp", "-e", "x", "-o", "model"],
            &setting,
        ),
        ("running assertions", &["test", "long.rasp"], &[]),
        ("interpreting", &["run", "heavy.rasp", "-e", "heavy"], &[]),
        (
            " 0%",
            &["run", "heavy.rasp", "-e", "heavy", "--batch"],
            &["inputs"],
        ),
        (
            "generating",
            &[
                "generate",
                "heavy.rasp",
                "-e",
                "heavy",
                "--steps",
                "9",
                "--input-json",
            ],
            &[&*input],
        ),
        (
            "finding weights",
            &["compile", "sums.rasp", "-e", "shuffle_dyck2", "-o", "model"],
            &setting,
        ),
        (
            "comparing on inputs",
            &["verify"],
            &[&of_hist[..], &one_by_one].concat(),
        ),
        (
            "comparing on inputs",
            &["equiv", "hist.rasp", "-e", "once", "-e", "often"],
            &of_hist[3..],
        ),
    ] {
        let arguments = [command, rest].concat();
        let (screen, status) = interrupted(&place, words, &arguments);
        assert!(screen.contains(words), "{command:?}: {screen}");
        // What is known of a comparison is told, and that is not enough.
        let expected = if command[0] == "equiv" { 3 } else { 130 };
        assert_eq!(status, Some(expected), "{command:?}: {screen}");
        let told = screen.contains("[E0802] Error: interrupted");
        assert_eq!(told, expected == 130, "{command:?}: {screen}");
        let left = std::fs::read_dir(place.path("")).unwrap().count();
        assert_eq!(left, 5, "{command:?}: nothing is written");
    }
}

#[test]
fn colours_are_for_terminals_unless_somebody_asks() {
    let place = Place::with(&[("bad.rasp", "x = nothing;")]);
    let errors = |arguments: &[&str], environment: &[(&str, &str)]| {
        let (mut terminal, theirs) = terminal();
        let mut program = Command::new(env!("CARGO_BIN_EXE_rasp"));
        program.args(arguments).current_dir(place.path(""));
        program
            .env_remove("NO_COLOR")
            .env("TERM", "xterm")
            .envs(environment.to_vec());
        program
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(theirs);
        let mut running = program.spawn().unwrap();
        drop(program);
        let mut screen = Vec::new();
        let _ = terminal.read_to_end(&mut screen);
        running.wait().unwrap();
        screen.contains(&0x1b)
    };
    assert!(errors(&["run", "bad.rasp"], &[]));
    assert!(!errors(&["run", "bad.rasp"], &[("NO_COLOR", "1")]));
    assert!(!errors(&["run", "bad.rasp", "--color", "never"], &[]));
    assert!(errors(
        &["--color=always", "run", "bad.rasp"],
        &[("NO_COLOR", "1")]
    ));
    let piped = |lines: &str| place.shell(lines).err.contains('\u{1b}');
    assert!(!piped("rasp run bad.rasp"));
    assert!(piped("rasp run bad.rasp --color always"));
    assert!(piped("rasp --color=always < bad.rasp"));
    assert!(!piped("rasp < bad.rasp"));
}

#[test]
fn a_program_is_loaded_before_the_prompt() {
    let place = Place::with(&[
        ("two words.rasp", "twice = indices * 2;\n"),
        ("bad.rasp", "x = ;"),
    ]);
    let screen = shown_after(&["two words.rasp"], &place, "", "twice(\"abc\");\rexit\r");
    assert!(screen.contains("[0, 2, 4]"), "{screen}");
    // The names that it has defined are there even if something else is wrong.
    let screen = shown_after(&["bad.rasp"], &place, "", "1 + 1;\rexit\r");
    assert!(
        screen.contains("[E0104]") && screen.contains("out =  2"),
        "{screen}"
    );
    let ran = place.shell("echo 'twice(\"ab\");' | rasp 'two words.rasp'");
    assert!(
        ran.status == 0 && ran.out.contains("[0, 2]"),
        "{}",
        ran.shown()
    );
    for (lines, status) in [
        ("rasp nothing.rasp", 1),
        ("rasp 'two words.rasp' run", 2),
        ("rasp rnu", 2),
    ] {
        assert_eq!(place.shell(lines).status, status, "{lines}");
    }
    assert!(place.shell("rasp nothing.rasp").err.contains("E0501"));
    assert!(place.shell("rasp rnu").err.contains("did you mean `run`?"));
    let hint = place.shell("rasp 'two words.rasp' -e twice").err;
    assert!(hint.contains("`rasp run two words.rasp`"), "{hint}");
}
