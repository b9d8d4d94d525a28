//! Compiles the tables of a file, reports their mistakes, and tries the examples.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use toolc::behaviour::Annotations;
use toolc_commands::rules::{PatternFault, pattern_fault};
use toolc_tables::checks::report;
use toolc_tables::codes;
use toolc_tables::diagnostic::{At, Diagnostic, Place, Sink};

use crate::host_pattern::HostPattern;
use crate::keys::{AnnotationsTable, ExampleTable, ParameterTable, PermissionTable, PermissionsTable, Verdict};
use crate::parameter::{Bound, BoundKind, CallPaths, Parameter, compare};
use crate::paths::{PathPattern, WrittenPaths};
use crate::rule::{Annotation, CallFacts, Origin, Permission, ToolFacts, Trust};

/// Returns the toolset and the effects of a tool, for examples.
pub(crate) type FindTool<'f> = &'f dyn Fn(&str) -> Option<(String, Annotations)>;

/// Compiles the rules of a file, and reports the mistakes. Examples are only tried if there are no others.
pub(crate) fn compile(table: &PermissionsTable, trust: Trust, sink: &Sink, find: FindTool<'_>) -> Vec<Permission> {
    let checker = Checker { sink, trust };
    checker.names(&table.permissions);
    let rules: Vec<Permission> = table.permissions.iter().map(|rule| checker.rule(rule)).collect();
    if sink.is_empty() {
        for (rule, compiled) in table.permissions.iter().zip(&rules) {
            checker.examples(rule, compiled, find);
        }
    }
    rules
}

struct Checker<'c> {
    sink: &'c Sink,
    trust: Trust,
}

