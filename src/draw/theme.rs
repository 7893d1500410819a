//! Colours, as the field uses them: queries green, keys blue, values pink, results black, feed-forwards
//! orange. Those of any two roles are told apart by people who are colour-blind, too; a test measures
//! them as these see them (Machado, Oliveira and Fernandes 2009).

use super::drawing::Role;
use super::scene::Paint;

/// Light, dark, or as the viewer likes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Light unless the viewer prefers dark; where nothing can be asked, light.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

const PAINTS: &[Paint] = &[
    Paint::Ink,
    Paint::Dim,
    Paint::Panel,
    Paint::Empty,
    Paint::Line,
    Paint::Stream,
    Paint::On,
    Paint::Plus,
    Paint::Minus,
];

impl Paint {
    /// The class of what is painted so.
    pub fn class(self) -> String {
        let role = |letter: char, role: Role| format!("{letter}-{}", short(role));
        match self {
            Paint::Ink => "ink".to_string(),
            Paint::Dim => "dim".to_string(),
            Paint::Panel => "panel".to_string(),
            Paint::Empty => "empty".to_string(),
            Paint::Line => "line".to_string(),
            Paint::Stream => "stream".to_string(),
            Paint::On => "on".to_string(),
            Paint::Plus => "plus".to_string(),
            Paint::Minus => "minus".to_string(),
            Paint::Tint(of) => role('t', of),
            Paint::Text(of) => role('x', of),
            Paint::Edge(of) => role('e', of),
            Paint::Arrow(of) => role('a', of),
        }
    }

    fn style(self, dark: bool) -> String {
        let pick = |light: &str, night: &str| if dark { night } else { light }.to_string();
        let fill = |light, night| format!("fill:{}", pick(light, night));
        let stroke =
            |color: String, width: &str| format!("fill:none;stroke:{color};stroke-width:{width}");
        match self {
            Paint::Ink => fill("#1b1f24", "#e6edf3"),
            Paint::Dim => fill("#57606a", "#9aa4af"),
            Paint::Panel => {
                let frame = pick("#d0d7de", "#30363d");
                format!(
                    "{};stroke:{frame};stroke-width:1",
                    fill("#fafbfc", "#161b22")
                )
            }
            Paint::Empty => fill("#ffffff", "#0d1117"),
            Paint::Line => stroke(pick("#d8dee4", "#30363d"), "0.6"),
            Paint::Stream => stroke(pick("#8c959f", "#6e7781"), "2"),
            Paint::On => fill("#334155", "#c9d4e0"),
            Paint::Plus => fill("#d55e00", "#ff8c42"),
            Paint::Minus => fill("#0072b2", "#58a6e6"),
            Paint::Tint(role) => format!("fill:{}", tint(role, dark)),
            Paint::Text(Role::Result) => fill("#ffffff", "#0d1117"),
            Paint::Text(_) => fill("#1b1f24", "#f0f6fc"),
            Paint::Edge(role) => format!("fill:{}", strong(role, dark)),
            Paint::Arrow(role) => stroke(strong(role, dark).to_string(), "1.6"),
        }
    }
}

fn short(role: Role) -> &'static str {
    match role {
        Role::Token => "token",
        Role::Query => "query",
        Role::Key => "key",
        Role::Value => "value",
        Role::Result => "result",
        Role::FeedForward => "ff",
        Role::Selector => "sel",
    }
}

/// The colour of a role.
pub fn strong(role: Role, dark: bool) -> &'static str {
    match (role, dark) {
        (Role::Token, false) => "#6c6c6c",
        (Role::Token, true) => "#6d6d6d",
        (Role::Query, false) => "#07ad68",
        (Role::Query, true) => "#00a663",
        (Role::Key, false) => "#087ee0",
        (Role::Key, true) => "#84adf8",
        (Role::Value, false) => "#d478be",
        (Role::Value, true) => "#ff78b3",
        (Role::Result, false) => "#000000",
        (Role::Result, true) => "#ffffff",
        (Role::FeedForward, false) => "#ef9007",
        (Role::FeedForward, true) => "#f9b14e",
        (Role::Selector, false) => "#283d57",
        (Role::Selector, true) => "#bfd6fa",
    }
}

/// The background of cells of a role.
pub fn tint(role: Role, dark: bool) -> &'static str {
    match (role, dark) {
        (Role::Token, false) => "#f3f4f5",
        (Role::Token, true) => "#242628",
        (Role::Query, false) => "#b3dbc4",
        (Role::Query, true) => "#116c41",
        (Role::Key, false) => "#a6c8fd",
        (Role::Key, true) => "#2f5081",
        (Role::Value, false) => "#f8c4e9",
        (Role::Value, true) => "#7a2952",
        (Role::Result, false) => "#24292f",
        (Role::Result, true) => "#e6edf3",
        (Role::FeedForward, false) => "#fae5b5",
        (Role::FeedForward, true) => "#755900",
        (Role::Selector, false) => "#b0b5bb",
        (Role::Selector, true) => "#5b6a80",
    }
}

/// The page: red, green and blue.
pub fn page(dark: bool) -> [u8; 3] {
    match dark {
        false => [0xff, 0xff, 0xff],
        true => [0x0d, 0x11, 0x17],
    }
}

impl Theme {
    /// The rules of a style sheet for all paints.
    pub fn css(self) -> String {
        match self {
            Theme::Light => rules(false),
            Theme::Dark => rules(true),
            Theme::Auto => {
                let dark = rules(true);
                format!(
                    "{}@media (prefers-color-scheme:dark){{\n{dark}}}\n",
                    rules(false)
                )
            }
        }
    }
}

fn rules(dark: bool) -> String {
    let [red, green, blue] = page(dark);
    let mut css = format!(".page{{fill:#{red:02x}{green:02x}{blue:02x}}}\n");
    let roles = Role::ALL.into_iter();
    let of_roles = roles.flat_map(|role| {
        [
            Paint::Tint(role),
            Paint::Text(role),
            Paint::Edge(role),
            Paint::Arrow(role),
        ]
    });
    for paint in PAINTS.iter().copied().chain(of_roles) {
        css.push_str(&format!(".{}{{{}}}\n", paint.class(), paint.style(dark)));
    }
    css
}
