use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::data::behaviour::Callers;
use crate::data::dialect::Dialect;
use crate::provider::dynamic::{DynamicTool, DynamicTools};
use crate::registry::Registry;
use crate::result::output::ToolOutput;
use crate::search::ToolSearch;

const BOTH: [Dialect; 2] = [Dialect::Anthropic, Dialect::OpenAiResponses];

fn tool(name: impl Into<String>, description: &'static str) -> DynamicTool {
    let schema = json!({"type": "object", "properties": {}});
    DynamicTool::sync(name.into(), description, schema, |_, _| Ok(ToolOutput::text("")))
}

/// Returns a turn with these tools.
fn turn_of(tools: impl IntoIterator<Item = DynamicTool>, search: Option<ToolSearch>, dialect: Dialect) -> Turn {
    let registry = Registry::new();
    registry.add(DynamicTools::new().tools(tools).build().unwrap()).unwrap();
    let session = registry.session();
    let session = match search {
        Some(search) => session.tool_search(search),
        None => session,
    };
    session.build().unwrap().turn_blocking(dialect)
}

fn turn(names: &[&str], dialect: Dialect) -> Turn {
    turn_of(names.iter().map(|name| tool(*name, "Does it.")), None, dialect)
}

fn json(text: &RawValue) -> Value {
    serde_json::from_str(text.get()).unwrap()
}

/// Returns the tools of the last of these turns by the reading of the vendor: those in the definitions, changed by the messages and the
/// choice. Panics if a request gives a tool of Responses two definitions.
fn tools_of(tools: &ConversationTools) -> BTreeMap<String, Value> {
    let list = |json: &Value| json.as_array().unwrap().clone();
    let mut all = BTreeMap::new();
    let is_own = |definition: &Value| definition["input_schema"].is_object() || definition.get("tools").is_some();
    let own = |definition: &Value| is_own(definition) || definition["parameters"].is_object();
    for definition in tools.definitions().map(json).iter().flat_map(list).filter(own) {
        all.insert(definition["name"].as_str().unwrap().to_owned(), definition);
    }
    for message in tools.messages().iter().map(|(_, message)| json(message)) {
        for definition in message.get("tools").iter().flat_map(|tools| list(tools)) {
            let before = all.insert(definition["name"].as_str().unwrap().to_owned(), definition);
            assert_eq!(before, None, "one definition of each name");
        }
        for block in message.get("content").iter().flat_map(|blocks| list(blocks)) {
            if block["type"] == "tool_removal" {
                all.remove(block["tool"]["name"].as_str().unwrap()).expect("the model has the tool");
            } else {
                let definition = block["tool"]["definition"].clone();
                all.insert(definition["name"].as_str().unwrap().to_owned(), definition);
            }
        }
    }
    let choice = tools.tool_choice().map(json);
    let allowed = choice.map(|choice| if choice == "none" { Vec::new() } else { list(&choice["tools"]) });
    all.retain(|name, _| allowed.iter().all(|allowed| allowed.iter().any(|tool| tool["name"] == **name)));
    all
}

/// Passes turns to a conversation. Asserts after each that the model has the definitions of the turn, and returns what the last request
/// contains.
fn after(turns: &[Turn]) -> ConversationTools {
    let mut tools = ConversationTools::new(&turns[0]);
    for (at, turn) in turns.iter().enumerate() {
        tools = tools.next(turn, at);
        let expected: Vec<Value> = serde_json::from_str(turn.definitions()).unwrap();
        let expected = expected.into_iter().map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool));
        assert_eq!(tools_of(&tools), expected.collect(), "turn {at}: {tools:?}");
    }
    tools
}

/// Returns whether the requests still have the definitions of this turn.
fn has_definitions_of(tools: &ConversationTools, turn: &Turn) -> bool {
    tools.definitions().map(RawValue::get) == Some(&turn.request_tools())
}

#[test]
fn anthropic_takes_added_and_removed_tools_as_blocks_of_a_system_message() {
    let turns = [&["mail", "zip"], &["draw", "zip"]].map(|names| turn(names, Dialect::Anthropic));
    let tools = after(&turns);
    let expected = json!({"role": "system", "content": [
        {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "mail"}},
        {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": {
            "name": "draw", "description": "Does it.", "input_schema": {"type": "object", "properties": {}},
        }}},
    ]});
    let [(1, message)] = tools.messages() else { panic!("{tools:?}") };
    assert_eq!(json(message), expected);
    assert!(tools.betas().len() == 2 && tools.tool_choice().is_none() && has_definitions_of(&tools, &turns[0]));
}

