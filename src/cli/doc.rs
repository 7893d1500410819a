//! `rasp doc`: the reference of the built-in names and the standard library, or of programs, as
//! Markdown. It is made of the `##` lines of the sources; the assertions of a program that open
//! with a name are that name's examples.

use super::arguments::Doc;
use super::input::{programs, read};
use super::limits::session;
use super::output::{Output, Stop};
use crate::base::write::{unwritten, write_made};
use crate::base::{Existing, Limits, Sources, visible};
use crate::builtin::{self, BuiltinName, Kind};
use crate::diagnose;
use crate::eval::{Application, Meta};
use crate::format::print_expression;
use crate::graph::Sharing;
use crate::session::Session;
use crate::stdlib;
use crate::syntax::ast::{Ast, ExprId, ExprKind, Function, Statement, StatementKind};
use crate::value::Value;
use rustc_hash::FxHashMap;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::path::Path;

/// The first line of what `rasp doc` writes, less the digest at its end, by which it knows again what
/// nobody has changed since.
const MARKER: &str = "<!-- Written by `rasp doc`: change the sources, not this file. ";

/// The input on which examples without one are shown.
const EXAMPLE: &str = "hello";

pub fn doc(output: &mut Output, arguments: &Doc) -> Result<(), Stop> {
    let mut head = String::new();
    let mut text = String::new();
    if arguments.files.is_empty() {
        head.push_str("# The RASP library\n\n");
        built_in(&mut text);
        for module in std::iter::once(&stdlib::RASPLIB).chain(stdlib::MODULES) {
            let heading = match module.name == stdlib::RASPLIB.name {
                true => "## Seen by every program".to_string(),
                false => format!("## `load \"{}\";`", module.name),
            };
            let name = format!("stdlib/{}.rasp", module.name);
            page(output, &mut text, &heading, &name, module.text)?;
        }
    }
    let files = programs(output, &arguments.files)?;
    for file in &files {
        let loaded = output.expect(read(file), &Sources::new())?;
        let heading = format!("# {}", loaded.name);
        page(output, &mut text, &heading, &loaded.name, &loaded.text)?;
    }
    match files.len() {
        0 => head.push_str(&contents(&text, "## ")),
        1 => {}
        _ => head.push_str(&contents(&text, "# ")),
    }
    let text = marked(&format!("\n{head}{}\n", text.trim_end()));
    match &arguments.output {
        None => output.exact(text.as_bytes()),
        Some(path) => save(output, path, &text, arguments.force),
    }
}

/// A line for each part of a reference, with links to what is in it.
fn contents(text: &str, part: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut anchors = Anchors::default();
    let mut separator = ": ";
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.starts_with("```");
        if in_code || !line.starts_with('#') {
            continue;
        }
        let title = line.trim_start_matches('#').trim();
        let anchor = anchors.next(title.trim_matches(['`', ' ']));
        if line.starts_with(part) {
            lines.push(format!("- [{title}](#{anchor})"));
            separator = ": ";
        } else if let Some(last) = lines.last_mut() {
            let name = title.trim_matches(['`', ' ']);
            let name = name.split(['(', ',']).next().unwrap_or(name);
            last.push_str(&format!("{separator}[`{name}`](#{anchor})"));
            separator = ", ";
        }
    }
    format!("{}\n\n", lines.join("\n"))
}

/// The anchors that Markdown readers give headings: equal ones are numbered.
#[derive(Default)]
struct Anchors {
    given: FxHashMap<String, usize>,
}

impl Anchors {
    fn next(&mut self, title: &str) -> String {
        let kept = |c: &char| c.is_alphanumeric() || ['_', '-', ' '].contains(c);
        let anchor: String = title.to_lowercase().chars().filter(kept).collect();
        let anchor = anchor.replace(' ', "-");
        let before = self.given.entry(anchor.clone()).or_default();
        *before += 1;
        match *before {
            1 => anchor,
            several => format!("{anchor}-{}", several - 1),
        }
    }
}

fn save(output: &mut Output, path: &Path, text: &str, force: bool) -> Result<(), Stop> {
    let sources = Sources::new();
    if !force && path.exists() && !is_ours(path) {
        let error = unwritten(path, "it exists, and is not as `rasp doc` has written it")
            .help("give another name, or `--force`");
        return Err(output.refuse(&error, &sources));
    }
    output.expect(
        write_made(path, text.as_bytes(), Existing::Replace),
        &sources,
    )?;
    output.line(&format!("written to {}", visible::path(path)))
}

