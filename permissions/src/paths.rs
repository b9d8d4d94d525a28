//! Paths of calls, and patterns for them.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;
use toolc::{Call, Tool};
use toolc_commands::rules::matches_pattern;

/// Says how the tools of a host understand paths. A host whose tools act on files implements it, so that rules see a path as the tools do.
pub trait PathSource: Send + Sync {
    /// Returns the files of the environment of a call, or `None` if they are not known.
    fn paths<'c>(&'c self, call: &'c Call<'c>) -> Option<Box<dyn Paths + 'c>>;

    /// Returns whether a parameter of a tool is the path of a file, so that a question can offer the folder.
    fn is_path(&self, tool: &Tool, parameter: &str) -> bool {
        let _ = (tool, parameter);
        false
    }

    /// Returns the paths that a call names elsewhere than in this parameter, although rules find them there, such as those inside of a
    /// patch. `None` stands for a path that is not known.
    fn other_paths(&self, tool: &str, parameter: &str, arguments: &Value) -> Vec<Option<String>> {
        let _ = (tool, parameter, arguments);
        Vec::new()
    }
}

/// The files of one environment.
pub trait Paths {
    /// Returns the working directory, as an absolute path without links.
    fn directory(&self) -> Option<PathBuf>;

    /// Returns the home folder, as an absolute path without links.
    fn home(&self) -> Option<PathBuf>;

    /// Returns a path that a model wrote as an absolute path without `.`, `..` and links, or `None` if that fails.
    fn locate(&self, text: &str) -> Option<PathBuf>;

    /// Returns a path that a model wrote as an absolute path with its links, or `None` if that fails, so that a rule that denies the name of
    /// a link also matches. By default, only where it leads is known.
    fn written(&self, text: &str) -> Option<PathBuf> {
        self.locate(text)
    }

    /// Returns an absolute path without links.
    fn resolve(&self, path: &Path) -> Option<PathBuf>;
}

/// Paths that are compared as they are written: without a file system.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenPaths {
    /// The working directory.
    pub directory: Option<PathBuf>,
    /// The home folder.
    pub home: Option<PathBuf>,
}

impl Paths for WrittenPaths {
    fn directory(&self) -> Option<PathBuf> {
        self.directory.clone()
    }

    fn home(&self) -> Option<PathBuf> {
        self.home.clone()
    }

    fn locate(&self, text: &str) -> Option<PathBuf> {
        absolute(text, self.directory.as_deref(), self.home.as_deref()).map(|path| without_dots(&path))
    }

    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        Some(without_dots(path))
    }
}

/// Returns a path as an absolute one. A leading `~` is the home folder.
fn absolute(text: &str, directory: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
    match text.strip_prefix('~') {
        Some("") => home.map(Path::to_owned),
        Some(rest) if rest.starts_with('/') => Some(home?.join(rest.trim_start_matches('/'))),
        _ if Path::new(text).is_absolute() => Some(PathBuf::from(text)),
        _ => Some(directory?.join(text)),
    }
}

/// Returns a path without `.` and `..`, as if no name were a link.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// A pattern for paths: a file or a folder, and everything in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathPattern {
    root: Root,
    /// The names after the root, with wildcards.
    names: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    FileSystem,
    Home,
    Directory,
}

/// A pattern in one environment, as the names of its path.
#[derive(Debug, Clone)]
pub(crate) struct RootedPattern(Vec<String>);

impl PathPattern {
    /// Returns the pattern, or what was expected.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let (root, rest) = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => (Root::Home, rest),
            _ if text.starts_with('/') => (Root::FileSystem, text),
            _ => (Root::Directory, text),
        };
        if text.is_empty() {
            return Err("expected a path, such as `src`, `~/notes` or `/srv`");
        }
        let names: Vec<String> = rest.split('/').filter(|name| !matches!(*name, "" | ".")).map(str::to_owned).collect();
        if names.iter().any(|name| name == "..") {
            return Err("expected a path without `..`");
        }
        Ok(Self { root, names })
    }

    /// Returns the pattern in an environment, or `None` if its root is not known.
    pub(crate) fn rooted(&self, paths: &dyn Paths) -> Option<RootedPattern> {
        let root = match self.root {
            Root::FileSystem => PathBuf::new(),
            Root::Home => paths.home()?,
            Root::Directory => paths.directory()?,
        };
        let escaped = names(&root).into_iter().map(|name| escape(&name));
        Some(RootedPattern(escaped.chain(self.names.iter().cloned()).collect()))
    }

    /// Returns the pattern with the links in its names without wildcards followed, if that is another one.
    pub(crate) fn resolved(&self, paths: &dyn Paths) -> Option<RootedPattern> {
        let RootedPattern(all) = self.rooted(paths)?;
        let plain = all.iter().take_while(|name| plain(name).is_some()).count();
        let folder: PathBuf = all[..plain].iter().filter_map(|name| plain_name(name)).collect();
        let written = Path::new("/").join(folder);
        let resolved = paths.resolve(&written)?;
        if resolved == written {
            return None;
        }
        let names = names(&resolved).into_iter().map(|name| escape(&name));
        Some(RootedPattern(names.chain(all[plain..].iter().cloned()).collect()))
    }

    /// Returns whether every path of `other` is one of this pattern. `false` if that is not certain.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let is_plain = |pattern: &Self| pattern.names.iter().all(|name| plain(name).is_some());
        self == other
            || (self.root == other.root && is_plain(self) && is_plain(other) && other.names.starts_with(&self.names))
    }
}

