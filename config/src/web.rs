//! The table `[web]`: what the table of keys cannot express.

use toolc_net::Network;
use toolc_tables::checks;
use toolc_tables::checks::report;
use toolc_tables::diagnostic::{At, Sink};

use crate::keys::{Web, WebTable};

impl Web {
    /// Returns the private networks that may be fetched.
    pub fn networks(&self) -> Vec<Network> {
        self.networks.iter().filter_map(|network| network.parse().ok()).collect()
    }

    /// Returns the further ports that may be fetched.
    pub fn ports(&self) -> Vec<u16> {
        self.ports.iter().filter_map(|port| port.parse().ok()).collect()
    }
}

/// Reports the mistakes of the table.
pub(crate) fn check(web: &WebTable, sink: &Sink) {
    for network in &web.networks {
        if let Err(error) = network.value.parse::<Network>() {
            let help = "write one address, or the first address of a network and the number of its bits: `10.1.0.0/16`";
            report(sink, network, &error.to_string(), "expected a network", help);
        }
    }
    for port in web.ports.iter().filter(|port| port.value.parse::<u16>().ok().is_none_or(|port| port == 0)) {
        let message = format!("`{}` is not a port", port.value);
        report(sink, port, &message, "expected a number from 1 to 65535", "write it as a text, such as `\"3000\"`");
    }
    if let Some(address) = checks::filled(web.searxng.as_ref()) {
        check_address(address, sink);
    }
    for file in web.ca_files.iter().chain(&web.client_certificate).chain(&web.client_key) {
        checks::path(Some(file), "the file of a certificate", sink);
    }
    if let (Some(one), None) | (None, Some(one)) = (&web.client_certificate, &web.client_key) {
        let help = "set both `client_certificate` and `client_key`; they can name the same file";
        report(sink, one, "a client certificate needs its key", "the other one is missing", help);
    }
    if let Some(certificate) = web.client_certificate.as_ref().filter(|_| web.client_hosts.is_empty()) {
        let help = "name the hosts that may know who you are in `client_hosts`";
        report(sink, certificate, "no host gets this certificate", "", help);
    }
}

fn check_address(address: &At<String>, sink: &Sink) {
    let rest = ["http://", "https://"].iter().find_map(|scheme| address.value.strip_prefix(scheme));
    if rest.is_none_or(|rest| rest.is_empty() || rest.starts_with('/') || rest.contains(char::is_whitespace)) {
        let message = format!("`{}` is not the address of a server", address.value);
        report(sink, address, &message, "", "write it as `http://localhost:8888`");
    }
}
