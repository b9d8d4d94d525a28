//! Skills that `toolc mcp serve` serves.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolc_mcp::server::ServedFile;
use toolc_test_support::packages;

use super::serve::{HttpServer, Server};
use crate::mcp::{configure, run};

/// A server and a client of skills that others wrote.
pub(super) const FASTMCP: &str = "fastmcp-slim[client,server]==4.1.6\n";
/// MCP's conformance suite, and its scenarios for servers with skills.
const SUITE: &str = "@modelcontextprotocol/conformance@0.2.0-alpha.12\n";
const SCENARIOS: [&str; 3] = ["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"];

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}.\nmetadata:\n  version: \"2\"\n---\n\n{body}\n")
}

/// Returns a home with skills.
fn folder(config: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    configure(&folder, config);
    let skills = folder.path().join("home/skills");
    write(&skills, "ops/deploy/SKILL.md", &skill("deploy", "Run `make site`."));
    write(&skills, "ops/deploy/scripts/run.sh", "echo deployed\n");
    write(&skills, "ops/deploy/.env", "hidden\n");
    write(&skills, "notes/SKILL.md", &skill("notes", "Take notes."));
    write(&skills, "leaky/SKILL.md", &skill("leaky", "The token is hunter2hunter2."));
    write(&skills, "colon/SKILL.md", "---\nname: colon\ndescription: Use it: always\n---\n\nText.\n");
    write(folder.path(), ".agents/skills/team/SKILL.md", &skill("team", "It belongs to a project."));
    folder
}

fn uris(server: &mut Server, id: u32) -> Vec<String> {
    let listed = server.request(id, "skills/list", &json!({}));
    let skills = listed["result"]["skills"].as_array().unwrap_or_else(|| panic!("no skills: {listed}"));
    skills.iter().filter_map(|skill| Some(skill["uri"].as_str()?.to_owned())).collect()
}

fn read(server: &mut Server, id: u32, uri: &str) -> Value {
    server.request(id, "resources/read", &json!({ "uri": uri }))
}

#[test]
fn skills_that_are_named_are_served_as_they_are_on_disk() {
    let folder = folder("[mcp.endpoints.all]\nskills = ['*']\n");
    let mut server = Server::start(&folder, &["--skill", "deploy"], &json!({}));
    assert_eq!(uris(&mut server, 1), ["skill://ops/deploy/SKILL.md"]);
    let entry = server.request(2, "skills/get", &json!({ "uri": "skill://ops/deploy/SKILL.md" }));
    let entry = &entry["result"]["skill"];
    assert_eq!(
        entry["frontmatter"],
        json!({ "name": "deploy", "description": "About deploy.", "metadata": { "version": "2" } })
    );
    let files = entry["resources"].as_array().expect("it has files");
    let paths: Vec<&str> = files.iter().filter_map(|file| file["uri"].as_str()).collect();
    assert_eq!(
        paths,
        ["skill://ops/deploy/SKILL.md", "skill://ops/deploy/scripts/run.sh"],
        "hidden files are left out"
    );
    let script = read(&mut server, 3, "skill://ops/deploy/scripts/run.sh");
    assert_eq!(script["result"]["contents"][0]["text"], "echo deployed\n", "{script}");
    for uri in ["skill://notes/SKILL.md", "skill://ops/deploy/.env", "skill://ops/deploy/../../notes/SKILL.md"] {
        assert!(read(&mut server, 4, uri)["error"].is_object(), "{uri}");
    }
    // A change is seen by the next request.
    write(folder.path(), "home/skills/ops/deploy/scripts/run.sh", "echo deployed again\n");
    let entry = server.request(5, "skills/get", &json!({ "uri": "skill://ops/deploy/SKILL.md" }));
    let digest = ServedFile::new("", "", b"echo deployed again\n").digest;
    assert_eq!(entry["result"]["skill"]["resources"][1]["digest"], digest.as_str(), "{entry}");
    write(folder.path(), "home/skills/ops/deploy/SKILL.md", &skill("deploy", "The token is hunter2hunter2."));
    let refused = read(&mut server, 6, "skill://ops/deploy/SKILL.md");
    assert!(refused["error"].is_object() && !refused.to_string().contains("hunter2"), "{refused}");
    assert!(uris(&mut server, 7).is_empty());
    server.end();
    let mut server = Server::start(&folder, &["all"], &json!({}));
    let all = uris(&mut server, 1);
    server.end();
    assert!(all.contains(&"skill://notes/SKILL.md".to_owned()), "{all:?}");
    for left_out in ["leaky", "colon", "team"] {
        assert!(!all.iter().any(|uri| uri.contains(left_out)), "{left_out}: {all:?}");
    }
}

