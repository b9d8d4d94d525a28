//! `cargo xtask soak`: tests that look for rare failures, with many more tries or much more data than in `cargo xtask test`.

use std::process::{Command, ExitCode};

use crate::debian::Variables;
use crate::engine::Engine;
use crate::{cargo, sdk, ssh_server};

/// Tests that read from a variable how much they try.
struct Soak {
    name: &'static str,
    description: &'static str,
    /// The variable, and its value if the environment has none.
    variable: (&'static str, &'static str),
    /// The arguments of `cargo test`.
    tests: &'static [&'static str],
    /// Parts of the names of the tests. Without any, all run.
    filters: &'static [&'static str],
    needs: Needs,
}

/// What tests need.
enum Needs {
    Nothing,
    /// A docker engine.
    Engine,
    /// The program of a server of OpenSSH.
    SshServer,
    /// A Python with the SDK of Modal.
    Sdk,
}

/// The tests of environments, and of the program that uses them.
const ENVIRONMENTS: &[&str] = &[
    "--package",
    "toolc-environment",
    "--test",
    "it",
    "--package",
    "toolc-host",
    "--test",
    "it",
    "--test",
    "overhead",
];

const SOAKS: &[Soak] = &[
    Soak {
        name: "ends",
        description: "no process survives its call or its host; about twenty minutes",
        variable: ("TOOLC_TRIES", "100"),
        tests: &["--package", "toolc-host", "--test", "it"],
        filters: &["ends::"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "store",
        description: "two processes write ten thousand messages each, and a hundred writers are killed; about a minute",
        variable: ("TOOLC_TRIES", "10000"),
        tests: &["--package", "toolc-store", "--test", "processes"],
        filters: &[],
        needs: Needs::Nothing,
    },
    Soak {
        name: "breaking",
        description: "each change of a keyword is judged by the readers of both sides on 20,000 values; about a minute",
        variable: ("TOOLC_TRIES", "20000"),
        tests: &["--package", "toolc-compare", "--test", "it"],
        filters: &["keywords::"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "permissions",
        description: "a million random calls are judged as by a slow reference; about two minutes",
        variable: ("TOOLC_CALLS", "1000000"),
        tests: &["--package", "toolc-permissions", "--test", "it"],
        filters: &["reference::"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "boards",
        description: "two workers complete ten thousand cards, each once, and a hundred workers are killed; about three minutes",
        variable: ("TOOLC_TRIES", "10000"),
        tests: &["--package", "toolc-store", "--test", "boards"],
        filters: &[],
        needs: Needs::Nothing,
    },
    Soak {
        name: "search",
        description: "the median of searches in a hundred thousand messages is below 20 ms; about a minute",
        variable: ("TOOLC_MESSAGES", "100000"),
        tests: &["--package", "toolc-store", "--test", "speed"],
        filters: &[],
        needs: Needs::Nothing,
    },
    Soak {
        name: "typescript",
        description: "the types of two thousand random tools agree with their schemas under `tsc`; about four minutes",
        variable: ("TOOLC_TOOLS", "2000"),
        tests: &["--package", "toolc-tests", "--test", "slow"],
        filters: &["typescript"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "languages",
        description: "the runtimes in Python and TypeScript read a million random arguments as Rust does; about a quarter of an hour",
        variable: ("TOOLC_TOOLS", "35000"),
        tests: &["--package", "toolc-tests", "--test", "slow"],
        filters: &["languages::the_runtime"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "replay",
        description: "a million recorded calls are read by two versions of a tool; about two minutes",
        variable: ("TOOLC_CALLS", "1000000"),
        tests: &["--package", "cargo-toolc", "--test", "it"],
        filters: &["replay::a_month_of_sessions"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "text-rules",
        description: "a hundred thousand texts for each format, and as many for random patterns, have the verdicts of ajv and of the crate \
                      `jsonschema`, or a known reason; about five minutes after the build",
        variable: ("TOOLC_TEXTS", "100000"),
        tests: &["--package", "toolc-tests", "--test", "slow"],
        filters: &["text_rules"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "unchanged",
        description: "runs of gen and lint have the output of a fresh run after each of two thousand random changes; about half an hour",
        variable: ("TOOLC_TRIES", "2000"),
        tests: &["--package", "toolc-tests", "--test", "it"],
        filters: &["unchanged_files::"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "bfcl",
        description: "all functions and calls of the Berkeley leaderboard are imported, linted and repaired; about two minutes",
        variable: ("TOOLC_BFCL", "all"),
        tests: &["--package", "toolc-tests", "--test", "slow"],
        filters: &["bfcl"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "memory",
        description: "two processes change the same notes ten thousand times each, and a hundred writers are killed; a quarter of a minute",
        variable: ("TOOLC_TRIES", "10000"),
        tests: &["--package", "toolc-agent", "--test", "processes"],
        filters: &[],
        needs: Needs::Nothing,
    },
    Soak {
        name: "cron",
        description: "two processes change jobs ten thousand times each while a third runs them, and two hundred runners are killed; \
                      about a minute",
        variable: ("TOOLC_TRIES", "10000"),
        tests: &["--package", "toolc-store", "--test", "jobs"],
        filters: &[],
        needs: Needs::Nothing,
    },
    Soak {
        name: "cron-runner",
        description: "`toolc cron run` is killed a hundred times: no job runs twice or is forgotten; about two minutes",
        variable: ("TOOLC_KILLS", "100"),
        tests: &["--package", "toolc-host", "--test", "it"],
        filters: &["runners_are_killed"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "shells",
        description: "what real shells run is in the list of commands that the reader makes; about ten minutes",
        variable: ("TOOLC_TRIES", "100000"),
        tests: &["--package", "toolc-commands", "--test", "shells"],
        filters: &[],
        needs: Needs::Nothing,
    },
    Soak {
        name: "judge-files",
        description: "a million random lines with links are judged, and a tenth is run in a namespace: no protected file changes or is \
                      copied without a question; about two hours",
        variable: ("TOOLC_LINES", "1000000"),
        // Without optimization, the judge takes most of the time.
        tests: &["--release", "--package", "toolc-host", "--bin", "toolc"],
        filters: &["no_allowed_line_changes"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "output",
        description: "ten background processes that print 100 MB each take little memory; about a minute after the build",
        variable: ("TOOLC_MEGABYTES", "100"),
        // Without optimization, the emulation of a terminal takes many minutes.
        tests: &["--release", "--package", "toolc-terminal", "--lib"],
        filters: &["much_output_of_many_processes"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "web-crawl",
        description: "a site of five thousand pages with all traps is crawled: no page twice, and the memory does not grow; \
                      a quarter of a minute after the build",
        variable: ("TOOLC_PAGES", "5000"),
        // Pages a second without optimization say nothing.
        tests: &["--release", "--package", "toolc-web", "--test", "it"],
        filters: &["tools::soak::"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "articles",
        description: "the text of 181 news pages is extracted with F1 of at least 0.95, and in time; a minute after the build; needs a \
                      checkout of scrapinghub/article-extraction-benchmark in `target/articles`, or the variable TOOLC_ARTICLES",
        variable: ("TOOLC_ARTICLES", concat!(env!("CARGO_MANIFEST_DIR"), "/../target/articles")),
        // Times without optimization say nothing.
        tests: &["--release", "--package", "toolc-extract", "--bench", "articles"],
        filters: &[],
        needs: Needs::Nothing,
    },
    Soak {
        name: "packages",
        description: "the wheels and the packages of npm in `target/packages` are installed, and their programs run; half a minute; needs \
                      `cargo xtask package` before",
        variable: ("TOOLC_PACKAGES", "target/packages"),
        tests: &["--package", "cargo-toolc", "--test", "it"],
        filters: &["packages::"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "first-hour",
        description: "the tutorial of the README without an installed compiler: cargo compiles it for the new project; about four minutes",
        variable: ("TOOLC_COMPILES", "1"),
        tests: &["--package", "cargo-toolc", "--test", "it"],
        filters: &["first_hour::"],
        needs: Needs::Nothing,
    },
    Soak {
        name: "containers",
        description: "a docker engine from the packages of Debian behaves like this machine, isolates, and keeps nothing of hosts that \
                      were killed; about three minutes; needs root",
        variable: ("TOOLC_TASKS", "20"),
        tests: &["--package", "toolc-environment", "--test", "it", "--test", "overhead"],
        filters: &["behaviours::", "containers::", "copy::", "a_trivial_command"],
        needs: Needs::Engine,
    },
    Soak {
        name: "ssh",
        description: "a server of OpenSSH from the packages of Debian behaves like this machine, also as the gateway of Daytona, and \
                      what outlives a lost connection or a killed host is ended; about two minutes",
        variable: ("TOOLC_COMMANDS", "40"),
        tests: ENVIRONMENTS,
        filters: &["behaviours::", "ssh::", "daytona::", "copy::", "a_trivial_command"],
        needs: Needs::SshServer,
    },
    Soak {
        name: "modal",
        description: "sandboxes of Modal behave like this machine, by its SDK and a stand-in for the service; about three minutes; \
                      downloads the SDK",
        variable: ("TOOLC_MEGABYTES", "20"),
        tests: ENVIRONMENTS,
        filters: &["behaviours::", "modal::"],
        needs: Needs::Sdk,
    },
];

impl Soak {
    /// Returns what the tests need, and the variables that say where it is.
    fn needs(&self) -> Result<(Option<Engine>, Variables), String> {
        match self.needs {
            Needs::Nothing => Ok((None, Vec::new())),
            Needs::Engine => {
                let engine = Engine::start()?;
                let variables = engine.variables();
                Ok((Some(engine), variables))
            }
            Needs::SshServer => Ok((None, ssh_server::variables()?)),
            Needs::Sdk => Ok((None, sdk::variables()?)),
        }
    }
}

/// Runs the tests of this name, or lists all names.
pub(crate) fn run(name: Option<&str>) -> ExitCode {
    let Some(name) = name else {
        for Soak { name, description, .. } in SOAKS {
            println!("{name}: {description}");
        }
        return ExitCode::SUCCESS;
    };
    let Some(soak) = SOAKS.iter().find(|soak| soak.name == name) else {
        let names: Vec<&str> = SOAKS.iter().map(|soak| soak.name).collect();
        eprintln!("error: unknown test `{name}`: expected one of {}", names.join(", "));
        return ExitCode::from(2);
    };
    let mut command = Command::new(env!("CARGO"));
    // The tests print the times that they measured.
    command.arg("test").args(soak.tests).args(["--", "--nocapture"]).args(soak.filters);
    let (variable, value) = soak.variable;
    if std::env::var_os(variable).is_none() {
        command.env(variable, value);
    }
    let (engine, variables) = match soak.needs() {
        Ok(needs) => needs,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    command.envs(variables);
    let status = command.status();
    drop(engine);
    match status {
        Ok(status) => cargo::status(status.success()),
        Err(error) => {
            eprintln!("error: failed to run cargo: {error}");
            ExitCode::from(2)
        }
    }
}