/// A reference under its first line.
fn marked(text: &str) -> String {
    let digest = Sha256::digest(text);
    let digest: String = digest[..8].iter().map(|b| format!("{b:02x}")).collect();
    format!("{MARKER}{digest} -->\n{text}")
}

/// Whether a file is a reference that was written here, and not changed.
fn is_ours(path: &Path) -> bool {
    // A device may have no end.
    let found = path.is_file().then(|| std::fs::read_to_string(path).ok());
    found.flatten().is_some_and(|found| {
        let text = found.split_once('\n').map(|(_, text)| text);
        text.is_some_and(|text| found == marked(text))
    })
}

// ---- Built-in names ----

fn built_in(text: &mut String) {
    let mut session = session(Sharing::Equal);
    text.push_str("## Built in\n\n");
    for row in builtin::TABLE {
        let signature = match row.kind {
            Kind::Function(_) => format!("{}({})", row.name, parameters(row)),
            // The name for it that programs use, until they say otherwise.
            Kind::SOp if row.name == "tokens_str" => format!("{}, tokens", row.name),
            Kind::SOp | Kind::Atom => row.name.to_string(),
        };
        let example = match example_value(&mut session, row.example) {
            Some(value) => format!("{}  # {value}", row.example),
            None => row.example.to_string(),
        };
        entry(text, "###", &signature, row.documentation, &[example]);
    }
}

/// Parameters that may be left out in brackets, as manuals write them.
fn parameters(row: &BuiltinName) -> String {
    let mut text = String::new();
    let mut optional = 0;
    for (at, parameter) in row.parameters.iter().enumerate() {
        let separator = if at == 0 { "" } else { ", " };
        match parameter.strip_suffix('?') {
            Some(name) => {
                optional += 1;
                text.push_str(&format!("[{separator}{name}"));
            }
            None => text.push_str(&format!("{separator}{parameter}")),
        }
    }
    text.push_str(&"]".repeat(optional));
    text
}

#[expect(clippy::wildcard_enum_match_arm, reason = "others are as written")]
fn example_value(session: &mut Session, example: &str) -> Option<String> {
    match session.expression(example).ok()? {
        Meta::SOp(id) => {
            let result = session.evaluate(id, &Value::characters(EXAMPLE)).ok()?;
            Some(format!("on \"{EXAMPLE}\": {result}"))
        }
        Meta::Application(result) => match &*result {
            Application::Sequence { output, .. } => Some(output.to_string()),
            Application::Matrix { .. } | Application::Scores { .. } => {
                Some(Meta::Application(result.clone()).repr())
            }
        },
        Meta::Selector(_) | Meta::Broken => None,
        other => Some(other.repr()),
    }
}

// ---- Programs ----

/// One program: what it says of itself, then each name it documents and each function.
fn page(
    output: &mut Output,
    text: &mut String,
    heading: &str,
    name: &str,
    source_text: &str,
) -> Result<(), Stop> {
    let mut sources = Sources::new();
    let source = sources.add(name, source_text);
    let parsed = diagnose::read(source, source_text, &Limits::default());
    output.report_all(&parsed.diagnostics, &sources)?;
    text.push_str(&format!("{heading}\n\n"));
    let introduction = introduction(source_text);
    if !introduction.is_empty() {
        text.push_str(&format!("{introduction}\n\n"));
    }
    let level = if heading.starts_with("##") {
        "###"
    } else {
        "##"
    };
    let entries = entries(&parsed.ast, source_text);
    if entries
        .iter()
        .all(|(.., documentation)| documentation.is_empty())
    {
        output.note(&format!(
            "{name}: no definition is documented; lines that begin with `##` directly above one document it"
        ));
    }
    for (at, (names, signature, documentation)) in entries.iter().enumerate() {
        // Of a name that is defined again the last definition holds.
        let shown = names.iter().filter(|name| {
            !entries[at + 1..]
                .iter()
                .any(|(later, ..)| later.contains(name))
        });
        let shown: Vec<&str> = shown.copied().collect();
        if !shown.is_empty() {
            let examples = examples(&parsed.ast, source_text, &shown);
            entry(text, level, signature, documentation, &examples);
        }
    }
    Ok(())
}

