//! What is missing: a value, or a comma, an operator or a bracket between two.

use super::place::{Place, nested};
use crate::base::{Diagnostic, Suggestion};
use crate::builtin::find;
use crate::syntax::token::Token;

impl Place<'_, '_> {
    /// Where a value or what stands between two is missing.
    pub(super) fn missing(&self) -> Option<Diagnostic> {
        self.value()
            .or_else(|| self.separator())
            .or_else(|| self.between())
    }

    /// Where a value is missing.
    fn value(&self) -> Option<Diagnostic> {
        let (previous, written) = (self.token(-1)?, self.text_at(-1)?);
        let ends = self
            .token(0)
            .is_none_or(|token| token.closes() || matches!(token, Token::Semicolon | Token::Comma));
        let operand = self.text_at(-2).unwrap_or_default();
        let example = match (previous, operand) {
            (Token::Assign, name) => Some(format!("{name} = indices")),
            (Token::Return | Token::Assert, _) => Some(format!("{written} indices")),
            (Token::Not, _) => Some("not True".to_string()),
            (Token::Else, _) => Some("else 0".to_string()),
            (Token::SetExample(_) | Token::SetVocabulary, _) => Some(format!("{written} \"abc\"")),
            (Token::In, element) => Some(format!("{element} in [1, 2]")),
            (Token::SetMaxLength, _) => Some(format!("{written} 8")),
            // A list that is taken apart has nothing before its sign.
            (Token::Star, "," | "(" | "[") => Some("*[1, 2]".to_string()),
            (_, "" | "," | "(" | "[" | "{") => None,
            (token, ")" | "]" | "}") => token.is_infix().then(|| format!("{written} 1")),
            (token, left) => token.is_infix().then(|| format!("{left} {written} 1")),
        };
        let compares = previous.is_infix() || previous == Token::Assign;
        slips! { self, (previous, self.token(0));
            (Token::Assign | Token::Return | Token::LeftParenthesis, Some(Token::If)) =>
                "`if` does not begin an expression",
                "the first value comes first: `a if condition else b`";
            (_, Some(Token::Load)) if self.at > self.statement =>
                "`load` is a statement of its own", "write `load \"…\";` on a line before this one";
            (_, Some(Token::In)) if self.name_before_bracket() == Some("select") =>
                "`in` does not compare keys with queries",
                "say which keys are in a list: `select(tokens in [\"a\", \"b\"], True, ==)`";
            (_, Some(token)) if compares && token.is_comparison() =>
                where left = self.compared().unwrap_or("x");
                where (sign, right) = (self.text_at(0)?, self.text_at(1).unwrap_or("y"));
                "nothing stands before this `{sign}`",
                format!("say again what is compared: `{left} {sign} {right}`");
            (_, Some(Token::And | Token::Or)) if self.token(1) == Some(Token::LeftParenthesis) =>
                where word = self.text_at(0)?;
                "`{word}` stands between two values", format!("write `a {word} b`");
            // `select(keys, queries ==)`
            (_, Some(Token::RightParenthesis))
                if previous.is_comparison()
                    && !operand.is_empty()
                    && self.name_before_bracket() == Some("select") =>
                where fixed = format!("{operand}, {written}");
                "a comma is missing", format!("write `{fixed}`"),
                edit self.at - 2..=self.at - 1, &fixed,
                at self.at - 1, "a `,` belongs before this";
            // `x++`
            (Token::Plus | Token::Minus, None | Some(Token::Semicolon)) if operand == written =>
                where name = self.text_at(-3)?;
                where own = if find(name).is_some() { String::new() } else { format!("= {name} ") };
                "there is no `{written}{written}`", format!("write `{name} {own}{written} 1;`"),
                edit self.at - 2..=self.at - 1, &format!(" {own}{written} 1"),
                at self.at - 1, "names are assigned with `=` only";
            _ if ends =>
                where example = example?;
                "a value is missing", format!("write one, like `{example}`"),
                at self.at - 1, "a value belongs after this";
        }
    }

    /// What the last comparison before this place compares, if it is a single word.
    fn compared(&self) -> Option<&str> {
        let mut signs = self.context.lexemes.get(self.statement..self.at)?.iter();
        let sign = signs.rposition(|lexeme| lexeme.token.is_comparison())?;
        self.text_at((self.statement + sign) as isize - self.at as isize - 1)
    }

