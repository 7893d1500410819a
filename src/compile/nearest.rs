//! What one wants to know of a refusal: up to which length inputs do compile. Depends on nothing but
//! what compiles.

use crate::base::{Code, Control, Fallible, counted};
use crate::infer::Setting;

/// Lengths that are tried between the longest that compiles and the shortest that does not.
const BETWEEN: usize = 2;

/// What is made for a setting; or why not, with how long inputs may be instead: 1, 2, 4 tokens and so
/// on, and some lengths between.
///
/// # Errors
/// As `make` for the setting itself.
pub(crate) fn or_nearest<T>(
    setting: &Setting,
    control: &Control,
    make: impl Fn(&Setting) -> Fallible<T>,
    is_wanted: impl Fn(&T) -> bool,
) -> Fallible<T> {
    make(setting).map_err(|error| {
        // Of long inputs less is known of what selects what, so that a program may be causal all the same.
        let looks_ahead = error.code == Code::NotCausal;
        let hangs_on_length = matches!(
            error.code,
            Code::DomainTooLarge | Code::NotExact | Code::LimitReached
        );
        if !looks_ahead && (!hangs_on_length || error.help.is_some()) {
            return error;
        }
        control.at("looking for shorter inputs that compile");
        let compiles = |max_length: usize| {
            let vocabulary = setting.vocabulary.clone();
            let made = make(&Setting {
                vocabulary,
                max_length,
                ..*setting
            });
            control.check().is_ok() && made.is_ok_and(|made| is_wanted(&made))
        };
        // Short ones first: what compiles is found before much is tried that does not.
        let (mut longest, mut too_long) = (0, setting.max_length);
        let mut next = 1;
        while next < too_long {
            match compiles(next) {
                true => (longest, next) = (next, 2 * next),
                false => too_long = next,
            }
        }
        for _ in 0..BETWEEN {
            let between = usize::midpoint(longest, too_long);
            match between > longest && compiles(between) {
                true => longest = between,
                false => too_long = between.max(longest + 1),
            }
        }
        // Who stops this has an answer all the same.
        if control.check().is_err() {
            return error;
        }
        // One token has no later one.
        if looks_ahead && longest < 2 {
            return error;
        }
        if longest == 0 {
            let help = "a smaller vocabulary may compile: with this one no shorter inputs do";
            return error.help(help).into();
        }
        let tokens = counted(longest, "token");
        let mut help = format!("inputs of up to {tokens} compile: `--max-len {longest}`");
        if error.code == Code::DomainTooLarge {
            help += "; longer ones may with a higher limit, as `rasp explain E0601` tells";
        }
        match looks_ahead {
            true => error.note(help).into(),
            false => error.help(help).into(),
        }
    })
}
