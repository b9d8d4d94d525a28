//! Timing in pairs: ours, the floor, ours, the floor, ... so that whatever else the machine does falls on both. What
//! counts is the median of the pairs' ratios; the times beside it say in which order of magnitude that is.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long one sample should take: far above the clock's resolution, far below a scheduler's slice.
const SAMPLE: Duration = Duration::from_millis(1);

/// What the two sides came to, in nanoseconds for one operation, medians of all samples.
pub(crate) struct Timing {
    pub(crate) ours: f64,
    /// None where there is nothing to compare with.
    pub(crate) floor: Option<Floor>,
}

pub(crate) struct Floor {
    pub(crate) time: f64,
    /// The median over all pairs of our time by the floor's.
    pub(crate) ratio: f64,
}

/// Times both for about `budget` in all.
pub(crate) fn compare<A, B>(budget: Duration, mut ours: impl FnMut() -> A, mut floor: impl FnMut() -> B) -> Timing {
    let (our_count, floor_count) = (calibrate(&mut ours), calibrate(&mut floor));
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    let start = Instant::now();
    while start.elapsed() < budget {
        pairs.push((sample(our_count, &mut ours), sample(floor_count, &mut floor)));
    }
    let of = |value: fn(&(f64, f64)) -> f64| median(pairs.iter().map(value).collect());
    Timing {
        ours: of(|pair| pair.0),
        floor: Some(Floor { time: of(|pair| pair.1), ratio: of(|pair| pair.0 / pair.1) }),
    }
}

/// Times one thing for about `budget`.
pub(crate) fn alone<A>(budget: Duration, mut ours: impl FnMut() -> A) -> Timing {
    let count = calibrate(&mut ours);
    let mut samples = Vec::new();
    let start = Instant::now();
    while start.elapsed() < budget {
        samples.push(sample(count, &mut ours));
    }
    Timing { ours: median(samples), floor: None }
}

/// How many operations fill a sample. Warms up, too.
fn calibrate<T>(operation: &mut impl FnMut() -> T) -> u32 {
    let mut count = 1;
    while run(count, operation) < SAMPLE {
        count *= 2;
    }
    count
}

fn sample<T>(count: u32, operation: &mut impl FnMut() -> T) -> f64 {
    run(count, operation).as_secs_f64() * 1e9 / f64::from(count)
}

/// Every result is looked at and dropped: to free it is part of the work.
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
