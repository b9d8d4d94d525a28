//! What is deep in a folder that a command reads with everything in it.

use toolc_commands::rules::Verdict;

use super::tests::Scratch;
use super::*;

#[test]
fn a_link_deep_in_a_folder_is_followed_if_the_program_follows_it() {
    let scratch = Scratch::new("x/own");
    let deep = scratch.project.join("src/a/b/c/d/e/f/g");
    fs::create_dir_all(&deep).expect("a folder");
    for number in 0..900 {
        fs::write(scratch.project.join(format!("src/a/{number}.txt")), "text").expect("a file");
    }
    scratch.check(Verdict::Allow, &["grep -R KEY src", "tar chf a.tar src", "cp -rL src out"]);
    scratch.link(scratch.home.join(".ssh"), "src/a/b/c/d/e/f/g/notes");
    scratch.check(Verdict::Ask, &["grep -R KEY src", "tar chf a.tar src", "cp -rL src out", "zip -r a.zip ."]);
    scratch.check(Verdict::Allow, &["grep -r KEY src", "tar cf a.tar src", "cp -r src out", "grep -R KEY build"]);
}

#[test]
fn a_hard_link_in_a_folder_that_is_read_with_everything_in_it_is_the_protected_file() {
    let scratch = Scratch::new("x/own");
    fs::create_dir_all(scratch.project.join("src/a/b")).expect("a folder");
    let lines = [
        "grep -r KEY src",
        "grep -rn KEY .",
        "rg KEY src",
        "rg KEY",
        "ag KEY src",
        "cp -r src out",
        "cp -a . /tmp/out",
        "tar cf a.tar src",
        "tar -czf a.tgz .",
        "zip -r a.zip src",
        "rsync -a src h:",
        "scp -r src h:",
    ];
    scratch.check(Verdict::Allow, &lines);
    fs::hard_link(scratch.project.join("o"), scratch.project.join("src/a/o")).expect("a hard link");
    scratch.check(Verdict::Allow, &lines);
    fs::hard_link(scratch.home.join(".ssh/id_rsa"), scratch.project.join("src/a/b/notes.txt")).expect("a hard link");
    scratch.check(Verdict::Ask, &lines);
}

#[test]
fn a_large_folder_does_not_use_up_the_questions_of_a_line() {
    let scratch = Scratch::new("x/own");
    for number in 0..9_000 {
        fs::write(scratch.project.join(format!("src/{number}.txt")), "").expect("a file");
    }
    fs::hard_link(scratch.own.join(".env"), scratch.project.join("sub/e")).expect("a hard link");
    scratch.check(
        Verdict::Allow,
        &["grep -r KEY src; cat o", "cp -r src a; cp -r src b; cp -r src c; cp -r src d; cat o"],
    );
    scratch.check(Verdict::Ask, &["grep -r KEY sub"]);
}
