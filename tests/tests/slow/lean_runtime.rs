//! The runtime has few dependencies and compiles without its features, also for targets without threads.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use toolc_codegen::dialects::{DIALECTS, Dialect};
use toolc_test_support::skip;

#[expect(dead_code, reason = "its `main` is that of a program of its own")]
mod exact_numbers;

/// The maximum number of crates that a program with the runtime links by default, including the runtime.
const MAX_CRATES: usize = 12;
/// A target without threads and without a clock.
const WASM: &str = "wasm32-unknown-unknown";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs a program, which must succeed, and returns its output.
fn output(program: &str, arguments: &[&str]) -> (String, String) {
    let output = Command::new(program).args(arguments).current_dir(root()).output();
    let output = output.unwrap_or_else(|error| panic!("failed to start {program}: {error}"));
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{program} {arguments:?}:\n{err}");
    (out, err)
}

/// Returns the crates that a program with this package links.
fn linked(package: &str) -> BTreeSet<String> {
    let tree = ["tree", "-p", package, "-e", "normal,no-proc-macro", "--prefix", "none", "--no-dedupe", "-f", "{p}"];
    let (out, _) = output(env!("CARGO"), &[&tree[..], &["--locked", "--offline"]].concat());
    let crates: BTreeSet<String> = out.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    assert!(crates.iter().any(|line| line.starts_with(&format!("{package} "))), "{out}");
    crates
}

#[test]
fn a_host_with_plugins_links_neither_a_command_line_nor_an_emitter() {
    let is_heavy = |line: &&String| {
        let heavy = ["clap", "clap_builder", "minijinja", "proc-macro2", "quote", "similar", "syn", "toml_edit"];
        heavy.contains(&line.split(' ').next().unwrap_or_default())
    };
    let heavy: Vec<String> = linked("toolc-plugins").into_iter().filter(|line| is_heavy(&line)).collect();
    assert!(heavy.is_empty(), "see the features of `toolc-codegen`: {heavy:?}");
    let features = ["tree", "-p", "toolc-plugins", "-e", "features,no-dev", "-i", "toolc", "--locked", "--offline"];
    let (features, _) = output(env!("CARGO"), &features);
    assert!(!features.contains("all-dialects"), "{features}");
}

#[test]
fn only_programs_and_the_commands_of_cargo_toolc_link_the_library_of_mcp() {
    let tree = ["tree", "--workspace", "-i", "rmcp", "-e", "normal,build", "--prefix", "none", "--locked", "--offline"];
    let (out, _) = output(env!("CARGO"), &tree);
    let crates: BTreeSet<&str> =
        out.lines().filter_map(|line| line.split(' ').next()).filter(|name| !name.is_empty()).collect();
    let ours: Vec<&str> = crates.into_iter().filter(|name| *name != "rmcp").collect();
    let commands = ["toolc-compare", "toolc-import", "toolc-replay", "toolc-stats"];
    let others: Vec<&str> = ours.into_iter().filter(|name| !commands.contains(name)).collect();
    assert_eq!(others, ["cargo-toolc", "toolc-conformance", "toolc-host", "toolc-mcp"]);
}

#[test]
fn an_agent_links_at_most_twelve_crates() {
    let crates = linked("toolc");
    assert!(crates.len() <= MAX_CRATES, "{} crates, at most {MAX_CRATES} are allowed: {crates:#?}", crates.len());
}

#[test]
fn a_new_project_builds_at_most_thirty_crates() {
    // A project that `init` creates has these, `serde_json`, which the runtime has, and itself. Macros are built, too.
    let tree = ["tree", "-p", "toolc-cli", "-e", "normal,build", "--prefix", "none", "--no-dedupe", "-f", "{p}"];
    let (out, _) = output(env!("CARGO"), &[&tree[..], &["--locked", "--offline"]].concat());
    let crates: BTreeSet<&str> = out.lines().filter(|line| !line.is_empty()).collect();
    assert!(crates.len() < 30, "{} crates: {crates:#?}", crates.len());
    let heavy = ["toolc-codegen", "toolc-catalog", "rusqlite", "tokio", "ureq", "rmcp"];
    let found: Vec<&&str> =
        crates.iter().filter(|line| heavy.contains(&line.split(' ').next().unwrap_or_default())).collect();
    assert!(found.is_empty(), "{found:?}");
}

