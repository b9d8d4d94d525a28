//! Fuzzes whole projects, from the text of their files to the output of gen.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolc_fuzz::manifest(&String::from_utf8_lossy(bytes)));
