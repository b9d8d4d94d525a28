//! Copies between this machine and environments.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use toolc_environment::copy::{Copied, Limits, get, put};
use toolc_environment::{Abilities, Environment, Files, Kind as _, Launch, Local, Promises, Running, Site};
use toolc_test_support::ssh;

use crate::kinds::{AsKind as _, container};

fn folder() -> TempDir {
    TempDir::new().expect("failed to make a folder")
}

/// Returns the environments of this machine whose directory is a folder, and says which are left out.
fn environments(folder: &Path) -> Vec<Arc<dyn Environment>> {
    let site = Site { directory: folder, host_home: None, leases: None };
    let mut all: Vec<Arc<dyn Environment>> = vec![Arc::new(Local::new(folder))];
    match container() {
        Ok(kind) => all.push(kind.make(&site).expect("it can be made")),
        Err(missing) => missing.skip(),
    }
    match ssh::server() {
        Ok(server) => all.push(server.kind().directory(folder).make(&site).expect("it can be made")),
        Err(missing) => missing.skip(),
    }
    all
}

/// Returns the paths below a folder, and describes each.
fn listed(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        let metadata = fs::symlink_metadata(&path).expect("it exists");
        let what = if metadata.is_symlink() {
            format!("link to {}", fs::read_link(&path).expect("a link").display())
        } else if metadata.is_dir() {
            pending.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
            "folder".to_owned()
        } else if !metadata.is_file() {
            "a pipe".to_owned()
        } else {
            let content = fs::read(&path).expect("a file");
            let sum = content.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
            format!("{} bytes with {sum}, mode {:o}", content.len(), metadata.permissions().mode() & 0o111)
        };
        found.push((path.strip_prefix(folder).expect("it is below").to_owned(), what));
    }
    found.sort();
    found
}

fn make_source(source: &Path) {
    let long = format!("{}/{}", "d".repeat(90), "e".repeat(120));
    fs::create_dir_all(source.join(&long)).expect("failed to make a folder");
    fs::create_dir(source.join("-empty")).expect("failed to make a folder");
    let big: Vec<u8> = (0..=255).cycle().take(3_000_001).collect();
    let names = ["a b", "-rf", "it's $HOME", "*", "new\nline", "é", ".hidden", &format!("{long}/{}", "f".repeat(200))];
    for (name, content) in
        names.into_iter().map(|name| (name, b"x".to_vec())).chain([("big", big), ("none", Vec::new())])
    {
        fs::write(source.join(name), content).expect("failed to write");
    }
    fs::set_permissions(source.join("-rf"), fs::Permissions::from_mode(0o755)).expect("failed to set the mode");
    symlink("../-rf", source.join("-empty/link")).expect("failed to link");
    symlink("nothing", source.join("dangling")).expect("failed to link");
}

#[test]
fn a_folder_arrives_in_every_environment_and_back_as_it_was() {
    let outer = folder();
    let source = outer.path().join("source");
    make_source(&source);
    for name in ["/etc/passwd", "../secret"] {
        symlink(name, source.join(format!("out {}", name.len()))).expect("failed to link");
    }
    rustix::fs::mkfifoat(rustix::fs::CWD, source.join("pipe"), rustix::fs::Mode::RWXU).expect("failed to make a pipe");
    let there = folder();
    for environment in environments(there.path()) {
        let name = environment.name().to_owned();
        let target = there.path().join(&name).join("new/copy");
        let sent = put(&*environment, &source, &target, &Limits::default()).expect(&name);
        assert_eq!((sent.files, sent.bytes), (10, 3_000_009), "{name}");
        let mut skipped = sent.skipped.clone();
        skipped.sort();
        assert_eq!(skipped, ["out 11", "out 9", "pipe"].map(PathBuf::from), "{name}");
        let back = outer.path().join(&name).join("back");
        let received = get(&*environment, &target, &back, &Limits::default()).expect(&name);
        assert_eq!(received, Copied { skipped: Vec::new(), ..sent }, "{name}");
        let mut expected = listed(&source);
        expected.retain(|(path, _)| !skipped.contains(path));
        assert_eq!(listed(&back), expected, "{name}");
        // One file, and a link to one.
        let file = put(&*environment, &source.join("a b"), &there.path().join(&name).join("file"), &Limits::default());
        assert_eq!(file.expect(&name).files, 1);
        let link = target.join("-empty/link");
        get(&*environment, &link, &outer.path().join(&name).join("-rf"), &Limits::default()).expect(&name);
        assert_eq!(fs::read(outer.path().join(&name).join("-rf")).expect("it is there"), b"x");
    }
}

