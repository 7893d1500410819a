#!/usr/bin/env python3
"""The pages of `rasp draw` in headless Chromium: no error, no request, values equal `rasp exec`, keys and
labels, print; and no text of an SVG outside its box. Needs Chromium; without one it says so and ends.

    cargo build --release && python3 benches/page.py target/release/rasp [FOLDER FOR SCREENSHOTS]
"""

import html
import http.server
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--enable-logging=stderr", "--virtual-time-budget=20000",
]
# The program, its s-op, the vocabulary, the longest input, and how else it is compiled.
PROGRAMS = [
    ("hist", "hist", "helo", 8),
    ("sort", "sorted", "abcdefgh", 16),
    ("reverse", "reverse", "abc", 8),
    ("most_frequent", "most_frequent", "abcd", 8),
    ("dyck2", "dyck2", "(){}", 6),
    ("frac_prevs", "frac_prevs", "hel", 6),
    ("parity", "parity", "01", 8),
    ("hist", "hist", "helo", 8, "--no-bos"),
    ("most_frequent", "most_frequent", "abc", 6, "--no-bos"),
]
# For the boxes of SVGs, too.
DRAWN = [("hist", "hist", "helo"), ("reverse", "reverse", "helo"), ("sort", "sorted", "helo"),
         ("most_frequent", "most_frequent", "abcd"), ("dyck2", "dyck2", "(){}"),
         ("papers/weiss2021_rover", "res", "a<A,x:B?")]


def chromium(url, *more):
    """What Chromium says, and the document that it ends with."""
    with tempfile.TemporaryDirectory() as profile:
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *more, url]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    said = [line for line in ran.stderr.splitlines() if "CONSOLE" in line]
    return ran.stdout, said


def rasp(program, *arguments):
    ran = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def same(got, expected):
    if isinstance(expected, float) or isinstance(got, float):
        return abs(got - expected) <= 1e-5 * max(1, abs(expected))
    return got == expected


# What a person does with keys, and what a screen reader finds.
USE = """<script>
const wrong = [], must = (holds, what) => { if (!holds) wrong.push(what); };
const key = (target, name) => target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
const after = () => document.getElementById("after").textContent;
const first = after();
key(document.body, "ArrowRight");
must(after() !== first, "the right arrow steps");
must(document.getElementById("step").getAttribute("aria-valuetext") === after(), "the slider says the step");
let steps = 1;
for (; steps < 20 && !document.querySelector("#heads td"); steps++) key(document.body, "ArrowRight");
const there = after(), attention = document.querySelector("#heads td");
must(attention, "a head is shown");
attention?.focus();
must(document.getElementById("said").textContent.includes("pays"), "a focused weight is said");
key(attention ?? document, "ArrowDown");
must(document.activeElement !== attention && document.activeElement.closest("#heads"), "arrows walk a table");
must(after() === there, "and do not step there");
const captions = () => [...document.querySelectorAll("#heads caption")].map(caption => caption.textContent);
must(captions().some(text => text.startsWith("selector")) && captions().includes("difference"), "the selector is beside it");
const sizes = () => [...document.querySelectorAll("#heads .head")].map(head =>
  new Set([...head.querySelectorAll("table")].map(table => table.rows.length + " " + table.rows[0].cells.length)));
must(sizes().every(size => size.size === 1), "the grids of a head are as large as each other");
const field = document.getElementById("input"), was = field.value, length = sizes()[0].values().next().value;
const edit = text => { field.value = text; field.dispatchEvent(new Event("input")); };
edit(Array.from(was).length > 1 ? was.slice(1) : was + was);
must(sizes()[0].values().next().value !== length, "the selector follows the input");
const drawn = () => [...document.querySelectorAll("#heads td")].map(cell => cell.className + cell.getAttribute("aria-label"));
must(drawn().some(text => text.startsWith("on")), "something is selected");
edit(was);
must(sizes()[0].values().next().value === length, "and back");
for (; steps > 0; steps--) key(document.body, "ArrowLeft");
must(after() === first, "the left arrow steps back");
const cell = document.querySelector("td.stream");
cell.focus();
key(cell, "Enter");
must(document.getElementById("cell").textContent.includes("position 0"), "Enter explains a cell");
must(document.querySelectorAll("#stream td[tabindex='0']").length === 1, "one stop of Tab for a table");
for (const control of document.querySelectorAll("input, select, button"))
  must(control.labels?.length > 0 || control.getAttribute("aria-label"), "no label: " + control.outerHTML);
for (const table of document.querySelectorAll("table"))
  must(table.caption || table.getAttribute("aria-label"), "no name: " + table.outerHTML.slice(0, 80));
for (const mark of document.querySelectorAll("#heads td, td.stream")) must(mark.getAttribute("aria-label"), "a mute cell");
must(document.documentElement.lang === "en" && document.title, "a language and a title");
const rules = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules]);
must(rules.some(rule => rule.media?.mediaText === "print"), "rules for print");
document.body.innerHTML = "<pre id=wrong>" + JSON.stringify(wrong) + "</pre>";
</script>"""


