//! Servers that are packages of `npx` and `uvx`: their versions are fixed and checked, with a scripted registry.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use serde_json::json;
use toolc_mcp::{Answer, Asker, ErrorKind, Packages, QuestionKind, Server, ServerReport, ServerState, Transport};

use crate::fixture::{Fixture, has_python, server};
use crate::person::Person;

/// A scripted registry, and programs called `npx` and `uvx` that note their arguments and run the scripted server.
struct PackageRegistry {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl PackageRegistry {
    fn new(behaviours: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/fixture");
        for name in ["npx", "uvx"] {
            let path = folder.path().join(name);
            let (ran, server) = (folder.path().join("ran"), fixture.join("server.py"));
            let script =
                format!("#!/bin/sh\necho {name} \"$@\" >> {}\nexec python3 -u {}\n", ran.display(), server.display());
            std::fs::write(&path, script).expect("failed to write");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
                .expect("failed to make it executable");
        }
        let mut command = Command::new("python3");
        command.arg(fixture.join("registry.py")).args(behaviours).env("NOTE", folder.path().join("note"));
        let mut child = command.stdout(Stdio::piped()).spawn().expect("failed to start the registry");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("it is a pipe")).read_line(&mut line).expect("it prints its port");
        Self { child, port: line.trim().parse().expect("it is a port"), folder }
    }

