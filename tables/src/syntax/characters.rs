//! Characters that look like those of TOML, or are invisible.

use toolc::text::is_invisible;

/// Quotation marks of word processors and other scripts.
const QUOTES: &str = "“”„‟‘’‚‛«»‹›″′＂＇`´「」『』";

/// Dashes that look like the minus sign.
const DASHES: &str = "−–—‒―‐‑－﹣";

/// Other characters, and what they look like.
const LOOKALIKES: [(char, char); 16] = [
    ('＝', '='),
    ('，', ','),
    ('、', ','),
    ('．', '.'),
    ('：', ':'),
    ('；', ';'),
    ('［', '['),
    ('］', ']'),
    ('｛', '{'),
    ('｝', '}'),
    ('＃', '#'),
    ('＿', '_'),
    ('（', '('),
    ('）', ')'),
    ('＋', '+'),
    ('⁄', '/'),
];

pub(super) fn is_quote(letter: char) -> bool {
    QUOTES.contains(letter)
}

pub(super) fn is_dash(letter: char) -> bool {
    DASHES.contains(letter)
}

/// Returns the ASCII character that a character looks like.
pub(super) fn lookalike(letter: char) -> Option<char> {
    let full_width_digit =
        || ('０'..='９').contains(&letter).then(|| char::from_u32(u32::from(letter) - 0xFEE0)).flatten();
    LOOKALIKES.iter().find(|(other, _)| *other == letter).map(|(_, plain)| *plain).or_else(full_width_digit)
}

/// Returns whether a character is white space, or invisible, and not white space in TOML.
pub(super) fn is_foreign_space(letter: char) -> bool {
    (letter.is_whitespace() && !matches!(letter, ' ' | '\t' | '\n')) || !letter.is_control() && is_invisible(letter)
}

/// Returns whether TOML refuses the character everywhere.
pub(super) fn is_control(letter: char) -> bool {
    letter.is_ascii_control() && !matches!(letter, '\t' | '\n')
}

/// Describes a character: itself in backticks, and its code point if it is not ASCII or not visible.
pub(super) fn shown(letter: char) -> String {
    match letter {
        '`' => "a backtick".to_owned(),
        ' '..='~' => format!("`{letter}`"),
        _ if letter.is_control() || is_foreign_space(letter) => name(letter),
        _ => format!("`{letter}` (U+{:04X})", u32::from(letter)),
    }
}

/// Names a character that cannot be shown: `U+200B (zero width space)`.
pub(super) fn name(letter: char) -> String {
    let name = match letter {
        '\0' => "null",
        '\u{7}' => "bell",
        '\u{8}' => "backspace",
        '\t' => "tab",
        '\n' => "line feed",
        '\u{b}' => "vertical tab",
        '\u{c}' => "form feed",
        '\r' => "carriage return",
        '\u{1b}' => "escape",
        '\u{7f}' => "delete",
        '\u{a0}' => "no-break space",
        '\u{ad}' => "soft hyphen",
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{202f}' => "narrow no-break space",
        '\u{2060}' => "word joiner",
        '\u{3000}' => "ideographic space",
        '\u{feff}' => "byte order mark",
        _ if letter.is_control() => "control character",
        _ if letter.is_whitespace() => "space",
        _ => "invisible character",
    };
    format!("U+{:04X} ({name})", u32::from(letter))
}
