//! What only matters in a skill: encoded commands, private files, agents' files, hosts, and code of other languages in commands.

mod data;
mod network;

use toolc_commands::{Cause, DoubtKind, Judgement, Program, Reading};

use super::command::{Plain, commands, text as word_text};
use super::{packages, run};
use crate::codes::Code;
use crate::context::Context;
use crate::decode;
use crate::hosts::{self, Standing};
use crate::purpose::Topic;
use crate::tables::names::{self, interpreter};
use crate::tables::places;
use crate::unit::{Found, Inner, Judged, Unit};

/// Ends of names of files that are data.
const DATA: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "txt", "md", "dat", "bin", "json", "csv", "log", "ico", "svg", "pdf", "xml", "ttf",
    "woff", "wav", "mp3", "bmp", "tmp", "cfg", "conf", "ini", "lock", "pyc",
];

/// One piece of a unit, with its commands.
struct Piece<'a> {
    unit: &'a Unit,
    start: usize,
    text: &'a str,
    commands: Vec<Plain>,
    context: &'a Context<'a>,
}

/// Adds what the commands of a piece do.
pub(super) fn check(
    unit: &Unit,
    start: usize,
    text: &str,
    judgement: &Judgement<'_>,
    context: &Context<'_>,
    judged: &mut Judged,
) {
    let piece = Piece { unit, start, text, commands: commands(&judgement.reading), context };
    for command in &piece.commands {
        let feeding: Vec<&Plain> = piece.fed_by(command).collect();
        run::record(command, &feeding, &mut context.uses.borrow_mut());
        piece.private_files(command, judged);
        piece.environment(command, judged);
        piece.written_files(command, judged);
        piece.addresses(command, judged);
        piece.look_ups(command, judged);
        piece.data_as_code(command, judged);
        piece.other_languages(command, judged);
        piece.dialogs(command, judged);
        piece.entered(command, judged);
        piece.own_data(command, judged);
        piece.written_code(command, judged);
        piece.machine(command, judged);
        piece.text_as_code(command, judged);
        piece.values_that_run(command, judged);
        piece.escaped(command, judged);
        packages::check(command, |code, message| piece.found(command, code, message), judged);
    }
    piece.variables_that_run(&judgement.reading, judged);
    piece.cloned(judged);
    piece.decoded(judgement, judged);
    piece.built_names(&judgement.reading, judged);
    piece.connections(judged);
    piece.password_programs(judgement.reading.functions(), judged);
}

