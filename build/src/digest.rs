//! The file with the digests of the manifests.

use std::collections::BTreeMap;

/// The file in the folder of generated files.
pub const FILE: &str = "manifests.txt";

/// Returns the digest of a manifest: FNV-1a with 64 bits. Windows line endings count as `\n`, because git may convert them.
pub fn digest(text: &[u8]) -> u64 {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    let mut bytes = text.iter().peekable();
    while let Some(&byte) = bytes.next() {
        if byte == b'\r' && bytes.peek() == Some(&&b'\n') {
            continue;
        }
        digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    digest
}

/// Returns the text of the file: after `mark`, a line with the digest and the path of each manifest. Empty lines between them keep
/// changes apart, so that git merges branches that change different manifests.
pub fn file_text<'m>(mark: &str, manifests: impl IntoIterator<Item = (&'m str, u64)>) -> String {
    let mut text = format!("# {mark}. A digest of each manifest, for `toolc-build`.\n");
    for (path, digest) in manifests {
        text += &format!("\n{digest:016x} {path}\n");
    }
    text
}

/// Parses the text of the file. Lines that are not entries are ignored: a manifest without an entry counts as added.
pub(crate) fn parse(text: &str) -> BTreeMap<&str, u64> {
    let entry = |line| {
        let (digest, path) = str::split_once(line, ' ')?;
        Some((path, u64::from_str_radix(digest, 16).ok()?))
    };
    text.lines().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_do_not_change_a_digest() {
        assert_eq!(digest(b"a = 1\r\nb = 2\r\n"), digest(b"a = 1\nb = 2\n"));
        assert_ne!(digest(b"a\rb"), digest(b"ab"));
        assert_ne!(digest(b"a\nb"), digest(b"ab"));
        // The published test vectors of FNV-1a.
        assert_eq!((digest(b""), digest(b"foobar")), (0xcbf2_9ce4_8422_2325, 0x8594_4171_f739_67e8));
    }

    #[test]
    fn a_file_is_parsed_as_it_was_written() {
        let text = file_text("@generated", [("manifests/tools/a b.toml", 7), ("toolc.toml", u64::MAX)]);
        assert_eq!(text.lines().next(), Some("# @generated. A digest of each manifest, for `toolc-build`."));
        assert_eq!(parse(&text), BTreeMap::from([("manifests/tools/a b.toml", 7), ("toolc.toml", u64::MAX)]));
        assert_eq!(parse(&text.replace('\n', "\r\n")), parse(&text));
        assert!(parse("<<<<<<< HEAD\n=======\n").is_empty());
    }
}
