//! Slips: a comma, an operator, a value or a bracket that is missing, and heads of definitions that
//! are not quite right. What was written, and what to write instead.

use super::explain::Place;
use super::habit::{Hint, hint, hint_at};
use super::token::{Lexeme, Token};

/// Longer pieces of a program are not repeated in a help line.
const LONGEST: usize = 24;

impl Place<'_, '_> {
    pub(super) fn slip(&self) -> Option<Hint> {
        self.value_slip().or_else(|| self.separator_slip())
    }

    fn text(&self, lexeme: Lexeme) -> Option<&str> {
        let text = self.context.text.get(lexeme.start..lexeme.end)?;
        (text.len() <= LONGEST).then_some(text)
    }

    /// In the head of a definition or after a name: types, stars, missing names and parameters.
    pub(super) fn head_slip(&self) -> Option<Hint> {
        let token = self.token()?;
        let previous = self.before(1)?;
        let name = self.text(previous)?;
        let in_head = self.first() == Some(Token::Def);
        if in_head && self.at == self.statement + 1 && token != Token::Assign {
            return hint(
                "this function has no name",
                "write `def name(parameters) { return value; }`, or `lambda x: value`",
            );
        }
        match token {
            Token::Colon if in_head && self.bracket.is_some() => hint(
                "parameters have no types",
                format!("write the name alone: `{name}`"),
            ),
            Token::Colon if self.at == self.statement + 1 => {
                hint("names have no types", format!("write `{name} = value;`"))
            }
            Token::Foreign("->") if in_head => {
                let start = self.context.lexemes.get(self.statement)?.start;
                let head = self.context.text.get(start..previous.end)?;
                hint("functions have no types", format!("write `{head} {{ … }}`"))
            }
            Token::Colon if self.bracket.is_none() && self.names_lambda() => hint(
                "the parameters of a `lambda` stand without parentheses",
                "write `lambda a, b: value`",
            ),
            Token::Star | Token::Foreign("**") if in_head => hint(
                "a function takes a fixed number of arguments",
                "pass a list: `def name(list) { return value; }`",
            ),
            Token::LeftBrace if in_head && self.at == self.statement + 2 => hint(
                "the parameters are missing",
                format!("write `def {name}() {{`"),
            ),
            Token::Name(word) if self.first() == Some(Token::Load) => hint(
                "the path of `load` is a string",
                format!("write `load \"{word}\";`"),
            ),
            Token::Comma if self.first() == Some(Token::Assert) && self.bracket.is_none() => hint(
                "an assertion has no message",
                "end it with `;`, and say more in a comment: `# …`",
            ),
            _ => None,
        }
    }

    /// Whether the statement has a `lambda` that was not read as one.
    fn names_lambda(&self) -> bool {
        let statement = self.context.lexemes.get(self.statement..self.at);
        let lambda = |lexeme: &Lexeme| lexeme.token == Token::Name("lambda");
        statement.is_some_and(|statement| statement.iter().any(lambda))
    }

    /// Where a value is missing.
    fn value_slip(&self) -> Option<Hint> {
        let previous = self.before(1)?;
        let written = self.text(previous)?;
        let ends = match self.token() {
            None | Some(Token::Semicolon | Token::Comma) => true,
            Some(token) => token.closes(),
        };
        let operand = self.before(2).and_then(|lexeme| self.text(lexeme));
        match (previous.token, self.token()) {
            (Token::Assign | Token::Return | Token::LeftParenthesis, Some(Token::If)) => hint(
                "`if` does not begin an expression",
                "the first value comes first: `a if condition else b`",
            ),
            (before, Some(token))
                if (is_infix(before) || before == Token::Assign) && is_comparison(token) =>
            {
                let compared = self.compared().unwrap_or("x");
                let right = self.context.lexemes.get(self.at + 1);
                let right = right.and_then(|right| self.text(*right)).unwrap_or("y");
                let sign = self.lexeme().and_then(|sign| self.text(sign))?;
                hint(
                    format!("nothing stands before this `{sign}`"),
                    format!("say again what is compared: `{compared} {sign} {right}`"),
                )
            }
            (Token::Plus, Some(Token::Semicolon)) if operand == Some("+") => self.doubled("+"),
            (Token::Minus, Some(Token::Semicolon)) if operand == Some("-") => self.doubled("-"),
            (before, _) if ends => {
                let example = match before {
                    Token::Assign => format!("{} = indices", operand?),
                    Token::Return | Token::Assert => format!("{written} indices"),
                    Token::Not => "not True".to_string(),
                    Token::SetExample(_) | Token::SetVocabulary => format!("{written} \"abc\""),
                    Token::In => format!("{} in [1, 2]", operand?),
                    Token::SetMaxLength => format!("{written} 8"),
                    _ if is_infix(before) && operand? != "," && operand? != "(" => {
                        format!("{} {written} 1", operand?)
                    }
                    _ => return None,
                };
                let missing = hint("a value is missing", format!("write one, like `{example}`"));
                hint_at(self.at - 1, "a value belongs after this", missing)
            }
            _ => None,
        }
    }

