//! Every command has the same tools: what `definitions`, `doctor` and `tools` list, what `why` and `call` say about one, what `agent`,
//! `batch` and a job have, and what `mcp serve` serves.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolc_test_support::programs::has;

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::VENDORS;
use crate::mcp::{self, run};

type Names = BTreeSet<String>;

/// The tools that no batch has, unless the command line names them.
const NOT_IN_BATCHES: [&str; 3] = ["skill_manage", "skill_view", "skills_list"];
/// The tools that need a conversation, and so are neither in jobs nor served.
const NOT_IN_JOBS: [&str; 2] = ["clarify", "cronjob"];
const NOT_SERVED: [&str; 2] = ["clarify", "delegate_task"];

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A configuration, and the options of a command line.
#[derive(Debug, Default, Clone)]
struct Case {
    config: String,
    options: Vec<String>,
    has_variable: bool,
}

impl Case {
    fn random(random: &mut Random) -> Self {
        const TOOLSETS: [&str; 12] = [
            "file",
            "terminal",
            "cli",
            "safe",
            "kanban",
            "webhook",
            "api-server",
            "words",
            "pairs",
            "mcp-s",
            "debugging",
            "todo",
        ];
        const TOOLS: [&str; 8] = [
            "read_file",
            "todo",
            "delegate_task",
            "kanban_list",
            "count_words",
            "first_pair",
            "mcp__s__echo",
            "terminal",
        ];
        let mut lists = String::from("[tools]\n");
        for (key, names) in [
            ("enable", &TOOLSETS[..]),
            ("disable", &TOOLSETS[1..]),
            ("enable_tools", &TOOLS[..]),
            ("disable_tools", &TOOLS[..]),
        ] {
            if random.below(3) == 0 {
                let names: BTreeSet<&str> = (0..=random.below(2)).map(|_| random.pick(names)).collect();
                lists += &format!("{key} = {names:?}\n").replace('{', "[").replace('}', "]");
            }
        }
        let more =
            ["", "[agent.helpers]\nlevels = 0\n", "[facts]\nhas_pairs = false\n", "[plugins]\ndisable = [\"words\"]\n"];
        let server = match random.below(4) {
            0 => mcp::server("s", &[], ""),
            1 => mcp::server("s", &[], "enabled = false"),
            // The names in the lists must be those of a server.
            _ => mcp::server("s", &[], "include = [\"echo\"]"),
        };
        let options = match random.below(4) {
            0 => vec!["--enable", random.pick(&TOOLSETS)],
            1 => vec!["--enable-tools", random.pick(&TOOLS[..6]), "--toolsets", random.pick(&TOOLSETS[..9])],
            2 => vec!["--disable", random.pick(&TOOLSETS[..9]), "--disable-tools", random.pick(&TOOLS[..6])],
            _ => Vec::new(),
        };
        // A name of a plugin that is not loaded is a mistake.
        let names_words = lists.contains("words") || options.iter().any(|option| option.contains("words"));
        let config = format!("{lists}{}{server}", random.pick(if names_words { &more[..3] } else { &more }));
        let options = options.into_iter().map(ToOwned::to_owned).collect();
        Self { config, options, has_variable: random.below(2) == 0 }
    }

    /// Writes the home of the case.
    fn folder(&self, model: &str) -> TempDir {
        let folder = mcp::folder().expect("it was possible before");
        let model = format!(
            "[models.main]\napi = \"chat\"\nmodel = \"m\"\nbase_url = \"{model}\"\nkey_variable = \"\"\ndialect = \"portable\"\n"
        );
        mcp::configure(&folder, &format!("{}{model}", self.config));
        write_plugin(folder.path(), "words", &[("count_words", "env = [\"WORDS_ACCOUNT\"]"), ("longest_word", "")]);
        write_plugin(
            folder.path(),
            "pairs",
            &[("first_pair", "tools = [\"last_pair\"]"), ("last_pair", "when = \"facts.has_pairs\"")],
        );
        if self.has_variable {
            let file = folder.path().join("home/.env");
            let text = std::fs::read_to_string(&file).expect("it exists");
            std::fs::write(file, format!("{text}WORDS_ACCOUNT=me\n")).expect("failed to write");
        }
        folder
    }
}

