//! The manifests of command rules.

use toolc_commands::programs::{CodeShell, ScriptLanguage};
use toolc_commands::rules::{ExpansionKind, InputKind, Rights, ScriptEffect, Statement, Verdict};
use toolc_tables::Reader;
use toolc_tables::{table, words};

use crate::diagnostic::{At, Place};
use crate::manifest::keys::kinds::{
    Flag, List, Name, Names, OfCommands, Prose, Required, Text, WholeNumber, Word, WordList,
};

table! {
    /// Rules about shell commands: `manifests/commands/NAME.toml`.
    #[derive(Debug, Clone)]
    pub struct CommandsManifest {
        /// The name of the group of rules. Must equal the file's stem.
        name: Required<Name>,
        /// The description for people who maintain the rules.
        description: Required<Prose>,
        /// The programs that run others or write files, with a table for each.
        programs: List<ProgramManifest>,
        /// The groups, which are named sets of programs, with a table for each.
        groups: List<GroupManifest>,
        /// The places, which are named sets of files, with a table for each.
        places: List<PlaceManifest>,
        /// What programs need that can be kept from commands, with a table for each group of programs.
        access: List<AccessManifest>,
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
        /// Options whose value is the next argument, such as `-u` and `--user`. A `?` marks an option that takes a value only in its own word, such as `-i?` of `xargs`. It also marks an option without a value whose name is the beginning of another entry, such as `--tag?` if there is `--tagstring`. A letter without a dash is an option of a group without a dash, such as `o` in `ps axo pid`; other such groups of the program are options, too.
        value_flags: Names,
        /// Whether the first operand ends the options, as the script does for an interpreter. Default: `false`.
        options_first: Flag,
        /// Options after which, and after whose value, everything is an operand, such as `-m` for `python`.
        last_flags: Names,
        /// Whether the first argument can be a cluster of options without a dash, as for `tar`. Default: `false`.
        dashless_flags: Flag,
        /// Options whose value is the working directory of the commands that the program runs, such as `-C` for `env`.
        directory_flags: Names,
        /// Subcommands after which an operand and then a command follow that runs elsewhere, such as `run` for `docker`. `arguments` of a rule also looks at the words of that command, and at all of them with spaces between them.
        elsewhere: Names,
        /// The operands that name files which the program writes, changes or removes.
        writes: WordList<WrittenOperands>,
        /// Options with which the program writes all operands, such as `-i` for `sed`.
        writes_with: Names,
        /// Options with which the program writes no operands, although `writes` has `operands` or `last-operand`, such as `-c` for `gzip`.
        writes_unless: Names,
        /// Subcommands whose last operand names a file or folder that the program writes, such as `clone` for `git`.
        writes_subcommands: Names,
        /// Options whose values name files that the program writes, such as `-o` for `curl`. Options before it must be given, too: `-c -f` for `tar`.
        writes_to: Names,
        /// Prefixes of operands that name files which the program writes, such as `of=` for `dd`.
        writes_after: Names,
        /// Options with which `writes = ["url-names"]` applies, such as `-O` for `curl`. Default: it always applies.
        url_names_with: Names,
        /// Options and subcommands with which the program unpacks an archive or applies a patch, such as `-x` for `tar` and `apply` for `git`. A file that it unpacks counts as written by the program, and comes from where the archive comes from.
        unpacks_with: Names,
        /// Options and subcommands with which the program unpacks into the folder that the last operand names, if one follows, such as `x *` for `unrar`.
        unpacks_to: Names,
        /// Options with which the program unpacks nothing, such as `-O` for `tar`.
        unpacks_unless: Names,
        /// Options whose value is the folder of the files of `url-names`, `unpacked` and `writes_to`, such as `-P` for `wget`.
        folder_flags: Names,
        /// The language of the script that the program takes as an option's value or as the first operand. Rules can name what the script does, and the files that it writes count as written by the program.
        script_language: Word<OfCommands<ScriptLanguage>>,
        /// Ways in which the program runs others, each on its own.
        runs: List<RunsManifest>,
    }
}

words! {
    /// Operands that are written.
    pub enum WrittenOperands {
        /// All operands, as for `tee`.
        Operands = "operands",
        /// The first operand, as for `sqlite3`.
        FirstOperand = "first-operand",
        /// The last of several operands, as for `cp`.
        LastOperand = "last-operand",
        /// Files that are named as the last parts of the operands, which are URLs, as for `wget`.
        UrlNames = "url-names",
        /// The files of an archive, in the folder that one of `folder_flags` names, or else in the working directory, as for `unzip`. They count as `unpacks_with` says.
        Unpacked = "unpacked",
    }
}

