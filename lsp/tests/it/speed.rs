//! The time from a key press to the findings, and the memory, over a project of `TOOLC_LSP_MANIFESTS` tools (default: 200). With
//! `TOOLC_LSP_LIMIT`, the findings of the edited file must come within this number of milliseconds.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::client::{Client, uri};
use crate::editor;

const PRESSES: i64 = 20;

fn tool(number: usize) -> String {
    let mut text = format!(
        "name = \"read_item_{number}\"\ntoolset = \"area_{}\"\ndescription = \"Read the item number {number} of its shelf. Use it when the number is known. Returns the item as text.\"\n",
        number / 20
    );
    for (parameter, kind) in [("shelf", "string"), ("count", "integer"), ("brief", "boolean")] {
        let _ = write!(
            text,
            "\n[params.{parameter}]\ntype = \"{kind}\"\ndescription = \"The {parameter} of item {number} to read.\"\nrequired = true\n"
        );
    }
    text
}

fn write(root: &Path, count: usize) {
    for folder in ["manifests/tools", "manifests/toolsets"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for number in 0..count {
        fs::write(root.join(format!("manifests/tools/read_item_{number}.toml")), tool(number)).unwrap();
    }
    for area in 0..count.div_ceil(20) {
        let text = format!("name = \"area_{area}\"\ndescription = \"The items of area {area}.\"\n");
        fs::write(root.join(format!("manifests/toolsets/area_{area}.toml")), text).unwrap();
    }
}

fn memory(process: u32) -> String {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}

#[test]
fn findings_of_the_edited_file_come_at_once() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let count = usize::try_from(number("TOOLC_LSP_MANIFESTS").unwrap_or(200)).unwrap();
    let folder = TempDir::new().unwrap();
    write(folder.path(), count);
    let (mut client, _) = Client::start(&editor());
    let uri = uri(folder.path(), "manifests/tools/read_item_7.toml");
    let start = Instant::now();
    client.open(&uri, &tool(7));
    client.findings(&uri, 1, |_| true);
    let opened = start.elapsed();
    let broken = tool(7).replace("\"integer\"", "\"intege\"");
    let mut times: Vec<Duration> = Vec::new();
    for press in 0..PRESSES {
        let start = Instant::now();
        let (version, text) = (press + 2, if press % 2 == 0 { &broken } else { &tool(7) });
        client.change(&uri, version, text);
        client.findings(&uri, version, |found| {
            found.iter().any(|found| found["code"].as_str().is_some_and(|code| code.ends_with("unknown-type")))
                == (press % 2 == 0)
        });
        times.push(start.elapsed());
    }
    // Only the graph shows that the toolset has no such tool.
    let start = Instant::now();
    let other = crate::client::uri(folder.path(), "manifests/toolsets/area_0.toml");
    client.open(&other, "name = \"area_0\"\ndescription = \"The items of area 0.\"\nexcludes = [\"read_item_30\"]\n");
    client.findings(&other, 1, |found| crate::codes(found).contains(&"excludes-nothing".to_owned()));
    let graph = start.elapsed();
    times.sort_unstable();
    let (median, most) = (times[times.len() / 2], times[times.len() - 1]);
    let memory = memory(client.child.id());
    println!(
        "{count} tools: opened {opened:?}, findings of the file {median:?} (at most {most:?}), graph {graph:?}, memory {memory}"
    );
    if let Some(limit) = number("TOOLC_LSP_LIMIT") {
        assert!(most < Duration::from_millis(limit), "{most:?}");
    }
    assert_eq!(client.end(), Some(0));
}
