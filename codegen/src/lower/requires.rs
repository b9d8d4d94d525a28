//! Requirements of tools and toolsets.

use std::borrow::Cow;

use toolc::availability::Requirement;

use super::{atom, text};
use crate::catalog::{Atom, Catalog, ExternalId, Requires, ToolId, VariableId};
use crate::conditional_json::compile;
use crate::diagnostic::{At, Place};
use crate::manifest::RequiresManifest;
use crate::text::atoms::{AtomId, When};

pub(super) fn of(
    catalog: &Catalog,
    linked: &Requires,
    manifest: &RequiresManifest,
    atoms: &[Atom],
) -> Vec<Requirement> {
    let variables = |ids: &[VariableId]| ids.iter().map(|&id| text(&catalog[id].name.value)).collect();
    let tools = |ids: &[(ToolId, Place)], external: &[ExternalId]| {
        let own = ids.iter().map(|&(id, _)| text(catalog[id].name()));
        own.chain(external.iter().map(|&id| text(&catalog[id]))).collect()
    };
    let texts = |texts: &[At<String>]| texts.iter().map(|name| text(&name.value)).collect();
    let lists = [
        some(Requirement::Env, variables(&linked.env)),
        some(Requirement::AnyEnv, variables(&linked.any_env)),
        some(Requirement::Programs, texts(&manifest.programs)),
        some(Requirement::Os, texts(&manifest.os)),
        some(Requirement::Tools, tools(&linked.tools, &linked.external)),
        some(Requirement::AnyTools, tools(&linked.any_tools, &linked.any_external)),
    ];
    let when = manifest.when.iter().map(|when| condition(catalog, &when.value, atoms));
    lists.into_iter().flatten().chain(when).chain(manifest.checked().map(|_| Requirement::Check)).collect()
}

/// None where there are no names.
fn some(of: fn(Vec<Cow<'static, str>>) -> Requirement, names: Vec<Cow<'static, str>>) -> Option<Requirement> {
    (!names.is_empty()).then(|| of(names))
}

/// Over atoms of its own: only those that it asks.
fn condition(catalog: &Catalog, when: &When, atoms: &[Atom]) -> Requirement {
    let mut asked: Vec<AtomId> = Vec::new();
    let own = when.clone().map(&mut |atom: AtomId| {
        let position = asked.iter().position(|known| *known == atom).unwrap_or_else(|| {
            asked.push(atom);
            asked.len() - 1
        });
        AtomId(position)
    });
    let atoms = asked.iter().map(|asked| atom(catalog, &atoms[asked.0])).collect();
    Requirement::When { condition: compile(&own), atoms }
}
