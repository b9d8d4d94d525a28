//! Runs the program `toolc` and checks its output on both streams and its exit status.

use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolc_test_support::{SANDBOX, skip};

/// The outcome of one run of the program.
struct Run {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    fn new(folder: &TempDir, args: &[&str]) -> Self {
        Self::with(folder, args, |program| program)
    }

    /// Runs the program in `folder`, after `change` has changed its environment.
    fn with(folder: &TempDir, args: &[&str], change: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_toolc"));
        change(&mut program);
        program.args(args).current_dir(folder.path()).env("XDG_CACHE_HOME", folder.path().join("cache"));
        program.env("XDG_CONFIG_HOME", folder.path().join("config")).env("TOOLC_HOME", folder.path().join("home"));
        // A question would wait for the person who runs the tests.
        program.env("TOOLC_APPROVAL", "deny");
        let Output { status, stdout, stderr } = program.output().expect("failed to start toolc");
        let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
        Self { status: status.code(), out: text(stdout), err: text(stderr) }
    }

    /// Returns the JSON on stdout, and checks that it is one line and that stderr is empty.
    fn json(&self) -> Value {
        assert_eq!(self.err, "", "{}", self.out);
        assert_eq!(self.out.matches('\n').count(), 1, "one line: {}", self.out);
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }

    /// Returns the result of a call or command that succeeded.
    fn result(&self) -> Value {
        let json = self.json();
        assert_eq!(self.status, Some(0), "{json}");
        json
    }

    /// Returns the error of a call that failed.
    fn error(&self) -> Value {
        let json = self.json();
        assert_eq!(self.status, Some(1), "{json}");
        assert!(json["error"].is_string() && json["kind"].is_string(), "{json}");
        json
    }

    /// Checks that the command line was refused, with a message that contains `text`.
    fn assert_refused(&self, text: &str) {
        assert_eq!((self.status, self.out.as_str()), (Some(2), ""), "{}", self.err);
        assert!(self.err.contains(text), "{}", self.err);
    }
}

/// Creates a folder with a `README.md` of nine lines.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let lines: Vec<String> = (1..=9).map(|i| format!("line {i}")).collect();
    std::fs::write(folder.path().join("README.md"), lines.join("\n")).expect("failed to write");
    folder
}

/// Runs `toolc call` in a new folder.
fn call(tool: &str, arguments: &str) -> Run {
    Run::new(&folder(), &["call", tool, arguments])
}

fn names(definitions: &Value) -> Vec<&str> {
    let all = definitions.as_array().expect("an array").iter();
    all.map(|definition| definition["function"]["name"].as_str().expect("a name")).collect()
}

#[test]
fn definitions_are_sorted_and_follow_the_selection() {
    // A tool without its program, such as Python, is hidden with a note.
    let definitions = |args: &[&str]| -> Value {
        let run = Run::new(&folder(), &[&["definitions"], args].concat());
        serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}", run.err))
    };
    let safe = definitions(&["--enable", "safe"]);
    assert_eq!(names(&safe), ["read_file", "search_files", "todo", "web_extract"]);
    for definition in safe.as_array().expect("an array") {
        assert_eq!(definition["type"], "function");
        assert_eq!(definition["function"]["parameters"]["type"], "object");
    }
    // `safe` contains tools of `file` and `todo`. Disabling a preset keeps its base.
    assert!(!names(&definitions(&["--disable", "safe"])).contains(&"read_file"));
    assert_eq!(
        names(&definitions(&["--enable", "cli", "--disable", "cli"])),
        names(&definitions(&["--enable", "core"]))
    );
    let both = definitions(&["--enable", "todo,terminal"]);
    assert_eq!(both, definitions(&["--enable", "terminal", "--enable", "todo"]));
    assert_eq!(names(&both), ["process", "terminal", "todo"]);
    assert_eq!(definitions(&[]), definitions(&["--enable", "cli"]));
    assert_eq!(definitions(&["--disable", "all"]), json!([]));
}

