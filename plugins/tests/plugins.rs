//! Plugins from outside: folders that are made, changed and broken, programs that behave and that do not. Their programs
//! are scripts of `sh`.
#![cfg(unix)]

mod fixture;

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fixture::{Fixture, PROBE, SCRIPT, env, fixture};
use serde_json::{Value, json};
use toolc::cancel::CancelHandle;
use toolc::testing::assert_reply;
use toolc::{CallResponse, Dialect, DynamicTool, Env, Registry, ToolCall, ToolOutput, ToolProvider};
use toolc_plugins::{Level, PluginReport, Plugins, State};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_mins(5);

fn call(f: &Fixture, how: &str) -> CallResponse {
    f.call("probe", &json!({ "how": how }))
}

/// A compiled tool, as far as a registry can tell.
fn compiled(name: &'static str) -> Box<dyn ToolProvider> {
    let tool = DynamicTool::sync(name, "Look.", json!({"type": "object"}), |_, _| Ok(ToolOutput::text("looked")));
    tool.build().expect("it is a tool")
}

#[test]
fn a_program_gets_arguments_that_are_right() {
    let Some(f) = fixture() else { return };
    let reports = f.load();
    assert_eq!((reports[0].state, &*reports[0].tools), (State::Loaded, &["probe".to_owned()][..]), "{}", reports[0]);
    assert_eq!(reports[0].to_string(), format!("plugin `weather` ({}): probe", f.path("plugins/weather").display()));
    // Repaired, with defaults.
    let answer = f.call("probe", &json!({"how": "echo", "count": "5", "place": {"city": "Bern"}}));
    let arguments = json!({"how": "echo", "count": 5, "place": {"city": "Bern", "country": "CH"}});
    assert_reply!(answer, json!({"tool": "probe", "arguments": arguments, "call_id": "call_1", "task": "default"}));
    assert_reply!(f.call("probe", &json!({"how": "echo", "count": "many"})), Err(InvalidArguments, "/count"));
    assert_reply!(f.call("probe", &json!({"how": "echo", "cuont": 5})), Err(InvalidArguments, "cuont"));
}

#[test]
fn whatever_a_program_does_the_model_gets_an_answer() {
    let Some(f) = fixture() else { return };
    f.load();
    assert_reply!(call(&f, "error"), Err(Failed, "no such city; the key was [secret]"));
    assert_reply!(call(&f, "error and status"), Err(Failed, "as said"));
    let crash = "the plugin `weather` failed: it ended with exit status 3; it wrote: it broke: [secret]";
    assert_reply!(call(&f, "crash"), Err(Failed, crash));
    assert_reply!(call(&f, "killed"), Err(Failed, "it was ended by a signal: 9"));
    assert_reply!(call(&f, "no json"), Err(Failed, "gave no answer: expected `{\"result\": ...}`"));
    assert_reply!(call(&f, "nothing"), Err(Failed, "and there is nothing"));
    assert_reply!(call(&f, "endless"), Err(Failed, "printed more than 100000 bytes and was ended"));
    assert_reply!(call(&f, "endless errors"), Err(Failed, "printed more than 100000 bytes and was ended"));
    assert_reply!(call(&f, "deaf"), "did not listen");
    assert_reply!(call(&f, "another type"), Err(Failed, "`returns`: 5 is not of type"));
    for how in ["error", "error and status", "crash", "no json", "endless"] {
        let answer = call(&f, how).json;
        assert!(!answer.contains("hunter2"), "{answer}");
    }
    f.put("plugins/weather/run", "#!/does/not/exist\n", 0o755);
    assert_reply!(call(&f, "echo"), Err(Failed, "what runs it is missing"));
}

#[test]
fn long_input_and_output_do_not_wait_for_each_other() {
    let Some(f) = fixture() else { return };
    f.put("plugins/weather/plugin.toml", "executable = \"run\"\nenv = [\"WEATHER_KEY\"]\n", 0o644);
    f.put("plugins/weather/run", "#!/bin/sh\nprintf '{\"result\": \"'; tr -d '\"{}\\n\\\\'; printf '\"}'\n", 0o755);
    f.load();
    let long = "x".repeat(1 << 20);
    let answer = f.call("probe", &json!({ "how": long }));
    assert!(!answer.is_error(), "{:.300}", answer.json);
}

#[test]
fn a_program_that_hangs_is_ended_when_its_time_is_over() {
    let Some(f) = fixture() else { return };
    f.put("plugins/weather/manifests/tools/probe.toml", &format!("timeout = \"50ms\"\n{PROBE}"), 0o644);
    f.load();
    assert_reply!(call(&f, "sleep"), Err(Timeout));
    assert!(f.plugins.settle(LONG));
}

