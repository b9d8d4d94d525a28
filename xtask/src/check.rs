//! `cargo xtask test`: runs all checks, counts them and the tests, and lists what was skipped.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{self, Sender};
use std::{fs, mem, thread};

use toolc_test_support::{Missing, SKIPS, Skipped};

use crate::debian::Variables;
use crate::engine::Engine;
use crate::{cargo, packages};

/// The checks: the name, the rustup component that the check needs, and the arguments of cargo.
const CHECKS: &[(&str, Option<&str>, &[&str])] = &[
    ("generated files", None, &["xtask", "docs", "--check"]),
    ("manifests", None, &["xtask", "lint", "--deny-warnings"]),
    ("formatting of manifests", None, &["xtask", "fmt", "--check"]),
    ("formatting", Some("fmt"), &["fmt", "--all", "--check"]),
    ("clippy", Some("clippy"), &["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"]),
];

/// The arguments of cargo that build the tests.
const BUILD: &[&str] = &["test", "--workspace", "--no-run"];
/// The arguments of cargo that run the tests, in lanes that run at the same time: the test programs of integration tests mostly wait.
/// `--no-fail-fast` also runs the test programs after one that fails.
const LANES: &[&[&[&str]]] = &[
    &[
        &["test", "--workspace", "--no-fail-fast", "--lib", "--bins"],
        &["test", "--workspace", "--no-fail-fast", "--doc"],
    ],
    &[&["test", "--workspace", "--no-fail-fast", "--test", "*"]],
];

/// The folder whose modules a macro declares, so that rustfmt does not find them.
const DECLARED_BY_MACRO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../lower/src/dialects");

/// Runs all checks, also after one has failed. If packages are wanted, installs what tests need, and starts an engine for containers.
pub(crate) fn run(install: bool) -> ExitCode {
    let mut summary = Summary::default();
    let (engine, variables) = prepare(install, &mut summary);
    for (name, component, command) in CHECKS {
        let hidden = if command[0] == "fmt" { " -- lower/src/dialects/*.rs" } else { "" };
        println!("==> {name}: cargo {}{hidden}", command.join(" "));
        if component.is_some_and(|component| !is_installed(component)) {
            let component = command[0];
            summary.skipped.push(Skipped {
                reason: format!("`cargo {component}` is missing"),
                remedy: format!("`rustup component add {component}`"),
                program: "xtask".to_owned(),
                test: (*name).to_owned(),
            });
        } else {
            summary.count_check(name, cargo::run(&with_hidden_files(command)));
        }
    }
    println!("==> tests: cargo {}", BUILD.join(" "));
    if cargo::run(BUILD) {
        summary.run_tests(&variables);
    } else {
        summary.count_check("tests: a program could not be built", false);
    }
    drop(engine);
    print!("{summary}");
    cargo::status(summary.failed == 0)
}

/// Installs packages and starts an engine, if that is wanted or if the variable `CI` is set.
fn prepare(install: bool, summary: &mut Summary) -> (Option<Engine>, Variables) {
    if !install && std::env::var_os("CI").is_none() {
        return (None, Variables::new());
    }
    summary.problems.extend(packages::install());
    match Engine::start() {
        Ok(engine) => {
            let variables = engine.variables();
            (Some(engine), variables)
        }
        Err(error) => {
            summary
                .problems
                .push(Missing::new(format!("no engine for containers: {error}"), "`cargo xtask soak containers`"));
            (None, Variables::new())
        }
    }
}

/// Runs cargo for tests, and sends the lines that it prints. Returns whether it succeeded.
fn run_lane(args: &[&str], skips: &Path, variables: &[(&str, String)], lines: &Sender<Vec<u8>>) -> io::Result<bool> {
    let (output, end) = io::pipe()?;
    let mut command = Command::new(env!("CARGO"));
    command.args(args).env(SKIPS, skips).envs(variables.iter().map(|(name, value)| (name, value)));
    let mut running = command.stdout(end.try_clone()?).stderr(end).spawn()?;
    // The ends of the pipe in this process are closed with it.
    drop(command);
    let (mut output, mut line) = (BufReader::new(output), Vec::new());
    while output.read_until(b'\n', &mut line)? > 0 {
        let _ = lines.send(mem::take(&mut line));
    }
    Ok(running.wait()?.success())
}

