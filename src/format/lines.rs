//! How the formatter breaks expressions: on one line if they fit and hold no comment, else at the
//! places that their spelling has for it. What holds a comment is printed over several lines, but
//! operators only where the comment stands between no brackets.

use super::print::{INDENT, Printer, WIDTH};
use super::spelling::{Break, Piece, pieces};
use crate::base::Span;
use crate::syntax::ast::{ExprId, ExprKind};
use crate::syntax::precedence::Level;

/// Stack left below which a recursive walk moves to a new segment, and the size of that segment.
const RED_ZONE: usize = 64 << 10;
const SEGMENT: usize = 1 << 20;

/// What is known of an expression before it is printed, without parentheses of its own.
pub(super) struct Measure {
    /// Its width on one line.
    width: usize,
    /// Its width up to the first place where it may break.
    head: usize,
    /// Whether a comment stands in it that none of its brackets encloses.
    loose: bool,
}

/// How pieces are printed.
#[derive(Clone, Copy)]
pub(super) struct LineShape {
    /// Whether each item between the brackets stands on a line of its own.
    pub(super) apart: bool,
    /// The indentation of the line with the first piece.
    pub(super) indent: usize,
    /// The indentation that parts go by as long as they follow on that line.
    pub(super) parts: usize,
}

impl LineShape {
    /// Items stay together, and parts go by the first line.
    pub(super) fn plain(indent: usize) -> LineShape {
        LineShape {
            apart: false,
            indent,
            parts: indent,
        }
    }
}

