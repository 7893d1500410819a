//! The forms of a picture, and a drawing in each of them.

use super::{Drawing, Theme, dot, mermaid, svg, text};
use crate::base::{Code, Diagnostic, Fallible, visible};
use std::path::Path;

/// The form of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lines for a terminal.
    Text,
    /// For browsers and papers.
    Svg,
    /// Pixels.
    Png,
    /// One page.
    Pdf,
    /// A page that runs a model; see [`super::page`].
    Html,
    /// For Graphviz.
    Dot,
    /// For Mermaid.
    Mermaid,
    /// What is drawn, as data.
    Json,
}

impl Form {
    /// All of them with their names, the endings of their files, and what they are for.
    pub const ALL: [(Form, &str, &[&str], &str); 8] = [
        (Form::Text, "text", &["txt"], "For the terminal"),
        (Form::Svg, "svg", &["svg"], "For browsers and papers"),
        (Form::Png, "png", &["png"], "Pixels"),
        (Form::Pdf, "pdf", &["pdf"], "One page"),
        (
            Form::Html,
            "html",
            &["html", "htm"],
            "A page that runs the model, step by step",
        ),
        (Form::Dot, "dot", &["dot", "gv"], "For Graphviz"),
        (Form::Mermaid, "mermaid", &["mmd", "mermaid"], "For Mermaid"),
        (Form::Json, "json", &["json"], "What is drawn, as data"),
    ];

    /// The form that a file's ending says, if it says one.
    pub fn of_ending(path: &Path) -> Option<Form> {
        let ending = path.extension()?.to_str()?;
        let mut all = Form::ALL.iter();
        let found = all.find(|(_, _, endings, _)| endings.contains(&ending));
        found.map(|(form, ..)| *form)
    }

    /// The form that a file's ending says.
    ///
    /// # Errors
    /// An ending that says none (E0405).
    pub fn of(path: &Path) -> Fallible<Form> {
        Form::of_ending(path).ok_or_else(|| {
            let shown = visible::path(path);
            let message = format!("the ending of {shown} does not say what picture it is to be");
            let error = Diagnostic::error(Code::BadRequest, message);
            Box::new(error.help("say it with `--as svg`, or end the name with `.svg`"))
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let mut all = Form::ALL.iter();
        all.find(|(form, ..)| *form == self)
            .map_or("", |(_, name, ..)| name)
    }

    /// Whether it is for people only where it is a file.
    pub fn is_bytes(self) -> bool {
        matches!(self, Form::Png | Form::Pdf)
    }
}

/// How a drawing looks where its form leaves it open.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The colours of pictures.
    pub theme: Theme,
    /// Columns of text.
    pub width: usize,
    /// Whether text has colours.
    pub color: bool,
}

/// A drawing in a form.
///
/// # Errors
/// A page, which needs a model (E0405); a picture that is too large (E0801), or that this build
/// does not make.
pub fn bytes(drawing: &Drawing, form: Form, look: Look) -> Fallible<Vec<u8>> {
    Ok(match form {
        Form::Text => text(drawing, look.width, look.color).into_bytes(),
        Form::Svg => svg(drawing, look.theme).into_bytes(),
        Form::Png => pictures::png(drawing, look.theme)?,
        Form::Pdf => pictures::pdf(drawing, look.theme)?,
        Form::Html => {
            let error = Diagnostic::error(Code::BadRequest, "a page shows a model of one s-op");
            return Err(error.help("give an s-op, or draw it as `svg`").into());
        }
        Form::Dot => dot(drawing).into_bytes(),
        Form::Mermaid => mermaid(drawing).into_bytes(),
        Form::Json => drawing.to_json().into_bytes(),
    })
}

#[cfg(feature = "pictures")]
use super::picture as pictures;

#[cfg(not(feature = "pictures"))]
mod pictures {
    use super::super::{Drawing, Theme};
    use crate::base::{Code, Diagnostic, Fallible};

    pub fn png(_: &Drawing, _: Theme) -> Fallible<Vec<u8>> {
        let message = "this `rasp` was built without the feature `pictures`";
        let error = Diagnostic::error(Code::BadRequest, message);
        Err(error
            .help("write an SVG, which any browser prints as PDF")
            .into())
    }

    pub fn pdf(drawing: &Drawing, theme: Theme) -> Fallible<Vec<u8>> {
        png(drawing, theme)
    }
}
