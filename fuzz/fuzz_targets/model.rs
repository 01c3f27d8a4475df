//! See `mmoc_fuzz::model`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::model(bytes));
