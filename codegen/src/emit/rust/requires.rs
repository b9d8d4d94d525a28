//! What has to be there for a tool to be shown, as Rust data.

use proc_macro2::TokenStream;
use quote::quote;

use super::{segments, text};
use crate::catalog::{Atom, Requires, ToolId, VariableId};
use crate::check::Checked;
use crate::diagnostic::Place;
use crate::doc::compile;
use crate::manifest::RequiresManifest;
use crate::text::questions::{AtomId, When};

/// A list of requirements, where the runtime's names and `Borrowed` are in scope.
pub(super) fn of(catalog: &Checked, linked: &Requires, manifest: &RequiresManifest, atoms: &[Atom]) -> TokenStream {
    let variables = |ids: &[VariableId]| ids.iter().map(|&id| text(&catalog[id].name.value)).collect();
    let tools = |ids: &[(ToolId, Place)]| ids.iter().map(|&(id, _)| text(catalog[id].name())).collect();
    let texts = |texts: &[String]| texts.iter().map(|name| text(name)).collect();
    let lists: [(TokenStream, Vec<TokenStream>); 6] = [
        (quote!(Env), variables(&linked.env)),
        (quote!(AnyEnv), variables(&linked.any_env)),
        (quote!(Programs), texts(&manifest.programs)),
        (quote!(Os), texts(&manifest.os)),
        (quote!(Tools), tools(&linked.tools)),
        (quote!(AnyTools), tools(&linked.any_tools)),
    ];
    let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
    let lists = lists.map(|(variant, names)| quote!(Requirement::#variant(Borrowed(&[#(#names),*]))));
    let when = manifest.when.iter().map(|when| condition(catalog, &when.value, atoms));
    let check = manifest.check.then(|| quote!(Requirement::Check));
    let all = lists.chain(when).chain(check);
    quote!(Borrowed(&[#(#all),*]))
}

/// Over atoms of its own: only those that it asks.
fn condition(catalog: &Checked, when: &When, atoms: &[Atom]) -> TokenStream {
    let mut asked: Vec<AtomId> = Vec::new();
    let own = when.clone().map(&mut |atom: AtomId| {
        let position = asked.iter().position(|known| *known == atom).unwrap_or_else(|| {
            asked.push(atom);
            asked.len() - 1
        });
        AtomId(position)
    });
    let condition = segments::condition(&compile(&own));
    let atoms = asked.iter().map(|atom| segments::atom(catalog, &atoms[atom.0]));
    quote!(Requirement::When { condition: #condition, atoms: Borrowed(&[#(#atoms),*]) })
}
