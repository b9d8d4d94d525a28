//! Measures skills: `cargo bench -p toolc-skills`. For 10, 100 and 1,000 skills with the descriptions of the bundled ones: the tokens of the
//! list in the instructions, and the times of the list, of `skills_list` and of `skill_view`.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc::catalog::estimated_tokens;
use toolc::testing::Harness;
use toolc::{Env, Registry};
use toolc_skill::{Cache, Library, Root, RootKind};
use toolc_skills::{Skills, SkillsHandlers, index};

const COUNTS: [usize; 3] = [10, 100, 1_000];
/// The number of skills of a category.
const IN_CATEGORY: usize = 10;
const ROUNDS: usize = 21;

fn main() {
    println!(
        "skills | tokens of the list | without a limit | list | skills_list: first, later | skill_view: first, later"
    );
    for count in COUNTS {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), count);
        measure(folder.path(), count);
    }
}

/// Writes skills with the texts of the bundled ones.
fn write(folder: &Path, count: usize) {
    let bundled = Root { path: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills"), kind: RootKind::Bundled };
    let library = Library::read(&[bundled], &mut Cache::default());
    for (number, skill) in (0..count).zip(library.skills.iter().cycle()) {
        let text = fs::read_to_string(skill.folder.join("SKILL.md")).expect("a bundled skill");
        let name = format!("{}-{number}", skill.name());
        let text = text.replacen(&format!("name: {}\n", skill.name()), &format!("name: {name}\n"), 1);
        let folder = folder.join(format!("category-{}", number / IN_CATEGORY)).join(name);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("SKILL.md"), text).expect("a skill");
    }
}

fn measure(folder: &Path, count: usize) {
    let has_tool = |tool: &str| tool.starts_with("skill");
    let new = || Arc::new(Skills::new(folder, &Registry::new()));
    let skills = new();
    let text = index(&skills, &Env::empty(), has_tool);
    let library = skills.library();
    assert_eq!(library.skills.len(), count, "{:?}", library.broken);
    let whole = library.view(|_| None).index(usize::MAX).text;
    let list = median(|| time(|| index(&skills, &Env::empty(), has_tool)));
    let harness = |skills: Arc<Skills>| {
        Harness::with_session(toolc_catalog::skills::provider(SkillsHandlers), |session| {
            session.value::<Skills>(skills)
        })
    };
    let names: Vec<&str> = library.skills.iter().map(toolc_skill::Skill::name).collect();
    let call = |harness: &Harness, tool: &str, arguments: &Value| time(|| harness.call(tool, arguments).value());
    // The first call of a process reads all files.
    let first = |tool: &str, arguments: &Value| median(|| call(&harness(new()), tool, arguments));
    // A session of its own for each call: a repeated view has no text.
    let later = |tool: &str, arguments: &Value| median(|| call(&harness(Arc::clone(&skills)), tool, arguments));
    let view = json!({ "name": names[count / 2] });
    println!(
        "{count} | {} | {} | {list:.1?} | {:.1?}, {:.1?} | {:.1?}, {:.1?}",
        estimated_tokens(text.len()),
        estimated_tokens(whole.len()),
        first("skills_list", &json!({})),
        later("skills_list", &json!({})),
        first("skill_view", &view),
        later("skill_view", &view),
    );
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn median(mut measure: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| measure()).collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}
