//! What identifies the content of a skill: a digest of this program, and the object names of git.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::str::FromStr;

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::BundleFile;

/// A digest of the content of a skill, written as `sha256:` and 64 digits.
///
/// The digest is the SHA-256 of all files, sorted by the bytes of their paths. For each file, the path and the content are hashed, each
/// preceded by its length as a little-endian number of 64 bits. File modes are left out, because not every system has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest([u8; 32]);

/// The name that git gives to a folder or a file: its SHA-1, written as 40 digits.
///
/// It only says whether two contents are the same for git; nothing is trusted because of it. The crate `sha1` is not needed for it: `ring`,
/// which signs for GitHub Apps and is part of the TLS library, has the algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct GitId([u8; 20]);

/// A text that is not a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidDigest {
    expected: &'static str,
    text: String,
}

impl fmt::Display for InvalidDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, but got `{}`", self.expected, self.text)
    }
}

impl std::error::Error for InvalidDigest {}

impl Digest {
    /// Returns the digest of files that are sorted by their paths.
    pub(super) fn of_files(files: &[BundleFile]) -> Self {
        let mut digest = Sha256::new();
        for file in files {
            for part in [file.path.as_bytes(), &file.bytes] {
                digest.update((part.len() as u64).to_le_bytes());
                digest.update(part);
            }
        }
        Self(digest.finalize().into())
    }
}

impl GitId {
    /// Returns the name of a file with this content.
    pub fn of_blob(content: &[u8]) -> Self {
        Self::of_object("blob", &[content])
    }

    /// Returns the name of a folder with these files.
    pub(super) fn of_files(files: &[BundleFile]) -> Self {
        let paths = files.iter().map(|file| (file.path.as_str(), file));
        Self::of_tree(&paths.collect::<Vec<_>>())
    }

    /// Returns the name of a folder with these files, by their paths in it.
    fn of_tree(files: &[(&str, &BundleFile)]) -> Self {
        let mut folders: BTreeMap<&str, Vec<(&str, &BundleFile)>> = BTreeMap::new();
        // Git sorts a folder as if its name ended with a slash.
        let mut entries: BTreeMap<String, (&str, Self)> = BTreeMap::new();
        for (path, file) in files {
            if let Some((folder, rest)) = path.split_once('/') {
                folders.entry(folder).or_default().push((rest, file));
            } else {
                let mode = if file.is_executable { "100755" } else { "100644" };
                entries.insert((*path).to_owned(), (mode, Self::of_blob(&file.bytes)));
            }
        }
        for (folder, files) in folders {
            entries.insert(format!("{folder}/"), ("40000", Self::of_tree(&files)));
        }
        let mut content = Vec::new();
        for (name, (mode, id)) in entries {
            content.extend_from_slice(format!("{mode} {}\0", name.trim_end_matches('/')).as_bytes());
            content.extend_from_slice(&id.0);
        }
        Self::of_object("tree", &[&content])
    }

    fn of_object(kind: &str, parts: &[&[u8]]) -> Self {
        let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
        let length: usize = parts.iter().map(|part| part.len()).sum();
        context.update(format!("{kind} {length}\0").as_bytes());
        for part in parts {
            context.update(part);
        }
        let mut id = [0; 20];
        id.copy_from_slice(context.finish().as_ref());
        Self(id)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", hex(&self.0))
    }
}

impl fmt::Display for GitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl FromStr for Digest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        let invalid = || InvalidDigest { expected: "`sha256:` and 64 hexadecimal digits", text: shortened(text) };
        text.strip_prefix("sha256:").and_then(bytes).map(Self).ok_or_else(invalid)
    }
}

impl FromStr for GitId {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        let invalid = || InvalidDigest { expected: "40 hexadecimal digits", text: shortened(text) };
        bytes(text).map(Self).ok_or_else(invalid)
    }
}

impl TryFrom<String> for Digest {
    type Error = InvalidDigest;

    fn try_from(text: String) -> Result<Self, InvalidDigest> {
        text.parse()
    }
}

impl TryFrom<String> for GitId {
    type Error = InvalidDigest;

    fn try_from(text: String) -> Result<Self, InvalidDigest> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl From<GitId> for String {
    fn from(id: GitId) -> Self {
        id.to_string()
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads twice as many digits as the result has bytes.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let is_hex = text.len() == 2 * N && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    for (index, byte) in bytes.iter_mut().enumerate().filter(|_| is_hex) {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    is_hex.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str, is_executable: bool) -> BundleFile {
        BundleFile { path: path.to_owned(), bytes: text.as_bytes().to_vec(), is_executable }
    }

    /// The expected names are from git 2.47: `git hash-object` and `git write-tree`.
    #[test]
    fn names_of_objects_are_those_of_git() {
        assert_eq!(GitId::of_blob(b"").to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(GitId::of_blob(b"hello\n").to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(GitId::of_files(&[]).to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
        // `a` and `a.md` are files and `a-b` is a folder: the order of `s.md` and `s/` in git differs
        // from the order of the names.
        let files = [
            file("SKILL.md", "hello\n", false),
            file("a", "", false),
            file("a-b/run.sh", "#!/bin/sh\n", true),
            file("a.md", "", false),
            file("s.md", "", false),
            file("s/x/y", "hello\n", false),
        ];
        assert_eq!(GitId::of_files(&files).to_string(), "92c53c7af63b2e95c24a308368ef297767982495");
    }

    #[test]
    fn digests_are_read_as_they_are_written() {
        let digest = Digest::of_files(&[file("SKILL.md", "hello\n", false)]);
        assert_eq!(digest.to_string().parse(), Ok(digest));
        // Computed with Python's hashlib from the description of `Digest`.
        assert_eq!(digest.to_string(), "sha256:9afd1cc7d056de20d0d16bd586fb5387e60b90a0aa70aa8586497bb999606c26");
        let id = GitId::of_blob(b"");
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in ["", "sha256:", "sha256:00", "sha1:00", &"g".repeat(40), &"0".repeat(41), "é"] {
            assert!(text.parse::<Digest>().is_err() && text.parse::<GitId>().is_err(), "{text}");
        }
        // No two sets of files have the same bytes: lengths are part of them.
        let moved = Digest::of_files(&[file("SKILL.mdh", "ello\n", false)]);
        assert_ne!(digest, moved);
    }
}
