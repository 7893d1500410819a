//! Why a statement stopped: what happened, as data, and where. Nothing here is said in words;
//! `diagnose` does that, once for each statement.

use super::meta::{Callable, Meta, ScopeId, Side};
use crate::base::Span;
use crate::builtin::Builtin;
use crate::interpret::Failed;
use crate::syntax::ast::{Ast, BinaryOperator, ExprId, Ident, Name};
use crate::value::Failure;
use crate::value::{Comparison, Op, TypeSet, Value};
use std::sync::Arc;

/// Why evaluation of a statement stopped.
#[derive(Debug)]
pub enum Stop {
    Fault(Box<Fault>),
    /// It uses a name whose definition failed; that has been reported already.
    Broken,
}

/// What happened, where, and the calls that led there.
#[derive(Debug)]
pub struct Fault {
    pub cause: Cause,
    /// Where it happened; known once the innermost expression or statement has failed.
    pub site: Option<Site>,
    /// The calls in progress, innermost first; of a recursion the innermost few.
    pub calls: Vec<Call>,
    /// A name that a `repeat` carries, if it had other types in the first round than in the one that
    /// this happened in, which comes second.
    pub changed: Option<(Name, [TypeSet; 2])>,
}

/// A place in a program that was being evaluated.
#[derive(Clone, Debug)]
pub struct Site {
    pub ast: Arc<Ast>,
    pub scope: ScopeId,
    /// The expression, unless it is a statement as a whole.
    pub expr: Option<ExprId>,
    pub span: Span,
}

/// A call in progress, with what was handed over and where each of it was made.
#[derive(Debug)]
pub struct Call {
    pub name: Name,
    pub span: Span,
    pub arguments: Vec<Side>,
    /// What the arguments stand in.
    pub whole: Span,
    /// The call as an expression; a function that is handed over is called from no place of its own.
    pub site: Option<Site>,
}

/// Calls that are kept on the way to a fault.
const KEPT_CALLS: usize = 16;

/// What evaluation gives, unless it stops.
pub(crate) type Outcome<T> = Result<T, Stop>;

/// What happened.
#[derive(Debug)]
pub enum Cause {
    /// A person has interrupted it.
    Interrupted,
    Limit(Limit),

    // ---- Names ----
    Undefined(Name),
    Reserved(Ident),

    // ---- Calls ----
    NotCallable(Meta),
    Arguments {
        called: Name,
        callable: Arc<Callable>,
        wrong: Argument,
    },
    BuiltinArguments(Builtin, Argument),
    /// A function that is handed over is called with another number of arguments.
    Arity(Arc<Callable>, usize, Span),
    /// A built-in function that is handed over.
    BuiltinHandedOver(Builtin, Span),
    /// An s-op or selector is applied to several inputs, or to none.
    InputCount(Meta, usize),
    /// What is applied, if anything is, and what is no input.
    NoInput(Option<Meta>, Side),
    /// It has no value on an input that it is applied to here.
    OnInput(Box<Failed>, Span),

    // ---- Operators ----
    /// An operator or function on operands of the wrong kinds or types.
    Operands {
        op: Op,
        sides: Vec<Side>,
    },
    /// A primitive has no result on some values.
    Failed(Failure, Span),
    SelectorOperand(Op, [Side; 2]),
    SelectorAndOther(BinaryOperator, [Side; 2]),
    /// Something else where an s-op or an atom is needed.
    NoSOp(Side),
    SelectorAsCondition(Span),
    /// An s-op inside a list or dict that is compared.
    ComparesSOps,
    StrayOperator(Comparison),
    /// `*list` where there is a place for one value only.
    StraySpread(Span),

    // ---- Elements ----
    NotIndexable(Meta),
    /// What is indexed, and by what.
    BadIndex(Meta, Side),
    OutOfRange {
        index: i64,
        length: usize,
        string: bool,
        at: Span,
    },
    /// A dict, and a key that it does not have.
    NoKey(Meta, Value, Span),
    /// A list or dict that an s-op cannot be looked up in, as it holds this.
    NoTable(Meta),
    /// An index from the end where `length` is no s-op.
    NoLength,
    Membership([Side; 2]),
    NotIterable(Side),
    NotSpread(Side),
    /// A value that cannot be taken apart for several names.
    NotSeveral {
        found: Side,
        count: usize,
        /// The number of the element of a loop, if it is one.
        element: Option<usize>,
    },
    /// Another number of values than of names.
    Count {
        names: usize,
        values: usize,
        at: Option<Span>,
        /// The number of the element of a loop, if it is one.
        element: Option<usize>,
    },
    DictKey(Side),

    // ---- Attention ----
    NoComparison(ExprId),
    KeysAndQueries(Comparison, [Side; 2]),
    /// Something else where `aggregate` takes a selector, and the values.
    NoSelector(Side, Meta),
    /// The values of an aggregate, and what is no default for them.
    NoDefault(Meta, Side),
    /// Something else where a function of keys and queries is needed.
    NoScore(Span),
    ScoreTypes(TypeSet, [usize; 2], Span),
    /// Something else where `select_best` takes a selector, or else a scorer.
    NotBest(bool, Side),
    /// A function of keys and queries, of which there are so many; what one gives.
    PredicateArity(Arc<Callable>, [usize; 2], Span),
    PredicateResult(Meta, [usize; 2], Span),
    /// A function of keys and queries reads an s-op that is neither.
    Captured,

