//! What the linter found in unchanged tools is kept from one run to the next. It saves work and never changes a finding.

use toolc_codegen::diagnostic::{Diagnostic, SourceId};
use toolc_codegen::lint::{FindingsCache, all_codes};
use toolc_codegen::source::{Kind, Sources};
use toolc_codegen::{compile, compile_with_kept};
use toolc_tests::synth;

use crate::rules::project;

/// Compiles a project with what an earlier run kept. Returns the findings, and what is kept for the next run.
fn run(sources: &Sources, kept: &str) -> (Vec<Diagnostic>, String) {
    let kept = FindingsCache::new(kept.to_owned());
    let found = compile_with_kept(sources, &kept).diagnostics;
    let last = kept.last().to_owned();
    (found, kept.changed().map_or(last, str::to_owned))
}

fn assert_is_fresh(sources: &Sources, kept: &str, what: &str) -> String {
    let (found, next) = run(sources, kept);
    assert_eq!(found, compile(sources).diagnostics, "{what}");
    next
}

/// Returns the project with one line less in a file.
fn without_line(sources: &Sources, file: usize, line: usize) -> Option<Sources> {
    let id = SourceId(u32::try_from(file).ok()?);
    let text = &sources.get(id).text;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let rest = lines.iter().enumerate().filter(|(at, _)| *at != line % lines.len()).map(|(_, line)| *line);
    Some(sources.with(&[(id, rest.collect())]))
}

#[test]
fn findings_are_the_same_with_and_without_those_of_an_earlier_run() {
    for (number, code) in all_codes().enumerate() {
        let [example, instead] = ["Example", "Use instead"].map(|title| project(&code.docs().files(title)));
        let kept = assert_is_fresh(&example, "", code.id);
        assert_is_fresh(&example, &kept, &format!("{code}, again"));
        assert_is_fresh(&instead, &kept, &format!("{code}, corrected"));
        // A tool or another file changes.
        let file = number % example.all().len();
        let changed = without_line(&example, file, number).expect("the project has files");
        assert_is_fresh(&changed, &kept, &format!("{code}, {}", example.all()[file].path));
    }
}

#[test]
fn only_the_tools_that_changed_are_checked_again() {
    let sources = Sources::from_memory(synth::project(100, 7));
    let (_, kept) = run(&sources, "");
    // A finding that no rule has: it is seen as long as it is kept.
    let marked = kept.replace("\t[]", "\t[[\"M031\",false,\"kept\",[\"\",0,0],\"\",[],[],[]]]");
    let count = |found: &[Diagnostic]| found.iter().filter(|found| found.message == "kept").count();
    let (found, next) = run(&sources, &marked);
    let all = count(&found);
    assert!(all > 50 && next == marked, "{all}");

    let (tool, _) = sources.all().iter().enumerate().find(|(_, source)| source.kind == Some(Kind::Tool)).unwrap();
    let renamed = without_line(&sources, tool, 0).unwrap();
    let again = count(&run(&renamed, &marked).0);
    assert!((all - 1..=all).contains(&again), "{again} of {all}");
    // Every finding may depend on the settings, and on the names of other tools.
    let (set, _) = sources.all().iter().enumerate().find(|(_, source)| source.kind == Some(Kind::Toolset)).unwrap();
    let other = without_line(&sources, set, 0).unwrap();
    assert_eq!(count(&run(&other, &marked).0), 0);
}

#[test]
fn damaged_findings_of_an_earlier_run_are_ignored() {
    let sources = project(&all_codes().find(|code| code.id == "M001").unwrap().docs().files("Example"));
    let kept = assert_is_fresh(&sources, "", "nothing kept");
    for cut in (0..kept.len()).step_by(7).filter(|cut| kept.is_char_boundary(*cut)) {
        assert_is_fresh(&sources, &kept[..cut], &format!("cut at {cut}"));
    }
    let far = kept.replace(",[\"\",", ",[\"\",99999");
    assert_is_fresh(&sources, &far, "places beyond the end");
    assert_is_fresh(&sources, &kept.replace("M001", "M999"), "an unknown code");
}
