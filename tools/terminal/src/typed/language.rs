//! Determines whether a program runs its input, and as which language.

use std::collections::BTreeSet;

use toolc::commands::{CommandId, Program, Reading, Surroundings, Word, read};

use Language::{Keys, Other, Shell, ShellAfterMark};

/// How a program may run its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    /// The program runs its input as shell commands, or is unknown.
    Shell,
    /// The program runs its input as code of another language, or as arguments of a command.
    Other,
    /// The program acts on each key, like an editor.
    Keys,
    /// The program reads its input, but runs the text after a mark such as `!` as a command, like a pager.
    ShellAfterMark,
}

/// The languages as which the programs of a command line may run their input. Empty if they only read it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Languages(BTreeSet<Language>);

/// Shells.
const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh", "rbash", "sh", "tcsh",
    "xonsh", "yash", "zsh",
];

/// Programs that start a shell, on this machine or another one, unless their arguments name another program.
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

/// Databases and debuggers. Their arguments name files or databases, not scripts.
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

/// Editors, and programs that start one.
const EDITORS: &[&str] = &[
    "crontab",
    "ed",
    "emacs",
    "emacsclient",
    "ex",
    "gvim",
    "hx",
    "joe",
    "kak",
    "lynx",
    "mc",
    "mcedit",
    "micro",
    "mutt",
    "nano",
    "nvim",
    "pico",
    "ranger",
    "red",
    "rview",
    "rvim",
    "select-editor",
    "sudoedit",
    "vi",
    "view",
    "vigr",
    "vim",
    "vimdiff",
    "vipw",
    "visudo",
    "w3m",
];

/// Programs that show something until a key is pressed.
const MONITORS: &[&str] = &["atop", "btop", "glances", "htop", "iftop", "iotop", "nethogs", "tig", "top", "watch"];

/// Subcommands of git that can start an editor.
const EDITING: &[&str] = &[
    "add",
    "am",
    "branch",
    "cherry-pick",
    "commit",
    "config",
    "merge",
    "notes",
    "pull",
    "rebase",
    "replace",
    "revert",
    "send-email",
    "tag",
];

/// Pagers and similar programs, in which `!` begins a command.
const WITH_MARK: &[&str] = &["bc", "dc", "ftp", "info", "less", "lftp", "mail", "mailx", "man", "more", "most", "sftp"];

/// Programs that only read their input, regardless of their arguments. Any other program may be a shell.
const READERS: &[&str] = &[
    ":",
    "[",
    "apt",
    "apt-get",
    "base32",
    "base64",
    "basename",
    "brew",
    "bzip2",
    "cal",
    "cargo",
    "cat",
    "cd",
    "chmod",
    "chown",
    "clang",
    "cmake",
    "cmp",
    "column",
    "comm",
    "cp",
    "curl",
    "cut",
    "date",
    "dd",
    "df",
    "diff",
    "dig",
    "dirname",
    "du",
    "echo",
    "egrep",
    "exit",
    "expand",
    "export",
    "false",
    "fgrep",
    "file",
    "find",
    "fmt",
    "fold",
    "free",
    "gcc",
    "gh",
    "git",
    "go",
    "gpg",
    "gradle",
    "grep",
    "gunzip",
    "gzip",
    "head",
    "hexdump",
    "host",
    "hostname",
    "id",
    "iconv",
    "install",
    "java",
    "join",
    "jq",
    "kill",
    "ln",
    "local",
    "ls",
    "make",
    "md5sum",
    "mkdir",
    "mkfifo",
    "mktemp",
    "mv",
    "mvn",
    "ninja",
    "nl",
    "npm",
    "nproc",
    "od",
    "openssl",
    "passwd",
    "paste",
    "patch",
    "pgrep",
    "ping",
    "pip",
    "pip3",
    "pkill",
    "pnpm",
    "poetry",
    "printenv",
    "printf",
    "ps",
    "pwd",
    "pytest",
    "read",
    "readlink",
    "realpath",
    "return",
    "rev",
    "rg",
    "rm",
    "rmdir",
    "rsync",
    "rustc",
    "scp",
    "sed",
    "seq",
    "set",
    "sha1sum",
    "sha256sum",
    "shift",
    "shuf",
    "sleep",
    "sort",
    "split",
    "ssh-add",
    "ssh-keygen",
    "stat",
    "stty",
    "tac",
    "tail",
    "tar",
    "tee",
    "test",
    "top",
    "touch",
    "tr",
    "trap",
    "tree",
    "true",
    "truncate",
    "tsc",
    "type",
    "ulimit",
    "umask",
    "uname",
    "uniq",
    "unset",
    "unzip",
    "uptime",
    "uv",
    "wait",
    "wc",
    "wget",
    "which",
    "whoami",
    "xxd",
    "xz",
    "yarn",
    "yes",
    "yq",
    "zcat",
    "zip",
    "zstd",
];

