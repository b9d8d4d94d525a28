//! What the tools of a session keep from one conversation to the next: values that their handlers ask for.

use std::sync::Arc;

use toolc::SessionBuilder;
use toolc_agent::{FileMemory, MemoryStore};
use toolc_config::Home;

/// The stores of a profile.
#[derive(Clone)]
pub(crate) struct Stores {
    pub(crate) memory: Arc<dyn MemoryStore>,
}

impl Stores {
    /// Returns the stores in the home folder of a profile.
    pub(crate) fn of(home: &Home) -> Self {
        Self { memory: Arc::new(FileMemory::new(home.memories())) }
    }

    /// Gives the stores to a session.
    pub(crate) fn apply(&self, session: SessionBuilder) -> SessionBuilder {
        session.value::<dyn MemoryStore>(Arc::clone(&self.memory))
    }
}
