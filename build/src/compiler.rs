//! The `xtask` of a project: runs the compiler that is installed, or compiles it.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The version of the compiler whose output fits the crates of this version.
const WANTED: &str = env!("CARGO_PKG_VERSION");

/// The program that packages and `cargo install` put on the path.
const PROGRAM: &str = "cargo-toolc";

/// The environment variable with the command that the user runs, which the compiler names in its advice.
#[doc(hidden)]
pub const RUN_AS: &str = "TOOLC_RUN_AS";

/// The `main` of a project's `xtask`: runs the compiler with the arguments of this process. It runs the installed `cargo-toolc` if its
/// version is that of this crate; otherwise cargo compiles and runs the program `xtask-compiler` of `package`, with its feature `compiler`.
pub fn run_compiler(package: &str) -> ExitCode {
    let found = Installed::find();
    let mut command = match &found {
        Installed::Matching(program) => Command::new(program),
        other => {
            if !matches!(other, Installed::Missing) || !is_compiled() {
                eprintln!("note: {other}; cargo compiles it instead. To install it: {}", install_advice());
            }
            compile_command(package)
        }
    };
    command.args(env::args_os().skip(1)).env(RUN_AS, "cargo xtask");
    run(&mut command)
}

/// The installed compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Installed {
    /// The version matches this crate.
    Matching(PathBuf),
    Other {
        program: PathBuf,
        version: String,
    },
    /// It does not print its version.
    Broken {
        program: PathBuf,
        why: String,
    },
    Missing,
}

impl Installed {
    fn find() -> Self {
        let mut folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
        // Cargo looks for subcommands there as well.
        let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
        folders.extend(cargo_home.map(|home| home.join("bin")));
        Self::find_in(&folders)
    }

    /// Looks for the program in folders, in this order.
    fn find_in(folders: &[PathBuf]) -> Self {
        let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
        // A relative folder would be another one in each working directory.
        let paths = folders.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(&name));
        let Some(program) = paths.into_iter().find(|path| path.is_file()) else { return Self::Missing };
        let why = match version(&program) {
            Ok(version) if version == WANTED => return Self::Matching(program),
            Ok(version) => return Self::Other { program, version },
            Err(why) => why,
        };
        Self::Broken { program, why }
    }
}

impl fmt::Display for Installed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matching(program) => write!(f, "{} has version {WANTED}", program.display()),
            Self::Other { program, version } => {
                write!(f, "this project needs {PROGRAM} {WANTED}, and {} has version {version}", program.display())
            }
            Self::Broken { program, why } => {
                write!(f, "this project needs {PROGRAM} {WANTED}, and {} does not run: {why}", program.display())
            }
            Self::Missing => write!(f, "{PROGRAM} {WANTED} is not installed"),
        }
    }
}

/// Asks a compiler for its version.
fn version(program: &Path) -> Result<String, String> {
    let mut command = Command::new(program);
    let output = command.arg("--version").stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
    let line: String = text.lines().next().unwrap_or_default().chars().filter(|letter| !letter.is_control()).collect();
    match line.split_whitespace().next_back() {
        Some(version) if output.status.success() => Ok(version.to_owned()),
        _ if line.is_empty() => Err(output.status.to_string()),
        _ => Err(line),
    }
}

/// Returns the command that installs the compiler of this version, from the same source as this crate.
#[doc(hidden)]
pub fn install_advice() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = folder.with_file_name(PROGRAM);
    if source.join("Cargo.toml").is_file() {
        format!("`cargo install --locked --path {}`", source.display())
    } else if folder.join("Cargo.toml.orig").is_file() {
        // Cargo writes this file when it packages a crate for the registry.
        format!(
            "`cargo install {PROGRAM}@{WANTED}`, `pip install {PROGRAM}=={WANTED}` or `npm install --global {PROGRAM}@{WANTED}`"
        )
    } else {
        format!("`cargo install --locked --path {PROGRAM}` in toolc's repository")
    }
}

