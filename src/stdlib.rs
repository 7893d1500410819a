//! The standard library: RASP sources from `stdlib/`, embedded in the program. `rasplib` is seen by
//! every program; the other modules are loaded by name.

use std::sync::LazyLock;

/// A module: the name that `load` takes, and its text.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    pub name: &'static str,
    pub text: &'static str,
}

impl Module {
    /// The module without the assertions at its end. They are for whoever reads or tests the
    /// module; run at every load, they would leave their s-ops in every program's graph.
    pub fn definitions(&self) -> &'static str {
        match self.text.find("\nassert ") {
            Some(end) => &self.text[..=end],
            None => self.text,
        }
    }
}

/// The library that every program sees.
pub const RASPLIB: Module = Module {
    name: "rasplib",
    text: include_str!("../stdlib/rasplib.rasp"),
};

/// The modules to load.
pub const MODULES: &[Module] = &[
    Module {
        name: "hist",
        text: include_str!("../stdlib/hist.rasp"),
    },
    Module {
        name: "sorting",
        text: include_str!("../stdlib/sorting.rasp"),
    },
    Module {
        name: "dyck",
        text: include_str!("../stdlib/dyck.rasp"),
    },
    Module {
        name: "fractions",
        text: include_str!("../stdlib/fractions.rasp"),
    },
    Module {
        name: "induction",
        text: include_str!("../stdlib/induction.rasp"),
    },
    Module {
        name: "arithmetic",
        text: include_str!("../stdlib/arithmetic.rasp"),
    },
    Module {
        name: "logic",
        text: include_str!("../stdlib/logic.rasp"),
    },
    Module {
        name: "preprint",
        text: include_str!("../stdlib/preprint.rasp"),
    },
    Module {
        name: "tracr",
        text: include_str!("../stdlib/tracr.rasp"),
    },
];

/// A module by the name given to `load`, with or without `.rasp`.
pub fn find(name: &str) -> Option<&'static Module> {
    let name = name.strip_suffix(".rasp").unwrap_or(name);
    MODULES.iter().find(|module| module.name == name)
}

/// The module that defines a name.
#[cfg(feature = "repl")]
pub fn defining(name: &str) -> Option<&'static Module> {
    let (_, module) = names().find(|(defined, _)| *defined == name)?;
    find(module)
}

/// The names that the modules define for others, each with its module's.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    static NAMES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| defined().collect());
    NAMES.iter().copied()
}

fn defined() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_line = |line: &'static str| {
        let function = line.strip_prefix("def ");
        let defined = function.unwrap_or(line);
        let end = defined.find(|part: char| !part.is_alphanumeric() && part != '_')?;
        let (name, rest) = defined.split_at(end);
        let rest = rest.trim_start();
        let assigned = rest.starts_with('=') && !rest.starts_with("==");
        let public = !name.is_empty() && !name.starts_with('_');
        (public && (function.is_some() || assigned)).then_some(name)
    };
    MODULES.iter().flat_map(move |module| {
        let names = module.text.lines().filter_map(of_line);
        names.map(|name| (name, module.name))
    })
}
