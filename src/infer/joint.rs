//! Several s-ops read as one at a key or at a query: a score of two keys, a predicate over pairs, a
//! disjunction that one head must serve. Their joint values are numbered, so that every reader of
//! one s-op can read several.

use super::cube::{Cube, Literal, Relation};
use super::parts::Parts;
use super::selector::{SelectorFacts, check_size};
use super::space::{FAILS, VarId};
use super::{Analysis, Node, Stopped};
use crate::graph::{Encoding, SOp, SOpId, SelectorId};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// So many classes are few, however many values fall in them.
const FEW_CLASSES: usize = 8;

/// Pairs of a key and a query of the largest union that is looked at as one relation.
const LARGEST_UNION: usize = 1 << 18;

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

impl SelectorFacts {
    /// What the head of a mean selects, if it is one head.
    pub fn one_cube(&self) -> Option<&Cube> {
        match &*self.cubes {
            [only] => Some(only),
            _ => self.one.as_ref(),
        }
    }

    /// The same facts of a union as of one cube, if one head of a mean selects it, or a wide one if that may be.
    pub fn in_one_cube(&self, may_be_wide: bool) -> Option<SelectorFacts> {
        let wide = self.wide.as_ref().filter(|_| may_be_wide);
        Some(SelectorFacts {
            cubes: [self.one_cube().or(wide)?.clone()].into(),
            ..self.clone()
        })
    }
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

    /// Disjoint cubes as one, since scores order the keys of one head: a table over all that the
    /// cubes read at the key and at the query.
    pub(super) fn in_one_head(&mut self, cubes: &[Cube]) -> Result<Cube, Stopped> {
        if let [only] = cubes {
            return Ok(only.clone());
        }
        if let Some(literal) = self.relation_of_indices(cubes) {
            return Ok(Cube::of(literal));
        }
        let literals = || cubes.iter().flat_map(|cube| &cube.literals);
        let keys = self.read_by(literals().map(|literal| literal.keys));
        let queries = self.read_by(literals().map(|literal| literal.queries));
        let literal = self.tabulated(&keys, &queries, |holds| {
            cubes.iter().any(|cube| cube.literals.iter().all(holds))
        })?;
        self.apart(literal)
    }

    /// A relation between several s-ops as literals between fewer, where these take fewer dimensions; of
    /// alternatives one literal over what they read.
    fn apart(&mut self, literal: Literal) -> Result<Cube, Stopped> {
        let Some(Parts { all, any }) = self.in_parts(&literal) else {
            return Ok(Cube::of(literal));
        };
        let keys = self.read_by(any.iter().map(|part| part.keys));
        let queries = self.read_by(any.iter().map(|part| part.queries));
        let any = match *any {
            [] => Cube::default(),
            _ => Cube::of(self.tabulated(&keys, &queries, |holds| any.iter().any(holds))?),
        };
        let all = all.into_iter().map(Cube::of);
        Ok(all.fold(any, |both, part| both.and(&part).unwrap_or(both)))
    }

    /// A relation between all values of some s-ops, by what holds of relations between these.
    fn tabulated(
        &mut self,
        keys: &[Operand],
        queries: &[Operand],
        holds: impl Fn(&dyn Fn(&Literal) -> bool) -> bool,
    ) -> Result<Literal, Stopped> {
        let sides = (self.side(keys)?, self.side(queries)?);
        let left = self.members(keys, sides.0)?;
        let right = self.members(queries, sides.1)?;
        check_size(left.len(), right.len())?;
        let relation = Relation::tabulate(left.len(), right.len(), |key, query| {
            holds(&|literal: &Literal| {
                let key = member(keys, literal.keys, &left[key]);
                let query = member(queries, literal.queries, &right[query]);
                literal.relation.holds(key, query)
            })
        });
        Ok(Literal {
            keys: sides.0,
            queries: sides.1,
            relation: relation.into(),
        })
    }

    /// What is known of a selector for a mean over it: a union as one cube, too, where its table is small.
    pub(super) fn for_mean(&mut self, selector: SelectorId) -> Arc<SelectorFacts> {
        let known = self.selectors[&selector].clone();
        let is_union = known.cubes.len() > 1 && self.first.is_none();
        let is_known = known.one.is_some() || known.wide.is_some();
        if !is_union || is_known || !self.is_small(&known.cubes) {
            return known;
        }
        let Ok(cube) = self.in_one_head(&known.cubes) else {
            return known;
        };
        let most = self.setting.max_length;
        let together = |side| self.joint(side).map_or(0, |joint| joint.members.len());
        let is_wide = cube.literals.iter().any(|literal| {
            let classes = match self.in_parts(literal) {
                Some(parts) => {
                    let reads = parts.any.iter().flat_map(|part| [part.keys, part.queries]);
                    let computed = reads.into_iter().any(|operand| !self.is_embedded(operand));
                    return computed || self.dimensions_of_any(&parts.any) > most;
                }
                None => literal.relation.rank_at_most(),
            };
            let together = together(literal.keys).max(together(literal.queries));
            classes > most || together > most && classes > FEW_CLASSES
        });
        let (one, wide) = match is_wide {
            true => (None, Some(cube)),
            false => (Some(cube), None),
        };
        let facts = SelectorFacts {
            one,
            wide,
            ..SelectorFacts::clone(&known)
        };
        let facts = Arc::new(facts);
        self.selectors.insert(selector, facts.clone());
        facts
    }

    /// Whether what an operand is read from is known before the first layer.
    fn is_embedded(&self, operand: Operand) -> bool {
        let vars = self.node(operand).map(|node| &node.column.space.vars);
        vars.is_ok_and(|vars| vars.iter().all(|var| *var <= Analysis::INDICES))
    }

    /// Whether some mean is over a union that one head selects only if it is wide.
    pub fn has_wide_unions(&self) -> bool {
        let mut facts = self.selectors.values();
        facts.any(|facts| facts.wide.is_some())
    }

    /// Whether a table over all that some cubes read is soon made.
    fn is_small(&self, cubes: &[Cube]) -> bool {
        let times = |size: usize, count: usize| size.saturating_mul(count);
        // Functions of the same are no more than that together.
        let size = |operands: Vec<Operand>| {
            let mut vars: BTreeSet<VarId> = BTreeSet::new();
            let mut apart = 1;
            for operand in operands {
                let node = self.node(operand).ok()?;
                apart = times(apart, node.column.values.domain.len());
                vars.extend(&node.column.space.vars);
            }
            let counts = vars.into_iter().map(|var| self.values(var).domain.len());
            Some(counts.fold(1, times).min(apart))
        };
        let literals = || cubes.iter().flat_map(|cube| &cube.literals);
        let keys = size(self.read_by(literals().map(|literal| literal.keys)));
        let queries = size(self.read_by(literals().map(|literal| literal.queries)));
        keys.zip(queries)
            .is_some_and(|(keys, queries)| keys.saturating_mul(queries) <= LARGEST_UNION)
    }

    /// The operands, each once, without those that read nothing.
    fn read_by(&self, operands: impl Iterator<Item = Operand>) -> Vec<Operand> {
        let reads = |operand: &Operand| self.joint(*operand).is_none_or(|j| !j.parts.is_empty());
        let read: BTreeSet<Operand> = operands.filter(reads).collect();
        read.into_iter().collect()
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

/// What one of the parts holds, given what all of them hold; the one value of what reads nothing.
fn member(parts: &[Operand], part: Operand, cells: &[u32]) -> usize {
    let place = parts.binary_search(&part);
    place.map_or(0, |place| cells[place] as usize)
}
