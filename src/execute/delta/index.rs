//! The keys, or the queries, of all columns in a head, so that those which score well with a vector are
//! found without looking at all. Vectors that differ in signs only are a class; in a class the score is
//! largest where all signs agree, and less by twice the smallest product elsewhere. So one look-up by
//! signs, and a bound for the rest, take the place of a scan; where the bound says nothing, the class is
//! scanned. Depends on `scalar`.

use crate::execute::scalar::Scalar;
use rustc_hash::FxHashMap;

/// Members of a class that are looked at one by one rather than looked up.
const FEW: usize = 8;

/// One vector for each column.
pub(super) struct Index<T> {
    dimensions: usize,
    /// Those of the columns, one after the other.
    vectors: Vec<T>,
    /// Which dimensions have values of both signs; the others tell classes apart, signs included.
    signed: Vec<bool>,
    classes: Vec<Class<T>>,
    numbers: FxHashMap<Vec<u64>, usize>,
    /// The class of each column.
    class_of: Vec<usize>,
}

/// Columns whose vectors differ in the signs of signed dimensions only.
struct Class<T> {
    /// Magnitudes in signed dimensions, values in others.
    pattern: Vec<T>,
    members: Vec<u32>,
    /// The members by their signs, once they are many.
    by_signs: Option<FxHashMap<u64, Vec<u32>>>,
    /// No largest score of a member, as a query, is less than this.
    least: T,
}

/// What the members of a class score with a vector.
struct Bound {
    /// At most.
    most: f64,
    /// At most where signs do not all agree.
    rest: f64,
    /// The signs that agree with all of the vector's; `None` if those of some dimension do not count.
    signs: Option<u64>,
}

impl<T: Scalar> Index<T> {
    pub fn new(dimensions: usize, vectors: Vec<T>, columns: usize) -> Index<T> {
        let signed = |dimension: usize| {
            let values = || (0..columns).map(|column| vectors[column * dimensions + dimension]);
            let has = |sign: &dyn Fn(T) -> bool| values().any(sign);
            // What is 0 at first may have any sign later.
            has(&|value| value > T::zero()) == has(&|value| value < T::zero())
        };
        let signed = (0..dimensions).map(signed).collect();
        let mut index = Index {
            dimensions,
            vectors,
            signed,
            classes: Vec::new(),
            numbers: FxHashMap::default(),
            class_of: vec![0; columns],
        };
        for column in 0..columns {
            index.enter(column);
        }
        index
    }

    pub fn vector(&self, column: usize) -> &[T] {
        &self.vectors[column * self.dimensions..(column + 1) * self.dimensions]
    }

    fn pattern(&self, vector: &[T]) -> Vec<T> {
        let dimensions = vector.iter().zip(&self.signed);
        dimensions
            .map(|(value, signed)| part(*value, *signed))
            .collect()
    }

    /// Whether a vector is in the class of a column.
    fn stays(&self, column: usize, vector: &[T]) -> bool {
        let class = &self.classes[self.class_of[column]];
        let mut dimensions = vector.iter().zip(&self.signed).zip(&class.pattern);
        dimensions.all(|((value, signed), pattern)| part(*value, *signed) == *pattern)
    }

    fn enter(&mut self, column: usize) {
        let pattern = self.pattern(self.vector(column));
        // Negative zeros are zeros.
        let bits = |value: &T| (value.widen() + 0.0).to_bits();
        let name: Vec<u64> = pattern.iter().map(bits).collect();
        let next = self.classes.len();
        let class = *self.numbers.entry(name).or_insert(next);
        if class == next {
            self.classes.push(Class {
                pattern,
                members: Vec::new(),
                by_signs: None,
                least: T::infinity(),
            });
        }
        self.class_of[column] = class;
        let signs = self.signs(column);
        let class = &mut self.classes[class];
        class.members.push(column as u32);
        match &mut class.by_signs {
            Some(by_signs) => by_signs.entry(signs).or_default().push(column as u32),
            None if class.members.len() > FEW && self.dimensions <= 64 => {
                let members = class.members.clone();
                let mut by_signs: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
                for member in members {
                    by_signs
                        .entry(self.signs(member as usize))
                        .or_default()
                        .push(member);
                }
                let class = self.class_of[column];
                self.classes[class].by_signs = Some(by_signs);
            }
            None => {}
        }
    }

