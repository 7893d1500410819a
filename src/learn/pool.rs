//! Variables of some examples, which what mends a program chooses from: those of its modules, and those
//! of heads that are of use to many. Depends on `program`, `run` and `data`.

use super::data::{Data, Encoded};
use super::grow::CLASSED;
use super::program::{
    Comparison, FIRST, Head, Module, POSITIONS, Predicate, Program, Rule, TOKENS, Variable,
};
use super::run::Inputs;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Tables read no variables with more values than this.
const VALUES: usize = 48;

/// Variables of some examples, with the modules that they come from.
pub struct Pool<'a> {
    pub(super) inputs: Inputs<'a>,
    pub(super) causal: bool,
    /// Values of a categorical variable.
    pub(super) d: usize,
    pub(super) modules: Vec<Module>,
    pub(super) columns: Vec<Vec<i32>>,
    /// Places with labels.
    pub(super) asked: Vec<usize>,
    /// The labels there.
    pub(super) wanted: Vec<u16>,
    /// The token that each label is, or 0; that of no label is the first.
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
    pub fn new(program: &Program, sample: &'a Encoded, data: &Data, d: usize) -> Pool<'a> {
        let inputs = Inputs::new(sample);
        let asked = (0..sample.labels.len()).filter(|&at| sample.labels[at] != 0);
        let wanted = sample.labels.iter().copied().filter(|label| *label != 0);
        let token = |label| {
            let found = data.vocabulary.iter().position(|token| token == label);
            found.map_or(0, |at| at as u16 + 1)
        };
        let mut pool = Pool {
            columns: inputs.run(&program.modules),
            modules: program.modules.clone(),
            asked: asked.collect(),
            wanted: wanted.collect(),
            tokens: std::iter::once(0)
                .chain(data.labels.iter().map(token))
                .collect(),
            causal: data.causal,
            inputs,
            d,
        };
        let equal = |shift| Predicate::Compare(Comparison::Equal, shift);
        pool.add(Module::Count(pool.head(TOKENS, TOKENS, equal(0)), None));
        for shift in [-1, 1] {
            let beside = pool.head(POSITIONS, POSITIONS, equal(shift));
            pool.add(Module::Copy(beside, TOKENS));
        }
        let mut numbers = Vec::new();
        for token in 1..=data.vocabulary.len() as i32 {
            let head = pool.head(TOKENS, TOKENS, Predicate::OneOf(vec![token]));
            pool.add(Module::Copy(head.clone(), POSITIONS));
            numbers.push(pool.add(Module::Count(head, None)));
        }
        if data.causal && numbers.len() <= CLASSED {
            pool.nest(&numbers);
        }
        pool
    }

    /// Adds, for each one or two tokens as what opens, how many more of these there are than of others,
    /// and what stands at the last place of the same height; from how many there are of each token. A
    /// category of the family has no numbers below 0, but nothing is read of how far below it is.
    fn nest(&mut self, numbers: &[Variable]) {
        for a in 0..numbers.len() {
            for b in a..numbers.len() {
                let opened = match a == b {
                    true => numbers[a],
                    false => self.push(Module::Map(Rule::Sum, numbers[a], numbers[b])),
                };
                let opens = Rule::OneOf(vec![a as i32 + 1, b as i32 + 1]);
                let opens = self.push(Module::Map(opens, TOKENS, TOKENS));
                let closed = self.push(Module::Map(Rule::Difference, POSITIONS, opened));
                let height = self.push(Module::Map(Rule::Difference, opened, closed));
                let level = self.push(Module::Map(Rule::Difference, height, opens));
                let equal = Predicate::Compare(Comparison::Equal, 0);
                self.add(Module::Copy(self.head(level, level, equal), TOKENS));
            }
        }
    }

    /// A table of all pairs of values that a categorical variable has.
    fn tabled(&self, value: impl Fn(i32, i32) -> i32) -> Rule {
        let all = 0..self.d as i32;
        let pairs = all.clone().flat_map(|x| all.clone().map(move |y| (x, y)));
        let table = pairs.map(|(x, y)| ((x, y), value(x, y)));
        Rule::Table(table.collect(), self.d as i32 - 1)
    }

    /// A number as a category.
    fn same(&self) -> Rule {
        let most = self.d as i32 - 1;
        Rule::Table((0..=most).map(|x| ((x, x), x)).collect(), most)
    }

    /// The sum of two numbers as a category.
    fn sums(&self) -> Rule {
        let most = self.d as i32 - 1;
        self.tabled(|x, y| (x + y).min(most))
    }

    /// Adds what its variables can be made to: numbers and their sums as categories, where tokens first
    /// stand, and how far it is to where they do.
    pub fn widen(&mut self) {
        let (mut numbers, mut places) = (Vec::new(), Vec::new());
        let is_of_tokens = |head: &Head| matches!(head.predicate, Predicate::OneOf(_));
        for (at, module) in self.modules.iter().enumerate() {
            match module {
                Module::Count(head, None) if is_of_tokens(head) => numbers.push(FIRST + at),
                Module::Copy(head, POSITIONS) if is_of_tokens(head) => places.push(FIRST + at),
                Module::Copy(..) | Module::Count(..) | Module::Map(..) => {}
            }
        }
        for &number in &numbers {
            // Its values are known, but tables may not read them beside categories yet.
            self.push(Module::Map(self.same(), number, number));
        }
        for (at, &a) in numbers.iter().enumerate() {
            for &b in &numbers[at + 1..] {
                self.add(Module::Map(self.sums(), a, b));
            }
        }
        let distances = self.tabled(|x, y| (x - y).max(0));
        for place in places {
            if !self.causal {
                // The nearest place of a token to the first position is the first one.
                let start = self.head(POSITIONS, POSITIONS, Predicate::OneOf(vec![0]));
                self.add(Module::Copy(start, place));
            }
            self.add(Module::Map(distances.clone(), place, POSITIONS));
        }
    }

    /// Adds a module; gives its variable.
    pub(super) fn push(&mut self, module: Module) -> Variable {
        let column = self.inputs.column(&module, &self.columns);
        self.include(module, column)
    }

    /// Adds a module, unless a variable has its values already; gives the variable.
    fn add(&mut self, module: Module) -> Variable {
        let column = self.inputs.column(&module, &self.columns);
        let known = self.columns.iter().position(|known| *known == column);
        known.unwrap_or_else(|| self.include(module, column))
    }

    fn include(&mut self, module: Module, column: Vec<i32>) -> Variable {
        self.modules.push(module);
        self.columns.push(column);
        self.columns.len() - 1
    }

    pub(super) fn head(&self, keys: Variable, queries: Variable, predicate: Predicate) -> Head {
        Head::new(keys, queries, predicate, self.causal)
    }

    pub(super) fn is_number(&self, variable: Variable) -> bool {
        let module = variable.checked_sub(FIRST).map(|at| &self.modules[at]);
        matches!(module, Some(Module::Count(..)))
    }

    pub(super) fn is_class(&self, variable: Variable) -> bool {
        let module = variable.checked_sub(FIRST).map(|at| &self.modules[at]);
        matches!(module, Some(Module::Map(Rule::OneOf(_), ..)))
    }

    pub(super) fn is_token(&self, variable: Variable) -> bool {
        match variable.checked_sub(FIRST).map(|at| &self.modules[at]) {
            Some(Module::Copy(_, values)) => self.is_token(*values),
            module => module.is_none() && variable == TOKENS,
        }
    }

    /// The values of a variable as numbers from 0, unless it has too many.
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

    /// The label at a place that is asked.
    pub(super) fn label(&self, place: usize) -> usize {
        usize::from(self.wanted[place])
    }
}

