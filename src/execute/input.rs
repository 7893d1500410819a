//! From tokens to rows of the embedding, and what is said about inputs that a model cannot take.

use crate::base::{Code, Diagnostic, Fallible};
use crate::model::Model;
use crate::value::Value;
use rustc_hash::FxHashMap;

/// How many tokens of a vocabulary a diagnostic lists.
const LISTED: usize = 30;

/// The vocabulary of a model, for looking tokens up.
pub(super) struct Tokenizer {
    vocabulary: Vec<Value>,
    rows: FxHashMap<Value, usize>,
    /// The rows of tokens that are one ASCII character, as most are.
    letters: [Option<usize>; 128],
    max_length: usize,
    /// The row of BOS, where it stands before the tokens.
    bos: Option<usize>,
}

impl Tokenizer {
    pub fn new(model: &Model) -> Tokenizer {
        let mut letters = [None; 128];
        for (row, token) in model.vocabulary.iter().enumerate() {
            if let Some(letter) = letter(token) {
                letters[letter] = Some(row);
            }
        }
        let numbered = model.vocabulary.iter().cloned().enumerate();
        Tokenizer {
            vocabulary: model.vocabulary.clone(),
            rows: numbered.map(|(row, token)| (token, row)).collect(),
            letters,
            max_length: model.max_length,
            bos: model.bos.then_some(model.vocabulary.len()),
        }
    }

    /// Appends the embedding rows of an input: that of BOS if there is one, then one for each token.
    ///
    /// A token stands for the identical value of the vocabulary, or else for the first equal one.
    ///
    /// # Errors
    /// An empty input, one longer than the model takes, or a token outside the vocabulary.
    pub fn append(&self, tokens: &[Value], rows: &mut Vec<usize>) -> Fallible<()> {
        if tokens.is_empty() {
            let problem = Diagnostic::error(Code::BadInput, "the input is empty");
            return Err(Box::new(problem.help("give at least one token")));
        }
        if tokens.len() > self.max_length {
            return Err(Box::new(self.too_long(tokens)));
        }
        rows.reserve(tokens.len() + 1);
        rows.extend(self.bos);
        for (position, token) in tokens.iter().enumerate() {
            match self.row(token) {
                Some(row) => rows.push(row),
                None => return Err(Box::new(self.unknown(token, position))),
            }
        }
        Ok(())
    }

    fn row(&self, token: &Value) -> Option<usize> {
        if let Some(letter) = letter(token) {
            return self.letters[letter];
        }
        let equal = || self.vocabulary.iter().position(|known| known.equals(token));
        self.rows.get(token).copied().or_else(equal)
    }

    /// Words that are given as characters are unknown before they are too many.
    fn too_long(&self, tokens: &[Value]) -> Diagnostic {
        let (length, limit) = (tokens.len(), self.max_length);
        let mut held = tokens.iter().take(limit).enumerate();
        if let Some((position, token)) = held.find(|(_, token)| self.row(token).is_none()) {
            return self.unknown(token, position);
        }
        let message = format!("the input has {length} tokens, but the model takes at most {limit}");
        Diagnostic::error(Code::InputTooLong, message)
            .help(format!("shorten the input, or compile for length {length}"))
    }

    fn unknown(&self, token: &Value, position: usize) -> Diagnostic {
        let source = token.source();
        let message = format!("the model does not know the token {source} at position {position}");
        let help = match self.similar(token) {
            Some(similar) => format!("did you mean {}?", similar.source()),
            None if is_character(token) && !self.vocabulary.iter().any(is_character) => {
                let first = self.vocabulary.iter().take(2).map(Value::source);
                let first = first.collect::<Vec<_>>().join(", ");
                format!(
                    "its tokens are no characters: give a list, as `--input-json '[{first}]'` does"
                )
            }
            None => format!("use tokens of the vocabulary, or compile with {source} in it"),
        };
        Diagnostic::error(Code::UnknownToken, message)
            .note(self.listing())
            .help(help)
    }

    fn listing(&self) -> String {
        let listed: Vec<String> = self
            .vocabulary
            .iter()
            .take(LISTED)
            .map(Value::source)
            .collect();
        let more = match self.vocabulary.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("its vocabulary is {}{more}", listed.join(", "))
    }

    /// A token that reads alike: `1` for `"1"`, `"a"` for `"A"`, or a word with one letter wrong.
    fn similar(&self, token: &Value) -> Option<&Value> {
        let text = token.to_string();
        let find = |alike: &dyn Fn(&str) -> bool| {
            self.vocabulary
                .iter()
                .find(|known| alike(&known.to_string()))
        };
        find(&|known| known == text)
            .or_else(|| find(&|known| known.to_lowercase() == text.to_lowercase()))
            .or_else(|| find(&|known| one_letter_apart(known, &text)))
    }
}

/// Whether a token is one character of a text.
fn is_character(token: &Value) -> bool {
    matches!(token, Value::Str(text) if text.chars().count() == 1)
}

/// The code of a token that is one ASCII character.
fn letter(token: &Value) -> Option<usize> {
    match token {
        Value::Str(text) => match text.as_bytes() {
            [letter] if letter.is_ascii() => Some(usize::from(*letter)),
            _ => None,
        },
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => None,
    }
}

/// Whether two words of at least three letters differ by one letter put in, left out or changed.
fn one_letter_apart(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.len() < 3 || long.len() - short.len() > 1 {
        return false;
    }
    let start = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let rest = if short.len() == long.len() {
        start + 1
    } else {
        start
    };
    short.get(rest..) == long.get(start + 1..)
}
