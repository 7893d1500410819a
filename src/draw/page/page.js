"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const model = data.model;
const byId = id => document.getElementById(id);
window.addEventListener("error", event => { document.documentElement.dataset.error = event.message; });

// Values: numbers, strings and truth values are JavaScript's; floats that JSON lacks are objects.
const plain = value => typeof value === "boolean" ? Number(value) : value;
const equal = (a, b) => plain(a) === plain(b);
const shown = value => value === null || value === undefined ? "–"
  : value === true ? "True" : value === false ? "False"
  : typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(6)))
  : typeof value === "object" ? "not finite" : String(value);

// The tokens of a text: its characters, or a list as JSON.
function tokensOf(text) {
  if (text.trim().startsWith("[")) {
    try { const list = JSON.parse(text); if (Array.isArray(list)) return list; } catch { /* a text, then */ }
  }
  return Array.from(text).map(character =>
    model.vocabulary.some(token => equal(token, character)) ? character
      : model.vocabulary.find(token => shown(token) === character) ?? character);
}

// What is wrong with an input; nothing if the model takes it.
function problem(tokens) {
  if (tokens.length === 0) return "the input is empty";
  if (tokens.length > model.max_length) return `the model takes ${model.max_length} tokens at most`;
  const unknown = tokens.find(token => !model.vocabulary.some(known => equal(known, token)));
  return unknown === undefined ? "" : `the model does not know the token ${JSON.stringify(unknown)}`;
}

// A sparse matrix is its rows, its columns, and its entries one after the other.
function addProduct(into, vector, matrix) {
  const entries = matrix.entries;
  for (let at = 0; at < entries.length; at += 3) {
    into[entries[at + 1]] += vector[entries[at]] * entries[at + 2];
  }
  return into;
}
const affine = (vector, matrix, bias) =>
  addProduct(bias ? Float64Array.from(bias) : new Float64Array(matrix.columns), vector, matrix);

function seen(head, query, key) {
  if (head.mask === "earlier") return key < query;
  if (head.mask === "later") return key > query;
  return !model.causal || key <= query;
}

function attend(head, stream) {
  const queries = stream.map(row => affine(row, head.query, head.query_bias));
  const keys = stream.map(row => affine(row, head.key, head.key_bias));
  const root = Math.sqrt(head.query.columns);
  return queries.map((query, at) => {
    const scores = keys.map((key, other) => {
      if (!seen(head, at, other)) return -Infinity;
      let sum = 0;
      for (let dimension = 0; dimension < query.length; dimension++) sum += query[dimension] * key[dimension];
      return root > 0 ? sum / root : 0;
    });
    const largest = Math.max(...scores);
    if (largest === -Infinity) return scores.map(() => 0);
    const weights = scores.map(score => head.hard ? Number(score === largest) : Math.exp(score - largest));
    const sum = weights.reduce((a, b) => a + b, 0);
    return weights.map(weight => weight / sum);
  });
}

function normalised(units) {
  const mean = units.reduce((a, b) => a + b, 0) / units.length;
  const variance = units.reduce((a, b) => a + (b - mean) ** 2, 0) / units.length;
  return units.map(unit => variance === 0 ? 0 : (unit - mean) / Math.sqrt(variance));
}

// One pass, with the stream and the patterns after each half layer. A patch replaces numbers of
// the stream: {step, position, directions, row}.
function run(tokens, patch) {
  const rows = tokens.map(token => model.vocabulary.findIndex(known => equal(known, token)));
  if (model.bos) rows.unshift(model.vocabulary.length);
  let stream = rows.map(() => new Float64Array(model.d_model));
  const embed = (matrix, of) => {
    const at = new Map();
    for (let e = 0; e < matrix.entries.length; e += 3) {
      const list = at.get(matrix.entries[e]) ?? [];
      list.push([matrix.entries[e + 1], matrix.entries[e + 2]]);
      at.set(matrix.entries[e], list);
    }
    stream.forEach((row, position) => (at.get(of(position)) ?? []).forEach(([d, number]) => { row[d] += number; }));
  };
  embed(model.token_embedding, position => rows[position]);
  embed(model.position_embedding, position => position);
  const steps = [];
  const keep = (half, round, patterns) => {
    if (patch && patch.step === steps.length) {
      patch.directions.forEach(d => { stream[patch.position][d] = patch.row[d]; });
    }
    steps.push({ half, round, patterns, stream: stream.map(row => Float64Array.from(row)) });
  };
  keep(0, 0, []);
  for (const [index, round] of model.runs) {
    const layer = model.layers[index];
    const patterns = layer.heads.map(head => attend(head, stream));
    const before = stream;
    stream = stream.map(row => Float64Array.from(row));
    layer.heads.forEach((head, h) => {
      const values = before.map(row => affine(row, head.value));
      stream.forEach((row, query) => {
        const mixed = new Float64Array(head.value.columns);
        patterns[h][query].forEach((weight, key) => {
          for (let d = 0; d < mixed.length; d++) mixed[d] += weight * values[key][d];
        });
        addProduct(row, mixed, head.output);
      });
    });
    keep(2 * index + 1, round, patterns);
    stream = stream.map(row => {
      let units = affine(row, layer.mlp.input, layer.mlp.input_bias);
      if (layer.mlp.layer_norm) units = normalised(units);
      const next = Float64Array.from(row);
      layer.mlp.output_bias.forEach((bias, d) => { next[d] += bias; });
      return addProduct(next, units.map(unit => Math.max(unit, 0)), layer.mlp.output);
    });
    keep(2 * index + 2, round, []);
  }
  return { tokens, steps, stream };
}

