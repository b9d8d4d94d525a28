//! The front matter of a SKILL.md: what the skill is called, what it is for, and what it needs.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;

use crate::conditions::{self, Conditions};
use crate::entries::{self, Entry};
use crate::envelope::{self, short};
use crate::key::FORMAT_KEYS;
use crate::mend::{Mender, spaced};
use crate::note::{Code, Note, Notes, Strictness, Unreadable, apply};
use crate::source::{Source, decode};
use crate::value::Value;
use crate::yaml::{Kind, Mark, Node, quoted};

/// The most characters of a name, as in the format.
const MAX_NAME: usize = 64;
/// The most characters of a description, as in the format.
const MAX_DESCRIPTION: usize = 1_024;
/// The most characters of `compatibility`, as in the format.
const MAX_COMPATIBILITY: usize = 500;

/// The front matter of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FrontMatter {
    /// The name: 1 to 64 of a-z, 0-9, `.`, `_` and `-`. The format is stricter; see [`Code::NameFormat`].
    pub name: String,
    /// The name as it is written, for people, if `name` is another one. Names with parts of paths are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_name: Option<String>,
    /// What the skill does and when to use it. It is not empty, and may be longer than the format allows.
    pub description: String,
    /// The license, or the file that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// What the skill needs from its surroundings, in prose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<String>,
    /// Tools that the skill's author wants to be allowed, such as `Bash(git:*)`.
    pub allowed_tools: Vec<String>,
    /// Further keys and values: a mapping, or null.
    pub metadata: Value,
    /// Conditions from `metadata` and from keys that the format does not define.
    pub conditions: Conditions,
    /// The keys that the format does not define, in the order of the file.
    pub unknown: Vec<(String, Value)>,
}

/// A SKILL.md that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The front matter.
    pub front_matter: FrontMatter,
    /// What is wrong with the file, and what was guessed, by line.
    pub notes: Vec<Note>,
    /// The decoded text of the file.
    pub text: String,
    /// The byte of the text where the instructions begin.
    pub body: usize,
}

impl Reading {
    /// Returns the instructions: what follows the front matter.
    pub fn body(&self) -> &str {
        self.text.get(self.body..).unwrap_or_default()
    }

    /// Returns the text of the file with the fixes of all notes applied, so that a strict reader of YAML takes it.
    pub fn fixed(&self) -> String {
        apply(&self.text, &self.notes)
    }
}

/// Reads a SKILL.md from its bytes. `folder` is the name of its folder, if it has one.
///
/// Everything that can be understood is read; notes say what was guessed. At most 1 MiB is read, with a front matter of 64 KiB.
///
/// # Errors
///
/// The file has no front matter, exceeds a bound, is not text, or has no description; or neither the file nor its folder has a name.
pub fn read(bytes: &[u8], folder: Option<&str>, strictness: Strictness) -> Result<Reading, Unreadable> {
    let mut notes = Notes::new(strictness);
    let Some(text) = decode(bytes, &mut notes) else { return Err(notes.unreadable()) };
    let source = Source::new(&text);
    match read_text(&source, folder, &mut notes) {
        Some((front_matter, body)) => {
            Ok(Reading { front_matter, notes: notes.sorted(), body, text: Cow::into_owned(text) })
        }
        None => Err(notes.unreadable()),
    }
}

/// Reads the front matter of a SKILL.md as its fields, in their order: what its author wrote, without what [`read`] makes of it.
///
/// # Errors
///
/// The file has no front matter, exceeds a bound, or is not text.
pub fn fields(bytes: &[u8]) -> Result<Vec<(String, Value)>, Unreadable> {
    let mut notes = Notes::new(Strictness::Use);
    let Some(text) = decode(bytes, &mut notes) else { return Err(notes.unreadable()) };
    let source = Source::new(&text);
    let entries =
        envelope::find(&source, &mut notes).and_then(|envelope| entries::split(&source, envelope.lines, &mut notes));
    let Some(entries) = entries else { return Err(notes.unreadable()) };
    let mut mender = Mender { source: &source, notes: &mut notes };
    let field = |entry: &Entry| {
        let is_text = ["name", "description", "license", "compatibility"].contains(&entry.key.as_str());
        let value = if is_text {
            mender.text(entry, entry.key == "description" || entry.key == "compatibility").map(Value::Text)
        } else {
            mender.tree(entry).map(|node| Value::from_node(&node))
        };
        value.map(|value| (entry.key.clone(), value))
    };
    Ok(entries.iter().filter_map(field).collect())
}

