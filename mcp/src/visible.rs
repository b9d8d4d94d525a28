//! Texts of servers for a terminal.

/// Returns a text in which every character that controls a terminal is visible. Its lines stay.
pub(crate) fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            '\n' => visible.push(c),
            '\t' => visible.push(' '),
            c if c.is_control() => visible.extend(c.escape_debug()),
            c => visible.push(c),
        }
    }
    visible
}

/// Returns the first characters of a text, on one line.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let beginning: String = text.chars().take(max).collect();
    visible(&beginning).replace('\n', " ")
}
