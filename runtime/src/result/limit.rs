//! Limits of results, for one result and for all results of a turn. A longer result is stored completely if the host
//! has a store, and the model gets its beginning. Otherwise the model gets its beginning and the number of missing
//! characters.

use std::fmt::Write as _;

use crate::result::error::ToolError;
use crate::result::output::attempt;
use crate::result::spill::SpillStore;
use crate::sorted;
use crate::text::json;

/// Limits of the results that a model gets, in characters. A tool's own `max_result_chars` takes precedence over
/// `per_call`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResultLimits {
    /// The limit of one result.
    pub per_call: usize,
    /// The limit of all results of one batch together. The largest results are shortened first. Results of a tool whose
    /// own limit is higher than this are never shortened for it.
    pub per_turn: usize,
}

impl ResultLimits {
    /// No limits, except those that tools declare.
    pub const UNLIMITED: Self = Self { per_call: usize::MAX, per_turn: usize::MAX };

    /// Sets the limit of one result.
    #[must_use]
    pub const fn with_per_call(mut self, chars: usize) -> Self {
        self.per_call = chars;
        self
    }

    /// Sets the limit of all results of one batch together.
    #[must_use]
    pub const fn with_per_turn(mut self, chars: usize) -> Self {
        self.per_turn = chars;
        self
    }
}

impl Default for ResultLimits {
    /// Returns limits of 100,000 and 200,000 characters.
    fn default() -> Self {
        Self { per_call: 100_000, per_turn: 200_000 }
    }
}

/// The maximum length of the preview of a stored result, in characters.
const PREVIEW: usize = 1_500;
/// The number of characters reserved for the text around a preview.
const AROUND: usize = 300;

/// Returns whether `text` has more than `max` characters.
pub(crate) fn is_over(text: &str, max: usize) -> bool {
    // The first comparison, in bytes, is fast and suffices for most results.
    text.len() > max && text.chars().nth(max).is_some()
}

/// The beginning of a shortened result.
const SHORTENED: &str = r#"{"truncated":true,"preview":"#;

/// Returns whether a result has been shortened.
pub(crate) fn is_shortened(json: &str) -> bool {
    json.starts_with(SHORTENED)
}

/// Where long results are stored, and how the model reads them.
#[derive(Clone, Copy)]
pub(crate) struct Spill<'s> {
    pub(crate) store: &'s dyn SpillStore,
    /// The name of the tool that reads the file, as the model calls it. Without one, the host links to the file.
    pub(crate) reader: Option<&'s str>,
}

/// A shortened result.
pub(crate) struct Shortened {
    /// The JSON for the model.
    pub(crate) json: String,
    /// Whether the store has the complete result.
    pub(crate) is_stored: bool,
    /// The error of the store, or `None` if storing succeeded or there is no store.
    pub(crate) error: Option<String>,
}

