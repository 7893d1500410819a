//! Pictures: `rasp draw` in all its forms. Those of the gallery are made again and compared.

use crate::common::place;

use place::{Place, Ran};
use rasp::draw::{Drawing, Subject, Theme, flow, svg};
use rasp::graph::Sharing;
use rasp::session::Session;
use rasp::value::Value;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::Command;
use unicode_width::UnicodeWidthStr;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn example(name: &str) -> String {
    root()
        .join(format!("examples/{name}.rasp"))
        .display()
        .to_string()
}

fn draw(place: &Place, arguments: &[&str]) -> Ran {
    let all: Vec<&str> = std::iter::once("draw")
        .chain(arguments.iter().copied())
        .collect();
    place.rasp(&all)
}

/// The words of a line of a shell, of which some stand in quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, piece) in line.split('"').enumerate() {
        match at % 2 {
            0 => words.extend(piece.split_whitespace().map(str::to_string)),
            _ => words.push(piece.to_string()),
        }
    }
    words
}

/// With `RASP_PICTURES=write` the pictures are written instead.
#[test]
fn the_gallery_is_as_its_commands_draw_it() {
    let place = Place::new();
    let text = std::fs::read_to_string(root().join("docs/GALLERY.md")).unwrap();
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let write = std::env::var("RASP_PICTURES").is_ok_and(|value| value == "write");
    let mut drawn = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("$ rasp ")) {
        let mut words = words(line);
        words[1] = root().join(&words[1]).display().to_string();
        let Some(at) = words.iter().position(|word| word == "-o") else {
            continue;
        };
        let kept = root().join(&words[at + 1]);
        let made = place.path("made.svg");
        words[at + 1] = made.display().to_string();
        words.push("--force".to_string());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = place.rasp(&words);
        assert_eq!((ran.status, &*ran.err), (0, ""), "{line}");
        let made = std::fs::read(made).unwrap();
        if write {
            std::fs::write(&kept, &made).unwrap();
        }
        assert!(
            std::fs::read(&kept).unwrap() == made,
            "{line}: RASP_PICTURES=write"
        );
        let name = kept.file_name().unwrap().to_str().unwrap().to_string();
        assert!(
            text.contains(&format!("](pictures/{name})")),
            "{name} is shown"
        );
        drawn.push(name);
    }
    let kept = std::fs::read_dir(root().join("docs/pictures")).unwrap();
    let mut kept: Vec<String> = kept
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    kept.sort();
    drawn.sort();
    assert_eq!(kept, drawn);
    assert!(readme.contains("](docs/pictures/sort.svg)"));
}

fn python(code: &str, path: &Path) -> String {
    let ran = Command::new("python3")
        .args(["-c", code])
        .arg(path)
        .output()
        .expect("python3 runs");
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{}: {err}", path.display());
    String::from_utf8(ran.stdout).unwrap()
}

/// Texts, each with how wide it says that it is and how wide it would be.
const TEXTS: &str = r#"
import sys, unicodedata, xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == svg + "svg", root.tag
assert not list(root.iter(svg + "script")), "a script"
for text in root.iter(svg + "text"):
    width = float(text.get("textLength"))
    columns = sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text.text)
    assert abs(width - columns * float(text.get("font-size")) * 0.60205) < 0.02, text.text
    print(text.text)
"#;

