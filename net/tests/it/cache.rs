//! Answers that are kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use toolc_net::{AddressPolicy, Answer, Cache, Client, Fetch, FetchFault, HeaderValue, Limits, Policy, Ports, header};

use crate::server::{Server, answer};
use crate::{client, get};

const FRESH: &str = "Cache-Control: max-age=600\r\n";

struct Kept {
    folder: tempfile::TempDir,
    server: Server,
    client: Client,
}

impl Kept {
    fn new(server: Server) -> Self {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let client = client(&[&server]).with_cache(open(&folder.path().join("cache"), 64 << 20));
        Self { folder, server, client }
    }

    /// Starts a server with one answer.
    fn with(headers: &'static str) -> Self {
        Self::new(Server::start(move |path| answer("200 OK", headers, path.as_bytes())))
    }

    fn get(&self, path: &str) -> Answer {
        get(&self.client, &self.server.url(path), &Limits::default()).expect("an answer")
    }

    fn requests(&self) -> usize {
        self.server.requests().len()
    }

    fn files(&self) -> Vec<PathBuf> {
        let found = fs::read_dir(self.folder.path().join("cache")).expect("it exists");
        found.map(|file| file.expect("it can be read").path()).collect()
    }
}

fn open(folder: &Path, max_bytes: u64) -> Cache {
    Cache::open(folder, max_bytes).expect("failed to make a folder")
}

#[test]
fn a_fresh_answer_is_not_asked_for_again() {
    let kept =
        Kept::with("Cache-Control: max-age=600\r\nX-A: b\r\nSet-Cookie: a=secret\r\nContent-Type: text/plain\r\n");
    let (first, second) = (kept.get("/a?b"), kept.get("/a?b#c"));
    assert_eq!((first.from_cache, second.from_cache, kept.requests()), (false, true, 1));
    assert_eq!(
        (second.status, &*second.body, &second.headers["x-a"]),
        (200, &b"/a?b"[..], &HeaderValue::from_static("b"))
    );
    assert!(!second.headers.contains_key("set-cookie"));
    assert!(!kept.get("/a").from_cache);
    let few = Limits { body_bytes: 2, ..Limits::default() };
    let cut = get(&kept.client, &kept.server.url("/a?b"), &few).expect("an answer");
    assert_eq!((&*cut.body, cut.is_cut, cut.from_cache), (&b"/a"[..], true, true));
    let target = kept.client.target(&kept.server.url("/a?b")).expect("a valid address");
    let reloaded = kept.client.fetch(Fetch::get(target).reloaded(), &Limits::default()).expect("an answer");
    assert_eq!((reloaded.from_cache, kept.requests()), (false, 3));
}

#[test]
fn the_server_is_asked_whether_an_old_answer_has_changed() {
    for (validator, condition) in [
        ("ETag: W/\"1\"\r\n", "if-none-match: W/\"1\"\r\n"),
        ("Last-Modified: Sun, 09 Sep 2001 01:46:40 GMT\r\n", "if-modified-since: Sun, 09 Sep 2001 01:46:40 GMT\r\n"),
    ] {
        let kept = Kept::new(Server::start_reading(move |request| {
            if request.to_lowercase().contains(&condition.to_lowercase()) {
                return answer("304 Not Modified", "X-New: 1\r\nCache-Control: max-age=0\r\n", b"");
            }
            answer("200 OK", validator, b"text")
        }));
        assert!(!kept.get("/").from_cache);
        for requests in 2..4 {
            let found = kept.get("/");
            assert_eq!((found.status, &*found.body, found.from_cache), (200, &b"text"[..], true), "{validator}");
            assert_eq!(found.headers["x-new"], "1");
            assert_eq!(kept.requests(), requests);
        }
    }
}

#[test]
fn the_server_decides_again_about_an_unchanged_answer() {
    for (headers, requests, files) in [
        ("Cache-Control: max-age=600\r\n", 2, 1),
        ("Cache-Control: max-age=0\r\n", 3, 1),
        ("Cache-Control: no-store\r\n", 3, 0),
    ] {
        let kept = Kept::new(Server::start_reading(move |request| {
            let is_unchanged = request.to_lowercase().contains("if-none-match");
            answer(
                if is_unchanged { "304 x" } else { "200 OK" },
                if is_unchanged { headers } else { "ETag: \"1\"\r\n" },
                b"",
            )
        }));
        assert!(!kept.get("/").from_cache && kept.get("/").from_cache);
        assert_eq!(kept.files().len(), files, "{headers}");
        kept.get("/");
        assert_eq!(kept.requests(), requests, "{headers}");
    }
}

