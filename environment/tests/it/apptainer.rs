//! How the command line of Apptainer is used, as a program in its place records it. Apptainer itself is not tried.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use toolc_environment::{ApptainerKind, Environment, Kind as _, Launch, Leases, Output, Program, Promises, Site};
use toolc_test_support::apptainer::Recorder;

use crate::kinds::AsKind as _;

fn folder() -> TempDir {
    TempDir::new().expect("failed to make a folder")
}

fn make(kind: &ApptainerKind, directory: &Path, leases: Option<&Arc<Leases>>) -> Arc<dyn Environment> {
    kind.make(&Site { directory, host_home: None, leases }).expect("it can be made")
}

#[test]
fn a_container_is_started_used_and_stopped() {
    let (recorder, folder) = (Recorder::new(), folder());
    let directory = folder.path().canonicalize().expect("it exists");
    let environment = make(&recorder.kind().bind("/data:/data:ro"), &directory, None);
    assert_eq!((environment.name(), environment.promises()), ("apptainer", Promises::default()));
    let own = environment.temporary_folder().expect("it has one");
    let running = environment.start(Launch::new(Program::Shell("exit 3".to_owned()), Output::None)).expect("it starts");
    assert_eq!(running.wait(&|| false).expect("no error").expect("it ends").exit.code(), Some(3));
    environment.clean_up();
    assert!(!own.exists() || fs::read_dir(&own).expect("it exists").count() == 0);
    let log = fs::read_to_string(recorder.file("log")).expect("there is a record");
    let lines: Vec<&str> = log.lines().collect();
    let name = lines[0].rsplit(' ').next().expect("a name");
    assert!(name.starts_with(&format!("toolc-{}-", std::process::id())), "{name}");
    let start = format!(
        "instance start --containall --no-home --cleanenv --net --network none --bind {} --bind {} --bind /data:/data:ro {} {name}",
        directory.display(),
        own.display(),
        recorder.file("image").display()
    );
    let exec = format!("exec --cleanenv --pwd / instance://{name}");
    let stop = format!("instance stop {name}");
    assert_eq!((lines[0], lines.last().copied()), (&*start, Some(&*stop)));
    assert!(lines.len() > 3 && lines[1..lines.len() - 1].iter().all(|line| *line == exec), "{lines:#?}");
}

#[test]
fn the_network_is_a_setting_and_no_variable_of_the_host_is_passed() {
    let (recorder, folder) = (Recorder::new(), folder());
    drop(make(&recorder.kind().network(true), folder.path(), None));
    let log = fs::read_to_string(recorder.file("log")).expect("there is a record");
    assert!(!log.contains("--net"), "{log}");
    let variables = fs::read_to_string(recorder.file("variables")).expect("there is a record");
    let expected = [
        "DBUS_SESSION_BUS_ADDRESS",
        "HOME",
        "LOGNAME",
        "PATH",
        "TMPDIR",
        "USER",
        "XDG_RUNTIME_DIR",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
    ];
    // `TOOLC_INSIDE_TOOL` says that a tool has started the program.
    let others: Vec<&str> = variables
        .split_terminator('\0')
        .filter_map(|entry| Some(entry.split_once('=')?.0))
        .filter(|name| !expected.contains(name) && *name != "TOOLC_INSIDE_TOOL")
        .collect();
    assert_eq!(others, [""; 0]);
}

#[test]
fn what_is_missing_is_named() {
    let recorder = Recorder::new();
    recorder.kind().check().expect("nothing is missing");
    let refusal = |kind: ApptainerKind| kind.check().expect_err("it is refused");
    let error = refusal(ApptainerKind::new(recorder.file("missing.sif")).program(recorder.file("apptainer")));
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(
        error.to_string().contains("missing.sif` cannot be found") && error.to_string().contains(" build "),
        "{error}"
    );
    let error = refusal(recorder.kind().program("/missing/apptainer"));
    assert!(error.to_string().contains("the program `/missing/apptainer` is missing"), "{error}");
    let error = refusal(recorder.kind().program("/bin/sh"));
    assert!(error.to_string().contains("is neither `apptainer` nor `singularity`"), "{error}");
    let folder = folder();
    let odd = folder.path().join("a:b");
    fs::create_dir(&odd).expect("failed to make a folder");
    let error =
        recorder.kind().make(&Site { directory: &odd, host_home: None, leases: None }).expect_err("it is refused");
    assert!(error.to_string().contains("a colon"), "{error}");
}

#[test]
fn a_container_is_written_to_the_lease_before_it_is_started() {
    let (recorder, folder) = (Recorder::new(), folder());
    let leases = Arc::new(Leases::new(folder.path().join("leases")));
    let directory = folder.path().join("task");
    fs::create_dir(&directory).expect("failed to make a folder");
    let environment = make(&recorder.kind(), &directory, Some(&leases));
    let lease =
        fs::read_dir(folder.path().join("leases")).expect("it exists").next().expect("a lease").expect("no error");
    let text = fs::read_to_string(lease.path()).expect("failed to read");
    assert!(text.starts_with(&format!("instance apptainer toolc-{}-", std::process::id())), "{text}");
    drop(environment);
}
