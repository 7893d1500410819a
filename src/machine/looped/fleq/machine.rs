//! The FLEQ machine in three layers and those of its blocks: it fetches an instruction into all scratch
//! columns, reads both operands, computes all functions of which one is let through, and writes. The
//! branch reads its flag in the layer that writes, and already sees what is being written. Depends on
//! `block`, `program` and `network`.
//!
//! Giannou et al. 2023 take 9 layers and those of the blocks. Scratch column `j` holds column `j` of both
//! operands and of the result, one under the other, so that what works entry by entry needs no attention;
//! each variable has a width of its own.

use super::block::{CLOSED, Frame, Gate, Stage};
use super::program::{Program, ZERO, shape};
use crate::machine::form::Form;
use crate::machine::looped::built::Built;
use crate::machine::looped::network::{Block, Draft, Rows, bits, number, power};

/// Where variables and instructions stand.
struct Places {
    /// The first column of each variable, and its width.
    variables: Vec<(usize, usize)>,
    memory: usize,
    code: usize,
    count: usize,
}

impl Places {
    fn new(program: &Program, side: usize) -> Places {
        let memory = side + 1;
        let mut next = memory;
        let mut place = |width: usize| {
            next += width;
            (next - width, width)
        };
        let widths = program
            .variables
            .iter()
            .map(|variable| shape(&variable.value).1);
        let variables = widths.map(&mut place).collect();
        Places {
            variables,
            memory,
            code: next,
            count: next + program.code.len(),
        }
    }
}

/// Pointers have at least so many bits, so that no address is as near to another as the sink is.
const LEAST_POINTER: usize = 4;

