//! The settings and hooks of the current project's git repository that run programs.
//!
//! A folder that a user has unpacked can have a `.git/config` that makes `git status` run any program. Before the user trusts these
//! settings, the programs that a model controls get variables with which git ignores them: what the user has set for all repositories
//! counts, or else a value that runs nothing. Other settings of the repository stay as they are.

mod programs;
mod read;

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::json;
use toolc_cli::DoctorSection;
use toolc_config::{Home, digest, revoke_repository, trust_repository, trusted_repositories};
use toolc_workspace::{ChildVariables, Workspace};

use crate::ground::error::{Error, Result};
use crate::ground::show;
use programs::{Neutral, neutral};
use read::{Hook, Setting, settings};

/// Settings that are replaced in every repository, because a command can enter another one.
const FIXED: &[(&str, &str)] = &[("core.fsmonitor", "false"), ("core.hookspath", "/dev/null")];
/// Those that are replaced also where the user trusts the project. A folder that has the files of a repository, but is not called
/// `.git`, is not taken for one, and an address does not become a command line.
const ALWAYS: &[(&str, &str)] = &[("safe.barerepository", "explicit"), ("protocol.ext.allow", "never")];
/// The directory of the repository where git must not run. Its messages show it.
const OFF: &str = "/dev/null/git is off: the user has not trusted the git settings of this project (`toolc trust`)";
/// The maximum number of settings that run programs.
const MAX_PROGRAMS: usize = 500;
/// The maximum number of settings and hooks that a message names.
const MAX_NAMED: usize = 3;

/// What git would run in a directory.
#[derive(Debug)]
pub(crate) struct ProjectGit {
    /// All settings of all files, in the order in which git reads them.
    settings: Vec<Setting>,
    /// The settings of the repository that run programs.
    programs: Vec<(String, String, Neutral)>,
    hooks: Vec<Hook>,
    /// The folder of the repository, or `None` outside of any.
    repository: Option<PathBuf>,
    /// Why the settings are not known.
    unknown: Option<String>,
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

/// The settings of a directory while they are read.
pub(crate) struct Reading(Option<thread::JoinHandle<ProjectGit>>);

impl Reading {
    /// Begins to read the settings of a directory.
    pub(crate) fn begin(directory: &Path) -> Self {
        let directory = directory.to_owned();
        Self(thread::Builder::new().name("git".to_owned()).spawn(move || ProjectGit::read(&directory)).ok())
    }

    /// Returns the settings.
    pub(crate) fn end(self) -> ProjectGit {
        let read = self.0.and_then(|thread| thread.join().ok());
        read.unwrap_or_else(|| ProjectGit::unknown("they could not be read".to_owned()))
    }
}

impl ProjectGit {
    /// Reads the settings of a directory.
    pub(crate) fn read(directory: &Path) -> Self {
        Self::try_read(directory).unwrap_or_else(|error| Self::unknown(error.to_string()))
    }

    fn unknown(why: String) -> Self {
        Self { settings: Vec::new(), programs: Vec::new(), hooks: Vec::new(), repository: None, unknown: Some(why) }
    }

