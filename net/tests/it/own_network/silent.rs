//! A name server that does not answer.

use std::time::{Duration, Instant};

use toolc_net::{Fetch, FetchFault, Limits};

use super::{NameServer, in_own_network, public};

#[test]
fn a_lookup_ends_in_the_time_of_the_fetch() {
    in_own_network(|| {
        let names = NameServer::start(|_, _| None);
        let client = public();
        let target = client.target("http://silent.test/").expect("a valid address");
        let limits = Limits { time: Duration::from_millis(300), ..Limits::default() };
        let started = Instant::now();
        let error = client.fetch(Fetch::get(target), &limits).expect_err("no answer");
        assert_eq!(error.fault, FetchFault::TimedOut(limits.time));
        // The resolver of the system gives up after ten seconds.
        assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
        assert!(names.asked("silent.test") <= 1);
    });
}
