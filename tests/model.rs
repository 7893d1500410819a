//! Models as data: run, traced, stored, described. Compiled models are tested elsewhere; these
//! are built by hand or at random.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::property;
mod random;
mod reference;
mod tiny;

use proptest::prelude::*;
use random::{Random, Sizes};
use rasp::base::{Code, Diagnostic, Existing, Sources, render};
use rasp::execute::{
    Engine, Executor, Precision, Scalar, delta, dense, largest_activation, run, trace,
};
use rasp::model::{
    Attention, Decoder, Digest, FeedForward, Head, Layer, Loop, Mask, Matrix, Model, Output,
    difference, from_bytes, from_bytes_with, load, save, summary, to_bytes,
};
use rasp::value::Value;
use tiny::Tiny;

const BOTH: [Precision; 2] = [Precision::F32, Precision::F64];
const TINY: Tiny = Tiny { max_length: 5 };

fn shown(values: &[Value]) -> String {
    values
        .iter()
        .map(Value::source)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_head_that_copies_the_previous_token() {
    let mut model = TINY.model(TINY.previous_readout());
    // BOS reads as "-" from its own direction.
    assert_eq!(model.check(), Ok(()));
    for precision in BOTH {
        for causal in [false, true] {
            model.causal = causal;
            let outputs = run(&model, &Value::characters("abba"), precision).unwrap();
            assert_eq!(shown(&outputs), r#""-" "a" "b" "b""#);
        }
    }
}

#[test]
fn length_by_uniform_attention() {
    let model = TINY.model(TINY.length_readout(TINY.lengths()));
    for precision in BOTH {
        for length in 1..=5 {
            let tokens = Value::characters(&"a".repeat(length));
            let outputs = run(&model, &tokens, precision).unwrap();
            assert_eq!(outputs, vec![Value::Int(length as i64); length]);
        }
    }
}

#[test]
fn a_causal_model_sees_no_later_position() {
    let mut model = TINY.model(TINY.length_readout(TINY.lengths()));
    model.causal = true;
    for precision in BOTH {
        let outputs = run(&model, &Value::characters("abab"), precision).unwrap();
        assert_eq!(shown(&outputs), "1 2 3 4");
    }
}

#[test]
fn a_head_sees_what_its_mask_leaves_and_nothing_gives_nothing() {
    let mut model = TINY.model(TINY.token_readout());
    // What the first head moves: BOS, "a" and "b", to directions of their own.
    let moved = |model: &Model| {
        let trace = trace(model, &Value::characters("ab"), Precision::F64).unwrap();
        let stream = &trace.steps[1].stream;
        let from = TINY.max_length + 4;
        let row = |position: usize| [from + 2, from, from + 1].map(|at| stream[[position, at]]);
        (0..3).map(row).collect::<Vec<_>>()
    };
    let head = &mut model.layers[0].heads[0];
    head.query = Matrix::zeros(head.query.rows(), head.query.columns());
    for attention in [Attention::Soft, Attention::Hard] {
        for (mask, expected) in [
            (Mask::All, [[1.0 / 3.0; 3]; 3]),
            (Mask::Earlier, [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]),
            (Mask::Later, [[0.0, 0.5, 0.5], [0.0, 0.0, 1.0], [0.0; 3]]),
        ] {
            let head = &mut model.layers[0].heads[0];
            (head.mask, head.attention) = (mask, attention);
            assert_eq!(moved(&model), expected, "{mask:?} {attention:?}");
        }
    }
    model.causal = true;
    assert!(model.check().unwrap_err().contains("later keys"));
}

#[test]
fn hard_attention_takes_the_largest_and_shares_between_ties() {
    let mut model = TINY.model(TINY.token_readout());
    let head = &mut model.layers[0].heads[0];
    // A key's score is 0.001 at "b": softmax would hardly see it.
    head.query = Matrix::zeros(head.query.rows(), 1);
    head.query_bias = vec![1.0];
    head.key = Matrix::from_triplets(head.key.rows(), 1, vec![(1, 0, 0.001)]);
    head.key_bias = vec![0.0];
    head.attention = Attention::Hard;
    for precision in BOTH {
        let trace = trace(&model, &Value::characters("babb"), precision).unwrap();
        let row = trace.steps[1].heads[0].weights.row(0).to_vec();
        let third = match precision {
            Precision::F32 => f64::from(1.0f32 / 3.0),
            Precision::F64 => 1.0 / 3.0,
        };
        assert_eq!(row, [0.0, third, 0.0, third, third]);
    }
}

#[test]
fn hidden_units_are_normalised_without_an_epsilon() {
    let mut model = TINY.model(TINY.token_readout());
    let d_model = model.d_model;
    // x and -x of a number far below the usual ε; BOS has none, and gets 0.
    model.token_embedding = Matrix::from_triplets(3, d_model, vec![(0, 0, 1e-9), (1, 0, -3e-12)]);
    model.layers[0].mlp = FeedForward {
        layer_norm: true,
        input: Matrix::from_triplets(d_model, 2, vec![(0, 0, 1.0), (0, 1, -1.0)]),
        input_bias: vec![0.0; 2],
        output: Matrix::from_triplets(2, d_model, vec![(0, 1, 1.0), (1, 1, -1.0)]),
        output_bias: vec![0.0; d_model],
    };
    for precision in BOTH {
        let trace = trace(&model, &Value::characters("ab"), precision).unwrap();
        let signs: Vec<f64> = trace.steps[2].stream.column(1).to_vec();
        assert_eq!(signs, [0.0, 1.0, -1.0]);
    }
}

/// Other readers of safetensors take headers of up to 100 MB only.
#[test]
fn a_plan_may_be_longer_than_a_header() {
    let mut model = TINY.model(TINY.token_readout());
    model.plan = Some("é".repeat(50_000_001));
    assert_eq!(from_bytes(&to_bytes(&model).unwrap()).unwrap(), model);
    model.plan = Some("é".to_string());
    let mut bytes = to_bytes(&model).unwrap();
    let at = bytes.windows(2).rposition(|pair| pair == "é".as_bytes());
    bytes[at.unwrap()] = 0xff;
    let message = not_a_model(&bytes);
    assert!(message.contains("plan: "), "{message}");
}

#[test]
fn what_few_models_have_is_stored_only_where_it_is() {
    let mut model = TINY.model(TINY.token_readout());
    let header = |model: &Model| {
        let bytes = to_bytes(model).unwrap();
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        String::from_utf8(bytes[8..8 + length].to_vec()).unwrap()
    };
    for name in ["attends", "layer_norm", "machine"] {
        assert!(!header(&model).contains(name));
    }
    model.layers[0].heads[1].mask = Mask::Earlier;
    model.layers[0].mlp.layer_norm = true;
    model.machine = Some("{}".to_string());
    assert_eq!(from_bytes(&to_bytes(&model).unwrap()).unwrap(), model);
    check("info_special", &summary(&model).to_string());
    let bytes = to_bytes(&model).unwrap();
    for (old, new) in [
        ("blocks.0.attn.1\\\":{", "blocks.0.attn.2\\\":{"),
        ("blocks.0.attn.1\\\":{", "blocks.00.attn.1\\\":{"),
        ("[0],\\\"cert", "[1],\\\"cert"),
        ("earlier", "erlier"),
    ] {
        let message = not_a_model(&with_header(&bytes, old, new));
        assert!(!message.contains("digest"), "{message}");
    }
}

#[test]
fn raw_numbers_without_values() {
    let model = TINY.model(TINY.length_readout(Vec::new()));
    let outputs = run(&model, &Value::characters("ab"), Precision::F64).unwrap();
    let distance = |value: &Value| (value.as_float().unwrap() - 2.0).abs();
    assert!(
        outputs.iter().all(|value| distance(value) < 1e-12),
        "{outputs:?}"
    );
}

/// A random model whose output is a raw number, and an input for it.
fn random_case() -> impl Strategy<Value = (Model, Vec<Value>)> {
    let sizes = (
        1..12usize,
        0..4usize,
        0..4usize,
        0..5usize,
        0..20usize,
        any::<bool>(),
    );
    (any::<u64>(), sizes, 0.0..0.6).prop_map(|(seed, sizes, density)| {
        let (d_model, layers, heads, d_head, d_mlp, causal) = sizes;
        let mut random = Random::new(seed);
        let sizes = Sizes {
            d_model,
            layers,
            heads,
            d_head,
            d_mlp,
            density,
            vocabulary: 4,
            max_length: 7,
            causal,
            special: true,
        };
        let model = random.model(&sizes);
        let length = 1 + random.below(7);
        let tokens = random.tokens(&model, length);
        (model, tokens)
    })
}

/// Whether a small error stays small: what is hard, or divided by a small deviation, may jump.
fn is_smooth(model: &Model) -> bool {
    model.layers.iter().all(|layer| {
        let soft = |head: &Head| head.attention == Attention::Soft;
        layer.heads.iter().all(soft) && !layer.mlp.layer_norm
    })
}

/// The model with the layers of each loop written out, one after the other.
fn unrolled(model: &Model) -> Model {
    let layers = model.runs().map(|(layer, _)| model.layers[layer].clone());
    Model {
        layers: layers.collect(),
        loops: Vec::new(),
        ..model.clone()
    }
}

/// Some of the layers in loops.
fn looped(model: Model, random: &mut Random) -> Model {
    let mut loops = Vec::new();
    let mut start = random.below(2);
    while start < model.layers.len() {
        let end = start + 1 + random.below(model.layers.len() - start);
        let times = 1 + random.below(3);
        loops.push(Loop {
            layers: start..end,
            times,
        });
        start = end + random.below(2);
    }
    Model { loops, ..model }
}

/// Two engines have the same bits after each of some rounds.
fn agree(model: &Model, tokens: &[Value], ours: &mut dyn Engine, theirs: &mut dyn Engine) {
    for _ in 0..6 {
        ours.round();
        theirs.round();
        for column in 0..tokens.len() + model.before_tokens() {
            for row in 0..model.d_model {
                let (ours, theirs) = (ours.at(row, column), theirs.at(row, column));
                let same = ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan();
                assert!(same, "{row} {column} {ours} {theirs}");
            }
        }
    }
}

/// Many columns with pointers of ±1: at a low temperature a query sees one key, at others more, so that
/// look-ups, bounds and scans all come up. Some rows change from round to round.
#[test]
fn engines_agree_on_look_ups() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let (bits, columns) = (4, 20 + random.below(20));
        let mut model = random.model(&Sizes {
            d_model: 3 * bits,
            layers: 2,
            heads: 2,
            d_head: bits,
            d_mlp: 4,
            density: 0.1,
            vocabulary: 1,
            max_length: columns,
            causal: false,
            special: false,
        });
        model.bos = false;
        model.token_embedding = Matrix::zeros(1, model.d_model);
        let mut places = Vec::new();
        for column in 0..columns {
            for row in 0..2 * bits {
                let sign = [-1.0, 1.0][random.below(2)];
                // Some columns have no pointer.
                if random.below(8) > 0 {
                    places.push((column, row, sign));
                }
            }
        }
        model.position_embedding = Matrix::from_triplets(columns, model.d_model, places);
        let warmth = [0.1, 3.0, 50.0, 2_000.0][seed as usize % 4];
        for (index, layer) in model.layers.iter_mut().enumerate() {
            for (number, head) in layer.heads.iter_mut().enumerate() {
                (head.mask, head.attention) = (Mask::All, Attention::Soft);
                let from = |first: usize, weight: f64| {
                    let entries = (0..bits).map(|bit| (first + bit, bit, weight)).collect();
                    Matrix::from_triplets(3 * bits, bits, entries)
                };
                head.key = from(0, 1.0);
                head.key_bias = vec![0.0; bits];
                head.query = from(bits * ((index + number) % 2), warmth);
                head.query_bias = vec![0.0; bits];
            }
            layer.mlp.layer_norm = false;
        }
        assert_eq!(model.check(), Ok(()));
        let tokens = vec![model.vocabulary[0].clone(); columns];
        for precision in BOTH {
            let mut ours = delta(&model, &tokens, precision).unwrap();
            let mut theirs = dense(&model, &tokens, precision).unwrap();
            agree(&model, &tokens, &mut *ours, &mut *theirs);
        }
    }
}

