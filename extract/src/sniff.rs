//! Finds out what a document is: from its header, and from its first bytes where the header says too little.

use crate::page::Document;

/// What a document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sniffed {
    Html,
    Xml,
    Json,
    Pdf,
    /// Values that are separated by this character.
    Separated(char),
    Text,
    /// What it is, for people.
    Binary(String),
}

impl Sniffed {
    pub(crate) fn is_html(&self) -> bool {
        *self == Self::Html
    }
}

/// The first bytes of files, and what the files are.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"BM6", "BMP image"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard archive"),
    (b"7z\xbc\xaf", "7-Zip archive"),
    (b"Rar!", "RAR archive"),
    (b"\xd0\xcf\x11\xe0", "Microsoft Office document of the old format"),
    (b"ID3", "MP3 sound"),
    (b"OggS", "Ogg sound or video"),
    (b"fLaC", "FLAC sound"),
    (b"\x1aE\xdf\xa3", "Matroska or WebM video"),
    (b"\x7fELF", "ELF program"),
    (b"\0asm", "WebAssembly module"),
    (b"SQLite format 3", "SQLite database"),
    (b"wOFF", "font"),
    (b"wOF2", "font"),
    (b"\0\x01\0\0", "font"),
];

/// Finds out what a document is.
pub(crate) fn kind(document: &Document<'_>) -> Sniffed {
    let bytes = document.bytes;
    let declared = document
        .content_type
        .and_then(|header| header.split(';').next())
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    // The bytes of these say what they are, whatever the server says.
    if bytes.trim_ascii_start().starts_with(b"%PDF-") {
        return Sniffed::Pdf;
    }
    if let Some(what) = binary(bytes) {
        return Sniffed::Binary(what);
    }
    match &*declared {
        "text/html" | "application/xhtml+xml" => Sniffed::Html,
        "application/pdf" => Sniffed::Pdf,
        "text/csv" => Sniffed::Separated(','),
        "text/tab-separated-values" => Sniffed::Separated('\t'),
        // Servers say so of what they do not know, and of pages as well.
        "" | "text/plain" | "application/octet-stream" | "binary/octet-stream" | "text/xml" | "application/xml" => {
            of_text(bytes, &declared).unwrap_or_else(|| by_name(document, &declared))
        }
        "application/json" | "text/json" => Sniffed::Json,
        declared if declared.ends_with("+json") => Sniffed::Json,
        declared if declared.ends_with("+xml") && declared != "image/svg+xml" => Sniffed::Xml,
        declared if is_text(declared) => Sniffed::Text,
        declared
            if declared.starts_with("image/") && declared != "image/svg+xml"
                || declared.starts_with("audio/")
                || declared.starts_with("video/")
                || declared.starts_with("font/") =>
        {
            Sniffed::Binary(format!("file of the type {declared}"))
        }
        _ if looks_like_text(bytes) => of_text(bytes, "").unwrap_or(Sniffed::Text),
        declared => Sniffed::Binary(format!("file of the type {}", declared.chars().take(80).collect::<String>())),
    }
}

fn is_text(declared: &str) -> bool {
    const TEXTS: &[&str] = &[
        "application/javascript",
        "application/x-javascript",
        "application/ecmascript",
        "application/typescript",
        "application/x-sh",
        "application/toml",
        "application/yaml",
        "application/x-yaml",
        "application/sql",
        "application/x-ndjson",
        "application/jsonl",
        "application/graphql",
        "application/x-httpd-php",
        "application/x-tex",
        "application/x-python",
        "message/rfc822",
        "image/svg+xml",
    ];
    declared.starts_with("text/") || TEXTS.contains(&declared)
}

fn binary(bytes: &[u8]) -> Option<String> {
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some((*what).to_owned());
    }
    if bytes.starts_with(b"RIFF") && bytes.len() > 12 {
        return Some(match &bytes[8..12] {
            b"WEBP" => "WebP image".to_owned(),
            b"WAVE" => "WAV sound".to_owned(),
            _ => "AVI video".to_owned(),
        });
    }
    if bytes.len() > 12 && &bytes[4..8] == b"ftyp" {
        return Some(
            if bytes[8..].starts_with(b"avif") || bytes[8..].starts_with(b"hei") {
                "AVIF or HEIC image"
            } else {
                "MP4 video"
            }
            .to_owned(),
        );
    }
    bytes.starts_with(b"PK\x03\x04").then(|| archive(bytes).to_owned())
}

/// What a ZIP archive contains, from the names in its first entries.
fn archive(bytes: &[u8]) -> &'static str {
    let head = &bytes[..bytes.len().min(8 << 10)];
    let has = |name: &[u8]| head.windows(name.len()).any(|window| window == name);
    if has(b"word/") {
        "Word document (docx)"
    } else if has(b"xl/") {
        "Excel workbook (xlsx)"
    } else if has(b"ppt/") {
        "PowerPoint presentation (pptx)"
    } else if has(b"application/epub+zip") {
        "EPUB book"
    } else if has(b"opendocument") {
        "OpenDocument file"
    } else {
        "ZIP archive"
    }
}

