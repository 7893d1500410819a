//! What stands for characters that a font has no picture of: boxes with their code points, as wide as
//! the characters are. Nothing is left blank silently.

use super::scene::{Paint, Shape, Text, column, measure};
use super::svg::number;
use crate::base::visible::is_unseen;

/// Whether a font has a picture of a character.
pub type Covers<'f> = &'f dyn Fn(char) -> bool;

/// The height of the digits of a code point, as a share of the text's.
const DIGITS: f64 = 0.46;

fn is_missing(character: char, covers: Covers) -> bool {
    // What is unseen is shown by another character.
    column(character) > 0 && !is_unseen(character) && !covers(character)
}

/// Whether a text has characters without a picture.
pub fn is_in(text: &str, covers: Covers) -> bool {
    text.chars().any(|character| is_missing(character, covers))
}

/// The pieces of a text from its start at (0, 0), with boxes for what has no picture.
pub fn pieces(text: &Text, covers: Covers) -> Vec<Shape> {
    let mut shapes = Vec::new();
    let mut boxes = String::new();
    let mut run = String::new();
    let (mut start, mut x) = (0.0, 0.0);
    let piece = |x: f64, y: f64, size: f64, shown: &str| {
        let mut piece = Text::new(x, y, size, shown, text.paint);
        piece.faded = text.faded;
        Shape::Text(piece)
    };
    for character in text.text.chars() {
        let width = column(character) as f64 * measure("0", text.size);
        if is_missing(character, covers) {
            shapes.push(piece(start, 0.0, text.size, &std::mem::take(&mut run)));
            let code = format!("{:04X}", u32::from(character));
            let (upper, lower) = code.split_at(code.len().div_ceil(2));
            let fits = 0.9 * width / measure(upper, 1.0);
            let size = fits.min(DIGITS * text.size);
            for (row, digits) in [(-0.26, upper), (0.26, lower)] {
                let left = x + (width - measure(digits, size)) / 2.0;
                shapes.push(piece(left, row * text.size, size, digits));
            }
            let side = text.size * 1.1;
            let (wide, high) = (number(width - 0.6), number(side));
            boxes.push_str(&format!(
                "M{} {}h{wide}v{high}h-{wide}z",
                number(x + 0.3),
                number(-side / 2.0),
            ));
            start = x + width;
        } else {
            run.push(character);
        }
        x += width;
    }
    shapes.push(piece(start, 0.0, text.size, &run));
    shapes.push(Shape::Path {
        d: boxes,
        paint: Paint::Line,
        opacity: 1.0,
    });
    shapes
}