fn read_text(source: &Source<'_>, folder: Option<&str>, notes: &mut Notes) -> Option<(FrontMatter, usize)> {
    let envelope = envelope::find(source, notes)?;
    let mut block = source.range(envelope.lines.clone());
    block.start = block.start.max(source.start(envelope.lines.start)).min(block.end);
    let entries = entries::split(source, envelope.lines, notes)?;
    let mut reader = Reader { source, entries: &entries, notes, block: block.clone() };
    reader.check_yaml();
    let name = reader.name(folder);
    let description = reader.description();
    let license = reader.text("license", false);
    let compatibility = reader.text("compatibility", true);
    reader.check_length("compatibility", compatibility.as_deref(), MAX_COMPATIBILITY, Code::LongCompatibility);
    let allowed_tools = reader.entry("allowed-tools").map(|entry| reader.mender().tools(entry)).unwrap_or_default();
    let metadata = reader.metadata();
    let unknown = reader.unknown();
    let node = |key: &str| match key {
        "metadata" => metadata.as_ref(),
        _ => unknown.iter().find(|(name, _)| name == key).map(|(_, node)| node).filter(|node| !node.is_null()),
    };
    let conditions = conditions::read(node, source, reader.notes);
    let front_matter = FrontMatter {
        written_name: name.as_ref().and_then(|(_, written)| written.clone()),
        name: name?.0,
        description: description?,
        license,
        compatibility,
        allowed_tools,
        metadata: metadata.as_ref().map_or(Value::Null, Value::from_node),
        conditions,
        unknown: unknown.iter().map(|(key, node)| (key.clone(), Value::from_node(node))).collect(),
    };
    Some((front_matter, envelope.body))
}

/// Returns whether a name can be read: `[a-z0-9._-]{1,64}`, and not a path to a parent.
pub fn is_readable_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
    (1..=MAX_NAME).contains(&name.len())
        && name.bytes().all(is_allowed)
        && name.contains(|c: char| c.is_ascii_alphanumeric())
}

/// Returns whether a name follows the format: 1 to 64 of a-z, 0-9 and single inner hyphens.
pub fn is_format_name(name: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    name.len() <= MAX_NAME && name.split('-').all(is_part)
}

/// Returns a readable name that resembles a text: `PDF Tools` gives `pdf-tools`.
fn slug(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    slug.truncate(MAX_NAME);
    Some(slug.trim_end_matches('-').to_owned()).filter(|slug| !slug.is_empty())
}

/// Reads the keys of one front matter.
struct Reader<'a, 'n> {
    source: &'a Source<'a>,
    entries: &'a [Entry],
    notes: &'n mut Notes,
    /// The bytes of the front matter.
    block: Range<usize>,
}

