//! Input of programs that run what they read: judged by its handler's request, line by line.
//!
//! What a shell makes of a line depends on the lines before it: an open quote, a function, another directory. And which of those
//! lines the shell has read is not certain, because a program that it runs can read some of them. So a line is judged after no,
//! one, two ... and all of the lines before it, and what any of these readings adds is a finding.

use std::pin::Pin;

use serde_json::json;
use toolc_commands::rules::Verdict;
use toolc_commands::{Finding, Judgement, Span, judge};

use crate::call::ToolCall;
use crate::call::approval::command::CommandFinding;
use crate::call::approval::memory::FindingScope;
use crate::call::approval::policy::{CommandApproval, CommandMode};
use crate::call::approval::shell::{Exposure, InputLanguage, ProgramInput, ShellState};
use crate::call::approval::{ApprovalReason, subject};
use crate::call::hooks::CallInfo;
use crate::call::scope::InputCall;
use crate::dispatch::commands::judged::{self, Judged, JudgedCommand, Line};
use crate::dispatch::commands::place::CommandPlace;
use crate::dispatch::commands::{Commands, Recorder};
use crate::dispatch::permissions::Asked;
use crate::panics;
use crate::result::error::{ErrorKind, ToolError};
use crate::session::prepared::PreparedCall;
use crate::session::turn::Turn;

/// Words that can change the directory of a shell, wherever they occur.
const CHANGES_DIRECTORY: &[&str] = &["cd", "pushd", "popd", "eval", "source", ". ", "exec"];

impl Turn {
    /// Gets approval of input for a running program, as for the command of a call.
    pub(crate) fn approve_input<'c>(
        &'c self,
        call: InputCall<'c>,
        input: ProgramInput<'c>,
    ) -> Pin<Box<dyn Future<Output = Result<(), ToolError>> + Send + 'c>> {
        Box::pin(async move {
            let Some(config) = &self.config().commands else { return Ok(()) };
            let Some(id) = self.state().find(call.tool) else {
                return Err(ToolError::with_kind(ErrorKind::Refused, "the tool of this call is no longer registered"));
            };
            let request = ToolCall::of_input(call);
            let prepared = PreparedCall::new(&request, Some(id));
            let environment = call.task.and_then(|(task, _)| task.environment());
            let elsewhere = config.elsewhere(environment.as_deref());
            let place = self.command_place(config, elsewhere, &ShellState::default()).of_input(input.directory);
            let secrets = || self.secret_values();
            let judge = || {
                let line = Judged { tool: input.tool, parameter: input.parameter, is_secret: false, secrets: &secrets };
                let judged = match input.language {
                    InputLanguage::Shell => line.typed(input, config, &place),
                    InputLanguage::Other => Some(line.code(input.line, config, &place)),
                };
                judged.into_iter().collect()
            };
            let recorder = Recorder::new(self, config, &prepared, call.decisions);
            let commands = Commands::new(self, config, &prepared, subject(input.tool, elsewhere), recorder, &judge);
            let shown = json!({ input.parameter: input.line });
            self.decide(commands, (Asked::default(), None), Some(&shown), call.cancel).await
        })
    }
}

impl Turn {
    /// Gets approval of code that a handler is about to run without confinement.
    pub(crate) fn approve_code<'c>(
        &'c self,
        call: InputCall<'c>,
        code: ProgramInput<'c>,
    ) -> Pin<Box<dyn Future<Output = Result<(), ToolError>> + Send + 'c>> {
        if self.config().commands.is_some() {
            return self.approve_input(call, code);
        }
        Box::pin(async move {
            let request = ToolCall::of_input(call);
            let prepared = PreparedCall::new(&request, self.state().find(call.tool));
            let shown = json!({ code.parameter: code.line });
            let info = CallInfo { arguments: &shown, decisions: call.decisions, ..self.info(&prepared) };
            let environment = call.task.and_then(|(task, _)| task.environment());
            let subject = subject(call.tool, environment.as_deref());
            let asked = Asked { reasons: vec![ApprovalReason::Declared], offer: None };
            self.approve_for(&subject, info, call.cancel, asked).await
        })
    }
}

