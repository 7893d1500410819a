//! What was written: an arena of spanned expressions and a tree of statements. Nothing is
//! evaluated or resolved here. Parentheses and comments are kept, so that printing a tree gives
//! the program back.

use crate::base::Span;
use crate::value::{Comparison, Value};
use std::sync::Arc;

/// Names are shared, not copied.
pub type Name = Arc<str>;

/// An expression of one [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// One parsed text.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    exprs: Vec<Expr>,
    pub statements: Vec<Statement>,
    /// Every comment, in the order of the text.
    pub comments: Vec<Comment>,
}

impl Ast {
    /// Appends an expression; its children are already in the arena.
    pub fn add(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(u32::try_from(self.exprs.len()).expect("source length bounds expressions"));
        let depth = 1 + kind
            .children()
            .iter()
            .map(|child| self.get(*child).depth)
            .max()
            .unwrap_or(0);
        self.exprs.push(Expr { kind, span, depth });
        id
    }

    pub fn get(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The name that an expression is, in parentheses or not.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other is a name")]
    pub fn bare_name(&self, id: ExprId) -> Option<&Name> {
        match &self.get(id).kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::Parenthesized(inner) => self.bare_name(*inner),
            _ => None,
        }
    }

    /// An operator and its operands, if an expression is one between two.
    pub fn binary(&self, id: ExprId) -> Option<(ExprId, BinaryOperator, ExprId)> {
        let ExprKind::Binary {
            operator,
            left,
            right,
        } = self.get(id).kind
        else {
            return None;
        };
        Some((left, operator, right))
    }

    /// Every expression, children before parents.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        (0..self.exprs.len() as u32).map(ExprId)
    }

    pub fn len(&self) -> usize {
        self.exprs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.exprs.is_empty()
    }
}

/// One expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// 1 for a leaf, otherwise one more than the deepest child.
    pub depth: u32,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A place where the parser recovered from a syntax error.
    Error,
    Name(Name),
    Literal(Value),
    /// `(e)`; kept so that printing and precedence warnings know what was written.
    Parenthesized(ExprId),
    List(Vec<ExprId>),
    /// `(a, b)`, at least two elements (or one and a trailing comma).
    Tuple(Vec<ExprId>),
    Dict(Vec<(ExprId, ExprId)>),
    /// `[element for names in iterable]`
    ListComprehension {
        element: ExprId,
        names: Vec<Ident>,
        iterable: ExprId,
    },
    /// `{key: value for names in iterable}`
    DictComprehension {
        key: ExprId,
        value: ExprId,
        names: Vec<Ident>,
        iterable: ExprId,
    },
    Unary {
        operator: UnaryOperator,
        operand: ExprId,
    },
    Binary {
        operator: BinaryOperator,
        left: ExprId,
        right: ExprId,
    },
    /// `then if condition else otherwise`
    Ternary {
        then: ExprId,
        condition: ExprId,
        otherwise: ExprId,
    },
    Index {
        object: ExprId,
        index: ExprId,
    },
    /// A call of anything: a function, a builtin like `select`, an s-op applied to an input.
    Call {
        function: ExprId,
        arguments: Vec<Argument>,
    },
    /// `*list` in a list, a tuple or a call: the elements of the list, one after another.
    Spread(ExprId),
    /// A comparison operator as an argument: the third of `select(keys, queries, ==)`.
    Operator(Comparison),
    Lambda(Arc<Lambda>),
}

impl ExprKind {
    /// The direct subexpressions, in the order of the text. A lambda's body counts.
    pub fn children(&self) -> Vec<ExprId> {
        match self {
            ExprKind::Error | ExprKind::Name(_) | ExprKind::Literal(_) | ExprKind::Operator(_) => {
                Vec::new()
            }
            ExprKind::Parenthesized(inner) | ExprKind::Spread(inner) => vec![*inner],
            ExprKind::List(items) | ExprKind::Tuple(items) => items.clone(),
            ExprKind::Dict(entries) => entries
                .iter()
                .flat_map(|(key, value)| [*key, *value])
                .collect(),
            ExprKind::ListComprehension {
                element, iterable, ..
            } => vec![*element, *iterable],
            ExprKind::DictComprehension {
                key,
                value,
                iterable,
                ..
            } => {
                vec![*key, *value, *iterable]
            }
            ExprKind::Unary { operand, .. } => vec![*operand],
            ExprKind::Binary { left, right, .. } => vec![*left, *right],
            ExprKind::Ternary {
                then,
                condition,
                otherwise,
            } => {
                vec![*then, *condition, *otherwise]
            }
            ExprKind::Index { object, index } => vec![*object, *index],
            ExprKind::Call {
                function,
                arguments,
            } => std::iter::once(*function)
                .chain(arguments.iter().map(|argument| argument.value))
                .collect(),
            ExprKind::Lambda(lambda) => lambda
                .parameters
                .iter()
                .filter_map(|parameter| parameter.default)
                .chain([lambda.body])
                .collect(),
        }
    }
}

/// A name where it is introduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// `value` or `name=value`.
#[derive(Clone, Debug)]
pub struct Argument {
    pub name: Option<Ident>,
    pub value: ExprId,
}

/// `name`, `name=default` or, as the last one, `*name`.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub ident: Ident,
    pub default: Option<ExprId>,
    /// Whether it takes all further arguments, as a list.
    pub rest: bool,
}

/// `lambda parameters: body`
#[derive(Clone, Debug)]
pub struct Lambda {
    pub parameters: Vec<Parameter>,
    pub body: ExprId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    Not,
    Negate,
    Plus,
}

