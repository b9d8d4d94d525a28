//! `cargo xtask package`: packages for Python and npm.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cargo;

/// The arguments of `package`.
#[derive(Debug, Args)]
pub(crate) struct Package {
    /// The folder for the packages [default: `target/packages`].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Package the programs of this folder, instead of building them.
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Instead of packaging, install the packages of the folder `--out` and lint with them, next to ruff and buf; print the times. Needs
    /// Python, Node.js and a network.
    #[arg(long, conflicts_with = "programs")]
    compare: bool,
}

impl Package {
    /// Builds the programs and writes the packages, or compares them.
    pub(crate) fn run(self) -> ExitCode {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target");
        let out = self.out.unwrap_or_else(|| target.join("packages")).display().to_string();
        if self.compare {
            let compare = ["run", "--quiet", "--package", "toolc-packaging", "--example", "compare", "--", &out];
            return cargo::status(cargo::run(&compare));
        }
        // Two commands, because cargo would unify the features of the programs.
        let build = |package: &str| cargo::run(&["build", "--release", "--locked", "--package", package]);
        if self.programs.is_none() && !["cargo-toolc", "toolc-host"].into_iter().all(build) {
            return ExitCode::FAILURE;
        }
        let programs = self.programs.unwrap_or_else(|| target.join("release")).display().to_string();
        let write = ["run", "--quiet", "--package", "toolc-packaging", "--", "--programs", &programs, "--out", &out];
        cargo::status(cargo::run(&write))
    }
}
