//! Records conversations in the store, without secrets, and reads them back.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolc::redaction::Redactor;
use toolc_config::Home;
use toolc_model::{Api, Client};
use toolc_store::{MessageKind, NewMessage, NewSession, SessionInfo, Sessions, StoreError, StoredMessage, TokenCounts};

use super::calls::{CallLog, RecordedCall};
use super::conversation::{Conversation, Entry, StoredCall};
use super::mend::{UNFINISHED, mended};
use super::state::TaskState;
use super::writer::Writer;
use crate::ground::error::Result;
use crate::models::Tokens;

/// The maximum length of a title, in characters.
const TITLE_CHARS: usize = 80;

/// Where a conversation was started, for the store.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// `chat`, `agent`, `batch`, `cron` or `kanban`.
    pub(crate) source: &'static str,
    pub(crate) directory: String,
}

/// Records one conversation, unless recording is off. After an error, nothing more is recorded.
pub(super) struct Recorder {
    /// The store, or `None` if nothing is recorded.
    sessions: Option<Sessions>,
    home: Home,
    redactor: Arc<Redactor>,
    origin: Origin,
    model: Client,
    name: String,
    /// Whether the conversation is in the store.
    has_begun: Cell<bool>,
    /// The lock of the conversation, once it is in the store.
    writer: RefCell<Option<Writer>>,
    /// The last message of the conversation in the store.
    last: Cell<Option<i64>>,
    /// Whether writing has failed. Recording stops then, because later entries would follow a gap.
    has_failed: Cell<bool>,
    /// The ids of the entries of the conversation in the store.
    ids: RefCell<Vec<i64>>,
    /// The calls that have ended.
    calls: CallLog,
}

impl Recorder {
    pub(super) fn new(
        sessions: Option<Sessions>,
        home: Home,
        redactor: Arc<Redactor>,
        origin: Origin,
        model: Client,
        name: String,
        calls: CallLog,
    ) -> Self {
        let (has_begun, writer, last, has_failed, ids) = Default::default();
        Self { sessions, home, redactor, origin, model, name, has_begun, writer, last, has_failed, ids, calls }
    }

    /// Continues a conversation that is in the store.
    pub(super) fn resume(&mut self, resumed: &mut StoredConversation) {
        self.has_begun = Cell::new(true);
        self.ids = RefCell::new(std::mem::take(&mut resumed.ids));
        self.last = Cell::new(resumed.last);
        self.writer = RefCell::new(resumed.writer.take());
    }

    /// Sets the id of the call that the person makes next.
    pub(super) fn set_of_person(&self, id: &str) {
        self.calls.set_of_person(id);
    }

    /// Sets the model that writes the next messages.
    pub(super) fn set_model(&mut self, model: Client) {
        self.model = model;
    }

    /// Replaces all entries of a conversation by a text, for an API that does not understand them.
    pub(super) fn make_text(&self, conversation: &mut Conversation) {
        let mut ids = self.ids.borrow_mut();
        let all = std::mem::take(conversation).into_entries();
        let count = all.len();
        // Without a record, no entry has an id.
        let with_ids = all.into_iter().enumerate().map(|(at, entry)| (entry, ids.get(at).copied().unwrap_or_default()));
        let (entries, kept): (Vec<_>, Vec<_>) = as_text(with_ids.collect(), count).into_iter().unzip();
        if !ids.is_empty() {
            *ids = kept;
        }
        *conversation = Conversation::new(entries);
    }

