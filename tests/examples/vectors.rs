//! Writes the vectors for the runtimes of other languages, or prints random ones: `vectors`, or `vectors TOOLS SEED`.

#[path = "../vectors/mod.rs"]
mod vectors;

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::stdout().lock();
    match args.as_slice() {
        [] => {
            vectors::files().into_iter().try_for_each(|(name, text)| std::fs::write(vectors::folder().join(name), text))
        }
        [tools, seed] => {
            let number = |text: &str| text.parse::<u64>().map_err(std::io::Error::other);
            let (tools, seed) = (usize::try_from(number(tools)?).unwrap_or(usize::MAX), number(seed)?);
            vectors::random(tools, seed).iter().try_for_each(|row| writeln!(out, "{row}"))
        }
        _ => Err(std::io::Error::other("usage: vectors, or vectors TOOLS SEED")),
    }
}
