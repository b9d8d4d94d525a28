//! The result: findings with their places, the files with their kinds, and the verdict at a level of trust.

use std::collections::BTreeSet;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::codes::{Code, Severity};

/// A behaviour that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The stable name under which a person accepts the finding: a hash of the kind, the path and the matter, but not of the line.
    pub id: String,
    /// The kind.
    pub code: Code,
    /// Whether it blocks a skill of the community. [`Severity::Note`] instead of the severity of the code if the description of the
    /// skill declares the behaviour, or if the text quotes it.
    pub severity: Severity,
    /// The path of the file in the skill.
    pub path: String,
    /// The line, from 1. 0 if the finding is about the whole file.
    pub line: usize,
    /// The column in characters, from 1. 0 if the finding is about the whole file.
    pub column: usize,
    /// The text of the place on one line, with at most [`MAX_EXCERPT`] characters. Invisible characters are escaped.
    pub excerpt: String,
    /// What was found, as a sentence for a person.
    pub message: String,
}

impl Finding {
    /// Returns what the author of the skill should do, or an empty text.
    pub fn help(&self) -> &'static str {
        self.code.help()
    }

    /// Returns whether a person may accept this finding.
    pub fn is_acceptable(&self) -> bool {
        self.code.is_acceptable()
    }
}

/// The maximum number of characters of an excerpt.
pub const MAX_EXCERPT: usize = 160;

/// The maximum number of findings of a report. A further one is replaced by [`Code::TooManyFindings`].
pub const MAX_FINDINGS: usize = 500;

/// The kind of a file, by its name and content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The text for the model, or another document in Markdown.
    Markdown,
    /// A script of a shell.
    Shell,
    /// A program in a language whose text is judged.
    Code,
    /// A manifest or a settings file that names commands.
    Manifest,
    /// Other text, such as data.
    Text,
    /// An image, a font, a sound or a film.
    Media,
    /// A document of an office program, or a PDF.
    Document,
    /// An archive.
    Archive,
    /// A compiled program or bytecode.
    Program,
    /// A symbolic link.
    Link,
    /// A file that was not read.
    Unread,
    /// Bytes of an unknown format.
    Unknown,
}

/// A file of the skill: what it is, and how many of its bytes were judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileAccount {
    /// The path in the skill.
    pub path: String,
    /// The kind.
    pub kind: Kind,
    /// The size in bytes. 0 for links and files that were not read.
    pub size: usize,
}

/// How far the source of a skill is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// A stranger. Every finding that blocks must be accepted by a person.
    Community,
    /// A publisher that the person trusts. Only findings that a person may not accept block.
    Trusted,
    /// A part of the program itself. Nothing blocks.
    Bundled,
}

/// The decision about a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict<'r> {
    /// The skill may be used.
    Allowed,
    /// These findings block the skill.
    Blocked(Vec<&'r Finding>),
}

impl Verdict<'_> {
    /// Returns whether the skill may be used.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed)
    }
}

/// What was found in a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The findings, in the order of the paths and lines.
    pub findings: Vec<Finding>,
    /// Every file of the skill.
    pub files: Vec<FileAccount>,
}

impl Report {
    /// Decides at a level of trust. `accepted` are the ids of findings that a person has accepted.
    pub fn verdict(&self, trust: Trust, accepted: &BTreeSet<String>) -> Verdict<'_> {
        let blocks = |finding: &&Finding| match trust {
            _ if finding.severity == Severity::Note => false,
            Trust::Bundled => false,
            Trust::Trusted => !finding.is_acceptable(),
            Trust::Community => !finding.is_acceptable() || !accepted.contains(&finding.id),
        };
        let blocking: Vec<&Finding> = self.findings.iter().filter(blocks).collect();
        if blocking.is_empty() { Verdict::Allowed } else { Verdict::Blocked(blocking) }
    }
}

/// Returns the id of a finding: the name of its code, and the beginning of a hash. `matter` is the text of the place.
pub(crate) fn id(code: Code, path: &str, matter: &str) -> String {
    use std::fmt::Write as _;
    let mut hash = Sha256::new();
    for part in [code.name(), path, matter] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    digest.iter().take(8).fold(format!("{}:", code.name()), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    })
}
