//! What changes of skills would do to the files, without doing it.

use toolc::{ErrorKind, ToolError};
use toolc_redact::Redactor;
use toolc_skill::{Note, Reading, Severity, Strictness};

use super::operation::Operation;
use crate::error::SkillError;
use crate::root::{Content, FileChange, MAX_FILE, Overlay, Root};
use crate::skills::Owned;

/// The file with the instructions of a skill.
pub(crate) const MAIN: &str = "SKILL.md";
/// The folders in which supporting files can be.
const FOLDERS: [&str; 4] = ["references", "templates", "scripts", "assets"];
/// The maximum number of characters of SKILL.md.
const MAX_MAIN: usize = 100_000;
/// How much of a file an error shows, in characters.
const PREVIEW: usize = 500;
/// The maximum length of a path in a skill, in bytes, and the maximum number of its names.
const MAX_PATH: usize = 512;
const MAX_NAMES: usize = 8;

/// The changes of files that operations make.
#[derive(Debug)]
pub(crate) struct Plan {
    /// What each operation does: its action, its skill, and the path of its file in the folder of the skills.
    pub(crate) steps: Vec<Step>,
    pub(crate) changes: Vec<FileChange>,
    /// What is odd about the skills afterwards, for the model.
    pub(crate) warnings: Vec<String>,
}

/// What an operation does.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) action: &'static str,
    pub(crate) name: String,
    /// The folder of the skill, and the file or folder that changes, in the folder of the skills.
    pub(crate) folder: String,
    pub(crate) path: String,
    /// The difference, or nothing for a new file: the model has just written it.
    pub(crate) diff: String,
}

/// Makes a plan, one operation after the other.
pub(crate) struct Planner<'p> {
    /// The skills that the model may write, by name.
    owned: &'p Owned,
    files: Overlay<'p>,
    /// The folders of skills that the plan creates.
    created: Vec<(String, String)>,
    secrets: &'p Redactor,
    plan: Plan,
}

impl<'p> Planner<'p> {
    pub(crate) fn new(root: &'p Root, owned: &'p Owned, secrets: &'p Redactor) -> Self {
        let plan = Plan { steps: Vec::new(), changes: Vec::new(), warnings: Vec::new() };
        Self { owned, files: Overlay::new(root), created: Vec::new(), secrets, plan }
    }

    /// Returns the plan of operations, which build on each other.
    ///
    /// # Errors
    /// If one cannot be done. The error names it.
    pub(crate) fn plan(mut self, operations: &[Operation]) -> Result<Plan, ToolError> {
        for (number, operation) in (1..).zip(operations) {
            self.step(operation).map_err(|error| match operations.len() {
                1 => error,
                count => ToolError::with_kind(
                    error.kind(),
                    format!("operation {number} of {count}: {} No operation was done.", error.message()),
                ),
            })?;
        }
        self.plan.changes = self.files.changes();
        Ok(self.plan)
    }

    fn step(&mut self, operation: &Operation) -> Result<(), ToolError> {
        let name = operation.name();
        match operation {
            Operation::Create { category, content, .. } => self.create(name, category.as_deref(), content),
            Operation::Edit { content, .. } => {
                let path = format!("{}/{MAIN}", self.folder(name)?);
                self.write(operation, &path, content)
            }
            Operation::Patch { path, old, new, all, .. } => {
                let folder = self.folder(name)?;
                let path = match path.as_deref() {
                    None => format!("{folder}/{MAIN}"),
                    Some(path) if path.trim_start_matches("./") == MAIN => format!("{folder}/{MAIN}"),
                    Some(path) => format!("{folder}/{}", supporting(path)?),
                };
                let text = self.text(&path)?;
                let text = toolc_files::replace_text(&text, old, new, *all, &path)
                    .map_err(|error| with_preview(error, &text))?;
                self.write(operation, &path, &text)
            }
            Operation::Delete { absorbed_into, .. } => self.delete(name, absorbed_into.as_deref()),
            Operation::WriteFile { path, content, .. } => {
                let path = format!("{}/{}", self.folder(name)?, supporting(path)?);
                self.write(operation, &path, content)
            }
            Operation::RemoveFile { path, .. } => {
                let path = format!("{}/{}", self.folder(name)?, supporting(path)?);
                if self.read(&path)?.is_none() {
                    return Err(ToolError::new(format!(
                        "the file `{path}` does not exist: there is nothing to remove."
                    )));
                }
                self.set(operation, &path, None)
            }
        }
    }

