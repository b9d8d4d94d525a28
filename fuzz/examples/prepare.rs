//! Writes the seeds for libFuzzer, a folder for each target, and the dictionary.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use toolc_fuzz::Seeds;

fn main() -> std::io::Result<()> {
    let Seeds { manifests, conditions, templates, calls, messages, commands, words } = Seeds::collect();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let targets = [
        ("manifests", manifests),
        ("conditions", conditions),
        ("templates", templates),
        ("arguments", calls),
        ("messages", messages),
        ("commands", commands),
    ];
    for (target, seeds) in targets {
        let folder = here.join("corpus").join(target);
        fs::create_dir_all(&folder)?;
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:04}")), seed)?;
        }
        println!("{}: {} inputs", folder.display(), seeds.len());
    }
    let mut dictionary = String::new();
    for word in words {
        let bytes: String = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        let _ = writeln!(dictionary, "\"{bytes}\"");
    }
    fs::write(here.join("words.dict"), dictionary)
}
