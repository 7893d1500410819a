//! What a trained program lacks: parts of the same family that read its variables, with tables that are
//! read off the examples. They are ranked by how many labels a table of two variables then has right.
//! Depends on `program`, `run`, `grow`, `decide` and `data`.

use super::data::{Data, Encoded};
use super::decide::{self, List};
use super::grow::{lookup, refit, spread};
use super::program::{
    Comparison, FIRST, Head, Linear, Module, POSITIONS, Predicate, Program, Readout, Rule, TOKENS,
    Variable, largest,
};
use super::run::{Inputs, some};
use super::train::Stop;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Examples that parts are ranked on.
const SAMPLE: usize = 1500;
/// Pairs of variables that are looked at closely for each kind of part.
const CLOSELY: usize = 24;
/// Labels that a row of a table has to have right, or it counts for nothing.
const WORTH: u32 = 2;
/// Variables with more values than this are not read by tables.
const VALUES: usize = 48;

/// What is added to the variables that there are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Nothing,
    /// A table of two variables says from which position to copy the token.
    Fetched(Variable, Variable),
    /// How many positions have the same value.
    Peers(Variable),
    /// A table says which labels two variables leave open; it is counted where these are.
    Open(Variable, Variable, u64),
    /// The token at the nearest key that is equal to the query.
    Equal(Variable, Variable),
}

impl Part {
    fn reads(self) -> Vec<Variable> {
        match self {
            Part::Nothing => vec![],
            Part::Fetched(a, b) | Part::Open(a, b, _) | Part::Equal(a, b) => vec![a, b],
            Part::Peers(a) => vec![a],
        }
    }
}

/// The program with what was found.
pub struct Completed {
    /// Labels are read from a table.
    pub table: Program,
    /// Labels are read from sums as before, which may read what is added, too.
    pub sums: Program,
}

/// The program with the part that most labels can be read with, by a table of two variables, or with a
/// list of tables if that decides more.
pub fn completed(program: &Program, data: &Data, d: usize, stop: &Stop) -> Option<Completed> {
    let train = &data.train;
    let first: Vec<usize> = (0..train.count().min(SAMPLE)).collect();
    let sample = train.part(&first);
    let mut pool = Pool::new(program, &sample, data, d);
    let (part, (a, b)) = pool.best(stop)?;
    let columns = some(train, &pool.modules, &part.reads());
    let made = pool.made(part, &columns, train);
    let modules = [&pool.modules[..], &made].concat();
    let columns = some(train, &modules, &[a, b]);
    let readout = lookup(&columns, a, b, &train.labels);
    let mut best = Program { modules, readout };
    let mut added = made.len();
    let mut table = best.pruned();
    refit(&mut table, train, &data.labels);
    let score = table.score(train);
    if score.labels_right < score.labels {
        decide::widen(&mut pool);
        if let Some(List { modules, readout }) = decide::list(&pool, train, stop) {
            let listed = Program {
                modules: [&pool.modules[..], &modules].concat(),
                readout,
            };
            if listed.score(train).labels_right > score.labels_right {
                (added, table, best) = (modules.len(), listed.pruned(), listed);
            }
        }
    }
    let end = FIRST + best.modules.len();
    let added: Vec<Variable> = (end - added..end).collect();
    if let Readout::Linear(linear) = &program.readout {
        best.readout = Readout::Linear(extended(linear, &best.modules, &added));
    }
    Some(Completed {
        table,
        sums: best.pruned(),
    })
}

/// Sums that read more variables, with weights of 0.
fn extended(linear: &Linear, modules: &[Module], added: &[Variable]) -> Linear {
    let is_number = |variable: &Variable| matches!(modules[variable - FIRST], Module::Count(..));
    let (numbers, values): (Vec<Variable>, Vec<Variable>) =
        added.iter().partition(|variable| is_number(variable));
    let mut linear = linear.clone();
    let row = linear.d * linear.labels;
    let end = linear.categorical.len() * row;
    let zeros = std::iter::repeat_n(0.0, values.len() * row);
    linear.weights.splice(end..end, zeros);
    let size = linear.weights.len() + numbers.len() * linear.labels;
    linear.weights.resize(size, 0.0);
    linear.categorical.extend(values);
    linear.numerical.extend(numbers.into_iter().map(Some));
    linear
}

