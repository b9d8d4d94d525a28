//! Tests of plugins through the public API: folders that appear, change and break, and programs that misbehave. The programs are
//! scripts of `sh`.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::fixture::{Fixture, PROBE, SCRIPT, env, fixture};
use serde_json::{Value, json};
use toolc::cancel::CancelHandle;
use toolc::hooks::{CallInfo, Hook, HostError};
use toolc::testing::assert_reply;
use toolc::{CallResponse, Dialect, DynamicTool, Env, Registry, ToolCall, ToolOutput, ToolProvider};
use toolc_plugins::{Level, PluginReport, PluginState, Plugins};
use toolc_test_support::Missing;
use toolc_test_support::programs::has;

/// A limit that is never reached.
const LONG_TIMEOUT: Duration = Duration::from_mins(5);

/// Calls the tool `probe`, whose program behaves as `how` says.
fn call(f: &Fixture, how: &str) -> CallResponse {
    f.call("probe", &json!({ "how": how }))
}

/// Returns a tool of the host.
fn host_tool(name: &'static str) -> Box<dyn ToolProvider> {
    let tool = DynamicTool::sync(name, "Look.", json!({"type": "object"}), |_, _| Ok(ToolOutput::text("looked")));
    tool.build().expect("the tool is valid")
}

#[test]
fn a_program_gets_repaired_arguments_with_defaults() {
    let Some(f) = fixture() else { return };
    let reports = f.load();
    assert_eq!(
        (reports[0].state, &*reports[0].tools),
        (PluginState::Loaded, &["probe".to_owned()][..]),
        "{}",
        reports[0]
    );
    assert_eq!(reports[0].to_string(), format!("plugin `weather` ({}): probe", f.path("plugins/weather").display()));
    let response = f.call("probe", &json!({"how": "echo", "count": "5", "place": {"city": "Bern"}}));
    let arguments = json!({"how": "echo", "count": 5, "place": {"city": "Bern", "country": "CH"}});
    assert_reply!(response, json!({"tool": "probe", "arguments": arguments, "call_id": "call_1", "task": "default"}));
    assert_reply!(f.call("probe", &json!({"how": "echo", "count": "many"})), Err(InvalidArguments, "/count"));
    assert_reply!(f.call("probe", &json!({"how": "echo", "cuont": 5})), Err(InvalidArguments, "cuont"));
}

#[test]
fn the_commands_of_a_plugin_are_judged() {
    use std::sync::LazyLock;

    use toolc::approval::CommandApproval;
    use toolc::commands::programs::USUAL;
    use toolc::commands::rules::{Conditions, Rule, RuleSet, Verdict};

    const DELETION: Rule<'_> = Rule {
        name: "deletion",
        description: "Deletes files.",
        check: "",
        low_risk: false,
        optional: None,
        verdict: Verdict::Ask,
        can_be_exempted: false,
        exempts: &[],
        conditions: Conditions { programs: &["rm"], ..Conditions::EMPTY },
    };
    static RULES: LazyLock<RuleSet<'static>> = LazyLock::new(|| RuleSet::new(&[DELETION], &[], USUAL));

    let Some(f) = fixture() else { return };
    f.plugin("plugins/weather", &PROBE.replace("[params.how]", "[approval]\nshell = \"how\"\n\n[params.how]"));
    f.load();
    let session =
        f.registry.session().env(env()).commands(CommandApproval::new(&RULES)).build().expect("the names exist");
    let turn = session.turn_blocking(Dialect::OpenAi);
    let call = |how: &str| turn.call_blocking(&ToolCall::new("probe", &json!({ "how": how }).to_string()));
    assert_reply!(call("closed stdin"), "read nothing");
    assert_reply!(call("sh -c 'rm x'"), Err(Refused, "Deletes files (rule `deletion`)"));

    // Without a declaration, a parameter is recognised by its name, unless the session says no.
    f.plugin("plugins/weather", &PROBE.replace("params.how", "params.command"));
    f.load();
    let call = |config: CommandApproval| {
        let session = f.registry.session().env(env()).commands(config).build().expect("the names exist");
        let turn = session.turn_blocking(Dialect::OpenAi);
        turn.call_blocking(&ToolCall::new("probe", &json!({ "command": "rm x" }).to_string()))
    };
    assert_reply!(call(CommandApproval::new(&RULES)), Err(Refused, "Deletes files (rule `deletion`)"));
    let response = call(CommandApproval::new(&RULES).no_shell_parameter("probe"));
    assert!(!response.json.contains("deletion"), "{}", response.json);
}

