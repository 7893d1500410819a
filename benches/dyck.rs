//! Transformers for bounded Dyck languages against these languages: what the tests try at small sizes
//! only.
//!
//! - `all`: every string of up to 10 of four brackets, depth 1 to 4, every construction, in float32 and
//!   in float64.
//! - `long`: Dyck-(8,10) of 1,400 and Dyck-(128,15) of 1,622 brackets: words, and four kinds of near
//!   misses.
//! - `limits`: up to which length constructions are built for float32, and what is wrong beyond it.
//! - `bits`: how many bits of a position a recogniser needs (Yao et al. 2021, Theorem 4.3: no number of
//!   bits is enough for all lengths).
//!
//! `cargo bench --bench dyck -- long` runs one of them; without a name it is `bits` and `limits`.

use rasp::base::Random;
use rasp::execute::Precision;
use rasp::machine::dyck::{Dyck, Kind, Options, Verification, verify};
use rasp::model::{Attention, Dtype, Matrix, Model};
use rasp::value::Value;
use std::time::Instant;

const BOTH: [Precision; 2] = [Precision::F32, Precision::F64];

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let is_asked = |name: &str, by_default: bool| match asked.is_empty() {
        true => by_default,
        false => asked.iter().any(|asked| asked == name),
    };
    if is_asked("bits", true) {
        bits();
    }
    if is_asked("limits", true) {
        limits();
    }
    if is_asked("all", false) {
        all();
    }
    if is_asked("long", false) {
        long();
    }
}

/// Brackets of so many types.
fn tokens(types: usize) -> Vec<Value> {
    let both = |kind: usize| [format!("({kind}"), format!("){kind}")];
    let tokens = (1..=types).flat_map(both);
    tokens.map(|token| Value::str(&token)).collect()
}

fn dyck(kind: Kind, types: usize, depth: usize, max_length: usize) -> Dyck {
    Dyck {
        kind,
        depth: (kind != Kind::GenerateUnbounded).then_some(depth),
        tokens: tokens(types),
        max_length,
        attention: Attention::Soft,
        looped: false,
    }
}

fn tried(model: &Model, options: &Options) -> Verification {
    verify(model, options).expect("a model for a Dyck language")
}

/// Tries one construction, soft and hard where asked, and prints a row.
fn row(dyck: &Dyck, name: &str, options: &Options) {
    let model = dyck.build(Some(Dtype::Float64)).expect("right in float64");
    for precision in BOTH {
        let start = Instant::now();
        let options = Options {
            precision,
            ..options.clone()
        };
        let Verification { checked, wrong, .. } = tried(&model, &options);
        let kind = dyck.kind.name();
        let attention = match dyck.attention {
            Attention::Soft => "soft",
            Attention::Hard => "hard",
        };
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "| {kind} | {attention} | {name} | {precision:?} | {checked} | {wrong} | {seconds:.1} |"
        );
    }
}

fn title() {
    println!("\n| construction | attention | language | floats | inputs | wrong | seconds |");
    println!("|---|---|---|---|---|---|---|");
}

fn all() {
    title();
    let options = Options {
        exhaustive: usize::MAX,
        samples: 0,
        ..Options::default()
    };
    for kind in Kind::ALL {
        for depth in 1..=4 {
            let name = match kind {
                Kind::GenerateUnbounded if depth > 1 => continue,
                Kind::GenerateUnbounded => "Dyck-2".to_string(),
                _ => format!("Dyck-(2, {depth})"),
            };
            let soft = dyck(kind, 2, depth, 10);
            row(&soft, &name, &options);
            if kind == Kind::Recognise {
                let attention = Attention::Hard;
                row(&Dyck { attention, ..soft }, &name, &options);
            }
        }
    }
}

fn long() {
    title();
    for (types, depth, length) in [(8, 10, 1_400), (128, 15, 1_622)] {
        for kind in [
            Kind::Recognise,
            Kind::Label,
            Kind::Generate,
            Kind::GenerateLn,
        ] {
            let options = Options {
                exhaustive: 0,
                samples: 25,
                ..Options::default()
            };
            let name = format!("Dyck-({types}, {depth}) of {length}");
            let soft = dyck(kind, types, depth, length);
            row(&soft, &name, &options);
            let attention = Attention::Hard;
            row(&Dyck { attention, ..soft }, &name, &options);
        }
    }
}