impl<'a> Reader<'a, '_> {
    fn mender(&mut self) -> Mender<'a, '_> {
        Mender { source: self.source, notes: self.notes }
    }

    fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    fn text(&mut self, key: &str, is_prose: bool) -> Option<String> {
        let entry = self.entry(key)?;
        self.mender().text(entry, is_prose)
    }

    /// Returns the place of the line that opens the front matter.
    fn opening(&self) -> (usize, usize) {
        (self.source.line_of(self.block.start).max(1), 1)
    }

    /// Adds a note about a value that is missing, with a fix that writes it.
    fn missing(&mut self, key: &str, code: Code, message: String, text: &str) {
        match self.entry(key) {
            Some(entry) if entry.is_fixable => {
                let text = spaced(self.source, entry.value.start, &quoted(text));
                self.notes.fix(entry.place, code, message, entry.value.clone(), &text);
            }
            Some(entry) => self.notes.add(entry.place, code, message),
            None if self.entries.iter().all(|entry| entry.is_fixable) => {
                let start = self.block.start;
                self.notes.fix(self.opening(), code, message, start..start, &format!("{key}: {}\n", quoted(text)));
            }
            None => self.notes.add(self.opening(), code, message),
        }
    }

    /// Reads the name, or takes the folder's name if it is missing or odd. Also returns the odd name.
    fn name(&mut self, folder: Option<&str>) -> Option<(String, Option<String>)> {
        let written = self.text("name", false);
        let place = self.entry("name").map_or(self.opening(), |entry| entry.place);
        let from_folder =
            folder.and_then(|folder| if is_readable_name(folder) { Some(folder.to_owned()) } else { slug(folder) });
        let name = match written {
            Some(name) if is_readable_name(&name) => name,
            Some(written) => {
                let Some(name) = from_folder.or_else(|| slug(&written)) else {
                    let message = format!("expected 1 to 64 of a-z, 0-9 and `-`, and there is `{}`", short(&written));
                    self.notes.add(place, Code::OddName, message);
                    return None;
                };
                let message = format!(
                    "expected 1 to 64 of a-z, 0-9 and `-`, and there is `{}`; the name `{name}` is used",
                    short(&written)
                );
                self.missing("name", Code::OddName, message, &name);
                return Some((name, Some(written).filter(|written| !written.contains(['/', '\\']))));
            }
            None => {
                let Some(name) = from_folder else {
                    self.notes.add(
                        place,
                        Code::MissingName,
                        "expected `name: ...`, and neither the file nor its folder has a name",
                    );
                    return None;
                };
                let message = format!("expected `name: ...`; the name of the folder, `{name}`, is used");
                self.missing("name", Code::MissingName, message, &name);
                return Some((name, None));
            }
        };
        let yaml = self.entry("name").and_then(|entry| entry.node.as_ref()?.scalar()).map(str::trim);
        if let Some(yaml) = yaml.filter(|yaml| *yaml != name) {
            self.notes.add(place, Code::NameFormat, format!("readers of YAML read the name as `{}`", short(yaml)));
        }
        if !is_format_name(&name) {
            let message = format!(
                "expected 1 to 64 of a-z, 0-9 and single inner hyphens, and there is `{name}`; other programs may refuse it"
            );
            self.notes.add(place, Code::NameFormat, message);
        }
        if let Some(folder) = folder.filter(|folder| *folder != name) {
            let message = format!(
                "expected the name of the folder, `{}`, and there is `{name}`; rename one of them",
                short(folder)
            );
            self.notes.add(place, Code::NameNotFolder, message);
        }
        Some((name, None))
    }

    /// Reads the description. Without it, a model cannot know when to use the skill.
    fn description(&mut self) -> Option<String> {
        let description = self.text("description", true);
        if description.is_none() {
            let place = self.entry("description").map_or(self.opening(), |entry| entry.place);
            let message = "expected `description: ...`, which says what the skill does and when to use it";
            self.notes.add(place, Code::MissingDescription, message);
        }
        self.check_length("description", description.as_deref(), MAX_DESCRIPTION, Code::LongDescription);
        description
    }

    fn check_length(&mut self, key: &str, text: Option<&str>, most: usize, code: Code) {
        let count = text.map_or(0, |text| text.chars().count());
        if let Some(entry) = self.entry(key).filter(|_| count > most) {
            let message = format!("expected at most {most} characters, and `{key}` has {count}; shorten it");
            self.notes.add(entry.place, code, message);
        }
    }

    /// Reads the metadata: a mapping, or JSON in a text.
    fn metadata(&mut self) -> Option<Node> {
        let entry = self.entry("metadata")?;
        let node = self.mender().tree(entry).filter(|node| !node.is_null())?;
        let map = match &node.kind {
            Kind::Map(_) => Some(node.clone()),
            Kind::Scalar { text, .. } => conditions::json(text, node.range.start),
            Kind::List(_) => None,
        };
        let Some(map) = map else {
            let found = short(self.source.text.get(node.range).unwrap_or_default());
            let message = format!("expected keys and values below `metadata`, and there is `{found}`; it is left out");
            self.notes.add(entry.place, Code::UnreadableMetadata, message);
            return None;
        };
        let Kind::Map(pairs) = &map.kind else { return None };
        for (key, _) in pairs.iter().filter(|(_, value)| value.scalar().is_none()) {
            let message = format!(
                "the format expects texts below `metadata`, and `{}` is a list or mapping",
                key.scalar().unwrap_or_default()
            );
            self.notes.add(self.source.place(key.range.start), Code::MetadataForm, message);
        }
        Some(map)
    }

    /// Reads the keys that the format does not define.
    fn unknown(&mut self) -> Vec<(String, Node)> {
        let mut unknown = Vec::new();
        for entry in self.entries.iter().filter(|entry| !entry.is_known) {
            let used = if conditions::KEYS.contains(&entry.key.as_str()) { "read as a condition" } else { "kept" };
            let message = format!(
                "the format does not define `{}`; it is {used}. It defines {}",
                short(&entry.key),
                FORMAT_KEYS.join(", ")
            );
            self.notes.add(entry.place, Code::UnknownKey, message);
            if let Some(node) = self.mender().tree(entry) {
                unknown.push((entry.key.clone(), node));
            }
        }
        unknown
    }

    /// Notes what YAML allows and the validator refuses.
    fn check_yaml(&mut self) {
        let block = self.source.text.get(self.block.clone()).unwrap_or_default();
        if let Some(at) = block.find("---") {
            let message = "the validator ends the front matter at the first `---` anywhere in it; write another dash";
            self.notes.add(self.source.place(self.block.start + at), Code::StrictYaml, message);
        }
        if let Some(at) = block.find(|c: char| !c.is_whitespace()).filter(|at| block[*at..].starts_with('{')) {
            let message = "expected keys in block style, and there is a mapping in braces, which the validator refuses";
            self.notes.add(self.source.place(self.block.start + at), Code::StrictYaml, message);
        }
        for node in self.entries.iter().filter_map(|entry| entry.node.as_ref()) {
            if let Some(at) = refused(node) {
                let message = "expected block style, without `[`, `{`, `&`, `*` and `!`, which the validator refuses";
                self.notes.add(self.source.place(at), Code::StrictYaml, message);
            }
        }
    }
}

