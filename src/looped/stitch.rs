//! One model of the weights of three parts: what comes before the rounds of a loop, one round, and what
//! comes after them. Each part has directions of its own; those of what goes from part to part are
//! common, and hold 1 where an s-op has the value of the direction, and 0 elsewhere and at BOS.

use super::plan::{Given, LoopedPlan};
use crate::certify::Closing;
use crate::compile::lower;
use crate::model::{Decoder, FeedForward, Head, Layer, Loop, Matrix, Model, Readout, Variable};
use crate::plan::{Plan, Written};
use crate::value::Value;
use std::collections::BTreeSet;
use std::ops::Range;

type Triplets = Vec<(usize, usize, f64)>;

/// What hidden units at BOS are kept below 0 by.
const SILENCE: f64 = (1_u32 << 24) as f64;

/// A part of a model.
struct ModelPart {
    model: Model,
    /// Its directions that hold what it is given: the number of that, and of the value.
    given: Vec<(usize, (usize, usize))>,
}

impl ModelPart {
    fn new(plan: &Plan) -> ModelPart {
        let (directions, _) = plan.directions();
        let places = plan.variables.iter().zip(&directions);
        let given = places.filter_map(|(variable, direction)| {
            if let Written::Given(sop, value) = variable.written {
                Some((*direction, (sop as usize, value as usize)))
            } else {
                None
            }
        });
        ModelPart {
            given: given.collect(),
            model: lower(plan),
        }
    }
}

/// A model of three parts, and where these stand in it.
pub struct Stitched {
    pub model: Model,
    /// For each part the direction that each of its own is.
    pub maps: [Vec<usize>; 3],
    /// How each output of a part comes to be what the next one is given.
    pub closings: [Vec<Closing>; 3],
}

/// The model of three plans, the one in the middle being a round. The outputs of the first part are, for
/// each s-op that goes from part to part, whether it has each of its values but the first; those of the
/// middle part the same for the next round, of the first so many of them, whose values are known.
pub fn stitch(plan: &LoopedPlan, values: &[Vec<Value>]) -> Stitched {
    let parts = plan.looped.each_ref().map(ModelPart::new);
    let starts = plan.starts();
    // What is common comes last, as sums begin with the embeddings.
    let own = |part: &ModelPart| part.model.d_model - part.given.len();
    let common: usize = parts.iter().map(own).sum();
    let mut next = 0;
    let maps = parts.each_ref().map(|part| {
        let given = |direction| part.given.iter().find(|(known, _)| *known == direction);
        let mut place = |direction| match given(direction) {
            Some((_, (number, value))) => common + starts[*number] + value,
            None => {
                next += 1;
                next - 1
            }
        };
        (0..part.model.d_model)
            .map(&mut place)
            .collect::<Vec<usize>>()
    });
    let flag = common + starts.last().copied().unwrap_or(0);
    let width = flag + 1;
    let mut stitcher = Stitcher {
        width,
        common,
        flag,
        at_token: vec![0.0; width],
        at_bos: vec![0.0; width],
    };
    let [before, round, after] = &parts;
    let [to_before, to_round, to_after] = &maps;
    let mut model = after.model.clone();
    model.d_model = width;
    model.directions = stitcher.labels(&parts, &maps, &plan.given);
    let embeddings = |pick: fn(&Model) -> &Matrix| {
        let all = parts.iter().zip(&maps);
        let entries = all.flat_map(|(part, map)| {
            let entries = pick(&part.model).entries();
            entries.map(|(row, direction, number)| (row, map[direction], number))
        });
        entries.collect::<Triplets>()
    };
    let mut tokens = embeddings(|model| &model.token_embedding);
    let mut positions = embeddings(|model| &model.position_embedding);
    tokens.push((model.vocabulary.len(), flag, 1.0));
    for (row, direction, number) in &tokens {
        match *row {
            0 => stitcher.at_token[*direction] += number,
            row if row == model.vocabulary.len() => stitcher.at_bos[*direction] += number,
            _ => {}
        }
    }
    model.layers = stitcher.layers(&before.model, to_before);
    let first = stitcher.targets(&before.model, to_before);
    let first = if before.model.layers.is_empty() {
        stitcher.embed(&first, (&mut tokens, &mut positions), &model);
        vec![Closing::Handed; first.len()]
    } else {
        stitcher.close(&mut model.layers, &first, &BTreeSet::new())
    };
    let begins = model.layers.len();
    let mut body = stitcher.layers(&round.model, to_round);
    let next = stitcher.targets(&round.model, to_round);
    let mut old = written(&body);
    old.extend(common..common + next.len());
    let next = stitcher.close(&mut body, &next, &old);
    model.layers.extend(body);
    model.loops = vec![Loop {
        layers: begins..model.layers.len(),
        times: plan.times,
    }];
    let ends = 2 * model.layers.len();
    model.layers.extend(stitcher.layers(&after.model, to_after));
    model.token_embedding = Matrix::from_triplets(model.vocabulary.len() + 1, width, tokens);
    model.position_embedding = Matrix::from_triplets(model.max_length + 1, width, positions);
    for output in &mut model.outputs {
        output.readout.weights = stitcher.rows(&output.readout.weights, to_after);
    }
    let carried = plan.given.iter().zip(values).zip(&starts);
    model.variables = carried
        .map(|((given, values), start)| Variable {
            name: given.name.clone(),
            ready: ends,
            readout: stitcher.carried(values, common + start),
        })
        .collect();
    Stitched {
        model,
        maps,
        closings: [first, next, Vec::new()],
    }
}