    fn leave(&mut self, column: usize) {
        let signs = self.signs(column);
        let class = &mut self.classes[self.class_of[column]];
        remove(&mut class.members, column as u32);
        if let Some(found) = class
            .by_signs
            .as_mut()
            .and_then(|by_signs| by_signs.get_mut(&signs))
        {
            remove(found, column as u32);
        }
        if class.members.is_empty() {
            class.least = T::infinity();
        }
    }

    /// Gives a column another vector; whether it is another.
    pub fn replace(&mut self, column: usize, vector: &[T]) -> bool {
        if self.vector(column) == vector {
            return false;
        }
        let range = column * self.dimensions..(column + 1) * self.dimensions;
        if self.stays(column, vector) {
            let old = self.signs(column);
            self.vectors[range].copy_from_slice(vector);
            let new = self.signs(column);
            let class = &mut self.classes[self.class_of[column]];
            // In a class that nobody looks up, signs do not matter.
            if let Some(by_signs) = class.by_signs.as_mut().filter(|_| old != new) {
                if let Some(found) = by_signs.get_mut(&old) {
                    remove(found, column as u32);
                }
                by_signs.entry(new).or_default().push(column as u32);
            }
            return true;
        }
        self.leave(column);
        self.vectors[range].copy_from_slice(vector);
        self.enter(column);
        self.forget();
        true
    }

    /// Drops classes without members where they have become many.
    fn forget(&mut self) {
        let used = self
            .classes
            .iter()
            .filter(|class| !class.members.is_empty())
            .count();
        if self.classes.len() <= 4 * used + 64 {
            return;
        }
        let mut place = vec![0; self.classes.len()];
        let mut kept = 0;
        for (class, place) in self.classes.iter().zip(&mut place) {
            *place = kept;
            kept += usize::from(!class.members.is_empty());
        }
        let is_used: Vec<bool> = self
            .classes
            .iter()
            .map(|class| !class.members.is_empty())
            .collect();
        self.classes.retain(|class| !class.members.is_empty());
        self.numbers.retain(|_, number| is_used[*number]);
        self.numbers
            .values_mut()
            .for_each(|number| *number = place[*number]);
        self.class_of
            .iter_mut()
            .for_each(|class| *class = place[*class]);
    }

    /// The signs of a column's vector in the signed dimensions where its class is not 0.
    fn signs(&self, column: usize) -> u64 {
        let vector = self.vector(column);
        let dimensions = vector.iter().zip(&self.signed).take(64).enumerate();
        let positive = dimensions.filter(|(_, (value, signed))| **signed && **value > T::zero());
        positive.fold(0, |signs, (dimension, _)| signs | 1 << dimension)
    }

    /// Notes the largest score of a column as a query.
    pub fn note_largest(&mut self, column: usize, largest: T) {
        let class = &mut self.classes[self.class_of[column]];
        let is_known = class.least <= largest;
        if !is_known {
            class.least = largest;
        }
    }

    fn bound(&self, class: &Class<T>, vector: &[T], root: f64) -> Bound {
        let (mut most, mut size, mut gap) = (0.0, 0.0, f64::INFINITY);
        let mut signs = Some(0u64);
        let dimensions = class.pattern.iter().zip(vector).zip(&self.signed);
        for (dimension, ((pattern, value), signed)) in dimensions.enumerate() {
            if *pattern == T::zero() {
                continue;
            }
            let product = pattern.widen() * value.widen();
            size += product.abs();
            most += if *signed { product.abs() } else { product };
            if *signed {
                gap = product.abs().min(gap);
                if *value == T::zero() {
                    signs = None;
                } else if *value > T::zero() && dimension < 64 {
                    signs = signs.map(|signs| signs | 1 << dimension);
                }
            }
        }
        // More than what all roundings of a score can add up to.
        let slack = size * T::epsilon().widen() * (self.dimensions as f64 + 4.0);
        Bound {
            most: (most + slack) / root,
            rest: (most - 2.0 * gap + slack) / root,
            signs,
        }
    }

