//! The entry of a skill of a server, and what must hold for it.

use rmcp::model::{Skill, SkillFrontmatter, SkillResource, SkillResources};
use serde::Serialize;
use serde_json::{Map, Value};
use toolc_scan::hidden_character;

use crate::call::Caller;
use crate::definition::size;
use crate::failure::display_text;
use crate::secrets::SecretRedactor;
use crate::skill::{path, paths};
use crate::visible::one_line;

/// The maximum number of bytes of an entry. That of a skill with 512 files has about 100 KiB.
const MAX_ENTRY: usize = 512 << 10;
/// The maximum number of characters of a description, from the specification of agent skills.
const MAX_DESCRIPTION: usize = 1_024;
/// The maximum number of characters of an address that are shown.
const MAX_SHOWN: usize = 200;

/// A skill of a server that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LeftOutSkill {
    /// The address that the server gave it, or `?`.
    pub skill: String,
    /// The reason.
    pub reason: String,
}

/// A skill of a server, as its entry describes it. It has been checked: its addresses and paths do not lead out of it, it is complete and
/// within the limits of the extension, and its texts have no invisible characters and no secrets. What it says is nevertheless text from
/// outside: what a field such as `allowed-tools` asks for is not granted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ServerSkill {
    /// The name of the server in the settings.
    pub server: String,
    /// The address of its `SKILL.md`. Together with the server, it identifies the skill.
    pub uri: String,
    /// The path of the skill in the names of its server, such as `acme/billing/refunds`. It tells skills of the same name apart.
    pub path: String,
    /// The name, which is the last segment of the path. Other skills of this server and of others can have the same one.
    pub name: String,
    /// The name among the skills of this server: the path, or the address if several of its skills have the same path.
    pub label: String,
    /// What the skill does, and when to use it.
    pub description: String,
    /// The whole front matter of `SKILL.md`, including the name and the description.
    pub front_matter: Map<String, Value>,
    /// All files, including `SKILL.md`.
    pub files: Vec<SkillFile>,
}

/// A file of a skill of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SkillFile {
    /// The path relative to the skill. It consists of names of files, with `/` between them.
    pub path: String,
    /// The address of the file.
    pub uri: String,
    /// The number of bytes.
    pub size: u64,
    /// The SHA-256 digest, as `sha256:` and 64 hexadecimal digits.
    pub digest: String,
}

impl SkillFile {
    /// Checks bytes against the size and the digest.
    pub(super) fn verify(&self, bytes: &[u8]) -> Result<(), String> {
        let file = SkillResource::new(self.uri.clone(), self.digest.clone(), self.size);
        file.verify(bytes).map_err(|error| error.to_string())
    }
}

impl ServerSkill {
    /// Returns the digest of the addresses and digests of all files, as `sha256:` and 64 hexadecimal digits. It does not depend on their
    /// order. The extension requires that the approval of a person holds only as long as these stay the same.
    pub fn fingerprint(&self) -> String {
        let mut lines: Vec<String> = self.files.iter().map(|file| format!("{} {}\n", file.digest, file.uri)).collect();
        lines.sort_unstable();
        rmcp::model::sha256_digest(lines.concat().as_bytes())
    }

    /// Reads an entry.
    pub(super) fn read(caller: &Caller, entry: &Value) -> Result<Self, LeftOutSkill> {
        Self::parse(&caller.server, entry, &caller.redactor).map_err(|reason| {
            let skill = caller.redactor.text(entry["uri"].as_str().unwrap_or("?"));
            let reason = display_text(&reason, &caller.redactor);
            LeftOutSkill { skill: one_line(&skill, MAX_SHOWN), reason: reason.replace('\n', " ") }
        })
    }

