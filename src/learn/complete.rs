//! The one part that a trained program lacks most: of the same family, with tables that are read off
//! the examples. Parts are ranked by how many labels a table of two variables then has right. Depends on
//! `pool`, `grow` and `run`.

use super::data::{Data, Encoded};
use super::grow::{lookup, refit, spread};
use super::parts::lasting;
use super::pool::{Codes, Pool, Taken};
use super::program::{
    Comparison, FIRST, Module, POSITIONS, Predicate, Program, Rule, TOKENS, Variable, largest,
};
use super::run::some;
use super::train::Stop;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Pairs of variables that are looked at closely for each kind of part.
const CLOSELY: usize = 24;
/// Labels that a row of a table has to have right, or it counts for nothing.
const WORTH: u32 = 2;
/// Places that there are for each row of a table, at least, if it is right wherever it is seen.
const SEEN: usize = 20;
/// How often a table is looked at while its labels are counted.
const LOOKS: usize = 8;
/// Labels that each module has to have right that is read for a part.
const MODULE: u32 = 2;

/// What is added to the variables that there are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Addition {
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

/// How good a part is, the part, and what labels are then read from.
type Found = ((bool, u32), Addition, (Variable, Variable));

impl Addition {
    fn reads(self) -> Vec<Variable> {
        match self {
            Addition::Nothing => vec![],
            Addition::Fetched(a, b) | Addition::Open(a, b, _) | Addition::Equal(a, b) => vec![a, b],
            Addition::Peers(a) => vec![a],
        }
    }
}

/// The variables of a pool with the part after which a table of two of them has most labels right, and
/// that table.
pub(super) fn completed(pool: &Pool, data: &Data, stop: &Stop) -> Option<Program> {
    let train = &data.train;
    let (part, (a, b)) = pool.best(stop)?;
    let columns = some(train, &pool.modules, &part.reads());
    let modules = [&pool.modules[..], &pool.made(part, &columns, train)].concat();
    let columns = some(train, &modules, &[a, b]);
    let readout = lookup(&columns, a, b, &train.labels);
    let mut program = Program { modules, readout }.pruned();
    refit(&mut program, train, &data.labels);
    Some(program)
}

