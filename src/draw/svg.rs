//! SVG of a scene. Every text says how wide it is, so that a viewer with other fonts fits it into the
//! same place; what comes from programs and inputs is escaped.

use super::Theme;
use super::drawing::Drawing;
use super::missing::{self, Covers};
use super::places::lay_out;
use super::scene::{Anchor, Paint, Scene, Shape, Text};
use std::fmt::Write;

/// The font of pictures, and what is like it.
pub const FONTS: &str = "'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace";

/// A drawing as one SVG file.
pub fn svg(drawing: &Drawing, theme: Theme) -> String {
    // A viewer has fonts of its own for what ours lacks.
    write(&lay_out(drawing), theme, &|_| true)
}

/// A scene as one SVG file, set in a font that covers some characters only.
pub fn write(scene: &Scene, theme: Theme, covers: Covers) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title description\">\n\
         <title id=\"title\">{}</title>\n<desc id=\"description\">{}</desc>\n\
         <style>\ntext{{font-family:{FONTS};white-space:pre}}\n{}</style>\n\
         <rect class=\"page\" width=\"{width}\" height=\"{height}\"/>\n",
        escaped(&scene.title),
        escaped(&scene.description),
        theme.css()
    );
    shapes(&mut svg, &scene.shapes, covers);
    svg.push_str("</svg>\n");
    svg
}

// Writing to a string does not fail.
fn shapes(svg: &mut String, all: &[Shape], covers: Covers) {
    for shape in all {
        match shape {
            Shape::Group {
                x,
                y,
                shapes: inner,
            } => {
                let _ = writeln!(
                    svg,
                    "<g transform=\"translate({} {})\">",
                    number(*x),
                    number(*y)
                );
                shapes(svg, inner, covers);
                svg.push_str("</g>\n");
            }
            Shape::Rect { area, round, paint } => {
                let _ = write!(
                    svg,
                    "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
                    paint.class(),
                    number(area.x),
                    number(area.y),
                    number(area.width),
                    number(area.height)
                );
                if *round > 0.0 {
                    let _ = write!(svg, " rx=\"{}\"", number(*round));
                }
                svg.push_str("/>\n");
            }
            Shape::Path { d, paint, opacity } => {
                let _ = write!(svg, "<path class=\"{}\" d=\"{d}\"", paint.class());
                end(svg, *paint, *opacity);
            }
            Shape::Text(found) if missing::is_in(&found.text, covers) => {
                let start = match found.anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => -found.width() / 2.0,
                };
                let turn = if found.turned { "rotate(-90)" } else { "" };
                let (x, y, start) = (number(found.x), number(found.y), number(start));
                let _ = writeln!(
                    svg,
                    "<g transform=\"translate({x} {y}){turn}translate({start})\">"
                );
                shapes(svg, &missing::pieces(found, covers), &|_| true);
                svg.push_str("</g>\n");
            }
            Shape::Text(found) => text(svg, found),
        }
    }
}

/// Ends a shape. What is filled or drawn alone needs no layer of its own, as its opacity would.
fn end(svg: &mut String, paint: Paint, opacity: f64) {
    if opacity < 1.0 {
        let what = if paint.is_line() { "stroke" } else { "fill" };
        let _ = write!(svg, " {what}-opacity=\"{}\"", number(opacity));
    }
    svg.push_str("/>\n");
}

fn text(svg: &mut String, text: &Text) {
    if text.text.is_empty() {
        return;
    }
    let _ = write!(svg, "<text class=\"{}\"", text.paint.class());
    // The middle of capital letters is 0.365 above the line.
    let drop = 0.365 * text.size;
    match text.turned {
        false => {
            let _ = write!(
                svg,
                " x=\"{}\" y=\"{}\"",
                number(text.x),
                number(text.y + drop)
            );
        }
        true => {
            let (x, y) = (number(text.x + drop), number(text.y));
            let _ = write!(svg, " transform=\"translate({x} {y})rotate(-90)\"");
        }
    }
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
    };
    let faded = if text.faded {
        " fill-opacity=\"0.3\""
    } else {
        ""
    };
    let (size, width) = (number(text.size), number(text.width()));
    let _ = write!(
        svg,
        "{anchor}{faded} font-size=\"{size}\" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\">"
    );
    svg.push_str(&escaped(&text.text));
    if let Some(full) = &text.full {
        let _ = write!(svg, "<title>{}</title>", escaped(full));
    }
    svg.push_str("</text>\n");
}

/// A number with two digits at most.
pub fn number(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_string()
}

/// A text between tags or quotes. What XML cannot hold is shown by another character.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            character if crate::base::visible::is_unseen(character) => safe.push('\u{fffd}'),
            character => safe.push(character),
        }
    }
    safe
}