#[test]
fn a_cancelled_call_ends_its_program_and_what_that_started() {
    let Some(f) = fixture() else { return };
    f.load();
    let pipe = f.path("plugins/weather/run.pipe");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no `mkfifo`");
        return;
    }
    let (turn, cancel) = (f.turn(), CancelHandle::new());
    let request = ToolCall::new("probe", r#"{"how":"hang"}"#).with_cancel(&cancel);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| turn.call_blocking(&request));
        // Open as soon as the program holds its other end, and at its end when nothing holds that any more.
        let mut held = fs::File::open(&pipe).expect("failed to open");
        cancel.cancel();
        assert_reply!(call.join().expect("the call ends"), Err(Cancelled));
        assert_eq!(held.read_to_end(&mut Vec::new()).expect("failed to read"), 0);
    });
    assert!(f.plugins.settle(LONG));
}

#[test]
fn a_program_knows_no_more_of_the_environment_than_it_should() {
    let Some(f) = fixture() else { return };
    f.load();
    let names = call(&f, "environment");
    let names: String = serde_json::from_str(&names.json).expect("a text");
    assert!(names.split_whitespace().any(|name| name == "WEATHER_KEY"), "{names}");
    // Those that a shell sets by itself.
    let known = ["HOME", "LANG", "OLDPWD", "PATH", "PWD", "SHLVL", "TMPDIR", "TZ", "WEATHER_KEY", "_"];
    let unknown: Vec<&str> =
        names.split_whitespace().filter(|name| !known.contains(name) && !name.starts_with("LC_")).collect();
    assert_eq!(unknown, [""; 0]);
    // The host has more.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && env().var("OTHER_KEY").is_some());
}

#[test]
fn what_a_tool_requires_comes_from_the_sessions_environment() {
    let Some(f) = fixture() else { return };
    f.load();
    let turn = f.registry.session().env(Env::empty()).build().expect("a session").turn_blocking(Dialect::OpenAi);
    assert_eq!(turn.tools().count(), 0);
    let doctor = turn.doctor();
    assert_eq!(doctor.variables[0].description, "Opens the service.", "{doctor}");
}

#[test]
fn programs_run_where_the_host_says() {
    let Some(f) = fixture() else { return };
    let there = f.dir.path().canonicalize().expect("it is there");
    let plugins = Plugins::new().folder(f.path("plugins")).in_dir(&there);
    plugins.load(&f.registry);
    assert_reply!(call(&f, "where"), there.to_str().expect("its name is text"));
}

#[test]
fn what_is_shown_is_what_is_on_disk() {
    let Some(f) = fixture() else { return };
    f.load();
    let manifest = "plugins/weather/manifests/tools/probe.toml";
    let session = f.session();
    let shown = || session.turn_blocking(Dialect::OpenAi).definitions().to_owned();
    let first = shown();
    assert_eq!(f.reload(), []);

    f.put(manifest, &PROBE.replace("Probe it.", "Probe it well."), 0o644);
    let [changed] = &f.reload()[..] else { panic!("one has changed") };
    assert_eq!(changed.state, State::Loaded);
    assert!(shown().contains("Probe it well.") && !first.contains("Probe it well."));

    f.put(manifest, &PROBE.replace("toolset =", "tolset ="), 0o644);
    let [broken] = &f.reload()[..] else { panic!("one has changed") };
    assert_eq!((broken.state, &broken.tools[..]), (State::Broken, &[][..]));
    let finding = &broken.findings[0];
    assert_eq!(
        (finding.level, finding.code, finding.line, finding.column),
        (Level::Error, Some("C002"), Some(2), Some(1))
    );
    assert_eq!(finding.path.as_deref(), Some(&*f.path(manifest)));
    assert_eq!(finding.help, ["did you mean `toolset`?"]);
    assert!(broken.to_string().contains("probe.toml:2:1"), "{broken}");
    assert_eq!((shown().as_str(), f.reload()), ("[]", Vec::new()));

    f.put(manifest, PROBE, 0o644);
    assert_eq!(f.reload()[0].state, State::Loaded);
    assert_eq!(shown(), first);

    fs::remove_dir_all(f.path("plugins/weather")).expect("failed to remove");
    let [gone] = &f.reload()[..] else { panic!("one has gone") };
    assert_eq!((gone.state, &*gone.name), (State::Gone, "weather"));
    assert_eq!((shown().as_str(), f.reload()), ("[]", Vec::new()));
}

