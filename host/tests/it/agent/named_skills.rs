//! Skills that options, jobs, tasks of boards and the person in the chat name.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolc_test_support::programs::has;

use crate::agent::chat::Tmux;
use crate::agent::server::{Reply, Server};
use crate::agent::skills::{skill, system, write};
use crate::agent::vendors::{VENDORS, Vendor};
use crate::agent::{Run, folder, run};

fn vendor() -> &'static Vendor {
    &VENDORS[0]
}

/// Starts a server that answers with these texts and calls.
fn server(answers: &[(&str, &[(&str, Value)])]) -> Server {
    let reply = |(text, calls): &(&str, &[(&str, Value)])| {
        let calls: Vec<_> = calls.iter().map(|(tool, arguments)| ("c1", *tool, arguments.clone())).collect();
        Reply::Events((vendor().answer)(text, &calls))
    };
    Server::start(answers.iter().map(reply).collect())
}

/// Runs a command with the model of a server.
fn with_model(folder: &Path, server: &Server, args: &[&str]) -> Run {
    let model = format!("{}:m-1", vendor().api);
    let args = [args, &["--model", &model]].concat();
    run(folder, &args, &[(vendor().base, &server.url), (vendor().key, "sk-a-secret-key")])
}

/// Returns the last message of the user in a request.
fn last_message(request: &Value) -> String {
    let messages = request["messages"].as_array().into_iter().flatten().rev();
    let mut of_user = messages.filter(|message| message["role"] == "user");
    of_user.next().and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
}

fn write_skills(folder: &Path) {
    write(folder, "home/skills/ops/deploy/SKILL.md", &skill("deploy", "Publishes the site.", "Run `make site`."));
    write(folder, "home/skills/ops/deploy/scripts/check.sh", "curl -I localhost\n");
    write(folder, "home/skills/check/SKILL.md", &skill("check", "Checks the site.", "Look at every page."));
    let other = "---\nname: other\ndescription: For another system.\nplatforms: [plan9]\n---\n\nText.\n";
    write(folder, "home/skills/other/SKILL.md", other);
}

#[test]
fn a_skill_of_the_options_is_part_of_the_instructions_also_when_the_conversation_is_continued() {
    let folder = folder();
    let folder = folder.path();
    write_skills(folder);
    let first = server(&[("Done.", &[])]);
    let ran = with_model(folder, &first, &["agent", "Go on.", "--skill", "ops/deploy", "--skill", "check", "--json"]);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    let instructions = system(&first.requests()[0]);
    for part in [
        "# Skills of this conversation",
        "The skill `deploy`: SKILL.md in ",
        "Run `make site`.",
        "Its other files: `scripts/check.sh`.",
        "Look at every page.",
    ] {
        assert!(instructions.contains(part), "{part}: {instructions}");
    }
    write(folder, "home/skills/ops/deploy/SKILL.md", &skill("deploy", "Publishes the site.", "Run `make publish`."));
    fs::remove_dir_all(folder.join("home/skills/check")).expect("the skill is removed");
    let later = server(&[("Done.", &[])]);
    let ran = with_model(folder, &later, &["agent", "Go on.", "--resume"]);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    assert!(ran.err.contains("note: there is no skill `check`"), "{}", ran.err);
    let instructions = system(&later.requests()[0]);
    assert!(instructions.contains("Run `make publish`.") && !instructions.contains("every page"), "{instructions}");
}

#[test]
fn a_conversation_that_is_continued_keeps_more_skills_than_can_be_named_at_once() {
    let folder = folder();
    let folder = folder.path();
    let names: Vec<String> = (0..15).map(|number| format!("skill{number:02}")).collect();
    for name in &names {
        write(
            folder,
            &format!("home/skills/{name}/SKILL.md"),
            &skill(name, "One of many.", &format!("Text of {name}.")),
        );
    }
    let options = |names: &[String]| -> Vec<String> {
        names.iter().flat_map(|name| ["--skill".to_owned(), name.clone()]).collect()
    };
    let (first, more) = (options(&names[..10]), options(&names[10..]));
    for args in [&first[..], &more[..], &[]] {
        let resume: &[&str] = if args.len() == 20 { &[] } else { &["--resume"] };
        let model = server(&[("Done.", &[])]);
        let args: Vec<&str> =
            ["agent", "Go on."].iter().chain(resume).copied().chain(args.iter().map(String::as_str)).collect();
        let ran = with_model(folder, &model, &args);
        assert_eq!((ran.status, ran.err.contains("more than")), (Some(0), false), "{}", ran.err);
        let instructions = system(&model.requests()[0]);
        let count = names.iter().filter(|name| instructions.contains(&format!("Text of {name}."))).count();
        assert_eq!(count, if resume.is_empty() { 10 } else { 15 }, "{args:?}");
    }
}

