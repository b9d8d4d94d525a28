//! What was imported last, in `imports/TOOLSET.json`: the base with which `--update` compares the manifests and the source.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};
use toolc_codegen::Failure;

/// The folder of the records, next to `manifests/`.
pub const FOLDER: &str = "imports";
/// The version of the form.
const FORMAT: u64 = 1;
/// The maximum number of bytes of a record.
const MAX_BYTES: u64 = 64 << 20;

/// What was imported last into a toolset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// The source, as the person named it.
    pub source: String,
    /// Whether objects that do not say so were closed.
    pub closed: bool,
    /// The prefix of the names.
    pub prefix: String,
    /// The tools, by the names of their manifests.
    pub tools: BTreeMap<String, Imported>,
}

/// A tool that was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The name in the source.
    pub source: String,
    /// The manifest, as the source gave it.
    pub manifest: String,
}

impl Record {
    /// Returns the path of the record of a toolset.
    pub fn path(toolset: &str) -> String {
        format!("{FOLDER}/{toolset}.json")
    }

    /// Reads the record of a toolset. Returns `None` if nothing was imported into it.
    ///
    /// # Errors
    /// If it cannot be read, or does not have the form that this program writes.
    pub fn read(root: &Path, toolset: &str) -> Result<Option<Self>, Failure> {
        let path = root.join(Self::path(toolset));
        let failed = |why: String| Failure::new(format!("failed to read {}: {why}", path.display()));
        match fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error.to_string())),
            Ok(about) if about.len() > MAX_BYTES => return Err(failed(format!("it has more than {MAX_BYTES} bytes"))),
            Ok(_) => {}
        }
        let text = fs::read_to_string(&path).map_err(|error| failed(error.to_string()))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            failed(format!("{error}. Restore the file from version control, or delete it to import all tools anew"))
        })?;
        Self::from_json(&value).map(Some).ok_or_else(|| {
            failed("it does not have the form that `import` writes. Restore it from version control".to_owned())
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if value["format"] != FORMAT {
            return None;
        }
        let mut tools = BTreeMap::new();
        for (name, tool) in value["tools"].as_object()? {
            let lines: Option<Vec<&str>> = tool["manifest"].as_array()?.iter().map(Value::as_str).collect();
            let manifest = lines?.iter().fold(String::new(), |text, line| {
                text + line
                    + "
"
            });
            tools.insert(name.clone(), Imported { source: text(&tool["source"])?, manifest });
        }
        let (closed, prefix) = (value["closed"].as_bool()?, text(&value["prefix"])?);
        Some(Self { source: text(&value["source"])?, closed, prefix, tools })
    }

    /// Returns the text of the record.
    pub fn to_text(&self) -> String {
        let tool = |(name, tool): (&String, &Imported)| {
            let lines: Value = tool.manifest.lines().collect();
            (name.clone(), json!({ "source": tool.source, "manifest": lines }))
        };
        let value = json!({
            "format": FORMAT, "source": self.source, "closed": self.closed, "prefix": self.prefix,
            "tools": self.tools.iter().map(tool).collect::<Map<_, _>>(),
        });
        format!("{value:#}\n")
    }
}
