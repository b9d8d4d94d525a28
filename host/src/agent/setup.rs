//! Makes agents from options: tools, models, approval and the store.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use clap::Args;
use toolc::approval::Approver;
use toolc::search::ToolSearch;
use toolc::{Session, SessionBuilder, Task, Turn};
use toolc_agent::memory;
use toolc_cli::{RedactedStore, ResultStore, SecretFilter, Selection};
use toolc_config::{Home, SearchBy};
use toolc_environment::{EnvironmentKind, Kind as _, SandboxKind};
use toolc_store::{Database, Ledger, Sessions};

use super::background::Background;
use super::budget::Budget;
use super::calls::{CallLog, CallRecorder};
use super::event::{AgentEvent, Observer};
use super::helpers::{Base, Helpers};
use super::hooks::Reporter;
use super::late_skills::LateSkills;
use super::plan::{self, HelperPlan, Plan};
use super::record::{self, Origin, Recorder, StoredConversation};
use super::second_opinion::SecondOpinion;
use super::sent_tools::SentTools;
use super::state::TaskState;
use super::undo::TurnChanges;
use super::{Agent, LastTurn, News, prompt};
use crate::approval::Questions;
use crate::assembly::{Host, Needs, Purpose, RESULT_READER};
use crate::environments::{self, Start};
use crate::ground::error::{Error, Result};
use crate::ground::tell::tell;
use crate::ground::{show, time};
use crate::models::{self, LimitAsker, Models, Spending, UncountedTokens};
use crate::options::ToolOptions;
use crate::person::{self, Person};
use crate::profile::Profile;
use crate::sources::instructions::Instructions;
use crate::sources::servers::{LateServers, NeededServers, Wait};
use crate::sources::web;

/// The tool whose notes are part of the instructions.
const MEMORY: &str = "memory";
/// The tool that reads skills.
pub(super) const SKILL_VIEW: &str = "skill_view";

/// The source of conversations in the chat.
pub(crate) const CHAT: &str = "chat";

/// The toolset of agents that work on a card.
const KANBAN: &str = "kanban";

/// The options of commands that run agents.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AgentArgs {
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[arg(long, value_name = "MODEL", help = models::help())]
    pub(crate) model: Option<String>,
    /// The model for summaries of long conversations and for second opinions. Default: the model of `--model`.
    #[arg(long, value_name = "MODEL")]
    pub(crate) auxiliary_model: Option<String>,
    /// The maximum number of requests to the model for one message. Default: 90.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_iterations: Option<u32>,
    /// Let the auxiliary model approve commands of low risk, such as the deletion of build output, before you are asked.
    #[arg(long)]
    pub(crate) second_opinion: bool,
    /// Do not record the conversation.
    #[arg(long)]
    pub(crate) no_record: bool,
    /// Begin with the instructions of this skill. Can be repeated.
    #[arg(long = "skill", value_name = "NAME")]
    pub(crate) skills: Vec<String>,
    /// Start without a model. No task can be run.
    #[arg(skip)]
    pub(crate) without_model: bool,
    /// Start only the MCP server of this tool, because nothing else is called. Default: all servers.
    #[arg(skip)]
    pub(crate) only_tool: Option<&'static str>,
    /// Where tools begin.
    #[arg(skip)]
    pub(crate) start: Start,
}

/// The parts that all agents of a process share.
pub(crate) struct Setup {
    pub(crate) host: Host,
    models: Mutex<Models>,
    pub(crate) sessions: Sessions,
    limits: toolc_config::Agent,
    results: ResultStore,
    /// Whether conversations are recorded.
    pub(crate) record: bool,
    second_opinion: bool,
    /// The skills with which conversations begin.
    pub(super) skills: Vec<String>,
    news: News,
}

