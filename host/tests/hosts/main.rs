//! The example hosts, run as programs: against a server that plays their vendor, or a client that plays an agent.

mod mcp;
mod program;
mod server;
mod vendors;

use serde_json::{Value, json};
use toolc::{Dialect, Registry, Turn};

use program::{Run, folder};
use server::{Reply, Request, serve};
use vendors::{Call, VENDORS, Vendor};

/// What the user asks for.
const ERRAND: &str = "What is in \"a.txt\"?";
/// One call that goes well, and one that does not.
const CALLS: [Call; 2] = [
    Call { id: "call_1", tool: "read_file", arguments: r#"{"path":"a.txt"}"# },
    Call { id: "call_2", tool: "read_file", arguments: r#"{"path":"b.txt"}"# },
];
/// Lines of an example: as much as a reader takes in at once.
const MOST_LINES: usize = 60;

/// The turn that the examples show a model.
fn turn(dialect: Dialect) -> Turn {
    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools()).expect("names are unique");
    registry.session().enable(["safe"]).build().expect("the toolset is known").turn_blocking(dialect)
}

/// Runs a vendor's example against a server that replies with these, and gives what it was asked for.
fn play(vendor: &Vendor, replies: Vec<Reply>) -> (Run, Vec<Request>) {
    let (url, requests) = serve(replies);
    let run = Run::of(vendor.example, &folder(), &[ERRAND], &[(vendor.base, &url), (vendor.key, "a-key")]);
    (run, requests.try_iter().collect())
}

#[test]
fn a_model_calls_several_tools_at_once_sees_what_they_come_to_and_answers() {
    for vendor in &VENDORS {
        let (calls, said) = (vendor.calls)(&CALLS);
        let (run, requests) = play(vendor, vec![calls, (vendor.says)("An alpha.")]);
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
        let (before, results) = second.split_at(1 + said.len());
        assert_eq!(before, [first, said].concat(), "{}", vendor.example);

        let results = (vendor.results)(results);
        let [good, bad] = &results[..] else { panic!("two results, not {results:?}") };
        assert_eq!((&*good.id, &*bad.id), ("call_1", "call_2"), "{}", vendor.example);
        assert_eq!(good.json["content"], "     1|alpha\n", "{}", vendor.example);
        assert_eq!(bad.json["kind"], "not_found", "{}", vendor.example);
        assert!(!good.is_error && bad.is_error, "{}", vendor.example);
    }
}

#[test]
fn what_the_api_says_is_wrong_is_told() {
    let error = json!({ "error": { "type": "overloaded", "status": "overloaded", "message": "come back later" } });
    for vendor in &VENDORS {
        let (run, _) = play(vendor, vec![Reply::json(529, &error)]);
        assert_eq!((run.status, &*run.out), (Some(1), ""), "{}", vendor.example);
        let told = "error: the API answered with an error (overloaded): come back later\n";
        assert_eq!(run.err, told, "{}", vendor.example);
    }
}

#[test]
fn a_response_that_makes_no_sense_is_told_with_its_place() {
    for vendor in &VENDORS {
        for reply in [Reply::bad_gateway(), Reply::json(200, &json!({ "greeting": "hello" }))] {
            let (run, requests) = play(vendor, vec![reply]);
            assert_eq!((run.status, &*run.out, requests.len()), (Some(1), "", 1), "{}", vendor.example);
            let is_told =
                run.err.starts_with("error: ") && run.err.contains("expected ") && run.err.lines().count() == 1;
            assert!(is_told, "{}: {}", vendor.example, run.err);
        }
    }
}

#[test]
fn the_key_goes_nowhere_but_to_the_api() {
    for vendor in &VENDORS {
        let (elsewhere, asked) = serve(vec![Reply::json(200, &json!({}))]);
        // The same server by another name.
        let elsewhere = elsewhere.replace("127.0.0.1", "localhost");
        let (run, requests) = play(vendor, vec![Reply::moved(elsewhere)]);
        assert_eq!((run.status, requests.len()), (Some(1), 1), "{}: {}", vendor.example, run.err);
        assert!(asked.try_recv().is_err(), "{}", vendor.example);
    }
}

#[test]
fn nobody_answering_is_told() {
    for vendor in &VENDORS {
        let (run, _) = play(vendor, Vec::new());
        assert_eq!((run.status, &*run.out), (Some(1), ""), "{}", vendor.example);
        assert!(run.err.starts_with("error: ") && run.err.lines().count() == 1, "{}: {}", vendor.example, run.err);
    }
}

#[test]
fn a_model_that_never_stops_calling_is_stopped() {
    for vendor in &VENDORS {
        let replies = (0..100).map(|_| (vendor.calls)(&CALLS[..1]).0).collect();
        let (run, requests) = play(vendor, replies);
        assert_eq!((run.status, requests.len()), (Some(1), 20), "{}", vendor.example);
        assert_eq!(run.err, "error: the model was not done after 20 rounds of calls\n", "{}", vendor.example);
    }
}

#[test]
fn what_is_missing_on_the_command_line_is_told() {
    for vendor in &VENDORS {
        let run = Run::of(vendor.example, &folder(), &[], &[(vendor.key, "a-key")]);
        assert_eq!((run.status, &*run.err), (Some(1), "error: say what is to be done, as one argument\n"));
        let run = Run::of(vendor.example, &folder(), &[ERRAND], &[]);
        assert_eq!((run.status, run.err), (Some(1), format!("error: {} is not set\n", vendor.key)));
    }
}

#[test]
fn an_example_is_short() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).expect("there are examples") {
        let path = entry.expect("the folder can be read").path();
        let lines = std::fs::read_to_string(&path).expect("an example is text").lines().count();
        assert!(lines <= MOST_LINES, "{}: {lines} lines, at most {MOST_LINES} are allowed", path.display());
        names.push(path.file_stem().expect("a name").to_string_lossy().into_owned());
    }
    names.sort();
    let tested = VENDORS.iter().map(|vendor| vendor.example).chain([mcp::EXAMPLE]);
    let mut tested: Vec<&str> = tested.collect();
    tested.sort_unstable();
    assert_eq!(names, tested, "every example is tested");
}
