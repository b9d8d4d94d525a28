//! Programs that need rights which no program has if a folder is hidden from it: the rights of set-user-ID files, and the right to mount.
//!
//! A line that holds such a program runs where nothing is hidden, if nothing else in the line could use that: all its other commands are
//! plain, and the program belongs to the system. The manifests of command rules say which programs these are. Otherwise a person decides
//! whether the whole line runs there: see [`Sight`](crate::sight::Sight).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use toolc::approval::ShellState;
use toolc::commands::rules::{self, Access, RuleSet};
use toolc::commands::{Command, CommandId, Program, Reading, Surroundings, Word, read};
use toolc_environment::Environment;

use crate::place::Variables;
use crate::typed::SystemPrograms;

/// Commands of the shell that read no files.
pub(crate) const BUILT_IN: &[&str] =
    &[":", "[", "cd", "echo", "exit", "false", "printf", "pwd", "set", "sleep", "test", "true", "type", "wait"];
/// Programs that read only the files that the line names.
pub(crate) const PLAIN: &[&str] =
    &["cat", "cut", "head", "hostname", "id", "nl", "tail", "tr", "uname", "uniq", "wc", "whoami"];

/// The rights that a line needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Those of every program.
    Usual,
    /// Those that a program has only where nothing is hidden from it.
    More,
    /// A program of the line needs them, but other parts of the line could use them, too.
    Mixed {
        /// The name of the program.
        program: String,
        /// The command in the line, in bytes.
        part: Range<usize>,
    },
}

impl Rights {
    /// Returns the rights that a line needs in an environment with these variables. The line starts with this state of the shell.
    pub(crate) fn new(
        line: &str,
        state: &ShellState,
        rules: &RuleSet<'_>,
        environment: &dyn Environment,
        variables: &Variables,
    ) -> Self {
        if environment.hides() {
            let programs = SystemPrograms::new(environment, variables);
            let is_root = rustix::process::geteuid().is_root();
            return Self::of_line(line, state, rules, &|word| programs.contains(word), is_root);
        }
        Self::Usual
    }

    /// Returns the rights that a line needs. `belongs_to_system` tells whether the program of a word does.
    fn of_line(
        line: &str,
        state: &ShellState,
        rules: &RuleSet<'_>,
        belongs_to_system: &dyn Fn(&str) -> bool,
        is_root: bool,
    ) -> Self {
        // Most lines have no such name in them.
        let with_rights = || rules.access().iter().filter(|access| needs_rights(access, is_root));
        if !with_rights().flat_map(|access| access.programs).any(|name| line.contains(name)) {
            return Self::Usual;
        }
        let reading = read(line, rules.programs(), &Surroundings::default());
        // A program of the same name elsewhere, such as `./write`, has no such rights anywhere.
        let is_of_system = |command: &Command| {
            let word = command.words.first().and_then(Word::literal);
            command.via.is_some() || word.is_none_or(|word| belongs_to_system(&word))
        };
        let needing = reading.commands.iter().find_map(|command| {
            let name = command.program.name()?;
            let needs = rules.rights_of(name).is_some_and(|access| needs_rights(access, is_root));
            (needs && is_of_system(command)).then_some((name, command))
        });
        let Some((program, command)) = needing else { return Self::Usual };
        let is_plain = is_clear(&reading)
            && state.variables.is_empty()
            && reading.ids().all(|id| is_harmless(&reading, id, rules))
            && names(&reading).is_some_and(|names| names.iter().all(|name| belongs_to_system(name)));
        if is_plain {
            return Self::More;
        }
        let part = command.span.range();
        // Code in the line has positions of its own.
        let part = if command.via.is_none() && line.get(part.clone()).is_some() { part } else { 0..line.len() };
        Self::Mixed { program: program.to_owned(), part }
    }
}

/// Returns whether programs with this entry need rights that they do not have where something is hidden.
fn needs_rights(access: &Access<'_>, is_root: bool) -> bool {
    match access.rights {
        None => false,
        Some(rules::Rights::User) => !is_root,
        Some(rules::Rights::Mounts) => true,
    }
}

/// Returns whether a line is read without a doubt, and sets no variables: a variable of the shell can change which program a name stands for,
/// and what it does.
pub(crate) fn is_clear(reading: &Reading) -> bool {
    reading.doubts.is_empty() && reading.assigned.is_empty() && !reading.assigns_unknown
}

