//! Random programs as trees, whose text the printer writes. May depend on the tree of the library
//! and proptest only.

use proptest::prelude::*;
use rasp::base::{SourceId, Span};
use rasp::inside::syntax::ast::*;
use rasp::value::{Comparison, Value};
use std::sync::Arc;

/// A recipe for an expression, whatever its operators; the printer writes the parentheses.
#[derive(Clone, Debug)]
pub enum Recipe {
    Name(usize),
    Literal(Value),
    List(Vec<Recipe>),
    Tuple(Vec<Recipe>),
    Dict(Vec<(Recipe, Recipe)>),
    For(Box<(Recipe, Recipe)>),
    DictFor(Box<(Recipe, Recipe, Recipe)>),
    Unary(UnaryOperator, Box<Recipe>),
    Binary(BinaryOperator, Box<(Recipe, Recipe)>),
    Ternary(Box<(Recipe, Recipe, Recipe)>),
    Index(Box<(Recipe, Recipe)>),
    Call(Box<Recipe>, Vec<(bool, Recipe)>),
    /// Whether the comparison is named, too.
    Select(Box<(Recipe, Recipe)>, Comparison, bool),
    Lambda(Vec<usize>, Box<(Recipe, Recipe)>),
    /// In lists, tuples and calls only.
    Spread(Box<Recipe>),
}

const NAMES: [&str; 10] = [
    "a", "tokens", "set", "example", "exits", "show", "draws", "asserted", "selector", "s",
];

fn ident(name: usize) -> Ident {
    Ident {
        name: NAMES[name].into(),
        span: Span::new(SourceId(0), 0, 0),
    }
}

fn build(ast: &mut Ast, recipe: &Recipe) -> ExprId {
    let kind = match recipe {
        Recipe::Name(name) => ExprKind::Name(NAMES[*name].into()),
        Recipe::Literal(value) => ExprKind::Literal(value.clone()),
        Recipe::List(items) => ExprKind::List(items.iter().map(|item| build(ast, item)).collect()),
        Recipe::Tuple(items) => {
            ExprKind::Tuple(items.iter().map(|item| build(ast, item)).collect())
        }
        Recipe::Dict(entries) => ExprKind::Dict(
            entries
                .iter()
                .map(|(key, value)| (build(ast, key), build(ast, value)))
                .collect(),
        ),
        Recipe::For(parts) => ExprKind::ListComprehension {
            element: build(ast, &parts.0),
            names: vec![ident(0)],
            iterable: build(ast, &parts.1),
        },
        Recipe::DictFor(parts) => ExprKind::DictComprehension {
            key: build(ast, &parts.0),
            value: build(ast, &parts.1),
            names: vec![ident(0), ident(9)],
            iterable: build(ast, &parts.2),
        },
        Recipe::Unary(operator, operand) => ExprKind::Unary {
            operator: *operator,
            operand: build(ast, operand),
        },
        Recipe::Binary(operator, operands) => ExprKind::Binary {
            operator: *operator,
            left: build(ast, &operands.0),
            right: build(ast, &operands.1),
        },
        Recipe::Ternary(parts) => ExprKind::Ternary {
            then: build(ast, &parts.0),
            condition: build(ast, &parts.1),
            otherwise: build(ast, &parts.2),
        },
        Recipe::Index(parts) => ExprKind::Index {
            object: build(ast, &parts.0),
            index: build(ast, &parts.1),
        },
        Recipe::Call(function, arguments) => ExprKind::Call {
            function: build(ast, function),
            arguments: arguments
                .iter()
                .map(|(named, value)| Argument {
                    name: (*named && !matches!(value, Recipe::Spread(_))).then(|| ident(1)),
                    value: build(ast, value),
                })
                .collect(),
        },
        Recipe::Select(parts, comparison, named) => {
            let function = add(ast, ExprKind::Name("select".into()));
            let values = [
                build(ast, &parts.0),
                build(ast, &parts.1),
                add(ast, ExprKind::Operator(*comparison)),
            ];
            let mut arguments = values.map(|value| Argument { name: None, value }).to_vec();
            arguments[2].name = named.then(|| ident(2));
            ExprKind::Call {
                function,
                arguments,
            }
        }
        Recipe::Lambda(names, parts) => {
            let default = build(ast, &parts.0);
            let mut parameters: Vec<Parameter> = names
                .iter()
                .map(|name| Parameter {
                    ident: ident(*name),
                    default: None,
                    rest: false,
                })
                .collect();
            parameters.push(Parameter {
                ident: ident(0),
                default: Some(default),
                rest: false,
            });
            if names.len() % 2 == 1 {
                parameters.push(Parameter {
                    ident: ident(4),
                    default: None,
                    rest: true,
                });
            }
            ExprKind::Lambda(Arc::new(Lambda {
                parameters,
                body: build(ast, &parts.1),
            }))
        }
        Recipe::Spread(list) => ExprKind::Spread(build(ast, list)),
    };
    add(ast, kind)
}

