//! PNG and PDF of a drawing, through its SVG. Texts are set in the one font of pictures, which the
//! program carries: nothing of the machine is looked at. What it lacks is a box with its code point.

use super::drawing::Drawing;
use super::layout::lay_out;
use super::svg::write;
use super::theme::Theme;
use crate::base::{Code, Diagnostic, Fallible};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use ttf_parser::Face;

/// DejaVu Sans Mono; see `font/LICENSE`.
const FONT: &[u8] = include_bytes!("font/DejaVuSansMono.ttf");

/// Pixels of a PNG for each of the drawing, where these are few enough.
const SCALE: f32 = 2.0;

/// Pixels of a PNG, at most.
const MOST_PIXELS: f32 = 30_000_000.0;

/// A drawing as a PNG file, two pixels for each of the drawing, fewer where it is very large.
///
/// # Errors
/// A drawing too large for a PNG (E0801).
pub fn png(drawing: &Drawing, theme: Theme) -> Fallible<Vec<u8>> {
    let tree = tree(drawing, theme)?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = SCALE.min((MOST_PIXELS / (width * height)).sqrt());
    let too_large = || {
        let message = "the drawing is too large for a PNG";
        let error = Diagnostic::error(Code::LimitReached, message);
        Box::new(error.help("write an SVG or a PDF, which have no pixels"))
    };
    if scale < 0.5 {
        return Err(too_large());
    }
    let pixels = |length: f32| (length * scale).ceil() as u32;
    let mut pixmap = Pixmap::new(pixels(width), pixels(height)).ok_or_else(too_large)?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixmap.as_mut(),
    );
    pixmap.encode_png().map_err(failed)
}

/// A drawing as a PDF file of one page, the font embedded.
///
/// # Errors
/// The drawing cannot be converted (E0801).
pub fn pdf(drawing: &Drawing, theme: Theme) -> Fallible<Vec<u8>> {
    // The versions of the two libraries are such that the tree of one is that of the other.
    let tree = tree(drawing, theme)?;
    let conversion = svg2pdf::ConversionOptions::default();
    svg2pdf::to_pdf(&tree, conversion, svg2pdf::PageOptions::default()).map_err(failed)
}

fn tree(drawing: &Drawing, theme: Theme) -> Fallible<Tree> {
    // A picture cannot ask its viewer.
    let theme = match theme {
        Theme::Auto => Theme::Light,
        theme => theme,
    };
    let mut options = Options {
        font_family: "DejaVu Sans Mono".to_string(),
        ..Options::default()
    };
    options.fontdb_mut().load_font_data(FONT.to_vec());
    let font = Face::parse(FONT, 0).map_err(failed)?;
    let covers = |character| font.glyph_index(character).is_some();
    let svg = write(&lay_out(drawing), theme, &covers);
    Tree::from_str(&svg, &options).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> Box<Diagnostic> {
    let message = format!("the drawing could not be converted: {error}");
    Box::new(Diagnostic::error(Code::LimitReached, message))
}
