//! Fuzzes messages of vendors' APIs and of MCP clients.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolc_fuzz::wire::message(&String::from_utf8_lossy(bytes)));