#[test]
fn all_skills_of_the_options_that_cannot_be_loaded_are_reported_at_once() {
    let folder = folder();
    let folder = folder.path();
    write_skills(folder);
    write(folder, ".agents/skills/team/SKILL.md", &skill("team", "What the team agreed on.", "Write tests."));
    let none = server(&[]);
    let args = ["agent", "Go on.", "--skill", "delpoy", "--skill", "check", "--skill", "other", "--skill", "team"];
    let wrong = with_model(folder, &none, &args);
    assert_eq!((wrong.status, &*wrong.out), (Some(2), ""), "{}", wrong.err);
    for part in [
        "there is no skill `delpoy`: did you mean `deploy`?",
        "the skill `other` cannot be used here: it is for plan9",
        "there is no skill `team`",
    ] {
        assert!(wrong.err.contains(part), "{part}: {}", wrong.err);
    }
    assert!(none.requests().is_empty());
    // The person has trusted the project, and the file is as it was then.
    assert_eq!(run(folder, &["trust", "--yes"], &[]).status, Some(0));
    let trusted = server(&[("Done.", &[])]);
    assert_eq!(with_model(folder, &trusted, &["agent", "Go on.", "--skill", "team"]).status, Some(0));
    assert!(system(&trusted.requests()[0]).contains("Write tests."));
}

