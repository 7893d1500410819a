//! Slips, where the grammar goes no further: what is written in other languages, Python and C above
//! all; what is `missing` comes last. What was written, and what to write here, with edits where that is
//! certain. The first rule that fits speaks.

use super::place::Place;
use super::words::{OPERATOR_WORDS, STATEMENT_WORDS, Words};
use crate::base::suggest::nearest;
use crate::base::{Diagnostic, Suggestion};
use crate::builtin::{RESERVED_LIBRARY, TABLE};
use crate::diagnose::eval::elsewhere;
use crate::syntax::token::Token;

impl Place<'_, '_> {
    pub(super) fn slip(&self) -> Option<Diagnostic> {
        self.statement()
            .or_else(|| self.word())
            .or_else(|| self.head())
            .or_else(|| self.assignment())
            .or_else(|| self.bracket())
            .or_else(|| self.body())
            .or_else(|| self.missing())
    }

    /// The tokens of the statement before this place.
    pub(super) fn so_far(&self) -> impl Iterator<Item = Token<'_>> {
        let statement = &self.context.lexemes[self.statement..self.at];
        statement.iter().map(|lexeme| lexeme.token)
    }

    /// Statements that do not exist, at the start of one.
    fn statement(&self) -> Option<Diagnostic> {
        let token = self.token(0).filter(|_| self.statement == self.at)?;
        slips! { self, token;
            word if word.is_keyword() && self.token(1) == Some(Token::Assign) =>
                where word = self.text_at(0)?;
                "`{word}` is a keyword and cannot be a name",
                format!("choose another name, like `my_{word}`");
            Token::If => "`if` is not a statement", self.choice(self.at),
                at self.at, "no statement begins with this";
            Token::Else => "`else` belongs to an `if` in the same expression",
                "choose between values: `x = a if condition else b;`";
            Token::Return if self.is_second_return() =>
                "`return` is the last statement of a function",
                "end the body with one `return`, and `}` after it";
            Token::Return if self.block.is_some() => "a loop returns nothing",
                "keep the value in a name, and write `return name;` at the end of the function";
            Token::Return => "`return` stands at the end of a `def` only",
                "to show a value, write it as a statement: `value;`";
            Token::Colon if self.at > 0 && !self.begins_line() =>
                "a command with `:` stands alone on its line", "write it on the next line, at the prompt";
            Token::Colon => "commands with `:` belong to the prompt",
                "start `rasp`, and type the command there";
            Token::Semicolon => "there is no statement before this `;`",
                "remove it: one `;` ends a statement, and `}` ends a block by itself",
                edit self.at..=self.at, "";
            _ if token.is_command() => "commands do not stand in the body of a function or loop",
                "move it to a line of its own outside the braces";
        }
    }

    /// Words of other languages, and commands that are not quite right.
    fn word(&self) -> Option<Diagnostic> {
        if [Some(Token::Name("is")), Some(Token::Not)] == [0, 1].map(|at| self.token(at)) {
            let help = self.edit("compare with `!=`".to_string(), self.at..=self.at + 1, "!=");
            return Some(self.slip_at((self.at, "not here"), "there is no `is not`".into(), help));
        }
        if let Some(Token::Name(word)) = self.token(0)
            && let Some(told) = self.of(OPERATOR_WORDS, word, (self.at, "not here"))
        {
            return Some(told);
        }
        let Some(Token::Name(word)) = self.first() else {
            return None;
        };
        let block = matches!(self.token(0), Some(Token::LeftBrace | Token::Colon))
            && matches!(word, "while" | "until" | "switch" | "match");
        if self.at != self.statement + 1 && !block {
            return None;
        }
        let ends = matches!(self.token(1), None | Some(Token::Semicolon));
        let setting = |word| nearest(word, ["example", "vocab", "max_length", "causal"]);
        let told = slips! { self, (word, self.token(0)?);
            ("set", Token::Name("causal")) =>
                "`causal` is on or off", "write `set causal on` or `set causal off`",
                at self.at + 1, "neither on nor off";
            ("set", Token::Name(word)) =>
                where meant = setting(word).map(|meant| format!("did you mean `set {meant}`?"));
                "`{word}` is no setting", meant.unwrap_or(SETTINGS.to_string());
            ("set", _) => "this is not a setting", SETTINGS;
            (_, Token::Unknown("?")) if ends => "a name is asked about without a `?`",
                format!("at the prompt `help {word}` says what it is");
        };
        let begins = (self.statement, "no statement begins with this");
        let statement = ["return", "assert", "load", "draw", "def", "for"];
        told.or_else(|| self.of(STATEMENT_WORDS, word, begins))
            .or_else(|| slips! { self, nearest(word, statement)?;
                // A `return` has its place.
                meant if meant == "return" && self.block.is_none() =>
                    "no statement begins with `{word}`", format!("did you mean `{meant}`?"),
                    at self.statement, "no statement begins with this";
                meant => "no statement begins with `{word}`", format!("did you mean `{meant}`?"),
                    edit self.statement..=self.statement, meant,
                    at self.statement, "no statement begins with this";
            })
    }

    /// What a table says of the word of another language that stands at a lexeme.
    fn of(&self, words: &Words, word: &str, shown: (usize, &str)) -> Option<Diagnostic> {
        let mut rows = words.iter();
        let (_, message, help, fixed) = rows.find(|(words, ..)| words.contains(&word))?;
        let help = match fixed {
            Some(fixed) => self.edit(help.to_string(), shown.0..=shown.0, fixed),
            None => (*help).into(),
        };
        Some(self.slip_at(shown, message.replace("{}", word), help))
    }

    /// A choice between values with the condition of the `if` that has this number.
    fn choice(&self, asked: usize) -> String {
        let opens = |it| matches!(it, Token::LeftBrace | Token::Colon | Token::Else);
        let ends = |it| opens(it) || [Token::Semicolon, Token::Name("then")].contains(&it);
        let mut head = self.context.lexemes[asked..].iter();
        let start = head.next().map_or(0, |asked| asked.end);
        let last = head.take_while(|it| !ends(it.token)).last();
        let condition = last.and_then(|last| self.context.text.get(start..last.end));
        // With commas it is the call that a spreadsheet has.
        let short = |it: &&str| it.len() <= 40 && !it.contains(['\n', ',']);
        let condition = condition.map(str::trim).filter(short);
        let condition = condition.unwrap_or("condition").replace(" = ", " == ");
        format!("choose between values: `x = a if {condition} else b;`")
    }

    /// In the head of a definition or a `repeat`, or after a name: types, stars, missing names and
    /// parameters.
    fn head(&self) -> Option<Diagnostic> {
        let (token, first) = (self.token(0)?, self.first());
        let name = self.text_at(-1)?;
        let in_head = first == Some(Token::Def);
        let is_at = |count| self.at == self.statement + count;
        let none_open = self.open.is_empty();
        let words = [Token::Lambda, Token::Name("lambda")];
        let lambda = self.so_far().any(|it| words.contains(&it));
        let opens = [Token::LeftParenthesis, Token::Comma, Token::Lambda];
        let starred = self.token(-2) == Some(Token::Star)
            && self.token(-3).is_some_and(|token| opens.contains(&token));
        slips! { self, (first, token);
            (Some(Token::Repeat), Token::Minus) if is_at(1) =>
                "how often a `repeat` runs is an int from 0 on", ROUNDS;
            (Some(Token::Repeat), Token::Assign) if !none_open && self.expects(")") =>
                "it is not said how often this runs", ROUNDS;
            (Some(Token::Repeat), Token::Colon) if self.expects_only("{") =>
                "the body of a loop stands in braces", ROUNDS;
            (Some(Token::Repeat), _) if self.expects_only("(") || self.expects_only("=") =>
                "a `repeat` says with what its names begin", ROUNDS;
            (_, other) if in_head && is_at(1) && other != Token::Assign =>
                "this function has no name",
                "write `def name(parameters) { return value; }`, or `lambda x: value`";
            (_, Token::Name(parameter)) if in_head && is_at(2) => "parameters stand in parentheses",
                format!("write `def {name}({parameter}) {{`"),
                edit self.at..=self.at, &format!("({parameter})");
            (_, Token::Colon) if in_head && !none_open => "parameters have no types",
                self.without_type(format!("write the name alone: `{name}`"));
            (_, Token::Colon) if is_at(1) => "names have no types",
                self.without_type(format!("write `{name} = value;`"));
            (_, Token::Foreign("->")) if in_head =>
                where start = self.context.lexemes.get(self.statement)?.start;
                where head = self.context.text.get(start..self.lexeme(-1)?.end)?;
                "functions have no types", self.without_type(format!("write `{head} {{ … }}`"));
            (_, Token::Return) if lambda && self.token(-1) == Some(Token::Colon) =>
                "a `lambda` gives its value without `return`", "leave `return` out",
                edit self.at..=self.at, "";
            (_, Token::Name(other)) if self.token(-2).is_some_and(|it| words.contains(&it)) =>
                where fixed = format!("{name}, {other}");
                "a comma is missing", format!("write `lambda {fixed}: …`"),
                edit self.at - 1..=self.at, &fixed,
                at self.at, "a `,` belongs before this";
            (_, Token::Colon) if lambda && self.token(-1) == Some(Token::RightParenthesis) =>
                "the parameters of a `lambda` stand without parentheses",
                "write `lambda a, b: value`";
            (_, Token::Comma) if starred =>
                "the parameter with a star takes all that follows, so it is the last",
                format!("put `*{name}` behind the others");
            (_, Token::LeftBrace) if in_head && is_at(2) => "the parameters are missing",
                format!("write `def {name}() {{`"),
                edit self.at - 1..=self.at - 1, &format!("{name}()");
            (Some(Token::Draw), other) if is_at(1) || is_at(2) && other == Token::RightParenthesis =>
                "`draw` takes an s-op or a selector in parentheses",
                "write `draw(length);`, or `draw(length, \"abc\");` for an input";
            (Some(Token::Load), Token::LeftParenthesis) if is_at(1) =>
                where path = self.text_at(1)?;
                "the path of `load` stands without parentheses", format!("write `load {path};`");
            (Some(Token::Load), Token::Name(word)) => "the path of `load` is a string",
                format!("write `load \"{word}\";`");
            (Some(Token::Assert), Token::Comma) if none_open => "an assertion has no message",
                "end it with `;`, and say more in a comment: `# …`";
        }
    }

    /// A type behind what stands at this place, which is left out.
    fn without_type(&self, help: String) -> Suggestion {
        let blank = match (self.token(1), self.token(2)) {
            (Some(Token::Name(_)), Some(Token::Comma | Token::RightParenthesis)) => "",
            (Some(Token::Name(_)), Some(Token::Assign | Token::LeftBrace)) => {
                let glued = self.lexeme(1).map(|it| it.end) == self.lexeme(2).map(|it| it.start);
                if glued { " " } else { "" }
            }
            _ => return help.into(),
        };
        self.edit(help, self.at..=self.at + 1, blank)
    }

    fn assignment(&self) -> Option<Diagnostic> {
        self.token(0).filter(|token| *token == Token::Assign)?;
        let mut statement = self.so_far();
        let (first, second) = (statement.next(), statement.next());
        let asks = self.so_far().skip(1).any(|token| token == Token::If);
        slips! { self, (first, second);
            _ if self.token(-1) == Some(Token::Equal) => "there is no `===`",
                "to compare write `==`", edit self.at..=self.at, "";
            _ if !self.open.is_empty() && self.expects(":") =>
                "in a dict a `:` stands between a key and its value", "write `:`",
                edit self.at..=self.at, ":";
            _ if matches!(self.token(-1), Some(Token::Comma | Token::LeftParenthesis)) =>
                "`=` does not compare", "to compare write `==`, between two values";
            _ if !self.open.is_empty() || asks => "`=` does not compare",
                "to compare write `==`", edit self.at..=self.at, "==";
            (Some(Token::SetExample(_) | Token::SetVocabulary | Token::SetMaxLength), None) =>
                where (setting, value) = (self.text_at(-1)?, self.text_at(1).unwrap_or("…"));
                "a setting stands without `=`", format!("write `{setting} {value}`"),
                edit self.at..=self.at, "";
            (Some(Token::For), _) => "a loop goes through a list",
                "write `for i in range(10) { … }`";
            (Some(word), None) if word.is_keyword() =>
                where word = self.text_at(-1)?;
                "`{word}` is a keyword and cannot be a name",
                format!("choose another name, like `my_{word}`");
            (Some(Token::Name(_)), Some(Token::LeftBracket)) => "elements cannot be assigned",
                "lists, dicts and s-ops never change: build a new one";
            _ if self.so_far().any(|token| token == Token::Assign) =>
                "there is already a `=` in this statement",
                "to compare write `==`; to assign twice write two statements";
            (Some(Token::Name(_)), Some(Token::LeftParenthesis)) =>
                where name = self.lexeme(0)?.start;
                where head = self.context.lexemes.get(self.statement)?.start;
                where head = self.context.text.get(head..name)?.trim();
                "functions are defined with `def`", format!("write `def {head} {{ return …; }}`");
            (Some(Token::Name(start)), Some(Token::Minus)) if self.at == self.statement + 3 =>
                where fixed = format!("{start}_{}", self.text_at(-1)?);
                "there is no `-` in a name", format!("write `{fixed}`"),
                edit self.at - 3..=self.at - 1, &fixed;
            _ => "only names can be assigned", "write `name = value;`, or `==` to compare";
        }
    }

    fn bracket(&self) -> Option<Diagnostic> {
        let (previous, token) = (self.token(-1), self.token(0)?);
        let bracket = self.innermost().map(|bracket| bracket.token);
        let in_list = bracket == Some(Token::LeftBracket);
        let needs_else = self.expects("else");
        // An `if` at the start of a line, behind a statement without its `;`.
        let block = matches!(token, Token::Colon | Token::LeftBrace) && bracket.is_none();
        let line = (self.statement + 1..self.at).rev().find(|at| {
            self.context.lexemes[*at].token == Token::If && self.context.begins_line(*at)
        });
        let filter = match in_list && token == Token::RightBracket {
            true => "; comprehensions have no filter",
            false => "",
        };
        let choice = format!("a choice needs both values: `a if condition else b`{filter}");
        slips! { self, (previous, token);
            (Some(Token::Comma), _) if token.closes() && self.needs_this() =>
                "there is nothing after this comma", "write the argument that is missing",
                at self.at - 1, "an argument belongs after this";
            (Some(Token::Comma), _) if token.closes() => "there is nothing after this comma",
                "remove the comma before the closing bracket",
                edit self.at - 1..=self.at - 1, "";
            (_, Token::For) if bracket == Some(Token::LeftBrace) && self.expects(":") =>
                "in braces stand keys and values",
                "for a list write `[x for x in list]`, for a dict `{x: x for x in list}`";
            (Some(Token::For), Token::LeftParenthesis) =>
                "the name of a loop stands without parentheses", "write `for x in list { … }`";
            (_, Token::Colon) if in_list =>
                where x = self.name_before_bracket().unwrap_or("x");
                where none = if x == "tokens" { "\"-\"" } else { "0" };
                where int = |at| matches!(self.token(at), Some(Token::Int(_)));
                where bounds = [-1, 1].map(|at| self.text_at(at).filter(|_| int(at)));
                where bounds = match bounds {
                    [Some(from), Some(to)] => format!("{from}, {to}"),
                    [_, to] => to.unwrap_or("2").to_string(),
                };
                "there are no slices",
                format!("take one element with `{x}[i]`, or build a list: `[{x}[i] for i in \
                         range({bounds})]`; an s-op is moved by `shift({x}, -1, {none})`");
            _ if needs_else && block && line.is_some() =>
                where line = line?;
                "`if` is not a statement",
                format!("end the line before with `;`, and {}", self.choice(line)),
                at line, "a line does not begin with `if`";
            _ if needs_else && (token.closes() || token == Token::Semicolon) =>
                "this `if` has no `else`", choice, at self.at - 1, "`else …` is missing after this";
            (Some(Token::Load), Token::Semicolon) => "`load` needs a path",
                "write `load \"path\";`";
            (_, Token::Not) if self.token(1) == Some(Token::In) => "there is no `not in`",
                self.not_in();
        }
    }

    /// What is not in a list, where both are all of a statement or of what it assigns.
    fn not_in(&self) -> Suggestion {
        let help = "write `not (x in xs)`".to_string();
        let rest = self.context.lexemes.iter().skip(self.at + 2);
        let rest: Vec<_> = rest.take_while(|it| it.token != Token::Semicolon).collect();
        let joins = rest
            .iter()
            .any(|it| matches!(it.token, Token::And | Token::Or | Token::If));
        let alone = self.at == self.statement + 1 || self.token(-2) == Some(Token::Assign);
        match (self.lexeme(-1), rest.as_slice()) {
            (Some(first), [next, .., last] | [next @ last]) if alone && !joins => {
                let [left, right] = [(first.start, first.end), (next.start, last.end)];
                let [left, right] = [left, right].map(|(from, to)| &self.context.text[from..to]);
                let end = self.at + 1 + rest.len();
                self.edit(help, self.at - 1..=end, &format!("not ({left} in {right})"))
            }
            _ => help.into(),
        }
    }

    /// The body of a definition or loop.
    pub(super) fn body(&self) -> Option<Diagnostic> {
        let token = self.token(0);
        let is_empty = token == Some(Token::RightBrace) && self.token(-1) == Some(Token::LeftBrace);
        let rounds = self.expects("(") && self.first() == Some(Token::Repeat);
        let head = self.first().filter(|_| self.expects("{") || rounds);
        slips! { self, head;
            _ if self.returns_nothing() => "this function returns nothing",
                "end its body with `return value;`",
                at self.at, "`return …;` belongs before this";
            _ if is_empty && self.expects("def") => "the body of this loop is empty",
                "write at least one statement in it, like `x = 1;`",
                at self.at, "a statement belongs before this";
            _ if self.follows_return() => "`return` is the last statement of a function",
                "close the body with `}` after it";
            Some(Token::Repeat) if token.is_none() => "the body of a loop stands in braces", ROUNDS;
            Some(Token::Def) if !self.expects("int") => "the body of a function stands in braces",
                "write `def name(parameters) { return value; }`";
            Some(Token::For) if matches!(token, None | Some(Token::Colon)) || self.token(1) == Some(Token::Assign) =>
                "the body of a loop stands in braces",
                "write `for x in list { … }`";
        }
    }

    /// A `return` behind the one of its function, which the grammar has read in full.
    fn is_second_return(&self) -> bool {
        self.statement == self.at
            && self.token(0) == Some(Token::Return)
            && matches!(self.block, Some((_, Token::Def)))
    }

    /// Something behind the `return` of a body.
    fn follows_return(&self) -> bool {
        self.expects_only("}") && self.token(-1) == Some(Token::Semicolon)
    }

    /// Whether it is what stands behind a `return`, of which one is told.
    pub(super) fn is_after_return(&self) -> bool {
        self.is_second_return() || self.follows_return()
    }

    /// What a word behind a dot is here.
    pub(super) fn behind_dot(&self) -> Option<String> {
        let Token::Name(word) = self.token(1)? else {
            return None;
        };
        let names = TABLE
            .iter()
            .map(|row| row.name)
            .chain(RESERVED_LIBRARY.iter().copied());
        let call = if self.token(2) == Some(Token::LeftParenthesis) {
            "(…)"
        } else {
            ""
        };
        let called = || Some(format!("without a dot: `{}{call}`", nearest(word, names)?));
        elsewhere(word).or_else(called)
    }

    /// Whether a body ends without its `return`.
    pub(super) fn returns_nothing(&self) -> bool {
        self.token(0) == Some(Token::RightBrace) && self.expects("return")
    }
}

const ROUNDS: &str = "write `repeat 3 (x = tokens) { … }`";

const SETTINGS: &str = "the settings are `set example E`, `set s-op example E`, \
                        `set selector example E`, `set vocab E`, `set max_length E` and \
                        `set causal on` or `off`";