#[test]
fn a_skill_that_cannot_be_served_is_reported() {
    let folder = folder("");
    let unknown = run(&folder, &["mcp", "serve", "--skill", "deplyo"]);
    assert_eq!(unknown.status, Some(2), "{}", unknown.err);
    assert!(unknown.err.contains("is called `deplyo`") && unknown.err.contains("deploy"), "{}", unknown.err);
    let team = run(&folder, &["mcp", "serve", "--skill", "team"]);
    assert!(team.status == Some(2) && team.err.contains("is called `team`"), "{}", team.err);
    // A file that is not UTF-8 can contain a secret as well.
    let wide: Vec<u8> = "hunter2hunter2".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, bytes) in [("wide", &wide[..]), ("mixed", b"\xff hunter2hunter2")] {
        write(folder.path(), &format!("home/skills/{name}/SKILL.md"), &skill(name, "It has a file."));
        fs::write(folder.path().join(format!("home/skills/{name}/data.bin")), bytes).expect("failed to write");
        let warned = run(&folder, &["mcp", "serve", "--skill", name]);
        assert!(warned.err.contains("`data.bin` contains the value of a secret"), "{name}: {}", warned.err);
    }
    let warned = run(&folder, &["mcp", "serve", "--skill", "leaky,colon,notes"]);
    assert_eq!(warned.status, Some(0), "{}", warned.err);
    assert!(
        warned.err.contains("the skill `leaky` is not served: `SKILL.md` contains the value of a secret"),
        "{}",
        warned.err
    );
    assert!(
        warned.err.contains("the skill `colon` is not served") && warned.err.contains("toolc skills scan"),
        "{}",
        warned.err
    );
    assert!(!warned.err.contains("hunter2") && !warned.err.contains("`notes`"), "{}", warned.err);
}

#[test]
fn without_named_skills_a_server_says_nothing_about_them() {
    let folder = folder("");
    let mut server = Server::start(&folder, &[], &json!({}));
    let refused = server.request(1, "skills/list", &json!({}));
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
    server.end();
}

#[test]
fn the_server_passes_the_scenarios_of_skills_of_the_conformance_suite() {
    let found = packages::node().and_then(|node| Ok((node, packages::npm("mcp-conformance", SUITE)?)));
    let (node, suite) = match found {
        Ok((node, folder)) => (node, folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js")),
        Err(why) => return packages::missing("MCP's conformance suite cannot run", &why),
    };
    let folder = folder("");
    let http = HttpServer::without_token(&folder, &["--skill", "deploy"]);
    for scenario in SCENARIOS {
        let mut command = Command::new(&node);
        command.arg(&suite).args(["server", "--url", &http.url, "--scenario", scenario, "--verbose"]);
        let output = command.output().expect("failed to start the suite");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let passed = text.matches("\"SUCCESS\"").count();
        assert!(output.status.success() && passed > 0 && !text.contains("\"FAILURE\""), "{scenario}: {text}");
    }
    http.stop();
}

#[test]
fn a_client_of_fastmcp_reads_what_the_program_serves() {
    let python = match packages::python("fastmcp", FASTMCP) {
        Ok(python) => python,
        Err(why) => return packages::missing("no FastMCP", &why),
    };
    let folder = folder("");
    // The skills that ship with the program are served, too, because they are copied to the home folder.
    let http = HttpServer::without_token(&folder, &["--skill", "deploy,notes,explore-tables,write-skills"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/clients/fastmcp_skills_client.py");
    let printed =
        packages::run(Command::new(python).arg(script).arg(&http.url)).unwrap_or_else(|error| panic!("{error}"));
    let mut lines: Vec<&str> = printed.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["deploy 2", "explore-tables 5", "notes 1", "write-skills 2"], "{printed}");
    http.stop();
}
