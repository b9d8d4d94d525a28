//! Calls with a repaired name or repaired arguments: repairs of arguments are counted at once, and all are found when the host reads them.

use std::sync::{Arc, OnceLock};

use crate::args::Limits;
use crate::args::repaired::RepairedParameters;
use crate::args::repairs::{self, FindRepairs, Repair, Repairs};
use crate::registration::ids::ToolId;
use crate::session::prepared::PreparedCall;
use crate::session::turn::Turn;
use crate::text::display::short_name;

struct RepairedCall {
    turn: Turn,
    tool: ToolId,
    /// The name that the model wrote, if it was corrected.
    called_as: Option<Box<str>>,
    arguments: Box<str>,
    found: OnceLock<Vec<Repair>>,
}

impl FindRepairs for RepairedCall {
    fn repairs(&self) -> &[Repair] {
        let Self { turn, tool, called_as, arguments, found } = self;
        let name = || called_as.iter().map(|sent| repairs::of_name(sent, turn.name(*tool)));
        found.get_or_init(|| name().chain(repairs::find(arguments, turn.table(*tool), Limits::default())).collect())
    }
}

impl Turn {
    /// Counts the repairs of the arguments of a call, and returns all its repairs.
    #[cold]
    pub(super) fn record_repairs(&self, id: ToolId, call: &PreparedCall<'_>, repaired: RepairedParameters) -> Repairs {
        let called_as = call.is_corrected.then(|| short_name(call.request.name()).into());
        let (tool, arguments) = (id, call.request.arguments().into());
        let call = Arc::new(RepairedCall { turn: self.clone(), tool, called_as, arguments, found: OnceLock::new() });
        if !repaired.is_empty() {
            self.state().count_repairs(id, self.table(id), repaired, || call.repairs());
        }
        Repairs::of(call)
    }
}
