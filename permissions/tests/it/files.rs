//! Mistakes in files, and warnings about rules.

use serde_json::json;
use toolc::{DynamicTool, Registry, ToolOutput};
use toolc_permissions::{KnownTools, PermissionFile, Trust, mistakes, warnings};

fn rule(name: &str, verdict: &str, keys: &str) -> String {
    format!("[[permissions]]\nname = \"{name}\"\ndescription = \"D.\"\nverdict = \"{verdict}\"\n{keys}\n")
}

fn refused(text: &str, trust: Trust) -> String {
    PermissionFile::read("p.toml", text, trust).expect_err("the file has a mistake").to_string()
}

fn read(text: &str) -> PermissionFile {
    PermissionFile::read("p.toml", text, Trust::Home).unwrap_or_else(|error| panic!("{error}"))
}

fn tools() -> KnownTools {
    let registry = Registry::new();
    let schema =
        json!({ "type": "object", "properties": { "path": { "type": "string" }, "mode": { "type": "string" } } });
    for name in ["write_file", "read_file"] {
        let tool = DynamicTool::sync(name, "Does it.", schema.clone(), |_, _| Ok(ToolOutput::text("")));
        registry.add(tool.build().expect("a correct tool")).expect("a new name");
    }
    KnownTools::of(&registry)
}

#[test]
fn all_mistakes_of_a_file_are_reported_at_once_with_their_lines() {
    let text = rule("a", "denny", "tools = [\"[x\"]\nparameters.path.witin = [\"src\"]")
        + &rule("a", "ask", "exempts = [\"b\"]\ntools = [\"x\"]\nparameters.url.hosts = [\"https://x\"]")
        + &rule("B c", "ask", "tools = []");
    let error = refused(&text, Trust::Home);
    for part in [
        "did you mean `deny`?",
        "did you mean `within`?",
        "`[x` is not a pattern",
        "the rule `a` is declared twice",
        "`exempts` requires `verdict = \"allow\"`",
        "expected a host, such as `example.com`",
        "`B c` cannot be the name of a rule",
        "p.toml:4:11",
    ] {
        assert!(error.contains(part), "{part}\n{error}");
    }
}

#[test]
fn conditions_that_contradict_each_other_are_refused() {
    for keys in [
        "minimum = 5\nmaximum = 4",
        "exclusive_minimum = 5\nmaximum = 5",
        "minimum = 5\nwithin = [\"src\"]",
        "within = [\"src/a\"]\noutside = [\"src\"]",
        "hosts = [\"a.example.com\"]\nwithout_hosts = [\"*.example.com\"]",
        "matches = [\"a\"]\nwithout = [\"*\"]",
    ] {
        let error = refused(&(rule("a", "ask", "") + "[permissions.parameters.p]\n" + keys), Trust::Home);
        assert!(error.contains("`p` can never match"), "{keys}: {error}");
    }
    for wide in ["", "parameters.p = {}", "without_tools = [\"x\"]"] {
        assert!(refused(&rule("a", "ask", wide), Trust::Home).contains("`a` would match every call"), "{wide}");
    }
}

#[test]
fn a_project_allows_nothing() {
    let allow = rule("a", "allow", "tools = [\"x\"]");
    assert!(refused(&allow, Trust::Project).contains("the permissions of a project cannot allow anything"));
    read(&allow);
    for verdict in ["ask", "deny"] {
        PermissionFile::read("p", &rule("a", verdict, "tools = [\"x\"]"), Trust::Project).expect("it is stricter");
    }
}

#[test]
fn examples_are_tried_when_a_file_is_read() {
    let with = |examples: &str| {
        rule("a", "deny", &format!("tools = [\"write_file\"]\nparameters.path.within = [\"src\"]\n{examples}"))
    };
    read(&with("matches = [{ tool = \"write_file\", arguments = { path = \"/work/src/x\" } }]"));
    read(&with("ignores = [{ tool = \"write_file\", arguments = { path = \"x\" } }, { tool = \"read_file\" }]"));
    let wrong = "matches = [{ tool = \"write_file\", arguments = { path = \"x\" } }]\nignores = [{ tool = \"write_file\", \
                 arguments = { path = \"src\" } }]";
    let error = refused(&with(wrong), Trust::Home);
    assert!(error.contains("`a` does not match this example"), "{error}");
    assert!(error.contains("`a` matches this example, which it should ignore"), "{error}");
    let of_server = "servers = [\"git\"]\nannotations = { read_only = true }\nmatches = [{ tool = \"mcp__git__log\", annotations = { \
                     read_only = true } }]\nignores = [{ tool = \"mcp__git__log\" }]";
    read(&rule("a", "allow", of_server));
}

