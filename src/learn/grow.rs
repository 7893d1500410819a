//! Small programs first: modules are tried from the smallest programs on, each with what it would take
//! to read the labels from it, on a few examples; where a program that is right on these is wrong on
//! others, some of the others join them. What is found has as few modules as the parts allow, and is
//! right on all examples. Depends on `program` and `data`.

use super::data::Encoded;
use super::program::{
    Comparison, Head, Module, POSITIONS, Predicate, Program, Readout, Rule, TOKENS, Variable,
};
use super::run::{Inputs, some};
use crate::base::Random;
use crate::value::Value;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Examples to begin with.
const FEW: usize = 40;
/// Examples that join them at a time.
const MORE: usize = 8;
/// How often some join.
const ROUNDS: usize = 24;
/// Of so many tokens at most, all pairs are tried as classes.
pub(super) const CLASSED: usize = 8;

/// The smallest program of the parts below that is right on all examples, if there is one.
///
/// The parts are heads that count or copy by `==`, `<`, `>` and by fixed tokens, sums, differences and
/// choices of what they give, ranks, heads over these, and marks of what can never be right again.
/// `stopped` is asked now and then.
pub fn grow(
    data: &Encoded,
    labels: &[Value],
    causal: bool,
    seed: u64,
    stopped: &mut dyn FnMut() -> bool,
) -> Option<Program> {
    let mut random = Random::new(seed ^ 0x6772_6f77);
    let mut few: Vec<usize> = (0..FEW).map(|_| random.below(data.count())).collect();
    for _ in 0..ROUNDS {
        few.sort_unstable();
        few.dedup();
        let part = data.part(&few);
        let mut search = Search::new(&part, causal, stopped);
        let program = search.run()?;
        let mut program = program.pruned();
        refit(&mut program, data, labels);
        let wrong = wrong(&program, data);
        if wrong.is_empty() {
            return Some(program);
        }
        few.extend((0..MORE).map(|_| wrong[random.below(wrong.len())]));
    }
    None
}

/// The examples on which a program gives a wrong label.
fn wrong(program: &Program, data: &Encoded) -> Vec<usize> {
    let given = program.labels(&Inputs::new(data).run(&program.modules));
    let is_wrong = |&example: &usize| {
        let (_, labels) = data.example(example);
        let given = &given[example * data.n..];
        labels
            .iter()
            .zip(given)
            .any(|(wanted, given)| *wanted != 0 && wanted != given)
    };
    (0..data.count()).filter(is_wrong).collect()
}

/// Gives a table the label that is most frequent at each place. Where labels are the numbers that they
/// are read from, those that no example has are, too.
pub fn refit(program: &mut Program, data: &Encoded, labels: &[Value]) {
    let Readout::Table(a, b, ..) = program.readout else {
        return;
    };
    let columns = some(data, &program.modules, &[a, b]);
    let mut readout = lookup(&columns, a, b, &data.labels);
    if let Readout::Table(_, _, table, _) = &mut readout {
        let number = |label: u16| labels[usize::from(label) - 1].clone();
        let is_number = |(pair, label): (&(i32, i32), &u16)| {
            a == b && number(*label) == Value::Int(pair.0.into())
        };
        let width = data.n as i32;
        if table.iter().all(is_number) {
            let all = (1..=labels.len() as u16).filter_map(|label| match number(label) {
                Value::Int(value) => Some((i32::try_from(value).ok()?, label)),
                Value::Float(_) | Value::Bool(_) | Value::Str(_) => None,
            });
            table.extend(all.map(|(value, label)| ((value, value), label)));
        } else {
            spread(table, a == b, width);
        }
    }
    program.readout = readout;
}

/// Gives pairs that do not occur, but are as near as inputs are long, what the nearest pair has that
/// does, a step of the first counting twice.
pub fn spread<T: Copy>(table: &mut BTreeMap<(i32, i32), T>, is_one: bool, width: i32) {
    let known: Vec<((i32, i32), T)> = table.iter().map(|(pair, value)| (*pair, *value)).collect();
    let range = |values: &mut dyn Iterator<Item = i32>| {
        let (least, most) = values.fold((i32::MAX, i32::MIN), |(a, b), x| (a.min(x), b.max(x)));
        least.saturating_sub(width)..=most.saturating_add(width)
    };
    let rows = range(&mut known.iter().map(|((x, _), _)| *x));
    let columns = range(&mut known.iter().map(|((_, y), _)| *y));
    for x in rows {
        for y in columns.clone().filter(|y| !is_one || x == *y) {
            let distance = |((a, b), _): &&((i32, i32), T)| 2 * x.abs_diff(*a) + y.abs_diff(*b);
            if let Some((_, value)) = known.iter().min_by_key(distance) {
                table.entry((x, y)).or_insert(*value);
            }
        }
    }
}

