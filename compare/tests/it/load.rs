//! Versions come from folders, git refs and bundles.

use toolc_codegen::cli;
use toolc_compare::{load, open};

use crate::project::{Project, TOOLSET, git, names, tool};

fn two_versions() -> Project {
    let old = tool("add_note", "[params.text]\ntype = \"string\"\n");
    let files = [("manifests/toolsets/notes.toml", TOOLSET), ("manifests/tools/add_note.toml", old.as_str())];
    let project = Project::new(&files).commit();
    project.write("manifests/tools/list_notes.toml", &tool("list_notes", ""));
    project
}

fn error(project: &Project, against: &str) -> String {
    load(project.path(), against).err().unwrap_or_else(|| panic!("{against} is loaded")).to_string()
}

#[test]
fn a_ref_has_the_manifests_of_its_commit() {
    let project = two_versions();
    for reference in ["main", "old", "HEAD", "HEAD~0", "refs/heads/main"] {
        let loaded = load(project.path(), reference).expect("git has the ref");
        assert_eq!(names(&loaded.declarations()), ["add_note"], "{reference}");
        assert_eq!(loaded.label, reference);
        assert_eq!(loaded.catalog().expect("it has manifests").tools().count(), 1);
    }
    assert_eq!(
        names(&open(project.path()).expect("the project has no errors").declarations()),
        ["add_note", "list_notes"]
    );
}

#[test]
fn a_project_may_lie_below_the_top_of_its_repository() {
    let manifest = tool("add_note", "");
    let below = [
        ("apps/agent/manifests/toolsets/notes.toml", TOOLSET),
        ("apps/agent/manifests/tools/add_note.toml", manifest.as_str()),
        ("manifests/tools/other.toml", "not a manifest"),
    ];
    let project = Project::new(&below).commit();
    let loaded = load(&project.path().join("apps/agent"), "main").expect("git has the ref");
    assert_eq!(names(&loaded.declarations()), ["add_note"]);
    let nowhere = load(&project.path().join("apps"), "main").err().expect("apps has no manifests");
    assert!(nowhere.to_string().contains("`main` has no `manifests` folder in "), "{nowhere}");
}

#[test]
fn a_worktree_has_the_refs_of_its_repository() {
    let project = two_versions();
    let other = Project::new(&[]);
    let folder = other.path().join("tree");
    project.git(&["worktree", "add", "-q", "-b", "side", folder.to_str().expect("text")]);
    assert_eq!(names(&load(&folder, "main").expect("git has the ref").declarations()), ["add_note"]);
}

#[test]
fn a_link_to_a_manifest_is_followed_within_the_ref() {
    let manifest = tool("add_note", "");
    let project = Project::new(&[("manifests/toolsets/notes.toml", TOOLSET), ("shared/add.toml", &manifest)]);
    project.write("manifests/tools/.keep", "");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../../shared/add.toml", project.path().join("manifests/tools/add_note.toml"))
        .expect("a link");
    let project = project.commit();
    std::fs::remove_dir_all(project.path().join("shared")).expect("a folder");
    #[cfg(unix)]
    assert_eq!(names(&load(project.path(), "main").expect("git has the ref").declarations()), ["add_note"]);
}

#[test]
fn an_unknown_ref_names_a_similar_one() {
    let project = two_versions();
    assert_eq!(
        error(&project, "mian"),
        "`mian` is neither a project, nor a bundle, nor a ref that git has: did you mean `main`?"
    );
    assert!(error(&project, "--output=x").contains("nor a ref that git has"));
    assert!(error(&project, "").contains("nor a ref that git has"));
}

#[test]
fn a_ref_that_a_shallow_clone_lacks_says_what_to_run() {
    let project = two_versions();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "second"]);
    let clone = Project::new(&[]);
    let from = format!("file://{}", project.path().display());
    git(clone.path(), &["clone", "-q", "--depth=1", "--no-tags", &from, "."]);
    assert_eq!(
        error(&clone, "old"),
        "this clone is shallow, and lacks `old`: run `git fetch --depth=1 origin old`, and pass `--against FETCH_HEAD`"
    );
    assert_eq!(error(&clone, "HEAD~1"), "this clone is shallow, and lacks `HEAD~1`: run `git fetch --unshallow`");
    clone.git(&["fetch", "-q", "--depth=1", "origin", "old"]);
    assert_eq!(names(&load(clone.path(), "FETCH_HEAD").expect("it was fetched").declarations()), ["add_note"]);
}

#[test]
fn a_folder_outside_of_a_repository_needs_another_folder() {
    let project = Project::new(&[("manifests/toolsets/notes.toml", TOOLSET)]);
    assert!(error(&project, "main").contains("git finds no repository at"), "{}", error(&project, "main"));
}

#[test]
fn a_version_with_errors_names_the_first_one() {
    let project = two_versions();
    project.write("manifests/tools/list_notes.toml", "name = \"list_notes\"\nbad = 1\n");
    let failure = open(project.path()).err().expect("it has errors").to_string();
    assert!(failure.contains("have errors: manifests/tools/list_notes.toml:"), "{failure}");
}

#[test]
fn a_bundle_has_the_same_declarations_as_its_manifests() {
    let project = two_versions();
    let folder = project.path().join("bundle");
    let [root, to] = [project.path(), &folder].map(|path| path.to_str().expect("text"));
    let (status, _, err) = cli::capture(["--root", root, "export", to]);
    assert_eq!(status, 0, "{err}");
    let manifests = open(project.path()).expect("the project has no errors").declarations();
    for path in [to.to_owned(), format!("{to}/catalog.json")] {
        let bundle = load(project.path(), &path).expect("it is a bundle");
        assert_eq!(bundle.declarations(), manifests);
        assert!(bundle.catalog().err().expect("it has no manifests").to_string().contains("is a bundle"));
    }
    project.write("other.json", "{}");
    let failure = error(&project, project.path().join("other.json").to_str().expect("text"));
    assert!(failure.contains("expected the `catalog.json` of a bundle"), "{failure}");
}
