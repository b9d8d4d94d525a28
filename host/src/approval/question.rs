//! The text of a question about a call.

use std::fmt::Write as _;

use serde_json::Value;
use toolc::approval::{ApprovalReason, ApprovalRequest, CommandAnswer, CommandReason};

use crate::ground::show::{self, Look, Mark, Reason, Style};

/// The name of the finding about letters that look like other letters.
const LOOK_ALIKE: &str = "look-alike";

/// A question about a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) tool: String,
    /// The commands that need approval: usually one, or none if the call needs approval for another reason.
    pub(crate) commands: Vec<QuestionCommand>,
    /// The other arguments as JSON, if any.
    pub(crate) arguments: Option<String>,
    /// The other reasons.
    pub(crate) reasons: Vec<String>,
    pub(crate) offers_session: bool,
    pub(crate) offers_always: bool,
}

/// A command that needs approval.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct QuestionCommand {
    pub(crate) line: String,
    pub(crate) findings: Vec<QuestionFinding>,
    pub(crate) directory: Option<String>,
    pub(crate) environment: String,
}

/// A reason why a command needs approval.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct QuestionFinding {
    pub(crate) rule: String,
    pub(crate) description: String,
    pub(crate) check: String,
    pub(crate) bytes: std::ops::Range<usize>,
    pub(crate) path: Option<String>,
    pub(crate) is_certain: bool,
}

impl Question {
    pub(crate) fn new(request: &ApprovalRequest<'_>) -> Self {
        let mut arguments = request.call.arguments().clone();
        let mut question =
            Self { tool: request.call.tool().to_owned(), offers_session: true, offers_always: true, ..Self::default() };
        for reason in request.reasons {
            question.offers_session &= reason.offers_session();
            if let ApprovalReason::Command(command) = reason {
                if let Value::Object(arguments) = &mut arguments {
                    arguments.remove(&command.parameter);
                }
                question.offers_always &= command.offers(CommandAnswer::Always);
                question.commands.push(QuestionCommand::new(command));
            } else {
                question.reasons.push(reason.to_string());
            }
        }
        // Only commands can be approved permanently.
        question.offers_always &= !question.commands.is_empty() && question.reasons.is_empty();
        question.arguments = Some(arguments)
            .filter(|value| value.as_object().is_none_or(|map| !map.is_empty()))
            .map(|value| value.to_string());
        question
    }

    /// Returns the text of the question, without the choices.
    pub(crate) fn text(&self, look: Look) -> String {
        let tool = show::one_line(&self.tool);
        let action = if self.commands.is_empty() { "is called" } else { "runs a command" };
        let mut text =
            format!("\n{}\n\n", look.paint(Style::Strong, &format!("Allow this? The tool `{tool}` {action}.")));
        for command in &self.commands {
            text += &command.text(look);
        }
        for reason in &self.reasons {
            let _ = writeln!(text, "{}", show::one_line(reason));
        }
        if let Some(arguments) = &self.arguments {
            let _ = write!(text, "arguments:\n{}", show::command(arguments, &[], look));
        }
        if self.offers_session {
            let _ = writeln!(text, "\n{}", self.session_coverage());
        }
        text
    }

    /// Returns the later calls that an answer for the session covers. A person who approves one script must know that the answer covers
    /// all scripts.
    fn session_coverage(&self) -> String {
        let mut rules: Vec<String> = Vec::new();
        for finding in self.commands.iter().flat_map(|command| &command.findings) {
            let rule = show::one_line(&finding.rule);
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        if rules.is_empty() {
            return "For this session: every later call of this tool for the same reason.".to_owned();
        }
        let directories = self.commands.iter().filter_map(|command| command.directory.as_deref());
        let mut directories: Vec<String> = directories.map(show::one_line).collect();
        directories.dedup();
        let scope = if directories.is_empty() {
            String::new()
        } else {
            format!(", below {} or a path that this command names", directories.join(", "))
        };
        format!("For this session: later commands that need approval only for {}{scope}.", rules.join(", "))
    }

    /// Returns the choices on one line, without a line break.
    pub(crate) fn choices(&self, look: Look) -> String {
        let key = |key: &str, meaning: &str| format!("{} {meaning}", look.paint(Style::Strong, &format!("[{key}]")));
        let mut choices = vec![key("y", "once")];
        if self.offers_session {
            choices.push(key("s", "for this session"));
        }
        if self.offers_always {
            choices.push(key("a", "always"));
        }
        choices.push(key("n", "deny"));
        if !self.commands.is_empty() {
            choices.push(key("d", "details"));
        }
        choices.join("  ") + " "
    }

    /// Returns the details: the programs that the commands would run, and what a permanent answer covers.
    pub(crate) fn details(&self, would_run: impl Fn(&QuestionCommand) -> String) -> String {
        let mut text = String::new();
        for command in &self.commands {
            let _ = write!(text, "would run:\n{}", would_run(command));
            for finding in &command.findings {
                let part = command.part(finding).unwrap_or_default();
                let _ = writeln!(text, "{}: {part}", show::one_line(&finding.rule));
            }
        }
        if self.offers_always {
            text += "always: exactly this command, in this directory, runs without a question from now on; `toolc approvals` lists and revokes approvals\n";
        }
        text
    }
}

impl QuestionCommand {
    fn new(reason: &CommandReason) -> Self {
        let findings = reason.findings.iter().map(|finding| QuestionFinding {
            rule: finding.rule.clone(),
            description: finding.description.clone(),
            check: finding.check.clone(),
            bytes: finding.span.range(),
            path: finding.path.clone(),
            is_certain: finding.is_certain,
        });
        Self {
            line: reason.line.clone(),
            findings: findings.collect(),
            directory: reason.directory.clone(),
            environment: reason.environment.clone(),
        }
    }

