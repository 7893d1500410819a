//! What `--explain-cost` says of the programs of the bench, beside the pairs that are counted while
//! they are evaluated.

#[path = "../../benches/interpret/inputs.rs"]
mod inputs;
#[path = "../../benches/interpret/kinds.rs"]
mod kinds;
#[path = "../../benches/interpret/programs.rs"]
#[allow(dead_code, reason = "the bench has more programs")]
mod programs;

use programs::Bound;
use rasp::graph::Sharing;
use rasp::inside::interpret::{evaluate, explain};
use rasp::session::Session;

#[test]
fn what_is_said_is_what_is_done() {
    let mut with_pairs = 0;
    for program in programs::kinds() {
        let name = program.name;
        let mut session = Session::new(Sharing::Equal);
        session.load_text(name, &program.text);
        let sop = session.sop("answer").unwrap();
        let input = inputs::input(program.input, 600);
        let counted = |work: &mut dyn FnMut()| {
            let before = session.control().pairs();
            work();
            session.control().pairs() - before
        };
        let counted = counted(&mut || {
            evaluate(session.graph(), sop, &input).unwrap();
        });
        let explained = explain(session.graph(), sop, &input).unwrap();
        let said: u64 = explained.iter().map(|explanation| explanation.pairs).sum();
        assert_eq!(said, counted, "{name}: {explained:?}");
        let by_pairs =
            |cost: &str| cost.contains('×') || cost.contains('²') && !cost.contains("log");
        for explanation in &explained {
            let cost = explanation.cost.replace("log² n", "log n");
            assert_eq!(
                by_pairs(&cost),
                explanation.pairs > 0,
                "{name}: {explained:?}"
            );
        }
        if matches!(program.bound, Bound::Stated(_)) {
            assert!(counted > 0, "{name} looks at pairs, as the bench says");
        }
        with_pairs += usize::from(counted > 0);
    }
    assert!(with_pairs >= 3, "four orders, opaque predicates and scores");
}
