//! Tests of programs that stay running between calls. The programs are scripts of Python.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::fixture::{Fixture, env, fixture};
use serde_json::{Value, json};
use toolc::cancel::CancelHandle;
use toolc::testing::assert_reply;
use toolc::{CallResponse, Dialect, ToolCall};
use toolc_test_support::programs::has;
use toolc_test_support::wait_until;

/// A limit that is never reached.
const LONG_TIMEOUT: Duration = Duration::from_mins(5);

/// The program. It answers several requests at the same time.
const PROGRAM: &str = r#"#!/usr/bin/env python3
import json, os, sys, threading, time
lock, calls, cancelled = threading.Lock(), 0, {}
def send(line):
    with lock: print(line, flush=True)
def answer(request):
    id, how = request["id"], request.get("arguments", {}).get("how", "")
    stop = cancelled.setdefault(id, threading.Event())
    reply = lambda result: send(json.dumps({"id": id, "result": result}))
    if how == "wait":
        open(sys.argv[0] + ".waiting", "w").close()
        stop.wait()
        open(sys.argv[0] + ".cancelled", "w").close()
        return reply("cancelled")
    if how == "ignore": return
    if how == "die":
        print("out of luck: " + os.environ["WEATHER_KEY"], file=sys.stderr, flush=True)
        os._exit(3)
    if how == "slow": time.sleep(0.5)
    if how == "error": return send(json.dumps({"id": id, "error": "no such city: " + os.environ["WEATHER_KEY"]}))
    if how == "fields":
        fields = {"key": os.environ["WEATHER_KEY"], "cities": 0}
        return send(json.dumps({"id": id, "error": "no such city", "kind": "not_found", "fields": fields}))
    if how == "noise": return send("loading the model")
    if how == "stray": return send(json.dumps({"id": 999, "result": 1}))
    if how == "long": return send("x" * 200_000)
    if how == "big": return reply(str(len(json.dumps(request))))
    if how == "child":
        import subprocess
        return reply(str(subprocess.Popen(["sleep", "600"]).pid))
    reply({"pid": os.getpid(), "calls": calls, "task": request["task"], "hook": request.get("hook", "")})
for line in sys.stdin:
    request = json.loads(line)
    if "cancel" in request:
        cancelled[request["cancel"]].set()
        continue
    calls += 1
    cancelled[request["id"]] = threading.Event()
    threading.Thread(target=answer, args=[request], daemon=True).start()
"#;

/// Returns a fixture with a plugin that stays running, or `None` if a program is missing.
fn resident(more: &str) -> Option<Fixture> {
    if !has("python3") {
        return None;
    }
    let f = fixture()?;
    let manifest =
        format!("executable = \"run\"\nenv = [\"WEATHER_KEY\"]\nmax_output_bytes = 100_000\nresident = true\n{more}");
    f.put("plugins/weather/plugin.toml", &manifest, 0o644);
    f.put("plugins/weather/run", PROGRAM, 0o755);
    let reports = f.load();
    assert!(reports[0].findings.is_empty(), "{}", reports[0]);
    Some(f)
}

fn call(f: &Fixture, how: &str) -> CallResponse {
    f.call("probe", &json!({ "how": how }))
}

fn value(response: &CallResponse) -> Value {
    assert!(!response.is_error(), "{}", response.json);
    serde_json::from_str(&response.json).expect("it is JSON")
}

/// Returns whether a process runs, on Linux.
fn runs(pid: &Value) -> bool {
    Path::new("/proc").join(pid.to_string().trim_matches('"')).exists()
}

