//! What a file is: by its name and its content, which must agree.

use crate::codes::Code;
use crate::decode;
use crate::files::end_of;
use crate::language;
use crate::pickles::{self, Pickle};
use crate::report::Kind;
use crate::tables::formats::{
    CODE_IN_DATA, DOCUMENT_PARTS, FORMATS, Format, MEDIA_ENDS, NAMED_MANIFESTS, RUNNING_ENDS, SHELL_ENDS,
};
use crate::unit::Found;

/// A file that was recognized.
pub(crate) struct Recognized {
    pub(crate) kind: Kind,
    /// The text, if it is one.
    pub(crate) text: Option<String>,
    pub(crate) found: Vec<Found>,
}

/// Recognizes a file.
pub(crate) fn recognize(path: &str, bytes: &[u8]) -> Recognized {
    let end = end_of(path);
    if let Some(pickle) = pickles::read(bytes) {
        return of_pickle(pickle);
    }
    if let Some(format) = FORMATS.iter().find(|format| starts(bytes, format)) {
        return binary(&end, bytes, format);
    }
    let Some((text, is_odd)) = text_of(bytes) else {
        const PROGRAMS: [&str; 11] = ["pyc", "pyo", "class", "so", "dll", "dylib", "exe", "node", "wasm", "o", "a"];
        let is_program = PROGRAMS.contains(&end.as_str());
        // What macOS adds to an archive: attributes of a file, and a small part that is empty.
        let name = path.rsplit('/').next().unwrap_or_default();
        if bytes.starts_with(b"\0\x05\x16\x07") && name.starts_with("._") && bytes.len() <= 4 << 10 {
            let found =
                Found::new(Code::UnknownBinary, 0..0, "The file has the attributes of another file.").into_note();
            return Recognized { kind: Kind::Unknown, text: None, found: vec![found] };
        }
        let (kind, code) =
            if is_program { (Kind::Program, Code::Program) } else { (Kind::Unknown, Code::UnknownBinary) };
        return Recognized { kind, text: None, found: vec![Found::new(code, 0..0, code.explanation())] };
    };
    let mut found = Vec::new();
    if is_odd {
        found.push(Found::new(Code::OddEncoding, 0..0, "The text is not in UTF-8."));
    }
    let kind = text_kind(path, &end, &text, &mut found);
    Recognized { kind, text: Some(text), found }
}

/// A pickle runs what it names. One that only makes data is a note.
fn of_pickle(pickle: Pickle) -> Recognized {
    let found = match pickle {
        Pickle::Data => Found::new(Code::Program, 0..0, "The file is a pickle, which only makes data.").into_note(),
        Pickle::Calls(name) => {
            Found::new(Code::HiddenPayload, 0..0, format!("The file is a pickle that calls {name}."))
        }
        Pickle::Unknown(name) => {
            Found::new(Code::Program, 0..0, format!("The file is a pickle that calls {name}, which is not judged."))
        }
    };
    Recognized { kind: Kind::Program, text: None, found: vec![found] }
}

fn starts(bytes: &[u8], format: &Format) -> bool {
    bytes.get(format.at..).is_some_and(|rest| rest.starts_with(format.magic))
        && format.and.is_none_or(|(at, magic)| bytes.get(at..).is_some_and(|rest| rest.starts_with(magic)))
}

