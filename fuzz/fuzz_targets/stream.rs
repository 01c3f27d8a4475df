//! See `mmoc_fuzz::stream`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::stream(bytes));