impl Setup {
    /// Opens the parts that agents with these options share. MCP servers can ask `person`.
    ///
    /// # Errors
    /// Returns an error if the home, a model, a plugin folder or a file of rules cannot be used.
    pub(crate) fn new(args: &AgentArgs, options: &ToolOptions, home: Home, person: Person) -> Result<Self> {
        let profile = Profile::read(home)?;
        let models = open_models(args, &profile)?;
        let news = News::default();
        let events = news.clone();
        // An agent that runs no turn shows its tools at once.
        let wait = if args.without_model { Wait::AsSession } else { Wait::AtFirstTurn };
        let needs = Needs {
            person,
            model: Some(models.auxiliary.clone()),
            on_process: Some(Box::new(move |event| events.add(&event.task, event.to_string()))),
            start: args.start,
            servers: args.only_tool.map_or(NeededServers::All, NeededServers::ForTool),
            ..Needs::new(Purpose::Call, wait(&args.selection))
        };
        let host = Host::assemble(profile, options, needs)?;
        let config = host.profile.config();
        Ok(Self {
            limits: toolc_config::Agent {
                max_iterations: args.max_iterations.unwrap_or(config.agent.max_iterations),
                ..config.agent.clone()
            },
            record: config.sessions.record && !args.no_record,
            second_opinion: args.second_opinion || config.approval.second_opinion,
            sessions: Sessions::new(Arc::new(Database::new(host.profile.home.state()))),
            results: host.results(),
            skills: args.skills.clone(),
            host,
            models: Mutex::new(models),
            news,
        })
    }

    /// Fails if the environment is a sandbox that cannot be made on this machine. Otherwise each call would fail, and only the model would
    /// see the reason.
    pub(crate) fn check_environment(&self) -> Result<()> {
        if self.host.environment != EnvironmentKind::Sandbox {
            return Ok(());
        }
        let checked = SandboxKind::default().check();
        checked
            .map(drop)
            .map_err(|error| format!("the tools cannot run in a sandbox on this machine: {error}"))
            .map_err(Error::Invalid)
    }

    /// Reports on standard error if commands can see the home folder of toolc, or protected places.
    pub(crate) fn report_visible_home(&self) {
        let Host { environment, profile, directory, .. } = &self.host;
        if *environment == EnvironmentKind::Local
            && let Some(why) = environments::why_home_is_visible(profile, directory)
        {
            tell!(
                "note: commands can see the home folder of toolc, with its keys and stored data: {}",
                show::one_line(&why)
            );
        }
        if *environment == EnvironmentKind::Local
            && let Some(why) = environments::why_protected_are_visible(profile, directory)
        {
            tell!("note: commands can see places that `protect.places` names: {}", show::one_line(&why));
        }
    }

    /// Reports on standard error which settings and plugins of the folder are ignored because the user has not trusted them. At a terminal,
    /// they were already reported when they were read.
    ///
    /// # Errors
    /// If the list of trusted projects cannot be read.
    pub(crate) fn report_ignored(&self) -> Result<()> {
        if !io::stderr().is_terminal() {
            for note in self.host.ignored_notes()? {
                tell!("note: {}", show::one_line(&note));
            }
        }
        Ok(())
    }

    /// Returns the approver that asks the person at the terminal, if any. `on_interrupt` is called if the person presses Ctrl-C.
    pub(crate) fn person(&self, on_interrupt: impl Fn() + Send + Sync + 'static) -> Option<Arc<dyn Approver>> {
        person::approver(self.host.judging.as_ref()?.rules, on_interrupt)
    }

    /// Sets the hooks around a question of an MCP server: `on_interrupt` is called if the person presses Ctrl-C, and the value that `pause`
    /// returns is kept until the question is closed.
    pub(crate) fn set_question_hooks(
        &self,
        on_interrupt: impl Fn() + Send + Sync + 'static,
        pause: impl Fn() -> Box<dyn Send> + Send + Sync + 'static,
    ) {
        self.host.person.set_question_hooks(on_interrupt, pause);
    }

