//! Approval of calls in a session that judges commands: rules, what was approved before, and questions, one at a time.
//!
//! No answer allows what the rules deny. A command that needs approval runs if the store contains it, if earlier answers for the
//! session cover each finding about it, or if the approver allows it now.

mod judged;
mod place;
mod record;
mod text;
mod typed;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use toolc_commands::Judgement;
use toolc_commands::rules::Verdict;

use crate::args::{Arguments, Limits};
use crate::call::approval::command::{CallCommands, CommandAnswer};
use crate::call::approval::policy::{CommandApproval, CommandMode};
use crate::call::approval::shell::{JudgedStart, ShellState};
use crate::call::approval::{ApprovalDecision, ApprovalReason, ApprovalRequest, subject};
use crate::call::decision::{DecidedBy, RecordedDecision};
use crate::call::found_directory::FoundDirectory;
use crate::call::hooks::{CallInfo, HostError, HostStage};
use crate::call::{Call, ToolCall};
use crate::dispatch::approval::{self, About, Answer};
use crate::dispatch::permissions::{Asked, Permitting};
use crate::dispatch::running::CallArguments;
use crate::panics::{self, CatchPanic};
use crate::provider::StartDirectory;
use crate::registration::ids::ToolId;
use crate::result::error::{ErrorKind, ToolError};
use crate::run::cancel::{CancelEpoch, CancelSources, CancelledFuture};
use crate::run::deadline::{Interrupted, with_deadline};
use crate::session::prepared::PreparedCall;
use crate::session::turn::Turn;
use judged::{Judged, JudgedCommand};
use place::CommandPlace;
use record::Recorder;

impl Turn {
    /// Returns whether the session judges commands of this tool.
    pub(super) fn judges_commands(&self, id: ToolId) -> bool {
        self.config().commands.as_ref().is_some_and(|config| !self.shell_parameters(config, id).is_empty())
    }

    /// Returns the parameters of a tool that are judged, each with whether it holds commands of a shell.
    fn shell_parameters<'t>(&'t self, config: &'t CommandApproval, id: ToolId) -> BTreeMap<&'t str, bool> {
        let own = self.name(id);
        let declared = self.state().tool(id).behaviour.approval.shell.as_deref();
        let named = config.named.iter().filter(|(tool, _)| tool == own).map(|(_, parameter)| &**parameter);
        let mut parameters: BTreeMap<&str, bool> = declared.into_iter().chain(named).map(|name| (name, true)).collect();
        if parameters.is_empty() && !config.unrecognized.iter().any(|tool| tool == own) {
            parameters.extend(self.state().code_parameters(id).iter().map(|found| (&*found.name, found.is_shell)));
        }
        parameters
    }

