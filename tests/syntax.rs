//! Text to tree and back. Each `.rasp` file in `tests/syntax` holds cases separated by lines of
//! `=====`; beside it stands what they give, by the name of the file: trees, diagnostics, warnings
//! about precedence or formatted programs. Below them, properties of all programs.

#[path = "common/property.rs"]
mod property;
#[path = "syntax/sketch.rs"]
mod sketch;

use proptest::prelude::*;
use rasp::base::render::{Style, render};
use rasp::base::{Diagnostic, Limits, SourceId, Sources, Span};
use rasp::syntax::ast::*;
use rasp::syntax::lint::lint;
use rasp::syntax::precedence::surprising;
use rasp::syntax::{Completeness, Typed, completeness, parse, parse_expression, print};
use rasp::value::{Comparison, Value};
use sketch::{Sketch, bare, sketch};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

// ---- Snapshots ----

/// Runs the cases of one file and compares what they give with the snapshot beside it.
fn cases(file: &str, give: fn(&str) -> String) {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax");
    let text = std::fs::read_to_string(directory.join(format!("{file}.rasp"))).expect("readable");
    let mut output = String::new();
    for case in text.split("=====\n") {
        writeln!(
            output,
            "{}\n----\n{}\n",
            case.trim_end(),
            give(case).trim_end()
        )
        .expect("strings take everything");
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&directory);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(file, output));
}

#[test]
fn trees() {
    cases("expressions", tree);
    cases("statements", tree);
    cases("commands", tree);
}

#[test]
fn errors() {
    cases("tokens", diagnostics);
    cases("mistakes", diagnostics);
    cases("habits", diagnostics);
    cases("slips", diagnostics);
    cases("unfinished", diagnostics);
}

#[test]
fn recovery() {
    cases("recovery", |text| {
        format!("{}{}", tree(text), diagnostics(text))
    });
}

#[test]
fn precedence() {
    cases("precedence", |text| {
        let ast = parse_ok(text);
        let warnings = surprising(&ast, text);
        // What a help line gives to type is read as it looks.
        for help in warnings.iter().filter_map(|warning| warning.help.as_ref()) {
            for written in help.split('`').skip(1).step_by(2) {
                let written = format!("{written};");
                assert!(
                    surprising(&parse_ok(&written), &written).is_empty(),
                    "{help}"
                );
            }
        }
        shown(text, &warnings)
    });
}

#[test]
fn format() {
    cases("format", |text| {
        let ast = parse_ok(text);
        let printed = print(&ast, text);
        let again = parse_ok(&printed);
        assert_eq!(sketch(&again), sketch(&ast), "{printed}");
        assert_eq!(print(&again, &printed), printed);
        printed
    });
}

// ---- The programs of the repository ----

/// Every program of a folder and below: files, cases of files, and blocks of pages.
fn programs(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            programs(&path, found);
            continue;
        }
        let name = path.display().to_string();
        let text = || std::fs::read_to_string(&path).expect("readable");
        if name.ends_with(".rasp") {
            found.extend(
                text()
                    .split("=====\n")
                    .map(|case| (name.clone(), case.to_string())),
            );
        } else if name.ends_with(".md") {
            for block in text().split("```rasp\n").skip(1) {
                let program = block.split("```").next().unwrap_or("");
                found.push((name.clone(), program.to_string()));
            }
        }
    }
}

#[test]
fn every_program_of_the_repository_reads_back() {
    let mut found = Vec::new();
    for folder in ["stdlib", "examples", "puzzles", "tests", "docs"] {
        programs(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
            &mut found,
        );
    }
    let mut without_errors = 0;
    for (name, text) in found {
        let (ast, diagnostics) = read(&text);
        if !diagnostics.is_empty() {
            continue;
        }
        without_errors += 1;
        let printed = print(&ast, &text);
        let again = parse_ok(&printed);
        assert_eq!(sketch(&again), sketch(&ast), "{name}\n{printed}");
        assert_eq!(print(&again, &printed), printed, "{name}");
        assert_eq!(
            comments(&again, &printed),
            comments(&ast, &text),
            "{name}\n{printed}"
        );
    }
    assert!(without_errors > 300, "{without_errors} programs");
}

fn comments<'t>(ast: &Ast, text: &'t str) -> Vec<&'t str> {
    let comments = ast.comments.iter();
    comments
        .map(|comment| &text[comment.span.range()])
        .collect()
}

// ---- Helpers ----

