//! Holds the interpreter against a naive evaluator on random programs and inputs.
//! `PROPTEST_CASES=100000 cargo test --release --test interpret` for a long run.

mod cost;
mod naive;
use crate::common::property;
mod random;
mod scores;

use naive::Naive;
use proptest::prelude::*;
use random::Program;
use rasp::base::{Diagnostic, Limits};
use rasp::graph::Sharing;
use rasp::inside::interpret::{
    Explanation, Failed, Generation, evaluate, evaluate_many, evaluate_selector, explain,
};
use rasp::session::Session;
use rasp::value::{Op, Value};

/// The same value of the same type, floats bit by bit (but one NaN is as good as another).
fn same(a: &Value, b: &Value) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

fn check_sops(program: &Program, input: &[Value]) {
    let mut naive = Naive::new(&program.graph, input);
    for id in &program.sops {
        let expected = naive.evaluate(*id);
        let actual = evaluate(&program.graph, *id, input);
        let actual = actual.map_err(|failed| Diagnostic::from(failed.in_graph(&program.graph)));
        let shown = || program.graph.expression(*id);
        match (expected, actual) {
            (Ok((values, sequence_type)), Ok(sequence)) => {
                let equal = values.len() == sequence.values.len()
                    && values.iter().zip(&sequence.values).all(|(a, b)| same(a, b));
                assert!(
                    equal,
                    "{}\non {input:?}\nnaive {values:?}\nfast  {:?}",
                    shown(),
                    sequence.values
                );
                assert_eq!(sequence_type, sequence.sequence_type, "{}", shown());
            }
            (Err(fault), Err(diagnostic)) => {
                assert_eq!(fault.code, diagnostic.code, "{} on {input:?}", shown());
                assert_eq!(
                    fault.message,
                    diagnostic.message,
                    "{} on {input:?}",
                    shown()
                );
            }
            (Ok((values, _)), Err(diagnostic)) => {
                panic!(
                    "{} on {input:?}\nnaive {values:?}\nfast fails: {diagnostic}",
                    shown()
                )
            }
            (Err(fault), Ok(sequence)) => {
                panic!(
                    "{} on {input:?}\nnaive fails {fault:?}\nfast {sequence}",
                    shown()
                )
            }
        }
    }
}

