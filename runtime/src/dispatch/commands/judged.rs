//! Commands that need approval, and what an answer to the question about such a command covers.

use toolc_commands::rules::Verdict;
use toolc_commands::{
    Cause, Finding, Judgement, Span, Surroundings, exact_words, exact_words_of, judge, password_spans, reach,
};

use crate::call::approval::command::{CommandAnswer, CommandFinding, CommandReason};
use crate::call::approval::memory::FindingScope;
use crate::call::approval::policy::CommandApproval;
use crate::call::approval::shell::Exposure;
use crate::call::approval::store::StoredCommand;
use crate::dispatch::commands::place::CommandPlace;
use crate::panics;
use toolc_redact::REDACTED;
use toolc_redact::Redactor;
use toolc_redact::without_secrets;

/// The name of the finding about an argument that is not a command.
const NOT_A_COMMAND: &str = "not-a-command";
/// The name of the finding about code that the judge does not read.
const FOREIGN_CODE: &str = "foreign-code";

/// The maximum number of findings about a command that can be approved for the session. The paths of each finding take time in
/// proportion to the length of the line.
const MAX_FINDINGS: usize = 32;

/// A command that needs approval or is denied.
#[derive(Debug)]
pub(super) struct JudgedCommand {
    pub(super) reason: CommandReason,
    /// What an approval for the session covers, or `None` if the command cannot be approved for the session.
    pub(super) scopes: Option<Vec<FindingScope>>,
    /// What a permanent approval stores, or `None` if the command cannot be approved permanently.
    pub(super) stored: Option<StoredCommand>,
    /// The line for the log.
    pub(super) logged: String,
}

impl JudgedCommand {
    /// Returns whether an answer about the other command is one about this one: it has the same findings, and affects the same files.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.reason == other.reason && self.scopes == other.scopes
    }
}

/// The parameter whose text is judged.
#[derive(Clone, Copy)]
pub(super) struct Judged<'a> {
    pub(super) tool: &'a str,
    pub(super) parameter: &'a str,
    /// Whether the value must not be shown.
    pub(super) is_secret: bool,
    /// Returns the values of secret variables.
    pub(super) secrets: &'a dyn Fn() -> Vec<String>,
}

impl Judged<'_> {
    /// Judges a shell command line. Returns `None` if it is allowed.
    pub(super) fn shell(self, line: &str, config: &CommandApproval, place: &CommandPlace) -> Option<JudgedCommand> {
        let judged = place.surroundings(|surroundings| {
            panics::catch(|| {
                let judgement = judge(line, config.rules, surroundings);
                (judgement.verdict != Verdict::Allow).then(|| {
                    let scopes = scopes(&judgement, config, surroundings);
                    let passwords = password_spans(&judgement.reading);
                    // The same words would mean other files if a link changed.
                    let exact = exact_words(line, &judgement.reading);
                    let exact = exact.filter(|_| !leads_through_links(&judgement, config, surroundings));
                    (findings(&judgement), scopes, exact, passwords)
                })
            })
        });
        let Ok(judged) = judged else {
            return Some(self.unread(line, NOT_A_COMMAND, "The command cannot be read.", config, place));
        };
        let (findings, scopes, exact, passwords) = judged?;
        let exact = exact.map(|exact| (exact.commands, exact.structure));
        let logged = redacted(line, passwords);
        Some(self.command(Line { text: line, logged: &logged }, findings, scopes, exact, config, place))
    }

    /// Returns code in a language that is not judged: a person decides.
    pub(super) fn code(self, code: &str, config: &CommandApproval, place: &CommandPlace) -> JudgedCommand {
        let finding = asking(FOREIGN_CODE, "Runs code in a language that is not judged.", code.len());
        let paths = place.directory.clone().map(|directory| vec![directory]);
        let scopes =
            paths.map(|paths| vec![FindingScope { rule: FOREIGN_CODE.to_owned(), words: None, paths: Some(paths) }]);
        let exact = (vec![vec![code.to_owned()]], FOREIGN_CODE.to_owned());
        self.command(Line::plain(code), vec![finding], scopes, Some(exact), config, place)
    }

    /// Returns a command that is about to see more than others. An approval for the session covers this line in this directory.
    pub(super) fn exposed(
        self,
        exposure: &Exposure<'_>,
        config: &CommandApproval,
        place: &CommandPlace,
    ) -> JudgedCommand {
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let finding = CommandFinding {
            check: exposure.check.to_owned(),
            is_about_its_words: true,
            span: Span { start: small(exposure.part.start), end: small(exposure.part.end) },
            ..asking(exposure.name, exposure.description, exposure.line.len())
        };
        let scopes = place.directory.clone().map(|directory| {
            let words = Some(vec![exposure.line.to_owned()]);
            vec![FindingScope { rule: exposure.name.to_owned(), words, paths: Some(vec![directory]) }]
        });
        self.command(Line::plain(exposure.line), vec![finding], scopes, None, config, place)
    }

    /// Returns an argument that is not a command: a person decides each time.
    pub(super) fn unreadable(self, text: &str, config: &CommandApproval, place: &CommandPlace) -> JudgedCommand {
        self.unread(text, NOT_A_COMMAND, "The argument is neither a command nor a list of words.", config, place)
    }

    /// Returns a call of a tool without the parameter that the session names: a person decides each time.
    pub(super) fn missing(self, config: &CommandApproval, place: &CommandPlace) -> JudgedCommand {
        self.unread(
            "",
            NOT_A_COMMAND,
            "The session names a shell parameter that the tool does not have.",
            config,
            place,
        )
    }

    fn unread(
        self,
        line: &str,
        name: &str,
        description: &str,
        config: &CommandApproval,
        place: &CommandPlace,
    ) -> JudgedCommand {
        self.command(Line::plain(line), vec![asking(name, description, line.len())], None, None, config, place)
    }

    pub(super) fn command(
        self,
        line: Line<'_>,
        findings: Vec<CommandFinding>,
        scopes: Option<Vec<FindingScope>>,
        exact: Option<(Vec<Vec<String>>, String)>,
        config: &CommandApproval,
        place: &CommandPlace,
    ) -> JudgedCommand {
        let logged = if self.is_secret { REDACTED.to_owned() } else { logged(line.logged, &(self.secrets)()) };
        let (line, directory) = (line.text, place.directory.clone());
        // A store outlives the secrets of a session, and others read it.
        let can_be_stored = config.store.is_some() && logged == line;
        let stored =
            exact.filter(|_| can_be_stored).zip(directory.clone()).map(|((commands, structure), directory)| {
                let (tool, environment, line) = (self.tool.to_owned(), place.environment.clone(), line.to_owned());
                StoredCommand { tool, environment, directory, commands, structure, line }
            });
        let mut offers = vec![CommandAnswer::Once];
        offers.extend(scopes.is_some().then_some(CommandAnswer::Session));
        offers.extend(stored.is_some().then_some(CommandAnswer::Always));
        offers.push(CommandAnswer::Deny);
        let reason = CommandReason {
            parameter: self.parameter.to_owned(),
            line: if self.is_secret { REDACTED.to_owned() } else { line.to_owned() },
            verdict: findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Ask),
            findings,
            environment: place.environment.clone(),
            directory,
            offers,
        };
        JudgedCommand { reason, scopes, stored, logged }
    }
}

