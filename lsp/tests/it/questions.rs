//! Completion, hover, navigation, symbols and lenses.

use serde_json::{Value, json};

use crate::client::{Client, position, uri};
use crate::{FETCH, TOOL, codes, opened};

fn labels(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect()
}

#[test]
fn completion_knows_the_keys_the_words_and_the_names() {
    let (_folder, mut client, uri) = opened();
    let texts = [
        ("execu|", "execution", "name"),
        ("toolset = \"|", "net", "ping"),
        ("execution = \"|", "blocking", "net"),
        ("[requires]\nany_tools = [\"|", "fetch", "net"),
        ("[requires]\nwhen = \"facts.|", "online", "ping"),
        ("[requires]\nwhen = \"not tools.|", "fetch", "online"),
        ("description = \"Do {% if |", "tools.", "name"),
        ("description = \"Do `|", "fetch", "net"),
        ("[params.a]\ntype = \"|", "string", "net"),
        ("[params.a]\nmin|", "minLength", "type"),
        ("[params.a]\nrequired = |", "true", "net"),
        ("[params.a]\n[requires]\nparallel = 1\n|", "any_tools", "tools.x"),
        ("[annot|", "annotations", "name"),
        ("parallel_key = \"|\"\n[params.alpha]\ntype = \"string\"\n", "alpha", "net"),
        ("[dialect.|", "anthropic", "name"),
        ("[schema.\"$defs\".point]\n[params.a]\n\"$ref\" = \"|", "#/$defs/point", "net"),
    ];
    for (version, (text, wanted, unwanted)) in (2..).zip(texts) {
        let answer = client.ask("textDocument/completion", &uri, version, text);
        let labels = labels(&answer);
        assert!(labels.contains(&wanted) && !labels.contains(&unwanted), "{text}: {labels:?}");
    }
}

#[test]
fn keys_that_are_written_are_not_offered_again() {
    let (_folder, mut client, uri) = opened();
    let answer = client.ask("textDocument/completion", &uri, 2, "name = \"ping\"\n|\ntoolset = \"net\"\n");
    assert!(!labels(&answer).contains(&"name") && !labels(&answer).contains(&"toolset"), "{answer}");
    assert!(labels(&answer).contains(&"description"));
}

#[test]
fn hover_shows_the_definition_the_tokens_and_why_a_tool_is_hidden() {
    let (folder, mut client, uri) = opened();
    let fetch = self::uri(folder.path(), "manifests/tools/fetch.toml");
    client.open(&fetch, FETCH);
    client.findings(&fetch, 1, <[Value]>::is_empty);
    // The graph is compiled after the findings of the file.
    let mut text = Value::Null;
    for _ in 0..600 {
        text = client.result("textDocument/hover", position(&fetch, FETCH, FETCH.find("fetch").unwrap()))["contents"]["value"].clone();
        if text.as_str().is_some_and(|text| text.contains("tokens")) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let text = text.as_str().unwrap();
    for part in [
        "tool `fetch` of the toolset `net`",
        "\"parameters\"",
        "tokens",
        "in openai",
        "in anthropic",
        "Hidden",
        "facts.online",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let key = client.result("textDocument/hover", position(&uri, TOOL, TOOL.find("required").unwrap()));
    assert!(key["contents"]["value"].as_str().unwrap().contains("must send the parameter"), "{key}");
    client.change(&uri, 2, &TOOL.replace("toolset", "tolset"));
    let found = client.findings(&uri, 2, |found| codes(found).contains(&"unknown-key".to_owned()));
    let at = found.iter().find(|found| found["code"] == "C002 unknown-key").unwrap()["range"]["start"].clone();
    let explained = client.result("textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": at }));
    assert!(explained["contents"]["value"].as_str().unwrap().contains("Why is this bad"), "{explained}");
    // The definition still comes from the last graph without errors.
    let kept = client.result("textDocument/hover", position(&fetch, FETCH, FETCH.find("`ping`").unwrap() + 2));
    assert!(kept["contents"]["value"].as_str().unwrap().contains("tool `ping`"), "{kept}");
}

#[test]
fn definitions_and_references_cross_the_graph_and_reach_the_handler() {
    let (folder, mut client, uri) = opened();
    let fetch = self::uri(folder.path(), "manifests/tools/fetch.toml");
    client.open(&fetch, FETCH);
    let go = |client: &mut Client, uri: &str, text: &str, at: usize| {
        let found = client.result("textDocument/definition", position(uri, text, at));
        found[0]["uri"].as_str().unwrap_or_default().to_owned()
    };
    for wanted in ["tools.ping", "`ping`", "[\"ping\"]"] {
        let at = FETCH.find(wanted).unwrap() + wanted.find("ping").unwrap() + 1;
        assert_eq!(go(&mut client, &fetch, FETCH, at), uri, "{wanted}");
    }
    let set = go(&mut client, &uri, TOOL, TOOL.find("\"net").unwrap() + 1);
    assert!(set.ends_with("manifests/toolsets/net.toml"));
    let fact = go(&mut client, &fetch, FETCH, FETCH.find("online").unwrap());
    assert!(fact.ends_with("manifests/facts.toml"));
    let handler = go(&mut client, &uri, TOOL, TOOL.find("ping").unwrap());
    assert!(handler.ends_with("src/lib.rs"), "{handler}");
    let mut params = position(&uri, TOOL, TOOL.find("ping").unwrap());
    params["context"] = json!({ "includeDeclaration": false });
    let found = client.result("textDocument/references", params);
    assert_eq!(found.as_array().unwrap().len(), 4, "{found}");
}

#[test]
fn symbols_of_a_file_and_of_all_projects() {
    let (_folder, mut client, uri) = opened();
    let of_file = client.result("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    assert_eq!((&of_file[0]["name"], &of_file[0]["children"][0]["name"]), (&json!("ping"), &json!("host")));
    let all = client.result("workspace/symbol", json!({ "query": "FET" }));
    assert_eq!((all.as_array().unwrap().len(), &all[0]["name"]), (1, &json!("fetch")));
}

#[test]
fn a_lens_shows_the_tokens() {
    let (folder, mut client, uri) = opened();
    let mut titles = [Value::Null, Value::Null];
    let set = self::uri(folder.path(), "manifests/toolsets/net.toml");
    client.open(&set, crate::TOOLSET);
    for _ in 0..600 {
        titles = [&uri, &set].map(|uri| {
            client.result("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }))[0]["command"]["title"]
                .clone()
        });
        if titles.iter().all(Value::is_string) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(titles[0].as_str().unwrap().contains("in openai"), "{titles:?}");
    assert!(titles[1].as_str().unwrap().starts_with("2 tools, about "), "{titles:?}");
}
