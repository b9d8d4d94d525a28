//! A server of tools for any MCP client, which starts it and talks to it by its standard input and output. The client's
//! settings have a command such as `cargo run -q -p toolc-host --example mcp_server -- safe`: the toolsets that it serves.

use std::collections::HashMap;
use std::io::{self, BufRead as _, Read as _, Write as _, stdin, stdout};
use std::{env, error::Error, iter, process::ExitCode, sync::Mutex, thread};

use toolc::cancel::CancelHandle;
use toolc::wire::{MAX_BODY_BYTES, mcp::Incoming, mcp::Server};
use toolc::{Dialect, Registry};

fn main() -> ExitCode {
    let served = run().inspect_err(|error| eprintln!("error: {error}"));
    ExitCode::from(u8::from(served.is_err()))
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut toolsets: Vec<String> = env::args().skip(1).collect();
    if toolsets.is_empty() {
        toolsets.push("safe".to_owned());
    }
    let registry = Registry::new();
    registry.add(toolc_host::shipped_tools())?;
    let session = registry.session().enable(toolsets).build()?;
    let server = Server::new("toolc", env!("CARGO_PKG_VERSION"));

    // The running calls, by their ids.
    let running = Mutex::new(HashMap::<String, CancelHandle>::new());
    let calls = || running.lock().expect("no thread panics while it holds the lock");
    let take = |id: &str| calls().remove(id);
    let line = || {
        let mut line = String::new();
        // One byte more than the server takes, so that it says so.
        let read = stdin().lock().take(MAX_BODY_BYTES as u64 + 1).read_line(&mut line);
        read.map(|length| (length > 0).then_some(line)).transpose()
    };
    thread::scope(|scope| {
        let heard = iter::from_fn(line).try_for_each(|line| -> io::Result<()> {
            let turn = session.turn_blocking(Dialect::Mcp);
            match server.receive(&line?, &turn) {
                Incoming::Reply(reply) => writeln!(stdout(), "{reply}")?,
                Incoming::Call(request) => {
                    let (id, stop) = (request.call().id().to_owned(), CancelHandle::new());
                    calls().insert(id.clone(), stop.clone());
                    scope.spawn(move || {
                        let answer = turn.call_blocking(&request.call().with_cancel(&stop));
                        // A client that has cancelled a call waits for no response.
                        take(&id).map(|_| writeln!(stdout(), "{}", request.result(&turn, &answer)))
                    });
                }
                Incoming::Cancelled(id) => take(&id).iter().for_each(CancelHandle::cancel),
                Incoming::Nothing => {}
            }
            Ok(())
        });
        // The client has gone, and what it waited for goes on in vain.
        calls().values().for_each(CancelHandle::cancel);
        Ok(heard?)
    })
}