#[test]
fn a_job_begins_with_its_skills_as_they_are_then_and_its_result_names_those_that_are_missing() {
    let folder = folder();
    let folder = folder.path();
    write_skills(folder);
    let add =
        ["cron", "add", "every 2h", "Publish.", "--skill", "deploy", "--skill", "gone", "--skill", "other", "--json"];
    let added = run(folder, &add, &[]);
    assert_eq!(added.status, Some(0), "{}", added.err);
    assert!(added.err.contains("note: there is no skill `gone`"), "{}", added.err);
    assert_eq!(added.events()[0]["skills"], json!(["deploy", "gone", "other"]));
    assert!(run(folder, &["cron", "show", "1"], &[]).out.contains("skills: deploy, gone, other\n"));
    write(folder, "home/skills/ops/deploy/SKILL.md", &skill("deploy", "Publishes the site.", "Run `make publish`."));
    let model = server(&[("Published.", &[])]);
    let ran = with_model(folder, &model, &["cron", "run", "1"]);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    let request = &model.requests()[0];
    assert!(system(request).contains("Run `make publish`."), "{}", system(request));
    for text in [&ran.out, &last_message(request)] {
        for part in ["Skills of this job are not loaded: there is no skill `gone`", "the skill `other` cannot be used"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    // A job without the tool that reads skills gets none.
    let without = run(folder, &["cron", "add", "every 2h", "Publish.", "--skill", "deploy", "--enable", "file"], &[]);
    assert_eq!(without.status, Some(2), "{}", without.err);
    assert!(
        without.err.contains("`skills` needs the tool `skill_view`, which the job would not have"),
        "{}",
        without.err
    );
    fs::write(folder.join("home/config.toml"), "[tools]\ndisable = [\"skills\"]\n").expect("failed to write");
    let model = server(&[("Published.", &[])]);
    let ran = with_model(folder, &model, &["cron", "run", "1"]);
    assert!(
        ran.out.contains("the skill `deploy` is not loaded without the tool `skill_view`"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(!system(&model.requests()[0]).contains("make publish"));
}

#[test]
fn a_worker_begins_with_the_skills_of_its_task_and_those_that_are_missing_are_on_the_board() {
    let folder = folder();
    let folder = folder.path();
    write_skills(folder);
    let added = run(folder, &["kanban", "add", "Publish", "--to", "ann", "--skill", "deploy", "--skill", "gone"], &[]);
    assert_eq!((added.status, &*added.out), (Some(0), "t1\n"), "{}", added.err);
    let done = json!({ "summary": "published" });
    let model = server(&[("", &[("kanban_show", json!({}))]), ("", &[("kanban_complete", done)]), ("Done.", &[])]);
    let worked = with_model(folder, &model, &["kanban", "work", "ann", "--once", "--approval", "off"]);
    assert_eq!(worked.status, Some(0), "{}", worked.err);
    let requests = model.requests();
    assert!(system(&requests[0]).contains("Run `make site`."), "{}", system(&requests[0]));
    let shown = requests[1].to_string();
    assert!(shown.contains("skills of the task are not loaded: there is no skill `gone`"), "{shown}");
    let shown = run(folder, &["kanban", "show", "t1"], &[]).out;
    assert!(shown.contains("skills: deploy, gone\n") && shown.contains("there is no skill `gone`"), "{shown}");
}

#[test]
fn a_model_names_skills_for_a_task_only_if_it_can_read_them() {
    let folder = folder();
    let folder = folder.path();
    write_skills(folder);
    let task = json!({ "title": "Publish", "assignee": "ann", "skills": ["deploy", "gone"] });
    for (number, toolsets, is_allowed) in [(1, "cli,kanban", true), (2, "file,kanban", false)] {
        let create = [("kanban_create", task.clone())];
        let model = server(&[("", &create), ("Done.", &[])]);
        let ran = with_model(folder, &model, &["agent", "Plan.", "--enable", toolsets]);
        assert_eq!(ran.status, Some(0), "{}", ran.err);
        let request = model.requests().remove(1).to_string();
        assert_eq!(request.contains("there is no skill `gone`"), is_allowed, "{request}");
        let shown = run(folder, &["kanban", "show", &format!("t{number}"), "--json"], &[]);
        let has_skills = shown.status == Some(0) && shown.events()[0]["skills"] == json!(["deploy", "gone"]);
        assert_eq!(has_skills, is_allowed, "{shown:?}");
    }
}

#[test]
fn a_batch_has_the_toolset_of_skills_only_if_it_is_named() {
    let folder = folder();
    let folder = folder.path();
    write_skills(folder);
    fs::write(folder.join("tasks"), "{\"prompt\":\"x\"}\n").expect("failed to write");
    for (out, args, has_tool, is_loaded) in [
        ("1", &[][..], false, false),
        ("2", &["--enable", "cli"], false, false),
        ("3", &["--enable", "cli,skills"], true, false),
        ("4", &["--enable", "file", "--enable-tools", "skill_view"], true, false),
        // A tool that is named, here by an alias, does not bring the others.
        ("4a", &["--enable", "cli", "--enable-tools", "view_skill"], true, false),
        ("5", &["--skill", "deploy"], false, true),
    ] {
        let model = server(&[("Done.", &[])]);
        let ran = with_model(folder, &model, &[&["batch", "tasks", "--out", out], args].concat());
        assert_eq!(ran.status, Some(0), "{args:?}: {}", ran.err);
        let request = &model.requests()[0];
        let (tools, instructions) = (request["tools"].to_string(), system(request));
        assert_eq!(tools.contains("\"skill_view\""), has_tool, "{args:?}: {tools}");
        assert_eq!(tools.contains("\"skill_manage\""), out == "3", "{args:?}: {tools}");
        assert_eq!(instructions.contains("# Skills\n"), has_tool, "{args:?}: {instructions}");
        assert_eq!(instructions.contains("Run `make site`."), is_loaded, "{args:?}: {instructions}");
    }
    // No distribution draws it.
    for distribution in toolc_catalog::DISTRIBUTIONS.iter() {
        assert!(distribution.toolsets.iter().all(|(toolset, _)| &**toolset != "skills"), "{}", distribution.name);
    }
}

#[test]
fn only_the_preset_cli_has_the_toolset_of_skills() {
    let folder = folder();
    let listed = run(folder.path(), &["definitions", "--enable", "cli"], &[]).out;
    assert!(listed.contains("\"skill_view\"") && listed.contains("\"skill_manage\""), "{listed}");
    for preset in ["api-server", "core", "cron", "webhook"] {
        let listed = run(folder.path(), &["definitions", "--enable", preset], &[]).out;
        assert!(listed.contains("\"todo\"") && !listed.contains("\"skill"), "{preset}: {listed}");
    }
}

#[test]
fn a_script_of_a_bundled_skill_runs_by_the_rules_of_commands() {
    if !has("python3") {
        return;
    }
    let folder = folder();
    let folder = folder.path();
    // Copies the bundled skills.
    fs::create_dir_all(folder.join("home")).expect("a folder");
    write(folder, "table.csv", "name,size\na,1\nb,2\n");
    let script = folder.join("home/skills/data/explore-tables/scripts/profile_table.py");
    let command = |line: String| json!({ "command": line });
    let view = [("skill_view", json!({ "name": "explore-tables" }))];
    let runs = [("terminal", command(format!("python3 {} table.csv", script.display())))];
    // What a script changes is judged as for any command.
    let changes = [("terminal", command(format!("rm {}", script.display())))];
    let model = server(&[("", &view), ("", &runs), ("", &changes), ("Done.", &[])]);
    let ran = with_model(folder, &model, &["agent", "What is in table.csv?", "--approval", "deny", "--json"]);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    let ends: Vec<Value> = ran.events().into_iter().filter(|event| event["event"] == "call_ends").collect();
    assert!(ends[0]["json"].to_string().contains("scripts/profile_table.py"), "{:#}", ends[0]);
    assert_eq!(ends[1]["error"], Value::Null, "{:#}", ends[1]);
    let result: Value = serde_json::from_str(ends[1]["json"].as_str().unwrap_or_default()).expect("JSON");
    assert_eq!(result["exit_code"], 0, "{result:#}");
    assert!(result["output"].as_str().is_some_and(|output| output.contains("size")), "{result:#}");
    assert_eq!(ends[2]["error"], "denied", "{:#}", ends[2]);
    assert!(script.exists());
}

#[test]
fn a_skill_is_named_in_the_chat_also_one_that_was_written_since_it_began() {
    let folder = folder();
    let folder = folder.path();
    write_skills(folder);
    write(folder, "home/skills/tools/SKILL.md", &skill("tools", "About tools.", "Sharpen them."));
    write(folder, ".agents/skills/team/SKILL.md", &skill("team", "What the team agreed on.", "Write tests."));
    let model = server(&[("Published.", &[]), ("Found.", &[]), ("Sharpened.", &[])]);
    let args = format!("--model {}:m-1", vendor().api);
    let variables = [(vendor().base, &*model.url), (vendor().key, "sk-a-secret-key")];
    let Some(tmux) = Tmux::start_with(folder, &args, &variables) else { return };
    tmux.wait_for("`/help` lists the commands");
    tmux.say("/help");
    tmux.wait_for("`/deploy`, ");
    tmux.say("/skill");
    tmux.wait_for("Publishes the site.");
    tmux.say("/new");
    tmux.wait_for("a new conversation begins");
    tmux.type_text("/dep");
    tmux.press("Tab");
    tmux.wait_for("> /deploy");
    tmux.say(" to the test server");
    tmux.wait_for("Published.");
    write(folder, "home/skills/late/SKILL.md", &skill("late", "Came later.", "Search everywhere."));
    tmux.say("/late");
    tmux.wait_for("Found.");
    tmux.say("/skill tools now");
    tmux.wait_for("Sharpened.");
    for (line, problem) in [
        ("/other x", "the skill `other` cannot be used here: it is for plan9"),
        ("/delpoy x", "unknown command `/delpoy`: did you mean `/deploy`?"),
        ("/skill delpoy", "there is no skill `delpoy`: did you mean `deploy`?"),
        ("/team x", "unknown command `/team`"),
    ] {
        tmux.say(line);
        tmux.wait_for(problem);
    }
    tmux.press("C-d");
    tmux.wait_for("status 0");
    drop(tmux);
    let requests = model.requests();
    let messages: Vec<String> = requests.iter().map(last_message).collect();
    let [first, second, third] = &messages[..] else { panic!("{messages:#?}") };
    assert!(
        first.starts_with("/deploy to the test server\n\n[The user has named a skill for this message."),
        "{first}"
    );
    assert!(first.contains("The skill `deploy`: SKILL.md in ") && first.contains("Run `make site`."), "{first}");
    assert!(second.starts_with("/late\n\n[The user") && second.contains("Search everywhere."), "{second}");
    assert!(third.starts_with("/skill tools now\n\n[The user") && third.contains("Sharpen them."), "{third}");
    // The list of the conversation has not changed, and the conversation is named as it was typed.
    assert_eq!(system(&requests[0]), system(&requests[2]));
    let sessions = run(folder, &["sessions", "list", "--json"], &[]);
    assert!(sessions.out.contains("\"title\":\"/deploy to the test server\""), "{}", sessions.out);
}
