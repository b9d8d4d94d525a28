//! Limits of results, for one result and for all results of a turn. A longer result is stored completely if the host
//! has a store, and the model gets its beginning. Otherwise the model gets its beginning and the number of missing
//! characters.

use std::fmt::Write as _;

use crate::result::output::ToolError;
use crate::result::output::attempt;
use crate::result::spill::SpillStore;
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

/// Length of the preview of a stored result, in characters.
const PREVIEW: usize = 1_500;
/// Characters reserved for the text around a preview.
const AROUND: usize = 300;

/// Returns whether a text is longer than that many characters.
pub(crate) fn is_over(text: &str, most: usize) -> bool {
    text.len() > most && text.chars().nth(most).is_some()
}

/// The beginning of a shortened result.
const SHORTENED: &str = r#"{"truncated":true,"preview":"#;

/// Returns whether a result has been shortened.
#[cfg(feature = "wire-mcp")]
pub(crate) fn is_shortened(json: &str) -> bool {
    json.starts_with(SHORTENED)
}

/// A shortened result.
pub(crate) struct Shortened {
    /// The JSON for the model.
    pub(crate) json: String,
    /// Whether the complete result is stored.
    pub(crate) is_kept: bool,
    /// The error of the store, or `None` if storing succeeded.
    pub(crate) fault: Option<String>,
}

/// Shortens a result that is too long. If it is stored, the model gets `{"truncated": true, "preview": text, "chars":
/// N, "file": path, "bytes": N, "hint": text}`. Otherwise it gets as much of it as the limit allows, with `"missing":
/// N` instead of `file` and `bytes`.
pub(crate) fn shorten(json: &str, most: usize, tool: &str, spill: Option<&dyn SpillStore>) -> Shortened {
    let (text, extension) = readable(json);
    let chars = text.chars().count();
    let kept = spill.map(|spill| attempt(|| spill.keep(tool, extension, &text).map_err(ToolError::from)));
    let (kept, fault) = match kept {
        Some(Ok(name)) => (Some(name), None),
        Some(Err(fault)) => (None, Some(fault)),
        None => (None, None),
    };
    let room = if kept.is_some() { PREVIEW.min(most) } else { most.saturating_sub(AROUND).max(PREVIEW.min(most)) };
    let preview = beginning(&text, room);
    let mut out = String::from(SHORTENED);
    json::push_string(&mut out, preview);
    let _ = write!(out, r#","chars":{chars},"#);
    let (shown, is_kept) = (preview.chars().count(), kept.is_some());
    if let Some(name) = kept {
        out.push_str(r#""file":"#);
        json::push_string(&mut out, &name);
        let _ = write!(
            out,
            r#","bytes":{},"hint":"these are the first {shown} characters; all of the result is in the file, to be read in parts"}}"#,
            text.len()
        );
    } else {
        let missing = chars - shown;
        let _ = write!(
            out,
            r#""missing":{missing},"hint":"these are the first {shown} characters; the other {missing} are lost. Call again, and ask for less"}}"#
        );
    }
    Shortened { json: out, is_kept, fault }
}

/// Returns the results to shorten so that all of them together have at most `most` characters, the largest first, and
/// the new limit of each. `sizes` has the characters of each result, and whether it may be shortened.
pub(crate) fn over_budget(sizes: &[(usize, bool)], most: usize, is_kept: bool) -> Vec<(usize, usize)> {
    let mut over = sizes.iter().map(|(size, _)| size).sum::<usize>().saturating_sub(most);
    let mut largest: Vec<usize> = (0..sizes.len()).filter(|&at| sizes[at].1).collect();
    largest.sort_by_key(|&at| std::cmp::Reverse(sizes[at].0));
    let least = PREVIEW + AROUND;
    let mut shortened = Vec::new();
    for at in largest {
        let (size, _) = sizes[at];
        if over == 0 || size <= least {
            break;
        }
        let left = if is_kept { least } else { size.saturating_sub(over).max(least) };
        over = over.saturating_sub(size - left);
        shortened.push((at, left));
    }
    shortened
}

/// Returns a result as a person or a model would read it in a file, and the file's extension.
fn readable(json: &str) -> (String, &'static str) {
    match serde_json::from_str::<String>(json) {
        Ok(text) => (text, "txt"),
        Err(_) => (json::indented(json, 0), "json"),
    }
}

/// Returns as much of the beginning as needs at most `room` characters of a JSON string, up to the end of a line if
/// there is one in the second half.
fn beginning(text: &str, room: usize) -> &str {
    let mut used = 0;
    let fits = |(_, letter): &(usize, char)| {
        used += match letter {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            '\0'..='\x1f' => 6,
            _ => 1,
        };
        used > room
    };
    let end = text.char_indices().find(fits).map_or(text.len(), |(end, _)| end);
    let whole = &text[..end];
    match whole.rfind('\n') {
        Some(line_end) if end < text.len() && line_end >= end / 2 => &whole[..=line_end],
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use serde_json::Value;

    use super::*;
    use crate::result::output::ToolOutput;

    struct Keeps;

    impl SpillStore for Keeps {
        fn keep(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
            match tool {
                "full" => Err(io::Error::other("no space left")),
                "broken" => panic!("no folder"),
                _ => Ok(format!("{tool}.{extension} {}", text.chars().count())),
            }
        }
    }

    fn short(json: &str, most: usize, tool: &str, spill: Option<&dyn SpillStore>) -> (Value, Option<String>) {
        let Shortened { json, is_kept, fault } = shorten(json, most, tool, spill);
        assert_eq!(is_kept, json.contains("\"file\":"));
        (serde_json::from_str(&json).unwrap(), fault)
    }

    #[test]
    fn what_is_kept_is_named_and_its_beginning_shown() {
        let text = "a line of \"20\" lett\n".repeat(500);
        let (told, fault) = short(ToolOutput::text(&text).as_json(), 5_000, "say", Some(&Keeps));
        assert_eq!((&told["truncated"], &told["file"], fault), (&true.into(), &"say.txt 10000".into(), None));
        assert_eq!((&told["chars"], &told["bytes"], told.get("missing")), (&10_000.into(), &10_000.into(), None));
        let preview = told["preview"].as_str().unwrap();
        assert!(text.starts_with(preview) && preview.ends_with("lett\n") && preview.len() > 1_250, "{preview}");
        let (told, _) = short(r#"{"a":[1,"ä{"],"b":{}}"#, 8, "say", Some(&Keeps));
        assert_eq!((&told["file"], &told["preview"]), (&"say.json 43".into(), &"{\n  \"a".into()));
    }

    #[test]
    fn what_nothing_keeps_is_told_to_be_missing() {
        let letters = "\"ü\u{1}".repeat(4_000);
        for (tool, spill, fault) in [
            ("say", None, None),
            ("full", Some(&Keeps as &dyn SpillStore), Some("no space left")),
            ("broken", Some(&Keeps), Some("no folder")),
        ] {
            let json = ToolOutput::text(&letters).into_json();
            let (told, noted) = short(&json, 9_000, tool, spill);
            assert_eq!(noted.as_deref(), fault);
            let preview = told["preview"].as_str().unwrap();
            assert!(letters.starts_with(preview) && told.get("file").is_none());
            let shown = preview.chars().count();
            assert_eq!(told["missing"], 12_000 - shown);
            assert!(shown > 2_500 && !is_over(&told.to_string(), 9_000), "{shown}");
        }
    }

    #[test]
    fn the_largest_are_shortened_first() {
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
