//! The error for a call of a tool that this turn does not have.

use crate::dispatch::misnamed::without_prefix;
use crate::result::error::{ErrorKind, ToolError};
use crate::session::turn::Turn;
use crate::text::display::short_name;
use crate::text::nearest::nearest;

/// The maximum number of tools that the error lists.
const MAX_LISTED: usize = 20;

impl Turn {
    /// Returns the error for a call of a tool that the turn does not show, with a reason or a suggestion.
    #[cold]
    pub(crate) fn unknown_tool(&self, name: &str) -> ToolError {
        let shown = short_name(name);
        let bare = without_prefix(name).unwrap_or(name);
        for (id, reason) in self.hidden_ids() {
            if [name, bare].iter().any(|name| self.name(id) == *name || self.dialect_name(id) == *name) {
                let text = format!("the tool `{shown}` is not available now: {reason}");
                return ToolError::with_kind(ErrorKind::UnknownTool, text);
            }
        }
        let hint = self.hint_for_unknown(bare);
        ToolError::with_kind(ErrorKind::UnknownTool, format!("unknown tool `{shown}`: {hint}"))
    }

    fn hint_for_unknown(&self, name: &str) -> String {
        // The model may use the own name of a tool that has another name in this dialect.
        let renamed =
            self.state().find(name).map(|id| self.dialect_name(id)).filter(|called| self.find(called).is_some());
        let suggestions = match renamed {
            Some(called) => vec![called],
            None => nearest(name, self.callable_names()),
        };
        if !suggestions.is_empty() {
            return format!("did you mean `{}`?", suggestions.join("` or `"));
        }
        if let [.., search] = self.search_tool_names() {
            return format!("search for it with `{search}`");
        }
        let all: Vec<&str> = self.callable_names().collect();
        match all.len() {
            0 => "no tool is available".to_owned(),
            1..=MAX_LISTED => format!("the available tools are {}", all.join(", ")),
            count => format!("call one of the {count} tools that are defined"),
        }
    }
}
