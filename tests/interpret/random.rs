//! Random typed programs, as recipes that shrink well, and random inputs.

use super::scores::{Score, score};
use proptest::collection::vec;
use proptest::prelude::*;
use rasp::base::{SourceId, Span};
use rasp::graph::{Graph, SOp, SOpId, Selector, SelectorId, Sharing};
use rasp::inside::graph::Build;
use rasp::value::{Comparison, Op, Table, TypeSet, Value};
use std::sync::Arc;

/// Picks one of the s-ops made so far that can have the type wanted.
pub type Pick = u16;

#[derive(Clone, Debug)]
pub enum Recipe {
    Constant(Value),
    Unary(Op, Pick),
    Binary(Op, Pick, Pick),
    If(Pick, Pick, Pick),
    Aggregate(Choice, Pick, Value),
    Width(Choice),
    WeightedMean(Score, Pick, Value),
}

#[derive(Clone, Debug)]
pub enum Choice {
    Compare(Comparison, Pick, Pick),
    /// From so much less than the query's to so much more.
    Window(Pick, Pick, i64, i64),
    And(Box<Choice>, Box<Choice>),
    Or(Box<Choice>, Box<Choice>),
    Not(Box<Choice>),
    Predicate(Score),
    Best(Box<Choice>, Score),
}

pub fn span() -> Span {
    Span::new(SourceId(0), 0, 0)
}

pub fn comparison() -> impl Strategy<Value = Comparison> {
    prop::sample::select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessEqual,
        Comparison::Greater,
        Comparison::GreaterEqual,
    ])
}

fn ordinary() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => (-2_i64..6).prop_map(Value::Int),
        3 => prop::sample::select(vec![-0.5, 0.1, 0.2, 0.3, 0.5, 1.0, 1.5, 2.0, -0.0, 1e17])
            .prop_map(Value::Float),
        2 => any::<bool>().prop_map(Value::Bool),
        4 => prop::sample::select(vec!["a", "b", "c", "1", ""]).prop_map(Value::str),
    ]
}

pub fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        30 => ordinary(),
        1 => prop::sample::select(vec![
            Value::Float(f64::NAN),
            Value::Float(f64::INFINITY),
            Value::Float(1e40),
            Value::Float(-1e300),
            Value::Float(5e-324),
            Value::Int(i64::MAX),
            Value::Int(i64::MIN),
            Value::Int((1 << 53) + 1),
            Value::Float((1_i64 << 53) as f64),
        ]),
    ]
}

fn unary() -> impl Strategy<Value = Op> {
    let table = vec![Value::Int(3), Value::Int(1), Value::Int(4), Value::Int(1)];
    let dict = vec![
        (Value::str("a"), Value::Int(1)),
        (Value::str("b"), Value::Float(0.5)),
        (Value::Int(1), Value::Bool(true)),
    ];
    let members: Arc<[Value]> = vec![Value::str("a"), Value::Int(2), Value::Float(0.5)].into();
    prop::sample::select(vec![
        Op::Not,
        Op::Negate,
        Op::Plus,
        Op::Round,
        Op::Indicator,
        Op::ToStr,
        Op::ToInt,
        Op::ToFloat,
        Op::ToBool,
        Op::Lookup(Arc::new(Table::List(table))),
        Op::Lookup(Arc::new(Table::Dict(dict))),
        Op::Lookup(Arc::new(Table::Str(Value::characters("xyzw")))),
        Op::In(members),
    ])
}

pub fn binary() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => prop::sample::select(vec![
            Op::Add,
            Op::Subtract,
            Op::Multiply,
            Op::Divide,
            Op::Remainder,
            Op::Power,
            Op::And,
            Op::Or,
        ]),
        2 => comparison().prop_map(Op::Compare),
    ]
}

pub fn choice() -> impl Strategy<Value = Choice> {
    let leaf = (comparison(), any::<Pick>(), any::<Pick>())
        .prop_map(|(comparison, k, q)| Choice::Compare(comparison, k, q));
    let window = (any::<Pick>(), any::<Pick>(), -1_i64..4, -1_i64..4)
        .prop_map(|(k, q, less, more)| Choice::Window(k, q, less, more));
    let leaf = prop_oneof![9 => leaf, 2 => window, 2 => score().prop_map(Choice::Predicate)];
    leaf.prop_recursive(4, 16, 2, |inner| {
        prop_oneof![
            4 => (inner.clone(), inner.clone())
                .prop_map(|(a, b)| Choice::And(Box::new(a), Box::new(b))),
            3 => (inner.clone(), inner.clone())
                .prop_map(|(a, b)| Choice::Or(Box::new(a), Box::new(b))),
            1 => inner.clone().prop_map(|a| Choice::Not(Box::new(a))),
            1 => (inner, score()).prop_map(|(a, score)| Choice::Best(Box::new(a), score)),
        ]
    })
}

