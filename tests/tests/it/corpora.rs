//! Every corpus under `corpora/` passes, and the program that runs a corpus reports failing rows.

use std::path::Path;
use std::process::{Command, Output};

use toolc::commands::rules::Verdict;
use toolc::commands::{Surroundings, judge};

fn corpus(kind: &str, file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_corpus")).arg(kind).arg(file).output().expect("failed to start corpus")
}

fn last_line(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned()
}

#[test]
fn the_coercion_corpus_passes() {
    let output = corpus("coercion", &Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/coercion.jsonl"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(last_line(&output), "196 passed, 0 failed");
}

#[test]
fn the_corpora_of_commands_pass() {
    for (file, passed) in [
        ("commands", 245),
        ("discards", 144),
        ("everyday", 300),
        ("launchers", 329),
        ("leaks", 94),
        ("policy", 1982),
        ("programs", 4903),
        ("signals", 65),
        ("spellings", 1209),
        ("strict", 758),
        ("variants", 3499),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("corpora/{file}.jsonl"));
        let output = corpus("commands", &path);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(last_line(&output), format!("{passed} passed, 0 failed"));
    }
}

/// The figures are those of `docs/approval.md`.
#[test]
fn everyday_commands_that_need_approval_in_each_mode_are_counted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rows = std::fs::read_to_string(folder.join("corpora/everyday.jsonl")).expect("the corpus exists");
    let command = |row: &str| serde_json::from_str::<serde_json::Value>(row).expect("a row is JSON")["command"].clone();
    let commands: Vec<serde_json::Value> = rows.lines().map(command).collect();
    let modes: [&[&str]; 8] = [
        &[],
        &["push"],
        &["post"],
        &["deploy"],
        &["system"],
        &["push", "post", "deploy", "system"],
        &["strict"],
        &["strict", "builds"],
    ];
    let stopped = modes.map(|sets| {
        let rules = toolc_catalog::commands::rules().with_optional(sets);
        let verdict = |command: &&serde_json::Value| {
            judge(command.as_str().expect("a command"), &rules, &Surroundings::default()).verdict
        };
        commands.iter().filter(|command| verdict(command) != Verdict::Allow).count()
    });
    let figures = stopped.map(|count| count.to_string()).join(" | ");
    let page = std::fs::read_to_string(folder.join("../docs/approval.md")).expect("the page exists");
    assert!(page.contains(&format!("\n| {figures} |\n")), "the page has other figures than {figures}");
}

#[test]
fn a_signal_to_a_process_of_the_host_needs_approval() {
    let surroundings = Surroundings { processes: &[4711, 815], ..Surroundings::default() };
    for (line, verdict) in [
        ("kill 4711", Verdict::Ask),
        ("kill -9 815 1234", Verdict::Ask),
        ("kill -STOP -- -4711", Verdict::Ask),
        ("kill -9 -815", Verdict::Ask),
        ("P=4711; kill $P", Verdict::Ask),
        ("sh -c 'kill -INT 4711'", Verdict::Ask),
        ("gdb -p 815", Verdict::Ask),
        ("prlimit --pid=4711 --cpu=1", Verdict::Ask),
        ("kill 4712", Verdict::Allow),
        ("kill -0 4711", Verdict::Allow),
        ("echo kill 4711", Verdict::Allow),
    ] {
        let judgement = judge(line, toolc_catalog::commands::rules(), &surroundings);
        assert_eq!(judgement.verdict, verdict, "{line}: {:?}", judgement.findings);
    }
    let judgement = judge("kill 4711", toolc_catalog::commands::rules(), &Surroundings::default());
    assert_eq!(judgement.verdict, Verdict::Allow);
}

