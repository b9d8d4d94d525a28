//! Applies the fixes of findings. Comments and layout are kept.

use toml_edit::{Array, DocumentMut, Item, RawString, Value};

use crate::compile_with;
use crate::diagnostic::{Diagnostic, Edit, Place, Places, SourceId};
use crate::format;
use crate::lint::Options;
use crate::source::Sources;

/// The maximum number of rounds. A fix can cause a finding that another fix corrects.
const MAX_ROUNDS: usize = 16;

/// Applies all fixes, and returns the changed files with their new texts.
pub fn fix(sources: &Sources, options: &Options) -> Vec<(SourceId, String)> {
    let mut fixed = sources.clone();
    for _ in 0..MAX_ROUNDS {
        let findings = compile_with(&fixed, options).diagnostics;
        let changed = changes(&Places::new(&fixed), &compatible(&findings));
        if changed.is_empty() {
            break;
        }
        fixed = fixed.with(&changed);
    }
    let all = (0..).map(SourceId).zip(sources.all().iter().zip(fixed.all()));
    all.filter(|(_, (old, new))| old.text != new.text).map(|(id, (_, new))| (id, new.text.to_string())).collect()
}

/// Returns the fix of a finding as replacements, one for each changed file: the range from the first to the last difference, and
/// its new text.
pub fn replacements(places: &Places<'_>, found: &Diagnostic) -> Vec<(Place, String)> {
    let edits: Vec<&Edit> = found.fix.iter().collect();
    let changed = changes(places, &edits).into_iter();
    let replacement = |(id, new): (SourceId, String)| {
        let old: &str = &places.sources.get(id).text;
        let same = |(a, b): &(char, char)| a == b;
        let start: usize = old.chars().zip(new.chars()).take_while(same).map(|(a, _)| a.len_utf8()).sum();
        let [old_rest, new_rest] = [&old[start..], &new[start..]];
        let end: usize =
            old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(same).map(|(a, _)| a.len_utf8()).sum();
        (Place::new(id, start..old.len() - end), new_rest[..new_rest.len() - end].to_owned())
    };
    changed.map(replacement).collect()
}

/// Returns the edits of the findings that do not overlap with earlier ones.
fn compatible(findings: &[Diagnostic]) -> Vec<&Edit> {
    let mut chosen: Vec<&Edit> = Vec::new();
    for found in findings {
        let conflicts = |edit: &Edit| chosen.iter().any(|other| other.place().touches(edit.place()));
        if !found.fix.iter().any(conflicts) {
            chosen.extend(&found.fix);
        }
    }
    chosen
}

/// Applies edits, and returns the changed files with their new texts.
fn changes(places: &Places<'_>, edits: &[&Edit]) -> Vec<(SourceId, String)> {
    let mut ids: Vec<SourceId> = edits.iter().map(|edit| edit.place().source).collect();
    ids.sort_unstable();
    ids.dedup();
    let change = |id: SourceId| {
        let source = places.sources.get(id);
        let edits: Vec<&Edit> = edits.iter().copied().filter(|edit| edit.place().source == id).collect();
        let text = apply(places, &source.text, &edits);
        // A formatted file stays formatted. Other files are not reformatted.
        let was_formatted = format::format(source.kind, &source.text).as_deref() == Some(&*source.text);
        let text = if was_formatted { format::format(source.kind, &text).unwrap_or(text) } else { text };
        (text != source.text).then_some((id, text))
    };
    ids.into_iter().filter_map(change).collect()
}

/// Applies the edits of one file to its text.
fn apply(places: &Places<'_>, text: &str, edits: &[&Edit]) -> String {
    let mut text = text.to_owned();
    let mut replaced: Vec<(Place, &str)> = Vec::new();
    let mut removed: Vec<Vec<String>> = Vec::new();
    for edit in edits {
        match edit {
            Edit::Replace(place, new) => replaced.push((*place, new)),
            Edit::Remove(place) => {
                let pointer = places.pointer(*place);
                let unescape = |step: &str| step.replace("~1", "/").replace("~0", "~");
                removed.push(pointer.split('/').skip(1).map(unescape).collect());
            }
        }
    }
    // From the end, so that earlier places stay valid.
    replaced.sort_by_key(|(place, _)| std::cmp::Reverse(place.span().start));
    for (place, new) in replaced {
        text.replace_range(place.span(), new);
    }
    if removed.is_empty() {
        return text;
    }
    let Ok(mut document) = text.parse::<DocumentMut>() else { return text };
    removed.sort_by_key(|steps| std::cmp::Reverse(steps.last().and_then(|step| step.parse::<usize>().ok())));
    for steps in removed {
        remove(document.as_item_mut(), &steps);
    }
    document.to_string()
}

/// Removes the entry or item at a path. An array that becomes empty is removed as well.
fn remove(root: &mut Item, path: &[String]) {
    let Some((last, parent_path)) = path.split_last() else { return };
    let mut is_empty = false;
    if let Some(parent) = find(root, parent_path) {
        match parent {
            Parent::Array(array) => {
                if let Ok(index) = last.parse::<usize>()
                    && index < array.len()
                {
                    remove_item(array, index);
                    is_empty = array.is_empty();
                }
            }
            Parent::Item(item) => {
                if let Some(table) = item.as_table_like_mut() {
                    table.remove(last);
                } else if let (Some(tables), Ok(index)) = (item.as_array_of_tables_mut(), last.parse::<usize>())
                    && index < tables.len()
                {
                    tables.remove(index);
                }
            }
        }
    }
    if is_empty {
        remove(root, parent_path);
    }
}