/// Long enough for trees of several levels and for groups found by hashing.
#[test]
fn long_inputs_mean_what_the_naive_evaluator_says() {
    use random::{Choice, Recipe};
    use rasp::value::Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    use scores::{Function, Score};
    let compare = |comparison, keys, queries| Choice::Compare(comparison, keys, queries);
    let and = |a: &Choice, b: &Choice| Choice::And(Box::new(a.clone()), Box::new(b.clone()));
    let or = |a: &Choice, b: &Choice| Choice::Or(Box::new(a.clone()), Box::new(b.clone()));
    let ints = (0..540_i64).map(|at| at * at * 7919 % 1009);
    // Ranks are found in different ways for ints close together, far apart, and for floats.
    let near: Vec<Value> = ints.clone().map(Value::Int).collect();
    let far: Vec<Value> = ints
        .clone()
        .map(|int| Value::Int((int - 500) * 1_000_003))
        .collect();
    let floats: Vec<Value> = ints
        .map(|int| Value::Float((int - 500) as f64 / 7.0))
        .collect();
    // The s-ops to pick from are tokens (0), indices (1), and these from 2 on.
    let mut recipes = vec![
        Recipe::Constant(Value::Int(50)),
        Recipe::Constant(Value::Float(0.1)),
        Recipe::Binary(Op::Remainder, 0, 2),
        Recipe::Binary(Op::Multiply, 1, 3),
    ];
    let orders = [Less, LessEqual, Greater, GreaterEqual];
    for (number, a) in orders.into_iter().enumerate() {
        let b = orders[(number + 1) % 4];
        let (values, places) = (compare(a, 0, 0), compare(b, 1, 1));
        let crossed = and(&compare(a, 0, 1), &compare(b, 1, 0));
        let grouped = and(&compare(Equal, 4, 4), &and(&values, &places));
        let hashed = and(&and(&compare(Equal, 0, 0), &compare(Equal, 1, 1)), &values);
        let either = or(&and(&values, &places), &compare(NotEqual, 0, 1));
        for choice in [and(&values, &places), crossed, grouped, hashed, either] {
            recipes.push(Recipe::Width(choice.clone()));
            recipes.push(Recipe::Aggregate(choice.clone(), 1, Value::Int(-1)));
            recipes.push(Recipe::Aggregate(choice, 5, Value::Int(-1)));
        }
    }
    // Scores pair by pair, in blocks and queries side by side; of floats they are none.
    let indices = 1;
    let decaying = |base| Score::OfSum(Function::Decay(base), indices, indices, -1);
    let mut scored = recipes.clone();
    for score in [decaying(1.5), decaying(0.5), decaying(1e80)] {
        scored.push(Recipe::WeightedMean(score, 0, Value::Int(-1)));
        scored.push(Recipe::WeightedMean(decaying(2.0), 1, Value::Int(-1)));
    }
    let product = |keys_alone| Score::One(Op::Multiply, 1, 1, keys_alone);
    let rest = Score::One(Op::Remainder, 0, 2, true);
    scored.push(Recipe::WeightedMean(product(false), 1, Value::Int(-1)));
    scored.push(Recipe::WeightedMean(rest.clone(), 1, Value::Int(-1)));
    scored.push(Recipe::Width(Choice::Predicate(rest)));
    scored.push(Recipe::Width(Choice::Predicate(product(false))));
    for input in [&near, &far, &floats] {
        check_sops(&Program::build(input, &scored), input);
    }
}

/// From 2⁵³ on floats no longer tell neighbouring ints apart: 2⁵³ + 1 is rounded to 2⁵³.
#[test]
fn distances_that_floats_do_not_tell_apart_are_compared_as_ints() {
    use random::{Choice, Recipe};
    use scores::{Function, Score};
    let input: Vec<Value> = (0..5).map(Value::Int).collect();
    for far in -3..=3 {
        for lowest in [true, false] {
            let all = Choice::Compare(rasp::value::Comparison::Equal, 2, 2);
            let distance = Score::OfSum(Function::Distance(lowest), 1, 2, -1);
            let recipes = [
                Recipe::Constant(Value::Int((1 << 53) + far)),
                Recipe::Aggregate(Choice::Best(Box::new(all), distance), 1, Value::Int(-1)),
            ];
            check_sops(&Program::build(&input, &recipes), &input);
        }
    }
}

