//! Sandboxes of a service that speaks the API of Daytona.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;
use toolc_environment::copy::Copies;
use toolc_environment::{
    DaytonaKind, Environment, Exit, HostKeys, Kind as _, Launch, Leases, Outcome, Output, Program, Site,
};
use toolc_test_support::Missing;
use toolc_test_support::daytona::{KEY, Service};
use toolc_test_support::ssh::TOKEN;

use crate::kinds::AsKind as _;
use crate::text::Text;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

/// Returns a service, or `None` if there is none.
fn service() -> Option<Service> {
    Service::start().inspect_err(Missing::skip).ok()
}

fn make(kind: &DaytonaKind, leases: Option<&Arc<Leases>>) -> std::io::Result<Arc<dyn Environment>> {
    kind.make(&Site { directory: Path::new("/"), host_home: None, leases })
}

fn run(environment: &dyn Environment, line: &str) -> (Outcome, String) {
    let text = Text::default();
    let launch = Launch::new(Program::Shell(line.to_owned()), Output::Merged(Box::new(text.clone())));
    let running = environment.start(launch).expect("failed to start");
    let started = Instant::now();
    let outcome = running.wait(&|| started.elapsed() > LIMIT).expect("no error").expect("it ends");
    let text = text.get();
    (outcome, text)
}

#[test]
fn a_sandbox_is_made_with_limits_and_deleted_at_the_end() {
    let Some(service) = service() else { return };
    let folder = TempDir::new().expect("failed to make a folder");
    let kind = service.kind().directory(folder.path()).snapshot("small").target("eu").organization("o-1");
    let environment = make(&kind, None).expect("it can be made");
    assert_eq!((environment.name(), environment.directory()), ("daytona", folder.path()));
    assert!(environment.promises().isolated);
    let (outcome, text) = run(&*environment, "pwd; exit 3");
    assert_eq!((outcome.exit, text), (Exit::Code(3), format!("{}\n", folder.path().display())));

    let (_, address, body) = service.state().requests.iter().find(|request| request.0 == "POST").cloned().unwrap();
    assert_eq!(address, "/api/sandbox");
    for (key, value) in [
        ("snapshot", json!("small")),
        ("target", json!("eu")),
        ("networkBlockAll", json!(true)),
        ("public", json!(false)),
        ("autoStopInterval", json!(15)),
        ("autoDeleteInterval", json!(0)),
        ("ttlMinutes", json!(120)),
    ] {
        assert_eq!(body[key], value, "{key}");
    }
    assert_eq!(body["labels"]["made-by"], "toolc");
    assert_eq!(service.state().sandboxes.len(), 1);
    environment.clean_up();
    assert!(service.state().sandboxes.is_empty());
}

#[test]
fn the_token_and_the_key_are_not_shown() {
    let Some(service) = service() else { return };
    let environment = make(&service.kind(), None).expect("it can be made");
    let lines = std::fs::read_dir("/proc").expect("there are processes").flatten();
    let lines = lines.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    for line in lines {
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        // The server of the tests shows its users.
        assert!(line.starts_with("sshd") || !line.contains(TOKEN) && !line.contains(KEY), "{line}");
    }
    assert!(!format!("{:?} {environment:?}", service.kind()).contains(KEY));
    environment.clean_up();
    // The gateway is another machine than the one that is known.
    let kind = DaytonaKind::new(KEY, "/dev/null").url(service.url());
    let error = make(&kind, None).expect_err("the host key is unknown");
    let text = format!("{error} {error:?}");
    assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{text}");
    assert!(text.contains("host key") && !text.contains(TOKEN) && !text.contains(KEY), "{text}");
    assert!(service.state().sandboxes.is_empty(), "the sandbox is deleted");
    let known = TempDir::new().expect("failed to make a folder");
    let accepts = DaytonaKind::new(KEY, known.path().join("hosts")).url(service.url());
    make(&accepts.host_keys(HostKeys::AcceptNew), None).expect("it can be made");
}