/// Writes a plugin with a toolset of its own.
fn write_plugin(folder: &Path, name: &str, tools: &[(&str, &str)]) {
    let root = folder.join("home/plugins").join(name);
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("failed to make a folder");
        std::fs::write(path, text).expect("failed to write");
    };
    write("plugin.toml", "executable = \"run\"\n");
    write("run", "#!/bin/sh\necho '{\"result\": 1}'\n");
    write("manifests/env.toml", "[env.WORDS_ACCOUNT]\ndescription = \"An account.\"\nsecret = false\n");
    write(
        "manifests/facts.toml",
        &format!("[facts.has_{name}]\ndescription = \"Whether there are {name}.\"\ndefault = true\n"),
    );
    write(&format!("manifests/toolsets/{name}.toml"), &format!("name = \"{name}\"\ndescription = \"About {name}.\"\n"));
    for (tool, requires) in tools {
        let requires = if requires.is_empty() { String::new() } else { format!("[requires]\n{requires}\n") };
        let text =
            format!("name = \"{tool}\"\ntoolset = \"{name}\"\ndescription = \"It is about {name}.\"\n{requires}");
        write(&format!("manifests/tools/{tool}.toml"), &text);
    }
    let program = root.join("run");
    let mut rights = std::fs::metadata(&program).expect("it exists").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o700);
    std::fs::set_permissions(&program, rights).expect("failed to set the mode");
}

fn names<'v>(values: impl IntoIterator<Item = &'v Value>) -> Names {
    values.into_iter().map(|value| value.as_str().expect("a name").to_owned()).collect()
}

/// Returns the names of definitions in the form of OpenAI's API.
fn defined(definitions: &Value) -> Names {
    names(definitions.as_array().into_iter().flatten().map(|definition| &definition["function"]["name"]))
}

fn without(all: &Names, names: &[&str]) -> Names {
    all.iter().filter(|name| !names.contains(&name.as_str())).cloned().collect()
}

/// What all commands of a case are compared with.
struct Checked<'c> {
    case: &'c Case,
    folder: TempDir,
    expected: Names,
}

impl Checked<'_> {
    fn run(&self, args: &[&str]) -> mcp::Run {
        let options = self.case.options.iter().map(String::as_str);
        run(&self.folder, &args.iter().copied().chain(options).collect::<Vec<_>>())
    }

    #[track_caller]
    fn same(&self, command: &str, found: &Names) {
        assert_eq!(found, &self.expected, "{command}: {:#?}", self.case);
    }

    fn check_reports(&self) {
        let doctor = self.run(&["doctor", "--json"]).json();
        let tools = doctor["tools"].as_array().expect("it has tools").iter();
        self.same("doctor", &names(tools.filter(|tool| tool["is_shown"] == true).map(|tool| &tool["tool"])));
        let off = names(
            doctor["off"].as_object().expect("by toolset").values().flat_map(|tools| tools.as_array().expect("tools")),
        );
        assert!(off.is_disjoint(&self.expected), "{off:?}: {:#?}", self.case);
        if self.case.options.is_empty() {
            let listed = run(&self.folder, &["tools", "--json"]).json();
            let tools = listed["toolsets"].as_array().expect("toolsets").iter();
            let tools = tools.flat_map(|toolset| toolset["tools"].as_array().expect("tools"));
            let on = tools.filter(|tool| tool["on"] == true).map(|tool| &tool["name"]);
            let granted = names(doctor["tools"].as_array().expect("it has tools").iter().map(|tool| &tool["tool"]));
            assert_eq!(names(on), granted, "tools: {:#?}", self.case);
        }
    }

    fn check_single_tools(&self) {
        for tool in ["kanban_list", "longest_word", "todo"] {
            let is_on = self.expected.contains(tool);
            let why = self.run(&["why", tool]);
            if why.status == Some(2) {
                assert!(!is_on && why.err.contains("no tool provider has"), "{} {:#?}", why.err, self.case);
                continue;
            }
            assert_eq!(why.status, Some(u8::from(!is_on).into()), "{tool}: {} {} {:#?}", why.out, why.err, self.case);
            let says_how =
                why.out.contains("--enable") || why.out.contains("toolc tools enable") || why.out.contains("`all`");
            assert_eq!(says_how, !is_on, "{tool}: {}", why.out);
        }
        let called = self.run(&["call", "longest_word"]);
        let is_on = self.expected.contains("longest_word");
        assert_eq!(called.status, Some(u8::from(!is_on).into()), "{} {} {:#?}", called.out, called.err, self.case);
        assert_eq!(called.out.contains("unknown_tool"), !is_on, "{} {:#?}", called.out, self.case);
    }

    fn check_agents(&self, server: &Server) {
        let args = ["agent", "Go on."];
        let agent = self.run(&args);
        assert_eq!(agent.status, Some(0), "{} {:#?}", agent.err, self.case);
        std::fs::write(self.folder.path().join("tasks"), "{\"id\": \"t\", \"prompt\": \"Go on.\"}\n")
            .expect("failed to write");
        let batch = self.run(&["batch", "tasks", "--out", "lines"]);
        assert_eq!(batch.status, Some(0), "{} {:#?}", batch.err, self.case);
        let requests = server.requests();
        self.same("agent", &defined(&requests[0]["tools"]));
        let in_batch = without(&self.expected, &NOT_IN_BATCHES);
        assert_eq!(defined(&requests[1]["tools"]), in_batch, "batch: {:#?}", self.case);
        let job = self.run(&["cron", "add", "every 1h", "Go on.", "--json"]);
        let job = job.json();
        let tools = names(job["tools"].as_array().expect("it has tools"));
        assert_eq!(tools, without(&self.expected, &NOT_IN_JOBS), "cron: {:#?}", self.case);
    }

    /// Checks what is served to MCP clients, if the case names only toolsets.
    fn check_served(&self) {
        let [option, toolset] = &self.case.options[..] else { return };
        if option != "--enable" {
            return;
        }
        let served = mcp::serve::served(&self.folder, &["--toolset", toolset]);
        assert_eq!(served, without(&self.expected, &NOT_SERVED), "mcp serve: {:#?}", self.case);
    }
}

