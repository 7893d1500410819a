//! Tables as arithmetic and short decisions: a formula for the values of two variables that occur, the
//! smallest of its kind. Depends on `value`.

use crate::value::Value;

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
                let whole = under != 0 && over % under == 0;
                return whole.then(|| Value::Int(over / under));
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

    /// Decisions that give all points: questions with what to give, and what to give at last.
    fn decide(&self, points: &[Point]) -> (Vec<(Question, Part)>, Part) {
        let mut left: Vec<&Point> = points.iter().collect();
        let mut decisions = Vec::new();
        loop {
            if let Some(part) = self.parts(&left).into_iter().next() {
                return (decisions, part);
            }
            let mut best: Option<((bool, usize, usize), Question, Part)> = None;
            for question in self.questions(&left) {
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
            // A question that holds for one pair of values alone there may not be.
            let Some((_, question, part)) = best else {
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

/// A formula that gives what is wanted of each point, if one is found. `divides` says which of the two
/// is nowhere 0.
pub fn formula(
    operands: &[Operand; 2],
    points: &[Point],
    is_one: bool,
    divides: [bool; 2],
) -> Option<String> {
    let fit = Fit {
        operands,
        divides,
        is_one,
    };
    let (decisions, last) = fit.decide(points);
    let is_right = points.iter().all(|point| {
        let decided = decisions
            .iter()
            .find(|(question, _)| question.holds(point.values));
        let part = decided.map_or(&last, |(_, part)| part);
        fit.value(part, point.values).as_ref() == Some(&point.wanted)
    });
    if !is_right {
        return fit.whether(points);
    }
    let mut text = fit.text(&last);
    for (question, part) in decisions.iter().rev() {
        let rest = if text.contains(' ') {
            format!("({text})")
        } else {
            text
        };
        let part = fit.text(part);
        let part = if part.contains(' ') {
            format!("({part})")
        } else {
            part
        };
        text = format!("{part} if {} else {rest}", question.text(operands));
    }
    Some(text)
}
