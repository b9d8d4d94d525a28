//! The SDK of Modal for tests, in a virtual environment of Python below `target/`.

use std::path::Path;
use std::process::Command;

use crate::debian::{Variables, run};

/// The version of the SDK.
const VERSION: &str = "1.6.4";

/// Returns the environment variables of tests that use the SDK. It is installed if it is missing.
pub(crate) fn variables() -> Result<Variables, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../target/modal-{VERSION}"));
    let python = folder.join("bin/python");
    if run(Command::new(&python).args(["-c", "import modal"])).is_err() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", &format!("modal=={VERSION}")]))?;
    }
    let python = python.parent().and_then(|bin| bin.canonicalize().ok()).unwrap_or_default().join("python");
    Ok(vec![("TOOLC_TEST_MODAL", python.display().to_string())])
}