/// Variables of some examples, with the modules that they come from.
pub(super) struct Pool<'a> {
    pub(super) inputs: Inputs<'a>,
    causal: bool,
    pub(super) d: usize,
    pub(super) modules: Vec<Module>,
    pub(super) columns: Vec<Vec<i32>>,
    /// Places with labels.
    pub(super) asked: Vec<usize>,
    /// The token that each label is, or 0.
    pub(super) tokens: Vec<u16>,
}

/// A variable at the places with labels, its values numbered from 0.
pub(super) struct Codes {
    pub(super) codes: Vec<u8>,
    pub(super) count: usize,
}

impl<'a> Pool<'a> {
    /// The variables of a program, and heads that are of use to many: where a token stands, how many of
    /// it there are, how many of the same, what stands beside.
    fn new(program: &Program, sample: &'a Encoded, data: &Data, d: usize) -> Pool<'a> {
        let inputs = Inputs::new(sample);
        let asked = (0..sample.labels.len()).filter(|&at| sample.labels[at] != 0);
        let token = |label| {
            let found = data.vocabulary.iter().position(|token| token == label);
            found.map_or(0, |at| at as u16 + 1)
        };
        let mut pool = Pool {
            columns: inputs.run(&program.modules),
            modules: program.modules.clone(),
            asked: asked.collect(),
            tokens: std::iter::once(0)
                .chain(data.labels.iter().map(token))
                .collect(),
            causal: data.causal,
            inputs,
            d,
        };
        let equal = |shift| Predicate::Compare(Comparison::Equal, shift);
        let mut more = vec![
            Module::Count(pool.head(TOKENS, TOKENS, equal(0)), None),
            Module::Copy(pool.head(POSITIONS, POSITIONS, equal(-1)), TOKENS),
            Module::Copy(pool.head(POSITIONS, POSITIONS, equal(1)), TOKENS),
        ];
        for token in 1..=data.vocabulary.len() as i32 {
            let head = pool.head(TOKENS, TOKENS, Predicate::OneOf(vec![token]));
            more.push(Module::Copy(head.clone(), POSITIONS));
            more.push(Module::Count(head, None));
        }
        more.into_iter().for_each(|module| pool.add(module));
        pool
    }

    /// Adds a module.
    pub(super) fn push(&mut self, module: Module) {
        let column = self.inputs.column(&module, &self.columns);
        self.columns.push(column);
        self.modules.push(module);
    }

    /// Adds a module, unless a variable has its values already.
    pub(super) fn add(&mut self, module: Module) {
        let column = self.inputs.column(&module, &self.columns);
        if !self.columns.contains(&column) {
            self.columns.push(column);
            self.modules.push(module);
        }
    }

    fn head(&self, keys: Variable, queries: Variable, predicate: Predicate) -> Head {
        Head {
            keys,
            queries,
            predicate,
            left: self.causal,
            first: true,
        }
    }

    pub(super) fn is_number(&self, variable: Variable) -> bool {
        let module = variable.checked_sub(FIRST).map(|at| &self.modules[at]);
        matches!(module, Some(Module::Count(..)))
    }

    fn is_token(&self, variable: Variable) -> bool {
        match variable.checked_sub(FIRST).map(|at| &self.modules[at]) {
            Some(Module::Copy(_, values)) => self.is_token(*values),
            module => module.is_none() && variable == TOKENS,
        }
    }

    /// The modules of a part, with tables for what occurs on some examples.
    fn made(&self, part: Part, columns: &[Vec<i32>], data: &Encoded) -> Vec<Module> {
        let next = FIRST + self.modules.len();
        let equal = Predicate::Compare(Comparison::Equal, 0);
        let places = || (0..data.labels.len()).filter(|&at| data.labels[at] != 0);
        match part {
            Part::Nothing => vec![],
            Part::Fetched(a, b) => {
                let mut counts: BTreeMap<(i32, i32), Vec<u32>> = BTreeMap::new();
                for at in places() {
                    let counts = counts.entry((columns[a][at], columns[b][at]));
                    let counts = counts.or_insert_with(|| vec![0; data.n]);
                    self.holders(at, data, |position| counts[position] += 1);
                }
                let table = counts
                    .iter()
                    .map(|(pair, counts)| (*pair, largest(counts) as i32));
                vec![
                    Module::Map(Rule::Table(table.collect(), 0), a, b),
                    Module::Copy(self.head(POSITIONS, next, equal), TOKENS),
                ]
            }
            Part::Peers(a) if self.is_number(a) => {
                let most = self.d as i32 - 1;
                let table = (0..=most).map(|value| ((value, value), value)).collect();
                vec![
                    Module::Map(Rule::Table(table, most), a, a),
                    Module::Count(self.head(next, next, equal), None),
                ]
            }
            Part::Peers(a) => vec![Module::Count(self.head(a, a, equal), None)],
            Part::Open(a, b, counted) => {
                let mut open: BTreeMap<(i32, i32), u64> = BTreeMap::new();
                for at in places() {
                    let pair = (columns[a][at], columns[b][at]);
                    *open.entry(pair).or_default() |= 1 << data.labels[at];
                }
                // Where the counted labels are not all, it is told what else there may be.
                let rest = |set: u64| (set != counted).then_some(set & !counted);
                let mut rests: Vec<Option<u64>> = open.values().map(|set| rest(*set)).collect();
                rests.sort_unstable();
                rests.dedup();
                let code = |set: u64| {
                    let found = rests.iter().position(|other| *other == rest(set));
                    found.unwrap_or(0).min(self.d - 2) as i32 + 1
                };
                let last = rests.len().min(self.d - 1) as i32;
                let coded = open.iter().map(|(pair, set)| (*pair, code(*set)));
                let mut table: BTreeMap<(i32, i32), i32> = coded.collect();
                // Where no label is asked for nothing is to be counted.
                let others = (0..data.labels.len()).filter(|&at| data.labels[at] == 0);
                for at in others.filter(|&at| data.tokens[at] != 0) {
                    table
                        .entry((columns[a][at], columns[b][at]))
                        .or_insert(last);
                }
                spread(&mut table, a == b, 2);
                let head = self.head(next, next, Predicate::OneOf(vec![1]));
                vec![
                    Module::Map(Rule::Table(table, last), a, b),
                    Module::Count(head, None),
                ]
            }
            Part::Equal(a, b) => vec![Module::Copy(self.head(a, b, equal), TOKENS)],
        }
    }

    /// Calls with the positions of the token that is the label of a place.
    fn holders(&self, at: usize, data: &Encoded, mut each: impl FnMut(usize)) {
        let token = self.tokens[usize::from(data.labels[at])];
        let start = at / data.n * data.n;
        let seen = if self.causal { at - start + 1 } else { data.n };
        for (position, other) in data.tokens[start..start + seen].iter().enumerate() {
            if *other == token && token != 0 {
                each(position);
            }
        }
    }

    pub(super) fn codes(&self, column: &[i32]) -> Option<Codes> {
        let mut known: FxHashMap<i32, u8> = FxHashMap::default();
        let mut codes = Vec::with_capacity(self.asked.len());
        for &at in &self.asked {
            let next = known.len();
            if next > VALUES {
                return None;
            }
            codes.push(*known.entry(column[at]).or_insert(next as u8));
        }
        let count = known.len();
        Some(Codes { codes, count })
    }

    /// How often each of so many things holds where two variables have certain values.
    fn counts(
        &self,
        a: &Codes,
        b: &Codes,
        of: usize,
        each: impl Fn(usize, &mut [u32]),
    ) -> Vec<u32> {
        let mut counts = vec![0; a.count * b.count * of];
        let pairs = a.codes.iter().zip(&b.codes);
        for (place, (x, y)) in pairs.enumerate() {
            let row = usize::from(*x) * b.count + usize::from(*y);
            each(self.asked[place], &mut counts[row * of..][..of]);
        }
        counts
    }

    /// How many labels a table of two variables has right.
    fn read(&self, a: &Codes, b: &Codes) -> u32 {
        let labels = &self.inputs.data.labels;
        let of = self.tokens.len();
        worth(
            &self.counts(a, b, of, |at, row| row[usize::from(labels[at])] += 1),
            of,
        )
    }

    /// How many labels are right if a table of two variables says from where to copy.
    fn fetched(&self, a: &Codes, b: &Codes) -> u32 {
        let data = self.inputs.data;
        let counts = self.counts(a, b, data.n, |at, row| {
            self.holders(at, data, |position| row[position] += 1);
        });
        worth(&counts, data.n)
    }

    /// How few labels two variables leave open, and the sets of labels that they do.
    fn open(&self, a: &Codes, b: &Codes) -> (usize, Vec<u64>) {
        let labels = &self.inputs.data.labels;
        let of = self.tokens.len();
        let counts = self.counts(a, b, of, |at, row| row[usize::from(labels[at])] += 1);
        let (mut sum, mut sets) = (0, Vec::new());
        for row in counts.chunks(of) {
            let open = row.iter().enumerate().filter(|(_, count)| **count > 0);
            let set = open.clone().fold(0u64, |set, (label, _)| set | 1 << label);
            sum += row.iter().sum::<u32>() as usize * open.count();
            sets.push(set);
        }
        sets.retain(|set| *set != 0);
        sets.sort_unstable();
        sets.dedup();
        (sum, sets)
    }

    /// Parts that are worth a closer look.
    fn parts(&self, codes: &[Option<Codes>]) -> Vec<Part> {
        let all = 0..self.columns.len();
        let pairs = all.clone().flat_map(|a| (0..=a).map(move |b| (b, a)));
        // A table of the family reads two categorical variables, or two numbers.
        let alike = pairs.filter(|&(a, b)| self.is_number(a) == self.is_number(b));
        let known: Vec<(Variable, Variable, &Codes, &Codes)> = alike
            .filter_map(|(a, b)| Some((a, b, codes[a].as_ref()?, codes[b].as_ref()?)))
            .collect();
        let mut fetched: Vec<(u32, Part)> = known
            .iter()
            .map(|(a, b, x, y)| (self.fetched(x, y), Part::Fetched(*a, *b)))
            .collect();
        fetched.sort_by_key(|(right, _)| Reverse(*right));
        let mut open: Vec<((usize, Vec<u64>), Variable, Variable)> = known
            .iter()
            .map(|(a, b, x, y)| (self.open(x, y), *a, *b))
            .filter(|((_, sets), ..)| (2..self.d).contains(&sets.len()))
            .collect();
        open.sort_by_key(|((sum, _), ..)| *sum);
        let open = open
            .into_iter()
            .take(CLOSELY)
            .flat_map(|((_, sets), a, b)| sets.into_iter().map(move |set| Part::Open(a, b, set)));
        let tokens: Vec<Variable> = all
            .clone()
            .filter(|&variable| self.is_token(variable))
            .collect();
        let equal = tokens
            .iter()
            .flat_map(|&a| tokens.iter().map(move |&b| Part::Equal(a, b)));
        let mut parts = vec![Part::Nothing];
        parts.extend(fetched.into_iter().take(CLOSELY).map(|(_, part)| part));
        parts.extend(all.map(Part::Peers));
        parts.extend(open);
        parts.extend(equal);
        parts
    }

    /// The best part, and the variables that labels are then read from.
    fn best(&self, stop: &Stop) -> Option<(Part, (Variable, Variable))> {
        let codes: Vec<Option<Codes>> = self
            .columns
            .iter()
            .map(|column| self.codes(column))
            .collect();
        let mut best: Option<(u32, Part, (Variable, Variable))> = None;
        for part in self.parts(&codes) {
            if stop() {
                return None;
            }
            let mut columns: Vec<&[i32]> = self.columns.iter().map(Vec::as_slice).collect();
            let made = self.made(part, &self.columns, self.inputs.data);
            let mut more: Vec<Vec<i32>> = Vec::new();
            for module in &made {
                let known: Vec<&[i32]> = columns
                    .iter()
                    .copied()
                    .chain(more.iter().map(Vec::as_slice))
                    .collect();
                more.push(self.inputs.column(module, &known));
            }
            columns.extend(more.iter().map(Vec::as_slice));
            let of_more: Vec<Option<Codes>> =
                more.iter().map(|column| self.codes(column)).collect();
            let all: Vec<Option<&Codes>> =
                codes.iter().chain(&of_more).map(Option::as_ref).collect();
            // Labels are read from what is new, and from any other.
            let new = if made.is_empty() {
                0..all.len()
            } else {
                all.len() - 1..all.len()
            };
            for a in new {
                // Of equally good ones that which is read alone.
                for b in std::iter::once(a).chain(0..a) {
                    let (Some(x), Some(y)) = (all[a], all[b]) else {
                        continue;
                    };
                    let right = self.read(x, y);
                    if best.as_ref().is_none_or(|(most, ..)| right > *most) {
                        best = Some((right, part, (b, a)));
                    }
                }
            }
        }
        best.map(|(_, part, pair)| (part, pair))
    }
}

/// The sum of the largest count of each row, beyond what a row has to be worth.
fn worth(counts: &[u32], of: usize) -> u32 {
    let rows = counts.chunks(of);
    rows.map(|row| {
        row.iter()
            .max()
            .map_or(0, |most| most.saturating_sub(WORTH))
    })
    .sum()
}
