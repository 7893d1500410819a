//! What pictures say of heads and names: the grids of a head line up, a token that is the sink is
//! marked as one, and s-ops of one name are told apart.

use crate::common::place::{Place, Ran};
use serde_json::Value as Json;

fn example(name: &str) -> String {
    format!("{}/examples/{name}.rasp", env!("CARGO_MANIFEST_DIR"))
}

fn draw(place: &Place, arguments: &[&str]) -> Ran {
    let ran = place.rasp(&[&["draw"], arguments].concat());
    assert_eq!((ran.status, &*ran.err), (0, ""), "{arguments:?}");
    ran
}

fn items(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

/// The panels of the JSON of a picture.
fn panels(json: &Json) -> impl Iterator<Item = &Json> {
    let sections = items(&json["sections"]).iter();
    sections.flat_map(|section| items(&section["panels"]))
}

/// The grids of each head of a picture: attention, selector, difference.
fn heads(json: &Json) -> Vec<Vec<&Json>> {
    let heads = panels(json).map(|panel| {
        let blocks = items(&panel["blocks"]).iter();
        blocks.filter_map(|block| block.get("grid")).collect()
    });
    heads
        .filter(|grids: &Vec<&Json>| grids.len() == 3)
        .collect()
}

fn numbers(grid: &Json) -> Vec<Vec<f64>> {
    serde_json::from_value(grid["cells"].clone()).unwrap()
}

#[test]
fn tokens_stand_at_the_same_places_in_the_grids_of_a_head() {
    let place = Place::new();
    for (name, sop, more) in [
        ("hist", "hist", &[][..]),
        ("sort", "sorted", &[]),
        ("hist", "hist", &["--no-bos"]),
    ] {
        let source = example(name);
        let compile = ["compile", &source, "-e", sop, "-o", "m", "--force"];
        assert_eq!(place.rasp(&[&compile, more].concat()).status, 0);
        let ran = draw(
            &place,
            &[
                &source, "-e", sop, "-i", "hello", "--model", "m", "--as", "json",
            ],
        );
        let json: Json = serde_json::from_str(&ran.out).unwrap();
        assert!(!heads(&json).is_empty(), "{name}");
        let before = usize::from(more.is_empty());
        for grids in heads(&json) {
            for grid in &grids[1..] {
                assert_eq!(grid["above"], grids[0]["above"], "{name}");
                assert_eq!(grid["left"], grids[0]["left"], "{name}");
                assert_eq!(grid["blank"].as_u64().unwrap_or(0), before as u64);
                let cells = numbers(grid);
                assert_eq!(cells.len(), 5 + before);
                let at_bos = |row: usize, column: usize| row < before || column < before;
                for (row, numbers) in cells.iter().enumerate() {
                    assert_eq!(numbers.len(), 5 + before);
                    for (column, number) in numbers.iter().enumerate() {
                        assert!(!at_bos(row, column) || *number == 0.0, "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_token_that_is_the_sink_is_marked_and_not_selected() {
    let place = Place::new();
    let hist = example("hist");
    let words = "position 0 as the sink, not selected";
    let compile = ["compile", &hist, "-e", "hist", "-o", "m", "--no-bos"];
    assert_eq!(place.rasp(&compile).status, 0);
    let arguments = [&hist, "-e", "hist", "-i", "hello", "--model", "m", "--as"];
    let drawn = |form| draw(&place, &[&arguments[..], &[form]].concat()).out;
    let json: Json = serde_json::from_str(&drawn("json")).unwrap();
    let heads = heads(&json);
    let counted = heads.last().unwrap();
    assert_eq!(counted[1]["sink"], Json::from(vec![true; 5]));
    let selected = numbers(counted[1]);
    assert!(selected.iter().all(|row| row[0] == 0.0), "{selected:?}");
    let differs = numbers(counted[2]);
    assert!(differs.iter().flatten().all(|number| number.abs() < 1e-6));
    let noted = panels(&json).flat_map(|panel| items(&panel["notes"]));
    let mut noted = noted.filter_map(Json::as_str);
    assert!(noted.any(|note| note.ends_with("with the sink counted")));
    for form in ["svg", "text"] {
        assert!(drawn(form).contains(words), "{form}");
    }
    let trace = ["exec", "m", "-i", "hello", "--trace"];
    let traced = place.rasp(&trace).out;
    assert!(traced.contains(words) && traced.contains('○'), "{traced}");
    let traced = place.rasp(&[&trace[..], &["--json"]].concat()).out;
    let traced: Json = serde_json::from_str(&traced).unwrap();
    let steps = items(&traced["trace"]["steps"]).iter();
    let head = steps.flat_map(|step| items(&step["heads"])).next_back();
    assert_eq!(head.unwrap()["sink"], Json::from(vec![true; 5]));
    // With BOS no token is a sink.
    let compile = ["compile", &hist, "-e", "hist", "-o", "m", "--force"];
    assert_eq!(place.rasp(&compile).status, 0);
    assert!(!drawn("svg").contains(words));
}

#[test]
fn what_has_no_name_is_drawn_as_the_stream_holds_it() {
    let place = Place::new();
    let source = "n = selector_width(select(tokens, \"a\", ==) and select(indices, indices, <));\n\
                  pairs = round(length * aggregate(full_s, n if tokens == \"b\" else 0));\n";
    place.file("pairs.rasp", source);
    let of = ["pairs.rasp", "-e", "pairs", "-i", "abba"];
    let ran = draw(
        &place,
        &[&of[..], &["--show", "model", "--as", "json"]].concat(),
    );
    let json: Json = serde_json::from_str(&ran.out).unwrap();
    let hidden = panels(&json).find(|panel| panel["id"] == "half2-round1");
    let hidden = hidden.unwrap();
    let note = items(&hidden["notes"])[0].as_str().unwrap();
    assert!(note.starts_with("without a name in the program"), "{note}");
    let row = &hidden["blocks"][0]["table"][1];
    assert_eq!(row["name"], "(n if (tokens == \"b\") else 0)");
    let cells = items(&row["cells"])
        .iter()
        .map(|cell| cell["text"].as_str());
    let cells: Option<Vec<&str>> = cells.collect();
    assert_eq!(cells.unwrap(), ["–", "0", "1", "1", "0"]);
}

#[test]
fn what_has_one_name_is_numbered() {
    let place = Place::new();
    let dyck2 = example("dyck2");
    for (form, show) in [("text", "flow"), ("svg", "flow"), ("mermaid", "graph")] {
        let arguments = [&dyck2, "-e", "dyck2", "--as", form, "--show", show];
        let drawn = draw(&place, &arguments).out;
        let hash = if form == "mermaid" { "#35;" } else { "#" };
        for number in [1, 2] {
            assert!(drawn.contains(&format!("kind {hash}{number}")), "{drawn}");
        }
        if form == "text" {
            assert!(drawn.contains("aggregate(before, kind #2)"), "{drawn}");
            assert!(drawn.contains("s-ops of one name are numbered"), "{drawn}");
        }
    }
    place.file(
        "p.rasp",
        "kind = aggregate(select(indices, indices - 1, ==), tokens, \"a\");\n\
         kind = aggregate(select(kind, tokens, ==), indices, 0);\n\
         w = selector_width(select(kind, indices, ==));\n",
    );
    let compile = [
        "compile",
        "p.rasp",
        "-e",
        "w",
        "--vocab",
        "abc",
        "--max-len",
        "4",
        "-o",
        "m",
    ];
    let made = place.rasp(&compile).out;
    assert!(made.contains("select(kind #1, tokens, ==)"), "{made}");
    assert!(made.contains("select(kind #2, indices, ==)"), "{made}");
    // The heads of the model are those of the picture.
    let arguments = [
        "p.rasp", "-e", "w", "-i", "abca", "--model", "m", "--as", "json",
    ];
    let json: Json = serde_json::from_str(&draw(&place, &arguments).out).unwrap();
    assert_eq!(heads(&json).len(), 3);
    let stream = [&arguments[..], &["--show", "stream"]].concat();
    let stream: Json = serde_json::from_str(&draw(&place, &stream).out).unwrap();
    let grid = panels(&stream).last().map(|_| {
        let last = panels(&stream).filter_map(|panel| panel["blocks"][0].get("grid"));
        last.filter(|grid| !items(&grid["groups"]).is_empty())
            .last()
    });
    let groups = items(&grid.flatten().unwrap()["groups"]).iter();
    let groups: Vec<&str> = groups.filter_map(|group| group["name"].as_str()).collect();
    assert!(
        groups.contains(&"kind #1") && groups.contains(&"kind #2"),
        "{groups:?}"
    );
    assert!(!groups.contains(&"kind"), "{groups:?}");
}

#[test]
fn a_flow_says_that_a_model_may_take_more() {
    let ran = draw(
        &Place::new(),
        &[&example("sort"), "-e", "sorted", "-i", "hello", "--at", "1"],
    );
    let words: Vec<&str> = ran.out.split_whitespace().collect();
    let text = words.join(" ");
    assert!(text.contains("its model may take more"), "{text}");
    assert!(text.contains("position 1 of the output"), "{text}");
}

#[test]
fn a_model_is_not_drawn_on_an_input_that_is_longer() {
    let hist = example("hist");
    let asked = "-e hist --show model -i hello --vocab helo --max-len 4";
    let arguments: Vec<&str> = ["draw", &hist]
        .into_iter()
        .chain(asked.split(' '))
        .collect();
    let ran = Place::new().rasp(&arguments);
    assert!(ran.err.contains("E0703"), "{}", ran.shown());
}

#[test]
#[cfg(feature = "pictures")]
fn a_tall_picture_is_whole() {
    let place = Place::new();
    // A band and a part of one.
    let arguments = [
        &example("dyck2"),
        "-e",
        "dyck2",
        "-i",
        "({})",
        "-o",
        "a.png",
    ];
    draw(&place, &arguments);
    let file = std::fs::File::open(place.path("a.png")).unwrap();
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    assert!(info.height > 2_052, "{}", info.height);
    let width = info.width as usize;
    // No edge shines through.
    let corners = [
        0,
        width - 1,
        width * (info.height as usize - 1),
        pixels.len() / 3 - 1,
    ];
    for at in corners {
        assert_eq!(pixels[3 * at..3 * at + 3], [255, 255, 255]);
    }
    // The line from the tokens to the output runs through all of it without a gap.
    let dark = |row: usize| {
        let line = &pixels[3 * width * row..3 * width * (row + 1)];
        line.chunks(3).take(120).any(|pixel| pixel[0] < 200)
    };
    let rows: Vec<usize> = (0..info.height as usize).filter(|row| dark(*row)).collect();
    assert!((2_044..2_052).all(|row| rows.contains(&row)));
}

/// In a file, too: on its own input, or else on those of the command line.
#[test]
fn a_file_draws_what_it_says() {
    let text = "a = select(tokens, tokens, ==);\ndraw(a, \"abab\");\ndraw(a);\n";
    let place = Place::with(&[("file.rasp", text)]);
    let ran = place.shell("rasp run file.rasp -i xy -i z");
    let titles: Vec<&str> = ran
        .out
        .lines()
        .filter(|line| line.contains(" on "))
        .collect();
    assert_eq!(
        titles,
        ["a on \"abab\"", "a on \"xy\"", "a on \"z\""],
        "{}",
        ran.shown()
    );
    // Whoever asks for JSON gets values.
    let told = place.shell("rasp run file.rasp -i xy --json");
    assert!(told.out.contains("\"input\":\"abab\""), "{}", told.shown());
    assert_eq!(
        told.last_line()["output"],
        serde_json::json!([[true, false], [false, true]])
    );
}
