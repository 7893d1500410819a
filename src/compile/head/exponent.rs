//! Logits that are what the program says: where weights are exponentials of sums of products, each
//! product of a number at the key and one at the query is a dimension of the head, as in any
//! transformer. What is compared may be real numbers: the certificate bounds what they are off by.

use super::literal::{ProductPlan, TermPlan};
use super::score::{LARGEST_LOGARITHM, refused};
use crate::compile::linear::LinearRead;
use crate::compile::linear::real::{ends, product_range};
use crate::compile::{Compiler, Want};
use crate::graph::exponential::{Addend, Power};
use crate::infer::Stopped;
use crate::plan::Meaning;
use std::collections::BTreeMap;

/// What has a larger exponent may be no float, or 0, where the program computes weights as they are.
const LARGEST_EXPONENT: f64 = 700.0;

impl Compiler<'_> {
    /// The scores that are a sum of products, as they are or from 0 on; `None` if all are equal.
    pub(crate) fn exponent(
        &mut self,
        sum: &[Addend],
        from_zero: bool,
    ) -> Result<Option<TermPlan>, Stopped> {
        let mut of_queries: BTreeMap<Option<Power>, LinearRead> = BTreeMap::new();
        for addend in sum {
            let key = match addend.key {
                Some(key) => self.power(key)?,
                None => LinearRead::constant(1.0),
            };
            let read = of_queries.entry(addend.query).or_default();
            *read = std::mem::take(read).plus(addend.factor, &key);
        }
        let mut products = Vec::new();
        let (mut least, mut most, mut size) = (0.0, 0.0, 0.0);
        for (query, key) in of_queries {
            let query = match query {
                Some(query) => self.power(query)?,
                None => LinearRead::constant(1.0),
            };
            let (queries, keys) = (self.range(&query)?, self.range(&key)?);
            let (low, high) = product_range(queries, keys);
            size += low.abs().max(high.abs());
            // What a query gives all its keys cancels in softmax.
            if key.functions.is_empty() && key.scalars.is_empty() {
                continue;
            }
            (least, most) = (least + low, most + high);
            products.push(ProductPlan {
                query,
                key,
                queries: ends(queries),
                keys: ends(keys),
            });
        }
        let above = most.max(0.0) - least.min(0.0);
        if above.is_nan() || above > LARGEST_LOGARITHM {
            return Err(refused(
                "the weights may differ by too large a factor for float32",
            ));
        }
        if size.is_nan() || size > LARGEST_EXPONENT {
            return Err(refused("the weights may be no floats, or 0 as floats"));
        }
        if products.is_empty() {
            return Ok(None);
        }
        if from_zero && least < 0.0 {
            products.push(ProductPlan {
                query: LinearRead::constant(-least),
                key: LinearRead::constant(1.0),
                queries: vec![-least],
                keys: vec![1.0],
            });
        }
        Ok(Some(TermPlan {
            products,
            meaning: Meaning::Exponent { above },
        }))
    }

    /// A number, or a power of one that is listed.
    fn power(&mut self, Power { of, exponent }: Power) -> Result<LinearRead, Stopped> {
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