/// What a program says of names: the names, how they are written, the documentation.
#[expect(clippy::wildcard_enum_match_arm, reason = "others are undocumented")]
fn entries<'a>(ast: &'a Ast, text: &str) -> Vec<(Vec<&'a str>, String, &'a str)> {
    let entry = |statement: &'a Statement| {
        let (names, signature) = match &statement.kind {
            StatementKind::Define(function) if !function.ident.name.starts_with('_') => {
                (vec![&*function.ident.name], signature(ast, text, function))
            }
            StatementKind::Assign { names, .. } if !statement.documentation.is_empty() => {
                let names: Vec<&str> = names.iter().map(|ident| &*ident.name).collect();
                let signature = names.join(", ");
                (names, signature)
            }
            _ => return None,
        };
        Some((names, signature, &*statement.documentation))
    };
    ast.statements.iter().filter_map(entry).collect()
}

/// The `#` lines at the top of a program, but not one that names its interpreter.
fn introduction(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .skip_while(|line| line.starts_with("#!"))
        .take_while(|line| line.starts_with('#') && !line.starts_with("##"))
        .map(|line| {
            let line = line.trim_start_matches('#').trim_end();
            line.strip_prefix(' ').unwrap_or(line)
        })
        .collect();
    lines.join("\n").trim_matches('\n').to_string()
}

fn signature(ast: &Ast, text: &str, function: &Function) -> String {
    let parameters: Vec<String> = function
        .parameters
        .iter()
        .map(|parameter| match parameter.default {
            None if parameter.rest => format!("*{}", parameter.ident.name),
            None => parameter.ident.name.to_string(),
            Some(default) => {
                let default = print_expression(ast, text, default, &BTreeSet::new());
                format!("{}={default}", parameter.ident.name)
            }
        })
        .collect();
    format!("{}({})", function.ident.name, parameters.join(", "))
}

/// The assertions of a program that open with one of some names.
#[expect(clippy::wildcard_enum_match_arm, reason = "others are no examples")]
fn examples(ast: &Ast, text: &str, names: &[&str]) -> Vec<String> {
    ast.statements
        .iter()
        .filter_map(|statement| match statement.kind {
            StatementKind::Assert { condition }
                if opens_with(ast, condition).is_some_and(|name| names.contains(&name)) =>
            {
                let shown = print_expression(ast, text, condition, &BTreeSet::new());
                Some(format!("assert {shown};"))
            }
            _ => None,
        })
        .collect()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "others open with no name")]
fn opens_with(ast: &Ast, mut expr: ExprId) -> Option<&str> {
    loop {
        expr = match &ast.get(expr).kind {
            ExprKind::Name(name) => return Some(name),
            ExprKind::Binary { left, .. } => *left,
            ExprKind::Call { function, .. } => *function,
            ExprKind::Index { object, .. } => *object,
            ExprKind::Parenthesized(inner) => *inner,
            _ => return None,
        };
    }
}

fn entry(
    text: &mut String,
    level: &str,
    signature: &str,
    documentation: &str,
    examples: &[String],
) {
    text.push_str(&format!("{level} {}\n\n", code(signature)));
    let documentation = documentation.trim();
    if !documentation.is_empty() {
        text.push_str(&format!("{}\n\n", paragraphs(documentation)));
    }
    if !examples.is_empty() {
        text.push_str(&format!("```rasp\n{}\n```\n\n", examples.join("\n")));
    }
}

/// A text as code in Markdown: between more backticks than stand in a row in it.
fn code(text: &str) -> String {
    if !text.contains('`') {
        return format!("`{text}`");
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    format!("{fence} {text} {fence}")
}

/// Lines that open with a label, like `Example:`, are paragraphs of their own.
fn paragraphs(documentation: &str) -> String {
    let mut text = String::new();
    for line in documentation.lines() {
        let labelled = line
            .split_whitespace()
            .next()
            .is_some_and(|word| word.ends_with(':') && word.starts_with(char::is_uppercase));
        if labelled && !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
        text.push('\n');
    }
    text.trim_end().to_string()
}
