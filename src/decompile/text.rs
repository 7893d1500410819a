//! The statements of a program. Depends on `care`, `formula` and `names`.

use super::OUTPUT;
use super::care::Care;
use super::formula::{Operand, Point, formula};
use super::merge::tokens;
use super::names::name;
use super::rows::rows;
use crate::learn::data::{Data, Encoded};
use crate::learn::program::{FIRST, Module, Program, Readout, Rule, Variable};
use crate::value::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The nearest key that matches: of two as near the left one, the query's own last.
const NEAREST: &str = "\
## Of the selected positions the nearest; of two as near the left one, the query's own last.
def nearest(matches) {
    return select_best(matches, score(indices, indices, lambda key, query:
        -1000 if key == query else (2 * (key - query) + 1 if key < query else 2 * (query - key))));
}
";

/// The same where only earlier keys and the query's own are selected.
const LATEST: &str = "\
## Of the selected positions the latest, the query's own last.
def latest(matches) {
    return select_best(matches, score(indices, indices, lambda key, query:
        key if key < query else -1));
}
";

/// The program as text, not in canonical form yet.
pub fn text(program: &Program, data: &Data, care: &Care) -> String {
    let mut writer = Writer {
        program,
        data,
        care,
        names: vec!["tokens".to_string(), "indices".to_string()],
        kinds: tokens(program),
        domains: vec![
            (1..=data.vocabulary.len() as i32).collect(),
            (0..data.n() as i32).collect(),
        ],
        selectors: Vec::new(),
        lines: String::new(),
    };
    for at in 0..program.modules.len() {
        writer.module(at);
    }
    writer.readout();
    writer.whole()
}

pub(super) struct Writer<'a> {
    pub(super) program: &'a Program,
    pub(super) data: &'a Data,
    pub(super) care: &'a Care,
    pub(super) names: Vec<String>,
    /// Which variables hold tokens.
    pub(super) kinds: Vec<bool>,
    /// What each variable's text may give as far as a reader of types can tell, which is more than
    /// occurs. Dicts list all of it, so that nothing fails.
    pub(super) domains: Vec<BTreeSet<i32>>,
    /// Selectors that have a statement of their own, with their names.
    pub(super) selectors: Vec<(String, String)>,
    pub(super) lines: String,
}

