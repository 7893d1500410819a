//! Disjoint cubes as one: only a single head can order keys by a score, or give a mean where there is no
//! BOS, and one for a mean over a union is less than a sum and a width. Depends on `joint`, `parts` and
//! `by_index`.

use super::cube::{Cube, Literal, Relation};
use super::parts::Parts;
use super::selector::{SelectorFacts, check_size};
use super::space::VarId;
use super::{Analysis, Operand, Stopped};
use crate::graph::SelectorId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// So many classes are few, however many values fall in them.
const FEW_CLASSES: usize = 8;

/// Pairs of a key and a query of the largest union that is looked at as one relation.
const LARGEST_UNION: usize = 1 << 18;

/// Several cubes as one.
#[derive(Clone, Debug)]
pub struct OneCube {
    pub cube: Cube,
    /// Its head takes more dimensions than there are positions, or more than a few to tell more values apart.
    pub is_wide: bool,
}

impl SelectorFacts {
    /// What the head of a mean selects, if it is one head; a wide one if that may be.
    pub fn one_cube(&self, may_be_wide: bool) -> Option<&Cube> {
        match &*self.cubes {
            [only] => Some(only),
            _ => {
                let one = self.one.as_ref();
                let one = one.filter(|one| may_be_wide || !one.is_wide);
                one.map(|one| &one.cube)
            }
        }
    }

    /// The same facts of a union as of one cube, if one head of a mean selects it.
    pub fn in_one_cube(&self, may_be_wide: bool) -> Option<SelectorFacts> {
        Some(SelectorFacts {
            cubes: [self.one_cube(may_be_wide)?.clone()].into(),
            ..self.clone()
        })
    }
}

impl Analysis<'_> {
    /// Disjoint cubes as one, if that can be and is needed: without BOS only one head can give a mean.
    pub(super) fn for_one_head(&mut self, cubes: Vec<Cube>) -> Vec<Cube> {
        if cubes.len() <= 1 || self.beside_first(&cubes).is_some() {
            return cubes;
        }
        let one = self.in_one_head(&cubes);
        one.map_or(cubes, |cube| vec![cube])
    }

    /// The cube all others beside which select position 0 at most.
    pub fn beside_first(&self, cubes: &[Cube]) -> Option<usize> {
        let is_first = |literal: &Literal| {
            let later = self.places(literal.keys).map(|(_, later)| later);
            let selects = |key: usize| literal.relation.row(key).contains(&true);
            later.is_ok_and(|later| (0..later.len()).all(|key| !(later[key] && selects(key))))
        };
        let cubes = cubes.iter().enumerate();
        let mut others = cubes.filter(|(_, cube)| !cube.literals.iter().any(is_first));
        match (others.next(), others.next()) {
            (Some((at, _)), None) => Some(at),
            _ => None,
        }
    }

    /// For each value of an s-op whether position 0 may have it, and whether a later one may.
    pub fn places(&self, id: Operand) -> Result<(Vec<bool>, Vec<bool>), Stopped> {
        let values = &self.node(id)?.column.values;
        let count = values.domain.len();
        let (mut first, mut later) = (vec![false; count], vec![false; count]);
        for (at, environment) in self.environments.iter().enumerate() {
            let places = match environment.position {
                0 => &mut first,
                _ => &mut later,
            };
            for value in values.in_environment(at).iter() {
                places[*value as usize] = true;
            }
        }
        Ok((first, later))
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
        if !is_union || known.one.is_some() || !self.is_small(&known.cubes) {
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
        let facts = SelectorFacts {
            one: Some(OneCube { cube, is_wide }),
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
        facts.any(|facts| facts.one.as_ref().is_some_and(|one| one.is_wide))
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
}

/// What one of the parts holds, given what all of them hold; the one value of what reads nothing.
fn member(parts: &[Operand], part: Operand, cells: &[u32]) -> usize {
    let place = parts.binary_search(&part);
    place.map_or(0, |place| cells[place] as usize)
}