#[test]
fn a_program_is_found_in_upper_case_where_file_systems_ignore_case() {
    let surroundings = Surroundings { ignores_case: true, ..Surroundings::default() };
    for (line, verdict) in [
        ("RM -rf /srv", Verdict::Ask),
        ("RM -rf /", Verdict::Deny),
        ("Rm -rf /", Verdict::Deny),
        ("/bin/RM -rf /", Verdict::Deny),
        ("sudo RM -rf /", Verdict::Deny),
        ("SUDO rm -rf /", Verdict::Deny),
        ("Env A=1 RM -rf /", Verdict::Deny),
        ("NoHup rm -rf /", Verdict::Deny),
        ("sh -c 'RM -rf /'", Verdict::Deny),
        ("SH -c 'rm -rf /'", Verdict::Deny),
        ("BASH -c 'rm -rf /'", Verdict::Deny),
        ("echo / | XARGS rm -rf", Verdict::Ask),
        ("find . -exec RM -rf {} +", Verdict::Ask),
        ("GIT push --force", Verdict::Ask),
        ("Git reset --hard", Verdict::Ask),
        ("DD if=x of=/dev/disk2", Verdict::Deny),
        ("Reboot", Verdict::Deny),
        ("SHUTDOWN -h now", Verdict::Deny),
        ("KillAll -9 node", Verdict::Ask),
        ("CHMOD 777 x", Verdict::Ask),
        ("Python3 -c x", Verdict::Ask),
        ("TEE /etc/hosts < x", Verdict::Ask),
        ("Docker rm -f x", Verdict::Ask),
        ("Awk 'BEGIN { system(\"id\") }'", Verdict::Ask),
        ("cat x | SH", Verdict::Ask),
        ("rm -rf /", Verdict::Deny),
        ("RM() { echo \"$@\"; }; RM -rf /", Verdict::Allow),
        ("echo RM -rf /", Verdict::Allow),
        ("LS -l", Verdict::Allow),
        ("Git status", Verdict::Allow),
        ("GIT push", Verdict::Allow),
        ("Make test", Verdict::Allow),
        ("./Build.sh", Verdict::Allow),
        ("Rscript x.R", Verdict::Allow),
        ("Xcodebuild -list", Verdict::Allow),
        ("CAT x", Verdict::Allow),
        ("/Applications/Firefox.app/Contents/MacOS/firefox", Verdict::Allow),
        ("A=1 make", Verdict::Allow),
        ("grep 'RM -rf /' notes", Verdict::Allow),
        ("git commit -m 'RM -rf /'", Verdict::Allow),
        ("Echo hi", Verdict::Allow),
        ("Sort x", Verdict::Allow),
        ("npm run RM", Verdict::Allow),
        ("Which RM", Verdict::Allow),
        ("[[ $x == RM ]]", Verdict::Allow),
        ("cd RM", Verdict::Allow),
        ("mkdir -p REBOOT", Verdict::Allow),
        ("Test -f RM", Verdict::Allow),
    ] {
        let judgement = judge(line, toolc_catalog::commands::rules(), &surroundings);
        assert_eq!(judgement.verdict, verdict, "{line}: {:?}", judgement.findings);
    }
    let judgement = judge("RM -rf /", toolc_catalog::commands::rules(), &Surroundings::default());
    assert_eq!(judgement.verdict, Verdict::Allow);
}

#[test]
fn no_attack_on_the_rules_gets_through() {
    let output = corpus("commands", &Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/attacks.jsonl"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Attacks and harmless texts like them, from public lists: each row names its source.
#[test]
fn the_corpus_of_injections_passes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/injections.jsonl");
    let output = corpus("injections", &path);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let rows = std::fs::read_to_string(&path).expect("the corpus exists");
    let count = |want: &str| rows.matches(&format!("\"want\": \"{want}\"")).count();
    assert_eq!((count("found"), count("missed"), count("clean")), (87, 30, 100));
}

#[test]
fn a_failing_row_and_an_unusable_file_exit_differently() {
    let dir = tempfile::tempdir().expect("failed to make a folder");
    let file = dir.path().join("rows.jsonl");
    let row = r#"{"schema": {"properties": {"n": {"type": "integer"}}}, "args": {"n": "5"}, "want": "#;
    std::fs::write(&file, format!("{row}{{\"n\": 5.0}}}}\n{row}{{\"n\": \"5\"}}}}\n")).expect("failed to write");
    let output = corpus("coercion", &file);
    assert_eq!((output.status.code(), last_line(&output).as_str()), (Some(1), "1 passed, 1 failed"));

    assert_eq!(corpus("coercion", &dir.path().join("none")).status.code(), Some(2));
    assert_eq!(corpus("nonsense", &file).status.code(), Some(2));
    std::fs::write(&file, r#"{"args": {}}"#).expect("failed to write");
    assert_eq!(corpus("coercion", &file).status.code(), Some(2));
}
