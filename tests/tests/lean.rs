//! The runtime stays what every agent can afford to link: few crates, and whole without any of its features, on machines
//! without threads, too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates that an agent links for calls alone, this one included.
const MOST: usize = 12;
/// Where there is neither a thread nor a clock.
const BARE: &str = "wasm32-unknown-unknown";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What a program says, which has to end well.
fn output(program: &str, arguments: &[&str]) -> (String, String) {
    let output = Command::new(program).args(arguments).current_dir(root()).output();
    let output = output.unwrap_or_else(|error| panic!("failed to start {program}: {error}"));
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{program} {arguments:?}:\n{err}");
    (out, err)
}

#[test]
fn an_agent_links_few_crates() {
    let tree = ["tree", "-p", "toolc", "-e", "normal", "--prefix", "none", "--no-dedupe", "-f", "{p}"];
    let (out, _) = output(env!("CARGO"), &[&tree[..], &["--locked", "--offline"]].concat());
    let crates: BTreeSet<&str> = out.lines().filter(|line| !line.is_empty()).collect();
    assert!(crates.iter().any(|line| line.starts_with("toolc ")), "{out}");
    assert!(crates.len() <= MOST, "{} crates, at most {MOST} are allowed: {crates:#?}", crates.len());
}

/// Compiles the runtime as far as it takes to know that it can be, without a warning.
fn check(arguments: &[&str]) {
    // Kept from one run to the next.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lean");
    let target = target.to_str().expect("the folder's path is text");
    let always = ["check", "-p", "toolc", "--locked", "--offline", "--color=never", "--target-dir", target];
    let (_, err) = output(env!("CARGO"), &[&always[..], arguments].concat());
    assert!(!err.contains("warning"), "{arguments:?}:\n{err}");
}

#[test]
fn the_runtime_is_whole_with_any_one_of_its_features() {
    let manifest = std::fs::read_to_string(root().join("runtime/Cargo.toml")).expect("the runtime has a manifest");
    let manifest: toml::Table = manifest.parse().expect("a manifest is TOML");
    let features = manifest["features"].as_table().expect("the runtime has features");
    check(&["--no-default-features"]);
    for feature in features.keys() {
        check(&["--no-default-features", "--features", feature]);
    }
}

#[test]
fn the_runtime_needs_neither_threads_nor_a_clock() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let (library, _) = output(&rustc, &["--print", "target-libdir", "--target", BARE]);
    if Path::new(library.trim()).exists() {
        check(&["--target", BARE]);
    } else {
        eprintln!("skipped: {BARE} is not installed, see `rustup target add {BARE}`");
    }
}
