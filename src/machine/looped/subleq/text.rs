//! The assembler of `.subleq` texts: data, instructions with macros, Minsky machines, and raw words.
//! What is wrong is told at its place, all of a text at once. Depends on `lex` and `program`.

use super::program::{Program, Stored, fits};
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, SourceId, Span};
use crate::machine::looped::lex::{Line, Parsed, Token, lines, wrong};
use rustc_hash::FxHashMap;

/// Bits of a word where the text says nothing.
pub const BITS: usize = 16;
/// The most bits that a word may have: float64 holds what the adders sum up.
pub const MOST_BITS: usize = 46;
/// The most words and instructions.
pub const MOST_CELLS: usize = 1 << 16;

/// Words that macros use, with what they hold between two lines.
pub(super) const OWN: [(&str, i64); 4] =
    [("_zero", 0), ("_rest", 0), ("_one", 1), ("_minus_one", -1)];

/// What a text is a program for.
#[derive(Clone, Debug, PartialEq)]
pub enum Assembled {
    /// Instructions apart from words.
    Program(Program),
    /// One memory; with the line that each word is from.
    Stored(Stored, Vec<Span>),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Section {
    Data,
    Text,
    Minsky,
    Code,
}

/// A name, what is added to it, and where it stands.
#[derive(Clone)]
pub(super) struct Operand {
    pub name: String,
    pub offset: usize,
    pub span: Span,
}

/// One SUBLEQ instruction before its jump is resolved.
pub(super) struct Instruction {
    pub a: usize,
    pub b: usize,
    pub jump: Jump,
}

pub(super) enum Jump {
    Next,
    Halt,
    To(Operand),
}

/// A raw word before its name is resolved.
enum Raw {
    Number(i64, Span),
    Name(Operand),
}

#[derive(Default)]
pub(super) struct Assembler {
    bits: Option<usize>,
    pub words: Vec<i64>,
    pub names: Vec<(String, usize, usize)>,
    pub known: FxHashMap<String, (usize, usize)>,
    pub code: Vec<Instruction>,
    /// The lines that they are of.
    places: Vec<Span>,
    /// Names of instructions, or of raw words.
    labels: FxHashMap<String, usize>,
    ordered: Vec<(String, usize)>,
    raw: Vec<(Raw, Span)>,
    found: Vec<Diagnostic>,
}

/// Assembles a text.
///
/// # Errors
/// All that is wrong with it.
pub fn assemble(source: SourceId, text: &str) -> Result<Assembled, Vec<Diagnostic>> {
    let mut assembler = Assembler::default();
    let lines = lines(source, text, ';', &mut assembler.found);
    let whole = Span::new(source, 0, text.len().min(u32::MAX as usize));
    let mut section = None;
    let mut body = Vec::new();
    // Words may be declared behind the instructions that use them.
    for line in lines {
        if let Err(error) = assembler.declare(line, &mut section, &mut body) {
            assembler.found.push(*error);
        }
    }
    let last = body.len();
    for (index, (section, line)) in body.into_iter().enumerate() {
        let place = line.span;
        let result = match section {
            Section::Code => assembler.raw(line),
            Section::Data | Section::Text | Section::Minsky => {
                assembler.instruction(line, section, index + 1 == last)
            }
        };
        if let Err(error) = result {
            assembler.found.push(*error);
        }
        assembler.places.resize(assembler.code.len(), place);
    }
    let assembled = assembler.finish(whole);
    let place = |error: &Diagnostic| error.span().map(|span| span.start);
    assembler.found.sort_by_key(place);
    match assembler.found.is_empty() {
        true => Ok(assembled),
        false => Err(assembler.found),
    }
}

impl Assembler {
    /// Takes directives and data; keeps other lines for later.
    fn declare(
        &mut self,
        mut line: Line,
        section: &mut Option<Section>,
        body: &mut Vec<(Section, Line)>,
    ) -> Parsed<()> {
        if matches!(line.peek(), Some(Token::Name(name)) if name.starts_with('.')) {
            let (name, span) = line.name("a directive")?;
            let next = match name.as_str() {
                ".bits" => return self.set_bits(line),
                ".data" => Section::Data,
                ".text" => Section::Text,
                ".minsky" => Section::Minsky,
                ".code" => Section::Code,
                _ => {
                    let all = [".bits", ".data", ".text", ".minsky", ".code", ".word"];
                    let message = format!("there is no directive `{name}`");
                    let meant = nearest(&name, all).map(|meant| format!("did you mean `{meant}`?"));
                    let error = wrong(Code::BadLine, message, span, "this directive");
                    return Err(Box::new(error.maybe_help(meant)));
                }
            };
            let is_code = |section: Section| section == Section::Code;
            let mixed = section.is_some_and(|before| is_code(before) != is_code(next));
            *section = Some(next);
            if mixed {
                let message = "a program has `.code`, or other sections, not both";
                return Err(wrong(Code::BadLine, message, span, "this section"));
            }
            return line.end();
        }
        match section {
            None => {
                let message = "this line is in no section";
                let error = wrong(Code::BadLine, message, line.span, "before any section");
                Err(Box::new(
                    error.help("begin with `.data`, `.text`, `.minsky` or `.code`"),
                ))
            }
            Some(Section::Data) => self.data(line),
            Some(section) => {
                body.push((*section, line));
                Ok(())
            }
        }
    }

