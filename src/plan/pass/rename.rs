//! Changing what the readers of variables read. Taking variables out of a plan: readers of one read
//! another instead, and the rest are numbered anew. Variables in another order.

use crate::plan::{Linear, Plan, Read, VariableId};

impl Plan {
    /// Has readers of each variable read the one that takes its place; a variable with none goes,
    /// with what writes it and with the views of it. Nobody else may read it.
    pub(super) fn rename(&mut self, places: &[Option<VariableId>]) {
        let stays = |id: VariableId| places[id.0 as usize] == Some(id);
        let mut next = 0;
        let numbers: Vec<Option<VariableId>> = (0..places.len() as u32)
            .map(|at| {
                stays(VariableId(at)).then(|| {
                    next += 1;
                    VariableId(next - 1)
                })
            })
            .collect();
        let named: Vec<Option<VariableId>> = places
            .iter()
            .map(|place| place.and_then(|place| numbers[place.0 as usize]))
            .collect();
        let mut at = 0;
        self.variables.retain(|_| {
            at += 1;
            numbers[at - 1].is_some()
        });
        self.attends.retain(|op| stays(op.into));
        self.feed_forwards.retain(|op| stays(op.into));
        self.views
            .retain(|view| view.reads().all(|id| named[id.0 as usize].is_some()));
        self.renumber(&named);
        self.score_again();
    }

    /// Has readouts score what they read now.
    pub(super) fn score_again(&mut self) {
        let one = self.one_of_biases();
        for read_out in self.outputs.iter_mut().chain(&mut self.views) {
            if let Some(scores) = read_out.read.scores(one) {
                read_out.scores = scores;
            }
        }
    }

    /// Takes out the variables that are not to stay, which nobody who stays reads.
    pub(super) fn keep(&mut self, stays: impl Fn(VariableId) -> bool) {
        let places = self.ids().map(|id| stays(id).then_some(id));
        self.rename(&Vec::from_iter(places));
    }

    /// Has the variables in another order: these are the places where they stand.
    pub(super) fn reorder(&mut self, places: &[usize]) {
        let mut numbers = vec![None; places.len()];
        for (number, place) in (0..).zip(places) {
            numbers[*place] = Some(VariableId(number));
        }
        self.variables = places
            .iter()
            .map(|at| self.variables[*at].clone())
            .collect();
        self.renumber(&numbers);
    }

    /// Has operations write and read variables of other numbers.
    fn renumber(&mut self, numbers: &[Option<VariableId>]) {
        let number = |id: &mut VariableId| *id = numbers[id.0 as usize].unwrap_or(*id);
        self.attends.iter_mut().for_each(|op| number(&mut op.into));
        let forwards = self.feed_forwards.iter_mut();
        forwards.for_each(|op| number(&mut op.into));
        for (late, early) in &mut self.shared {
            number(late);
            number(early);
        }
        self.change_reads(|linear| rename(linear, numbers));
    }

    /// Changes every linear read of variables.
    pub(super) fn change_reads(&mut self, mut change: impl FnMut(&mut Linear)) {
        for op in &mut self.attends {
            change(&mut op.value);
            for product in op.terms.iter_mut().flat_map(|term| &mut term.products) {
                change(&mut product.query);
                change(&mut product.key);
            }
        }
        for op in &mut self.feed_forwards {
            change(&mut op.argument);
        }
        for read_out in self.outputs.iter_mut().chain(&mut self.views) {
            read_out.scores.iter_mut().for_each(&mut change);
            match &mut read_out.read {
                Read::Nearest(_) => {}
                Read::Classes(number, _) => change(number),
                Read::Ratio {
                    numerator,
                    denominator,
                    ..
                } => {
                    change(numerator);
                    change(denominator);
                }
            }
        }
    }
}

fn rename(linear: &mut Linear, named: &[Option<VariableId>]) {
    let mut renamed = Linear::constant(linear.constant);
    for (id, factor) in &linear.terms {
        let Some(id) = named[id.0 as usize] else {
            unreachable!("what is taken out is not read");
        };
        renamed = renamed.plus(id, *factor);
    }
    *linear = renamed;
}
