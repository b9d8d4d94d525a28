//! Markdown for a terminal: headings are bold or underlined, and code is indented.

/// Renders the Markdown of an explanation. Paragraphs and lists stay as they are.
pub(super) fn render(markdown: &str, colour: bool) -> String {
    let mut text = String::new();
    let mut is_code = false;
    for line in markdown.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            text += &indented(line);
        } else if let Some(title) = heading(line) {
            text += &if colour {
                format!("\u{1b}[1m{title}\u{1b}[0m\n")
            } else {
                format!("{title}\n{}\n", "-".repeat(title.chars().count()))
            };
        } else {
            let emphasis = line.strip_prefix('*').and_then(|rest| rest.strip_suffix('*'));
            text += &format!("{}\n", emphasis.filter(|inner| !inner.contains('*')).unwrap_or(line));
        }
    }
    text
}

/// Returns the title of a heading: `### TITLE`, or a line `**TITLE**`.
fn heading(line: &str) -> Option<String> {
    let marked = line.starts_with('#').then(|| line.trim_start_matches('#').trim());
    let bold = || line.strip_prefix("**")?.strip_suffix("**");
    let title = marked.or_else(bold)?;
    Some(title.replace('`', ""))
}

fn indented(line: &str) -> String {
    if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn headings_are_marked_and_code_is_indented() {
        let markdown =
            "### C001 `syntax`\n\n*Always an error.*\n\nA `*` stays.\n\n**Example**\n\n```toml\n# a.toml\n\n[b]\n```\n";
        let plain = "C001 syntax\n-----------\n\nAlways an error.\n\nA `*` stays.\n\nExample\n-------\n\n    # a.toml\n\n    [b]\n";
        assert_eq!(render(markdown, false), plain);
        let coloured = render(markdown, true);
        assert!(coloured.starts_with("\u{1b}[1mC001 syntax\u{1b}[0m\n\n") && !coloured.contains("---"), "{coloured}");
    }
}
