//! Assembles a host, in the same way for all commands: the profile, the environments, the shipped tools, plugins, MCP servers, stores and
//! approval. A command describes its needs as data ([`Needs`]).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolc::redaction::Redactor;
use toolc::{Env, FactValue, Registry, SessionBuilder};
use toolc_cli::{App, DoctorSection, ResultStore, Selection};
use toolc_config::{ApprovalMode, Config, ConfigFile, Home, KnownNames};
use toolc_environment::EnvironmentKind;
use toolc_host::ShippedTools;
use toolc_model::Client;
use toolc_permissions::KnownTools;
use toolc_skills::Skills;
use toolc_terminal::ProcessEvent;
use toolc_workspace::{Environments, Workspace};

use crate::approval::call_paths::CallPaths;
use crate::approval::permissions::PermissionsOfSessions;
use crate::approval::{self, Judging, Limits};
use crate::environments::{self, Start};
use crate::ground::error::Result;
use crate::ground::show;
use crate::ground::tell::tell;
use crate::models::{Payer, UncountedTokens};
use crate::options::ToolOptions;
use crate::person::Person;
use crate::profile::Profile;
use crate::sources::git::{self, ProjectGit};
use crate::sources::guard::Guard;
use crate::sources::hub;
use crate::sources::instructions::{self, InstructionFile};
use crate::sources::plugins::{self, LoadedPlugins};
use crate::sources::servers::{self, McpServers, ModelSampler, NeededServers, Wait};
use crate::sources::skills;
use crate::sources::stores::Stores;
use crate::sources::web;

/// The toolset of a session if neither the command line nor the configuration names any.
const DEFAULT_TOOLSET: &str = "cli";
/// The name that means all toolsets.
const ALL_TOOLSETS: &str = "all";
/// The tool with which the model reads results that are too long.
pub(crate) const RESULT_READER: &str = "read_file";

/// The tools that a person may do without: without a search service, everything else works.
const OPTIONAL_TOOLS: [&str; 1] = ["web_search"];

/// How a command uses the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The command lists or describes the tools.
    Show,
    /// The command reports on every part of the host.
    Report,
    /// The command calls tools: shell commands are judged, the git settings of the project are read, and this process takes a lease.
    Call,
}

/// The needs of a command.
pub(crate) struct Needs<'n> {
    pub(crate) purpose: Purpose,
    /// The MCP servers to start, and how long to wait for them.
    pub(crate) servers: NeededServers<'n>,
    pub(crate) wait: Wait<'n>,
    /// The person whom tools and servers can ask.
    pub(crate) person: Person,
    /// The model that summarises for tools, and that MCP servers may ask.
    pub(crate) model: Option<Client>,
    /// Called with each event of a background process.
    pub(crate) on_process: Option<OnProcess>,
    /// Whether the problems of plugins and servers are written to standard error. An [`App`] reports them itself.
    pub(crate) warns: bool,
    /// Where tools begin.
    pub(crate) start: Start,
}

/// A function that is called with each event of a background process.
pub(crate) type OnProcess = Box<dyn Fn(&ProcessEvent) + Send + Sync>;

impl<'n> Needs<'n> {
    /// Returns the needs of a command with all MCP servers, without a person or a model.
    pub(crate) fn new(purpose: Purpose, wait: Wait<'n>) -> Self {
        Self {
            purpose,
            servers: NeededServers::All,
            wait,
            person: Person::absent(),
            model: None,
            on_process: None,
            warns: true,
            start: Start::default(),
        }
    }
}

/// An assembled host.
pub(crate) struct Host {
    pub(crate) profile: Profile,
    /// The directory of this machine in which tools begin.
    pub(crate) directory: PathBuf,
    /// Why the configured directory cannot be used. Set only for a report: other commands fail instead.
    directory_problem: Option<String>,
    /// The environment in which tools act.
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
    /// The permissions of sessions, if tools are called.
    permissions: Option<PermissionsOfSessions>,
    /// What happens to a call that needs approval.
    pub(crate) mode: ApprovalMode,
    /// The conversation that pays for what MCP servers ask the model.
    pub(crate) payer: Payer,
    git: Option<ProjectGit>,
}