impl Turn {
    /// Gets approval of a command that is about to see more than others. Returns whether it was approved.
    pub(crate) fn approve_exposure<'c>(
        &'c self,
        call: InputCall<'c>,
        exposure: &'c Exposure<'c>,
    ) -> Pin<Box<dyn Future<Output = Result<bool, ToolError>> + Send + 'c>> {
        Box::pin(async move {
            let request = ToolCall::of_input(call);
            let prepared = PreparedCall::new(&request, self.state().find(call.tool));
            let environment = call.task.and_then(|(task, _)| task.environment());
            let Some(config) = &self.config().commands else {
                let shown = json!({ exposure.parameter: exposure.line });
                let info = CallInfo { arguments: &shown, decisions: call.decisions, ..self.info(&prepared) };
                let reasons = vec![ApprovalReason::HookEachTime(exposure.description.to_owned())];
                let subject = subject(call.tool, environment.as_deref());
                self.approve_for(&subject, info, call.cancel, Asked { reasons, offer: None }).await?;
                return Ok(true);
            };
            if config.mode == CommandMode::Off {
                return Ok(false);
            }
            let elsewhere = config.elsewhere(environment.as_deref());
            let place = self.command_place(config, elsewhere, &ShellState::default());
            let place = place.of_input(exposure.directory.and_then(std::path::Path::to_str));
            let secrets = || self.secret_values();
            let subject = subject(call.tool, elsewhere);
            let judge = || {
                let line =
                    Judged { tool: call.tool, parameter: exposure.parameter, is_secret: false, secrets: &secrets };
                vec![line.exposed(exposure, config, &place)]
            };
            let recorder = Recorder::new(self, config, &prepared, call.decisions);
            let commands = Commands::new(self, config, &prepared, subject, recorder, &judge).or(exposure.instead);
            let shown = json!({ exposure.parameter: exposure.line });
            self.decide(commands, (Asked::default(), None), Some(&shown), call.cancel).await?;
            Ok(true)
        })
    }
}

impl Judged<'_> {
    /// Judges a line after each number of lines before it. `None` if it simply runs.
    fn typed(self, input: ProgramInput<'_>, config: &CommandApproval, place: &CommandPlace) -> Option<JudgedCommand> {
        let mut found = Found { findings: Vec::new(), scopes: Some(Vec::new()) };
        // Quotes and ends of lines can be within a word.
        let earlier = input.earlier.concat().replace(['\\', '"', '\''], "");
        let moved = CHANGES_DIRECTORY.iter().any(|word| earlier.contains(word));
        let elsewhere = place.elsewhere();
        for start in (0..=input.earlier.len()).rev() {
            let place = if start > 0 && moved { &elsewhere } else { place };
            if panics::catch(|| found.add(&input, start, config, place)).is_err() {
                return Some(self.unreadable(input.line, config, place));
            }
        }
        if found.findings.is_empty() {
            return None;
        }
        found.findings.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
        Some(self.command(Line::plain(input.line), found.findings, found.scopes, None, config, place))
    }
}

/// What was found about a line in any of its readings.
struct Found {
    findings: Vec<CommandFinding>,
    /// What an approval for the session covers, or `None` if the line cannot be approved for the session.
    scopes: Option<Vec<FindingScope>>,
}

impl Found {
    /// Adds what the line adds to the lines from `start`.
    fn add(&mut self, input: &ProgramInput<'_>, start: usize, config: &CommandApproval, place: &CommandPlace) {
        let mut before = input.earlier[start..].join("\n");
        place.surroundings(|surroundings| {
            let known = if before.is_empty() {
                Vec::new()
            } else {
                let judgement = judge(&before, config.rules, surroundings);
                before.push('\n');
                judgement.findings
            };
            let text = format!("{before}{}", input.line);
            let judgement = judge(&text, config.rules, surroundings);
            let is_known = |finding: &Finding<'_>| {
                known.iter().any(|known| {
                    known.cause == finding.cause && known.span == finding.span && known.path == finding.path
                })
            };
            if judgement.verdict == Verdict::Allow || judgement.findings.iter().all(is_known) {
                return;
            }
            let new = Judgement {
                findings: judgement.findings.iter().filter(|finding| !is_known(finding)).cloned().collect(),
                ..judgement
            };
            let scopes = judged::scopes(&new, config, surroundings);
            for mut finding in judged::findings(&new) {
                finding.span = within(finding.span, before.len(), input.line.len());
                let is_same = |other: &CommandFinding| other.rule == finding.rule && other.path == finding.path;
                if !self.findings.iter().any(is_same) {
                    self.findings.push(finding);
                }
            }
            match (&mut self.scopes, scopes) {
                (Some(all), Some(scopes)) => all.extend(scopes),
                _ => self.scopes = None,
            }
        });
    }
}

/// Returns a span of a text as a span of its last line, which begins at `offset`: the whole line if it is elsewhere.
fn within(span: Span, offset: usize, length: usize) -> Span {
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    match (span.range().start.checked_sub(offset), span.range().end.checked_sub(offset)) {
        (Some(start), Some(end)) => Span { start: small(start), end: small(end) },
        _ => Span { start: 0, end: small(length) },
    }
}
