//! The plan: a program as typed operations on named residual variables, between the graph and the
//! weights. The printed schedule, the certificate and the weights all read the plan, so they cannot
//! disagree. Plain data; it depends on `base`, `value`, the shapes of `model` and, for its layers,
//! `schedule`, and knows no graph.

pub(crate) mod at_points;
mod bos;
mod check;
mod constant;
mod dimension;
mod direction;
mod layers;
mod linear;
mod never;
pub mod pass;
mod print;
mod read_out;
mod remark;
mod selected;
mod size;
mod stored;
mod table;
mod tables;

pub use at_points::{apart, ascending, output, outputs};
pub(crate) use dimension::UNIFORM_ROW;
pub use dimension::{Dimension, Scale, level};
pub use linear::Linear;
pub use read_out::{Read, ReadOut, score};
pub(crate) use size::columns;

use crate::model::Host;
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How models are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Each row of a head's attention is its selector: uniform over the selected keys, and over BOS
    /// where a width is counted.
    #[default]
    Faithful,
    /// Sizes are smallest: a count is a sum through an attention sink, unless the faithful plan is
    /// as small.
    Compact,
}

impl Style {
    /// Its name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            Style::Faithful => "faithful",
            Style::Compact => "compact",
        }
    }
}

/// A residual variable of one [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VariableId(pub u32);

/// What an operation or a variable comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The s-op or selector as people call it.
    pub name: String,
    /// Where it is written: byte offsets in the text with this number.
    pub span: Option<(u32, u32, u32)>,
}

/// A program as operations on the residual stream of a transformer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What its model is called.
    pub name: String,
    /// How its heads are made.
    pub style: Style,
    /// The hosts that heads are for.
    pub host: Host,
    /// Whether BOS stands before the tokens. Where it does not, position 0 is the sink: the key of
    /// queries that select nothing, and the one that counts beside those that are counted.
    pub bos: bool,
    /// The tokens of inputs.
    #[serde(skip)]
    pub vocabulary: Vec<Value>,
    /// The longest input.
    pub max_length: usize,
    /// Whether positions attend only to themselves and earlier ones.
    pub causal: bool,
    /// What the residual stream holds.
    pub variables: Vec<Variable>,
    /// What attention heads do.
    pub attends: Vec<Attend>,
    /// What feed-forward blocks do.
    pub feed_forwards: Vec<FeedForward>,
    /// What the model computes.
    pub outputs: Vec<ReadOut>,
    /// The program's named s-ops, as far as the stream holds them.
    pub views: Vec<ReadOut>,
    /// Variables that stand in the direction of another each, which is not read any more once they are
    /// written: they add to what is there.
    pub shared: Vec<(VariableId, VariableId)>,
    /// Sentences about what took more than the program says, for people.
    pub remarks: Vec<String>,
}

/// One direction of the residual stream, at every position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// What to call it for people.
    pub label: String,
    /// What of the program it is for.
    pub source: Source,
    /// What writes it.
    pub written: Written,
    /// Its value at BOS once it is written; 0 where there is no BOS.
    pub bos: f64,
    /// Every value it can have at a token, ascending; for certificates. Empty if it is a real number.
    pub values: Arc<[f64]>,
    /// Makes float32 round what is written to multiples of a power of two.
    pub rounding: Option<Rounding>,
    /// Whether it is a direction of its own that the program asks for with `categorical(…)`.
    pub asked_for: bool,
}

/// A number that a variable holds at every token before it is written, so large that in float32 the
/// sum is a multiple of `2^-digits`: what is written loses its noise, and readers take the number
/// away again, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rounding {
    /// What is written is a multiple of `2^-digits`.
    pub digits: i32,
}

impl Rounding {
    /// For numbers up to `largest`, as fine as can be with room for what is added to them.
    pub fn finest(largest: f64) -> Option<Rounding> {
        let digits = 18 - largest.max(1.0).log2().ceil() as i32;
        (digits >= 4).then_some(Rounding { digits })
    }

    /// The same where nothing else is added to them: without room for that the number is an eighth.
    pub fn finest_of_one(largest: f64) -> Option<Rounding> {
        let digits = 21 - largest.max(1.0).log2().ceil() as i32;
        (digits >= 4).then_some(Rounding { digits })
    }

    /// The number: in the middle of the floats with this last bit.
    pub fn offset(self) -> f64 {
        1.5 * 2f64.powi(23 - self.digits)
    }

    /// What the last bit is worth.
    pub fn grid(self) -> f64 {
        2f64.powi(-self.digits)
    }
}

