//! What a question offers, and what an answer then covers.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolc::approval::{KeptUntil, PermissionCall, PermissionDecision, Permissions};
use toolc::behaviour::Approval;
use toolc::{Call, DynamicTool, Registry, Task, Tool, ToolCall, ToolOutput};
use toolc_permissions::{Answer, AnswerStore, PermissionFile, PermissionSet, SessionPermissions, Trust};

use crate::TestFiles;

/// A store in memory.
#[derive(Default)]
struct Store(Mutex<Vec<(String, String)>>);

impl AnswerStore for Store {
    fn answers(&self, tool: &str) -> Vec<(i64, String)> {
        let kept = self.0.lock().expect("no test panics with it");
        let of_tool = kept.iter().zip(1..).filter(|((name, _), _)| name == tool);
        of_tool.map(|((_, rule), id)| (id, rule.clone())).collect()
    }

    fn add(&self, answer: &Answer<'_>) -> Result<(), String> {
        self.0.lock().expect("no test panics with it").push((answer.tool.to_owned(), answer.rule.to_owned()));
        Ok(())
    }
}

/// Returns a tool every call of which needs approval.
fn tool(name: &'static str, toolset: &'static str, parameters: &Value) -> Tool {
    let schema = json!({ "type": "object", "properties": parameters });
    let registry = Registry::new();
    let made = DynamicTool::sync(name, "Does it.", schema, |_, _| Ok(ToolOutput::text("")));
    registry.add(made.approval(Approval::ALWAYS).build().expect("a correct tool")).expect("a new name");
    let mut tool = registry.tool(name).expect("it was added");
    tool.toolset = toolset.into();
    tool
}

fn rules(text: &str) -> Arc<PermissionSet> {
    let file = PermissionFile::read("rules", text, Trust::Home).unwrap_or_else(|error| panic!("{error}"));
    Arc::new(PermissionSet::new([&file]))
}

fn decide(permissions: &SessionPermissions, tool: &Tool, arguments: &Value) -> PermissionDecision {
    decide_in(permissions, tool, arguments, "local")
}

fn decide_in(
    permissions: &SessionPermissions,
    tool: &Tool,
    arguments: &Value,
    environment: &str,
) -> PermissionDecision {
    let task = Task::new("test");
    task.set_environment(environment);
    let call = Call::new(ToolCall::new(&tool.name, "{}").with_task(&task));
    permissions.decide(&PermissionCall::new(tool, arguments, &call))
}

fn offer(permissions: &SessionPermissions, tool: &Tool, arguments: &Value) -> Option<String> {
    decide(permissions, tool, arguments).offer.map(|offer| offer.text)
}

fn session() -> SessionPermissions {
    SessionPermissions::new(Arc::default()).paths(Arc::new(TestFiles))
}

#[test]
fn the_narrowest_rule_has_folders_hosts_or_the_same_values() {
    let text = || json!({ "type": "string" });
    let write =
        tool("write_file", "file", &json!({ "path": text(), "content": text(), "append": { "type": "boolean" } }));
    let fetch = tool(
        "fetch",
        "web",
        &json!({ "url": text(), "method": { "enum": ["GET", "POST"] }, "size": { "type": "integer" } }),
    );
    let patch = tool("patch", "file", &json!({ "path": text(), "patch": text() }));
    for (tool, arguments, expected) in [
        (&write, json!({ "path": "src/a", "content": "x" }), "calls of `write_file` with `path` in `/work/src`"),
        (&write, json!({ "path": "link/a", "content": "x" }), "calls of `write_file` with `path` in `/etc`"),
        (&write, json!({ "path": "a", "content": "x" }), "calls of `write_file` with `path` in `/work/a`"),
        (
            &write,
            json!({ "path": "~/.bashrc", "append": true }),
            "calls of `write_file` with `path` in `/home/user/.bashrc`, `append` = true",
        ),
        (&write, json!({ "path": "/x" }), "calls of `write_file` with `path` in `/x`"),
        (&write, json!({ "path": "a*b/[c]/d" }), "calls of `write_file` with `path` in `/work/a[*]b/[[]c]`"),
        (
            &fetch,
            json!({ "url": "https://A.example.com/x", "method": "GET", "size": 5 }),
            "calls of `fetch` with `url` at `a.example.com`, `method` = \"GET\"",
        ),
        (&fetch, json!({ "method": "POST", "size": 5 }), "calls of `fetch` with `method` = \"POST\", `size` = 5"),
        (&fetch, json!({}), "calls of `fetch` without arguments"),
        (&patch, json!({ "patch": "src/a\ntests/b" }), "calls of `patch` with `path` in `/work/src` or `/work/tests`"),
    ] {
        assert_eq!(offer(&session(), tool, &arguments).as_deref(), Some(expected), "{arguments}");
    }
    let long = json!({ "size": 1, "method": "x".repeat(5000) });
    for (tool, arguments) in [(&fetch, long), (&write, json!({ "path": "a\0" })), (&patch, json!({ "patch": "?" }))] {
        assert_eq!(offer(&session(), tool, &arguments), None, "{arguments}");
    }
    let mut login = tool("login", "web", &json!({ "user": text(), "key": text() }));
    Arc::make_mut(&mut login.arguments).properties[1].secret = true;
    assert_eq!(offer(&session(), &login, &json!({ "user": "a" })), None);
}

