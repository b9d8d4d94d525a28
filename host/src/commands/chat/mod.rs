//! The chat: a conversation in the terminal. It starts if `toolc` is run without a command.
//!
//! The line editor is `rustyline`: small, kept since 2015, with history, several lines and pasted text. [`screen`] says what events look
//! like, and [`live`] draws what is not final.

mod clipboard;
mod commands;
mod files;
mod input;
mod live;
mod pictures;
mod results;
mod screen;
mod skill_commands;
mod skills;
mod typed;
#[cfg(unix)]
mod typing;

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _};
use std::mem;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use toolc_config::Home;
use toolc_store::SessionInfo;

use crate::agent::named_skills::without_skill;
use crate::agent::plan::Plan;
use crate::agent::resume::ResumeArgs;
use crate::agent::setup::{AgentArgs, CHAT, Setup};
use crate::agent::{Agent, Interrupts, TurnOutcome};
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;
use crate::options::ToolOptions;
use crate::person::Person;
#[cfg(unix)]
use crate::person::TypingTerminal;
use commands::{Next, Typed, parse, unknown_command};
use input::{Input, Line};
use screen::{Caller, Screen};
#[cfg(unix)]
use typing::Typing;

/// The arguments of the chat.
#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    #[command(flatten)]
    args: AgentArgs,
    #[command(flatten)]
    resume: ResumeArgs,
    /// Write text as it arrives, without colours, layout and a spinner, for screen readers. The terminal `dumb` has the same effect.
    #[arg(long)]
    plain: bool,
}

/// The number of earlier messages that are shown when a conversation is continued.
const SHOWN_AGAIN: usize = 4;

impl ChatArgs {
    /// Runs the chat.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<ExitCode> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(Error::Invalid("the chat needs a terminal. `toolc agent PROMPT` works on one task without one, and `toolc --help` lists \
                        the other commands"
                .to_owned()));
        }
        let setup = Arc::new(Setup::new(&self.args, options, home, Person::for_host())?);
        if let Err(problem) = setup.check_environment() {
            tell!("warning: {problem}\ncommands and file tools will fail until this is fixed");
        }
        setup.report_visible_home();
        let runtime = crate::ground::executor()?;
        let status = runtime.block_on(self.run_in(&setup));
        setup.settle();
        status.map(|()| ExitCode::SUCCESS)
    }

    async fn run_in(&self, setup: &Arc<Setup>) -> Result<()> {
        let interrupts = Interrupts::of_process().map_err(|error| Error::failed("handle Ctrl-C", error))?;
        let resume = self.resume.find(setup)?;
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let screen = Arc::new(Screen::new(self.plain || is_dumb));
        let presses = interrupts.clone();
        let approver =
            setup.person(move || presses.press_at_question()).map(|person| screen.with_paused_spinner(person));
        let (presses, pausing) = (interrupts.clone(), Arc::clone(&screen));
        setup.set_question_hooks(move || presses.press_at_question(), move || pausing.pause_spinner());
        let begin = |resume: Option<&SessionInfo>| {
            let observed = Arc::clone(&screen);
            setup.agent(Plan {
                selection: &self.args.selection,
                toolsets: None,
                source: CHAT,
                observer: Arc::new(move |event| observed.show(event)),
                approver: approver.clone(),
                resume,
                worker: None,
                helper: None,
                skills: Vec::new(),
            })
        };
        let agent = begin(resume.as_ref())?;
        agent.announce(&setup.host.directory).await;
        for server in agent.starting_servers() {
            screen.note(&format!("the MCP server {server} is starting"));
        }
        let host = &setup.host;
        let input = Input::new(host, setup.sessions.clone())?;
        let screen = Arc::clone(&screen);
        let chat = Chat {
            setup,
            agent,
            begin,
            interrupts,
            screen,
            input,
            queue: VecDeque::new(),
            draft: String::new(),
            #[cfg(unix)]
            terminal: None,
        };
        if let Some(info) = &resume {
            chat.show_resumed(info);
        }
        chat.run().await
    }
}

