//! Suggestions of similar names ("did you mean"), for the compiler and the runtime.

use crate::sorted;

/// Returns up to three of `candidates` that `name` probably is a misspelling of, the most similar first.
///
/// A candidate is similar if at most a third of its letters differ (swapped neighbours count as one difference; case, and `-`
/// instead of `_`, are ignored), or if one name is a prefix of the other and has at least three letters.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    nearest_of(name, &mut candidates.into_iter())
}

/// Returns the candidate that is nearer to `name` than every other one, or `None` if that is not certain: if two are equally near, or the
/// nearest is much shorter or longer, because then something else may have been meant.
pub fn misspelt<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    const MAX_DIFFERENCE: usize = 2;
    let (_, only) = match ranked(name, &mut candidates.into_iter())[..] {
        [only] => only,
        [first, second, ..] if first.0 < second.0 => first,
        _ => return None,
    };
    (name.len().abs_diff(only.len()) <= MAX_DIFFERENCE).then_some(only)
}

fn nearest_of<'c>(name: &str, candidates: &mut dyn Iterator<Item = &'c str>) -> Vec<&'c str> {
    ranked(name, candidates).into_iter().map(|(_, candidate)| candidate).collect()
}

/// Returns up to three similar candidates with the number of letters that differ, the most similar first.
fn ranked<'c>(name: &str, candidates: &mut dyn Iterator<Item = &'c str>) -> Vec<(usize, &'c str)> {
    /// Longer names are ignored, because the time is quadratic in their length.
    const MAX_BYTES: usize = 128;
    if name.len() > MAX_BYTES {
        return Vec::new();
    }
    let wanted = fold(name);
    let mut similar: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates.filter(|candidate| candidate.len() <= MAX_BYTES) {
        let folded = fold(candidate);
        let distance = strsim::osa_distance(&wanted, &folded);
        let (short, long) = (wanted.len().min(folded.len()), wanted.len().max(folded.len()));
        let close = distance * 3 <= long.max(3) && distance < long;
        let prefix = short >= 3 && (wanted.starts_with(&folded) || folded.starts_with(&wanted));
        if close || prefix {
            sorted::insert(&mut similar, (distance, candidate));
            similar.truncate(3);
        }
    }
    similar
}

/// Does the same as [`nearest`] for names of several words, such as those of tools: also finds the same words in another order, form or
/// number (`fileSearch` for `search_files`), and names with more words or fewer (`fs_read_file`).
pub fn nearest_name<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    nearest_name_of(name, &mut candidates.into_iter())
}

fn nearest_name_of<'c>(name: &str, candidates: &mut dyn Iterator<Item = &'c str>) -> Vec<&'c str> {
    let candidates: Vec<&str> = candidates.collect();
    let (wanted, mut ranked) = (words(name), Vec::new());
    for candidate in &candidates {
        if let Some(more) = additional_words(&wanted, &words(candidate)) {
            sorted::insert(&mut ranked, (more, *candidate));
            ranked.truncate(3);
        }
    }
    let same: Vec<&str> = ranked.iter().filter(|(more, _)| *more == 0).map(|(_, name)| *name).collect();
    if !same.is_empty() {
        return same;
    }
    let mut near = nearest(name, candidates);
    let more: Vec<&str> = ranked.into_iter().map(|(_, name)| name).filter(|name| !near.contains(name)).collect();
    near.extend(more);
    near.truncate(3);
    near
}

/// Returns how many words one of two names has in addition to all words of the other, or `None` if neither has all of them.
fn additional_words(one: &[String], other: &[String]) -> Option<usize> {
    let (few, many) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let is_similar = |a: &str, b: &str| a == b || (a.len() > 4 && strsim::osa_distance(a, b) < 2);
    let mut rest: Vec<&String> = many.iter().collect();
    for word in few {
        let at = rest.iter().position(|other| is_similar(word, other))?;
        rest.remove(at);
    }
    // A short word, such as `get`, says little.
    (few.iter().map(String::len).sum::<usize>() > 3).then_some(rest.len())
}

/// Returns the words of a name in lower case and in the singular, without words such as `tool`.
fn words(name: &str) -> Vec<String> {
    const MAX_WORDS: usize = 12;
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars().take(128) {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase()));
        }
        was_lower = letter.is_lowercase();
    }
    let singular = |word: &str| {
        let stem = word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s'));
        stem.unwrap_or(word).to_owned()
    };
    let words = words.iter().map(|word| singular(word));
    words.filter(|word| !matches!(&**word, "" | "tool" | "function")).take(MAX_WORDS).collect()
}

