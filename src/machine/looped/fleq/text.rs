//! The assembler of `.fleq` texts: variables that are matrices, functions of one's own, and instructions
//! of a function and a branch. Depends on `lex`, `program` and `standard`.

use super::block::{Block, Shape};
use super::program::{Instruction, Matrix, ONE, Program, Variable, ZERO, shape};
use super::standard::{Sum, blocks};
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, SourceId, Span};
use crate::machine::looped::lex::{Line, Parsed, Token, lines, wrong};
use rustc_hash::FxHashMap;

/// The largest side of a matrix.
pub const LARGEST_SIDE: usize = 32;
/// The most columns of variables, and instructions.
const MOST_COLUMNS: usize = 1 << 14;

#[derive(Default)]
struct Assembler {
    variables: Vec<Variable>,
    numbers: FxHashMap<String, usize>,
    sums: Vec<Sum>,
    scales: Vec<(String, f64)>,
    /// Where names of functions were given.
    own: Vec<(String, Span)>,
    labels: FxHashMap<String, usize>,
    ordered: Vec<(String, usize)>,
    code: Vec<(Instruction, Jump)>,
    /// The lines that they are of.
    places: Vec<Span>,
    found: Vec<Diagnostic>,
}

enum Jump {
    Next,
    Halt,
    To(String, Span),
}

/// The functions that a text has, with their blocks.
struct Functions {
    blocks: Vec<Box<dyn Block>>,
    names: Vec<String>,
}

/// Assembles a text.
///
/// # Errors
/// All that is wrong with it.
pub fn assemble(source: SourceId, text: &str) -> Result<Program, Vec<Diagnostic>> {
    let mut assembler = Assembler::default();
    for (name, value) in [("_zero", 0.0), ("_one", 1.0)] {
        assembler.declare(name.to_string(), vec![vec![value]]);
    }
    let lines = lines(source, text, '#', &mut assembler.found);
    let mut body = Vec::new();
    for mut line in lines {
        let result = match line.peek() {
            Some(Token::Name(name)) if name == "var" => assembler.variable(line),
            Some(Token::Name(name)) if name == "function" => assembler.function(line),
            _ => {
                body.push(line);
                Ok(())
            }
        };
        assembler.found.extend(result.err().map(|error| *error));
    }
    let blocks = blocks(assembler.sums.clone(), assembler.scales.clone());
    let names = blocks.iter().flat_map(|block| block.functions()).collect();
    let functions = Functions { blocks, names };
    for (name, span) in assembler.own.clone() {
        if functions
            .names
            .iter()
            .filter(|known| **known == name)
            .count()
            > 1
        {
            assembler.found.push(*twice(&name, span));
        }
    }
    let last = body.len();
    for (index, line) in body.into_iter().enumerate() {
        let result = assembler.instruction(line, &functions, index + 1 == last);
        assembler.found.extend(result.err().map(|error| *error));
    }
    assembler.finish(Span::new(source, 0, text.len()), functions)
}

impl Assembler {
    fn declare(&mut self, name: String, value: Matrix) {
        self.numbers.insert(name.clone(), self.variables.len());
        self.variables.push(Variable { name, value });
    }

    /// `var A = [[1, 2], [3, 4]]`
    fn variable(&mut self, mut line: Line) -> Parsed<()> {
        line.take();
        let (name, span) = line.name("the name of a variable")?;
        if self.numbers.contains_key(&name) {
            return Err(twice(&name, span));
        }
        line.expect("=")?;
        let value = matrix(&mut line);
        let known = value.as_ref().map_or(vec![vec![0.0]], Matrix::clone);
        self.declare(name, known);
        value?;
        line.end()
    }

    /// `function inv = 0.5 + sigmoids [[c, a, b], …]`, or `function half = scale 0.5`
    fn function(&mut self, mut line: Line) -> Parsed<()> {
        line.take();
        let (name, span) = line.name("the name of a function")?;
        line.expect("=")?;
        self.own.push((name.clone(), span));
        if matches!(line.peek(), Some(Token::Name(word)) if word == "scale") {
            line.take();
            let factor = line.real("a number")?;
            self.scales.push((name, factor));
            return line.end();
        }
        let constant = line.real("a number, `scale` or")?;
        line.expect("+")?;
        let (word, place) = line.name("`sigmoids`")?;
        if word != "sigmoids" {
            let message = "a function is `CONSTANT + sigmoids [[c, a, b], …]` or `scale FACTOR`";
            return Err(wrong(
                Code::BadLine,
                message,
                place,
                "`sigmoids` is expected here",
            ));
        }
        let whole = line.span;
        let rows = matrix(&mut line)?;
        let term = |row: &Vec<f64>| <[f64; 3]>::try_from(row.as_slice()).ok();
        let Some(terms) = rows.iter().map(term).collect::<Option<Vec<[f64; 3]>>>() else {
            let message = "a sigmoid has three numbers, `c`, `a` and `b`, for `c σ(a x + b)`";
            return Err(wrong(Code::BadLine, message, whole, "this function"));
        };
        self.sums.push(Sum {
            name,
            constant,
            terms,
        });
        line.end()
    }

