//! Converts cards to the results of the tools.

use toolc_catalog::kanban::{kanban_attachments, kanban_list, kanban_show};
use toolc_store::{Attachment, Card, CardDetails, Workspace, time_text};

/// Returns the name of a card: `t12`.
pub fn card_name(id: i64) -> String {
    format!("t{id}")
}

/// Converts a card to the type `Task` of a tool. Each tool has its own type.
macro_rules! task {
    ($tool:ident, $card:expr) => {{
        let card: Card = $card;
        $tool::Task {
            task_id: card_name(card.id),
            title: card.title,
            status: card.status.word().to_owned(),
            assignee: card.assignee,
            reviewer: card.reviewer,
            tenant: card.tenant,
            priority: card.priority,
            worker: card.worker.map(|(worker, _)| worker),
            blocked: card.block.map(|(kind, reason)| format!("{}: {reason}", kind.word())),
            summary: card.outcome.map(|outcome| outcome.summary),
            updated: time_text(card.updated),
        }
    }};
}

/// Returns a card for a list.
pub(super) fn list_item(card: Card) -> kanban_list::Task {
    task!(kanban_list, card)
}

/// Returns a card with its notes, attachments, parents and children.
pub(super) fn details(details: CardDetails) -> kanban_show::Returns {
    let CardDetails { card, parents, children, notes, attachments, .. } = details;
    let outcome = card.outcome.clone().unwrap_or_default();
    let attachments = attachments.into_iter().map(|attachment| kanban_show::ReturnsAttachmentsItem {
        attachment_id: attachment.id,
        bytes: size(&attachment),
        filename: attachment.name,
        content_type: attachment.content_type,
    });
    let notes = notes.into_iter().map(|note| kanban_show::ReturnsNotesItem {
        time: time_text(note.time),
        author: note.author,
        kind: note.kind,
        text: note.text,
    });
    kanban_show::Returns {
        body: card.body.clone(),
        workspace: workspace(&card.workspace),
        skills: (!card.skills.is_empty()).then(|| card.skills.clone()),
        result: outcome.result,
        metadata: outcome.metadata,
        artifacts: outcome.artifacts,
        parents: parents.into_iter().map(|card| task!(kanban_show, card)).collect(),
        children: children.into_iter().map(card_name).collect(),
        notes: notes.collect(),
        attachments: attachments.collect(),
        task: task!(kanban_show, card),
    }
}

/// Returns an attachment, without its content.
pub(super) fn attachment(attachment: Attachment) -> kanban_attachments::ReturnsAttachmentsItem {
    kanban_attachments::ReturnsAttachmentsItem {
        attachment_id: attachment.id,
        bytes: size(&attachment),
        filename: attachment.name,
        content_type: attachment.content_type,
    }
}

fn size(attachment: &Attachment) -> i64 {
    i64::try_from(attachment.size).unwrap_or(i64::MAX)
}

fn workspace(workspace: &Workspace) -> String {
    match workspace {
        Workspace::Scratch => "an empty folder".to_owned(),
        Workspace::Dir { path } => format!("the folder {path}"),
        Workspace::Worktree { path } => format!("a new working tree of the git repository {path}"),
    }
}
