//! See `mmoc_fuzz::predictions`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::predictions(bytes));