    /// Gets approval of a call: of its commands, and for the other reasons in `asked`, about which the permissions are asked again after
    /// other questions.
    ///
    /// # Errors
    /// Returns the error for the model if the call must not run.
    pub(super) async fn approve_commands(
        &self,
        config: &CommandApproval,
        id: ToolId,
        call: &PreparedCall<'_>,
        session: CancelEpoch<'_>,
        arguments: &Arguments,
        asked: (Asked, Option<&Permitting<'_>>),
    ) -> Result<(), ToolError> {
        let context = self.context(id, call.request, session);
        let environment = context.environment();
        let elsewhere = config.elsewhere(environment.as_deref());
        let parameters = self.shell_parameters(config, id);
        let place = if parameters.is_empty() {
            None
        } else {
            Some(self.place(config, elsewhere, id, call, session, arguments).await?)
        };
        let judge = || {
            let place = place.as_ref();
            place.map(|place| self.judge_commands(config, id, arguments, &parameters, place)).unwrap_or_default()
        };
        let recorder = Recorder::new(self, config, call, self.info(call).decisions);
        let commands = Commands::new(self, config, call, subject(self.name(id), elsewhere), recorder, &judge);
        self.decide(commands, asked, None, context.cancel_sources()).await
    }

    /// Returns the place of a call's command. The handler gets its directory and its state of the shell, so that the command runs
    /// where it is judged.
    async fn place(
        &self,
        config: &CommandApproval,
        elsewhere: Option<&str>,
        id: ToolId,
        call: &PreparedCall<'_>,
        session: CancelEpoch<'_>,
        arguments: &Arguments,
    ) -> Result<CommandPlace, ToolError> {
        let mut context = self.context(id, call.request, session);
        let state = context.shell_state();
        let place = self.command_place(config, elsewhere, &state);
        context.set_judged_start(Some(JudgedStart::new(&state, None)));
        let (place, directory) = if let Some(finding) = self.start_directory(id, &context, arguments)? {
            let directory = self.wait_for_directory(id, finding, &context).await?;
            (place.in_directory(&directory.path), Some(directory))
        } else {
            let place = place.in_directory_of(arguments, self.table(id));
            let directory = place.directory.as_deref().map(FoundDirectory::from);
            (place, directory)
        };
        let _ = call.judged.set(JudgedStart::new(&state, directory));
        Ok(place)
    }

    /// Asks the handlers of a tool for the directory in which a call starts.
    fn start_directory<'c>(
        &'c self,
        id: ToolId,
        call: &'c Call<'c>,
        arguments: &Arguments,
    ) -> Result<Option<StartDirectory<'c>>, ToolError> {
        let mut arguments = CallArguments { read: Some(arguments.clone()), ..CallArguments::default() };
        let request = ToolCall::new(call.tool(), "");
        self.with_slots(id, &request, &mut arguments, |slots| {
            let slots = slots?;
            let (provider, index) = self.state().provider(id);
            Ok(panics::catch(|| provider.start_directory(index.0, slots, call))?)
        })
    }

    async fn wait_for_directory(
        &self,
        id: ToolId,
        finding: StartDirectory<'_>,
        call: &Call<'_>,
    ) -> Result<FoundDirectory, ToolError> {
        let limit = self.time_limit(id);
        let found = with_deadline(CatchPanic(finding), CancelledFuture::new(call.cancel_sources()), limit).await;
        found.unwrap_or_else(|interrupted| {
            call.abandon();
            Ok(Err(match interrupted {
                Interrupted::Cancelled => approval::cancelled(),
                Interrupted::TimedOut => {
                    let text = format!(
                        "the command was not run: its working directory was not found within {limit:?}. Try again later"
                    );
                    ToolError::with_kind(ErrorKind::Timeout, text)
                }
            }))
        })?
    }

    /// Gets approval of judged commands, and for these other reasons. `shown` are the arguments that the approver sees, if they are
    /// not those of the call.
    async fn decide(
        &self,
        mut commands: Commands<'_>,
        (mut asked, permitting): (Asked, Option<&Permitting<'_>>),
        shown: Option<&Value>,
        cancel: CancelSources<'_>,
    ) -> Result<(), ToolError> {
        commands.decide_without_person()?;
        let subject = commands.subject.clone();
        let mut info = self.info(commands.call);
        asked.reasons = self.not_yet_approved(&subject, &info, asked.reasons);
        if asked.reasons.is_empty() && commands.open.is_empty() {
            return Ok(());
        }
        if commands.config.mode == CommandMode::Deny {
            return Err(denied_by_mode(&info, &asked.reasons));
        }
        let cancelled = || CancelledFuture::new(cancel);
        let is_queued = self.config().approver.as_ref().is_none_or(|approver| approver.asks_one_at_a_time());
        let place = is_queued.then(|| self.config().questions.join());
        if let Some(place) = &place
            && with_deadline(place.first(), cancelled(), Duration::MAX).await.is_err()
        {
            return Err(approval::cancelled());
        }
        // The answers to the questions before this one may cover the call, and the files may have changed.
        commands.judge_again();
        commands.decide_without_person()?;
        if let Some(permitting) = permitting.filter(|_| place.is_some() && asked.offer.is_some()) {
            permitting.refresh(&mut asked).await?;
        }
        asked.reasons = self.not_yet_approved(&subject, &info, asked.reasons);
        if asked.reasons.is_empty() && commands.open.is_empty() {
            return Ok(());
        }
        let mut reasons = asked.reasons.clone();
        reasons.extend(commands.open.iter().map(|command| ApprovalReason::Command(command.reason.clone())));
        info.arguments = shown.unwrap_or(info.arguments);
        let time_limit = self.config().approval_timeout;
        let request = ApprovalRequest { call: info, reasons: &reasons, offer: asked.offer.as_ref(), time_limit };
        let answer = approval::ask(self.config(), request, cancelled()).await;
        if answer.allows() && commands.have_changed() {
            return Err(commands.changed());
        }
        if let Answer::Decided(decision) = &answer {
            self.keep_answer(decision, &subject, &asked, &info);
        }
        approval::record(&info, &asked.reasons, answer.decision(), answer.decided_by(), commands.recorder.began());
        commands.recorder.record_call(&asked, &answer);
        commands.answered(answer)
    }

    /// Judges a shell command line as if it were the first command of a tool of the session: in the session's directory, and with its
    /// environment variables. Does not run or record the line, and asks no question. Returns `None` if the session judges no commands.
    pub fn judge_command(&self, line: &str) -> Option<Judgement<'_>> {
        let config = self.config().commands.as_ref()?;
        let environment = self.config().task.0.environment();
        let place = self.command_place(config, config.elsewhere(environment.as_deref()), &ShellState::default());
        Some(place.surroundings(|surroundings| toolc_commands::judge(line, config.rules, surroundings)))
    }

    /// Judges the commands of a call as the call would, by the rules and by what was approved for good, and not by the mode of approval. Does
    /// not run or record anything, and asks no question. The directory is the session's, or one that an argument names. There are no
    /// commands if the session does not judge those of the tool, or does not have the tool.
    ///
    /// # Errors
    /// If the arguments do not fit the tool.
    pub fn judge_call(&self, call: &ToolCall<'_>) -> Result<CallCommands, ToolError> {
        let mut found = CallCommands::default();
        let Some((config, id)) = self.config().commands.as_ref().zip(self.find(call.name())) else { return Ok(found) };
        let parameters = self.shell_parameters(config, id);
        if parameters.is_empty() {
            return Ok(found);
        }
        let (table, environment) = (self.table(id), self.config().task.0.environment());
        let (arguments, _) = Arguments::read(call.arguments(), table, Limits::default())?;
        let elsewhere = config.elsewhere(environment.as_deref());
        let place = self.command_place(config, elsewhere, &ShellState::default()).in_directory_of(&arguments, table);
        for command in self.judge_commands(config, id, &arguments, &parameters, &place) {
            let is_approved = command.reason.verdict != Verdict::Deny && is_stored(config, &command);
            if is_approved { &mut found.approved } else { &mut found.open }.push(command.reason);
        }
        Ok(found)
    }

    /// Returns a description of each answer that a person has given for the session: for commands, for calls, and for the approval that a
    /// tool or a hook requires.
    pub fn answers_for_session(&self) -> Vec<String> {
        let config = self.config();
        let of_permissions = config.permissions.as_ref();
        let of_permissions =
            of_permissions.and_then(|permissions| panics::catch(|| permissions.answers_for_session()).ok());
        let of_commands = config.command_memory.descriptions();
        of_commands
            .into_iter()
            .chain(of_permissions.unwrap_or_default())
            .chain(config.approvals.descriptions())
            .collect()
    }

    /// Returns the values of variables that are secret.
    fn secret_values(&self) -> Vec<String> {
        let env = &self.config().env;
        let secrets = self.secret_names().into_iter().filter_map(|name| env.var(&name));
        secrets.chain(record::secret_values(env)).collect()
    }

    fn command_place(&self, config: &CommandApproval, elsewhere: Option<&str>, state: &ShellState) -> CommandPlace {
        let secrets = self.secret_names();
        let is_secret = |name: &str| secrets.iter().any(|secret| secret == name);
        CommandPlace::new(config, elsewhere, &self.config().env, is_secret, state)
    }

    /// Judges the commands of a call. Returns those that need approval or are denied.
    fn judge_commands(
        &self,
        config: &CommandApproval,
        id: ToolId,
        arguments: &Arguments,
        parameters: &BTreeMap<&str, bool>,
        place: &CommandPlace,
    ) -> Vec<JudgedCommand> {
        let table = self.table(id);
        let secrets = || self.secret_values();
        let properties = table.nodes.first().map_or(&[][..], |root| root.properties.slice(&table.properties));
        let mut judged = Vec::new();
        for (&parameter, &is_shell) in parameters {
            let property = properties.iter().find(|property| &*property.name == parameter);
            let subject = Judged {
                tool: self.name(id),
                parameter,
                is_secret: property.is_some_and(|property| property.secret),
                secrets: &secrets,
            };
            match (arguments.get(parameter), property) {
                (None, None) => judged.push(subject.missing(config, place)),
                (None | Some(Value::Null), _) => {}
                (Some(value), _) => match text::lines(value, parameter) {
                    Some(lines) if is_shell => {
                        judged.extend(lines.iter().filter_map(|line| subject.shell(line, config, place)));
                    }
                    Some(lines) => judged.extend(lines.iter().take(1).map(|code| subject.code(code, config, place))),
                    None => judged.push(subject.unreadable(&value.to_string(), config, place)),
                },
            }
        }
        judged
    }
}

