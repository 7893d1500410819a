// What heads select: by the plan of the model, read from the residual stream before the layer as the
// head itself reads it (src/plan/selected.rs does the same), and by the program, where a head computes
// one of its selectors alone.

// Scores that are as good as each other differ by less, in nats; a level below the other is not that of
// what is selected.
const AS_GOOD = 1, DOWN = -0.25;

// A linear read is a constant, and after it directions with their factors.
function linearAt(linear, row) {
  let sum = linear[0];
  for (let at = 1; at < linear.length; at += 2) sum += (row[linear[at]] ?? 0) * linear[at + 1];
  return sum;
}

// The place in the tables of a term of what its products read at a position, without the last rows.
function nearest(term, side, row, without) {
  const known = term.products.map(product => product[side === "query" ? "queries" : "keys"]);
  const read = term.products.map(product => linearAt(product[side], row));
  let best = 0, least = Infinity;
  for (let at = 0; at < (known[0]?.length ?? 0) - without; at++) {
    const apart = Math.max(0, ...read.map((number, product) => Math.abs(known[product][at] - number)));
    if (apart < least) [best, least] = [at, apart];
  }
  return best;
}

// { keys: [queries][keys] at the tokens, sink: for each query whether it looks at position 0 without
// selecting it }
function planSelects(selects, stream) {
  const rows = stream.slice(before), scores = rows.map(() => new Array(rows.length).fill(0));
  const pairs = change => scores.forEach((row, query) => row.forEach((score, key) => { row[key] = change(score, query, key); }));
  for (const term of selects.terms) {
    if (term.meaning === "relation") {
      const queries = rows.map(row => nearest(term, "query", row, 0));
      const keys = rows.map((row, at) => nearest(term, "key", row, Number(selects.sink_row && (model.bos || at > 0))));
      const count = term.products[0]?.queries.length ?? 0;
      pairs((score, query, key) => term.holds[keys[key] * count + queries[query]] === "1" ? score : -Infinity);
    } else {
      const read = side => term.products.map(product => rows.map(row => linearAt(product[side], row)));
      const queries = read("query"), keys = read("key");
      pairs((score, query, key) => {
        const sum = queries.reduce((total, numbers, product) => total + numbers[query] * keys[product][key], 0);
        return term.meaning === "score" ? score + sum : sum < DOWN ? -Infinity : score;
      });
    }
  }
  const keys = scores.map((row, query) => {
    const known = row.map((score, key) => model.causal && key > query ? -Infinity : score);
    const best = Math.max(...known);
    return known.map(score => score > best - AS_GOOD);
  });
  let sink = [];
  if (!model.bos && selects.kind === "width") {
    sink = keys.map(row => row[0]);
    keys.forEach(row => { row[0] = false; });
  } else if (!model.bos && selects.kind === "mean") {
    sink = keys.map(row => !row.includes(true));
  }
  return { keys, sink };
}

// The same of a head, from the stream before its layer and the program on the same tokens; nothing for a
// head that pays weights instead.
function headSelects(head, stream, ran) {
  const planned = head.selects && planSelects(head.selects, stream);
  if (head.selector === null || !ran) return planned;
  return { keys: ran.selected(head.selector), sink: planned?.sink ?? [] };
}

// How far attention is from what is selected, where each row of both adds up to 1 over the tokens.
function differences(pattern, selected) {
  const shares = row => {
    const sum = row.reduce((a, b) => a + b, 0);
    return row.map(number => sum > 1e-4 ? number / sum : 0);
  };
  return selected.keys.map((row, query) => {
    const wanted = shares(row.map((on, key) => Number(on || (key === 0 && selected.sink[query] === true))));
    return shares(pattern[query + before].slice(before)).map((got, key) => got - wanted[key]);
  });
}
