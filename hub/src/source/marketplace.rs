//! Skills of the plugins in a Claude marketplace: `.claude-plugin/marketplace.json` in a repository or a folder.
//!
//! Only skills are taken. The commands, hooks and servers of a plugin are not installed.

use std::fs;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use serde::Deserialize;

use super::folder::{described, fetched, same_version};
use super::github::Snapshot;
use super::{Description, Fetched, GitHub, Hit, Origin, Source, SourceKind, join_names, not_of, rank};
use crate::bundle::{Limits, SKILL_FILE, check_name, join, relative};
use crate::fault::{SourceError, SourceFault};
use crate::identifier::{Identifier, MarketPlace, Repository};
use crate::trust::Trust;
use crate::web::line;

/// The file that makes a repository a marketplace.
const MANIFEST: &str = ".claude-plugin/marketplace.json";
/// The maximum size of that file in a folder, in bytes.
const MAX_MANIFEST: u64 = 4 << 20;

/// Skills of the plugins in Claude marketplaces.
#[derive(Debug)]
pub struct Marketplace {
    github: Arc<GitHub>,
    /// The marketplaces that are searched.
    taps: RwLock<Vec<Repository>>,
    limits: Limits,
}

#[derive(Deserialize)]
struct Manifest {
    plugins: Vec<Plugin>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    /// The folder from which relative sources start.
    plugin_root: Option<String>,
}

#[derive(Deserialize)]
struct Plugin {
    name: String,
    #[serde(default)]
    description: String,
    source: PluginSource,
    /// The folders of its skills, or of several of them.
    skills: Option<OneOrMore>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PluginSource {
    /// A folder of the marketplace.
    Folder(String),
    Elsewhere(Elsewhere),
}

/// A plugin in another repository.
#[derive(Deserialize)]
struct Elsewhere {
    source: String,
    repo: Option<String>,
    url: Option<String>,
    path: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    sha: Option<String>,
}

/// The files among which a plugin is.
enum Files {
    Repository(Repository, Arc<Snapshot>),
    Folder(std::path::PathBuf),
}

impl Files {
    fn is_skill(&self, folder: &str) -> bool {
        match self {
            Self::Repository(_, snapshot) => snapshot.is_skill(folder),
            Self::Folder(root) => join(root, &join_names(folder, SKILL_FILE)).is_file(),
        }
    }

    /// Returns the folders of skills directly below a folder.
    fn skills_in(&self, folder: &str) -> Vec<String> {
        match self {
            Self::Repository(_, snapshot) => {
                let inside =
                    |path: &&str| relative(path, folder).is_some_and(|rest| !rest.is_empty() && !rest.contains('/'));
                snapshot.skills().into_iter().filter(inside).map(str::to_owned).collect()
            }
            Self::Folder(root) => {
                let entries = fs::read_dir(join(root, folder)).into_iter().flatten().flatten();
                let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
                let mut found: Vec<String> =
                    names.map(|name| join_names(folder, &name)).filter(|path| self.is_skill(path)).collect();
                found.sort();
                found
            }
        }
    }
}

/// A plugin whose skills are found.
struct Opened {
    description: String,
    files: Files,
    /// The folders of its skills.
    skills: Vec<String>,
    /// Whether its files are in the marketplace itself.
    is_inside: bool,
}

impl Marketplace {
    pub(crate) fn new(github: Arc<GitHub>, limits: Limits) -> Self {
        Self { github, taps: RwLock::default(), limits }
    }

    /// Sets the marketplaces that are searched.
    pub(crate) fn set_taps(&self, taps: Vec<Repository>) {
        *self.taps.write().unwrap_or_else(PoisonError::into_inner) = taps;
    }

    fn files(&self, place: &MarketPlace, version: Option<&str>) -> Result<Files, SourceError> {
        match place {
            MarketPlace::Repository(repository, reference) => {
                let snapshot = self.github.snapshot(repository, version.or(reference.as_deref()), "")?;
                Ok(Files::Repository(repository.clone(), snapshot))
            }
            MarketPlace::Folder(folder) => {
                Ok(Files::Folder(std::path::absolute(folder).unwrap_or_else(|_| folder.clone())))
            }
        }
    }

    fn manifest(&self, files: &Files) -> Result<Manifest, SourceError> {
        let (subject, text) = match files {
            Files::Repository(repository, snapshot) => {
                (format!("{repository}/{MANIFEST}"), self.github.text(repository, snapshot, MANIFEST)?)
            }
            Files::Folder(folder) => {
                let path = join(folder, MANIFEST);
                (path.display().to_string(), read_manifest(&path)?)
            }
        };
        let missing = || SourceError::new(&subject, SourceFault::NotFound("it is not a marketplace".to_owned()));
        serde_json::from_str(&text.ok_or_else(missing)?).map_err(|error| SourceError::broken(&subject, error))
    }