/// The labels as read from two variables: for each pair of values the most frequent one.
pub fn lookup(columns: &[Vec<i32>], a: Variable, b: Variable, labels: &[u16]) -> Readout {
    let mut counts: BTreeMap<(i32, i32), BTreeMap<u16, usize>> = BTreeMap::new();
    let mut all: BTreeMap<u16, usize> = BTreeMap::new();
    for (at, &label) in labels.iter().enumerate().filter(|(_, label)| **label != 0) {
        let pair = (columns[a][at], columns[b][at]);
        *counts.entry(pair).or_default().entry(label).or_default() += 1;
        *all.entry(label).or_default() += 1;
    }
    let most = |counts: &BTreeMap<u16, usize>| {
        // Of equally frequent labels the first.
        let most = counts
            .iter()
            .max_by_key(|(label, count)| (**count, u16::MAX - **label));
        most.map_or(0, |(label, _)| *label)
    };
    let table = counts.iter().map(|(pair, counts)| (*pair, most(counts)));
    Readout::Table(a, b, table.collect(), most(&all))
}

/// A part of a program that is being tried: modules after those of the pool.
#[derive(Clone)]
pub(super) struct Tried {
    pub(super) module: Module,
    pub(super) column: Vec<i32>,
}

pub(super) struct Search<'a> {
    pub(super) inputs: Inputs<'a>,
    pub(super) causal: bool,
    pub(super) modules: Vec<Module>,
    pub(super) columns: Vec<Vec<i32>>,
    pub(super) seen: HashSet<u64>,
    /// Variables that hold numbers.
    pub(super) numbers: Vec<Variable>,
    /// Variables that hold tokens.
    pub(super) tokens: Vec<Variable>,
    /// 1 for some tokens.
    pub(super) classes: Vec<Variable>,
    /// Places with labels.
    pub(super) asked: Vec<usize>,
    pub(super) first: i32,
    pub(super) stopped: &'a mut dyn FnMut() -> bool,
}

