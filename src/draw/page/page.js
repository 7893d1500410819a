// --- the page ---

const state = { step: 0, input: data.input, other: "", picked: null };

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key === "onclick") made.addEventListener("click", value); else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const color = (number, most, role) => {
  const strength = most === 0 ? 0 : Math.sqrt(Math.log1p(Math.abs(number)) / Math.log1p(most));
  return `rgba(var(--${role ?? (number < 0 ? "minus" : "plus")}),${strength.toFixed(3)})`;
};

const heads = tokens => [...(model.bos ? ["BOS"] : []), ...tokens.map(shown)];

// Lets the arrow keys move between the cells of a table, of which one can be reached with Tab.
function walked(table) {
  const rows = [...table.rows].map(row => [...row.cells].filter(cell => cell.tagName === "TD"))
    .filter(row => row.length > 0);
  rows.flat().forEach((cell, at) => { cell.tabIndex = at === 0 ? 0 : -1; });
  table.setAttribute("role", "grid");
  table.addEventListener("keydown", event => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const from = event.target, row = rows.findIndex(cells => cells.includes(from));
    if (!by || row < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const to = rows[row + by[0]]?.[rows[row].indexOf(from) + by[1]];
    if (!to) return;
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  });
  return table;
}

// A grid of a head: `cell` gives the text, the style, the class and the words of a query and a key.
function grid(head, names, title, cell) {
  const table = element("table", { class: names.length > 10 ? "many" : "few" }, element("caption", {}, title));
  table.append(element("tr", {}, element("th", { scope: "col" }, "query \\ key"),
    ...names.map(name => element("th", { class: "key", scope: "col" }, name))));
  names.forEach((name, query) => {
    const cells = names.map((_, key) => {
      const { shows, words, ...more } = cell(query, key);
      const made = element("td", { title: words, "aria-label": words, ...more }, shows ?? "");
      const say = () => { byId("said").textContent = `${head.source}: ${words}`; };
      made.addEventListener("mouseenter", say);
      made.addEventListener("focus", say);
      return made;
    });
    table.append(element("tr", {}, element("th", { class: "query", scope: "row" }, name), ...cells));
  });
  return walked(table);
}

// The attention of a head, beside it the selector that it computes on the same tokens, and how far they
// differ; each token has the same row and column in all three.
function headGroup(head, result, ran, title) {
  const step = result.steps[state.step], pattern = step.patterns[model.layers[(step.half - 1) / 2].heads.indexOf(head)];
  const names = heads(result.tokens), selected = headSelects(head, result.steps[state.step - 1].stream, ran);
  const pair = (query, key) => `query ${names[query]} (${query}), key ${names[key]} (${key})`;
  const of = (query, key) => !selected || query < before || key < before ? ""
    : selected.keys[query - before][key - before] ? "selects it"
    : key === 0 && selected.sink[query] ? "looks at it as at the sink, without selecting it" : "does not select it";
  const grids = [grid(head, names, "attention", (query, key) => {
    const weight = pattern[query][key], selects = of(query, key);
    return { words: `query ${names[query]} pays key ${names[key]} ${weight.toPrecision(4)}${selects && `, and ${selects}`}`,
      style: `background:rgba(var(--on),${Math.sqrt(weight).toFixed(3)})` };
  })];
  let amount = "";
  if (selected) {
    const differs = differences(pattern, selected);
    const most = differs.flat().reduce((largest, number) => Math.max(largest, Math.abs(number)), 0);
    amount = ` — they differ by ${most === 0 ? 0 : most.toPrecision(1)} at most`;
    if (selected.sink.includes(true)) amount += ", with the sink counted (○: position 0 as the sink, not selected)";
    const blank = { words: "nothing of the program stands at BOS", class: "blank" };
    grids.push(grid(head, names, "selector", (query, key) => {
      if (query < before || key < before) return blank;
      const on = selected.keys[query - before][key - before];
      return { words: `${pair(query, key)}: the head ${of(query, key)}`, class: on ? "on" : "off",
        shows: !on && key === 0 && selected.sink[query] ? "○" : "" };
    }));
    grids.push(grid(head, names, "difference", (query, key) => {
      if (query < before || key < before) return blank;
      const number = differs[query - before][key - before];
      return { words: `${pair(query, key)}: attention less the share that the selector gives is ${number.toPrecision(3)}`,
        style: `background:rgba(var(--${number < 0 ? "minus" : "plus"}),${Math.sqrt(Math.min(1, Math.abs(number))).toFixed(3)})` };
    }));
  }
  return element("div", { class: "head", role: "group", "aria-label": `${title}${head.source}` },
    element("h3", {}, `${title}${head.source}`, element("span", { class: "dim" }, amount)),
    element("div", { class: "side" }, ...grids.map(table => element("div", { class: "scroll" }, table))));
}

