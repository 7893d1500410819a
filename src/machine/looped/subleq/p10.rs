//! SUBLEQ in ten layers, step by step as in the paper (Giannou et al. 2023, section 5 and figure 3): read
//! the instruction, read the words, turn the bits of one, add 1, add, write, test, count on, branch,
//! mend the bits. Keys and queries are the same rows, so that the scratch column and the one that it
//! points to both see the mean of the two.
//!
//! Mended: thresholds stand between the integers, constants count at the scratch column only, the last
//! instruction takes 0 from 0, and errors are mended before they meet an adder. Depends on `network`
//! and `words`.

use super::program::Program;
use super::words::{CLOSED, Columns, Places, SCRATCH, add, sum};
use crate::machine::form::Form;
use crate::machine::looped::built::Built;
use crate::machine::looped::network::{Block, Draft, Rows};

/// The column of the first word.
const WORDS: usize = 1;

pub fn build(program: &Program) -> Built {
    let places = Places::new(program, WORDS);
    let (pointer, word) = (places.pointer_bits(), program.bits);
    let mut rows = Rows::default();
    let instruction = rows.block("instruction", 3 * pointer);
    let memory = rows.block("word", word);
    let [a, b] = ["a", "b"].map(|name| rows.block(name, word));
    let current = rows.block("current", 3 * pointer);
    let counter = rows.block("counter", pointer);
    let position = rows.block("position", pointer);
    let scratch = rows.row("scratch");
    let read = rows.block("read", (3 * pointer).max(2 * word));
    let flag = rows.row("flag");
    let field = |index: usize| current.part(index * pointer..(index + 1) * pointer);
    let here = Form::row(scratch);
    let elsewhere = Form::constant(1.0) - here.clone();

    // Two columns of a query's and a key's rows see each other and themselves alike: half of the sum.
    let look = |draft: &mut Draft, label: &str, at: Block, moves: [(Block, Block); 2]| {
        let pointers = sum(position, at);
        let [(left, onto), (right, _)] = moves;
        let moves = sum(left, right).into_iter().zip(onto.rows());
        let moves = moves.map(|(form, row)| (row, form)).collect();
        draft.head(label, pointers.clone(), pointers, moves);
    };
    // What was read twice less what was there is what the other column has.
    let take = |draft: &mut Draft, from: Block, onto: Block, closed: &Form| {
        for (from, row) in from.forms().into_iter().zip(onto.rows()) {
            let other = from * 2.0 - Form::row(row) * 2.0;
            draft.gated(other, closed.clone(), CLOSED, row);
        }
    };

    let mut fetch = Draft::default();
    let fields = read.part(0..3 * pointer);
    look(
        &mut fetch,
        "fetch",
        counter,
        [(instruction, fields), (current, fields)],
    );
    take(&mut fetch, fields, current, &elsewhere);
    fetch.clear(fields.rows());

    let mut operands = Draft::default();
    for (index, operand) in [a, b].into_iter().enumerate() {
        let onto = read.part(index * word..(index + 1) * word);
        let label = ["read a", "read b"][index];
        look(
            &mut operands,
            label,
            field(index),
            [(memory, onto), (operand, onto)],
        );
        take(&mut operands, onto, operand, &elsewhere);
        operands.clear(onto.rows());
    }

    let mut turn = Draft::default();
    for bit in 0..word {
        turn.linear(a.at(bit) * -2.0, a.row(bit));
    }

    let mut increase = Draft::default();
    add(&mut increase, a, &[a], 1, &here);
    increase.clear(a.rows());

    let mut sums = Draft::default();
    add(&mut sums, b, &[a, b], 0, &here);
    sums.clear(a.rows().chain(b.rows()));

    let mut write = Draft::default();
    let onto = read.part(0..word);
    look(&mut write, "write", field(1), [(memory, onto), (b, onto)]);
    take(&mut write, onto, memory, &here);
    write.clear(onto.rows());

    let mut test = Draft::default();
    test.unit(b.at(word - 1), &[(flag, 1.0)]);
    let zeros = b
        .forms()
        .into_iter()
        .fold(Form::default(), |sum, bit| sum - bit);
    test.unit(zeros + (1.0 - word as f64), &[(flag, 1.0)]);

    let mut count = Draft::default();
    add(&mut count, counter, &[counter], 1, &here);
    count.clear(counter.rows());

    let mut branch = Draft::default();
    for bit in 0..pointer {
        let row = counter.row(bit);
        branch.unit(counter.at(bit) - Form::row(flag), &[(row, 2.0)]);
        branch.unit(field(2).at(bit) + Form::row(flag) + -1.0, &[(row, 2.0)]);
        branch.unit(here.clone(), &[(row, -1.0)]);
    }
    branch.clear(counter.rows().chain([flag]).chain(b.rows()));

    let mut mend = Draft::default();
    for row in (0..rows.labels.len()).filter(|row| !read.rows().contains(row)) {
        // The nearest of -1, 0 and 1: two slopes of 2, each half way between two of them.
        for (offset, weight) in [(0.75, 2.0), (0.25, -2.0), (-0.25, 2.0), (-0.75, -2.0)] {
            mend.unit(Form::row(row) + offset, &[(row, weight)]);
        }
        mend.constant(row, -1.0);
        mend.clear([row]);
    }

    let mut columns = Columns::default();
    columns.put(SCRATCH, scratch, 1.0);
    for column in WORDS..places.count {
        columns.bits(column, position, column as i64);
    }
    for (column, number) in (WORDS..).zip(&program.words) {
        columns.bits(column, memory, *number);
    }
    for (column, [a, b, c]) in (places.code..).zip(&program.code) {
        let targets = [WORDS + a, WORDS + b, places.code + c];
        for (index, target) in targets.into_iter().enumerate() {
            let part = instruction.part(index * pointer..(index + 1) * pointer);
            columns.bits(column, part, target as i64);
        }
    }
    columns.bits(SCRATCH, counter, places.code as i64);
    Built {
        drafts: vec![
            fetch, operands, turn, increase, sums, write, test, count, branch, mend,
        ],
        rows,
        columns: columns.entries,
        count: places.count,
        memory: WORDS..places.code,
        code: places.code..places.count,
        word: memory.rows(),
        pending: None,
        counter: counter.rows(),
        ahead: 0,
        fields: instruction.rows(),
    }
}