    /// Makes an agent.
    ///
    /// # Errors
    /// Returns an error if the selection has an unknown name, or the conversation to continue cannot be read.
    pub(crate) fn agent(self: &Arc<Self>, plan: Plan<'_>) -> Result<Agent> {
        let models = self.models_for(&plan);
        let name = plan.name().map_or_else(new_name, ToOwned::to_owned);
        let (spending, raise) = self.spending(&plan, &name);
        let uncounted = self.uncounted(&plan, spending.clone(), raise.clone());
        let calls = plan.helper.as_ref().map(|helper| helper.calls.clone()).unwrap_or_default();
        let (session, questions) = self.session(&plan, &models, &name, &uncounted, &calls)?;
        let mut resumed = self.resumed(&plan, &models)?;
        let instructions = self.instructions(&plan, &mut resumed)?;
        let turn = session.turn_blocking(models.main.model().definitions_dialect());
        let (skills, named) = self.named_skills(&plan, &mut resumed, &turn)?;
        let (task, changes) = self.task(&name, &plan);
        let base = self.helper_base(&plan, &calls, &instructions, &changes, spending.clone());
        let Plan { source, observer, resume, helper, .. } = plan;
        let mut recorder = self.recorder(source, helper.is_some(), &models, &name, calls);
        if resume.is_some() {
            recorder.resume(&mut resumed);
        }
        let parts = self.parts(&instructions, &turn, named, &observer);
        let (budget, late_servers) = (self.requests(helper.as_ref()), self.late_servers(helper.as_ref()));
        let helpers = Helpers::new(base, &name, helper.as_ref(), &budget, uncounted.clone());
        let mut agent = Agent {
            session,
            name,
            task,
            system: prompt::system(&self.place(), &today(), &parts, helper.is_some()),
            instructions: Instructions::clone(&instructions),
            skills,
            model: models.main,
            auxiliary: models.auxiliary,
            limits: self.limits.clone(),
            conversation: resumed.conversation,
            recorder,
            redactor: Arc::clone(&self.host.redactor),
            late_servers,
            late_skills: LateSkills::new(&self.host.stores.skills, self.host.profile.env()),
            observer,
            news: self.news.clone(),
            questions,
            denied: Vec::new(),
            recorded_state: TaskState::default(),
            tokens: resumed.tokens,
            uncounted,
            spending,
            raise,
            last: LastTurn::default(),
            helpers,
            background: Background::default(),
            changes,
            sent_tools: SentTools::new(self.host.profile.config().tools.changes),
            is_thinking_unwanted: false,
            budget,
            is_helper: helper.is_some(),
            pictures: Vec::new(),
            commands: 0,
            has_single_turn: source != CHAT,
        };
        agent.restore(resumed.state, &resumed.unfinished);
        Ok(agent)
    }

    /// Returns what the prompt says about the place in which tools act.
    fn place(&self) -> String {
        environments::place(self.host.environment, &self.host.directory, self.host.profile.config())
    }

    /// Returns the counter of the tokens of an agent that other parts use. The agent of a conversation also pays for what MCP servers ask the
    /// model.
    fn uncounted(
        &self,
        plan: &Plan<'_>,
        spending: Option<Arc<Spending>>,
        raise: Option<Arc<dyn LimitAsker>>,
    ) -> UncountedTokens {
        let uncounted = UncountedTokens::new(spending);
        if plan.helper.is_none() {
            self.host.payer.set(uncounted.clone(), raise);
        }
        uncounted
    }

    /// Returns the servers for which an agent waits. A helper begins when its parent has waited.
    fn late_servers(&self, helper: Option<&HelperPlan>) -> LateServers {
        if helper.is_some() { LateServers::default() } else { self.host.servers.late() }
    }

    /// Returns the requests that an agent may make.
    fn requests(&self, helper: Option<&HelperPlan>) -> Arc<Budget> {
        helper.map_or_else(|| Budget::new(self.limits.max_iterations), |helper| Arc::clone(&helper.budget))
    }