impl Checker<'_> {
    fn names(&self, rules: &[PermissionTable]) {
        let mut firsts: BTreeMap<&str, &At<String>> = BTreeMap::new();
        for name in rules.iter().filter_map(|rule| rule.name.as_ref()) {
            let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if !name.value.is_empty() && !name.value.chars().all(is_name) {
                let message = format!("`{}` cannot be the name of a rule", name.value.escape_debug());
                let found = Diagnostic::new(codes::INVALID_NAME, name.place, message);
                self.sink.push(found.label("expected lower-case letters, digits and `-`"));
            }
            if let Some(first) = firsts.get(name.value.as_str()) {
                let message = format!("the rule `{}` is declared twice", name.value);
                let found = Diagnostic::new(codes::INVALID_NAME, name.place, message);
                self.sink.push(found.related(first.place, "first declared here").help("rename one of them"));
            }
            firsts.entry(&name.value).or_insert(name);
        }
    }

    fn rule(&self, table: &PermissionTable) -> Permission {
        let name = table.name.as_ref().map(|name| name.value.clone()).unwrap_or_default();
        let verdict = table.verdict.as_ref().map_or(Verdict::Deny, |verdict| verdict.value);
        self.verdict(table, verdict);
        let patterns = [&table.tools, &table.without_tools, &table.toolsets, &table.servers];
        for pattern in patterns.into_iter().flatten() {
            self.pattern(pattern);
        }
        let texts = |list: &[At<String>]| list.iter().map(|text| text.value.clone()).collect();
        let compiled = Permission {
            name,
            description: table.description.clone(),
            verdict,
            origin: Origin::Answer(None),
            trust: self.trust,
            exempts: texts(&table.exempts),
            tools: texts(&table.tools),
            without_tools: texts(&table.without_tools),
            toolsets: texts(&table.toolsets),
            servers: texts(&table.servers),
            environments: texts(&table.environments),
            annotations: table.annotations.as_ref().map(annotations).unwrap_or_default(),
            parameters: table.parameters.iter().map(|parameter| self.parameter(parameter)).collect(),
            no_other_parameters: table.no_other_parameters.as_ref().is_some_and(|flag| flag.value),
        };
        if let Some(name) = &table.name
            && !table.refused.is_any()
            && is_wide(&compiled)
        {
            let message = format!("`{}` would match every call", name.value);
            let found = Diagnostic::new(codes::MISSING_KEY, name.place, message);
            let help = "add a condition: `tools`, `toolsets`, `servers`, `environments`, `annotations` or `parameters`. `tools = [\"*\"]` \
                        stands for every tool";
            self.sink.push(found.help(help));
        }
        compiled
    }

    fn verdict(&self, table: &PermissionTable, verdict: Verdict) {
        let Some(at) = &table.verdict else { return };
        if verdict == Verdict::Allow && self.trust == Trust::Project {
            let help = "write `ask` or `deny`, or move the rule to `permissions.toml` in the home folder of toolc";
            report(
                self.sink,
                at,
                "the permissions of a project cannot allow anything",
                "expected `ask` or `deny`",
                help,
            );
        }
        if let Some(first) = table.exempts.first().filter(|_| verdict != Verdict::Allow) {
            let help = "remove it, or write `verdict = \"allow\"`";
            report(
                self.sink,
                first,
                "`exempts` requires `verdict = \"allow\"`",
                "only a rule that allows is an exception",
                help,
            );
        }
    }

    fn pattern(&self, pattern: &At<String>) {
        let message = format!("`{}` is not a pattern", pattern.value.escape_debug());
        match pattern_fault(&pattern.value) {
            Some(PatternFault::Unclosed) => {
                report(self.sink, pattern, &message, "the `[` has no `]`", "write `[[]` for the character");
            }
            Some(PatternFault::EmptyRange(range)) => {
                report(self.sink, pattern, &message, &format!("the range `{range}` is empty"), "swap its ends");
            }
            None => {}
        }
    }

    fn parameter(&self, table: &ParameterTable) -> Parameter {
        for pattern in table.matches.iter().chain(&table.without) {
            self.pattern(pattern);
        }
        let texts = |list: &[At<String>]| list.iter().map(|text| text.value.clone()).collect();
        let paths = |list: &[At<String>]| self.all(list, PathPattern::parse);
        let hosts = |list: &[At<String>]| self.all(list, HostPattern::parse);
        let bounds = self.bounds(table);
        let parameter = Parameter {
            name: table.name.value.clone(),
            is: table.is.iter().map(|value| value.value.clone()).collect(),
            matches: texts(&table.matches),
            without: texts(&table.without),
            within: paths(&table.within),
            outside: paths(&table.outside),
            hosts: hosts(&table.hosts),
            without_hosts: hosts(&table.without_hosts),
            bounds,
        };
        self.contradictions(table, &parameter);
        parameter
    }

    /// Parses each text of a list, and reports those that are not what was expected.
    fn all<T>(&self, list: &[At<String>], parse: impl Fn(&str) -> Result<T, &'static str>) -> Vec<T> {
        let parse = |text: &At<String>| match parse(&text.value) {
            Ok(parsed) => Some(parsed),
            Err(expected) => {
                let message = format!("`{}` cannot be compared", text.value.escape_debug());
                self.sink.push(Diagnostic::new(codes::INVALID_VALUE, text.place, message).label(expected));
                None
            }
        };
        list.iter().filter_map(parse).collect()
    }

    fn bounds(&self, table: &ParameterTable) -> Vec<Bound> {
        let keys = [
            (BoundKind::Minimum, &table.minimum),
            (BoundKind::Maximum, &table.maximum),
            (BoundKind::ExclusiveMinimum, &table.exclusive_minimum),
            (BoundKind::ExclusiveMaximum, &table.exclusive_maximum),
        ];
        let bound = |(kind, value): (BoundKind, &Option<At<Value>>)| {
            let at = value.as_ref()?;
            let number = at.value.as_number().cloned();
            if number.is_none() {
                report(self.sink, at, "a bound is not a number", "expected a number", "write it without quotes");
            }
            number.map(|number| Bound { number, kind })
        };
        keys.into_iter().filter_map(bound).collect()
    }

    /// Reports conditions that no value can fulfil together.
    fn contradictions(&self, table: &ParameterTable, parameter: &Parameter) {
        let never = |place: Place, message: &str, help: &str| {
            let found = Diagnostic::new(
                codes::INVALID_VALUE,
                place,
                format!("`{}` can never match: {message}", table.name.value),
            );
            self.sink.push(found.help(help));
        };
        let lowest = parameter.bounds.iter().filter(|bound| bound.is_lower());
        for low in lowest {
            for high in parameter.bounds.iter().filter(|bound| !bound.is_lower()) {
                let order = compare(&low.number, &high.number);
                let is_open = low.kind == BoundKind::ExclusiveMinimum || high.kind == BoundKind::ExclusiveMaximum;
                let is_empty = match order {
                    Some(std::cmp::Ordering::Greater) => true,
                    Some(std::cmp::Ordering::Equal) => is_open,
                    _ => false,
                };
                if is_empty {
                    let message = format!("no number is both above {} and below {}", low.number, high.number);
                    never(table.name.place, &message, "swap the bounds, or write two rules");
                }
            }
        }
        if !parameter.bounds.is_empty() && (parameter.is_about_paths() || parameter.is_about_hosts()) {
            never(table.name.place, "a number is neither a path nor a URL", "write two rules");
        }
        let inside = |path: &PathPattern| parameter.outside.iter().any(|outside| outside.covers(path));
        if !parameter.within.is_empty() && parameter.within.iter().all(inside) {
            never(table.name.place, "`outside` excludes all of `within`", "remove one of them");
        }
        let excluded = |host: &HostPattern| parameter.without_hosts.iter().any(|other| other.covers(host));
        if !parameter.hosts.is_empty() && parameter.hosts.iter().all(excluded) {
            never(table.name.place, "`without_hosts` excludes all of `hosts`", "remove one of them");
        }
        let refused = |pattern: &String| parameter.without.iter().any(|other| other == pattern || other == "*");
        if !parameter.matches.is_empty() && parameter.matches.iter().all(refused) {
            never(table.name.place, "`without` excludes all of `matches`", "remove one of them");
        }
    }

    fn examples(&self, table: &PermissionTable, rule: &Permission, find: FindTool<'_>) {
        for (examples, expected) in [(&table.matches, true), (&table.ignores, false)] {
            for example in examples {
                let Some(tool) = &example.tool else { continue };
                if covers(rule, example, &tool.value, find) == expected {
                    continue;
                }
                let message = if expected {
                    format!("`{}` does not match this example", rule.name)
                } else {
                    format!("`{}` matches this example, which it should ignore", rule.name)
                };
                let found = Diagnostic::new(codes::INVALID_VALUE, tool.place, message);
                self.sink.push(found.help("change the conditions of the rule, or the example"));
            }
        }
    }
}

