//! Measures the compiler and its output for two sizes of projects: `cargo bench --package toolc-tests`.
//!
//! Prints medians of whole runs for one dialect: gen from nothing, gen with nothing to write, gen after a change of one manifest, and
//! lint; the time and the output of all dialects; the memory of gen; and the time that cargo needs for the generated crate, without
//! its dependencies. `-- --quick` omits the large project and cargo. `-- --programs` instead builds a program with these tools and a
//! hand-written one, which takes minutes. No benchmark fails because it is slow.

mod processor;
mod programs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use toolc_codegen::cli::capture;
use toolc_tests::synth;

/// The allocator of `xtask`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SMALL: usize = 1_000;
const LARGE: usize = 10_000;

/// The measured commands.
const ROWS: [&str; 4] = ["from nothing", "nothing to write", "one manifest changed", "lint"];

/// The argument with which this program runs gen once and prints its peak memory.
const ALONE: &str = "--gen-alone";

fn main() {
    let is_asked = |flag| std::env::args().any(|arg| arg == flag);
    if let Some(root) = std::env::args().skip_while(|arg| arg != ALONE).nth(1) {
        gen_at(Path::new(&root), "gen");
        return println!("{}", peak_memory().unwrap_or_default());
    }
    if is_asked("--programs") {
        return programs();
    }
    let quick = is_asked("--quick");
    let sizes = if quick { &[(SMALL, 3)][..] } else { &[(SMALL, 7), (LARGE, 3)] };
    let projects: Vec<_> = sizes.iter().map(|&(tools, runs)| (Project::new(tools, &["openai"]), runs)).collect();
    println!("{:32}{SMALL:>10}{LARGE:>10}{:>9}", "gen of one dialect, by tools", "ratio");
    let times: Vec<_> = projects.iter().map(|(project, runs)| project.measure(*runs)).collect();
    for (row, name) in ROWS.into_iter().enumerate() {
        print_row(name, &times.iter().map(|times| times[row].as_secs_f64()).collect::<Vec<_>>(), "s");
    }
    let memory: Vec<_> = projects.iter().filter_map(|(project, _)| project.memory()).collect();
    print_row("peak memory of a gen", &memory, "MB");

    println!("\n{:32}{SMALL:>10}{LARGE:>10}{:>9}", "gen of all dialects", "ratio");
    let all: Vec<_> = sizes.iter().map(|&(tools, _)| Project::new(tools, &[])).collect();
    print_row("from nothing", &all.iter().map(|project| project.run("gen").as_secs_f64()).collect::<Vec<_>>(), "s");
    for dialect in toolc_codegen::dialects::DIALECTS {
        print_row(dialect.name, &all.iter().map(|project| project.written(dialect.name)).collect::<Vec<_>>(), "MB");
    }
    if !quick {
        let [check, release] = projects[0].0.build();
        println!("\n{:32}{:>10}", format!("catalog of {SMALL} tools"), "cargo");
        println!("{:32}{:>10}\n{:32}{:>10}", "check", seconds(check), "build --release", seconds(release));
    }
}

/// Prints the values of both sizes and their ratio.
fn print_row(name: &str, values: &[f64], unit: &str) {
    let shown = |at: usize| values.get(at).map_or("-".into(), |value| format!("{value:.2} {unit}"));
    let ratio = if let [few, many] = values { format!("{:.1} x", many / few) } else { "-".into() };
    println!("{name:32}{:>10}{:>10}{ratio:>9}", shown(0), shown(1));
}

fn programs() {
    let project = Project::new(SMALL, &["openai"]);
    project.run("gen");
    let [ours, floor] = programs::build(project.root());
    println!("{:32}{:>10}{:>10}{:>9}", format!("program of {SMALL} tools"), "toolc", "by hand", "ratio");
    let row = |name, [ours, floor]: [Option<Duration>; 2]| {
        let ratio = ours.zip(floor).map(|(ours, floor)| ours.as_secs_f64() / floor.as_secs_f64());
        let ratio = ratio.map_or("-".into(), |ratio| format!("{ratio:.2} x"));
        println!("{name:32}{:>10}{:>10}{ratio:>9}", seconds(ours), seconds(floor));
    };
    row("build --release", [Some(ours.wall), Some(floor.wall)]);
    row("  processor time", [ours.processor, floor.processor]);
    #[expect(clippy::cast_precision_loss, reason = "no program is that large")]
    let ratio = ours.bytes as f64 / floor.bytes as f64;
    let [ours, floor] = [ours, floor].map(|built| format!("{} kB", built.bytes / 1_000));
    println!("{:32}{ours:>10}{floor:>10}{ratio:>7.2} x", "size");
}

/// A synthetic project in a temporary folder.
struct Project {
    folder: tempfile::TempDir,
    /// The path of the manifest that is changed.
    manifest: PathBuf,
}