impl UnaryOperator {
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOperator::Not => "not",
            UnaryOperator::Negate => "-",
            UnaryOperator::Plus => "+",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    Power,
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    Compare(Comparison),
    And,
    Or,
    In,
}

impl BinaryOperator {
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Power => "^",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Remainder => "%",
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::Compare(comparison) => comparison.symbol(),
            BinaryOperator::And => "and",
            BinaryOperator::Or => "or",
            BinaryOperator::In => "in",
        }
    }
}

/// One statement with its place, without the closing `;`.
#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
    /// The text of the `##` lines directly above, without the marks; empty if there are none.
    pub documentation: String,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    /// A place where the parser recovered from a syntax error.
    Error,
    Expression(ExprId),
    /// `a, b = x, y;`
    Assign {
        names: Vec<Ident>,
        values: Vec<ExprId>,
    },
    Define(Arc<Function>),
    /// `for names in iterable { … }`
    For {
        names: Vec<Ident>,
        iterable: ExprId,
        body: Vec<Statement>,
    },
    Repeat(Repeat),
    /// `load "path";`
    Load {
        path: Arc<str>,
        path_span: Span,
    },
    /// `draw(value);` or `draw(value, input);`
    Draw {
        value: ExprId,
        input: Option<ExprId>,
    },
    /// `assert condition;`
    Assert {
        condition: ExprId,
    },
    Command(Command),
}

/// `def name(parameters) { body return results; }`
#[derive(Clone, Debug)]
pub struct Function {
    pub ident: Ident,
    pub parameters: Vec<Parameter>,
    pub body: Vec<Statement>,
    pub results: Vec<ExprId>,
}

/// `repeat times (names = starts, …) { body }`
#[derive(Clone, Debug)]
pub struct Repeat {
    pub times: ExprId,
    /// The names whose values go from round to round.
    pub names: Vec<Ident>,
    /// Their values before the first round.
    pub starts: Vec<ExprId>,
    pub body: Vec<Statement>,
}

impl Repeat {
    pub fn new(times: ExprId, carried: Vec<(Ident, ExprId)>, body: Vec<Statement>) -> Repeat {
        let (names, starts) = carried.into_iter().unzip();
        Repeat {
            times,
            names,
            starts,
            body,
        }
    }
}

/// What a REPL command about examples is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleKind {
    SOp,
    Selector,
    Both,
}

/// The commands of the reference's REPL and the settings of a file. They are contextual: their
/// words are ordinary names everywhere else.
#[derive(Clone, Debug)]
pub enum Command {
    /// `set [s-op|selector] example E`
    SetExample { kind: ExampleKind, value: ExprId },
    /// `show [s-op|selector] example`
    ShowExample { kind: ExampleKind },
    /// `[s-op|selector] examples on|off`
    Examples { kind: ExampleKind, on: bool },
    /// `full seq display on|off`
    FullDisplay { on: bool },
    /// `set vocab E`
    SetVocabulary { value: ExprId },
    /// `set max_length E`
    SetMaxLength { value: ExprId },
    /// `set causal on|off`
    SetCausal { on: bool },
    /// `exit`, `exit()`, `quit`, `quit()`
    Exit,
}

/// A comment with its mark: `# …` or `## …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub span: Span,
    /// Whether nothing but blanks stands before it on its line.
    pub own_line: bool,
}

impl Statement {
    /// The names that it sets itself.
    pub fn names(&self) -> &[Ident] {
        match &self.kind {
            StatementKind::Assign { names, .. } | StatementKind::For { names, .. } => names,
            StatementKind::Repeat(repeat) => &repeat.names,
            StatementKind::Define(function) => std::slice::from_ref(&function.ident),
            StatementKind::Error
            | StatementKind::Expression(_)
            | StatementKind::Load { .. }
            | StatementKind::Draw { .. }
            | StatementKind::Assert { .. }
            | StatementKind::Command(_) => &[],
        }
    }

    /// The statements inside it.
    pub fn body(&self) -> &[Statement] {
        match &self.kind {
            StatementKind::For { body, .. } => body,
            StatementKind::Repeat(repeat) => &repeat.body,
            StatementKind::Define(function) => &function.body,
            StatementKind::Error
            | StatementKind::Expression(_)
            | StatementKind::Assign { .. }
            | StatementKind::Load { .. }
            | StatementKind::Draw { .. }
            | StatementKind::Assert { .. }
            | StatementKind::Command(_) => &[],
        }
    }

    /// The expressions that it reads itself, but for the values of commands.
    pub fn expressions(&self) -> Vec<ExprId> {
        match &self.kind {
            StatementKind::Expression(id) | StatementKind::Assert { condition: id } => vec![*id],
            StatementKind::Assign { values, .. } => values.clone(),
            StatementKind::For { iterable, .. } => vec![*iterable],
            StatementKind::Repeat(repeat) => {
                let starts = repeat.starts.iter().copied();
                std::iter::once(repeat.times).chain(starts).collect()
            }
            StatementKind::Define(function) => {
                let parameters = function.parameters.iter();
                let defaults = parameters.filter_map(|parameter| parameter.default);
                defaults.chain(function.results.iter().copied()).collect()
            }
            StatementKind::Draw { value, input } => [*value].into_iter().chain(*input).collect(),
            StatementKind::Error | StatementKind::Load { .. } | StatementKind::Command(_) => {
                Vec::new()
            }
        }
    }
}
