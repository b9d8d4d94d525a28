//! The floor's other 39 tools, as the bench project's manifests declare them, each with its own type of arguments.

use std::hint::black_box;

use serde::Deserialize;

macro_rules! tools {
    ($($name:literal $args:ident { $($field:ident: $type:ty),* $(,)? })*) => {
        $(
            #[derive(Deserialize)]
            #[serde(deny_unknown_fields)]
            #[expect(dead_code, reason = "what counts is that its fields are read from JSON")]
            struct $args { $($field: $type),* }
        )*

        /// Returns the response to a call, or an error if the tool is unknown or the arguments are invalid.
        pub(crate) fn call(name: &str, arguments: &str) -> serde_json::Result<String> {
            match name {
                "trivial" => super::trivial(arguments),
                $($name => {
                    black_box(serde_json::from_str::<$args>(arguments)?);
                    serde_json::to_string(&crate::handler::Done::default())
                })*
                _ => Err(serde::de::Error::custom(format_args!("there is no tool `{name}`"))),
            }
        }
    };
}

macro_rules! objects {
    ($($name:ident { $($field:ident: $type:ty),* })*) => {$(
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "what counts is that its fields are read from JSON")]
        struct $name { $($field: $type),* }
    )*};
}

macro_rules! enums {
    ($($name:ident { $($variant:ident),* })*) => {$(
        #[derive(Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum $name { $($variant),* }
    )*};
}

