//! The toolsets to which a call limits its helpers.

use serde_json::{Value, json};

use super::{agent, call, configure, delegate, of, results, text};
use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{folder, run};

/// What a call of `delegate_task` does in a conversation with one set of tools.
struct Narrowing {
    config: &'static str,
    options: &'static [&'static str],
    arguments: Value,
    /// The tools of each helper, by a word of its goal, or what the refusal says.
    outcome: Result<Vec<(&'static str, &'static str)>, &'static [&'static str]>,
}

/// Returns the outcome of the call of a case, in the form of [`Narrowing::outcome`].
fn narrowed(case: &Narrowing) -> Result<Vec<(String, String)>, String> {
    let vendor = VENDORS.iter().find(|vendor| vendor.api == "chat").expect("it is listed");
    let helpers = case.outcome.as_ref().map_or(0, Vec::len);
    let folder = folder();
    configure(folder.path(), case.config);
    let mut replies = vec![Reply::Events((vendor.answer)("", &[("c1", "delegate_task", case.arguments.clone())]))];
    replies.extend((0..=helpers).map(|_| Reply::Events((vendor.answer)("Done.", &[]))));
    let server = Server::start(replies);
    let variables = [(vendor.base, &*server.url), (vendor.key, "sk-a-secret-key")];
    let args = ["agent", "Begin.", "--json", "--model", "chat:m-1"];
    let run = run(folder.path(), &[&args, case.options].concat(), &variables);
    assert_eq!(run.status, Some(0), "{} {}", case.arguments, run.err);
    let result = results(&run).remove(0);
    if let Some(error) = result["error"].as_str() {
        return Err(error.to_owned());
    }
    let mut seen = Vec::new();
    for request in server.requests() {
        let first = request["messages"][1]["content"].to_string();
        let Some(goal) = ["Goal A", "Goal B"].into_iter().find(|goal| first.contains(goal)) else { continue };
        let tools = request["tools"].as_array().into_iter().flatten();
        let tools: Vec<&str> = tools.map(|tool| tool["function"]["name"].as_str().expect("a name")).collect();
        seen.push((goal.to_owned(), tools.join(" ")));
    }
    seen.sort();
    Ok(seen)
}

const LEVELS: &str = "[agent.helpers]\nlevels = 2\n";
const FILES: &str = "patch read_file search_files write_file";
const ALL_OF_HELPERS: &str = "patch process read_file search_files session_search skill_manage skill_view skills_list terminal todo web_crawl web_extract write_file";

fn goal_a(toolsets: &Value) -> Value {
    json!({ "goal": "Goal A", "toolsets": toolsets })
}