    /// Finds a plugin and its skills. `version` is a commit of the repository with its files.
    fn open(&self, id: &Identifier, version: Option<&str>) -> Result<Opened, SourceError> {
        let Identifier::Market { place, plugin, .. } = id else { return Err(not_of(SourceKind::Marketplace, id)) };
        let opened = self.open_at(id, place, plugin, None, version)?;
        // The list of the plugin's skills is as old as its files.
        if opened.is_inside && version.is_some() { self.open_at(id, place, plugin, version, None) } else { Ok(opened) }
    }

    fn open_at(
        &self,
        id: &Identifier,
        place: &MarketPlace,
        name: &str,
        market_version: Option<&str>,
        version: Option<&str>,
    ) -> Result<Opened, SourceError> {
        let files = self.files(place, market_version.filter(|_| matches!(place, MarketPlace::Repository(..))))?;
        let manifest = self.manifest(&files)?;
        let missing = || SourceError::new(id, SourceFault::NotFound(format!("the marketplace has no plugin {name:?}")));
        let plugin = manifest.plugins.into_iter().find(|plugin| plugin.name == name).ok_or_else(missing)?;
        let wrong = |reason: String| SourceError::broken(id, reason);
        let (files, base, is_inside) = match &plugin.source {
            PluginSource::Folder(folder) => {
                let root = manifest.metadata.plugin_root.as_deref().unwrap_or_default();
                (files, joined(&normal(root).map_err(wrong)?, folder).map_err(wrong)?, true)
            }
            PluginSource::Elsewhere(elsewhere) => {
                let (repository, reference, path) = elsewhere.repository(id)?;
                let snapshot = self.github.snapshot(&repository, version.or(reference.as_deref()), &path)?;
                (Files::Repository(repository, snapshot), path, false)
            }
        };
        let skills = plugin.skill_folders(&files, &base).map_err(wrong)?;
        Ok(Opened { description: line(&plugin.description, 1_024), files, skills, is_inside })
    }

    /// Returns the skill that an identifier names.
    fn chosen<'o>(id: &Identifier, opened: &'o Opened) -> Result<&'o str, SourceError> {
        let Identifier::Market { skill, .. } = id else { return Err(not_of(SourceKind::Marketplace, id)) };
        let is_meant = |folder: &&String| skill.as_ref().is_none_or(|name| last(folder) == name);
        let found: Vec<&String> = opened.skills.iter().filter(is_meant).collect();
        match found[..] {
            [] => Err(SourceError::new(id, SourceFault::NotFound("the plugin has no such skill".to_owned()))),
            [folder] => Ok(folder),
            _ => Err(SourceError::new(id, SourceFault::Several(with_skills(id, &opened.skills)))),
        }
    }
}

impl Plugin {
    fn skill_folders(&self, files: &Files, base: &str) -> Result<Vec<String>, String> {
        let named: Vec<&String> = match &self.skills {
            None => {
                let mut found = files.skills_in(&join_names(base, "skills"));
                if found.is_empty() && files.is_skill(base) {
                    found.push(base.to_owned());
                }
                return Ok(found);
            }
            Some(OneOrMore::One(path)) => vec![path],
            Some(OneOrMore::More(paths)) => paths.iter().collect(),
        };
        let mut found = Vec::new();
        for path in named {
            let folder = joined(base, path)?;
            if files.is_skill(&folder) {
                found.push(folder);
            } else {
                found.extend(files.skills_in(&folder));
            }
        }
        Ok(found)
    }
}

impl Elsewhere {
    /// Returns the repository of GitHub with the plugin, a reference, and the path of its folder.
    fn repository(&self, id: &Identifier) -> Result<(Repository, Option<String>, String), SourceError> {
        let unsupported = || {
            let text = format!(
                "the plugin is from the source `{}`, and only folders and GitHub are supported",
                line(&self.source, 50)
            );
            SourceError::new(id, SourceFault::Unsupported(text))
        };
        let address = match (self.source.as_str(), &self.repo, &self.url) {
            ("github", Some(repository), _) => format!("github:{repository}"),
            ("url" | "git" | "git-subdir", _, Some(url)) => url.clone(),
            _ => return Err(unsupported()),
        };
        let Ok(Identifier::GitHub { repository, path, reference: None }) = address.parse() else {
            return Err(unsupported());
        };
        if !path.is_empty() {
            return Err(unsupported());
        }
        let reference = self.sha.clone().or_else(|| self.reference.clone());
        // Reading the identifier checks the reference, which becomes a part of an address.
        let checked = reference.as_ref().map(|name| format!("github:{repository}@{name}").parse::<Identifier>());
        if let Some(Err(error)) = checked {
            return Err(SourceError::new(id, SourceFault::Identifier(error)));
        }
        let path =
            normal(self.path.as_deref().unwrap_or_default()).map_err(|reason| SourceError::broken(id, reason))?;
        Ok((repository, reference, path))
    }
}

fn read_manifest(path: &Path) -> Result<Option<String>, SourceError> {
    let failed = |reason: String| SourceError::broken(path.display(), reason);
    match fs::metadata(path) {
        Err(_) => Ok(None),
        Ok(meta) if !meta.is_file() || meta.len() > MAX_MANIFEST => {
            Err(failed(format!("it is not a file of at most {MAX_MANIFEST} bytes")))
        }
        Ok(_) => fs::read_to_string(path).map(Some).map_err(|error| failed(error.to_string())),
    }
}