/// The outcome of all checks and tests.
#[derive(Debug, Default)]
struct Summary {
    passed: usize,
    failed: usize,
    /// What failed, as far as it has a name.
    failures: Vec<String>,
    skipped: Vec<Skipped>,
    /// What was to be installed and could not be.
    problems: Vec<Missing>,
}

impl Summary {
    fn count_check(&mut self, name: &str, passed: bool) {
        if passed {
            self.passed += 1;
        } else {
            println!("    FAILED: {name}");
            self.failed += 1;
            self.failures.push(name.to_owned());
        }
    }

    /// Runs the tests, passes on what they print, one lane after the other, and counts them.
    fn run_tests(&mut self, variables: &[(&str, String)]) {
        let file = &Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/skipped-tests");
        let _ = fs::remove_file(file);
        let (mut tests, mut succeeded) = (Tests::default(), true);
        thread::scope(|scope| {
            let start = |commands: &'static [&[&str]]| {
                let (sender, lines) = mpsc::channel();
                let run = move |args: &&[&str]| {
                    run_lane(args, file, variables, &sender).unwrap_or_else(|error| {
                        eprintln!("error: failed to run cargo {}: {error}", args.join(" "));
                        false
                    })
                };
                // All commands of a lane run, even if one fails.
                (scope.spawn(move || commands.iter().filter(|args| !run(args)).count() == 0), lines)
            };
            for (lane, lines) in LANES.iter().map(|commands| start(commands)).collect::<Vec<_>>() {
                for line in lines {
                    let _ = io::stdout().write_all(&line);
                    tests.read(&String::from_utf8_lossy(&line));
                }
                succeeded &= lane.join().unwrap_or(false);
            }
        });
        self.add(tests, &skipped_tests(file), succeeded);
    }

    /// Adds the outcome of the tests. A test that was skipped has passed for the test harness.
    fn add(&mut self, tests: Tests, skipped: &[Skipped], succeeded: bool) {
        let names: BTreeSet<_> = skipped.iter().map(|one| (&one.program, &one.test)).collect();
        let of_passed = names.iter().filter(|(_, test)| !tests.failures.contains(test)).count();
        self.passed += tests.passed.saturating_sub(of_passed);
        self.failed += tests.failed;
        self.failures.extend(tests.failures);
        self.skipped.extend_from_slice(skipped);
        if !succeeded && tests.failed == 0 {
            self.count_check("tests: a program did not end", false);
        }
    }
}

/// What the test harness prints.
#[derive(Debug, Default)]
struct Tests {
    passed: usize,
    failed: usize,
    failures: Vec<String>,
}

impl Tests {
    /// Reads a line, such as `test a::b ... FAILED` or `test result: ok. 3 passed; 0 failed; ...`.
    fn read(&mut self, line: &str) {
        let Some(line) = line.trim_end().strip_prefix("test ") else { return };
        if let Some(name) = line.strip_suffix(" ... FAILED") {
            self.failures.push(name.to_owned());
        } else if let Some(result) = line.strip_prefix("result: ") {
            let number = |what: &str| {
                let before = result.split(what).next().filter(|before| before.len() < result.len());
                before.and_then(|before| before.rsplit(' ').next()?.parse().ok()).unwrap_or(0)
            };
            self.passed += number(" passed");
            self.failed += number(" failed");
        }
    }
}

/// Returns the tests that were skipped, wholly or in part.
fn skipped_tests(file: &Path) -> Vec<Skipped> {
    fs::read_to_string(file).unwrap_or_default().lines().filter_map(Skipped::parse).collect()
}

