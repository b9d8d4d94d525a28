//! Serves skills, as the extension `io.modelcontextprotocol/skills` says: their entries with `skills/list` and `skills/get`, their files with
//! `resources/read`, and their folders with `resources/directory/read`.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, DIRECTORY_MIME_TYPE, GetSkillResult, ListResourcesResult, ListSkillsResult, ReadResourceResult,
    Resource, ResourceContents, SKILL_MD, Skill, SkillFrontmatter, SkillResource, SkillResources,
};
use serde_json::{Map, Value, json};

use super::cursor::Pages;
use crate::error::{ErrorKind, McpError};
use crate::skill::{MAX_BYTES, encoded_path, paths, uri};

/// What the addresses of skills begin with.
const SCHEME: &str = "skill://";
/// The media type of a `SKILL.md`.
const MARKDOWN: &str = "text/markdown";
/// The number of skills on a page.
const PAGE: usize = 100;
/// The number of files of all skills on a page, unless its first skill has more. An entry takes about 200 bytes for each.
const PAGE_FILES: usize = 5_000;
/// The number of resources on a page.
const PAGE_RESOURCES: usize = 250;

/// The skills that a server serves. All clients get the same ones. The files are served as they are, so they must not contain secrets.
///
/// Both functions run on threads for blocking work, for each request: a shelf with many files keeps its list.
pub trait SkillShelf: Send + Sync + 'static {
    /// Returns the skills, in the order in which they are listed. If several have the same path, the first is served.
    ///
    /// # Errors
    /// Returns an error if they cannot be read. The client gets its text.
    fn skills(&self) -> io::Result<Arc<[ServedSkill]>>;

    /// Returns the bytes of a file that [`skills`](Self::skills) lists: the file `path` of the skill at `skill`. Clients refuse bytes with
    /// another size or digest than listed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read. The client gets its text.
    fn read(&self, skill: &str, path: &str) -> io::Result<Vec<u8>>;
}

/// A skill that can be served.
#[derive(Debug, Clone, PartialEq)]
pub struct ServedSkill {
    path: String,
    entry: Skill,
    files: Vec<ServedFile>,
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedFile {
    /// The path relative to the skill, with `/` between its segments.
    pub path: String,
    /// The media type, such as `text/x-python`. A `SKILL.md` is always `text/markdown`.
    pub media_type: String,
    /// The number of bytes.
    pub size: u64,
    /// The SHA-256 digest, as `sha256:` and 64 hexadecimal digits.
    pub digest: String,
}

impl ServedFile {
    /// Returns the file with these bytes.
    pub fn new(path: impl Into<String>, media_type: impl Into<String>, bytes: &[u8]) -> Self {
        let (path, media_type) = (path.into(), media_type.into());
        Self { path, media_type, size: bytes.len() as u64, digest: rmcp::model::sha256_digest(bytes) }
    }
}

impl ServedSkill {
    /// Returns the skill at `path` of the server, such as `notes` or `acme/notes`. The last segment must be the skill's name. `front_matter` is
    /// the front matter of its `SKILL.md` with every field. `files` are all of its files, including `SKILL.md`.
    ///
    /// # Errors
    /// Returns an error if the front matter has no name or no description, if the name or a path is not valid, if `SKILL.md` is missing or a
    /// file is listed twice, or if the skill has more than 512 files or 16 MiB, the limits of the extension.
    pub fn new(
        path: impl Into<String>,
        front_matter: Map<String, Value>,
        files: Vec<ServedFile>,
    ) -> Result<Self, McpError> {
        let path = path.into();
        let invalid = |problem: String| {
            McpError::new(ErrorKind::Settings, format!("the skill `{path}` cannot be served: {problem}"))
        };
        let mut extra = front_matter;
        let mut text = |key: &str| match extra.remove(key) {
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(text),
            _ => Err(invalid(format!("its front matter has no text `{key}`"))),
        };
        let mut front_matter = SkillFrontmatter::new(text("name")?, text("description")?);
        front_matter.extra = extra;
        let resource = |file: &ServedFile| SkillResource::new(uri(&path, &file.path), file.digest.clone(), file.size);
        let resources = SkillResources::Files(files.iter().map(resource).collect());
        let entry = Skill::new(uri(&path, SKILL_MD), front_matter, resources);
        paths(&entry).map_err(invalid)?;
        Ok(Self { path, entry, files })
    }

