//! The settings and hooks of a project's git repository that run programs.
//!
//! A folder that a user has unpacked can contain a `.git/config` that makes `git status` run any program. Until the user trusts these
//! settings, the programs that a model controls get variables that override each of them: with the user's global setting if there
//! is one, or else with a value that runs nothing. Other settings of the repository stay as they are.

mod programs;
mod read;

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::json;
use toolc_cli::DoctorSection;
use toolc_config::{Home, TrustList, digest};
use toolc_workspace::{ChildVariables, Workspace};

use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;
use programs::{Replacement, find_replacement};
use read::{Hook, Setting, settings};

/// Overrides in every untrusted project. They apply even if the repository does not have these settings, because a command can enter
/// another repository.
const UNTRUSTED_OVERRIDES: &[(&str, &str)] = &[("core.fsmonitor", "false"), ("core.hookspath", "/dev/null")];
/// Overrides in every project, even if the user trusts it. Bare repositories inside of a project are ignored, and the URL of a remote
/// cannot run a command (`ext::`).
const ALL_OVERRIDES: &[(&str, &str)] = &[("safe.barerepository", "explicit"), ("protocol.ext.allow", "never")];
/// The value of `GIT_DIR` if git must not run. The error messages of git show this text.
const OFF: &str = "/dev/null/git is off: the user has not trusted the git settings of this project (`toolc trust`)";
/// The maximum number of settings that run programs.
const MAX_PROGRAMS: usize = 500;
/// The maximum number of settings and hooks that a message names.
const MAX_NAMED: usize = 3;

/// The programs that git would run in a directory.
#[derive(Debug)]
pub(crate) struct ProjectGit {
    /// All settings of all files, in the order in which git reads them.
    settings: Vec<Setting>,
    /// The settings of the repository that run programs: key, value and replacement.
    programs: Vec<(String, String, Replacement)>,
    hooks: Vec<Hook>,
    /// The folder of the repository, or `None` outside of a repository.
    repository: Option<PathBuf>,
    /// Why the settings could not be read.
    read_error: Option<String>,
}

/// Whether the user trusts the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GitTrust {
    /// The settings run no programs.
    Harmless,
    Trusted,
    Changed,
    Unknown,
}

/// Reads the settings of a directory on a thread.
pub(crate) struct GitReader(Option<thread::JoinHandle<ProjectGit>>);

impl GitReader {
    /// Starts to read the settings of a directory.
    pub(crate) fn start(directory: &Path) -> Self {
        let directory = directory.to_owned();
        Self(thread::Builder::new().name("git".to_owned()).spawn(move || ProjectGit::read(&directory)).ok())
    }

    /// Waits for the settings, and returns them.
    pub(crate) fn finish(self) -> ProjectGit {
        let settings = self.0.and_then(|thread| thread.join().ok());
        settings.unwrap_or_else(|| ProjectGit::unreadable("the thread that reads them failed".to_owned()))
    }
}

impl ProjectGit {
    /// Reads the settings of a directory.
    pub(crate) fn read(directory: &Path) -> Self {
        Self::try_read(directory).unwrap_or_else(|error| Self::unreadable(error.to_string()))
    }

    fn unreadable(why: String) -> Self {
        Self { settings: Vec::new(), programs: Vec::new(), hooks: Vec::new(), repository: None, read_error: Some(why) }
    }

    fn try_read(directory: &Path) -> Result<Self> {
        let settings = settings(directory)?;
        let repository = read::repository(directory)?;
        let mut programs = Vec::new();
        for setting in settings.iter().filter(|setting| !setting.is_from_user) {
            if let Some(replacement) = find_replacement(&setting.key, &setting.value) {
                programs.push((setting.key.clone(), setting.value.clone(), replacement));
            }
        }
        if programs.len() > MAX_PROGRAMS {
            return Err(Error::Invalid(format!("more than {MAX_PROGRAMS} settings run programs")));
        }
        let folder = effective_setting(&settings, "core.hookspath");
        let hooks = match (&repository, folder) {
            (Some(_), Some(Setting { is_from_user: true, .. })) | (None, _) => Vec::new(),
            (Some(repository), None) => read::hooks(&repository.common.join("hooks"))?,
            (Some(repository), Some(setting)) => read::hooks(&repository.path_of(&setting.value))?,
        };
        let repository = repository.map(|repository| repository.common);
        Ok(Self { settings, programs, hooks, repository, read_error: None })
    }

