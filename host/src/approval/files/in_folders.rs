//! What is deep in a folder that a command reads with everything in it, and repositories that the line itself makes.

use toolc_commands::judge;
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
fn a_link_to_a_home_folder_in_a_folder_is_followed_if_the_program_follows_it() {
    let scratch = Scratch::new("x/own");
    let lines = ["tar chf a.tar sub", "grep -R KEY sub", "cp -rL sub out"];
    scratch.check(Verdict::Allow, &lines);
    scratch.link(&scratch.home, "sub/l");
    scratch.check(Verdict::Ask, &lines);
    scratch.check(Verdict::Allow, &["tar cf a.tar sub", "grep -r KEY sub", "cp -r sub out"]);
}

#[test]
fn a_link_in_a_folder_to_which_a_link_leads_is_followed_if_the_program_follows_it() {
    let scratch = Scratch::new("x/own");
    let lines = ["tar chf a.tar sub", "grep -R KEY sub", "cp -rL sub out"];
    scratch.link("../build", "sub/l");
    fs::create_dir_all(scratch.project.join("build")).expect("a folder");
    scratch.link("../sub", "build/back");
    scratch.check(Verdict::Allow, &lines);
    scratch.link(scratch.home.join(".ssh/id_rsa"), "build/notes");
    scratch.check(Verdict::Ask, &lines);
    scratch.check(Verdict::Allow, &["tar cf a.tar sub", "grep -r KEY sub", "cp -r sub out"]);
}

#[test]
fn a_pattern_stands_for_links_in_the_folders_that_it_matches() {
    let scratch = Scratch::new("x/own");
    fs::create_dir_all(scratch.project.join("src/a")).expect("a folder");
    let lines = ["tee */l* < o", "tee \"$PWD\"/*/notes < o", "cat s*/?/notes", "cat */*/n*"];
    scratch.check(Verdict::Allow, &lines);
    scratch.link(scratch.home.join(".bashrc"), "src/l");
    scratch.link(scratch.home.join(".bashrc"), "src/notes");
    scratch.link(scratch.home.join(".ssh/id_rsa"), "src/a/notes");
    scratch.check(Verdict::Ask, &lines);
    scratch.check(Verdict::Allow, &["cat */o", "tee b*/l* < o", "rm */l*"]);
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
        "cd src && grep -r KEY .",
    ];
    scratch.check(Verdict::Allow, &lines);
    fs::hard_link(scratch.project.join("o"), scratch.project.join("src/a/o")).expect("a hard link");
    scratch.check(Verdict::Allow, &lines);
    fs::hard_link(scratch.home.join(".ssh/id_rsa"), scratch.project.join("src/a/b/notes.txt")).expect("a hard link");
    scratch.check(Verdict::Ask, &lines);
    scratch.check(
        Verdict::Allow,
        &[
            "grep -r KEY build",
            "grep KEY src/*",
            "ls -R src",
            "cp -r build out",
            "tar tf a.tar",
            "find src",
            "rg KEY build",
        ],
    );
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

#[test]
fn a_bare_repository_that_the_line_makes_needs_approval() {
    let scratch = Scratch::new("x/own");
    for part in ["objects", "refs"] {
        fs::create_dir_all(scratch.project.join("sub/store").join(part)).expect("a folder");
    }
    fs::write(scratch.project.join("sub/store/HEAD"), "ref: refs/heads/main\n").expect("a file");
    scratch.check(
        Verdict::Ask,
        &[
            "git init --bare ev; echo '[core] pager = x' > ev/config; git -C ev log",
            "git init -q --bare ev && cp o ev/config && cd ev && git log",
            "git clone --bare u ev; tee ev/config < o; git -C ev log",
            "mkdir -p ev/objects ev/refs; cp o ev/HEAD; cp o ev/config; git -C ev status",
            "cd sub; mkdir objects refs; echo 'ref: refs/heads/main' > HEAD; cat ../o > config; git status",
            "cp -r sub/store ev; git -C ev log",
            "mv sub/store ev && git -C ev log",
            "cp -r sub/store src/; cd src/store; git log",
            "rsync -a sub/store build; git -C build/store log",
            "cp -r sub/store ev; git -C ev/refs log",
        ],
    );
    scratch.check(
        Verdict::Allow,
        &[
            "git init --bare ev; git -C ev log",
            "git clone --bare u ev; git -C ev log",
            "git init ev; echo x > ev/config; git -C ev status",
            "mkdir ev; echo x > ev/config; git -C ev status",
            "cp -r src ev; git -C ev log",
            "cp -r sub/store ev; git -C src log",
            "git init --bare ev; cat ev/config; git -C ev log",
        ],
    );
    let judgement = judge(
        "mkdir -p ev/objects ev/refs; echo x > ev/HEAD; echo y > ev/config; git -C ev log",
        toolc_catalog::commands::rules(),
        &toolc_commands::Surroundings::default(),
    );
    assert_eq!(judgement.verdict, Verdict::Ask, "without a file system: {:?}", judgement.findings);
}
