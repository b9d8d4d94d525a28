//! Judges skills with `toolc-guard`, by the command rules of a profile: what the model writes, what a project brings, what a person scans.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use toolc_commands::Surroundings;
use toolc_commands::rules::RuleSet;
use toolc_config::Home;
use toolc_guard::{Content, Files, Finding, Report, Severity, Trust, Verdict, inspect};
use toolc_skill::{FileKind, Folder, Limits};

use crate::approval::rules;
use crate::ground::error::Result;
use crate::ground::show;
use crate::profile::Profile;

/// The maximum size of a file that is judged, in bytes.
const MAX_FILE: u64 = 16 << 20;

/// Judges skills by the command rules of a profile.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    rules: &'static RuleSet<'static>,
    directory: PathBuf,
    user: Option<PathBuf>,
    own: Option<PathBuf>,
}

/// The command rules that ship with the program.
static SHIPPED: LazyLock<RuleSet<'static>> = LazyLock::new(|| toolc_catalog::commands::rules().with_optional(&[]));

impl Guard {
    /// Returns the guard for skills of strangers. It is the same on every machine, so that a finding has the same id everywhere, and what a
    /// person allows for their own commands does not count.
    pub(crate) fn of_strangers() -> Self {
        let user = PathBuf::from("/home/user");
        Self { rules: &SHIPPED, directory: user.join("project"), user: Some(user), own: None }
    }

    /// Returns a guard with these command rules for work in a directory.
    pub(crate) fn new(rules: &'static RuleSet<'static>, home: &Home, directory: &Path) -> Self {
        let own = Some(home.all_profiles().to_owned());
        Self { rules, directory: directory.to_owned(), user: std::env::home_dir(), own }
    }

    /// Returns a guard with the command rules of a profile for work in a directory.
    ///
    /// # Errors
    /// If a file of rules cannot be read or is invalid.
    pub(crate) fn of_profile(profile: &Profile, directory: &Path) -> Result<Self> {
        // The optional sets are about what the user wants to approve, and not about what harms.
        let rules = rules::load(&profile.home, directory, &[], &profile.config().protect)?;
        Ok(Self::new(rules, &profile.home, directory))
    }

    /// Judges the files of a skill.
    pub(crate) fn inspect(&self, files: &Files) -> Report {
        let surroundings = Surroundings {
            directory: Some(&self.directory),
            home: self.user.as_deref(),
            own_folder: self.own.as_deref(),
            ..Surroundings::default()
        };
        inspect(files, self.rules, &surroundings)
    }
}

/// Returns the files of a skill in memory.
pub(crate) fn files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Files {
    files.into_iter().map(|(path, bytes)| (path, Content::Bytes(bytes))).collect()
}

/// Reads the files of a skill. What cannot be read is an entry with the reason, which is a finding.
pub(crate) fn read(folder: &Folder) -> Files {
    let listing = folder.list(&Limits::default());
    let content = |path: &str, kind: FileKind| {
        let content = match kind {
            FileKind::Link => folder.link_target(path).map(Content::Link),
            _ => folder.read_file(path, MAX_FILE).map(Content::Bytes),
        };
        content.unwrap_or_else(|error| Content::Unread(error.to_string()))
    };
    let mut entries: Vec<(String, Content)> =
        listing.files.iter().map(|file| (file.path.clone(), content(&file.path, file.kind))).collect();
    if !listing.is_complete {
        let left_out: Vec<String> = listing.notes.iter().map(ToString::to_string).collect();
        entries.push((".".to_owned(), Content::Unread(left_out.join("; "))));
    }
    Files::new(entries)
}

/// Returns the findings that block a skill from a source with this trust. `accepted` are the ids that a person has accepted.
pub(crate) fn blocking<'r>(report: &'r Report, trust: Trust, accepted: &BTreeSet<String>) -> Vec<&'r Finding> {
    match report.verdict(trust, accepted) {
        Verdict::Allowed => Vec::new(),
        Verdict::Blocked(findings) => findings,
    }
}

/// Returns what was found, in one line.
pub(crate) fn what(finding: &Finding) -> String {
    let message = show::one_line(finding.message.trim_end_matches('.'));
    match &*finding.excerpt {
        "" => message,
        excerpt => format!("{message}: `{}`", show::one_line(excerpt)),
    }
}

/// Returns a finding as the hub has it.
pub(crate) fn for_hub(finding: &Finding) -> toolc_hub::Finding {
    toolc_hub::Finding {
        id: finding.id.clone(),
        file: finding.path.clone(),
        line: finding.line,
        reason: what(finding),
        can_be_accepted: finding.is_acceptable(),
    }
}

/// Returns a finding as a line for a person, without the number of the line, which an unrelated edit changes: the file, what was found
/// where, and the id by which a person accepts it.
pub(crate) fn objection(finding: &Finding) -> String {
    format!("`{}`: {} [{}]", show::one_line(&finding.path), what(finding), finding.id)
}

/// Returns the objections to a skill without accepted findings: those that would block it from a stranger.
pub(crate) fn objections(report: &Report) -> Vec<String> {
    report.findings.iter().filter(|finding| finding.severity == Severity::Block).map(objection).collect()
}
