//! The input: the files of a skill, as a caller has read them.

/// The content of one entry of a skill's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// All bytes of a file.
    Bytes(Vec<u8>),
    /// A symbolic link, with its target as it is stored.
    Link(String),
    /// A file that was not read, with the reason, such as "the file has 2 GB".
    Unread(String),
}

/// The files of a skill, with paths relative to its folder and `/` as the separator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    entries: Vec<(String, Content)>,
}

impl Files {
    /// Returns the entries, in the order of their paths.
    pub fn new(entries: impl IntoIterator<Item = (String, Content)>) -> Self {
        let mut entries: Vec<_> = entries.into_iter().collect();
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        Self { entries }
    }

    /// Returns each path with its content, in the order of the paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Content)> {
        self.entries.iter().map(|(path, content)| (path.as_str(), content))
    }

    /// Returns the bytes of a file.
    pub fn bytes(&self, path: &str) -> Option<&[u8]> {
        let at = self.entries.binary_search_by(|(own, _)| own.as_str().cmp(path)).ok()?;
        match &self.entries[at].1 {
            Content::Bytes(bytes) => Some(bytes),
            Content::Link(_) | Content::Unread(_) => None,
        }
    }
}

impl FromIterator<(String, Content)> for Files {
    fn from_iter<I: IntoIterator<Item = (String, Content)>>(entries: I) -> Self {
        Self::new(entries)
    }
}

/// Returns the end of a file name in lower case, without the dot.
pub(crate) fn end_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.')
        .filter(|(start, _)| !start.is_empty())
        .map(|(_, end)| end.to_ascii_lowercase())
        .unwrap_or_default()
}
