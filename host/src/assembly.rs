//! Puts a host together, once for all commands: the profile, the environments, the shipped tools, plugins, MCP servers, stores and
//! approval. A command says what it needs as data ([`Needs`]); nothing else differs.

use std::path::PathBuf;
use std::sync::Arc;

use toolc::redaction::Redactor;
use toolc::{Env, FactValue, Registry, SessionBuilder};
use toolc_cli::{App, DoctorSection, ResultStore, Selection};
use toolc_config::{Config, ConfigFile, Home, KnownNames};
use toolc_host::ShippedTools;
use toolc_model::Client;
use toolc_terminal::ProcessEvent;

use crate::approval::{self, Judging, Limits, Mode};
use crate::environments::{self, EnvironmentKind};
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::models::Spent;
use crate::options::ToolOptions;
use crate::person::Person;
use crate::profile::Profile;
use crate::sources::git::{self, ProjectGit};
use crate::sources::plugins::{self, LoadedPlugins};
use crate::sources::servers::{self, McpServers, ModelSampler, Needed, Wait};
use crate::sources::stores::Stores;

/// The toolset of an agent if the configuration names none.
pub(crate) const DEFAULT_TOOLSET: &str = "cli";
/// The tool with which the model reads results that are too long.
pub(crate) const RESULT_READER: &str = "read_file";

/// What a command does with the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It lists or describes them.
    Show,
    /// It reports on every part of the host.
    Report,
    /// It calls them: commands are judged, the project's git settings are read, and this process takes a lease.
    Call,
}

/// What a command needs of a host.
pub(crate) struct Needs<'n> {
    pub(crate) purpose: Purpose,
    /// The MCP servers, and how long they are waited for.
    pub(crate) servers: Needed<'n>,
    pub(crate) wait: Wait<'n>,
    /// The person whom tools and servers can ask.
    pub(crate) person: Person,
    /// The model that summarises for tools, and that MCP servers may ask.
    pub(crate) model: Option<Client>,
    /// Called when a process in the background has news.
    pub(crate) on_process: Option<OnProcess>,
    /// Whether the problems of plugins and servers are written to standard error. An [`App`] does so itself.
    pub(crate) warns: bool,
}

/// Is called with the news of a process in the background.
pub(crate) type OnProcess = Box<dyn Fn(&ProcessEvent) + Send + Sync>;

impl<'n> Needs<'n> {
    /// Returns the needs of a command with all MCP servers, without a person or a model.
    pub(crate) fn new(purpose: Purpose, wait: Wait<'n>) -> Self {
        Self {
            purpose,
            servers: Needed::All,
            wait,
            person: Person::absent(),
            model: None,
            on_process: None,
            warns: true,
        }
    }
}

/// A host that is put together.
pub(crate) struct Host {
    pub(crate) profile: Profile,
    /// The directory in which this process was started.
    pub(crate) directory: PathBuf,
    /// Where tools act.
    pub(crate) environment: EnvironmentKind,
    pub(crate) registry: Registry,
    pub(crate) plugins: LoadedPlugins,
    pub(crate) servers: McpServers,
    pub(crate) stores: Stores,
    pub(crate) person: Person,
    /// Removes the secrets of the profile from texts.
    pub(crate) redactor: Arc<Redactor>,
    /// How commands are judged, if tools are called.
    pub(crate) judging: Option<Judging>,
    /// What happens to a call that needs approval.
    pub(crate) mode: Mode,
    git: Option<ProjectGit>,
}

