//! The ways in which labels may come from a variable: what small programs end in. Depends on what `grow`
//! does.

use super::data::Encoded;
use super::grow::{Search, Tried};
use super::program::{
    Comparison, Head, Module, POSITIONS, Predicate, Program, Rule, TOKENS, Variable,
};
use std::collections::{BTreeMap, HashSet};

impl Search<'_> {
    pub(super) fn read_alone(&mut self, more: &[Tried], x: Variable) -> Option<Program> {
        self.tells(more, x, x).then(|| self.found(more, x, x))?
    }

    pub(super) fn read_with_another(&mut self, more: &[Tried], x: Variable) -> Option<Program> {
        let others = [&self.tokens[..1], &self.numbers, &self.classes].concat();
        let other = others
            .into_iter()
            .find(|&other| self.tells(more, x, other))?;
        self.found(more, x, other)
    }

    /// The labels are tokens from where a variable says, or from where one stands that says it is
    /// meant.
    pub(super) fn fetched(&mut self, more: &[Tried], x: Variable) -> Option<Program> {
        let is_tokens = self.tokens.contains(&x);
        let other = if is_tokens { TOKENS } else { POSITIONS };
        for (keys, queries) in [(x, other), (other, x)] {
            let equal = Predicate::Compare(Comparison::Equal, 0);
            let head = self.head(keys, queries, equal);
            for values in self.tokens.clone() {
                if let Some(made) = self.fetch(more, &head, values) {
                    let variable = self.columns.len() + more.len();
                    let more = [more, &[made]].concat();
                    return self.found(&more, variable, variable);
                }
            }
        }
        None
    }

    /// A head, if what it copies tells the labels; most are seen not to on the first places.
    fn fetch(&self, more: &[Tried], head: &Head, values: Variable) -> Option<Tried> {
        let (keys, queries) = (
            self.column(more, head.keys),
            self.column(more, head.queries),
        );
        let copied = self.column(more, values);
        let data = self.inputs.data;
        let mut known: Vec<(i32, u16)> = Vec::new();
        for &at in &self.asked {
            let example = at / data.n;
            let start = example * data.n;
            let end = start + self.inputs.lengths[example];
            let from = head.from(&keys[start..end], &queries[start..end], at - start);
            let value = copied[start + from];
            match known.iter().find(|(other, _)| *other == value) {
                Some((_, label)) if *label != data.labels[at] => return None,
                Some(_) => {}
                None => known.push((value, data.labels[at])),
            }
        }
        Some(self.tried(more, Module::Copy(head.clone(), values)))
    }

    /// How many have more, fewer, or as many; none below 0.
    pub(super) fn counted(&mut self, more: &[Tried], x: Variable) -> Option<Program> {
        let predicates = [
            Predicate::Compare(Comparison::Equal, 0),
            Predicate::Compare(Comparison::Less, 0),
            Predicate::Compare(Comparison::Greater, 0),
            Predicate::Constant(Comparison::Less, 0),
            Predicate::Constant(Comparison::Equal, 0),
        ];
        for predicate in predicates {
            for head in self.reaches(&self.head(x, x, predicate)) {
                let made = self.columns.len() + more.len();
                let module = Module::Count(head, None);
                let more = [more, &[self.tried(more, module)]].concat();
                let others = [made, x, TOKENS, POSITIONS];
                if let Some(other) = others.into_iter().find(|&o| self.tells(&more, made, o)) {
                    return self.found(&more, made, other);
                }
            }
        }
        None
    }

    /// The labels are tokens in the order of a variable, equal ones from the left.
    pub(super) fn ranked(&mut self, more: &[Tried], x: Variable) -> Option<Program> {
        let equal = Predicate::Compare(Comparison::Equal, 0);
        for comparison in [Comparison::Less, Comparison::Greater] {
            let before = self.head(x, x, Predicate::Compare(comparison, 0));
            let ties = Head {
                left: true,
                ..self.head(x, x, equal.clone())
            };
            for first in [true, false] {
                let with = |head: &Head| Head {
                    first,
                    ..head.clone()
                };
                let made = self.columns.len() + more.len();
                let mut more = more.to_vec();
                for module in [
                    Module::Count(with(&before), None),
                    Module::Count(with(&ties), None),
                    Module::Map(Rule::Sum, made, made + 1),
                ] {
                    more.push(self.tried(&more, module));
                }
                let found = self.fetched(&more, made + 2);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// A label that stays for ever once it is there begins with certain values of a variable: those
    /// are counted, and the rest is read with another.
    pub(super) fn broken(&mut self, more: &[Tried], x: Variable) -> Option<Program> {
        self.broken_by(more, x, x, x)
    }

    /// Where brackets are: what stands at the nearest place of the same height, by classes of tokens.
    pub(super) fn nested(&mut self, more: &[Tried], x: Variable) -> Option<Program> {
        // Only a difference is a height.
        if !matches!(self.modules.last(), Some(Module::Map(Rule::Difference, ..))) {
            return None;
        }
        let equal = Predicate::Compare(Comparison::Equal, 0);
        for class in self.classes.clone() {
            let level = self.columns.len() + more.len();
            let mut more = more.to_vec();
            more.push(self.tried(&more, Module::Map(Rule::Sum, x, class)));
            let head = Head {
                left: true,
                ..self.head(level, level, equal.clone())
            };
            more.push(self.tried(&more, Module::Copy(head, TOKENS)));
            let found = self.broken_by(&more, TOKENS, level + 1, x);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn broken_by(
        &mut self,
        more: &[Tried],
        a: Variable,
        b: Variable,
        height: Variable,
    ) -> Option<Program> {
        let data = self.inputs.data;
        let last = lasting(data)?;
        let (left, right) = (self.column(more, a), self.column(more, b));
        let fine: HashSet<(i32, i32)> = (0..data.tokens.len())
            .filter(|&at| data.tokens[at] != 0 && data.labels[at] != last)
            .map(|at| (left[at], right[at]))
            .collect();
        let mut marks = BTreeMap::new();
        for (example, &length) in self.inputs.lengths.iter().enumerate() {
            let start = example * data.n;
            let first = (start..start + length).find(|&at| data.labels[at] == last);
            if let Some(at) = first {
                let pair = (left[at], right[at]);
                if fine.contains(&pair) {
                    return None;
                }
                marks.insert(pair, 1);
            }
        }
        let mark = self.columns.len() + more.len();
        let mut more = more.to_vec();
        more.push(self.tried(&more, Module::Map(Rule::Table(marks, 0), a, b)));
        let head = Head {
            left: true,
            ..self.head(mark, mark, Predicate::Constant(Comparison::Equal, 1))
        };
        more.push(self.tried(&more, Module::Count(head, None)));
        let is_any = Rule::OneOf(vec![0]);
        more.push(self.tried(&more, Module::Map(is_any, mark + 1, mark + 1)));
        let others = [&[height][..], &self.numbers].concat();
        let other = others
            .into_iter()
            .find(|&other| self.tells(&more, mark + 2, other))?;
        self.found(&more, mark + 2, other)
    }
}

/// The label after which no other comes.
pub(super) fn lasting(data: &Encoded) -> Option<u16> {
    let mut lasting: Vec<u16> = data.labels.clone();
    lasting.sort_unstable();
    lasting.dedup();
    lasting.retain(|&label| label != 0);
    for labels in data.labels.chunks(data.n) {
        let labels = labels.iter().filter(|label| **label != 0);
        let pairs = labels.clone().zip(labels.skip(1));
        for (before, _) in pairs.filter(|(before, after)| before != after) {
            lasting.retain(|label| label != before);
        }
    }
    match lasting[..] {
        [only] => Some(only),
        _ => None,
    }
}