/// Returns the question "did you mean `a` or `b`?", or `None` if `near` is empty.
pub fn did_you_mean<S: AsRef<str>>(near: &[S]) -> Option<String> {
    let names: Vec<String> = near.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// Returns the question about `name` with a colon before it, to append to the message that `name` is unknown: ``: did you mean `a`?``. It is
/// empty if no candidate is similar.
pub fn suggestion<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    suggestion_of(name, &mut candidates.into_iter())
}

fn suggestion_of(name: &str, candidates: &mut dyn Iterator<Item = &str>) -> String {
    did_you_mean(&nearest_name_of(name, candidates)).map_or_else(String::new, |question| format!(": {question}"))
}

fn fold(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_found_and_other_names_are_not() {
        let tools = ["patch", "read_file", "search_files", "terminal", "todo", "write_file"];
        assert_eq!(nearest("raed_file", tools), ["read_file"]);
        assert_eq!(nearest("Read-File", tools), ["read_file"]);
        assert_eq!(nearest("term", tools), ["terminal"]);
        assert_eq!(nearest("serach_files", tools), ["search_files"]);
        assert!(nearest("browser_click", tools).is_empty());
        assert!(nearest("to", ["at"]).is_empty());
        assert!(nearest("a", ["b"]).is_empty());
        assert!(nearest(&"x".repeat(1_000_000), tools).is_empty());
    }

    #[test]
    fn a_misspelling_is_certain_if_no_other_candidate_is_as_near() {
        let keywords = ["maxItems", "maxLength", "minItems", "minLength"];
        for (name, expected) in [
            ("minLenght", Some("minLength")),
            ("MAXITEMS", Some("maxItems")),
            ("mxItems", Some("maxItems")),
            // `maxItems` and `minItems` are equally near.
            ("mItems", None),
            ("length", None),
        ] {
            assert_eq!(misspelt(name, keywords), expected, "{name}");
        }
        assert_eq!(misspelt("Async", ["sync", "blocking", "async", "agent"]), Some("async"));
        assert_eq!(misspelt("desc", ["description"]), None);
    }

    #[test]
    fn the_words_of_a_name_may_have_another_order_form_or_number() {
        let tools = [
            "patch",
            "read_file",
            "search_files",
            "session_search",
            "terminal",
            "todo",
            "write_file",
            "kanban_list",
            "kanban_show",
            "execute_code",
            "process",
            "cronjob",
            "delegate_task",
            "browser_get_images",
        ];
        for (name, expected) in [
            ("file_search", "search_files"),
            ("search_file", "search_files"),
            ("searchFile", "search_files"),
            ("FilesSearch", "search_files"),
            ("file-read", "read_file"),
            ("fileRead", "read_file"),
            ("files.read", "read_file"),
            ("FileWrite", "write_file"),
            ("fs_read_file", "read_file"),
            ("filesystem__write_file", "write_file"),
            ("read_file_tool", "read_file"),
            ("tool_read_file", "read_file"),
            ("mcp__filesystem__read_file", "read_file"),
            ("list_kanban", "kanban_list"),
            ("kanbanList", "kanban_list"),
            ("list_kanbans", "kanban_list"),
            ("show_kanban", "kanban_show"),
            ("code_execute", "execute_code"),
            ("python_execute_code", "execute_code"),
            ("file_serach", "search_files"),
            ("search_session", "session_search"),
            ("searchSessions", "session_search"),
            ("process_tool", "process"),
            ("processes", "process"),
            ("manage_process", "process"),
            ("cronjob_manage", "cronjob"),
            ("schedule_cronjob", "cronjob"),
            ("list_cronjobs", "cronjob"),
            ("remove_cronjob", "cronjob"),
            ("task_delegate", "delegate_task"),
            ("todo_write", "todo"),
            ("TodoWrite", "todo"),
            ("run_terminal", "terminal"),
            ("getImagesBrowser", "browser_get_images"),
        ] {
            assert_eq!(nearest_name(name, tools), [expected], "{name}");
        }
        assert_eq!(nearest_name("file", tools), ["read_file", "search_files", "write_file"]);
        for name in ["", "_", "get", "xyz", "web_extract", "tool", "functions", "vision_analyze", "ünïcode", "a_b_c"]
        {
            assert!(nearest_name(name, tools).is_empty(), "{name}: {:?}", nearest_name(name, tools));
        }
        let long = "long_words_".repeat(4000);
        assert!(nearest_name(&long, tools).is_empty());
    }
}
