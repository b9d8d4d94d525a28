//! The text of a question about a call.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::Value;
use toolc::approval::{ApprovalReason, ApprovalRequest, CommandFinding, CommandReason};

use crate::ground::show::{self, Look, Style};

/// A question about a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) tool: String,
    /// The commands that need approval: usually one, or none if the call needs approval for another reason.
    pub(crate) commands: Vec<CommandReason>,
    /// The other arguments as JSON, if any.
    pub(crate) arguments: Option<String>,
    /// The other reasons.
    pub(crate) reasons: Vec<String>,
    pub(crate) offers_session: bool,
    pub(crate) offers_always: bool,
    /// The later calls that an answer for the session or for good covers, unless it is about commands.
    pub(crate) offer: Option<String>,
    /// The time after which the call is denied.
    pub(crate) time_limit: Duration,
}

impl Question {
    pub(crate) fn new(request: &ApprovalRequest<'_>) -> Self {
        let mut arguments = request.call.arguments().clone();
        let mut question = Self {
            tool: request.call.tool().to_owned(),
            offers_session: request.offers_session(),
            offers_always: request.offers_always(),
            offer: request.offer.map(|offer| offer.text.clone()),
            time_limit: request.time_limit,
            ..Self::default()
        };
        for reason in request.reasons {
            if let ApprovalReason::Command(command) = reason {
                if let Value::Object(arguments) = &mut arguments {
                    arguments.remove(&command.parameter);
                }
                question.commands.push(command.clone());
            } else {
                question.reasons.push(reason.to_string());
            }
        }
        question.arguments = Some(arguments)
            .filter(|value| value.as_object().is_none_or(|map| !map.is_empty()))
            .map(|value| value.to_string());
        question
    }

    /// Returns the text of the question, without the choices.
    pub(crate) fn text(&self, look: Look) -> String {
        let tool = show::one_line(&self.tool);
        let action = if self.commands.is_empty() { "is called" } else { "runs a command" };
        let title = show::wrapped(&format!("Allow this? The tool `{tool}` {action}."), 0, look);
        let mut text = format!("\n{}\n\n", look.paint(Style::Strong, &title));
        for command in &self.commands {
            text += &command_text(command, look);
        }
        for reason in &self.reasons {
            let _ = writeln!(text, "{}", show::wrapped(&show::one_line(reason), 0, look));
        }
        if let Some(arguments) = &self.arguments {
            let _ = write!(text, "arguments:\n{}", show::command(arguments, &[], look));
        }
        if self.offers_session {
            let _ = writeln!(text, "\n{}", show::wrapped(&self.session_coverage(), 0, look));
        }
        if let Some(limit) = limit_text(self.time_limit) {
            let limit = format!("Without an answer in {limit}, the call is denied.");
            let _ = writeln!(text, "{}", show::wrapped(&limit, 0, look));
        }
        text
    }

    /// Returns the later calls that an answer for the session covers. A person who approves one script must know that the answer covers
    /// all scripts.
    fn session_coverage(&self) -> String {
        let (mut rules, mut same_words) = (Vec::new(), Vec::new());
        for finding in self.commands.iter().flat_map(|command| &command.findings) {
            let rule = show::one_line(&finding.rule);
            let list = if finding.is_about_its_words { &mut same_words } else { &mut rules };
            if !list.contains(&rule) {
                list.push(rule);
            }
        }
        let offer = self.offer.as_ref().map(|offer| show::one_line(offer));
        if rules.is_empty() && same_words.is_empty() {
            return match offer {
                Some(offer) if self.offers_always => format!("`s` and `a` also allow {offer}."),
                Some(offer) => format!("`s` also allows {offer}."),
                None => "`s` also allows every later call of this tool for the same reason.".to_owned(),
            };
        }
        let mut directories: Vec<String> =
            self.commands.iter().filter_map(|command| command.directory.as_deref()).map(show::one_line).collect();
        directories.dedup();
        let (place, files) = if directories.is_empty() {
            (String::new(), String::new())
        } else {
            let directories = directories.join(" and ");
            let files = format!(", if all their files are below {directories} or a path of this command");
            (format!(", in or below {directories}"), files)
        };
        let calls = offer.map(|offer| format!("; and {offer}")).unwrap_or_default();
        let (same, other) = (show::one_of(&same_words), show::one_of(&rules));
        match (rules.is_empty(), same_words.is_empty()) {
            (true, _) => format!("`s` also allows later commands with exactly the same words{place}{calls}."),
            (_, true) => format!("`s` also allows later commands about which only {other} asks{files}{calls}."),
            _ => format!(
                "`s` also allows later commands about which only {other} asks{files}; where {same} asks, too, only with exactly the \
                 same words{calls}."
            ),
        }
    }