fn add(ast: &mut Ast, kind: ExprKind) -> ExprId {
    ast.add(kind, Span::new(SourceId(0), 0, 0))
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0..i64::MAX).prop_map(Value::Int),
        (0..100_i64).prop_map(Value::Int),
        (0.0..1e300_f64).prop_map(Value::Float),
        (0.0..10.0_f64).prop_map(Value::Float),
        ".{0,6}".prop_map(|text| Value::str(&text)),
    ]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    proptest::sample::select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessEqual,
        Comparison::Greater,
        Comparison::GreaterEqual,
    ])
}

fn operator() -> impl Strategy<Value = BinaryOperator> {
    use BinaryOperator::*;
    prop_oneof![
        proptest::sample::select(vec![
            Power, Multiply, Divide, Remainder, Add, Subtract, And, Or, In
        ]),
        comparison().prop_map(Compare),
    ]
}

pub fn recipe() -> impl Strategy<Value = Recipe> {
    let leaf = prop_oneof![
        (0..NAMES.len()).prop_map(Recipe::Name),
        value().prop_map(Recipe::Literal),
    ];
    leaf.prop_recursive(6, 60, 4, |inner| {
        let two = (inner.clone(), inner.clone()).prop_map(Box::new);
        let three = (inner.clone(), inner.clone(), inner.clone()).prop_map(Box::new);
        let unary = proptest::sample::select(vec![
            UnaryOperator::Not,
            UnaryOperator::Negate,
            UnaryOperator::Plus,
        ]);
        let element = prop_oneof![
            4 => inner.clone(),
            1 => inner.clone().prop_map(|list| Recipe::Spread(list.into())),
        ];
        prop_oneof![
            proptest::collection::vec(element.clone(), 0..4).prop_map(Recipe::List),
            proptest::collection::vec(element.clone(), 1..4).prop_map(Recipe::Tuple),
            proptest::collection::vec((inner.clone(), inner.clone()), 0..3).prop_map(Recipe::Dict),
            two.clone().prop_map(Recipe::For),
            (unary, inner.clone()).prop_map(|(operator, of)| Recipe::Unary(operator, of.into())),
            (operator(), two.clone()).prop_map(|(operator, of)| Recipe::Binary(operator, of)),
            (operator(), two.clone()).prop_map(|(operator, of)| Recipe::Binary(operator, of)),
            three.clone().prop_map(Recipe::Ternary),
            three.prop_map(Recipe::DictFor),
            two.clone().prop_map(Recipe::Index),
            (
                inner.clone(),
                proptest::collection::vec((any::<bool>(), element), 0..4)
            )
                .prop_map(|(function, arguments)| Recipe::Call(function.into(), arguments)),
            (two.clone(), comparison(), any::<bool>())
                .prop_map(|(parts, by, named)| Recipe::Select(parts, by, named)),
            (proptest::collection::vec(0..2_usize, 0..3), two)
                .prop_map(|(names, parts)| Recipe::Lambda(names, parts)),
        ]
    })
}

/// Several statements of all shapes around generated expressions.
pub fn program(recipes: &[Recipe]) -> Ast {
    let mut ast = Ast::default();
    let mut values: Vec<ExprId> = Vec::new();
    for recipe in recipes {
        values.push(build(&mut ast, recipe));
    }
    let mut statements = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let inner = vec![statement(StatementKind::Expression(*value))];
        statements.push(statement(match at % 10 {
            0 => StatementKind::Assign {
                names: vec![ident(2), ident(at % 2)],
                values: values.clone(),
            },
            1 => StatementKind::For {
                names: vec![ident(5), ident(8)],
                iterable: *value,
                body: inner,
            },
            2 => StatementKind::Define(Arc::new(Function {
                ident: ident(6),
                parameters: vec![
                    Parameter {
                        ident: ident(0),
                        default: None,
                        rest: false,
                    },
                    Parameter {
                        ident: ident(7),
                        default: Some(*value),
                        rest: false,
                    },
                ],
                body: inner,
                results: values.clone(),
            })),
            3 => StatementKind::Command(Command::SetExample {
                kind: ExampleKind::SOp,
                value: *value,
            }),
            4 => StatementKind::Assert { condition: *value },
            5 => StatementKind::Draw {
                value: *value,
                input: Some(*value),
            },
            6 => StatementKind::Load {
                path: "path".into(),
                path_span: Span::new(SourceId(0), 0, 0),
            },
            // The line of a first `exit` must go on: alone on it, `exit` is a command.
            8 => StatementKind::Repeat(Repeat {
                times: add(&mut ast, ExprKind::Parenthesized(*value)),
                names: vec![ident(5), ident(8)],
                starts: vec![*value, *value],
                body: inner,
            }),
            7 => {
                let sum = ExprKind::Binary {
                    operator: BinaryOperator::Add,
                    left: add(&mut ast, ExprKind::Name("exit".into())),
                    right: *value,
                };
                StatementKind::Expression(add(&mut ast, sum))
            }
            _ => StatementKind::Expression(*value),
        }));
    }
    ast.statements = statements;
    ast
}

fn statement(kind: StatementKind) -> Statement {
    Statement {
        kind,
        span: Span::new(SourceId(0), 0, 0),
        documentation: String::new(),
    }
}
