//! Projects written as one text.

/// The files in `text`: the path of each, which follows `--- ` at the beginning of a line, and the lines below it.
pub fn files(text: &str) -> Vec<(&str, &str)> {
    let is_head = |at: usize| at == 0 || text[..at].ends_with('\n');
    let heads: Vec<usize> = text.match_indices("--- ").map(|(at, _)| at).filter(|at| is_head(*at)).collect();
    let ends = heads.iter().skip(1).copied().chain([text.len()]);
    heads.iter().zip(ends).filter_map(|(&head, end)| text[head + 4..end].split_once('\n')).collect()
}

/// The same, owned.
pub fn owned_files(text: &str) -> impl Iterator<Item = (String, String)> {
    files(text).into_iter().map(|(path, text)| (path.to_owned(), text.to_owned()))
}
