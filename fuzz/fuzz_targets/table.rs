//! See `mmoc_fuzz::table`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::table(bytes));
