//! A name that is not defined: where it is defined after all, what was probably meant, what it is
//! called here if it comes from another language, or how to define it.

use super::quote::{in_place, letters, operand};
use super::scene::Scene;
use crate::base::suggest::nearest;
use crate::base::{Code, Diagnostic, Span, Suggestion};
use crate::eval::Meta;
use crate::syntax::ast::{BinaryOperator, Command, ExprId, Name, Statement, StatementKind};

use crate::value::{TypeSet, Value};

/// After this many errors and warnings it is not looked for what was meant any more: that takes a look
/// at all of the program, and nobody reads on.
const MOST_SUGGESTIONS: usize = 200;

impl Scene<'_> {
    /// A name that has no meaning; nothing if a `load` has failed that may have defined it.
    pub(super) fn undefined(&self, name: &Name) -> Option<Diagnostic> {
        let (site, scopes) = (self.site, &self.evaluator.scopes);
        let (span, called) = match self.function() {
            Some(function) => (self.span(function), Some(self.arguments())),
            None => (self.whole, None),
        };
        let late = self.evaluator.diagnostics.len() > MOST_SUGGESTIONS;
        let near = (!late).then(|| self.near_name(name, span, false));
        let near = near.flatten();
        if near.is_none() && scopes.is_incomplete(site.scope) {
            return None;
        }
        let error = error!(UndefinedName, "`{name}` is not defined")
            .at(span, "no definition of this name comes before");
        let defined = || Suggestion::from(definition(name, called.as_deref()));
        if late {
            return Some(error.help(defined()));
        }
        let elsewhere = introduced(&site.ast.statements, None, name);
        let inside = |it: &&Introduced| it.within.is_some_and(|(_, whole)| whole.contains(span));
        let told = rules! { (self.evaluator.missing.get(name), &elsewhere);
            (Some((failed, _)), _) => error,
                at *failed, "this has failed, so it is not defined",
                help "mend that first";
            _ if self.is_setting(span) => error.help(in_quotes(name, span));
            (_, Some(found)) if found.is_parameter && inside(&found) => error,
                at found.span, "a default cannot read another parameter",
                note "defaults are evaluated once, where the function is defined",
                help "write a default that is known there, like `0`";
            (_, Some(found @ Introduced { within: Some((function, _)), .. })) if !inside(&found) =>
                where signature = match scopes.lookup(site.scope, function) {
                    Some(Meta::Function(callable)) => format!(": `{}`", callable.signature()),
                    _ => String::new(),
                };
                error,
                at found.span, "this one exists inside `{function}` only",
                help "a function gives what it returns{signature}";
            (_, Some(found)) if found.span.start > span.start => error,
                at found.span, "it is defined only here, further down",
                help "move its definition above this line";
            _ => error, mend self
                .near_name(name, span, true)
                .or_else(|| self.of_library(name, |other| **name == *other))
                .or_else(|| self.foreign(name, called.as_deref()))
                .or(near)
                .or_else(|| self.of_library(name, |other| nearest(name, [other]).is_some()))
                .or_else(|| self.assigned(name, span))
                .or_else(|| self.compared_as_string(name, span))
                .or_else(|| Some(defined()));
        };
        Some(told)
    }

    /// A statement that begins with a name and `==` or `<-`: an assignment.
    fn assigned(&self, name: &str, span: Span) -> Option<Suggestion> {
        let behind = &self.evaluator.sources.get(span.source).text[span.end as usize..];
        let rest = behind.trim_start();
        let rest = rest
            .strip_prefix("==")
            .or(rest.strip_prefix("<-"))?
            .trim_start();
        let sign = Span {
            start: span.end,
            end: span.end + (behind.len() - rest.len()) as u32,
            ..span
        };
        let mut statements = self.site.ast.statements.iter();
        let begins = statements.any(|it| it.span.start == span.start);
        begins.then(|| Suggestion::edit(format!("to assign write `{name} = …`"), sign, " = "))
    }

    /// A name that strings are compared with: a string without its quotes.
    fn compared_as_string(&self, name: &str, span: Span) -> Option<Suggestion> {
        let ids = self.site.ast.ids();
        let mut compared = ids.filter_map(|id| self.comparison(id));
        let (left, _, right) = compared
            .find(|(left, _, right)| [left, right].map(|side| self.span(*side)).contains(&span))?;
        let strings = |id| self.known(id).is_some_and(|meta| self.is_string(meta));
        (strings(left) || strings(right)).then(|| in_quotes(name, span))
    }

    /// Whether a place is all of what `set example` or `set vocab` is given.
    fn is_setting(&self, span: Span) -> bool {
        use Command::{SetExample, SetVocabulary};
        self.site.ast.statements.iter().any(|it| {
            matches!(&it.kind, StatementKind::Command(SetExample { value, .. } | SetVocabulary { value })
                if self.span(*value) == span)
        })
    }

    /// A name of a module that is not loaded.
    fn of_library(&self, name: &str, fits: impl Fn(&str) -> bool) -> Option<Suggestion> {
        let names = self.evaluator.texts.library_names();
        let (other, module) = names.into_iter().find(|(other, _)| fits(other))?;
        if let Some(covered) = self.covered(module) {
            return Some(covered);
        }
        let first = format!("in the standard library: `load \"{module}\";` first");
        Some(match other == name {
            true => format!("it is {first}").into(),
            false => format!("did you mean `{other}`? It is {first}").into(),
        })
    }

    /// A module of the library that a load has not read, as there is a file of its name.
    fn covered(&self, module: &str) -> Option<Suggestion> {
        let is_there = |it: &Statement| {
            matches!(&it.kind, StatementKind::Load { path, path_span }
                if **path == *module && path_span.start < self.whole.start)
        };
        self.site.ast.statements.iter().any(is_there).then(|| {
            let reads = format!("`load \"{module}\";` reads your own {module}.rasp here");
            let text = "not the library's module of this name: give the file another";
            format!("{reads}, {text}").into()
        })
    }

    /// What to do about an s-op that is called as the library's function of its name.
    pub(super) fn own_for_library(&self, name: &str) -> Option<Suggestion> {
        let names = self.evaluator.texts.library_names();
        let (_, module) = names.into_iter().find(|(other, _)| *other == name)?;
        self.covered(module)
    }

    /// The visible name that was probably meant, of the program's `own` or of all.
    fn near_name(&self, name: &str, span: Span, own: bool) -> Option<Suggestion> {
        let scopes = &self.evaluator.scopes;
        let visible = scopes.visible(self.site.scope);
        let of_program = |name: &&Name| scopes.lookup(self.evaluator.base, name).is_none();
        let names = visible.iter().filter(|name| !own || of_program(name));
        let meant = nearest(name, names.map(|name| &**name))?;
        let message = format!("did you mean `{meant}`?");
        Some(Suggestion::edit(message, span, meant))
    }

    /// What a name of another language is here, with what it was called with.
    fn foreign(&self, name: &str, called: Option<&[ExprId]>) -> Option<Suggestion> {
        let mut given = called.unwrap_or_default().to_vec();
        // The function of a `map` comes first, or last.
        let second = given.get(1).copied();
        if second.is_some_and(|id| self.static_function(id)) {
            given.swap(0, 1);
        }
        let first = given.first().copied();
        let text = |at: usize| given.get(at).and_then(|id| self.written(self.span(*id)));
        let x = text(0).unwrap_or("indices".to_string());
        let second = text(1).unwrap_or("tokens".to_string());
        let number = match (first, text(0)) {
            (Some(id), Some(x)) if self.static_bool(id) => format!("indicator({x})"),
            (Some(id), _) if self.known(id).is_some_and(|it| self.is_tokens(it)) => {
                "tokens_int".to_string()
            }
            _ => x.clone(),
        };
        let of_list = given.iter().any(|id| self.static_list(*id));
        let of_selector = given.iter().any(|id| self.static_selector(*id));
        let is_float = |id: ExprId| match self.site.ast.binary(id) {
            Some((_, operator, _)) => operator == BinaryOperator::Divide,
            None => self.known(id).map(|it| self.types(it)) == Some(TypeSet::FLOAT),
        };
        let of_function =
            first.is_some_and(|id| self.known(id).is_some() && self.static_function(id));
        let fits = |of: Of| match of {
            Of::List => of_list,
            Of::Selector => of_selector,
            Of::Floats => first.is_some_and(is_float),
            Of::Function => of_function,
            Of::Called => called.is_some(),
            Of::Any => true,
        };
        let mut rows = FOREIGN.iter();
        let (_, _, help) = rows.find(|(of, names, _)| names.contains(&name) && fits(*of))?;
        let help = filled(help, [&x, &number, &second]);
        // Beside other operators what is written stands in parentheses, as the call did.
        let sources = &self.evaluator.sources;
        let parts = help.split('`').enumerate().map(|(at, part)| match at % 2 {
            0 => part.to_string(),
            _ => in_place(sources, self.whole, part),
        });
        Some(parts.collect::<Vec<_>>().join("`").into())
    }
}