#[test]
fn names_that_are_similar_to_known_ones_are_mistakes() {
    let check = |text: &str| mistakes(&[read(text)], &tools()).join("\n");
    for (keys, part) in [
        ("tools = [\"write_fil\"]", "did you mean `write_file`?"),
        ("tools = [\"write_file\"]\nparameters.pth.within = [\"x\"]", "no tool of this rule has the parameter `pth`"),
        ("tools = [\"write_file\"]\nparameters.\"pth.x\".is = [1]", "the parameters are: `mode`, `path`"),
    ] {
        let found = check(&rule("a", "deny", keys));
        assert!(found.contains(part), "{keys}: {found}");
    }
    for keys in
        ["tools = [\"mcp__later__x\"]", "tools = [\"write_*\"]\nparameters.path.within = [\"x\"]", "servers = [\"z\"]"]
    {
        assert_eq!(check(&rule("a", "deny", keys)), "", "{keys}");
    }
    let exempts = |name: &str| {
        check(
            &(rule("ask-me", "ask", "tools = [\"read_file\"]")
                + &rule("no", "deny", "tools = [\"write_file\"]")
                + &rule("b", "allow", &format!("exempts = [\"{name}\"]\ntools = [\"read_file\"]"))),
        )
    };
    assert!(exempts("ask-m").contains("did you mean `ask-me`?") && exempts("no").contains("only `ask` has exceptions"));
    assert_eq!(exempts("ask-me"), "");
    let twice = [read(&rule("a", "ask", "tools = [\"x\"]")), read(&rule("a", "deny", "tools = [\"y\"]"))];
    assert!(mistakes(&twice, &tools()).concat().contains("p.toml:2 has a rule with this name"));
}

#[test]
fn kinds_of_environments_that_do_not_exist_are_mistakes() {
    let check = |keys: &str, tools: &KnownTools| mistakes(&[read(&rule("a", "deny", keys))], tools).join("\n");
    let known = tools().environments(["local", "docker"]);
    let found = check("environments = [\"dokcer\"]", &known);
    assert!(found.contains("no kind of environment is called `dokcer`") && found.contains("`docker`?"), "{found}");
    assert!(check("environments = [\"d*\"]", &known).contains("the kinds are: `local`, `docker`"));
    assert_eq!(check("environments = [\"docker\", \"local\"]", &known), "");
    assert_eq!(check("environments = [\"own\"]", &tools()), "", "a host can have kinds of its own");
}

#[test]
fn rules_without_an_effect_are_warned_about() {
    let warned = |text: &str| warnings(&[read(text)], &tools()).join("\n");
    let write = "tools = [\"write_file\"]\n";
    let within = |folder: &str| format!("{write}parameters.path.within = [\"{folder}\"]");
    for (first, second) in [
        (("deny", write.to_owned()), ("ask", within("src"))),
        (("deny", within("src")), ("deny", within("src/a"))),
        (("ask", "tools = [\"write_*\"]".to_owned()), ("ask", within("src"))),
        (
            ("deny", format!("{write}parameters.n.minimum = 5")),
            ("ask", format!("{write}parameters.n.exclusive_minimum = 5")),
        ),
        (
            ("deny", format!("{write}parameters.u.hosts = [\"*.a.com\"]")),
            ("allow", format!("{write}parameters.u.hosts = [\"x.a.com\"]")),
        ),
    ] {
        let text = rule("a", first.0, &first.1) + &rule("b", second.0, &second.1);
        assert!(warned(&text).contains("`b` never decides"), "{text}: {}", warned(&text));
        assert!(!warned(&text).contains("`a` never decides"), "{text}");
    }
    for (first, second) in [
        (("deny", within("src")), ("deny", within("tests"))),
        (("deny", within("src")), ("ask", write.to_owned())),
        (("ask", write.to_owned()), ("allow", within("src"))),
        (("ask", write.to_owned()), ("deny", within("src"))),
    ] {
        let text = rule("a", first.0, &first.1) + &rule("b", second.0, &second.1);
        assert_eq!(warned(&text), "", "{text}");
    }
    assert!(warned(&rule("a", "deny", "tools = [\"gone\", \"*_filez\"]")).contains("nothing has this name now"));
}
