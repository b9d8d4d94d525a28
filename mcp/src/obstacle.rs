//! Says why a server could not start, as far as that is known without starting it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use toolc::Env;

use crate::settings::{Server, Transport};

impl Server {
    /// Returns why the server would not start: its program or its directory does not exist, or its start is not the one that was accepted. Returns
    /// `None` if nothing is known to be in the way. Nothing is started, and no address is asked.
    pub fn obstacle(&self, env: &Env) -> Option<String> {
        let changed = match self.changed_start() {
            Ok(None) => None,
            Ok(Some(_)) => Some(format!(
                "its command line or address has changed since it was accepted: run `toolc mcp accept {}`",
                self.name
            )),
            Err(error) => Some(error.to_string()),
        };
        let Transport::Stdio { command, directory, .. } = &self.transport else { return changed };
        if let Some(directory) = directory.as_deref().filter(|directory| !directory.is_dir()) {
            return Some(format!("its directory {} does not exist", directory.display()));
        }
        if cfg!(unix) && self.program(env).is_none() {
            return Some(if command.contains('/') {
                format!("the program {command} does not exist, or may not be run")
            } else {
                format!("no program `{command}` is in `PATH`: install it, or write its path")
            });
        }
        changed
    }

    /// Returns the path of the program that would run. `None` if there is none, and for an address.
    pub fn program(&self, env: &Env) -> Option<PathBuf> {
        let Transport::Stdio { command, directory, .. } = &self.transport else { return None };
        if command.contains('/') {
            // A program is started in its directory.
            let path = directory.as_deref().map_or_else(|| PathBuf::from(command), |directory| directory.join(command));
            return is_program(&path).then_some(path);
        }
        let folders = env.os_var("PATH")?;
        // Programs in relative folders are not run.
        env::split_paths(&folders)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(command))
            .find(|path| is_program(path))
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::settings::tests::program;

    #[test]
    fn a_missing_program_is_reported_as_an_obstacle() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = |name: &str| folder.path().join(name);
        let file = |name: &str, mode: u32| {
            fs::write(path(name), "").expect("failed to write");
            fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).expect("failed to set the mode");
        };
        file("runs", 0o700);
        file("text", 0o600);
        let env = Env::empty().with_var("PATH", format!("relative:{}", folder.path().display()));
        let absolute = path("runs").display().to_string();
        for command in ["runs", &absolute] {
            assert_eq!(program(command).obstacle(&env), None, "{command}");
            assert_eq!(program(command).program(&env), Some(path("runs")));
        }
        for (command, why) in [
            ("text", "no program `text` is in `PATH`"),
            ("missing", "no program `missing` is in `PATH`"),
            ("/no/such/program", "/no/such/program does not exist"),
        ] {
            let obstacle = program(command).obstacle(&env).unwrap_or_default();
            assert!(obstacle.contains(why), "{command}: {obstacle}");
        }
        let mut elsewhere = program("runs");
        if let Transport::Stdio { directory, .. } = &mut elsewhere.transport {
            *directory = Some(path("no folder"));
        }
        assert!(elsewhere.obstacle(&env).is_some_and(|why| why.contains("its directory")));
    }
}
