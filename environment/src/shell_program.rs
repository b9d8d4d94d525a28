//! The shell that runs lines in an environment.

#[cfg(unix)]
use std::ffi::OsStr;
#[cfg(unix)]
use std::path::PathBuf;

use crate::Program;

/// The shell of an environment: bash where there is one, because models write for bash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shell {
    /// bash.
    Bash,
    /// `sh`, which is another shell, such as dash or that of busybox.
    Posix,
    /// `cmd` of Windows.
    Cmd,
}

impl Shell {
    /// Returns the name of the program.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Posix => "sh",
            Self::Cmd => "cmd",
        }
    }

    /// Returns bash if a folder of `path`, in the form of the variable `PATH`, has a file of this name, which `is_program` accepts.
    #[cfg(unix)]
    pub(crate) fn find_in(path: Option<&OsStr>, is_program: impl Fn(PathBuf) -> bool) -> Self {
        let mut folders = path.into_iter().flat_map(std::env::split_paths).filter(|folder| folder.is_absolute());
        if folders.any(|folder| is_program(folder.join(Self::Bash.name()))) { Self::Bash } else { Self::Posix }
    }
}

impl Program {
    /// Returns the program with its arguments that runs a line in a shell of the POSIX family. Other programs stay as they are.
    #[cfg(unix)]
    pub(crate) fn in_shell(self, shell: Shell) -> Self {
        match self {
            Self::Shell(line) => Self::Command(shell.name().into(), vec!["-c".into(), line.into()]),
            program @ Self::Command(..) => program,
        }
    }
}

/// Returns whether a file can be run.
#[cfg(unix)]
pub(crate) fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn bash_is_the_shell_if_a_folder_of_the_path_has_it() {
        let shell = |path: Option<&str>| {
            Shell::find_in(path.map(OsStr::new), |file| file == std::path::Path::new("/opt/bin/bash"))
        };
        assert_eq!(shell(Some("/bin:/opt/bin")), Shell::Bash);
        for path in [Some("/bin:/opt"), Some("bin:opt/bin"), Some(""), None] {
            assert_eq!(shell(path), Shell::Posix, "{path:?}");
        }
    }

    #[test]
    fn a_line_is_an_argument_of_the_shell() {
        let program = Program::Shell("a && b".to_owned());
        let words = |shell: &str| Program::Command(shell.into(), vec!["-c".into(), "a && b".into()]);
        assert_eq!(program.clone().in_shell(Shell::Bash), words("bash"));
        assert_eq!(program.in_shell(Shell::Posix), words("sh"));
        assert_eq!(words("x").in_shell(Shell::Bash), words("x"));
    }
}
