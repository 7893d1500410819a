//! A feed-forward block taken apart: units that share no row that is written with others are a block of
//! their own, and what they write hangs on what they read alone.

use crate::model::FeedForward;

/// Units, and the rows that they alone write.
#[derive(Default)]
pub(super) struct Block {
    pub units: Vec<u32>,
    /// Rows that they read and whose values differ within a kind.
    pub reads: Vec<u32>,
    pub writes: Vec<u32>,
}

/// The units of a feed-forward block in as many blocks as there are; of the rows that they read those that
/// are known do not count.
pub(super) fn blocks(
    mlp: &FeedForward,
    input: &[Vec<(u32, f64)>],
    is_written: &[bool],
    known: &[usize],
) -> Vec<Block> {
    let mut written = vec![Vec::new(); mlp.d_mlp()];
    for (unit, row, _) in mlp.output.entries() {
        written[unit].push(row);
    }
    // Rows of one block point to one of them, in the end.
    let mut parents: Vec<usize> = (0..is_written.len()).collect();
    fn top(parents: &mut [usize], mut row: usize) -> usize {
        while parents[row] != row {
            parents[row] = parents[parents[row]];
            row = parents[row];
        }
        row
    }
    for (written, read) in written.iter().zip(input) {
        let read = read
            .iter()
            .map(|(row, _)| *row as usize)
            .filter(|row| is_written[*row]);
        let Some(first) = written.first() else {
            continue;
        };
        for row in read.chain(written.iter().copied()) {
            let tops = (top(&mut parents, row), top(&mut parents, *first));
            parents[tops.0] = tops.1;
        }
    }
    let mut blocks: Vec<Block> = Vec::new();
    let mut number_of = vec![None; is_written.len()];
    for row in (0..is_written.len()).filter(|row| is_written[*row]) {
        let top = top(&mut parents, row);
        let number = *number_of[top].get_or_insert_with(|| {
            blocks.push(Block::default());
            blocks.len() - 1
        });
        blocks[number].writes.push(row as u32);
    }
    for (unit, (written, read)) in written.iter().zip(input).enumerate() {
        let number = written
            .first()
            .and_then(|row| number_of[top(&mut parents, *row)]);
        if let Some(block) = number.map(|number: usize| &mut blocks[number]) {
            block.units.push(unit as u32);
            let rows = read.iter().map(|(row, _)| *row);
            block
                .reads
                .extend(rows.filter(|row| !known.contains(&(*row as usize))));
        }
    }
    for block in &mut blocks {
        block.reads.sort_unstable();
        block.reads.dedup();
    }
    blocks
}
