//! Crawls that are continued, and their files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolc::testing::{Caller, Harness, wait};
use toolc_catalog::web::WebTools as _;
use toolc_test_support::wait_until;
use toolc_web::WebHandlers;

use super::budgets::args;
use super::{Crawled, Tools, asked, page, settings};
use crate::server::{Reply, Server};

/// A site of 120 pages, each of which links to the two below it.
fn tree() -> Server {
    Server::start(|request| {
        let number: usize = match request.path.strip_prefix("/page-") {
            Some(number) => number.parse().expect("a number"),
            None => return Reply::missing(),
        };
        let links = [2 * number + 1, 2 * number + 2].map(|number| format!("/page-{number}"));
        Reply::html(&page(
            &format!("page {number}"),
            links.iter().filter(|_| number < 60).map(String::as_str).take(if number == 59 { 1 } else { 2 }),
        ))
    })
}

fn in_folder(server: &Server, folder: &Path) -> Harness {
    Harness::new(toolc_catalog::web::provider(WebHandlers::new(settings(&[server.port], folder))))
}

#[track_caller]
fn crawl(harness: &Harness, arguments: Value) -> Crawled {
    Crawled::new(harness.call("web_crawl", arguments).value())
}

fn state_of(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    files.filter(|path| path.to_string_lossy().ends_with(".state.json")).collect::<Vec<_>>().remove(0)
}

#[test]
fn a_crawl_is_continued_by_another_process_and_reads_no_page_twice() {
    let (server, folder) = (tree(), TempDir::new().expect("a folder"));
    let start = server.url() + "/page-0";
    let first = crawl(&in_folder(&server, folder.path()), json!({ "url": start, "max_pages": 30 }));
    let resume = first.returns["resume"].clone();
    assert_eq!((first.ended(), first.rows.len()), ("max_pages", 30));
    let second =
        crawl(&in_folder(&server, folder.path()), json!({ "resume": resume, "max_pages": 40, "max_depth": 50 }));
    assert_eq!(
        (second.ended(), &second.returns["resume"], &second.returns["file"]),
        ("max_pages", &resume, &first.returns["file"])
    );
    let last =
        crawl(&in_folder(&server, folder.path()), json!({ "resume": resume, "max_pages": 500, "max_depth": 50 }));
    assert_eq!((last.ended(), last.rows.len(), asked(&server).len()), ("complete", 120, 120));
    let pages: BTreeSet<String> = last.paths().into_iter().collect();
    assert_eq!(pages.len(), 120);
    // Nothing is left to continue.
    let response = in_folder(&server, folder.path()).call("web_crawl", json!({ "resume": resume }));
    assert!(response.response().json.contains("or its files were deleted"), "{}", response.response().json);
    // The first call may have ended before the answer.
    let maps = server.requests().iter().filter(|request| request.path == "/sitemap.xml").count();
    assert!((1..=2).contains(&maps), "{maps}");
}

#[test]
fn files_that_are_not_of_a_crawl_or_are_damaged_are_refused() {
    let (server, folder) = (tree(), TempDir::new().expect("a folder"));
    let harness = in_folder(&server, folder.path());
    let start = server.url() + "/page-0";
    let refused = |name: &Value, part: &str| {
        let response = harness.call("web_crawl", json!({ "resume": name }));
        let json: Value = serde_json::from_str(&response.response().json).expect("JSON");
        assert!(json["error"].as_str().is_some_and(|error| error.contains(part)), "{name}: {json}");
    };
    for name in ["", "abc", "../abc", "/etc/passwd", "a.b", "é"] {
        refused(&json!(name), if name.is_empty() { "" } else { "there is no crawl" });
    }
    let first = crawl(&harness, json!({ "url": start, "max_pages": 5 }));
    let (name, file) = (&first.returns["resume"], first.returns["file"].as_str().expect("a file"));
    let state = state_of(folder.path());
    let (whole, rows) = (fs::read(&state).expect("the state"), fs::read(file).expect("the rows"));
    for damaged in
        [&whole[..whole.len() / 2], b"", b"[]", b"{}", b"\xff\xfe", br#"{"bytes":0,"scope":{},"frontier":{}}"#]
    {
        fs::write(&state, damaged).expect("written");
        refused(name, "are damaged (");
    }
    fs::write(&state, &whole).expect("written");
    fs::write(file, &rows[..rows.len() - 1]).expect("written");
    refused(name, "are damaged (the rows have ");
    fs::remove_file(file).expect("removed");
    refused(name, "there is no crawl");
    // A row that was cut when a process was killed is removed, and its page is visited again.
    fs::write(file, [&rows, &b"{\"url\":\"http://a.exam"[..]].concat()).expect("written");
    let last = crawl(&harness, json!({ "resume": name, "max_pages": 500, "max_depth": 50 }));
    assert_eq!((last.ended(), last.rows.len()), ("complete", 120));
}

#[test]
fn old_files_of_a_crawl_are_deleted_with_the_other_results() {
    let (server, folder) = (tree(), TempDir::new().expect("a folder"));
    let results = folder.path().join("results");
    let first = crawl(&in_folder(&server, &results), json!({ "url": server.url() + "/page-0", "max_pages": 5 }));
    // A save that was interrupted.
    let state = state_of(&results);
    fs::copy(&state, state.with_extension("new")).expect("copied");
    let name = first.returns["resume"].as_str().expect("a name");
    assert!(first.returns["file"].as_str().is_some_and(|file| file.ends_with(&format!("web_crawl-{name}.jsonl"))));
    let store = toolc::limits::SpillFolder::new(&results).expect("a folder");
    let day = Duration::from_hours(24);
    assert_eq!(store.delete_older_than(day).expect("read"), 0);
    for entry in fs::read_dir(&results).expect("a folder") {
        let file = fs::File::options().write(true).open(entry.expect("an entry").path()).expect("a file");
        file.set_modified(std::time::SystemTime::now() - 2 * day).expect("set");
    }
    assert_eq!(store.delete_older_than(day).expect("read"), 3);
    assert_eq!(fs::read_dir(&results).expect("a folder").count(), 0);
}

#[test]
fn only_this_user_can_read_the_files() {
    let (server, folder) = (tree(), TempDir::new().expect("a folder"));
    let results = folder.path().join("new").join("results");
    crawl(&in_folder(&server, &results), json!({ "url": server.url() + "/page-0", "max_pages": 5 }));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode(&results), 0o700);
        let files: Vec<PathBuf> =
            fs::read_dir(&results).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        assert_eq!((files.len(), files.iter().all(|file| mode(file) == 0o600)), (2, true), "{files:?}");
    }
}

