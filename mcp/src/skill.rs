//! What holds for an entry of the extension `io.modelcontextprotocol/skills`, of a server or of a client: its addresses, its paths and its limits.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rmcp::model::{SKILL_MD, Skill, SkillResources};
use toolc_scan::hidden_character;

/// The maximum number of files of a skill, from the extension.
pub(crate) const MAX_FILES: usize = 512;
/// The maximum number of bytes of all files of a skill, from the extension.
pub(crate) const MAX_BYTES: u64 = 16 << 20;

/// Returns the paths of the files of a skill, relative to it, in the order of its entry. Each consists of names of files, so that it does
/// not lead out of a folder.
///
/// # Errors
/// Returns what is wrong with the entry.
pub(crate) fn paths(entry: &Skill) -> Result<Vec<String>, String> {
    entry.validate().map_err(|error| error.to_string())?;
    path(&entry.uri).ok_or_else(|| format!("its address {} has a segment that is not a name", entry.uri))?;
    let SkillResources::Files(files) = &entry.resources else {
        return Err("its files are dynamic, so that what is read cannot be verified".to_owned());
    };
    if files.len() > MAX_FILES {
        return Err(format!("it has {} files: a skill has at most {MAX_FILES}", files.len()));
    }
    let bytes = files.iter().fold(0_u64, |bytes, file| bytes.saturating_add(file.size));
    if bytes > MAX_BYTES {
        return Err(format!("its files have {bytes} bytes: a skill has at most {} MiB", MAX_BYTES >> 20));
    }
    let root = entry.uri.strip_suffix(SKILL_MD).unwrap_or_default();
    let (mut paths, mut known) = (Vec::new(), BTreeSet::new());
    for file in files {
        let path = file.uri.strip_prefix(root).and_then(decoded_path).filter(|path| !path.contains(':'));
        let path = path.ok_or_else(|| format!("the address {} is not one of a file in the skill", file.uri))?;
        if !known.insert(path.clone()) {
            return Err(format!("it lists the file `{path}` twice"));
        }
        paths.push(path);
    }
    Ok(paths)
}

/// Returns the path of a skill in the names of its server, such as `acme/billing/refunds`, from the address of its `SKILL.md`.
pub(crate) fn path(uri: &str) -> Option<String> {
    let (_, rest) = uri.split_once("://")?;
    decoded_path(rest.strip_suffix(SKILL_MD)?.strip_suffix('/')?)
}

/// Returns the address of the file at `path` of the skill at `skill`.
pub(crate) fn uri(skill: &str, path: &str) -> String {
    format!("skill://{}/{}", encoded_path(skill), encoded_path(path))
}

