//! Random lines with links, hard links and earlier commands are judged in a scratch file system, and those that are allowed are run: no
//! protected file changes, and none is copied. `cargo xtask soak judge-files` tries many more.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{env, io, thread};

use toolc_commands::rules::Verdict;

use super::worlds::{Random, World};
use super::*;

/// The number of lines that are judged in one world, and the number of those that are run.
const JUDGED: usize = 400;
const RUN: usize = 40;
/// The number of worlds for each processor: a line that runs often waits until its time limit.
const THREADS: usize = 6;
/// The variable with which the test starts itself in a namespace, to run lines there.
const WORLD: &str = "TOOLC_WORLD";

/// Parts of paths.
const NAMES: &[&str] = &[
    "l1",
    "l2",
    "l3",
    "l4",
    "l5",
    "l6",
    "src",
    "sub",
    "a.txt",
    "b.txt",
    "o",
    "hard",
    "new",
    "n2",
    ".",
    "..",
    "own",
    "x",
    "home",
    "me",
    ".ssh",
    "id_rsa",
    ".bashrc",
    "config.toml",
    ".env",
    "state.db",
    "rules",
    "a.toml",
    "mcp",
    "*",
    "l*",
    "[ls]*",
    "?1",
    "app",
    ".config/gh/hosts.yml",
];
/// Beginnings of paths.
const BASES: &[&str] =
    &["", "", "", "", "./", "../", "~/", "$HOME/", "ROOT/", "\"$PWD\"/", "ROOT/x/", "../../", "/proc/self/cwd/"];
/// Commands, in which `@` stands for a path, and `%` for a new name.
const COMMANDS: &[&str] = &[
    "ln -s @ %",
    "ln -sfn @ %",
    "ln @ %",
    "cp -a @ %",
    "cp -P @ %",
    "mv @ %",
    "mkdir -p %",
    "cd @",
    "d=@",
    "cat @",
    "cat @ > @",
    "cat < @ > %",
    "echo x > @",
    "echo x >> @",
    "echo x > \"$d/a.txt\"",
    "tee @ < o",
    "tee -a @ < o",
    "cp @ @",
    "cp o @",
    "cp -r @ %",
    "cp -rL @ %",
    "cp -t @ o",
    "mv o @",
    "mv @ @",
    "rm @",
    "rm -f @",
    "rm -r @",
    "rmdir @",
    "touch @",
    "truncate -s 0 @",
    "dd if=@ of=%",
    "dd if=o of=@",
    "sed -i s/text/y/ @",
    "sed s/a/b/ @",
    "sed -n 'w @' o",
    "awk '{print > \"@\"}' o",
    "head -c 99 @",
    "tail @",
    "sort -o @ o",
    "grep -r SECRET @",
    "grep -R SECRET @",
    "grep . @",
    "find @ -name a.txt",
    "find @ -type f -exec cat {} +",
    "tar cf % @",
    "tar chf % @",
    "base64 @",
    "install o @",
    "chmod 600 @",
    "echo @ | xargs cat",
    "echo @ | xargs tee < o",
    "cat $(echo @)",
    "for f in @ @; do cat $f > %; done",
    "sh -c 'echo x > @'",
    "(cd @ && echo x > @)",
];
const SEPARATORS: &[&str] = &["; ", " && ", " || ", "; ", "\n"];

fn random_path(random: &mut Random) -> String {
    let mut path = random.pick(BASES).to_owned();
    let count = 1 + random.below(4);
    for number in 0..count {
        path += if number > 0 { "/" } else { "" };
        path += random.pick(NAMES);
    }
    if random.below(8) == 0 {
        path.push('/');
    }
    path
}

fn random_line(random: &mut Random, root: &str) -> String {
    let mut line = String::new();
    let count = 1 + random.below(3);
    for number in 0..count {
        line += if number > 0 { random.pick(SEPARATORS) } else { "" };
        for letter in random.pick(COMMANDS).chars() {
            match letter {
                '@' => line += &random_path(random),
                '%' => line += random.pick(&["new", "n2", "src/new", "sub/n2"]),
                letter => line.push(letter),
            }
        }
    }
    line.replace("ROOT", root)
}

/// What is done in a world.
#[derive(Debug, Default)]
struct Tried {
    judged: usize,
    allowed: usize,
    ran: usize,
    /// The lines that did what they must not do.
    wrong: Vec<String>,
}

/// Judges lines in the world with this number, and runs some of those that are allowed. Returns `None` if they cannot be isolated here.
fn try_world(seed: u64, number: usize, count: usize) -> Option<Tried> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path().canonicalize().expect("it exists");
    let (root, mut random) = (folder.join("w"), Random::new(seed, number));
    let world = World::new(&root, &mut random);
    world.write().expect("the files can be written");
    let text = root.to_str().expect("UTF-8");
    let lines: Vec<String> = (0..count).map(|_| random_line(&mut random, text)).collect();
    let mut allowed: Vec<&String> = lines.iter().filter(|line| world.judge(line) == Verdict::Allow).collect();
    let mut tried = Tried { judged: count, allowed: allowed.len(), ..Tried::default() };
    allowed.truncate(RUN);
    tried.ran = allowed.len();
    fs::write(folder.join("lines"), serde_json::to_vec(&allowed).expect("texts")).expect("a file");
    let found = run_isolated(&folder, &format!("{seed} {number} {}", folder.display()))?;
    tried.wrong = found
        .into_iter()
        .map(|(line, what)| format!("world {number} {what}: {:?}", allowed[line].replace(text, "ROOT")))
        .collect();
    Some(tried)
}

