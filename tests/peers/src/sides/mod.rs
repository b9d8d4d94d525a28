//! The libraries, each with the bench project's 40 tools, used as documented. If there are several ways, the fastest that takes a host
//! only a few lines.

pub(crate) mod floor;
pub(crate) mod llm_tool;
pub(crate) mod rig;
pub(crate) mod rmcp;
pub(crate) mod toolc;

/// The 40 tools, registered.
pub(crate) trait Side {
    /// Returns the list of the tools as JSON text.
    fn list(&self, show: &mut dyn FnMut(&str));

    /// Returns the response to a call of `trivial` as JSON text.
    fn call(&self, arguments: &str) -> String;
}