    fn create(&mut self, name: &str, category: Option<&str>, content: &str) -> Result<(), ToolError> {
        check_name("name", name)?;
        category.map_or(Ok(()), |category| check_name("category", category))?;
        if let Some(place) = self.owned.place(name).or_else(|| self.created_folder(name)) {
            return Err(ToolError::new(format!(
                "the skill `{name}` exists, in `{place}`: patch or edit it, or choose another name."
            )));
        }
        let folder = category.map_or_else(|| name.to_owned(), |category| format!("{category}/{name}"));
        // A folder that cannot be read as a skill is not overwritten, either.
        if !self.files.list(&folder).map_err(|error| SkillError::file("read", &folder, error))?.is_empty() {
            return Err(ToolError::new(format!(
                "the folder `{folder}` of the skills is not empty: choose another name."
            )));
        }
        self.created.push((name.to_owned(), folder.clone()));
        let operation = Operation::Create { name: name.to_owned(), category: None, content: String::new() };
        self.write(&operation, &format!("{folder}/{MAIN}"), content)
    }

    fn delete(&mut self, name: &str, absorbed_into: Option<&str>) -> Result<(), ToolError> {
        let folder = self.folder(name)?;
        if let Some(other) = absorbed_into.filter(|other| *other == name || self.folder(other).is_err()) {
            return Err(ToolError::new(format!(
                "`absorbed_into` names `{other}`, which is not another skill: create it first, or leave it out."
            )));
        }
        let read = |error| SkillError::file("read", &folder, error);
        for path in self.files.list(&folder).map_err(read)? {
            self.files.set(&path, None).map_err(|error| SkillError::file("read", &path, error))?;
        }
        self.created.retain(|(created, _)| created != name);
        self.plan.steps.push(Step {
            action: "delete",
            name: name.to_owned(),
            folder: folder.clone(),
            path: folder,
            diff: String::new(),
        });
        Ok(())
    }

    /// Plans a text for a file, if it is allowed there.
    fn write(&mut self, operation: &Operation, path: &str, text: &str) -> Result<(), ToolError> {
        if self.secrets.kept_text(text) != *text {
            return Err(ToolError::with_kind(
                ErrorKind::Refused,
                format!(
                    "`{path}` would contain a secret, such as a key or a value of `.env`, which every later conversation could read: \
                     write down where the secret is, such as the name of its variable."
                ),
            ));
        }
        if path.ends_with(&format!("/{MAIN}")) {
            self.check_main(operation.name(), path, text)?;
        } else if text.len() > MAX_FILE {
            return Err(ToolError::new(format!("`{path}` would be larger than {} KiB.", MAX_FILE >> 10)));
        }
        let is_program = self.read(path)?.is_some_and(|content| content.is_executable) || text.starts_with("#!");
        self.set(operation, path, Some(Content { bytes: text.as_bytes().to_vec(), is_executable: is_program }))
    }

    /// Fails if a text cannot be a SKILL.md of this skill.
    fn check_main(&mut self, name: &str, path: &str, text: &str) -> Result<(), ToolError> {
        let chars = text.chars().count();
        if chars > MAX_MAIN {
            return Err(ToolError::new(format!(
                "`{path}` would have {chars} characters, and at most {MAX_MAIN} are allowed: move details to files in references/."
            )));
        }
        let describe = |note: &Note| format!("line {}: {}", note.line, note.message);
        let reading = toolc_skill::read(text.as_bytes(), Some(name), Strictness::Use).map_err(|unreadable| {
            let notes: Vec<String> = unreadable.notes.iter().map(describe).collect();
            ToolError::new(format!(
                "`{path}` would not be a skill: {}. It begins with `---`, then `name: {name}`, `description: ...`, then `---`.",
                notes.join("; ")
            ))
        })?;
        let Reading { front_matter, notes, .. } = &reading;
        if front_matter.name != name {
            return Err(ToolError::new(format!(
                "the front matter of `{path}` has the name `{}`, and the skill is `{name}`: make them equal.",
                front_matter.name
            )));
        }
        if reading.body().trim().is_empty() {
            return Err(ToolError::new(format!("`{path}` would have no instructions after its front matter.")));
        }
        let odd = notes.iter().filter(|note| note.severity != Severity::Hint);
        self.plan.warnings.extend(odd.map(|note| format!("{path}: {}", describe(note))));
        Ok(())
    }

