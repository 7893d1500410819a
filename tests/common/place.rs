//! Running the program under test in a directory of its own. May depend on what tests may.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A directory of its own for each test, removed at the end.
pub struct Place(tempfile::TempDir);

/// What a run of the program leaves.
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn with(files: &[(&str, &str)]) -> Place {
        let place = Place::new();
        for (name, text) in files {
            place.file(name, text);
        }
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file; its name.
    pub fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        name.to_string()
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn rasp(&self, arguments: &[&str]) -> Ran {
        self.reading("", arguments)
    }

    /// Runs the program on a standard input.
    pub fn reading(&self, input: &str, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rasp"));
        self.run(command.args(arguments), input)
    }

    /// Runs lines as a shell would, `rasp` being the program under test.
    pub fn shell(&self, lines: &str) -> Ran {
        let mut command = Command::new("sh");
        let program = Path::new(env!("CARGO_BIN_EXE_rasp"));
        let folders = format!(
            "{}:{}",
            program.parent().unwrap().display(),
            std::env::var("PATH").unwrap_or_default()
        );
        self.run(command.args(["-c", lines]).env("PATH", folders), "")
    }

    fn run(&self, command: &mut Command, input: &str) -> Ran {
        use std::io::Write;
        let mut child = command
            .current_dir(self.0.path())
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that never reads its input closes the pipe first; that is no failure.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let ran = Ran {
            status: output.status.code().expect("ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!ran.err.contains("bug in rasp"), "{}", ran.err);
        ran
    }
}

impl Ran {
    /// Everything a person sees.
    pub fn shown(&self) -> String {
        format!(
            "exit status {}\n--- out\n{}--- err\n{}",
            self.status, self.out, self.err
        )
    }

    /// Each line of the output, as JSON.
    pub fn lines(&self) -> Vec<Json> {
        let lines = self.out.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The last line of the output, as JSON.
    pub fn last_line(&self) -> Json {
        serde_json::from_str(self.out.lines().last().unwrap()).unwrap()
    }
}
