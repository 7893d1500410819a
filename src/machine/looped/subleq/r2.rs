//! SUBLEQ in two layers. The first has one head, by which the words take in what was to be written and
//! the scratch column fetches an instruction; the second reads both operands, and its feed-forward
//! block subtracts and branches. Depends on `network` and `words`.

use super::program::Program;
use super::words::{
    Columns, Places, Roles, SCRATCH, WORDS, add, branch, clean, clear_where, copy, keys, subtract,
    sum,
};
use crate::machine::looped::built::Built;
use crate::machine::looped::network::{Draft, Rows};

pub fn build(program: &Program) -> Built {
    let places = Places::new(program, WORDS);
    let (pointer, word) = (places.pointer_bits(), program.bits);
    let mut rows = Rows::default();
    let instruction = rows.block("instruction", 3 * pointer);
    let memory = rows.block("word", word);
    let position = rows.block("position", pointer);
    let counter = rows.block("counter", pointer);
    let pending = rows.block("pending", pointer);
    let roles = Roles::new(&mut rows);
    let taken = rows.block("taken", word);
    let [a, b] = ["a", "b"].map(|name| rows.block(name, word));
    let field = |index: usize| instruction.part(index * pointer..(index + 1) * pointer);

    let scratch = roles.scratch();

    let mut fetch = Draft::default();
    fetch.head(
        "write, fetch",
        keys(
            sum(position, pending),
            vec![scratch.clone(), roles.sinking(pointer)],
        ),
        keys(
            sum(position, counter),
            vec![scratch.clone() + roles.memory(), roles.idle()],
        ),
        [memory.onto(taken), instruction.onto(instruction)].concat(),
    );
    clean(&mut fetch, taken, memory, &roles.memory());
    fetch.clear(memory.rows().chain(taken.rows()));
    // A word's column sees itself: what its rows got from themselves would grow.
    clear_where(&mut fetch, instruction, &(scratch.clone() + roles.memory()));
    clean(&mut fetch, instruction, instruction, &scratch);
    add(&mut fetch, counter, &[counter], 1, &scratch);
    fetch.clear(counter.rows().chain(pending.rows()));

    let mut compute = Draft::default();
    for (operand, label, index) in [(a, "read a", 0), (b, "read b", 1)] {
        compute.head(
            label,
            keys(position.forms(), vec![roles.sinking(pointer)]),
            keys(field(index).forms(), vec![roles.elsewhere()]),
            memory.onto(operand),
        );
    }
    subtract(&mut compute, memory, a, b, &scratch);
    branch(
        &mut compute,
        counter,
        (field(2), counter),
        (a, b),
        &scratch,
        None,
    );
    compute.clear(counter.rows());
    copy(&mut compute, field(1), pending, &scratch);
    clear_where(&mut compute, instruction, &scratch);
    compute.clear(a.rows().chain(b.rows()));

    let mut columns = Columns::default();
    roles.describe(&mut columns, program.words.len());
    for column in WORDS..places.count {
        columns.bits(column, position, column as i64);
    }
    for (column, number) in (WORDS..).zip(&program.words) {
        columns.bits(column, memory, *number);
    }
    for (column, [a, b, c]) in (places.code..).zip(&program.code) {
        for (index, target) in [WORDS + a, WORDS + b, places.code + c]
            .into_iter()
            .enumerate()
        {
            columns.bits(column, field(index), target as i64);
        }
    }
    columns.bits(SCRATCH, counter, places.code as i64);
    Built {
        drafts: vec![fetch, compute],
        rows,
        columns: columns.entries,
        count: places.count,
        memory: WORDS..places.code,
        code: places.code..places.count,
        word: memory.rows(),
        pending: Some(pending.rows()),
        counter: counter.rows(),
        ahead: 0,
        fields: instruction.rows(),
    }
}
