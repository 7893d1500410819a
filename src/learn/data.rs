//! Examples as numbers: vocabularies of tokens and labels, what is held out, and examples from a file.
//! Depends on `base`, `value` and `task`.

use super::task::{Example, Task};
use crate::base::{Code, Diagnostic, Fallible, Random};
use crate::value::Value;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};
use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};

/// The longest input, and the largest vocabulary, that can be learnt from.
pub const LARGEST: usize = 64;

/// Examples as numbers, each of `n` tokens and labels; 0 where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// How many numbers an example takes.
    pub n: usize,
    /// The tokens of all examples.
    pub tokens: Vec<u16>,
    /// Their labels.
    pub labels: Vec<u16>,
}

impl Encoded {
    /// How many examples.
    pub fn count(&self) -> usize {
        self.tokens.len() / self.n.max(1)
    }

    /// The tokens and the labels of an example.
    pub fn example(&self, at: usize) -> (&[u16], &[u16]) {
        let range = at * self.n..(at + 1) * self.n;
        (&self.tokens[range.clone()], &self.labels[range])
    }

    /// All examples, some at a time.
    pub fn parts(&self, count: usize) -> impl Iterator<Item = Encoded> {
        let size = (count * self.n).max(1);
        let parts = self.tokens.chunks(size).zip(self.labels.chunks(size));
        parts.map(|(tokens, labels)| Encoded {
            n: self.n,
            tokens: tokens.to_vec(),
            labels: labels.to_vec(),
        })
    }

    /// Some of the examples.
    pub fn part(&self, which: &[usize]) -> Encoded {
        let mut part = Encoded {
            n: self.n,
            ..Encoded::default()
        };
        for &at in which {
            let (tokens, labels) = self.example(at);
            part.tokens.extend_from_slice(tokens);
            part.labels.extend_from_slice(labels);
        }
        part
    }
}

/// What is learnt from.
#[derive(Clone, Debug)]
pub struct Data {
    /// The name in reports: the task's, or the file's.
    pub name: String,
    /// Token k + 1 is `vocabulary[k]`.
    pub vocabulary: Vec<Value>,
    /// Label k + 1 is `labels[k]`.
    pub labels: Vec<Value>,
    /// Whether queries see earlier keys only.
    pub causal: bool,
    /// What the gradients come from.
    pub train: Encoded,
    /// What programs are chosen by.
    pub choose: Encoded,
    /// What neither has seen.
    pub test: Encoded,
    /// Every input that there is, where they can be listed.
    pub all: Option<Encoded>,
}

impl Data {
    /// The examples of a task, split as in the original recipe: 81, 9 and 10 %.
    ///
    /// # Errors
    /// None that a task can give.
    pub fn of_task(task: Task, seed: u64) -> Fallible<Data> {
        let examples = task.examples(seed);
        let mut data = Data::new(task.name(), examples, task.is_causal(), seed, 0.1)?;
        if let Some(all) = task.all() {
            // Rare labels that no example has come after the others.
            let mut known: HashSet<Value> = data.labels.iter().cloned().collect();
            for label in all.flat_map(|example| example.output).flatten() {
                if known.insert(label.clone()) {
                    data.labels.push(label);
                }
            }
        }
        data.all = task.all().map(|all| data.encode(all));
        Ok(data)
    }

