//! Where the texts that programs `load` come from: a [`Loader`], which reads files unless a front end
//! gives another, and then the standard library, which no loader has to know.

use crate::eval::{Loaded, Texts};
use crate::stdlib;
use std::collections::BTreeMap;

/// Finds the texts that programs load.
///
/// ```
/// use rasp::graph::Sharing;
/// use rasp::session::{Loaded, Loader, Missing, Session};
///
/// /// Numbers as modules: `load "7";` defines `n = 7`.
/// struct Numbers;
///
/// impl Loader for Numbers {
///     fn load(&self, path: &str, _: Option<&str>) -> Result<Loaded, Missing> {
///         match path.parse::<u32>() {
///             Ok(number) => Ok(Loaded {
///                 identity: path.to_string(),
///                 name: format!("number {number}"),
///                 text: format!("n = {number};"),
///             }),
///             Err(_) => Err(Missing::NotFound(vec![format!("a number in `{path}`")])),
///         }
///     }
/// }
///
/// let mut session = Session::new(Sharing::Equal).with_loader(Numbers);
/// session.load_text("main", "load \"7\"; x = indices + n;");
/// assert!(session.take_diagnostics().is_empty());
/// ```
pub trait Loader: Send {
    /// The text behind `path`, written in the text with the identity `from` (`None` at a prompt).
    ///
    /// # Errors
    /// There is none.
    fn load(&self, path: &str, from: Option<&str>) -> Result<Loaded, Missing>;
}

/// Why a loader has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is in none of these places, as people read them. The standard library may have it.
    NotFound(Vec<String>),
    /// It is there and cannot be read, and why.
    Unreadable(String),
}

/// A path that is loaded may leave out its `.rasp`.
pub(super) fn file_name(path: &str) -> String {
    match path.ends_with(".rasp") {
        true => path.to_string(),
        false => format!("{path}.rasp"),
    }
}

/// Texts in memory, for editors and the browser, each by its name: a path with `/`, which ends in
/// `.rasp`. They load each other as files do.
///
/// ```
/// use rasp::graph::Sharing;
/// use rasp::session::{Memory, Session};
///
/// let texts = Memory::new([("lib/parity.rasp", "def even(n) { return n % 2 == 0; }")]);
/// let mut session = Session::new(Sharing::Equal).with_loader(texts);
/// session.load_text("main.rasp", "load \"lib/parity\"; x = even(indices);");
/// assert!(session.take_diagnostics().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Memory(BTreeMap<String, String>);

impl Memory {
    /// These texts, each with its name.
    pub fn new<N: AsRef<str>, T: Into<String>>(texts: impl IntoIterator<Item = (N, T)>) -> Memory {
        let texts = texts.into_iter();
        Memory(
            texts
                .map(|(name, text)| (normal(name.as_ref()), text.into()))
                .collect(),
        )
    }
}

impl Loader for Memory {
    fn load(&self, path: &str, from: Option<&str>) -> Result<Loaded, Missing> {
        let file = file_name(path);
        let folder = from.and_then(|from| from.rsplit_once('/'));
        let beside = folder.map(|(folder, _)| normal(&format!("{folder}/{file}")));
        let mut tried: Vec<String> = beside.into_iter().chain([normal(&file)]).collect();
        tried.dedup();
        for name in &tried {
            if let Some(text) = self.0.get(name) {
                return Ok(Loaded {
                    identity: name.clone(),
                    name: name.clone(),
                    text: text.clone(),
                });
            }
        }
        Err(Missing::NotFound(tried))
    }
}

/// A path without `.` and `..`, so that a text has one name.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Marks the identity of a module of the standard library, which is no path.
const LIBRARY: &str = "stdlib:";

/// What a loader finds, and the standard library.
pub(super) struct WithLibrary(pub Box<dyn Loader>);

impl Texts for WithLibrary {
    fn load(&self, path: &str, from: Option<&str>) -> Result<Loaded, String> {
        let module = stdlib::find(path);
        let found = match from {
            // Modules load each other, whatever other texts of the same names there are.
            Some(from) if self.is_library(from) => Err(Missing::NotFound(Vec::new())),
            _ => self.0.load(path, from),
        };
        // A program named like a module that loads the module does not mean itself.
        let itself = |found: &Loaded| module.is_some() && Some(&*found.identity) == from;
        let found = match found {
            Ok(found) if itself(&found) => self.0.load(path, None),
            found => found,
        };
        match (found, module) {
            (Ok(found), None) => Ok(found),
            (Ok(found), Some(_)) if !itself(&found) => Ok(found),
            (Err(Missing::Unreadable(reason)), _) => Err(reason),
            (_, Some(module)) => Ok(Loaded {
                identity: format!("{LIBRARY}{}", module.name),
                name: format!("stdlib/{}.rasp", module.name),
                text: module.definitions().to_string(),
            }),
            (Err(Missing::NotFound(places)), None) => Err(format!(
                "looked for {} and in the standard library",
                places.join(", ")
            )),
        }
    }

    fn is_library(&self, identity: &str) -> bool {
        identity.starts_with(LIBRARY)
    }

    fn modules(&self) -> Vec<&str> {
        stdlib::MODULES.iter().map(|module| module.name).collect()
    }

    fn library_names(&self) -> Vec<(&str, &str)> {
        stdlib::names().collect()
    }
}
