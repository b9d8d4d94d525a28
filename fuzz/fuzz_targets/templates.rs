//! Fuzzes the templates of `description`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolc_fuzz::template(&String::from_utf8_lossy(bytes)));
