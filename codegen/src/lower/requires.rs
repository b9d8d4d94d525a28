//! The requirements of tools and toolsets.

use std::borrow::Cow;

use toolc::availability::Requirement;
use toolc_lower::conditional_json::compile;
use toolc_lower::text::atoms::{AtomId, When};

use super::{lower_atom, text};
use crate::catalog::{Atom, Catalog, ExternalId, Requires, ToolId, VariableId};
use crate::diagnostic::{At, Place};
use crate::manifest::{AlternativeManifest, RequiresManifest};

pub(super) fn lower_requirements(
    catalog: &Catalog,
    resolved: &Requires,
    manifest: &RequiresManifest,
    atoms: &[Atom],
) -> Vec<Requirement> {
    let variables = |ids: &[VariableId]| ids.iter().map(|&id| text(&catalog[id].name.value)).collect();
    let tools = |ids: &[(ToolId, Place)], external: &[ExternalId]| {
        let declared = ids.iter().map(|&(id, _)| text(catalog[id].name()));
        declared.chain(external.iter().map(|&id| text(&catalog[id]))).collect()
    };
    let texts = |texts: &[At<String>]| texts.iter().map(|name| text(&name.value)).collect();
    let lists = [
        non_empty(Requirement::Env, variables(&resolved.env)),
        non_empty(Requirement::AnyEnv, variables(&resolved.any_env)),
        non_empty(Requirement::Programs, texts(&manifest.programs)),
        non_empty(Requirement::Os, texts(&manifest.os)),
        non_empty(Requirement::Tools, tools(&resolved.tools, &resolved.external)),
        non_empty(Requirement::AnyTools, tools(&resolved.any_tools, &resolved.any_external)),
    ];
    let alternative = |(one, ids): (&AlternativeManifest, &Vec<VariableId>)| {
        let env = non_empty(Requirement::Env, variables(ids));
        let programs = || non_empty(Requirement::Programs, texts(&one.programs));
        let when = || one.when.as_ref().map(|when| condition(catalog, &when.value, atoms));
        env.or_else(programs).or_else(when)
    };
    let alternatives: Vec<_> = manifest.any.iter().zip(&resolved.alternatives).filter_map(alternative).collect();
    let any = (!alternatives.is_empty()).then_some(Requirement::Any(alternatives));
    let when = manifest.when.iter().map(|when| condition(catalog, &when.value, atoms));
    lists.into_iter().flatten().chain(any).chain(when).chain(manifest.checked().map(|_| Requirement::Check)).collect()
}

/// Creates a requirement, or returns `None` if there are no names.
fn non_empty(new: fn(Vec<Cow<'static, str>>) -> Requirement, names: Vec<Cow<'static, str>>) -> Option<Requirement> {
    if names.is_empty() { None } else { Some(new(names)) }
}

/// Lowers a condition. The requirement has its own list of atoms, which contains only those of the condition.
fn condition(catalog: &Catalog, when: &When, atoms: &[Atom]) -> Requirement {
    let mut used: Vec<AtomId> = Vec::new();
    let renumbered = when.clone().map(&mut |atom: AtomId| {
        let position = used.iter().position(|other| *other == atom).unwrap_or_else(|| {
            used.push(atom);
            used.len() - 1
        });
        AtomId(position)
    });
    let atoms = used.iter().map(|id| lower_atom(catalog, &atoms[id.0])).collect();
    Requirement::When { condition: compile(&renumbered), atoms }
}
