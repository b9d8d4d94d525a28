//! Checks rules against the tools of a host, and against each other.

use std::collections::BTreeMap;

use serde_json::Value;
use toolc::behaviour::{Annotations, Parallel};
use toolc::schema::Table;
use toolc::suggest::nearest;
use toolc::{Registry, Tool};
use toolc_commands::rules::matches_pattern;
use toolc_tables::codes;
use toolc_tables::diagnostic::{At, Diagnostic, Level, Sink};

use crate::file::PermissionFile;
use crate::host_pattern::HostPattern;
use crate::keys::{PermissionTable, Verdict};
use crate::parameter::{Bound, BoundKind, Parameter, compare, same};
use crate::paths::PathPattern;
use crate::rule::{Permission, ToolFacts};

/// The tools of a host, and the kinds of environments in which they act.
#[derive(Debug, Clone, Default)]
pub struct KnownTools {
    tools: BTreeMap<String, KnownTool>,
    environments: Vec<String>,
}

#[derive(Debug, Clone)]
struct KnownTool {
    /// Other names, by which rules do not know the tool.
    aliases: Vec<String>,
    toolset: String,
    annotations: Annotations,
    /// The parameters, or `None` if the tool takes any.
    parameters: Option<Vec<String>>,
    /// The parameters that are paths.
    paths: Vec<String>,
    /// Whether the tool runs commands of a shell.
    runs_commands: bool,
}

impl KnownTools {
    /// Returns the tools of a registry.
    pub fn of(registry: &Registry) -> Self {
        let tool = |name: std::borrow::Cow<'static, str>| {
            let tool = registry.tool(&name)?;
            let known = KnownTool {
                aliases: tool.aliases.iter().map(ToString::to_string).collect(),
                toolset: tool.toolset.to_string(),
                annotations: tool.behaviour.annotations,
                parameters: parameters(&tool.arguments),
                paths: paths(&tool),
                runs_commands: tool.behaviour.approval.shell.is_some(),
            };
            Some((name.into_owned(), known))
        };
        Self { tools: registry.tools().into_iter().filter_map(tool).collect(), environments: Vec::new() }
    }

    /// Sets the kinds of environments. A rule that names another one is a mistake then.
    #[must_use]
    pub fn environments(mut self, kinds: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.environments = kinds.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the toolset and the effects of a tool.
    pub fn find(&self, name: &str) -> Option<(String, Annotations)> {
        self.tools.get(name).map(|tool| (tool.toolset.clone(), tool.annotations))
    }

    /// Returns the tool that has another name.
    fn tool_with_alias(&self, alias: &str) -> Option<&str> {
        let mut tools = self.tools.iter().filter(|(_, tool)| tool.aliases.iter().any(|own| own == alias));
        tools.next().map(|(name, _)| name.as_str())
    }

    /// Returns whether a rule compares a parameter as a text that is a path of one of its tools.
    fn compares_path_as_text(&self, rule: &Permission, parameter: &Parameter) -> bool {
        let is_text = !parameter.matches.is_empty() || !parameter.without.is_empty();
        is_text && self.facts().any(|(facts, tool)| rule.is_about(&facts) && tool.paths.contains(&parameter.name))
    }

    /// Returns a sentence about the tools that run commands, if a rule keeps paths from other tools only.
    fn reach_past(&self, rule: &Permission) -> Option<String> {
        let names: Vec<&String> =
            rule.parameters.iter().filter(|own| own.is_about_paths()).map(|own| &own.name).collect();
        let has = |tool: &KnownTool| names.iter().any(|name| tool.parameters.iter().flatten().any(|own| own == *name));
        let others = self.tools.iter().filter(|(_, tool)| tool.runs_commands && !has(tool));
        let others: Vec<String> = others.map(|(name, _)| format!("`{name}`")).collect();
        (rule.verdict != Verdict::Allow && !names.is_empty() && !others.is_empty()).then(|| {
            format!(
                "the rule is about a parameter of tools that act on files. It does not keep the path from the commands of {}, which the \
                 command rules judge",
                others.join(", ")
            )
        })
    }

    fn facts(&self) -> impl Iterator<Item = (ToolFacts<'_>, &KnownTool)> {
        self.tools
            .iter()
            .map(|(name, tool)| (ToolFacts { name, toolset: &tool.toolset, annotations: tool.annotations }, tool))
    }
}