/// Built-in commands of shells, among the readers and the commands that run other commands. They have no program file.
const BUILTINS: &[&str] = &[
    ":", "[", "builtin", "cd", "command", "coproc", "echo", "eval", "exec", "exit", "export", "false", "kill", "local",
    "printf", "pwd", "read", "return", "set", "shift", "test", "time", "trap", "true", "type", "ulimit", "umask",
    "unset", "wait",
];

/// Programs that run another program with other files, so that its name cannot be trusted.
const ELSEWHERE: &[&str] = &[
    "chroot",
    "distrobox",
    "docker",
    "kubectl",
    "lxc",
    "lxc-attach",
    "machinectl",
    "mosh",
    "nix-shell",
    "nsenter",
    "oc",
    "podman",
    "rsh",
    "ssh",
    "toolbox",
    "unshare",
    "vagrant",
];

/// Variables that switch off the secure mode of pagers, in which they run no commands.
const SECURE_MODE: &[&str] = &["LESSSECURE", "SYSTEMD_PAGERSECURE"];

/// Options of interpreters that neither take a value nor end the search for the script.
const FLAGS: &[&str] = &["-u", "-B", "-E", "-I", "-O", "-OO", "-S", "-w", "-x", "--no-warnings"];

impl Languages {
    /// Returns how the programs of a command line may run its input. `belongs_to_system` returns whether a word of the line names a program
    /// of the system.
    pub(crate) fn from_line(line: &str, belongs_to_system: &dyn Fn(&str) -> bool) -> Self {
        let reading = reading(line);
        let mut all = languages_of_commands(&reading, belongs_to_system);
        // A line can change where programs are found.
        let changes_meaning = line.contains("PATH") || SECURE_MODE.iter().any(|variable| line.contains(variable));
        if !reading.doubts.is_empty() || changes_meaning {
            all.extend([Shell, ShellAfterMark]);
        }
        Self(all)
    }

    /// Returns whether a command line runs an editor, or a program that shows something until a key is pressed.
    pub(crate) fn needs_keys(line: &str) -> bool {
        let reading = reading(line);
        reading.commands.iter().any(|command| match &command.program {
            Program::Known { name, .. } => [EDITORS, MONITORS].iter().any(|names| names.contains(&&**name)),
            Program::None | Program::Unknown => false,
        })
    }

    /// Adds the languages of the programs that a line starts. The line was typed into a shell.
    pub(crate) fn add_languages_of_programs_in(&mut self, line: &str) {
        if self.has(Shell) {
            // The input of all programs is already judged as shell commands.
            let started = languages_of_commands(&reading(line), &|_| true);
            self.0.extend(started.into_iter().filter(|language| matches!(language, Other | Keys)));
        }
    }

    pub(crate) fn has(&self, language: Language) -> bool {
        self.0.contains(&language)
    }

    /// Returns whether the programs only read the input.
    pub(crate) fn is_data(&self) -> bool {
        self.0.is_empty()
    }
}

fn reading(line: &str) -> Reading {
    read(line, toolc_catalog::commands::rules().programs(), &Surroundings::default())
}

