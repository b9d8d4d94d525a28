//! The list of tools, as the dialect `mcp` defines them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ErrorData;
use rmcp::model::{ListToolsResult, Tool};
use toolc::Turn;

use super::cursor::Pages;

/// The number of tools on a page.
const PAGE: usize = 250;

/// The definitions of a turn.
#[derive(Debug, Default)]
pub(super) struct ListSize {
    /// The JSON from which the tools were read.
    json: String,
    /// Represents the definitions in cursors.
    hash: u64,
    pub(super) tools: Vec<Tool>,
}

/// The latest list. All clients have the same one, so it is read once.
#[derive(Debug, Default)]
pub(super) struct LatestList(Mutex<Arc<ListSize>>);

impl LatestList {
    /// Returns the list of a turn.
    ///
    /// # Errors
    /// Returns an error if a definition does not define a tool.
    pub(super) fn for_turn(&self, turn: &Turn) -> Result<Arc<ListSize>, ErrorData> {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.json != turn.definitions() {
            *latest = Arc::new(ListSize::new(turn.definitions())?);
        }
        Ok(Arc::clone(&latest))
    }

    /// Returns the tool of this name in the latest list.
    pub(super) fn tool(&self, name: &str) -> Option<Tool> {
        let latest = Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner));
        latest.tool(name).cloned()
    }
}

impl ListSize {
    fn new(json: &str) -> Result<Self, ErrorData> {
        let internal = |error| ErrorData::internal_error(format!("a tool's definition is invalid: {error}"), None);
        let mut hasher = DefaultHasher::new();
        json.hash(&mut hasher);
        Ok(Self { tools: serde_json::from_str(json).map_err(internal)?, json: json.to_owned(), hash: hasher.finish() })
    }

    /// Returns the tool of this name.
    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Returns a page.
    pub(super) fn page(&self, cursor: Option<&str>) -> Result<ListToolsResult, ErrorData> {
        let pages = Pages { len: self.tools.len(), hash: self.hash, items: "tools" };
        let start = pages.start(cursor)?;
        let end = (start + PAGE).min(self.tools.len());
        let mut page = ListToolsResult::with_all_items(self.tools[start..end].to_vec());
        page.next_cursor = pages.next(end);
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: usize) -> ListSize {
        let tools: Vec<_> = (0..count)
            .map(|n| serde_json::json!({ "name": format!("t{n:03}"), "inputSchema": { "type": "object" } }))
            .collect();
        ListSize::new(&serde_json::json!(tools).to_string()).expect("the definitions are valid")
    }

    #[test]
    fn pages_have_every_tool_once() {
        let list = list(2 * PAGE + 1);
        let (mut cursor, mut names, mut pages) = (None, Vec::new(), 0);
        loop {
            let page = list.page(cursor.as_deref()).expect("the cursor is valid");
            names.extend(page.tools.iter().map(|tool| tool.name.clone()));
            pages += 1;
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!((pages, names.len()), (3, 2 * PAGE + 1));
        assert!(names.is_sorted());
    }

    #[test]
    fn an_empty_cursor_leads_to_the_first_page() {
        let list = list(PAGE + 1);
        let [first, empty] = [None, Some("")].map(|cursor| list.page(cursor).expect("the cursor is valid"));
        assert_eq!((first.tools.len(), &first.next_cursor), (PAGE, &empty.next_cursor));
        assert_eq!(first.tools, empty.tools);
    }

    #[test]
    fn a_cursor_of_another_list_is_refused() {
        let cursor = list(PAGE + 1).page(None).expect("it has no cursor").next_cursor.expect("there is a second page");
        for wrong in [cursor.as_str(), "250", "250-0", "-", "0-0", "999999999999999999999-0"] {
            assert!(list(PAGE + 2).page(Some(wrong)).is_err(), "{wrong}");
        }
        assert!(list(PAGE + 1).page(Some("0-0")).is_err());
    }
}
