//! How programs read their arguments, what they run and what they write, as data.

mod shell;
mod usual;

pub use crate::scripts::ScriptLanguage;
use crate::words::words;
pub(crate) use shell::SHELL;
pub use usual::USUAL;

/// A table of programs by name.
///
/// It borrows its data, so that generated code can contain a table in a `static`.
#[derive(Debug, Clone, Copy)]
pub struct ProgramTable<'t> {
    programs: &'t [(&'t str, &'t Program<'t>)],
    /// For each first byte, the position of the first name that begins with it or with a later one.
    starts: [usize; FIRST_BYTES],
}

/// One more than the number of bytes: the last position is the end.
const FIRST_BYTES: usize = 257;

/// How a program reads its arguments, what it runs and what it writes.
#[derive(Debug, PartialEq, Eq)]
pub struct Program<'t> {
    /// The name that rules use, if the program has several. Empty if that is the name in the table.
    pub name: &'t str,
    /// The options whose value is the next argument, with their dashes: `-u`, `--user`.
    ///
    /// A long option is also recognised with `=VALUE` and by an unambiguous beginning, a short one also within a cluster. If an
    /// option takes a value only in its own word (`-i{}`, `--replace={}`), a `?` follows it: `-i?`. So does it follow an option
    /// without a value that would otherwise be read as one with a value: `--tag?` if there is `--tagstring`, `-nx?` if there is
    /// `-x`.
    pub value_options: &'t [&'t str],
    /// Whether the first operand ends the options, as the script does for an interpreter.
    pub options_first: bool,
    /// The options after which everything is an operand, as after `python -m MODULE`.
    pub last_options: &'t [&'t str],
    /// Whether the first argument can be a cluster of options without a dash, as in `tar czf FILE`.
    pub dashless: bool,
    /// The options whose value is the working directory of the commands that the program runs: `env -C FOLDER COMMAND`.
    pub directory_options: &'t [&'t str],
    /// The subcommands after which an operand and then a command follow that runs elsewhere, such as `run` for `docker`. The words
    /// of that command are not options of the program.
    pub elsewhere: &'t [&'t str],
    /// The ways in which the program runs others. All of them apply.
    pub runs: &'t [Runs<'t>],
    /// The arguments that name files which the program writes.
    pub writes: &'t [Writes<'t>],
    /// The language of the script that the program takes as an argument.
    pub script_language: Option<ScriptLanguage>,
}

impl Program<'_> {
    /// A program without known properties.
    pub const EMPTY: Self = Self {
        name: "",
        value_options: &[],
        options_first: false,
        last_options: &[],
        dashless: false,
        directory_options: &[],
        elsewhere: &[],
        runs: &[],
        writes: &[],
        script_language: None,
    };
}

/// The arguments of a program that name files which it writes, changes or removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes<'t> {
    /// All operands: `tee FILE`.
    Operands,
    /// All operands, unless one of these options is given: `gzip -c`.
    OperandsUnless(&'t [&'t str]),
    /// The last of several operands, unless one of these options is given, as for `rsync`.
    LastOperandUnless(&'t [&'t str]),
    /// The first operand: `sqlite3 FILE`.
    FirstOperand,
    /// The last of several operands: `cp FROM TO`.
    LastOperand,
    /// The last operand after one of these subcommands: `git clone FROM TO`.
    LastOperandOf(&'t [&'t [&'t str]]),
    /// All operands, if one of these options is given: `sed -i`.
    OperandsWith(&'t [&'t str]),
    /// The values of these options: `curl -o FILE`.
    Values(&'t [&'t str]),
    /// The rest of an operand with this prefix: `dd of=FILE`.
    After(&'t str),
    /// Files that are named as the last parts of the operands, which are URLs: `wget URL`.
    UrlNames {
        /// The options with which the program writes such files: `curl -O URL`. If empty, it always does.
        with: &'t [&'t str],
        /// The options whose value is the folder of the files: `wget -P FOLDER`.
        folder: &'t [&'t str],
    },
    /// The files of an archive or a patch: `tar -x`, `unzip`, `git apply`.
    Unpacked {
        /// The options and subcommands with which the program unpacks: `tar -x`, `7z x`. If empty, it always does.
        with: &'t [&'t [&'t str]],
        /// The options with which it only shows what it would unpack: `tar -O`.
        unless: &'t [&'t str],
        /// The options whose value is the folder of the files: `tar -C FOLDER`. By default, it is the working directory.
        folder: &'t [&'t str],
        /// Whether an operand after those of `with` is the folder: `dpkg-deb -x PACKAGE FOLDER`.
        to_operand: bool,
    },
}

