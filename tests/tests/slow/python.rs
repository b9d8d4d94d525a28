//! A Python interpreter with the vendors' SDKs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolc_test_support::packages;

/// Returns a path in the folder of this crate.
pub(crate) fn in_tests(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs a script of `tests/sdks`, and returns what it prints. If Python or the SDKs cannot be installed, prints the reason and
/// returns `None`.
pub(crate) fn run_script(
    script: &str,
    change: impl FnOnce(&mut Command) -> &mut Command,
) -> Option<Result<String, String>> {
    let requirements = fs::read_to_string(in_tests("sdks/requirements.txt")).expect("the requirements are there");
    match packages::python("sdks", &requirements) {
        Ok(python) => {
            let mut command = Command::new(python);
            command.arg(in_tests("sdks").join(script));
            Some(packages::run(change(&mut command)))
        }
        Err(why) => {
            packages::missing("no Python environment with the vendors' SDKs", &why);
            None
        }
    }
}
