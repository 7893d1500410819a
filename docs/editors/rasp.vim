" Vim syntax file for RASP. Put it into ~/.vim/syntax/, and into ~/.vim/ftdetect/rasp.vim:
"   autocmd BufRead,BufNewFile *.rasp setfiletype rasp

if exists("b:current_syntax")
  finish
endif

syntax keyword raspKeyword assert def draw else for if lambda load repeat return
syntax keyword raspOperator and in not or
syntax keyword raspConstant True False
syntax keyword raspSOp tokens indices tokens_asis tokens_str tokens_int
syntax keyword raspSOp tokens_float tokens_bool
syntax keyword raspFunction select aggregate range zip len round indicator
syntax keyword raspFunction zipmap int float str exp score select_best categorical numerical
syntax keyword raspLibrary full_s length selector_width has_focus count contains
syntax keyword raspLibrary max min average load_from_location shift
syntax keyword raspLibrary mark_last_instance mark_first_instance
syntax keyword raspLibrary select_from_last select_from_first sort
syntax keyword raspLibrary select_next_identical

syntax match raspNumber "\<[0-9]\+\(\.[0-9]\+\)\?\([eE][+-]\?[0-9]\+\)\?\>"
syntax match raspEscape contained "\\\(u{[0-9a-fA-F]\+}\|.\)"
syntax region raspString oneline start=+"+ skip=+\\.+ end=+"+ contains=raspEscape
syntax region raspString oneline start=+'+ skip=+\\.+ end=+'+ contains=raspEscape
syntax match raspComment "#.*$"
syntax match raspDocumentation "##.*$"
syntax match raspName "\(\<def\s\+\)\@<=[A-Za-z_][A-Za-z_0-9]*"

syntax match raspCommand "^\s*\(set\|show\)\s\+\(\(s-op\|selector\)\s\+\)\?example\>"
syntax match raspCommand "^\s*set\s\+\(vocab\|max_length\)\>"
syntax match raspCommand "^\s*set\s\+causal\s\+\(on\|off\)\>"
syntax match raspCommand "^\s*\(\(s-op\|selector\)\s\+\)\?examples\s\+\(on\|off\)\>"
syntax match raspCommand "^\s*full\s\+seq\s\+display\s\+\(on\|off\)\>"
syntax match raspCommand "^\s*\(exit\|quit\)\(\s*()\)\?\s*;\?\s*$"

highlight default link raspKeyword Keyword
highlight default link raspOperator Operator
highlight default link raspConstant Constant
highlight default link raspSOp Identifier
highlight default link raspFunction Function
highlight default link raspLibrary Function
highlight default link raspNumber Number
highlight default link raspEscape SpecialChar
highlight default link raspString String
highlight default link raspComment Comment
highlight default link raspDocumentation SpecialComment
highlight default link raspName Function
highlight default link raspCommand PreProc

let b:current_syntax = "rasp"
