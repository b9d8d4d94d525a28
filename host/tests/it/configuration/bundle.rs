//! `toolc doctor --bundle`: what is in the archive, and that no secret is.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::{folder, run, run_with, write};

/// Secrets of all kinds. None may be in a bundle.
const SECRETS: &[&str] = &[
    "envfile-hunter1",
    "process-hunter2",
    "option-hunter3",
    "query-hunter4",
    "comment-hunter5",
    "command-hunter6",
    "unknown-hunter7",
    "proxy-hunter8",
    "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "said-hunter9",
    "problem-hunter10",
];

/// Returns the texts of the files in an archive, by their names.
fn files(path: &Path) -> BTreeMap<String, String> {
    let packed = fs::read(path).expect("the archive exists");
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&packed[..]));
    let mut files = BTreeMap::new();
    for entry in archive.entries().expect("it is an archive") {
        let mut entry = entry.expect("it can be read");
        let name = entry.path().expect("it has a name").display().to_string();
        let mut text = String::new();
        entry.read_to_string(&mut text).expect("it is text");
        files.insert(name.trim_start_matches("toolc-report/").to_owned(), text);
    }
    files
}

/// Writes a home folder with a secret in every file.
fn home(folder: &tempfile::TempDir) {
    let config = "# comment-hunter5\n[models.main]\napi = 'chat'\nmodel = 'm'\nbase_url = 'https://example.com/v1?api_key=query-hunter4'\n\
                  key_variable = 'MODEL_KEY'\n[mcp.servers.s]\ncommand = 'no-such-program'\n\
                  args = ['--token', 'option-hunter3', 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8']\nenv = ['MODEL_KEY']\n";
    write(folder, "home/config.toml", config);
    write(folder, "home/.env", "MODEL_KEY=envfile-hunter1\nPLAIN=some-other-value\n");
    let line = |command: &str| {
        format!(
            "{{\"time\":\"2026-11-30T10:00:00Z\",\"command\":\"{command}\",\"verdict\":\"ask\",\"directory\":\"/x/envfile-hunter1\"}}\n"
        )
    };
    let log: String = (0..300).map(|at| line(&format!("echo {at} command-hunter6"))).collect();
    write(folder, "home/logs/approvals.jsonl", &(log + "not JSON: unknown-hunter7\n"));
    write(
        folder,
        "home/mcp/s.state.json",
        "{\"server\":null,\"problem\":{\"at\":1,\"text\":\"it ended: password=problem-hunter10\"}}",
    );
}

fn bundle(folder: &tempfile::TempDir, args: &[&str]) -> super::Run {
    run_with(folder, &[&["doctor", "--bundle"], args].concat(), |program: &mut Command| {
        program
            .env("SOME_TOKEN", "process-hunter2")
            .env("HTTPS_PROXY", "http://user:proxy-hunter8@127.0.0.1:9")
            .env("TERM", "dumb")
    })
}

#[test]
fn a_bundle_has_what_a_bug_report_needs_and_no_secret() {
    let folder = folder();
    home(&folder);
    let written = bundle(&folder, &["report.tar.gz"]);
    assert_eq!(written.status, Some(0), "{}", written.err);
    let path = folder.path().join("report.tar.gz");
    assert_eq!(fs::metadata(&path).expect("it exists").permissions().mode() & 0o777, 0o600);
    let files = files(&path);
    for name in [
        "README.txt",
        "system.txt",
        "doctor.txt",
        "doctor.json",
        "config.toml",
        "config-check.txt",
        "approvals.jsonl",
        "tools.json",
        "mcp.json",
    ] {
        assert!(files.contains_key(name), "{name}: {:?}", files.keys());
        assert!(
            written.out.contains(name) && files["README.txt"].contains(name) || name == "README.txt",
            "{}",
            written.out
        );
    }
    assert!(written.out.contains("look at the files before you send them"), "{}", written.out);
    for (name, text) in &files {
        for secret in SECRETS {
            assert!(!text.contains(secret), "{secret} in {name}: {text}");
        }
    }
    for (name, text) in [
        ("system.txt", concat!("toolc ", env!("CARGO_PKG_VERSION"), "\n")),
        ("system.txt", "TERM=dumb\n"),
        ("system.txt", "HTTPS_PROXY"),
        ("system.txt", "variables in .env: MODEL_KEY, PLAIN\n"),
        ("doctor.txt", "configuration: profile default"),
        ("config.toml", "key_variable = \"MODEL_KEY\""),
        ("config.toml", "[mcp.servers.s]"),
        ("tools.json", "\"read_file\""),
        ("mcp.json", "no program `no-such-program` is in `PATH`"),
        ("mcp.json", "it ended: password="),
        ("approvals.jsonl", "\"verdict\":\"ask\""),
        ("config-check.txt", "no mistakes"),
    ] {
        assert!(files[name].contains(text), "{text}: {}", files[name]);
    }
    assert_eq!(files["approvals.jsonl"].lines().count(), 200);
    assert!(!files.values().any(|text| text.contains("some-other-value")));
}