#[test]
fn a_program_that_comes_goes_or_changes_is_noticed() {
    let Some(f) = fixture() else { return };
    fs::remove_file(f.path("plugins/weather/run")).expect("failed to remove");
    assert_eq!(f.load()[0].state, State::Broken);
    f.put("plugins/weather/run", SCRIPT, 0o644);
    let reports = f.reload();
    assert!(reports[0].findings[0].message.contains("it may not be executed"), "{}", reports[0]);
    f.put("plugins/weather/run", SCRIPT, 0o755);
    assert_eq!(f.reload()[0].state, State::Loaded);
    f.put("plugins/weather/run", "#!/bin/sh\necho '{\"result\": \"another\"}'\n", 0o755);
    assert_reply!(call(&f, "echo"), "another");
    assert_eq!(f.reload().len(), 1);
    f.put("plugins/weather/cache/kept", "by the program", 0o644);
    assert_eq!(f.reload(), [], "what else is in its folder is its own affair");
}

#[test]
fn the_folder_that_is_named_first_wins() {
    let Some(f) = fixture() else { return };
    f.plugin("system/weather", &PROBE.replace("Probe it.", "The system's."));
    let plugins = Plugins::new().folder(f.path("plugins")).folder(f.path("system")).folder(f.path("missing"));
    let reports = plugins.load(&f.registry);
    assert_eq!(reports.iter().map(|report| report.state).collect::<Vec<_>>(), [State::Loaded, State::Shadowed]);
    assert_eq!(reports[1].findings[0].level, Level::Note);
    assert!(reports[1].findings[0].message.contains("plugins/weather stands for it"), "{}", reports[1]);
    assert!(f.turn().definitions().contains("Probe it."));
    fs::remove_dir_all(f.path("plugins/weather")).expect("failed to remove");
    let states: Vec<State> = plugins.reload(&f.registry).iter().map(|report| report.state).collect();
    assert_eq!(states, [State::Loaded, State::Gone]);
    assert!(f.turn().definitions().contains("The system's."));
}

#[test]
fn a_name_that_is_taken_is_told_until_it_is_free() {
    let Some(f) = fixture() else { return };
    let id = f.registry.add(compiled("probe")).expect("it is the first");
    let [report] = &f.load()[..] else { panic!("there is one") };
    assert_eq!(report.state, State::Broken);
    assert!(report.findings[0].message.contains("the tool name `probe` is taken"), "{report}");
    assert_reply!(call(&f, "echo"), "looked");
    assert_eq!(f.reload(), []);
    f.registry.remove(id);
    assert_eq!(f.reload()[0].state, State::Loaded);
}

#[test]
fn plugins_may_pass_a_tool_on() {
    let Some(f) = fixture() else { return };
    let other = |name: &str| PROBE.replace("\"probe\"", &format!("\"{name}\"")).replace("\"weather\"", "\"almanac\"");
    f.plugin_of("plugins/almanac", "almanac", "tide", &other("tide"));
    assert!(f.load().iter().all(|report| report.state == State::Loaded));
    // The almanac comes first, and its new name is free only when the other one has given it up.
    f.rename_tool("plugins/almanac", "tide", "probe");
    f.rename_tool("plugins/weather", "probe", "tide");
    let reports = f.reload();
    assert!(reports.iter().all(|report| report.state == State::Loaded), "{}", reports[0]);
    assert_eq!(f.registry.tool("probe").expect("it is there").toolset, "almanac");
}

/// Asserts why the only plugin is refused.
fn refused(f: &Fixture, why: &str) {
    let reports: Vec<PluginReport> = f.load();
    assert_eq!(reports[0].state, State::Broken, "{}", reports[0]);
    assert!(reports[0].to_string().contains(why), "expected: {why}\n{}", reports[0]);
    assert_eq!(f.registry.tools(), [""; 0], "nothing of it is there");
}

#[test]
fn what_others_can_write_is_not_run() {
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
            refused(&f, "others can write to it");
            refused(&f, &format!("run `chmod go-w {}`", f.path(path).canonicalize().expect("it is there").display()));
            f.mode(path, mode);
            assert_eq!(f.load()[0].state, State::Loaded, "{path}");
        }
    }
    // Only root can give a file away.
    let run = f.path("plugins/weather/run");
    if std::os::unix::fs::chown(&run, Some(4_000_000), None).is_ok() {
        refused(&f, "it belongs to another user, number 4000000");
    }
}

