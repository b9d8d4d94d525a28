//! The availability of tools: requirements, checks, and the reasons why granted tools are hidden.

pub(crate) mod resolve;
pub(crate) mod selection;

pub use crate::data::hidden_reason::HiddenReason;
pub use crate::data::requirement::Requirement;
pub use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::text::display::EscapedText;
use std::fmt;

/// A granted tool that a turn does not show: see [`Turn::hidden`](crate::Turn::hidden).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenTool<'a> {
    /// The tool's own name.
    pub tool: &'a str,
    /// The reason.
    pub reason: &'a HiddenReason,
}

impl fmt::Display for HiddenTool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The reason of a check may contain any text.
        write!(f, "the tool `{}` is not available now: {}", self.tool, EscapedText(&self.reason.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::time::Duration;

    use super::*;
    use crate::data::dialect::Dialect;

    #[test]
    fn reasons_are_sentences() {
        let names = |names: &[&'static str]| names.iter().map(|&name| Cow::from(name)).collect::<Vec<_>>();
        for (reason, text) in [
            (HiddenReason::Env(names(&["KEY"])), "needs the environment variable `KEY`"),
            (HiddenReason::Env(names(&["A", "B"])), "needs the environment variables `A` and `B`"),
            (HiddenReason::AnyEnv(names(&["A", "B", "C"])), "needs one of the environment variables `A`, `B` and `C`"),
            (HiddenReason::AnyEnv(names(&["A"])), "needs the environment variable `A`"),
            (HiddenReason::Programs(names(&["git"])), "needs the program `git`"),
            (HiddenReason::Os(names(&["linux", "macos"])), "runs only on `linux` or `macos`"),
            (HiddenReason::Facts(names(&["online"])), "the fact `online` rules it out"),
            (HiddenReason::Facts(names(&["online", "admin"])), "the facts `online` and `admin` rule it out"),
            (HiddenReason::Tools(names(&["a", "b", "c"])), "needs the tools `a`, `b` and `c`"),
            (HiddenReason::AnyTools(names(&["a", "b"])), "needs one of the tools `a` and `b`"),
            (HiddenReason::Unregistered(names(&["a"])), "needs the tool `a`, which no tool provider has"),
            (HiddenReason::Panicked("no state".into()), "its check failed unexpectedly: no state"),
            (HiddenReason::TimedOut(Duration::from_millis(1500)), "its check gave no answer within 1.5s"),
        ] {
            assert_eq!(reason.to_string(), text);
        }
        let called = |taken_by| HiddenReason::DialectName { dialect: Dialect::OpenAi, name: "a_b".into(), taken_by };
        let text = "cannot be called `a_b` in the dialect `openai`: ";
        assert_eq!(called(None).to_string(), format!("{text}the name is reserved there"));
        assert_eq!(called(Some("a_b".into())).to_string(), format!("{text}the tool `a_b` has this name there"));
        let reason = HiddenReason::Check("the daemon\n\u{1b}[2Jis not running".into());
        let hidden = HiddenTool { tool: "ask", reason: &reason };
        assert_eq!(hidden.to_string(), "the tool `ask` is not available now: the daemon\\n\\u{1b}[2Jis not running");
    }
}
