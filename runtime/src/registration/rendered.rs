//! The definitions of a turn as a model gets them, and those that sessions share.

use std::ops::Range;
#[cfg(feature = "raw-value")]
use std::sync::OnceLock;
use std::sync::{Arc, Mutex, PoisonError};

use crate::data::dialect::Dialect;
use crate::registration::atoms::FactValues;
use crate::registration::ids::{ToolId, same_tools};

/// Rendered definitions.
pub(crate) struct RenderedDefinitions {
    /// The text: one JSON array, or the declarations of a dialect that is not JSON.
    pub(crate) text: String,
    /// The tools whose definitions are not static, in order, each with the range of its definition in the text.
    pub(crate) rendered: Vec<(ToolId, Range<usize>)>,
    /// The text as a value, created on first use.
    #[cfg(feature = "raw-value")]
    pub(crate) raw: OnceLock<Box<serde_json::value::RawValue>>,
}

impl RenderedDefinitions {
    pub(crate) fn new(text: String, rendered: Vec<(ToolId, Range<usize>)>) -> Self {
        Self {
            text,
            rendered,
            #[cfg(feature = "raw-value")]
            raw: OnceLock::new(),
        }
    }

    /// Starts a list with this capacity in bytes.
    pub(crate) fn begin(dialect: Dialect, capacity: usize) -> Self {
        let mut text = String::with_capacity(capacity);
        text.push_str(dialect.list()[0]);
        Self::new(text, Vec::new())
    }

    #[cfg(feature = "search")]
    pub(crate) fn push(&mut self, dialect: Dialect, text: &str) {
        self.text.push_str(text);
        self.text.push_str(dialect.list()[1]);
    }

    /// Ends the list, and removes the separator after its last item.
    pub(crate) fn close(mut self, dialect: Dialect) -> Self {
        let [begin, separator, end] = dialect.list();
        if self.text.len() > begin.len() && self.text.ends_with(separator) {
            self.text.truncate(self.text.len() - separator.len());
        }
        self.text.push_str(end);
        self
    }
}

/// The definitions that were rendered last, which sessions with the same tools and facts share.
#[derive(Default)]
pub(crate) struct SharedDefinitions(Mutex<Option<Shared>>);

struct Shared {
    tools: Vec<ToolId>,
    facts: Arc<FactValues>,
    definitions: Arc<RenderedDefinitions>,
}

impl SharedDefinitions {
    /// Returns the definitions of `tools` with the facts that the host has set. Calls `render` if the latest ones are of other tools or
    /// facts.
    pub(crate) fn get_or_render(
        &self,
        tools: &[ToolId],
        facts: &Arc<FactValues>,
        render: impl FnOnce() -> RenderedDefinitions,
    ) -> Arc<RenderedDefinitions> {
        if let Some(shared) = self.find(tools, facts) {
            return shared;
        }
        // Rendered without the lock, so that turns with other tools need not wait.
        let definitions = Arc::new(render());
        let shared = Shared { tools: tools.to_vec(), facts: Arc::clone(facts), definitions: Arc::clone(&definitions) };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(shared);
        definitions
    }

    fn find(&self, tools: &[ToolId], facts: &Arc<FactValues>) -> Option<Arc<RenderedDefinitions>> {
        let latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = latest.as_ref().filter(|shared| same_tools(&shared.tools, tools) && shared.facts == *facts)?;
        Some(Arc::clone(&same.definitions))
    }
}