    /// Records an entry.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub(super) fn record_entry(&self, entry: &Entry, tokens: Option<Tokens>) -> Result<(), StoreError> {
        let text = entry.text();
        let (kind, raw, details) = match entry {
            Entry::User(_) | Entry::Picture { .. } => (MessageKind::User, &[][..], Value::Null),
            Entry::Model { raw, calls, .. } => (MessageKind::Model, &**raw, json!(calls)),
            Entry::Results { raw, results } => (MessageKind::Results, &**raw, json!(results)),
        };
        self.write(kind, &text, raw, &details, None, tokens)
    }

    /// Records that a summary replaces the entries before `keep`.
    pub(super) fn record_summary(&self, text: &str, keep: usize) -> Result<(), StoreError> {
        let ids = self.ids.borrow();
        // If no entry is kept, the summary replaces everything before it.
        let keeps_from = ids.get(keep).copied();
        drop(ids);
        self.write(MessageKind::Summary, text, &[], &Value::Null, Some(keeps_from.unwrap_or(i64::MAX)), None)?;
        let mut ids = self.ids.borrow_mut();
        let summary = ids.pop();
        let replaced = keep.min(ids.len());
        ids.splice(..replaced, summary);
        Ok(())
    }

    /// Records the state of the task, and the calls that have ended since the last entry.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub(super) fn record_state(&self, state: &TaskState) -> Result<(), StoreError> {
        let is_recorded = self.has_begun.get() && !self.has_failed.get();
        let Some(sessions) = self.sessions.as_ref().filter(|_| is_recorded) else { return Ok(()) };
        let calls = self.calls.take();
        if !calls.is_empty() {
            sessions.add_calls(&self.name, &calls.iter().map(RecordedCall::as_new).collect::<Vec<_>>())?;
        }
        sessions.set_state(&self.name, &self.redactor.kept_text(&json!(state).to_string()))
    }

    fn write(
        &self,
        kind: MessageKind,
        text: &str,
        raw: &[Box<RawValue>],
        details: &Value,
        keeps_from: Option<i64>,
        tokens: Option<Tokens>,
    ) -> Result<(), StoreError> {
        let Some(sessions) = self.sessions.as_ref().filter(|_| !self.has_failed.get()) else { return Ok(()) };
        // Assume failure. Cleared below once everything was written.
        self.has_failed.set(true);
        let name = &*self.name;
        let text = self.redactor.kept_text(text);
        if !self.has_begun.get() {
            let (model, title) = (self.model.model(), title(&text));
            sessions.start(&NewSession {
                name,
                source: self.origin.source,
                directory: &self.origin.directory,
                api: model.api.word(),
                model: model.name(),
                title: &title,
            })?;
            // No other process knows the new name yet.
            self.writer.replace(Writer::lock(&self.home, name, "").ok());
            self.has_begun.set(true);
        }
        let is_empty = raw.is_empty();
        let raw: Vec<&str> = raw.iter().map(|message| message.get()).collect();
        let (raw, details) = (format!("[{}]", raw.join(",")), details.to_string());
        let calls = self.calls.take();
        let message = NewMessage {
            kind,
            text: &text,
            raw: &self.redactor.kept_text(&raw),
            api: (!is_empty).then(|| self.model.model().api.word()),
            details: &self.redactor.kept_text(&details),
            keeps_from,
            tokens: tokens.map(|Tokens { input, cached, output, .. }| TokenCounts { input, cached, output }),
            after: self.last.get(),
            calls: &calls.iter().map(RecordedCall::as_new).collect::<Vec<_>>(),
        };
        let id = sessions.append(name, &message)?;
        self.last.set(Some(id));
        self.ids.borrow_mut().push(id);
        self.has_failed.set(false);
        Ok(())
    }
}

