//! `toolc environments put` and `get`: copies files between this machine and a remote one.

#[cfg(not(unix))]
use std::path::Path;

use toolc_environment::EnvironmentKind;

use crate::ground::error::{Error, Result};
use crate::profile::Profile;

/// Copies to another machine. Returns the exit status.
#[cfg(not(unix))]
pub(super) fn put(_: EnvironmentKind, _: &Profile, _: &Path, _: Option<&Path>) -> Result<u8> {
    Err(Error::Invalid("copying files to another machine needs Unix".to_owned()))
}

/// Copies from another machine. Returns the exit status.
#[cfg(not(unix))]
pub(super) fn get(_: EnvironmentKind, _: &Profile, _: &Path, _: Option<&Path>) -> Result<u8> {
    Err(Error::Invalid("copying files from another machine needs Unix".to_owned()))
}

#[cfg(unix)]
pub(super) use unix::{get, put};

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::io;
    use std::path::Path;
    use std::sync::Arc;

    use toolc_environment::copy::{self, Copied, Limits};
    use toolc_environment::{Environment, FilesOf};
    use toolc_workspace::Workspace;

    use super::{EnvironmentKind, Error, Profile, Result};
    use crate::environments::{Start, environments, on_this_machine};
    use crate::ground::ask;
    use crate::ground::show;
    use crate::ground::tell::tell;

    pub(crate) fn put(kind: EnvironmentKind, profile: &Profile, source: &Path, target: Option<&Path>) -> Result<u8> {
        let environment = remote_environment(kind, profile)?;
        let resolved = source.canonicalize().map_err(|error| failed(source, &error))?;
        let target = environment.directory().join(target.unwrap_or(Path::new(default_target(source, &resolved)?)));
        let copied = copy::put(&*environment, &resolved, &target, &Limits::default());
        report(&copied.map_err(|error| failed(source, &error))?, &target)
    }

    pub(crate) fn get(kind: EnvironmentKind, profile: &Profile, source: &Path, target: Option<&Path>) -> Result<u8> {
        let environment = remote_environment(kind, profile)?;
        let remote = environment.directory().join(source);
        let target = target.unwrap_or(Path::new(default_target(source, &remote)?));
        let copied = copy::get(&*environment, &remote, target, &Limits::default());
        report(&copied.map_err(|error| failed(source, &error))?, target)
    }

    /// Returns the default target: the file name of the source.
    fn default_target<'p>(source: &'p Path, resolved: &'p Path) -> Result<&'p OsStr> {
        let name = source.file_name().or_else(|| resolved.file_name());
        name.ok_or_else(|| format!("`{}` has no file name: pass the target as the second argument", source.display()))
            .map_err(Error::Invalid)
    }

    fn failed(source: &Path, error: &io::Error) -> String {
        format!("failed to copy `{}`: {error}", source.display())
    }

    /// Returns an environment on the remote machine that the configuration names.
    fn remote_environment(kind: EnvironmentKind, profile: &Profile) -> Result<Arc<dyn Environment>> {
        let reason = match kind.files() {
            FilesOf::OtherMachine => None,
            FilesOf::ThisMachine => Some("its tasks use the files of this machine directly"),
            FilesOf::Task => {
                Some("its tasks work in a directory of this machine, and all other files are deleted when a task ends")
            }
            FilesOf::Service => Some(
                "each task has its own sandbox, which is deleted when the task ends: set `environment.put` and `environment.get` in config.toml",
            ),
        };
        if let Some(reason) = reason {
            return Err(Error::Invalid(format!(
                "nothing can be copied for the environment `{}`: {reason}",
                kind.name()
            )));
        }
        let failed = |error: io::Error| format!("the environment `{}` cannot be used: {error}", kind.name());
        let workspace = Workspace::new(on_this_machine(Start::Configured, kind, profile.config())?);
        let offered = environments(kind, profile, &workspace, true);
        offered
            .make_for(kind.name(), workspace.dir(), Some(profile.home.path()))
            .map_err(failed)
            .map_err(Error::Invalid)
    }

    fn report(copied: &Copied, target: &Path) -> Result<u8> {
        for path in &copied.skipped {
            let path = show::one_line(&path.display().to_string());
            tell!(
                "warning: `{path}` was not copied, because it is a link that leads out of the folder, a device, a pipe or a socket"
            );
        }
        let target = show::one_line(&target.display().to_string());
        let (files, bytes) = (show::counted(copied.files, "file"), show::counted(copied.bytes, "byte"));
        ask::print(&format!("copied: {files}, {bytes}, to {target}\n"))?;
        Ok(0)
    }
}