fn read(text: &str) -> (Ast, Vec<Diagnostic>) {
    let parsed = parse(SourceId(0), text, &Limits::default());
    (parsed.ast, parsed.diagnostics)
}

fn parse_ok(text: &str) -> Ast {
    let (ast, diagnostics) = read(text);
    assert!(
        diagnostics.is_empty(),
        "{text}\n{}",
        shown(text, &diagnostics)
    );
    ast
}

fn tree(text: &str) -> String {
    sketch(&read(text).0)
}

fn diagnostics(text: &str) -> String {
    shown(text, &read(text).1)
}

fn shown(text: &str, diagnostics: &[Diagnostic]) -> String {
    let mut sources = Sources::new();
    sources.add("case", text);
    diagnostics
        .iter()
        .map(|diagnostic| render(diagnostic, &sources, Style::Plain))
        .collect()
}

// ---- Completeness, single expressions, limits ----

#[test]
fn prompts() {
    use Completeness::*;
    for (text, expected) in [
        ("", Complete),
        ("# only a comment", Complete),
        ("x;", Complete),
        ("x", CompleteWithSemicolon),
        ("x = 1", CompleteWithSemicolon),
        ("x = 1; y", CompleteWithSemicolon),
        ("x # note", CompleteWithSemicolon),
        ("x =", Incomplete),
        ("x = [1,", Incomplete),
        ("x = f(", Incomplete),
        ("1 +", Incomplete),
        ("a if b", Incomplete),
        ("def f(x) {", Incomplete),
        ("def f(x) { return x", Incomplete),
        ("def f(x) { return x;", Incomplete),
        ("def f(x) { return x; }", Complete),
        ("for i in [1]", Incomplete),
        ("load", Incomplete),
        ("set example", Incomplete),
        ("set example \"abc\"", Complete),
        ("set example [1,", Incomplete),
        ("show example", Complete),
        ("examples on", Complete),
        ("exit()", Complete),
        ("quit", Complete),
        ("x = \"abc", Erroneous),
        ("x = 3 y = 4;", Erroneous),
        ("a += 1;", Erroneous),
        ("tokens[0:2];", Erroneous),
        ("tokens[];", Erroneous),
        ("a ? b : c;", Erroneous),
        ("};", Erroneous),
        (")", Erroneous),
    ] {
        assert_eq!(completeness(text), expected, "{text:?}");
    }
}

#[test]
fn single_expressions() {
    let give = |text: &str| {
        let (ast, expr, diagnostics) = parse_expression(SourceId(0), text, &Limits::default());
        let sketch = Sketch {
            ast: &ast,
            parentheses: true,
        };
        (expr.map(|expr| sketch.expr(expr)), diagnostics.len())
    };
    assert_eq!(give("a + 1"), (Some("(+ a 1)".to_string()), 0));
    assert_eq!(give("a + 1;"), (Some("(+ a 1)".to_string()), 0));
    assert_eq!(give("a = 1"), (None, 1));
    assert_eq!(give("a; b"), (None, 1));
    assert_eq!(give(""), (None, 1));
    assert_eq!(give("a +"), (None, 1));
}

fn codes(text: &str, limits: &Limits) -> Vec<&'static str> {
    let parsed = parse(SourceId(0), text, limits);
    parsed
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code.number())
        .collect()
}

#[test]
fn limits() {
    let limits = Limits::default();
    let many = 100_000;
    let nested = format!("{}1{};", "(".repeat(many), ")".repeat(many));
    assert_eq!(codes(&nested, &limits), ["E0801"]);
    assert_eq!(codes(&"(".repeat(many), &limits), ["E0801"]);
    let deep = Limits {
        expression_depth: 100,
        ..Limits::default()
    };
    assert_eq!(codes(&format!("1{};", "+1".repeat(100)), &deep), ["E0801"]);
    let short = Limits {
        source_bytes: 10,
        ..Limits::default()
    };
    assert_eq!(codes("x = 1 + 2 + 3;", &short), ["E0801"]);
}

#[test]
fn long_chains_are_printed_without_overflow() {
    for text in [
        format!("1{};", " + 1".repeat(20_000)),
        format!("{}1;", "- ".repeat(20_000)),
        format!("{}1;", "lambda x: ".repeat(20_000)),
        format!("x{};", "[0]".repeat(20_000)),
        format!("1{};", " if 1 else 1".repeat(10_000)),
    ] {
        let ast = parse_ok(&text);
        surprising(&ast, &text);
        let printed = print(&ast, &text);
        assert_eq!(print(&parse_ok(&printed), &printed), printed);
    }
}

