//! See `mmoc_fuzz::mulan_xml`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mmoc_fuzz::mulan_xml(bytes));
