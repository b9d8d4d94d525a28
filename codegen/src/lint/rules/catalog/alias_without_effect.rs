//! An alias of a tool or a parameter that equals its name, or differs from it only in what the runtime corrects anyway: the case and `-`
//! for a tool, the case, `_`, `-` and spaces for a parameter.
//!
//! ## Why is this bad
//! It has no effect. Usually another name was meant.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! aliases = ["Read-File"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! aliases = ["open_file"]
//! ```

use toolc::__gen::names::{same_name, same_spelling};
use toolc_lower::schema::Schema;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{At, Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C065", "alias-without-effect", Some(Level::Warning), Check::Tool(check)).fixable();

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for alias in tool.manifest.aliases.iter().filter(|alias| same_spelling(&alias.value, tool.name())) {
        report(alias, tool.name(), sink);
    }
    for property in tool.manifest.argument_roots().flat_map(Schema::walk).flat_map(|schema| &schema.properties) {
        let name = &property.name.value;
        property.aliases.iter().filter(|alias| same_name(&alias.value, name)).for_each(|alias| report(alias, name, sink));
    }
}

fn report(alias: &At<String>, name: &str, sink: &Sink) {
    let message = format!("the alias `{}` has no effect: the runtime reads it as `{name}` anyway", alias.value);
    sink.push(Diagnostic::new(codes::ALIAS_WITHOUT_EFFECT, alias.place, message).help("remove it").fix(Edit::Remove(alias.place)));
}
