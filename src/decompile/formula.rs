//! Tables as arithmetic and short decisions: a formula for the values of two variables that occur, the
//! smallest of its kind. Depends on `value`.

use crate::value::Value;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// What a formula reads.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Its text.
    pub name: String,
    /// The tokens that its values stand for, if they do; otherwise they are numbers.
    pub tokens: Option<Vec<Value>>,
}

impl Operand {
    /// The atom that a value is.
    pub fn atom(&self, value: i32) -> Value {
        match &self.tokens {
            None => Value::Int(value.into()),
            Some(tokens) => {
                let token = usize::try_from(value - 1)
                    .ok()
                    .and_then(|at| tokens.get(at));
                token.cloned().unwrap_or_else(|| Value::str(""))
            }
        }
    }
}

/// Two values that occur together, and what is wanted of them.
#[derive(Clone, Debug)]
pub struct Point {
    pub values: [i32; 2],
    pub wanted: Value,
}

/// A value made of two.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Constant(Value),
    /// One of them.
    Itself(usize),
    /// One of them and a number.
    Shifted(usize, i32),
    Sum,
    /// The one less the other.
    Difference(usize),
    Product,
    /// The one by the other.
    Quotient(usize),
}

/// A question about two values.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Question {
    Equal(usize, i32),
    Less(usize, i32),
    Greater(usize, i32),
    BothEqual,
    FirstLess,
    FirstGreater,
    /// Whether the first is one number, and the second compares so with another.
    Row(i32, Ordering, i32),
}

impl Question {
    fn holds(self, values: [i32; 2]) -> bool {
        match self {
            Question::Equal(of, number) => values[of] == number,
            Question::Less(of, number) => values[of] < number,
            Question::Greater(of, number) => values[of] > number,
            Question::BothEqual => values[0] == values[1],
            Question::FirstLess => values[0] < values[1],
            Question::FirstGreater => values[0] > values[1],
            Question::Row(first, order, second) => {
                values[0] == first && values[1].cmp(&second) == order
            }
        }
    }

    fn text(self, operands: &[Operand; 2]) -> String {
        let [a, b] = operands.each_ref().map(|operand| &operand.name);
        let with = |of: usize, sign: &str, number: i32| {
            let operand = &operands[of];
            format!("{} {sign} {}", operand.name, operand.atom(number).source())
        };
        match self {
            Question::Equal(of, number) => with(of, "==", number),
            Question::Less(of, number) => with(of, "<", number),
            Question::Greater(of, number) => with(of, ">", number),
            Question::BothEqual => format!("{a} == {b}"),
            Question::FirstLess => format!("{a} < {b}"),
            Question::FirstGreater => format!("{a} > {b}"),
            Question::Row(first, order, second) => {
                let sign = match order {
                    Ordering::Equal => "==",
                    Ordering::Less => "<",
                    Ordering::Greater => ">",
                };
                format!("{} and {}", with(0, "==", first), with(1, sign, second))
            }
        }
    }
}

/// What a table is tried as.
struct Fit<'a> {
    operands: &'a [Operand; 2],
    /// Whether the one can be divided by the other wherever they are.
    divides: [bool; 2],
    /// Whether both are one variable.
    is_one: bool,
}

