//! Rules of the source tree that no compiler checks: which module may import which, how long files
//! may get, and that every module says what it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each top-level module with the modules it may import. Data flows one way; an edge that is not
/// here is a mistake, or a decision to record in docs/ARCHITECTURE.md.
const IMPORTS: &[(&str, &[&str])] = &[
    ("algebra", &[]),
    ("base", &[]),
    ("value", &[]),
    ("builtin", &[]),
    ("pages", &["base"]),
    ("syntax", &["base", "value"]),
    ("format", &["base", "value", "syntax"]),
    ("graph", &["base", "value"]),
    ("interpret", &["base", "value", "graph"]),
    (
        "eval",
        &["base", "value", "syntax", "builtin", "graph", "interpret"],
    ),
    ("repr", &["value", "eval"]),
    (
        "diagnose",
        &[
            "base",
            "value",
            "syntax",
            "format",
            "builtin",
            "graph",
            "interpret",
            "eval",
        ],
    ),
    ("schedule", &["base", "graph"]),
    ("infer", &["base", "value", "graph", "schedule"]),
    ("model", &["base", "value"]),
    ("execute", &["base", "value", "model"]),
    ("machine", &["base", "value", "model", "execute"]),
    ("learn", &["base", "value"]),
    ("plan", &["base", "value", "model", "schedule"]),
    ("certify", &["base", "value", "model", "plan"]),
    (
        "compile",
        &[
            "algebra",
            "base",
            "value",
            "graph",
            "infer",
            "schedule",
            "model",
            "plan",
            "certify",
            "interpret",
            "execute",
        ],
    ),
    (
        "looped",
        &[
            "base", "value", "graph", "infer", "model", "plan", "certify", "compile",
        ],
    ),
    ("equiv", &["base", "value", "graph", "infer", "interpret"]),
    (
        "draw",
        &[
            "base",
            "value",
            "graph",
            "interpret",
            "schedule",
            "model",
            "plan",
            "execute",
        ],
    ),
    ("stdlib", &[]),
    (
        "session",
        &[
            "base",
            "value",
            "builtin",
            "syntax",
            "format",
            "diagnose",
            "graph",
            "interpret",
            "eval",
            "schedule",
            "infer",
            "model",
            "plan",
            "certify",
            "execute",
            "compile",
            "looped",
            "stdlib",
            "draw",
        ],
    ),
    (
        "puzzle",
        &[
            "base",
            "value",
            "graph",
            "interpret",
            "eval",
            "schedule",
            "infer",
            "equiv",
            "session",
        ],
    ),
    (
        "decompile",
        &[
            "base", "value", "learn", "syntax", "format", "graph", "session",
        ],
    ),
    (
        "repl",
        &[
            "base",
            "value",
            "builtin",
            "syntax",
            "format",
            "diagnose",
            "graph",
            "interpret",
            "eval",
            "schedule",
            "infer",
            "model",
            "plan",
            "certify",
            "execute",
            "compile",
            "stdlib",
            "pages",
            "session",
            "puzzle",
            "draw",
        ],
    ),
    (
        "cli",
        &[
            "base",
            "value",
            "builtin",
            "syntax",
            "format",
            "diagnose",
            "graph",
            "interpret",
            "eval",
            "schedule",
            "infer",
            "model",
            "plan",
            "certify",
            "execute",
            "compile",
            "equiv",
            "stdlib",
            "decompile",
            "learn",
            "pages",
            "session",
            "puzzle",
            "repl",
            "machine",
            "draw",
        ],
    ),
];