impl Printer<'_> {
    pub(super) fn measure(&mut self) {
        for id in self.ast.ids() {
            let pieces = pieces(self.ast, self.text, id);
            let measure = Measure {
                width: pieces.iter().map(|piece| self.piece_width(piece)).sum(),
                head: self.head(&pieces, has_items(&self.ast.get(id).kind), 0),
                loose: self.has_loose_comment(id, &pieces),
            };
            self.measures.push(measure);
        }
    }

    fn has_loose_comment(&self, id: ExprId, pieces: &[Piece]) -> bool {
        let expr = self.ast.get(id);
        if !self.has_comment(expr.span.range()) {
            return false;
        }
        let before_bracket = pieces
            .iter()
            .take_while(|piece| !matches!(piece, Piece::Break(Break::Open | Break::Close, ..)));
        let mut children = before_bracket.filter_map(|piece| match piece {
            Piece::Child(child, level) => Some((*child, *level)),
            Piece::Text(_) | Piece::Infix(..) | Piece::Break(..) => None,
        });
        is_operation(&expr.kind) && self.has_comment_between(expr.span, pieces)
            || children.any(|(child, level)| {
                !self.parenthesized(child, level) && self.measures[child.0 as usize].loose
            })
    }

    /// Whether a comment stands in a place but in none of the parts there.
    pub(super) fn has_comment_between(&self, span: Span, pieces: &[Piece]) -> bool {
        let parts = pieces.iter().map(|piece| match piece {
            Piece::Child(child, _) => self.comments_in(self.ast.get(*child).span.range()),
            Piece::Text(_) | Piece::Infix(..) | Piece::Break(..) => 0,
        });
        let all = self.comments_in(span.range());
        all > 0 && all > parts.sum()
    }

    /// Prints an expression, on one line if it fits with `after` characters behind it.
    fn expr(&mut self, id: ExprId, level: Level, indent: usize, after: usize) {
        stacker::maybe_grow(RED_ZONE, SEGMENT, || {
            let fits = self.column() + self.width(id, level) + after <= WIDTH;
            if fits && !self.has_comment(self.ast.get(id).span.range()) {
                return self.on_one_line(id, level);
            }
            let brackets_only = self.brackets_only;
            let operators_stay = fits && !self.measures[id.0 as usize].loose;
            self.brackets_only |= operators_stay;
            if self.parenthesized(id, level) {
                self.output.push('(');
                self.brackets_only = operators_stay;
                self.over_lines(id, indent, after + 1);
                self.output.push(')');
            } else {
                self.over_lines(id, indent, after);
            }
            self.brackets_only = brackets_only;
        });
    }

    pub(super) fn on_one_line(&mut self, id: ExprId, level: Level) {
        stacker::maybe_grow(RED_ZONE, SEGMENT, || {
            let parenthesized = self.parenthesized(id, level);
            if parenthesized {
                self.output.push('(');
            }
            for piece in pieces(self.ast, self.text, id) {
                match piece {
                    Piece::Text(text) => self.output.push_str(&text),
                    Piece::Child(child, level) => self.on_one_line(child, level),
                    Piece::Infix(word, _) => self.output.extend([" ", word, " "]),
                    Piece::Break(_, blank, _) => self.output.push_str(blank),
                }
            }
            if parenthesized {
                self.output.push(')');
            }
        });
    }

    /// Prints an expression over several lines, if its kind has a place for a break.
    fn over_lines(&mut self, id: ExprId, indent: usize, after: usize) {
        let expr = self.ast.get(id);
        let pieces = if matches!(expr.kind, ExprKind::Binary { .. }) {
            self.chain(id)
        } else {
            pieces(self.ast, self.text, id)
        };
        let bracketed = !is_operation(&expr.kind);
        let same = matches!(
            expr.kind,
            ExprKind::Call { .. } | ExprKind::Parenthesized(_)
        );
        let shape = LineShape {
            apart: has_items(&expr.kind)
                || bracketed && self.has_comment_between(expr.span, &pieces),
            indent,
            parts: if same { indent } else { indent + INDENT },
        };
        self.arrange(&pieces, shape, after);
    }

    /// Prints pieces, with line breaks and comments between them and `after` characters behind.
    pub(super) fn arrange(&mut self, pieces: &[Piece], shape: LineShape, after: usize) {
        let inner = shape.indent + INDENT;
        let outside = self.brackets_only;
        let mut indent = shape.parts;
        for (at, piece) in pieces.iter().enumerate() {
            let rest = &pieces[at + 1..];
            match piece {
                Piece::Text(text) => self.output.push_str(text),
                Piece::Child(child, level) => {
                    // Lines are as long with a comma behind the part as without.
                    let least = usize::from(!rest.is_empty());
                    let after = self.head(rest, shape.apart, after).max(least);
                    self.expr(*child, *level, indent, after);
                }
                Piece::Infix(word, next) if self.brackets_only => {
                    self.output.extend([" ", word]);
                    if self.inner_comments(*next, inner) {
                        self.line(inner);
                    } else {
                        self.output.push(' ');
                    }
                }
                Piece::Infix(word, next) => {
                    self.inner_comments(*next, inner);
                    self.line(inner);
                    self.output.extend([word, " "]);
                }
                Piece::Break(kind, blank, next) => {
                    let to = match kind {
                        Break::Open | Break::Item => inner,
                        Break::Close => shape.indent,
                        Break::Comment => inner + INDENT * usize::from(shape.apart),
                    };
                    let comments = self.inner_comments(*next, to.max(inner));
                    let breaks = match kind {
                        Break::Open | Break::Close => shape.apart,
                        Break::Item if shape.apart => true,
                        Break::Item => {
                            self.column() + blank.len() + self.head(rest, false, after) > WIDTH
                        }
                        Break::Comment => false,
                    };
                    if comments || breaks {
                        self.line(to);
                        indent = to;
                    } else {
                        self.output.push_str(blank);
                    }
                    match kind {
                        Break::Open => self.brackets_only = false,
                        Break::Close => self.brackets_only = outside,
                        Break::Item | Break::Comment => {}
                    }
                }
            }
        }
    }

    /// Whether pieces fit on the rest of the line as a whole, with `after` characters behind them.
    pub(super) fn fits(&self, pieces: &[Piece], after: usize) -> bool {
        let widths = pieces.iter().map(|piece| self.piece_width(piece));
        self.column() + widths.sum::<usize>() + after <= WIDTH
    }

    /// A left-associative chain of operators of one level.
    fn chain(&self, id: ExprId) -> Vec<Piece> {
        let level = Level::of(&self.ast.get(id).kind);
        let mut first = id;
        let mut rest = Vec::new();
        while let Some((left, operator, right)) = self.ast.binary(first) {
            let bracketed = first != id && self.around.contains(&first);
            if bracketed || Level::of_operator(operator) != level {
                break;
            }
            let start = self.ast.get(right).span.start as usize;
            rest.push(Piece::Child(right, level.tighter()));
            rest.push(Piece::Infix(operator.symbol(), start));
            first = left;
        }
        rest.push(Piece::Child(first, level));
        rest.reverse();
        rest
    }

    pub(super) fn line(&mut self, indent: usize) {
        self.output.push('\n');
        self.indent(indent);
    }

    /// The column of what is printed next, or one beyond the width.
    pub(super) fn column(&self) -> usize {
        // Looking back is bounded, so that very long lines take linear time.
        let window = self.output.len().saturating_sub(4 * WIDTH);
        let tail = &self.output.as_bytes()[window..];
        match tail.iter().rposition(|byte| *byte == b'\n') {
            None if window > 0 => WIDTH + 1,
            newline => {
                let line = &tail[newline.map_or(0, |at| at + 1)..];
                // Bytes 10xxxxxx go on with a character.
                line.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
            }
        }
    }

    /// The width of pieces up to the first place where the line may break, or, without one, that
    /// of all and `after`.
    fn head(&self, pieces: &[Piece], apart: bool, after: usize) -> usize {
        let mut width = 0;
        for piece in pieces {
            match piece {
                Piece::Infix(..) if !self.brackets_only => return width,
                Piece::Break(Break::Item, ..) => return width,
                Piece::Break(Break::Open | Break::Close, ..) if apart => return width,
                Piece::Child(child, level) if !self.brackets_only => {
                    let measure = &self.measures[child.0 as usize];
                    if measure.head < measure.width {
                        let open = usize::from(self.parenthesized(*child, *level));
                        return width + open + measure.head;
                    }
                    width += self.width(*child, *level);
                }
                Piece::Text(_) | Piece::Child(..) | Piece::Infix(..) | Piece::Break(..) => {
                    width += self.piece_width(piece);
                }
            }
            // A bound on the time that many pieces take.
            if width > WIDTH {
                return width;
            }
        }
        width + after
    }

    fn piece_width(&self, piece: &Piece) -> usize {
        match piece {
            Piece::Text(text) => text.chars().count(),
            Piece::Child(child, level) => self.width(*child, *level),
            Piece::Infix(word, _) => word.len() + 2,
            Piece::Break(_, blank, _) => blank.len(),
        }
    }

    fn width(&self, id: ExprId, level: Level) -> usize {
        self.measures[id.0 as usize].width + 2 * usize::from(self.parenthesized(id, level))
    }

    /// Whether an expression gets parentheses where at least `level` is needed.
    fn parenthesized(&self, id: ExprId, level: Level) -> bool {
        self.around.contains(&id) || Level::of(&self.ast.get(id).kind) < level
    }
}

/// Whether an expression is brackets with something between them, which breaks at each item.
fn has_items(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::List(items) => !items.is_empty(),
        ExprKind::Tuple(items) => items.len() > 1,
        ExprKind::Dict(entries) => !entries.is_empty(),
        ExprKind::Call { arguments, .. } => !arguments.is_empty(),
        ExprKind::ListComprehension { .. } | ExprKind::DictComprehension { .. } => true,
        ExprKind::Error
        | ExprKind::Name(_)
        | ExprKind::Literal(_)
        | ExprKind::Operator(_)
        | ExprKind::Parenthesized(_)
        | ExprKind::Unary { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Ternary { .. }
        | ExprKind::Index { .. }
        | ExprKind::Spread(_)
        | ExprKind::Lambda(_) => false,
    }
}

/// Whether an expression has tokens of its own that no bracket encloses.
fn is_operation(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Ternary { .. }
            | ExprKind::Lambda(_)
    )
}
