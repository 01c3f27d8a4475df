//! See `mmoc_fuzz::extreme`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::extreme(bytes));
