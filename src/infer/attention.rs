//! What attention writes: widths, the one value a row selects, or the sum and mean of several.
//! Which of these an aggregate is follows from what its selector can select. An output that only
//! depends on the position is a function of the index and needs no attention at all.

use super::candidate::Candidate;
use super::selector::SelectorFacts;
use super::sets::Values;
use super::space::{Column, Distinct, Space, VarId};
use super::sums::{self, Scaled, Term};
use super::{Analysis, Node, Several, Stopped, VarKind, finite};
use crate::base::Code;
use crate::graph::{SOpId, SelectorId};
use crate::value::{TypeSet, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// More pairs of a count and a sum in one environment than this are too many.
const MOST_SUMS: usize = 100_000;

/// The counts and sums of what one row may select, ascending.
type RowPairs = Arc<Vec<(u32, i64)>>;

/// Those of each environment.
type Pairs = Vec<RowPairs>;

/// The keys of one row: the set of what each can hold, whether it is always selected, how many of them are in
/// every input, and whether any is selected for certain.
type RowKeys = (Vec<(u32, bool)>, usize, bool);

/// A table with the width and the number of a variable's value in each row.
type WidthAnd = (Arc<Space>, Vec<(Option<i64>, usize)>);

/// An aggregate that may select several numbers.
struct Selection<'a> {
    id: SOpId,
    may_fail: bool,
    selector: SelectorId,
    facts: Arc<SelectorFacts>,
    value: Column,
    default: &'a Value,
    scaled: Scaled,
    pairs: Pairs,
}

