//! Tests of the language server, driven by a client over standard input and output.

mod client;
mod editing;
mod extension;
mod life;
mod questions;
mod speed;

use std::fs;
use std::path::Path;

use client::{Client, uri};
use serde_json::{Value, json};
use tempfile::TempDir;

const PING: &str = "manifests/tools/ping.toml";

const TOOL: &str = r#"name = "ping"
toolset = "net"
description = "Check whether a host answers. Use it before `fetch`. Returns the round-trip time."

[annotations]
read_only = true

[params.host]
type = "string"
description = "The name or address of the host."
required = true
"#;

const FETCH: &str = r#"name = "fetch"
toolset = "net"
description = "Fetch a page of the web. Use it when the address is known{% if tools.ping %}, and `ping` the host first{% endif %}. Returns its text."

[annotations]
read_only = true

[requires]
tools = ["ping"]
when = "facts.online"

[params.url]
type = "string"
description = "The address of the page."
required = true
"#;

const TOOLSET: &str = "name = \"net\"\ndescription = \"Reach other hosts.\"\n";
const ALL: &str = "name = \"web\"\ndescription = \"The web.\"\ntools = [\"ping\"]\nincludes = [\"net\"]\n";
const FACTS: &str = "[facts.online]\ndefault = false\ndescription = \"Whether the network works.\"\n";
const HANDLER: &str = "struct Net;\nimpl NetTools for Net {\n    fn ping(&self) {}\n}\n";

/// Creates a project with two tools.
fn project() -> TempDir {
    let folder = TempDir::new().unwrap();
    write(folder.path());
    folder
}

fn write(root: &Path) {
    for (path, text) in [
        (PING, TOOL),
        ("manifests/tools/fetch.toml", FETCH),
        ("manifests/toolsets/net.toml", TOOLSET),
        ("manifests/toolsets/web.toml", ALL),
        ("manifests/facts.toml", FACTS),
        ("toolc.toml", "dialects = [\"openai\", \"anthropic\"]\n"),
        ("src/lib.rs", HANDLER),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Starts a server, and opens the tool `ping`.
fn opened() -> (TempDir, Client, String) {
    let folder = project();
    let (mut client, _) = Client::start(&editor());
    let uri = uri(folder.path(), PING);
    client.open(&uri, TOOL);
    client.findings(&uri, 1, <[Value]>::is_empty);
    (folder, client, uri)
}

/// Returns the capabilities of an editor.
fn editor() -> Value {
    json!({ "workspace": { "workspaceEdit": { "documentChanges": true, "resourceOperations": ["rename"] } } })
}

fn codes(found: &[Value]) -> Vec<String> {
    found.iter().map(|found| found["code"].as_str().unwrap().split(' ').next_back().unwrap().to_owned()).collect()
}
