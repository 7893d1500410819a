//! Local search: a discrete program with single choices changed, where that makes more labels right
//! (a gate, a row of a predicate, an entry of a table). Depends on `program`, `run` and `data`.

use super::data::Encoded;
use super::program::{FIRST, Head, Module, Predicate, Program, Rule, TOKENS, Variable};

use super::run::{AT_ONCE, Inputs};
use super::train::Stop;
use crate::base::Random;
use std::borrow::Cow;

/// Changes that are tried on one sample of the examples.
const ROUND: usize = 500;
/// Examples of a sample that are wrong, and examples that are right.
const SAMPLE: (usize, usize) = (100, 300);

/// The program with as many changes of so many that were tried, before `stop` said `true`, as made more
/// labels right. Categorical variables hold values below `d`.
pub fn climbed(program: &Program, data: &Encoded, d: usize, tries: usize, stop: &Stop) -> Program {
    let mut random = Random::new(0x636c_696d);
    let mut best = program.clone();
    let mut right = Right::of(&best, data);
    for _ in 0..tries.div_ceil(ROUND) {
        if stop() {
            break;
        }
        let Some(sample) = sample(&best, data, &mut random) else {
            break;
        };
        let Sample {
            examples: sample,
            bad,
            shares,
        } = sample;
        let inputs = Inputs::new(&sample);
        let is_set = |module: &Module| match module {
            Module::Copy(head, _) | Module::Count(head, _) => match &head.predicate {
                Predicate::Rows(rows) => rows.iter().any(|row| row.count_ones() != 1),
                Predicate::Compare(..) | Predicate::Constant(..) | Predicate::OneOf(_) => false,
            },
            Module::Map(..) => false,
        };
        let sets = best.modules.iter().any(is_set);
        let mut columns = inputs.run(&best.modules);
        let estimate = |given: &[u16]| {
            let (of_bad, of_good) = given.split_at(bad * sample.n);
            let (bad, good) = sample.labels.split_at(bad * sample.n);
            hits(of_bad, bad) as f64 * shares[0] + hits(of_good, good) as f64 * shares[1]
        };
        let mut given = best.labels(&columns);
        let mut estimated = estimate(&given);
        for _ in 0..ROUND {
            let wrong: Vec<usize> = wrong(&given, &sample.labels).collect();
            if wrong.is_empty() || best.modules.is_empty() || stop() {
                break;
            }
            let at = wrong[random.below(wrong.len())];
            let number = random.below(best.modules.len());
            let mut tried = best.clone();
            let place = Place {
                columns: &columns,
                example: at / sample.n * sample.n,
                length: inputs.lengths[at / sample.n],
                at,
                d,
                sets,
            };
            place.change(&mut tried.modules, number, &mut random);
            let Some(changed) = rerun(&inputs, &tried, number, &columns) else {
                continue;
            };
            let labels = tried.labels(&changed);
            let count = estimate(&labels);
            if count > estimated
                && let Some(more) = right.beaten(&tried, data)
            {
                let changed = changed.into_iter().map(Cow::into_owned).collect();
                (best, right, estimated, columns) = (tried, more, count, changed);
                given = labels;
            }
        }
    }
    best
}

/// How many labels a program has right, and how many wrong, of each part of the examples.
struct Right(Vec<(usize, usize)>);

impl Right {
    fn of(program: &Program, data: &Encoded) -> Right {
        let parts = data.parts(AT_ONCE).map(|part| {
            let score = program.score(&part);
            (score.labels_right, score.labels - score.labels_right)
        });
        Right(parts.collect())
    }

    /// That of another program, if it has more right. It is given up where what is left cannot make up
    /// for what it has lost.
    fn beaten(&self, program: &Program, data: &Encoded) -> Option<Right> {
        let mut left: usize = self.0.iter().map(|(_, wrong)| wrong).sum();
        let (mut gained, mut lost) = (0, 0);
        let mut parts = Vec::new();
        for (part, &(right, wrong)) in data.parts(AT_ONCE).zip(&self.0) {
            let score = program.score(&part);
            gained += score.labels_right;
            lost += right;
            left -= wrong;
            if gained + left <= lost {
                return None;
            }
            parts.push((score.labels_right, score.labels - score.labels_right));
        }
        (gained > lost).then_some(Right(parts))
    }
}

/// Where labels are wrong.
fn wrong(given: &[u16], wanted: &[u16]) -> impl Iterator<Item = usize> {
    let pairs = given.iter().zip(wanted).enumerate();
    pairs.filter_map(|(at, (given, wanted))| (*wanted != 0 && given != wanted).then_some(at))
}

fn hits(given: &[u16], wanted: &[u16]) -> usize {
    let pairs = given.iter().zip(wanted);
    pairs
        .filter(|(given, wanted)| **wanted != 0 && given == wanted)
        .count()
}