#[test]
fn a_program_that_stays_running_keeps_its_state_between_calls() {
    let Some(f) = resident("") else { return };
    let (first, second) = (value(&call(&f, "")), value(&call(&f, "")));
    assert_eq!((&first["calls"], &second["calls"]), (&json!(1), &json!(2)));
    assert_eq!(first["pid"], second["pid"]);
    assert_eq!(first["task"], "default");
    assert_reply!(call(&f, "error"), Err(Failed, "no such city: [secret]"));
    let expected = json!({ "error": "no such city", "kind": "not_found", "key": "[secret]", "cities": 0 });
    assert_eq!(serde_json::from_str::<Value>(&call(&f, "fields").json).expect("an error is JSON"), expected);
    assert_eq!(value(&call(&f, ""))["pid"], first["pid"], "an error of one call is not the end");
}

#[test]
fn a_program_answers_several_calls_at_the_same_time() {
    let Some(f) = resident("") else { return };
    call(&f, "");
    let began = Instant::now();
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| (value(&call(&f, "slow")), Instant::now()));
        std::thread::sleep(Duration::from_millis(50));
        let quick = (value(&call(&f, "")), Instant::now());
        let slow = slow.join().expect("the call ends");
        assert_eq!(slow.0["pid"], quick.0["pid"]);
        assert!(quick.1 < slow.1, "the quick call does not wait for the slow one: {:?}", began.elapsed());
    });
}

#[test]
fn sessions_with_other_variables_have_a_process_of_their_own() {
    let Some(f) = resident("") else { return };
    let pid = |key: &str| {
        let session = f.registry.session().env(env().with_var("WEATHER_KEY", key)).build().expect("it is valid");
        let turn = session.turn_blocking(Dialect::OpenAi);
        value(&turn.call_blocking(&ToolCall::new("probe", r#"{"how": ""}"#)))["pid"].clone()
    };
    let (one, other) = (pid("one"), pid("other"));
    assert_ne!(one, other);
    assert_eq!((pid("one"), pid("other")), (one.clone(), other), "each is used again");
    // The processes that were not used for the longest time make room.
    (0..8).for_each(|key| drop(pid(&key.to_string())));
    assert_ne!(pid("one"), one);
}

#[test]
fn a_crash_fails_the_calls_in_flight_and_the_next_call_starts_the_program_again() {
    let Some(f) = resident("") else { return };
    let first = value(&call(&f, ""));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| call(&f, "wait"));
        wait_until("the call waits", || f.path("plugins/weather/run.waiting").exists());
        let text = "the plugin `weather` ended during the call: exit status 3; its stderr: out of luck: [secret]. The next call \
                    starts it again, without its state";
        assert_reply!(call(&f, "die"), Err(Failed, text));
        assert_reply!(waiting.join().expect("the call ends"), Err(Failed, text));
    });
    let next = value(&call(&f, ""));
    assert_ne!(next["pid"], first["pid"]);
    assert_eq!(next["calls"], 1);
}

#[test]
fn output_that_is_no_reply_ends_the_program() {
    let Some(f) = resident("") else { return };
    let failures = [
        ("noise", "got a line of invalid JSON"),
        ("stray", "it replied to the request 999, which is not open"),
        ("long", "it printed more than 100000 bytes in a line: ask for a smaller result"),
    ];
    for (how, message) in failures {
        assert_reply!(call(&f, how), Err(Failed, message));
        assert_eq!(value(&call(&f, ""))["calls"], 1, "the program was started again");
    }
    f.put("plugins/weather/run", "#!/bin/sh\nexit 0\n", 0o755);
    f.load();
    let response = call(&f, "");
    assert!(response.json.contains("ended during the call: exit status 0") || response.json.contains("as soon as"));
}

#[test]
fn long_requests_reach_the_program() {
    let Some(f) = resident("") else { return };
    // `how` is at the end of the longest text, so that the program must read all of it.
    let response = f.call("probe", &json!({"how": "big", "place": {"city": "x".repeat(3 << 20)}}));
    let length: usize = value(&response).as_str().expect("a text").parse().expect("a number");
    assert!(length > 3 << 20, "{length}");
}

