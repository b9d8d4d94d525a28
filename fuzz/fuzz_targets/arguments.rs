//! Fuzzes the arguments of a call.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolc_fuzz::call(&String::from_utf8_lossy(bytes)));
