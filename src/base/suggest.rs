//! Nearest names, for errors about names that do not exist.

/// The candidate that `name` was probably meant to be, if one is near enough. One letter is near to
/// everything, and so to nothing.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name = folded(name);
    if name.len() < 2 {
        return None;
    }
    let allowed = (name.len() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 4 * (name.len() + allowed))
        .map(|candidate| (folded(candidate), candidate))
        .filter(|(letters, _)| letters.len() > 1 && letters.len().abs_diff(name.len()) <= allowed)
        .filter_map(|(letters, candidate)| Some((distance(&name, &letters, allowed)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The letters of a name, as if there were no capitals.
fn folded(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other, if
/// they are no more than allowed.
fn distance(a: &[char], b: &[char], allowed: usize) -> Option<usize> {
    // The rows of the table for the letters so far, the letters but one, and but two.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let (mut before, mut before_that) = (row.clone(), row.clone());
    for i in 1..=a.len() {
        std::mem::swap(&mut before_that, &mut before);
        std::mem::swap(&mut before, &mut row);
        row[0] = i;
        for j in 1..=b.len() {
            let replace = before[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(before[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before_that[j - 2] + 1);
            }
            row[j] = best;
        }
        // A swap reaches back two rows, and costs one.
        if row.iter().chain(&before).min() > Some(&allowed) {
            return None;
        }
    }
    row.last().copied().filter(|distance| *distance <= allowed)
}
