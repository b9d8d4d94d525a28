//! Random lines with links, hard links and earlier commands are judged in a scratch file system, and those that are allowed are run: no
//! protected file changes, and none is copied. `cargo xtask soak judge-files` tries many more.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolc_commands::rules::Verdict;
use toolc_commands::{Surroundings, judge};

use super::*;

/// The number of lines that are judged in one world, and the number of those that are run.
const JUDGED: usize = 400;
const RUN: usize = 40;
/// What files with secrets contain.
const SECRET: &str = "SECRET-7f3a91";

/// The files that no line may change, each with whether no line may copy it. `PROJECT` stands for the project.
const PROTECTED: &[(&str, bool)] = &[
    ("x/own/config.toml", false),
    ("x/own/rules/a.toml", false),
    ("x/own/.env", true),
    ("x/own/state.db", true),
    ("x/own/mcp/a.tokens.json", true),
    ("home/me/.ssh/id_rsa", true),
    ("home/me/.config/gh/hosts.yml", true),
    ("home/me/.bashrc", false),
];
const PROJECT: &str = "home/me/src/app";
/// Targets of links in the project. `ROOT` stands for the folder of the world.
const TARGETS: &[&str] = &[
    "ROOT/x/own",
    "ROOT/x/own/.",
    "ROOT/x",
    "ROOT",
    "/",
    "/proc/self/root",
    "..",
    "../..",
    "../../.ssh",
    "ROOT/home/me/.ssh/id_rsa",
    "ROOT/x/own/config.toml",
    "ROOT/x/own/.env",
    "ROOT/home/me",
    "../../.bashrc",
    "src",
    "src/a.txt",
    "missing",
    "l1",
    "l2/..",
    ".",
];
/// Names of links.
const LINKS: &[&str] = &["l1", "l2", "l3", "src/l4", "sub/l5", "l6"];
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

/// Random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap_or_default()
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len())]
    }

    fn path(&mut self) -> String {
        let mut path = self.pick(BASES).to_owned();
        let count = 1 + self.below(4);
        for number in 0..count {
            path += if number > 0 { "/" } else { "" };
            path += self.pick(NAMES);
        }
        if self.below(8) == 0 {
            path.push('/');
        }
        path
    }

    fn line(&mut self, root: &str) -> String {
        let mut line = String::new();
        let count = 1 + self.below(3);
        for number in 0..count {
            line += if number > 0 { self.pick(SEPARATORS) } else { "" };
            for letter in self.pick(COMMANDS).chars() {
                match letter {
                    '@' => line += &self.path(),
                    '%' => line += self.pick(&["new", "n2", "src/new", "sub/n2"]),
                    letter => line.push(letter),
                }
            }
        }
        line.replace("ROOT", root)
    }
}

/// A file system in which lines are judged and run, with a copy of what it is like before each line.
struct World {
    folder: TempDir,
    root: PathBuf,
}

impl World {
    fn new(random: &mut Random) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("it exists").join("w");
        let project = root.join(PROJECT);
        for folder in ["src", "sub", "home"] {
            fs::create_dir_all(project.join(folder)).expect("a folder");
        }
        for (file, is_secret) in PROTECTED {
            let file = root.join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, if *is_secret { SECRET } else { "text" }).expect("a file");
        }
        for file in ["o", "a.txt", "b.txt", "src/a.txt", "sub/b.txt"] {
            fs::write(project.join(file), "text\n").expect("a file");
        }
        for link in LINKS {
            let target = random.pick(TARGETS).replace("ROOT", root.to_str().expect("UTF-8"));
            symlink(target, project.join(link)).expect("a link");
        }
        let hard = root.join(random.pick(&["x/own/config.toml", "home/me/.bashrc", "home/me/src/app/o"]));
        fs::hard_link(hard, project.join("hard")).expect("a hard link");
        Self { folder, root }
    }

    /// Judges a line.
    fn judge(&self, line: &str) -> Verdict {
        let surroundings = Surroundings {
            directory: Some(&self.root.join(PROJECT)),
            home: Some(&self.root.join("home/me")),
            own_folder: Some(&self.root.join("x/own")),
            files: Some(&ThisMachine),
            ..Surroundings::default()
        };
        judge(line, toolc_catalog::commands::rules(), &surroundings).verdict
    }

    /// Runs lines, each in this world as it was. Returns what went wrong, or `None` if they cannot be isolated here.
    fn run(&self, lines: &[String]) -> Option<Vec<String>> {
        let control = self.folder.path().join("control");
        fs::create_dir_all(control.join("lines")).expect("a folder");
        for (number, line) in lines.iter().enumerate() {
            fs::write(control.join(format!("lines/{number}")), line).expect("a file");
        }
        let of_secrets =
            PROTECTED.iter().filter(|(_, is_secret)| *is_secret).fold(String::new(), |mut list, (file, _)| {
                let _ = writeln!(list, "./{file}");
                list
            });
        let all: String = PROTECTED.iter().fold(String::new(), |mut list, (file, _)| {
            let _ = writeln!(list, "{file}");
            list
        });
        fs::write(control.join("secrets"), of_secrets).expect("a file");
        fs::write(control.join("protected"), all).expect("a file");
        fs::write(control.join("run"), DRIVER).expect("a file");
        let path = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "--net", "--fork", "--kill-child", "sh"]);
        command.arg(control.join("run")).args([
            path(&self.root),
            path(&control),
            PROJECT.to_owned(),
            SECRET.to_owned(),
        ]);
        let output = command.env("HOME", self.root.join("home/me")).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let _ = fs::remove_dir_all(control.join("lines"));
        if !text.ends_with("DONE\n") {
            return None;
        }
        let wrong = text.lines().filter(|line| *line != "DONE").map(|line| {
            let (number, what) = line.split_once(' ').unwrap_or_default();
            let number: usize = number.parse().unwrap_or_default();
            format!("{what}: {:?}", lines[number])
        });
        Some(wrong.collect())
    }
}

