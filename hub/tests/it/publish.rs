//! Skills of this machine, proposed to a repository.

use serde_json::{Value, json};
use toolc_hub::{GitHubAuth, HubError, Package, Problem, Repository, Secret, SourceFault};

use super::github::skill;
use super::home::Home;
use super::server::Reply;

fn package(home: &Home, text: &str) -> Result<Package, Vec<Problem>> {
    home.write("mine/SKILL.md", text);
    home.hub().package(&home.path("mine")).expect("it is a skill")
}

#[test]
fn a_skill_is_checked_before_it_is_published() {
    let home = Home::new();
    let package_of = |text: &str| package(&home, text).map(|package| package.name.to_string());
    assert_eq!(package_of(&skill("mine", "Is mine", "")).as_deref(), Ok("mine"));
    assert_eq!(
        package_of(&skill("other", "Is mine", "")),
        Err(vec![Problem::Folder("other".to_owned(), "mine".to_owned())])
    );
    assert_eq!(package_of(&skill("mine", &"x".repeat(1_025), "")), Err(vec![Problem::LongDescription(1_024)]));
    let problems = package_of("no front matter").expect_err("it has neither a name nor a description");
    assert!(matches!(problems[..], [Problem::Name(_), Problem::NoDescription]), "{problems:?}");
    let problems = package_of(&skill("my.name", "Has a dot", "")).expect_err("other programs refuse it");
    assert!(matches!(problems[..], [Problem::Name(_)]), "{problems:?}");
    let problems = package_of(&skill("mine", "Is mine", "malware")).expect_err("the guard refuses it");
    assert!(matches!(&problems[..], [Problem::Refused(refused)] if refused.findings.len() == 1), "{problems:?}");
    home.write("mine/config.sh", &format!("export GITHUB_TOKEN=ghp_{}\n", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"));
    let problems = package_of(&skill("mine", "Is mine", "")).expect_err("it has a token");
    assert_eq!(problems, [Problem::Secret("config.sh".to_owned())]);
}

fn repository() -> Repository {
    "o/skills".parse().expect("it is a repository")
}

#[test]
fn a_skill_is_proposed_as_a_pull_request() {
    let home = Home::new();
    home.write("mine/scripts/run.sh", "#!/bin/sh\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(home.path("mine/scripts/run.sh"), mode).expect("failed to set the mode");
    }
    let mode = if cfg!(unix) { "100755" } else { "100644" };
    let package = package(&home, &skill("mine", "Is mine", "")).expect("it can be published");
    let path = |end: &str| format!("/api/v3/repos/o/skills{end}");
    let sha = |digit: &str| digit.repeat(40);
    home.server.fix(&path(""), Reply::json(&json!({ "default_branch": "main" })));
    home.server.fix(&path("/git/ref/heads/main"), Reply::json(&json!({ "object": { "sha": sha("a") } })));
    home.server.fix(&path(&format!("/git/commits/{}", sha("a"))), Reply::json(&json!({ "tree": { "sha": sha("b") } })));
    for (end, digit) in [("/git/blobs", "c"), ("/git/trees", "d"), ("/git/commits", "e"), ("/git/refs", "f")] {
        home.server.fix(&path(end), Reply::new(201, json!({ "sha": sha(digit) }).to_string()));
    }
    home.server
        .fix(&path("/pulls"), Reply::new(201, json!({ "number": 7, "html_url": "https://example.com/7" }).to_string()));
    let auth = || GitHubAuth::Token(Secret::new("abc").expect("it is a token"));
    let request = home.hub_with(auth()).publish(&package, &repository(), "skills").expect("it is proposed");
    assert_eq!((request.number, request.page.as_str()), (7, "https://example.com/7"));
    let sent: Vec<(String, Value)> = home
        .server
        .requests()
        .into_iter()
        .filter(|request| request.method == "POST")
        .inspect(|request| assert_eq!(request.header("authorization"), "Bearer abc"))
        .map(|request| (request.path.rsplit('/').next().unwrap_or_default().to_owned(), request.json()))
        .collect();
    let order: Vec<&str> = sent.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(order, ["blobs", "blobs", "trees", "commits", "refs", "pulls"]);
    let tree = &sent[2].1;
    assert_eq!(tree["base_tree"], sha("b"));
    assert_eq!(
        tree["tree"][1],
        json!({ "path": "skills/mine/scripts/run.sh", "mode": mode, "type": "blob", "sha": sha("c") })
    );
    assert_eq!(sent[3].1["parents"], json!([sha("a")]));
    let branch = sent[4].1["ref"].as_str().expect("a name").strip_prefix("refs/heads/").expect("a branch").to_owned();
    assert!(branch.starts_with("skill/mine-"), "{branch}");
    assert_eq!((&sent[5].1["head"], &sent[5].1["base"]), (&json!(branch), &json!("main")));
}

#[test]
fn a_person_who_may_not_write_learns_what_to_do() {
    let home = Home::new();
    let package = package(&home, &skill("mine", "Is mine", "")).expect("it can be published");
    let publish = |auth| match home.hub_with(auth).publish(&package, &repository(), "skills") {
        Err(HubError::Source(error)) => error.fault,
        other => panic!("{other:?}"),
    };
    let fault = publish(GitHubAuth::Anonymous);
    assert!(matches!(&fault, SourceFault::Auth(text) if text.contains("GITHUB_TOKEN")), "{fault}");
    assert!(home.server.requests().is_empty());
    let token = GitHubAuth::Token(Secret::new("abc").expect("it is a token"));
    home.server.fix("/api/v3/repos/o/skills", Reply::new(401, json!({ "message": "Bad credentials" }).to_string()));
    assert!(matches!(publish(token), SourceFault::Auth(_)));
}
