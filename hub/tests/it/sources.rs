//! Each source as it publishes.

use serde_json::{Value, json};
use toolc_hub::{GitId, HubError, Identifier, SourceError, SourceFault, SourceKind, Trust};

use super::github::{bundle, files, skill};
use super::home::{Home, id};
use super::server::{Reply, Server};

fn fetch_fault(home: &Home, text: &str) -> SourceFault {
    match home.hub().preview(&id(text)) {
        Err(HubError::Source(SourceError { fault, .. })) => fault,
        other => panic!("{text}: {other:?}"),
    }
}

/// Three skills as the official repositories have them, and one of a fixture.
fn repository() -> Vec<(&'static str, String)> {
    vec![
        ("README.md", "read me".to_owned()),
        ("skills/.curated/pdf/SKILL.md", skill("pdf", "Reads PDF files", "# PDF")),
        ("skills/.curated/pdf/scripts/run.sh", "#!/bin/sh\n".to_owned()),
        ("skills/.system/plan/SKILL.md", skill("plan", "Makes plans", "# Plan")),
        ("other/deep/odd/SKILL.md", skill("odd", "Is odd", "# Odd")),
        ("more/odd/SKILL.md", skill("odd", "Is odd, too", "# Odd")),
        ("skills.sh.json", json!({ "groupings": [{ "title": "Documents", "skills": ["pdf"] }] }).to_string()),
    ]
}

fn home_with(repository: &str, list: &[(&str, String)]) -> Home {
    let home = Home::new();
    let list: Vec<(&str, &str)> = list.iter().map(|(path, text)| (*path, text.as_str())).collect();
    home.repositories.commit(repository, files(&list));
    home
}

#[test]
fn a_skill_of_a_repository_is_found_by_its_name_or_its_path() {
    let home = home_with("o/r", &repository());
    for (text, folder) in [
        ("o/r/pdf", "skills/.curated/pdf"),
        ("github:o/r/skills/.curated/pdf", "skills/.curated/pdf"),
        ("o/r/plan", "skills/.system/plan"),
        ("o/r/more/odd@main", "more/odd"),
        ("o/r/deep/odd", "other/deep/odd"),
    ] {
        let fetched = home.hub().preview(&id(text)).expect(text).fetched;
        assert_eq!(fetched.origin.path, folder, "{text}");
        assert_eq!(fetched.origin.version, format!("{:040x}", 1), "{text}");
        assert_eq!(fetched.origin.tree, Some(fetched.bundle.tree()), "{text}");
        let Identifier::GitHub { path, reference, .. } = &fetched.origin.id else { panic!("{text}") };
        assert_eq!((path.as_str(), reference.is_some()), (folder, text.contains('@')), "{text}");
        // An instance on this machine has no trusted repositories.
        assert_eq!(fetched.origin.trust, Trust::Community);
    }
    let SourceFault::Several(found) = fetch_fault(&home, "o/r/odd") else { panic!("two skills have the name") };
    assert_eq!(found, [id("o/r/more/odd"), id("o/r/other/deep/odd")]);
    assert!(matches!(fetch_fault(&home, "o/r/nothing"), SourceFault::NotFound(_)));
    assert!(matches!(fetch_fault(&home, "o/missing/pdf"), SourceFault::NotFound(_)));
    assert!(matches!(fetch_fault(&home, "o/r/pdf@branch"), SourceFault::NotFound(_)));
}

#[test]
fn a_skill_of_a_repository_needs_few_requests() {
    let home = home_with("o/r", &repository());
    home.hub().preview(&id("o/r/pdf")).expect("it exists");
    let paths: Vec<String> = home.server.requests().into_iter().map(|request| request.path).collect();
    let commit = format!("{:040x}", 1);
    assert_eq!(
        paths[..2],
        ["/api/v3/repos/o/r/commits/HEAD".to_owned(), format!("/api/v3/repos/o/r/git/trees/{commit}")]
    );
    assert_eq!(paths.len(), 4, "{paths:?}");
    assert!(paths[2..].iter().all(|path| path.starts_with(&format!("/raw/o/r/{commit}/"))), "{paths:?}");
    let modes: Vec<bool> = {
        let fetched = home.hub().preview(&id("o/r/pdf")).expect("it exists").fetched;
        fetched.bundle.files().iter().map(|file| file.is_executable).collect()
    };
    assert_eq!(modes, [false, true]);
}