/// What writes a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Written {
    /// W_E and W_pos: a number for each token of the vocabulary and for each index; either may be
    /// empty.
    Embed {
        /// The rows of W_E.
        tokens: Vec<f64>,
        /// The rows of W_pos.
        indices: Vec<f64>,
    },
    /// 1 at BOS and 0 at every token.
    Flag,
    /// 1 at every token and 0 at BOS.
    One,
    /// What stands there before the layers of this plan, which is a part of a model: a direction of
    /// an s-op that the part is given, by their numbers; 0 at BOS.
    Given(u32, u32),
    /// Attention heads.
    Attend,
    /// A feed-forward block.
    FeedForward,
}

impl Written {
    /// Whether operations write it.
    pub fn is_computed(&self) -> bool {
        matches!(self, Written::Attend | Written::FeedForward)
    }
}

/// A value that an attention head moves into a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attend {
    /// What of the program it is for.
    pub source: Source,
    /// What of the program its pattern is; heads of the same share its keys among them.
    pub row: PatternSource,
    /// Operations with the same number have the same pattern: in one layer they are one head.
    pub pattern: usize,
    /// What it makes of the keys that are selected.
    pub kind: Kind,
    /// The logit: a sum of products, in groups.
    pub terms: Vec<Term>,
    /// What is moved; at BOS it has the number that the kind asks for.
    pub value: Linear,
    /// The most keys that a query selects.
    pub most: usize,
    /// The variable that it writes.
    pub into: VariableId,
    /// Its layer, from 1; 0 while none is decided.
    pub layer: usize,
}

/// What of the program the pattern of a head is, by its number in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PatternSource {
    /// A selector.
    Selector(u32),
    /// The weights of a weighted mean.
    Weights(u32),
}

/// What a head makes of the keys it selects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// `1/(1+w)`: the sink is one more selected key, and the only one with a value.
    Width,
    /// The number of all keys: BOS is one more, and the values are such that the mean is the number.
    Length,
    /// The mean of the selected values; a query that selects nothing sees the sink, which stands half
    /// way between what is selected and what is not, unless it is selected itself.
    Mean,
    /// The mean of the selected values, of which there is always one: BOS is out of reach.
    MeanOfSome,
    /// The mean of the selected values; BOS is the last key in the table of the relation, the one of
    /// the queries that select no token.
    MeanOrBos,
    /// A mean over keys of which other heads hold some: BOS stands for those, with a logit of its
    /// own among the terms.
    MeanOfPart,
    /// The sum of the selected values, through an attention sink: BOS stands far above them, and
    /// W_O undoes the factor `e^level`.
    Sum {
        /// How far BOS stands above the selected keys, in nats.
        level: f64,
    },
}

/// Products that together say one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term<R = Linear> {
    /// What is added up.
    pub products: Vec<Product<R>>,
    /// What the sum means.
    pub meaning: Meaning,
}

/// What a term's products add up to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Meaning {
    /// 0 for each key and query for which a relation holds and at most -1 for others, times the
    /// gap: `[keys, queries]`, row by row, by the values in the products.
    Relation(#[serde(with = "stored::digits")] Arc<[bool]>),
    /// Scores in nats, between 0 and `above`.
    Score {
        /// The largest score.
        above: f64,
    },
    /// Scores in nats of real numbers: the values in the products are the least and the greatest that
    /// each side can be. None is negative, but where BOS is out of reach anyway.
    Exponent {
        /// How far scores are from each other and from 0, at most.
        above: f64,
    },
    /// Where the sink stands: in nats, or in gaps.
    Bos {
        /// Whether it is in nats.
        nats: bool,
    },
    /// What a query at BOS gives to tokens, so that it sees BOS alone.
    Guard,
}

impl Meaning {
    /// How far scores lift keys at most, in nats, if these are scores.
    pub fn above(&self) -> Option<f64> {
        match self {
            Meaning::Score { above } | Meaning::Exponent { above } => Some(*above),
            Meaning::Relation(_) | Meaning::Bos { .. } | Meaning::Guard => None,
        }
    }
}

/// One dimension of a head: a product of what is read at the query and at the key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Product<R = Linear> {
    /// The number at the query.
    pub query: R,
    /// The number at the key.
    pub key: R,
    /// What the two are for each value of the query side and of the key side.
    pub queries: Arc<[f64]>,
    /// As `queries`, of the key side.
    pub keys: Arc<[f64]>,
}

/// Hidden units that are functions of one linear read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeedForward {
    /// What of the program it is for.
    pub source: Source,
    /// What the units are functions of.
    pub argument: Linear,
    /// The values that the argument can have at a token, ascending; of many of a step those next to it and the
    /// ends; of a real number the ends.
    pub points: Arc<[f64]>,
    /// What is added up.
    pub units: Vec<Unit>,
    /// Operations with the same number have the same argument: in one layer they share their units.
    pub bank: usize,
    /// The variable that it writes.
    pub into: VariableId,
    /// Its layer, from 1; 0 while none is decided.
    pub layer: usize,
}

