//! The prompt: lines in, text out. [`Repl`] neither reads nor writes a terminal, so that the interactive
//! prompt, a session read from a pipe and tests share it; `interactive` and `transcript` are its two
//! front ends. What statements mean is the session's business, how entries look is `session::show`'s.

mod assist;
mod colors;
pub mod command;
mod help;
mod inspect;
mod interactive;
pub(crate) mod interrupt;
mod puzzle;
mod read;
mod save;
mod transcript;

pub use assist::{Assistant, COMMAND_WORDS, Completions};
pub use colors::highlight;
pub use interactive::run_interactive;
pub use transcript::run_transcript;

use crate::base::control::INTERRUPTED;
use crate::base::render::{Color, Style, in_words, render};
use crate::base::{Code, Control, Diagnostic, Limits, Severity};
use crate::diagnose::warnings;
use crate::eval::Event;
use crate::graph::Sharing;
use crate::session::Session;
use crate::session::show::Display;
use crate::syntax::ast::{Ast, Command, ExampleKind, Statement, StatementKind};
use crate::value::Value;
use crate::value::atom::quote;
use read::{Complete, Entry, EntryReader};
use std::io::IsTerminal;
use std::sync::Arc;

/// Runs the prompt of this process, after a program if there is one, and gives its exit status: the
/// interactive one if both ends are terminals, otherwise standard input is read as a session.
pub fn main(color: Color, program: Option<&str>, limits: Limits) -> i32 {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return run_interactive(Style::of(color, true), program, limits);
    }
    let input = std::io::stdin().lock();
    let (out, err) = (std::io::stdout(), std::io::stderr());
    // Entries and diagnostics may be read by programs: colour is for whoever asks for it.
    let style = Style::of(color, false);
    let repl = Repl::new(style, Patience::NextLine).with_limits(limits);
    run_transcript(repl, program, input, &mut out.lock(), &mut err.lock())
}

/// Diagnostics of one pipe that are drawn; further ones are told in words.
const MOST_DRAWN: usize = 200;

/// What the prompt warns of before it runs an entry.
const ENTRY_WARNINGS: [Code; 2] = [Code::SurprisingPrecedence, Code::DuplicateParameter];

/// When an entry that only lacks its last `;` is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// At the end of its line: a person is waiting.
    None,
    /// When the next line cannot continue it: a program may spread a statement over lines.
    NextLine,
}

/// A piece of what an entry answers, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Entries and answers, for standard output.
    Output(String),
    /// Errors and warnings, for standard error.
    Diagnostic(String),
}

impl Said {
    /// What is shown.
    pub fn text(&self) -> &str {
        match self {
            Said::Output(text) | Said::Diagnostic(text) => text,
        }
    }
}

/// A session at a prompt.
pub struct Repl {
    session: Session,
    display: Display,
    style: Style,
    patience: Patience,
    reader: EntryReader,
    /// The number of the line that what is being obeyed begins on.
    line: usize,
    /// Errors and warnings shown so far.
    told: usize,
    /// The statements that were run without error, as they were typed.
    accepted: Vec<String>,
    /// What was loaded at the prompt, in order.
    loaded: Vec<String>,
    /// What the current entry has answered so far.
    answer: Vec<Said>,
    failed: bool,
    finished: bool,
}

