//! PNG and PDF of a drawing, through its SVG. Texts are set in the one font of pictures, which the
//! program carries: nothing of the machine is looked at. What it lacks is a box with its code point.

use super::drawing::Drawing;
use super::places::lay_out;
use super::svg::write;
use super::theme::{Theme, page};
use crate::base::{Code, Diagnostic, Fallible, parallel};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::io::Write;
use ttf_parser::Face;

/// DejaVu Sans Mono; see `font/LICENSE`.
const FONT: &[u8] = include_bytes!("font/DejaVuSansMono.ttf");

/// Pixels of a PNG for each of the drawing, where these are few enough.
const SCALE: f32 = 2.0;

/// Pixels of a PNG, at most.
const MOST_PIXELS: f32 = 24_000_000.0;

/// Rows that are drawn at once, so that a large picture is never whole in memory.
const BAND: u32 = 2_048;

/// Bands that are drawn at the same time.
const TOGETHER: usize = 4;

/// A drawing as a PNG file, two pixels for each of the drawing, fewer where it is very large.
///
/// # Errors
/// A drawing too large for a PNG (E0801).
pub fn png(drawing: &Drawing, theme: Theme) -> Fallible<Vec<u8>> {
    let tree = tree(drawing, theme)?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = SCALE.min((MOST_PIXELS / (width * height)).sqrt());
    if scale < 0.5 {
        let message = "the drawing is too large for a PNG";
        let error = Diagnostic::error(Code::LimitReached, message);
        let help = "write an SVG or a PDF, which have no pixels";
        return Err(error.help(help).into());
    }
    let pixels = |length: f32| (length * scale).ceil() as u32;
    let size = (pixels(width), pixels(height));
    let mut bytes = Vec::new();
    write_png(&mut bytes, (&tree, theme), scale, size)?;
    Ok(bytes)
}

fn write_png(
    bytes: &mut Vec<u8>,
    (tree, theme): (&Tree, Theme),
    scale: f32,
    (width, height): (u32, u32),
) -> Fallible<()> {
    // The last pixels are on the page in part.
    let [red, green, blue] = page(theme == Theme::Dark);
    let page = Color::from_rgba8(red, green, blue, u8::MAX);
    let mut encoder = png::Encoder::new(bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Grids repeat from row to row.
    encoder.set_filter(png::FilterType::Up);
    let mut writer = encoder.write_header().map_err(failed)?;
    let mut writer = writer.stream_writer().map_err(failed)?;
    let bands = height.div_ceil(BAND) as usize;
    for first in (0..bands).step_by(TOGETHER) {
        let count = TOGETHER.min(bands - first);
        let drawn = parallel::map(
            (count, 1),
            || (),
            |(), at| {
                let start = (first + at) as u32 * BAND;
                band(
                    (tree, page),
                    scale,
                    (width, BAND.min(height - start)),
                    start,
                )
            },
        );
        for band in drawn {
            let band = band.ok_or_else(|| failed("it has no pixels"))?;
            writer.write_all(&band).map_err(failed)?;
        }
    }
    writer.finish().map_err(failed)
}

/// Some rows of a PNG, without what is not seen: the page is opaque.
fn band(
    (tree, page): (&Tree, Color),
    scale: f32,
    (width, rows): (u32, u32),
    start: u32,
) -> Option<Vec<u8>> {
    let mut pixmap = Pixmap::new(width, rows)?;
    pixmap.fill(page);
    let place = Transform::from_scale(scale, scale).post_translate(0.0, -(start as f32));
    resvg::render(tree, place, &mut pixmap.as_mut());
    let mut seen = Vec::with_capacity(pixmap.data().len() / 4 * 3);
    for pixel in pixmap.data().chunks_exact(4) {
        seen.extend_from_slice(&pixel[..3]);
    }
    Some(seen)
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
        theme @ (Theme::Light | Theme::Dark) => theme,
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
