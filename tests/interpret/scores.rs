//! Random scorers, as recipes: primitives, functions of a sum of a key and a query, weights of keys
//! among those that a comparison selects.

use super::random::{Pick, Program, binary, comparison};
use proptest::prelude::*;
use rasp::base::Span;
use rasp::graph::{Scorer, ScorerId};
use rasp::inside::graph::Build;
use rasp::value::{Comparison, Op, TypeSet, Value};

#[derive(Clone, Debug)]
pub enum Score {
    /// A primitive on what two s-ops hold at a key and at a query, or both at the key.
    One(Op, Pick, Pick, bool),
    /// A function of a key and a multiple of a query, added.
    OfSum(Function, Pick, Pick, i64),
    /// A weight of the key where a comparison holds, 0 elsewhere.
    Masked(Comparison, Pick, Pick, Pick),
}

/// A function of one number.
#[derive(Clone, Debug)]
pub enum Function {
    Itself,
    /// The number or its negative, whichever is less; or its negative.
    Distance(bool),
    Square(bool),
    Compare(Comparison, i64),
    SquareCompare(Comparison, i64),
    Remainder(i64, Comparison, i64),
    /// To this power where the number is not more than 0, and 0 elsewhere.
    Decay(f64),
    Quotient(i64),
}

pub fn score() -> impl Strategy<Value = Score> {
    let pick = any::<Pick>;
    let one = (binary(), pick(), pick(), prop::bool::weighted(0.3))
        .prop_map(|(op, k, q, keys_alone)| Score::One(op, k, q, keys_alone));
    let factor = prop::sample::select(vec![-2_i64, -1, -1, -1, 1, 1, 2]);
    let of_sum = (function(), pick(), pick(), factor)
        .prop_map(|(function, k, q, factor)| Score::OfSum(function, k, q, factor));
    let masked = (comparison(), pick(), pick(), pick())
        .prop_map(|(comparison, k, q, weight)| Score::Masked(comparison, k, q, weight));
    prop_oneof![2 => one, 3 => of_sum, 1 => masked]
}

fn function() -> impl Strategy<Value = Function> {
    prop_oneof![
        Just(Function::Itself),
        any::<bool>().prop_map(Function::Distance),
        any::<bool>().prop_map(Function::Square),
        (comparison(), -3_i64..6).prop_map(|(c, with)| Function::Compare(c, with)),
        (comparison(), -1_i64..10).prop_map(|(c, with)| Function::SquareCompare(c, with)),
        (1_i64..5, comparison(), -1_i64..4)
            .prop_map(|(by, c, with)| Function::Remainder(by, c, with)),
        prop::sample::select(vec![2.0, 0.5, 1.5, 1e80]).prop_map(Function::Decay),
        (1_i64..5).prop_map(Function::Quotient),
    ]
}

impl Program {
    pub fn score(&mut self, score: &Score) -> ScorerId {
        match score {
            Score::One(op, keys, queries, keys_alone) => {
                let keys = self.pick(*keys, TypeSet::NUMBER);
                let queries = self.pick(*queries, self.like(keys));
                let key = self.scorer(Scorer::Key(keys));
                let query = self.scorer(match keys_alone {
                    true => Scorer::Key(queries),
                    false => Scorer::Query(queries),
                });
                self.applied(op.clone(), vec![key, query])
            }
            Score::OfSum(function, keys, queries, factor) => {
                let keys = self.pick(*keys, TypeSet::INT);
                let queries = self.pick(*queries, TypeSet::INT);
                let key = self.scorer(Scorer::Key(keys));
                let query = self.scorer(Scorer::Query(queries));
                let sum = match factor {
                    -1 => self.applied(Op::Subtract, vec![key, query]),
                    factor => {
                        let factor = self.number(*factor);
                        let product = self.applied(Op::Multiply, vec![factor, query]);
                        self.applied(Op::Add, vec![key, product])
                    }
                };
                self.function(function, sum)
            }
            Score::Masked(comparison, keys, queries, weight) => {
                let weight = self.pick(*weight, TypeSet::NUMBER);
                let keys = self.pick(*keys, TypeSet::INT);
                let queries = self.pick(*queries, self.like(keys));
                let key = self.scorer(Scorer::Key(keys));
                let query = self.scorer(Scorer::Query(queries));
                let holds = self.applied(Op::Compare(*comparison), vec![key, query]);
                let weight = self.scorer(Scorer::Key(weight));
                let zero = self.number(0);
                self.applied(Op::If, vec![holds, weight, zero])
            }
        }
    }

    fn function(&mut self, function: &Function, of: ScorerId) -> ScorerId {
        let zero = self.number(0);
        let less =
            |program: &mut Program| program.applied(Op::Compare(Comparison::Less), vec![of, zero]);
        match function {
            Function::Itself => of,
            Function::Distance(far) => {
                let (below, turned) = (less(self), self.applied(Op::Negate, vec![of]));
                let (yes, no) = if *far { (turned, of) } else { (of, turned) };
                self.applied(Op::If, vec![below, yes, no])
            }
            Function::Square(far) => {
                let two = self.number(2);
                let square = self.applied(Op::Power, vec![of, two]);
                if *far {
                    square
                } else {
                    self.applied(Op::Negate, vec![square])
                }
            }
            Function::Compare(comparison, with) => {
                let with = self.number(*with);
                self.applied(Op::Compare(*comparison), vec![of, with])
            }
            Function::SquareCompare(comparison, with) => {
                let square = self.applied(Op::Multiply, vec![of, of]);
                let with = self.number(*with);
                self.applied(Op::Compare(*comparison), vec![square, with])
            }
            Function::Remainder(by, comparison, with) => {
                let (by, with) = (self.number(*by), self.number(*with));
                let rest = self.applied(Op::Remainder, vec![of, by]);
                self.applied(Op::Compare(*comparison), vec![rest, with])
            }
            Function::Decay(base) => {
                let base = self.scorer(Scorer::Constant(Value::Float(*base)));
                let power = self.applied(Op::Power, vec![base, of]);
                let later = self.applied(Op::Compare(Comparison::Greater), vec![of, zero]);
                self.applied(Op::If, vec![later, zero, power])
            }
            Function::Quotient(by) => {
                let by = self.number(*by);
                self.applied(Op::Divide, vec![of, by])
            }
        }
    }

    fn scorer(&mut self, scorer: Scorer) -> ScorerId {
        self.graph.scorer(scorer, Span::BUILT_IN)
    }

    fn number(&mut self, int: i64) -> ScorerId {
        self.scorer(Scorer::Constant(Value::Int(int)))
    }

    fn applied(&mut self, op: Op, operands: Vec<ScorerId>) -> ScorerId {
        self.scorer(Scorer::Map { op, operands })
    }
}
