//! Text in aligned columns.

use unicode_width::UnicodeWidthStr;

/// Lines of cells in columns two apart. The first `left` columns are aligned left, the others
/// right. Widths are those of a terminal, and no line ends in blanks.
pub fn aligned(rows: &[Vec<String>], left: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(|(column, (cell, width))| {
                let padding = " ".repeat(width - cell.width());
                match column < left {
                    true => format!("{cell}{padding}"),
                    false => format!("{padding}{cell}"),
                }
            })
            .collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// The lines of a text moved to the right by some columns; empty ones stay empty.
pub fn indented(text: &str, columns: usize) -> String {
    let margin = " ".repeat(columns);
    text.lines()
        .map(|line| format!("{}\n", format!("{margin}{line}").trim_end()))
        .collect()
}

/// Adds a title and its lines below, moved to the right; nothing if there are no lines.
pub fn section(text: &mut String, title: &str, lines: &[String]) {
    if !lines.is_empty() {
        text.push_str(&format!("{title}\n{}", indented(&lines.join("\n"), 10)));
    }
}
