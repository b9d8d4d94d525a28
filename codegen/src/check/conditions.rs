//! Checks what conditions do to a tool: the number of atoms is limited, required parameters have no condition, and every
//! enum and every list of tools keeps an item in every turn.

use std::collections::BTreeSet;

use serde_json::Value;
use toolc::__gen::segment;
use toolc::__gen::segment::{Atoms, MAX_ATOMS};
use toolc_lower::schema::{Defs, Property, Schema};
use toolc_lower::text::atoms::{AtomId, Template, When};
use toolc_lower::text::condition::AtomExpr;
use toolc_lower::text::template::Piece;
use toolc_lower::text::turns::turns;

use crate::catalog::{Atom, Catalog, Requires, Tool, ToolId};
use crate::diagnostic::codes;
use crate::diagnostic::{At, Code, Diagnostic, Place, Sink, ticked};
use crate::manifest::ToolManifest;

pub(super) fn check_tool(_: &Catalog, tool: &Tool, sink: &Sink) {
    let atoms = &tool.manifest.atom_table.atoms;
    if let Some(first) = atoms.get(MAX_ATOMS) {
        let message = format!(
            "the conditions of `{}` contain {} different atoms, but at most {MAX_ATOMS} are allowed",
            tool.name(),
            atoms.len()
        );
        let found =
            Diagnostic::new(codes::TOO_MANY_ATOMS, first.place, message).label("the first atom above the limit");
        return sink.push(found.help("split the tool, or simplify its conditions"));
    }
    let mut turns = Turns::new(&tool.manifest, atoms);
    if tool.atoms.len() < atoms.len() {
        // A condition refers to an unknown tool or fact (already reported), so the possible turns cannot be enumerated.
        turns.all.clear();
    }
    turns.all.retain(|&atoms| is_shown(tool, atoms));
    turns.check_text(&tool.manifest.description.value, tool.manifest.description.place, &|_| true, sink);
    for description in tool.manifest.dialect.iter().filter_map(|dialect| dialect.description.as_ref()) {
        turns.check_text(&description.value, description.place, &|_| true, sink);
    }
    // Definitions appear in every turn, whatever refers to them.
    for schema in tool.manifest.roots() {
        turns.check_schema(schema, &|_| true, sink);
    }
}

/// Returns whether the tools that a tool requires allow a turn with these atoms to show it.
fn is_shown(tool: &Tool, atoms: Atoms) -> bool {
    let in_turn = |id: ToolId| {
        let atom = tool.atoms.iter().position(|atom| matches!(atom, Atom::Tool(other) if *other == id));
        // A tool without an atom may be in the turn.
        atom.is_none_or(|atom| bit(AtomId(atom), atoms))
    };
    let Requires { tools, any_tools, any_external, .. } = &tool.requires;
    tools.iter().all(|&(id, _)| in_turn(id))
        && (any_tools.is_empty() || !any_external.is_empty() || any_tools.iter().any(|&(id, _)| in_turn(id)))
}

/// The possible turns of a tool, as values of its atoms. A fact has a single value.
struct Turns<'t> {
    defs: &'t Defs,
    /// The schema of the arguments as a whole.
    params: &'t Schema,
    all: Vec<Atoms>,
    /// The place of each atom's first use.
    places: Vec<Place>,
}

type Holds<'h> = &'h dyn Fn(Atoms) -> bool;

impl<'t> Turns<'t> {
    fn new(manifest: &'t ToolManifest, atoms: &[At<AtomExpr>]) -> Self {
        let (defs, params) = (&manifest.defs, &manifest.params);
        let all = turns(atoms.iter().map(|atom| &atom.value));
        Self { defs, params, all, places: atoms.iter().map(|atom| atom.place).collect() }
    }

    /// Returns whether both conditions are true in some turn.
    fn any(&self, within: Holds<'_>, holds: Holds<'_>) -> bool {
        self.all.iter().any(|&atoms| within(atoms) && holds(atoms))
    }

    /// Checks a schema and its subschemas. `within` says in which turns the schema appears.
    fn check_schema(&self, schema: &Schema, within: Holds<'_>, sink: &Sink) {
        if let Some(description) = &schema.description {
            self.check_text(&description.value, description.place, within, sink);
        }
        // In a turn without values, no default is valid.
        if self.check_enum(schema, within, sink) {
            self.check_values(schema, within, sink);
        }
        for property in &schema.properties {
            check_required(property, sink);
            let is_present =
                |atoms| within(atoms) && property.when.as_ref().is_none_or(|when| holds(&when.value, atoms));
            self.check_schema(&property.schema, &is_present, sink);
        }
        for subschema in schema.subschemas() {
            self.check_schema(subschema, within, sink);
        }
    }

