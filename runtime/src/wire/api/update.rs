//! Tools that change within a conversation. If the definitions in a request change, the prompt cache is lost, so some APIs accept the
//! change as a message at the end of the conversation instead.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::session::turn::Turn;
use crate::wire::Api;

/// What the requests of one conversation contain about tools: the definitions of the first request, and the changes since then as messages.
///
/// Make one for the first request, and the [`next`](Self::next) one for each later request. Run the calls of a response with the turn of its
/// request.
///
/// The parts of a request belong together: always send those of the same value, and none of an earlier one.
///
/// ```
/// use toolc::wire::ConversationTools;
/// use toolc::{RawValue, Turn};
///
/// /// What the conversation consists of, without the messages about tools.
/// struct Conversation {
///     messages: Vec<Box<RawValue>>,
///     tools: Option<ConversationTools>,
/// }
///
/// /// Returns the keys of the next request, in which the model has the tools of `turn`.
/// fn request(conversation: &mut Conversation, turn: &Turn) -> Vec<(&'static str, String)> {
///     let tools = match &conversation.tools {
///         Some(before) => before.next(turn, conversation.messages.len()),
///         None => ConversationTools::new(turn),
///     };
///     let mut keys = vec![("messages", format!("{:?}", tools.insert_into(&conversation.messages)))];
///     keys.extend(tools.definitions().map(|definitions| ("tools", definitions.get().to_owned())));
///     keys.extend(tools.tool_choice().map(|choice| ("tool_choice", choice.get().to_owned())));
///     // Also: `tools.betas()` in the header `anthropic-beta`.
///     conversation.tools = Some(tools);
///     keys
/// }
/// # let tool = toolc::DynamicTool::sync("mail", "", serde_json::json!({"type": "object"}), |_, _| Ok(toolc::ToolOutput::text("")));
/// # let registry = toolc::Registry::new();
/// # let session = registry.session().build().unwrap();
/// # let mut conversation = Conversation { messages: Vec::new(), tools: None };
/// # assert_eq!(request(&mut conversation, &session.turn_blocking(toolc::Dialect::OpenAi)).len(), 1);
/// # registry.add(tool.build().unwrap()).unwrap();
/// # assert_eq!(request(&mut conversation, &session.turn_blocking(toolc::Dialect::OpenAi)).len(), 2);
/// ```
#[derive(Debug, Clone)]
pub struct ConversationTools {
    /// The turn of the definitions.
    first: Turn,
    /// The turn whose tools the model has.
    latest: Turn,
    definitions: Option<Box<RawValue>>,
    /// The definitions in the messages, in order.
    appended: Vec<Value>,
    messages: Vec<(usize, Box<RawValue>)>,
    tool_choice: Option<Box<RawValue>>,
    betas: &'static [&'static str],
}

/// A change of the tools as messages.
pub(super) struct AppendedTools {
    /// The definitions in the messages.
    pub(super) definitions: Vec<Value>,
    pub(super) messages: Vec<Box<RawValue>>,
    pub(super) betas: &'static [&'static str],
    /// The choice of this request and of later ones.
    pub(super) tool_choice: Option<Box<RawValue>>,
}

/// The definitions of a request without the vendor's own tools, by name. A namespace of Responses, with the tools in it, is one of them.
#[cfg(any(feature = "wire-anthropic", feature = "wire-openai"))]
pub(super) type Definitions = std::collections::BTreeMap<String, Value>;

impl ConversationTools {
    /// Returns what the first request of a conversation contains about tools, or any request whose prompt cache is lost anyway, such as
    /// after the beginning of the conversation was shortened.
    pub fn new(turn: &Turn) -> Self {
        let has_tools = !turn.tool_ids().is_empty();
        let definitions = has_tools.then(|| RawValue::from_string(turn.request_tools()).ok()).flatten();
        Self {
            first: turn.clone(),
            latest: turn.clone(),
            definitions,
            appended: Vec::new(),
            messages: Vec::new(),
            tool_choice: None,
            betas: &[],
        }
    }

