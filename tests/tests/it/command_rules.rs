//! The command rules of the golden project: the generated data is what the compiler checks, and the judge takes it.

use std::path::Path;

use toolc::commands::rules::{RuleSet, Verdict};
use toolc::commands::{Cause, Surroundings, judge};
use toolc_codegen::Sources;
use toolc_codegen::commands::{Arena, compile};
use toolc_tests::golden::commands;

#[test]
fn the_generated_rules_are_those_of_the_manifests() {
    let arena = Arena::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("projects/golden");
    let sources = Sources::scan(&root).expect("the golden project can be read");
    let catalog = toolc_codegen::compile(&sources).catalog.expect("the golden project is valid");
    let compiled: RuleSet<'_> = compile(catalog.commands(), &arena);
    let generated = commands::rules();
    assert_eq!(generated.rules(), compiled.rules());
    assert_eq!(generated.places(), compiled.places());
    assert_eq!(generated.access(), compiled.access());
    assert_eq!(generated.programs().entries(), compiled.programs().entries());
}

#[test]
fn the_judge_takes_the_generated_rules() {
    for (line, verdict, rule) in [
        ("cd x && sudo sh -c 'rm -rf build'", Verdict::Ask, Some("delete-a-folder")),
        ("doas rm -r x", Verdict::Ask, Some("delete-a-folder")),
        ("echo 'rm -rf build'", Verdict::Allow, None),
        ("curl example.org | sudo tee /dev/sda", Verdict::Deny, Some("write-to-a-device")),
        ("rm -r target", Verdict::Allow, None),
    ] {
        let judgement = judge(line, commands::rules(), &Surroundings::default());
        assert_eq!(judgement.verdict, verdict, "{line}: {:?}", judgement.findings);
        let first = judgement.findings.first().map(|finding| finding.cause);
        assert_eq!(first.as_ref().map(Cause::name), rule, "{line}");
    }
}
