//! `read_file` and `search_files` compared with the programs for the same work, as ratios from one run: `cargo bench -p toolc-files`.
//!
//! `-- WORD` runs only the comparisons with WORD in their names. The files are made below `target/`, 1.5 GB in all, and kept for the next
//! run. No benchmark fails because it is slow. Before anything is timed, both sides are checked to find the same.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use toolc::testing::Caller;
use toolc_catalog::file::{FileTools, read_file, search_files};
use toolc_files::FileHandlers;
use toolc_workspace::Workspace;

/// The number of times that each side runs, in turns. The fastest counts.
const ROUNDS: usize = 7;
/// The lines of the large file, of 80 bytes each: 1 GB.
const LINES: u64 = 12_500_000;
const PAGE: u64 = 500;
const FOLDERS: usize = 1_000;
const FILES_PER_FOLDER: usize = 100;

/// A comparison with a program.
struct Comparison {
    name: &'static str,
    /// The program with its arguments, relative to the folder of the files.
    program: &'static [&'static str],
    run: fn(&FileHandlers) -> usize,
    /// What `run` returns for the output of the program.
    count: fn(&str) -> usize,
}

const COMPARISONS: &[Comparison] = &[
    Comparison {
        name: "last page of 1 GB",
        program: &["sh", "-c", "tail -n +12499501 large | head -n 500"],
        run: last_page,
        count: |output| output.lines().count(),
    },
    Comparison {
        name: "last page of 1 GB",
        program: &["sed", "-n", "12499501,12500000p", "large"],
        run: last_page,
        count: |output| output.lines().count(),
    },
    Comparison {
        name: "last page of 1 GB",
        program: &["tail", "-n", "500", "large"],
        run: last_page,
        count: |output| output.lines().count(),
    },
    Comparison {
        name: "first page of 1 GB",
        program: &["sh", "-c", "head -n 500 large; wc -l large >/dev/null"],
        run: first_page,
        count: |output| output.lines().count(),
    },
    Comparison {
        name: "rare line in 100,000 files",
        program: &["rg", "--no-config", "--no-require-git", "-n", "needle", "many"],
        run: |handlers| search(handlers, "needle", search_files::Target::Content),
        count: |output| output.lines().count(),
    },
    Comparison {
        name: "rare line in 100,000 files",
        program: &["rg", "--no-config", "--no-require-git", "--sort", "path", "-n", "needle", "many"],
        run: |handlers| search(handlers, "needle", search_files::Target::Content),
        count: |output| output.lines().count(),
    },
    Comparison {
        name: "rare name in 100,000 files",
        program: &["rg", "--no-config", "--no-require-git", "--sort", "path", "--files", "-g", "**/99/99.rs", "many"],
        run: |handlers| search(handlers, "99/99.rs", search_files::Target::Files),
        count: |output| output.lines().count(),
    },
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files");
    make_large(&folder.join("large"));
    make_many(&folder.join("many"));
    let handlers = FileHandlers::new(Workspace::new(&folder));
    println!("{:30}{:>10}{:>10}{:>9}   the program", "", "ours", "program", "ratio");
    for Comparison { name, program, run, count } in COMPARISONS {
        if !words.is_empty() && !words.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let shown = program.join(" ");
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).current_dir(&folder);
        let Ok(output) = command.output() else {
            println!("{name:30}{:>29}   {shown}: skipped, because `{}` is not installed", "-", program[0]);
            continue;
        };
        assert_eq!(run(&handlers), count(&String::from_utf8_lossy(&output.stdout)), "{name}: {shown}");
        let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            ours = ours.min(time(|| run(&handlers)));
            theirs = theirs.min(time(|| command.output()));
        }
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        println!("{name:30}{:>10}{:>10}{ratio:>7.2} x   {shown}", milliseconds(ours), milliseconds(theirs));
    }
}

fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    black_box(run());
    started.elapsed()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1_000.0)
}

fn last_page(handlers: &FileHandlers) -> usize {
    page(handlers, LINES - PAGE + 1)
}

fn first_page(handlers: &FileHandlers) -> usize {
    page(handlers, 1)
}

fn page(handlers: &FileHandlers, offset: u64) -> usize {
    let caller = Caller::new();
    let offset = i64::try_from(offset).expect("it fits");
    let args = read_file::Args { path: "large".to_owned(), offset, limit: 500, column: 1 };
    let page = handlers.read_file(args, &caller.call("read_file")).expect("the file exists");
    assert_eq!(page.total_lines, i64::try_from(LINES).ok());
    page.content.lines().count()
}

fn search(handlers: &FileHandlers, pattern: &str, target: search_files::Target) -> usize {
    let caller = Caller::new();
    let args = search_files::Args {
        pattern: pattern.to_owned(),
        target,
        path: "many".to_owned(),
        file_glob: None,
        output_mode: search_files::OutputMode::Content,
        context: 0,
        limit: 500,
        offset: 0,
    };
    let found = handlers.search_files(args, &caller.call("search_files")).expect("the folder exists");
    usize::try_from(found.total).expect("it is a number")
}

/// Makes a file of `LINES` lines, unless it exists.
fn make_large(path: &Path) {
    if fs::metadata(path).is_ok_and(|found| found.len() == LINES * 80) {
        return;
    }
    fs::create_dir_all(path.parent().expect("it has one")).expect("failed to make a folder");
    let mut file = BufWriter::new(File::create(path).expect("failed to make a file"));
    for number in 1..=LINES {
        writeln!(file, "{number:079}").expect("failed to write");
    }
    file.flush().expect("failed to write");
}

/// Makes folders of source files, with a rare word in some, unless they exist.
fn make_many(path: &Path) {
    let mark = path.join("complete");
    if mark.exists() {
        return;
    }
    let text = "fn some_function(argument: &str) -> usize {\n    argument.len()\n}\n\n".repeat(15);
    for folder in 0..FOLDERS {
        let folder_path: PathBuf = path.join(folder.to_string());
        fs::create_dir_all(&folder_path).expect("failed to make a folder");
        for file in 0..FILES_PER_FOLDER {
            let end = if (folder * FILES_PER_FOLDER + file).is_multiple_of(997) { "// needle\n" } else { "" };
            fs::write(folder_path.join(format!("{file}.rs")), format!("{text}{end}")).expect("failed to write");
        }
    }
    fs::write(mark, "").expect("failed to write");
}