impl Host {
    /// Puts a host together. Warns about what cannot be used.
    ///
    /// # Errors
    /// If the environment, a plugin folder, a file of command rules or the configuration cannot be used.
    pub(crate) fn assemble(profile: Profile, options: &ToolOptions, needs: Needs<'_>) -> Result<Self> {
        let Needs { purpose, servers, wait, person, model, on_process, warns } = needs;
        let (config, env) = (profile.config(), profile.env());
        let directory = std::env::current_dir().map_err(|error| Error::failed("find the current directory", error))?;
        let git = (purpose != Purpose::Show).then(|| git::Reading::begin(&directory));
        let calls = purpose == Purpose::Call;
        let environment = EnvironmentKind::find(options.environment, config)?;
        let mode = Mode::chosen(options.approval, &profile)?;
        let judging = calls.then(|| Judging::new(&profile, &directory, mode, environment)).transpose()?;
        let git = git.map(git::Reading::end);

        let registry = Registry::new();
        let mut tools = ShippedTools::new(git::workspace(git.as_ref(), &profile.home)?)
            .environments(environments::environments(environment, &profile, calls))
            .long_results(profile.home.results());
        if let Some(on_process) = on_process {
            tools = tools.on_process(on_process);
        }
        registry.add(tools.provider())?;
        let plugins = plugins::load(&options.plugins, &profile.home, &config.plugins, &registry)?;
        let sampler = model.clone().map(ModelSampler::of_model);
        let servers = McpServers::start(&profile, &registry, servers, wait, &person.answering(sampler))?;
        if warns {
            for problem in plugins.problems().chain(servers.problems()) {
                eprintln!("warning: {problem}");
            }
        }
        check_names(profile.file(), &registry)?;

        let mut stores = Stores::of(&profile.home, &registry, environment)
            .with_memory(plugins.memory(&profile)?)
            .with_person(&person, config.agent.question_timeout);
        if let Some(model) = model {
            stores = stores.with_summarizer(model, Spent::default());
        }
        let redactor = Arc::new(registry.redactor(&env));
        Ok(Self {
            profile,
            directory,
            environment,
            registry,
            plugins,
            servers,
            stores,
            person,
            redactor,
            judging,
            mode,
            git,
        })
    }

    /// Adds what the configuration says to the options that choose a session: its toolsets and tools, where the command line names
    /// none, and its facts. What is disabled stays disabled.
    pub(crate) fn select(&self, selection: &mut Selection) {
        let config = self.profile.config();
        let tools = &config.tools;
        if selection.is_empty() && !(tools.enable.is_empty() && tools.enable_tools.is_empty()) {
            selection.enable.clone_from(&tools.enable);
            selection.enable_tools.clone_from(&tools.enable_tools);
            // The configuration enables a server where it declares it.
            selection.enable.extend(self.servers.toolsets());
        }
        selection.disable.extend_from_slice(&tools.disable);
        selection.disable_tools.extend_from_slice(&tools.disable_tools);
        self.servers.remove_unregistered(selection, &self.registry);
        // The last one of a name counts.
        selection.fact.splice(0..0, config.facts.iter().map(|(name, value)| format!("{name}={}", text_of(value))));
    }

    /// Returns what every session of this host has. A clone of it can be given to sessions that are made later.
    pub(crate) fn session_parts(&self) -> SessionParts {
        SessionParts {
            env: self.profile.env(),
            home: self.profile.home.path().to_owned(),
            plugins: self.plugins.hooks(&self.registry, self.profile.env(), &self.profile.home),
            stores: self.stores.clone(),
            limits: Limits::of(&self.profile),
            commands: self.judging.as_ref().map(|judging| judging.commands.clone()),
        }
    }

    /// Returns the store of long results. Results that are older than the configuration says are deleted.
    pub(crate) fn results(&self) -> ResultStore {
        ResultStore::new(self.profile.home.results(), self.profile.config().results.keep)
    }

    /// Returns a command line for the tools of this host.
    pub(crate) fn app(&self) -> App {
        let config = self.profile.config();
        let app = App::new("toolc", self.registry.clone()).version(env!("CARGO_PKG_VERSION"));
        let app = app.env(self.profile.env()).results_in(self.profile.home.results(), config.results.keep);
        let parts = self.session_parts();
        let app = self.base_sections().fold(app, App::doctor_section);
        app.session(move |session| parts.add_to(session, |text| eprintln!("warning: {}", show::one_line(text))))
    }

