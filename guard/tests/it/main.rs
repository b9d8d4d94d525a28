//! Tests of the whole judgement.

mod cases;
mod corpus;
mod examples;
mod folders;
mod mutations;
mod rules;
mod totality;
mod verdicts;

#[test]
#[ignore = "prints the findings of the folders in the variable GUARD_FOLDERS"]
fn findings_of_folders_are_printed() {
    folders::run();
}