#[test]
fn a_repository_is_searched_by_names_descriptions_and_groups() {
    let home = home_with("openai/skills", &repository());
    home.repositories.commit("anthropics/skills", files(&[]));
    let search = |query: &str| -> Vec<String> {
        let found = home.hub().search(query, 10, Some(SourceKind::GitHub));
        assert!(found.failures.is_empty(), "{:?}", found.failures);
        found.hits.into_iter().map(|hit| hit.id.to_string()).collect()
    };
    assert_eq!(search("pdf"), ["github:openai/skills/skills/.curated/pdf"]);
    assert_eq!(search("documents reads"), ["github:openai/skills/skills/.curated/pdf"]);
    assert_eq!(search("odd too"), ["github:openai/skills/more/odd"]);
    assert!(search("nothing").is_empty());
    let hit = home.hub().search("pdf", 10, Some(SourceKind::GitHub)).hits.remove(0);
    assert_eq!((hit.name.as_str(), hit.description.as_str()), ("pdf", "Reads PDF files"));
    assert_eq!(hit.group.as_deref(), Some("Documents"));
}

#[test]
fn a_repository_is_described_without_its_files() {
    let home = home_with("o/r", &repository());
    let found = home.hub().inspect(&id("o/r/pdf")).expect("it exists");
    assert_eq!((found.name.as_str(), found.description.as_str()), ("pdf", "Reads PDF files"));
    let paths: Vec<&str> = found.files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["SKILL.md", "scripts/run.sh"]);
    assert!(found.url.ends_with(&format!("/o/r/tree/{:040x}/skills/.curated/pdf", 1)), "{}", found.url);
    let all = home.hub().inspect(&id("o/r")).expect("it exists");
    assert_eq!(all.contains.len(), 4, "{:?}", all.contains);
}

/// A list that is too long for one answer is asked for folder by folder.
#[test]
fn a_skill_in_a_huge_repository_is_found_by_its_path() {
    let home = home_with("o/r", &repository());
    let commit = format!("{:040x}", 1);
    let list: Vec<(&str, String)> = repository();
    let list: Vec<(&str, &str)> = list.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let skill = bundle(&files(&list), "skills/.curated/pdf");
    let trees = |name: &str| format!("/api/v3/repos/o/r/git/trees/{name}");
    let entry = |path: &str, sha: &str| json!({ "path": path, "mode": "040000", "type": "tree", "sha": sha });
    let ids = ["a", "b"].map(|digit| digit.repeat(40));
    let tree = skill.tree().to_string();
    let answer = |entries: Vec<Value>, truncated| {
        Reply::json(&json!({ "sha": "0".repeat(40), "tree": entries, "truncated": truncated }))
    };
    home.server.fix(&trees(&commit), answer(vec![entry("skills", &ids[0])], true));
    home.server.fix(&trees(&ids[0]), answer(vec![entry(".curated", &ids[1])], false));
    home.server.fix(&trees(&ids[1]), answer(vec![entry("pdf", &tree)], false));
    let blobs = skill.files().iter().map(|file| {
        let mode = if file.is_executable { "100755" } else { "100644" };
        json!({ "path": file.path, "mode": mode, "type": "blob", "sha": GitId::of_blob(&file.bytes).to_string(), "size": 1 })
    });
    home.server.fix(&trees(&tree), Reply::json(&json!({ "sha": tree, "tree": blobs.collect::<Vec<_>>() })));
    let fetched = home.hub().preview(&id("o/r/skills/.curated/pdf")).expect("it exists").fetched;
    assert_eq!(fetched.bundle, skill);
    assert!(matches!(fetch_fault(&home, "o/r"), SourceFault::Unsupported(_)));
}

fn marketplace(extra: Value) -> String {
    let mut plugins = json!([
        { "name": "documents", "description": "Documents", "source": "./", "strict": false,
          "skills": ["./skills/pdf", "./skills/docx"] },
        { "name": "single", "source": "./plugins/single" },
        { "name": "other", "source": { "source": "github", "repo": "x/y", "ref": "main" } },
        { "name": "npm", "source": { "source": "npm", "package": "@x/y" } },
        { "name": "outside", "source": "../outside" },
    ]);
    if let (Some(plugins), Value::Array(extra)) = (plugins.as_array_mut(), extra) {
        plugins.extend(extra);
    }
    json!({ "name": "market", "owner": { "name": "o" }, "plugins": plugins }).to_string()
}

