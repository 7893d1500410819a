//! Sizes of models beside other constructions of the same programs: what the best known plans of
//! faithful heads take, the smallest models built by hand for each program, and Tracr's (Lindner et
//! al. 2023). Prints a table; `cargo bench --bench sizes -- --write` also writes `docs/SIZES.md`.

use rasp::base::Limits;
use rasp::graph::Sharing;
use rasp::inside::compile::compile_in;
use rasp::model::Model;
use rasp::model::describe::summary;
use rasp::plan::Style;
use rasp::session::{Session, Setting};
use rasp::value::Value;
use std::fmt::Write;

/// Tokens and the longest input.
const SIZES: [(usize, usize); 3] = [(4, 5), (16, 32), (64, 64)];

/// A program with the parameters of others at each size; 0 where none are known.
struct Row {
    name: &'static str,
    program: &'static str,
    /// The tokens that matter; letters follow.
    tokens: &'static str,
    /// The sizes that it is compiled for.
    sizes: [(usize, usize); 3],
    target: [usize; 3],
    by_hand: [usize; 3],
    tracr: [usize; 3],
}

const fn row(
    name: &'static str,
    program: &'static str,
    tokens: &'static str,
    target: [usize; 3],
    by_hand: [usize; 3],
    tracr: [usize; 3],
) -> Row {
    Row {
        name,
        program,
        tokens,
        sizes: SIZES,
        target,
        by_hand,
        tracr,
    }
}

const ROWS: &[Row] = &[
    row(
        "length",
        "x = length;",
        "",
        [24, 63, 143],
        [44, 0, 0],
        [1_208, 0, 0],
    ),
    row(
        "count",
        "x = count(tokens, \"a\");",
        "",
        [44, 122, 282],
        [64, 0, 0],
        [1_208, 0, 0],
    ),
    row(
        "count, as a width",
        "x = selector_width(select(tokens, \"a\", ==));",
        "",
        [44, 122, 282],
        [64, 0, 0],
        [1_208, 0, 0],
    ),
    row(
        "hist",
        "x = selector_width(select(tokens, tokens, ==));",
        "",
        [94, 211, 451],
        [173, 2_072, 25_608],
        [1_208, 21_965, 129_757],
    ),
    row(
        "hist, numerical",
        "x = numerical(selector_width(select(tokens, tokens, ==)));",
        "",
        [115, 421, 885],
        [257, 0, 0],
        [898, 0, 0],
    ),
    row(
        "reverse",
        "x = aggregate(select(indices, length - indices - 1, ==), tokens);",
        "",
        [194, 389, 789],
        [598, 6_643, 85_667],
        [19_700, 2_194_943, 18_371_183],
    ),
    row(
        "frac_prevs",
        "x = aggregate(select(indices, indices, <=), indicator(tokens == \"a\"));",
        "",
        [178, 4_095, 17_455],
        [268, 6_319, 25_999],
        [1_108, 17_749, 89_109],
    ),
    row(
        "pair_balance",
        "load \"dyck\"; x = pair_balance(tokens, \"(\", \")\");",
        "()",
        [178, 4_095, 17_455],
        [268, 6_319, 25_999],
        [2_540, 0, 0],
    ),
    row(
        "shuffle_dyck2",
        "load \"dyck\"; x = shuffle_dyck(tokens, [\"()\", \"{}\"]);",
        "(){}",
        [1_164, 13_934, 49_454],
        [1_632, 24_036, 85_956],
        [246_884, 19_465_724, 149_337_068],
    ),
    Row {
        sizes: [(6, 6), (0, 0), (0, 0)],
        ..row(
            "shuffle_dyck3",
            "load \"dyck\"; x = shuffle_dyck(tokens, [\"()\", \"{}\", \"[]\"]);",
            "(){}[]",
            [1_686, 0, 0],
            [2_657, 0, 0],
            [725_253, 0, 0],
        )
    },
    row(
        "sort_unique",
        "load \"sorting\"; x = sort_unique(tokens, tokens);",
        "",
        [544, 6_298, 61_642],
        [864, 0, 0],
        [2_826, 0, 0],
    ),
    row(
        "sort",
        "x = sort(tokens, tokens);",
        "",
        [2_808, 49_410, 235_058],
        [5_544, 111_720, 787_752],
        [17_544, 5_705_223, 321_983_543],
    ),
    row(
        "sort_freq",
        "load \"sorting\"; x = sort_by_frequency(tokens);",
        "",
        [5_128, 116_074, 438_794],
        [10_372, 0, 0],
        [64_122, 0, 0],
    ),
    row(
        "count_less_freq",
        "load \"tracr\"; x = count_less_freq(tokens, 2);",
        "",
        [262, 457, 857],
        [476, 0, 0],
        [3_400, 0, 0],
    ),
    row(
        "detect ab",
        "load \"tracr\"; x = detect_pattern(tokens, [\"a\", \"b\"]);",
        "",
        [103, 259, 579],
        [103, 0, 0],
        [1_810, 0, 0],
    ),
    row(
        "detect abc",
        "load \"tracr\"; x = detect_pattern(tokens, [\"a\", \"b\", \"c\"]);",
        "",
        [173, 368, 768],
        [173, 0, 0],
        [5_916, 0, 0],
    ),
    row(
        "shift_by1",
        "x = shift(tokens, 1, \"a\");",
        "",
        [103, 259, 579],
        [333, 0, 0],
        [726, 0, 0],
    ),
    row(
        "hist of hist of hist",
        "load \"hist\"; x = hist(hist(hist(tokens)));",
        "",
        [1_479, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
    ),
];

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";

fn main() {
    let table = table();
    if std::env::args().any(|argument| argument == "--write") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/SIZES.md");
        std::fs::write(path, table).expect("docs");
    }
}

