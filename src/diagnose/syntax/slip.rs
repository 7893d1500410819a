//! Slips, where the grammar goes no further: what is written in other languages, Python and C above
//! all, and a comma or a value that is missing. What was written, and what to write here, with edits
//! where that is certain. The first rule that fits speaks.

use super::place::Place;
use super::words::{Hint, OPERATOR_WORDS, STATEMENT_WORDS, hint, hint_at, row};
use crate::base::suggest::nearest;
use crate::base::{Span, Suggestion};
use crate::syntax::token::{Lexeme, Token};
use std::ops::RangeInclusive;

/// Longer pieces of a program are not repeated in a help line.
const LONGEST: usize = 24;

impl Place<'_, '_> {
    pub(super) fn hint(&self) -> Option<Hint> {
        self.statement()
            .or_else(|| self.word())
            .or_else(|| self.rounds())
            .or_else(|| self.head())
            .or_else(|| self.assignment())
            .or_else(|| self.bracket())
            .or_else(|| self.body())
            .or_else(|| self.missing())
    }

    /// Whether the statement has a token before this place.
    fn has(&self, token: Token) -> bool {
        let statement = &self.context.lexemes[self.statement..self.at];
        statement.iter().any(|lexeme| lexeme.token == token)
    }

    /// Help that asks for another text from one lexeme to another.
    pub(super) fn edit(
        &self,
        help: impl Into<String>,
        lexemes: RangeInclusive<usize>,
        text: &str,
    ) -> Suggestion {
        let [first, last] = [lexemes.start(), lexemes.end()].map(|at| self.context.lexemes[*at]);
        let span = Span {
            end: self.span(last).end,
            ..self.span(first)
        };
        Suggestion::edit(help, span, text)
    }

    /// A type behind what stands at this place, which is left out.
    fn without_type(&self, help: String) -> Suggestion {
        let next = |count: usize| self.context.lexemes.get(self.at + count).map(|it| it.token);
        let ends = [
            Token::Assign,
            Token::Comma,
            Token::RightParenthesis,
            Token::LeftBrace,
        ];
        match (next(1), next(2)) {
            (Some(Token::Name(_)), Some(end)) if ends.contains(&end) => {
                let spaced = matches!(end, Token::Assign | Token::LeftBrace);
                let blank = if spaced && self.has_no_blank_before(2) {
                    " "
                } else {
                    ""
                };
                self.edit(help, self.at..=self.at + 1, blank)
            }
            _ => help.into(),
        }
    }

    fn has_no_blank_before(&self, count: usize) -> bool {
        let lexemes = self.context.lexemes;
        lexemes[self.at + count - 1].end == lexemes[self.at + count].start
    }

    pub(super) fn written(&self, lexeme: Lexeme) -> Option<&str> {
        let text = self.context.text.get(lexeme.start..lexeme.end)?;
        (text.len() <= LONGEST).then_some(text)
    }

    /// Statements that do not exist, at the start of one.
    fn statement(&self) -> Option<Hint> {
        let token = self.token().filter(|_| self.statement == self.at)?;
        if token.is_keyword() && self.next() == Some(Token::Assign) {
            return self.keyword_as_name();
        }
        slips! { token;
            Token::If => "{IF_STATEMENT}", self.choice(self.at), at self.at, NO_STATEMENT;
            Token::Else => "`else` belongs to an `if` in the same expression",
                "choose between values: `x = a if condition else b;`";
            Token::Return if self.is_second_return() => "{LAST_STATEMENT}",
                "end the body with one `return`, and `}` after it";
            Token::Return if self.block.is_some() => "a loop returns nothing",
                "keep the value in a name, and write `return name;` at the end of the function";
            Token::Return => "`return` stands at the end of a `def` only",
                "to show a value, write it as a statement: `value;`";
            Token::Colon => "commands with `:` belong to the prompt",
                "start `rasp`, and type the command there";
            Token::Semicolon => "there is no statement before this `;`", self.edit(
                "remove it: one `;` ends a statement, and `}` ends a block by itself",
                self.at..=self.at,
                "",
            );
            _ if token.is_command() => "commands do not stand in the body of a function or loop",
                "move it to a line of its own outside the braces";
        }
    }

