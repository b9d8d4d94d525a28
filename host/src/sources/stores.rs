//! The stores and services that this program provides to tool handlers.

use std::sync::Arc;
use std::time::Duration;

use toolc::cancel::CancellationToken;
use toolc::redaction::Redactor;
use toolc::{Registry, SessionBuilder};
use toolc_agent::{Clarifier, FileMemory, JobChangeHook, JobFolderHook, JobHost, MemoryStore, SkillNames, Summarizer};
use toolc_config::Home;
use toolc_environment::EnvironmentKind;
use toolc_model::Client;
use toolc_skills::{OutsideSkillHook, SkillChangeHook, Skills, name_problem};
use toolc_store::{Boards, Database, Jobs, Sessions};

use crate::models::UncountedTokens;
use crate::person::Person;
use crate::sources::guard::Guard;

/// The stores of a profile, and the person and the model that its tools can ask.
#[derive(Clone)]
pub(crate) struct Stores {
    pub(crate) memory: Arc<dyn MemoryStore>,
    sessions: Arc<Sessions>,
    pub(crate) skills: Arc<Skills>,
    /// The secrets that no skill may contain.
    secrets: Arc<Redactor>,
    /// Judges the skills that the model writes, if tools are called.
    guard: Option<Arc<Guard>>,
    pub(crate) boards: Arc<Boards>,
    jobs: Arc<Jobs>,
    job_host: Arc<JobHost>,
    clarifier: Option<Arc<dyn Clarifier>>,
    summarizer: Option<Arc<dyn Summarizer>>,
}

impl Stores {
    /// Returns the stores in the home folder of a profile. Jobs get the tools of this registry and this environment. No skill may contain one
    /// of the secrets.
    pub(crate) fn new(
        home: &Home,
        registry: &Registry,
        environment: EnvironmentKind,
        skills: Skills,
        secrets: &Arc<Redactor>,
    ) -> Self {
        let database = Arc::new(Database::new(home.state()));
        let environment = environment.name().to_owned();
        Self {
            memory: Arc::new(FileMemory::new(home.memories())),
            skills: Arc::new(skills),
            secrets: Arc::clone(secrets),
            guard: None,
            sessions: Arc::new(Sessions::new(Arc::clone(&database))),
            boards: Arc::new(Boards::new(Arc::clone(&database))),
            jobs: Arc::new(Jobs::new(database)),
            job_host: Arc::new(JobHost { registry: registry.clone(), environment }),
            clarifier: None,
            summarizer: None,
        }
    }

    /// Sets what judges the skills that the model writes.
    pub(crate) fn with_guard(self, guard: Option<Guard>) -> Self {
        Self { guard: guard.map(Arc::new), ..self }
    }

    /// Replaces the store of notes, which is a folder of files by default.
    pub(crate) fn with_memory(self, memory: Option<Arc<dyn MemoryStore>>) -> Self {
        Self { memory: memory.unwrap_or(self.memory), ..self }
    }

    /// Sets the person who answers questions of the model, and the time limit for the answers.
    pub(crate) fn with_person(self, person: &Person, time: Duration) -> Self {
        Self { clarifier: person.clarifier(time), ..self }
    }

    /// Sets the model that summarises for tools, and the counter of its tokens.
    pub(crate) fn with_summarizer(self, model: Client, uncounted: UncountedTokens) -> Self {
        Self { summarizer: Some(Arc::new(ModelSummarizer { model, uncounted })), ..self }
    }

    /// Adds all stores and services to a session.
    pub(crate) fn apply(&self, session: SessionBuilder) -> SessionBuilder {
        let mut session = session.value::<dyn MemoryStore>(Arc::clone(&self.memory));
        session = session.value::<Skills>(Arc::clone(&self.skills));
        session = session.value::<dyn SkillNames>(Arc::new(KnownSkills(Arc::clone(&self.skills))));
        session = session.value::<Sessions>(Arc::clone(&self.sessions));
        session = session.value::<Boards>(Arc::clone(&self.boards));
        session = session.value::<Jobs>(Arc::clone(&self.jobs)).value::<JobHost>(Arc::clone(&self.job_host));
        if let Some(guard) = &self.guard {
            let guard = SkillChangeHook::new(Arc::clone(&self.skills), guard.clone(), Arc::clone(&self.secrets));
            session = session.hook(Arc::new(guard));
        }
        session = session.hook(Arc::new(OutsideSkillHook::new(Arc::clone(&self.skills))));
        let changes = JobChangeHook::new(Arc::clone(&self.jobs));
        // Inside a tool, `--yes` is not the answer of a person.
        let changes = if toolc_process::is_inside_a_tool() { changes.never() } else { changes };
        session = session.hook(Arc::new(JobFolderHook)).hook(Arc::new(changes));
        if let Some(clarifier) = &self.clarifier {
            session = session.value::<dyn Clarifier>(Arc::clone(clarifier));
        }
        if let Some(summarizer) = &self.summarizer {
            session = session.value::<dyn Summarizer>(Arc::clone(summarizer));
        }
        session
    }
}

/// The skills that jobs and tasks can name.
struct KnownSkills(Arc<Skills>);

impl SkillNames for KnownSkills {
    fn problem(&self, name: &str) -> Option<String> {
        name_problem(&self.0, name)
    }
}

/// Summarises with a model.
struct ModelSummarizer {
    model: Client,
    uncounted: UncountedTokens,
}

impl Summarizer for ModelSummarizer {
    fn summarize(&self, instructions: &str, text: &str, cancellation: CancellationToken) -> Result<String, String> {
        // The thread of the call has no executor.
        let runtime = crate::ground::executor().map_err(|error| error.to_string())?;
        runtime.block_on(async {
            let (text, answer) = tokio::select! {
                biased;
                () = cancellation.cancelled() => return Err("the call was cancelled".to_owned()),
                answer = self.model.ask_text(instructions, text) => answer.map_err(|error| error.to_string())?,
            };
            self.uncounted.add_answer(&self.model, &answer);
            Ok(text)
        })
    }
}
