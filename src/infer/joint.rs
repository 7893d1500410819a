//! Several s-ops read as one at a key or at a query: a score of two keys, a predicate over pairs, a
//! disjunction that one head must serve. Their joint values are numbered, so that every reader of
//! one s-op can read several.

use super::cube::{Cube, Literal, Relation};
use super::selector::check_size;
use super::space::FAILS;
use super::{Analysis, Node, Stopped};
use crate::graph::{SOp, SOpId};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Several s-ops as one whose values are numbers, one for each combination that can occur.
#[derive(Clone, Debug)]
pub struct Joint {
    pub parts: Vec<SOpId>,
    pub node: Arc<Node>,
    /// For each number the values of the parts, as indices into their domains.
    pub members: Vec<Vec<u32>>,
}

impl Analysis<'_> {
    /// The s-ops (at least one, ascending) as one side of a selector or scorer. Several get an id
    /// beyond the graph's: [`Analysis::node`] knows it, the graph does not.
    ///
    /// # Errors
    /// The values of one are not known, or their combinations are too many.
    pub(super) fn side(&mut self, parts: &[SOpId]) -> Result<SOpId, Stopped> {
        if let [only] = parts {
            self.node(*only)?;
            return Ok(*only);
        }
        if let Some(known) = self.joints.iter().position(|joint| joint.parts == parts) {
            return Ok(self.joint_id(known));
        }
        let (columns, space) = self.united(parts)?;
        let projections: Vec<Vec<u32>> = columns
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
            parts: parts.to_vec(),
            node: node.into(),
            members,
        });
        Ok(self.joint_id(self.joints.len() - 1))
    }

    fn joint_id(&self, index: usize) -> SOpId {
        SOpId((self.graph.sop_count() + index) as u32)
    }

    /// Several s-ops as one, if the id stands for that.
    pub fn joint(&self, id: SOpId) -> Option<&Joint> {
        let index = (id.0 as usize).checked_sub(self.graph.sop_count())?;
        self.joints.get(index)
    }

    /// The s-op, unless the id stands for several.
    pub fn sop(&self, id: SOpId) -> Option<&SOp> {
        match self.joint(id) {
            Some(_) => None,
            None => Some(self.graph.get(id)),
        }
    }

    /// The s-op, or those that it stands for, for people.
    pub fn describe(&self, id: SOpId) -> String {
        match self.joint(id) {
            Some(joint) => {
                let parts: Vec<String> = joint
                    .parts
                    .iter()
                    .map(|part| self.describe(*part))
                    .collect();
                format!("({})", parts.join(", "))
            }
            None => self.graph.describe(id),
        }
    }

    /// For each value of a side what its s-ops hold.
    pub(super) fn tuples(&self, side: SOpId) -> Result<Vec<Vec<&Value>>, Stopped> {
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

    /// Disjoint cubes as one, since scores order the keys of one head: a table over all that the
    /// cubes read at the key and at the query.
    pub(super) fn in_one_head(&mut self, cubes: &[Cube]) -> Result<Cube, Stopped> {
        if let [only] = cubes {
            return Ok(only.clone());
        }
        let literals = || cubes.iter().flat_map(|cube| &cube.literals);
        let keys: BTreeSet<SOpId> = literals().map(|literal| literal.keys).collect();
        let queries: BTreeSet<SOpId> = literals().map(|literal| literal.queries).collect();
        let (keys, queries) = (Vec::from_iter(keys), Vec::from_iter(queries));
        let sides = (self.side(&keys)?, self.side(&queries)?);
        let (left, right) = (self.members(sides.0)?, self.members(sides.1)?);
        check_size(left.len(), right.len())?;
        let relation = Relation::tabulate(left.len(), right.len(), |key, query| {
            cubes.iter().any(|cube| {
                cube.literals.iter().all(|literal| {
                    let key = member(&keys, literal.keys, &left[key]);
                    let query = member(&queries, literal.queries, &right[query]);
                    literal.relation.holds(key, query)
                })
            })
        });
        Ok(Cube::of(Literal {
            keys: sides.0,
            queries: sides.1,
            relation: relation.into(),
        }))
    }

    /// For each value of a side what its s-ops hold, as indices into their domains.
    pub(super) fn members(&self, side: SOpId) -> Result<Vec<Vec<u32>>, Stopped> {
        if let Some(joint) = self.joint(side) {
            return Ok(joint.members.clone());
        }
        let count = self.node(side)?.column.values.domain.len() as u32;
        Ok((0..count).map(|at| vec![at]).collect())
    }
}

/// What one of the parts holds, given what all of them hold.
fn member(parts: &[SOpId], part: SOpId, cells: &[u32]) -> usize {
    let place = parts.binary_search(&part).unwrap_or(0);
    cells[place] as usize
}