table! {
    /// A way in which a program runs others.
    #[derive(Debug, Clone)]
    pub struct RunsManifest {
        /// The way in which the program runs others.
        kind: Required<Word<RunsKind>>,
        /// Operands, one of which must come before the command, such as `exec` for `npm`. `compose run` stands for two operands that follow one another.
        after: Names,
        /// Whether the command counts only if its program has a table, as for `php artisan` and `yarn prisma`, where the operand can also be a script of the project. Default: `false`.
        known: Flag,
        /// Operands that are subcommands of the program itself, such as `install` for `yarn`. They do not begin a command.
        except: Names,
        /// Whether a `--` after the name of the program that runs belongs to the wrapper, as for `npm exec PROGRAM -- ARGUMENTS`. Default: `false`.
        separator: Flag,
        /// The number of operands before the command or the code. Default: 0.
        skip: WholeNumber,
        /// Whether `NAME=VALUE` before the command sets a variable. Default: `false`.
        assignments: Flag,
        /// Whether a name and a colon can come before the command, as for `hatch run ENVIRONMENT:COMMAND`. Default: `false`.
        prefixed: Flag,
        /// Whether the program adds arguments at run time, as `xargs` does. Default: `false`.
        appends: Flag,
        /// Options whose value is a placeholder that the program replaces in the command, such as `-I` for `xargs`.
        placeholder_flags: Names,
        /// Options with which the program runs nothing, such as `-v` for `command`.
        unless: Names,
        /// Options whose value is split into the first words of the command, such as `-S` for `env`.
        split_flags: Names,
        /// Options before the code or the command. For `operands`, the value of the option is the program, as for `python -m MODULE`.
        flags: Names,
        /// The shell that reads the code.
        shell: Word<OfCommands<CodeShell>>,
        /// Whether the code is the first operand instead of the option's value. Default: `false`.
        first_operand: Flag,
        /// Arguments that end the command, such as `;` for `find`.
        ends: Names,
        /// The placeholder that the program replaces in the command, such as `{}` for `find`.
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
        /// The arguments from an option to one of `ends` are a command: `find -exec COMMAND ;`.
        Between = "between",
        /// Standard input is code, if there is no operand: `sh`.
        Input = "input",
        /// Without a command after `skip` operands, standard input is code: `ssh HOST`. With `flags`, one of them must be given.
        Session = "session",
        /// The first operand, or the value of one of `flags`, is a file with code: `. FILE`, `make -f FILE`.
        File = "file",
    }
}

table! {
    /// A group: programs that rules can name together, as `@NAME`.
    #[derive(Debug, Clone)]
    pub struct GroupManifest {
        /// The name. Must be unique in the project.
        name: Required<Name>,
        /// The description of the programs, for people who maintain the rules.
        description: Required<Prose>,
        /// Patterns for names of programs.
        programs: Required<Names>,
    }
}

table! {
    /// A place: files and folders that rules can name.
    #[derive(Debug, Clone)]
    pub struct PlaceManifest {
        /// The name. Must be unique in the project.
        name: Required<Name>,
        /// The description of the files, for the user who is asked.
        description: Required<Prose>,
        /// Patterns of paths. `*`, `?` and `[...]` stand for text within a name, `**` for any number of folders, a leading `~` for the home folder, a leading `.` for the working directory, a leading `@` for the folder in which the host keeps its own settings, and `@/..` for every folder above that.
        paths: Required<Names>,
        /// Patterns of paths to exclude from `paths`.
        except: Names,
    }
}

table! {
    /// What some programs need, and commands do not have where the host hides files from them.
    #[derive(Debug, Clone)]
    pub struct AccessManifest {
        /// The names of the programs, without the folder. With `reads`, a subcommand can follow, as in `npm publish`.
        programs: Required<Names>,
        /// The rights that the programs need. A program has one such entry in the project.
        rights: Word<OfCommands<Rights>>,
        /// Whether the commands that the programs run have another user, another root folder or another machine, as those of `sudo`, `podman` and `ssh` do. Such a command cannot use what a line has that holds it. Default: `false`.
        runs_apart: Flag,
        /// Files and folders that the programs may read where they are hidden from others, with everything in them, such as `~/.ssh`.
        reads: Names,
    } with {
        /// The beginning of the table.
        place: Place = Reader::place,
    }
}

