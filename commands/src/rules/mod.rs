//! Rules: conditions on a command, and the verdict if they are met.

mod access;
mod index;
mod marks;
mod needs;
pub(crate) mod pattern;
mod set;

use crate::words::words;
pub use access::{Access, Rights};
pub(crate) use marks::{Marks, Signature};
pub(crate) use needs::Needs;
pub(crate) use pattern::is_plain_name;
pub use pattern::{PatternFault, matches as matches_pattern, pattern_fault};
pub use set::RuleSet;
pub(crate) use set::{ABOVE_OWN, ORDINARY_NAME, PatternGroup, PlaceNames, PlacePattern, Root};

/// The verdict about a command, from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The command runs.
    Allow,
    /// A person decides.
    Ask,
    /// The command never runs. A person cannot approve it.
    Deny,
}

/// A rule. It matches a command if each of its conditions is met. A condition without entries is always met. One with entries
/// is met if one of its entries is, by one part of the command; in an exception, every part of that kind has to meet one.
///
/// `docs/manifests.md` describes the patterns and the places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule<'t> {
    /// The name. Unique in a rule set.
    pub name: &'t str,
    /// What such a command does, for the person who decides.
    pub description: &'t str,
    /// What the person should check before approving. May be empty.
    pub check: &'t str,
    /// The verdict. A rule with [`Verdict::Allow`] is an exception to the rules in `exempts`.
    pub verdict: Verdict,
    /// Whether a user's rules may be exceptions to this one.
    pub can_be_exempted: bool,
    /// Whether a language model may approve such a command instead of a person, if the host asks one.
    pub low_risk: bool,
    /// The optional set to which the rule belongs, or `None` if it is always active: see [`RuleSet::with_optional`].
    pub optional: Option<&'t str>,
    /// The rules to which this one is an exception.
    pub exempts: &'t [&'t str],
    /// The conditions.
    pub conditions: Conditions<'t>,
}

/// The conditions of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of a manifest")]
pub struct Conditions<'t> {
    /// Patterns for names of programs, without their folders.
    pub programs: &'t [&'t str],
    /// Places. The program must be named as a file in one of them.
    pub program_in: &'t [&'t str],
    /// Patterns for names of programs to which the rule does not apply.
    pub without_programs: &'t [&'t str],
    /// Subcommands: the first operands, and options in any position, such as `push --force`.
    pub subcommands: &'t [&'t [&'t str]],
    /// Options in any spelling: `-r`, `--recursive`; with a pattern for the value after `=`: `-c=core.pager=*`.
    pub flags: &'t [&'t str],
    /// Options. The command must have no others, and these only with values that match.
    pub only_flags: &'t [&'t str],
    /// Options with which the rule does not match. `--no-NAME` or `--NAME=false` after them cancels them.
    pub without_flags: &'t [&'t str],
    /// Patterns for arguments that are not options.
    pub arguments: &'t [&'t str],
    /// Whether the patterns of subcommands, options and arguments ignore case.
    pub ignore_case: bool,
    /// Whether a match that depends on values known only at run time counts as none.
    pub certain_only: bool,
    /// Whether the command must have no operands, or standard input (`-`, `/dev/stdin`) as the first one.
    pub no_operands: bool,
    /// Places. An operand must be in one of them.
    pub operands_in: &'t [&'t str],
    /// Places. An operand other than the last must be in one of them.
    pub sources_in: &'t [&'t str],
    /// Places. The value of one of `flags` must be in one of them.
    pub values_in: &'t [&'t str],
    /// Places. The working directory of the command must be in one of them.
    pub directory_in: &'t [&'t str],
    /// Places. An operand must be outside all of them.
    pub operands_outside: &'t [&'t str],
    /// Places. An argument, or a part of one, must be in one of them.
    pub mentions: &'t [&'t str],
    /// Places. The command must read from one of them, by an argument or a redirection.
    pub reads: &'t [&'t str],
    /// Places. Standard input must be a file in one of them.
    pub input_in: &'t [&'t str],
    /// Places. The command must write to one of them.
    pub writes: &'t [&'t str],
    /// Places. The command must unpack an archive into one of them, or apply a patch there.
    pub unpacks_into: &'t [&'t str],
    /// Kinds of standard input. The command must have one of them.
    pub input: &'t [InputKind],
    /// Programs. Standard input must come from one of them.
    pub input_from: &'t [&'t str],
    /// Programs. A file that the command runs must come from one of them: as a substitution, or as a file that it wrote. The file is
    /// the value of one of `flags`, or else the first operand after the subcommand.
    pub file_from: &'t [&'t str],
    /// Programs, with their subcommands. Standard input and substitutions must come from them, and from no other program.
    pub input_only_from: &'t [&'t str],
    /// Programs, with their subcommands. One of them must have written the file that is run.
    pub program_from: &'t [&'t str],
    /// Names of files that the program runs although the command does not name them. They count as the file of `program_from`.
    pub implicit_files: &'t [&'t str],
    /// Patterns for names of programs. One of them must run the command.
    pub run_by: &'t [&'t str],
    /// Kinds of expansions. An argument must contain one of them.
    pub expansions: &'t [ExpansionKind],
    /// Patterns for names of variables, or for assignments if they have a `=`, such as `LESS=*+*`. The command must set or export such a variable.
    pub variables: &'t [&'t str],
    /// Patterns for assignments, `NAME=VALUE`, that do not count for `variables`.
    pub without_variables: &'t [&'t str],
    /// SQL statements. An argument or standard input must contain one of them.
    pub statements: &'t [Statement],
    /// What the script of the program does, such as that of awk. One of these effects is needed.
    pub script: &'t [ScriptEffect],
    /// Patterns, one of which must match a line of standard input that the command line itself contains.
    pub input_lines: &'t [&'t str],
    /// Subcommands. An operand after one of them, or after `--`, must be able to name more than one file: a folder or a pattern. Several
    /// operands are enough, too, unless they come from another commit than `HEAD`.
    pub folders_after: &'t [&'t [&'t str]],
    /// Places. An argument, a variable in one, or standard input must contain data of a file in one of them.
    pub data_in: &'t [&'t str],
    /// Programs, which can have subcommands. An argument, a variable in one, or standard input must contain their output.
    pub data_from: &'t [&'t str],
    /// Patterns for names of programs whose output has no data of the files that they are given. They do not count for `data_in`.
    pub without_data: &'t [&'t str],
    /// Whether an argument must be able to be the number of a process on which the host depends, or of process 1.
    pub own_processes: bool,
    /// Whether the command must be a function that calls itself more than once in pipes, or in the background.
    pub forks_itself: bool,
}