    /// Returns the path at which the skill is served.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the resource of its `SKILL.md`.
    fn resource(&self) -> Resource {
        let size = self.files.iter().find(|file| file.path == SKILL_MD).map_or(0, |file| file.size);
        Resource::new(self.entry.uri.clone(), self.entry.name())
            .with_description(self.entry.frontmatter.description.clone())
            .with_mime_type(MARKDOWN)
            .with_size(size)
    }

    /// Returns the children of a folder, or `None` if the skill does not have it. `folder` is a path as it is in addresses, empty for
    /// the skill itself.
    fn children(&self, folder: &str) -> Option<Vec<Resource>> {
        let parent = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let depth = parent.matches('/').count();
        let mut children = BTreeMap::new();
        for file in &self.files {
            let encoded = encoded_path(&file.path);
            let Some(rest) = encoded.strip_prefix(&parent) else { continue };
            let name = file.path.split('/').nth(depth).unwrap_or_default();
            let child = match rest.split_once('/') {
                None => Resource::new(uri(&self.path, &file.path), name)
                    .with_mime_type(file.media_type())
                    .with_size(file.size),
                Some((child, _)) => {
                    let folder = format!("{SCHEME}{}/{parent}{child}", encoded_path(&self.path));
                    Resource::new(folder, name).with_mime_type(DIRECTORY_MIME_TYPE)
                }
            };
            children.insert(child.uri.clone(), child);
        }
        (!children.is_empty()).then(|| children.into_values().collect())
    }
}

impl ServedFile {
    fn media_type(&self) -> &str {
        if self.path == SKILL_MD { MARKDOWN } else { &self.media_type }
    }
}

/// A shelf, and the answers to requests about it. Clones share it.
#[derive(Clone)]
pub(super) struct Shelf(Arc<dyn SkillShelf>);

impl fmt::Debug for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelf").finish_non_exhaustive()
    }
}

impl Shelf {
    pub(super) fn new(shelf: impl SkillShelf) -> Self {
        Self(Arc::new(shelf))
    }

    /// Returns whether an address can be one of a file of a skill.
    pub(super) fn has_scheme(uri: &str) -> bool {
        uri.starts_with(SCHEME)
    }

    /// Answers `skills/list`.
    pub(super) async fn list(self, cursor: Option<String>) -> Result<ListSkillsResult, ErrorData> {
        self.answer(move |_, skills| {
            let pages = Pages { len: skills.len(), hash: hash(&skills), items: "skills" };
            let start = pages.start(cursor.as_deref())?;
            let mut files = 0;
            let fits = |skill: &&&ServedSkill| {
                files += skill.files.len();
                files <= PAGE_FILES
            };
            let count = skills[start..].iter().take(PAGE).take_while(fits).count();
            let end = (start + count.max(1)).min(skills.len());
            let mut page =
                ListSkillsResult::with_all_items(skills[start..end].iter().map(|skill| skill.entry.clone()).collect());
            page.next_cursor = pages.next(end);
            Ok(page)
        })
        .await
    }

    /// Answers `skills/get`.
    pub(super) async fn get(self, uri: String) -> Result<GetSkillResult, ErrorData> {
        self.answer(move |_, skills| {
            let skill = skills.iter().find(|skill| skill.entry.uri == uri);
            let skill = skill.ok_or_else(|| unknown(&uri, "no skill has this address: `skills/list` lists all"))?;
            Ok(GetSkillResult::new(skill.entry.clone()))
        })
        .await
    }

