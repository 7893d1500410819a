//! On which hosts the programs of the library and the examples are exact: for each, at three sizes,
//! the floats and the orders of scaling (s scores, q query, b both) that its model is certified for
//! as it is compiled by default, and those that it is with bfloat16 weights when that is asked for.
//! Prints a table; `cargo bench --bench hosts -- hist 16` only the programs with `hist` in their names
//! for inputs of up to 16.

#![allow(dead_code, reason = "the tests use more of what is shared")]

#[path = "../tests/common/programs.rs"]
mod programs;

use programs::{Opened, programs};
use rasp::base::Limits;
use rasp::inside::compile::compile_in;
use rasp::model::{Dtype, Host, HostOrder};
use rasp::session::{Compiled, Request, Setting};
use std::collections::BTreeMap;

/// Tokens and the longest input.
const SIZES: [(usize, usize); 3] = [(4, 5), (8, 16), (16, 32)];

/// What takes minutes at the larger sizes.
const LARGE: &[&str] = &["papers/weiss2021_rover"];

const DTYPES: [Dtype; 3] = [Dtype::Float32, Dtype::Float64, Dtype::Bfloat16];

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'));
    let filter = arguments.next().unwrap_or_default();
    let longest = arguments.next().and_then(|length| length.parse().ok());
    let sizes = SIZES
        .iter()
        .filter(|(_, length)| longest.is_none_or(|longest| *length <= longest));
    println!("| program | 4 tokens, up to 5 | 8, up to 16 | 16, up to 32 |");
    println!("|---|---|---|---|");
    let mut counts: BTreeMap<(usize, String), usize> = BTreeMap::new();
    for program in programs() {
        if !program.name.contains(&filter) || LARGE.contains(&&*program.name) {
            continue;
        }
        let cells = sizes.clone().map(|&(tokens, max_length)| {
            let opened = program.open(tokens);
            let mut count = |what: String| *counts.entry((max_length, what)).or_default() += 1;
            let Some(default) = compiled(&opened, max_length, Host::default()) else {
                count("refused".to_string());
                return "refused".to_string();
            };
            count("programs".to_string());
            let as_it_is = DTYPES.map(|dtype| {
                let orders = default.model.certified.get(&dtype);
                let letter = |order: HostOrder| {
                    let holds = orders.is_some_and(|orders| orders.contains(&order));
                    if holds {
                        count(format!("{}, {}", dtype.name(), order.name()));
                    }
                    letter(order, holds)
                };
                HostOrder::ALL.map(letter).concat()
            });
            let asked = HostOrder::ALL.map(|order| {
                let host = Host {
                    dtype: Some(Dtype::Bfloat16),
                    order,
                };
                let made = compiled(&opened, max_length, host);
                let holds = made.as_ref().is_some_and(Compiled::is_certified);
                if holds {
                    count(format!("asked for, bfloat16, {}", order.name()));
                }
                if let Some(made) = &made
                    && order == HostOrder::Scores
                    && let Some(weight) = made.model.not_bfloat16()
                {
                    eprintln!("{} ({tokens}, {max_length}): {weight}", program.name);
                }
                letter(order, holds)
            });
            let [f32, f64, bf16] = as_it_is;
            format!("{f32} {f64} {bf16} → {}", asked.concat())
        });
        println!(
            "| `{}` | {} |",
            program.name,
            cells.collect::<Vec<_>>().join(" | ")
        );
    }
    println!("\nfloat32, float64 and bfloat16 as compiled by default → bfloat16 asked for");
    for ((max_length, what), count) in counts {
        println!("up to {max_length}, {what}: {count}");
    }
}

fn letter(order: HostOrder, holds: bool) -> &'static str {
    match (holds, order) {
        (false, _) => "-",
        (true, HostOrder::Scores) => "s",
        (true, HostOrder::Query) => "q",
        (true, HostOrder::Both) => "b",
    }
}

fn compiled(opened: &Opened, max_length: usize, host: Host) -> Option<Compiled> {
    let setting = Setting {
        vocabulary: opened.vocabulary.clone(),
        max_length,
        causal: false,
    };
    let graph = opened.session.graph();
    let request = Request {
        host,
        ..Request::default()
    };
    compile_in(&request, graph, &[opened.sop], &setting, &Limits::default()).ok()
}
