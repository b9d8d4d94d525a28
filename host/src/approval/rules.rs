//! Loads the command rules: the shipped rules, the rules of the user, and the rules of the project.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use toolc_codegen::commands::{Arena, Trust, with_user_rules};
use toolc_codegen::lint::check_user_rules;
use toolc_commands::rules::{Access, Place, RuleSet};

use toolc_config::{Home, Protect, ProtectReader};

use crate::ground::error::{Error, Result};

/// The file of rules in the folder of a project.
const PROJECT_RULES: &str = ".toolc/rules.toml";
/// The place in the shipped rules that represents the home folder of toolc.
const HOME_PLACE: &str = "toolc-home";
/// The maximum size of a file of rules, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Returns the rules for commands that run in `directory`, with these optional sets. They stay in memory until the process ends.
///
/// The files of the user are `rules/*.toml` in toolc's home folder. The files of the project are `.toolc/rules.toml` in the directory and
/// in the folders above it, up to the root of the repository. Rules of a project can only be stricter. `protect` names programs that may
/// read hidden places.
///
/// # Errors
/// Returns an error if a file cannot be read or is invalid: a mistake in a file must not make the rules less strict.
pub(crate) fn load(
    home: &Home,
    directory: &Path,
    sets: &[&str],
    protect: &Protect,
) -> Result<&'static RuleSet<'static>> {
    let shipped = toolc_catalog::commands::rules();
    let files = files(home, directory)?;
    let paths = [Some(home.path().to_owned()), fs::canonicalize(home.path()).ok()];
    let arena: &'static Arena = Box::leak(Box::new(Arena::new()));
    let mut rules = with_home(shipped, paths.into_iter().flatten());
    for (path, trust) in files {
        let path_text = path.display().to_string();
        let failed = |error: io::Error| format!("failed to read the command rules in {path_text}: {error}");
        match trust {
            Trust::Home => check_writers(home, &path).map_err(failed)?,
            Trust::Project => check_inside_project(&path).map_err(failed)?,
        }
        let text = read(&path).map_err(failed)?;
        if text.trim().is_empty() {
            continue;
        }
        rules = with_user_rules(&rules, &path_text, &text, trust, arena)
            .map_err(|error| format!("the command rules in {path_text} are invalid\n\n{error}"))?;
    }
    let readers: Vec<Access<'static>> = protect.readers.iter().map(reader).collect();
    rules.add_access(&readers);
    Ok(Box::leak(Box::new(rules.with_optional(sets))))
}

/// Returns what a program of the configuration may read. It stays in memory until the process ends.
fn reader(reader: &ProtectReader) -> Access<'static> {
    let text = |text: &String| &*text.clone().leak();
    let reads: Vec<&'static str> = reader.reads.iter().map(text).collect();
    Access { programs: vec![text(&reader.name)].leak(), rights: None, runs_apart: false, reads: reads.leak() }
}

/// Returns the problems in the user's files of command rules: errors for which [`load`] refuses a file, and rules that have no effect.
pub(crate) fn problems(home: &Home) -> Vec<String> {
    let paths = match user_files(home) {
        Ok(paths) => paths,
        Err(problem) => return vec![problem.to_string()],
    };
    let (arena, shipped) = (Arena::new(), toolc_catalog::commands::rules());
    let (mut rules, mut texts, mut problems) = (shipped.clone(), Vec::new(), Vec::new());
    for path in paths {
        let path_text = path.display().to_string();
        match check_writers(home, &path).and_then(|()| read(&path)) {
            Ok(text) => texts.push((path_text, text)),
            Err(error) => problems.push(format!("failed to read the command rules in {path_text}: {error}")),
        }
    }
    for (path, text) in texts.iter().filter(|(_, text)| !text.trim().is_empty()) {
        match with_user_rules(&rules, path, text, Trust::Home, &arena) {
            Ok(more) => rules = more,
            Err(error) => problems.push(format!("the command rules in {path} are invalid\n\n{error}")),
        }
    }
    if let Err(error) = check_user_rules(texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))) {
        problems.push(format!("some command rules in {} have no effect\n\n{error}", home.rules().display()));
    }
    problems
}