tools! {
    "approve_local_tasks" ApproveLocalTasks {
        owner: String, width: Option<i64>, verbose: Option<bool>, sort: Option<Sort>, limit: Option<i64>,
        options: Option<ApproveLocalTasksOptions>,
    }
    "check_active_parcels" CheckActiveParcels {
        query: String, retries: Option<i64>, strict: Option<bool>, exclude: Option<Vec<String>>,
    }
    "check_pending_pages" CheckPendingPages {
        owner: String, days: Option<i64>, recursive: Option<bool>, state: Option<State>,
    }
    "compare_urgent_pages" CompareUrgentPages {
        reference: String, width: Option<i64>, archived: Option<bool>, recipients: Option<Vec<String>>,
        depth: Option<i64>,
    }
    "copy_shared_tasks" CopySharedTasks {
        team: String, offset: Option<i64>, notify: Option<bool>, folder: Option<String>, exclude: Option<Vec<String>>,
    }
    "count_linked_visits" CountLinkedVisits {
        team: String, days: Option<i64>, notify: Option<bool>, columns: Option<Vec<String>>,
        reference: Option<String>,
    }
    "describe_urgent_notes" DescribeUrgentNotes {
        team: String, depth: Option<i64>, strict: Option<bool>, offset: Option<i64>, template: Option<String>,
        limit: Option<i64>,
    }
    "export_closed_drafts" ExportClosedDrafts {
        template: String, limit: Option<i64>, notify: Option<bool>, tags: Option<Vec<String>>,
    }
    "fetch_hidden_files" FetchHiddenFiles {
        template: String, width: Option<i64>, verbose: Option<bool>, days: Option<i64>, columns: Option<Vec<String>>,
        team: Option<String>,
    }
    "find_recent_customers" FindRecentCustomers {
        since: String, priority: Option<i64>, preview: Option<bool>, state: Option<State>, tags: Option<Vec<String>>,
    }
    "group_daily_alerts" GroupDailyAlerts {
        template: String, width: Option<i64>, verbose: Option<bool>, priority: Option<i64>,
    }
    "group_recent_appointments" GroupRecentAppointments {
        template: String, offset: Option<i64>, exact: Option<bool>, reason: Option<String>,
    }
    "import_monthly_branches" ImportMonthlyBranches {
        folder: String, limit: Option<i64>, recursive: Option<bool>, exclude: Option<Vec<String>>,
        format: Option<Format>,
    }
    "import_nested_alerts" ImportNestedAlerts {
        reason: String, width: Option<i64>, verbose: Option<bool>, offset: Option<i64>,
    }
    "inspect_external_records" InspectExternalRecords {
        owner: String, width: Option<i64>, recursive: Option<bool>, identifiers: Option<Vec<String>>,
        options: Option<InspectExternalRecordsOptions>,
    }
    "inspect_open_deadlines" InspectOpenDeadlines {
        query: String, offset: Option<i64>, notify: Option<bool>, reason: Option<String>,
    }
    "inspect_recent_budgets" InspectRecentBudgets {
        folder: String, limit: Option<i64>, verbose: Option<bool>, window: Option<InspectRecentBudgetsWindow>,
        scope: Option<Scope>, exclude: Option<Vec<String>>,
    }
    "inspect_recent_messages" InspectRecentMessages {
        query: String, priority: Option<i64>, notify: Option<bool>, languages: Option<Vec<String>>,
    }
    "label_monthly_notes" LabelMonthlyNotes {
        folder: String, offset: Option<i64>, verbose: Option<bool>, depth: Option<i64>,
    }
    "label_pending_items" LabelPendingItems {
        team: String, priority: Option<i64>, archived: Option<bool>, query: Option<String>,
        exclude: Option<Vec<String>>, tags: Option<Vec<String>>,
    }
    "label_pinned_visits" LabelPinnedVisits {
        template: String, limit: Option<i64>, strict: Option<bool>, format: Option<Format>,
    }
    "label_recent_documents" LabelRecentDocuments {
        reason: String, depth: Option<i64>, strict: Option<bool>, identifiers: Option<Vec<String>>,
    }
    "measure_closed_documents" MeasureClosedDocuments {
        folder: String, limit: Option<i64>, recursive: Option<bool>, identifiers: Option<Vec<String>>,
        window: Option<MeasureClosedDocumentsWindow>, languages: Option<Vec<String>>,
    }
    "measure_urgent_drafts" MeasureUrgentDrafts {
        query: String, days: Option<i64>, preview: Option<bool>, identifiers: Option<Vec<String>>,
    }
    "merge_recent_bookings" MergeRecentBookings {
        owner: String, priority: Option<i64>, exact: Option<bool>, target: Option<MergeRecentBookingsTarget>,
    }
    "open_page" OpenPage { url: String, r#as: Option<As>, width: Option<i64>, links: Option<bool> }
    "order_nested_vehicles" OrderNestedVehicles {
        team: String, retries: Option<i64>, preview: Option<bool>, days: Option<i64>, scope: Option<Scope>,
    }
    "remove_urgent_requests" RemoveUrgentRequests {
        template: String, offset: Option<i64>, preview: Option<bool>, target: Option<RemoveUrgentRequestsTarget>,
    }
    "rename_daily_documents" RenameDailyDocuments {
        query: String, limit: Option<i64>, verbose: Option<bool>, format: Option<Format>, depth: Option<i64>,
    }
    "rename_external_items" RenameExternalItems {
        reference: String, priority: Option<i64>, preview: Option<bool>, channel: Option<Channel>,
        recipients: Option<Vec<String>>,
    }
    "repair_nested_records" RepairNestedRecords {
        reason: String, offset: Option<i64>, strict: Option<bool>, state: Option<State>, priority: Option<i64>,
        format: Option<Format>,
    }
    "review_shared_samples" ReviewSharedSamples {
        template: String, depth: Option<i64>, archived: Option<bool>, scope: Option<Scope>,
    }
    "review_stale_visits" ReviewStaleVisits {
        team: String, priority: Option<i64>, exact: Option<bool>, sort: Option<Sort>,
    }
    "send_reply" SendReply {
        body: String, format: Option<Markup>, thread: Option<String>, attachments: Option<Vec<String>>,
    }
    "share_pinned_labels" SharePinnedLabels {
        owner: String, limit: Option<i64>, exact: Option<bool>, team: Option<String>, format: Option<Format>,
        languages: Option<Vec<String>>,
    }
    "sort_blocked_goals" SortBlockedGoals {
        team: String, depth: Option<i64>, verbose: Option<bool>, options: Option<SortBlockedGoalsOptions>,
        owner: Option<String>, sort: Option<Sort>,
    }
    "sort_pending_drafts" SortPendingDrafts {
        owner: String, priority: Option<i64>, archived: Option<bool>, depth: Option<i64>, channel: Option<Channel>,
        columns: Option<Vec<String>>,
    }
    "sort_public_alerts" SortPublicAlerts {
        reference: String, limit: Option<i64>, exact: Option<bool>, identifiers: Option<Vec<String>>,
    }
    "verify_daily_campaigns" VerifyDailyCampaigns {
        reference: String, priority: Option<i64>, notify: Option<bool>, recipients: Option<Vec<String>>,
        days: Option<i64>,
    }
}

objects! {
    ApproveLocalTasksOptions { query: String, width: Option<i64>, notify: Option<bool> }
    InspectExternalRecordsOptions { template: String, limit: Option<i64>, verbose: Option<bool> }
    InspectRecentBudgetsWindow { reference: String, limit: Option<i64>, strict: Option<bool> }
    MeasureClosedDocumentsWindow { template: String, offset: Option<i64>, strict: Option<bool> }
    MergeRecentBookingsTarget { owner: String, retries: Option<i64>, archived: Option<bool> }
    RemoveUrgentRequestsTarget { reference: String, depth: Option<i64>, recursive: Option<bool> }
    SortBlockedGoalsOptions { folder: String, offset: Option<i64>, verbose: Option<bool> }
}

enums! {
    As { Text, Picture }
    Channel { Mail, Phone, Web, Letter }
    Format { Short, Table, Full }
    Markup { Plain, Markdown, Html }
    Scope { Own, Team, Company }
    Sort { Changed, Created, Name, Size }
    State { New, Started, Waiting, Done, Any }
}