#[test]
fn each_aggregate_is_explained() {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(
        "program.rasp",
        "sorted = sort(tokens_int, tokens_int);
         inside = selector_width(select(tokens_int, tokens_int, <) and select(indices, indices, >)
                                 and not select(tokens_int, 3, ==));
         three = selector_width(select(tokens_int, tokens_int, <) and select(indices, indices, >)
                                and select(tokens_int, indices, <));
         before = select(indices, indices, <);
         last = aggregate(select_best(before, score(indices, tokens_int, lambda k, q: k)), indices);
         near = aggregate(select_best(before, score(indices, tokens_int, lambda k, q: k * q)), indices);
         mean = aggregate(score(indices, tokens_int, lambda k, q: k + q), indices);",
    );
    let input = [3, 1, 2, 1].map(Value::Int);
    let mut explained = |name: &str| -> Vec<String> {
        let sop = session.sop(name).expect("an s-op");
        let parts = explain(session.graph(), sop, &input).expect("it runs");
        let text = |part: Explanation| format!("{}: {}", part.cost, part.steps.join(" | "));
        parts.into_iter().map(text).collect()
    };
    insta::assert_snapshot!(explained("sorted").join("\n"), @"
    O(n): + running sums along sorted keys by tokens_int < tokens_int | + groups by tokens_int == tokens_int; running sums along positions by indices < indices
    O(n): + groups by pos == indices
    ");
    insta::assert_snapshot!(explained("inside").join("\n"), @"O(n log n): + keys filtered by tokens_int != 3; dominance counting, digit by digit, by tokens_int < tokens_int and indices > indices");
    insta::assert_snapshot!(explained("three").join("\n"), @"O(n log n): + dominance counting, digit by digit, by tokens_int < tokens_int and tokens_int < indices and indices > indices");
    insta::assert_snapshot!(explained("last").join("\n"), @"O(n): + running sums along positions by indices < indices | the best of these: a maximum, as the score depends on the key alone");
    insta::assert_snapshot!(explained("near").join("\n"), @"O(n²): + running sums along positions by indices < indices | the best of these: one key after the other, as no one order of the keys serves all queries");
    insta::assert_snapshot!(explained("mean").join("\n"), @"O(n × 4): keys weighed from left to right, by a table over sums of key and query, of which 4 at most have a weight");
}

/// Long enough that three orders are divided and conquered, and four are rows of bits.
#[test]
fn many_orders_count_the_pairs_that_they_say() {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(
        "program.rasp",
        "a = tokens_int; b = tokens_int * 7919 % 1009; c = tokens_int * 104729 % 4001;
         three = select(a, a, <) and select(b, b, >=) and select(c, c, <=);
         inside = selector_width(three);
         grouped = selector_width(three and select(indices % 3, indices % 3, ==));
         mean = aggregate(three, indices, -1);
         last = aggregate(select_best(three, score(indices, indices, lambda k, q: k)), indices, -1);
         four = selector_width(three and select(indices, indices, <));",
    );
    let ints: Vec<i64> = (0..6_000).map(|at| at * at * 31 % 5_003).collect();
    let columns: Vec<[i64; 3]> = ints
        .iter()
        .map(|int| [*int, int * 7919 % 1009, int * 104_729 % 4001])
        .collect();
    let selects = |k: &[i64; 3], q: &[i64; 3]| k[0] < q[0] && k[1] >= q[1] && k[2] <= q[2];
    let mut expected: [Vec<Value>; 5] = Default::default();
    for (at, query) in columns.iter().enumerate() {
        let (mut count, mut grouped, mut sum, mut last, mut four) = (0, 0, 0, -1, 0);
        for (key, _) in columns
            .iter()
            .enumerate()
            .filter(|(_, held)| selects(held, query))
        {
            count += 1;
            grouped += i64::from(key % 3 == at % 3);
            sum += key as i64;
            last = key as i64;
            four += i64::from(key < at);
        }
        let mean = match count {
            0 => Value::Int(-1),
            1 => Value::Int(sum),
            several => Value::Float(sum as f64 / several as f64),
        };
        let values = [
            Value::Int(count),
            Value::Int(grouped),
            mean,
            Value::Int(last),
            Value::Int(four),
        ];
        for (column, value) in expected.iter_mut().zip(values) {
            column.push(value);
        }
    }
    let input: Vec<Value> = ints.into_iter().map(Value::Int).collect();
    for (name, expected) in ["inside", "grouped", "mean", "last", "four"]
        .into_iter()
        .zip(expected)
    {
        let sop = session.sop(name).expect("an s-op");
        let found = evaluate(session.graph(), sop, &input).expect("it runs");
        assert!(found.values == expected, "{name}");
    }
}

/// Generates tokens and, for each, evaluates the whole s-op anew.
fn check_generation(program: &Program, prompt: &[Value]) {
    for id in program.sops.iter().rev().take(3) {
        let mut input = prompt.to_vec();
        let mut generation = Generation::new(&program.graph, *id, prompt);
        for _ in 0..8 {
            let shown = program.graph.expression(*id);
            let told = |failed: Box<Failed>| Diagnostic::from(failed.in_graph(&program.graph));
            let whole = evaluate(&program.graph, *id, &input).map_err(told);
            match (whole, generation.step().map_err(told)) {
                (Ok(sequence), Ok(token)) => {
                    let last = sequence.values.last().expect("one for each token");
                    assert!(
                        same(last, &token),
                        "{shown} on {input:?}: {last:?}, {token:?}"
                    );
                    input.push(token);
                }
                (Err(whole), Err(step)) => {
                    assert_eq!(whole, step, "{shown} on {input:?}");
                    break;
                }
                (whole, step) => panic!("{shown} on {input:?}\n{whole:?}\n{step:?}"),
            }
        }
    }
}

/// The ways in which the preprint of the paper writes programs.
#[test]
fn the_sugar_of_the_preprint_means_what_it_says() {
    let program = r#"
all = select((), (), lambda: True);
assert aggregate(all, indices)("abc") == [1] * 3;
up_to_here = select(indices, indices, <=);
assert aggregate(up_to_here, tokens, lambda t: 1 if t == "a" else 0)("aba") == [1, 1 / 2, 2 / 3];
assert aggregate(select(indices, 7, ==), tokens, lambda t: t + "!", "-")("ab") == "--";
here = select(indices, indices, ==);
assert aggregate(here, (tokens, indices), lambda t, i: t * (i + 1))("ab") == ["a", "bb"];
both = aggregate(here, (tokens, indices), lambda t, i: (t, i + 1));
assert both[0]("ab") == "ab" and both[1]("ab") == [1, 2];
pair = zipmap((tokens, indices));
assert len(pair) == 2 and pair[1]("ab") == [0, 1];
assert int(indices / 2)("abcd") == [0, 0, 1, 1];
assert float(indices)("ab") == [0.0, 1.0];
assert str(indices)("ab") == "01";
assert exp(indices - 1)("abc") == [2.718281828459045 ^ -1, 1, 2.718281828459045];
assert int("7") == 7;
first = lambda x, *rest: x;
assert first(*["a", "b"], 3) == "a" and first(*{"k": 1}) == "k";
def width(*seqs) { return len(seqs); }
assert [width(), width(tokens), width(*tokens, *(tokens, indices))] == [0, 1, 3];
def count_conditioned(me, other, f) { return selector_width(select(other, me, f)); }
assert count_conditioned(tokens, tokens, lambda *xs: xs[0] == xs[1])("aab") == [2, 2, 1];
assert count_conditioned((tokens, indices), (tokens, indices), lambda *xs: xs[1] < xs[-1])("abc")
    == [0, 1, 2];
weighted = aggregate(score(indices, indices, lambda k, q: exp(k * 0) if k <= q else 0), indices);
assert weighted("abc") == [0, 1 / 2, 1];
assert score(tokens, indices, lambda k, q: q if k == "a" else -q)("ab") == [[0, 0], [1, -1]];
"#;
    let mut session = Session::new(Sharing::Equal);
    session.load_text("program.rasp", program);
    assert_eq!(session.take_diagnostics(), []);
    for wrong in [
        "aggregate(full_s, indices, 0, 1);",
        "aggregate(full_s, indices, lambda i: i, 0, 1);",
        "int([1]);",
        "exp(tokens);",
    ] {
        session.load_text("wrong.rasp", wrong);
        assert_eq!(session.take_diagnostics().len(), 1, "{wrong}");
    }
}

#[test]
fn what_selects_no_later_key_is_causal() {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(
        "program.rasp",
        r#"load "tracr"; load "hist"; load "induction";"#,
    );
    let mut causal = |text: &str| {
        let sop = session.sop(text).expect("an s-op");
        session.graph().is_causal(sop)
    };
    for text in [
        "tokens_int + indices",
        "selector_width(select(indices, indices, <=) and select(tokens, tokens, ==))",
        "aggregate(select(indices, indices - 1, ==), tokens)",
        "aggregate(not select(indices, indices, >), indices)",
        "selector_width(select(indices + 2, indices, <) or select(indices, indices, ==))",
        "aggregate(select(indices, indices, <), selector_width(select(indices, indices, <)))",
        "aggregate(select_best(select(indices, indices, <),
                               score(tokens, tokens, lambda k, q: k < q)), indices)",
    ] {
        assert!(causal(text), "{text}");
    }
    for text in [
        "length",
        "hist(tokens)",
        "aggregate(select(indices, indices + 1, ==), tokens)",
        "aggregate(not select(indices, indices, <=), indices)",
        "selector_width(select(indices - 1, indices, <=))",
        "selector_width(select(indices, indices, <) or select(tokens, tokens, ==))",
        "aggregate(select(indices, indices, <), length)",
        "aggregate(select_best(select(tokens, tokens, ==), score(indices, indices, lambda k, q: k))
                   and select(indices, indices, <), indices)",
    ] {
        assert!(!causal(text), "{text}");
    }
}