/// A tree or a diagnostic, but no overflow of the stack.
#[test]
fn nesting_a_hundred_thousand_deep() {
    let many = 100_000;
    let around = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(many), close.repeat(many))
    };
    let bracketed = [
        around("(", "1", ");"),
        around("[", "", "]"),
        around("{1: ", "1", "}"),
        around("f(", "1", ")"),
        around("def f(x) { ", "return 1;", "return 1; }"),
        around("for i in x { ", "i;", " }"),
        around("def f(x = lambda: [", "", ""),
        around("(", "", ""),
        around("}", "", ""),
    ];
    let chains = [
        around("not ", "1", ""),
        around("lambda x: ", "1", ""),
        around("1 if ", "1", " else 1"),
        around("", "1", " + 1"),
        around("", "x", "[0]"),
        around("", "1", " if 1 else 1"),
        around("a, ", "b = 1", ", 1"),
    ];
    let strings = [
        format!("x = {:?};", "[".repeat(many)),
        format!("x = \"{}", "[".repeat(many)),
        around("'(' + ", "1", ";"),
        around("#[\n", "", ""),
    ];
    for text in bracketed.iter().chain(&chains).chain(&strings) {
        let (ast, diagnostics) = read(text);
        shown(text, &diagnostics);
        surprising(&ast, text);
        lint(&ast);
        print(&ast, text);
        completeness(text);
    }
}

#[test]
fn places_in_long_lines_are_told_in_words() {
    let text = format!("x = 1;\ny = 1{}; z = 1 1;", " + 1".repeat(1_000));
    let told = diagnostics(&text);
    assert!(told.contains("\n  case:2:4014: "), "{told}");
    assert!(told.len() < 200, "{told}");
}

// ---- Properties ----

/// A recipe for an expression, whatever its operators; the printer writes the parentheses.
#[derive(Clone, Debug)]
enum Recipe {
    Name(usize),
    Literal(Value),
    List(Vec<Recipe>),
    Tuple(Vec<Recipe>),
    Dict(Vec<(Recipe, Recipe)>),
    For(Box<(Recipe, Recipe)>),
    Unary(UnaryOperator, Box<Recipe>),
    Binary(BinaryOperator, Box<(Recipe, Recipe)>),
    Ternary(Box<(Recipe, Recipe, Recipe)>),
    Index(Box<(Recipe, Recipe)>),
    Call(Box<Recipe>, Vec<(bool, Recipe)>),
    Select(Box<(Recipe, Recipe)>, Comparison),
    Lambda(Vec<usize>, Box<(Recipe, Recipe)>),
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
                    name: named.then(|| ident(1)),
                    value: build(ast, value),
                })
                .collect(),
        },
        Recipe::Select(parts, comparison) => {
            let function = add(ast, ExprKind::Name("select".into()));
            let values = [
                build(ast, &parts.0),
                build(ast, &parts.1),
                add(ast, ExprKind::Operator(*comparison)),
            ];
            ExprKind::Call {
                function,
                arguments: values.map(|value| Argument { name: None, value }).to_vec(),
            }
        }
        Recipe::Lambda(names, parts) => {
            let default = build(ast, &parts.0);
            let mut parameters: Vec<Parameter> = names
                .iter()
                .map(|name| Parameter {
                    ident: ident(*name),
                    default: None,
                })
                .collect();
            parameters.push(Parameter {
                ident: ident(0),
                default: Some(default),
            });
            ExprKind::Lambda(Arc::new(Lambda {
                parameters,
                body: build(ast, &parts.1),
            }))
        }
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