function streamTable(result, caption, most, reference) {
  const step = result.steps[state.step], names = heads(result.tokens);
  const table = element("table", {}, element("caption", {}, caption));
  const groups = element("tr", {}, element("th", {}));
  model.groups.forEach(group => groups.append(
    element("th", { class: group.directions.length > 2 ? "group" : "group turned", colspan: group.directions.length,
      scope: "colgroup", title: group.name }, group.name)));
  table.append(groups);
  const order = model.groups.flatMap(group => group.directions);
  if (model.groups.some(group => group.directions.length > 1)) {
    table.append(element("tr", {}, element("th", {}), ...order.map(d =>
      element("th", { class: "turned", scope: "col", title: model.directions[d] }, (model.directions[d].split(" = ")[1] ?? "")))));
  }
  step.stream.forEach((row, position) => {
    const cells = order.map(d => {
      const other = reference?.steps[state.step].stream[position];
      const differs = other && Math.abs(other[d] - row[d]) > 1e-9;
      const pick = () => { state.picked = { caption, position, direction: d }; explainCell(result, position, d); };
      const text = `${model.directions[d]} at ${names[position]}: ${row[d]}`;
      const cell = element("td", { class: `stream${differs ? " differs" : ""}`, title: text, "aria-label": text,
        style: `background:${color(row[d], most)}`, onclick: pick });
      cell.addEventListener("keydown", event => { if (event.key === "Enter") pick(); });
      return cell;
    });
    table.append(element("tr", {}, element("th", { class: "token", scope: "row" }, names[position]), ...cells));
  });
  return walked(table);
}

function explainCell(result, position, direction) {
  const step = result.steps[state.step], row = step.stream[position];
  const label = model.directions[direction], group = label.split(" = ")[0];
  const lines = [`${label} at ${heads(result.tokens)[position]} (position ${position}) is ${row[direction]}`];
  const touching = model.variables.filter(variable => variable.ready <= step.half &&
    variable.readout.weights.entries.some((d, at) => at % 3 === 0 && d === direction));
  for (const variable of [...touching, ...(state.step === result.steps.length - 1 ? model.outputs : [])]) {
    if (position < before) { lines.push(`${variable.name} means nothing at BOS`); continue; }
    const found = read(variable.readout, row);
    const logits = [...found.logits].sort((a, b) => b[1] - a[1]).slice(0, 6);
    const margin = found.margin === null ? "" : `, margin ${Number(found.margin.toPrecision(4))}`;
    lines.push(`${variable.name} is ${shown(found.value)}${margin}; logits ${
      logits.map(([value, logit]) => `${shown(value)}: ${Number(logit.toPrecision(6))}`).join(", ")}`);
  }
  byId("cell").replaceChildren(...lines.flatMap(line => [line, element("br")]));
  byId("cell").dataset.group = group;
}

function variablesTable(result) {
  const step = result.steps[state.step];
  const known = model.variables.filter(variable => variable.ready <= step.half);
  const table = element("table", {}, element("caption", {}, "decoded from the stream; – at BOS, where nothing of the program stands"));
  table.append(element("tr", {}, element("th", {}), ...heads(result.tokens).map(name =>
    element("th", { class: "token", scope: "col" }, name))));
  for (const variable of known) {
    const cells = step.stream.map((row, position) =>
      element("td", {}, position < before ? "–" : shown(read(variable.readout, row).value)));
    const fresh = variable.ready === step.half ? "● " : "";
    table.append(element("tr", {}, element("th", { class: "name", scope: "row" }, fresh + variable.name), ...cells));
  }
  return table;
}

function outputsTable(rows, tokens) {
  const table = element("table", { "aria-label": rows.map(row => row.name).join(", ") });
  table.append(element("tr", {}, element("th", {}), ...tokens.map(token =>
    element("th", { class: "token", scope: "col" }, shown(token)))));
  for (const { name, values, against } of rows) {
    table.append(element("tr", {}, element("th", { class: "name", scope: "row" }, name), ...values.map((value, at) =>
      element("td", { class: `result${against && !same(value, against[at]) ? " differs" : ""}` }, shown(value)))));
  }
  return table;
}