/// Whether a construction is built for float32 at a length.
fn builds(dyck: &Dyck, length: usize) -> bool {
    let at = Dyck {
        max_length: length,
        ..dyck.clone()
    };
    at.build(Some(Dtype::Float32)).is_ok()
}

fn limits() {
    println!(
        "\n| construction | depth | built for float32 up to | words | wrong | at double | wrong |"
    );
    println!("|---|---|---|---|---|---|---|");
    let options = |samples| Options {
        exhaustive: 0,
        samples,
        seed: 1,
        precision: Precision::F32,
    };
    for (kind, depths) in [
        (Kind::Label, &[15, 60, 200][..]),
        (Kind::Generate, &[15, 60, 200]),
        (Kind::GenerateLn, &[15, 60, 120]),
        (Kind::GenerateUnbounded, &[0]),
    ] {
        for depth in depths {
            let longest = dyck(kind, 8, *depth, 1);
            // Lengths that are right are so up to the greatest.
            let (mut right, mut wrong) = (1, 200_000);
            while right + 1 < wrong {
                let middle = right + (wrong - right) / 2;
                match builds(&longest, middle) {
                    true => right = middle,
                    false => wrong = middle,
                }
            }
            let wrong_at = |length: usize| {
                let at = dyck(kind, 8, *depth, length);
                let model = at.build(Some(Dtype::Float64)).expect("right in float64");
                let samples = (4_000_000 / (length * length)).clamp(10, 400);
                (samples, tried(&model, &options(samples)).wrong)
            };
            // Beyond this, attention takes gigabytes.
            let at = right.min(4_000);
            let (samples, below) = wrong_at(at);
            let (_, above) = wrong_at((2 * right).min(4_000));
            println!(
                "| {} | {} | {right} | {samples} of {at} | {below} | {} | {above} |",
                kind.name(),
                match depth {
                    0 => "any".to_string(),
                    depth => depth.to_string(),
                },
                (2 * right).min(4_000),
            );
        }
    }
}

/// A recogniser whose positions have so many bits: `j` of `n` becomes the nearest multiple of
/// `n / 2^bits`.
fn with_bits(model: &Model, bits: u32) -> Model {
    let mut model = model.clone();
    let step = (model.max_length as f64 + 1.0) / 2f64.powi(bits as i32);
    let places = &model.position_embedding;
    let entries = places.entries();
    let rounded = entries.map(|(row, column, place)| (row, column, (place / step).floor() * step));
    let shape = (places.rows(), places.columns());
    model.position_embedding = Matrix::from_triplets(shape.0, shape.1, rounded.collect());
    model
}

fn bits() {
    println!(
        "\nBits of a position with which words and near misses of Dyck-(2, D) are recognised.\n"
    );
    println!("| length | log2 | D = 2, soft | D = 2, hard | D = 4, soft | D = 4, hard |");
    println!("|---|---|---|---|---|---|");
    for length in [8, 16, 32, 64, 128, 256] {
        let mut cells = Vec::new();
        for depth in [2, 4] {
            for attention in [Attention::Soft, Attention::Hard] {
                let soft = dyck(Kind::Recognise, 2, depth, length);
                let model = Dyck { attention, ..soft }
                    .build(None)
                    .expect("right in float32");
                let recognises = |bits: &u32| {
                    let options = Options {
                        exhaustive: 400,
                        samples: 60,
                        seed: Random::new(length as u64).bits(),
                        precision: Precision::F64,
                    };
                    tried(&with_bits(&model, *bits), &options).wrong == 0
                };
                let least = (0..=20).find(recognises);
                cells.push(least.map_or("more".to_string(), |bits| bits.to_string()));
            }
        }
        println!("| {length} | {} | {} |", length.ilog2(), cells.join(" | "));
    }
}