impl Host {
    /// Assembles a host. Prints warnings about plugins and servers that cannot be used.
    ///
    /// # Errors
    /// If the environment, a plugin folder, a file of command rules or the configuration cannot be used.
    pub(crate) fn assemble(profile: Profile, options: &ToolOptions, needs: Needs<'_>) -> Result<Self> {
        let Needs { purpose, servers, wait, person, model, on_process, warns, start } = needs;
        let (config, env) = (profile.config(), profile.env());
        let environment = environments::chosen(options.environment, config)?;
        let found = environments::on_this_machine(start, environment, config);
        // A report lists this problem together with the others, and goes on in the current directory.
        let (directory, directory_problem) = match found {
            Err(problem) if purpose == Purpose::Report => {
                (environments::on_this_machine(Start::Current, environment, config)?, Some(problem.to_string()))
            }
            found => (found?, None),
        };
        let git = (purpose != Purpose::Show).then(|| git::GitReader::start(&directory));
        let calls = purpose == Purpose::Call;
        let mode = approval::mode(options.approval, &profile)?;
        let judging = calls.then(|| Judging::new(&profile, &directory, mode, environment)).transpose()?;
        let git = git.map(git::GitReader::finish);

        let registry = Registry::new();
        let workspace = git::workspace(&directory, git.as_ref(), &profile.home)?;
        let environments = environments::environments(environment, &profile, &Workspace::new(&directory), calls);
        let tools = ShippedTools::new(workspace).environments(environments.clone());
        let tools = tools.long_results(profile.home.results()).web(web::settings(config, &profile.home)?);
        registry.add(on_process.into_iter().fold(tools, ShippedTools::on_process).provider())?;
        let (payer, hidden) = (Payer::default(), environments::hidden_from(&profile, &directory));
        let plugins = plugins::load(&options.plugins, &profile.home, &config.plugins, hidden, &registry)?;
        let sampler = model.clone().map(|model| ModelSampler::shared(model, &payer));
        let servers = McpServers::start(&profile, &registry, servers, wait, &person.answering(sampler))?;
        let problems = plugins.problems().chain(servers.problems()).filter(|_| warns);
        problems.for_each(|problem| tell!("warning: {problem}"));
        check_names(profile.file(), &registry)?;
        let permissions =
            calls.then(|| permissions(&profile, &directory, &registry, environments, environment, mode)).transpose()?;
        let redactor = Arc::new(registry.redactor(&env));
        let skills = Self::skills(&profile, &servers, &registry, &directory, purpose, warns)?;
        let mut stores = Stores::new(&profile.home, &registry, environment, skills, &redactor)
            .with_memory(plugins.memory(&profile)?)
            .with_person(&person, config.agent.question_timeout)
            .with_guard(judging.as_ref().map(|own| Guard::new(own.rules, &profile.home, &directory)));
        if let Some(model) = model {
            stores = stores.with_summarizer(model, UncountedTokens::default());
        }
        Ok(Self {
            profile,
            directory,
            directory_problem,
            environment,
            registry,
            plugins,
            servers,
            stores,
            person,
            redactor,
            judging,
            permissions,
            mode,
            payer,
            git,
        })
    }

    /// Returns the skills for work in a directory. If tools are called, the skills that ship with the program are there.
    fn skills(
        profile: &Profile,
        servers: &McpServers,
        registry: &Registry,
        directory: &Path,
        purpose: Purpose,
        warns: bool,
    ) -> Result<Skills> {
        let home = &profile.home;
        let warn = |text: &str| {
            if warns {
                tell!("warning: {text}");
            }
        };
        let skills = skills::skills(home, registry, directory, warn)?;
        // A single call does not create the home folder.
        if purpose == Purpose::Call
            && home.path().is_dir()
            && let Err(error) = toolc_skills::seed(skills.ledger())
        {
            warn(&format!("the skills of the program could not be copied: {error}"));
        }
        Ok(match servers.skills(profile.config()) {
            Some(of_servers) => skills.with_outside(Arc::new(of_servers)),
            None => skills,
        })
    }

    /// Adds the configuration to the selection of a session: the facts, the disabled toolsets and tools, and if the command line enables
    /// nothing, the tools that are on by default. Every command takes its tools from here, so that all commands have the same ones.
    pub(crate) fn select(&self, selection: &mut Selection) {
        let config = self.profile.config();
        if selection.is_empty() {
            selection.enable = self.default_toolsets();
            selection.enable_tools.clone_from(&config.tools.enable_tools);
        }
        selection.disable.extend_from_slice(&config.tools.disable);
        selection.disable_tools.extend_from_slice(&config.tools.disable_tools);
        self.servers.remove_unregistered(selection, &self.registry);
        if selection.is_empty() {
            // Everything that was enabled belongs to servers that are missing. A session that enables nothing would have all tools.
            selection.disable.push(ALL_TOOLSETS.to_owned());
        }
        // The last fact of a name is used, so the command line overrides the configuration.
        let facts = config.facts.iter().map(|(name, value)| format!("{name}={}", fact_text(value)));
        let helpers = [("helper_levels", config.agent.helpers.levels), ("max_helpers", config.agent.helpers.at_once)];
        let helpers = helpers.into_iter().map(|(name, value)| format!("{name}={value}"));
        let service = format!("{}={}", web::SEARCH_SERVICE, web::has_search_service(&self.profile));
        selection.fact.splice(0..0, facts.chain(helpers).chain([service]));
    }

