use std::time::Duration;

use super::*;

fn store() -> (tempfile::TempDir, Sessions) {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let sessions = Sessions::new(Arc::new(Database::new(folder.path().join("state.db"))));
    (folder, sessions)
}

const NEW: NewSession<'_> = NewSession {
    name: "20260301-a",
    source: "chat",
    directory: "/w",
    api: "anthropic",
    model: "m-1",
    title: "About disks",
};

fn start(sessions: &Sessions, name: &str) -> String {
    sessions.start(&NewSession { name, ..NEW }).expect("failed to start");
    name.to_owned()
}

fn new(kind: MessageKind, text: &str) -> NewMessage<'_> {
    NewMessage {
        kind,
        text,
        raw: "[]",
        api: None,
        details: "null",
        keeps_from: None,
        tokens: None,
        after: None,
        calls: &[],
    }
}

#[test]
fn a_conversation_is_read_as_it_was_written() {
    let (_folder, sessions) = store();
    assert_eq!(sessions.list(10).expect("a missing file is empty"), []);
    let name = start(&sessions, "20260301-a");
    assert!(sessions.start(&NEW).is_err(), "the name is taken");
    let raw = r#"[{"role":"user","content":"é 12345678901234567890.50"}]"#;
    let tokens = TokenCounts { input: 10, cached: 4, output: 3 };
    let first = sessions.append(&name, &NewMessage { raw, ..new(MessageKind::User, "Is the disk full?") });
    let first = first.expect("failed to add");
    let answer = NewMessage {
        api: Some("gemini"),
        tokens: Some(tokens),
        details: r#"[{"name":"a"}]"#,
        ..new(MessageKind::Model, "No.")
    };
    sessions.append(&name, &answer).expect("failed to add");
    let summary = NewMessage { keeps_from: Some(first), ..new(MessageKind::Summary, "So far") };
    sessions.append(&name, &summary).expect("failed to add");

    let messages = sessions.messages(&name).expect("failed to read");
    assert_eq!(
        messages.iter().map(|message| &*message.text).collect::<Vec<_>>(),
        ["Is the disk full?", "No.", "So far"]
    );
    assert_eq!((&*messages[0].raw, messages[0].tokens, messages[0].kind), (raw, None, MessageKind::User));
    assert_eq!([&messages[0], &messages[1]].map(|message| message.api.as_deref()), [None, Some("gemini")]);
    assert_eq!((messages[1].tokens, &*messages[1].details), (Some(tokens), r#"[{"name":"a"}]"#));
    assert_eq!((messages[2].kind, messages[2].keeps_from), (MessageKind::Summary, Some(first)));

    let [info] = &sessions.list(10).expect("failed to read")[..] else { panic!("one session") };
    assert_eq!((&*info.name, info.messages, info.tokens), (&*name, 3, tokens));
    assert_eq!((&*info.title, &*info.model, &*info.directory), ("About disks", "m-1", "/w"));
    assert!(info.updated >= info.started && info.started.elapsed().is_ok_and(|age| age.as_secs() < 600));
    let unknown = sessions.append("unknown", &new(MessageKind::User, "x"));
    assert!(unknown.is_err());
}

#[test]
fn a_conversation_is_found_by_the_beginning_of_its_name() {
    let (_folder, sessions) = store();
    let names = ["20260301-a", "20260301-b", "20260302-a"].map(|name| start(&sessions, name));
    for name in &names {
        let [found] = &sessions.find(name).expect("failed to read")[..] else { panic!("one session") };
        assert_eq!(&found.name, name);
    }
    assert_eq!(sessions.find("20260301").expect("failed to read").len(), 2);
    assert_eq!(sessions.find("%").expect("failed to read"), []);
}

#[test]
fn words_are_found_in_all_conversations_whatever_their_case_and_accents() {
    let (_folder, sessions) = store();
    let [first, second] = ["a", "b"].map(|name| start(&sessions, name));
    let add =
        |session: &str, text: &str| sessions.append(session, &new(MessageKind::User, text)).expect("failed to add");
    add(&first, "The Élan of the disk");
    let later = add(&second, "no space left on the disk");
    add(&second, "space is left");
    let search = |query: &str, order| -> Vec<i64> {
        let found =
            sessions.search(&Search { query, order, limit: 10, ..Search::default() }).expect("failed to search");
        found.iter().map(|found| found.message.id).collect()
    };
    assert_eq!(search("ELAN", Order::Best), [1]);
    assert_eq!(search("disk", Order::Newest), [2, 1]);
    assert_eq!(search("disk", Order::Oldest), [1, 2]);
    assert_eq!(search("left space", Order::Oldest), [2, 3]);
    assert_eq!(search("\"space left\"", Order::Best), [2]);
    assert_eq!(search("nothing", Order::Best), [0_i64; 0]);
    let found =
        sessions.search(&Search { query: "space disk", limit: 1, ..Search::default() }).expect("failed to search");
    assert_eq!(found[0].excerpt, "no **space** left on the **disk**");
    assert_eq!(found[0].message.session, second);

    let around =
        |window| sessions.around(later, window).expect("failed to read").iter().map(|m| m.id).collect::<Vec<_>>();
    assert_eq!(around(5), [2, 3]);
    assert_eq!(around(0), [2]);
    assert_eq!(sessions.around(99, 5).expect("failed to read"), []);
}

#[test]
fn a_removed_conversation_is_not_found() {
    let (folder, sessions) = store();
    assert!(!sessions.remove("x").expect("failed to remove"));
    assert!(!folder.path().join("state.db").exists());
    let [kept, removed] = ["a", "b"].map(|name| {
        let name = start(&sessions, name);
        sessions.append(&name, &new(MessageKind::User, "disk")).expect("failed to add");
        name
    });
    assert!(sessions.remove(&removed).expect("failed to remove"));
    assert!(!sessions.remove(&removed).expect("failed to remove"));
    assert_eq!(sessions.messages(&removed).expect("failed to read"), []);
    let found = sessions.search(&Search { query: "disk", limit: 10, ..Search::default() }).expect("failed to search");
    assert_eq!(found.iter().map(|found| &*found.message.session).collect::<Vec<_>>(), [&*kept]);
}

#[test]
fn a_conversation_keeps_its_last_state() {
    let (_folder, sessions) = store();
    assert_eq!(sessions.state("20260301-a").expect("a missing file is empty"), None);
    let name = start(&sessions, "20260301-a");
    assert_eq!(sessions.state(&name).expect("failed to read"), None);
    for state in [r#"{"todo":[]}"#, r#"{"todo":[1]}"#] {
        sessions.set_state(&name, state).expect("failed to write");
        assert_eq!(sessions.state(&name).expect("failed to read").as_deref(), Some(state));
    }
    sessions.set_state("unknown", "{}").expect("it is ignored");
    assert_eq!(sessions.state("unknown").expect("failed to read"), None);
}

#[test]
fn a_search_has_filters() {
    let (_folder, sessions) = store();
    let [first, second] = ["a", "b"].map(|name| start(&sessions, name));
    let add = |session: &str, kind| sessions.append(session, &new(kind, "the disk")).expect("failed to add");
    add(&first, MessageKind::User);
    add(&first, MessageKind::Model);
    let middle = SystemTime::now();
    std::thread::sleep(Duration::from_millis(5));
    add(&second, MessageKind::Results);
    let search = |search: Search<'_>| -> Vec<i64> {
        let search = Search { query: "disk", order: Order::Oldest, limit: 10, ..search };
        sessions.search(&search).expect("failed to search").iter().map(|found| found.message.id).collect()
    };
    let all = Search::default();
    assert_eq!(search(all), [1, 2, 3]);
    assert_eq!(search(Search { session: Some("a"), ..all }), [1, 2]);
    assert_eq!(search(Search { session: Some("unknown"), ..all }), [0_i64; 0]);
    assert_eq!(search(Search { except: Some("a"), ..all }), [3]);
    assert_eq!(search(Search { except: Some("unknown"), ..all }), [1, 2, 3]);
    assert_eq!(search(Search { kinds: &[MessageKind::User, MessageKind::Results], ..all }), [1, 3]);
    let later = middle + Duration::from_millis(2);
    assert_eq!(search(Search { after: Some(later), ..all }), [3]);
    assert_eq!(search(Search { before: Some(later), kinds: &[MessageKind::Model], ..all }), [2]);
    let last: Vec<i64> = sessions.last_messages("a", 1).expect("failed to read").iter().map(|m| m.id).collect();
    assert_eq!(last, [2]);
}

#[test]
fn a_message_is_not_added_after_another_one_than_its_writer_knows() {
    let (_folder, sessions) = store();
    let name = start(&sessions, "a");
    let first = sessions.append(&name, &new(MessageKind::User, "a")).expect("failed to add");
    let after =
        |after, text| sessions.append(&name, &NewMessage { after: Some(after), ..new(MessageKind::User, text) });
    let second = after(first, "b").expect("it follows the last message");
    let error = after(first, "c").expect_err("another message is the last one").to_string();
    assert!(error.starts_with("another program has added messages to the conversation a in "), "{error}");
    after(second, "c").expect("it follows the last message");
    let texts: Vec<_> = sessions.messages(&name).expect("failed to read").into_iter().map(|m| m.text).collect();
    assert_eq!(texts, ["a", "b", "c"]);
}

#[test]
fn a_copy_has_the_same_messages_and_a_summary_that_refers_to_its_own() {
    let (_folder, sessions) = store();
    let name = start(&sessions, "a");
    let tokens = Some(TokenCounts { input: 10, cached: 4, output: 3 });
    sessions.append(&name, &new(MessageKind::User, "a")).expect("failed to add");
    let kept = sessions
        .append(&name, &NewMessage { tokens, api: Some("chat"), ..new(MessageKind::Model, "b") })
        .expect("failed to add");
    for keeps_from in [Some(kept), Some(i64::MAX)] {
        sessions.append(&name, &NewMessage { keeps_from, ..new(MessageKind::Summary, "s") }).expect("failed to add");
    }
    sessions.set_state(&name, "{\"todo\":1}").expect("failed to set");
    sessions.copy(&name, "b").expect("failed to copy");
    assert_eq!(sessions.state("b").expect("failed to read").as_deref(), Some("{\"todo\":1}"));
    let [old, new] = [&*name, "b"].map(|name| sessions.messages(name).expect("failed to read"));
    assert_eq!((new.len(), &*new[0].session), (4, "b"));
    for (old, new) in old.iter().zip(&new) {
        assert_eq!(old.api, new.api);
        assert_eq!((&old.text, old.kind, old.time, old.tokens), (&new.text, new.kind, new.time, new.tokens));
    }
    assert_eq!(new.iter().map(|m| m.keeps_from).collect::<Vec<_>>(), [None, None, Some(new[1].id), Some(i64::MAX)]);
    let found = sessions.search(&Search { query: "a", limit: 10, ..Search::default() }).expect("failed to search");
    assert_eq!(found.len(), 2, "a copy is searched, too");
    assert!(sessions.copy(&name, "b").is_err(), "the name is taken");
    assert!(sessions.copy("unknown", "c").is_err());
    assert_eq!(sessions.list(10).expect("failed to read").len(), 2, "a copy that failed leaves nothing");
}

/// Returns a record of a call.
fn call<'a>(call: &'a str, inside: Option<&'a str>, tool: &'a str) -> NewCall<'a> {
    NewCall { call, inside, tool, began: SystemTime::UNIX_EPOCH + Duration::from_secs(7), details: r#"{"sent":"{}"}"# }
}

