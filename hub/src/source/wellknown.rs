//! Skills that a site lists in `/.well-known/skills/index.json`.

use serde::Deserialize;
use url::Url;

use super::folder::{described, same_version};
use super::{Description, Fetched, Hit, Origin, Source, SourceKind, not_of};
use crate::bundle::{Bundle, BundleError, BundleFile, Limits, check_name};
use crate::fault::{SourceError, SourceFault};
use crate::identifier::Identifier;
use crate::trust::Trust;
use crate::web::{Web, join, line, shown};

/// Skills that a site lists.
#[derive(Debug)]
pub struct WellKnown {
    web: Web,
    limits: Limits,
}

#[derive(Deserialize)]
struct Index {
    skills: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    files: Vec<String>,
}

impl WellKnown {
    pub(crate) fn new(web: Web, limits: Limits) -> Self {
        Self { web, limits }
    }

    /// Returns the skill that an identifier names, and its address.
    fn entry(&self, id: &Identifier) -> Result<(Entry, Url), SourceError> {
        let Identifier::WellKnown { url } = id else { return Err(not_of(self.kind(), id)) };
        let (folder, name) = url.path().rsplit_once('/').unwrap_or_default();
        let mut index = url.clone();
        index.set_path(&format!("{folder}/index.json"));
        let found: Index = self.web.json(&index, Vec::new())?;
        let entry = found.skills.into_iter().find(|entry| entry.name == name && check_name(name).is_ok());
        let missing = || SourceError::new(id, SourceFault::NotFound(format!("{} does not list it", shown(&index))));
        Ok((entry.ok_or_else(missing)?, url.clone()))
    }
}

impl Source for WellKnown {
    fn kind(&self) -> SourceKind {
        SourceKind::WellKnown
    }

    /// Finds nothing: each site has a list of its own.
    fn search(&self, _: &str, _: usize) -> Result<Vec<Hit>, SourceError> {
        Ok(Vec::new())
    }

    fn inspect(&self, id: &Identifier) -> Result<Description, SourceError> {
        let fetched = self.fetch(id, None)?;
        let mut description = described(&fetched);
        if description.description.is_empty() {
            description.description = line(&self.entry(id)?.0.description, 1_024);
        }
        Ok(description)
    }

    fn fetch(&self, id: &Identifier, version: Option<&str>) -> Result<Fetched, SourceError> {
        let (entry, url) = self.entry(id)?;
        if entry.files.len() > self.limits.files {
            return Err(SourceError::bundle(id)(BundleError::TooManyFiles(self.limits.files)));
        }
        // A path with `..` would be another address.
        let wrong = entry.files.iter().find_map(|path| {
            let fault = path.split('/').find_map(|name| check_name(name).err())?;
            Some(BundleError::Path(path.escape_debug().to_string(), fault))
        });
        if let Some(error) = wrong {
            return Err(SourceError::bundle(id)(error));
        }
        let urls: Vec<Url> = entry.files.iter().map(|path| join(&url, path.split('/'))).collect();
        let answers = self.web.get_all(&urls, &Vec::new())?;
        let files = entry.files.into_iter().zip(answers).map(|(path, answer)| BundleFile {
            path,
            bytes: answer.body,
            is_executable: false,
        });
        let bundle = Bundle::new(files.collect(), &self.limits).map_err(SourceError::bundle(id))?;
        let origin = Origin {
            source: self.kind(),
            id: id.clone(),
            url: url.to_string(),
            path: String::new(),
            version: bundle.digest().to_string(),
            tree: None,
            trust: Trust::Community,
            is_converted: false,
            warnings: Vec::new(),
        };
        same_version(Fetched { bundle, origin }, version)
    }
}