#[test]
fn a_program_that_others_came_to_write_is_not_run_any_more() {
    let Some(f) = fixture() else { return };
    f.load();
    f.mode("plugins/weather/run", 0o777);
    assert_reply!(call(&f, "echo"), Err(Refused, "others can write to it"));
}

#[test]
fn links_lead_nowhere_else() {
    let Some(f) = fixture() else { return };
    let moved = |path: &str, to: &str| {
        fs::rename(f.path(path), f.path(to)).expect("failed to move");
        symlink(f.path(to), f.path(path)).expect("failed to link");
    };
    let back = |path: &str, to: &str| {
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
        moved(&path, "elsewhere");
        refused(&f, "it is a link that leads out of");
        back(&path, "elsewhere");
    }
    moved("plugins/weather/run", "plugins/weather/run.sh");
    assert_eq!(f.load()[0].state, State::Loaded, "a link within the folder");
    assert_reply!(call(&f, "deaf"), "did not listen");
}

#[test]
fn a_link_out_of_the_folder_is_told_and_not_followed() {
    let Some(f) = fixture() else { return };
    let link = f.path("plugins/weather/manifests/up");
    symlink("/", &link).expect("failed to link");
    let found = &f.load()[0].findings;
    assert_eq!(found.len(), 1, "nothing below it is read: {found:?}");
    fs::remove_file(&link).expect("failed to remove");
    // Two ways to each folder, and to each of those two more.
    for depth in 0..20 {
        let folder = f.path(&format!("plugins/weather/manifests/{depth}"));
        fs::create_dir(&folder).expect("failed to make a folder");
        for way in ["left", "right"] {
            symlink(format!("../{}", depth + 1), folder.join(way)).expect("failed to link");
        }
    }
    fs::create_dir(f.path("plugins/weather/manifests/20")).expect("failed to make a folder");
    refused(&f, "more than 10000 files and folders");
}

#[test]
fn nobody_waits_for_a_pipe_that_stands_for_a_file() {
    let Some(f) = fixture() else { return };
    for file in ["plugin.toml", "toolc.toml"] {
        let path = f.path(&format!("plugins/weather/{file}"));
        let kept = fs::read_to_string(&path).ok();
        let _ = fs::remove_file(&path);
        if !Command::new("mkfifo").args(["-m", "600"]).arg(&path).status().is_ok_and(|status| status.success()) {
            eprintln!("skipped: there is no `mkfifo`");
            return;
        }
        refused(&f, "not a file");
        fs::remove_file(&path).expect("failed to remove");
        if let Some(text) = kept {
            f.put(&format!("plugins/weather/{file}"), &text, 0o644);
        }
    }
}

#[test]
fn a_plugin_says_what_it_is() {
    let Some(f) = fixture() else { return };
    let manifest = |text: &str| f.put("plugins/weather/plugin.toml", text, 0o644);
    manifest("executable = \"run\"\nenvironment = [\"WEATHER_KEY\"]\n");
    refused(&f, "`environment` is now `env`");
    manifest("executable = \"../run\"\nenv = [\"WEATHER_KEY\"]\n");
    refused(&f, "`../run` is not a file of the plugin");
    manifest("executable = \"/bin/sh\"\nenv = [\"WEATHER_KEY\"]\n");
    refused(&f, "`/bin/sh` is not a file of the plugin");
    manifest("executable = \"manifests\"\nenv = [\"WEATHER_KEY\"]\n");
    refused(&f, "it is not a file");
    manifest("");
    refused(&f, "missing key `executable`");
    fs::remove_file(f.path("plugins/weather/plugin.toml")).expect("failed to remove");
    refused(&f, "it has no `plugin.toml`");
    manifest("executable = \"run\"\n");
    let reports = f.load();
    assert_eq!((reports[0].state, reports[0].findings[0].level), (State::Loaded, Level::Warning));
    assert!(reports[0].findings[0].help[0].contains("env = [\"WEATHER_KEY\"]"), "{}", reports[0]);
    fs::remove_dir_all(f.path("plugins/weather/manifests")).expect("failed to remove");
    refused(&f, "manifests/tools/NAME.toml");
}

