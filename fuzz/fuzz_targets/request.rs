//! See `mmoc_fuzz::request`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::request(bytes));