    /// Returns the choices, as many on a line as fit, without a line break at the end.
    pub(crate) fn choices(&self, look: Look) -> String {
        let choices = [
            ("y", "once", true),
            ("s", "for this session", self.offers_session),
            ("a", "always", self.offers_always),
            ("n", "deny", true),
            ("r", "deny with a reason", true),
            ("d", "details", !self.commands.is_empty()),
        ];
        let offered = choices.into_iter().filter(|(.., is_offered)| *is_offered);
        show::choices(offered.map(|(key, meaning, _)| (key, meaning)), look)
    }

    /// Returns the details: the programs that the commands would run, and what a permanent answer covers.
    pub(crate) fn details(&self, would_run: impl Fn(&CommandReason) -> String) -> String {
        let mut text = String::new();
        for command in &self.commands {
            let _ = write!(text, "would run:\n{}", would_run(command));
            for finding in &command.findings {
                let part = part(command, finding).map(show::one_line).unwrap_or_default();
                let _ = writeln!(text, "{}: {part}", show::one_line(&finding.rule));
            }
        }
        if self.offers_always {
            text += "always: exactly this command, in this directory, runs without a question from now on; `toolc permissions` lists and revokes approvals\n";
        }
        text
    }
}

/// Returns a time limit as text, or `None` if no person would notice it.
fn limit_text(limit: Duration) -> Option<String> {
    let seconds = limit.as_secs();
    match usize::try_from(seconds).ok()? {
        0 => Some("less than a second".to_owned()),
        seconds if seconds > 60 * 60 * 24 => None,
        seconds if seconds % 60 == 0 => Some(show::counted(seconds / 60, "minute")),
        seconds => Some(show::counted(seconds, "second")),
    }
}

fn command_text(command: &CommandReason, look: Look) -> String {
    let mut text = show::judged_line(&command.line, &command.findings, look);
    text.push('\n');
    // If a finding is certain, its part is marked in the line above, so the text is not repeated.
    let uncertain_part = |finding: &CommandFinding| part(command, finding).filter(|_| !finding.is_certain);
    text += &show::reasons(&command.findings, uncertain_part, look);
    let directory = command.directory.as_deref().map_or_else(|| "unknown".to_owned(), show::one_line);
    let line = format!("directory: {directory}, environment: {}", show::one_line(&command.environment));
    let _ = writeln!(text, "{}", show::wrapped(&line, 0, look));
    text
}

