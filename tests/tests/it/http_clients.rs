//! Addresses that a model, a page or a server has named are fetched by `toolc-net` only, which checks where they lead.
//!
//! A crate with another HTTP client has a line with the reason in [`CLIENTS`].

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ignore::WalkBuilder;
use toml::{Table, Value};

/// Crates that send requests over HTTP, or open a `WebSocket`. A crate for servers too is a client if a feature with this part is chosen.
const LIBRARIES: &[(&str, Option<&str>)] = &[
    ("async-tungstenite", None),
    ("attohttpc", None),
    ("awc", None),
    ("chttp", None),
    ("curl", None),
    ("ehttp", None),
    ("h2", None),
    ("h3", None),
    ("hreq", None),
    ("http_req", None),
    ("hyper", Some("client")),
    ("hyper", Some("full")),
    ("hyper-rustls", None),
    ("hyper-tls", None),
    ("hyper-util", Some("client")),
    ("hyper-util", Some("full")),
    ("isahc", None),
    ("minreq", None),
    ("oauth2", None),
    ("octocrab", None),
    ("reqwest", None),
    ("reqwest-eventsource", None),
    ("reqwest-middleware", None),
    ("rmcp", Some("http-client")),
    ("surf", None),
    ("tokio-tungstenite", None),
    ("tungstenite", None),
    ("ureq", None),
    ("wreq", None),
];

/// The clients in this project: the folder of the crate, the library, and why it does not use `toolc-net`.
const CLIENTS: &[(&str, &str, &str)] = &[
    ("net", "ureq", "it is `toolc-net`"),
    (
        "environment",
        "ureq",
        "the API of Daytona, at the address that a person has configured: it deletes sandboxes with DELETE, which `toolc-net` has no use for",
    ),
    ("host", "ureq", "only the example hosts, which show each vendor's API with nothing but a client and the runtime"),
    (
        "model",
        "reqwest",
        "answers of the configured server are streamed, and a request ends when its future is dropped, which a blocking client cannot do",
    ),
    ("mcp", "rmcp", "the transport to configured servers: a stream of events for as long as the connection lasts"),
    (
        "mcp",
        "reqwest",
        "the library of that transport; `web.rs` checks the addresses that a server names for OAuth before each connection",
    ),
];

/// Returns the libraries in a manifest that are clients.
fn clients(manifest: &Table, workspace: &Table) -> BTreeSet<&'static str> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let tables = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table).chain([manifest]);
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let dependencies = tables.flat_map(|table| kinds.into_iter().filter_map(|kind| table.get(kind)?.as_table()));
    dependencies.flatten().filter_map(|(key, value)| client(key, value, workspace)).collect()
}

fn client(key: &str, value: &Value, workspace: &Table) -> Option<&'static str> {
    let shared = value.get("workspace").and_then(|_| workspace.get(key));
    let sources = [Some(value), shared];
    let package = sources.iter().flatten().find_map(|source| source.get("package")?.as_str()).unwrap_or(key);
    let lists = sources.iter().flatten().filter_map(|source| source.get("features")?.as_array());
    let features: Vec<&str> = lists.flatten().filter_map(Value::as_str).collect();
    let is_chosen = |part: Option<&str>| part.is_none_or(|part| features.iter().any(|name| name.contains(part)));
    LIBRARIES.iter().find(|(name, part)| *name == package && is_chosen(*part)).map(|(name, _)| *name)
}

fn read(path: &Path) -> Table {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_http_client_has_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the folder exists");
    let workspace = read(&root.join("Cargo.toml"));
    let workspace = workspace["workspace"]["dependencies"].as_table().expect("a table");
    let mut rows: BTreeSet<(String, &str)> =
        CLIENTS.iter().map(|(folder, library, _)| ((*folder).to_owned(), *library)).collect();
    let (mut problems, mut manifests) = (Vec::new(), 0);
    for file in WalkBuilder::new(&root).require_git(false).build().flatten() {
        if file.file_name() != "Cargo.toml" {
            continue;
        }
        manifests += 1;
        let folder = file.path().parent().and_then(|folder| folder.strip_prefix(&root).ok());
        let folder = folder.expect("the file is in the folder").display().to_string();
        for library in clients(&read(file.path()), workspace) {
            if !rows.remove(&(folder.clone(), library)) {
                problems.push(format!(
                    "{folder}/Cargo.toml: `{library}` is an HTTP client; use `toolc-net`, or add a line with the reason to `CLIENTS`"
                ));
            }
        }
    }
    assert!(manifests > 30, "{manifests}");
    problems.extend(
        rows.iter().map(|(folder, library)| format!("`CLIENTS`: `{folder}` does not use `{library}` any more")),
    );
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn http_clients_are_found_in_every_table() {
    let manifest = r#"
        [dependencies]
        ureq = "3"
        hyper = { workspace = true, features = ["http1", "server"] }
        hyper-util = { version = "0.1", features = ["client-legacy"] }
        shared.workspace = true
        url = "2"
        [dev-dependencies]
        attohttpc.workspace = true
        [target.'cfg(unix)'.build-dependencies]
        other = { package = "reqwest", version = "0.13" }
    "#;
    let workspace = r#"
        hyper = "1"
        attohttpc = "0.30"
        shared = { package = "rmcp", version = "3", features = ["transport-streamable-http-client-reqwest"] }
    "#;
    let parse = |text: &str| text.parse::<Table>().expect("it is TOML");
    let found: Vec<&str> = clients(&parse(manifest), &parse(workspace)).into_iter().collect();
    assert_eq!(found, ["attohttpc", "hyper-util", "reqwest", "rmcp", "ureq"]);
}
