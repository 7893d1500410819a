//! The prompt at a terminal, through rustyline: editing of entries of several lines, a history that
//! outlives the session, completion, colours, and the signature of the call that is being typed.
//! Ctrl-C drops the entry that is being typed, and stops what is running. The only file that names
//! rustyline.

use super::interrupt;
use super::{Assistant, Completions, Patience, Repl, Said, highlight, read};
use crate::base::render::Style;
use crate::base::{Limits, tell};
use anstyle::AnsiColor;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Context, Editor, Event, EventContext,
    EventHandler, Helper, KeyEvent, RepeatCount,
};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const PROMPT: &str = ">> ";

/// Between what is typed and the hint; a hint of fewer columns would say nothing.
const GAP: &str = "   # ";
const SHORTEST_HINT: usize = 12;

/// Entries kept in the history.
const HISTORY: usize = 10_000;

/// Runs the prompt at the terminal until it is left, after a program if there is one, and gives the
/// exit status.
pub fn run_interactive(style: Style, program: Option<&str>, limits: Limits) -> i32 {
    let mut repl = Repl::new(style, Patience::None).with_limits(limits);
    let mut editor = match editor(style) {
        Ok(editor) => editor,
        Err(error) => {
            tell(&format!("rasp: the terminal cannot be used: {error}\n"));
            return 1;
        }
    };
    let history = history_path();
    if let Some(path) = &history {
        // There is none before the first session.
        let _ = editor.load_history(path);
    }
    if let Err(error) = interrupt::on_ctrl_c(repl.control()) {
        tell(&format!("rasp: Ctrl-C will end the session: {error}\n"));
    }
    print(&[Said::Output(repl.banner())]);
    if let Some(path) = program {
        print(&repl.open(path));
    }
    converse(&mut repl, &mut editor, history.as_deref())
}

fn converse(
    repl: &mut Repl,
    editor: &mut Editor<Prompt, FileHistory>,
    history: Option<&Path>,
) -> i32 {
    // What was typed before bytes that are no text.
    let mut kept = String::new();
    while !repl.is_finished() {
        let columns = editor.dimensions().map(|(columns, _)| columns);
        if let Some(prompt) = editor.helper_mut() {
            // Names change between entries only.
            prompt.assistant = Assistant::new(repl);
            prompt.columns = columns.map_or(0, usize::from);
            prompt.typed.take();
        }
        let read = editor.readline_with_initial(PROMPT, (&std::mem::take(&mut kept), ""));
        let typed = editor.helper().map(|prompt| prompt.typed.take());
        match read {
            Ok(entry) => {
                remember(editor, &entry, history);
                print(&repl.push(&entry));
            }
            Err(ReadlineError::Interrupted) => {
                remember(editor, &typed.unwrap_or_default(), history);
            }
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                kept = typed.unwrap_or_default();
            }
            Err(ReadlineError::Eof) => return 0,
            Err(error) => {
                tell(&format!("rasp: {error}\n"));
                return 1;
            }
        }
    }
    0
}

/// A whole entry, however many lines it has, is one entry of the history. It is written before it
/// is run, so that a session that is killed is remembered too.
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
fn print(parts: &[Said]) {
    let mut out = std::io::stdout().lock();
    for part in parts {
        let _ = out.write_all(part.text().as_bytes());
    }
    let _ = out.flush();
}

fn editor(style: Style) -> rustyline::Result<Editor<Prompt, FileHistory>> {
    let config = Config::builder()
        .max_history_size(HISTORY)?
        .history_ignore_dups(true)?
        .completion_type(CompletionType::List)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Prompt::new(style)));
    for enter in ['\r', '\n'].map(KeyEvent::from) {
        editor.bind_sequence(enter, EventHandler::Conditional(Box::new(Enter)));
    }
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

/// The Enter key: inside an entry it begins a line, with the blanks it needs.
struct Enter;

impl ConditionalEventHandler for Enter {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let inserted = Assistant::line_break(context.line(), context.pos())?;
        Some(Cmd::Insert(1, inserted))
    }
}

/// What rustyline asks while an entry is typed.
struct Prompt {
    style: Style,
    assistant: Assistant,
    files: FilenameCompleter,
    /// The width of the terminal.
    columns: usize,
    /// What has been typed so far.
    typed: RefCell<String>,
    /// Whether the entry is still being edited: no partner is set off in one that stays.
    editing: Cell<bool>,
}

impl Helper for Prompt {}

