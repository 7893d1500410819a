//! The fuzzer's corpus, without the fuzzer: every file of `tests/fuzz/<target>` through the target
//! of that name, so that what once was found stays mended.

mod checks;

/// Runs the corpus of a target; a file that fails is named by the last line before the panic.
fn corpus(target: &str, check: fn(&[u8])) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let entries = std::fs::read_dir(folder.join(target)).expect("readable");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        eprintln!("{}", file.display());
        check(&std::fs::read(&file).expect("readable"));
    }
}

#[test]
fn front() {
    corpus("front", checks::front);
}

#[test]
fn session() {
    corpus("session", checks::session);
}

#[test]
fn model() {
    corpus("model", checks::model);
}