/// Starts this test in a namespace in which only the folder of the world can be written. Returns the indexes of lines that went wrong.
fn run_isolated(folder: &Path, world: &str) -> Option<Vec<(usize, String)>> {
    let name = concat!(module_path!(), "::no_allowed_line_changes_or_copies_a_protected_file");
    let (_, name) = name.split_once("::").expect("a crate");
    let mut command = Command::new("unshare");
    command.args([
        "--user",
        "--map-root-user",
        "--mount",
        "--net",
        "--fork",
        "--kill-child",
        "sh",
        "-c",
        ISOLATION,
        "sh",
    ]);
    command.arg(folder.join("w")).arg(folder).arg(env::current_exe().expect("the test has a file"));
    let output = command.args(["--exact", name, "--nocapture"]).env(WORLD, world).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut wrong = Vec::new();
    for line in text.lines() {
        if let Some((number, what)) = line.split_once(' ')
            && let Ok(number) = number.parse()
        {
            wrong.push((number, what.to_owned()));
        }
    }
    let (is_isolated, is_done) = (text.contains("READY\n"), text.ends_with("DONE\n"));
    assert!(is_done || !is_isolated, "the lines of `{world}` did not end: {text}");
    is_done.then_some(wrong)
}

/// Makes a namespace in which nothing but a world can be written, and runs a program there.
const ISOLATION: &str = r#"
root=$1 control=$2; shift 2
mount --make-rprivate / && mkdir "$control/dev" || exit 1
for name in null zero urandom; do : > "$control/dev/$name"; mount --bind "/dev/$name" "$control/dev/$name" || exit 1; done
mount -t tmpfs -o size=64m none "$root" || exit 1
for place in $(cut -d' ' -f2 /proc/self/mounts); do
    case $place in "$root" | "$control"/*) ;; *) mount -o remount,bind,ro "$place" 2> /dev/null;; esac
done
mount --rbind "$control/dev" /dev || exit 1
if (: > /tmp/toolc-must-not-exist) 2> /dev/null; then exit 1; fi
exec "$@"
"#;

/// Runs the lines of a world in the namespace, and prints the index of each that went wrong.
#[expect(clippy::print_stderr, reason = "the test that started this one reads it")]
fn run_lines(world: &str) -> io::Result<()> {
    eprintln!("READY");
    let mut words = world.splitn(3, ' ');
    let mut next = || words.next().unwrap_or_default();
    let (seed, number, folder) =
        (next().parse().expect("a seed"), next().parse().expect("a number"), PathBuf::from(next()));
    let world = World::new(&folder.join("w"), &mut Random::new(seed, number));
    let lines: Vec<String> = serde_json::from_slice(&fs::read(folder.join("lines"))?)?;
    for (index, line) in lines.iter().enumerate() {
        let shell = if index % 2 == 0 { "bash" } else { "sh" };
        world.run(shell, line)?.into_iter().for_each(|what| eprintln!("{index} {what}"));
    }
    eprintln!("DONE");
    Ok(())
}

/// Returns a number that a variable sets.
fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok().and_then(|number| number.parse().ok())
}

#[test]
#[expect(clippy::print_stdout, reason = "a soak reports what it has tried")]
fn no_allowed_line_changes_or_copies_a_protected_file() {
    if let Ok(world) = env::var(WORLD) {
        run_lines(&world).expect("the lines can be run");
        return;
    }
    let count = number("TOOLC_LINES").and_then(|count| usize::try_from(count).ok()).unwrap_or(JUDGED);
    let seed = number("TOOLC_SEED").unwrap_or(0x2545_f491_4f6c_dd1d);
    let (next, all, can_isolate) = (AtomicUsize::new(0), Mutex::new(Tried::default()), AtomicBool::new(true));
    thread::scope(|scope| {
        let threads = THREADS * thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 0..threads.min(count.div_ceil(JUDGED)) {
            scope.spawn(|| {
                loop {
                    let world = next.fetch_add(1, Ordering::Relaxed);
                    let left = count.saturating_sub(world * JUDGED);
                    if left == 0 || !can_isolate.load(Ordering::Relaxed) {
                        return;
                    }
                    let Some(tried) = try_world(seed, world, JUDGED.min(left)) else {
                        can_isolate.store(false, Ordering::Relaxed);
                        return;
                    };
                    tried.wrong.iter().for_each(|wrong| println!("{wrong}"));
                    let mut all = all.lock().expect("no thread panics");
                    all.judged += tried.judged;
                    all.allowed += tried.allowed;
                    all.ran += tried.ran;
                    all.wrong.extend(tried.wrong);
                }
            });
        }
    });
    if !can_isolate.into_inner() {
        toolc_test_support::skip("no namespace can be made here", "run the tests as root, or allow user namespaces");
        return;
    }
    let Tried { judged, allowed, ran, wrong } = all.into_inner().expect("no thread panics");
    println!("{judged} lines judged, {allowed} allowed, {ran} run, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} of {ran} lines:\n{}", wrong.len(), wrong.join("\n"));
}
