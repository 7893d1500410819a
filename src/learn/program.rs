//! A discrete program: modules that copy, count and map, and what is read from them. It runs on whole
//! numbers, as `run` says. Depends on `data` and `run`.

use super::data::Encoded;
use super::run::{AT_ONCE, Inputs};
use std::collections::BTreeMap;

/// The number of a variable: [`TOKENS`], [`POSITIONS`], or a module's place plus 2.
pub type Variable = usize;
/// The variable that holds the tokens.
pub const TOKENS: Variable = 0;
/// The variable that holds the positions, from 0.
pub const POSITIONS: Variable = 1;
/// The variable of the first module.
pub const FIRST: Variable = 2;

/// A comparison of a key with a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    #[inline(always)]
    fn holds(self, key: i32, query: i32) -> bool {
        match self {
            Comparison::Equal => key == query,
            Comparison::Less => key < query,
            Comparison::LessOrEqual => key <= query,
            Comparison::Greater => key > query,
            Comparison::GreaterOrEqual => key >= query,
        }
    }
}

/// Which keys match a query.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// key `comparison` query + the number.
    Compare(Comparison, i32),
    /// key `comparison` the number, whatever the query is.
    Constant(Comparison, i32),
    /// The key is one of these.
    OneOf(Vec<i32>),
    /// Bit k of row q: any table of what is below 64.
    Rows(Vec<u64>),
}

impl Predicate {
    /// Whether a key matches a query.
    #[inline(always)]
    pub fn holds(&self, key: i32, query: i32) -> bool {
        match self {
            Predicate::Compare(comparison, shift) => comparison.holds(key, query + shift),
            Predicate::Constant(comparison, number) => comparison.holds(key, *number),
            Predicate::OneOf(keys) => keys.contains(&key),
            Predicate::Rows(rows) => {
                let row = rows.get(query.max(0) as usize).copied().unwrap_or(0);
                (0..64).contains(&key) && row >> key & 1 == 1
            }
        }
    }

    /// Whether it looks at the query.
    pub fn reads_query(&self) -> bool {
        matches!(self, Predicate::Compare(..) | Predicate::Rows(_))
    }
}

/// What a head attends to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Head {
    pub keys: Variable,
    pub queries: Variable,
    pub predicate: Predicate,
    /// Whether it sees keys up to the query only.
    pub left: bool,
    /// Whether it sees the first position.
    pub first: bool,
}

impl Head {
    /// A head that sees the first position, and later ones unless it is causal.
    pub fn new(keys: Variable, queries: Variable, predicate: Predicate, causal: bool) -> Head {
        Head {
            keys,
            queries,
            predicate,
            left: causal,
            first: true,
        }
    }
}

/// How a map makes its value of what it reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The sum of the two.
    Sum,
    /// The first less the second.
    Difference,
    /// The first where the second is the one number, else the other number.
    Given(i32, i32),
    /// 1 where the first is one of these, else 0.
    OneOf(Vec<i32>),
    /// Any function; what is not listed has the last number.
    Table(BTreeMap<(i32, i32), i32>, i32),
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Module {
    /// The value at the nearest key that matches; of two as near the left one; the query's own where
    /// no other matches; that of the first position where none does.
    Copy(Head, Variable),
    /// How many keys match, or the sum of a variable over them.
    Count(Head, Option<Variable>),
    /// A function of two variables at the same position.
    Map(Rule, Variable, Variable),
}

impl Module {
    /// The variables that it reads.
    pub fn reads(&self) -> Vec<Variable> {
        let of_head = |head: &Head| match head.predicate.reads_query() {
            true => vec![head.keys, head.queries],
            false => vec![head.keys],
        };
        match self {
            Module::Copy(head, values) => [of_head(head), vec![*values]].concat(),
            Module::Count(head, summed) => of_head(head).into_iter().chain(*summed).collect(),
            Module::Map(Rule::OneOf(_), a, _) => vec![*a],
            Module::Map(_, a, b) if a == b => vec![*a],
            Module::Map(_, a, b) => vec![*a, *b],
        }
    }

    /// The same, reading other variables.
    pub fn renamed(&self, name: impl Fn(Variable) -> Variable) -> Module {
        let of_head = |head: &Head| Head {
            keys: name(head.keys),
            queries: match head.predicate.reads_query() {
                true => name(head.queries),
                false => TOKENS,
            },
            ..head.clone()
        };
        match self {
            Module::Copy(head, values) => Module::Copy(of_head(head), name(*values)),
            Module::Count(head, summed) => Module::Count(of_head(head), summed.map(&name)),
            Module::Map(rule @ Rule::OneOf(_), a, _) => {
                Module::Map(rule.clone(), name(*a), name(*a))
            }
            Module::Map(rule, a, b) => Module::Map(rule.clone(), name(*a), name(*b)),
        }
    }
}

/// How labels are read.
#[derive(Clone, Debug, PartialEq)]
pub enum Readout {
    /// From two variables, which may be one; what is not listed has the last label.
    Table(Variable, Variable, BTreeMap<(i32, i32), u16>, u16),
    /// The label with the largest sum: of a weight for each value of categorical variables, and of a
    /// weight times each numerical one.
    Linear(Linear),
}

/// Weights of labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// How many labels, 0 included, which is none.
    pub labels: usize,
    /// Values of a categorical variable.
    pub d: usize,
    /// The categorical variables.
    pub categorical: Vec<Variable>,
    /// The numerical variables; `None` is 1 everywhere.
    pub numerical: Vec<Option<Variable>>,
    /// `[d categorical + numerical, labels]`
    pub weights: Vec<f32>,
}

