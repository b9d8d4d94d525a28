//! toolc: a registry and a session. A host creates a turn for each request to a model, and makes calls in that turn.

use std::sync::OnceLock;

use toolc::{Dialect, FactValue, Session, Turn};

use super::Side;
use crate::ours;

pub(crate) struct Toolc {
    session: Session,
    turn: OnceLock<Turn>,
}

impl Toolc {
    pub(crate) fn new() -> Self {
        let session = ours::registry().session().build().expect("everything can be enabled");
        Self { session, turn: OnceLock::new() }
    }

    /// Changes a fact, so that the next turn cannot reuse the last one.
    pub(crate) fn set_vision(&self, vision: bool) {
        self.session.set_facts([("vision".into(), FactValue::from(vision))]).expect("there is such a fact");
    }
}

impl Side for Toolc {
    fn list(&self, show: &mut dyn FnMut(&str)) {
        show(self.session.turn_blocking(Dialect::OpenAi).definitions());
    }

    fn call(&self, arguments: &str) -> String {
        let turn = self.turn.get_or_init(|| self.session.turn_blocking(Dialect::OpenAi));
        ours::call(turn, "trivial", arguments).json
    }
}