/// Returns whether a rule matches an example.
fn covers(rule: &Permission, example: &ExampleTable, tool: &str, find: FindTool<'_>) -> bool {
    let empty = Map::new();
    let arguments = example.arguments.as_ref().and_then(|at| at.value.as_object()).unwrap_or(&empty);
    let known = find(tool);
    let of_server = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    let toolset = match (&example.toolset, &known, of_server) {
        (Some(toolset), ..) => toolset.value.clone(),
        (None, Some((toolset, _)), _) => toolset.clone(),
        (None, None, Some((server, _))) => format!("mcp-{server}"),
        (None, None, None) => String::new(),
    };
    let mut effects = known.map_or(Annotations::DEFAULT, |(_, effects)| effects);
    for (annotation, value) in example.annotations.as_ref().map(annotations).unwrap_or_default() {
        match annotation {
            Annotation::ReadOnly => effects = effects.with_read_only(value),
            Annotation::Destructive => effects = effects.with_destructive(value),
            Annotation::Idempotent => effects = effects.with_idempotent(value),
            Annotation::OpenWorld => effects = effects.with_open_world(value),
        }
    }
    let paths = WrittenPaths { directory: Some("/work".into()), home: Some("/home/user".into()) };
    let environment = example.environment.as_ref().map_or("local", |kind| kind.value.as_str());
    rule.covers(&CallFacts {
        tool: ToolFacts { name: tool, toolset: &toolset, annotations: effects },
        environment,
        arguments,
        paths: CallPaths::new(Some(Box::new(paths))),
        other_paths: Box::new(|_| Vec::new()),
    })
}

fn annotations(table: &AnnotationsTable) -> Vec<(Annotation, bool)> {
    let keys = [
        (Annotation::ReadOnly, &table.read_only),
        (Annotation::Destructive, &table.destructive),
        (Annotation::Idempotent, &table.idempotent),
        (Annotation::OpenWorld, &table.open_world),
    ];
    keys.into_iter().filter_map(|(annotation, flag)| Some((annotation, flag.as_ref()?.value))).collect()
}

/// Returns whether a rule has no condition.
fn is_wide(rule: &Permission) -> bool {
    [&rule.tools, &rule.toolsets, &rule.servers, &rule.environments].into_iter().all(Vec::is_empty)
        && rule.annotations.is_empty()
        && rule.parameters.iter().all(Parameter::is_free)
}

impl Bound {
    fn is_lower(&self) -> bool {
        matches!(self.kind, BoundKind::Minimum | BoundKind::ExclusiveMinimum)
    }
}
