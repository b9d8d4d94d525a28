//! Detects files that are not UTF-8 text by their first bytes. The error names the format, if it is one that a model is likely to open by
//! mistake.

use std::fmt;

/// The number of bytes to examine.
pub(super) const SAMPLE: usize = 8 * 1024;

/// The format of a file that is not UTF-8 text. The text says what the file is, and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Binary data.
    Binary(&'static str),
    /// Text in another encoding.
    Text(&'static str),
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary(name) => write!(f, "not text but {name}; use a program that can read it"),
            Self::Text(name) => {
                write!(f, "not UTF-8 but {name}; convert it first, as with `iconv -f ENCODING -t UTF-8 FILE`")
            }
        }
    }
}

/// Returns the file's format, or `None` if the file is UTF-8 text. `sample` is the beginning of the file.
pub(super) fn other_format(sample: &[u8]) -> Option<Format> {
    if sample.starts_with(b"%PDF-") {
        return Some(Format::Binary("a PDF document"));
    }
    if sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff") {
        return Some(Format::Text("UTF-16"));
    }
    if !sample.contains(&0) && is_mostly_text(sample) {
        return None;
    }
    Some(match MAGIC.iter().find(|(magic, _)| sample.starts_with(magic)) {
        Some((_, name)) => Format::Binary(name),
        // Such as Windows-1251, Shift JIS or GBK.
        None if has_no_controls(sample) => Format::Text("probably text in another encoding"),
        None => Format::Binary("binary data"),
    })
}

/// Returns whether a sample has no control characters but those of texts. Compressed data has them.
fn has_no_controls(sample: &[u8]) -> bool {
    !sample.iter().any(|byte| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | b'\x0c' | b'\x1b'))
}

/// The first bytes of binary formats, and their names.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a RIFF file (WebP, WAV or AVI)"),
    (b"PK\x03\x04", "a ZIP archive, or a format made of one (docx, xlsx, jar, whl)"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\xfd7zXZ\0", "xz-compressed data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard-compressed data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"\x7fELF", "an ELF program or library"),
    (b"MZ", "a Windows program or library"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program or library"),
    (b"\xca\xfe\xba\xbe", "a Java class or a universal Mach-O program"),
    (b"\0asm", "a WebAssembly module"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"ID3", "an MP3 recording"),
    (b"OggS", "an Ogg recording"),
    (b"wOF", "a web font"),
];

/// Returns whether at most a tenth of the bytes are invalid UTF-8, which accepts prose in Latin-1, but not compressed data.
fn is_mostly_text(sample: &[u8]) -> bool {
    let invalid: usize = sample.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    invalid <= sample.len() / 10 + 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_8_text_has_no_other_format() {
        for text in
            ["", "plain", "Grüße, 日本語, \u{1f600}", "\u{feff}with a mark", "MZ is not magic in text", "\u{1b}[1m"]
        {
            assert_eq!(other_format(text.as_bytes()), None, "{text}");
        }
        assert_eq!(other_format("naïve café".chars().map(|c| c as u8).collect::<Vec<_>>().as_slice()), None, "Latin-1");
        let long = "日".repeat(SAMPLE);
        assert_eq!(other_format(&long.as_bytes()[..SAMPLE]), None, "cut within a character");
    }

    #[test]
    fn other_formats_are_named() {
        assert_eq!(other_format(b"\x89PNG\r\n\x1a\n\0\0"), Some(Format::Binary("a PNG image")));
        assert_eq!(other_format(b"%PDF-1.7\nascii so far"), Some(Format::Binary("a PDF document")));
        assert_eq!(other_format(b"\xff\xfeh\0i\0"), Some(Format::Text("UTF-16")));
        assert_eq!(other_format(b"a\0b"), Some(Format::Binary("binary data")));
        let (cyrillic, japanese) =
            (b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0\r\n", b"\x82\xb1\x82\xea\x82\xcd\x83e\x83L\x83X\x83g\n");
        assert_eq!(other_format(cyrillic), Some(Format::Text("probably text in another encoding")));
        assert_eq!(other_format(japanese), Some(Format::Text("probably text in another encoding")));
        let noise: Vec<u8> = (0..1000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8 | 1).collect();
        assert_eq!(other_format(&noise), Some(Format::Binary("binary data")));
    }
}
