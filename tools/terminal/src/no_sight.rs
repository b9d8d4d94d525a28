//! What a command sees of what is hidden from others: this system hides nothing.

use toolc::{Call, ToolError};
use toolc_environment::{Environment, Sees};

use crate::place::{CommandStart, Variables};

/// What a command sees.
#[derive(Debug, Default)]
pub(crate) struct Sight {
    pub(crate) sees: Sees,
    pub(crate) note: Option<String>,
    pub(crate) note_on_failure: Option<String>,
}

impl Sight {
    pub(crate) fn of_command(
        _: &str,
        _: &CommandStart,
        _: &dyn Environment,
        _: &Variables,
        _: &Call<'_>,
    ) -> Result<Self, ToolError> {
        Ok(Self::default())
    }
}
