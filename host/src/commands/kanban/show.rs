//! How tasks are displayed, as text for people and as JSON for programs.

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use serde_json::{Value, json};
use toolc_agent::card_name;
use toolc_store::{Card, CardDetails, Workspace};

use crate::ground::show;
use crate::ground::time;

/// Returns a card as one line.
pub(super) fn card_line(card: &Card) -> String {
    let title = show::one_line(&card.title);
    let mut line = format!("{}  {:8}  {}: {title}", card_name(card.id), card.status.word(), card.assignee);
    if let Some((kind, reason)) = &card.block {
        let _ = write!(line, " ({}: {})", kind.word(), show::one_line(reason));
    }
    line + "\n"
}

/// Returns a card with its notes, attachments and neighbours as text.
pub(super) fn details_text(details: &CardDetails) -> String {
    let card = &details.card;
    let mut text = card_line(card);
    let mut add = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{name}: {value}");
        }
    };
    add("added by", &card.author);
    add("reviewer", card.reviewer.as_deref().unwrap_or_default());
    add("workspace", &workspace(&card.workspace));
    add("skills", &show::one_line(&card.skills.join(", ")));
    if let Some((worker, until)) = &card.worker {
        add("claimed by", &format!("{worker}, until {}", time::text(*until)));
    }
    add("waits for", &names(details.parents.iter().map(|card| card.id)));
    add("needed by", &names(details.children.iter().copied()));
    for attachment in &details.attachments {
        let name = show::one_line(&attachment.name);
        add("attachment", &format!("{}, {name}, {} bytes", attachment.id, attachment.size));
    }
    if !card.body.is_empty() {
        let _ = write!(text, "\n{}\n", escape_for_terminal(&card.body));
    }
    if let Some(outcome) = &card.outcome {
        let _ = write!(text, "\nsummary: {}\n", escape_for_terminal(&outcome.summary));
        for artifact in &outcome.artifacts {
            let _ = writeln!(text, "artifact: {}", show::one_line(artifact));
        }
        if let Some(result) = &outcome.result {
            let _ = write!(text, "\nresult:\n{}\n", escape_for_terminal(result));
        }
    }
    text.push('\n');
    for note in &details.notes {
        let note_text = escape_for_terminal(&note.text);
        let _ = writeln!(text, "{}  {} {}  {note_text}", time::text(note.time), note.author, note.kind);
    }
    text
}

/// Returns a card as JSON.
pub(super) fn card_json(card: &Card) -> Value {
    json!({
        "task": card_name(card.id),
        "board": card.board,
        "title": card.title,
        "status": card.status.word(),
        "assignee": card.assignee,
        "reviewer": card.reviewer,
        "tenant": card.tenant,
        "priority": card.priority,
        "author": card.author,
        "worker": card.worker.as_ref().map(|(worker, _)| worker),
        "blocked": card.block.as_ref().map(|(kind, reason)| json!({ "kind": kind.word(), "reason": reason })),
        "summary": card.outcome.as_ref().map(|outcome| &outcome.summary),
        "created": time::text(card.created),
        "updated": time::text(card.updated),
    })
}

/// Returns a card with its notes, attachments and neighbours as JSON.
pub(super) fn details_json(details: &CardDetails) -> Value {
    let card = &details.card;
    let mut value = card_json(card);
    let outcome = card.outcome.clone().unwrap_or_default();
    let metadata: Option<Value> = outcome.metadata.and_then(|metadata| serde_json::from_str(&metadata).ok());
    let more = json!({
        "body": card.body,
        "workspace": card.workspace,
        "skills": card.skills,
        "result": outcome.result,
        "metadata": metadata,
        "artifacts": outcome.artifacts,
        "parents": details.parents.iter().map(card_json).collect::<Value>(),
        "children": details.children.iter().copied().map(card_name).collect::<Value>(),
        "notes": details.notes.iter().map(|note| json!({
            "time": time::text(note.time), "author": note.author, "kind": note.kind, "text": note.text,
        })).collect::<Value>(),
        "attachments": details.attachments.iter().map(|attachment| json!({
            "id": attachment.id, "name": attachment.name, "content_type": attachment.content_type, "bytes": attachment.size,
        })).collect::<Value>(),
    });
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
    value
}

fn workspace(workspace: &Workspace) -> String {
    match workspace {
        Workspace::Scratch => "an empty folder".to_owned(),
        Workspace::Dir { path } => show::one_line(path),
        Workspace::Worktree { path } => format!("a working tree of {}", show::one_line(path)),
    }
}

fn names(ids: impl Iterator<Item = i64>) -> String {
    ids.map(card_name).collect::<Vec<_>>().join(", ")
}

/// Escapes control characters if standard output is a terminal; otherwise returns the text unchanged.
fn escape_for_terminal(text: &str) -> String {
    if std::io::stdout().is_terminal() { show::lines(text) } else { text.to_owned() }
}