    /// Returns the toolsets that are on unless the command line names others: those of the configuration or `cli`, and those of plugins and
    /// servers, which need no entry in `tools.enable`.
    fn default_toolsets(&self) -> Vec<String> {
        let mut toolsets = enabled_toolsets(&self.profile.config().tools);
        toolsets.extend_from_slice(self.plugins.toolsets());
        toolsets.extend(self.servers.toolsets());
        toolsets
    }

    /// Returns the parts that every session of this host has. Sessions that are made later can use a clone.
    pub(crate) fn session_parts(&self) -> SessionParts {
        SessionParts {
            env: self.profile.env(),
            home: self.profile.home.path().to_owned(),
            plugins: self.plugins.hooks(&self.registry, self.profile.env(), &self.profile.home),
            stores: self.stores.clone(),
            limits: Limits::from_profile(&self.profile),
            commands: self.judging.as_ref().map(|judging| judging.commands.clone()),
            permissions: self.permissions.clone(),
        }
    }

    /// Returns the store of long results. Results that are older than the configured time are deleted.
    pub(crate) fn results(&self) -> ResultStore {
        ResultStore::new(self.profile.home.results(), self.profile.config().results.keep)
    }

    /// Returns a command line for the tools of this host. Its calls return results without secrets, as a model gets them.
    pub(crate) fn app(&self) -> App {
        let app = App::new("toolc", self.registry.clone()).version(env!("CARGO_PKG_VERSION"));
        let app = app.env(self.profile.env()).enabled_by("toolc tools enable").optional(OPTIONAL_TOOLS);
        let app = self.base_sections().fold(app, App::doctor_section);
        let (folder, keep) = (self.profile.home.results(), self.profile.config().results.keep);
        let app = app.store_results(move || Arc::new(ResultStore::new(&folder, keep)));
        let parts = self.session_parts();
        app.session(move |session| parts.add_to(session, |text| tell!("warning: {}", show::one_line(text))))
    }

    /// Returns the sections whose problems concern every command.
    fn base_sections(&self) -> impl Iterator<Item = DoctorSection> {
        [self.profile.section(), self.plugins.section()].into_iter().chain(self.servers.section())
    }

    /// Returns further sections for `doctor`: approval, the environment, the hub of skills and git.
    pub(crate) fn report_sections(&self) -> impl Iterator<Item = DoctorSection> {
        let home = &self.profile.home;
        let approval = approval::section(&self.profile, &self.directory, self.mode, &self.registry);
        let environment =
            environments::section(self.environment, &self.profile, &self.directory, self.directory_problem.as_deref());
        [approval, environment, hub::section(&self.profile)]
            .into_iter()
            .chain(self.git.as_ref().map(|git| git.section(home)))
    }

    /// Returns the files with standing instructions for work in the directory.
    ///
    /// # Errors
    /// If the list of trusted files cannot be read.
    pub(crate) fn instruction_files(&self) -> Result<Vec<InstructionFile>> {
        instructions::find(&self.profile.home, &self.profile.config().instructions.names(), &self.directory)
    }

    /// Returns notes about files and git settings of the folder that are ignored because the user has not trusted them.
    ///
    /// # Errors
    /// If the list of trusted projects cannot be read.
    pub(crate) fn ignored_notes(&self) -> Result<Vec<String>> {
        let note = self.git.as_ref().map(|git| git.note(&self.profile.home)).transpose()?.flatten();
        Ok(note.into_iter().chain(self.plugins.untrusted().map(str::to_owned)).collect())
    }

    /// Waits until the programs that calls have started have ended, and stops the MCP servers.
    pub(crate) fn stop(self) {
        self.plugins.settle();
        self.servers.stop();
    }
}

/// The parts that every session of a host has.
#[derive(Clone)]
pub(crate) struct SessionParts {
    env: Env,
    home: PathBuf,
    plugins: plugins::Hooks,
    stores: Stores,
    limits: Limits,
    commands: Option<toolc::approval::CommandApproval>,
    permissions: Option<PermissionsOfSessions>,
}

