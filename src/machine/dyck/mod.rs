//! Transformers for bounded Dyck languages, built as Yao, Peng, Papadimitriou & Narasimhan 2021,
//! *Self-Attention Networks Can Process Bounded Hierarchical Languages*, prove that they exist:
//! recognisers, labels for prefixes, generators. Depends on `base`, `value`, `model` and `execute`.

mod exact;
mod generate;
mod label;
pub mod language;
mod level;
mod network;
mod recognise;
mod sample;
mod stream;
mod verify;

pub use language::Language;
pub use sample::{Sampled, sample};
pub use verify::{Options, Verification, WrongOutput, verify};

use crate::base::{Code, Diagnostic, Fallible};
use crate::machine::kind;
use crate::model::{Attention, Dtype, Loop, Model};
use crate::value::Value;
use serde::{Deserialize, Serialize};

/// What a generator calls the end of a word.
pub const END: &str = "$";

/// The variable of a generator that says what may follow.
const NEXT: &str = "next";

/// The most types of brackets; with all of them, what may follow a prefix is 1,025 tokens.
pub const MOST_TYPES: usize = 1_024;

/// The greatest depth: a recogniser has a layer for each level.
pub const MOST_DEPTH: usize = 1_024;

/// The longest input: a row of W_pos for each position.
pub const MOST_LENGTH: usize = 200_000;

/// The longest word that [`verify`] and [`sample`] run: attention takes memory by its square.
pub const LONGEST_TRIED: usize = 4_096;

/// What a model says of each prefix, and by which construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `True` or `False` for the whole input, at every position: D + 1 layers of two heads (Theorem
    /// 4.1).
    Recognise,
    /// "T" for a prefix in the language, "P" for one that can become so, "F" for one that cannot: three
    /// layers of one head (Corollary B.2).
    Label,
    /// What may follow, as one string: two layers of one head, without a layer norm.
    Generate,
    /// The same with a layer norm over hidden units (Theorem 4.2).
    GenerateLn,
    /// The same for any depth (Theorem B.3).
    GenerateUnbounded,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 5] = [
        Kind::Recognise,
        Kind::Label,
        Kind::Generate,
        Kind::GenerateLn,
        Kind::GenerateUnbounded,
    ];

    /// Its name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Recognise => "recognise",
            Kind::Label => "label",
            Kind::Generate => "generate",
            Kind::GenerateLn => "generate-ln",
            Kind::GenerateUnbounded => "generate-unbounded",
        }
    }

    /// Whether it says what may follow a prefix.
    pub fn generates(self) -> bool {
        !matches!(self, Kind::Recognise | Kind::Label)
    }
}

/// A transformer for a Dyck language.
#[derive(Clone, Debug, PartialEq)]
pub struct Dyck {
    /// What it says of each prefix.
    pub kind: Kind,
    /// The most brackets open at a time; none for [`Kind::GenerateUnbounded`].
    pub depth: Option<usize>,
    /// The brackets: opening and closing in turn.
    pub tokens: Vec<Value>,
    /// The longest input.
    pub max_length: usize,
    /// Softmax, or hard attention.
    pub attention: Attention,
    /// Whether the rounds of [`Kind::Recognise`], which are alike, are one layer that runs again and
    /// again.
    pub looped: bool,
}

/// What a model says of itself.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    kind: String,
    construction: Kind,
    depth: Option<usize>,
    attention: Attention,
    /// Whether it is right in float64 alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    float64: bool,
}

/// The `kind` of these machines.
const MACHINE: &str = "dyck";

impl Dyck {
    /// The transformer. It is right in the floats of a dtype, or in float32 and float64.
    ///
    /// # Errors
    /// Brackets, a depth or a length that make no language, or one beyond the limits; a
    /// construction that is wrong in these floats at this length (E0604).
    pub fn build(&self, dtype: Option<Dtype>) -> Fallible<Model> {
        self.check()?;
        exact::check(self, dtype)?;
        let parts = match self.kind {
            Kind::Recognise => recognise::recogniser(self),
            Kind::Label => label::labels(self),
            Kind::Generate => generate::counting(self),
            Kind::GenerateLn | Kind::GenerateUnbounded => generate::by_angle(self),
        };
        let mut model = parts.model(self, &self.name());
        let description = Description {
            kind: MACHINE.to_string(),
            construction: self.kind,
            depth: self.depth,
            attention: self.attention,
            float64: !exact::holds(self, Dtype::Float32),
        };
        model.machine = serde_json::to_string(&description).ok();
        if self.looped {
            roll(&mut model);
        }
        Ok(model)
    }

