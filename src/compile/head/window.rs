//! Windows: keys a few places from their query, as the one before, the same and the one after. A parabola of
//! how far a key is from the middle of the window is the same for no more than two places; what a place has
//! modulo a small number says how much to lift it, so that the places of the window are level and all others
//! below: `-d² + (d % 2)` is 0 for -1, 0 and 1. Two dimensions of a head hold the parabola and one each class
//! but the last, where a table of the window has as many as there are positions.

use super::literal::{Needs, ProductPlan, TermPlan};
use crate::compile::linear::LinearRead;
use crate::compile::{Care, Compiler};
use crate::graph::SOp;
use crate::infer::Stopped;
use crate::infer::by_index::places;
use crate::infer::cube::{Literal, Relation};
use crate::model::is_bfloat16;
use crate::plan::Meaning;
use crate::plan::pass::Choice;
use std::collections::BTreeSet;

/// Squares of more positions leave float32 few digits.
const MOST_POSITIONS: usize = 1_024;

/// More classes are more dimensions than a window is worth.
const MOST_CLASSES: i64 = 32;

/// How places are level: by their distance from the middle, and by their class.
struct Window {
    places: BTreeSet<i64>,
    middle: f64,
    /// What is added to a place, by what it is modulo their number.
    lifts: Vec<f64>,
}

impl Window {
    fn lift(&self, place: i64) -> f64 {
        self.lifts[place.rem_euclid(self.lifts.len() as i64) as usize]
    }
}

impl Compiler<'_> {
    /// The products of a window of indices; `None` if a relation is none, or takes no more as a table, which
    /// has so many classes.
    pub(super) fn window(
        &mut self,
        literal: &Literal,
        needs: Needs,
        classes: usize,
    ) -> Result<Option<TermPlan>, Stopped> {
        let is_index = |side| matches!(self.analysis.sop(side), Some(SOp::Indices));
        let may_be = is_index(literal.keys)
            && is_index(literal.queries)
            && self.chooses(Choice::Factor)
            && self.care != Care::Bits;
        let causal = self.analysis.setting.causal;
        let window = may_be.then(|| window(&literal.relation, causal)).flatten();
        let Some(window) = window.filter(|window| window.lifts.len() + 2 < classes) else {
            return Ok(None);
        };
        let count = literal.relation.keys;
        let centre = (count / 2) as f64;
        let by_index = |function: &dyn Fn(f64) -> f64| -> Vec<f64> {
            (0..count).map(|index| function(index as f64)).collect()
        };
        let keys = by_index(&|key| key - centre);
        // Where the middle of the window of a query is.
        let middles = by_index(&|query| query - centre + window.middle);
        let modulus = window.lifts.len();
        let lift = |class: usize, query: usize| window.lift(class as i64 - query as i64);
        let own = (0..count).map(|q| lift(modulus - 1, q) - middles[q] * middles[q]);
        let own: Vec<f64> = own.collect();
        // BOS is to stand below what is selected, also where that is not held against 0.
        let raised = match needs.relative {
            true => own.iter().copied().fold(0.0, f64::max),
            false => 0.0,
        };
        let squares: Vec<f64> = keys.iter().map(|key| key * key - raised).collect();
        let doubled: Vec<f64> = middles.iter().map(|middle| 2.0 * middle).collect();
        let mut sides = vec![(doubled, keys), (vec![-1.0; count], squares)];
        for class in 0..modulus - 1 {
            let lifts = (0..count).map(|query| lift(class, query) - lift(modulus - 1, query));
            let is_class = by_index(&|key| f64::from(u8::from(key as usize % modulus == class)));
            sides.push((lifts.collect(), is_class));
        }
        if !needs.relative {
            sides.push((own, vec![1.0; count]));
        }
        let numbers = || {
            sides
                .iter()
                .flat_map(|(queries, keys)| queries.iter().chain(keys))
        };
        if self.host.is_bfloat16() && !numbers().copied().all(is_bfloat16) {
            return Ok(None);
        }
        let mut products = Vec::with_capacity(sides.len());
        for (queries, keys) in sides {
            products.push(ProductPlan {
                query: self.of_index(literal, &queries, needs)?,
                key: self.of_index(literal, &keys, needs)?,
                queries,
                keys,
            });
        }
        let relation = Relation::tabulate(count, count, |key, query| {
            window.places.contains(&(key as i64 - query as i64))
        });
        let pairs = (0..count).flat_map(|key| relation.row(key).iter().copied());
        let meaning = Meaning::Relation(pairs.collect());
        Ok(Some(TermPlan { products, meaning }))
    }

    fn of_index(
        &mut self,
        literal: &Literal,
        function: &[f64],
        needs: Needs,
    ) -> Result<LinearRead, Stopped> {
        match function {
            [first, rest @ ..] if rest.iter().all(|other| other == first) => {
                Ok(LinearRead::constant(*first))
            }
            _ => {
                let label = format!("window of {}", self.name(literal.keys));
                self.demanded(literal.keys, function, needs.want, &label)
            }
        }
    }
}

/// A relation of indices as a window of places, if it is one; what a causal mask hides may be selected or
/// not.
fn window(relation: &Relation, causal: bool) -> Option<Window> {
    let count = relation.keys;
    if count > MOST_POSITIONS {
        return None;
    }
    let places = places(relation, causal)?;
    let (first, last) = (*places.first()?, *places.last()?);
    let middle = (first + last) as f64 / 2.0;
    let farthest = count as i64 - 1;
    let most = if causal { 0 } else { farthest };
    // Modulo their span only the first place and the last are in one class.
    let span = (last - first).clamp(1, MOST_CLASSES) as usize;
    (1..=span).find_map(|modulus| {
        let classes = (0..modulus as i64).map(|class| {
            let all = -farthest..=most;
            let of_class = all.filter(|place| (place - class).rem_euclid(modulus as i64) == 0);
            lift(of_class, &places, middle)
        });
        let lifts = classes.collect::<Option<_>>()?;
        Some(Window {
            places: places.clone(),
            middle,
            lifts,
        })
    })
}

/// How much all places of a class are lifted so that those of the window are at 0 and others below by 1 at
/// least, if that can be.
fn lift(class: impl Iterator<Item = i64>, places: &BTreeSet<i64>, middle: f64) -> Option<f64> {
    let square = |place: i64| (place as f64 - middle).powi(2);
    let (mut inside, mut outside) = (Vec::new(), f64::INFINITY);
    for place in class {
        match places.contains(&place) {
            true => inside.push(square(place)),
            false => outside = outside.min(square(place)),
        }
    }
    match *inside {
        [] if outside.is_finite() => Some(outside - 1.0),
        [] => Some(0.0),
        [level, ..] => {
            let are_level = inside.iter().all(|other| *other == level);
            (are_level && level + 1.0 <= outside).then_some(level)
        }
    }
}
