//! What is wrong with a text, as the parser found it: what kind of mistake, and where. `diagnose`
//! says it in words.

use crate::base::Span;

/// A mistake with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub kind: MistakeKind,
    pub span: Span,
}

/// What kind of mistake it is. Where it is plain what was meant, the parser has read that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MistakeKind {
    /// The text is longer than the limit.
    SourceBytes,
    /// The first bracket beyond the limit.
    OpenBrackets,
    /// The first expression deeper than the limit.
    ExpressionDepth,
    /// An unknown escape in a string.
    Escape,
    /// An integer that no 64 bits hold.
    LargeInt,
    /// A number beyond all floats.
    LargeFloat,
    /// The `//` of a comment.
    Comment,
    /// What is glued to a number: `1.2.3`, `0x1F`, `3abc`.
    Number,
    /// A string over two lines, or with its own quote inside.
    BrokenString,
    /// A string whose line ends before its quote.
    OpenString,
    /// An operator or number as another language spells it.
    Foreign,
    /// The character before a missing `;`.
    NoSemicolon,
    /// A statement of another language with a body in braces.
    Block,
    /// A token, or the end of the text, where the grammar takes only these.
    Unexpected(Vec<String>),
    /// Anything but the one expression that was asked for.
    NoExpression,
}

impl MistakeKind {
    /// The mistake at a place.
    pub fn at(self, span: Span) -> Mistake {
        Mistake { kind: self, span }
    }
}