/// The commands of a call about which no decision has been made yet.
struct Commands<'c> {
    config: &'c CommandApproval,
    turn: &'c Turn,
    call: &'c PreparedCall<'c>,
    /// The [subject] whose approvals count.
    subject: Cow<'c, str>,
    recorder: Recorder<'c>,
    /// Judges the commands, with the files as they are now.
    judge: &'c (dyn Fn() -> Vec<JudgedCommand> + Sync),
    open: Vec<JudgedCommand>,
    /// The commands that were approved before, as they were judged then.
    covered: Vec<JudgedCommand>,
    /// What the model can do instead, if the commands are not approved.
    instead: Option<&'c str>,
}

impl<'c> Commands<'c> {
    fn new(
        turn: &'c Turn,
        config: &'c CommandApproval,
        call: &'c PreparedCall<'c>,
        subject: Cow<'c, str>,
        recorder: Recorder<'c>,
        judge: &'c (dyn Fn() -> Vec<JudgedCommand> + Sync),
    ) -> Self {
        Self { config, turn, call, subject, recorder, judge, open: judge(), covered: Vec::new(), instead: None }
    }

    /// Says what the model can do if the commands are not approved.
    fn or(self, instead: &'c str) -> Self {
        // The fields cannot be moved out of a type with a destructor.
        let mut commands = self;
        commands.instead = Some(instead);
        commands
    }

