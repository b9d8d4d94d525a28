//! Messages: no text controls the terminal, every mistake says what to do, and output that cannot be written is a failure.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Stdio;

use super::{Run, folder, run, run_with, write};

/// Texts with characters that control a terminal: an escape sequence, its short form, a bell, a return, and a change of direction.
const EVIL: [&str; 5] = ["x\u{1b}[31mred", "x\u{9b}31mred", "x\u{7}", "x\rerror: none", "x\u{202e}txt"];

#[track_caller]
fn assert_harmless(run: &Run, what: &str) {
    let controls = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || c == '\u{202e}';
    for text in [&run.out, &run.err] {
        assert!(!text.contains(controls), "{what}: {text:?}");
    }
}

#[test]
fn no_name_in_a_message_controls_the_terminal() {
    let folder = folder();
    write(&folder, "home/config.toml", "[approval]\nmode = \"deny\"\n");
    for evil in EVIL {
        let path = format!("/nowhere/{evil}");
        for args in [
            &["cron", "add", "every 1h", "Go.", "--workdir", &path][..],
            &["cron", "pause", evil],
            &["sessions", "show", evil],
            &["sessions", "export", evil],
            &["mcp", "test", evil],
            &["mcp", "serve", evil],
            &["mcp", "enable", evil],
            &["tools", "enable", evil],
            &["trust", &path],
            &["trust", "--plugin", evil],
            &["why", evil],
            &["definitions", "--enable", evil],
            &["definitions", "--fact", evil],
            &["definitions", "--dialect", evil],
            &["doctor", "--plugins", &path],
            &["agent", evil, "--model", evil],
            &["agent", "Go.", "--model", &format!("script:{path}")],
            &["batch", &path, "--out", &path],
            &["kanban", "show", evil],
            &["environments", "remove", evil],
            &["--profile", evil, "doctor"],
            &[evil],
        ] {
            let run = run(&folder, args);
            assert_ne!(run.status, Some(101), "{args:?}: {}", run.err);
            assert_harmless(&run, &format!("{args:?}"));
        }
        let home = folder.path().join(format!("home {evil}"));
        for args in [&["config", "path"][..], &["config", "check"], &["doctor"], &["sessions", "list"], &["tools"]] {
            let run = run_with(&folder, args, |program| program.env("TOOLC_HOME", &home));
            assert_harmless(&run, &format!("{args:?} in {evil:?}"));
        }
    }
}

#[test]
fn a_home_that_is_no_folder_is_named_by_every_command() {
    let folder = folder();
    write(&folder, "file", "x");
    symlink("/nowhere/at/all", folder.path().join("dangling")).expect("failed to make a link");
    fs::create_dir_all(folder.path().join("loop")).expect("failed to make a folder");
    symlink("around", folder.path().join("around")).expect("failed to make a link");
    for (home, expected) in [
        ("file", "is not a folder"),
        ("dangling", "is a link to /nowhere/at/all, which does not exist"),
        ("file/below", "cannot be used"),
        ("around", "cannot be used"),
    ] {
        for args in [
            &["doctor"][..],
            &["call", "todo"],
            &["call", "memory", "target=memory"],
            &["definitions"],
            &["trust", "--list"],
            &["config", "show"],
            &["config", "path"],
            &["sessions", "list"],
            &["cron", "list"],
            &["approvals", "list"],
            &["kanban", "list"],
            &["tools"],
            &["mcp", "list"],
            &["environments", "list"],
            &["setup"],
        ] {
            let refused = run_with(&folder, args, |program| program.env("TOOLC_HOME", folder.path().join(home)));
            assert_eq!(refused.status, Some(2), "{args:?} {home}: {} {}", refused.out, refused.err);
            for text in ["the home folder", expected, "TOOLC_HOME"] {
                assert!(refused.err.contains(text), "{args:?} {home}: {}", refused.err);
            }
        }
        let checked =
            run_with(&folder, &["config", "check"], |program| program.env("TOOLC_HOME", folder.path().join(home)));
        assert_eq!(checked.status, Some(1), "{}", checked.err);
    }
}

