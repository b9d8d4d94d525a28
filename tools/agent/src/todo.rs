//! The `todo` tool: a to-do list for each task, in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use toolc::{Call, ToolError};
use toolc_catalog::todo::TodoTools;
use toolc_catalog::todo::todo::{
    Args, Returns, ReturnsCounts, ReturnsTodosItem, ReturnsTodosItemStatus, TodosItem, TodosItemStatus as Status,
};

/// The maximum number of items of a list. The schema of the tool limits only the items of one call.
const MAX_ITEMS: usize = 256;

/// The list of a task: a part of its state ([`Call::state`]), in memory. A host reads it with [`Task::state`](toolc::Task::state).
#[derive(Debug, Default)]
pub struct TodoList(Mutex<Vec<TodoItem>>);

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    /// The id, unique in its list.
    pub id: String,
    /// What to do.
    pub content: String,
    /// The state of the step.
    pub status: TodoStatus,
}

/// The state of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// The step has not begun.
    Pending,
    /// The step has begun.
    InProgress,
    /// The step is done.
    Completed,
    /// The step is no longer necessary.
    Cancelled,
}

impl TodoItem {
    fn to_result(&self) -> ReturnsTodosItem {
        let status = match self.status {
            TodoStatus::Pending => ReturnsTodosItemStatus::Pending,
            TodoStatus::InProgress => ReturnsTodosItemStatus::InProgress,
            TodoStatus::Completed => ReturnsTodosItemStatus::Completed,
            TodoStatus::Cancelled => ReturnsTodosItemStatus::Cancelled,
        };
        ReturnsTodosItem { id: self.id.clone(), content: self.content.clone(), status }
    }
}

impl TodoList {
    /// Returns the items, in order.
    pub fn items(&self) -> Vec<TodoItem> {
        self.lock().clone()
    }

    /// Replaces the items with the items of an earlier list, for example when the host continues a conversation. Items beyond the maximum
    /// number are dropped.
    pub fn restore(&self, mut items: Vec<TodoItem>) {
        items.truncate(MAX_ITEMS);
        *self.lock() = items;
    }

    fn lock(&self) -> MutexGuard<'_, Vec<TodoItem>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TodoStatus {
    /// Returns whether the step is not completed or cancelled.
    pub fn is_unfinished(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }

    /// Returns the word for the state, as the tool uses it: `in_progress`.
    pub fn word(self) -> &'static str {
        Status::from(self).as_str()
    }
}

impl From<Status> for TodoStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Pending => Self::Pending,
            Status::InProgress => Self::InProgress,
            Status::Completed => Self::Completed,
            Status::Cancelled => Self::Cancelled,
        }
    }
}

impl From<TodoStatus> for Status {
    fn from(status: TodoStatus) -> Self {
        match status {
            TodoStatus::Pending => Self::Pending,
            TodoStatus::InProgress => Self::InProgress,
            TodoStatus::Completed => Self::Completed,
            TodoStatus::Cancelled => Self::Cancelled,
        }
    }
}

/// The handler of the toolset `todo`. Each task has its own [`TodoList`] of at most 256 items, which is dropped with the task.
#[derive(Debug, Clone, Copy, Default)]
pub struct TodoHandlers;

impl TodoTools for TodoHandlers {
    fn todo(&self, args: Args, call: &Call<'_>) -> Result<Returns, ToolError> {
        let list = call.state::<TodoList>();
        let mut list = list.lock();
        if let Some(items) = args.todos {
            let base = if args.merge { list.clone() } else { Vec::new() };
            *list = merge(base, items)?;
        }
        Ok(Returns { todos: list.iter().map(TodoItem::to_result).collect(), counts: counts(&list) })
    }
}

/// Merges items into a list: each replaces the item with its id, or is appended.
fn merge(mut list: Vec<TodoItem>, items: Vec<TodosItem>) -> Result<Vec<TodoItem>, ToolError> {
    let mut ids: Vec<String> = Vec::with_capacity(items.len());
    for item in items {
        let item = TodoItem {
            id: item.id.trim().to_owned(),
            content: item.content.trim().to_owned(),
            status: item.status.into(),
        };
        if item.id.is_empty() || item.content.is_empty() {
            return Err(ToolError::new("an item has a blank id or content: nothing was changed, give each item both"));
        }
        // With equal ids, one of the items would be lost.
        if ids.contains(&item.id) {
            return Err(ToolError::new(format!(
                "two items of the call have the id `{}`: nothing was changed, give each item its own id",
                item.id.escape_debug()
            )));
        }
        ids.push(item.id.clone());
        match list.iter().position(|other| other.id == item.id) {
            Some(at) => list[at] = item,
            None if list.len() == MAX_ITEMS => {
                return Err(ToolError::new(format!(
                    "the list would have more than {MAX_ITEMS} items: nothing was changed, replace it with a shorter one"
                )));
            }
            None => list.push(item),
        }
    }
    Ok(list)
}