#[test]
fn a_changed_answer_takes_the_place_of_the_old_one() {
    let kept = Kept::new(Server::start_reading(|request| {
        let is_first = !request.to_lowercase().contains("if-none-match");
        let (tag, text) = if is_first { ("ETag: \"1\"\r\n", "one") } else { ("ETag: \"2\"\r\n", "two") };
        answer("200 OK", tag, text.as_bytes())
    }));
    assert_eq!(kept.get("/").body, b"one");
    let changed = kept.get("/");
    assert_eq!((&*changed.body, changed.from_cache, kept.files().len()), (&b"two"[..], false, 1));
    kept.get("/");
    assert!(kept.server.requests()[2].to_lowercase().contains("if-none-match: \"2\""));
}

#[test]
fn what_the_server_forbids_or_is_for_one_person_is_not_kept() {
    for headers in [
        "",
        "Cache-Control: no-store, max-age=600\r\n",
        "Cache-Control: private, max-age=600\r\n",
        "Cache-Control: max-age=600\r\nVary: *\r\n",
        "Expires: 0\r\n",
    ] {
        let kept = Kept::with(headers);
        assert!(!kept.get("/").from_cache && !kept.get("/").from_cache, "{headers}");
        assert_eq!((kept.requests(), kept.files().len()), (2, 0), "{headers}");
    }
    let kept = Kept::with(FRESH);
    let fetch = |name, value| {
        let target = kept.client.target(&kept.server.url("/")).expect("a valid address");
        let fetch = Fetch::get(target).with_header(name, HeaderValue::from_static(value));
        kept.client.fetch(fetch, &Limits::default()).expect("an answer").from_cache
    };
    for name in [header::AUTHORIZATION, header::COOKIE, header::RANGE, header::HeaderName::from_static("x-api-key")] {
        assert!(!fetch(name.clone(), "bytes=0-") && !fetch(name, "bytes=0-"));
    }
    let post = |_| {
        let target = kept.client.target(&kept.server.url("/")).expect("a valid address");
        let fetch = Fetch::post(target, HeaderValue::from_static("text/plain"), b"x".to_vec());
        kept.client.fetch(fetch, &Limits::default()).expect("an answer").from_cache
    };
    assert_eq!([1, 2].map(post), [false, false]);
    let few = Limits { body_bytes: 0, ..Limits::default() };
    assert!(get(&kept.client, &kept.server.url("/"), &few).expect("an answer").is_cut);
    assert_eq!(kept.files(), Vec::<PathBuf>::new());
    assert!(!fetch(header::ACCEPT, "text/html") && fetch(header::ACCEPT, "text/html"));
    assert!(!fetch(header::ACCEPT, "text/markdown") && !fetch(header::ACCEPT_LANGUAGE, "text/html"));
}

#[test]
fn errors_and_temporary_redirects_are_not_kept_but_lasting_redirects_are() {
    let kept = Kept::new(Server::start(|path| match path {
        "/301" => answer("301 x", &format!("{FRESH}Location: /end\r\n"), b""),
        "/302" => answer("302 x", &format!("{FRESH}Location: /end\r\n"), b""),
        "/404" => answer("404 x", FRESH, b""),
        _ => answer("200 OK", "", b"end"),
    }));
    for (path, requests) in [("/301", 3), ("/302", 4), ("/404", 2)] {
        let before = kept.requests();
        for _ in 0..2 {
            assert!(!kept.get(path).from_cache);
        }
        assert_eq!(kept.requests() - before, requests, "{path}");
    }
    assert_eq!(kept.get("/301").redirected_from.len(), 1);
}

#[test]
fn a_kept_redirect_is_checked_as_a_new_one() {
    let kept = Kept::new(Server::start(|_| answer("301 x", &format!("{FRESH}Location: http://10.0.0.1/\r\n"), b"")));
    let client = Client::new(
        Policy { addresses: crate::this_machine(), ports: Ports::Only(vec![kept.server.port, 80]) },
        "toolc-net tests",
    );
    let client = client.with_cache(open(&kept.folder.path().join("cache"), 64 << 20));
    for _ in 0..2 {
        let error = get(&client, &kept.server.url("/"), &Limits::default()).expect_err("a private network");
        assert!(matches!(error.fault, FetchFault::Refused(_)) && error.redirects == 1, "{error}");
    }
    assert_eq!((kept.requests(), kept.files().len()), (1, 1));
}