/// Examples with a wrong label, then examples without.
struct Sample {
    examples: Encoded,
    /// How many are wrong.
    bad: usize,
    /// How many examples each stands for: one that is wrong, and one that is not.
    shares: [f64; 2],
}

/// Some examples with wrong labels, and some without; nothing if no label is wrong.
fn sample(program: &Program, data: &Encoded, random: &mut Random) -> Option<Sample> {
    let (mut bad, mut good) = (Vec::new(), Vec::new());
    let mut first = 0;
    for part in data.parts(AT_ONCE) {
        let given = program.labels(&Inputs::new(&part).run(&program.modules));
        let examples = given.chunks(data.n).zip(part.labels.chunks(data.n));
        for (at, (given, wanted)) in examples.enumerate() {
            match wrong(given, wanted).next() {
                Some(_) => bad.push(first + at),
                None => good.push(first + at),
            }
        }
        first += part.count();
    }
    let mut shares = [1.0; 2];
    let lists = [(&mut bad, SAMPLE.0), (&mut good, SAMPLE.1)];
    for ((list, most), share) in lists.into_iter().zip(&mut shares) {
        let count = list.len();
        let drawn = most.min(count);
        for at in 0..drawn {
            list.swap(at, at + random.below(count - at));
        }
        list.truncate(drawn);
        *share = count as f64 / drawn.max(1) as f64;
    }
    (!bad.is_empty()).then(|| Sample {
        bad: bad.len(),
        shares,
        examples: data.part(&[bad, good].concat()),
    })
}

/// The variables after a module has changed, or nothing if it gives what it gave.
fn rerun<'a>(
    inputs: &Inputs,
    program: &Program,
    number: usize,
    columns: &'a [Vec<i32>],
) -> Option<Vec<Cow<'a, [i32]>>> {
    let mut now: Vec<Cow<[i32]>> = columns.iter().map(|c| Cow::Borrowed(&c[..])).collect();
    let mut changed = vec![false; columns.len()];
    for (at, module) in program.modules.iter().enumerate().skip(number) {
        if at == number || module.reads().iter().any(|&read| changed[read]) {
            let column = inputs.column(module, &now);
            if column != columns[FIRST + at] {
                changed[FIRST + at] = true;
                now[FIRST + at] = Cow::Owned(column);
            }
        }
        if !changed[FIRST + number] {
            return None;
        }
    }
    Some(now)
}

/// A label that is wrong: changes are of what is used there.
struct Place<'a> {
    columns: &'a [Vec<i32>],
    /// Where the example begins.
    example: usize,
    length: usize,
    at: usize,
    d: usize,
    /// Whether predicates may match several keys for a query.
    sets: bool,
}

impl Place<'_> {
    /// Changes one choice of a module.
    fn change(&self, modules: &mut [Module], number: usize, random: &mut Random) {
        let is_number = |&variable: &Variable| {
            let module = variable.checked_sub(FIRST).and_then(|at| modules.get(at));
            matches!(module, Some(Module::Count(..)))
        };
        let (numbers, values): (Vec<_>, Vec<_>) = (TOKENS..FIRST + number).partition(is_number);
        let what = random.below(8);
        let value = values[random.below(values.len())];
        let number_read = match random.below(numbers.len() + 1) {
            0 => None,
            at => Some(numbers[at - 1]),
        };
        match (&mut modules[number], what) {
            (Module::Copy(head, _) | Module::Count(head, _), 0) => head.keys = value,
            (Module::Copy(head, _) | Module::Count(head, _), 1) => head.queries = value,
            (Module::Copy(_, copied), 2) => *copied = value,
            (Module::Count(_, summed), 2) => *summed = number_read,
            (Module::Copy(head, _) | Module::Count(head, _), _) => self.turn(head, random),
            (Module::Map(Rule::Table(table, _), a, b), _) => {
                let other = match numbers.contains(a) {
                    true => number_read,
                    false => Some(value),
                };
                match (what, other) {
                    (0, Some(other)) if a != b => *a = other,
                    (1, Some(other)) if a != b => *b = other,
                    _ => {
                        let of = |variable: Variable| self.columns[variable][self.at];
                        table.insert((of(*a), of(*b)), random.below(self.d) as i32);
                    }
                }
            }
            (Module::Map(..), _) => {}
        }
    }

    /// Another key for what the query is at this place: one that occurs in the example.
    fn turn(&self, head: &mut Head, random: &mut Random) {
        let key = self.columns[head.keys][self.example + random.below(self.length)];
        let query = self.columns[head.queries][self.at];
        if let Predicate::Rows(rows) = &mut head.predicate {
            let row = usize::try_from(query).ok().and_then(|at| rows.get_mut(at));
            if let (Some(row), 0..64) = (row, key) {
                *row = if self.sets { *row ^ 1 << key } else { 1 << key };
            }
        }
    }
}
