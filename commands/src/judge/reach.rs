//! The paths that a command names. An approval for a session is limited to paths.

use crate::file_system::Entry;
use crate::flags::Argument;
use crate::judge::components::PathWord;
use crate::judge::line::Line;
use crate::judge::links::keeps_links;
use crate::judge::subject::Subject;
use crate::reading::{Command, Directory, Reading, Surroundings};
use crate::rules::RuleSet;
use crate::span::Span;
use crate::syntax::{CommandId, RedirectKind, Word};

/// Returns the files and folders that a command names, as absolute paths without `.`, `..` and patterns. If it names none, returns
/// its working directory. Paths that its wrappers name (`find FOLDER -exec ...`, `sudo`) are included. A pattern such as `build/*`
/// counts as its folder.
///
/// Each word that is not an option counts as a path, because a rule does not say which ones are. The paths to which links lead are
/// included, as far as the line makes them or the file system is known.
///
/// Returns `None` if some of them are not certain: a word has an expansion whose value is unknown, arguments are added at run time,
/// or the working directory is unknown.
pub fn reach(
    reading: &Reading,
    id: CommandId,
    rules: &RuleSet<'_>,
    surroundings: &Surroundings<'_>,
) -> Option<Vec<String>> {
    let line = Line::new(reading, rules, surroundings);
    let mut reach = Reach { line: &line, paths: Vec::new() };
    let mut next = Some(id);
    while let Some(id) = next {
        reach.add_command(id)?;
        next = reading.command(id).via.map(|via| via.command);
    }
    if reach.paths.is_empty() {
        reach.add(&Word::plain(".", Span::default()), reading.command(id))?;
    }
    reach.paths.sort_unstable();
    reach.paths.dedup();
    Some(reach.paths)
}

struct Reach<'l> {
    line: &'l Line<'l>,
    paths: Vec<String>,
}