/// Returns the names of the parameters, or `None` if any are allowed.
fn parameters(table: &Table) -> Option<Vec<String>> {
    let root = table.nodes.first()?;
    let named = root.properties.slice(&table.properties);
    (!named.is_empty() || table.nodes.len() > 1)
        .then(|| named.iter().map(|property| property.name.to_string()).collect())
}

/// Returns the names of the parameters that are paths: the key of a tool that acts on files, and what is called a path.
fn paths(tool: &Tool) -> Vec<String> {
    let key = match &tool.behaviour.parallel {
        Parallel::Keyed { key, space } if space == "files" => Some(key.to_string()),
        _ => None,
    };
    let named = parameters(&tool.arguments).unwrap_or_default().into_iter();
    key.into_iter().chain(named.filter(|name| name == "path" || name.ends_with("_path"))).collect()
}

/// Returns what the author of a rule may not expect, each as a sentence: the parameters that are compared as texts though they are paths,
/// and the tools that can reach a path although the rule keeps it from others.
pub fn hints(rule: &Permission, tools: &KnownTools) -> Vec<String> {
    let texts = rule.parameters.iter().filter(|parameter| tools.compares_path_as_text(rule, parameter));
    let texts =
        texts.map(|Parameter { name, .. }| format!("`{name}` is a path, and the rule compares it as a text. {WITHIN}"));
    texts.chain(tools.reach_past(rule)).collect()
}

/// What to use for a path.
const WITHIN: &str = "`./x` and `x` are different texts, and so are the name of a link and its target, and `**/.env` does not match the text \
                      `.env`: use `within` (`--within`) or `outside` (`--outside`) for paths";

/// Returns the mistakes in files: names that are similar to that of a tool, a toolset or a rule, other names of tools, unknown kinds of
/// environments, parameters that no tool of a rule has, and names of rules that several files use. A rule with such a mistake would not do what its author wants.
pub fn mistakes(files: &[PermissionFile], tools: &KnownTools) -> Vec<String> {
    let each = |at: usize, file: &PermissionFile| {
        let check = file.document.check(|table, sink| {
            for (table, rule) in table.permissions.iter().zip(&file.rules) {
                let linter = Linter { table, rule, sink, tools };
                linter.names(Level::Error);
                linter.environments();
                linter.parameters();
                linter.exempts(files);
                linter.unique(&files[..at]);
            }
        });
        check.err().map(|error| error.to_string())
    };
    files.iter().enumerate().filter_map(|(at, file)| each(at, file)).collect()
}

/// Returns warnings about rules that have no effect now: because no tool has the name, or because an earlier or stricter rule decides.
pub fn warnings(files: &[PermissionFile], tools: &KnownTools) -> Vec<String> {
    let all: Vec<&Permission> = files.iter().flat_map(PermissionFile::rules).collect();
    let mut number = 0;
    let mut each = |file: &PermissionFile| {
        let first = number;
        number += file.rules.len();
        let check = file.document.check(|table, sink| {
            for (at, (table, rule)) in table.permissions.iter().zip(&file.rules).enumerate() {
                let linter = Linter { table, rule, sink, tools };
                linter.names(Level::Warning);
                linter.shadowed(&all, first + at);
                linter.texts();
            }
        });
        check.err().map(|error| error.to_string())
    };
    files.iter().filter_map(&mut each).collect()
}

struct Linter<'l> {
    table: &'l PermissionTable,
    rule: &'l Permission,
    sink: &'l Sink,
    tools: &'l KnownTools,
}

