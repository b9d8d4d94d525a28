//! The packages with the program, installed from local files.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::{env, fs};

use tempfile::TempDir;
use toolc_packaging::{AGENT, COMPILER, PROGRAMS, Packages, VERSION, install, write};
use toolc_test_support::programs::{INSTALL, has};
use toolc_test_support::skip;

/// The packages, in a folder that exists as long as the tests run.
static PACKAGES: LazyLock<(Packages, TempDir)> = LazyLock::new(|| {
    let out = TempDir::new().unwrap();
    (write(&COMPILER, &small_program(out.path()), out.path()).unwrap(), out)
});

/// Returns a copy of the program without debug information, which takes most of the time, or the program if that is not possible.
fn small_program(folder: &Path) -> PathBuf {
    let (program, small) = (PathBuf::from(env!("CARGO_BIN_EXE_cargo-toolc")), folder.join("small"));
    let strip = Command::new("strip").arg("-o").arg(&small).arg(&program).stderr(Stdio::null()).status();
    if strip.is_ok_and(|status| status.success()) { small } else { program }
}

/// The folder with the packages of both programs, which `cargo xtask package` has written. `cargo xtask soak packages` sets the variable.
fn written_packages() -> Option<PathBuf> {
    let Some(folder) = env::var_os("TOOLC_PACKAGES") else {
        skip("building all packages takes minutes", "`cargo xtask package`, then `cargo xtask soak packages`");
        return None;
    };
    Some(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(folder)
            .canonicalize()
            .expect("run `cargo xtask package`"),
    )
}

/// Lints a project with an installed program. Its exit status and its output are those of the program.
fn lints(programs: &Path) {
    let project = crate::project();
    let run = |args: &[&str]| install::program(programs, "cargo-toolc", args, project.path());
    assert_eq!(run(&["--version"]), Ok(format!("cargo toolc {VERSION}")));
    assert_eq!(run(&["lint"]), Ok("1 tool, 1 toolset: no findings".to_owned()));
    fs::write(project.path().join("manifests/tools/ping.toml"), "name = 1\n").unwrap();
    let failed = run(&["lint"]).unwrap_err().to_string();
    assert!(failed.starts_with("`cargo-toolc lint` failed: ") && failed.contains("expected a string"), "{failed}");
}

/// Returns whether virtual environments can be made. If not, the current test is skipped.
fn has_venv() -> bool {
    if !has("python3") {
        return false;
    }
    let venv = Command::new("python3").args(["-c", "import ensurepip, venv"]).stderr(Stdio::null()).status();
    let works = venv.is_ok_and(|status| status.success());
    if !works {
        skip("`python3` has no `venv`", format!("{INSTALL}, or the Debian package `python3-venv`"));
    }
    works
}

/// Runs both programs of an installation.
fn run_both(programs: &Path) {
    lints(programs);
    let agent = install::program(programs, AGENT.name, &["--version"], programs);
    assert_eq!(agent, Ok(format!("toolc {VERSION}")));
}

#[test]
fn wheels_that_were_built_for_a_release_are_installed() {
    let Some(packages) = written_packages() else { return };
    if !has_venv() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let names = PROGRAMS.map(|program| program.name);
    run_both(&install::pip(&folder.path().join("venv"), &names, Some(&packages)).unwrap());
}

#[test]
fn packages_of_npm_that_were_built_for_a_release_are_installed() {
    let Some(packages) = written_packages() else { return };
    if !has("npm") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let files = fs::read_dir(packages).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|path| path.extension() == Some("tgz".as_ref())).collect();
    run_both(&install::npm(folder.path(), &files, true).unwrap());
}

#[test]
fn a_wheel_that_pip_installs_has_the_compiler() {
    if !has_venv() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let programs = install::pip(&folder.path().join("venv"), &[COMPILER.name], Some(PACKAGES.1.path())).unwrap();
    lints(&programs);
}

#[test]
fn a_package_that_npm_installs_has_the_compiler() {
    if !has("npm") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let Packages { launcher, npm, .. } = &PACKAGES.0;
    let programs = install::npm(folder.path(), &[launcher, npm], true).unwrap();
    lints(&programs);
}

#[test]
fn the_launcher_names_the_package_that_is_missing() {
    if !has("npm") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let programs = install::npm(folder.path(), &[&PACKAGES.0.launcher], true).unwrap();
    let failed = install::program(&programs, "cargo-toolc", &["lint"], folder.path()).unwrap_err().to_string();
    let expected = "is missing: install cargo-toolc again, without `--omit=optional`";
    assert!(failed.contains("cargo-toolc: the package @toolc/cargo-toolc-") && failed.ends_with(expected), "{failed}");
}

/// A program that is ended must not survive its launcher, and its launcher must not survive it.
#[cfg(target_os = "linux")]
#[test]
fn the_launcher_ends_with_the_program_and_by_the_same_signal() {
    use std::os::unix::process::ExitStatusExt as _;

    if !has("npm") || !has("pgrep") {
        return;
    }
    let (folder, project) = (TempDir::new().unwrap(), crate::project());
    let Packages { launcher, npm, .. } = &PACKAGES.0;
    let programs = install::npm(folder.path(), &[launcher, npm], true).unwrap();
    let mut command = Command::new(programs.join("cargo-toolc"));
    command.args(["lint", "--watch"]).current_dir(project.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut launcher = command.spawn().unwrap();
    let parent = launcher.id().to_string();
    let child = || {
        let found = Command::new("pgrep").args(["--parent", &parent]).output().unwrap();
        String::from_utf8(found.stdout).unwrap().trim().parse::<u32>().ok()
    };
    toolc_test_support::wait_until("the program runs", || child().is_some());
    let program = child().unwrap();
    toolc_test_support::send_signal("TERM", launcher.id());
    assert_eq!(launcher.wait().unwrap().signal(), Some(15));
    toolc_test_support::wait_until("the program ends", || !Path::new("/proc").join(program.to_string()).exists());
}