/// What a common direction is to hold: `bias + Σ factor · direction`, 0 or 1 at a token.
struct Target {
    terms: Vec<(usize, f64)>,
    bias: f64,
}

/// The directions that a matrix writes.
fn columns_of(matrix: &Matrix) -> impl Iterator<Item = usize> + '_ {
    matrix.entries().map(|(_, direction, _)| direction)
}

/// The directions that layers write.
fn written(layers: &[Layer]) -> BTreeSet<usize> {
    let outputs = layers.iter().flat_map(|layer| {
        let heads = layer.heads.iter().map(|head| &head.output);
        heads.chain([&layer.mlp.output])
    });
    outputs.flat_map(columns_of).collect()
}

struct Stitcher {
    width: usize,
    /// The first of the common directions, which the flag follows.
    common: usize,
    /// The direction that is 1 at BOS and 0 at tokens.
    flag: usize,
    /// What each direction begins with at the first token of the vocabulary: what a part writes begins
    /// alike at all.
    at_token: Vec<f64>,
    /// The same at BOS.
    at_bos: Vec<f64>,
}

impl Stitcher {
    fn labels(
        &self,
        parts: &[ModelPart; 3],
        maps: &[Vec<usize>; 3],
        given: &[Given],
    ) -> Vec<String> {
        let mut labels = vec![String::new(); self.common];
        for (part, map) in parts.iter().zip(maps) {
            for (direction, place) in map.iter().enumerate() {
                if let Some(label) = labels.get_mut(*place) {
                    label.clone_from(&part.model.directions[direction]);
                }
            }
        }
        for Given { name, values } in given {
            labels.extend(values.iter().map(|value| format!("{name} = {value}")));
        }
        labels.push("BOS".to_string());
        labels
    }

    /// Reads which of its values an s-op has that goes from round to round.
    fn carried(&self, values: &[Value], start: usize) -> Readout {
        let others = 1..values.len();
        let entries = others.map(|value| (start + value - 1, value, 1.0));
        let half = |value: usize| if value == 0 { 0.5 } else { 0.0 };
        Readout {
            weights: Matrix::from_triplets(self.width, values.len(), entries.collect()),
            bias: (0..values.len()).map(half).collect(),
            decoder: Decoder::Categorical(values.to_vec()),
        }
    }

    fn rows(&self, matrix: &Matrix, map: &[usize]) -> Matrix {
        let entries = matrix.entries();
        let entries = entries.map(|(row, column, number)| (map[row], column, number));
        Matrix::from_triplets(self.width, matrix.columns(), entries.collect())
    }

    fn columns(&self, matrix: &Matrix, map: &[usize]) -> Matrix {
        let entries = matrix.entries();
        let entries = entries.map(|(row, column, number)| (row, map[column], number));
        Matrix::from_triplets(matrix.rows(), self.width, entries.collect())
    }

    /// The layers of a part over the directions of the model.
    fn layers(&self, part: &Model, map: &[usize]) -> Vec<Layer> {
        let layer = |layer: &Layer| Layer {
            heads: layer
                .heads
                .iter()
                .map(|head| Head {
                    query: self.rows(&head.query, map),
                    key: self.rows(&head.key, map),
                    value: self.rows(&head.value, map),
                    output: self.columns(&head.output, map),
                    ..head.clone()
                })
                .collect(),
            mlp: FeedForward {
                input: self.rows(&layer.mlp.input, map),
                output: self.columns(&layer.mlp.output, map),
                output_bias: vec![0.0; self.width],
                ..layer.mlp.clone()
            },
        };
        part.layers.iter().map(layer).collect()
    }

