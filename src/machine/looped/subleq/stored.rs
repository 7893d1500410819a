//! SUBLEQ whose instructions are words like others, which it may change, in two layers of three and two
//! heads. Each cell has its own address and those of the two cells before, so that the counter alone
//! finds `a`, `b` and `c`. A last column is the port, at the address -1: it reads as 0, is never written,
//! and no branch is taken there. Depends on `network` and `words`.

use super::program::Stored;
use super::words::{
    Columns, Roles, SCRATCH, WORDS, add, branch, clean, clear_where, copy, keys, subtract, sum,
};
use crate::machine::looped::built::Built;
use crate::machine::looped::network::{Block, Draft, Rows};

pub fn build(program: &Stored) -> Built {
    let word = program.bits;
    let mut rows = Rows::default();
    let memory = rows.block("word", word);
    let [own, before, second] =
        ["address", "address - 1", "address - 2"].map(|name| rows.block(name, word));
    let [pending, pending_before, pending_second] =
        ["pending", "pending - 1", "pending - 2"].map(|name| rows.block(name, word));
    let counter = rows.block("counter", word);
    let roles = Roles::new(&mut rows);
    let [a, b, c] = ["a", "b", "c"].map(|name| rows.block(name, word));
    let [left, right] = ["mem[a]", "mem[b]"].map(|name| rows.block(name, word));
    let [port, prints] = ["port", "b is the port"].map(|name| rows.block(name, 1));
    let (scratch, elsewhere) = (roles.scratch(), roles.elsewhere());
    let is_word = roles.memory();
    let sinking = || roles.sinking(word);

    let mut fetch = Draft::default();
    fetch.head(
        "read a, write",
        keys(sum(own, pending), vec![scratch.clone(), sinking()]),
        keys(
            sum(own, counter),
            vec![scratch.clone() + is_word.clone(), roles.idle()],
        ),
        memory.onto(a),
    );
    for (address, pending, onto, label) in [
        (before, pending_before, b, "read b"),
        (second, pending_second, c, "read c"),
    ] {
        fetch.head(
            label,
            keys(sum(address, pending), vec![scratch.clone(), sinking()]),
            keys(counter.forms(), vec![scratch.clone(), elsewhere.clone()]),
            memory.onto(onto),
        );
    }
    clean(&mut fetch, a, memory, &is_word);
    // The port keeps what it is.
    clear_where(&mut fetch, memory, &(scratch.clone() + is_word.clone()));
    clear_where(&mut fetch, a, &is_word);
    add(&mut fetch, counter, &[counter], 3, &scratch);
    let written = [counter, pending, pending_before, pending_second];
    fetch.clear(written.into_iter().flat_map(Block::rows));

    let mut compute = Draft::default();
    let read_b = [memory.onto(right), port.onto(prints)].concat();
    for (address, moves, label) in [
        (a, memory.onto(left), "read mem[a]"),
        (b, read_b, "read mem[b]"),
    ] {
        compute.head(
            label,
            keys(own.forms(), vec![sinking()]),
            keys(address.forms(), vec![elsewhere.clone()]),
            moves,
        );
    }
    subtract(&mut compute, memory, left, right, &scratch);
    let never = Some(prints.at(0));
    branch(
        &mut compute,
        counter,
        (c, counter),
        (left, right),
        &scratch,
        never,
    );
    compute.clear(counter.rows());
    copy(&mut compute, b, pending, &scratch);
    add(&mut compute, pending_before, &[b], -1, &scratch);
    add(&mut compute, pending_second, &[b], -2, &scratch);
    compute.clear(
        [a, b, c, left, right, prints]
            .into_iter()
            .flat_map(Block::rows),
    );

    let cells = program.words.len();
    let count = WORDS + cells + 1;
    let mut columns = Columns::default();
    roles.describe(&mut columns, cells);
    columns.put(count - 1, port.row(0), 1.0);
    let words = (WORDS..).zip(0..).zip(&program.words);
    let words = words.map(|((column, address), number)| (column, address, *number));
    for (column, address, number) in words.chain([(count - 1, -1, 0)]) {
        for (block, offset) in [(own, 0), (before, 1), (second, 2)] {
            columns.bits(column, block, address - offset);
        }
        columns.bits(column, memory, number);
    }
    columns.bits(SCRATCH, counter, 0);
    Built {
        drafts: vec![fetch, compute],
        rows,
        columns: columns.entries,
        count,
        memory: WORDS..WORDS + cells,
        code: 0..0,
        word: memory.rows(),
        pending: Some(pending.rows()),
        counter: counter.rows(),
        ahead: 0,
        fields: 0..0,
    }
}