impl Validator for Prompt {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        Ok(match read::wants_more(context.input()) {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

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
        let (start, mut pairs) = match self.assistant.complete(line, cursor) {
            Completions::Words { start, candidates } => {
                (start, candidates.into_iter().map(pair).collect())
            }
            Completions::Path { start, modules } => {
                // Between quotes no blank ends a path and nothing is escaped.
                let quoted = format!("'{}", &line[start..cursor]);
                let (_, mut files) = self.files.complete_path(&quoted, quoted.len())?;
                files.retain(|file| {
                    file.replacement.ends_with('/') || file.replacement.ends_with(".rasp")
                });
                files.extend(modules.into_iter().map(pair));
                (start, files)
            }
        };
        self.space_below(line, &mut pairs);
        Ok((start, pairs))
    }
}

impl Highlighter for Prompt {
    fn highlight<'l>(&self, line: &'l str, cursor: usize) -> Cow<'l, str> {
        let cursor = Some(cursor).filter(|_| self.editing.get());
        match self.style {
            Style::Plain => Cow::Borrowed(line),
            Style::Terminal => Cow::Owned(highlight(line, cursor)),
        }
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        self.grey(prompt)
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        self.grey(hint)
    }

    fn highlight_candidate<'c>(&self, candidate: &'c str, _: CompletionType) -> Cow<'c, str> {
        // The list goes over what stood below the cursor.
        Cow::Owned(format!("\x1b[J{candidate}"))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.editing.set(kind != CmdKind::ForcedRefresh);
        true
    }
}

impl Hinter for Prompt {
    type Hint = Signature;

    fn hint(&self, text: &str, cursor: usize, _: &Context<'_>) -> Option<Signature> {
        self.typed.replace(text.to_string());
        if cursor < text.len() {
            return None;
        }
        let hint = self.assistant.hint(text, cursor)?;
        Some(Signature(format!(
            "{GAP}{}",
            fitting(hint, self.room(text))?
        )))
    }
}

impl Prompt {
    fn new(style: Style) -> Prompt {
        Prompt {
            style,
            assistant: Assistant::default(),
            files: FilenameCompleter::default(),
            columns: 0,
            typed: RefCell::default(),
            editing: Cell::new(true),
        }
    }

    fn grey<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.style {
            Style::Plain => Cow::Borrowed(text),
            Style::Terminal => {
                let grey = AnsiColor::BrightBlack.on_default();
                Cow::Owned(format!("{grey}{text}{grey:#}"))
            }
        }
    }

    /// The rows that a text takes below its first.
    fn rows(&self, text: &str) -> usize {
        let columns = self.columns.max(1);
        let shown = format!("{PROMPT}{text}");
        let mut widths = shown.rsplit('\n').map(UnicodeWidthStr::width);
        let last = widths.next().unwrap_or_default() / columns;
        let above = widths.map(|width| width.saturating_sub(1) / columns + 1);
        above.sum::<usize>() + last
    }

    /// rustyline draws the text anew over as many rows as it took, and these are the last of the
    /// list of candidates: the one that it prints last is given that many more.
    fn space_below(&self, text: &str, pairs: &mut [Pair]) {
        let widest = pairs.iter().map(|pair| pair.display.width()).max();
        let column = (widest.unwrap_or(0) + 2).min(self.columns).max(1);
        let rows = pairs.len().div_ceil((self.columns / column).max(1)).max(1);
        let last_of_last_row = (pairs.len() / rows * rows).saturating_sub(1);
        if let Some(last) = pairs.get_mut(last_of_last_row) {
            last.display.push_str(&"\n".repeat(self.rows(text)));
        }
    }

    /// The columns that are left behind a text and a gap; of the last one terminals differ in what
    /// they do.
    fn room(&self, text: &str) -> usize {
        let line = text.rsplit('\n').next().unwrap_or_default();
        let prompt = if line.len() == text.len() {
            PROMPT.len()
        } else {
            0
        };
        let taken = (prompt + line.width()) % self.columns.max(1);
        self.columns.saturating_sub(taken + GAP.len() + 1)
    }
}

/// A hint cut to the columns there are.
fn fitting(hint: &str, room: usize) -> Option<String> {
    if hint.width() <= room {
        return Some(hint.to_string());
    }
    let mut cut = String::new();
    for character in hint.chars() {
        if cut.width() + character.width().unwrap_or(0) >= room {
            break;
        }
        cut.push(character);
    }
    (room >= SHORTEST_HINT).then(|| format!("{}…", cut.trim_end_matches([' ', ',', ':'])))
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