/// A running chat.
struct Chat<'s, B> {
    setup: &'s Setup,
    agent: Agent,
    /// Returns an agent for another conversation.
    begin: B,
    interrupts: Interrupts,
    screen: Arc<Screen>,
    input: Input,
    /// The lines that the person has typed during the last turn, and that follow.
    queue: VecDeque<String>,
    /// What the next line begins with.
    draft: String,
    /// The terminal between the end of a turn and the next prompt.
    #[cfg(unix)]
    terminal: Option<TypingTerminal>,
}

impl<B: Fn(Option<&SessionInfo>) -> Result<Agent>> Chat<'_, B> {
    async fn run(mut self) -> Result<()> {
        let mut last_was_interrupt = false;
        loop {
            let next = if let Some(queued) = self.queue.pop_front() {
                self.screen.message(true, &queued);
                self.input.remember(&queued);
                Line::Text(queued)
            } else {
                self.restore_terminal();
                // Only now, because programs that start would delay the prompt.
                self.agent.release_servers();
                self.input.read_line(&mem::take(&mut self.draft))?
            };
            let text = match next {
                Line::Text(text) => text,
                Line::Interrupted if last_was_interrupt => return Ok(()),
                Line::Interrupted => {
                    last_was_interrupt = true;
                    self.screen.note("press Ctrl-C again, or Ctrl-D, to leave");
                    continue;
                }
                Line::End => return Ok(()),
            };
            last_was_interrupt = false;
            if let Some(Next::Leave) = self.answer(&text).await? {
                return Ok(());
            }
        }
    }

    /// Does what the person has typed. Returns what a command says about how the chat goes on.
    async fn answer(&mut self, text: &str) -> Result<Option<Next>> {
        match parse(text) {
            Typed::Message if text.trim().is_empty() => {}
            Typed::Message => {
                self.attach_pictures(text);
                self.turn(Some(text)).await;
            }
            Typed::Mistake(message) => self.screen.error(&message),
            Typed::Other(word, task) => {
                let (all, name) = (&self.setup.host.stores.skills, &word[1..]);
                if skills::is_known(all, name) {
                    self.use_skill(text, name, task).await;
                } else {
                    self.screen.error(&unknown_command(all, word));
                }
            }
            Typed::Shell(command) => {
                let typing = self.begin_typing();
                self.screen.set_caller(Caller::Person);
                let response = self.agent.run_command(command, &mut self.interrupts).await;
                self.screen.set_caller(Caller::Model);
                self.end_typing(typing, true);
                self.agent.tell_of_command(command, &response);
            }
            Typed::Command(command, rest) => {
                let Self { setup, agent, interrupts, screen, .. } = self;
                match command.run(rest, setup, agent, interrupts, screen).await {
                    Next::Retry => self.turn(None).await,
                    Next::Skill { name, task } => self.use_skill(text, &name, &task).await,
                    Next::Conversation(resume) => self.begin(resume.as_deref()),
                    next => return Ok(Some(next)),
                }
            }
        }
        Ok(None)
    }

    /// Works on a message with a skill. `typed` is the message as the person has typed it.
    async fn use_skill(&mut self, typed: &str, name: &str, task: &str) {
        if let Err(problem) = self.setup.add_skill(&mut self.agent, name).await {
            return self.screen.error(&problem);
        }
        self.attach_pictures(task);
        self.turn(Some(typed.trim())).await;
    }

    /// Begins a new conversation, or continues a recorded one. This ends the task of the old conversation and its processes.
    fn begin(&mut self, resume: Option<&SessionInfo>) {
        match (self.begin)(resume) {
            Ok(agent) => self.agent = agent,
            Err(error) => return self.screen.error(&error.to_string()),
        }
        match resume {
            Some(info) => self.show_resumed(info),
            None => self.screen.print("a new conversation begins"),
        }
    }

    /// Shows the end of a conversation that is continued.
    fn show_resumed(&self, info: &SessionInfo) {
        self.screen.note(&format!(
            "continuing \"{}\" with {}",
            show::one_line(&info.title),
            show::counted(info.messages, "message")
        ));
        for (is_user, text) in self.agent.last_texts(SHOWN_AGAIN) {
            self.screen.message(is_user, without_skill(text));
        }
    }

    /// Sends the pictures that a message names with it.
    fn attach_pictures(&mut self, text: &str) {
        let pictures = pictures::find(text, &self.setup.host.directory, self.agent.model.model().api);
        for problem in &pictures.problems {
            self.screen.note(problem);
        }
        if !pictures.found.is_empty() {
            self.screen.note(&format!("with {}", show::counted(pictures.found.len(), "picture")));
        }
        for (name, image) in pictures.found {
            self.agent.add_picture(name, image);
        }
    }

    /// Works on a message, or goes on with the turn that has failed.
    async fn turn(&mut self, text: Option<&str>) {
        let typing = self.begin_typing();
        let outcome = match text {
            Some(text) => self.agent.run_turn(text, &mut self.interrupts).await,
            None => self.agent.retry_turn(&mut self.interrupts).await,
        };
        self.screen.end();
        self.end_typing(typing, matches!(outcome, Ok(TurnOutcome::Done)));
        let status = self.status().await;
        self.screen.aside(&status);
        match outcome {
            Ok(TurnOutcome::Done) => {}
            Ok(TurnOutcome::Refused) => self.screen.note("the model refused"),
            Ok(TurnOutcome::CutOff) => self.screen.note("the answer was cut off at the token limit"),
            Ok(TurnOutcome::OutOfRequests) => {
                let requests = self.agent.limits.max_iterations;
                self.screen
                    .note(&format!("the model used up its {requests} requests; write a message such as `continue`"));
            }
            Ok(TurnOutcome::OverSpendingLimit) => self.screen.note(self.agent.over_spending_limit()),
            Ok(TurnOutcome::Interrupted) => self.screen.note("interrupted"),
            Err(error) => {
                self.screen.error(&self.setup.host.redactor.text(&error.to_string()));
                self.screen.note("/retry sends the conversation again");
            }
        }
    }

    /// Begins to read what the person types while something runs.
    #[cfg(unix)]
    fn begin_typing(&mut self) -> Option<Typing> {
        self.restore_terminal();
        self.screen.begin_typing(&self.draft)
    }

    /// Takes what the person has typed. Complete lines are sent next if the turn was done. After an interrupt, an error or a limit, the person
    /// may want to say something else first, and finds them at the prompt.
    #[cfg(unix)]
    fn end_typing(&mut self, typing: Option<Typing>, is_done: bool) {
        let Some((mut typed, terminal)) = typing.and_then(Typing::end) else { return };
        self.terminal = Some(terminal);
        self.queue.append(&mut typed.queued);
        if !is_done {
            typed.queued = mem::take(&mut self.queue);
        }
        self.draft = typed.joined();
    }

    /// Restores the terminal. What was typed and not read stays.
    #[cfg(unix)]
    fn restore_terminal(&mut self) {
        if let Some(terminal) = self.terminal.take() {
            terminal.end();
        }
    }

    #[cfg(not(unix))]
    fn restore_terminal(&mut self) {}

    /// Does nothing: this program cannot read keys there while it shows other output.
    #[cfg(not(unix))]
    fn begin_typing(&mut self) -> Option<()> {
        None
    }

    #[cfg(not(unix))]
    fn end_typing(&mut self, _: Option<()>, _: bool) {}

    /// Returns the status line: the model, the tokens and their cost, how full the context is, and what limits the tools.
    async fn status(&self) -> String {
        let model = self.agent.model.model();
        let used = self.agent.context_tokens().await;
        let context = match model.context_tokens {
            Some(window) if window > 0 => format!("{} % of the context", used.saturating_mul(100) / u64::from(window)),
            _ => format!("about {used} in the context"),
        };
        let host = &self.setup.host;
        let tokens = self.agent.tokens.to_string();
        let mut parts = vec![model.name(), &tokens, &context, host.mode.word(), host.environment.name()];
        let budget = self.agent.budget_status();
        parts.extend(budget.as_deref());
        parts.join(" · ")
    }
}
