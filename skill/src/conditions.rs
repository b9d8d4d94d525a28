//! The conditions under which a skill is of use, as data. They come from keys of Hermes and `OpenClaw`; the format has none.

use serde::Serialize;

use crate::envelope::short;
use crate::note::{Code, Notes};
use crate::source::Source;
use crate::yaml::{self, Kind, Node};

/// What a skill needs. The lists are empty if it says nothing about them. `compatibility`, which is prose, is not interpreted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Conditions {
    /// Tools, all of which must be available: `metadata.hermes.requires_tools`.
    pub tools: Vec<String>,
    /// Toolsets, all of which must be available: `metadata.hermes.requires_toolsets`.
    pub toolsets: Vec<String>,
    /// The skill replaces these tools, so it is of use only if none of them is available: `metadata.hermes.fallback_for_tools`.
    pub fallback_for_tools: Vec<String>,
    /// The skill replaces these toolsets, as above: `metadata.hermes.fallback_for_toolsets`.
    pub fallback_for_toolsets: Vec<String>,
    /// Environment variables, all of which must be set: `required_environment_variables` (without its entries that are `optional`),
    /// `prerequisites.env_vars`, `setup.collect_secrets`, and `metadata.openclaw.requires.env`. Hermes shows the skill nevertheless and
    /// asks for the values when it is used; `OpenClaw` hides it.
    pub variables: Vec<String>,
    /// Programs, all of which must be found on `PATH`: `prerequisites.commands`, `metadata.openclaw.requires.bins`.
    pub programs: Vec<String>,
    /// Programs, one of which must be found: `metadata.openclaw.requires.anyBins`.
    pub any_programs: Vec<String>,
    /// Settings of the host, by their paths, all of which must be on: `metadata.openclaw.requires.config`.
    pub settings: Vec<String>,
    /// Platforms, one of which must be the user's, in the words of `std::env::consts::OS`: `macos`, `linux`, `windows` and others. They
    /// come from `platforms` and `metadata.openclaw.os`.
    pub platforms: Vec<String>,
    /// Only the platform counts, not programs, variables and settings: `metadata.openclaw.always`.
    pub always: bool,
}

/// A kind of thing that a skill needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// An available tool.
    Tool,
    /// An available toolset.
    Toolset,
    /// An environment variable that is set.
    Variable,
    /// A program that is found.
    Program,
    /// A setting that is on.
    Setting,
    /// The user's platform.
    Platform,
}

impl Conditions {
    /// Returns whether the skill states no condition.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns why the skill is useless here, or `None` if it is of use. `has` answers whether a thing with a name is available. A host that
    /// wants to ignore a kind of condition, such as variables, answers `true`.
    pub fn unmet(&self, has: impl Fn(Need, &str) -> bool) -> Option<String> {
        let missing = |names: &[String], need| names.iter().find(|name| !has(need, name)).cloned();
        let present = |names: &[String], need| names.iter().find(|name| has(need, name)).cloned();
        let lacks_all = |names: &[String], need| !names.is_empty() && present(names, need).is_none();
        if lacks_all(&self.platforms, Need::Platform) {
            return Some(format!("it is for {}", self.platforms.join(", ")));
        }
        let fallbacks =
            [(&self.fallback_for_tools, Need::Tool, "tool"), (&self.fallback_for_toolsets, Need::Toolset, "toolset")];
        for (names, need, word) in fallbacks {
            if let Some(name) = present(names, need) {
                return Some(format!("it replaces the {word} `{name}`, which is available"));
            }
        }
        let needs = [
            (&self.tools, Need::Tool, "the tool", "is not available"),
            (&self.toolsets, Need::Toolset, "the toolset", "is not available"),
            (&self.programs, Need::Program, "the program", "is not installed"),
            (&self.variables, Need::Variable, "the environment variable", "is not set"),
            (&self.settings, Need::Setting, "the setting", "is off"),
        ];
        let always = |need| self.always && !matches!(need, Need::Tool | Need::Toolset);
        for (names, need, word, fault) in needs.into_iter().filter(|(_, need, ..)| !always(*need)) {
            if let Some(name) = missing(names, need) {
                return Some(format!("{word} `{name}` {fault}"));
            }
        }
        let lacks_program = lacks_all(&self.any_programs, Need::Program) && !self.always;
        lacks_program.then(|| format!("one of these programs is needed: {}", self.any_programs.join(", ")))
    }
}