    /// Reads the conversation to continue, if there is one.
    fn resumed(&self, plan: &Plan<'_>, models: &Models) -> Result<StoredConversation> {
        let Some(info) = plan.resume else { return Ok(StoredConversation::default()) };
        record::read(&self.sessions, &self.host.profile.home, info, models.main.model().api)
    }

    /// Returns the task of a conversation, in the directory where tools begin, and what its calls change.
    fn task(&self, name: &str, plan: &Plan<'_>) -> (Task, TurnChanges) {
        let task = Task::new(name);
        let changes = match &plan.helper {
            Some(helper) => {
                helper.changes.join(&task);
                helper.changes.clone()
            }
            None if plan.source == CHAT => TurnChanges::of_chat(&task),
            None => TurnChanges::default(),
        };
        let start = environments::directory(self.host.environment, &self.host.directory, self.host.profile.config());
        if let Some(directory) = start {
            task.set_directory(directory);
        }
        (task, changes)
    }

    /// Returns the recorder of an agent. The conversation of a helper is not recorded: its parent records the result.
    fn recorder(&self, source: &'static str, is_helper: bool, models: &Models, name: &str, calls: CallLog) -> Recorder {
        let sessions = (self.record && !is_helper).then(|| self.sessions.clone());
        let origin = Origin { source, directory: self.host.directory.display().to_string() };
        let (home, redactor) = (self.host.profile.home.clone(), Arc::clone(&self.host.redactor));
        Recorder::new(sessions, home, redactor, origin, models.main.clone(), name.to_owned(), calls)
    }

    fn models_for(&self, plan: &Plan<'_>) -> Models {
        let models = self.models();
        match plan.helper {
            Some(_) => models.for_helper(self.helper_limits().model),
            None => models.for_new_conversation(),
        }
    }