/// A way to run other commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs<'t> {
    /// The rest of the operands are a command: `sudo COMMAND`, `timeout 5 COMMAND`.
    Rest(Rest<'t>),
    /// The value of an option is code for a shell: `sh -c CODE`, `su -c CODE`.
    Code {
        /// Operands, one of which must come before the option: `rebase` in `git rebase -x CODE`. If empty, none is needed. Otherwise, the
        /// next argument is the value, whatever the option means after other operands.
        after: &'t [&'t str],
        /// The options, with their dashes.
        options: &'t [&'t str],
        /// The shell that reads the code.
        shell: CodeShell,
        /// Whether the code is the first operand instead of the option's value, as in `sh -c -e CODE`.
        first_operand: bool,
    },
    /// The operands, joined with spaces, are code for a shell: `eval`, `watch`, `ssh HOST`.
    Joined {
        /// Operands, one of which must come before the code: `ssh` in `minikube ssh CODE`. If empty, none is needed.
        after: &'t [&'t str],
        /// The number of operands before the code.
        skip: usize,
        /// The shell that reads the code.
        shell: CodeShell,
        /// Options with which the program runs no code.
        unless: &'t [&'t str],
    },
    /// Only the first operand after `skip` others is code: `trap CODE SIGNAL`.
    Operand {
        /// The number of operands before the code.
        skip: usize,
        /// The shell that reads the code.
        shell: CodeShell,
    },
    /// The arguments between an option and a terminator are a command: `find -exec COMMAND ;`.
    Between {
        /// The options.
        starts: &'t [&'t str],
        /// The terminators.
        ends: &'t [&'t str],
        /// The text that the program replaces, wherever it occurs in the command.
        placeholder: &'t str,
    },
    /// Without operands (or with `-s` or `-`), standard input is code.
    Input {
        /// The shell that reads the code.
        shell: CodeShell,
    },
    /// Without a command among its operands, the program opens a shell, which reads standard input: `ssh HOST`.
    Session(Session<'t>),
    /// The first operand is a file with code: `. FILE`, `python3 FILE`.
    File {
        /// Operands, one of which must come before the file: `run` in `go run FILE`. If empty, none is needed.
        after: &'t [&'t str],
        /// The options whose value is the file, instead of an operand: `make -f FILE`.
        options: &'t [&'t str],
        /// Options with which no operand is a file with code: `python3 -m MODULE`.
        unless: &'t [&'t str],
    },
}

/// When a program opens a shell that reads standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session<'t> {
    /// Operands, one of which must be given: `ssh` in `vagrant ssh`. If empty, none is needed.
    pub after: &'t [&'t str],
    /// The maximum number of operands without a command: 1 for `ssh HOST`.
    pub skip: usize,
    /// Options, one of which must be given: `sudo -s`. If empty, none is needed.
    pub with: &'t [&'t str],
    /// Options with which the program opens no shell: `ssh -N`.
    pub unless: &'t [&'t str],
    /// The shell.
    pub shell: CodeShell,
}

impl Session<'_> {
    /// A program that opens `sh` if it has no operands.
    pub const PLAIN: Self = Self { after: &[], skip: 0, with: &[], unless: &[], shell: CodeShell::Any };
}

/// Where a command begins among the operands, and what happens to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of a manifest")]
pub struct Rest<'t> {
    /// Operands, one of which must come before the command: `exec` in `npm exec COMMAND`. An entry of several words stands for
    /// operands that follow one another: `compose run`. If empty, none is needed.
    pub after: &'t [&'t str],
    /// Options, the value of one of which is the program: `python -m MODULE`. If empty, the program is an operand.
    pub options: &'t [&'t str],
    /// Whether the command runs only if the table has its program: `php artisan`, `yarn prisma`.
    pub known: bool,
    /// Operands that are subcommands of the program itself, and no commands: `yarn install`.
    pub except: &'t [&'t str],
    /// Whether a `--` after the name of the program belongs to the wrapper: `npm exec PROGRAM -- ARGUMENTS`.
    pub separator: bool,
    /// The number of operands before the command: 1 for `timeout 5 COMMAND`.
    pub skip: usize,
    /// Whether `NAME=VALUE` before the command sets a variable: `env`, `sudo`.
    pub assignments: bool,
    /// Whether a name and a colon can come before the command: `hatch run ENVIRONMENT:COMMAND`.
    pub prefixed: bool,
    /// Whether the program adds arguments at run time: `xargs`.
    pub appends: bool,
    /// The options whose value is a placeholder, which the program replaces wherever it occurs: `xargs -I {}`.
    pub placeholder: &'t [&'t str],
    /// Options with which the program runs nothing: `command -v`.
    pub unless: &'t [&'t str],
    /// The options whose value is split into the first words of the command: `env -S`.
    pub split: &'t [&'t str],
}