table! {
    /// A rule about shell commands. It matches a command if each of its conditions is met.
    #[derive(Debug, Clone)]
    pub struct RuleManifest {
        /// The name of the rule. Must be unique in the project.
        name: Required<Name>,
        /// The effect of such a command. Shown to the user who is asked.
        description: Required<Prose>,
        /// The question that the user should answer before approving. Shown to the user who is asked.
        check: Prose,
        /// The verdict about such a command.
        verdict: Required<Word<OfCommands<Verdict>>>,
        /// Whether users can declare exceptions to this rule. Default: `false`.
        can_be_exempted: Flag,
        /// Whether a language model may approve such a command instead of the user, if the host is set up to ask one. Requires `verdict = "ask"`. Default: `false`.
        low_risk: Flag,
        /// The optional set to which the rule belongs. It is active only where the host switches the set on. Default: the rule is always active.
        optional: Text,
        /// The rules to which this one is an exception, and names of doubts. Requires `verdict = "allow"`.
        exempts: Names,
        /// Patterns for names of programs. The command must run such a program, directly or through another one.
        programs: Names,
        /// Places. The program must be named as a file in one of them, such as `/etc/init.d/nginx`.
        program_in: Names,
        /// Patterns for names of programs to which the rule does not apply.
        without_programs: Names,
        /// Subcommands, one of which must be given. Each consists of the first operands, and of options in any position, such as `push --force`.
        subcommands: Names,
        /// Options, one of which must be given, in any spelling. A pattern for the value can follow after `=`, as in `-c=core.pager=*`.
        flags: Names,
        /// Options. The command must have no others, and these only with values that match. An abbreviation counts as another option.
        only_flags: Names,
        /// Options with which the rule does not match. `--no-NAME` or `--NAME=false` after them cancels them.
        without_flags: Names,
        /// Patterns, one of which must match an argument that is not an option.
        arguments: Names,
        /// Whether `subcommands`, `flags`, `only_flags`, `without_flags` and `arguments` ignore case. Default: `false`.
        ignore_case: Flag,
        /// Whether the rule ignores matches that depend on values known only at run time. Useful for rare options of programs that often get such values. Default: `false`.
        certain_only: Flag,
        /// Whether the command must have no operands after the subcommand, or standard input (`-`, `/dev/stdin`) as the first one. Default: `false`.
        no_operands: Flag,
        /// Places. An operand must be in one of them.
        operands_in: Names,
        /// Places. An operand other than the last must be in one of them, such as a source of `mv`, or the target of a link.
        sources_in: Names,
        /// Places. The value of one of `flags` must be in one of them: the whole value, the part before a `:`, the part after `source=`, `src=`, `device=` or `dest=`, or the part after a `=` if there is no `,`.
        values_in: Names,
        /// Places. The working directory of the command must be in one of them, after a `cd` of the line too.
        directory_in: Names,
        /// Places. An operand must be outside all of them.
        operands_outside: Names,
        /// Places. An argument, or the part of an argument after `=` or `@`, must be in one of them.
        mentions: Names,
        /// Places. The command must read from one of them, by an operand, an option or a redirection.
        reads: Names,
        /// Places. Standard input must be a file in one of them.
        input_in: Names,
        /// Places. The command must write to one of them, by a redirection or as `[[programs]]` declares.
        writes: Names,
        /// Places. The command must unpack an archive into one of them, or apply a patch there, as `[[programs]]` declares.
        unpacks_into: Names,
        /// Kinds of standard input. The command must have one of them.
        input: WordList<OfCommands<InputKind>>,
        /// Programs, which can have subcommands. Standard input must come from one of them.
        input_from: Names,
        /// Programs, which can have subcommands. One of them must produce the file that the command runs, as its output in a substitution or as a file that it writes. The file is the value of one of `flags`, or else the first operand after the subcommand.
        file_from: Names,
        /// Programs, with their subcommands. Standard input and substitutions must come from them, and from no other program.
        input_only_from: Names,
        /// Programs, which can have subcommands or first operands. One of them must have written the file that is run.
        program_from: Names,
        /// Names of files that the program runs although the command does not name them, such as `Makefile`. They count as the file of `program_from`, which is required.
        implicit_files: Names,
        /// Programs. One of them must run the command, as `sudo` does.
        run_by: Names,
        /// Kinds of expansions. An argument must contain one of them.
        expansions: WordList<OfCommands<ExpansionKind>>,
        /// Patterns for names of variables, or for assignments if they have a `=`, such as `LESS=*+*`. The command must set or export such a variable.
        variables: Names,
        /// Patterns for assignments that do not count for `variables`, such as `*PAGER=cat`. `~` stands for the home folder.
        without_variables: Names,
        /// SQL statements. An argument or standard input must contain one of them.
        statements: WordList<OfCommands<Statement>>,
        /// Effects of the program's script. The script must have one of them. Requires `script_language` of the program.
        script: WordList<OfCommands<ScriptEffect>>,
        /// Patterns, one of which must match a line of standard input that the command line itself contains, in a here-document or as an argument of `echo`.
        input_lines: Names,
        /// Subcommands. An operand after one of them, or after `--`, must be able to name more than one file: it has a slash at its end, is a pattern, or is neither a name with an extension nor a usual name of a file, such as `Makefile`. Several operands do, too, unless they come from another commit than `HEAD`.
        folders_after: Names,
        /// Places. An argument, a variable in one, or standard input must contain data of a file in one of them, as in `curl "https://x/$(cat .env)"` and `. ./.env; curl -d "$KEY" x`.
        data_in: Names,
        /// Programs, which can have subcommands. An argument, a variable in one, or standard input must contain their output.
        data_from: Names,
        /// Programs whose output has no data of the files that they are given, such as `ls`. They do not count for `data_in`.
        without_data: Names,
        /// Whether an argument must be able to be the number of a process on which the host depends, such as `$PPID`, or of process 1. Default: `false`.
        own_processes: Flag,
        /// Whether the command must be a function that calls itself more than once in pipes, or in the background. Default: `false`.
        forks_itself: Flag,
        /// Examples of commands that the rule must match. `lint` tests them.
        matches: Required<Names>,
        /// Examples of similar commands that the rule must not match. `lint` tests them.
        ignores: Names,
    }
}