fn table() -> String {
    let mut text = String::from(HEADER);
    print!("{text}");
    for row in ROWS {
        for (at, (tokens, length)) in row.sizes.into_iter().enumerate() {
            if tokens == 0 {
                continue;
            }
            let faithful = compiled(row, Style::Faithful, tokens, length);
            let compact = compiled(row, Style::Compact, tokens, length);
            let mut line = format!("| {} | {tokens}, {length} ", row.name);
            let size = faithful.as_ref().ok().map(Model::padded_parameters);
            let above = |known: usize, share: f64| {
                known > 0 && size.is_some_and(|size| size as f64 > known as f64 * share)
            };
            let mark = match (above(row.target[at], 1.1), above(row.by_hand[at], 1.0)) {
                (_, true) => "!!",
                (true, false) => "!",
                (false, false) => "",
            };
            for model in [&faithful, &compact] {
                let _ = match model {
                    Ok(model) => write!(
                        line,
                        "| {} | {} ",
                        shape(model),
                        thousands(model.padded_parameters())
                    ),
                    Err(code) => write!(line, "| {code} | "),
                };
            }
            for known in [row.target[at], row.by_hand[at], row.tracr[at]] {
                let _ = write!(line, "| {} ", thousands(known));
            }
            let _ = writeln!(line, "| {mark} |");
            print!("{line}");
            text.push_str(&line);
        }
    }
    text
}

const HEADER: &str = "# Sizes of models

Parameters counted as Tracr (Lindner et al. 2023) counts them: every layer is padded to the widest.
L layers, H heads, K directions of a head, M hidden units, D directions of the stream, for so many
tokens and inputs of so many tokens. The target is the best plan that we know whose heads' attention
is the program's selector; models by hand and Tracr's are not bound to that. `!`: more than a tenth
above the target; `!!`: above the model by hand.

| program | size | faithful L/H/K/M/D | parameters | compact L/H/K/M/D | parameters | target | by hand | Tracr | |
|---|---|---|--:|---|--:|--:|--:|--:|---|
";

/// The model, or the code of the error that says why there is none.
fn compiled(row: &Row, style: Style, tokens: usize, length: usize) -> Result<Model, String> {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(row.name, row.program);
    let sop = session.sop("x").expect("an s-op");
    let others = LETTERS
        .chars()
        .filter(|letter| !row.tokens.contains(*letter));
    let vocabulary: String = row.tokens.chars().chain(others).take(tokens).collect();
    let setting = Setting {
        vocabulary: Value::characters(&vocabulary),
        max_length: length,
        causal: false,
    };
    compile_in(
        &style.into(),
        session.graph(),
        &[sop],
        &setting,
        &Limits::default(),
    )
    .map(|compiled| compiled.model)
    .map_err(|error| error.code.to_string())
}

fn shape(model: &Model) -> String {
    let summary = summary(model);
    let heads = summary.heads.iter().max().copied().unwrap_or(0);
    let units = summary.d_mlp.iter().max().copied().unwrap_or(0);
    let all = model.layers.iter().flat_map(|layer| &layer.heads);
    let d_head = all.map(|head| head.d_head().max(head.value.columns()));
    format!(
        "{}/{heads}/{}/{units}/{}",
        summary.layers,
        d_head.max().unwrap_or(0),
        summary.d_model
    )
}

/// A number with commas; nothing for 0.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number == 0 { String::new() } else { text }
}