impl Linter<'_> {
    /// Reports names that no tool, toolset or server has: as errors those that are similar to one, and as warnings the others, which may
    /// exist later.
    fn names(&self, level: Level) {
        let unique = |mut names: Vec<String>| {
            names.sort_unstable();
            names.dedup();
            names
        };
        let tools: Vec<String> = self.tools.tools.keys().cloned().collect();
        let toolsets = unique(self.tools.tools.values().map(|tool| tool.toolset.clone()).collect());
        let servers = toolsets.iter().filter_map(|toolset| toolset.strip_prefix("mcp-").map(str::to_owned)).collect();
        let tool_lists = self.table.tools.iter().chain(&self.table.without_tools);
        let lists: [(_, Vec<&At<String>>, &Vec<String>, _); 3] = [
            ("tool", tool_lists.collect(), &tools, codes::UNKNOWN_TOOL),
            ("toolset", self.table.toolsets.iter().collect(), &toolsets, codes::UNKNOWN_TOOLSET),
            ("server", self.table.servers.iter().collect(), &servers, codes::INVALID_VALUE),
        ];
        for (noun, written, known, code) in lists {
            for name in written {
                if known.iter().any(|known| matches_pattern(&name.value, known)) {
                    continue;
                }
                let is_pattern = name.value.contains(['*', '?', '[']);
                let similar = nearest(&name.value, known.iter().map(String::as_str));
                let own_name = self.tools.tool_with_alias(&name.value).filter(|_| noun == "tool");
                let is_mistake = !is_pattern && (!similar.is_empty() || own_name.is_some());
                if is_mistake != (level == Level::Error) {
                    continue;
                }
                let message = format!("no {noun} is called `{}`", name.value.escape_debug());
                let found = Diagnostic::new(code, name.place, message).level(level);
                self.sink.push(if let Some(own_name) = own_name {
                    found.label("another name of a tool").help(format!("rules know it as `{own_name}`"))
                } else if is_mistake {
                    found.help_nearest(&name.value, known.iter().map(String::as_str), "")
                } else {
                    found.label("nothing has this name now")
                });
            }
        }
    }

    /// Reports kinds of environments that do not exist.
    fn environments(&self) {
        let known = &self.tools.environments;
        for kind in self.table.environments.iter().filter(|kind| !known.is_empty() && !known.contains(&kind.value)) {
            let message = format!("no kind of environment is called `{}`", kind.value.escape_debug());
            let found = Diagnostic::new(codes::INVALID_VALUE, kind.place, message);
            self.sink.push(found.help_nearest(&kind.value, known.iter().map(String::as_str), "the kinds are"));
        }
    }

    /// Reports parameters that no tool of the rule has.
    fn parameters(&self) {
        let tools: Vec<&KnownTool> =
            self.tools.facts().filter(|(facts, _)| self.rule.is_about(facts)).map(|(_, tool)| tool).collect();
        if tools.is_empty() || tools.iter().any(|tool| tool.parameters.is_none()) {
            return;
        }
        let known: Vec<&str> =
            tools.iter().flat_map(|tool| tool.parameters.iter().flatten()).map(String::as_str).collect();
        for parameter in &self.table.parameters {
            let name = &parameter.name;
            let first = name.value.split('.').next().unwrap_or_default();
            if known.contains(&name.value.as_str()) || known.contains(&first) {
                continue;
            }
            let message = format!("no tool of this rule has the parameter `{}`", name.value.escape_debug());
            let mut names = known.clone();
            names.sort_unstable();
            names.dedup();
            let found = Diagnostic::new(codes::UNKNOWN_KEY, name.place, message);
            self.sink.push(found.help_nearest(&name.value, names, "the parameters are"));
        }
    }

    /// Reports parameters that are paths, and are compared as texts.
    fn texts(&self) {
        let named = self.table.parameters.iter().zip(&self.rule.parameters);
        for (table, _) in named.filter(|(_, parameter)| self.tools.compares_path_as_text(self.rule, parameter)) {
            let message =
                format!("`{}` is a path, and the rule compares it as a text", table.name.value.escape_debug());
            let found = Diagnostic::new(codes::INVALID_VALUE, table.name.place, message).level(Level::Warning);
            self.sink.push(found.help(WITHIN));
        }
    }

    /// Reports exceptions to rules that do not exist, or that do not ask.
    fn exempts(&self, files: &[PermissionFile]) {
        let all = || files.iter().flat_map(PermissionFile::rules);
        for name in &self.table.exempts {
            let rule = all().find(|rule| rule.name == name.value);
            let found = |message: String| Diagnostic::new(codes::INVALID_VALUE, name.place, message);
            match rule {
                Some(rule) if rule.verdict == Verdict::Ask => {}
                Some(rule) => {
                    let verdict = toolc_tables::Words::word(rule.verdict);
                    let message = format!("an exception to `{}` is not possible", name.value);
                    self.sink.push(
                        found(message).label(format!("its verdict is `{verdict}`, and only `ask` has exceptions")),
                    );
                }
                None => {
                    let asking: Vec<&str> =
                        all().filter(|rule| rule.verdict == Verdict::Ask).map(|rule| rule.name.as_str()).collect();
                    let message = format!("unknown rule `{}`", name.value.escape_debug());
                    self.sink.push(found(message).help_nearest(&name.value, asking, "the rules that ask are"));
                }
            }
        }
    }

    /// Reports a name that an earlier file uses.
    fn unique(&self, earlier: &[PermissionFile]) {
        let Some(name) = &self.table.name else { return };
        if let Some(other) = earlier.iter().flat_map(PermissionFile::rules).find(|rule| rule.name == name.value) {
            let message = format!("the rule `{}` needs another name", name.value);
            let found = Diagnostic::new(codes::INVALID_NAME, name.place, message);
            self.sink.push(found.label(format!("{} has a rule with this name", other.origin)).help("rename it"));
        }
    }

    /// Reports a rule that never decides, because another one matches the same calls and is stricter, or earlier and as strict.
    fn shadowed(&self, all: &[&Permission], own: usize) {
        let decides = |(at, other): (usize, &&Permission)| {
            let is_first = other.verdict > self.rule.verdict || (other.verdict == self.rule.verdict && at < own);
            // What asks can be exempted, so that another rule may still be needed.
            let is_final = other.verdict == Verdict::Deny
                || (other.verdict == self.rule.verdict && other.exempts == self.rule.exempts);
            at != own && is_first && is_final && other.includes(self.rule)
        };
        let (Some(name), Some((_, other))) =
            (&self.table.name, all.iter().enumerate().find(|(at, other)| decides((*at, *other))))
        else {
            return;
        };
        let message = format!("`{}` never decides", name.value);
        let found = Diagnostic::new(codes::INVALID_VALUE, name.place, message).level(Level::Warning);
        let label = format!("`{}` ({}) matches all of its calls", other.name, other.origin);
        self.sink.push(found.label(label).help("remove one of the rules"));
    }
}