// The value of a readout, its logits, and how far it is from another value.
function read(readout, row) {
  const logits = affine(row, readout.weights, readout.bias);
  const values = readout.values;
  if (readout.kind === "categorical") {
    let best = 0;
    logits.forEach((logit, at) => { if (logit > logits[best]) best = at; });
    const rest = Array.from(logits).filter((_, at) => at !== best);
    const margin = rest.length ? logits[best] - Math.max(...rest) : Infinity;
    return { value: values[best], margin, logits: Array.from(logits, (logit, at) => [values[at], logit]) };
  }
  const number = logits[0];
  if (values.length === 0) return { value: number + 0, margin: null, logits: [["the number", number]] };
  let best = 0;
  values.forEach((value, at) => {
    if (Math.abs(plain(value) - number) < Math.abs(plain(values[best]) - number)) best = at;
  });
  const others = values.filter((_, at) => at !== best).map(value => Math.abs(plain(value) - plain(values[best])));
  const margin = others.length ? Math.min(...others) / 2 - Math.abs(plain(values[best]) - number) : Infinity;
  return { value: values[best], margin, logits: [["the number", number]] };
}

const before = model.bos ? 1 : 0;
const outputOf = (result, output) => result.stream.slice(before).map(row => read(output.readout, row).value);

// The program, interpreted: one list of values for each s-op; null where there is none.
function interpret(program, tokens) {
  const n = tokens.length, columns = [], selected = new Map();
  const truthy = value => value !== 0 && value !== "" && value !== false;
  const string = value => typeof value === "string" ? value : null;
  const compare = (symbol, a, b) => {
    if (symbol === "==") return equal(a, b);
    if (symbol === "!=") return !equal(a, b);
    if (typeof a === "string" !== (typeof b === "string")) return null;
    const [x, y] = [plain(a), plain(b)];
    return symbol === "<" ? x < y : symbol === "<=" ? x <= y : symbol === ">" ? x > y : x >= y;
  };
  const numbers = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b,
    "/": (a, b) => b === 0 ? null : a / b, "%": (a, b) => b === 0 ? null : ((a % b) + b) % b,
    "^": (a, b) => a ** b };
  const round = x => { const low = Math.floor(x), rest = x - low;
    return rest < 0.5 ? low : rest > 0.5 ? low + 1 : low % 2 === 0 ? low : low + 1; };
  const apply = (node, values) => {
    const [a, b, c] = values, { op } = node;
    if (op === "if") return a === null ? null : truthy(a) ? b : c;
    if (values.includes(null)) return null;
    switch (op) {
      case "and": return truthy(a) && truthy(b);
      case "or": return truthy(a) || truthy(b);
      case "not": return !truthy(a);
      case "round": return typeof a === "string" ? null : round(plain(a));
      case "indicator": return Number(truthy(a));
      case "tokens_str": return string(a);
      case "tokens_bool": return truthy(a);
      case "tokens_int": case "tokens_float": {
        const number = typeof a === "string" && a.trim() === "" ? NaN : Number(a);
        return Number.isNaN(number) ? null : op === "tokens_int" ? Math.trunc(number) : number;
      }
      case "in": return node.items.some(item => equal(item, a));
      case "[]": { const found = node.entries.find(([key]) => equal(key, a)); return found ? found[1] : null; }
      case "+": if (values.length === 1) return plain(a);
        if (typeof a === "string" && typeof b === "string") return a + b; break;
      case "-": if (values.length === 1) return typeof a === "string" ? null : -plain(a); break;
      case "==": case "!=": case "<": case "<=": case ">": case ">=": return compare(op, a, b);
    }
    if (!numbers[op] || typeof a === "string" || typeof b === "string") return null;
    return numbers[op](plain(a), plain(b));
  };
  const score = (id, key, query) => {
    const node = program.scorers[id];
    if (node.kind === "key") return columns[node.of][key];
    if (node.kind === "query") return columns[node.of][query];
    if (node.kind === "constant") return node.value;
    return apply(node, node.of.map(operand => score(operand, key, query)));
  };
  const selects = (id, key, query) => {
    const node = program.selectors[id];
    switch (node.kind) {
      case "compare": return compare(node.op, columns[node.keys][key], columns[node.queries][query]) === true;
      case "and": return selects(node.of[0], key, query) && selects(node.of[1], key, query);
      case "or": return selects(node.of[0], key, query) || selects(node.of[1], key, query);
      case "not": return !selects(node.of[0], key, query);
      case "predicate": return score(node.scorer, key, query) === true;
    }
    return best(node, query) === key;
  };
  const best = (node, query) => {
    let found = -1, largest = null;
    for (let key = 0; key < n; key++) {
      if (!selects(node.of[0], key, query)) continue;
      const own = plain(score(node.scorer, key, query));
      if (found < 0 || own >= largest) [found, largest] = [key, own];
    }
    return found;
  };
  const keysOf = (id, query) => {
    const known = `${id},${query}`;
    if (!selected.has(known)) {
      const node = program.selectors[id];
      const keys = node.kind === "best" ? [best(node, query)].filter(key => key >= 0)
        : Array.from({ length: n }, (_, key) => key).filter(key => selects(id, key, query));
      selected.set(known, keys);
    }
    return selected.get(known);
  };
  const mean = (keys, weights, values, fallback) => {
    if (keys.length === 0) return fallback;
    if (keys.length === 1) return values[keys[0]];
    if (keys.some(key => values[key] === null)) return null;
    if (keys.some(key => typeof values[key] === "string")) return null;
    const sum = weights.reduce((a, b) => a + b, 0);
    return keys.reduce((total, key, at) => total + weights[at] * plain(values[key]), 0) / sum;
  };
  for (const node of program.sops) {
    const at = position => {
      switch (node.kind) {
        case "tokens": return tokens[position];
        case "indices": return position;
        case "constant": return node.value;
        case "map": return apply(node, node.of.map(operand => columns[operand][position]));
        case "width": return keysOf(node.selector, position).length;
        case "aggregate": {
          const keys = keysOf(node.selector, position);
          return mean(keys, keys.map(() => 1), columns[node.value], node.default);
        }
        case "weighted": {
          const scores = tokens.map((_, key) => plain(score(node.scorer, key, position)));
          const keys = scores.map((_, key) => key).filter(key => scores[key] > 0);
          return mean(keys, keys.map(key => scores[key]), columns[node.value], node.default);
        }
      }
    };
    columns.push(tokens.map((_, position) => at(position)));
  }
  return program.roots.map(root => columns[root]);
}