/// Removes an item of an array. A comment at the end of a line belongs to the item before it, so it is removed together with that
/// item, unless other items are in the same line.
fn remove_item(array: &mut Array, index: usize) {
    let text = |space: Option<&RawString>| space.and_then(RawString::as_str).unwrap_or_default().to_owned();
    let item = array.remove(index);
    // The white space and comments before the item: up to the line end they belong to the previous item or the bracket.
    let before = text(item.decor().prefix());
    // Those after the item, up to the next item or the bracket. Without a trailing comma, the last item has a suffix.
    let suffix = text(item.decor().suffix());
    let suffix = if suffix.trim().is_empty() { suffix } else { String::new() };
    let next = array.get(index).map(|next| text(next.decor().prefix()));
    let after = next.unwrap_or_else(|| suffix + &text(Some(array.trailing())));

    let previous_line = &before[..before.find('\n').unwrap_or(before.len())];
    let shares_line = index > 0 && !before.contains('\n');
    let kept = match after.find('\n') {
        Some(_) if shares_line => after,
        // What follows the item in its line is removed with it.
        Some(end) => format!("{}{}", previous_line.trim_end(), &after[end..]),
        None if previous_line.contains('#') => format!("{previous_line}\n{after}"),
        None if index == 0 => before,
        None => after,
    };
    match array.get_mut(index) {
        Some(next) => next.decor_mut().set_prefix(kept),
        None => array.set_trailing(kept),
    }
}

/// The table or array from which something is removed.
enum Parent<'d> {
    Item(&'d mut Item),
    Array(&'d mut Array),
}

fn find<'d>(item: &'d mut Item, path: &[String]) -> Option<Parent<'d>> {
    let Some((step, rest)) = path.split_first() else {
        return Some(match item {
            Item::Value(Value::Array(array)) => Parent::Array(array),
            item => Parent::Item(item),
        });
    };
    if item.is_table_like() {
        return find(item.as_table_like_mut()?.get_mut(step)?, rest);
    }
    // Inside a value only items of arrays are removed.
    let index: usize = step.parse().ok()?;
    match item {
        Item::Value(Value::Array(array)) => find_in_value(array.get_mut(index)?, rest),
        Item::ArrayOfTables(tables) => {
            let (step, rest) = rest.split_first()?;
            find(tables.get_mut(index)?.get_mut(step)?, rest)
        }
        _ => None,
    }
}

fn find_in_value<'d>(value: &'d mut Value, path: &[String]) -> Option<Parent<'d>> {
    let Some((step, rest)) = path.split_first() else {
        return if let Value::Array(array) = value { Some(Parent::Array(array)) } else { None };
    };
    match value {
        Value::Array(array) => find_in_value(array.get_mut(step.parse().ok()?)?, rest),
        Value::InlineTable(table) => find_in_value(table.get_mut(step)?, rest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(array: &str, index: usize) -> String {
        let mut document: DocumentMut = format!("a = {array}\nb = 1\n").parse().unwrap();
        remove(document.as_item_mut(), &["a".to_owned(), index.to_string()]);
        document.to_string()
    }

    #[test]
    fn comments_of_other_items_are_kept() {
        let lines = "[ # all\n  1, # one\n  # two\n  2, # two\n  3, # three\n]";
        for (array, index, expected) in [
            ("[1, 2, 3]", 0, "a = [2, 3]\nb = 1\n"),
            ("[1, 2, 3]", 1, "a = [1, 3]\nb = 1\n"),
            ("[ 1, 2 ]", 1, "a = [ 1 ]\nb = 1\n"),
            ("[1]", 0, "b = 1\n"),
            (lines, 0, "a = [ # all\n  # two\n  2, # two\n  3, # three\n]\nb = 1\n"),
            (lines, 1, "a = [ # all\n  1, # one\n  3, # three\n]\nb = 1\n"),
            (lines, 2, "a = [ # all\n  1, # one\n  # two\n  2, # two\n]\nb = 1\n"),
            ("[\n  1, 1, # both\n  2,\n]", 1, "a = [\n  1, # both\n  2,\n]\nb = 1\n"),
            ("[1, # one\n 2 # two\n]", 1, "a = [1 # one\n]\nb = 1\n"),
            ("[1, # one\n 2]", 1, "a = [1 # one\n]\nb = 1\n"),
        ] {
            assert_eq!(without(array, index), expected, "{array} {index}");
        }
    }

    #[test]
    fn entries_are_removed_at_any_depth() {
        let text = "a = { b = [{ c = 1, d = 2 }] }\n[[e]]\nf.g = 1\n[[e]]\nh = [[1, 2]]\n";
        for (steps, expected) in [
            ("e/0", "a = { b = [{ c = 1, d = 2 }] }\n[[e]]\nh = [[1, 2]]\n"),
            ("e/0/f/g", "a = { b = [{ c = 1, d = 2 }] }\n[[e]]\n[[e]]\nh = [[1, 2]]\n"),
            ("e/1/h/0/1", "a = { b = [{ c = 1, d = 2 }] }\n[[e]]\nf.g = 1\n[[e]]\nh = [[1]]\n"),
            ("a", "[[e]]\nf.g = 1\n[[e]]\nh = [[1, 2]]\n"),
            ("none/0", text),
        ] {
            let mut document: DocumentMut = text.parse().unwrap();
            remove(document.as_item_mut(), &steps.split('/').map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(document.to_string(), expected, "{steps}");
        }
    }
}