fn elementwise() -> impl Strategy<Value = Recipe> {
    let pick = any::<Pick>;
    prop_oneof![
        2 => value().prop_map(Recipe::Constant),
        2 => (unary(), pick()).prop_map(|(op, a)| Recipe::Unary(op, a)),
        3 => (binary(), pick(), pick()).prop_map(|(op, a, b)| Recipe::Binary(op, a, b)),
        1 => (pick(), pick(), pick()).prop_map(|(a, b, c)| Recipe::If(a, b, c)),
    ]
}

/// Programs without attention.
pub fn chains() -> impl Strategy<Value = Vec<Recipe>> {
    vec(elementwise(), 4..16)
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let pick = any::<Pick>;
    prop_oneof![
        8 => elementwise(),
        4 => (choice(), pick(), value()).prop_map(|(s, v, d)| Recipe::Aggregate(s, v, d)),
        2 => choice().prop_map(Recipe::Width),
        1 => (score(), pick(), value()).prop_map(|(s, v, d)| Recipe::WeightedMean(s, v, d)),
    ]
}

pub fn recipes() -> impl Strategy<Value = Vec<Recipe>> {
    vec(recipe(), 1..10)
}

pub fn input() -> impl Strategy<Value = Vec<Value>> {
    let letters = vec(
        prop::sample::select(vec!["a", "b", "c"]).prop_map(Value::str),
        1..=40,
    );
    let digits = vec(
        prop::sample::select(vec!["1", "2", "0.5"]).prop_map(Value::str),
        1..=40,
    );
    let ints = vec((-3_i64..8).prop_map(Value::Int), 1..=40);
    let floats = vec(
        (-4_i32..9).prop_map(|x| Value::Float(f64::from(x) / 10.0)),
        1..=40,
    );
    let bools = vec(any::<bool>().prop_map(Value::Bool), 1..=40);
    let number = value().prop_map(|value| {
        if value.is_number() {
            value
        } else {
            Value::Int(7)
        }
    });
    let numbers = vec(number, 1..=40);
    let anything = vec(value(), 1..=8);
    prop_oneof![6 => letters, 3 => digits, 6 => ints, 2 => floats, 1 => bools, 2 => numbers,
                1 => anything]
}

/// The s-ops of one program, with the static types that steer what is combined with what.
pub struct Program {
    pub graph: Graph,
    pub sops: Vec<SOpId>,
    pub selectors: Vec<SelectorId>,
    types: Vec<TypeSet>,
    /// Whether no query selects a later key.
    causal: bool,
}

impl Program {
    pub fn new(input: &[Value]) -> Program {
        let mut program = Program {
            graph: Graph::new(Sharing::Equal),
            sops: Vec::new(),
            selectors: Vec::new(),
            types: Vec::new(),
            causal: false,
        };
        let tokens = program.graph.sop(SOp::Tokens, span());
        let types = input.iter().fold(TypeSet::NONE, |types, value| {
            types.union(TypeSet::of(value))
        });
        program.sops.push(tokens);
        program.types.push(types);
        let indices = program.graph.sop(SOp::Indices, span());
        program.push(indices);
        program
    }

    pub fn build(input: &[Value], recipes: &[Recipe]) -> Program {
        let mut program = Program::new(input);
        for recipe in recipes {
            program.add(recipe);
        }
        program
    }

    /// The same programs with no selection of later keys.
    pub fn build_causal(input: &[Value], recipes: &[Recipe]) -> Program {
        let mut program = Program::new(input);
        program.causal = true;
        for recipe in recipes {
            match recipe {
                Recipe::WeightedMean(score, ..) => {
                    program.add(&Recipe::Width(Choice::Predicate(score.clone())));
                }
                recipe => program.add(recipe),
            }
        }
        program
    }

    fn push(&mut self, id: SOpId) -> SOpId {
        self.sops.push(id);
        self.types.push(self.graph.types(id));
        id
    }

