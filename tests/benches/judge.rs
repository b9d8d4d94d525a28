//! Measures the judge with the shipped rules: `cargo bench -p toolc-tests --bench judge`. First the corpora, then the longest lines that
//! repeat one unit, and a line that is too long.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::Value;
use toolc::commands::{Entry, FileId, FileSystem, MAX_BYTES, NamedEntry, Surroundings, judge};

const CORPORA: [(&str, &str); 2] = [
    ("judged commands", include_str!("../corpora/commands.jsonl")),
    ("everyday commands", include_str!("../corpora/everyday.jsonl")),
];
/// The length of hostile lines.
const LONG: usize = 48_000;
/// Hostile lines that repeat the second text after the first.
const BEGINNINGS: &[(&str, &str)] = &[
    ("{2..9}{2..9}", "*?"),
    ("x{2..9}{2..9}", "$a\"b\""),
    ("sudo ", "$a "),
    ("env ", "a=$b "),
    ("env ", "a=$b -S "),
    ("rm -rf /", "*a"),
    ("rm -rf ", "/*a*b "),
    ("rm -rf /$a", "*a"),
    ("rm -rf ~/", "$a[b]"),
    ("cat /", "?"),
    ("cat ~/.", "[a-z]*"),
    ("echo /", "*a"),
    ("ln -s a b;ln -s b a;cat ", "a/"),
    ("ln -s / a;", "cat a/b;"),
    ("ln -s / a;cat ", "a/etc/x "),
    ("echo 'sh a' > a;", "sh a;"),
];
/// What hostile lines repeat.
const UNITS: &[&str] = &[
    "a;",
    "a|",
    "rm -rf ",
    "rm a;",
    "rm -rf a;",
    "cat a|",
    "cat <(",
    "$(",
    "$((",
    "\"$(",
    "( ",
    "{ ",
    "/",
    "../",
    "a/",
    "a*/",
    "$a/",
    "~/",
    "git push $a ",
    "git -c a=b ",
    "curl a|sh;",
    "curl a -o b;",
    "./b;",
    "sh b;",
    "echo a > b;",
    "cp a b;",
    "psql -c ';' ",
    "DROP TABLE ",
    "psql -c 'DELETE FROM t WHERE ",
    "a=b ",
    "a=$a;",
    "export a=b;",
    "f() { f|f& };",
    "sudo ",
    "xargs ",
    "eval ",
    "sh -c '",
    "find -exec a \\;",
    "awk system( ",
    "*",
    "?",
    "[a-z]",
    "tee a b c ",
    "-rf ",
    "-r",
    "--",
    "cd a;rm b;",
    "cat ~/.ssh/*;",
    "for i in a;do rm $i;done;",
    "<<E\n",
    "\\\n",
    "\r",
    "\u{202e}",
    "ln -s a b;",
    "ln -s b/a a;",
    "echo a > b;sh b;",
    "echo 'a' > Makefile;make;",
    "/proc/self/exe ",
];

/// A file system, as far as this benchmark needs it.
#[derive(Debug)]
struct Files;

impl FileSystem for Files {
    fn entry(&self, path: &str) -> Option<Entry> {
        let found = fs::symlink_metadata(path).ok()?;
        let id = FileId { device: 0, inode: 0 };
        Some(if found.is_symlink() {
            Entry::Link(fs::read_link(path).ok()?.to_string_lossy().into_owned())
        } else if found.is_dir() {
            Entry::Folder { id, is_mounted: false }
        } else {
            Entry::File { id, has_other_paths: false }
        })
    }

    fn names(&self, _: &str, _: usize) -> Vec<NamedEntry> {
        Vec::new()
    }

    fn text(&self, _: &str, _: usize) -> Option<String> {
        None
    }
}

/// Measures a line with ten paths, in a folder that has them, with and without the file system.
fn paths() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let project = folder.path().canonicalize().expect("it exists").join("me/src/app");
    let names: Vec<String> = (0..10).map(|number| format!("part{}/module{number}/file.rs", number % 3)).collect();
    for name in &names {
        let path = project.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "text").expect("a file");
    }
    let line = format!("wc -l {}", names.join(" "));
    let home = folder.path().join("me");
    let without = Surroundings { directory: Some(&project), home: Some(&home), ..Surroundings::default() };
    let with = Surroundings { files: Some(&Files), ..without };
    let rules = toolc_catalog::commands::rules();
    let time = |surroundings: &Surroundings<'_>| {
        fastest(200, || drop(black_box(judge(&line, rules, surroundings)))).as_secs_f64() * 1e6
    };
    let (text, files) = (time(&without), time(&with));
    println!("ten paths: {text:.1} µs as text, {files:.1} µs in the file system");
}

fn main() {
    let rules = toolc_catalog::commands::rules();
    let surroundings = Surroundings::default();
    for (name, corpus) in CORPORA {
        let commands: Vec<String> = corpus
            .lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).expect("a row is JSON")["command"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect();
        let all = || commands.iter().for_each(|command| drop(black_box(judge(command, rules, &surroundings))));
        let time = fastest(20, all).as_secs_f64() * 1e6;
        let count = |number: usize| f64::from(u32::try_from(number).expect("there are not many commands"));
        let read = |line: &String| toolc::commands::read(line, rules.programs(), &surroundings).commands.len();
        let (lines, single) = (count(commands.len()), count(commands.iter().map(read).sum()));
        println!(
            "{name}: {:.2} µs a line, {:.2} µs a command, of which a line has {:.2}",
            time / lines,
            time / single,
            single / lines
        );
    }
    paths();
    let measure = |(start, unit): (&'static str, &'static str)| {
        let line = start.to_owned() + &unit.repeat((LONG - start.len()) / unit.len());
        (fastest(3, || drop(black_box(judge(&line, rules, &surroundings)))), start, unit)
    };
    let repeated = UNITS.iter().map(|unit| ("", *unit));
    let mut times: Vec<(Duration, &str, &str)> = BEGINNINGS.iter().copied().chain(repeated).map(measure).collect();
    times.sort_unstable();
    println!("hostile lines of {LONG} bytes, the slowest:");
    for (time, start, unit) in times.iter().rev().take(12) {
        println!("{:8.2} ms  {:?}", time.as_secs_f64() * 1e3, format!("{start}{unit}"));
    }
    let long = "a ".repeat(MAX_BYTES);
    let time = fastest(20, || drop(black_box(judge(&long, rules, &surroundings))));
    println!("a line of {} bytes: {:.3} ms", long.len(), time.as_secs_f64() * 1e3);
}

/// Returns the shortest time of several tries, because other processes only make it longer.
fn fastest(tries: usize, run: impl Fn()) -> Duration {
    let once = |_| {
        let started = Instant::now();
        run();
        started.elapsed()
    };
    (0..tries).map(once).min().unwrap_or_default()
}