fn counts(list: &[TodoItem]) -> ReturnsCounts {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let count = |status: TodoStatus| number(list.iter().filter(|item| item.status == status).count());
    ReturnsCounts {
        total: number(list.len()),
        pending: count(TodoStatus::Pending),
        in_progress: count(TodoStatus::InProgress),
        completed: count(TodoStatus::Completed),
        cancelled: count(TodoStatus::Cancelled),
    }
}

#[cfg(test)]
mod tests {
    use toolc::testing::{Caller, TestResponse, assert_reply};

    use super::*;

    fn item(id: &str, content: &str, status: Status) -> TodosItem {
        TodosItem { id: id.into(), content: content.into(), status }
    }

    fn write(caller: &Caller, items: Vec<TodosItem>, merge: bool) -> TestResponse {
        TodoHandlers.todo(Args { todos: Some(items), merge }, &caller.call("todo")).into()
    }

    fn read(caller: &Caller) -> TestResponse {
        TodoHandlers.todo(Args { todos: None, merge: false }, &caller.call("todo")).into()
    }

    #[test]
    fn a_list_is_replaced_merged_and_read() {
        let caller = Caller::new();
        let plan = vec![item("a", "plan", Status::InProgress), item("b", "build", Status::Pending)];
        write(&caller, plan, false).value();
        let update = vec![item("a", "plan", Status::Completed), item("c", "test", Status::Pending)];
        assert_reply!(
            write(&caller, update, true),
            {
                "todos": [
                    {"id": "a", "content": "plan", "status": "completed"},
                    {"id": "b", "content": "build", "status": "pending"},
                    {"id": "c", "content": "test", "status": "pending"},
                ],
                "counts": {"total": 3, "pending": 2, "in_progress": 0, "completed": 1, "cancelled": 0},
            }
        );
        let merged = read(&caller).value();
        assert_eq!(merged["counts"]["total"], 3);
        assert_eq!(write(&caller, Vec::new(), true).value(), merged);
        assert_eq!(write(&caller, Vec::new(), false).value(), read(&Caller::new()).value());
    }

    #[test]
    fn two_items_with_equal_ids_are_refused_and_change_nothing() {
        let caller = Caller::new();
        let before = write(&caller, vec![item("a", "plan", Status::Pending)], false).value();
        let twice = || vec![item("a", "old", Status::Pending), item(" a ", "new", Status::Pending)];
        for merge in [false, true] {
            assert_reply!(write(&caller, twice(), merge), Err(Failed, "two items of the call have the id `a`"));
        }
        assert_eq!(read(&caller).value(), before);
    }

    #[test]
    fn a_refused_call_changes_nothing() {
        let caller = Caller::new();
        let many = (0..MAX_ITEMS).map(|i| item(&i.to_string(), "x", Status::Pending)).collect();
        let before = write(&caller, many, false).value();
        let more = vec![item("0", "changed", Status::Pending), item("new", "x", Status::Pending)];
        assert_reply!(write(&caller, more, true), Err(Failed, "would have more than 256 items"));
        assert_reply!(write(&caller, vec![item(" ", "x", Status::Pending)], false), Err(Failed, "blank id or content"));
        assert_eq!(read(&caller).value(), before);
    }

    #[test]
    fn a_host_reads_and_restores_the_list() {
        let caller = Caller::new();
        let plan = vec![item("a", "plan", Status::InProgress), item("b", "build", Status::Completed)];
        write(&caller, plan, false).value();
        let items = caller.call("todo").state::<TodoList>().items();
        let unfinished: Vec<&str> =
            items.iter().filter(|item| item.status.is_unfinished()).map(|item| &*item.id).collect();
        assert_eq!(unfinished, ["a"]);
        let other = Caller::new();
        let list = other.call("todo").state::<TodoList>();
        list.restore(items.clone());
        assert_eq!(read(&other).value(), read(&caller).value());
        list.restore(vec![items[0].clone(); MAX_ITEMS + 1]);
        assert_eq!(list.items().len(), MAX_ITEMS);
    }
}
