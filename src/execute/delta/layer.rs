//! One layer that is evaluated by what has changed: which columns those are, and in them which rows.
//! Depends on `head`, `hidden` and `rows`.

use super::head::HeadState;
use super::hidden::Hidden;
use super::rows::{self, Changes, RowSet};
use crate::execute::scalar::Scalar;
use crate::model::Layer;

pub(super) struct LayerState<T> {
    heads: Vec<HeadState<T>>,
    /// The stream between the heads and the feed-forward block, if there are heads, and the rows that
    /// they write.
    middle: Vec<T>,
    attended: RowSet,
    hidden: Hidden<T>,
}

/// What is used again and again.
pub(super) struct Scratch<T> {
    d_model: usize,
    vector: Vec<T>,
    found: Vec<(u32, T)>,
    affected: Vec<u32>,
    stream: Vec<T>,
    rows: RowSet,
    blocks: Vec<u64>,
    open: RowSet,
    hidden: Vec<T>,
    /// Columns to evaluate, those that have changed first, and for each column whether it is among
    /// them; the heads, as bits, in which it has to look again, and those that may give it something
    /// else.
    pub todo: Vec<u32>,
    is_todo: Vec<bool>,
    look: Vec<u64>,
    attend: Vec<u64>,
    /// The rows that differ from what the next layer has read, column after column, and where those of
    /// each column end.
    pub results: Vec<(u32, T)>,
    pub ends: Vec<usize>,
}

impl<T: Scalar> LayerState<T> {
    /// `fixed` are the rows that nothing writes; `at` gives what stands in them, by row and column.
    pub fn new(
        layer: &Layer,
        fixed: &[bool],
        columns: usize,
        at: &dyn Fn(usize, usize) -> T,
    ) -> LayerState<T> {
        let heads = layer.heads.iter().map(|head| HeadState::new(head, columns));
        let heads: Vec<HeadState<T>> = heads.collect();
        let mut attended = rows::none(fixed.len());
        for head in &heads {
            rows::add(&mut attended, &head.writes);
        }
        LayerState {
            heads,
            middle: Vec::new(),
            attended,
            hidden: Hidden::new(&layer.mlp, fixed, columns, at),
        }
    }

    /// Takes in a stream of which nothing is known.
    pub fn index(&mut self, x: &[T], scratch: &mut Scratch<T>) {
        let columns = scratch.is_todo.len();
        for head in &mut self.heads {
            head.index(x, scratch.d_model, columns);
        }
        if !self.heads.is_empty() {
            // Which differs from everything.
            self.middle = vec![T::nan(); x.len()];
        }
        (0..columns as u32).for_each(|column| scratch.add(column));
        scratch.look.fill(u64::MAX);
        scratch.attend.fill(u64::MAX);
    }

    /// Takes in that columns have changed, and finds the columns to evaluate.
    pub fn find(&mut self, changes: &Changes, x: &[T], scratch: &mut Scratch<T>) {
        for column in changes.columns() {
            scratch.add(*column);
        }
        for (number, head) in self.heads.iter_mut().enumerate() {
            let bit = 1 << number;
            // All keys first: what a query sees depends on them.
            for (number, column) in changes.columns().iter().enumerate() {
                let at = *column as usize;
                let x = &x[at * scratch.d_model..][..scratch.d_model];
                let [has_query, has_key, has_values] = head
                    .reads
                    .each_ref()
                    .map(|reads| rows::meet(reads, changes.rows(number)));
                if has_query && head.replace_query(at, x, &mut scratch.vector) {
                    scratch.look[at] |= bit;
                }
                let is_new = has_key && head.replace_key(at, x, &mut scratch.vector);
                if has_values {
                    head.evaluate(at, x);
                }
                if is_new || has_values {
                    for reader in &head.seen_by[at] {
                        scratch.add(*reader);
                        scratch.attend[*reader as usize] |= bit;
                        if is_new {
                            scratch.look[*reader as usize] |= bit;
                        }
                    }
                }
                if is_new {
                    let mut affected = std::mem::take(&mut scratch.affected);
                    head.readers(at, &mut affected);
                    for reader in &affected {
                        scratch.add(*reader);
                        scratch.look[*reader as usize] |= bit;
                    }
                    scratch.affected = affected;
                }
            }
        }
    }

