//! Servers that a person names on a command line, and that no configuration knows.

use std::path::PathBuf;
use std::time::Duration;

use toolc::Env;
use toolc::approval::is_secret;

use crate::error::{ErrorKind, McpError};
use crate::once::{ListedTools, list_tools};
use crate::settings::{Oauth, PassedVariable, PinPolicy, Pinning, Server, Transport};

/// The time in which a server lists its tools. Its package may be downloaded first.
const START: Duration = Duration::from_mins(3);
/// The name of the server in messages.
const NAME: &str = "server";

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A program that speaks the protocol on its standard streams.
    Program {
        /// The program and its arguments.
        command: Vec<String>,
        /// The variables that it gets.
        env: Vec<(String, String)>,
        /// Its working directory.
        directory: Option<PathBuf>,
    },
    /// An address with streamable HTTP.
    Address {
        /// The address.
        url: String,
        /// The headers of each request.
        headers: Vec<(String, String)>,
    },
}

impl Endpoint {
    /// Returns an endpoint at an address. A header is `NAME=VARIABLE`: the variable of the environment holds its value.
    ///
    /// # Errors
    /// If a header has another form, or a variable is not set.
    pub fn at(url: &str, headers: &[String]) -> Result<Self, McpError> {
        let wrong = |text: String| McpError::new(ErrorKind::Settings, text);
        let header = |text: &String| {
            let (name, variable) = text.split_once('=').ok_or_else(|| {
                wrong(format!("`{text}` is not a header: write NAME=VARIABLE, such as --header Authorization=TOKEN"))
            })?;
            let value = std::env::var(variable).map_err(|_| wrong(format!("the variable {variable} is not set")))?;
            Ok((name.to_owned(), value))
        };
        let headers = headers.iter().map(header).collect::<Result<_, _>>()?;
        Ok(Self::Address { url: url.to_owned(), headers })
    }

    /// Returns the server for people and for records, without arguments that can be secret.
    pub fn label(&self) -> String {
        match self {
            Endpoint::Program { command, .. } => {
                let mut words = command.iter().map(String::as_str);
                let program = words.next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
                let package = words.find(|word| !word.starts_with('-'));
                let is_shown = |word: &&str| !word.contains("://") && !word.contains('=') && !is_secret("", word);
                package.filter(is_shown).map_or_else(|| program.to_owned(), |package| format!("{program} {package}"))
            }
            Endpoint::Address { url, .. } => {
                let plain = url.split(['?', '#']).next().unwrap_or_default();
                match plain.split_once("://") {
                    Some((scheme, rest)) => {
                        let host = rest.split('/').next().unwrap_or_default();
                        let path = &rest[host.len()..];
                        let shown = if path.split('/').any(|part| is_secret("", part)) { "" } else { path };
                        format!("{scheme}://{}{shown}", host.rsplit('@').next().unwrap_or_default())
                    }
                    None => plain.to_owned(),
                }
            }
        }
    }

    /// Returns a name for a toolset: that of the package, or the host.
    pub fn name(&self) -> String {
        let label = self.label();
        let last = match self {
            Endpoint::Program { .. } => {
                let package = label.rsplit(' ').next().unwrap_or_default();
                let name = package.rsplit('/').next().unwrap_or_default();
                let end = name.rfind('@').filter(|at| *at > 0).unwrap_or(name.len());
                let name = &name[..end];
                name.trim_end_matches(".js").trim_end_matches(".py").to_owned()
            }
            Endpoint::Address { .. } => {
                let rest = label.split_once("://").map_or(label.as_str(), |(_, rest)| rest);
                rest.split(['/', ':']).next().unwrap_or_default().to_owned()
            }
        };
        last.replace('.', "_")
    }

    fn transport(&self) -> (Transport, Env) {
        let mut all = Env::process();
        // The values go through variables, so that they are masked in messages.
        let variable = |index: usize| format!("TOOLC_ENDPOINT_VALUE_{index}");
        match self {
            Endpoint::Program { command, env, directory } => {
                let mut passed = Vec::new();
                for (index, (name, value)) in env.iter().enumerate() {
                    all = all.with_var(variable(index), value.clone());
                    passed.push(PassedVariable { name: name.clone(), source: variable(index), is_secret: None });
                }
                let (program, args) =
                    command.split_first().map(|(first, rest)| (first.clone(), rest.to_vec())).unwrap_or_default();
                (Transport::Stdio { command: program, args, env: passed, directory: directory.clone() }, all)
            }
            Endpoint::Address { url, headers } => {
                let mut passed = Vec::new();
                for (index, (name, value)) in headers.iter().enumerate() {
                    all = all.with_var(variable(index), value.clone());
                    passed.push((name.clone(), variable(index)));
                }
                let transport = Transport::Http {
                    url: url.clone(),
                    headers: passed,
                    bearer_variable: None,
                    oauth: Oauth::default(),
                };
                (transport, all)
            }
        }
    }

    /// Returns why [`list_tools`](Self::list_tools) failed, for a person who named the server on a command line.
    pub fn failure(&self, error: &McpError) -> String {
        // The advice for a configured server does not apply.
        let text = error.to_string();
        let text = text.split(": run `toolc mcp login").next().unwrap_or(&text);
        format!("failed to list the tools of {}: {text}", self.label())
    }

    /// Starts or reaches the server, lists its tools, and ends it. Blocks at most for three minutes.
    ///
    /// # Errors
    /// If it cannot be started or reached, or does not list its tools.
    pub fn list_tools(&self) -> Result<ListedTools, McpError> {
        let (transport, env) = self.transport();
        let server = Server {
            name: NAME.to_owned(),
            transport,
            trusted: false,
            start_timeout: START,
            call_timeout: START,
            restart_delay: Duration::ZERO,
            include: None,
            exclude: Vec::new(),
            pinning: Pinning { file: PathBuf::new(), policy: PinPolicy::Off, for_review: false },
            tools: Vec::new(),
            question_timeout: START,
            sampling: false,
            packages: None,
            protocol_file: PathBuf::new(),
            state_file: PathBuf::new(),
        };
        list_tools(&server, &env)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(line: &str) -> Endpoint {
        let command = line.split(' ').map(str::to_owned).collect();
        Endpoint::Program { command, env: Vec::new(), directory: None }
    }

    #[test]
    fn a_label_has_the_package_and_no_secret() {
        for (line, label, name) in [
            ("npx -y @scope/server-files@1.2 --token abc", "npx @scope/server-files@1.2", "server-files"),
            ("/usr/bin/uvx mcp-server-git", "uvx mcp-server-git", "mcp-server-git"),
            ("server-postgres postgres://u:p@h/d", "server-postgres", "server-postgres"),
            ("node server.js", "node server.js", "server"),
        ] {
            assert_eq!((program(line).label().as_str(), program(line).name().as_str()), (label, name));
        }
        let address = |url: &str| Endpoint::Address { url: url.to_owned(), headers: Vec::new() };
        let with_secrets = address("https://user:pass@mcp.example.com/mcp?key=1");
        assert_eq!(with_secrets.label(), "https://mcp.example.com/mcp");
        assert_eq!(with_secrets.name(), "mcp_example_com");
    }
}