impl Reach<'_> {
    /// Adds the paths of a command. Returns `None` if one is not certain.
    fn add_command(&mut self, id: CommandId) -> Option<()> {
        let subject = Subject::new(self.line, id);
        let command = subject.command;
        if command.appended {
            return None;
        }
        if let Some(program) = command.words.first()
            && program.text()?.contains('/')
        {
            self.add_paths(program, command)?;
        }
        for argument in &subject.arguments {
            match argument {
                Argument::Operand { word, .. } | Argument::Either { word, .. } => self.add(word, command)?,
                Argument::Option { value: Some(value), index, .. } => {
                    self.add(&subject.value_word(value, *index), command)?;
                }
                Argument::Option { value: None, index, .. } => {
                    // The option may have a value although the program table does not say so: `-C/etc`.
                    let word = &command.arguments()[*index];
                    let text = word.text()?;
                    if let Some(at) = text.find('/') {
                        self.add(&Word::plain(&text[at..], word.span), command)?;
                    }
                }
            }
        }
        for assignment in &command.assignments {
            self.add(&assignment.value, command)?;
        }
        for redirect in &command.redirects {
            let is_text = matches!(redirect.kind, RedirectKind::HereDocument | RedirectKind::HereString);
            if !is_text && !redirect.targets_descriptor() {
                self.add(&redirect.target, command)?;
            }
        }
        Some(())
    }

    /// Adds the path of a word. A `cd` before the command can fail, so the path is added for both directories.
    fn add(&mut self, word: &Word, command: &Command) -> Option<()> {
        let first = self.paths.len();
        self.add_paths(word, command)?;
        // What changes a file also changes it at its other paths, which are not known.
        let has_other_paths = |path: &String| {
            let entry = self.line.lookups.as_ref().and_then(|lookups| lookups.entry(path));
            matches!(entry, Some(Entry::File { has_other_paths: true, .. }))
        };
        if !keeps_links(command) && self.paths[first..].iter().any(has_other_paths) {
            return None;
        }
        if command.directory != Directory::Start {
            self.add_paths(word, &Command { directory: Directory::Start, ..command.clone() })?;
        }
        Some(())
    }

    /// Adds the path of a word, and those to which it leads.
    fn add_paths(&mut self, word: &Word, command: &Command) -> Option<()> {
        let path = PathWord::new(word, command, self.line);
        let linked = path.through_links(command, self.line);
        let texts: Vec<&PathWord> = [&path].into_iter().chain(&linked).collect();
        let real = PathWord::real_paths(word, &texts, command, self.line);
        for path in texts.into_iter().chain(&real) {
            self.paths.push(path.certain_folder()?);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::programs::USUAL;

    static RULES: std::sync::LazyLock<RuleSet<'static>> = std::sync::LazyLock::new(|| RuleSet::new(&[], &[], USUAL));

    /// Returns the reach of the last `rm` of a line that runs in `/w/app`, or else of its last command.
    fn of_last(line: &str) -> Option<Vec<String>> {
        let surroundings = Surroundings {
            directory: Some(Path::new("/w/app")),
            home: Some(Path::new("/home/me")),
            variables: &[("OUT", "/srv/out")],
            ..Surroundings::default()
        };
        let reading = crate::read(line, &USUAL, &surroundings);
        let is_rm = |command: &Command| command.program.name() == Some("rm");
        let last = reading.commands.iter().rposition(is_rm).unwrap_or(reading.commands.len() - 1);
        reach(&reading, u32::try_from(last).unwrap(), &RULES, &surroundings)
    }

    #[test]
    fn every_path_of_a_command_counts() {
        for (line, paths) in [
            ("rm -rf build", &["/w/app/build"][..]),
            ("rm -rf ./build/../dist /etc/x", &["/etc/x", "/w/app/dist"]),
            ("rm -rf ../other", &["/w/other"]),
            ("rm -rf ../../..", &["/"]),
            ("rm -rf ~/x \"$HOME/y\"", &["/home/me/x", "/home/me/y"]),
            ("rm -rf $OUT/x", &["/srv/out/x"]),
            ("rm -rf build/*", &["/w/app/build"]),
            ("git clean -fdx", &["/w/app/clean"]),
            ("ls", &["/w/app"]),
            ("tar --directory=/srv -xf a.tar", &["/srv", "/w/app/a.tar"]),
            ("cc -I/usr/include x.c", &["/usr/include", "/w/app/x.c"]),
            ("GIT_DIR=/srv/git git gc", &["/srv/git", "/w/app/gc"]),
            ("echo x > ../out 2>&1", &["/w/app/x", "/w/out"]),
            ("../tool --all", &["/w/tool"]),
        ] {
            assert_eq!(of_last(line).as_deref(), Some(paths.map_strings().as_slice()), "{line}");
        }
    }

    #[test]
    fn both_directories_count_after_a_cd() {
        let paths = ["/w/app/x", "/w/other/x"].map(str::to_owned);
        assert_eq!(of_last("cd ../other; rm -rf x").unwrap(), paths);
    }

    #[test]
    fn what_a_wrapper_names_counts() {
        let paths = of_last("sudo -u me rm -rf build").unwrap();
        assert!(paths.contains(&"/w/app/build".to_owned()) && paths.iter().all(|path| path.starts_with("/w/app")));
        assert!(of_last("env -C /etc rm -rf x").is_some_and(|paths| paths.contains(&"/etc".to_owned())));
    }

    #[test]
    fn what_is_known_only_at_run_time_has_no_reach() {
        for line in [
            "rm -rf \"$1\"",
            "rm -rf $(pick)",
            "ls | xargs rm -rf",
            "find /etc -exec rm -rf {} +",
            "cd \"$X\"; rm x",
            "rm -rf .*",
            "X=$(y) rm z",
            "rm -rf $UNSET/x",
            "rm -o\"$1\" x",
        ] {
            assert_eq!(of_last(line), None, "{line}");
        }
        let reading = crate::read("rm x", &USUAL, &Surroundings::default());
        assert_eq!(reach(&reading, 0, &RULES, &Surroundings::default()), None, "the directory is unknown");
    }

    trait MapStrings {
        fn map_strings(&self) -> Vec<String>;
    }

    impl MapStrings for &[&str] {
        fn map_strings(&self) -> Vec<String> {
            self.iter().map(|&text| text.to_owned()).collect()
        }
    }
}
