//! Projects that are written as one text.

/// Splits `text` into files. A line `--- PATH` begins a file.
pub fn files(text: &str) -> Vec<(&str, &str)> {
    let is_head = |at: usize| at == 0 || text[..at].ends_with('\n');
    let heads: Vec<usize> = text.match_indices("--- ").map(|(at, _)| at).filter(|at| is_head(*at)).collect();
    let ends = heads.iter().skip(1).copied().chain([text.len()]);
    heads.iter().zip(ends).filter_map(|(&head, end)| text[head + 4..end].split_once('\n')).collect()
}

/// Does the same as [`files`], with owned texts.
pub fn owned_files(text: &str) -> impl Iterator<Item = (String, String)> {
    files(text).into_iter().map(|(path, text)| (path.to_owned(), text.to_owned()))
}
