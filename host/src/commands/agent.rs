//! `toolc agent`: works on one task, and exits.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use clap::Args;
use toolc_config::Home;

use super::unapproved::{ALLOW_BY_RULES, OFF_IN_A_SANDBOX, Unapproved};
use crate::agent::plan::Plan;
use crate::agent::resume::ResumeArgs;
use crate::agent::setup::{AgentArgs, Setup};
use crate::agent::{Agent, AgentEvent, Interrupts, Observer, TurnOutcome};
use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;
use crate::options::ToolOptions;
use crate::person::Person;

/// The maximum size of a task on standard input.
const MAX_TASK_BYTES: u64 = 1 << 20;

/// The last part of the help.
const EXIT_STATUS: &str = "\
If a command needs approval, the person at the terminal is asked. Without a terminal, the command does not run, unless `--approval off`
is set.

Exit status:
  0    the model finished the task
  1    the model did not finish: it refused, its answer was cut off, it used up its requests, or a limit of the budget was
       reached
  2    the command line is wrong, the request to the model failed, the conversation is too long, or the answer cannot be written
  130  Ctrl-C ended the work";

/// The arguments of `agent`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct AgentCommand {
    /// The task, in one or several words. `-` reads it from standard input.
    #[arg(required = true, value_name = "PROMPT")]
    words: Vec<String>,
    #[command(flatten)]
    args: AgentArgs,
    #[command(flatten)]
    resume: ResumeArgs,
    /// Print each event as one line of JSON, instead of the answer.
    #[arg(long)]
    json: bool,
}

impl AgentCommand {
    /// Runs the command.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<ExitCode> {
        let prompt = self.prompt()?;
        let setup = Arc::new(Setup::new(&self.args, options, home, Person::for_host())?);
        setup.check_environment()?;
        setup.report_ignored()?;
        let runtime = crate::ground::executor()?;
        let status = runtime.block_on(self.run_in(&setup, &prompt));
        setup.settle();
        status
    }

    async fn run_in(&self, setup: &Arc<Setup>, prompt: &str) -> Result<ExitCode> {
        let mut interrupts = Interrupts::of_process().map_err(|error| Error::failed("handle Ctrl-C", error))?;
        let presses = interrupts.clone();
        let resume = self.resume.find(setup)?;
        let interrupt = presses.clone();
        setup.set_question_hooks(move || interrupt.press_at_question(), || Box::new(()));
        let output = Output::default();
        let approver = setup.person(move || presses.press_at_question());
        let has_person = approver.is_some();
        let mut agent = setup.agent(Plan {
            selection: &self.args.selection,
            toolsets: None,
            source: "agent",
            observer: if self.json { print_json(&output) } else { print_progress(&output) },
            approver,
            resume: resume.as_ref(),
            worker: None,
            helper: None,
            skills: Vec::new(),
        })?;
        if !agent.wait_for_servers(&mut interrupts).await {
            return Ok(ExitCode::from(130));
        }
        agent.announce(&setup.host.directory).await;
        // Check the output before the first request, which can cost money.
        output.check()?;
        let outcome = agent.run_turn(prompt, &mut interrupts).await;
        let status = match &outcome {
            Ok(TurnOutcome::Done) => 0,
            Ok(
                TurnOutcome::Refused
                | TurnOutcome::CutOff
                | TurnOutcome::OutOfRequests
                | TurnOutcome::OverSpendingLimit,
            ) => 1,
            Ok(TurnOutcome::Interrupted) => 130,
            Err(_) => 2,
        };
        match &outcome {
            Ok(TurnOutcome::OutOfRequests) => {
                tell!("error: the model used up its {} requests", agent.limits.max_iterations);
            }
            Ok(TurnOutcome::OverSpendingLimit) => tell!("error: {}", agent.over_spending_limit()),
            Ok(TurnOutcome::CutOff) => tell!("error: the answer was cut off at the token limit"),
            Ok(TurnOutcome::Refused) => tell!("error: the model refused"),
            Err(error) => tell!("error: {}", show::one_line(&setup.host.redactor.text(&error.to_string()))),
            Ok(TurnOutcome::Done | TurnOutcome::Interrupted) => {}
        }
        if !has_person && output.unapproved.is_any() {
            tell!(
                "note: no person could approve the calls above. Run the task at a terminal, where you are asked; or {ALLOW_BY_RULES}; or \
                 {OFF_IN_A_SANDBOX}"
            );
        }
        if let Err(problem) = output.check() {
            tell!("error: {problem}: the answer was not printed{}", recorded_hint(setup, &agent));
            return Ok(ExitCode::from(if status == 130 { status } else { 2 }));
        }
        Ok(ExitCode::from(status))
    }

    fn prompt(&self) -> Result<String> {
        let empty =
            "the task is empty: describe what the model should do, or pass `-` to read the task from standard input";
        if self.words != ["-"] {
            let prompt = self.words.join(" ");
            return if prompt.trim().is_empty() { Err(Error::Invalid(empty.to_owned())) } else { Ok(prompt) };
        }
        let mut text = String::new();
        let read = io::stdin().lock().take(MAX_TASK_BYTES + 1).read_to_string(&mut text);
        read.map_err(|error| Error::failed("read the task from standard input", error))?;
        if text.len() as u64 > MAX_TASK_BYTES {
            return Err(Error::Invalid(format!("the task on standard input is longer than {MAX_TASK_BYTES} bytes")));
        }
        if text.trim().is_empty() {
            return Err(Error::Invalid(
                "the task on standard input is empty: describe what the model should do".to_owned(),
            ));
        }
        Ok(text)
    }
}

