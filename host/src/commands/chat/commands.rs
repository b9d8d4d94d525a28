//! The commands of the chat, which begin with a slash, and the shell commands of the person, which begin with `!`.

use std::fmt::Write as _;
use std::path::Path;

use crate::agent::resume::find_to_resume;
use crate::agent::setup::Setup;
use crate::agent::undo::UndoReport;
use crate::agent::{Agent, Interrupts};
use crate::commands::{permissions, sessions};
use crate::ground::error::Result;
use crate::ground::show;
use crate::models;
use toolc_files::{UndoOutcome, Undone};
use toolc_skills::Skills;
use toolc_store::{SessionInfo, Sessions};

use super::screen::{Caller, Screen};
use super::skills::SKILL;
use super::{clipboard, pictures, skill_commands, skills};

/// A command: its names, its argument, and what it does.
pub(super) struct Named {
    pub(super) name: &'static str,
    /// Another name, which other programs have for the same.
    also: &'static str,
    argument: Argument,
    description: &'static str,
    command: Command,
}

/// What may follow the name of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Argument {
    None,
    Optional(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    Tools,
    Output,
    Paste,
    Diff,
    Undo,
    Mcp,
    Permissions,
    Skills,
    Usage,
    Model,
    Compact,
    New,
    Resume,
    Retry,
    Session,
    Skill,
    Quit,
}

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[Named] = &[
    named("/help", "", Argument::None, "list the commands and keys", Command::Help),
    named("/tools", "", Argument::None, "list the tools of the model, and why other tools are hidden", Command::Tools),
    named(
        "/output",
        "",
        Argument::Optional("N"),
        "show all of the output of the last call, or of the Nth last",
        Command::Output,
    ),
    named("/paste", "", Argument::None, "send the picture in the clipboard with the next message", Command::Paste),
    named("/diff", "", Argument::None, "show what differs from the last commit, with git", Command::Diff),
    named(
        "/undo",
        "",
        Argument::None,
        "undo the file changes of the last turn that has any; again, of the one before",
        Command::Undo,
    ),
    named("/mcp", "", Argument::None, "list the MCP servers and their state", Command::Mcp),
    named(
        "/permissions",
        "/approvals",
        Argument::None,
        "list what was allowed, always or for this session, and the rules about calls",
        Command::Permissions,
    ),
    named(
        "/skills",
        "",
        Argument::Optional("ARGS"),
        "list the skills, or find, install and update skills of others: `/skills --help` lists the commands",
        Command::Skills,
    ),
    named("/usage", "/cost", Argument::None, "show the tokens of this conversation", Command::Usage),
    named("/model", "", Argument::Optional("NAME"), "list the models, or continue with another one", Command::Model),
    named("/compact", "", Argument::None, "replace the beginning of the conversation with a summary", Command::Compact),
    named("/new", "/clear", Argument::None, "begin a new conversation", Command::New),
    named(
        "/resume",
        "",
        Argument::Optional("ID"),
        "list recorded conversations of this folder, or continue one",
        Command::Resume,
    ),
    named("/retry", "", Argument::None, "send the conversation again after an error or an interrupt", Command::Retry),
    named("/session", "", Argument::None, "show the name of this conversation, to resume it later", Command::Session),
    named(
        SKILL,
        "",
        Argument::Optional("NAME TASK"),
        "list the skills, or work on a task with one; `/NAME TASK` is the same, unless a command has the name",
        Command::Skill,
    ),
    named("/quit", "/exit", Argument::None, "leave", Command::Quit),
];

const fn named(
    name: &'static str,
    also: &'static str,
    argument: Argument,
    description: &'static str,
    command: Command,
) -> Named {
    Named { name, also, argument, description, command }
}

const KEYS: &str = "\
`!COMMAND` runs a shell command as you would, and shows its output to you and, with your next message, to the model.
`@FILE` names a file; Tab completes it.
Enter sends the message; Alt-Enter, Ctrl-J or a backslash at the end begins a new line.
Ctrl-C cancels the running call; pressed twice, it ends the turn. Ctrl-D leaves.";

