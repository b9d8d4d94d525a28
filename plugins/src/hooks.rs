//! The hooks of plugins, for a session.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use toolc::{Env, Registry, SessionBuilder};

use crate::hook::PluginHook;
use crate::hook_request::{HookContext, Warn};
use crate::plugin::Plugin;
use toolc_program::parts::Programs;

/// The hooks of all loaded plugins, in the order in which they run: see [`Plugins::hooks`](crate::Plugins::hooks).
#[must_use = "call `add_to` to add the hooks to a session"]
pub struct PluginHooks {
    plugins: Vec<Arc<Plugin>>,
    programs: Programs,
    registry: Registry,
    env: Env,
    home: Option<PathBuf>,
    warn: Arc<Warn>,
}

impl PluginHooks {
    pub(crate) fn new(plugins: Vec<Arc<Plugin>>, programs: Programs, registry: &Registry) -> Self {
        let (registry, env, warn) = (registry.clone(), Env::process(), Arc::new(|_: &str| {}));
        Self { plugins, programs, registry, env, home: None, warn }
    }

    /// Sets the environment of the session, from which programs get the variables that they ask for. Default: that of the process.
    pub fn env(self, env: Env) -> Self {
        Self { env, ..self }
    }

    /// Sets the home folder of the session, which requests contain. Default: none.
    pub fn home(self, home: impl Into<PathBuf>) -> Self {
        Self { home: Some(home.into()), ..self }
    }

    /// Sets the callback for failures of hooks that do not fail the call. It should show them to the user. It is called on any thread,
    /// also after the call.
    pub fn on_warning(self, warn: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { warn: Arc::new(warn), ..self }
    }

    /// Adds the hooks to a session, each before those that are added later. The session keeps them, also if a plugin changes.
    pub fn add_to(self, session: SessionBuilder) -> SessionBuilder {
        let redactor = self.registry.redactor(&self.env);
        let home = self.home.as_deref().and_then(|home| home.to_str()).map(str::to_owned);
        let context = Arc::new(HookContext {
            programs: self.programs,
            registry: self.registry,
            env: self.env,
            home,
            redactor,
            warn: self.warn,
        });
        let hooks = self.plugins.into_iter().map(|plugin| PluginHook::new(plugin, Arc::clone(&context)));
        hooks.fold(session, |session, hook| session.hook(Arc::new(hook)))
    }
}

impl fmt::Debug for PluginHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.plugins.iter().map(|plugin| plugin.name.as_str()).collect();
        f.debug_struct("PluginHooks").field("plugins", &names).finish_non_exhaustive()
    }
}