/// The keys of the front matter, besides `metadata`, that hold conditions.
pub(crate) const KEYS: [&str; 4] = ["platforms", "prerequisites", "required_environment_variables", "setup"];
/// The keys of `metadata` under which `OpenClaw` has written its conditions, newest first.
const OPENCLAW: [&str; 3] = ["openclaw", "clawdbot", "moltbot"];

/// Reads conditions. `root` returns the value of a key of the front matter.
pub(crate) fn read<'a>(root: impl Fn(&str) -> Option<&'a Node>, source: &Source<'_>, notes: &mut Notes) -> Conditions {
    let mut conditions = Conditions::default();
    let mut reader = Reader { source, notes };
    let metadata = root("metadata");
    if let Some(hermes) = metadata.and_then(|metadata| reader.section(metadata, "hermes")) {
        conditions.tools = reader.names(&hermes, "requires_tools", is_name);
        conditions.toolsets = reader.names(&hermes, "requires_toolsets", is_name);
        conditions.fallback_for_tools = reader.names(&hermes, "fallback_for_tools", is_name);
        conditions.fallback_for_toolsets = reader.names(&hermes, "fallback_for_toolsets", is_name);
    }
    if let Some(node) = root("platforms") {
        reader.add(node, "platforms", is_name, &mut conditions.platforms);
    }
    if let Some(node) = root("required_environment_variables") {
        reader.add(node, "required_environment_variables", is_variable, &mut conditions.variables);
    }
    if let Some(prerequisites) = root("prerequisites").and_then(|node| reader.map(node, "prerequisites")) {
        conditions.variables.extend(reader.names(&prerequisites, "env_vars", is_variable));
        conditions.programs = reader.names(&prerequisites, "commands", is_name);
    }
    if let Some(setup) = root("setup").filter(|setup| matches!(setup.kind, Kind::Map(_))) {
        conditions.variables.extend(reader.names(setup, "collect_secrets", is_variable));
    }
    let openclaw = metadata.and_then(|metadata| OPENCLAW.into_iter().find_map(|key| reader.section(metadata, key)));
    if let Some(openclaw) = openclaw {
        conditions.platforms.extend(reader.names(&openclaw, "os", is_name));
        conditions.always = reader.flag(&openclaw, "always");
        if let Some(requires) = openclaw.get("requires").and_then(|node| reader.map(node, "requires")) {
            conditions.programs.extend(reader.names(&requires, "bins", is_name));
            conditions.any_programs = reader.names(&requires, "anyBins", is_name);
            conditions.variables.extend(reader.names(&requires, "env", is_variable));
            conditions.settings = reader.names(&requires, "config", is_name);
        }
    }
    conditions.platforms = conditions.platforms.iter().map(|name| platform(name)).collect();
    for list in [&mut conditions.platforms, &mut conditions.variables, &mut conditions.programs] {
        let mut seen = Vec::new();
        list.retain(|name| {
            !seen.contains(name) && {
                seen.push(name.clone());
                true
            }
        });
    }
    conditions
}

/// Returns a platform in the words of `std::env::consts::OS`.
fn platform(name: &str) -> String {
    match name.to_ascii_lowercase().as_str() {
        "darwin" | "mac" | "osx" | "mac os" => "macos".into(),
        "win32" | "win" | "win64" => "windows".into(),
        other => other.to_owned(),
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 128 && !name.contains(|c: char| c.is_control() || c.is_whitespace())
}

fn is_variable(name: &str) -> bool {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_first) && name.len() <= 128 && name.chars().all(|c| is_first(c) || c.is_ascii_digit())
}

struct Reader<'a, 'n> {
    source: &'a Source<'a>,
    notes: &'n mut Notes,
}