/// A line of commands.
#[derive(Clone, Copy)]
pub(super) struct Line<'l> {
    text: &'l str,
    /// The text without passwords that are known by their position.
    logged: &'l str,
}

impl<'l> Line<'l> {
    pub(super) fn plain(text: &'l str) -> Self {
        Self { text, logged: text }
    }
}

/// Returns a line for a log and a store. These values, in any form, and everything else that seems to be secret are replaced.
fn logged(line: &str, values: &[String]) -> String {
    without_secrets(&Redactor::of_values(values).text(line), values)
}

/// Returns a line with [`REDACTED`] in place of these parts.
fn redacted(line: &str, mut spans: Vec<Span>) -> String {
    spans.sort_by_key(|span| span.start);
    let (mut text, mut end) = (String::new(), 0);
    for range in spans.into_iter().map(Span::range) {
        let Some(before) = line.get(end..range.start) else { continue };
        text += before;
        text += REDACTED;
        end = range.end;
    }
    text + line.get(end..).unwrap_or_default()
}

/// Returns a finding about a whole text.
fn asking(name: &str, description: &str, length: usize) -> CommandFinding {
    let end = u32::try_from(length).unwrap_or(u32::MAX);
    CommandFinding {
        rule: name.to_owned(),
        description: description.to_owned(),
        check: String::new(),
        verdict: Verdict::Ask,
        span: toolc_commands::Span { start: 0, end },
        path: None,
        is_certain: true,
        is_about_its_words: false,
        low_risk: false,
    }
}

pub(super) fn findings(judgement: &Judgement<'_>) -> Vec<CommandFinding> {
    judgement.findings.iter().map(CommandFinding::from).collect()
}

/// Returns whether a path of a command with a finding can lead somewhere else than it says.
fn leads_through_links(judgement: &Judgement<'_>, config: &CommandApproval, surroundings: &Surroundings<'_>) -> bool {
    let as_written = Surroundings { files: None, ..*surroundings };
    let paths = |command, surroundings| reach(&judgement.reading, command, config.rules, surroundings);
    let mut commands = judgement.findings.iter().filter_map(|finding| finding.command);
    surroundings.files.is_some()
        && (judgement.findings.len() > MAX_FINDINGS
            || commands.any(|id| paths(id, surroundings) != paths(id, &as_written)))
}

/// Returns what an approval for the session covers, or `None` if the findings cannot be approved for the session: the reader has
/// a doubt, a rule that denies may match, or it is not certain what the command touches.
pub(super) fn scopes(
    judgement: &Judgement<'_>,
    config: &CommandApproval,
    surroundings: &Surroundings<'_>,
) -> Option<Vec<FindingScope>> {
    if surroundings.directory.is_none() || judgement.findings.len() > MAX_FINDINGS {
        return None;
    }
    let scope = |finding: &Finding<'_>| {
        let (Cause::Rule(rule), Some(command)) = (finding.cause, finding.command) else { return None };
        if rule.verdict == Verdict::Deny {
            return None;
        }
        let mut paths = reach(&judgement.reading, command, config.rules, surroundings)?;
        paths.extend(finding.path.clone());
        let words =
            rule.conditions.is_about_every_program().then(|| exact_words_of(judgement.reading.command(command)));
        let words = match words {
            Some(words) => Some(words?),
            None => None,
        };
        Some(FindingScope { rule: rule.name.to_owned(), words, paths: Some(paths) })
    };
    judgement.findings.iter().map(scope).collect()
}