    /// `label: X = matmul At X; if cnt <= 0 goto end`
    fn instruction(&mut self, mut line: Line, functions: &Functions, is_last: bool) -> Parsed<()> {
        let mut instruction = Instruction {
            function: 0,
            operands: [ZERO; 2],
            result: ZERO,
            flag: ONE,
            target: 0,
        };
        let mut jump = Jump::Next;
        while let Some(Token::Name(_)) = line.peek() {
            let (name, span) = line.name("a name")?;
            if line.takes(":") {
                if self.labels.insert(name.clone(), self.code.len()).is_some() {
                    return Err(twice(&name, span));
                }
                self.ordered.push((name, self.code.len()));
                continue;
            }
            match name.as_str() {
                "goto" => {
                    let (label, span) = line.name("a label")?;
                    (instruction.flag, jump) = (ZERO, Jump::To(label, span));
                }
                // Where the text ends, the program halts anyway.
                "halt" if is_last => return line.end(),
                "halt" => (instruction.flag, jump) = (ZERO, Jump::Halt),
                "if" => (instruction.flag, jump) = self.branch(&mut line)?,
                _ => {
                    line.expect("=")?;
                    self.call(&mut line, (name, span), functions, &mut instruction)?;
                    if line.takes(";") {
                        let (word, span) = line.name("`if`")?;
                        if word != "if" {
                            let message = "behind `;` stands `if VARIABLE <= 0 goto LABEL`";
                            return Err(wrong(
                                Code::BadLine,
                                message,
                                span,
                                "`if` is expected here",
                            ));
                        }
                        (instruction.flag, jump) = self.branch(&mut line)?;
                    }
                }
            }
            line.end()?;
            self.code.push((instruction, jump));
            self.places.push(line.span);
            return Ok(());
        }
        line.end()
    }

    /// `cnt <= 0 goto end`, behind `if`
    fn branch(&mut self, line: &mut Line) -> Parsed<(usize, Jump)> {
        let (name, span) = line.name("the name of a variable")?;
        let flag = self.find(&name, span)?;
        line.expect("<=")?;
        let (number, place) = line.integer("0")?;
        let (word, end) = line.name("`goto`")?;
        if number != 0 || word != "goto" {
            let message = "a branch is `if VARIABLE <= 0 goto LABEL`";
            return Err(wrong(Code::BadLine, message, place.to(end), "not this"));
        }
        let (label, span) = line.name("a label")?;
        Ok((flag, Jump::To(label, span)))
    }

    /// `matmul At X`, behind the name of the result
    fn call(
        &mut self,
        line: &mut Line,
        (name, span): (String, Span),
        functions: &Functions,
        instruction: &mut Instruction,
    ) -> Parsed<()> {
        instruction.result = self.find(&name, span)?;
        if instruction.result == ZERO || instruction.result == ONE {
            return Err(wrong(
                Code::UnknownLabel,
                "this variable stays as it is",
                span,
                "here",
            ));
        }
        let (function, place) = line.name("a function")?;
        let Some(index) = functions.names.iter().position(|known| *known == function) else {
            let message = format!("there is no function `{function}`");
            let error = wrong(Code::UnknownLabel, message, place, "this name");
            let known = functions.names.iter().map(String::as_str);
            let meant = nearest(&function, known).map(|meant| format!("did you mean `{meant}`?"));
            let all = format!("there are {}", functions.names.join(", "));
            return Err(Box::new(error.help(meant.unwrap_or(all))));
        };
        instruction.function = index + 1;
        let Some((block, own)) = functions.find(index) else {
            return Ok(());
        };
        let mut whole = place;
        for operand in 0..block.operands(own) {
            let (name, span) = line.name("the name of a variable")?;
            instruction.operands[operand] = self.find(&name, span)?;
            whole = whole.to(span);
        }
        let shape_of = |variable: usize| shape(&self.variables[variable].value);
        let [a, b] = instruction.operands.map(shape_of);
        let result = shape_of(instruction.result);
        let shown = |(rows, columns): Shape| format!("{rows} × {columns}");
        let given = match block.operands(own) {
            1 => shown(a),
            _ => format!("{} and {}", shown(a), shown(b)),
        };
        match block.shape(own, a, b) {
            None => {
                let message = format!("`{function}` does not take matrices of {given}");
                Err(wrong(Code::WrongShape, message, whole, "these operands"))
            }
            Some(found) if found != result => {
                let (found, result) = (shown(found), shown(result));
                let message = format!("`{name}` is of {result}, and this of {found}");
                Err(wrong(Code::WrongShape, message, whole, "this value"))
            }
            Some(_) => Ok(()),
        }
    }