/// Returns the part of the line that a finding is about.
fn part<'c>(command: &'c CommandReason, finding: &CommandFinding) -> Option<&'c str> {
    command.line.get(finding.span.range())
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::{Arc, OnceLock};

    use serde_json::json;
    use toolc::approval::{ApprovalDecision, Approver, CommandApproval};

    use toolc::{Dialect, DynamicTool, Registry, ToolCall};
    use toolc_commands::Span;

    use super::*;

    /// An approver that keeps the question, and allows nothing.
    struct Asked(Arc<OnceLock<Question>>);

    impl Approver for Asked {
        fn decide<'a>(
            &'a self,
            request: &'a ApprovalRequest<'a>,
        ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
            let _ = self.0.set(Question::new(request));
            Box::pin(async { ApprovalDecision::Deny("a test".to_owned()) })
        }
    }

    /// Returns the question of a session about a command in the directory `/w`, as if its answer could be stored.
    fn question(line: &str) -> Question {
        let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]});
        let tool = DynamicTool::sync("terminal", "Runs a command.", schema, |_, _| unreachable!("it is denied"));
        let registry = Registry::new();
        registry.add(tool.build().expect("a correct tool")).expect("an empty registry takes every tool");
        let asked = Arc::new(OnceLock::new());
        let commands = CommandApproval::new(toolc_catalog::commands::rules()).directory("/w");
        let session = registry.session().commands(commands).approver(Arc::new(Asked(Arc::clone(&asked))));
        let turn = session.build().expect("everything can be enabled").turn_blocking(Dialect::OpenAi);
        let arguments = json!({ "command": line }).to_string();
        let denied = turn.call_blocking(&ToolCall::new("terminal", &arguments));
        assert!(denied.is_error(), "{denied:?}");
        let question = asked.get().expect("the command needs approval").clone();
        assert!(!question.offers_always, "the session has no store");
        Question { offers_always: true, ..question }
    }

    const LOOK: Look = Look { width: 80, styled: false };

    #[test]
    fn a_question_shows_the_command_the_reason_and_the_directory() {
        let mut question = question("cd /w && rm -r build");
        question.commands[0].findings[0].path = Some("/w/build".to_owned());
        assert_eq!(
            question.text(LOOK),
            "\nAllow this? The tool `terminal` runs a command.\n\n  | cd /w && rm -r build\n                ^^\n\n\
             recursive-deletion: Deletes folders with everything in them.\n    path:  /w/build\n    check: Which folders are these, and do their contents exist elsewhere?\n\
             directory: /w, environment: local\n\n\
             `s` also allows later commands about which only recursive-deletion asks, if all\ntheir files are below /w or a path of \
             this command.\nWithout an answer in 1 minute, the call is denied.\n"
        );
        assert_eq!(
            question.choices(Look { width: 100, ..LOOK }),
            "[y] once  [s] for this session  [a] always  [n] deny  [r] deny with a reason  [d] details "
        );
        let narrowest = Look { width: 40, ..LOOK };
        assert_eq!(
            question.choices(narrowest),
            "[y] once  [s] for this session\n[a] always  [n] deny\n[r] deny with a reason  [d] details "
        );
        let text = question.text(narrowest);
        assert!(text.lines().all(|line| line.len() < 40), "{text}");
        assert!(
            text.contains("    check: Which folders are these, and\n           do their contents exist\n"),
            "{text}"
        );
        let narrow = Question { offers_session: false, offers_always: false, ..question };
        assert_eq!(narrow.choices(LOOK), "[y] once  [n] deny  [r] deny with a reason  [d] details ");
    }

    #[test]
    fn a_question_says_what_an_answer_for_the_session_covers() {
        let text = |words: &[bool]| {
            let mut question = question("rm -r build");
            let finding = question.commands[0].findings[0].clone();
            let findings = words.iter().enumerate().map(|(at, &is_about_its_words)| {
                let mut finding = finding.clone();
                (finding.rule, finding.is_about_its_words) = (format!("rule-{at}"), is_about_its_words);
                finding
            });
            question.commands[0].findings = findings.collect();
            question.session_coverage()
        };
        assert_eq!(text(&[true]), "`s` also allows later commands with exactly the same words, in or below /w.");
        assert_eq!(
            text(&[false]),
            "`s` also allows later commands about which only rule-0 asks, if all their files are below /w or a path of this command."
        );
        assert!(text(&[false, false, false]).contains("about which only rule-0, rule-1 or rule-2 asks"));
        assert_eq!(
            text(&[false, true]),
            "`s` also allows later commands about which only rule-0 asks, if all their files are below /w or a path of this command; \
             where rule-1 asks, too, only with exactly the same words."
        );
    }

    #[test]
    fn time_limits_are_shown_up_to_a_day() {
        let limits = [(1, "1 second"), (60, "1 minute"), (90, "90 seconds"), (86_400, "1440 minutes")];
        for (seconds, text) in limits {
            assert_eq!(limit_text(Duration::from_secs(seconds)).as_deref(), Some(text));
        }
        assert_eq!(limit_text(Duration::MAX), None);
    }

    #[test]
    fn no_part_of_a_question_can_control_the_terminal() {
        let evil = "\u{1b}[2J\u{202e}x";
        let mut question = question("rm -r build");
        question.tool = evil.to_owned();
        question.reasons = vec![evil.to_owned()];
        question.arguments = Some(evil.to_owned());
        let command = &mut question.commands[0];
        command.line = evil.to_owned();
        command.directory = Some(evil.to_owned());
        command.environment = evil.to_owned();
        let finding = &mut command.findings[0];
        (finding.rule, finding.description, finding.check) = (evil.to_owned(), evil.to_owned(), evil.to_owned());
        finding.path = Some(evil.to_owned());
        (finding.span, finding.is_certain) = (Span { start: 0, end: 1 }, false);
        for text in [question.text(LOOK), question.details(|command| show::one_line(&command.line) + "\n")] {
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
        }
    }

    #[test]
    fn spans_outside_of_a_replaced_line_are_ignored() {
        let mut question = question("rm -r build");
        question.commands[0].line = "[x]".to_owned();
        assert!(question.text(LOOK).contains("  | [x]\n\n"));
    }
}