    /// Words of other languages, and commands that are not quite right.
    fn word(&self) -> Option<Hint> {
        if let Some(Token::Name(word)) = self.token()
            && let Some(hint) = row(OPERATOR_WORDS, word)
        {
            let sign = match word {
                "mod" => "%",
                "xor" => "!=",
                _ => return Some(hint),
            };
            let help = self.edit(hint.help.message, self.at..=self.at, sign);
            return Some(Hint { help, ..hint });
        }
        let Some(Token::Name(word)) = self.first() else {
            return None;
        };
        let block = matches!(self.token(), Some(Token::LeftBrace | Token::Colon))
            && matches!(word, "while" | "until" | "switch" | "match");
        if self.at != self.statement + 1 && !block {
            return None;
        }
        if word == "set" {
            return self.setting();
        }
        let ends = matches!(self.next(), None | Some(Token::Semicolon));
        if self.token() == Some(Token::Unknown("?")) && ends {
            let help = format!("at the prompt `help {word}` says what it is");
            return hint("a name is asked about without a `?`", help);
        }
        let found = row(STATEMENT_WORDS, word).or_else(|| {
            let meant = nearest(word, ["return", "assert", "load", "draw", "def", "for"])?;
            let message = format!("no statement begins with `{word}`");
            let (help, at) = (format!("did you mean `{meant}`?"), self.statement);
            // A `return` has its place.
            match meant {
                "return" if self.block.is_none() => hint(message, help),
                _ => hint(message, self.edit(help, at..=at, meant)),
            }
        });
        hint_at(self.statement, NO_STATEMENT, found)
    }

    /// What is wrong behind `set`.
    fn setting(&self) -> Option<Hint> {
        let settings = ["example", "vocab", "max_length", "causal"];
        slips! { self.token();
            Some(Token::Name("causal")) =>
                "`causal` is on or off", "write `set causal on` or `set causal off`",
                at self.at + 1, "neither on nor off";
            Some(Token::Name(word)) =>
                where meant = nearest(word, settings);
                where meant = meant.map(|meant| format!("did you mean `set {meant}`?"));
                "`{word}` is no setting", meant.unwrap_or(SETTINGS.to_string());
            _ => "this is not a setting", SETTINGS;
        }
    }

    /// A choice between values with the condition of the `if` that has this number.
    fn choice(&self, asked: usize) -> String {
        let lexemes = self.context.lexemes;
        let ends = |token: Token| {
            matches!(
                token,
                Token::LeftBrace | Token::Colon | Token::Semicolon | Token::Else
            )
        };
        let head = lexemes.iter().skip(asked + 1);
        let last = head.take_while(|lexeme| !ends(lexeme.token)).last();
        let condition = last.and_then(|last| {
            let text = self.context.text.get(lexemes[asked].end..last.end)?.trim();
            (text.len() <= 40 && !text.contains('\n')).then_some(text)
        });
        let condition = condition.unwrap_or("condition");
        format!("choose between values: `x = a if {condition} else b;`")
    }

    /// In the head of a definition or after a name: types, stars, missing names and parameters.
    fn head(&self) -> Option<Hint> {
        let token = self.token()?;
        let previous = self.before(1)?;
        let name = self.written(previous)?;
        let in_head = self.first() == Some(Token::Def);
        let lambda = self.bracket.is_none() && self.has(Token::Name("lambda"));
        let first = self.first();
        let token_before = |count| self.before(count).map(|lexeme| lexeme.token);
        let opens = |token| matches!(token, Token::LeftParenthesis | Token::Comma | Token::Lambda);
        let starred = token_before(2) == Some(Token::Star) && token_before(3).is_some_and(opens);
        slips! { token;
            _ if in_head && self.at == self.statement + 1 && token != Token::Assign =>
                "this function has no name",
                "write `def name(parameters) { return value; }`, or `lambda x: value`";
            Token::Colon if in_head && self.bracket.is_some() => "parameters have no types",
                self.without_type(format!("write the name alone: `{name}`"));
            Token::Colon if self.at == self.statement + 1 => "names have no types",
                self.without_type(format!("write `{name} = value;`"));
            Token::Foreign("->") if in_head => "functions have no types",
                self.without_type(format!("write `{} {{ … }}`", self.head_until(previous)?));
            Token::Colon if lambda => "the parameters of a `lambda` stand without parentheses",
                "write `lambda a, b: value`";
            Token::Comma if starred =>
                "the parameter with a star takes all that follows, so it is the last",
                format!("put `*{name}` behind the others");
            Token::LeftBrace if in_head && self.at == self.statement + 2 =>
                "the parameters are missing", self.edit(
                    format!("write `def {name}() {{`"),
                    self.at - 1..=self.at - 1,
                    &format!("{name}()"),
                );
            Token::Name(word) if first == Some(Token::Load) => "the path of `load` is a string",
                format!("write `load \"{word}\";`");
            Token::Comma if first == Some(Token::Assert) && self.bracket.is_none() =>
                "an assertion has no message",
                "end it with `;`, and say more in a comment: `# …`";
        }
    }