/// Returns the profile of this program, which is the name of its folder unless that is `debug`.
fn profile() -> Option<OsString> {
    let program = env::current_exe().ok()?;
    program.parent()?.file_name().filter(|name| *name != "debug").map(OsString::from)
}

/// Returns whether cargo has compiled the compiler before, which is then next to this program.
fn is_compiled() -> bool {
    let name = format!("{COMPILER}{}", env::consts::EXE_SUFFIX);
    env::current_exe().is_ok_and(|program| program.with_file_name(name).is_file())
}

/// The program of an `xtask` that contains the compiler.
const COMPILER: &str = "xtask-compiler";

/// Returns the command that compiles and runs the compiler.
fn compile_command(package: &str) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["run", "--package", package, "--bin", COMPILER, "--features", "compiler"]);
    if let Some(profile) = profile() {
        cargo.arg("--profile").arg(profile);
    }
    cargo.arg("--");
    cargo
}

/// Replaces this process, so that Ctrl-C and the exit status are those of the command.
#[cfg(unix)]
fn run(command: &mut Command) -> ExitCode {
    use std::os::unix::process::CommandExt as _;

    let error = command.exec();
    failed(command, &error)
}

#[cfg(not(unix))]
fn run(command: &mut Command) -> ExitCode {
    match command.status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2)),
        Err(error) => failed(command, &error),
    }
}

fn failed(command: &Command, error: &std::io::Error) -> ExitCode {
    eprintln!("error: failed to run {}: {error}", command.get_program().display());
    ExitCode::from(2)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A folder that is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        /// Returns a folder with a `cargo-toolc` that is this script.
        fn new(name: &str, script: &str) -> Self {
            let folder = env::temp_dir().join(format!("toolc-build-{}-{name}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            let program = folder.join(PROGRAM);
            // Written by another process: otherwise a test that starts a process at the same time could keep the file open for writing.
            let written =
                Command::new("sh").args(["-c", "printf '%s' \"$1\" > \"$0\""]).arg(&program).arg(script).status();
            assert!(written.unwrap().success());
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
            Self(folder)
        }

        fn find(&self) -> Installed {
            Installed::find_in(&[PathBuf::from("."), self.0.join("missing"), self.0.clone()])
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn only_an_installed_compiler_of_the_same_version_is_used() {
        let wanted =
            Folder::new("wanted", &format!("#!/bin/sh\n[ \"$*\" = --version ] && echo cargo toolc {WANTED}\n"));
        assert_eq!(wanted.find(), Installed::Matching(wanted.0.join(PROGRAM)));
        let other = Folder::new("other", "#!/bin/sh\necho cargo toolc 0.0.9\n");
        let text = other.find().to_string();
        let program = other.0.join(PROGRAM);
        let expected = format!("this project needs cargo-toolc {WANTED}, and {} has version 0.0.9", program.display());
        assert_eq!(text, expected);
        assert_eq!(Installed::find_in(&[]), Installed::Missing);
    }

    #[test]
    fn an_installed_compiler_that_fails_is_not_used() {
        for (name, script, why) in [
            (
                "loader",
                "#!/bin/sh\necho 'version `GLIBC_2.99` not found' >&2; exit 1\n",
                "version `GLIBC_2.99` not found",
            ),
            ("silent", "#!/bin/sh\nexit 3\n", "exit status: 3"),
            ("empty", "#!/bin/sh\n", "exit status: 0"),
            ("interpreter", "#!/missing/interpreter\n", "No such file or directory (os error 2)"),
        ] {
            let folder = Folder::new(name, script);
            let program = folder.0.join(PROGRAM);
            assert_eq!(folder.find(), Installed::Broken { program, why: why.to_owned() }, "{name}");
        }
    }

    #[test]
    fn the_advice_installs_from_the_repository_of_this_crate() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(PROGRAM);
        assert_eq!(install_advice(), format!("`cargo install --locked --path {}`", source.display()));
    }
}