    // ---- Built-in functions ----
    NoList(Builtin, Side),
    NoIndicator(Side),
    NoFunction(Side),
    NoNumbers(Side),
    NoBound(Side),
    StepZero,
    Lengths(Vec<(usize, Span)>),

    // ---- Statements ----
    /// How often a `repeat` runs is no number.
    NoTimes(Side),
    /// A name that a `repeat` carries, but its body does not set.
    NotCarried(Ident),
    /// A name that a `repeat` carries twice.
    CarriedTwice(Ident),
    NotDrawn(Side),
    NoLongest(Side),
    NoVocabulary(Side),
    NotLoaded {
        path: String,
        reason: String,
    },
    Cycle {
        files: Vec<String>,
        loads: Vec<(String, Span)>,
    },
    LoadedErrors {
        path: String,
        file: String,
    },
    /// An assertion that is false, with what its sides, or it as a whole, were found to be.
    Unmet(Vec<Side>),
    /// An assertion of something that has no truth.
    NoTruth(Side),
}

/// A limit that was reached, and what was to be made that is too large.
#[derive(Clone, Debug)]
pub enum Limit {
    Steps(u64),
    Memory(u64),
    Nodes(usize),
    Elements(usize, Option<i128>),
    Nesting(u32),
    LoadDepth(usize),
    Loads(u64),
    Calls {
        bound: usize,
        callable: Arc<Callable>,
    },
}

/// What is wrong with the arguments of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    Count { given: usize, at: Span },
    Unknown(Ident),
    Twice { parameter: Name, at: Span },
    Missing(Name),
}

/// Something that is evaluated, but probably not what was meant: where, what it is about, and for what
/// may differ from call to call the calls in progress, innermost first.
#[derive(Debug)]
pub struct Doubt {
    pub kind: Doubtful,
    pub sides: Vec<Side>,
    pub span: Span,
    pub calls: Vec<(Name, Span)>,
}

/// What is doubtful.
#[derive(Debug)]
pub enum Doubtful {
    /// An equality with the same answer on every input.
    Constant { op: Op, answer: bool },
    /// A side of `and` or `or` that is always true or false.
    ConstantSide(Op),
    /// Keys and queries that are never equal.
    ConstantSelector(Comparison),
    /// What a call made of its arguments alone.
    Made(Meta),
    /// An s-op looked for among values that it never has.
    ConstantMembership(Vec<Value>),
    /// Branches of which one is of numbers and the other of strings.
    Branches,
    /// The same of a default, with where it was made, and one of the values.
    Default { made: Span, values: Meta },
    /// A name of the language or the library that gets another meaning.
    Shadowed(Ident, Shadow),
    /// Names of the user's, where they were made, that mean what a loaded file says from now on.
    Replaced(Vec<(Name, Span)>, String),
}

/// What a shadowed name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shadow {
    /// `select` or `aggregate`, whose calls always mean the built-in function.
    Called,
    Builtin,
    Library,
    Loaded,
}

impl From<Cause> for Stop {
    fn from(cause: Cause) -> Stop {
        Stop::Fault(Box::new(Fault {
            cause,
            site: None,
            calls: Vec::new(),
            changed: None,
        }))
    }
}

/// Stops where a limit is reached.
pub(super) fn limited(is_reached: bool, limit: Limit) -> Outcome<()> {
    match is_reached {
        true => Err(Cause::Limit(limit).into()),
        false => Ok(()),
    }
}

/// Refuses operands that an operator or function does not work on.
pub(super) fn refuse<T>(op: Op, sides: impl Into<Vec<Side>>) -> Outcome<T> {
    let sides = sides.into();
    Err(Cause::Operands { op, sides }.into())
}

impl Stop {
    /// The fault at the innermost place that was being evaluated.
    pub(super) fn at(mut self, site: impl FnOnce() -> Site) -> Stop {
        if let Stop::Fault(fault) = &mut self
            && fault.site.is_none()
        {
            fault.site = Some(site());
        }
        self
    }

    /// The fault with a call that led to it. Of a recursion, one call of each place is enough.
    pub(super) fn within(mut self, call: impl FnOnce() -> Call, span: Span) -> Stop {
        if let Stop::Fault(fault) = &mut self {
            let calls = &mut fault.calls;
            if calls.len() < KEPT_CALLS && calls.iter().all(|call| call.span != span) {
                calls.push(call());
            }
        }
        self
    }

    /// The fault in a round in which a carried name has other types than in the first; of nested
    /// rounds the innermost.
    pub(super) fn changed(mut self, changed: Option<(Name, [TypeSet; 2])>) -> Stop {
        if let Stop::Fault(fault) = &mut self {
            fault.changed = fault.changed.take().or(changed);
        }
        self
    }

    fn cause(&self) -> Option<&Cause> {
        match self {
            Stop::Fault(fault) => Some(&fault.cause),
            Stop::Broken => None,
        }
    }

    /// The name that is not defined, if that is why.
    pub(super) fn undefined(&self) -> Option<&Name> {
        let Cause::Undefined(name) = self.cause()? else {
            return None;
        };
        Some(name)
    }

    /// Whether it is an assertion that does not hold, behind which a loop goes on.
    pub(super) fn is_assertion(&self) -> bool {
        matches!(self.cause(), Some(Cause::Unmet(_) | Cause::NoTruth(_)))
    }
}