#[test]
fn svg_is_xml_whatever_tokens_and_names_are() {
    let place = Place::new();
    place.file("p.rasp", "x = tokens_asis;\n");
    let script = r#"["<script>", "a&b", "\"'", "漢字", "\u0000", "]]>", "\u202e"]"#;
    for expression in [
        "x",
        r#"select(tokens, "<script>alert(1)</script>", ==)"#,
        r#"aggregate(select(tokens, "</svg>", ==), indices)"#,
    ] {
        for (form, ending) in [
            ("svg", "svg"),
            ("dot", "dot"),
            ("mermaid", "mmd"),
            ("text", "txt"),
        ] {
            let out = format!("out.{ending}");
            let ran = draw(
                &place,
                &[
                    "p.rasp",
                    "-e",
                    expression,
                    "--input-json",
                    script,
                    "--as",
                    form,
                    "-o",
                    &out,
                    "--force",
                ],
            );
            assert_eq!((ran.status, &*ran.err), (0, ""));
            let text = place.text(&out);
            match form {
                "svg" => {
                    assert!(!text.contains("<script"), "{text}");
                    let texts = python(TEXTS, &place.path(&out));
                    assert!(texts.lines().any(|line| line == "<script>"), "{texts}");
                }
                "mermaid" => assert!(!text.contains('<') || !text.contains("<script"), "{text}"),
                _ => {}
            }
            assert!(!text.contains('\0') && !text.contains('\u{202e}'), "{form}");
        }
    }
}

#[test]
fn json_is_read_back_equal_and_drawn_alike() {
    let mut session = Session::new(Sharing::Equal);
    let text = std::fs::read_to_string(example("sort")).unwrap();
    session.load_text("sort.rasp", &text);
    let sorted = session.sop("sorted").unwrap();
    let input = Value::characters("hello");
    let subject = Subject {
        graph: session.graph(),
        input: &input,
        at: Some(2),
        limits: session.limits(),
    };
    let drawing = flow(&subject, sorted, "sorted").unwrap();
    let again = Drawing::from_json(&drawing.to_json()).unwrap();
    assert_eq!(again, drawing);
    assert_eq!(svg(&again, Theme::Dark), svg(&drawing, Theme::Dark));
    assert!(Drawing::from_json("{}").is_err());
    let place = Place::new();
    for show in ["graph", "stream", "weights", "model"] {
        let ran = draw(
            &place,
            &[
                &example("sort"),
                "-e",
                "sorted",
                "-i",
                "hello",
                "--show",
                show,
                "--as",
                "json",
            ],
        );
        let drawing = Drawing::from_json(&ran.out).unwrap();
        assert_eq!(drawing.to_json(), ran.out, "{show}");
    }
}

#[test]
fn a_page_fetches_nothing_and_escapes_what_it_is_given() {
    let place = Place::new();
    place.file("p.rasp", "x = tokens_asis;\n");
    let name = r#"("</script><script>alert(1)</script>" if tokens == "<!--" else tokens)"#;
    let input = r#"["</script>", "<!--", "{{data}}"]"#;
    let ran = draw(
        &place,
        &["p.rasp", "-e", name, "--input-json", input, "-o", "a.html"],
    );
    assert_eq!((ran.status, &*ran.err), (0, ""));
    let page = place.text("a.html");
    // The data and the script, and nothing that a token has brought.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<!--") && !page.contains("http:") && !page.contains("https:"));
    assert!(page.contains("default-src 'none'"));
    let refused = draw(
        &place,
        &["p.rasp", "-e", "full_s", "-i", "a", "-o", "b.html"],
    );
    assert!(
        refused.status == 1 && refused.err.contains("one s-op"),
        "{}",
        refused.err
    );
}

#[test]
fn a_run_is_told_in_words() {
    let place = Place::new();
    let gallery = std::fs::read_to_string(root().join("docs/GALLERY.md")).unwrap();
    let tell = |more: &[&str]| {
        let sort = example("sort");
        let first = ["explain-run", &sort, "-e", "sorted", "-i", "hello", "--at"];
        place.rasp(&[&first, more].concat())
    };
    let told = tell(&["2"]);
    assert!(gallery.contains(&told.out), "{}", told.out);
    let compiled = place.rasp(&["compile", &example("sort"), "-e", "sorted", "-o", "m"]);
    assert_eq!(compiled.status, 0, "{}", compiled.err);
    let told = tell(&["2", "--model", "m"]);
    for words in [
        "The model gives \"l\" there, with a margin of",
        "so place is 2. The model reads it",
    ] {
        assert!(told.out.contains(words), "{}", told.out);
    }
    let refused = tell(&["5"]);
    assert!(
        refused.status == 1 && refused.err.contains("no position 5"),
        "{}",
        refused.err
    );
}

