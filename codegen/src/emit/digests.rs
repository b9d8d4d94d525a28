//! `manifests.txt`: the digests of the manifests. A build script compares them with the manifests, to check that the generated code
//! is up to date.

use super::{Draft, Inputs};
use crate::lower::Lowered;
use crate::project::MARK;

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    let text = || {
        let manifests = catalog.digests().iter().map(|(path, digest)| (path.as_str(), *digest));
        toolc_build::file_text(MARK, manifests)
    };
    vec![Draft::new(toolc_build::FILE, Inputs::All, text)]
}
