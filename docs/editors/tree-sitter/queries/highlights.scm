; Highlights of RASP for tree-sitter. Of patterns that fit a node, the last counts.

(comment) @comment
(documentation) @comment.documentation
(string) @string
(number) @number
(command) @keyword.directive
(operator) @operator
(punctuation) @punctuation.delimiter

(identifier) @variable
(call function: (identifier) @function.call)
(definition name: (identifier) @function)

[
  "assert" "def" "draw" "else" "for" "if" "lambda" "load" "repeat" "return"
] @keyword

[
  "and" "in" "not" "or"
] @keyword.operator

((identifier) @constant.builtin
  (#any-of? @constant.builtin
    "True" "False"))

((identifier) @variable.builtin
  (#any-of? @variable.builtin
    "tokens" "indices" "tokens_asis" "tokens_str" "tokens_int" "tokens_float"
    "tokens_bool"))

((identifier) @function.builtin
  (#any-of? @function.builtin
    "select" "aggregate" "range" "zip" "len" "round" "indicator" "zipmap"
    "int" "float" "str" "exp"
    "score" "select_best" "categorical" "numerical"))

((identifier) @function.library
  (#any-of? @function.library
    "full_s" "length" "selector_width" "has_focus" "count" "contains" "max"
    "min" "average" "load_from_location" "shift" "mark_last_instance"
    "mark_first_instance" "select_from_last" "select_from_first" "sort"
    "select_next_identical"))