impl Analysis<'_> {
    pub(super) fn analyse_width(&mut self, selector: SelectorId) -> Result<Node, Stopped> {
        self.analyse_selector(selector)?;
        let facts = self.selectors[&selector].clone();
        let mut lists: FxHashMap<(usize, usize), Arc<[Value]>> = FxHashMap::default();
        let each: Vec<Arc<[Value]>> = (0..self.environments.count())
            .map(|environment| {
                let (least, most) = facts.width(environment);
                let list = lists.entry((least, most)).or_insert_with(|| {
                    (least..=most)
                        .map(|width| Value::Int(width as i64))
                        .collect()
                });
                list.clone()
            })
            .collect();
        let values = Values::from_environments(&each);
        self.carried(VarKind::Width(selector), values, facts.may_fail)
    }

    pub(super) fn analyse_aggregate(
        &mut self,
        id: SOpId,
        selector: SelectorId,
        value: SOpId,
        default: &Value,
    ) -> Result<Node, Stopped> {
        finite(default)?;
        self.analyse_selector(selector)?;
        let facts = self.selectors[&selector].clone();
        let value = self.node(value)?.column.clone();
        if let Some(node) = self.pick(id, &facts, &value, default)? {
            return Ok(node);
        }
        let Some(scaled) = value.values.numbers().map(|numbers| sums::scaled(&numbers)) else {
            return Err(Stopped::new(
                Code::NotCompilable,
                "it may average several values, some of which are not numbers".to_string(),
            )
            .help("select at most one key at each position, or average numbers: `indicator(x)`"));
        };
        let Some(scaled) = scaled else {
            return Err(Stopped::new(
                Code::NotCompilable,
                "a mean of fractions is a real number in a model: sums, multiples, \
                 means, choices by other s-ops, and continuous ones, as `x if x > 0 else 0`, can be \
                 made of it, nothing else"
                    .to_string(),
            )
            .help("average ints, and divide the mean: `aggregate(s, x) / n`"));
        };
        let facts = self.for_mean(selector);
        let pairs = self.pairs(&facts, &value, &scaled)?;
        let several = Selection {
            may_fail: facts.may_fail || self.may_fail(&value),
            id,
            selector,
            facts,
            value,
            default,
            scaled,
            pairs,
        };
        self.analyse_several(&several)
    }

    /// The one value that is selected, unless several may be that have a mean.
    pub(super) fn pick(
        &mut self,
        id: SOpId,
        facts: &SelectorFacts,
        value: &Column,
        default: &Value,
    ) -> Result<Option<Node>, Stopped> {
        // The mean of equal values is one of them.
        let constant = value.values.domain.len() == 1;
        let one = facts.is_one();
        let has_means = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_));
        let has_means = value.values.domain.iter().any(has_means);
        // The heads of a union add up what each of them selects, though there may be one head for means.
        let is_union = facts.cubes.len() > 1;
        if !one && has_means && (is_union || !constant) {
            return Ok(None);
        }
        let single = one || constant;
        // Several selected values that are not numbers are an error of the interpreter.
        let values = self.picked(facts, value, default);
        let may_fail = facts.may_fail || self.may_fail(value) || !single;
        self.carried(VarKind::Pick(id), values, may_fail).map(Some)
    }

    /// An aggregate whose values cannot be listed is a real number, if one head gives it.
    pub(super) fn take_as_real(
        &mut self,
        id: SOpId,
        selector: SelectorId,
        value: SOpId,
        default: &Value,
    ) {
        let one_head = match self.selectors.get(&selector) {
            Some(facts) => self.several == Several::Means || facts.one_cube(false).is_some(),
            None => false,
        };
        if one_head && default.is_number() && self.is_number(value) {
            let var = self.real_var(VarKind::Mean(id));
            self.reals.insert(id, var);
        }
    }

    /// A variable without a list of values.
    pub(super) fn real_var(&mut self, kind: VarKind) -> VarId {
        let values = Values::uniform(Vec::new(), self.environments.count());
        self.var(kind, values, true)
    }

    /// Whether an s-op holds numbers, be it a real number.
    pub(super) fn is_number(&self, id: SOpId) -> bool {
        match self.node(id) {
            Ok(node) => node.column.values.numbers().is_some(),
            Err(stopped) => {
                let is_of_real = stopped.culprit.is_some_and(|id| self.real(id).is_some());
                let types = self.graph.types(id);
                is_of_real && !types.meets(TypeSet::STR) && !types.meets(TypeSet::BOOL)
            }
        }
    }

    /// The variable of a mean whose values cannot be listed, so that no table has it.
    pub fn real(&self, id: SOpId) -> Option<VarId> {
        self.reals.get(&id).copied()
    }

    /// A node that is one attention output, or a function of the index if that is all it is.
    fn carried(&mut self, kind: VarKind, values: Values, may_fail: bool) -> Result<Node, Stopped> {
        self.check_values(&values, given)?;
        if !may_fail && let Some(node) = self.positional(&values)? {
            return Ok(node);
        }
        let var = self.var(kind, values, may_fail);
        self.alone(var)
    }

    /// Whether a variable is a real number.
    pub fn is_real(&self, var: VarId) -> bool {
        self.reals.values().any(|real| *real == var)
    }

    /// The values as a function of the index, if they are one.
    fn positional(&mut self, values: &Values) -> Result<Option<Node>, Stopped> {
        let only = |at: usize| match **values.in_environment(at) {
            [only] => Some(only),
            _ => None,
        };
        let Some(at_position) = self.environments.by_position(only) else {
            return Ok(None);
        };
        let value = |position: usize| {
            let value = at_position[position] as usize;
            Some(values.domain[value].clone())
        };
        let (space, results) = match at_position.windows(2).all(|pair| pair[0] == pair[1]) {
            true => (self.space(Vec::new())?, vec![value(0)]),
            false => {
                let space = self.space(vec![Self::INDICES])?;
                // The domain of indices is 0, 1, … in order.
                let rows = (0..space.rows()).map(|row| value(space.row(row)[0] as usize));
                let results = rows.collect();
                (space, results)
            }
        };
        Ok(Some(Node::new(space.column(results), None)))
    }

    /// The values of a row that selects at most one key.
    fn picked(&self, facts: &SelectorFacts, value: &Column, default: &Value) -> Values {
        let mut lists: FxHashMap<(Vec<u32>, bool), Arc<[Value]>> = FxHashMap::default();
        let each: Vec<Arc<[Value]>> = facts
            .rows
            .iter()
            .map(|row| {
                let mut sets: Vec<u32> = row
                    .iter()
                    .map(|key| value.values.at[key.environment as usize])
                    .collect();
                sets.sort_unstable();
                sets.dedup();
                let empty = !facts.non_empty && !row.iter().any(Candidate::is_certain);
                let list = lists
                    .entry((sets, empty))
                    .or_insert_with_key(|(sets, empty)| {
                        let members = sets
                            .iter()
                            .flat_map(|set| value.values.sets[*set as usize].iter());
                        let members: FxHashSet<u32> = members.copied().collect();
                        let mut members: Vec<u32> = members.into_iter().collect();
                        members.sort_unstable();
                        let values = members
                            .iter()
                            .map(|at| value.values.domain[*at as usize].clone());
                        values.chain(empty.then(|| default.clone())).collect()
                    });
                list.clone()
            })
            .collect();
        Values::from_environments(&each)
    }

    fn pairs(
        &self,
        facts: &SelectorFacts,
        value: &Column,
        scaled: &Scaled,
    ) -> Result<Pairs, Stopped> {
        let sets: Vec<Vec<i64>> = value
            .values
            .sets
            .iter()
            .map(|set| set.iter().map(|at| scaled.numbers[*at as usize]).collect())
            .collect();
        let mut known: FxHashMap<RowKeys, RowPairs> = FxHashMap::default();
        let mut pairs = Vec::with_capacity(facts.rows.len());
        for (environment, row) in facts.rows.iter().enumerate() {
            let signature: Vec<(u32, bool)> = row
                .iter()
                .map(|key| (value.values.at[key.environment as usize], key.always))
                .collect();
            let there = row.iter().filter(|key| key.is_there).count();
            let counts = facts.width(environment);
            let key = (signature, there, counts.0 > 0);
            if let Some(found) = known.get(&key) {
                pairs.push(found.clone());
                continue;
            }
            let terms: Vec<Term> = key
                .0
                .iter()
                .map(|(set, always)| Term {
                    values: &sets[*set as usize],
                    always: *always,
                })
                .collect();
            let limit = MOST_SUMS.min(10 * self.limits.domain_values);
            let found = sums::counts_and_sums((&terms, there), counts, limit)
                .map(Arc::new)
                .ok_or_else(|| {
                    let pairs = format!("{limit} or more pairs of a count and a sum");
                    let message = format!("what is selected can have {pairs}: no more are listed");
                    Stopped::new(Code::DomainTooLarge, message)
                })?;
            known.insert(key, found.clone());
            pairs.push(found);
        }
        Ok(pairs)
    }

    /// An aggregate of numbers that may select more than one: a sum over a width that the index
    /// determines, a mean, or a sum divided by a width.
    fn analyse_several(&mut self, several: &Selection) -> Result<Node, Stopped> {
        let values = self.means(several)?;
        if !several.may_fail
            && let Some(node) = self.positional(&values)?
        {
            return Ok(node);
        }
        if self.several == Several::Means {
            let mean = self.var(VarKind::Mean(several.id), values, several.may_fail);
            return match several.default.is_number() {
                true => self.alone(mean),
                false => self.or_default(several, mean),
            };
        }
        let one_head = several.facts.one_cube(false).is_some() && several.default.is_number();
        let own = one_head.then(|| self.var(VarKind::Mean(several.id), values, several.may_fail));
        if let Some(widths) = self.widths_by_position(&several.facts) {
            let sum = self.sum_var(several)?;
            let column = self.over_positions(several, sum, &widths)?;
            return Ok(Node::new(column, own));
        }
        if let Some(mean) = own {
            return self.alone(mean);
        }
        let width = self.analyse_width(several.selector)?;
        let sum = self.sum_var(several)?;
        let column = self.over_widths(several, sum, &width)?;
        Ok(Node::new(column, None))
    }

    /// A mean whose default is no number: the default where the width is 0, and a number that stands
    /// for nothing there.
    fn or_default(&mut self, several: &Selection, mean: VarId) -> Result<Node, Stopped> {
        let width = self.analyse_width(several.selector)?;
        let (space, rows) = self.over_width_and(&width, mean)?;
        let domain = self.values(mean).domain.clone();
        let results = rows.into_iter().map(|(width, mean)| {
            Some(match width? {
                0 => several.default.clone(),
                _ => domain[mean].clone(),
            })
        });
        Ok(Node::new(space.column(results.collect()), None))
    }

    /// The table of a width and a variable; in each of its rows the width, and the number of the variable's value.
    fn over_width_and(&mut self, width: &Node, var: VarId) -> Result<WidthAnd, Stopped> {
        let mut vars = width.column.space.vars.clone();
        vars.push(var);
        vars.sort_unstable();
        vars.dedup();
        let space = self.space(vars)?;
        let place = space.vars.binary_search(&var).unwrap_or(0);
        let widths = space.project(&width.column.space);
        let rows = widths.iter().enumerate().map(|(row, at)| {
            let width = width.column.value(*at as usize).and_then(Value::as_int);
            (width, space.row(row)[place] as usize)
        });
        let rows = rows.collect();
        Ok((space, rows))
    }

    /// What the aggregate itself can be; as a mean, 0 for a default that is no number.
    fn means(&self, several: &Selection) -> Result<Values, Stopped> {
        let held = self.several == Several::Means && !several.default.is_number();
        let values = self.values_of(several, |count, sum| match (count, held) {
            (0, true) => Value::Int(0),
            _ => several.mean(count, sum),
        })?;
        self.check_values(&values, given)?;
        Ok(values)
    }

    /// What a function of the count and the sum of what is selected can be.
    fn values_of(
        &self,
        several: &Selection,
        function: impl Fn(u32, i64) -> Value,
    ) -> Result<Values, Stopped> {
        let mut distinct = Distinct::default();
        // Many environments have the same pairs.
        let mut numbers: FxHashMap<(u32, i64), u32> = FxHashMap::default();
        let mut number = |(count, sum): &(u32, i64)| {
            let known = numbers.entry((*count, *sum));
            *known.or_insert_with(|| distinct.insert_full(function(*count, *sum)).0 as u32)
        };
        let mut lists: FxHashMap<*const Vec<(u32, i64)>, Arc<[u32]>> = FxHashMap::default();
        let mut each: Vec<Arc<[u32]>> = Vec::with_capacity(several.pairs.len());
        for pairs in &several.pairs {
            self.if_interrupted()?;
            let list = lists.entry(Arc::as_ptr(pairs));
            let list = list.or_insert_with(|| pairs.iter().map(&mut number).collect());
            each.push(list.clone());
        }
        Ok(Values::from_numbered(distinct, &each))
    }

    /// How many keys each position selects, if the position alone determines it.
    fn widths_by_position(&self, facts: &SelectorFacts) -> Option<Vec<usize>> {
        self.environments.by_position(|at| {
            let (least, most) = facts.width(at);
            (least == most).then_some(most)
        })
    }

    fn sum_var(&mut self, several: &Selection) -> Result<VarId, Stopped> {
        let sums = self.values_of(several, |_, sum| several.sum_value(sum))?;
        Ok(self.var(VarKind::Sum(several.id), sums, several.may_fail))
    }

    fn over_positions(
        &mut self,
        several: &Selection,
        sum: VarId,
        widths: &[usize],
    ) -> Result<Column, Stopped> {
        let space = self.space(vec![Self::INDICES, sum])?;
        let domain = self.values(sum).domain.clone();
        let results = (0..space.rows()).map(|row| {
            let &[position, sum] = space.row(row) else {
                return None;
            };
            let sum = several.unscaled(&domain[sum as usize])?;
            Some(several.mean(widths[position as usize] as u32, sum))
        });
        Ok(space.column(results.collect()))
    }

    fn over_widths(
        &mut self,
        several: &Selection,
        sum: VarId,
        width: &Node,
    ) -> Result<Column, Stopped> {
        let (space, rows) = self.over_width_and(width, sum)?;
        let possible: FxHashSet<(u32, i64)> = several
            .pairs
            .iter()
            .flat_map(|pairs| pairs.iter().copied())
            .collect();
        let domain = self.values(sum).domain.clone();
        let results = rows.into_iter().map(|(width, sum)| {
            let count = width? as u32;
            let sum = several.unscaled(&domain[sum])?;
            possible
                .contains(&(count, sum))
                .then(|| several.mean(count, sum))
        });
        Ok(space.column(results.collect()))
    }
}