/// Lines of the longest file.
const LONGEST_FILE: usize = 500;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    rust_files(&root().join("src"), &mut found);
    found
        .into_iter()
        .map(|path| {
            let name = path
                .strip_prefix(root().join("src"))
                .unwrap()
                .display()
                .to_string();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

fn module(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

/// The top-level modules that a text names after `crate::`.
fn imported(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| {
            line.split("crate::")
                .skip(1)
                .map(str::to_string)
                .collect::<Vec<_>>()
        })
        .map(|rest| {
            rest.chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect()
        })
        .filter(|name: &String| IMPORTS.iter().any(|(module, _)| module == name))
        .collect()
}

#[test]
fn modules_import_only_what_they_may() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let this = module(&file);
        if this == "lib" || this == "main" {
            continue;
        }
        let Some((_, allowed)) = IMPORTS.iter().find(|(name, _)| *name == this) else {
            panic!("src/{file}: `{this}` is not in the table of modules");
        };
        for other in imported(&text) {
            if other != this && !allowed.contains(&other.as_str()) {
                wrong.push(format!("src/{file} imports {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Evaluation goes round in circles, as the language does; what its files import does not.
#[test]
fn files_of_eval_import_in_one_direction() {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, text) in sources() {
        let name = file.strip_prefix("eval/").filter(|name| *name != "mod.rs");
        if let Some(name) = name {
            let modules = text.lines().filter_map(|line| {
                let (module, _) = line.strip_prefix("use super::")?.split_once("::")?;
                Some(format!("{module}.rs"))
            });
            imports.insert(name.to_string(), modules.collect());
        }
    }
    assert!(imports.len() > 10, "{imports:#?}");
    let mut before = usize::MAX;
    while imports.len() < before {
        before = imports.len();
        let left: BTreeSet<String> = imports.keys().cloned().collect();
        imports.retain(|_, others| others.intersection(&left).next().is_some());
    }
    assert!(imports.is_empty(), "{imports:#?}");
}

#[test]
fn every_file_says_what_it_is_and_stays_short() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        if !text.starts_with("//!") {
            wrong.push(format!("src/{file} does not open with its purpose"));
        }
        if text.lines().count() > LONGEST_FILE {
            wrong.push(format!("src/{file} has {} lines", text.lines().count()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A new node, primitive, operation of a plan or value of the evaluator asks for each place that matches
/// on its kind; where one has nothing to say to that, a function has an `expect` with its reason.
#[test]
fn matches_on_own_kinds_name_each() {
    let lint = "clippy::wildcard_enum_match_arm";
    for (file, text) in sources() {
        let whole = ["#[allow(", "#![allow(", "#![expect("];
        let excepts = whole.iter().any(|it| text.contains(&format!("{it}{lint}")));
        assert!(!excepts, "src/{file} excepts more than a function");
        if file == "lib.rs" {
            assert!(text.contains(&format!("\n#![deny({lint})]\n")));
            assert!(!text.contains(&format!("#[expect({lint}")));
        }
    }
}

/// Words that could name anything. Each stands for one thing at most, a type and a file being two.
const PLAIN_WORDS: &[&str] = &[
    "Explain", "Layout", "Part", "Reader", "Row", "Scorer", "Step",
];

#[test]
fn plain_words_name_one_thing_each() {
    for word in PLAIN_WORDS {
        let declared = |line: &str| {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let kind = |word: &str| ["struct", "enum", "trait", "type"].contains(&word);
            !line.trim_start().starts_with("//") && words.any(kind) && words.next() == Some(word)
        };
        let (mut types, mut files) = (Vec::new(), Vec::new());
        for (file, text) in sources() {
            let count = text.lines().filter(|line| declared(line)).count();
            types.extend(vec![file.clone(); count]);
            if Path::new(&file).file_stem().unwrap() == word.to_lowercase().as_str() {
                files.push(file);
            }
        }
        assert!(types.len() <= 1, "several types are `{word}`: {types:?}");
        assert!(files.len() <= 1, "several files are `{word}`: {files:?}");
    }
}

/// Why there is no value is a fault, which whoever shows it has put in words.
#[test]
fn the_interpreter_makes_no_diagnostics() {
    for (file, text) in sources() {
        let makes = text.contains("Diagnostic") || text.contains("Fallible");
        assert!(!makes || !file.starts_with("interpret/"), "src/{file}");
    }
}

#[test]
fn only_the_renderer_names_ariadne() {
    for (file, text) in sources() {
        let names = text
            .lines()
            .any(|line| line.contains("ariadne::") && !line.contains("//"));
        assert!(
            !names || file == "base/render.rs",
            "src/{file} names ariadne"
        );
    }
}

/// What a program takes in that needs values, models and errors only.
#[test]
fn the_library_alone_knows_no_terminal() {
    let listed = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--no-default-features"])
        .args(["--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(listed.stdout).expect("names");
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(
        names.contains(&"logos"),
        "{}",
        String::from_utf8_lossy(&listed.stderr)
    );
    for absent in [
        "clap",
        "rustyline",
        "ctrlc",
        "indicatif",
        "png",
        "rayon",
        "resvg",
        "svg2pdf",
    ] {
        assert!(!names.contains(&absent), "{absent}");
    }
}

/// The macros that print end the process where nothing can be printed, and take the results with it.
#[test]
fn nothing_is_printed_that_must_be() {
    for (file, text) in sources() {
        for macro_ in ["print!(", "println!(", "dbg!("] {
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let mut found = code.filter(|line| line.contains(macro_));
            assert_eq!(found.next(), None, "src/{file}");
        }
    }
}

/// Each of these is named in one file, so that it can be replaced there.
#[test]
fn the_terminal_has_its_files() {
    for (name, file) in [
        ("rustyline::", "repl/interactive.rs"),
        ("ctrlc::", "repl/interrupt.rs"),
        ("png::", "draw/picture.rs"),
        ("resvg::", "draw/picture.rs"),
        ("svg2pdf::", "draw/picture.rs"),
    ] {
        for (other, text) in sources() {
            assert!(
                !text.contains(name) || other == file,
                "src/{other} names {name}"
            );
        }
    }
}

/// Cargo builds the binaries of `Cargo.toml` only, so that a file that none of them names would never
/// run.
#[test]
fn every_test_file_is_a_module_of_one_binary() {
    let tests = root().join("tests");
    let text = |name: &str| fs::read_to_string(tests.join(format!("{name}.rs"))).unwrap();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let targets = manifest.split("[[test]]\nname = \"").skip(1);
    let binaries: Vec<&str> = targets
        .filter_map(|target| target.split('"').next())
        .collect();
    assert!(!binaries.is_empty(), "the manifest names the binaries");
    let all: Vec<String> = binaries.iter().map(|binary| text(binary)).collect();
    let files = fs::read_dir(&tests).unwrap().map(|file| file.unwrap());
    for path in files.map(|file| file.path()) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_module = path.extension().is_some_and(|extension| extension == "rs");
        if is_module && !binaries.contains(&name) {
            let line = format!("\nmod {name};\n");
            let count = all.iter().filter(|text| text.contains(&line)).count();
            assert_eq!(count, 1, "tests/{name}.rs is a module of one binary");
        }
    }
}

/// The library is not built as a test of itself, which would compile it twice: a test in its sources
/// would never run.
#[test]
fn no_test_is_where_none_runs() {
    for (file, text) in sources() {
        for test in ["cfg(test", "not(test", "#[test]"] {
            assert!(!text.contains(test), "src/{file} has {test}");
        }
    }
}

/// How far the lines of a folder may be from what docs/ARCHITECTURE.md says of them.
const DRIFT: usize = 60;

/// What folders should be at most, beside what they are.
#[test]
fn the_architecture_tells_the_size_of_each_folder() {
    let text = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let number = |cell: &str| cell.trim().replace(',', "").parse::<usize>().ok();
    let row = |line: &str| {
        let mut cells = line.split('|').skip(1);
        let name = cells.next()?.trim().strip_prefix('`')?.strip_suffix('`')?;
        let has = number(cells.next()?)?;
        number(cells.next()?)?;
        Some((name.to_string(), has))
    };
    let rows: Vec<(String, usize)> = text.lines().filter_map(row).collect();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for (file, text) in sources() {
        if let Some((folder, _)) = file.split_once('/') {
            *lines.entry(folder.to_string()).or_default() += text.lines().count();
        }
    }
    let named: Vec<&String> = rows.iter().map(|(name, _)| name).collect();
    assert!(lines.keys().eq(named.iter().copied()), "{named:?}");
    for (name, has) in &rows {
        let lines = lines[name];
        assert!(lines.abs_diff(*has) <= DRIFT, "`{name}` has {lines} lines");
    }
}