fn recipe() -> impl Strategy<Value = Recipe> {
    let leaf = prop_oneof![
        (0..NAMES.len()).prop_map(Recipe::Name),
        value().prop_map(Recipe::Literal),
    ];
    leaf.prop_recursive(6, 60, 4, |inner| {
        let two = (inner.clone(), inner.clone()).prop_map(Box::new);
        let unary = proptest::sample::select(vec![
            UnaryOperator::Not,
            UnaryOperator::Negate,
            UnaryOperator::Plus,
        ]);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Recipe::List),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Recipe::Tuple),
            proptest::collection::vec((inner.clone(), inner.clone()), 0..3).prop_map(Recipe::Dict),
            two.clone().prop_map(Recipe::For),
            (unary, inner.clone()).prop_map(|(operator, of)| Recipe::Unary(operator, of.into())),
            (operator(), two.clone()).prop_map(|(operator, of)| Recipe::Binary(operator, of)),
            (operator(), two.clone()).prop_map(|(operator, of)| Recipe::Binary(operator, of)),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|parts| Recipe::Ternary(parts.into())),
            two.clone().prop_map(Recipe::Index),
            (
                inner.clone(),
                proptest::collection::vec((any::<bool>(), inner.clone()), 0..4)
            )
                .prop_map(|(function, arguments)| Recipe::Call(function.into(), arguments)),
            (two.clone(), comparison()).prop_map(|(parts, by)| Recipe::Select(parts, by)),
            (proptest::collection::vec(0..2_usize, 0..3), two)
                .prop_map(|(names, parts)| Recipe::Lambda(names, parts)),
        ]
    })
}