/// Returns the programs that the shell starts, as the line writes them, or `None` if that is not certain.
pub(crate) fn names(reading: &Reading) -> Option<BTreeSet<Cow<'_, str>>> {
    let started = reading.commands.iter().filter(|command| command.via.is_none());
    let names: Option<BTreeSet<_>> = started.map(|command| command.words.first()?.literal()).collect();
    names.map(|names| names.into_iter().filter(|name| !BUILT_IN.contains(&&**name)).collect())
}

/// Returns whether a command could do nothing else where nothing is hidden from it.
fn is_harmless(reading: &Reading, id: CommandId, rules: &RuleSet<'_>) -> bool {
    let command = reading.command(id);
    let Program::Known { name, built: false } = &command.program else { return false };
    if !command.assignments.is_empty() {
        return false;
    }
    let entry = |command: &Command| command.program.name().and_then(|name| rules.rights_of(name));
    let has_other_rights = |by: &Command| entry(by).is_some_and(|entry| entry.runs_apart) && !names_user(by);
    if command.via.is_some() {
        return reading.wrappers(id).any(|(by, _)| has_other_rights(by));
    }
    entry(command).is_some() || BUILT_IN.contains(&name.as_str()) || PLAIN.contains(&name.as_str())
}

/// Returns whether an option of a command such as `sudo` names the user, which can be the same one.
fn names_user(command: &Command) -> bool {
    let words = command.words.iter().skip(1).map(Word::literal);
    let options = words.take_while(|word| word.as_ref().is_none_or(|word| word.starts_with('-')));
    options.into_iter().any(|word| word.is_none_or(|word| word.starts_with("--user") || word[1..].contains('u')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rights(line: &str, is_root: bool) -> Rights {
        let rules = toolc_catalog::commands::rules();
        let of_system = |word: &str| !word.contains('/') && word != "planted";
        Rights::of_line(line, &ShellState::default(), rules, &of_system, is_root)
    }

    #[test]
    fn a_line_of_privileged_and_plain_programs_gets_more_rights() {
        for line in [
            "ping -c 1 localhost",
            "sudo apt-get install -y x | tail -5",
            "cd /tmp && sudo -n make install",
            "sudo sh -c 'make install'",
            "crontab -l; echo done",
            "podman run --rm image python3 x.py",
            "su - postgres -c 'psql -l'",
        ] {
            assert_eq!(rights(line, false), Rights::More, "{line}");
        }
        assert_eq!(rights("mount /mnt", true), Rights::More);
        assert_eq!(rights("umount /mnt && echo done", true), Rights::More);
    }

    #[test]
    fn a_line_with_anything_else_is_mixed() {
        for line in [
            "ping -c 1 localhost; python3 x.py",
            "ping $(./x)",
            "PATH=/tmp:$PATH; ping x",
            "LD_PRELOAD=./x.so ping x",
            "ping() { python3 x.py; }; ping",
            "p=ping; $p x",
            "sudo -u me python3 x.py",
            "sudo -nu me python3 x.py",
            "sudo --user=me python3 x.py",
            "sudo $x python3 x.py",
            "find . -exec ping {} ;; make",
            "crontab -l | sh",
            "planted; ping x",
            "cat x | planted; crontab -l",
            "eval \"$X\"; ping x",
            "sort --compress-program=./x f; ping x",
        ] {
            assert!(matches!(rights(line, false), Rights::Mixed { .. }), "{line}: {:?}", rights(line, false));
        }
        let state =
            ShellState { variables: vec![("PATH".to_owned(), Some("/tmp".to_owned()))], ..ShellState::default() };
        let mixed = Rights::of_line("ping x", &state, toolc_catalog::commands::rules(), &|_| true, false);
        assert_eq!(mixed, Rights::Mixed { program: "ping".to_owned(), part: 0..6 });
        let later = Rights::Mixed { program: "ping".to_owned(), part: 6..12 };
        assert_eq!(rights("make; ping x", false), later);
    }

    #[test]
    fn other_lines_have_the_usual_rights() {
        for line in [
            "ls",
            "grep ping x",
            "echo sudo",
            "cargo build",
            "python3 -c 'print(1)'",
            "./ping x",
            "make; /home/me/bin/ping x",
        ] {
            assert_eq!(rights(line, false), Rights::Usual, "{line}");
        }
        for line in ["sudo make", "ping x", "crontab -l"] {
            assert_eq!(rights(line, true), Rights::Usual, "{line}: root has the rights of set-user-ID programs");
        }
    }

    #[test]
    fn the_names_are_sorted() {
        assert!(BUILT_IN.is_sorted() && PLAIN.is_sorted());
    }
}