/// A discrete program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The modules, which read earlier ones only.
    pub modules: Vec<Module>,
    /// What is read from them.
    pub readout: Readout,
}

/// How many labels, and how many whole sequences, a program gets right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Labels that were asked for.
    pub labels: usize,
    /// Of these, those that were right.
    pub labels_right: usize,
    /// Sequences.
    pub inputs: usize,
    /// Of these, those with every label right.
    pub inputs_right: usize,
}

impl Score {
    /// The share of labels that are right.
    pub fn tokens(&self) -> f64 {
        self.labels_right as f64 / self.labels.max(1) as f64
    }

    /// The share of sequences that are right.
    pub fn sequences(&self) -> f64 {
        self.inputs_right as f64 / self.inputs.max(1) as f64
    }
}

impl Program {
    /// The labels that it gives, from its variables.
    pub fn labels<C: AsRef<[i32]>>(&self, columns: &[C]) -> Vec<u16> {
        let column = |variable: Variable| columns[variable].as_ref();
        let count = column(TOKENS).len();
        match &self.readout {
            Readout::Table(a, b, table, other) => {
                let pairs = column(*a).iter().zip(column(*b));
                let labels = pairs.map(|(&a, &b)| table.get(&(a, b)).copied().unwrap_or(*other));
                labels.collect()
            }
            Readout::Linear(linear) => {
                let mut sums = vec![0.0; linear.labels];
                let labels = (0..count).map(|at| {
                    linear.sums(columns, at, &mut sums);
                    largest(&sums[1..]) as u16 + 1
                });
                labels.collect()
            }
        }
    }

    /// How it does on examples.
    pub fn score(&self, data: &Encoded) -> Score {
        let mut score = Score::default();
        for part in data.parts(AT_ONCE) {
            let given = self.labels(&Inputs::new(&part).run(&self.modules));
            for (wanted, given) in part.labels.chunks(data.n).zip(given.chunks(data.n)) {
                let asked = wanted.iter().zip(given).filter(|(wanted, _)| **wanted != 0);
                let (mut count, mut right) = (0, 0);
                for (wanted, given) in asked {
                    count += 1;
                    right += usize::from(wanted == given);
                }
                score.labels += count;
                score.labels_right += right;
                score.inputs += 1;
                score.inputs_right += usize::from(count == right);
            }
        }
        score
    }

    /// The same without modules that nothing reads, and without equal ones.
    pub fn pruned(&self) -> Program {
        let read = match &self.readout {
            Readout::Table(a, b, ..) => vec![*a, *b],
            Readout::Linear(linear) => {
                let numerical = linear.numerical.iter().flatten();
                linear
                    .categorical
                    .iter()
                    .chain(numerical)
                    .copied()
                    .collect()
            }
        };
        let mut live = vec![false; self.modules.len() + FIRST];
        read.iter().for_each(|&variable| live[variable] = true);
        for (at, module) in self.modules.iter().enumerate().rev() {
            if live[at + FIRST] {
                module
                    .reads()
                    .iter()
                    .for_each(|&variable| live[variable] = true);
            }
        }
        let mut names: Vec<Variable> = vec![TOKENS, POSITIONS];
        let mut modules: Vec<Module> = Vec::new();
        for (at, module) in self.modules.iter().enumerate() {
            if !live[at + FIRST] {
                names.push(TOKENS);
                continue;
            }
            let module = module.renamed(|variable| names[variable]);
            let known = modules.iter().position(|known| *known == module);
            names.push(FIRST + known.unwrap_or(modules.len()));
            if known.is_none() {
                modules.push(module);
            }
        }
        let readout = match &self.readout {
            Readout::Table(a, b, table, other) => {
                Readout::Table(names[*a], names[*b], table.clone(), *other)
            }
            Readout::Linear(linear) => {
                let mut linear = linear.clone();
                let all = linear.numerical.iter_mut().flatten();
                all.chain(&mut linear.categorical)
                    .for_each(|variable| *variable = names[*variable]);
                Readout::Linear(linear)
            }
        };
        Program { modules, readout }
    }
}

impl Linear {
    /// What each label has at a position.
    pub fn sums<C: AsRef<[i32]>>(&self, columns: &[C], at: usize, sums: &mut [f32]) {
        sums.fill(0.0);
        self.rows(columns, at, |row, by| {
            let row = &self.weights[row * self.labels..][..self.labels];
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, weight)| *sum += by * weight);
        });
    }

    /// The rows of weights that count at a position, and how often.
    fn rows<C: AsRef<[i32]>>(&self, columns: &[C], at: usize, mut each: impl FnMut(usize, f32)) {
        for (order, &variable) in self.categorical.iter().enumerate() {
            let value = (columns[variable].as_ref()[at].max(0) as usize).min(self.d - 1);
            each(order * self.d + value, 1.0);
        }
        let rest = self.categorical.len() * self.d;
        for (order, variable) in self.numerical.iter().enumerate() {
            each(
                rest + order,
                variable.map_or(1.0, |variable| columns[variable].as_ref()[at] as f32),
            );
        }
    }
}

/// The place of the largest number, the first of equal ones.
pub fn largest<T: PartialOrd>(numbers: &[T]) -> usize {
    let mut best = 0;
    for (at, number) in numbers.iter().enumerate() {
        if *number > numbers[best] {
            best = at;
        }
    }
    best
}