#[test]
fn a_bundle_replaces_no_file_without_being_told_and_is_not_written_inside_a_tool() {
    let folder = folder();
    home(&folder);
    write(&folder, "mine.tar.gz", "mine");
    let refused = bundle(&folder, &["mine.tar.gz"]);
    refused.assert_refused(&["mine.tar.gz already exists", "--force"]);
    assert_eq!(fs::read_to_string(folder.path().join("mine.tar.gz")).expect("it exists"), "mine");
    assert_eq!(bundle(&folder, &["mine.tar.gz", "--force"]).status, Some(0));
    assert!(files(&folder.path().join("mine.tar.gz")).contains_key("system.txt"));
    let inside =
        run_with(&folder, &["doctor", "--bundle", "x.tar.gz"], |program| program.env("TOOLC_INSIDE_TOOL", "1"));
    inside.assert_refused(&["does not run inside a tool"]);
    assert!(!folder.path().join("x.tar.gz").exists());
    run(&folder, &["doctor", "--force"]).assert_refused(&["--bundle"]);
    // Without a name, it is named after the time.
    let named = bundle(&folder, &[]);
    let path = named.out.lines().next().and_then(|line| line.strip_prefix("written: ")).unwrap_or_default().to_owned();
    assert!(path.starts_with("toolc-report-") && folder.path().join(&path).exists(), "{}", named.out);
}

#[test]
fn a_bundle_is_written_for_a_configuration_with_mistakes() {
    let folder = folder();
    write(&folder, "home/config.toml", "[agent]\nmax_iteration = 5\npassword = 'unknown-hunter7'\n");
    write(&folder, "home/permissions.toml", "broken = said-hunter9\n");
    assert_eq!(bundle(&folder, &["a.tar.gz"]).status, Some(0));
    let found = files(&folder.path().join("a.tar.gz"));
    assert!(found["doctor.txt"].contains("unknown key `max_iteration`"), "{}", found["doctor.txt"]);
    assert!(found["config.toml"].contains("max_iteration = 5"), "{}", found["config.toml"]);
    assert!(found["permissions.toml"].contains("its syntax has mistakes"), "{}", found["permissions.toml"]);
    for (name, text) in &found {
        assert!(!text.contains("unknown-hunter7"), "{name}: {text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_conversation_is_in_a_bundle_only_if_it_is_named() {
    let folder = folder();
    home(&folder);
    write(&folder, "answers.jsonl", "{\"text\": \"The key is envfile-hunter1, and the word is tulip.\"}\n");
    let agent = run(&folder, &["agent", "Say it.", "--model", "script:answers.jsonl"]);
    assert_eq!(agent.status, Some(0), "{}", agent.err);
    assert_eq!(bundle(&folder, &["without.tar.gz"]).status, Some(0));
    let without = files(&folder.path().join("without.tar.gz"));
    assert!(!without.values().any(|text| text.contains("tulip") || text.contains("Say it.")));
    let sessions = run(&folder, &["sessions", "list"]).out;
    let id = sessions.split_whitespace().next().expect("there is a conversation").to_owned();
    let with = bundle(&folder, &["with.tar.gz", "--session", &id]);
    assert_eq!(with.status, Some(0), "{}", with.err);
    let with = files(&folder.path().join("with.tar.gz"));
    assert!(
        with["session.jsonl"].contains("tulip") && with["session.jsonl"].contains("Say it."),
        "{}",
        with["session.jsonl"]
    );
    assert!(!with["session.jsonl"].contains("hunter"), "{}", with["session.jsonl"]);
    bundle(&folder, &["other.tar.gz", "--session", "nothing"]).assert_refused(&["nothing"]);
    assert!(!folder.path().join("other.tar.gz").exists());
}
