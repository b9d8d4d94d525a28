//! The manifests of command rules.

use toolc_commands::programs::CodeShell;
use toolc_commands::rules::{ExpansionKind, InputKind, Statement, Verdict};

use super::table;
use crate::diagnostic::{At, Place};
use crate::manifest::keys::kinds::{
    Flag, List, Name, Names, Prose, Required, Text, WholeNumber, Word, WordList, words,
};
use crate::manifest::read::Reader;

table! {
    /// Rules about shell commands: `manifests/commands/NAME.toml`.
    #[derive(Debug, Clone)]
    pub struct CommandsManifest {
        /// The name of the group of rules. Must equal the file's stem.
        name: Required<Name>,
        /// The description for people who maintain the rules.
        description: Required<Prose>,
        /// Programs that run others or write files, with a table for each.
        programs: List<ProgramManifest>,
        /// Places, which are named sets of files, with a table for each.
        places: List<PlaceManifest>,
        /// The rules, with a table for each.
        rules: List<RuleManifest>,
    } with {
        /// The beginning of the manifest.
        place: Place = Reader::place,
    }
}

table! {
    /// A program that runs others, or writes files. Shells and their builtins are known without a table.
    #[derive(Debug, Clone)]
    pub struct ProgramManifest {
        /// The name, without the folder. Must be unique in the project.
        name: Required<Name>,
        /// Other names of the program. Rules for `name` apply to them as well.
        aliases: Names,
        /// Options whose value is the next argument, such as `-u` and `--user`. A `?` follows an option that takes a value only in its own word, as in `-i?` of `xargs`, and one without a value that another entry would give a value, as in `--tag?` if there is `--tagstring`.
        value_flags: Names,
        /// Whether options end at the first operand, such as the script of an interpreter. Default: `false`.
        options_first: Flag,
        /// Arguments that name files which the program writes, changes or removes.
        writes: WordList<WrittenOperands>,
        /// Options with which all operands are written, such as `-i` of `sed`.
        writes_with: Names,
        /// Options whose values are files that are written, such as `-o` of `curl`.
        writes_to: Names,
        /// Texts before the name of a file that is written, such as `of=` of `dd`.
        writes_after: Names,
        /// Ways in which the program runs others, each on its own.
        runs: List<RunsManifest>,
    }
}

words! {
    /// Operands that are written.
    pub enum WrittenOperands {
        /// All operands, as of `tee`.
        Operands = "operands",
        /// The last of several operands, as of `cp`.
        LastOperand = "last-operand",
    }
}

table! {
    /// A way in which a program runs others.
    #[derive(Debug, Clone)]
    pub struct RunsManifest {
        /// The way.
        kind: Required<Word<RunsKind>>,
        /// Operands after one of which the command begins, such as `exec` of `npm`.
        after: Names,
        /// The number of operands before the command or the code. Default: 0.
        skip: WholeNumber,
        /// Whether `NAME=VALUE` before the command sets a variable. Default: `false`.
        assignments: Flag,
        /// Whether arguments are added at run time, as by `xargs`. Default: `false`.
        appends: Flag,
        /// Options whose value is replaced by an unknown text wherever it occurs in the command, such as `-I` of `xargs`.
        placeholder_flags: Names,
        /// Options that keep the program from running others, such as `-v` of `command`.
        unless: Names,
        /// Options whose value is split into the words that begin the command, such as `-S` of `env`.
        split_flags: Names,
        /// Options before the code or the command.
        flags: Names,
        /// The shell that reads the code.
        shell: Word<CodeShell>,
        /// Whether the code is the first operand, wherever the option is. Default: `false`.
        first_operand: Flag,
        /// Texts after which the command ends, such as `;` of `find`.
        ends: Names,
        /// The text that is replaced by an unknown one wherever it occurs in the command, such as `{}` of `find`.
        placeholder: Text,
    } with {
        /// The beginning of the table.
        place: Place = Reader::place,
    }
}

words! {
    /// Ways in which programs run others.
    pub enum RunsKind {
        /// The operands are a command: `sudo COMMAND`.
        Operands = "operands",
        /// The value of an option is code: `sh -c CODE`.
        Code = "code",
        /// The operands, joined with spaces, are code: `eval CODE`.
        Joined = "joined",
        /// One operand is code: `trap CODE SIGNAL`.
        Operand = "operand",
        /// The arguments between an option and an end are a command: `find -exec COMMAND ;`.
        Between = "between",
        /// Standard input is code, if there is no operand: `sh`.
        Input = "input",
        /// The first operand is a file with code: `. FILE`.
        File = "file",
    }
}

table! {
    /// A place: files and folders that rules can name.
    #[derive(Debug, Clone)]
    pub struct PlaceManifest {
        /// The name. Must be unique in the project.
        name: Required<Name>,
        /// The description for the user who is asked. Says what the files are.
        description: Required<Prose>,
        /// Patterns of paths. `*`, `?` and `[...]` stand for text within a name, `**` for any number of folders, a leading `~` for the home folder, a leading `.` for the working directory.
        paths: Required<Names>,
        /// Patterns of paths that are not in the place, although `paths` match them.
        except: Names,
    }
}

