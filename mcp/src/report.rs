//! Reports about servers, as data and as text.

use std::fmt;

use serde::Serialize;

use crate::pins::{Change, HeldBack};

/// The state of a server. Its `Display` form is for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ServerReport {
    /// The name.
    pub name: String,
    /// Whether the server can be used.
    pub state: ServerState,
    /// Why the server cannot be used, or how it ended the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The name and the version with which the server introduces itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// The time that the last start took until the tools were listed, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<u64>,
    /// The package that is the server, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Advisories about vulnerabilities of this version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advisories: Vec<String>,
    /// Why the package could not be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
    /// The variables that the configuration passes to the server, and that are not set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unset_variables: Vec<String>,
    /// The tools that are registered, sorted.
    pub tools: Vec<ListedTool>,
    /// The tools that cannot be used, each with the reason.
    pub left_out: Vec<LeftOut>,
    /// What is changed in the schemas of the tools that are registered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<SchemaFinding>,
    /// The tools that a person has not accepted as they are now.
    pub held_back: Vec<HeldBack>,
    /// Accepted tools that the server does not list any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The changes of the server itself since it was accepted: its start or its instructions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub server_changes: Vec<Change>,
    /// Its skills, once it has listed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<SkillReport>,
}

/// The skills of a server, by their names among its skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SkillReport {
    /// The skills that can be used.
    pub used: Vec<String>,
    /// The skills that cannot be used, each with the reason. The name is the address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The skills that a person has not accepted as they are now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held_back: Vec<HeldBack>,
    /// The addresses of accepted skills that the server does not list any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Why the list is not complete, or why what was accepted cannot be read or written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A registered tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct ListedTool {
    /// The name for models.
    pub name: String,
    /// The name that the server gave it.
    pub own_name: String,
}

/// A tool of a server that is not registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// The name that the server gave it.
    pub tool: String,
    /// The reason.
    pub reason: String,
}

/// A change in the schema of a tool: a mistake that has been mended, something that a dialect shows in another form, or a pattern that is
/// left to the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SchemaFinding {
    /// The name that the server gave the tool.
    pub tool: String,
    /// What is changed.
    pub what: String,
}

/// Whether a server can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ServerState {
    /// The server is being started for the first time.
    Starting,
    /// The server is connected.
    Connected,
    /// The server has ended or could not be started, and is started again.
    Restarting,
    /// The server could not be started, and is not started again.
    Failed,
    /// The host has stopped the server.
    Stopped,
}

impl ServerReport {
    /// Returns the report about a server that has not been started.
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            state: ServerState::Starting,
            problem: None,
            server: None,
            protocol: None,
            start_ms: None,
            package: None,
            advisories: Vec::new(),
            unchecked: None,
            unset_variables: Vec::new(),
            tools: Vec::new(),
            left_out: Vec::new(),
            findings: Vec::new(),
            held_back: Vec::new(),
            removed: Vec::new(),
            server_changes: Vec::new(),
            skills: None,
        }
    }

    /// Returns whether the server cannot be used, or not all of its tools.
    pub fn has_problem(&self) -> bool {
        let has_skill_problem = |skills: &SkillReport| skills.problem.is_some() || !skills.left_out.is_empty();
        self.needs_attention() || !self.left_out.is_empty() || self.skills.as_ref().is_some_and(has_skill_problem)
    }

    /// Returns whether the person can do something about a problem: the server cannot be used, a tool waits for their decision, or a
    /// variable is not set. A tool that cannot be used at all is only a part of the report.
    pub fn needs_attention(&self) -> bool {
        self.state != ServerState::Connected
            || self.problem.is_some()
            || !self.held_back.is_empty()
            || self.skills.as_ref().is_some_and(|skills| !skills.held_back.is_empty())
            || !self.unset_variables.is_empty()
    }
}

impl ServerState {
    fn words(self) -> &'static str {
        match self {
            Self::Starting => "not started yet",
            Self::Connected => "connected",
            Self::Restarting => "restarting",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }
}

impl fmt::Display for ServerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            state,
            problem,
            server,
            protocol,
            start_ms,
            unset_variables,
            tools,
            left_out,
            held_back,
            package,
            ..
        } = self;
        write!(f, "MCP server `{name}`: {}", state.words())?;
        if let (Some(protocol), ServerState::Connected) = (protocol, state) {
            let server = server.as_deref().filter(|server| !server.is_empty()).unwrap_or("unnamed");
            write!(f, " ({server}, protocol {protocol}")?;
            if let Some(start) = start_ms {
                write!(f, ", started in {start} ms")?;
            }
            f.write_str(")")?;
        }
        for line in problem.iter().flat_map(|problem| problem.lines()) {
            write!(f, "\n    {line}")?;
        }
        if let Some(package) = package {
            write!(f, "\n    package: {package}")?;
            if !self.advisories.is_empty() {
                write!(f, "; known vulnerabilities: {}", self.advisories.join(", "))?;
            }
        }
        if let Some(reason) = &self.unchecked {
            write!(f, "\n    the package could not be checked: {reason}")?;
        }
        for variable in unset_variables {
            write!(f, "\n    the variable {variable} is not set: add it to .env")?;
        }
        if !tools.is_empty() {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            write!(f, "\n    tools: {}", names.join(", "))?;
        }
        for LeftOut { tool, reason } in left_out {
            write!(f, "\n    left out: `{tool}`: {reason}")?;
        }
        for SchemaFinding { tool, what } in &self.findings {
            write!(f, "\n    changed: `{tool}`: {what}")?;
        }
        for held in held_back {
            write!(f, "\n    held back: `{}`: {}", held.tool, held.reason())?;
        }
        self.skills.iter().try_for_each(|skills| skills.fmt(f))
    }
}

impl fmt::Display for SkillReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.used.is_empty() {
            write!(f, "\n    skills: {}", self.used.join(", "))?;
        }
        for LeftOut { tool, reason } in &self.left_out {
            write!(f, "\n    left out: the skill `{tool}`: {reason}")?;
        }
        for held in &self.held_back {
            write!(f, "\n    held back: the skill `{}`: {}", held.tool, held.reason())?;
        }
        self.problem.iter().try_for_each(|problem| write!(f, "\n    its skills: {problem}"))
    }
}
