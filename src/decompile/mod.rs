//! From a discrete program to RASP that a person reads: predicates as comparisons, tables as
//! arithmetic or short decisions, on the values that can occur; what nothing reads is gone, and names
//! say what is meant. Depends on `learn` for programs, on `syntax` and `format` for the text's form, and
//! on `session`, which holds the text against the program.

mod care;
pub mod formula;
mod heads;
mod merge;
mod names;
pub mod rows;
pub mod sums;
mod text;

use crate::base::{Fallible, Limits, Severity, Sources};
use crate::format;
use crate::graph::{SOpId, Sharing};
use crate::learn::data::{Data, Encoded};
use crate::learn::program::Program;
use crate::learn::run::Inputs;
use crate::session::Session;
use crate::syntax::parse::parse;
use crate::value::Value;

/// The name of what a program computes.
pub const OUTPUT: &str = "output";

/// Examples that are looked at together.
const TOGETHER: usize = 1_000;

/// A program as RASP text.
pub struct Decompiled {
    /// The text. Its s-op [`OUTPUT`] gives the labels; where none is asked for it may give anything.
    pub text: String,
    /// The session that has run it.
    pub session: Session,
    /// The s-op.
    pub output: SOpId,
}

/// A program as RASP text, which ends in an assertion of what it gives on an example.
///
/// # Errors
/// A text that does not run: a fault of this module.
pub fn decompile(program: &Program, data: &Data) -> Fallible<Decompiled> {
    let program = program.pruned();
    let program = sums::pointed(&merge::merged(&program, &care::care(&program, data)));
    let care = care::care(&program, data);
    let mut text = text::text(&program, data, &care);
    let (session, output) = run(&text)?;
    if let Some((input, _)) = text::example(data) {
        let values = session.evaluate(output, &input)?.values;
        let list = |values: &[Value]| {
            let values = values.iter().map(Value::source).collect::<Vec<_>>();
            format!("[{}]", values.join(", "))
        };
        text.push_str(&format!(
            "\nassert {OUTPUT}({}) == {};\n",
            list(&input),
            list(&values)
        ));
    }
    let mut sources = Sources::new();
    let source = sources.add("program.rasp", text.as_str());
    let parsed = parse(source, &text, &Limits::default());
    let text = format::print(&parsed.ast, &text);
    let (session, output) = run(&text)?;
    Ok(Decompiled {
        text,
        session,
        output,
    })
}

fn run(text: &str) -> Fallible<(Session, SOpId)> {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("program.rasp", text);
    let diagnostics = session.take_diagnostics();
    let mut errors = diagnostics
        .into_iter()
        .filter(|found| found.severity == Severity::Error);
    if let Some(error) = errors.next() {
        return Err(error.into());
    }
    let output = session.sop(OUTPUT)?;
    Ok((session, output))
}

/// On how many of some examples the text gives the program's labels, and how many there are.
///
/// # Errors
/// An input on which the text fails.
pub fn agreement(
    text: &Decompiled,
    program: &Program,
    data: &Data,
    examples: &Encoded,
) -> Fallible<(usize, usize)> {
    let mut agreeing = 0;
    for part in examples.parts(TOGETHER) {
        let given = program.labels(&Inputs::new(&part).run(&program.modules));
        let tokens = part.tokens.chunks(part.n);
        let inputs: Vec<Vec<Value>> = tokens.map(|tokens| data.input(tokens)).collect();
        let found = text.session.evaluate_many(text.output, &inputs)?;
        let labels = part.labels.chunks(part.n).zip(given.chunks(part.n));
        for ((wanted, given), values) in labels.zip(found) {
            let values = values?;
            let mut asked = wanted.iter().zip(given).zip(&values);
            let is_equal = asked.all(|((wanted, given), value)| {
                *wanted == 0 || data.labels[usize::from(*given) - 1] == *value
            });
            agreeing += usize::from(is_equal);
        }
    }
    Ok((agreeing, examples.count()))
}