    /// Returns whether the enum, if the schema has one, has a value in every turn.
    fn check_enum(&self, schema: &Schema, within: Holds<'_>, sink: &Sink) -> bool {
        let Some(first) = schema.choices.first() else { return true };
        if schema.choices.iter().any(|choice| choice.when.is_none()) {
            return true;
        }
        let none = |atoms| schema.choices.iter().flat_map(|choice| &choice.when).all(|when| !holds(&when.value, atoms));
        let can_vanish = self.any(within, &none);
        if can_vanish {
            let message = "all values of this enum are conditional, so it can be empty";
            sink.push(
                Diagnostic::new(codes::ENUM_CAN_VANISH, first.value.place, message)
                    .help("remove the condition of one value, or add the conditions to the parameter"),
            );
        }
        !can_vanish
    }

    /// Reports a default or example that is not valid in every turn in which its schema appears.
    fn check_values(&self, schema: &Schema, within: Holds<'_>, sink: &Sink) {
        let depends = |schema: &Schema| {
            schema.choices.iter().any(|choice| choice.when.is_some())
                || schema.properties.iter().any(|property| property.when.is_some())
        };
        // An example of a whole call is shown in the turns in which the call is possible.
        let examples = if std::ptr::eq(schema, self.params) { &[] } else { schema.examples.as_slice() };
        let values: Vec<(&At<Value>, Code)> = (schema.default.iter().map(|at| (at, codes::DEFAULT_VIOLATES_SCHEMA)))
            .chain(examples.iter().map(|at| (at, codes::EXAMPLE_VIOLATES_SCHEMA)))
            .collect();
        let reachable_schemas = || {
            let needed = self.defs.reachable_from([schema]);
            let defs = self.defs.iter().filter(move |(id, _)| needed[id.0]).map(|(_, def)| &def.schema);
            [schema].into_iter().chain(defs).flat_map(Schema::walk)
        };
        if values.is_empty() || !reachable_schemas().any(depends) {
            return;
        }
        // A value that is invalid in every turn is reported by the check `defaults`.
        let Ok(validator_of_all) = jsonschema::draft202012::new(&self.defs.full_schema(schema)) else { return };
        let values: Vec<_> = values.into_iter().filter(|(value, _)| validator_of_all.is_valid(&value.value)).collect();
        let segments = self.defs.document(schema).segments();
        let mut seen = BTreeSet::new();
        for &atoms in self.all.iter().filter(|&&atoms| within(atoms)) {
            let mut text = String::new();
            segment::render(&segments, atoms, &[], &mut text);
            if !seen.insert(text.clone()) {
                continue;
            }
            let Ok(turn) = serde_json::from_str(&text) else { continue };
            let Ok(validator) = jsonschema::draft202012::new(&turn) else { continue };
            for (value, code) in values.iter().filter(|(value, _)| !validator.is_valid(&value.value)) {
                let message = "this value is not available in every turn: a `when` condition can remove it";
                let help = "use a value that is always available";
                sink.push(Diagnostic::new(*code, value.place, message).help(help));
            }
        }
    }

    fn check_text(&self, template: &Template, place: Place, within: Holds<'_>, sink: &Sink) {
        for piece in template {
            match piece {
                Piece::Text(_) | Piece::Fact(_) => {}
                Piece::Available { tools, .. } => {
                    let none = |atoms| tools.iter().all(|(tool, _)| !bit(*tool, atoms));
                    if self.any(within, &none) {
                        let first = tools.first().and_then(|(AtomId(atom), _)| self.places.get(*atom).copied());
                        let at = first.filter(|at| place.contains(*at)).unwrap_or(place);
                        let names: Vec<&str> = tools.iter().map(|(_, name)| name.as_str()).collect();
                        let message = match names.as_slice() {
                            [only] => format!("this list can be empty: `{only}` may be unavailable"),
                            _ => format!("this list can be empty: {} may all be unavailable", ticked(&names, ", ")),
                        };
                        let wanted: Vec<String> = names.iter().map(|name| format!("tools.{name}")).collect();
                        sink.push(
                            Diagnostic::new(codes::AVAILABLE_CAN_BE_EMPTY, at, message)
                                .help(format!("put it in `{{% if {} %}}...{{% endif %}}`", wanted.join(" or "))),
                        );
                    }
                }
                Piece::Choice { branches, otherwise } => {
                    for (index, (when, pieces)) in branches.iter().enumerate() {
                        let is_present = |atoms| {
                            within(atoms)
                                && holds(when, atoms)
                                && branches[..index].iter().all(|(earlier, _)| !holds(earlier, atoms))
                        };
                        self.check_text(pieces, place, &is_present, sink);
                    }
                    let is_present = |atoms| within(atoms) && branches.iter().all(|(when, _)| !holds(when, atoms));
                    self.check_text(otherwise, place, &is_present, sink);
                }
            }
        }
    }
}

fn check_required(property: &Property, sink: &Sink) {
    if property.required
        && let Some(when) = &property.when
    {
        let message = format!("`{}` is required but not available in every turn", property.name.value);
        sink.push(
            Diagnostic::new(codes::REQUIRED_WITH_WHEN, when.place, message)
                .help("remove `required = true`, or the condition"),
        );
    }
}

fn holds(when: &When, atoms: Atoms) -> bool {
    when.holds(&|atom| bit(*atom, atoms))
}

fn bit(atom: AtomId, atoms: Atoms) -> bool {
    atoms >> atom.0 & 1 == 1
}
