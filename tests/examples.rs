//! The programs in `examples/` and `examples/papers/`: each runs without errors and warnings, its
//! assertions hold, and its main s-op has the values, layers, heads and model in `tests/examples/`.

use crate::common;
use crate::common::listed;

use common::{session, shape};
use listed::{PROGRAMS, path};
use rasp::session::{Asked, Event, Meta, files};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The programs that are not compiled here, as that takes too long in a debug build, and why.
const NOT_COMPILED: &[(&str, &str)] = &[(
    "papers/weiss2021_rover",
    "compiles to 12 layers, in a minute",
)];

fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

#[test]
fn every_example_is_listed() {
    let files: BTreeSet<PathBuf> = ["examples", "examples/papers"]
        .iter()
        .flat_map(|folder| {
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
            std::fs::read_dir(folder).unwrap()
        })
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "rasp")
        })
        .collect();
    let listed: BTreeSet<PathBuf> = PROGRAMS.iter().map(|(name, _)| path(name)).collect();
    assert_eq!(files, listed);
    for (name, _) in NOT_COMPILED {
        assert!(listed.contains(&path(name)), "{name}");
    }
}

#[test]
fn values_schedules_and_models() {
    for (name, main) in PROGRAMS {
        let mut session = session(&format!("{name}.rasp"), &text(name));
        let example = session.settings.example.clone();
        let sop = session.sop(main).unwrap();
        let result = session.evaluate(sop, &example).unwrap();
        let shown: String = example.iter().map(ToString::to_string).collect();
        let why_not = NOT_COMPILED.iter().find(|(skipped, _)| skipped == name);
        if why_not.is_some() {
            session.settings.vocabulary = None;
        }
        let started = std::time::Instant::now();
        let mut table = shape(&mut session, main);
        if let Some((_, reason)) = why_not {
            table.push_str(&format!("not compiled: {reason}\n"));
        }
        // For whoever asks with `--nocapture`.
        println!("{name}: {:.1?}", started.elapsed());
        let (folder, file) = match name.split_once('/') {
            Some((folder, file)) => (format!("examples/{folder}"), file),
            None => ("examples".to_string(), *name),
        };
        insta::with_settings!({
            snapshot_path => folder,
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!(file, format!("{main}({shown:?}) = {result}\n{table}"));
        });
    }
}

/// Figures of papers that show how many heads their program takes, all of them in one layer.
const FIGURES: &[(&str, &str, usize)] = &[
    ("papers/preprint_count_conditioned", "same", 2),
    (
        "papers/preprint_histogram_given_bos",
        "histogram_given_bos",
        1,
    ),
    ("papers/preprint_count_a", "count_a", 1),
];

#[test]
fn models_take_the_heads_that_figures_show() {
    for (name, main, heads) in FIGURES {
        let mut session = session(&format!("{name}.rasp"), &text(name));
        let table = shape(&mut session, main);
        let shown = format!("at once: 1 layers, heads per layer [{heads}],");
        assert!(table.contains(&shown), "{name}: {table}");
    }
}

/// Where the preprint of the paper shows or describes a program, the program, its s-op, and what is
/// said there of its size.
const PREPRINT: &[(&str, &str, &str, &str)] = &[
    ("Figure 1", "sort", "sorted", "2 layers"),
    ("Figure 2", "by_frequency", "answer", ""),
    ("Figure 3", "count_conditioned", "same", "1 layer, 2 heads"),
    (
        "Figure 6",
        "histogram_given_bos",
        "histogram_given_bos",
        "1 layer, 1 head",
    ),
    (
        "Figure 7",
        "transformer",
        "once",
        "1 layer (of that transformer), 2 heads",
    ),
    ("Appendix B", "length", "input_length", "1 layer"),
    ("Appendix B", "parity", "parity", "1 layer"),
    (
        "Appendix B",
        "reverse",
        "reverse",
        "2 layers, 1 head in each",
    ),
    ("Appendix B", "reverse", "reverse_of_5", "1 layer, 1 head"),
    (
        "Appendix B",
        "balanced",
        "balanced",
        "2 layers: two counts, then two heads",
    ),
    ("Appendix B", "count_a", "count_a", "1 layer, 1 head"),
];