#[test]
fn one_call_at_a_time_continues_a_crawl() {
    let (server, folder) = (tree(), TempDir::new().expect("a folder"));
    let handlers = WebHandlers::new(toolc_web::WebSettings {
        crawl_pause: Duration::from_secs(20),
        ..settings(&[server.port], folder.path())
    });
    let first = crawl(&in_folder(&server, folder.path()), json!({ "url": server.url() + "/page-0", "max_pages": 5 }));
    let name = first.returns["resume"].as_str().expect("a name").to_owned();
    let caller = Caller::new();
    thread::scope(|scope| {
        let running =
            scope.spawn(|| wait(handlers.web_crawl(args(None, Some(name.clone())), &caller.call("web_crawl"))));
        // The crawl has read one page, and now waits for the pause of the host.
        wait_until("a page", || caller.progress().len() == 1);
        let error = in_folder(&server, folder.path()).call("web_crawl", json!({ "resume": name }));
        assert!(error.response().json.contains("another call continues the crawl"), "{}", error.response().json);
        caller.cancel();
        assert_eq!(running.join().expect("no panic").expect("it has ended").pages, 6);
    });
    let last = crawl(&in_folder(&server, folder.path()), json!({ "resume": name, "max_pages": 500, "max_depth": 50 }));
    assert_eq!((last.rows.len(), asked(&server).len()), (120, 120));
}

/// The environment variable of a process that crawls until it is killed: the folder, the port, and the name of the crawl.
const CRAWLING: &str = "TOOLC_WEB_CRAWLING";

#[test]
fn a_crawl_is_continued_after_its_process_was_killed() {
    if let Ok(value) = std::env::var(CRAWLING) {
        let parts: Vec<&str> = value.split('|').collect();
        let handlers = WebHandlers::new(toolc_web::WebSettings {
            crawl_pause: Duration::from_millis(100),
            ..settings(&[parts[1].parse().expect("a port")], Path::new(parts[0]))
        });
        let caller = Caller::new();
        let ended = wait(handlers.web_crawl(args(None, Some(parts[2].to_owned())), &caller.call("web_crawl")));
        unreachable!("it is killed before: {ended:?}");
    }
    let (server, folder) = (tree(), TempDir::new().expect("a folder"));
    let first = crawl(&in_folder(&server, folder.path()), json!({ "url": server.url() + "/page-0", "max_pages": 20 }));
    let name = first.returns["resume"].as_str().expect("a name");
    let rows = PathBuf::from(first.returns["file"].as_str().expect("a file"));
    for round in 1..=3 {
        let test = thread::current().name().expect("a test has a name").to_owned();
        let value = format!("{}|{}|{name}", folder.path().display(), server.port);
        let mut command = Command::new(std::env::current_exe().expect("the test has a file"));
        command.args(["--exact", &test]).env(CRAWLING, value).stdout(Stdio::null()).stderr(Stdio::null());
        let before = server.requests().len();
        let mut child = command.spawn().expect("it starts");
        wait_until("some pages", || server.requests().len() > before + 5 * round);
        child.kill().and_then(|()| child.wait()).expect("it was killed");
        let written = fs::read_to_string(&rows).expect("the rows");
        let is_whole = |row: &&str| serde_json::from_str::<Value>(row).is_ok();
        let whole = written.lines().filter(is_whole).count();
        // At most the row that was being written is not whole.
        assert!(whole >= 20 && whole + 1 >= written.lines().count(), "{written}");
    }
    let last = crawl(&in_folder(&server, folder.path()), json!({ "resume": name, "max_pages": 500, "max_depth": 50 }));
    let pages: BTreeSet<String> = last.paths().into_iter().collect();
    assert_eq!((last.ended(), last.rows.len(), pages.len()), ("complete", 120, 120));
}

#[test]
fn results_that_cannot_be_written_are_an_error() {
    let server = tree();
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let tools = Tools::with(&[&server], &[], |settings| toolc_web::WebSettings {
        results: Some(file.join("results")),
        ..settings
    });
    let error = tools.error("web_crawl", &json!({ "url": server.url() + "/page-0" }));
    assert!(error.starts_with("the files of the crawl cannot be used: "), "{error}");
}
