//! A sink that keeps what a program writes.

use std::sync::{Arc, Mutex};

use toolc_environment::Sink;
use toolc_test_support::wait_until;

/// What a program has written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text(Arc<Mutex<Vec<u8>>>);

impl Text {
    /// Returns the text so far.
    pub(crate) fn get(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// Returns the bytes so far.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().expect("no test panics with it").clone()
    }

    /// Waits until the text contains a part.
    #[track_caller]
    pub(crate) fn wait_for(&self, part: &str) {
        wait_until(&format!("`{part}` in the output"), || self.get().contains(part));
    }
}

impl Sink for Text {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.0.lock().expect("no test panics with it").extend(bytes);
        true
    }
}
