//! Writes packages with the programs of toolc: wheels for Python, and packages of npm. Their bytes depend only on the programs and on
//! this workspace, so that two machines that build the same programs write the same packages.

mod archive;
mod error;
pub mod install;
mod npm;
mod platform;
mod program;
mod third_party;
mod version;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

pub use error::Error;
pub use npm::PLATFORMS;
pub use platform::Platform;
pub use program::{AGENT, COMPILER, PROGRAMS, Program};

/// The version of all packages: that of the workspace.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The packages of a program for one platform.
#[derive(Debug)]
pub struct Packages {
    /// The platform, as the program says it.
    pub platform: Platform,
    /// The wheel.
    pub wheel: PathBuf,
    /// The package of npm with the launcher, which is the same for each platform.
    pub launcher: PathBuf,
    /// The package of npm with the program.
    pub npm: PathBuf,
}

/// Writes the packages of a program to the folder `out`, which is created if it is missing. `binary` is the file of the program.
///
/// # Errors
/// If the file is not a program for a platform of toolc, or if it cannot be read, or if a package cannot be written, or if the license of a
/// dependency has no text.
pub fn write(program: &Program, binary: &Path, out: &Path) -> Result<Packages, Error> {
    let failed = |what: &str, path: &Path, error: std::io::Error| {
        Error::new(format!("failed to {what} {}: {error}", path.display()))
    };
    let content = fs::read(binary).map_err(|error| failed("read", binary, error))?;
    let platform = Platform::read(&content).map_err(|error| Error::new(format!("{}: {error}", binary.display())))?;
    let notices = third_party::notices(program, &platform)?;
    let packages = [
        wheel::write(program, VERSION, &platform, &content, &notices)?,
        npm::main_package(program, VERSION)?,
        npm::platform_package(program, VERSION, &platform, &content, &notices)?,
    ];
    fs::create_dir_all(out).map_err(|error| failed("make", out, error))?;
    let mut paths = Vec::new();
    for (name, bytes) in packages {
        let path = out.join(name);
        fs::write(&path, bytes).map_err(|error| failed("write", &path, error))?;
        paths.push(path);
    }
    let [wheel, launcher, npm] = paths.try_into().unwrap_or_else(|_| unreachable!("three packages were written"));
    Ok(Packages { platform, wheel, launcher, npm })
}
