//! See `mmoc_fuzz::parquet`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::parquet(bytes));
