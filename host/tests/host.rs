//! The host program, from outside: what it prints, to which stream, with which exit status.

use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A run of the program in a folder of its own.
struct Run {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    fn of(folder: &TempDir, args: &[&str]) -> Self {
        Self::with(folder, args, |program| program)
    }

    /// The same in another environment.
    fn with(folder: &TempDir, args: &[&str], change: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_toolc"));
        change(&mut program);
        program.args(args).current_dir(folder.path()).env("XDG_CACHE_HOME", folder.path().join("cache"));
        program.env("XDG_CONFIG_HOME", folder.path().join("config"));
        let Output { status, stdout, stderr } = program.output().expect("failed to start toolc");
        let text = |bytes| String::from_utf8(bytes).expect("only text is printed");
        Self { status: status.code(), out: text(stdout), err: text(stderr) }
    }

    /// The JSON on stdout, which is one line and all that is printed.
    fn json(&self) -> Value {
        assert_eq!(self.err, "", "{}", self.out);
        assert_eq!(self.out.matches('\n').count(), 1, "one line: {}", self.out);
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }

    /// A result.
    fn result(&self) -> Value {
        let json = self.json();
        assert_eq!(self.status, Some(0), "{json}");
        json
    }

    /// A tool's error.
    fn error(&self) -> Value {
        let json = self.json();
        assert_eq!(self.status, Some(1), "{json}");
        assert!(json["error"].is_string() && json["kind"].is_string(), "{json}");
        json
    }

    /// A mistake on the command line: one that says `text`.
    fn refused(&self, text: &str) {
        assert_eq!((self.status, self.out.as_str()), (Some(2), ""), "{}", self.err);
        assert!(self.err.contains(text), "{}", self.err);
    }
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let lines: Vec<String> = (1..=9).map(|i| format!("line {i}")).collect();
    std::fs::write(folder.path().join("README.md"), lines.join("\n")).expect("failed to write");
    folder
}

fn call(tool: &str, arguments: &str) -> Run {
    Run::of(&folder(), &["call", tool, arguments])
}

fn names(definitions: &Value) -> Vec<&str> {
    let all = definitions.as_array().expect("an array").iter();
    all.map(|definition| definition["function"]["name"].as_str().expect("a name")).collect()
}

#[test]
fn definitions_are_those_of_the_choice_sorted() {
    let definitions = |args: &[&str]| Run::of(&folder(), &[&["definitions"], args].concat()).result();
    let safe = definitions(&["--enable", "safe"]);
    assert_eq!(names(&safe), ["read_file", "search_files", "todo"]);
    for definition in safe.as_array().expect("an array") {
        assert_eq!(definition["type"], "function");
        assert_eq!(definition["function"]["parameters"]["type"], "object");
    }
    // Without `safe`, which holds tools of `file` and `todo`; a preset leaves its base.
    assert!(!names(&definitions(&["--disable", "safe"])).contains(&"read_file"));
    assert_eq!(
        names(&definitions(&["--enable", "cli", "--disable", "cli"])),
        names(&definitions(&["--enable", "core"]))
    );
    let both = definitions(&["--enable", "todo,terminal"]);
    assert_eq!(both, definitions(&["--enable", "terminal", "--enable", "todo"]));
    assert_eq!(names(&both), ["terminal", "todo"]);
    assert_eq!(definitions(&[]), definitions(&["--enable", "all"]));
    assert_eq!(definitions(&["--disable", "all"]), json!([]));
}

#[test]
fn the_same_choice_gives_the_same_bytes() {
    let run = || Run::of(&folder(), &["definitions", "--enable", "core"]).out;
    assert_eq!(run(), run());
}