fn market_files() -> Vec<(&'static str, String)> {
    vec![
        (".claude-plugin/marketplace.json", marketplace(json!([]))),
        ("skills/pdf/SKILL.md", skill("pdf", "Reads PDF files", "# PDF")),
        ("skills/docx/SKILL.md", skill("docx", "Writes documents", "# DOCX")),
        ("plugins/single/skills/one/SKILL.md", skill("one", "Is one", "# One")),
        ("plugins/single/hooks/hooks.json", "{}".to_owned()),
    ]
}

#[test]
fn skills_of_a_marketplace_are_found_by_plugin() {
    let home = home_with("o/market", &market_files());
    home.repositories.commit("x/y", files(&[("SKILL.md", &skill("root", "At the root", "# Root"))]));
    let path = |text: &str| home.hub().preview(&id(text)).expect(text).fetched.origin.path;
    assert_eq!(path("market:o/market/documents/pdf"), "skills/pdf");
    assert_eq!(path("market:o/market/single"), "plugins/single/skills/one");
    assert_eq!(path("market:o/market/other"), "");
    let fetched = home.hub().preview(&id("market:o/market/single")).expect("it exists").fetched;
    assert_eq!(fetched.origin.source, SourceKind::Marketplace);
    assert_eq!(fetched.origin.id, id("market:o/market/single/one"));
    assert_eq!(fetched.bundle.files().len(), 1, "hooks of a plugin are not part of a skill");
    assert!(matches!(fetch_fault(&home, "market:o/market/documents"), SourceFault::Several(all) if all.len() == 2));
    assert_eq!(home.hub().inspect(&id("market:o/market/documents")).expect("it exists").contains.len(), 2);
    assert!(matches!(fetch_fault(&home, "market:o/market/npm"), SourceFault::Unsupported(_)));
    assert!(matches!(fetch_fault(&home, "market:o/market/outside"), SourceFault::Broken(_)));
    assert!(matches!(fetch_fault(&home, "market:o/market/missing"), SourceFault::NotFound(_)));
    assert!(matches!(fetch_fault(&home, "market:x/y/missing"), SourceFault::NotFound(_)));
}

#[test]
fn a_marketplace_in_a_folder_needs_no_network() {
    let home = Home::new();
    let market = home.path("../market");
    for (path, text) in market_files() {
        home.write(&format!("../market/{path}"), &text);
    }
    let text = format!("market:{}#documents/docx", market.display());
    let fetched = home.hub().preview(&id(&text)).expect("it exists").fetched;
    assert_eq!(fetched.origin.path, "skills/docx");
    assert!(home.server.requests().is_empty());
}

fn zip_of(files: &[(&str, &str)]) -> Vec<u8> {
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("failed to write");
        zip.write_all(text.as_bytes()).expect("failed to write");
    }
    zip.finish().expect("failed to write").into_inner()
}

/// The shapes are from ClawHub's documentation of November 2026.
fn clawhub(server: &Server, slug: &str, moderation: &Value) {
    let skill = json!({
        "skill": { "slug": slug, "displayName": "GifGrep", "summary": "Finds\nGIFs", "tags": { "latest": "1.2.3" }, "stats": {},
                   "createdAt": 0, "updatedAt": 0 },
        "latestVersion": { "version": "1.2.3", "createdAt": 0, "changelog": "" },
        "metadata": null, "owner": { "handle": "peter", "displayName": "Peter", "image": null },
        "moderation": moderation,
    });
    server.fix(&format!("/clawhub/api/v1/skills/{slug}"), Reply::json(&skill));
}

#[test]
fn a_skill_of_clawhub_is_fetched_unless_it_is_blocked() {
    let home = Home::new();
    clawhub(&home.server, "gifgrep", &Value::Null);
    home.server.on(|request| {
        let version = request.query.get("version")?;
        let text = super::github::skill("gifgrep", "Finds GIFs", version);
        (request.path == "/clawhub/api/v1/download")
            .then(|| Reply::new(200, zip_of(&[("SKILL.md", &text), ("_meta.json", "{}")])))
    });
    let fetched = home.hub().preview(&id("clawhub:gifgrep")).expect("it exists").fetched;
    assert_eq!((fetched.origin.version.as_str(), fetched.bundle.files().len()), ("1.2.3", 2));
    assert!(fetched.origin.url.ends_with("/peter/gifgrep"), "{}", fetched.origin.url);
    let older = home.hub().preview(&id("clawhub:gifgrep@1.2.0")).expect("it exists").fetched;
    assert_eq!(older.origin.version, "1.2.0");
    assert!(older.bundle.skill_text().contains("1.2.0"));
    let moderation = |suspicious, blocked, verdict: &str| json!({ "isSuspicious": suspicious, "isMalwareBlocked": blocked, "verdict": verdict, "reasonCodes": ["x.y"], "summary": null });
    clawhub(&home.server, "gifgrep", &moderation(true, false, "suspicious"));
    let fetched = home.hub().preview(&id("clawhub:gifgrep")).expect("it exists").fetched;
    assert_eq!(fetched.origin.warnings, ["ClawHub finds it suspicious: x.y"]);
    for moderation in [moderation(true, true, "suspicious"), moderation(false, false, "malicious")] {
        clawhub(&home.server, "gifgrep", &moderation);
        // A version from before it was blocked is refused, too.
        for text in ["clawhub:gifgrep", "clawhub:gifgrep@1.0.0"] {
            assert_eq!(fetch_fault(&home, text), SourceFault::Blocked("x.y".to_owned()));
        }
    }
}

