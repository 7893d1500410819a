// RASP for tree-sitter, as far as colours need it: a program is its tokens in a row, so that
// nothing that is being typed ever looks broken.

const KEYWORDS = [
  'and', 'assert', 'def', 'draw', 'else', 'for', 'if',
  'in', 'lambda', 'load', 'not', 'or', 'repeat', 'return',
];

module.exports = grammar({
  name: 'rasp',
  extras: $ => [/[ \t\r\n\f\uFEFF]+/],
  word: $ => $.identifier,
  rules: {
    program: $ => repeat(choice(
      $.documentation, $.comment, $.string, $.number, $.command, $.definition, $.call,
      $.identifier, $.operator, $.punctuation, ...KEYWORDS.filter(word => word !== 'def'),
    )),
    documentation: _ => token(prec(1, /##[^\n]*/)),
    comment: _ => token(/#[^\n]*/),
    string: _ => token(choice(/"([^"\\\r\n]|\\[^\r\n])*"?/, /'([^'\\\r\n]|\\[^\r\n])*'?/)),
    number: _ => token(/[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/),
    // The words of a command are one token, which is longer than a name: `set` alone is one.
    command: _ => token(choice(
      /(set|show)[ \t]+((s-op|selector)[ \t]+)?example/,
      /set[ \t]+(vocab|max_length)/,
      /set[ \t]+causal[ \t]+(on|off)/,
      /((s-op|selector)[ \t]+)?examples[ \t]+(on|off)/,
      /full[ \t]+seq[ \t]+display[ \t]+(on|off)/,
      /(exit|quit)(\(\))?[ \t]*;/,
    )),
    definition: $ => prec.right(seq('def', optional(field('name', $.identifier)))),
    call: $ => prec(1, seq(field('function', $.identifier), '(')),
    identifier: _ => /[A-Za-z_][A-Za-z_0-9]*/,
    operator: _ => token(choice('==', '!=', '<=', '>=', /[-+*\/%^<>=]/)),
    punctuation: _ => token(/[()\[\]{},;:]/),
  },
});
