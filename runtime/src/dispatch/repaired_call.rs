//! Calls with repaired arguments: the repairs are counted at once, and found when the host reads them.

use std::sync::{Arc, OnceLock};

use crate::args::Limits;
use crate::args::repaired::RepairedParameters;
use crate::args::repairs::{self, FindRepairs, Repair, Repairs};
use crate::call::ToolCall;
use crate::registration::ids::ToolId;
use crate::session::turn::Turn;

struct RepairedCall {
    turn: Turn,
    tool: ToolId,
    arguments: Box<str>,
    found: OnceLock<Vec<Repair>>,
}

impl FindRepairs for RepairedCall {
    fn repairs(&self) -> &[Repair] {
        let Self { turn, tool, arguments, found } = self;
        found.get_or_init(|| repairs::find(arguments, turn.table(*tool), Limits::default()))
    }
}

impl Turn {
    /// Counts the repairs of a call, and returns them.
    #[cold]
    pub(super) fn record_repairs(&self, id: ToolId, request: &ToolCall<'_>, repaired: RepairedParameters) -> Repairs {
        let (tool, arguments) = (id, request.arguments().into());
        let call = Arc::new(RepairedCall { turn: self.clone(), tool, arguments, found: OnceLock::new() });
        self.state().count_repairs(id, self.table(id), repaired, || call.repairs());
        Repairs::of(call)
    }
}