#[test]
fn what_a_host_with_the_same_home_has_left_is_deleted_and_nothing_else() {
    let Some(service) = service() else { return };
    let home = TempDir::new().expect("failed to make a folder");
    let leases = || Arc::new(Leases::new(home.path().join("leases")));
    let (first, second) = (leases(), leases());
    let kept = make(&service.kind(), Some(&first)).expect("it can be made");
    {
        let mut state = service.state();
        let mut left = state.sandboxes[0].clone();
        left["id"] = "left".into();
        left["name"] = "toolc-left".into();
        left["labels"]["toolc-lease"] = "4711-0".into();
        let mut foreign = left.clone();
        foreign["id"] = "foreign".into();
        foreign["labels"]["toolc-home"] = "0123456789abcdef".into();
        let mut other = left.clone();
        other["id"] = "other".into();
        other["labels"] = json!({ "made-by": "toolc" });
        state.sandboxes.extend([left, foreign, other]);
    }
    let also = make(&service.kind(), Some(&second)).expect("it can be made");
    let ids: Vec<String> =
        service.state().sandboxes.iter().map(|sandbox| sandbox["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids, ["sandbox-1", "foreign", "other", "sandbox-2"]);
    assert_eq!(run(&*kept, "echo x").1, "x\n");

    let error = make(&service.kind().max_sandboxes(2), Some(&second)).expect_err("there are two");
    assert_eq!(error.kind(), ErrorKind::QuotaExceeded);
    assert!(error.to_string().contains("`environment.daytona.max_sandboxes` is 2"), "{error}");
    drop((kept, also));
    assert_eq!(service.state().sandboxes.len(), 2);
}

#[test]
fn faults_of_the_service_are_survived_or_reported() {
    let Some(service) = service() else { return };
    let check = |faults: &[(u16, &str)]| {
        service.state().faults.extend(faults.iter().map(|(status, text)| (*status, (*text).to_owned())));
        let found = service.kind().check().map(drop).map_err(|error| error.to_string());
        service.state().faults.clear();
        found
    };
    assert_eq!(check(&[(503, "busy"), (429, "slow down")]), Ok(()));
    let page = "<html>maintenance</html>";
    let error = check(&[(502, page), (502, page), (502, page), (502, page)]).expect_err("it stays unavailable");
    assert!(error.contains("status 502: <html>maintenance</html>"), "{error}");
    assert!(check(&[(200, page)]).expect_err("it is a page").contains("a page instead of JSON"));
    assert!(check(&[(302, "")]).expect_err("it redirects").contains("redirects"));
    let error =
        DaytonaKind::new("wrong", "/dev/null").url(service.url()).check().expect_err("the key is wrong").to_string();
    assert!(error.contains("DAYTONA_API_KEY") && !error.contains("wrong"), "{error}");
    let error = DaytonaKind::new("", "/dev/null").check().expect_err("there is no key").to_string();
    assert!(error.contains("set `DAYTONA_API_KEY`"), "{error}");

    // The answer to the creation is lost, and the sandbox is not made twice.
    service.state().faults.push_back((200, json!({ "items": [], "nextCursor": null }).to_string()));
    service.state().faults.push_back((500, String::new()));
    let environment = make(&service.kind(), None).expect("it can be made");
    assert_eq!(service.state().sandboxes.len(), 1);
    environment.clean_up();
    // The snapshot cannot be built.
    let made = json!({ "id": "broken", "name": "x", "state": "creating" });
    let mut broken = made.clone();
    broken["state"] = "build_failed".into();
    broken["errorReason"] = "no such image".into();
    let list = json!({ "items": [], "nextCursor": null });
    service.state().faults.extend([list, made, broken].map(|answer| (200, answer.to_string())));
    let error = make(&service.kind(), None).expect_err("it fails").to_string();
    assert!(error.contains("has the state `build_failed`: no such image"), "{error}");
    let deletion = service.state().requests.last().cloned().unwrap();
    assert_eq!((deletion.0.as_str(), deletion.1.as_str()), ("DELETE", "/api/sandbox/broken"));
}

#[test]
fn copies_are_those_of_their_own_directory_whatever_that_of_the_task_is() {
    let Some(service) = service() else { return };
    let (here, there) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    std::fs::write(here.path().join("one"), "x").expect("failed to write");
    let copies = Copies::new(here.path(), vec![".".into()], vec![".".into()], |_| {});
    let environment = make(&service.kind().directory(there.path()).copies(copies), None).expect("it can be made");
    assert_eq!(run(&*environment, "cat one; mv one two").1, "x");
    environment.clean_up();
    let results = std::fs::read_dir(here.path()).expect("a folder").map(|entry| entry.expect("an entry").path());
    let results: Vec<_> = results.filter(|path| path.is_dir()).collect();
    assert_eq!(std::fs::read_to_string(results[0].join("all/two")).expect("it came back"), "x");
    // What cannot be copied in is an error, and nothing is left at the service.
    let copies = Copies::new(here.path(), vec!["none".into()], Vec::new(), |_| {});
    let error = make(&service.kind().copies(copies), None).expect_err("there is no such file").to_string();
    assert!(error.contains("`none` cannot be copied into the environment"), "{error}");
    assert!(service.state().sandboxes.is_empty());
}
