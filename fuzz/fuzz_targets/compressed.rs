//! See `mmoc_fuzz::compressed`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::compressed(bytes));
