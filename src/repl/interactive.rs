//! The prompt at a terminal, through rustyline: line editing, a history that outlives the session,
//! completion, colours, and the signature of the call that is being typed. Ctrl-C forgets the entry
//! that is being typed, and stops what is running. The only file that names rustyline.

use super::{Assistant, Completions, Part, Patience, Repl};
use crate::base::interrupt;
use crate::base::render::Style;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{ColorMode, CompletionType, Config, Context, Editor, Helper};
use std::borrow::Cow;
use std::cell::Cell;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Entries kept in the history.
const HISTORY: usize = 10_000;

/// Runs the prompt at the terminal until it is left, and gives the exit status.
pub fn run_interactive() -> i32 {
    // https://no-color.org: any value but the empty one.
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let style = if plain { Style::Plain } else { Style::Terminal };
    let mut repl = Repl::new(style, Patience::None);
    let mut editor = match editor(style) {
        Ok(editor) => editor,
        Err(error) => {
            eprintln!("rasp: the terminal cannot be used: {error}");
            return 1;
        }
    };
    let history = history_path();
    if let Some(path) = &history {
        // There is none before the first session.
        let _ = editor.load_history(path);
    }
    if let Err(error) = interrupt::on_ctrl_c() {
        eprintln!("rasp: Ctrl-C will end the session: {error}");
    }
    print(&[Part::Output(repl.banner())]);
    converse(&mut repl, &mut editor, history.as_deref())
}

fn converse(
    repl: &mut Repl,
    editor: &mut Editor<Prompt, FileHistory>,
    history: Option<&Path>,
) -> i32 {
    let mut entry = String::new();
    while !repl.is_finished() {
        // Names change between entries only.
        if let Some(prompt) = editor.helper_mut().filter(|_| !repl.is_pending()) {
            prompt.assistant = Assistant::new(repl);
        }
        match editor.readline(&repl.prompt()) {
            Ok(line) => {
                entry.push_str(if entry.is_empty() { "" } else { "\n" });
                entry.push_str(&line);
                let parts = repl.push(&line);
                print(&parts);
                if !repl.is_pending() {
                    remember(editor, &std::mem::take(&mut entry), history);
                }
            }
            Err(ReadlineError::Interrupted) => {
                repl.interrupt();
                entry.clear();
            }
            Err(ReadlineError::Eof) => {
                print(&repl.end());
                return 0;
            }
            Err(error) => {
                eprintln!("rasp: {error}");
                return 1;
            }
        }
    }
    0
}

/// A whole entry, however many lines it has, is one entry of the history. It is written at once,
/// so that a session that is killed is remembered too.
fn remember(editor: &mut Editor<Prompt, FileHistory>, entry: &str, history: Option<&Path>) {
    if entry.trim().is_empty() {
        return;
    }
    // A history that cannot be kept is no reason to complain.
    let _ = editor.add_history_entry(entry);
    if let Some(path) = history {
        let _ = path.parent().map(std::fs::create_dir_all);
        let _ = editor.append_history(path);
    }
}

/// Entries and diagnostics both belong on the screen, in their order. A terminal that has gone
/// ends the session at the next prompt.
fn print(parts: &[Part]) {
    let mut out = std::io::stdout().lock();
    for part in parts {
        let _ = out.write_all(part.text().as_bytes());
    }
    let _ = out.flush();
}

fn editor(style: Style) -> rustyline::Result<Editor<Prompt, FileHistory>> {
    let colors = match style {
        Style::Plain => ColorMode::Disabled,
        Style::Terminal => ColorMode::Enabled,
    };
    let config = Config::builder()
        .max_history_size(HISTORY)?
        .history_ignore_dups(true)?
        .completion_type(CompletionType::List)
        .color_mode(colors)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Prompt::default()));
    Ok(editor)
}

/// `rasp/history` in the user's data directory.
fn history_path() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let data = match set("XDG_DATA_HOME").map(PathBuf::from) {
        Some(path) if path.is_absolute() => path,
        _ => PathBuf::from(set("HOME")?).join(".local/share"),
    };
    Some(data.join("rasp/history"))
}

/// What rustyline asks while a line is typed.
#[derive(Default)]
struct Prompt {
    assistant: Assistant,
    files: FilenameCompleter,
    /// Whether the line is still being edited: no partner is set off in a line that stays.
    editing: Cell<bool>,
}

impl Helper for Prompt {}

/// Incomplete entries are the session's business.
impl Validator for Prompt {}

impl Completer for Prompt {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let pair = |text: String| Pair {
            display: text.clone(),
            replacement: text,
        };
        match self.assistant.complete(line, cursor) {
            Completions::Words { start, candidates } => {
                Ok((start, candidates.into_iter().map(pair).collect()))
            }
            Completions::Path { start, modules } => {
                let (at, mut files) = self.files.complete_path(line, cursor)?;
                files.retain(|file| {
                    file.replacement.ends_with('/') || file.replacement.ends_with(".rasp")
                });
                if at == start {
                    files.extend(modules.into_iter().map(pair));
                }
                Ok((at, files))
            }
        }
    }
}

impl Highlighter for Prompt {
    fn highlight<'l>(&self, line: &'l str, cursor: usize) -> Cow<'l, str> {
        let cursor = Some(cursor).filter(|_| self.editing.get());
        Cow::Owned(self.assistant.highlight(line, cursor))
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(format!("\x1b[90m{prompt}\x1b[0m"))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("\x1b[90m{hint}\x1b[0m"))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.editing.set(kind != CmdKind::ForcedRefresh);
        true
    }
}

impl Hinter for Prompt {
    type Hint = Signature;

    fn hint(&self, line: &str, cursor: usize, _: &Context<'_>) -> Option<Signature> {
        if cursor < line.len() {
            return None;
        }
        let signature = self.assistant.signature(line, cursor)?;
        Some(Signature(format!("   {signature}")))
    }
}

/// A hint that is for reading: no key inserts it.
struct Signature(String);

impl Hint for Signature {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}