    /// The outputs of a part, which are one number each.
    fn targets(&self, part: &Model, map: &[usize]) -> Vec<Target> {
        let target = |readout: &Readout| Target {
            terms: readout
                .weights
                .entries()
                .map(|(row, _, number)| (map[row], number))
                .collect(),
            bias: readout.bias.iter().sum(),
        };
        let outputs = part.outputs.iter();
        outputs.map(|output| target(&output.readout)).collect()
    }

    /// What begins as a function of the token and of the index stands in the embeddings.
    fn embed(
        &self,
        targets: &[Target],
        (tokens, positions): (&mut Triplets, &mut Triplets),
        model: &Model,
    ) {
        let known = (tokens.clone(), positions.clone());
        for (number, target) in targets.iter().enumerate() {
            let place = self.common + number;
            for (direction, factor) in &target.terms {
                let of = |entries: &Triplets| -> Triplets {
                    let entries = entries.iter().filter(|(_, column, _)| column == direction);
                    entries
                        .map(|(row, _, number)| (*row, place, factor * number))
                        .collect()
                };
                let is_token = |(row, _, _): &(usize, usize, f64)| *row < model.vocabulary.len();
                tokens.extend(of(&known.0).into_iter().filter(is_token));
                positions.extend(of(&known.1));
            }
            let rows = 0..model.vocabulary.len();
            tokens.extend(rows.map(|row| (row, place, target.bias)));
        }
    }

    /// Ends a part: common directions take what they are to hold, and those with something old what
    /// they began with, in its place. The last feed-forward block does it where it can; else one more.
    fn close(
        &self,
        layers: &mut Vec<Layer>,
        targets: &[Target],
        old: &BTreeSet<usize>,
    ) -> Vec<Closing> {
        let closed = layers.pop().and_then(|last| {
            let closed = self.closed(&last, layers, (targets, old));
            if closed.is_none() {
                layers.push(last);
            }
            closed
        });
        let empty = Layer {
            heads: Vec::new(),
            mlp: FeedForward::empty(self.width),
        };
        let closed = closed.or_else(|| self.closed(&empty, layers, (targets, old)));
        let (closed, closings) = closed.unzip();
        layers.extend(closed);
        closings.unwrap_or_default()
    }

    /// The layer with a block that closes the part, too. What is to be held is what hidden units of the
    /// block give, if only these and what is carried make it up, or a step of what is there before the
    /// block; `None` if it is neither.
    fn closed(
        &self,
        last: &Layer,
        before: &[Layer],
        (targets, old): (&[Target], &BTreeSet<usize>),
    ) -> Option<(Layer, Vec<Closing>)> {
        let computes: BTreeSet<usize> = columns_of(&last.mlp.output).collect();
        let attends = last.heads.iter().flat_map(|head| columns_of(&head.output));
        let earlier: BTreeSet<usize> = attends.chain(written(before)).collect();
        // What is old goes first, so that what comes in its place is added up as it would be alone.
        let mut block = Block::default();
        let terms = targets.iter().flat_map(|target| &target.terms);
        let moved = terms.map(|(at, _)| *at).filter(|at| computes.contains(at));
        let moved: BTreeSet<usize> = moved.collect();
        let old: Vec<usize> = old.difference(&moved).copied().collect();
        if old.iter().any(|at| computes.contains(at)) {
            return None;
        }
        for direction in &old {
            block.clear(*direction);
        }
        let own = block.bias.len()..block.bias.len() + last.mlp.d_mlp();
        let units = block.append(&last.mlp);
        let mut closings = Vec::with_capacity(targets.len());
        for (number, target) in targets.iter().enumerate() {
            let place = self.common + number;
            let terms = target.terms.iter().copied();
            let (own, others): (Vec<_>, Vec<_>) = terms.partition(|(at, _)| computes.contains(at));
            if own.is_empty() {
                block.step(place, target, self.flag);
                closings.push(Closing::Step);
                continue;
            }
            // What is carried has no noise, so that it may be handed on as it is.
            let is_common = |(at, _): &(usize, f64)| (self.common..self.flag).contains(at);
            let is_fresh = |(at, factor): &(usize, f64)| {
                !earlier.contains(at) && self.at_token[*at] == 0.0 && is_power(*factor)
            };
            if !own.iter().all(is_fresh) || !others.iter().all(is_common) {
                return None;
            }
            closings.push(Closing::Handed);
            for (direction, factor) in own {
                let own = units.iter().filter(|(_, at, _)| *at == direction);
                let own = own.map(|(unit, _, number)| (*unit, place, factor * number));
                block.output.extend(own);
            }
            block.hand_on(place, (&others, target.bias), self.flag);
        }
        if !moved.is_empty() {
            // What the part's heads give BOS is nobody's, unless a later layer reads it.
            block.silence(own, self.flag);
        }
        let kept = units.into_iter().filter(|(_, at, _)| !moved.contains(at));
        block.output.extend(kept);
        let begins = |numbers: &[f64]| old.iter().map(|at| (*at, numbers[*at])).collect();
        block.unit(&[(self.flag, 1.0)], 0.0, begins(&self.at_bos));
        block.unit(&[(self.flag, -1.0)], 1.0, begins(&self.at_token));
        let layer = Layer {
            heads: last.heads.clone(),
            mlp: block.finish(self.width),
        };
        Some((layer, closings))
    }
}