#[test]
fn definitions_of_equal_selections_are_equal_bytes() {
    let run = || Run::new(&folder(), &["definitions", "--enable", "core"]).out;
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
fn all_problems_of_the_arguments_are_reported_at_once() {
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
fn unreadable_arguments_are_errors_and_reach_no_handler() {
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let deep_value = format!(r#"{{"path":{deep}}}"#);
    for arguments in
        [r#"{"path":"README.md""#, r#"{"path":"READ"#, "", r#"{"path":"a"} {"path":"b"}"#, &deep, &deep_value, "[[["]
    {
        let error = call("read_file", arguments).error();
        assert_eq!(error["kind"], "malformed_arguments", "{arguments:.40}");
    }
    // The handler has not run: it would have created the file.
    let folder = folder();
    let cut_off = Run::new(&folder, &["call", "write_file", r#"{"path":"new.txt","content":"half of i"#]).error();
    assert!(cut_off["error"].as_str().is_some_and(|text| text.contains("cut off")), "{cut_off}");
    assert!(!folder.path().join("new.txt").exists());
}

#[test]
fn a_tool_that_was_not_enabled_is_refused() {
    let folder = folder();
    let write = r#"{"path":"new.txt","content":""}"#;
    let refused = Run::new(&folder, &["call", "write_file", write, "--enable", "safe"]);
    assert_eq!(refused.status, Some(1));
    for advice in ["note: `write_file` is off", "`--enable", "`toolc tools enable"] {
        assert!(refused.err.contains(advice), "{}", refused.err);
    }
    let error: Value = serde_json::from_str(&refused.out).expect("it is JSON");
    assert_eq!(error["kind"], "unknown_tool");
    let text = error["error"].as_str().expect("text");
    assert!(text.contains("`write_file`") && text.contains("read_file"), "{text}");
    assert!(!folder.path().join("new.txt").exists());

    Run::new(&folder, &["call", "write_file", write, "--enable", "file"]).result();
    assert!(folder.path().join("new.txt").exists());

    let nearest = call("raed_file", "{}").error();
    assert_eq!(nearest["kind"], "unknown_tool");
    assert!(nearest["error"].as_str().is_some_and(|text| text.ends_with("did you mean `read_file`?")), "{nearest}");
}

#[test]
fn an_error_of_a_handler_is_printed_with_its_kind() {
    let error = call("read_file", r#"{"path":"RAEDME.md"}"#).error();
    assert_eq!(error["kind"], "not_found");
    assert!(error["error"].as_str().is_some_and(|text| text.contains("README.md")), "{error}");
}

#[test]
fn mistakes_on_the_command_line_exit_with_status_2() {
    let run = |args: &[&str]| Run::new(&folder(), args);
    run(&["definitions", "--enable", "saef"]).assert_refused("unknown toolset `saef`: did you mean `safe`?");
    run(&["definitions", "--disable", "saef"]).assert_refused("unknown toolset `saef`: did you mean `safe`?");
    run(&["call", "read_file", "{}", "--enable", "read_file"]).assert_refused("read_file");
    run(&["call", "read_file", "nonsense"]).assert_refused("expected NAME=VALUE, got `nonsense`");
    run(&["call", "read_file", "path=a", "b"]).assert_refused("expected NAME=VALUE, got `b`");
    run(&["definitions", "--dialect", "antropic"]).assert_refused("did you mean `anthropic`?");
    run(&["definitions", "--dialect", "mistral"]).assert_refused("the dialects of this program are openai");
    run(&["definitions", "--fact", "vison=true"]).assert_refused("vison");
    run(&["definitons"]).assert_refused("definitions");
    run(&[]).assert_refused("the chat needs a terminal");
}

#[test]
fn state_of_tools_ends_with_the_process() {
    let folder = folder();
    let write = r#"{"todos":[{"id":"1","content":"Write it.","status":"pending"}]}"#;
    let written = Run::new(&folder, &["call", "todo", write, "--task", "a"]).result();
    assert!(written.to_string().contains("Write it."), "{written}");
    let read = Run::new(&folder, &["call", "todo", "{}", "--task", "a"]).result();
    assert!(!read.to_string().contains("Write it."), "{read}");
}

/// Runs the program with an empty `PATH`.
fn without_programs(args: &[&str]) -> Run {
    let folder = folder();
    Run::with(&folder, args, |program| program.env("PATH", folder.path()))
}

/// Runs the program with a `PATH` that contains only the programs that the shipped tools need.
fn with_programs(args: &[&str]) -> Run {
    let folder = folder();
    for name in ["sh", "python3"] {
        let program = folder.path().join(if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() });
        std::fs::write(&program, "").expect("failed to write");
        #[cfg(unix)]
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("failed to make it a program");
    }
    Run::with(&folder, args, |program| program.env("PATH", folder.path()))
}

#[test]
fn the_doctor_reports_available_and_unavailable_tools() {
    let all_available = with_programs(&["doctor", "--enable", "terminal,todo"]);
    assert_eq!((all_available.status, all_available.err.as_str()), (Some(0), ""));
    // The report goes on with the approval of commands.
    let report = "✓ process (terminal)\n✓ terminal (terminal)\n✓ todo (todo)\n3 of 3 tools are available\n";
    assert!(all_available.out.starts_with(report), "{}", all_available.out);
    let unavailable = without_programs(&["doctor", "--enable", "terminal,todo"]);
    assert_eq!((unavailable.status, unavailable.err.as_str()), (Some(1), ""));
    for part in [
        "! terminal (terminal)\n    needs the program `sh`\n✓ todo (todo)\n1 of 3 tools are available\n",
        "! process (terminal)\n",
    ] {
        assert!(unavailable.out.contains(part), "{}", unavailable.out);
    }
    assert_eq!(without_programs(&["doctor", "--disable", "terminal,code"]).status, Some(0));
}

#[test]
fn the_help_describes_the_doctor_to_users() {
    let about = "Report for each tool whether it is available, what it lacks, and where to get it";
    for args in [&["--help"][..], &["doctor", "--help"]] {
        let help = with_programs(args).out;
        assert!(help.contains(about), "{help}");
        assert!(!help.contains("[`"), "a link of the code's documentation: {help}");
    }
}

#[test]
fn the_doctor_writes_json() {
    let unavailable = without_programs(&["doctor", "--json", "--enable", "terminal"]);
    assert_eq!(unavailable.status, Some(1));
    let unmet = json!([{ "kind": "programs", "names": ["sh"], "text": "needs the program `sh`" }]);
    let terminal = json!({ "tool": "terminal", "toolset": "terminal", "is_shown": false, "unmet": unmet, "flakes": [],
        "missing": [] });
    let report = unavailable.json();
    assert_eq!((&report["tools"][1], &report["tools"][0]["tool"]), (&terminal, &json!("process")));
    assert_eq!(report["tools"].as_array().map(Vec::len), Some(2));
    for empty in ["missing_toolsets", "variables", "plugins"] {
        assert_eq!(report[empty], json!([]), "{empty}");
    }
    assert_eq!(with_programs(&["doctor", "--json"]).result()["tools"][0]["is_shown"], true);
}

#[test]
fn why_reports_grants_requirements_and_conditions() {
    let shown = with_programs(&["why", "terminal", "--enable", "cli"]);
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
    let taken = with_programs(&["why", "read_file", "--enable", "file", "--disable", "safe", "--json"]);
    assert_eq!(taken.status, Some(1));
    let taken = taken.json();
    assert_eq!(taken["status"], "disabled");
    assert_eq!(taken["grants"], json!([{ "by": "path", "path": ["file"] }]));
    let not_granted = with_programs(&["why", "todo", "--enable", "file"]);
    assert_eq!(not_granted.status, Some(1));
    assert!(not_granted.out.starts_with("`todo` is not granted\n    it is part of `"), "{}", not_granted.out);
}

#[test]
fn why_suggests_the_nearest_name_for_an_unknown_tool() {
    let run = |args: &[&str]| Run::new(&folder(), args);
    run(&["why", "raed_file"]).assert_refused("no tool provider has a tool `raed_file`: did you mean `read_file`?");
    run(&["why", "browser"]).assert_refused("no tool provider has a tool `browser`");
    run(&["why", "read_file", "--enable", "saef"]).assert_refused("unknown toolset `saef`: did you mean `safe`?");
    run(&["doctor", "--disable", "saef"]).assert_refused("unknown toolset `saef`: did you mean `safe`?");
}

/// Writes a plugin into the folder `plugins` of `folder`. `tool` is the manifest of its tool, which returns its request.
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
        let parent = path.parent().expect("the path has a folder");
        std::fs::create_dir_all(parent).expect("failed to make a folder");
        std::fs::write(&path, text).expect("failed to write");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("failed to set the mode");
        for folder in parent.ancestors().take_while(|folder| folder.starts_with(&root)) {
            std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("failed to set its mode");
        }
    }
}

#[cfg(unix)]
const ECHO: &str = r#"name = "echo"
toolset = "echo"
description = "Return the request."

[params.times]
type = "integer"
description = "How often."
"#;

#[cfg(unix)]
#[test]
fn plugins_of_the_user_are_loaded_and_those_of_a_project_only_on_request() {
    let folder = folder();
    plugin(&folder, "home/plugins", ECHO);
    plugin(&folder, ".toolc/plugins", &ECHO.replace("\"echo\"\ntoolset", "\"echo\"\nemoji = \"!\"\ntoolset"));
    let call = |args: &[&str]| Run::new(&folder, &[&["call", "echo", r#"{"times":"3"}"#], args].concat());
    assert_eq!(call(&[]).result()["arguments"], json!({ "times": 3 }));
    let doctor =
        |args: &[&str]| Run::new(&folder, &[&["doctor", "--enable", "echo", "--json"], args].concat()).result();
    let folders = |doctor: &Value| -> Vec<Value> {
        doctor["plugins"].as_array().expect("a list").iter().map(|plugin| plugin["folder"].clone()).collect()
    };
    let own = folder.path().join("home/plugins/echo");
    assert_eq!(folders(&doctor(&[])), [json!(own)]);
    let named = doctor(&["--plugins", ".toolc/plugins"]);
    assert_eq!(folders(&named).len(), 1);
    assert!(
        named["plugins"][0]["folder"].as_str().is_some_and(|path| path.ends_with("/.toolc/plugins/echo")),
        "{named}"
    );
    Run::new(&folder, &["doctor", "--plugins", "missing"]).assert_refused("the plugin folder does not exist: missing");
}

#[cfg(unix)]
#[test]
fn handlers_get_the_home_of_the_program() {
    let folder = folder();
    plugin(&folder, "plugins", ECHO);
    let call = ["call", "echo", "{}", "--plugins", "plugins"];
    assert_eq!(Run::new(&folder, &call).result()["home"], json!(folder.path().join("home")));
    let lines = folder.path().join("lines");
    std::fs::write(&lines, "echo {}\n").expect("failed to write");
    let input = std::fs::File::open(&lines).expect("failed to open the file");
    let repl = Run::with(&folder, &["repl", "--plugins", "plugins"], |program| program.stdin(input));
    assert_eq!(repl.result()["home"], json!(folder.path().join("home")));
}

#[cfg(unix)]
#[test]
fn a_broken_plugin_is_reported_and_other_tools_work() {
    let folder = folder();
    plugin(&folder, "plugins", &ECHO.replace("type", "tpye"));
    let args = ["call", "read_file", r#"{"path":"README.md"}"#, "--plugins", "plugins"];
    let read = Run::new(&folder, &args);
    assert_eq!(read.status, Some(0), "{}", read.out);
    assert!(read.err.starts_with("warning: plugin `echo`") && read.err.contains("echo.toml:6:1"), "{}", read.err);
    let doctor = Run::new(&folder, &["doctor", "--enable", "todo", "--plugins", "plugins"]);
    assert_eq!((doctor.status, doctor.err.as_str()), (Some(1), ""));
    assert!(doctor.out.contains("is not loaded") && doctor.out.contains("did you mean `type`?"), "{}", doctor.out);
}

#[test]
fn every_command_that_uses_tools_warns_about_a_broken_plugin() {
    let folder = folder();
    plugin(&folder, "plugins", &ECHO.replace("type", "tpye"));
    std::fs::write(folder.path().join("script"), "{\"text\":\"Done.\"}\n").expect("failed to write");
    for args in [
        &["call", "todo"][..],
        &["definitions"],
        &["tools"],
        &["agent", "Hi", "--model", "script:script"],
        // It ends with its input.
        &["mcp", "serve"],
    ] {
        let run = Run::new(&folder, &[args, &["--plugins", "plugins"]].concat());
        assert_eq!(run.status, Some(0), "{args:?}: {}", run.err);
        assert_eq!(run.err.matches("warning: plugin `echo`").count(), 1, "{args:?}: {}", run.err);
    }
}

#[test]
fn unusual_characters_survive_a_call() {
    let folder = folder();
    let content = "tab\t \"quotes\" \\ ü \u{1f600} \u{1} \u{2028}\nline two";
    let arguments = json!({ "path": "odd näme.txt", "content": content }).to_string();
    Run::new(&folder, &["call", "write_file", &arguments]).result();
    let found = std::fs::read_to_string(folder.path().join("odd näme.txt")).expect("failed to read");
    assert_eq!(found, content);
}

/// The arguments of a search that finds all lines of `escaped.txt`.
const SEARCH: &str = r#"{"path":"escaped.txt","pattern":"escaped","limit":200}"#;

/// Creates a folder with `escaped.txt`, whose characters take up to six characters each in JSON.
fn folder_with_escapes() -> TempDir {
    let folder = folder();
    let line = format!("escaped {}\n", "\u{1}".repeat(400));
    std::fs::write(folder.path().join("escaped.txt"), line.repeat(100)).expect("failed to write");
    folder
}

#[test]
fn a_long_result_is_stored_for_a_day() {
    let folder = folder_with_escapes();
    let search = || Run::new(&folder, &["call", "search_files", SEARCH]).result();
    let cut = search();
    assert_eq!(cut["truncated"], true, "{cut:.300}");
    let file = cut["file"].as_str().expect("the result is stored");
    let read = Run::new(&folder, &["call", "read_file", &json!({ "path": file, "limit": 20 }).to_string()]).result();
    assert!(read["content"].as_str().is_some_and(|content| content.contains("escaped.txt")), "{read:.300}");

    let two_days_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(48);
    let stored = std::fs::File::options().write(true).open(file).expect("the stored result exists");
    stored.set_modified(two_days_ago).expect("failed to set the time");
    drop(stored);
    let next = search();
    assert!(!std::path::Path::new(file).exists() && std::path::Path::new(next["file"].as_str().unwrap()).exists());
}

#[test]
fn a_result_that_cannot_be_stored_is_reported_to_the_user() {
    let folder = folder_with_escapes();
    std::fs::create_dir_all(folder.path().join("home")).expect("failed to make a folder");
    std::fs::write(folder.path().join("home/cache"), "a file").expect("failed to write");
    let Run { status, out, err } = Run::new(&folder, &["call", "search_files", SEARCH]);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains(r#""missing":"#) && !out.contains(r#""file":"#), "{out:.300}");
    assert!(err.starts_with("warning: ") && err.contains("failed to store a result in"), "{err}");
}

#[test]
fn arguments_can_be_pairs_or_come_from_a_file_or_stdin() {
    let folder = folder();
    std::fs::write(folder.path().join("arguments.json"), r#"{"path":"README.md","limit":2}"#).expect("failed to write");
    let from_file = Run::new(&folder, &["call", "read_file", "@arguments.json"]).result();
    let pairs = Run::new(&folder, &["call", "read_file", "path=README.md", "limit=2"]).result();
    assert_eq!(from_file, pairs);
    let input = std::fs::File::open(folder.path().join("arguments.json")).expect("failed to open the file");
    assert_eq!(Run::with(&folder, &["call", "read_file", "-"], |program| program.stdin(input)).result(), pairs);
}

#[test]
fn call_describes_its_response_as_json() {
    let folder = folder();
    let response = Run::new(&folder, &["call", "read_file", "path=README.md"]).result();
    let described = Run::new(&folder, &["call", "read_file", "path=README.md", "--json"]).result();
    assert_eq!(described["response"], response);
    assert_eq!(
        (&described["error"], &described["images"], &described["repairs"]),
        (&Value::Null, &json!(0), &json!([]))
    );
    let repaired =
        Run::new(&folder, &["call", "read_file", r#"{"path": "README.md", "limit": "5"}"#, "--json"]).result();
    let repair = json!([{ "path": "/limit", "rule": "number", "from": "\"5\"", "to": "5" }]);
    assert_eq!(repaired["repairs"], repair);
    let failed = Run::new(&folder, &["call", "read_file", "path=none", "--json"]);
    assert_eq!((failed.status, &failed.json()["error"]), (Some(1), &json!("not_found")));
}

#[test]
fn the_definitions_are_in_the_chosen_dialect() {
    let definitions = |dialect: &str| Run::new(&folder(), &["definitions", "--enable", "safe", "--dialect", dialect]);
    assert!(definitions("anthropic").result()[0]["input_schema"].is_object());
    assert!(definitions("mcp").result()[0]["inputSchema"].is_object());
}

#[cfg(target_os = "linux")]
#[test]
fn the_environment_of_the_tools_is_an_option() {
    let (folder, home) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let run = |args: &[&str]| Run::with(&folder, args, |program| program);
    let call = ["--environment", "sandbox", "call", "terminal", "command=ls ~", "--enable", "terminal"];
    // The home of toolc is in the working directory.
    let refused = run(&call).error()["error"].as_str().unwrap().to_owned();
    assert!(refused.contains("the environment of this task, `sandbox`, is not available"), "{refused}");
    run(&["--environment", "cloud", "call", "terminal"]).assert_refused("possible values: local, sandbox");
    let doctor = run(&["doctor", "--json", "--enable", "todo"]).json();
    assert_eq!(doctor["environment"]["default"], "local");
    if doctor["environment"]["sandbox"]["available"] != true {
        return skip(format!("no sandbox can be made: {}", doctor["environment"]["sandbox"]["problem"]), SANDBOX);
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_toolc"));
    program.args(&call[2..]).current_dir(folder.path());
    program.env("TOOLC_HOME", home.path()).env("TOOLC_ENVIRONMENT", "sandbox").env("TOOLC_APPROVAL", "deny");
    let Output { stdout, stderr, .. } = program.output().expect("failed to start toolc");
    let result: Value =
        serde_json::from_slice(&stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&stderr)));
    assert_eq!((&result["output"], &result["exit_code"]), (&json!(""), &json!(0)), "an empty home");
    assert_eq!(std::fs::read_dir(home.path().join("leases")).unwrap().count(), 0, "the lease is removed at the end");
}

/// Returns the subcommands that a help lists.
fn subcommands(command: &[&str]) -> Vec<String> {
    let help = Run::new(&folder(), &[command, &["--help"]].concat()).out;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Lines with more than two spaces continue a description.
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !["", "help"].contains(name)).map(str::to_owned).collect()
}

#[test]
fn every_command_is_in_a_guide() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let pages = std::fs::read_dir(docs).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let text: String = pages.map(|page| std::fs::read_to_string(page).unwrap()).collect();
    let commands = subcommands(&[]);
    let silent: Vec<_> = commands.iter().filter(|name| !text.contains(&format!("toolc {name}"))).collect();
    assert!(silent.is_empty(), "no page of docs/ mentions these commands: {silent:?}");
}