impl Piece<'_> {
    fn found(&self, command: &Plain, code: Code, message: impl Into<String>) -> Found {
        Found::in_unit(self.unit, code, self.start + command.at.start..self.start + command.at.end, message)
    }

    /// Returns the commands whose output a command gets.
    fn fed_by(&self, command: &Plain) -> impl Iterator<Item = &Plain> {
        command.fed_by.iter().filter_map(|id| self.commands.get(*id as usize))
    }

    fn is_sender(command: &Plain) -> bool {
        names::SENDERS.contains(&command.name.as_str())
    }

    /// Private files that are read or sent.
    fn private_files(&self, command: &Plain, judged: &mut Judged) {
        let reads_files = names::FILE_READERS.contains(&command.name.as_str());
        let own = command.arguments.iter().chain(&command.behind).filter(|_| reads_files).chain(&command.reads);
        let mut secret = own.clone().find_map(|word| places::find(places::SECRETS, word));
        let is_sender = Self::is_sender(command) && sends_data(command);
        let fed = || command.fed_by.iter().filter_map(|id| self.commands.get(*id as usize));
        if is_sender {
            let of_feeding = fed().find_map(|feeding| {
                let words = feeding.arguments.iter().chain(&feeding.reads).chain(&feeding.behind);
                words.into_iter().find_map(|word| places::find(places::SECRETS, word))
            });
            secret = of_feeding.or(secret);
        }
        // A key that a connection uses is not sent.
        let is_key_option = matches!(command.name.as_str(), "scp" | "rsync" | "sftp" | "curl" | "wget")
            && command.arguments.windows(2).any(|pair| {
                matches!(pair[0].as_str(), "-i" | "--key" | "--cert" | "-e" | "-K" | "--netrc-file")
                    && places::find(places::SECRETS, &pair[1]).is_some()
            });
        let Some(place) = secret.filter(|_| !is_key_option) else {
            let words = || {
                command
                    .arguments
                    .iter()
                    .chain(&command.reads)
                    .chain(fed().flat_map(|feeding| feeding.arguments.iter().chain(&feeding.reads)))
            };
            if is_sender && command.name != "gh" && words().any(|word| places::is_file_of_variables(word)) {
                judged.found.push(self.found(
                    command,
                    Code::SendsSecrets,
                    "The command sends a file of variables, which can hold passwords and tokens.",
                ));
            }
            return;
        };
        if is_sender {
            judged.found.push(self.found(command, Code::SendsSecrets, format!("The command sends {}.", place.what)));
        } else if !matches!(command.name.as_str(), "ls" | "find")
            || command.arguments.iter().any(|word| word == "-exec")
        {
            let found = self.found(command, Code::ReadsSecrets, format!("The command reads {}.", place.what));
            let severity = self.context.severity(Code::ReadsSecrets, place.topics).min(found.severity);
            judged.found.push(Found { severity, ..found });
        }
    }

    /// Files that start something later, or that steer agents.
    fn written_files(&self, command: &Plain, judged: &mut Judged) {
        let to_last = matches!(
            command.name.as_str(),
            "cp" | "mv" | "ln" | "install" | "rsync" | "copy-item" | "move-item" | "ditto"
        );
        let to_all = matches!(command.name.as_str(), "tee" | "add-content" | "set-content" | "out-file" | "truncate");
        let in_place = matches!(command.name.as_str(), "sed" | "perl")
            && command.arguments.iter().any(|word| word.starts_with("-i") || word.starts_with("-pi"));
        let output = |word: &&String| {
            command.arguments.windows(2).any(|pair| {
                pair[1] == **word && matches!(pair[0].as_str(), "-o" | "-O" | "--output" | "--output-document")
            })
        };
        let last = command.arguments.last().filter(|_| to_last || in_place);
        let all = command.arguments.iter().filter(|word| to_all || word.starts_with("of=") || output(word));
        for target in command.writes.iter().chain(last).chain(all) {
            for (list, code) in [(places::AGENT_FILES, Code::AgentFiles), (places::START_UP, Code::StartUp)] {
                let Some(place) = places::find(list, target) else { continue };
                let found = self.found(command, code, format!("The command writes {}.", place.what));
                let mut severity = self.context.severity(code, place.topics).min(found.severity);
                if place.pattern == places::AUTHORIZED_KEYS && !self.names_a_key(command) {
                    severity = self.context.severity(code, &[Topic::Ssh]).min(severity);
                }
                judged.found.push(Found { severity, ..found });
            }
        }
        let is_agent = matches!(command.name.as_str(), "claude" | "codex" | "gemini" | "openclaw" | "hermes");
        if is_agent
            && command.arguments.first().is_some_and(|word| word == "config")
            && command
                .arguments
                .iter()
                .any(|word| word.contains("approval") || word.contains("permission") || word.contains("sandbox"))
        {
            judged.found.push(self.found(command, Code::Approval, "The command changes the approvals of an agent."));
        }
    }

    /// Files that are not code by their names, and are run as code.
    fn data_as_code(&self, command: &Plain, judged: &mut Judged) {
        if !names::INTERPRETERS.iter().any(|(name, _)| *name == command.name) {
            return;
        }
        let has_inline = command.arguments.iter().any(|word| matches!(word.as_str(), "-c" | "-e" | "-m" | "-"));
        let Some(file) = command.arguments.iter().find(|word| !word.starts_with('-')).filter(|_| !has_inline) else {
            return;
        };
        let name = file.rsplit('/').next().unwrap_or_default().to_lowercase();
        let Some((_, end)) = name.rsplit_once('.') else { return };
        if DATA.contains(&end)
            && !file.contains('$')
            && !(matches!(command.name.as_str(), "." | "source") && matches!(end, "conf" | "cfg" | "ini" | "txt"))
        {
            judged.found.push(self.found(
                command,
                Code::HiddenPayload,
                "The command runs a file as code whose name says that it is data.",
            ));
        }
    }

    /// Code in arguments and here-documents.
    fn other_languages(&self, command: &Plain, judged: &mut Judged) {
        let Some(language) = interpreter(&command.name).filter(|language| *language != "sh") else { return };
        let mut add = |text: &String| {
            judged.inner.push(Inner { language, text: text.clone(), at: self.start + command.at.start });
        };
        let options: &[&str] = if language == "powershell" {
            &["-command", "-c"]
        } else {
            &["-c", "-e", "--eval", "-p", "--print", "-r", "eval", "-pe", "-ne", "-lane", "-E"]
        };
        for pair in command.arguments.windows(2) {
            if options.contains(&pair[0].as_str()) || options.contains(&pair[0].to_lowercase().as_str()) {
                add(&pair[1]);
            }
            let option = pair[0].to_lowercase();
            if language == "powershell"
                && option.len() >= 2
                && "-encodedcommand".starts_with(&option)
                && option != "-ex"
            {
                let decoded = decode::base64(&pair[1]).map(|bytes| decode::text_of(&bytes)).unwrap_or_default();
                // `-enc …` is a form, and no code.
                if !decoded.is_empty() || pair[1].contains('$') {
                    let message = format!("The command runs encoded code: {}", crate::visible::visible(&decoded));
                    judged.found.push(self.found(command, Code::HiddenPayload, message));
                }
            }
        }
        if let Some(here) = &command.here {
            add(here);
        }
    }

    /// Entries in schedulers, registries and manifests, and repositories that get what is here.
    fn entered(&self, command: &Plain, judged: &mut Judged) {
        let words = command.arguments.join(" ").to_lowercase();
        let first = command.arguments.first().map(String::as_str).unwrap_or_default();
        let (is_entered, topics): (bool, &[Topic]) = match command.name.as_str() {
            "schtasks" => (words.contains("/create"), &[Topic::Schedule]),
            "reg" => (first.eq_ignore_ascii_case("add") && words.contains("currentversion\\run"), &[Topic::Schedule]),
            "crontab" => {
                (!first.is_empty() && !first.starts_with("-l") && !first.starts_with("-e"), &[Topic::Schedule])
            }
            "launchctl" => (matches!(first, "load" | "bootstrap" | "enable"), &[Topic::Schedule]),
            "npm" | "pnpm" => {
                let is_hook = ["postinstall", "preinstall", "scripts.prepare"].iter().any(|hook| words.contains(hook));
                (first == "pkg" && words.contains(" set ") && is_hook, &[])
            }
            _ => (false, &[]),
        };
        if is_entered {
            let message = "The command enters something that runs on its own later.";
            let found = self.found(command, Code::StartUp, message);
            let severity = self.context.severity(Code::StartUp, topics).min(found.severity);
            judged.found.push(Found { severity, ..found });
        }
        let address = command.arguments.iter().find_map(|word| hosts::addresses(word).into_iter().next());
        let pushes = command.name == "git" && first == "push";
        if let Some(address) = address.filter(|address| pushes && !address.is_forge()) {
            let message = format!("The command pushes commits to {}.", address.host);
            judged.found.push(self.found(command, Code::SuspiciousHost, message));
        }
    }

    /// Questions for a password in a window.
    fn dialogs(&self, command: &Plain, judged: &mut Judged) {
        let words = command.arguments.join(" ").to_lowercase();
        let asks = command.name == "osascript"
            && words.contains("display dialog")
            && (words.contains("hidden answer") || words.contains("password"))
            || matches!(command.name.as_str(), "zenity" | "kdialog") && words.contains("password")
            || command.name == "dscl" && words.contains("authonly");
        if asks {
            judged.found.push(self.found(
                command,
                Code::AsksForSecrets,
                "The command asks for the password of the user in a window of its own.",
            ));
        }
        let weakens = match command.name.as_str() {
            "spctl" | "csrutil" => words.contains("disable"),
            "set-mppreference" => words.contains("disable") || words.contains("exclusion"),
            "add-mppreference" => words.contains("exclusion"),
            "set-executionpolicy" => words.contains("bypass") || words.contains("unrestricted"),
            "setenforce" => words.contains('0'),
            "ufw" | "iptables" => words.contains("disable") || words.contains("-f"),
            _ => false,
        };
        if weakens && !self.context.purpose.declares(&[crate::purpose::Topic::Security, crate::purpose::Topic::Network])
        {
            judged.found.push(self.found(
                command,
                Code::Approval,
                "The command switches a protection of the system off.",
            ));
        }
        let mines = words.contains("stratum+tcp://") || words.contains("stratum+ssl://") || command.name == "xmrig";
        if mines {
            judged.found.push(self.found(
                command,
                Code::Destroys,
                "The command lets the machine work for others: it mines for a pool.",
            ));
        }
    }

    /// A program of a repository that the same commands have cloned.
    fn cloned(&self, judged: &mut Judged) {
        let clones = self.commands.iter().enumerate().filter(|(_, command)| {
            command.name == "git" && command.arguments.first().is_some_and(|word| word == "clone")
        });
        for (at, clone) in clones {
            let Some(address) = clone.arguments.iter().find_map(|word| hosts::addresses(word).into_iter().next())
            else {
                continue;
            };
            if address.is_known_installer() || address.standing() == Standing::Local {
                continue;
            }
            let last = clone
                .arguments
                .iter()
                .rev()
                .find(|word| !word.starts_with('-'))
                .map(|word| word.trim_end_matches('/').trim_end_matches(".git"))
                .unwrap_or_default();
            let folder = last.rsplit('/').next().unwrap_or_default();
            let later = &self.commands[at + 1..];
            let enters = later.iter().any(|command| {
                command.name == "cd" && command.arguments.first().is_some_and(|word| word.contains(folder))
            });
            let is_script = |word: &str| {
                !word.starts_with('-')
                    && !word.contains('$')
                    && (word.contains(folder) || enters && !word.starts_with(['/', '~']))
            };
            let runs = later.iter().find(|command| {
                let is_interpreter = names::INTERPRETERS.iter().any(|(name, _)| *name == command.name);
                let script = command
                    .arguments
                    .first()
                    .filter(|_| is_interpreter)
                    .is_some_and(|word| is_script(word) && word != "-m");
                script || command.program.contains('/') && is_script(&command.program)
            });
            if let Some(command) = runs {
                judged.found.push(self.found(
                    command,
                    Code::CloneAndRun,
                    format!("The commands clone a repository of {} and run a program in it.", address.host),
                ));
            }
        }
    }

    /// Variables that other programs run: `PAGER='sh -c x' man ls`.
    fn variables_that_run(&self, reading: &Reading, judged: &mut Judged) {
        for id in reading.ids() {
            let at = self.start + reading.command(id).span.range().start;
            let variables = reading.variables(id).into_iter();
            for variable in variables.filter(|one| names::VARIABLES_THAT_RUN.contains(&one.name.as_str())) {
                judged.inner.push(Inner { language: "sh", text: word_text(&variable.value), at });
            }
        }
    }

    /// Returns whether a word is a variable that gets a text with replaced letters.
    fn is_replaced_variable(&self, word: &str) -> bool {
        let Some(name) = word.strip_prefix('$').filter(|name| !name.is_empty()) else { return false };
        let assigned = format!("{name}=${{");
        self.text.split(assigned.as_str()).skip(1).any(|rest| replaces(&format!("${{{rest}")))
    }

    /// A text that is written with escapes or with replacements, and that runs.
    fn escaped(&self, command: &Plain, judged: &mut Judged) {
        let is_escaped = |other: &&Plain| {
            let escapes = |word: &String| word.matches("\\x").count() + word.matches("\\0").count() >= 3;
            matches!(other.name.as_str(), "printf" | "echo") && other.arguments.iter().any(escapes)
        };
        let program =
            self.text.get(command.at.start..).and_then(|text| text.split_whitespace().next()).unwrap_or_default();
        if program.starts_with("${") && replaces(program) || self.is_replaced_variable(&command.program) {
            let message = "The name of the program is put together from pieces of a text.";
            judged.found.push(self.found(command, Code::HiddenPayload, message));
        }
        let Some(_) = interpreter(&command.name).or_else(|| (command.name == "eval").then_some("sh")) else { return };
        let words = || command.arguments.iter().chain(&command.reads).chain([&command.program]);
        let mut writers = self.commands.iter().filter(is_escaped);
        let runs_file = writers.any(|other| other.writes.iter().any(|file| words().any(|word| word == file)));
        let text = &self.text[command.at.start.min(self.text.len())..command.at.end.min(self.text.len())];
        let is_replaced = (command.name == "eval" || text.contains("-c")) && replaces(text);
        if runs_file || is_replaced {
            let message = "The command runs a text that is written so that it cannot be read.";
            judged.found.push(self.found(command, Code::HiddenPayload, message));
        }
    }

    /// Commands that come out of an encoded text, or out of a file of data.
    fn decoded(&self, judgement: &Judgement<'_>, judged: &mut Judged) {
        for finding in &judgement.findings {
            let is_code = matches!(finding.cause, Cause::Doubt(DoubtKind::OutputAsCode | DoubtKind::BuiltCode))
                || matches!(finding.cause, Cause::Rule(rule) if rule.name.starts_with("code-from-a-pipe"));
            if !is_code {
                continue;
            }
            let span = finding.span.range();
            let runs = |command: &&Plain| {
                command.at.start < span.end && span.start < command.at.end
                    || command.at.start >= span.start && command.at.end <= span.end
            };
            for command in self.commands.iter().filter(runs) {
                self.decoded_for(command, judged);
            }
        }
    }

    fn decoded_for(&self, command: &Plain, judged: &mut Judged) {
        let feeding: Vec<&Plain> = command.fed_by.iter().filter_map(|id| self.commands.get(*id as usize)).collect();
        let is_decoder = |other: &&&Plain| {
            let has = |options: &[&str]| other.arguments.iter().any(|word| options.contains(&word.as_str()));
            match other.name.as_str() {
                "base64" | "base32" | "basenc" => has(&["-d", "-D", "--decode", "-di", "-id"]),
                "openssl" => has(&["-d", "-base64", "base64"]),
                "xxd" => other.arguments.iter().any(|word| word.starts_with('-') && word.contains('r')),
                "tr" | "rev" | "uudecode" | "gunzip" | "zcat" | "certutil" | "steghide" | "exiftool" => true,
                "gzip" | "bzip2" | "xz" | "gpg" => has(&["-d", "-dc", "-cd", "--decompress", "--decrypt"]),
                "sed" if has_replacement(other) => true,
                "tail" | "dd" | "strings" => other.arguments.iter().any(|word| is_data_file(word)),
                "cat" | "sed" | "awk" | "grep" | "cut" | "head" => {
                    other.arguments.iter().chain(&other.reads).any(|word| is_data_file(word))
                }
                "printf" | "echo" => other
                    .arguments
                    .iter()
                    .any(|word| word.contains("\\x") || word.contains("\\0") || word.contains("\\1")),
                _ => false,
            }
        };
        // A program whose name only the run shows, with an address.
        let is_hidden = |other: &Plain| {
            other.name.is_empty()
                && other.program.starts_with('$')
                && other.arguments.iter().any(|word| word.contains("://"))
        };
        let is_fetcher = |other: &&Plain| {
            matches!(other.name.as_str(), "curl" | "wget" | "iwr" | "irm" | "fetch" | "aria2c") || is_hidden(other)
        };
        if feeding.iter().any(is_fetcher) {
            let found = self.found(command, Code::FetchAndRun, "The command runs what it downloads.");
            judged.found.extend(super::fetched(found, self.unit, self.text, &command.at));
        }
        if feeding.iter().any(|other| is_decoder(&other)) {
            judged.found.push(self.found(
                command,
                Code::HiddenPayload,
                "The command runs what it decodes, or takes from a file of data.",
            ));
        }
    }

    /// Names of programs that are put together at run time.
    fn built_names(&self, reading: &Reading, judged: &mut Judged) {
        const NETWORK: &[&str] = &[
            "curl", "wget", "bash", "sh", "zsh", "nc", "ncat", "eval", "base64", "rm", "python", "python3", "node",
            "perl", "ssh", "scp", "dig",
        ];
        for (id, command) in reading.commands.iter().enumerate() {
            let Program::Known { name, built: true } = &command.program else { continue };
            let written = self.text.get(command.span.range()).unwrap_or_default();
            if NETWORK.contains(&name.as_str())
                && !self.text.contains(&format!("={name}\n"))
                && !written.contains(name.as_str())
            {
                let whole = self.text.match_indices(name.as_str()).next().is_none();
                if whole {
                    judged.found.push(self.found(
                        &self.commands[id],
                        Code::BuiltCode,
                        format!("The name of the program `{name}` is put together from pieces."),
                    ));
                }
            }
        }
    }
}