impl Rest<'_> {
    /// All operands are the command.
    pub const PLAIN: Self = Self {
        after: &[],
        options: &[],
        known: false,
        except: &[],
        separator: false,
        skip: 0,
        assignments: false,
        prefixed: false,
        appends: false,
        placeholder: &[],
        unless: &[],
        split: &[],
    };
}

/// The shell that reads code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeShell {
    /// The shell in which the command itself runs, with its variables, functions and aliases: `eval`.
    Same,
    /// `sh`, which can be any shell of the POSIX family.
    Any,
    /// bash.
    Bash,
    /// dash, or the shell of busybox.
    Posix,
    /// Another shell or language, or a shell on another machine. Its code is not read.
    Foreign,
}

words! {
    CodeShell {
        Same "same" "The shell in which the command itself runs, with its variables, functions and aliases."
        Any "any" "`sh`, which can be any shell of the POSIX family."
        Bash "bash" "bash."
        Posix "posix" "dash, or the shell of busybox."
        Foreign "foreign" "Another shell or language, or a shell on another machine. Its code is not read."
    }
}

impl<'t> ProgramTable<'t> {
    /// The empty table. The builtins of shells are known without a table.
    pub const EMPTY: Self = Self::new(&[]);

    /// Returns a table. Several names can have the same program.
    ///
    /// # Panics
    ///
    /// Panics if the names are not sorted by their bytes, or one occurs twice. In a `static`, this is a compile error.
    pub const fn new(programs: &'t [(&'t str, &'t Program<'t>)]) -> Self {
        match Self::try_new(programs) {
            Some(table) => table,
            None => panic!("the names are not sorted"),
        }
    }

    /// Returns a table, as [`ProgramTable::new`] does, or `None` if the names are not sorted by their bytes, or if one occurs twice.
    pub const fn try_new(programs: &'t [(&'t str, &'t Program<'t>)]) -> Option<Self> {
        let mut starts = [0; FIRST_BYTES];
        let (mut at, mut next) = (0, 0);
        while at < programs.len() {
            let name = programs[at].0.as_bytes();
            if at > 0 && !is_less(programs[at - 1].0.as_bytes(), name) {
                return None;
            }
            let end = if name.is_empty() { 0 } else { name[0] as usize + 1 };
            while next < end {
                starts[next] = at;
                next += 1;
            }
            at += 1;
        }
        while next < FIRST_BYTES {
            starts[next] = at;
            next += 1;
        }
        Some(Self { programs, starts })
    }

    /// Returns the names with their programs, sorted by name.
    pub fn entries(&self) -> &'t [(&'t str, &'t Program<'t>)] {
        self.programs
    }

    /// Returns the program with this name. If `python3.11` or `python.exe` has no entry, that of `python` is returned.
    pub fn get(&self, name: &str) -> Option<&'t Program<'t>> {
        let find = |name: &str| {
            let first = usize::from(*name.as_bytes().first()?);
            let alike = &self.programs[self.starts[first]..self.starts[first + 1]];
            let at = alike.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
            Some(alike[at].1)
        };
        find(name).or_else(|| {
            let stem = without_version(name);
            (stem.len() < name.len()).then(|| find(stem)).flatten()
        })
    }
}

/// Removes `.exe`, and a version such as `3.11` or `-15`. Digits alone belong to the name: `sh2` is not a shell.
pub fn without_version(name: &str) -> &str {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let version = &name[stem.len()..];
    match stem.strip_suffix('-') {
        Some(stem) if !stem.is_empty() && !version.is_empty() => stem,
        _ if !stem.is_empty() && version.contains('.') => stem,
        _ => name,
    }
}

/// Returns the name of the program that a word names: without its folder, and without what package runners write around it, such as
/// the version in `prisma@5.1.0` and `alembic==1.2`, `npm:` before it, and the flake in `nixpkgs#prisma`.
pub(crate) fn program_name(word: &str) -> &str {
    let is_path = word.starts_with(['/', '.', '~']);
    // `NAME@https://...` and `NAME @ git+https://...` name the source, with slashes.
    let word = if is_path || !word.contains("://") { word } else { before_source(word) };
    let name = word.rsplit('/').next().unwrap_or_default();
    if let Some((_, package)) = word.rsplit_once("node_modules/")
        && [".js", ".cjs", ".mjs"].iter().any(|extension| name.ends_with(extension))
    {
        // `node_modules/PACKAGE/cli.js`
        return scoped_name(package).unwrap_or_else(|| package.split('/').next().unwrap_or_default());
    }
    if !name.contains(['@', '=', '[', '#', '<', '>', '~', '!', ':']) {
        return name;
    }
    let name = match name.rsplit_once('#') {
        Some((_, attribute)) if attribute.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            let last = attribute.rsplit('.').next().unwrap_or_default();
            if last.starts_with(|first: char| first.is_ascii_alphabetic()) { last } else { attribute }
        }
        _ => name,
    };
    let name = REGISTRIES.iter().find_map(|registry| name.strip_prefix(registry)).unwrap_or(name);
    let marks = ["@", "==", "[", "<", ">", "~=", "!="];
    let end = marks.iter().filter_map(|mark| name.find(mark).filter(|at| *at > 0)).min();
    end.map_or(name, |end| name[..end].trim_end())
}

