//! Chains of elementwise s-ops in one pass. What only other elementwise s-ops read is never a whole
//! column: a block of positions goes through all of the chain before the next one, so that what
//! lies between stays in the processor's cache. Where something fails, or types mix, nothing is
//! fused: the s-ops are then computed one by one, which says what is wrong and where.

use super::elementwise;
use super::{Column, Values};
use crate::graph::{Graph, SOp, SOpId};
use crate::value::{Op, SequenceType};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Positions of a block: a few columns of it fit in a first-level cache.
const BLOCK: usize = 4096;

/// Elementwise s-ops that are computed together.
pub struct Chains {
    /// For the last s-op of each chain all of it, operands first.
    members: BTreeMap<SOpId, Vec<SOpId>>,
}

/// Who reads an s-op.
#[derive(Clone, Copy, PartialEq)]
enum Readers {
    /// Elementwise s-ops of one chain, which ends in this one.
    Chain(SOpId),
    Others,
}

impl Chains {
    /// The chains among s-ops that are wanted for the roots, in order of id.
    pub fn new(graph: &Graph, order: &[SOpId], roots: &[SOpId]) -> Chains {
        let mut readers: FxHashMap<SOpId, Readers> = FxHashMap::default();
        for root in roots {
            readers.insert(*root, Readers::Others);
        }
        let mut members: BTreeMap<SOpId, Vec<SOpId>> = BTreeMap::new();
        for id in order.iter().rev() {
            let by = match (graph.get(*id), readers.get(id)) {
                (SOp::Map { .. }, Some(Readers::Chain(last))) => Readers::Chain(*last),
                (SOp::Map { .. }, _) => Readers::Chain(*id),
                _ => Readers::Others,
            };
            let last = match by {
                Readers::Chain(last) => last,
                Readers::Others => *id,
            };
            members.entry(last).or_default().push(*id);
            for operand in graph.dependencies(*id) {
                let known = readers.entry(operand).or_insert(by);
                if *known != by {
                    *known = Readers::Others;
                }
            }
        }
        for chain in members.values_mut() {
            chain.reverse();
        }
        Chains { members }
    }

    /// The chain that ends in an s-op, itself included; `None` if it is inside one.
    pub fn ending_in(&self, id: SOpId) -> Option<&[SOpId]> {
        self.members.get(&id).map(Vec::as_slice)
    }
}

/// The column of the last s-op of a chain; `None` if it is better computed one by one. O(n) for
/// each member, in memory for one column and a block of each member.
pub fn column(
    graph: &Graph,
    chain: &[SOpId],
    read: impl Fn(SOpId) -> Arc<Column>,
    length: usize,
) -> Option<Column> {
    if chain.len() < 2 || length <= BLOCK {
        return None;
    }
    let operands = chain.iter().flat_map(|id| graph.dependencies(*id));
    let leaves: BTreeSet<SOpId> = operands
        .filter(|id| chain.binary_search(id).is_err())
        .collect();
    let columns: Vec<Arc<Column>> = leaves.iter().map(|id| read(*id)).collect();
    if !columns.iter().all(|column| is_plain(column)) {
        return None;
    }
    // Of a block first the leaves, then the members.
    let slots = leaves.iter().chain(chain).zip(0..);
    let slots: FxHashMap<SOpId, usize> = slots.map(|(id, slot)| (*id, slot)).collect();
    let mut steps: Vec<(&Op, Vec<usize>)> = Vec::with_capacity(chain.len());
    for id in chain {
        if let SOp::Map { op, operands } = graph.get(*id) {
            steps.push((op, operands.iter().map(|id| slots[id]).collect()));
        }
    }
    let mut types: Vec<SequenceType> = Vec::new();
    let mut result: Option<Values> = None;
    for start in (0..length).step_by(BLOCK) {
        let positions = start..length.min(start + BLOCK);
        let size = positions.len();
        let slices = columns.iter().map(|column| column.slice(positions.clone()));
        let mut block: Vec<Arc<Column>> = slices
            .map(|slice| slice.map(Arc::new))
            .collect::<Option<_>>()?;
        for (at, (op, operands)) in steps.iter().enumerate() {
            let operands: Vec<Arc<Column>> =
                operands.iter().map(|slot| block[*slot].clone()).collect();
            let column = elementwise::map(op, &operands, size);
            if types.len() == at {
                types.push(column.sequence_type());
            }
            if !is_plain(&column) || types[at] != column.sequence_type() {
                return None;
            }
            block.push(Arc::new(column));
        }
        let last = block.last()?;
        let values = result.get_or_insert_with(|| last.values_of_type(length));
        last.append_to(values)?;
    }
    Some(Column::new(result?, length))
}

/// Whether a column is of numbers or bools of one type, or of one atom, and nothing fails.
fn is_plain(column: &Column) -> bool {
    let mixes = matches!(column.values(), Values::Strings(..) | Values::Mixed(_));
    !mixes && column.first_fault().is_none()
}
