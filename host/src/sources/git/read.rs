//! Reads the settings and the hooks of a git repository. Nothing of the repository runs: `git config` and `git rev-parse` only read.

use std::env;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolc::approval::is_credential;
use toolc_config::digest;

use crate::ground::error::{Error, Result};
use crate::sources::program;

/// The maximum number of hooks.
const MAX_HOOKS: usize = 200;
/// The maximum size of a hook, in bytes.
const MAX_HOOK_BYTES: u64 = 4 << 20;

/// The maximum number of settings in environment variables.
const MAX_IN_VARIABLES: usize = 1000;

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) key: String,
    pub(super) value: String,
    /// Whether the setting comes from the user or the system, and not from the repository.
    pub(super) is_from_user: bool,
}

/// A hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hook {
    pub(super) name: String,
    pub(super) bytes: usize,
    pub(super) digest: String,
}

/// A repository.
#[derive(Debug)]
pub(super) struct Repository {
    /// The folder of the settings and hooks, which all work trees share.
    pub(super) common: PathBuf,
    /// The folder that contains `.git`.
    root: PathBuf,
}

impl Repository {
    /// Returns the folder that a setting names.
    pub(super) fn path_of(&self, value: &str) -> PathBuf {
        match (value.strip_prefix("~/"), env::home_dir()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.root.join(value),
        }
    }
}

/// Returns all settings that apply in a directory, in the order in which git reads them.
///
/// # Errors
/// If git fails, or there are too many settings.
pub(super) fn settings(directory: &Path) -> Result<Vec<Setting>> {
    let Some(output) = git(directory, &["config", "-z", "--list", "--show-scope"])? else { return Ok(Vec::new()) };
    let text = output.map_err(|errors| format!("`git config` failed: {errors}"))?;
    Ok(parse_settings(&text))
}

/// Returns the repository of a directory, or `None` if git finds none.
///
/// # Errors
/// If git takes too long.
pub(super) fn repository(directory: &Path) -> Result<Option<Repository>> {
    let Some(root) = directory.ancestors().find(|folder| folder.join(".git").exists()) else { return Ok(None) };
    let Some(Ok(path)) = git(directory, &["rev-parse", "--git-common-dir"])? else { return Ok(None) };
    let common = directory.join(path.trim_end_matches('\n'));
    let common =
        fs::canonicalize(&common).map_err(|error| Error::failed(format!("find {}", common.display()), error))?;
    Ok(Some(Repository { common, root: root.to_owned() }))
}

/// Returns the hooks in a folder that git would run, sorted by name. A missing folder has no hooks.
///
/// # Errors
/// If a hook cannot be read or is too large, or there are too many.
pub(super) fn hooks(folder: &Path) -> Result<Vec<Hook>> {
    let failed = |path: &Path, error: &dyn std::fmt::Display| format!("failed to read {}: {error}", path.display());
    let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| failed(folder, &error))?.path();
        let is_hook = path.extension().is_none_or(|extension| extension != "sample");
        if is_hook && fs::metadata(&path).is_ok_and(|meta| meta.is_file() && can_run(&meta)) {
            paths.push(path);
        }
        if paths.len() > MAX_HOOKS {
            return Err(Error::Invalid(failed(folder, &format!("the folder has more than {MAX_HOOKS} hooks"))));
        }
    }
    paths.sort();
    let hook = |path: PathBuf| {
        let mut content = Vec::new();
        let read = fs::File::open(&path).and_then(|file| file.take(MAX_HOOK_BYTES + 1).read_to_end(&mut content));
        read.map_err(|error| failed(&path, &error))?;
        if content.len() as u64 > MAX_HOOK_BYTES {
            return Err(failed(&path, &format!("the hook has more than {MAX_HOOK_BYTES} bytes")));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Hook { name, bytes: content.len(), digest: digest([content.as_slice()]) })
    };
    paths.into_iter().map(hook).collect::<Result<_, String>>().map_err(Error::Invalid)
}