    /// A digest (SHA-256, in hexadecimal) of all that is learnt from and chosen by: whether two runs
    /// have the same examples.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for value in self.vocabulary.iter().chain(&self.labels) {
            hash.update(value.source());
            hash.update([0]);
        }
        for examples in [&self.train, &self.choose, &self.test] {
            hash.update((examples.n as u64).to_le_bytes());
            hash.update((examples.count() as u64).to_le_bytes());
            for numbers in [&examples.tokens, &examples.labels] {
                numbers
                    .iter()
                    .for_each(|number| hash.update(number.to_le_bytes()));
            }
        }
        let bytes = hash.finalize();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Examples, of which a share is held out for the test, and as many of the rest to choose by.
    ///
    /// # Errors
    /// A label that only examples have that are held out (E0405).
    pub fn new(
        name: &str,
        mut examples: Vec<Example>,
        causal: bool,
        seed: u64,
        held_out: f64,
    ) -> Fallible<Data> {
        let mut values = examples.iter().flat_map(|example| &example.input).cloned();
        let vocabulary = sorted(&mut values);
        let mut values = examples
            .iter()
            .flat_map(|example| example.output.iter().flatten());
        let labels = sorted(&mut values.by_ref().cloned());
        let mut data = Data {
            name: name.to_string(),
            vocabulary,
            labels,
            causal,
            train: Encoded::default(),
            choose: Encoded::default(),
            test: Encoded::default(),
            all: None,
        };
        let mut random = Random::new(seed ^ 0x7370_6c69);
        for last in (1..examples.len()).rev() {
            examples.swap(last, random.below(last + 1));
        }
        let share = |count: usize| (count as f64 * held_out).ceil() as usize;
        let n = examples.iter().map(|example| example.input.len()).max();
        data.train.n = n.unwrap_or(1);
        let test = examples.split_off(examples.len() - share(examples.len()));
        let choose = examples.split_off(examples.len() - share(examples.len()));
        data.test = data.encode(test.iter());
        data.choose = data.encode(choose.iter());
        data.train = data.encode(examples.iter());
        let outputs = |examples: &[Example]| -> HashSet<Value> {
            let labels = examples
                .iter()
                .flat_map(|example| example.output.iter().flatten());
            labels.cloned().collect()
        };
        let known = outputs(&examples);
        for example in choose.iter().chain(&test) {
            let mut labels = example.output.iter().flatten();
            // A task's rare labels may be missing; nothing can be given for them.
            if let Some(label) = labels.find(|label| example.line > 0 && !known.contains(label)) {
                let message = format!(
                    "{name}, line {}: no example that is learnt from has the label {}",
                    example.line,
                    label.source()
                );
                let help = "give more examples with it, or hold fewer out";
                return Err(Diagnostic::error(Code::BadTask, message).help(help).into());
            }
        }
        Ok(data)
    }

    /// The longest input.
    pub fn n(&self) -> usize {
        self.train.n
    }

    /// The input whose tokens have these numbers, of which 0 is none.
    #[must_use]
    pub fn input(&self, tokens: &[u16]) -> Vec<Value> {
        let tokens = tokens.iter().filter(|&&token| token != 0);
        let tokens = tokens.map(|&token| self.vocabulary[usize::from(token) - 1].clone());
        tokens.collect()
    }

    fn encode(&self, examples: impl Iterator<Item = impl Borrow<Example>>) -> Encoded {
        let n = self.n();
        let mut encoded = Encoded {
            n,
            ..Encoded::default()
        };
        let numbers = [&self.vocabulary, &self.labels]
            .map(|values| -> HashMap<&Value, u16> { values.iter().zip(1..).collect() });
        let number = |of: usize, value: &Value| numbers[of].get(value).copied().unwrap_or(0);
        for example in examples {
            let example = example.borrow();
            let tokens = example.input.iter().map(|token| number(0, token));
            let labels = example.output.iter().map(|label| match label {
                Some(label) => number(1, label),
                None => 0,
            });
            let nothing = || std::iter::repeat(0);
            encoded.tokens.extend(tokens.chain(nothing()).take(n));
            encoded.labels.extend(labels.chain(nothing()).take(n));
        }
        encoded
    }
}

fn sorted(values: &mut dyn Iterator<Item = Value>) -> Vec<Value> {
    let mut distinct: Vec<Value> = values.collect::<HashSet<Value>>().into_iter().collect();
    distinct.sort_by(Value::canonical_order);
    distinct
}

