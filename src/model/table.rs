//! Text in aligned columns, and values and labels as cells.

use crate::value::Value;
use unicode_width::UnicodeWidthStr;

/// Columns of a cell before it is cut.
const WIDEST: usize = 60;

/// Lines of cells, each line indented by two and columns two apart. The first `left` columns are
/// aligned left, the others right.
pub(crate) fn aligned(rows: &[Vec<String>], left: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.width());
            line.push_str("  ");
            if column < left {
                line.extend([cell.as_str(), &padding]);
            } else {
                line.extend([&padding, cell.as_str()]);
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

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