#[test]
fn a_file_of_the_home_that_cannot_be_read_says_what_to_do() {
    for (file, content, expected) in [
        ("config.toml", &b"# \xff\n"[..], "line 1 is not UTF-8: save the file as UTF-8"),
        (".env", b"A=1\nB=\xff\n", "line 2 is not UTF-8"),
        ("config.toml", &b"#".repeat((1 << 20) + 1), "more than 1048576 bytes: make it smaller"),
        (".env", &b"#".repeat((1 << 20) + 1), "make it smaller"),
    ] {
        let folder = folder();
        write(&folder, &format!("home/{file}"), "");
        fs::write(folder.path().join("home").join(file), content).expect("failed to write");
        run(&folder, &["doctor"]).assert_refused(&[expected, file]);
    }
    for file in ["config.toml", ".env"] {
        let folder = folder();
        fs::create_dir_all(folder.path().join("home").join(file)).expect("failed to make a folder");
        run(&folder, &["doctor"]).assert_refused(&["it is a folder: move it away", file]);
    }
    let folder = folder();
    write(&folder, "home/trusted.toml", "[[projects]]\npath = \"/x\"\nbroken\n");
    run(&folder, &["trust", "--list"]).assert_refused(&[
        "line 3 of",
        "trusted.toml",
        "Mend the line, or remove the file",
    ]);
}

#[test]
fn output_that_cannot_be_written_is_a_failure_and_no_panic() {
    let folder = folder();
    let full = || Stdio::from(File::options().write(true).open("/dev/full").expect("Linux has it"));
    for args in [
        &["--help"][..],
        &["--version"],
        &["cron", "--help"],
        &["doctor"],
        &["call", "todo"],
        &["definitions"],
        &["why", "todo"],
        &["tools"],
        &["config", "show"],
        &["config", "path"],
        &["config", "check"],
        &["sessions", "list"],
        &["judge", "ls"],
    ] {
        // `output` would replace the streams.
        let status = |out: Stdio, err: Stdio| {
            let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_toolc"));
            program.args(args).current_dir(folder.path()).stdin(Stdio::null()).stdout(out).stderr(err);
            program.env("TOOLC_HOME", folder.path().join("home")).status().expect("failed to start toolc").code()
        };
        assert_eq!(status(full(), Stdio::null()), Some(2), "{args:?}");
        assert_eq!(status(full(), full()), Some(2), "{args:?}");
        assert_ne!(status(Stdio::null(), full()), Some(101), "{args:?}");
    }
    for args in [
        &["mcp", "serve", "nope"][..],
        &["cron", "pause", "99"],
        &["agent", "Go.", "--model", "script:nope"],
        &["nope"],
    ] {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_toolc"));
        program.args(args).current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(full());
        let status = program.env("TOOLC_HOME", folder.path().join("home")).status().expect("failed to start toolc");
        assert!(matches!(status.code(), Some(1 | 2)), "{args:?}: {status}");
    }
}

#[test]
fn what_another_program_would_understand_is_answered_with_what_to_write() {
    let folder = folder();
    for (args, advice) in [
        (&["fix the bug"][..], "`toolc agent \"...\"` works on one task"),
        (&["-p", "fix the bug"], "`toolc agent \"...\"` works on one task"),
        (&["--continue"], "`--resume` continues the latest conversation"),
        (&["mcp", "add", "web", "https://example.com/mcp"], "`toolc mcp add NAME --url URL`"),
    ] {
        run(&folder, args).assert_refused(&[advice]);
    }
    let removed = run(&folder, &["permissions", "remove", "7"]);
    assert!(!removed.err.contains("unrecognized subcommand"), "{}", removed.err);
}

#[test]
fn numbers_and_names_on_the_command_line_are_explained() {
    let folder = folder();
    write(&folder, "home/config.toml", "[mcp.endpoints.work]\ntoolsets = [\"safe\"]\n");
    for (args, expected) in [
        (&["cron", "pause", "nonsense"][..], "expected a whole number"),
        (&["cron", "pause", ""], "expected a whole number"),
        (&["cron", "show", "1.5"], "expected a whole number"),
        (&["cron", "resume", "99999999999999999999"], "the number is too large"),
        (&["cron", "show", "1", "--runs", "x"], "expected a whole number"),
        (&["agent", "Go.", "--max-iterations", "many"], "expected a whole number"),
        (&["mcp", "serve", "wrok"], "did you mean `work`"),
        (&["mcp", "serve", "nonsense"], "`[mcp.endpoints.NAME]`, or leave the name out"),
    ] {
        let refused = run(&folder, args);
        refused.assert_refused(&[expected]);
        assert!(!refused.err.contains("invalid digit"), "{}", refused.err);
    }
}
