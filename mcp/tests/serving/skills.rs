//! Skills that the server serves, with their entries, their files and their folders.

use std::io;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolc_mcp::server::{ServedFile, ServedSkill, SkillShelf};
use toolc_test_support::packages;

use crate::fixture::{Client, STATELESS, Serving};

/// The text of the `SKILL.md` of the skill `acme/notes`.
const NOTES: &str = "---\nname: notes\ndescription: Takes notes.\nmetadata:\n  version: \"2\"\n---\n\n# Notes\r\n";
/// The other files of that skill, with their media types.
const FILES: [(&str, &str, &[u8]); 5] = [
    ("templates/a.md", "text/markdown", b"a"),
    ("templates/de/b c#1.md", "text/markdown", "\u{feff}ä".as_bytes()),
    ("scripts/run.py", "text/x-python", b"print(1)\n"),
    ("logo.png", "image/png", b"\x89PNG\r\n\0\xff"),
    ("empty", "application/octet-stream", b""),
];
const NOTES_URI: &str = "skill://acme/notes/SKILL.md";

struct Shelf(Arc<[ServedSkill]>);

impl SkillShelf for Shelf {
    fn skills(&self) -> io::Result<Arc<[ServedSkill]>> {
        Ok(Arc::clone(&self.0))
    }

    fn read(&self, skill: &str, path: &str) -> io::Result<Vec<u8>> {
        match (skill, path) {
            ("acme/notes", "SKILL.md") => Ok(NOTES.into()),
            ("acme/notes", "scripts/run.py") => Err(io::ErrorKind::NotFound.into()),
            ("acme/notes", path) => {
                let file = FILES.iter().find(|(name, ..)| *name == path);
                Ok(file.expect("only listed files are read").2.to_vec())
            }
            _ => Err(io::Error::other("the disk is broken")),
        }
    }
}

fn front_matter(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("it is an object") };
    map
}

fn notes() -> ServedSkill {
    let front = json!({ "name": "notes", "description": "Takes notes.", "metadata": { "version": "2" } });
    let files = FILES.iter().map(|(path, media_type, bytes)| ServedFile::new(*path, *media_type, bytes));
    let main = ServedFile::new("SKILL.md", "text/plain", NOTES.as_bytes());
    ServedSkill::new("acme/notes", front_matter(front), files.chain([main]).collect()).expect("it is valid")
}

/// Returns a skill with this path and this number of files.
fn skill(path: &str, files: usize) -> ServedSkill {
    let name = path.rsplit('/').next().unwrap_or_default();
    let front = front_matter(json!({ "name": name, "description": "A skill." }));
    let files = (1..files).map(|n| ServedFile::new(n.to_string(), "text/plain", b""));
    let main = ServedFile::new("SKILL.md", "text/markdown", b"");
    ServedSkill::new(path, front, files.chain([main]).collect()).expect("it is valid")
}

async fn serve(skills: Vec<ServedSkill>) -> Serving {
    Serving::with(
        |server| server.shelf(Shelf(skills.into())),
        |access| toolc_mcp::server::HttpAccess { tokens: toolc_mcp::server::Tokens::default(), ..access },
    )
    .await
}

async fn send(serving: &Serving, method: &str, params: Value) -> Value {
    serving.stateless(Client::default(), method, params, json!({})).await.answer().await
}