impl Reader<'_, '_> {
    /// Returns a part of the metadata: a mapping, or JSON in a text, as `OpenClaw` writes it.
    fn section(&mut self, metadata: &Node, key: &str) -> Option<Node> {
        self.map(metadata.get(key)?, &format!("metadata.{key}"))
    }

    /// Returns a mapping, also one as JSON in a text.
    fn map(&mut self, node: &Node, path: &str) -> Option<Node> {
        let map = match &node.kind {
            Kind::Map(_) => return Some(node.clone()),
            Kind::Scalar { text, .. } => json(text, node.range.start),
            Kind::List(_) => None,
        };
        if map.is_none() {
            self.unreadable(node, path, "keys and values");
        }
        map
    }

    fn names(&mut self, parent: &Node, key: &str, is_valid: fn(&str) -> bool) -> Vec<String> {
        let mut names = Vec::new();
        if let Some(node) = parent.get(key) {
            self.add(node, key, is_valid, &mut names);
        }
        names
    }

    /// Adds names: a list, one text with commas or spaces, or mappings with a name.
    fn add(&mut self, node: &Node, path: &str, is_valid: fn(&str) -> bool, names: &mut Vec<String>) {
        match &node.kind {
            Kind::Scalar { text, .. } => {
                for name in text.split(|c: char| c == ',' || c.is_whitespace()).filter(|name| !name.is_empty()) {
                    self.add_name(node, path, name, is_valid, names);
                }
            }
            Kind::List(items) => {
                for item in items {
                    match (item.scalar(), entry_name(item)) {
                        (Some(name), _) => self.add_name(item, path, name.trim(), is_valid, names),
                        (None, Some((_, true))) => {}
                        (None, Some((name, false))) => self.add_name(item, path, &name, is_valid, names),
                        (None, None) => self.unreadable(item, path, "a name"),
                    }
                }
            }
            Kind::Map(_) => match entry_name(node) {
                Some((name, is_optional)) if !is_optional => self.add_name(node, path, &name, is_valid, names),
                Some(_) => {}
                None => self.unreadable(node, path, "a list of names"),
            },
        }
    }

    fn add_name(&mut self, node: &Node, path: &str, name: &str, is_valid: fn(&str) -> bool, names: &mut Vec<String>) {
        if is_valid(name) {
            names.push(name.to_owned());
        } else {
            self.unreadable(node, path, "a name without spaces");
        }
    }

    fn flag(&mut self, parent: &Node, key: &str) -> bool {
        let Some(node) = parent.get(key) else { return false };
        match node.scalar().map(str::to_ascii_lowercase).as_deref() {
            Some("true" | "yes" | "on") => true,
            Some("false" | "no" | "off") => false,
            _ => {
                self.unreadable(node, key, "`true` or `false`");
                false
            }
        }
    }

    fn unreadable(&mut self, node: &Node, path: &str, expected: &str) {
        let found =
            short(self.source.text.get(node.range.clone()).unwrap_or_default().lines().next().unwrap_or_default());
        let message = format!("expected {expected} in `{path}`, and there is `{found}`; the condition is ignored");
        self.notes.add(self.source.place(node.range.start), Code::UnreadableCondition, message);
    }
}

/// Returns the name of an entry of a list of variables, and whether it is optional.
fn entry_name(node: &Node) -> Option<(String, bool)> {
    let name = ["name", "env_var", "key"].into_iter().find_map(|key| node.get(key)?.scalar())?;
    let is_optional = node.get("optional").and_then(Node::scalar).is_some_and(|text| text.eq_ignore_ascii_case("true"));
    Some((name.trim().to_owned(), is_optional))
}

