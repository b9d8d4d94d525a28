//! The environment in which the tools of a task act.
//!
//! The host offers kinds of environments, one of them by default, and [chooses](Task::set_environment) another kind for single
//! tasks. A task's environment is made when a tool first needs it, and is cleaned up when the task ends.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use toolc::{Call, Task, ToolError};
use toolc_environment::{Environment, Kind, Leases, Local, LocalKind, Site};

use crate::Workspace;

/// The kinds of environments that a host offers. A clone offers the same environments.
///
/// ```
/// use toolc::Task;
/// use toolc_workspace::{Environments, Workspace};
///
/// let environments = Environments::local(&Workspace::current());
/// let task = Task::new("errand");
/// // Every tool of this task is refused: the kind `local` does not isolate, and there is no other.
/// environments.set_untrusted(&task);
/// ```
#[derive(Debug, Clone)]
pub struct Environments(Arc<Offer>);

#[derive(Debug, Clone)]
struct Offer {
    workspace: Workspace,
    kinds: Vec<Arc<dyn Kind>>,
    /// The name of the kind for tasks for which the host has not chosen one.
    default: String,
    leases: Option<Arc<Leases>>,
}

impl Environments {
    /// The kind of an untrusted task if the host offers no kind that isolates.
    const ISOLATING: &str = "sandbox";

    /// Returns environments with the only kind `local`: tools act on this machine. A task begins in `workspace`, unless the host has set another
    /// [directory](Task::set_directory).
    pub fn local(workspace: &Workspace) -> Self {
        let kind: Arc<dyn Kind> = Arc::new(LocalKind::default());
        let (workspace, default) = (workspace.clone(), kind.name().to_owned());
        Self(Arc::new(Offer { workspace, default, kinds: vec![kind], leases: None }))
    }

    /// Adds a kind, which replaces a kind of the same name.
    #[must_use]
    pub fn with_kind(mut self, kind: impl Kind + 'static) -> Self {
        let offer = Arc::make_mut(&mut self.0);
        offer.kinds.retain(|other| other.name() != kind.name());
        offer.kinds.push(Arc::new(kind));
        self
    }

    /// Sets the kind for tasks for which the host has not chosen one. By default, it is `local`.
    #[must_use]
    pub fn by_default(mut self, kind: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.0).default = kind.into();
        self
    }

    /// Sets the leases in which environments record the resources that they create, so that these are removed if this process is killed. By
    /// default, environments record nothing.
    #[must_use]
    pub fn leases(mut self, leases: Arc<Leases>) -> Self {
        Arc::make_mut(&mut self.0).leases = Some(leases);
        self
    }

    /// Returns the kinds that are offered.
    pub fn kinds(&self) -> impl Iterator<Item = &dyn Kind> {
        self.0.kinds.iter().map(|kind| &**kind)
    }

    /// Gives a task an environment that isolates: of the default kind if that isolates, or else of the first kind that does. Call this
    /// before the first call of a task that works on untrusted texts, such as web pages and messages of strangers. If no kind isolates, or if
    /// the environment cannot be made, the tools of the task are refused.
    pub fn set_untrusted(&self, task: &Task) {
        let isolating = |kind: &&dyn Kind| kind.promises().isolated;
        let default = self.kinds().find(|kind| kind.name() == self.0.default).filter(isolating);
        let kind = default.or_else(|| self.kinds().find(isolating));
        task.set_environment(kind.map_or(Self::ISOLATING, Kind::name));
    }

    /// Returns the environment of the call's task. All tools that have clones of the same `Environments` get the same one. It is
    /// cleaned up when the task has ended and no other owner holds it.
    ///
    /// # Errors
    /// Returns the error for the model if the host does not offer the kind, or if the environment cannot be made. The tool must not
    /// act elsewhere.
    pub fn for_call(&self, call: &Call<'_>) -> Result<Arc<dyn Environment>, ToolError> {
        let kind = call.environment();
        self.get_or_make(kind.as_deref().unwrap_or(&self.0.default), call)
    }

    /// Returns the workspace of an environment of this offer: that of the offer if it is this machine, in the directory of the environment.
    ///
    /// # Errors
    /// If the environment does not answer.
    pub fn workspace(&self, environment: &dyn Environment) -> io::Result<Workspace> {
        let files = environment.files();
        let directory = files.resolve(environment.directory())?;
        if environment.name() == Local::NAME {
            return Ok(self.0.workspace.in_directory(directory));
        }
        Ok(Workspace::of_environment(directory, files.places()?.home))
    }

    /// Returns the environment for code of the call's task that was not approved before, such as a script. If the task acts on this machine,
    /// the environment is of the first isolating kind that can be made. Otherwise, or if no such kind can be made, it is the task's own
    /// environment, which may not [isolate](toolc_environment::Promises::isolated).
    ///
    /// # Errors
    /// Like [`for_call`](Self::for_call).
    pub fn for_code(&self, call: &Call<'_>) -> Result<Arc<dyn Environment>, ToolError> {
        let own = self.for_call(call)?;
        if own.name() != Local::NAME {
            return Ok(own);
        }
        let isolating = self.kinds().filter(|kind| kind.promises().isolated);
        let made = isolating.into_iter().find_map(|kind| self.get_or_make(kind.name(), call).ok());
        Ok(made.unwrap_or(own))
    }

    /// Makes an environment of this kind that belongs to no task. It is cleaned up when it is dropped.
    ///
    /// # Errors
    /// If the host does not offer the kind, or if the environment cannot be made.
    pub fn make_for(&self, name: &str, directory: &Path, host_home: Option<&Path>) -> io::Result<Arc<dyn Environment>> {
        let Some(kind) = self.kinds().find(|kind| kind.name() == name) else {
            let offered: Vec<String> = self.kinds().map(|kind| format!("`{}`", kind.name())).collect();
            let text = format!("this host offers only {}", offered.join(", "));
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        };
        kind.make(&Site { directory, host_home, leases: self.0.leases.as_ref() })
    }

    /// Returns the task's environment of this kind, and makes it if necessary.
    fn get_or_make(&self, name: &str, call: &Call<'_>) -> Result<Arc<dyn Environment>, ToolError> {
        let state = call.state::<TaskEnvironments>();
        let mut made = state.0.lock().unwrap_or_else(PoisonError::into_inner);
        let matches = |made: &&Made| Arc::ptr_eq(&made.offer, &self.0) && made.kind == name;
        if let Some(made) = made.iter().find(matches) {
            return Ok(Arc::clone(&made.environment));
        }
        let environment = self.make(name, call)?;
        made.push(Made { offer: Arc::clone(&self.0), kind: name.to_owned(), environment: Arc::clone(&environment) });
        Ok(environment)
    }

    fn make(&self, name: &str, call: &Call<'_>) -> Result<Arc<dyn Environment>, ToolError> {
        let refused = |reason: &dyn fmt::Display| {
            let text = format!(
                "the environment of this task, `{name}`, is not available: {reason}. Nothing was done. No other arguments and no \
                 other tool can change that: tell the user"
            );
            ToolError::new(text)
        };
        let directory = call.directory().unwrap_or_else(|| self.0.workspace.dir().to_owned());
        self.make_for(name, &directory, call.home()).map_err(|error| refused(&error))
    }
}