/// The modules that are taken already, and those that each variable takes.
pub(super) struct Taken {
    /// Of each variable the modules that it is made of, its own included.
    sources: Vec<BTreeSet<Variable>>,
    taken: BTreeSet<Variable>,
}

impl Taken {
    /// Nothing is taken of the modules of a pool.
    pub(super) fn new(pool: &Pool) -> Taken {
        let mut sources = vec![BTreeSet::new(); FIRST];
        for (at, module) in pool.modules.iter().enumerate() {
            let mut of_this = BTreeSet::from([FIRST + at]);
            for read in module.reads() {
                of_this.extend(&sources[read]);
            }
            sources.push(of_this);
        }
        Taken {
            sources,
            taken: BTreeSet::new(),
        }
    }

    /// How many modules some variables take beyond those.
    pub(super) fn more(&self, variables: &[Variable]) -> usize {
        let all = variables
            .iter()
            .flat_map(|&variable| &self.sources[variable]);
        let more: BTreeSet<&Variable> = all.filter(|one| !self.taken.contains(*one)).collect();
        more.len()
    }

    /// Takes what a variable is made of.
    pub(super) fn take(&mut self, variable: Variable) {
        self.taken.extend(&self.sources[variable]);
    }
}

impl Codes {
    /// The number of the pair of values of two variables at a place.
    #[inline(always)]
    pub(super) fn with(&self, other: &Codes, place: usize) -> usize {
        usize::from(self.codes[place]) * other.count + usize::from(other.codes[place])
    }
}
