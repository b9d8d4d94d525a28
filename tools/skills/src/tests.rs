//! The tools, called as a model calls them.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolc::approval::{ApprovalDecision, approver_fn};
use toolc::cancel::CancellationToken;
use toolc::testing::Harness;
use toolc::{Env, Registry};
use toolc_skill::{Root, RootKind};

use super::*;

fn skill(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n{body}\n")
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

struct Scratch {
    folder: tempfile::TempDir,
    harness: Harness,
}

impl Scratch {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        write(path, "own/web/fetch/SKILL.md", &skill("fetch", "Fetches pages.", "1. Fetch.\n2. Fetch.\n3. Read."));
        write(path, "own/web/fetch/references/api.md", "GET /\n");
        write(path, "own/plan/SKILL.md", &skill("plan", "Plans work.", "Think first."));
        write(path, "shared/team/SKILL.md", &skill("team", "What the team does.", "Ask the team."));
        let skills = Skills::new(path.join("own"), &Registry::new())
            .with_root(Root { path: path.join("shared"), kind: RootKind::Shared });
        let skills = Arc::new(skills);
        let harness = Harness::with_session(toolc_catalog::skills::provider(SkillsHandlers), |session| {
            session.value::<Skills>(skills).env(Env::empty().with_secret("API_KEY", "s3cr3t-value-0123456789"))
        });
        Self { folder, harness }
    }

    fn own(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join("own").join(path)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.own(path)).expect("a file")
    }

    /// Makes a call that succeeds.
    fn call(&self, tool: &str, arguments: &Value) -> Value {
        self.harness.call(tool, arguments).value()
    }

    /// Makes a call that fails, and returns the text of its error.
    fn fail(&self, arguments: &Value) -> String {
        let response = self.harness.call("skill_manage", arguments).response().clone();
        assert!(response.is_error(), "{arguments}: {}", response.json.clone());
        response.json.clone()
    }
}

#[test]
fn skills_are_listed_by_category_with_what_cannot_be_used() {
    let scratch = Scratch::new();
    write(scratch.folder.path(), "own/web/broken/SKILL.md", "no front matter\n");
    let mac = "---\nname: mac\ndescription: For another platform.\nplatforms: [plan9]\n---\nText.\n";
    write(scratch.folder.path(), "own/mac/SKILL.md", mac);
    let all = scratch.call("skills_list", &json!({}));
    let names = |value: &Value| -> Vec<String> {
        let items = value["skills"].as_array().into_iter().flatten();
        items.filter_map(|item| item["name"].as_str()).map(str::to_owned).collect()
    };
    assert_eq!(names(&all), ["plan", "team", "fetch"], "{all:#}");
    assert_eq!(all["categories"], json!([{ "name": "general", "skills": 2 }, { "name": "web", "skills": 1 }]));
    assert_eq!(all["unavailable"], json!([{ "name": "mac", "reason": "it is for plan9" }]));
    assert!(all["problems"][0].as_str().is_some_and(|problem| problem.contains("broken")), "{all:#}");
    assert_eq!(names(&scratch.call("skills_list", &json!({ "category": "web" }))), ["fetch"]);
    let unknown = scratch.harness.call("skills_list", json!({ "category": "wbe" })).response().json.clone();
    assert!(unknown.contains("the categories are `general`, `web`"), "{unknown}");
}

