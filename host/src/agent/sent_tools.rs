//! The tool definitions in the requests of a conversation. If they differ from the previous request, the vendor's prompt cache is lost.
//! A change of the tools can therefore be sent as a message at the end instead.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::value::RawValue;
use toolc::Turn;
use toolc::wire::ConversationTools;
use toolc_config::ToolChanges;

use super::conversation::Conversation;

/// The tools that were sent in a conversation. They are not stored: a resumed conversation begins with the current definitions.
pub(super) struct SentTools {
    changes: ToolChanges,
    /// The tools in the last request that was answered.
    last_answered: Option<ConversationTools>,
}

impl SentTools {
    pub(super) fn new(changes: ToolChanges) -> Self {
        Self { changes, last_answered: None }
    }

    /// Returns the tools for the next request, so that the model knows the tools of `turn`.
    pub(super) fn for_next_request(&self, turn: &Turn, conversation: &Conversation) -> ConversationTools {
        let known = self.last_answered.as_ref().filter(|_| self.changes == ToolChanges::Append);
        match known {
            None => ConversationTools::new(turn),
            // A model that has paused continues with the tools that it knows.
            Some(known) if known.definitions().is_some() && conversation.ends_with_answer() => known.clone(),
            Some(known) => known.next(turn, conversation.entries().len()),
        }
    }

    /// Returns the names of the tools that the next request defines. Supports only the format of Anthropic.
    pub(super) fn defined_names(&self, turn: &Turn, conversation: &Conversation) -> BTreeSet<String> {
        let sent = self.for_next_request(turn, conversation);
        let json = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).unwrap_or_default();
        let mut definitions =
            sent.definitions().map(json).and_then(|list| list.as_array().cloned()).unwrap_or_default();
        for (_, message) in sent.messages() {
            let blocks = json(message)["content"].as_array().cloned().unwrap_or_default();
            definitions.extend(blocks.into_iter().map(|mut block| block["tool"]["definition"].take()));
        }
        definitions.iter().filter_map(|definition| definition["name"].as_str().map(str::to_owned)).collect()
    }

    /// Records the tools of an answered request. The changes of a failed request are computed again for the next one: Anthropic accepts a
    /// change only directly before an answer, or at the end of the conversation.
    pub(super) fn record_answered(&mut self, sent: ConversationTools) {
        self.last_answered = Some(sent);
    }

    /// Forgets the sent tools. Must be called when earlier messages were changed or removed, because messages about tools would be in wrong
    /// places. The cache is lost anyway then.
    pub(super) fn reset(&mut self) {
        self.last_answered = None;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolc::{DynamicTool, Registry, ToolOutput};
    use toolc_model::{Api, user_message};

    use super::super::conversation::Entry;
    use super::*;

    const API: Api = Api::Anthropic;

    fn turn(names: &[&'static str]) -> Turn {
        let registry = Registry::new();
        for name in names {
            let schema = json!({"type": "object", "properties": {}});
            let tool = DynamicTool::sync(*name, "Does it.", schema, |_, _| Ok(ToolOutput::text("")));
            registry.add(tool.build().expect("a tool")).expect("a new name");
        }
        registry.session().build().expect("a session").turn_blocking(API.dialect())
    }

    fn answer() -> Entry {
        let raw = vec![toolc_model::assistant_message(API, "a")];
        Entry::Model { raw, text: "a".to_owned(), calls: Vec::new() }
    }

    fn user() -> Entry {
        Entry::User("u".to_owned())
    }

    /// Returns the roles of the messages of a request.
    fn roles(sent: &ConversationTools, conversation: &Conversation) -> Vec<String> {
        let messages = conversation.messages(API, sent.messages());
        let role =
            |message: &RawValue| -> serde_json::Value { serde_json::from_str(message.get()).expect("valid JSON") };
        messages.iter().map(|message| role(message)["role"].as_str().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn a_change_stays_where_it_was_sent_with_the_first_definitions() {
        let mut sent_tools = SentTools::new(ToolChanges::Append);
        let mut conversation = Conversation::new(vec![user()]);
        let (first, second) = (turn(&["mail"]), turn(&["mail", "zip"]));
        let sent = sent_tools.for_next_request(&first, &conversation);
        assert!(sent.messages().is_empty() && sent.betas().is_empty());
        let definitions = sent.definitions().map(ToOwned::to_owned);
        sent_tools.record_answered(sent);
        conversation.push(answer());
        conversation.push(user());
        // A failed request has not changed the tools.
        let sent = sent_tools.for_next_request(&second, &conversation);
        assert_eq!(roles(&sent, &conversation), ["user", "assistant", "user", "system"]);
        conversation.push(user());
        let sent = sent_tools.for_next_request(&second, &conversation);
        assert_eq!(roles(&sent, &conversation), ["user", "assistant", "user", "system"]);
        sent_tools.record_answered(sent);
        conversation.push(answer());
        // The model has paused: a message at the end would be refused.
        let sent = sent_tools.for_next_request(&first, &conversation);
        assert_eq!(roles(&sent, &conversation), ["user", "assistant", "user", "system", "assistant"]);
        conversation.push(user());
        let sent = sent_tools.for_next_request(&first, &conversation);
        let expected = ["user", "assistant", "user", "system", "assistant", "user", "system"];
        assert_eq!(roles(&sent, &conversation), expected);
        assert_eq!(sent.definitions().map(RawValue::get), definitions.as_deref().map(RawValue::get));
        assert!(!sent.betas().is_empty());
    }

    #[test]
    fn definitions_are_sent_again_by_default_and_after_a_summary() {
        let conversation = Conversation::new(vec![user()]);
        let (first, second) = (turn(&["mail"]), turn(&["mail", "zip"]));
        for changes in [ToolChanges::Resend, ToolChanges::Append] {
            let mut sent_tools = SentTools::new(changes);
            sent_tools.record_answered(sent_tools.for_next_request(&first, &conversation));
            if changes == ToolChanges::Append {
                sent_tools.reset();
            }
            let sent = sent_tools.for_next_request(&second, &conversation);
            assert!(sent.messages().is_empty());
            assert!(sent.definitions().is_some_and(|json| json.get().contains("zip")));
        }
    }

    #[test]
    fn a_conversation_that_began_without_tools_gets_definitions() {
        let conversation = Conversation::new(vec![user()]);
        let mut sent_tools = SentTools::new(ToolChanges::Append);
        let sent = sent_tools.for_next_request(&turn(&[]), &conversation);
        assert!(sent.definitions().is_none());
        sent_tools.record_answered(sent);
        let sent = sent_tools.for_next_request(&turn(&["mail"]), &conversation);
        assert!(sent.messages().is_empty() && sent.definitions().is_some());
        assert_eq!(roles(&sent, &conversation), ["user"]);
        assert_eq!(conversation.messages(API, &[])[0].get(), user_message(API, "u").get());
    }
}