    /// Where a bracket closes or a brace holds what it cannot.
    fn separator(&self) -> Option<Diagnostic> {
        let token = self.token(0)?;
        let in_braces = self.innermost().map(|bracket| bracket.token) == Some(Token::LeftBrace);
        let in_block = self.block.is_some() && token == Token::RightBrace;
        slips! { self, token;
            Token::Slash if self.token(1) == Some(Token::Star) =>
                "comments do not stand between `/*` and `*/`", "write `# …` on every line";
            // Or one before it closed too early.
            _ if token.closes() && self.open.is_empty() && !in_block && self.commas_outside() =>
                where written = self.context.quoted(self.lexeme(0)?);
                "{written} closes nothing", "remove it, or one before it",
                at self.at, "no bracket is open here";
            _ if token.closes() && self.open.is_empty() && !in_block =>
                where written = self.context.quoted(self.lexeme(0)?);
                "{written} closes nothing", "remove it", edit self.at..=self.at, "",
                at self.at, "no bracket is open here";
            _ if self.at > 0 && in_braces && self.expects(":") =>
                "in braces stand keys and values", "write a dict as `{\"a\": 1}`, a list as `[1, 2]`";
        }
    }

    /// What is missing between two values.
    fn between(&self) -> Option<Diagnostic> {
        let (before, here) = (self.lexeme(-1)?, self.lexeme(0)?);
        let both = before.token.ends_expression() && here.token.starts_expression();
        let (left, right) = (self.text_at(-1)?, self.text_at(0)?);
        let between = self.context.text.get(before.end..here.start)?;
        let begins = self.begins_line() && self.token(1) == Some(Token::Assign);
        let in_loop = self.expects("in") && self.first() == Some(Token::For);
        if !both || begins || in_loop {
            return None;
        }
        let strings = [before, here].map(|it| matches!(it.token, Token::Str(_)));
        let last = self.at - 1;
        let help = match (strings, before.token) {
            ([true, true], _) => format!("to join strings write `{left} + {right}`"),
            (_, Token::Name(_)) if here.token != Token::LeftBrace => {
                format!(
                    "write one, like `{left} == {right}`, or call a function: `{left}({right})`"
                )
            }
            _ => "write one here, or `;` before this to end the statement".to_string(),
        };
        slips! { self, (strings, before.token);
            ([false, true], Token::Name("f")) if between.is_empty() && right.contains('{') =>
                "strings hold no values", "join them with `+`, like `\"(\" + tokens + \")\"`",
                at last, "not part of a string";
            ([false, true], Token::Name("f" | "r" | "b" | "u")) if between.is_empty() =>
                "strings have no `{left}` before them",
                format!("write `{right}`; strings are joined with `+`, like `{right} + tokens`"),
                edit last..=last, "",
                at last, "not part of a string";
            ([true, true], _) if between.is_empty() && left.len() == 2 =>
                "strings do not stand between three quotes",
                "write `## …` lines above a definition to describe it";
            _ if self.begins_line() && self.expects(",") && self.unclosed().is_some() =>
                where closers = self.unclosed()?;
                where fixed = format!("{left}{closers};");
                "a `)` is missing", format!("end the line with `{closers};`"),
                edit last..=last, &fixed,
                at last, "what is open is closed after this";
            _ if here.token == Token::LeftBrace && self.first() == Some(Token::Def) && !self.open.is_empty() =>
                where fixed = format!("{left}) {right}");
                "a `)` is missing", format!("write `{fixed}`"),
                edit last..=self.at, &fixed,
                at self.at, "a `)` belongs before this";
            _ if self.token(1) == Some(Token::Assign) && self.so_far().any(|it| it == Token::Assign) =>
                "a `;` is missing between two statements", "end the first with `;`",
                edit last..=last, &format!("{left};"),
                at self.at, "a `;` belongs before this";
            (_, Token::Name(_)) if left == right && !self.may_take_more() => "`{left}` stands here twice", "leave one out",
                edit last..=self.at, left,
                at self.at, "again";
            _ if self.expects(",") && !self.open.is_empty() && self.takes_no_more() =>
                "an operator or a comma is missing", "write one between the two",
                at self.at, "it belongs before this";
            _ if self.expects(",") && !self.open.is_empty() =>
                where fixed = format!("{left}, {right}");
                "a comma is missing", format!("write `{fixed}`"),
                edit last..=self.at, &fixed,
                at self.at, "a `,` belongs before this";
            _ => "an operator is missing", help, at self.at, "an operator belongs before this";
        }
    }

    /// Whether commas of the statement stand in no bracket.
    fn commas_outside(&self) -> bool {
        nested(self.so_far()).any(|it| it == (0, Token::Comma))
    }

    /// What closes the brackets that are open in the statement, if nothing up to its end does.
    pub(super) fn unclosed(&self) -> Option<String> {
        let closers = self.closers();
        let is_open = !closers.is_empty() && nested(self.rest()).all(|(depth, _)| depth >= 0);
        is_open.then(|| closers.concat())
    }
}
