//! Several s-ops read as one at a key or at a query: a score of two keys, a predicate over pairs, a
//! disjunction that one head must serve. Their joint values are numbered, so that every reader of
//! one s-op can read several.

use super::space::FAILS;
use super::{Analysis, Node, Stopped};
use crate::graph::{Encoding, SOp, SOpId};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a selector or a scorer reads at a key or at a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operand {
    SOp(SOpId),
    /// Several as one, by their place among [`Analysis`]' joints.
    Joint(u32),
}

impl From<SOpId> for Operand {
    fn from(id: SOpId) -> Operand {
        Operand::SOp(id)
    }
}

impl Operand {
    /// The s-op, unless it stands for several.
    pub fn sop(self) -> Option<SOpId> {
        match self {
            Operand::SOp(id) => Some(id),
            Operand::Joint(_) => None,
        }
    }
}

/// Several s-ops as one whose values are numbers, one for each combination that can occur.
#[derive(Clone, Debug)]
pub struct Joint {
    pub parts: Vec<Operand>,
    pub node: Arc<Node>,
    /// For each number the values of the parts, as indices into their domains.
    pub members: Vec<Vec<u32>>,
}

impl Analysis<'_> {
    /// The s-ops (at least one, ascending) as one side of a selector or scorer.
    ///
    /// # Errors
    /// The values of one are not known, or their combinations are too many.
    pub(super) fn side(&mut self, parts: &[impl Copy + Into<Operand>]) -> Result<Operand, Stopped> {
        let parts: Vec<Operand> = parts.iter().map(|part| (*part).into()).collect();
        if let [only] = *parts {
            self.node(only)?;
            return Ok(only);
        }
        if let Some(known) = self.joints.iter().position(|joint| joint.parts == parts) {
            return Ok(Operand::Joint(known as u32));
        }
        let (columns, space) = self.united(&parts)?;
        let projections: Vec<Arc<[u32]>> = columns
            .iter()
            .map(|column| space.project(&column.space))
            .collect();
        let mut numbers: FxHashMap<Vec<u32>, i64> = FxHashMap::default();
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut results = Vec::with_capacity(space.rows());
        for row in 0..space.rows() {
            let cells = columns.iter().zip(&projections);
            let cells: Vec<u32> = cells
                .map(|(column, rows)| column.cells[rows[row] as usize])
                .collect();
            if cells.contains(&FAILS) {
                results.push(None);
                continue;
            }
            let number = *numbers.entry(cells).or_insert_with_key(|cells| {
                members.push(cells.clone());
                members.len() as i64 - 1
            });
            results.push(Some(Value::Int(number)));
        }
        let node = Node::new(space.column(results), None);
        self.joints.push(Joint {
            parts,
            node: node.into(),
            members,
        });
        Ok(Operand::Joint(self.joints.len() as u32 - 1))
    }

    /// Several s-ops as one, if the operand stands for that.
    pub fn joint(&self, operand: Operand) -> Option<&Joint> {
        match operand {
            Operand::SOp(_) => None,
            Operand::Joint(index) => self.joints.get(index as usize),
        }
    }

    /// The s-op, unless the operand stands for several.
    pub fn sop(&self, operand: Operand) -> Option<&SOp> {
        operand.sop().map(|id| self.graph.get(id))
    }

    /// Whether it is the indices as such.
    pub fn is_indices(&self, operand: impl Into<Operand>) -> bool {
        matches!(self.sop(operand.into()), Some(SOp::Indices))
    }

    /// Its values as numbers, if they are known and all are.
    pub fn numbers(&self, operand: impl Into<Operand>) -> Option<Vec<f64>> {
        self.node(operand).ok()?.column.values.numbers()
    }

    /// How an operand is computed: itself, but for a width where there is no BOS, and for what is
    /// computed otherwise than the graph has it.
    pub fn shape(&self, operand: Operand) -> Option<&SOp> {
        let id = operand.sop()?;
        let otherwise = self.otherwise.get(&id);
        Some(otherwise.unwrap_or_else(|| self.graph.get(self.formula(id))))
    }

    /// How the program asks for it to be encoded, if it does.
    pub fn encoding(&self, operand: Operand) -> Option<Encoding> {
        operand.sop().and_then(|id| self.graph.encoding(id))
    }

    /// The s-op, or those that it stands for, for people.
    pub fn describe(&self, operand: Operand) -> String {
        let parts = match operand {
            Operand::SOp(id) => return self.graph.describe(id),
            Operand::Joint(_) => self.joint(operand).map_or(&[][..], |joint| &joint.parts),
        };
        let parts: Vec<String> = parts.iter().map(|part| self.describe(*part)).collect();
        format!("({})", parts.join(", "))
    }

    /// For each value of a side what its s-ops hold.
    pub(super) fn tuples(&self, side: Operand) -> Result<Vec<Vec<&Value>>, Stopped> {
        let Some(joint) = self.joint(side) else {
            let domain = self.node(side)?.column.values.domain.iter();
            return Ok(domain.map(|value| vec![value]).collect());
        };
        let mut domains = Vec::with_capacity(joint.parts.len());
        for part in &joint.parts {
            domains.push(&self.node(*part)?.column.values.domain);
        }
        let values = |cells: &Vec<u32>| {
            let pairs = domains.iter().zip(cells);
            pairs
                .map(|(domain, cell)| &domain[*cell as usize])
                .collect()
        };
        Ok(joint.members.iter().map(values).collect())
    }

    /// For each value of the side that some operands make up what these hold, as indices into their
    /// domains. One alone is the side itself, though it may stand for several.
    pub(super) fn members(
        &self,
        parts: &[Operand],
        side: Operand,
    ) -> Result<Vec<Vec<u32>>, Stopped> {
        if let (Some(joint), true) = (self.joint(side), parts.len() != 1) {
            return Ok(joint.members.clone());
        }
        let count = self.node(side)?.column.values.domain.len() as u32;
        Ok((0..count).map(|at| vec![at]).collect())
    }
}
