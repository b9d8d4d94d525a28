//! Which hidden places a line sees, because its programs may read them.
//!
//! Every command of the line must be plain, or a program that may read the place and belongs to the system. What a program such as `ssh` runs
//! on another machine does not count. Plain programs must get their input from a pipe: they could print what is in the place.

use std::path::{Path, PathBuf};

use toolc::approval::ShellState;
use toolc::commands::rules::{Access, RuleSet};
use toolc::commands::syntax::{Redirect, RedirectKind};
use toolc::commands::{Command, CommandId, Program, Reading, Surroundings, Word, read};
use toolc_environment::Environment;

use crate::place::Variables;
use crate::privileges::{BUILT_IN, PLAIN, is_clear, names};
use crate::typed::SystemPrograms;

/// What a line sees of the hidden places.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads {
    /// The places that it sees.
    pub(crate) places: Vec<PathBuf>,
    /// A program of the line, and a place that it may read but does not see in this line.
    pub(crate) lacking: Option<(String, PathBuf)>,
}

impl Reads {
    /// Returns what a line sees in an environment with these variables. The line starts with this state of the shell.
    pub(crate) fn new(
        line: &str,
        state: &ShellState,
        rules: &RuleSet<'_>,
        environment: &dyn Environment,
        variables: &Variables,
    ) -> Self {
        if !environment.hidden_places().is_empty() {
            let programs = SystemPrograms::new(environment, variables);
            let home = variables.iter().find(|(name, _)| name == "HOME").map(|(_, value)| PathBuf::from(value));
            let known = Known {
                rules,
                places: environment.hidden_places(),
                home: home.as_deref(),
                belongs_to_system: &|word| programs.contains(word),
            };
            return known.of_line(line, state);
        }
        Self::default()
    }
}

/// What is known when a line is looked at.
struct Known<'k> {
    rules: &'k RuleSet<'k>,
    places: &'k [PathBuf],
    home: Option<&'k Path>,
    /// Returns whether the program of a word belongs to the system.
    belongs_to_system: &'k dyn Fn(&str) -> bool,
}

impl Known<'_> {
    fn of_line(&self, line: &str, state: &ShellState) -> Reads {
        let readers = || self.rules.access().iter().filter(|access| !access.reads.is_empty());
        let names_of_readers = || readers().flat_map(|access| access.programs);
        // Most lines have no such name in them.
        if !names_of_readers().any(|name| line.contains(first_word(name))) {
            return Reads::default();
        }
        let reading = read(line, self.rules.programs(), &Surroundings::default());
        let is_trusted = is_clear(&reading)
            && state.variables.is_empty()
            && names(&reading).is_some_and(|names| names.iter().all(|name| (self.belongs_to_system)(name)));
        let mut reads = Reads::default();
        for place in self.places {
            let reader = reading.commands.iter().find(|command| self.may_read(command, place));
            let Some(reader) = reader else { continue };
            if is_trusted && reading.ids().all(|id| self.is_harmless(&reading, id, place)) {
                reads.places.push(place.clone());
            } else if reads.lacking.is_none() {
                reads.lacking = reader.program.name().map(|name| (name.to_owned(), place.clone()));
            }
        }
        reads
    }

    /// Returns whether a command is one of a program that may read a place.
    fn may_read(&self, command: &Command, place: &Path) -> bool {
        self.entries_of(command).any(|access| access.reads.iter().any(|path| self.is_in(place, path)))
    }

    fn entries_of<'s>(&'s self, command: &'s Command) -> impl Iterator<Item = &'s Access<'s>> {
        self.rules.access().iter().filter(|access| access.programs.iter().any(|program| is_of(command, program)))
    }

    /// Returns whether a place is the path of an entry, or in it.
    fn is_in(&self, place: &Path, path: &str) -> bool {
        match (path.strip_prefix("~/"), self.home) {
            (Some(below), Some(home)) => place.starts_with(home.join(below)),
            (Some(_), None) => false,
            (None, _) => place.starts_with(path),
        }
    }

    /// Returns whether a command can print nothing of a place, or may.
    fn is_harmless(&self, reading: &Reading, id: CommandId, place: &Path) -> bool {
        let command = reading.command(id);
        let Program::Known { name, built: false } = &command.program else { return false };
        if !command.assignments.is_empty() {
            return false;
        }
        if command.via.is_some() {
            let is_elsewhere =
                |by: &Command| self.may_read(by, place) && self.entries_of(by).any(|access| access.runs_apart);
            return reading.wrappers(id).any(|(by, _)| is_elsewhere(by));
        }
        if self.may_read(command, place) {
            return true;
        }
        // The redirections of a compound command belong to a command without a program, which is not harmless.
        let takes_files = PLAIN.contains(&name.as_str());
        (takes_files || BUILT_IN.contains(&name.as_str()))
            && !command.redirects.iter().any(reads_file)
            && (!takes_files || command.arguments().iter().all(is_option))
    }
}