fn close(ours: f64, theirs: f64, tolerance: f64, largest: f64) -> bool {
    (ours - theirs).abs() <= tolerance * (1.0 + largest)
}

proptest! {
    #![proptest_config(property::property(200))]

    #[test]
    fn engines_agree_to_the_bit((model, tokens) in random_case()) {
        for precision in [Precision::F64, Precision::F32] {
            let Ok(mut ours) = delta(&model, &tokens, precision) else {
                let special = |layer: &Layer| {
                    let plain = |head: &Head| head.mask == Mask::All && head.attention == Attention::Soft;
                    !layer.heads.iter().all(plain) || layer.mlp.layer_norm
                };
                let is_refused = model.causal || model.layers.iter().any(special);
                prop_assert!(is_refused);
                continue;
            };
            let mut theirs = dense(&model, &tokens, precision).unwrap();
            agree(&model, &tokens, &mut *ours, &mut *theirs);
        }
    }

    #[test]
    fn a_loop_is_its_layers_again_and_again((model, tokens) in random_case(), seed in any::<u64>()) {
        let model = looped(model, &mut Random::new(seed));
        let long = unrolled(&model);
        for precision in [Precision::F64, Precision::F32] {
            let (ours, theirs) = (trace(&model, &tokens, precision), trace(&long, &tokens, precision));
            let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
            prop_assert_eq!(ours.steps.len(), theirs.steps.len());
            for (ours, theirs) in ours.steps.iter().zip(&theirs.steps) {
                prop_assert_eq!(&ours.stream, &theirs.stream);
            }
            prop_assert_eq!(ours.outputs, theirs.outputs);
            let run = |model| Executor::new(model, precision).unwrap().run_outputs(&tokens).unwrap();
            prop_assert_eq!(run(&model), run(&long));
        }
        let read = from_bytes(&to_bytes(&model).unwrap()).unwrap();
        prop_assert_eq!(&read, &model);
        prop_assert_eq!(difference(&model, &read), None);
    }

    #[test]
    fn the_executor_agrees_with_dense_arithmetic((model, tokens) in random_case()) {
        let steps = reference::run(&model, &tokens);
        let largest = steps.iter().flatten().flatten().fold(0.0, |l: f64, x| l.max(x.abs()));
        for (precision, tolerance) in [(Precision::F64, 1e-9), (Precision::F32, 1e-3)] {
            if precision == Precision::F32 && !is_smooth(&model) {
                continue;
            }
            let trace = trace(&model, &tokens, precision).unwrap();
            prop_assert_eq!(trace.steps.len(), steps.len());
            for (step, expected) in trace.steps.iter().zip(&steps) {
                for (ours, theirs) in step.stream.iter().zip(expected.iter().flatten()) {
                    prop_assert!(close(*ours, *theirs, tolerance, largest), "{ours} {theirs}");
                }
                for head in &step.heads {
                    for row in head.weights.rows() {
                        let nothing = row.iter().all(|weight| *weight == 0.0);
                        prop_assert!(nothing || (row.sum() - 1.0).abs() < 1e-5);
                    }
                }
            }
            let bound = largest_activation(&model, std::slice::from_ref(&tokens), precision).unwrap();
            prop_assert!(trace.steps.iter().flat_map(|step| &step.stream).all(|x| x.abs() <= bound));
            let executor = Executor::new(&model, precision).unwrap();
            let outputs = executor.run_outputs(&tokens).unwrap();
            prop_assert_eq!(&executor.run(&tokens).unwrap(), &outputs[0]);
            let traced: Vec<_> = trace.outputs.iter().map(|given| given.values.clone()).collect();
            prop_assert_eq!(&outputs, &traced);
            prop_assert_eq!(outputs.len(), model.outputs.len());
            for (output, ours) in model.outputs.iter().zip(&outputs) {
                let expected = reference::read(&model, &output.readout, steps.last().unwrap());
                for (ours, theirs) in ours.iter().zip(&expected) {
                    prop_assert!(close(ours.as_float().unwrap(), *theirs, tolerance, largest));
                }
            }
        }
    }

    #[test]
    fn a_batch_changes_nothing((model, tokens) in random_case(), seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let mut inputs = vec![tokens];
        for _ in 0..30 {
            let length = 1 + random.below(7);
            inputs.push(random.tokens(&model, length));
        }
        for precision in BOTH {
            let executor = Executor::new(&model, precision).unwrap();
            let together = executor.run_all(&inputs).unwrap();
            prop_assert_eq!(together.len(), inputs.len());
            let whole = executor.run_all_outputs(&inputs).unwrap();
            prop_assert_eq!(whole.len(), inputs.len());
            for ((input, output), outputs) in inputs.iter().zip(&together).zip(&whole) {
                prop_assert_eq!(&executor.run(input).unwrap(), output);
                prop_assert_eq!(&executor.run_outputs(input).unwrap(), outputs);
            }
        }
    }

    #[test]
    fn files_keep_every_bit((model, _) in random_case()) {
        let bytes = to_bytes(&model).unwrap();
        prop_assert_eq!(&bytes, &to_bytes(&model).unwrap());
        let read = from_bytes(&bytes).unwrap();
        prop_assert_eq!(&read, &model);
        prop_assert_eq!(&bytes, &to_bytes(&read).unwrap());
    }
}

