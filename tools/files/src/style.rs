//! How the text of a file is stored: its encoding, its byte order mark and its line endings, which a new content keeps.

use std::borrow::Cow;

/// The maximum number of bytes of a file that are examined.
pub(super) const EXAMINED: usize = 4 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The line endings of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Endings {
    Lf,
    CrLf,
    /// Carriage returns without line feeds, as files of old systems have them.
    Cr,
}

/// How a text is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    has_mark: bool,
    /// The endings of most lines.
    endings: Endings,
    /// Whether other lines end differently.
    is_mixed: bool,
}

impl Style {
    /// Returns the style of a file, or why a text cannot replace its content. `bytes` is at most [`EXAMINED`] bytes of its beginning.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, &'static str> {
        let valid = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // The limit may cut a character.
            Err(error) if bytes.len() == EXAMINED && error.error_len().is_none() => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(_) => return Err("is not valid UTF-8"),
        };
        // ISO-2022-JP and its relatives select their character sets by escape sequences.
        if ["\u{1b}$B", "\u{1b}$@", "\u{1b}$)", "\u{1b}(J"].iter().any(|escape| valid.contains(escape)) {
            return Err("has an encoding with escape sequences, such as ISO-2022-JP");
        }
        let crlf = valid.matches("\r\n").count();
        let lf = valid.matches('\n').count() - crlf;
        let cr = valid.matches('\r').count() - crlf;
        let endings = match (crlf, lf) {
            (0, 0) if cr > 0 => Endings::Cr,
            _ if crlf > lf => Endings::CrLf,
            _ => Endings::Lf,
        };
        Ok(Self { has_mark: bytes.starts_with(BOM), endings, is_mixed: crlf > 0 && lf > 0 })
    }

    /// Returns a content in this style, and what was changed. A content with a carriage return has its own endings.
    pub(super) fn apply(self, content: &str) -> (Cow<'_, str>, Vec<String>) {
        let mut notes = Vec::new();
        let mut text = Cow::Borrowed(content);
        if content.contains('\n') && !content.contains('\r') && self.endings != Endings::Lf {
            let (ending, name) = if self.endings == Endings::CrLf { ("\r\n", "CRLF") } else { ("\r", "CR") };
            text = Cow::Owned(content.replace('\n', ending));
            notes.push(if self.is_mixed {
                format!("lines end in {name} now, like most lines of the old file; some of its lines ended in LF")
            } else {
                format!("lines end in {name}, as before")
            });
        } else if content.contains("\r\n") && self.endings == Endings::Lf && !self.is_mixed {
            notes.push("lines end in CRLF now, as in the content; before, they ended in LF".to_owned());
        } else if self.is_mixed && content.contains('\n') && !content.contains('\r') {
            notes.push("lines end in LF now; some lines of the old file ended in CRLF".to_owned());
        }
        if self.has_mark && !content.is_empty() && !content.starts_with('\u{feff}') {
            text = Cow::Owned(format!("\u{feff}{text}"));
            notes.push("the file begins with a byte order mark, as before".to_owned());
        }
        (text, notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_gets_the_mark_and_the_endings_of_the_old_file() {
        for (old, content, new, notes) in [
            ("a\n", "b\n", "b\n", 0),
            ("", "b\n", "b\n", 0),
            ("a", "b\nc", "b\nc", 0),
            ("a\r\n", "b\nc\n", "b\r\nc\r\n", 1),
            ("a\r\nb", "c\n\nd", "c\r\n\r\nd", 1),
            ("a\r\n", "b\r\nc\r\n", "b\r\nc\r\n", 0),
            ("a\r\n", "b", "b", 0),
            ("a\r\n", "", "", 0),
            ("a\n", "b\r\n", "b\r\n", 1),
            ("a\r\nb\r\nc\n", "x\ny\n", "x\r\ny\r\n", 1),
            ("a\r\nb\nc\n", "x\ny\n", "x\ny\n", 1),
            ("a\rb\r", "x\ny\n", "x\ry\r", 1),
            ("a\rb\n", "x\n", "x\n", 0),
            ("\u{feff}a\n", "b\n", "\u{feff}b\n", 1),
            ("\u{feff}a\n", "\u{feff}b\n", "\u{feff}b\n", 0),
            ("\u{feff}a\r\n", "b\n", "\u{feff}b\r\n", 2),
            ("\u{feff}a\n", "", "", 0),
            ("\u{feff}", "b", "\u{feff}b", 1),
        ] {
            let style = Style::from_bytes(old.as_bytes()).unwrap();
            let (text, said) = style.apply(content);
            assert_eq!((&*text, said.len()), (new, notes), "{old:?} {content:?} {said:?}");
        }
    }

    #[test]
    fn a_file_in_another_encoding_has_no_style() {
        for (name, bytes) in [
            ("Latin-1", &b"name = \"caf\xe9\"\n"[..]),
            ("CP1251", b"# \xef\xf0\xe8\xe2\xe5\xf2\n"),
            ("Shift-JIS", b"# \x93\xfa\x96\x7b\n"),
            ("EUC-JP", b"# \xc6\xfc\xcb\xdc\n"),
            ("GBK", b"# \xc4\xe3\xba\xc3\n"),
            ("Big5", b"# \xa7\x41\xa6\x6e\n"),
            ("EUC-KR", b"# \xc7\xd1\xb1\xdb\n"),
            ("Windows-1252", b"\x93quoted\x94\n"),
            ("ISO-2022-JP", b"\x1b$BF|K\\\x1b(B\n"),
            ("ISO-2022-KR", b"\x1b$)C\x0eGQ1[\x0f\n"),
            ("UTF-16", b"\xff\xfea\0\n\0"),
            ("CESU-8", b"\xed\xa0\xbd\xed\xb8\x80\n"),
            ("a cut character", b"caf\xc3"),
        ] {
            assert!(Style::from_bytes(bytes).is_err(), "{name}");
        }
        assert!(Style::from_bytes("日本語 \u{1b}[31m\n".as_bytes()).is_ok());
        let long = "é".repeat(EXAMINED);
        assert!(Style::from_bytes(&long.as_bytes()[..EXAMINED]).is_ok());
        let odd = format!("x{long}");
        assert!(Style::from_bytes(&odd.as_bytes()[..EXAMINED]).is_ok(), "the limit cuts a character");
    }
}
