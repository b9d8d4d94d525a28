//! The shipped tools in sandboxes of Modal, by its SDK and a stand-in for the service. `cargo xtask soak modal` installs the SDK.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use toolc_test_support::Missing;
use toolc_test_support::modal::{self, Service};

struct Fixture {
    service: Service,
    folder: TempDir,
}

impl Fixture {
    /// Returns a fixture, or `None` if there is no SDK. The token is in the file `.env` of the home.
    fn new() -> Option<Self> {
        let python = modal::python().inspect_err(Missing::skip).ok()?;
        let it =
            Self { service: Service::start(python, &[]), folder: TempDir::new().expect("failed to make a folder") };
        let home = it.home();
        fs::create_dir(&home).expect("failed to make a folder");
        let [(_, address), (id_name, id), (secret_name, secret), _] = it.service.variables();
        let config = format!(
            "[environment]\nkind = \"modal\"\n[environment.modal]\npython = '{}'\nurl = \"{address}\"\ndirectory = '{}'\n",
            it.service.python.display(),
            it.there().display(),
        );
        fs::write(home.join("config.toml"), config).expect("failed to write");
        fs::write(home.join(".env"), format!("{id_name}={id}\n{secret_name}={secret}\n")).expect("failed to write");
        fs::set_permissions(home.join(".env"), fs::Permissions::from_mode(0o600)).expect("failed to set the mode");
        Some(it)
    }

    fn home(&self) -> std::path::PathBuf {
        self.folder.path().join("home")
    }

    /// The directory of the sandbox. The stand-in shows all files of this machine.
    fn there(&self) -> std::path::PathBuf {
        self.folder.path().join("there")
    }

    fn run(&self, args: &[&str]) -> (String, String) {
        let mut program = Command::new(env!("CARGO_BIN_EXE_toolc"));
        program.args(args).current_dir(self.folder.path()).env("TOOLC_HOME", self.home());
        // Otherwise the SDK would use the token of the user of the tests.
        program.env("TOOLC_APPROVAL", "deny").env("MODAL_CONFIG_PATH", "/dev/null");
        let Output { stdout, stderr, .. } = program.output().expect("failed to start toolc");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (text(stdout), text(stderr))
    }
}

#[test]
fn the_shipped_tools_act_in_a_sandbox_that_is_ended_afterwards() {
    let Some(it) = Fixture::new() else { return };
    let (out, err) = it.run(&["call", "terminal", "command=pwd; env; echo one > made"]);
    let result: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out} {err}"));
    let there = it.there().canonicalize().expect("it was made");
    assert!(result.to_string().contains(&there.display().to_string()), "{out} {err}");
    assert!(!out.contains("as-test") && !out.contains("MODAL_TOKEN"), "{out}");
    assert_eq!(fs::read_to_string(there.join("made")).expect("it is written"), "one\n");
    let (out, err) = it.run(&["call", "read_file", "path=made"]);
    assert!(out.contains("one"), "{out} {err}");
    assert_eq!((it.service.said("created").len(), it.service.said("ended").len()), (2, 2));
}

#[test]
fn what_a_killed_host_has_left_is_listed_and_ended() {
    let Some(it) = Fixture::new() else { return };
    let environment = {
        use toolc_environment::{Kind as _, ModalKind, Site};
        let site = Site { directory: Path::new("/"), host_home: None, leases: None };
        let kind = ModalKind::default().python(&it.service.python);
        let kind = it.service.variables().into_iter().fold(kind, |kind, (name, value)| kind.variable(name, value));
        kind.directory(it.there()).make(&site).expect("it can be made")
    };
    let created = it.service.said("created").concat();
    let name = created.split('"').find(|part| part.starts_with("toolc-")).expect("a name");
    let leases = it.home().join("leases");
    fs::create_dir_all(&leases).expect("failed to make a folder");
    let line = format!("modal-sandbox {name} 99999999999 toolc\n");
    fs::write(leases.join("4711-0123"), &line).expect("failed to write");
    let (out, err) = it.run(&["environments", "list"]);
    assert!(out.contains(line.trim()), "{out} {err}");
    let (out, err) = it.run(&["environments", "clean"]);
    assert_eq!(out, format!("removed: {line}"), "{err}");
    assert_eq!(it.service.said("ended").len(), 1);
    drop(environment);
}

#[test]
fn doctor_says_whether_modal_accepts_the_token() {
    let Some(it) = Fixture::new() else { return };
    let (out, err) = it.run(&["doctor"]);
    assert!(out.contains("modal with") && out.contains(": available"), "{out} {err}");
    fs::write(it.home().join(".env"), "MODAL_TOKEN_ID=ak-test\nMODAL_TOKEN_SECRET=as-wrong\n")
        .expect("failed to write");
    let (out, err) = it.run(&["doctor"]);
    assert!(out.contains("not available: Modal does not accept a token"), "{out} {err}");
    assert!(!out.contains("as-wrong") && !err.contains("as-wrong"), "{out} {err}");
}
