//! Text from outside as a terminal may be given it. A control character in the name of a file, of a
//! model or in a token could move the cursor, or turn around what stands beside it; its escape does
//! neither. Depends on nothing else in the crate.

use std::borrow::Cow;
use std::path::Path;

/// Whether a character shows nothing itself, and changes how others show.
pub fn is_unseen(character: char) -> bool {
    let turns = matches!(
        character,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
    );
    turns || character.is_control()
}

/// A text of several lines, with escapes for what is unseen; the ends of lines and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: &u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    // Most of what is written, and by far the longest of it: 64 bytes are looked at in one go.
    let blocks = text.as_bytes().chunks(64);
    let mut plain = blocks.map(|block| block.iter().fold(true, |all, byte| all & is_plain(byte)));
    if plain.all(|is_plain| is_plain) {
        return Cow::Borrowed(text);
    }
    let stays = |character: char| matches!(character, '\n' | '\t') || !is_unseen(character);
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.replace("\r\n", "\n").chars() {
        match stays(character) {
            true => shown.push(character),
            false => shown.extend(character.escape_default()),
        }
    }
    Cow::Owned(shown)
}

/// The name of a file, of a model, or of anything else that stands in one line.
pub fn name(name: &str) -> Cow<'_, str> {
    if !name.chars().any(is_unseen) {
        return Cow::Borrowed(name);
    }
    let escaped = name.chars().flat_map(|character| {
        let (escape, plain) = match is_unseen(character) {
            true => (Some(character.escape_default()), None),
            false => (None, Some(character)),
        };
        escape.into_iter().flatten().chain(plain)
    });
    Cow::Owned(escaped.collect())
}

/// A path, as far as it is text, in one line.
pub fn path(path: &Path) -> String {
    name(&path.to_string_lossy()).into_owned()
}