impl Conditions<'_> {
    /// No conditions.
    pub const EMPTY: Self = Self {
        programs: &[],
        program_in: &[],
        without_programs: &[],
        subcommands: &[],
        flags: &[],
        only_flags: &[],
        without_flags: &[],
        arguments: &[],
        ignore_case: false,
        certain_only: false,
        no_operands: false,
        operands_in: &[],
        sources_in: &[],
        values_in: &[],
        directory_in: &[],
        operands_outside: &[],
        mentions: &[],
        input_in: &[],
        reads: &[],
        writes: &[],
        unpacks_into: &[],
        input: &[],
        input_from: &[],
        file_from: &[],
        input_only_from: &[],
        program_from: &[],
        implicit_files: &[],
        run_by: &[],
        expansions: &[],
        variables: &[],
        without_variables: &[],
        statements: &[],
        script: &[],
        input_lines: &[],
        folders_after: &[],
        data_in: &[],
        data_from: &[],
        without_data: &[],
        own_processes: false,
        forks_itself: false,
    };

    /// Returns whether the conditions are about every program, whatever it does, and not about what some programs do.
    pub fn is_about_every_program(&self) -> bool {
        self.programs.contains(&Self::EVERY_PROGRAM)
    }

    /// The pattern for the name of every program.
    const EVERY_PROGRAM: &'static str = "*";
}

/// The kinds of standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// The output of other commands.
    Pipe,
    /// A here-document or a here-string.
    Inline,
    /// A file.
    File,
}

/// The kinds of expansions in arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpansionKind {
    /// The output of commands: `$(...)`, or a variable that the line sets to it.
    Substitution,
    /// The value of a variable that the line does not set.
    Variable,
    /// Arguments that are added at run time, such as those of `xargs`.
    Appended,
}

/// The SQL statements that rules can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statement {
    /// `DROP` of a table, database, schema, index, view, user, role and so on.
    Drop,
    /// `TRUNCATE`.
    Truncate,
    /// `ALTER ... DROP`.
    AlterDrop,
    /// `DELETE` without `WHERE`.
    DeleteWithoutWhere,
    /// `UPDATE` without `WHERE`.
    UpdateWithoutWhere,
    /// A statement that is put together when it runs, such as `EXECUTE IMMEDIATE ...`.
    Built,
}

/// The effects of scripts, such as those of awk and sed, that rules can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptEffect {
    /// It runs commands.
    RunsCommands,
    /// A part of it that can do anything is known only at run time.
    Unknown,
}

/// A named set of files and folders, such as the folders of the system or private keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'t> {
    /// The name, as rules use it.
    pub name: &'t str,
    /// What the files are.
    pub description: &'t str,
    /// Patterns of paths: `/etc`, `~/.ssh/id_*`. `**` stands for any number of folders.
    pub paths: &'t [&'t str],
    /// Patterns of paths to exclude from `paths`.
    pub except: &'t [&'t str],
}

words! {
    Verdict {
        Allow "allow" "The rule is an exception to those in `exempts`."
        Ask "ask" "A person decides."
        Deny "deny" "The command never runs. A person cannot approve it."
    }
    InputKind {
        Pipe "pipe" "The output of other commands."
        Inline "inline" "A here-document or a here-string."
        File "file" "A file."
    }
    ExpansionKind {
        Substitution "substitution" "The output of commands, also as the value of a variable."
        Variable "variable" "The value of a variable that the line does not set."
        Appended "appended" "Arguments that are added at run time, such as those of `xargs`."
    }
    Statement {
        Drop "drop" "`DROP` of a table, a database, a user and so on."
        Truncate "truncate" "`TRUNCATE`."
        AlterDrop "alter-drop" "`ALTER` with `DROP`."
        DeleteWithoutWhere "delete-without-where" "`DELETE` of all rows, or of those that `MERGE` finds."
        UpdateWithoutWhere "update-without-where" "`UPDATE` of all rows."
        Built "built" "A statement that is put together when it runs, such as `EXECUTE IMMEDIATE` and `sp_executesql`."
    }
    ScriptEffect {
        RunsCommands "runs-commands" "It runs commands."
        Unknown "unknown" "A part of it that can do anything is known only at run time."
    }
}
