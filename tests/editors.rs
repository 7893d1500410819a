//! The grammars in `docs/editors` know the words of the language: no more, and no fewer.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rasp::inside::builtin::{Kind, RESERVED_LIBRARY, TABLE};
use rasp::inside::syntax::KEYWORDS;
use rasp::repl::COMMAND_WORDS;
use serde_json::Value as Json;
use std::collections::BTreeSet;

fn text(name: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/editors/");
    std::fs::read_to_string(format!("{path}{name}")).unwrap()
}

/// The words of a text.
fn words(text: &str) -> BTreeSet<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let words = text.split(|c| !word(c)).filter(|word| !word.is_empty());
    words.map(str::to_string).collect()
}

fn set<'w>(words: impl IntoIterator<Item = &'w &'w str>) -> BTreeSet<String> {
    words.into_iter().map(|word| word.to_string()).collect()
}

/// The words that stand for operators among the keywords.
const OPERATORS: &[&str] = &["and", "in", "not", "or"];

/// Each class of words under the names that grammars have for it: TextMate, Vim, tree-sitter.
fn classes() -> Vec<([&'static str; 3], BTreeSet<String>)> {
    let of_kind = |wanted: fn(&Kind) -> bool| {
        let rows = TABLE.iter().filter(move |row| wanted(&row.kind));
        rows.map(|row| row.name.to_string())
            .collect::<BTreeSet<_>>()
    };
    let operators = set(OPERATORS);
    let mut sops = of_kind(|kind| matches!(kind, Kind::SOp));
    // The name of one of them in every program.
    sops.insert("tokens".to_string());
    vec![
        (
            ["keyword", "raspKeyword", "@keyword"],
            &set(KEYWORDS) - &operators,
        ),
        (
            ["operator-word", "raspOperator", "@keyword.operator"],
            operators,
        ),
        (
            ["constant", "raspConstant", "@constant.builtin"],
            of_kind(|kind| matches!(kind, Kind::Atom)),
        ),
        (["sop", "raspSOp", "@variable.builtin"], sops),
        (
            ["function", "raspFunction", "@function.builtin"],
            of_kind(|kind| matches!(kind, Kind::Function(_))),
        ),
        (
            ["library", "raspLibrary", "@function.library"],
            set(RESERVED_LIBRARY),
        ),
    ]
}

#[test]
fn textmate_knows_all_words() {
    let grammar: Json = serde_json::from_str(&text("rasp.tmLanguage.json")).unwrap();
    for ([class, ..], expected) in classes() {
        let pattern = grammar["repository"][class]["match"].as_str().unwrap();
        let inner = pattern
            .strip_prefix("\\b(")
            .and_then(|rest| rest.strip_suffix(")\\b"));
        assert_eq!(words(inner.unwrap()), expected, "{class}");
    }
    let included: Vec<&str> = grammar["patterns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pattern| &pattern["include"].as_str().unwrap()[1..])
        .collect();
    for (class, _) in grammar["repository"].as_object().unwrap() {
        assert!(included.contains(&&**class) || class == "escape", "{class}");
    }
}

#[test]
fn vim_knows_all_words() {
    let file = text("rasp.vim");
    for ([_, class, _], expected) in classes() {
        let start = format!("syntax keyword {class} ");
        let lines = file.lines().filter_map(|line| line.strip_prefix(&start));
        let found: BTreeSet<String> = lines.flat_map(words).collect();
        assert_eq!(found, expected, "{class}");
        assert!(file.contains(&format!("highlight default link {class} ")));
    }
}

#[test]
fn tree_sitter_knows_all_words() {
    let highlights = text("tree-sitter/queries/highlights.scm");
    let quoted = |text: &str| -> BTreeSet<String> {
        let words = text.split('"').skip(1).step_by(2);
        words.map(str::to_string).collect()
    };
    for ([_, _, class], expected) in classes() {
        let paragraphs = highlights.split("\n\n");
        let of_class = |paragraph: &&str| {
            let any = format!("(#any-of? {class}\n");
            paragraph.ends_with(&format!("] {class}")) || paragraph.contains(&any)
        };
        let found: Vec<&str> = paragraphs.filter(of_class).collect();
        assert_eq!(found.len(), 1, "{class}");
        assert_eq!(quoted(found[0]), expected, "{class}");
    }
    let grammar = text("tree-sitter/grammar.js");
    let list = grammar.split_once("KEYWORDS = [").unwrap().1;
    let list = list.split_once(']').unwrap().0;
    assert_eq!(words(list), set(KEYWORDS));
}

#[test]
fn all_know_the_words_of_commands() {
    let phrases = COMMAND_WORDS
        .iter()
        .flat_map(|(begun, next)| next.iter().chain([begun]));
    // `help` is the prompt's alone.
    let expected: BTreeSet<String> = phrases
        .flat_map(|phrase| phrase.split_whitespace())
        .filter(|word| *word != "help")
        .map(str::to_string)
        .collect();
    assert!(expected.contains("max_length"), "{expected:?}");
    let textmate: Json = serde_json::from_str(&text("rasp.tmLanguage.json")).unwrap();
    let textmate = textmate["repository"]["command"]["match"]
        .as_str()
        .unwrap()
        .to_string();
    let vim: String = text("rasp.vim")
        .lines()
        .filter(|line| line.starts_with("syntax match raspCommand"))
        .collect();
    let grammar = text("tree-sitter/grammar.js");
    let start = grammar.find("command: _").unwrap();
    let tree_sitter = grammar[start..].split("definition:").next().unwrap();
    for (name, patterns) in [
        ("TextMate", &*textmate),
        ("Vim", &vim),
        ("tree-sitter", tree_sitter),
    ] {
        // What patterns say of blanks, and where words end.
        let plain = patterns
            .replace("\\s", " ")
            .replace("\\b", " ")
            .replace(['\\', '<', '>'], " ");
        for word in &expected {
            let found = plain
                .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
                .any(|other| other.trim_matches('-') == word);
            assert!(found, "{name}: {word}");
        }
    }
}

#[test]
fn keywords_are_what_the_lexer_says() {
    for word in KEYWORDS {
        // `lambda`, `assert` and `repeat` are keywords where something follows.
        let text = format!("{word} x");
        let lexed = rasp::inside::syntax::lex(rasp::base::SourceId(0), &text, 10);
        let lexemes = rasp::inside::syntax::recognize(&text, &lexed.lexemes);
        assert!(lexemes[0].token.is_keyword(), "{word}");
    }
}