/// Tells HTML, XML and JSON by their first characters.
fn of_text(bytes: &[u8], declared: &str) -> Option<Sniffed> {
    let head = &bytes[..bytes.len().min(1024)];
    let head =
        String::from_utf8_lossy(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)).trim_start().to_ascii_lowercase();
    let mut rest = &*head;
    while let Some(after) = rest.strip_prefix("<!--") {
        rest = after.find("-->").map_or("", |end| after[end + 3..].trim_start());
    }
    let is_html = ["<!doctype html", "<html", "<head", "<body"].iter().any(|start| rest.starts_with(start))
        || rest.starts_with("<?xml") && (rest.contains("<html") || rest.contains("<!doctype html"));
    // A page about HTML that is sent as text is meant as text, unless it is all of a page.
    if is_html {
        return Some(Sniffed::Html);
    }
    if rest.starts_with("<?xml") || rest.starts_with("<rss") || rest.starts_with("<feed") || declared.ends_with("/xml")
    {
        return Some(Sniffed::Xml);
    }
    let is_json = rest.starts_with('{') || rest.starts_with('[');
    if is_json && serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok() {
        return Some(Sniffed::Json);
    }
    if declared.is_empty() && ["<div", "<p>", "<h1", "<table", "<title"].iter().any(|start| rest.starts_with(start)) {
        return Some(Sniffed::Html);
    }
    None
}

fn by_name(document: &Document<'_>, declared: &str) -> Sniffed {
    let path = document.address.path().to_ascii_lowercase();
    if !looks_like_text(document.bytes) {
        let what = if declared.is_empty() {
            "file of an unknown type".to_owned()
        } else {
            format!("file of the type {declared}")
        };
        return Sniffed::Binary(what);
    }
    match path.rsplit('.').next() {
        Some("csv") => Sniffed::Separated(','),
        Some("tsv") => Sniffed::Separated('\t'),
        _ => Sniffed::Text,
    }
}

/// Whether the first bytes are text: without zero bytes, and with few other control characters.
fn looks_like_text(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return true;
    }
    let head = &bytes[..bytes.len().min(4096)];
    let controls =
        head.iter().filter(|byte| **byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0c | 0x1b)).count();
    !head.contains(&0) && controls * 50 <= head.len()
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn sniff(bytes: &[u8], content_type: Option<&str>, path: &str) -> Sniffed {
        let address = Url::parse("https://example.com/").and_then(|url| url.join(path)).expect("it is one");
        kind(&Document { bytes, content_type, address: &address })
    }

    #[test]
    fn the_header_decides_unless_it_says_nothing() {
        let cases: &[(&[u8], Option<&str>, &str, Sniffed)] = &[
            (b"x", Some("text/html; charset=utf-8"), "", Sniffed::Html),
            (b"  <!-- c --><!DOCTYPE html>", None, "", Sniffed::Html),
            (b"<html>", Some("text/plain"), "", Sniffed::Html),
            (b"x <html>", Some("text/plain"), "", Sniffed::Text),
            (b"<?xml version='1.0'?><rss/>", Some("text/xml"), "", Sniffed::Xml),
            (b"<rss/>", Some("application/rss+xml"), "", Sniffed::Xml),
            (b"{\"a\":1}", Some("text/plain"), "", Sniffed::Json),
            (b"{a}", Some("text/plain"), "", Sniffed::Text),
            (b"{}", Some("application/problem+json"), "", Sniffed::Json),
            (b"a,b", Some("text/plain"), "x.csv", Sniffed::Separated(',')),
            (b"a,b", Some("text/csv"), "", Sniffed::Separated(',')),
            (b"fn main() {}", Some("application/octet-stream"), "main.rs", Sniffed::Text),
            (b"# x", Some("text/markdown"), "", Sniffed::Text),
            (b"%PDF-1.7", Some("application/octet-stream"), "", Sniffed::Pdf),
            (b"a: 1", Some("application/vnd.unknown"), "", Sniffed::Text),
        ];
        for (bytes, content_type, path, expected) in cases {
            assert_eq!(sniff(bytes, *content_type, path), *expected, "{content_type:?} {bytes:?}");
        }
    }

    #[test]
    fn binaries_are_named() {
        let cases: &[(&[u8], Option<&str>, &str)] = &[
            (b"\x89PNG\r\n", Some("text/html"), "PNG image"),
            (b"PK\x03\x04....word/document.xml", None, "Word document (docx)"),
            (b"PK\x03\x04....x", None, "ZIP archive"),
            (b"\0\0\0\x18ftypmp42....", None, "MP4 video"),
            (b"RIFF....WEBPVP8 ", None, "WebP image"),
            (b"\0\x02\0", Some("application/octet-stream"), "file of the type application/octet-stream"),
            (b"anything", Some("audio/mpeg"), "file of the type audio/mpeg"),
        ];
        for (bytes, content_type, expected) in cases {
            assert_eq!(sniff(bytes, *content_type, ""), Sniffed::Binary((*expected).to_owned()), "{content_type:?}");
        }
    }
}