table! {
    /// A rule about shell commands. It matches a command if each of its conditions is met.
    #[derive(Debug, Clone)]
    pub struct RuleManifest {
        /// The name of the rule. Must be unique in the project.
        name: Required<Name>,
        /// The description for the user who is asked. Says what such a command does.
        description: Required<Prose>,
        /// The advice for the user who is asked. Says what to check before approving.
        check: Prose,
        /// The verdict about such a command.
        verdict: Required<Word<Verdict>>,
        /// Whether a rule in the user's own file may be an exception to this one. Default: `false`.
        can_be_exempted: Flag,
        /// Rules to which this one is an exception, or kinds of doubts of the reader. Requires `verdict = "allow"`.
        exempts: Names,
        /// Patterns for the names of programs, one of which the command runs, directly or through another program.
        programs: Names,
        /// Patterns for the names of programs to which the rule does not apply.
        without_programs: Names,
        /// Subcommands, one of which is given. Each consists of the first operands, and of options that are given as well, such as `push --force`.
        subcommands: Names,
        /// Options, one of which is given, in any spelling. After `=` comes a pattern for the value, as in `-c=core.pager=*`.
        flags: Names,
        /// Options with which the rule does not match.
        without_flags: Names,
        /// Patterns, one of which matches an argument that is not an option.
        arguments: Names,
        /// Whether `subcommands`, options and `arguments` ignore upper and lower case. Default: `false`.
        ignore_case: Flag,
        /// Whether the command must have no operand, apart from `-` and what begins with a dash. Default: `false`.
        no_operands: Flag,
        /// Places, in one of which an operand is.
        operands_in: Names,
        /// Places, outside of all of which an operand is.
        operands_outside: Names,
        /// Places, in one of which the command reads, by an operand, an option or a redirection.
        reads: Names,
        /// Places, in one of which the command writes, by a redirection or as `programs` says.
        writes: Names,
        /// Kinds of standard input, one of which the command has.
        input: WordList<InputKind>,
        /// Programs, one of which provides the input.
        input_from: Names,
        /// Programs, one of which provides an operand, by a substitution or as a file that it wrote before.
        file_from: Names,
        /// Programs, with their subcommands, all of which provide the input or the operands. Nothing else may provide any.
        input_only_from: Names,
        /// Programs, one of which wrote the file that is run.
        program_from: Names,
        /// Programs, one of which runs the command, such as `sudo`.
        run_by: Names,
        /// Kinds of expansions, one of which an argument contains.
        expansions: WordList<ExpansionKind>,
        /// Patterns for the names of variables, one of which the command sets or exports.
        variables: Names,
        /// Patterns for assignments that do not count, such as `PATH=*:$PATH`.
        without_variables: Names,
        /// Statements of SQL, one of which an argument or the input contains.
        statements: WordList<Statement>,
        /// Whether the command must be a function that starts itself more than once, or in the background. Default: `false`.
        forks_itself: Flag,
        /// Examples of commands that the rule matches. They are its tests.
        matches: Required<Names>,
        /// Examples of similar commands that the rule does not match. They are its tests as well.
        ignores: Names,
    }
}

/// What a list of a rule contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleWords {
    /// Patterns for the names of programs.
    Programs,
    /// Subcommands, each of one or more words.
    Subcommands,
    /// Options, which may have a pattern for their value.
    Flags,
    /// Patterns for texts.
    Patterns,
    /// Names of places.
    Places,
    /// Words of a closed set, which the reader checks.
    Words,
}

impl RuleManifest {
    /// Returns the lists of the conditions by their keys, and what they contain. Those that are missing are empty.
    pub fn lists(&self) -> [(&'static str, RuleWords, &[At<String>]); 20] {
        macro_rules! lists {
            ($($key:ident $words:ident),*) => {
                [$((stringify!($key), RuleWords::$words, self.$key.as_slice())),*]
            };
        }
        lists![
            programs Programs, without_programs Programs, subcommands Subcommands, flags Flags, without_flags Flags,
            arguments Patterns, operands_in Places, operands_outside Places, reads Places, writes Places, input Words,
            input_from Programs, file_from Programs, input_only_from Subcommands, program_from Programs,
            run_by Programs, expansions Words, variables Patterns, without_variables Patterns, statements Words
        ]
    }

    /// Returns the keys of the conditions that narrow down the commands which the rule matches.
    pub fn narrowing() -> impl Iterator<Item = &'static str> {
        use crate::manifest::keys::kinds::HasKeys as _;
        let keys = Self::KEYS.iter().map(|key| key.name);
        let conditions = keys.skip_while(|key| *key != "programs").take_while(|key| *key != "matches");
        conditions.filter(|key| !key.starts_with("without_") && *key != "ignore_case")
    }

    /// Returns whether one of the conditions narrows down the commands which the rule matches.
    pub fn is_narrow(&self) -> bool {
        let is_set = |flag: &Option<At<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
        let lists = self.lists();
        let mut narrowing = lists.iter().filter(|(key, ..)| !key.starts_with("without_"));
        is_set(&self.no_operands) || is_set(&self.forks_itself) || narrowing.any(|(.., list)| !list.is_empty())
    }

    /// Returns whether the rule is an exception to others.
    pub fn is_exception(&self) -> bool {
        self.verdict.as_ref().is_some_and(|verdict| verdict.value == Verdict::Allow)
    }
}