    /// What a model says that it is.
    ///
    /// # Errors
    /// A model that was not built here (E0701).
    pub fn of(model: &Model) -> Fallible<Dyck> {
        let bad = |problem: String| {
            Diagnostic::error(Code::BadModel, problem)
                .help("`rasp machine dyck` makes models for Dyck languages")
        };
        let Some(text) = &model.machine else {
            return Err(bad("this model was not built for a Dyck language".into()).into());
        };
        if let Some(kind) = kind(text).filter(|kind| kind != MACHINE) {
            return Err(bad(format!("this model is a machine of another kind: {kind}")).into());
        }
        let description: Description = serde_json::from_str(text).map_err(|error| {
            bad(format!(
                "this model is no machine for a Dyck language: {error}"
            ))
        })?;
        let dyck = Dyck {
            kind: description.construction,
            depth: description.depth,
            tokens: model.vocabulary.clone(),
            max_length: model.max_length,
            attention: description.attention,
            looped: !model.loops.is_empty(),
        };
        dyck.check()?;
        Ok(dyck)
    }

    /// The language.
    pub fn language(&self) -> Language {
        Language {
            types: self.types(),
            depth: self.depth,
        }
    }

    /// What it is called.
    fn name(&self) -> String {
        let task = match self.kind {
            Kind::Recognise => "recognised",
            Kind::Label => "labelled",
            Kind::Generate => "generated",
            Kind::GenerateLn | Kind::GenerateUnbounded => "generated with layer norm",
        };
        match self.depth {
            Some(depth) => format!("Dyck-({}, {depth}) {task}", self.types()),
            None => format!("Dyck-{} {task}", self.types()),
        }
    }

    fn check(&self) -> Fallible<()> {
        let bad = |message: String| Diagnostic::error(Code::BadRequest, message);
        let limit = |what: &str, most: usize| {
            Diagnostic::error(Code::LimitReached, format!("{what}: at most {most}"))
        };
        let tokens = self.tokens.len();
        if tokens == 0 || tokens % 2 == 1 {
            let found = crate::base::counted(tokens, "token");
            let error = bad(format!(
                "{found}, where each type has an opening and a closing one"
            ));
            return Err(error.help("give them in turn, like `()[]`").into());
        }
        let distinct = Value::distinct(&self.tokens);
        if distinct.len() < tokens {
            return Err(bad("a bracket occurs twice".to_string()).into());
        }
        if self.tokens.iter().any(|token| token.to_string().is_empty()) {
            return Err(bad("a bracket has at least one character".to_string()).into());
        }
        if self.types() > MOST_TYPES {
            return Err(limit("types of brackets", MOST_TYPES).into());
        }
        if self.max_length == 0 {
            return Err(bad("an input has at least one token".to_string()).into());
        }
        if self.max_length > MOST_LENGTH {
            return Err(limit("tokens of the longest input", MOST_LENGTH).into());
        }
        match (self.kind, self.depth) {
            (Kind::GenerateUnbounded, None) => {}
            (Kind::GenerateUnbounded, Some(_)) => {
                let error = bad("`generate-unbounded` has no greatest depth".to_string());
                return Err(error
                    .help("leave the depth out, or take `generate-ln`")
                    .into());
            }
            (_, None) => {
                let error = bad("the greatest depth is missing".to_string());
                return Err(error.help("give one: `--depth D`").into());
            }
            (_, Some(0)) => return Err(bad("a depth is at least 1".to_string()).into()),
            (_, Some(depth)) if depth > MOST_DEPTH => {
                return Err(limit("brackets open at a time", MOST_DEPTH).into());
            }
            (_, Some(_)) => {}
        }
        if self.looped && self.kind != Kind::Recognise {
            let error = bad("only `recognise` has layers that are alike".to_string());
            return Err(error.help("leave `--looped` out").into());
        }
        if self.kind.generates() {
            let follows = self.language().follows();
            let spelled: Vec<Value> = follows.map(|follow| follow.spelled(&self.tokens)).collect();
            let is_end = |token: &Value| token.to_string() == END;
            if self.tokens.iter().any(is_end) || Value::distinct(&spelled).len() < spelled.len() {
                let error = bad("different tokens that may follow read alike".to_string());
                let help = "take brackets none of which is the beginning of another, nor `$`";
                return Err(error.help(help).into());
            }
        }
        Ok(())
    }

    /// Types of brackets.
    fn types(&self) -> usize {
        self.tokens.len() / 2
    }

    /// The greatest depth of an input.
    fn most_depth(&self) -> usize {
        self.depth.unwrap_or(self.max_length)
    }

    /// Bits of a type: at least one.
    fn bits(&self) -> usize {
        let above = self.types().next_power_of_two();
        above.trailing_zeros().max(1) as usize
    }

    /// A power of two that is more than the difference of two types.
    fn above_types(&self) -> f64 {
        2f64.powi(self.bits() as i32 + 1)
    }

    /// The least power of two that is more than every position.
    fn power_above_length(&self) -> f64 {
        ((self.max_length + 1) as f64).log2().ceil().exp2()
    }
}

/// The layers but the last, which are alike, as one that runs as often as they are many.
fn roll(model: &mut Model) {
    let times = model.layers.len() - 1;
    model.layers.drain(1..times);
    model.loops = vec![Loop {
        layers: 0..1,
        times,
    }];
    for variable in &mut model.variables {
        variable.ready = variable.ready.min(2);
    }
}
