//! Errors and warnings as values: a code, a message, labelled places and help. Nothing here is
//! printed; `render` does that.

use super::source::Span;
use std::fmt;

/// The result of anything that a user's mistake can stop.
pub type Fallible<T> = Result<T, Box<Diagnostic>>;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The program, or what was asked, has no result.
    Error,
    /// It has one, which may not be what is meant.
    Warning,
}

macro_rules! codes {
    ($($variant:ident $code:literal $title:literal;)*) => {
        /// What kind of mistake a diagnostic reports. The number is stable: documentation and
        /// tools refer to it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $title] $variant,)* }

        impl Code {
            /// Every code, in the order of its numbers.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The stable number, like `E0201`.
            pub fn number(self) -> &'static str {
                match self { $(Code::$variant => $code,)* }
            }

            /// What went wrong, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title,)* }
            }
        }
    };
}

codes! {
    UnknownCharacter "E0101" "a character that is not part of the language";
    UnclosedString "E0102" "a string without its closing quote";
    BadEscape "E0103" "an unknown escape in a string";
    UnexpectedToken "E0104" "something here that does not fit";
    UnexpectedEnd "E0105" "the text ends in the middle of a statement";
    NumberTooLarge "E0106" "a number that is too large";
    UndefinedName "E0201" "a name that nothing defines";
    ReservedName "E0202" "a name that may not be redefined";
    NotCallable "E0203" "a value that cannot be called";
    WrongArguments "E0204" "a call with the wrong arguments";
    OperandTypes "E0301" "an operation on types it does not work on";
    SelectorExpected "E0302" "a selector was expected";
    SelectorMisused "E0303" "a selector where a value was expected";
    BadIndex "E0304" "an index that does not fit what is indexed";
    BadMembership "E0305" "`in` on something it does not work on";
    NotIterable "E0306" "something that cannot be looped over";
    WrongCount "E0307" "a different number of values than names";
    AtomExpected "E0308" "an atom or an s-op was expected";
    BadRepeat "E0309" "a `repeat` that cannot be run";
    MixedTypes "E0401" "numbers and strings in one s-op";
    MeanOfNonNumbers "E0403" "several selected values that are not numbers";
    BadToken "E0404" "a token that cannot be converted";
    BadInput "E0405" "an input that is not a non-empty sequence";
    Overflow "E0406" "an integer result that does not fit in 64 bits";
    ArithmeticFailed "E0407" "an arithmetic operation without a result";
    AssertionFailed "E0408" "an assertion that does not hold";
    FileNotFound "E0501" "a file that could not be found or read";
    LoadCycle "E0502" "files that load each other";
    FileNotWritten "E0503" "a file that could not be written";
    DomainTooLarge "E0601" "more values than the compiler can handle";
    NotCompilable "E0602" "something that has no transformer form yet";
    NotCausal "E0603" "attention to later positions in a causal model";
    NotExact "E0604" "a model that could not be made exact";
    BadModel "E0701" "a file that is not a model";
    UnknownToken "E0702" "a token outside the vocabulary";
    InputTooLong "E0703" "an input longer than the model";
    LimitReached "E0801" "a limit was reached";
    Interrupted "E0802" "a person asked for the end";
    BadRequest "E0803" "something that cannot be done as it is asked for";
    BadLine "E0901" "a line that the assembler does not understand";
    UnknownLabel "E0902" "a name in an assembler text that stands for nothing, or for two things";
    OutOfRange "E0903" "a number or an address that does not fit the machine";
    WrongMachine "E0904" "a program, or a model, for another machine";
    WrongShape "E0905" "matrices whose shapes do not fit";
    NotLearnt "E0906" "examples that no program was learnt from";
    BadTask "E0907" "a puzzle, or a file of examples, that lacks something";
    SurprisingPrecedence "W0101" "an expression that may not mean what it seems to";
    UnusedName "W0201" "a name that nothing reads";
    DuplicateParameter "W0202" "two parameters with the same name";
    ConstantComparison "W0203" "a comparison that comes out the same on every input";
    ShadowedLibrary "W0204" "a library name with another meaning in this file";
    UnreadDefinition "W0205" "a definition that is replaced before anything reads it";
    UnusedParameter "W0206" "a parameter that its function never reads";
    ReplacedName "W0207" "a name of the program that a loaded file replaces";
    MixedDefault "W0301" "a default or a branch of another type than the other values";
    ReachableMean "W0302" "an aggregate that selects several values which are not numbers";
    ReachableFailure "W0303" "an operation that fails on some inputs";
    HangsOnRounding "W0304" "a comparison that hangs on rounding";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.number())
    }
}

/// A place with what to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where it is.
    pub span: Span,
    /// What to say there.
    pub text: String,
}

/// One error or warning. The first label is the main place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What kind of mistake it is.
    pub code: Code,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The places that it is about.
    pub labels: Vec<Label>,
    /// Background that explains the message.
    pub notes: Vec<String>,
    /// What to type instead.
    pub help: Option<Suggestion>,
    /// Whether it only follows from others, which have been reported.
    pub follows: bool,
}

/// What to type instead, in words; and, where that is certain, as edits of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What to do, in words.
    pub message: String,
    /// Places with the texts to put there instead, in their order. With all of them made, the
    /// program does not give the diagnostic any more, nor any other that it did not give before.
    pub edits: Vec<(Span, String)>,
}

impl Suggestion {
    /// Words with the one edit that they ask for.
    pub fn edit(message: impl Into<String>, span: Span, text: impl Into<String>) -> Suggestion {
        Suggestion {
            message: message.into(),
            edits: vec![(span, text.into())],
        }
    }

    /// The text of its program with its edits, which come in the order of the text.
    pub fn applied(&self, text: &str) -> String {
        let mut text = text.to_string();
        for (span, other) in self.edits.iter().rev() {
            text.replace_range(span.range(), other);
        }
        text
    }

    /// It in words only: what it asks for may fail in its turn.
    pub fn plain(self) -> Suggestion {
        Suggestion {
            edits: Vec::new(),
            ..self
        }
    }
}

impl<T: Into<String>> From<T> for Suggestion {
    fn from(message: T) -> Suggestion {
        Suggestion {
            message: message.into(),
            edits: Vec::new(),
        }
    }
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            follows: false,
        }
    }

    /// A warning without a place.
    pub fn warning(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, message)
        }
    }

    /// Adds a labelled place; the first one added is the main place. What no text has made cannot be
    /// shown: what is said of it becomes a note.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        if span == Span::BUILT_IN {
            return self.note(text);
        }
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a labelled place if there is none yet.
    pub fn or_at(self, span: Span, text: impl Into<String>) -> Diagnostic {
        if self.labels.is_empty() {
            self.at(span, text)
        } else {
            self
        }
    }

    /// Adds background.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Says what to type instead.
    pub fn help(mut self, help: impl Into<Suggestion>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds help if there is some.
    pub fn maybe_help(self, help: Option<impl Into<Suggestion>>) -> Diagnostic {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Says that it only follows from others.
    pub fn following(self) -> Diagnostic {
        Diagnostic {
            follows: true,
            ..self
        }
    }

    /// Adds a labelled place around the main one, unless the main place lies in it anyway or the
    /// place has a label already.
    pub fn within(self, span: Span, text: impl Into<String>) -> Diagnostic {
        let shown = self.labels.iter().any(|label| label.span == span);
        let inside = self.span().is_some_and(|main| span.contains(main));
        if shown || inside {
            self
        } else {
            self.at(span, text)
        }
    }

    /// The main place, if the diagnostic has one.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// `1 value`, `2 values`.
pub fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
