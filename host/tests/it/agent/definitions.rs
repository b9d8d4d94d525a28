//! The definitions of tools in requests.

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::agent::{folder, run};

#[test]
fn requests_have_the_dialect_of_the_model() {
    let folder = folder();
    let vendor = VENDORS.iter().find(|vendor| vendor.api == "chat").expect("it is listed");
    let answers = (0..2).map(|_| Reply::Events((vendor.answer)("Done.", &[]))).collect();
    let server = Server::start(answers);
    for dialect in ["", "dialect = \"portable\"\n"] {
        let text = format!(
            "[models.main]\napi = \"chat\"\nmodel = \"m\"\nbase_url = \"{}\"\nkey_variable = \"\"\n{dialect}",
            server.url
        );
        std::fs::create_dir_all(folder.path().join("home")).expect("failed to make a folder");
        std::fs::write(folder.path().join("home/config.toml"), text).expect("failed to write");
        let run = run(folder.path(), &["agent", "Go on."], &[]);
        assert_eq!(run.status, Some(0), "{}", run.err);
    }
    let [written, portable] = &server.requests()[..] else { panic!("two requests") };
    let [written, portable] = [written, portable].map(|request| request["tools"].to_string());
    assert!(written.contains("read_file") && portable.contains("read_file"), "{portable}");
    // `portable` does not say that objects are closed, and states defaults in words.
    assert!(written.contains("additionalProperties") && !portable.contains("additionalProperties"), "{portable}");
    assert!(written.contains("\"default\":") && !portable.contains("\"default\":"), "{portable}");
}
