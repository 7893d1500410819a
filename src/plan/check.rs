//! Whether a plan holds together: every variable is written, and read after that only; operations
//! have layers, and their tables the sizes that they speak of. What passes can be lowered and
//! certified, wherever it comes from.

use super::{Attend, FeedForward, Linear, Meaning, Plan, Product, Read, ReadOut};
use super::{Term, VariableId, Written};
use crate::model::Decoder;
use std::collections::{BTreeMap, BTreeSet};

/// Digits of a rounding, before or behind the point, beyond which no float has any.
const MOST_DIGITS: i32 = 1_000;

type Checked = Result<(), String>;

/// What scores may be off by that are added up in floats, as a share of them.
const NEAR: f64 = 1e-9;

impl Plan {
    /// # Errors
    /// What does not hold, in words.
    pub fn check(&self) -> Checked {
        self.check_layers()?;
        self.check_variables()?;
        let ready: Vec<usize> = self.readiness();
        for (variable, ready) in self.variables.iter().zip(&ready) {
            if variable.written.is_computed() && *ready == 0 {
                return Err(format!("{}: nothing writes it", variable.label));
            }
        }
        let reads = Reads { plan: self, ready };
        self.attends
            .iter()
            .try_for_each(|attend| reads.attend(attend))?;
        self.check_heads()?;
        for forward in &self.feed_forwards {
            reads.feed_forward(forward)?;
        }
        self.check_tables()?;
        self.read_outs()
            .try_for_each(|read_out| reads.read_out(read_out, 2 * self.layers()))
    }

    /// Each layer has an operation, since there are no more layers than a chain of operations takes.
    pub(super) fn check_layers(&self) -> Checked {
        let most = self.attends.len() + self.feed_forwards.len();
        let attends = self.attends.iter().map(|op| (op.layer, &op.source.name));
        let forwards = self
            .feed_forwards
            .iter()
            .map(|op| (op.layer, &op.source.name));
        for (layer, name) in attends.chain(forwards) {
            if layer == 0 {
                return Err(format!("{name}: no layer"));
            }
            if layer > most {
                return Err(format!("{name}: layer {layer} of {most} operations"));
            }
        }
        Ok(())
    }

    fn check_variables(&self) -> Checked {
        for kind in [Written::Flag, Written::One] {
            if self.variables.iter().filter(|v| v.written == kind).count() > 1 {
                return Err(format!("two variables that are {kind:?}"));
            }
        }
        for (at, (late, early)) in self.shared.iter().enumerate() {
            let mut others = self.shared[..at].iter();
            if others.any(|(l, e)| l == late || e == early) {
                return Err("two variables in the direction of one".to_string());
            }
            self.check_shared(*late, *early)?;
        }
        for variable in &self.variables {
            let label = &variable.label;
            let of_bos = matches!(variable.written, Written::Flag | Written::One);
            if !self.bos && (of_bos || variable.bos != 0.0) {
                return Err(format!("{label}: at BOS, which there is not"));
            }
            // What units write at BOS is taken back there.
            if variable.written == Written::FeedForward && variable.bos != 0.0 {
                return Err(format!("{label}: {} at BOS", variable.bos));
            }
            finite(label, variable.values.iter().chain([&variable.bos]))?;
            in_order(label, &variable.values)?;
            if let Some(rounding) = variable.rounding
                && rounding.digits.unsigned_abs() > MOST_DIGITS.unsigned_abs()
            {
                return Err(format!("{label}: rounded to {} digits", rounding.digits));
            }
            if let Written::Embed { tokens, indices } = &variable.written {
                finite(label, tokens.iter().chain(indices))?;
                let rows = [(tokens, self.vocabulary.len()), (indices, self.max_length)];
                for (numbers, expected) in rows {
                    if !numbers.is_empty() && numbers.len() != expected {
                        let found = numbers.len();
                        return Err(format!("{label}: {found} numbers for {expected} rows"));
                    }
                }
                if !tokens.is_empty() && !indices.is_empty() {
                    return Err(format!("{label}: both of tokens and of indices"));
                }
            }
        }
        Ok(())
    }

