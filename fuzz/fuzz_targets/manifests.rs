//! Fuzzes whole projects, from the bytes of their files to what gen would write.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolc_fuzz::manifest(&String::from_utf8_lossy(bytes)));