/// Returns whether a command prints all variables of the environment.
pub(super) fn dumps_environment(reading: &Reading) -> bool {
    commands(reading).iter().any(is_dump)
}

/// Returns whether a command prints all variables of the environment, the history of the shell, or the clipboard.
fn is_dump(command: &Plain) -> bool {
    match command.name.as_str() {
        "env" | "printenv" | "export" | "set" => {
            command.arguments.iter().all(|word| matches!(word.as_str(), "-0" | "-p" | "--null"))
        }
        "declare" | "typeset" | "compgen" => {
            command.arguments.iter().any(|word| matches!(word.as_str(), "-x" | "-p" | "-xp" | "-px" | "-e"))
        }
        "history" | "pbpaste" | "get-clipboard" => true,
        "xclip" | "xsel" => command.arguments.iter().any(|word| matches!(word.as_str(), "-o" | "--output" | "-b")),
        _ => false,
    }
}

/// Returns whether a command sends data, and does not only ask for something.
fn sends_data(command: &Plain) -> bool {
    let starts =
        |options: &[&str]| command.arguments.iter().any(|word| options.iter().any(|option| word.starts_with(option)));
    match command.name.as_str() {
        "curl" | "curlie" => {
            starts(&["-d", "--data", "-F", "--form", "-T", "--upload-file", "--json", "--url-query"])
                || command.arguments.iter().any(|word| word.contains("://") && word.contains("$("))
        }
        "wget" => {
            starts(&["--post", "--body"])
                || command.arguments.iter().any(|word| word.contains("://") && word.contains("$("))
        }
        "openssl" => command.arguments.first().is_some_and(|word| word == "s_client"),
        "gh" => command
            .arguments
            .first()
            .is_some_and(|word| matches!(word.as_str(), "gist" | "api" | "issue" | "pr" | "release")),
        "aws" | "gsutil" | "rclone" => {
            command.arguments.iter().any(|word| matches!(word.as_str(), "cp" | "sync" | "mv" | "copy" | "rsync"))
        }
        "dig" | "nslookup" | "host" | "ping" => command.arguments.iter().any(|word| word.contains('$')),
        _ => true,
    }
}

