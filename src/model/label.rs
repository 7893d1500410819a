//! What directions of the residual stream are called that stand for some values of an s-op: `name = value`,
//! or `name <= value` and the like where that says which. Depends on nothing.

const UP_TO: &str = "<=";
const FROM: &str = ">=";
const ALL_BUT: &str = "!=";

/// Signs before the value that ends those that a direction stands for.
const SIGNS: [&str; 3] = [UP_TO, FROM, ALL_BUT];

/// A comparison with one value of an ascending domain that holds for just the chosen ones.
pub(crate) fn condition(chosen: &[bool]) -> Option<(&'static str, usize)> {
    let first = chosen.iter().position(|holds| *holds)?;
    let last = chosen.iter().rposition(|holds| *holds)?;
    let count = chosen.iter().filter(|holds| **holds).count();
    let end = chosen.len() - 1;
    let gapless = last - first + 1 == count;
    match (count, chosen.iter().position(|holds| !holds)) {
        (1, _) => Some(("=", first)),
        _ if gapless && last == end => Some((FROM, first)),
        _ if gapless && first == 0 => Some((UP_TO, last)),
        (_, Some(missing)) if count == end => Some((ALL_BUT, missing)),
        _ => None,
    }
}

/// What a direction is of, and the value that it stands for if it is called after one: `name = value`; or the values,
/// as in `name <= value`, sign and all.
pub fn name_and_value(label: &str) -> (&str, Option<&str>) {
    let is_whole = |name: &str| name.matches('(').count() == name.matches(')').count();
    let of_several = || {
        let signs = SIGNS.iter();
        let at = signs.filter_map(|sign| label.find(&format!(" {sign} ")));
        let (name, all) = label.split_at(at.min()?);
        is_whole(name).then_some((name, &all[1..]))
    };
    match label.split_once(" = ") {
        Some((name, value)) => (name, Some(value)),
        None => of_several().map_or((label, None), |(name, all)| (name, Some(all))),
    }
}

/// A value as it stands among others, or values: a sign stands with its value.
pub(super) fn without_gap(value: &str) -> String {
    match value.split_once(' ') {
        Some((sign, value)) if SIGNS.contains(&sign) => format!("{sign}{value}"),
        _ => value.to_string(),
    }
}
