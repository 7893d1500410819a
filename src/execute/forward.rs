//! The forward pass over a batch of inputs: embedding, layers, readout. Activations are
//! feature-major, `[features, columns]`, where the columns are the positions of all inputs of the
//! batch, one input after the other. Columns meet only in attention, within one input, so the
//! batch an input is in does not change its result.
//!
//! Order of sums: an activation starts from its bias (or zero) and adds its terms in ascending
//! order of the feature they come from; the residual stream adds heads in order, then b_out, then
//! hidden units in order.

use super::activations::Activations;
use super::attention::{Observe, PreparedHead, Room};
use super::feed_forward::PreparedFeedForward;
use super::input::Tokenizer;
use super::lanes::{self, LANES, Work};
use super::readout::{PreparedReadout, Readings};
use super::scalar::{Precision, Scalar};
use super::sparse::Sparse;
use crate::base::{Code, Diagnostic, Fallible, parallel};
use crate::model::transformer::runs;
use crate::model::{HostOrder, Layer, Loop, Model};
use crate::value::Value;
use pulp::Simd;
use std::ops::Range;

/// For each input a list of what the outputs of a model give.
pub type Outputs = Vec<Vec<Vec<Value>>>;

/// The first output of a model for one input: one value for each token.
///
/// # Errors
/// A model that does not fit together; an input that it cannot take: empty, too long, or with a token
/// outside the vocabulary.
pub fn run(model: &Model, tokens: &[Value], precision: Precision) -> Fallible<Vec<Value>> {
    Executor::new(model, precision)?.run(tokens)
}

/// A model made ready for many inputs, in a precision chosen when the program runs.
pub enum Executor {
    /// Computes in floats of 32 bits.
    F32(Prepared<f32>),
    /// Computes in floats of 64 bits.
    F64(Prepared<f64>),
}

/// What the executor of either precision gives.
macro_rules! with {
    ($executor:expr, $prepared:ident => $given:expr) => {
        match $executor {
            Executor::F32($prepared) => $given,
            Executor::F64($prepared) => $given,
        }
    };
}

impl Executor {
    /// # Errors
    /// As [`Prepared::new`].
    pub fn new(model: &Model, precision: Precision) -> Fallible<Executor> {
        Ok(match precision {
            Precision::F32 => Executor::F32(Prepared::new(model)?),
            Precision::F64 => Executor::F64(Prepared::new(model)?),
        })
    }

    /// As [`Prepared::in_order`].
    #[must_use]
    pub fn in_order(self, order: HostOrder) -> Executor {
        match self {
            Executor::F32(prepared) => Executor::F32(prepared.in_order(order)),
            Executor::F64(prepared) => Executor::F64(prepared.in_order(order)),
        }
    }

    /// As [`Prepared::run`].
    ///
    /// # Errors
    /// As [`run`].
    pub fn run(&self, tokens: &[Value]) -> Fallible<Vec<Value>> {
        with!(self, prepared => prepared.run(tokens))
    }

    /// As [`Prepared::run_outputs`].
    ///
    /// # Errors
    /// As [`run`].
    pub fn run_outputs(&self, tokens: &[Value]) -> Fallible<Vec<Vec<Value>>> {
        with!(self, prepared => prepared.run_outputs(tokens))
    }

    /// As [`Prepared::run_all`].
    ///
    /// # Errors
    /// As [`run`], for the first input that has one.
    pub fn run_all(&self, inputs: &[Vec<Value>]) -> Fallible<Vec<Vec<Value>>> {
        with!(self, prepared => prepared.run_all(inputs))
    }

    /// As [`Prepared::run_all_outputs`].
    ///
    /// # Errors
    /// As [`run`], for the first input that has one.
    pub fn run_all_outputs(&self, inputs: &[Vec<Value>]) -> Fallible<Outputs> {
        with!(self, prepared => prepared.run_all_outputs(inputs))
    }
}

/// A model made ready for many inputs: its weights converted once, in the order of use.
pub struct Prepared<T> {
    tokenizer: Tokenizer,
    token_embedding: Sparse<T>,
    position_embedding: Sparse<T>,
    d_model: usize,
    causal: bool,
    /// Positions before the tokens.
    before_tokens: usize,
    pub(super) layers: Vec<PreparedLayer<T>>,
    loops: Vec<Loop>,
    pub(super) outputs: Vec<PreparedReadout<T>>,
}

pub(super) struct PreparedLayer<T> {
    pub heads: Vec<PreparedHead<T>>,
    pub mlp: PreparedFeedForward<T>,
}

/// Inputs side by side: the embedding row of each column, and the columns of each input.
#[derive(Default)]
pub(super) struct Batch {
    rows: Vec<usize>,
    pub inputs: Vec<Range<usize>>,
}

/// Columns of a batch, unless one input has more: enough to make rows long, few enough for the
/// activations to stay in cache.
const BATCH_COLUMNS: usize = 272;

/// Batches that one processor takes at least.
const FEW: usize = 8;