#[test]
fn a_cancelled_call_is_cancelled_in_the_program_which_runs_on() {
    let Some(f) = resident("") else { return };
    let first = value(&call(&f, ""));
    let (turn, cancel) = (f.turn(), CancelHandle::new());
    let request = ToolCall::new("probe", r#"{"how": "wait"}"#).with_cancel(&cancel);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| turn.call_blocking(&request));
        wait_until("the call waits", || f.path("plugins/weather/run.waiting").exists());
        cancel.cancel();
        assert_reply!(call.join().expect("the call ends"), Err(Cancelled));
    });
    wait_until("the call is cancelled", || f.path("plugins/weather/run.cancelled").exists());
    assert_eq!(value(&call(&f, ""))["pid"], first["pid"]);
}

#[test]
fn a_program_that_ignores_a_cancelled_call_is_ended() {
    let Some(f) = resident("") else { return };
    let first = value(&call(&f, ""));
    f.put(
        "plugins/weather/manifests/tools/probe.toml",
        &format!("timeout = \"50ms\"\n{}", crate::fixture::PROBE),
        0o644,
    );
    let turn = {
        let session = f.registry.session().env(env()).timeout(Duration::from_millis(50)).build().expect("it is valid");
        session.turn_blocking(Dialect::OpenAi)
    };
    assert_reply!(turn.call_blocking(&ToolCall::new("probe", r#"{"how": "ignore"}"#)), Err(Timeout));
    if cfg!(target_os = "linux") {
        assert!(runs(&first["pid"]), "it has time to answer");
        wait_until("the program ends", || !runs(&first["pid"]));
    } else {
        std::thread::sleep(Duration::from_secs(8));
    }
    assert_ne!(value(&call(&f, ""))["pid"], first["pid"]);
}

#[test]
fn an_idle_program_is_ended_with_its_children() {
    let Some(f) = resident("idle_timeout = \"200ms\"\n") else { return };
    let first = value(&call(&f, ""));
    let child = value(&call(&f, "child"));
    if cfg!(target_os = "linux") {
        wait_until("the program ends", || !runs(&first["pid"]) && !runs(&child));
    } else {
        std::thread::sleep(Duration::from_secs(3));
    }
    let next = value(&call(&f, ""));
    assert_ne!(next["pid"], first["pid"]);
}

#[test]
fn a_host_can_wait_for_the_end_of_programs_that_stay_running() {
    let Some(f) = resident("") else { return };
    let first = value(&call(&f, ""));
    assert!(f.plugins.settle(LONG_TIMEOUT));
    assert!(!runs(&first["pid"]));
    assert_eq!(value(&call(&f, ""))["calls"], 1);
}

#[test]
fn a_changed_plugin_gets_a_new_process_and_the_old_one_ends() {
    let Some(f) = resident("") else { return };
    let first = value(&call(&f, ""));
    f.put("plugins/weather/run", &PROGRAM.replace("calls += 1", "calls += 10"), 0o755);
    assert_eq!(f.reload().len(), 1);
    assert_eq!(value(&call(&f, ""))["calls"], 10);
    if cfg!(target_os = "linux") {
        wait_until("the program ends", || !runs(&first["pid"]));
    }
}

#[test]
fn hooks_and_tools_of_a_plugin_share_the_process() {
    let hooks = "[hooks.transform]\ntools = [\"probe\"]\nrequired = true\ntimeout = \"5m\"\n";
    let Some(f) = resident(hooks) else { return };
    let program = PROGRAM.replace("    if how == \"wait\":", "    if \"hook\" in request: return reply({\"replace\": request[\"result\"] | {\"then\": calls}})\n    if how == \"wait\":");
    f.put("plugins/weather/run", &program, 0o755);
    f.load();
    let session = f.plugins.hooks(&f.registry).env(env()).add_to(f.registry.session().env(env()));
    let turn = session.build().expect("it is valid").turn_blocking(Dialect::OpenAi);
    let response = value(&turn.call_blocking(&ToolCall::new("probe", r#"{"how": ""}"#)));
    assert_eq!((&response["calls"], &response["then"]), (&json!(1), &json!(2)), "{response}");
}
