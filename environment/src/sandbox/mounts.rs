//! The files that programs in a sandbox see: the installed programs with their settings, the directory of the task, and two private folders,
//! one for temporary files and one as home. All other files are hidden, such as keys, other homes, other projects, and sockets of services.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::SandboxKind;

/// A folder or file of this machine that programs see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// The path in the sandbox.
    pub(super) inside: PathBuf,
    /// The path on this machine.
    pub(super) outside: PathBuf,
    /// Whether programs can write there.
    pub(super) writable: bool,
}

/// Folders of installed programs.
const PROGRAMS: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store"];

/// Settings of programs in `/etc`. None of these contains a secret.
const SETTINGS: &[&str] = &[
    "alternatives",
    "bash.bashrc",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "default/locale",
    "fonts",
    "gai.conf",
    "group",
    "host.conf",
    "inputrc",
    "java",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "locale.conf",
    "localtime",
    "magic",
    "mime.types",
    "nanorc",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "perl",
    "pki/ca-trust",
    "pki/tls/certs",
    "profile",
    "protocols",
    "python3",
    "rpc",
    "services",
    "shells",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
    "vim",
    "xml",
];

/// Variables of this process that programs get.
const VARIABLES: &[&str] = &["LANG", "LANGUAGE", "TZ", "COLORTERM"];

/// Returns the mounts of a sandbox, and makes its private folders in `own`, the folder of the sandbox.
pub(super) fn mounts(kind: &SandboxKind, directory: &Path, own: &Path) -> io::Result<Vec<Mount>> {
    let visible = |path: PathBuf, writable| Mount { inside: path.clone(), outside: path, writable };
    let settings = SETTINGS.iter().map(|name| Path::new("/etc").join(name));
    let system = PROGRAMS.iter().map(PathBuf::from).chain(settings).filter(|path| path.exists());
    let mut mounts: Vec<Mount> = system.map(|path| visible(path, false)).collect();
    let temporary = make(temporary(own))?;
    mounts.push(Mount { inside: "/tmp".into(), outside: temporary.clone(), writable: true });
    if let Some(home) = home() {
        mounts.push(Mount { inside: home, outside: make(own.join("home"))?, writable: true });
    }
    // The temporary folder is also visible at its path on this machine.
    mounts.push(visible(temporary, true));
    for (paths, writable) in [(&kind.readable, false), (&kind.writable, true)] {
        for path in paths {
            let missing = |error| {
                let text = format!("`{}`, which the sandbox should contain, cannot be found: {error}", path.display());
                io::Error::new(io::ErrorKind::NotFound, text)
            };
            fs::metadata(path).map_err(missing)?;
            mounts.push(visible(std::path::absolute(path)?, writable));
        }
    }
    mounts.push(visible(directory.to_owned(), true));
    Ok(mounts)
}

/// Returns the folder for temporary files.
pub(super) fn temporary(own: &Path) -> PathBuf {
    own.join("tmp")
}

/// Returns the home of programs, which is an empty folder. It has the path of the user's home, so that `~/x` is the same path inside and
/// outside.
fn home() -> Option<PathBuf> {
    env::home_dir().filter(|home| home.is_absolute() && home.components().count() > 1)
}

/// Makes a folder that only this user can access.
fn make(path: PathBuf) -> io::Result<PathBuf> {
    DirBuilder::new().mode(0o700).create(&path)?;
    Ok(path)
}

/// Returns the variables of programs.
pub(super) fn variables(mounts: &[Mount]) -> Vec<(OsString, OsString)> {
    let is_passed_on =
        |name: &OsString| name.to_str().is_some_and(|name| VARIABLES.contains(&name) || name.starts_with("LC_"));
    let mut variables: Vec<_> = env::vars_os().filter(|(name, _)| is_passed_on(name)).collect();
    let path = env::var_os("PATH").unwrap_or_default();
    let is_visible = |folder: &PathBuf| {
        mounts.iter().any(|mount| folder.starts_with(&mount.inside) && mount.inside == mount.outside)
    };
    let mut folders: Vec<PathBuf> =
        env::split_paths(&path).filter(|folder| folder.is_absolute() && is_visible(folder)).collect();
    for folder in env::split_paths(super::programs::PATH) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    let home = home().unwrap_or_else(|| "/tmp".into());
    let mut set = |name: &str, value: OsString| variables.push((name.into(), value));
    set("PATH", env::join_paths(folders).unwrap_or_else(|_| super::programs::PATH.into()));
    set("HOME", home.into());
    set("TMPDIR", "/tmp".into());
    set("USER", "root".into());
    set("LOGNAME", "root".into());
    set("SHELL", "/bin/sh".into());
    variables
}