/// Returns whether the address of a messenger names a channel, and not a form for one.
pub(crate) fn is_filled(word: &str, messenger: &str) -> bool {
    let rest = word.split_once(messenger).map_or("", |(_, rest)| rest).trim_start_matches('/');
    let first = rest.split(['"', '\'', ' ']).next().unwrap_or_default();
    first.chars().filter(char::is_ascii_alphanumeric).count() >= 10
        && !first.contains(['<', '{', '$', '…', '['])
        && first.chars().any(|letter| letter.is_ascii_digit())
        && !first.to_lowercase().contains("your")
        && !first.contains("xxx")
        && !first.contains("XXX")
        && !first.contains("T00000000")
}

/// Returns whether `sed` replaces letters everywhere in a text: `s/#/c/g`, `y/abc/xyz/`.
fn has_replacement(command: &Plain) -> bool {
    command.arguments.iter().any(|word| word.starts_with("y/") || word.starts_with("s/") && word.ends_with("/g"))
}

/// Returns whether a text has a variable whose letters are replaced: `${x//Z/}`, `${x:3:1}`.
fn replaces(text: &str) -> bool {
    text.split("${").skip(1).any(|rest| {
        let inside = rest.split('}').next().unwrap_or_default();
        let name =
            inside.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(inside.len());
        let after = &inside[name..];
        let is_element =
            after.strip_prefix('[').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()));
        is_element
            || after.starts_with("//")
            || after.strip_prefix(':').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
    })
}

/// Returns whether a file is not a script by its name.
fn is_data_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(start, end)| {
        !start.is_empty()
            && matches!(
                end.to_ascii_lowercase().as_str(),
                "png"
                    | "jpg"
                    | "jpeg"
                    | "gif"
                    | "txt"
                    | "md"
                    | "dat"
                    | "bin"
                    | "ico"
                    | "svg"
                    | "pdf"
                    | "log"
                    | "ttf"
                    | "csv"
                    | "wav"
                    | "b64"
                    | "enc"
                    | "hex"
            )
    })
}
