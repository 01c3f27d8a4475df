//! See `mmoc_fuzz::arrow`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::arrow(bytes));