// Whether two lists of values are the same, floats within what floats lose.
const same = (a, b) => typeof a === "number" && typeof b === "number"
  ? Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b)) : equal(a, b);

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
  const strength = most === 0 ? 0 : Math.log1p(Math.abs(number)) / Math.log1p(most);
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

function attentionTable(head, pattern, tokens, title) {
  const names = heads(tokens);
  const table = element("table", {}, element("caption", {}, `${title}${head.source}`));
  table.append(element("tr", {}, element("th", { scope: "col" }, "query \\ key"),
    ...names.map(name => element("th", { class: "key", scope: "col" }, name))));
  pattern.forEach((row, query) => {
    const cells = row.map((weight, key) => {
      const text = `query ${names[query]} pays key ${names[key]} ${weight.toPrecision(4)}`;
      const style = `background:rgba(var(--on),${Math.sqrt(weight).toFixed(3)})`;
      const cell = element("td", { title: text, "aria-label": text, style });
      const say = () => { byId("said").textContent = `${head.source}: ${text}`; };
      cell.addEventListener("mouseenter", say);
      cell.addEventListener("focus", say);
      return cell;
    });
    table.append(element("tr", {}, element("th", { class: "query", scope: "row" }, names[query]), ...cells));
  });
  return walked(table);
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
  const outputs = (data.program ? interpret(data.program, tokens) : []);
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
    byId("heads").replaceChildren(...layer.heads.flatMap((head, at) => {
      const tables = [attentionTable(head, step.patterns[at], tokens, `head ${at + 1}: `)];
      if (other) tables.push(attentionTable(head, other.steps[state.step].patterns[at], other.tokens, "other input: "));
      return tables.map(table => element("div", { class: "scroll" }, table));
    }));
  }
  byId("variables").replaceChildren(variablesTable(result));
  const most = Math.max(...result.steps.flatMap(each => each.stream.map(row => row.reduce((m, x) => Math.max(m, Math.abs(x)), 0))));
  byId("stream").replaceChildren(streamTable(result, "a row for each position, a column for each direction; strength by the logarithm of the size", most));
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
    return { model: model.outputs.map(output => outputOf(result, output)),
      program: data.program && interpret(data.program, tokens) };
  });
  document.body.append(element("pre", { id: "checked" }, JSON.stringify(checked)));
}