impl Batch {
    /// The columns of all inputs: of one, its positions.
    pub fn columns(&self) -> usize {
        self.rows.len()
    }

    /// As many columns as activations have: after those of the last input its last one comes again until
    /// the lanes of every input are full, even of one whose queries begin after BOS. That is nobody's
    /// key, and its queries find what the last one's do.
    fn width(&self) -> usize {
        let last = self.inputs.last().cloned().unwrap_or_default();
        (last.start + 1 + last.len().next_multiple_of(LANES)).next_multiple_of(LANES)
    }
}

impl<T: Scalar> Prepared<T> {
    /// # Errors
    /// The parts of the model do not fit each other; see [`Model::check`].
    pub fn new(model: &Model) -> Fallible<Prepared<T>> {
        model.check().map_err(|problem| {
            let message = format!("a model that does not fit together: {problem}");
            Diagnostic::error(Code::BadModel, message)
                .help("`Model::check` says whether one does, before it is run")
        })?;
        let outputs = model.outputs.iter().map(|output| &output.readout);
        Ok(Prepared {
            tokenizer: Tokenizer::new(model),
            token_embedding: Sparse::by_row(&model.token_embedding),
            position_embedding: Sparse::by_row(&model.position_embedding),
            d_model: model.d_model,
            causal: model.causal,
            before_tokens: model.before_tokens(),
            layers: model.layers.iter().map(PreparedLayer::new).collect(),
            loops: model.loops.clone(),
            outputs: outputs.map(PreparedReadout::new).collect(),
        })
    }

    /// The same, dividing by √d_head in another order; without this, the scores.
    #[must_use]
    pub fn in_order(mut self, order: HostOrder) -> Prepared<T> {
        let heads = self.layers.iter_mut().flat_map(|layer| &mut layer.heads);
        heads.for_each(|head| head.order = order);
        self
    }

