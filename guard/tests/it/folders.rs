//! Judges the folders of skills that the variable `GUARD_FOLDERS` names, and prints the findings and the time of each.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use toolc_commands::Surroundings;
use toolc_guard::{Content, Files, Severity, Trust, inspect};

/// Judges all skills in the folders, which are separated by `:`. With `GUARD_NOTES`, notes are printed, too.
pub(crate) fn run() {
    let rules = toolc_catalog::commands::rules().with_optional(&[]);
    let surroundings = Surroundings {
        directory: Some(Path::new("/home/ada/project")),
        home: Some(Path::new("/home/user")),
        ..Surroundings::default()
    };
    let folders = std::env::var("GUARD_FOLDERS").unwrap_or_default();
    let shows_notes = std::env::var_os("GUARD_NOTES").is_some();
    let mut times = Vec::new();
    let mut blocked = 0;
    let mut skills = Vec::new();
    for folder in folders.split(':').filter(|folder| !folder.is_empty()) {
        find_skills(Path::new(folder), &mut skills);
    }
    for skill in &skills {
        let files = read(skill);
        let start = Instant::now();
        let report = inspect(&files, &rules, &surroundings);
        let time = start.elapsed();
        times.push((time, skill.clone()));
        let verdict = report.verdict(Trust::Community, &BTreeSet::new());
        blocked += usize::from(!verdict.is_allowed());
        println!("{} {} {time:.1?}", if verdict.is_allowed() { "allowed" } else { "BLOCKED" }, skill.display());
        for finding in report.findings.iter().filter(|finding| shows_notes || finding.severity == Severity::Block) {
            println!(
                "  {:?} {} {}:{}:{} {}\n      {}",
                finding.severity,
                finding.code.name(),
                finding.path,
                finding.line,
                finding.column,
                finding.message,
                finding.excerpt
            );
        }
    }
    times.sort();
    let total: f64 = times.iter().map(|(time, _)| time.as_secs_f64()).sum();
    if let Some((slowest, skill)) = times.last() {
        println!(
            "{} skills, {blocked} blocked; median {:.1?}, mean {:.1} ms, slowest {slowest:.1?} ({})",
            times.len(),
            times[times.len() / 2].0,
            total * 1000.0 / f64::from(u32::try_from(times.len()).unwrap_or(u32::MAX)),
            skill.display()
        );
    }
}

pub(crate) fn find_skills(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join("SKILL.md").is_file() {
        found.push(folder.to_owned());
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir() && !path.is_symlink())
        .collect();
    paths.sort();
    for path in &paths {
        find_skills(path, found);
    }
}

pub(crate) fn read(skill: &Path) -> Files {
    let mut entries = Vec::new();
    collect(skill, skill, &mut entries);
    Files::new(entries)
}

fn collect(root: &Path, folder: &Path, entries: &mut Vec<(String, Content)>) {
    for path in fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        if path.is_symlink() {
            let target = fs::read_link(&path).map(|target| target.to_string_lossy().into_owned()).unwrap_or_default();
            entries.push((name, Content::Link(target)));
        } else if path.is_dir() {
            collect(root, &path, entries);
        } else {
            entries
                .push((name, fs::read(&path).map_or_else(|error| Content::Unread(error.to_string()), Content::Bytes)));
        }
    }
}