/// Returns whether a redirection opens a file to read it.
fn reads_file(redirect: &Redirect) -> bool {
    let is_null = redirect.target.literal().is_some_and(|target| target == "/dev/null");
    matches!(redirect.kind, RedirectKind::Read | RedirectKind::ReadWrite) && !is_null
}

/// Returns whether an argument is an option or a number, and names no file.
fn is_option(word: &Word) -> bool {
    let number = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
    word.literal().is_some_and(|text| !text.contains('/') && (text.starts_with('-') || number(&text)))
}

/// Returns the program of an entry, which can have a subcommand.
fn first_word(entry: &str) -> &str {
    entry.split(' ').next().unwrap_or(entry)
}

/// Returns whether a command is one of the program of an entry, with the subcommand as its first arguments.
fn is_of(command: &Command, entry: &str) -> bool {
    let mut words = entry.split(' ');
    let mut arguments = command.arguments().iter();
    words.next() == command.program.name()
        && words.all(|word| arguments.next().and_then(Word::literal).is_some_and(|argument| argument == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(line: &str, places: &[&str]) -> Reads {
        let places: Vec<PathBuf> = places.iter().map(PathBuf::from).collect();
        let known = Known {
            rules: toolc_catalog::commands::rules(),
            places: &places,
            home: Some(Path::new("/home/me")),
            belongs_to_system: &|word| !word.contains('/') && word != "planted",
        };
        known.of_line(line, &ShellState::default())
    }

    const SSH: &str = "/home/me/.ssh";
    const AWS: &str = "/home/me/.aws";

    #[test]
    fn a_line_of_a_reader_and_plain_programs_sees_the_place_of_the_reader() {
        for line in [
            "ssh host uptime",
            "ssh host 'python3 x.py && make'",
            "ssh host <<E\nmake\nE",
            "cd app && git push origin main 2>&1 | tail -5",
            "git fetch; git status > out; echo done",
            "scp x host: && rsync -a x host:x",
        ] {
            let expected = Reads { places: vec![SSH.into()], lacking: None };
            assert_eq!(reads(line, &[SSH, AWS]), expected, "{line}");
        }
        assert_eq!(reads("aws s3 ls", &[SSH, AWS]).places, [Path::new(AWS)]);
        assert_eq!(reads("ssh host ls", &["/home/me/.ssh/keys"]).places, [Path::new("/home/me/.ssh/keys")]);
        assert_eq!(reads("npm publish --tag x", &["/home/me/.npmrc"]).places, [Path::new("/home/me/.npmrc")]);
    }

    #[test]
    fn a_line_with_anything_else_does_not_see_the_place() {
        for line in [
            "git pull && make",
            "git pull; python3 x.py",
            "ssh host $(./x)",
            "./ssh host ls",
            "planted; ssh host ls",
            "GIT_SSH=./x git fetch",
            "git fetch | planted",
            "ssh() { make; }; ssh x",
            "git push; cat ~/.ssh/id_rsa",
            "cd ~/.ssh; git status; cat id_rsa",
            "git push; cat < ~/.ssh/id_rsa",
            "git push; { tail -1; } < x",
            "git push; echo $(< x)",
            "aws s3 ls; git push",
        ] {
            let found = reads(line, &[SSH]);
            assert!(found.places.is_empty() && found.lacking.is_some(), "{line}: {found:?}");
        }
        let exported =
            ShellState { variables: vec![("GIT_DIR".to_owned(), Some("x".to_owned()))], ..ShellState::default() };
        let places = [PathBuf::from(SSH)];
        let rules = toolc_catalog::commands::rules();
        let known = Known { rules, places: &places, home: Some(Path::new("/home/me")), belongs_to_system: &|_| true };
        assert!(known.of_line("git push", &exported).places.is_empty());
    }

    #[test]
    fn other_programs_lack_nothing() {
        for line in ["make", "cat ~/.ssh/id_rsa", "npm run build", "echo ssh", "aws s3 ls"] {
            assert_eq!(reads(line, &[SSH, "/home/me/.npmrc"]), Reads::default(), "{line}");
        }
        assert_eq!(reads("ssh host ls", &[]), Reads::default());
        assert_eq!(reads("ssh host ls", &["/home/me"]), Reads::default(), "the place is more than ssh may read");
    }
}
