//! Findings, fixes, formatting and rename.

use serde_json::{Value, json};

use crate::client::{position, uri};
use crate::{FETCH, TOOL, codes, opened};

#[test]
fn findings_of_a_file_come_before_the_findings_of_the_graph() {
    let (folder, mut client, uri) = opened();
    let text = TOOL.replace("\"string\"", "\"strin\"");
    client.change(&uri, 2, &text);
    let found = client.findings(&uri, 2, |found| !found.is_empty());
    assert!(codes(&found).contains(&"unknown-type".to_owned()), "{found:?}");
    // `fetch` and the toolset `web` name a tool that is gone.
    client.change(&uri, 3, &TOOL.replace("name = \"ping\"", "name = \"pong\""));
    let own = client.findings(&uri, 3, |found| !found.is_empty());
    assert_eq!(codes(&own), ["file-name-mismatch"]);
    client.change(&uri, 4, TOOL);
    client.findings(&uri, 4, <[Value]>::is_empty);
    let fetch = self::uri(folder.path(), "manifests/tools/fetch.toml");
    client.open(&fetch, &FETCH.replace("tools = [\"ping\"]", "tools = [\"pin\"]"));
    let found = client.findings(&fetch, 1, |found| !found.is_empty());
    assert!(found[0]["message"].as_str().unwrap().contains("ping"), "{found:?}");
}

#[test]
fn findings_never_belong_to_an_old_version() {
    let (_folder, mut client, uri) = opened();
    for version in 2..40 {
        let text = if version % 2 == 0 { TOOL.replace("toolset", "tolset") } else { TOOL.to_owned() };
        client.change(&uri, version, &text);
        let found = client.findings(&uri, version, |_| true);
        assert_eq!(found.is_empty(), version % 2 == 1, "version {version}: {found:?}");
    }
}

#[test]
fn a_fix_is_an_action_and_all_of_them_are_one() {
    let (_folder, mut client, uri) = opened();
    let text = TOOL.replace("Check whether", " Check whether").replace("of the host.", "of the host. ");
    client.change(&uri, 2, &text);
    let found = client.findings(&uri, 2, |found| !found.is_empty());
    assert_eq!(codes(&found), ["leading-or-trailing-space", "leading-or-trailing-space"]);
    let params =
        json!({ "textDocument": { "uri": uri }, "range": found[0]["range"], "context": { "diagnostics": [] } });
    let actions = client.result("textDocument/codeAction", params.clone());
    assert_eq!(actions[0]["kind"], "quickfix");
    assert_eq!(actions[1]["kind"], "source.fixAll");
    let edits = actions[1]["edit"]["documentChanges"][0].clone();
    assert_eq!(edits["textDocument"], json!({ "uri": uri, "version": 2 }));
    assert_eq!(edits["edits"].as_array().unwrap().len(), 2);
    assert_eq!(applied(&text, &edits["edits"]), TOOL);
    let mut only = params;
    only["context"]["only"] = json!(["source"]);
    assert_eq!(client.result("textDocument/codeAction", only).as_array().unwrap().len(), 1);
}

#[test]
fn formatting_does_what_the_compiler_does() {
    let (_folder, mut client, uri) = opened();
    let text = TOOL.replace("name = \"ping\"", "name   =   \"ping\"");
    client.change(&uri, 2, &text);
    let params = json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 2, "insertSpaces": true } });
    let edits = client.result("textDocument/formatting", params.clone());
    assert_eq!(applied(&text, &edits), TOOL);
    client.change(&uri, 3, "name = = ");
    assert_eq!(client.result("textDocument/formatting", params), json!([]));
}

#[test]
fn a_tool_is_renamed_in_manifests_and_texts_and_keeps_an_alias() {
    let (folder, mut client, uri) = opened();
    let mut params = position(&uri, TOOL, TOOL.find("ping").unwrap());
    params["newName"] = json!("probe");
    let changes = client.result("textDocument/rename", params)["documentChanges"].clone();
    let of = |path: &str| {
        let uri = self::uri(folder.path(), path);
        changes
            .as_array()
            .unwrap()
            .iter()
            .find(|change| change["textDocument"]["uri"] == uri)
            .map(|change| change["edits"].clone())
    };
    let tool = applied(TOOL, &of("manifests/tools/ping.toml").unwrap());
    assert!(tool.contains("name = \"probe\"") && tool.contains("aliases = [\"ping\"]"), "{tool}");
    let fetch = applied(FETCH, &of("manifests/tools/fetch.toml").unwrap());
    assert!(fetch.contains("tools.probe") && fetch.contains("`probe`") && fetch.contains("[\"probe\"]"), "{fetch}");
    assert!(applied(crate::ALL, &of("manifests/toolsets/web.toml").unwrap()).contains("tools = [\"probe\"]"));
    let moved = changes.as_array().unwrap().last().unwrap();
    assert_eq!(moved["newUri"], self::uri(folder.path(), "manifests/tools/probe.toml"));
}

#[test]
fn a_parameter_is_renamed_in_its_file() {
    let (_folder, mut client, uri) = opened();
    let text = TOOL.replace("whether a host answers", "whether `host` answers");
    client.change(&uri, 2, &text);
    let mut params = position(&uri, &text, text.find("params.host").unwrap() + 8);
    params["newName"] = json!("target");
    let changes = client.result("textDocument/rename", params)["documentChanges"].clone();
    let new = applied(&text, &changes[0]["edits"]);
    assert!(
        new.contains("[params.target]") && new.contains("`target`") && new.contains("aliases = [\"host\"]"),
        "{new}"
    );
}

#[test]
fn a_refused_rename_says_why() {
    let (folder, mut client, uri) = opened();
    let at = |text: &str, wanted: &str| position(&uri, text, text.find(wanted).unwrap());
    for (wanted, new, why) in [
        ("ping", "fetch", "exists already"),
        ("ping", "a b", "not a name"),
        ("ping", "tool_search", "reserved"),
        ("ping", "ping", "already"),
        ("true", "x", "no tool, toolset or parameter"),
    ] {
        let mut params = at(TOOL, wanted);
        params["newName"] = json!(new);
        let answer = client.request("textDocument/rename", params);
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains(why)), "{new}: {answer}");
    }
    let facts = self::uri(folder.path(), "manifests/facts.toml");
    client.open(&facts, crate::FACTS);
    let place = position(&facts, crate::FACTS, crate::FACTS.find("online").unwrap());
    let answer = client.request("textDocument/prepareRename", place);
    assert!(answer["error"]["message"].as_str().unwrap().contains("only tools, toolsets and parameters"), "{answer}");
}

/// Applies edits in UTF-16 positions.
pub(crate) fn applied(text: &str, edits: &Value) -> String {
    let offset = |place: &Value| {
        let number = |key: &str| usize::try_from(place[key].as_u64().unwrap()).unwrap();
        let start: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
        let mut units = 0;
        let letters = text[start..].chars().take_while(|letter| {
            let is_before = units < number("character");
            units += letter.len_utf16();
            is_before
        });
        start + letters.map(char::len_utf8).sum::<usize>()
    };
    let mut spans: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]), edit["newText"].as_str().unwrap()))
        .collect();
    spans.sort_unstable();
    let mut out = text.to_owned();
    for (start, end, new) in spans.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}