/// The examples of a file: a JSON object a line, `{"input": […], "output": […]}`, with strings, numbers
/// or bools; a `null` in an output is not asked for.
///
/// # Errors
/// A line that is not such an object, whose lists are not of one length, or that has too many tokens;
/// the same input twice with different outputs; too many tokens or labels; no more than one example
/// (E0405).
pub fn from_lines(name: &str, text: &str) -> Fallible<Vec<Example>> {
    let mut examples = Vec::new();
    let mut known: std::collections::HashMap<Vec<Value>, (usize, Vec<Option<Value>>)> =
        std::collections::HashMap::new();
    let (mut tokens, mut labels) = (HashSet::new(), HashSet::<Value>::new());
    for (at, line) in text.lines().enumerate() {
        let wrong = |what: &str| -> Box<Diagnostic> {
            let message = format!("{name}, line {}: {what}", at + 1);
            let help = r#"each line is an example like {"input": ["a", "b"], "output": [1, null]}"#;
            Diagnostic::error(Code::BadTask, message).help(help).into()
        };
        if line.trim().is_empty() {
            continue;
        }
        let example = example(line, at + 1).map_err(|what| wrong(&what))?;
        tokens.extend(example.input.iter().cloned());
        for label in example.output.iter().flatten() {
            let other = labels.iter().next();
            if other.is_some_and(|other| other.is_number() != label.is_number()) {
                return Err(wrong("the outputs mix strings and numbers"));
            }
            labels.insert(label.clone());
        }
        if tokens.len() >= LARGEST || labels.len() >= LARGEST {
            let most = LARGEST - 1;
            let what = format!("more than {most} different tokens or labels until here");
            return Err(wrong(&what));
        }
        if let Some((first, output)) = known.get(&example.input) {
            if *output != example.output {
                let what = format!("line {first} asks for another output of the same input");
                return Err(wrong(&what));
            }
            continue;
        }
        known.insert(example.input.clone(), (at + 1, example.output.clone()));
        examples.push(example);
    }
    if examples.len() < 10 || labels.is_empty() {
        let found = examples.len();
        let message = format!("{name} has {found} different examples: too few to learn from");
        let help = "give at least 10, with some output that is not null";
        return Err(Diagnostic::error(Code::BadTask, message).help(help).into());
    }
    Ok(examples)
}

/// The example of a line, or what is wrong with it.
#[expect(clippy::wildcard_enum_match_arm, reason = "no more of JSON is a value")]
fn example(line: &str, number: usize) -> Result<Example, String> {
    let json: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let object = json.as_object().ok_or("it is not a JSON object")?;
    if let Some(other) = object
        .keys()
        .find(|key| *key != "input" && *key != "output")
    {
        return Err(format!("`{other}` is neither `input` nor `output`"));
    }
    let list = |key: &str| {
        let list = object.get(key).and_then(Json::as_array);
        list.ok_or(format!("`{key}` is missing, or not a list"))
    };
    let (input, output) = (list("input")?, list("output")?);
    if input.len() != output.len() {
        let (tokens, values) = (input.len(), output.len());
        return Err(format!(
            "{tokens} tokens, but {values} values of the output"
        ));
    }
    if input.is_empty() || input.len() > LARGEST {
        let found = input.len();
        return Err(format!(
            "{found} tokens, where 1 to {LARGEST} can be learnt"
        ));
    }
    let tokens = input.iter().map(|token| match token.as_str() {
        Some(text) => Ok(Value::str(text)),
        None => Err(format!("the token {token} is not a string")),
    });
    let values = output.iter().map(|value| match value {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(Value::str(text))),
        Json::Number(number) if number.is_i64() => Ok(number.as_i64().map(Value::Int)),
        other => Err(format!(
            "the output {other} is neither a string nor a whole number nor null"
        )),
    });
    Ok(Example {
        input: tokens.collect::<Result<_, _>>()?,
        output: values.collect::<Result<_, _>>()?,
        line: number,
    })
}
