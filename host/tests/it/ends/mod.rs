//! Ends calls and hosts in every way, with real processes, and looks for processes that have survived.
//!
//! Each test makes five tries, or as many as the environment variable `TOOLC_TRIES` says. `cargo xtask soak ends` sets it.

mod calls;
mod hosts;
mod leases;
mod role;
mod special;
mod survivors;

use std::time::Duration;

use toolc_test_support::wait_until_within;

/// The script that every call runs. It starts a process of each kind, which creates the file `started-KIND` when it runs.
const SCRIPT: &str = r#"
run() { echo "echo > started-$1; $2"; }
sh -c "$(run child 'sleep 600; exit')" &
timeout 600 sh -c "$(run group 'sleep 600; exit')" &
setsid sh -c "$(run session 'sleep 600; exit')" &
( ( nohup sh -c "$(run nohup 'sleep 600; exit')" > /dev/null 2>&1 & ) & )
env -i PATH="$PATH" setsid sh -c "$(run cleared 'trap "" TERM; sleep 600; sleep 600')" > /dev/null 2>&1 &
echo > started-command
"#;
/// The number of files that it creates.
const KINDS: usize = 6;
/// The rest of the script, for a command that does not end by itself.
const HANG: &str = "sleep 600; exit\n";
/// The time after which a test fails. It is long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(5);

/// Waits until a condition holds. Returns how long that took.
#[track_caller]
fn wait_until(what: &str, condition: impl FnMut() -> bool) -> Duration {
    wait_until_within(LIMIT, what, condition)
}

/// Tries a call that times out, with a longer time until all its processes have started before it is over. A try gets the time in
/// seconds, and returns how long after it the last process ended, or `None` if not all have started.
fn with_longer_time(one_try: impl Fn(u64) -> Option<Duration>) -> Duration {
    (1..8).find_map(|power| one_try(1 << power)).expect("the processes start within two minutes")
}

/// Repeats a try, several at the same time. A try returns how long after the call or host the last process ended.
fn repeat(name: &str, one_try: impl Fn() -> Duration + Sync) {
    const AT_ONCE: usize = 5;
    let tries = std::env::var("TOOLC_TRIES").map_or(5, |tries| tries.parse().expect("a number of tries"));
    let mut times = Vec::new();
    while times.len() < tries {
        std::thread::scope(|scope| {
            let running: Vec<_> = (times.len()..tries).take(AT_ONCE).map(|_| scope.spawn(&one_try)).collect();
            times.extend(running.into_iter().map(|one| one.join().expect("the try succeeds")));
        });
    }
    times.sort();
    let [median, max] = [times[times.len() / 2], times[times.len() - 1]].map(|time| time.as_millis());
    println!("{name}: {tries} tries, the last process ended after {median} ms (median), {max} ms (maximum)");
}