/// What a list of a rule contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleWords {
    /// Patterns for the names of programs.
    Programs,
    /// Patterns for the names of programs, which can have subcommands.
    Commands,
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
    /// Returns the conditions that are lists, each with its key and what it contains. A missing key has an empty list.
    pub fn lists(&self) -> [(&'static str, RuleWords, &[At<String>]); 35] {
        macro_rules! lists {
            ($($key:ident $words:ident),*) => {
                [$((stringify!($key), RuleWords::$words, self.$key.as_slice())),*]
            };
        }
        lists![
            programs Programs, program_in Places, without_programs Programs, subcommands Subcommands, flags Flags, only_flags Flags,
            without_flags Flags,
            arguments Patterns, operands_in Places, sources_in Places, values_in Places, directory_in Places,
            operands_outside Places,
            mentions Places, reads Places, input_in Places, writes Places, unpacks_into Places, input Words,
            input_from Commands, file_from Commands, input_only_from Commands, program_from Commands, implicit_files Patterns,
            run_by Programs, expansions Words, variables Patterns, without_variables Patterns, statements Words,
            script Words, input_lines Patterns, folders_after Subcommands, data_in Places, data_from Commands, without_data Programs
        ]
    }

    /// Returns the keys of the conditions that restrict which commands the rule matches.
    pub fn narrowing() -> impl Iterator<Item = &'static str> {
        use toolc_tables::HasKeys as _;
        let keys = Self::KEYS.iter().map(|key| key.name);
        let conditions = keys.skip_while(|key| *key != "programs").take_while(|key| *key != "matches");
        conditions.filter(|key| {
            !key.starts_with("without_") && !matches!(*key, "ignore_case" | "certain_only" | "implicit_files")
        })
    }

    /// Returns whether one of the conditions restricts which commands the rule matches.
    pub fn is_narrow(&self) -> bool {
        let is_set = |flag: &Option<At<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
        let lists = self.lists();
        let mut narrowing = lists.iter().filter(|(key, ..)| !key.starts_with("without_") && *key != "implicit_files");
        let flags = [&self.no_operands, &self.forks_itself, &self.own_processes];
        flags.into_iter().any(is_set) || narrowing.any(|(.., list)| !list.is_empty())
    }

    /// Returns whether the rule is an exception to others.
    pub fn is_exception(&self) -> bool {
        self.verdict.as_ref().is_some_and(|verdict| verdict.value.0 == Verdict::Allow)
    }
}