impl Repl {
    /// The same within other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Repl {
        self.session = self.session.with_limits(limits);
        self
    }

    /// A new session. The style is that of entries and diagnostics alike.
    pub fn new(style: Style, patience: Patience) -> Repl {
        Repl {
            session: Session::new(Sharing::Equal),
            display: Display {
                color: style == Style::Terminal,
                ..Display::default()
            },
            style,
            patience,
            reader: EntryReader::default(),
            line: 1,
            told: 0,
            accepted: Vec::new(),
            loaded: Vec::new(),
            answer: Vec::new(),
            failed: false,
            finished: false,
        }
    }

    /// What is shown before the first prompt.
    pub fn banner(&self) -> String {
        format!(
            "rasp {}, `:help` says what there is\n{}\n",
            env!("CARGO_PKG_VERSION"),
            self.running_example()
        )
    }

    fn running_example(&self) -> String {
        let input = self.session.settings.example.iter();
        let input: String = input.map(ToString::to_string).collect();
        format!("running example is: {input}")
    }

    /// Whether the session was left with `exit` or `:quit`.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whether anything that was pushed has failed.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Whether an entry has begun and needs more lines.
    pub fn is_pending(&self) -> bool {
        self.reader.is_pending()
    }

    /// The handle that stops what an entry runs.
    pub fn control(&self) -> &Control {
        self.session.control()
    }

    /// Takes a line (or several at once, as pasting gives them) and answers what it completes.
    pub fn push(&mut self, text: &str) -> Vec<Said> {
        self.control().resume();
        // At a terminal every entry is a text of its own; a pipe is one text.
        if self.patience == Patience::None && !self.is_pending() {
            self.reader.restart();
        }
        let mut reader = std::mem::take(&mut self.reader);
        if !self.finished {
            reader.read(text, self.patience, |complete| self.obey(complete));
        }
        self.reader = reader;
        self.take_answer()
    }

    /// Loads a program, as the first entry of a session may.
    pub fn open(&mut self, path: &str) -> Vec<Said> {
        self.control().resume();
        self.run(&format!("load {};", quote(path)));
        self.take_answer()
    }

    /// Answers an entry that the end of the input leaves incomplete.
    pub fn end(&mut self) -> Vec<Said> {
        let mut reader = std::mem::take(&mut self.reader);
        if !self.finished {
            reader.finish(&mut |complete| self.obey(complete));
        }
        self.take_answer()
    }

    fn take_answer(&mut self) -> Vec<Said> {
        if self.control().is_stopped() {
            self.failed = true;
            let told = format!("{INTERRUPTED}\n");
            self.answer.push(Said::Diagnostic(told));
        }
        std::mem::take(&mut self.answer)
    }

    /// Obeys a command or runs an entry, and says whether the session goes on with what follows.
    fn obey(&mut self, complete: Complete) -> bool {
        match complete {
            Complete::Command(line, number) => {
                self.line = number;
                command::run(self, line);
            }
            Complete::Entry(entry) => {
                self.line = entry.first_line;
                if let Some(topic) = command::asked_about(self, &entry.text) {
                    help::help(self, topic);
                } else if let Some(word) = command::lone_word(&entry.text)
                    && self.session.lookup(word).is_none()
                {
                    help::complete(self, word);
                } else if let Some(meant) = command::without_colon(self, &entry.text) {
                    command::refuse(self, &format!("did you mean `{meant}`?"));
                } else {
                    self.run_entry(&entry);
                }
            }
        }
        !self.finished && !self.control().is_stopped()
    }

    fn run_entry(&mut self, entry: &Entry) {
        let told = self.answer.len();
        self.run(&entry.text);
        if entry.given_up && self.answer.len() > told {
            let why = "two empty lines have ended this entry; the up arrow brings it back\n";
            self.answer.push(Said::Diagnostic(why.to_string()));
        }
    }

    /// Runs a text: its syntax errors and nothing else, or all of its statements in turn.
    fn run(&mut self, text: &str) {
        let parsed = self.session.read("console", text, self.line - 1);
        let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
        let errors: Vec<&Diagnostic> = parsed.diagnostics.iter().filter(is_error).collect();
        if !errors.is_empty() {
            // What is missing at the end is no news where something else is wrong.
            let all_at_end = errors.iter().all(|error| error.code == Code::UnexpectedEnd);
            let mut shown = parsed.diagnostics;
            shown.retain(|found| all_at_end || found.code != Code::UnexpectedEnd);
            self.session.not_run(&parsed.ast);
            return self.report(shown);
        }
        let mut warned = warnings(&parsed, text);
        // What an entry never reads the next one may.
        warned.retain(|found| ENTRY_WARNINGS.contains(&found.code));
        self.report(parsed.diagnostics);
        self.report(warned);
        let ast = Arc::new(parsed.ast);
        for statement in &ast.statements {
            self.run_statement(&ast, statement);
            if self.finished || self.control().is_stopped() {
                return;
            }
        }
    }

    fn run_statement(&mut self, ast: &Arc<Ast>, statement: &Statement) {
        let result = self.session.run_statement(ast, statement);
        let diagnostics = self.session.take_diagnostics();
        self.report(diagnostics);
        let mut display = self.display.clone();
        if let StatementKind::Load { path, .. } = &statement.kind {
            self.loaded.retain(|loaded| loaded.as_str() != &**path);
            if result.is_ok() {
                self.loaded.push(path.to_string());
            }
            // Loads show no examples.
            display.sop_examples = false;
            display.selector_examples = false;
        }
        match result {
            Ok(events) => {
                self.accept(statement);
                self.show(&events, &display);
            }
            Err(Some(error)) => self.report(vec![*error]),
            // It hangs on what has been told.
            Err(None) => {}
        }
    }

    /// Shows what a statement did and obeys its commands.
    fn show(&mut self, events: &[Event], display: &Display) {
        for event in events {
            let before = self.session.settings.example.clone();
            // The example of selectors is the prompt's alone.
            if !matches!(event, Event::SetExample { kind, .. } if *kind == ExampleKind::Selector) {
                self.session.settings.obey(event);
            }
            self.display.obey(event);
            self.follow(event, &before);
            self.finished |= matches!(event, Event::Command(Command::Exit));
            match self.session.show(event, display) {
                Ok(text) => self.say(text),
                Err(error) => self.report(vec![*error]),
            }
        }
    }

    /// Shows the example that a vocabulary or a length brought, if it did.
    fn follow(&mut self, event: &Event, before: &[Value]) {
        let may_follow = matches!(
            event,
            Event::SetVocabulary { .. } | Event::SetMaxLength { .. }
        );
        let example = &self.session.settings.example;
        if may_follow && *example != before {
            if self.display.selector_example == before {
                self.display.selector_example.clone_from(example);
            }
            let example = self.running_example();
            self.say(format!(
                "{example}, which models take; `set example` gives another\n"
            ));
        }
    }

    /// Keeps the text of a statement for `:save`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others end with `;`")]
    fn accept(&mut self, statement: &Statement) {
        let end = match &statement.kind {
            StatementKind::Command(Command::Exit | Command::ShowExample { .. }) => return,
            StatementKind::Command(_)
            | StatementKind::Define(_)
            | StatementKind::For { .. }
            | StatementKind::Repeat(_) => "",
            _ => ";",
        };
        let mut text = String::new();
        for line in statement.documentation.lines() {
            text.push_str(&format!("## {line}\n"));
        }
        text.push_str(self.session.sources().text(statement.span));
        text.push_str(end);
        self.accepted.push(text);
    }

    fn say(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.answer.push(Said::Output(text));
        }
    }

    fn report(&mut self, diagnostics: Vec<Diagnostic>) {
        // What was interrupted is told once, below the answer.
        let told = |found: &Diagnostic| found.code != Code::Interrupted;
        for diagnostic in diagnostics.into_iter().filter(told) {
            self.failed |= diagnostic.severity == Severity::Error;
            self.told += 1;
            let sources = self.session.sources();
            // Drawing takes as long as the text before is: of a long pipe nobody reads so many.
            let text = match self.patience == Patience::NextLine && self.told > MOST_DRAWN {
                true => in_words(&diagnostic, sources),
                false => render(&diagnostic, sources, self.style),
            };
            self.answer.push(Said::Diagnostic(text));
        }
    }
}
