//! The prompt at a terminal: the program on one side of a pseudo-terminal, the keys on the other.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

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
    let home = tempfile::tempdir().unwrap();
    let (mut terminal, theirs) = terminal();
    let mut program = Command::new(env!("CARGO_BIN_EXE_rasp"))
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
fn an_entry_of_several_lines_is_edited_as_one() {
    let typed = "def f(x) {\ry = 1;\rreturn y;\r}";
    // Two lines up, to the end of the line, and over its last two characters.
    let mended = "\x1b[A\x1b[A\x05\x7f\x7f7;\r";
    let screen = shown("", &format!("{typed}{mended}f(0);\rexit\r"));
    assert!(screen.contains("function: f(x)"), "{screen}");
    assert!(screen.contains("out =  7"), "{screen}");
}

#[test]
fn a_long_compilation_says_what_it_is_at() {
    let folder = tempfile::tempdir().unwrap();
    let (mut terminal, theirs) = terminal();
    let mut program = Command::new(env!("CARGO_BIN_EXE_rasp"))
        .args(["compile", "tests/common/shuffle_dyck2_in_sums.rasp"])
        .args(["-e", "shuffle_dyck2", "--vocab", "(){}", "--max-len", "256"])
        .arg("-o")
        .arg(folder.path().join("model"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::from(theirs))
        .spawn()
        .unwrap();
    let (mut screen, mut next) = (String::new(), [0; 256]);
    // Reading fails once the program has ended; nobody waits for that.
    while !screen.contains("finding weights") {
        match terminal.read(&mut next) {
            Ok(count) if count > 0 => screen += &String::from_utf8_lossy(&next[..count]),
            _ => break,
        }
    }
    program.kill().unwrap();
    program.wait().unwrap();
    assert!(screen.contains("finding weights"), "{screen}");
}