/// Reads a mapping in JSON or its relaxed forms, all of which are YAML in flow style. Its values take the place of the text.
pub(crate) fn json(text: &str, at: usize) -> Option<Node> {
    let text = text.trim();
    if !text.starts_with('{') {
        return None;
    }
    // YAML allows no tabs where JSON does.
    let mut node = yaml::parse(&text.replace('\t', " ")).ok()?;
    node.place(&|_| at);
    matches!(node.kind, Kind::Map(_)).then_some(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::Strictness;

    fn conditions(text: &str) -> (Conditions, Vec<usize>) {
        let node = yaml::parse(text).unwrap();
        let source = Source::new(text);
        let mut notes = Notes::new(Strictness::Use);
        let conditions = read(|key| node.get(key), &source, &mut notes);
        (conditions, notes.sorted().into_iter().map(|note| note.line).collect())
    }

    #[test]
    fn conditions_of_hermes_are_read() {
        let text = "platforms: [macos, Linux]\nmetadata:\n  hermes:\n    requires_tools: [web_search]\n    requires_toolsets: web, browser\n    \
                    fallback_for_tools:\n      - x\nprerequisites:\n  env_vars: [A]\n  commands: [curl, jq]\nrequired_environment_variables:\n  \
                    - name: B\n    prompt: B?\n  - A\n  - {name: C, optional: true}\nsetup:\n  collect_secrets:\n    - env_var: D\n";
        let (read, notes) = conditions(text);
        assert_eq!(notes, [] as [usize; 0]);
        assert_eq!(
            (read.platforms, read.tools, read.toolsets),
            (vec!["macos".into(), "linux".into()], vec!["web_search".into()], vec!["web".into(), "browser".into()])
        );
        assert_eq!(
            (read.fallback_for_tools, read.variables, read.programs),
            (vec!["x".into()], vec!["B".into(), "A".into(), "D".into()], vec!["curl".into(), "jq".into()])
        );
    }

    #[test]
    fn conditions_of_openclaw_are_read_from_yaml_and_from_json_in_a_text() {
        let inner = r#"{"requires": {"bins": ["uv"], "anyBins": ["a", "b"], "env": ["KEY"], "config": ["browser.enabled"]}, "os": ["darwin", "win32"], "always": true,}"#;
        let quoted = inner.replace('\'', "''");
        for text in [
            format!("metadata: {{\"openclaw\": {inner}}}"),
            format!("metadata:\n  clawdbot: '{quoted}'"),
            format!("metadata:\n  moltbot: {inner}"),
        ] {
            let (read, notes) = conditions(&text);
            assert_eq!(notes, [] as [usize; 0], "{text}");
            assert_eq!(
                (read.programs, read.any_programs),
                (vec!["uv".to_owned()], vec!["a".to_owned(), "b".to_owned()]),
                "{text}"
            );
            assert_eq!(
                (read.variables, read.settings),
                (vec!["KEY".to_owned()], vec!["browser.enabled".to_owned()]),
                "{text}"
            );
            assert_eq!((read.platforms, read.always), (vec!["macos".to_owned(), "windows".to_owned()], true), "{text}");
        }
    }

    #[test]
    fn unreadable_conditions_are_noted_with_their_line() {
        let text = "platforms: {a: b}\nmetadata:\n  openclaw: text\n  hermes:\n    requires_tools:\n      - [x]\n      - ok\nprerequisites:\n  env_vars: [not-a-variable]\n";
        let (read, notes) = conditions(text);
        assert_eq!((read.tools, notes), (vec!["ok".to_owned()], vec![1, 3, 6, 9]));
    }

    #[test]
    fn an_unmet_condition_is_a_reason() {
        let mut needs = Conditions {
            programs: vec!["uv".into()],
            fallback_for_tools: vec!["web".into()],
            platforms: vec!["macos".into()],
            ..Conditions::default()
        };
        let with = |names: &'static [&'static str]| move |_: Need, name: &str| names.contains(&name);
        assert_eq!(needs.unmet(with(&["uv", "macos"])), None);
        assert_eq!(needs.unmet(with(&["uv"])).unwrap(), "it is for macos");
        assert!(needs.unmet(with(&["uv", "macos", "web"])).unwrap().contains("replaces the tool `web`"));
        assert!(needs.unmet(with(&["macos"])).unwrap().contains("`uv` is not installed"));
        needs.always = true;
        assert_eq!(needs.unmet(with(&["macos"])), None);
    }
}