impl Pool<'_> {
    /// The modules of a part, with tables for what occurs on some examples.
    fn made(&self, part: Addition, columns: &[Vec<i32>], data: &Encoded) -> Vec<Module> {
        let next = FIRST + self.modules.len();
        let equal = Predicate::Compare(Comparison::Equal, 0);
        match part {
            Addition::Nothing => vec![],
            Addition::Fetched(a, b) => vec![
                Module::Map(self.where_from(columns, data, a, b), a, b),
                Module::Copy(self.head(POSITIONS, next, equal), TOKENS),
            ],
            Addition::Peers(a) if self.is_number(a) => {
                let most = self.d as i32 - 1;
                let same = (0..=most).map(|value| ((value, value), value)).collect();
                vec![
                    Module::Map(Rule::Table(same, most), a, a),
                    Module::Count(self.head(next, next, equal), None),
                ]
            }
            Addition::Peers(a) => vec![Module::Count(self.head(a, a, equal), None)],
            Addition::Open(a, b, counted) => vec![
                Module::Map(self.what_is_open(columns, data, (a, b), counted), a, b),
                Module::Count(self.head(next, next, Predicate::OneOf(vec![1])), None),
            ],
            Addition::Equal(a, b) => vec![Module::Copy(self.head(a, b, equal), TOKENS)],
        }
    }

    /// For each pair of values the position that most often has the token of the label.
    fn where_from(&self, columns: &[Vec<i32>], data: &Encoded, a: Variable, b: Variable) -> Rule {
        let mut counts: BTreeMap<(i32, i32), Vec<u32>> = BTreeMap::new();
        for at in (0..data.labels.len()).filter(|&at| data.labels[at] != 0) {
            let counts = counts.entry((columns[a][at], columns[b][at]));
            let counts = counts.or_insert_with(|| vec![0; data.n]);
            self.holders(at, data, |position| counts[position] += 1);
        }
        let table = counts.into_iter();
        let table = table.map(|(pair, counts)| (pair, largest(&counts) as i32));
        Rule::Table(table.collect(), 0)
    }

    /// For each pair of values 1 where exactly the labels of a set are open, and otherwise another
    /// number for each set of labels that are open beyond those.
    fn what_is_open(
        &self,
        columns: &[Vec<i32>],
        data: &Encoded,
        (a, b): (Variable, Variable),
        counted: u64,
    ) -> Rule {
        let pair = |at: usize| (columns[a][at], columns[b][at]);
        let (asked, others): (Vec<usize>, Vec<usize>) = (0..data.labels.len())
            .filter(|&at| data.tokens[at] != 0)
            .partition(|&at| data.labels[at] != 0);
        let mut open: BTreeMap<(i32, i32), u64> = BTreeMap::new();
        for at in asked {
            *open.entry(pair(at)).or_default() |= 1 << data.labels[at];
        }
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
        for at in others {
            table.entry(pair(at)).or_insert(last);
        }
        spread(&mut table, a == b, 2);
        Rule::Table(table, last)
    }

    /// Calls with the positions of the token that is the label of a place.
    fn holders(&self, at: usize, data: &Encoded, mut each: impl FnMut(usize)) {
        let token = self.tokens[usize::from(data.labels[at])];
        if token == 0 {
            return;
        }
        let start = at / data.n * data.n;
        let seen = if self.causal { at - start + 1 } else { data.n };
        for (position, other) in data.tokens[start..start + seen].iter().enumerate() {
            if *other == token {
                each(position);
            }
        }
    }

    /// Whether a table of two variables has all labels right, with rows that are seen often; and how many
    /// it has right, beyond what its rows have to be worth. None as soon as that cannot be more than what
    /// is to be beaten.
    fn read(&self, a: &Codes, b: &Codes, beaten: Option<(bool, u32)>) -> Option<(bool, u32)> {
        let is_beaten = |found| beaten.is_some_and(|beaten| found <= beaten);
        let of = self.tokens.len();
        let mut counts = vec![0; a.count * b.count * of];
        let some = self.wanted.len().div_ceil(LOOKS).max(1);
        let parts = a.codes.chunks(some).zip(b.codes.chunks(some));
        let mut left = self.wanted.len();
        for ((a_codes, b_codes), labels) in parts.zip(self.wanted.chunks(some)) {
            for ((x, y), label) in a_codes.iter().zip(b_codes).zip(labels) {
                let row = usize::from(*x) * b.count + usize::from(*y);
                counts[row * of + usize::from(*label)] += 1;
            }
            left -= labels.len();
            let most = right(&counts, of, 0) + left as u32;
            if is_beaten((is_sure(&counts, of), most)) {
                return None;
            }
        }
        let seen = counts
            .chunks(of)
            .filter(|row| row.iter().any(|count| *count > 0));
        let is_exact = is_sure(&counts, of) && seen.count() * SEEN <= self.wanted.len();
        let found = (is_exact, right(&counts, of, WORTH));
        (!is_beaten(found)).then_some(found)
    }

    /// How many labels are right if a table of two variables says from where to copy.
    fn fetched(&self, a: &Codes, b: &Codes) -> u32 {
        let data = self.inputs.data;
        let mut counts = vec![0; a.count * b.count * data.n];
        for (place, &at) in self.asked.iter().enumerate() {
            let row = &mut counts[a.with(b, place) * data.n..][..data.n];
            self.holders(at, data, |position| row[position] += 1);
        }
        right(&counts, data.n, WORTH)
    }

    /// The sets of labels that two variables leave open, and how many changes to the label that stays,
    /// or of any, they are sure of.
    fn open(&self, a: &Codes, b: &Codes, lasting: Option<u16>) -> (usize, Vec<u64>) {
        let labels = &self.inputs.data.labels;
        let mut sets = vec![0u64; a.count * b.count];
        for (place, &at) in self.asked.iter().enumerate() {
            sets[a.with(b, place)] |= 1 << labels[at];
        }
        let example = |place: usize| self.asked[place] / self.inputs.data.n;
        let is_change = |place: &usize| {
            let before = place - 1;
            let (from, to) = (self.label(before), self.label(*place));
            let counts = lasting.is_none_or(|label| to == usize::from(label));
            example(before) == example(*place) && from != to && counts
        };
        let changes = (1..self.asked.len()).filter(is_change);
        let sure = changes.filter(|&place| sets[a.with(b, place)].count_ones() == 1);
        let sure = sure.count();
        sets.retain(|set| *set != 0);
        sets.sort_unstable();
        sets.dedup();
        (sure, sets)
    }

    /// Parts that are worth a closer look.
    fn parts(&self, codes: &[Option<Codes>], taken: &Taken) -> Vec<Addition> {
        let all = 0..self.columns.len();
        let pairs = all.clone().flat_map(|a| (0..=a).map(move |b| (b, a)));
        // A table of the family reads two categorical variables, or two numbers.
        let alike = pairs.filter(|&(a, b)| self.is_number(a) == self.is_number(b));
        // What only tells tokens apart is read as the token itself.
        let alike = alike.filter(|&(a, b)| !self.is_class(a) && !self.is_class(b));
        let lasting = lasting(self.inputs.data);
        let (mut fetched, mut open) = (Vec::new(), Vec::new());
        for (a, b) in alike {
            let (Some(x), Some(y)) = (&codes[a], &codes[b]) else {
                continue;
            };
            fetched.push((self.fetched(x, y), Addition::Fetched(a, b)));
            let (sure, sets) = self.open(x, y, lasting);
            if (2..self.d).contains(&sets.len()) {
                open.push(((sure, Reverse(taken.more(&[a, b]))), sets, a, b));
            }
        }
        fetched.sort_by_key(|(right, _)| Reverse(*right));
        open.sort_by_key(|(rank, ..)| Reverse(*rank));
        let fetched = fetched.into_iter().map(|(_, part)| part);
        let open = open
            .into_iter()
            .take(CLOSELY)
            .flat_map(|(_, sets, a, b)| sets.into_iter().map(move |set| Addition::Open(a, b, set)));
        let tokens = all.clone().filter(|&variable| self.is_token(variable));
        let tokens: Vec<Variable> = tokens.collect();
        let pairs = tokens
            .iter()
            .flat_map(|&a| tokens.iter().map(move |&b| (a, b)));
        let equal = pairs.map(|(a, b)| Addition::Equal(a, b));
        std::iter::once(Addition::Nothing)
            .chain(fetched.take(CLOSELY))
            .chain(all.map(Addition::Peers))
            .chain(open)
            .chain(equal)
            .collect()
    }

    /// What modules after those of the pool give.
    fn columns_of(&self, modules: &[Module]) -> Vec<Vec<i32>> {
        let mut made: Vec<Vec<i32>> = Vec::new();
        for module in modules {
            let known: Vec<&Vec<i32>> = self.columns.iter().chain(&made).collect();
            let column = self.inputs.column(module, &known);
            made.push(column);
        }
        made
    }

    /// The best part, and the variables that labels are then read from.
    fn best(&self, stop: &Stop) -> Option<(Addition, (Variable, Variable))> {
        let columns = self.columns.iter();
        let codes: Vec<Option<Codes>> = columns.map(|column| self.codes(column)).collect();
        let mut best: Option<Found> = None;
        let taken = Taken::new(self);
        for part in self.parts(&codes, &taken) {
            if stop() {
                return None;
            }
            let made = self.columns_of(&self.made(part, &self.columns, self.inputs.data));
            let made: Vec<Option<Codes>> = made.iter().map(|column| self.codes(column)).collect();
            let all: Vec<Option<&Codes>> = codes.iter().chain(&made).map(Option::as_ref).collect();
            // Labels are read from what is new, and from any other.
            let new = match made[..] {
                [] => 0..all.len(),
                _ => all.len() - 1..all.len(),
            };
            for a in new {
                // Of equally good ones that which is read alone.
                for b in std::iter::once(a).chain(0..a) {
                    let (Some(x), Some(y)) = (all[a], all[b]) else {
                        continue;
                    };
                    let known = |variable: &Variable| *variable < self.columns.len();
                    let reads = [a, b].into_iter().filter(known);
                    let reads: Vec<Variable> = part.reads().into_iter().chain(reads).collect();
                    let cost = MODULE * taken.more(&reads) as u32;
                    let beaten = best.map(|((is_exact, right), ..)| (is_exact, right + cost));
                    if let Some((is_exact, right)) = self.read(x, y, beaten) {
                        best = Some(((is_exact, right.saturating_sub(cost)), part, (b, a)));
                    }
                }
            }
        }
        best.map(|(_, part, pair)| (part, pair))
    }
}

/// The sum of the largest count of each row, beyond what a row has to be worth.
fn right(counts: &[u32], of: usize, worth: u32) -> u32 {
    let rows = counts.chunks(of);
    let largest = rows.map(|row| row.iter().max().copied().unwrap_or(0));
    largest.map(|most| most.saturating_sub(worth)).sum()
}

/// Whether each row has at most one count that is not 0.
fn is_sure(counts: &[u32], of: usize) -> bool {
    let mut rows = counts.chunks(of);
    rows.all(|row| row.iter().filter(|count| **count > 0).count() <= 1)
}