#[test]
fn clawhub_is_searched() {
    let home = Home::new();
    let results = json!({ "results": [
        { "score": 0.5, "slug": "gifgrep", "displayName": "GifGrep", "summary": "Finds\u{1b}[31m\nGIFs", "version": "1", "updatedAt": 0 },
        { "score": 0.4, "slug": "../../etc", "displayName": "Bad", "summary": null },
    ] });
    home.server.fix("/clawhub/api/v1/search", Reply::json(&results));
    let found = home.hub().search("gif", 5, Some(SourceKind::ClawHub));
    assert_eq!(found.hits.len(), 1, "{:?}", found.hits);
    assert_eq!(found.hits[0].id, id("clawhub:gifgrep"));
    assert_eq!(found.hits[0].description, "Finds[31m GIFs", "a terminal must not obey it");
    let request = &home.server.requests()[0];
    assert_eq!((request.query["q"].as_str(), request.query["limit"].as_str()), ("gif", "5"));
    assert_eq!(request.query["nonSuspiciousOnly"], "true");
}

#[test]
fn an_agent_of_lobehub_becomes_a_skill() {
    let home = Home::new();
    let meta = json!({ "title": "Web developer", "description": "Builds pages", "tags": ["html"], "avatar": "x" });
    let index = json!({ "schemaVersion": 1, "agents": [{ "identifier": "web-dev", "author": "a", "meta": meta, "createAt": "x" }] });
    home.server.fix("/lobehub/index.json", Reply::json(&index));
    let agent =
        json!({ "author": "a", "identifier": "web-dev", "config": { "systemRole": "You build pages." }, "meta": meta });
    home.server.fix("/lobehub/web-dev.json", Reply::json(&agent));
    let found = home.hub().search("html pages", 5, Some(SourceKind::LobeHub));
    assert_eq!(found.hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>(), [id("lobehub:web-dev")]);
    let fetched = home.hub().preview(&id("lobehub:web-dev")).expect("it exists").fetched;
    assert!(fetched.origin.is_converted && fetched.origin.trust == Trust::Community);
    assert_eq!(fetched.bundle.heading().description, "Web developer: Builds pages");
    assert!(fetched.bundle.skill_text().ends_with("You build pages.\n"));
    let installed = home.install("lobehub:web-dev").expect("it is a skill");
    assert_eq!(installed.warnings.len(), 1);
    assert!(home.hub().lock().expect("it is valid").skills.values().all(|skill| skill.converted));
}

#[test]
fn a_skill_at_an_address_is_a_file_or_an_archive() {
    let home = Home::new();
    let (one, two) = (skill("one", "Is one", ""), skill("two", "Is two", ""));
    home.server.fix("/SKILL.md", Reply::new(200, one.clone()));
    home.server.fix("/one.zip", Reply::new(200, zip_of(&[("top/one/SKILL.md", &one), ("top/one/a.txt", "a")])));
    home.server.fix("/two.zip", Reply::new(200, zip_of(&[("one/SKILL.md", &one), ("two/SKILL.md", &two)])));
    home.server.fix("/page", Reply::new(200, "<html>"));
    home.server.fix("/moved", Reply::redirect("/one.zip"));
    let text = |path: &str| home.server.url(path).to_string();
    let fetched = |path: &str| home.hub().preview(&id(&text(path))).expect(path).fetched;
    assert_eq!(fetched("/SKILL.md").bundle.heading().name, "one");
    assert_eq!((fetched("/one.zip").origin.path.as_str(), fetched("/one.zip").bundle.files().len()), ("top/one", 2));
    assert_eq!(fetched("/two.zip#two").bundle.heading().name, "two");
    assert!(fetched("/moved").origin.url.ends_with("/one.zip"));
    let fault = fetch_fault(&home, &text("/two.zip"));
    assert!(fault.to_string().contains("several skills, in the folders one, two"), "{fault}");
    assert!(matches!(fetch_fault(&home, &text("/page")), SourceFault::Broken(_)));
    assert!(matches!(fetch_fault(&home, &text("/two.zip#three")), SourceFault::Bundle(_)));
}