#[test]
fn a_skill_is_viewed_whole_and_by_file_and_a_repeated_view_is_short() {
    let scratch = Scratch::new();
    let first = scratch.call("skill_view", &json!({ "name": "fetch" }));
    assert!(first["content"].as_str().is_some_and(|text| text.contains("3. Read.")), "{first:#}");
    assert_eq!(first["files"], json!([{ "path": "references/api.md", "bytes": 6 }]));
    assert_eq!((&first["category"], &first["description"]), (&json!("web"), &json!("Fetches pages.")));
    let again = scratch.call("skill_view", &json!({ "name": "web/fetch" }));
    assert_eq!((&again["unchanged"], &again["content"]), (&json!(true), &Value::Null));
    let file = scratch.call("skill_view", &json!({ "name": "fetch", "path": "./references/api.md" }));
    assert_eq!(file["content"], "GET /\n");
    write(scratch.folder.path(), "own/web/fetch/references/api.md", "POST /\n");
    let changed = scratch.call("skill_view", &json!({ "name": "fetch", "file_path": "references/api.md" }));
    assert_eq!(changed["content"], "POST /\n");
    for (arguments, expected) in [
        (json!({ "name": "fecth" }), "did you mean `fetch`?"),
        (json!({ "name": "data/fetch" }), "there is no skill `fetch`"),
        (json!({ "name": "fetch", "file_path": "../plan/SKILL.md" }), "failed to read `../plan/SKILL.md`"),
        (json!({ "name": "fetch", "file_path": "references/x.md" }), "The files are `SKILL.md`, `references/api.md`"),
    ] {
        let refused = scratch.harness.call("skill_view", arguments).response().json.clone();
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn a_long_text_is_viewed_in_parts_that_make_up_the_whole() {
    let scratch = Scratch::new();
    let text = skill("long", "Long.", &"A line of the long text, with é.\n".repeat(4_000));
    write(scratch.folder.path(), "own/long/SKILL.md", &text);
    let (mut whole, mut offset) = (String::new(), json!(0));
    while !offset.is_null() {
        let part = scratch.call("skill_view", &json!({ "name": "long", "offset": offset }));
        whole += part["content"].as_str().expect("a text");
        offset = part["next_offset"].clone();
    }
    assert_eq!(whole, text);
}

#[test]
fn a_skill_is_created_patched_and_deleted_and_each_change_is_undone() {
    let scratch = Scratch::new();
    let content = skill("deploy", "Deploys the site. Use it to publish.", "Run `make`.");
    let created = scratch
        .call("skill_manage", &json!({ "action": "create", "name": "deploy", "category": "ops", "content": content }));
    assert_eq!(scratch.text("ops/deploy/SKILL.md"), content);
    assert!(created["note"].as_str().is_some_and(|note| note.contains("undo 1")), "{created:#}");
    let patched = scratch.call(
        "skill_manage",
        &json!({ "action": "patch", "name": "deploy", "old_string": "Run `make`.", "new_string": "Run `make site`." }),
    );
    assert!(
        patched["changes"][0]["diff"].as_str().is_some_and(|diff| diff.contains("+Run `make site`.")),
        "{patched:#}"
    );
    scratch.call("skill_manage", &json!({ "action": "delete", "name": "deploy" }));
    assert!(!scratch.own("ops").exists());
    let ledger = Ledger::new(scratch.own(""));
    ledger.undo(3, "person").expect("the deletion is undone");
    assert!(scratch.text("ops/deploy/SKILL.md").contains("make site"));
    ledger.undo(2, "person").expect("the patch is undone");
    assert_eq!(scratch.text("ops/deploy/SKILL.md"), content);
    ledger.undo(3, "person").expect_err("the skill is not deleted");
}

#[test]
fn operations_are_done_all_or_none() {
    let scratch = Scratch::new();
    let both = json!({ "operations": [
        { "action": "write_file", "name": "plan", "file_path": "scripts/run.sh", "file_content": "#!/bin/sh\necho\n" },
        { "action": "patch", "name": "plan", "old_string": "Think first.", "new_string": "Run scripts/run.sh." },
        { "action": "create", "name": "next", "content": skill("next", "Next steps.", "Go on.") },
        { "action": "write_file", "name": "next", "file_path": "references/a.md", "file_content": "a" },
    ] });
    assert_eq!(scratch.call("skill_manage", &both)["changes"].as_array().map(Vec::len), Some(4));
    assert_eq!(scratch.text("next/references/a.md"), "a");
    #[cfg(unix)]
    {
        let meta = fs::metadata(scratch.own("plan/scripts/run.sh")).expect("a file");
        assert_ne!(std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o100, 0);
    }
    let before = scratch.text("plan/SKILL.md");
    let error = scratch.fail(&json!({ "operations": [
        { "action": "patch", "name": "plan", "old_string": "Run scripts/run.sh.", "new_string": "Nothing." },
        { "action": "remove_file", "name": "plan", "file_path": "references/none.md" },
    ] }));
    assert!(error.contains("operation 2 of 2") && error.contains("No operation was done."), "{error}");
    assert_eq!(scratch.text("plan/SKILL.md"), before);
}

#[test]
fn changes_that_would_spoil_a_skill_are_refused_with_the_reason() {
    let scratch = Scratch::new();
    let create = |name: &str, content: &str| json!({ "action": "create", "name": name, "content": content });
    scratch.call("skill_manage", &create("long", &skill("long", "Long.", &"x".repeat(60_000))));
    let longer = json!({ "action": "patch", "name": "long", "old_string": "description: Long.", "new_string": format!("description: {}", "y ".repeat(30_000)) });
    for (arguments, expected) in [
        (create("Deploy", &skill("Deploy", "Deploys.", "Text.")), "expected at most 64 of a-z, 0-9"),
        (create("../x", &skill("x", "X.", "Text.")), "expected at most 64 of a-z, 0-9"),
        (create(".hub", &skill(".hub", "X.", "Text.")), "beginning and ending with a letter"),
        (create("plan", &skill("plan", "Plans.", "Text.")), "the skill `plan` exists"),
        (create("team", &skill("team", "Teams.", "Text.")), "the skill `team` exists"),
        (create("new", "No front matter.\n"), "would not be a skill: line 1"),
        (create("new", &skill("other", "X.", "Text.")), "the skill is `new`: make them equal"),
        (create("new", &skill("new", "X.", "")), "no instructions after its front matter"),
        (longer, "at most 100000 are allowed"),
        (create("new", &skill("new", "X.", "Use s3cr3t-value-0123456789.")), "would contain a secret"),
        (json!({ "action": "patch", "name": "fetch", "old_string": "Fetch.", "new_string": "Get." }), "occurs 2 times"),
        (
            json!({ "action": "patch", "name": "fetch", "old_string": "4. Look.", "new_string": "" }),
            "The file begins:\\n---\\nname: fetch",
        ),
        (
            json!({ "action": "patch", "name": "plan", "old_string": "name: plan\n", "new_string": "name: plant\n" }),
            "make them equal",
        ),
        (json!({ "action": "edit", "name": "team", "content": skill("team", "T.", "X.") }), "read only here"),
        (json!({ "action": "edit", "name": "plan" }), "`edit` needs `content`"),
        (json!({ "action": "delete", "name": "plan", "absorbed_into": "none" }), "not another skill"),
        (
            json!({ "action": "write_file", "name": "plan", "file_path": "references/../../x", "file_content": "x" }),
            "a supporting file is below references/",
        ),
        (json!({ "action": "write_file", "name": "plan", "file_path": "x.md", "file_content": "x" }), "is not allowed"),
        (
            json!({ "action": "write_file", "name": "plan", "content": "x", "file_path": "references/x", "file_content": "" }),
            "has no `content`",
        ),
        (json!({ "name": "plan" }), "give an `action`"),
    ] {
        let error = scratch.fail(&arguments);
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    let replaced = json!({ "action": "patch", "name": "fetch", "old_string": "Fetch.", "new_string": "Get.", "replace_all": true });
    scratch.call("skill_manage", &replaced);
    assert!(scratch.text("web/fetch/SKILL.md").contains("1. Get.\n2. Get."));
}

#[test]
fn named_skills_are_loaded_as_they_are_viewed_and_all_problems_are_reported() {
    let scratch = Scratch::new();
    let path = scratch.folder.path();
    let skills = Skills::new(path.join("own"), &Registry::new());
    let load = |names: &[&str]| load(&skills, names, MAX_LOADED, &Env::empty(), |tool| tool == "skill_view");
    let loaded = load(&["fetch", "web/fetch", "plan"]);
    assert_eq!(loaded.problems, [""; 0]);
    assert_eq!(loaded.skills.iter().map(|skill| &*skill.name).collect::<Vec<_>>(), ["fetch", "plan"]);
    let text = &loaded.skills[0].text;
    assert!(text.starts_with("The skill `fetch`: SKILL.md in ") && text.contains("own/web/fetch, to which"), "{text}");
    assert!(text.contains("\n```\n---\nname: fetch\n") && text.contains("3. Read.\n```"), "{text}");
    assert!(text.ends_with("\nIts other files: `references/api.md`."), "{text}");

    // A skill that was written later is found, and one that cannot be used is not loaded.
    write(path, "own/mac/SKILL.md", "---\nname: mac\ndescription: For another one.\nplatforms: [plan9]\n---\nText.\n");
    write(path, "own/long/SKILL.md", &skill("long", "Long.", &"A line of text.\n".repeat(4_000)));
    write(path, "own/broken/SKILL.md", "no front matter\n");
    write(path, "own/fences/SKILL.md", &skill("fences", "Fences.", "```\nls\n```\nEnd.\u{200b}"));
    let loaded = load(&["fecth", "long", "mac", "broken", "fences"]);
    let [unknown, unmet, broken] = &loaded.problems[..] else { panic!("{:?}", loaded.problems) };
    assert_eq!(unknown, "there is no skill `fecth`: did you mean `fetch`?");
    assert_eq!(unmet, "the skill `mac` cannot be used here: it is for plan9");
    assert!(broken.starts_with("the skill `broken` cannot be read: "), "{broken}");
    let [long, fences] = &loaded.skills[..] else { panic!("{:?}", loaded.skills) };
    assert!(
        long.text.len() < 41_000 && long.text.contains("`skill_view` reads the rest from this offset"),
        "{}",
        long.text
    );
    assert!(
        fences.text.contains("\n````\n---\nname: fences\n") && fences.text.contains("invisible"),
        "{}",
        fences.text
    );
    assert_eq!(name_problem(&skills, "long"), None);
    assert!(name_problem(&skills, "lnog").is_some_and(|problem| problem.contains("did you mean `long`?")));
    assert_eq!(load(&["plan"; MAX_LOADED + 1]).problems, [""; 0], "it is one skill");
    let many: Vec<String> = (0..=MAX_LOADED).map(|number| format!("s{number}")).collect();
    for name in &many {
        write(path, &format!("own/{name}/SKILL.md"), &skill(name, "One of many.", "Text."));
    }
    let many = load(&many.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(many.problems, ["more than 10 skills are named, so the others are not loaded"]);
    assert_eq!(many.skills.len(), MAX_LOADED);
}

#[test]
fn the_number_of_files_that_are_not_listed_is_right() {
    let scratch = Scratch::new();
    for number in 0..250 {
        write(scratch.folder.path(), &format!("own/plan/references/{number:03}.md"), "Text.\n");
    }
    let viewed = scratch.call("skill_view", &json!({ "name": "plan" }));
    assert_eq!(viewed["files"].as_array().map(Vec::len), Some(200));
    assert_eq!(viewed["note"], "The skill has 50 more files.");
    let skills = Skills::new(scratch.folder.path().join("own"), &Registry::new());
    let loaded = load(&skills, &["plan"], MAX_LOADED, &Env::empty(), |_| true);
    assert!(loaded.skills[0].text.ends_with("/049.md` and 200 more."), "{}", loaded.skills[0].text);
}

#[test]
fn a_text_cannot_leave_its_fence() {
    assert_eq!(fence("a\n"), "```\na\n```");
    assert_eq!(fence("```\nIgnore it.\n````"), "`````\n```\nIgnore it.\n````\n`````");
}

/// Skills of a server `s`, whose files contain their own names, and the text of the last question about them.
struct Server(Mutex<Arc<OutsideList>>, Mutex<String>);

impl Server {
    fn text(skill: &OutsideSkill, path: &str) -> Result<OutsideText, String> {
        if !skill.files.iter().any(|(known, _)| known == path) {
            return Err("the skill has no such file".to_owned());
        }
        let objections =
            if path == "start.sh" { vec!["`start.sh`: it changes a start-up file".to_owned()] } else { Vec::new() };
        Ok(OutsideText { text: format!("{path} of {}", skill.name()), objections })
    }

    /// Gives all skills another version.
    fn change(&self) {
        let mut list = self.0.lock().expect("the list");
        let mut changed = OutsideList::clone(&list);
        changed.skills.iter_mut().for_each(|skill| skill.version.push('0'));
        *list = Arc::new(changed);
    }
}

impl OutsideSkills for Server {
    fn known(&self) -> Arc<OutsideList> {
        Arc::clone(&self.0.lock().expect("the list"))
    }

    fn refresh(&self, _: &CancellationToken) -> Arc<OutsideList> {
        self.known()
    }

    fn read(&self, skill: &OutsideSkill, path: &str, _: &CancellationToken) -> Result<OutsideText, String> {
        Self::text(skill, path)
    }

    fn read_later(self: Arc<Self>, skill: OutsideSkill, path: String) -> ReadLater {
        Box::pin(async move { Self::text(&skill, &path) })
    }
}

fn with_server(is_trusted: bool) -> (tempfile::TempDir, Harness, Arc<Skills>) {
    let (folder, harness, skills, _) = with_answer(is_trusted, None);
    (folder, harness, skills)
}

/// Returns a session with the skills of a server, about which a person answers as the function does.
fn with_answer(
    is_trusted: bool,
    answer: Option<fn(&Server) -> ApprovalDecision>,
) -> (tempfile::TempDir, Harness, Arc<Skills>, Arc<Server>) {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "own/notes/SKILL.md", &skill("notes", "Notes of the user.", "Local."));
    let outside = |label: &str, more: Value| {
        let mut fields = json!({ "name": "notes", "description": format!("About {label}.") });
        fields.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        let mut skill = OutsideSkill::new("s", label, fields.as_object().expect("fields")).expect("it is valid");
        skill.files = vec![("SKILL.md".to_owned(), 3), ("scripts/run.sh".to_owned(), 7), ("start.sh".to_owned(), 9)];
        (skill.version, skill.is_trusted) = ("sha256:0123456789abcdef".to_owned(), is_trusted);
        skill
    };
    let skills = vec![
        outside("notes", json!({})),
        outside("acme/notes", json!({})),
        outside("mac", json!({ "platforms": ["plan9"] })),
        outside("tools", json!({ "metadata": { "hermes": { "requires_tools": ["no_such_tool"] } } })),
    ];
    let list = OutsideList { skills, problems: vec!["MCP server `s`: the skill `x` is held back".to_owned()] };
    let server = Arc::new(Server(Mutex::new(Arc::new(list)), Mutex::default()));
    let skills = Skills::new(folder.path().join("own"), &Registry::new()).with_outside(Arc::clone(&server) as Arc<_>);
    let skills = Arc::new(skills);
    let (of_session, asked) = (Arc::clone(&skills), Arc::clone(&server));
    let harness = Harness::with_session(toolc_catalog::skills::provider(SkillsHandlers), |session| {
        let hook = OutsideSkillHook::new(Arc::clone(&of_session));
        let session = session.value::<Skills>(of_session).hook(Arc::new(hook));
        let Some(answer) = answer else { return session };
        session.approver(approver_fn(move |request| {
            asked.1.lock().expect("a text").clone_from(&format!("{request:?}"));
            answer(&asked)
        }))
    });
    (folder, harness, skills, server)
}

#[test]
fn only_the_version_about_which_the_person_was_asked_is_read() {
    let view = |harness: &Harness| harness.call("skill_view", json!({ "name": "s:notes" })).response().json.clone();
    let (_folder, harness, _, server) = with_answer(false, Some(|_| ApprovalDecision::AllowForSession));
    let first = view(&harness);
    assert!(first.contains("SKILL.md of s:notes"), "{first}");
    server.change();
    assert!(view(&harness).contains("\"unchanged\":true"), "the person was asked about the new version");
    let (_folder, harness, _, _) = with_answer(
        false,
        Some(|server| {
            server.change();
            ApprovalDecision::AllowOnce
        }),
    );
    let refused = view(&harness);
    assert!(
        refused.contains("has changed since the person was asked") && !refused.contains("SKILL.md of"),
        "{refused}"
    );
}

#[test]
fn what_the_guard_finds_in_a_skill_of_a_server_is_in_the_question_also_of_a_trusted_one() {
    let view = |harness: &Harness, path: &str| {
        harness.call("skill_view", json!({ "name": "s:notes", "path": path })).response().json.clone()
    };
    for is_trusted in [true, false] {
        let (_folder, harness, _, server) = with_answer(is_trusted, Some(|_| ApprovalDecision::AllowOnce));
        assert!(view(&harness, "start.sh").contains("start.sh of s:notes"));
        let question = server.1.lock().expect("a text").split_off(0);
        assert!(question.contains("The guard has found: `start.sh`: it changes a start-up file"), "{question}");
        assert!(view(&harness, "SKILL.md").contains("SKILL.md of s:notes"));
        let question = server.1.lock().expect("a text").split_off(0);
        assert_eq!((question.is_empty(), question.contains("has found")), (is_trusted, false), "{question}");
        let (_folder, harness, _, _) = with_answer(is_trusted, None);
        assert!(!view(&harness, "start.sh").contains("start.sh of"), "no person has answered");
    }
}

#[test]
fn skills_of_a_server_are_marked_and_never_hide_a_skill_of_a_folder() {
    let (_folder, harness, skills) = with_server(true);
    let all = harness.call("skills_list", json!({})).value();
    let names: Vec<(&str, &str)> = all["skills"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|skill| (skill["name"].as_str().unwrap_or_default(), skill["server"].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(names, [("notes", ""), ("s:acme/notes", "s"), ("s:notes", "s")], "{all:#}");
    assert_eq!(all["categories"][1]["description"], "From outside: the MCP server `s`.");
    let reasons = all["unavailable"].to_string();
    assert!(reasons.contains("it is for plan9") && reasons.contains("no_such_tool"), "{reasons}");
    assert_eq!(all["problems"], json!(["MCP server `s`: the skill `x` is held back"]));
    let local = harness.call("skill_view", json!({ "name": "notes" })).value();
    assert!(
        local["content"].as_str().is_some_and(|text| text.contains("Local.")) && local["server"].is_null(),
        "{local}"
    );
    let view = |arguments: Value| harness.call("skill_view", &arguments).value();
    let viewed = view(json!({ "name": "s:acme/notes" }));
    assert_eq!((&viewed["server"], &viewed["content"]), (&json!("s"), &json!("SKILL.md of s:acme/notes")));
    assert!(
        viewed["folder"].is_null() && viewed["note"].as_str().is_some_and(|note| note.contains("outside")),
        "{viewed}"
    );
    assert_eq!(viewed["files"], json!([{ "path": "scripts/run.sh", "bytes": 7 }, { "path": "start.sh", "bytes": 9 }]));
    // A category is also a part of a name.
    assert_eq!(view(json!({ "name": "mcp-s/s:notes" }))["content"], "SKILL.md of s:notes");
    let loaded = load(&skills, &["s:notes"], MAX_LOADED, &Env::empty(), |_| true);
    assert!(loaded.problems[0].contains("comes from the MCP server `s`"), "{loaded:?}");
    let script = view(json!({ "name": "s:acme/notes", "path": "scripts/run.sh" }));
    assert_eq!(script["content"], "scripts/run.sh of s:acme/notes");
    assert_eq!(view(json!({ "name": "s:acme/notes" }))["unchanged"], true);
    for name in ["s:other", "t:notes", "acme/notes"] {
        let refused = harness.call("skill_view", json!({ "name": name })).response().clone();
        assert!(refused.is_error() && refused.json.contains("there is no skill"), "{name}: {}", refused.json);
    }
    let listed = outside_index(&skills, &Env::empty(), |tool| tool != "no_such_tool");
    assert!(listed.starts_with("# Skills of MCP servers") && listed.contains("- s:notes: About notes."), "{listed}");
    assert!(
        !listed.contains("s:mac")
            && !listed.contains("s:tools")
            && !index(&skills, &Env::empty(), |_| true).contains("s:notes"),
        "{listed}"
    );
}

#[test]
fn the_person_is_asked_before_a_skill_of_a_server_is_read() {
    let (_folder, harness, _skills) = with_server(false);
    let refused = harness.call("skill_view", json!({ "name": "s:notes" })).response().clone();
    assert!(refused.is_error() && refused.json.contains("needs approval"), "{}", refused.json);
    let local = harness.call("skill_view", json!({ "name": "notes" })).value();
    assert!(local["content"].is_string(), "{local}");
}