fn languages_of_commands(reading: &Reading, belongs_to_system: &dyn Fn(&str) -> bool) -> BTreeSet<Language> {
    reading.ids().flat_map(|id| languages_of_command(reading, id, belongs_to_system)).copied().collect()
}

const UNKNOWN: &[Language] = &[Shell, ShellAfterMark];

fn languages_of_command(
    reading: &Reading,
    id: CommandId,
    belongs_to_system: &dyn Fn(&str) -> bool,
) -> &'static [Language] {
    let command = reading.command(id);
    let name = match &command.program {
        Program::None => return &[],
        Program::Unknown => return UNKNOWN,
        Program::Known { name, .. } => name.strip_suffix(".exe").unwrap_or(name),
    };
    let languages = languages_of_program(reading, id, name);
    // The name matters only if it exempts the input from judgement.
    let is_trusted = matches!(languages, [] | [ShellAfterMark]);
    let word = command.words[0].literal();
    let is_known = || word.is_some_and(|word| BUILTINS.contains(&&*word) || belongs_to_system(&word));
    if is_trusted && !is_known() { UNKNOWN } else { languages }
}

/// Returns how a program with this name runs its input.
fn languages_of_program(reading: &Reading, id: CommandId, name: &str) -> &'static [Language] {
    let command = reading.command(id);
    // A version can follow the name, as in `python3.12`.
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_one_of = |names: &[&str]| names.contains(&name) || names.contains(&stem);
    // The programs that the command runs are checked separately.
    let runs_another = reading.commands.iter().any(|inner| inner.via.is_some_and(|via| via.command == id));
    let arguments = command.arguments();
    match () {
        // The input names what the command works on, as for `xargs`.
        () if command.appended => &[Other],
        () if name == "script" && !names_a_command(arguments) => &[Shell],
        () if is_one_of(SHELLS) && !runs_another && !runs_script(arguments) => &[Shell],
        () if is_one_of(STARTERS) && !runs_another => &[Shell],
        () if is_one_of(ELSEWHERE) => &[Shell],
        () if is_one_of(INTERPRETERS) && !runs_script(arguments) => &[Other],
        () if is_one_of(CONSOLES) => &[Other],
        () if is_one_of(EDITORS) || name == "git" && edits(arguments) => &[Keys],
        () if is_one_of(WITH_MARK) => &[ShellAfterMark],
        () if runs_another || is_one_of(SHELLS) || is_one_of(INTERPRETERS) || is_one_of(READERS) => &[],
        () => UNKNOWN,
    }
}

