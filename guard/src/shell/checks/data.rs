//! Data of the user that commands send, code that they write, and what they get of the machine.

use super::{Piece, sends_data};
use crate::codes::Code;
use crate::directives;
use crate::files;
use crate::hosts::{self, Standing};
use crate::language;
use crate::purpose::Topic;
use crate::shell::command::Plain;
use crate::tables::{names, places};
use crate::unit::{Found, Inner, Judged};

/// Programs that ask for the password of an account.
const PASSWORD_PROGRAMS: &[&str] = &["sudo", "su", "doas", "passwd", "pkexec", "login"];

/// Programs that print a database, a folder, the screen or a sound.
const DUMPERS: &[&str] = &[
    "pg_dump",
    "pg_dumpall",
    "mysqldump",
    "mariadb-dump",
    "mongodump",
    "mongoexport",
    "tar",
    "cpio",
    "zip",
    "7z",
    "screencapture",
    "scrot",
    "grim",
    "arecord",
    "rec",
];

/// Returns whether a command prints data of the user: a repository, a database, a folder, or the screen.
fn prints_own_data(command: &Plain) -> bool {
    let has = |words: &[&str]| command.arguments.iter().any(|word| words.contains(&word.as_str()));
    match command.name.as_str() {
        "git" => has(&["diff", "show", "bundle", "archive", "format-patch", "fast-export"]) || has(&["-p", "--patch"]),
        "sqlite3" => has(&[".dump", ".backup"]),
        "find" => has(&["-exec", "-execdir"]) && has(&["cat"]),
        name => DUMPERS.contains(&name),
    }
}

/// Returns whether a word has a whole public key, and not a form for one.
fn has_public_key(word: &str) -> bool {
    word.split_whitespace().any(|part| {
        let rest = part.strip_prefix("AAAA").unwrap_or_default();
        rest.len() >= 40 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
    })
}

/// Returns what comes after an option, without regard to case.
fn strip_option<'w>(word: &'w str, start: &str) -> Option<&'w str> {
    let own = word.get(..start.len())?;
    (own.eq_ignore_ascii_case(start) && word.len() > start.len()).then(|| &word[start.len()..])
}

/// Returns the commands in settings that a command of git gets: `-c KEY=VALUE`, `config KEY VALUE`.
fn git_commands(command: &Plain) -> impl Iterator<Item = &str> {
    let pairs = command.arguments.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
    let joined = command.arguments.iter().filter_map(|word| word.split_once('='));
    let is_command = |(key, value): &(&str, &str)| {
        let key = key.trim_start_matches("-c").trim().to_ascii_lowercase();
        let is_setting = key.contains('.') && names::GIT_SETTINGS.iter().any(|end| key.ends_with(end));
        is_setting || key.starts_with("alias.") && value.starts_with('!')
    };
    pairs.chain(joined).filter(is_command).map(|(_, value)| value)
}