#[cfg(unix)]
fn can_run(meta: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn can_run(_: &fs::Metadata) -> bool {
    true
}

/// Parses the output of `git config -z --list --show-scope`: the scope, a zero byte, the key, a line break, the value, a zero byte.
fn parse_settings(text: &str) -> Vec<Setting> {
    let mut parts = text.split('\0');
    let mut settings = Vec::new();
    while let (Some(scope), Some(setting)) = (parts.next(), parts.next()) {
        // A key without a value is true.
        let (key, value) = setting.split_once('\n').unwrap_or((setting, "true"));
        let is_from_user = matches!(scope, "system" | "global" | "command");
        settings.push(Setting { key: key.to_owned(), value: value.to_owned(), is_from_user });
    }
    settings
}

/// Runs a git command that only reads, within a time: an `include` in the settings could name a pipe, which blocks. Returns its output, or its messages as an error, or `None` if git is not installed.
///
/// # Errors
/// If git takes too long, or prints too much.
fn git(directory: &Path, arguments: &[&str]) -> Result<Option<Result<String, String>>> {
    let Some(git) = program::find("git") else { return Ok(None) };
    let mut command = Command::new(git);
    command.args(arguments).current_dir(directory).env_clear().envs(variables());
    program::run("git", command).map(Some)
}

/// Returns the variables of git: variables that every program needs, and variables that decide which settings git reads.
fn variables() -> Vec<(String, String)> {
    let baseline = toolc_process::baseline(["XDG_CONFIG_HOME"], |name| env::var(name).ok());
    let git_variables =
        env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let git_variables = git_variables.filter(|(name, value)| name.starts_with("GIT_") && !is_credential(name, value));
    // The messages of git are shown to the user, so they must be in English.
    let user_settings = settings_in_variables();
    let settings = as_variables(&user_settings).chain([("LC_ALL".to_owned(), "C".to_owned())]);
    baseline.into_iter().chain(git_variables).chain(settings).collect()
}

/// Returns the settings that the user has made with environment variables, except settings with a credential, such as a header.
pub(super) fn settings_in_variables() -> Vec<(String, String)> {
    let count: usize = env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    let pair = |index| {
        let [key, value] = ["KEY", "VALUE"].map(|part| env::var(format!("GIT_CONFIG_{part}_{index}")).ok());
        Some((key?, value?))
    };
    let is_secret = |(key, value): &(String, String)| {
        let name = key.to_ascii_lowercase();
        name.ends_with("extraheader") || is_credential(&name.replace('.', "_"), value)
    };
    (0..count.min(MAX_IN_VARIABLES)).filter_map(pair).filter(|pair| !is_secret(pair)).collect()
}

/// Returns the environment variables that make these settings.
pub(super) fn as_variables(settings: &[(String, String)]) -> impl Iterator<Item = (String, String)> {
    let pairs = settings.iter().enumerate().flat_map(|(index, (key, value))| {
        [(format!("GIT_CONFIG_KEY_{index}"), key.clone()), (format!("GIT_CONFIG_VALUE_{index}"), value.clone())]
    });
    pairs.chain([("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_with_their_scope_and_all_characters() {
        let text = "system\0core.pager\nless\0global\0alias.a b\nx\ny=z\0local\0core.bare\0worktree\0user.name\n\0";
        let read: Vec<_> = parse_settings(text).into_iter().map(|it| (it.key, it.value, it.is_from_user)).collect();
        let expected = [
            ("core.pager", "less", true),
            ("alias.a b", "x\ny=z", true),
            ("core.bare", "true", false),
            ("user.name", "", false),
        ];
        assert_eq!(read, expected.map(|(key, value, is_from_user)| (key.to_owned(), value.to_owned(), is_from_user)));
        assert_eq!(parse_settings(""), []);
        assert_eq!(parse_settings("local"), []);
    }
}
