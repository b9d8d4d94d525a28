//! The settings of a server: where it is, what it gets, and which of its tools are used.

use std::path::PathBuf;
use std::time::Duration;

/// A server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The name, which is a part of the names of its tools: see [`check_server_name`](crate::check_server_name).
    pub name: String,
    /// Where the server is.
    pub transport: Transport,
    /// Whether the hints about its tools are believed, for example that a tool only reads.
    pub trusted: bool,
    /// The time limit for a start: until the server has listed its tools.
    pub start_timeout: Duration,
    /// The time limit of a call.
    pub call_timeout: Duration,
    /// The pause before a server that ended is started again; it doubles with each try.
    pub restart_delay: Duration,
    /// The names of the tools that are used, or `None` for all.
    pub include: Option<Vec<String>>,
    /// The names of tools that are not used: their own, or those for models.
    pub exclude: Vec<String>,
    /// How its definitions are pinned.
    pub pinning: Pinning,
    /// Settings of single tools, by name.
    pub tools: Vec<(String, ToolSettings)>,
    /// The time limit for a person's answer to a question.
    pub question_timeout: Duration,
    /// Whether it may ask the host's model.
    pub sampling: bool,
    /// Where packages of registries are found and checked, or `None` to run its command as it is.
    pub packages: Option<Packages>,
    /// The file that remembers whether it begins only with the handshake of the protocol with sessions. Empty: nothing is remembered.
    pub protocol_file: PathBuf,
    /// The file that remembers what was [last seen](Server::last_seen) of it. Empty: nothing is remembered.
    pub state_file: PathBuf,
}

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// A program that speaks the protocol on its standard streams.
    Stdio {
        /// The program: a name that is found in `PATH`, or a path.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// The variables that it gets in addition to the usual ones.
        env: Vec<PassedVariable>,
        /// Its working directory, or `None` for the directory of the host.
        directory: Option<PathBuf>,
    },
    /// An address with streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// Headers of each request: the name, and the variable that holds the value.
        headers: Vec<(String, String)>,
        /// The variable that holds the bearer token, if the server needs one.
        bearer_variable: Option<String>,
        /// How to log in, if the server requires it and there is no bearer token.
        oauth: Oauth,
    },
}

/// How to log in at a server, and where the tokens are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Oauth {
    /// The id of a client that was registered by hand.
    pub client_id: Option<String>,
    /// The variable that holds its secret.
    pub client_secret_variable: Option<String>,
    /// The address of a document that describes this client: its id at servers that know such documents.
    pub client_metadata_url: Option<String>,
    /// The rights to ask for, instead of the rights that the server names.
    pub scopes: Vec<String>,
    /// The file of the tokens.
    pub tokens: PathBuf,
}

/// Where the packages of `npx` and `uvx` are found and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packages {
    /// The address of the registry of npm.
    pub npm: String,
    /// The address of `PyPI`.
    pub pypi: String,
    /// The address of OSV, a database of vulnerable and malicious packages.
    pub osv: String,
    /// The file in which the version and the result of the check are kept.
    pub file: PathBuf,
}

/// An environment variable of a server's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedVariable {
    /// The name that the program sees.
    pub name: String,
    /// The variable of the host's environment that holds the value.
    pub source: String,
    /// Whether the value is secret. `None`: it is, if its name or its form says so.
    pub is_secret: Option<bool>,
}

/// Settings of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSettings {
    /// Parameters that hold a shell command, which is judged before each call.
    pub shell: Vec<String>,
    /// Whether parameters that look like shell commands or code are not judged.
    pub unjudged: bool,
}

/// How the definitions of a server are pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinning {
    /// The lock file of the server.
    pub file: PathBuf,
    /// What is held back.
    pub policy: PinPolicy,
    /// Whether a person looks at the changes: nothing is pinned before the person accepts it. The person has agreed to start the server
    /// even if [its start has changed](Server::changed_start).
    pub for_review: bool,
}

/// Which changes are held back. Suspicious texts always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinPolicy {
    /// Every change is held back.
    Strict,
    /// Every change is held back that is not [additive](crate::ChangeClass::Additive).
    Additive,
    /// No change is held back.
    Off,
}

impl PassedVariable {
    /// Returns whether this value of the variable is secret.
    pub fn is_secret(&self, value: &str) -> bool {
        let is_secret = || [&self.name, &self.source].iter().any(|name| toolc::approval::is_secret(name, value));
        self.is_secret.unwrap_or_else(is_secret)
    }
}

impl Server {
    /// Returns the settings of a tool.
    pub(crate) fn tool(&self, name: &str) -> Option<&ToolSettings> {
        self.tools.iter().find(|(known, _)| known == name).map(|(_, settings)| settings)
    }

    /// Returns the variables whose values the server gets.
    pub(crate) fn variables(&self) -> Vec<&str> {
        match &self.transport {
            Transport::Stdio { env, .. } => env.iter().map(|variable| variable.source.as_str()).collect(),
            Transport::Http { headers, bearer_variable, oauth, .. } => {
                let headers = headers.iter().map(|(_, variable)| variable);
                headers.chain(bearer_variable).chain(&oauth.client_secret_variable).map(String::as_str).collect()
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a server with this program, and without files.
    pub(crate) fn program(command: &str) -> Server {
        let transport =
            Transport::Stdio { command: command.to_owned(), args: Vec::new(), env: Vec::new(), directory: None };
        let second = Duration::from_secs(1);
        Server {
            name: "s".to_owned(),
            transport,
            trusted: false,
            start_timeout: second,
            call_timeout: second,
            restart_delay: second,
            include: None,
            exclude: Vec::new(),
            pinning: Pinning { file: PathBuf::new(), policy: PinPolicy::Off, for_review: false },
            tools: Vec::new(),
            question_timeout: second,
            sampling: false,
            packages: None,
            protocol_file: PathBuf::new(),
            state_file: PathBuf::new(),
        }
    }
}
