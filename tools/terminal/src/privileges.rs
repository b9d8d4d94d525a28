//! Programs that need rights which no program has if a folder is hidden from it: the rights of set-user-ID files, and the right to mount.
//!
//! A line that holds such a program runs where nothing is hidden, if nothing else in the line could use that: all its other commands are
//! plain, and the program belongs to the system. Otherwise the line runs as usual, and a note says why the program may fail.

use std::borrow::Cow;
use std::collections::BTreeSet;

use toolc::approval::ShellState;
use toolc::commands::{Command, CommandId, Program, Reading, Surroundings, Word, read};
use toolc_environment::Environment;

use crate::place::Variables;
#[cfg(unix)]
use crate::typed::SystemPrograms;

/// A program that needs more rights.
struct Privileged {
    name: &'static str,
    /// Whether the commands that it runs have other rights than the user, or another root folder.
    runs_others: bool,
    /// Whether it also needs them if root starts it.
    by_root: bool,
}

const fn of_user(name: &'static str) -> Privileged {
    Privileged { name, runs_others: false, by_root: false }
}

const fn mounting(name: &'static str) -> Privileged {
    Privileged { name, runs_others: false, by_root: true }
}

/// Starts commands as another user.
const fn switching(name: &'static str) -> Privileged {
    Privileged { name, runs_others: true, by_root: false }
}

/// Starts commands in a container.
const fn containing(name: &'static str) -> Privileged {
    Privileged { name, runs_others: true, by_root: true }
}

/// The programs.
const PRIVILEGED: &[Privileged] = &[
    containing("apptainer"),
    containing("buildah"),
    containing("podman"),
    containing("singularity"),
    mounting("cryptsetup"),
    mounting("fusermount"),
    mounting("fusermount3"),
    mounting("insmod"),
    mounting("losetup"),
    mounting("modprobe"),
    mounting("mount"),
    mounting("rmmod"),
    mounting("snap"),
    mounting("sshfs"),
    mounting("swapoff"),
    mounting("swapon"),
    mounting("umount"),
    of_user("at"),
    of_user("atq"),
    of_user("atrm"),
    of_user("batch"),
    of_user("chage"),
    of_user("chfn"),
    of_user("chsh"),
    of_user("crontab"),
    of_user("fping"),
    of_user("gpasswd"),
    of_user("locate"),
    of_user("mlocate"),
    of_user("mtr"),
    of_user("passwd"),
    of_user("ping"),
    of_user("ping4"),
    of_user("ping6"),
    of_user("plocate"),
    of_user("traceroute"),
    of_user("traceroute6"),
    of_user("wall"),
    of_user("write"),
    switching("doas"),
    switching("pkexec"),
    switching("run0"),
    switching("sg"),
    switching("su"),
    switching("su-rs"),
    switching("sudo"),
    switching("sudo-rs"),
];

/// Commands of the shell that read no files.
const BUILT_IN: &[&str] =
    &[":", "[", "cd", "echo", "exit", "false", "printf", "pwd", "set", "sleep", "test", "true", "type", "wait"];
/// Programs that read only the files that the line names.
const PLAIN: &[&str] = &["cat", "cut", "head", "hostname", "id", "nl", "tail", "tr", "uname", "uniq", "wc", "whoami"];

/// The rights that a line needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Those of every program.
    Usual,
    /// Those that a program has only where nothing is hidden from it.
    More,
    /// The line holds this program, but cannot have its rights.
    Refused(&'static str),
}

impl Rights {
    /// Returns the rights that a line needs in an environment with these variables. The line starts with this state of the shell.
    pub(crate) fn new(line: &str, state: &ShellState, environment: &dyn Environment, variables: &Variables) -> Self {
        #[cfg(unix)]
        if environment.hides() {
            let programs = SystemPrograms::new(environment, variables);
            return Self::of_line(line, state, &|word| programs.contains(word), rustix::process::geteuid().is_root());
        }
        Self::Usual
    }

