//! The todo tool: one list of steps for each task, in memory.

use serde::Serialize;
use toolc::{Call, Output, ToolError};
use toolc_catalog::todo::TodoTools;
use toolc_catalog::todo::todo::{Args, TodosItem, TodosItemStatus as Status};

use crate::Handlers;
use crate::tasks::PerTask;

/// As many items as one list holds. Also in the tool's schema, which however sees one call only.
const MOST_ITEMS: usize = 256;

/// The lists of all tasks.
pub(crate) type State = PerTask<Vec<Item>>;

impl TodoTools for Handlers {
    fn todo(&self, args: Args, call: &Call<'_>) -> Result<Output, ToolError> {
        self.todos.with(call.task(), |list| {
            if let Some(items) = args.todos {
                let base = if args.merge { list.clone() } else { Vec::new() };
                *list = merged(base, items)?;
            }
            Output::json(&Listing::of(list))
        })
    }
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Item {
    id: String,
    content: String,
    status: &'static str,
}

/// The list with these items: each in the place of the one that has its id, or at the end.
fn merged(mut list: Vec<Item>, items: Vec<TodosItem>) -> Result<Vec<Item>, ToolError> {
    for item in items {
        let item = Item {
            id: item.id.trim().to_owned(),
            content: item.content.trim().to_owned(),
            status: item.status.as_str(),
        };
        if item.id.is_empty() || item.content.is_empty() {
            return Err(ToolError::new("an item has a blank id or content: nothing was changed, give it both"));
        }
        match list.iter().position(|known| known.id == item.id) {
            Some(at) => list[at] = item,
            None if list.len() == MOST_ITEMS => {
                return Err(ToolError::new(format!(
                    "the list would grow over {MOST_ITEMS} items: nothing was changed, replace it by a shorter one"
                )));
            }
            None => list.push(item),
        }
    }
    Ok(list)
}

#[derive(Serialize)]
struct Listing<'a> {
    todos: &'a [Item],
    counts: Counts,
}

#[derive(Serialize)]
struct Counts {
    total: usize,
    pending: usize,
    in_progress: usize,
    completed: usize,
    cancelled: usize,
}

impl<'a> Listing<'a> {
    fn of(todos: &'a [Item]) -> Self {
        let count = |status: Status| todos.iter().filter(|item| item.status == status.as_str()).count();
        let counts = Counts {
            total: todos.len(),
            pending: count(Status::Pending),
            in_progress: count(Status::InProgress),
            completed: count(Status::Completed),
            cancelled: count(Status::Cancelled),
        };
        Self { todos, counts }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolc::Task;

    use super::*;
    use crate::testing::{call, call_of, value};

    fn item(id: &str, content: &str, status: Status) -> TodosItem {
        TodosItem { id: id.into(), content: content.into(), status }
    }

    fn write(items: Vec<TodosItem>, merge: bool) -> Args {
        Args { todos: Some(items), merge }
    }

    const READ: Args = Args { todos: None, merge: false };

    #[test]
    fn a_list_is_replaced_merged_and_read() {
        let handlers = Handlers::new();
        let plan = vec![item("a", "plan", Status::InProgress), item("b", "build", Status::Pending)];
        handlers.todo(write(plan, false), &call()).unwrap();
        let update = vec![item("a", "plan", Status::Completed), item("c", "test", Status::Pending)];
        let merged = value(handlers.todo(write(update, true), &call()));
        assert_eq!(
            merged,
            json!({
                "todos": [
                    {"id": "a", "content": "plan", "status": "completed"},
                    {"id": "b", "content": "build", "status": "pending"},
                    {"id": "c", "content": "test", "status": "pending"},
                ],
                "counts": {"total": 3, "pending": 2, "in_progress": 0, "completed": 1, "cancelled": 0},
            })
        );
        assert_eq!(value(handlers.todo(READ, &call())), merged);
        assert_eq!(value(handlers.todo(write(Vec::new(), true), &call())), merged);
        assert_eq!(value(handlers.todo(write(Vec::new(), false), &call()))["counts"]["total"], 0);
    }

    #[test]
    fn tasks_do_not_see_each_other() {
        let handlers = Handlers::new();
        handlers.todo(write(vec![item("a", "mine", Status::Cancelled)], false), &call_of(&Task::new("one"))).unwrap();
        assert_eq!(value(handlers.todo(READ, &call_of(&Task::new("two"))))["todos"], json!([]));
    }

    #[test]
    fn the_last_of_two_equal_ids_counts() {
        let twice = vec![item("a", "old", Status::Pending), item(" a ", "new", Status::Pending)];
        let list = value(Handlers::new().todo(write(twice, false), &call()));
        assert_eq!(list["todos"], json!([{"id": "a", "content": "new", "status": "pending"}]));
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let handlers = Handlers::new();
        let many = (0..MOST_ITEMS).map(|i| item(&i.to_string(), "x", Status::Pending)).collect();
        handlers.todo(write(many, false), &call()).unwrap();
        let more = vec![item("0", "changed", Status::Pending), item("new", "x", Status::Pending)];
        assert!(handlers.todo(write(more, true), &call()).unwrap_err().message().contains("256"));
        assert!(handlers.todo(write(vec![item(" ", "x", Status::Pending)], false), &call()).is_err());
        let list = value(handlers.todo(READ, &call()));
        assert_eq!((&list["counts"]["total"], &list["todos"][0]["content"]), (&json!(MOST_ITEMS), &json!("x")));
    }
}
