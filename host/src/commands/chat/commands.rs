//! The commands of the chat, which begin with a slash.

use std::fmt::Write as _;

use crate::agent::Agent;
use crate::agent::setup::Setup;
use crate::ground::show;

use super::screen::Screen;

/// The commands: name, arguments, description.
pub(super) const COMMANDS: &[(&str, &str, &str)] = &[
    ("/help", "", "list the commands and keys"),
    ("/tools", "", "list the tools of the model, and why other tools are hidden"),
    ("/usage", "", "show the tokens of this conversation"),
    ("/compact", "", "replace the beginning of the conversation with a summary"),
    ("/new", "", "begin a new conversation"),
    ("/retry", "", "send the conversation again after an error"),
    ("/session", "", "show the name of this conversation, to resume it later"),
    ("/quit", "", "leave"),
];

const KEYS: &str = "\
Enter sends the message; Alt-Enter, Ctrl-J or a backslash at the end begins a new line.
Ctrl-C cancels the running call; pressed twice, it ends the turn. Ctrl-D leaves.";

/// The message that `/retry` sends.
const RETRY: &str = "Continue.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    Tools,
    Usage,
    Compact,
    New,
    Retry,
    Session,
    Quit,
}

/// How the chat continues after a command.
pub(super) enum Next {
    Prompt,
    /// Run a turn with this message.
    Turn(String),
    NewConversation,
    Leave,
}

impl Command {
    /// Parses a line. Returns `None` if the line is a message.
    pub(super) fn parse(line: &str) -> Option<Result<Self, String>> {
        let line = line.trim();
        // A path such as `/etc/hosts` begins a message.
        if !line.starts_with('/') || line[1..].contains('/') || line == "/" {
            return None;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let command = match word {
            "/help" => Self::Help,
            "/tools" => Self::Tools,
            "/usage" => Self::Usage,
            "/compact" => Self::Compact,
            "/new" => Self::New,
            "/retry" => Self::Retry,
            "/session" => Self::Session,
            "/quit" | "/exit" => Self::Quit,
            unknown => {
                let names = COMMANDS.iter().map(|(name, ..)| *name);
                let hint = toolc::suggest::did_you_mean(&toolc::suggest::nearest(unknown, names));
                let hint = hint.unwrap_or_else(|| "`/help` lists the commands".to_owned());
                return Some(Err(format!("unknown command `{unknown}`: {hint}")));
            }
        };
        Some(if rest.is_empty() { Ok(command) } else { Err(format!("`{word}` takes no arguments, but got `{rest}`")) })
    }

    pub(super) async fn run(self, setup: &Setup, agent: &mut Agent, screen: &Screen) -> Next {
        match self {
            Self::Help => {
                let mut text = String::new();
                for (name, arguments, description) in COMMANDS {
                    let _ = writeln!(text, "{:<12} {description}", format!("{name} {arguments}"));
                }
                screen.print(&format!("{text}{KEYS}"));
            }
            Self::Tools => {
                let turn = agent.session.turn(agent.model.model().definitions_dialect()).await;
                let mut text: Vec<String> = turn.tools().map(ToOwned::to_owned).collect();
                text.extend(turn.hidden().map(|hidden| format!("hidden: {hidden}")));
                screen.print(&show::lines(&text.join("\n")));
            }
            Self::Usage => {
                let context = agent.context_tokens().await;
                let window = agent.model.model().context_tokens;
                let limit = window.map_or_else(String::new, |window| format!(" of {window}"));
                screen.print(&format!(
                    "this conversation: {}\nnow in the context: about {context}{limit} tokens",
                    agent.tokens
                ));
            }
            Self::Compact => {
                if let Err(error) = agent.compact_now().await {
                    screen.error(&setup.host.redactor.text(&error.to_string()));
                }
            }
            Self::New => return Next::NewConversation,
            Self::Retry => return Next::Turn(RETRY.to_owned()),
            Self::Session => screen.print(&format!("{}\n`toolc --resume {}` continues it", agent.name, agent.name)),
            Self::Quit => return Next::Leave,
        }
        Next::Prompt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_command_or_a_message() {
        assert_eq!(Command::parse(" /help "), Some(Ok(Command::Help)));
        for message in ["hello", "", "/", "/etc/hosts is what?", "a /help"] {
            assert_eq!(Command::parse(message), None, "{message}");
        }
        let error = Command::parse("/hlep").expect("it is a command").expect_err("it is unknown");
        assert_eq!(error, "unknown command `/hlep`: did you mean `/help`?");
        assert!(Command::parse("/quit now").expect("it is a command").is_err());
        for (name, ..) in COMMANDS {
            assert!(matches!(Command::parse(name), Some(Ok(_))), "{name}");
        }
    }
}