    /// What stands in the direction of another is written once nobody reads that any more, and after
    /// all heads have read what stands at BOS: there it may be anything.
    fn check_shared(&self, late: VariableId, early: VariableId) -> Checked {
        let known = |id: VariableId| self.variables.get(id.0 as usize);
        let (Some(variable), Some(below)) = (known(late), known(early)) else {
            return Err("a direction of a variable that there is not".to_string());
        };
        let last = self.attends.iter().map(|op| op.layer).max().unwrap_or(0);
        let writes = |id| self.writes().filter(move |(into, _)| *into == id);
        let first = writes(late).map(|(_, half)| half).min().unwrap_or(0);
        let reads = |linear: &Linear| linear.has(early);
        let mut later = self.feed_forwards.iter().filter(|op| 2 * op.layer > first);
        let fine = first + 1 >= 2 * last
            && variable.written.is_computed()
            && below.written != Written::One
            && self.one_of_biases() != Some(early)
            && variable.rounding.is_none()
            && below.rounding.is_none()
            && writes(early).all(|(_, half)| half < first)
            && !later.any(|op| reads(&op.argument))
            && !self.scores().any(reads);
        match fine {
            true => Ok(()),
            false => {
                let label = &variable.label;
                Err(format!(
                    "{label}: its direction is written while it is read"
                ))
            }
        }
    }

    /// Operations of one head have its logit.
    fn check_heads(&self) -> Checked {
        let mut heads: BTreeMap<(usize, usize), &Attend> = BTreeMap::new();
        for attend in &self.attends {
            let head = heads.entry(attend.head()).or_insert(attend);
            if head.terms != attend.terms {
                let name = &attend.source.name;
                return Err(format!("{name}: one head of two patterns"));
            }
        }
        Ok(())
    }
}

/// What may be read when.
struct Reads<'p> {
    plan: &'p Plan,
    ready: Vec<usize>,
}

impl Reads<'_> {
    fn attend(&self, attend: &Attend) -> Checked {
        let name = &attend.source.name;
        let state = 2 * attend.layer - 2;
        self.writes(attend.into, &Written::Attend, name)?;
        self.linear(&attend.value, state, name)?;
        for product in attend.products() {
            self.linear(&product.query, state, name)?;
            self.linear(&product.key, state, name)?;
        }
        attend
            .terms
            .iter()
            .try_for_each(|term| check_term(term, name))?;
        if attend.value.constant != 0.0 {
            return Err(format!("{name}: moves a constant"));
        }
        Ok(())
    }

    fn feed_forward(&self, forward: &FeedForward) -> Checked {
        let name = &forward.source.name;
        self.writes(forward.into, &Written::FeedForward, name)?;
        self.linear(&forward.argument, 2 * forward.layer - 1, name)?;
        finite(name, &*forward.points)?;
        in_order(name, &forward.points)?;
        let units = forward.units.iter();
        let numbers: Vec<f64> = units.flat_map(|u| [u.slope, u.offset, u.weight]).collect();
        finite(name, &numbers)
    }

    fn read_out(&self, read_out: &ReadOut, end: usize) -> Checked {
        let name = &read_out.name;
        for score in &read_out.scores {
            self.linear(score, end, name)?;
        }
        let scores = read_out.scores.len();
        let classes = match &read_out.decoder {
            Decoder::Categorical(values) => Some(values.len()),
            Decoder::Numerical(_) => None,
        };
        let is_scored = || {
            let needed = read_out.read.scores(self.plan.one_of_biases());
            needed.as_ref() == Some(&read_out.scores)
        };
        let fits = match &read_out.read {
            Read::Nearest(values) => scores == 1 && is_of(values, &read_out.decoder),
            Read::Classes(number, count) => {
                self.linear(number, end, name)?;
                *count == scores && classes == Some(scores) && is_scored()
            }
            Read::Ratio {
                numerator,
                denominator,
                numbers,
            } => {
                self.linear(numerator, end, name)?;
                self.linear(denominator, end, name)?;
                finite(name, numbers)?;
                numbers.is_sorted() && classes == Some(scores) && is_scored()
            }
        };
        match fits {
            true => Ok(()),
            false => Err(format!("{name}: scores that are not what is read")),
        }
    }

    fn linear(&self, linear: &Linear, state: usize, what: &str) -> Checked {
        for variable in linear.reads() {
            let Some(born) = self.ready.get(variable.0 as usize) else {
                return Err(format!("{what}: reads a variable that there is not"));
            };
            if *born > state {
                let label = &self.plan.variable(variable).label;
                return Err(format!("{what}: reads {label} before it is written"));
            }
        }
        finite(what, linear.terms.values().chain([&linear.constant]))
    }

    fn writes(&self, into: VariableId, kind: &Written, what: &str) -> Checked {
        let variable = self.plan.variables.get(into.0 as usize);
        match variable.is_some_and(|variable| variable.written == *kind) {
            true => Ok(()),
            false => Err(format!("{what}: writes what is not its to write")),
        }
    }
}

