//! Checks requirements: their conditions must refer to facts only, and variables must have valid names.

use toolc_lower::text::atoms::{AtomId, When};
use toolc_lower::text::condition::Condition;

use crate::catalog::{Atom, Catalog};
use crate::diagnostic::codes;
use crate::diagnostic::{At, Diagnostic, Sink};
use crate::manifest::AlternativeManifest;

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let tools = catalog.tools().map(|(_, tool)| (&tool.manifest.requires, &tool.atoms));
    let toolsets = catalog.toolsets().map(|(_, toolset)| (&toolset.manifest.requires, &toolset.atoms));
    for (requires, atoms) in tools.chain(toolsets) {
        requires.any.iter().for_each(|one| check_alternative(one, sink));
        let conditions = requires.when.iter().chain(requires.alternative_conditions());
        // A condition with an unknown name has no atoms, and was reported.
        for when in conditions.filter(|when| refers_to_tools(&when.value, atoms)) {
            sink.push(
                Diagnostic::new(
                    codes::REQUIRES_WHEN,
                    when.place,
                    "the condition of a requirement can refer to facts only",
                )
                .help("list tools in `tools` (all are required) or `any_tools` (one is required)"),
            );
        }
    }
    let of_tools = catalog.tools().map(|(_, tool)| &tool.manifest.requires);
    let of_toolsets = catalog.toolsets().map(|(_, toolset)| &toolset.manifest.requires);
    for requires in of_tools.chain(of_toolsets) {
        requires.all_programs().for_each(|program| check_program(program, sink));
    }
    for variable in catalog.variables() {
        check_variable(&variable.name, sink);
        if let Some(url) = &variable.url {
            check_url(url, sink);
        }
    }
}

/// Checks that an alternative has one key. Several could hold only in part.
fn check_alternative(one: &AlternativeManifest, sink: &Sink) {
    let AlternativeManifest { env, programs, when, place, refused } = one;
    let keys = [("env", !env.is_empty()), ("programs", !programs.is_empty()), ("when", when.is_some())];
    let keys: Vec<&str> = keys.into_iter().filter(|(_, is_set)| *is_set).map(|(key, _)| key).collect();
    // A key whose value was reported is missing.
    if keys.len() != 1 && !refused.is_any() {
        let found = if keys.is_empty() { "none".to_owned() } else { keys.join(" and ") };
        sink.push(
            Diagnostic::new(
                codes::INVALID_VALUE,
                *place,
                "an alternative has one of the keys `env`, `programs` and `when`",
            )
            .label(format!("expected one key, found {found}"))
            .help("write a table for each alternative: `any = [{ env = [\"KEY\"] }, { programs = [\"git\"] }]`"),
        );
    }
}

/// Checks the name of a required program, which is looked up in `PATH`.
fn check_program(program: &At<String>, sink: &Sink) {
    let name = &program.value;
    let stem = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let message = if name.trim().is_empty() {
        "the name of a program is empty".to_owned()
    } else if stem != name {
        format!("`{name}` has a folder, but programs are looked up in `PATH`")
    } else if name.contains(char::is_whitespace) {
        format!("`{name}` is not the name of a program")
    } else {
        return;
    };
    let found = Diagnostic::new(codes::INVALID_VALUE, program.place, message).label("expected the name of a program");
    let name = stem.split_whitespace().next().unwrap_or_default();
    sink.push(if name.is_empty() {
        found.help("write the name, or remove it")
    } else {
        found.help(format!("write `{name}`"))
    });
}

/// Checks the address of a page.
fn check_url(url: &At<String>, sink: &Sink) {
    let host = ["https://", "http://"].iter().find_map(|scheme| url.value.strip_prefix(scheme));
    let host = host.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let is_host = |host: &str| !host.is_empty() && !host.starts_with([':', '.']) && !host.contains("..");
    if !host.is_some_and(is_host) || url.value.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        let message = format!("`{}` is not an address", url.value);
        let found = Diagnostic::new(codes::INVALID_VALUE, url.place, message);
        sink.push(found.label("expected an address such as `https://example.org/keys`"));
    }
}

fn refers_to_tools(when: &When, atoms: &[Atom]) -> bool {
    match when {
        Condition::Atom(AtomId(atom)) => matches!(atoms.get(*atom), Some(Atom::Tool(_) | Atom::External(_))),
        Condition::Not(inner) => refers_to_tools(inner, atoms),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(|part| refers_to_tools(part, atoms)),
    }
}

/// Checks the name of an environment variable: a name as in POSIX, also in lower case.
pub(super) fn check_variable(name: &At<String>, sink: &Sink) {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.value.starts_with(|letter: char| letter.is_ascii_digit())
        || name.value.is_empty()
        || !name.value.chars().all(is_part)
    {
        let message = format!("`{}` is not a valid name of an environment variable", name.value);
        sink.push(
            Diagnostic::new(codes::INVALID_NAME, name.place, message)
                .label("expected letters, digits and `_`, not starting with a digit"),
        );
    }
}