#[test]
fn what_a_process_cannot_be_is_refused_with_its_place() {
    let Some(f) = fixture() else { return };
    for (line, why) in [
        ("execution = \"agent\"", "tools of a plugin cannot be `agent`"),
        ("execution = \"sync\"", "tools of a plugin cannot be `sync`"),
        ("requires.check = true", "because they have no handlers"),
    ] {
        let tool = PROBE.replace("requires = {", "requires.env = [\"WEATHER_KEY\"] # {");
        f.put("plugins/weather/manifests/tools/probe.toml", &format!("{line}\n{tool}"), 0o644);
        refused(&f, why);
        refused(&f, "probe.toml:1:");
    }
    f.put("plugins/weather/manifests/tools/probe.toml", &format!("execution = \"blocking\"\n{PROBE}"), 0o644);
    assert_eq!(f.load()[0].state, State::Loaded);
}

#[test]
fn its_conditions_ask_for_tools_that_are_compiled() {
    let Some(f) = fixture() else { return };
    let conditional =
        PROBE.replace("Probe it.", "Probe it.{% if tools.look %} Better: {{ available('look') }}.{% endif %}");
    f.put("plugins/weather/manifests/tools/probe.toml", &conditional, 0o644);
    refused(&f, "unknown tool `look`");
    f.put("plugins/weather/toolc.toml", "[external]\ntools = [\"look\"]\n", 0o644);
    assert_eq!(f.load()[0].state, State::Loaded);
    let description = || {
        let all: Vec<Value> = serde_json::from_str(f.turn().definitions()).expect("definitions are JSON");
        let probe = all.into_iter().find(|one| one["function"]["name"] == "probe").expect("it is shown");
        probe["function"]["description"].as_str().expect("a text").to_owned()
    };
    assert_eq!(description(), "Probe it.");
    f.registry.add(compiled("look")).expect("it is free");
    assert_eq!(description(), "Probe it. Better: look.");
}

#[test]
fn a_broken_plugin_stands_in_no_others_way() {
    let Some(f) = fixture() else { return };
    f.plugin_of("plugins/almanac", "almanac", "tide", "name = \"tide\"\ntoolset =\n");
    f.put("plugins/README.md", "No plugin.", 0o644);
    f.put("plugins/.git/config", "", 0o644);
    let reports = f.load();
    assert_eq!(reports.iter().map(|report| report.state).collect::<Vec<_>>(), [State::Broken, State::Loaded]);
    let json = serde_json::to_value(&reports[0]).expect("a report is data");
    assert_eq!((&json["state"], &json["findings"][0]["code"]), (&json!("broken"), &json!("C001")));
    assert_eq!(json["findings"][0]["line"], 2);
}

#[test]
fn a_folder_that_is_none_is_told() {
    let Some(f) = fixture() else { return };
    f.put("file", "", 0o644);
    let reports = Plugins::new().folder(f.path("file")).folder(f.path("missing")).load(&Registry::new());
    assert_eq!((reports.len(), reports[0].state), (1, State::Broken));
    assert!(reports[0].to_string().starts_with("the plugins in "), "{}", reports[0]);
}

/// The fenced blocks of one language.
fn blocks(guide: &str, language: &str) -> Vec<String> {
    let start = format!("```{language}\n");
    let parts = guide.split(&start).skip(1);
    parts.filter_map(|block| block.split("```").next()).map(str::to_owned).collect()
}

#[test]
fn the_plugin_of_the_guide_runs() {
    let Some(f) = fixture() else { return };
    if !Command::new("python3").arg("--version").output().is_ok_and(|run| run.status.success()) {
        eprintln!("skipped: there is no `python3`");
        return;
    }
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/plugins.md");
    let guide = fs::read_to_string(guide).expect("the guide is there");
    for block in blocks(&guide, "toml") {
        let path = block.lines().next().and_then(|line| line.strip_prefix("# ")).expect("it begins with its path");
        f.put(path, &block, 0o644);
    }
    let [program] = &blocks(&guide, "python")[..] else { panic!("there is one program") };
    f.put("plugins/words/run", program, 0o755);
    let reports = f.load();
    let words = reports.iter().find(|report| report.name == "words").expect("it is found");
    assert_eq!((words.state, &words.findings[..]), (State::Loaded, &[][..]), "{words}");
    f.put("poem.txt", "a rose is a rose\n", 0o644);
    let poem = f.path("poem.txt");
    assert_reply!(f.call("word_count", &json!({"path": poem, "unique": "yes"})), Err(InvalidArguments));
    assert_reply!(f.call("word_count", &json!({"path": poem, "unique": "true"})), {"words": 3});
    assert_reply!(f.call("word_count", &json!({"path": poem})), {"words": 5});
    assert_reply!(f.call("word_count", &json!({"path": "/does/not/exist"})), Err(Failed, "No such file"));
}
