//! A place where something does not fit: its statement, the brackets that are open there and what they
//! hold; and it in words: what was expected, what stands there instead, and which bracket is to be closed.

use super::words::unknown;
use crate::base::{Code, Diagnostic, SourceId, Span, Suggestion};
use crate::builtin::find;
use crate::syntax::token::{Lexeme, Token};
use std::ops::RangeInclusive;

/// Longer words are not repeated in a message.
const LONGEST_WORD: usize = 24;

/// Longer brackets are not repeated in a message.
const LONGEST_BRACKET: usize = 72;

/// The text a failure is explained in.
pub struct Context<'a, 's> {
    pub source: SourceId,
    pub text: &'s str,
    pub lexemes: &'a [Lexeme<'s>],
}

/// A failure at one lexeme, or at the end of the text.
pub struct Place<'a, 's> {
    pub(super) context: &'a Context<'a, 's>,
    /// The number of the lexeme that does not fit; the number of lexemes at the end of the text.
    pub(super) at: usize,
    /// The number of the first lexeme of the statement.
    pub(super) statement: usize,
    /// The numbers of the brackets of the statement that are still open.
    pub(super) open: Vec<usize>,
    /// The brace of the innermost body that is open, and `def` or `for` before it.
    pub(super) block: Option<(Lexeme<'s>, Token<'s>)>,
    pub(super) expected: &'a [String],
}

impl<'s> Context<'_, 's> {
    /// What to say about a statement of another language that starts at a place: a keyword of ours
    /// does not fit there, and behind any other word the next does not.
    pub fn foreign(&self, start: u32) -> Diagnostic {
        let start = self.number(start);
        let word = self.lexemes.get(start).map(|lexeme| lexeme.token);
        let at = start + usize::from(matches!(word, Some(Token::Name(_))));
        let place = Place {
            statement: start,
            open: Vec::new(),
            ..self.place(at, &[])
        };
        place.diagnostic()
    }

    /// The place of a failure.
    pub fn failure<'a>(&'a self, start: u32, expected: &'a [String]) -> Place<'a, 's> {
        self.place(self.number(start), expected)
    }

    /// The number of the lexeme that begins at a place. An inserted `;` may stand there before it.
    fn number(&self, start: u32) -> usize {
        let start = start as usize;
        self.lexemes.partition_point(|lexeme| {
            lexeme.start < start || (lexeme.start == start && lexeme.end == start)
        })
    }

    fn place<'a>(&'a self, at: usize, expected: &'a [String]) -> Place<'a, 's> {
        let mut brackets: Vec<(usize, Option<Token>)> = Vec::new();
        let mut statement = 0;
        for (index, lexeme) in self.lexemes[..at].iter().enumerate() {
            let (token, head) = (lexeme.token, self.lexemes[statement].token);
            let block = token == Token::LeftBrace && self.opens_block(statement, index);
            let mut ends = block || token == Token::Semicolon;
            if token.opens() {
                brackets.push((index, block.then_some(head)));
            } else if token.closes() {
                let block = brackets.pop().is_some_and(|(_, head)| head.is_some());
                ends = block || (statement == index && token == Token::RightBrace);
            }
            if ends {
                statement = index + 1;
            }
        }
        let open = brackets.iter().map(|(open, _)| *open);
        let mut blocks = brackets.iter().rev();
        Place {
            context: self,
            at,
            statement,
            open: open.filter(|open| *open >= statement).collect(),
            block: blocks.find_map(|(open, head)| Some((self.lexemes[*open], (*head)?))),
            expected,
        }
    }

    /// Whether the brace with this number opens the body of the statement that starts there.
    fn opens_block(&self, statement: usize, brace: usize) -> bool {
        let first = self.lexemes[statement].token;
        let before = self.lexemes[brace.saturating_sub(1)].token;
        brace > statement
            && matches!(first, Token::Def | Token::For | Token::Repeat)
            && (before.ends_expression() || first == Token::Def)
    }

    fn start_of(&self, index: usize) -> usize {
        let lexeme = self.lexemes.get(index);
        lexeme.map_or(self.text.len(), |lexeme| lexeme.start)
    }

    /// Whether a line break stands before the lexeme with this number.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        let last = at.checked_sub(1).and_then(|last| self.lexemes.get(last));
        let between = last.zip(self.lexemes.get(at));
        let between = between.and_then(|(last, here)| self.text.get(last.end..here.start));
        between.is_some_and(|between| between.contains('\n'))
    }

    /// A lexeme in a message, cut where it is long.
    pub(super) fn quoted(&self, lexeme: Lexeme) -> String {
        let text = &self.text[lexeme.start..lexeme.end];
        let line = text.lines().next().unwrap_or("");
        if line.chars().count() <= LONGEST_WORD && line.len() == text.len() {
            return format!("`{text}`");
        }
        format!(
            "`{}…`",
            line.chars().take(LONGEST_WORD - 4).collect::<String>()
        )
    }
}