/// The names of registries that package runners allow before the name of a package.
const REGISTRIES: &[&str] = &["npm:", "jsr:", "pypi:", "cargo:", "gem:", "pipx:", "ubi:", "aqua:"];

/// Returns the name before the address of its source, such as `rimraf` for `rimraf@https://...`.
fn before_source(word: &str) -> &str {
    let end =
        word.char_indices().skip(1).find(|(_, letter)| matches!(letter, '@' | ' ')).map_or(word.len(), |(at, _)| at);
    &word[..end]
}

/// Returns the whole name of a package with a scope, such as `@angular/cli` for `@angular/cli@19`.
pub(crate) fn scoped_name(word: &str) -> Option<&str> {
    let word = REGISTRIES.iter().find_map(|registry| word.strip_prefix(registry)).unwrap_or(word);
    let (scope, _) = word.strip_prefix('@')?.split_once('/')?;
    let start = scope.len() + 2;
    let end = word[start..].find(['@', '/']).map_or(word.len(), |at| start + at);
    Some(&word[..end])
}

/// Returns whether one name sorts before another. `str::cmp` cannot be called in a `const fn`.
const fn is_less(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() {
        if one[at] != other[at] {
            return one[at] < other[at];
        }
        at += 1;
    }
    one.len() < other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_extensions_are_not_part_of_a_name() {
        for (name, stem) in [
            ("python3.11", "python"),
            ("clang-15", "clang"),
            ("rm.exe", "rm"),
            ("sh2", "sh2"),
            ("7", "7"),
            ("ls-", "ls-"),
        ] {
            assert_eq!(without_version(name), stem);
        }
        assert!(
            SHELL.get("bash5.2").is_some()
                && SHELL.get("sh2").is_none()
                && USUAL.get("sudo").is_some()
                && USUAL.get("ls").is_none()
        );
    }

    #[test]
    fn what_package_runners_write_around_a_name_is_not_part_of_it() {
        for (word, name) in [
            ("prisma", "prisma"),
            ("prisma@latest", "prisma"),
            ("prisma@5.1.0", "prisma"),
            ("./node_modules/.bin/prisma", "prisma"),
            ("@angular/cli@19", "cli"),
            ("@latest", "@latest"),
            ("alembic==1.2", "alembic"),
            ("alembic[tz]>=1.2,<2", "alembic"),
            ("alembic~=1.2", "alembic"),
            ("alembic @ git+https://example.org/alembic", "alembic"),
            ("rimraf@https://example.org/x.tgz", "rimraf"),
            ("npm:prisma@5", "prisma"),
            ("npm:@scope/tool@1", "tool"),
            ("nixpkgs#prisma", "prisma"),
            ("nixpkgs#python3Packages.alembic", "alembic"),
            ("github:owner/repo#tool", "tool"),
            ("/opt/a@1/bin/rm", "rm"),
            ("./a@http://x/rm", "rm"),
            ("node_modules/typeorm/cli.js", "typeorm"),
            ("node_modules/@mikro-orm/cli/esm.js", "@mikro-orm/cli"),
            ("node_modules/x/rm", "rm"),
            ("[", "["),
            ("[[", "[["),
            ("", ""),
        ] {
            assert_eq!(program_name(word), name, "{word}");
        }
        for (word, name) in [
            ("@angular/cli@19", Some("@angular/cli")),
            ("npm:@mikro-orm/cli", Some("@mikro-orm/cli")),
            ("cli", None),
            ("@latest", None),
        ] {
            assert_eq!(scoped_name(word), name, "{word}");
        }
    }

    #[test]
    #[should_panic(expected = "not sorted")]
    fn a_table_with_unsorted_names_is_refused() {
        ProgramTable::new(&[("b", &Program::EMPTY), ("a", &Program::EMPTY)]);
    }

    #[test]
    fn a_table_of_run_time_data_is_checked() {
        let names: Vec<String> = ["a", "b"].map(str::to_owned).into();
        let program = Program { name: &names[0], ..Program::EMPTY };
        let entries: Vec<(&str, &Program<'_>)> = names.iter().map(|name| (name.as_str(), &program)).collect();
        let table = ProgramTable::try_new(&entries).expect("the names are sorted");
        assert_eq!(table.get("b"), Some(&program));
        for wrong in [["b", "a"], ["a", "a"]] {
            assert!(ProgramTable::try_new(&wrong.map(|name| (name, &program))).is_none(), "{wrong:?}");
        }
    }
}