    fn set_bits(&mut self, mut line: Line) -> Parsed<()> {
        let (bits, span) = line.integer("a number of bits")?;
        match usize::try_from(bits) {
            Ok(bits) if (4..=MOST_BITS).contains(&bits) && self.bits.is_none() => {
                self.bits = Some(bits);
                line.end()
            }
            Ok(bits) if self.bits.is_some() => {
                let message = format!("`.bits {bits}` after another `.bits`");
                Err(wrong(Code::BadLine, message, line.span, "this line"))
            }
            _ => {
                let message = format!("words of {bits} bits");
                let error = wrong(Code::OutOfRange, message, span, "this number");
                Err(Box::new(
                    error.help(format!("a word has 4 to {MOST_BITS} bits")),
                ))
            }
        }
    }

    /// `name: .word 1, 2`
    fn data(&mut self, mut line: Line) -> Parsed<()> {
        let (name, span) = line.name("a name")?;
        line.expect(":")?;
        let (directive, place) = line.name("`.word`")?;
        if directive != ".word" {
            let message = "data are words: `name: .word 1`";
            return Err(wrong(
                Code::BadLine,
                message,
                place,
                "`.word` is expected here",
            ));
        }
        let first = self.words.len();
        let values = self.values(&mut line);
        // The name is known also where its words are wrong, so that its uses are not.
        let count = self.words.len() - first;
        if self.known.insert(name.clone(), (first, count)).is_some() {
            return Err(twice(&name, span));
        }
        let own = OWN.iter().find(|(own, _)| *own == name);
        if let Some((_, value)) = own.filter(|(_, value)| self.words[first..] != [*value]) {
            let message = format!("`{name}` is the assembler's own word, and {value}");
            return Err(wrong(Code::UnknownLabel, message, span, "another value"));
        }
        self.names.push((name, first, count));
        values
    }

    /// `1, 2, 'a'` to the end of the line.
    fn values(&mut self, line: &mut Line) -> Parsed<()> {
        loop {
            match line.peek() {
                Some(Token::Text(_)) => {
                    if let Some((Token::Text(text), _)) = line.take() {
                        let numbers = text.chars().map(|c| i64::from(u32::from(c)));
                        self.words.extend(numbers);
                    }
                }
                _ => {
                    let number = line.integer("a number");
                    self.words
                        .push(number.as_ref().map_or(0, |(number, _)| *number));
                    let (number, span) = number?;
                    self.fits(number, span)?;
                }
            }
            if !line.takes(",") {
                return line.end();
            }
        }
    }

    fn bits(&self) -> usize {
        self.bits.unwrap_or(BITS)
    }

    fn fits(&self, number: i64, span: Span) -> Parsed<()> {
        let bits = self.bits();
        if fits(number, bits) {
            return Ok(());
        }
        let message = format!("{number} is no word of {bits} bits");
        let error = wrong(Code::OutOfRange, message, span, "this number");
        let most = (1i64 << (bits - 1)) - 1;
        let help = format!(
            "a word is from {} to {most}; `.bits` makes words wider",
            -most - 1
        );
        Err(Box::new(error.help(help)))
    }

    /// Names of the line, which stand for the place `at`.
    pub(super) fn labels(&mut self, line: &mut Line, at: usize) -> Parsed<Option<(String, Span)>> {
        while matches!(line.peek(), Some(Token::Name(_))) {
            let (name, span) = line.name("a name")?;
            if !line.takes(":") {
                return Ok(Some((name, span)));
            }
            if self.labels.insert(name.clone(), at).is_some() {
                return Err(twice(&name, span));
            }
            self.ordered.push((name, at));
        }
        Ok(None)
    }

    fn raw(&mut self, mut line: Line) -> Parsed<()> {
        let whole = line.span;
        loop {
            if let Some((name, span)) = self.labels(&mut line, self.raw.len())? {
                if name != ".word" {
                    let operand = with_offset(name, span, &mut line)?;
                    self.raw.push((Raw::Name(operand), whole));
                }
            } else if matches!(line.peek(), Some(Token::Text(_))) {
                if let Some((Token::Text(text), span)) = line.take() {
                    let numbers = text.chars().map(|c| i64::from(u32::from(c)));
                    let words = numbers.map(|number| (Raw::Number(number, span), whole));
                    self.raw.extend(words);
                }
            } else if line.peek().is_some() {
                let (number, span) = line.integer("a word")?;
                self.raw.push((Raw::Number(number, span), whole));
            } else {
                return Ok(());
            }
            line.takes(",");
        }
    }

