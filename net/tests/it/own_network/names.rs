//! Names whose addresses are chosen by an attacker.

use std::net::IpAddr;

use toolc_net::{AddressPolicy, Client, Fetch, FetchError, FetchFault, Limits, Policy};

use super::{Everywhere, NameServer, in_own_network, page, public};
use crate::server::answer;

const PUBLIC: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(93, 184, 216, 34));
const LOOPBACK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

fn get(client: &Client, address: &str) -> Result<Vec<u8>, FetchError> {
    let target = client.target(address).expect("a valid address");
    client.fetch(Fetch::get(target), &Limits::default()).map(|found| found.body)
}

#[test]
fn a_name_that_changes_its_address_leads_to_no_refused_one() {
    in_own_network(|| {
        let names = NameServer::start(|_, lookup| Some(vec![if lookup == 0 { PUBLIC } else { LOOPBACK }]));
        let server = Everywhere::start(80, |path| match path {
            "/redirect" => answer("302 x", "Location: /secret\r\n", b""),
            _ => page(),
        });
        // The address that was checked is the one of the connection: a second lookup would have led to this machine.
        let client = public();
        assert_eq!(get(&client, "http://once.test/").expect("an answer"), b"page");
        assert_eq!((server.reached(), names.asked("once.test")), (vec![PUBLIC], 1));
        let error = get(&client, "http://once.test/").expect_err("it leads to this machine now");
        assert!(matches!(error.fault, FetchFault::Refused(refused) if refused.address == LOOPBACK), "{error}");
        let error =
            get(&client, "http://redirect.test/redirect").expect_err("it leads to this machine after a redirect");
        assert!(matches!(error.fault, FetchFault::Refused(_)) && error.redirects == 1, "{error}");
        assert_eq!(server.reached(), [PUBLIC]);
    });
}

#[test]
fn a_host_with_one_refused_address_is_refused() {
    in_own_network(|| {
        let v6 = "2606:4700::1111".parse().expect("an address");
        let _names = NameServer::start(move |name, _| {
            let refused: Option<IpAddr> = name.strip_suffix(".mixed.test").map(|text| match text {
                "v6" => "::1".parse().expect("an address"),
                "mapped" => "::ffff:127.0.0.1".parse().expect("an address"),
                "translated" => "64:ff9b::169.254.169.254".parse().expect("an address"),
                text => text.replace('-', ".").parse().expect("an address"),
            });
            Some([PUBLIC, v6].into_iter().chain(refused).collect())
        });
        let server = Everywhere::start(80, |_| page());
        let client = public();
        // For a third party, the networks that a policy allows are not public.
        let allowed = ["127.0.0.0/8", "10.0.0.0/8"].map(|text| text.parse().expect("a range")).to_vec();
        let allowing = Client::new(Policy { addresses: AddressPolicy::new(allowed), ..Policy::default() }, "test");
        let is_public = |host: &str| {
            let target = client.target(&format!("http://{host}/")).expect("a valid address");
            allowing.is_public(&target)
        };
        assert!(is_public("good.test") && is_public("8.8.8.8") && !is_public("127.0.0.1"));
        for host in ["127-0-0-1", "10-0-0-1", "169-254-169-254", "0-0-0-0", "192-168-1-1", "v6", "mapped", "translated"]
        {
            let error = get(&client, &format!("http://{host}.mixed.test/")).expect_err(host);
            assert!(matches!(error.fault, FetchFault::Refused(_)), "{host}: {error}");
            assert!(!is_public(&format!("{host}.mixed.test")), "{host}");
        }
        assert_eq!(server.reached(), Vec::<IpAddr>::new());
        assert_eq!(get(&client, "http://good.test/").expect("an answer"), b"page");
        assert_eq!(server.reached().len(), 1);
    });
}

#[test]
fn a_name_without_an_address_is_reported() {
    in_own_network(|| {
        let _names = NameServer::start(|_, _| Some(Vec::new()));
        let error = get(&public(), "http://missing.test/").expect_err("it does not exist");
        assert_eq!(error.fault, FetchFault::NoSuchHost);
        assert!(!public().is_public(&public().target("http://missing.test/").expect("a valid address")));
    });
}
