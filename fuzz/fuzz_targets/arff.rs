//! See `mmoc_fuzz::arff`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::arff(bytes));