/// Keeps the notes to the author of a plugin.
#[derive(Debug, Default)]
struct Notes(Mutex<Vec<String>>);

impl Hook for Notes {
    fn on_host_error(&self, _: &CallInfo<'_>, error: &HostError<'_>) {
        self.0.lock().expect("no test has panicked").push(error.to_string());
    }
}

#[test]
fn the_author_sees_what_a_program_prints_before_it_replies_with_an_error() {
    let script = r#"#!/bin/sh
while read -r line; do
    echo "Traceback: the key was $WEATHER_KEY" >&2
    case $line in *'"id":1'*) echo '{"id": 1, "error": "no such city"}' ;; *) echo '{"error": "no such city"}' ;; esac
done
"#;
    for resident in ["", "resident = true\n"] {
        let Some(f) = fixture() else { return };
        f.put(
            "plugins/weather/plugin.toml",
            &format!("executable = \"run\"\nenv = [\"WEATHER_KEY\"]\n{resident}"),
            0o644,
        );
        f.put("plugins/weather/run", script, 0o755);
        f.load();
        let notes = Arc::new(Notes::default());
        let session = f.registry.session().env(env()).hook(Arc::clone(&notes) as Arc<dyn Hook>);
        let turn = session.build().expect("the session is valid").turn_blocking(Dialect::OpenAi);
        let response = turn.call_blocking(&ToolCall::new("probe", &json!({ "how": "x" }).to_string()));
        assert!(!response.json.contains("Traceback"), "the model does not see it: {}", response.json);
        let expected = "the handler failed during a call: its stderr: Traceback: the key was [secret]";
        assert_eq!(*notes.0.lock().expect("no test has panicked"), [expected], "{resident}");
    }
}

#[test]
fn every_failure_of_a_program_is_an_error_for_the_model() {
    let Some(f) = fixture() else { return };
    f.load();
    assert_reply!(call(&f, "error"), Err(Failed, "no such city; the key was [secret]"));
    assert_reply!(call(&f, "error and status"), Err(Failed, "as said"));
    let crash = "the plugin `weather` failed: exit status 3; its stderr: it broke: [secret]";
    assert_reply!(call(&f, "crash"), Err(Failed, crash));
    assert_reply!(call(&f, "killed"), Err(Failed, "the plugin `weather` failed: signal: 9"));
    assert_reply!(call(&f, "no json"), Err(Failed, "gave no valid reply: expected `{\"result\": ...}`"));
    assert_reply!(call(&f, "nothing"), Err(Failed, "got nothing"));
    assert_reply!(call(&f, "endless"), Err(Failed, "printed more than 100000 bytes and was stopped"));
    assert_reply!(call(&f, "endless errors"), Err(Failed, "printed more than 100000 bytes and was stopped"));
    assert_reply!(call(&f, "closed stdin"), "read nothing");
    assert_reply!(call(&f, "another type"), Err(Failed, "does not match `returns` in its manifest: 5 is not of type"));
    for how in ["error", "error and status", "crash", "no json", "endless"] {
        let response = call(&f, how).json;
        assert!(!response.contains("hunter2"), "{response}");
    }
    f.put("plugins/weather/run", "#!/does/not/exist\n", 0o755);
    assert_reply!(call(&f, "echo"), Err(Failed, "check that the interpreter in its first line"));
}

