//! How rules are written: as lists, a row each. Texts may name what the pattern or a `where` of their
//! row has bound.

/// A text, in parentheses with values that stand in it.
macro_rules! text {
    (($($text:tt)*)) => { format!($($text)*) };
    ($text:literal) => { format!($text) };
}

/// An error with a code and a text.
macro_rules! error {
    ($code:ident, $message:literal $(, $value:expr)*) => {
        Diagnostic::error(Code::$code, format!($message $(, $value)*))
    };
}

/// A warning with a code and a text.
macro_rules! warning {
    ($code:ident, $message:literal $(, $value:expr)*) => {
        Diagnostic::warning(Code::$code, format!($message $(, $value)*))
    };
}

/// What happened, places `at` which something is said, the same of `each` of several, a `note`, and
/// `help`, or a `mend` if there is one.
macro_rules! told {
    ($told:expr $(, at $at:expr, $label:tt)*
        $(, each $one:pat in $all:expr => $place:expr, $said:tt)?
        $(, note $note:tt)* $(, help $help:tt)? $(, mend $mend:expr)? $(,)?) => {{
        let told: Diagnostic = $told;
        $(let told = told.at($at, text!($label));)*
        $(let told = $all.into_iter().fold(told, |told, $one| told.at($place, text!($said)));)?
        $(let told = told.note(text!($note));)*
        $(let told = told.help(text!($help));)?
        $(let told = told.maybe_help($mend);)?
        told
    }};
}

/// What causes are told as.
macro_rules! rules {
    ($cause:expr; $($pattern:pat $(if $guard:expr)? =>
        $(where $name:pat = $value:expr;)* $told:expr
        $(, at $at:expr, $label:tt)*
        $(, each $one:pat in $all:expr => $place:expr, $said:tt)?
        $(, note $note:tt)* $(, help $help:tt)? $(, mend $mend:expr)?;)*) => {
        match $cause {
            $($pattern $(if $guard)? => {
                $(let $name = $value;)*
                told!($told $(, at $at, $label)* $(, each $one in $all => $place, $said)?
                    $(, note $note)* $(, help $help)? $(, mend $mend)?)
            })*
        }
    };
}

/// What something was probably meant to be: what for, and the text that the whole, or the part `at` a
/// place, has then, where a name stands for the text that is there; a sentence that is only to `say`;
/// or `else` another rule. Nothing if no row fits. The `part` is what is replaced, the `whole` what is
/// quoted.
macro_rules! mends {
    ($scene:expr, $value:expr; $($pattern:pat $(if $guard:expr)? => $(at $it:pat = $at:expr;)?
        $(where $name:pat = $bound:expr;)*
        $($what:literal, $fixed:tt)? $(say $said:tt)? $(else $other:expr)?;)*) => {
        match $value {
            $($pattern $(if $guard)? => {
                #[allow(unused_variables)]
                let (part, whole) = ($scene.whole, $scene.whole);
                $(let (part, whole) = $scene.place_of($at);
                let $it = $scene.say(part);)?
                $(let $name = $bound;)*
                $($scene.mend_places(&format!($what), vec![((part, whole), text!($fixed))]))?
                $($crate::diagnose::eval::quote::said(text!($said)))?
                $($other)?
            })*
            #[allow(unreachable_patterns)]
            _ => None,
        }
    };
}

/// Slips as a list: what is looked at, and, for each thing that it may be, what is wrong and what to
/// write, perhaps as an edit of some lexemes, shown at the place or another lexeme with a label. Texts
/// may name what the pattern or a `where` has bound.
macro_rules! slips {
    ($place:expr, $value:expr; $($pattern:pat $(if $guard:expr)? =>
        $(where $name:pat = $bound:expr;)* $message:literal, $help:expr
        $(, edit $lexemes:expr, $text:expr)? $(, at $at:expr, $label:literal)?;)*) => {
        match $value {
            $($pattern $(if $guard)? => {
                $(let $name = $bound;)*
                let help = Suggestion::from($help);
                $(let help = $place.edit(help.message, $lexemes, $text);)?
                // A row with a place of its own reads this, too, so that no row warns.
                let shown = ($place.at, "not here");
                $(let shown = match shown { _ => ($at, $label) };)?
                Some($place.slip_at(shown, format!($message), help))
            })*
            #[allow(unreachable_patterns)]
            _ => None,
        }
    };
}