    /// `x++`
    fn doubled(&self, sign: &str) -> Option<Hint> {
        let name = self.before(3).and_then(|name| self.text(name))?;
        hint_at(
            self.at - 1,
            "names are assigned with `=` only",
            hint(
                format!("there is no `{sign}{sign}`"),
                format!("write `{name} = {name} {sign} 1;`"),
            ),
        )
    }

    /// What the last comparison before this place compares, if it is a single word.
    fn compared(&self) -> Option<&str> {
        let statement = self.context.lexemes.get(self.statement..self.at)?;
        let sign = statement
            .iter()
            .rposition(|lexeme| is_comparison(lexeme.token))?;
        self.text(*statement.get(sign.checked_sub(1)?)?)
    }

    /// Where a comma, an operator or a bracket is missing between two values.
    fn separator_slip(&self) -> Option<Hint> {
        let token = self.token()?;
        if token == Token::Slash && self.next() == Some(Token::Star) {
            return hint(
                "comments do not stand between `/*` and `*/`",
                "write `# …` on every line",
            );
        }
        let none_open = self.bracket.is_none();
        if token.closes() && none_open && (self.block.is_none() || token != Token::RightBrace) {
            let written = self.context.written(self.lexeme()?);
            let stray = hint(format!("{written} closes nothing"), "remove it");
            return hint_at(self.at, "no bracket is open here", stray);
        }
        let previous = self.before(1)?;
        let bracket = self.bracket.map(|bracket| bracket.token);
        if bracket == Some(Token::LeftBrace) && self.expects(":") {
            return hint(
                "in braces stand keys and values",
                "write a dict as `{\"a\": 1}`, a list as `[1, 2]`",
            );
        }
        let both = previous.token.ends_expression() && token.starts_expression();
        if !both || self.expects("in") && self.first() == Some(Token::For) {
            return None;
        }
        let (Some(left), Some(right)) = (self.text(previous), self.text(self.lexeme()?)) else {
            return None;
        };
        let between = self.context.text.get(previous.end..self.lexeme()?.start)?;
        if between.contains('\n') && self.next() == Some(Token::Assign) {
            return None;
        }
        let glued = between.is_empty();
        let strings = [previous.token, token].map(|token| matches!(token, Token::Str(_)));
        match (strings, previous.token) {
            ([false, true], Token::Name("f" | "r" | "b" | "u")) if glued => hint_at(
                self.at - 1,
                "not part of a string",
                hint(
                    format!("strings have no `{left}` before them"),
                    format!(
                        "write `{right}`; strings are joined with `+`, like `{right} + tokens`"
                    ),
                ),
            ),
            ([true, true], _) if glued && left.len() == 2 => hint(
                "strings do not stand between three quotes",
                "write `## …` lines above a definition to describe it",
            ),
            _ if self.expects(",") && !none_open => hint_at(
                self.at,
                "a `,` belongs before this",
                hint("a comma is missing", format!("write `{left}, {right}`")),
            ),
            _ => {
                let help = match previous.token {
                    _ if strings == [true, true] => {
                        format!("to join strings write `{left} + {right}`")
                    }
                    Token::Name(_) if token != Token::LeftBrace => format!(
                        "write one, like `{left} == {right}`, or call a function: `{left}({right})`"
                    ),
                    _ => "write one here, or `;` before this to end the statement".to_string(),
                };
                let missing = hint("an operator is missing", help);
                hint_at(self.at, "an operator belongs before this", missing)
            }
        }
    }
}

fn is_comparison(token: Token) -> bool {
    matches!(
        token,
        Token::Equal
            | Token::NotEqual
            | Token::Less
            | Token::LessEqual
            | Token::Greater
            | Token::GreaterEqual
    )
}

fn is_infix(token: Token) -> bool {
    is_comparison(token)
        || matches!(
            token,
            Token::And
                | Token::Or
                | Token::Plus
                | Token::Minus
                | Token::Star
                | Token::Slash
                | Token::Percent
                | Token::Caret
                | Token::In
        )
}
