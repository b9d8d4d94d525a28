//! The verdict about a call that is not run: of the permissions, the command rules and the mode of approval together.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolc::approval::{CallCommands, CommandReason};
use toolc_commands::rules::Verdict;
use toolc_config::ApprovalMode;
use toolc_permissions::{Permission, Verdicts};

use crate::ground::show::{self, Look, Style};

/// The verdict about a call, and its parts.
#[derive(Debug)]
pub(crate) struct CallVerdict {
    /// What happens to the call.
    pub(crate) verdict: Verdict,
    /// What the permissions say.
    pub(crate) permissions: Verdicts,
    /// What the command rules say about the commands of the call.
    commands: CallCommands,
    mode: ApprovalMode,
}

/// What a verdict is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    Call,
    Command,
}

impl CallVerdict {
    pub(crate) fn new(permissions: Verdicts, commands: CallCommands, mode: ApprovalMode) -> Self {
        let of_permissions = match permissions.verdict {
            toolc_permissions::Verdict::Allow => Verdict::Allow,
            toolc_permissions::Verdict::Ask => Verdict::Ask,
            toolc_permissions::Verdict::Deny => Verdict::Deny,
        };
        let verdict = match (of_permissions.max(of_commands(&commands)), mode) {
            (Verdict::Ask, ApprovalMode::Deny) => Verdict::Deny,
            // The mode does not replace an approval that the tool itself requires.
            (Verdict::Ask, ApprovalMode::Off) if !permissions.requires_approval => Verdict::Allow,
            (verdict, _) => verdict,
        };
        Self { verdict, permissions, commands, mode }
    }

    /// Returns the exit status of a command that shows the verdict.
    pub(crate) fn status(&self) -> u8 {
        match self.verdict {
            Verdict::Allow => 0,
            Verdict::Ask => 1,
            Verdict::Deny => 3,
        }
    }

    /// Returns the verdict, and below it the parts that it consists of.
    pub(crate) fn text(&self, about: About, look: Look) -> String {
        let mut text = format!(
            "verdict: {}: {}\n",
            look.paint(Style::Strong, self.verdict.word()),
            self.meaning(match about {
                About::Call => "call",
                About::Command => "command",
            })
        );
        let _ = writeln!(text, "    permissions: {}", self.permissions_text());
        let _ = writeln!(text, "    command rules: {}", self.commands_text());
        let _ = writeln!(text, "    mode: {}", toolc_config::Words::word(self.mode));
        text
    }

    fn meaning(&self, noun: &str) -> String {
        let is_denied_by_a_rule = self.permissions.verdict == toolc_permissions::Verdict::Deny
            || of_commands(&self.commands) == Verdict::Deny;
        match self.verdict {
            Verdict::Allow if self.is_asked() => format!("the {noun} runs, because the mode is `off`"),
            Verdict::Allow => format!("the {noun} runs, and no person is asked"),
            Verdict::Ask => "a person decides".to_owned(),
            Verdict::Deny if is_denied_by_a_rule => format!("the {noun} never runs"),
            Verdict::Deny => {
                format!("the {noun} does not run, because it needs approval, and the mode is `deny`")
            }
        }
    }

    fn is_asked(&self) -> bool {
        self.permissions.verdict == toolc_permissions::Verdict::Ask || of_commands(&self.commands) == Verdict::Ask
    }

    fn permissions_text(&self) -> String {
        let names: Vec<&str> = self.permissions.rules.iter().map(Permission::name).collect();
        match self.permissions.verdict {
            toolc_permissions::Verdict::Allow if names.is_empty() => "they do not ask".to_owned(),
            toolc_permissions::Verdict::Ask if names.is_empty() => {
                "ask (every call of this tool needs approval)".to_owned()
            }
            verdict => format!("{} ({})", toolc_permissions::Verdict::word(verdict), names.join(", ")),
        }
    }

    fn commands_text(&self) -> String {
        let CallCommands { open, approved, .. } = &self.commands;
        if !open.is_empty() {
            return format!("{} ({})", of_commands(&self.commands).word(), rules(open).join(", "));
        }
        if approved.is_empty() {
            return "they do not ask".to_owned();
        }
        format!("they do not ask, because a person has approved this with `always` ({})", rules(approved).join(", "))
    }

    /// Adds the verdict and its parts to an object.
    pub(crate) fn add_to(&self, object: &mut Value) {
        object["permissions"] = json!(toolc_permissions::Verdict::word(self.permissions.verdict));
        object["command_rules"] = json!(of_commands(&self.commands).word());
        object["mode"] = json!(toolc_config::Words::word(self.mode));
        // After its reasons, as in the text.
        object["verdict"] = json!(self.verdict.word());
    }

    /// Returns what the command rules find in the commands of the call, as text.
    pub(crate) fn findings(&self) -> String {
        let mut text = String::new();
        for command in &self.commands.open {
            for finding in &command.findings {
                let _ = writeln!(text, "{} {}", finding.verdict.word(), show::one_line(&finding.to_string()));
            }
        }
        text
    }
}

fn of_commands(commands: &CallCommands) -> Verdict {
    commands.open.iter().map(|command| command.verdict).max().unwrap_or(Verdict::Allow)
}

/// Returns the names of the rules about commands, each once.
fn rules(commands: &[CommandReason]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for finding in commands.iter().flat_map(|command| &command.findings) {
        if !names.contains(&&*finding.rule) {
            names.push(&finding.rule);
        }
    }
    names
}
