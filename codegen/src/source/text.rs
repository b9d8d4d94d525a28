//! The text of a file, read on first use if the file is known to be unchanged.

use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io::{self, Read as _};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fmt, fs};

use super::walk::MAX_BYTES;

/// The text of a file. Dereferences to the text.
#[derive(Debug, Clone)]
pub struct SourceText {
    text: OnceLock<String>,
    digest: OnceLock<u64>,
    /// The file of a text that is read on first use.
    path: PathBuf,
    /// Set if that was another text than the one with the digest.
    is_other: OnceLock<()>,
}

impl SourceText {
    /// Creates the text of a file that need not be read now: by its stamp, it has the text with this digest.
    pub(super) fn unread(path: PathBuf, digest: u64) -> Self {
        Self { text: OnceLock::new(), digest: OnceLock::from(digest), path, is_other: OnceLock::new() }
    }

    /// Returns the digest of the text. It is comparable only within one build of the compiler.
    pub(super) fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| digest(self))
    }

    /// Returns the text if it was read.
    pub(crate) fn read(&self) -> Option<&str> {
        self.text.get().map(String::as_str)
    }

    /// Returns whether the file had a stamp, so that it was not read at first.
    pub(super) fn is_unread_file(&self) -> bool {
        !self.path.as_os_str().is_empty()
    }

    /// Returns whether another program has changed the file since its stamp was compared.
    pub(super) fn is_other(&self) -> bool {
        self.is_other.get().is_some()
    }
}

impl From<String> for SourceText {
    fn from(text: String) -> Self {
        let path = PathBuf::new();
        Self { text: OnceLock::from(text), digest: OnceLock::new(), path, is_other: OnceLock::new() }
    }
}

impl Deref for SourceText {
    type Target = str;

    fn deref(&self) -> &str {
        self.text.get_or_init(|| {
            let bytes = read(&self.path).unwrap_or_default();
            let (text, _) = super::decoded(bytes);
            if Some(&digest(&text)) != self.digest.get() {
                let _ = self.is_other.set(());
            }
            text
        })
    }
}

impl fmt::Display for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl PartialEq for SourceText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<SourceText> for String {
    fn eq(&self, other: &SourceText) -> bool {
        **self == **other
    }
}

/// Reads a file, up to one byte more than the maximum.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = fs::File::open(path)?;
    // The usual file is read at once, without a second read that finds its end. One with no length may still have a text.
    let length = Some(file.metadata()?.len()).filter(|length| *length > 0).unwrap_or(u64::MAX).min(MAX_BYTES + 1);
    let mut bytes = Vec::new();
    if length <= MAX_BYTES {
        bytes.reserve_exact(usize::try_from(length).unwrap_or_default());
    }
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