    /// The text of the statement up to a lexeme.
    fn head_until(&self, last: Lexeme) -> Option<&str> {
        let start = self.context.lexemes.get(self.statement)?.start;
        self.context.text.get(start..last.end)
    }

    fn assignment(&self) -> Option<Hint> {
        if self.token() != Some(Token::Assign) {
            return None;
        }
        let statement = &self.context.lexemes[self.statement..self.at];
        let first = statement.first().map(|first| first.token);
        let asks = statement.iter().skip(1).any(|it| it.token == Token::If);
        let compare = |text| self.edit("to compare write `==`", self.at..=self.at, text);
        slips! { (first, statement.get(1).map(|second| second.token));
            _ if self.previous() == Some(Token::Equal) => "there is no `===`", compare("");
            _ if self.bracket.is_some() || asks => "`=` does not compare", compare("==");
            (Some(Token::For), _) => "a loop goes through a list",
                "write `for i in range(10) { … }`";
            (Some(word), None) if word.is_keyword() =>
                where Hint { message, help, .. } = self.keyword_as_name()?;
                "{message}", help;
            (Some(Token::Name(_)), Some(Token::LeftBracket)) => "elements cannot be assigned",
                "lists, dicts and s-ops never change: build a new one";
            _ if self.has(Token::Assign) => "there is already a `=` in this statement",
                "to compare write `==`; to assign twice write two statements";
            _ => "only names can be assigned", "write `name = value;`, or `==` to compare";
        }
    }

    /// The head of a `repeat`.
    fn rounds(&self) -> Option<Hint> {
        let only = |terminal: &str| self.expected.len() == 1 && self.expects(terminal);
        let help = "write `repeat 3 (x = tokens) { … }`";
        slips! { self.token().filter(|_| self.first() == Some(Token::Repeat))?;
            Token::Assign if self.bracket.is_some() && self.expects(")") =>
                "it is not said how often this runs", help;
            Token::Colon if only("{") => "the body of a loop stands in braces", help;
            _ if only("(") || only("=") =>
                "a `repeat` says with what its names begin", help;
        }
    }

    fn keyword_as_name(&self) -> Option<Hint> {
        let first = self.context.lexemes.get(self.statement)?;
        let word = self.written(*first)?;
        let message = format!("`{word}` is a keyword and cannot be a name");
        hint(message, format!("choose another name, like `my_{word}`"))
    }

    fn bracket(&self) -> Option<Hint> {
        let token = self.token()?;
        let previous = self.previous();
        let bracket = self.bracket.map(|bracket| bracket.token);
        let in_list = bracket == Some(Token::LeftBracket);
        let found = slips! { (previous, token);
            (Some(Token::Comma), _) if token.closes() => "there is nothing after this comma", self.edit(
                "remove the comma before the closing bracket",
                self.at - 1..=self.at - 1,
                "",
            );
            (_, Token::For) if bracket == Some(Token::LeftBrace) && self.expects(":") =>
                "in braces stand keys and values",
                "for a list write `[x for x in list]`, for a dict `{x: x for x in list}`";
            (Some(Token::For), Token::LeftParenthesis) =>
                "the name of a loop stands without parentheses", "write `for x in list { … }`";
            (_, Token::Colon) if in_list => "there are no slices",
                "take one element with `x[i]`, or build a list: `[x[i] for i in range(2)]`";
        };
        if found.is_some() {
            return found;
        }
        if self.expects("else") {
            return self
                .line_begins_with_if()
                .or_else(|| self.no_else(token, in_list));
        }
        slips! { (previous, token);
            (Some(Token::Load), Token::Semicolon) => "`load` needs a path",
                "write `load \"path\";`";
            (_, Token::Not) if self.next() == Some(Token::In) => "there is no `not in`",
                self.not_in();
        }
    }