    fn parse(server: &str, entry: &Value, redactor: &SecretRedactor) -> Result<Self, String> {
        if size(entry) > MAX_ENTRY {
            return Err(format!("its entry has more than {} KiB", MAX_ENTRY >> 10));
        }
        let Value::Object(members) = entry else {
            return Err("its entry is not an object, or is nested deeper than 64 levels".to_owned());
        };
        let text = |members: &Map<String, Value>, key: &str| match members.get(key).and_then(Value::as_str) {
            Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
            _ => Err(format!("it has no text `{key}`")),
        };
        let uri = text(members, "uri")?;
        let front_matter = members.get("frontmatter").and_then(Value::as_object);
        let front_matter = front_matter.ok_or("it has no object `frontmatter`")?;
        let (name, description) = (text(front_matter, "name")?, text(front_matter, "description")?);
        if description.chars().count() > MAX_DESCRIPTION {
            return Err(format!("its description has more than {MAX_DESCRIPTION} characters"));
        }
        let resources = match members.get("resources") {
            Some(Value::Array(files)) => SkillResources::Files(files.iter().map(resource).collect::<Result<_, _>>()?),
            Some(Value::String(dynamic)) if dynamic == "dynamic" => SkillResources::Dynamic,
            _ => return Err("its `resources` are neither a list nor \"dynamic\"".to_owned()),
        };
        let checked = Skill::new(uri, SkillFrontmatter::new(name, description), resources);
        let paths = paths(&checked)?;
        if let Some(character) = entry_texts(entry).into_iter().find_map(hidden_character) {
            return Err(format!("a text of its entry has the invisible character {character}"));
        }
        if redactor.value(entry.clone()) != *entry {
            return Err("its entry has the value of a secret".to_owned());
        }
        let Skill { uri, frontmatter: SkillFrontmatter { name, description, .. }, resources, .. } = checked;
        let SkillResources::Files(files) = resources else { return Err("it has no list of files".to_owned()) };
        let files = files.into_iter().zip(paths).map(|(file, path)| {
            let SkillResource { uri, digest, size, .. } = file;
            SkillFile { path, uri, size, digest }
        });
        let (server, path) = (server.to_owned(), path(&uri).unwrap_or_default());
        let (label, front_matter, files) = (path.clone(), front_matter.clone(), files.collect());
        Ok(Self { server, uri, path, name, label, description, front_matter, files })
    }
}

/// Reads an entry of `resources`.
fn resource(file: &Value) -> Result<SkillResource, String> {
    let uri = file["uri"].as_str().ok_or("one of its files has no text `uri`")?;
    let digest = file["digest"].as_str().ok_or_else(|| format!("the file {uri} has no text `digest`"))?;
    let size = file["size"].as_u64().ok_or_else(|| format!("the file {uri} has no `size` in bytes"))?;
    Ok(SkillResource::new(uri, digest, size))
}