/// Builds the machine of a program; for float64 or for float32, whose products are less exact.
pub fn build(program: &Program, is_float64: bool) -> Built {
    let side = program.side();
    let places = Places::new(program, side);
    let pointer = places.count.next_power_of_two().trailing_zeros() as usize;
    let pointer = pointer.max(LEAST_POINTER);
    let count = program.functions().len();
    let mut rows = Rows::default();
    let data = rows.block("data", side);
    let position = rows.block("position", pointer);
    let pending = rows.block("pending", pointer);
    let scratch = rows.row("scratch");
    let elsewhere = rows.row("not scratch");
    let not_memory = rows.row("not memory");
    let sink = rows.row("sink");
    let column = rows.block("column", side);
    let other_column = rows.block("other column", side);
    // The fields of an instruction; the counter's are 1 for a bit that is 0.
    let [at_a, at_b, at_result, at_flag] =
        ["a", "b", "result", "flag"].map(|name| rows.block(&format!("pointer to {name}"), pointer));
    let target = rows.block("target, inverted", pointer);
    let on = rows.block("function", count);
    let off = rows.block("not function", count);
    let widths = ["a", "b", "result"].map(|name| rows.block(&format!("columns of {name}"), side));
    let instruction = at_a.row(0)..rows.labels.len();
    let [read_a, read_b] = ["a", "b"].map(|name| rows.block(&format!("query of {name}"), pointer));
    let masks = ["a", "b", "result"].map(|name| rows.row(&format!("no column of {name}")));
    let counter = rows.block("counter", pointer);
    let following = rows.block("following, inverted", pointer);
    let [a, b] = ["A", "B"].map(|name| rows.block(name, side));
    let taken = rows.block("taken", side);
    let flag = rows.row("flag");
    let frame = Frame {
        side,
        data,
        a,
        b,
        column,
        other_column,
        scratch,
        elsewhere,
        sink,
    };
    let sinking = |most: f64| Form::row(sink) * most;
    let one = || Form::constant(1.0);

    let mut fetch = Draft::default();
    fetch.head(
        "fetch",
        [position.forms(), vec![sinking(2.0)]].concat(),
        [counter.forms(), vec![one()]].concat(),
        instruction
            .clone()
            .map(|row| (row, Form::row(row)))
            .collect(),
    );
    let adders = [(at_a, read_a), (at_b, read_b), (at_result, pending)];
    for (from, onto) in adders {
        shift(&mut fetch, from, onto, &frame);
    }
    increment(&mut fetch, counter, following, &frame);
    for (width, mask) in widths.into_iter().zip(masks) {
        fetch.unit(Form::row(scratch), &[(mask, 1.0)]);
        for index in 0..side {
            fetch.unit(column.at(index) + width.at(index) + -1.0, &[(mask, -1.0)]);
        }
    }

    let mut read = Draft::default();
    for (label, query, mask, onto) in [
        ("read a", read_a, masks[0], a),
        ("read b", read_b, masks[1], b),
    ] {
        read.head(
            label,
            [
                position.forms(),
                vec![sinking(2.0), sinking(4.0 * pointer as f64)],
            ]
            .concat(),
            [query.forms(), vec![one(), Form::row(mask)]].concat(),
            data.onto(onto),
        );
    }
    let depth = program
        .blocks
        .iter()
        .map(|block| block.depth())
        .max()
        .unwrap_or(1);
    let mut layers = vec![read];
    layers.resize_with(depth.max(1) + 1, Draft::default);
    let mut next = 1;
    for block in &program.blocks {
        let gate = |index: usize| Gate {
            off: off.row(index),
            on: on.row(index),
        };
        let functions = block.functions().len();
        let gates: Vec<Gate> = (next..next + functions).map(gate).collect();
        next += functions;
        let mut stage = Stage {
            frame: &frame,
            rows: &mut rows,
            layers: &mut layers,
            is_float64,
        };
        block.build(&mut stage, &gates);
    }
    if let Some(last) = layers.last_mut() {
        last.clear(a.rows().chain(b.rows()));
    }

    let mut write = Draft::default();
    // What is being written is worth more than what is there; columns beyond the result's are not.
    let masked = Form::row(masks[2]) * (-6.0 * pointer as f64);
    let pointers = position.forms().into_iter().zip(pending.forms());
    let keys: Vec<Form> = pointers
        .map(|(position, pending)| position + pending)
        .chain([Form::row(scratch) + masked + sinking(2.0)])
        .collect();
    write.head(
        "write",
        keys.clone(),
        [position.forms(), vec![one()]].concat(),
        data.onto(taken),
    );
    write.head(
        "flag",
        keys,
        [at_flag.forms(), vec![one()]].concat(),
        vec![(flag, data.at(0))],
    );
    for row in 0..side {
        let change = taken.at(row) - data.at(row);
        write.gated(change, Form::row(not_memory), CLOSED, data.row(row));
        write.gated(
            data.at(row) * -1.0,
            Form::row(elsewhere),
            CLOSED,
            data.row(row),
        );
    }
    write.clear(taken.rows());
    branch(
        &mut write,
        (counter, target, following),
        flag,
        &frame,
        is_float64,
    );
    let used = [read_a, read_b, following, pending]
        .into_iter()
        .flat_map(Block::rows);
    write.clear(used.chain(masks).chain([flag]));
    for row in instruction.clone() {
        write.gated(Form::row(row) * -1.0, Form::row(elsewhere), CLOSED, row);
    }

    let mut columns = Vec::new();
    let mut put = |column: usize, row: usize, value: f64| columns.push((column, row, value));
    for index in 0..places.count {
        let is_memory = (places.memory..places.code).contains(&index);
        put(index, if index < side { scratch } else { elsewhere }, 1.0);
        put(index, not_memory, if is_memory { 0.0 } else { 1.0 });
        if index < side {
            for other in 0..side {
                put(
                    index,
                    if other == index { column } else { other_column }.row(other),
                    1.0,
                );
            }
            pointers_to(&mut put, index, counter, places.code);
        }
        if index >= places.memory {
            pointers_to(&mut put, index, position, index);
        }
    }
    put(side, sink, 1.0);
    for (variable, (first, _)) in program.variables.iter().zip(&places.variables) {
        for (row, entries) in variable.value.iter().enumerate() {
            for (offset, entry) in entries.iter().enumerate() {
                put(first + offset, data.row(row), *entry);
            }
        }
    }
    for (column, instruction) in (places.code..).zip(&program.code) {
        let [left, right] = instruction
            .operands
            .map(|operand| places.variables[operand]);
        let mut result = places.variables[instruction.result];
        if instruction.function == ZERO {
            result.1 = 0;
        }
        for (fields, (first, _)) in [at_a, at_b, at_result]
            .into_iter()
            .zip([left, right, result])
        {
            pointers_to(&mut put, column, fields, first);
        }
        pointers_to(
            &mut put,
            column,
            at_flag,
            places.variables[instruction.flag].0,
        );
        let inverted = bits((places.code + instruction.target) as i64, pointer);
        for (row, bit) in target.rows().zip(inverted) {
            put(column, row, (1.0 - bit) / 2.0);
        }
        for function in 0..count {
            let runs = function == instruction.function;
            put(column, if runs { on } else { off }.row(function), 1.0);
        }
        for (rows, (_, width)) in widths.into_iter().zip([left, right, result]) {
            rows.rows()
                .take(width)
                .for_each(|row| put(column, row, 1.0));
        }
    }
    let mut drafts = vec![fetch];
    drafts.extend(layers);
    drafts.push(write);
    Built {
        drafts,
        rows,
        columns,
        count: places.count,
        memory: places.memory..places.code,
        code: places.code..places.count,
        word: data.rows(),
        pending: None,
        counter: counter.rows(),
        ahead: 0,
        fields: instruction,
    }
}