/// The tables of a relation are for the same values.
fn check_term(term: &Term, what: &str) -> Checked {
    let size = |product: &Product| (product.queries.len(), product.keys.len());
    for product in &term.products {
        finite(what, product.queries.iter().chain(&*product.keys))?;
        let first = term.products.first().map(size);
        let is_of_one_size = matches!(term.meaning, Meaning::Relation(_) | Meaning::Bos { .. });
        if is_of_one_size && first != Some(size(product)) {
            return Err(format!("{what}: a relation of several sizes"));
        }
    }
    match term.meaning {
        Meaning::Score { above } => {
            finite(what, &[above])?;
            let (least, most) = scores(term);
            let near = NEAR * (1.0 + above.abs());
            match least >= -near && most <= above + near {
                true => Ok(()),
                false => Err(format!(
                    "{what}: scores from {least} to {most}, not from 0 to {above}"
                )),
            }
        }
        Meaning::Exponent { above } => finite(what, &[above]),
        Meaning::Relation(_) | Meaning::Bos { .. } | Meaning::Guard => Ok(()),
    }
}

/// The least and the greatest that the products of a term add up to: those with tables of one size are of
/// the same values, and any others may come together.
fn scores(term: &Term) -> (f64, f64) {
    let size = |product: &Product| (product.queries.len(), product.keys.len());
    let sizes: BTreeSet<_> = term.products.iter().map(size).collect();
    let mut range = (0.0, 0.0);
    for (queries, keys) in sizes {
        let alike = term
            .products
            .iter()
            .filter(|known| size(known) == (queries, keys));
        let alike: Vec<&Product> = alike.collect();
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for query in 0..queries {
            for key in 0..keys {
                let products = alike.iter();
                let score: f64 = products.map(|p| p.queries[query] * p.keys[key]).sum();
                (least, most) = (least.min(score), most.max(score));
            }
        }
        range = (range.0 + least, range.1 + most);
    }
    range
}

/// Whether a decoder knows these numbers; there are none where a value is read as it is.
fn is_of(values: &[f64], decoder: &Decoder) -> bool {
    match decoder {
        Decoder::Categorical(_) => values.is_empty(),
        Decoder::Numerical(known) => {
            let known = known.iter().filter_map(crate::value::Value::as_float);
            known.eq(values.iter().copied())
        }
    }
}

fn in_order(what: &str, numbers: &[f64]) -> Checked {
    match numbers.is_sorted() {
        true => Ok(()),
        false => Err(format!("{what}: values that are not ascending")),
    }
}

fn finite<'n>(what: &str, numbers: impl IntoIterator<Item = &'n f64>) -> Checked {
    match numbers.into_iter().all(|number| number.is_finite()) {
        true => Ok(()),
        false => Err(format!("{what}: a number that is not finite")),
    }
}
