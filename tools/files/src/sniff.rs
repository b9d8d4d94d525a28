//! Detects binary files by their first bytes. The error names the format, if it is one that a model is likely to open by mistake.

/// The number of bytes to examine.
pub(super) const SAMPLE: usize = 8 * 1024;

/// Returns the name of the file's format, or `None` if the file is text. `sample` is the beginning of the file.
pub(super) fn binary_format(sample: &[u8]) -> Option<&'static str> {
    if sample.starts_with(b"%PDF-") {
        return Some("a PDF document");
    }
    if sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff") {
        return Some("UTF-16 text, which must be converted to UTF-8 first");
    }
    if !sample.contains(&0) && is_mostly_text(sample) {
        return None;
    }
    let (_, name) = MAGIC.iter().find(|(magic, _)| sample.starts_with(magic)).unwrap_or(&(b"", "binary data"));
    Some(name)
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
    fn text_has_no_binary_format() {
        for text in
            ["", "plain", "Grüße, 日本語, \u{1f600}", "\u{feff}with a mark", "MZ is not magic in text", "\u{1b}[1m"]
        {
            assert_eq!(binary_format(text.as_bytes()), None, "{text}");
        }
        assert_eq!(
            binary_format("naïve café".chars().map(|c| c as u8).collect::<Vec<_>>().as_slice()),
            None,
            "Latin-1"
        );
        let long = "日".repeat(SAMPLE);
        assert_eq!(binary_format(&long.as_bytes()[..SAMPLE]), None, "cut within a character");
    }

    #[test]
    fn binary_formats_are_named() {
        assert_eq!(binary_format(b"\x89PNG\r\n\x1a\n\0\0"), Some("a PNG image"));
        assert_eq!(binary_format(b"%PDF-1.7\nascii so far"), Some("a PDF document"));
        assert_eq!(binary_format(b"\xff\xfeh\0i\0"), Some("UTF-16 text, which must be converted to UTF-8 first"));
        assert_eq!(binary_format(b"a\0b"), Some("binary data"));
        let noise: Vec<u8> = (0..1000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8 | 1).collect();
        assert_eq!(binary_format(&noise), Some("binary data"));
    }
}
