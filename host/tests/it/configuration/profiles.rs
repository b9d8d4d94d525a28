//! Profiles: each has its own configuration and variables.

use serde_json::{Value, json};
use toolc::{Dialect, DynamicTool, Registry, Session, ToolCall, ToolOutput};
use toolc_config::{EnvFile, Home, Profile};

use super::{folder, run, run_with, write};

#[test]
fn a_profile_has_its_own_configuration() {
    let folder = folder();
    write(&folder, "home/config.toml", "[agent]\nmax_iterations = 5\n");
    write(&folder, "home/profiles/second/config.toml", "[agent]\nmax_iterations = 7\n");
    let iterations = |run: super::Run| run.json()["agent"]["max_iterations"].as_u64();
    let args = ["config", "show", "--json"];
    assert_eq!(iterations(run(&folder, &args)), Some(5));
    assert_eq!(iterations(run(&folder, &[&args[..], &["--profile", "second"]].concat())), Some(7));
    assert_eq!(iterations(run_with(&folder, &args, |program| program.env("TOOLC_PROFILE", "second"))), Some(7));
    let both = run_with(&folder, &[&args[..], &["--profile", "default"]].concat(), |program| {
        program.env("TOOLC_PROFILE", "second")
    });
    assert_eq!(iterations(both), Some(5));
}

#[test]
fn a_misspelt_profile_is_an_error_and_not_a_profile_without_restrictions() {
    let folder = folder();
    write(&folder, "home/config.toml", "");
    for args in [
        &["definitions"][..],
        &["call", "todo"],
        &["config", "show"],
        &["config", "path"],
        &["doctor"],
        &["sessions", "list"],
        &["kanban"],
        &["approvals", "list"],
        &["environments", "list"],
        &["judge", "ls"],
        &["cron"],
        &["tools"],
        &["mcp", "list"],
    ] {
        let args = [args, &["--profile", "wrok"]].concat();
        run(&folder, &args).assert_refused(&["there is no profile `wrok`", "toolc setup --profile wrok"]);
    }
    run(&folder, &["definitions", "--profile", "../x"]).assert_refused(&["is not the name of a profile"]);
    assert!(!folder.path().join("home/profiles").exists());
}

/// A tool that returns what the handler of a call can see of the profile.
fn look() -> Box<dyn toolc::ToolProvider> {
    let look = DynamicTool::sync("look", "Look.", json!({ "type": "object", "properties": {} }), |_, call| {
        let env = call.env();
        ToolOutput::json(&json!({
            "home": call.home(),
            "first": env.var("PROFILE_TEST_FIRST"),
            "second": env.var("PROFILE_TEST_SECOND"),
            "both": env.var("PROFILE_TEST_BOTH"),
            "secrets": call.secret_variables(),
        }))
    });
    look.build().expect("the tool is valid")
}

#[test]
fn two_profiles_in_one_process_see_only_their_own_variables_and_folders() {
    let folder = folder();
    write(&folder, "home/.env", "PROFILE_TEST_FIRST=one-hunter\nPROFILE_TEST_BOTH=own-of-one\n");
    write(&folder, "home/profiles/second/.env", "PROFILE_TEST_SECOND=two-hunter\nPROFILE_TEST_BOTH=own-of-two\n");
    let registry = Registry::new();
    registry.add(look()).expect("the name is free");
    let session = |profile: &str| {
        let profile = Profile::new(profile).expect("a valid name");
        let home = Home::of_profile(folder.path().join("home"), profile);
        let env = EnvFile::read(&home).expect("it is valid").environment();
        registry.session().home(home.path()).env(env).build().expect("the session is valid")
    };
    let (first, second) = (session("default"), session("second"));
    let seen = |session: &Session| -> Value {
        let response = session.turn_blocking(Dialect::OpenAi).call_blocking(&ToolCall::new("look", "{}"));
        serde_json::from_str(&response.json).expect("it is JSON")
    };
    let second_home = folder.path().join("home/profiles/second");
    std::thread::scope(|threads| {
        for _ in 0..50 {
            let [first, second] = [&first, &second].map(|session| threads.spawn(|| seen(session)));
            let (first, second) = (first.join().expect("it ends"), second.join().expect("it ends"));
            let expected = json!({
                "home": folder.path().join("home"), "first": "one-hunter", "second": null, "both": "own-of-one",
                "secrets": ["PROFILE_TEST_BOTH", "PROFILE_TEST_FIRST"],
            });
            assert_eq!(first, expected);
            let expected = json!({
                "home": second_home, "first": null, "second": "two-hunter", "both": "own-of-two",
                "secrets": ["PROFILE_TEST_BOTH", "PROFILE_TEST_SECOND"],
            });
            assert_eq!(second, expected);
        }
    });
    assert!(std::env::var_os("PROFILE_TEST_FIRST").is_none(), "the variables are not those of the process");
    let text = "one-hunter two-hunter";
    assert_eq!(first.redactor().text(text), "[secret] two-hunter");
    assert_eq!(second.redactor().text(text), "one-hunter [secret]");
}
