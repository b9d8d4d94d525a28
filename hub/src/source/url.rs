//! A `SKILL.md`, or an archive, at an address.

use ::url::Url;

use super::folder::{described, same_version};
use super::{Description, Fetched, Hit, Origin, Source, SourceKind, not_of};
use crate::bundle::{Bundle, BundleError, BundleFile, Limits, SKILL_FILE, skill_folders, unpack};
use crate::fault::SourceError;
use crate::identifier::Identifier;
use crate::trust::Trust;
use crate::web::{Web, shown};

/// A `SKILL.md`, or an archive, at an address.
#[derive(Debug)]
pub struct UrlSource {
    web: Web,
    limits: Limits,
}

impl UrlSource {
    pub(crate) fn new(web: Web, limits: Limits) -> Self {
        Self { web, limits }
    }
}

/// Takes the skill out of an archive: that in a folder, or the only one. Returns its folder, too.
pub(crate) fn from_archive(
    archive: &[u8],
    folder: Option<&str>,
    limits: &Limits,
) -> Result<(String, Bundle), BundleError> {
    let files = unpack(archive, &limits.for_archives())?;
    let folder = match folder {
        Some(folder) => folder.to_owned(),
        None => match skill_folders(files.iter().map(|file| file.path.as_str()))[..] {
            // The error of the root names a file with a similar name.
            [] => String::new(),
            [folder] => folder.to_owned(),
            ref folders => return Err(BundleError::SeveralSkills(folders.iter().map(ToString::to_string).collect())),
        },
    };
    Bundle::from_folder(files, &folder, limits).map(|bundle| (folder, bundle))
}

/// Reads the file at an address: an archive, or the text of a skill.
fn read(url: &Url, bytes: Vec<u8>, folder: Option<&str>, limits: &Limits) -> Result<(String, Bundle), SourceError> {
    if bytes.starts_with(b"PK") || bytes.starts_with(&[0x1f, 0x8b]) {
        return from_archive(&bytes, folder, limits).map_err(SourceError::bundle(shown(url)));
    }
    let beginning = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    if !beginning.starts_with(b"---") {
        let reason = "it is neither an archive nor a SKILL.md, which begins with `---`";
        return Err(SourceError::broken(shown(url), reason));
    }
    let file = BundleFile { path: SKILL_FILE.to_owned(), bytes, is_executable: false };
    let bundle = Bundle::new(vec![file], limits).map_err(SourceError::bundle(shown(url)))?;
    Ok((String::new(), bundle))
}

impl Source for UrlSource {
    fn kind(&self) -> SourceKind {
        SourceKind::Url
    }

    fn search(&self, _: &str, _: usize) -> Result<Vec<Hit>, SourceError> {
        Ok(Vec::new())
    }

    fn inspect(&self, id: &Identifier) -> Result<Description, SourceError> {
        self.fetch(id, None).map(|fetched| described(&fetched))
    }

    fn fetch(&self, id: &Identifier, version: Option<&str>) -> Result<Fetched, SourceError> {
        let Identifier::Url { url, folder } = id else { return Err(not_of(self.kind(), id)) };
        let answer = self.web.get(url, Vec::new())?;
        let (path, bundle) = read(url, answer.body, folder.as_deref(), &self.limits)?;
        let origin = Origin {
            source: self.kind(),
            id: id.clone(),
            url: answer.target.url().to_string(),
            path,
            version: bundle.digest().to_string(),
            tree: None,
            trust: Trust::Community,
            is_converted: false,
            warnings: Vec::new(),
        };
        same_version(Fetched { bundle, origin }, version)
    }
}