/// What a name of another language is here, whatever it is given.
pub(in crate::diagnose) fn elsewhere(name: &str) -> Option<String> {
    let any = |of: Of| matches!(of, Of::Called | Of::Any);
    let mut rows = FOREIGN.iter();
    let (_, _, help) = rows.find(|(of, names, _)| names.contains(&name) && any(*of))?;
    Some(filled(help, ["x", "x", "y"]))
}

/// Help with the texts of a value, of it as a number, and of a second value.
fn filled(help: &str, [x, number, second]: [&str; 3]) -> String {
    let (bare, other) = (operand(x), operand(second));
    let help = help
        .replace("{x}", x)
        .replace("{(x)}", &bare)
        .replace("{number}", number);
    help.replace("{(second)}", &other)
        .replace("{second}", second)
}

/// What the first argument is of a name of another language.
#[derive(Clone, Copy)]
enum Of {
    List,
    Selector,
    Floats,
    /// With a name.
    Function,
    /// There is one, or the name is called without.
    Called,
    Any,
}

/// Names of other languages and of the library's world, and what they are here: of the first argument
/// `{x}` or `{(x)}`, which stands between operators. The first row that fits speaks.
const FOREIGN: &[(Of, &[&str], &str)] = table! {
    Of::List, &["sorted", "sort"],
        "lists stay in their order; an s-op is sorted by `sort(values, keys)`";
    Of::List, &["sum", "total"],
        "add up a list in a loop: `total = 0; for v in {x} { total = total + v; }`";
    Of::List, &["mean", "avg"],
        "add up a list in a loop: `total = 0; for v in {x} { total = total + v; }`; the mean is `total \
         / len({x})`";
    Of::List, &["abs"], "for each element of a list: `[v if v >= 0 else -v for v in {x}]`";
    Of::List, &["enumerate"], "elements with their numbers: `zip(range(len({x})), {x})`";
    Of::List, &["map"], "for each element of a list: `[{(x)}(v) for v in {second}]`";
    Of::Function, &["map", "Map", "NumericalMap", "CategoricalMap"],
        "functions work on all positions at once: `{x}({second})`";
    Of::Selector, &["sum", "total"], "how many keys it selects: `selector_width({x})`";
    Of::Floats, &["sum", "total"], "over all positions: `length * aggregate(full_s, {x})`";
    Of::Selector, &["any"], "whether it selects any key: `selector_width({x}) > 0`";
    Of::Any, &["None", "null", "nil", "undefined"],
        "there is no empty value: choose an atom that stands for it, like `\"\"` or `0`";
    Of::Any, &["help"], "at the prompt `help`, or `help name`, says what there is";
    Of::Any, &["print", "echo", "println"],
        "a value is shown by writing it as a statement, outside of loops and functions: `{x};`";
    Of::Any, &["sum", "total"],
        "over all positions of an s-op of ints: `round(length * aggregate(full_s, {number}))`; single \
         values are added by `+`";
    Of::Any, &["mean", "avg"], "the mean over all positions: `aggregate(full_s, {number})`";
    Of::Any, &["any"], "whether any position holds it: `True in ({x})`";
    Of::Any, &["all"],
        "whether every position holds it: `not (False in ({x}))`; the selector of every key is \
         `full_s`";
    Of::Any, &["abs"], "write `{(x)} if {(x)} >= 0 else -{(x)}`";
    Of::Any, &["sqrt"], "write `{(x)} ^ 0.5`";
    Of::Any, &["pow"], "a power is `{(x)} ^ {(second)}`";
    Of::Any, &["sorted"], "by its own values: `sort({x}, {x})`";
    Of::Any, &["mod"], "the remainder is `{(x)} % {(second)}`";
    Of::Any, &["floor"], "rounded down: `{(x)} - {(x)} % 1`";
    Of::Any, &["ceil"], "rounded up: `{(x)} + -{(x)} % 1`";
    Of::Any, &["where", "ifelse", "if_else", "iif", "cond"], "choose at each position: `a if condition else b`";
    Of::Any, &["cumsum"], "up to each position: `load \"arithmetic\"; running_total({number});`";
    Of::Any, &["argmax"],
        "where the largest is: `aggregate(select_best(full_s, score({x}, {x}, lambda key, query: \
         key)), indices)`";
    Of::Any, &["argmin"],
        "where the smallest is: `aggregate(select_best(full_s, score({x}, {x}, lambda key, query: \
         -key)), indices)`";
    Of::Any, &["argsort"], "the positions in the order of the values: `sort(indices, {x})`";
    Of::Any, &["agg"], "did you mean `aggregate`?";
    Of::Any, &["sel"], "did you mean `select`?";
    Of::Called, &["width", "sel_width"], "did you mean `selector_width`?";
    Of::Any, &["maximum"], "the larger of two at each position: `max(a, b)`";
    Of::Any, &["minimum"], "the smaller of two at each position: `min(a, b)`";
    Of::Called, &["equal", "equals", "eq"], "compare with `{(x)} == {(second)}`";
    Of::Called, &["first"], "the value at the first position: `{(x)}[0]`";
    Of::Called, &["last"], "the value at the last position: `{(x)}[-1]`";
    Of::Called, &["prev", "previous"],
        "the value before, and what stands before the first: `shift({x}, 1, \"-\")`, of numbers \
         `shift({x}, 1, 0)`";
    Of::Called, &["filter"],
        "all positions stay: what is left out is replaced, as by `a if condition else \"-\"`";
    Of::Called, &["unique"],
        "how many different values there are: `load \"hist\"; num_distinct({x});`";
    Of::Any, &["ord", "chr", "upper", "lower"],
        "a dict says what each token becomes, like `{\"a\": \"b\", \"b\": \"a\"}[tokens]`";
    Of::Any, &["isdigit"], "ask which they are: `{(x)} in [\"0\", \"1\"]`";
    Of::Any, &["plot", "show", "display"], "a picture is drawn by `draw({x});`";
    Of::Any, &["dict"], "a dict is written out, like `{\"a\": 1}`";
    Of::Any, &["enumerate", "arange"], "the number of each position is the s-op `indices`";
    Of::Any, &["map", "Map", "NumericalMap", "CategoricalMap"],
        "operators and functions work on all positions at once: `zipmap({second}, {x})`";
    Of::Any, &["SequenceMap", "LinearSequenceMap"],
        "operators and functions work on all positions at once, like `tokens_int + indices`";
    Of::Any, &["selector_and", "selector_or", "selector_not"],
        "selectors are combined by `and`, `or` and `not`: `{(x)} and {(second)}`";
    Of::Any, &["type", "isinstance"],
        "types cannot be asked for; values can be compared, like `tokens == \"a\"`";
    Of::Any, &["list"], "a list is written out, like `[1, 2]`, or counted, like `range(3)`";
    Of::Any, &["get"], "an element of a list or dict is `x[0]` or `x[\"key\"]`";
    Of::Any, &["reversed"], "the positions in reverse: `load \"sorting\"; reverse({x});`";
    Of::Any, &["pass"], "there is no statement that does nothing: leave it out";
    Of::Any, &["break", "continue"],
        "a loop always runs over all of its list: give it fewer elements, like `range(3)`";
    Of::Any, &["bool"],
        "the tokens as bools are `tokens_bool`; any s-op becomes bools with `not not x`";
    Of::Any, &["full", "select_all", "true_s"], "the selector of every key is `full_s`";
    Of::Any, &["input", "sequence", "seq", "text"], "the input is the s-op `tokens`";
    Of::Any, &["i", "index", "position", "pos", "positions"],
        "the position of each token is the s-op `indices`";
    Of::Any, &["n", "size"], "the length of the input is the s-op `length`";
};