#[test]
fn a_skill_of_a_site_is_in_its_list() {
    let home = Home::new();
    let base = "/docs/.well-known/skills";
    let index = |files: Value| json!({ "skills": [{ "name": "one", "description": "Is one", "files": files }] });
    home.server.fix(&format!("{base}/index.json"), Reply::json(&index(json!(["SKILL.md", "references/a b.md"]))));
    home.server.fix(&format!("{base}/one/SKILL.md"), Reply::new(200, skill("one", "Is one", "")));
    home.server.fix(&format!("{base}/one/references/a b.md"), Reply::new(200, "text"));
    let text = home.server.url(&format!("{base}/one")).to_string();
    let fetched = home.hub().preview(&id(&text)).expect("it exists").fetched;
    assert_eq!(fetched.bundle.files().len(), 2);
    assert_eq!(fetched.origin.source, SourceKind::WellKnown);
    let other = home.server.url(&format!("{base}/other")).to_string();
    assert!(matches!(fetch_fault(&home, &other), SourceFault::NotFound(_)));
    home.server.fix(&format!("{base}/index.json"), Reply::json(&index(json!(["SKILL.md", "../../secret"]))));
    assert!(matches!(fetch_fault(&home, &text), SourceFault::Bundle(_)));
    assert!(home.server.requests().iter().all(|request| !request.path.contains("secret")));
}

#[test]
fn skills_sh_finds_skills_of_github() {
    let home = home_with("o/r", &repository());
    let results = json!({ "skills": [
        { "id": "o/r/pdf", "skillId": "pdf", "name": "pdf", "installs": 12, "source": "o/r" },
        { "id": "x", "name": "mintlify", "installs": 1, "source": "mintlify.com" },
    ] });
    home.server.fix("/skills-sh/api/search", Reply::json(&results));
    let found = home.hub().search("pdf", 5, Some(SourceKind::SkillsSh));
    assert_eq!((found.hits.len(), found.hits[0].installs), (1, Some(12)));
    let path = home.hub().preview(&found.hits[0].id).expect("it exists").fetched.origin.path;
    assert_eq!(path, "skills/.curated/pdf");
}

/// A source that does not answer does not hide what others have found.
#[test]
fn a_search_reports_sources_that_fail() {
    let home = home_with("openai/skills", &repository());
    home.server.fix("/skills-sh/api/search", Reply::new(500, "down"));
    home.server.fix("/lobehub/index.json", Reply::new(200, "not json"));
    home.server.fix("/clawhub/api/v1/search", Reply::new(429, "Rate limit exceeded").with("Retry-After", "34"));
    let found = home.hub().search("pdf", 5, None);
    assert_eq!(found.hits.len(), 1, "{:?}", found.hits);
    let failed: Vec<SourceKind> = found.failures.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(failed, [SourceKind::ClawHub, SourceKind::SkillsSh, SourceKind::LobeHub]);
}

#[test]
fn each_identifier_belongs_to_a_source() {
    let home = Home::new();
    let hub = home.hub();
    for (text, kind) in [
        ("o/r/a", SourceKind::GitHub),
        ("market:o/r/a", SourceKind::Marketplace),
        ("clawhub:a", SourceKind::ClawHub),
        ("lobehub:a", SourceKind::LobeHub),
        ("https://example.com/.well-known/skills/a", SourceKind::WellKnown),
        ("https://example.com/a.zip", SourceKind::Url),
        ("./a", SourceKind::Folder),
    ] {
        let source = hub.sources().of(&id(text));
        assert_eq!(source.kind(), kind, "{text}");
        let other = if kind == SourceKind::Folder { id("clawhub:a") } else { id("./a") };
        let error = source.fetch(&other, None).expect_err("it is not of this source");
        assert!(matches!(error.fault, SourceFault::Unsupported(_)), "{error}");
    }
}