/// Returns the first line of a text that is not empty, shortened.
fn title(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(TITLE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// A conversation that was read from the store. The default is a new conversation.
#[derive(Default)]
pub(super) struct StoredConversation {
    pub(super) conversation: Conversation,
    /// The ids of the entries in the store.
    pub(super) ids: Vec<i64>,
    /// The last message in the store.
    pub(super) last: Option<i64>,
    /// The lock of the conversation.
    pub(super) writer: Option<Writer>,
    /// The calls without results, because the process that ran them was killed.
    pub(super) unfinished: Vec<StoredCall>,
    pub(super) tokens: Tokens,
    /// `None` for a new conversation.
    pub(super) state: Option<TaskState>,
}

/// Locks and reads a conversation that will be continued with this API.
///
/// # Errors
/// Returns an error if another process writes to the conversation, the store cannot be read, or a message in it is damaged.
pub(super) fn read(sessions: &Sessions, home: &Home, info: &SessionInfo, api: Api) -> Result<StoredConversation> {
    let advice = format!(", or continue a copy of the conversation with `--resume {} --copy`", info.name);
    let writer = Writer::lock(home, &info.name, &advice)?;
    let mut messages = sessions.messages(&info.name)?;
    let last = messages.last().map(|message| message.id);
    if let Some(at) = messages.iter().rposition(|message| message.kind == MessageKind::Summary) {
        let summary = messages.remove(at);
        let first = summary.keeps_from.unwrap_or(summary.id);
        messages
            .retain(|message| message.kind != MessageKind::Summary && (message.id >= first || message.id > summary.id));
        messages.insert(0, summary);
    }
    let damaged = |id: i64, error: serde_json::Error| {
        format!("message {id} of the session {} cannot be read: {error}", info.name)
    };
    let mut entries = Vec::with_capacity(messages.len());
    let mut foreign = 0;
    for message in &messages {
        let entry = parse_entry(message).map_err(|error| damaged(message.id, error))?;
        entries.push((entry, message.id));
        if !is_of(api, message, &entries[entries.len() - 1].0, &info.api) {
            foreign = entries.len();
        }
    }
    let (entries, ids): (Vec<_>, Vec<_>) = mended(as_text(entries, foreign), api).into_iter().unzip();
    let conversation = Conversation::new(entries);
    let unfinished = conversation.unfinished();
    let state = sessions.state(&info.name)?;
    let state = state.map_or_else(|| Ok(TaskState::default()), |state| serde_json::from_str(&state));
    let state = state.map_err(|error| format!("the state of the session {} cannot be read: {error}", info.name))?;
    let TokenCounts { input, cached, output } = info.tokens;
    let tokens = Tokens { input, cached, output, cost: None };
    Ok(StoredConversation { conversation, ids, last, writer: Some(writer), unfinished, tokens, state: Some(state) })
}

/// Returns whether an API understands the messages of an entry, because it has written them. `begun_with` is the API with which the
/// conversation began. An earlier version recorded only that one, so the form of its messages decides, too.
fn is_of(api: Api, message: &StoredMessage, entry: &Entry, begun_with: &str) -> bool {
    let (Entry::Model { raw, .. } | Entry::Results { raw, .. }) = entry else { return true };
    match &message.api {
        Some(own) => own == api.word(),
        None => begun_with == api.word() && raw.iter().all(|raw| has_form_of(api, raw)),
    }
}

/// Returns whether a message has members that messages of the API have, and none that only others have.
fn has_form_of(api: Api, raw: &RawValue) -> bool {
    let Ok(message) = serde_json::from_str::<Value>(raw.get()) else { return false };
    let has = |member: &str| message.get(member).is_some();
    let blocks = message["content"].as_array();
    let has_block = |kind: &str| blocks.is_some_and(|blocks| blocks.iter().any(|block| block["type"] == kind));
    match api {
        Api::Gemini => has("parts"),
        Api::Responses | Api::Interactions => has("type"),
        Api::Anthropic => has("role") && !has("parts") && !has("type") && !has("tool_calls") && !has("tool_call_id"),
        Api::ChatCompletions => {
            has("role") && !has("parts") && !has("type") && !has_block("tool_use") && !has_block("tool_result")
        }
    }
}

/// Replaces the first `count` entries by a text: one API does not understand the messages of another one.
fn as_text(mut entries: Vec<(Entry, i64)>, count: usize) -> Vec<(Entry, i64)> {
    let later = entries.split_off(count);
    let Some((_, first)) = entries.first() else { return later };
    let first = *first;
    let conversation = Conversation::new(entries.into_iter().map(|(entry, _)| entry).collect());
    let entries = conversation.entries().iter();
    let text: Vec<String> = entries.map(|entry| format!("{}: {}", speaker(entry), entry.text())).collect();
    let mut text = format!(
        "The earlier part of this conversation is given as text, because another model took part in it:\n\n{}",
        text.join("\n\n")
    );
    if !conversation.unfinished().is_empty() {
        text += &format!("\n\ntools: {UNFINISHED}");
    }
    [vec![(Entry::User(text), first)], later].concat()
}

/// Returns the author of an entry.
pub(super) fn speaker(entry: &Entry) -> &'static str {
    match entry {
        Entry::User(_) | Entry::Picture { .. } => "user",
        Entry::Model { .. } => "assistant",
        Entry::Results { .. } => "tools",
    }
}

fn parse_entry(message: &StoredMessage) -> serde_json::Result<Entry> {
    let raw = || serde_json::from_str(&message.raw);
    Ok(match message.kind {
        MessageKind::Model => {
            let calls: Vec<StoredCall> = serde_json::from_str(&message.details)?;
            // The stored text also contains the calls.
            let text = match message.text.find("[calls ").filter(|_| !calls.is_empty()) {
                Some(end) => message.text[..end].trim_end().to_owned(),
                None => message.text.clone(),
            };
            Entry::Model { raw: raw()?, text, calls }
        }
        MessageKind::Results => Entry::Results { raw: raw()?, results: serde_json::from_str(&message.details)? },
        _ => Entry::User(message.text.clone()),
    })
}
