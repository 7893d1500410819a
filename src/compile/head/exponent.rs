//! Logits that are what the program says: where weights are exponentials of sums of products, each
//! product of a number at the key and one at the query is a dimension of the head, as in any
//! transformer. What is compared may be real numbers: the certificate bounds what they are off by.

use super::literal::{ProductPlan, TermPlan};
use super::score::{LARGEST_LOGARITHM, refused};
use crate::compile::linear::LinearRead;
use crate::compile::linear::real::{ends, product_range};
use crate::compile::{Compiler, Want, range_of};
use crate::graph::exponential::{Addend, Power};
use crate::infer::Stopped;
use crate::plan::Meaning;
use std::collections::BTreeMap;

/// What has a larger exponent may be no float, or 0, where the program computes weights as they are.
const LARGEST_EXPONENT: f64 = 700.0;

/// More pairs of a key's and a query's number are not looked at one by one.
const MOST_PAIRS: usize = 1 << 20;

/// The numbers at keys and at queries, where each side reads one s-op whose values are listed.
type Sides = (Vec<f64>, Vec<f64>);

impl Compiler<'_> {
    /// The scores that are a sum of products, as they are or from 0 on; `None` if all are equal.
    pub(crate) fn exponent(
        &mut self,
        sum: &[Addend],
        from_zero: bool,
    ) -> Result<Option<TermPlan>, Stopped> {
        let mut scores = self.scores(sum, None, from_zero)?;
        // Products that are large each may add up to little.
        if let (Some(_), Some(sides)) = (scores.refused, self.sides(sum)) {
            let by_number = self.scores(sum, Some(&sides), true)?;
            if by_number.refused.is_none() {
                scores = by_number;
            }
        }
        match scores.refused {
            Some(reason) => Err(refused(reason)),
            None => Ok((!scores.products.is_empty()).then_some(TermPlan {
                products: scores.products,
                meaning: scores.meaning,
            })),
        }
    }

    /// The scores of a sum: by the ends of what each side can be, or by their numbers if these are listed.
    fn scores(
        &mut self,
        sum: &[Addend],
        sides: Option<&Sides>,
        from_zero: bool,
    ) -> Result<Scores, Stopped> {
        let mut of_queries: BTreeMap<Option<Power>, Vec<&Addend>> = BTreeMap::new();
        for addend in sum {
            of_queries.entry(addend.query).or_default().push(addend);
        }
        let mut products = Vec::new();
        for (query, addends) in of_queries {
            let mut key = LinearRead::default();
            for addend in &addends {
                key = key.plus(addend.factor, &self.power(addend.key)?);
            }
            let query_read = self.power(query)?;
            let (keys, queries) = match sides {
                Some((keys, queries)) => {
                    let sum = |number: &f64| {
                        let addends = addends.iter();
                        addends.map(|it| it.factor * powered(*number, it.key)).sum()
                    };
                    let queries = queries.iter().map(|number| powered(*number, query));
                    (keys.iter().map(sum).collect(), queries.collect())
                }
                None => (ends(self.range(&key)?), ends(self.range(&query_read)?)),
            };
            products.push(ProductPlan {
                query: query_read,
                key,
                queries: queries.into(),
                keys: keys.into(),
            });
        }
        let reach = |products: &[ProductPlan]| match sides {
            Some(sides) => reach_of_pairs(products, sides),
            None => reach_of_ends(products),
        };
        let all = reach(&products);
        // What a query gives all its keys cancels in softmax, but may keep numbers small.
        let varies = |key: &LinearRead| !key.functions.is_empty() || !key.scalars.is_empty();
        products.retain(|product| sides.is_some() || varies(&product.key));
        let (least, most) = reach(&products);
        let above = most.max(0.0) - least.min(0.0);
        let is_within = |number: f64, most: f64| number <= most;
        let refused = if !is_within(above, LARGEST_LOGARITHM) {
            Some("the weights may differ by too large a factor for float32")
        } else if !is_within(all.1.max(-all.0), LARGEST_EXPONENT) {
            Some("the weights may be no floats, or 0 as floats")
        } else {
            None
        };
        if from_zero && least < 0.0 {
            let count = |side: fn(&Sides) -> &Vec<f64>| sides.map_or(1, |sides| side(sides).len());
            products.push(ProductPlan {
                query: LinearRead::constant(-least),
                key: LinearRead::constant(1.0),
                queries: vec![-least; count(|sides| &sides.1)].into(),
                keys: vec![1.0; count(|sides| &sides.0)].into(),
            });
        }
        Ok(Scores {
            products,
            meaning: match sides {
                Some(_) => Meaning::Score { above },
                None => Meaning::Exponent { above },
            },
            refused,
        })
    }

    /// The numbers of both sides of a sum, if they are few.
    fn sides(&self, sum: &[Addend]) -> Option<Sides> {
        let of = |power: fn(&Addend) -> Option<Power>| {
            let mut read = sum.iter().filter_map(power).map(|power| power.of);
            let Some(first) = read.next() else {
                return Some(vec![1.0]);
            };
            let node = self.analysis.node(first).ok()?;
            read.all(|other| other == first)
                .then(|| node.column.values.numbers())?
        };
        let (keys, queries) = (of(|addend| addend.key)?, of(|addend| addend.query)?);
        (keys.len().saturating_mul(queries.len()) <= MOST_PAIRS).then_some((keys, queries))
    }

    /// A number, or a power of one that is listed; 1 if there is none.
    fn power(&mut self, power: Option<Power>) -> Result<LinearRead, Stopped> {
        let Some(Power { of, exponent }) = power else {
            return Ok(LinearRead::constant(1.0));
        };
        if exponent == 1 {
            return self.real_number(of, 0.0);
        }
        let numbers = self.analysis.node(of)?.column.values.numbers();
        let numbers = numbers.unwrap_or_default().into_iter();
        let powers: Vec<f64> = numbers.map(|number| number.powi(exponent as i32)).collect();
        let label = format!("{} ^ {exponent}", self.name(of));
        self.feature(of, &powers, Want::Close, &label)
    }
}

/// A sum of products for a head.
struct Scores {
    products: Vec<ProductPlan>,
    meaning: Meaning,
    /// Why floats do not hold it, if they do not.
    refused: Option<&'static str>,
}

/// A number to a power; 1 if there is none.
fn powered(number: f64, power: Option<Power>) -> f64 {
    power.map_or(1.0, |power| number.powi(power.exponent as i32))
}

/// Where products are together, which may come in any way.
fn reach_of_ends(products: &[ProductPlan]) -> (f64, f64) {
    let range = |product: &ProductPlan| {
        let ends = |numbers: &[f64]| range_of(numbers.iter().copied());
        product_range(ends(&product.queries), ends(&product.keys))
    };
    let ranges = products.iter().map(range);
    ranges.fold((0.0, 0.0), |(low, high), (least, most)| {
        (low + least, high + most)
    })
}

/// Where products are together, of which all have tables of the same numbers.
fn reach_of_pairs(products: &[ProductPlan], (keys, queries): &Sides) -> (f64, f64) {
    let pairs = (0..keys.len()).flat_map(|key| (0..queries.len()).map(move |query| (key, query)));
    let score = |(key, query): (usize, usize)| -> f64 {
        let products = products.iter();
        products.map(|p| p.keys[key] * p.queries[query]).sum()
    };
    range_of(pairs.map(score))
}