/// So many values, as attention gives them, for people.
fn given(count: usize) -> String {
    format!("attention can give {count} values here")
}

impl Selection<'_> {
    fn mean(&self, count: u32, sum: i64) -> Value {
        match (count, self.default) {
            (0, Value::Int(default)) if default.unsigned_abs() <= 1 << 53 => {
                self.number(*default as f64)
            }
            (0, Value::Float(default)) => self.number(*default),
            (0, default) => default.clone(),
            _ => self.number(sum as f64 / self.scaled.scale / f64::from(count)),
        }
    }

    fn sum_value(&self, sum: i64) -> Value {
        self.number(sum as f64 / self.scaled.scale)
    }

    /// A mean or a sum as a value, each number once: the interpreter gives the value itself if one key is selected,
    /// otherwise a float, which nothing that compiles tells apart.
    fn number(&self, number: f64) -> Value {
        let floats = |value: &Value| matches!(value, Value::Float(_));
        let is_int = number.fract() == 0.0 && number.abs() <= sums::LARGEST_INT;
        if is_int && !self.value.values.domain.iter().any(floats) {
            Value::Int(number as i64)
        } else {
            Value::Float(number)
        }
    }

    fn unscaled(&self, sum: &Value) -> Option<i64> {
        sum.as_float().map(|sum| (sum * self.scaled.scale) as i64)
    }
}
