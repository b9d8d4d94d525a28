//! Runs the example hosts as programs, against a fake server of their vendor or, for the MCP server, a fake client.

mod mcp;
pub(crate) mod program;
mod server;
mod vendors;

use serde_json::{Value, json};
use toolc::{Dialect, Registry, Turn};

use program::{Run, folder};
use server::{Reply, Request, serve};
use vendors::{Call, VENDORS, Vendor};

/// The task that the user passes to an example.
const TASK: &str = "What is in \"a.txt\"?";
/// One call that succeeds, and one that fails.
const CALLS: [Call; 2] = [
    Call { id: "call_1", tool: "read_file", arguments: r#"{"path":"a.txt"}"# },
    Call { id: "call_2", tool: "read_file", arguments: r#"{"path":"b.txt"}"# },
];
/// The maximum number of lines of an example, so that it can be read at a glance.
const MAX_LINES: usize = 60;

/// Returns a turn with the tools that the examples show to a model.
fn turn(dialect: Dialect) -> Turn {
    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools()).expect("names are unique");
    registry.session().enable(["safe"]).build().expect("the toolset is known").turn_blocking(dialect)
}

/// Runs a vendor's example against a server that sends these replies. Returns the requests that the server received.
fn run(vendor: &Vendor, replies: Vec<Reply>) -> (Run, Vec<Request>) {
    let (url, requests) = serve(replies);
    let run = Run::new(vendor.example, &folder(), &[TASK], &[(vendor.base, &url), (vendor.key, "a-key")]);
    (run, requests.try_iter().collect())
}

#[test]
fn an_example_runs_calls_sends_their_results_and_prints_the_answer() {
    for vendor in &VENDORS {
        let (calls, model_messages) = (vendor.calls)(&CALLS);
        let (run, requests) = run(vendor, vec![calls, (vendor.says)("An alpha.")]);
        assert_eq!((run.status, &*run.out, &*run.err), (Some(0), "An alpha.\n", ""), "{}", vendor.example);

        let definitions: Value =
            serde_json::from_str(turn(vendor.dialect).definitions()).expect("definitions are JSON");
        for request in &requests {
            assert_eq!(request.line, format!("POST {}", vendor.path));
            let (name, value) = vendor.auth;
            assert_eq!(request.headers.get(name).map(String::as_str), Some(value), "{}: {name}", vendor.example);
            assert!(request.headers["content-type"].starts_with("application/json"), "{}", vendor.example);
            assert_eq!(request.body.pointer(vendor.tools), Some(&definitions), "{}", vendor.example);
        }
        let [first, second] = &requests[..] else { panic!("two requests, not {}", requests.len()) };
        let conversation = |request: &Request| request.body[vendor.conversation].as_array().expect("a list").clone();
        let (first, second) = (conversation(first), conversation(second));
        assert!(first.len() == 1 && first[0].to_string().contains(r#"What is in \"a.txt\"?"#), "{first:?}");
        let (sent_before, results) = second.split_at(1 + model_messages.len());
        assert_eq!(sent_before, [first, model_messages].concat(), "{}", vendor.example);

        let results = (vendor.results)(results);
        let [success, failure] = &results[..] else { panic!("two results, not {results:?}") };
        assert_eq!((&*success.id, &*failure.id), ("call_1", "call_2"), "{}", vendor.example);
        assert_eq!(success.json["content"], "     1|alpha\n", "{}", vendor.example);
        assert_eq!(failure.json["kind"], "not_found", "{}", vendor.example);
        assert!(!success.is_error && failure.is_error, "{}", vendor.example);
    }
}

#[test]
fn an_example_prints_an_error_of_the_api() {
    let error = json!({ "error": { "type": "overloaded", "status": "overloaded", "message": "come back later" } });
    for vendor in &VENDORS {
        let (run, _) = run(vendor, vec![Reply::json(529, &error)]);
        assert_eq!((run.status, &*run.out), (Some(1), ""), "{}", vendor.example);
        let message = "error: the API returned an error (overloaded): come back later\n";
        assert_eq!(run.err, message, "{}", vendor.example);
    }
}

#[test]
fn an_example_reports_what_it_expected_in_an_unreadable_response() {
    for vendor in &VENDORS {
        for reply in [Reply::bad_gateway(), Reply::json(200, &json!({ "greeting": "hello" }))] {
            let (run, requests) = run(vendor, vec![reply]);
            assert_eq!((run.status, &*run.out, requests.len()), (Some(1), "", 1), "{}", vendor.example);
            let is_reported =
                run.err.starts_with("error: ") && run.err.contains("expected ") && run.err.lines().count() == 1;
            assert!(is_reported, "{}: {}", vendor.example, run.err);
        }
    }
}

#[test]
fn an_example_does_not_send_its_key_to_a_redirect() {
    for vendor in &VENDORS {
        let (other, other_requests) = serve(vec![Reply::json(200, &json!({}))]);
        // Another host name for the same address.
        let other = other.replace("127.0.0.1", "localhost");
        let (run, requests) = run(vendor, vec![Reply::moved(other)]);
        assert_eq!((run.status, requests.len()), (Some(1), 1), "{}: {}", vendor.example, run.err);
        assert!(other_requests.try_recv().is_err(), "{}", vendor.example);
    }
}

#[test]
fn an_example_reports_an_unreachable_server() {
    for vendor in &VENDORS {
        let (run, _) = run(vendor, Vec::new());
        assert_eq!((run.status, &*run.out), (Some(1), ""), "{}", vendor.example);
        assert!(run.err.starts_with("error: ") && run.err.lines().count() == 1, "{}: {}", vendor.example, run.err);
    }
}

#[test]
fn an_example_stops_after_its_maximum_number_of_requests() {
    for vendor in &VENDORS {
        let replies = (0..100).map(|_| (vendor.calls)(&CALLS[..1]).0).collect();
        let (run, requests) = run(vendor, replies);
        assert_eq!((run.status, requests.len()), (Some(1), 20), "{}", vendor.example);
        assert_eq!(run.err, "error: the model was not done after 20 requests\n", "{}", vendor.example);
    }
}

#[test]
fn an_example_reports_a_missing_task_or_key() {
    for vendor in &VENDORS {
        let run = Run::new(vendor.example, &folder(), &[], &[(vendor.key, "a-key")]);
        assert_eq!((run.status, &*run.err), (Some(1), "error: pass the task as one argument\n"));
        let run = Run::new(vendor.example, &folder(), &[TASK], &[]);
        assert_eq!((run.status, run.err), (Some(1), format!("error: {} is not set\n", vendor.key)));
    }
}

#[test]
fn examples_are_short_and_tested() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).expect("failed to read examples/") {
        let path = entry.expect("the folder can be read").path();
        let lines = std::fs::read_to_string(&path).expect("an example is text").lines().count();
        assert!(lines <= MAX_LINES, "{}: {lines} lines, at most {MAX_LINES} are allowed", path.display());
        names.push(path.file_stem().expect("a name").to_string_lossy().into_owned());
    }
    names.sort();
    let tested = VENDORS.iter().map(|vendor| vendor.example).chain([mcp::EXAMPLE]);
    let mut tested: Vec<&str> = tested.collect();
    tested.sort_unstable();
    assert_eq!(names, tested, "every example is tested");
}
