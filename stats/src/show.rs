//! The forms in which sizes are printed.

use serde_json::{Map, Value, json};

use crate::encoding::Encoding;
use crate::measure::{Column, Sizes, Tokens};

/// What is printed.
pub(crate) struct Shown<'s> {
    pub sizes: &'s Sizes,
    /// Another version: only what differs from it is shown.
    pub before: Option<Before<'s>>,
    pub encoding: Encoding,
}

/// Another version of the project.
pub(crate) struct Before<'s> {
    /// How the user named it.
    pub against: &'s str,
    pub sizes: &'s Sizes,
}

impl Shown<'_> {
    /// Returns two tables: toolsets by name, and tools, the largest of the first dialect first.
    pub(crate) fn text(&self) -> String {
        let tables = self.tables();
        let tables = tables.iter().filter(|table| table.len() > 1).map(|table| format!("\n{}", aligned(table)));
        format!("{}{}", self.title(), tables.collect::<String>())
    }

    /// Returns the tables of [`Self::text`] as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let cells = |row: &[String]| format!("| {} |\n", row.join(" | "));
        let table = |rows: Vec<Vec<String>>| {
            let columns = rows.first().map_or(0, Vec::len);
            let line = format!("|---|{}\n", "---:|".repeat(columns.saturating_sub(1)));
            let (head, rows) = rows.split_at(1.min(rows.len()));
            let rows = rows.iter().map(|row| cells(&named(row)));
            format!("\n{}{line}{}", head.iter().map(|row| cells(row)).collect::<String>(), rows.collect::<String>())
        };
        let tables = self.tables().into_iter().filter(|table| table.len() > 1).map(table);
        format!("{}{}", self.title(), tables.collect::<String>())
    }

    pub(crate) fn json(&self) -> Value {
        let dialects = self.sizes.dialects.iter();
        let dialects = dialects.map(|dialect| json!({ "name": dialect.name, "estimated": !dialect.is_exact }));
        let mut json = sizes_json(self.sizes);
        json.insert("encoding".to_owned(), self.encoding.name().into());
        json.insert("dialects".to_owned(), dialects.collect());
        if let Some(before) = &self.before {
            json.insert("before".to_owned(), sizes_json(before.sizes).into());
        }
        json.into()
    }

    fn title(&self) -> String {
        let estimates = if self.sizes.dialects.iter().all(|dialect| dialect.is_exact) {
            ""
        } else {
            "; ~ marks an estimate, because the vendor does not publish its vocabulary"
        };
        let title = format!("Tokens of the definitions in {}{estimates}.\n", self.encoding.name());
        match &self.before {
            None => title,
            Some(Before { against, .. }) if self.tables().iter().all(|table| table.len() < 2) => {
                format!("{title}Nothing has changed since {against}.\n")
            }
            Some(Before { against, .. }) => format!("{title}Only what has changed since {against}.\n"),
        }
    }

    /// Returns the rows of the tables, each with a row of titles.
    fn tables(&self) -> [Vec<Vec<String>>; 2] {
        let sizes = self.sizes;
        let titles = |first: &[&str]| -> Vec<String> {
            let dialects = sizes.dialects.iter().map(|dialect| dialect.name);
            first.iter().copied().chain(dialects).map(str::to_owned).collect()
        };
        let mut toolsets = vec![titles(&["toolset", "tools", "budget"])];
        for name in self.names(|sizes| sizes.toolsets.keys().collect()) {
            let Some(counts) = self.counts(|sizes| Some(&sizes.toolsets.get(name)?.tokens)) else { continue };
            let toolset = sizes.toolsets.get(name);
            let budget =
                toolset.and_then(|toolset| toolset.budget).map_or_else(missing, |budget| grouped(budget as usize));
            let tools = toolset.map_or_else(missing, |toolset| toolset.tools.to_string());
            toolsets.push([name.clone(), tools, budget].into_iter().chain(counts).collect());
        }
        let mut largest = self.names(|sizes| sizes.tools.keys().collect());
        largest.sort_by_key(|name| std::cmp::Reverse(sizes.tools.get(*name).and_then(|tokens| *tokens.first()?)));
        let mut tools = vec![titles(&["tool"])];
        for name in largest {
            let Some(counts) = self.counts(|sizes| sizes.tools.get(name)) else { continue };
            tools.push(std::iter::once(name.clone()).chain(counts).collect());
        }
        [toolsets, tools]
    }

    /// Returns the names of both versions, sorted.
    fn names(&self, of: impl Fn(&Sizes) -> Vec<&String>) -> Vec<&String> {
        let mut names = of(self.sizes);
        names.extend(self.before.iter().flat_map(|before| of(before.sizes)));
        names.sort();
        names.dedup();
        names
    }

    /// Returns the cells of a row, or `None` if nothing has changed since the version before.
    fn counts(&self, find: impl Fn(&Sizes) -> Option<&Tokens>) -> Option<Vec<String>> {
        let now = find(self.sizes);
        let before = self.before.as_ref().map(|before| find(before.sizes));
        if before == Some(now) {
            return None;
        }
        let at = |tokens: Option<&Tokens>, at: usize| tokens.and_then(|tokens| *tokens.get(at)?);
        let cell = |(index, dialect): (usize, &Column)| {
            let written = |count: Option<usize>| match count {
                Some(count) if dialect.is_exact => grouped(count),
                Some(count) => format!("~{}", grouped(count)),
                None => missing(),
            };
            let now = at(now, index);
            match before.map(|before| at(before, index)) {
                Some(before) if before != now => format!("{} → {}", written(before), written(now)),
                _ => written(now),
            }
        };
        Some(self.sizes.dialects.iter().enumerate().map(cell).collect())
    }
}

/// Returns the keys `toolsets` and `tools`.
fn sizes_json(sizes: &Sizes) -> Map<String, Value> {
    let tokens = |tokens: &Tokens| -> Value {
        let by_dialect = sizes.dialects.iter().zip(tokens);
        by_dialect.map(|(dialect, count)| (dialect.name.to_owned(), json!(count))).collect::<Map<_, _>>().into()
    };
    let toolsets = sizes.toolsets.iter().map(|(name, toolset)| {
        json!({ "name": name, "tools": toolset.tools, "budget": toolset.budget, "tokens": tokens(&toolset.tokens) })
    });
    let tools = sizes.tools.iter().map(|(name, counts)| json!({ "name": name, "tokens": tokens(counts) }));
    Map::from_iter([("toolsets".to_owned(), toolsets.collect()), ("tools".to_owned(), tools.collect())])
}

/// Returns the cell of a number that does not exist.
fn missing() -> String {
    "-".to_owned()
}

/// Returns a row whose first cell, a name, is code.
fn named(row: &[String]) -> Vec<String> {
    let mut row = row.to_vec();
    if let Some(name) = row.first_mut() {
        *name = format!("`{name}`");
    }
    row
}

/// Returns rows with columns of equal width: names at the left, numbers at the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells =
            cells.map(|(at, (cell, width))| if at == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// Returns a number with a comma between groups of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn numbers_have_groups_of_three_digits() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