#[test]
fn responses_takes_added_tools_as_an_item_and_removed_ones_as_a_choice() {
    let turn = |names: &[&str]| turn(names, Dialect::OpenAiResponses);
    let tools = after(&[turn(&["mail", "zip"]), turn(&["draw", "zip"])]);
    assert_eq!(json(&tools.messages()[0].1)["tools"][0]["name"], "draw");
    let choice = json(tools.tool_choice().unwrap());
    let expected = json!([{"type": "function", "name": "draw"}, {"type": "function", "name": "zip"}]);
    assert_eq!((&choice["type"], &choice["tools"]), (&json!("allowed_tools"), &expected));
    assert!(after(&[turn(&["mail", "zip"]), turn(&["zip"])]).messages().is_empty());
    let added = after(&[turn(&["mail"]), turn(&["mail", "zip"])]);
    assert!(added.messages().len() == 1 && added.tool_choice().is_none(), "the model may call every tool");
}

#[test]
fn responses_forbids_calls_if_all_tools_are_removed() {
    let turn = |names: &[&str]| turn(names, Dialect::OpenAiResponses);
    let tools = after(&[turn(&["mail"]), turn(&[])]);
    assert_eq!(tools.tool_choice().map(RawValue::get), Some("\"none\""));
}

#[test]
fn a_choice_of_responses_has_the_tool_that_runs_code() {
    let by_both = |names: &[&'static str]| {
        let tools: Vec<_> = names.iter().map(|name| tool(*name, "Does it.").callers(Callers::BOTH)).collect();
        turn_of(tools, None, Dialect::OpenAiResponses)
    };
    let tools = after(&[by_both(&["mail", "zip"]), by_both(&["zip"])]);
    let choice = json(tools.tool_choice().unwrap());
    assert_eq!(choice["tools"], json!([{"type": "function", "name": "zip"}, {"type": "programmatic_tool_calling"}]));
}

#[test]
fn only_anthropic_takes_a_changed_definition() {
    for dialect in BOTH {
        let turns = ["Does it.", "Sends it."].map(|description| turn_of([tool("mail", description)], None, dialect));
        let tools = after(&turns);
        assert_eq!(has_definitions_of(&tools, &turns[0]), dialect == Dialect::Anthropic);
    }
}

#[test]
fn a_removed_tool_that_returns_has_one_definition() {
    for dialect in BOTH {
        let turn = |mail: Option<&'static str>| {
            turn_of(mail.map(|text| tool("mail", text)).into_iter().chain([tool("zip", "Zips.")]), None, dialect)
        };
        let same = [turn(Some("Does it.")), turn(None), turn(Some("Does it."))];
        let tools = after(&same);
        assert!(has_definitions_of(&tools, &same[0]) && tools.tool_choice().is_none(), "{tools:?}");
        let other = [turn(Some("Does it.")), turn(None), turn(Some("Sends it."))];
        assert_eq!(has_definitions_of(&after(&other), &other[0]), dialect == Dialect::Anthropic);
        // The definition that came in a message counts, too.
        let added = [turn(None), turn(Some("Does it.")), turn(None), turn(Some("Sends it."))];
        assert_eq!(has_definitions_of(&after(&added), &added[0]), dialect == Dialect::Anthropic);
    }
}

#[test]
fn the_three_tools_of_tool_search_come_and_go_with_the_tools_that_they_replace() {
    let search = Some(ToolSearch::with_threshold(100));
    for dialect in BOTH {
        let many = || (0..20).map(|at| tool(format!("x{at}"), "A long description of the tool that does things."));
        let few = turn_of([tool("mail", "Sends mail.")], search, dialect);
        let above = turn_of([tool("mail", "Sends mail.")].into_iter().chain(many()), search, dialect);
        let extended = turn_of(
            [tool("mail", "Sends mail."), tool("shown", "Shown.").defer(false), tool("new", "Deferred.")]
                .into_iter()
                .chain(many()),
            search,
            dialect,
        );
        assert!(!few.definitions().contains("tool_call") && above.definitions().contains("tool_call"));
        let tools = after(&[few.clone(), above.clone()]);
        assert!(has_definitions_of(&tools, &few), "{tools:?}");
        after(&[few.clone(), above.clone(), extended.clone(), few.clone()]);
        after(&[above.clone(), extended.clone()]);
        after(&[extended, above, few]);
    }
}

