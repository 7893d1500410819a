//! What is missing: a value, or a comma, an operator or a bracket between two.

use super::place::Place;
use super::words::{Hint, hint, hint_at};
use crate::syntax::token::{Lexeme, Token};

impl Place<'_, '_> {
    /// Where a value or what stands between two is missing.
    pub(super) fn missing(&self) -> Option<Hint> {
        self.value().or_else(|| self.separator())
    }

    /// Where a value is missing.
    fn value(&self) -> Option<Hint> {
        let previous = self.before(1)?;
        let written = self.written(previous)?;
        let ends = match self.token() {
            None | Some(Token::Semicolon | Token::Comma) => true,
            Some(token) => token.closes(),
        };
        let operand = self.before(2).and_then(|lexeme| self.written(lexeme));
        let example = |operand: &str| match (previous.token, operand) {
            (Token::Assign, name) => Some(format!("{name} = indices")),
            (Token::Return | Token::Assert, _) => Some(format!("{written} indices")),
            (Token::Not, _) => Some("not True".to_string()),
            (Token::SetExample(_) | Token::SetVocabulary, _) => Some(format!("{written} \"abc\"")),
            (Token::In, element) => Some(format!("{element} in [1, 2]")),
            (Token::SetMaxLength, _) => Some(format!("{written} 8")),
            // A list that is taken apart has nothing before its sign.
            (Token::Star, "," | "(" | "[") => Some("*[1, 2]".to_string()),
            (token, "" | "," | "(" | "[" | "{") if token.is_infix() => None,
            (token, left) => token.is_infix().then(|| format!("{left} {written} 1")),
        };
        let assigned = previous.token == Token::Assign;
        slips! { (previous.token, self.token());
            (Token::Assign | Token::Return | Token::LeftParenthesis, Some(Token::If)) =>
                "`if` does not begin an expression",
                "the first value comes first: `a if condition else b`";
            (before, Some(token)) if (before.is_infix() || assigned) && token.is_comparison() =>
                where left = self.compared().unwrap_or("x");
                where right = self.context.lexemes.get(self.at + 1);
                where right = right.and_then(|right| self.written(*right)).unwrap_or("y");
                where sign = self.lexeme().and_then(|sign| self.written(sign))?;
                "nothing stands before this `{sign}`",
                format!("say again what is compared: `{left} {sign} {right}`");
            // `x++`
            (Token::Plus | Token::Minus, Some(Token::Semicolon)) if operand == Some(written) =>
                where name = self.before(3).and_then(|name| self.written(name))?;
                "there is no `{written}{written}`", self.edit(
                    format!("write `{name} = {name} {written} 1;`"),
                    self.at - 2..=self.at - 1,
                    &format!(" = {name} {written} 1"),
                ),
                at self.at - 1, "names are assigned with `=` only";
            _ if ends =>
                where example = example(operand.unwrap_or_default())?;
                "a value is missing", format!("write one, like `{example}`"),
                at self.at - 1, "a value belongs after this";
        }
    }

    /// What the last comparison before this place compares, if it is a single word.
    fn compared(&self) -> Option<&str> {
        let statement = self.context.lexemes.get(self.statement..self.at)?;
        let mut signs = statement.iter();
        let sign = signs.rposition(|lexeme| lexeme.token.is_comparison())?;
        self.written(*statement.get(sign.checked_sub(1)?)?)
    }

    /// Where a comma, an operator or a bracket is missing between two values.
    fn separator(&self) -> Option<Hint> {
        let token = self.token()?;
        let none_open = self.bracket.is_none();
        let previous = self.before(1);
        let in_braces = self.bracket.map(|bracket| bracket.token) == Some(Token::LeftBrace);
        let in_block = self.block.is_some() && token == Token::RightBrace;
        slips! { token;
            Token::Slash if self.next() == Some(Token::Star) =>
                "comments do not stand between `/*` and `*/`", "write `# …` on every line";
            _ if token.closes() && none_open && !in_block =>
                where written = self.context.written(self.lexeme()?);
                "{written} closes nothing", self.edit("remove it", self.at..=self.at, ""),
                at self.at, "no bracket is open here";
            _ if previous.is_some() && in_braces && self.expects(":") =>
                "in braces stand keys and values", "write a dict as `{\"a\": 1}`, a list as `[1, 2]`";
        }
        .or_else(|| self.between(previous?, self.lexeme()?))
    }

    /// What is missing between two values.
    fn between(&self, before: Lexeme, here: Lexeme) -> Option<Hint> {
        let both = before.token.ends_expression() && here.token.starts_expression();
        if !both || self.expects("in") && self.first() == Some(Token::For) {
            return None;
        }
        let (left, right) = (self.written(before)?, self.written(here)?);
        let between = self.context.text.get(before.end..here.start)?;
        if between.contains('\n') && self.next() == Some(Token::Assign) {
            return None;
        }
        let glued = between.is_empty();
        let strings = [before, here].map(|it| matches!(it.token, Token::Str(_)));
        let last = self.at - 1;
        slips! { (strings, before.token);
            ([false, true], Token::Name("f" | "r" | "b" | "u")) if glued =>
                where joined = format!("strings are joined with `+`, like `{right} + tokens`");
                "strings have no `{left}` before them",
                self.edit(format!("write `{right}`; {joined}"), last..=last, ""),
                at last, "not part of a string";
            ([true, true], _) if glued && left.len() == 2 =>
                "strings do not stand between three quotes",
                "write `## …` lines above a definition to describe it";
            _ if self.expects(",") && self.bracket.is_some() =>
                where fixed = format!("{left}, {right}");
                "a comma is missing",
                self.edit(format!("write `{fixed}`"), last..=self.at, &fixed),
                at self.at, "a `,` belongs before this";
            ([true, true], _) =>
                "an operator is missing", format!("to join strings write `{left} + {right}`"),
                at self.at, "an operator belongs before this";
            (_, Token::Name(_)) if here.token != Token::LeftBrace =>
                "an operator is missing",
                format!("write one, like `{left} == {right}`, or call a function: `{left}({right})`"),
                at self.at, "an operator belongs before this";
            _ => "an operator is missing",
                "write one here, or `;` before this to end the statement",
                at self.at, "an operator belongs before this";
        }
    }
}