    /// Returns whether the user trusts the settings.
    ///
    /// # Errors
    /// If the list of trusted projects cannot be read.
    pub(crate) fn trust(&self, home: &Home) -> Result<GitTrust> {
        if self.runs_nothing() {
            return Ok(GitTrust::Harmless);
        }
        let Some(repository) = &self.repository else { return Ok(GitTrust::Unknown) };
        let listed = TrustList::Repositories.entries(home)?.into_iter().find(|(known, _)| known == repository);
        Ok(match listed {
            None => GitTrust::Unknown,
            Some((_, digest)) if digest == self.digest() => GitTrust::Trusted,
            Some(_) => GitTrust::Changed,
        })
    }

    /// Trusts the settings.
    ///
    /// # Errors
    /// If the list cannot be read or written.
    pub(crate) fn add_trust(&self, home: &Home) -> Result<()> {
        let Some(repository) = self.repository.as_deref() else { return Ok(()) };
        Ok(TrustList::Repositories.add(home, repository, &self.digest())?)
    }

    /// Revokes the trust in the settings. Returns whether they were trusted.
    ///
    /// # Errors
    /// If the list cannot be read or written.
    pub(crate) fn revoke(&self, home: &Home) -> Result<bool> {
        let Some(repository) = self.repository.as_deref() else { return Ok(false) };
        Ok(TrustList::Repositories.remove(home, repository)?)
    }

    /// Returns whether no setting or hook of the repository runs a program.
    pub(crate) fn runs_nothing(&self) -> bool {
        self.programs.is_empty() && self.hooks.is_empty() && self.read_error.is_none()
    }

    /// Returns why the settings could not be read.
    pub(crate) fn read_error(&self) -> Option<&str> {
        self.read_error.as_deref()
    }

    /// Returns a digest of the settings that run programs, and of the hooks.
    fn digest(&self) -> String {
        let settings = self.programs.iter().flat_map(|(key, value, _)| [key.as_bytes(), value.as_bytes()]);
        let hooks = self.hooks.iter().flat_map(|hook| [hook.name.as_bytes(), hook.digest.as_bytes()]);
        let folder = effective_setting(&self.settings, "core.hookspath").map(|setting| setting.value.as_bytes());
        digest(settings.chain([&b"hooks"[..]]).chain(folder).chain(hooks))
    }

    /// Returns the variables for the programs that a model controls.
    ///
    /// # Errors
    /// If the list of trusted projects cannot be read.
    pub(crate) fn child_variables(&self, home: &Home) -> Result<ChildVariables> {
        let is_trusted = self.trust(home)? == GitTrust::Trusted;
        let mut overrides: Vec<(String, String)> = Vec::new();
        let mut replace = |key: &str, replacement: &str| {
            // A setting of the user for all repositories takes precedence.
            let user_setting =
                self.settings.iter().rfind(|setting| setting.is_from_user && setting.key.eq_ignore_ascii_case(key));
            let value = user_setting.map_or(replacement, |setting| &setting.value);
            overrides.push((key.to_owned(), value.to_owned()));
        };
        for (key, value) in ALL_OVERRIDES {
            replace(key, value);
        }
        let mut is_off = false;
        if !is_trusted {
            for (key, value) in UNTRUSTED_OVERRIDES {
                replace(key, value);
            }
            is_off = self.read_error.is_some();
            for (key, _, replacement) in &self.programs {
                match replacement {
                    Replacement::Value(value) => replace(key, value),
                    Replacement::Off => is_off = true,
                }
                if let Some(filter) = key.strip_prefix("filter.").and_then(|key| key.rsplit_once('.')) {
                    // Git fails if a required filter does nothing.
                    replace(&format!("filter.{}.required", filter.0), "false");
                }
            }
        }
        // Settings that the user has made with variables come first.
        let settings = [read::settings_in_variables(), overrides].concat();
        let off = is_off.then(|| ("GIT_DIR".to_owned(), OFF.to_owned()));
        let all = read::as_variables(&settings).chain(off);
        Ok(all.fold(ChildVariables::default(), |variables, (name, value)| variables.set(name, value)))
    }