#[test]
fn tools_for_the_vendors_search_are_appended_with_their_marks() {
    let turn = |deferred: &[(&'static str, &'static str)], dialect| {
        let deferred = deferred.iter().map(|(name, toolset)| tool(*name, "Does it.").toolset(*toolset));
        let tools: Vec<_> = [tool("ask", "Asks.").defer(false)].into_iter().chain(deferred).collect();
        turn_of(tools, Some(ToolSearch::with_threshold(0).by_vendor()), dialect)
    };
    for dialect in BOTH {
        let first = turn(&[("bill", "crm")], dialect);
        let tools = after(&[first.clone(), turn(&[("bill", "crm"), ("draw", "art")], dialect)]);
        assert!(has_definitions_of(&tools, &first) && tools.messages()[0].1.get().contains(r#""defer_loading":true"#));
        // A namespace cannot be sent twice.
        let tools = after(&[first.clone(), turn(&[("bill", "crm"), ("call", "crm")], dialect)]);
        assert_eq!(has_definitions_of(&tools, &first), dialect == Dialect::Anthropic);
        // A choice cannot name deferred tools.
        let tools = after(&[turn(&[("bill", "crm"), ("draw", "art")], dialect), first]);
        assert_eq!(tools.messages().is_empty(), dialect == Dialect::OpenAiResponses);
    }
}

#[test]
fn a_request_that_needs_other_tools_of_the_vendor_has_the_new_definitions_and_no_old_messages() {
    let dialect = Dialect::Anthropic;
    let names = || ["mail", "zip"].map(|name| tool(name, "Does it."));
    let later = turn_of(names(), Some(ToolSearch::with_threshold(0).by_vendor()), dialect);
    assert!(!later.vendor_tools().is_empty());
    let before = after(&[turn(&["zip"], dialect), turn(&["draw"], dialect)]);
    let tools = before.next(&later, 7);
    assert!(before.messages().len() == 1 && tools.messages().is_empty() && tools.betas().is_empty());
    assert!(has_definitions_of(&tools, &later));
}

#[test]
fn other_apis_and_other_dialects_get_the_new_definitions() {
    for dialect in [Dialect::OpenAi, Dialect::Gemini] {
        let [before, later] = [&["mail"][..], &["mail", "zip"]].map(|names| turn(names, dialect));
        let tools = ConversationTools::new(&before);
        assert!(has_definitions_of(&tools.next(&before, 1), &before));
        assert!(has_definitions_of(&tools.next(&later, 1), &later));
        let elsewhere = turn(&["mail"], Dialect::Anthropic);
        assert!(has_definitions_of(&tools.next(&elsewhere, 1), &elsewhere));
    }
}

#[test]
fn messages_about_tools_stand_where_they_were_sent() {
    let turns = [&["mail"][..], &["mail", "zip"], &["zip"]].map(|names| turn(names, Dialect::Anthropic));
    let conversation = ["1", "2"].map(|text| RawValue::from_string(text.to_owned()).unwrap());
    let tools = ConversationTools::new(&turns[0]).next(&turns[1], 1).next(&turns[2], 2);
    let all = tools.insert_into(&conversation);
    let [one, added, two, removed] = all.as_slice() else { panic!("{all:?}") };
    assert!(one.get() == "1" && two.get() == "2");
    assert!(added.get().contains("tool_addition") && removed.get().contains("tool_removal"));
}

#[test]
fn a_conversation_that_began_without_tools_gets_definitions() {
    for dialect in BOTH {
        let [none, some] = [&[][..], &["mail"]].map(|names| turn(names, dialect));
        let tools = ConversationTools::new(&none);
        assert!(tools.definitions().is_none());
        assert!(has_definitions_of(&tools.next(&some, 3), &some) && tools.next(&some, 3).messages().is_empty());
    }
}