/// Runs each line in a copy of the world, in a namespace in which nothing else can be written, and prints what went wrong.
const DRIVER: &str = r#"
root=$1 control=$2 project=$3 secret=$4
mount --make-rprivate / || exit 1
mkdir -p "$control/template" "$control/dev" && cp -a "$root/." "$control/template/" || exit 1
for name in null zero urandom; do : > "$control/dev/$name"; mount --bind "/dev/$name" "$control/dev/$name" || exit 1; done
mount -t tmpfs none "$root" || exit 1
for place in $(cut -d' ' -f2 /proc/self/mounts); do
    case $place in "$root" | "$control"/*) ;; *) mount -o remount,bind,ro "$place" 2> /dev/null;; esac
done
mount --rbind "$control/dev" /dev || exit 1
if (: > /tmp/toolc-must-not-exist) 2> /dev/null; then exit 1; fi
cd "$control/template" && protected=$(cat ../protected) && sums=$(sha256sum $protected) && known=$(cat ../secrets) || exit 1
for line in "$control"/lines/*; do
    number=${line##*/}
    cd / && rm -rf "$root"/* && cp -a "$control/template/." "$root/" || exit 1
    shell=sh; [ $((number % 2)) = 0 ] || shell=bash
    printed=$(cd "$root/$project" && timeout -k 1 5 "$shell" "$line" 2>&1 < /dev/null | tr -d '\0')
    case $printed in *"$secret"*) echo "$number printed a secret";; esac
    cd "$root" || exit 1
    [ "$(sha256sum $protected 2> /dev/null)" = "$sums" ] || echo "$number changed a protected file"
    [ "$(grep -rlas "$secret" . | sort)" = "$(echo "$known" | sort)" ] || echo "$number copied a secret"
done
echo DONE
"#;

#[test]
#[expect(clippy::print_stdout, reason = "a soak reports what it has tried")]
fn no_allowed_line_changes_or_copies_a_protected_file() {
    let count = std::env::var("TOOLC_LINES").ok().and_then(|count| count.parse().ok()).unwrap_or(JUDGED);
    let seed = std::env::var("TOOLC_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x2545_f491_4f6c_dd1d);
    let mut random = Random(seed);
    let (mut judged, mut allowed, mut ran, mut wrong) = (0, 0, 0, Vec::new());
    while judged < count {
        let world = World::new(&mut random);
        let root = world.root.to_str().expect("UTF-8").to_owned();
        let mut open = Vec::new();
        for _ in 0..JUDGED.min(count - judged) {
            let line = random.line(&root);
            judged += 1;
            if world.judge(&line) == Verdict::Allow {
                allowed += 1;
                open.push(line);
            }
        }
        open.truncate(RUN);
        ran += open.len();
        let Some(found) = world.run(&open) else {
            toolc_test_support::skip(
                "no namespace can be made here",
                "run the tests as root, or allow user namespaces",
            );
            return;
        };
        wrong.extend(found.into_iter().map(|what| what.replace(&root, "ROOT")));
    }
    println!("{judged} lines judged, {allowed} allowed, {ran} run, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} of {ran} lines:\n{}", wrong.len(), wrong.join("\n"));
}
