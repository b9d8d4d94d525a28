//! Tests in a network of their own, in which every address leads to this machine, and the name server is one of the test.
//!
//! A connection to an address that must not be reached would arrive at a listener, whatever the address is.

mod names;
mod refused;
mod silent;

use std::env;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use toolc_net::{Client, Policy};
use toolc_test_support::{SANDBOX, skip};

use crate::server::answer;

/// The environment variable of a process that is in such a network.
const INSIDE: &str = "TOOLC_NET_OWN_NETWORK";
/// Makes every address one of this machine, and replaces the settings of the resolver.
const PREPARE: &str = "
set -e
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
folder=$(mktemp -d)
printf 'nameserver 127.0.0.1\\noptions timeout:10 attempts:1\\n' >$folder/resolv.conf
printf 'hosts: files dns\\n' >$folder/nsswitch.conf
printf '127.0.0.1 localhost\\n::1 localhost\\n' >$folder/hosts
for name in resolv.conf nsswitch.conf hosts; do
    mount --bind $folder/$name $(readlink -f /etc/$name)
done
rm -r $folder
exec \"$@\"
";

/// Runs the current test again in a network of its own, and there runs what is given.
fn in_own_network(run: impl FnOnce()) {
    if env::var_os(INSIDE).is_some() {
        return run();
    }
    let unshare = |words: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "--net", "sh", "-c", PREPARE, "sh"]).args(words);
        command
    };
    match unshare(&["true"]).output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let reason = String::from_utf8_lossy(&output.stderr).into_owned();
            return skip(format!("no network of its own can be made: {reason}"), SANDBOX);
        }
        Err(error) => return skip(format!("`unshare` cannot be started: {error}"), "the Debian package `util-linux`"),
    }
    let exe = env::current_exe().expect("the test has a file");
    let test = thread::current().name().expect("a test has a name").to_owned();
    let mut command = unshare(&[exe.to_str().expect("the path is UTF-8"), "--exact", &test, "--nocapture"]);
    let output = command.env(INSIDE, "1").output().expect("`unshare` has started before");
    let report = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && report.contains("1 passed"), "{report}");
}

/// Returns a client for the public Internet.
fn public() -> Client {
    Client::new(Policy::default(), "toolc-net tests")
}

/// A server at every address of this network, on one port.
struct Everywhere {
    /// The addresses at which it was reached.
    reached: Arc<Mutex<Vec<IpAddr>>>,
}

impl Everywhere {
    /// Starts a server whose answers depend on the path.
    fn start(port: u16, answers: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(SocketAddr::from((Ipv6Addr::UNSPECIFIED, port))).expect("the port is free");
        let (reached, answers) = (Arc::new(Mutex::new(Vec::new())), Arc::new(answers));
        let kept = Arc::clone(&reached);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let address = stream.local_addr().expect("it is connected").ip().to_canonical();
                kept.lock().expect("no test panics with it").push(address);
                let answers = Arc::clone(&answers);
                thread::spawn(move || serve(stream, &*answers));
            }
        });
        Self { reached }
    }

    /// Returns the addresses at which the server was reached since the last call.
    fn reached(&self) -> Vec<IpAddr> {
        std::mem::take(&mut *self.reached.lock().expect("no test panics with it"))
    }
}

fn serve(mut stream: TcpStream, answers: impl Fn(&str) -> Vec<u8>) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    stream.write_all(&answers(head.split(' ').nth(1).unwrap_or_default()))
}

/// A page of [`Everywhere`].
fn page() -> Vec<u8> {
    answer("200 OK", "", b"page")
}

/// A name server.
struct NameServer {
    /// The names that were asked for an IPv4 address.
    asked: Arc<Mutex<Vec<String>>>,
}

impl NameServer {
    /// Starts a name server. The addresses depend on the name, and on the number of questions for an IPv4 address of it before this one.
    /// `None` leaves a question without an answer.
    fn start(addresses: impl Fn(&str, usize) -> Option<Vec<IpAddr>> + Send + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:53").expect("the port is free");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept: Arc<Mutex<Vec<String>>> = Arc::clone(&asked);
        thread::spawn(move || {
            let mut buffer = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut buffer) {
                let Some(question) = Question::read(&buffer[..length]) else { continue };
                let mut kept = kept.lock().expect("no test panics with it");
                let before = kept.iter().filter(|name| **name == question.name).count();
                // Both questions of one lookup have the same answer, in either order.
                let lookup = if question.is_v4 { before } else { question.lookup(&kept) };
                if question.is_v4 {
                    kept.push(question.name.clone());
                }
                if let Some(found) = addresses(&question.name, lookup) {
                    let _ = socket.send_to(&question.answer(&found), from);
                }
            }
        });
        Self { asked }
    }

    /// Returns how often the IPv4 addresses of a name were asked for.
    fn asked(&self, name: &str) -> usize {
        self.asked.lock().expect("no test panics with it").iter().filter(|asked| *asked == name).count()
    }
}

/// A question for the addresses of a name.
struct Question {
    /// The bytes of the request up to the end of the question.
    bytes: Vec<u8>,
    name: String,
    is_v4: bool,
}

impl Question {
    fn read(request: &[u8]) -> Option<Self> {
        let (mut at, mut labels) = (12, Vec::new());
        loop {
            let length = usize::from(*request.get(at)?);
            at += 1;
            if length == 0 {
                break;
            }
            labels.push(String::from_utf8_lossy(request.get(at..at + length)?).to_lowercase());
            at += length;
        }
        let kind = request.get(at..at + 4)?;
        let is_v4 = kind == [0, 1, 0, 1];
        Some(Self { bytes: request[..at + 4].to_vec(), name: labels.join("."), is_v4 })
    }

    /// Returns the lookup of a question for an IPv6 address: the resolver asks for the IPv4 address first.
    fn lookup(&self, asked: &[String]) -> usize {
        asked.iter().filter(|name| **name == self.name).count().saturating_sub(1)
    }

    fn answer(&self, addresses: &[IpAddr]) -> Vec<u8> {
        let found: Vec<&IpAddr> = addresses.iter().filter(|address| address.is_ipv4() == self.is_v4).collect();
        let mut answer = self.bytes.clone();
        // A name without addresses does not exist.
        let code = if addresses.is_empty() { 3 } else { 0 };
        answer[2..12].copy_from_slice(&[0x81, 0x80 | code, 0, 1, 0, found.len().try_into().expect("few"), 0, 0, 0, 0]);
        for address in found {
            let (kind, bytes) = match address {
                IpAddr::V4(address) => (1, address.octets().to_vec()),
                IpAddr::V6(address) => (28, address.octets().to_vec()),
            };
            answer.extend([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 0, 0, bytes.len().try_into().expect("few")]);
            answer.extend(bytes);
        }
        answer
    }
}
