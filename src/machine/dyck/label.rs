//! Labels for every prefix in three layers of one head: Yao et al. 2021, Corollary B.2, made explicit.
//! Layer 1 counts the level, layer 2 finds what a closing bracket closes, layer 3 remembers the first
//! mistake. Depends on `level`.

use super::Dyck;
use super::level::Exact;
use super::network::{Draft, largest};
use super::stream::Parts;
use crate::machine::form::Form;
use crate::model::{Mask, Variable};
use crate::value::Value;

pub(super) fn labels(dyck: &Dyck) -> Parts {
    let mut exact = Exact::new(dyck);
    let rows = &mut exact.levels.brackets.rows;
    let wrong = rows.row("wrong here");
    let broken = rows.row("wrong up to here");
    let d_model = rows.labels.len();
    let depth = dyck.most_depth();
    let row = Form::row;

    // Below level 1, or above the highest.
    let mut first = Draft::new(d_model, dyck.attention);
    exact.levels.mean(&mut first);
    first.constant(1.0, wrong);
    exact.levels.count(dyck, depth + 2, &mut first, |count| {
        let mut writes = exact.steps(count);
        if count == 1.0 {
            writes.push((wrong, -1.0));
        } else if count == (depth + 2) as f64 {
            writes.push((wrong, 1.0));
        }
        writes
    });

    // A closing bracket stands on the level below the one that it closes. It is wrong, unless that
    // is one of its type.
    let mut second = Draft::new(d_model, dyck.attention);
    let closes = exact.levels.brackets.closes;
    exact.find(
        dyck,
        "the bracket to close",
        &mut second,
        row(exact.level) + row(closes),
    );
    second.unit(row(closes), &[(wrong, 1.0)]);
    let kind = exact.levels.brackets.kind.clone();
    let difference = Form::number(kind) - Form::number(exact.levels.top.clone());
    let gate = Form::constant(1.0) - row(closes) + row(exact.levels.empty);
    second.if_zero(difference, (gate, dyck.above_types()), -1.0, wrong);

    let mut third = Draft::new(d_model, dyck.attention);
    let score = vec![(Form::constant(1.0), row(wrong))];
    third.head(
        "something wrong",
        Mask::All,
        score,
        vec![(row(wrong), broken)],
    );

    let numbers = (0..=depth as i64 + 2).map(Value::Int).collect();
    let level = Variable {
        name: "depth + 1".to_string(),
        ready: 2,
        readout: super::network::number(d_model, row(exact.level), numbers),
    };
    let readout = largest(
        d_model,
        [
            (Value::str("P"), Form::default()),
            (Value::str("T"), Form::constant(1.5) - row(exact.level)),
            (Value::str("F"), row(broken) * 4.0 + -1.0),
        ],
    );
    Parts {
        causal: true,
        layers: [first, second, third].map(Draft::layer).into(),
        variables: vec![level],
        brackets: exact.levels.brackets,
        readout,
    }
}
