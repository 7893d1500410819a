//! Comments under the formatter: wherever they stand, all stay, in order and between the operands
//! they stood between, and formatting again changes nothing.

use crate::common::property;
use crate::syntax::{recipe, sketch};

use proptest::prelude::*;
use rasp::base::{Limits, SourceId};
use rasp::inside::diagnose::parentheses;
use rasp::inside::format::{print, print_with_parentheses};
use rasp::inside::syntax::ast::Ast;
use rasp::inside::syntax::{Token, lex, parse};
use recipe::{program, recipe};
use sketch::{bare, sketch};

fn parse_ok(text: &str) -> Ast {
    let parsed = parse(SourceId(0), text, &Limits::default());
    assert!(parsed.mistakes.is_empty(), "{text}");
    parsed.ast
}

/// Each comment, and the number of literals before it: which operands it stands between.
fn comments(text: &str) -> Vec<(&str, usize)> {
    let lexed = lex(SourceId(0), text, usize::MAX);
    let literals = |end: usize| {
        let before = lexed.lexemes.iter().take_while(|lexeme| lexeme.end <= end);
        before
            .filter(|lexeme| {
                matches!(
                    lexeme.token,
                    Token::Int(_) | Token::Float(_) | Token::Str(_)
                )
            })
            .count()
    };
    let comments = lexed.comments.iter();
    comments
        .map(|comment| {
            (
                &text[comment.span.range()],
                literals(comment.span.start as usize),
            )
        })
        .collect()
}

/// Numbered comments between two tokens.
fn gap(kind: usize, number: usize) -> String {
    match kind {
        0 => format!(" #{number}\n"),
        1 => format!("\n  #{number}\n"),
        2 => format!(" #{number}\n#{number}b\n\n"),
        3 => format!("\n\n\n## {number}\n"),
        4 => format!("#{number} \t\r\n    ## {number}b\r\n"),
        _ => " ".to_string(),
    }
}

/// The program with gaps of these kinds between its tokens, wherever a line may end: a command ends
/// with a line that an operand ends.
fn with_comments(text: &str, kinds: &[usize]) -> String {
    let words = "set s-op example";
    let mut commented = String::new();
    let mut end = 0;
    let mut depth = 0;
    let mut command = None;
    let lexemes = lex(SourceId(0), text, usize::MAX).lexemes;
    for (number, lexeme) in lexemes.iter().enumerate() {
        let between = &text[end..lexeme.start];
        let last = lexemes[..number].last();
        let operand = last.is_some_and(|last| last.token.ends_expression());
        if depth == 0 && between.contains('\n') && operand {
            command = None;
        }
        let exit = last.is_some_and(|last| last.token == Token::Name("exit"));
        let one_line = exit
            || command.is_some_and(|start: usize| {
                lexeme.start < start + words.len() || (depth == 0 && operand)
            });
        match kinds[number % kinds.len()] {
            kind @ 0..=4 if !one_line => commented += &gap(kind, number),
            _ => commented += between,
        }
        if text[lexeme.start..].starts_with(words) && matches!(between, "" | "\n") {
            command = Some(lexeme.start);
        }
        depth += i32::from(lexeme.token.opens()) - i32::from(lexeme.token.closes());
        commented += &text[lexeme.start..lexeme.end];
        end = lexeme.end;
    }
    commented + &gap(kinds[0], lexemes.len()) + "\n"
}

/// Kinds of gaps: mostly comments, some, or few.
fn kinds() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        proptest::collection::vec(0..6_usize, 1..40),
        proptest::collection::vec(0..15_usize, 1..40),
        proptest::collection::vec(0..60_usize, 1..60),
    ]
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

#[test]
fn many_comments_in_one_statement() {
    let lines = |line: fn(usize) -> String| (0..20_000).map(line).collect::<String>();
    for text in [
        format!(
            "x = [\n{}    0\n];\n",
            lines(|at| format!("    {at},  # {at}\n"))
        ),
        format!("x = 0{};\n", lines(|at| format!("  # {at}\n    + {at}"))),
        format!("x = 0{};\n", lines(|at| format!(",  # {at}\n    {at}"))),
        format!(
            "set example 0{}\n",
            lines(|at| format!(" +  # {at}\n    {at}"))
        ),
    ] {
        assert!(print(&parse_ok(&text), &text) == text);
    }
}

proptest! {
    #![proptest_config(property::property(1_000))]

    #[test]
    fn comments_anywhere_stay(
        recipes in proptest::collection::vec(recipe(), 1..10),
        kinds in kinds(),
    ) {
        let text = with_comments(&print(&program(&recipes), ""), &kinds);
        let ast = parse_ok(&text);
        let printed = print(&ast, &text);
        let again = parse_ok(&printed);
        prop_assert_eq!(sketch(&again), sketch(&ast), "{}\n{}", text, printed);
        prop_assert_eq!(comments(&printed), comments(&text), "{}\n{}", text, printed);
        prop_assert_eq!(&print(&again, &printed), &printed, "{}", text);

        let printed = print_with_parentheses(&ast, &text, &parentheses(&ast));
        let again = parse_ok(&printed);
        prop_assert_eq!(bare(&again), bare(&ast), "{}\n{}", text, printed);
        prop_assert_eq!(comments(&printed), comments(&text), "{}\n{}", text, printed);
        prop_assert_eq!(&print(&again, &printed), &printed, "{}", text);
    }
}

proptest! {
    #![proptest_config(property::property(400))]

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
