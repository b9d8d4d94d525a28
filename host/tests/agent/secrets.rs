//! A key that this program knows is in nothing that it writes, and in no command's environment.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::json;

use crate::server::{Reply, Server};
use crate::vendors::VENDORS;
use crate::{folder, run};

/// The key of the model.
const SECRET: &str = "sk-a-very-secret-key-1234567890";
/// A variable in `.env`.
const OTHER: &str = "another-secret-of-the-user";

/// Returns the files below a folder that contain a secret.
fn files_with_secret(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            files_with_secret(&path, found);
        } else if contains_secret(&fs::read(&path).expect("the file can be read")) {
            found.push(path.display().to_string());
        }
    }
}

fn contains_secret(bytes: &[u8]) -> bool {
    [SECRET, OTHER].iter().any(|secret| bytes.windows(secret.len()).any(|part| part == secret.as_bytes()))
}

#[test]
fn a_key_is_nowhere_after_a_run_in_which_everything_repeats_it() {
    for vendor in &VENDORS {
        let folder = folder();
        let answer = vendor.answer;
        // The file with the secret is the user's own; all copies of it are this program's.
        fs::write(folder.path().join("own"), format!("KEY={SECRET}\nOTHER={OTHER}\n")).expect("failed to write");
        fs::write(folder.path().join("tasks"), "{\"prompt\":\"Go\"}\n").expect("failed to write");
        let home = folder.path().join("home");
        fs::create_dir(&home).expect("failed to make a folder");
        let env_file = home.join(".env");
        fs::write(&env_file, format!("UNSUSPICIOUS={OTHER}\n")).expect("failed to write");
        fs::set_permissions(&env_file, fs::Permissions::from_mode(0o600)).expect("failed to change");
        let calls = [
            ("c1", "terminal", json!({ "command": "env" })),
            ("c2", "read_file", json!({ "path": "own" })),
            ("c3", "terminal", json!({ "command": "cat own; seq 1 20000; cat own" })),
            ("c4", "terminal", json!({ "command": "rm -rf build # $(cat own)" })),
        ];
        let replies = || {
            vec![
                Reply::Events(answer("Look", &calls)),
                Reply::Status(500, "", format!(r#"{{"error":{{"message":"the key {SECRET} failed"}}}}"#)),
                Reply::Events(answer(&format!("It is {SECRET} and {OTHER}."), &[])),
            ]
        };
        let model = format!("{}:m-1", vendor.api);
        let server = Server::start(replies());
        let variables = [(vendor.base, &*server.url), (vendor.key, SECRET)];
        let single = run(folder.path(), &["agent", "Go", "--json", "--model", &model], &variables);
        assert_eq!(single.status, Some(0), "{}", single.err);
        let results = server.requests()[1][vendor.conversation].to_string();
        assert!(!contains_secret(results.as_bytes()), "{}: the model got a secret", vendor.api);
        assert!(results.contains("[secret]"), "{}: the file was read", vendor.api);

        let server = Server::start(replies());
        let variables = [(vendor.base, &*server.url), (vendor.key, SECRET)];
        let batch = run(folder.path(), &["batch", "tasks", "--out", "out", "--model", &model], &variables);
        assert_eq!(batch.status, Some(0), "{}", batch.err);

        for text in [&single.out, &single.err, &batch.out, &batch.err] {
            assert!(!contains_secret(text.as_bytes()), "{}: {text}", vendor.api);
        }
        fs::remove_file(folder.path().join("own")).expect("failed to remove");
        fs::remove_file(&env_file).expect("failed to remove");
        let mut found = Vec::new();
        files_with_secret(folder.path(), &mut found);
        assert_eq!(found, [""; 0], "{}", vendor.api);
        assert!(folder.path().join("home/state.db").exists() && folder.path().join("out").exists());
    }
}