    /// Returns the rights that a line needs. `belongs_to_system` tells whether the program of a word does.
    fn of_line(line: &str, state: &ShellState, belongs_to_system: &dyn Fn(&str) -> bool, is_root: bool) -> Self {
        // Most lines have no such name in them.
        if !PRIVILEGED.iter().any(|program| line.contains(program.name)) {
            return Self::Usual;
        }
        let reading = read(line, toolc_catalog::commands::rules().programs(), &Surroundings::default());
        let found = reading.commands.iter().filter_map(privileged).find(|program| program.by_root || !is_root);
        let Some(program) = found else { return Self::Usual };
        // A variable of the shell can change which program a name stands for, and what it does.
        let is_clear = reading.doubts.is_empty() && reading.assigned.is_empty() && !reading.assigns_unknown;
        let is_plain = is_clear
            && state.variables.is_empty()
            && reading.ids().all(|id| is_harmless(&reading, id))
            && names(&reading).is_some_and(|names| names.iter().all(|name| belongs_to_system(name)));
        if is_plain { Self::More } else { Self::Refused(program.name) }
    }

    /// Returns the note for the model, if the line cannot have the rights that one of its programs needs.
    pub(crate) fn note(&self) -> Option<String> {
        let Self::Refused(name) = self else { return None };
        Some(format!(
            "`{name}` may fail in this line, because it lacks rights here. Run it in a line of its own, without variables, and without \
             other programs"
        ))
    }
}

/// Returns the program of a command, if it needs more rights.
fn privileged(command: &Command) -> Option<&'static Privileged> {
    PRIVILEGED.iter().find(|program| Some(program.name) == command.program.name())
}

/// Returns the programs that the shell starts, as the line writes them, or `None` if that is not certain.
fn names(reading: &Reading) -> Option<BTreeSet<Cow<'_, str>>> {
    let started = reading.commands.iter().filter(|command| command.via.is_none());
    let names: Option<BTreeSet<_>> = started.map(|command| command.words.first()?.literal()).collect();
    names.map(|names| names.into_iter().filter(|name| !BUILT_IN.contains(&&**name)).collect())
}

/// Returns whether a command could do nothing else where nothing is hidden from it.
fn is_harmless(reading: &Reading, id: CommandId) -> bool {
    let command = reading.command(id);
    let Program::Known { name, built: false } = &command.program else { return false };
    if !command.assignments.is_empty() {
        return false;
    }
    let has_other_rights = |by: &Command| privileged(by).is_some_and(|by| by.runs_others) && !names_user(by);
    if command.via.is_some() {
        return reading.wrappers(id).any(|(by, _)| has_other_rights(by));
    }
    privileged(command).is_some() || BUILT_IN.contains(&name.as_str()) || PLAIN.contains(&name.as_str())
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
        Rights::of_line(line, &ShellState::default(), &|word| !word.contains('/') && word != "planted", is_root)
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
    fn a_line_with_anything_else_is_refused_more_rights() {
        for line in [
            "ping -c 1 localhost; python3 x.py",
            "ping $(./x)",
            "./ping x",
            "/home/me/bin/ping x",
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
            assert!(matches!(rights(line, false), Rights::Refused(_)), "{line}: {:?}", rights(line, false));
        }
        let state =
            ShellState { variables: vec![("PATH".to_owned(), Some("/tmp".to_owned()))], ..ShellState::default() };
        let refused = Rights::of_line("ping x", &state, &|_| true, false);
        assert_eq!(refused, Rights::Refused("ping"));
        assert!(refused.note().is_some_and(|note| note.starts_with("`ping` may fail")));
    }

    #[test]
    fn other_lines_have_the_usual_rights() {
        for line in ["ls", "grep ping x", "echo sudo", "cargo build", "python3 -c 'print(1)'"] {
            assert_eq!(rights(line, false), Rights::Usual, "{line}");
        }
        for line in ["sudo make", "ping x", "crontab -l"] {
            assert_eq!(rights(line, true), Rights::Usual, "{line}: root has the rights of set-user-ID programs");
        }
        assert_eq!(Rights::Usual.note(), None);
    }

    #[test]
    fn the_names_are_sorted() {
        assert!(BUILT_IN.is_sorted() && PLAIN.is_sorted());
    }
}