fn narrowings() -> Vec<Narrowing> {
    let case = |config, options, arguments, outcome| Narrowing { config, options, arguments, outcome };
    let one = |toolsets: Value, tools: &'static str| case("", &[][..], goal_a(&toolsets), Ok(vec![("Goal A", tools)]));
    let no = |toolsets: Value, texts| case("", &[][..], goal_a(&toolsets), Err(texts));
    vec![
        case("", &[], json!({ "goal": "Goal A" }), Ok(vec![("Goal A", ALL_OF_HELPERS)])),
        one(json!(["file"]), FILES),
        one(json!(["todo", "file", "todo"]), "patch read_file search_files todo write_file"),
        // The reader makes a list of a single text.
        one(json!("terminal"), "process terminal"),
        one(json!("[\"terminal\"]"), "process terminal"),
        // A composite and a preset whose tools the parent has, without those that helpers never have.
        one(json!(["debugging"]), "patch process read_file search_files terminal web_crawl web_extract write_file"),
        one(json!(["cli"]), ALL_OF_HELPERS),
        no(json!(["kanban"]), &["`/toolsets/0`", "`kanban`, which has tools that you do not have", "file", "terminal"]),
        no(json!(["file", "kanban"]), &["`/toolsets/1`", "`kanban`"]),
        no(json!(["all"]), &["`all`, which is not a toolset"]),
        no(json!(["*"]), &["`*`, which is not a toolset"]),
        no(json!(["mcp-files"]), &["`mcp-files`, which is not a toolset"]),
        no(json!(["flie"]), &["`flie`", "did you mean `file`"]),
        no(json!([" file"]), &["` file`"]),
        no(json!(["read_file"]), &["`read_file`, which is not a toolset"]),
        no(json!(["file,terminal"]), &["`file,terminal`"]),
        no(json!(["memory"]), &["no tool that a helper can have"]),
        no(json!(["delegation"]), &["no tool that a helper can have"]),
        no(json!([]), &["toolsets"]),
        no(json!([""]), &["toolsets"]),
        no(json!(["a\u{1b}[2Jb"]), &["\\u{1b}"]),
        // The parent has less than the default.
        case("", &["--enable", "file"], goal_a(&json!(["terminal"])), Err(&["unknown tool `delegate_task`"])),
        case(
            "",
            &["--enable", "file,delegation"],
            goal_a(&json!(["debugging"])),
            Err(&["`debugging`, which has tools that you do not have"]),
        ),
        case("", &["--enable", "file,delegation"], goal_a(&json!(["file"])), Ok(vec![("Goal A", FILES)])),
        case(
            "[tools]\ndisable_tools = [\"write_file\"]\n",
            &[],
            goal_a(&json!(["file"])),
            Ok(vec![("Goal A", "patch read_file search_files")]),
        ),
        case("", &["--disable", "terminal"], goal_a(&json!(["terminal"])), Err(&["no tool that a helper can have"])),
        case(
            "",
            &["--disable", "terminal"],
            goal_a(&json!(["cli"])),
            Ok(vec![(
                "Goal A",
                "patch read_file search_files session_search skill_manage skill_view skills_list todo web_crawl web_extract write_file",
            )]),
        ),
        case(
            "[tools]\nenable_tools = [\"read_file\", \"delegate_task\"]\n",
            &[],
            goal_a(&json!(["file"])),
            Err(&["`file`, which has tools that you do not have"]),
        ),
        // Each task has its own limit, or that of the call.
        case(
            "",
            &[],
            json!({ "toolsets": ["file"], "tasks": [{ "goal": "Goal A" }, { "goal": "Goal B", "toolsets": ["todo"] }] }),
            Ok(vec![("Goal A", FILES), ("Goal B", "todo")]),
        ),
        case(
            "",
            &[],
            json!({ "tasks": [{ "goal": "Goal A" }, { "goal": "Goal B", "toolsets": ["todo", "kanban"] }] }),
            Err(&["`/tasks/1/toolsets/1`", "`kanban`"]),
        ),
        case("", &[], json!({ "action": "list", "toolsets": ["file"] }), Err(&["toolsets", "not to list"])),
        // Roles.
        case("", &[], json!({ "goal": "Goal A", "role": "leaf", "toolsets": ["todo"] }), Ok(vec![("Goal A", "todo")])),
        case("", &[], json!({ "goal": "Goal A", "role": "LEAF" }), Ok(vec![("Goal A", ALL_OF_HELPERS)])),
        case("", &[], json!({ "tasks": [{ "goal": "Goal A", "role": "leaf" }] }), Ok(vec![("Goal A", ALL_OF_HELPERS)])),
        case("", &[], json!({ "goal": "Goal A", "role": "orchestrator" }), Err(&["cannot start helpers", "role leaf"])),
        case(
            LEVELS,
            &[],
            json!({ "goal": "Goal A", "role": "orchestrator", "toolsets": ["todo"] }),
            Ok(vec![("Goal A", "delegate_task todo")]),
        ),
        case(
            LEVELS,
            &[],
            json!({ "goal": "Goal A", "role": "leaf", "toolsets": ["todo"] }),
            Ok(vec![("Goal A", "todo")]),
        ),
    ]
}

#[test]
fn a_call_limits_helpers_to_toolsets_of_the_parent_and_never_gives_them_more() {
    for case in narrowings() {
        let found = narrowed(&case);
        match (&case.outcome, found) {
            (Ok(expected), Ok(found)) => {
                let found: Vec<(&str, &str)> = found.iter().map(|(goal, tools)| (&**goal, &**tools)).collect();
                assert_eq!(&found, expected, "{} {:?}", case.arguments, case.options);
            }
            (Err(texts), Err(error)) => {
                for text in *texts {
                    assert!(error.contains(text), "{text}: {error}: {}", case.arguments);
                }
            }
            (expected, found) => panic!("{}: expected {expected:?}, got {found:?}", case.arguments),
        }
    }
}

#[test]
fn the_helpers_of_a_limited_helper_have_at_most_its_tools() {
    let folder = folder();
    configure(folder.path(), "[agent.helpers]\nlevels = 2\n");
    let answers = [
        delegate(json!({ "goal": "Level one", "role": "orchestrator", "toolsets": ["todo"] })),
        text("Done."),
        of("Level one", delegate(json!({ "goal": "Level two", "toolsets": ["file"] }))),
        of("Level one", delegate(json!({ "goal": "Level two" }))),
        of("Level one", text("Summary one.")),
        of("Level two", call("write_file", json!({ "path": "made", "content": "x" }))),
        of("Level two", text("Summary two.")),
    ];
    let run = agent(folder.path(), &answers, &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let begun = |goal: &str| {
        run.events().iter().filter(|event| event["event"] == "helper_begins" && event["goal"] == goal).count()
    };
    assert_eq!((begun("Level one"), begun("Level two")), (1, 1), "the limit to `file` is refused: {}", run.out);
    assert!(!folder.path().join("made").exists(), "{}", run.out);
}
