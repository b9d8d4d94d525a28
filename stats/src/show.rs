//! The forms in which sizes are printed.

use serde_json::{Map, Value, json};

use crate::encoding::Encoding;
use crate::measure::{Sizes, Tokens};

/// What is printed.
pub(crate) struct Shown<'s> {
    pub sizes: &'s Sizes,
    pub encoding: Encoding,
}

impl Shown<'_> {
    /// Returns two tables: toolsets by name, and tools, the largest of the first dialect first.
    pub(crate) fn text(&self) -> String {
        let tables = self.tables();
        let tables = tables.iter().map(|table| format!("\n{}", aligned(table)));
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
        format!("{}{}", self.title(), self.tables().map(table).concat())
    }

    pub(crate) fn json(&self) -> Value {
        let sizes = self.sizes;
        let tokens = |tokens: &Tokens| -> Value {
            let by_dialect =
                sizes.dialects.iter().zip(tokens).map(|(dialect, count)| (dialect.name.to_owned(), json!(count)));
            by_dialect.collect::<Map<_, _>>().into()
        };
        let dialects =
            sizes.dialects.iter().map(|dialect| json!({ "name": dialect.name, "estimated": !dialect.is_exact }));
        let toolsets = sizes.toolsets.iter().map(|(name, toolset)| {
            json!({ "name": name, "tools": toolset.tools, "budget": toolset.budget, "tokens": tokens(&toolset.tokens) })
        });
        let tools = sizes.tools.iter().map(|(name, counts)| json!({ "name": name, "tokens": tokens(counts) }));
        json!({
            "encoding": self.encoding.name(),
            "dialects": dialects.collect::<Value>(),
            "toolsets": toolsets.collect::<Value>(),
            "tools": tools.collect::<Value>(),
        })
    }

    fn title(&self) -> String {
        let estimates = if self.sizes.dialects.iter().all(|dialect| dialect.is_exact) {
            ""
        } else {
            "; ~ marks an estimate, because the vendor does not publish its vocabulary"
        };
        format!("Tokens of the definitions in {}{estimates}.\n", self.encoding.name())
    }

    /// Returns the rows of the tables, each with a row of titles.
    fn tables(&self) -> [Vec<Vec<String>>; 2] {
        let sizes = self.sizes;
        let titles = |first: &[&str]| -> Vec<String> {
            let dialects = sizes.dialects.iter().map(|dialect| dialect.name);
            first.iter().copied().chain(dialects).map(str::to_owned).collect()
        };
        let mut toolsets = vec![titles(&["toolset", "tools", "budget"])];
        toolsets.extend(sizes.toolsets.iter().map(|(name, toolset)| {
            let budget = toolset.budget.map_or_else(|| "-".to_owned(), |budget| grouped(budget as usize));
            [name.clone(), toolset.tools.to_string(), budget].into_iter().chain(self.counts(&toolset.tokens)).collect()
        }));
        let mut largest: Vec<(&String, &Tokens)> = sizes.tools.iter().collect();
        largest.sort_by_key(|(_, tokens)| std::cmp::Reverse(tokens.first().copied().flatten()));
        let mut tools = vec![titles(&["tool"])];
        tools.extend(
            largest
                .into_iter()
                .map(|(name, tokens)| std::iter::once(name.clone()).chain(self.counts(tokens)).collect()),
        );
        [toolsets, tools]
    }

    fn counts<'t>(&'t self, tokens: &'t Tokens) -> impl Iterator<Item = String> + 't {
        self.sizes.dialects.iter().zip(tokens).map(|(dialect, count)| match count {
            Some(count) if dialect.is_exact => grouped(*count),
            Some(count) => format!("~{}", grouped(*count)),
            None => "-".to_owned(),
        })
    }
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
