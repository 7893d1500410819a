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

/// The same for columns of which the first is aligned left, in blocks of at most so many columns of
/// the terminal; each block repeats the first column.
pub fn in_blocks(rows: &[Vec<String>], width: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let wide = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let head = wide(0);
    let (mut text, mut start) = (String::new(), 1);
    loop {
        let (mut end, mut taken) = (start, head);
        while end < columns && (end == start || taken + 2 + wide(end) <= width) {
            taken += 2 + wide(end);
            end += 1;
        }
        let block = |row: &Vec<String>| {
            let cells = row.get(start..end.min(row.len())).unwrap_or_default();
            row.first().into_iter().chain(cells).cloned().collect()
        };
        text.push_str(&aligned(&rows.iter().map(block).collect::<Vec<_>>(), 1));
        start = end;
        if start >= columns {
            return text;
        }
    }
}

/// The lines of a text moved to the right by some columns; empty ones stay empty.
pub fn indented(text: &str, columns: usize) -> String {
    let margin = " ".repeat(columns);
    text.lines()
        .map(|line| format!("{}\n", format!("{margin}{line}").trim_end()))
        .collect()
}

/// Lines of a text up to which nothing is folded.
const LONG: usize = 100;

/// Lines that are alike and follow each other, before they are folded, and how many of them stay.
const ALIKE: usize = 4;
const STAY: usize = 2;

/// Lines of one block that stay, where it has twice as many.
const BLOCK: usize = 12;

/// A long text in which of lines that differ in numbers and strings only the first stay, and of long
/// blocks the beginning; and how many lines are left out.
pub fn folded(text: &str) -> (String, usize) {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= LONG {
        return (text.to_string(), 0);
    }
    // Each line with how many it stands for, and how far it is moved to the right.
    let mut kept: Vec<(String, usize, usize)> = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let indent = lines[start].len() - lines[start].trim_start().len();
        let form = form(lines[start]);
        let alike = lines[start..]
            .iter()
            .take_while(|line| self::form(line) == form);
        let count = if form.is_empty() { 1 } else { alike.count() };
        let shown = if count < ALIKE { count } else { STAY };
        let stay = lines[start..start + shown].iter();
        kept.extend(stay.map(|line| ((*line).to_string(), 1, indent)));
        if shown < count {
            let more = count - shown;
            let told = format!("{}… and {more} lines like these", " ".repeat(indent));
            kept.push((told, more, indent));
        }
        start += count;
    }
    let mut short = String::new();
    for block in kept.chunk_by(|a, b| a.2 == b.2 && !a.0.is_empty() && !b.0.is_empty()) {
        let shown = if block.len() < 2 * BLOCK {
            block.len()
        } else {
            BLOCK
        };
        for (line, ..) in &block[..shown] {
            short.push_str(line);
            short.push('\n');
        }
        let more: usize = block[shown..].iter().map(|(_, count, _)| count).sum();
        if more > 0 {
            short.push_str(&format!("{}… and {more} more\n", " ".repeat(block[0].2)));
        }
    }
    let left_out = lines.len().saturating_sub(short.lines().count());
    (short, left_out)
}

/// A line without what stands in quotes, and without numbers and blanks: lines of one form are alike.
pub fn form(line: &str) -> String {
    let mut form = String::new();
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            _ if quoted || character.is_whitespace() || character == '.' => {}
            '0'..='9' if form.ends_with('0') => {}
            '0'..='9' => form.push('0'),
            character => form.push(character),
        }
    }
    form
}

/// Adds a title and its lines below, moved to the right; nothing if there are no lines.
pub fn section(text: &mut String, title: &str, lines: &[String]) {
    if !lines.is_empty() {
        text.push_str(&format!("{title}\n{}", indented(&lines.join("\n"), 10)));
    }
}