fn check(case: &Case) -> Names {
    let vendor = VENDORS.iter().find(|vendor| vendor.api == "chat").expect("it is listed");
    let server = Server::start((0..2).map(|_| Reply::Events((vendor.answer)("Done.", &[]))).collect());
    let folder = case.folder(&server.url);
    let mut checked = Checked { case, folder, expected: Names::new() };
    let definitions = checked.run(&["definitions", "--json", "--dialect", "portable"]);
    assert_eq!(definitions.status, Some(0), "{} {case:#?}", definitions.err);
    checked.expected = defined(&definitions.json());
    checked.check_reports();
    checked.check_single_tools();
    checked.check_agents(&server);
    checked.check_served();
    checked.expected
}

#[test]
fn all_commands_have_the_same_tools_whatever_is_configured() {
    if !has("python3") {
        return;
    }
    let mut random = Random(41);
    let cases: Vec<Case> = (0..24).map(|_| Case::random(&mut random)).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let sets: Vec<Names> = std::thread::scope(|scope| {
        let work = || {
            let mut sets = Vec::new();
            while let Some(case) = cases.get(next.fetch_add(1, std::sync::atomic::Ordering::SeqCst)) {
                sets.push(check(case));
            }
            sets
        };
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a case fails")).collect()
    });
    let different: BTreeSet<&Names> = sets.iter().collect();
    assert!(different.len() > 12, "the cases differ: {different:?}");
}

#[test]
fn plugins_and_servers_are_on_by_default_and_other_toolsets_are_off() {
    if !has("python3") {
        return;
    }
    let server = mcp::server("s", &[], "include = [\"echo\"]");
    let set =
        |config: &str| check(&Case { config: format!("{config}{server}"), options: Vec::new(), has_variable: true });
    let has = |set: &Names, names: &[&str]| names.iter().all(|name| set.contains(*name));
    let default = set("");
    assert!(
        has(&default, &["count_words", "longest_word", "first_pair", "last_pair", "mcp__s__echo", "terminal"]),
        "{default:?}"
    );
    assert!(!has(&default, &["kanban_list"]), "{default:?}");
    // A list replaces `cli`, not what the person has installed.
    let listed = set("[tools]\nenable = [\"kanban\"]\n");
    assert!(
        has(&listed, &["count_words", "mcp__s__echo", "kanban_list"]) && !has(&listed, &["terminal"]),
        "{listed:?}"
    );
    let disabled = set("[tools]\ndisable = [\"words\"]\n");
    assert!(has(&disabled, &["last_pair"]) && !has(&disabled, &["longest_word"]), "{disabled:?}");
}

#[test]
fn a_selection_of_missing_servers_grants_nothing_instead_of_everything() {
    let Some(folder) = mcp::folder() else { return };
    let server = mcp::server("s", &[], "enabled = false");
    mcp::configure(&folder, &format!("[tools]\nenable = [\"mcp-s\"]\n{server}"));
    assert_eq!(run(&folder, &["definitions", "--json"]).json(), json!([]));
    assert_eq!(run(&folder, &["definitions", "--json", "--enable-tools", "mcp__s__echo"]).json(), json!([]));
    assert!(run(&folder, &["why", "terminal"]).out.contains("is disabled"));
}
