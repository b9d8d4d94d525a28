//! MCP's conformance suite against the server of this package. If it cannot be installed, the test is skipped.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use toolc_test_support::packages;

/// The suite.
const SUITE: &str = "@modelcontextprotocol/conformance@0.2.0-alpha.12\n";

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
    let found = packages::node().and_then(|node| Ok((node, packages::npm("mcp-conformance", SUITE)?)));
    let (node, suite) = match found {
        Ok((node, folder)) => (node, folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js")),
        Err(why) => return packages::missing("MCP's conformance suite cannot run", &why),
    };
    let server = Server::start();
    assert_eq!(failing(&node, &suite, &server, "2026-07-28"), STATELESS);
    assert_eq!(failing(&node, &suite, &server, "2025-11-25"), SESSIONS);
}