    fn finish(&mut self, whole: Span) -> Assembled {
        let cells = self.words.len() + self.code.len() + self.raw.len();
        if cells > MOST_CELLS {
            let message =
                format!("{cells} words and instructions, where {MOST_CELLS} are the most");
            self.found
                .push(Diagnostic::error(Code::LimitReached, message));
        }
        if self.raw.is_empty() {
            return Assembled::Program(self.program(whole));
        }
        let (mut words, mut places) = (Vec::new(), Vec::new());
        for (raw, line) in std::mem::take(&mut self.raw) {
            let (number, span) = match raw {
                Raw::Number(number, span) => (number, span),
                Raw::Name(operand) => {
                    let at = self.target(&operand, "address");
                    ((at + operand.offset) as i64, operand.span)
                }
            };
            if let Err(error) = self.fits(number, span) {
                self.found.push(*error);
            }
            words.push(number);
            places.push(line);
        }
        let bits = self.bits();
        if words.len() >= 1 << (bits - 1) {
            let message = format!(
                "{} words, which words of {bits} bits cannot count",
                words.len()
            );
            self.found
                .push(Diagnostic::error(Code::OutOfRange, message).at(whole, "this program"));
        }
        let labels = std::mem::take(&mut self.ordered);
        Assembled::Stored(
            Stored {
                bits,
                words,
                labels,
            },
            places,
        )
    }

    fn program(&mut self, whole: Span) -> Program {
        let halt = self.code.len();
        let zero = self.own("_zero");
        let mut code = Vec::with_capacity(halt + 1);
        for (index, Instruction { a, b, jump }) in
            std::mem::take(&mut self.code).into_iter().enumerate()
        {
            let target = match jump {
                Jump::Next => index + 1,
                Jump::Halt => halt,
                Jump::To(operand) => {
                    let target = self.target(&operand, "label") + operand.offset;
                    // Lines that could not be read are not counted.
                    if target > halt && self.found.is_empty() {
                        let message = format!("a jump to instruction {target} of {halt}");
                        let error = wrong(Code::OutOfRange, message, operand.span, "this jump");
                        self.found.push(*error);
                    }
                    target.min(halt)
                }
            };
            code.push([a, b, target]);
        }
        if code.is_empty() && self.found.is_empty() {
            let error = wrong(
                Code::BadLine,
                "a program without instructions",
                whole,
                "this text",
            );
            self.found.push(*error);
        }
        code.push([zero, zero, halt]);
        Program {
            bits: self.bits(),
            words: std::mem::take(&mut self.words),
            code,
            places: std::mem::take(&mut self.places),
            names: std::mem::take(&mut self.names),
            labels: std::mem::take(&mut self.ordered),
        }
    }

    /// Where a label stands; 0, and an error, if there is none.
    fn target(&mut self, operand: &Operand, what: &str) -> usize {
        if let Some(at) = self.labels.get(&operand.name) {
            return *at;
        }
        let known = self.ordered.iter().map(|(name, _)| name.as_str());
        let error = unknown(what, &operand.name, operand.span, known);
        self.found.push(*error);
        0
    }
}

pub(super) fn operand(line: &mut Line, what: &str) -> Parsed<Operand> {
    let (name, span) = line.name(what)?;
    with_offset(name, span, line)
}

/// A name may be followed by `+ 2`.
fn with_offset(name: String, span: Span, line: &mut Line) -> Parsed<Operand> {
    let mut operand = Operand {
        name,
        offset: 0,
        span,
    };
    if line.takes("+") {
        let (number, place) = line.integer("a number")?;
        operand.span = span.to(place);
        operand.offset = usize::try_from(number)
            .ok()
            .filter(|offset| *offset < MOST_CELLS)
            .ok_or_else(|| {
                wrong(
                    Code::OutOfRange,
                    format!("an offset of {number}"),
                    place,
                    "this number",
                )
            })?;
    }
    Ok(operand)
}

fn twice(name: &str, span: Span) -> Box<Diagnostic> {
    let message = format!("`{name}` is the name of two things");
    wrong(Code::UnknownLabel, message, span, "the second")
}

pub(super) fn unknown<'n>(
    what: &str,
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'n str>,
) -> Box<Diagnostic> {
    let error = wrong(
        Code::UnknownLabel,
        format!("there is no {what} `{name}`"),
        span,
        "this name",
    );
    let meant = nearest(name, known).map(|meant| format!("did you mean `{meant}`?"));
    Box::new(error.maybe_help(meant))
}