/// Returns the paths of the files of rules of the user and of the project, each with its trust.
pub(crate) fn files(home: &Home, directory: &Path) -> Result<Vec<(PathBuf, Trust)>> {
    let mut files: Vec<(PathBuf, Trust)> = user_files(home)?.into_iter().map(|path| (path, Trust::Home)).collect();
    for folder in project_folders(directory) {
        let path = folder.join(PROJECT_RULES);
        // The user's folder may be in a repository. It is not the folder of a project even then.
        let is_user_folder = path.parent().is_some_and(|parent| parent == home.path());
        match fs::symlink_metadata(&path) {
            _ if is_user_folder => {}
            Ok(_) => files.push((path, Trust::Project)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => {
                return Err(Error::Invalid(format!("failed to read the command rules in {}: {error}", path.display())));
            }
        }
    }
    Ok(files)
}

/// Returns the paths of the files of rules of the user.
fn user_files(home: &Home) -> Result<Vec<PathBuf>> {
    let folder = home.rules();
    let mut files = match fs::read_dir(&folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
    .map_err(|error| Error::failed(format!("read the command rules in {}", folder.display()), error))?;
    let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml") && !is_hidden(path));
    files.sort();
    Ok(files)
}

/// Returns the directory, and the folders above it in the same repository.
pub(super) fn project_folders(directory: &Path) -> impl Iterator<Item = &Path> {
    let root = directory.ancestors().position(|folder| folder.join(".git").exists());
    directory.ancestors().take(root.unwrap_or_default() + 1)
}

/// Fails if the file of a project is a link to a file outside of the project: messages about mistakes would show parts of that file.
pub(super) fn check_inside_project(path: &Path) -> io::Result<()> {
    let folder = path.parent().and_then(Path::parent).unwrap_or(path);
    if fs::canonicalize(path)?.starts_with(fs::canonicalize(folder)?) {
        return Ok(());
    }
    Err(io::Error::other("the file is a link that leads out of the project"))
}

/// Fails if other users can change a file of rules in the user's folder, or add a file: they could add exceptions.
fn check_writers(home: &Home, file: &Path) -> io::Result<()> {
    [home.path(), &home.rules(), file].into_iter().try_for_each(toolc_config::check_writers)
}

pub(super) fn read(path: &Path) -> io::Result<String> {
    // Only regular files are read, because reading a pipe could block.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut text = String::new();
    fs::File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("the file has more than {MAX_BYTES} bytes")));
    }
    Ok(text)
}

/// Adds these folders to the place `toolc-home` of the rules, which has only the default path.
fn with_home(rules: &RuleSet<'static>, folders: impl Iterator<Item = PathBuf>) -> RuleSet<'static> {
    let patterns = folders.flat_map(|folder| {
        let pattern = pattern(&folder.to_string_lossy());
        [format!("{pattern}/**"), pattern].map(|pattern| &*pattern.leak())
    });
    let patterns: Vec<&'static str> = patterns.collect();
    let with_folders = |place: &Place<'static>| match place.name {
        HOME_PLACE => Place { paths: [place.paths, &patterns].concat().leak(), ..*place },
        _ => *place,
    };
    let places: Vec<Place<'static>> = rules.places().iter().map(with_folders).collect();
    let mut with_home = RuleSet::new(rules.rules(), &places, *rules.programs());
    with_home.add_access(rules.access());
    with_home
}

/// Returns a pattern that matches exactly this path.
fn pattern(path: &str) -> String {
    let mut pattern = String::new();
    for c in path.trim_end_matches('/').chars() {
        match c {
            '*' | '?' | '[' => pattern.extend(['[', c, ']']),
            _ => pattern.push(c),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use toolc_commands::rules::Verdict;
    use toolc_commands::{Surroundings, judge};

    use super::*;

    #[test]
    fn the_users_folder_is_protected_wherever_it_is() {
        let rules = with_home(toolc_catalog::commands::rules(), ["/srv/a*b/home/".into()].into_iter());
        let verdict = |line: &str| {
            let surroundings = Surroundings {
                directory: Some(Path::new("/w")),
                home: Some(Path::new("/home/u")),
                ..Surroundings::default()
            };
            judge(line, &rules, &surroundings).verdict
        };
        for line in ["echo x > '/srv/a*b/home/rules/x.toml'", "rm -r '/srv/a*b/home'", "touch ~/.toolc/state.db"] {
            assert_eq!(verdict(line), Verdict::Deny, "{line}");
        }
        assert_eq!(verdict("echo x > /srv/aXb/home/rules/x.toml"), Verdict::Allow);
    }

    #[cfg(unix)]
    #[test]
    fn rules_that_other_users_can_change_are_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let set =
            |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the path exists");
        let home = Home::at(folder.path().join("home"));
        let file = home.rules().join("user_files.toml");
        fs::create_dir_all(home.rules()).expect("failed to create");
        fs::write(&file, "").expect("failed to write");
        let paths = [home.path().to_owned(), home.rules(), file.clone()];
        for path in &paths {
            set(path, 0o755);
        }
        assert!(check_writers(&home, &file).is_ok());
        for path in &paths {
            set(path, 0o777);
            let refused = check_writers(&home, &file);
            set(path, 0o755);
            assert!(refused.is_err_and(|error| error.to_string().contains("chmod go-w")), "{path:?}");
        }
    }

    #[test]
    fn rules_of_a_project_are_searched_up_to_the_root_of_the_repository() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let inner = folder.path().join("repository/a/b");
        fs::create_dir_all(&inner).expect("failed to create");
        assert_eq!(project_folders(&inner).collect::<Vec<_>>(), [&*inner]);
        fs::create_dir(folder.path().join("repository/.git")).expect("failed to create");
        let found: Vec<_> =
            project_folders(&inner).map(|path| path.strip_prefix(folder.path()).expect("inside")).collect();
        assert_eq!(found, ["repository/a/b", "repository/a", "repository"].map(Path::new));
    }
}