/// Returns whether git may start an editor.
fn edits(arguments: &[Word]) -> bool {
    let is_editing = |word: &Word| word.literal().is_none_or(|word| EDITING.contains(&&*word));
    arguments.iter().any(is_editing)
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

/// File extensions of scripts.
const SCRIPTS: &[&str] =
    &["bash", "cjs", "js", "lua", "mjs", "mts", "php", "pl", "py", "r", "rb", "sh", "tcl", "ts", "zsh"];

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the languages of a line if all programs outside of `/tmp` belong to the system.
    fn languages(line: &str) -> Languages {
        Languages::from_line(line, &|word| {
            !word.contains('/') || word.starts_with("/usr/bin/") || word.starts_with("/bin/")
        })
    }

    #[track_caller]
    fn check(lines: &[&str], expected: &[Language]) {
        for line in lines {
            assert_eq!(languages(line).0.into_iter().collect::<Vec<_>>(), expected, "{line}");
        }
    }

    #[test]
    fn a_line_that_runs_an_editor_or_a_monitor_needs_keys() {
        for line in ["vi x", "sh -c 'vi y'", "cd a && nano b", "watch date", "sudo -n vim /etc/hosts", "htop"] {
            assert!(Languages::needs_keys(line), "{line}");
        }
        for line in ["git pull", "echo vi", "cat nano", "sleep 5", "$EDITOR x", "man ls"] {
            assert!(!Languages::needs_keys(line), "{line}");
        }
    }

    #[test]
    fn the_language_follows_from_the_programs_of_the_line() {
        check(
            &[
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
                "tmux",
                "timeout 9 sh",
                "busybox sh",
                "bash -s",
                "sh -i script.sh",
                "ssh example.py",
                "ssh host cat",
                "chroot . cat",
                "(bash)",
                "stdbuf -o0 bash",
            ],
            &[Shell],
        );
        check(
            &[
                "python3",
                "python3.12 -q",
                "node",
                "irb",
                "psql db",
                "sqlite3 db/a.db",
                "python3 -i app.py",
                "python -m pdb x.py",
                "gdb",
                "ipython",
                "xargs rm",
                "xargs -n 1 cat",
            ],
            &[Other],
        );
        check(&["vim f", "nano", "sudo vi f", "git commit", "git -C x rebase -i main", "git $x"], &[Keys]);
        check(&["less f", "man ls", "git log | less"], &[ShellAfterMark]);
        check(
            &[
                "cat",
                "/usr/bin/cat",
                "npm init",
                "python3 app.py",
                "python3 -u srv/app.py --port 1",
                "bash ./run.sh",
                "ssh-keygen",
                "make menuconfig",
                "X=1",
                "sudo python3 app.py",
                "sh -c cat",
                "git log",
                "while read x; do echo \"$x\"; done",
            ],
            &[],
        );
    }

    #[test]
    fn an_unknown_program_may_be_a_shell() {
        for line in [
            "./wizard",
            "cat x | sh",
            "script -q /dev/null",
            "./cat",
            "some-tool",
            "cp /bin/sh x; ./x",
            "$SHELL",
            "\"$(which python3)\"",
            "eval \"$x\"",
            "bash -c 'read x; eval \"$x\"'",
            "LESSSECURE=0 git log",
            "unset LESSSECURE; git log",
            "cat() { sh; }; cat",
            "/tmp/cat",
            "/tmp/less f",
            "/tmp/timeout 9 cat",
            "timeout 9 /tmp/cat",
            "/tmp/python3 app.py",
            "cp /bin/sh /tmp/cat; /tmp/cat",
            "x=/tmp/cat; $x",
            "PATH=/tmp cat",
            "export PATH=/tmp:$PATH; cat",
            ". ./env; cat",
            "hash -p /tmp/cat cat; cat",
        ] {
            assert!(languages(line).has(Shell) && languages(line).has(ShellAfterMark), "{line}");
        }
    }

    #[test]
    fn the_name_of_a_program_outside_of_the_system_is_not_trusted() {
        for line in ["cat", "npm init", "timeout 9 cat", "less f", "bash ./run.sh", "python3 app.py", "git log | less"]
        {
            let languages = Languages::from_line(line, &|_| false);
            assert!(languages.has(Shell) && languages.has(ShellAfterMark), "{line}");
        }
        let languages = Languages::from_line("cd x; read y; echo \"$y\"", &|_| false);
        assert!(languages.is_data(), "these commands are built into the shell");
        for line in ["python3", "vim f"] {
            assert!(!Languages::from_line(line, &|_| false).has(Shell), "{line}: each line needs a person anyway");
        }
    }

    #[test]
    fn a_line_of_several_programs_has_the_languages_of_all() {
        check(&["sh; python3"], &[Shell, Other]);
        check(&["vim f || cat"], &[Keys]);
        check(&["less f; vim f"], &[Keys, ShellAfterMark]);
    }

    #[test]
    fn a_line_typed_into_a_shell_adds_the_languages_of_its_programs() {
        let mut typed = languages("sh");
        typed.add_languages_of_programs_in("ls; cat x | ./wizard; python3 app.py");
        assert_eq!(typed, languages("sh"));
        typed.add_languages_of_programs_in("python3");
        assert!(typed.has(Other) && !typed.has(Keys));
        typed.add_languages_of_programs_in("vim x");
        assert!(typed.has(Keys));
        let mut reader = languages("cat");
        reader.add_languages_of_programs_in("python3");
        assert!(reader.is_data());
    }
}
