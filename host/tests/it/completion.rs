//! The completions of the command line, in the shells that are installed.

use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use toolc_test_support::{LIMIT, programs::has};

/// Writes the completions of a shell into a folder, and returns the path.
fn script(folder: &Path, shell: &str, name: &str) -> String {
    let printed = Command::new(env!("CARGO_BIN_EXE_toolc"))
        .args(["completion", shell])
        .env("TOOLC_HOME", folder.join("home"))
        .output()
        .expect("failed to start toolc");
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    let path = folder.join(name);
    std::fs::write(&path, printed.stdout).expect("failed to write");
    path.display().to_string()
}

/// Runs a program without the settings of the user.
fn run(program: &str, args: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(program);
    command.args(args).env("HOME", folder).env("XDG_CONFIG_HOME", folder).env("XDG_DATA_HOME", folder);
    command.env("ZDOTDIR", folder).env("TERM", "dumb").current_dir(folder).output().expect("failed to start a shell")
}

#[track_caller]
fn lines(output: &Output) -> Vec<String> {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && err.is_empty(), "{out}\n{err}");
    out.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

/// Command lines, each with a word that can follow and one that cannot.
const CASES: [(&str, &str, &str); 5] = [
    ("toolc comp", "completion", "config"),
    ("toolc config ", "get", "agent"),
    ("toolc agent --mod", "--model", "--json"),
    ("toolc permissions ", "list", "chat"),
    ("toolc completion z", "zsh", "bash"),
];

#[track_caller]
fn check(case: (&str, &str, &str), offered: &[String]) {
    let (line, word, other) = case;
    assert!(offered.iter().any(|offered| offered.trim() == word), "{line}: {word} is not offered: {offered:?}");
    assert!(!offered.iter().any(|offered| offered.trim() == other), "{line}: {other} is offered: {offered:?}");
}

#[test]
fn bash_completes_subcommands_options_and_values() {
    if !has("bash") {
        return;
    }
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let script = script(folder.path(), "bash", "toolc.bash");
    assert_eq!(lines(&run("bash", &["-n", &script], folder.path())), [""; 0]);
    for case in CASES {
        let ask = "source \"$1\"; COMP_WORDS=($2); [[ $2 == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); \
                   COMP_LINE=$2; COMP_POINT=${#2}; \
                   _toolc toolc \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
        let offered = run("bash", &["--norc", "-c", ask, "bash", &script, case.0], folder.path());
        check(case, &lines(&offered));
    }
}

#[test]
fn fish_completes_subcommands_options_and_values() {
    if !has("fish") {
        return;
    }
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let script = script(folder.path(), "fish", "toolc.fish");
    assert_eq!(lines(&run("fish", &["--no-execute", &script], folder.path())), [""; 0]);
    for case in CASES {
        let offered = run(
            "fish",
            &["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", &script, case.0],
            folder.path(),
        );
        check(case, &lines(&offered));
    }
}

#[test]
fn zsh_completes_subcommands_options_and_values() {
    if !has("zsh") || !has("tmux") {
        return;
    }
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let script = script(folder.path(), "zsh", "_toolc");
    assert_eq!(lines(&run("zsh", &["-n", &script], folder.path())), [""; 0]);
    // zsh completes only what is typed into a terminal.
    let shell = Zsh::start(folder.path());
    shell.press(&["-l", "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -d $PWD/dump; PS1='%% '; clear"]);
    shell.press(&["Enter"]);
    shell.wait_for("\n%\n");
    for (line, word, _) in CASES {
        // A list of words shows all of them; a word that is begun is completed.
        shell.press(&["-l", line]);
        shell.press(&["Tab"]);
        let end = if line.ends_with(' ') { format!("\n{word} ") } else { word.to_owned() };
        shell.wait_for(&end);
        shell.press(&["C-u"]);
        shell.press(&["C-l"]);
        shell.wait_until_gone(&end);
    }
}

/// A server of tmux with zsh in its only window.
struct Zsh<'f>(&'f Path);

impl<'f> Zsh<'f> {
    fn start(folder: &'f Path) -> Self {
        let zsh = Self(folder);
        let started = zsh.run(&["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "zsh -f"]);
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        zsh
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.0.join("tmux")).args(args).env_remove("TMUX").env("LC_ALL", "C.UTF-8");
        command.current_dir(self.0).output().expect("failed to start tmux")
    }

    fn press(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        self.wait_until(|screen| screen.contains(text), text);
    }

    #[track_caller]
    fn wait_until_gone(&self, text: &str) {
        self.wait_until(|screen| !screen.contains(text), text);
    }

    #[track_caller]
    fn wait_until(&self, is_so: impl Fn(&str) -> bool, text: &str) {
        let started = Instant::now();
        loop {
            let screen = format!("\n{}", String::from_utf8_lossy(&self.run(&["capture-pane", "-p"]).stdout));
            if is_so(&screen) {
                return;
            }
            assert!(started.elapsed() < LIMIT, "{text:?}:{screen}");
            thread::sleep(Duration::from_millis(30));
        }
    }
}

impl Drop for Zsh<'_> {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}
