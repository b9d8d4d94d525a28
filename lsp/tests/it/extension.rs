//! The extension for Visual Studio Code. The test is skipped without npm, or if npm cannot reach its registry.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

fn succeeds(folder: &Path, program: &str, args: &[&str]) -> bool {
    let run = Command::new(program).args(args).current_dir(folder).stdin(Stdio::null()).output();
    run.is_ok_and(|output| output.status.success())
}

#[test]
fn the_extension_becomes_a_package() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode");
    let folder = TempDir::new().unwrap();
    for file in ["package.json", "extension.js", ".vscodeignore", "LICENSE", "README.md"] {
        fs::copy(source.join(file), folder.path().join(file)).unwrap();
    }
    let package: Value = serde_json::from_str(&fs::read_to_string(source.join("package.json")).unwrap()).unwrap();
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"), "the version is the one of the server");
    let install =
        ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-timeout=20000", "--fetch-retries=0"];
    if !succeeds(folder.path(), "npm", &install) {
        eprintln!("skipped: npm is missing or cannot install the packages");
        return;
    }
    let args = ["--no-install", "vsce", "package", "--allow-missing-repository", "-o", "toolc.vsix"];
    assert!(succeeds(folder.path(), "npx", &args), "the extension is not packaged");
    assert!(fs::metadata(folder.path().join("toolc.vsix")).unwrap().len() > 10_000);
}