#[test]
fn the_prompt_and_the_language_draw() {
    let place = Place::new();
    let lines = "a = select(tokens, tokens, ==);\nh = selector_width(a);\ndraw(h, \"abab\");\n\
        draw(a, \"ab\");\n:draw a \"abab\"\n:draw h \"aa\" h.svg\n:draw h \"aa\" h.svg\n:draw tokens == \"a\"\n";
    let ran = place.reading(lines, &[]);
    assert!(
        ran.out.contains("h(\"abab\")") && ran.out.contains("a on \"ab\""),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("a on \"abab\"") && ran.out.contains("drawn in h.svg"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("(tokens == \"a\")") || ran.out.contains("tokens == \"a\"("),
        "{}",
        ran.out
    );
    assert!(
        ran.err.contains("E0503") && ran.err.matches("Error").count() == 1,
        "{}",
        ran.err
    );
    assert!(place.text("h.svg").starts_with("<svg"));
}

#[test]
fn long_schedules_are_folded() {
    let deep = "set vocab [\"a\", \"b\"]; set max_length 4; x = indices;
for i in range(80) { x = selector_width(select(x, x, <=)) * indices % 3 + indices; }
x;";
    let place = Place::with(&[("deep.rasp", deep)]);
    let short = place.rasp(&["tour", "deep.rasp"]);
    let all = place.rasp(&["tour", "deep.rasp", "--all"]);
    assert_eq!((short.status, all.status), (0, 0));
    let left_out = short.out.lines().filter_map(|line| {
        let number = line.strip_suffix(" lines are left out: `--all` shows them)")?;
        // The line that says it stands for them.
        Some(number.strip_prefix('(')?.parse::<usize>().unwrap() - 1)
    });
    let left_out: usize = left_out.sum();
    assert!(left_out > 50, "{}", short.out);
    assert_eq!(
        short.out.lines().count() + left_out,
        all.out.lines().count()
    );
}

#[test]
fn traces_are_as_wide_as_is_said() {
    let place = Place::new();
    let arguments = [
        "compile",
        &example("hist"),
        "-e",
        "hist",
        "--vocab",
        "ab",
        "--max-len",
        "30",
        "-o",
        "m",
    ];
    assert_eq!(place.rasp(&arguments).status, 0);
    let input = "ab".repeat(15);
    let narrow = place.rasp(&["exec", "m", "-i", &input, "--trace", "--width", "50"]);
    let tables = narrow.out.lines().filter(|line| line.starts_with("  "));
    let (heads, rest): (Vec<&str>, Vec<&str>) =
        tables.partition(|line| line.contains("query \\ key"));
    assert!(heads.len() > 2, "{}", narrow.out);
    assert!(
        heads.iter().chain(&rest).all(|line| line.width() <= 50),
        "{}",
        narrow.out
    );
    let plain = place.rasp(&["exec", "m", "-i", "ab", "--trace"]);
    assert!(plain.out.contains('–'), "{}", plain.out);
}

/// The numbers of the JSON of a picture, by the titles of their panels and grids.
fn grids(json: &Json) -> Vec<(String, String, Vec<Vec<f64>>)> {
    let mut found = Vec::new();
    for section in json["sections"].as_array().unwrap() {
        for panel in section["panels"].as_array().unwrap() {
            for grid in panel["blocks"]
                .as_array()
                .unwrap()
                .iter()
                .map(|block| &block["grid"])
            {
                if grid.is_object() {
                    let cells = serde_json::from_value(grid["cells"].clone()).unwrap();
                    let title = |of: &Json| of["title"].as_str().unwrap().to_string();
                    found.push((title(panel), title(grid), cells));
                }
            }
        }
    }
    found
}

#[test]
fn attention_is_the_selector() {
    let place = Place::new();
    for (name, sop, input) in [("hist", "hist", "hello"), ("reverse", "reverse", "hello")] {
        let ran = draw(
            &place,
            &[
                &example(name),
                "-e",
                sop,
                "-i",
                input,
                "--show",
                "model",
                "--as",
                "json",
            ],
        );
        let json: Json = serde_json::from_str(&ran.out).unwrap();
        let grids = grids(&json);
        let of = |wanted: &str| grids.iter().filter(|(_, title, _)| title == wanted).count();
        assert!(of("difference") > 0, "{name}");
        assert_eq!(
            (of("attention"), of("selector")),
            (of("difference"), of("difference"))
        );
        for (panel, _, cells) in grids.iter().filter(|(_, title, _)| title == "difference") {
            let most = cells
                .iter()
                .flatten()
                .fold(0.0_f64, |most, each| most.max(each.abs()));
            assert!(most < 1e-6, "{panel}: {most}");
        }
    }
}

#[test]
fn what_does_not_feed_a_position_is_faded() {
    let place = Place::new();
    place.file(
        "p.rasp",
        "next = aggregate(select(indices, indices + 1, ==), tokens, \"-\");\n",
    );
    let ran = draw(
        &place,
        &[
            "p.rasp", "-e", "next", "-i", "abcd", "--at", "2", "--as", "json",
        ],
    );
    let json: Json = serde_json::from_str(&ran.out).unwrap();
    let head = &json["sections"][1]["panels"][0]["blocks"][0]["grid"];
    let faded = |row: &Json| -> Vec<bool> {
        let cells = row["cells"].as_array().unwrap().iter();
        cells.map(|cell| cell["faded"] == true).collect()
    };
    assert_eq!(head["faded"], serde_json::json!([true, true, false, true]));
    assert_eq!(faded(&head["below"][0]), [true, true, true, false]);
    assert_eq!(faded(&head["right"][0]), [true, true, false, true]);
}

#[test]
fn text_is_as_wide_as_is_said_and_needs_no_colors() {
    let place = Place::new();
    let long = "hello".repeat(10);
    for width in [30, 60, 80, 200] {
        for input in ["hello", &long] {
            for (name, sop) in [("sort", "sorted"), ("most_frequent", "most_frequent")] {
                let example = example(name);
                let width_text = width.to_string();
                let arguments = [
                    "draw",
                    &example,
                    "-e",
                    sop,
                    "-i",
                    input,
                    "--width",
                    &width_text,
                ];
                let plain = place.rasp(&arguments);
                let widest = plain.out.lines().map(|line| line.width()).max();
                assert!(widest <= Some(width), "{}", plain.out);
                let colored = place.rasp(&[&["--color", "always"], &arguments[..]].concat());
                assert!(colored.out.contains("\u{1b}[32m"));
                let mut stripped = colored.out.clone();
                for code in ["[0m", "[1m", "[32m", "[33m", "[34m", "[35m"] {
                    stripped = stripped.replace(&format!("\u{1b}{code}"), "");
                }
                assert_eq!(stripped, plain.out);
            }
        }
    }
}

#[test]
fn a_selector_of_50_tokens_fits_80_columns() {
    let ran = draw(
        &Place::new(),
        &[
            &example("sort"),
            "-e",
            "comes_before",
            "-i",
            &"hello".repeat(10),
            "--width",
            "80",
        ],
    );
    let rows = ran.out.lines().filter(|line| line.contains('│'));
    assert_eq!(rows.count(), 25, "{}", ran.out);
    insta::assert_snapshot!(ran.out);
}

#[test]
fn the_flow_of_sort_in_text() {
    let ran = draw(
        &Place::new(),
        &[&example("sort"), "-e", "sorted", "-i", "hello"],
    );
    insta::assert_snapshot!(ran.out);
}

#[test]
#[cfg(feature = "pictures")]
fn pictures_of_bytes_are_what_they_are_called() {
    let place = Place::new();
    for (out, magic) in [("a.png", &b"\x89PNG"[..]), ("a.pdf", &b"%PDF"[..])] {
        let arguments = [&example("hist"), "-e", "hist", "-i", "hello", "-o", out];
        assert_eq!(draw(&place, &arguments).status, 0);
        let bytes = std::fs::read(place.path(out)).unwrap();
        assert!(bytes.starts_with(magic));
        // The same again, and nothing is replaced without being asked for.
        let refused = draw(&place, &arguments);
        assert!(
            refused.status == 1 && refused.err.contains("E0503"),
            "{}",
            refused.err
        );
        let other = format!("b{}", &out[1..]);
        let arguments = [&example("hist"), "-e", "hist", "-i", "hello", "-o", &other];
        assert_eq!(draw(&place, &arguments).status, 0);
        assert!(std::fs::read(place.path(&other)).unwrap() == bytes);
    }
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let place = Place::new();
    place.file(
        "p.rasp",
        "a = select(tokens, tokens, ==);\nh = selector_width(a);\n",
    );
    let long = "a".repeat(3_000);
    for (arguments, code, words) in [
        (&["-e", "h", "-i", &long][..], "E0801", "drawn_cells"),
        (&["-e", "a", "-i", &long][..], "E0801", "drawn_cells"),
        (
            &[
                "-e",
                "h",
                "-i",
                "abc",
                "--show",
                "graph",
                "--limit",
                "drawn_boxes=1",
            ][..],
            "E0801",
            "drawn_boxes",
        ),
        (
            &["-e", "h", "-i", "abc", "--at", "3"][..],
            "E0803",
            "no position 3",
        ),
        (&["-e", "h", "-i", ""][..], "E0405", "at least one token"),
        (
            &["-e", "h", "-i", "abc", "-o", "picture"][..],
            "E0803",
            "ending",
        ),
        (&["-e", "h", "-i", "abc", "--as", "png"][..], "E0803", "-o"),
        (
            &["-e", "h", "-e", "a", "-i", "abc"][..],
            "E0302",
            "no selector",
        ),
        (
            &["-e", "a", "-i", "abc", "--show", "stream"][..],
            "E0803",
            "selectors",
        ),
        (
            &["-e", "h", "-i", "abc", "--show", "weights", "--as", "html"][..],
            "E0803",
            "leave `--show` out",
        ),
        (
            &["-e", "h", "-i", "abc", "--show", "graph", "--at", "1"][..],
            "E0803",
            "leave `--at` out",
        ),
        (&["-e", "1/0", "-i", "abc"][..], "E0407", ""),
    ] {
        let ran = draw(&place, &[&["p.rasp"], arguments].concat());
        assert_eq!((ran.status, &*ran.out), (1, ""), "{arguments:?}");
        assert!(
            ran.err.contains(code) && ran.err.contains(words),
            "{}",
            ran.err
        );
    }
    let left: Vec<PathBuf> = std::fs::read_dir(place.path(""))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// What each class of a picture is painted with.
fn paints(theme: &str) -> Vec<(String, [f64; 3])> {
    let place = Place::new();
    let arguments = [&example("hist"), "-e", "hist", "-i", "a", "--as", "svg"];
    let ran = draw(&place, &[&arguments[..], &["--theme", theme]].concat());
    let rule = |line: &str| {
        let (class, rest) = line.strip_prefix('.')?.split_once("{fill:#")?;
        let channel = |at: usize| u8::from_str_radix(rest.get(at..at + 2)?, 16).ok();
        let color = [channel(0)?, channel(2)?, channel(4)?];
        Some((class.to_string(), color.map(|of| f64::from(of) / 255.0)))
    };
    ran.out.lines().filter_map(rule).collect()
}

/// What people see who lack a kind of cones, in linear RGB (Machado, Oliveira and Fernandes 2009).
const SIGHTS: [(&str, [[f64; 3]; 3]); 3] = [
    (
        "all cones",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
];

fn times(matrix: [[f64; 3]; 3], vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

/// A color of sRGB as somebody sees it, in CIELAB.
fn lab(color: [f64; 3], sight: [[f64; 3]; 3]) -> [f64; 3] {
    let linear = color.map(|of| match of <= 0.04045 {
        true => of / 12.92,
        false => ((of + 0.055) / 1.055).powf(2.4),
    });
    let seen = times(sight, linear).map(|of| of.clamp(0.0, 1.0));
    let to_xyz = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ];
    let xyz = times(to_xyz, seen);
    let [x, y, z] =
        [xyz[0] / 0.95047, xyz[1], xyz[2] / 1.08883].map(|of| match of > 216.0 / 24389.0 {
            true => of.cbrt(),
            false => (24389.0 / 27.0 * of + 16.0) / 116.0,
        });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn colors_of_roles_are_told_apart_by_all() {
    for theme in ["light", "dark"] {
        let paints = paints(theme);
        // Edges and swatches; the backgrounds of cells; numbers more and less than 0.
        for (kind, count, least) in [("e-", 7, 20.0), ("t-", 7, 12.0), ("us", 2, 40.0)] {
            let of_kind = |(class, _): &&(String, _)| match kind {
                "us" => class.ends_with("us"),
                kind => class.starts_with(kind),
            };
            let found: Vec<_> = paints.iter().filter(of_kind).collect();
            assert_eq!(found.len(), count, "{theme} {kind}");
            for (sight, matrix) in SIGHTS {
                for (at, (one, first)) in found.iter().enumerate() {
                    for (other, second) in &found[at + 1..] {
                        let pairs = lab(*first, matrix).into_iter().zip(lab(*second, matrix));
                        let apart = pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                        assert!(apart > least, "{theme}, {sight}: {one} {other} {apart}");
                    }
                }
            }
        }
    }
}

#[test]
#[cfg(feature = "pictures")]
fn what_the_font_lacks_is_not_blank() {
    let place = Place::new();
    place.file("p.rasp", "x = tokens_asis;\n");
    for ending in ["png", "pdf"] {
        let drawn = |token: &str| {
            let out = format!("a.{ending}");
            let arguments = ["p.rasp", "-e", "x", "-i", token, "-o", &out, "--force"];
            assert_eq!(draw(&place, &arguments).status, 0);
            std::fs::read(place.path(&out)).unwrap()
        };
        // Two that are blank would be the same.
        assert!(drawn("漢") != drawn("字"), "{ending}");
        assert!(drawn("\u{1f600}") != drawn("\u{1f601}"), "{ending}");
    }
}

/// The width and the height that an SVG says.
fn extent(svg: &str) -> (f64, f64) {
    let of = |name: &str| {
        let (_, rest) = svg.split_once(&format!("{name}=\"")).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    (of(" width"), of(" height"))
}

#[test]
fn large_programs_are_folded_into_pictures_of_some_pages() {
    let place = Place::new();
    let rover = example("papers/weiss2021_rover");
    for (show, input, most) in [
        ("graph", "ab,AB", (1_600.0, 1_500.0)),
        ("flow", "ab,AB", (1_400.0, 6_000.0)),
    ] {
        let ran = draw(
            &place,
            &[
                &rover, "-e", "res", "-i", input, "--show", show, "--as", "svg",
            ],
        );
        let (width, height) = extent(&ran.out);
        assert!(
            width <= most.0 && height <= most.1,
            "{show}: {width} × {height}"
        );
        assert!(
            ran.out.contains(" heads like") || ran.out.contains("72 × forwards"),
            "{show}"
        );
    }
    // Boxes that are not alike go into rows below each other.
    let letters = "abcdefghijklmnopqrstuvwxyz";
    let many: String = letters
        .chars()
        .map(|letter| format!("of_{letter} = tokens == \"{letter}\";\n"))
        .collect();
    let sum: Vec<String> = letters
        .chars()
        .map(|l| format!("indicator(of_{l})"))
        .collect();
    place.file("p.rasp", &format!("{many}all = {};\n", sum.join(" + ")));
    let ran = draw(
        &place,
        &[
            "p.rasp", "-e", "all", "-i", "ab", "--show", "graph", "--as", "svg",
        ],
    );
    let (width, _) = extent(&ran.out);
    assert!(width < 2_400.0, "{width}");
    assert!(ran.out.contains(">of_a<") && ran.out.contains(">of_z<"));
}

/// The heads of each step of a trace, with what they pay and select.
fn heads(place: &Place, model: &str, input: &str) -> Vec<Vec<Json>> {
    let ran = place.rasp(&["exec", model, "-i", input, "--trace", "--json"]);
    let json: Json = serde_json::from_str(&ran.out).unwrap();
    let steps = json["trace"]["steps"].as_array().unwrap().iter();
    steps
        .map(|step| step["heads"].as_array().unwrap().clone())
        .collect()
}

#[test]
fn each_head_selects_its_part_and_attends_to_it() {
    let place = Place::new();
    place.file(
        "p.rasp",
        "near = select(indices, indices - 1, ==) or select(tokens, tokens, ==)\n    or select(indices, 0, ==);\nwidth = selector_width(near);\nmean = aggregate(near, indicator(tokens == \"a\"));\nnext = select(indices, indices + 1, ==);\nfetched = aggregate(next, tokens, \"-\");\n",
    );
    // An s-op, its selector, and the heads of that; without BOS position 0 takes its place.
    for (sop, selector, count, more) in [
        ("width", "near", 3, None),
        ("mean", "near", 3, None),
        ("fetched", "next", 1, None),
        ("fetched", "next", 1, Some("--no-bos")),
        ("mean", "near", 1, Some("--no-bos")),
    ] {
        let arguments = [
            "compile",
            "p.rasp",
            "-e",
            sop,
            "--vocab",
            "abc",
            "--max-len",
            "6",
        ];
        let mut arguments = arguments.to_vec();
        arguments.extend(["-o", "m", "--force"].into_iter().chain(more));
        let made = place.rasp(&arguments);
        assert_eq!(made.status, 0, "{}", made.err);
        for input in ["a", "ab", "aaa", "abcab", "cabbac"] {
            let ran = place.rasp(&["run", "p.rasp", "-e", selector, "-i", input, "--json"]);
            let ran: Json = serde_json::from_str(&ran.out).unwrap();
            let selected: Vec<Vec<bool>> = serde_json::from_value(ran["output"].clone()).unwrap();
            let steps = heads(&place, "m", input);
            let last = steps.iter().rfind(|heads| !heads.is_empty()).unwrap();
            let heads = match sop {
                // The widths of the parts come first, then what is divided by them.
                "mean" if more.is_none() => steps.iter().find(|heads| !heads.is_empty()).unwrap(),
                _ => last,
            };
            assert_eq!(heads.len(), count, "{sop}");
            let size = selected.len();
            let before = usize::from(more.is_none());
            let mut all = vec![vec![false; size]; size];
            for head in heads {
                let part: Vec<Vec<bool>> =
                    serde_json::from_value(head["selected"].clone()).unwrap();
                let paid: Vec<Vec<f64>> = serde_json::from_value(head["weights"].clone()).unwrap();
                for query in 0..size {
                    let nothing = before == 0 && !selected[query].contains(&true);
                    for key in 0..size {
                        assert!(
                            !(part[query][key] && all[query][key]),
                            "two heads have a key"
                        );
                        all[query][key] |= part[query][key];
                        let weight = paid[query + before][key + before];
                        // Where nothing is selected, position 0 is seen instead.
                        let expected = part[query][key] || (nothing && key == 0);
                        assert_eq!(weight > 1e-3, expected, "{sop} {more:?} {input} {weight}");
                    }
                }
            }
            assert_eq!(all, selected, "{sop} {more:?} {input}");
        }
    }
}