fn names(found: &[CallName]) -> Vec<(&str, &str)> {
    found.iter().map(|found| (&*found.session, &*found.call)).collect()
}

#[test]
fn records_of_calls_are_added_with_a_message_or_not_at_all() {
    let (_folder, sessions) = store();
    let name = start(&sessions, "20260301-a");
    let user = sessions.append(&name, &new(MessageKind::User, "a")).expect("failed to add");
    let calls = [call("call_1/1", Some("call_1"), "read_file"), call("call_1", None, "execute_code")];
    let results = NewMessage { calls: &calls, after: Some(user), ..new(MessageKind::Results, "b") };
    sessions.append(&name, &results).expect("failed to add");
    sessions.append(&name, &results).expect_err("another message is the last one");
    let [outer] = &sessions.calls(&name, "call_1").expect("failed to read")[..] else { panic!("one record") };
    assert_eq!((&*outer.session, &*outer.tool, &outer.inside), (&*name, "execute_code", &None));
    assert_eq!((&*outer.details, outer.began), (r#"{"sent":"{}"}"#, SystemTime::UNIX_EPOCH + Duration::from_secs(7)));
    let inside = sessions.calls_inside(&name, "call_1").expect("failed to read");
    assert_eq!(inside.iter().map(|call| &*call.call).collect::<Vec<_>>(), ["call_1/1"]);
    sessions.add_calls(&name, &[call("call_2", None, "look")]).expect("failed to add");
    assert!(sessions.add_calls("missing", &calls).is_err());
    sessions.copy(&name, "20260302-b").expect("failed to copy");
    assert!(sessions.remove(&name).expect("failed to remove"));
    assert_eq!(sessions.calls(&name, "call_1").expect("failed to read"), []);
    assert_eq!(names(&sessions.find_calls("call_2", None).expect("failed to read")), [("20260302-b", "call_2")]);
}

#[test]
fn a_call_is_found_by_the_beginning_of_its_id_with_or_without_a_record() {
    let (_folder, sessions) = store();
    assert_eq!(sessions.find_calls("call", None).expect("a missing file is empty"), []);
    let (old, new_one) = (start(&sessions, "20260301-a"), start(&sessions, "20260302-b"));
    let details = r#"[{"id":"call_10","name":"look","arguments":"{}"}]"#;
    let answer = NewMessage { details, ..new(MessageKind::Model, "[calls look {}]") };
    let results = NewMessage { details: r#"[{"id":"call_10","json":"1"}]"#, ..new(MessageKind::Results, "1") };
    let damaged = NewMessage { details: "{", ..new(MessageKind::Model, "no calls") };
    for message in [&damaged, &answer, &results] {
        sessions.append(&old, message).expect("failed to add");
    }
    let records = [call("call_1", None, "find"), call("call_10", None, "look")];
    sessions.append(&new_one, &NewMessage { calls: &records, ..answer }).expect("failed to add");
    let find = |call: &str, session: Option<&str>| sessions.find_calls(call, session).expect("failed to read");
    assert_eq!(names(&find("call_1", None)), [("20260302-b", "call_1")], "a complete id");
    let mut both = find("call_10", None);
    both.sort_by(|a, b| a.session.cmp(&b.session));
    assert_eq!(names(&both), [("20260301-a", "call_10"), ("20260302-b", "call_10")], "each once");
    assert_eq!((&*both[0].tool, names(&find("call_1", Some("20260301-a")))), ("look", vec![("20260301-a", "call_10")]));
    assert_eq!(find("", None).len(), 3);
    assert_eq!(find("all_1", None), []);
    let kinds: Vec<_> = sessions.messages_of_call(&old, "call_10").expect("failed to read");
    let kinds: Vec<_> = kinds.iter().map(|message| message.kind).collect();
    assert_eq!(kinds, [MessageKind::Model, MessageKind::Results]);
}