    /// Judges the commands again, because what their paths lead to can change while a call waits. Those that were approved before stay
    /// approved if nothing has changed.
    fn judge_again(&mut self) {
        self.open = self.judged_now();
    }

    fn judged_now(&self) -> Vec<JudgedCommand> {
        let mut judged = (self.judge)();
        judged.retain(|command| !self.covered.iter().any(|covered| command.is_same(covered)));
        judged
    }

    /// Returns whether a command has other findings now than the open ones, or affects other files.
    fn have_changed(&self) -> bool {
        self.judged_now().iter().any(|command| !self.open.iter().any(|open| command.is_same(open)))
    }

    /// Ends a question whose answer is about files that have changed since.
    fn changed(&mut self) -> ToolError {
        self.record_all(RecordedDecision::Denied, DecidedBy::Rule);
        let text = "the command was not run: what its paths lead to has changed since the question about it, so the answer does not \
                    apply. Call the tool again to ask again";
        ToolError::with_kind(ErrorKind::Refused, text)
    }

    /// Decides by the rules, by what was approved before, and by the mode.
    fn decide_without_person(&mut self) -> Result<(), ToolError> {
        if self.open.iter().any(|command| command.reason.verdict == Verdict::Deny) {
            let about = self.about(Verdict::Deny);
            self.record_all(RecordedDecision::Denied, DecidedBy::Rule);
            let text = format!(
                "the command was not run, and no approval can change that: {about}. Do not retry it in another spelling"
            );
            return Err(ToolError::with_kind(ErrorKind::Denied, text));
        }
        self.remember();
        if self.open.is_empty() {
            return Ok(());
        }
        match self.config.mode {
            CommandMode::Ask => Ok(()),
            CommandMode::Off => {
                self.record_all(RecordedDecision::Allowed, DecidedBy::Mode);
                Ok(())
            }
            CommandMode::Deny => {
                let about = self.about(Verdict::Ask);
                self.record_all(RecordedDecision::Denied, DecidedBy::Mode);
                let text = format!(
                    "the command was not run, because it needs approval, and in this session no person can give it: {about}. {}",
                    About { findings: &about, instead: self.instead }.advice()
                );
                Err(ToolError::with_kind(ErrorKind::Denied, text))
            }
        }
    }

    /// Removes the commands that were approved before.
    fn remember(&mut self) {
        let subject = &*self.subject;
        let memory = &self.turn.config().command_memory;
        let is_covered = |command: &JudgedCommand| {
            command.scopes.as_ref().is_some_and(|scopes| scopes.iter().all(|scope| memory.covers(subject, scope)))
        };
        let mut open = Vec::new();
        for command in std::mem::take(&mut self.open) {
            let by = match () {
                () if is_stored(self.config, &command) => DecidedBy::Always,
                () if is_covered(&command) => DecidedBy::Session,
                () => {
                    open.push(command);
                    continue;
                }
            };
            self.recorder.record(&command.logged, &command.reason, RecordedDecision::Allowed, by);
            self.covered.push(command);
        }
        self.open = open;
    }