impl Fit<'_> {
    fn value(&self, part: &Part, values: [i32; 2]) -> Option<Value> {
        let [a, b] = values.map(i64::from);
        let number = match part {
            Part::Constant(value) => return Some(value.clone()),
            Part::Itself(of) => return Some(self.operands[*of].atom(values[*of])),
            Part::Shifted(of, number) => i64::from(values[*of]) + i64::from(*number),
            Part::Sum => a + b,
            Part::Difference(0) => a - b,
            Part::Difference(_) => b - a,
            Part::Product => a * b,
            Part::Quotient(of) => {
                let (over, under) = if *of == 0 { (a, b) } else { (b, a) };
                if under == 0 {
                    return None;
                }
                (over as f64 / under as f64).round_ties_even() as i64
            }
        };
        Some(Value::Int(number))
    }

    /// Parts that could give what is wanted of some points, the simple ones first.
    fn parts(&self, points: &[&Point]) -> Vec<Part> {
        let Some(first) = points.first() else {
            return Vec::new();
        };
        let numbers = |of: usize| self.operands[of].tokens.is_none();
        let each = if self.is_one { 0..1 } else { 0..2 };
        let mut parts = vec![Part::Constant(first.wanted.clone())];
        parts.extend(each.clone().map(Part::Itself));
        if let Some(wanted) = first.wanted.as_int().filter(|_| first.wanted.is_number()) {
            for of in each.clone().filter(|&of| numbers(of)) {
                let shift = wanted - i64::from(first.values[of]);
                parts.extend(
                    i32::try_from(shift)
                        .ok()
                        .map(|shift| Part::Shifted(of, shift)),
                );
            }
            if !self.is_one && numbers(0) && numbers(1) {
                parts.extend([
                    Part::Sum,
                    Part::Difference(0),
                    Part::Difference(1),
                    Part::Product,
                ]);
                let divided = (0..2).filter(|&of| self.divides[1 - of]);
                parts.extend(divided.map(Part::Quotient));
            }
        }
        let gives = |part: &Part, point: &Point| {
            self.value(part, point.values).as_ref() == Some(&point.wanted)
        };
        parts.retain(|part| points.iter().all(|point| gives(part, point)));
        parts
    }

    fn text(&self, part: &Part) -> String {
        let [a, b] = self.operands.each_ref().map(|operand| &operand.name);
        match part {
            Part::Constant(value) => value.source(),
            Part::Itself(of) => self.operands[*of].name.clone(),
            Part::Shifted(of, number) => {
                let sign = if *number < 0 { "-" } else { "+" };
                format!(
                    "{} {sign} {}",
                    self.operands[*of].name,
                    number.unsigned_abs()
                )
            }
            Part::Sum => format!("{a} + {b}"),
            Part::Difference(0) => format!("{a} - {b}"),
            Part::Difference(_) => format!("{b} - {a}"),
            Part::Product => format!("{a} * {b}"),
            Part::Quotient(0) => format!("round({a} / {b})"),
            Part::Quotient(_) => format!("round({b} / {a})"),
        }
    }

    fn questions(&self, points: &[&Point]) -> Vec<Question> {
        let mut questions = Vec::new();
        for of in 0..if self.is_one { 1 } else { 2 } {
            let mut values: Vec<i32> = points.iter().map(|point| point.values[of]).collect();
            values.sort_unstable();
            values.dedup();
            let is_number = self.operands[of].tokens.is_none();
            questions.extend(values.iter().map(|&value| Question::Equal(of, value)));
            if is_number {
                questions.extend(values.iter().map(|&value| Question::Less(of, value)));
                questions.extend(values.iter().map(|&value| Question::Greater(of, value)));
            }
        }
        let kinds = self
            .operands
            .each_ref()
            .map(|operand| operand.tokens.is_none());
        if !self.is_one && kinds[0] == kinds[1] {
            questions.push(Question::BothEqual);
            if kinds[0] {
                questions.extend([Question::FirstLess, Question::FirstGreater]);
            }
        }
        questions
    }

    /// Questions about one row of a table, which tell any two points apart that no other does.
    fn rows(&self, points: &[&Point]) -> Vec<Question> {
        let is_number = self.operands[1].tokens.is_none();
        let orders = match is_number {
            true => &[Ordering::Equal, Ordering::Less, Ordering::Greater][..],
            false => &[Ordering::Equal],
        };
        let pairs = points.iter().map(|point| point.values);
        let questions =
            pairs.flat_map(|[a, b]| orders.iter().map(move |&order| Question::Row(a, order, b)));
        questions.collect()
    }

    /// What decides best, and what it gives: a question that leaves what one part gives, or else one
    /// that settles the most points.
    fn best(&self, left: &[&Point], questions: Vec<Question>) -> Option<(Question, Part)> {
        let mut best: Option<((bool, usize, usize), Question, Part)> = None;
        for question in questions {
            let (yes, no): (Vec<&Point>, Vec<&Point>) =
                left.iter().partition(|point| question.holds(point.values));
            if yes.is_empty() || no.is_empty() {
                continue;
            }
            if let Some(part) = self.parts(&yes).into_iter().next() {
                let ends = !self.parts(&no).is_empty();
                let simple = usize::from(matches!(part, Part::Constant(_) | Part::Itself(_)));
                let rank = (ends, yes.len(), simple);
                if best.as_ref().is_none_or(|(known, ..)| rank > *known) {
                    best = Some((rank, question, part));
                }
            }
        }
        best.map(|(_, question, part)| (question, part))
    }

    /// Decisions that give all points: questions with what to give, and what to give at last.
    fn decide(&self, points: &[Point]) -> (Vec<(Question, Part)>, Part) {
        let mut left: Vec<&Point> = points.iter().collect();
        let mut decisions = Vec::new();
        loop {
            if let Some(part) = self.parts(&left).into_iter().next() {
                return (decisions, part);
            }
            let found = self
                .best(&left, self.questions(&left))
                .or_else(|| self.best(&left, self.rows(&left)));
            // No two points are of one pair of values.
            let Some((question, part)) = found else {
                return (decisions, Part::Constant(left[0].wanted.clone()));
            };
            left.retain(|point| !question.holds(point.values));
            decisions.push((question, part));
        }
    }
}

