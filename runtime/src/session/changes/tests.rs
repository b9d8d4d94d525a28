use serde_json::json;

use super::*;
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement;
use crate::data::segment::FactValue;
use crate::env::Env;
use crate::fakes::{Fake, tool};
use crate::provider::dynamic::DynamicTool;
use crate::registry::Registry;
use crate::result::output::ToolOutput;
use crate::session::Session;

fn provider(name: &'static str, description: &'static str) -> Box<dyn crate::provider::ToolProvider> {
    let tool = DynamicTool::sync(name, description, json!({"type": "object"}), |_, _| Ok(ToolOutput::text("")));
    tool.build().unwrap()
}

fn turn(session: &Session) -> Turn {
    session.turn_blocking(Dialect::OpenAi)
}

#[test]
fn tools_that_come_and_go_are_changes_with_their_causes() {
    let registry = Registry::new();
    let mail = registry.add(provider("mail", "Sends mail.")).unwrap();
    registry.add(provider("zip", "Packs files.")).unwrap();
    let session = registry.session().build().unwrap();
    let first = turn(&session);
    assert!(turn(&session).changes_since(&first).is_empty());

    registry.remove(mail);
    registry.add(provider("draw", "Draws a picture.")).unwrap();
    let second = turn(&session);
    let changes = second.changes_since(&first);
    assert_eq!(changes.to_string(), "+draw (a tool provider with it was added) -mail (its tool provider was removed)");
    assert_eq!((changes.added[0].tool, &changes.added[0].cause), ("draw", &ChangeCause::Registered));

    registry.add(provider("mail", "Sends mail to one address.")).unwrap();
    let changes = turn(&session).changes_since(&first).to_string();
    assert_eq!(changes, "+draw (a tool provider with it was added) ~mail (it is declared differently)");
}

#[test]
fn a_hidden_tool_is_a_change_with_the_reason() {
    let registry = Registry::new();
    let keyed = DynamicTool::sync("keyed", "Needs a key.", json!({"type": "object"}), |_, _| Ok(ToolOutput::text("")));
    registry.add(keyed.requirement(Requirement::Env(vec!["KEY".into()])).build().unwrap()).unwrap();
    let [without, with] = [Env::empty(), Env::empty().with_var("KEY", "1")]
        .map(|env| turn(&registry.session().env(env).build().unwrap()));
    let removed = without.changes_since(&with).to_string();
    assert_eq!(removed, "-keyed (needs the environment variable `KEY`)");
    let added = with.changes_since(&without).to_string();
    assert_eq!(added, "+keyed (no longer holds: needs the environment variable `KEY`)");
}

#[test]
fn a_definition_that_depends_on_a_fact_changes_with_it() {
    use crate::data::segment::Segment;
    let name = |text: &'static str| Segment::Text(text.into());
    let segments = vec![name(r#"{"name":"depends","when":""#), Segment::Fact(0), name("\"}")];
    let mut depends = tool("depends", "home", &[]);
    depends.facts = vec!["online".into()];
    let fake = Fake::new([depends, tool("other", "home", &[])]).fact("online", false);
    let session = fake.defined("depends", Some(segments)).registry().session().build().unwrap();
    let before = turn(&session);
    session.set_facts([("online".into(), FactValue::Boolean(true))]).unwrap();
    let after = turn(&session);
    assert_eq!(after.changes_since(&before).to_string(), "~depends (the fact `online` has another value)");
    assert_eq!(before.changes_since(&before), ToolChanges::default());
}

/// Whatever changes, the definitions of the earlier turn with the changes applied are those of the later one.
#[test]
fn the_changes_account_for_every_definition() {
    let names = ["a", "b", "c", "d"];
    let registry_of = |set: u32, described: u32| {
        let registry = Registry::new();
        for (at, name) in names.into_iter().enumerate().filter(|(at, _)| set & (1 << at) != 0) {
            registry.add(provider(name, if described & (1 << at) == 0 { "Old." } else { "New." })).unwrap();
        }
        turn(&registry.session().build().unwrap())
    };
    for (old, new, described) in (0..16).flat_map(|old| (0..16).map(move |new| (old, new, old ^ (new << 1) & 15))) {
        let (before, after) = (registry_of(old, 0), registry_of(new, described));
        let changes = after.changes_since(&before);
        let of = |list: &[ToolChange<'_>]| {
            list.iter().fold(0, |set, change| set | 1 << names.iter().position(|name| *name == change.tool).unwrap())
        };
        assert_eq!(of(&changes.added), new & !old);
        assert_eq!(of(&changes.removed), old & !new);
        assert_eq!(of(&changes.changed), old & new & described);
    }
}
