//! What is known about programs that run other programs, as data.

mod shell;
mod usual;

pub(crate) use shell::SHELL;
pub use usual::USUAL;

/// Programs by name.
///
/// A table is static data, so that generated code can contain one.
#[derive(Debug, Clone, Copy)]
pub struct ProgramTable {
    programs: &'static [(&'static str, &'static Program)],
}

/// How a program reads its arguments, and how it runs others.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    /// The name that rules use, if the program has several. Empty: the name in the table.
    pub name: &'static str,
    /// The options whose value is the next argument, with their dashes: `-u`, `--user`.
    ///
    /// A long option is also recognised with `=VALUE` and by an unambiguous beginning, a short one also within a cluster.
    pub value_options: &'static [&'static str],
    /// The ways in which it runs others. Each applies on its own.
    pub runs: &'static [Runs],
    /// The arguments that name files which it writes.
    pub writes: &'static [Writes],
}

/// The arguments of a program that name files which it writes, changes or removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// All operands: `tee FILE`.
    Operands,
    /// The last of several operands: `cp FROM TO`.
    LastOperand,
    /// All operands, if one of these options is given: `sed -i`.
    OperandsWith(&'static [&'static str]),
    /// The values of these options: `curl -o FILE`.
    Values(&'static [&'static str]),
    /// What follows this text in an operand: `dd of=FILE`.
    After(&'static str),
}

/// A way to run other commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// The operands are a command: `sudo COMMAND`, `timeout 5 COMMAND`.
    Rest(Rest),
    /// The value of an option is code for a shell: `sh -c CODE`, `su -c CODE`.
    Code {
        /// The options, with their dashes.
        options: &'static [&'static str],
        /// The shell that reads the code.
        shell: CodeShell,
        /// Whether the code is the first operand, wherever the option is, as `sh -c -e CODE` has it.
        first_operand: bool,
    },
    /// The operands, joined with spaces, are code for a shell: `eval`, `watch`, `ssh HOST`.
    Joined {
        /// The number of operands before the code.
        skip: usize,
        /// The shell that reads the code.
        shell: CodeShell,
        /// No code is run if one of these options is given.
        unless: &'static [&'static str],
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
        starts: &'static [&'static str],
        /// The terminators.
        ends: &'static [&'static str],
        /// The text that is replaced by an unknown one wherever it occurs.
        placeholder: &'static str,
    },
    /// Without operands (or with `-s` or `-`), standard input is code.
    Input {
        /// The shell that reads the code.
        shell: CodeShell,
    },
    /// The first operand is a file with code for a shell: `. FILE`, `sh FILE`.
    File,
}

/// How operands are a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rest {
    /// The number of operands before the command: 1 for `timeout 5 COMMAND`.
    pub skip: usize,
    /// Whether `NAME=VALUE` before the command sets a variable: `env`, `sudo`.
    pub assignments: bool,
    /// Whether arguments are added at run time: `xargs`.
    pub appends: bool,
    /// The options whose value is replaced, wherever it occurs, by an unknown text: `xargs -I {}`.
    pub placeholder: &'static [&'static str],
    /// No command is run if one of these options is given: `command -v`.
    pub unless: &'static [&'static str],
    /// The options whose value is split into words that begin the command: `env -S`.
    pub split: &'static [&'static str],
}

impl Rest {
    /// The operands are the command, without anything special.
    pub const PLAIN: Self =
        Self { skip: 0, assignments: false, appends: false, placeholder: &[], unless: &[], split: &[] };
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
    /// Another shell or language, or one on another machine: its code is not read.
    Foreign,
}

impl ProgramTable {
    /// The empty table. The builtins of shells are known without a table.
    pub const EMPTY: Self = Self { programs: &[] };

    /// Makes a table. Several names can have the same program.
    ///
    /// # Panics
    ///
    /// If the names are not sorted by their bytes. In a `static`, this is an error of compilation.
    pub const fn new(programs: &'static [(&'static str, &'static Program)]) -> Self {
        let mut at = 1;
        while at < programs.len() {
            assert!(is_less(programs[at - 1].0.as_bytes(), programs[at].0.as_bytes()), "the names are not sorted");
            at += 1;
        }
        Self { programs }
    }

    /// Returns the program with this name: `python3.11` and `python.exe` are found as `python`, if they have no entry.
    pub fn get(&self, name: &str) -> Option<&'static Program> {
        let find = |name: &str| {
            let at = self.programs.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
            Some(self.programs[at].1)
        };
        find(name).or_else(|| {
            let stem = without_version(name);
            (stem.len() < name.len()).then(|| find(stem)).flatten()
        })
    }
}

/// Removes `.exe`, and a version such as `3.11` or `-15`.
pub fn without_version(name: &str) -> &str {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let stem = if stem.len() < name.len() { stem.strip_suffix('-').unwrap_or(stem) } else { stem };
    if stem.is_empty() { name } else { stem }
}

/// Returns whether one name is before another: `str::cmp` is not yet possible at compile time.
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
        for (name, stem) in
            [("python3.11", "python"), ("clang-15", "clang"), ("rm.exe", "rm"), ("7", "7"), ("x", "x"), ("ls-", "ls-")]
        {
            assert_eq!(without_version(name), stem);
        }
        assert!(USUAL.get("bash5.2").is_some() && USUAL.get("sudo").is_some() && USUAL.get("ls").is_none());
    }

    #[test]
    #[should_panic(expected = "not sorted")]
    fn a_table_with_unsorted_names_is_refused() {
        static NOTHING: Program = Program { name: "", writes: &[], value_options: &[], runs: &[] };
        static UNSORTED: &[(&str, &Program)] = &[("b", &NOTHING), ("a", &NOTHING)];
        ProgramTable::new(UNSORTED);
    }
}