impl Writer<'_> {
    fn operand(&self, variable: Variable) -> Operand {
        Operand {
            name: self.names[variable].clone(),
            tokens: self.kinds[variable].then(|| self.data.vocabulary.clone()),
        }
    }

    /// The text of a value of a variable.
    pub(super) fn atom(&self, variable: Variable, value: i32) -> String {
        self.operand(variable).atom(value).source()
    }

    pub(super) fn list(&self, variable: Variable, values: &[i32]) -> String {
        let values = values.iter().map(|&value| self.atom(variable, value));
        format!("[{}]", values.collect::<Vec<_>>().join(", "))
    }

    fn module(&mut self, at: usize) {
        let module = &self.program.modules[at];
        let n = self.data.n() as i32;
        let (text, domain) = match module {
            Module::Copy(head, values) => {
                let mut domain = self.domains[*values].clone();
                domain.extend(&self.care.first[*values]);
                (self.copy(head, *values), domain)
            }
            Module::Count(head, None) => {
                let mean = self.mean(head).filter(|_| self.is_added(at + FIRST));
                let text = match mean {
                    Some(mean) => mean,
                    None => {
                        let selector = self.apart(self.selector(head), 1);
                        format!("selector_width({selector})")
                    }
                };
                (text, (0..=n).collect())
            }
            Module::Count(head, Some(summed)) => {
                let selector = self.apart(self.selector(head), 2);
                let values = &self.names[*summed];
                let sum =
                    format!("round(selector_width({selector}) * aggregate({selector}, {values}))");
                let most = self.domains[*summed].last().copied().unwrap_or(0);
                (sum, (0..=n * most).collect())
            }
            Module::Map(rule, a, b) => self.map(rule, *a, *b, at + FIRST),
        };
        let name = match (self.is_output(at + FIRST), self.points(at + FIRST)) {
            (true, _) => OUTPUT.to_string(),
            (_, Some(label)) => self.unused(&self.scored("points", label)),
            _ => self.unused(&name(module, &self.names, self.data)),
        };
        let _ = writeln!(self.lines, "{name} = {text};");
        self.names.push(name);
        self.domains.push(domain);
    }

    /// Whether a variable is a summand.
    fn is_added(&self, variable: Variable) -> bool {
        let mut modules = self.program.modules.iter();
        modules.any(|module| match module {
            Module::Map(Rule::Sum | Rule::Difference, a, b) => [*a, *b].contains(&variable),
            Module::Copy(..) | Module::Count(..) | Module::Map(..) => false,
        })
    }

    /// A name that no other variable has.
    pub(super) fn unused(&self, name: &str) -> String {
        let is_used = |name: &String| {
            let mut selectors = self.selectors.iter().map(|(_, selector)| selector);
            name == OUTPUT || self.names.contains(name) || selectors.any(|other| other == name)
        };
        let mut names =
            std::iter::once(name.to_string()).chain((2..).map(|number| format!("{name}_{number}")));
        names.find(|name| !is_used(name)).unwrap_or_default()
    }

    /// Whether the last variable is what is read, as it is.
    fn is_output(&self, variable: Variable) -> bool {
        let Readout::Table(a, b, ..) = &self.program.readout else {
            return false;
        };
        let is_last = variable + 1 == FIRST + self.program.modules.len();
        if !is_last || (*a, *b) != (variable, variable) {
            return false;
        }
        let operand = Operand {
            name: String::new(),
            tokens: self.kinds[variable].then(|| self.data.vocabulary.clone()),
        };
        let mut labels = self.care.labels.iter();
        labels.all(|((value, _), label)| operand.atom(*value) == self.label(*label))
    }

    pub(super) fn label(&self, label: u16) -> Value {
        self.data.labels[usize::from(label) - 1].clone()
    }

    /// The text of a map, and what it may give.
    fn map(
        &self,
        rule: &Rule,
        a: Variable,
        b: Variable,
        made: Variable,
    ) -> (String, BTreeSet<i32>) {
        let [first, second] = [a, b].map(|variable| &self.names[variable]);
        let of = [a, b].map(|variable| &self.domains[variable]);
        let pairs = of[0]
            .iter()
            .flat_map(|x| of[1].iter().map(move |y| (*x, *y)));
        match rule {
            Rule::Sum => (
                format!("{first} + {second}"),
                pairs.map(|(x, y)| x + y).collect(),
            ),
            Rule::Difference => (
                format!("{first} - {second}"),
                pairs.map(|(x, y)| x - y).collect(),
            ),
            Rule::Given(when, other) => {
                let mut domain = of[0].clone();
                domain.insert(*other);
                let (when, other) = (self.atom(b, *when), self.atom(a, *other));
                (
                    format!("{first} if {second} == {when} else {other}"),
                    domain,
                )
            }
            Rule::OneOf(values) => {
                let text = match values[..] {
                    [value] => format!("indicator({first} == {})", self.atom(a, value)),
                    _ => format!("indicator({first} in {})", self.list(a, values)),
                };
                (text, BTreeSet::from([0, 1]))
            }
            Rule::Table(table, other) => {
                let nothing = BTreeSet::new();
                let pairs = self.care.pairs.get(&made).unwrap_or(&nothing);
                let points = pairs.iter().map(|&(x, y)| Point {
                    values: [x, y],
                    wanted: Value::Int(table.get(&(x, y)).unwrap_or(other).to_owned().into()),
                });
                self.table(a, b, &points.collect::<Vec<_>>())
            }
        }
    }

    /// A table as a formula, and what that may give.
    fn table(&self, a: Variable, b: Variable, points: &[Point]) -> (String, BTreeSet<i32>) {
        let operands = [self.operand(a), self.operand(b)];
        let divides = [a, b].map(|variable| !self.care.values[variable].contains(&0));
        let formula = formula(&operands, points, a == b, divides);
        let domains = [a, b].map(|variable| &self.domains[variable]);
        let text = formula.text();
        match rows(&operands, points, domains) {
            Some(rows) if rows.text.len() < text.len() => (rows.text, rows.numbers),
            _ => (text, formula.numbers(domains)),
        }
    }

    fn readout(&mut self) {
        match &self.program.readout {
            Readout::Table(a, b, ..) => {
                if self.names.last().is_some_and(|name| name == OUTPUT) {
                    return;
                }
                let points = self.care.labels.iter().map(|(&(x, y), &label)| Point {
                    values: [x, y],
                    wanted: self.label(label),
                });
                let points: Vec<Point> = points.collect();
                let (text, _) = self.table(*a, *b, &points);
                let _ = writeln!(self.lines, "{OUTPUT} = {text};");
            }
            Readout::Linear(linear) => self.linear(linear),
        }
    }

    /// The statements with what goes before and after them.
    fn whole(&self) -> String {
        let data = self.data;
        let list = |values: &mut dyn Iterator<Item = &Value>| {
            let values = values.map(Value::source).collect::<Vec<_>>();
            format!("[{}]", values.join(", "))
        };
        let vocabulary = list(&mut data.vocabulary.iter());
        let mut text = format!("set vocab {vocabulary}\nset max_length {}\n", data.n());
        if data.causal {
            text.push_str("set causal on\n");
        }
        if let Some((input, _)) = example(data) {
            let _ = writeln!(text, "set example {}", list(&mut input.iter()));
        }
        text.push('\n');
        for (helper, definition) in [("nearest(", NEAREST), ("latest(", LATEST)] {
            if self.lines.contains(helper) {
                text.push_str(definition);
                text.push('\n');
            }
        }
        text.push_str(&self.lines);
        text
    }
}

/// An example to show: the first of the longest that are held out.
pub fn example(data: &Data) -> Option<(Vec<Value>, Vec<u16>)> {
    let set: &Encoded = &data.test;
    let length = |at: usize| {
        set.example(at)
            .0
            .iter()
            .filter(|&&token| token != 0)
            .count()
    };
    let longest = (0..set.count()).max_by_key(|&at| (length(at), usize::MAX - at))?;
    let (tokens, labels) = set.example(longest);
    Some((data.input(tokens), labels.to_vec()))
}
