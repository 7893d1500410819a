//! Models in both styles of every program of the library and the examples: right in float32 and
//! float64, and in the faithful style with heads that look where the program's selectors say.

use crate::common::budget;
use crate::common::programs;
use crate::common::verify;

use budget::{Budget, LONG, QUICK, THOROUGH, of_each};
use programs::{Opened, Program, programs};
use rasp::base::{Code, Limits, Random};
use rasp::execute::trace::trace;
use rasp::execute::{Executor, Precision, largest_activation};
use rasp::graph::{Graph, SOp, SOpId, SelectorId, Sharing};
use rasp::inside::compile::compile_in;
use rasp::inside::graph::Build;
use rasp::inside::infer::inputs;
use rasp::inside::interpret::{evaluate, evaluate_selector};
use rasp::model::Model;
use rasp::plan::{Attend, Kind, Linear, PatternSource, Plan, Style, VariableId};
use rasp::session::{Session, Setting, VerifyOptions};
use rasp::value::{Comparison, Op, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How far from a uniform row one may be.
const UNIFORM: f64 = 1e-6;

/// What no weight and no activation is beyond, for inputs of up to 64 tokens.
const LARGEST: f64 = 65_536.0;

/// The same for longer ones.
const LARGEST_IN_LONG: f64 = 1_048_576.0;

/// What is not compiled at all, as it takes too long in a debug build.
const LARGE: &[&str] = &["papers/weiss2021_rover"];

/// A few inputs of larger models.
const A_FEW_LONG: Budget = Budget {
    samples: 12,
    seen: 4,
    ..LONG
};

/// Problems with each of the programs.
fn problems(programs: &[Program], check: impl Fn(&Program) -> Vec<String> + Sync) -> Vec<String> {
    let found = of_each(programs, check).into_iter();
    let named = |(name, problems): (String, Vec<String>)| {
        let problems = problems.into_iter();
        problems.map(move |problem| format!("{name}: {problem}"))
    };
    found.flat_map(named).collect()
}

fn check(program: &Program, style: Style, budget: Budget) -> Vec<String> {
    let Opened {
        session,
        sop,
        vocabulary,
    } = program.open(budget.tokens);
    let setting = Setting {
        vocabulary,
        max_length: budget.length,
        causal: budget.causal,
    };
    check_in(session.graph(), sop, &setting, style, budget)
}

/// What is wrong with the model of an s-op.
fn check_in(
    graph: &Graph,
    sop: SOpId,
    setting: &Setting,
    style: Style,
    budget: Budget,
) -> Vec<String> {
    let (model, plan) = match compile_in(&style.into(), graph, &[sop], setting, &Limits::default())
    {
        Ok(compiled) => (compiled.model.clone(), compiled.plan().clone()),
        Err(refusal) => {
            return vec![format!(
                "{}: refused: {refusal} {:?}",
                style.name(),
                refusal.notes
            )];
        }
    };
    let mut problems = Vec::new();
    for precision in [Precision::F32, Precision::F64] {
        let options = VerifyOptions {
            max_length: setting.max_length,
            exhaustive: budget.exhaustive,
            samples: budget.samples,
            seed: 11,
            precision,
        };
        let found = verify(graph, sop, &model, &options).expect("known tokens");
        if found.wrong > 0 {
            let first = found.first_wrong;
            problems.push(format!("{precision:?}: {} wrong: {first:?}", found.wrong));
        }
    }
    problems.extend(shape_differs(&model, &plan));
    if style == Style::Faithful {
        let inputs = some_inputs(setting, budget.seen);
        let attention = Attention::new(graph, &plan);
        let tried = inputs
            .iter()
            .filter(|input| evaluate(graph, sop, input).is_ok());
        problems.extend(
            tried
                .filter_map(|input| attention.differs(&model, input))
                .take(3),
        );
        let largest = model.largest_weight();
        let activation = largest_activation(&model, &inputs, Precision::F32);
        let activation = activation.expect("known tokens");
        let bound = match setting.max_length <= 64 {
            true => LARGEST,
            false => LARGEST_IN_LONG,
        };
        if largest > bound || activation > bound {
            problems.push(format!(
                "weights up to {largest}, activations up to {activation}"
            ));
        }
    }
    let named = problems.into_iter();
    named
        .map(|problem| format!("{}: {problem}", style.name()))
        .collect()
}

/// All short inputs, or some of them if there are more than so many.
fn some_inputs(setting: &Setting, most: usize) -> Vec<Vec<Value>> {
    let vocabulary = &setting.vocabulary;
    let length = inputs::exhaustive_length(vocabulary.len(), setting.max_length, most);
    let all = (1..=length).flat_map(|length| inputs::all(vocabulary, length));
    let mut chosen: Vec<Vec<Value>> = all.collect();
    let mut random = Random::new(5);
    while length < setting.max_length && chosen.len() < most {
        chosen.push(inputs::sample(
            &mut random,
            vocabulary,
            length,
            setting.max_length,
        ));
    }
    chosen
}

/// Where a model has other layers and heads than its plan.
fn shape_differs(model: &Model, plan: &Plan) -> Option<String> {
    let planned = (1..=plan.layers()).map(|layer| {
        let attends = plan.attends.iter().filter(|attend| attend.layer == layer);
        let patterns: BTreeSet<usize> = attends.map(|attend| attend.pattern).collect();
        patterns.len()
    });
    let planned: Vec<usize> = planned.collect();
    let heads: Vec<usize> = model.layers.iter().map(|layer| layer.heads.len()).collect();
    (heads != planned).then(|| format!("heads {heads:?}, planned {planned:?}"))
}

/// What the program says of the heads of a plan.
struct Attention<'p> {
    graph: Graph,
    /// The share of each key in a weighted mean, for the positions of the longest input.
    shares: BTreeMap<u32, Vec<SOpId>>,
    /// Operations by what their heads share the keys of.
    groups: BTreeMap<(PatternSource, &'static str), Vec<&'p Attend>>,
}

impl<'p> Attention<'p> {
    fn new(graph: &Graph, plan: &'p Plan) -> Attention<'p> {
        let mut graph = graph.clone();
        let mut groups: BTreeMap<_, Vec<&Attend>> = BTreeMap::new();
        let mut shares = BTreeMap::new();
        for attend in &plan.attends {
            let kind = match attend.kind {
                Kind::Width | Kind::Length => "width",
                Kind::Mean => "mean",
                Kind::MeanOfSome => "mean of some",
                Kind::MeanOrBos => "mean",
                Kind::MeanOfPart => "mean of part",
                Kind::Sum { .. } => "sum",
            };
            groups.entry((attend.row, kind)).or_default().push(attend);
            if let PatternSource::Weights(id) = attend.row {
                shares.entry(id).or_insert_with(|| {
                    let keys = 0..plan.max_length;
                    keys.map(|key| share(&mut graph, SOpId(id), key)).collect()
                });
            }
        }
        Attention {
            graph,
            shares,
            groups,
        }
    }

    /// How a head's attention on an input differs from what the program says.
    fn differs(&self, model: &Model, input: &[Value]) -> Option<String> {
        let trace = trace(model, input, Precision::F32).expect("known tokens");
        for ((row, kind), attends) in &self.groups {
            // Keys that a program fails to compare are not compared here either.
            let Some(expected) = self.expected(*row, input) else {
                continue;
            };
            let mut heads: BTreeMap<usize, &Attend> = BTreeMap::new();
            for attend in attends {
                heads.insert(attend.pattern, attend);
            }
            let patterns = heads.values().map(|attend| {
                let step = &trace.steps[2 * attend.layer - 1];
                &step.heads[self.place(attend)].weights
            });
            let patterns: Vec<_> = patterns.collect();
            for (query, shares) in expected.iter().enumerate() {
                let rows: Vec<Vec<f64>> = patterns
                    .iter()
                    .map(|weights| weights.row(query + 1).to_vec())
                    .collect();
                if let Some(problem) = row_differs(kind, &rows, shares) {
                    let name = &attends[0].source.name;
                    return Some(format!(
                        "{name} ({kind}) on {input:?}, query {query}: {problem}"
                    ));
                }
            }
        }
        None
    }

    /// The number of a head in its layer.
    fn place(&self, attend: &Attend) -> usize {
        let all = self.groups.values().flatten();
        let layer = all.filter(|other| other.layer == attend.layer);
        let patterns: BTreeSet<usize> = layer.map(|other| other.pattern).collect();
        patterns.range(..attend.pattern).count()
    }

    /// For each query the share of each key, which add up to 1 where there is a key.
    fn expected(&self, row: PatternSource, input: &[Value]) -> Option<Vec<Vec<f64>>> {
        match row {
            PatternSource::Selector(id) => {
                let rows =
                    evaluate_selector(&self.graph, SelectorId(id), input, &Limits::default())
                        .ok()?;
                let share = |row: Vec<bool>| {
                    let width = row.iter().filter(|selected| **selected).count();
                    let share = |selected: &bool| match selected {
                        true => 1.0 / width as f64,
                        false => 0.0,
                    };
                    row.iter().map(share).collect()
                };
                Some(rows.into_iter().map(share).collect())
            }
            PatternSource::Weights(id) => {
                let shares = self.shares[&id][..input.len()].iter().map(|share| {
                    let values = evaluate(&self.graph, *share, input).ok()?.values;
                    values.iter().map(Value::as_float).collect()
                });
                let by_key: Vec<Vec<f64>> = shares.collect::<Option<_>>()?;
                let row = |query: usize| by_key.iter().map(|shares| shares[query]).collect();
                Some((0..input.len()).map(row).collect())
            }
        }
    }
}

/// The s-op that is the share of one key in a weighted mean.
fn share(graph: &mut Graph, mean: SOpId, key: usize) -> SOpId {
    let SOp::WeightedMean { scorer, .. } = graph.get(mean).clone() else {
        panic!("no weighted mean");
    };
    let span = graph.span(mean);
    let indices = graph.sop(SOp::Indices, span);
    let this = graph.constant(Value::Int(key as i64), span);
    let is_this = graph.map(Op::Compare(Comparison::Equal), vec![indices, this], span);
    let value = graph.map(Op::Indicator, vec![is_this], span);
    let default = Value::Int(0);
    graph.sop(
        SOp::WeightedMean {
            scorer,
            value,
            default,
        },
        span,
    )
}

/// How the rows of the heads that share the keys of one query differ from what they should be. The
/// first entry of each is BOS.
fn row_differs(kind: &str, rows: &[Vec<f64>], shares: &[f64]) -> Option<String> {
    let total = shares.iter().filter(|share| **share > 0.0).count();
    let mut holders = vec![0; shares.len()];
    for row in rows {
        let held: Vec<bool> = match rows.len() {
            1 => shares.iter().map(|share| *share > 0.0).collect(),
            _ => row[1..].iter().map(|weight| *weight > UNIFORM).collect(),
        };
        let width = held.iter().filter(|held| **held).count();
        let factor = match kind {
            // Uniform over the keys that it holds, instead of all.
            "mean" | "mean of some" if width > 0 => total as f64 / width as f64,
            "width" => total as f64 / (width + 1) as f64,
            _ => 1.0,
        };
        let mut bos = 1.0;
        for (key, (share, held)) in shares.iter().zip(&held).enumerate() {
            holders[key] += usize::from(*held);
            let expected = if *held { share * factor } else { 0.0 };
            bos -= expected;
            if (row[key + 1] - expected).abs() > UNIFORM {
                return Some(format!("expected {expected} for key {key} in {row:?}"));
            }
        }
        if (row[0] - bos).abs() > UNIFORM {
            return Some(format!("expected {bos} for BOS in {row:?}"));
        }
    }
    let alone = holders.iter().zip(shares);
    let alone = alone.map(|(holders, share)| *holders == usize::from(*share > 0.0));
    (!alone.clone().all(|alone| alone))
        .then(|| format!("the keys with shares {shares:?} are held by {holders:?} heads"))
}

fn small() -> Vec<Program> {
    let all = programs().into_iter();
    all.filter(|program| !LARGE.contains(&program.name.as_str()))
        .collect()
}

#[test]
fn faithful_models_of_all_programs() {
    let problems = problems(&small(), |program| check(program, Style::Faithful, QUICK));
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn compact_models_of_all_programs() {
    let problems = problems(&small(), |program| check(program, Style::Compact, QUICK));
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
#[ignore = "thorough; all inputs, in minutes"]
fn models_of_all_programs_on_all_inputs() {
    let problems = problems(&small(), |program| {
        let mut problems = check(program, Style::Faithful, THOROUGH);
        problems.extend(check(program, Style::Compact, THOROUGH));
        problems
    });
    assert!(problems.is_empty(), "{problems:#?}");
}

/// What is wrong with the models of programs that look back only, and how many these are.
fn looking_back(budget: Budget) -> (Vec<String>, usize) {
    let all = small();
    let programs = all.len();
    let problems = problems(&all, |program| check(program, Style::Faithful, budget));
    let ahead = |problem: &String| problem.contains(Code::NotCausal.number());
    let (ahead, problems): (Vec<_>, Vec<_>) = problems.into_iter().partition(ahead);
    (problems, programs - ahead.len())
}

#[test]
fn causal_models_of_what_looks_back() {
    let (problems, programs) = looking_back(QUICK.causal());
    assert!(problems.is_empty(), "{problems:#?}");
    assert_eq!(programs, 44);
}

/// Modules whose programs are compiled for long inputs within seconds in a debug build.
const QUICKLY_COMPILED: &[&str] = &[
    "rasplib",
    "hist",
    "sorting",
    "fractions",
    "induction",
    "preprint",
    "tracr",
];

#[test]
fn heads_of_some_long_models() {
    let mut programs = small();
    programs.retain(|program| {
        let module = program.name.split_once(": ");
        module.is_some_and(|(module, _)| QUICKLY_COMPILED.contains(&module))
    });
    assert!(programs.len() > 40);
    let problems = problems(&programs, |program| {
        check(program, Style::Faithful, A_FEW_LONG)
    });
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
#[ignore = "thorough; minutes"]
fn heads_of_long_causal_models() {
    let (problems, _) = looking_back(LONG.causal());
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
#[ignore = "thorough; minutes"]
fn heads_of_long_models() {
    let problems = problems(&small(), |program| check(program, Style::Faithful, LONG));
    assert!(problems.is_empty(), "{problems:#?}");
}

/// Squares of classes are no reason for larger weights than others have.
#[test]
fn scores_of_many_classes_are_small() {
    let number = Linear::default().plus(VariableId(0), 3.0);
    let scores = number.classes(1_000, None);
    let factors = scores.iter().flat_map(|score| {
        let factors = score.terms.values().chain([&score.constant]);
        factors.copied().collect::<Vec<f64>>()
    });
    assert!(factors.map(f64::abs).all(|factor| factor <= LARGEST));
    for class in [0, 1, 500, 999] {
        let best = scores.iter().enumerate().max_by(|(_, a), (_, b)| {
            let at = |score: &Linear| score.at(|_| class as f64 / 3.0);
            at(a).total_cmp(&at(b))
        });
        assert_eq!(best.map(|(best, _)| best), Some(class));
    }
}

/// What would be by chance in a program is by chance in its model.
#[test]
fn no_program_hangs_on_rounding() {
    let problems = problems(&small(), |program| {
        let opened = program.open(QUICK.tokens);
        let setting = Setting {
            vocabulary: opened.vocabulary,
            max_length: QUICK.length,
            causal: false,
        };
        let found = opened.session.hanging_on_rounding(&[opened.sop], &setting);
        found.iter().map(ToString::to_string).collect()
    });
    assert!(problems.is_empty(), "{problems:#?}");
}

/// What is wrong with a model on random inputs of all kinds, and on each token repeated.
fn found_wrong(
    (style, text): (Style, &str),
    vocabulary: Vec<Value>,
    max_length: usize,
    samples: usize,
) -> Vec<String> {
    let mut session = Session::new(Sharing::Equal);
    session.load_text("test", text);
    let sop = session.sop("x").unwrap_or_else(|error| panic!("{error}"));
    let setting = Setting {
        vocabulary,
        max_length,
        causal: false,
    };
    let graph = session.graph();
    let compiled = compile_in(&style.into(), graph, &[sop], &setting, &Limits::default());
    let (model, _) = match compiled {
        Ok(compiled) => (compiled.model.clone(), compiled.plan().clone()),
        Err(refusal) => return vec![format!("refused: {refusal} {:?}", refusal.notes)],
    };
    let vocabulary = &setting.vocabulary;
    let repeated = vocabulary.iter().flat_map(|token| {
        let lengths = [1, max_length - 1, max_length];
        lengths.map(|length| vec![token.clone(); length])
    });
    let mut inputs: Vec<Vec<Value>> = repeated.collect();
    // All but the first the same.
    for token in vocabulary.iter().take(8) {
        let mut input = vec![token.clone(); max_length];
        input[0] = vocabulary[vocabulary.len() - 1].clone();
        inputs.push(input);
    }
    let mut random = Random::new(9);
    let sampled = (0..samples).map(|_| inputs::sample(&mut random, vocabulary, 0, max_length));
    inputs.extend(sampled);
    let mut problems = Vec::new();
    for precision in [Precision::F32, Precision::F64] {
        let outputs = Executor::new(&model, precision)
            .expect("a sound model")
            .run_all(&inputs)
            .expect("known tokens");
        for (input, output) in inputs.iter().zip(outputs) {
            let expected = evaluate(graph, sop, input).expect("values").values;
            let mut pairs = expected.iter().zip(&output);
            if !pairs.all(|(expected, output)| expected.equals(output)) {
                problems.push(format!("{precision:?} {input:?}: {output:?}"));
            }
        }
    }
    problems.truncate(3);
    problems
}

fn right(text: &str, vocabulary: Vec<Value>, max_length: usize, samples: usize) {
    let problems = found_wrong((Style::Faithful, text), vocabulary, max_length, samples);
    assert!(
        problems.is_empty(),
        "{text} up to {max_length}: {problems:#?}"
    );
}

fn ints(numbers: &[i64]) -> Vec<Value> {
    numbers.iter().copied().map(Value::Int).collect()
}

/// The first letters of the alphabets.
fn letters(count: u32) -> Vec<Value> {
    let letters = (0..count).filter_map(|at| char::from_u32(0x4e00 + at));
    letters
        .map(|letter| Value::str(&letter.to_string()))
        .collect()
}

/// Hidden units that add halves to sums of 2^23 and more lose them.
#[test]
fn halves_beside_large_numbers_are_right_in_float32() {
    let programs = [
        "x = length * count(tokens, \"a\") / 4;",
        "x = length * selector_width(select(tokens, tokens, <=)) / 4;",
        "x = (length * count(tokens, \"a\")) % 5;",
        "load \"dyck\"; s = dyck1_ptf(tokens, \"a\", \"b\"); x = selector_width(select(s, s, ==));",
    ];
    for (text, length) in programs.iter().flat_map(|text| [21, 31].map(|n| (text, n))) {
        let letters = vec![Value::str("a"), Value::str("b")];
        let problems = found_wrong((Style::Compact, text), letters, length, 200);
        assert!(problems.is_empty(), "{text} up to {length}: {problems:#?}");
    }
}

const SAME_INTS: &str = "x = selector_width(select(tokens_int, tokens_int, ==));";

#[test]
fn far_numbers_are_told_apart() {
    right(
        SAME_INTS,
        ints(&[2, 6, 144, 184, 188, 200, 290, 300]),
        8,
        200,
    );
    right(SAME_INTS, ints(&[8, 17, 25, 34, 48, 63, 71, 80]), 64, 100);
    let hist = "load \"hist\"; x = hist(tokens_int);";
    right(hist, ints(&[0, 300, 700, 900, 1000]), 5, 300);
    right(hist, ints(&[0, 300, 700, 900, 1000]), 64, 60);
}

#[test]
fn counts_of_counts_are_right_in_float32() {
    right("load \"hist\"; x = hist(hist(tokens));", letters(2), 90, 40);
    right(
        "load \"hist\"; x = hist(hist(hist(tokens)));",
        letters(4),
        50,
        40,
    );
}

#[test]
fn counts_of_positions_are_right_in_float32() {
    let text = "load \"hist\"; x = selector_width(select(hist(tokens), indices, ==));";
    right(text, letters(4), 110, 20);
}

#[test]
fn ranks_of_ranks_are_right_in_float32() {
    let text = "load \"hist\"; load \"sorting\"; x = rank(rank(hist(tokens)));";
    right(text, letters(4), 50, 20);
}

const SORT_BY_FREQUENCY: &str = "load \"sorting\"; x = sort_by_frequency(tokens);";

#[test]
#[ignore = "large"]
fn long_sorts_by_frequency_are_right_in_float32() {
    right(SORT_BY_FREQUENCY, letters(4), 96, 40);
    right(SORT_BY_FREQUENCY, letters(4), 104, 40);
    right(SORT_BY_FREQUENCY, letters(4), 120, 40);
    right(SORT_BY_FREQUENCY, letters(128), 128, 40);
}

/// Scores of large sums lose more digits than what they come to: `2ay - a²x`, where `x` is read as 1 and less.
#[test]
fn sums_of_large_numbers_are_right_in_float32() {
    let total = "x = round(length * aggregate(full_s, tokens_int));";
    let running = "x = round((indices + 1) * aggregate(select(indices, indices, <=), tokens_int));";
    let digits = ints(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for length in [57, 60, 64] {
        right(total, digits.clone(), length, 100);
    }
    right(running, digits, 64, 60);
}

/// Keys that are one of two kinds, of which each position has a rank: one hidden layer has its thresholds in a
/// direction, which is 0 at BOS.
#[test]
fn compaction_is_right() {
    let text = "upto = select(indices, indices, <=); start = tokens != shift(tokens, 1, \"-\");
        n = round((indices + 1) * aggregate(upto, indicator(start)));
        x = aggregate(select(start, True, ==) and select(n, indices + 1, ==), tokens, \"-\");";
    for length in [16, 64] {
        right(text, letters(2), length, 40);
    }
}

/// What is chosen may say itself which of the two it is.
#[test]
fn choices_of_what_they_ask_for_are_right() {
    let text = "at = aggregate(select_best(select(tokens, \"\u{4e00}\", ==), \
            score(indices, indices, lambda key, query: key)), indices, -2);
        x = length if at == -2 else at;";
    for length in [8, 17, 40] {
        right(text, letters(2), length, 60);
    }
}

/// An automaton of three states by doubling: the function that a stretch of tokens is, composed with that of the
/// stretch before it. What one s-op is made of is a variable of its own beside what another is.
#[test]
fn composed_functions_of_three_states_are_right() {
    let text = "f0 = {\"a\": 1, \"b\": 0}[tokens]; f1 = {\"a\": 2, \"b\": 0}[tokens]; f2 = {\"a\": 0, \"b\": 2}[tokens];
        def pick(g, a, b, c) { return a if g == 0 else (b if g == 1 else c); }
        def doubled(f0, f1, f2, stride) {
            s = select(indices, indices - stride, ==);
            g0 = aggregate(s, f0, 0); g1 = aggregate(s, f1, 1); g2 = aggregate(s, f2, 2);
            return pick(g0, f0, f1, f2), pick(g1, f0, f1, f2), pick(g2, f0, f1, f2);
        }
        f0, f1, f2 = doubled(f0, f1, f2, 1); f0, f1, f2 = doubled(f0, f1, f2, 2);
        f0, f1, f2 = doubled(f0, f1, f2, 4); x = f0;";
    for length in [4, 8, 16] {
        right(text, vec![Value::str("a"), Value::str("b")], length, 60);
    }
}

/// The combinations of three variables are too many to list them for each length and index: those that are left
/// must have a place in the table of two of the three.
#[test]
fn tables_of_many_environments_hold_together() {
    let text = "is_last = aggregate(select(indices, length - 1, ==), tokens == \"\u{4e00}\", False);
        lasts = round((indices + 1) * aggregate(select(indices, indices, <=), indicator(is_last)));
        far = max(indices if tokens == \"\u{4e00}\" else indices + 3, selector_width(select(tokens, tokens, ==)));
        x = tokens if lasts != far else \"\u{4e01}\";";
    right(text, letters(8), 64, 20);
}

/// What keys are compared by may share directions with what else is read, by factors that float32 rounds: results
/// are right all the same, rows would be off by 1e-5.
#[test]
fn rows_of_shared_directions_are_uniform() {
    let programs = [
        (
            "at = min(selector_width(select(indices, indices, >=)), \
                selector_width(select(indices, indicator(tokens == \"b\"), >=)));
            x = tokens if indices >= at else \"b\";",
            3,
        ),
        (
            "near = score(length, indices * 0.25, lambda k, q: (k - q) * (k - q));
            x = aggregate(near, aggregate(select(indices, indices, >), {0: 2, 1: 1.0, 2: 1}[indices % 3], -1), 0);",
            3,
        ),
    ];
    let problems = programs.map(|(text, max_length)| {
        let mut session = Session::new(Sharing::Equal);
        session.load_text("test", text);
        let sop = session.sop("x").unwrap_or_else(|error| panic!("{error}"));
        let setting = Setting {
            vocabulary: vec![Value::str("a"), Value::str("b")],
            max_length,
            causal: false,
        };
        let budget = Budget {
            length: max_length,
            exhaustive: 300,
            samples: 0,
            seen: 300,
            ..QUICK
        };
        check_in(session.graph(), sop, &setting, Style::Faithful, budget)
    });
    assert!(problems.iter().all(Vec::is_empty), "{problems:#?}");
}

/// What one key has arrives as it is, or is next to nothing where it is 0: heads that compare what is computed of it
/// have rows that are uniform, without a layer more.
#[test]
fn what_one_key_has_is_compared_as_it_is() {
    let text = "half = int(length / 2);
        other = aggregate(select(indices, indices + half, ==), tokens_int, -1);
        differs = indices < half and other != tokens_int;
        earlier = select(differs, True, ==) and select(indices, indices, <);
        first = differs and not has_focus(earlier);
        x = aggregate(select(first, True, ==), indicator(tokens_int > other), 0);";
    for max_length in [7, 12] {
        let mut session = Session::new(Sharing::Equal);
        session.load_text("test", text);
        let sop = session.sop("x").unwrap_or_else(|error| panic!("{error}"));
        let setting = Setting {
            vocabulary: Value::characters("01"),
            max_length,
            causal: false,
        };
        let budget = Budget {
            length: max_length,
            exhaustive: 300,
            samples: 100,
            seen: 100,
            ..QUICK
        };
        let graph = session.graph();
        let problems = check_in(graph, sop, &setting, Style::Faithful, budget);
        assert!(problems.is_empty(), "{problems:#?}");
        let request = Style::Faithful.into();
        let compiled = compile_in(&request, graph, &[sop], &setting, &Limits::default());
        let compiled = compiled.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(compiled.plan().layers(), 4, "at {max_length}");
        assert!(compiled.certificates()[0].is_even(), "at {max_length}");
    }
}

/// Two thresholds are one dimension of a head, whatever the length: alone, beside a parabola, where the level of what
/// is selected is not 0, and in several relations whose products have keys in common.
#[test]
fn thresholds_in_pairs_leave_rows_uniform() {
    type Most = fn(usize) -> usize;
    let lengths: &[usize] = &[2, 3, 4, 5, 8, 12, 16, 33, 48, 63, 64, 65, 100];
    let number = "v = {\"a\": 0, \"b\": 1, \"c\": 2, \"d\": 3, \"e\": 4, \"f\": 5, \"g\": 6, \"h\": 7}[tokens];";
    let of_numbers = format!(
        "{number} x = selector_width(select(v, v, <=) and select(v, indices, <=) \
        and select(indices, v, <=) and select(indices, indices, <=));"
    );
    let programs: [(&str, &[usize], Most); 5] = [
        (
            "x = aggregate(select(indices, indices, <=), indicator(tokens == \"a\"));",
            lengths,
            |length| length / 2 + 2,
        ),
        (
            "x = selector_width(select(tokens, tokens, <));",
            lengths,
            |length| length.min(26) / 2 + 2,
        ),
        (
            "x = selector_width(select(tokens, tokens, ==) and select(indices, indices, <));",
            lengths,
            |length| length / 2 + 5,
        ),
        (
            "x = aggregate(select(tokens, tokens, ==) and select(indices, indices, <=), indices % 2);",
            &[6, 7, 9, 11, 16],
            |length| length / 2 + 5,
        ),
        (&of_numbers, &[8], |_| 7),
    ];
    let letters = "abcdefghijklmnopqrstuvwxyz";
    let mut problems = Vec::new();
    for (text, lengths, most) in programs {
        for max_length in lengths.iter().copied() {
            let mut session = Session::new(Sharing::Equal);
            session.load_text("test", text);
            let sop = session.sop("x").unwrap_or_else(|error| panic!("{error}"));
            let setting = Setting {
                vocabulary: Value::characters(&letters[..max_length.min(26)]),
                max_length,
                causal: false,
            };
            let budget = Budget {
                length: max_length,
                exhaustive: 0,
                samples: 6,
                seen: 6,
                ..QUICK
            };
            let graph = session.graph();
            let found = check_in(graph, sop, &setting, Style::Faithful, budget).into_iter();
            problems.extend(found.map(|it| format!("{max_length}, {text}: {it}")));
            let request = Style::Faithful.into();
            let compiled = compile_in(&request, graph, &[sop], &setting, &Limits::default());
            let compiled = compiled.unwrap_or_else(|error| panic!("{error}"));
            let plan = compiled.plan();
            let dimensions = plan.d_head(&plan.attends[0]);
            if max_length >= 8 && dimensions > most(max_length) {
                problems.push(format!("{max_length}, {text}: {dimensions} dimensions"));
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}