fn pointers_to(put: &mut impl FnMut(usize, usize, f64), column: usize, rows: Block, target: usize) {
    for (row, bit) in rows.rows().zip(bits(target as i64, rows.width())) {
        put(column, row, bit);
    }
}

/// Adds the number of the scratch column to a pointer.
fn shift(draft: &mut Draft, from: Block, onto: Block, frame: &Frame) {
    let closed = Form::row(frame.elsewhere) * power(from.width() + 4);
    for bit in 0..from.width() {
        let columns = frame.column.forms().into_iter().enumerate();
        let own = columns.fold(Form::default(), |sum, (index, column)| {
            sum + column * (index % (2 << bit)) as f64
        });
        let sum = number(from.part(0..bit + 1)) + own;
        for (threshold, weight) in [(1.0, 2.0), (2.0, -2.0), (3.0, 2.0)] {
            draft.step(
                sum.clone(),
                threshold * power(bit),
                closed.clone(),
                onto.row(bit),
                weight,
            );
        }
        draft.unit(Form::row(frame.scratch), &[(onto.row(bit), -1.0)]);
    }
}

/// The inverted bits, 0 and 1, of a pointer and 1.
fn increment(draft: &mut Draft, from: Block, onto: Block, frame: &Frame) {
    let closed = Form::row(frame.elsewhere) * power(from.width() + 4);
    for bit in 0..from.width() {
        let sum = number(from.part(0..bit + 1)) + 1.0;
        for (threshold, weight) in [(1.0, -1.0), (2.0, 1.0)] {
            draft.step(
                sum.clone(),
                threshold * power(bit),
                closed.clone(),
                onto.row(bit),
                weight,
            );
        }
        draft.unit(Form::row(frame.scratch), &[(onto.row(bit), 1.0)]);
    }
}

/// The counter becomes the target where the flag is not positive, else what follows. How far from 0 a
/// flag has to be is 1 over the gain.
fn branch(
    draft: &mut Draft,
    (counter, target, following): (Block, Block, Block),
    flag: usize,
    frame: &Frame,
    is_float64: bool,
) {
    let gain = if is_float64 { power(20) } else { power(8) };
    let closed = || Form::row(frame.elsewhere) * CLOSED;
    for (bit, row) in counter.rows().enumerate() {
        // Of bits p and n: p where the flag is 0, n where it is 1; the gates are their inverses.
        for (inverse, sign) in [(target.at(bit), -1.0), (following.at(bit), 1.0)] {
            let positive = Form::row(flag) * gain - inverse * CLOSED - closed();
            draft.unit(positive.clone(), &[(row, 2.0 * sign)]);
            draft.unit(positive + -1.0, &[(row, -2.0 * sign)]);
        }
        draft.unit(Form::row(frame.scratch), &[(row, 1.0)]);
        draft.unit(target.at(bit) - closed(), &[(row, -2.0)]);
    }
    draft.clear(counter.rows());
}
