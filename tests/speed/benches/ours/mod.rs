//! The side of toolc: the compiled bench project with its handlers, and a provider that is created at run time.

use std::borrow::Cow;
use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::json;
use toolc::args::Slots;
use toolc::catalog::Definition;
use toolc::schema::Table;
use toolc::{
    Call, CallResponse, Dialect, HandlerReply, Registry, Tool, ToolCall, ToolError, ToolOutput, ToolProvider,
    ToolResult, Toolset, Turn,
};

use crate::handler;

#[path = "../../../projects/bench/generated/rust/lib.rs"]
mod catalog;

use catalog::bench::trivial;

/// Returns the bench project's 40 tools.
pub(crate) fn provider() -> Box<dyn ToolProvider> {
    catalog::shared_provider(Handlers)
}

/// Returns a registry with only the bench project.
pub(crate) fn registry() -> Registry {
    let registry = Registry::new();
    registry.add(provider()).expect("an empty registry takes every provider");
    registry
}

/// Returns a turn of a new session with all tools.
pub(crate) fn turn(registry: &Registry) -> Turn {
    registry.session().build().expect("everything can be enabled").turn_blocking(Dialect::OpenAi)
}

/// Returns the response to a call of a sync tool, which is ready at the first poll.
pub(crate) fn call(turn: &Turn, name: &str, arguments: &str) -> CallResponse {
    let request = ToolCall::new(name, arguments);
    let future = pin!(turn.call(&request));
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => unreachable!("every tool of the bench project is sync"),
    }
}

struct Handlers;

impl catalog::BenchTools for Handlers {
    fn open_page(&self, args: catalog::bench::open_page::Args, _: &Call<'_>) -> ToolResult {
        black_box(args);
        ToolOutput::json(&handler::Done::default())
    }

    fn send_reply(&self, args: catalog::bench::send_reply::Args, _: &Call<'_>) -> ToolResult {
        black_box(args);
        ToolOutput::json(&handler::Done::default())
    }

    fn trivial(&self, args: trivial::Args, _: &Call<'_>) -> Result<trivial::Returns, ToolError> {
        let trivial::Args { query, limit, recursive, sort, tags } = args;
        let total = handler::total(&query);
        Ok(trivial::Returns { query, limit, recursive, sort, tags, total })
    }
}

macro_rules! handlers {
    ($trait:ident in $module:ident: $($tool:ident)*) => {
        impl catalog::$trait for Handlers {
            $(fn $tool(&self, args: catalog::$module::$tool::Args, _: &Call<'_>) -> ToolResult {
                black_box(args);
                ToolOutput::json(&handler::Done::default())
            })*
        }
    };
}

handlers! { SupportOfficeTools in support_office:
    check_pending_pages compare_urgent_pages count_linked_visits fetch_hidden_files import_nested_alerts
    inspect_external_records inspect_open_deadlines inspect_recent_budgets label_pending_items
    label_recent_documents measure_closed_documents measure_urgent_drafts merge_recent_bookings
    remove_urgent_requests rename_daily_documents repair_nested_records review_shared_samples sort_blocked_goals
    sort_pending_drafts
}

handlers! { SurveyReportsTools in survey_reports:
    approve_local_tasks check_active_parcels copy_shared_tasks describe_urgent_notes export_closed_drafts
    find_recent_customers group_daily_alerts group_recent_appointments import_monthly_branches
    inspect_recent_messages label_monthly_notes label_pinned_visits order_nested_vehicles rename_external_items
    review_stale_visits share_pinned_labels sort_public_alerts verify_daily_campaigns
}

/// A provider whose tools all return the same result.
pub(crate) struct Listed {
    tools: Vec<Tool>,
    definitions: Vec<Option<Definition>>,
}

impl Listed {
    pub(crate) fn new(all: impl Iterator<Item = (Tool, Option<Definition>)>) -> Self {
        let (tools, definitions) = all.unzip();
        Self { tools, definitions }
    }

    /// Returns `count` tools that are added at run time, like those of an MCP server.
    pub(crate) fn at_run_time(count: usize) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "default": 10}},
            "required": ["query"],
        });
        let table = Arc::new(Table::from_schema(&schema).expect("the schema is valid"));
        Self::new((0..count).map(|index| {
            // The names sort before and after those of the project, so that a lookup takes more steps.
            let name = format!("{}_{index}_at_run_time", ["ask", "look", "view"][index % 3]);
            let text = json!({"type": "function", "function": {"name": name, "parameters": schema}}).to_string();
            let tool = Tool::new(name, "at_run_time").with_arguments(Arc::clone(&table));
            (tool, Some(Cow::from(text).into()))
        }))
    }
}

impl ToolProvider for Listed {
    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn definitions(&self, _: Dialect) -> &[Option<Definition>] {
        &self.definitions
    }

    fn toolsets(&self) -> &[Toolset] {
        &[]
    }

    fn call<'a>(&'a self, _: usize, args: Slots<'_, '_>, _: &'a Call<'a>) -> HandlerReply<'a> {
        black_box(args);
        HandlerReply::Ready(ToolOutput::json(&handler::Done::default()))
    }
}