/// Asks for all pages of a list.
async fn pages(serving: &Serving, method: &str, key: &str) -> (Vec<Value>, usize) {
    let (mut items, mut pages, mut params) = (Vec::new(), 0, json!({}));
    loop {
        let page = send(serving, method, params).await;
        items.extend(page["result"][key].as_array().unwrap_or_else(|| panic!("no {key}: {page}")).clone());
        pages += 1;
        match page["result"].get("nextCursor") {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => return (items, pages),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_is_listed_with_its_front_matter_and_a_digest_of_each_file() {
    let serving = serve(vec![notes(), skill("notes", 1)]).await;
    let discovered = send(&serving, "server/discover", json!({})).await;
    let extension = &discovered["result"]["capabilities"]["extensions"]["io.modelcontextprotocol/skills"];
    assert_eq!(*extension, json!({ "directoryRead": true }), "{discovered}");
    let list = send(&serving, "skills/list", json!({})).await["result"].take();
    assert_eq!(
        (&list["resultType"], &list["ttlMs"], &list["cacheScope"]),
        (&json!("complete"), &json!(0), &json!("private"))
    );
    let entry = &list["skills"][0];
    let front = json!({ "name": "notes", "description": "Takes notes.", "metadata": { "version": "2" } });
    assert_eq!((&entry["uri"], &entry["frontmatter"]), (&json!(NOTES_URI), &front));
    let resources = entry["resources"].as_array().expect("it has files");
    let uris: Vec<&str> = resources.iter().filter_map(|file| file["uri"].as_str()).collect();
    assert!(uris.len() == 6 && uris.contains(&"skill://acme/notes/templates/de/b%20c%231.md"), "{uris:?}");
    assert_eq!(list["skills"][1]["uri"], "skill://notes/SKILL.md");
    let got = send(&serving, "skills/get", json!({ "uri": NOTES_URI })).await["result"].take();
    assert_eq!((&got["skill"], &got["ttlMs"]), (entry, &json!(0)), "{got}");
    // Each file that can be read matches its entry.
    for file in resources.iter().filter(|file| !file["uri"].as_str().is_some_and(|uri| uri.ends_with(".py"))) {
        let read = send(&serving, "resources/read", json!({ "uri": file["uri"] })).await["result"].take();
        let content = &read["contents"][0];
        let bytes = match content["text"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => base64(content["blob"].as_str().expect("it has bytes")),
        };
        assert_eq!(
            (&content["uri"], bytes.len()),
            (&file["uri"], usize::try_from(file["size"].as_u64().unwrap_or(0)).unwrap_or(0))
        );
        assert_eq!(ServedFile::new("", "", &bytes).digest, file["digest"].as_str().unwrap_or_default(), "{read}");
        assert_eq!((&read["ttlMs"], &read["cacheScope"]), (&json!(0), &json!("private")));
    }
    let main = send(&serving, "resources/read", json!({ "uri": NOTES_URI })).await["result"]["contents"][0].take();
    assert_eq!((&main["text"], &main["mimeType"]), (&json!(NOTES), &json!("text/markdown")));
    let listed = send(&serving, "resources/list", json!({})).await["result"]["resources"][0].take();
    let resource = json!({
        "uri": NOTES_URI, "name": "notes", "description": "Takes notes.", "mimeType": "text/markdown", "size": NOTES.len(),
    });
    assert_eq!(listed, resource);
    serving.stop().await;
}

fn base64(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).expect("it is base64")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_a_skill_has_its_children_and_nothing_else_is_a_folder() {
    let serving = serve(vec![skill("acme", 2), notes()]).await;
    let folder = async |uri: &str| {
        let answer = send(&serving, "resources/directory/read", json!({ "uri": uri })).await;
        let children = answer["result"]["resources"].as_array().cloned().unwrap_or_else(|| panic!("{answer}"));
        let name = |child: &Value| {
            format!("{} {}", child["name"].as_str().unwrap_or("?"), child["mimeType"].as_str().unwrap_or("?"))
        };
        children.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(
        folder("skill://acme/notes").await,
        [
            "SKILL.md text/markdown",
            "empty application/octet-stream",
            "logo.png image/png",
            "scripts inode/directory",
            "templates inode/directory"
        ]
    );
    assert_eq!(folder("skill://acme/notes/templates").await, ["a.md text/markdown", "de inode/directory"]);
    assert_eq!(folder("skill://acme/notes/templates/de").await, ["b c#1.md text/markdown"]);
    assert_eq!(folder("skill://acme").await, ["1 text/plain", "SKILL.md text/markdown"]);
    for uri in [
        NOTES_URI,
        "skill://acme/notes/",
        "skill://acme/notes/templates/",
        "skill://acme/notes/temp",
        "skill://acme/notes/templates/..",
        "skill://acme/notes/../notes",
        "skill://acme/note",
        "skill://acme/notes-2",
        "skill://other",
        "skill://",
        "file:///etc",
        "",
    ] {
        let refused = send(&serving, "resources/directory/read", json!({ "uri": uri })).await;
        assert_eq!(refused["error"]["code"], -32602, "{uri}: {refused}");
    }
    let cursor = json!({ "uri": "skill://acme", "cursor": "1" });
    assert_eq!(send(&serving, "resources/directory/read", cursor).await["error"]["code"], -32602);
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_skills_and_odd_addresses_are_errors_of_the_protocol() {
    let serving = serve(vec![notes(), skill("broken", 1)]).await;
    for uri in [
        "skill://acme/notes/other.md",
        "skill://acme/notes/../notes/SKILL.md",
        "skill://acme/notes/%53KILL.md",
        "skill://acme/notes/%2e%2e/SKILL.md",
        "skill://acme/notes/templates/de/b c#1.md",
        "skill://acme/notes/SKILL.md?x",
        "skill://acme/notes/SKILL.md#x",
        "skill://acme/notes//SKILL.md",
        "skill://ACME/notes/SKILL.md",
        "skill://acme/notes/scripts/run.py",
        "skill://acme/notes/templates",
        "skill://",
        "skill:",
        "file:///etc/passwd",
        "toolc-result:0",
        "",
    ] {
        let refused = send(&serving, "resources/read", json!({ "uri": uri })).await;
        assert_eq!(
            (&refused["error"]["code"], &refused["error"]["data"]["uri"]),
            (&json!(-32602), &json!(uri)),
            "{refused}"
        );
        let refused = send(&serving, "skills/get", json!({ "uri": uri })).await;
        assert_eq!(refused["error"]["code"], -32602, "{uri}: {refused}");
    }
    let broken = send(&serving, "resources/read", json!({ "uri": "skill://broken/SKILL.md" })).await;
    assert_eq!(broken["error"]["code"], -32603, "{broken}");
    for (method, params) in [
        ("skills/get", json!({})),
        ("skills/get", json!({ "uri": 7 })),
        ("skills/list", json!({ "cursor": "1-0" })),
        ("resources/list", json!({ "cursor": "1-0" })),
        ("resources/directory/read", json!({})),
    ] {
        let refused = send(&serving, method, params.clone()).await;
        assert_eq!(refused["error"]["code"], -32602, "{method} {params}: {refused}");
    }
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_have_every_skill_once_and_no_page_is_large() {
    let large = (0..30).map(|n| skill(&format!("large/s{n}"), 512));
    let skills: Vec<ServedSkill> = large.chain((0..300).map(|n| skill(&format!("small/s{n}"), 1))).collect();
    let twice = skill("small/s7", 2);
    let serving = serve(skills.into_iter().chain([twice]).collect()).await;
    let (skills, count) = pages(&serving, "skills/list", "skills").await;
    let uris: std::collections::BTreeSet<&str> = skills.iter().filter_map(|skill| skill["uri"].as_str()).collect();
    assert_eq!((skills.len(), uris.len(), count), (330, 330, 4 + 3));
    let first = send(&serving, "skills/list", json!({})).await;
    assert!(first.to_string().len() < 1 << 20, "{}", first.to_string().len());
    let (resources, count) = pages(&serving, "resources/list", "resources").await;
    assert_eq!((resources.len(), count), (330, 2));
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_has_skills_without_what_its_version_does_not_know() {
    let serving = serve(vec![notes()]).await;
    let session = serving.initialize(None, json!({})).await;
    let client = Client { token: None, session: Some(&session) };
    let request = |id: u32, method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let list = serving.post(client, &request(1, "skills/list", json!({}))).await.answer().await["result"].take();
    let keys: Vec<&str> = list.as_object().expect("it is an object").keys().map(String::as_str).collect();
    assert_eq!((keys, &list["skills"][0]["uri"]), (vec!["skills"], &json!(NOTES_URI)), "{list}");
    let read = serving.post(client, &request(2, "resources/read", json!({ "uri": NOTES_URI }))).await.answer().await;
    assert_eq!(read["result"]["contents"][0]["text"], NOTES);
    let unknown =
        serving.post(client, &request(3, "resources/read", json!({ "uri": "skill://x" }))).await.answer().await;
    assert_eq!(unknown["error"]["code"], -32002, "the code of that version: {unknown}");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_shelf_a_server_says_nothing_about_skills() {
    let serving = Serving::open().await;
    let discovered = send(&serving, "server/discover", json!({})).await;
    assert!(!discovered.to_string().contains("skills"), "{discovered}");
    for (method, params) in [
        ("skills/list", json!({})),
        ("skills/get", json!({ "uri": NOTES_URI })),
        ("skills/get", json!({})),
        ("resources/directory/read", json!({ "uri": "skill://acme/notes" })),
    ] {
        let refused = send(&serving, method, params).await;
        assert_eq!(refused["error"]["code"], -32601, "{method}: {refused}");
    }
    assert_eq!(send(&serving, "resources/read", json!({ "uri": NOTES_URI })).await["error"]["code"], -32602);
    assert_eq!(send(&serving, "resources/list", json!({})).await["result"]["resources"], json!([]));
    serving.stop().await;
}

#[test]
fn a_skill_with_a_mistake_cannot_be_served() {
    let front = |name: &str| front_matter(json!({ "name": name, "description": "A skill." }));
    let file = |path: &str| ServedFile::new(path, "text/plain", b"x");
    for (path, front, files, part) in [
        ("notes", front("other"), vec![file("SKILL.md")], "does not end in the frontmatter name"),
        ("notes", front_matter(json!({ "name": "notes" })), vec![file("SKILL.md")], "no text `description`"),
        ("notes", front_matter(json!({ "name": 7, "description": "x" })), vec![file("SKILL.md")], "no text `name`"),
        ("Notes", front("Notes"), vec![file("SKILL.md")], "invalid skill name"),
        ("notes", front("notes"), vec![], "does not list its own SKILL.md"),
        ("notes", front("notes"), vec![file("SKILL.md"), file("SKILL.md")], "twice"),
        ("notes", front("notes"), vec![file("SKILL.md"), file("../x")], "not"),
        ("notes", front("notes"), vec![file("SKILL.md"), file("a//b")], "not"),
        ("notes", front("notes"), vec![file("SKILL.md"), file("a\\b")], "not"),
        ("notes", front("notes"), vec![file("SKILL.md"), file("")], "not"),
        ("../notes", front("notes"), vec![file("SKILL.md")], "not a name"),
        ("/notes", front("notes"), vec![file("SKILL.md")], "not a name"),
        ("", front("notes"), vec![file("SKILL.md")], "does not end in"),
    ] {
        let refused = ServedSkill::new(path, front, files).expect_err(path).to_string();
        assert!(refused.contains(part) && refused.contains(&format!("`{path}`")), "{path}: {refused}");
    }
}

/// A client of `FastMCP`, which lists the skills, and reads all files and checks them.
const FASTMCP_CLIENT: &str = r#"
import asyncio, base64, hashlib, sys
from fastmcp import Client
from fastmcp.skills import SkillsClientExtension

async def main():
    async with Client(sys.argv[1], extensions=[SkillsClientExtension()]) as client:
        for skill in await client.list_skills():
            assert await client.get_skill(skill.uri) == skill
            for file in skill.resources:
                content = (await client.read_resource(file.uri))[0]
                data = content.text.encode() if hasattr(content, "text") else base64.b64decode(content.blob)
                assert len(data) == file.size, file
                assert "sha256:" + hashlib.sha256(data).hexdigest() == file.digest, file
            print(skill.frontmatter.name, skill.frontmatter.description, len(skill.resources))

asyncio.run(main())
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_fastmcp_lists_and_verifies_every_file() {
    let python = match packages::python("fastmcp", "fastmcp-slim[client,server]==4.1.6\n") {
        Ok(python) => python,
        Err(why) => return packages::missing("no FastMCP", &why),
    };
    let mut readable = FILES.to_vec();
    readable.retain(|(path, ..)| !path.ends_with(".py"));
    let main = ServedFile::new("SKILL.md", "text/markdown", NOTES.as_bytes());
    let files =
        readable.iter().map(|(path, media_type, bytes)| ServedFile::new(*path, *media_type, bytes)).chain([main]);
    let front = front_matter(json!({ "name": "notes", "description": "Takes notes.", "metadata": { "version": "2" } }));
    let skill = ServedSkill::new("acme/notes", front, files.collect()).expect("it is valid");
    let serving = serve(vec![skill]).await;
    let url = serving.url();
    let output = tokio::task::spawn_blocking(move || {
        std::process::Command::new(python).args(["-c", FASTMCP_CLIENT, &url]).output().expect("Python starts")
    });
    let output = output.await.expect("it does not panic");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "notes Takes notes. 5", "{STATELESS}: {error}");
    serving.stop().await;
}
