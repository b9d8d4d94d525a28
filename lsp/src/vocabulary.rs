//! What a manifest may contain where: its keys, and what the names in it refer to.

use toolc_codegen::format::Order;
use toolc_codegen::manifest::keys::{CHOICE, Key};
use toolc_codegen::source::Kind;

/// What a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    Tool,
    Toolset,
    Fact,
    Variable,
    Parameter,
    Dialect,
}

impl Target {
    /// Returns the word for it.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Target::Tool => "tool",
            Target::Toolset => "toolset",
            Target::Fact => "fact",
            Target::Variable => "environment variable",
            Target::Parameter => "parameter",
            Target::Dialect => "dialect",
        }
    }
}

/// Where names are: the kind of manifest, the keys that lead to the name, and what it refers to. `*` is any key. A path that ends with `/`
/// leads to keys; the others lead to values.
const NAMES: &[(Kind, &str, Target)] = &[
    (Kind::Tool, "name", Target::Tool),
    (Kind::Tool, "toolset", Target::Toolset),
    (Kind::Tool, "requires.tools", Target::Tool),
    (Kind::Tool, "requires.any_tools", Target::Tool),
    (Kind::Tool, "requires.env", Target::Variable),
    (Kind::Tool, "requires.any_env", Target::Variable),
    (Kind::Tool, "requires.any.env", Target::Variable),
    (Kind::Tool, "deprecated.replacement", Target::Tool),
    (Kind::Tool, "parallel_key", Target::Parameter),
    (Kind::Tool, "approval.shell", Target::Parameter),
    (Kind::Tool, "params.*/", Target::Parameter),
    (Kind::Tool, "dialect.*/", Target::Dialect),
    (Kind::Toolset, "name", Target::Toolset),
    (Kind::Toolset, "tools", Target::Tool),
    (Kind::Toolset, "excludes", Target::Tool),
    (Kind::Toolset, "includes", Target::Toolset),
    (Kind::Toolset, "base", Target::Toolset),
    (Kind::Toolset, "requires.tools", Target::Tool),
    (Kind::Toolset, "requires.any_tools", Target::Tool),
    (Kind::Toolset, "requires.env", Target::Variable),
    (Kind::Toolset, "requires.any_env", Target::Variable),
    (Kind::Toolset, "requires.any.env", Target::Variable),
    (Kind::Distribution, "toolsets.*/", Target::Toolset),
    (Kind::Facts, "facts.*/", Target::Fact),
    (Kind::Env, "env.*/", Target::Variable),
    (Kind::Settings, "dialects", Target::Dialect),
    (Kind::Settings, "schemas.dialects", Target::Dialect),
    (Kind::Plugin, "env", Target::Variable),
    (Kind::Plugin, "hooks.*.tools", Target::Tool),
    (Kind::Plugin, "hooks.*.toolsets", Target::Toolset),
];

/// Returns what the name at a path refers to.
pub(crate) fn target(kind: Kind, path: &[String], is_key: bool) -> Option<Target> {
    let matches = |pattern: &str| {
        let of_key = pattern.strip_suffix('/');
        let mut steps = of_key.unwrap_or(pattern).split('.');
        of_key.is_some() == is_key
            && path.iter().all(|step| steps.next().is_some_and(|wanted| wanted == "*" || wanted == step))
            && steps.next().is_none()
    };
    NAMES.iter().find(|(of, pattern, _)| *of == kind && matches(pattern)).map(|(_, _, target)| *target)
}

/// Returns the keys of the table at a path, or an empty list if its keys are names that the author chooses.
pub(crate) fn keys(kind: Kind, path: &[String]) -> Vec<&'static Key> {
    let order = path.iter().fold(Order::Keys(kind.keys()), |order, step| order.nested(step));
    match order {
        Order::Keys(keys) => keys.iter().copied().flatten().collect(),
        // A value of `enum` can be a table.
        _ if path.last().is_some_and(|step| step == "enum") => CHOICE.iter().collect(),
        Order::Names(_) | Order::Written => Vec::new(),
    }
}

/// Returns the key at a path.
pub(crate) fn key(kind: Kind, path: &[String]) -> Option<&'static Key> {
    let (name, table) = path.split_last()?;
    keys(kind, table).into_iter().find(|key| key.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Vec<String> {
        text.split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn keys_follow_the_tables_of_a_manifest() {
        let has = |at: &str, name: &str| keys(Kind::Tool, &path(at)).iter().any(|key| key.name == name);
        assert!(has("", "description") && has("requires", "any_tools") && has("requires.any", "programs"));
        assert!(has("params.x", "minLength") && has("params.x", "secret") && has("params.x.items", "type"));
        assert!(has("params.x.enum", "when") && has("returns", "properties") && has("schema", "$defs"));
        assert!(keys(Kind::Tool, &path("params")).is_empty());
        assert!(key(Kind::Toolset, &path("requires.when")).is_some() && key(Kind::Toolset, &path("params")).is_none());
    }

    #[test]
    fn every_path_of_a_name_is_one_of_the_manifest() {
        for (kind, pattern, _) in NAMES {
            let plain = path(&pattern.trim_end_matches('/').replace('*', "before"));
            let (last, table) = plain.split_last().expect("a path has a key");
            let is_name = last == "before" && key(*kind, table).is_some();
            assert!(is_name || key(*kind, &plain).is_some(), "{pattern}");
        }
    }
}