/// A feed-forward block as it grows.
#[derive(Default)]
struct Block {
    input: Triplets,
    bias: Vec<f64>,
    output: Triplets,
}

impl Block {
    /// Takes in the units of a block; gives what they write, which is left out.
    fn append(&mut self, mlp: &FeedForward) -> Triplets {
        let first = self.bias.len();
        let input = mlp.input.entries();
        self.input
            .extend(input.map(|(row, unit, number)| (row, first + unit, number)));
        self.bias.extend(&mlp.input_bias);
        let output = mlp.output.entries();
        output
            .map(|(unit, direction, number)| (first + unit, direction, number))
            .collect()
    }

    /// A hidden unit, unless it writes nothing.
    fn unit(&mut self, reads: &[(usize, f64)], bias: f64, writes: Vec<(usize, f64)>) {
        let unit = self.bias.len();
        let writes: Triplets = writes
            .into_iter()
            .filter(|(_, number)| *number != 0.0)
            .map(|(direction, number)| (unit, direction, number))
            .collect();
        if !writes.is_empty() {
            let reads = reads.iter();
            self.input
                .extend(reads.map(|(direction, factor)| (*direction, unit, *factor)));
            self.bias.push(bias);
            self.output.extend(writes);
        }
    }

    /// Has a common direction hold what it is to, from what is there.
    fn step(&mut self, place: usize, target: &Target, flag: usize) {
        let terms = target.terms.iter();
        let mut read: Vec<(usize, f64)> = terms.map(|(at, factor)| (*at, 2.0 * factor)).collect();
        read.push((flag, -SILENCE));
        self.unit(&read, 2.0 * target.bias - 0.5, vec![(place, 1.0)]);
        self.unit(&read, 2.0 * target.bias - 1.5, vec![(place, -1.0)]);
    }

    /// Adds a sum and a constant to a common direction, at tokens.
    fn hand_on(&mut self, place: usize, (terms, bias): (&[(usize, f64)], f64), flag: usize) {
        for sign in [1.0, -1.0] {
            let mut read: Vec<(usize, f64)> = terms.iter().map(|(at, f)| (*at, sign * f)).collect();
            read.push((flag, -SILENCE));
            if !terms.is_empty() || sign * bias > 0.0 {
                self.unit(&read, sign * bias, vec![(place, sign)]);
            }
        }
    }

    /// Has hidden units give nothing at BOS.
    fn silence(&mut self, units: Range<usize>, flag: usize) {
        self.input.extend(units.map(|unit| (flag, unit, -SILENCE)));
    }

    /// Takes away what a direction holds.
    fn clear(&mut self, direction: usize) {
        self.unit(&[(direction, 1.0)], 0.0, vec![(direction, -1.0)]);
        self.unit(&[(direction, -1.0)], 0.0, vec![(direction, 1.0)]);
    }

    fn finish(self, width: usize) -> FeedForward {
        let units = self.bias.len();
        FeedForward {
            layer_norm: false,
            input: Matrix::from_triplets(width, units, self.input),
            input_bias: self.bias,
            output: Matrix::from_triplets(units, width, self.output),
            output_bias: vec![0.0; width],
        }
    }
}

/// Whether a number is a power of two, up to its sign: products with it are exact.
fn is_power(number: f64) -> bool {
    let exponent = number.abs().log2();
    exponent.fract() == 0.0 && exponent.abs() < 60.0
}