/// A row of `docs/PAPERS.md`: the schedule is the graph's, the model that of the file's settings.
fn beside_the_paper(place: &str, name: &str, sop: &str, shown: &str) -> String {
    let file = format!("papers/preprint_{name}");
    let mut session = session(&format!("{file}.rasp"), &text(&file));
    let id = session.sop(sop).unwrap();
    let compiled = session
        .compile_sops(&[(id, "")], &Asked::default())
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    common::assert_right(&session, &compiled);
    let size = |heads: &[usize]| {
        let layers = heads.len();
        let heads: Vec<String> = heads.iter().map(ToString::to_string).collect();
        let each = if layers == 1 { "" } else { "s" };
        format!("{layers} layer{each}: {}", heads.join(", "))
    };
    let model = rasp::model::summary(&compiled.model);
    let setting = session.setting(&Asked::default()).unwrap();
    format!(
        "| {place} | [`{sop}`](../examples/{file}.rasp) | {shown} | {} | {} | {}, {} | {} | {} |\n",
        size(&session.schedule(id).heads()),
        size(&model.heads),
        setting.vocabulary.len(),
        setting.max_length,
        model.d_model,
        compiled.model.parameters(),
    )
}

/// With `RASP_PICTURES=write` the table is written instead.
#[test]
fn the_programs_of_the_preprint_stand_beside_what_it_shows() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/PAPERS.md");
    let kept = std::fs::read_to_string(&path).unwrap();
    let (head, _) = kept.split_once("\n|---").unwrap();
    let mut made = format!("{head}\n|---|---|---|---|---|---|--:|--:|\n");
    for (place, name, sop, shown) in PREPRINT {
        made.push_str(&beside_the_paper(place, name, sop, shown));
    }
    if std::env::var("RASP_PICTURES").is_ok_and(|value| value == "write") {
        std::fs::write(&path, &made).unwrap();
    }
    assert_eq!(kept, made, "RASP_PICTURES=write");
}

/// What a newcomer may expect of every example.
#[test]
fn each_shows_its_main_s_op_and_fits_its_own_settings() {
    for (name, main) in PROGRAMS {
        let text = text(name);
        assert!(
            text.starts_with("# "),
            "{name}: begins with what it is about"
        );
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{name}"
        );
        assert!(text.contains("\nassert "), "{name}");
        let mut session = rasp::session::Session::new(rasp::graph::Sharing::Equal);
        let events = session.load(&files::read(&path(name)).unwrap());
        let Some(Meta::SOp(wanted)) = session.lookup(main).cloned() else {
            panic!("{name}: `{main}` is no s-op");
        };
        let shows = |event: &Event| match event {
            Event::Expression { meta, .. } => matches!(meta, Meta::SOp(shown) if *shown == wanted),
            _ => false,
        };
        assert!(events.iter().any(shows), "{name}: shows `{main}`");
        let settings = &session.settings;
        let vocabulary = settings.vocabulary.as_ref().unwrap();
        assert!(
            settings
                .example
                .iter()
                .all(|token| vocabulary.contains(token)),
            "{name}"
        );
        assert!(
            settings.example.len() <= settings.max_length.unwrap(),
            "{name}"
        );
    }
}

/// Hundreds of lines load at once; what the reference needs half a minute for takes no time here.
#[test]
fn a_long_program_loads_fast() {
    let mut program = String::from("def long(seq) {\n    x = seq;\n");
    for line in 0..2_000 {
        program.push_str(&format!(
            "    x = x + {line} if x > {line} else x; # line {line}\n"
        ));
    }
    program.push_str("    return x;\n}\ny = long(indices);\n");
    let started = std::time::Instant::now();
    session("long", &program);
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}
