//! Fuzzes shell command lines.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolc_fuzz::commands::line(&String::from_utf8_lossy(bytes)));