    /// Ends the question with its answer.
    fn answered(&mut self, answer: Answer) -> Result<(), ToolError> {
        let by = answer.decided_by();
        let about = (!self.open.is_empty()).then(|| self.about(Verdict::Ask));
        if let Answer::Decided(decision) = &answer {
            let commands = std::mem::take(&mut self.open);
            for command in commands {
                let recorded = self.keep(decision, &command);
                self.recorder.record(&command.logged, &command.reason, recorded, by);
            }
        } else {
            self.record_all(answer.decision(), by);
        }
        answer.result(about.as_deref().map(|findings| About { findings, instead: self.instead }))
    }

    /// Keeps a decision for later commands, if the answer was offered.
    fn keep(&self, decision: &ApprovalDecision, command: &JudgedCommand) -> RecordedDecision {
        let is_always = matches!(decision, ApprovalDecision::AllowAlways);
        let offers = |answer| command.reason.offers(answer);
        match decision {
            ApprovalDecision::Deny(_) | ApprovalDecision::Unanswered(_) => RecordedDecision::Denied,
            ApprovalDecision::AllowOnce | ApprovalDecision::AllowedByModel => RecordedDecision::Allowed,
            _ if is_always && offers(CommandAnswer::Always) => {
                if self.store(command) {
                    RecordedDecision::AllowedAlways
                } else {
                    RecordedDecision::Allowed
                }
            }
            _ => match (&command.scopes, &command.reason.directory) {
                (Some(scopes), Some(directory)) => {
                    self.turn.config().command_memory.approve(&self.subject, directory, scopes);
                    RecordedDecision::AllowedForSession
                }
                _ => RecordedDecision::Allowed,
            },
        }
    }

    /// Stores a command that was approved permanently. Returns whether that succeeded.
    fn store(&self, command: &JudgedCommand) -> bool {
        let Some((store, stored)) = self.config.store.as_ref().zip(command.stored.as_ref()) else { return false };
        let added = panics::catch(|| store.add(stored)).unwrap_or_else(|panicked| Err(panicked.0));
        if let Err(message) = &added {
            let error = HostError { part: "the approval store", stage: HostStage::Approval, message };
            self.turn.config().report_host_error(&self.turn.info(self.call), &error);
        }
        added.is_ok()
    }

    /// Returns the findings with a verdict, for an error message: names and descriptions, never parts of the line.
    fn about(&self, verdict: Verdict) -> String {
        let mut texts: Vec<String> = Vec::new();
        let findings = self.open.iter().flat_map(|command| &command.reason.findings);
        for finding in findings.filter(|finding| finding.verdict == verdict) {
            let description = finding.description.trim_end_matches('.');
            let text = format!("{description} (rule `{}`)", finding.rule);
            if !texts.contains(&text) && texts.len() < MAX_FINDINGS {
                texts.push(text);
            }
        }
        texts.join("; ")
    }

    fn record_all(&mut self, decision: RecordedDecision, by: DecidedBy) {
        for command in std::mem::take(&mut self.open) {
            self.recorder.record(&command.logged, &command.reason, decision, by);
        }
    }
}

/// Records that the mode denies a call that its tool or a hook asks about. Returns the error for the model.
fn denied_by_mode(call: &CallInfo<'_>, reasons: &[ApprovalReason]) -> ToolError {
    approval::record(call, reasons, RecordedDecision::Denied, DecidedBy::Mode, None);
    let about: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    let text = format!(
        "the call was not run, because it needs approval, and in this session no person can give it: {}. Do without this call",
        about.join("; ").trim_end_matches('.')
    );
    ToolError::with_kind(ErrorKind::Denied, text)
}

/// Returns whether a person has approved the command for good.
fn is_stored(config: &CommandApproval, command: &JudgedCommand) -> bool {
    let stored = config.store.as_ref().zip(command.stored.as_ref());
    stored.is_some_and(|(store, stored)| panics::catch(|| store.contains(stored)).unwrap_or(false))
}

/// The maximum number of findings in an error message.
const MAX_FINDINGS: usize = 3;

/// A call that is cancelled or dropped while it waits leaves a record, too.
impl Drop for Commands<'_> {
    fn drop(&mut self) {
        self.record_all(RecordedDecision::Cancelled, DecidedBy::Unanswered);
    }
}

#[cfg(test)]
mod tests;
