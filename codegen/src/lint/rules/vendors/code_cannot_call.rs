//! A tool that code may call according to its manifest, but cannot call in one of the dialects. `anthropic` refuses parameters with a
//! recursive `$ref`. The tools of `anthropic-strict` are strict, unless `dialect.anthropic-strict.strict = false`. Dialects such as
//! `openai` have no field for callers, so they omit a tool that only code may call. The last two cases are reported only if `toolc.toml`
//! lists the dialect. Code cannot receive images either, but this is not reported, because no manifest declares them: the runtime sends
//! only the texts of a result to code.
//!
//! ## Why is this bad
//! The vendor rejects the whole request, or code cannot call the tool. Anthropic's page on programmatic tool calling, as of 2026-09:
//!
//! - recursion "causes the request to fail with a `400 invalid_request_error` whose message contains `Circular $ref detected`";
//! - "Tools with `strict: true` are not supported with programmatic calling";
//! - "Image, document, and other content block types are rejected" in results.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! callers = ["model", "code"]
//!
//! [params.filter]
//! "$ref" = "#/$defs/filter"
//!
//! [returns]
//! type = "array"
//! items = { type = "string" }
//!
//! [schema."$defs".filter]
//! type = "object"
//! description = "Which lines to read."
//! properties.word = { type = "string", description = "A word that the lines contain." }
//! properties.not = { "$ref" = "#/$defs/filter" }
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! callers = ["model", "code"]
//!
//! [params.filter]
//! "$ref" = "#/$defs/filter"
//!
//! [returns]
//! type = "array"
//! items = { type = "string" }
//!
//! [schema."$defs".filter]
//! type = "object"
//! description = "Which lines to read."
//! properties.word = { type = "string", description = "A word that the lines contain." }
//! properties.without = { type = "string", description = "A word that the lines do not contain." }
//! ```

use toolc_lower::dialects::Dialect;
use toolc_lower::narrow::Narrowed;
use toolc_lower::schema::Schema;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::lower::{accepts, form, parameters};

pub(super) const RULE: Rule = Rule::new("P023", "code-cannot-call", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (_, tool) in lint.tools() {
        let Some(place) = tool.called_by_code() else { continue };
        check_strict(lint, tool, place, sink);
        check_code_only(lint, tool, place, sink);
        check_recursion(lint, tool, place, sink);
    }
}

/// Reports dialects in which the tool is strict.
fn check_strict(lint: &Lint<'_>, tool: &Tool, place: Place, sink: &Sink) {
    for dialect in lint.listed_dialects() {
        let Some(limit) = form(dialect, tool).code.strict_tools() else { continue };
        if tool.manifest.callers().model && !accepts(dialect, tool) {
            continue;
        }
        let (name, dialect) = (tool.name(), dialect.name);
        let outcome = if tool.manifest.callers().model { "only the model can call it there" } else { "it is omitted there" };
        sink.push(
            Diagnostic::new(codes::CODE_CANNOT_CALL, place, format!("`{name}` is strict in `{dialect}`, so {outcome}"))
                .label(format!("code cannot call strict tools ({})", limit.source))
                .help(format!("set `strict = false` in `[dialect.{dialect}]`")),
        );
    }
}

/// Reports dialects that omit the tool because they have no field for callers.
fn check_code_only(lint: &Lint<'_>, tool: &Tool, place: Place, sink: &Sink) {
    if tool.manifest.callers().model {
        return;
    }
    let has_no_callers = |form: &Dialect| {
        form.tool.code_only_tools().is_some() && form.code.strict_tools().is_none()
    };
    let omitting: Vec<&str> =
        lint.listed_dialects().filter(|dialect| has_no_callers(form(dialect, tool))).map(|dialect| dialect.name).collect();
    if !omitting.is_empty() {
        let (name, does) = (tool.name(), if omitting.len() > 1 { "have" } else { "has" });
        let message = format!("{} {does} no field for callers, so `{name}` is omitted there", ticked(&omitting, ", "));
        sink.push(
            Diagnostic::new(codes::CODE_CANNOT_CALL, place, message)
                .help("add `\"model\"` to `callers`, if a model may call the tool as well"),
        );
    }
}

/// Reports parameters that contain themselves.
fn check_recursion(lint: &Lint<'_>, tool: &Tool, place: Place, sink: &Sink) {
    let refusing: Vec<_> = tool
        .dialects_with_code(lint)
        .filter_map(|dialect| Some((dialect, form(dialect, tool).code.recursive_parameters()?)))
        .filter_map(|(dialect, limit)| Some((dialect.name, limit, recursion(&parameters(dialect, tool))?)))
        .collect();
    let Some((_, _, recursive)) = refusing.first() else { return };
    let level = refusing.iter().map(|(_, limit, _)| lint.level_of(limit)).min();
    let dialects: Vec<&str> = refusing.iter().map(|(dialect, ..)| *dialect).collect();
    let does = if dialects.len() > 1 { "refuse" } else { "refuses" };
    let message = format!(
        "{} {does} code as a caller of `{}`, because the parameters contain a recursive `$ref`",
        ticked(&dialects, ", "),
        tool.name()
    );
    sink.push(
        Diagnostic::new(codes::CODE_CANNOT_CALL, place, message)
            .level(level.unwrap_or(Level::Warning))
            .related(*recursive, "refers to a schema that contains it")
            .help("nest the schema to a fixed depth, or remove `\"code\"` from `callers`"),
    );
}

/// Returns the place of a `$ref` to a schema that contains it.
fn recursion(narrowed: &Narrowed<'_>) -> Option<Place> {
    let (schema, defs) = (&*narrowed.schema, &*narrowed.defs);
    let needed = defs.reachable_from([schema]);
    let cyclic = defs.iter().filter(|(id, def)| needed[id.0] && defs.reachable_from([&def.schema])[id.0]);
    let is_within = |to: usize, schema: &Schema| defs.reachable_from([schema])[to];
    let mut references = cyclic.flat_map(|(id, def)| {
        let all = def.schema.walk().into_iter().filter_map(|schema| schema.reference.as_ref());
        all.filter(move |reference| reference.to == id || is_within(id.0, &defs.get(reference.to).schema))
    });
    references.next().map(|reference| reference.place)
}
