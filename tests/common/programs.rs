//! All programs of the library and the examples: every use of a library function, and the main s-op
//! of every example, each with a vocabulary.

#[path = "listed.rs"]
mod listed;
#[path = "../stdlib/uses.rs"]
mod uses;

use rasp::graph::{SOpId, Sharing};
use rasp::inside::stdlib::MODULES;
use rasp::session::{Meta, Session};
use rasp::value::Value;

/// An s-op of a program.
pub struct Program {
    /// The module and the expression, or the file.
    pub name: String,
    text: String,
    expression: String,
    /// Inputs from which a vocabulary is made, as expressions.
    inputs: &'static [&'static str],
}

/// A program in a session.
pub struct Opened {
    pub session: Session,
    pub sop: SOpId,
    /// The tokens of its inputs, or those it sets, and more of their kind.
    pub vocabulary: Vec<Value>,
}

/// Every program.
pub fn programs() -> Vec<Program> {
    let modules = ["rasplib"].into_iter();
    let modules = modules.chain(MODULES.iter().map(|module| module.name));
    let used = modules.flat_map(|module| {
        uses::uses(module).iter().map(move |used| Program {
            name: format!("{module}: {}", used.expression),
            text: match module {
                "rasplib" => String::new(),
                _ => format!("load \"{module}\";"),
            },
            expression: used.expression.to_string(),
            inputs: used.inputs,
        })
    });
    let examples = listed::PROGRAMS.iter().map(|(name, main)| Program {
        name: (*name).to_string(),
        text: std::fs::read_to_string(listed::path(name)).expect("a program"),
        expression: (*main).to_string(),
        inputs: &[],
    });
    used.chain(examples).collect()
}

impl Program {
    /// The program with a vocabulary of at most so many tokens.
    pub fn open(&self, tokens: usize) -> Opened {
        let mut session = Session::new(Sharing::Equal);
        session.load_text(&self.name, &self.text);
        let diagnostics = session.take_diagnostics();
        assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", self.name);
        let given: Vec<Value> = self
            .inputs
            .iter()
            .flat_map(|input| {
                let input = session.expression(input).ok();
                let input = input.as_ref().and_then(Meta::as_tokens);
                input.unwrap_or_else(|| panic!("{}: an input", self.name))
            })
            .collect();
        let settings = &session.settings;
        let set = settings.vocabulary.iter().flatten();
        let wished: Vec<Value> = match given.is_empty() {
            true => settings.example.iter().chain(set).cloned().collect(),
            false => given,
        };
        let more = more(&wished);
        let mut vocabulary: Vec<Value> = Vec::new();
        for token in wished.into_iter().chain(more) {
            if vocabulary.len() < tokens && !vocabulary.contains(&token) {
                vocabulary.push(token);
            }
        }
        let sop = session
            .sop(&self.expression)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        Opened {
            session,
            sop,
            vocabulary,
        }
    }
}

/// Tokens like these.
fn more(tokens: &[Value]) -> Vec<Value> {
    let is_digit = |token: &Value| token.to_string().parse::<u8>().is_ok();
    match tokens.iter().all(|token| matches!(token, Value::Int(_))) {
        true => (0..16).map(Value::Int).collect(),
        false if tokens.iter().all(is_digit) => Value::characters("0123456789"),
        false => Value::characters("abcdefghijklmnop"),
    }
}
