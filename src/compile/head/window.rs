//! Windows: keys a few places from their query, as the one before, the same and the one after. A parabola of
//! how far a key is from the middle of the window is the same for no more than two places; what a place has
//! modulo a small number says how much to lift it, so that the places of the window are level and all others
//! below: `-d² + (d % 2)` is 0 for -1, 0 and 1. Two dimensions of a head hold the parabola and one each class
//! but the last, where a table of the window has as many as there are positions.

use super::literal::{Factors, Needs, TermPlan};
use crate::compile::way::{NotThis, Way};
use crate::compile::{Care, Compiler, ones_where};
use crate::infer::by_index::places;
use crate::infer::cube::{Literal, Relation};
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
    /// The products for so many positions, whose index has a name, and what each is a function of. What a query
    /// adds to all its keys alike is left out where the logit is `relative`.
    fn factors(&self, count: usize, name: &str, relative: bool) -> Vec<(Factors, String)> {
        let modulus = self.lifts.len();
        let lift = |class: usize, query: usize| {
            let place = class as i64 - query as i64;
            self.lifts[place.rem_euclid(modulus as i64) as usize]
        };
        let last = |query: usize| lift(modulus - 1, query);
        let centre = (count / 2) as f64;
        let keys = (0..count).map(|key| key as f64 - centre);
        let keys: Vec<f64> = keys.collect();
        // Where the middle of the window of a query is.
        let middles: Vec<f64> = keys.iter().map(|query| query + self.middle).collect();
        let own = (0..count).map(|query| last(query) - middles[query] * middles[query]);
        let own: Vec<f64> = own.collect();
        // What is selected is to stand above BOS, whose logit is 0, without what the query adds, too.
        let raised = match relative {
            true => own.iter().copied().fold(0.0, f64::max),
            false => 0.0,
        };
        let places = Factors {
            queries: middles.iter().map(|middle| 2.0 * middle).collect(),
            keys: keys.clone(),
        };
        let squares = Factors {
            queries: vec![-1.0; count],
            keys: keys.iter().map(|key| key * key - raised).collect(),
        };
        let mut factors = vec![(places, name.to_string()), (squares, format!("{name}²"))];
        for class in 0..modulus - 1 {
            let lifts = Factors {
                queries: (0..count)
                    .map(|query| lift(class, query) - last(query))
                    .collect(),
                keys: ones_where(count, |key| key % modulus == class),
            };
            factors.push((lifts, format!("{name} % {modulus} = {class}")));
        }
        if !relative {
            let own = Factors {
                queries: own,
                keys: vec![1.0; count],
            };
            factors.push((own, format!("{name}²")));
        }
        factors
    }
}

impl Compiler<'_> {
    /// The products of a window of indices, unless a relation is none, is a matching, or takes no more as a table,
    /// which has so many classes.
    pub(super) fn window(
        &mut self,
        literal: &Literal,
        needs: Needs,
        classes: usize,
    ) -> Way<TermPlan> {
        let window = self.window_factors(literal, needs.kind.is_relative(), classes);
        let (relation, factors) = window.ok_or(NotThis)?;
        let factors = factors.into_iter();
        let factors = factors.map(|(of, label)| (of, [label.clone(), label]));
        let products = self.products_of(literal, needs.want, factors.collect())?;
        let meaning = Meaning::Relation(relation.bits().into());
        Ok(TermPlan { products, meaning })
    }

    /// The relation that the products of a window are 0 for, and these with what each is a function of.
    pub(super) fn window_factors(
        &self,
        literal: &Literal,
        relative: bool,
        classes: usize,
    ) -> Option<(Relation, Vec<(Factors, String)>)> {
        let may_be = self.analysis.is_indices(literal.keys)
            && self.analysis.is_indices(literal.queries)
            && self.chooses(Choice::Factor)
            && self.care != Care::Bits
            && self.matching(literal).is_none();
        let causal = self.analysis.setting.causal;
        let window = may_be
            .then(|| window_of(&literal.relation, causal))
            .flatten()?;
        if window.lifts.len() + 2 >= classes {
            return None;
        }
        let (count, name) = (literal.relation.keys, self.name(literal.keys));
        let factors = window.factors(count, &name, relative);
        let relation = Relation::tabulate(count, count, |key, query| {
            window.places.contains(&(key as i64 - query as i64))
        });
        Some((relation, factors))
    }
}

/// A relation of indices as a window of places, if it is one; what a causal mask hides may be selected or
/// not.
fn window_of(relation: &Relation, causal: bool) -> Option<Window> {
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
