//! Services and sites on this machine, which answer as they publish, and as they should not.

mod chain;
mod faults;
mod readers;
mod sdks;
mod search_services;
mod searx;
mod secrets;
mod server;
mod services;
mod tools;

use std::time::Duration;

use toolc_net::Client;
use toolc_web::readers::{ConfiguredReader, reader};
use toolc_web::search::{Configured, Found, Query, search, service};
use toolc_web::service::{Budget, Chain, Rests};

use services::Running;

/// Enough for every answer that comes.
const BUDGET: Budget = Budget { total: Duration::from_mins(1), each: Duration::from_secs(30) };

fn client() -> Client {
    Client::configured("toolc-web tests")
}

fn never() -> bool {
    false
}

fn configured(running: &Running) -> Configured {
    let service = service(running.service.name).expect("it searches");
    service.configure(&|name: &str| running.variable(name)).expect("it has a key and an address")
}

fn configured_reader(running: &Running) -> ConfiguredReader {
    let reader = reader(running.service.name).expect("it reads");
    reader.configure(&|name: &str| running.variable(name)).expect("it has a key and an address")
}

/// Asks running services.
fn found(running: &[&Running], query: &Query, budget: Budget) -> Found {
    let services: Vec<Configured> = running.iter().map(|running| configured(running)).collect();
    let (client, rests) = (client(), Rests::default());
    let chain = Chain { client: &client, rests: &rests, budget, is_cancelled: &never };
    search(&chain, &services, query)
}
