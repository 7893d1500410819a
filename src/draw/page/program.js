// The program, interpreted: the values of its outputs, null where there is none, and what each of its
// selectors selects, [queries][keys].
function interpret(program, tokens) {
  const n = tokens.length, columns = [], answered = new Map();
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
    if (!answered.has(known)) {
      const node = program.selectors[id];
      const keys = node.kind === "best" ? [best(node, query)].filter(key => key >= 0)
        : Array.from({ length: n }, (_, key) => key).filter(key => selects(id, key, query));
      answered.set(known, keys);
    }
    return answered.get(known);
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
  const rowsOf = id => tokens.map((_, query) => {
    const keys = keysOf(id, query);
    return tokens.map((_, key) => keys.includes(key));
  });
  return { outputs: program.roots.map(root => columns[root]), selected: rowsOf };
}

