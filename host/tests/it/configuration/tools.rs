//! `toolc tools`: what is listed, and how toolsets are switched on and off.

use std::fs;

use super::{folder, run, write};

#[test]
fn each_tool_is_listed_with_its_state() {
    let folder = folder();
    write(&folder, "home/config.toml", "# mine\n[tools]\ndisable_tools = [\"write_file\"]\n");
    let list = run(&folder, &["tools"]);
    assert_eq!(list.status, Some(0), "{}", list.err);
    for text in ["file (off): Read, write, edit and search files.", "[ ] ", "[✓] ", "safe (on)"] {
        assert!(list.out.contains(text), "{text}: {}", list.out);
    }
    let json = run(&folder, &["tools", "--json"]).json();
    let toolset = |name: &str| {
        let all = json["toolsets"].as_array().expect("an array").iter();
        all.clone().find(|toolset| toolset["name"] == name).expect("it is listed").clone()
    };
    let tools = toolset("file")["tools"].clone();
    let state = |name: &str| {
        let all = tools.as_array().expect("an array").iter();
        let tool = all.clone().find(|tool| tool["name"] == name).expect("it is listed");
        (tool["on"].clone(), tool["available"].clone())
    };
    assert_eq!(state("write_file"), (false.into(), true.into()));
    assert_eq!(state("read_file"), (true.into(), true.into()));
}

#[test]
fn a_tool_that_lacks_something_is_marked_with_what_it_lacks() {
    let folder = folder();
    super::variables::plugin(&folder, "home", "");
    let enabled = run(&folder, &["tools", "enable", "show"]);
    assert_eq!(enabled.status, Some(0), "{}", enabled.err);
    let list = run(&folder, &["tools"]).out;
    let line = list.lines().find(|line| line.contains("] show")).expect("it is listed");
    assert!(line.contains("[!]") && line.contains("SHOW_ACCOUNT"), "{line}");
    write(&folder, "home/.env", "SHOW_ACCOUNT=x\n");
    assert!(run(&folder, &["tools"]).out.contains("[✓] show"));
}

#[test]
fn a_tool_is_switched_by_each_name_that_a_call_may_use() {
    for name in ["read_file", "Read-File", "cat", "Read", "file-read"] {
        let folder = folder();
        let file = || fs::read_to_string(folder.path().join("home/config.toml")).unwrap_or_default();
        assert_eq!(run(&folder, &["why", name]).status, Some(0), "{name}");
        let once = run(&folder, &["why", name, "--disable-tools", name]);
        assert!(once.out.starts_with("`read_file` is disabled"), "{name}: {} {}", once.out, once.err);
        let call = run(&folder, &["call", name, "path=x", "--disable-tools", "read_file"]);
        assert!(call.err.contains("note: `read_file` is off"), "{name}: {} {}", call.out, call.err);
        let disabled = run(&folder, &["tools", "disable", name]);
        let new = "#:schema config.schema.json\nversion = 1\n\n[tools]\ndisable_tools = [\"read_file\"]\n";
        assert_eq!((disabled.status, file()), (Some(0), new.to_owned()), "{name}");
        // A person may write such a name into the file as well.
        write(&folder, "home/config.toml", &format!("[tools]\ndisable_tools = [\"{name}\"]\n"));
        let check = run(&folder, &["config", "check"]);
        assert_eq!(check.status, Some(0), "{name}: {}", check.err);
        assert_eq!(run(&folder, &["why", "read_file"]).status, Some(1), "{name}");
    }
}

#[test]
fn toolsets_and_tools_are_switched_and_comments_stay() {
    let folder = folder();
    let file = "# mine\n[agent]\nmax_iterations = 5 # few\n";
    write(&folder, "home/config.toml", file);
    let text = || fs::read_to_string(folder.path().join("home/config.toml")).expect("it exists");
    let switch = |args: &[&str]| {
        let run = run(&folder, &[&["tools"], args].concat());
        assert_eq!(run.status, Some(0), "{args:?}: {}", run.err);
        run.out
    };
    switch(&["disable", "terminal", "write_file"]);
    assert_eq!(text(), format!("{file}\n[tools]\ndisable = [\"terminal\"]\ndisable_tools = [\"write_file\"]\n"));
    assert_eq!(switch(&["disable", "terminal"]), "nothing to change\n");
    assert_eq!(run(&folder, &["why", "terminal"]).status, Some(1));
    // The default, `cli`, has them.
    switch(&["enable", "terminal", "write_file"]);
    assert_eq!(text(), file);
    // So are the tools of plugins, whatever the list says.
    super::variables::plugin(&folder, "home", "");
    assert_eq!(switch(&["enable", "show"]), "nothing to change\n");
    switch(&["enable", "kanban"]);
    assert!(text().ends_with("[tools]\nenable = [\"cli\", \"kanban\"]\n"), "{}", text());
    assert_eq!(switch(&["enable", "show"]), "nothing to change\n");
}

#[test]
fn unknown_names_change_nothing() {
    let folder = folder();
    let refused = run(&folder, &["tools", "disable", "todo", "termnal"]);
    refused.assert_refused(&["unknown toolset or tool `termnal`", "did you mean `terminal`"]);
    assert!(!folder.path().join("home").exists());
}
