//! `rasp fmt`: programs in canonical form.

use super::arguments::Fmt;
use super::input::{programs, read};
use super::limits::limits;
use super::output::{Output, Stop};
use crate::base::write::write;
use crate::base::{Code, Diagnostic, Existing, Severity, Sources, visible};
use crate::diagnose::{self, Read, precedence};
use crate::eval::Loaded;
use crate::format::{print, print_with_parentheses};
use std::path::Path;

pub fn fmt(output: &mut Output, arguments: &Fmt) -> Result<(), Stop> {
    for file in programs(output, &arguments.files)? {
        match format_file(output, arguments, &file) {
            // The other files can still be formatted.
            Err(Stop::Reported) | Ok(()) => {}
            Err(stop) => return Err(stop),
        }
    }
    Ok(())
}

fn format_file(output: &mut Output, arguments: &Fmt, file: &Path) -> Result<(), Stop> {
    let mut sources = Sources::new();
    let loaded = output.expect(read(file), &sources)?;
    let formatted = format_text(output, &mut sources, &loaded, arguments.parentheses)?;
    let changed = formatted != loaded.text;
    if arguments.check {
        if changed {
            output.fail();
            output.line(&visible::name(&loaded.name))?;
        }
        return Ok(());
    }
    if file.as_os_str() == "-" {
        return output.exact(formatted.as_bytes());
    }
    if changed {
        output.expect(
            write(file, formatted.as_bytes(), Existing::Replace),
            &sources,
        )?;
        output.line(&format!("formatted {}", visible::name(&loaded.name)))?;
    }
    Ok(())
}

/// The text in canonical form. What does not parse is left alone.
fn format_text(
    output: &mut Output,
    sources: &mut Sources,
    loaded: &Loaded,
    parentheses: bool,
) -> Result<String, Stop> {
    let parsed = parse_text(sources, &loaded.name, &loaded.text);
    output.report_all(&parsed.diagnostics, sources)?;
    let formatted = if parentheses {
        let around = precedence::parentheses(&parsed.ast);
        print_with_parentheses(&parsed.ast, &loaded.text, &around)
    } else {
        print(&parsed.ast, &loaded.text)
    };
    let (bytes, bound) = (formatted.len(), limits().source_bytes);
    if bytes > bound {
        let message = format!("{} was not formatted: it would be too long", loaded.name);
        let told = Diagnostic::error(Code::LimitReached, message)
            .note(format!("it would have {bytes} bytes"))
            .note(format!("the limit `source_bytes` is {bound} bytes"));
        return Err(output.refuse(&told, sources));
    }
    let again = parse_text(sources, &loaded.name, &formatted);
    let errors = again.diagnostics.iter().any(is_error);
    let comments = comments(&again, &formatted).eq(comments(&parsed, &loaded.text));
    if errors || !comments || print(&again.ast, &formatted) != formatted {
        // Nobody's file is to be damaged by a mistake in the formatter.
        let message = format!("{} was not formatted: this is a bug in rasp", loaded.name);
        return Err(output.refuse(&Diagnostic::error(Code::FileNotWritten, message), sources));
    }
    Ok(formatted)
}

fn parse_text(sources: &mut Sources, name: &str, text: &str) -> Read {
    let source = sources.add(name, text);
    diagnose::read(source, text, &limits())
}

fn comments<'t>(parsed: &Read, text: &'t str) -> impl Iterator<Item = Option<&'t str>> {
    let comments = parsed.ast.comments.iter();
    comments.map(|comment| text.get(comment.span.range()))
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}