#[test]
fn a_damaged_or_strange_file_is_replaced() {
    let kept = Kept::with(FRESH);
    kept.get("/");
    let file = kept.files().remove(0);
    let content = fs::read(&file).expect("it exists");
    for damaged in [&content[..0], &content[..content.len() - 1], &[&content[..], b"x"].concat(), b"foreign"] {
        fs::write(&file, damaged).expect("failed to write");
        assert!(!kept.get("/").from_cache);
        assert!(kept.get("/").from_cache);
    }
    fs::remove_file(&file).expect("it exists");
    fs::create_dir(&file).expect("failed to make a folder");
    assert!(!kept.get("/").from_cache && !kept.get("/").from_cache);
    // The file of another address, under this name.
    fs::remove_dir(&file).expect("it exists");
    kept.get("/other");
    fs::rename(kept.files().remove(0), &file).expect("failed to rename");
    assert_eq!(kept.get("/").body, b"/");
    fs::remove_dir_all(kept.folder.path().join("cache")).expect("it exists");
    assert!(!kept.get("/").from_cache);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_cache() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let cache = folder.path().join("a").join("cache");
    let server = Server::start(|_| answer("200 OK", FRESH, b"x"));
    get(&client(&[&server]).with_cache(open(&cache, 1 << 20)), &server.url("/"), &Limits::default())
        .expect("an answer");
    let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    assert_eq!(mode(&cache), 0o700);
    let file = fs::read_dir(&cache).expect("it exists").next().expect("it has a file").expect("it can be read");
    assert_eq!(mode(&file.path()), 0o600);
}

#[test]
fn what_was_not_used_for_the_longest_time_is_removed_first() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let server =
        Server::start(|path| answer("200 OK", FRESH, &vec![b'x'; if path == "/large" { 20_000 } else { 6_000 }]));
    // Ten files of two blocks.
    let client = client(&[&server]).with_cache(open(folder.path(), 10 * 8192));
    let from_cache = |path: &str| get(&client, &server.url(path), &Limits::default()).expect("an answer").from_cache;
    assert!(!from_cache("/large") && !from_cache("/large"), "it is more than an eighth");
    fs::write(folder.path().join("notes.txt"), vec![0; 100_000]).expect("failed to write");
    let old = folder.path().join("old.unfinished");
    fs::write(&old, "x").expect("failed to write");
    let hours_ago = SystemTime::now() - Duration::from_hours(2);
    fs::File::options().write(true).open(&old).and_then(|file| file.set_modified(hours_ago)).expect("it is ours");
    for path in ["/a", "/b"] {
        assert!(!from_cache(path));
        // Older than the next ones.
        for file in fs::read_dir(folder.path()).expect("it exists").flatten() {
            let file = fs::File::options().write(true).open(file.path()).expect("it is ours");
            file.set_modified(hours_ago).expect("it is ours");
        }
    }
    for path in 0..30 {
        assert!(from_cache("/a"));
        assert!(!from_cache(&format!("/{path}")));
        let answers = fs::read_dir(folder.path()).expect("it exists").flatten();
        let answers = answers.filter(|file| file.file_name().to_string_lossy().ends_with(".answer")).count();
        assert!(if path < 8 { answers == path + 3 } else { (8..=10).contains(&answers) }, "{path}: {answers}");
    }
    assert!(from_cache("/29") && !from_cache("/b"));
    assert!(!old.exists() && folder.path().join("notes.txt").exists());
}

#[test]
fn a_policy_is_followed_for_what_is_kept() {
    let kept = Kept::with(FRESH);
    let url = kept.server.url("/");
    kept.get("/");
    assert!(kept.get("/").from_cache);
    let cache = || open(&kept.folder.path().join("cache"), 64 << 20);
    let ports = Ports::Only(vec![kept.server.port]);
    let public = Client::new(Policy { addresses: AddressPolicy::default(), ports: ports.clone() }, "toolc-net tests");
    let error = get(&public.with_cache(cache()), &url, &Limits::default()).expect_err("the address is refused");
    assert!(matches!(error.fault, FetchFault::Refused(_)), "{error}");
    // A target that was read for another client.
    let target = kept.client.target(&url).expect("a valid address");
    let usual = Client::new(Policy { addresses: crate::this_machine(), ports: Ports::Usual }, "toolc-net tests");
    let error =
        usual.with_cache(cache()).fetch(Fetch::get(target), &Limits::default()).expect_err("the port is refused");
    assert!(matches!(error.fault, FetchFault::Target(_)), "{error}");
    assert_eq!(kept.requests(), 1);
    // What another policy has allowed is asked for again, because a name may lead elsewhere.
    let networks = vec!["127.0.0.0/8".parse().expect("a range")];
    let other = Client::new(Policy { addresses: AddressPolicy::new(networks), ports }, "toolc-net tests");
    assert!(!get(&other.with_cache(cache()), &url, &Limits::default()).expect("an answer").from_cache);
}

#[test]
fn many_clients_share_a_folder() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let server = Server::start(|path| answer("200 OK", FRESH, path.repeat(1_000).as_bytes()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let client = client(&[&server]).with_cache(open(folder.path(), 100_000));
                for round in 0..60 {
                    let path = format!("/{}", round % 15);
                    let found = get(&client, &server.url(&path), &Limits::default()).expect("an answer");
                    assert_eq!(found.body, path.repeat(1_000).as_bytes());
                }
            });
        }
    });
    let files = fs::read_dir(folder.path()).expect("it exists").flatten();
    let size: u64 = files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum();
    assert!(size <= 100_000 + 3 * 100_000 / 16, "{size}");
}