impl<'s> Place<'_, 's> {
    pub fn diagnostic(&self) -> Diagnostic {
        let Some(lexeme) = self.lexeme(0) else {
            return self.at_end_of_text();
        };
        let span = self.span(lexeme);
        let told = match (self.slip(), lexeme.token) {
            (Some(told), _) => told,
            (None, Token::Unknown(".")) => {
                let help = self.behind_dot();
                return help.into_iter().fold(unknown(".", span), Diagnostic::help);
            }
            (None, Token::Unknown(text) | Token::Foreign(text)) => return unknown(text, span),
            (None, _) => {
                let (written, wanted) = (self.context.quoted(lexeme), self.wanted());
                let expected = format!("expected {wanted}");
                let unknown = "not expected here".to_string();
                error!(UnexpectedToken, "{written} does not fit here")
                    .at(span, if wanted.is_empty() { unknown } else { expected })
            }
        };
        self.with_open_bracket(told)
    }

    /// What is wrong and what to write, shown at a lexeme with a label.
    pub(super) fn slip_at(
        &self,
        (at, label): (usize, &str),
        message: String,
        help: Suggestion,
    ) -> Diagnostic {
        let shown = self.context.lexemes.get(at).or(self.context.lexemes.last());
        let error = Diagnostic::error(Code::UnexpectedToken, message).help(help);
        match shown {
            Some(shown) => error.at(self.span(*shown), label),
            None => error,
        }
    }

    /// Help that asks for another text from one lexeme to another.
    pub(super) fn edit(&self, help: String, at: RangeInclusive<usize>, text: &str) -> Suggestion {
        let [first, last] = [at.start(), at.end()].map(|at| self.context.lexemes[*at]);
        let span = Span::new(self.context.source, first.start, last.end);
        Suggestion::edit(help, span, text)
    }

    /// What has been read of the body that is open here.
    pub fn body_so_far(&self) -> Option<Span> {
        let (brace, _) = self.block?;
        let end = self.context.start_of(self.at);
        Some(Span::new(self.context.source, brace.start, end))
    }

    fn at_end_of_text(&self) -> Diagnostic {
        let body = || self.body().filter(|_| self.open.is_empty());
        let missing = self.missing().or_else(body);
        let missing = missing.and_then(|missing| missing.help);
        let message = "the text ends in the middle of a statement";
        let error = Diagnostic::error(Code::UnexpectedEnd, message);
        let Some(last) = self.lexeme(-1) else {
            return error;
        };
        let (wanted, written) = (self.wanted(), self.context.quoted(last));
        let told = rules! { self.block.filter(|_| self.open.is_empty());
            _ if last.token.takes_value() => error!(UnexpectedEnd, "this command is not complete"),
                at self.span(last), "{written} needs a value behind it, on the same line",
                mend missing;
            Some((brace, _)) =>
                where returns = self.expects("return");
                where end = if returns { "end it with `return value; }`" } else { "close it with `}`" };
                error,
                at self.span(last), "after this, {wanted} is still to come",
                at self.span(brace), "this body is still open",
                help "{end}";
            None => error,
                at self.span(last), "after this, {wanted} is still to come",
                mend missing;
        };
        self.with_open_bracket(told)
    }

    /// Shows the bracket that would have to be closed first, where that is the likely mistake.
    fn with_open_bracket(&self, told: Diagnostic) -> Diagnostic {
        let open = |bracket: Lexeme<'s>| Some((bracket, closer(bracket.token)?));
        let Some((bracket, close)) = self.innermost().and_then(open) else {
            return told;
        };
        // What closes the bracket itself is not in its place for another reason.
        let closes = self.text_at(0) == Some(close);
        let token = self.token(0).filter(|_| !closes);
        let ends = token.is_none_or(|token| token.closes() || token == Token::Semicolon) && !closes;
        // On another line the mistake may be as far back as the bracket.
        let start = self.context.start_of(self.at);
        let later = self.context.text[bracket.start..start].contains('\n');
        if !ends && !later {
            return told;
        }
        let instead = format!("write `{close}` instead: it closes this bracket");
        let wrong = self.text_at(0).filter(|_| self.closes_none());
        let wrong = wrong.map(|_| self.edit(instead, self.at..=self.at, close));
        let help = told
            .help
            .clone()
            .or(wrong)
            .or_else(|| match self.unclosed() {
                // Before another line a `;` is missing, too.
                Some(closers) if !ends && self.begins_line() => {
                    self.closed(bracket, &format!("{closers};"))
                }
                _ => {
                    let help = self.closed(bracket, close)?;
                    Some(if ends { help } else { help.plain() })
                }
            });
        let told = told.at(self.span(bracket), "this bracket is still open");
        told.maybe_help(help)
    }

    /// Whether what stands here closes none of the brackets that are open in the statement.
    fn closes_none(&self) -> bool {
        let is_one = |it: &&str| [")", "]"].contains(it) && !self.closers().contains(it);
        self.text_at(0).as_ref().is_some_and(is_one)
    }

    /// What closes the brackets that are open in the statement, the outermost last of all.
    pub(super) fn closers(&self) -> Vec<&'static str> {
        let open = self.open.iter().rev();
        open.filter_map(|open| closer(self.context.lexemes[*open].token))
            .collect()
    }

    /// The innermost of the brackets that are open in the statement.
    pub(super) fn innermost(&self) -> Option<Lexeme<'s>> {
        self.open.last().map(|open| self.context.lexemes[*open])
    }

    /// Whether what does not fit is the first of its line.
    pub(super) fn begins_line(&self) -> bool {
        self.context.begins_line(self.at)
    }

    /// The name before the bracket that is open.
    pub(super) fn name_before_bracket(&self) -> Option<&str> {
        let before = self.context.lexemes[..*self.open.last()?].last()?;
        matches!(before.token, Token::Name(_))
            .then(|| self.context.text.get(before.start..before.end))?
    }

    /// What an open bracket holds, closed, if it is complete: all before this place, or as many arguments as
    /// the function takes.
    fn closed(&self, bracket: Lexeme, close: &str) -> Option<Suggestion> {
        let overfull = self.overfull().filter(|_| close == ")");
        let (bracket, last) = overfull.or(Some((bracket, self.lexeme(-1)?)))?;
        // The last argument of `select` is an operator.
        if !last.token.ends_expression() && !last.token.is_comparison() {
            return None;
        }
        let held = self.context.text.get(bracket.start..last.end)?;
        let message = match held.len() > LONGEST_BRACKET || held.contains('\n') {
            true => format!("close it with `{close}`"),
            false => format!("close it: `{held}{close}`"),
        };
        let place = Span::new(self.context.source, last.end, last.end);
        Some(Suggestion::edit(message, place, close))
    }

    /// The first bracket of the statement with more arguments than its function takes, and the last of these.
    fn overfull(&self) -> Option<(Lexeme<'s>, Lexeme<'s>)> {
        let lexemes = self.context.lexemes;
        let commas = self.commas().into_iter();
        let mut beyond = commas.filter_map(|(open, commas)| {
            let (_, most) = self.takes(open)?;
            Some((lexemes[open], *lexemes.get(commas.get(most - 1)? - 1)?))
        });
        beyond.next()
    }

    /// Whether the function whose bracket is open has all arguments that it takes, with those that follow.
    pub(super) fn takes_no_more(&self) -> bool {
        let given = self.arguments();
        given.is_some_and(|it| it.takes.is_some_and(|(_, most)| it.commas() + 1 >= most))
    }

    /// Whether it needs more than those, or this stands behind the first argument of a call of which nobody
    /// knows what it takes, and no comma in its brackets.
    pub(super) fn may_take_more(&self) -> bool {
        self.arguments().is_some_and(|it| match it.takes {
            Some((least, _)) => it.commas() + 1 < least,
            None => it.commas() == 0 && self.is_call(),
        })
    }

    /// Whether the argument that would stand here is one that it needs.
    pub(super) fn needs_this(&self) -> bool {
        let given = self.arguments();
        given.is_some_and(|it| it.takes.is_some_and(|(least, _)| it.before < least))
    }

    /// Whether the bracket that is open is that of a call.
    fn is_call(&self) -> bool {
        let bracket = self.innermost().map(|bracket| bracket.token);
        bracket == Some(Token::LeftParenthesis)
            && self.name_before_bracket().is_some()
            && self.first() != Some(Token::Def)
    }

    /// What is given in the bracket that is open.
    fn arguments(&self) -> Option<Arguments> {
        let open = *self.open.last()?;
        let mut commas = self.commas().into_iter();
        let before = commas.find(|(known, _)| *known == open);
        let behind = nested(self.rest()).take_while(|(depth, _)| *depth >= 0);
        Some(Arguments {
            before: before.map_or(0, |(_, commas)| commas.len()),
            behind: behind.filter(|it| *it == (0, Token::Comma)).count(),
            takes: self.takes(open),
        })
    }

    /// What stands from here to the end of the statement.
    pub(super) fn rest(&self) -> impl Iterator<Item = Token<'_>> {
        let rest = self.context.lexemes[self.at..].iter();
        let rest = rest.map(|lexeme| lexeme.token);
        rest.take_while(|token| *token != Token::Semicolon)
    }

    /// How many arguments the built-in function before a bracket takes, at least and at most.
    fn takes(&self, open: usize) -> Option<(usize, usize)> {
        let before = self.context.lexemes[..open].last()?;
        let (least, most) = find(self.context.text.get(before.start..before.end)?)?.takes();
        // What takes nothing is no function that is called.
        Some((least, most.filter(|most| *most > 0).unwrap_or(usize::MAX)))
    }

    /// The brackets of the statement before this place, and the commas in each: those between the parameters
    /// of a `lambda` excepted.
    fn commas(&self) -> Vec<(usize, Vec<usize>)> {
        let mut found: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut open: Vec<(usize, bool)> = Vec::new();
        for at in self.statement..self.at {
            let token = self.context.lexemes[at].token;
            if token.opens() {
                open.push((found.len(), false));
                found.push((at, Vec::new()));
            } else if token.closes() {
                open.pop();
            } else if let Some((bracket, names)) = open.last_mut() {
                *names = token == Token::Lambda || *names && token != Token::Colon;
                if token == Token::Comma && !*names {
                    found[*bracket].1.push(at);
                }
            }
        }
        found
    }

    /// The lexeme so many places behind the failure, if it belongs to the text at all.
    pub(super) fn lexeme(&self, offset: isize) -> Option<Lexeme<'s>> {
        let index = self.at.checked_add_signed(offset)?;
        self.context.lexemes.get(index).copied()
    }

    pub(super) fn token(&self, offset: isize) -> Option<Token<'s>> {
        self.lexeme(offset).map(|lexeme| lexeme.token)
    }

    /// The text of a lexeme, if it is short enough to be repeated.
    pub(super) fn text_at(&self, offset: isize) -> Option<&str> {
        let lexeme = self.lexeme(offset)?;
        let text = self.context.text.get(lexeme.start..lexeme.end)?;
        (text.len() <= LONGEST_WORD).then_some(text)
    }

    /// The first token of the statement.
    pub(super) fn first(&self) -> Option<Token<'s>> {
        let first = self.context.lexemes.get(self.statement);
        first.map(|lexeme| lexeme.token)
    }

    fn span(&self, lexeme: Lexeme) -> Span {
        Span::new(self.context.source, lexeme.start, lexeme.end)
    }

    pub(super) fn expects(&self, terminal: &str) -> bool {
        let mut expected = self.expected.iter();
        expected.any(|expected| expected.trim_matches('"') == terminal)
    }

    /// Whether nothing else could stand here.
    pub(super) fn expects_only(&self, terminal: &str) -> bool {
        self.expected.len() == 1 && self.expects(terminal)
    }

    /// What could stand here, in words.
    fn wanted(&self) -> String {
        let first = |words: &[(&str, &str)]| {
            let (_, word) = words.iter().find(|(it, _)| self.expects(it))?;
            Some(word.to_string())
        };
        let kind =
            first(table! { "def", "a statement"; "int", "an expression"; "name", "a name"; });
        let (expression, operator) = (self.expects("int"), first(&[("^", "an operator")]));
        let value = expression || operator.is_some();
        let string = || first(&[("string", "a string")]).filter(|_| !expression);
        let kinds = kind.into_iter().chain(operator.or_else(string));
        let symbols = [",", ")", "]", "}", ":", ";", "=", "else", "return"].into_iter();
        let opening = ["(", "[", "{", "in"].into_iter().filter(|_| !value);
        let symbols = symbols.chain(opening).filter(|it| self.expects(it));
        let mut wanted: Vec<String> = kinds.chain(symbols.map(|it| format!("`{it}`"))).collect();
        match wanted.pop() {
            Some(last) if !wanted.is_empty() => format!("{} or {last}", wanted.join(", ")),
            last => last.unwrap_or_default(),
        }
    }
}

/// What is given in a bracket: the commas before a place and behind it, and how many arguments the built-in
/// function whose bracket it is takes, at least and at most.
struct Arguments {
    before: usize,
    behind: usize,
    takes: Option<(usize, usize)>,
}

impl Arguments {
    fn commas(&self) -> usize {
        self.before + self.behind
    }
}

/// Tokens, and how many more brackets are open behind each of them than before the first.
pub(super) fn nested<'t>(
    tokens: impl Iterator<Item = Token<'t>>,
) -> impl Iterator<Item = (isize, Token<'t>)> {
    tokens.scan(0, |depth, token| {
        *depth += token.nesting();
        Some((*depth, token))
    })
}

/// What closes a bracket.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else opens")]
fn closer(token: Token) -> Option<&'static str> {
    match token {
        Token::LeftParenthesis => Some(")"),
        Token::LeftBracket => Some("]"),
        Token::LeftBrace => Some("}"),
        _ => None,
    }
}