/// Returns the text of a file, and whether it is not in UTF-8.
fn text_of(bytes: &[u8]) -> Option<(String, bool)> {
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = bytes {
        let is_big = bytes[0] == 0xfe;
        let unit = |pair: &[u8]| {
            if is_big { u16::from_be_bytes([pair[0], pair[1]]) } else { u16::from_le_bytes([pair[0], pair[1]]) }
        };
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(unit).collect();
        return Some((String::from_utf16_lossy(&units), true));
    }
    let controls = bytes
        .iter()
        .filter(|byte| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t' | b'\x0c' | b'\x1b' | b'\x08'))
        .count();
    if bytes.contains(&0) || controls * 100 > bytes.len() {
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some((text.to_owned(), false)),
        // A text in an old encoding is mostly ASCII.
        Err(_) if bytes.iter().filter(|byte| byte.is_ascii()).count() * 10 >= bytes.len() * 6 => {
            Some((bytes.iter().map(|byte| char::from(*byte)).collect(), true))
        }
        Err(_) => None,
    }
}

fn text_kind(path: &str, end: &str, text: &str, found: &mut Vec<Found>) -> Kind {
    let name = path.rsplit('/').next().unwrap_or_default();
    let shebang = text.strip_prefix("#!").and_then(|rest| rest.lines().next());
    let is_script_by_name = SHELL_ENDS.contains(&end) || language::language(end).is_some();
    if let Some(line) = shebang.filter(|line| line.contains('/')) {
        let is_plain_name =
            end.is_empty() || is_script_by_name || matches!(end, "command" | "tool" | "in" | "tmpl" | "template");
        if !is_plain_name {
            found.push(Found::new(
                Code::DisguisedFile,
                0..line.len() + 2,
                format!("The file is a script, and its name ends with `.{end}`."),
            ));
        }
        let is_shell = ["sh", "bash", "zsh", "dash", "ksh", "fish"]
            .iter()
            .any(|shell| line.split(['/', ' ']).any(|word| word == *shell));
        return if is_shell { Kind::Shell } else { Kind::Code };
    }
    if MEDIA_ENDS.contains(&end) || RUNNING_ENDS.contains(&end) {
        let is_pointer = text.starts_with("version https://git-lfs") || text.trim().is_empty();
        let finding = Found::new(
            Code::DisguisedFile,
            0..text.len().min(80),
            format!("The file is text, and its name ends with `.{end}`."),
        );
        found.push(if is_pointer { finding.into_note() } else { finding });
    }
    if NAMED_MANIFESTS.iter().any(|manifest| name.eq_ignore_ascii_case(manifest))
        || path.contains(".git/hooks/")
        || path.starts_with(".husky/")
    {
        return Kind::Manifest;
    }
    match end {
        "mk" | "mak" | "make" | "just" | "dockerfile" => Kind::Manifest,
        "md" | "markdown" | "mdx" | "txt" | "rst" | "adoc" | "qmd" | "org" | "mdc" => Kind::Markdown,
        "" if name.chars().any(char::is_uppercase) || !name.starts_with('.') => Kind::Markdown,
        end if SHELL_ENDS.contains(&end) => Kind::Shell,
        end if language::language(end).is_some() => Kind::Code,
        _ => Kind::Text,
    }
}

fn binary(end: &str, bytes: &[u8], format: &Format) -> Recognized {
    let mut found = Vec::new();
    let mut kind = format.kind;
    let is_named = format.ends.contains(&end);
    if kind == Kind::Archive
        && format.name == "zip"
        && matches!(
            end,
            "docx"
                | "xlsx"
                | "pptx"
                | "odt"
                | "ods"
                | "odp"
                | "dotx"
                | "xltx"
                | "potx"
                | "docm"
                | "xlsm"
                | "pptm"
                | "epub"
        )
    {
        kind = Kind::Document;
        document(bytes, end, &mut found);
    } else if format.name == "pdf" {
        pdf(bytes, &mut found);
    } else if kind == Kind::Media && !is_named && !MEDIA_ENDS.contains(&end)
        || kind != Kind::Media && MEDIA_ENDS.contains(&end)
    {
        found.push(Found::new(
            Code::DisguisedFile,
            0..0,
            format!("The file is {} {}, and its name ends with `.{end}`.", article(format.name), format.name),
        ));
    }
    match kind {
        Kind::Archive => found.push(Found::new(
            Code::Archive,
            0..0,
            format!("The file is an archive ({}), whose content is not judged.", format.name),
        )),
        Kind::Program => {
            found.push(Found::new(Code::Program, 0..0, format!("The file is a compiled program ({}).", format.name)));
        }
        Kind::Unknown => found.push(Found::new(
            Code::UnknownBinary,
            0..0,
            format!("The file is data ({}), which are not judged.", format.name),
        )),
        Kind::Document if format.name == "ole" => found.push(Found::new(
            Code::ActiveDocument,
            0..0,
            "The document is in an old format, whose macros cannot be seen.",
        )),
        Kind::Media => media(format.name, bytes, &mut found),
        _ => {}
    }
    Recognized { kind, text: None, found }
}

fn article(name: &str) -> &'static str {
    if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// Returns the names of the files in a zip archive, from the headers before their contents.
fn entries(bytes: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(next) = find(&bytes[at..], b"PK\x01\x02").map(|next| at + next) {
        let number = |from: usize| {
            bytes
                .get(next + from..next + from + 2)
                .map_or(0, |pair| usize::from(u16::from_le_bytes([pair[0], pair[1]])))
        };
        let length = number(28);
        if let Some(name) = bytes.get(next + 46..next + 46 + length) {
            names.push(String::from_utf8_lossy(name).to_lowercase());
        }
        at = next + 4;
        if names.len() >= 10_000 {
            break;
        }
    }
    names
}

/// Judges a document that is an archive, by the names of its parts.
fn document(bytes: &[u8], end: &str, found: &mut Vec<Found>) {
    let names = entries(bytes);
    if names.is_empty() {
        found.push(Found::new(Code::ActiveDocument, 0..0, "The parts of the document cannot be listed."));
    }
    let is_part = |name: &str| name.ends_with('/') || DOCUMENT_PARTS.iter().any(|part| name.ends_with(part));
    let is_active = |name: &str| {
        name.contains("vbaproject")
            || name.contains("activex")
            || name.contains("embeddings/")
            || name.contains("basic/") && end_of(name) == "xml" && matches!(end, "odt" | "ods" | "odp")
            || name.contains("macro")
    };
    if let Some(name) = names.iter().find(|name| is_active(name)) {
        found.push(Found::new(
            Code::ActiveDocument,
            0..0,
            format!("The document has a macro or an embedded object: {}", crate::visible::visible(name)),
        ));
    }
    if let Some(name) = names.iter().find(|name| !is_part(name)) {
        found.push(Found::new(
            Code::ActiveDocument,
            0..0,
            format!("The document contains a file that does not belong to it: {}", crate::visible::visible(name)),
        ));
    }
}

/// Judges a PDF, by the names of its actions.
fn pdf(bytes: &[u8], found: &mut Vec<Found>) {
    for (name, what) in [
        ("/JavaScript", "a script"),
        ("/JS", "a script"),
        ("/Launch", "an action that starts a program"),
        ("/EmbeddedFile", "an embedded file"),
    ] {
        let mut at = 0;
        while let Some(next) = find(&bytes[at..], name.as_bytes()).map(|next| at + next) {
            let after = bytes.get(next + name.len()).copied().unwrap_or(b' ');
            if !after.is_ascii_alphanumeric() && (name != "/EmbeddedFile" || after != b's') {
                found.push(Found::new(Code::ActiveDocument, 0..0, format!("The document has {what}.")));
                return;
            }
            at = next + name.len();
        }
    }
}

/// Judges an image, a font, a sound or a film: what is appended, and texts in it.
fn media(name: &str, bytes: &[u8], found: &mut Vec<Found>) {
    let appended = match name {
        "png" => find(bytes, b"IEND").map(|at| at + 8),
        "gif" => bytes.iter().rposition(|byte| *byte == 0x3b).map(|at| at + 1),
        "jpeg" => find_last(bytes, b"\xff\xd9").map(|at| at + 2),
        _ => None,
    };
    let rest = appended.and_then(|at| bytes.get(at..)).unwrap_or_default();
    let is_archive =
        bytes.len() > 22 && find_last(&bytes[bytes.len().saturating_sub(66_000)..], b"PK\x05\x06").is_some();
    if rest.len() > 32 && rest.iter().any(|byte| *byte != 0) || is_archive {
        found.push(Found::new(
            Code::DisguisedFile,
            0..0,
            "Something is appended to the file, such as an archive or a script.",
        ));
    }
    if let Some(part) = CODE_IN_DATA.iter().find(|part| find(bytes, part.as_bytes()).is_some()) {
        found.push(Found::new(Code::DisguisedFile, 0..0, format!("The file contains code: `{part}`")));
    }
    for text in texts(bytes) {
        if let Some(manipulation) = toolc_scan::manipulation(&text) {
            let mut finding =
                Found::new(Code::HiddenInstruction, 0..0, format!("A text in the file {}.", manipulation.what));
            finding.matter = Some(text.clone());
            found.push(finding);
        } else if let Some(finding) = crate::encoded::find(&text).into_iter().next() {
            found.push(Found { at: 0..0, ..finding });
        }
    }
}

/// The least length of a text in a file of another kind, and the greatest number of such texts that are read.
const MIN_TEXT: usize = 24;
const MAX_TEXTS: usize = 256;

/// Returns the texts in a file of another kind.
fn texts(bytes: &[u8]) -> Vec<String> {
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    let runs = bytes.split(|byte| !is_text(byte)).filter(|run| run.len() >= MIN_TEXT);
    let texts = runs.map(|run| String::from_utf8_lossy(&run[..run.len().min(decode::MAX_DECODED)]).into_owned());
    texts.filter(|text| text.contains(' ') || text.len() > 60).take(MAX_TEXTS).collect()
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    let first = *part.first()?;
    let mut at = 0;
    while let Some(next) = bytes.get(at..)?.iter().position(|byte| *byte == first).map(|next| at + next) {
        if bytes[next..].starts_with(part) {
            return Some(next);
        }
        at = next + 1;
    }
    None
}

fn find_last(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).rposition(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(path: &str, bytes: &[u8]) -> Vec<&'static str> {
        recognize(path, bytes).found.iter().map(|found| found.code.name()).collect()
    }

    #[test]
    fn content_and_name_must_agree() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR....\0\0\0\0IEND\xaeB`\x82";
        assert_eq!(codes("a.png", png), [""; 0]);
        assert_eq!(codes("a.png", &[&png[..], &[b'x'; 64]].concat()), ["disguised-file"]);
        assert_eq!(codes("a.png", b"#!/bin/sh\nls"), ["disguised-file"]);
        assert_eq!(codes("a.txt", png), ["disguised-file"]);
        assert_eq!(codes("a.png", b"\x7fELF\x02\x01\x01\0"), ["disguised-file", "program"]);
        assert_eq!(codes("a.pyc", b"\xcb\r\r\n\0\0\0\0\xe3"), ["program"]);
        assert_eq!(codes("a.zip", b"PK\x03\x04"), ["archive"]);
        assert_eq!(codes("a.dat", b"\0\x01\x02\x03"), ["unknown-binary"]);
        assert_eq!(codes("a.md", "größe".as_bytes()), [""; 0]);
    }
}