/// What tells columns apart.
fn hash(column: &[i32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    column.hash(&mut hasher);
    hasher.finish()
}

impl<'a> Search<'a> {
    fn new(data: &'a Encoded, causal: bool, stopped: &'a mut dyn FnMut() -> bool) -> Search<'a> {
        let inputs = Inputs::new(data);
        let columns = inputs.columns();
        let asked = (0..data.labels.len()).filter(|&at| data.labels[at] != 0);
        Search {
            asked: asked.collect(),
            seen: columns.iter().map(|column| hash(column)).collect(),
            first: columns[TOKENS].first().copied().unwrap_or(0),
            inputs,
            causal,
            modules: Vec::new(),
            columns,
            numbers: vec![POSITIONS],
            tokens: vec![TOKENS],
            classes: Vec::new(),
            stopped,
        }
    }

    pub(super) fn head(&self, keys: Variable, queries: Variable, predicate: Predicate) -> Head {
        Head::new(keys, queries, predicate, self.causal)
    }

    /// A head as it is, to the left only, and each without the first position.
    pub(super) fn reaches(&self, head: &Head) -> Vec<Head> {
        let lefts: &[bool] = if self.causal { &[true] } else { &[false, true] };
        let reach = |first| {
            lefts.iter().map(move |&left| Head {
                left,
                first,
                ..head.clone()
            })
        };
        reach(true).chain(reach(false)).collect()
    }

    /// Adds a module whose column is not known yet; gives its variable.
    fn add(&mut self, module: Module) -> Option<Variable> {
        let column = self.inputs.column(&module, &self.columns);
        if !self.seen.insert(hash(&column)) {
            return None;
        }
        self.modules.push(module);
        self.columns.push(column);
        Some(self.columns.len() - 1)
    }

    fn run(&mut self) -> Option<Program> {
        self.base();
        let numbers = self.numbers.clone();
        let from_pool = |search: &mut Search, test: Test| {
            let all = [&search.tokens[..], &search.numbers, &search.classes].concat();
            all.into_iter().find_map(|x| test(search, &[], x))
        };
        let tests: [Test; 7] = [
            |search, more, x| search.read_alone(more, x),
            |search, more, x| search.read_with_another(more, x),
            |search, more, x| search.fetched(more, x),
            |search, more, x| search.counted(more, x),
            |search, more, x| search.ranked(more, x),
            |search, more, x| search.broken(more, x),
            |search, more, x| search.nested(more, x),
        ];
        // From what takes few modules to what takes many.
        let small = &tests[..3];
        if let Some(found) = small.iter().find_map(|test| from_pool(self, *test)) {
            return Some(found);
        }
        if let Some(found) = small
            .iter()
            .find_map(|test| self.each_made(&numbers, *test))
        {
            return Some(found);
        }
        let large = &tests[3..];
        if let Some(found) = large[..2].iter().find_map(|test| from_pool(self, *test)) {
            return Some(found);
        }
        large
            .iter()
            .find_map(|test| self.each_made(&numbers, *test))
    }

    /// Heads over tokens and positions.
    fn base(&mut self) {
        let mut symbols: Vec<i32> = self.columns[TOKENS].clone();
        symbols.sort_unstable();
        symbols.dedup();
        symbols.retain(|&symbol| symbol != 0);
        let single = symbols.iter().map(|&symbol| vec![symbol]);
        let pairs = symbols
            .iter()
            .enumerate()
            .flat_map(|(at, &a)| symbols[at + 1..].iter().map(move |&b| vec![a, b]));
        let mut classes: Vec<Vec<i32>> = single.collect();
        if symbols.len() <= CLASSED {
            classes.extend(pairs);
        }
        for comparison in [Comparison::Equal, Comparison::Less, Comparison::Greater] {
            let head = self.head(TOKENS, TOKENS, Predicate::Compare(comparison, 0));
            for head in self.reaches(&head) {
                let made = self.add(Module::Count(head, None));
                self.numbers.extend(made);
            }
        }
        for class in &classes {
            let head = self.head(TOKENS, TOKENS, Predicate::OneOf(class.clone()));
            for head in self.reaches(&head).into_iter().filter(|head| head.first) {
                let made = self.add(Module::Count(head, None));
                self.numbers.extend(made);
            }
            if class.len() == 1 {
                let head = self.head(TOKENS, TOKENS, Predicate::OneOf(class.clone()));
                let made = self.add(Module::Copy(head, POSITIONS));
                self.numbers.extend(made);
            }
            let made = self.add(Module::Map(Rule::OneOf(class.clone()), TOKENS, TOKENS));
            self.classes.extend(made);
        }
        for shift in [-1, 1] {
            let predicate = Predicate::Compare(Comparison::Equal, shift);
            let made = self.add(Module::Copy(
                self.head(POSITIONS, POSITIONS, predicate),
                TOKENS,
            ));
            self.tokens.extend(made);
        }
        let same = self.head(TOKENS, TOKENS, Predicate::Compare(Comparison::Equal, 0));
        for head in self.reaches(&same) {
            let made = self.add(Module::Copy(head, POSITIONS));
            self.numbers.extend(made);
        }
        // Tokens where a number is small, else the first token.
        for number in self.numbers.clone() {
            for when in [0, 1] {
                let rule = Rule::Given(when, self.first);
                let made = self.add(Module::Map(rule, TOKENS, number));
                self.tokens.extend(made);
            }
        }
    }

    /// Tries a test on sums, differences and choices of numbers.
    fn each_made(&mut self, numbers: &[Variable], test: Test) -> Option<Program> {
        let mut seen = self.seen.clone();
        let all = [numbers, &self.classes].concat();
        for &a in &all {
            if (self.stopped)() {
                return None;
            }
            for &b in &all {
                let mut rules = vec![Rule::Difference, Rule::Given(0, 0), Rule::Given(1, 0)];
                if a < b {
                    rules.insert(0, Rule::Sum);
                }
                for rule in rules {
                    let module = Module::Map(rule, a, b);
                    let column = self.inputs.column(&module, &self.columns);
                    if !seen.insert(hash(&column)) {
                        continue;
                    }
                    let made = self.columns.len();
                    self.columns.push(column);
                    self.modules.push(module);
                    let found = test(self, &[], made);
                    if found.is_some() {
                        return found;
                    }
                    self.columns.pop();
                    self.modules.pop();
                }
            }
        }
        None
    }

    /// The program whose labels are read from two variables.
    pub(super) fn found(&self, more: &[Tried], a: Variable, b: Variable) -> Option<Program> {
        let mut columns = self.columns.clone();
        columns.extend(more.iter().map(|tried| tried.column.clone()));
        let mut modules = self.modules.clone();
        modules.extend(more.iter().map(|tried| tried.module.clone()));
        let readout = lookup(&columns, a, b, &self.inputs.data.labels);
        Some(Program { modules, readout })
    }

    pub(super) fn column<'b>(&'b self, more: &'b [Tried], variable: Variable) -> &'b [i32] {
        match variable.checked_sub(self.columns.len()) {
            None => &self.columns[variable],
            Some(at) => &more[at].column,
        }
    }

    /// Whether two variables tell the labels.
    pub(super) fn tells(&self, more: &[Tried], a: Variable, b: Variable) -> bool {
        let (a, b) = (self.column(more, a), self.column(more, b));
        let labels = &self.inputs.data.labels;
        // A few values each: a table that is filled from the front, with the first conflict the end.
        let mut known: Vec<((i32, i32), u16)> = Vec::new();
        for &at in &self.asked {
            let pair = (a[at], b[at]);
            match known.iter().find(|(other, _)| *other == pair) {
                Some((_, label)) if *label != labels[at] => return false,
                Some(_) => {}
                None => known.push((pair, labels[at])),
            }
        }
        // What tells each place apart explains nothing.
        known.len() * 4 <= self.asked.len()
    }

    pub(super) fn tried(&self, more: &[Tried], module: Module) -> Tried {
        let columns: Vec<&[i32]> = (self.columns.iter().map(Vec::as_slice))
            .chain(more.iter().map(|tried| &tried.column[..]))
            .collect();
        Tried {
            column: self.inputs.column(&module, &columns),
            module,
        }
    }
}

/// A way to go on from a variable.
type Test = fn(&mut Search, &[Tried], Variable) -> Option<Program>;