/// Several statements of all shapes around generated expressions.
fn program(recipes: &[Recipe]) -> Ast {
    let mut ast = Ast::default();
    let mut values: Vec<ExprId> = Vec::new();
    for recipe in recipes {
        values.push(build(&mut ast, recipe));
    }
    let mut statements = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let inner = vec![statement(StatementKind::Expression(*value))];
        statements.push(statement(match at % 7 {
            0 => StatementKind::Assign {
                names: vec![ident(2), ident(at % 2)],
                values: values.clone(),
            },
            1 => StatementKind::For {
                names: vec![ident(5)],
                iterable: *value,
                body: inner,
            },
            2 => StatementKind::Define(Arc::new(Function {
                ident: ident(6),
                parameters: vec![Parameter {
                    ident: ident(7),
                    default: Some(*value),
                }],
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

/// Texts near the language: its tokens and others in any order.
fn soup() -> impl Strategy<Value = String> {
    let words: Vec<&str> = "for in not and or if else def return load draw assert lambda set show \
        example examples s - op on off exit quit full seq display vocab causal ; ; ; = , : ( ) ( ) \
        [ ] { } + * / % ^ == != < <= > >= a tokens select 1 2.5 1e9 99999999999999999999 \"s\" 't' \
        \"open 'open \\ ? & && || | // ** =< <> := += . é ≤ “ \u{0} \u{a0} ## # 1. .5"
        .split(' ')
        .collect();
    let word = proptest::sample::select(words);
    let gap = proptest::sample::select(vec!["", " ", " ", "\n", "\r\n", "\t"]);
    proptest::collection::vec((word, gap), 0..60)
        .prop_map(|pairs| pairs.iter().flat_map(|(word, gap)| [*word, *gap]).collect())
}

fn check_span(text: &str, span: Span) {
    assert!(text.get(span.range()).is_some(), "{span:?} in {text:?}");
}

fn check_statements(text: &str, statements: &[Statement]) {
    for statement in statements {
        check_span(text, statement.span);
        match &statement.kind {
            StatementKind::For { body, .. } => check_statements(text, body),
            StatementKind::Define(function) => check_statements(text, &function.body),
            _ => {}
        }
    }
}

/// Lines that begin, go on with and end statements and bodies, in any order.
fn lines() -> impl Strategy<Value = Vec<&'static str>> {
    let usual = proptest::sample::select(vec![
        "a = 1;",
        "def f(x) {",
        "for i in {1: 2} {",
        "}",
        "return x;",
        "",
        "# note",
    ]);
    let any = proptest::sample::select(vec![
        "x = {1: 2}",
        "+ 3;",
        "def g(a={}, b=[c for c in d]) { d = 1;",
        "for i, j in [",
        "2] {",
        "return",
        "return {",
        "1: 2}, 3;",
        "}; }",
        "x = \"open",
        "exit",
        "load \"x\";",
        "y = (",
        ");",
        "c = 1; return c; }",
        "lambda x: x;",
        "1 +",
        "for k in l { k; }",
        "for k in l { k; return",
    ]);
    proptest::collection::vec(prop_oneof![3 => usual, 1 => any], 0..16)
}

/// Statements of one line with comments behind them: the name, the blanks before the comment, and
/// what stands above.
fn commented() -> impl Strategy<Value = String> {
    let names = proptest::sample::select(vec!["a", "bb", "ccc", "dddd"]);
    let above = proptest::sample::select(vec!["", "", "", "\n", "# above\n", "for i in [1] {\n"]);
    proptest::collection::vec((above, names, 0..6_usize, any::<bool>()), 1..8).prop_map(|lines| {
        let mut text = String::new();
        let mut open = 0;
        for (above, name, gap, close) in &lines {
            open += usize::from(above.contains('{'));
            text += &format!("{above}{name} =1;{}# behind\n", " ".repeat(*gap));
            if *close && open > 0 {
                open -= 1;
                text += "}\n";
            }
        }
        text + &"}".repeat(open)
    })
}

proptest! {
    #![proptest_config(property::property(400))]

    #[test]
    fn typed_lines_are_as_far_as_the_text(lines in lines()) {
        let mut typed = Typed::default();
        let mut text = String::new();
        for line in lines {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(line);
            prop_assert_eq!(typed.push(line), completeness(&text), "{}", text);
        }
    }

    #[test]
    fn comments_in_one_column_stay_in_one(text in commented()) {
        let ast = parse_ok(&text);
        let printed = print(&ast, &text);
        let again = parse_ok(&printed);
        prop_assert_eq!(sketch(&again), sketch(&ast), "{}", printed);
        prop_assert_eq!(&print(&again, &printed), &printed, "{}", text);
        let column = |text: &str, at: usize| at - text[..at].rfind('\n').map_or(0, |at| at + 1);
        let behind = |text: &str| -> Vec<usize> {
            let marks = text.match_indices("# behind");
            marks.map(|(at, _)| column(text, at)).collect()
        };
        let (before, after) = (behind(&text), behind(&printed));
        let lines: Vec<&str> = text.lines().collect();
        let mut mark = 0;
        for pair in lines.windows(2) {
            if !pair[0].contains("# behind") {
                continue;
            }
            if pair[1].contains("# behind") && before[mark] == before[mark + 1] {
                prop_assert_eq!(after[mark], after[mark + 1], "{}\n{}", text, printed);
            }
            mark += 1;
        }
    }
}

proptest! {
    #![proptest_config(property::property(10_000))]

    #[test]
    fn printed_trees_read_back(recipes in proptest::collection::vec(recipe(), 1..8)) {
        let ast = program(&recipes);
        let printed = print(&ast, "");
        let again = parse_ok(&printed);
        prop_assert_eq!(bare(&again), bare(&ast), "{}", printed);
        prop_assert_eq!(print(&again, &printed), printed);
    }

}

proptest! {
    #![proptest_config(property::property(400))]

    #[test]
    fn comments_survive_printing(
        recipes in proptest::collection::vec(recipe(), 1..4),
        places in proptest::collection::vec((0..10_000_usize, 0..3_usize), 1..5),
    ) {
        let text = with_comments(&print(&program(&recipes), ""), &places);
        let (ast, diagnostics) = read(&text);
        prop_assume!(diagnostics.is_empty());
        let printed = print(&ast, &text);
        let again = parse_ok(&printed);
        prop_assert_eq!(bare(&again), bare(&ast), "{}\n{}", text, printed);
        prop_assert_eq!(&print(&again, &printed), &printed, "{}", text);
        let marks = |text: &str| text.matches("#note").count();
        prop_assert_eq!(marks(&printed), marks(&text), "{}\n{}", text, printed);
    }

    #[test]
    fn any_text_gives_a_tree_and_places_inside_it(text in soup()) {
        let (ast, diagnostics) = read(&text);
        for label in diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
            check_span(&text, label.span);
        }
        for id in ast.ids() {
            check_span(&text, ast.get(id).span);
        }
        check_statements(&text, &ast.statements);
        shown(&text, &diagnostics);
        surprising(&ast, &text);
        completeness(&text);
        let printed = print(&ast, &text);
        if diagnostics.is_empty() {
            prop_assert_eq!(sketch(&parse_ok(&printed)), sketch(&ast), "{}", printed);
        }
    }
}

/// Breaks blanks of the text (some inside strings: those texts are discarded) into comments.
fn with_comments(text: &str, places: &[(usize, usize)]) -> String {
    let blanks: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).collect();
    let mut chosen: Vec<(usize, usize)> = places
        .iter()
        .filter(|_| !blanks.is_empty())
        .map(|(place, kind)| (blanks[place % blanks.len()], *kind))
        .collect();
    chosen.sort();
    chosen.dedup_by_key(|(at, _)| *at);
    let mut broken = text.to_string();
    for (at, kind) in chosen.into_iter().rev() {
        broken.insert_str(at, [" #note\n", "\n  #note\n", " #note\n\n\n"][kind]);
    }
    broken
}
