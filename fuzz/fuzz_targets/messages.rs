//! Fuzzes what the APIs of models and the clients of an MCP server send.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolc_fuzz::wire::message(&String::from_utf8_lossy(bytes)));