    /// Returns a note for the user if settings are ignored.
    ///
    /// # Errors
    /// If the list of trusted projects cannot be read.
    pub(crate) fn note(&self, home: &Home) -> Result<Option<String>> {
        if let Some(why) = &self.read_error {
            return Ok(Some(format!("git does not run for the model, because its settings could not be read: {why}")));
        }
        let why = match self.trust(home)? {
            GitTrust::Harmless | GitTrust::Trusted => return Ok(None),
            GitTrust::Unknown => "run `toolc trust`, if you trust them",
            GitTrust::Changed => "they have changed since you trusted them: run `toolc trust`",
        };
        let names = self.programs.iter().map(|(key, ..)| key.clone());
        let names: Vec<String> = names.chain(self.hooks.iter().map(|hook| format!("hook {}", hook.name))).collect();
        let further = names.len().saturating_sub(MAX_NAMED);
        let mut list = show::one_line(&names[..names.len() - further].join(", "));
        if further > 0 {
            let _ = write!(list, " and {further} more");
        }
        let is_off = self.programs.iter().any(|(.., replacement)| *replacement == Replacement::Off);
        let effect = if is_off { "so git does not run for the model" } else { "which git ignores for the model" };
        Ok(Some(format!("this project has git settings that run programs ({list}), {effect}: {why}")))
    }

    /// Returns the settings and hooks that the user decides about.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let Some(repository) = self.repository.as_ref().filter(|_| !self.runs_nothing()) else { return text };
        let _ = writeln!(text, "{} has settings that run programs:", show::one_line(&repository.display().to_string()));
        for (key, value, _) in &self.programs {
            let _ = writeln!(text, "  {} = {}", show::one_line(key), show::one_line(value));
        }
        for hook in &self.hooks {
            let _ = writeln!(text, "  hook {}   {} bytes", show::one_line(&hook.name), hook.bytes);
        }
        text + "Git runs these programs with all your rights, even for commands such as `git status`.\n"
    }

    /// Returns the section on git for the report of `doctor`.
    pub(crate) fn section(&self, home: &Home) -> DoctorSection {
        let (note, problems) = match self.note(home) {
            Ok(note) => (note, Vec::new()),
            Err(error) => (None, vec![error.to_string()]),
        };
        let programs: Vec<&str> = self.programs.iter().map(|(key, ..)| key.as_str()).collect();
        let hooks: Vec<&str> = self.hooks.iter().map(|hook| hook.name.as_str()).collect();
        DoctorSection {
            key: "git".to_owned(),
            json: json!({ "repository": self.repository, "programs": programs, "hooks": hooks, "note": note }),
            text: note.map_or_else(String::new, |note| format!("git: {note}")),
            problems,
        }
    }
}

/// Returns the workspace of a directory, whose programs get the variables that override git settings. At a terminal, prints a
/// note if settings are ignored.
///
/// # Errors
/// If the list of trusted projects cannot be read.
pub(crate) fn workspace(directory: &Path, git: Option<&ProjectGit>, home: &Home) -> Result<Workspace> {
    let Some(git) = git else { return Ok(Workspace::new(directory)) };
    if let Some(note) = git.note(home)?.filter(|_| io::stderr().is_terminal()) {
        tell!("note: {note}");
    }
    Ok(Workspace::new(directory).with_child_variables(git.child_variables(home)?))
}

/// Returns the effective setting of a key: git uses the last one.
fn effective_setting<'s>(settings: &'s [Setting], key: &str) -> Option<&'s Setting> {
    settings.iter().rfind(|setting| setting.key.eq_ignore_ascii_case(key))
}
