//! Words that a generator gives, token by token: one of those that it says may follow, all as likely.
//! Depends on `language` and `execute`.

use super::language::Follow;
use super::{Dyck, LONGEST_TRIED, NEXT};
use crate::base::{Code, Diagnostic, Fallible, Random};
use crate::execute::{Executor, Precision, trace};
use crate::model::Model;
use crate::value::Value;
use rustc_hash::FxHashMap;

/// A word that a generator has given.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// Its tokens.
    pub tokens: Vec<Value>,
    /// Whether the generator has ended it. Otherwise it is the longest input, or [`LONGEST_TRIED`]
    /// tokens, and may not end.
    pub ended: bool,
}

/// Gives a word.
///
/// # Errors
/// A model that is no generator (E0405, E0701).
pub fn sample(model: &Model, precision: Precision, random: &mut Random) -> Fallible<Sampled> {
    let dyck = Dyck::of(model)?;
    if !dyck.kind.generates() {
        let message = format!("this model is a `{}`, not a generator", dyck.kind.name());
        let error = Diagnostic::error(Code::BadRequest, message);
        return Err(error
            .help("`rasp machine dyck --kind generate` makes one")
            .into());
    }
    let follows = dyck.language().follows();
    let spelled = |follow: Follow| (follow.spelled(&dyck.tokens), follow);
    let read: FxHashMap<Value, Follow> = follows.map(spelled).collect();
    let executor = Executor::new(model, precision)?;
    let longest = dyck.max_length.min(LONGEST_TRIED);
    let mut tokens: Vec<Value> = Vec::new();
    let mut next = first(model, &dyck, precision)?;
    loop {
        let follow = next.as_ref().and_then(|next| read.get(next));
        let Some((choices, ends)) = follow.map(|follow| follow.tokens(dyck.types())) else {
            let message = "this model says what no generator of its language does";
            return Err(Diagnostic::error(Code::BadModel, message).into());
        };
        if tokens.len() == longest {
            return Ok(Sampled {
                tokens,
                ended: ends,
            });
        }
        let choice = random.below(choices.len() + usize::from(ends));
        match choices.get(choice) {
            Some(at) => tokens.push(dyck.tokens[*at].clone()),
            None => {
                let ended = true;
                return Ok(Sampled { tokens, ended });
            }
        }
        next = executor.run(&tokens)?.pop();
    }
}

/// What may follow nothing: what the model says at BOS, which no token changes.
fn first(model: &Model, dyck: &Dyck, precision: Precision) -> Fallible<Option<Value>> {
    let trace = trace(model, &dyck.tokens[..1], precision)?;
    let last = trace.steps.last().into_iter();
    let mut variables = last.flat_map(|step| &step.variables);
    let next = variables.find(|variable| variable.name == NEXT);
    Ok(next.and_then(|next| next.values.first().cloned()))
}