/// Returns a relative path in its shortest form. It cannot leave the marketplace.
fn normal(path: &str) -> Result<String, String> {
    let names: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    let wrong = path.starts_with('/').then(|| "it is absolute".to_owned());
    let wrong = wrong.or_else(|| names.iter().find_map(|name| check_name(name).err().map(|fault| fault.to_string())));
    wrong.map_or_else(|| Ok(names.join("/")), |reason| Err(format!("the path {path:?} is wrong: {reason}")))
}

fn joined(base: &str, path: &str) -> Result<String, String> {
    normal(path).map(|path| if path.is_empty() { base.to_owned() } else { join_names(base, &path) })
}

fn last(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or_default()
}

/// Returns an identifier for each skill of a plugin.
fn with_skills(id: &Identifier, folders: &[String]) -> Vec<Identifier> {
    let Identifier::Market { place, plugin, .. } = id else { return Vec::new() };
    let named = |folder: &String| Identifier::Market {
        place: place.clone(),
        plugin: plugin.clone(),
        skill: Some(last(folder).to_owned()).filter(|name| !name.is_empty()),
    };
    folders.iter().map(named).collect()
}

impl Source for Marketplace {
    fn kind(&self) -> SourceKind {
        SourceKind::Marketplace
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, SourceError> {
        let mut hits = Vec::new();
        let taps = self.taps.read().unwrap_or_else(PoisonError::into_inner).clone();
        for repository in &taps {
            let place = MarketPlace::Repository(repository.clone(), None);
            let manifest = self.manifest(&self.files(&place, None)?)?;
            hits.extend(manifest.plugins.into_iter().filter_map(|plugin| {
                let rank = rank(query, &plugin.name, &plugin.description)?;
                let id = format!("market:{repository}/{}", plugin.name).parse().ok()?;
                let hit = Hit {
                    id,
                    name: line(&plugin.name, 100),
                    description: line(&plugin.description, 1_024),
                    source: SourceKind::Marketplace,
                    // The files may be in another repository.
                    trust: Trust::Community,
                    group: None,
                    installs: None,
                };
                Some((rank, hit))
            }));
        }
        hits.sort_by_key(|(rank, _)| *rank);
        Ok(hits.into_iter().take(limit).map(|(_, hit)| hit).collect())
    }

    fn inspect(&self, id: &Identifier) -> Result<Description, SourceError> {
        let opened = self.open(id, None)?;
        let several = Self::chosen(id, &opened);
        let mut description = match (&opened.files, several) {
            (Files::Repository(repository, snapshot), Ok(folder)) => {
                self.github.describe(id.clone(), repository, snapshot, folder)?
            }
            (Files::Folder(_), Ok(_)) => described(&self.fetch(id, None)?),
            (files, Err(SourceError { fault: SourceFault::Several(contains), .. })) => Description {
                id: id.clone(),
                name: id.to_string(),
                description: opened.description.clone(),
                source: SourceKind::Marketplace,
                trust: match files {
                    Files::Repository(repository, snapshot) => self.github.trust(repository, snapshot),
                    Files::Folder(_) => Trust::Community,
                },
                version: String::new(),
                url: String::new(),
                files: Vec::new(),
                contains,
                warnings: Vec::new(),
            },
            (_, Err(error)) => return Err(error),
        };
        description.source = SourceKind::Marketplace;
        Ok(description)
    }

    fn fetch(&self, id: &Identifier, version: Option<&str>) -> Result<Fetched, SourceError> {
        let in_folder = matches!(id, Identifier::Market { place: MarketPlace::Folder(_), .. });
        let opened = self.open(id, version.filter(|_| !in_folder))?;
        let folder = Self::chosen(id, &opened)?;
        let id = with_skills(id, &[folder.to_owned()]).pop().unwrap_or_else(|| id.clone());
        let found = match &opened.files {
            Files::Repository(repository, snapshot) => self.github.fetched(id, repository, snapshot, folder)?,
            Files::Folder(root) => {
                let found = fetched(&id, &join(root, folder), &self.limits)?;
                let origin = Origin { id, path: folder.to_owned(), ..found.origin };
                same_version(Fetched { origin, ..found }, version)?
            }
        };
        Ok(Fetched { origin: Origin { source: SourceKind::Marketplace, ..found.origin }, ..found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_a_plugin_stays_in_the_marketplace() {
        for (base, path, expected) in [
            ("", "./", Ok("")),
            ("", "./skills/a", Ok("skills/a")),
            ("plugins", "./a/", Ok("plugins/a")),
            ("plugins", ".", Ok("plugins")),
            ("plugins", "../a", Err(())),
            ("", "/etc", Err(())),
            ("", "a/../../b", Err(())),
            ("", "a\\b", Err(())),
        ] {
            let found = joined(base, path);
            assert_eq!(found.as_deref().map_err(|_| ()), expected, "{base} {path}");
        }
    }
}