    fn add(&mut self, recipe: &Recipe) {
        let id = match recipe {
            Recipe::Constant(value) => self.graph.constant(value.clone(), span()),
            Recipe::Unary(op, a) => {
                let wanted = match op {
                    Op::Negate | Op::Plus | Op::Round => TypeSet::NUMBER,
                    Op::Lookup(_) => TypeSet::INT.union(TypeSet::STR),
                    _ => TypeSet::ANY,
                };
                let a = self.pick(*a, wanted);
                self.graph.map(op.clone(), vec![a], span())
            }
            Recipe::Binary(op, a, b) => {
                let strict = !matches!(op, Op::And | Op::Or | Op::Compare(_));
                let first = self.pick(
                    *a,
                    if strict {
                        TypeSet::NUMBER
                    } else {
                        TypeSet::ANY
                    },
                );
                let second = self.pick(*b, self.like(first));
                self.graph.map(op.clone(), vec![first, second], span())
            }
            Recipe::If(a, b, c) => {
                let (a, b) = (self.pick(*a, TypeSet::ANY), self.pick(*b, TypeSet::ANY));
                let c = self.pick(*c, self.like(b));
                self.graph.map(Op::If, vec![a, b, c], span())
            }
            Recipe::Aggregate(choice, value, default) => {
                let selector = self.attend(choice);
                let wanted = if value % 3 == 0 {
                    TypeSet::ANY
                } else {
                    TypeSet::NUMBER
                };
                let value = self.pick(*value, wanted);
                let text = self.of(value) == TypeSet::STR;
                let default = if default.is_number() == text {
                    if text { Value::str("-") } else { Value::Int(0) }
                } else {
                    default.clone()
                };
                let aggregate = SOp::Aggregate {
                    selector,
                    value,
                    default,
                };
                self.graph.sop(aggregate, span())
            }
            Recipe::WeightedMean(score, value, default) => {
                let scorer = self.score(score);
                let value = self.pick(*value, TypeSet::NUMBER);
                let default = default.clone();
                let mean = SOp::WeightedMean {
                    scorer,
                    value,
                    default,
                };
                self.graph.sop(mean, span())
            }
            Recipe::Width(choice) => {
                let selector = self.attend(choice);
                self.graph.sop(SOp::Width { selector }, span())
            }
        };
        self.push(id);
    }

    fn of(&self, id: SOpId) -> TypeSet {
        let at = self.sops.iter().position(|other| *other == id);
        let at = at.expect("picked from these");
        self.types[at]
    }

    /// Numbers beside numbers, strings beside strings.
    pub fn like(&self, id: SOpId) -> TypeSet {
        if self.of(id) == TypeSet::STR {
            TypeSet::STR
        } else {
            TypeSet::NUMBER
        }
    }

    pub fn pick(&self, pick: Pick, wanted: TypeSet) -> SOpId {
        let fitting: Vec<SOpId> = self
            .sops
            .iter()
            .zip(&self.types)
            .filter(|(_, types)| types.meets(wanted))
            .map(|(id, _)| *id)
            .collect();
        let from = if fitting.is_empty() {
            &self.sops
        } else {
            &fitting
        };
        from[usize::from(pick) % from.len()]
    }

    fn attend(&mut self, choice: &Choice) -> SelectorId {
        let selector = self.choose(choice);
        if !self.causal {
            return selector;
        }
        let indices = self.sops[1];
        let up_to = Selector::Compare {
            keys: indices,
            queries: indices,
            comparison: Comparison::LessEqual,
        };
        let up_to = self.graph.selector(up_to, span());
        self.graph.selector(Selector::And(selector, up_to), span())
    }

    pub fn choose(&mut self, choice: &Choice) -> SelectorId {
        let selector = match choice {
            Choice::Compare(comparison, keys, queries) => {
                let keys = self.pick(*keys, TypeSet::ANY);
                let queries = self.pick(*queries, self.like(keys));
                Selector::Compare {
                    keys,
                    queries,
                    comparison: *comparison,
                }
            }
            Choice::Window(keys, queries, less, more) => {
                let keys = self.pick(*keys, TypeSet::NUMBER);
                let queries = self.pick(*queries, TypeSet::NUMBER);
                let mut end = |by: i64, comparison| {
                    let by = self.graph.constant(Value::Int(by), span());
                    let queries = self.graph.map(Op::Add, vec![queries, by], span());
                    let end = Selector::Compare {
                        keys,
                        queries,
                        comparison,
                    };
                    self.graph.selector(end, span())
                };
                let from = end(-less, Comparison::GreaterEqual);
                Selector::And(from, end(*more, Comparison::LessEqual))
            }
            Choice::And(a, b) => Selector::And(self.choose(a), self.choose(b)),
            Choice::Or(a, b) => Selector::Or(self.choose(a), self.choose(b)),
            Choice::Not(a) => Selector::Not(self.choose(a)),
            Choice::Predicate(score) => Selector::Predicate(self.score(score)),
            Choice::Best(a, score) => Selector::Best {
                selector: self.choose(a),
                scorer: self.score(score),
            },
        };
        let id = self.graph.selector(selector, span());
        self.selectors.push(id);
        id
    }
}