/// Returns the place of the first node that the validator refuses.
fn refused(node: &Node) -> Option<usize> {
    let here = (node.flow || node.mark != Mark::None).then_some(node.range.start);
    here.or_else(|| match &node.kind {
        Kind::Scalar { .. } => None,
        Kind::List(items) => items.iter().find_map(refused),
        Kind::Map(pairs) => pairs.iter().find_map(|(key, value)| refused(key).or_else(|| refused(value))),
    })
}

/// Returns the first paragraph of Markdown, or its first heading if it has no paragraph, cut to the length of a description.
pub(crate) fn first_paragraph(body: &str) -> Option<String> {
    let (mut paragraph, mut heading, mut in_code) = (Vec::new(), None, false);
    for line in body.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
        }
        let is_text = !in_code
            && line.starts_with(|c: char| !matches!(c, '#' | '<' | '|' | '`' | '~' | '=') && !c.is_control())
            && !line.starts_with("[![")
            && !line.starts_with("---");
        if is_text {
            paragraph.push(line);
        } else if !paragraph.is_empty() {
            break;
        } else if line.starts_with('#') && !in_code {
            heading =
                heading.or_else(|| Some(line.trim_start_matches('#').trim()).filter(|heading| !heading.is_empty()));
        }
    }
    let text = if paragraph.is_empty() { heading?.to_owned() } else { paragraph.join(" ") };
    Some(text.chars().take(MAX_DESCRIPTION).collect::<String>().trim().to_owned()).filter(|text| !text.is_empty())
}