/// Shows what differs from the last commit, with the names of new files.
const DIFF: &str = "git --no-pager -c color.ui=false diff HEAD && git ls-files --others --exclude-standard";
/// The number of conversations that `/resume` lists.
const LISTED: usize = 10;

/// What the person has typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed<'t> {
    Message,
    /// A command, and what follows its name.
    Command(Command, &'t str),
    /// A word with a slash that no command has, and what follows it. It may be the name of a skill.
    Other(&'t str, &'t str),
    /// A shell command.
    Shell(&'t str),
    Mistake(String),
}

/// How the chat continues after a command.
pub(super) enum Next {
    Prompt,
    /// Go on with the turn that has failed.
    Retry,
    /// Work on a task with a skill.
    Skill {
        name: String,
        task: String,
    },
    /// Begin a new conversation, or continue a recorded one.
    Conversation(Option<Box<SessionInfo>>),
    Leave,
}

/// Reads what the person has typed.
pub(super) fn parse(line: &str) -> Typed<'_> {
    let line = line.trim();
    if let Some(command) = line.strip_prefix('!') {
        return match command.trim() {
            "" => Typed::Mistake("`!` takes a shell command, such as `!ls`".to_owned()),
            command => Typed::Shell(command),
        };
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    // A path such as `/etc/hosts` begins a message.
    if !word.starts_with('/') || word == "/" || word[1..].contains('/') {
        return Typed::Message;
    }
    let Some(named) = COMMANDS.iter().find(|named| named.name == word || named.also == word) else {
        return Typed::Other(word, rest.trim());
    };
    match (named.argument, rest.trim()) {
        (Argument::None, rest) if !rest.is_empty() => {
            Typed::Mistake(format!("`{word}` takes no arguments, but got `{rest}`"))
        }
        (_, rest) => Typed::Command(named.command, rest),
    }
}

/// Returns what is wrong with a line that begins with a slash and a name that is neither a command nor a skill.
pub(super) fn unknown_command(all: &Skills, word: &str) -> String {
    let commands = COMMANDS.iter().flat_map(|named| [named.name, named.also]).filter(|name| !name.is_empty());
    let skills = skills::beginning_with(all, "").into_iter().map(|name| format!("/{name}"));
    let all: Vec<String> = commands.map(str::to_owned).chain(skills).collect();
    let hint = toolc::suggest::did_you_mean(&toolc::suggest::nearest(word, all.iter().map(String::as_str)));
    let hint = hint.unwrap_or_else(|| "`/help` lists the commands and skills".to_owned());
    format!("unknown command `{word}`: {hint}")
}

/// Returns the help.
fn help() -> String {
    let mut text = String::new();
    for Named { name, also, argument, description, .. } in COMMANDS {
        let argument = match argument {
            Argument::None => String::new(),
            Argument::Optional(name) => format!(" [{name}]"),
        };
        let also = if also.is_empty() { String::new() } else { format!(" (or `{also}`)") };
        let _ = writeln!(text, "{:<14} {description}{also}", format!("{name}{argument}"));
    }
    text + KEYS
}

impl Command {
    /// Runs the command. `rest` is what follows its name.
    pub(super) async fn run(
        self,
        rest: &str,
        setup: &Setup,
        agent: &mut Agent,
        interrupts: &mut Interrupts,
        screen: &Screen,
    ) -> Next {
        match self {
            Self::Help => screen.print(&(help() + &skills::help(&setup.host.stores.skills))),
            Self::Skill if rest.is_empty() => skills::show(&setup.host.stores.skills, screen),
            Self::Skill => {
                let (name, task) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                return Next::Skill { name: name.to_owned(), task: task.trim().to_owned() };
            }
            Self::Tools => show_tools(agent, screen).await,
            Self::Output => show_output(rest, screen),
            Self::Paste => paste(agent, screen).await,
            Self::Diff => show_difference(agent, interrupts, screen).await,
            Self::Undo => screen.print(&undone(&agent.undo().await)),
            Self::Mcp => match setup.host.servers.section() {
                Some(section) => screen.print(&section.text),
                None => screen.note("no MCP server is configured: `toolc mcp add` adds one"),
            },
            Self::Permissions => {
                let turn = agent.session.turn(agent.model.model().definitions_dialect()).await;
                screen.result(permissions::listed(&setup.host, &turn.answers_for_session()));
            }
            Self::Skills => skill_commands::run(rest, setup, interrupts, screen).await,
            Self::Usage => screen.print(&usage(agent).await),
            Self::Model if rest.is_empty() => {
                screen.print(&models::listed(setup.host.profile.config(), agent.model.model()));
            }
            Self::Model => match setup.switch_model(rest, agent) {
                Ok(()) => screen.note(&format!("the conversation continues with {}", agent.model.model().name())),
                Err(error) => screen.error(&setup.host.redactor.text(&error.to_string())),
            },
            Self::Compact => {
                if let Err(error) = agent.compact_now().await {
                    screen.error(&setup.host.redactor.text(&error.to_string()));
                }
            }
            Self::New => return Next::Conversation(None),
            Self::Resume if rest.is_empty() => screen.result(recorded(setup)),
            Self::Resume => match find_to_resume(&setup.sessions, Some(rest), &setup.host.directory) {
                Ok(info) if info.name == agent.name => screen.note("this conversation is already open"),
                Ok(info) => return Next::Conversation(Some(Box::new(info))),
                Err(error) => screen.error(&error.to_string()),
            },
            Self::Retry if agent.awaits_answer() => return Next::Retry,
            Self::Retry => screen.note("no message waits for an answer, so nothing is sent again"),
            Self::Session => screen.print(&format!("{}\n`toolc --resume {}` continues it", agent.name, agent.name)),
            Self::Quit => return Next::Leave,
        }
        Next::Prompt
    }
}

/// Shows the tools of the model with what each does, and why other tools are hidden.
async fn show_tools(agent: &Agent, screen: &Screen) {
    let turn = agent.session.turn(agent.model.model().definitions_dialect()).await;
    let described = |name| {
        let description = turn.tool(name).map_or(String::new(), |tool| show::first_sentence(&tool.description));
        (show::one_line(name), description)
    };
    screen.columns(&turn.tools().map(described).collect::<Vec<_>>());
    let hidden: Vec<String> = turn.hidden().map(|hidden| format!("hidden: {hidden}")).collect();
    if !hidden.is_empty() {
        screen.print(&show::lines(&hidden.join("\n")));
    }
}

/// Shows what differs from the last commit, in colours.
async fn show_difference(agent: &mut Agent, interrupts: &mut Interrupts, screen: &Screen) {
    screen.set_caller(Caller::Chat);
    let response = agent.run_command(DIFF, interrupts).await;
    screen.set_caller(Caller::Model);
    if response.error.is_none()
        && let Some(text) = screen.output(1)
    {
        screen.code(&text, "diff");
    }
}

/// Adds the picture in the clipboard to the next message.
async fn paste(agent: &mut Agent, screen: &Screen) {
    let bytes = tokio::task::spawn_blocking(|| clipboard::read(None)).await;
    let bytes = bytes.unwrap_or_else(|error| Err(error.to_string()));
    match bytes.and_then(|bytes| pictures::image(bytes, agent.model.model().api)) {
        Ok(image) => {
            agent.add_picture("clipboard".to_owned(), image);
            screen.note("the picture in the clipboard is sent with the next message");
        }
        Err(problem) => screen.error(&format!("no picture was pasted: {problem}")),
    }
}

/// Returns the tokens of the conversation, and the limits of what may be spent.
async fn usage(agent: &Agent) -> String {
    let context = agent.context_tokens().await;
    let window = agent.model.model().context_tokens;
    let limit = window.map_or_else(String::new, |window| format!(" of {window}"));
    let tokens = &agent.tokens;
    let budget = agent.budget_status().map(|budget| format!("\n{budget}")).unwrap_or_default();
    format!("this conversation: {tokens}\nnow in the context: about {context}{limit} tokens{budget}")
}

/// Returns what was undone, and what was not.
fn undone(report: &UndoReport) -> String {
    let line = |file: &Undone| {
        let path = show::one_line(&file.path);
        match &file.outcome {
            UndoOutcome::Restored => format!("{path} is as it was before this turn"),
            UndoOutcome::Removed => format!("{path}, which was new, is removed"),
            UndoOutcome::Kept(reason) => format!("{path} is not changed: {}", show::one_line(reason)),
            _ => path,
        }
    };
    let mut lines = vec![match &report.turn {
        Some(message) => format!("undone: the turn \"{}\"", show::one_line(message)),
        None => "no turn has changes of `write_file` or `patch` that are not undone yet".to_owned(),
    }];
    lines.extend(report.files.iter().map(line));
    if !report.others.is_empty() {
        lines.push("the effects of these calls are not undone:".to_owned());
        lines.extend(report.others.iter().map(|call| format!("  {}", show::one_line(call))));
    }
    lines.join("\n")
}

/// Shows the result of the Nth last call.
fn show_output(rest: &str, screen: &Screen) {
    let number = if rest.is_empty() { Ok(1) } else { rest.parse() };
    match number.map(|number| screen.output(number)) {
        Ok(Some(text)) => screen.print_as_it_is(&text),
        Ok(None) => screen.note("this conversation has not made so many calls"),
        Err(_) => screen.error(&format!("`/output` takes the number of a call, such as `/output 2`, but got `{rest}`")),
    }
}

/// Returns a list of the latest recorded conversations of the folder.
fn recorded(setup: &Setup) -> Result<String> {
    let found = conversations_of(&setup.sessions, &setup.host.directory)?;
    let lines: Vec<String> = found.iter().map(sessions::line).collect();
    Ok(if lines.is_empty() {
        "no conversation of this folder is recorded".to_owned()
    } else {
        lines.join("\n") + "\n`/resume ID` continues one; the beginning of its name is enough"
    })
}

/// Returns the latest recorded conversations of a folder.
pub(super) fn conversations_of(sessions: &Sessions, directory: &Path) -> Result<Vec<SessionInfo>> {
    let here = directory.display().to_string();
    let all = sessions.list(1000)?;
    Ok(all.into_iter().filter(|info| info.directory == here).take(LISTED).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_message_a_command_or_a_shell_command() {
        assert_eq!(parse(" /help "), Typed::Command(Command::Help, ""));
        assert_eq!(parse("/resume 2026"), Typed::Command(Command::Resume, "2026"));
        assert_eq!(parse("/clear"), Typed::Command(Command::New, ""));
        assert_eq!(parse("! ls -la"), Typed::Shell("ls -la"));
        for message in ["hello", "", "/", "/etc/hosts is what?", "a /help", "wow!"] {
            assert_eq!(parse(message), Typed::Message, "{message}");
        }
        assert_eq!(parse("/deploy  to the test server "), Typed::Other("/deploy", "to the test server"));
        assert_eq!(parse("/skill deploy now"), Typed::Command(Command::Skill, "deploy now"));
        for (line, mistake) in [
            ("/quit now", "`/quit` takes no arguments, but got `now`"),
            ("!", "`!` takes a shell command, such as `!ls`"),
        ] {
            assert_eq!(parse(line), Typed::Mistake(mistake.to_owned()));
        }
    }

    #[test]
    fn each_name_of_a_command_is_read_and_in_the_help() {
        for named in COMMANDS {
            for name in [named.name, named.also].into_iter().filter(|name| !name.is_empty()) {
                assert_eq!(parse(name), Typed::Command(named.command, ""));
                assert!(help().contains(name), "{name}");
            }
        }
    }
}
