//! `.gitattributes`: keeps files that people cannot review out of diffs. The attributes apply below the folder of the file, and override
//! those of the folders above.

use super::{Draft, Inputs};
use crate::lower::Lowered;
use crate::project::{GENERATED, MARK};

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    let module = catalog.settings().rust.as_deref();
    let data = if module.is_some() { "" } else { "/rust/data/** linguist-generated=true -diff\n" };
    let generated = text(&format!(
        "/README.md linguist-generated=true\n/catalog.json linguist-generated=true\n/manifest/** linguist-generated=true\n/manifests.txt linguist-generated=true\n{data}"
    ));
    let mut drafts = vec![draft(GENERATED, generated)];
    drafts.extend(module.map(|module| draft(module, text("/data/** linguist-generated=true -diff\n"))));
    drafts
}

/// Returns the file for a folder of another language.
pub(super) fn plain<'c>(folder: &str) -> Draft<'c> {
    draft(folder, text(""))
}

fn draft<'c>(folder: &str, text: String) -> Draft<'c> {
    Draft { path: format!("{folder}/.gitattributes"), ..Draft::new("", Inputs::Common, move || text.clone()) }
}

/// Puts the mark of generated files before the lines. gen compares bytes, so git must not convert line endings.
fn text(lines: &str) -> String {
    format!("# {MARK}. Hosting sites fold files that are `linguist-generated`.\n* text=auto eol=lf\n{lines}")
}
