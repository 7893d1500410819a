//! What the SUBLEQ machines share: columns, adders of words as bits of ±1, and the branch, each in one
//! feed-forward block (Giannou et al. 2023, lemma 9, mended: thresholds stand between the integers).
//! Depends on `network`.

use super::program::Program;
use crate::machine::form::Form;
use crate::machine::looped::network::{Block, Draft, Rows, bits, number, power};

/// More than any bit: what closes a gate on a bit.
pub const CLOSED: f64 = 8.0;

/// Rows that say what a column is; all else is idle.
pub struct Roles {
    /// 1 at the scratch column, where the machine computes.
    pub scratch: usize,
    /// 1 at the sink, which idle queries see, and whose values are 0.
    pub sink: usize,
    /// 1 at the words.
    pub memory: usize,
}

impl Roles {
    pub fn new(rows: &mut Rows) -> Roles {
        Roles {
            scratch: rows.row("scratch"),
            sink: rows.row("sink"),
            memory: rows.row("memory"),
        }
    }

    /// 1 at the scratch column.
    pub fn scratch(&self) -> Form {
        Form::row(self.scratch)
    }

    /// 1 at all other columns.
    pub fn elsewhere(&self) -> Form {
        Form::constant(1.0) - self.scratch()
    }

    /// 1 at the words.
    pub fn memory(&self) -> Form {
        Form::row(self.memory)
    }

    /// 1 at the columns that neither compute nor remember.
    pub fn idle(&self) -> Form {
        self.elsewhere() - self.memory()
    }

    /// A key that is worth more than any address at the sink.
    pub fn sinking(&self, pointer: usize) -> Form {
        Form::row(self.sink) * (4.0 * pointer as f64)
    }

    /// Says of columns what they are: scratch, sink, words.
    pub fn describe(&self, columns: &mut Columns, words: usize) {
        columns.put(SCRATCH, self.scratch, 1.0);
        columns.put(SINK, self.sink, 1.0);
        for column in WORDS..WORDS + words {
            columns.put(column, self.memory, 1.0);
        }
    }
}

/// The column where the machine computes.
pub const SCRATCH: usize = 0;
/// The column that idle queries see.
pub const SINK: usize = 1;
/// The column of the first word.
pub const WORDS: usize = 2;

/// What the columns hold at the start.
#[derive(Default)]
pub struct Columns {
    /// Column, row, value.
    pub entries: Vec<(usize, usize, f64)>,
}

impl Columns {
    pub fn put(&mut self, column: usize, row: usize, value: f64) {
        self.entries.push((column, row, value));
    }

    /// A number as bits of ±1.
    pub fn bits(&mut self, column: usize, block: Block, number: i64) {
        for (row, bit) in block.rows().zip(bits(number, block.width())) {
            self.put(column, row, bit);
        }
    }
}

/// Which columns the words and the instructions of a program have, behind some others.
pub struct Places {
    pub words: usize,
    pub code: usize,
    pub count: usize,
}

impl Places {
    pub fn new(program: &Program, first: usize) -> Places {
        let code = first + program.words.len();
        Places {
            words: first,
            code,
            count: code + program.code.len(),
        }
    }

    /// Bits that a pointer to any column takes.
    pub fn pointer_bits(&self) -> usize {
        pointer_bits(self.count)
    }
}

pub fn pointer_bits(columns: usize) -> usize {
    columns.next_power_of_two().trailing_zeros().max(2) as usize
}

/// The keys, or the queries, of a head: a pointer, then what decides apart from it.
pub fn keys(pointers: Vec<Form>, last: Vec<Form>) -> Vec<Form> {
    pointers.into_iter().chain(last).collect()
}

pub fn sum(a: Block, b: Block) -> Vec<Form> {
    let pairs = a.forms().into_iter().zip(b.forms());
    pairs.map(|(a, b)| a + b).collect()
}

