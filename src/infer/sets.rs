//! What one node's values can be: a sorted domain and, for each environment, the subset of it that
//! can stand there. Equal subsets are stored once, so that environments which do not matter to a
//! node cost nothing downstream.

use crate::value::Value;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

/// The values of a node: all of them, and those possible in each environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// Sorted by [`Value::canonical_order`], each value once.
    pub domain: Arc<[Value]>,
    /// The distinct subsets, as ascending indices into `domain`.
    pub sets: Vec<Arc<[u32]>>,
    /// For each environment the index of its subset.
    pub at: Arc<[u32]>,
}

impl Values {
    /// The same values in every environment.
    pub fn uniform(mut domain: Vec<Value>, environments: usize) -> Values {
        domain.sort_by(Value::canonical_order);
        domain.dedup();
        let all: Arc<[u32]> = (0..domain.len() as u32).collect();
        Values {
            domain: domain.into(),
            sets: vec![all],
            at: vec![0; environments].into(),
        }
    }

    /// From the values possible in each environment, which may come unsorted and repeated.
    pub fn from_environments(each: &[Arc<[Value]>]) -> Values {
        let mut distinct: IndexSet<&Value, FxBuildHasher> = IndexSet::default();
        // Environments share their lists; each list is read once.
        let mut lists: FxHashMap<*const Value, Arc<[u32]>> = FxHashMap::default();
        let each: Vec<Arc<[u32]>> = each
            .iter()
            .map(|values| {
                let number = |value| distinct.insert_full(value).0 as u32;
                let list = lists.entry(values.as_ptr());
                list.or_insert_with(|| values.iter().map(number).collect())
                    .clone()
            })
            .collect();
        Values::from_numbered(distinct.into_iter().cloned(), &each)
    }

    /// From distinct values in any order, and the numbers of those possible in each environment, which may
    /// be repeated.
    pub fn from_numbered(values: impl IntoIterator<Item = Value>, each: &[Arc<[u32]>]) -> Values {
        let (domain, places) = in_order(values);
        let mut builder = SetBuilder::default();
        let mut known: FxHashMap<*const u32, u32> = FxHashMap::default();
        let at = each.iter().map(|numbers| {
            let members = numbers.iter().map(|number| places[*number as usize]);
            let set = known.entry(numbers.as_ptr());
            *set.or_insert_with(|| builder.add(members.collect()))
        });
        let at = at.collect();
        Values {
            domain,
            sets: builder.sets,
            at,
        }
    }

    /// The subset possible in an environment.
    pub fn in_environment(&self, environment: usize) -> &Arc<[u32]> {
        &self.sets[self.at[environment] as usize]
    }

    /// Whether every value is a number, bools included.
    pub fn all_numbers(&self) -> bool {
        self.domain.iter().all(Value::is_number)
    }

    /// The domain as numbers; `None` if one is not a number or not finite.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        numbers(&self.domain)
    }
}

/// Distinct values in order, and the place of each there.
pub(super) fn in_order(values: impl IntoIterator<Item = Value>) -> (Arc<[Value]>, Vec<u32>) {
    let mut order: Vec<(Value, usize)> = values.into_iter().zip(0..).collect();
    order.sort_by(|(a, _), (b, _)| a.canonical_order(b));
    let mut places = vec![0; order.len()];
    for (place, (_, number)) in (0..).zip(&order) {
        places[*number] = place;
    }
    (order.into_iter().map(|(value, _)| value).collect(), places)
}

/// Some values as numbers; `None` if one is not a number or not finite.
pub fn numbers(values: &[Value]) -> Option<Vec<f64>> {
    let number = |value: &Value| value.as_float().filter(|number| number.is_finite());
    values.iter().map(number).collect()
}

/// Collects subsets, storing equal ones once.
#[derive(Default)]
pub struct SetBuilder {
    pub sets: Vec<Arc<[u32]>>,
    ids: FxHashMap<Arc<[u32]>, u32>,
}

impl SetBuilder {
    pub fn add(&mut self, mut members: Vec<u32>) -> u32 {
        members.sort_unstable();
        members.dedup();
        let members: Arc<[u32]> = members.into();
        if let Some(id) = self.ids.get(&members) {
            return *id;
        }
        let id = self.sets.len() as u32;
        self.sets.push(members.clone());
        self.ids.insert(members, id);
        id
    }
}
