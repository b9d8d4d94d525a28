//! What unchanged manifests say and what the linter found in them is kept from one run to the next. It saves work and never changes a
//! result.

use toolc_codegen::diagnostic::SourceId;
use toolc_codegen::emit::{Inputs, drafts, emit};
use toolc_codegen::kept::{Kept, KeptText};
use toolc_codegen::lint::all_codes;
use toolc_codegen::lower::lower;
use toolc_codegen::source::{Kind, Sources};
use toolc_codegen::{Compilation, compile, compile_with_kept};
use toolc_tests::synth;

use crate::rules::project;

/// The texts that a run keeps.
#[derive(Debug, Clone, Default, PartialEq)]
struct Texts {
    manifests: String,
    findings: String,
}

/// Compiles a project with what an earlier run kept. Returns the result, and what is kept for the next run.
fn run(sources: &Sources, texts: &Texts) -> (Compilation, Texts) {
    let kept = |text: &String| KeptText::new(text.clone());
    let kept = Kept { manifests: kept(&texts.manifests), findings: kept(&texts.findings) };
    let compilation = compile_with_kept(sources, &kept);
    let next = |text: &KeptText| text.changed().unwrap_or(text.last()).to_owned();
    (compilation, Texts { manifests: next(&kept.manifests), findings: next(&kept.findings) })
}

fn assert_is_fresh(sources: &Sources, kept: &Texts, what: &str) -> Texts {
    let (again, next) = run(sources, kept);
    let fresh = compile(sources);
    assert_eq!(again.diagnostics, fresh.diagnostics, "{what}");
    if let (Some(again), Some(fresh)) = (&again.catalog, &fresh.catalog) {
        assert!(emit(again) == emit(fresh), "{what}");
    }
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
        let kept = assert_is_fresh(&example, &Texts::default(), code.id);
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
    let (_, kept) = run(&sources, &Texts::default());
    // A finding that no rule has: it is seen as long as it is kept.
    let marked = kept.findings.replace("\t[]", "\t[[\"M031\",false,\"kept\",[\"\",0,0],\"\",[],[],[]]]");
    let marked = Texts { findings: marked, ..kept };
    let count = |found: &Compilation| found.diagnostics.iter().filter(|found| found.message == "kept").count();
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
fn only_the_manifests_that_changed_are_read_in_full() {
    let sources = Sources::from_memory(synth::project(100, 7));
    let read = |compilation: &Compilation| {
        let catalog = compilation.catalog.as_ref().expect("the project has no errors");
        catalog.tools().filter(|(_, tool)| tool.manifest.is_read()).count()
    };
    let (first, kept) = run(&sources, &Texts::default());
    assert_eq!(read(&first), 100);
    let (again, next) = run(&sources, &kept);
    assert!(read(&again) == 0 && next == kept, "{} were read", read(&again));
    let (tool, source) = sources.all().iter().enumerate().find(|(_, source)| source.kind == Some(Kind::Tool)).unwrap();
    let text = source.text.replacen("description = \"", "description = \"Now: ", 1);
    let id = SourceId(u32::try_from(tool).unwrap());
    let (changed, next) = run(&sources.with(&[(id, text)]), &kept);
    assert_eq!(read(&changed), 1);
    // Only the generated files of its toolset need the other tools of the toolset.
    let catalog = changed.catalog.as_ref().expect("the project has no errors");
    let (own, tool) = catalog.tools().find(|(_, tool)| tool.manifest.is_read()).expect("one was read");
    let lowered = lower(catalog);
    for part in drafts(&lowered).iter().flat_map(|draft| &draft.parts) {
        match &part.inputs {
            Inputs::Tools(tools) if !tools.contains(&own) => {}
            Inputs::Common => {}
            Inputs::Tools(_) | Inputs::All => drop(part.text()),
        }
    }
    assert!(read(&changed) <= catalog[tool.home].home_tools.len(), "{} were read", read(&changed));
    assert!(next.manifests != kept.manifests && next.manifests.lines().count() == 100);
}

#[test]
fn damaged_manifests_of_an_earlier_run_are_ignored() {
    let sources = Sources::from_memory(synth::project(2, 7));
    let kept = assert_is_fresh(&sources, &Texts::default(), "nothing kept");
    let with = |manifests: String| Texts { manifests, ..kept.clone() };
    let text = &kept.manifests;
    for cut in (0..text.len()).step_by(31).filter(|cut| text.is_char_boundary(*cut)) {
        assert_is_fresh(&sources, &with(text[..cut].to_owned()), &format!("cut at {cut}"));
    }
    assert_is_fresh(&sources, &with(text.replace("[[],[],", "[[],")), "a list is missing");
    assert_is_fresh(&sources, &with(text.replace("\"sync\"", "\"later\"")), "an unknown word");
    assert_is_fresh(&sources, &with(text.replace("\",4", "\",999999")), "places beyond the end");
}

#[test]
fn damaged_findings_of_an_earlier_run_are_ignored() {
    let sources = project(&all_codes().find(|code| code.id == "M001").unwrap().docs().files("Example"));
    let kept = assert_is_fresh(&sources, &Texts::default(), "nothing kept");
    let with = |findings: String| Texts { findings, ..kept.clone() };
    let text = &kept.findings;
    for cut in (0..text.len()).step_by(7).filter(|cut| text.is_char_boundary(*cut)) {
        assert_is_fresh(&sources, &with(text[..cut].to_owned()), &format!("cut at {cut}"));
    }
    assert_is_fresh(&sources, &with(text.replace(",[\"\",", ",[\"\",99999")), "places beyond the end");
    assert_is_fresh(&sources, &with(text.replace("M001", "M999")), "an unknown code");
}