    fn find(&self, name: &str, span: Span) -> Parsed<usize> {
        self.numbers.get(name).copied().ok_or_else(|| {
            let error = wrong(
                Code::UnknownLabel,
                format!("there is no variable `{name}`"),
                span,
                "this name",
            );
            let known = self.variables.iter().map(|variable| variable.name.as_str());
            let meant = nearest(name, known).map(|meant| format!("did you mean `{meant}`?"));
            let declare = format!("declare it: `var {name} = 0`");
            Box::new(error.help(meant.unwrap_or(declare)))
        })
    }

    fn finish(mut self, whole: Span, functions: Functions) -> Result<Program, Vec<Diagnostic>> {
        let halt = self.code.len();
        let mut code = Vec::with_capacity(halt + 1);
        for (index, (instruction, jump)) in self.code.iter().enumerate() {
            let target = match jump {
                Jump::Next => index + 1,
                Jump::Halt => halt,
                Jump::To(label, span) => self.labels.get(label).copied().unwrap_or_else(|| {
                    let message = format!("there is no label `{label}`");
                    let error = wrong(Code::UnknownLabel, message, *span, "this name");
                    let known = self.ordered.iter().map(|(name, _)| name.as_str());
                    let meant =
                        nearest(label, known).map(|meant| format!("did you mean `{meant}`?"));
                    self.found.push(error.maybe_help(meant));
                    0
                }),
            };
            code.push(Instruction {
                target,
                ..*instruction
            });
        }
        code.push(Instruction {
            function: 0,
            operands: [ZERO; 2],
            result: ZERO,
            flag: ZERO,
            target: halt,
        });
        if halt == 0 && self.found.is_empty() {
            let error = wrong(
                Code::BadLine,
                "a program without instructions",
                whole,
                "this text",
            );
            self.found.push(*error);
        }
        let columns: usize = self
            .variables
            .iter()
            .map(|variable| shape(&variable.value).1)
            .sum();
        if columns + code.len() > MOST_COLUMNS {
            let message = format!("more than {MOST_COLUMNS} columns of variables and instructions");
            self.found
                .push(Diagnostic::error(Code::LimitReached, message));
        }
        if !self.found.is_empty() {
            self.found
                .sort_by_key(|error| error.span().map(|span| span.start));
            return Err(self.found);
        }
        Ok(Program {
            variables: self.variables,
            code,
            places: self.places,
            labels: self.ordered,
            blocks: functions.blocks,
        })
    }
}

impl Functions {
    fn find(&self, mut index: usize) -> Option<(&dyn Block, usize)> {
        for block in &self.blocks {
            let count = block.functions().len();
            if index < count {
                return Some((&**block, index));
            }
            index -= count;
        }
        None
    }
}

/// A number, or rows of numbers: `[1, 2]` is one row.
fn matrix(line: &mut Line) -> Parsed<Matrix> {
    let whole = line.span;
    if !line.takes("[") {
        return Ok(vec![vec![line.real("a number or a matrix")?]]);
    }
    let mut rows = Vec::new();
    if matches!(line.peek(), Some(Token::Symbol("["))) {
        while line.takes("[") {
            rows.push(row(line)?);
            if !line.takes(",") {
                break;
            }
        }
        line.expect("]")?;
    } else {
        rows.push(row(line)?);
    }
    let width = rows.first().map_or(0, Vec::len);
    if width == 0 || rows.iter().any(|row| row.len() != width) {
        let message = "the rows of a matrix have the same length, which is not 0";
        return Err(wrong(Code::WrongShape, message, whole, "this matrix"));
    }
    if rows.len().max(width) > LARGEST_SIDE {
        let message = format!(
            "a matrix of {} × {width}, where {LARGEST_SIDE} is the most",
            rows.len()
        );
        return Err(wrong(Code::OutOfRange, message, whole, "this matrix"));
    }
    Ok(rows)
}

/// The numbers of a row to its closing bracket.
fn row(line: &mut Line) -> Parsed<Vec<f64>> {
    let mut numbers = Vec::new();
    loop {
        numbers.push(line.real("a number")?);
        if !line.takes(",") {
            line.expect("]")?;
            return Ok(numbers);
        }
    }
}

fn twice(name: &str, span: Span) -> Box<Diagnostic> {
    let message = format!("`{name}` is the name of two things");
    wrong(Code::UnknownLabel, message, span, "the second")
}
