//! The state of a machine, read from the residual stream by what its model says of itself. Depends on
//! `description` and `execute`.

use super::description::{Description, Machine};
use super::subleq::program::{NoSuchWord, State, fits, wrapped};
use crate::base::{Code, Diagnostic, Fallible};
use crate::execute::Engine;
use crate::machine::kind;
use crate::model::Model;
use std::ops::Range;

/// The column where a machine computes.
const SCRATCH: usize = 0;

impl Description {
    /// What a model says that it is.
    ///
    /// # Errors
    /// A model that is no looped machine, or whose description does not fit it.
    pub fn of(model: &Model) -> Fallible<Description> {
        let wrong = |problem: &str| {
            let error = Diagnostic::error(Code::WrongMachine, format!("the model {problem}"));
            Box::new(error.help("make one: `rasp machine asm PROGRAM -o MODEL`"))
        };
        let text = model.machine.as_deref();
        let text = text.ok_or_else(|| wrong("is not a looped machine"))?;
        if let Some(kind) = kind(text).filter(|kind| kind != "looped") {
            return Err(wrong(&format!("is a machine of another kind: {kind}")));
        }
        let description: Description = serde_json::from_str(text)
            .map_err(|problem| wrong(&format!("is not a looped machine: {problem}")))?;
        match description.fits(model) {
            true => Ok(description),
            false => Err(wrong("does not fit what it says of itself")),
        }
    }

    fn fits(&self, model: &Model) -> bool {
        let columns =
            |range: &Range<usize>| range.start <= range.end && range.end <= model.max_length;
        let rows = |range: &Range<usize>| range.start <= range.end && range.end <= model.d_model;
        let pointer = |range: &Range<usize>| rows(range) && (1..=62).contains(&range.len());
        let words = self.memory.len();
        let name_fits = |name: &super::description::Name| {
            name.first
                .checked_add(name.count)
                .is_some_and(|end| end <= words)
                && (1..=self.word.len().max(1)).contains(&name.rows)
        };
        let word = match self.machine {
            Machine::Fleq => self.word_bits == 0,
            Machine::R1s => self.word.len() == 1,
            Machine::R1 | Machine::R2 | Machine::P10 | Machine::Stored => {
                self.word.len() == self.word_bits && pointer(&self.word)
            }
        };
        self.kind == "looped"
            && !model.bos
            && model.vocabulary.len() == 1
            && self.ahead <= 1
            && (self.machine == Machine::Stored || !self.code.is_empty())
            && columns(&self.memory)
            && columns(&self.code)
            && rows(&self.word)
            && rows(&self.fields)
            && pointer(&self.counter)
            && self.pending.as_ref().is_none_or(pointer)
            && word
            && self.names.iter().all(name_fits)
    }

    /// The word in a column.
    fn word(&self, engine: &dyn Engine, column: usize) -> i64 {
        match self.word.len() {
            1 => engine.at(self.word.start, column) as i64,
            _ => signed(engine, &self.word, column),
        }
    }

    /// What the machine holds.
    pub fn state(&self, engine: &dyn Engine) -> State {
        let (counter, halted) = self.counter(engine);
        let mut words: Vec<i64> = self
            .memory
            .clone()
            .map(|column| self.word(engine, column))
            .collect();
        if let Some((target, word)) = self.pending(engine)
            && let Some(target) = words.get_mut(target)
        {
            *target = word;
        }
        State {
            counter,
            words,
            halted,
        }
    }

    /// The next instruction, or its address, and whether the program has come to its end.
    pub fn counter(&self, engine: &dyn Engine) -> (i64, bool) {
        if self.machine == Machine::Stored {
            let counter = signed(engine, &self.counter, SCRATCH);
            return (counter, counter < 0);
        }
        let column = pointer(engine, &self.counter, SCRATCH) as usize;
        let count = self.code.len();
        let index = column
            .wrapping_sub(self.code.start)
            .wrapping_add(count - self.ahead);
        let index = index % count;
        (index as i64, index + 1 == count)
    }

    /// What is still to be written: the number of the word, and what it becomes.
    pub fn pending(&self, engine: &dyn Engine) -> Option<(usize, i64)> {
        let rows = self.pending.as_ref()?;
        if rows.clone().all(|row| engine.at(row, SCRATCH) == 0.0) {
            return None;
        }
        let word = self.word(engine, SCRATCH);
        let address = match self.machine {
            Machine::Stored => usize::try_from(signed(engine, rows, SCRATCH)).ok()?,
            Machine::R1 | Machine::R2 | Machine::R1s | Machine::P10 | Machine::Fleq => {
                (pointer(engine, rows, SCRATCH) as usize).checked_sub(self.memory.start)?
            }
        };
        Some((address, word))
    }

    /// The instruction that a stored program comes to next: its three words.
    ///
    /// # Errors
    /// One of them that there is not.
    pub fn operands(&self, engine: &dyn Engine) -> Result<[i64; 3], NoSuchWord> {
        let instruction = signed(engine, &self.counter, SCRATCH);
        let pending = self.pending(engine);
        let operand = |offset: i64| {
            let address = instruction + offset;
            let index = self.index(address).ok_or(NoSuchWord {
                instruction,
                address,
            })?;
            Ok(match pending {
                Some((target, word)) if target == index => word,
                _ => self.word(engine, self.memory.start + index),
            })
        };
        Ok([operand(0)?, operand(1)?, operand(2)?])
    }

    fn index(&self, address: i64) -> Option<usize> {
        let index = usize::try_from(address).ok();
        index.filter(|index| *index < self.memory.len())
    }

    /// What stops a stored program that has not halted: an address without a word, but for -1, where it
    /// prints.
    pub fn missing(&self, engine: &dyn Engine) -> Option<NoSuchWord> {
        let (instruction, halted) = match self.machine {
            Machine::Stored => self.counter(engine),
            Machine::R1 | Machine::R2 | Machine::R1s | Machine::P10 | Machine::Fleq => return None,
        };
        let missing = |address: i64| NoSuchWord {
            instruction,
            address,
        };
        match self.operands(engine) {
            _ if halted => None,
            Ok([a, _, _]) if self.index(a).is_none() => Some(missing(a)),
            Ok([_, b, _]) if b != -1 && self.index(b).is_none() => Some(missing(b)),
            Ok(_) => None,
            Err(missing) => Some(missing),
        }
    }

    /// A word that has left its bits where words are numbers: its number, and what it is.
    pub fn too_large(&self, engine: &dyn Engine) -> Option<(usize, i64)> {
        if self.machine != Machine::R1s {
            return None;
        }
        let (index, word) = self.pending(engine)?;
        (!fits(word, self.word_bits)).then_some((index, word))
    }

    /// What a stored program has just printed.
    pub fn printed(&self, engine: &dyn Engine) -> Option<i64> {
        let rows = self.pending.as_ref()?;
        let is_port = rows.clone().all(|row| engine.at(row, SCRATCH) > 0.0);
        let printed = || wrapped(-self.word(engine, SCRATCH), self.word_bits);
        (self.machine == Machine::Stored && is_port).then(printed)
    }
}

/// The number whose bits stand in some rows.
fn pointer(engine: &dyn Engine, rows: &Range<usize>, column: usize) -> i64 {
    let bits = rows.clone().enumerate();
    bits.map(|(bit, row)| i64::from(engine.at(row, column) > 0.0) << bit)
        .sum()
}

/// The same in two's complement.
fn signed(engine: &dyn Engine, rows: &Range<usize>, column: usize) -> i64 {
    let number = pointer(engine, rows, column);
    let sign = 1 << (rows.len() - 1);
    (number ^ sign) - sign
}