#[test]
fn what_exists_is_not_replaced_and_a_failure_leaves_nothing() {
    let (here, there) = (folder(), folder());
    fs::write(here.path().join("one"), "new").expect("failed to write");
    fs::create_dir(here.path().join("many")).expect("failed to make a folder");
    for number in 0..20 {
        fs::write(here.path().join(format!("many/{number}")), vec![b'x'; 1000]).expect("failed to write");
    }
    for environment in environments(there.path()) {
        let in_there = there.path().join(environment.name());
        fs::create_dir(&in_there).expect("failed to make a folder");
        fs::write(in_there.join("one"), "old").expect("failed to write");
        symlink("nowhere", in_there.join("link")).expect("failed to link");
        let all = Limits::default();
        for name in ["one", "link"] {
            let error =
                put(&*environment, &here.path().join("one"), &in_there.join(name), &all).expect_err("it exists");
            assert!(error.to_string().contains("exists already"), "{error}");
        }
        let error = get(&*environment, &in_there.join("one"), &here.path().join("one"), &all).expect_err("it exists");
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
        let error = get(&*environment, &in_there.join("none"), &here.path().join("none"), &all).expect_err("nothing");
        assert!(!error.to_string().is_empty());
        let many = here.path().join("many");
        for limits in
            [Limits { max_entries: 10, ..all }, Limits { max_bytes: 10_000, ..all }, Limits { max_depth: 0, ..all }]
        {
            // Sources are looked at before anything is sent.
            let sent = put(&*environment, &many, &in_there.join("many"), &limits);
            assert!(sent.is_err() || limits.max_depth == 0, "{limits:?}");
            let _ = fs::remove_dir_all(in_there.join("many"));
        }
        put(&*environment, &many, &in_there.join("many"), &all).expect("it is free");
        for limits in
            [Limits { max_entries: 10, ..all }, Limits { max_bytes: 10_000, ..all }, Limits { max_depth: 0, ..all }]
        {
            let error = get(&*environment, &in_there.join("many"), &here.path().join("back"), &limits);
            assert!(error.is_err(), "{limits:?}");
        }
        assert_eq!(fs::read_dir(&in_there).expect("a folder").count(), 3, "nothing else is left");
        assert_eq!(fs::read_to_string(in_there.join("one")).expect("it is there"), "old");
    }
    assert_eq!(fs::read_dir(here.path()).expect("a folder").count(), 2, "nothing else is left");
}

/// This machine, with other programs.
#[derive(Debug)]
struct WithPath(Local, OsString);

impl Environment for WithPath {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn abilities(&self) -> Abilities {
        self.0.abilities()
    }
    fn promises(&self) -> Promises {
        self.0.promises()
    }
    fn directory(&self) -> &Path {
        self.0.directory()
    }
    fn variables(&self) -> io::Result<Vec<(OsString, OsString)>> {
        self.0.variables()
    }
    fn temporary_folder(&self) -> Option<PathBuf> {
        self.0.temporary_folder()
    }
    fn start(&self, mut launch: Launch) -> io::Result<Box<dyn Running>> {
        launch.variables.push(("PATH".into(), Some(self.1.clone())));
        self.0.start(launch)
    }
    fn end_released(&self) {
        self.0.end_released();
    }
    fn files(&self) -> Box<dyn Files + '_> {
        self.0.files()
    }
    fn clean_up(&self) {
        self.0.clean_up();
    }
}

/// Returns an environment whose programs are those of a folder, with `tar` as this script.
fn with_tar(folder: &TempDir, tar: Option<&str>) -> WithPath {
    let path = std::env::var_os("PATH").expect("it is set");
    for (name, link) in
        [("sh", "sh"), ("mkdir", "mkdir"), ("mv", "mv"), ("rm", "rm"), ("cat", "cat"), ("tar", "real-tar")]
    {
        let real = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.exists());
        symlink(real.expect("it is installed"), folder.path().join(link)).expect("failed to link");
    }
    if let Some(script) = tar {
        let path = folder.path().join("tar");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("failed to write");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("failed to set the mode");
    }
    WithPath(Local::new("/"), folder.path().into())
}

#[test]
fn an_environment_without_tar_says_so() {
    let (programs, here) = (folder(), folder());
    let environment = with_tar(&programs, None);
    fs::write(here.path().join("one"), "x").expect("failed to write");
    let all = Limits::default();
    let sent = put(&environment, &here.path().join("one"), &here.path().join("two"), &all).expect_err("no tar");
    let received = get(&environment, &here.path().join("one"), &here.path().join("two"), &all).expect_err("no tar");
    for error in [sent, received] {
        assert!(error.to_string().contains("copying needs `tar`"), "{error}");
    }
    assert_eq!(fs::read_dir(here.path()).expect("a folder").count(), 1);
}

#[test]
fn a_hostile_environment_cannot_write_outside_of_the_target() {
    for (script, why) in [
        ("cd / && exec real-tar -cPf - /etc/hostname", "is absolute or has `..`"),
        ("cd /tmp && exec real-tar -cPf - ../etc/hostname", "is absolute or has `..`"),
        ("cd /etc && exec real-tar -cf - ./hostname", "was not requested"),
        ("exec cat /dev/urandom", "damaged"),
        ("exec cat /dev/zero", "too many bytes follow its end"),
        ("echo no; exit 0", "ends too early"),
        ("printf '\\033[2Jit is broken' >&2; exit 2", "[2Jit is broken"),
        ("real-tar \"$@\"; exit 2", "failed in the environment"),
    ] {
        let (programs, here) = (folder(), folder());
        let environment = with_tar(&programs, Some(script));
        fs::create_dir(here.path().join("source")).expect("failed to make a folder");
        let source = here.path().join("source");
        let error = get(&environment, &source, &here.path().join("target"), &Limits::default()).expect_err(script);
        assert!(error.to_string().contains(why) && !error.to_string().contains('\x1b'), "{script}: {error}");
        assert_eq!(fs::read_dir(here.path()).expect("a folder").count(), 1, "{script}");
    }
    // What fails to unpack leaves nothing in the environment.
    for script in ["exit 1", "real-tar \"$@\"; exit 1", "exit 0"] {
        let (programs, here) = (folder(), folder());
        let environment = with_tar(&programs, Some(script));
        fs::write(here.path().join("one"), vec![b'x'; 3_000_000]).expect("failed to write");
        let (source, target) = (here.path().join("one"), here.path().join("two"));
        put(&environment, &source, &target, &Limits::default()).expect_err(script);
        assert_eq!(fs::read_dir(here.path()).expect("a folder").count(), 1, "{script}");
    }
}