    fn server(&self, program: &str, args: &[&str]) -> Server {
        let base = format!("http://127.0.0.1:{}", self.port);
        let file = self.folder.path().join("package.json");
        let packages = Packages { npm: base.clone(), pypi: base.clone(), osv: base, file };
        let command = self.folder.path().join(program).display().to_string();
        let args = args.iter().map(ToString::to_string).collect();
        let transport = Transport::Stdio { command, args, env: Vec::new(), directory: None };
        Server { transport, packages: Some(packages), ..server("s", &[]) }
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    /// Makes OSV unreachable from now on.
    fn break_osv(&self) {
        std::fs::write(self.folder.path().join("note.broken"), "").expect("failed to write");
    }
}

impl Drop for PackageRegistry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn report(server: Server, person: Option<&Arc<Person>>) -> ServerReport {
    let answering = person.map(Person::answering).unwrap_or_default();
    Fixture::answering([server], &answering).report("s")
}

#[test]
fn the_newest_version_is_fixed_checked_and_run_from_then_on() {
    if !has_python() {
        return;
    }
    let place = PackageRegistry::new(&[]);
    let npx = place.server("npx", &["-y", "@scope/server", "--root", "/x"]);
    for _ in 0..2 {
        let report = report(npx.clone(), None);
        assert_eq!(
            (report.state, report.package.as_deref()),
            (ServerState::Connected, Some("npm:@scope/server@1.2.3")),
            "{report}"
        );
    }
    assert_eq!(place.file("ran"), "npx -y @scope/server@1.2.3 --root /x\n".repeat(2));
    assert_eq!(
        place.file("note"),
        "GET /@scope%2Fserver/latest\nPOST /v1/query npm @scope/server 1.2.3\n",
        "the check is kept"
    );
    let uvx = report(place.server("uvx", &["py-server"]), None);
    assert_eq!(
        (uvx.state, uvx.advisories.as_slice()),
        (ServerState::Connected, ["PYSEC-2026-1".to_owned()].as_slice()),
        "{uvx}"
    );
    assert!(uvx.to_string().contains("known vulnerabilities: PYSEC-2026-1"), "{uvx}");
    assert!(place.file("ran").ends_with("uvx py-server==4.5\n"));
}

#[test]
fn malware_is_not_run_whatever_the_person_says() {
    if !has_python() {
        return;
    }
    let (place, person) = (PackageRegistry::new(&[]), Person::new([Answer::yes()]));
    let report = report(place.server("npx", &["evil@1.0.0"]), Some(&person));
    assert_eq!(report.state, ServerState::Failed, "{report}");
    let problem = report.problem.unwrap_or_default();
    assert!(problem.contains("npm:evil@1.0.0 is malicious") && problem.contains("MAL-2026-7"), "{problem}");
    assert_eq!((place.file("ran"), person.asked().len()), (String::new(), 0));
}

#[test]
fn a_package_that_cannot_be_checked_asks_once() {
    if !has_python() {
        return;
    }
    let place = PackageRegistry::new(&["osv-broken"]);
    let server = || place.server("npx", &["-y", "@scope/server"]);
    let alone = report(server(), None);
    assert_eq!(alone.state, ServerState::Failed);
    assert!(alone.problem.is_some_and(|problem| problem.contains("`toolc mcp test s` asks")));
    let unwilling = Person::new([Answer::Decline]);
    assert_eq!(report(server(), Some(&unwilling)).state, ServerState::Failed);
    let willing = Person::new([Answer::yes()]);
    let unchecked = report(server(), Some(&willing));
    assert_eq!(unchecked.state, ServerState::Connected, "{unchecked}");
    assert!(unchecked.unchecked.is_some_and(|reason| reason.contains("500")));
    assert!(
        matches!(&willing.asked()[0].kind, QuestionKind::Unchecked { package, .. } if package == "npm:@scope/server@1.2.3")
    );
    let later = report(server(), None);
    assert_eq!(later.state, ServerState::Connected, "it is asked once: {later}");
    let fixed = report(place.server("npx", &["-y", "@scope/server@1.2.3"]), None);
    assert_eq!(
        fixed.state,
        ServerState::Connected,
        "the version that was accepted is in the configuration now: {fixed}"
    );
    let other = report(place.server("npx", &["-y", "@scope/server@1.2.4"]), None);
    assert_eq!(other.state, ServerState::Failed, "it is another version: {other}");
}

#[test]
fn a_check_is_good_while_osv_cannot_be_reached() {
    if !has_python() {
        return;
    }
    let place = PackageRegistry::new(&[]);
    let server = || place.server("npx", &["-y", "@scope/server"]);
    assert_eq!(report(server(), None).state, ServerState::Connected);
    place.break_osv();
    // The check is older than a day.
    let path = place.folder.path().join("package.json");
    let mut known: serde_json::Value = serde_json::from_str(&place.file("package.json")).expect("it is JSON");
    known["check"]["at"] = json!(1);
    std::fs::write(&path, known.to_string()).expect("failed to write");
    let report = report(server(), None);
    assert_eq!(report.state, ServerState::Connected, "{report}");
    assert!(report.unchecked.is_some(), "{report}");
}

#[test]
fn what_no_registry_has_runs_only_after_the_person_said_so() {
    if !has_python() {
        return;
    }
    let (place, person) = (PackageRegistry::new(&[]), Person::new([Answer::yes()]));
    let server = || place.server("npx", &["./local.js"]);
    assert_eq!(report(server(), None).state, ServerState::Failed);
    assert_eq!(report(server(), Some(&person)).state, ServerState::Connected);
    assert_eq!(report(server(), None).state, ServerState::Connected);
    assert_eq!((person.asked().len(), place.file("note")), (1, String::new()), "no registry gets a request");
}

#[test]
fn a_version_that_is_not_one_is_not_run() {
    if !has_python() {
        return;
    }
    let place = PackageRegistry::new(&[]);
    let mut strange = place.server("npx", &["strange"]);
    strange.restart_delay = std::time::Duration::from_mins(10);
    let report = report(strange, None);
    assert!(report.problem.is_some_and(|problem| problem.contains("names no version")));
    assert_eq!(place.file("ran"), "");
}

#[test]
fn a_new_version_is_fixed_when_a_person_asks_for_it() {
    if !has_python() {
        return;
    }
    let (place, person) = (PackageRegistry::new(&[]), Person::new([]));
    let server = place.server("npx", &["-y", "@scope/server"]);
    let package = toolc_mcp::resolve_package(&server, Arc::clone(&person) as Arc<dyn Asker>).expect("it is found");
    let package = package.expect("it is a package");
    assert_eq!(
        (package.name.as_str(), package.args),
        ("npm:@scope/server@1.2.3", vec!["-y".to_owned(), "@scope/server@1.2.3".to_owned()])
    );
    let evil = place.server("npx", &["evil@1.0.0"]);
    let refused =
        toolc_mcp::resolve_package(&evil, Arc::clone(&person) as Arc<dyn Asker>).expect_err("it is malicious");
    assert_eq!(refused.kind(), ErrorKind::Package);
    assert!(refused.to_string().contains("malicious"), "{refused}");
    let program = place.server("python3", &["x.py"]);
    assert_eq!(toolc_mcp::resolve_package(&program, person as Arc<dyn Asker>).expect("it is a program"), None);
}
