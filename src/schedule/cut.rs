//! The fewest residual directions that can be alive at one state: a minimum cut between what every schedule
//! has computed by then and what none has. Depends on `instance` only.

use super::instance::Instance;
use std::collections::VecDeque;

/// The node of what is computed by the state in any case, and of what is not.
const BEFORE: usize = 0;
const AFTER: usize = 1;

/// What every schedule with the fewest layers has alive at this state. What is computed by then, with all that
/// it reads, is one side of the cut, and a value of this side costs its directions if any reader is on the
/// other. Other values that are alive at their birth only are left out.
pub(super) fn narrowest(instance: &Instance, state: usize) -> usize {
    let values = &instance.problem.values;
    let all: usize = values.iter().map(|value| value.dims).sum();
    let mut network = Network::new(2 + values.len());
    let node = |value: usize| match is_born(instance, value, state) {
        Some(true) => BEFORE,
        Some(false) => AFTER,
        None => 2 + value,
    };
    for (index, value) in values.iter().enumerate() {
        for operand in &instance.operands[index] {
            let (reader, operand) = (node(index), node(*operand));
            if reader != AFTER && operand != BEFORE {
                network.connect(reader, operand, all);
            }
        }
        let readers = instance.readers[index].iter().map(|reader| node(*reader));
        let mut readers: Vec<usize> = readers.collect();
        if instance.is_output[index] {
            readers.push(AFTER);
        }
        let is_waited_for = readers.iter().any(|reader| *reader != BEFORE);
        if value.dims > 0 && is_waited_for {
            let alive = network.node();
            network.connect(node(index), alive, value.dims);
            for reader in readers {
                network.connect(alive, reader, all);
            }
        }
    }
    network.flow()
}

/// Whether a value is computed by a state in every schedule, or in none.
fn is_born(instance: &Instance, value: usize, state: usize) -> Option<bool> {
    match instance.kind(value).layer_by(state) {
        layer if layer < instance.earliest[value] => Some(false),
        layer if layer >= instance.latest[value] => Some(true),
        _ => None,
    }
}

/// Arcs with what they can still carry, each beside its reverse: arc `a` and arc `a ^ 1`.
struct Network {
    arcs: Vec<Arc>,
    /// The arcs that leave each node.
    leaving: Vec<Vec<usize>>,
}

struct Arc {
    to: usize,
    left: usize,
}

impl Network {
    fn new(nodes: usize) -> Network {
        Network {
            arcs: Vec::new(),
            leaving: vec![Vec::new(); nodes],
        }
    }

    fn node(&mut self) -> usize {
        self.leaving.push(Vec::new());
        self.leaving.len() - 1
    }

    fn connect(&mut self, from: usize, to: usize, capacity: usize) {
        for (from, to, left) in [(from, to, capacity), (to, from, 0)] {
            self.leaving[from].push(self.arcs.len());
            self.arcs.push(Arc { to, left });
        }
    }

    /// The largest flow, which is the smallest cut (Dinitz 1970): along shortest paths, as long as there are any.
    fn flow(&mut self) -> usize {
        let mut flow = 0;
        while let Some(distance) = self.distances() {
            let mut next = vec![0; self.leaving.len()];
            while let Some(path) = self.path(&distance, &mut next) {
                let left = path.iter().map(|arc| self.arcs[*arc].left);
                let least = left.min().unwrap_or(0);
                for arc in path {
                    self.arcs[arc].left -= least;
                    self.arcs[arc ^ 1].left += least;
                }
                flow += least;
            }
        }
        flow
    }

    /// How many arcs each node is away; `None` if no path is left.
    fn distances(&self) -> Option<Vec<usize>> {
        let mut distance = vec![usize::MAX; self.leaving.len()];
        distance[BEFORE] = 0;
        let mut pending = VecDeque::from([BEFORE]);
        while let Some(node) = pending.pop_front() {
            for arc in self.leaving[node].iter().map(|arc| &self.arcs[*arc]) {
                if arc.left > 0 && distance[arc.to] == usize::MAX {
                    distance[arc.to] = distance[node] + 1;
                    pending.push_back(arc.to);
                }
            }
        }
        (distance[AFTER] != usize::MAX).then_some(distance)
    }

    /// A path that gets further away at each arc. The arcs of each node before `next` lead nowhere any more.
    fn path(&self, distance: &[usize], next: &mut [usize]) -> Option<Vec<usize>> {
        let mut path: Vec<usize> = Vec::new();
        let mut node = BEFORE;
        while node != AFTER {
            match self.leaving[node].get(next[node]) {
                Some(arc) => {
                    let Arc { to, left } = self.arcs[*arc];
                    if left > 0 && distance[to] == distance[node] + 1 {
                        path.push(*arc);
                        node = to;
                    } else {
                        next[node] += 1;
                    }
                }
                None => {
                    let back = path.pop()?;
                    node = self.arcs[back ^ 1].to;
                    next[node] += 1;
                }
            }
        }
        Some(path)
    }
}