#[test]
fn an_answer_covers_what_was_offered_and_nothing_else() {
    let text = || json!({ "type": "string" });
    let write =
        tool("write_file", "file", &json!({ "path": text(), "content": text(), "append": { "type": "boolean" } }));
    let store = Arc::new(Store::default());
    for until in [KeptUntil::SessionEnd, KeptUntil::Revoked] {
        let new = || session().store(Arc::clone(&store) as Arc<dyn AnswerStore>);
        let permissions = new();
        let asked = decide(&permissions, &write, &json!({ "path": "src/a", "content": "x" }));
        assert!(asked.asked.is_empty() && !asked.is_allowed, "only the tool requires approval");
        permissions.keep(&asked.offer.expect("a folder can be offered"), until).expect("it can be kept");
        for (arguments, environment, is_allowed) in [
            (json!({ "path": "src/b", "content": "other" }), "local", true),
            (json!({ "path": "inside/deep/er", "content": "x" }), "local", true),
            (json!({ "path": "src/a", "content": "x" }), "docker", false),
            (json!({ "path": "src/a", "content": "x", "append": true }), "local", false),
            (json!({ "path": "src/../a", "content": "x" }), "local", false),
            (json!({ "path": "SRC/a", "content": "x" }), "local", false),
            (json!({ "content": "x" }), "local", false),
        ] {
            let found = decide_in(&permissions, &write, &arguments, environment);
            assert_eq!(found.is_allowed, is_allowed, "{arguments} {environment}");
            let later = decide_in(&new(), &write, &arguments, environment);
            assert_eq!(later.is_allowed, is_allowed && until == KeptUntil::Revoked, "{arguments} {environment}");
        }
    }
    assert_eq!(store.0.lock().expect("no test panics with it").len(), 1);
    store.0.lock().expect("no test panics with it").clear();
    let revoked = session().store(store);
    assert!(!decide(&revoked, &write, &json!({ "path": "src/a", "content": "x" })).is_allowed, "it was revoked");
}

#[test]
fn an_answer_is_an_exception_to_the_rules_that_asked_only() {
    let rule = |name: &str, keys: &str| {
        format!(
            "[[permissions]]\nname = \"{name}\"\ndescription = \"D.\"\nverdict = \"ask\"\ntools = [\"push\"]\n{keys}\n"
        )
    };
    let set = rules(
        &(rule("branches", "parameters.branch.matches = [\"*\"]") + &rule("force", "parameters.force.is = [true]")),
    );
    let push = tool("push", "git", &json!({ "branch": { "type": "string" }, "force": { "type": "boolean" } }));
    let permissions = SessionPermissions::new(set).store(Arc::new(Store::default()));
    let names = |found: &PermissionDecision| found.asked.iter().map(|reason| reason.rule.clone()).collect::<Vec<_>>();
    let asked = decide(&permissions, &push, &json!({ "branch": "main" }));
    assert_eq!(names(&asked), ["branches"]);
    let offer = asked.offer.expect("the same values can be offered");
    assert_eq!(offer.text, "calls of `push` with `branch` = \"main\"");
    permissions.keep(&offer, KeptUntil::SessionEnd).expect("it can be kept");
    assert!(decide(&permissions, &push, &json!({ "branch": "main" })).is_allowed);
    assert_eq!(names(&decide(&permissions, &push, &json!({ "branch": "dev" }))), ["branches"]);
    assert_eq!(names(&decide(&permissions, &push, &json!({ "branch": "main", "force": true }))), ["branches", "force"]);
}

/// A rule about a path or a host says that other arguments are open. A project could widen an answer that way.
#[test]
fn a_project_does_not_say_which_arguments_are_paths_or_hosts() {
    let ask = |name: &str, keys: &str| {
        format!(
            "[[permissions]]\nname = \"{name}\"\ndescription = \"D.\"\nverdict = \"ask\"\ntools = [\"pay\"]\n{keys}\n"
        )
    };
    let pay = tool("pay", "bank", &json!({ "memo": { "type": "string" }, "amount": { "type": "integer" } }));
    let arguments = json!({ "memo": "notes/rent", "amount": 5 });
    for (keys, of_user) in [
        ("parameters.memo.outside = [\"x\"]", "calls of `pay` with `memo` in `/work/notes`"),
        ("parameters.memo.hosts = [\"notes\"]", "calls of `pay` with `memo` at `notes`"),
    ] {
        for (trust, expected) in
            [(Trust::Home, of_user), (Trust::Project, "calls of `pay` with `memo` = \"notes/rent\", `amount` = 5")]
        {
            let file = PermissionFile::read("rules", &ask("a", keys), trust).unwrap_or_else(|error| panic!("{error}"));
            let permissions = SessionPermissions::new(Arc::new(PermissionSet::new([&file]))).paths(Arc::new(TestFiles));
            assert_eq!(offer(&permissions, &pay, &arguments).as_deref(), Some(expected), "{keys} {trust:?}");
        }
    }
}

#[test]
fn an_answer_about_null_covers_the_same_call() {
    let nullable = tool("set", "x", &json!({ "value": { "type": ["string", "null"] }, "list": { "type": "array" } }));
    let arguments = json!({ "value": null, "list": [] });
    let permissions = session();
    let offered = decide(&permissions, &nullable, &arguments).offer.expect("the same values can be offered");
    assert_eq!(offered.text, "calls of `set` with `value` = null, `list` = []");
    permissions.keep(&offered, KeptUntil::SessionEnd).expect("it can be kept");
    assert!(decide(&permissions, &nullable, &arguments).is_allowed);
    for other in [json!({ "value": "x", "list": [] }), json!({ "value": null, "list": [1] })] {
        assert!(!decide(&permissions, &nullable, &other).is_allowed, "{other}");
    }
}