/// `weight · relu(slope · argument + offset)`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// The entry of W_in, as a multiple of the argument.
    pub slope: f64,
    /// The bias.
    pub offset: f64,
    /// The entry of W_out.
    pub weight: f64,
}

impl Unit {
    /// Units of one argument that agree in this are one.
    pub fn key(&self) -> (u64, u64) {
        (self.slope.to_bits(), self.offset.to_bits())
    }

    /// Whether it is a step with the next one, which takes away what it goes on adding.
    pub fn is_step_with(&self, next: &Unit) -> bool {
        self.slope == next.slope && self.weight == -next.weight
    }
}

impl Attend {
    /// The products of its logit.
    pub fn products(&self) -> impl Iterator<Item = &Product> {
        self.terms.iter().flat_map(|term| &term.products)
    }

    /// The variables that it reads.
    pub fn reads(&self) -> impl Iterator<Item = VariableId> + '_ {
        let logit = self
            .products()
            .flat_map(|product| product.query.reads().chain(product.key.reads()));
        logit.chain(self.value.reads())
    }
}

impl Plan {
    /// The variable in whose direction this one stands, if it is not its own.
    pub fn below(&self, late: VariableId) -> Option<VariableId> {
        let mut shared = self.shared.iter();
        shared
            .find(|(known, _)| *known == late)
            .map(|(_, early)| *early)
    }

    /// A variable of the plan.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// The same, to be changed.
    pub(crate) fn variable_mut(&mut self, id: VariableId) -> &mut Variable {
        &mut self.variables[id.0 as usize]
    }

    /// All its variables.
    pub fn ids(&self) -> impl Iterator<Item = VariableId> + use<> {
        (0..self.variables.len() as u32).map(VariableId)
    }

    /// What heads write to a variable.
    pub fn attends_into(&self, id: VariableId) -> impl Iterator<Item = &Attend> {
        self.attends.iter().filter(move |op| op.into == id)
    }

    /// What hidden units write to a variable.
    pub fn forwards_into(&self, id: VariableId) -> impl Iterator<Item = &FeedForward> {
        self.feed_forwards.iter().filter(move |op| op.into == id)
    }

    /// Whether heads read a variable.
    pub fn is_attended(&self, id: VariableId) -> bool {
        let mut reads = self.attends.iter().flat_map(Attend::reads);
        reads.any(|read| read == id)
    }

    /// A new variable.
    pub(crate) fn add(&mut self, variable: Variable) -> VariableId {
        self.variables.push(variable);
        VariableId(self.variables.len() as u32 - 1)
    }

    /// Whether a variable is a real number: one without a list of values.
    pub fn is_real(&self, id: VariableId) -> bool {
        let variable = self.variable(id);
        variable.written.is_computed() && variable.values.is_empty()
    }

    /// Whether a linear read reads a real number.
    pub fn reads_real(&self, linear: &Linear) -> bool {
        linear.reads().any(|id| self.is_real(id))
    }

    /// Whether a result is a real number, even of listed ones: it is read as it is.
    pub fn gives_real(&self) -> bool {
        let mut outputs = self.outputs.iter();
        outputs.any(|output| matches!(&output.read, Read::Nearest(values) if values.is_empty()))
    }

    /// What a linear read gives at BOS, once what it reads is written.
    pub fn at_bos(&self, linear: &Linear) -> f64 {
        linear.at(|variable| self.variable(variable).bos)
    }

    /// How many layers the operations take.
    pub fn layers(&self) -> usize {
        let attends = self.attends.iter().map(|attend| attend.layer);
        let forwards = self.feed_forwards.iter().map(|forward| forward.layer);
        attends.chain(forwards).max().unwrap_or(0)
    }

    /// The half layer after which each variable can be read: 0 the embedding, `2l - 1` the attention
    /// of layer `l`, `2l` its feed-forward block. What is never written is ready at 0.
    pub fn readiness(&self) -> Vec<usize> {
        let mut ready = vec![0; self.variables.len()];
        for (into, written) in self.writes() {
            if let Some(ready) = ready.get_mut(into.0 as usize) {
                *ready = written.max(*ready);
            }
        }
        ready
    }

    /// What operations write, each with its half layer.
    fn writes(&self) -> impl Iterator<Item = (VariableId, usize)> {
        let attends = self.attends.iter().map(|op| (op.into, 2 * op.layer - 1));
        let forwards = self.feed_forwards.iter().map(|op| (op.into, 2 * op.layer));
        attends.chain(forwards)
    }
}
