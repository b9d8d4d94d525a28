//! Handlers whose program is a script of the shell: it answers each request with its working directory and its arguments.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolc::testing::Caller;
use toolc::{ErrorKind, ToolError};
use toolc_process::HiddenFolder;
use toolc_program::{ProgramHandlers, ToolsetProgram};
use toolc_test_support::wait_until;

const DECLARED: ToolsetProgram = ToolsetProgram {
    toolset: "places",
    command: &["sh", "./programs/place.sh", "./programs/seen", "./rest"],
    env: &[],
    max_output_bytes: Some(1_000),
    idle_timeout: None,
};

const SCRIPT: &str = r#"
echo started >> "$1"
while read -r line; do
    case "$line" in
        *long*) head -c 2000 /dev/zero | tr '\0' x ;;
        *end*) exit 4 ;;
    esac
    id=${line#*\"id\":}
    printf '{"id":%s,"result":{"dir":"%s","rest":"%s","hidden":"%s"}}\n' "${id%%,*}" "$PWD" "$2" "$(cat "$3" 2>/dev/null)"
done
"#;

/// A project with the program.
struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        fs::create_dir(folder.path().join("programs")).expect("the folder can be made");
        fs::write(folder.path().join("programs/place.sh"), SCRIPT).expect("the program can be written");
        Self(folder)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().canonicalize().expect("it exists").join(name)
    }

    fn handlers(&self) -> ProgramHandlers {
        ProgramHandlers::new(&DECLARED, self.path(""))
    }

    /// How often the program was started.
    fn starts(&self) -> usize {
        fs::read_to_string(self.path("programs/seen")).unwrap_or_default().lines().count()
    }
}

fn call(handlers: &ProgramHandlers, arguments: &Value) -> Result<Value, ToolError> {
    let output = handlers.call(&Caller::new().call("find_place"), arguments)?;
    Ok(serde_json::from_str(output.as_json()).expect("an output is JSON"))
}

#[test]
fn files_of_the_project_are_found_in_any_working_directory() {
    let (project, elsewhere) = (Project::new(), tempfile::tempdir().expect("there is a folder for temporary files"));
    let here = std::env::current_dir().expect("there is one");
    let place = |handlers: &ProgramHandlers| call(handlers, &json!({})).expect("the call succeeds");
    let handlers = project.handlers();
    assert_eq!(project.starts(), 0, "nothing is started before the first call");
    let found = place(&handlers);
    assert_eq!((&found["dir"], &found["rest"]), (&json!(here), &json!(project.path("rest"))));
    let moved = project.handlers().in_dir(elsewhere.path());
    assert_eq!(Path::new(place(&moved)["dir"].as_str().expect("a text")), elsewhere.path());
    assert_eq!(project.starts(), 2);
}

#[test]
fn settling_ends_the_program_and_the_next_call_starts_it_again() {
    let project = Project::new();
    let handlers = project.handlers();
    for starts in 1..=2 {
        call(&handlers, &json!({})).expect("the call succeeds");
        call(&handlers, &json!({})).expect("the call succeeds");
        assert_eq!(project.starts(), starts);
        assert!(handlers.settle(Duration::from_mins(1)));
    }
}

#[test]
fn what_ends_the_program_fails_only_the_calls_that_are_open() {
    let project = Project::new();
    let handlers = project.handlers();
    for (arguments, expected) in [
        (json!({ "how": "end" }), "the program of the toolset `places` ended during the call: exit status 4"),
        (json!({ "how": "long" }), "it printed more than 1000 bytes in a line"),
    ] {
        let error = call(&handlers, &arguments).expect_err("the program ends");
        assert!(error.message().contains(expected), "{error}");
        assert_eq!(error.kind(), ErrorKind::Failed);
        wait_until("the program runs again", || call(&handlers, &json!({})).is_ok());
    }
}

#[test]
fn a_hidden_folder_is_hidden_from_the_program() {
    if let Err(why) = HiddenFolder::check_available() {
        return toolc_test_support::skip(format!("folders cannot be hidden: {why}"), "Linux with user namespaces");
    }
    let (project, secrets) = (Project::new(), tempfile::tempdir().expect("there is a folder for temporary files"));
    let file = secrets.path().join("key");
    fs::write(&file, "the key").expect("the file can be written");
    let path: &str = Box::leak(file.to_str().expect("the path is Unicode").to_owned().into_boxed_str());
    let command = [DECLARED.command, &[path]].concat();
    let declared = ToolsetProgram { command: command.leak(), ..DECLARED };
    let sees = |handlers: &ProgramHandlers| call(handlers, &json!({})).expect("the call succeeds")["hidden"].clone();
    assert_eq!(sees(&ProgramHandlers::new(&declared, project.path(""))), "the key");
    let hiding = ProgramHandlers::new(&declared, project.path("")).hiding(HiddenFolder::new(secrets.path()));
    assert_eq!(sees(&hiding), "");
}
