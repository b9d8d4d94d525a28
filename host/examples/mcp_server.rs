//! An MCP server on stdin and stdout, which any MCP client can start. The arguments are the toolsets to serve:
//! `cargo run -q -p toolc-host --example mcp_server -- safe`

use std::collections::HashMap;
use std::io::{self, BufRead as _, Read as _, Write as _, stdin, stdout};
use std::{env, error::Error, iter, process::ExitCode, sync::Mutex, thread};

use toolc::cancel::CancelHandle;
use toolc::wire::{MAX_BODY_BYTES, mcp::Server};
use toolc::{Dialect, Registry};

fn main() -> ExitCode {
    let result = run().inspect_err(|error| eprintln!("error: {error}"));
    ExitCode::from(u8::from(result.is_err()))
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

    // The running calls by id.
    let running = Mutex::new(HashMap::<String, CancelHandle>::new());
    let calls = || running.lock().expect("no thread panics while it holds the lock");
    let remove = |id: &str| calls().remove(id);
    let read_line = || {
        let mut line = String::new();
        // One byte more than the server accepts, so that it reports a longer message.
        let read = stdin().lock().take(MAX_BODY_BYTES as u64 + 1).read_line(&mut line);
        read.map(|length| (length > 0).then_some(line)).transpose()
    };
    thread::scope(|scope| {
        let result = iter::from_fn(read_line).try_for_each(|line| -> io::Result<()> {
            let turn = session.turn_blocking(Dialect::Mcp);
            let incoming = server.receive(&line?, &turn);
            incoming.cancelled().filter_map(remove).for_each(|call| call.cancel());
            for request in incoming.requests() {
                calls().insert(request.call().id().to_owned(), CancelHandle::new());
            }
            scope.spawn(move || {
                let reply = incoming.reply_with(|request| {
                    let (call, cancel) = (request.call(), calls().get(request.call().id()).cloned()?);
                    let response = turn.call_blocking(&call.with_cancel(&cancel));
                    // A client does not expect the response of a call that it has cancelled.
                    remove(call.id()).map(|_| request.result(&turn, &response))
                });
                reply.map(|reply| writeln!(stdout(), "{reply}"))
            });
            Ok(())
        });
        // The client has disconnected: end the calls that are still running.
        calls().values().for_each(CancelHandle::cancel);
        Ok(result?)
    })
}