    fn text(&self, look: Look) -> String {
        // A line with a secret is replaced by a shorter text, to which the spans do not apply.
        let is_inside = |finding: &&QuestionFinding| self.line.get(finding.bytes.clone()).is_some();
        let mark =
            |finding: &QuestionFinding| Mark { bytes: finding.bytes.clone(), disguised: finding.rule == LOOK_ALIKE };
        let marks: Vec<Mark> = self.findings.iter().filter(is_inside).map(mark).collect();
        let mut text = show::command(&self.line, &marks, look);
        for (code, meaning) in show::escaped_characters(&self.line, &marks) {
            let _ = writeln!(text, "    {} {meaning}", look.paint(Style::Code, &code));
        }
        text.push('\n');
        let reasons: Vec<Reason<'_>> = self
            .findings
            .iter()
            .map(|finding| Reason {
                name: &finding.rule,
                description: &finding.description,
                check: &finding.check,
                bytes: finding.bytes.clone(),
                // A certain finding is marked in the line above, so its text is not repeated.
                text: self.line.get(finding.bytes.clone()).filter(|_| !finding.is_certain),
                path: finding.path.as_deref(),
                is_certain: finding.is_certain,
            })
            .collect();
        text += &show::reasons(&reasons, look);
        let directory = self.directory.as_deref().map_or_else(|| "unknown".to_owned(), show::one_line);
        let _ = writeln!(text, "directory: {directory}, environment: {}", show::one_line(&self.environment));
        text
    }

    /// Returns the part of the line that a finding is about.
    fn part(&self, finding: &QuestionFinding) -> Option<String> {
        self.line.get(finding.bytes.clone()).map(show::one_line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(line: &str, part: &str) -> Question {
        let start = line.find(part).expect("the part is in the line");
        let finding = QuestionFinding {
            rule: "recursive-deletion".to_owned(),
            description: "Deletes folders with everything in them.".to_owned(),
            check: "Which folders these are.".to_owned(),
            bytes: start..start + part.len(),
            path: Some("/w/build".to_owned()),
            is_certain: true,
        };
        let command = QuestionCommand {
            line: line.to_owned(),
            findings: vec![finding],
            directory: Some("/w".to_owned()),
            environment: "local".to_owned(),
        };
        Question {
            tool: "terminal".to_owned(),
            commands: vec![command],
            offers_session: true,
            offers_always: true,
            ..Question::default()
        }
    }

    const LOOK: Look = Look { width: 80, styled: false };

    #[test]
    fn a_question_shows_the_command_the_reason_and_the_directory() {
        let question = question("cd /w && rm -rf build", "rm -rf build");
        assert_eq!(
            question.text(LOOK),
            "\nAllow this? The tool `terminal` runs a command.\n\n  | cd /w && rm -rf build\n             ^^^^^^^^^^^^\n\n\
             recursive-deletion: Deletes folders with everything in them.\n    path:  /w/build\n    check: Which folders these are.\n\
             directory: /w, environment: local\n\n\
             For this session: later commands that need approval only for recursive-deletion, below /w or a path that \
             this command names.\n"
        );
        assert_eq!(question.choices(LOOK), "[y] once  [s] for this session  [a] always  [n] deny  [d] details ");
        let narrow = Question { offers_session: false, offers_always: false, ..question };
        assert_eq!(narrow.choices(LOOK), "[y] once  [n] deny  [d] details ");
    }

    #[test]
    fn no_part_of_a_question_can_control_the_terminal() {
        let evil = "\u{1b}[2J\u{202e}x";
        let mut question = question(evil, "x");
        question.tool = evil.to_owned();
        question.reasons = vec![evil.to_owned()];
        question.arguments = Some(evil.to_owned());
        let command = &mut question.commands[0];
        command.directory = Some(evil.to_owned());
        command.environment = evil.to_owned();
        let finding = &mut command.findings[0];
        (finding.rule, finding.description, finding.check) = (evil.to_owned(), evil.to_owned(), evil.to_owned());
        finding.path = Some(evil.to_owned());
        for text in [question.text(LOOK), question.details(|command| show::one_line(&command.line) + "\n")] {
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
        }
    }

    #[test]
    fn spans_outside_of_a_replaced_line_are_ignored() {
        let mut question = question("rm -rf build", "build");
        question.commands[0].line = "[x]".to_owned();
        assert!(question.text(LOOK).contains("  | [x]\n\n"));
    }
}