/// Shortens `json`, a result of `tool` with more than `max` characters. If it can be stored, the model gets `{"truncated":
/// true, "preview": text, "chars": N, "file": path, "bytes": N, "hint": text}`. Otherwise the preview is as long as the limit
/// allows, and `file` and `bytes` are replaced by `"missing": N`.
pub(crate) fn shorten(json: &str, max: usize, tool: &str, spill: Option<Spill<'_>>) -> Shortened {
    let (text, extension) = readable(json);
    let chars = text.chars().count();
    let store = |spill: Spill<'_>| attempt(|| spill.store.store(tool, extension, &text).map_err(ToolError::from));
    let (file, error) = match spill.map(|spill| (store(spill), spill.reader)) {
        Some((Ok(file), reader)) => (Some((file, reader)), None),
        Some((Err(error), _)) => (None, Some(error)),
        None => (None, None),
    };
    let is_stored = file.is_some();
    let max_preview = if is_stored { PREVIEW.min(max) } else { max.saturating_sub(AROUND).max(PREVIEW.min(max)) };
    let preview = beginning(&text, max_preview);
    let mut out = String::from(SHORTENED);
    json::push_string(&mut out, preview);
    let _ = write!(out, r#","chars":{chars},"#);
    let shown = preview.chars().count();
    if let Some((file, reader)) = file {
        out.push_str(r#""file":"#);
        json::push_string(&mut out, &file);
        let _ = write!(out, r#","bytes":{},"hint":"#, text.len());
        let whole = match reader {
            Some(reader) => format!("The file has all of the result: read parts of it with `{reader}`"),
            None => "All of the result is stored, and linked to this one".to_owned(),
        };
        json::push_string(&mut out, &format!("these are the first {shown} characters. {whole}"));
        out.push('}');
    } else {
        let missing = chars - shown;
        let _ = write!(
            out,
            r#""missing":{missing},"hint":"these are the first {shown} characters; the other {missing} are lost. Call again, and ask for less"}}"#
        );
    }
    Shortened { json: out, is_stored, error }
}

/// Returns the results to shorten, so that all results together have at most `budget` characters: their indices, largest
/// result first, and the new limit of each. `sizes` has the length of each result in characters, and whether it may be
/// shortened. With a store, a shortened result only has a preview.
pub(crate) fn over_budget(sizes: &[(usize, bool)], budget: usize, has_store: bool) -> Vec<(usize, usize)> {
    let mut over = sizes.iter().map(|(size, _)| size).sum::<usize>().saturating_sub(budget);
    let largest_first = sorted::positions(sizes.len(), &|a, b| sizes[b].0.cmp(&sizes[a].0).then(a.cmp(&b)));
    let min_limit = PREVIEW + AROUND;
    let mut shortened = Vec::new();
    for at in largest_first.into_iter().filter(|&at| sizes[at].1) {
        let (size, _) = sizes[at];
        if over == 0 || size <= min_limit {
            break;
        }
        let limit = if has_store { min_limit } else { size.saturating_sub(over).max(min_limit) };
        over = over.saturating_sub(size - limit);
        shortened.push((at, limit));
    }
    shortened
}

/// Returns a result as readable text, and the extension of its file: a JSON string without quotes and escapes, other JSON
/// indented.
fn readable(json: &str) -> (String, &'static str) {
    match serde_json::from_str::<String>(json) {
        Ok(text) => (text, "txt"),
        Err(_) => (json::indented(json, 0), "json"),
    }
}

/// Returns the longest beginning of `text` that has at most `max` characters as an escaped JSON string. It ends at the end
/// of a line if one is in its second half.
fn beginning(text: &str, max: usize) -> &str {
    let mut escaped_len = 0;
    let is_over = |(_, letter): &(usize, char)| {
        escaped_len += match letter {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            '\0'..='\x1f' => 6,
            _ => 1,
        };
        escaped_len > max
    };
    let end = text.char_indices().find(is_over).map_or(text.len(), |(end, _)| end);
    let beginning = &text[..end];
    match beginning.rfind('\n') {
        Some(line_end) if end < text.len() && line_end >= end / 2 => &beginning[..=line_end],
        _ => beginning,
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use serde_json::Value;

    use super::*;
    use crate::result::output::ToolOutput;

    /// A store that fails for the tool `full`, and panics for `broken`.
    struct FakeStore;

    impl SpillStore for FakeStore {
        fn store(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
            match tool {
                "full" => Err(io::Error::other("no space left")),
                "broken" => panic!("no folder"),
                _ => Ok(format!("{tool}.{extension} {}", text.chars().count())),
            }
        }
    }

    fn shortened(json: &str, max: usize, tool: &str, store: Option<&dyn SpillStore>) -> (Value, Option<String>) {
        let spill = store.map(|store| Spill { store, reader: Some("read \"it\"") });
        let Shortened { json, is_stored, error } = shorten(json, max, tool, spill);
        assert_eq!(is_stored, json.contains("\"file\":"));
        (serde_json::from_str(&json).unwrap(), error)
    }

    #[test]
    fn a_stored_result_has_its_file_and_a_preview() {
        let text = "a line of \"20\" lett\n".repeat(500);
        let (result, error) = shortened(ToolOutput::text(&text).as_json(), 5_000, "say", Some(&FakeStore));
        assert_eq!((&result["truncated"], &result["file"], error), (&true.into(), &"say.txt 10000".into(), None));
        assert_eq!((&result["chars"], &result["bytes"], result.get("missing")), (&10_000.into(), &10_000.into(), None));
        assert!(result["hint"].as_str().unwrap().ends_with("read parts of it with `read \"it\"`"), "{result}");
        let preview = result["preview"].as_str().unwrap();
        assert!(text.starts_with(preview) && preview.ends_with("lett\n") && preview.len() > 1_250, "{preview}");
        let (result, _) = shortened(r#"{"a":[1,"ä{"],"b":{}}"#, 8, "say", Some(&FakeStore));
        assert_eq!((&result["file"], &result["preview"]), (&"say.json 43".into(), &"{\n  \"a".into()));
    }

    #[test]
    fn a_result_that_the_host_links_to_names_no_reader() {
        let json = ToolOutput::text("x".repeat(5_000)).into_json();
        let spill = Spill { store: &FakeStore, reader: None };
        let result = shorten(&json, 2_000, "say", Some(spill));
        assert!(result.is_stored && is_shortened(&result.json), "{}", result.json);
        assert!(result.json.contains("All of the result is stored, and linked to this one"), "{}", result.json);
    }

    #[test]
    fn a_result_that_is_not_stored_is_cut_and_reports_the_missing_characters() {
        let letters = "\"ü\u{1}".repeat(4_000);
        for (tool, store, expected_error) in [
            ("say", None, None),
            ("full", Some(&FakeStore as &dyn SpillStore), Some("no space left")),
            ("broken", Some(&FakeStore), Some("no folder")),
        ] {
            let json = ToolOutput::text(&letters).into_json();
            let (result, error) = shortened(&json, 9_000, tool, store);
            assert_eq!(error.as_deref(), expected_error);
            let preview = result["preview"].as_str().unwrap();
            assert!(letters.starts_with(preview) && result.get("file").is_none());
            let shown = preview.chars().count();
            assert_eq!(result["missing"], 12_000 - shown);
            assert!(shown > 2_500 && !is_over(&result.to_string(), 9_000), "{shown}");
        }
    }

    #[test]
    fn the_largest_results_are_shortened_first() {
        let sizes = [(50_000, true), (90_000, true), (80_000, false), (70_000, true), (100, true)];
        assert_eq!(over_budget(&sizes, 300_000, true), []);
        assert_eq!(over_budget(&sizes, 200_000, true), [(1, 1_800), (3, 1_800)]);
        assert_eq!(over_budget(&sizes, 250_100, false), [(1, 50_000)]);
        assert_eq!(over_budget(&sizes, 0, true), [(1, 1_800), (3, 1_800), (0, 1_800)]);
        assert_eq!(over_budget(&[], 0, true), []);
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        assert!(!is_over("üü", 2) && is_over("üüü", 2) && !is_over("", 0));
    }
}