    /// Finds the rows in which a column differs after the layer from what the next one has read, where
    /// `changed` are those in which it does before. The streams are the column before the layer, and
    /// what the next one has read. `None` where numbers are not finite.
    pub fn evaluate(
        &mut self,
        column: usize,
        changed: &[u64],
        (x, target): (&[T], &[T]),
        scratch: &mut Scratch<T>,
    ) -> Option<()> {
        scratch.is_todo[column] = false;
        let look = std::mem::take(&mut scratch.look[column]);
        let attend = std::mem::take(&mut scratch.attend[column]) | look;
        scratch.rows.copy_from_slice(changed);
        if !self.heads.is_empty() {
            self.attend(column, (look, attend), x, scratch);
        }
        let middle = match self.heads.is_empty() {
            true => x,
            false => &self.middle[column * x.len()..][..x.len()],
        };
        let Scratch {
            rows,
            blocks,
            stream,
            hidden,
            results,
            ..
        } = scratch;
        self.hidden.change(column, rows, middle, blocks);
        rows.iter_mut()
            .zip(&self.hidden.written)
            .for_each(|(rows, written)| *rows &= !written);
        rows::each(rows, |row| {
            if middle[row] != target[row] {
                results.push((row as u32, middle[row]));
            }
        });
        rows::each(blocks, |block| {
            let streams = (middle, target);
            self.hidden
                .evaluate((column, block), streams, (stream, hidden), results);
        });
        let start = scratch.ends.last().copied().unwrap_or(0);
        let mut results = scratch.results[start..].iter();
        let is_finite = results.all(|(_, value)| value.is_finite());
        scratch.ends.push(scratch.results.len());
        is_finite.then_some(())
    }

    /// Brings the middle of a column up to date, and `scratch.rows` from those that have changed before
    /// the layer to those that have there: of the heads some have to look again, and some may give
    /// something else.
    fn attend(
        &mut self,
        column: usize,
        (look, attend): (u64, u64),
        x: &[T],
        scratch: &mut Scratch<T>,
    ) {
        let middle = &mut self.middle[column * x.len()..][..x.len()];
        let (changed, open) = (&mut scratch.rows, &mut scratch.open);
        for ((changed, open), attended) in
            changed.iter_mut().zip(open.iter_mut()).zip(&self.attended)
        {
            *open = *changed & attended;
            *changed &= !attended;
        }
        rows::each(changed, |row| middle[row] = x[row]);
        for (number, head) in self.heads.iter_mut().enumerate() {
            if look >> number & 1 == 1 {
                head.look(column, &mut scratch.found);
            }
            if attend >> number & 1 == 1 {
                rows::add(open, &head.writes);
            }
        }
        rows::each(open, |row| scratch.stream[row] = x[row]);
        for head in self
            .heads
            .iter()
            .filter(|head| rows::meet(&head.writes, open))
        {
            head.add_output(column, &mut scratch.stream);
        }
        rows::each(open, |row| {
            if middle[row] != scratch.stream[row] {
                middle[row] = scratch.stream[row];
                rows::insert(changed, row);
            }
        });
    }
}

impl<T: Scalar> Scratch<T> {
    pub fn new(columns: usize, d_model: usize) -> Scratch<T> {
        Scratch {
            d_model,
            vector: Vec::new(),
            found: Vec::new(),
            affected: Vec::new(),
            stream: vec![T::zero(); d_model],
            rows: rows::none(d_model),
            blocks: Vec::new(),
            open: rows::none(d_model),
            hidden: Vec::new(),
            todo: Vec::new(),
            is_todo: vec![false; columns],
            look: vec![0; columns],
            attend: vec![0; columns],
            results: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn add(&mut self, column: u32) {
        if !std::mem::replace(&mut self.is_todo[column as usize], true) {
            self.todo.push(column);
        }
    }
}
