//! What has to be there for a tool to be shown.

use toolc::Text;
use toolc::requirement::Requirement;

use super::{atom, text};
use crate::catalog::{Atom, Catalog, Requires, ToolId, VariableId};
use crate::diagnostic::Place;
use crate::doc::compile;
use crate::manifest::RequiresManifest;
use crate::text::questions::{AtomId, When};

pub(super) fn of(
    catalog: &Catalog,
    linked: &Requires,
    manifest: &RequiresManifest,
    atoms: &[Atom],
) -> Vec<Requirement> {
    let variables = |ids: &[VariableId]| ids.iter().map(|&id| text(&catalog[id].name.value)).collect();
    let tools = |ids: &[(ToolId, Place)]| ids.iter().map(|&(id, _)| text(catalog[id].name())).collect();
    let texts = |texts: &[String]| texts.iter().map(|name| text(name)).collect();
    let lists: [(fn(Vec<Text>) -> Requirement, Vec<Text>); 6] = [
        (Requirement::Env, variables(&linked.env)),
        (Requirement::AnyEnv, variables(&linked.any_env)),
        (Requirement::Programs, texts(&manifest.programs)),
        (Requirement::Os, texts(&manifest.os)),
        (Requirement::Tools, tools(&linked.tools)),
        (Requirement::AnyTools, tools(&linked.any_tools)),
    ];
    let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
    let when = manifest.when.iter().map(|when| condition(catalog, &when.value, atoms));
    lists.map(|(of, names)| of(names)).chain(when).chain(manifest.check.then_some(Requirement::Check)).collect()
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
