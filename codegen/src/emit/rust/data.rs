//! Data as Rust text. It is most of what is emitted, and nobody reads it: no tokens, no layout, a line for each part.

/// A static text, where `Borrowed` is in scope.
pub(super) fn borrowed(text: &str) -> String {
    format!("Borrowed({text:?})")
}

/// A constant of a tool's module of data.
pub(super) fn list(name: &str, of: &str, parts: &[String]) -> String {
    let mut text = format!("        const {name}: &[{of}] = &[");
    for part in parts {
        text += "\n            ";
        text += part;
        text.push(',');
    }
    if !parts.is_empty() {
        text += "\n        ";
    }
    text + "];\n"
}
