//! Copies between this machine and another one, for the person who runs the command.

#[cfg(not(unix))]
use std::path::Path;

use crate::environments::EnvironmentKind;
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
    Err(Error::Invalid("copying files of another machine needs Unix".to_owned()))
}

#[cfg(unix)]
pub(super) use unix::{get, put};

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::io;
    use std::path::Path;
    use std::sync::Arc;

    use toolc_environment::Environment;
    use toolc_environment::copy::{self, Copied, Limits};
    use toolc_workspace::Workspace;

    use super::{EnvironmentKind, Error, Profile, Result};
    use crate::environments::environments;
    use crate::ground::ask;
    use crate::ground::show;

    pub(crate) fn put(kind: EnvironmentKind, profile: &Profile, source: &Path, target: Option<&Path>) -> Result<u8> {
        let environment = machine(kind, profile)?;
        let resolved = source.canonicalize().map_err(|error| failed(source, &error))?;
        let target = environment.directory().join(target.unwrap_or(Path::new(name(source, &resolved)?)));
        let copied = copy::put(&*environment, &resolved, &target, &Limits::default());
        report(&copied.map_err(|error| failed(source, &error))?, &target)
    }

    pub(crate) fn get(kind: EnvironmentKind, profile: &Profile, source: &Path, target: Option<&Path>) -> Result<u8> {
        let environment = machine(kind, profile)?;
        let there = environment.directory().join(source);
        let target = target.unwrap_or(Path::new(name(source, &there)?));
        let copied = copy::get(&*environment, &there, target, &Limits::default());
        report(&copied.map_err(|error| failed(source, &error))?, target)
    }

    /// Returns the name of a source for which no target is given.
    fn name<'p>(source: &'p Path, resolved: &'p Path) -> Result<&'p OsStr> {
        let name = source.file_name().or_else(|| resolved.file_name());
        name.ok_or_else(|| format!("`{}` has no name: say where its copy is to be", source.display()))
            .map_err(Error::Invalid)
    }

    fn failed(source: &Path, error: &io::Error) -> String {
        format!("failed to copy `{}`: {error}", source.display())
    }

    /// Returns an environment on the other machine of the configuration.
    fn machine(kind: EnvironmentKind, profile: &Profile) -> Result<Arc<dyn Environment>> {
        let why_not = match kind {
            EnvironmentKind::Ssh => None,
            EnvironmentKind::Local => Some("its files are those of this machine"),
            EnvironmentKind::Sandbox | EnvironmentKind::Docker | EnvironmentKind::Apptainer => {
                Some("the directory of its tasks is that of this machine, and the rest ends with each task")
            }
            EnvironmentKind::Daytona | EnvironmentKind::Modal => Some(
                "each task has a sandbox that ends with it: set `environment.put` and `environment.get` in config.toml",
            ),
        };
        if let Some(reason) = why_not {
            return Err(Error::Invalid(format!(
                "nothing can be copied for the environment `{}`: {reason}",
                kind.name()
            )));
        }
        let failed = |error: io::Error| format!("the environment `{}` cannot be used: {error}", kind.name());
        let offered = environments(kind, profile, true);
        offered
            .make_for(kind.name(), Workspace::current().dir(), Some(profile.home.path()))
            .map_err(failed)
            .map_err(Error::Invalid)
    }

    fn report(copied: &Copied, target: &Path) -> Result<u8> {
        for path in &copied.skipped {
            let path = show::one_line(&path.display().to_string());
            eprintln!("warning: `{path}` was not copied: it is a link that leads out, a device, a pipe or a socket");
        }
        let target = show::one_line(&target.display().to_string());
        ask::print(&format!("copied: {} files, {} bytes, to {target}\n", copied.files, copied.bytes))?;
        Ok(0)
    }
}
