//! The libraries, each with the bench project's 40 tools, used as its documentation says. Where there are several ways,
//! the fastest one that takes a host no more than a few lines.

pub(crate) mod floor;
pub(crate) mod llm_tool;
pub(crate) mod rig;
pub(crate) mod rmcp;
pub(crate) mod toolc;

/// The 40 tools, registered.
pub(crate) trait Side {
    /// Shows their list as JSON text.
    fn list(&self, show: &mut dyn FnMut(&str));

    /// The answer to a call of `trivial`, as JSON text.
    fn call(&self, arguments: &str) -> String;
}
