//! Values and labels as cells of a table.

use crate::value::Value;
use unicode_width::UnicodeWidthStr;

/// Columns of a cell before it is cut.
const WIDEST: usize = 60;

/// A label as a cell: on one line, without control characters, and cut if long.
pub(crate) fn label(text: &str) -> String {
    let mut cell = String::new();
    for character in text.chars() {
        if character.is_control() {
            cell.extend(character.escape_default());
        } else {
            cell.push(character);
        }
        if cell.width() > WIDEST {
            while cell.width() >= WIDEST {
                cell.pop();
            }
            cell.push('…');
            break;
        }
    }
    cell
}

/// A value as a cell: a string without quotes where nothing else reads the same.
pub(crate) fn value(value: &Value) -> String {
    let plain = match value {
        Value::Str(text) => {
            let visible = |c: char| !c.is_whitespace() && !c.is_control() && c != '"';
            let constant = ["True", "False", "BOS"].contains(&&**text);
            let number = text.parse::<f64>().is_ok();
            !text.is_empty() && text.chars().all(visible) && !constant && !number
        }
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => false,
    };
    label(&if plain {
        value.to_string()
    } else {
        value.source()
    })
}
