//! Whether a program runs what is typed, and as what.

use toolc::commands::{Program, Reading, Surroundings, Word, read};

/// What a program makes of its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// It only reads it.
    Data,
    /// It runs it as commands of a shell, or it is not known what it does.
    Shell,
    /// It runs it as code of another language.
    Other,
    /// It reads it, but runs what follows a `!` as a command: editors, pagers.
    ShellAfterMark,
}

/// Shells.
const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh", "rbash", "sh", "tcsh",
    "xonsh", "yash", "zsh",
];

/// Programs that start a shell, here or elsewhere, unless their arguments name another program.
const STARTERS: &[&str] = &[
    "chroot",
    "distrobox",
    "doas",
    "docker",
    "expect",
    "kubectl",
    "lxc",
    "lxc-attach",
    "machinectl",
    "mosh",
    "newgrp",
    "nix-shell",
    "nsenter",
    "oc",
    "podman",
    "rsh",
    "runuser",
    "screen",
    "script",
    "sg",
    "ssh",
    "su",
    "sudo",
    "telnet",
    "tmux",
    "toolbox",
    "unshare",
    "vagrant",
];

/// Interpreters of other languages. A version can follow the name.
const INTERPRETERS: &[&str] = &[
    "R", "Rscript", "bpython", "bun", "clisp", "clojure", "coffee", "deno", "elixir", "erl", "gawk", "ghci", "gore",
    "groovysh", "guile", "iex", "ipython", "irb", "janet", "jshell", "julia", "kotlin", "lua", "luajit", "node",
    "nodejs", "ocaml", "octave", "perl", "php", "pry", "ptpython", "pypy", "python", "racket", "ruby", "sbcl", "scala",
    "scheme", "swift", "swipl", "tclsh", "ts-node", "utop", "wish",
];

/// Databases and debuggers, whose arguments name what they work on.
const CONSOLES: &[&str] = &[
    "beeline",
    "cqlsh",
    "duckdb",
    "gdb",
    "lldb",
    "mariadb",
    "mongo",
    "mongosh",
    "mysql",
    "pdb",
    "psql",
    "redis-cli",
    "sqlcmd",
    "sqlite",
    "sqlite3",
    "sqlplus",
];

/// Editors, pagers and the like, in which `!` begins a command.
const WITH_MARK: &[&str] = &[
    "bc", "dc", "ed", "ex", "ftp", "gvim", "info", "less", "lftp", "mail", "mailx", "man", "more", "most", "mutt",
    "nvim", "red", "sftp", "vi", "view", "vim", "vimdiff", "w3m",
];

/// Options of interpreters that neither take a value nor end the search for the script.
const FLAGS: &[&str] = &["-u", "-B", "-E", "-I", "-O", "-OO", "-S", "-w", "-x", "--no-warnings"];

impl Language {
    /// Returns what the program of a command line makes of its input. If the line runs several, it is that which can do most.
    pub(crate) fn of(line: &str) -> Self {
        let reading = read(line, toolc_catalog::commands::rules().programs(), &Surroundings::default());
        if !reading.doubts.is_empty() {
            return Self::Shell;
        }
        let all: Vec<Self> = reading.ids().map(|id| Self::of_command(&reading, id)).collect();
        [Self::Shell, Self::Other, Self::ShellAfterMark].into_iter().find(|one| all.contains(one)).unwrap_or(Self::Data)
    }

    fn of_command(reading: &Reading, id: toolc::commands::CommandId) -> Self {
        let command = reading.command(id);
        let name = match &command.program {
            Program::None => return Self::Data,
            Program::Unknown => return Self::Shell,
            Program::Known { name, .. } => name.strip_suffix(".exe").unwrap_or(name),
        };
        // Such as `python3.12`.
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_one_of = |names: &[&str]| names.contains(&name) || names.contains(&stem);
        // The programs that it runs are looked at on their own.
        let runs_another = reading.commands.iter().any(|inner| inner.via.is_some_and(|via| via.command == id));
        match () {
            () if name == "script" && !names_a_command(command.arguments()) => Self::Shell,
            () if runs_another && (is_one_of(STARTERS) || is_one_of(SHELLS)) => Self::Data,
            () if is_one_of(STARTERS) => Self::Shell,
            () if is_one_of(SHELLS) && !runs_script(command.arguments()) => Self::Shell,
            () if is_one_of(INTERPRETERS) && !runs_script(command.arguments()) => Self::Other,
            () if is_one_of(CONSOLES) => Self::Other,
            () if is_one_of(WITH_MARK) => Self::ShellAfterMark,
            () => Self::Data,
        }
    }
}

/// Returns whether the arguments of `script` name a command, after its file or as the value of an option.
fn names_a_command(arguments: &[Word]) -> bool {
    let starts_with = |word: &Word, start: &str| word.certain_start().starts_with(start);
    let operands = arguments.iter().filter(|word| !starts_with(word, "-"));
    arguments.iter().any(|word| starts_with(word, "-c") || starts_with(word, "--c")) || operands.count() > 1
}

/// Returns whether the arguments of an interpreter name a script, which then reads the input.
fn runs_script(arguments: &[Word]) -> bool {
    let mut words = arguments.iter().map(Word::literal);
    let Some(Some(first)) = words.find(|word| !word.as_deref().is_some_and(|word| FLAGS.contains(&word))) else {
        return false;
    };
    let is_file = first.contains('/')
        || first.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && SCRIPTS.contains(&end));
    !first.starts_with('-') && is_file && !arguments.iter().any(|word| word.literal().as_deref() == Some("-i"))
}

/// Endings of scripts.
const SCRIPTS: &[&str] =
    &["bash", "cjs", "js", "lua", "mjs", "mts", "php", "pl", "py", "r", "rb", "sh", "tcl", "ts", "zsh"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_follows_from_the_programs_of_the_line() {
        for line in [
            "sh",
            "bash -i",
            "exec bash --norc",
            "cd x && /bin/dash",
            "env A=b zsh",
            "sudo -s",
            "sudo bash",
            "ssh host",
            "docker exec -it box sh",
            "su - me",
            "script -q /dev/null",
            "tmux",
            "$SHELL",
            "\"$(which python3)\"",
            "timeout 9 sh",
            "cat x | sh",
            "busybox sh",
            "bash -s",
            "sh -i script.sh",
            "eval \"$x\"",
            "bash -c 'read x; eval \"$x\"'",
            "ssh example.py",
            "(bash)",
            "stdbuf -o0 bash",
        ] {
            assert_eq!(Language::of(line), Language::Shell, "{line}");
        }
        for line in [
            "python3",
            "python3.12 -q",
            "node",
            "irb",
            "psql db",
            "sqlite3 db/a.db",
            "python3 -i app.py",
            "python -m pdb x.py",
            "gdb ./x",
            "ipython",
        ] {
            assert_eq!(Language::of(line), Language::Other, "{line}");
        }
        for line in ["vim f", "less f", "man ls", "git log | less"] {
            assert_eq!(Language::of(line), Language::ShellAfterMark, "{line}");
        }
        for line in [
            "cat",
            "npm init",
            "python3 app.py",
            "python3 -u srv/app.py --port 1",
            "bash ./run.sh",
            "ssh-keygen",
            "make menuconfig",
            "./wizard",
            "X=1",
            "sudo python3 app.py",
            "sh -c cat",
        ] {
            assert_eq!(Language::of(line), Language::Data, "{line}");
        }
    }
}