    /// Returns what the next request contains, in which the model has the tools of `turn`. `position` is the number of messages in the
    /// conversation, not counting those [about tools](Self::messages).
    ///
    /// If the API accepts the change as a message, the message is at `position`, and the definitions stay the same. Otherwise, the
    /// definitions are those of `turn`, and there are no messages about tools.
    ///
    /// The last message of the conversation must be one of the user, or have the results of calls. If the model
    /// [paused](crate::wire::Stop::Paused), send the parts of the request before once more instead. If a request failed, call this
    /// on the value of the last request that was answered.
    #[must_use]
    pub fn next(&self, turn: &Turn, position: usize) -> Self {
        if self.latest.dialect() == turn.dialect()
            && self.latest.definitions() == turn.definitions()
            && self.first.vendor_tools() == turn.vendor_tools()
        {
            return Self { latest: turn.clone(), ..self.clone() };
        }
        let Some(appended) = self.append(turn) else { return Self::new(turn) };
        let mut next = Self { latest: turn.clone(), tool_choice: appended.tool_choice, ..self.clone() };
        next.appended.extend(appended.definitions);
        if !appended.messages.is_empty() {
            next.messages.extend(appended.messages.into_iter().map(|message| (position, message)));
            next.betas = appended.betas;
        }
        next
    }

    /// Returns the change to the tools of `turn` as messages, or `None` if the request needs other definitions.
    fn append(&self, turn: &Turn) -> Option<AppendedTools> {
        let api = Api::from_dialect(turn.dialect())?;
        // A request without definitions has nothing to change. The vendor's own tools are part of the request, not of the conversation.
        let can_append = self.definitions.is_some()
            && self.latest.dialect() == turn.dialect()
            && self.first.vendor_tools() == turn.vendor_tools();
        if !can_append {
            return None;
        }
        (api.vendor().tool_update)(self, turn)
    }

    /// Returns the definitions, with the vendor's own tools, for the key `tools`: one JSON array. `None` if there are no tools, or if the
    /// dialect [is not JSON](crate::Dialect::is_json).
    pub fn definitions(&self) -> Option<&RawValue> {
        self.definitions.as_deref()
    }

    /// Returns the messages about changes, each with the number of messages of the conversation that come before it.
    pub fn messages(&self) -> &[(usize, Box<RawValue>)] {
        &self.messages
    }

    /// Returns the messages of a conversation, with those about changes in their places.
    pub fn insert_into<'m>(&'m self, conversation: &'m [Box<RawValue>]) -> Vec<&'m RawValue> {
        let mut all = Vec::with_capacity(conversation.len() + self.messages.len());
        let mut changes = self.messages.iter().peekable();
        for (at, message) in conversation.iter().enumerate() {
            while let Some((_, change)) = changes.next_if(|(position, _)| *position <= at) {
                all.push(&**change);
            }
            all.push(&**message);
        }
        all.extend(changes.map(|(_, change)| &**change));
        all
    }

    /// Returns the value of `tool_choice`. A host that sends other tools of the vendor, besides those of the turn, adds them to its list
    /// `tools`. `None` if the model may call every tool.
    pub fn tool_choice(&self) -> Option<&RawValue> {
        self.tool_choice.as_deref()
    }

    /// Returns the beta features that the messages need, for the header `anthropic-beta`.
    pub fn betas(&self) -> &'static [&'static str] {
        self.betas
    }

    /// Returns the definitions of the tools that the model has.
    #[cfg(feature = "wire-anthropic")]
    pub(super) fn latest(&self) -> Option<Definitions> {
        definitions_of(&self.latest)
    }

    /// Returns all definitions that were sent, including those of tools that the model no longer has.
    #[cfg(feature = "wire-openai")]
    pub(super) fn sent(&self) -> Option<Definitions> {
        let mut sent = definitions_of(&self.first)?;
        for definition in &self.appended {
            sent.insert(definition["name"].as_str()?.to_owned(), definition.clone());
        }
        Some(sent)
    }
}

/// Returns the definitions of a turn, or `None` if one has no name, or the name of another one.
#[cfg(any(feature = "wire-anthropic", feature = "wire-openai"))]
pub(super) fn definitions_of(turn: &Turn) -> Option<Definitions> {
    let list: Vec<Value> = serde_json::from_str(turn.definitions()).ok()?;
    let mut by_name = Definitions::new();
    for definition in list {
        let name = definition["name"].as_str()?.to_owned();
        if by_name.insert(name, definition).is_some() {
            return None;
        }
    }
    Some(by_name)
}

#[cfg(test)]
mod tests;
