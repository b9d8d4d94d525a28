//! The time that each stage of a run took.

use std::time::{Duration, Instant};

/// The stages of a run in their order, each with its time.
#[derive(Debug, Default)]
pub(crate) struct Timings(Vec<(&'static str, Duration)>);

impl Timings {
    /// Runs a stage and records its time.
    pub(crate) fn measure<T>(&mut self, stage: &'static str, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        self.0.push((stage, start.elapsed()));
        result
    }

    /// Returns the sum of all stages.
    pub(crate) fn total(&self) -> Duration {
        self.0.iter().map(|(_, time)| *time).sum()
    }

    /// Returns a line for each stage, and one for their sum.
    #[cfg(feature = "cli")]
    pub(crate) fn table(&self) -> String {
        let total = [("total", self.total())];
        let line = |(stage, time): &(&str, Duration)| format!("{stage:<8}{:>10.1} ms\n", time.as_secs_f64() * 1_000.0);
        self.0.iter().chain(&total).map(line).collect()
    }
}