impl RootedPattern {
    /// Returns whether a path is the file or folder of the pattern, or in the folder. `ignore_case` also finds other spellings, and never
    /// fewer paths.
    pub(crate) fn contains(&self, path: &Path, ignore_case: bool) -> bool {
        let path = names(path);
        let folded: Vec<String> = if ignore_case { path.iter().map(|name| fold(name)).collect() } else { Vec::new() };
        let is_name = |pattern: &str, at: usize| {
            matches_pattern(pattern, &path[at]) || (ignore_case && matches_pattern(&fold(pattern), &folded[at]))
        };
        // `reached[n]` says whether the pattern so far matches the first `n` names of the path.
        let mut reached = vec![false; path.len() + 1];
        reached[0] = true;
        for pattern in &self.0 {
            let mut next = vec![false; path.len() + 1];
            if pattern == "**" {
                let first = reached.iter().position(|is_reached| *is_reached).unwrap_or(next.len());
                next[first..].fill(true);
            } else {
                for at in (0..path.len()).filter(|at| reached[*at]) {
                    next[at + 1] = is_name(pattern, at);
                }
            }
            reached = next;
        }
        reached.contains(&true)
    }
}

/// Returns a text in which letters that file systems take for the same one are the same. Some have more than one small letter: `ſ` is an
/// `s`.
fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Returns the names of a path.
fn names(path: &Path) -> Vec<String> {
    let name = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::Prefix(prefix) => Some(prefix.as_os_str().to_string_lossy().into_owned()),
        _ => None,
    };
    path.components().filter_map(name).collect()
}

/// Returns a pattern that matches exactly this text.
pub(crate) fn escape(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '*' | '?' | '[' => pattern.extend(['[', c, ']']),
            _ => pattern.push(c),
        }
    }
    pattern
}

/// Returns the text that a pattern of one name stands for, if it has no wildcard.
fn plain(pattern: &str) -> Option<String> {
    let text = pattern.replace("[*]", "\u{1}").replace("[?]", "\u{2}").replace("[[]", "\u{3}");
    let is_plain = !text.contains(['*', '?', '[']);
    is_plain.then(|| text.replace('\u{1}', "*").replace('\u{2}', "?").replace('\u{3}', "["))
}

fn plain_name(pattern: &str) -> Option<String> {
    plain(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> WrittenPaths {
        WrittenPaths { directory: Some("/work/a*b".into()), home: Some("/home/me".into()) }
    }

    fn contains(pattern: &str, path: &str, ignore_case: bool) -> bool {
        let pattern = PathPattern::parse(pattern).expect(pattern).rooted(&here()).expect("both roots are known");
        pattern.contains(&here().locate(path).expect("a path"), ignore_case)
    }

    #[test]
    fn a_pattern_is_a_file_or_a_folder_with_everything_in_it() {
        for (pattern, path) in [
            ("src", "src"),
            ("src", "./src/a/b.rs"),
            ("./src/", "/work/a*b/src/x"),
            (".", "x"),
            ("~", "~/x/y"),
            ("~/notes", "~/notes"),
            ("/", "/etc/passwd"),
            ("**/.env*", "a/b/.env.local"),
            ("**", "x"),
            ("*.rs", "main.rs"),
            ("src/*/tests", "src/a/tests/x"),
            ("**/a/**/b", "x/a/y/z/b/c"),
            ("/work/a[*]b", "x"),
        ] {
            assert!(contains(pattern, path, false), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("src", "srcs"),
            ("src", "src/../x"),
            ("src", "SRC/x"),
            ("~/notes", "notes"),
            ("/work/aXb", "x"),
            ("*.rs", "a/main.rs"),
            ("src/*/tests", "src/tests"),
            ("~x", "~/x"),
        ] {
            assert!(!contains(pattern, path, false), "{pattern} {path}");
        }
        assert!(contains("src", "SRC/x", true));
    }

    #[test]
    fn the_working_directory_is_not_a_pattern() {
        let elsewhere = WrittenPaths { directory: Some("/work/aXb".into()), home: None };
        let inside = elsewhere.locate("src/x").expect("a path");
        let pattern = PathPattern::parse("src").expect("a path").rooted(&here()).expect("a known root");
        assert!(!pattern.contains(&inside, true));
        assert!(PathPattern::parse("~").expect("a path").rooted(&elsewhere).is_none());
        assert!(PathPattern::parse("a/../b").is_err() && PathPattern::parse("").is_err());
    }
}