/// Checks that the runtime compiles without a warning.
fn check(arguments: &[&str]) {
    // The folder is kept between runs.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lean");
    let target = target.to_str().expect("the folder's path is text");
    let always = ["check", "-p", "toolc", "--locked", "--offline", "--color=never", "--target-dir", target];
    let (_, err) = output(env!("CARGO"), &[&always[..], arguments].concat());
    assert!(!err.contains("warning"), "{arguments:?}:\n{err}");
}

/// Returns the features of the runtime.
fn features() -> toml::Table {
    let manifest = std::fs::read_to_string(root().join("runtime/Cargo.toml")).expect("the runtime has a manifest");
    let manifest: toml::Table = manifest.parse().expect("a manifest is TOML");
    manifest["features"].as_table().expect("the runtime has features").clone()
}

#[test]
fn the_runtime_compiles_with_each_feature_alone() {
    // One table defines all dialects; another test compiles one alone. `__` begins a part of other features.
    let is_dialect = |name: &str| DIALECTS.iter().any(|dialect| dialect.name == name);
    check(&["--no-default-features"]);
    for feature in features().keys().filter(|name| !is_dialect(name) && !name.starts_with("__")) {
        check(&["--no-default-features", "--features", feature]);
    }
}

#[test]
fn each_dialect_has_a_feature_and_all_dialects_enables_every_one() {
    let all = features()["all-dialects"].clone();
    let all = all.as_array().expect("a feature is a list");
    let all: Vec<&str> = all.iter().filter_map(toml::Value::as_str).collect();
    let named = DIALECTS.iter().map(|dialect| dialect.name).filter(|name| *name != "openai");
    assert_eq!(all, named.collect::<Vec<_>>());
    assert_eq!(toolc::Dialect::ALL, DIALECTS.iter().filter_map(Dialect::in_runtime).collect::<Vec<_>>());
}

/// A program that prints one tool of the shipped catalog in each enabled dialect.
const PRINT_DEFINITIONS: &str = r#"
use toolc::{Call, Dialect, Registry, ToolError};
use toolc_catalog::{TodoTools, todo};

struct Idle;

impl TodoTools for Idle {
    fn todo(&self, _: todo::todo::Args, _: &Call<'_>) -> Result<todo::todo::Returns, ToolError> {
        Err(ToolError::new("not called"))
    }
}

fn main() {
    let registry = Registry::new();
    registry.add(todo::provider(Idle)).unwrap();
    let session = registry.session().build().unwrap();
    for dialect in Dialect::ALL {
        println!("{dialect:?} {}", session.turn_blocking(*dialect).definitions().lines().next().unwrap());
    }
}
"#;

/// A program that names the dialect of Anthropic.
const NAME_ANTHROPIC: &str = "fn main() { let _: toolc::Dialect = toolc::Dialect::Anthropic; }";

/// Runs cargo on those programs, with these features of the runtime.
fn cargo_on_programs(features: &[&str], arguments: &[&str]) -> Output {
    let dependencies = format!("toolc = {{ path = '{}', features = {features:?} }}\n", path("runtime"))
        + &format!("toolc-catalog.path = '{}'\n", path("manifests"));
    cargo_on(
        "lean-programs",
        &dependencies,
        &[("print_definitions.rs", PRINT_DEFINITIONS), ("name_anthropic.rs", NAME_ANTHROPIC)],
        arguments,
        "",
    )
}

fn path(name: &str) -> String {
    root().join(name).display().to_string()
}

/// Runs cargo in a package made of these programs.
fn cargo_on(name: &str, dependencies: &str, programs: &[(&str, &str)], arguments: &[&str], input: &str) -> Output {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(folder.join("src/bin")).expect("failed to make a folder");
    let manifest = format!(
        "[package]\nname = \"{name}\"\nedition = \"2024\"\n[workspace]\n[profile.dev]\nstrip = true\n[dependencies]\n\
         {dependencies}"
    );
    let programs = programs.iter().map(|(name, text)| (format!("src/bin/{name}"), *text));
    for (name, text) in programs.chain([("Cargo.toml".to_owned(), &*manifest)]) {
        std::fs::write(folder.join(name), text).expect("failed to write a file of the programs");
    }
    // The locked versions of this workspace are available offline.
    std::fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).expect("failed to copy Cargo.lock");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).args(["--quiet", "--offline", "--color=never"]).current_dir(&folder);
    cargo.env("CARGO_TARGET_DIR", folder.join("target"));
    let mut cargo =
        cargo.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("no cargo");
    cargo.stdin.take().expect("stdin is piped").write_all(input.as_bytes()).expect("failed to write to the program");
    cargo.wait_with_output().expect("failed to wait for cargo")
}

