//! Fuzzes the conditions of `when`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolc_fuzz::condition(&String::from_utf8_lossy(bytes)));
