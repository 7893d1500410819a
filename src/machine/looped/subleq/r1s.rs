//! SUBLEQ in one layer as in `r1`, with words that are numbers in one row each: smaller and faster, but
//! nothing wraps. Depends on `network`, `words` and `r1`.

use super::program::Program;
use super::r1::Frame;
use super::words::{Places, WORDS};
use crate::machine::form::Form;
use crate::machine::looped::built::Built;
use crate::machine::looped::network::{Draft, Rows, power};

pub fn build(program: &Program) -> Built {
    let places = Places::new(program, WORDS);
    let mut rows = Rows::default();
    let frame = Frame::new(&mut rows, places.pointer_bits(), 1);
    let roles = &frame.roles;
    let [memory, a, b] = [frame.memory, frame.a, frame.b].map(|block| block.row(0));
    let [word, first, second] = [memory, a, b].map(Form::row);
    let closing = power(program.bits + 2);
    let mut draft = Draft::default();
    frame.heads(&mut draft);
    let not_memory = Form::constant(1.0) - roles.memory();
    draft.gated(first.clone() - word.clone(), not_memory, closing, memory);
    let difference = second - first;
    let elsewhere = roles.elsewhere();
    draft.gated(
        difference.clone() - word,
        elsewhere.clone() * 2.0,
        closing,
        memory,
    );
    // [v <= 0] J + [v >= 1] N of an integer v, each closed by the bit that it selects.
    for (bit, row) in frame.instruction.rows().enumerate() {
        for (source, sign, least) in [(frame.jump, -1.0, 0.0), (frame.next, 1.0, 1.0)] {
            let off = (Form::constant(1.0) - source.at(bit)) * 0.5;
            let over = difference.clone() * sign - (off + elsewhere.clone()) * closing;
            draft.unit(over.clone() + (1.0 - least), &[(row, 2.0)]);
            draft.unit(over + -least, &[(row, -2.0)]);
        }
        draft.unit(roles.scratch(), &[(row, -1.0)]);
    }
    frame.finish(&mut draft);
    let mut columns = frame.columns(program, &places);
    for (column, number) in (WORDS..).zip(&program.words) {
        columns.put(column, memory, *number as f64);
    }
    frame.built(draft, rows, columns, &places)
}