impl Permission {
    /// Returns whether this rule certainly matches every call that `other` matches.
    fn includes(&self, other: &Self) -> bool {
        let list = |own: &[String], others: &[String]| {
            own.is_empty()
                || (!others.is_empty()
                    && others.iter().all(|other| {
                        own.iter().any(|own| own == other || (is_plain(other) && matches_pattern(own, other)))
                    }))
        };
        let parameter = |own: &Parameter| {
            own.is_free() || other.parameters.iter().any(|other| other.name == own.name && own.includes(other))
        };
        list(&self.tools, &other.tools)
            && self.without_tools.iter().all(|own| other.without_tools.contains(own))
            && list(&self.toolsets, &other.toolsets)
            && list(&self.servers, &other.servers)
            && list(&self.environments, &other.environments)
            && self.annotations.iter().all(|own| other.annotations.contains(own))
            && self.parameters.iter().all(parameter)
            && !self.no_other_parameters
    }
}

fn is_plain(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '['])
}

impl Parameter {
    /// Returns whether every value that fulfils `other` certainly fulfils these conditions.
    fn includes(&self, other: &Self) -> bool {
        fn all<T>(own: &[T], others: &[T], covers: impl Fn(&T, &T) -> bool) -> bool {
            own.is_empty()
                || (!others.is_empty() && others.iter().all(|other| own.iter().any(|own| covers(own, other))))
        }
        fn none<T>(own: &[T], others: &[T], covers: impl Fn(&T, &T) -> bool) -> bool {
            own.iter().all(|own| others.iter().any(|other| covers(other, own)))
        }
        let is_same = |own: &Value, other: &Value| same(own, other);
        all(&self.is, &other.is, is_same)
            && all(&self.matches, &other.matches, |own, other| own == other || own == "*")
            && none(&self.without, &other.without, |other, own| other == own)
            && all(&self.within, &other.within, PathPattern::covers)
            && none(&self.outside, &other.outside, PathPattern::covers)
            && all(&self.hosts, &other.hosts, HostPattern::covers)
            && none(&self.without_hosts, &other.without_hosts, HostPattern::covers)
            && self.bounds.iter().all(|own| other.bounds.iter().any(|other| own.includes(other)))
    }
}

impl Bound {
    /// Returns whether every number within `other` is within this bound.
    fn includes(&self, other: &Self) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let is_lower = |kind| matches!(kind, BoundKind::Minimum | BoundKind::ExclusiveMinimum);
        let is_open = |kind| matches!(kind, BoundKind::ExclusiveMinimum | BoundKind::ExclusiveMaximum);
        is_lower(self.kind) == is_lower(other.kind)
            && match compare(&other.number, &self.number) {
                Some(Greater) => is_lower(self.kind),
                Some(Less) => !is_lower(self.kind),
                Some(Equal) => !is_open(self.kind) || is_open(other.kind),
                None => false,
            }
    }
}