#[test]
fn long_input_and_output_do_not_deadlock() {
    let Some(f) = fixture() else { return };
    f.put("plugins/weather/plugin.toml", "executable = \"run\"\nenv = [\"WEATHER_KEY\"]\n", 0o644);
    f.put("plugins/weather/run", "#!/bin/sh\nprintf '{\"result\": \"'; tr -d '\"{}\\n\\\\'; printf '\"}'\n", 0o755);
    f.load();
    let long = "x".repeat(1 << 20);
    let response = f.call("probe", &json!({ "how": long }));
    assert!(!response.is_error(), "{:.300}", response.json);
}

#[test]
fn a_program_is_ended_after_its_timeout() {
    let Some(f) = fixture() else { return };
    f.put("plugins/weather/manifests/tools/probe.toml", &format!("timeout = \"50ms\"\n{PROBE}"), 0o644);
    f.load();
    assert_reply!(call(&f, "sleep"), Err(Timeout));
    assert!(f.plugins.settle(LONG_TIMEOUT));
}

#[test]
fn a_cancelled_call_ends_its_program_and_its_children() {
    let Some(f) = fixture() else { return };
    f.load();
    let pipe = f.path("plugins/weather/run.pipe");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        return Missing::program("mkfifo").skip();
    }
    let (turn, cancel) = (f.turn(), CancelHandle::new());
    let request = ToolCall::new("probe", r#"{"how":"hang"}"#).with_cancel(&cancel);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| turn.call_blocking(&request));
        // Opening waits until the program opens the pipe, and reading ends when no process has it open.
        let mut reader = fs::File::open(&pipe).expect("failed to open");
        cancel.cancel();
        assert_reply!(call.join().expect("the call ends"), Err(Cancelled));
        assert_eq!(reader.read_to_end(&mut Vec::new()).expect("failed to read"), 0);
    });
    assert!(f.plugins.settle(LONG_TIMEOUT));
}

#[test]
fn a_program_gets_only_allowed_variables() {
    let Some(f) = fixture() else { return };
    f.load();
    let names = call(&f, "environment");
    let names: String = serde_json::from_str(&names.json).expect("a text");
    assert!(names.split_whitespace().any(|name| name == "WEATHER_KEY"), "{names}");
    // Includes the variables that a shell sets by itself.
    let known =
        ["HOME", "LANG", "OLDPWD", "PATH", "PWD", "SHLVL", "TMPDIR", "TOOLC_INSIDE_TOOL", "TZ", "WEATHER_KEY", "_"];
    let unknown: Vec<&str> =
        names.split_whitespace().filter(|name| !known.contains(name) && !name.starts_with("LC_")).collect();
    assert_eq!(unknown, [""; 0]);
    // The host has other variables.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && env().var("OTHER_KEY").is_some());
}

#[test]
fn requirements_are_checked_in_the_environment_of_the_session() {
    let Some(f) = fixture() else { return };
    f.load();
    let turn = f.registry.session().env(Env::empty()).build().expect("a session").turn_blocking(Dialect::OpenAi);
    assert_eq!(turn.tools().count(), 0);
    let doctor = turn.doctor();
    assert_eq!(doctor.variables[0].description, "Opens the service.", "{doctor}");
}