/// Returns a path as it is in an address.
pub(crate) fn encoded_path(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        // The characters that RFC 3986 does not reserve, and the slash between segments.
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Returns the path that an address contains, if each of its segments is a name.
fn decoded_path(encoded: &str) -> Option<String> {
    if encoded.contains(['?', '#']) {
        return None;
    }
    let names: Option<Vec<String>> = encoded.split('/').map(decoded_name).collect();
    Some(names?.join("/"))
}

fn decoded_name(encoded: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut parts = encoded.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).filter(|(digits, _)| digits.bytes().all(is_digit))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    let name = String::from_utf8(bytes).ok()?;
    let is_name = !matches!(name.as_str(), "" | "." | "..") && !name.contains(['/', '\\', '\n', '\t', '\r']);
    (is_name && hidden_character(&name).is_none()).then_some(name)
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

#[cfg(test)]
mod tests {
    use rmcp::model::{SkillFrontmatter, SkillResource};

    use super::*;

    fn entry(uri: &str, files: &[&str]) -> Skill {
        let files = files.iter().map(|file| SkillResource::from_bytes(*file, b"text")).collect();
        let name = rmcp::model::skill_name_from_uri(uri).unwrap_or("x");
        Skill::new(uri, SkillFrontmatter::new(name, "A skill."), SkillResources::Files(files))
    }

    #[test]
    fn the_paths_of_an_entry_are_names_below_the_skill() {
        let uri = "skill://acme/notes/SKILL.md";
        let read = |file: &str| paths(&entry(uri, &[uri, file])).map(|paths| paths[1].clone());
        for (file, path) in [
            ("skill://acme/notes/a.md", "a.md"),
            ("skill://acme/notes/a/b%20c.md", "a/b c.md"),
            ("skill://acme/notes/r%C3%A9sum%c3%a9.md", "résumé.md"),
            ("skill://acme/notes/résumé.md", "résumé.md"),
            ("skill://acme/notes/.hidden", ".hidden"),
            ("skill://acme/notes/...", "..."),
        ] {
            assert_eq!(read(file).as_deref(), Ok(path), "{file}");
        }
        for file in [
            "skill://acme/notes/../other/SKILL.md",
            "skill://acme/notes/a/../b.md",
            "skill://acme/notes/%2e%2e/b.md",
            "skill://acme/notes/a%2Fb.md",
            "skill://acme/notes/a%5Cb.md",
            "skill://acme/notes/a\\b.md",
            "skill://acme/notes/a//b.md",
            "skill://acme/notes/a/",
            "skill://acme/notes/",
            "skill://acme/notes",
            "skill://acme/notes/a.md?x",
            "skill://acme/notes/a.md#x",
            "skill://acme/notes/C:a.md",
            "skill://acme/notes/a%0Ab.md",
            "skill://acme/notes/a%00.md",
            "skill://acme/notes/a\u{202e}dm.md",
            "skill://acme/notes/%ff.md",
            "skill://acme/notes/%2.md",
            "skill://acme/notes/%",
            "skill://acme/notes-2/a.md",
            "skill://acme/other/a.md",
            "file:///etc/passwd",
            "",
            uri,
        ] {
            assert!(read(file).is_err(), "{file}: {:?}", read(file));
        }
        let twice = ["skill://acme/notes/a%2Bb", "skill://acme/notes/a+b"];
        assert!(paths(&entry(uri, &[uri, twice[0], twice[1]])).is_err_and(|problem| problem.contains("twice")));
    }

    #[test]
    fn the_address_of_a_skill_names_it_and_has_no_detour() {
        for (uri, expected) in [
            ("skill://notes/SKILL.md", Some("notes")),
            ("skill://acme/billing/notes/SKILL.md", Some("acme/billing/notes")),
            ("github://owner/repo/notes/SKILL.md", Some("owner/repo/notes")),
            ("skill://acme/../notes/SKILL.md", None),
            ("skill:///notes/SKILL.md", None),
            ("skill://SKILL.md", None),
            ("skill://notes/skill.md", None),
            ("skill://notes", None),
            ("notes/SKILL.md", None),
        ] {
            assert_eq!(path(uri).as_deref(), expected, "{uri}");
            assert_eq!(paths(&entry(uri, &[uri])).is_ok(), expected.is_some(), "{uri}");
        }
    }

    #[test]
    fn an_address_leads_back_to_its_path() {
        for name in ["a.md", "a b/c+d%25.md", "résumé/日本.txt", "q?#&=.md"] {
            let uri = uri("acme/notes", name);
            let encoded = uri.strip_prefix("skill://acme/notes/").expect("it is in the skill");
            assert!(encoded.is_ascii() && !encoded.contains(['?', '#', ' ']), "{uri}");
            assert_eq!(decoded_path(encoded).as_deref(), Some(name));
        }
    }

    #[test]
    fn a_skill_beyond_the_limits_of_the_extension_is_refused() {
        let uri = "skill://notes/SKILL.md";
        let names: Vec<String> = (1..MAX_FILES).map(|n| format!("skill://notes/{n}")).collect();
        let mut files: Vec<&str> = names.iter().map(String::as_str).chain([uri]).collect();
        assert_eq!(paths(&entry(uri, &files)).map(|paths| paths.len()), Ok(MAX_FILES));
        files.push("skill://notes/more");
        assert!(paths(&entry(uri, &files)).is_err_and(|problem| problem.contains("513 files")));
        let mut large = entry(uri, &[uri, "skill://notes/a"]);
        let SkillResources::Files(files) = &mut large.resources else { panic!("it has files") };
        files[1].size = MAX_BYTES - 4;
        assert!(paths(&large).is_ok());
        let SkillResources::Files(files) = &mut large.resources else { panic!("it has files") };
        files[1].size = u64::MAX;
        assert!(paths(&large).is_err_and(|problem| problem.contains("16 MiB")));
        large.resources = SkillResources::Dynamic;
        assert!(paths(&large).is_err_and(|problem| problem.contains("dynamic")));
    }
}
