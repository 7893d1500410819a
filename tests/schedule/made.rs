//! Scheduling problems made for tests and benches: random ones, and one written down in a file.

use rasp::base::Random;
use rasp::schedule::problem::{Kind, Problem, Value};

/// How a random problem looks.
pub struct Shape {
    pub inputs: usize,
    pub heads: usize,
    pub forms: usize,
    /// Selectors that heads choose from.
    pub selectors: usize,
    /// The most operands of a value.
    pub operands: usize,
    /// The most hidden units of a form.
    pub units: usize,
    /// The most residual directions of a value.
    pub dims: usize,
    pub outputs: usize,
}

/// A problem of that shape, the kinds in random order, each value reading others before it.
pub fn random(random: &mut Random, shape: &Shape) -> Problem {
    let mut problem = Problem::default();
    for _ in 0..shape.inputs {
        let dims = 1 + random.below(shape.dims);
        push(&mut problem, Kind::Input, dims, Vec::new());
    }
    let (mut heads, mut forms) = (shape.heads, shape.forms);
    while heads + forms > 0 {
        let kind = if random.below(heads + forms) < heads {
            heads -= 1;
            let selector = random.below(shape.selectors);
            Kind::Head { selector }
        } else {
            forms -= 1;
            let units = random.below(shape.units + 1);
            Kind::Form { units }
        };
        let count = 1 + random.below(shape.operands);
        let earlier = problem.values.len();
        let operands = (0..count).map(|_| random.below(earlier)).collect();
        let dims = 1 + random.below(shape.dims);
        push(&mut problem, kind, dims, operands);
    }
    let values = problem.values.len();
    problem.outputs = (0..shape.outputs).map(|_| random.below(values)).collect();
    problem
}

/// A line for each value, `input DIMS` or `head SELECTOR DIMS OPERAND…`, and the outputs.
#[allow(dead_code, reason = "not every binary reads a file")]
pub fn read(text: &str) -> Problem {
    let mut problem = Problem::default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let word = words.next().unwrap_or_default();
        let numbers: Vec<usize> = words.map(|word| word.parse().expect("a number")).collect();
        match word {
            "input" => push(&mut problem, Kind::Input, numbers[0], Vec::new()),
            "head" => {
                let selector = numbers[0];
                push(
                    &mut problem,
                    Kind::Head { selector },
                    numbers[1],
                    numbers[2..].to_vec(),
                );
            }
            "outputs" => problem.outputs = numbers,
            other => panic!("{other}"),
        }
    }
    problem
}

fn push(problem: &mut Problem, kind: Kind, dims: usize, operands: Vec<usize>) {
    let label = format!("v{}", problem.values.len());
    problem.values.push(Value {
        kind,
        dims,
        operands,
        label,
    });
}
