//! Timing in rounds: toolc, the floor, toolc, the floor, ... so that other load of the machine affects every side. The result is
//! the median of the ratios of the rounds; the times only show the order of magnitude.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The target duration of a sample: far above the clock's resolution, and far below a time slice of the scheduler.
const SAMPLE: Duration = Duration::from_millis(1);

/// One of the compared sides. A call takes a sample, and returns the nanoseconds of one operation.
pub(crate) type Side<'a> = Box<dyn FnMut() -> f64 + 'a>;

/// The result of a side.
pub(crate) struct Timing {
    /// The median of all samples, in nanoseconds per operation.
    pub(crate) time: f64,
    /// The median over all rounds of the first side's time divided by this side's.
    pub(crate) ratio: f64,
}

/// Times all sides for about `budget` together.
pub(crate) fn rounds(budget: Duration, sides: &mut [Side<'_>]) -> Vec<Timing> {
    let mut rounds: Vec<Vec<f64>> = Vec::new();
    let start = Instant::now();
    while rounds.is_empty() || start.elapsed() < budget {
        rounds.push(sides.iter_mut().map(|sample| sample()).collect());
    }
    let median_of = |value: &dyn Fn(&[f64]) -> f64| median(rounds.iter().map(|round| value(round)).collect());
    let timing =
        |side| Timing { time: median_of(&|round| round[side]), ratio: median_of(&|round| round[0] / round[side]) };
    (0..sides.len()).map(timing).collect()
}

/// Returns a function that repeats an operation as often as fills a sample. Also warms up.
pub(crate) fn side<'a, T>(mut operation: impl FnMut() -> T + 'a) -> Side<'a> {
    let mut count = 1;
    while run(count, &mut operation) < SAMPLE {
        count *= 2;
    }
    Box::new(move || run(count, &mut operation).as_secs_f64() * 1e9 / f64::from(count))
}

/// Runs an operation `count` times, and returns the duration. Every result is used and dropped, because freeing it is part of
/// the work.
fn run<T>(count: u32, operation: &mut impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    for _ in 0..count {
        black_box(operation());
    }
    start.elapsed()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Formats a time in a suitable unit.
pub(crate) fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ..1e3 => format!("{nanoseconds:.1} ns"),
        ..1e6 => format!("{:.2} µs", nanoseconds / 1e3),
        _ => format!("{:.2} ms", nanoseconds / 1e6),
    }
}
