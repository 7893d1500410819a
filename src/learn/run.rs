//! What the modules of a program give on examples, many at a time. Depends on `data` and `program`.

use super::data::Encoded;
use super::program::{FIRST, Head, Module, Rule, Variable};

/// Examples, and what positions they have.
pub struct Inputs<'a> {
    /// The examples.
    pub data: &'a Encoded,
    /// The length of each.
    pub lengths: Vec<usize>,
}

impl<'a> Inputs<'a> {
    /// Examples with their lengths.
    pub fn new(data: &'a Encoded) -> Inputs<'a> {
        let lengths = data.tokens.chunks(data.n.max(1));
        let lengths = lengths.map(|tokens| {
            let end = tokens.iter().rposition(|&token| token != 0);
            end.map_or(0, |last| last + 1)
        });
        Inputs {
            lengths: lengths.collect(),
            data,
        }
    }

    /// The variables that there are before any module.
    pub fn columns(&self) -> Vec<Vec<i32>> {
        let tokens = self.data.tokens.iter().map(|&token| i32::from(token));
        let positions = (0..self.data.tokens.len()).map(|at| (at % self.data.n) as i32);
        vec![tokens.collect(), positions.collect()]
    }

    /// The values of a module, from those of the variables before it.
    pub fn column<C: AsRef<[i32]>>(&self, module: &Module, columns: &[C]) -> Vec<i32> {
        let mut made = vec![0; self.data.tokens.len()];
        let column = |variable: Variable| columns[variable].as_ref();
        match module {
            Module::Copy(head, values) => {
                let values = column(*values);
                self.attend(
                    head,
                    column(head.keys),
                    column(head.queries),
                    |start, i, head| {
                        made[start + i] = values[start + head.nearest(i)];
                    },
                );
            }
            Module::Count(head, None) => {
                self.attend(
                    head,
                    column(head.keys),
                    column(head.queries),
                    |start, i, head| {
                        made[start + i] =
                            head.seen(i).filter(|&j| head.matches(i, j)).count() as i32;
                    },
                );
            }
            Module::Count(head, Some(summed)) => {
                let summed = column(*summed);
                self.attend(
                    head,
                    column(head.keys),
                    column(head.queries),
                    |start, i, head| {
                        let matching = head.seen(i).filter(|&j| head.matches(i, j));
                        made[start + i] = matching.map(|j| summed[start + j]).sum();
                    },
                );
            }
            Module::Map(rule, a, b) => {
                let pairs = column(*a).iter().zip(column(*b));
                for (made, (&a, &b)) in made.iter_mut().zip(pairs) {
                    *made = match rule {
                        Rule::Sum => a + b,
                        Rule::Difference => a - b,
                        Rule::Given(when, other) => {
                            if b == *when {
                                a
                            } else {
                                *other
                            }
                        }
                        Rule::OneOf(numbers) => i32::from(numbers.contains(&a)),
                        Rule::Table(table, other) => table.get(&(a, b)).copied().unwrap_or(*other),
                    };
                }
            }
        }
        made
    }

    fn attend(
        &self,
        head: &Head,
        keys: &[i32],
        queries: &[i32],
        mut each: impl FnMut(usize, usize, &Attending),
    ) {
        for (example, &length) in self.lengths.iter().enumerate() {
            let start = example * self.data.n;
            let attending = Attending {
                head,
                keys: &keys[start..start + length],
                queries: &queries[start..start + length],
            };
            (0..length).for_each(|i| each(start, i, &attending));
        }
    }

    /// All variables of a program.
    pub fn run(&self, modules: &[Module]) -> Vec<Vec<i32>> {
        let mut columns = self.columns();
        for module in modules {
            let column = self.column(module, &columns);
            columns.push(column);
        }
        columns
    }
}

/// How many examples are run at a time.
pub const AT_ONCE: usize = 1024;

/// Some variables of a program on examples; others are left empty. Few examples are run at a time, so
/// that what takes memory is what was asked for.
pub fn some(data: &Encoded, modules: &[Module], wanted: &[Variable]) -> Vec<Vec<i32>> {
    let mut columns = vec![Vec::new(); FIRST + modules.len()];
    for part in data.parts(AT_ONCE) {
        for (variable, column) in Inputs::new(&part).run(modules).iter().enumerate() {
            if wanted.contains(&variable) {
                columns[variable].extend_from_slice(column);
            }
        }
    }
    columns
}

/// A head on one example.
struct Attending<'a> {
    head: &'a Head,
    keys: &'a [i32],
    queries: &'a [i32],
}

impl Attending<'_> {
    #[inline(always)]
    fn matches(&self, query: usize, key: usize) -> bool {
        self.head
            .predicate
            .holds(self.keys[key], self.queries[query])
    }

    /// The keys that a query sees.
    #[inline(always)]
    fn seen(&self, query: usize) -> std::ops::Range<usize> {
        let end = if self.head.left {
            query + 1
        } else {
            self.keys.len()
        };
        usize::from(!self.head.first)..end
    }

    /// The key that a query copies from.
    fn nearest(&self, query: usize) -> usize {
        let seen = self.seen(query);
        for distance in 1..self.keys.len() {
            let left = query.checked_sub(distance);
            for key in [left, Some(query + distance)].into_iter().flatten() {
                if seen.contains(&key) && self.matches(query, key) {
                    return key;
                }
            }
        }
        match seen.contains(&query) && self.matches(query, query) {
            true => query,
            false => 0,
        }
    }
}

impl Head {
    /// The key that a query copies from, on one example.
    pub fn from(&self, keys: &[i32], queries: &[i32], query: usize) -> usize {
        Attending {
            head: self,
            keys,
            queries,
        }
        .nearest(query)
    }
}