function draw() {
  const tokens = tokensOf(state.input), wrong = problem(tokens);
  const others = state.other === "" ? null : tokensOf(state.other);
  const wrongOther = others ? problem(others) : "";
  byId("error").textContent = wrong || (wrongOther && `the other input: ${wrongOther}`);
  if (wrong) return;
  const result = run(tokens), other = others && !wrongOther ? run(others) : null;
  state.step = Math.min(state.step, result.steps.length - 1);
  byId("step").max = result.steps.length - 1;
  byId("step").value = state.step;
  const step = result.steps[state.step];
  const round = step.round > 0 ? `, round ${step.round + 1}` : "";
  byId("after").textContent = `after the ${step.half === 0 ? "embedding"
    : step.half % 2 ? `layer ${(step.half + 1) / 2} attention` : `layer ${step.half / 2} feed-forward`}${round}`;
  byId("step").setAttribute("aria-valuetext", byId("after").textContent);
  byId("place").replaceChildren(...heads(tokens).map((name, at) => element("option", { value: at }, `${at}: ${name}`)));
  byId("place").value = String(Math.min(state.place ?? before, tokens.length + before - 1));

  let patched = null;
  const variable = byId("patch").value;
  if (other && variable !== "") {
    const position = Number(byId("place").value);
    const row = other.steps[state.step].stream[position];
    if (row) {
      const directions = model.groups[Number(variable)].directions;
      patched = run(tokens, { step: state.step, position, directions, row });
    }
  }
  const ran = data.program && interpret(data.program, tokens), outputs = ran?.outputs ?? [];
  const rows = [], differing = [];
  model.outputs.forEach((output, at) => {
    const values = outputOf(result, output);
    rows.push({ name: `model: ${output.name}`, values });
    if (data.program) {
      rows.push({ name: "program", values: outputs[at], against: values });
      values.forEach((value, position) => {
        if (outputs[at][position] !== null && !same(value, outputs[at][position])) differing.push(position);
      });
    }
    if (patched) rows.push({ name: "model, patched", values: outputOf(patched, output), against: values });
  });
  byId("outputs").replaceChildren(outputsTable(rows, tokens));
  if (other) byId("outputs").append(outputsTable(model.outputs.map(output =>
    ({ name: `other input: ${output.name}`, values: outputOf(other, output) })), other.tokens));
  byId("verdict").textContent = !data.program ? "The program is not in this page."
    : differing.length === 0 ? "Program and model differ nowhere." : `Program and model differ at ${differing.join(", ")}.`;

  byId("attention").hidden = step.patterns.length === 0;
  if (step.patterns.length) {
    const layer = model.layers[(step.half - 1) / 2];
    const otherRan = other && data.program && interpret(data.program, other.tokens);
    byId("heads").replaceChildren(...layer.heads.flatMap((head, at) => [
      headGroup(head, result, ran, `head ${at + 1}: `),
      ...(other ? [headGroup(head, other, otherRan, `head ${at + 1}, other input: `)] : []),
    ]));
  }
  byId("variables").replaceChildren(variablesTable(result));
  const most = Math.max(...result.steps.flatMap(each => each.stream.map(row => row.reduce((m, x) => Math.max(m, Math.abs(x)), 0))));
  byId("stream").replaceChildren(streamTable(result, "a row for each position, a column for each direction; strength by the root of the logarithm of the size", most));
  if (other) byId("stream").append(streamTable(other, "the other input; marked where it differs", most,
    other.tokens.length === tokens.length ? result : null));
  if (patched) byId("stream").append(streamTable(patched, "patched; marked where it differs", most, result));
  document.documentElement.dataset.output = JSON.stringify(model.outputs.map(output => outputOf(result, output)));
}

function to(step) { state.step = Math.max(0, Math.min(Number(byId("step").max), step)); draw(); }

byId("patch").append(element("option", { value: "" }, "none"), ...model.groups.map((group, at) =>
  element("option", { value: at }, group.name)));
byId("input").value = state.input;
byId("input").addEventListener("input", () => { state.input = byId("input").value; draw(); });
byId("other").addEventListener("input", () => { state.other = byId("other").value; draw(); });
byId("patch").addEventListener("change", draw);
byId("place").addEventListener("change", () => { state.place = Number(byId("place").value); draw(); });
byId("back").addEventListener("click", () => to(state.step - 1));
byId("next").addEventListener("click", () => to(state.step + 1));
byId("step").addEventListener("input", () => to(Number(byId("step").value)));
document.addEventListener("keydown", event => {
  if (event.target.tagName === "INPUT" || event.target.tagName === "SELECT") return;
  if (event.key === "ArrowLeft") to(state.step - 1);
  if (event.key === "ArrowRight") to(state.step + 1);
});

// What the part of the address behind # asks for: an input, a step, another input, a patch; and
// `check`, inputs as JSON, whose outputs become the text of the page.
const asked = new URLSearchParams(location.hash.slice(1));
if (asked.has("input")) byId("input").value = state.input = asked.get("input");
if (asked.has("other")) byId("other").value = state.other = asked.get("other");
if (asked.has("step")) state.step = Number(asked.get("step"));
if (asked.has("patch")) byId("patch").value = asked.get("patch");
if (asked.has("place")) state.place = Number(asked.get("place"));
draw();
if (asked.has("check")) {
  const checked = JSON.parse(asked.get("check")).map(text => {
    const tokens = tokensOf(typeof text === "string" ? text : JSON.stringify(text));
    const result = run(tokens);
    const ran = data.program && interpret(data.program, tokens);
    const selected = result.steps.flatMap((step, at) => step.patterns.map((_, h) =>
      headSelects(model.layers[(step.half - 1) / 2].heads[h], result.steps[at - 1].stream, ran)));
    return { model: model.outputs.map(output => outputOf(result, output)), program: ran && ran.outputs, selected };
  });
  document.body.append(element("pre", { id: "checked" }, JSON.stringify(checked)));
}