/// The environments of a task.
#[derive(Debug, Default)]
struct TaskEnvironments(Mutex<Vec<Made>>);

impl Drop for TaskEnvironments {
    /// Stops the released programs, even if a handler still holds the environment, for example for a program that may outlive the task.
    fn drop(&mut self) {
        let made = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        for Made { environment, .. } in made {
            environment.end_released();
        }
    }
}

#[derive(Debug)]
struct Made {
    /// The offer for which the environment was made. Held so that no other offer can get its address.
    offer: Arc<Offer>,
    kind: String,
    environment: Arc<dyn Environment>,
}

#[cfg(all(test, unix))]
mod tests {
    use std::io;
    use std::path::PathBuf;

    use tempfile::TempDir;
    use toolc::testing::Caller;
    use toolc_environment::{Launch, Output, Program, Promises};

    use super::*;

    /// A kind whose environments are this machine.
    #[derive(Debug)]
    struct Other(&'static str, Promises, Arc<Mutex<Vec<PathBuf>>>);

    impl Kind for Other {
        fn name(&self) -> &str {
            self.0
        }

        fn promises(&self) -> Promises {
            self.1
        }

        fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
            if self.0 == "broken" {
                return Err(io::Error::other("the program `x` is missing"));
            }
            self.2.lock().unwrap().push(site.directory.to_owned());
            Ok(Arc::new(Local::new(site.directory)))
        }
    }

