//! Judges the folders of skills that the variable `GUARD_FOLDERS` names, and prints the findings and the time of each.

#[path = "../tests/it/folders.rs"]
mod folders;

fn main() {
    folders::run();
}
