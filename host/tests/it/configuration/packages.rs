//! Plugins that packages have installed: they are listed, and run after the user has trusted them.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{folder, run_with, set_mode, write};

/// Writes a plugin into a data folder of the system. Its tool and its hook create the file `ran`.
fn install(folder: &tempfile::TempDir, data: &str, name: &str, answer: &str) {
    let file = |path: &str, text: &str| write(folder, &format!("{data}/toolc/plugins/{name}/{path}"), text);
    let hook = "[hooks.before]\ntools = [\"read_file\"]\nrequired = true\ntimeout = \"1m\"\n";
    file("plugin.toml", &format!("executable = \"run\"\n\n{hook}"));
    let marker = folder.path().join("ran");
    let program = format!(
        "#!/bin/sh\nread -r request\necho x >> {}\ncase $request in\n*'\"hook\"'*) echo '{{\"result\": \"allow\"}}' ;;\n\
         *) echo '{{\"result\": \"{answer}\"}}' ;;\nesac\n",
        marker.display()
    );
    file("run", &program);
    let tool = format!("name = \"{name}\"\ntoolset = \"{name}\"\ndescription = \"Works.\"\n");
    file(&format!("manifests/tools/{name}.toml"), &tool);
    file(&format!("manifests/toolsets/{name}.toml"), &format!("name = \"{name}\"\ndescription = \"Works.\"\n"));
    set_mode(&folder.path().join(format!("{data}/toolc/plugins/{name}/run")), 0o755);
}

fn run(folder: &tempfile::TempDir, args: &[&str]) -> super::Run {
    let path = |name: &str| folder.path().join(name).display().to_string();
    let folders = format!("{}:relative:{}", path("first"), path("second"));
    run_with(folder, args, |program| program.env("XDG_DATA_DIRS", folders))
}

fn has_run(folder: &tempfile::TempDir) -> bool {
    folder.path().join("ran").exists()
}

#[test]
fn a_plugin_of_a_package_is_listed_and_runs_after_it_was_trusted() {
    let folder = folder();
    install(&folder, "second", "helper", "one");
    write(&folder, "a.txt", "alpha\n");
    assert!(run(&folder, &["call", "read_file", "path=a.txt"]).out.contains("alpha"));
    assert_eq!(run(&folder, &["call", "helper"]).status, Some(1));
    let doctor = run(&folder, &["doctor"]).out;
    assert!(doctor.contains("plugin `helper`") && doctor.contains("run `toolc trust --plugin helper`"), "{doctor}");
    let listed = run(&folder, &["doctor", "--json"]).json()["plugins"][0].clone();
    assert_eq!((&listed["name"], &listed["state"]), (&json!("helper"), &json!("untrusted")));
    assert!(!has_run(&folder));

    // The question shows the files, and what their manifests say.
    run(&folder, &["trust", "--plugin", "helper"]).assert_refused(&[
        "pass `--yes`",
        "run   ",
        "a program",
        "helper, required hook `before` for read_file",
    ]);
    run(&folder, &["trust", "--plugin", "helpr"])
        .assert_refused(&["unknown plugin `helpr`", "expected one of `helper`"]);
    assert!(!has_run(&folder));
    let trusted = run(&folder, &["trust", "--plugin", "helper", "--yes"]);
    assert_eq!(trusted.status, Some(0), "{}", trusted.err);
    assert_eq!(run(&folder, &["trust", "--plugin", "helper", "--yes"]).out, "everything is already trusted\n");
    assert_eq!(run(&folder, &["call", "helper"]).out.trim(), "\"one\"");
    let loaded = run(&folder, &["doctor", "--json"]).json()["plugins"][0]["folder"].clone();
    let loaded = loaded.as_str().expect("a folder").to_owned();
    assert!(Path::new(&loaded).starts_with(folder.path().join("home/trusted")), "{loaded}");
    assert!(run(&folder, &["trust", "--list"]).out.trim().ends_with("second/toolc/plugins/helper"));

    // The update of a package ends the trust. The earlier version does not run either.
    fs::remove_file(folder.path().join("ran")).expect("it ran");
    install(&folder, "second", "helper", "two");
    assert_eq!(run(&folder, &["call", "helper"]).status, Some(1));
    assert!(run(&folder, &["doctor"]).out.contains("have changed since you trusted them"));
    assert!(!has_run(&folder));
    assert_eq!(run(&folder, &["trust", "--plugin", "helper", "--yes"]).status, Some(0));
    assert_eq!(run(&folder, &["call", "helper"]).out.trim(), "\"two\"");

    assert_eq!(run(&folder, &["trust", "--plugin", "helper", "--revoke"]).status, Some(0));
    assert_eq!(run(&folder, &["call", "helper"]).status, Some(1));
}

#[test]
fn the_first_data_folder_counts_and_plugins_of_packages_can_be_switched_off() {
    let folder = folder();
    install(&folder, "second", "helper", "two");
    install(&folder, "first", "helper", "one");
    install(&folder, "relative", "stray", "no");
    let plugins = run(&folder, &["doctor", "--json"]).json()["plugins"].clone();
    assert_eq!(plugins.as_array().map(Vec::len), Some(1), "{plugins}");
    assert_eq!(run(&folder, &["trust", "--plugin", "helper", "--yes"]).status, Some(0));
    assert_eq!(run(&folder, &["call", "helper"]).out.trim(), "\"one\"");
    for config in ["from_packages = false", "disable = [\"helper\"]"] {
        write(&folder, "home/config.toml", &format!("[plugins]\n{config}\n"));
        assert_eq!(run(&folder, &["call", "helper"]).status, Some(1), "{config}");
        assert_eq!(run(&folder, &["doctor", "--json"]).json()["plugins"], json!([]), "{config}");
    }
}

#[test]
fn two_plugins_with_the_same_files_are_trusted_separately() {
    let folder = folder();
    install(&folder, "first", "one", "same");
    let [from, to] = ["one", "two"].map(|name| folder.path().join("first/toolc/plugins").join(name));
    fs::create_dir(&to).expect("failed to make a folder");
    for file in ["plugin.toml", "run"] {
        fs::copy(from.join(file), to.join(file)).expect("failed to copy");
        fs::remove_dir_all(from.join("manifests")).ok();
    }
    assert_eq!(run(&folder, &["trust", "--plugin", "one", "--yes"]).status, Some(0));
    let plugins = run(&folder, &["doctor", "--json"]).json()["plugins"].clone();
    let states: Vec<_> =
        plugins.as_array().expect("a list").iter().map(|plugin| (&plugin["name"], &plugin["state"])).collect();
    assert_eq!(states, [(&json!("one"), &json!("loaded")), (&json!("two"), &json!("untrusted"))]);
}