    /// Answers `resources/list`: lists the `SKILL.md` of each skill.
    pub(super) async fn resources(self, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
        self.answer(move |_, skills| {
            let pages = Pages { len: skills.len(), hash: hash(&skills), items: "resources" };
            let start = pages.start(cursor.as_deref())?;
            let end = (start + PAGE_RESOURCES).min(skills.len());
            let resources = skills[start..end].iter().map(|skill| skill.resource()).collect();
            let mut page = ListResourcesResult::with_all_items(resources);
            page.next_cursor = pages.next(end);
            Ok(page)
        })
        .await
    }

    /// Answers `resources/directory/read`. All children are on one page.
    pub(super) async fn folder(self, uri: String, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
        self.answer(move |_, skills| {
            if cursor.is_some_and(|cursor| !cursor.is_empty()) {
                return Err(ErrorData::invalid_params("invalid cursor: a folder has one page", None));
            }
            let children = skills.iter().find_map(|skill| {
                let rest = uri.strip_prefix(SCHEME)?.strip_prefix(&encoded_path(&skill.path))?;
                let folder =
                    if rest.is_empty() { Some("") } else { rest.strip_prefix('/').filter(|rest| !rest.is_empty()) };
                skill.children(folder?)
            });
            let children = children.ok_or_else(|| unknown(&uri, "no folder of a skill has this address"))?;
            Ok(ListResourcesResult::with_all_items(children))
        })
        .await
    }

    /// Answers `resources/read` for a file of a skill. Clients keep entries, and no files, because files have no name of their state.
    pub(super) async fn read(self, uri: String) -> Result<ReadResourceResult, ErrorData> {
        self.answer(move |shelf, skills| {
            let missing = |why: &str| ErrorData::resource_not_found(why.to_owned(), Some(json!({ "uri": uri })));
            let file_of = |skill: &'_ ServedSkill| {
                let SkillResources::Files(files) = &skill.entry.resources else { return None };
                files.iter().position(|file| file.uri == uri)
            };
            let found = skills.iter().find_map(|skill| Some((&skill.path, &skill.files[file_of(skill)?])));
            let (skill, file) = found.ok_or_else(|| missing("no file of a skill has this address"))?;
            let bytes = shelf.read(skill, &file.path).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => missing("the file was removed: ask for the skill again"),
                _ => internal("read the file", &error),
            })?;
            if bytes.len() as u64 > MAX_BYTES {
                return Err(internal("read the file", &io::Error::other("it is larger than a skill")));
            }
            let contents = match String::from_utf8(bytes) {
                Ok(text) if !text.contains('\0') => ResourceContents::text(text, &uri),
                Ok(text) => ResourceContents::blob(STANDARD.encode(text), &uri),
                Err(error) => ResourceContents::blob(STANDARD.encode(error.as_bytes()), &uri),
            };
            let contents = contents.with_mime_type(file.media_type());
            Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
        })
        .await
    }

    /// Runs a function with the skills, on a thread for blocking work.
    async fn answer<T: Send + 'static>(
        self,
        answer: impl FnOnce(&dyn SkillShelf, Vec<&ServedSkill>) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let answered = tokio::task::spawn_blocking(move || {
            let skills = self.0.skills().map_err(|error| internal("read the skills", &error))?;
            let mut known = HashSet::new();
            let first = skills.iter().filter(|skill| known.insert(skill.path.as_str())).collect();
            answer(&*self.0, first)
        });
        answered.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?
    }
}

fn internal(what: &str, error: &io::Error) -> ErrorData {
    ErrorData::internal_error(format!("failed to {what}: {error}"), None)
}

fn unknown(uri: &str, why: &str) -> ErrorData {
    ErrorData::invalid_params(why.to_owned(), Some(json!({ "uri": uri })))
}

/// Represents the entries of skills in cursors.
fn hash(skills: &[&ServedSkill]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for skill in skills {
        skill.path.hash(&mut hasher);
        skill.files.iter().for_each(|file| (&file.path, &file.digest).hash(&mut hasher));
    }
    hasher.finish()
}