    /// Of these columns as keys, a vector's that can count in its softmax, with their scores, in any
    /// order; `range` is how far below the largest a score counts.
    pub fn keys(&self, query: &[T], root: T, range: f64, found: &mut Vec<(u32, T)>) {
        found.clear();
        let mut largest = T::neg_infinity();
        let mut open: Vec<(usize, Option<u64>, f64)> = Vec::new();
        let take =
            |found: &mut Vec<(u32, T)>, members: &mut dyn Iterator<Item = u32>, largest: &mut T| {
                for member in members {
                    let score = score(self.vector(member as usize), query) / root;
                    if score > *largest {
                        *largest = score;
                    }
                    found.push((member, score));
                }
            };
        for (number, class) in self.classes.iter().enumerate() {
            if class.members.len() <= FEW {
                take(found, &mut class.members.iter().copied(), &mut largest);
                continue;
            }
            let bound = self.bound(class, query, root.widen());
            match (&class.by_signs, bound.signs) {
                (Some(by_signs), Some(signs)) => {
                    if let Some(alike) = by_signs.get(&signs) {
                        take(found, &mut alike.iter().copied(), &mut largest);
                    }
                    open.push((number, Some(signs), bound.rest));
                }
                _ => open.push((number, None, bound.most)),
            }
        }
        for (number, taken, most) in open {
            if most < largest.widen() - range {
                continue;
            }
            let members = self.classes[number].members.iter().copied();
            let mut left = members.filter(|member| Some(self.signs(*member as usize)) != taken);
            take(found, &mut left, &mut largest);
        }
    }

    /// Of these columns as queries, those in whose softmax a key can count; `largest` are their largest
    /// scores.
    pub fn queries(&self, key: &[T], root: T, range: f64, largest: &[T], found: &mut Vec<u32>) {
        found.clear();
        let mut take = |members: &mut dyn Iterator<Item = u32>| {
            for member in members {
                let score = score(key, self.vector(member as usize)) / root;
                let far = score.widen() < largest[member as usize].widen() - range;
                if !far {
                    found.push(member);
                }
            }
        };
        for class in self
            .classes
            .iter()
            .filter(|class| !class.members.is_empty())
        {
            let least = class.least.widen() - range;
            let members = || class.members.iter().copied();
            if class.members.len() <= FEW {
                take(&mut members());
                continue;
            }
            let bound = self.bound(class, key, root.widen());
            if bound.most < least {
                continue;
            }
            match (&class.by_signs, bound.signs) {
                (Some(by_signs), Some(signs)) if bound.rest < least => {
                    if let Some(alike) = by_signs.get(&signs) {
                        take(&mut alike.iter().copied());
                    }
                }
                _ => take(&mut members()),
            }
        }
    }
}

fn part<T: Scalar>(value: T, signed: bool) -> T {
    if signed { value.abs() } else { value }
}

/// The score before it is divided, as the forward pass adds it up.
fn score<T: Scalar>(key: &[T], query: &[T]) -> T {
    let mut score = T::zero();
    for (key, query) in key.iter().zip(query) {
        if *key != T::zero() {
            score += *key * *query;
        }
    }
    score
}

/// Takes a column out of a list in any order; what came last is found first.
pub(super) fn remove(list: &mut Vec<u32>, column: u32) {
    if let Some(at) = list.iter().rposition(|member| *member == column) {
        list.swap_remove(at);
    }
}