    fn environments(kinds: &[(&'static str, bool)]) -> (TempDir, Environments, Arc<Mutex<Vec<PathBuf>>>) {
        let folder = TempDir::new().unwrap();
        let (mut all, made) = (Environments::local(&Workspace::new(folder.path())), Arc::default());
        for (name, isolated) in kinds {
            let promises = Promises { isolated: *isolated, ..Promises::default() };
            all = all.with_kind(Other(name, promises, Arc::clone(&made)));
        }
        (folder, all, made)
    }

    #[test]
    fn a_task_has_one_environment_of_its_kind() {
        let (_folder, all, made) = environments(&[("docker", false)]);
        let (caller, other) = (Caller::new(), Caller::new());
        let local = all.for_call(&caller.call("x")).unwrap();
        assert_eq!(local.name(), "local");
        assert!(Arc::ptr_eq(&local, &all.clone().for_call(&caller.call("y")).unwrap()));
        assert!(!Arc::ptr_eq(&local, &all.for_call(&other.call("x")).unwrap()));
        caller.task().set_environment("docker");
        caller.task().set_directory("/work");
        let docker = all.for_call(&caller.call("x")).unwrap();
        assert!(Arc::ptr_eq(&docker, &all.for_call(&caller.call("x")).unwrap()));
        assert_eq!(*made.lock().unwrap(), [PathBuf::from("/work")]);
        all.by_default("docker").for_call(&other.call("x")).unwrap();
        assert_eq!(made.lock().unwrap().len(), 2);
    }

    #[test]
    fn an_environment_that_cannot_be_had_refuses_the_tools() {
        let (_folder, all, _) = environments(&[("broken", true)]);
        let refusal = |kind: &str| {
            let caller = Caller::new();
            caller.task().set_environment(kind);
            all.for_call(&caller.call("x")).expect_err("refused").message().to_owned()
        };
        assert!(refusal("docker").contains("this host offers only `local`, `broken`"), "{}", refusal("docker"));
        assert!(refusal("broken").contains("the program `x` is missing"), "{}", refusal("broken"));
    }

    #[test]
    fn an_untrusted_task_gets_what_isolates_and_nothing_else() {
        let kind = |kinds: &[(&'static str, bool)], default: &str| {
            let (_folder, all, _) = environments(kinds);
            let caller = Caller::new();
            all.by_default(default).set_untrusted(caller.task());
            caller.call("x").environment().unwrap().to_string()
        };
        assert_eq!(kind(&[("ssh", false), ("docker", true), ("vm", true)], "local"), "docker");
        assert_eq!(kind(&[("docker", true), ("vm", true)], "vm"), "vm");
        assert_eq!(kind(&[("ssh", false)], "ssh"), "sandbox");
        let (_folder, all, _) = environments(&[("ssh", false)]);
        let caller = Caller::new();
        all.set_untrusted(caller.task());
        assert!(all.for_call(&caller.call("x")).is_err());
    }

    #[test]
    fn code_of_a_task_on_this_machine_gets_what_isolates_if_that_can_be_made() {
        let name = |kinds: &[(&'static str, bool)], own: Option<&str>| {
            let (_folder, all, _) = environments(kinds);
            let caller = Caller::new();
            if let Some(own) = own {
                caller.task().set_environment(own);
            }
            let environment = all.for_code(&caller.call("x")).unwrap();
            assert!(Arc::ptr_eq(&environment, &all.for_code(&caller.call("y")).unwrap()));
            let is_own = Arc::ptr_eq(&environment, &all.for_call(&caller.call("x")).unwrap());
            if is_own { "own" } else { "other" }
        };
        assert_eq!(name(&[("ssh", false), ("vm", true)], None), "other");
        assert_eq!(name(&[("broken", true), ("ssh", false)], None), "own");
        assert_eq!(name(&[], None), "own");
    }

    #[test]
    fn an_environment_ends_with_its_task() {
        let (_folder, all, _) = environments(&[]);
        let caller = Caller::new();
        let environment = Arc::downgrade(&all.for_call(&caller.call("x")).unwrap());
        let launch = Launch::new(Program::Shell("sleep 600".to_owned()), Output::None);
        let running = environment.upgrade().unwrap().start(launch).unwrap();
        caller.task().end();
        assert!(environment.upgrade().is_none());
        assert!(running.outcome().unwrap().is_some());
    }

    #[test]
    fn what_a_program_has_left_running_ends_with_the_task_also_if_its_environment_is_kept() {
        let (_folder, all, _) = environments(&[]);
        let caller = Caller::new();
        let environment = all.for_call(&caller.call("x")).unwrap();
        let kept = environment.start(Launch::new(Program::Shell("sleep 600".to_owned()), Output::None)).unwrap();
        let text = Text::default();
        let line = Program::Shell("sleep 600 & echo $!".to_owned());
        let left = environment.start(Launch::new(line, Output::Merged(Box::new(text.clone())))).unwrap();
        assert!(left.wait(&|| false).unwrap().unwrap().left_running);
        let id: i32 = text.0.lock().unwrap().trim().parse().unwrap();
        let id = rustix::process::Pid::from_raw(id).unwrap();
        left.release();
        assert!(rustix::process::test_kill_process(id).is_ok());
        caller.task().end();
        let started = std::time::Instant::now();
        while rustix::process::test_kill_process(id).is_ok() {
            assert!(started.elapsed().as_secs() < 60, "the process ends");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert_eq!(kept.outcome().unwrap(), None);
    }

    #[derive(Debug, Default, Clone)]
    struct Text(Arc<Mutex<String>>);

    impl toolc_environment::Sink for Text {
        fn push(&mut self, bytes: &[u8]) -> bool {
            self.0.lock().unwrap().push_str(&String::from_utf8_lossy(bytes));
            true
        }
    }
}