    /// Returns the sections whose problems concern every command.
    fn base_sections(&self) -> impl Iterator<Item = DoctorSection> {
        [self.profile.section(), self.plugins.section()].into_iter().chain(self.servers.section())
    }

    /// Returns the other sections of the report of `doctor`: approval, the environment and git.
    pub(crate) fn further_sections(&self) -> impl Iterator<Item = DoctorSection> {
        let home = &self.profile.home;
        let approval = approval::section(home, &self.directory, self.mode);
        let environment = environments::section(self.environment, &self.profile);
        [approval, environment].into_iter().chain(self.git.as_ref().map(|git| git.section(home)))
    }

    /// Returns what the user has to know about files and git settings of the folder that are ignored, because they are not trusted.
    ///
    /// # Errors
    /// If the list of trusted projects cannot be read.
    pub(crate) fn ignored(&self) -> Result<Vec<String>> {
        let note = self.git.as_ref().map(|git| git.note(&self.profile.home)).transpose()?.flatten();
        Ok(note.into_iter().chain(self.plugins.untrusted().map(str::to_owned)).collect())
    }

    /// Waits until the programs that calls have started have ended, and ends the MCP servers.
    pub(crate) fn stop(self) {
        self.plugins.settle();
        self.servers.stop();
    }
}

/// What every session of a host has.
#[derive(Clone)]
pub(crate) struct SessionParts {
    env: Env,
    home: PathBuf,
    plugins: plugins::Hooks,
    stores: Stores,
    limits: Limits,
    commands: Option<toolc::approval::CommandApproval>,
}

impl SessionParts {
    /// Replaces the model that summarises for tools. Its tokens are counted in `spent`.
    pub(crate) fn with_summarizer(self, model: Client, spent: Spent) -> Self {
        Self { stores: self.stores.with_summarizer(model, spent), ..self }
    }

    /// Adds the parts to a session. `warn` shows failures of the hooks of plugins.
    pub(crate) fn add_to(
        &self,
        session: SessionBuilder,
        warn: impl Fn(&str) + Send + Sync + 'static,
    ) -> SessionBuilder {
        let session = self.stores.apply(session.env(self.env.clone()).home(&self.home));
        let session = self.limits.apply(self.plugins.add_to(session, warn));
        match &self.commands {
            Some(commands) => session.commands(commands.clone()),
            None => session,
        }
    }
}

/// Checks the names of toolsets, tools and facts in the configuration. A misspelt name in `disable` would otherwise grant a tool that
/// the user did not want.
///
/// # Errors
/// If a name is unknown.
pub(crate) fn check_names(file: &ConfigFile, registry: &Registry) -> Result<()> {
    let (tools, facts) = (registry.tools(), registry.facts());
    let mut toolsets: Vec<String> = vec!["all".to_owned(), "*".to_owned()];
    for name in registry.toolsets() {
        let aliases = registry.toolset(&name).into_iter().flat_map(|toolset| toolset.declared.aliases);
        toolsets.extend(aliases.map(|alias| alias.to_string()));
        toolsets.push(name.into_owned());
    }
    let of_servers = servers::names_of_servers(file.config());
    Ok(file.check_names(&KnownNames {
        toolsets: toolsets.iter().map(String::as_str).chain(of_servers.iter().copied()).collect(),
        tools: tools.iter().map(AsRef::as_ref).chain(of_servers.iter().copied()).collect(),
        facts: facts.iter().map(|fact| (&*fact.name, &fact.default)).collect(),
    })?)
}

/// Returns the shipped tools and those of plugins, for a command that calls none and needs nothing else of a host.
///
/// # Errors
/// If a plugin folder does not exist.
pub(crate) fn registry_to_show(home: &Home, config: &Config, plugin_folders: &[PathBuf]) -> Result<Registry> {
    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools())?;
    plugins::load(plugin_folders, home, &config.plugins, &registry)?;
    Ok(registry)
}

/// Returns the value of a fact as the command line takes it.
fn text_of(value: &FactValue) -> String {
    match value {
        FactValue::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}