    /// The first output for one input: one value for each token.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run(&self, tokens: &[Value]) -> Fallible<Vec<Value>> {
        let found = self.read_first(&self.batch(tokens)?);
        Ok(found.into_iter().flatten().collect())
    }

    /// Every output for one input, in the model's order.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run_outputs(&self, tokens: &[Value]) -> Fallible<Vec<Vec<Value>>> {
        let found = self.read(&self.batch(tokens)?);
        Ok(found.into_iter().flatten().collect())
    }

    /// The first output for each of many inputs, the same as one by one but faster: side by side, and
    /// on all processors where there are many.
    ///
    /// # Errors
    /// As [`run`], for the first input that has one.
    pub fn run_all(&self, inputs: &[Vec<Value>]) -> Fallible<Vec<Vec<Value>>> {
        self.pass_all(inputs, |batch| self.read_first(batch))
    }

    /// Every output for each of many inputs: a list of outputs for each input.
    ///
    /// # Errors
    /// As [`run`], for the first input that has one.
    pub fn run_all_outputs(&self, inputs: &[Vec<Value>]) -> Fallible<Outputs> {
        self.pass_all(inputs, |batch| self.read(batch))
    }

    /// For each input what is read of it in its batch.
    fn pass_all<R: Send>(
        &self,
        inputs: &[Vec<Value>],
        read: impl Fn(&Batch) -> Vec<R> + Sync + Send,
    ) -> Fallible<Vec<R>> {
        let batches = self.batches(inputs)?;
        let read = |_: &mut (), at: usize| read(&batches[at]);
        let found = parallel::map((batches.len(), FEW), || (), read);
        Ok(found.into_iter().flatten().collect())
    }

    /// Inputs in batches that are good to compute with.
    pub(super) fn batches(&self, inputs: &[Vec<Value>]) -> Fallible<Vec<Batch>> {
        let mut batches: Vec<Batch> = Vec::new();
        for tokens in inputs {
            let columns = self.before_tokens + tokens.len();
            let has_room = |batch: &&mut Batch| batch.columns() + columns <= BATCH_COLUMNS;
            match batches.last_mut().filter(has_room) {
                Some(batch) => self.push(batch, tokens)?,
                None => batches.push(self.batch(tokens)?),
            }
        }
        Ok(batches)
    }

    /// For each input of a batch, what the first output is at its tokens.
    fn read_first(&self, batch: &Batch) -> Vec<Vec<Value>> {
        let x = self.pass(batch, &mut |_, _| {});
        let first = &self.outputs[0];
        let decoded = first.decode(&x);
        let values = |input| first.values(&decoded, self.tokens(input));
        batch.inputs.iter().map(values).collect()
    }

    fn read(&self, batch: &Batch) -> Outputs {
        let x = self.pass(batch, &mut |_, _| {});
        let decoded = self.outputs.iter().map(|readout| readout.decode(&x));
        self.values(batch, &decoded.collect::<Vec<_>>())
    }

    /// For each input of a batch, what each output was found to be at its tokens.
    pub(super) fn values(&self, batch: &Batch, decoded: &[Readings]) -> Outputs {
        let of_input = |input: &Range<usize>| {
            let pairs = self.outputs.iter().zip(decoded);
            let values = pairs.map(|(readout, found)| readout.values(found, self.tokens(input)));
            values.collect()
        };
        batch.inputs.iter().map(of_input).collect()
    }

    /// The layers in the order in which they run, each with its index and the round of its loop.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, usize, &PreparedLayer<T>)> {
        let runs = runs(self.layers.len(), &self.loops);
        runs.map(|(index, round)| (index, round, &self.layers[index]))
    }

    /// The residual stream after the last layer; `observe` is shown what it is after each half
    /// layer, the embedding being number 0; those of a loop come again in each round. At BOS the last
    /// layer's heads attend to nothing, as nobody reads what they would bring there.
    pub(super) fn pass(
        &self,
        batch: &Batch,
        observe: &mut dyn FnMut(usize, &Activations<T>),
    ) -> Activations<T> {
        let mut x = self.embed(batch);
        observe(0, &x);
        let mut runs = self.runs().peekable();
        while let Some((index, _, layer)) = runs.next() {
            let first = match runs.peek() {
                Some(_) => 0,
                None => self.before_tokens,
            };
            self.attend_from(first, layer, &mut x, batch, None);
            observe(2 * index + 1, &x);
            layer.feed_forward(&mut x);
            observe(2 * index + 2, &x);
        }
        x
    }

    /// The columns of an input that hold its tokens: the position of BOS is left out.
    pub(super) fn tokens(&self, input: &Range<usize>) -> Range<usize> {
        input.start + self.before_tokens..input.end
    }

    /// A batch of one input.
    pub(super) fn batch(&self, tokens: &[Value]) -> Fallible<Batch> {
        let mut batch = Batch::default();
        self.push(&mut batch, tokens)?;
        Ok(batch)
    }

    fn push(&self, batch: &mut Batch, tokens: &[Value]) -> Fallible<()> {
        let start = batch.columns();
        self.tokenizer.append(tokens, &mut batch.rows)?;
        batch.inputs.push(start..batch.rows.len());
        Ok(())
    }

    /// The residual stream `[d_model, columns]` before the first layer.
    pub(super) fn embed(&self, batch: &Batch) -> Activations<T> {
        let width = batch.width();
        let mut x = Activations::zeros(self.d_model, width);
        let mut add = |list: &[(u32, T)], column: usize| {
            for (feature, value) in list {
                x[*feature as usize * width + column] += *value;
            }
        };
        for (column, row) in batch.rows.iter().enumerate() {
            add(self.token_embedding.list(*row), column);
        }
        for input in &batch.inputs {
            for (position, column) in input.clone().enumerate() {
                add(self.position_embedding.list(position), column);
            }
        }
        let columns = batch.columns();
        for row in x.chunks_exact_mut(width) {
            let last = row[columns - 1];
            row[columns..].fill(last);
        }
        x
    }

    /// Adds the outputs of a layer's heads, which all read the stream as it was. The patterns
    /// `[queries, keys]` are shown to `observe`, head by head, inputs in order.
    pub(super) fn attend(
        &self,
        layer: &PreparedLayer<T>,
        x: &mut Activations<T>,
        batch: &Batch,
        observe: Option<&mut Observe<'_>>,
    ) {
        self.attend_from(0, layer, x, batch, observe);
    }

    /// The same from a position on: before it queries attend to nothing.
    fn attend_from(
        &self,
        first: usize,
        layer: &PreparedLayer<T>,
        x: &mut Activations<T>,
        batch: &Batch,
        observe: Option<&mut Observe<'_>>,
    ) {
        lanes::widest(Attend {
            heads: &layer.heads,
            first,
            causal: self.causal,
            x,
            batch,
            observe,
        });
    }
}

struct Attend<'a, 'o, T> {
    heads: &'a [PreparedHead<T>],
    /// The position of the first query of each input.
    first: usize,
    causal: bool,
    x: &'a mut Activations<T>,
    batch: &'a Batch,
    observe: Option<&'a mut Observe<'o>>,
}

impl<T: Scalar> Work for Attend<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let mut mixed = Vec::with_capacity(self.heads.len());
        let inputs = &self.batch.inputs;
        let mut room = Room::new(inputs, self.first);
        for head in self.heads {
            // A reborrow, as an option of a reference is moved.
            let observe = self.observe.as_mut().map(|observe| &mut **observe as _);
            let stream = (&*self.x, &inputs[..]);
            mixed.push(head.attend(simd, stream, self.causal, &mut room, observe));
        }
        for (head, mixed) in self.heads.iter().zip(&mixed) {
            head.add_output(simd, mixed, self.x);
        }
    }
}

impl<T: Scalar> PreparedLayer<T> {
    fn new(layer: &Layer) -> PreparedLayer<T> {
        PreparedLayer {
            heads: layer.heads.iter().map(PreparedHead::new).collect(),
            mlp: PreparedFeedForward::new(&layer.mlp),
        }
    }

    /// Adds the output of the feed-forward block to the residual stream.
    pub(super) fn feed_forward(&self, x: &mut Activations<T>) {
        self.mlp.add(x);
    }
}