impl Fit<'_> {
    /// A table of 0 and 1 as the pairs for which it is 1.
    fn whether(&self, points: &[Point]) -> Option<String> {
        let is_one = |point: &&Point| point.wanted == Value::Int(1);
        let is_bit = |point: &Point| is_one(&point) || point.wanted == Value::Int(0);
        if !points.iter().all(is_bit) {
            return None;
        }
        let mut firsts: Vec<i32> = points.iter().map(|point| point.values[0]).collect();
        firsts.sort_unstable();
        firsts.dedup();
        let [a, b] = self.operands;
        let mut cases = Vec::new();
        for first in firsts {
            let row = points.iter().filter(|point| point.values[0] == first);
            let (ones, zeros): (Vec<&Point>, Vec<&Point>) = row.partition(is_one);
            let this = format!("{} == {}", a.name, a.atom(first).source());
            let second = |point: &&Point| b.atom(point.values[1]).source();
            match (&ones[..], &zeros[..]) {
                ([], _) => {}
                (_, []) => cases.push(format!("({this})")),
                ([one], _) => cases.push(format!("({this} and {} == {})", b.name, second(one))),
                (_, [zero]) => cases.push(format!("({this} and {} != {})", b.name, second(zero))),
                _ => {
                    let list = ones.iter().map(second).collect::<Vec<_>>().join(", ");
                    cases.push(format!("({this} and ({} in [{list}]))", b.name));
                }
            }
        }
        Some(format!("indicator({})", cases.join(" or ")))
    }
}

/// A formula: its text, and what it gives of any values.
pub struct Formula<'a> {
    fit: Fit<'a>,
    decisions: Vec<(Question, Part)>,
    last: Part,
    /// The text, where it is one of the pairs for which it is 1.
    whether: Option<String>,
}

/// The formula that gives what is wanted of each point, and something of any other values of the
/// operands. `divides` says which of the two is nowhere 0.
pub fn formula<'a>(
    operands: &'a [Operand; 2],
    points: &[Point],
    is_one: bool,
    divides: [bool; 2],
) -> Formula<'a> {
    let fit = Fit {
        operands,
        divides,
        is_one,
    };
    let (decisions, last) = fit.decide(points);
    let is_row = |(question, _): &(Question, Part)| matches!(question, Question::Row(..));
    let whether = match decisions.iter().any(is_row) {
        true => fit.whether(points),
        false => None,
    };
    Formula {
        fit,
        decisions,
        last,
        whether,
    }
}

impl Formula<'_> {
    /// The numbers that it gives of values from some domains.
    pub fn numbers(&self, domains: [&BTreeSet<i32>; 2]) -> BTreeSet<i32> {
        if self.whether.is_some() {
            return BTreeSet::from([0, 1]);
        }
        let pairs = domains[0].iter().flat_map(|&a| {
            let seconds = domains[1]
                .iter()
                .filter(move |&&b| !self.fit.is_one || a == b);
            seconds.map(move |&b| [a, b])
        });
        let number = |values: [i32; 2]| {
            let mut decisions = self.decisions.iter();
            let decided = decisions.find(|(question, _)| question.holds(values));
            let part = decided.map_or(&self.last, |(_, part)| part);
            self.fit.value(part, values)?.as_int()?.try_into().ok()
        };
        pairs.filter_map(number).collect()
    }

    /// Its text.
    pub fn text(&self) -> String {
        if let Some(text) = &self.whether {
            return text.clone();
        }
        let grouped = |text: String| match text.contains(' ') {
            true => format!("({text})"),
            false => text,
        };
        let mut text = self.fit.text(&self.last);
        for (question, part) in self.decisions.iter().rev() {
            let (part, rest) = (grouped(self.fit.text(part)), grouped(text));
            text = format!("{part} if {} else {rest}", question.text(self.fit.operands));
        }
        text
    }
}
