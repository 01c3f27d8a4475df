//! See `mmoc_fuzz::libsvm`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::libsvm(bytes));