    fn try_read(directory: &Path) -> Result<Self> {
        let settings = settings(directory)?;
        let repository = read::repository(directory)?;
        let mut programs = Vec::new();
        for setting in settings.iter().filter(|setting| !setting.is_of_user) {
            if let Some(neutral) = neutral(&setting.key, &setting.value) {
                programs.push((setting.key.clone(), setting.value.clone(), neutral));
            }
        }
        if programs.len() > MAX_PROGRAMS {
            return Err(Error::Invalid(format!("more than {MAX_PROGRAMS} of them run programs")));
        }
        let folder = last(&settings, "core.hookspath");
        let hooks = match (&repository, folder) {
            (Some(_), Some(Setting { is_of_user: true, .. })) | (None, _) => Vec::new(),
            (Some(repository), None) => read::hooks(&repository.common.join("hooks"))?,
            (Some(repository), Some(setting)) => read::hooks(&repository.path_of(&setting.value))?,
        };
        let repository = repository.map(|repository| repository.common);
        Ok(Self { settings, programs, hooks, repository, unknown: None })
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
        let listed = trusted_repositories(home)?.into_iter().find(|(known, _)| known == repository);
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
    pub(crate) fn add(&self, home: &Home) -> Result<()> {
        let Some(repository) = self.repository.as_deref() else { return Ok(()) };
        Ok(trust_repository(home, repository, &self.digest())?)
    }

    /// Trusts the settings no more. Returns whether they were trusted.
    ///
    /// # Errors
    /// If the list cannot be read or written.
    pub(crate) fn revoke(&self, home: &Home) -> Result<bool> {
        let Some(repository) = self.repository.as_deref() else { return Ok(false) };
        Ok(revoke_repository(home, repository)?)
    }

    /// Returns whether nothing of the repository runs programs.
    pub(crate) fn runs_nothing(&self) -> bool {
        self.programs.is_empty() && self.hooks.is_empty() && self.unknown.is_none()
    }

    /// Returns why the settings are not known.
    pub(crate) fn why_unknown(&self) -> Option<&str> {
        self.unknown.as_deref()
    }

    /// Returns a digest of the settings that run programs, and of the hooks.
    fn digest(&self) -> String {
        let settings = self.programs.iter().flat_map(|(key, value, _)| [key.as_bytes(), value.as_bytes()]);
        let hooks = self.hooks.iter().flat_map(|hook| [hook.name.as_bytes(), hook.digest.as_bytes()]);
        let folder = last(&self.settings, "core.hookspath").map(|setting| setting.value.as_bytes());
        digest(settings.chain([&b"hooks"[..]]).chain(folder).chain(hooks))
    }

    /// Returns which variables the programs of a model get.
    ///
    /// # Errors
    /// If the list of trusted projects cannot be read.
    pub(crate) fn child_variables(&self, home: &Home) -> Result<ChildVariables> {
        let is_trusted = self.trust(home)? == GitTrust::Trusted;
        let mut replaced: Vec<(String, String)> = Vec::new();
        let mut replace = |key: &str, neutral: &str| {
            // What the user has set for all repositories counts.
            let own = self.settings.iter().rfind(|setting| setting.is_of_user && setting.key.eq_ignore_ascii_case(key));
            let value = own.map_or(neutral, |setting| &setting.value);
            replaced.push((key.to_owned(), value.to_owned()));
        };
        for (key, value) in ALWAYS {
            replace(key, value);
        }
        let mut is_off = false;
        if !is_trusted {
            for (key, value) in FIXED {
                replace(key, value);
            }
            is_off = self.unknown.is_some();
            for (key, _, neutral) in &self.programs {
                match neutral {
                    Neutral::Value(value) => replace(key, value),
                    Neutral::Off => is_off = true,
                }
                if let Some(filter) = key.strip_prefix("filter.").and_then(|key| key.rsplit_once('.')) {
                    // Otherwise git fails, because the filter does nothing.
                    replace(&format!("filter.{}.required", filter.0), "false");
                }
            }
        }
        // The user's own settings of this kind come first.
        let settings = [read::settings_in_variables(), replaced].concat();
        let off = is_off.then(|| ("GIT_DIR".to_owned(), OFF.to_owned()));
        let all = read::as_variables(&settings).chain(off);
        Ok(all.fold(ChildVariables::default(), |variables, (name, value)| variables.set(name, value)))
    }

    /// Returns what the user has to know if settings are ignored.
    ///
    /// # Errors
    /// If the list of trusted projects cannot be read.
    pub(crate) fn note(&self, home: &Home) -> Result<Option<String>> {
        if let Some(why) = &self.unknown {
            return Ok(Some(format!("git does not run for the model, because its settings are not known: {why}")));
        }
        let why = match self.trust(home)? {
            GitTrust::Harmless | GitTrust::Trusted => return Ok(None),
            GitTrust::Unknown => "run `toolc trust`, if you trust them",
            GitTrust::Changed => "they have changed since you trusted them: run `toolc trust`",
        };
        let names = self.programs.iter().map(|(key, ..)| key.clone());
        let names: Vec<String> = names.chain(self.hooks.iter().map(|hook| format!("hook {}", hook.name))).collect();
        let further = names.len().saturating_sub(MAX_NAMED);
        let mut shown = show::one_line(&names[..names.len() - further].join(", "));
        if further > 0 {
            let _ = write!(shown, " and {further} more");
        }
        let is_off = self.programs.iter().any(|(.., neutral)| *neutral == Neutral::Off);
        let effect = if is_off { "so git does not run for the model" } else { "which git ignores for the model" };
        Ok(Some(format!("this project has git settings that run programs ({shown}), {effect}: {why}")))
    }

    /// Returns what the user decides about.
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
        text + "Git runs these programs with all your rights, also for commands such as `git status`.\n"
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

/// Returns the workspace of the current directory, in which programs get the variables of its git settings. Tells a user at a terminal
/// if settings are ignored.
///
/// # Errors
/// If the list of trusted projects cannot be read.
pub(crate) fn workspace(git: Option<&ProjectGit>, home: &Home) -> Result<Workspace> {
    let Some(git) = git else { return Ok(Workspace::current()) };
    if let Some(note) = git.note(home)?.filter(|_| io::stderr().is_terminal()) {
        eprintln!("note: {note}");
    }
    Ok(Workspace::current().with_child_variables(git.child_variables(home)?))
}

/// Returns the setting of a key that counts.
fn last<'s>(settings: &'s [Setting], key: &str) -> Option<&'s Setting> {
    settings.iter().rfind(|setting| setting.key.eq_ignore_ascii_case(key))
}