/// Returns all texts of a value, including keys.
fn entry_texts(value: &Value) -> Vec<&str> {
    let (mut texts, mut open) = (Vec::new(), vec![value]);
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => texts.push(text.as_str()),
            Value::Array(items) => open.extend(items),
            Value::Object(map) => {
                texts.extend(map.keys().map(String::as_str));
                open.extend(map.values());
            }
            _ => {}
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use rmcp::model::SKILL_MD;
    use serde_json::json;

    use super::*;

    const DIGEST: &str = "sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";

    fn parse(entry: &Value) -> Result<ServerSkill, String> {
        let env = toolc::Env::empty().with_secret("KEY", "hunter2hunter2");
        ServerSkill::parse("s", entry, &SecretRedactor::new(toolc::Registry::new().redactor(&env)))
    }

    fn file(uri: &str) -> Value {
        json!({ "uri": uri, "digest": DIGEST, "size": 1 })
    }

    fn valid() -> Value {
        json!({
            "uri": "skill://acme/notes/SKILL.md",
            "frontmatter": { "name": "notes", "description": "Takes notes.", "metadata": { "version": 1.5 } },
            "resources": [file("skill://acme/notes/SKILL.md"), file("skill://acme/notes/a/b%20c.md")],
        })
    }

    #[test]
    fn a_valid_entry_keeps_its_front_matter_and_its_files() {
        let skill = parse(&valid()).expect("it is valid");
        assert_eq!((skill.server.as_str(), skill.path.as_str(), skill.name.as_str()), ("s", "acme/notes", "notes"));
        assert_eq!(
            (skill.description.as_str(), &skill.front_matter["metadata"]["version"]),
            ("Takes notes.", &json!(1.5))
        );
        let paths: Vec<&str> = skill.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, [SKILL_MD, "a/b c.md"]);
    }

    #[test]
    fn an_entry_with_a_mistake_is_refused_with_its_reason() {
        let deep = (0..500).fold(json!(1), |inner, _| json!([inner]));
        for (place, value, part) in [
            ("/uri", json!(7), "no text `uri`"),
            ("/uri", json!("skill://acme/notes"), "does not end in"),
            ("/uri", json!("skill://acme/other/SKILL.md"), "does not end in the frontmatter name"),
            ("/uri", json!("skill://../notes/SKILL.md"), "does not list its own SKILL.md"),
            ("/frontmatter", json!([]), "no object `frontmatter`"),
            ("/frontmatter/name", json!(null), "no text `name`"),
            ("/frontmatter/name", json!("Notes"), "invalid skill name"),
            ("/frontmatter/description", json!(" "), "no text `description`"),
            ("/frontmatter/description", json!("x".repeat(1_025)), "more than 1024 characters"),
            ("/frontmatter/description", json!("Takes\u{200b} notes."), "U+200B (zero width space)"),
            ("/frontmatter/description", json!("Takes \u{1b}[2J notes."), "U+001B (control character)"),
            ("/frontmatter/description", json!("The key is hunter2hunter2."), "the value of a secret"),
            ("/frontmatter/metadata/version", json!("x".repeat(600_000)), "more than 512 KiB"),
            ("/resources", json!(null), "neither a list nor"),
            ("/resources", json!("static"), "neither a list nor"),
            ("/resources", json!("dynamic"), "dynamic"),
            ("/resources", json!([]), "does not list its own SKILL.md"),
            ("/resources/1", json!("skill://acme/notes/a.md"), "has no text `uri`"),
            ("/resources/1/uri", json!("skill://acme/notes/../other"), "not"),
            ("/resources/1/uri", json!("skill://acme/notes/SKILL.md"), "twice"),
            ("/resources/1/digest", json!("md5:00"), "malformed digest"),
            ("/resources/1/digest", json!(null), "no text `digest`"),
            ("/resources/1/size", json!(-1), "no `size`"),
            ("/resources/1/size", json!(1.5), "no `size`"),
            ("/resources/1/size", json!(u64::MAX), "16 MiB"),
            ("/frontmatter/metadata", deep, ""),
        ] {
            let mut entry = valid();
            *entry.pointer_mut(place).expect("the place exists") = value;
            let refused = parse(&entry);
            assert!(
                part.is_empty() || refused.as_ref().is_err_and(|reason| reason.contains(part)),
                "{place}: {refused:?}"
            );
        }
        for entry in [json!(null), json!([]), json!("a"), json!(7), json!({})] {
            assert!(parse(&entry).is_err(), "{entry}");
        }
    }

    #[test]
    fn the_fingerprint_depends_on_the_files_and_not_on_their_order() {
        let print = |entry: &Value| parse(entry).expect("it is valid").fingerprint();
        let mut turned = valid();
        turned["resources"].as_array_mut().expect("it is a list").reverse();
        turned["frontmatter"]["license"] = json!("MIT");
        assert_eq!(print(&turned), print(&valid()));
        let mut changed = valid();
        changed["resources"][1]["digest"] = json!(DIGEST.replace("2d71", "3d71"));
        let mut fewer = valid();
        fewer["resources"].as_array_mut().expect("it is a list").pop();
        assert!(print(&changed) != print(&valid()) && print(&fewer) != print(&valid()));
    }
}
