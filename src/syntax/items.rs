//! How the formatter breaks what stands between brackets: one item a line, with its comments.

use super::ast::{Argument, ExprId, Ident};
use super::layout::Level;
use super::print::{INDENT, Printer};
use crate::base::Span;

impl Printer<'_> {
    /// Prints bracketed items, each on a line of its own, with the comments between them.
    pub(super) fn bracketed(
        &mut self,
        open: char,
        items: &[Item],
        (close, span): (char, Span),
        indent: usize,
    ) {
        let brackets_only = std::mem::take(&mut self.brackets_only);
        self.output.push(open);
        for (at, item) in items.iter().enumerate() {
            let start = self.item_start(item);
            self.gap_comments(start, indent + INDENT);
            self.line(indent + INDENT);
            self.item(item, indent + INDENT);
            let next = items.get(at + 1).map(|next| self.item_start(next));
            if next.is_some() {
                self.output.push(',');
            }
            let end = self.ast.get(item.value).span.end as usize;
            self.same_line_comment(end, next.unwrap_or(span.end as usize));
        }
        self.gap_comments(span.end as usize, indent + INDENT);
        self.line(indent);
        self.output.push(close);
        self.brackets_only = brackets_only;
    }

    /// Prints a comprehension: the item and what it is made for, each on a line of its own.
    pub(super) fn comprehension(
        &mut self,
        (open, close): (char, char),
        item: &Item,
        (names, iterable): (&[Ident], ExprId),
        span: Span,
        indent: usize,
    ) {
        let inner = indent + INDENT;
        let brackets_only = std::mem::take(&mut self.brackets_only);
        self.output.push(open);
        self.gap_comments(self.item_start(item), inner);
        self.line(inner);
        self.item(item, inner);
        let end = self.ast.get(item.value).span.end as usize;
        let over = self.ast.get(iterable).span;
        self.same_line_comment(end, over.start as usize);
        self.gap_comments(over.start as usize, inner);
        self.line(inner);
        let names: Vec<&str> = names.iter().map(|ident| &*ident.name).collect();
        self.output
            .push_str(&format!("for {} in ", names.join(", ")));
        self.expr(iterable, Level::Lambda, inner, 0);
        self.same_line_comment(over.end as usize, span.end as usize);
        self.gap_comments(span.end as usize, inner);
        self.line(indent);
        self.output.push(close);
        self.brackets_only = brackets_only;
    }

    fn item_start(&self, item: &Item) -> usize {
        match (&item.name, item.key) {
            (Some(name), _) => name.span.start as usize,
            (None, Some(key)) => self.ast.get(key).span.start as usize,
            (None, None) => self.ast.get(item.value).span.start as usize,
        }
    }

    fn item(&mut self, item: &Item, indent: usize) {
        if let Some(name) = &item.name {
            self.output.push_str(&name.name);
            self.output.push('=');
        }
        if let Some(key) = item.key {
            self.expr(key, Level::Lambda, indent, 2);
            self.output.push_str(": ");
        }
        self.expr(item.value, Level::Lambda, indent, 1);
    }
}

/// One item between brackets.
pub(super) struct Item {
    name: Option<Ident>,
    key: Option<ExprId>,
    value: ExprId,
}

impl Item {
    pub(super) fn entry(key: ExprId, value: ExprId) -> Item {
        Item {
            name: None,
            key: Some(key),
            value,
        }
    }

    pub(super) fn plain(value: ExprId) -> Item {
        Item {
            name: None,
            key: None,
            value,
        }
    }

    pub(super) fn argument(argument: &Argument) -> Item {
        Item {
            name: argument.name.clone(),
            key: None,
            value: argument.value,
        }
    }
}

pub(super) fn plain(items: &[ExprId]) -> Vec<Item> {
    items.iter().map(|value| Item::plain(*value)).collect()
}