/// Standard output, and the first failure to write to it. A failure does not stop the work.
#[derive(Clone, Default)]
struct Output {
    failure: Arc<OnceLock<io::Error>>,
    unapproved: Unapproved,
}

impl Output {
    fn line(&self, line: &str) {
        if self.failure.get().is_some() {
            return;
        }
        let mut out = io::stdout().lock();
        if let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush()) {
            let _ = self.failure.set(error);
        }
    }

    /// Fails if writing failed for another reason than a closed pipe.
    fn check(&self) -> Result<()> {
        let failed = |error: &io::Error| ask::check_write(Err(io::Error::new(error.kind(), error.to_string())));
        self.failure.get().map_or(Ok(()), failed)
    }
}

/// Returns a hint about where to find an answer that was not printed.
fn recorded_hint(setup: &Setup, agent: &Agent) -> String {
    if setup.record { format!(", but it is recorded: `toolc sessions show {}`", agent.name) } else { String::new() }
}

/// Returns an observer that prints each event as a line of JSON.
fn print_json(output: &Output) -> Observer {
    let output = output.clone();
    Arc::new(move |event| {
        output.unapproved.observe(event);
        if let Ok(line) = serde_json::to_string(event) {
            // A value can hold characters that control a terminal. As JSON, their escapes are the same characters.
            output.line(&show::visible(&line));
        }
    })
}

/// Returns an observer that prints the final answer on standard output, and earlier events on standard error.
fn print_progress(output: &Output) -> Observer {
    let output = output.clone();
    let is_terminal = io::stderr().is_terminal();
    Arc::new(move |event| {
        output.unapproved.observe(event);
        let mut err = io::stderr().lock();
        let _ = match event {
            AgentEvent::Answer { text, calls, .. } if *calls == 0 => {
                let text = if io::stdout().is_terminal() { show::lines(text) } else { (*text).to_owned() };
                output.line(text.trim_end());
                Ok(())
            }
            AgentEvent::Answer { text, .. } if !text.trim().is_empty() => writeln!(err, "{}", show::lines(text.trim())),
            AgentEvent::CallBegins { tool, emoji, arguments, .. } => {
                writeln!(err, "{}", show::call(emoji, tool, arguments, 100))
            }
            AgentEvent::CallEnds { error: Some(kind), tool, json, .. } => {
                writeln!(err, "  {} {}", show::one_line(tool), show::failure(kind, json))
            }
            AgentEvent::HelperBegins { helper, goal, .. } => writeln!(err, "{helper} begins: {goal}"),
            AgentEvent::HelperCall { helper, emoji, tool, arguments, .. } => {
                writeln!(err, "{helper}: {}", show::call(emoji, tool, arguments, 100))
            }
            AgentEvent::HelperEnds { helper, outcome, .. } => writeln!(err, "{helper} has ended: {outcome}"),
            AgentEvent::Retry { error, wait_ms } => {
                writeln!(err, "warning: {}; trying again in {} s", show::one_line(error), wait_ms.div_ceil(1000))
            }
            AgentEvent::Notice { text } => writeln!(err, "note: {}", show::one_line(text)),
            AgentEvent::Compacted { replaced, .. } => {
                let replaced = show::counted(*replaced, "message");
                writeln!(err, "note: a summary replaces the first {replaced} of the conversation")
            }
            AgentEvent::Ends { tokens, requests, .. } if is_terminal => {
                writeln!(err, "{tokens}, {requests} {}", if *requests == 1 { "request" } else { "requests" })
            }
            _ => Ok(()),
        };
    })
}
