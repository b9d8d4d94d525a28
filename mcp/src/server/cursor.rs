//! The pages of lists. The cursor of the next page has the position of its first item, and the hash of the list: after the list has changed,
//! the cursor is refused.

use rmcp::ErrorData;

/// A list that is served in pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pages<'l> {
    /// The number of items.
    pub(super) len: usize,
    /// Represents the items in cursors.
    pub(super) hash: u64,
    /// What the items are, such as `tools`.
    pub(super) items: &'l str,
}

impl Pages<'_> {
    /// Returns the position at which the page of a cursor begins.
    ///
    /// # Errors
    /// Returns an error if the cursor belongs to another list.
    pub(super) fn start(self, cursor: Option<&str>) -> Result<usize, ErrorData> {
        match cursor {
            // Some clients write an empty cursor for the first page. No page has such a cursor.
            None | Some("") => Ok(0),
            Some(cursor) => self.position(cursor).ok_or_else(|| {
                let items = self.items;
                let text = format!(
                    "invalid cursor: the {items} have changed since the first page, so list them again without a cursor"
                );
                ErrorData::invalid_params(text, None)
            }),
        }
    }

    /// Returns the cursor of the page that begins at `end`, if there is one.
    pub(super) fn next(self, end: usize) -> Option<String> {
        (end < self.len).then(|| format!("{end}-{:x}", self.hash))
    }

    fn position(self, cursor: &str) -> Option<usize> {
        let (position, hash) = cursor.split_once('-')?;
        let position = position.parse().ok().filter(|position| (1..self.len).contains(position))?;
        (u64::from_str_radix(hash, 16) == Ok(self.hash)).then_some(position)
    }
}
