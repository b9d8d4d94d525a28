//! Skills in folders on this machine.

use std::path::Path;

use super::{Description, Fetched, Hit, Origin, Source, SourceKind, not_of};
use crate::bundle::{Bundle, Limits};
use crate::fault::{SourceError, SourceFault};
use crate::identifier::Identifier;
use crate::trust::Trust;
use crate::web::line;

/// Skills in folders on this machine.
#[derive(Debug)]
pub struct Folder {
    limits: Limits,
}

impl Folder {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits }
    }
}

/// Reads a folder, and says where it is. The version is the digest of its files.
pub(crate) fn fetched(id: &Identifier, folder: &Path, limits: &Limits) -> Result<Fetched, SourceError> {
    if !folder.is_dir() {
        return Err(SourceError::new(id, SourceFault::NotFound(format!("{} is not a folder", folder.display()))));
    }
    let bundle = Bundle::read(folder, limits).map_err(SourceError::bundle(id))?;
    // The folder must be found again from another working directory.
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let origin = Origin {
        source: SourceKind::Folder,
        id: Identifier::Folder(folder.clone()),
        url: folder.display().to_string(),
        path: String::new(),
        version: bundle.digest().to_string(),
        tree: Some(bundle.tree()),
        trust: Trust::Community,
        is_converted: false,
        warnings: Vec::new(),
    };
    Ok(Fetched { bundle, origin })
}

/// Requires the version of a source that has only one: the digest of the files.
pub(crate) fn same_version(fetched: Fetched, version: Option<&str>) -> Result<Fetched, SourceError> {
    match version {
        Some(wanted) if wanted != fetched.origin.version => {
            Err(SourceError::new(&fetched.origin.id, SourceFault::OtherVersion(fetched.origin.version)))
        }
        _ => Ok(fetched),
    }
}

/// Describes files that are fetched.
pub(crate) fn described(fetched: &Fetched) -> Description {
    let (heading, origin) = (fetched.bundle.heading(), &fetched.origin);
    Description {
        id: origin.id.clone(),
        name: line(&heading.name, 100),
        description: line(&heading.description, 1_024),
        source: origin.source,
        trust: origin.trust,
        version: origin.version.clone(),
        url: origin.url.clone(),
        files: fetched.bundle.files().iter().map(|file| (file.path.clone(), file.bytes.len() as u64)).collect(),
        contains: Vec::new(),
        warnings: origin.warnings.clone(),
    }
}

impl Source for Folder {
    fn kind(&self) -> SourceKind {
        SourceKind::Folder
    }

    fn search(&self, _: &str, _: usize) -> Result<Vec<Hit>, SourceError> {
        Ok(Vec::new())
    }

    fn inspect(&self, id: &Identifier) -> Result<Description, SourceError> {
        self.fetch(id, None).map(|fetched| described(&fetched))
    }

    fn fetch(&self, id: &Identifier, version: Option<&str>) -> Result<Fetched, SourceError> {
        let Identifier::Folder(folder) = id else { return Err(not_of(self.kind(), id)) };
        same_version(fetched(id, folder, &self.limits)?, version)
    }
}