def check_use(page, folder):
    """Keys and labels; what the page asks a server for; that it prints."""
    used = folder / "used.html"
    used.write_text(page.read_text().replace("</body>", USE + "</body>"))
    dumped, said = chromium(used.as_uri(), "--dump-dom")
    assert not said, said
    wrong = json.loads(html.unescape(re.search(r'<pre id="wrong">(.*?)</pre>', dumped, re.S).group(1)))
    assert wrong == [], wrong

    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(folder))

        def log_message(self, *_):
            asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    chromium(f"http://127.0.0.1:{server.server_port}/{page.name}", "--dump-dom")
    server.shutdown()
    assert set(asked) <= {f"/{page.name}", "/favicon.ico"} and f"/{page.name}" in asked, asked
    printed = folder / "printed.pdf"
    chromium(page.as_uri(), f"--print-to-pdf={printed}", "--no-pdf-header-footer")
    assert printed.read_bytes().startswith(b"%PDF"), "it prints"


def check_page(program, folder, shots, example, sop, vocabulary, longest, *how):
    source, name = str(ROOT / f"examples/{example}.rasp"), "".join([example, *how])
    model, page = folder / f"{name}.model", folder / f"{name}.html"
    rasp(program, "compile", source, "-e", sop, "--vocab", vocabulary, "--max-len", str(longest),
         "-o", str(model), *how)
    rng = random.Random(name)
    inputs = ["".join(rng.choices(vocabulary, k=rng.randint(1, longest))) for _ in range(40)]
    rasp(program, "draw", source, "-e", sop, "--model", str(model), "-i", inputs[0], "-o", str(page))
    size = page.stat().st_size
    text = page.read_text()
    assert not re.search(r"https?://(?!www\.w3\.org)", text), "an address"
    asked = urllib.parse.urlencode({"check": json.dumps(inputs)}, quote_via=urllib.parse.quote)
    dumped, said = chromium(f"{page.as_uri()}#{asked}", "--dump-dom")
    assert not said, said
    assert "data-error" not in dumped, re.findall(r'data-error="[^"]*"', dumped)
    found = re.search(r'<pre id="checked">(.*?)</pre>', dumped, re.S)
    checked = json.loads(html.unescape(found.group(1)))
    lines = []
    for text in inputs:
        lines += ["-i", text]
    said = rasp(program, "exec", str(model), *lines, "--trace", "--json")
    executed = [json.loads(line) for line in said.splitlines()]
    for text, mine, theirs in zip(inputs, checked, executed):
        for values in (mine["model"][0], mine["program"][0]):
            # The page has one type of number; a truth value is one of them.
            assert len(values) == len(theirs["output"]), text
            for got, expected in zip(values, theirs["output"]):
                assert same(got, expected), (name, text, values, theirs["output"])
        # What the page says that each head selects, beside what the trace says of it.
        heads = [head for step in theirs["trace"]["steps"] for head in step["heads"]]
        assert len(heads) == len(mine["selected"]), (name, text)
        for head, drawn in zip(heads, mine["selected"]):
            assert (drawn and drawn["keys"]) == head.get("selected"), (name, text, head["label"])
            assert (drawn["sink"] if drawn else []) == head.get("sink", []), (name, text, head["label"])
    assert "differ nowhere" in dumped
    check_use(page, folder)
    print(f"{name}: {len(inputs)} inputs as `rasp exec` and as the program; {size / 1000:.0f} kB")
    if shots:
        for step in (1, 3):
            target = shots / f"page-{name}-{step}.png"
            chromium(f"{page.as_uri()}#step={step}&other={inputs[1]}", f"--screenshot={target}",
                     "--window-size=1300,1600")


MEASURE = """<!DOCTYPE html><body>%s<script>
const wrong = [];
const page = document.querySelector("svg").getBoundingClientRect();
for (const text of document.querySelectorAll("svg text")) {
  const box = text.getBoundingClientRect();
  let group = text.parentNode;
  let frame = page;
  for (; group.tagName === "g"; group = group.parentNode) {
    const panel = group.querySelector(":scope > rect.panel");
    if (panel) { frame = panel.getBoundingClientRect(); break; }
  }
  const slack = 1;
  if (box.left < frame.left - slack || box.right > frame.right + slack
      || box.top < frame.top - slack || box.bottom > frame.bottom + slack) wrong.push(text.textContent);
}
document.body.innerHTML = "<pre id=wrong>" + JSON.stringify([wrong.length, wrong.slice(0, 5)]) + "</pre>";
</script></body>"""


def check_boxes(program, folder):
    for name, sop, vocabulary in DRAWN:
        for length in (5, 12, 50):
            text = (vocabulary * length)[:length]
            source, model = str(ROOT / f"examples/{name}.rasp"), str(folder / "drawn.model")
            rasp(program, "compile", source, "-e", sop, "--vocab", vocabulary, "--max-len", str(length),
                 "-o", model, "--force")
            shows = [(show,) for show in ("flow", "graph")]
            shows += [(show, "--model", model) for show in ("model", "stream", "weights")]
            for show, *more in shows:
                svg = folder / "drawn.svg"
                rasp(program, "draw", source, "-e", sop, "-i", text, "--show", show, *more, "-o", str(svg), "--force")
                measure = folder / "measure.html"
                measure.write_text(MEASURE % svg.read_text())
                dumped, said = chromium(measure.as_uri(), "--dump-dom")
                assert not said, said
                found = re.search(r'<pre id="wrong">(.*?)</pre>', dumped, re.S)
                count, examples = json.loads(html.unescape(found.group(1)))
                assert count == 0, (name, length, show, count, examples)
        print(f"{name}: no text outside its box at 5, 12 and 50 tokens")


def main():
    if CHROMIUM is None:
        print("skipped: there is no Chromium here")
        return
    program = str(pathlib.Path(sys.argv[1]).resolve())
    shots = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for row in PROGRAMS:
            check_page(program, folder, shots, *row)
        check_boxes(program, folder)


if __name__ == "__main__":
    main()
