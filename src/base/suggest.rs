//! Nearest names, for errors about names that do not exist.

use strsim::osa_distance;

/// Longer names are near to nothing, so that comparing them takes no time.
const LONGEST: usize = 100;

/// The candidate that `name` was probably meant to be, if one is near enough. One letter is near to
/// everything, and so to nothing.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name = folded(name);
    let count = name.chars().count();
    if !(2..=LONGEST).contains(&count) {
        return None;
    }
    let allowed = (count / 3).clamp(1, 3);
    let is_near = |letters: &str| {
        let letters = letters.chars().count();
        letters > 1 && letters.abs_diff(count) <= allowed
    };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 4 * (count + allowed))
        .map(|candidate| (folded(candidate), candidate))
        .filter(|(letters, _)| is_near(letters))
        .map(|(letters, candidate)| (osa_distance(&name, &letters), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The letters of a name, as if there were no capitals.
fn folded(name: &str) -> String {
    name.chars().flat_map(char::to_lowercase).collect()
}