/// Runs the program that prints definitions. Returns its output by dialect, the first line of each, and the bytes of the program as text.
fn run_program(features: &[&str]) -> (BTreeMap<String, String>, String) {
    let ran = cargo_on_programs(features, &["run", "--bin", "print_definitions"]);
    assert!(ran.status.success(), "{features:?}:\n{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(String::from_utf8_lossy(&ran.stderr), "", "{features:?}");
    let text = String::from_utf8(ran.stdout).expect("definitions are text");
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    // A list of one definition, without its brackets. The writer of declarations has their first line.
    let definition =
        |list: &str| list.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or(list).to_owned();
    let definitions = lines.map(|(dialect, list)| (dialect.to_owned(), definition(list))).collect();
    let program = format!("lean-programs/target/debug/print_definitions{}", std::env::consts::EXE_SUFFIX);
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(program);
    let program = std::fs::read(program).expect("failed to read the program");
    (definitions, String::from_utf8_lossy(&program).into_owned())
}

#[test]
fn a_program_contains_only_enabled_dialects_and_rustc_names_a_missing_feature() {
    let (all, _) = run_program(&["all-dialects"]);
    assert_eq!(all.len(), DIALECTS.len());
    let (some, program) = run_program(&["mcp"]);
    assert_eq!(some.keys().collect::<Vec<_>>(), ["Mcp", "OpenAi"]);
    for (dialect, definition) in &all {
        assert_eq!(program.contains(definition), some.contains_key(dialect), "{dialect}: {definition}");
    }

    let output = cargo_on_programs(&["mcp"], &["check", "--bin", "name_anthropic"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    for part in ["mismatched types", "it needs a feature: `toolc = { features = [\"anthropic\"] }`"] {
        assert!(stderr.contains(part), "{stderr}");
    }
}

/// Another crate in a program can enable this feature of `serde_json`.
#[test]
fn the_arbitrary_precision_feature_of_serde_json_changes_no_result() {
    const LINES: [&str; 20] = [
        r#"{"number": 2.5}"#,
        r#"{"number": 250E-2}"#,
        r#"{"number": "2.50"}"#,
        r#"{"integer": 7}"#,
        r#"{"integer": 7.0}"#,
        r#"{"integer": "7e2"}"#,
        r#"{"text": 0.10}"#,
        r#"{"number": 0.4}"#,
        r#"{"number": 0.55}"#,
        r#"{"number": 1e999}"#,
        r#"{"number": "1e999"}"#,
        r#"{"integer": 0.5}"#,
        r#"{"integer": 9007199254740993}"#,
        r#"{"integer": "9223372036854775808"}"#,
        r#"{"list": [1.5, 2.0, 15e-1, "{'a': 1}"]}"#,
        r#"{"list": "[1.50, 2,]"}"#,
        r#"{"any": [0.1, -0.0, 1e3, 18446744073709551615, 18446744073709551616, {"a": 1.25}]}"#,
        r#"{"any": 1e-999}"#,
        r#"{"any": [[1.5], 1e400]}"#,
        r#"{"number": 1.5, "number": 2.5}"#,
    ];
    let dependencies = format!("toolc = {{ path = '{}', features = ['typescript'] }}\n", path("runtime"))
        + "serde_json = { version = \"1\", features = [\"arbitrary_precision\"] }\n";
    let programs = [("exact_numbers.rs", include_str!("lean_runtime/exact_numbers.rs"))];
    let ran = cargo_on("exact-numbers", &dependencies, &programs, &["run"], &LINES.join("\n"));
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let turn = exact_numbers::turn();
    let lines = String::from_utf8(ran.stdout).expect("JSON is text");
    let declaration = format!("{:?}", exact_numbers::declaration());
    let responses = LINES.iter().map(|line| exact_numbers::response(&turn, line));
    assert_eq!(lines.lines().collect::<Vec<_>>(), [declaration].into_iter().chain(responses).collect::<Vec<_>>());
}

#[test]
fn the_runtime_compiles_for_a_target_without_threads_or_a_clock() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let (library, _) = output(&rustc, &["--print", "target-libdir", "--target", WASM]);
    if Path::new(library.trim()).exists() {
        check(&["--target", WASM]);
    } else {
        skip(format!("the target {WASM} is not installed"), format!("`rustup target add {WASM}`"));
    }
}