#[test]
fn programs_run_in_the_directory_of_the_host() {
    let Some(f) = fixture() else { return };
    let dir = f.dir.path().canonicalize().expect("the folder exists");
    let plugins = Plugins::new().folder(f.path("plugins")).in_dir(&dir);
    plugins.load(&f.registry);
    assert_reply!(call(&f, "where"), dir.to_str().expect("the path is UTF-8"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_sees_of_a_hidden_folder_only_its_own_folder() {
    use toolc_process::HiddenFolder;

    let Some(f) = fixture() else { return };
    if let Err(problem) = HiddenFolder::check_available() {
        return toolc_test_support::skip(problem.to_string(), "a kernel that allows user namespaces");
    }
    fs::create_dir_all(f.path("plugins/other")).expect("failed to make a folder");
    fs::create_dir_all(f.path("plugins/weather/data")).expect("failed to make a folder");
    fs::write(f.path("secret"), "x").expect("failed to write");
    let plugins = Plugins::new().folder(f.path("plugins")).hiding(HiddenFolder::new(f.dir.path()));
    plugins.load(&f.registry);
    assert_reply!(call(&f, "own folder"), "..: weather  ../..: plugins  kept");
    assert!(f.path("plugins/weather/data/kept").exists() && !f.path("plugins/weather/changed").exists());
}

#[test]
fn reload_follows_changes_on_disk() {
    let Some(f) = fixture() else { return };
    f.load();
    let manifest = "plugins/weather/manifests/tools/probe.toml";
    let session = f.session();
    let definitions = || session.turn_blocking(Dialect::OpenAi).definitions().to_owned();
    let first = definitions();
    assert_eq!(f.reload(), []);

    f.put(manifest, &PROBE.replace("Probe it.", "Probe it well."), 0o644);
    let [changed] = &f.reload()[..] else { panic!("not one report") };
    assert_eq!(changed.state, PluginState::Loaded);
    assert!(definitions().contains("Probe it well.") && !first.contains("Probe it well."));

    f.put(manifest, &PROBE.replace("toolset =", "tolset ="), 0o644);
    let [broken] = &f.reload()[..] else { panic!("not one report") };
    assert_eq!((broken.state, &broken.tools[..]), (PluginState::Broken, &[][..]));
    let finding = &broken.findings[0];
    assert_eq!(
        (finding.level, finding.code, finding.line, finding.column),
        (Level::Error, Some("C002"), Some(2), Some(1))
    );
    assert_eq!(finding.path.as_deref(), Some(&*f.path(manifest)));
    assert_eq!(finding.help, ["did you mean `toolset`?"]);
    assert!(broken.to_string().contains("probe.toml:2:1"), "{broken}");
    assert_eq!((definitions().as_str(), f.reload()), ("[]", Vec::new()));

    f.put(manifest, PROBE, 0o644);
    assert_eq!(f.reload()[0].state, PluginState::Loaded);
    assert_eq!(definitions(), first);

    fs::remove_dir_all(f.path("plugins/weather")).expect("failed to remove");
    let [gone] = &f.reload()[..] else { panic!("not one report") };
    assert_eq!((gone.state, &*gone.name), (PluginState::Gone, "weather"));
    assert_eq!((definitions().as_str(), f.reload()), ("[]", Vec::new()));
}

#[test]
fn reload_notices_changes_of_the_program() {
    let Some(f) = fixture() else { return };
    fs::remove_file(f.path("plugins/weather/run")).expect("failed to remove");
    assert_eq!(f.load()[0].state, PluginState::Broken);
    f.put("plugins/weather/run", SCRIPT, 0o644);
    let reports = f.reload();
    assert!(reports[0].findings[0].message.contains("not executable"), "{}", reports[0]);
    f.put("plugins/weather/run", SCRIPT, 0o755);
    assert_eq!(f.reload()[0].state, PluginState::Loaded);
    f.put("plugins/weather/run", "#!/bin/sh\necho '{\"result\": \"another\"}'\n", 0o755);
    assert_reply!(call(&f, "echo"), "another");
    assert_eq!(f.reload().len(), 1);
    f.put("plugins/weather/cache/file", "written by the program", 0o644);
    assert_eq!(f.reload(), [], "other files in the folder are ignored");
}

#[test]
fn a_plugin_of_an_earlier_folder_shadows_later_ones() {
    let Some(f) = fixture() else { return };
    f.plugin("system/weather", &PROBE.replace("Probe it.", "The system's."));
    let plugins = Plugins::new().folder(f.path("plugins")).folder(f.path("system")).folder(f.path("missing"));
    let reports = plugins.load(&f.registry);
    assert_eq!(
        reports.iter().map(|report| report.state).collect::<Vec<_>>(),
        [PluginState::Loaded, PluginState::Shadowed]
    );
    assert_eq!(reports[1].findings[0].level, Level::Note);
    assert!(reports[1].findings[0].message.contains("plugins/weather is loaded instead"), "{}", reports[1]);
    assert!(f.turn().definitions().contains("Probe it."));
    fs::remove_dir_all(f.path("plugins/weather")).expect("failed to remove");
    let states: Vec<PluginState> = plugins.reload(&f.registry).iter().map(|report| report.state).collect();
    assert_eq!(states, [PluginState::Loaded, PluginState::Gone]);
    assert!(f.turn().definitions().contains("The system's."));
}

#[test]
fn a_taken_name_is_reported_and_tried_again() {
    let Some(f) = fixture() else { return };
    let id = f.registry.add(host_tool("probe")).expect("the name is free");
    let [report] = &f.load()[..] else { panic!("not one report") };
    assert_eq!(report.state, PluginState::Broken);
    assert!(report.findings[0].message.contains("the tool name `probe` is taken"), "{report}");
    assert_reply!(call(&f, "echo"), "looked");
    assert_eq!(f.reload(), []);
    f.registry.remove(id);
    assert_eq!(f.reload()[0].state, PluginState::Loaded);
}

#[test]
fn an_alias_that_calls_another_tool_is_reported_and_the_other_tool_keeps_it() {
    let Some(f) = fixture() else { return };
    let known = |name: &'static str, aliases: &[&'static str]| {
        let tool = DynamicTool::sync(name, "Look.", json!({"type": "object"}), |_, _| Ok(ToolOutput::text("looked")));
        tool.aliases(aliases.iter().copied()).build().expect("the tool is valid")
    };
    f.registry.add(known("look", &["cat"])).expect("the name is free");
    let file = f.path("plugins/weather/manifests/tools/probe.toml");
    let aliases = |aliases: &str| {
        let text = PROBE.replace("name = \"probe\"", &format!("name = \"probe\"\naliases = [{aliases}]"));
        fs::write(&file, text).expect("failed to write");
    };
    aliases("\"cat\", \"Look\", \"own\"");
    let [report] = &f.load()[..] else { panic!("not one report") };
    assert_eq!(
        (report.state, &report.ignored_aliases[..]),
        (PluginState::Loaded, &["cat".to_owned(), "Look".to_owned()][..])
    );
    for (finding, alias) in report.findings.iter().zip(["cat", "Look"]) {
        let message =
            format!("the alias `{alias}` of the tool `probe` is ignored: it already stands for the tool `look`");
        assert_eq!((finding.level, &finding.message), (Level::Warning, &message));
        assert_eq!(finding.path.as_deref(), Some(&*file));
    }
    for name in ["cat", "CAT", "Look", "look"] {
        assert_reply!(f.call(name, &json!({})), "looked");
    }
    let by_own_alias = f.call("own", &json!({"how": "echo"}));
    assert!(by_own_alias.json.contains("\"tool\":\"probe\""), "{}", by_own_alias.json);
    // A new version may keep the aliases of the old one.
    aliases("\"own\", \"other\"");
    let [report] = &f.reload()[..] else { panic!("not one report") };
    assert_eq!((report.state, &report.ignored_aliases[..], report.findings.len()), (PluginState::Loaded, &[][..], 0));
    assert!(f.call("own", &json!({"how": "echo"})).json.contains("\"tool\":\"probe\""));
}

#[test]
fn plugins_can_swap_the_names_of_tools() {
    let Some(f) = fixture() else { return };
    let other = |name: &str| PROBE.replace("\"probe\"", &format!("\"{name}\"")).replace("\"weather\"", "\"almanac\"");
    f.plugin_with_names("plugins/almanac", "almanac", "tide", &other("tide"));
    assert!(f.load().iter().all(|report| report.state == PluginState::Loaded));
    // `almanac` is registered first, and its new name is free only after `weather` has been replaced.
    f.rename_tool("plugins/almanac", "tide", "probe");
    f.rename_tool("plugins/weather", "probe", "tide");
    let reports = f.reload();
    assert!(reports.iter().all(|report| report.state == PluginState::Loaded), "{}", reports[0]);
    assert_eq!(f.registry.tool("probe").expect("the tool is registered").toolset, "almanac");
}

/// Checks that the only plugin is refused with a report that contains `text`.
fn assert_refused(f: &Fixture, text: &str) {
    let reports: Vec<PluginReport> = f.load();
    assert_eq!(reports[0].state, PluginState::Broken, "{}", reports[0]);
    assert!(reports[0].to_string().contains(text), "expected: {text}\n{}", reports[0]);
    assert_eq!(f.registry.tools(), [""; 0], "no tool is registered");
}

#[test]
fn files_that_others_can_write_are_refused() {
    let Some(f) = fixture() else { return };
    let paths = [
        ("plugins", 0o755),
        ("plugins/weather", 0o755),
        ("plugins/weather/plugin.toml", 0o644),
        ("plugins/weather/run", 0o755),
        ("plugins/weather/manifests/tools", 0o755),
        ("plugins/weather/manifests/tools/probe.toml", 0o644),
    ];
    for (path, mode) in paths {
        for others in [0o020, 0o002] {
            f.mode(path, mode | others);
            assert_refused(&f, "others can write to it");
            assert_refused(
                &f,
                &format!("run `chmod go-w {}`", f.path(path).canonicalize().expect("the path exists").display()),
            );
            f.mode(path, mode);
            assert_eq!(f.load()[0].state, PluginState::Loaded, "{path}");
        }
    }
    // Only root can change the owner.
    let run = f.path("plugins/weather/run");
    if std::os::unix::fs::chown(&run, Some(4_000_000), None).is_ok() {
        assert_refused(&f, "it belongs to another user (id 4000000)");
    }
}

#[test]
fn a_program_that_becomes_writable_for_others_is_not_run() {
    let Some(f) = fixture() else { return };
    f.load();
    f.mode("plugins/weather/run", 0o777);
    assert_reply!(call(&f, "echo"), Err(Refused, "others can write to it"));
}

#[test]
fn links_out_of_the_folder_are_refused() {
    let Some(f) = fixture() else { return };
    let replace_by_link = |path: &str, to: &str| {
        fs::rename(f.path(path), f.path(to)).expect("failed to move");
        symlink(f.path(to), f.path(path)).expect("failed to link");
    };
    let restore = |path: &str, to: &str| {
        fs::remove_file(f.path(path)).expect("failed to remove");
        fs::rename(f.path(to), f.path(path)).expect("failed to move");
    };
    for path in [
        "weather/run",
        "weather/plugin.toml",
        "weather/manifests/tools/probe.toml",
        "weather/manifests/tools",
        "weather",
    ] {
        let path = format!("plugins/{path}");
        replace_by_link(&path, "elsewhere");
        assert_refused(&f, "a link that leads out of");
        restore(&path, "elsewhere");
    }
    replace_by_link("plugins/weather/run", "plugins/weather/run.sh");
    assert_eq!(f.load()[0].state, PluginState::Loaded, "a link within the folder");
    assert_reply!(call(&f, "closed stdin"), "read nothing");
}

#[test]
fn a_link_out_of_the_manifests_is_reported_and_not_followed() {
    let Some(f) = fixture() else { return };
    let link = f.path("plugins/weather/manifests/up");
    symlink("/", &link).expect("failed to link");
    let findings = &f.load()[0].findings;
    assert_eq!(findings.len(), 1, "the target of the link is not read: {findings:?}");
    fs::remove_file(&link).expect("failed to remove");
    // Each folder has two links to the next one, so the number of paths is 2^20.
    for depth in 0..20 {
        let folder = f.path(&format!("plugins/weather/manifests/{depth}"));
        fs::create_dir(&folder).expect("failed to make a folder");
        for name in ["left", "right"] {
            symlink(format!("../{}", depth + 1), folder.join(name)).expect("failed to link");
        }
    }
    fs::create_dir(f.path("plugins/weather/manifests/20")).expect("failed to make a folder");
    assert_refused(&f, "more than 10000 files and folders");
}

#[test]
fn a_pipe_in_place_of_a_manifest_is_refused() {
    let Some(f) = fixture() else { return };
    for file in ["plugin.toml", "toolc.toml"] {
        let path = f.path(&format!("plugins/weather/{file}"));
        let content = fs::read_to_string(&path).ok();
        let _ = fs::remove_file(&path);
        if !Command::new("mkfifo").args(["-m", "600"]).arg(&path).status().is_ok_and(|status| status.success()) {
            return Missing::program("mkfifo").skip();
        }
        assert_refused(&f, "not a file");
        fs::remove_file(&path).expect("failed to remove");
        if let Some(text) = content {
            f.put(&format!("plugins/weather/{file}"), &text, 0o644);
        }
    }
}

#[test]
fn mistakes_in_plugin_toml_are_reported() {
    let Some(f) = fixture() else { return };
    let manifest = |text: &str| f.put("plugins/weather/plugin.toml", text, 0o644);
    manifest("executable = \"run\"\nenvironment = [\"WEATHER_KEY\"]\n");
    assert_refused(&f, "`environment` is now `env`");
    manifest("executable = \"../run\"\nenv = [\"WEATHER_KEY\"]\n");
    assert_refused(&f, "`../run` is not a file of the plugin");
    manifest("executable = \"/bin/sh\"\nenv = [\"WEATHER_KEY\"]\n");
    assert_refused(&f, "`/bin/sh` is not a file of the plugin");
    manifest("executable = \"manifests\"\nenv = [\"WEATHER_KEY\"]\n");
    assert_refused(&f, "not a file");
    manifest("");
    assert_refused(&f, "`plugin.toml` needs `executable`");
    fs::remove_file(f.path("plugins/weather/plugin.toml")).expect("failed to remove");
    assert_refused(&f, "the folder has no `plugin.toml`");
    manifest("executable = \"run\"\n");
    let reports = f.load();
    assert_eq!((reports[0].state, reports[0].findings[0].level), (PluginState::Loaded, Level::Warning));
    assert!(reports[0].findings[0].help[0].contains("env = [\"WEATHER_KEY\"]"), "{}", reports[0]);
    fs::remove_dir_all(f.path("plugins/weather/manifests")).expect("failed to remove");
    assert_refused(&f, "manifests/tools/NAME.toml");
}

#[test]
fn keys_that_a_process_cannot_support_are_refused() {
    let Some(f) = fixture() else { return };
    for (line, message) in [
        ("execution = \"agent\"", "tools of a plugin cannot be `agent`"),
        ("execution = \"sync\"", "tools of a plugin cannot be `sync`"),
        ("requires.check = true", "because they have no handlers"),
    ] {
        let tool = PROBE.replace("requires = {", "requires.env = [\"WEATHER_KEY\"] # {");
        f.put("plugins/weather/manifests/tools/probe.toml", &format!("{line}\n{tool}"), 0o644);
        assert_refused(&f, message);
        assert_refused(&f, "probe.toml:1:");
    }
    f.put("plugins/weather/manifests/tools/probe.toml", &format!("execution = \"blocking\"\n{PROBE}"), 0o644);
    assert_eq!(f.load()[0].state, PluginState::Loaded);
}

#[test]
fn conditions_can_refer_to_tools_of_the_host() {
    let Some(f) = fixture() else { return };
    let conditional =
        PROBE.replace("Probe it.", "Probe it.{% if tools.look %} Better: {{ available('look') }}.{% endif %}");
    f.put("plugins/weather/manifests/tools/probe.toml", &conditional, 0o644);
    assert_refused(&f, "unknown tool `look`");
    f.put("plugins/weather/toolc.toml", "[external]\ntools = [\"look\"]\n", 0o644);
    assert_eq!(f.load()[0].state, PluginState::Loaded);
    let description = || {
        let definitions: Vec<Value> = serde_json::from_str(f.turn().definitions()).expect("definitions are JSON");
        let probe = definitions.into_iter().find(|one| one["function"]["name"] == "probe").expect("`probe` is shown");
        probe["function"]["description"].as_str().expect("a text").to_owned()
    };
    assert_eq!(description(), "Probe it.");
    f.registry.add(host_tool("look")).expect("the name is free");
    assert_eq!(description(), "Probe it. Better: look.");
}

#[test]
fn a_broken_plugin_does_not_affect_others() {
    let Some(f) = fixture() else { return };
    f.plugin_with_names("plugins/almanac", "almanac", "tide", "name = \"tide\"\ntoolset =\n");
    f.put("plugins/README.md", "Not a plugin.", 0o644);
    f.put("plugins/.git/config", "", 0o644);
    let reports = f.load();
    assert_eq!(
        reports.iter().map(|report| report.state).collect::<Vec<_>>(),
        [PluginState::Broken, PluginState::Loaded]
    );
    let json = serde_json::to_value(&reports[0]).expect("a report is data");
    assert_eq!((&json["state"], &json["findings"][0]["code"]), (&json!("broken"), &json!("C001")));
    assert_eq!(json["findings"][0]["line"], 2);
}

#[test]
fn a_file_in_place_of_a_folder_of_plugins_is_reported() {
    let Some(f) = fixture() else { return };
    f.put("file", "", 0o644);
    let reports = Plugins::new().folder(f.path("file")).folder(f.path("missing")).load(&Registry::new());
    assert_eq!((reports.len(), reports[0].state), (1, PluginState::Broken));
    assert!(reports[0].to_string().starts_with("the plugins in "), "{}", reports[0]);
}

/// Returns the code blocks of one language.
fn blocks(guide: &str, language: &str) -> Vec<String> {
    let start = format!("```{language}\n");
    let parts = guide.split(&start).skip(1);
    parts.filter_map(|block| block.split("```").next()).map(str::to_owned).collect()
}

#[test]
fn the_plugin_in_the_guide_runs() {
    let Some(f) = fixture() else { return };
    if !has("python3") {
        return;
    }
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/plugins.md");
    let guide = fs::read_to_string(guide).expect("failed to read the guide");
    let files: Vec<(String, String)> = blocks(&guide, "toml")
        .into_iter()
        .map(|block| {
            let path = block.lines().next().and_then(|line| line.strip_prefix("# ")).expect("it begins with its path");
            (path.to_owned(), block)
        })
        .collect();
    let [program, resident] = &blocks(&guide, "python")[..] else { panic!("not two programs") };
    let load = || {
        let reports = f.load();
        let words = reports.iter().find(|report| report.name == "words").expect("the plugin is reported");
        assert_eq!((words.state, &words.findings[..]), (PluginState::Loaded, &[][..]), "{words}");
    };
    // The first file of a path is that of the program that runs once per call.
    for (path, text) in files.iter().rev() {
        f.put(path, text, 0o644);
    }
    f.put("plugins/words/run", program, 0o755);
    load();
    f.put("poem.txt", "a rose is a rose\n", 0o644);
    let poem = f.path("poem.txt");
    assert_reply!(f.call("word_count", &json!({"path": poem, "unique": "yes"})), Err(InvalidArguments));
    assert_reply!(f.call("word_count", &json!({"path": poem, "unique": "true"})), {"words": 3});
    assert_reply!(f.call("word_count", &json!({"path": poem})), {"words": 5});
    assert_reply!(f.call("word_count", &json!({"path": "/does/not/exist"})), Err(Failed, "No such file"));

    let is_resident = |(_, text): &&(String, String)| text.contains("resident = true");
    let (path, text) = files.iter().find(is_resident).expect("the guide has a program that stays running");
    f.put(path, text, 0o644);
    f.put("plugins/words/run", resident, 0o755);
    load();
    assert_reply!(f.call("word_count", &json!({"path": poem})), {"words": 5});
    f.put("poem.txt", "it is cached\n", 0o644);
    assert_reply!(f.call("word_count", &json!({"path": poem})), {"words": 5});
    assert_reply!(f.call("word_count", &json!({"path": "/does/not/exist"})), Err(Failed, "No such file"));
}