/// On the parts of one input, and on all of another, which may be of other types.
fn check_many(program: &Program, (first, second): (&[Value], &[Value]), length: usize) {
    let parts = first.chunks(length).chain([second, first]);
    let inputs: Vec<Vec<Value>> = parts.map(<[Value]>::to_vec).collect();
    let all = evaluate_many(&program.graph, &program.sops, &inputs).unwrap();
    for (at, id) in program.sops.iter().enumerate() {
        // Where others fail they are evaluated apart, so each is asked for alone, too.
        let of_one = evaluate_many(&program.graph, &[*id], &inputs).unwrap();
        for ((input, of_all), of_one) in inputs.iter().zip(&all).zip(of_one) {
            let alone = evaluate(&program.graph, *id, input).ok();
            for found in [&of_all[at], &of_one[0]] {
                let equal = match (&alone, found) {
                    (Some(alone), Ok(found)) => {
                        let mut pairs = alone.values.iter().zip(found);
                        alone.values.len() == found.len() && pairs.all(|(a, b)| same(a, b))
                    }
                    (alone, found) => alone.is_none() && found.is_err(),
                };
                let shown = program.graph.expression(*id);
                assert!(
                    equal,
                    "{shown} on {input:?}\nalone {alone:?}\nmany  {found:?}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(property::property(2000))]

    #[test]
    fn random_programs_mean_what_the_naive_evaluator_says(
        input in random::input(),
        recipes in random::recipes(),
    ) {
        check_sops(&Program::build(&input, &recipes), &input);
    }

    #[test]
    fn random_selectors_select_what_the_naive_evaluator_says(
        input in random::input(),
        recipes in random::recipes(),
        choice in random::choice(),
    ) {
        let mut program = Program::build(&input, &recipes);
        let selector = program.choose(&choice);
        let expected = Naive::new(&program.graph, &input).matrix(selector);
        let actual = evaluate_selector(&program.graph, selector, &input, &Limits::default());
        let actual = actual.map_err(|failed| Diagnostic::from(failed.in_graph(&program.graph)));
        match (expected, actual) {
            (Ok(expected), Ok(actual)) => prop_assert_eq!(expected, actual),
            (Err(fault), Err(diagnostic)) => prop_assert_eq!(fault.code, diagnostic.code),
            (expected, actual) => panic!("naive {expected:?}\nfast {actual:?}"),
        }
    }

    #[test]
    fn generation_is_what_evaluating_anew_gives(
        input in random::input(),
        recipes in random::recipes(),
        causal in any::<bool>(),
    ) {
        let program = match causal {
            true => Program::build_causal(&input, &recipes),
            false => Program::build(&input, &recipes),
        };
        check_generation(&program, &input);
    }
}

proptest! {
    // Every s-op of a program is evaluated on every input, three times.
    #![proptest_config(property::property(600))]

    #[test]
    fn many_inputs_are_evaluated_as_one_by_one(
        first in random::input(),
        second in random::input(),
        length in 1..=9_usize,
        recipes in random::recipes(),
    ) {
        check_many(&Program::build(&first, &recipes), (&first, &second), length);
    }
}

proptest! {
    #![proptest_config(property::property(100))]

    /// Long enough to be computed block by block, the last of them different.
    #[test]
    fn long_chains_mean_what_the_naive_evaluator_says(
        most in random::input(),
        last in random::input(),
        recipes in random::chains(),
    ) {
        let input: Vec<Value> = most.iter().cycle().take(9_000).chain(&last).cloned().collect();
        check_sops(&Program::build(&input, &recipes), &input);
    }
}

/// Long enough for sorted runs to be merged several times.
#[test]
fn long_generation_is_evaluation() {
    let programs = [
        // Counts, copies, the latest key, orders on values, a window, means of ints.
        "x = selector_width(select(tokens, tokens, ==) and select(indices, indices, <)) % 5;",
        r#"seen = select(tokens, tokens, ==) and select(indices, indices, <);
           latest = select_best(seen, score(indices, indices, lambda k, q: k));
           x = (aggregate(latest, indices, -1) * 7 + 3) % 6;"#,
        r#"small = select(tokens_int, tokens_int, <) and select(indices, indices, <=);
           x = (selector_width(small) * 3 + indices) % 7;"#,
        r#"window = select(indices, indices, <=) and select(indices, indices - 4, >);
           x = round(aggregate(window, tokens_int) * 5 + indices) % 9;"#,
        r#"near = select(tokens_int, tokens_int - 2, >=) and select(tokens_int, tokens_int + 1, <=)
               and select(indices, indices, <);
           x = (selector_width(near) + round(aggregate(near, indices, 2))) % 8;"#,
        r#"best = select_best(select(tokens_int, tokens_int, <=) and select(indices, indices, <=),
               score(tokens_int, tokens, lambda k, q: k % 4));
           x = (aggregate(best, indices) + indices) % 5;"#,
        // Causal as it turns out: each finds what came after its last occurrence.
        r#"occurrence = selector_width(select(tokens, tokens, ==) and select(indices, indices, <=));
           after = select(shift(tokens, 1, "?"), tokens, ==)
               and select(shift(occurrence, 1, -1), occurrence - 1, ==);
           x = (aggregate(after, indices, 3) + indices) % 5;"#,
        // Not causal, now and then or always.
        r#"rare = aggregate(select(tokens_int, indices, ==), indices, -1);
           x = (rare + 2 * indices + 7) % 11;"#,
        "x = (selector_width(select(tokens, tokens, ==)) + length) % 7;",
        "x = round(aggregate(select(tokens_int, indices, >), indices, 0)) % 3 + indices % 4;",
        // Floats, conditions that exclude, disjunctions: looked at one by one.
        r#"x = round(aggregate(select(indices, indices, <=), tokens_int / 3) * 7) % 6;"#,
        r#"x = selector_width(select(tokens, tokens, !=) and select(indices, indices, <)) % 4;"#,
        r#"x = selector_width(select(indices, indices, <)
               and (select(tokens, "1", ==) or select(tokens, tokens, ==))) % 4;"#,
    ];
    for program in programs {
        let mut session = Session::new(Sharing::Equal);
        session.load_text("program.rasp", &format!("{program} next = str(x);"));
        assert_eq!(session.take_diagnostics(), [], "{program}");
        let next = session.sop("next").unwrap();
        let mut input: Vec<Value> = Value::characters("3142");
        let mut generation = Generation::new(session.graph(), next, &input);
        for _ in 0..70 {
            let whole = session.evaluate(next, &input).unwrap();
            let token = generation.step().unwrap();
            assert_eq!(Some(&token), whole.values.last(), "{program} on {input:?}");
            input.push(token);
        }
    }
}