/// Adds to `target`, which is cleared by another, the bits of `terms` summed with `more`, modulo
/// 2^width: where `here` is 1, and nothing where it is 0.
pub fn add(draft: &mut Draft, target: Block, terms: &[Block], more: i64, here: &Form) {
    let width = target.width();
    let closed = not(here) * power(width + 3);
    for bit in 0..width {
        let low = |sum: Form, term: &Block| sum + number(term.part(0..bit + 1));
        let low = terms.iter().fold(Form::default(), low);
        let more = more.rem_euclid(1 << (bit + 1)) as f64;
        let most = terms.len() as f64 * (power(bit + 1) - 1.0) + more;
        let row = target.row(bit);
        for (threshold, weight) in [(1.0, 2.0), (2.0, -2.0), (3.0, 2.0)] {
            let threshold = threshold * power(bit);
            if threshold <= most {
                draft.step(low.clone() + more, threshold, closed.clone(), row, weight);
            }
        }
    }
    ones_are_bits(draft, target, here);
}

/// Adds to `target` the bits of `b - a`: where `here` is 1.
pub fn subtract(draft: &mut Draft, target: Block, a: Block, b: Block, here: &Form) {
    let closed = not(here) * power(target.width() + 3);
    for bit in 0..target.width() {
        let low = number(b.part(0..bit + 1)) - number(a.part(0..bit + 1));
        let row = target.row(bit);
        for (threshold, weight) in [(power(bit), 2.0), (-power(bit), 2.0), (0.0, -2.0)] {
            draft.step(low.clone(), threshold, closed.clone(), row, weight);
        }
    }
    ones_are_bits(draft, target, here);
}

fn not(here: &Form) -> Form {
    Form::constant(1.0) - here.clone()
}

/// Takes 1 from what is 0 or 2 there.
fn ones_are_bits(draft: &mut Draft, target: Block, here: &Form) {
    let writes: Vec<(usize, f64)> = target.rows().map(|row| (row, -1.0)).collect();
    draft.unit(here.clone(), &writes);
}

/// `b - a` as a number, of words in two's complement.
pub fn difference(a: Block, b: Block) -> Form {
    let signed = |word: Block| {
        let sign = word.width() - 1;
        number(word) - (word.at(sign) + 1.0) * power(sign)
    };
    signed(b) - signed(a)
}

/// Adds to `target`, cleared by another, the bits of `jump` where `b - a`, wrapped, is not positive, and
/// of `next` elsewhere, and where `never` is 1: where `here` is 1. One feed-forward block compares,
/// selects and writes, as each of the comparison's steps is closed by the bit that it selects.
pub fn branch(
    draft: &mut Draft,
    target: Block,
    (jump, next): (Block, Block),
    (a, b): (Block, Block),
    here: &Form,
    never: Option<Form>,
) {
    let is_closed = not(here) + never.unwrap_or_default();
    let difference = difference(a, b);
    let half = power(a.width() - 1);
    let closing = power(a.width() + 2);
    // [v <= 0] of the wrapped difference: [v >= -half] - [v >= 1] + [v >= half].
    let terms = [(-half, 1.0), (1.0, -1.0), (half, 1.0)];
    for (bit, row) in target.rows().enumerate() {
        for (source, sign) in [(jump, 1.0), (next, -1.0)] {
            let off = (Form::constant(1.0) - source.at(bit)) * 0.5;
            let closed = (off + is_closed.clone()) * closing;
            for (threshold, weight) in terms {
                let weight = 2.0 * sign * weight;
                draft.step(difference.clone(), threshold, closed.clone(), row, weight);
            }
        }
        draft.unit(next.at(bit) - not(here) * CLOSED, &[(row, 2.0)]);
    }
    ones_are_bits(draft, target, here);
}

/// Moves bits that are off by less than 1/2 to a row that is cleared by another, as ±1: where `here` is
/// 1.
pub fn clean(draft: &mut Draft, from: Block, onto: Block, here: &Form) {
    let closed = not(here) * CLOSED;
    for (bit, row) in onto.rows().enumerate() {
        draft.unit(from.at(bit) + 0.5 - closed.clone(), &[(row, 2.0)]);
        draft.unit(from.at(bit) + -0.5 - closed.clone(), &[(row, -2.0)]);
    }
    ones_are_bits(draft, onto, here);
}

/// Copies bits where `here` is 1.
pub fn copy(draft: &mut Draft, from: Block, onto: Block, here: &Form) {
    for (from, row) in from.forms().into_iter().zip(onto.rows()) {
        draft.gated(from, not(here), CLOSED, row);
    }
}

/// Makes bits 0 where `here` is 1.
pub fn clear_where(draft: &mut Draft, block: Block, here: &Form) {
    for row in block.rows() {
        draft.gated(Form::row(row) * -1.0, not(here), CLOSED, row);
    }
}
