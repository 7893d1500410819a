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

// Whether two lists of values are the same, floats within what floats lose.
const same = (a, b) => typeof a === "number" && typeof b === "number"
  ? Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b)) : equal(a, b);

