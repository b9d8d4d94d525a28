//! Lists of real servers, from a folder that `TOOLC_IMPORT_LISTS` names: each file is a list of tools as JSON.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use toolc_import::source::lists;

use crate::meaning::compare;
use crate::project::Folder;

#[test]
#[ignore = "needs lists of real servers in TOOLC_IMPORT_LISTS"]
fn the_tools_of_real_servers_mean_the_same() {
    let folder = std::env::var("TOOLC_IMPORT_LISTS").expect("TOOLC_IMPORT_LISTS names a folder");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let (mut lists_read, mut tools, mut imported, mut exact, mut values) = (0, 0, 0, 0, 0);
    let mut exceptions = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "json")) {
        let text = fs::read_to_string(path).expect("it is text");
        let Ok(list) = serde_json::from_str::<Value>(&text) else { panic!("{}: not JSON", path.display()) };
        let project = Folder::new();
        let (report, _) = project
            .import(&list, &["--json", "--toolset", "x"])
            .unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let report: Value = serde_json::from_str(&report).expect("it is JSON");
        lists_read += 1;
        let mut effects = BTreeMap::<String, Vec<String>>::new();
        for change in report["changes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|change| !["same", "narrower"].contains(&change["effect"].as_str().unwrap_or_default()))
        {
            let line = format!("{} {} `{}`: {}", change["effect"], change["pointer"], change["found"], change["done"]);
            effects.entry(change["tool"].as_str().unwrap_or_default().to_owned()).or_default().push(line);
        }
        let record: Value = if project.path("imports/x.json").exists() {
            serde_json::from_str(&project.read("imports/x.json")).expect("it is JSON")
        } else {
            Value::Null
        };
        let source = lists::read(&list, "x");
        for tool in &source.tools {
            tools += 1;
            let names = record["tools"].as_object();
            let name = names
                .and_then(|all| all.iter().find(|(_, it)| it["source"] == tool.name.as_str()).map(|(name, _)| name));
            let place = format!("{}: {}", path.file_stem().expect("a name").to_string_lossy(), tool.name);
            let Some(name) = name else {
                exceptions.push(format!("{place}: not imported: {:?}", effects.get(&tool.name)));
                continue;
            };
            imported += 1;
            let (arguments, _) = project.schema(name);
            let found = compare(&tool.arguments, &arguments, 200, tools, true);
            values += found.values;
            let known = effects.get(&tool.name);
            exact += usize::from(known.is_none());
            if !found.refused.is_empty() {
                exceptions.push(format!(
                    "{place}: REFUSED {} of {}: {}",
                    found.refused.len(),
                    found.values,
                    found.refused[0]
                ));
            }
            if !found.admitted.is_empty() && known.is_none() {
                exceptions.push(format!(
                    "{place}: ADMITTED {} of {}: {}",
                    found.admitted.len(),
                    found.values,
                    found.admitted[0]
                ));
            }
            if !found.unread.is_empty() {
                exceptions.push(format!(
                    "{place}: unread {} of {}: {}",
                    found.unread.len(),
                    found.values,
                    found.unread[0]
                ));
            }
            for line in known.into_iter().flatten() {
                exceptions.push(format!("{place}: {line}"));
            }
        }
    }
    println!("{lists_read} lists, {tools} tools, {imported} imported, {exact} without an exception, {values} values");
    for line in &exceptions {
        println!("{}", line.chars().take(400).collect::<String>());
    }
    assert!(!exceptions.iter().any(|line| line.contains("REFUSED") || line.contains("ADMITTED")));
}