/// How to define a name that is read or called.
fn definition(name: &str, called: Option<&[ExprId]>) -> String {
    let Some(arguments) = called else {
        let quoted = Value::str(name).source();
        return format!("define it above this line; a string stands in quotes: `{quoted}`");
    };
    let names = letters(arguments.len()).join(", ");
    format!("define it above this line: `def {name}({names}) {{ … }}`")
}

/// A string without its quotes.
fn in_quotes(name: &str, span: Span) -> Suggestion {
    let quoted = Value::str(name).source();
    let message = format!("a string stands in quotes: `{quoted}`");
    Suggestion::edit(message, span, quoted)
}

/// Where a program first introduces a name, and the function that keeps it for itself.
struct Introduced<'a> {
    span: Span,
    within: Option<(&'a Name, Span)>,
    is_parameter: bool,
}

#[expect(clippy::wildcard_enum_match_arm, reason = "others keep no names")]
fn introduced<'a>(
    statements: &'a [Statement],
    within: Option<(&'a Name, Span)>,
    name: &str,
) -> Option<Introduced<'a>> {
    statements.iter().find_map(|statement| {
        let (inside, parameters) = match &statement.kind {
            StatementKind::Define(function) => (
                Some((&function.ident.name, statement.span)),
                &*function.parameters,
            ),
            _ => (within, &[][..]),
        };
        let names = statement.names().iter().map(|ident| (ident, within, false));
        let parameters = parameters.iter().map(|it| (&it.ident, inside, true));
        let found = names.chain(parameters).find(|(it, ..)| &*it.name == name);
        match found {
            Some((ident, within, is_parameter)) => Some(Introduced {
                span: ident.span,
                within,
                is_parameter,
            }),
            None => introduced(statement.body(), inside, name),
        }
    })
}
