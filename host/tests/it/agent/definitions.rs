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

#[test]
fn another_model_of_the_same_api_is_asked_at_the_server_of_the_configuration() {
    let folder = folder();
    let vendor = VENDORS.iter().find(|vendor| vendor.api == "chat").expect("it is listed");
    let servers = [(), ()].map(|()| Server::start(vec![Reply::Events((vendor.answer)("Done.", &[]))]));
    let model = |name: &str, url: &str| {
        format!("[models.{name}]\napi = \"chat\"\nmodel = \"{name}-1\"\nbase_url = \"{url}\"\nkey_variable = \"\"\n")
    };
    let text = [model("main", &servers[0].url), model("fast", &servers[1].url)].concat();
    std::fs::create_dir_all(folder.path().join("home")).expect("failed to make a folder");
    std::fs::write(folder.path().join("home/config.toml"), text).expect("failed to write");
    for (name, server, sent) in [("chat:other", &servers[0], "other"), ("fast", &servers[1], "fast-1")] {
        // The variable of the vendor does not count for a model of the configuration.
        let run =
            run(folder.path(), &["agent", "Go on.", "--model", name], &[("OPENAI_BASE_URL", "http://127.0.0.1:9")]);
        assert_eq!(run.status, Some(0), "{}", run.err);
        assert_eq!(server.requests()[0]["model"], sent);
    }
    let unknown = run(folder.path(), &["agent", "Go on.", "--model", "fats"], &[]);
    assert!(
        unknown.err.contains("did you mean `fast`? the models of config.toml are `main`, `fast`"),
        "{}",
        unknown.err
    );
}

#[test]
fn a_task_may_have_several_words() {
    let folder = folder();
    let vendor = &VENDORS[0];
    let server = Server::start(vec![Reply::Events((vendor.answer)("Done.", &[]))]);
    let model = format!("{}:m-1", vendor.api);
    let args = ["agent", "fix", "the", "bug", "--model", &model];
    let run = run(folder.path(), &args, &[(vendor.base, &server.url), (vendor.key, "sk-a-secret-key")]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(server.requests()[0].to_string().contains("fix the bug"));
}
