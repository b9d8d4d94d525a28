//! The shipped tools in sandboxes of a service that speaks the API of Daytona.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use toolc_test_support::Missing;
use toolc_test_support::daytona::{KEY, Service};

struct Fixture {
    service: Service,
    folder: TempDir,
    there: TempDir,
}

impl Fixture {
    /// Returns a fixture, or `None` if there is no service.
    fn new(key: &str) -> Option<Self> {
        let service = Service::start().inspect_err(Missing::skip).ok()?;
        let new = || TempDir::new().expect("failed to make a folder");
        let it = Self { service, folder: new(), there: new() };
        let home = it.folder.path().join("home");
        fs::create_dir(&home).expect("failed to make a folder");
        let config = format!(
            "[environment]\nkind = \"daytona\"\n[environment.daytona]\nurl = \"{}\"\ndirectory = '{}'\nknown_hosts = '{}'\n",
            it.service.url(),
            it.there.path().display(),
            it.service.known_hosts().display()
        );
        fs::write(home.join("config.toml"), config).expect("failed to write");
        fs::write(home.join(".env"), format!("DAYTONA_API_KEY={key}\n")).expect("failed to write");
        fs::set_permissions(home.join(".env"), fs::Permissions::from_mode(0o600)).expect("failed to set the mode");
        Some(it)
    }

    fn run(&self, args: &[&str]) -> (String, String) {
        let mut program = Command::new(env!("CARGO_BIN_EXE_toolc"));
        program.args(args).current_dir(self.folder.path()).env_remove("DAYTONA_API_KEY");
        program.env("TOOLC_HOME", self.folder.path().join("home")).env("TOOLC_APPROVAL", "deny");
        let Output { stdout, stderr, .. } = program.output().expect("failed to start toolc");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (text(stdout), text(stderr))
    }
}

#[test]
fn the_shipped_tools_act_in_a_sandbox_that_is_deleted_afterwards() {
    let Some(it) = Fixture::new(KEY) else { return };
    let (out, err) = it.run(&["call", "terminal", "command=pwd; env; echo one > made"]);
    let result: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out} {err}"));
    let there = it.there.path().canonicalize().expect("it exists");
    assert!(result.to_string().contains(&there.display().to_string()), "{out} {err}");
    assert!(!out.contains(KEY) && !out.contains("DAYTONA"), "{out}");
    assert_eq!(fs::read_to_string(there.join("made")).expect("it is written"), "one\n");
    let (out, err) = it.run(&["call", "read_file", "path=made"]);
    assert!(out.contains("one"), "{out} {err}");
    assert!(it.service.state().sandboxes.is_empty());
    let requests = it.service.state().requests.iter().filter(|request| request.0 == "POST").count();
    assert_eq!(requests, 4, "each call makes a sandbox, and gets access to it");
}

#[test]
fn doctor_says_whether_the_key_is_accepted() {
    let Some(it) = Fixture::new(KEY) else { return };
    let (out, err) = it.run(&["doctor"]);
    assert!(out.contains("daytona: available"), "{out} {err}");
    let Some(it) = Fixture::new("wrong-key") else { return };
    let (out, err) = it.run(&["doctor"]);
    assert!(
        out.contains("daytona: not available: Daytona does not accept the key: set `DAYTONA_API_KEY`"),
        "{out} {err}"
    );
    assert!(!out.contains("wrong-key") && !err.contains("wrong-key"));
}

#[test]
fn files_are_copied_into_a_sandbox_and_out_of_it() {
    let Some(it) = Fixture::new(KEY) else { return };
    let config = it.folder.path().join("home/config.toml");
    let text = fs::read_to_string(&config).expect("it exists");
    let copies = "[environment]\nput = [\"src\", \"one/file\"]\nget = [\"made\", \"src\", \"none\"]\n";
    fs::write(&config, text.replace("[environment]\n", copies)).expect("failed to write");
    for path in ["src/main", "one/file", "one/other"] {
        let path = it.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("failed to make a folder");
        fs::write(path, "old").expect("failed to write");
    }
    let (out, err) = it.run(&["call", "terminal", "command=find . | sort; echo new > src/main; echo two > made"]);
    assert!(out.contains("./one/file") && out.contains("./src/main") && !out.contains("other"), "{out} {err}");
    assert!(err.contains("note: `none` was not copied out") && err.contains("note: 2 files"), "{err}");
    let name =
        |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name().into_string().expect("UTF-8");
    let mut names = fs::read_dir(it.folder.path()).expect("a folder").map(name);
    let results = it.folder.path().join(names.find(|name| name.starts_with("from-daytona-")).expect("the results"));
    assert_eq!(fs::read_to_string(results.join("made")).expect("it is there"), "two\n");
    assert_eq!(fs::read_to_string(results.join("src/main")).expect("it is there"), "new\n");
    assert_eq!(
        fs::read_to_string(it.folder.path().join("src/main")).expect("it is there"),
        "old",
        "nothing is replaced"
    );
    assert!(it.service.state().sandboxes.is_empty());
}