impl Project {
    /// Creates a project of `count` tools in these dialects; an empty list means all.
    fn new(tools: usize, dialects: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        if !dialects.is_empty() {
            let settings = format!("dialects = {dialects:?}\n");
            fs::write(folder.path().join("toolc.toml"), settings).expect("failed to write the settings");
        }
        let mut manifest = PathBuf::new();
        for (path, text) in synth::project(tools, 1) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("manifests are in folders")).expect("failed to make a folder");
            fs::write(&path, text).expect("failed to write a manifest");
            manifest = path;
        }
        // gen keeps its cache in `target`, which exists in any project that cargo has built.
        fs::create_dir(folder.path().join("target")).expect("failed to make a folder");
        Self { folder, manifest }
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn measure(&self, runs: usize) -> [Duration; 4] {
        let mut times: [Vec<Duration>; 4] = Default::default();
        for run in 0..runs {
            // Move the files: some file systems are slow to create files after many have been deleted.
            let _ = fs::rename(self.root().join("generated"), self.root().join(format!("old-{run}")));
            times[0].push(self.run("gen"));
            times[1].push(self.run("gen"));
            let text = fs::read_to_string(&self.manifest).expect("failed to read a manifest");
            let changed = text.replacen("description = \"", &format!("description = \"{run}: "), 1);
            fs::write(&self.manifest, changed).expect("failed to write a manifest");
            times[2].push(self.run("gen"));
            times[3].push(self.run("lint"));
        }
        times.map(median)
    }

    fn run(&self, command: &str) -> Duration {
        let start = Instant::now();
        gen_at(self.root(), command);
        start.elapsed()
    }

    /// Returns the peak memory of a full gen in its own process, in megabytes.
    fn memory(&self) -> Option<f64> {
        let _ = fs::rename(self.root().join("generated"), self.root().join("old"));
        let output = Command::new(std::env::current_exe().ok()?).arg(ALONE).arg(self.root()).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok().filter(|&memory| memory > 0.0)
    }

    /// Returns the size of the definitions of all tools in a dialect, in megabytes.
    fn written(&self, dialect: &str) -> f64 {
        let folder = self.root().join("generated/schemas").join(dialect).join("tools");
        let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let sizes = files.map(|file| file.and_then(|file| file.metadata()).expect("gen has written it").len());
        #[expect(clippy::cast_precision_loss, reason = "no project is that large")]
        let bytes = sizes.sum::<u64>() as f64;
        bytes / 1e6
    }

    /// Returns the times that cargo needs to check and to build the generated crate, or `None` if it fails.
    fn build(&self) -> [Option<Duration>; 2] {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let manifest = format!(
            "[package]\nname = \"synthetic-catalog\"\nedition = \"2024\"\n\
             [lib]\npath = \"generated/rust/lib.rs\"\n\
             [dependencies]\ntoolc.path = '{}'\n\
             [workspace]\n",
            here.join("../runtime").display()
        );
        fs::write(self.root().join("Cargo.toml"), manifest).expect("failed to write the crate's manifest");
        // The versions in this lock file are available offline.
        fs::copy(here.join("../Cargo.lock"), self.root().join("Cargo.lock")).expect("failed to copy Cargo.lock");
        [&["check"][..], &["build", "--release"]].map(|command| self.cargo(command))
    }

    fn cargo(&self, command: &[&str]) -> Option<Duration> {
        let library = self.root().join("generated/rust/lib.rs");
        let run = || {
            let file = fs::File::options().append(true).open(&library).ok()?;
            file.set_modified(std::time::SystemTime::now()).ok()?;
            let start = Instant::now();
            let output = Command::new(env!("CARGO"))
                .args(command)
                .args(["--quiet", "--offline"])
                .current_dir(self.root())
                .env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR"))
                // Measure the worst case for a change in the crate.
                .env("CARGO_INCREMENTAL", "0")
                .output()
                .ok()?;
            if !output.status.success() {
                eprintln!("cargo {}: {}", command.join(" "), String::from_utf8_lossy(&output.stderr));
                return None;
            }
            Some(start.elapsed())
        };
        // The first run builds the dependencies.
        run()?;
        (0..3).map(|_| run()).collect::<Option<Vec<_>>>().map(median)
    }
}

fn gen_at(root: &Path, command: &str) {
    let (status, _, errors) = capture(["--root", &root.display().to_string(), command]);
    assert_eq!(status, 0, "{errors}");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn seconds(time: Option<Duration>) -> String {
    time.map_or("-".into(), |time| format!("{:.2} s", time.as_secs_f64()))
}

/// Returns the peak memory in megabytes, or `None` if the system does not report it.
fn peak_memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? / 1e3)
}
