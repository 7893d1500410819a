//! SUBLEQ in one layer of four heads. While the operands are read, both instructions that may follow are
//! fetched, and the branch chooses between them, decoded; what is to be written reaches the words in the
//! next round, and whoever reads it before sees it at the scratch column. Depends on `network` and
//! `words`.

use super::program::Program;
use super::words::{
    Columns, Places, Roles, SCRATCH, WORDS, branch, clean, clear_where, copy, keys, subtract, sum,
};
use crate::machine::looped::built::Built;
use crate::machine::looped::network::{Block, Draft, Rows};

/// Fields of an instruction: `a`, `b`, `c` and the instruction behind it.
pub const FIELDS: usize = 4;

/// The rows that both machines of one layer have.
pub struct Frame {
    pub instruction: Block,
    pub memory: Block,
    pub position: Block,
    pub pending: Block,
    pub roles: Roles,
    pub a: Block,
    pub b: Block,
    pub next: Block,
    pub jump: Block,
    pointer: usize,
}

impl Frame {
    pub fn new(rows: &mut Rows, pointer: usize, word: usize) -> Frame {
        Frame {
            instruction: rows.block("instruction", FIELDS * pointer),
            memory: rows.block("word", word),
            position: rows.block("position", pointer),
            pending: rows.block("pending", pointer),
            roles: Roles::new(rows),
            a: rows.block("a", word),
            b: rows.block("b", word),
            next: rows.block("next", FIELDS * pointer),
            jump: rows.block("jump", FIELDS * pointer),
            pointer,
        }
    }

    pub fn field(&self, index: usize) -> Block {
        self.instruction
            .part(index * self.pointer..(index + 1) * self.pointer)
    }

    /// The four heads. By the first the words take in what is to be written, too.
    pub fn heads(&self, draft: &mut Draft) {
        let roles = &self.roles;
        let sinking = roles.sinking(self.pointer);
        let written = keys(
            sum(self.position, self.pending),
            vec![roles.scratch(), sinking.clone()],
        );
        draft.head(
            "read a, write",
            written.clone(),
            keys(
                sum(self.position, self.field(0)),
                vec![roles.scratch() + roles.memory(), roles.idle() * 2.0],
            ),
            self.memory.onto(self.a),
        );
        draft.head(
            "read b",
            written,
            keys(
                self.field(1).forms(),
                vec![roles.scratch(), roles.elsewhere()],
            ),
            self.memory.onto(self.b),
        );
        for (label, field, onto) in [("fetch next", 3, self.next), ("fetch jump", 2, self.jump)] {
            draft.head(
                label,
                keys(self.position.forms(), vec![sinking.clone()]),
                keys(self.field(field).forms(), vec![roles.elsewhere()]),
                self.instruction.onto(onto),
            );
        }
    }

    /// Remembers where to write, and forgets what was read.
    pub fn finish(&self, draft: &mut Draft) {
        let scratch = self.roles.scratch();
        clear_where(draft, self.instruction, &scratch);
        draft.clear(self.pending.rows());
        copy(draft, self.field(1), self.pending, &scratch);
        let read = [self.a, self.b, self.next, self.jump];
        draft.clear(read.into_iter().flat_map(Block::rows));
    }

    /// What is at the start in the columns, but for the words.
    pub fn columns(&self, program: &Program, places: &Places) -> Columns {
        let mut columns = Columns::default();
        self.roles.describe(&mut columns, program.words.len());
        for column in WORDS..places.count {
            columns.bits(column, self.position, column as i64);
        }
        for (index, [a, b, c]) in program.code.iter().enumerate() {
            // None but the last is followed by the first, so that each has a field of its own.
            let next = (index + 1) % program.code.len();
            let targets = [WORDS + a, WORDS + b, places.code + c, places.code + next];
            for (field, target) in targets.into_iter().enumerate() {
                let column = places.code + index;
                columns.bits(column, self.field(field), target as i64);
                if index == 0 {
                    columns.bits(SCRATCH, self.field(field), target as i64);
                }
            }
        }
        columns
    }

    /// The machine, where its instruction's last field points to the one behind it.
    pub fn built(&self, draft: Draft, rows: Rows, columns: Columns, places: &Places) -> Built {
        Built {
            drafts: vec![draft],
            rows,
            columns: columns.entries,
            count: places.count,
            memory: WORDS..places.code,
            code: places.code..places.count,
            word: self.memory.rows(),
            pending: Some(self.pending.rows()),
            counter: self.field(3).rows(),
            ahead: 1,
            fields: self.instruction.rows(),
        }
    }
}

pub fn build(program: &Program) -> Built {
    let places = Places::new(program, WORDS);
    let mut rows = Rows::default();
    let frame = Frame::new(&mut rows, places.pointer_bits(), program.bits);
    let (memory, operands) = (frame.memory, (frame.a, frame.b));
    let scratch = frame.roles.scratch();
    let mut draft = Draft::default();
    frame.heads(&mut draft);
    clean(&mut draft, frame.a, memory, &frame.roles.memory());
    draft.clear(memory.rows());
    subtract(&mut draft, memory, frame.a, frame.b, &scratch);
    let following = (frame.jump, frame.next);
    branch(
        &mut draft,
        frame.instruction,
        following,
        operands,
        &scratch,
        None,
    );
    frame.finish(&mut draft);
    let mut columns = frame.columns(program, &places);
    for (column, number) in (WORDS..).zip(&program.words) {
        columns.bits(column, memory, *number);
    }
    frame.built(draft, rows, columns, &places)
}
