//! How large numbers at BOS are. The query of BOS sees tokens in the last heads, where nobody else reads what it
//! sees; and what stands in a direction of which another variable has been may be anything there. So this goes
//! through the layers with the least and the greatest number of each direction. Depends on the plan alone.

use crate::plan::{Attend, FeedForward, Linear, Plan, VariableId, ascending, outputs};

/// The largest number of the residual stream at BOS, and of what hidden units add up there.
pub(super) fn largest(plan: &Plan) -> f64 {
    let (directions, width) = plan.directions();
    let mut at_bos = AtBos {
        plan,
        directions,
        stream: vec![(0.0, 0.0); width],
        largest: 0.0,
    };
    for number in 0..plan.variables.len() {
        let id = VariableId(number as u32);
        at_bos.add(id, (plan.embedded_at_bos(id), plan.embedded_at_bos(id)));
    }
    for layer in 1..=plan.layers() {
        at_bos.note();
        let attends = plan.attends.iter().filter(|op| op.layer == layer);
        attends.for_each(|attend| at_bos.attend(attend));
        at_bos.note();
        let forwards = plan.feed_forwards.iter().filter(|op| op.layer == layer);
        // All read what stands there before any writes.
        let written: Vec<_> = forwards
            .map(|forward| (forward.into, at_bos.computed(forward)))
            .collect();
        written
            .into_iter()
            .for_each(|(into, range)| at_bos.add(into, range));
    }
    at_bos.note();
    at_bos.largest
}

struct AtBos<'p> {
    plan: &'p Plan,
    directions: Vec<usize>,
    /// The least and the greatest number in each direction.
    stream: Vec<(f64, f64)>,
    largest: f64,
}

impl AtBos<'_> {
    fn note(&mut self) {
        let sizes = self
            .stream
            .iter()
            .map(|(low, high)| low.abs().max(high.abs()));
        self.largest = sizes.fold(self.largest, f64::max);
    }

    fn add(&mut self, into: VariableId, (low, high): (f64, f64)) {
        let held = &mut self.stream[self.directions[into.0 as usize]];
        *held = (held.0 + low, held.1 + high);
    }

    fn attend(&mut self, attend: &Attend) {
        let at_itself = self.plan.at_bos(&attend.value);
        let range = match self.plan.causal || self.plan.is_read_at_bos(attend) {
            true => (at_itself, at_itself),
            false => {
                let most = self.plan.largest(&attend.value);
                (-most, most)
            }
        };
        self.add(attend.into, range);
    }

    /// What hidden units write; notes what they hold.
    fn computed(&mut self, forward: &FeedForward) -> (f64, f64) {
        let (low, high) = self.range(&forward.argument);
        for unit in &forward.units {
            let at = |z: f64| (unit.slope * z + unit.offset).abs();
            let most = at(low).max(at(high));
            // As it is in the weights, it may be less.
            if most > self.largest {
                let held = most / self.plan.balance_of_unit(forward, unit);
                self.largest = self.largest.max(held);
            }
        }
        let bends = forward.units.iter().map(|unit| -unit.offset / unit.slope);
        let turns = bends.filter(|z| (low..high).contains(z));
        let turns = ascending(turns.chain([low, high]).collect());
        let given = outputs(&forward.units, &turns);
        given.into_iter().fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(least, most), given| (least.min(given), most.max(given)),
        )
    }

    fn range(&self, linear: &Linear) -> (f64, f64) {
        let constant = (linear.constant, linear.constant);
        linear
            .terms
            .iter()
            .fold(constant, |(low, high), (id, factor)| {
                let held = self.stream[self.directions[id.0 as usize]];
                let ends = (factor * held.0, factor * held.1);
                (low + ends.0.min(ends.1), high + ends.0.max(ends.1))
            })
    }
}
