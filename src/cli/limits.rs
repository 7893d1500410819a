//! The limits that the command line sets, `--limit NAME=VALUE`: those of every session that the
//! command opens. Depends on `base` and `session`.

use crate::base::Limits;
use crate::base::suggest::nearest;
use crate::graph::Sharing;
use crate::session::Session;
use std::sync::OnceLock;

/// What this command line has set; its arguments are the process's.
static SET: OnceLock<Limits> = OnceLock::new();

/// One limit, as it is given.
pub fn parse(text: &str) -> Result<(String, u64), String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err("a limit is set like `steps=1000`".to_string());
    };
    let number = value.replace('_', "").parse::<u64>();
    let number = number.map_err(|_| format!("`{value}` is not a whole number"))?;
    let mut limits = Limits::default();
    let (most, is_known) = (limits.source_bytes as u64, Limits::NAMES.contains(&name));
    match limits.set(name, number) {
        true if name == "source_bytes" && number > most => {
            Err(format!("no text may have more than {most} bytes"))
        }
        true => Ok((name.to_string(), number)),
        false if is_known => Err(format!("`{name}` cannot be as large as {value}")),
        false => Err(match nearest(name, Limits::NAMES.iter().copied()) {
            Some(nearest) => format!("no limit is called `{name}`; did you mean `{nearest}`?"),
            None => format!(
                "no limit is called `{name}`; there are {}",
                Limits::NAMES.join(", ")
            ),
        }),
    }
}

/// Puts the limits in force that were given.
pub fn set(given: &[(String, u64)]) {
    let mut limits = Limits::default();
    for (name, value) in given {
        limits.set(name, *value);
    }
    SET.get_or_init(|| limits);
}

/// The limits in force.
pub fn limits() -> Limits {
    SET.get().cloned().unwrap_or_default()
}

/// A new session within the limits.
pub fn session(sharing: Sharing) -> Session {
    Session::new(sharing).with_limits(limits())
}
