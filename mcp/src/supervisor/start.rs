//! What a server gets from the host before it is started, and what the host sees of it from then on.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Instant;

use tokio::runtime::Handle;
use tokio::sync::watch;
use toolc::{Env, Registry};

use super::Supervisor;
use crate::ask::{Answering, Questioner};
use crate::call::{Caller, Status};
use crate::error::{ErrorKind, McpError};
use crate::names::check_server_name;
use crate::pins::ServerList;
use crate::provider::ServerProvider;
use crate::report::ServerReport;
use crate::secrets::SecretRedactor;
use crate::settings::{PassedVariable, Server, Transport};
use crate::skills::SkillServer;

/// What all servers of a host share.
pub(crate) struct Host<'h> {
    pub(crate) registry: &'h Registry,
    pub(crate) env: &'h Env,
    pub(crate) answering: &'h Answering,
    /// Held while a question to the person is open.
    pub(crate) turn: Arc<tokio::sync::Mutex<()>>,
    pub(crate) runtime: Handle,
    pub(crate) stop: watch::Receiver<bool>,
}

/// What a host sees of a server.
#[derive(Debug)]
pub(crate) struct Supervised {
    pub(crate) server: Arc<Server>,
    pub(crate) report: Arc<Mutex<ServerReport>>,
    pub(crate) caller: Arc<Caller>,
    listed: Arc<Mutex<Option<ServerList>>>,
    /// Closed after the first try.
    first_try: Mutex<mpsc::Receiver<()>>,
}

impl Host<'_> {
    /// Registers the empty toolset of a server, and prepares its start.
    ///
    /// # Errors
    /// Returns an error if the name is not valid, or the registry has a toolset of this name already.
    pub(crate) fn prepare(&self, server: Server) -> Result<(Supervised, Supervisor), McpError> {
        let invalid = |problem: &dyn std::fmt::Display| format!("the MCP server `{}`: {problem}", server.name);
        check_server_name(&server.name).map_err(|error| McpError::new(error.kind(), invalid(&error)))?;
        let (status, receiver) = watch::channel(Status::Starting);
        let provider = ServerProvider::empty(&server, receiver.clone());
        let provider = self.registry.add(Box::new(provider));
        let provider =
            provider.map_err(|error| McpError::new(ErrorKind::Settings, invalid(&error)).caused_by(error))?;
        let redactor = self.redactor(&server);
        let questioner = Arc::new(Questioner::new(
            &server.name,
            self.answering.asker.clone(),
            self.answering.sampler.clone().filter(|_| server.sampling),
            server.question_timeout,
            Arc::clone(&redactor),
            Arc::clone(&self.turn),
        ));
        let caller = Arc::new(Caller {
            questioner: Arc::clone(&questioner),
            timeout: server.call_timeout,
            version: Mutex::default(),
            server: server.name.clone(),
            status: receiver,
            runtime: self.runtime.clone(),
            redactor: Arc::clone(&redactor),
        });
        let (first_try, tried) = mpsc::channel();
        let report = ServerReport { unset_variables: self.unset_variables(&server), ..ServerReport::new(&server.name) };
        let supervised = Supervised {
            report: Arc::new(Mutex::new(report)),
            caller: Arc::clone(&caller),
            listed: Arc::default(),
            first_try: Mutex::new(tried),
            server: Arc::new(server),
        };
        let supervisor = Supervisor {
            server: Arc::clone(&supervised.server),
            listed: Arc::clone(&supervised.listed),
            report: Arc::clone(&supervised.report),
            env: self.env.clone(),
            registry: self.registry.clone(),
            provider,
            status,
            redactor,
            caller,
            questioner,
            stop: self.stop.clone(),
            first_try: Some(first_try),
        };
        Ok((supervised, supervisor))
    }

    /// Returns what hides the secrets of a server. A variable that its program gets is secret if its name, its value or the settings say so.
    /// The variables of headers and tokens are secret, even if they are variables of the process.
    fn redactor(&self, server: &Server) -> Arc<SecretRedactor> {
        let mut env = self.env.clone();
        let passed: &[PassedVariable] = match &server.transport {
            Transport::Stdio { env, .. } => env,
            Transport::Http { .. } => &[],
        };
        let mut in_program = Vec::new();
        for name in server.variables() {
            let Some(value) = self.env.var(name) else { continue };
            let is_secret = match passed.iter().find(|variable| variable.source == name) {
                Some(variable) => variable.is_secret(&value),
                None => true,
            };
            if is_secret {
                // The program may show the variable under the name that it has there.
                let names =
                    passed.iter().filter(|variable| variable.source == name).map(|variable| variable.name.clone());
                in_program.extend(names.map(|name| (name, value.clone())));
                env = env.with_secret(name, value);
            }
        }
        Arc::new(SecretRedactor::new(self.registry.redactor(&env).with_variables(in_program)))
    }

    fn unset_variables(&self, server: &Server) -> Vec<String> {
        let is_program = matches!(server.transport, Transport::Stdio { .. });
        // A program may want to see a variable that is empty.
        let is_unset = |name: &&str| {
            if is_program { self.env.os_var(name).is_none() } else { self.env.var(name).is_none() }
        };
        server.variables().into_iter().filter(is_unset).map(str::to_owned).collect()
    }
}

impl Supervised {
    /// Waits until the server has listed its tools or has failed to start, or until the deadline.
    pub(crate) fn wait(&self, deadline: Option<Instant>) {
        let first_try = self.first_try.lock().unwrap_or_else(PoisonError::into_inner);
        // Nothing is sent: the channel is closed, or the time is over.
        match deadline {
            None => drop(first_try.recv()),
            Some(deadline) => drop(first_try.recv_timeout(deadline.saturating_duration_since(Instant::now()))),
        }
    }

    /// Returns what follows the skills of the server.
    pub(crate) fn skill_server(&self) -> SkillServer {
        SkillServer::new(Arc::clone(&self.caller), Arc::clone(&self.server), Arc::clone(&self.report))
    }

    /// Returns the last list of the server.
    pub(crate) fn last_list(&self) -> Option<ServerList> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
