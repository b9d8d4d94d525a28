//! `toolc judge`: shows the programs that a shell command would run, and the verdict of the rules. Nothing is run.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use toolc::approval::{CommandApproval, CommandFinding};
use toolc::{Dialect, Registry, Turn};
use toolc_commands::{Cause, Directory, How, Judgement, MAX_BYTES, Program, Word};

use super::permissions::{self, Loaded};
use crate::approval::verdict::About;
use crate::approval::{self, reading, rules};
use crate::environments;
use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show::{self, Look, Style};
use crate::options::ToolOptions;
use crate::profile::Profile;
use toolc_config::Home;

/// The last part of the help.
const EXIT_STATUS: &str = "\
The verdict is the one about a call of the tool `terminal` with this command. It counts the shipped rules, the rules in TOOLC_HOME/rules,
those of the project in .toolc/rules.toml, the permissions, and the mode of approval: `--approval`, TOOLC_APPROVAL or the configuration.

Exit status:
  0  allow: the command runs, and no person is asked
  1  ask: a person decides
  2  the command line is wrong, or a file of rules is invalid
  3  deny: the command does not run";

/// The arguments of `judge`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct JudgeArgs {
    /// The command, as for `bash -c` or `sh -c`, or `-` to read it from stdin.
    command: String,
    /// Further words, which a shell has split off from a command without quotes.
    #[arg(hide = true, allow_hyphen_values = true)]
    more: Vec<String>,
    /// The directory in which the command would run. Default: the current one.
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
}

impl JudgeArgs {
    /// Judges the command, and returns the exit status.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<u8> {
        let directory = std::path::absolute(self.directory.as_deref().unwrap_or(Path::new(".")))
            .map_err(|error| Error::failed("find the directory", error))?;
        let profile = Profile::read(home)?;
        let sets = approval::sets(approval::mode(options.approval, &profile)?, &profile)?;
        let rules = rules::load(&profile.home, &directory, &sets, &profile.config().protect)?;
        let line = self.read_command()?;
        let environment = environments::chosen(options.environment, profile.config())?;
        let loaded = Loaded::in_directory(options, &profile, directory.clone(), environment)?;
        let commands = approval::of_this_machine(rules, &profile.home).environment(environment.name());
        let start = environments::directory(environment, &directory, profile.config());
        let turn = turn(start.into_iter().fold(commands, CommandApproval::directory))?;
        let judgement = turn.judge_command(&line).ok_or("the session does not judge commands")?;
        let found = loaded.verdict_about_command(&line)?;
        let text = if self.json {
            let mut object = json(&line, &directory, &judgement);
            object["rules"] = permissions::rules_json(&found.permissions.rules);
            found.add_to(&mut object);
            format!("{object}\n")
        } else {
            let columns = io::stdout().is_terminal().then(|| crate::ground::terminal::columns(io::stdout()));
            let look = Look::new(columns);
            let rules = permissions::rules_text(&found.permissions.rules, look);
            let rules = if rules.is_empty() { rules } else { format!("\npermissions:\n{rules}") };
            format!("{}{rules}\n{}", text(&line, &judgement, look), found.text(About::Command, look))
        };
        ask::print(&text)?;
        Ok(found.status())
    }

    fn read_command(&self) -> Result<String> {
        if !self.more.is_empty() {
            let line = [std::slice::from_ref(&self.command), &self.more].concat().join(" ");
            let quoted = shlex::try_quote(&line).map_err(|error| Error::Invalid(error.to_string()))?;
            return Err(Error::Invalid(format!(
                "expected one command, got {} words: quote the command, as in `toolc judge {quoted}`, and write options before it",
                self.more.len() + 1
            )));
        }
        if self.command != "-" {
            return Ok(self.command.clone());
        }
        let mut bytes = Vec::new();
        // Reads one byte more than the limit, so that a longer text is recognised.
        let read = io::stdin().take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| Error::failed("read the command from stdin", error))?;
        String::from_utf8(bytes).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            let byte = error.as_bytes()[offset];
            format!(
                "the command is not UTF-8: the byte 0x{byte:02x} at offset {offset} does not belong to a character. Encode the command \
                 as UTF-8, or write the byte as `$'\\x{byte:02x}'`"
            )
        }).map_err(Error::Invalid)
    }
}

/// Returns a turn that judges commands like the sessions of this program. The shipped tools declare which variables are secret.
pub(super) fn turn(commands: CommandApproval) -> Result<Turn> {
    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools())?;
    let session = registry.session().commands(commands).build()?;
    Ok(session.turn_blocking(Dialect::Mcp))
}

/// Returns the judgement as text.
fn text(line: &str, judgement: &Judgement<'_>, look: Look) -> String {
    let findings: Vec<CommandFinding> = judgement.findings.iter().map(CommandFinding::from).collect();
    let mut text = show::judged_line(line, &findings, look);
    let _ = writeln!(text, "\nwould run:");
    text += &reading::would_run(&judgement.reading);
    for findings in findings.chunk_by(|one, other| one.verdict == other.verdict) {
        let reasons = show::reasons(findings, |finding| line.get(finding.span.range()), look);
        let _ = write!(text, "\n{}:\n{reasons}", findings[0].verdict.word());
    }
    for exception in &judgement.exceptions {
        let exempted: Vec<&str> = exception.exempted.iter().map(Cause::name).collect();
        let name = look.paint(Style::Strong, exception.rule.name);
        let _ = writeln!(text, "\nallow {name}: {}", exception.rule.description);
        let _ = writeln!(text, "    exempts from: {}", exempted.join(", "));
    }
    text
}

/// Returns the judgement as JSON.
fn json(line: &str, directory: &Path, judgement: &Judgement<'_>) -> Value {
    let commands = judgement.reading.commands.iter().map(|command| {
        json!({
            "program": match &command.program {
                Program::Known { name, .. } => Some(name),
                Program::None | Program::Unknown => None,
            },
            "words": command.words.iter().map(Word::text).collect::<Vec<_>>(),
            "shown": show::command_text(command),
            "directory": match &command.directory {
                Directory::Start => Some("."),
                Directory::At(path) | Directory::Within(path) => Some(path.as_str()),
                Directory::Unknown => None,
            },
            "run_by": command.via.map(|via| via.command),
            "how": command.via.map(|via| match via.how {
                How::Arguments => "arguments",
                How::Code => "code",
                How::Input => "input",
                How::Name => "name",
            }),
            "span": [command.span.start, command.span.end],
        })
    });
    let findings = judgement.findings.iter().map(|finding| {
        let shown = CommandFinding::from(finding);
        json!({
            "verdict": shown.verdict.word(),
            "kind": match finding.cause {
                Cause::Rule(_) => "rule",
                Cause::Doubt(_) | Cause::BuiltName => "doubt",
            },
            "name": shown.rule,
            "description": shown.description,
            "check": shown.check,
            "command": finding.command,
            "span": [shown.span.start, shown.span.end],
            "text": &line[shown.span.range()],
            "path": shown.path,
            "certain": shown.is_certain,
        })
    });
    let exceptions = judgement.exceptions.iter().map(|exception| {
        json!({
            "name": exception.rule.name,
            "description": exception.rule.description,
            "command": exception.command,
            "instead_of": exception.exempted.iter().map(Cause::name).collect::<Vec<&str>>(),
        })
    });
    json!({
        "command": line,
        "directory": directory.to_string_lossy(),
        "commands": commands.collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
        "exceptions": exceptions.collect::<Vec<_>>(),
    })
}
