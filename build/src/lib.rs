//! Fails a build if its generated code is out of date, because a tool manifest has changed. Call [`check`] in the build script
//! (`build.rs`) of the crate that contains the generated module:
//!
//! ```no_run
//! toolc_build::check();
//! ```
//!
//! gen writes a digest of each manifest to `generated/manifests.txt`. The check computes the digests again, and fails the build with
//! the names of the manifests that were changed, added or removed since.
//!
//! [`run_compiler`] is the `main` of a project's `xtask`.

mod compiler;
mod digest;
mod project;

use std::env;
use std::path::{Path, PathBuf};

pub use compiler::run_compiler;
#[doc(hidden)]
pub use compiler::{RUN_AS, install_advice};
#[doc(hidden)]
pub use digest::{FILE, digest, file_text};
pub use project::{Change, ChangesError, changes};

/// The maximum number of manifests that the error names.
const NAMED: usize = 20;

/// Fails the build if the generated code of the project is out of date. The project is the nearest folder at or above the package
/// that has a folder `manifests`.
///
/// A package from a registry is not checked, because it contains the generated code and usually not the manifests.
pub fn check() {
    let Some(package) = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) else {
        return fail(&["`CARGO_MANIFEST_DIR` is not set: call `toolc_build::check` in a build script".to_owned()]);
    };
    // Cargo writes this file when it packages a crate.
    if package.join("Cargo.toml.orig").exists() {
        println!("cargo::rerun-if-changed=Cargo.toml.orig");
        return;
    }
    match package.ancestors().find(|folder| folder.join(project::MANIFESTS).is_dir()) {
        Some(root) => check_project(root),
        None => fail(&[format!("no folder `{}` in {} or above", project::MANIFESTS, package.display())]),
    }
}

/// Fails the build if the generated code of the project in the folder `root` is out of date.
pub fn check_project(root: impl AsRef<Path>) {
    let root = root.as_ref();
    for path in project::watched(root) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let run = "run `cargo toolc gen`, or `cargo xtask gen`";
    match changes(root) {
        Ok(changes) if changes.is_empty() => {}
        Ok(changes) => {
            let mut lines = vec![format!("the generated code is out of date: {run}")];
            lines.extend(changes.iter().take(NAMED).map(Change::to_string));
            if changes.len() > NAMED {
                lines.push(format!("... and {} more manifests", changes.len() - NAMED));
            }
            fail(&lines);
        }
        Err(ChangesError::Missing(path)) => fail(&[format!("{} does not exist: {run}", path.display())]),
        Err(ChangesError::Unreadable(why)) => fail(&[why]),
    }
}

/// Reports lines as errors of the build script, which fails the build.
fn fail(lines: &[String]) {
    for line in lines {
        // A line break would begin another instruction to Cargo.
        println!("cargo::error={}", line.replace(['\n', '\r'], " "));
    }
}
