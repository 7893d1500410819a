//! What the instructions and macros of a `.subleq` text become. Depends on `text` for the assembler.

use super::text::{Assembler, Instruction, Jump, OWN, Operand, Section, operand, unknown};
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Span};
use crate::machine::looped::lex::{Line, Parsed, wrong};

impl Assembler {
    pub fn instruction(&mut self, mut line: Line, section: Section, is_last: bool) -> Parsed<()> {
        let Some((name, span)) = self.labels(&mut line, self.code.len())? else {
            return line.end();
        };
        match (name.as_str(), section) {
            ("sub", Section::Text) => {
                let (a, b) = self.pair(&mut line)?;
                let jump = match line.takes(",") {
                    true => Jump::To(operand(&mut line, "a label")?),
                    false => Jump::Next,
                };
                self.emit(a, b, jump);
            }
            ("clr", Section::Text) => {
                let a = self.word(&mut line)?;
                self.emit(a, a, Jump::Next);
            }
            ("add", Section::Text) => {
                let (a, b) = self.pair(&mut line)?;
                self.add(a, b);
            }
            ("mov", Section::Text) => {
                let (a, b) = self.pair(&mut line)?;
                // `mov a, a` leaves the word as it is.
                if a != b {
                    self.emit(b, b, Jump::Next);
                    self.add(a, b);
                }
            }
            ("neg", Section::Text) => {
                let a = self.word(&mut line)?;
                let [zero, rest] = [self.own("_zero"), self.own("_rest")];
                self.emit(a, zero, Jump::Next);
                self.emit(zero, rest, Jump::Next);
                self.emit(a, a, Jump::Next);
                self.emit(rest, a, Jump::Next);
                self.emit(rest, rest, Jump::Next);
                self.emit(zero, zero, Jump::Next);
            }
            ("inc", Section::Minsky) => {
                let register = self.word(&mut line)?;
                let minus = self.own("_minus_one");
                self.emit(minus, register, Jump::Next);
            }
            ("decjz", Section::Minsky) => {
                let register = self.word(&mut line)?;
                line.expect(",")?;
                let target = operand(&mut line, "a label")?;
                let (zero, one) = (self.own("_zero"), self.own("_one"));
                self.emit(zero, register, Jump::To(target));
                self.emit(one, register, Jump::Next);
            }
            ("jmp", _) => {
                let target = operand(&mut line, "a label")?;
                let zero = self.own("_zero");
                self.emit(zero, zero, Jump::To(target));
            }
            // Where the text ends, the program halts anyway.
            ("halt", _) if is_last => {}
            ("halt", _) => {
                let zero = self.own("_zero");
                self.emit(zero, zero, Jump::Halt);
            }
            _ => return Err(no_instruction(&name, span, section)),
        }
        line.end()
    }

    fn emit(&mut self, a: usize, b: usize, jump: Jump) {
        self.code.push(Instruction { a, b, jump });
    }

    /// `b += a`, by way of a word that is 0.
    fn add(&mut self, a: usize, b: usize) {
        let zero = self.own("_zero");
        self.emit(a, zero, Jump::Next);
        self.emit(zero, b, Jump::Next);
        self.emit(zero, zero, Jump::Next);
    }

    /// A word that macros use, made where the text does not declare it.
    pub fn own(&mut self, name: &str) -> usize {
        if let Some((index, _)) = self.known.get(name) {
            return *index;
        }
        let first = self.words.len();
        let value = OWN.iter().find(|(own, _)| *own == name);
        self.words.push(value.map_or(0, |(_, value)| *value));
        self.known.insert(name.to_string(), (first, 1));
        self.names.push((name.to_string(), first, 1));
        first
    }

    fn pair(&mut self, line: &mut Line) -> Parsed<(usize, usize)> {
        let a = self.word(line)?;
        line.expect(",")?;
        Ok((a, self.word(line)?))
    }

    fn word(&mut self, line: &mut Line) -> Parsed<usize> {
        let Operand { name, offset, span } = operand(line, "the name of a word")?;
        let Some((first, count)) = self.known.get(&name).copied() else {
            let known = self.names.iter().map(|(name, _, _)| name.as_str());
            let error = unknown("word", &name, span, known);
            return Err(Box::new(match error.help.is_none() {
                true => error.help(format!("declare it: `{name}: .word 0`, in `.data`")),
                false => *error,
            }));
        };
        if offset >= count {
            let message = format!("`{name}` has no word {offset}, only {count}");
            return Err(wrong(Code::OutOfRange, message, span, "this word"));
        }
        Ok(first + offset)
    }
}

fn no_instruction(name: &str, span: Span, section: Section) -> Box<Diagnostic> {
    let (section, all) = match section {
        Section::Minsky => (".minsky", &["inc", "decjz", "jmp", "halt"][..]),
        Section::Data | Section::Text | Section::Code => (
            ".text",
            &["sub", "jmp", "clr", "add", "mov", "neg", "halt"][..],
        ),
    };
    let message = format!("`{section}` has no instruction `{name}`");
    let error = wrong(Code::BadLine, message, span, "this instruction");
    let listed = format!("its instructions are {}", all.join(", "));
    let meant = nearest(name, all.iter().copied());
    Box::new(match meant {
        Some(meant) => error.help(format!("did you mean `{meant}`?")),
        None => error.help(listed),
    })
}