fn rendered(error: &Diagnostic) -> String {
    render::render(error, &Sources::default(), render::Style::Plain)
}

fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("model");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn inputs_that_a_model_cannot_take() {
    let mut model = TINY.model(TINY.previous_readout());
    let refused = |model: &Model, tokens: &[Value]| {
        rendered(&run(model, tokens, Precision::F32).unwrap_err())
    };
    let mut text = refused(&model, &[]);
    text += &refused(&model, &Value::characters("abcd"));
    text += &refused(&model, &Value::characters("abA"));
    text += &refused(&model, &[Value::Int(1)]);
    text += &refused(&model, &Value::characters("aaaaaa"));
    model.vocabulary = (0..40).map(Value::Int).collect();
    model.token_embedding = Matrix::zeros(41, model.d_model);
    text += &refused(&model, &[Value::str("7")]);
    check("inputs", &text);
}

#[test]
fn tokens_by_identity_then_by_equality() {
    let mut model = TINY.model(TINY.token_readout());
    model.vocabulary = vec![Value::Int(1), Value::Bool(true)];
    let outputs = |token| shown(&run(&model, &[token], Precision::F64).unwrap());
    assert_eq!(outputs(Value::Int(1)), r#""a""#);
    assert_eq!(outputs(Value::Bool(true)), r#""b""#);
    assert_eq!(outputs(Value::Float(1.0)), r#""a""#);
}

#[test]
fn the_nearest_number_and_the_first_of_equals() {
    let read = |number: f64, decoder: Decoder| {
        let outputs = match &decoder {
            Decoder::Categorical(values) => values.len(),
            Decoder::Numerical(_) => 1,
        };
        let mut model = TINY.model(TINY.previous_readout());
        model.outputs[0].readout.weights = Matrix::zeros(model.d_model, outputs);
        model.outputs[0].readout.bias = vec![number; outputs];
        model.outputs[0].readout.decoder = decoder;
        shown(&run(&model, &Value::characters("a"), Precision::F32).unwrap())
    };
    let numbers = || Decoder::Numerical(vec![Value::Bool(false), 1.0.into(), 3.into()]);
    assert_eq!(read(-5.0, numbers()), "False");
    assert_eq!(read(0.5, numbers()), "False");
    assert_eq!(read(0.51, numbers()), "1.0");
    assert_eq!(read(2.1, numbers()), "3");
    assert_eq!(read(1e30, numbers()), "3");
    assert_eq!(read(-0.0, Decoder::Numerical(Vec::new())), "0.0");
    assert_eq!(
        read(1.0, Decoder::Categorical(Value::characters("xyz"))),
        r#""x""#
    );
}

#[test]
fn a_trace_shows_patterns_and_variables() {
    let model = TINY.model(TINY.length_readout(TINY.lengths()));
    let trace = trace(&model, &Value::characters("abb"), Precision::F32).unwrap();
    check("trace", &trace.to_string());
    let json = trace.to_json();
    assert_eq!(json["steps"][1]["after"], "layer 1 attention");
    assert_eq!(json["steps"][1]["heads"][1]["weights"][2][3], 0.25);
    assert_eq!(json["steps"][2]["variables"][2]["values"][1], 3);
    assert_eq!(json["steps"][2]["stream"].as_array().unwrap().len(), 4);
}

#[test]
fn a_summary_as_text_and_as_json() {
    let model = TINY.model(TINY.length_readout(TINY.lengths()));
    let summary = summary(&model);
    let json = serde_json::to_string_pretty(&summary).unwrap();
    check("summary", &format!("{summary}\n{json}\n"));
}

#[test]
fn parameters_as_tracr_counts_them() {
    let mut model = TINY.model(TINY.length_readout(TINY.lengths()));
    let (tokens, positions, d_model) = (2 + 2, 5 + 1, 14);
    // Two heads, six columns of W_Q and W_K in one of them, four hidden units.
    let attention = 3 * (d_model * 12 + 12) + 12 * d_model + d_model;
    let layer = attention + 2 * d_model * 4 + 4 + d_model;
    let embedding = (tokens + positions) * d_model;
    assert_eq!(model.padded_parameters(), embedding + layer);
    assert_eq!(model.largest_weight(), 100.0 * 6.0_f64.sqrt());
    // A layer that does nothing is as large.
    let empty = Layer {
        heads: Vec::new(),
        mlp: FeedForward::empty(d_model),
    };
    model.layers.push(empty.clone());
    assert_eq!(model.padded_parameters(), embedding + 2 * layer);
    // One unit of each where there is no work at all.
    model.layers = vec![empty];
    let least = 3 * (d_model + 1) + d_model + d_model + 2 * d_model + 1 + d_model;
    assert_eq!(model.padded_parameters(), embedding + least);
    model.layers.clear();
    assert_eq!(model.padded_parameters(), embedding);
    model.outputs[0].readout.bias[0] = -1e4;
    assert_eq!(model.largest_weight(), 1e4);
}

/// A model of two outputs: the length of the input and its previous token.
fn of_two_outputs() -> Model {
    let mut model = TINY.model(TINY.length_readout(TINY.lengths()));
    model.outputs.push(Output {
        name: String::new(),
        readout: TINY.previous_readout(),
    });
    model.rename(&["length", "previous"]);
    model
}

#[test]
fn a_model_of_two_outputs() {
    let model = of_two_outputs();
    assert_eq!(model.name, "length, previous");
    let tokens = Value::characters("abb");
    for precision in BOTH {
        let executor = Executor::new(&model, precision).unwrap();
        let outputs = executor.run_outputs(&tokens).unwrap();
        let texts: Vec<String> = outputs.iter().map(|values| shown(values)).collect();
        assert_eq!(texts, ["3 3 3", r#""-" "a" "b""#]);
        assert_eq!(executor.run(&tokens).unwrap(), outputs[0]);
    }
    assert_eq!(from_bytes(&to_bytes(&model).unwrap()).unwrap(), model);
    let trace = trace(&model, &tokens, Precision::F32).unwrap();
    assert_eq!(
        trace.to_json()["outputs"],
        serde_json::json!({"length": [3, 3, 3], "previous": ["-", "a", "b"]})
    );
    check("outputs", &format!("{}\n{trace}", summary(&model)));
}

#[test]
fn outputs_that_do_not_fit() {
    let mut model = of_two_outputs();
    model.outputs[1].readout.bias.pop();
    assert!(model.check().unwrap_err().contains("unembed.1.W_U"));
    model.outputs.pop();
    model.outputs.push(model.outputs[0].clone());
    assert_eq!(model.check().unwrap_err(), "two outputs named length");
    model.outputs.clear();
    assert_eq!(model.check().unwrap_err(), "no output");
}

#[test]
fn biases_of_heads_that_do_not_fit() {
    let mut model = TINY.model(TINY.previous_readout());
    model.layers[0].heads[0].key_bias.pop();
    assert!(model.check().unwrap_err().contains("blocks.0.attn.0.b_K"));
    model.layers[0].heads[0].key_bias.push(f64::NAN);
    assert!(model.check().unwrap_err().contains("not finite"));
    model.layers[0].heads[1].query_bias.push(0.0);
    assert!(model.check().is_err());
}

#[test]
fn the_largest_activation_is_wherever_it_is() {
    let inputs = [Value::characters("ab"), Value::characters("aabbb")];
    let largest = |model: &Model| BOTH.map(|p| largest_activation(model, &inputs, p).unwrap());
    let mut model = TINY.model(TINY.length_readout(TINY.lengths()));
    // A query of the head that looks back.
    let sharp = 100.0 * 6.0_f64.sqrt();
    assert_eq!(largest(&model), [f64::from(sharp as f32), sharp]);
    model.layers[0].heads[0].key_bias[0] = -1024.0;
    assert_eq!(largest(&model), [1024.0; 2]);
    // A hidden unit that the ReLU cuts.
    model.layers[0].mlp.input_bias[0] = -4096.0;
    assert_eq!(largest(&model).map(f64::round), [4096.0; 2]);
    model.layers[0].mlp.output_bias[0] = 8192.0;
    assert_eq!(largest(&model).map(f64::round), [8193.0; 2]);
    // Weights that a float32 can be, and a sum of them that it cannot.
    model.layers[0].mlp.output_bias[0] = 3e38;
    let mut again = model.layers[0].clone();
    again.heads.clear();
    model.layers.push(again);
    assert_eq!(largest(&model), [f64::INFINITY, 6e38]);
    let refused = largest_activation(&model, &[Value::characters("abc")], BOTH[0]);
    assert_eq!(refused.unwrap_err().code, Code::UnknownToken);
}

fn not_a_model(bytes: &[u8]) -> String {
    let Err(error) = from_bytes(bytes) else {
        panic!("read as a model");
    };
    assert_eq!(error.code, Code::BadModel);
    error.message
}

#[test]
fn a_file_cut_anywhere_is_not_a_model() {
    let bytes = to_bytes(&TINY.model(TINY.previous_readout())).unwrap();
    for length in 0..bytes.len() {
        not_a_model(&bytes[..length]);
    }
}

#[test]
fn corrupt_files_do_no_harm() {
    let mut model = TINY.model(TINY.previous_readout());
    // Large and almost empty, so that it is stored sparse.
    model.max_length = 4_000;
    model.position_embedding = Random::new(1).matrix(4_001, model.d_model, 1e-3);
    let bytes = to_bytes(&model).unwrap();
    assert_eq!(from_bytes(&bytes).unwrap(), model);
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut random = Random::new(2);
    for round in 0..4_000 {
        let mut corrupt = bytes.clone();
        // Half of them in the header, where it hurts most.
        let bound = if round % 2 == 0 { header } else { bytes.len() };
        for _ in 0..=random.below(3) {
            corrupt[random.below(bound)] = random.bits() as u8;
        }
        match from_bytes_with(&corrupt, Digest::Ignored) {
            Ok(model) => {
                assert_eq!(model.check(), Ok(()));
                let _ = run(&model, &Value::characters("ab"), Precision::F32);
            }
            Err(error) => assert_eq!(error.code, Code::BadModel),
        }
    }
}

/// A file with changed metadata, its header length put right.
fn with_header(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header = std::str::from_utf8(&bytes[8..8 + length]).unwrap();
    assert!(header.contains(old), "{old} in {header}");
    let header = header.replacen(old, new, 1);
    let mut changed = (header.len() as u64).to_le_bytes().to_vec();
    changed.extend(header.as_bytes());
    changed.extend(&bytes[8 + length..]);
    changed
}

#[test]
fn files_that_lie_are_not_models() {
    let mut model = TINY.model(TINY.length_readout(TINY.lengths()));
    model.max_length = 4_000;
    model.position_embedding = Matrix::zeros(4_001, model.d_model);
    let bytes = to_bytes(&model).unwrap();
    let lies = [
        (r#"\"format\":6"#, r#"\"format\":5"#),
        (r#"\"format\":6"#, r#"\"formal\":6"#),
        (r#"\"bos\":true"#, r#"\"bos\":false"#),
        (r#"\"bos\":true,"#, ""),
        (r#"\"max_length\":4000"#, r#"\"max_length\":4001"#),
        (
            r#"\"max_length\":4000"#,
            r#"\"max_length\":18446744073709551615"#,
        ),
        (r#"\"max_length\":4000"#, r#"\"max_length\":-1"#),
        (r#"[4001,14]"#, r#"[1000000000000,14]"#),
        (
            r#"[4001,14]"#,
            r#"[18446744073709551615,18446744073709551615]"#,
        ),
        (r#"[1,2,3,4,5]"#, r#"[1,2,2,4,5]"#),
        (r#"[1,2,3,4,5]"#, r#"[1,2,3,4,\"a\"]"#),
        (r#"[1,2,3,4,5]"#, r#"[{\"bits\":\"7ff8000000000000\"}]"#),
        (
            r#"\"vocabulary\":[\"a\",\"b\"]"#,
            r#"\"vocabulary\":[\"a\",\"a\"]"#,
        ),
        (
            r#"\"vocabulary\":[\"a\",\"b\"]"#,
            r#"\"vocabulary\":[\"a\",[[]]]"#,
        ),
        (
            r#"\"vocabulary\":[\"a\",\"b\"]"#,
            r#"\"vocabulary\":[\"a\"]"#,
        ),
        (r#"\"ready\":1"#, r#"\"ready\":3"#),
        (r#"\"ready\":2"#, r#"\"ready\":0"#),
        (r#"[[\"previous\",\"all\"]]"#, r#"[[\"previous\"]]"#),
        (r#"[[\"previous\",\"all\"]]"#, r#"[]"#),
        (r#"\"causal\":false"#, r#"\"causal\":7"#),
        (r#"\"certified\":{}"#, r#"\"certified\":true"#),
        (r#""blocks.0.mlp.b_in""#, r#""blocks.0.mlp.b_im""#),
        (r#""blocks.0.attn.0.b_Q""#, r#""blocks.0.attn.0.b_R""#),
        (r#""rasp""#, r#""risp""#),
    ];
    let mut text = String::new();
    for (old, new) in lies {
        let message = not_a_model(&with_header(&bytes, old, new));
        text += &format!("{new}\n  {message}\n");
    }
    check("lies", &text);
}

#[test]
fn loops_that_do_not_fit_are_refused() {
    let mut model = TINY.model(TINY.previous_readout());
    model.layers.push(model.layers[0].clone());
    let mut refused = |loops: &[(std::ops::Range<usize>, usize)]| {
        let each = |(layers, times): &(std::ops::Range<usize>, usize)| Loop {
            layers: layers.clone(),
            times: *times,
        };
        model.loops = loops.iter().map(each).collect();
        model.check().unwrap_err()
    };
    let reversed = std::ops::Range { start: 1, end: 0 };
    let text = [
        refused(&[(0..3, 2)]),
        refused(&[(1..1, 2)]),
        refused(&[(reversed, 2)]),
        refused(&[(0..2, 1), (1..2, 1)]),
        refused(&[(1..2, 1), (0..1, 1)]),
        refused(&[(0..1, 0)]),
        refused(&[(0..1, 1 << 40)]),
        refused(&[(0..1, usize::MAX), (1..2, usize::MAX)]),
    ];
    insta::assert_snapshot!("loops_refused", text.join("\n"));
    model.loops = vec![Loop {
        layers: 0..2,
        times: 3,
    }];
    let described = summary(&model).to_string();
    assert!(
        described.contains(
            "2, layers 1 to 2 run 3 times
"
        ),
        "{described}"
    );
}

#[test]
fn weights_that_are_not_finite_are_refused() {
    let mut model = TINY.model(TINY.previous_readout());
    model.outputs[0].readout.bias[1] = f64::NAN;
    assert_eq!(to_bytes(&model).unwrap_err().code, Code::BadModel);
    model.outputs[0].readout.bias[1] = 1234.5;
    let mut bytes = to_bytes(&model).unwrap();
    let number = 1234.5_f64.to_le_bytes();
    let place = bytes
        .windows(8)
        .position(|window| window == number)
        .unwrap();
    bytes[place..place + 8].copy_from_slice(&f64::INFINITY.to_le_bytes());
    assert!(not_a_model(&bytes).contains("unembed.b_U: a weight that is not finite"));
}

#[test]
fn values_survive_a_file() {
    let mut model = TINY.model(TINY.previous_readout());
    model.vocabulary = vec![Value::Float(f64::NEG_INFINITY), Value::Float(1.0)];
    let values = vec![
        Value::Int(i64::MIN),
        Value::Float(-0.0),
        Value::str("\u{0}\"é"),
    ];
    model.outputs[0].readout.decoder = Decoder::Categorical(values);
    model.name = "with = \"quotes\" \\ and \u{1b}[31m".to_string();
    assert_eq!(from_bytes(&to_bytes(&model).unwrap()).unwrap(), model);
}

#[test]
fn files_are_written_whole_and_not_over_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.safetensors");
    let model = TINY.model(TINY.previous_readout());
    save(&model, &path, Existing::Keep).unwrap();
    assert_eq!(load(&path).unwrap(), model);
    let other = TINY.model(TINY.length_readout(Vec::new()));
    let refused = save(&other, &path, Existing::Keep).unwrap_err();
    assert_eq!(refused.code, Code::FileNotWritten);
    assert_eq!(load(&path).unwrap(), model);
    save(&other, &path, Existing::Replace).unwrap();
    assert_eq!(load(&path).unwrap(), other);
    for place in [folder.path().to_path_buf(), folder.path().join("none/tiny")] {
        let refused = save(&model, &place, Existing::Replace).unwrap_err();
        assert_eq!(refused.code, Code::FileNotWritten);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(
        load(&folder.path().join("none")).unwrap_err().code,
        Code::FileNotFound
    );
    let text = folder.path().join("text");
    std::fs::write(&text, "return tokens;").unwrap();
    assert_eq!(load(&text).unwrap_err().code, Code::BadModel);
}

#[test]
fn a_broken_model_is_not_run() {
    let mut model = TINY.model(TINY.previous_readout());
    model.directions.pop();
    let Err(error) = Executor::new(&model, Precision::F32) else {
        panic!("it has a direction too few");
    };
    assert_eq!(error.code, Code::BadModel);
    let message = "a model that does not fit together: directions";
    assert!(error.message.starts_with(message), "{}", error.message);
}

#[test]
fn exponential_is_close_to_the_platforms() {
    assert_eq!(0f64.exp_falling(), 1.0);
    assert_eq!(f64::NEG_INFINITY.exp_falling(), 0.0);
    assert_eq!((-1e300f64).exp_falling(), 0.0);
    assert!(f64::NAN.exp_falling().is_nan());
    for step in 0..692_000 {
        let x = -f64::from(step) * 1.000_7e-3;
        let (ours, theirs) = (x.exp_falling(), x.exp());
        let error = (ours - theirs).abs() / theirs;
        assert!(error <= 2.0 * f64::EPSILON, "e^{x} = {ours}, not {theirs}");
    }
}

#[test]
fn what_is_tiny_is_nothing() {
    for step in 0..2_000 {
        let (narrow, wide) = (-(step as f32) * 0.1, -f64::from(step));
        let (float, double) = (narrow.exp_falling(), wide.exp_falling());
        assert!(
            float == 0.0 || float >= f32::MIN_POSITIVE * 1e6,
            "e^{narrow}"
        );
        assert!(
            double == 0.0 || double >= f64::MIN_POSITIVE * 1e6,
            "e^{wide}"
        );
        let error = (f64::from(float) - f64::from(narrow).exp()).abs();
        assert!(error <= 1.1 * f64::from(f32::EPSILON) * f64::from(narrow).exp() + 1e-29);
    }
}

#[test]
fn exponential_has_these_bits() {
    // A change of any bit here is a change of results between versions.
    assert_eq!((-1f64).exp_falling().to_bits(), 0x3fd7_8b56_362c_ef38);
}
