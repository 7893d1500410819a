//! From a machine's model back to a text that the assembler takes: what stands in the columns at the
//! start, read from W_pos. Depends on `description`.

use super::description::{Description, Machine};
use crate::model::Model;
use std::fmt::Write;
use std::ops::Range;

/// The program of a machine as a text.
pub fn disassemble(model: &Model, description: &Description) -> String {
    let reader = CodeReader { model, description };
    match description.machine {
        Machine::Stored => reader.stored(),
        Machine::Fleq => reader.fleq(),
        Machine::R1 | Machine::R2 | Machine::R1s | Machine::P10 => reader.subleq(),
    }
}

/// An instruction, as the assembler takes it.
pub fn instruction(model: &Model, description: &Description, counter: i64) -> String {
    let reader = CodeReader { model, description };
    match usize::try_from(counter) {
        Ok(at) if at + 1 == description.code.len() => "halt".to_string(),
        Ok(at) if at < description.code.len() => reader.instruction(at),
        _ => String::new(),
    }
}

struct CodeReader<'m> {
    model: &'m Model,
    description: &'m Description,
}

impl CodeReader<'_> {
    /// The number whose bits of ±1 stand in some rows of a column.
    fn pointer(&self, column: usize, rows: Range<usize>) -> usize {
        let start = rows.start;
        let entries = self.model.position_embedding.row(column);
        let set = entries.filter(|(row, value)| rows.contains(row) && *value > 0.0);
        set.map(|(row, _)| 1 << (row - start)).sum()
    }

    fn word(&self, column: usize) -> i64 {
        let rows = self.description.word.clone();
        if rows.len() == 1 {
            let mut entries = self.model.position_embedding.row(column);
            return entries
                .find(|(row, _)| rows.contains(row))
                .map_or(0, |(_, value)| value as i64);
        }
        let number = self.pointer(column, rows.clone()) as i64;
        super::subleq::program::wrapped(number, rows.len())
    }

    fn words(&self, range: Range<usize>) -> Vec<String> {
        let start = self.description.memory.start;
        range
            .map(|index| self.word(start + index).to_string())
            .collect()
    }

    fn name(&self, column: usize) -> String {
        let index = column.wrapping_sub(self.description.memory.start);
        self.description
            .name(index)
            .unwrap_or_else(|| format!("_{index}"))
    }

    /// The instruction at a place in the code.
    fn instruction(&self, at: usize) -> String {
        if self.description.machine == Machine::Fleq {
            return self.call(at);
        }
        let code = &self.description.code;
        let width = self.description.counter.len();
        let field = |index: usize| {
            let start = self.description.fields.start + index * width;
            self.pointer(code.start + at, start..start + width)
        };
        let (a, b) = (self.name(field(0)), self.name(field(1)));
        let target = field(2).wrapping_sub(code.start);
        match target == at + 1 {
            true => format!("sub {a}, {b}"),
            false => format!("sub {a}, {b}, {}", self.label(target)),
        }
    }

    fn label(&self, at: usize) -> String {
        let mut labels = self.description.labels.iter();
        let own = labels
            .find(|(label, _)| *label == at)
            .map(|(_, name)| name.clone());
        own.unwrap_or_else(|| format!("L{at}"))
    }

    fn subleq(&self) -> String {
        let description = self.description;
        let mut text = format!(".bits {}\n.data\n", description.word_bits);
        for name in &description.names {
            let words = self.words(name.first..name.first + name.count).join(", ");
            let _ = writeln!(text, "{}: .word {words}", name.name);
        }
        text.push_str(".text\n");
        let count = description.code.len();
        for at in 0..count {
            let labels = description.labels.iter().filter(|(label, _)| *label == at);
            let mut labels: Vec<String> = labels.map(|(_, name)| format!("{name}:")).collect();
            if labels.is_empty() {
                labels.push(format!("L{at}:"));
            }
            let instruction = match at + 1 == count {
                true => "halt".to_string(),
                false => self.instruction(at),
            };
            let _ = writeln!(text, "{} {instruction}", labels.join(" "));
        }
        text
    }

    /// `X = matmul At X; if cnt <= 0 goto end`
    fn call(&self, at: usize) -> String {
        let description = self.description;
        let column = description.code.start + at;
        let (width, functions) = (description.counter.len(), description.functions.len());
        let field = |index: usize| {
            let start = description.fields.start + index * width;
            self.pointer(column, start..start + width)
        };
        let [a, b, result, flag] = [0, 1, 2, 3].map(|index| self.name(field(index)));
        let inverted = field(4);
        let target = ((1 << width) - 1 - inverted).wrapping_sub(description.code.start);
        let start = description.fields.start + 5 * width;
        let mut entries = self.model.position_embedding.row(column);
        let function = entries.find(|(row, _)| (start..start + functions).contains(row));
        let function = function.map_or(0, |(row, _)| row - start);
        let name = description
            .functions
            .get(function)
            .map_or("nop", String::as_str);
        let call = match name {
            "nop" => String::new(),
            "add" | "sub" | "mul" | "matmul" => format!("{result} = {name} {a} {b}"),
            _ => format!("{result} = {name} {a}"),
        };
        match (flag.as_str(), call.is_empty()) {
            ("_one", _) => call,
            ("_zero", true) => format!("goto {}", self.label(target)),
            (_, true) => format!("if {flag} <= 0 goto {}", self.label(target)),
            (_, false) => format!("{call}; if {flag} <= 0 goto {}", self.label(target)),
        }
    }

    fn fleq(&self) -> String {
        let description = self.description;
        let mut text = String::new();
        for line in &description.definitions {
            let _ = writeln!(text, "{line}");
        }
        let own = |name: &&super::description::Name| !name.name.starts_with('_');
        for name in description.names.iter().filter(own) {
            let column = |offset: usize| {
                let column = description.memory.start + name.first + offset;
                let mut values = vec![0.0; name.rows];
                for (row, value) in self.model.position_embedding.row(column) {
                    let place = row.checked_sub(description.word.start);
                    if let Some(place) = place.and_then(|row| values.get_mut(row)) {
                        *place = value;
                    }
                }
                values
            };
            let columns: Vec<Vec<f64>> = (0..name.count).map(column).collect();
            let row = |row: usize| -> String {
                let entries = columns.iter().map(|column| format!("{:?}", column[row]));
                format!("[{}]", entries.collect::<Vec<_>>().join(", "))
            };
            let rows: Vec<String> = (0..name.rows).map(row).collect();
            let _ = writeln!(text, "var {} = [{}]", name.name, rows.join(", "));
        }
        for at in 0..description.code.len() {
            let labels = description.labels.iter().filter(|(label, _)| *label == at);
            let mut labels: String = labels.map(|(_, name)| format!("{name}: ")).collect();
            if labels.is_empty() {
                labels = format!("L{at}: ");
            }
            let instruction = match at + 1 == description.code.len() {
                true => "halt".to_string(),
                false => self.instruction(at),
            };
            let _ = writeln!(text, "{labels}{instruction}");
        }
        text
    }

    fn stored(&self) -> String {
        let description = self.description;
        let mut text = format!(".bits {}\n.code\n", description.word_bits);
        let words = self.words(0..description.memory.len());
        let mut line: Vec<String> = Vec::new();
        for (at, word) in words.into_iter().enumerate() {
            let labels = description.labels.iter().filter(|(label, _)| *label == at);
            let labels: Vec<String> = labels.map(|(_, name)| format!("{name}:")).collect();
            if (!labels.is_empty() || line.len() == 3) && !line.is_empty() {
                let _ = writeln!(text, "{}", line.join(" "));
                line.clear();
            }
            line.push([&labels[..], &[word]].concat().join(" "));
        }
        let _ = writeln!(text, "{}", line.join(" "));
        text
    }
}
