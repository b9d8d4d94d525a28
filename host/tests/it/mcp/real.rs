//! Servers from npm and `PyPI`, as a person adds them: resolved by the real registries, checked by a scripted OSV, and run by `npx` and `uvx`.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use toolc_test_support::packages;

use super::{Run, config, configure, folder, run_with};

/// The version of uv that has `uvx`.
const UV: &str = "uv==0.13.8\n";

/// A scripted OSV, which notes what it is asked.
struct Osv {
    child: Child,
    address: String,
    note: std::path::PathBuf,
}

impl Osv {
    fn start(folder: &TempDir) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/servers/fixture/registry.py");
        let note = folder.path().join("asked");
        let mut child = Command::new("python3")
            .arg(script)
            .env("NOTE", &note)
            .stdout(Stdio::piped())
            .spawn()
            .expect("failed to start the registry");
        let mut port = String::new();
        BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut port).expect("it prints its port");
        Self { child, address: format!("http://127.0.0.1:{}", port.trim()), note }
    }

    fn asked(&self) -> String {
        std::fs::read_to_string(&self.note).unwrap_or_default()
    }
}

impl Drop for Osv {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `toolc`. What `npx` and `uvx` download stays in the target folder.
fn toolc(folder: &TempDir, path: &str, args: &[&str]) -> Run {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages/home");
    std::fs::create_dir_all(&cache).expect("failed to make a folder");
    run_with(folder, args, |program| program.env("PATH", path).env("HOME", &cache).env_remove("XDG_CACHE_HOME"))
}

/// Adds a package, and checks its version, its list and its calls. `call` is a tool, its arguments and a part of the result.
fn check(line: &[&str], asked: &str, path: &str, call: (&str, &str, &str), wrong: (&str, &str)) {
    let Some(folder) = folder() else { return };
    let osv = Osv::start(&folder);
    configure(&folder, &format!("[mcp]\nosv = '{}'\n", osv.address));
    // Certificates of a proxy, where there is one.
    let certificates = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];
    let set = certificates.iter().filter(|name| std::env::var_os(name).is_some()).flat_map(|name| ["--env", *name]);
    let add: Vec<&str> =
        ["mcp", "add", "real"].into_iter().chain(set).chain(["--"]).chain(line.iter().copied()).collect();
    let added = toolc(&folder, path, &add).succeeded();
    let version = osv.asked();
    let version = version.trim().rsplit(' ').next().unwrap_or_default();
    assert!(osv.asked().starts_with(&format!("POST /v1/query {asked} ")), "{} {}", osv.asked(), added.err);
    assert!(!version.is_empty() && config(&folder).contains(version), "{version}: {}", config(&folder));
    // Downloads take longer than a start.
    let slow = config(&folder).replace("[mcp.servers.real]\n", "[mcp.servers.real]\nstart_timeout = '3m'\n");
    std::fs::write(folder.path().join("home/config.toml"), slow).expect("failed to write");
    let report = toolc(&folder, path, &["mcp", "test", "real", "--json"]).json();
    assert_eq!(report[0]["state"], "connected", "{report}");
    // The example server has a tool that can only be called as a task.
    let left_out = report[0]["left_out"].as_array().expect("it is a list");
    assert!(left_out.iter().all(|tool| tool["reason"].to_string().contains("as a task")), "{report}");
    let result = toolc(&folder, path, &["call", call.0, call.1]).succeeded();
    assert!(result.out.contains(call.2), "{} {}", result.out, result.err);
    let refused = toolc(&folder, path, &["call", wrong.0, wrong.1]);
    let answer: Value = serde_json::from_str(&refused.out).unwrap_or_default();
    assert_eq!(
        (refused.status, &answer["kind"]),
        (Some(1), &"invalid_arguments".into()),
        "{} {}",
        refused.out,
        refused.err
    );
    toolc(&folder, path, &["mcp", "diff", "real"]).succeeded();
    // The second run is the same version, which was checked already.
    assert_eq!(osv.asked().lines().count(), 1, "{}", osv.asked());
}

fn own_path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

#[test]
fn a_server_of_npm_is_added_checked_and_called() {
    if let Err(why) =
        packages::run(Command::new("npm").args(["view", "@modelcontextprotocol/server-everything", "version"]))
    {
        return packages::missing("no registry of npm", &why);
    }
    check(
        &["npx", "-y", "@modelcontextprotocol/server-everything"],
        "npm @modelcontextprotocol/server-everything",
        &own_path(),
        ("mcp__real__get-sum", r#"{"a": "2", "b": 3}"#, "5"),
        ("mcp__real__echo", "{}"),
    );
}

#[test]
fn a_server_of_pypi_is_added_checked_and_called() {
    let python = match packages::python("uv", UV) {
        Ok(python) => python,
        Err(why) => return packages::missing("no `uvx`", &why),
    };
    let bin = python.parent().expect("it is in a folder").display();
    check(
        &["uvx", "mcp-server-time"],
        "PyPI mcp-server-time",
        &format!("{bin}:{}", own_path()),
        ("mcp__real__get_current_time", r#"{"timezone": "Europe/Paris"}"#, "Europe/Paris"),
        ("mcp__real__convert_time", r#"{"source_timezone": "Europe/Paris"}"#),
    );
}
