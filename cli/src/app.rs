//! The command line that a host builds.

use std::fmt;
use std::sync::Arc;

use toolc::approval::Approver;
use toolc::limits::SpillStore;
use toolc::redaction::Redactor;
use toolc::{Env, Registry, SessionBuilder};

use crate::report::{DoctorSection, ExplainTool, HostInfo};
use crate::secrets::SecretFilter;

/// A command line for the tools of a registry.
pub struct App {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) registry: Registry,
    pub(crate) sections: Vec<DoctorSection>,
    why_sections: Vec<ExplainTool>,
    prepare: Vec<PrepareSession>,
    pub(crate) env: Env,
    /// Makes the store of long results. By default, they are kept in the user's cache for a day.
    pub(crate) results: Option<MakeStore>,
    pub(crate) person: Person,
    /// The command line that enables a toolset or a tool for all sessions.
    pub(crate) switch: Option<String>,
    /// The tools that may be hidden.
    pub(crate) optional: Vec<String>,
}

type MakeStore = Box<dyn Fn() -> Arc<dyn SpillStore> + Send + Sync>;
type PrepareSession = Box<dyn Fn(SessionBuilder) -> SessionBuilder + Send + Sync>;

/// Who is asked about calls that need approval, unless all are approved.
pub(crate) enum Person {
    /// The user, on stderr and stdin, if stdin is a terminal.
    OnStandardStreams,
    /// The approver of the host, if it has one.
    OfHost(Option<Arc<dyn Approver>>),
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("App");
        shown.field("name", &self.name).field("version", &self.version).field("registry", &self.registry);
        shown.field("sections", &self.sections).finish_non_exhaustive()
    }
}

impl App {
    /// Returns a command line with this name, which MCP clients see. It is also the name of the folder in the user's cache that
    /// stores long results, unless [`store_results`](Self::store_results) sets another store.
    pub fn new(name: impl Into<String>, registry: Registry) -> Self {
        Self {
            name: name.into(),
            version: String::from("0.0.0"),
            registry,
            sections: Vec::new(),
            why_sections: Vec::new(),
            prepare: Vec::new(),
            env: Env::process(),
            results: None,
            person: Person::OnStandardStreams,
            switch: None,
            optional: Vec::new(),
        }
    }

    /// Sets the version, which `--version` prints and MCP clients see. Usually `env!("CARGO_PKG_VERSION")`.
    #[must_use]
    pub fn version(self, version: impl Into<String>) -> Self {
        Self { version: version.into(), ..self }
    }

    /// Adds a section to the report of `doctor`.
    #[must_use]
    pub fn doctor_section(mut self, section: DoctorSection) -> Self {
        self.sections.push(section);
        self
    }

    /// Adds a section to the explanation of `why`, and of `.why` in `repl`. `explain` gets the name of the tool. Its problems are not used.
    #[must_use]
    pub fn why_section(mut self, explain: impl Fn(&str) -> DoctorSection + Send + Sync + 'static) -> Self {
        self.why_sections.push(Box::new(explain));
        self
    }

    /// Changes the sessions that call tools: those of `call`, `repl` and `serve`. Several changes are made in the order in which they
    /// were added. The [filter of secrets](SecretFilter) and the approver of the sessions are added afterwards.
    #[must_use]
    pub fn session(mut self, prepare: impl Fn(SessionBuilder) -> SessionBuilder + Send + Sync + 'static) -> Self {
        self.prepare.push(Box::new(prepare));
        self
    }

    /// Sets the environment variables of all sessions, also of those that only show tools. Default: those of the process.
    #[must_use]
    pub fn env(self, env: Env) -> Self {
        Self { env, ..self }
    }

    /// Sets the store of the long results of `call` and `repl`, such as a [`ResultStore`](crate::ResultStore). It is made for each of
    /// these commands.
    #[must_use]
    pub fn store_results(self, make: impl Fn() -> Arc<dyn SpillStore> + Send + Sync + 'static) -> Self {
        Self { results: Some(Box::new(make)), ..self }
    }

    /// Sets who is asked about the calls of `call` and `repl` that need approval, instead of a question on stderr and stdin. With
    /// `None`, such calls are refused. `--yes` takes precedence.
    #[must_use]
    pub fn approver(self, approver: Option<Arc<dyn Approver>>) -> Self {
        Self { person: Person::OfHost(approver), ..self }
    }

    /// Sets the command line to which the name of a toolset or a tool is added to enable it for all sessions. `why`, `doctor` and `call`
    /// show it for tools that are off.
    #[must_use]
    pub fn enabled_by(self, switch: impl Into<String>) -> Self {
        Self { switch: Some(switch.into()), ..self }
    }

    /// Sets the tools that may be hidden: without them, `doctor` succeeds, and `definitions` does not mention them.
    #[must_use]
    pub fn optional(self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { optional: tools.into_iter().map(Into::into).collect(), ..self }
    }

    pub(crate) fn info(&self) -> HostInfo<'_> {
        HostInfo {
            registry: &self.registry,
            sections: &self.sections,
            why_sections: &self.why_sections,
            switch: self.switch.as_deref(),
            optional: &self.optional,
        }
    }

    /// Returns what replaces the values of secret variables.
    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        Arc::new(self.registry.redactor(&self.env))
    }

    /// Returns a session that calls tools, whose results have no secrets of `redactor`.
    pub(crate) fn prepared(&self, session: SessionBuilder, redactor: Arc<Redactor>) -> SessionBuilder {
        let session = self.prepare.iter().fold(session, |session, prepare| prepare(session));
        session.hook(Arc::new(SecretFilter::new(redactor)))
    }
}
