//! Runs a machine step by step, with other words at its start, if somebody wants, and beside a second
//! engine that must agree to the bit. Depends on `state` and `execute`.

use super::built::TOKEN;
use super::description::{Description, Machine};
use super::network::bits;
use super::subleq::program::NoSuchWord;
use crate::base::{Code, Diagnostic, Fallible, counted};
use crate::execute::{Engine, Precision, delta, dense};
use crate::model::{Matrix, Model};
use crate::value::Value;
use serde_json::{Map, Value as Json, json};

/// Steps that a machine takes where nobody says how many.
pub const MOST_STEPS: u64 = 1_000_000;

/// How a machine is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engines {
    /// Everything is evaluated in each step.
    Dense,
    /// Only what can have changed.
    Delta,
}

/// A machine at work.
pub struct Run {
    /// What it says of itself.
    pub description: Description,
    engine: Box<dyn Engine>,
    /// The engine that must agree, and after how many steps each.
    check: Option<(Box<dyn Engine>, u64)>,
    rows: usize,
    columns: usize,
    /// Steps so far.
    pub steps: u64,
    /// What a stored program has printed.
    pub printed: Vec<i64>,
}

impl Run {
    /// A machine before its first step. With `check_every`, the dense engine runs beside it, and their
    /// states are compared after each so many steps.
    ///
    /// A machine that float32 is not enough for runs in float64 anyway.
    ///
    /// # Errors
    /// A model that is no machine, or one that the engine does not run.
    pub fn new(
        model: &Model,
        engines: Engines,
        precision: Precision,
        check_every: Option<u64>,
    ) -> Fallible<Run> {
        let description = Description::of(model)?;
        let precision = match description.float64 {
            true => Precision::F64,
            false => precision,
        };
        let tokens = vec![Value::str(TOKEN); model.max_length];
        let engine = match engines {
            Engines::Dense => dense(model, &tokens, precision)?,
            Engines::Delta => delta(model, &tokens, precision)?,
        };
        let check = match check_every {
            Some(every) => Some((dense(model, &tokens, precision)?, every.max(1))),
            None => None,
        };
        Ok(Run {
            description,
            engine,
            check,
            rows: model.d_model,
            columns: model.max_length,
            steps: 0,
            printed: Vec::new(),
        })
    }

    /// The engine, for whoever wants to see the stream.
    pub fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// Whether the program has come to its end.
    pub fn halted(&self) -> bool {
        self.description.counter(&*self.engine).1
    }

    /// One step.
    ///
    /// # Errors
    /// An instruction of a stored program that asks for a word that there is not, a word that leaves its
    /// bits on a machine whose words do not wrap; two engines that differ: a mistake of this project.
    pub fn step(&mut self) -> Fallible<()> {
        if let Some(missing) = self.description.missing(&*self.engine) {
            return Err(Box::new(self.no_such_word(missing)));
        }
        self.engine.round();
        self.steps += 1;
        if let Some((index, word)) = self.description.too_large(&*self.engine) {
            return Err(Box::new(self.left_its_bits(index, word)));
        }
        if let Some(printed) = self.description.printed(&*self.engine) {
            self.printed.push(printed);
        }
        let Some((other, every)) = &mut self.check else {
            return Ok(());
        };
        other.round();
        if self.steps.is_multiple_of(*every) {
            for (row, column) in
                (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)))
            {
                let (ours, theirs) = (self.engine.at(row, column), other.at(row, column));
                if ours.to_bits() != theirs.to_bits() {
                    let message = format!(
                        "after {} the engines differ at row {row} of column {column}: {ours:?} and {theirs:?}",
                        counted(self.steps as usize, "step"),
                    );
                    return Err(Box::new(Diagnostic::error(Code::BadModel, message)));
                }
            }
        }
        Ok(())
    }

    fn no_such_word(&self, missing: NoSuchWord) -> Diagnostic {
        let error = no_such_word(self.steps, missing, self.description.memory.len());
        error.note(format!(
            "it is {}",
            self.description.place(missing.instruction)
        ))
    }

    fn left_its_bits(&self, index: usize, word: i64) -> Diagnostic {
        let (name, bits) = (
            self.description.word_name(index),
            self.description.word_bits,
        );
        let steps = counted(self.steps as usize, "step");
        let message = format!("after {steps} `{name}` is {word}, which is no word of {bits} bits");
        let error = Diagnostic::error(Code::OutOfRange, message);
        error.help(
            "words of `r1s` are numbers and do not wrap: take another machine, or more `.bits`",
        )
    }

    /// Runs so many steps at most, or as many as it takes, until the program halts.
    ///
    /// # Errors
    /// As [`Run::step`]; without a number, a program that does not halt within [`MOST_STEPS`].
    pub fn run(&mut self, steps: Option<u64>) -> Fallible<()> {
        let end = self.steps.saturating_add(steps.unwrap_or(MOST_STEPS));
        while self.steps < end && !self.halted() {
            self.step()?;
        }
        if steps.is_none() && !self.halted() {
            let (counter, _) = self.description.counter(&*self.engine);
            let message = format!("the program has not halted after {MOST_STEPS} steps");
            let error = Diagnostic::error(Code::LimitReached, message);
            let place = self.description.place(counter);
            let error = error.note(format!("it stands at {place}"));
            return Err(Box::new(
                error.help("say how many steps it takes: `--steps T`"),
            ));
        }
        Ok(())
    }

    /// What the machine holds: `steps`, `halted`, `pc`, `memory` and `labels`; and `output`, of a stored
    /// program.
    pub fn to_json(&self) -> Json {
        let engine = &*self.engine;
        let (counter, halted) = self.description.counter(engine);
        let (memory, labels) = self.description.memory(engine);
        let mut found = json!({
            "steps": self.steps,
            "halted": halted,
            "pc": counter,
            "memory": memory,
            "labels": labels,
        });
        if self.description.machine == Machine::Stored {
            found["output"] = text(&self.printed).into();
        }
        found
    }
}