impl Piece<'_> {
    /// Returns whether a command, or one that feeds it, writes down a public key.
    pub(super) fn names_a_key(&self, command: &Plain) -> bool {
        let feeding = command.fed_by.iter().filter_map(|id| self.commands.get(*id as usize));
        std::iter::once(command)
            .chain(feeding)
            .flat_map(|command| command.arguments.iter().chain(&command.behind).chain(&command.here))
            .any(|word| has_public_key(word))
    }

    /// A repository, a database or a folder that is sent to a fixed host.
    pub(super) fn own_data(&self, command: &Plain, judged: &mut Judged) {
        let is_upload = matches!(command.name.as_str(), "curl" | "wget" | "nc" | "ncat" | "socat" | "telnet")
            && sends_data(command)
            && command.fed_by.iter().filter_map(|id| self.commands.get(*id as usize)).any(prints_own_data);
        if !is_upload {
            return;
        }
        let words = command.arguments.iter().chain(&command.behind);
        let address = words
            .flat_map(|word| hosts::addresses(word))
            .find(|address| address.standing() != Standing::Local && !address.host.contains('$'));
        let host = address.map(|address| address.host).or_else(|| {
            let is_host = |word: &&String| word.contains('.') && !word.contains(['/', '$']) && !word.starts_with('-');
            command.arguments.iter().find(|word| !command.name.starts_with('c') && is_host(word)).cloned()
        });
        let Some(host) = host else { return };
        let message = format!("The command sends a repository, a database or a folder of the user to {host}.");
        let found = self.found(command, Code::SendsSecrets, message);
        let severity = self.context.severity(Code::SendsSecrets, &[Topic::Backup]).min(found.severity);
        judged.found.push(Found { severity, ..found });
    }

    /// Code that is written to a file from a here-document.
    pub(super) fn written_code(&self, command: &Plain, judged: &mut Judged) {
        let Some(here) = command.here.as_ref().filter(|_| matches!(command.name.as_str(), "cat" | "tee" | "sudo"))
        else {
            return;
        };
        let at = self.start + command.at.start;
        let targets = command.writes.iter().chain(&command.arguments).chain(&command.behind);
        let targets: Vec<&String> = targets.filter(|target| !target.starts_with('-')).collect();
        let is_shell = |target: &&&String| {
            let end = files::end_of(target);
            matches!(end.as_str(), "sh" | "bash" | "zsh" | "fish" | "command")
                || target.ends_with("rc")
                || target.contains("hooks/")
                || places::find(places::START_UP, target).is_some_and(|place| place.pattern != places::AUTHORIZED_KEYS)
        };
        let language = targets.iter().find_map(|target| language::language(&files::end_of(target)));
        if targets.iter().any(|target| is_shell(&target)) || here.starts_with("#!") && here.contains("sh\n") {
            judged.inner.push(Inner { language: "sh", text: here.clone(), at });
        } else if let Some(language) = language {
            judged.inner.push(Inner { language: language.name, text: here.clone(), at });
        }
        let commands = directives::commands(here).into_iter();
        judged.inner.extend(commands.map(|(_, text)| Inner { language: "sh", text, at }));
    }

    /// Values of options that are commands: `git -c core.sshCommand=x`, `tar --checkpoint-action=exec=x`, `psql -c '\! x'`.
    pub(super) fn values_that_run(&self, command: &Plain, judged: &mut Judged) {
        let at = self.start + command.at.start;
        let mut add = |language, text: &str| judged.inner.push(Inner { language, text: text.to_owned(), at });
        if names::EDITORS_AND_CLIENTS.contains(&command.name.as_str()) {
            for (_, text) in command.arguments.iter().chain(&command.here).flat_map(|word| directives::commands(word)) {
                add("sh", &text);
            }
        }
        for option in names::OPTIONS_THAT_RUN.iter().filter(|option| option.programs.contains(&command.name.as_str())) {
            let joined = command.arguments.iter().filter_map(|word| strip_option(word, option.start));
            let apart =
                command.arguments.windows(2).filter(|pair| pair[0] == option.start).map(|pair| pair[1].as_str());
            for value in joined.chain(apart) {
                add("sh", value.trim_start_matches('!'));
            }
        }
        if names::interpreter(&command.name) == Some("awk")
            && let Some(program) = command.arguments.iter().find(|word| !word.starts_with('-'))
        {
            add("awk", program);
        }
        if command.name == "crontab" {
            let entries = self.fed_by(command).flat_map(|other| &other.arguments);
            for (_, text) in entries.flat_map(|word| directives::commands(word)) {
                add("sh", &text);
            }
        }
        if command.name == "sed" {
            for script in command.arguments.iter().flat_map(|word| word.split([';', '\n', '{'])) {
                let script =
                    script.trim_start_matches(|letter: char| letter.is_ascii_digit() || "$,/ ".contains(letter));
                if let Some(command) = script.strip_prefix("e ") {
                    add("sh", command);
                }
            }
        }
        if command.name == "git" {
            for value in git_commands(command) {
                add("sh", value.trim_start_matches('!'));
            }
        }
    }

    /// A container that gets the machine.
    pub(super) fn machine(&self, command: &Plain, judged: &mut Judged) {
        if !matches!(command.name.as_str(), "docker" | "podman" | "nerdctl")
            || !command.arguments.iter().any(|word| matches!(word.as_str(), "run" | "create"))
        {
            return;
        }
        let value = |options: &[&str]| -> Vec<&str> {
            let apart = command.arguments.windows(2).filter(|pair| options.contains(&pair[0].as_str()));
            let joined = command
                .arguments
                .iter()
                .filter_map(|word| options.iter().find_map(|option| word.strip_prefix(option)?.strip_prefix('=')));
            apart.map(|pair| pair[1].as_str()).chain(joined).collect()
        };
        let is_root = |mount: &&str| {
            mount.starts_with("/:")
                || mount.split(',').any(|part| matches!(part, "src=/" | "source=/"))
                || mount.starts_with("//:")
                || mount.contains("docker.sock")
        };
        let mounts_root = value(&["-v", "--volume", "--mount"]).iter().any(is_root);
        let is_privileged = command.arguments.iter().any(|word| word == "--privileged" || word == "--privileged=true");
        let sees_processes = value(&["--pid", "--userns"]).contains(&"host");
        if mounts_root || is_privileged && sees_processes {
            let message = "The command gives the whole machine to a container.";
            judged.found.push(self.found(command, Code::HostAccess, message));
        }
    }

    /// A variable that a shell runs, with what was decoded or taken from data.
    pub(super) fn text_as_code(&self, command: &Plain, judged: &mut Judged) {
        let is_shell = names::INTERPRETERS.iter().any(|(name, language)| *name == command.name && *language == "sh");
        // `$SHELL -c "$x"`, `${SHELL:-bash} -c "$x"`.
        let is_variable = command.name.is_empty()
            && command.program.starts_with('$')
            && (command.program.to_lowercase().contains("shell") || command.program.ends_with("sh"));
        let gets_variable = command.arguments.windows(2).any(|pair| pair[0] == "-c" && pair[1].starts_with('$'));
        let evaluates = command.name == "eval" && command.arguments.iter().any(|word| word.starts_with('$'));
        if (is_shell || is_variable) && gets_variable || evaluates {
            self.decoded_for(command, judged);
        }
    }

    /// Functions and aliases that take the place of a program that asks for a password.
    pub(super) fn password_programs<'f>(&self, functions: impl Iterator<Item = &'f str>, judged: &mut Judged) {
        let function = functions.into_iter().find(|name| PASSWORD_PROGRAMS.contains(name));
        let alias = self.commands.iter().find(|command| {
            let replaces = |word: &String| {
                let Some((name, value)) = word.split_once('=') else { return false };
                // `alias sudo='sudo '` lets aliases after `sudo` work.
                PASSWORD_PROGRAMS.contains(&name) && value.split_whitespace().next() != Some(name)
            };
            command.name == "alias" && command.arguments.iter().any(replaces)
        });
        let message = "A function or an alias takes the place of a program that asks for a password.";
        if let Some(command) = alias {
            judged.found.push(self.found(command, Code::ReadsSecrets, message));
        } else if let Some(name) = function {
            let at = self.text.find(&format!("{name}()")).or_else(|| self.text.find(name)).unwrap_or_default();
            let range = self.start + at..self.start + at + name.len();
            judged.found.push(Found::in_unit(self.unit, Code::ReadsSecrets, range, message));
        }
    }
}