impl SessionParts {
    /// Replaces the model that summarises for tools. Its tokens are counted in `uncounted`.
    pub(crate) fn with_summarizer(self, model: Client, uncounted: UncountedTokens) -> Self {
        Self { stores: self.stores.with_summarizer(model, uncounted), ..self }
    }

    /// Adds the parts to a session. `warn` is called if a hook of a plugin fails.
    pub(crate) fn add_to(
        &self,
        session: SessionBuilder,
        warn: impl Fn(&str) + Send + Sync + 'static,
    ) -> SessionBuilder {
        let session = self.stores.apply(session.env(self.env.clone()).home(&self.home));
        let session = self.limits.apply(self.plugins.add_to(session, warn));
        let session = match &self.permissions {
            Some(permissions) => session.permissions(permissions.of_session()),
            None => session,
        };
        match &self.commands {
            Some(commands) => session.commands(commands.clone()),
            None => session,
        }
    }
}

/// Loads the permissions of sessions whose tools act in `directory`.
///
/// # Errors
/// If a file of permissions cannot be read, or has mistakes.
fn permissions(
    profile: &Profile,
    directory: &Path,
    registry: &Registry,
    environments: Environments,
    kind: EnvironmentKind,
    mode: ApprovalMode,
) -> Result<PermissionsOfSessions> {
    let home = &profile.home;
    let has_files = !approval::permissions::paths(home, directory)?.is_empty();
    let tools = if has_files { approval::permissions::known_tools(registry) } else { KnownTools::default() };
    let files = approval::permissions::load(home, directory, &tools)?;
    let store = Arc::new(approval::warning_store(home));
    let permissions = PermissionsOfSessions::new(&files, store, Arc::new(CallPaths(environments)), kind.name());
    Ok(permissions.in_sets(&approval::sets(mode, profile)?))
}

/// Returns the toolsets that a configuration enables: the named ones, or `cli` if it names neither toolsets nor tools.
pub(crate) fn enabled_toolsets(tools: &toolc_config::Tools) -> Vec<String> {
    let is_default = tools.enable.is_empty() && tools.enable_tools.is_empty();
    if is_default { vec![DEFAULT_TOOLSET.to_owned()] } else { tools.enable.clone() }
}

/// Checks the names of toolsets, tools and facts in the configuration. Otherwise a misspelt name in `disable` would
/// leave a tool enabled.
///
/// # Errors
/// If a name is unknown.
pub(crate) fn check_names(file: &ConfigFile, registry: &Registry) -> Result<()> {
    Ok(file.check_names(&known_names(file.config(), registry))?)
}

/// Returns the names of toolsets, tools and facts that a configuration may use.
fn known_names(config: &Config, registry: &Registry) -> KnownNames {
    let mut toolsets: Vec<String> = vec![ALL_TOOLSETS.to_owned(), "*".to_owned()];
    for name in registry.toolsets() {
        let aliases = registry.toolset(&name).into_iter().flat_map(|toolset| toolset.declared.aliases);
        toolsets.extend(aliases.map(|alias| alias.to_string()));
        toolsets.push(name.into_owned());
    }
    let server_names = servers::server_names_in_config(config).into_iter().map(str::to_owned);
    toolsets.extend(server_names.clone());
    let mut tools: Vec<String> = registry.tools().iter().map(ToString::to_string).collect();
    tools.extend(server_names);
    // Other names of tools are known, too.
    let named = config.tools.enable_tools.iter().chain(&config.tools.disable_tools);
    tools.extend(named.filter(|name| registry.tool_called(name).is_some()).cloned());
    let facts = registry.facts();
    KnownNames {
        toolsets,
        tools,
        facts: facts.iter().map(|fact| (fact.name.to_string(), fact.default.clone())).collect(),
    }
}

/// Returns the names that a configuration may use, and the registry with its plugins, for checks of a configuration that may have mistakes.
///
/// # Errors
/// If a plugin folder does not exist.
pub(crate) fn names_for_checks(home: &Home, config: &Config) -> Result<(KnownNames, Registry)> {
    let registry = registry_to_show(home, config, &[])?;
    Ok((known_names(config, &registry), registry))
}

/// Returns a registry of the shipped tools and of plugins, for a command that calls no tools and needs no other part of a host.
///
/// # Errors
/// If a plugin folder does not exist.
pub(crate) fn registry_to_show(home: &Home, config: &Config, plugin_folders: &[PathBuf]) -> Result<Registry> {
    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools())?;
    plugins::load(plugin_folders, home, &config.plugins, None, &registry)?;
    Ok(registry)
}

/// Returns the value of a fact in the format of the command line.
fn fact_text(value: &FactValue) -> String {
    match value {
        FactValue::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}