    fn models(&self) -> Models {
        self.models.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Switches to another main model, named as for `--model`: for this agent, the helpers that it starts later, and new conversations.
    ///
    /// # Errors
    /// If the name is unknown, or the model cannot be opened.
    pub(crate) fn switch_model(&self, name: &str, agent: &mut Agent) -> Result<()> {
        let profile = &self.host.profile;
        let models = self.models().with_main(name, profile.config(), &profile.env())?;
        *self.models.lock().unwrap_or_else(PoisonError::into_inner) = models.clone();
        agent.switch_to(&models);
        Ok(())
    }

    /// Returns the standing instructions: a helper has those of its parent, and a conversation that is continued those that it began with.
    ///
    /// # Errors
    /// If the list of trusted files cannot be read.
    fn instructions(&self, plan: &Plan<'_>, resumed: &mut StoredConversation) -> Result<Arc<Instructions>> {
        if let Some(helper) = &plan.helper {
            return Ok(Arc::clone(&helper.instructions));
        }
        if let Some(recorded) = resumed.state.as_mut().and_then(|state| state.instructions.take()) {
            return Ok(Arc::new(recorded));
        }
        let redact = |text: &str| self.host.redactor.text(text).into_owned();
        let (instructions, notes) = Instructions::new(&self.host.instruction_files()?, redact);
        for text in &notes {
            (plan.observer)(&AgentEvent::Notice { text });
        }
        Ok(Arc::new(instructions))
    }

    /// Returns the values that the helpers of an agent share with it.
    fn helper_base(
        self: &Arc<Self>,
        plan: &Plan<'_>,
        calls: &CallLog,
        instructions: &Arc<Instructions>,
        changes: &TurnChanges,
        spending: Option<Arc<Spending>>,
    ) -> Base {
        let setup = Arc::clone(self);
        Base {
            make: Arc::new(move |plan| setup.agent(plan)),
            registry: self.host.registry.clone(),
            limits: self.helper_limits(),
            news: self.news.clone(),
            redactor: Arc::clone(&self.host.redactor),
            selection: plan.selection.clone(),
            toolsets: plan.toolsets.clone(),
            approver: plan.approver.clone(),
            observer: plan.observer.clone(),
            calls: calls.clone(),
            instructions: Arc::clone(instructions),
            changes: changes.clone(),
            spending,
        }
    }

    /// Returns the limits of what a conversation may spend, if there are any, and who may raise them. A helper shares the limits of its parent.
    fn spending(&self, plan: &Plan<'_>, name: &str) -> (Option<Arc<Spending>>, Option<Arc<dyn LimitAsker>>) {
        if let Some(helper) = &plan.helper {
            return (helper.spending.clone(), None);
        }
        let database = Arc::new(Database::new(self.host.profile.home.state()));
        let spending = Spending::new(&self.host.profile.config().budget, Ledger::new(database), name);
        // Only a person in the chat sees the question: a single task ends with the reason.
        (spending, (plan.source == CHAT).then(|| self.host.person.raise()).flatten())
    }

    /// Returns the session of an agent, and the questions about its calls.
    fn session(
        &self,
        plan: &Plan<'_>,
        models: &Models,
        name: &str,
        uncounted: &UncountedTokens,
        calls: &CallLog,
    ) -> Result<(Session, Questions)> {
        let Plan { toolsets, observer, worker, helper, .. } = plan;
        let limits = self.helper_limits();
        let mut selection = plan.selection.clone();
        if let Some(toolsets) = toolsets {
            selection.enable.clone_from(toolsets);
        }
        self.host.select(&mut selection);
        if let Some(helper) = helper {
            selection.disable_tools.extend(plan::blocked_tools(helper.levels, &self.host.registry));
        }
        let facts = toolc_catalog::Facts {
            helper_levels: helper.as_ref().map_or(limits.levels, |helper| helper.levels).into(),
            max_helpers: limits.at_once.into(),
            web_search_service: web::has_search_service(&self.host.profile),
        };
        let mut builder = selection.builder(&self.host.registry)?.facts(facts).id(name);
        if let Some(search) = self.tool_search(models) {
            builder = builder.tool_search(search);
        }
        if let Some(worker) = worker {
            builder = builder.enable([KANBAN]).value(Arc::new(worker.clone()));
        }
        // First, so that the report shows the arguments that run, and the filter sees the results that the model gets.
        let notices = observer.clone();
        let warn = move |text: &str| notices(&AgentEvent::Notice { text });
        let parts = self.host.session_parts().with_summarizer(models.auxiliary.clone(), uncounted.clone());
        builder = parts.add_to(builder, warn);
        builder = self.reporting(builder, name, observer);
        if self.record {
            let (registry, redactor) = (self.host.registry.clone(), Arc::clone(&self.host.redactor));
            let place = (self.host.environment.name(), self.host.directory.clone());
            builder = builder.hook(Arc::new(CallRecorder::new(calls.clone(), registry, redactor, place)));
        }
        let mut approver = plan.approver.clone();
        if let Some(judging) = self.host.judging.as_ref().filter(|_| self.second_opinion) {
            let opinion = SecondOpinion::new(models.auxiliary.clone(), uncounted.clone(), judging.rules, approver);
            approver = Some(opinion);
        }
        let questions = Questions::default();
        if let Some(approver) = approver {
            builder = builder.approver(questions.recording(approver));
        }
        Ok((builder.build()?, questions))
    }

    /// Adds the hooks that remove secrets from results and report calls to an observer.
    fn reporting(&self, builder: SessionBuilder, name: &str, observer: &Observer) -> SessionBuilder {
        let builder = builder.hook(Arc::new(SecretFilter::new(Arc::clone(&self.host.redactor))));
        let reporter = Reporter {
            observer: observer.clone(),
            redactor: Arc::clone(&self.host.redactor),
            emojis: self.emojis(),
            begun: Mutex::default(),
        };
        let (results, redactor) = (Arc::new(self.results.of_session(name)), Arc::clone(&self.host.redactor));
        let store = Arc::new(RedactedStore::new(results, redactor));
        let (progress, hidden) = (observer.clone(), Arc::clone(&self.host.redactor));
        builder.hook(Arc::new(reporter)).spill_reader(RESULT_READER).spill_store(store).on_progress(move |report| {
            progress(&AgentEvent::Progress {
                id: report.id,
                tool: report.tool,
                done: report.done,
                total: report.total,
                message: &hidden.text(report.message),
            });
        })
    }

    /// Returns the settings of the tool search: when definitions are deferred, and how the model finds these tools.
    fn tool_search(&self, models: &Models) -> Option<ToolSearch> {
        let context = models.main.model().context_tokens.and_then(|tokens| usize::try_from(tokens).ok());
        let search = context.map_or_else(ToolSearch::default, ToolSearch::for_context);
        match self.host.profile.config().tools.search {
            SearchBy::Toolc => Some(search),
            SearchBy::Vendor => Some(search.by_vendor()),
            SearchBy::Off => None,
        }
    }

    /// Returns the last parts of the system prompt: the standing instructions, the list of skills, the skills that were named, and the notes.
    fn parts(&self, instructions: &Instructions, turn: &Turn, named: String, observer: &Observer) -> [String; 4] {
        [instructions.text.clone(), self.skills(turn), named, self.notes(turn, observer)]
    }

    /// Returns the notes for the instructions, or an empty text if the model cannot change notes.
    fn notes(&self, turn: &Turn, observer: &Observer) -> String {
        if turn.tool(MEMORY).is_none() {
            return String::new();
        }
        let snapshot = memory::snapshot(&*self.host.stores.memory);
        for problem in &snapshot.problems {
            observer(&AgentEvent::Notice { text: problem });
        }
        self.host.redactor.text(&snapshot.text).into_owned()
    }

    /// Returns the list of skills for the instructions, or an empty text if the model cannot read any.
    fn skills(&self, turn: &Turn) -> String {
        if turn.tool(SKILL_VIEW).is_none() {
            return String::new();
        }
        let list =
            toolc_skills::index(&self.host.stores.skills, &self.host.profile.env(), |tool| turn.tool(tool).is_some());
        self.host.redactor.text(&list).into_owned()
    }

    /// Returns the limits of helpers.
    fn helper_limits(&self) -> toolc_config::Helpers {
        self.host.profile.config().agent.helpers.clone()
    }

    fn emojis(&self) -> HashMap<String, String> {
        let tools = self.host.registry.tools();
        let tools = tools.iter().filter_map(|name| self.host.registry.tool(name));
        tools.map(|tool| (tool.name.into_owned(), tool.emoji.into_owned())).collect()
    }

    /// Waits until the processes that calls have started have ended, and stops the MCP servers.
    pub(crate) fn settle(self: Arc<Self>) {
        self.host.plugins.settle();
        // A helper that does not end keeps the servers running until this process ends.
        if let Some(setup) = Arc::into_inner(self) {
            setup.host.stop();
        }
    }
}

/// Opens the models that the options name, or the models of the profile.
///
/// # Errors
/// If no model is named, or one cannot be opened.
fn open_models(args: &AgentArgs, profile: &Profile) -> Result<Models> {
    if args.without_model {
        return Ok(Models::none());
    }
    Models::open(args.model.as_deref(), args.auxiliary_model.as_deref(), profile.config(), &profile.env())
}

/// Returns a new name for a conversation. Names begin with the time: `20260301-120000-3f9c2b`.
pub(super) fn new_name() -> String {
    let now = SystemTime::now();
    let time: String = time::text(now).chars().filter(|letter| letter.is_ascii_digit() || *letter == 'T').collect();
    let random = RandomState::new().hash_one(std::process::id()) & 0xff_ffff;
    format!("{}-{random:06x}", time.replace('T', "-"))
}

fn today() -> String {
    let mut text = time::text(SystemTime::now());
    text.truncate("2026-03-01".len());
    text
}