    /// What is not in a list, where both are all of a statement or of what it assigns.
    fn not_in(&self) -> Suggestion {
        let help = "write `not (x in xs)`";
        let lexemes = self.context.lexemes;
        let rest = lexemes.iter().skip(self.at + 2);
        let rest = rest.take_while(|lexeme| lexeme.token != Token::Semicolon);
        let rest: Vec<&Lexeme> = rest.collect();
        let joins = |it: &&&Lexeme| matches!(it.token, Token::And | Token::Or | Token::If);
        let alone = match self.before(2).map(|lexeme| lexeme.token) {
            _ if self.at == self.statement + 1 => true,
            before => before == Some(Token::Assign),
        };
        match (self.before(1), rest.last()) {
            (Some(first), Some(last)) if alone && !rest.iter().any(|it| joins(&it)) => {
                let [left, right] = [(first.start, first.end), (rest[0].start, last.end)];
                let [left, right] = [left, right].map(|(from, to)| &self.context.text[from..to]);
                let end = self.at + 1 + rest.len();
                self.edit(help, self.at - 1..=end, &format!("not ({left} in {right})"))
            }
            _ => help.into(),
        }
    }

    /// A choice without its second value.
    fn no_else(&self, token: Token, in_list: bool) -> Option<Hint> {
        let filter = match in_list && token == Token::RightBracket {
            true => "; comprehensions have no filter",
            false => "",
        };
        let help = format!("a choice needs both values: `a if condition else b`{filter}");
        let without = hint("this `if` has no `else`", help);
        let ends = token.closes() || token == Token::Semicolon;
        let before = self.at.checked_sub(1).filter(|_| ends)?;
        hint_at(before, "`else …` is missing after this", without)
    }

    /// An `if` at the start of a line, behind a statement without its `;`.
    fn line_begins_with_if(&self) -> Option<Hint> {
        let lexemes = self.context.lexemes;
        let block = matches!(self.token(), Some(Token::Colon | Token::LeftBrace));
        let begins = |at: usize| {
            let between = lexemes[at - 1].end..lexemes[at].start;
            self.context.text.get(between)?.contains('\n').then_some(at)
        };
        let asked = (self.statement + 1..self.at).rev();
        let asked = asked
            .filter(|at| lexemes[*at].token == Token::If)
            .find_map(begins)
            .filter(|_| block && self.bracket.is_none())?;
        let help = format!("end the line before with `;`, and {}", self.choice(asked));
        let wrong = hint(IF_STATEMENT, help);
        hint_at(asked, "a line does not begin with `if`", wrong)
    }

    fn body(&self) -> Option<Hint> {
        let token = self.token()?;
        let previous = self.previous();
        let is_empty = token == Token::RightBrace && previous == Some(Token::LeftBrace);
        let head = self.first().filter(|_| self.expects("{"));
        slips! { head;
            _ if self.returns_nothing() => "this function returns nothing",
                "end its body with `return value;`",
                at self.at, "`return …;` belongs before this";
            _ if is_empty && self.expects("def") => "the body of this loop is empty",
                "write at least one statement in it, like `x = 1;`",
                at self.at, "a statement belongs before this";
            _ if self.follows_return() => "{LAST_STATEMENT}", "close the body with `}` after it";
            Some(Token::Def) if !self.expects("int") => "the body of a function stands in braces",
                "write `def name(parameters) { return value; }`";
            Some(Token::For) if token == Token::Colon => "the body of a loop stands in braces",
                "write `for x in list { … }`";
        }
    }

    /// A `return` behind the one of its function, which the grammar has read in full.
    fn is_second_return(&self) -> bool {
        self.statement == self.at
            && self.token() == Some(Token::Return)
            && matches!(self.block, Some((_, Token::Def)))
    }

    /// Something behind the `return` of a body.
    fn follows_return(&self) -> bool {
        let only = self.expected.len() == 1 && self.expects("}");
        only && self.previous() == Some(Token::Semicolon)
    }

    /// Whether it is what stands behind a `return`, of which one is told.
    pub(super) fn is_after_return(&self) -> bool {
        self.is_second_return() || self.follows_return()
    }

    /// Whether a body ends without its `return`.
    pub(super) fn returns_nothing(&self) -> bool {
        self.token() == Some(Token::RightBrace) && self.expects("return")
    }
}

const LAST_STATEMENT: &str = "`return` is the last statement of a function";

const NO_STATEMENT: &str = "no statement begins with this";

const IF_STATEMENT: &str = "`if` is not a statement";

const SETTINGS: &str = "the settings are `set example E`, `set s-op example E`, \
                        `set selector example E`, `set vocab E`, `set max_length E` and \
                        `set causal on` or `off`";