impl std::fmt::Display for Summary {
    /// Writes what was skipped, by reason, and at last the numbers, alone on a line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut reasons: BTreeMap<(&str, &str), BTreeSet<(&str, &str)>> = BTreeMap::new();
        for Skipped { reason, remedy, program, test } in &self.skipped {
            reasons.entry((reason, remedy)).or_default().insert((program, test));
        }
        if !reasons.is_empty() {
            writeln!(f, "\nskipped, wholly or in part:")?;
        }
        for ((reason, remedy), tests) in &reasons {
            writeln!(f, "{:>5}  {reason}\n       to run them: {remedy}", tests.len())?;
        }
        for Missing { reason, remedy } in &self.problems {
            writeln!(f, "\nWARNING: not installed, so tests were skipped: {reason}\n       to run them: {remedy}")?;
        }
        if !self.failures.is_empty() {
            writeln!(f, "\nfailed: {}", self.failures.join(", "))?;
        }
        let skipped: BTreeSet<_> = self.skipped.iter().map(|one| (&one.program, &one.test)).collect();
        writeln!(f, "\n{} passed, {} failed, {} skipped", self.passed, self.failed, skipped.len())
    }
}

/// Adds the files to a call of rustfmt that it would not find.
fn with_hidden_files<'a>(command: &[&'a str]) -> Vec<Cow<'a, str>> {
    let mut args: Vec<Cow<'_, str>> = command.iter().copied().map(Cow::Borrowed).collect();
    if command[0] == "fmt" {
        args.push("--".into());
        let files = fs::read_dir(DECLARED_BY_MACRO).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
        args.extend(files.map(|path| path.display().to_string().into()));
    }
    args
}

/// Returns whether a cargo command of a rustup component works.
fn is_installed(component: &str) -> bool {
    let version = Command::new(env!("CARGO")).args([component, "--version"]).stdout(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(reason: &str, test: &str) -> Skipped {
        let [reason, remedy, program, test] = [reason, "install it", "it", test].map(str::to_owned);
        Skipped { reason, remedy, program, test }
    }

    fn read(lines: &[&str]) -> Tests {
        let mut tests = Tests::default();
        for line in lines {
            tests.read(line);
        }
        tests
    }

    #[test]
    fn skipped_tests_do_not_count_as_passed() {
        let tests = read(&[
            "running 3 tests\n",
            "test a::b ... ok\n",
            "test c ... FAILED\n",
            "test result: FAILED. 4 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.02s\n",
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s\n",
        ]);
        let mut summary = Summary::default();
        // A test can lack two things, and can fail after a part of it was skipped.
        summary.add(
            tests,
            &[skipped("no x", "a"), skipped("no y", "a"), skipped("no x", "b"), skipped("no x", "c")],
            false,
        );
        assert_eq!((summary.passed, summary.failed), (14, 1));
        assert_eq!(
            summary.to_string(),
            "\nskipped, wholly or in part:\n    3  no x\n       to run them: install it\n    1  no y\n       to run them: install it\n\
             \nfailed: c\n\n14 passed, 1 failed, 3 skipped\n"
        );
    }

    #[test]
    fn a_program_that_does_not_end_is_a_failure() {
        let mut summary = Summary::default();
        summary.add(read(&["test result: ok. 2 passed; 0 failed; 0 ignored\n"]), &[], false);
        assert_eq!((summary.passed, summary.failed), (2, 1));
    }

    #[test]
    fn what_was_not_installed_is_said_before_the_numbers() {
        let problems = vec![Missing::new("`apt-get` fails", "a network")];
        let summary = Summary { passed: 1, problems, ..Summary::default() }.to_string();
        let warning =
            "\nWARNING: not installed, so tests were skipped: `apt-get` fails\n       to run them: a network\n";
        assert_eq!(summary, format!("{warning}\n1 passed, 0 failed, 0 skipped\n"));
    }
}