/// An instruction of a stored program of so many words that asks for one that there is not.
pub(super) fn no_such_word(steps: u64, missing: NoSuchWord, words: usize) -> Diagnostic {
    let NoSuchWord {
        instruction,
        address,
    } = missing;
    let steps = counted(steps as usize, "step");
    let message = format!(
        "after {steps} the instruction at {instruction} asks for the word {address}, of {words}"
    );
    Diagnostic::error(Code::OutOfRange, message)
}

/// What was printed, as characters.
pub fn text(printed: &[i64]) -> String {
    let character = |code: &i64| u32::try_from(*code).ok().and_then(char::from_u32);
    printed
        .iter()
        .map(|code| character(code).unwrap_or('\u{fffd}'))
        .collect()
}

impl Description {
    /// An instruction as people call it: `instruction 3, `loop` + 1, line 12 of its text`.
    pub fn place(&self, counter: i64) -> String {
        let Ok(at) = usize::try_from(counter) else {
            return counter.to_string();
        };
        let before = self.labels.iter().filter(|(label, _)| *label <= at);
        let label = match before.max_by_key(|(label, _)| *label) {
            Some((label, name)) if *label == at => format!(", `{name}`"),
            Some((label, name)) => format!(", `{name}` + {}", at - label),
            None => String::new(),
        };
        let line = match self.lines.get(at) {
            Some(line) => format!(", line {line} of its text"),
            None => String::new(),
        };
        format!("instruction {at}{label}{line}")
    }

    /// The name of a word, or of a column of a matrix: `x`, `table + 2`.
    pub fn name(&self, index: usize) -> Option<String> {
        let mut names = self.names.iter();
        let name = names.find(|name| (name.first..name.first + name.count).contains(&index))?;
        Some(match index - name.first {
            0 => name.name.clone(),
            offset => format!("{} + {offset}", name.name),
        })
    }

    /// A word as people call it: its name, or `word 7`.
    pub fn word_name(&self, index: usize) -> String {
        self.name(index).unwrap_or_else(|| format!("word {index}"))
    }

    /// All words, or columns, and those that have names.
    pub fn memory(&self, engine: &dyn Engine) -> (Vec<Json>, Map<String, Json>) {
        let is_shown = |name: &str| !name.starts_with('_');
        let mut labels = Map::new();
        if self.machine == Machine::Fleq {
            let column = |column: usize| -> Vec<f64> {
                self.word
                    .clone()
                    .map(|row| engine.at(row, column) + 0.0)
                    .collect()
            };
            let memory: Vec<Vec<f64>> = self.memory.clone().map(column).collect();
            for name in self.names.iter().filter(|name| is_shown(&name.name)) {
                let row = |row: usize| -> Vec<f64> {
                    memory[name.first..name.first + name.count]
                        .iter()
                        .map(|column| column[row])
                        .collect()
                };
                let matrix = match (name.rows, name.count) {
                    (1, 1) => json!(memory[name.first][0]),
                    _ => (0..name.rows).map(row).collect(),
                };
                labels.insert(name.name.clone(), matrix);
            }
            return (memory.into_iter().map(Json::from).collect(), labels);
        }
        let words = self.state(engine).words;
        for name in self.names.iter().filter(|name| is_shown(&name.name)) {
            let value = match name.count {
                1 => json!(words[name.first]),
                _ => json!(words[name.first..name.first + name.count]),
            };
            labels.insert(name.name.clone(), value);
        }
        (words.into_iter().map(Json::from).collect(), labels)
    }

    /// Puts other words at the start of a machine: the number of the first, and the words.
    ///
    /// # Errors
    /// Words that the machine does not hold.
    pub fn put(&self, model: &mut Model, first: usize, words: &[i64]) -> Fallible<()> {
        let mut entries = Vec::new();
        for (index, word) in (first..).zip(words) {
            let is_word = super::subleq::program::fits(*word, self.word_bits.clamp(1, 62));
            if index >= self.memory.len() || !is_word {
                let message = format!("the machine has no place for the word {word}");
                let error = Diagnostic::error(Code::OutOfRange, message);
                let help = format!(
                    "it holds {} words of {} bits",
                    self.memory.len(),
                    self.word_bits
                );
                return Err(Box::new(error.help(help)));
            }
            let column = self.memory.start + index;
            match self.word.len() {
                1 => entries.push((column, self.word.start, *word as f64)),
                width => entries.extend(
                    self.word
                        .clone()
                        .zip(bits(*word, width))
                        .map(|(row, bit)| (column, row, bit)),
                ),
            }
        }
        self.replace(model, entries);
        Ok(())
    }

    /// Puts numbers in place of those that W_pos has in the words' rows of some columns.
    pub(super) fn replace(&self, model: &mut Model, entries: Vec<(usize, usize, f64)>) {
        let places: rustc_hash::FxHashSet<usize> =
            entries.iter().map(|(column, _, _)| *column).collect();
        let old = &model.position_embedding;
        let kept = old
            .entries()
            .filter(|(column, row, _)| !(places.contains(column) && self.word.contains(row)));
        let all = kept.chain(entries).collect();
        model.position_embedding = Matrix::from_triplets(old.rows(), old.columns(), all);
    }
}