    fn set(&mut self, operation: &Operation, path: &str, content: Option<Content>) -> Result<(), ToolError> {
        let text = |content: &Option<Content>| {
            content.as_ref().map(|content| String::from_utf8_lossy(&content.bytes).into_owned())
        };
        let (before, after) = (text(&self.read(path)?), text(&content));
        if before.is_some() && before == after {
            return Err(ToolError::new(format!("this would not change `{path}`.")));
        }
        let is_new = matches!(operation, Operation::Create { .. } | Operation::WriteFile { .. }) && before.is_none();
        let diff =
            if is_new { String::new() } else { toolc_files::text_diff(path, before.as_deref(), after.as_deref()) };
        self.files.set(path, content).map_err(|error| SkillError::file("read", path, error))?;
        let name = operation.name();
        let (folder, path) = (self.folder(name)?, path.to_owned());
        self.plan.steps.push(Step { action: operation.word(), name: name.to_owned(), folder, path, diff });
        Ok(())
    }

    fn read(&mut self, path: &str) -> Result<Option<Content>, ToolError> {
        Ok(self.files.read(path).map_err(|error| SkillError::file("read", path, error))?.cloned())
    }

    fn text(&mut self, path: &str) -> Result<String, ToolError> {
        let content = self.read(path)?.ok_or_else(|| ToolError::new(format!("the file `{path}` does not exist.")))?;
        String::from_utf8(content.bytes).map_err(|_| ToolError::new(format!("the file `{path}` is not UTF-8 text.")))
    }

    /// Returns the folder of a skill that may be written.
    fn folder(&self, name: &str) -> Result<String, ToolError> {
        self.created_folder(name).or_else(|| self.owned.folder(name)).ok_or_else(|| self.owned.unknown(name))
    }

    fn created_folder(&self, name: &str) -> Option<String> {
        self.created.iter().find(|(created, _)| created == name).map(|(_, folder)| folder.clone())
    }
}

/// Adds the beginning of a file to an error about a text that is not in it.
fn with_preview(error: ToolError, text: &str) -> ToolError {
    if error.kind() != ErrorKind::NotFound {
        return error;
    }
    let preview = toolc::text::beginning(text, PREVIEW);
    ToolError::with_kind(ErrorKind::NotFound, format!("{} The file begins:\n{preview}", error.message()))
}

/// Fails unless a text can be the name of a folder of a skill: `[a-z0-9._-]`, at most 64 characters.
fn check_name(parameter: &str, name: &str) -> Result<(), ToolError> {
    // Windows drops dots at the end, and dots at the beginning hide a folder.
    let is_odd = name.starts_with('.') || name.ends_with('.');
    if !toolc_skill::is_readable_name(name) || is_odd || FOLDERS.contains(&name) {
        return Err(ToolError::new(format!(
            "the {parameter} `{}` is not allowed: expected at most 64 of a-z, 0-9, `-`, `_` and `.`, beginning and ending with a letter or a \
             digit.",
            name.escape_debug()
        )));
    }
    Ok(())
}

/// Returns the path of a supporting file in its skill.
///
/// # Errors
/// If it is not below one of the folders for such files.
fn supporting(path: &str) -> Result<&str, ToolError> {
    let relative = path.strip_prefix("./").unwrap_or(path);
    let mut names = relative.split('/');
    let is_name = |name: &str| {
        !matches!(name, "" | "." | "..") && !name.contains(['\\', ':']) && !name.contains(char::is_control)
    };
    let is_known = names.next().is_some_and(|folder| FOLDERS.contains(&folder));
    let count = relative.split('/').count();
    if is_known && (2..=MAX_NAMES).contains(&count) && names.all(is_name) && relative.len() <= MAX_PATH {
        return Ok(relative);
    }
    Err(ToolError::new(format!(
        "the path `{}` is not allowed: a supporting file is below references/, templates/, scripts/ or assets/ of its skill, without `..`.",
        path.escape_debug()
    )))
}