#[test]
fn almost_right_arguments_are_repaired() {
    let read = call("read_file", r#"{"path":"README.md","limit":"5","offset":"2.0"}"#).result();
    assert_eq!(read, call("read_file", r#"{"path":"README.md","limit":5,"offset":2}"#).result());
    let content = read["content"].as_str().expect("text");
    assert!(content.contains("line 2") && content.contains("line 6"), "{content}");
    assert!(!content.contains("line 1") && !content.contains("line 7"), "{content}");
}

#[test]
fn every_problem_is_told_at_once() {
    let error = call("read_file", r#"{"limit":[]}"#).error();
    assert_eq!(error["kind"], "invalid_arguments");
    let problems = error["problems"].as_array().expect("problems");
    let paths: Vec<&Value> = problems.iter().map(|problem| &problem["path"]).collect();
    assert_eq!(paths, ["/path", "/limit"]);
    for problem in problems {
        assert!(problem["expected"].is_string() && problem["got"].is_string(), "{problem}");
    }
    let text = error["error"].as_str().expect("text");
    assert!(text.contains("/path") && text.contains("/limit"), "{text}");
}

#[test]
fn arguments_that_cannot_be_read_are_errors_at_once() {
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let deep_value = format!(r#"{{"path":{deep}}}"#);
    for arguments in [r#"{"path":"README.md""#, r#"{"path":"READ"#, "", "nonsense", "{} {}", &deep, &deep_value, "[[["]
    {
        let error = call("read_file", arguments).error();
        assert_eq!(error["kind"], "malformed_arguments", "{arguments:.40}");
    }
    // No handler ran: this one would have written.
    let folder = folder();
    let cut_off = Run::of(&folder, &["call", "write_file", r#"{"path":"new.txt","content":"half of i"#]).error();
    assert!(cut_off["error"].as_str().is_some_and(|text| text.contains("cut off")), "{cut_off}");
    assert!(!folder.path().join("new.txt").exists());
}

#[test]
fn a_tool_that_was_not_enabled_is_refused() {
    let folder = folder();
    let write = r#"{"path":"new.txt","content":""}"#;
    let error = Run::of(&folder, &["call", "write_file", write, "--enable", "safe"]).error();
    assert_eq!(error["kind"], "unknown_tool");
    let text = error["error"].as_str().expect("text");
    assert!(text.contains("`write_file`") && text.contains("read_file"), "{text}");
    assert!(!folder.path().join("new.txt").exists());

    Run::of(&folder, &["call", "write_file", write, "--enable", "file"]).result();
    assert!(folder.path().join("new.txt").exists());

    let nearest = call("raed_file", "{}").error();
    assert_eq!(nearest["kind"], "unknown_tool");
    assert!(nearest["error"].as_str().is_some_and(|text| text.ends_with("did you mean `read_file`?")), "{nearest}");
}

#[test]
fn a_handlers_error_is_a_tools_error() {
    let error = call("read_file", r#"{"path":"RAEDME.md"}"#).error();
    assert_eq!(error["kind"], "not_found");
    assert!(error["error"].as_str().is_some_and(|text| text.contains("README.md")), "{error}");
}

#[test]
fn mistakes_on_the_command_line_have_a_status_of_their_own() {
    let run = |args: &[&str]| Run::of(&folder(), args);
    run(&["definitions", "--enable", "saef"]).refused("unknown toolset `saef`: did you mean `safe`?");
    run(&["definitions", "--disable", "saef"]).refused("unknown toolset `saef`: did you mean `safe`?");
    run(&["call", "read_file", "{}", "--enable", "read_file"]).refused("read_file");
    run(&["call", "read_file"]).refused("<ARGUMENTS>");
    run(&["definitons"]).refused("definitions");
    run(&[]).refused("Usage");
}

#[test]
fn state_belongs_to_one_process() {
    let folder = folder();
    let write = r#"{"todos":[{"id":"1","content":"Write it.","status":"pending"}]}"#;
    let written = Run::of(&folder, &["call", "todo", write, "--task", "a"]).result();
    assert!(written.to_string().contains("Write it."), "{written}");
    let read = Run::of(&folder, &["call", "todo", "{}", "--task", "a"]).result();
    assert!(!read.to_string().contains("Write it."), "{read}");
}

/// Where no program is found.
fn without_programs(args: &[&str]) -> Run {
    let folder = folder();
    Run::with(&folder, args, |program| program.env("PATH", folder.path()))
}

/// Where `sh` is.
fn with_a_shell(args: &[&str]) -> Run {
    let folder = folder();
    let shell = folder.path().join(if cfg!(windows) { "sh.exe" } else { "sh" });
    std::fs::write(&shell, "").expect("failed to write");
    #[cfg(unix)]
    std::fs::set_permissions(&shell, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("failed to make it a program");
    Run::with(&folder, args, |program| program.env("PATH", folder.path()))
}

#[test]
fn the_doctor_tells_which_tools_are_there() {
    let well = with_a_shell(&["doctor"]);
    assert_eq!((well.status, well.err.as_str()), (Some(0), ""));
    assert_eq!(
        well.out,
        "✓ patch (file)\n✓ read_file (file)\n✓ search_files (file)\n✓ terminal (terminal)\n✓ todo (todo)\n\
         ✓ write_file (file)\n6 of 6 tools are available\n"
    );
    let ill = without_programs(&["doctor", "--enable", "terminal,todo"]);
    assert_eq!((ill.status, ill.err.as_str()), (Some(1), ""));
    let told = "! terminal (terminal)\n    needs the program `sh`\n✓ todo (todo)\n1 of 2 tools are available\n";
    assert_eq!(ill.out, told);
    assert_eq!(without_programs(&["doctor", "--disable", "terminal"]).status, Some(0));
}

#[test]
fn the_doctor_speaks_json_too() {
    let ill = without_programs(&["doctor", "--json", "--enable", "terminal"]);
    assert_eq!(ill.status, Some(1));
    let unmet = json!([{ "kind": "programs", "names": ["sh"], "text": "needs the program `sh`" }]);
    let terminal = json!({ "tool": "terminal", "toolset": "terminal", "is_shown": false, "unmet": unmet, "flakes": [],
        "missing": [] });
    assert_eq!(ill.json(), json!({ "tools": [terminal], "missing_toolsets": [], "variables": [], "plugins": [] }));
    assert_eq!(with_a_shell(&["doctor", "--json"]).result()["tools"][0]["is_shown"], true);
}

#[test]
fn why_tells_the_way_that_grants_a_tool_and_what_it_needs() {
    let shown = with_a_shell(&["why", "terminal", "--enable", "cli"]);
    assert_eq!((shown.status, shown.err.as_str()), (Some(0), ""));
    let lines: Vec<&str> = shown.out.lines().map(str::trim).collect();
    assert_eq!(lines[..3], ["`terminal` is shown", "granted: cli → terminal", "✓ needs the program `sh`",]);
    assert!(
        lines[3].starts_with("text \"To look into files, prefer read_file and search_files.\" is included: "),
        "{lines:?}"
    );
    assert!(lines[3].ends_with("(`read_file` is available, `search_files` is available)"), "{lines:?}");

    let hidden = without_programs(&["why", "terminal"]);
    assert_eq!(hidden.status, Some(1));
    assert!(hidden.out.starts_with("`terminal` is hidden: needs the program `sh`\n"), "{}", hidden.out);
    let taken = with_a_shell(&["why", "read_file", "--enable", "file", "--disable", "safe", "--json"]);
    assert_eq!(taken.status, Some(1));
    let taken = taken.json();
    assert_eq!(taken["status"], "disabled");
    assert_eq!(taken["grants"], json!([{ "by": "path", "path": ["file"] }]));
    let not = with_a_shell(&["why", "todo", "--enable", "file"]);
    assert_eq!(not.status, Some(1));
    assert!(not.out.starts_with("`todo` is not granted\n    it is part of `"), "{}", not.out);
}

#[test]
fn why_knows_what_an_unknown_tool_may_be_a_slip_for() {
    let run = |args: &[&str]| Run::of(&folder(), args);
    run(&["why", "raed_file"]).refused("no tool provider has a tool `raed_file`: did you mean `read_file`?");
    run(&["why", "browser"]).refused("no tool provider has a tool `browser`");
    run(&["why", "read_file", "--enable", "saef"]).refused("unknown toolset `saef`: did you mean `safe`?");
    run(&["doctor", "--disable", "saef"]).refused("unknown toolset `saef`: did you mean `safe`?");
}

/// Writes a plugin whose tool prints a given response.
#[cfg(unix)]
fn plugin(folder: &TempDir, plugins: &str, tool: &str) {
    use std::os::unix::fs::PermissionsExt;
    let root = folder.path().join(plugins);
    for (path, text, mode) in [
        ("echo/plugin.toml", "executable = \"run\"\n", 0o644),
        ("echo/run", "#!/bin/sh\nprintf '{\"result\": %s}' \"$(cat)\"\n", 0o755),
        ("echo/manifests/tools/echo.toml", tool, 0o644),
        ("echo/manifests/toolsets/echo.toml", "name = \"echo\"\ndescription = \"Echoes.\"\n", 0o644),
    ] {
        let path = root.join(path);
        let above = path.parent().expect("it is in a folder");
        std::fs::create_dir_all(above).expect("failed to make a folder");
        std::fs::write(&path, text).expect("failed to write");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("failed to set its mode");
        for folder in above.ancestors().take_while(|above| above.starts_with(&root)) {
            std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("failed to set its mode");
        }
    }
}

#[cfg(unix)]
const ECHO: &str = "name = \"echo\"\ntoolset = \"echo\"\ndescription = \"Say it again.\"\n\n[params.times]\ntype = \"integer\"\ndescription = \"How often.\"\n";

#[cfg(unix)]
#[test]
fn the_users_plugins_are_there_and_a_projects_are_only_if_they_are_named() {
    let folder = folder();
    plugin(&folder, "config/toolc/plugins", ECHO);
    plugin(&folder, ".toolc/plugins", &ECHO.replace("\"echo\"\ntoolset", "\"echo\"\nemoji = \"!\"\ntoolset"));
    let call = |args: &[&str]| Run::of(&folder, &[&["call", "echo", r#"{"times":"3"}"#], args].concat());
    assert_eq!(call(&[]).result()["arguments"], json!({ "times": 3 }));
    let shown = |args: &[&str]| Run::of(&folder, &[&["doctor", "--enable", "echo", "--json"], args].concat()).result();
    let here = |doctor: &Value| {
        doctor["plugins"].as_array().expect("a list").iter().map(|one| one["folder"].clone()).collect::<Vec<_>>()
    };
    let own = folder.path().join("config/toolc/plugins/echo");
    assert_eq!(here(&shown(&[])), [json!(own)]);
    let named = shown(&["--plugins", ".toolc/plugins"]);
    assert_eq!(here(&named).len(), 1);
    assert!(
        named["plugins"][0]["folder"].as_str().is_some_and(|path| path.ends_with("/.toolc/plugins/echo")),
        "{named}"
    );
    Run::of(&folder, &["doctor", "--plugins", "missing"]).refused("no such folder of plugins: missing");
}

#[cfg(unix)]
#[test]
fn a_broken_plugin_is_told_and_stops_nothing() {
    let folder = folder();
    plugin(&folder, "plugins", &ECHO.replace("type", "tpye"));
    let args = ["call", "read_file", r#"{"path":"README.md"}"#, "--plugins", "plugins"];
    let read = Run::of(&folder, &args);
    assert_eq!(read.status, Some(0), "{}", read.out);
    assert!(read.err.starts_with("warning: plugin `echo`") && read.err.contains("echo.toml:6:1"), "{}", read.err);
    let doctor = Run::of(&folder, &["doctor", "--enable", "todo", "--plugins", "plugins"]);
    assert_eq!((doctor.status, doctor.err.as_str()), (Some(1), ""));
    assert!(doctor.out.contains("is not loaded") && doctor.out.contains("did you mean `type`?"), "{}", doctor.out);
}

/// A model's text may hold anything that a command line can.
#[test]
fn odd_text_comes_back_whole() {
    let folder = folder();
    let content = "tab\t \"quotes\" \\ ü \u{1f600} \u{1} \u{2028}\nline two";
    let arguments = json!({ "path": "odd näme.txt", "content": content }).to_string();
    Run::of(&folder, &["call", "write_file", &arguments]).result();
    let found = std::fs::read_to_string(folder.path().join("odd näme.txt")).expect("failed to read");
    assert_eq!(found, content);
}

/// A file whose lines are found, and whose letters each take six in JSON.
const LOUD: &str = r#"{"path":"loud.txt","pattern":"loud","limit":200}"#;

fn loud_folder() -> TempDir {
    let folder = folder();
    let line = format!("loud {}\n", "\u{1}".repeat(400));
    std::fs::write(folder.path().join("loud.txt"), line.repeat(100)).expect("failed to write");
    folder
}

#[test]
fn a_long_result_is_there_for_the_next_call_and_not_for_ever() {
    let folder = loud_folder();
    let search = || Run::of(&folder, &["call", "search_files", LOUD]).result();
    let cut = search();
    assert_eq!(cut["truncated"], true, "{cut:.300}");
    let file = cut["file"].as_str().expect("it is kept");
    let read = Run::of(&folder, &["call", "read_file", &json!({ "path": file, "limit": 20 }).to_string()]).result();
    assert!(read["content"].as_str().is_some_and(|content| content.contains("loud.txt")), "{read:.300}");

    let two_days_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(48);
    let kept = std::fs::File::options().write(true).open(file).expect("it is there");
    kept.set_modified(two_days_ago).expect("failed to set its time");
    drop(kept);
    let next = search();
    assert!(!std::path::Path::new(file).exists() && std::path::Path::new(next["file"].as_str().unwrap()).exists());
}

#[test]
fn where_nothing_can_be_kept_the_user_is_told() {
    let folder = loud_folder();
    std::fs::write(folder.path().join("cache"), "no folder").expect("failed to write");
    let Run { status, out, err } = Run::of(&folder, &["call", "search_files", LOUD]);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains(r#""missing":"#) && !out.contains(r#""file":"#), "{out:.300}");
    assert!(err.starts_with("warning: ") && err.contains("failed to keep a result in"), "{err}");
}
